/* test_model_example.c - the example of a physical model (tests/examples/slower.c) in runs with all models, times by hand.
 *
 * FACTOR is 1.25, so a job of E s takes 1.25 E s and GPU time beyond that at full speed is 0.25 E x its GPUs. */
#include "sim/base/memory.h"
#include "sim/physics/physics.h"
#include "sim/results/harvest.h"
#include "sim/results/rows.h"
#include "sim/results/summary_builder.h"
#include "tests/support/schedule.h"

#include "tests/examples/slower.c"

#include <unistd.h>

enum { ROWS = 4 };
struct example {
    const char *name, *policy;
    struct job jobs[ROWS];        /* starts, ends with the model */
    double alone_ends[ROWS];      /* without it */
    double beyond_gpu_s[ROWS];
};
static const struct example rows[] = {
    /* On two GPUs. 100 x 1.25 = 125; then 40 x 1.25 = 50. Without: 100, then 40. */
    { "one job, then a wider one", "fifo", { { 0, 100, 1, 0, 125 }, { 10, 40, 2, 125, 175 } }, { 100, 140 }, { 25, 20 } },
    /* On both GPUs. By 25 s the first job has done 20 s of its work; the second takes 8 x 1.25 = 10 s until 35; then 80 s are
     * left: 100 s, until 135. Without: stopped at 25, back at 33, 75 s left: 108. Nothing is lost (FREE_OF_CHARGE). */
    { "preempted and resumed", "priority:preempt=yes", { { 0, 100, 2, 0, 135, .stops = 1 }, { 25, 8, 2, 25, 35, .priority = 1 } },
      { 108, 33 }, { 50, 4 } },
    { "no length", "fifo", { { 3, 0, 1, 3, 3 } }, { 3 }, { 0 } },
};

static size_t jobs_in(const struct example *row)
{
    size_t n = 0;
    while (n < ROWS && row->jobs[n].gpus)
        n++;
    return n;
}

struct played { struct cluster *cluster; struct workload *workload; struct sched *s; };

static struct played play(const struct example *row, const struct run_model *const *models)
{
    static const struct overhead free_of_charge = FREE_OF_CHARGE;
    static const struct group_spec nodes[GROUPS_AT_MOST] = { NODES(1, 2) };
    struct error err = { "" };
    struct played p = { cluster_of(nodes, NULL), workload_of(row->jobs, jobs_in(row)), NULL };
    struct named_policy policy = policy_named(row->policy);
    p.cluster->overhead = free_of_charge;
    assert_int_equal(run_bind(p.cluster, p.workload, &err), 0);
    p.s = run_new(&(struct run_setup){ .cluster = p.cluster, .workload = p.workload, .policy = policy.policy,
                                       .policy_params = policy.params, .placer = placer_named("pack"), .check = true, .models = models });
    if (run_execute(p.s, &err))              /* all identities, the model's too */
        fail_msg("%s", err.text);
    return p;
}

static void played_free(struct played *p)
{
    run_free(p->s);
    workload_free(p->workload);
    cluster_free(p->cluster);
}

/* Every model there is, and the example. */
static const struct run_model **with_example(void)
{
    size_t n = 0;
    while (physics_models[n])
        n++;
    const struct run_model **all = mem_new(n + 2, sizeof *all);
    memcpy(all, physics_models, n * sizeof *all);
    all[n] = &slower_model;
    return all;
}

/* Line `line` of jobs.csv, from 0; its last field. */
static double last_field(const struct sched *s, size_t line, char *text, size_t room)
{
    struct error err = { "" };
    FILE *f = tmpfile();
    struct output *o = output_stream(dup(fileno(f)), "jobs.csv");
    tally_walk_free(harvest_end(harvest_begin(s, o)));
    assert_int_equal(output_commit(o, &err), 0);
    rewind(f);
    for (size_t i = 0; i <= line; i++)
        assert_non_null(fgets(text, (int)room, f));
    fclose(f);
    text[strcspn(text, "\n")] = '\0';
    return strtod(strrchr(text, ',') + 1, NULL);
}

static void times_rows_and_metric(void **state)
{
    const struct example *row = *state;
    const struct run_model **models = with_example();
    struct played p = play(row, models);
    struct summary *m = summary_make(p.s);
    char text[4096];
    double sum = 0;
    last_field(p.s, 0, text, sizeof text);
    assert_string_equal(strrchr(text, ','), ",slower_gpu_s");
    for (job_id j = 0; j < jobs_in(row); j++) {
        struct job_result r = run_job(p.s, j);
        assert_int_equal(r.start_ns, ns_of_seconds(row->jobs[j].starts));
        assert_int_equal(r.end_ns, ns_of_seconds(row->jobs[j].ends));
        assert_int_equal(r.preemptions, row->jobs[j].stops);
        assert_near(last_field(p.s, j + 1, text, sizeof text), row->beyond_gpu_s[j], 1e-6);
        sum += row->beyond_gpu_s[j];
    }
    assert_near(summary_value(m, "slower_gpu_h", "all"), sum / 3600, 1e-12);
    summary_free(m);
    played_free(&p);
    free(models);
}

/* Control: without the model full speed, and no column and no metric. */
static void without_it(void **state)
{
    const struct example *row = *state;
    struct played p = play(row, NULL);
    struct summary *m = summary_make(p.s);
    char text[4096];
    last_field(p.s, 0, text, sizeof text);
    assert_null(strstr(text, "slower"));
    assert_true(isnan(summary_value(m, "slower_gpu_h", "all")));
    for (job_id j = 0; j < jobs_in(row); j++)
        assert_int_equal(run_job(p.s, j).end_ns, ns_of_seconds(row->alone_ends[j]));
    summary_free(m);
    played_free(&p);
}

/* Control of the identity: a nanosecond too much of one job is found. */
static void identity_is_checked(void **state)
{
    (void)state;
    const struct run_model **models = with_example();
    struct played p = play(&rows[0], models);
    struct slower *x = model_state(p.s, &slower_model);
    struct error err = { "" };
    assert_int_equal(models_check(p.s, &err), 0);
    x->job[0]++;
    assert_int_equal(models_check(p.s, &err), -1);
    assert_string_equal(err.text, "slower: GPU time by job and in all differ");
    played_free(&p);
    free(models);
}

int main(void)
{
    struct CMUnitTest test[2 * COUNT(rows) + 1];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        test[n++] = (struct CMUnitTest){ .name = rows[i].name, .test_func = times_rows_and_metric, .initial_state = (void *)&rows[i] };
        test[n++] = (struct CMUnitTest){ .name = "without it", .test_func = without_it, .initial_state = (void *)&rows[i] };
    }
    test[n++] = (struct CMUnitTest){ .name = "its identity is checked", .test_func = identity_is_checked };
    return cmocka_run_group_tests(test, NULL, NULL);
}
