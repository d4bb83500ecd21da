/* slurm.c - policy `slurm`: when its passes are made, and its table. The model: slurm.h.
 *
 * Main passes: at the first whole second after a change, no two in one second, and after
 * submissions alone not sooner than batch_sched_delay after the last; a pass that follows the last
 * full one by sched_interval tests all entries, others default_queue_depth. A node that comes or
 * goes makes no main pass before that: resumed nodes were met by backfill first in every recording
 * (tests/conformance/slurm). Backfill: after a change, not sooner than bf_interval after the last cycle, and after the main pass of that second
 * (src/slurmctld/job_scheduler.c, _sched_agent; src/plugins/sched/backfill/backfill.c). */
#include "policies/slurm/slurm.h"
#include "sim/contract/util/minmax.h"

#include <math.h>
#include <string.h>

#define NS_IN_S INT64_C(1000000000)

/* ---- What the cluster is ---- */

static void one_partition(struct sched *s, struct slurm *m)
{
    struct partition_facts *all = sched_alloc(s, sizeof *all);
    uint64_t *nodes = sched_alloc(s, m->words * sizeof *nodes);
    for (node_id n = 0; n < m->n_nodes; n++)
        set_add(nodes, n);
    *all = (struct partition_facts){
        .name = "all", .nodes = nodes, .usual = true, .tier = 1, .factor = 1, .max_time_ns = TIME_NEVER,
        .default_time_ns = TIME_NEVER, .max_nodes = UNLIMITED, .qos = ID_NONE };
    m->partition = all;
    m->n_partitions = 1;
}

static void sum_up(struct sched *s, struct slurm *m)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    m->partition_gpus = sched_alloc(s, m->n_partitions * sizeof *m->partition_gpus);
    for (node_id n = 0; n < m->n_nodes; n++) {
        struct amount size = view_node_size(v, n);
        m->all_cpus += size.cpu_milli == INT64_MAX ? (double)size.gpu_milli / MILLI_ALL
                                                   : (double)size.cpu_milli / 1000;
        for (uint32_t p = 0; p < m->n_partitions; p++)
            if (set_has(m->partition[p].nodes, n))
                m->partition_gpus[p] += size.gpu_milli / MILLI_ALL;
    }
    for (uint32_t p = 0; p < m->n_partitions; p++)
        m->top_factor = fmax(m->top_factor, m->partition[p].factor);
    for (uint32_t q = 0; m->site && q < m->site->n_qos; q++)
        m->top_qos = fmax(m->top_qos, m->site->qos[q].priority);
    for (uint32_t a = 0; m->site && a < m->site->n_associations; a++)
        m->top_association = fmax(m->top_association, m->site->association[a].priority);
}

static void slurm_begin(struct sched *s, const void *params, void *state)
{
    struct slurm *m = state;
    node_id first, end;
    const struct slurm_params *p = params;
    bool ranks = (int)p->priority != PRIORITY_BASIC && p->w_fairshare > 0;
    batch_begin(s, &m->batch, (struct batch_order){ slurm_priority, ranks ? fair_tree_factors : NULL, NULL, NULL, NULL }, params);
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    m->params = p;
    m->site = sched_site(s);
    m->n_nodes = end;
    m->words = end / 64 + 1;
    slurm_room_begin(s, m);
    m->completing = sched_alloc(s, m->words * sizeof *m->completing);
    m->main_s = m->full_s = m->backfill_s = INT64_MIN / 2;
    m->eligible_ns = TIME_NEVER;
    m->front = (size_t)m->params->bf_max_job_test;
    m->limits_gpus = slurm_limits_gpus(s, m->site);
    if (m->site && m->site->n_partitions) {
        m->partition = m->site->partition;
        m->n_partitions = m->site->n_partitions;
    } else {
        one_partition(s, m);
    }
    m->waiting = sched_alloc(s, m->n_partitions * sizeof *m->waiting);
    m->kinds_of = sched_alloc(s, m->n_partitions * sizeof *m->kinds_of);
    sum_up(s, m);
}

/* ---- Notices ---- */

