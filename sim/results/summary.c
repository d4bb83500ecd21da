/* summary.c - see summary.h and summary_builder.h. Sums of times are exact integers; the only rounding is the last division. */
#include "sim/results/summary_builder.h"

#include "sim/base/memory.h"
#include "sim/engine/state.h"
#include "sim/engine/models.h"
#include "sim/results/quantiles.h"
#include "sim/results/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- From tallies to rows ---- */

void summary_put_kind(struct summary_builder *b, const struct metric_kind *kind, const char *scope, double value, uint64_t n)
{
    mem_grow(&b->summary->metric, &b->capacity, b->summary->n, sizeof *b->summary->metric);
    b->summary->metric[b->summary->n++] = (struct metric){ kind, scope, n ? value : (double)NAN, n };
}

void summary_put(struct summary_builder *b, unsigned metric, const char *scope, double value, uint64_t n)
{
    summary_put_kind(b, &metric_kinds[metric], scope, value, n);
}

static double mean_s(int128_t sum_ns, uint64_t n)
{
    return n ? (double)sum_ns / (double)n / (double)NS_PER_S : 0;
}

double gpu_hours(int128_t milli_ns)
{
    return (double)milli_ns / MILLI_ALL / (double)NS_PER_S / 3600;
}

static void put_quantiles(struct summary_builder *b, const struct tally *t, unsigned p50, unsigned which)
{
    for (unsigned i = 0; i < 3; i++)
        summary_put(b, p50 + i, t->scope, t->quantile_s[which][i], t->ended);
}

static void put_jobs(struct summary_builder *b, const struct tally *t, bool all)
{
    summary_put(b, JOBS_SUBMITTED, t->scope, (double)t->jobs, t->jobs);
    for (unsigned m = JOBS_COMPLETED; m <= JOBS_PENDING; m++)
        summary_put(b, m, t->scope, (double)t->count[m], t->jobs);
    if (all) {
        summary_put(b, JOBS_NEVER_STARTED, t->scope, b->totals->never_started, t->jobs);
        summary_put(b, JOBS_DEADLOCKED, t->scope, b->totals->deadlocked, t->jobs);
    }
    summary_put(b, JCT_MEAN, t->scope, mean_s(t->jct_ns, t->ended), t->ended);
    put_quantiles(b, t, JCT_P50, 0);
    summary_put(b, JCT_CENSORED_MEAN, t->scope, mean_s(t->censored_ns, t->censored_jobs), t->censored_jobs);
    summary_put(b, WAIT_MEAN, t->scope, mean_s(t->wait_ns, t->ended), t->ended);
    put_quantiles(b, t, WAIT_P50, 1);
    summary_put(b, FIRST_WAIT_MEAN, t->scope, mean_s(t->first_wait_ns, t->ended), t->ended);
    summary_put(b, WAITED, t->scope, (double)t->waited / (double)t->ended, t->ended);
    summary_put(b, SLOWDOWN_MEAN, t->scope, sum_value(&t->slowdown) / (double)t->had_service, t->had_service);
    summary_put(b, BOUNDED_SLOWDOWN_MEAN, t->scope, sum_value(&t->bounded) / (double)t->ended, t->ended);
    summary_put(b, MAKESPAN, t->scope, seconds(t->last_ns - t->first_ns), t->ended);
}

static void put_gpus(struct summary_builder *b, const struct tally *t, bool all)
{
    const struct run_totals *r = b->totals;
    double up = (double)r->capacity, held = (double)t->held;
    int128_t useful = r->account[ACCOUNT_USEFUL];
    summary_put(b, UTIL_ALLOC, t->scope, held / up, r->capacity > 0);
    if (all) {
        summary_put(b, UTIL_BUSY, t->scope, (double)(useful + r->account[ACCOUNT_LOST]) / up, r->capacity > 0);
        summary_put(b, UTIL_EFFECTIVE, t->scope, (double)useful / up, r->capacity > 0);
        summary_put(b, GOODPUT, t->scope, (double)useful / held, t->held > 0);
    }
    summary_put(b, GPU_H_HELD, t->scope, gpu_hours(t->held), t->jobs);
    if (all)
        summary_put(b, GPU_H_FREE_WHILE_WAITING, t->scope, gpu_hours(r->free_while_waiting), t->jobs);
    summary_put(b, PREEMPTIONS, t->scope, (double)t->count[PREEMPTIONS], t->jobs);
    summary_put(b, RESTARTS, t->scope, (double)t->count[RESTARTS], t->jobs);
    if (all)
        summary_put(b, GANG_GPU_H, t->scope, gpu_hours(r->account[ACCOUNT_GANG]), t->jobs);
    summary_put(b, LOST_GPU_H, t->scope, gpu_hours(t->lost), t->jobs);
    summary_put(b, OVERHEAD_GPU_H, t->scope, gpu_hours(t->overhead), t->jobs);
    double span = (double)(r->last_ns - r->first_ns);
    if (all) {
        summary_put(b, QUEUE_LENGTH_MEAN, t->scope, (double)r->waiting / span, r->last_ns > r->first_ns);
        summary_put(b, GPUS_WAITING_MEAN, t->scope, (double)r->gpus_waiting / MILLI_ALL / span, r->last_ns > r->first_ns);
    }
}

