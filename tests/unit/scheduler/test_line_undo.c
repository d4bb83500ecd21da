/* test_line_undo.c - lines and waiting reasons under nested rollbacks, while jobs really start,
 * stop, claim and move.
 *
 * A policy keeps a model beside the lines: arrays of the place and key of each job, the order of
 * joins, and every reason given. A rollback copies the model back. After it the lines show what
 * the model shows, keys and ends and all, and at the end the wait of every job is split as the
 * model has counted it, one job at a time, to the nanosecond: WAIT_PASS of a periodic scheduler
 * and WAIT_RELEASING of claims, too. test_lines.c has walks over lines that change. */
#include "tests/support/credible.h"
#include "tests/unit/scheduler/line_model.h"

enum { SEEDS = 400, PASSES = 60, CHANGES = 10, DEPTH = 3 };

static uint64_t rollbacks, compared, by_reason[WAIT_REASONS], several;

/* ---- Changes, to the lines and to the model alike ---- */

static struct line_key any_key(void)
{
    return (struct line_key){ .major = (double)draw(3) - 1, .minor = draw(2) * 0.5, .time_ns = (int64_t)draw(4) - 2 };
}

static void push(int l, job_id j)
{
    struct place p = { true, any_key(), ++k.now.clock };
    line_push(k.line[l], j, p.key);
    k.now.at[l][j] = p;
}

static void give_reason(int l, job_id j)
{
    enum wait_reason why = draw(3) ? draw(WAIT_REASONS) : WAIT_GROUP;
    switch (draw(5)) {
    case 0:
        line_blocked(k.s, k.line[l], ID_NONE, why);
        k.now.line_why[l] = why == WAIT_GROUP ? WAIT_ORDER : (uint8_t)credible_reason(why);
        break;
    case 1: case 2:
        sched_blocked(k.s, j, why);
        if (k.job[j].waits)
            k.now.own[j] = (uint8_t)credible_reason(why);
        break;
    default:
        if (!k.now.at[l][j].in)
            break;
        line_blocked(k.s, k.line[l], shape_of(j), why);
        k.now.shape_why[l][shape_of(j)] = (uint8_t)credible_reason(why);
    }
}

static void act(job_id j)
{
    struct request r = job_request(k.s, j);
    switch (draw(4)) {
    case 0:
        sched_stop(k.s, j, draw(2) ? STOP_SAVE : STOP_RESTART);
        break;
    case 1:
        sched_keep(k.s, j);
        break;
    default:
        if (job_state(k.s, j) == JOB_PENDING || job_state(k.s, j) == JOB_RELEASING) {
            const struct placement *p = sched_place(k.s, sched_view(k.s, draw(2) ? FREE_IDLE : FREE_OR_RELEASING), &r);
            if (p)
                sched_start(k.s, j, p);
        }
    }
}

static void change(void)
{
    job_id j = draw(k.n_jobs);
    int l = (int)draw(LINES);
    if (!k.job[j].here)
        return;
    switch (draw(8)) {
    case 0: case 1:
        push(l, j);
        break;
    case 2: case 3:
        assert_int_equal(line_remove(k.line[l], j), k.now.at[l][j].in);
        k.now.at[l][j].in = false;
        break;
    case 4: case 5: case 6:
        give_reason(l, j);
        break;
    default:
        act(j);
    }
}

static void nested(int depth)
{
    static struct model saved[DEPTH + 1];
    saved[depth] = k.now;
    sched_mark_t mark = sched_mark(k.s);
    for (int i = (int)draw(CHANGES); i > 0; i--) {
        change();
        if (depth < DEPTH && draw(6) == 0)
            nested(depth + 1);
    }
    if (draw(2)) {
        sched_rollback(k.s, mark);
        k.now = saved[depth];
        rollbacks++;
        for (int l = 0; l < LINES; l++)
            line_is_as_modelled(l);
    }
}

/* ---- The policy ---- */

static void begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    k.s = s;
    k.settled_ns = sched_now(s);
    memset(k.now.shape_why, WAIT_GROUP, sizeof k.now.shape_why);
    for (int l = 0; l < LINES; l++)
        k.line[l] = line_new(s);                /* WAIT_ORDER, 0 */
}

