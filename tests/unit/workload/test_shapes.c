/* test_shapes.c - shapes.h: which shapes ask the same of the same nodes. */
#include "sim/workload/shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct shape of_gpus(uint32_t gpus, shape_id next)
{
    return (struct shape){ .ask = { .tasks = 1, .gpus = gpus, .gpu_milli = MILLI_ALL }, .next = next,
                           .gpu_type = ID_NONE, .selector = ID_NONE, .affinity = ID_NONE,
                           .tolerations = ID_NONE, .pods = ID_NONE, .pin = ID_NONE, .limited = ID_NONE };
}

/* By hand: shapes that differ only in the queue whose limit they meet are alike, also through the
 * runs of a chain; those with nodes of their own, or of another size, are not. */
static void differs_in_limits(void **state)
{
    (void)state;
    struct shape shape[] = { of_gpus(2, ID_NONE), of_gpus(2, ID_NONE), of_gpus(4, 0), of_gpus(4, 1),
                             of_gpus(2, ID_NONE), of_gpus(4, 4),       of_gpus(8, 0) };
    const shape_id alike[] = { 0, 0, 2, 2, 4, 5, 6 };
    shape[1].limited = 3;
    shape[3].limited = 3;
    shape[4].pin = 3;
    shapes_liken(shape, 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(shape[i].ask.alike, alike[i]);
}

/* Jobs of that many shapes, each of its own memory: their requests are those of the shapes, wherever these were moved to. */
static void jobs_ask_for_their_shapes(void **state)
{
    (void)state;
    const uint32_t counts[] = { 1, 1024, 1025, 9000 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct workload *w = workload_new();
        struct error err = { "" };
        for (uint32_t k = 0; k < 3 * counts[i]; k++) {
            struct job_row row = job_row_default;
            row.submit_ns = k;
            row.duration_ns = NS_PER_S;
            row.mem_mib = 1 + k % counts[i];
            assert_int_equal(workload_add(w, &row, "t", k + 1, &err), 0);
        }
        assert_int_equal(workload_finish(w, "t", &err), 0);
        assert_int_equal(w->n_shapes, counts[i]);
        for (job_id j = 0; j < w->n_jobs; j++) {
            assert_ptr_equal(w->facts[j].ask, &w->shape[j % counts[i]].ask);
            assert_int_equal(w->facts[j].ask->mem_mib, 1 + j % counts[i]);
        }
        workload_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(differs_in_limits), cmocka_unit_test(jobs_ask_for_their_shapes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
