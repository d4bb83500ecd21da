/* test_levels.c - a cluster of three levels above the node: required and preferred domains, groups
 * within groups, placers and policies that choose domains. By hand.
 *
 * Sixteen nodes of one GPU: racks 0-1, 2-3, ..., 14-15; pods of two racks 0-3, 4-7, 8-11, 12-15;
 * zones of two pods 0-7 and 8-15. */
#include "tests/support/schedule.h"

enum { LEVEL_ZONE = LEVEL_POD + 1 };
#define SIXTEEN(...)                                                                               \
    {                                                                                              \
        {                                                                                          \
            .name = "node", .gpu_model = "A100", .count = 16, .gpus = 1, .cpu_milli = INT64_MAX,   \
            .mem_mib = INT64_MAX, .nodes_per_rack = 2, .racks_per_pod = 2, .further = { 2 }        \
        }                                                                                          \
    },                                                                                             \
    .levels = { 3, { __VA_ARGS__ } }
#define ZONES  SIXTEEN("rack", "pod", "zone")
#define FABRIC SIXTEEN("leaf", "spine", "core")    /* the same called otherwise */
#define ONES(n) .tasks = (n)
#define BOTH(name_, required, preferred, n)                                                        \
    {                                                                                              \
        .group = (name_), .gpus = 1, .gpu_milli = MILLI_ALL, .tasks = (n),                         \
        .required_level = (required), .preferred_level = (preferred)                               \
    }
