/* test_elastic.c - schedules of jobs that have several sizes, worked out by hand: `elastic`, and
 * a policy that follows a script. */
#include "tests/support/schedule.h"

#define RESTART(s)                                                                                                     \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERFECT, .restart_ns = (s)*NS_PER_S                                                   \
    }
#define AT_ONCE "elastic:every_s=0"

#define SECTION(restart)                                                                                               \
    {                                                                                                                  \
        .given = true, .restart_ns = (restart), .noise_steps = 20                                                      \
    }

/* clang-format off: tables */
static const struct schedule rows[] = {
    /* Two tasks do 100 s of work in 100 s, four in 50 s */
    { "alone: as much as it can use, at once", AT_ONCE, ONE_NODE(8), .useful = 200,
      .jobs = { { 0, 100, 2, 0, 50, .tasks = 2, .min_tasks = 1, .max_tasks = 4, .took = "0:0 0:1 0:2 0:3" } } },
    { "alone: as much as there is", AT_ONCE, ONE_NODE(3), .useful = 180,
      .jobs = { { 0, 90, 2, 0, 60, .tasks = 2, .min_tasks = 1, .max_tasks = 4 } } },
    { "without tasks: GPUs", AT_ONCE, ONE_NODE(8), .useful = 200,
      .jobs = { { 0, 100, 2, 0, 25, .min_gpus = 1, .max_gpus = 8, .took = "0:01234567" } } },
    { "fewer than usual, if there are no more", AT_ONCE, ONE_NODE(3), .useful = 360,
      .jobs = { { 0, 90, 4, 0, 120, .min_gpus = 2, .max_gpus = 8, .took = "0:012" } } },
    { "tasks of several GPUs, on two nodes", AT_ONCE, { NODES(2, 4) }, .useful = 200,
      .jobs = { { 0, 100, 2, 0, 25, .tasks = 1, .max_tasks = 9, .took = "0:01 0:23 1:01 1:23" } } },
    { "the least does not fit", AT_ONCE, ONE_NODE(3),
      .jobs = { { 0, 100, 8, NEVER, .min_gpus = 4, .refused = "asks for more than the cluster has" } } },
    { "rigid: as fifo has it", AT_ONCE, ONE_NODE(2), .jobs = { { 0, 10, 1, 0 }, { 0, 5, 2, 10 }, { 1, 3, 1, 15 } } },
    { "rigid, skipping", "elastic:every_s=0,blocking=skip", ONE_NODE(2), .jobs = { { 0, 10, 1, 0 }, { 0, 5, 2, 10 }, { 1, 3, 1, 1 } } },

    /* The first has 4 instead of 2 until 10: 20 of its 100 s are done; then the second wants 2. 10 s of restart on 2, 40 s of work. At 60
     * the second has ended, 40 s of work are left; 10 s of restart, 20 s on 4. */
    { "gives back what another wants, and gets it again", AT_ONCE, ONE_NODE(4), .overhead = RESTART(10), .useful = 200 + 100, .startup = 10 * 2 + 10 * 4,
      .jobs = { { 0, 100, 2, 0, 60 + 10 + 20, .tasks = 2, .min_tasks = 1, .max_tasks = 4, .took = "0:0 0:1 0:2 0:3; 0:0 0:1; 0:0 0:1 0:2 0:3" },
                { 10, 50, 2, 10, .took = "0:23" } } },
    /* Until 10 the first has 3 of 2: 15 s of work. Then it falls to 1 for the least of the second, which has 2 of 4, 40 s long: 20 s of
     * work. Then 60 s are left on 3. */
    { "below its usual size for another's least", AT_ONCE, ONE_NODE(3), .useful = 190 + 80,
      .jobs = { { 0, 95, 2, 0, 50 + 40, .tasks = 2, .min_tasks = 1, .max_tasks = 3 }, { 10, 20, 4, 10, 50, .min_gpus = 2 } } },
    { "not below its least: the other waits", AT_ONCE, ONE_NODE(3), .useful = 180 + 30,
      .jobs = { { 0, 90, 2, 0, 60, .tasks = 2, .min_tasks = 1, .max_tasks = 3 }, { 10, 10, 3, 60 } } },
    { "not preemptible: nothing is taken back, and nothing given", AT_ONCE, ONE_NODE(4), .useful = 200 + 40,
      .jobs = { { 0, 100, 2, 0, .tasks = 2, .min_tasks = 1, .max_tasks = 4, .stays = true }, { 10, 10, 4, 100 } } },
    { "moldable: keeps what it starts with", AT_ONCE, ONE_NODE(4), .useful = 10 + 240,
      .jobs = { { 0, 10, 1, 0 }, { 0, 60, 4, 0, 80, .tasks = 4, .min_tasks = 2, .max_tasks = 8, .moldable = true, .took = "0:1 0:2 0:3" } } },
    /* 2 and 3 of 1 each; at 10 the third wants 2, and the second gives them: 30 of its 62 s are done, 20 more until 30; then 12 s on 3. */
    { "the job that started last shrinks first", AT_ONCE, ONE_NODE(5), .useful = 60 + 62 + 40,
      .jobs = { { 0, 60, 1, 0, 30, .tasks = 1, .max_tasks = 2 }, { 0, 62, 1, 0, 30 + 4, .tasks = 1, .max_tasks = 3 }, { 10, 20, 2, 10 } } },
    /* At 5 the first falls to 2 so that the third can have its least of 1. At 20 the second leaves 3: all go to the third, though the first
     * is older. It has done 15 / 4 of its 20 s, so it ends at 36.25. The first has done 7.5 + 31.25 s then, and has 11.25 s left on 6 of 2. */
    { "first to those below their usual size", AT_ONCE, ONE_NODE(6), .useful = 100 + 60 + 80,
      .jobs = { { 0, 50, 2, 0, 40, .tasks = 2, .max_tasks = 8 }, { 0, 20, 3, 0 }, { 5, 20, 4, 5, 36.25, .tasks = 4, .min_tasks = 1 } } },
    /* The second could have 4 from 10 on; at 30 it does */
    { "grows at most every so often", "elastic:every_s=30", ONE_NODE(4), .useful = 200 + 20,
      .jobs = { { 0, 10, 2, 0 }, { 0, 100, 2, 0, 30 + 35, .tasks = 2, .max_tasks = 4 } } },
    { "what one gave too much it gets back", AT_ONCE, ONE_NODE(4), .useful = 100 + 10,
      .jobs = { { 0, 100, 1, 0, 20 + 7.5, .tasks = 1, .max_tasks = 4, .took = "0:0 0:1 0:2 0:3; 0:0 0:2 0:3; 0:0 0:1 0:2 0:3" }, { 10, 10, 1, 10, .took = "0:1" } } },

    /* ---- goodput: in proportion to the GPUs, since there is no section; u(n) = -fair / n is what a size is worth ---- */
    { "goodput: alike get alike", "goodput", ONE_NODE(8), .useful = 400,
      .jobs = { { 0, 100, 2, 0, 50, .min_gpus = 1, .max_gpus = 8 }, { 0, 100, 2, 0, 50, .min_gpus = 1, .max_gpus = 8 } } },
    /* 4 each until 60; then the rigid one is let in, and the others have 3. It ends at 160, and at 180 they have 4 again: 120, 180 and 100 s */
    { "goodput: sizes change at intervals only", "goodput", ONE_NODE(8), .useful = 800 + 800 + 200,
      .jobs = { { 0, 400, 2, 0, 230, .min_gpus = 1, .max_gpus = 8 }, { 0, 400, 2, 0, 230, .min_gpus = 1, .max_gpus = 8 }, { 10, 100, 2, 60 } } },
    { "goodput: idle GPUs are taken at once", "goodput", ONE_NODE(8), .useful = 400 + 100 + 200,
      .jobs = { { 0, 100, 4, 0 , .min_gpus = 3, .max_gpus = 4 }, { 5, 25, 4, 5, .min_gpus = 1, .max_gpus = 4 }, { 31, 100, 2, 31 } } },
    /* d = 90. At 60 a new size counts 60 / (60 + 90) = .4. From 1: u = -2 / (.4 n), so both go to 2; then 4, which the first has already, is worth
     * -.5 to it, (2.5 - .5) / 2 more a GPU than 2, and 3 only 2.5 - 5 / 3. So it keeps its 4, and the second falls to 2, restarts until 150, and
     * is at its second resize worth less and less: at 120 and 180 both stay. The first ends at 200. At 240 the factor of the second is (240 -
     * 90) / (240 + 90), and 8 are worth -17.6 / 8 against -4 at 2: 1.8 / 6 a GPU; 6 are worth 1.07 / 4. It restarts until 330. It
     * has done 120 + 90 of its 400 s, and does the rest in 190 / 4. */
    { "goodput: the price makes them stay", "goodput", ONE_NODE(8), .overhead = RESTART(90), .useful = 800 + 800 + 200, .startup = 90 * 2 + 90 * 8,
      .jobs = { { 0, 400, 2, 0, 200, .min_gpus = 1, .max_gpus = 8 }, { 0, 400, 2, 0, 377.5, .min_gpus = 1, .max_gpus = 8 }, { 10, 100, 2, 60 } } },
    /* Without it both have 3 from 60 on, restart until 150 and have done 120 + 45 s at 180, when they get 4 and restart until 270: 235 s at 2 */
    { "goodput: without the penalty they do not", "goodput:penalty=no", ONE_NODE(8), .overhead = RESTART(90), .useful = 800 + 800 + 200,
      .startup = 2 * (90 * 3 + 90 * 4),
      .jobs = { { 0, 400, 2, 0, 270 + 117.5, .min_gpus = 1, .max_gpus = 8 }, { 0, 400, 2, 0, 270 + 117.5, .min_gpus = 1, .max_gpus = 8 }, { 10, 100, 2, 60 } } },
};

