/* test_workload_order.c - the order of a workload's jobs, and other submit times for them. Expected values: by hand. */
#include "sim/base/random.h"
#include "tests/unit/describe_jobs.h"
#include "tests/unit/test_core.h"

#define S    NS_PER_S
#define YEAR (INT64_C(31557600) * S)

static void add(struct workload *w, int64_t submit_ns, int64_t tie, int64_t deadline_ns)
{
    struct error err = { "" };
    struct job_row row = job_row_default;
    row.submit_ns = submit_ns;
    row.duration_ns = S;
    row.tie = tie;
    row.deadline_ns = deadline_ns;
    assert_int_equal(workload_add(w, &row, "t", w->n_jobs + 1, &err), 0);
}

static void finish(struct workload *w)
{
    struct error err = { "" };
    assert_int_equal(workload_finish(w, "t", &err), 0);
}

/* Jobs are named by their row, so the names tell the order. */
static const struct order_row {
    const char *name;
    size_t n;
    int64_t submit_s[6], tie[6];
    const char *expected;
} orders[] = {
    { "in order already", 4, { 0, 1, 1, 2 }, { 0 }, "1 2 3 4 " },
    { "backwards", 4, { 3, 2, 1, 0 }, { 0 }, "4 3 2 1 " },
    { "equal times keep the order of the rows", 6, { 5, 1, 5, 1, 5, 1 }, { 0 }, "2 4 6 1 3 5 " },
    { "one cycle", 5, { 4, 0, 1, 2, 3 }, { 0 }, "2 3 4 5 1 " },
    { "two cycles and one in place", 5, { 1, 0, 2, 4, 3 }, { 0 }, "2 1 3 5 4 " },
    { "ties at equal times only", 4, { 1, 1, 0, 0 }, { 2, 1, 4, 3 }, "4 3 2 1 " },
    { "ties that begin late", 4, { 1, 1, 1, 1 }, { 0, 0, 0, -1 }, "4 1 2 3 " },
    { "equal ties go by row", 4, { 1, 1, 1, 0 }, { 7, 5, 5, 5 }, "4 2 3 1 " },
    { "ties in order already", 4, { 1, 1, 2, 2 }, { 3, 4, 1, 2 }, "1 2 3 4 " },
};

static void order(void **state)
{
    const struct order_row *r = *state;
    struct workload *w = workload_new();
    char said[64] = "";
    for (size_t i = 0; i < r->n; i++)
        add(w, r->submit_s[i] * S, r->tie[i], TIME_NEVER);
    finish(w);
    for (job_id j = 0; j < w->n_jobs; j++)
        strcat(strcat(said, w->truth[j].name), " ");
    assert_string_equal(said, r->expected);
    workload_free(w);
}

/* Both arrays of a job must go to the same place, and the sort must be stable, at any size. */
static void random_order(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "order", 0);
    struct workload *w = workload_new();
    for (int64_t i = 0; i < 50000; i++) {
        struct error err = { "" };
        struct job_row row = job_row_default;
        row.submit_ns = (int64_t)random_below(&r, 5000);
        row.duration_ns = i;            /* in truth */
        row.priority = (int32_t)i;      /* in facts */
        row.gpus = (uint32_t)(i % 100); /* in the shape */
        assert_int_equal(workload_add(w, &row, "t", 1, &err), 0);
    }
    finish(w);
    for (job_id j = 0; j < w->n_jobs; j++) {
        const struct job_facts *f = &w->facts[j];
        assert_int_equal(f->priority, w->truth[j].duration_ns);
        assert_int_equal(f->priority % 100, f->ask->gpus);
        assert_true(!j || f[-1].submit_ns < f->submit_ns ||
                    (f[-1].submit_ns == f->submit_ns && f[-1].priority < f->priority));
    }
    workload_free(w);
}

struct sort_key { int64_t submit_ns, tie, row; };

static int64_t any_of(struct random *r, const int64_t *value, size_t n)
{
    return value[random_below(r, n)] + (int64_t)random_below(r, 3);
}

static int by_submit_and_tie(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    return x->submit_ns != y->submit_ns ? (x->submit_ns > y->submit_ns) - (x->submit_ns < y->submit_ns)
           : x->tie != y->tie           ? (x->tie > y->tie) - (x->tie < y->tie)
                                        : (x->row > y->row) - (x->row < y->row);
}

