/* drf.c - progressive filling: the queue with the smallest share goes next, until no job fits.
 *
 * drf: a queue's share is that of its dominant resource, max over GPU, CPU and memory of held /
 * capacity (Ghodsi et al., "Dominant resource fairness", NSDI 2011); fair-share: the same on GPUs
 * alone. Divided by the queue's weight; weight 0 comes last. In a tree of queues the rule holds at
 * every level: from the root down, the child with the smallest share. Equal shares: the queue with
 * the older next job. Among the jobs of a queue: arrival order.
 *
 * What a pass has tried of a queue in vain fails again while the queue holds the same and GPUs are
 * too few for its head: until then it is parked, that is, passed over. The turns of the others stay
 * as they are; but not in a tree, where it says when that of its parent is. */
#include "policies/common/lacking.h"
#include "policies/common/queueing.h"
#include "sim/contract/util/heap.h"

#include <math.h>

struct drf_params { double blocking; };
enum { ROOT = 0 };                /* branch[0] is above all queues, branch[q + 1] is queue q */

/* What the last pass that served a queue tried. */
struct tried {
    bool parked;
    bool limited, otherwise;      /* some failed for the limit; for neither that nor too few GPUs */
    job_id head;                  /* it blocks the queue; ID_NONE: none does */
    uint32_t started;
    uint32_t waits;               /* parked: so many jobs are in line */
    struct amount held;           /* parked and limited: by the queue */
};
struct branch {
    struct line *waiting;         /* of a queue without children */
    struct line_walk walk;
    /* before the walk began; ID_NONE: none. Most passes serve no other job */
    job_id first;
    uint32_t given;               /* jobs that this pass has come to */
    bool listed;
    job_id blocked;               /* the last head that did not fit; ID_NONE */
    /* the first job below it that this pass has still to serve; ID_NONE */
    job_id next;
    double share;
    uint32_t up, at;              /* at: its place in up's heap; ID_NONE: not in */
    uint32_t *heap;               /* children that have a next job, the least share first */
    uint32_t n;
    struct tried tried;           /* of a queue without children */
};
struct drf {
    struct branch *branch;
    uint32_t *busy;               /* [n_busy] queues in which jobs may wait */
    uint32_t n_busy;
    struct amount capacity;
    bool gpus_alone;
    struct lacking lacking;
};

/* ---- Shares ---- */

static double part(int64_t held, int64_t capacity, double weight)
{
    return capacity > 0 ? (double)held / ((double)capacity * weight) : 0;
}

static double share_of(const struct sched *s, const struct drf *d, queue_id q)
{
    struct amount held = queue_held(s, q);
    double weight = queue_facts(s, q)->weight,
           share = part(held.gpu_milli, d->capacity.gpu_milli, weight);
    if (weight <= 0)
        return (double)INFINITY;
    if (d->gpus_alone)
        return share;
    share = fmax(share, part(held.cpu_milli, d->capacity.cpu_milli, weight));
    return fmax(share, part(held.mem_mib, d->capacity.mem_mib, weight));
}

/* ---- Heaps: each branch of those below it ---- */

static bool goes_before(const struct drf *d, const uint32_t *left, const uint32_t *right)
{
    const struct branch *a = &d->branch[*left], *b = &d->branch[*right];
    /* ids ascend in the order of submission */
    return a->share != b->share ? a->share < b->share : a->next < b->next;
}

static void placed(struct drf *d, const uint32_t *branch, size_t at)
{
    d->branch[*branch].at = (uint32_t)at;
}

HEAP_DEFINE(branches, uint32_t, struct drf, goes_before, placed);

/* What branch i holds or serves next has changed, and so for all above it. */
static void refresh(struct sched *s, struct drf *d, uint32_t i)
{
    for (; i != ROOT; i = d->branch[i].up) {
        struct branch *b = &d->branch[i], *up = &d->branch[b->up];
        if (!b->waiting)
            b->next = b->n ? d->branch[b->heap[0]].next : ID_NONE;
        b->share = share_of(s, d, i - 1);
        if (b->next == ID_NONE) {
            if (b->at != ID_NONE)
                branches_remove(d, up->heap, up->n--, b->at);
            b->at = ID_NONE;
            continue;
        }
        if (b->at == ID_NONE)
            branches_push(d, up->heap, up->n++, i);
        else
            branches_fix(d, up->heap, up->n, b->at);
    }
}

