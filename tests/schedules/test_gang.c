/* test_gang.c - gangs: which jobs pass a gang that does not fit, and gangs that lack their
 * minimum. By hand. More, and what they have in common with kube, is in test_kube.c; a gang that
 * waits rests for 1, 2, 4 ... s between its tries with blocking=skip. */
#include "tests/support/schedule.h"

#define STRICT "gang:blocking=strict"
#define RESERVATION "gang:blocking=reservation"
#define PODS(n) .tasks = (n)

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- Two of two do not fit beside the first ---- */
    { "skip: the small one passes, again and again", "gang", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 2, 22, PODS(2) }, { 0, 15, 1, 0 }, { 8, 12, 1, 10 } } },
    { "strict: no job passes", STRICT, ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 2, 10, PODS(2), .waits = { [WAIT_GPUS] = 10 } },
        { 0, 10, 1, 15, .waits = { [WAIT_ORDER] = 10, [WAIT_GPUS] = 5 } } } },
    { "strict: a higher priority does", STRICT, ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .priority = 1 }, { 0, 5, 2, 13, PODS(2), .waits = { [WAIT_GPUS] = 13 } },
        { 3, 10, 1, 3, .priority = 1 } } },
    { "strict: the head changes", STRICT, ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .priority = 2 }, { 0, 5, 2, 15, PODS(2), .waits = { [WAIT_GPUS] = 8, [WAIT_ORDER] = 7 } },
        { 3, 5, 2, 10, PODS(2), .priority = 1 } } },
    { "strict: no back-off", STRICT, ONE_NODE(2), .jobs = {
        { 0, 1.5, 1, 0 }, { 0, 5, 2, 1.5, PODS(2) } } },
    /* ---- The head starts at 10 by the estimates: a job passes if it ends until then or fits beside it ---- */
    { "reservation: a job that does not delay it passes", RESERVATION, ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .estimate = 10 }, { 0, 5, 2, 10, PODS(2), .estimate = 5, .waits = { [WAIT_GPUS] = 10 } },
        { 0, 11, 1, 15, .estimate = 11, .waits = { [WAIT_RESERVED] = 10, [WAIT_GPUS] = 5 } }, { 0, 10, 1, 0, .estimate = 10 } } },
    { "reservation: of other nodes", RESERVATION, { NODES(2, 2) }, .jobs = {
        { 0, 10, 2, 0, PODS(1), .estimate = 10, .took = "0:01" }, { 0, 20, 1, 0, .estimate = 20, .took = "1:0" },
        { 0, 5, 2, 10, PODS(1), .estimate = 5, .took = "0:01" }, { 0, 50, 1, 0, .estimate = 50, .took = "1:1" } } },
    { "reservation: an end that comes early is used", RESERVATION, ONE_NODE(2), .jobs = {
        { 0, 4, 1, 0, .estimate = 10 }, { 0, 5, 2, 4, PODS(2), .estimate = 5 }, { 0, 11, 1, 9, .estimate = 11 } } },
    { "reservation: none without estimates, and no job passes", RESERVATION, ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 2, 10, PODS(2), .estimate = 5 }, { 0, 3, 1, 15, .estimate = 3 } } },

    /* ---- The minimum starts, and it grows: half the work in 10 s, then all of the rest with two ---- */
    /* 8 GPUs in a rack of 4 and another: all of it never fits in a rack, its minimum does; at half its tasks 10 s last 20 s */
    { "minimum: within a level", "gang", { { .name = "node", .gpu_model = "A100", .count = 2, .gpus = 4, .cpu_milli = INT64_MAX,
        .mem_mib = INT64_MAX, .nodes_per_rack = 1 } }, .jobs = {
        { 0, 10, 8, 0, .ends = 20, PODS(8), .min_tasks = 4, .required = "rack", .took = "0:0 0:1 0:2 0:3" } } },
    /* One of two on node 2; node 0 of the other rack comes free at 4 and is not taken, node 3 at 12: half the work for 12 s,
     * the other 14 s of 20 with both */
    { "minimum: it grows inside its rack", "gang", { { .name = "node", .gpu_model = "A100", .count = 4, .gpus = 1, .cpu_milli = INT64_MAX,
        .mem_mib = INT64_MAX, .nodes_per_rack = 2 } }, .jobs = {
        { 0, 4, 1, 0, .on = "0:0" }, { 0, 100, 1, 0, .on = "1:0" }, { 0, 12, 1, 0, .on = "3:0" },
        { 0, 20, 2, 0, .ends = 26, PODS(2), .min_tasks = 1, .required = "rack", .took = "2:0; 2:0 3:0" } } },
    /* Three of four fit in the rack, and start at once with the minimum of two; the fourth at 8: three quarters for 8 s, the
     * other 14 s of 20 with all */
    { "minimum: more than that at once", "gang", { { .name = "node", .gpu_model = "A100", .count = 2, .gpus = 4, .cpu_milli = INT64_MAX,
        .mem_mib = INT64_MAX, .nodes_per_rack = 1 } }, .jobs = {
        { 0, 8, 1, 0, .on = "0:0" }, { 0, 100, 4, 0, PODS(1), .on = "1:0-3" },
        { 0, 20, 4, 0, .ends = 22, PODS(4), .min_tasks = 2, .required = "rack" } } },
    { "minimum: strict, too", STRICT, ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 20, 2, 0, .ends = 25, PODS(2), .min_tasks = 1 } } },
    /* A third of the work for 12 s, two thirds from then to 30, all of it for the rest: 4 + 12 + 4 */
    { "minimum: growing blocks no job", STRICT, ONE_NODE(3), .jobs = {
        { 0, 12, 1, 0 }, { 0, 20, 3, 0, .ends = 34, PODS(3), .min_tasks = 1, .on = "0:0" }, { 0, 30, 1, 0, .priority = 1 } } },

    /* ---- Below the minimum, as the trace begins ---- */
    { "stale: gives up after a minute, and waits", "gang", ONE_NODE(2), .useful = 140, .gang = 60, .jobs = {
        { 0, 20, 2, 100, PODS(2), .on = "0:0", .waits = { [WAIT_GANG] = 60, [WAIT_ORDER] = 40 } },
        { 0, 100, 1, 0, .on = "0:1" } } },
    { "stale: what it held helps another", STRICT ",stale_s=5", ONE_NODE(2), .useful = 160, .gang = 5, .jobs = {
        { 0, 20, 2, 100, PODS(2), .on = "0:0" }, { 0, 100, 1, 0, .on = "0:1" }, { 1, 20, 1, 5, .priority = 1 } } },
    { "stale: never", "gang:stale_s=-1", ONE_NODE(2), .useful = 140, .gang = 100, .jobs = {
        { 0, 20, 2, 100, PODS(2), .on = "0:0", .waits = { [WAIT_GANG] = 100 } }, { 0, 100, 1, 0, .on = "0:1" } } },
    { "stale: complete before", "gang", ONE_NODE(2), .useful = 90, .gang = 50, .jobs = {
        { 0, 20, 2, 50, PODS(2), .on = "0:0" }, { 0, 50, 1, 0, .on = "0:1" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
