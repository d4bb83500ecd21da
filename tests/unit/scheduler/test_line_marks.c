/* test_line_marks.c - marks of jobs in lines, and walks that leave out marked jobs, against the
 * definition, one job at a time, while marks and the line change and are rolled back. */
#include "sim/engine/state.h"
#include "tests/support/random_world.h"

enum { SEEDS = 200, PASSES = 40, BITS = 3 };

static struct {
    struct line *line;
    struct random r;
    uint32_t n_jobs;
    unsigned passes;
    bool in[JOBS_MOST];
    double major[JOBS_MOST];
    uint8_t marks[JOBS_MOST];
} k;
static unsigned given, left_out, again, changed;

static uint64_t draw(uint64_t n) { return random_below(&k.r, n); }

static bool before(struct sched *s, job_id a, job_id b)
{
    if (k.major[a] != k.major[b])
        return k.major[a] < k.major[b];
    int64_t x = job_facts(s, a)->submit_ns, y = job_facts(s, b)->submit_ns;
    return x != y ? x < y : a < b;
}

static void push(struct sched *s, job_id j)
{
    line_push(k.line, j, (struct line_key){ .major = k.major[j], .time_ns = job_facts(s, j)->submit_ns });
}

/* ---- The definition ---- */

struct walker { job_id last; bool out[4 * JOBS_MOST]; uint8_t mark[4 * JOBS_MOST]; };

/* The first job of the line behind the last one that is not left out. */
static job_id next(struct sched *s, struct walker *w)
{
    job_id best = ID_NONE;
    for (job_id j = 0; j < k.n_jobs; j++) {
        shape_id shape = job_facts(s, j)->ask->shape;
        if (!k.in[j] || w->out[shape] || (w->last != ID_NONE && !before(s, w->last, j)))
            continue;
        if (k.marks[j] & w->mark[shape])
            left_out++;
        else if (best == ID_NONE || before(s, j, best))
            best = j;
    }
    w->last = best == ID_NONE ? w->last : best;
    return best;
}

/* ---- The policy ---- */

static uint8_t any_marks(void) { return draw(3) ? (uint8_t)draw(1u << BITS) : 1; }

static void mark(job_id j, bool noted)
{
    uint8_t marks = any_marks();
    line_mark(k.line, j, marks);
    if (noted)
        k.marks[j] = marks;
}

/* A job that the walk has left behind: pushed anew, its marks are gone. */
static void push_again(struct sched *s, struct walker *w, job_id j)
{
    push(s, j);
    k.marks[j] = 0;
    memset(w->mark, 0, sizeof w->mark);
    changed++;
}

static void walk(struct sched *s)
{
    static struct walker w;
    memset(&w, 0, sizeof w);
    w.last = ID_NONE;
    struct line_walk real = { .l = k.line };
    for (job_id got;; given++) {
        job_id want = next(s, &w);
        assert_wanted(want, line_next(&real, &got) ? got : ID_NONE, "walk at %g s: next job", (double)sched_now(s) / NS_PER_S);
        if (want == ID_NONE)
            return;
        shape_id shape = job_facts(s, got)->ask->shape;
        if (draw(3) == 0)
            mark(got, true);
        if (draw(2)) {
            w.mark[shape] = (uint8_t)(1u << draw(BITS));
            line_skip_marked(&real, w.mark[shape]);
        }
        if (draw(20) == 0)
            push_again(s, &w, got);
        if (draw(30) == 0) {
            line_skip_shape(&real, shape);
            w.out[shape] = true;
        }
        if (draw(10) == 0) {
            line_give_marked(&real);
            memset(w.mark, 0, sizeof w.mark);
            again++;
        }
    }
}

static void begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    k.line = line_new(s);
}

static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    k.in[j] = true;
    k.major[j] = (double)draw(3);
    k.marks[j] = 0;
    push(s, j);
    if (draw(2))
        mark(j, true);
}

static void started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)s;
    (void)params;
    (void)state;
    k.in[j] = false;
    line_remove(k.line, j);
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    sched_mark_t at = sched_mark(s);
    for (job_id j = 0; j < k.n_jobs; j++) {           /* all of it is undone */
        if (!k.in[j] || draw(3))
            continue;
        mark(j, false);
        if (draw(4) == 0)
            line_remove(k.line, j);
        else if (draw(4) == 0)
            push(s, j);
    }
    sched_rollback(s, at);
    if (k.passes > 0) {
        k.passes--;
        walk(s);
        sched_wake_at(s, sched_now(s) + NS_PER_S);
    }
    for (job_id j = 0; j < k.n_jobs; j++) {
        struct request r = job_request(s, j);
        bool may = job_state(s, j) == JOB_PENDING && (k.passes == 0 || draw(20) == 0);
        const struct placement *p = may ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            sched_start(s, j, p);
    }
}

static const struct policy marking = {
    .abi = POLICY_ABI, .name = "marking", .summary = "marks and walks at random", .begin = begin, .schedule = schedule,
    .job_arrived = arrived, .job_started = started,
};

static void as_defined(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = random_world(seed);
        for (size_t j = 0; seed % 4 && j < w.n_jobs; j++)    /* few shapes: many to leave out */
            w.job[j].gpus = 1 + (uint32_t)(j % 3), w.job[j].tasks = job_row_default.tasks, w.job[j].min_tasks = 0, w.job[j].cpu_milli = 0;
        struct combination c = { .policy = &marking, .placer = builtin_placers[0], .name = "marking" };
        memset(&k, 0, sizeof k);
        random_init(&k.r, seed, "marks", 0);
        k.passes = PASSES;
        k.n_jobs = (uint32_t)w.n_jobs;
        world_run(&w, &c, seed, (struct run_observer){ 0 });
    }
    print_message("%u given, %u times left out, %u given again, %u changes of the line\n", given, left_out, again, changed);
    assert_true(given > 10000 && left_out > 3000 && again > 500 && changed > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_defined) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
