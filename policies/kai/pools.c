/* pools.c - node pools: a shard of the scheduler for each flavor, and in which of them a job waits.
 *
 * In KAI a node pool is a label of nodes, queues and jobs, and a scheduler of its own sees what has
 * its label (NVIDIA/KAI-Scheduler:pkg/scheduler/conf/scheduler_conf.go, SchedulingNodePoolParams).
 * A job that finds nothing there is marked, with schedulingBackoff 1 after one cycle
 * (pkg/scheduler/cache/status_updater/default_status_updater.go, UnschedulableOnNodePool), and a
 * controller may give it the label of another.
 *
 * Here a job waits in the first pool of its queue's list that may have it. When a pass of that pool
 * has nothing for it, it goes on to the next in the list, round it, that may have something for it:
 *   - it may have the job: flavor_holds(),
 *   - enough GPUs for it are idle or being left there, or it may stop others there: its queue
 *     passes the gate of reclaim, or might with this job pending, or runs jobs of lower priority,
 *   - no job of its queue and shape that is no harder (as many tasks or fewer, preemptible if it
 *     is, no lower priority) waits there in vain, or has left since room came free or a pass there
 *     started or stopped something: it would fare no better.
 * Of a queue's jobs of one shape as many come to a pool in a pass as idle GPUs there would hold,
 * and one more, which may take from others. So what nothing can be done for goes not to and fro:
 * a job that has left a pool comes back only after room came free, or a pass there started or
 * stopped something (q->turns). While neither happens each job leaves each pool once at most, and
 * passes end; what starts and stops without any job advancing ends the run.
 * A job that has started stays in its pool, and waits there when it is evicted. */
#include "policies/kai/jobs/reasons.h"

/* ---- The shards ---- */

static bool has_quotas(struct sched *s)
{
    for (queue_id i = 0; i < queue_count(s); i++)
        if (queue_facts(s, i)->n_flavor_quotas > 0)
            return true;
    return false;
}

static void find_nodes(struct sched *s, struct quota_state *q)
{
    node_id first, end;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    q->has_node = sched_alloc(s, end * sizeof *q->has_node);
    for (node_id n = first; n < end; n++)
        q->has_node[n] = flavor_has_node(s, q->flavor, n);
}

void pools_begin(struct sched *s, const struct quota_params *params, struct quota_pools *pools)
{
    bool flavored = has_quotas(s);
    pools->n = flavored ? flavor_count(s) : 1;
    pools->shard = sched_alloc(s, pools->n * sizeof *pools->shard);
    pools->homeless = line_new(s);
    for (uint32_t p = 0; p < pools->n; p++) {
        struct quota_state *q = &pools->shard[p];
        q->params = params;
        q->pools = pools;
        q->flavor = flavored ? p : ID_NONE;
        q->books = flavored ? queue_in_flavor(s, 0, p) : 0;
        if (flavored)
            find_nodes(s, q);
    }
}

struct quota_state *pool_of(const struct sched *s, struct quota_pools *pools, job_id j)
{
    if (!pools->shard[0].has_node)
        return &pools->shard[0];
    uint32_t flavor = job_flavor(s, j);
    return flavor == ID_NONE ? NULL : &pools->shard[flavor];
}

void pools_refresh(struct sched *s, struct quota_pools *pools)
{
    const queue_id *changed;
    uint32_t n = queue_count(s);
    bool flavored = pools->shard[0].has_node;
    for (size_t i = queue_changes(s, &changed); i-- > 0;) {
        if (!flavored && i > 1) {      /* prefetch: of thousands of queues few are in a near cache */
            __builtin_prefetch(&pools->shard[0].queue[changed[i - 2]]);
            __builtin_prefetch(&pools->shard[0].leaf[changed[i - 2]]);
        }
        if (!flavored || changed[i] >= n)
            quota_refresh_one(s, &pools->shard[flavored ? changed[i] / n - 1 : 0], changed[i] % n);
    }
}

/* ---- Going on to the next pool ---- */

/* A queue with `more` pending above what it has: the division could give it more. */
static bool share_could_grow(const struct quota_queue *i, const struct quota_amount *more)
{
    bool could = false;
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++) {
        struct quota_share with = i->of[r];
        with.request += more->of[r];
        could = could || !quota_same_share(&i->of[r], r, quota_requestable(&i->of[r]),
                                           quota_requestable(&with));
    }
    return could;
}

/* Others run jobs in that pool, and with what it asks for pending it may pass the gate of reclaim
 * there. */