static void put_fairness(struct summary_builder *b, const struct tally *t)
{
    summary_put(b, FAIRNESS_P95, t->scope, t->fairness_p95, t->had_service);
    summary_put(b, FAIRNESS_MAX, t->scope, (double)t->worst_fairness / MILLIONTHS, t->had_service);
    summary_put(b, FAIRNESS_KEPT, t->scope, (double)t->fairness_kept / (double)t->had_service, t->had_service);
}

void summary_put_scope(struct summary_builder *b, const struct tally *t, bool all)
{
    put_jobs(b, t, all);
    put_gpus(b, t, all);
    put_fairness(b, t);
    quantiles_put(b, t);
}

void summary_put_waits(struct summary_builder *b, enum wait_reason reason,
                       const struct metric_kind kind[2])
{
    int128_t sum_ns = 0;
    uint64_t jobs = 0;
    for (job_id j = 0; j < b->s->n_jobs; j++) {
        int64_t ns = run_job(b->s, j).waits[reason];
        sum_ns += ns;
        jobs += ns > 0;
    }
    summary_put_kind(b, &kind[0], "all", (double)sum_ns / (double)NS_PER_S / 3600, 1);
    summary_put_kind(b, &kind[1], "all", (double)jobs, 1);
}

const char *summary_scope(struct summary_builder *b, const char *kind, const char *name)
{
    size_t length = strlen(kind) + strlen(name) + 2;
    char *text = arena_alloc(b->summary->memory, length);
    snprintf(text, length, "%s=%s", kind, name);
    return text;
}

void summary_put_classes(struct summary_builder *b, struct tally *class)
{
    for (size_t i = 0; i < CLASSES; i++) {
        if (!class[i].jobs)
            continue;
        class[i].scope = summary_scope(b, "class", rows_class((enum job_class)i));
        summary_put_scope(b, &class[i], false);
    }
}

/* ---- Fairness and quota (models.md 10.4): from sim/accounting ---- */

/* What is added up over the queues of a scope. */
struct owed {
    bool deserves;                /* it, or one of them, has a deserved quota */
    int128_t owed, satisfied, unused, borrowed;
    struct run_preemptions preemptions[PREEMPTION_CAUSES];
    struct { size_t n, open, capacity; int64_t *ns; } reclaims;
};

static bool is_leaf(const struct sched *s, queue_id q)
{
    return run_setup_of(s)->cluster->queue[q].first_child == ID_NONE;
}

/* The books that say what a queue is owed, one after the other (before the first ID_NONE, which
 * ends, too): its own; or those in each flavor that it has a quota of. */
static queue_id next_books(const struct sched *s, queue_id q, queue_id last)
{
    uint32_t n = run_setup_of(s)->cluster->n_queues, flavors = flavor_count(s);
    for (uint32_t f = last == ID_NONE ? 0 : last / n; f < flavors; f++)
        if (run_queue_quota(s, queue_in_flavor(s, q, f))->used)
            return queue_in_flavor(s, q, f);
    return last == ID_NONE ? q : ID_NONE;
}

