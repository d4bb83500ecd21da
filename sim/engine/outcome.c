/* outcome.c - what came of a run: jobs, totals, levels. */
#include "sim/accounting/books.h"
#include "sim/engine/jobs.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/state.h"
#include "sim/scheduler/waiting.h"

#include <string.h>

bool run_takes(const struct sched *s, job_id j)
{
    return !s->setup.part.takes || s->setup.part.takes(s->setup.part.self, j);
}

int64_t on_demand_submit_ns(const struct sched *s, job_id j)
{
    return on_demand(s, j) ? on_demand_lives(s, j)->first_ns : s->workload->facts[j].submit_ns;
}

int64_t on_demand_there_ns(const struct sched *s, job_id j, int64_t until_ns)
{
    return until_ns - on_demand_submit_ns(s, j) - (on_demand(s, j) ? on_demand_lives(s, j)->absent_ns : 0);
}

void run_job_read(const struct sched *s, job_id j, struct job_result *to)
{
    const struct job_run *run = s->job[j].state == JOB_ABSENT ? &job_run_begun : &s->job[j];
    const struct job_cost cost = job_cost(s, j);
    int64_t milli = request_gpu_milli(ask_of(s, j));
    struct gpu_time t = { (int128_t)run->run_ns * milli, (int128_t)cost.lost_ns * milli, (int128_t)cost.overhead_ns * milli };
    if (s->gpu_time)
        t = s->gpu_time[j];
    to->state = run->state;
    to->outcome = run->outcome;
    to->submit_ns = on_demand_submit_ns(s, j);
    to->start_ns = run->start_ns;
    to->end_ns = run->end_ns;
    to->run_ns = run->run_ns;
    to->lost_ns = cost.lost_ns;
    to->overhead_ns = cost.overhead_ns;
    to->held = t.held;
    to->lost = t.lost;
    to->overhead = t.overhead;
    to->fairness_micro = books_fairness_micro(s, j);
    to->preemptions = cost.preemptions;
    to->restarts = cost.restarts;
    to->distance = run->distance;
    to->refusal = job_refusal(s, j);
    memset(to->waits, 0, sizeof to->waits);
    to->wait_ns = wait_parts(s, run, to->waits);
}

struct job_result run_job(const struct sched *s, job_id j)
{
    struct job_result r;
    run_job_read(s, j, &r);
    return r;
}

uint64_t run_refused(const struct run_totals *t, unsigned why)
{
    uint64_t n = 0;
    for (unsigned verb = 0; verb < VERBS; verb++)
        n += t->refused[verb][why].n;
    return n;
}

struct run_times run_times(const struct sched *s, job_id j)
{
    const struct job_run *run = &s->job[j];
    if (run->state != JOB_GONE || !outcome_was_served(run->outcome) || on_demand(s, j) || j < s->setup.warmup_jobs)
        return (struct run_times){ .ended = false };
    int64_t jct_ns = run->end_ns - s->workload->facts[j].submit_ns;
    return (struct run_times){ true, jct_ns, jct_ns - run->run_ns, books_fairness_micro(s, j) };
}

const struct run_totals *run_totals(const struct sched *s)
{
    return &s->totals;
}

int128_t run_node_account(const struct sched *s, node_id n, enum account a)
{
    return s->ledger.node_account[a][n];
}

struct run_level run_level(const struct sched *s)
{
    return (struct run_level){
        .now_ns = s->now_ns,
        .gpus_milli = s->ledger.held_milli,
        .busy_milli = s->ledger.busy_milli,
        .waiting_milli = s->ledger.waiting_milli,
        .up_milli = s->ledger.up_milli,
        .running = s->ledger.running,
        .waiting = s->ledger.waiting,
        .done = s->totals.completed + s->totals.failed + s->totals.cancelled + s->totals.rejected,
        .of_models = s->happened.series_changes,
    };
}

void run_read_to(const struct sched *s, job_id end)
{
    enum { STORED_TOGETHER = 8192 };
    if (end % STORED_TOGETHER == 0)
        bulk_filled_to(s->job, end, sizeof *s->job);
}

void run_drop(const struct sched *s, job_id j)
{
    workload_drop(s->workload, j);
    bulk_pass(s->job, j, sizeof *s->job);
    waits_drop(s);
}

const struct run_setup *run_setup_of(const struct sched *s)
{
    return &s->setup;
}