/* ---- Queues of which all fails again ---- */

/* Queue i is done for this pass. Of one in a tree another may hold what its limit counts. */
static void park(struct sched *s, struct branch *b, uint32_t i)
{
    struct tried *t = &b->tried;
    /* those that have started leave the line by a notice */
    t->waits = (uint32_t)line_length(b->waiting) - t->started;
    t->parked = t->waits && b->up == ROOT && !t->otherwise && !queue_quota_version(s) &&
                !sched_has_outages(s);
    if (t->limited)
        t->held = queue_held(s, i - 1);
}

static bool same_amount(struct amount a, struct amount b)
{
    return a.gpu_milli == b.gpu_milli && a.cpu_milli == b.cpu_milli && a.mem_mib == b.mem_mib;
}

static bool stays_parked(struct sched *s, struct drf *d, uint32_t i)
{
    const struct branch *b = &d->branch[i];
    const struct tried *t = &b->tried;
    return t->parked && t->waits == line_length(b->waiting) &&
           (!t->limited || same_amount(t->held, queue_held(s, i - 1))) &&
           (t->head == ID_NONE || lacking_shape(s, &d->lacking, job_facts(s, t->head)->ask));
}

/* No pass would come to j, which arrives at a parked queue: it is behind the head or, without one,
 * behind a job of its shape. */
static bool is_behind(struct sched *s, const struct branch *b, job_id j, struct line_key key)
{
    job_id before = b->tried.head;
    struct line_key its;
    if (before != ID_NONE)
        its = key_submit(s, before, NULL);
    else if (!line_first_of(b->waiting, job_facts(s, j)->ask->shape, &before, &its))
        return false;
    return line_key_before(its, before, key, j);
}

/* ---- A pass ---- */

static void next_job(struct sched *s, struct branch *b)
{
    do {
        if (b->given == line_length(b->waiting) || !line_next(&b->walk, &b->next)) {
            b->next = ID_NONE;
            return;
        }
    } while (job_state(s, b->next) != JOB_PENDING || b->next == b->first);
    b->given++;
}

static void first_job(struct sched *s, struct branch *b)
{
    b->tried = (struct tried){ .head = ID_NONE };
    b->walk = (struct line_walk){ .l = b->waiting };
    b->first = ID_NONE;
    b->given = 0;
    if (line_first(b->waiting, &b->next, NULL) && job_state(s, b->next) == JOB_PENDING) {
        b->first = b->next;
        b->given = 1;
    } else {
        next_job(s, b);
    }
}

static void block_head(struct sched *s, struct branch *b, enum wait_reason why)
{
    if (b->blocked != b->next && b->blocked != ID_NONE)
        sched_blocked(s, b->blocked, WAIT_GROUP);
    b->blocked = b->next;
    sched_blocked(s, b->next, why);
}

static void pass_over(struct sched *s, struct branch *b, shape_id shape, enum wait_reason why)
{
    if (why == WAIT_LIMIT)
        b->tried.limited = true;
    else
        b->tried.otherwise = true;
    sched_blocked(s, b->next, WAIT_GROUP);
    line_blocked(s, b->waiting, shape, why);
    /* a job that asks for the same fails the same */
    line_skip_shape(&b->walk, shape);
    next_job(s, b);
}

static void serve(struct sched *s, struct branch *b, bool skip)
{
    struct request r = job_request(s, b->next);
    const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &r);
    if (where && sched_start(s, b->next, where) == SCHED_OK) {
        b->tried.started++;
        next_job(s, b);
    } else if (skip || sched_why_not(s) == WAIT_LIMIT) {
        pass_over(s, b, r.shape, sched_why_not(s));
    } else {
        b->tried.head = b->next;
        b->tried.otherwise |= sched_why_not(s) != WAIT_GPUS;
        block_head(s, b, sched_why_not(s));
        b->next = ID_NONE;
    }
}

