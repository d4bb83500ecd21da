/* powered_schedule.h - small schedules on a cluster from the text of a file: for sections that
 * schedule.h has no fields for. */
#pragma once
#include "tests/support/from_yaml.h"
#include "tests/support/schedule.h"

struct text_schedule {
    const char *name, *yaml, *policy;
    struct job jobs[JOBS_AT_MOST];        /* up to the first that does not last */
    const char *placer;                   /* NULL: pack */
    uint64_t seed;
};

/* A run that has been played; the caller puts it away. taken may be NULL. */
static inline struct sched *text_played(const struct text_schedule *row, struct taken *taken)
{
    struct error err = { "" };
    struct cluster *c = cluster_of_text(row->yaml, &err);
    if (!c)
        fail_msg("%s", err.text);
    size_t n = 0;
    while (n < JOBS_AT_MOST && row->jobs[n].lasts > 0)
        n++;
    struct workload *w = workload_of(row->jobs, n);
    struct named_policy policy = policy_named(row->policy);
    struct named_placer placer = placer_with(row->placer ? row->placer : "pack");
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = policy.policy, .policy_params = policy.params,
                                                   .placer = placer.placer, .placer_params = placer.params, .seed = row->seed, .check = true,
                                                   .observer = { .self = taken, .interval = taken ? note_interval : NULL } });
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    return s;
}

static inline void put_away(struct sched *s)
{
    struct run_setup setup = *run_setup_of(s);
    run_free(s);
    workload_free(setup.workload);
    cluster_free((struct cluster *)(uintptr_t)setup.cluster);
}

/* Starts, ends and what else the rows of jobs say, as schedule.h compares it. */
static inline void text_plays(void **state)
{
    const struct text_schedule *row = *state;
    struct taken taken = { { "" } };
    struct error err = { "" };
    struct sched *s = text_played(row, &taken);
    const struct workload *w = run_setup_of(s)->workload;
    for (job_id j = 0; j < w->n_jobs && !*err.text; j++) {
        size_t i = strtoul(w->truth[j].name, NULL, 10) - 1; /* rows need not be in the order of time */
        struct job_result got = run_job(s, j);
        same_job(&err, &row->jobs[i], i, &got, taken.text[j]);
    }
    put_away(s);
    if (*err.text)
        fail_msg("%s", err.text);
}

/* A cluster file and its options. */
struct bad_text { const char *name, *text, *error; };
static inline void text_is_refused(void **state)
{
    const struct bad_text *row = *state;
    struct error err = { "" };
    assert_null(cluster_of_text(row->text, &err));
    assert_string_equal(err.text, row->error);
}