/* Of all of them together; deserves: in each. */
static struct run_quota quota_of(const struct sched *s, queue_id q)
{
    struct run_quota sum = { .deserves = true };
    for (queue_id i = ID_NONE; (i = next_books(s, q, i)) != ID_NONE;) {
        const struct run_quota *of = run_queue_quota(s, i);
        sum.deserves &= of->deserves;
        sum.held += of->held;
        sum.owed += of->owed;
        sum.satisfied += of->satisfied;
        sum.fair += of->fair;
        sum.borrowed += of->borrowed;
        sum.unused += of->unused;
    }
    return sum;
}

static void add_quota(struct owed *t, const struct run_quota *i)
{
    t->deserves |= i->deserves;
    t->owed += i->owed;
    t->satisfied += i->satisfied;
    t->unused += i->unused;
    t->borrowed += i->borrowed;
}

static void add_preemptions(struct owed *t, const struct sched *s, queue_id q)
{
    const struct run_preemptions *p = run_queue_preemptions(s, q);
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++) {
        t->preemptions[i].n += p[i].n;
        t->preemptions[i].lost += p[i].lost;
    }
}

static void add_reclaims_of(struct owed *t, const struct sched *s, queue_id books)
{
    const struct run_reclaim *list;
    size_t n = run_queue_reclaims(s, books, &list);
    for (size_t i = 0; i < n; i++) {
        mem_grow(&t->reclaims.ns, &t->reclaims.capacity, t->reclaims.n, sizeof *t->reclaims.ns);
        t->reclaims.ns[t->reclaims.n++] = list[i].end_ns - list[i].start_ns;
        t->reclaims.open += list[i].open;
    }
}

static void add_reclaims(struct owed *t, const struct sched *s, queue_id q)
{
    for (queue_id i = ID_NONE; (i = next_books(s, q, i)) != ID_NONE;)
        add_reclaims_of(t, s, i);
}

static void put_reclaims(struct summary_builder *b, const char *scope, const struct owed *t)
{
    size_t n = t->reclaims.n;
    int128_t sum = 0;
    int64_t longest = 0;
    for (size_t i = 0; i < n; i++) {
        sum += t->reclaims.ns[i];
        longest = t->reclaims.ns[i] > longest ? t->reclaims.ns[i] : longest;
    }
    summary_put(b, RECLAIMS, scope, (double)n, t->deserves);
    summary_put(b, RECLAIMS_OPEN, scope, (double)t->reclaims.open, t->deserves);
    summary_put(b, RECLAIM_MEAN, scope, (double)sum / (double)n / (double)NS_PER_S, n);
    summary_put(b, RECLAIM_P90, scope, n ? quantile(t->reclaims.ns, n, .9) / (double)NS_PER_S : 0, n);
    summary_put(b, RECLAIM_MAX, scope, seconds(longest), n);
}

static void put_owed(struct summary_builder *b, const char *scope, const struct owed *t, bool satisfaction)
{
    summary_put(b, QUOTA_SATISFACTION, scope, t->owed ? (double)t->satisfied / (double)t->owed : 1, satisfaction);
    summary_put(b, QUOTA_UNMET, scope, gpu_hours(t->owed - t->satisfied), satisfaction);
    summary_put(b, QUOTA_UNUSED, scope, gpu_hours(t->unused), t->deserves);
    summary_put(b, BORROWED, scope, gpu_hours(t->borrowed), t->deserves);
    put_reclaims(b, scope, t);
}

static void put_preemptions(struct summary_builder *b, const char *scope, const struct owed *t)
{
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++)
        summary_put(b, PREEMPTED_FIRST + i, scope, (double)t->preemptions[i].n, 1);
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++)
        summary_put(b, LOST_FIRST + i, scope, gpu_hours(t->preemptions[i].lost), 1);
}

/* Of what it asked for within its fair share, and beyond: how much it held. */
static double fair_share_held(const struct run_quota *i)
{
    return i->fair ? (double)i->held / (double)i->fair : (double)NAN;
}

static void put_queue_quota(struct summary_builder *b, const char *scope, queue_id q)
{
    struct run_quota i = quota_of(b->s, q);
    struct owed t = { .owed = 0 };
    add_quota(&t, &i);
    add_reclaims(&t, b->s, q);
    put_owed(b, scope, &t, true);
    summary_put(b, FAIR_SHARE_HELD, scope, fair_share_held(&i), i.fair != 0);
    if (is_leaf(b->s, q)) {
        add_preemptions(&t, b->s, q);
        put_preemptions(b, scope, &t);
    }
    free(t.reclaims.ns);
}

