/* test_workload_stream.c - a workload as a stream to be packed, and what its jobs typically ask for. Expected: by hand. */
#include "sim/base/memory.h"
#include "sim/workload/typical.h"
#include "tests/unit/read_shared.h"

#include <stdlib.h>
#include <string.h>

struct ask { const char *name; uint32_t gpus, milli, tasks; int64_t cpu_milli, mem_mib; const char *type; };

static struct workload *jobs_of(const struct ask *ask, size_t n)
{
    struct workload *w = workload_new();
    struct error err = { "" };
    for (size_t i = 0; i < n; i++) {
        struct job_row row = job_row_default;
        row.job_id = ask[i].name, row.job_id_length = ask[i].name ? strlen(ask[i].name) : 0;
        row.gpus = ask[i].gpus, row.tasks = ask[i].tasks;
        row.gpu_milli = ask[i].milli ? ask[i].milli : MILLI_ALL;
        row.cpu_milli = ask[i].cpu_milli, row.mem_mib = ask[i].mem_mib;
        row.gpu_type = ask[i].type, row.gpu_type_length = ask[i].type ? strlen(ask[i].type) : 0;
        row.submit_ns = row.duration_ns = NS_PER_S, row.deadline_ns = 5 * NS_PER_S;
        assert_int_equal(workload_add(w, &row, "t", i + 1, &err), 0);
    }
    assert_int_equal(workload_finish(w, "t", &err), 0);
    return w;
}

/* ---- The stream ---- */

static const struct ask three[] = { { "c", 2, .tasks = 1 }, { "a", 1, .milli = 500 }, { "b", 0, .cpu_milli = 1000 } };

static int64_t milli(const struct workload *w, job_id j)
{
    return (int64_t)w->facts[j].ask->gpus * w->facts[j].ask->gpu_milli;
}

/* 2.5 GPUs once over; up to 6.2: the first to pass it ends the stream. */
static void stream(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct workload *w = jobs_of(three, COUNT(three));
        struct error err = { "" };
        int64_t sum = 0;
        unsigned firsts = 0, times[3] = { 0 };
        assert_int_equal(workload_stream(w, 6200, seed, &err), 0);
        for (job_id j = 0; j < w->n_jobs; j++) {
            const char *name = w->truth[j].name;
            char want[16];
            unsigned *t = &times[name[0] - 'a'];
            if (++*t == 1)
                snprintf(want, sizeof want, "%c", name[0]);
            else
                snprintf(want, sizeof want, "%c+%u", name[0], *t);
            assert_string_equal(name, want);
            firsts += j < 3 && *t == 1;
            sum += milli(w, j);
            assert_int_equal(w->facts[j].submit_ns, (int64_t)(j + 1) * NS_PER_S);
            assert_true(w->truth[j].duration_ns > (int64_t)1000000000 * NS_PER_S);
            assert_true(w->facts[j].deadline_ns == TIME_NEVER && w->truth[j].estimate_ns == TIME_NEVER);
            assert_int_equal(milli(w, j), name[0] == 'c' ? 2000 : name[0] == 'a' ? 500 : 0);
        }
        assert_int_equal(firsts, 3);          /* all of them before anyone comes again */
        assert_true(sum <= 6200 && sum > 4200);
        workload_free(w);
    }
}

/* Each of the six orders, and each of the three draws, is equally likely: chi square at p = 0.0001. The rows of the trace
 * may come in any order: jobs are taken by name. */
static void stream_is_fair(void **state)
{
    static const struct ask turned[] = { { "b", 0, .cpu_milli = 1000 }, { "c", 2, .tasks = 1 }, { "a", 1, .milli = 500 } };
    enum { RUNS = 6000 };
    double orders[27] = { 0 }, draws[3] = { 0 }, chi_orders = 0, chi_draws = 0;
    unsigned different = 0;
    (void)state;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct workload *w = jobs_of(three, COUNT(three)), *v = jobs_of(turned, COUNT(turned));
        struct error err = { "" };
        assert_int_equal(workload_stream(w, 20000, seed, &err), 0);
        assert_int_equal(workload_stream(v, 20000, seed, &err), 0);
        assert_int_equal(w->n_jobs, v->n_jobs);
        for (job_id j = 0; j < w->n_jobs; j++)
            assert_string_equal(w->truth[j].name, v->truth[j].name);
        orders[9 * (w->truth[0].name[0] - 'a') + 3 * (w->truth[1].name[0] - 'a') + w->truth[2].name[0] - 'a']++;
        draws[w->truth[3].name[0] - 'a']++;
        workload_free(w);
        workload_free(v);
    }
    for (int i = 0; i < 27; i++) {
        different += orders[i] > 0;
        chi_orders += orders[i] > 0 ? (orders[i] - RUNS / 6.0) * (orders[i] - RUNS / 6.0) / (RUNS / 6.0) : 0;
    }
    for (int i = 0; i < 3; i++)
        chi_draws += (draws[i] - RUNS / 3.0) * (draws[i] - RUNS / 3.0) / (RUNS / 3.0);
    assert_int_equal(different, 6);
    assert_true(chi_orders < 25.7);           /* 5 degrees of freedom */
    assert_true(chi_draws < 18.4);            /* 2 */
}

