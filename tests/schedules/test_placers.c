/* test_placers.c - which nodes and GPUs each placer takes. Nodes have 4 GPUs, all jobs run side by side from 0 unless
 * said otherwise. By hand: "fullest" and "emptiest" go by free whole GPUs, equal ones by number. */
#include "tests/support/schedule.h"

#define THREE                                                                                                          \
    {                                                                                                                  \
        NODES(3, 4)                                                                                                    \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- pack ---- */
    { "pack: best fit", "fifo", THREE, .placer = "pack", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 3, 0, .tasks = 1, .took = "0:123" }, { 0, 10, 2, 0, .took = "1:01" },
        { 0, 10, 1, 0, .took = "1:2" }, { 0, 10, 3, 0, .took = "2:012" } } },
    /* free 0, 2, 4: the emptiest first, the rest on the fullest with room */
    { "pack: as few nodes as can be", "fifo", THREE, .placer = "pack", .jobs = {
        { 0, 10, 4, 0, .took = "0:0123" }, { 0, 10, 2, 0, .took = "1:01" }, { 0, 10, 5, 0, .took = "2:0123 1:2" } } },
    { "pack: the rest goes where it fits best", "fifo", THREE, .placer = "pack", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 5, 0, .took = "1:0123 0:3" } } },
    { "pack: tasks", "fifo", THREE, .placer = "pack", .jobs = { { 0, 10, 8, 0, .tasks = 4, .took = "0:01 0:23 1:01 1:23" } } },
    { "pack: shares onto shared GPUs", "fifo", { NODES(2, 1) }, .placer = "pack", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "0:0" } } },

    /* ---- first-fit ---- */
    { "first-fit: the lowest number with room", "fifo", THREE, .placer = "first-fit", .jobs = {
        { 0, 5, 1, 0, .took = "0:0" }, { 0, 10, 4, 0, .tasks = 1, .took = "1:0123" }, { 0, 10, 3, 0, .took = "0:123" },
        { 5, 10, 1, 5, .took = "0:0" }, { 5, 10, 1, 5, .took = "2:0" } } },
    { "first-fit: not the fullest", "fifo", THREE, .placer = "first-fit", .jobs = {
        { 0, 1, 4, 0, .took = "0:0123" }, { 0, 10, 3, 0, .took = "1:012" }, { 1, 10, 1, 1, .took = "0:0" } } },
    { "first-fit: a split", "fifo", THREE, .placer = "first-fit", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 2, 0, .took = "0:12" }, { 0, 10, 7, 0, .took = "0:3 1:0123 2:01" } } },

    /* ---- spread ---- */
    { "spread: the emptiest", "fifo", THREE, .placer = "spread", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 3, 0, .took = "1:012" }, { 0, 10, 2, 0, .took = "2:01" },
        { 0, 10, 3, 0, .took = "0:123" }, { 0, 10, 3, 0, .took = "2:23 1:3" } } },
    { "spread: tasks", "fifo", THREE, .placer = "spread", .jobs = { { 0, 10, 8, 0, .tasks = 4, .took = "0:01 1:01 2:01 0:23" } } },
    { "spread: shares onto empty GPUs", "fifo", { NODES(2, 1) }, .placer = "spread", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "1:0" } } },

    /* ---- consolidate: a total of one node's size or less is never split ---- */
    { "consolidate: best fit on one node", "fifo", THREE, .placer = "consolidate", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 4, 0, .took = "1:0123" }, { 0, 10, 2, 0, .took = "0:12" } } },
    { "consolidate: whole nodes, the rest on the emptiest", "fifo", THREE, .placer = "consolidate", .jobs = {
        { 0, 10, 2, 0, .took = "0:01" }, { 0, 10, 6, 0, .took = "1:0123 2:01" } } },
    { "consolidate: the rest on what is most free then", "fifo", THREE, .placer = "consolidate", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 4, 0, .took = "1:0123" }, { 0, 10, 6, 0, .took = "2:0123 0:12" } } },
    { "consolidate: waits where pack would split", "fifo", { NODES(2, 4) }, .placer = "consolidate", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 20, 3, 0, .took = "1:012" },
        { 0, 5, 2, 10, .took = "0:01", .waits = { [WAIT_FRAGMENTED] = 10 } } } },
    { "consolidate: pack splits", "fifo", { NODES(2, 4) }, .placer = "pack", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 20, 3, 0, .took = "1:012" }, { 0, 5, 2, 0, .took = "0:3 1:3" } } },
    { "consolidate: waits for a node that is wholly free", "fifo", { NODES(2, 4) }, .placer = "consolidate", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 20, 4, 0, .took = "1:0123" },
        { 1, 5, 5, 20, .took = "0:0123 1:0" } } },

    /* ---- count ---- */
    { "count: by number, over nodes", "fifo", THREE, .placer = "count", .jobs = {
        { 0, 10, 2, 0, .took = "0:01" }, { 0, 10, 3, 0, .took = "0:23 1:0" }, { 0, 10, 3, 0, .tasks = 1, .took = "1:123" } } },
    { "count: one pool", "fifo", { { .name = "pool", .count = 1, .gpus = 100, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX } },
      .placer = "count", .jobs = {
        { 0, 10, 70, 0, .took = "0:x70" }, { 0, 5, 31, 10, .took = "0:x31" }, { 0, 5, 30, 10, .took = "0:x30" } } },

    /* ---- random: only where there is room ---- */
    { "random: the only node with room", "fifo", { NODES(2, 4) }, .placer = "random", .jobs = {
        { 0, 10, 8, 0 }, { 10, 10, 7, 10 }, { 10, 10, 1, 10 }, { 20, 10, 4, 20, .tasks = 1 }, { 20, 10, 4, 20, .tasks = 1 } } },
};
/* clang-format on */

