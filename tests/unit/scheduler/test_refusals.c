/* test_refusals.c - every request that the world can refuse, once: the answer, its count, and
 * that nothing has changed. */
#include "tests/unit/scheduler/one_request.h"

/* ---- Requests ---- */
#define ASK(name, ...) static enum sched_result name(struct sched *s) { from_here(s); __VA_ARGS__ }

ASK(start_no_job, return sched_start(s, NO_JOB, on(NODE_A, 1));)
ASK(start_nowhere, return sched_start(s, ONE, NULL);)
ASK(start_no_pieces, hand.p.n = 0; return sched_start(s, ONE, &hand.p);)
ASK(start_absent, return sched_start(s, LATE, on(NODE_A, 8));)
ASK(start_gone, return sched_start(s, SHORT, on(NODE_A, 8));)
ASK(start_running, return sched_start(s, ONE, on(NODE_B, 8));)
ASK(start_fine, return sched_start(s, ONE, on(NODE_B, 8));)
ASK(start_fine_counted, return start_one(s, SPLIT, PIECE(.node = NODE_POOL, .gpus = 3, .milli = MILLI_ALL));)
ASK(start_no_node, return sched_start(s, ONE, on(NODES, 1));)
ASK(start_too_few, return sched_start(s, SPLIT, on(NODE_A, 3));)
ASK(start_too_many, return sched_start(s, SPLIT, on(NODE_A, 15));)
ASK(start_miscounted, return start_one(s, SPLIT, PIECE(.node = NODE_A, .gpu_mask = 3, .gpus = 3, .milli = MILLI_ALL));)
ASK(start_no_such_gpu, return sched_start(s, ONE, on(NODE_A, 16));)
ASK(start_nameless, return start_one(s, ONE, PIECE(.node = NODE_A, .gpus = 1, .milli = MILLI_ALL));)
ASK(start_share_of_whole, return start_one(s, ONE, PIECE(.node = NODE_A, .gpu_mask = 1, .gpus = 1, .milli = 500));)
ASK(start_whole_of_share, return sched_start(s, SHARE, on(NODE_A, 1));)
ASK(start_share_of_pool, return start_one(s, SHARE, PIECE(.node = NODE_POOL, .gpus = 1, .milli = 500));)
ASK(start_one_task_of_two, return sched_start(s, TASKS, on(NODE_A, 3));)
ASK(start_task_twice, return sched_start(s, TASKS, two(AT(NODE_A, 0, 3, 2, MILLI_ALL), AT(NODE_A, 0, 12, 2, MILLI_ALL)));)
ASK(start_tasks_swapped, return sched_start(s, TASKS, two(AT(NODE_A, 1, 3, 2, MILLI_ALL), AT(NODE_A, 0, 12, 2, MILLI_ALL)));)
ASK(start_task_uneven, return sched_start(s, TASKS, two(AT(NODE_A, 0, 1, 1, MILLI_ALL), AT(NODE_A, 1, 14, 3, MILLI_ALL)));)
ASK(start_other_model, return sched_start(s, V100, on(NODE_A, 1));)
ASK(start_owned, return sched_start(s, ONE, on(NODE_OWN, 1));)
ASK(start_not_owned, return sched_start(s, MINE, on(NODE_A, 1));)
ASK(start_apart, return sched_start(s, NEAR, two(AT(NODE_A, 0, 1, 1, MILLI_ALL), AT(NODE_B, 1, 1, 1, MILLI_ALL)));)
ASK(start_mask_in_pool, return start_one(s, SPLIT, PIECE(.node = NODE_POOL, .gpu_mask = 7, .gpus = 3, .milli = MILLI_ALL));)
ASK(start_node_twice, return sched_start(s, SPLIT, two(AT(NODE_A, 0, 1, 1, MILLI_ALL), AT(NODE_A, 1, 6, 2, MILLI_ALL)));)
ASK(start_empty_piece, return sched_start(s, SPLIT, two(AT(NODE_A, 0, 7, 3, MILLI_ALL), AT(NODE_B, 1, 0, 0, 0)));)
ASK(start_gpu_for_cpu, return sched_start(s, CPU, on(NODE_A, 1));)
ASK(start_gpu_twice, return sched_start(s, TASKS, two(AT(NODE_A, 0, 3, 2, MILLI_ALL), AT(NODE_A, 1, 6, 2, MILLI_ALL)));)
ASK(start_taken, sched_start(s, ONE, on(NODE_A, 1)); from_here(s); return sched_start(s, STAYS, on(NODE_A, 1));)
ASK(start_second_piece_taken, sched_start(s, ONE, on(NODE_B, 1)); from_here(s);
    return sched_start(s, SPLIT, two(AT(NODE_A, 0, 1, 1, MILLI_ALL), AT(NODE_B, 1, 3, 2, MILLI_ALL)));)