static void changed(struct slurm *m, bool submission)
{
    m->only_submits = submission && (m->only_submits || !m->main_due);
    m->main_due = m->full_due = m->backfill_due = true;
}

static void slurm_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    const struct slurm_params *p = params;
    struct slurm_job *own = job_own(s, j);
    int64_t again_ns = sched_now(s) + (int64_t)(p->requeue_delay_s * (double)NS_IN_S);
    own->submit_ns = own->known ? sched_now(s) : job_facts(s, j)->submit_ns;
    own->eligible_ns = own->known ? again_ns : sched_now(s);
    own->known = true;
    batch_arrived(s, state, j);
    slurm_comes(s, state, j);
    changed(state, true);
}

static void slurm_started(struct sched *s, const void *params, void *state, job_id j)
{
    struct slurm *m = state;
    struct slurm_job *own = job_own(s, j);
    (void)params;
    if (!own->limit_s) {          /* it ran before the trace begins */
        own->start_ns = job_last_start_ns(s, j);
        own->limit_s = slurm_limit_s(s, m, j, own->partition) + (sched_now(s) - own->start_ns) / NS_IN_S;
    }
    batch_started(s, &m->batch, j);
    slurm_goes(s, m, j);
}

static void slurm_withdrawn(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    slurm_goes(s, state, j);
}

static void slurm_stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)
{
    struct slurm *m = state;
    (void)params;
    (void)why;
    ((struct slurm_job *)job_own(s, j))->killed_ns = 0;
    batch_stopped(s, &m->batch, j);
    changed(m, false);
}

static void slurm_node(struct sched *s, const void *params, void *state, node_id n)
{
    (void)s;
    (void)params;
    (void)n;
    struct slurm *m = state;
    m->full_due = m->backfill_due = m->node_came = true;
}

/* ---- Passes ---- */

static void wake_at_second(struct sched *s, int64_t at_s)
{
    if (at_s * NS_IN_S > sched_now(s))
        sched_wake_at(s, at_s * NS_IN_S);
}

/* What is free; nothing has started yet. */
static void look(struct sched *s, struct slurm *m)
{
    slurm_room(s, m);
    if (m->completing_s != m->now_s)
        memset(m->completing, 0, m->words * sizeof *m->completing);
    m->n_started = 0;
}

static int64_t main_due_s(const struct slurm *m)
{
    return m->main_s + max_i64(1, m->only_submits ? (int64_t)m->params->batch_sched_delay : 1);
}

static int64_t full_due_s(const struct slurm *m)
{
    return m->full_s + (int64_t)m->params->sched_interval;
}

static bool backfills(const struct slurm *m)
{
    return (int)m->params->scheduler == SCHEDULER_BACKFILL;
}

static int64_t backfill_due_s(const struct slurm *m)
{
    return m->backfill_s + (int64_t)m->params->bf_interval;
}

/* A node that came is met once both schedulers have looked at all entries; jobs that are not
 * eligible yet have none, and a second after the first of them is both are due. */
static void defer(struct sched *s, const struct slurm *m, int64_t from_s)
{
    bool later = m->n_entries == 0 && m->eligible_ns != TIME_NEVER;
    int64_t last_s = later ? max_i64(from_s, m->eligible_ns / NS_IN_S + 1) : from_s;
    if ((m->backfill_due || later) && backfills(m))
        last_s = max_i64(last_s, backfill_due_s(m));
    if (m->full_due || later)
        last_s = max_i64(last_s, full_due_s(m));
    if (last_s * NS_IN_S > sched_now(s))
        sched_defer(s, last_s * NS_IN_S);
}

