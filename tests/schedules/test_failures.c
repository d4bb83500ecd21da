/* test_failures.c - small schedules with failures, by hand: models.md 8.4, 11.2 (4, 6); and what
 * failures cost a long job against the closed form of 3.4. */
#include "sim/models/checkpoint_laws.h"
#include "tests/support/from_yaml.h"
#include "tests/support/schedule.h"

#include <math.h>

#define ONE      "nodes: [ { group: a, count: 1, gpus: 8 } ]\n"
#define TWO      "nodes: [ { group: a, count: 2, gpus: 8 } ]\n"
#define RACKS    "nodes: [ { group: a, count: 4, gpus: 8, nodes_per_rack: 2 } ]\n"
#define KUEUE_WAITS "cohort:placement=wait",
#define QUEUE_A "queues: [ { name: a, deserved_gpus: 64 } ]\n"
#define NODE_1_FAILS "failures: { detection_s: 0, faults: [ { node: 1, at_s: 40, repair_s: 500 } ] }\n"
#define THREE    "nodes: [ { group: a, count: 3, gpus: 1 } ]\n"
#define SAVES_20 "preemption: { checkpoint: periodic, interval_s: 30, save_s: 20 }\n"
#define EVERY_30 "preemption: { checkpoint: periodic, interval_s: 30, restart_s: 10 }\n"

