/* batch.c - see batch.h. */
#include "policies/slurm/batch.h"
#include "policies/slurm/groups.h"
#include "sim/contract/site.h"
#include "sim/contract/util/array.h"

#include <math.h>

#define NS_IN_S 1e9
enum { FIRST_CAPACITY = 64 };     /* a power of two */

/* ---- Accounts ---- */

static void account_changes(struct sched *s, struct batch *b, uint32_t account)
{
    if (b->account[account].changed)
        return;
    b->changed = array_grown(sched_alloc, s, b->changed, &b->changed_capacity, b->n_changed, sizeof *b->changed);
    b->changed[b->n_changed++] = account;
    b->account[account].changed = true;
}

static uint32_t account_add(struct sched *s, struct batch *b, uint32_t parent, bool user,
                            double shares)
{
    b->account = array_grown(sched_alloc, s, b->account, &b->account_capacity, b->n_accounts,
                             sizeof *b->account);
    b->room =
        array_grown(sched_alloc, s, b->room, &b->room_capacity, b->n_accounts, sizeof *b->room);
    b->account[b->n_accounts] =
        (struct account){ .parent = parent, .user = user, .shares = shares };
    b->unranked = true;
    account_changes(s, b, b->n_accounts);
    return b->n_accounts++;
}

static uint32_t of_queue(queue_id q)    /* ID_NONE: the root */
{
    return q == ID_NONE ? 0 : q + 1;
}

static struct leaf *slot_of(const struct batch *b, queue_id q, uint32_t user)
{
    uint64_t hash = ((uint64_t)q << 32 | user) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t i = (uint32_t)(hash >> 32) & (b->n_slots - 1);
    for (; b->slot[i].account != NO_ACCOUNT; i = (i + 1) & (b->n_slots - 1))
        if (b->slot[i].queue == q && b->slot[i].user == user)
            break;
    return &b->slot[i];
}

static void make_slots(struct sched *s, struct batch *b, uint32_t n)
{
    const struct leaf *old = b->slot;
    uint32_t n_old = b->n_slots;
    b->slot = sched_alloc(s, n * sizeof *b->slot);
    b->n_slots = n;
    for (uint32_t i = 0; i < n; i++)
        b->slot[i].account = NO_ACCOUNT;
    for (uint32_t i = 0; i < n_old; i++)
        if (old[i].account != NO_ACCOUNT)
            *slot_of(b, old[i].queue, old[i].user) = old[i];
}

/* A queue of unknown users only is a leaf: it stands in the place of its account, which has no
 * shares meanwhile. */
static uint32_t unknown_leaf(struct sched *s, struct batch *b, queue_id q)
{
    struct queue_leaves *l = &b->leaves[q];
    if (l->unknown != NO_ACCOUNT)
        return l->unknown;
    if (l->known)
        return l->unknown = account_add(s, b, of_queue(q), true, 1);
    b->account[of_queue(q)].shares = 0;
    b->all_changed = true;
    return l->unknown = account_add(s, b, of_queue(queue_facts(s, q)->parent), true,
                                    queue_facts(s, q)->weight);
}

static void becomes_account(struct sched *s, struct batch *b, queue_id q)
{
    struct queue_leaves *l = &b->leaves[q];
    l->known = true;
    if (l->unknown == NO_ACCOUNT)
        return;
    b->all_changed = true;
    b->account[of_queue(q)].shares = queue_facts(s, q)->weight;
    b->account[l->unknown].parent = of_queue(q);
    b->account[l->unknown].shares = 1;
}

/* The user of `above`, by the slot (key, user), with one share. */
static uint32_t user_leaf(struct sched *s, struct batch *b, uint32_t key, uint32_t user, uint32_t above)
{
    struct leaf *slot = slot_of(b, key, user);
    if (slot->account != NO_ACCOUNT)
        return slot->account;
    uint32_t account = account_add(s, b, above, true, 1);
    *slot = (struct leaf){ key, user, account };
    if (2 * ++b->n_leaves > b->n_slots)
        make_slots(s, b, 2 * b->n_slots);
    return account;
}

/* A user that the cluster file has; any other has one share of the account. */
static uint32_t leaf_of_site(struct sched *s, struct batch *b, job_id j)
{
    uint32_t a = job_site(s, j).association, account = a == ID_NONE ? 0 : a + 1;
    return a != ID_NONE && b->account[account].user
               ? account : user_leaf(s, b, account, job_facts(s, j)->user, account);
}