/* ---- Verbs ---- */

enum verb { END, BEGIN, RESIZE, TWICE, BACK, ELSEWHERE, WHOLE };
enum { STEPS_MOST = 6 };
static const struct script {
    const char *name;
    struct schedule what;                                /* the policy follows the steps */
    struct step { double at; enum verb verb; uint32_t size; enum sched_result want; } step[STEPS_MOST];
} scripts[] = {
#define JOB(...) .jobs = { { 0, 100, 2, .tasks = 2, .min_tasks = 1, .max_tasks = 4, __VA_ARGS__ } }
    { "at its least size", { .group = ONE_NODE(4), .useful = 200, JOB(.starts = 0, .ends = 200) }, { { 0, BEGIN, 1 } } },
    /* 10 s done, 5 s of restart, 45 s on 4 */
    { "a resize, at its price", { .group = ONE_NODE(4), .overhead = RESTART(5), .useful = 200, .startup = 20, JOB(.starts = 0, .ends = 60) },
      { { 0, BEGIN, 2 }, { 10, RESIZE, 4 } } },
    /* The first restart is cut short by the second, which costs as much again: 10 + 2 + 5 s, and 90 s of work on 1 */
    { "a resize while it restarts", { .group = ONE_NODE(4), .overhead = RESTART(5), .useful = 200, .startup = 2 * 4 + 5, JOB(.starts = 0, .ends = 17 + 180) },
      { { 0, BEGIN, 2 }, { 10, RESIZE, 4 }, { 12, RESIZE, 1 } } },
    /* Of 30 s of start-up 20 are left, and 5 would do for a restart */
    { "a resize while it starts", { .group = ONE_NODE(4), .overhead = { .start_ns = 30 * NS_PER_S, .restart_ns = 5 * NS_PER_S }, .useful = 200,
      .startup = 2 * 10 + 4 * 20, JOB(.starts = 0, .ends = 80) }, { { 0, BEGIN, 2 }, { 10, RESIZE, 4 } } },
    { "two in one pass are one", { .group = ONE_NODE(4), .overhead = RESTART(5), .useful = 200, .startup = 20, JOB(.starts = 0, .ends = 60) },
      { { 0, BEGIN, 2 }, { 10, TWICE, 4 } } },
    { "there and back is nothing", { .group = ONE_NODE(4), .overhead = RESTART(5), .useful = 200, JOB(.starts = 0, .ends = 100, .took = "0:0 0:1") },
      { { 0, BEGIN, 2 }, { 10, BACK, 4 } } },
    { "in the pass of its start it costs nothing", { .group = ONE_NODE(4), .overhead = RESTART(5), .useful = 200, JOB(.starts = 0, .ends = 50) },
      { { 0, BEGIN, 2 }, { 0, RESIZE, 4 } } },
    /* It saves nothing of its own: what it has done is safe */
    { "nothing is lost without checkpoints", { .group = ONE_NODE(4), .useful = 200, JOB(.starts = 0, .ends = 55) }, { { 0, BEGIN, 2 }, { 10, RESIZE, 4 } } },
    { "a move of the same size", { .group = ONE_NODE(4), .overhead = RESTART(5), .useful = 200, .startup = 10, JOB(.starts = 0, .ends = 105, .took = "0:0 0:1; 0:2 0:3") },
      { { 0, BEGIN, 2 }, { 10, ELSEWHERE, 2 } } },
    { "moldable: a move of the same size", { .group = ONE_NODE(4), .overhead = RESTART(5), .useful = 200, .startup = 10, JOB(.starts = 0, .ends = 105, .moldable = true) },
      { { 0, BEGIN, 2 }, { 10, ELSEWHERE, 2 } } },
    /* models.md 3.3: bert 120 s. Two GPUs of one node are its reference, so its rate is 1 */
    { "price: its model's", { .group = ONE_NODE(4), .overhead = RESTART(5), .elastic = SECTION(-1), .useful = 200, .startup = 240,
      JOB(.starts = 0, .ends = 220, .model = "bert") }, { { 0, BEGIN, 2 }, { 10, ELSEWHERE, 2 } } },
    { "price: the section's", { .group = ONE_NODE(4), .overhead = RESTART(5), .elastic = SECTION(7 * NS_PER_S), .useful = 200, .startup = 14,
      JOB(.starts = 0, .ends = 107, .model = "bert") }, { { 0, BEGIN, 2 }, { 10, ELSEWHERE, 2 } } },
    { "price: its own", { .group = ONE_NODE(4), .overhead = RESTART(5), .elastic = SECTION(7 * NS_PER_S), .useful = 200, .startup = 6,
      JOB(.starts = 0, .ends = 103, .model = "bert", .overhead = &(const struct own_overhead){ -1, -1, -1, -1, 3 * NS_PER_S }) },
      { { 0, BEGIN, 2 }, { 10, ELSEWHERE, 2 } } },
    { "price: the cluster's, of an unknown model", { .group = ONE_NODE(4), .overhead = RESTART(5), .elastic = SECTION(-1), .useful = 200, .startup = 10,
      JOB(.starts = 0, .ends = 105, .model = "vgg16") }, { { 0, BEGIN, 2 }, { 10, ELSEWHERE, 2 } } },
    { "refused: too many", { .group = ONE_NODE(8), .useful = 200, JOB(.starts = 0, .ends = 100) }, { { 0, BEGIN, 2 }, { 10, RESIZE, 5, SCHED_MISMATCH } } },
    { "refused: another size of a moldable job", { .group = ONE_NODE(4), .useful = 200, JOB(.starts = 0, .ends = 100, .moldable = true) },
      { { 0, BEGIN, 2 }, { 10, RESIZE, 4, SCHED_MISMATCH } } },
    { "refused: not preemptible", { .group = ONE_NODE(4), .useful = 200, JOB(.starts = 0, .ends = 100, .stays = true) },
      { { 0, BEGIN, 2 }, { 10, RESIZE, 4, SCHED_NOT_ALLOWED } } },
    { "refused: before it runs", { .group = ONE_NODE(4), .useful = 200, JOB(.starts = 5, .ends = 105) },
      { { 0, RESIZE, 2, SCHED_WRONG_STATE }, { 5, BEGIN, 2 } } },
    { "refused: to stop what was resized in this pass", { .group = ONE_NODE(4), .useful = 200, JOB(.starts = 0, .ends = 55) },
      { { 0, BEGIN, 2 }, { 10, RESIZE, 4 }, { 10, WHOLE, 0, SCHED_WRONG_STATE } } },
    { "stopped, and started at another size", { .group = ONE_NODE(4), .overhead = SAVE_TAKES(5), .useful = 200, .saving = 10,
      JOB(.starts = 0, .ends = 15 + 180, .stops = 1) }, { { 0, BEGIN, 2 }, { 10, WHOLE, 0 }, { 15, BEGIN, 1 } } },
};
/* clang-format on */

