/* test_workload.c - jobs taken in: sizes, limits, names, shapes. Expected values: by hand. */
#include "tests/unit/describe_jobs.h"
#include "tests/unit/test_core.h"

#define S    NS_PER_S
#define YEAR (INT64_C(31557600) * S)

static struct job_row job(const char *id, int64_t submit_ns, int64_t duration_ns)
{
    struct job_row row = job_row_default;
    row.job_id = id;
    row.job_id_length = id ? strlen(id) : 0;
    row.submit_ns = submit_ns;
    row.duration_ns = duration_ns;
    return row;
}

static void add(struct workload *w, struct job_row row)
{
    struct error err = { "" };
    int result = workload_add(w, &row, "t", w->n_jobs + 1, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
}

static void finish(struct workload *w)
{
    struct error err = { "" };
    assert_int_equal(workload_finish(w, "t", &err), 0);
}

/* ---- one job: the request that becomes of it, or why it is refused ---- */

static const struct size_row {
    const char *name;
    uint32_t gpus, gpu_milli, tasks, min_tasks;
    int64_t cpu_milli, mem_mib;
    const char *expected;
} sizes[] = {
    { "one GPU is one task", 1, 1000, 0, 0, 4000, 100, "j 0+1 1x1 cpu=4000 mib=100\n" },
    { "a share is one task", 1, 250, 0, 0, 0, 0, "j 0+1 1x1 milli=250\n" },
    { "no GPU is one task", 0, 1000, 0, 0, 8000, 0, "j 0+1 1x0 cpu=8000\n" },
    { "no GPU has no share", 0, 0, 0, 0, 0, 0, "j 0+1 1x0\n" },
    { "a total may be split", 8, 1000, 0, 0, 32000, 800, "j 0+1 any8 cpu=4000 mib=100\n" },
    { "what does not divide is rounded up", 3, 1000, 0, 0, 10000, 1, "j 0+1 any3 cpu=3334 mib=1\n" },
    { "several shares are as many tasks", 3, 500, 0, 0, 0, 0, "j 0+1 3x1 milli=500\n" },
    { "tasks", 8, 1000, 2, 0, 4000, 100, "j 0+1 2x4 cpu=4000 mib=100\n" },
    { "one task is not split", 8, 1000, 1, 0, 0, 0, "j 0+1 1x8\n" },
    { "tasks without GPUs", 0, 1000, 5, 0, 1000, 0, "j 0+1 5x0 cpu=1000\n" },
    { "tasks of shares", 4, 500, 4, 2, 0, 0, "j 0+1 4x1 milli=500 min=2\n" },
    { "all tasks at least", 8, 1000, 4, 4, 0, 0, "j 0+1 4x2\n" },
    { "one task at least, of one", 8, 1000, 0, 1, 0, 0, "j 0+1 any8\n" },
    { "no multiple", 8, 1000, 3, 0, 0, 0, "t:7: gpus: want a multiple of tasks (3), got 8" },
    { "fewer than tasks", 2, 1000, 4, 0, 0, 0, "t:7: gpus: want a multiple of tasks (4), got 2" },
    { "as many tasks as mean a split", 8, 1000, SPLIT_ANY, 0, 0, 0, "t:7: tasks: want less than 4294967295" },
    { "more at least than at all", 8, 1000, 4, 5, 0, 0, "t:7: min_tasks: want at most as many as tasks (4), got 5" },
    { "more than a GPU of each", 1, 1001, 0, 0, 0, 0, "t:7: gpu_milli: want from 1 to 1000, got 1001" },
    { "nothing of each", 1, 0, 0, 0, 0, 0, "t:7: gpu_milli: want from 1 to 1000, got 0" },
    { "negative CPUs", 1, 1000, 0, 0, -1, 0, "t:7: want CPUs and memory of at least 0" },
};

static void describe_one(struct job_row row, char said[4096])
{
    struct workload *w = workload_new();
    struct error err = { "" };
    struct description d = { .n = 0 };
    if (workload_add(w, &row, "t", 7, &err) == 0) {
        finish(w);
        describe_jobs(&d, w);
    }
    strcpy(said, err.text[0] ? err.text : d.text);
    workload_free(w);
}

static void size(void **state)
{
    const struct size_row *r = *state;
    struct job_row row = job("j", 0, S);
    char said[4096];
    row.gpus = r->gpus;
    row.gpu_milli = r->gpu_milli;
    row.tasks = r->tasks;
    row.min_tasks = r->min_tasks;
    row.cpu_milli = r->cpu_milli;
    row.mem_mib = r->mem_mib;
    describe_one(row, said);
    assert_string_equal(said, r->expected);
}

static const struct time_row {
    const char *name;
    int64_t submit_ns, duration_ns, estimate_ns, deadline_ns;
    const char *expected;
} times[] = {
    { "nothing at once", 0, 0, TIME_NEVER, TIME_NEVER, "j 0+0 1x1\n" },
    { "nanoseconds", 1, 2, 3, 0, "j 0.000000001+0.000000002 1x1 estimate=0.000000003 deadline=0\n" },
    { "to the end", 99 * YEAR, YEAR - 1, TIME_NEVER, TIME_NEVER, "j 3124202400+31557599.999999999 1x1\n" },
    { "beyond the end", 99 * YEAR, YEAR, TIME_NEVER, TIME_NEVER,
      "t:7: submit + duration: want from 0 to less than 100 years, got 3.15576e+09 s" },
    { "far beyond the end", INT64_MAX - 1, INT64_MAX - 1, TIME_NEVER, TIME_NEVER,
      "t:7: submit: want from 0 to less than 100 years, got 9.22337204e+09 s" },
    { "before time 0", -1, 1, TIME_NEVER, TIME_NEVER, "t:7: submit: want from 0 to less than 100 years, got -1e-09 s" },
    { "less than no time", 0, -S, TIME_NEVER, TIME_NEVER,
      "t:7: duration: want from 0 to less than 100 years, got -1 s" },
    { "estimate", 0, S, 100 * YEAR, TIME_NEVER,
      "t:7: estimate: want from 0 to less than 100 years, got 3.15576e+09 s" },
    { "deadline", 0, S, TIME_NEVER, -S, "t:7: deadline: want from 0 to less than 100 years, got -1 s" },
};

static void time_limits(void **state)
{
    const struct time_row *r = *state;
    struct job_row row = job("j", r->submit_ns, r->duration_ns);
    char said[4096];
    row.estimate_ns = r->estimate_ns;
    row.deadline_ns = r->deadline_ns;
    describe_one(row, said);
    assert_string_equal(said, r->expected);
}

/* ---- names ---- */

static const struct name_row {
    const char *name, *ids[6];
    const char *expected; /* of the last */
} names[] = {
    { "rising numbers", { "1", "2", "30" }, "" },
    { "numbers that fall", { "3", "2", "1" }, "" },
    { "a number twice", { "3", "4", "4" }, "t:3: job_id: '4' was used before, on line 2" },
    { "an early number again", { "3", "4", "5", "3" }, "t:4: job_id: '3' was used before, on line 1" },
    { "a number after a word", { "3", "a", "5", "3" }, "t:4: job_id: '3' was used before, on line 1" },
    { "a number after a gap", { "3", "9", "5", "9" }, "t:4: job_id: '9' was used before, on line 2" },
    { "7 and 07 are two names", { "7", "07", "007", "+7" }, "" },
    { "07 twice", { "7", "07", "07" }, "t:3: job_id: '07' was used before, on line 2" },
    { "0 and 00", { "0", "00" }, "" },
    { "one begins as the other", { "ab", "a", "abc" }, "" },
    { "a number of too many digits",
      { "999999999999999999", "1000000000000000000", "1000000000000000000" },
      "t:3: job_id: '1000000000000000000' was used before, on line 2" },
};

static void name_twice(void **state)
{
    const struct name_row *r = *state;
    struct workload *w = workload_new();
    struct error err = { "" };
    for (size_t i = 0; i < 6 && r->ids[i] && !err.text[0]; i++) {
        struct job_row row = job(r->ids[i], 0, S);
        (void)workload_add(w, &row, "t", i + 1, &err);
    }
    assert_string_equal(err.text, r->expected);
    workload_free(w);
}

static void numbered_by_row(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    struct error err = { "" };
    struct job_row again = job("2", 0, S);
    add(w, job(NULL, 0, S));
    add(w, job(NULL, 0, S));
    assert_int_equal(workload_add(w, &again, "t", 9, &err), -1);
    assert_string_equal(err.text, "t:9: job_id: '2' was used before"); /* rows are not lines here */
    finish(w);
    assert_string_equal(w->truth[1].name, "2");
    workload_free(w);
}

/* Enough names for the table to grow many times; each is found again. */
static void many_names(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    char id[32];
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(id, sizeof id, "job-%u", i * 7919 % 20000);
        add(w, job(id, 0, S));
    }
    for (unsigned i = 0; i < 20000; i++) {
        struct error err = { "" };
        snprintf(id, sizeof id, "job-%u", i);
        struct job_row row = job(id, 0, S);
        assert_int_equal(workload_add(w, &row, "t", 1, &err), -1);
    }
    assert_int_equal(w->n_jobs, 20000);
    workload_free(w);
}

