/* cohort_stops.h - runs of cohorts, their stops, and those without use: at the very time of which no job starts. It need not
 * be the preemptor: others may go before it. */
#pragma once
#include "tests/support/built.h"
#include "tests/support/named.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

#include <string.h>

enum { STOPS_MOST = 4096, STOPS_JOBS = 64 };
struct stops_seen {
    int64_t stopped_ns[STOPS_JOBS];           /* of each job, last; 0: never */
    struct { int64_t time_ns; bool start; } event[STOPS_MOST];
    size_t n;
};

/* One decision of the run's log. */
static void stops_note(struct stops_seen *x, job_id j, int64_t now_ns, const char *kind, const char *decision)
{
    if (!strcmp(kind, "stop"))
        x->stopped_ns[j] = now_ns;
    bool start = !strcmp(kind, "start"), stop = !strcmp(kind, "stop") && !strcmp(decision, "preempted");
    if (!start && !stop)
        return;
    assert_true(x->n < STOPS_MOST);
    x->event[x->n].time_ns = now_ns;
    x->event[x->n++].start = start;
}

static void stops_count(const struct stops_seen *x, unsigned *stops, unsigned *in_vain)
{
    for (size_t i = 0; i < x->n; i++) {
        bool gained = x->event[i].start;
        for (size_t k = 0; k < x->n && !gained; k++)
            gained = x->event[k].start && x->event[k].time_ns == x->event[i].time_ns;
        *stops += !x->event[i].start;
        *in_vain += !gained;
    }
}

/* Runs the jobs on a cluster where stopping is free and takes no time. setup: policy and observer; results [n], or NULL. */
static void stops_run(const struct cluster_given *given, const struct job_row *job, uint32_t n, const char *placer,
                      struct run_setup setup, struct job_result *results)
{
    struct error err = { "" };
    struct culprit culprit;
    struct cluster *c = cluster_assemble(given, &culprit, &err);
    if (!c)
        fail_msg("%s", err.text);
    c->overhead.checkpoint = CHECKPOINT_PERFECT;
    struct workload *load = built_workload(c, job, n);
    setup.cluster = c;
    setup.workload = load;
    setup.seed = 1;
    setup.placer = placer_named(placer);
    setup.check = true;
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    for (job_id j = 0; results && j < n; j++)
        results[j] = run_job(s, j);
    run_free(s);
    workload_free(load);
    cluster_free(c);
}