static const struct row {
    const char *name, *policy, *yaml;
    struct job jobs[JOBS_AT_MOST];
    double useful, lost, startup, saving, gang, fault, down;     /* GPU-seconds */
    const char *placer;                                    /* NULL: pack */
} rows[] = {
    /* ---- models.md 11.2 (4): 20 s lost, resumes with 70 left ---- */
    { "back to the last checkpoint", "fifo",
      TWO EVERY_30 "failures: { detection_s: 0, faults: [ { at_s: 50, repair_s: 200 } ] }\n",
      { { 0, 100, 8, 0, .ends = 50 + 10 + 70, .lost = 20, .took = "0:01234567; 1:01234567" } },
      .useful = 800, .lost = 160, .startup = 80, .down = 80 * 8 },
    { "its GPUs are held until it is found", "fifo",
      TWO EVERY_30 "failures: { faults: [ { at_s: 50, repair_s: 200 } ] }\n",
      { { 0, 100, 8, 0, .ends = 50 + 60 + 10 + 70, .lost = 20, .took = "0:01234567; 1:01234567" } },
      .useful = 800, .lost = 160, .startup = 80, .fault = 480, .down = 80 * 8 },
    /* Back after 20 s, and held for 60: never down */
    { "repaired before it is found", "fifo", ONE "failures: { faults: [ { at_s: 50, repair_s: 20 } ] }\n",
      { { 0, 100, 8, 0, .ends = 50 + 60 + 100, .lost = 50 } }, .useful = 800, .lost = 400, .fault = 480 },
    /* ---- 11.2 (6): two nodes, no checkpoint: all 40 s x 16 GPUs ---- */
    { "a node of a gang of two", "fifo",
      TWO "failures: { detection_s: 0, faults: [ { node: 1, at_s: 40, repair_s: 20 } ] }\n",
      { { 0, 100, 16, 0, .ends = 160, .lost = 40 } }, .useful = 1600, .lost = 640, .down = 20 * 8 },
    { "as submitted: before jobs that came later", "fifo",
      TWO "failures: { detection_s: 0, faults: [ { node: 1, at_s: 40, repair_s: 20 } ] }\n",
      { { 0, 100, 16, 0, .ends = 160, .lost = 40 }, { 30, 5, 16, 160 } }, .useful = 1680, .lost = 640, .down = 20 * 8 },
    { "nothing runs there: no job is interrupted, and none is stalled", "fifo", ONE "failures: { faults: [ { at_s: 0, repair_s: 50 } ] }\n",
      { { 0, 10, 8, 50 } }, .useful = 80, .down = 400 },
    { "a job that runs at the start is there before: it is hit", "fifo",
      ONE "failures: { detection_s: 0, faults: [ { at_s: 0, repair_s: 50 } ] }\n",
      { { 0, 10, 8, 0, .ends = 60, .on = "0:0-7" } }, .useful = 80, .down = 400 },
    { "a drain from the start leaves it", "fifo",
      ONE "failures: { rate: none, maintenance: [ { from_s: 10, until_s: 30, drain_s: 100 } ] }\n",
      { { 0, 10, 8, 0, .on = "0:0-7" } }, .useful = 80 },
    { "down twice over", "fifo", ONE "failures: { faults: [ { at_s: 0, repair_s: 50 }, { at_s: 20, repair_s: 50 } ] }\n",
      { { 0, 10, 8, 70 } }, .useful = 80, .down = 560 },

    /* Suspended from 20 to 30: what it did before is lost as well */
    { "suspended, resumed and interrupted", "preemptive:mode=suspend",
      ONE "failures: { detection_s: 0, faults: [ { at_s: 50, repair_s: 10 } ] }\n",
      { { 0, 100, 8, 0, .ends = 160, .stops = 1, .lost = 40 }, { 20, 10, 8, 20, .priority = 1 } }, .useful = 880, .lost = 320, .down = 80 },
    { "suspended, resumed and interrupted: a checkpoint lies between", "preemptive:mode=suspend",
      ONE "preemption: { checkpoint: periodic, interval_s: 30 }\nfailures: { detection_s: 0, faults: [ { at_s: 50, repair_s: 10 } ] }\n",
      { { 0, 100, 8, 0, .ends = 60 + 70, .stops = 1, .lost = 10 }, { 20, 10, 8, 20, .priority = 1 } }, .useful = 880, .lost = 80, .down = 80 },
    /* ---- A gang of three is broken for the second at 50, and a task saves for 20 s; what it has done since the
     * checkpoint at 30 is lost with the node at 60. The second runs until 80, and then the gang has 70 s left; or
     * it gives up its tasks when one of these fails, the second has one of their nodes from 60 on, it gathers one task from
     * 65 on, and has 50 s left ---- */
    { "broken, and its task saves on a node that fails", "kube:backoff_s=0", THREE SAVES_20 "failures: { faults: [ { node: 0, at_s: 60, repair_s: 5 } ] }\n",
      { { 0, 100, 3, 0, .ends = 150, .tasks = 3, .stops = 1, .lost = 20 }, { 50, 10, 1, 70, .priority = 1 } },
      .useful = 310, .lost = 60, .saving = 20, .gang = 2 * 30 },
    { "broken, and a node fails on which none of its tasks saves", "kube:backoff_s=0",
      THREE SAVES_20 "failures: { faults: [ { node: 1, at_s: 60, repair_s: 5 } ] }\n",
      { { 0, 100, 3, 0, .ends = 120, .tasks = 3, .stops = 1 }, { 50, 10, 1, 60, .priority = 1 } },
      .useful = 310, .saving = 20, .gang = 2 * 10 + 5, .down = 5 },
    /* ---- Kueue: a failed node is replaced, the rest stays (docs/schedulers.md g.2). 40 s are lost, and 100 s done again ---- */
    /* Tasks 0, 1, 2 on nodes 0, 1, 2 of a rack of four: task 1 goes to node 3. Placed anew, task 1 would be on 2, task 2 on 3 */
    { "replaced: one task moves", KUEUE_WAITS "nodes: [ { group: a, count: 8, gpus: 8, nodes_per_rack: 4 } ]\n" QUEUE_A NODE_1_FAILS,
      { { 0, 100, 24, 0, .ends = 140, .lost = 40, .tasks = 3, .required = "rack", .queue = "a",
          .took = "0:01234567 1:01234567 2:01234567; 0:01234567 3:01234567 2:01234567" } },
      .useful = 2400, .lost = 960, .down = 800, .placer = "kueue-tas" },
    { "replaced: under any placer", KUEUE_WAITS "nodes: [ { group: a, count: 8, gpus: 8, nodes_per_rack: 4 } ]\n" QUEUE_A NODE_1_FAILS,
      { { 0, 100, 24, 0, .ends = 140, .lost = 40, .tasks = 3, .required = "rack", .queue = "a",
          .took = "0:01234567 1:01234567 2:01234567; 0:01234567 3:01234567 2:01234567" } },
      .useful = 2400, .lost = 960, .down = 800 },
    /* It keeps its quota: the job of a higher priority, which waits for two nodes, does not pass */
    { "replaced: before all that wait", KUEUE_WAITS "nodes: [ { group: a, count: 3, gpus: 8 } ]\n" QUEUE_A NODE_1_FAILS,
      { { 0, 100, 16, 0, .ends = 140, .lost = 40, .tasks = 2, .queue = "a", .took = "0:01234567 1:01234567; 0:01234567 2:01234567" },
        { 20, 10, 16, 140, .tasks = 2, .priority = 1, .queue = "a" } },
      .useful = 1760, .lost = 640, .down = 880, .placer = "kueue-tas" },
    { "replaced: of a job that ran when the trace began", KUEUE_WAITS "nodes: [ { group: a, count: 3, gpus: 8 } ]\n" QUEUE_A NODE_1_FAILS,
      { { 0, 100, 16, 0, .ends = 140, .lost = 40, .tasks = 2, .queue = "a", .on = "0:0-7;1:0-7",
          .took = "0:01234567 1:01234567; 0:01234567 2:01234567" },
        { 20, 10, 16, 140, .tasks = 2, .priority = 1, .queue = "a" } },
      .useful = 1760, .lost = 640, .down = 880, .placer = "kueue-tas" },
    /* No place in its rack: it gives its quota up, and is placed whole */
    { "replaced: not outside its rack", KUEUE_WAITS "nodes: [ { group: a, count: 4, gpus: 8, nodes_per_rack: 2 } ]\n" QUEUE_A NODE_1_FAILS,
      { { 0, 100, 16, 0, .ends = 140, .lost = 40, .tasks = 2, .required = "rack", .queue = "a",
          .took = "0:01234567 1:01234567; 2:01234567 3:01234567" } },
      .useful = 1600, .lost = 640, .down = 800, .placer = "kueue-tas" },
    /* The slice of four in a rack is broken, and the rack has no other node; without slices task 2 and 3 would go to node 2 */
    { "replaced: not outside a broken slice", KUEUE_WAITS "nodes: [ { group: a, count: 4, gpus: 8, nodes_per_rack: 2 } ]\n" QUEUE_A NODE_1_FAILS,
      { { 0, 100, 16, 0, .ends = 140, .lost = 40, .tasks = 4, .slices = "rack:4", .queue = "a",
          .took = "0:0123 0:4567 1:0123 1:4567; 2:0123 2:4567 3:0123 3:4567" } },
      .useful = 1600, .lost = 640, .down = 800, .placer = "kueue-tas" },
    { "replaced: inside a broken slice", KUEUE_WAITS "nodes: [ { group: a, count: 6, gpus: 8, nodes_per_rack: 3 } ]\n" QUEUE_A NODE_1_FAILS,
      { { 0, 100, 16, 0, .ends = 140, .lost = 40, .tasks = 4, .slices = "rack:4", .queue = "a",
          .took = "0:0123 0:4567 1:0123 1:4567; 0:0123 0:4567 2:0123 2:4567" } },
      .useful = 1600, .lost = 640, .down = 800, .placer = "kueue-tas" },
    /* Two of its three nodes: it waits behind the job of a higher priority, then for the repair at 100 */
    { "replaced: not two nodes", KUEUE_WAITS "nodes: [ { group: a, count: 4, gpus: 8 } ]\n" QUEUE_A
      "failures: { detection_s: 0, faults: [ { node: 0, at_s: 40, repair_s: 60 }, { node: 1, at_s: 40, repair_s: 60 } ] }\n",
      { { 0, 100, 24, 0, .ends = 200, .lost = 40, .tasks = 3, .queue = "a" },
        { 20, 10, 16, 40, .tasks = 2, .priority = 1, .queue = "a" } },
      .useful = 2560, .lost = 960, .down = 960, .placer = "kueue-tas" },
    /* Up again when the fault is found: all stay where they were */
    { "replaced: none is lost", KUEUE_WAITS "nodes: [ { group: a, count: 4, gpus: 8 } ]\n" QUEUE_A
      "failures: { detection_s: 10, faults: [ { node: 1, at_s: 40, repair_s: 5 } ] }\n",
      { { 0, 100, 16, 0, .ends = 150, .lost = 40, .tasks = 2, .queue = "a", .took = "0:01234567 1:01234567; 0:01234567 1:01234567" },
        { 20, 10, 16, 20, .tasks = 2, .queue = "a" }, { 20, 10, 8, 30, .tasks = 1, .queue = "a" } },
      .useful = 1840, .lost = 640, .fault = 160, .placer = "kueue-tas" },
    /* Maintenance of node 1 from 40 to 540, without checkpoints */
    { "replaced: a drained node", KUEUE_WAITS "nodes: [ { group: a, count: 3, gpus: 8 } ]\n" QUEUE_A
      "failures: { rate: none, maintenance: [ { group: a, first: 1, count: 1, from_s: 40, until_s: 540 } ] }\n",
      { { 0, 100, 16, 0, .ends = 140, .lost = 40, .tasks = 2, .queue = "a", .took = "0:01234567 1:01234567; 0:01234567 2:01234567" } },
      .useful = 1600, .lost = 640, .down = 800, .placer = "kueue-tas" },
    { "cohort: its quota is free when a fault has thrown it back", "cohort",
      ONE "queues: [ { name: a, deserved_gpus: 8 } ]\nfailures: { detection_s: 0, faults: [ { at_s: 50, repair_s: 20 } ] }\n",
      { { 0, 100, 8, 0, .ends = 170, .lost = 50, .queue = "a" } }, .useful = 800, .lost = 400, .down = 160 },
    /* b wants its quota back at 55; until 110 the GPUs are held, and no running job can be preempted */
    { "cohort: a job that leaves for a fault is no victim", "cohort:sharing=fair",
      ONE "queues: [ { name: x, preemption: { reclaim_within_cohort: any }, queues: [ { name: a }, { name: b, deserved_gpus: 8 } ] } ]\n"
      "failures: { faults: [ { at_s: 50, repair_s: 20 } ] }\n",
      { { 0, 100, 8, 0, .ends = 220, .lost = 50, .queue = "a" }, { 55, 10, 8, 110, .queue = "b" } },
      .useful = 880, .lost = 400, .fault = 480 },

    /* ---- Parts of a node, and more than one ---- */
    /* GPUs 0-3 and 4-7. The first is short of one until the other ends at 50 */
    { "one GPU of a node", "fifo",
      ONE "failures: { detection_s: 0, faults: [ { gpu: 3, at_s: 10, repair_s: 100 } ] }\n",
      { { 0, 50, 4, 0, .ends = 100, .lost = 10 }, { 0, 50, 4, 0 } }, .useful = 400, .lost = 40, .down = 90 },
    { "a leaf switch takes its rack", "fifo",
      RACKS "failures: { detection_s: 0, faults: [ { node: 1, cause: switch, at_s: 10, repair_s: 30 } ] }\n",
      { { 0, 100, 16, 0, .ends = 140, .lost = 10 }, { 0, 100, 16, 0 } }, .useful = 3200, .lost = 160, .down = 30 * 16 },

    /* ---- A relapse: at 65 it was still starting up, and had nothing to lose. Two faults within 100 s: in a cordon to 105 ---- */
    { "relapse and cordon", "fifo",
      ONE EVERY_30 "failures: { detection_s: 0, cordon_faults: 2, cordon_within_s: 100, cordon_s: 40,\n"
                   "  faults: [ { at_s: 50, repair_s: 10 }, { at_s: 65, repair_s: 10 } ] }\n",
      { { 0, 100, 8, 0, .ends = 105 + 10 + 70, .lost = 20 } }, .useful = 800, .lost = 160, .startup = 120, .down = 80 + 320 },
    { "two faults, but not within 10 s", "fifo",
      ONE EVERY_30 "failures: { detection_s: 0, cordon_faults: 2, cordon_within_s: 10, cordon_s: 40,\n"
                   "  faults: [ { at_s: 50, repair_s: 10 }, { at_s: 65, repair_s: 10 } ] }\n",
      { { 0, 100, 8, 0, .ends = 75 + 10 + 70, .lost = 20 } }, .useful = 800, .lost = 160, .startup = 120, .down = 160 },
    { "one retry", "fifo",
      ONE "failures: { detection_s: 0, max_retries: 1, faults: [ { at_s: 10, repair_s: 5 }, { at_s: 30, repair_s: 5 } ] }\n",
      { { 0, 100, 8, 0, .ends = 30, .lost = 25, .fails = true }, { 0, 5, 8, 35 } }, .useful = 40, .lost = 200, .down = 80 },
    { "given up when it is found", "fifo",
      ONE "failures: { max_retries: 0, faults: [ { at_s: 10, repair_s: 5 } ] }\n",
      { { 0, 100, 8, 0, .ends = 70, .lost = 10, .fails = true }, { 0, 5, 8, 70 } }, .useful = 40, .lost = 80, .fault = 480 },

    /* ---- Maintenance ---- */
    /* Node 0 takes nothing new from 50 on: the first job is left to finish, the third waits until 150 */
    { "a drain", "fifo", TWO "failures: { rate: none, maintenance: [ { first: 0, count: 1, from_s: 100, until_s: 150, drain_s: 50 } ] }\n",
      { { 0, 60, 8, 0 }, { 0, 200, 8, 0 }, { 55, 20, 8, 150 } }, .useful = 480 + 1600 + 160, .down = 90 * 8 },
    { "a job that still runs then saves and leaves", "fifo",
      ONE "preemption: { checkpoint: perfect, save_s: 5 }\n"
          "failures: { rate: none, maintenance: [ { from_s: 100, until_s: 150 } ] }\n",
      { { 0, 120, 8, 0, .ends = 170 } }, .useful = 960, .saving = 40, .down = 45 * 8 },
    { "every 100 s", "fifo",
      ONE "preemption: { checkpoint: perfect }\n"
          "failures: { rate: none, maintenance: [ { from_s: 10, until_s: 30, every_s: 100 } ] }\n",
      { { 0, 100, 8, 0, .ends = 140 } }, .useful = 800, .down = 2 * 20 * 8 },

    /* Slurm keeps away from announced maintenance what would last into it by its limit (reservation.c, job_test_resv). One node,
     * out from 300 to 400: 120 s fit before, 600 s do not and block the main scheduler; backfill reserves from 400 for them, and
     * starts the third, of 120 s, in their place */
    { "slurm: limits that last into maintenance", "slurm:batch_sched_delay=0",
      ONE "failures: { rate: none, maintenance: [ { from_s: 300, until_s: 400 } ] }\n",
      { { 0, 100, 8, 0, .estimate = 120 }, { 1, 200, 8, 400, .estimate = 600 }, { 2, 50, 8, 100, .estimate = 120 } },
      .useful = 800 + 1600 + 400, .down = 800 },
    /* without backfill the blocked partition keeps the third waiting, too */
    { "slurm: the main scheduler alone", "slurm:batch_sched_delay=0,scheduler=builtin",
      ONE "failures: { rate: none, maintenance: [ { from_s: 300, until_s: 400 } ] }\n",
      { { 0, 100, 8, 0, .estimate = 120 }, { 1, 200, 8, 400, .estimate = 600 }, { 2, 50, 8, 600, .estimate = 120 } },
      .useful = 800 + 1600 + 400, .down = 800 },
    /* the other node has no maintenance: the long job goes there, though the first is free */
    { "slurm: on another node", "slurm:batch_sched_delay=0",
      TWO "failures: { rate: none, maintenance: [ { first: 0, count: 1, from_s: 300, until_s: 400 } ] }\n",
      { { 0, 200, 8, 0, .estimate = 600, .took = "1:01234567" } }, .useful = 1600 },
    /* longer than the time between two: it starts, and is stopped */
    { "slurm: repeated, nothing between two is long enough", "slurm:batch_sched_delay=0",
      ONE "preemption: { checkpoint: perfect }\n"
          "failures: { rate: none, maintenance: [ { from_s: 10, until_s: 30, every_s: 100 } ] }\n",
      { { 0, 5, 8, 0, .estimate = 600 } }, .useful = 40 },

    /* ---- Preempted at 50, it would have saved until 55; the fault at 52 costs the 20 s since its checkpoint. The
     * other one's claim is void ---- */
    { "a fault while a job saves", "priority:preempt=yes",
      ONE "preemption: { checkpoint: periodic, interval_s: 30, restart_s: 10, save_s: 5 }\n"
          "failures: { faults: [ { at_s: 52, repair_s: 20 } ] }\n",
      { { 0, 100, 8, 0, .ends = 82 + 10 + 70, .stops = 1, .lost = 20 }, { 50, 10, 8, 72, .priority = 1 } },
      .useful = 880, .lost = 160, .startup = 80, .saving = 40, .down = (72 - 55) * 8 },
    /* Suspended at 50 with its memory there: back to 30. The other starts anew at 72 */
    { "a fault where a job is suspended", "preemptive:mode=suspend",
      ONE EVERY_30 "failures: { detection_s: 0, faults: [ { at_s: 52, repair_s: 20 } ] }\n",
      { { 0, 100, 8, 0, .ends = 92 + 10 + 70, .stops = 1, .lost = 20 }, { 50, 10, 8, 50, .ends = 72 + 10 + 10, .priority = 1, .lost = 2 } },
      .useful = 880, .lost = 176, .startup = 160, .down = 160 },
};

