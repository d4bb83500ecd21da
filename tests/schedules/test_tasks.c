/* test_tasks.c - single tasks in the world, by hand: gangs that gather, grow, shrink and break.
 * policy.h, sim/scheduler/tasks.c.
 *
 * Job 1 has four tasks, of one GPU if the script does not say how many. A script starts and
 * stops them at given times; they get the GPUs from 0 on, task after task; the books are looked
 * at after each step. Other jobs, of one task, start when they arrive, on GPU 7. */
#include "tests/support/schedule.h"

#define NODE_OF_8 ONE_NODE(8)
enum verb { END, START, STOP, WHOLE };
enum { STEPS_MOST = 12, TASKS = 4 };

struct step {
    double at;
    enum verb verb;
    unsigned tasks;               /* bit k: task k */
    enum sched_result answer;
    int shift;                    /* GPU k + shift instead */
};
struct scripted {
    const char *name;
    struct schedule what;
    struct step step[STEPS_MOST];
    uint32_t gpus[TASKS];         /* of each task; none: one each */
};
static const struct scripted *script;
static size_t done;

static bool differ(void)
{
    return script->what.jobs[0].n_parts > 0;
}

static uint32_t gpus_of(unsigned task)
{
    return differ() ? script->gpus[task] : 1;
}

static enum sched_result start(struct sched *s, const struct step *step)
{
    union { struct placement p; unsigned char room[sizeof(struct placement) + TASKS * sizeof(struct piece)]; } to;
    int first = step->shift;
    to.p.n = 0;
    for (unsigned k = 0; k < TASKS; first += (int)gpus_of(k++))
        if (step->tasks >> k & 1)
            to.p.piece[to.p.n++] = (struct piece){ 0, k, ((UINT64_C(1) << gpus_of(k)) - 1) << first, gpus_of(k), gpus_of(k) ? MILLI_ALL : 0 };
    return sched_start(s, 0, &to.p);
}

/* Of CPUs each task has as many as GPUs, and one more. */
static void look_at_books(const struct sched *s)
{
    struct amount held = queue_held(s, 0), pending = queue_pending(s, 0);
    int64_t gpus = 0, cpus = 0, all_gpus = 0, all_cpus = 0;
    for (unsigned k = 0; k < TASKS; k++) {
        bool has = placement_task(job_placement(s, 0), k) != NULL;
        gpus += has ? gpus_of(k) : 0;
        cpus += has ? gpus_of(k) + 1 : 0;
        all_gpus += gpus_of(k);
        all_cpus += gpus_of(k) + 1;
    }
    assert_int_equal(held.gpu_milli, 1000 * gpus);
    assert_int_equal(pending.gpu_milli, 1000 * (all_gpus - gpus));
    if (!differ())
        return;
    assert_int_equal(held.cpu_milli, 1000 * cpus);
    assert_int_equal(pending.cpu_milli, 1000 * (all_cpus - cpus));
}

static enum sched_result stop(struct sched *s, const struct step *step)
{
    enum sched_result answer = SCHED_OK;
    for (unsigned k = 0; k < 32 && answer == SCHED_OK; k++)
        if (step->tasks >> k & 1)
            answer = sched_stop_task(s, 0, k, STOP_SAVE);
    return answer;
}

static void follow(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    const struct step *step;
    for (; (step = &script->step[done])->verb && ns_of_seconds(step->at) <= sched_now(s); done++) {
        uint64_t before = sched_room_version(s);
        enum job_state was = job_state(s, 0);
        enum sched_result answer = step->verb == START ? start(s, step)
                                   : step->verb == STOP ? stop(s, step)
                                                        : sched_stop(s, 0, STOP_SAVE);
        assert_int_equal(answer, step->answer);
        if (answer > SCHED_LATER)
            assert_true(job_state(s, 0) == was && sched_room_version(s) == before);
        if (jobs_of(&script->what) == 1 && job_state(s, 0) != JOB_GONE)
            look_at_books(s);
    }
    if (ns_of_seconds(step->at) > sched_now(s))
        sched_wake_at(s, ns_of_seconds(step->at));
    for (job_id j = 1; j < jobs_of(&script->what); j++)
        if (job_state(s, j) == JOB_PENDING) {
            const struct placement p = { 1 };
            union { struct placement p; unsigned char room[sizeof(struct placement) + sizeof(struct piece)]; } to = { p };
            to.p.piece[0] = (struct piece){ 0, 0, UINT64_C(1) << 7, 1, MILLI_ALL };
            assert_int_equal(sched_start(s, j, &to.p), SCHED_OK);
        }
}

