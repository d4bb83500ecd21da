/* fault_results.c - what came of failures: counts, columns, metrics, and their identities. */
#include "sim/physics/fault_run.h"

static const char *const size_scope[FAULT_SIZES] = { "gpus<=1", "gpus<=8", "gpus<=64", "gpus<=512", "gpus<=4096", "gpus>4096" };

/* ---- Counting ---- */

static unsigned size_class(int64_t gpu_milli)
{
    unsigned class = 0;
    for (int64_t most = MILLI_ALL; class < FAULT_SIZES - 1 && gpu_milli > most; most *= 8)
        class++;
    return class;
}

void faults_ran(struct fault_run *r, int64_t gpu_milli, int64_t ns)
{
    r->of_size[size_class(gpu_milli)].ran_ns += ns;
}

void faults_stopped(struct sched *s, const struct live *l, unsigned cause)
{
    struct fault_run *r = s->faults;
    if (cause == CAUSE_RECLAIM)
        return;
    r->by[cause].n++;
    if (cause >= FAULT_CAUSES)
        return;
    r->job_faults[l->job]++;
    r->of_size[size_class(request_gpu_milli(ask_of(s, l->job)))].n++;
}

/* By faults, maintenance and drains. */
static int128_t lost_in_all(const struct sched *s)
{
    int128_t lost = 0;
    for (unsigned c = 0; c < INTERRUPTION_CAUSES; c++)
        lost += c == CAUSE_RECLAIM ? 0 : s->ledger.interruption_lost[c];
    return lost;
}

/* ---- Columns and metrics ---- */

const char *const fault_node_columns[] = { "faults", "fault_gpu_s", "down_gpu_s", NULL };
const char *const fault_job_columns[] = { "failures", NULL };

static void gpu_s(struct output *o, int128_t milli_ns)
{
    out_char(o, ',');
    out_wide_seconds(o, milli_ns / MILLI_ALL);
}

void fault_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_integer(o, s->faults->node_faults[n]);
    gpu_s(o, s->ledger.node_account[n][ACCOUNT_FAULT]);
    gpu_s(o, s->ledger.node_account[n][ACCOUNT_DOWN]);
}

void fault_job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_integer(o, s->faults->job_faults[j]);
}

enum { NODE_FAILURES, SWITCH_FAILURES, CORDONS, JOB_FAILURES, JOBS_GIVEN_UP, LOST_BY_FAILURES, DETECTION, DOWN, AVAILABILITY, UTIL_INSTALLED, ETTR,
       MTTF, BY_CAUSE };
#define CAUSE(word) { "job_failures_" word, "", "jobs stopped for that cause", BETTER_LOWER }
const struct metric_kind fault_metrics[] = {
    [NODE_FAILURES] = { "node_failures", "", "failures of nodes, or of one of their GPUs", BETTER_NEITHER },
    [SWITCH_FAILURES] = { "switch_failures", "", "failures of leaf switches", BETTER_NEITHER },
    [CORDONS] = { "cordons", "", "nodes taken out of service for failing often", BETTER_NEITHER },
    [JOB_FAILURES] = { "job_failures", "", "jobs stopped by a failure; those by cause add up to it, but for maintenance", BETTER_LOWER },
    [JOBS_GIVEN_UP] = { "jobs_given_up", "", "jobs that failed once more than max_retries; they count as failed", BETTER_LOWER },
    [LOST_BY_FAILURES] = { "lost_by_failures_gpu_h", "GPU h", "work to be done again after failures and maintenance; part of lost_gpu_h", BETTER_LOWER },
    [DETECTION] = { "detection_gpu_h", "GPU h", "held after a failure until it was found", BETTER_LOWER },
    [DOWN] = { "down_gpu_h", "GPU h", "out of service and held by nobody", BETTER_NEITHER },
    [AVAILABILITY] = { "availability", "", "GPU time that is not down, of all that is installed", BETTER_HIGHER },
    [UTIL_INSTALLED] = { "util_alloc_installed", "", "as util_alloc, of all that is installed, up or down", BETTER_HIGHER },
    [ETTR] = { "ettr", "", "effective training time: service time over the time from first start to end, by GPUs, of completed jobs", BETTER_HIGHER },
    [MTTF] = { "mttf_h", "h", "time that jobs of a size ran over their failures; scope is the number of GPUs", BETTER_HIGHER },
    [BY_CAUSE] = CAUSE("gpu"), CAUSE("stress"), CAUSE("unknown"), CAUSE("cable"), CAUSE("fan"), CAUSE("nic"), CAUSE("power"),
    CAUSE("task"), CAUSE("other"), CAUSE("switch"), CAUSE("software"), CAUSE("maintenance"), { 0 },
};

