/* test_static.c - "two for me, two for you": each queue has its own GPUs, by count or by node.
 * By hand. */
#include "tests/support/schedule.h"

#define TWO_EACH                                                                                                       \
    {                                                                                                                  \
        QUEUE("a", 2), QUEUE("b", 2)                                                                                   \
    }
static const struct pin_spec first_node = { 0, 1 }, second_node = { 0, 1 };
#define A_NODE_EACH                                                                                                    \
    {                                                                                                                  \
        QUEUE_PINNED("a", &first_node), QUEUE_PINNED("b", &second_node)                                                \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- By count ---- */
    { "count: idle GPUs of the other are not used", "static", ONE_NODE(4), .queue = TWO_EACH, .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 10, 1, 0, .queue = "a" },
        { 0, 10, 1, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 10 } },
        { 0, 10, 1, 10, .queue = "a", .waits = { [WAIT_ORDER] = 10 } }, { 3, 10, 1, 3, .queue = "b" } } },
    { "count: under skip jobs of equal requests wait for the same", "static:blocking=skip", ONE_NODE(4), .queue = TWO_EACH,
      .jobs = { { 0, 10, 2, 0, .queue = "a" }, { 0, 10, 1, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 10 } },
                { 2, 10, 1, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 8 } } } },
    { "count: on any node", "static", { NODES(2, 2) }, .queue = TWO_EACH, .jobs = {
        { 0, 10, 1, 0, .queue = "a", .took = "0:0" }, { 0, 10, 2, 0, .queue = "b", .took = "1:01" },
        { 0, 10, 1, 0, .queue = "a", .took = "0:1" } } },
    { "count: more than the share is refused", "static", ONE_NODE(4), .queue = TWO_EACH, .jobs = {
        { 0, 10, 3, NEVER, .queue = "a", .refused = "asks for more than the 2 GPUs of its queue" },
        { 0, 10, 2, 0, .queue = "a" } } },
    { "count: the share is there, the GPUs are not", "static", { NODES(2, 2) }, .placer = "spread", .queue = TWO_EACH, .jobs = {
        { 0, 10, 1, 0, .queue = "a", .took = "0:0" }, { 0, 20, 1, 0, .queue = "a", .took = "1:0" },
        { 0, 5, 2, 10, .tasks = 1, .queue = "b", .took = "0:01", .waits = { [WAIT_FRAGMENTED] = 10 } } } },
    { "count: shares of GPUs", "static", ONE_NODE(1), .queue = { QUEUE("a", 1) }, .jobs = {
        { 0, 10, 1, 0, .shares = .6 }, { 0, 10, 1, 10, .shares = .5, .waits = { [WAIT_LIMIT] = 10 } } } },
    { "count: strict", "static", ONE_NODE(4), .queue = TWO_EACH, .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 5, 2, 10, .queue = "a" }, { 1, 3, 1, 15, .queue = "a" } } },
    { "count: skip", "static:blocking=skip", ONE_NODE(4), .queue = TWO_EACH, .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 5, 2, 10, .queue = "a" }, { 1, 3, 1, 1, .queue = "a" } } },
    { "count: a line each", "static:scope=queue", ONE_NODE(4), .queue = TWO_EACH, .jobs = {
        { 0, 10, 2, 0, .queue = "a" }, { 0, 5, 1, 10, .queue = "a" }, { 1, 5, 1, 1, .queue = "b" } } },
    { "count: a queue at its share goes on when it holds less", "static", ONE_NODE(4), .queue = TWO_EACH, .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 20, 1, 0, .queue = "a" },
        { 1, 5, 1, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 9 } }, { 3, 1, 1, 3, .queue = "b" },
        { 4, 1, 1, 15, .queue = "a", .waits = { [WAIT_ORDER] = 6, [WAIT_LIMIT] = 5 } } } },
    { "count: one line, its head blocks all", "static:scope=pool", ONE_NODE(4), .queue = TWO_EACH, .jobs = {
        { 0, 10, 2, 0, .queue = "a" }, { 0, 5, 1, 10, .queue = "a" }, { 1, 5, 1, 10, .queue = "b" } } },
    { "count: one line, passed over", "static:scope=pool,blocking=skip", ONE_NODE(4), .queue = TWO_EACH, .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 5, 2, 10, .queue = "a" }, { 1, 5, 1, 1, .queue = "b" } } },
    { "count: one line, the same shape in two queues", "static:scope=pool,blocking=skip", ONE_NODE(4), .queue = TWO_EACH,
      .jobs = { { 0, 10, 2, 0, .queue = "a" }, { 0, 5, 1, 10, .queue = "a" }, { 1, 5, 1, 1, .queue = "b" } } },
    { "count: the shortest first", "static:order=shortest", ONE_NODE(2), .queue = { QUEUE("a", 1), QUEUE("b", 1) }, .jobs = {
        { 0, 5, 1, 3, .queue = "a" }, { 0, 3, 1, 0, .queue = "a" }, { 0, 9, 1, 0, .queue = "b" } } },
    { "count: the higher first", "static:order=priority", ONE_NODE(2), .queue = { QUEUE("a", 1), QUEUE("b", 1) }, .jobs = {
        { 0, 5, 1, 3, .queue = "a" }, { 0, 3, 1, 0, .queue = "a", .priority = 1 }, { 0, 9, 1, 0, .queue = "b" } } },

    /* ---- By node ---- */
    { "pinned: the other's node stays idle", "static", { NODES(2, 2) }, .queue = A_NODE_EACH, .jobs = {
        { 0, 10, 2, 0, .queue = "a", .took = "0:01" },
        { 0, 5, 1, 10, .queue = "a", .took = "0:0", .waits = { [WAIT_GPUS] = 10 } },
        { 3, 5, 1, 3, .queue = "b", .took = "1:0" } } },
    { "pinned: more than its nodes", "static", { NODES(2, 2) }, .queue = A_NODE_EACH, .jobs = {
        { 0, 5, 3, NEVER, .queue = "b", .refused = "asks for more than the cluster has" },
        { 0, 5, 2, 0, .queue = "b", .took = "1:01" } } },
    { "pinned: and one by count, on the nodes that no queue has", "static", { NODES(2, 2) },
      .queue = { QUEUE_PINNED("a", &first_node), QUEUE("b", 1) }, .jobs = {
        { 0, 5, 1, 0, .queue = "b", .took = "1:0" }, { 0, 5, 1, 5, .queue = "b", .took = "1:0" },
        { 0, 5, 1, 0, .queue = "a", .took = "0:0" } } },
    { "pinned: fifo keeps to it as well", "fifo", { NODES(2, 2) }, .queue = A_NODE_EACH, .jobs = {
        { 0, 10, 2, 0, .queue = "a", .took = "0:01" }, { 0, 5, 1, 10, .queue = "a", .took = "0:0" },
        { 3, 5, 1, 10, .queue = "b", .took = "1:0" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
