/* test_line_marks.c - marks of jobs in lines, and walks that leave out marked jobs, against the
 * definition, one job at a time, while marks and the line change and are rolled back. */
#include "tests/unit/scheduler/random_line.h"

enum { SEEDS = 200, PASSES = 40, BITS = 3 };

static uint8_t marks_of[JOBS_MOST];
static unsigned given, left_out, again, changed;

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
        if (marks_of[j] & w->mark[shape])
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
        marks_of[j] = marks;
}

/* A job that the walk has left behind: pushed anew, its marks are gone. */
static void push_again(struct sched *s, struct walker *w, job_id j)
{
    push(s, j);
    marks_of[j] = 0;
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

static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    marks_of[j] = 0;
    comes_in(s, j);
    if (draw(2))
        mark(j, true);
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
        if (seed % 4)
            make_alike(&w, 1);
        memset(marks_of, 0, sizeof marks_of);
        walk_world(&w, &marking, "marks", seed, PASSES);
    }
    print_message("%u given, %u times left out, %u given again, %u changes of the line\n", given, left_out, again, changed);
    assert_true(given > 10000 && left_out > 3000 && again > 500 && changed > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_defined) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