static void schedule(void **state)
{
    const struct row *row = *state;
    struct error err = { "" };
    struct taken taken = { { "" } };
    struct cluster *c = cluster_of_text(row->yaml, &err);
    if (!c)
        fail_msg("%s", err.text);
    size_t n = 0;
    while (row->jobs[n].gpus)
        n++;
    struct workload *w = workload_of(row->jobs, n);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *s = schedule_placed(c, w, row->policy, row->placer ? row->placer : "pack", 1,
                                      (struct run_observer){ .self = &taken, .interval = note_interval }, &err);
    assert_string_equal(err.text, "");
    for (job_id j = 0; j < n; j++) {
        struct job_result got = run_job(s, j);
        same_job(&err, &row->jobs[j], j, &got, taken.text[j]);
    }
    const struct run_totals *t = run_totals(s);
    const double want[] = { [ACCOUNT_START] = row->startup, [ACCOUNT_USEFUL] = row->useful, [ACCOUNT_LOST] = row->lost,
                            [ACCOUNT_SAVE] = row->saving, [ACCOUNT_GANG] = row->gang,
                            [ACCOUNT_FAULT] = row->fault, [ACCOUNT_DOWN] = row->down };
    for (unsigned a = 0; a < ACCOUNTS && !*err.text; a++)
        if (t->account[a] != (int128_t)ns_of_seconds(want[a]) * MILLI_ALL)
            error_set(&err, "%s: want %.9g GPU-s, got %.9g GPU-s", account_name[a], want[a], (double)t->account[a] / NS_PER_S / MILLI_ALL);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    assert_string_equal(err.text, "");
}