static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    settle(sched_now(s));
    bool gave_back_a_claim = k.job[j].waits;
    k.job[j].here = k.job[j].waits = true;
    k.job[j].fresh = k.period_ns && !gave_back_a_claim;
    k.now.own[j] = k.job[j].fresh ? WAIT_PASS : WAIT_GROUP;
    if (draw(4))
        push((int)draw(LINES), j);
}

static void started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    settle(sched_now(s));
    k.job[j].waits = k.job[j].fresh = false;
    if (draw(2))
        push((int)draw(LINES), j);
}

static void stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)
{
    (void)params;
    (void)state;
    settle(sched_now(s));
    if (why == STOPPED_BY_POLICY)
        return;
    k.job[j].here = false;                      /* the host takes it out of all lines */
    for (int l = 0; l < LINES; l++)
        k.now.at[l][j].in = false;
}

/* A job has left its GPUs; if it has claimed others, it begins to wait for them now. */
static void on_interval(void *self, const struct interval *i)
{
    (void)self;
    settle(i->end_ns);
    if (job_state(k.s, i->job) != JOB_CLAIMED || !strcmp(i->why, "cutoff"))
        return;
    k.job[i->job].waits = true;
    k.now.own[i->job] = WAIT_RELEASING;
}

static void start_what_fits(struct sched *s)
{
    for (job_id j = 0; j < k.n_jobs; j++) {
        struct request r = job_request(s, j);
        const struct placement *p = job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            sched_start(s, j, p);
    }
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    bool claimed[JOBS_MOST];
    settle(sched_now(s));
    for (job_id j = 0; j < k.n_jobs; j++) {
        claimed[j] = job_state(s, j) == JOB_CLAIMED;
        if (k.job[j].fresh && k.job[j].waits && k.now.own[j] == WAIT_PASS)
            k.now.own[j] = WAIT_GROUP;
        k.job[j].fresh = false;
    }
    if (k.passes > 0) {
        k.passes--;
        nested(0);
        change();
        sched_wake_at(s, sched_now(s) + 1 + (int64_t)draw(2 * NS_PER_S));
    } else {
        start_what_fits(s);
    }
    for (int l = 0; l < LINES; l++)
        line_is_as_modelled(l);
    for (job_id j = 0; j < k.n_jobs; j++)
        if (job_state(s, j) == JOB_CLAIMED && !claimed[j] && k.job[j].waits)
            k.now.own[j] = WAIT_RELEASING;
}

static const struct policy keeping = {
    .abi = POLICY_ABI, .name = "wild", .summary = "lines and reasons at random", .needs = SEES_RELEASING, .begin = begin,
    .schedule = schedule, .job_arrived = arrived, .job_started = started, .job_stopped = stopped,
};

static void one_seed(uint64_t seed)
{
    struct world w = random_world(seed);
    w.period_ns = seed % 3 == 2 ? 3 * NS_PER_S : 0;
    w.overhead.save_ns = (int64_t)(seed % 4) * NS_PER_S;
    struct combination c = { .policy = &keeping, .placer = builtin_placers[0], .name = "wild" };
    memset(&k, 0, sizeof k);
    random_init(&k.r, seed, "line undo", 0);
    k.passes = PASSES;
    k.n_jobs = (uint32_t)w.n_jobs;
    k.period_ns = w.period_ns;
    struct outcome out = world_run(&w, &c, seed, (struct run_observer){ .interval = on_interval });
    assert_false(out.stalled);
    for (job_id j = 0; j < k.n_jobs; j++) {
        unsigned reasons = 0;
        for (unsigned r = 0; r < WAIT_REASONS; r++) {
            if (out.job[j].waits[r] != k.job[j].split[r])
                fail_msg("seed %u: job %u waited %lld ns for '%s', want %lld", (unsigned)seed, j,
                         (long long)out.job[j].waits[r], wait_reason_name[r], (long long)k.job[j].split[r]);
            by_reason[r] += out.job[j].waits[r] > 0;
            reasons += out.job[j].waits[r] > 0;
        }
        compared++;
        several += reasons > 1;
    }
}

static void rolled_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        one_seed(seed);
}

/* So that a test that looks at nothing fails. */
static void all_was_seen(void **state)
{
    (void)state;
    assert_true(rollbacks > 10000 && compared > 10000 && several > 5000);
    for (unsigned r = 0; r < WAIT_REASONS; r++)
        assert_true(credible_reason(r) != r || by_reason[r] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rolled_back), cmocka_unit_test(all_was_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