#define JOB(m, ...) .jobs = { { 0, 40, 4, .tasks = 4, .min_tasks = (m), __VA_ARGS__ } }
/* Tasks that differ: what PART says, and a CPU more than GPUs. */
#define OF(path, n, g, min)                                                                                            \
    {                                                                                                                  \
        .group = (path), .gpus = (g), .gpu_milli = MILLI_ALL, .tasks = (n), .min_tasks = (min), .cpu_milli = 1000 * ((g) + 1), \
        .required_level = LEVEL_ANY, .preferred_level = LEVEL_ANY                                                      \
    }
#define DIFFER(...) .jobs = { { 0, 40, __VA_ARGS__ } }
#define SAVES(save)                                                                                                    \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERFECT, .save_ns = (save)*NS_PER_S, .grace_ns = 30 * NS_PER_S,                       \
        .restart_ns = 4 * NS_PER_S                                                                                     \
    }
#define LOSES                                                                                                          \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 8 * NS_PER_S, .save_ns = NS_PER_S, .grace_ns = 0,            \
        .start_ns = 2 * NS_PER_S, .restart_ns = 4 * NS_PER_S                                                           \
    }
#define ALL  0xfu
#define LOW  0x3u
#define HIGH 0xcu

/* clang-format off */
static const struct scripted rows[] = {
    /* ---- Gathering ---- */
    { "gather: all at once is a start", { .group = NODE_OF_8, .useful = 160, JOB(0, .starts = 0, .ends = 40) }, { { 0, START, ALL } } },
    { "gather: two, then two", { .group = NODE_OF_8, .useful = 160, .gang = 14, JOB(0, .starts = 7, .ends = 47, .waits = { [WAIT_GANG] = 7 }) },
      { { 0, START, LOW }, { 7, START, HIGH } } },
    { "gather: one after the other", { .group = NODE_OF_8, .useful = 160, .gang = 3 + 2 + 1, JOB(0, .starts = 3, .ends = 43) },
      { { 0, START, 1 }, { 1, START, 2 }, { 2, START, 4 }, { 3, START, 8 } } },
    { "gather: two verbs of one instant are one start", { .group = NODE_OF_8, .useful = 160, JOB(0, .starts = 0, .ends = 40) },
      { { 0, START, LOW }, { 0, START, HIGH } } },
    { "gather: given back, free of charge", { .group = NODE_OF_8, .useful = 160, .gang = 2 * 5, .overhead = SAVES(3), JOB(0, .starts = 9, .ends = 49) },
      { { 0, START, LOW }, { 5, STOP, LOW }, { 9, START, ALL } } },
    { "gather: one goes, the other stays", { .group = NODE_OF_8, .useful = 160, .gang = 2 * 5 + 4, .overhead = SAVES(3), JOB(0, .starts = 9, .ends = 49) },
      { { 0, START, LOW }, { 5, STOP, 1 }, { 9, START, ALL & ~2u } } },
    { "gather: stopped and started at one instant", { .group = NODE_OF_8, .useful = 160, .gang = 2 * 9, JOB(0, .starts = 9, .ends = 49) },
      { { 0, START, LOW }, { 5, STOP, 1 }, { 5, START, 1 }, { 9, START, HIGH } } },
    { "gather: until the end", { .group = NODE_OF_8, .until = 20, .gang = 40, JOB(0, .starts = NEVER, .waits = { [WAIT_GANG] = 20 }) },
      { { 0, START, LOW }, { 30, END } } },
    { "gather: what starts costs is paid when it begins", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .gang = 14, .startup = 8,
      JOB(0, .starts = 7, .ends = 49) }, { { 0, START, LOW }, { 7, START, HIGH } } },

    /* ---- Growing and shrinking: the speed is the share of tasks, half of the minimum's ---- */
    { "grow: half the speed to the end", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 80) }, { { 0, START, LOW } } },
    { "grow: to full speed", { .group = NODE_OF_8, .useful = 20 + 140, JOB(2, .starts = 0, .ends = 10 + 35) },
      { { 0, START, LOW }, { 10, START, HIGH } } },
    /* 10 s at 1/2, 12 at 3/4, 26 at 1 */
    { "grow: by one and one", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 48) },
      { { 0, START, LOW }, { 10, START, 4 }, { 22, START, 8 } } },
    { "shrink: to the minimum", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .startup = 8, JOB(2, .starts = 0, .ends = 12 + 60) },
      { { 0, START, ALL }, { 12, STOP, HIGH } } },
    { "shrink: and grow again", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 10 + 10 + 25) },
      { { 0, START, ALL }, { 10, STOP, HIGH }, { 20, START, HIGH } } },
    /* 1 of 2 s of starting up is left at 1: 1 s of two GPUs, then of four */
    { "grow: while starting up", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .startup = 2 + 4, JOB(2, .starts = 0, .ends = 42) },
      { { 0, START, LOW }, { 1, START, HIGH } } },
    { "grow: as starting up ends", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .startup = 4, JOB(2, .starts = 0, .ends = 42) },
      { { 0, START, LOW }, { 2, START, HIGH } } },
    { "shrink: and grow at one instant is another place", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 40, .took = "0:0 0:1 0:2 0:3; 0:0 0:1 0:4 0:3") },
      { { 0, START, ALL }, { 10, STOP, 4 }, { 10, START, 4, .shift = 2 } } },
    { "shrink: and grow at one instant in place is nothing", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 40, .took = "0:0 0:1 0:2 0:3") },
      { { 0, START, ALL }, { 10, STOP, 4 }, { 10, START, 4 } } },
    { "shrink: until the end", { .group = NODE_OF_8, .until = 20, .useful = 40 + 20, JOB(2, .starts = 0, .ends = NEVER) },
      { { 0, START, ALL }, { 10, STOP, HIGH } } },
    { "grow: as it ends is too late", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 80) },
      { { 0, START, LOW }, { 80, START, HIGH, SCHED_WRONG_STATE } } },

    /* ---- Breaking: 2 s of starting up, then a checkpoint after each 8 s of progress ---- */
    /* At 20: 18 done, 16 kept. Held 3 until 25; 4 + 24 */
    { "break: pays once and restarts", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .lost = 8, .gang = 15, .startup = 8 + 16,
      JOB(0, .starts = 0, .ends = 25 + 28, .stops = 1, .lost = 2, .waits = { [WAIT_GANG] = 5 }) },
      { { 0, START, ALL }, { 20, STOP, 8 }, { 25, START, 8 } } },
    { "break: two of four", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .lost = 8, .gang = 10, .startup = 8 + 16,
      JOB(0, .starts = 0, .ends = 25 + 28, .stops = 1, .lost = 2) }, { { 0, START, ALL }, { 20, STOP, HIGH }, { 25, START, HIGH } } },
    { "break: two of four, one later", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .lost = 8, .gang = 3 * 2 + 2 * 3, .startup = 8 + 16,
      JOB(0, .starts = 0, .ends = 25 + 28, .stops = 1, .lost = 2) },
      { { 0, START, ALL }, { 20, STOP, 4 }, { 22, STOP, 8 }, { 25, START, HIGH } } },
    { "break: all of them", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .lost = 8, .startup = 8 + 16,
      JOB(0, .starts = 0, .ends = 25 + 28, .stops = 1, .lost = 2) }, { { 0, START, ALL }, { 20, STOP, ALL }, { 25, START, ALL } } },
    /* 10 s at half the speed done; the one that is left is held from 20 on */
    { "break: below the minimum", { .group = NODE_OF_8, .useful = 160, .gang = 5, .overhead = SAVES(0), .startup = 2 * 4,
      JOB(2, .starts = 0, .ends = 25 + 4 + 60, .stops = 1) }, { { 0, START, LOW }, { 20, STOP, 1 }, { 25, START, 1 } } },
    /* The one that saves has its GPU until 23 */
    { "break: saving", { .group = NODE_OF_8, .useful = 160, .gang = 3 * 5, .overhead = SAVES(3), .saving = 3, .startup = 4 * 4,
      JOB(0, .starts = 0, .ends = 25 + 4 + 20, .stops = 1) },
      { { 0, START, ALL }, { 20, STOP, 8 }, { 22, START, 8, SCHED_NO_ROOM }, { 25, START, 8 } } },
    { "break: saved, and goes on that instant", { .group = NODE_OF_8, .useful = 160, .gang = 3 * 3, .overhead = SAVES(3), .saving = 3, .startup = 4 * 4,
      JOB(0, .starts = 0, .ends = 23 + 4 + 20, .stops = 1) }, { { 0, START, ALL }, { 20, STOP, 8 }, { 23, START, 8 } } },
    /* Elsewhere at 21, and goes on when it has saved at 23 */
    { "break: complete again before it has saved", { .group = NODE_OF_8, .useful = 160, .gang = 3 + 4 * 2, .overhead = SAVES(3), .saving = 3,
      .startup = 4 * 4, JOB(0, .starts = 0, .ends = 23 + 4 + 20, .stops = 1, .waits = { [WAIT_GANG] = 1, [WAIT_RELEASING] = 2 }) },
      { { 0, START, ALL }, { 20, STOP, 8 }, { 21, START, 8, .shift = 3 } } },
    { "break: moved at one instant", { .group = NODE_OF_8, .useful = 160, .gang = 4 * 3, .overhead = SAVES(3), .saving = 3,
      .startup = 4 * 4, JOB(0, .starts = 0, .ends = 23 + 4 + 20, .stops = 1) },
      { { 0, START, ALL }, { 20, STOP, 8 }, { 20, START, 8, .shift = 3 } } },
    { "break: cut off while saving", { .group = NODE_OF_8, .until = 22, .useful = 80, .gang = 3 * 2, .overhead = SAVES(3), .saving = 2,
      JOB(0, .starts = 0, .ends = NEVER, .stops = 1) }, { { 0, START, ALL }, { 20, STOP, 8 } } },
    { "break: cut off while held", { .group = NODE_OF_8, .until = 30, .useful = 80, .gang = 3 * 10, .overhead = SAVES(3), .saving = 3,
      JOB(0, .starts = 0, .ends = NEVER, .stops = 1) }, { { 0, START, ALL }, { 20, STOP, 8 }, { 40, END } } },
    { "break: again while starting up", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .lost = 8, .gang = 15 + 3, .startup = 8 + 4 + 16,
      JOB(0, .starts = 0, .ends = 27 + 28, .stops = 2, .lost = 2) },
      { { 0, START, ALL }, { 20, STOP, 8 }, { 25, START, 8 }, { 26, STOP, 1 }, { 27, START, 1 } } },
    /* Growing is a durable checkpoint: at 10, with 4 done; 4 s at full speed are lost from there */
    { "break: growing has saved what was done", { .group = NODE_OF_8, .overhead = LOSES, .useful = 160, .lost = 16, .gang = 6, .startup = 4 + 16,
      JOB(2, .starts = 0, .ends = 20 + 4 + 36, .stops = 1, .lost = 4) },
      { { 0, START, LOW }, { 10, START, HIGH }, { 14, STOP, 0xe }, { 20, START, 0xe } } },

    /* ---- Tasks that differ: 4 + 2 + 2 GPUs, or 3 + 3 + 1 + 1 ---- */
    { "groups: gather", { .group = NODE_OF_8, .useful = 320, .gang = 4 * 3 + 6 * 2, DIFFER(.starts = 5, .ends = 45, PARTS(OF("a", 1, 4, 0), OF("b", 2, 2, 0), OF("c", 1, 0, 0))) },
      { { 0, START, 1 }, { 3, START, 2 }, { 5, START, HIGH } }, { 4, 2, 2, 0 } },
    /* A minimum of 3 is not enough when both of b are missing, nor is b without a */
    { "groups: the minimum of each", { .group = NODE_OF_8, .useful = 320, .gang = 6 * 4, DIFFER(.starts = 4, .ends = 4 + 40, PARTS(OF("a", 2, 3, 1), OF("b", 2, 1, 1))) },
      { { 0, START, LOW }, { 4, START, HIGH } }, { 3, 3, 1, 1 } },
    { "groups: only the other", { .group = NODE_OF_8, .useful = 320, .gang = 2 * 4, DIFFER(.starts = 4, .ends = 4 + 40, PARTS(OF("a", 2, 3, 1), OF("b", 2, 1, 1))) },
      { { 0, START, HIGH }, { 4, START, LOW } }, { 3, 3, 1, 1 } },
    /* 4 of 8 GPUs from 0 on, 7 from 10, 8 from 18: 5 + 7 + 28 */
    { "groups: the speed is the share of GPUs", { .group = NODE_OF_8, .useful = 320, DIFFER(.starts = 0, .ends = 46, PARTS(OF("a", 2, 3, 1), OF("b", 2, 1, 1))) },
      { { 0, START, 1 | 4 }, { 10, START, 2 }, { 18, START, 8 } }, { 3, 3, 1, 1 } },
    { "groups: without GPUs it is the share of tasks", { .group = NODE_OF_8, DIFFER(.starts = 0, .ends = 80, PARTS(OF("a", 2, 0, 1), OF("b", 2, 0, 1))) },
      { { 0, START, 1 | 4 } }, { 0, 0, 0, 0 } },
    { "groups: runs of one group count together", { .group = NODE_OF_8, .useful = 320, .gang = 3 * 5, DIFFER(.starts = 5, .ends = 5 + 80, PARTS(OF(".", 2, 3, 1), OF(".", 2, 1, 1))) },
      { { 0, START, 2 }, { 5, START, 8 } }, { 3, 3, 1, 1 } },
    /* At 20 both of b go, though the two of a would be the minimum of tasks; 20 s are left at 25, and 4 s of restart */
    { "groups: one below its minimum breaks it", { .group = NODE_OF_8, .overhead = SAVES(0), .useful = 320, .gang = 6 * 5, .startup = 8 * 4,
      DIFFER(.starts = 0, .ends = 25 + 4 + 20, .stops = 1, PARTS(OF("a", 2, 3, 1), OF("b", 2, 1, 1))) },
      { { 0, START, ALL }, { 20, STOP, HIGH }, { 25, START, HIGH } }, { 3, 3, 1, 1 } },
    { "groups: shrinks where it may", { .group = NODE_OF_8, .useful = 320, DIFFER(.starts = 0, .ends = 20 + 40, PARTS(OF("a", 2, 3, 1), OF("b", 2, 1, 1))) },
      { { 0, START, ALL }, { 20, STOP, 2 | 8 } }, { 3, 3, 1, 1 } },
    { "groups: saving, then back", { .group = NODE_OF_8, .overhead = SAVES(3), .useful = 320, .gang = 4 * 5, .saving = 4 * 3, .startup = 8 * 4,
      DIFFER(.starts = 0, .ends = 25 + 4 + 20, .stops = 1, PARTS(OF("a", 1, 4, 0), OF("b", 2, 2, 0), OF("c", 1, 0, 0))) },
      { { 0, START, ALL }, { 20, STOP, 1 }, { 25, START, 1 } }, { 4, 2, 2, 0 } },
    { "groups: stopped whole", { .group = NODE_OF_8, .overhead = SAVES(3), .useful = 320, .saving = 7 * 3, .startup = 8 * 4,
      DIFFER(.starts = 0, .ends = 25 + 4 + 40 - 17.5, .stops = 1, PARTS(OF("a", 2, 3, 1), OF("b", 2, 1, 1))) },
      { { 0, START, LOW | 4 }, { 20, WHOLE, 0 }, { 25, START, ALL } }, { 3, 3, 1, 1 } },

    /* ---- Refused: nothing changes ---- */
    { "refused: a task that it has", { .group = NODE_OF_8, .gang = 10, .useful = 160, JOB(0, .starts = 5, .ends = 45) },
      { { 0, START, LOW }, { 5, START, 1, SCHED_WRONG_STATE, 4 }, { 5, START, HIGH } } },
    { "refused: a task that it has, running", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 80) },
      { { 0, START, LOW }, { 5, START, 1, SCHED_WRONG_STATE, 4 } } },
    { "refused: one that is taken", { .group = NODE_OF_8, .jobs = { { 0, 40, 4, 0, .ends = 80, .tasks = 4, .min_tasks = 2 }, { 0, 100, 1, 0 } } },
      { { 0, START, LOW }, { 5, START, 8, SCHED_NO_ROOM, 4 } } },
    { "refused: one's own GPU", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 80) },
      { { 0, START, LOW }, { 5, START, 4, SCHED_NO_ROOM, -2 }, { 5, START, 8, SCHED_NO_ROOM, -2 } } },
    { "refused: nothing", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 80) },
      { { 0, START, LOW }, { 5, START, 0, SCHED_MISMATCH } } },
    { "refused: to stop a task that is not there", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 80) },
      { { 0, STOP, 1, SCHED_WRONG_STATE }, { 0, START, LOW }, { 5, STOP, 4, SCHED_WRONG_STATE }, { 5, STOP, 1u << 20, SCHED_WRONG_STATE } } },
    { "refused: to stop what may not be", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 40, .stays = true) },
      { { 0, START, ALL }, { 5, STOP, 1, SCHED_NOT_ALLOWED } } },
    { "refused: to stop a gathering job whole", { .group = NODE_OF_8, .gang = 14, .useful = 160, JOB(0, .starts = 7, .ends = 47) },
      { { 0, START, LOW }, { 5, WHOLE, 0, SCHED_WRONG_STATE }, { 7, START, HIGH } } },
    { "refused: to stop a whole job after tasks of it were changed", { .group = NODE_OF_8, .useful = 160, JOB(2, .starts = 0, .ends = 75) },
      { { 0, START, LOW }, { 5, START, 4 }, { 5, WHOLE, 0, SCHED_WRONG_STATE }, { 15, STOP, 4 } } },
    /* ---- More tasks than the cluster has room for: the minimum decides ---- */
    { "elastic: the minimum fits", { .group = ONE_NODE(3), .useful = 160, JOB(2, .starts = 0, .ends = 80) }, { { 0, START, LOW } } },
    { "elastic: the minimum does not", { .group = ONE_NODE(1), JOB(2, .starts = NEVER, .refused = "asks for more than the cluster has") },
      { { 0, END, 0, SCHED_OK } } },
    { "elastic: of each group, the minimum fits", { .group = ONE_NODE(3), .useful = 160,
      DIFFER(PARTS(OF("a", 2, 1, 1), OF("b", 2, 1, 1)), .starts = 0, .ends = 80) },
      { { 0, START, 1 | 4 } }, { 1, 1, 1, 1 } },
    { "elastic: of each group, the minimum does not", { .group = ONE_NODE(3), DIFFER(PARTS(OF("a", 2, 1, 2), OF("b", 2, 1, 2)), .starts = NEVER,
      .refused = "asks for more than the cluster has") }, { { 0, END, 0, SCHED_OK } } },
    { "stop: a running part whole", { .group = NODE_OF_8, .overhead = SAVES(3), .useful = 160, .saving = 6, .startup = 16,
      JOB(2, .starts = 0, .ends = 25 + 4 + 30, .stops = 1) }, { { 0, START, LOW }, { 20, WHOLE, 0 }, { 25, START, ALL } } },
};
/* clang-format on */

static void follows_script(void **state)
{
    static const struct policy follows = { .abi = POLICY_ABI, .name = "follows", .needs = STARTS_PARTIAL | SEES_RELEASING,
                                           .schedule = follow };
    script = *state;
    done = 0;
    plays_with(&script->what, &follows, NULL);
    assert_int_equal(script->step[done].verb, END);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, follows_script, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