/* ---- random: each node equally likely. Pearson's chi^2 with 3 degrees of freedom is above 16.27 once in a thousand.
 * ---- */

enum { SEEDS = 400, FOUR = 4 };

static void note_node(void *self, const struct interval *i)
{
    *(node_id *)self = i->pieces->piece[0].node;
}

static node_id node_taken(struct cluster *c, struct workload *w, const char *placer, uint64_t seed)
{
    node_id node = ID_NONE;
    struct error err = { "" };
    struct named_policy fifo = policy_named("fifo");
    struct sched *s = run_new(&(struct run_setup){ .cluster = c,
                                                   .workload = w,
                                                   .policy = fifo.policy,
                                                   .policy_params = fifo.params,
                                                   .placer = placer_named(placer),
                                                   .seed = seed,
                                                   .observer = { .self = &node, .interval = note_node } });
    assert_int_equal(run_execute(s, &err), 0);
    run_free(s);
    return node;
}

static const struct fair_row {
    const char *name, *placer;
    bool fair;
} fair_rows[] = {
    { "random: fair", "random", true },
    { "random: control, first-fit is not", "first-fit", false },
};

static void fair(void **state)
{
    const struct fair_row *row = *state;
    static const struct group_spec groups[GROUPS_AT_MOST] = { NODES(FOUR, 4) };
    static const struct job one = { 0, 10, 1, 0 };
    struct error err = { "" };
    unsigned count[FOUR] = { 0 };
    struct cluster *c = cluster_of(groups, NULL);
    struct workload *w = workload_of(&one, 1);
    assert_int_equal(run_bind(c, w, &err), 0);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        count[node_taken(c, w, row->placer, seed)]++;
    for (uint64_t seed = 0; seed < 10; seed++) /* a seed says it all */
        assert_int_equal(node_taken(c, w, row->placer, seed), node_taken(c, w, row->placer, seed));
    double chi2 = 0, expected = (double)SEEDS / FOUR;
    for (unsigned n = 0; n < FOUR; n++)
        chi2 += (count[n] - expected) * (count[n] - expected) / expected;
    assert_int_equal(chi2 < 16.27, row->fair);
    workload_free(w);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    ADD_ROWS(tests, n, fair, fair_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
