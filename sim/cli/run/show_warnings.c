/* show_warnings.c - what is odd about a run, each in one line. */
#include "sim/cli/run/show.h"
#include "sim/run/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *s_if_many(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* How many were rejected, and the first of them with its reason: the others are in jobs.csv. */
static void rejected(const struct shown *x, uint32_t n)
{
    const struct workload *w = x->plan->workload;
    for (job_id j = 0; j < w->n_jobs; j++) {
        struct job_result r = run_job(x->run, j);
        if (r.outcome != OUTCOME_REJECTED)
            continue;
        warn("%" PRIu32 " job%s rejected; %s '%s': %s", n, s_if_many(n),
             n == 1 ? "it is" : "the first is", w->truth[j].name, r.refusal ? r.refusal : "no reason given");
        return;
    }
}

static void refused(const struct shown *x, const struct run_totals *t)
{
    for (unsigned i = 0; i < SCHED_RESULTS; i++)
        if (t->refused[i])
            warn("%" PRIu64 " request%s of policy %s refused by the world: %s", t->refused[i], s_if_many(t->refused[i]),
                 x->plan->policy.policy->name, sched_result_name[i]);
    if (t->sight_refused)
        warn("%" PRIu64 " question%s of policy %s for a true run time refused: it does not declare SEES_RUN_TIME",
             t->sight_refused, s_if_many(t->sight_refused), x->plan->policy.policy->name);
}

static void not_switched(const struct shown *x, const struct run_totals *t)
{
    for (size_t i = 0; i < x->plan->n_switches; i++)
        if (x->plan->change[i].time_ns > t->last_ns)
            warn("policy %s never took over: the run ended at %.15g s", x->plan->change[i].text, seconds(t->last_ns));
}

static void not_in_snapshot(const struct shown *x, const struct snapshot *n)
{
    const struct { uint32_t jobs; const char *which, *what; } untold[] = {
        { n->moved, "running jobs", "have another time of start in it, so that what a stop would cost comes out right" },
        { n->restarted, "waiting jobs that have run before", "will pay start_s in a run of it, where they would pay restart_s" },
        { n->suspended, "suspended jobs", "only wait in it, and have lost nothing" },
        { n->parts, "jobs of which tasks are still saving", "are without these in it" },
    };
    for (size_t i = 0; i < sizeof untold / sizeof *untold; i++)
        if (untold[i].jobs)
            warn("snapshot: %s (%" PRIu32 ") %s", untold[i].which, untold[i].jobs, untold[i].what);
    for (const char *const *what = n->unsaved; *what; what++)
        warn("snapshot: it does not say %s", *what);
    if (x->plan->cluster->period_ns && x->plan->options->snapshot_ns % x->plan->cluster->period_ns)
        warn("snapshot: passes come every %.15g s from time 0 on: from a time between two, a run of it has them at others",
             seconds(x->plan->cluster->period_ns));
}

void show_warnings(const struct shown *x)
{
    const struct run_totals *t = run_totals(x->run);
    if (x->plan->workload->n_skipped)
        warn("%" PRIu32 " row%s of the trace skipped: no job that ran", x->plan->workload->n_skipped,
             s_if_many(x->plan->workload->n_skipped));
    if (t->rejected)
        rejected(x, t->rejected);
    if (t->deadlocked)
        warn("deadlock: %" PRIu32 " job%s hold%s part of a gang and wait for the rest, for ever", t->deadlocked,
             s_if_many(t->deadlocked), t->deadlocked == 1 ? "s" : "");
    if (t->never_started)
        warn("%" PRIu32 " job%s never started: waiting for quota, limit, a dependency or behind a deadlock when all others were done",
             t->never_started, s_if_many(t->never_started));
    if (t->cut_off)
        warn("cut off: %" PRIu32 " job%s running, %" PRIu32 " waiting; no mean includes them", t->running,
             s_if_many(t->running), t->pending);
    not_switched(x, t);
    if (x->snapshot)
        not_in_snapshot(x, x->snapshot);
    refused(x, t);
}