/* Times and ties that differ in high digits, in low ones, or in none, against qsort(). */
static void random_ties(void **state)
{
    (void)state;
    enum { JOBS = 3000 };
    static const int64_t times[] = { 0, S, 4096 * S, 99 * YEAR, 1 }, ties[] = { INT64_MIN, -4096, -1, 0, 4095, INT64_MAX - 2 };
    struct random r;
    random_init(&r, 1, "ties", 0);
    for (size_t kinds = 1; kinds <= sizeof times / sizeof *times; kinds++) {
        struct sort_key key[JOBS];
        struct workload *w = workload_new();
        for (int64_t i = 0; i < JOBS; i++) {
            key[i] = (struct sort_key){ any_of(&r, times, kinds), any_of(&r, ties, kinds + 1), i + 1 };
            add(w, key[i].submit_ns, key[i].tie, TIME_NEVER);
        }
        finish(w);
        qsort(key, JOBS, sizeof *key, by_submit_and_tie);
        for (job_id j = 0; j < JOBS; j++)
            assert_int_equal(strtoll(w->truth[j].name, NULL, 10), key[j].row);
        workload_free(w);
    }
}

static void rebase(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    struct description d;
    add(w, 70 * S, 0, 100 * S);
    add(w, 50 * S, 0, TIME_NEVER);
    workload_rebase(w);
    finish(w);
    describe_jobs(&d, w);
    assert_string_equal(d.text, "2 0+1 1x1\n1 20+1 1x1 deadline=50\n");
    workload_free(w);
}

/* reproductions.md 3: the k-th job arrives at 60 x floor(k / 1000) s; here in threes. */
static void batches(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    struct description d;
    for (int64_t i = 0; i < 7; i++)
        add(w, i * i * S, 0, i == 4 ? 20 * S : TIME_NEVER); /* job 5: submitted at 16, due 4 s later */
    finish(w);
    workload_retime_batches(w, 3, 60 * S);
    describe_jobs(&d, w);
    assert_string_equal(d.text, "1 0+1 1x1\n2 0+1 1x1\n3 0+1 1x1\n4 60+1 1x1\n5 60+1 1x1 deadline=64\n6 60+1 1x1\n"
                                "7 120+1 1x1\n");
    workload_retime_batches(w, 1, INT64_MAX); /* absurd, but no overflow: all but the first at the end of time */
    assert_true(w->facts[0].submit_ns == 0 && w->facts[6].submit_ns == 100 * YEAR - 1);
    workload_free(w);
}

static const struct load_row {
    const char *name;
    double load;
    int64_t submit_ns, expected_ns;
} loads[] = {
    { "once", 1, 99 * YEAR + 12345678901, 99 * YEAR + 12345678901 },
    { "twice", 2, 10 * S, 5 * S },
    { "half", 0.5, 10 * S, 20 * S },
    { "half a nanosecond goes up", 2, 3, 2 },
    { "a third goes down", 3, 4, 1 },
    { "two thirds go up", 3, 5, 2 },
    { "at the start", 7, 0, 0 },
    /* 2^60 + 1 has more bits than a double; (2^60 + 1) / 4 = 2^58 + 1/4 and (2^60 + 2) / 4 = 2^58 + 1/2 */
    { "beyond a double's bits, down", 4, (INT64_C(1) << 60) + 1, INT64_C(1) << 58 },
    { "beyond a double's bits, up", 4, (INT64_C(1) << 60) + 2, (INT64_C(1) << 58) + 1 },
    { "beyond a double's bits, exact", 0.5, (INT64_C(1) << 60) + 1, (INT64_C(1) << 61) + 2 },
    { "not beyond the end of time", 0.001, YEAR, 100 * YEAR - 1 },
    { "a load near nothing", 1e-300, 1, 100 * YEAR - 1 },
    { "a load near nothing, at the start", 1e-300, 0, 0 },
    { "a small load", 1e-5, 3, 300000 },
    { "a load without bounds", 1e300, 99 * YEAR, 0 },
};

static void load(void **state)
{
    const struct load_row *r = *state;
    struct workload *w = workload_new();
    add(w, r->submit_ns, 0, TIME_NEVER);
    add(w, r->submit_ns, 0, r->submit_ns / 2); /* late from the start: by as much afterwards */
    finish(w);
    workload_scale_load(w, r->load);
    assert_int_equal(w->facts[0].submit_ns, r->expected_ns);
    assert_int_equal(w->facts[0].deadline_ns, TIME_NEVER);
    assert_int_equal(w->facts[1].deadline_ns, r->expected_ns - (r->submit_ns - r->submit_ns / 2));
    workload_free(w);
}

static void load_keeps_order(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 2, "load", 0);
    struct workload *w = workload_new();
    for (int i = 0; i < 5000; i++)
        add(w, (int64_t)random_below(&r, 3000), 0, TIME_NEVER);
    finish(w);
    for (int i = 0; i < 20; i++) {
        workload_scale_load(w, 0.5 + random_uniform(&r));
        for (job_id j = 1; j < w->n_jobs; j++)
            assert_true(w->facts[j - 1].submit_ns <= w->facts[j].submit_ns);
    }
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, order, orders);
    ADD_TEST(tests, n, random_order);
    ADD_TEST(tests, n, random_ties);
    ADD_TEST(tests, n, rebase);
    ADD_TEST(tests, n, batches);
    ADD_ROWS(tests, n, load, loads);
    ADD_TEST(tests, n, load_keeps_order);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