static void pass(struct sched *s, struct slurm *m)
{
    bool full = m->full_due && full_due_s(m) <= m->now_s;
    bool runs_main = full || (m->main_due && main_due_s(m) <= m->now_s),
         runs_backfill = backfills(m) && m->backfill_due && backfill_due_s(m) <= m->now_s,
         stops = (int)m->params->preempt != PREEMPT_NONE;
    if (runs_main || runs_backfill || stops)
        look(s, m);
    if (stops)
        slurm_kill(s, m);
    if (runs_main) {
        m->main_s = m->now_s;
        m->main_due = m->only_submits = false;
        m->full_due &= !full;
        m->full_s = full ? m->now_s : m->full_s;
        slurm_main(s, m, full);
    }
    if (runs_backfill) {
        m->backfill_s = m->now_s;
        m->backfill_due = false;
        slurm_backfill(s, m);
    }
    if (m->main_due)
        wake_at_second(s, main_due_s(m));
    if (backfills(m) && m->backfill_due)
        wake_at_second(s, backfill_due_s(m));
    if (m->full_due && m->n_entries)
        wake_at_second(s, max_i64(full_due_s(m), m->now_s + 1));
    if (m->node_came && line_length(m->batch.queueing.queue[0].waiting))
        defer(s, m, m->now_s);
    m->node_came = false;
}

static void slurm_schedule(struct sched *s, const void *params, void *state)
{
    struct slurm *m = state;
    const struct slurm_params *p = params;
    int64_t now_ns = sched_now(s), computed = m->batch.computed;
    if (sched_room_version(s) != m->room_seen)    /* jobs have left that were stopped before */
        m->full_due = m->backfill_due = true;
    m->room_seen = sched_room_version(s);
    if (now_ns % NS_IN_S) {
        int64_t next_s = now_ns / NS_IN_S + (now_ns > 0);
        wake_at_second(s, next_s);
        if (m->node_came && line_length(m->batch.queueing.queue[0].waiting))
            defer(s, m, next_s);
        return;
    }
    m->now_s = now_ns / NS_IN_S;
    bool anew = batch_catches_up(s, &m->batch) && (int)p->priority != PRIORITY_BASIC;
    if (m->batch.computed != computed || now_ns >= m->eligible_ns)
        changed(m, false);
    slurm_entries(s, m, anew);
    pass(s, m);
    if (m->n_entries && (p->w_age > 0 || p->w_fairshare > 0))
        sched_wake_at(s, batch_next_ns(&m->batch));
    m->room_seen = sched_room_version(s);
}

/* ---- The table ---- */

#define AT(field) offsetof(struct slurm_params, field)
#define NUMBER(field, unit, most, usual, what)                                                     \
    {                                                                                              \
#field, what, unit, 0, most, usual, NULL, AT(field)                                        \
    }
#define POSITIVE(field, unit, most, usual, what)                                                   \
    {                                                                                              \
#field, what, unit, 1, most, usual, NULL, AT(field)                                        \
    }
#define YES_NO(field, what)                                                                        \
    {                                                                                              \
#field, what, "", 0, 0, 0, param_no_yes, AT(field)                                         \
    }