ASK(start_pool_full, start_one(s, POOL, PIECE(.node = NODE_POOL, .gpus = 69, .milli = MILLI_ALL)); from_here(s);
    return start_one(s, SPLIT, PIECE(.node = NODE_POOL, .gpus = 3, .milli = MILLI_ALL));)
ASK(start_no_cpu, sched_start(s, ONE, on(NODE_A, 1)); from_here(s); return start_one(s, CPU, PIECE(.node = NODE_A));)
ASK(start_releasing, sched_stop(s, ONE, STOP_SAVE); from_here(s); return sched_start(s, SPLIT, on(NODE_A, 13));)
ASK(start_elsewhere, sched_stop(s, ONE, STOP_SAVE); return sched_start(s, ONE, on(NODE_B, 8));)
ASK(start_same, sched_stop(s, ONE, STOP_SAVE); return sched_start(s, ONE, on(NODE_A, 1));)
ASK(start_twice, sched_stop(s, ONE, STOP_SAVE); sched_start(s, ONE, on(NODE_B, 8)); from_here(s);
    return sched_start(s, ONE, on(NODE_B, 4));)
ASK(start_over_limit, sched_start(s, TASKS, two(AT(NODE_B, 0, 3, 2, MILLI_ALL), AT(NODE_B, 1, 12, 2, MILLI_ALL))); from_here(s);
    return sched_start(s, NEAR, two(AT(NODE_A, 0, 4, 1, MILLI_ALL), AT(NODE_A, 1, 8, 1, MILLI_ALL)));)

ASK(stop_no_job, return sched_stop(s, NO_JOB, STOP_SAVE);)
ASK(stop_absent, return sched_stop(s, LATE, STOP_SAVE);)
ASK(stop_pending, return sched_stop(s, ONE, STOP_SAVE);)
ASK(stop_gone, return sched_stop(s, SHORT, STOP_SAVE);)
ASK(stop_stays, return sched_stop(s, STAYS, STOP_SAVE);)
ASK(stop_no_mode, return sched_stop(s, ONE, (enum stop_mode)(STOP_CANCEL + 1));)
ASK(stop_fine, return sched_stop(s, ONE, STOP_RESTART);)
ASK(stop_twice, sched_stop(s, ONE, STOP_SAVE); from_here(s); return sched_stop(s, ONE, STOP_SAVE);)
ASK(stop_staged_start, sched_start(s, STAYS, on(NODE_B, 8)); return sched_stop(s, STAYS, STOP_SAVE);)

ASK(keep_no_job, return sched_keep(s, NO_JOB);)
ASK(keep_pending, return sched_keep(s, ONE);)
ASK(keep_running, return sched_keep(s, ONE);)
ASK(keep_fine, sched_stop(s, ONE, STOP_SAVE); return sched_keep(s, ONE);)
ASK(keep_twice, sched_stop(s, ONE, STOP_SAVE); sched_keep(s, ONE); from_here(s); return sched_keep(s, ONE);)
ASK(keep_moved, sched_stop(s, ONE, STOP_SAVE); sched_start(s, ONE, on(NODE_B, 8)); from_here(s); return sched_keep(s, ONE);)
ASK(keep_claimed_by_others, sched_stop(s, ONE, STOP_SAVE); sched_start(s, SPLIT, on(NODE_A, 13)); from_here(s);
    return sched_keep(s, ONE);)
ASK(keep_taken_at_once, sched_stop(s, ONE, STOP_RESTART); sched_start(s, SPLIT, on(NODE_A, 13)); from_here(s);
    return sched_keep(s, ONE);)