/* Queues in which no job waits any more leave the list. */
static void begin_walks(struct sched *s, struct drf *d)
{
    uint32_t still = 0;
    for (uint32_t i = 0; i < d->n_busy; i++) {
        struct branch *b = &d->branch[d->busy[i]];
        if (!(b->listed = line_length(b->waiting) > 0))
            continue;
        d->busy[still++] = d->busy[i];
        if (stays_parked(s, d, d->busy[i]))
            continue;
        first_job(s, b);
        refresh(s, d, d->busy[i]);
    }
    d->n_busy = still;
}

static void drf_schedule(struct sched *s, const void *params, void *state)
{
    struct drf *d = state;
    bool skip = ((const struct drf_params *)params)->blocking > 0;
    d->capacity = sched_capacity(s);
    lacking_begin(&d->lacking);
    begin_walks(s, d);
    while (d->branch[ROOT].n) {
        uint32_t i = d->branch[ROOT].heap[0];
        while (!d->branch[i].waiting)
            i = d->branch[i].heap[0];
        serve(s, &d->branch[i], skip);
        if (d->branch[i].next == ID_NONE)
            park(s, &d->branch[i], i);
        refresh(s, d, i);
    }
}

/* ---- Notices ---- */

static void begin(struct sched *s, struct drf *d, bool gpus_alone)
{
    uint32_t n = queue_count(s) + 1;
    d->gpus_alone = gpus_alone;
    d->branch = sched_alloc(s, n * sizeof *d->branch);
    d->busy = sched_alloc(s, n * sizeof *d->busy);
    for (uint32_t i = 0; i < n; i++) {
        struct branch *b = &d->branch[i];
        const struct queue_facts *f = i == ROOT ? NULL : queue_facts(s, i - 1);
        *b = (struct branch){ .blocked = ID_NONE, .next = ID_NONE, .at = ID_NONE };
        b->up = !f || f->parent == ID_NONE ? ROOT : f->parent + 1;
        b->waiting = f && f->first_child == ID_NONE ? line_new(s) : NULL;
        /* the children, for the size of the heap */
        d->branch[b->up].n += i != ROOT;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct branch *b = &d->branch[i];
        b->heap = sched_alloc(s, (b->n + 1) * sizeof *b->heap);
        b->n = 0;
    }
}

static void drf_begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    begin(s, state, false);
}

static void fair_share_begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    begin(s, state, true);
}

static void drf_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct drf *d = state;
    uint32_t i = job_facts(s, j)->queue + 1;
    struct branch *b = &d->branch[i];
    struct line_key key = key_submit(s, j, params);
    b->tried.parked = b->tried.parked && is_behind(s, b, j, key);
    b->tried.waits++;
    line_push(b->waiting, j, key);
    if (!b->listed) {
        b->listed = true;
        d->busy[d->n_busy++] = i;
    }
}

static void drf_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    line_remove(((struct drf *)state)->branch[job_facts(s, j)->queue + 1].waiting, j);
}

static const struct param drf_param_list[] = {
    { "blocking", "strict: the first that does not fit blocks its queue; skip: it is passed over",
      "", 0, 0, BLOCKING_STRICT, queueing_blockings, offsetof(struct drf_params, blocking) },
    { 0 },
};

const struct policy drf_policy = {
    .abi = POLICY_ABI,
    .name = "drf",
    .reads = READS_WEIGHTS,
    .summary = "dominant resource fairness: the queue with the smallest weighted share of GPU, CPU "
               "or memory first",
    .params = drf_param_list,
    .params_size = sizeof(struct drf_params),
    .state_size = sizeof(struct drf),
    .begin = drf_begin,
    .schedule = drf_schedule,
    .job_arrived = drf_arrived,
    .job_started = drf_started,
};

const struct policy fair_share_policy = {
    .abi = POLICY_ABI,
    .name = "fair-share",
    .reads = READS_WEIGHTS,
    .summary = "the queue with the smallest weighted share of the GPUs first",
    .params = drf_param_list,
    .params_size = sizeof(struct drf_params),
    .state_size = sizeof(struct drf),
    .begin = fair_share_begin,
    .schedule = drf_schedule,
    .job_arrived = drf_arrived,
    .job_started = drf_started,
};