static void put_all_quota(struct summary_builder *b, const char *scope)
{
    uint32_t n = run_setup_of(b->s)->cluster->n_queues;
    double *share = mem_new(n, sizeof *share);
    size_t shares = 0;
    struct owed t = { .owed = 0 };
    for (queue_id q = 0; q < n; q++) {
        struct run_quota i = quota_of(b->s, q);
        if (!is_leaf(b->s, q))
            continue;
        add_preemptions(&t, b->s, q);
        add_reclaims(&t, b->s, q);
        if (i.deserves)
            add_quota(&t, &i);
        if (i.fair)
            share[shares++] = fair_share_held(&i);
    }
    put_owed(b, scope, &t, t.deserves);
    summary_put(b, JAIN_INDEX, scope, jain_index(share, shares), shares);
    put_preemptions(b, scope, &t);
    free(t.reclaims.ns);
    free(share);
}

/* What a queue was owed and got of one flavor; scope flavor=FLAVOR/QUEUE. */
static void put_flavor(struct summary_builder *b, queue_id q, uint32_t flavor)
{
    const struct cluster *c = run_setup_of(b->s)->cluster;
    queue_id books = queue_in_flavor(b->s, q, flavor);
    const struct run_quota *i = run_queue_quota(b->s, books);
    size_t length = strlen(flavor_name(b->s, flavor)) + strlen(c->queue[q].name) + 2;
    char *name = arena_alloc(b->summary->memory, length);
    snprintf(name, length, "%s/%s", flavor_name(b->s, flavor), c->queue[q].name);
    const char *scope = summary_scope(b, "flavor", name);
    struct owed t = { .owed = 0 };
    if (!i->used)
        return;
    add_quota(&t, i);
    add_reclaims_of(&t, b->s, books);
    put_owed(b, scope, &t, true);
    summary_put(b, FAIR_SHARE_HELD, scope, fair_share_held(i), i->fair != 0);
    free(t.reclaims.ns);
}

static void put_flavors(struct summary_builder *b, const struct cluster *c)
{
    for (uint32_t f = 0; f < c->n_flavors; f++)
        for (queue_id q = 0; q < c->n_queues; q++)
            put_flavor(b, q, f);
}

static void put_queues(struct summary_builder *b, struct tally *queue, const struct cluster *c)
{
    for (queue_id q = 0; q < c->n_queues; q++) {
        if (run_queue_quota(b->s, q)->used && c->queue[q].first_child != ID_NONE)
            put_queue_quota(b, summary_scope(b, "queue", c->queue[q].name), q);
        if (!queue[q].jobs)
            continue;
        queue[q].scope = summary_scope(b, "queue", c->queue[q].name);
        summary_put_scope(b, &queue[q], false);
        put_queue_quota(b, queue[q].scope, q);
    }
}

struct summary *summary_make(const struct sched *s)
{
    struct tally_walk *w = tally_walk_new(s);
    struct summary *m = summary_make_of(s, w);
    tally_walk_free(w);
    return m;
}

struct summary *summary_make_of(const struct sched *s, struct tally_walk *w)
{
    const struct cluster *c = run_setup_of(s)->cluster;
    const struct parts one = { .n = 1, .of = &s };
    struct summary_builder b = { .summary = mem_new(1, sizeof *b.summary), .s = s, .totals = run_totals(s), .parts = &one };
    struct tallies *t = tally_walk_end(w);
    b.summary->memory = arena_new();
    summary_put_scope(&b, &t->all, true);
    put_all_quota(&b, t->all.scope);
    summary_put_classes(&b, t->class);
    put_queues(&b, t->queue, c);
    put_flavors(&b, c);
    for (hook_walk i = HOOKED(s, summarise); i; hook_next(&i))
        hooked(s, i)->summarise(&b);
    return b.summary;
}

void summary_free(struct summary *m)
{
    if (!m)
        return;
    free(m->metric);
    arena_free(m->memory);
    free(m);
}

double summary_value(const struct summary *m, const char *name, const char *scope)
{
    for (size_t i = 0; i < m->n; i++)
        if (!strcmp(m->metric[i].kind->name, name) && !strcmp(m->metric[i].scope, scope))
            return m->metric[i].value;
    return (double)NAN;
}