ASK(refuse_no_job, return sched_refuse(s, NO_JOB, "no");)
ASK(refuse_absent, return sched_refuse(s, LATE, "no");)
ASK(refuse_running, return sched_refuse(s, ONE, "no");)
ASK(refuse_gone, return sched_refuse(s, SHORT, "no");)
ASK(refuse_fine, return sched_refuse(s, NEAR, "no");)
ASK(refuse_twice, sched_refuse(s, NEAR, "no"); from_here(s); return sched_refuse(s, NEAR, "no");)
ASK(refuse_stopped, sched_stop(s, ONE, STOP_RESTART); from_here(s); return sched_refuse(s, ONE, "no");)
ASK(refuse_started, sched_start(s, NEAR, two(AT(NODE_A, 0, 4, 1, MILLI_ALL), AT(NODE_A, 1, 8, 1, MILLI_ALL)));
    from_here(s); return sched_refuse(s, NEAR, "no");)

ASK(wake_past, return sched_wake_at(s, sched_now(s) - 1);)
ASK(wake_now, return sched_wake_at(s, sched_now(s));)
ASK(wake_never, return sched_wake_at(s, TIME_NEVER);)
ASK(wake_twice, sched_wake_at(s, sched_now(s) + 1); return sched_wake_at(s, sched_now(s) + 1);)
ASK(defer_now, return sched_defer(s, sched_now(s));)

