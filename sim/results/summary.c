/* summary.c - see summary.h. Sums of times are exact integers; the only rounding is the last division. */
#include "sim/results/summary.h"

#include "sim/base/memory.h"
#include "sim/engine/state.h"
#include "sim/engine/models.h"
#include "sim/results/rows.h"
#include "sim/results/summary_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


/* One job, for the tallies of all scopes that it is in. */
struct told {
    const struct job_result *r;
    int64_t jct_ns;               /* up to the end of the run, if it has not ended */
    bool on_demand, ended, had_service;
    bool counts;                  /* in means and quantiles of times */
    double slowdown, bounded;     /* of those that ended; slowdown of those that had service time */
};

static struct told tell(const struct sched *s, job_id j, const struct job_result *r)
{
    const struct workload *w = run_setup_of(s)->workload;
    int64_t service_ns = w->truth[j].duration_ns, bound_ns = service_ns > 10 * NS_PER_S ? service_ns : 10 * NS_PER_S;
    struct told x = { .r = r, .on_demand = j >= w->n_jobs, .had_service = service_ns > 0 };
    x.jct_ns = r->wait_ns + r->run_ns;
    x.ended = !x.on_demand && r->state == JOB_GONE && r->outcome != OUTCOME_REJECTED;
    x.counts = !x.on_demand && j >= run_setup_of(s)->warmup_jobs && !(r->state == JOB_GONE && r->outcome == OUTCOME_REJECTED);
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
    sum_add(&t->bounded, x->bounded);
    if (x->had_service) {
        t->had_service++;
        sum_add(&t->slowdown, x->slowdown);
        t->fairness_kept += r->fairness_micro <= MILLIONTHS;
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
    if (x->ended)
        t->last_ns = r->end_ns > t->last_ns ? r->end_ns : t->last_ns;
    if (!x->counts)
        return;
    t->censored_jobs++;
    t->censored_ns += x->jct_ns;
    if (x->ended)
        tally_end(t, x);
}

/* ---- From tallies to rows ---- */

void summary_put_kind(struct summary_builder *k, const struct metric_kind *kind, const char *scope, double value, uint64_t n)
{
    mem_grow(&k->m->metric, &k->capacity, k->m->n, sizeof *k->m->metric);
    k->m->metric[k->m->n++] = (struct metric){ kind, scope, n ? value : (double)NAN, n };
}

void summary_put(struct summary_builder *k, unsigned metric, const char *scope, double value, uint64_t n)
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

static void put_quantiles(struct summary_builder *k, const struct tally *t, unsigned p50, unsigned which)
{
    for (unsigned i = 0; i < 3; i++)
        summary_put(k, p50 + i, t->scope, t->quantile_s[which][i], t->ended);
}

static void put_jobs(struct summary_builder *k, const struct tally *t, bool all)
{
    summary_put(k, JOBS_SUBMITTED, t->scope, (double)t->jobs, t->jobs);
    for (unsigned m = JOBS_COMPLETED; m <= JOBS_PENDING; m++)
        summary_put(k, m, t->scope, (double)t->count[m], t->jobs);
    if (all) {
        summary_put(k, JOBS_NEVER_STARTED, t->scope, k->totals->never_started, t->jobs);
        summary_put(k, JOBS_DEADLOCKED, t->scope, k->totals->deadlocked, t->jobs);
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

static void put_gpus(struct summary_builder *k, const struct tally *t, bool all)
{
    const struct run_totals *r = k->totals;
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

static void put_fairness(struct summary_builder *k, const struct tally *t)
{
    summary_put(k, FAIRNESS_P95, t->scope, t->fairness_p95, t->had_service);
    summary_put(k, FAIRNESS_MAX, t->scope, (double)t->worst_fairness / MILLIONTHS, t->had_service);
    summary_put(k, FAIRNESS_KEPT, t->scope, (double)t->fairness_kept / (double)t->had_service, t->had_service);
}

void summary_put_scope(struct summary_builder *k, const struct tally *t, bool all)
{
    put_jobs(k, t, all);
    put_gpus(k, t, all);
    put_fairness(k, t);
}

const char *summary_scope(struct summary_builder *k, const char *kind, const char *name)
{
    size_t length = strlen(kind) + strlen(name) + 2;
    char *text = arena_alloc(k->m->memory, length);
    snprintf(text, length, "%s=%s", kind, name);
    return text;
}

void summary_put_classes(struct summary_builder *k, struct tally *class)
{
    for (size_t i = 0; i < CLASSES; i++) {
        if (!class[i].jobs)
            continue;
        class[i].scope = summary_scope(k, "class", rows_class((enum job_class)i));
        summary_put_scope(k, &class[i], false);
    }
}

static void put_queues(struct summary_builder *k, struct tally *queue, const struct cluster *c)
{
    for (queue_id q = 0; q < c->n_queues; q++) {
        if (run_queue_quota(k->s, q)->used && c->queue[q].first_child != ID_NONE)
            summary_queue_quota(k, summary_scope(k, "queue", c->queue[q].name), q);
        if (!queue[q].jobs)
            continue;
        queue[q].scope = summary_scope(k, "queue", c->queue[q].name);
        summary_put_scope(k, &queue[q], false);
        summary_queue_quota(k, queue[q].scope, q);
    }
}

/* ---- Adding up ---- */

void summary_add_up(const struct parts *p, struct tallies *t)
{
    uint32_t n_jobs = run_setup_of(p->of[0])->workload->n_jobs;
    struct samples x = { mem_new(n_jobs, sizeof *x.jct), mem_new(n_jobs, sizeof *x.wait), mem_new(n_jobs, sizeof *x.fairness) };
    struct filled sampled = { 0, 0 };
    t->all.scope = "all";
    t->queue = mem_new(t->n_queues, sizeof *t->queue);
    t->run = mem_new(p->n, sizeof *t->run);
    for (size_t i = 0; i < p->n; i++) {
        const struct workload *w = run_setup_of(p->of[i])->workload;
        for (job_id j = 0; j < workload_all(w); j++) {
            struct job_result r = run_job(p->of[i], j);
            struct told told = tell(p->of[i], j, &r);
            if (r.state == JOB_ABSENT)
                continue;
            tally_job(&t->all, &told);
            tally_job(&t->class[w->facts[j].class], &told);
            tally_job(&t->queue[parts_queue(p, i, w->facts[j].queue)], &told);
            if (p->n > 1)
                tally_job(&t->run[i], &told);
            if (told.ended && told.counts)
                summary_sample(&x, &sampled, &(struct run_times){ true, told.jct_ns, r.wait_ns, r.fairness_micro });
        }
    }
    if (p->n == 1)
        t->run[0] = t->all;
    summary_quantiles(&t->all, &x);
    summary_group_quantiles(p, t->class, CLASSES, &t->all, BY_CLASS, &x);
    summary_group_quantiles(p, t->queue, t->n_queues, &t->all, BY_QUEUE, &x);
    summary_group_quantiles(p, t->run, p->n, &t->all, BY_RUN, &x);
    free(x.jct);
    free(x.wait);
    free(x.fairness);
}

void summary_tallies_free(struct tallies *t)
{
    free(t->queue);
    free(t->run);
}

struct summary *summary_make(const struct sched *s)
{
    const struct cluster *c = run_setup_of(s)->cluster;
    struct summary_builder k = { .m = mem_new(1, sizeof *k.m), .s = s, .totals = run_totals(s) };
    struct tallies t = { .n_queues = c->n_queues };
    k.m->memory = arena_new();
    summary_add_up(&(struct parts){ .n = 1, .of = &s }, &t);
    summary_put_scope(&k, &t.all, true);
    summary_all_quota(&k, t.all.scope);
    summary_put_classes(&k, t.class);
    put_queues(&k, t.queue, c);
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->summarise)
            s->model[i]->summarise(&k);
    summary_tallies_free(&t);
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

double summary_value(const struct summary *m, const char *name, const char *scope)
{
    for (size_t i = 0; i < m->n; i++)
        if (!strcmp(m->metric[i].kind->name, name) && !strcmp(m->metric[i].scope, scope))
            return m->metric[i].value;
    return (double)NAN;
}
