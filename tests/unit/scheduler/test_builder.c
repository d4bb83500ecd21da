/* test_builder.c - a piece that is all of the request is not taken from the view as it is added: another piece still
 * finds its GPUs taken, and after a rollback all is as it was. */
#include "sim/contract/policy.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

#include <string.h>

static int asked;

/* The job wants the 4 GPUs of node 0, all that it has. */
static enum place_result twice(struct builder *b, const struct request *r, const void *params)
{
    const struct piece all = { .node = 0, .gpu_mask = 0xf, .gpus = 4, .milli = MILLI_ALL };
    (void)params;
    if (r->gpus != 4)
        return NO_ROOM;
    assert_true(builder_add_some(b, r, 0, 0, 4));
    assert_int_equal(builder_mark(b), 1);
    assert_false(builder_add(b, all));                   /* the first has them */
    assert_int_equal(view_node(builder_view(b), 0).whole, 0);
    builder_rollback(b, 0);
    assert_int_equal(view_node(builder_view(b), 0).whole, 4);
    assert_true(builder_add(b, all));
    asked++;
    return PLACED;
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    struct request r = job_request(s, 0);
    const struct placement *p = job_state(s, 0) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
    if (p) {
        assert_int_equal(view_node(sched_view(s, FREE_IDLE), 0).whole, 4);
        assert_int_equal(sched_start(s, 0, p), SCHED_OK);
        assert_int_equal(view_node(sched_view(s, FREE_IDLE), 0).whole, 0);
    }
}

static void all_of_it_and_another(void **state)
{
    (void)state;
    struct error err = { "" };
    const struct group_spec g = { .name = "a", .count = 1, .gpus = 4, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    struct cluster *c = cluster_build("one", &g, 1, NULL, 0, &err);
    struct workload *w = workload_new();
    struct job_row row = job_row_default;
    row.job_id = "j", row.job_id_length = 1;
    row.gpus = 4, row.duration_ns = NS_PER_S;
    if (!c || workload_add(w, &row, "one", 1, &err) || workload_finish(w, "one", &err) || run_bind(c, w, &err))
        fail_msg("%s", err.text);
    const struct placer placer = { .abi = PLACEMENT_ABI, .name = "twice", .place = twice };
    const struct policy policy = { .abi = POLICY_ABI, .name = "asks", .schedule = schedule };
    struct run_setup setup = { .cluster = c, .workload = w, .policy = &policy, .placer = &placer, .check = true };
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    assert_true(asked > 0);
    assert_int_equal(run_totals(s)->completed, 1);
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_of_it_and_another) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