static const struct row rows[] = {
    { "start: fine", 1, start_fine, SCHED_OK, 0 },
    { "start: fine, counted", 1, start_fine_counted, SCHED_OK, 0 },
    { "start: no such job", 1, start_no_job, SCHED_MISMATCH, 0 },
    { "start: nowhere", 1, start_nowhere, SCHED_MISMATCH, 0 },
    { "start: no pieces", 1, start_no_pieces, SCHED_MISMATCH, 0 },
    { "start: has not arrived", 1, start_absent, SCHED_WRONG_STATE, 0 },
    { "start: has ended", 2, start_gone, SCHED_WRONG_STATE, 0 },
    { "start: runs", 2, start_running, SCHED_WRONG_STATE, 0 },
    { "start: in a notice", 0, start_fine, SCHED_MISMATCH, 0 },
    { "start: no such node", 1, start_no_node, SCHED_MISMATCH, 0 },
    { "start: too few GPUs", 1, start_too_few, SCHED_MISMATCH, 0 },
    { "start: too many GPUs", 1, start_too_many, SCHED_MISMATCH, 0 },
    { "start: mask and count differ", 1, start_miscounted, SCHED_MISMATCH, 0 },
    { "start: no such GPU", 1, start_no_such_gpu, SCHED_MISMATCH, 0 },
    { "start: a count where GPUs have names", 1, start_nameless, SCHED_MISMATCH, 0 },
    { "start: a share for a whole GPU", 1, start_share_of_whole, SCHED_MISMATCH, 0 },
    { "start: a whole GPU for a share", 1, start_whole_of_share, SCHED_MISMATCH, 0 },
    { "start: a share of counted GPUs", 1, start_share_of_pool, SCHED_MISMATCH, 0 },
    { "start: half a gang", 1, start_one_task_of_two, SCHED_MISMATCH, 0 },
    { "start: a task twice", 1, start_task_twice, SCHED_MISMATCH, 0 },
    { "start: tasks out of order", 1, start_tasks_swapped, SCHED_MISMATCH, 0 },
    { "start: uneven tasks", 1, start_task_uneven, SCHED_MISMATCH, 0 },
    { "start: another model", 1, start_other_model, SCHED_MISMATCH, 0 },
    { "start: another queue's node", 1, start_owned, SCHED_MISMATCH, 0 },
    { "start: not its queue's node", 1, start_not_owned, SCHED_MISMATCH, 0 },
    { "start: too far apart", 1, start_apart, SCHED_MISMATCH, 0 },
    { "start: names where GPUs are counted", 1, start_mask_in_pool, SCHED_MISMATCH, 0 },
    { "start: two pieces on a node", 1, start_node_twice, SCHED_MISMATCH, 0 },
    { "start: a piece of nothing", 1, start_empty_piece, SCHED_MISMATCH, 0 },
    { "start: a GPU that was not asked for", 1, start_gpu_for_cpu, SCHED_MISMATCH, 0 },
    { "start: one GPU for two tasks", 1, start_gpu_twice, SCHED_NO_ROOM, 0 },
    { "start: a GPU is taken", 1, start_taken, SCHED_NO_ROOM, 0 },
    { "start: a GPU of the second piece is taken", 1, start_second_piece_taken, SCHED_NO_ROOM, 0 },
    { "start: the pool is full", 1, start_pool_full, SCHED_NO_ROOM, 0 },
    { "start: CPUs are taken", 1, start_no_cpu, SCHED_NO_ROOM, 0 },
    { "start: where a job leaves", 2, start_releasing, SCHED_LATER, 0 },
    { "start: where a job leaves, unseen", 2, start_releasing, SCHED_NO_ROOM, SEES_RELEASING },
    { "start: moves when it has saved", 2, start_elsewhere, SCHED_LATER, 0 },
    { "start: moves, leavers unseen", 2, start_elsewhere, SCHED_LATER, SEES_RELEASING },
    { "start: where it was", 2, start_same, SCHED_OK, 0 },
    { "start: moves twice", 2, start_twice, SCHED_WRONG_STATE, 0 },
    { "start: over the limit of its queue", 1, start_over_limit, SCHED_OVER_LIMIT, 0 },
    { "stop: no such job", 1, stop_no_job, SCHED_WRONG_STATE, 0 },
    { "stop: has not arrived", 1, stop_absent, SCHED_WRONG_STATE, 0 },
    { "stop: waits", 1, stop_pending, SCHED_WRONG_STATE, 0 },
    { "stop: has ended", 2, stop_gone, SCHED_WRONG_STATE, 0 },
    { "stop: not preemptible", 2, stop_stays, SCHED_NOT_ALLOWED, 0 },
    { "stop: no such way", 2, stop_no_mode, SCHED_MISMATCH, 0 },
    { "stop: fine", 2, stop_fine, SCHED_OK, 0 },
    { "stop: twice", 2, stop_twice, SCHED_WRONG_STATE, 0 },
    { "stop: not preemptible, but has not begun", 1, stop_staged_start, SCHED_OK, 0 },
    { "keep: no such job", 1, keep_no_job, SCHED_WRONG_STATE, 0 },
    { "keep: waits", 1, keep_pending, SCHED_WRONG_STATE, 0 },
    { "keep: runs", 2, keep_running, SCHED_WRONG_STATE, 0 },
    { "keep: fine", 2, keep_fine, SCHED_OK, 0 },
    { "keep: fine, leavers unseen", 2, keep_fine, SCHED_OK, SEES_RELEASING },
    { "keep: twice", 2, keep_twice, SCHED_WRONG_STATE, 0 },
    { "keep: moves", 2, keep_moved, SCHED_WRONG_STATE, 0 },
    { "keep: its GPUs are claimed", 2, keep_claimed_by_others, SCHED_NO_ROOM, 0 },
    { "keep: its GPUs are taken", 2, keep_taken_at_once, SCHED_NO_ROOM, 0 },
    { "refuse: no such job", 1, refuse_no_job, SCHED_WRONG_STATE, 0 },
    { "refuse: has not arrived", 1, refuse_absent, SCHED_WRONG_STATE, 0 },
    { "refuse: runs", 2, refuse_running, SCHED_WRONG_STATE, 0 },
    { "refuse: has ended", 2, refuse_gone, SCHED_WRONG_STATE, 0 },
    { "refuse: fine", 1, refuse_fine, SCHED_OK, 0 },
    { "refuse: twice", 1, refuse_twice, SCHED_WRONG_STATE, 0 },
    { "refuse: stopped just now", 2, refuse_stopped, SCHED_WRONG_STATE, 0 },
    { "refuse: started just now", 1, refuse_started, SCHED_WRONG_STATE, 0 },
    { "refuse: in a notice", 0, refuse_fine, SCHED_WRONG_STATE, 0 },
    { "wake: in the past", 2, wake_past, SCHED_TOO_OFTEN, 0 },
    { "wake: now", 1, wake_now, SCHED_TOO_OFTEN, 0 },
    { "defer: now", 1, defer_now, SCHED_TOO_OFTEN, 0 },
    { "wake: never", 1, wake_never, SCHED_TOO_OFTEN, 0 },
    { "wake: twice at one time", 1, wake_twice, SCHED_OK, 0 },
};

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, one_request, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
