/* test_overhead.c - what leaving and starting cost. By hand from models.md 3.3 and 11.2 (4). */
#include "sim/models/overhead.h"
#include "tests/unit/test_core.h"

#include <string.h>

#define S NS_PER_S
static const struct row {
    const char *name;
    unsigned checkpoint;
    int64_t interval_s, save_s, grace_s;
    enum stop_mode mode;
    int64_t done_s, stay_s, lost_s;
} rows[] = {
    /* models.md 11.2 (4): checkpoints every 30, stopped at 50 in restart mode: 20 are lost */
    { "restart: back to the last checkpoint", CHECKPOINT_PERIODIC, 30, 0, 30, STOP_RESTART, 50, 0, 20 },
    { "restart: just before a checkpoint", CHECKPOINT_PERIODIC, 30, 5, 30, STOP_RESTART, 59, 0, 29 },
    { "restart: at a checkpoint", CHECKPOINT_PERIODIC, 30, 5, 30, STOP_RESTART, 60, 0, 0 },
    { "restart: before the first", CHECKPOINT_PERIODIC, 30, 5, 30, STOP_RESTART, 7, 0, 7 },
    { "restart: nothing done", CHECKPOINT_PERIODIC, 30, 5, 30, STOP_RESTART, 0, 0, 0 },
    { "save in less than the grace", CHECKPOINT_PERIODIC, 30, 5, 10, STOP_SAVE, 50, 5, 0 },
    { "save in just the grace", CHECKPOINT_PERIODIC, 30, 10, 10, STOP_SAVE, 50, 10, 0 },
    { "save takes longer: killed", CHECKPOINT_PERIODIC, 30, 11, 10, STOP_SAVE, 50, 10, 20 },
    { "save takes longer, at a checkpoint", CHECKPOINT_PERIODIC, 30, 11, 10, STOP_SAVE, 30, 10, 0 },
    { "no grace: gone at once", CHECKPOINT_PERIODIC, 30, 11, 0, STOP_SAVE, 50, 0, 20 },
    { "saving costs nothing", CHECKPOINT_PERIODIC, 30, 0, 0, STOP_SAVE, 50, 0, 0 },
    { "perfect: nothing is lost", CHECKPOINT_PERFECT, 30, 0, 0, STOP_SAVE, 50, 0, 0 },
    { "perfect: dropped at once", CHECKPOINT_PERFECT, 30, 5, 30, STOP_RESTART, 50, 0, 0 },
    { "perfect: saves first", CHECKPOINT_PERFECT, 30, 5, 30, STOP_SAVE, 50, 5, 0 },
    { "none: all is lost", CHECKPOINT_NONE, 30, 5, 30, STOP_SAVE, 50, 0, 50 },
    { "none: all is lost, restart", CHECKPOINT_NONE, 30, 5, 30, STOP_RESTART, 50, 0, 50 },
    { "none: nothing to lose", CHECKPOINT_NONE, 0, 0, 0, STOP_SAVE, 0, 0, 0 },
};

static void stop(void **state)
{
    const struct row *row = *state;
    struct overhead p = { .checkpoint = row->checkpoint, .interval_ns = row->interval_s * S, .save_ns = row->save_s * S,
                       .grace_ns = row->grace_s * S, .start_ns = 1000 * S, .restart_ns = 2000 * S };
    struct stop_overhead l = overhead_of_stop(&p, row->mode, row->done_s * S, overhead_durable_ns(&p, row->done_s * S));
    assert_int_equal(l.stay_ns, row->stay_s * S);
    assert_int_equal(l.lost_ns, row->lost_s * S);
}

/* Whatever the price: nobody stays longer than the grace or loses more than was done; a save never loses more than a restart. */
static void bounds(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 2 * 4 * 4 * 40; i++) {
        struct overhead p = { .checkpoint = i % 2 ? CHECKPOINT_PERIODIC : CHECKPOINT_NONE, .interval_ns = 7,
                           .save_ns = i / 2 % 4, .grace_ns = i / 8 % 4 };
        int64_t done = i / 32;
        int64_t durable = overhead_durable_ns(&p, done);
        struct stop_overhead save = overhead_of_stop(&p, STOP_SAVE, done, durable), drop = overhead_of_stop(&p, STOP_RESTART, done, durable);
        assert_true(save.stay_ns >= 0 && save.stay_ns <= p.grace_ns && drop.stay_ns == 0);
        assert_true(save.lost_ns >= 0 && save.lost_ns <= drop.lost_ns && drop.lost_ns <= done);
    }
}