/* ---- Notices to the policy: each change of a node, with what is up then ---- */

static char notices[400];

static void on_node_changed(struct sched *s, const void *params, void *state, node_id n)
{
    (void)params;
    (void)state;
    size_t length = strlen(notices);
    snprintf(notices + length, sizeof notices - length, "%g: %u %s %g; ", seconds(sched_now(s)), n, sched_node_up(s, n) ? "up" : "out",
             (double)sched_capacity(s).gpu_milli / MILLI_ALL);
}

static void policies_get_notices(void **state)
{
    (void)state;
    struct error err = { "" };
    struct cluster *c = cluster_of_text(TWO "failures: { rate: none, detection_s: 0, maintenance: [ { first: 1, count: 1, from_s: 60, until_s: 70, drain_s: 20 } ],\n"
                                            "  faults: [ { at_s: 10, repair_s: 20 }, { gpu: 5, at_s: 25, repair_s: 10 } ] }\n", &err);
    struct workload *w = workload_of((struct job[]){ { 0, 100, 8 } }, 1);
    assert_string_equal(err.text, "");
    assert_int_equal(run_bind(c, w, &err), 0);
    struct named_policy named = policy_named("fifo");
    struct named_placer placer = placer_with("pack");
    struct policy watched = *named.policy;
    watched.node_changed = on_node_changed;
    notices[0] = '\0';
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = &watched, .policy_params = named.params,
                                                   .placer = placer.placer, .placer_params = placer.params, .check = true });
    assert_int_equal(run_execute(s, &err), 0);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    /* At 25 the node is out already; its GPU stays out until 35. The drain at 40 says it, the maintenance at 60 is no change; then
     * the job, which was on node 1 since 10, goes to node 0 and ends at 160 */
    assert_string_equal(notices, "10: 0 out 8; 30: 0 up 15; 35: 0 up 16; 40: 1 out 8; 70: 1 up 16; ");
}