static const struct script *script;
static size_t done;

static const struct placement *shifted(struct sched *s, const struct placement *p)
{
    struct placement *to = sched_scratch(s, sizeof *to + p->n * sizeof to->piece[0]);
    to->n = p->n;
    for (size_t i = 0; i < p->n; i++) {
        to->piece[i] = p->piece[i];
        to->piece[i].gpu_mask <<= p->n;
    }
    return to;
}

static enum sched_result act(struct sched *s, const struct step *step)
{
    const struct placement *where = sched_place_anew(s, 0, step->size ? step->size : 1), *first = sched_place_anew(s, 0, 1);
    const struct placement *held = job_placement(s, 0);
    switch (step->verb) {
    case BEGIN:
        return sched_start(s, 0, where);
    case TWICE:
        assert_int_equal(sched_resize(s, 0, first), SCHED_OK);
        return sched_resize(s, 0, where);
    case BACK:
        assert_int_equal(sched_resize(s, 0, where), SCHED_OK);
        return sched_resize(s, 0, held);
    case ELSEWHERE:
        return sched_resize(s, 0, shifted(s, held));
    case WHOLE:
        return sched_stop(s, 0, STOP_SAVE);
    default:
        return sched_resize(s, 0, where);
    }
}

static void follow(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    for (const struct step *next; (next = &script->step[done])->verb != END && sched_now(s) >= ns_of_seconds(next->at); done++) {
        enum sched_result got = act(s, next);
        if (got != next->want)
            fail_msg("step %zu: want '%s', got '%s'", done + 1, sched_result_name[next->want], sched_result_name[got]);
    }
    if (script->step[done].verb != END)
        sched_wake_at(s, ns_of_seconds(script->step[done].at));
}

static void follows_script(void **state)
{
    static const struct policy follows = { .abi = POLICY_ABI, .name = "follows", .needs = RESIZES | SEES_RELEASING, .schedule = follow };
    script = *state;
    done = 0;
    plays_with(&script->what, &follows, NULL);
    assert_int_equal(script->step[done].verb, END);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    ADD_ROWS(tests, n, follows_script, scripts);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
