/* test_preemption_classes.c - what classes of running jobs hold, kept as jobs join and leave, against a sum over all of
 * them; with a control in which a job leaves uncounted. */
#include "policies/slurm/preemption_order.h"
#include "sim/base/random.h"
#include "sim/engine/state.h"
#include "tests/unit/test_core.h"

enum { JOBS = 120, STEPS = 6000, PRIORITIES = 5 };

static const queue_id scopes[] = { ID_NONE, 0, 7 };
static const int32_t priorities[PRIORITIES] = { INT32_MIN, -1, 0, 20, INT32_MAX };

static struct bench {
    struct sched s;               /* nothing of it but its memory is used */
    struct preemption_classes c;
    struct { bool in; queue_id scope; int32_t priority; int64_t milli; } job[JOBS];
} bench;

static int64_t sum_below(const struct bench *b, queue_id scope, int32_t priority)
{
    int64_t sum = 0;
    for (int i = 0; i < JOBS; i++)
        if (b->job[i].in && b->job[i].scope == scope && b->job[i].priority < priority)
            sum += b->job[i].milli;
    return sum;
}

/* At how many limits the answer is wrong. */
static int wrong_answers(const struct bench *b)
{
    int wrong = 0;
    for (size_t q = 0; q < COUNT(scopes); q++)
        for (int p = 0; p < PRIORITIES; p++) {
            int64_t sum = sum_below(b, scopes[q], priorities[p]);
            wrong += !preemption_classes_hold(&b->c, scopes[q], priorities[p], sum) +
                     preemption_classes_hold(&b->c, scopes[q], priorities[p], sum + 1) +
                     !preemption_classes_hold(&b->c, scopes[q], priorities[p], -3);
        }
    return wrong;
}

static size_t classes_in_use(const struct bench *b)
{
    size_t n = 0;
    for (size_t q = 0; q < COUNT(scopes); q++)
        for (int p = 0; p < PRIORITIES; p++) {
            bool used = false;
            for (int i = 0; i < JOBS; i++)
                used |= b->job[i].in && b->job[i].scope == scopes[q] && b->job[i].priority == priorities[p];
            n += used;
        }
    return n;
}

static void change(struct bench *b, struct random *r, bool uncounted)
{
    uint64_t i = random_below(r, JOBS);
    b->job[i].in = !b->job[i].in;
    if (b->job[i].in) {
        b->job[i].scope = scopes[random_below(r, COUNT(scopes))];
        b->job[i].priority = priorities[random_below(r, PRIORITIES)];
        b->job[i].milli = (int64_t)random_below(r, 9) * MILLI_ALL;
    } else if (uncounted) {
        return;
    }
    preemption_classes_count(&b->s, &b->c, b->job[i].scope, b->job[i].priority, b->job[i].milli, b->job[i].in ? 1 : -1);
}

static int wrong_after_changes(bool forgets)
{
    struct bench *b = &bench;
    struct random r;
    int wrong = 0;
    *b = (struct bench){ .s.memory = arena_new() };
    random_init(&r, 5, "preemption classes", 0);
    for (int step = 0; step < STEPS; step++) {
        change(b, &r, forgets && step == STEPS / 2);
        wrong += wrong_answers(b) > 0 || b->c.n != classes_in_use(b);
    }
    arena_free(b->s.memory);
    return wrong;
}

static void sums_stay_right(void **state)
{
    (void)state;
    assert_int_equal(wrong_after_changes(false), 0);
}

static void control_one_leaves_uncounted(void **state)
{
    (void)state;
    assert_true(wrong_after_changes(true) > 0);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, sums_stay_right);
    ADD_TEST(tests, n, control_one_leaves_uncounted);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
