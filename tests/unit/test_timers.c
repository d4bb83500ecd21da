/* test_timers.c - timers against a plain array that is searched from end to end: random jobs get one, move it and lose it, many
 * times are equal, time goes on, and some jobs are gone. */
#include "policies/common/timers.h"
#include "sim/base/random.h"
#include "sim/engine/state.h"
#include "tests/unit/test_core.h"

enum { JOBS = 300, STEPS = 40000 };

struct bench {
    struct sched s;               /* nothing of it but its memory, its time and the states of jobs is used */
    struct timers t;
    bool set[JOBS];
    int64_t time_ns[JOBS];
};

static bool is_gone(const struct bench *b, job_id j)
{
    return b->s.job[j].state == JOB_GONE;
}

/* JOBS: none is due. */
static job_id first_due(const struct bench *b)
{
    job_id first = JOBS;
    for (job_id j = 0; j < JOBS; j++)
        if (b->set[j] && !is_gone(b, j) && b->time_ns[j] <= b->s.now_ns && (first == JOBS || b->time_ns[j] < b->time_ns[first]))
            first = j;
    return first;
}

static void change(struct bench *b, struct random *random)
{
    job_id j = (job_id)random_below(random, JOBS);
    switch (random_below(random, 8)) {
    case 0:
        timer_drop(&b->s, &b->t, j);
        b->set[j] = false;
        break;
    case 1:                       /* withdrawn, its timer left; or back, without one */
        if (is_gone(b, j)) {
            timer_drop(&b->s, &b->t, j);
            b->set[j] = false;
        }
        b->s.job[j].state = is_gone(b, j) ? JOB_PENDING : JOB_GONE;
        break;
    case 2:
        b->s.now_ns += (int64_t)random_below(random, 30);
        break;
    default:
        b->time_ns[j] = b->s.now_ns + (int64_t)random_below(random, 100);
        b->set[j] = true;
        timer_set(&b->s, &b->t, j, b->time_ns[j]);
        break;
    }
}

/* Each that is due comes in its turn, and goes or moves. */
static size_t play_due(struct bench *b, struct random *random)
{
    size_t n = 0;
    job_id j;
    for (int64_t time_ns; timer_due(&b->s, &b->t, &j, &time_ns); n++) {
        assert_int_equal(j, first_due(b));
        assert_int_equal(time_ns, b->time_ns[j]);
        if (random_below(random, 2)) {
            timer_drop(&b->s, &b->t, j);
            b->set[j] = false;
        } else {
            b->time_ns[j] = b->s.now_ns + 1 + (int64_t)random_below(random, 100);
            timer_set(&b->s, &b->t, j, b->time_ns[j]);
        }
    }
    assert_int_equal(first_due(b), JOBS);
    return n;
}

static void test_random_changes(void **state)
{
    (void)state;
    struct bench *b = test_calloc(1, sizeof *b);
    struct random random;
    size_t due = 0;
    b->s.memory = arena_new();
    b->s.n_jobs = JOBS;
    b->s.job = test_calloc(JOBS, sizeof *b->s.job);
    for (job_id j = 0; j < JOBS; j++)
        b->s.job[j].state = JOB_PENDING;
    random_init(&random, 1, "timers", 0);
    timers_begin(&b->t);
    for (unsigned step = 0; step < STEPS; step++) {
        change(b, &random);
        if (step % 5 == 0)
            due += play_due(b, &random);
    }
    assert_true(due > STEPS / 10);
    arena_free(b->s.memory);
    test_free(b->s.job);
    test_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_changes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
