/* quota.c - guaranteed quota: every queue may go over its share while others are idle, and gives
 * GPUs back when they return.
 *
 * The table, the parameters and the notices; see quota.h. After NVIDIA/KAI-Scheduler and its
 * documentation (docs/{fairness,priority}/README.md, docs/plugins/minruntime.md). Jobs belong in
 * the leaves of the tree. */
#include "policies/kai/jobs/reasons.h"
#include "policies/common/queueing.h"

#include <string.h>

static bool bounds(const struct amount *limit)
{
    return limit->gpu_milli >= 0 || limit->cpu_milli >= 0 || limit->mem_mib >= 0;
}

/* At some time. */
static bool has_limit(const struct queue_facts *f)
{
    bool has = bounds(&f->quota.limit);
    for (uint32_t i = 0; i < f->n_windows; i++)
        has = has || bounds(&f->window[i].quota.limit);
    return has;
}

static void begin_shard(struct sched *s, struct quota_state *q)
{
    quota_tree_begin(s, q);
    q->leaf = sched_alloc(s, q->n_queues * sizeof *q->leaf);
    for (queue_id i = 0; i < q->n_queues; i++)
        q->leaf[i] = (struct leaf){ .waiting = line_new(s),
                                    .candidates = { .read = leaf_candidate_of },
                                    .min_gpu_milli = INT64_MAX,
                                    .stood = 1,
                                    .fair = { { -1, -1, -1 } } };
    for (queue_id i = 0; i < q->n_queues; i++)
        for (queue_id up = i; up != ID_NONE; up = q->queue[up].parent)
            for (int r = 0; r < Q_RESOURCES; r++)
                q->leaf[i].limited = q->leaf[i].limited || has_limit(queue_facts(s, up)) ||
                                     q->queue[up].of[r].limit != UNLIMITED;
    for (queue_id i = 0; i < q->n_queues; i++)
        q->budgets = q->budgets || queue_facts(s, i)->budget_gpu_milli_s > 0;
    q->grows_by_nodes = sched_has_pools(s);
    q->ends = 1;
    q->min_priority = INT32_MAX;
    q->max_priority = INT32_MIN;
    q->broken = line_new(s);
    q->misplaced = line_new(s);
    q->unheeded = line_new(s);
    q->owed = line_new(s);
    q->awaited = line_new(s);
}

static void quota_begin(struct sched *s, const void *params, void *state)
{
    struct quota_pools *pools = state;
    pools_begin(s, params, pools);
    for (uint32_t p = 0; p < pools->n; p++)
        begin_shard(s, &pools->shard[p]);
    const struct quota_params *given = params;
    if (given->half_life_h > 0)
        queue_usage_decays(s, (int64_t)(given->half_life_h * 3600e9));
}

/* A queue that has spent its budget starts nothing until the next month. */
static void check_budgets(struct sched *s, struct quota_state *q)
{
    bool waits = false;
    for (queue_id i = 0; i < q->n_queues; i++) {
        struct leaf *l = &q->leaf[i];
        queue_id up = q->queue[i].parent;
        bool was = l->spent;
        /* parents come first */
        l->spent = queue_budget_spent(s, i) || (up != ID_NONE && q->leaf[up].spent);
        l->report_due = l->report_due || l->spent != was;
        if (l->report_due)
            bitset_put(&q->leaves, q->unreported, i, true);
        waits = waits || (l->spent && line_length(l->waiting) > 0);
    }
    if (waits)
        sched_wake_at(s, sched_month_end_ns(s));
}

/* What was released may help every job; so may what the last pass placed tentatively only. */
static void pass_begins(struct sched *s, struct quota_state *q)
{
    promises_end(s, q);
    quota_pass_begins(q);
    q->divided = false;
    if (q->tentative || q->seen_version != sched_room_version(s))
        q->version++;
    q->turns += q->changed || q->seen_version != sched_room_version(s);
    q->seen_version = sched_room_version(s);
    q->tentative = q->changed = false;
    if (q->quota_version != queue_quota_version(s))
        quota_quotas_changed(s, q);
    q->quota_version = queue_quota_version(s);
    if (q->budgets)
        check_budgets(s, q);
    quota_pods_begin(s, q);
}