static bool could_reclaim(const struct quota_state *to, queue_id leaf,
                          const struct quota_amount *ask)
{
    if (to->n_running == to->leaf[leaf].candidates.all)
        return false;
    bool could = quota_may_reclaim(&to->queue[leaf], ask, false);
    for (queue_id i = leaf; i != ID_NONE && !could; i = to->queue[i].parent)
        could = share_could_grow(&to->queue[i], ask);
    return could;
}

/* The pool may have something for one of the jobs that wait whole for the shape in that leaf of
 * another pool, the best of them of that priority. Cheap, and false is certain: there are too few
 * GPUs idle or being left, and it may stop nothing. */
static bool could_serve(struct sched *s, struct quota_state *to, queue_id leaf,
                        const struct quota_amount *ask, int32_t priority)
{
    if (ask->of[Q_GPU] == 0 || ask->of[Q_GPU] <= to->free_milli)
        return true;
    if (to->params->reclaim > 0 && could_reclaim(to, leaf, ask))
        return true;
    const struct victim_candidate *worst =
        to->params->preempt > 0 ? leaf_candidate(s, to, &to->leaf[leaf], 0) : NULL;
    return worst && -worst->key.major < priority;
}

/* A job of its leaf and shape that is no harder waits there, and this pass had nothing for it. */
static bool like_waits_there(struct sched *s, const struct quota_state *to,
                             const struct job_facts *f)
{
    job_id first;
    struct line_key key;
    if (!line_first_of(to->leaf[f->queue].waiting, f->ask->shape, &first, &key))
        return false;
    const struct quota_job *own = job_own(s, first);
    const struct job_facts *of = job_facts(s, first);
    return own->whole && own->pass != to->pass && of->min_tasks <= f->min_tasks &&
           !of->preemptible <= !f->preemptible && of->priority >= f->priority;
}

/* At most so many jobs like j would find room on idle GPUs of the pool. */
static uint32_t room_for(struct sched *s, struct quota_state *to, job_id j)
{
    const struct request *ask = quota_ask(s, to, j);
    const struct view *idle = sched_view(s, FREE_IDLE);
    int64_t milli = quota_wanted(s, j, NULL).amount.of[Q_GPU],
            free_milli = max_i64(to->free_milli, 0);
    uint32_t wants = ask->tasks == SPLIT_ANY ? ask->gpus : job_facts(s, j)->min_tasks;
    uint64_t has =
        ask->tasks == SPLIT_ANY ? domain_free_gpus(idle, 0, ask) : domain_fits(idle, 0, ask);
    int64_t room = wants ? (int64_t)(has / wants) : 0;
    if (milli > 0)                 /* shared GPUs are not counted by nodes */
        room = min_i64(room, free_milli / milli);
    return (uint32_t)min_i64(room, UINT32_MAX - 1);
}

/* Where b finds nothing a would find nothing. */
static bool no_easier(const struct left_job *a, const struct left_job *b)
{
    return a->tasks >= b->tasks && a->firm >= b->firm && a->priority <= b->priority;
}

static struct left_job as_left(const struct job_facts *f)
{
    return (struct left_job){ f->min_tasks, f->priority, !f->preemptible };
}

/* One that is no harder has left in vain since something changed there last. */
static bool one_left(const struct quota_state *q, const struct leaf_shape *here,
                     const struct job_facts *f)
{
    struct left_job me = as_left(f);
    for (size_t i = 0; here->more->left_at == q->turns && i < here->more->n_left; i++)
        if (no_easier(&me, &here->more->left[i]))
            return true;
    return false;
}

static void note_left(struct sched *s, const struct quota_state *q, struct leaf_shape *here,
                      const struct job_facts *f)
{
    struct left_job me = as_left(f);
    size_t n = 0;
    for (size_t i = 0; here->more->left_at == q->turns && i < here->more->n_left; i++)
        if (!no_easier(&here->more->left[i], &me))
            here->more->left[n++] = here->more->left[i];
    here->more->left =
        array_grown(sched_alloc, s, here->more->left, &here->more->left_capacity, n, sizeof *here->more->left);
    here->more->left[n] = me;
    here->more->n_left = n + 1;
    here->more->left_at = q->turns;
}

/* As many may come in a pass as idle GPUs would hold, and one more, which may take from others. */
static bool may_come(struct sched *s, struct quota_state *to, struct leaf_shape *there, job_id j)
{
    if (there->more->coming_pass != to->pass)
        there->more->coming = room_for(s, to, j) + 1;
    there->more->coming_pass = to->pass;
    if (there->more->coming == 0)
        return false;
    there->more->coming--;
    return true;
}