#define NEVER_FITS "no domain of the required level is large enough"
#define ZONE_1 "8:0 9:0 10:0 11:0 12:0 13:0 14:0 15:0"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- required ---- */
    { "a zone that has room", "fifo", ZONES, .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 8, 0, ONES(8), .required = "zone", .took = ZONE_1 } } },
    { "by the names of the cluster", "fifo", FABRIC, .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 8, 0, ONES(8), .required = "core", .took = ZONE_1 },
        { 0, 10, 2, 0, ONES(2), .required = "leaf", .took = "2:0 3:0" },
        { 0, 10, 4, 0, ONES(4), .required = "spine", .took = "4:0 5:0 6:0 7:0" } } },
    /* rack and pod are the first two levels, whatever their names are */
    { "by the words of every cluster", "fifo", FABRIC, .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 2, 0, ONES(2), .required = "rack", .took = "2:0 3:0" },
        { 0, 10, 4, 0, ONES(4), .required = "pod", .took = "4:0 5:0 6:0 7:0" } } },
    /* From 1 on node 0 is taken again, and node 8: each zone has 7 free nodes until 10 */
    { "fourteen GPUs and no zone with eight", "fifo", ZONES, .jobs = {
        { 0, 1, 8, 0, ONES(8), .required = "zone" }, { 0, 10, 1, 0, .took = "8:0" }, { 1, 9, 1, 1, .took = "0:0" },
        { 2, 5, 8, 10, ONES(8), .required = "zone", .waits = { [WAIT_TOPOLOGY] = 8 } } } },
    { "too many for a zone", "fifo", ZONES, .jobs = {
        { 0, 5, 9, NEVER, ONES(9), .required = "zone", .refused = NEVER_FITS }, { 0, 5, 9, 0, ONES(9) } } },

    /* ---- preferred: level by level outwards ---- */
    /* Nodes 0 and 1 are taken. Three: no rack; pod 0 has two, pod 1 has room. Five: no pod; zone 0 has 2, 3 and 7, zone 1
       has room. Six: zone 1 has 13 to 15 left, so anywhere */
    { "a rack, a pod, a zone, anywhere", "fifo", ZONES, .jobs = {
        { 0, 10, 2, 0, ONES(2), .took = "0:0 1:0" },
        { 0, 10, 3, 0, ONES(3), .preferred = "rack", .took = "4:0 5:0 6:0" },
        { 0, 10, 5, 0, ONES(5), .preferred = "rack", .took = "8:0 9:0 10:0 11:0 12:0" },
        { 0, 10, 6, 0, ONES(6), .preferred = "rack", .took = "2:0 3:0 7:0 13:0 14:0 15:0" } } },
    { "a zone preferred", "fifo", ZONES, .jobs = {
        { 0, 10, 6, 0, ONES(6) }, { 0, 10, 3, 0, ONES(3), .preferred = "zone", .took = "8:0 9:0 10:0" },
        { 0, 10, 6, 0, ONES(6), .preferred = "zone", .took = "6:0 7:0 11:0 12:0 13:0 14:0" } } },

    /* ---- groups ---- */
    /* Nodes 0 to 4 are taken: two free racks of one zone are in zone 1; by themselves they would be 6-7 and 8-9 */
    { "two racks of one zone", "fifo", ZONES, .jobs = {
        { 0, 10, 5, 0, ONES(5) },
        { 0, 10, 0, 0, PARTS(PART("a", LEVEL_RACK, 2, 1, 0), PART("b", LEVEL_RACK, 2, 1, 0), PART(".", LEVEL_ZONE, 0, 0, 0)),
          .took = "8:0 9:0 10:0 11:0" } } },
    { "two racks", "fifo", ZONES, .jobs = {
        { 0, 10, 5, 0, ONES(5) },
        { 0, 10, 0, 0, PARTS(PART("a", LEVEL_RACK, 2, 1, 0), PART("b", LEVEL_RACK, 2, 1, 0)), .took = "6:0 7:0 8:0 9:0" } } },

    /* ---- placers ---- */
    /* Zone 0 has 4 to 7 left, which do not hold five */
    { "tightest: a zone", "fifo", ZONES, .placer = "tightest", .jobs = {
        { 0, 10, 4, 0, ONES(4), .took = "0:0 1:0 2:0 3:0" },
        { 0, 10, 5, 0, ONES(5), .took = "8:0 9:0 10:0 11:0 12:0" } } },
    /* At 1 zone 0 has 8 and zone 1 has 5: the tighter one holds five */
    { "tightest: the tighter zone", "fifo", ZONES, .placer = "tightest", .jobs = {
        { 0, 1, 8, 0, ONES(8), .required = "zone", .took = "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0" },
        { 0, 10, 3, 0, ONES(3), .took = "8:0 9:0 10:0" },
        { 1, 10, 5, 1, ONES(5), .took = "11:0 12:0 13:0 14:0 15:0" } } },
    /* schedulers.md g.2: the zone with the least room that holds it, 5 of 8; inside, the pods with the most room first (4
       of pod 4-7), until the rest fits one */
    { "kueue-tas: required zone", "fifo", ZONES, .placer = "kueue-tas", .jobs = {
        { 0, 10, 3, 0, ONES(3), .required = "pod", .took = "0:0 1:0 2:0" },
        { 0, 10, 5, 0, ONES(5), .required = "zone", .took = "3:0 4:0 5:0 6:0 7:0" },
        { 0, 10, 9, NEVER, ONES(9), .required = "zone", .refused = NEVER_FITS } } },
    /* Five in one zone: zone 0 has 4 left; a job that prefers a pod goes out to the zone, which holds it */
    { "kueue-tas: preferred goes outwards", "fifo", ZONES, .placer = "kueue-tas", .jobs = {
        { 0, 10, 4, 0, ONES(4), .required = "pod", .took = "0:0 1:0 2:0 3:0" },
        { 0, 10, 5, 0, ONES(5), .preferred = "pod", .took = "8:0 9:0 10:0 11:0 12:0" } } },
    /* Node 0 is taken, so pod 0 has no room for a slice of four, and zone 0 for one slice only */
    { "kueue-tas: slices of a pod in a zone", "fifo", ZONES, .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, ONES(1), .took = "0:0" },
        { 0, 10, 8, 0, ONES(8), .required = "zone", .slices = "pod:4", .took = ZONE_1 } } },
    { "kueue-tas: slices of a zone", "fifo", ZONES, .placer = "kueue-tas", .jobs = {
        { 0, 10, 8, 0, ONES(8), .preferred = "zone", .slices = "zone:4;rack:2", .took = "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0" } } },

    /* ---- quota, KAI's rules: schedulers.md g.1 ---- */
    /* Free are 3 of zone 0 and 8 of zone 1: four do not fit zone 0 */
    { "quota: required zone", "quota", ZONES, .jobs = {
        { 0, 10, 5, 0, ONES(5) }, { 0, 10, 4, 0, ONES(4), .required = "zone", .took = "8:0 9:0 10:0 11:0" } } },
    /* At 1 zone 0 has 8 and zone 1 has 7: requested / free is larger in zone 1, and there in pod 8-11, which has 3 */
    { "quota: the fuller zone, and its fuller pod", "quota", ZONES, .jobs = {
        { 0, 1, 8, 0, ONES(8), .required = "zone", .took = "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0" },
        { 0, 10, 1, 0, ONES(1), .took = "8:0" },
        { 1, 10, 0, 1, PARTS(BOTH(".", LEVEL_ZONE, LEVEL_POD, 3)), .took = "9:0 10:0 11:0" } } },
    /* To zone 1. Points there: floor(10 (i + 1) / 4) for the racks 8-9, 10-11, 12-13, 14-15, all equally full */
    { "quota: a preferred rack goes outwards to a zone", "quota", ZONES, .jobs = {
        { 0, 10, 5, 0, ONES(5) }, { 0, 10, 5, 0, ONES(5), .preferred = "rack", .took = "14:0 15:0 12:0 13:0 10:0" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