static void stream_of_nothing(void **state)
{
    struct workload *w = jobs_of(&three[2], 1);
    struct error err = { "" };
    (void)state;
    assert_int_equal(workload_stream(w, 1000, 1, &err), -1);
    assert_string_equal(err.text, "a stream wants jobs that ask for GPUs, got none");
    workload_free(w);
    w = jobs_of(three, 1);
    err = (struct error){ "" };
    assert_int_equal(workload_stream(w, 1999, 1, &err), -1);
    assert_string_equal(err.text, "a stream wants room for its first job");
    assert_int_equal(workload_stream(w, 2000, 1, &err), 0);
    assert_int_equal(w->n_jobs, 1);
    workload_free(w);
}

/* ---- Typical requests ---- */

/* Of 20 jobs 19 are 95 %: the rarest shape, one job, is left out. Memory, tasks and names of jobs do not matter. */
static void typical(void **state)
{
    struct ask ask[20];
    (void)state;
    for (size_t i = 0; i < 20; i++)
        ask[i] = (struct ask){ .gpus = 1, .milli = 500, .cpu_milli = 4000, .mem_mib = (int64_t)i };     /* nine of them */
    for (size_t i = 9; i < 14; i++)
        ask[i] = (struct ask){ .gpus = 2 * (uint32_t)(i - 8), .tasks = (uint32_t)(i - 8), .cpu_milli = 8000 };    /* five: pairs */
    for (size_t i = 14; i < 17; i++)
        ask[i] = (struct ask){ .gpus = 0, .cpu_milli = 8000 };       /* three: as much CPU, so it is ranked by jobs */
    ask[17] = (struct ask){ .gpus = 1, .cpu_milli = 1000, .type = "A" };
    ask[18] = (struct ask){ .gpus = 4, .cpu_milli = 8000 };           /* any split, 2 CPUs a GPU: more CPU than the two others */
    ask[19] = (struct ask){ .gpus = 1, .cpu_milli = 1000 };
    struct workload *w = jobs_of(ask, 20);
    struct arena *memory = arena_new();
    struct typical_list list = typical_of(w, memory);
    assert_int_equal(list.n, 5);
    static const struct { uint64_t jobs; uint32_t gpus, milli, tasks; int64_t cpu_milli; } want[] = {
        { 9, 1, 500, 1, 4000 }, { 5, 2, 1000, 1, 8000 }, { 3, 0, 1000, 1, 8000 }, { 1, 4, 1000, SPLIT_ANY, 2000 },
        { 1, 1, 1000, 1, 1000 },
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        const struct typical *t = &list.item[i];
        assert_int_equal(t->jobs, want[i].jobs);
        assert_int_equal(t->ask.gpus, want[i].gpus);
        assert_int_equal(t->ask.gpu_milli, want[i].milli);
        assert_int_equal(t->ask.tasks, want[i].tasks);
        assert_int_equal(t->ask.cpu_milli, want[i].cpu_milli);
        assert_int_equal(t->ask.mem_mib, 0);
        assert_true(t->share == (double)want[i].jobs / 19);
    }
    assert_int_equal(w->shape[list.item[4].ask.shape].gpu_type, 0);     /* "A": seen before the one of any model */
    arena_free(memory);
    workload_free(w);
}

/* reproductions.md 4: 8,152 pods; the traces' README: 6,086.8 GPUs. Shapes counted with awk: 91 by CPU, GPUs and share,
 * of which 35 cover 95 % of the pods; the commonest is 3.152 CPUs and .81 of a GPU, 1,047 times. */
static void openb(void **state)
{
    char whole[1024], sha256[65];
    struct error err = { "" };
    const struct trace_format *used;
    (void)state;
    struct workload *w = trace_read_sizes(shared_path(whole, "alibaba-openb-v2023/openb_pod_list_default.csv.zst"), NULL, &used,
                                          sha256, &err);
    assert_non_null(w);
    struct arena *memory = arena_new();
    struct typical_list list = typical_of(w, memory);
    int64_t sum = 0;
    assert_int_equal(w->n_jobs, 8152);
    assert_int_equal(w->n_skipped, 0);
    for (job_id j = 0; j < w->n_jobs; j++)
        sum += milli(w, j);
    assert_int_equal((sum + 50) / 100, 60868);
    assert_int_equal(list.n, 35);
    assert_int_equal(list.item[0].jobs, 1047);
    assert_int_equal(list.item[0].ask.cpu_milli, 3152);
    assert_int_equal(list.item[0].ask.gpu_milli, 810);
    arena_free(memory);
    workload_free(w);
}

/* Lists without times are lists of sizes. */
static void openb_without_times(void **state)
{
    char whole[1024], sha256[65];
    struct error err = { "" };
    const struct trace_format *used;
    (void)state;
    struct workload *w = trace_read_sizes(shared_path(whole, "alibaba-openb-v2023/openb_pod_list_multigpu50.csv.zst"), NULL, &used,
                                          sha256, &err);
    assert_non_null(w);
    assert_string_equal(used->name, "openb");
    assert_true(w->n_jobs >= 8324 && w->n_jobs <= 9061);     /* the traces' README */
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, stream);
    ADD_TEST(tests, n, stream_is_fair);
    ADD_TEST(tests, n, stream_of_nothing);
    ADD_TEST(tests, n, typical);
    ADD_TEST(tests, n, openb);
    ADD_TEST(tests, n, openb_without_times);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
