/* test_checkpoints.c - checkpoints that take time: when they are due, what they stall, what a
 * stop then loses. models.md 3.3, 3.4, 11.2 (4). By hand. */
#include "tests/support/schedule.h"

#define S NS_PER_S
/* Every 30 s of progress, so long, and so long to leave; a restart takes 10 s. */
#define WRITES(write, share, grace)                                                                                    \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 30 * S, .save_ns = -1, .write_ns = (int64_t)((write)*S),     \
        .blocking = (share), .grace_ns = (int64_t)((grace)*S), .restart_ns = 10 * S                                    \
    }
/* Ten gigabytes each. */
#define SIZED(share, grace)                                                                                            \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 30 * S, .save_ns = -1, .checkpoint_bytes = 10 * GB,          \
        .blocking = (share), .grace_ns = (int64_t)((grace)*S), .restart_ns = 10 * S                                    \
    }
#define AUTO(law, write, mtbf)                                                                                         \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = INTERVAL_AUTO, .interval_law = (law), .save_ns = -1,         \
        .write_ns = (write)*S, .blocking = 1, .node_mtbf_ns = INT64_C(mtbf) * S                                        \
    }
#define GB INT64_C(1000000000)
/* One gigabyte a second in all. */
#define STORAGE(how)                                                                                                   \
    {                                                                                                                  \
        .on = true, .contention = (how), .all_bps = GB, .write_bps = GB, .read_bps = GB,                               \
        .node_write_bps = STORAGE_UNLIMITED, .node_read_bps = STORAGE_UNLIMITED                                        \
    }