/* Fair shares are of what is up: of 16 GPUs 8 each, of 8 4 each. Both want all there is. */
static void note_share(void *self, const struct sched *s)
{
    int64_t *share = self;
    int64_t now_s = run_level(s).now_ns / NS_PER_S;
    if (now_s < 100)
        share[now_s / 20] = run_queue_level(s, 0).fair_milli;
}

static void shares_of_what_is_up(void **state)
{
    (void)state;
    struct error err = { "" };
    int64_t share[5] = { 0 };
    struct cluster *c = cluster_of_text(TWO "queues: [ { name: a, deserved_gpus: 0 }, { name: b, deserved_gpus: 0 } ]\n"
                                            "preemption: { checkpoint: perfect }\n"
                                            "failures: { detection_s: 0, faults: [ { at_s: 30, repair_s: 35 } ] }\n", &err);
    struct workload *w = workload_of((struct job[]){ { 0, 100, 16, .tasks = 16, .min_tasks = 1, .queue = "a" },
                                                     { 0, 100, 16, .tasks = 16, .min_tasks = 1, .queue = "b" } }, 2);
    assert_string_equal(err.text, "");
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *s = schedule_played(c, w, "quota", 1, (struct run_observer){ .self = share, .instant = note_share }, &err);
    assert_string_equal(err.text, "");
    run_free(s);
    workload_free(w);
    cluster_free(c);
    assert_int_equal(share[0], 8000);       /* from 0 on */
    assert_int_equal(share[1], 4000);       /* from 30 on */
    assert_int_equal(share[3], 8000);       /* from 65 on */
}