static void refuse_misplaced(struct sched *s, struct quota_state *q)
{
    for (job_id j; line_first(q->misplaced, &j, NULL);) {
        line_remove(q->misplaced, j);
        sched_refuse(s, j, "its queue has queues below it: jobs belong in the leaves");
    }
    for (job_id j; line_first(q->unheeded, &j, NULL);) {
        line_remove(q->unheeded, j);
        sched_refuse(s, j,
                     "pod_affinity and pod_anti_affinity need tasks, placer pack or spread, "
                     "no power caps");
    }
}

static void refuse_homeless(struct sched *s, struct quota_pools *pools)
{
    for (job_id j; line_first(pools->homeless, &j, NULL);) {
        line_remove(pools->homeless, j);
        sched_refuse(s, j,
                     "no flavor that its queue has a quota of has enough nodes that it may use");
    }
}

static void session_begins(struct sched *s, struct quota_state *q)
{
    pass_begins(s, q);
    refuse_misplaced(s, q);
    if (q->params->allocate > 0)
        quota_serve_awaited(s, q);
    quota_keep_promises(s, q);
}

/* The actions in one pool. */
static void session(struct sched *s, struct quota_state *q)
{
    const struct quota_params *p = q->params;
    if (p->allocate > 0)
        quota_allocate(s, q);
    if (p->consolidation > 0)
        quota_act(s, q, CONSOLIDATION);
    if (p->reclaim > 0)
        quota_act(s, q, RECLAIM);
    if (p->preempt > 0)
        quota_act(s, q, PREEMPT);
    if (p->stale > 0 && p->stale_s >= 0)
        quota_evict_stale(s, q);
    if (p->half_life_h > 0)
        quota_wake_at_flip(s, q);
    reasons_report(s, q);
}

static void quota_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct quota_pools *pools = state;
    pools_refresh(s, pools);
    refuse_homeless(s, pools);
    for (uint32_t p = 0; p < pools->n; p++)
        session_begins(s, &pools->shard[p]);
    for (uint32_t p = 0; p < pools->n; p++)
        session(s, &pools->shard[p]);
    pools_move_on(s, pools);
}

static void enter(struct sched *s, struct quota_state *q, job_id j)
{
    quota_joins(s, q, j);
    quota_enter_waiting(s, q, j);
    if (job_promised(s, j))
        line_push(q->owed, j, (struct line_key){ .time_ns = q->n_awaited++ });
}

static void quota_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct quota_pools *pools = state;
    struct quota_state *q = pool_of(s, pools, j);
    if (!q) {
        line_push(pools->homeless, j, (struct line_key){ 0 });
        return;
    }
    const struct job_facts *f = job_facts(s, j);
    leaf_fetch(&q->leaf[f->queue]);
    if (q->queue[f->queue].first_child != ID_NONE)
        line_push(q->misplaced, j, (struct line_key){ 0 });
    else if (quota_pods_say(s, j, false) && !quota_chooses(s, q, j))
        line_push(q->unheeded, j, (struct line_key){ 0 });
    else
        enter(s, q, j);
}

static void quota_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct quota_state *q = pool_of(s, state, j);
    if (quota_lacks_tasks(s, j))
        quota_enter_waiting(s, q, j);
    else
        quota_leave_waiting(s, q, j);
    quota_enter_running(s, q, j);
    quota_leave_broken(s, q, j);
    ((struct quota_job *)job_own(s, j))->moved = false;
}

static void quota_stopped(struct sched *s, const void *params, void *state, job_id j,
                          enum stop_cause why)
{
    (void)params;
    struct quota_pools *pools = state;
    struct quota_state *q = pool_of(s, pools, j);
    if (!q) {
        line_remove(pools->homeless, j);
        return;
    }
    leaf_fetch(&q->leaf[job_facts(s, j)->queue]);
    if (stopped_for_good(why)) {
        line_remove(q->awaited, j);
        line_remove(q->unheeded, j);
        line_remove(q->owed, j);
        quota_pods_ended(s, q, j);
    }
    q->ends += stopped_for_good(why);
    quota_leave_running(s, q, j);
    quota_leave_waiting(s, q, j);
    quota_leave_broken(s, q, j);
}