#define TAKES "priority:preempt=yes"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- Alone: at 30, 60 and 90 of progress ---- */
    { "three checkpoints of 5 s", "fifo", ONE_NODE(2), .overhead = WRITES(5, 1, 0), .useful = 200, .stalled = 30,
      .jobs = { { 0, 100, 2, 0, .ends = 115 } } },
    { "none when the job is done", "fifo", ONE_NODE(1), .overhead = WRITES(5, 1, 0), .useful = 90, .stalled = 10,
      .jobs = { { 0, 90, 1, 0, .ends = 100 } } },
    { "a tenth of it is blocking", "fifo", ONE_NODE(1), .overhead = WRITES(5, .1, 0), .useful = 100, .stalled = 1.5,
      .jobs = { { 0, 100, 1, 0, .ends = 101.5 } } },
    { "none of it is blocking", "fifo", ONE_NODE(1), .overhead = WRITES(5, 0, 0), .useful = 100,
      .metric = { { "checkpoints", 3 }, { "checkpoint_gpu_h", 0 } },
      .jobs = { { 0, 100, 1, 0, .ends = 100 } } },
    /* 40 s in the background, so the second comes late, at 70, and the third not at all */
    { "one at a time", "fifo", ONE_NODE(1), .overhead = WRITES(40, 0, 0), .useful = 100,
      .metric = { { "checkpoints", 1 }, { "checkpoints_cut_short", 1 } }, .jobs = { { 0, 100, 1, 0, .ends = 100 } } },

    /* ---- models.md 11.2 (4), with a cost: 30, write until 35, stopped at 50 with 45 done: 15 are lost. It goes at 52, is back
     * at 62 with 70 left, and writes twice more ---- */
    { "stopped: back to the last one", TAKES, ONE_NODE(1), .overhead = WRITES(5, 1, 2), .useful = 100, .lost = 15, .stalled = 15,
      .metric = { { "checkpoints", 3 }, { "checkpoints_cut_short", 1 } },
      .saving = 2, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 142, .stops = 1, .lost = 15 }, { 50, 0, 1, 52, .priority = 1 } } },
    { "stopped: time to save", TAKES, ONE_NODE(1), .overhead = WRITES(5, 1, 5), .useful = 100, .stalled = 15 - 5, .saving = 5,
      .metric = { { "checkpoints", 3 }, { "checkpoints_cut_short", 0 } },
      .startup = 10,                                       /* 55 left at 65: one more */
      .jobs = { { 0, 100, 1, 0, .ends = 125, .stops = 1 }, { 50, 0, 1, 55, .priority = 1 } } },
    { "stopped while it writes: not enough time for the rest", TAKES, ONE_NODE(1), .overhead = WRITES(5, 1, 1), .useful = 100,
      .lost = 30, .stalled = 3 + 15, .saving = 1, .startup = 10,       /* back at 44 with all to do */
      .jobs = { { 0, 100, 1, 0, .ends = 159, .stops = 1, .lost = 30 }, { 33, 0, 1, 34, .priority = 1 } } },
    { "stopped while it writes: the rest is quick", TAKES, ONE_NODE(1), .overhead = WRITES(5, 1, 2), .useful = 100,
      .metric = { { "checkpoints", 3 }, { "checkpoints_cut_short", 0 } },
      .stalled = 3 + 10, .saving = 2, .startup = 10,       /* back at 45 with 70 to do */
      .jobs = { { 0, 100, 1, 0, .ends = 125, .stops = 1 }, { 33, 0, 1, 35, .priority = 1 } } },
    /* Durable at 35. At 33 it has done 32.5 and nothing is safe; at 36 35.5, and 30 are */
    { "stopped before a snapshot is durable", TAKES, ONE_NODE(1), .overhead = WRITES(5, .1, 0), .useful = 100, .lost = 32.5,
      .stalled = .5 + 1.5, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 144.5, .stops = 1, .lost = 32.5 }, { 33, 0, 1, 33, .priority = 1 } } },
    { "stopped after a snapshot is durable", TAKES, ONE_NODE(1), .overhead = WRITES(5, .1, 0), .useful = 100, .lost = 5.5,
      .stalled = .5 + 1, .startup = 10,                    /* back at 46 with 70 to do */
      .jobs = { { 0, 100, 1, 0, .ends = 117, .stops = 1, .lost = 5.5 }, { 36, 0, 1, 36, .priority = 1 } } },
    { "stopped at the instant of a checkpoint", TAKES, ONE_NODE(1), .overhead = WRITES(5, 1, 0), .useful = 100, .lost = 30,
      .stalled = 15, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 155, .stops = 1, .lost = 30 }, { 30, 0, 1, 30, .priority = 1 } } },
    { "stopped when it is durable", TAKES, ONE_NODE(1), .overhead = WRITES(5, 1, 0), .useful = 100, .stalled = 15, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 125, .stops = 1 }, { 35, 0, 1, 35, .priority = 1 } } },
    { "stopped twice", TAKES, ONE_NODE(1), .overhead = WRITES(5, 1, 0), .useful = 100, .lost = 15 + 6, .stalled = 15, .startup = 20,
      .jobs = { { 0, 100, 1, 0, .ends = 156, .stops = 2, .lost = 21 }, { 50, 0, 1, 50, .priority = 1 },
                { 66, 0, 1, 66, .priority = 1 } } },       /* back at 60 with 70 to do, at 76 again, and two more */
    { "a save of its own", TAKES, ONE_NODE(1), .overhead = { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 30 * S, .save_ns = 3 * S,
      .write_ns = 5 * S, .blocking = 1, .grace_ns = 3 * S, .restart_ns = 10 * S }, .useful = 100, .stalled = 10, .saving = 3,
      .startup = 10, .jobs = { { 0, 100, 1, 0, .ends = 123, .stops = 1 }, { 50, 0, 1, 53, .priority = 1 } } },
    { "perfect: only told to leave it writes", TAKES, ONE_NODE(1), .overhead = { .checkpoint = CHECKPOINT_PERFECT, .save_ns = -1,
      .write_ns = 40 * S, .blocking = 1 }, .useful = 100, .saving = 40,
      .jobs = { { 0, 100, 1, 0, .ends = 140, .stops = 1 }, { 50, 0, 1, 90, .priority = 1 } } },
    { "still starting", TAKES, ONE_NODE(1), .overhead = { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 30 * S, .save_ns = -1,
      .write_ns = 5 * S, .blocking = 1, .start_ns = 20 * S, .restart_ns = 10 * S }, .useful = 40, .stalled = 5, .startup = 18 + 20 + 10,       /* the other one starts up, too */
      .jobs = { { 0, 40, 1, 0, .ends = 93, .stops = 1 }, { 18, 0, 1, 18, .ends = 38, .priority = 1 } } },

    /* ---- The storage gives 1 GB/s, a checkpoint has 10 GB. Alone: 10 s ---- */
    { "sized: three of 10 s", "fifo", ONE_NODE(1), .storage = STORAGE(CONTENTION_NONE), .overhead = SIZED(1, 0), .useful = 100,
      .metric = { { "checkpoints", 3 }, { "written_gib", 3e10 / (1 << 30) }, { "checkpoint_gpu_h", 30 / 3600.0 }, { "checkpoints_cut_short", 0 } },
      .stalled = 30, .jobs = { { 0, 100, 1, 0, .ends = 130 } } },
    /* As of the beginning of each write: the second finds one who writes, and gets half: 35 to 55 */
    { "two writers: the formula", "fifo", ONE_NODE(2), .storage = STORAGE(CONTENTION_NONE), .overhead = SIZED(1, 0), .useful = 80,
      .stalled = 10 + 20, .jobs = { { 0, 40, 1, 0, .ends = 50 }, { 5, 40, 1, 5, .ends = 65 } } },
    /* Alone until 35: 5 GB; half each until 45; then the other is alone with the 5 GB that it has left */
    { "two writers: they share", "fifo", ONE_NODE(2), .storage = STORAGE(CONTENTION_MAXMIN), .overhead = SIZED(1, 0), .useful = 80,
      .stalled = 15 + 15, .jobs = { { 0, 40, 1, 0, .ends = 55 }, { 5, 40, 1, 5, .ends = 60 } } },
    { "alone they are alike", "fifo", ONE_NODE(1), .storage = STORAGE(CONTENTION_MAXMIN), .overhead = SIZED(1, 0), .useful = 100,
      .stalled = 30, .jobs = { { 0, 100, 1, 0, .ends = 130 } } },
    /* The first fifth blocks, at half the bandwidth: both from 30 on for 4 s. Progress and the rest go on side by side */
    { "two writers in the background", "fifo", ONE_NODE(2), .storage = STORAGE(CONTENTION_MAXMIN), .overhead = SIZED(.2, 0), .useful = 80,
      .stalled = 8, .jobs = { { 0, 40, 1, 0, .ends = 44 }, { 0, 40, 1, 0, .ends = 44 } } },
    /* V is told to leave at 35 and would need 10 s, but W writes from 30 on, 10 GB at half: V has 5 GB at 45, too late */
    { "others take the time to save", TAKES, ONE_NODE(2), .storage = STORAGE(CONTENTION_MAXMIN), .overhead = SIZED(1, 10), .useful = 120,
      .lost = 25, .stalled = 15 + 20, .saving = 10, .startup = 10,
      .jobs = { { 10, 80, 1, 10, .ends = 155, .stops = 1, .lost = 25 }, { 0, 40, 1, 0, .ends = 55, .stays = true },
                { 35, 0, 1, 45, .priority = 1 } } },
    { "five seconds more are enough", TAKES, ONE_NODE(2), .storage = STORAGE(CONTENTION_MAXMIN), .overhead = SIZED(1, 15), .useful = 120,
      .stalled = 15 + 10, .saving = 15, .startup = 10,     /* W is done at 45, V at 50 */
      .jobs = { { 10, 80, 1, 10, .ends = 125, .stops = 1 }, { 0, 40, 1, 0, .ends = 55, .stays = true },
                { 35, 0, 1, 50, .priority = 1 } } },
    { "done early: it goes early", TAKES, ONE_NODE(1), .storage = STORAGE(CONTENTION_MAXMIN), .overhead = SIZED(1, 60), .useful = 80,
      .stalled = 10, .saving = 10, .startup = 10,
      .jobs = { { 0, 80, 1, 0, .ends = 110, .stops = 1 }, { 25, 0, 1, 35, .priority = 1 } } },
    { "the rest of a snapshot, shared", TAKES, ONE_NODE(1), .storage = STORAGE(CONTENTION_MAXMIN), .overhead = SIZED(1, 4), .useful = 80,
      .stalled = 6 + 10, .saving = 4, .startup = 10,       /* 30 to 36, then the last 4 GB, in just the time given */
      .jobs = { { 0, 80, 1, 0, .ends = 110, .stops = 1 }, { 36, 0, 1, 40, .priority = 1 } } },

    /* ---- Young and Daly. A node fails once a day, 60 s to write: 3219.938 and 3180.062 s (models.md 3.4), so in 9600 s two or
     * three; on two nodes once in half a day, 2276.84 and 2237.05 s by the same formulas: four ---- */
    { "Young: 6439.9 is the last", "fifo", ONE_NODE(1), .overhead = AUTO(LAW_YOUNG, 60, 86400), .useful = 9600, .stalled = 120,
      .jobs = { { 0, 9600, 1, 0, .ends = 9720 } } },
    { "Daly: 9540.2 is the last", "fifo", ONE_NODE(1), .overhead = AUTO(LAW_DALY, 60, 86400), .useful = 9600, .stalled = 180,
      .jobs = { { 0, 9600, 1, 0, .ends = 9780 } } },
    { "two nodes fail twice as often", "fifo", { NODES(2, 1) }, .overhead = AUTO(LAW_DALY, 60, 86400), .useful = 19200, .stalled = 480,
      .jobs = { { 0, 9600, 2, 0, .ends = 9840 } } },
    { "never less than 300 s", "fifo", ONE_NODE(1), .overhead = AUTO(LAW_DALY, 1, 1000), .useful = 700, .stalled = 2,
      .jobs = { { 0, 700, 1, 0, .ends = 702 } } },
    { "free ones by a law: every 300 s", TAKES, ONE_NODE(1), .overhead = { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = INTERVAL_AUTO,
      .node_mtbf_ns = 86400 * S, .save_ns = S }, .useful = 1000, .lost = 100,
      .jobs = { { 0, 1000, 1, 0, .ends = 1100, .stops = 1, .lost = 100 }, { 700, 0, 1, 700, .priority = 1 } } },
    { "never more than four hours", "fifo", ONE_NODE(1), .overhead = AUTO(LAW_DALY, 3600, 1000000000), .useful = 28801, .stalled = 7200,
      .jobs = { { 0, 28801, 1, 0, .ends = 36001 } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
