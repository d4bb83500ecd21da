/* faults_summary.c - see faults_summary.h. */
#include "sim/physics/failures/faults_summary.h"

#include "sim/engine/jobs.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/state.h"

static const char *const size_scope[FAULT_SIZES] = {
    "gpus<=1", "gpus<=8", "gpus<=64", "gpus<=512", "gpus<=4096", "gpus>4096"
};

/* ---- Counting ---- */

static unsigned size_class(int64_t gpu_milli)
{
    unsigned class = 0;
    for (int64_t most = MILLI_ALL; class < FAULT_SIZES - 1 && gpu_milli > most; most *= 8)
        class++;
    return class;
}

void fault_counts_ran(struct fault_counts *c, int64_t gpu_milli, int64_t ns)
{
    c->of_size[size_class(gpu_milli)].ran_ns += ns;
}

bool fault_counts_stopped(struct fault_counts *c, int64_t gpu_milli, unsigned cause)
{
    c->by[cause]++;
    if (cause >= FAULT_CAUSES)
        return false;
    c->of_size[size_class(gpu_milli)].n++;
    return true;
}

/* By faults, maintenance and drains. */
static int128_t lost_in_all(const struct sched *s)
{
    int128_t lost = 0;
    for (unsigned c = 0; c < INTERRUPTION_CAUSES; c++)
        lost += c == CAUSE_RECLAIM || c == CAUSE_RESERVATION ? 0 : s->ledger.interruption_lost[c];
    return lost;
}

/* ---- Metrics ---- */

enum {
    NODE_FAILURES,
    SWITCH_FAILURES,
    CORDONS,
    JOB_FAILURES,
    JOBS_GIVEN_UP,
    LOST_BY_FAILURES,
    DETECTION,
    DOWN,
    AVAILABILITY,
    UTIL_INSTALLED,
    ETTR,
    MTTF,
    LINK_FAILURES,
    BY_CAUSE
};
#define CAUSE(word) { "job_failures_" word, "", "jobs stopped for that cause", BETTER_LOWER }
const struct metric_kind fault_metrics[] = {
    [NODE_FAILURES] = { "node_failures", "", "failures of nodes, or of one of their GPUs", BETTER_NEITHER },
    [SWITCH_FAILURES] = { "switch_failures", "", "failures of leaf switches", BETTER_NEITHER },
    [CORDONS] = { "cordons", "", "nodes taken out of service for failing often", BETTER_NEITHER },
    [JOB_FAILURES] = { "job_failures", "", "jobs stopped by a failure; those by cause add up to it, but for maintenance", BETTER_LOWER },
    [JOBS_GIVEN_UP] = { "jobs_given_up", "", "jobs that failed once more than max_retries; they count as failed", BETTER_LOWER },
    [LOST_BY_FAILURES] = { "lost_by_failures_gpu_h", "GPU h", "work to be done again after failures and maintenance; part of lost_gpu_h", BETTER_LOWER },
    [DETECTION] = { "detection_gpu_h", "GPU h", "held after a failure until it was found", BETTER_LOWER },
    [DOWN] = { "down_gpu_h", "GPU h", "out of service and held by no job", BETTER_NEITHER },
    [AVAILABILITY] = { "availability", "", "GPU time that is not down, of all that is installed", BETTER_HIGHER },
    [UTIL_INSTALLED] = { "util_alloc_installed", "", "as util_alloc, of all that is installed, up or down", BETTER_HIGHER },
    [ETTR] = { "ettr", "", "effective training time: service time over the time from first start to end, by GPUs, of completed jobs but sessions and replicas", BETTER_HIGHER },
    [MTTF] = { "mttf_h", "h", "time that jobs of a size ran over their failures; scope is the number of GPUs", BETTER_HIGHER },
    [LINK_FAILURES] = { "network_failures", "", "failures of a node's network link; in no count of nodes", BETTER_NEITHER },
    [BY_CAUSE] = CAUSE("gpu"), CAUSE("stress"), CAUSE("unknown"), CAUSE("cable"), CAUSE("fan"), CAUSE("nic"), CAUSE("power"),
    CAUSE("task"), CAUSE("other"), CAUSE("switch"), CAUSE("software"), CAUSE("network"), CAUSE("host"), CAUSE("slow"), CAUSE("maintenance"), { 0 },
};

