/* test_young_daly.c - a job that writes checkpoints and is thrown back at the points of a
 * Poisson process, through the whole simulator, against the closed form of models.md 3.4 (Daly
 * 2006, eq. 13). */
#include "sim/base/random.h"
#include "sim/models/checkpoint_laws.h"
#include "tests/support/schedule.h"

#include <math.h>

#define WORK_S    1e8             /* as models.md 3.4 says */
#define RESTART_S 300.0

/* E[T]/W as printed in models.md 3.4, for R = 300 and Daly's interval. */
static const struct row { const char *name; double write_s, mtbf_s, wall; } rows[] = {
    { "a minute, a day", 60, 86400, 1.0418239 },
    { "a minute, 7.9 hours", 60, 28440, 1.0791961 },
    { "two minutes, three hours", 120, 10800, 1.1979917 },
};

/* Jobs of no length and higher priority stand for the failures: they take what they need at once
 * and give it back, and the victim, given no grace, falls back to its last durable checkpoint. */
static struct workload *with_interruptions(double mtbf_s, uint64_t seed)
{
    struct error err = { "" };
    struct workload *w = workload_new();
    struct random r;
    random_init(&r, seed, "interruptions", 0);
    job_add(w, &(struct job){ .lasts = WORK_S, .gpus = 1 });
    for (double at = 0; at < 2 * WORK_S;) {
        at -= mtbf_s * log(random_uniform(&r));
        job_add(w, &(struct job){ .at = at, .gpus = 1, .priority = 1 });
    }
    assert_int_equal(workload_finish(w, "test", &err), 0);
    return w;
}

/* Wall time by work. */
static double played(const struct row *row, double interval_s, uint64_t seed)
{
    struct error err = { "" };
    const struct group_spec group[GROUPS_AT_MOST] = { NODES(1, 1) };
    struct cluster *c = cluster_of(group, NULL);
    c->overhead = (struct overhead){
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = ns_of_seconds(interval_s), .save_ns = -1, .blocking = 1,
        .write_ns = ns_of_seconds(row->write_s), .restart_ns = ns_of_seconds(RESTART_S),
    };
    struct workload *w = with_interruptions(row->mtbf_s, seed);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct named_policy policy = policy_named("priority:preempt=yes");
    struct named_placer placer = placer_with("pack");
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = policy.policy, .policy_params = policy.params,
                                                   .placer = placer.placer, .placer_params = placer.params });
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    struct job_result r = run_job(s, 0);
    assert_true(r.preemptions > 1000);
    double wall = seconds(r.end_ns) / WORK_S;
    run_free(s);
    workload_free(w);
    cluster_free(c);
    return wall;
}

static void as_the_closed_form(void **state)
{
    const struct row *row = *state;
    double daly_s = daly_interval_s(row->write_s, row->mtbf_s), wall = played(row, daly_s, 1);
    if (fabs(wall / row->wall - 1) > .01)
        fail_msg("want %.7f within 1%%, got %.7f", row->wall, wall);
    /* negative control: four times as long an interval is another law, by more than that, and agrees with its own */
    double longer = played(row, 4 * daly_s, 1), want = expected_wall_s(1, 4 * daly_s, row->write_s, RESTART_S, row->mtbf_s);
    assert_true(fabs(longer / row->wall - 1) > .01);
    if (fabs(longer / want - 1) > .01)
        fail_msg("four times as long: want %.7f within 1%%, got %.7f", want, longer);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, as_the_closed_form, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
