/* test_storage.c - data sets, what nodes keep of them, images, and which jobs share the storage.
 * models.md 3.2, 3.7. By hand. */
#include "tests/support/schedule.h"

#define S    NS_PER_S
#define GIBS (INT64_C(1) << 30)   /* a second */
/* A node reads 5 GiB/s, the storage gives 100 in all, and nodes keep so much. */
#define READS(gib)                                                                                                     \
    {                                                                                                                  \
        .on = true, .read_bps = 100 * GIBS, .node_read_bps = 5 * GIBS, .write_bps = 100 * GIBS,                        \
        .node_write_bps = 2 * GIBS, .all_bps = 100 * GIBS, .cache_mib = INT64_C(1024) * (gib)                          \
    }
/* So much in all, shared; nodes are no limit. */
#define SHARED(gibs)                                                                                                   \
    {                                                                                                                  \
        .on = true, .contention = CONTENTION_MAXMIN, .read_bps = STORAGE_UNLIMITED, .write_bps = STORAGE_UNLIMITED,    \
        .node_read_bps = STORAGE_UNLIMITED, .node_write_bps = STORAGE_UNLIMITED, .all_bps = (gibs)*GIBS                \
    }
/* So many images on a node; 0: all. */
#define PULLS(most)                                                                                                    \
    {                                                                                                                  \
        .on = true, .read_bps = 100 * GIBS, .node_read_bps = 5 * GIBS, .all_bps = 100 * GIBS, .pull_ns = 180 * S,      \
        .pull_cached_ns = 30 * S, .images_per_node = (most)                                                            \
    }
/* All of that size. */
#define SIZED(mib)                                                                                                     \
    {                                                                                                                  \
        .on = true, .read_bps = 100 * GIBS, .node_read_bps = GIBS, .all_bps = 100 * GIBS, .pull_cached_ns = 30 * S,    \
        .image_mib = (mib)                                                                                             \
    }
#define BY_PARTS                                                                                                       \
    {                                                                                                                  \
        .start_ns = START_BY_PARTS, .restart_ns = START_BY_PARTS, .init_ns = 10 * S, .init_doubling_ns = 2 * S,        \
        .checkpoint_bytes = 10 * GIBS                                                                                  \
    }
