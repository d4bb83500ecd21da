/* summary.c - see summary.h. Sums of times are exact integers; the only rounding is the last division. */
#include "sim/run/summary.h"

#include "sim/core/memory.h"
#include "sim/run/models.h"
#include "sim/run/rows.h"
#include "sim/run/statistics.h"
#include "sim/run/summary_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MICRO = 1000000 };
enum { P99_LEAST_JOBS = 1000 };    /* models.md 10.5: below that a 99th percentile says nothing */

const struct metric_kind metric_kinds[] = {
    [JOBS_SUBMITTED] = { "jobs_submitted", "", "jobs of the trace that arrived", BETTER_NEITHER },
    [JOBS_COMPLETED] = { "jobs_completed", "", "ended, and completed according to the trace", BETTER_HIGHER },
    [JOBS_FAILED] = { "jobs_failed", "", "ended, and failed according to the trace", BETTER_LOWER },
    [JOBS_CANCELLED] = { "jobs_cancelled", "", "ended, and cancelled according to the trace", BETTER_NEITHER },
    [JOBS_REJECTED] = { "jobs_rejected", "", "could never have run, or were refused by the policy", BETTER_LOWER },
    [JOBS_RUNNING] = { "jobs_running", "", "still running at the cut-off", BETTER_NEITHER },
    [JOBS_PENDING] = { "jobs_pending", "", "still waiting at the end", BETTER_LOWER },
    [JOBS_NEVER_STARTED] = { "jobs_never_started", "", "waiting at the end for quota, limit, a dependency or a deadlock, for ever", BETTER_LOWER },
    [JOBS_DEADLOCKED] = { "jobs_deadlocked", "", "holding part of a gang at the end, for ever", BETTER_LOWER },
    [JCT_MEAN] = { "jct_mean_s", "s", "job completion time: last end - submit; of jobs that ended", BETTER_LOWER },
    [JCT_P50] = { "jct_p50_s", "s", "its median (type 7)", BETTER_LOWER },
    [JCT_P90] = { "jct_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [JCT_P99] = { "jct_p99_s", "s", "its 99th percentile; from 1000 jobs on", BETTER_LOWER },
    [JCT_CENSORED_MEAN] = { "jct_censored_mean_s", "s", "mean JCT with unfinished jobs counted up to the end: a lower bound", BETTER_LOWER },
    [WAIT_MEAN] = { "wait_mean_s", "s", "all time in queue, requeues included; of jobs that ended", BETTER_LOWER },
    [WAIT_P50] = { "wait_p50_s", "s", "its median", BETTER_LOWER },
    [WAIT_P90] = { "wait_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [WAIT_P99] = { "wait_p99_s", "s", "its 99th percentile; from 1000 jobs on", BETTER_LOWER },
    [FIRST_WAIT_MEAN] = { "first_wait_mean_s", "s", "first start - submit; of jobs that ended", BETTER_LOWER },
    [WAITED] = { "waited_share", "", "share of the jobs that ended whose wait was not zero", BETTER_LOWER },
    [SLOWDOWN_MEAN] = { "slowdown_mean", "", "JCT / service time; of jobs that ended and had any", BETTER_LOWER },
    [BOUNDED_SLOWDOWN_MEAN] = { "bounded_slowdown_mean", "", "max(1, JCT / max(service time, 10 s)); of jobs that ended", BETTER_LOWER },
    [MAKESPAN] = { "makespan_s", "s", "last end - first submit", BETTER_LOWER },
    [UTIL_ALLOC] = { "util_alloc", "", "GPU-time held / GPU-time that was up; of a queue: its part of that", BETTER_HIGHER },
    [UTIL_BUSY] = { "util_busy", "", "GPU-time in which work was done / GPU-time that was up", BETTER_HIGHER },
    [UTIL_EFFECTIVE] = { "util_effective", "", "GPU-time of work that survived / GPU-time that was up", BETTER_HIGHER },
    [GOODPUT] = { "goodput", "", "GPU-time of work that survived / GPU-time held", BETTER_HIGHER },
    [GPU_H_HELD] = { "gpu_h_held", "GPU h", "GPU-time held", BETTER_NEITHER },
    [GPU_H_FREE_WHILE_WAITING] = { "gpu_h_free_while_waiting", "GPU h", "GPU-time free while at least one job waited", BETTER_LOWER },
    [PREEMPTIONS] = { "preemptions", "", "stops by the policy", BETTER_LOWER },
    [RESTARTS] = { "restarts", "", "starts of jobs that had run before", BETTER_LOWER },
    [GANG_GPU_H] = { "gang_gpu_h", "GPU h", "GPU-time held by gangs that were not complete", BETTER_LOWER },
    [LOST_GPU_H] = { "lost_gpu_h", "GPU h", "GPU-time of work that was rolled back", BETTER_LOWER },
    [OVERHEAD_GPU_H] = { "overhead_gpu_h", "GPU h", "GPU-time of starting up, of saving, and of incomplete gangs", BETTER_LOWER },
    [QUEUE_LENGTH_MEAN] = { "queue_length_mean", "", "jobs waiting, mean over time", BETTER_LOWER },
    [GPUS_WAITING_MEAN] = { "gpus_waiting_mean", "GPUs", "GPUs that waiting jobs ask for, mean over time", BETTER_LOWER },
    [FAIRNESS_P95] = { "finish_time_fairness_p95", "", "95th percentile of JCT / JCT on an exclusive 1/N of the GPUs", BETTER_LOWER },
    [FAIRNESS_MAX] = { "finish_time_fairness_max", "", "the largest of it", BETTER_LOWER },
    [FAIRNESS_KEPT] = { "finish_time_fairness_kept", "", "share of the jobs for which it is at most 1", BETTER_HIGHER },
    [QUOTA_SATISFACTION] = { "quota_satisfaction", "", "GPU-time held of what was owed: of what a queue asked for within its "
        "deserved quota. Without a quota: within the cluster; without demand: 1. In all: of the queues that have a quota", BETTER_HIGHER },
    [QUOTA_UNMET] = { "quota_unmet_gpu_h", "GPU h", "GPU-time owed and not held", BETTER_LOWER },
    [QUOTA_UNUSED] = { "quota_unused_gpu_h", "GPU h", "GPU-time of the deserved quota that its queue did not hold", BETTER_NEITHER },
    [BORROWED] = { "borrowed_gpu_h", "GPU h", "GPU-time held beyond the deserved quota", BETTER_NEITHER },
    [RECLAIMS] = { "reclaims", "", "times in which a queue held less than it was owed", BETTER_LOWER },
    [RECLAIMS_OPEN] = { "reclaims_open", "", "of these, the ones not over at the end", BETTER_LOWER },
    [RECLAIM_MEAN] = { "time_to_reclaim_mean_s", "s", "until it held what it was owed; those not over count up to the end: "
        "a lower bound", BETTER_LOWER },
    [RECLAIM_P90] = { "time_to_reclaim_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [RECLAIM_MAX] = { "time_to_reclaim_max_s", "s", "the longest of it", BETTER_LOWER },
    [FAIR_SHARE_HELD] = { "fair_share_held", "", "GPU-time held / GPU-time asked for within the fair share: the deserved quota "
        "and, of what no quota covers, a part by weight", BETTER_HIGHER },
    [JAIN_INDEX] = { "jain_index", "", "Jain's index of fair_share_held over the queues that had demand: 1 if all are alike, "
        "1/N at worst", BETTER_HIGHER },
    [PREEMPTED_FIRST + PREEMPTED_RECLAIM] = { "preemptions_reclaim", "", "preemptions for a job of another queue", BETTER_LOWER },
    [PREEMPTED_FIRST + PREEMPTED_PRIORITY] = { "preemptions_preempt", "", "preemptions for a job of the same queue", BETTER_LOWER },
    [PREEMPTED_FIRST + PREEMPTED_MOVE] = { "preemptions_move", "", "preemptions of jobs started elsewhere in the same pass", BETTER_LOWER },
    [PREEMPTED_FIRST + PREEMPTED_BROKEN] = { "preemptions_broken", "", "preemptions of gangs of which a task was stopped; the "
        "policy did not say for whom", BETTER_LOWER },
    [PREEMPTED_FIRST + PREEMPTED_POLICY] = { "preemptions_policy", "", "all others: the policy did not say for whom", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_RECLAIM] = { "lost_gpu_h_reclaim", "GPU h", "GPU-time rolled back by preemptions_reclaim", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_PRIORITY] = { "lost_gpu_h_preempt", "GPU h", "by preemptions_preempt", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_MOVE] = { "lost_gpu_h_move", "GPU h", "by preemptions_move", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_BROKEN] = { "lost_gpu_h_broken", "GPU h", "by preemptions_broken", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_POLICY] = { "lost_gpu_h_policy", "GPU h", "by preemptions_policy", BETTER_LOWER },
    [METRICS] = { NULL, NULL, NULL, BETTER_NEITHER },
};

/* What is added up over the jobs of one scope. */
struct tally {
    const char *scope;
    uint64_t jobs, ended, waited, had_service, fairness_kept, censored_jobs, count[METRICS];
    int128_t jct_ns, wait_ns, first_wait_ns, censored_ns, held, lost, overhead;    /* the last three in milli-GPU ns */
    struct exact_sum slowdown, bounded;
    int64_t first_ns, last_ns, worst_fairness;
    double quantile_s[2][3];      /* of JCT and wait: p50, p90, p99 */
    double fairness_p95;
    size_t at, fairness_at;       /* its part of the samples: of the ended; of those that had service time */
};

/* One job, for the tallies of all scopes that it is in. */
struct told {
    const struct job_result *r;
    int64_t jct_ns;               /* up to the end of the run, if it has not ended */
    bool on_demand, ended, had_service;
    double slowdown, bounded;     /* of those that ended; slowdown of those that had service time */
};

static struct told tell(const struct sched *s, job_id j, const struct job_result *r)
{
    const struct workload *w = run_setup_of(s)->workload;
    int64_t service_ns = w->truth[j].duration_ns, bound_ns = service_ns > 10 * NS_PER_S ? service_ns : 10 * NS_PER_S;
    struct told x = { .r = r, .on_demand = j >= w->n_jobs, .had_service = service_ns > 0 };
    x.jct_ns = r->wait_ns + r->run_ns;
    x.ended = !x.on_demand && r->state == JOB_GONE && r->outcome != OUTCOME_REJECTED;
    x.slowdown = x.had_service ? (double)x.jct_ns / (double)service_ns : 0;
    x.bounded = x.jct_ns > bound_ns ? (double)x.jct_ns / (double)bound_ns : 1.0;
    return x;
}

static void tally_end(struct tally *t, const struct told *x)
{
    const struct job_result *r = x->r;
    t->ended++;
    t->jct_ns += x->jct_ns;
    t->wait_ns += r->wait_ns;
    t->first_wait_ns += r->start_ns - r->submit_ns;
    t->waited += r->wait_ns > 0;
    t->last_ns = r->end_ns > t->last_ns ? r->end_ns : t->last_ns;
    sum_add(&t->bounded, x->bounded);
    if (x->had_service) {
        t->had_service++;
        sum_add(&t->slowdown, x->slowdown);
        t->fairness_kept += r->fairness_micro <= MICRO;
        t->worst_fairness = r->fairness_micro > t->worst_fairness ? r->fairness_micro : t->worst_fairness;
    }
}

static void tally_job(struct tally *t, const struct told *x)
{
    static const uint8_t outcome_metric[] = { [OUTCOME_COMPLETED] = JOBS_COMPLETED, [OUTCOME_FAILED] = JOBS_FAILED,
                                              [OUTCOME_CANCELLED] = JOBS_CANCELLED, [OUTCOME_REJECTED] = JOBS_REJECTED };
    const struct job_result *r = x->r;
    t->first_ns = t->jobs == 0 || r->submit_ns < t->first_ns ? r->submit_ns : t->first_ns;
    t->jobs++;
    t->count[PREEMPTIONS] += r->preemptions;
    t->count[RESTARTS] += r->restarts;
    t->held += r->held;
    t->lost += r->lost;
    t->overhead += r->overhead;
    t->count[r->state == JOB_GONE ? outcome_metric[r->outcome] : r->state == JOB_RUNNING ? JOBS_RUNNING : JOBS_PENDING]++;
    if (x->on_demand || (r->state == JOB_GONE && r->outcome == OUTCOME_REJECTED))
        return;
    t->censored_jobs++;
    t->censored_ns += x->jct_ns;
    if (x->ended)
        tally_end(t, x);
}

/* ---- From tallies to rows ---- */

void summary_put_kind(struct maker *k, const struct metric_kind *kind, const char *scope, double value, uint64_t n)
{
    mem_grow(&k->m->metric, &k->capacity, k->m->n, sizeof *k->m->metric);
    k->m->metric[k->m->n++] = (struct metric){ kind, scope, n ? value : (double)NAN, n };
}

void summary_put(struct maker *k, unsigned metric, const char *scope, double value, uint64_t n)
{
    summary_put_kind(k, &metric_kinds[metric], scope, value, n);
}

static double mean_s(int128_t sum_ns, uint64_t n)
{
    return n ? (double)sum_ns / (double)n / (double)NS_PER_S : 0;
}

double gpu_hours(int128_t milli_ns)
{
    return (double)milli_ns / MILLI_ALL / (double)NS_PER_S / 3600;
}

/* ---- Quantiles: a pass puts the samples of each group side by side, unless all are of one ---- */

struct samples { int64_t *jct, *wait, *fairness; };
struct filled { size_t ended, had_service; };

static void sample_add(const struct samples *x, struct filled *to, const struct run_times *t)
{
    x->jct[to->ended] = t->jct_ns;
    x->wait[to->ended++] = t->wait_ns;
    if (t->fairness_micro >= 0)
        x->fairness[to->had_service++] = t->fairness_micro;
}

static size_t group_of(const struct workload *w, job_id j, bool by_class)
{
    return by_class ? w->facts[j].class : w->facts[j].queue;
}

static void quantiles_of(struct tally *t, const struct samples *x)
{
    static const double p[] = { .5, .9, .99 };
    for (unsigned i = 0; i < 3; i++) {
        bool enough = t->ended >= (i == 2 ? P99_LEAST_JOBS : 1);
        t->quantile_s[0][i] = enough ? quantile(x->jct + t->at, t->ended, p[i]) / (double)NS_PER_S : (double)NAN;
        t->quantile_s[1][i] = enough ? quantile(x->wait + t->at, t->ended, p[i]) / (double)NS_PER_S : (double)NAN;
    }
    t->fairness_p95 = t->had_service ? quantile(x->fairness + t->fairness_at, t->had_service, .95) / MICRO : (double)NAN;
}

static void sort_by_group(const struct sched *s, struct tally *group, size_t n_groups, bool by_class, const struct samples *x)
{
    const struct workload *w = run_setup_of(s)->workload;
    struct filled *next = mem_new(n_groups + 1, sizeof *next);
    for (size_t g = 0; g < n_groups; g++) {
        group[g].at = next[g].ended;
        group[g].fairness_at = next[g].had_service;
        next[g + 1] = (struct filled){ next[g].ended + group[g].ended, next[g].had_service + group[g].had_service };
    }
    for (job_id j = 0; j < w->n_jobs; j++) {
        struct run_times t = run_times(s, j);
        if (t.ended)
            sample_add(x, &next[group_of(w, j, by_class)], &t);
    }
    free(next);
}

static void quantiles_by_group(const struct sched *s, struct tally *group, size_t n_groups, const struct tally *all,
                               bool by_class, const struct samples *x)
{
    bool one = false;
    for (size_t g = 0; g < n_groups; g++)
        one |= group[g].ended == all->ended;
    if (!one)
        sort_by_group(s, group, n_groups, by_class, x);
    for (size_t g = 0; g < n_groups; g++) {
        if (group[g].ended != all->ended) {
            quantiles_of(&group[g], x);
            continue;
        }
        memcpy(group[g].quantile_s, all->quantile_s, sizeof all->quantile_s);
        group[g].fairness_p95 = all->fairness_p95;
    }
}

static void put_quantiles(struct maker *k, const struct tally *t, unsigned p50, unsigned which)
{
    for (unsigned i = 0; i < 3; i++)
        summary_put(k, p50 + i, t->scope, t->quantile_s[which][i], t->ended);
}

static void put_jobs(struct maker *k, const struct tally *t, bool all)
{
    summary_put(k, JOBS_SUBMITTED, t->scope, (double)t->jobs, t->jobs);
    for (unsigned m = JOBS_COMPLETED; m <= JOBS_PENDING; m++)
        summary_put(k, m, t->scope, (double)t->count[m], t->jobs);
    if (all) {
        summary_put(k, JOBS_NEVER_STARTED, t->scope, run_totals(k->s)->never_started, t->jobs);
        summary_put(k, JOBS_DEADLOCKED, t->scope, run_totals(k->s)->deadlocked, t->jobs);
    }
    summary_put(k, JCT_MEAN, t->scope, mean_s(t->jct_ns, t->ended), t->ended);
    put_quantiles(k, t, JCT_P50, 0);
    summary_put(k, JCT_CENSORED_MEAN, t->scope, mean_s(t->censored_ns, t->censored_jobs), t->censored_jobs);
    summary_put(k, WAIT_MEAN, t->scope, mean_s(t->wait_ns, t->ended), t->ended);
    put_quantiles(k, t, WAIT_P50, 1);
    summary_put(k, FIRST_WAIT_MEAN, t->scope, mean_s(t->first_wait_ns, t->ended), t->ended);
    summary_put(k, WAITED, t->scope, (double)t->waited / (double)t->ended, t->ended);
    summary_put(k, SLOWDOWN_MEAN, t->scope, sum_value(&t->slowdown) / (double)t->had_service, t->had_service);
    summary_put(k, BOUNDED_SLOWDOWN_MEAN, t->scope, sum_value(&t->bounded) / (double)t->ended, t->ended);
    summary_put(k, MAKESPAN, t->scope, seconds(t->last_ns - t->first_ns), t->ended);
}

static void put_gpus(struct maker *k, const struct tally *t, bool all)
{
    const struct run_totals *r = run_totals(k->s);
    double up = (double)r->capacity, held = (double)t->held;
    int128_t useful = r->account[ACCOUNT_USEFUL];
    summary_put(k, UTIL_ALLOC, t->scope, held / up, r->capacity > 0);
    if (all) {
        summary_put(k, UTIL_BUSY, t->scope, (double)(useful + r->account[ACCOUNT_LOST]) / up, r->capacity > 0);
        summary_put(k, UTIL_EFFECTIVE, t->scope, (double)useful / up, r->capacity > 0);
        summary_put(k, GOODPUT, t->scope, (double)useful / held, t->held > 0);
    }
    summary_put(k, GPU_H_HELD, t->scope, gpu_hours(t->held), t->jobs);
    if (all)
        summary_put(k, GPU_H_FREE_WHILE_WAITING, t->scope, gpu_hours(r->free_while_waiting), t->jobs);
    summary_put(k, PREEMPTIONS, t->scope, (double)t->count[PREEMPTIONS], t->jobs);
    summary_put(k, RESTARTS, t->scope, (double)t->count[RESTARTS], t->jobs);
    if (all)
        summary_put(k, GANG_GPU_H, t->scope, gpu_hours(r->account[ACCOUNT_GANG]), t->jobs);
    summary_put(k, LOST_GPU_H, t->scope, gpu_hours(t->lost), t->jobs);
    summary_put(k, OVERHEAD_GPU_H, t->scope, gpu_hours(t->overhead), t->jobs);
    double span = (double)(r->last_ns - r->first_ns);
    if (all) {
        summary_put(k, QUEUE_LENGTH_MEAN, t->scope, (double)r->waiting / span, r->last_ns > r->first_ns);
        summary_put(k, GPUS_WAITING_MEAN, t->scope, (double)r->gpus_waiting / MILLI_ALL / span, r->last_ns > r->first_ns);
    }
}

static void put_fairness(struct maker *k, const struct tally *t)
{
    summary_put(k, FAIRNESS_P95, t->scope, t->fairness_p95, t->had_service);
    summary_put(k, FAIRNESS_MAX, t->scope, (double)t->worst_fairness / MICRO, t->had_service);
    summary_put(k, FAIRNESS_KEPT, t->scope, (double)t->fairness_kept / (double)t->had_service, t->had_service);
}

static void put_scope(struct maker *k, const struct tally *t, bool all)
{
    put_jobs(k, t, all);
    put_gpus(k, t, all);
    put_fairness(k, t);
}

const char *summary_scope(struct maker *k, const char *kind, const char *name)
{
    size_t length = strlen(kind) + strlen(name) + 2;
    char *text = arena_alloc(k->m->memory, length);
    snprintf(text, length, "%s=%s", kind, name);
    return text;
}

static void put_groups(struct maker *k, struct tally *group, size_t n, const struct cluster *c)
{
    for (size_t g = 0; g < n; g++) {
        if (c && run_queue_quota(k->s, (queue_id)g)->used && c->queue[g].first_child != ID_NONE)
            summary_queue_quota(k, summary_scope(k, "queue", c->queue[g].name), (queue_id)g);
        if (!group[g].jobs)
            continue;
        group[g].scope = c ? summary_scope(k, "queue", c->queue[g].name)
                           : summary_scope(k, "class", rows_class((enum job_class)g));
        put_scope(k, &group[g], false);
        if (c)
            summary_queue_quota(k, group[g].scope, (queue_id)g);
    }
}

struct summary *summary_make(const struct sched *s)
{
    const struct workload *w = run_setup_of(s)->workload;
    const struct cluster *c = run_setup_of(s)->cluster;
    struct maker k = { .m = mem_new(1, sizeof *k.m), .s = s };
    struct samples x = { mem_new(w->n_jobs, sizeof *x.jct), mem_new(w->n_jobs, sizeof *x.wait),
                         mem_new(w->n_jobs, sizeof *x.fairness) };
    struct tally all = { .scope = "all" }, class[CLASSES] = { { .scope = NULL } };
    struct tally *queue = mem_new(c->n_queues, sizeof *queue);
    k.m->memory = arena_new();
    struct filled sampled = { 0, 0 };
    for (job_id j = 0; j < workload_all(w); j++) {
        struct job_result r = run_job(s, j);
        struct told told = tell(s, j, &r);
        if (r.state == JOB_ABSENT)
            continue;
        tally_job(&all, &told);
        tally_job(&class[w->facts[j].class], &told);
        tally_job(&queue[w->facts[j].queue], &told);
        if (told.ended)
            sample_add(&x, &sampled, &(struct run_times){ true, told.jct_ns, r.wait_ns, r.fairness_micro });
    }
    quantiles_of(&all, &x);
    quantiles_by_group(s, class, CLASSES, &all, true, &x);
    quantiles_by_group(s, queue, c->n_queues, &all, false, &x);
    put_scope(&k, &all, true);
    summary_all_quota(&k, all.scope);
    put_groups(&k, class, CLASSES, NULL);
    put_groups(&k, queue, c->n_queues, c);
    models_summarise(&k);
    free(queue);
    free(x.jct);
    free(x.wait);
    free(x.fairness);
    return k.m;
}

void summary_free(struct summary *m)
{
    if (!m)
        return;
    free(m->metric);
    arena_free(m->memory);
    free(m);
}

const struct metric_kind *metric_find(const char *name)
{
    for (const struct metric_kind *m = metric_kinds; m->name; m++)
        if (!strcmp(m->name, name))
            return m;
    for (const struct run_model *const *of = run_models; *of; of++)
        for (const struct metric_kind *m = (*of)->metrics; m && m->name; m++)
            if (!strcmp(m->name, name))
                return m;
    return NULL;
}

double summary_value(const struct summary *m, const char *name, const char *scope)
{
    for (size_t i = 0; i < m->n; i++)
        if (!strcmp(m->metric[i].kind->name, name) && !strcmp(m->metric[i].scope, scope))
            return m->metric[i].value;
    return (double)NAN;
}
