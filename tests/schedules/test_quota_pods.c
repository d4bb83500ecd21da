/* test_quota_pods.c - pods beside other pods under `quota`, by hand from docs/schedulers.md b.5: nodes where a rule bars a task
 * are left out of the order, the fullest first. A pass a second. */
#include "tests/support/schedule.h"

#define OWNS(text, gpus)                                                                                                       \
    { .facts = { .name = text, .parent = ID_NONE, .weight = 1, .cpu_weight = 1, .mem_weight = 1,                               \
                 .quota = { { (gpus) * INT64_C(1000), UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },           \
                 .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1, .cohort = COHORT_RULES_UNSAID } }
#define IN_ZONE(called, n, zone)                                                                                               \
    { .name = called, .gpu_model = "A100", .count = 1, .gpus = (n), .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX,           \
      .labels = "zone=" zone }
/* Node 0 is the fuller one while as many GPUs are in use on both. */
#define ZONES { IN_ZONE("small", 2, "a"), IN_ZONE("large", 4, "b") }
#define ONE(where) .tasks = 1, .on = (where)

/* clang-format off */
static const struct schedule rows[] = {
    /* The first two rows differ in the rule alone. */
    { "no rule: the fuller node", "quota", ZONES, .period = 1, .jobs = {
        { 0, 10, 1, 0, ONE("1:0"), .pod_labels = "app=db" }, { 0, 10, 1, 0, .tasks = 1, .took = "0:0" } } },
    { "in the zone of another job's", "quota", ZONES, .period = 1, .jobs = {
        { 0, 10, 1, 0, ONE("1:0"), .pod_labels = "app=db" },
        { 0, 10, 1, 0, .tasks = 1, .pod_affinity = "app=db@zone", .took = "1:1" } } },
    /* Allocated one after the other in the pass at 5, the older one first and in vain; then a pass later. */
    { "waits until there is one", "quota", ZONES, .period = 1, .jobs = {
        { 0, 10, 1, 6, .tasks = 1, .pod_affinity = "app=db@zone", .waits = { [WAIT_TOPOLOGY] = 6 } },
        { 5, 10, 1, 5, .tasks = 1, .pod_labels = "app=db", .took = "0:0" } } },
    { "never two of a gang on a node", "quota", { NODES(2, 2) }, .period = 1, .jobs = {
        { 0, 10, 2, 0, .tasks = 2, .pod_labels = "app=x", .pod_anti_affinity = "app=x@node", .took = "0:0 1:0" },
        { 0, 10, 1, 10, .tasks = 1, .pod_labels = "app=x", .pod_anti_affinity = "app=x@node", .waits = { [WAIT_TOPOLOGY] = 10 } },
        { 0, 10, 1, 0, .tasks = 1, .took = "0:1" } } },
    /* Each task is barred by those before it; what stands beside them before is no matter for a job of which no rule speaks. */
    { "never two of a gang of three", "quota", { NODES(4, 2) }, .period = 1, .jobs = {
        { 0, 10, 1, 0, .tasks = 1, .pod_labels = "app=x", .took = "0:0" },
        { 0, 10, 3, 0, .tasks = 3, .pod_labels = "app=x", .pod_anti_affinity = "app=x@node", .took = "1:0 2:0 3:0" },
        { 0, 10, 3, 0, .tasks = 3, .pod_labels = "app=y", .took = "0:1 1:1 2:1" } } },
    { "a gang beside itself", "quota", { IN_ZONE("small", 1, "a"), IN_ZONE("large", 2, "b") }, .period = 1, .jobs = {
        { 0, 10, 1, 0, .tasks = 1, .selector = "zone=a", .took = "0:0" },
        { 0, 10, 2, 0, .tasks = 2, .pod_labels = "app=w", .pod_affinity = "app=w@zone", .took = "1:0 1:1" } } },
    { "what another says of it", "quota", ZONES, .period = 1, .jobs = {
        { 0, 10, 1, 0, .tasks = 1, .pod_anti_affinity = "app=y@zone", .took = "0:0" },
        { 0, 10, 1, 0, .tasks = 1, .pod_labels = "app=y", .took = "1:0" } } },
    /* A pod that is leaving counts: nothing is preempted for what stays barred until it has left. */
    { "preempting cures no anti-affinity", "quota", ONE_NODE(4), .queue = { OWNS("a", 4) }, .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 2, 0, .tasks = 1, .queue = "a", .pod_labels = "app=y" },
                { 50, 10, 2, 100, .tasks = 1, .queue = "a", .priority = 1, .pod_anti_affinity = "app=y@node",
                  .waits = { [WAIT_TOPOLOGY] = 50 } } } },
    /* The newest victim would be the second; but on its node the third is barred. Without the rule see the next row. */
    /* So does one of a job that was leaving when it was submitted, until 10; the rules of either bar. Node 0 is the fuller one:
     * see the row without a label. */
    { "not beside a pod that leaves since before the trace", "quota", { NODES(2, 2) }, .period = 1, .jobs = {
        { 0, 0, 1, 0, 10, ONE("0:0"), .leaves = 10, .pod_labels = "app=y" },
        { 0, 20, 1, 0, .tasks = 1, .pod_anti_affinity = "app=y@node", .took = "1:0" },
        { 10, 5, 2, 10, .tasks = 1, .pod_anti_affinity = "app=y@node", .took = "0:01" } } },
    { "without a label it is beside it", "quota", { NODES(2, 2) }, .period = 1, .jobs = {
        { 0, 0, 1, 0, 10, ONE("0:0"), .leaves = 10 },
        { 0, 20, 1, 0, .tasks = 1, .pod_anti_affinity = "app=y@node", .took = "0:1" } } },
    { "not where a pod says so that leaves since before the trace", "quota", { NODES(2, 2) }, .period = 1, .jobs = {
        { 0, 0, 1, 0, 10, ONE("0:0"), .leaves = 10, .pod_anti_affinity = "app=y@node" },
        { 0, 20, 1, 0, .tasks = 1, .pod_labels = "app=y", .took = "1:0" } } },
    { "the victim on a node where it may be", "quota", { NODES(2, 2) }, .queue = { OWNS("a", 2), OWNS("b", 2) },
      .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 2, 0, 150, .queue = "a", .stops = 1, ONE("1:0-1") }, { 0, 100, 2, 0, .queue = "a", .pod_labels = "app=x", ONE("0:0-1") },
                { 50, 49, 2, 51, .tasks = 1, .queue = "b", .pod_anti_affinity = "app=x@node", .took = "1:01" } } },
    { "no rule: the newest victim", "quota", { NODES(2, 2) }, .queue = { OWNS("a", 2), OWNS("b", 2) }, .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 2, 0, .queue = "a", ONE("1:0-1") }, { 0, 100, 2, 0, 150, .queue = "a", .pod_labels = "app=x", .stops = 1, ONE("0:0-1") },
                { 50, 49, 2, 51, .tasks = 1, .queue = "b", .took = "0:01" } } },
    { "a liking counts if the policy is told so", "quota:pod_affinity=yes", ZONES, .period = 1, .jobs = {
        { 0, 10, 1, 0, ONE("1:0"), .pod_labels = "app=db" },
        { 0, 10, 1, 0, .tasks = 1, .pod_affinity = "5:app=db@zone", .took = "1:1" } } },
    { "and by default does not", "quota", ZONES, .period = 1, .jobs = {
        { 0, 10, 1, 0, ONE("1:0"), .pod_labels = "app=db" },
        { 0, 10, 1, 0, .tasks = 1, .pod_affinity = "5:app=db@zone", .took = "0:0" } } },
    { "a total has no pods", "quota", ZONES, .period = 1, .jobs = {
        { 0, 10, 2, NEVER, .pod_anti_affinity = "app=db@node",
          .refused = "pod_affinity and pod_anti_affinity need tasks, placer pack or spread, no power caps" },
        { 0, 10, 1, 0, .tasks = 1, .pod_labels = "app=db" }, { 5, 10, 2, NEVER, .pod_affinity = "app=db@node",
          .refused = "pod_affinity and pod_anti_affinity need tasks, placer pack or spread, no power caps" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
