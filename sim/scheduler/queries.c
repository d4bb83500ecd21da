/* queries.c - what a policy may see of jobs, time, capacity, queues and nodes: the queries of the contract. */
#include "sim/accounting/books.h"
#include "sim/base/fetch.h"
#include "sim/cluster/reservations/reservations.h"
#include "sim/contract/site.h"
#include "sim/contract/util/minmax.h"
#include "sim/engine/models.h"
#include "sim/engine/nodes.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/overhead.h"
#include "sim/engine/running.h"
#include "sim/engine/state.h"
#include "sim/scheduler/closed/outages.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/timeline.h"

#include <string.h>

int64_t sched_now(const struct sched *s)
{
    return s->now_ns;
}

const struct site *sched_site(const struct sched *s)
{
    return s->cluster->site;
}

struct job_site job_site(const struct sched *s, job_id j)
{
    return s->workload->job_site ? s->workload->job_site[j]
                                 : (struct job_site){ .qos = ID_NONE, .association = ID_NONE };
}

const struct job_facts *job_facts(const struct sched *s, job_id j)
{
    return &s->workload->facts[j];
}

enum job_state job_state(const struct sched *s, job_id j)
{
    return s->job[j].state;
}

struct amount job_size(const struct sched *s, job_id j)
{
    return request_amount(ask_of(s, j));
}

struct amount request_size(const struct request *r)
{
    return request_amount(r);
}

int64_t job_last_start_ns(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l ? l->last_start_ns : -1;
}

double job_attained_gpu_s(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    if (s->all_needs & RESIZES)
        return size_gpu_s(s, j);
    int64_t held_ns = s->job[j].run_ns + running_before_ns(s, j);
    if (l && l->event)
        held_ns += s->now_ns - l->held_since_ns;
    else if (l && l->leaving)
        held_ns += s->now_ns - l->leaving_since_ns;
    return seconds(held_ns) * (double)request_gpu_milli(ask_of(s, j)) / MILLI_ALL;
}

static int64_t work_ns(const struct sched *s, job_id j)
{
    return on_demand(s, j) ? ENDLESS_NS : s->workload->truth[j].duration_ns;
}

/* Service so far that still counts: what a restart would not have to do again. */
static int64_t kept_ns(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    if (!l)
        return 0;
    int64_t left = l->progress.left_ns;
    if (l->event)
        left = l->begin_left_ns - job_done_ns(s, l);
    return work_ns(s, j) - left;
}

int64_t job_estimate_ns(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    int64_t estimate = l ? l->estimate_ns : s->workload->truth[j].estimate_ns;
    if (estimate == TIME_NEVER)
        return TIME_NEVER;
    int64_t left = estimate - kept_ns(s, j);
    return left > 0 ? left : 0;
}

int64_t job_true_ns(struct sched *s, job_id j)
{
    if (!(s->force->needs & SEES_RUN_TIME)) {
        s->totals.sight_refused++;
        return -1;
    }
    int64_t left_ns = s->workload->truth[j].duration_ns - kept_ns(s, j);
    return left_ns > 0 ? left_ns : 0;
}

int64_t job_start_cost_ns(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    if (l && l->event)
        return l->progress.since_ns > s->now_ns ? l->progress.since_ns - s->now_ns : 0;
    if (l && l->suspended)
        return l->start_cost_ns;
    return start_expected_ns(s, j, !has_started(s, j));
}

int64_t job_resize_cost_ns(const struct sched *s, job_id j)
{
    int64_t ns = models_resize_cost_ns(s, j);
    return ns >= 0 ? ns : start_expected_ns(s, j, false);
}

void *job_own(struct sched *s, job_id j)
{
    uint32_t slot = job_slot(s, j);
    return slot == ID_NONE ? NULL : s->own[slot];
}

void job_fetch_rows(const struct sched *s, job_id j)
{
    fetch(&s->job[j]);
    fetch(&s->workload->facts[j]);
    fetch(&s->workload->truth[j]);
}

void job_fetch(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    if (!l)
        return;
    fetch_lines(l, offsetof(struct live, estimate_ns) + sizeof l->estimate_ns);
    fetch_lines(l->wait, sizeof l->wait);
}

