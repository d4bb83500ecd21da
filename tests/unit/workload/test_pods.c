/* test_pods.c - totals that become pods as rows are added, against workload_make_pods() of the same rows once all are there: the
 * same requests with the same numbers, whatever the rows ask for. */
#include "sim/base/random.h"
#include "sim/workload/begun.h"
#include "sim/workload/requests.h"
#include "tests/unit/test_core.h"

enum { ROWS = 3000, WORLDS = 20 };    /* rows enough that the table of requests moves */

/* Totals, some of which are elastic or moldable; tasks; one GPU; shares; none. */
static struct job_row row_of(struct random *r, unsigned i)
{
    struct job_row row = job_row_default;
    row.submit_ns = (int64_t)(random_below(r, 4) ? i : random_below(r, ROWS)) * NS_PER_S;
    row.duration_ns = NS_PER_S;
    row.gpus = (uint32_t)random_below(r, random_below(r, 3) ? 70 : 2000);
    row.cpu_milli = (int64_t)random_below(r, 3) * 1000 * row.gpus;
    row.mem_mib = (int64_t)random_below(r, 2) * 1024 * row.gpus;
    if (row.gpus == 0 || random_below(r, 3) == 0) {
        row.tasks = 1 + (uint32_t)random_below(r, 5);
        row.gpus -= row.gpus % row.tasks;
        row.min_tasks = random_below(r, 4) ? 0 : 1;
    } else if (random_below(r, 6) == 0) {
        row.min_gpus = 1 + (uint32_t)random_below(r, row.gpus);
        row.max_gpus = row.gpus + 1 + (uint32_t)random_below(r, 9);
        row.moldable = random_below(r, 2);
    } else if (random_below(r, 6) == 0) {
        row.gpu_milli = 500;
    }
    return row;
}

static struct workload *workload_drawn(uint64_t world, uint32_t gpus, bool as_read)
{
    struct random r;
    struct error err = { "" };
    struct workload *w = workload_new();
    random_init(&r, world, "rows", 0);
    if (as_read)
        workload_read_pods(w, gpus);
    for (unsigned i = 0; i < ROWS; i++) {
        struct job_row row = row_of(&r, i);
        if (workload_add(w, &row, "t", i + 1, &err) != 0)
            fail_msg("%s", err.text);
    }
    assert_int_equal(workload_finish(w, "t", &err), 0);
    workload_make_pods(w, gpus);
    return w;
}

static void same_runs(const struct request *a, const struct request *b)
{
    for (; a && b; a = a->next, b = b->next) {
        assert_int_equal(a->shape, b->shape);
        assert_int_equal(a->tasks, b->tasks);
        assert_int_equal(a->gpus, b->gpus);
        assert_int_equal(a->gpu_milli, b->gpu_milli);
        assert_int_equal(a->first_task, b->first_task);
        assert_int_equal(a->cpu_milli, b->cpu_milli);
        assert_int_equal(a->mem_mib, b->mem_mib);
    }
    assert_true(!a && !b);
}

static void as_read_or_after(void **state)
{
    (void)state;
    static const uint32_t pod[] = { 1, 3, 8, 64 };
    for (uint64_t world = 0; world < WORLDS; world++) {
        const uint32_t gpus = pod[world % COUNT(pod)];
        struct workload *read = workload_drawn(world, gpus, true), *after = workload_drawn(world, gpus, false);
        assert_int_equal(read->n_shapes, after->n_shapes);
        for (shape_id i = 0; i < read->n_shapes; i++) {
            assert_int_equal(read->shape[i].ask.shape, i);
            same_runs(&read->shape[i].ask, &after->shape[i].ask);
        }
        for (job_id j = 0; j < ROWS; j++) {
            const struct job_facts *a = &read->facts[j], *b = &after->facts[j];
            assert_true(a->ask->tasks != SPLIT_ANY);
            assert_ptr_equal(a->ask, &read->shape[a->ask->shape].ask);
            assert_int_equal(a->ask->shape, b->ask->shape);
            assert_int_equal(a->min_tasks, b->min_tasks);
            assert_int_equal(a->sizing, b->sizing);
        }
        workload_free(read);
        workload_free(after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_read_or_after) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