/* ---- E[T] / W of models.md 3.4: 1e8 s of work, R = 300 s to restart, checkpoints at Daly's interval that take d; a failure
 * every M on the average. About 1e8 / M failures cost at most 2,000 s each, give or take as much: 0.1% for the rarest ---- */

#define SOFTWARE "failures: { rate: none, software_faults_per_day: %.17g, detection_s: 0, hang_share: 0, max_retries: unlimited }\n"
#define HARDWARE                                                                                                              \
    "failures: { faults_per_node_day: %.17g, lemon_shape: 0, switch_faults_per_year: 0, software_faults_per_day: 0,\n"        \
    "  software_faults_per_gpu_year: 0, detection_s: 0, hang_share: 0, max_retries: unlimited, repair: fixed, repair_s: 0.001 }\n"
static const struct form_row {
    const char *name;
    double write_s, mtbf_s, wall;       /* d, M, E[T] / W as printed */
    uint32_t nodes;                     /* 0: its software fails; else one of so many nodes */
} form_rows[] = {
    { "closed form: d 60, M a day", 60, 86400, 1.0418239, 0 },
    { "closed form: d 60, M 7.9 h", 60, 28440, 1.0791961, 0 },
    { "closed form: d 120, M 3 h", 120, 10800, 1.1979917, 0 },
    { "closed form: d 120, M 3 h, of four nodes", 120, 10800, 1.1979917, 4 },
};