static void put(struct summary_builder *b, unsigned metric, double value, uint64_t n)
{
    summary_put_kind(b, &fault_metrics[metric], "all", value, n);
}

/* models.md 3.4, Kokolis et al.: what part of the time since a job first had its GPUs was useful. Jobs on
 * demand (sessions, replicas) have no service time and do not count. */
static void put_ettr(struct summary_builder *b)
{
    double useful = 0, there = 0;
    uint64_t n = 0;
    for (job_id j = 0; j < b->s->n_jobs; j++) {
        struct job_result r = run_job(b->s, j);
        if (on_demand(b->s, j) || r.state != JOB_GONE || r.outcome != OUTCOME_COMPLETED || r.end_ns <= r.start_ns)
            continue;
        double gpus = (double)request_gpu_milli(ask_of(b->s, j)) / MILLI_ALL;
        useful += gpus * seconds(b->s->workload->truth[j].duration_ns);
        there += gpus * seconds(r.end_ns - r.start_ns);
        n++;
    }
    put(b, ETTR, useful / there, there > 0 ? n : 0);
}

/* Parts that not every law has. */
static bool is_told(const struct fault_counts *c, unsigned cause)
{
    if (c->by[cause])
        return true;
    return cause == FAULT_NETWORK ? c->law->network_faults_per_day > 0
           : cause == FAULT_HOST  ? c->law->host_faults_per_day > 0
           : cause == FAULT_SLOW  ? slow_happens(&c->law->slow)
                                  : true;
}

static void put_jobs(struct summary_builder *b, const struct fault_counts *c)
{
    for (unsigned i = 0; i < FAULT_SIZES; i++)
        if (c->of_size[i].n)
            summary_put_kind(b, &fault_metrics[MTTF], size_scope[i],
                             (double)c->of_size[i].ran_ns / (double)NS_PER_S / 3600 /
                                 (double)c->of_size[i].n,
                             c->of_size[i].n);
    for (unsigned k = 0; k <= CAUSE_MAINTENANCE; k++)
        if (is_told(c, k))
            put(b, BY_CAUSE + k, (double)c->by[k], 1);
}

void fault_counts_put(struct summary_builder *b, const struct fault_counts *c)
{
    const struct run_totals *t = &b->s->totals;
    uint64_t failed = 0;
    for (unsigned k = 0; k < FAULT_CAUSES; k++)
        failed += c->by[k];
    put(b, NODE_FAILURES, (double)c->of_nodes, 1);
    put(b, SWITCH_FAILURES, (double)c->of_leaves, 1);
    if (c->law->network_faults_per_day > 0)
        put(b, LINK_FAILURES, (double)c->of_links, 1);
    put(b, CORDONS, (double)c->cordons, 1);
    put(b, JOB_FAILURES, (double)failed, 1);
    put(b, JOBS_GIVEN_UP, (double)c->given_up, 1);
    put(b, LOST_BY_FAILURES, gpu_hours(lost_in_all(b->s)), 1);
    put(b, DETECTION, gpu_hours(t->account[ACCOUNT_FAULT]), 1);
    put(b, DOWN, gpu_hours(t->account[ACCOUNT_DOWN]), 1);
    put(b, AVAILABILITY, (double)t->capacity / (double)t->installed, t->installed > 0);
    put(b, UTIL_INSTALLED, (double)t->held / (double)t->installed, t->installed > 0);
    put_ettr(b);
    put_jobs(b, c);
}
