/* test_meta_federation.c - jobs over several members, over random worlds and for every policy
 * and placer: each job is in exactly one member, each member's books balance (run_end() checks
 * them), a federation of one is the plain run, and of two equal members least-wait is no worse
 * than sending all to one. */
#include "sim/federation/router.h"
#include "tests/support/named.h"
#include "tests/support/random_world.h"

#include <math.h>

enum { MEMBERS_MOST = 3, SEEDS = 2, ORDER_SEEDS = 60 };

struct together {
    size_t n;
    struct federation rule;
    struct federation_member name[MEMBERS_MOST];
    struct federation_queue queue[1];
    struct world world[MEMBERS_MOST];
    struct run_setup setup[MEMBERS_MOST];
    struct sched *run[MEMBERS_MOST];
    struct router *router;
    bool stalled;
};

/* The jobs of one world on the clusters of others; every other seed GPUs fail. */
static struct together *members_of(uint64_t seed, size_t n, bool alike)
{
    struct together *t = mem_new(1, sizeof *t);
    t->n = n;
    for (size_t m = 0; m < n; m++) {
        struct world other = random_world(seed + (alike ? 0 : 1000 * m));
        t->world[m] = random_world(seed);
        memcpy(t->world[m].group, other.group, sizeof other.group);
        t->world[m].n_groups = other.n_groups;
        t->world[m].overhead = other.overhead;
        t->world[m].furnish = seed % 2 ? gpus_fail_often : NULL;
        t->name[m] = (struct federation_member){ .name = queue_name(m) };
    }
    t->rule = (struct federation){ .path = "f", .n = n, .member = t->name, .queue = t->queue, .others = (uint32_t)n - 1,
                                   .first_run_ns = 20 * NS_PER_S, .limit_ns = (int64_t)(seed % 5) * 5 * NS_PER_S };
    return t;
}

static void play(struct together *t, const struct combination *k, uint64_t seed)
{
    struct error err = { "" };
    t->router = router_new(&t->rule, (uint32_t)t->world[0].n_jobs);
    for (size_t m = 0; m < t->n; m++) {
        t->setup[m] = world_setup(&t->world[m], k, seed);
        t->setup[m].part = router_part(t->router, (uint32_t)m);
        t->run[m] = run_new(&t->setup[m]);
    }
    t->stalled = router_execute(t->router, t->run, &err) != 0;
    if (t->stalled && strcmp(k->placer->name, "consolidate"))
        fail_msg("%s, seed %u: %s", k->name, (unsigned)seed, err.text);
}

static void done(struct together *t)
{
    for (size_t m = 0; m < t->n; m++) {
        run_free(t->run[m]);
        world_done(&t->setup[m]);
    }
    router_free(t->router);
    free(t);
}

static size_t n_played, n_elsewhere;

static void each_job_is_somewhere(const struct combination *k, uint64_t seed)
{
    for (enum route route = ROUTE_QUEUE; route <= ROUTE_SPILL; route++) {
        struct together *t = members_of(seed, 2 + seed % 2, false);
        t->rule.route = route;
        t->queue[0] = (struct federation_queue){ "a", 0 };
        t->rule.n_queues = 1;
        play(t, k, seed);
        for (job_id j = 0; j < t->world[0].n_jobs && !t->stalled; j++) {
            size_t found = 0;
            for (size_t m = 0; m < t->n; m++)
                if (run_job(t->run[m], j).state != JOB_ABSENT) {
                    found++;
                    n_elsewhere += m > 0;
                    assert_int_equal(router_member(t->router, j), m);
                }
            assert_int_equal(found, 1);
            n_played++;
        }
        for (size_t m = 1; m < t->n && !t->stalled; m++)
            assert_int_equal(run_totals(t->run[m])->last_ns, run_totals(t->run[0])->last_ns);
        done(t);
    }
}

static void in_exactly_one(void **state)
{
    (void)state;
    each_combination(SEEDS, each_job_is_somewhere);
    assert_true(n_played > 10000);
    assert_in_range(n_elsewhere, n_played / 10, n_played - n_played / 10);
}

static void one_is_plain(const struct combination *k, uint64_t seed)
{
    struct together *t = members_of(seed, 1, true);
    t->rule.route = seed % 2 ? ROUTE_LEAST_WAIT : ROUTE_SPILL;
    play(t, k, seed);
    struct outcome plain = world_run(&t->world[0], k, seed, (struct run_observer){ .self = NULL });
    assert_int_equal(plain.stalled, t->stalled);
    for (job_id j = 0; j < t->world[0].n_jobs && !t->stalled; j++) {
        struct job_result r = run_job(t->run[0], j);
        assert_same_jobs(&plain.job[j], &r, "%s, seed %u: job %zu", k->name, (unsigned)seed, (size_t)j);
    }
    const struct run_totals *of = run_totals(t->run[0]);
    if (!t->stalled)
        assert_true(of->events == plain.totals.events && of->passes == plain.totals.passes && of->held == plain.totals.held &&
                    of->capacity == plain.totals.capacity && of->waiting == plain.totals.waiting && of->last_ns == plain.totals.last_ns);
    done(t);
}

static void of_one_is_the_plain_run(void **state)
{
    (void)state;
    each_combination(SEEDS, one_is_plain);
}

static double wait_s(const struct together *t)
{
    double sum = 0;
    for (job_id j = 0; j < t->world[0].n_jobs; j++)
        sum += seconds(run_job(t->run[router_member(t->router, j)], j).wait_ns);
    return sum / (double)t->world[0].n_jobs;
}

/* The control: all to the second member are as many waits as all to the first. */
static void two_are_no_worse(void **state)
{
    struct combination k = { .policy = policy_named("fifo").policy, .placer = placer_named("pack"), .name = "fifo" };
    size_t better = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 2 * ORDER_SEEDS; seed += 2) {
        static const enum route route[] = { ROUTE_LEAST_WAIT, ROUTE_QUEUE, ROUTE_QUEUE };
        double mean[3];
        for (size_t i = 0; i < 3; i++) {
            struct together *t = members_of(seed, 2, true);
            t->rule.route = route[i];
            t->rule.others = i == 2;
            play(t, &k, seed);
            mean[i] = wait_s(t);
            done(t);
        }
        if (mean[0] > mean[1])
            fail_msg("seed %u: mean wait %g s over two members, %g s on one", (unsigned)seed, mean[0], mean[1]);
        better += mean[0] < mean[1];
        assert_true(mean[1] == mean[2]);
    }
    assert_in_range(better, ORDER_SEEDS / 2, ORDER_SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(in_exactly_one), cmocka_unit_test(of_one_is_the_plain_run),
                                        cmocka_unit_test(two_are_no_worse) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