static const char *const schedulers[] = { "backfill", "builtin", NULL };
static const char *const priorities[] = { "basic", "multifactor", NULL };
static const char *const preempts[] = { "none", "partition", "qos", NULL };
static const char *const modes[] = { "off", "requeue", "cancel", "suspend", NULL };
static const struct param slurm_param_list[] = {
    { "scheduler", "backfill: a backfill scheduler besides the main one", "", 0, 0, SCHEDULER_BACKFILL,
      schedulers, AT(scheduler) },
    NUMBER(batch_sched_delay, "s", 86400, 3, "least time between main passes for submissions"),
    POSITIVE(sched_interval, "s", 86400, 60, "time between main passes that test all entries"),
    POSITIVE(default_queue_depth, "", 1e9, 100, "entries that other main passes test, and one more"),
    NUMBER(partition_job_depth, "", 1e9, 0, "entries of a partition that a main pass tests; 0: any number"),
    NUMBER(sched_max_job_start, "", 1e9, 0, "jobs that a main pass starts; 0: any number"),
    YES_NO(assoc_limit_stop, "yes: a job that a limit on GPUs holds blocks its partition in main passes"),
    POSITIVE(bf_interval, "s", 86400, 30, "least time between cycles of backfill"),
    POSITIVE(bf_window, "min", 1e6, 1440, "how far ahead backfill plans"),
    POSITIVE(bf_resolution, "s", 86400, 60, "reservations begin and end at multiples of it"),
    POSITIVE(bf_max_job_test, "", 1e6, 500, "entries that a cycle plans"),
    NUMBER(bf_max_job_part, "", 1e6, 0, "of those, entries of a partition; 0: any number"),
    NUMBER(bf_max_job_user, "", 1e6, 0, "entries of a user; 0: any number"),
    NUMBER(bf_max_job_start, "", 1e6, 0, "jobs that a cycle starts; 0: any number"),
    NUMBER(bf_node_space_size, "", 1e6, 0, "intervals of a plan; 0: bf_max_job_test"),
    NUMBER(bf_window_linear, "s", 86400, 0, "how windows of ends grow; 0: they double"),
    YES_NO(bf_one_resv_per_job, "yes: a job with a reservation gets no other"),
    NUMBER(bf_min_age_reserve, "s", 1e9, 0, "younger jobs reserve nothing"),
    NUMBER(bf_min_prio_reserve, "", 4294967295.0, 0, "jobs of a lower priority reserve nothing"),
    { "priority", "basic: by submission; multifactor: by the weights below", "", 0, 0, PRIORITY_BASIC,
      priorities, AT(priority) },
    NUMBER(w_age, "", 1e9, 0, "weight of the time since a job is eligible"),
    NUMBER(w_assoc, "", 1e9, 0, "weight of the association's priority"),
    NUMBER(w_fairshare, "", 1e9, 0, "weight of the user's factor by fair tree"),
    NUMBER(w_jobsize, "", 1e9, 0, "weight of nodes and CPUs"),
    NUMBER(w_partition, "", 1e9, 0, "weight of the partition's factor"),
    NUMBER(w_qos, "", 1e9, 0, "weight of the QOS's priority"),
    NUMBER(w_tres_gpu, "", 1e9, 0, "weight of GPUs, as a part of the partition's"),
    POSITIVE(max_age_s, "s", 1e9, 604800, "when the age counts in full"),
    YES_NO(favor_small, "yes: smaller jobs have the larger part of w_jobsize"),
    { "calc_period_s", "time between computations of usage and priorities", "s", 1, 86400, 300, NULL,
      offsetof(struct batch_params, calc_period_s) },
    { "half_life_s", "half-life of usage; 0: it does not decay", "s", 0, 1e9, 604800, NULL,
      offsetof(struct batch_params, half_life_s) },
    { "preempt", "which jobs may stop others: by the tier of their partition, or by QOS", "", 0, 0,
      PREEMPT_NONE, preempts, AT(preempt) },
    { "preempt_mode", "what happens to them, where partition or QOS do not say", "", 0, 0, MODE_REQUEUE,
      modes, AT(preempt_mode) },
    NUMBER(exempt_s, "s", 1e9, 0, "jobs that started less than that ago are not stopped"),
    NUMBER(preempt_reorder_count, "", 100, 1, "times that victims are put in another order, less one"),
    YES_NO(preempt_strict_order, "yes: that order changes only the victim needed last, which goes first"),
    YES_NO(preempt_youngest_first, "yes: victims by their start, the latest first"),
    NUMBER(requeue_delay_s, "s", 1e9, 121, "a requeued job is not eligible before"),
    NUMBER(kill_wait_s, "s", 1e6, 30, "time that a job past its limit is expected to stay"),
    NUMBER(clock_s, "s", 1e10, 0, "Unix time at time 0: plans are made in multiples of the clock"),
    { 0 },
};

const struct policy slurm_policy = {
    .abi = POLICY_ABI,
    .name = "slurm",
    .summary = "Slurm's main and backfill schedulers, with partitions, QOS, limits and preemption",
    .reads = READS_WEIGHTS | READS_SITE,
    .params = slurm_param_list,
    .params_size = sizeof(struct slurm_params),
    .state_size = sizeof(struct slurm),
    .job_size = sizeof(struct slurm_job),
    .begin = slurm_begin,
    .schedule = slurm_schedule,
    .job_arrived = slurm_arrived,
    .job_started = slurm_started,
    .job_stopped = slurm_stopped,
    .job_withdrawn = slurm_withdrawn,
    .node_changed = slurm_node,
};