/* ---- shapes ---- */

static void shapes_are_shared(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    for (uint32_t i = 0; i < 3000; i++) {
        struct job_row row = job(NULL, (int64_t)(i * 7 % 100) * S, S);
        row.gpus = i % 1000;
        row.gpu_type = "V100";
        row.gpu_type_length = i % 2000 < 1000 ? 4 : 0;
        row.queue = "qr";
        row.queue_length = i % 3; /* "", q and qr: no part of the shape, nor are the rest */
        row.priority = (int32_t)i;
        add(w, row);
    }
    finish(w);
    assert_int_equal(w->n_shapes, 2000);
    assert_int_equal(intern_count(w->queue_names), 3);
    assert_int_equal(intern_count(w->gpu_types), 1);
    for (job_id j = 0; j < w->n_jobs; j++) {
        uint32_t i = (uint32_t)w->facts[j].priority;
        const struct shape *s = &w->shape[w->facts[j].ask->shape];
        assert_ptr_equal(&s->ask, w->facts[j].ask);
        assert_int_equal(s->ask.gpus, i % 1000);
        assert_int_equal(s->gpu_type, i % 2000 < 1000 ? 0 : ID_NONE);
        assert_int_equal(w->facts[j].queue, i % 3);
    }
    workload_free(w);
}

