/* pools.c - node pools: a shard of the scheduler for each flavor, and in which of them a job waits.
 *
 * In KAI a node pool is a label of nodes, queues and jobs, and a scheduler of its own sees what has
 * its label (NVIDIA/KAI-Scheduler:pkg/scheduler/conf/scheduler_conf.go, SchedulingNodePoolParams).
 * A job that finds nothing there is marked, with schedulingBackoff 1 after one cycle
 * (pkg/scheduler/cache/status_updater/default_status_updater.go, UnschedulableOnNodePool), and a
 * controller may give it the label of another.
 *
 * Here a job waits in the first pool of its queue's list that may have it. When a pass of that pool
 * has nothing for it, it goes on to the next that may. Of a queue's jobs of one shape the first go:
 * as many as idle GPUs of the next pool would hold, and one more, which may reclaim there. No other
 * job that is no easier (as many tasks or more, preemptible or not, of no higher priority) follows
 * from that pool until room comes free anywhere: it would fare no better. Until then a job goes
 * round the list once at most. A job that has started stays in its pool, and waits there when it is
 * evicted. */
#include "policies/kai/quota.h"

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
    for (size_t i = queue_changes(s, &changed); i-- > 0;) {
        bool flavored = pools->shard[0].has_node;
        if (!flavored || changed[i] >= n)
            quota_refresh_one(s, &pools->shard[flavored ? changed[i] / n - 1 : 0], changed[i] % n);
    }
}

/* ---- Going on to the next pool ---- */

/* The one after `from` in the list of j's queue that may have j; `from` again: no other may. */
static uint32_t next_pool(const struct sched *s, job_id j, uint32_t from)
{
    const struct job_facts *f = job_facts(s, j);
    const struct queue_facts *of = queue_facts(s, f->queue);
    uint32_t at = 0;
    while (at < of->n_flavor_quotas && of->flavor_quota[at].flavor != from)
        at++;
    for (uint32_t i = 1; i < of->n_flavor_quotas; i++) {
        uint32_t flavor = of->flavor_quota[(at + i) % of->n_flavor_quotas].flavor;
        if (flavor != from && flavor_holds(s, flavor, j))
            return flavor;
    }
    return from;
}

/* Jobs like j that idle GPUs of the pool would hold. */
static uint32_t room_for(struct sched *s, struct quota_state *to, job_id j)
{
    const struct request *ask = quota_ask(s, to, j);
    const struct view *idle = sched_view(s, FREE_IDLE);
    uint32_t wants = ask->tasks == SPLIT_ANY ? ask->gpus : job_facts(s, j)->min_tasks;
    uint64_t has =
        ask->tasks == SPLIT_ANY ? domain_free_gpus(idle, 0, ask) : domain_fits(idle, 0, ask);
    return wants ? (uint32_t)(has / wants) : 0;
}

/* A job that is no easier has gone on from here since room came free last. */
static bool one_has_gone(const struct sched *s, const struct leaf_shape *here,
                         const struct job_facts *f)
{
    return here->gone_room == sched_room_version(s) && f->min_tasks >= here->gone_tasks &&
           !f->preemptible >= here->gone_firm && f->priority <= here->gone_priority;
}

/* It has been in each pool of the list, and is back, since room came free last. */
static bool went_round(struct sched *s, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    return own->gone_room == sched_room_version(s) &&
           own->gone >= queue_facts(s, job_facts(s, j)->queue)->n_flavor_quotas;
}

static bool go_on(struct sched *s, struct quota_state *from, struct quota_state *to, job_id j)
{
    struct quota_job *own = job_own(s, j);
    quota_leave_waiting(s, from, j);
    bool goes = sched_count_in(s, j, to->flavor) == SCHED_OK;
    if (goes) {
        line_remove(from->awaited, j);
        quota_pods_ended(s, from, j);
        quota_meets(s, to, j);
        quota_pods_arrived(s, to, j);
        own->scenario = own->consolidated = 0;
        own->n_found = 0;
        own->pass = from->pass; /* once a pass */
        own->gone = own->gone_room == sched_room_version(s) ? own->gone + 1 : 1;
        own->gone_room = sched_room_version(s);
        quota_forget_reason(s, j);
    }
    quota_enter_waiting(s, goes ? to : from, j);
    return goes;
}

/* One that waits whole in the leaf, and those like it. */
static bool some_go_on(struct sched *s, struct quota_state *q, struct leaf *l, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    struct leaf_shape *here = quota_leaf_shape(s, l, f->ask->shape);
    uint32_t next = next_pool(s, j, q->flavor);
    if (next == q->flavor || went_round(s, j))
        return false;
    if (one_has_gone(s, here, f) && here->going == 0)
        return false;
    struct quota_state *to = &q->pools->shard[next];
    if (!one_has_gone(s, here, f)) {
        here->gone_room = sched_room_version(s);
        here->gone_tasks = f->min_tasks;
        here->gone_firm = !f->preemptible;
        here->gone_priority = f->priority;
        here->going = room_for(s, to, j) + 1;
    }
    here->going--;
    return go_on(s, q, to, j);
}

static bool leaf_goes_on(struct sched *s, struct quota_state *q, struct leaf *l)
{
    struct line_walk walk = { .l = l->waiting };
    bool any = false;
    for (job_id j; line_next(&walk, &j);) {
        const struct quota_job *own = job_own(s, j);
        const struct job_facts *f = job_facts(s, j);
        if (!own->whole || own->pass == q->pass)
            continue;
        if (some_go_on(s, q, l, j))
            any = true;
        else if (f->preemptible && quota_may_skip(s, q, l, f->ask->shape))
            line_skip_shape(&walk, f->ask->shape);
    }
    for (size_t k = 0; k < l->n_shapes; k++)
        l->shape[k].going = 0;
    return any;
}

void pools_move_on(struct sched *s, struct quota_pools *pools)
{
    bool any = false;
    for (uint32_t p = 0; p < pools->n && pools->n > 1; p++)
        for (queue_id i = 0; i < pools->shard[p].n_queues; i++)
            if (line_length(pools->shard[p].leaf[i].waiting) > 0)
                any = leaf_goes_on(s, &pools->shard[p], &pools->shard[p].leaf[i]) || any;
    if (any)
        sched_wake_at(s, sched_now(s) + 1);
}