static double wall_of(const struct form_row *row, double mtbf_s, double restart_s, double interval_s, uint64_t seed)
{
    struct error err = { "" };
    char yaml[1000], law[500];
    double per_day = 86400 / mtbf_s;
    if (row->nodes)
        snprintf(law, sizeof law, HARDWARE, per_day / row->nodes);
    else
        snprintf(law, sizeof law, SOFTWARE, per_day);
    snprintf(yaml, sizeof yaml, "nodes: [ { group: a, count: %u, gpus: 8 } ]\n"
             "preemption: { checkpoint: periodic, interval_s: %.9f, checkpoint_s: %.9f, restart_s: %.9f }\n%s",
             row->nodes ? row->nodes : 1, interval_s, row->write_s, restart_s, law);
    struct cluster *c = cluster_of_text(yaml, &err);
    if (!c)
        fail_msg("%s", err.text);
    struct workload *w = workload_of((struct job[]){ { 0, 1e8, row->nodes ? row->nodes * 8 : 8 } }, 1);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *s = schedule_played(c, w, "fifo", seed, (struct run_observer){ .self = NULL }, &err);
    assert_string_equal(err.text, "");
    struct job_result got = run_job(s, 0);
    assert_int_equal(got.outcome, OUTCOME_COMPLETED);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    return seconds(got.end_ns) / 1e8;
}