static uint32_t leaf_of(struct sched *s, struct batch *b, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    if (!b->leaves)
        return leaf_of_site(s, b, j);
    if (f->user == ID_NONE)
        return unknown_leaf(s, b, f->queue);
    if (!b->leaves[f->queue].known)
        becomes_account(s, b, f->queue);
    return user_leaf(s, b, f->queue, f->user, of_queue(f->queue));
}

double batch_factor(const struct batch *b, struct sched *s, job_id j)
{
    const struct batch_job *own = job_own(s, j);
    return b->of_period ? b->account[own->account].period_factor : b->account[own->account].factor;
}

/* ---- Usage ---- */

static void charge(struct sched *s, struct batch *b, const struct charged *c, double gpu_s)
{
    const struct batch_job *own = job_own(s, c->job);
    b->account[own->account].usage += gpu_s;
    account_changes(s, b, own->account);
}

/* What `periods` charges of a second each are worth at the last of them. */
static double compounded(const struct batch *b, double periods)
{
    return b->decay < 1 ? (1 - pow(b->decay, periods)) / (1 - b->decay) : periods;
}

/* All multiples of the period up to now, at once: a job was charged what it ran of the first, and
 * then whole ones. */
static void catch_up(struct sched *s, struct batch *b)
{
    int64_t last = (sched_now(s) - b->origin_ns) / b->period_ns;
    if (last == b->computed)
        return;
    double periods = (double)(last - b->computed),
           first_s = (double)(b->computed + 1) * b->period_s;
    double decayed = pow(b->decay, periods), since_first = pow(b->decay, periods - 1),
           more = compounded(b, periods - 1);
    for (uint32_t i = 0; i < b->n_accounts; i++)
        b->account[i].usage *= decayed;
    for (uint32_t i = 0; i < b->n_charged; i++) {
        struct charged *c = &b->charged[i];
        charge(s, b, c, c->gpus * ((first_s - c->since_s) * since_first + b->period_s * more));
        c->since_s = (double)last * b->period_s;
    }
    b->computed = last;
    b->unranked = b->unsorted = b->all_changed = true;
}

static double now_s(const struct sched *s, const struct batch *b)
{
    return (double)(sched_now(s) - b->origin_ns) / NS_IN_S;
}

static void forget_changes(struct batch *b)
{
    while (b->n_changed)
        b->account[b->changed[--b->n_changed]].changed = false;
    b->all_changed = false;
}

/* By what is counted. */
static void rank_all(struct batch *b)
{
    fair_tree_rank(b->account, b->n_accounts, b->room);
    b->stale = false;
}

/* If an account has come since the last one. */
static void rank(struct batch *b)
{
    if (!b->unranked)
        return;
    b->unranked = false;
    if (!b->order.factors)
        return;
    b->stale = b->order.factors == fair_tree_factors && !b->all_changed;
    for (size_t i = 0; i < b->n_changed && b->stale; i++)
        fair_tree_count(b->account, b->changed[i]);
    if (!b->stale)
        b->order.factors(b->account, b->n_accounts, b->room);
    forget_changes(b);
}

/* Of that account the factor is wanted. */
static void rank_one(struct batch *b, uint32_t account)
{
    rank(b);
    if (b->stale && !fair_tree_factor(b->account, account, &b->account[account].factor))
        rank_all(b);
}

/* A period has begun, and jobs wait: what their priorities go by until the next one. */
static void settle(struct sched *s, struct batch *b)
{
    rank(b);
    if (b->stale)
        rank_all(b);
    for (uint32_t i = 0; i < b->n_accounts; i++)
        b->account[i].period_factor = b->account[i].factor;
    b->period_gpus_milli = (double)sched_capacity(s).gpu_milli;
    b->settled = b->computed;
}

static void look_at(struct batch *b, double at_s, double gpus_milli)
{
    b->at_s = at_s;
    b->gpus_milli = gpus_milli;
}

static double priority_of(struct sched *s, const struct batch *b, job_id j)
{
    return b->order.priority(s, b, j, b->queueing.params);
}

bool batch_prioritise(struct sched *s, struct batch *b, job_id j)
{
    struct batch_job *own = job_own(s, j);
    double was = own->priority;
    b->of_period = true;
    look_at(b, (double)b->settled * b->period_s, b->period_gpus_milli);
    own->priority = priority_of(s, b, j);
    b->of_period = false;
    return own->priority != was;
}

double batch_sum(struct sched *s, struct batch *b, job_id j, uint32_t account, int64_t submit_ns, struct batch_fixed *fixed)
{
    look_at(b, (double)b->settled * b->period_s, b->period_gpus_milli);
    if (fixed->gpus_milli != b->gpus_milli)
        b->order.fixed(s, b, j, b->queueing.params, fixed);
    fixed->gpus_milli = b->gpus_milli;
    return b->order.sum(b, fixed, submit_ns, b->account[account].period_factor, b->queueing.params);
}