static void quota_withdrawn(struct sched *s, const void *params, void *state, job_id j)
{
    quota_stopped(s, params, state, j, STOPPED_CANCELLED);
}

static void quota_node_changed(struct sched *s, const void *params, void *state, node_id n)
{
    (void)params;
    struct quota_pools *pools = state;
    for (uint32_t p = 0; p < pools->n; p++)
        if (!pools->shard[p].has_node || pools->shard[p].has_node[n])
            quota_capacity_changed(s, &pools->shard[p]);
}

static unsigned quota_reads(const void *params)
{
    return ((const struct quota_params *)params)->pod_affinity > 0 ? READS_PREFERENCES : 0;
}

static const char *const runtimes[] = { "ancestor", "queue", NULL };
#define SWITCH(field, about)                                                                       \
    {                                                                                              \
#field, about, "", 0, 0, 1, param_no_yes, offsetof(struct quota_params, field)             \
    }
#define NUMBER(field, about, unit, least, most, usual)                                             \
    { #field, about, unit, least, most, usual, NULL, offsetof(struct quota_params, field) }
static const struct param quota_param_list[] = {
    NUMBER(allocate, "0: idle GPUs are not given out; to look at one action alone", "", 0, 1, 1),
    SWITCH(consolidation, "the action: preemptible jobs are moved to make room"),
    SWITCH(reclaim, "the action: queues within their fair share take back from others"),
    SWITCH(preempt, "the action: higher priority stops lower priority of the same queue"),
    SWITCH(stale, "the action: gangs that have been incomplete for stale_s give up all they hold"),
    NUMBER(stale_s, "how long a gang may be incomplete; negative: for ever", "s", -1, 1e9, 60),
    SWITCH(moves, "victims of reclaim that find another place do not count as taken"),
    NUMBER(consolidation_victims, "jobs that one consolidation may look at; negative: any number",
           "", -1, 1e6, 16),
    NUMBER(victims, "jobs that one reclaim or preemption may look at", "", 1, 1e6, 10000),
    { "min_runtime_of",
      "where reclaim_min_runtime_s is looked up: from below the common ancestor up, or the "
      "victim's queue up",
      "", 0, 0, RUNTIME_OF_ANCESTOR, runtimes, offsetof(struct quota_params, min_runtime_of) },
    NUMBER(saturation, "the taker's share of its fair share times this stays below the victim's",
           "", 1, 1e6, 1),
    NUMBER(k, "how much past use counts in the division of what is over quota", "", 0, 1e6, 1),
    NUMBER(half_life_h, "past use counts half after so long; 0: use does not count", "h", 0, 1e6,
           0),
    { "pod_affinity", "preferred terms of pod_affinity and pod_anti_affinity rank nodes", "", 0, 0,
      0, param_no_yes, offsetof(struct quota_params, pod_affinity) },
    { 0 },
};

const struct policy quota_policy = {
    .abi = POLICY_ABI,
    .name = "quota",
    .reads = READS_QUOTAS | READS_WEIGHTS | READS_FLAVORS | READS_PODS | READS_PROMISES,
    .summary = "guaranteed quota: over it while others are idle, given back when they return",
    .needs = SEES_RELEASING | STARTS_PARTIAL | TESTS_LIMITS | PLACES_GROUPS,
    .also_reads = quota_reads,
    .params = quota_param_list,
    .params_size = sizeof(struct quota_params),
    .state_size = sizeof(struct quota_pools),
    .job_size = sizeof(struct quota_job),
    .period_ns = 1000000000,
    .begin = quota_begin,
    .schedule = quota_schedule,
    .job_arrived = quota_arrived,
    .job_started = quota_started,
    .job_stopped = quota_stopped,
    .job_withdrawn = quota_withdrawn,
    .node_changed = quota_node_changed,
};