static void closed_form(void **state)
{
    const struct form_row *row = *state;
    double daly_s = daly_interval_s(row->write_s, row->mtbf_s);
    assert_true(fabs(expected_wall_s(1, daly_s, row->write_s, 300, row->mtbf_s) - row->wall) < 5e-8);
    assert_true(fabs(wall_of(row, row->mtbf_s, 300, daly_s, 1) / row->wall - 1) < 0.01);
    assert_false(fabs(wall_of(row, row->mtbf_s / 2, 300, daly_s, 1) / row->wall - 1) < 0.01);    /* control: twice as often */
}

/* Kokolis et al., HPCA'25, as in models.md 3.4: N = 2048 nodes, r_f = 3.79e-3 a day, u0 = 300 s,
 * d = 20 s: M = 11,131 s, interval 667.27 s (Young's), ETTR .91563. An approximation: within 1%
 * of it. One of the nodes fails each time, whichever. */
static void effective_time(void **state)
{
    (void)state;
    const struct form_row row = { .write_s = 20 };
    double mtbf_s = 86400 / (2048 * 3.79e-3), young_s = young_interval_s(20, mtbf_s);
    assert_true(fabs(mtbf_s - 11131) < 0.5 && fabs(young_s - 667.27) < 5e-3);
    double ettr = (1 - 2048 * 3.79e-3 / 86400 * (300 + young_s / 2)) / (1 + 20 / young_s);
    assert_true(fabs(ettr - .91563) < 5e-6);
    assert_true(fabs(1 / wall_of(&row, mtbf_s, 300, young_s, 1) / ettr - 1) < 0.01);
    assert_false(fabs(1 / wall_of(&row, mtbf_s, 600, young_s, 1) / ettr - 1) < 0.01);            /* control */
}

/* ---- Time between failures of a job of 1024 GPUs, models.md 8.4: 44.64 h by its nodes, 28.75 h with its software. 3,000 failures:
 * within 4 standard errors, 4 / sqrt(3000) = 7.3% ---- */

static const struct mttf_row { const char *name, *software; double hours, other_hours; } mttf_rows[] = {
    { "MTTF: nodes alone", "software_faults_per_day: 0, software_faults_per_gpu_year: 0,", 44.64, 28.75 },
    { "MTTF: nodes and software", "", 28.75, 44.64 },
    { "MTTF: software of larger jobs only", "software_hazard_min_gpus: 1025,", 44.64, 28.75 },
};

static void mttf(void **state)
{
    const struct mttf_row *row = *state;
    struct error err = { "" };
    char yaml[1000];
    snprintf(yaml, sizeof yaml, "nodes: [ { group: a, count: 128, gpus: 8 } ]\npreemption: { checkpoint: perfect }\n"
             "failures: { %s lemon_shape: 0, detection_s: 0, hang_share: 0, max_retries: unlimited, repair: fixed, repair_s: 0.001 }\n",
             row->software);
    struct cluster *c = cluster_of_text(yaml, &err);
    if (!c)
        fail_msg("%s", err.text);
    double work_s = 3000 * row->hours * 3600;
    struct workload *w = workload_of((struct job[]){ { 0, work_s, 1024 } }, 1);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *s = schedule_played(c, w, "fifo", 1, (struct run_observer){ .self = NULL }, &err);
    assert_string_equal(err.text, "");
    double hours = work_s / 3600 / run_job(s, 0).restarts, within = 4 / sqrt(3000);
    assert_true(fabs(hours / row->hours - 1) < within);
    assert_false(fabs(hours / row->other_hours - 1) < within);
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, schedule, rows);
    ADD_TEST(tests, n, policies_get_notices);
    ADD_TEST(tests, n, shares_of_what_is_up);
    ADD_ROWS(tests, n, closed_form, form_rows);
    ADD_TEST(tests, n, effective_time);
    ADD_ROWS(tests, n, mttf, mttf_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