struct line_key batch_key(struct sched *s, job_id j, const void *params)
{
    (void)params;
    const struct batch_job *own = job_own(s, j);
    return (struct line_key){ .major = -own->priority, .time_ns = job_facts(s, j)->submit_ns };
}

/* ---- Notices ---- */

static void starting(struct sched *s, struct queueing_state *o, job_id j)
{
    struct batch *b = (struct batch *)o;  /* its first member */
    if (b->groups)
        groups_starting(s, b, j);
}

static const struct discipline by_priority = { .key = batch_key, .starting = starting, .reads_lines = true };

void batch_begin(struct sched *s, struct batch *b, struct batch_order order, const void *params)
{
    const struct batch_params *p = params;
    queueing_begin(s, &b->queueing, &by_priority, params);
    b->order = order;
    b->period_ns = (int64_t)(p->calc_period_s * NS_IN_S + .5);
    b->period_s = (double)b->period_ns / NS_IN_S;
    b->decay = p->half_life_s > 0 ? pow(fmax(0, 1 - .693 / p->half_life_s), b->period_s) : 1;
    b->origin_ns = sched_now(s);
    const struct site *site = sched_site(s);
    if (order.traits)
        groups_begin(s, b);
    account_add(s, b, NO_ACCOUNT, false, 1);
    b->all_changed = true;
    make_slots(s, b, FIRST_CAPACITY);
    if (site && site->n_associations) {
        for (uint32_t a = 0; a < site->n_associations; a++) {
            const struct association_facts *of = &site->association[a];
            account_add(s, b, of->parent == ID_NONE ? 0 : of->parent + 1, of->user, of->shares);
        }
        return;
    }
    b->leaves = sched_alloc(s, queue_count(s) * sizeof *b->leaves);
    for (queue_id q = 0; q < queue_count(s); q++) {
        b->leaves[q].unknown = NO_ACCOUNT;
        account_add(s, b, of_queue(queue_facts(s, q)->parent), false, queue_facts(s, q)->weight);
    }
}

void batch_arrived(struct sched *s, struct batch *b, job_id j)
{
    struct batch_job *own = job_own(s, j);
    catch_up(s, b);
    own->account = leaf_of(s, b, j);
    rank_one(b, own->account);
    look_at(b, now_s(s, b), (double)sched_capacity(s).gpu_milli);
    own->priority = priority_of(s, b, j);
    queueing_arrived(s, &b->queueing, j);
    if (b->groups)
        groups_come(s, b, j);
}

void batch_started(struct sched *s, struct batch *b, job_id j)
{
    struct batch_job *own = job_own(s, j);
    catch_up(s, b);
    if (b->groups)
        groups_go(s, b, j);
    b->charged = array_grown(sched_alloc, s, b->charged, &b->charged_capacity, b->n_charged,
                             sizeof *b->charged);
    own->at = b->n_charged++;
    b->charged[own->at] =
        (struct charged){ j, (double)job_size(s, j).gpu_milli / MILLI_ALL, now_s(s, b) };
    queueing_started(s, &b->queueing, j);
}

void batch_stopped(struct sched *s, struct batch *b, job_id j)
{
    struct batch_job *own = job_own(s, j);
    catch_up(s, b);
    struct charged *c = &b->charged[own->at];
    charge(s, b, c, c->gpus * (now_s(s, b) - c->since_s));
    *c = b->charged[--b->n_charged];
    ((struct batch_job *)job_own(s, c->job))->at = own->at;
    queueing_stopped(s, &b->queueing, j);
}

void batch_withdrawn(struct sched *s, struct batch *b, job_id j)
{
    groups_go(s, b, j);
}

/* ---- A pass ---- */

static bool any_waits(const struct batch *b)
{
    bool waits = false;
    for (size_t i = 0; i < b->queueing.n_busy && !waits; i++)
        waits = line_length(b->queueing.queue[b->queueing.busy[i]].waiting) > 0;
    return waits;
}

bool batch_catches_up(struct sched *s, struct batch *b)
{
    catch_up(s, b);
    bool due = b->unsorted && any_waits(b);
    if (due)
        settle(s, b);
    b->unsorted = false;
    return due;
}

int64_t batch_next_ns(const struct batch *b)
{
    return b->origin_ns + (b->computed + 1) * b->period_ns;
}

void batch_serve(struct sched *s, struct batch *b)
{
    if (batch_catches_up(s, b))
        groups_anew(s, b);
    queueing_serve(s, &b->queueing);
    if (any_waits(b))
        sched_wake_at(s, batch_next_ns(b));
}