static void start(void **state)
{
    (void)state;
    struct overhead p = { .start_ns = 42, .restart_ns = 30 };
    assert_int_equal(overhead_of_start(&p, true), 42);
    assert_int_equal(overhead_of_start(&p, false), 30);       /* replaces the start-up of the first time */
}

/* ---- The section `preemption` ---- */

static int read_price(const char *text, struct overhead *p, struct error *err)
{
    struct input *in = input_from_bytes(text, strlen(text), "c.yaml", err);
    struct config *c = config_read(in, err);
    struct config_value whole = c ? config_root(c) : (struct config_value){ 0 };
    int result = c ? overhead_read(config_look(whole, "preemption"), whole, p, err) : -1;
    config_free(c);
    input_close(in);
    return result;
}

static void all_keys(void **state)
{
    (void)state;
    struct overhead p;
    struct error err = { "" };
    assert_int_equal(read_price("preemption: {checkpoint: periodic, interval_s: auto, interval_law: young, node_mtbf_s: 86400, "
                                "checkpoint_gib: 0.5, checkpoint_s: 2, blocking: 0.1, start_s: parts, restart_s: parts, "
                                "init_s: 5, init_doubling_s: 0}", &p, &err), 0);
    assert_true(p.checkpoint == CHECKPOINT_PERIODIC && p.interval_ns == INTERVAL_AUTO && p.interval_law == LAW_YOUNG);
    assert_int_equal(p.node_mtbf_ns, 86400 * S);
    assert_int_equal(p.checkpoint_bytes, 1 << 29);
    assert_int_equal(p.write_ns, 2 * S);
    assert_true(p.blocking == 0.1);
    assert_true(p.start_ns == START_BY_PARTS && p.restart_ns == START_BY_PARTS && p.init_ns == 5 * S && p.init_doubling_ns == 0);
    assert_int_equal(p.save_ns, -1);                       /* as long as any */
}

/* Checkpoints without a cost are what they were: free, and a save takes no time unless the file says so. */
static void defaults(void **state)
{
    (void)state;
    struct overhead p, absent;
    struct error err = { "" };
    assert_int_equal(read_price("preemption: {}", &p, &err), 0);
    assert_int_equal(read_price("name: x", &absent, &err), 0);
    assert_memory_equal(&p, &absent, sizeof p);
    assert_true(!overhead_writes(&p) && p.save_ns == 0 && p.grace_ns == 30 * S && p.blocking == 1);
    assert_int_equal(read_price("preemption: {checkpoint_gib: model, save_s: 3}", &p, &err), 0);
    assert_true(overhead_writes(&p) && p.save_ns == 3 * S && p.checkpoint_bytes == CHECKPOINT_OF_MODEL);
}

/* What a job says goes before what the cluster says; a size of its own makes a save take as long as any write. */
static void own(void **state)
{
    (void)state;
    struct overhead free = overhead_default(), p;
    struct own_overhead sized = OWN_OVERHEAD_NONE;
    p = overhead_with(&free, &sized);
    assert_memory_equal(&p, &free, sizeof p);
    sized.checkpoint_mib = 3;
    p = overhead_with(&free, &sized);
    assert_true(p.checkpoint_bytes == 3 << 20 && p.save_ns == -1);
    sized.save_ns = 7;
    p = overhead_with(&free, &sized);
    assert_true(p.save_ns == 7);
    sized.save_ns = -1;
    free.write_ns = 1;
    p = overhead_with(&free, &sized);
    assert_true(p.save_ns == 0);                           /* as the cluster says, which has a cost of its own */
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, stop, rows);
    ADD_TEST(tests, n, bounds);
    ADD_TEST(tests, n, start);
    ADD_TEST(tests, n, all_keys);
    ADD_TEST(tests, n, defaults);
    ADD_TEST(tests, n, own);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
