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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(differs_in_limits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