struct amount sched_capacity(const struct sched *s)
{
    struct amount all = { 0, 0, 0 };
    for (uint32_t k = 0; k < s->cluster->n_kinds; k++) {
        const struct node_kind *kind = &s->cluster->kind[k];
        const struct node_type *t = &s->cluster->type[kind->type];
        int64_t n = kind->n_nodes;
        all.gpu_milli += n * cluster_kind_milli(s->cluster, kind);
        n = kind->first ? n : 0;
        all.cpu_milli += t->cpu_milli == INT64_MAX ? 0 : n * t->cpu_milli;
        all.mem_mib += t->mem_mib == INT64_MAX ? 0 : n * t->mem_mib;
    }
    const struct amount out = nodes_out_of_capacity(s);
    return amount_less(all, out);
}

uint64_t sched_room_version(const struct sched *s)
{
    return s->freed_version;
}

uint64_t sched_random(struct sched *s)
{
    return random_u64(&s->policy_random);
}

void *sched_alloc(struct sched *s, size_t bytes)
{
    return arena_alloc(s->memory, bytes);
}

void *sched_scratch(struct sched *s, size_t bytes)
{
    return arena_alloc(s->scratch, bytes);
}

const struct view *sched_view(const struct sched *s, enum free_kind k)
{
    return k == FREE_OR_RELEASING && releasing_seen(s) ? s->releasing : s->idle;
}

/* ---- Queues ---- */

uint32_t queue_count(const struct sched *s)
{
    return s->cluster->n_queues;
}

const struct queue_facts *queue_facts(const struct sched *s, queue_id q)
{
    return &s->queue[q];
}

struct amount queue_held(const struct sched *s, queue_id q)
{
    return s->books->queue[q].held;
}

struct amount queue_held_firm(const struct sched *s, queue_id q)
{
    return s->books->queue[q].held_firm;
}

struct amount queue_pending(const struct sched *s, queue_id q)
{
    return s->books->queue[q].pending;
}

static bool passes(int64_t held, int64_t more, int64_t limit)
{
    return more > 0 && limit != UNLIMITED && held + more > limit;
}

uint64_t queue_quota_version(const struct sched *s)
{
    return s->quota_version;
}

int64_t queue_most_deserved(const struct sched *s, queue_id q)
{
    const struct queue_facts *f = &s->cluster->queue[q];
    int64_t most = f->quota.deserved.gpu_milli;
    for (uint32_t i = 0; i < f->n_windows && most != UNLIMITED; i++) {
        int64_t then = f->window[i].quota.deserved.gpu_milli;
        most = then == UNLIMITED ? UNLIMITED : max_i64(most, then);
    }
    return most;
}

bool queue_over_limit(const struct sched *s, queue_id q, struct amount more)
{
    for (; q != ID_NONE; q = s->cluster->queue[q].parent) {
        const struct amount *held = &s->books->queue[q].held, *limit = &s->queue[q].quota.limit;
        if (passes(held->gpu_milli, more.gpu_milli, limit->gpu_milli) ||
            passes(held->cpu_milli, more.cpu_milli, limit->cpu_milli) || passes(held->mem_mib, more.mem_mib, limit->mem_mib))
            return true;
    }
    return false;
}

bool job_over_limit(const struct sched *s, job_id j)
{
    return request_over_limit(s, ask_of(s, j));
}

queue_id queue_in_flavor(const struct sched *s, queue_id q, uint32_t flavor)
{
    return q + s->cluster->n_queues * (flavor + 1);
}

bool queue_flavor_quota(const struct sched *s, queue_id q, uint32_t flavor, struct quota *to)
{
    return cluster_flavor_quota(s->cluster, q, flavor, to);
}

uint32_t job_flavor(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l && l->flavor ? l->flavor - 1u : ID_NONE;
}

size_t queue_changes(struct sched *s, const queue_id **queues)
{
    return books_unseen(s, queues);
}

void queue_fair_share(struct sched *s, queue_id q, struct amount share)
{
    books_fair_share(s, q, share);
}

/* Of the nodes that are up. */
static int64_t milli_of_flavor(const struct sched *s, uint32_t flavor)
{
    int64_t milli = 0;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (node_is_up(s, n) && cluster_node_has_flavor(s->cluster, n, flavor))
            milli += cluster_node_milli(s->cluster, n);
    return milli;
}