static void put(struct summary_builder *k, unsigned metric, double value, uint64_t n)
{
    summary_put_kind(k, &fault_metrics[metric], "all", value, n);
}

/* models.md 3.4, Kokolis et al.: what part of the time since a job first had its GPUs was useful. */
static void put_ettr(struct summary_builder *k)
{
    double useful = 0, there = 0;
    uint64_t n = 0;
    for (job_id j = 0; j < k->s->n_jobs; j++) {
        struct job_result r = run_job(k->s, j);
        if (r.state != JOB_GONE || r.outcome != OUTCOME_COMPLETED || r.end_ns <= r.start_ns)
            continue;
        double gpus = (double)request_gpu_milli(ask_of(k->s, j)) / MILLI_ALL;
        useful += gpus * seconds(k->s->workload->truth[j].duration_ns);
        there += gpus * seconds(r.end_ns - r.start_ns);
        n++;
    }
    put(k, ETTR, useful / there, there > 0 ? n : 0);
}

void fault_summarise(struct summary_builder *k)
{
    const struct fault_run *r = k->s->faults;
    const struct run_totals *t = &k->s->totals;
    uint64_t failed = 0;
    for (unsigned c = 0; c < FAULT_CAUSES; c++)
        failed += r->by[c].n;
    put(k, NODE_FAILURES, (double)r->of_nodes, 1);
    put(k, SWITCH_FAILURES, (double)r->of_leaves, 1);
    put(k, CORDONS, (double)r->cordons, 1);
    put(k, JOB_FAILURES, (double)failed, 1);
    put(k, JOBS_GIVEN_UP, (double)r->given_up, 1);
    put(k, LOST_BY_FAILURES, gpu_hours(lost_in_all(k->s)), 1);
    put(k, DETECTION, gpu_hours(t->account[ACCOUNT_FAULT]), 1);
    put(k, DOWN, gpu_hours(t->account[ACCOUNT_DOWN]), 1);
    put(k, AVAILABILITY, (double)t->capacity / (double)t->installed, t->installed > 0);
    put(k, UTIL_INSTALLED, (double)t->held / (double)t->installed, t->installed > 0);
    put_ettr(k);
    for (unsigned i = 0; i < FAULT_SIZES; i++)
        if (r->of_size[i].n)
            summary_put_kind(k, &fault_metrics[MTTF], size_scope[i],
                             (double)r->of_size[i].ran_ns / (double)NS_PER_S / 3600 / (double)r->of_size[i].n, r->of_size[i].n);
    for (unsigned c = 0; c <= CAUSE_MAINTENANCE; c++)
        put(k, BY_CAUSE + c, (double)r->by[c].n, 1);
}

int fault_check(struct sched *s, struct error *err)
{
    int128_t down = 0;
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        int128_t free = (int128_t)(s->now_ns - s->totals.first_ns) * cluster_node_milli(s->cluster, n);
        for (unsigned a = 0; a < ACCOUNTS; a++)
            free -= s->ledger.node_account[n][a];
        down += s->ledger.node_account[n][ACCOUNT_DOWN];
        if (free < 0)
            return error_set(err, "an identity is broken, please report it: node %u is held and down for longer than there is time", n);
    }
    if (down != s->totals.account[ACCOUNT_DOWN])
        return error_set(err, "an identity is broken, please report it: GPU-seconds down, by node and in all");
    return 0;
}
