/* test_drf.c - drf and fair-share: the examples of the paper, and schedules worked out by hand. */
#include "tests/support/schedule.h"

/* Ghodsi et al., NSDI 2011, section 4.1: 9 CPUs and 18 GB; tasks of A want 1 CPU and 4 GB, tasks
 * of B 3 CPUs and 1 GB. */
#define PAPER                                                                                                          \
    {                                                                                                                  \
        {                                                                                                              \
            .name = "node", .gpu_model = "A100", .count = 1, .gpus = 1, .cpu_milli = 9000, .mem_mib = 18 * 1024        \
        }                                                                                                              \
    }
#define A(starts_s) { 0, 10, 0, (starts_s), .cpus = 1, .mem_mib = 4096, .queue = "a" }
#define B(starts_s) { 0, 10, 0, (starts_s), .cpus = 3, .mem_mib = 1024, .queue = "b" }
#define WEIGHS(n, w, above)                                                                                            \
    {                                                                                                                  \
        .facts = { .name = (n),                                                                                        \
                   .parent = (above),                                                                                  \
                   .weight = (w),                                                                                      \
                   .quota = { { 0, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } }                     \
    }
#define TWO(a, b)                                                                                                      \
    {                                                                                                                  \
        WEIGHS("a", (a), ID_NONE), WEIGHS("b", (b), ID_NONE)                                                           \
    }
/* d is the department of b and c. */
#define DEPARTMENTS                                                                                                    \
    {                                                                                                                  \
        WEIGHS("a", 1, ID_NONE), WEIGHS("d", 1, ID_NONE), WEIGHS("b", 1, 1), WEIGHS("c", 1, 1)                         \
    }
/* a may hold so many GPUs. */
#define LIMITED(gpus)                                                                                                  \
    {                                                                                                                  \
        { .facts = { .name = "a",                                                                                      \
                     .parent = ID_NONE,                                                                                \
                     .weight = 1,                                                                                      \
                     .quota = { { 0, UNLIMITED, UNLIMITED }, { (gpus) * MILLI_ALL, UNLIMITED, UNLIMITED } } } },       \
            WEIGHS("b", 1, ID_NONE)                                                                                    \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* The paper's result: 3 tasks of A (12 of 18 GB) and 2 of B (6 of 9 CPUs), dominant shares 2/3 each. All of A is
     * there before B: in arrival order A would get 4 tasks and B 1. */
    { "drf: the paper's example", "drf", PAPER, .queue = TWO(1, 1), .jobs = {
        A(0), A(0), A(0), A(10), B(0), B(0), B(10) } },
    { "fifo: not the paper's example", "fifo:blocking=skip", PAPER, .queue = TWO(1, 1), .jobs = {
        A(0), A(0), A(0), A(0), B(0), B(10), B(10) } },
    /* A counts half: shares by turns A 1/9, B 1/3, A 2/9, A 1/3, then a tie (A 12/18/2, B 3/9) that A's earlier job wins:
     * A 4/9. Left are 2 CPUs and 1 GB. */
    { "drf: A weighs 2", "drf", PAPER, .queue = TWO(2, 1), .jobs = {
        A(0), A(0), A(0), A(0), B(0), B(10), B(10) } },
    /* B weighs 3: A 2/9, B 1/9, B 2/9 and a tie (A 4/18, B 6/9/3) that A's earlier job wins: A 4/9, B 3/9. CPUs: 2 + 9 > 9,
     * so the third task of B does not fit; it blocks B. A goes on: 12 of 18 GB. */
    { "drf: B weighs 3", "drf", PAPER, .queue = TWO(1, 3), .jobs = {
        A(0), A(0), A(0), A(10), B(0), B(0), B(10) } },
    { "drf: nothing but weight 0", "drf", PAPER, .queue = TWO(0, 1), .jobs = {
        A(10), A(10), A(10), A(10), B(0), B(0), B(0) } },

    /* ---- fair-share ---- */
    { "fair-share: by turns", "fair-share", ONE_NODE(4), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 10, 1, 0, .queue = "a" }, { 0, 10, 1, 10, .queue = "a" },
        { 0, 10, 1, 10, .queue = "a" }, { 0, 10, 1, 0, .queue = "b" }, { 0, 10, 1, 0, .queue = "b" } } },
    /* At 4 one GPU comes free: a holds 2, b none */
    { "fair-share: what is held counts", "fair-share", ONE_NODE(3), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 4, 1, 0, .queue = "a" }, { 0, 10, 1, 0, .queue = "a" },
        { 1, 10, 1, 10, .queue = "a", .waits = { [WAIT_GPUS] = 9 } },
        { 2, 10, 1, 4, .queue = "b", .waits = { [WAIT_GPUS] = 2 } } } },
    { "fair-share: weights", "fair-share", ONE_NODE(3), .queue = TWO(1, 2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 10, 1, 10, .queue = "a" }, { 0, 10, 1, 0, .queue = "b" },
        { 0, 10, 1, 0, .queue = "b" } } },
    { "fair-share: strict, the head blocks its queue", "fair-share", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 5, 2, 10, .queue = "b" }, { 1, 3, 1, 15, .queue = "b" },
        { 2, 3, 1, 2, .queue = "a" } } },
    { "fair-share: skip", "fair-share:blocking=skip", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 5, 2, 10, .queue = "b" }, { 1, 3, 1, 1, .queue = "b" } } },
    { "fair-share: equal shares, first come first", "fair-share", ONE_NODE(1), .jobs = {
        { 0, 5, 1, 0, .queue = "b" }, { 1, 5, 1, 5, .queue = "b" }, { 2, 5, 1, 10, .queue = "a" } } },
    /* The department of b and c shares alike with a: b, a, c, a. Without it: b, c, a, and c's second job came before a's. */
    { "fair-share: a tree of queues", "fair-share", ONE_NODE(4), .queue = DEPARTMENTS, .jobs = {
        { 0, 10, 1, 0, .queue = "b" }, { 0, 10, 1, 0, .queue = "c" }, { 0, 10, 1, 10, .queue = "c" },
        { 0, 10, 1, 0, .queue = "a" }, { 0, 10, 1, 0, .queue = "a" }, { 0, 10, 1, 10, .queue = "a" } } },
    { "fair-share: the same without a tree", "fair-share", ONE_NODE(4), .jobs = {
        { 0, 10, 1, 0, .queue = "b" }, { 0, 10, 1, 0, .queue = "c" }, { 0, 10, 1, 0, .queue = "c" },
        { 0, 10, 1, 0, .queue = "a" }, { 0, 10, 1, 10, .queue = "a" }, { 0, 10, 1, 10, .queue = "a" } } },
    { "drf: GPUs count, too", "drf", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 10, 1, 10, .queue = "a" }, { 0, 10, 1, 0, .queue = "b" } } },

    /* ---- Queues that are passed over ---- */
    { "fair-share: at its limit until it holds less", "fair-share", ONE_NODE(8), .queue = LIMITED(4), .jobs = {
        { 0, 10, 4, 0, .queue = "a" }, { 1, 5, 2, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 9 } },
        { 2, 5, 2, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 8 } }, { 3, 10, 1, 3, .queue = "b" } } },
    { "fair-share: at its limit, but for a smaller job", "fair-share", ONE_NODE(8), .queue = LIMITED(4), .jobs = {
        { 0, 10, 3, 0, .queue = "a" }, { 1, 5, 2, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 9 } },
        { 2, 5, 2, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 8 } }, { 4, 3, 1, 4, .queue = "a" } } },
    /* At 4 there are enough for both, but not below the limit */
    { "fair-share: too few GPUs, then the limit", "fair-share", ONE_NODE(8), .queue = LIMITED(4), .jobs = {
        { 0, 20, 2, 0, .queue = "a" }, { 0, 4, 6, 0, .queue = "b" },
        { 1, 5, 2, 4, .queue = "a", .waits = { [WAIT_GPUS] = 3 } },
        { 2, 5, 2, 9, .queue = "a", .waits = { [WAIT_ORDER] = 2, [WAIT_LIMIT] = 5 } } } },
    /* 4 would be one too many; 2 find 1 idle and block the last until 10 */
    { "fair-share: one over the limit, one blocks the queue", "fair-share", ONE_NODE(8), .queue = LIMITED(4), .jobs = {
        { 0, 20, 1, 0, .queue = "a" }, { 0, 10, 6, 0, .queue = "b" },
        { 1, 5, 4, 20, .queue = "a", .waits = { [WAIT_LIMIT] = 19 } },
        { 2, 5, 2, 10, .queue = "a", .waits = { [WAIT_GPUS] = 8 } },
        { 3, 5, 1, 10, .queue = "a", .waits = { [WAIT_ORDER] = 7 } },
        { 11, 2, 1, 11, .queue = "b" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