void queue_usage_decays(struct sched *s, int64_t half_life_ns)
{
    int64_t *has_milli = mem_new(s->cluster->n_flavors + (size_t)1, sizeof *has_milli);
    has_milli[0] = sched_capacity(s).gpu_milli;
    for (uint32_t f = 0; f < s->cluster->n_flavors; f++)
        has_milli[f + 1] = milli_of_flavor(s, f);
    books_usage_decays(s, half_life_ns, has_milli);
    free(has_milli);
}

double queue_usage(const struct sched *s, queue_id q, int64_t time_ns)
{
    return books_usage(s, q, time_ns);
}

bool queue_budget_spent(struct sched *s, queue_id q)
{
    return books_budget_spent(s, q);
}

int64_t sched_month_end_ns(const struct sched *s)
{
    return books_month_end_ns(s);
}

/* ---- Nodes ---- */

bool sched_node_up(const struct sched *s, node_id n)
{
    return node_is_up(s, n);
}

void sched_take_changed(struct sched *s, uint64_t *nodes)
{
    free_index_take_changed(s->idle, nodes);
}

int64_t sched_idle_gpus(const struct sched *s)
{
    return free_index_all_whole(s->idle);
}

bool sched_has_outages(const struct sched *s)
{
    const struct cluster *c = s->cluster;
    return (c->failures && c->failures->n_planned) || (c->reservations && c->reservations->n);
}

int64_t sched_take_outages(const struct sched *s, job_id j, int64_t from_ns, int64_t until_ns, uint64_t *nodes)
{
    int64_t again_ns = outages_take(s->cluster, from_ns, until_ns, nodes);
    return min_i64(again_ns, reserved_take(s, j, from_ns, until_ns, nodes));
}

/* ---- The kinds of nodes ---- */

bool sched_has_pools(const struct sched *s)
{
    return s->cluster->pool != NULL;
}

uint32_t flavor_count(const struct sched *s)
{
    return s->cluster->n_flavors;
}

const char *flavor_name(const struct sched *s, uint32_t flavor)
{
    return s->cluster->flavor[flavor].name;
}

bool flavor_has_node(const struct sched *s, uint32_t flavor, node_id n)
{
    return cluster_node_has_flavor(s->cluster, n, flavor);
}

/* ---- Whether a request fits ---- */

/* As all jobs of its shape ask, and where no job differs from another of its shape to the placer. */
static bool asks_as_shape(const struct sched *s, const struct request *r)
{
    const struct request *ask = &s->workload->shape[r->shape].ask;
    return r->tasks == ask->tasks && r->gpus == ask->gpus && r->gpu_milli == ask->gpu_milli && r->next == ask->next &&
           r->required_level == ask->required_level && r->preferred_level == ask->preferred_level && r->task == ask->task &&
           r->first_task == ask->first_task && r->cpu_milli == ask->cpu_milli && r->mem_mib == ask->mem_mib && !r->flavor &&
           r->try_first == ask->try_first && r->one_island == ask->one_island && !s->predicted_rates;
}

/* What is known of this pass, while nothing idle has changed. */
static bool fits_now(struct sched *s, const struct request *r)
{
    struct fits *known = &s->placing->fits[r->shape];
    if (known->pass != s->totals.passes || known->version != s->idle->version) {
        struct random before = s->placing->random;
        placing_whatever_limit(s, s->idle, r);
        bool drew = memcmp(&before, &s->placing->random, sizeof before) != 0;
        *known = (struct fits){ drew ? 0 : s->totals.passes, s->idle->version, (uint8_t)s->placing->why_not };
    }
    s->placing->why_not = known->why_not;
    return known->why_not == PLACED;
}

bool sched_fits(struct sched *s, const struct view *v, const struct request *r)
{
    bool by_totals = placing_by_totals(s, r);
    if (!by_totals && !(v == s->idle && asks_as_shape(s, r)))
        return sched_place(s, v, r);
    if (placing_limit_binds(s, r->shape, request_amount(r)))
        return false;
    if (!by_totals)
        return fits_now(s, r);
    s->placing->why_not = placing_lacks(view_of(s, v), r) ? NO_ROOM : PLACED;
    return s->placing->why_not == PLACED;
}
