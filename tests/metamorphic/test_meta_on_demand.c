/* test_meta_on_demand.c - jobs that the run itself submits and withdraws, at any moment and
 * several times, under every policy and placer: they come and go when they should, whatever they
 * are doing, and the identities of release builds hold. */
#include "sim/engine/models.h"
#include "sim/engine/on_demand.h"
#include "tests/support/random_world.h"

enum { SEEDS = 4, ON_DEMAND = 24 };
static struct drawn {
    struct random random;
    uint32_t left[ON_DEMAND];     /* changes of mind still to come */
    int64_t came_ns[ON_DEMAND], there_ns[ON_DEMAND];
    uint32_t lives, withdrawn_in[JOB_STATES], leaving;
    job_id first;
} drawn;

static int64_t some_time_ns(void)
{
    return (int64_t)random_below(&drawn.random, 4) * (int64_t)random_below(&drawn.random, 12) * NS_PER_S;
}

static void next_change(struct sched *s, job_id j)
{
    uint32_t i = j - drawn.first;
    if (!drawn.left[i] && !on_demand_is_there(s, j)) {
        run_open(s, -1);
        return;
    }
    drawn.left[i] -= drawn.left[i] > 0;
    event_queue_push(s->events, (struct event){ s->now_ns + NS_PER_S + some_time_ns(), EVENT_SESSION, j });
}

static void mind_changes(struct sched *s, const struct event *e)
{
    job_id j = e->subject;
    uint32_t i = j - drawn.first;
    if (on_demand_is_there(s, j)) {
        drawn.withdrawn_in[s->job[j].state]++;
        drawn.there_ns[i] += s->now_ns - drawn.came_ns[i];
        on_demand_withdraw(s, j, random_below(&drawn.random, 2) ? FATE_COMPLETED : FATE_CANCELLED, "enough");
    } else if (!live_of(s, j) && drawn.left[i]) {
        drawn.lives++;
        drawn.came_ns[i] = s->now_ns;
        on_demand_submit(s, j);
    } else {
        drawn.leaving += live_of(s, j) != NULL;    /* of an earlier life, still */
    }
    next_change(s, j);
}

static int64_t start_up(const struct sched *s, job_id j, const struct placement *on, bool first)
{
    (void)s;
    return on && !on_demand(s, j) ? -1 : (first ? 2 : 1) * (int64_t)(j % 3) * NS_PER_S;
}

static const struct run_model minds = { .name = "minds", .events = 1u << EVENT_SESSION, .happens = mind_changes, .start_up = start_up };

static void prepare(struct sched *s, uint64_t seed)
{
    drawn = (struct drawn){ .first = s->workload->n_jobs };
    random_init(&drawn.random, seed, "minds", 0);
    models_add(s, &minds);
    for (uint32_t i = 0; i < s->workload->n_on_demand; i++) {
        run_open(s, 1);
        drawn.left[i] = 1 + (uint32_t)random_below(&drawn.random, 8);
        event_queue_push(s->events, (struct event){ s->now_ns + some_time_ns(), EVENT_SESSION, drawn.first + i });
    }
}

static struct { uint32_t lives, state[JOB_STATES], leaving, runs; } all;

/* A job that is withdrawn while it leaves, or while tasks of it save, is there for a little
 * longer. */
static void times_add_up(const struct combination *k, const struct world *w, const struct outcome *out)
{
    for (uint32_t i = 0; i < w->n_on_demand; i++) {
        const struct job_result *r = &out->job[w->n_jobs - w->n_on_demand + i];
        bool refused = named(k, "loss");
        assert_true(r->state == JOB_GONE || r->state == JOB_ABSENT);
        assert_int_equal(r->fairness_micro, -1);
        if (r->state == JOB_GONE && !refused && r->wait_ns + r->run_ns < drawn.there_ns[i])
            fail_msg("%s: a job on demand was there for %g s, and its times add up to %g s", k->name, seconds(drawn.there_ns[i]),
                     seconds(r->wait_ns + r->run_ns));
    }
}

static void come_and_go(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed);
    if (!named(k, "gang"))        /* its strict line may be blocked for ever by a job with groups that fit nowhere */
        random_groups(&w, seed);
    w.n_on_demand = w.n_jobs < 2 * ON_DEMAND ? w.n_jobs / 2 : ON_DEMAND;
    w.prepare = prepare;
    w.overhead.save_ns = 9 * NS_PER_S;
    w.overhead.grace_ns = 12 * NS_PER_S;
    if (seed % 2)
        w.furnish = gpus_fail_often;
    if (strstr(k->name, "continuous=yes"))    /* round robin: where stops have a price, nobody may ever get anywhere */
        w.overhead.checkpoint = CHECKPOINT_PERFECT, w.overhead.restart_ns = 0;
    struct outcome out = world_run(&w, k, seed, (struct run_observer){ .self = NULL });
    if (!out.stalled)
        times_add_up(k, &w, &out);
    all.runs++;
    all.lives += drawn.lives;
    all.leaving += drawn.leaving;
    for (unsigned i = 0; i < JOB_STATES; i++)
        all.state[i] += drawn.withdrawn_in[i];
}

static void whatever_they_are_doing(void **state)
{
    (void)state;
    each_combination(SEEDS, come_and_go);
    printf("%u runs, %u lives; withdrawn while", all.runs, all.lives);
    for (unsigned i = 0; i < JOB_STATES; i++)
        printf(" %s %u,", life_state_name(i), all.state[i]);
    printf(" and still leaving when wanted again %u\n", all.leaving);
    for (unsigned i = JOB_PENDING; i <= JOB_GATHERING; i++)
        assert_true(all.state[i] > 20);
}

/* A job on demand that is never submitted leaves no trace. */
static void never_asked_for(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed), with = w;
    if (!strcmp(k->placer->name, "fgd"))      /* goes by what jobs ask for, and knows them all */
        return;
    struct outcome plain, more;
    for (size_t j = 0; j < 3 && with.n_jobs < JOBS_MOST; j++)
        with.job[with.n_jobs++] = w.job[j];
    with.n_on_demand = with.n_jobs - w.n_jobs;
    plain = world_run(&w, k, seed, (struct run_observer){ .self = NULL });
    more = world_run(&with, k, seed, (struct run_observer){ .self = NULL });
    for (size_t j = 0; j < w.n_jobs; j++)
        assert_same_jobs(&plain.job[j], &more.job[j], "%s, seed %u: job %zu", k->name, (unsigned)seed, j);
    assert_true(plain.totals.events == more.totals.events && plain.totals.passes == more.totals.passes);
}

static void only_there_when_wanted(void **state)
{
    (void)state;
    each_combination(1, never_asked_for);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whatever_they_are_doing), cmocka_unit_test(only_there_when_wanted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