static void shapes_differ(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    struct job_row row = job(NULL, 0, S);
    row.gpus = 4;
    for (int field = 0; field < 12; field++) {
        struct job_row r = row;
        r.gpus = field == 1 ? 8 : 4;
        r.selector = field == 8 ? "a=b" : "";
        r.affinity = field == 9 ? "a=b" : NULL;
        r.tolerations = field == 10 ? "a=b" : NULL;
        r.max_per_node = field == 11;
        r.gpu_milli = field == 2 ? 500 : MILLI_ALL;
        r.tasks = field == 3 || field == 11 ? 4 : 0;
        r.cpu_milli = field == 4;
        r.mem_mib = field == 5;
        r.required_level = field == 6 ? LEVEL_RACK : LEVEL_ANY;
        r.preferred_level = field == 7 ? LEVEL_RACK : LEVEL_ANY;
        add(w, r);
        add(w, r);
    }
    finish(w);
    assert_int_equal(w->n_shapes, 12);
    workload_free(w);
}

/* ---- what few traces say ---- */

static struct job_row reads(const char *id, uint32_t data_mib)
{
    struct job_row row = job(id, 0, S);
    row.data_mib = data_mib;
    return row;
}

/* Most jobs of large traces say no more: 32 bytes of a job are theirs (8 each of run time, estimate
 * and name; fate, on demand and the number of what else is said). Two that say the same one after
 * the other share it; the first is nothing, so here are nothing, 7, 9 and 7 MiB. */
static void extras_are_shared(void **state)
{
    (void)state;
    static const uint32_t mib[] = { 0, 7, 7, 0, 7, 9, 7, 0 };
    struct workload *w = workload_new();
    for (unsigned j = 0; j < sizeof mib / sizeof *mib; j++)
        add(w, reads(NULL, mib[j]));
    finish(w);
    for (job_id j = 0; j < w->n_jobs; j++) {
        assert_int_equal(workload_extra(w, j)->data_mib, mib[j]);
        assert_int_equal(workload_extra(w, j)->duty.compute, DUTY_UNSAID);
        assert_int_equal(w->truth[j].extra == 0, mib[j] == 0);
    }
    assert_int_equal(w->n_extras, 4);
    assert_int_equal(sizeof w->truth[0], 32);
    workload_free(w);
}

static void no_job(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    struct error err = { "" };
    assert_int_equal(workload_finish(w, "t", &err), -1);
    assert_string_equal(err.text, "t: want at least one job, got none");
    workload_free(w);
    workload_free(NULL);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, size, sizes);
    ADD_ROWS(tests, n, time_limits, times);
    ADD_ROWS(tests, n, name_twice, names);
    ADD_TEST(tests, n, numbered_by_row);
    ADD_TEST(tests, n, many_names);
    ADD_TEST(tests, n, shapes_are_shared);
    ADD_TEST(tests, n, shapes_differ);
    ADD_TEST(tests, n, extras_are_shared);
    ADD_TEST(tests, n, no_job);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
