/* test_touch.c - sched_touch() against its definition: a stop that is rolled back. Random jobs are touched, others stopped and
 * started; the order in which passes are carried out, and the queues shown as changed, must be the same. Without either they are not. */
#include "tests/support/random_world.h"

enum { SEEDS = 300, PASSES = 60, EVENTS_MOST = 1 << 14 };
enum way { NOT_AT_ALL, STOPPED_AND_ROLLED_BACK, TOUCHED };

static struct { enum way way; struct random r; uint32_t n_jobs; unsigned passes; uint64_t touched; } k;
static struct log { size_t n; struct event { int64_t at_ns; uint32_t what, of; } event[EVENTS_MOST]; } logs[3];

enum { STARTED, STOPPED, QUEUE_CHANGED };
static void record(const struct sched *s, uint32_t what, uint32_t of)
{
    struct log *l = &logs[k.way];
    assert_true(l->n < EVENTS_MOST);
    l->event[l->n++] = (struct event){ sched_now(s), what, of };
}

static void started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    record(s, STARTED, j);
}

static void stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)
{
    (void)params;
    (void)state;
    (void)why;
    record(s, STOPPED, j);
}

static void instant(void *self, const struct sched *s)
{
    (void)self;
    const queue_id *queue;
    size_t n = run_changed_queues(s, &queue);
    for (size_t i = 0; i < n; i++)
        record(s, QUEUE_CHANGED, queue[i]);
}

static void touch(struct sched *s, job_id j)
{
    if (k.way == TOUCHED) {
        sched_touch(s, j);
    } else if (k.way == STOPPED_AND_ROLLED_BACK) {
        sched_mark_t mark = sched_mark(s);
        assert_int_equal(sched_stop(s, j, STOP_SAVE), SCHED_OK);
        sched_rollback(s, mark);
    }
    k.touched++;
}

static bool may_stop(struct sched *s, job_id j)
{
    return job_state(s, j) == JOB_RUNNING && job_facts(s, j)->preemptible;
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    bool changes = k.passes > 0;
    k.passes -= changes;
    for (unsigned i = 0; i < 3 && changes; i++) {
        job_id j = (job_id)random_below(&k.r, k.n_jobs);
        if (may_stop(s, j))
            touch(s, j);
    }
    for (job_id j = 0; j < k.n_jobs && changes; j++)
        if (random_below(&k.r, 3) == 0 && may_stop(s, j))
            assert_int_equal(sched_stop(s, j, STOP_SAVE), SCHED_OK);
    for (job_id j = 0; j < k.n_jobs; j++) {
        struct request r = job_request(s, j);
        const struct placement *p = job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            sched_start(s, j, p);
    }
    if (changes)
        sched_wake_at(s, sched_now(s) + NS_PER_S);
}

static const struct policy touching = {
    .abi = POLICY_ABI, .name = "touching", .summary = "touches at random", .schedule = schedule,
    .job_started = started, .job_stopped = stopped,
};

static void run_in(enum way way, const struct world *w, uint64_t seed)
{
    struct combination c = { .policy = &touching, .placer = builtin_placers[0], .name = "touching" };
    k.way = way;
    k.n_jobs = (uint32_t)w->n_jobs;
    k.passes = PASSES;
    random_init(&k.r, seed, "touches", 0);
    logs[way].n = 0;
    world_run(w, &c, seed, (struct run_observer){ .instant = instant });
}

static bool same(const struct log *a, const struct log *b)
{
    return a->n == b->n && memcmp(a->event, b->event, a->n * sizeof *a->event) == 0;
}

static void as_a_stop_that_is_rolled_back(void **state)
{
    (void)state;
    unsigned others = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = random_world(seed);
        for (enum way way = NOT_AT_ALL; way <= TOUCHED; way++)
            run_in(way, &w, seed);
        assert_wanted(logs[STOPPED_AND_ROLLED_BACK].n, logs[TOUCHED].n, "seed %u: events", (unsigned)seed);
        for (size_t i = 0; i < logs[TOUCHED].n; i++) {
            const struct event *want = &logs[STOPPED_AND_ROLLED_BACK].event[i], *got = &logs[TOUCHED].event[i];
            assert_wanted(want->at_ns, got->at_ns, "seed %u, event %zu: time", (unsigned)seed, i);
            assert_wanted(want->what, got->what, "seed %u, event %zu: kind", (unsigned)seed, i);
            assert_wanted(want->of, got->of, "seed %u, event %zu: job or queue", (unsigned)seed, i);
        }
        others += !same(&logs[NOT_AT_ALL], &logs[TOUCHED]);
    }
    print_message("%u jobs touched, %u of %d runs are others without\n", (unsigned)k.touched, others, SEEDS);
    assert_true(k.touched > 1000 && others > SEEDS / 4);
}

/* Neither a job that is not there, nor one that waits for its submission, nor outside of a pass. */
static void of_no_job(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    sched_touch(s, ID_NONE);
    for (job_id j = 0; j < k.n_jobs; j++) {
        struct request r = job_request(s, j);
        if (job_state(s, j) == JOB_ABSENT)
            sched_touch(s, j);
        const struct placement *p = job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            sched_start(s, j, p);
    }
}

static void of_a_job_that_is_not_there(void **state)
{
    (void)state;
    static const struct policy wrong = {
        .abi = POLICY_ABI, .name = "wrong", .summary = "touches no job", .schedule = of_no_job, .job_started = started,
    };
    struct combination c = { .policy = &wrong, .placer = builtin_placers[0], .name = "wrong" };
    struct world w = random_world(1);
    k.n_jobs = (uint32_t)w.n_jobs;
    k.way = TOUCHED;
    logs[TOUCHED].n = 0;
    struct outcome out = world_run(&w, &c, 1, (struct run_observer){ 0 });
    assert_false(out.stalled);
    for (size_t j = 0; j < w.n_jobs; j++)
        assert_int_equal(out.job[j].state, JOB_GONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_a_stop_that_is_rolled_back), cmocka_unit_test(of_a_job_that_is_not_there) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