#define TAKES "priority:preempt=yes"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- models.md 3.7: 0.1 s an iteration, one unit of data for each, five units a second: 0.2 s; from the cache 0.1 s. Here a
     * thousand iterations, and a unit is a GiB ---- */
    { "0.2 s an iteration", "fifo", ONE_NODE(1), .storage = READS(0), .useful = 200,
      .jobs = { { 0, 100, 1, 0, .ends = 200, .data_gib = 1000 } } },
    { "0.1 s from the cache", "fifo", ONE_NODE(1), .storage = READS(1000), .useful = 300,
      .jobs = { { 0, 100, 1, 0, .ends = 200, .data_gib = 1000, .data_set = "c4" },
                { 0, 100, 1, 200, .ends = 300, .data_gib = 1000, .data_set = "c4" } } },
    { "0.1 s: it reads no faster than it wants", "fifo", ONE_NODE(1), .storage = READS(0),
      .jobs = { { 0, 100, 1, 0, .data_gib = 500 } } },

    /* ---- What nodes keep ---- */
    { "the second epoch comes from the cache", "fifo", ONE_NODE(1), .storage = READS(500), .useful = 150,
      .metric = { { "read_gib", 500 }, { "cache_hit_share", .5 } },
      .jobs = { { 0, 100, 1, 0, .ends = 150, .data_gib = 500, .epochs = 2 } } },
    { "no room, no cache", "fifo", ONE_NODE(1), .storage = READS(499),
      .jobs = { { 0, 100, 1, 0, .ends = 200, .data_gib = 500, .epochs = 2 } } },
    { "sets without a name are not shared", "fifo", ONE_NODE(1), .storage = READS(2000),
      .jobs = { { 0, 100, 1, 0, .ends = 200, .data_gib = 1000 }, { 0, 100, 1, 200, .ends = 400, .data_gib = 1000 } } },
    { "the least recently used goes", "fifo", ONE_NODE(1), .storage = READS(1000),
      .jobs = { { 0, 60, 1, 0, .ends = 120, .data_gib = 600, .data_set = "a" }, { 0, 60, 1, 120, .ends = 240, .data_gib = 600, .data_set = "b" },
                { 0, 60, 1, 240, .ends = 360, .data_gib = 600, .data_set = "a" } } },
    { "both fit", "fifo", ONE_NODE(1), .storage = READS(1200),
      .jobs = { { 0, 60, 1, 0, .ends = 120, .data_gib = 600, .data_set = "a" }, { 0, 60, 1, 120, .ends = 240, .data_gib = 600, .data_set = "b" },
                { 0, 60, 1, 240, .ends = 300, .data_gib = 600, .data_set = "a" } } },
    { "in use it stays", "fifo", ONE_NODE(2), .storage = READS(1000),       /* b finds no room at 120 and reads again */
      .jobs = { { 0, 600, 1, 0, .ends = 660, .data_gib = 600, .data_set = "a", .epochs = 10 },
                { 0, 120, 1, 0, .ends = 240, .data_gib = 600, .data_set = "b", .epochs = 2 },
                { 240, 60, 1, 240, .ends = 300, .data_gib = 600, .data_set = "a" } } },
    { "what has not been read once is not kept", TAKES, ONE_NODE(1), .storage = READS(1000), .overhead = FREE_OF_CHARGE,
      .metric = { { "read_gib", 1000 }, { "cache_hit_share", 0 } },
      .jobs = { { 0, 100, 1, 0, .ends = 200, .stops = 1, .data_gib = 1000, .data_set = "a" }, { 150, 0, 1, 150, .priority = 1 } } },
    { "another node has not got it", "fifo", { NODES(2, 1) }, .storage = READS(1000),
      .jobs = { { 0, 100, 1, 0, .ends = 200, .data_gib = 1000, .data_set = "a", .took = "0:0" },
                { 190, 100, 1, 190, .ends = 390, .data_gib = 1000, .data_set = "a", .took = "1:0" } } },

    /* ---- Several nodes: each reads its part, the slowest counts ---- */
    { "two nodes read twice as fast", "fifo", { NODES(2, 1) }, .storage = READS(0), .useful = 200,
      .jobs = { { 0, 100, 2, 0, .ends = 100, .data_gib = 1000 } } },
    { "one of two has it: the other holds it up", "fifo", { NODES(2, 1) }, .storage = READS(2000),
      .metric = { { "read_gib", 2000 + 1000 }, { "cache_hit_share", .5 } },
      .jobs = { { 0, 100, 1, 0, .ends = 400, .data_gib = 2000, .data_set = "a" },
                /* 1000 GiB from the storage, 1000 from the node that has it; then all of it from both */
                { 400, 100, 2, 400, .ends = 600, .data_gib = 2000, .data_set = "a" },
                { 600, 100, 2, 600, .ends = 700, .data_gib = 2000, .data_set = "a" } } },
    { "the storage is the limit", "fifo", { NODES(4, 1) },
      .storage = { .on = true, .read_bps = 10 * GIBS, .node_read_bps = 5 * GIBS, .all_bps = GIBS },
      .jobs = { { 0, 100, 4, 0, .ends = 200, .data_gib = 2000 } } },

    /* ---- Max-min: 4 GiB/s in all, wanted 10 and 1: 3 and 1 ---- */
    { "two readers", "fifo", ONE_NODE(2), .storage = SHARED(4),
      .jobs = { { 0, 30, 1, 0, .ends = 100, .data_gib = 300 }, { 0, 100, 1, 0, .data_gib = 100 } } },
    { "two readers, one leaves", "fifo", ONE_NODE(2), .storage = SHARED(4),        /* 2 each until 20; then 60 GiB alone at 4 */
      .jobs = { { 0, 10, 1, 0, .ends = 35, .data_gib = 100 }, { 0, 10, 1, 0, .ends = 20, .data_gib = 40 } } },
    { "no contention: each alone", "fifo", ONE_NODE(2), .storage = { .on = true, .read_bps = 4 * GIBS, .node_read_bps = STORAGE_UNLIMITED },
      .jobs = { { 0, 30, 1, 0, .ends = 75, .data_gib = 300 }, { 0, 100, 1, 0, .data_gib = 100 } } },
    /* The writer's 20 GiB from 30 on: 2 GiB/s against the reader's 4 wanted: 10 s. Until then and after 4 GiB/s */
    { "a reader and a writer", "fifo", ONE_NODE(2), .storage = SHARED(4), .overhead = { .checkpoint = CHECKPOINT_PERIODIC,
      .interval_ns = 30 * S, .save_ns = -1, .checkpoint_bytes = 20 * GIBS, .blocking = 1 }, .useful = 80 + 5, .stalled = 10,
      .jobs = { { 0, 40, 1, 0, .ends = 50 },
                { 0, 40, 1, 0, .ends = 45, .data_gib = 160, .overhead = &(struct own_overhead){ CHECKPOINT_NONE, -1, -1, -1, -1, -1 } } } },
    { "unlimited", "fifo", ONE_NODE(2), .storage = { .on = true, .contention = CONTENTION_MAXMIN, .read_bps = STORAGE_UNLIMITED,
      .node_read_bps = STORAGE_UNLIMITED, .all_bps = STORAGE_UNLIMITED, .write_bps = STORAGE_UNLIMITED, .node_write_bps = STORAGE_UNLIMITED },
      .jobs = { { 0, 30, 1, 0, .data_gib = 300 }, { 0, 100, 1, 0, .data_gib = 1000 } } },

    /* ---- Starts by parts: 180 s to pull or 30, 10 s + 2 s for each doubling of GPUs, 10 GiB at 5 GiB/s ---- */
    /* The placer `cached`: 1000 GiB in 100 s of work take 200 s at 5 GiB/s, and 100 s from what the node keeps */
    { "placer cached: the node that has the data", "fifo", { NODES(2, 2) }, .placer = "cached", .storage = READS(2000), .jobs = {
        { 0, 50, 2, 0, .took = "0:01" }, { 0, 100, 2, 0, .ends = 200, .data_gib = 1000, .data_set = "c4", .took = "1:01" },
        { 300, 100, 2, 300, .data_gib = 1000, .data_set = "c4", .took = "1:01" },
        { 300, 100, 2, 300, .ends = 500, .data_gib = 1000, .data_set = "c4", .took = "0:01" } } },
    { "placer pack: the first of nodes alike", "fifo", { NODES(2, 2) }, .storage = READS(2000), .jobs = {
        { 0, 50, 2, 0, .took = "0:01" }, { 0, 100, 2, 0, .ends = 200, .data_gib = 1000, .data_set = "c4", .took = "1:01" },
        { 300, 100, 2, 300, .ends = 500, .data_gib = 1000, .data_set = "c4", .took = "0:01" } } },
    { "placer cached: tasks, and a total", "fifo", { NODES(3, 2) }, .placer = "cached", .storage = READS(2000), .jobs = {
        { 0, 50, 2, 0, .took = "0:01" }, { 0, 100, 2, 0, .ends = 200, .data_gib = 1000, .data_set = "c4", .took = "1:01" },
        { 300, 100, 4, 300, .data_gib = 1000, .data_set = "c4", .took = "1:01 0:01" },
        { 600, 100, 3, 600, .tasks = 3, .data_gib = 1000, .data_set = "c4", .took = "0:0 0:1 1:0" } } },
    { "placer cached: the node that has the image", "fifo", { NODES(2, 1) }, .placer = "cached", .storage = PULLS(0), .overhead = BY_PARTS,
      .metric = { { "image_pulls", 2 } }, .jobs = {
        { 0, 10, 1, 0, .ends = 202, .image = "a", .took = "0:0" }, { 0, 10, 1, 0, .ends = 202, .image = "b", .took = "1:0" },
        { 1000, 10, 1, 1000, .ends = 1052, .image = "b", .took = "1:0" } } },
    /* schedulers.md a.2: 1 GiB on one of two nodes counts as 512 MiB, 50 points; 40 MiB as 20, which is below 23: none. A pull takes
     * 30 s, and 1 s for a GiB where the image is not; 10 s to initialise, 10 s to load, 10 s of work */
    { "kube: the node that has the image", "kube", { NODES(2, 1) }, .storage = SIZED(1024), .overhead = BY_PARTS, .jobs = {
        { 0, 10, 1, 0, .ends = 61, .image = "a", .took = "0:0" }, { 0, 10, 1, 0, .ends = 61, .image = "b", .took = "1:0" },
        { 1000, 10, 1, 1000, .ends = 1060, .image = "b", .took = "1:0" }, { 2000, 10, 1, 2000, .ends = 2060, .image = "a", .took = "0:0" } } },
    { "gang: likewise", "gang", { NODES(2, 1) }, .storage = SIZED(1024), .overhead = BY_PARTS, .jobs = {
        { 0, 10, 1, 0, .ends = 61, .image = "a", .took = "0:0" }, { 0, 10, 1, 0, .ends = 61, .image = "b", .took = "1:0" },
        { 1000, 10, 1, 1000, .ends = 1060, .image = "b", .took = "1:0" } } },
    { "kube: without weight the first", "kube:image_weight=0", { NODES(2, 1) }, .storage = SIZED(1024), .overhead = BY_PARTS, .jobs = {
        { 0, 10, 1, 0, .ends = 61, .image = "a", .took = "0:0" }, { 0, 10, 1, 0, .ends = 61, .image = "b", .took = "1:0" },
        { 1000, 10, 1, 1000, .ends = 1061, .image = "b", .took = "0:0" } } },
    { "kube: a small image counts for nothing", "kube", { NODES(2, 1) }, .storage = SIZED(40), .overhead = BY_PARTS, .jobs = {
        { 0, 10, 1, 0, .ends = 60.0390625, .image = "a", .took = "0:0" }, { 0, 10, 1, 0, .ends = 60.0390625, .image = "b", .took = "1:0" },
        { 1000, 10, 1, 1000, .ends = 1060.0390625, .image = "b", .took = "0:0" } } },
    { "kube: of unknown size, likewise", "kube", { NODES(2, 1) }, .storage = PULLS(0), .overhead = BY_PARTS, .jobs = {
        { 0, 10, 1, 0, .ends = 202, .image = "a", .took = "0:0" }, { 0, 10, 1, 0, .ends = 202, .image = "b", .took = "1:0" },
        { 1000, 10, 1, 1000, .ends = 1202, .image = "b", .took = "0:0" } } },
    { "cold, then cached", "fifo", ONE_NODE(2), .storage = PULLS(0), .overhead = BY_PARTS, .startup = 2 * (194 + 44), .useful = 40,
      .metric = { { "image_pulls", 1 }, { "pull_gpu_h", 2 * 210 / 3600.0 } },
      .jobs = { { 0, 10, 2, 0, .ends = 204 }, { 0, 10, 2, 204, .ends = 258 } } },
    { "images of different names", "fifo", ONE_NODE(2), .storage = PULLS(0), .overhead = BY_PARTS,
      .jobs = { { 0, 10, 2, 0, .ends = 204, .image = "a" }, { 0, 10, 2, 204, .ends = 408, .image = "b" },
                { 0, 10, 2, 408, .ends = 462, .image = "a" } } },
    { "room for one image", "fifo", ONE_NODE(2), .storage = PULLS(1), .overhead = BY_PARTS, .metric = { { "image_pulls", 3 } },
      .jobs = { { 0, 10, 2, 0, .ends = 204, .image = "a" }, { 0, 10, 2, 204, .ends = 408, .image = "b" },
                { 0, 10, 2, 408, .ends = 612, .image = "a" } } },
    { "one cold node holds up the gang", "fifo", { NODES(2, 1) }, .storage = PULLS(0), .overhead = BY_PARTS,
      .metric = { { "image_pulls", 2 }, { "pull_gpu_h", (180 + 2 * 180 + 2 * 30) / 3600.0 } },
      .jobs = { { 0, 10, 1, 0, .ends = 202 }, { 202, 10, 2, 202, .ends = 202 + 180 + 12 + 1 + 10 },   /* two nodes load twice as fast */
                { 405, 10, 2, 405, .ends = 405 + 30 + 12 + 1 + 10 } } },
    { "a restart has parts, too", TAKES, ONE_NODE(1), .storage = PULLS(0), .overhead = BY_PARTS, .startup = 192 + 192 + 42,
      .useful = 20, .lost = 8,
      .jobs = { { 0, 20, 1, 0, .ends = 454, .stops = 1, .lost = 8, .image = "a" },
                { 200, 0, 1, 200, .ends = 392, .priority = 1, .image = "b" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