static bool may_go(struct sched *s, struct quota_state *to, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    const struct quota_amount ask = quota_wanted(s, j, NULL).amount;
    struct leaf_shape *there = quota_leaf_shape(s, &to->leaf[f->queue], f->ask->shape);
    return flavor_holds(s, to->flavor, j) && could_serve(s, to, f->queue, &ask, f->priority) &&
           !like_waits_there(s, to, f) && !one_left(to, there, f) && may_come(s, to, there, j);
}

/* The next pool in the list of j's queue that may have it, and something for it. NULL: none. */
static struct quota_state *next_pool(struct sched *s, const struct quota_state *from, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    const struct queue_facts *of = queue_facts(s, f->queue);
    uint32_t at = 0;
    while (at < of->n_flavor_quotas && of->flavor_quota[at].flavor != from->flavor)
        at++;
    for (uint32_t i = 1; i < of->n_flavor_quotas; i++) {
        uint32_t flavor = of->flavor_quota[(at + i) % of->n_flavor_quotas].flavor;
        if (flavor != from->flavor && may_go(s, &from->pools->shard[flavor], j))
            return &from->pools->shard[flavor];
    }
    return NULL;
}

static bool go_on(struct sched *s, struct quota_state *from, struct quota_state *to, job_id j)
{
    struct quota_job *own = job_own(s, j);
    quota_leave_waiting(s, from, j);
    bool goes = sched_count_in(s, j, to->flavor) == SCHED_OK;
    if (goes) {
        line_remove(from->awaited, j);
        own->scenario = own->consolidated = 0;
        own->n_found = 0;
        own->pass = from->pass; /* once a pass */
        quota_forget_reason(s, from, j);
        quota_pods_ended(s, from, j);
        quota_joins(s, to, j);
    }
    quota_enter_waiting(s, goes ? to : from, j);
    return goes;
}

/* Some pool may have something for some job of the leaf; of which shapes: `goes`. Cheap, and false
 * is certain. */
static bool some_could_go(struct sched *s, struct quota_state *q, queue_id leaf)
{
    const struct queue_facts *of = queue_facts(s, leaf);
    struct leaf *l = &q->leaf[leaf];
    struct line_key best;
    bool some = false;
    if (!line_first(l->waiting, &(job_id){ 0 }, &best))
        return false;
    for (size_t k = 0; k < l->n_shapes; k++) {
        struct leaf_shape *here = &l->shape[k];
        here->goes = false;
        for (uint32_t i = 0; i < of->n_flavor_quotas && here->waiting && !here->goes; i++) {
            struct quota_state *to = &q->pools->shard[of->flavor_quota[i].flavor];
            here->goes = to != q && could_serve(s, to, leaf, &here->more->ask, (int32_t)-best.major);
        }
        some = some || here->goes;
    }
    return some;
}

static bool leaf_goes_on(struct sched *s, struct quota_state *q, queue_id leaf)
{
    struct leaf *l = &q->leaf[leaf];
    struct line_walk walk = { .l = l->waiting };
    bool any = false;
    if (!some_could_go(s, q, leaf))
        return false;
    for (job_id j; line_next(&walk, &j);) {
        const struct quota_job *own = job_own(s, j);
        const struct job_facts *f = job_facts(s, j);
        if (!own->whole || own->pass == q->pass)
            continue;
        struct leaf_shape *here = quota_leaf_shape(s, l, f->ask->shape);
        struct quota_state *to = here->goes ? next_pool(s, q, j) : NULL;
        if (to && go_on(s, q, to, j)) {
            note_left(s, q, quota_leaf_shape(s, l, f->ask->shape), f);
            any = true;
        } else if (to) {
            continue;
        } else if (!here->goes || (f->preemptible && quota_check(s, q, f->ask->shape)->uniform)) {
            line_skip_shape(&walk, f->ask->shape);
        }
    }
    return any;
}

void pools_move_on(struct sched *s, struct quota_pools *pools)
{
    bool any = false;
    for (uint32_t p = 0; p < pools->n && pools->n > 1; p++)
        for (queue_id i = 0; i < pools->shard[p].n_queues; i++)
            any = leaf_goes_on(s, &pools->shard[p], i) || any;
    if (any)
        sched_wake_at(s, sched_now(s) + 1);
}
