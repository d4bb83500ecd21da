/* test_meta_others.c - what may not touch a job: later jobs, jobs on other nodes, jobs that
 * backfill behind it. */
#include "tests/metamorphic/meta_property.h"

/* ---- Jobs that come at t0 or later leave the past alone ---- */

static void make_later(struct meta_pair *p, uint64_t seed)
{
    struct meta_world other = meta_random(seed + 1000);
    p->w = meta_random(seed);
    p->w.n_jobs = p->w.n_jobs > 120 ? 120 : p->w.n_jobs;
    p->t0 = 3 * (int64_t)p->w.n_jobs;
    p->v = p->w;
    for (size_t i = 0; i < 20; i++) {
        struct meta_job *j = &p->v.job[p->v.n_jobs++];
        *j = other.job[i];
        j->submit = p->t0 + (int64_t)(i / 2);
        j->queue %= (uint32_t)p->v.n_queues;
        j->required = LEVEL_ANY;
    }
}

static void spoil_later(struct meta_pair *p) { p->t0 = INT64_MAX / NS_PER_S; }

/* Starts before t0, in either play. */
static size_t past_differs(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b,
                           int64_t *want_ns, int64_t *got_ns)
{
    int64_t t0_ns = p->t0 * NS_PER_S;
    for (size_t i = 0; i < p->w.n_jobs; i++) {
        int64_t x = a->job[i].start_ns, y = b->job[i].start_ns;
        *want_ns = x, *got_ns = y;
        if (x != y && ((x >= 0 && x < t0_ns) || (y >= 0 && y < t0_ns)))
            return i;
    }
    return ID_NONE;
}

static size_t earlier_differs(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b,
                              int64_t *want_ns, int64_t *got_ns)
{
    for (size_t i = 0; i < p->w.n_jobs; i++) {
        *want_ns = a->job[i].start_ns, *got_ns = b->job[i].start_ns;
        if (p->w.job[i].submit < p->t0 && *want_ns != *got_ns)
            return i;
    }
    return ID_NONE;
}

/* A placer that knows what jobs typically ask for knows of those to come. */
static bool knows_the_past_alone(const struct meta_combo *c)
{
    return !(c->placer->needs & SEES_TYPICAL);
}

/* Draws aside: later jobs cause passes, and a request that fails draws too. */
static bool strict_fifo(const struct meta_combo *c)
{
    return meta_strict_fifo_pool(c) && strcmp(c->placer->name, "random") && knows_the_past_alone(c);
}

/* ---- Two halves that share nothing: each plays as if alone ---- */

static void make_halves(struct meta_pair *p, uint64_t seed)
{
    struct meta_world *w = &p->w;
    *w = meta_random(seed);
    w->n_groups = w->n_queues = 2;
    for (uint32_t q = 0; q < 2; q++) {
        w->group[q] = meta_group(q ? "right" : "left", 4, 8);
        w->group[q].nodes_per_rack = 2;
        w->queue[q] = meta_queue(q ? "b" : "a");
        w->pin[q] = (struct pin_spec){ q, 4 };
    }
    size_t half = w->n_jobs / 2;
    for (size_t i = 0; i < w->n_jobs; i++)
        w->job[i].queue = (uint32_t)((i >= half) ^ (seed & 1));
    p->v = *w;
    p->v.n_jobs = half;
}

static void spoil_halves(struct meta_pair *p)
{
    memset(p->w.pin, 0, sizeof p->w.pin);
    memset(p->v.pin, 0, sizeof p->v.pin);
}

static bool line_per_queue(const struct meta_combo *c)
{
    return meta_is(c, "scope", "queue") && strcmp(c->placer->name, "random") && /* one stream of draws for both */
           !meta_policy_is(c, "gittins") && !meta_remembers(c);                  /* learn from both */
}

/* ---- A pass more, for jobs that are refused on arrival, decides nothing else: preemptions happen at once ---- */

static void make_more_passes(struct meta_pair *p, uint64_t seed)
{
    p->w = meta_random(seed);
    p->w.overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT };
    p->w.n_jobs = p->w.n_jobs > 100 ? 100 : p->w.n_jobs;
    p->v = p->w;
    for (size_t i = 0; i < 60; i++)
        p->v.job[p->v.n_jobs++] = (struct meta_job){ .submit = (int64_t)(i * p->w.n_jobs / 10 + i % 7), .duration = 1,
                                                     .gpus = 60000, .milli = MILLI_ALL, .required = LEVEL_ANY };
}

/* The same of jobs that outlive their estimate: what is expected of them is the clock's. */
static void make_late_passes(struct meta_pair *p, uint64_t seed)
{
    make_more_passes(p, seed);
    for (size_t i = 0; i < p->w.n_jobs; i++)
        p->w.job[i].estimate = p->v.job[i].estimate = p->w.job[i].duration / (int64_t)(1 + i % 4);
}

static void spoil_more_passes(struct meta_pair *p)
{
    for (size_t i = p->w.n_jobs; i < p->v.n_jobs; i++)
        p->v.job[i].gpus = 1, p->v.job[i].duration = 40;
}

/* Not where lines are apart: one's leavings are seen by the other in the next pass only. Draws
 * aside, and placers that take what is refused for typical. */
static bool one_line_gives_way(const struct meta_combo *c)
{
    return meta_preempts(c) && knows_the_past_alone(c) && meta_is(c, "scope", "pool") && strcmp(c->placer->name, "random");
}

static bool promises(const struct meta_combo *c)
{
    return meta_policy_is(c, "easy") || meta_policy_is(c, "conservative");
}

/* literal takes what is late as it stands at each pass, so a pass more may see more that is late.
 * Promises to many in another order are all looked at in each pass, and each look may find more. */
static bool plans_by_the_clock(const struct meta_combo *c)
{
    if (meta_policy_is(c, "conservative") && meta_is(c, "order", "shortest"))
        return false;
    return promises(c) && meta_is(c, "overrun", "extend") && knows_the_past_alone(c) && strcmp(c->placer->name, "random");
}

static size_t times_differ(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b,
                           int64_t *want_ns, int64_t *got_ns)
{
    for (size_t i = 0; i < p->w.n_jobs; i++) {
        *want_ns = a->job[i].end_ns, *got_ns = b->job[i].end_ns;
        if (*want_ns != *got_ns || a->job[i].start_ns != b->job[i].start_ns)
            return i;
    }
    return ID_NONE;
}

/* ---- Estimates never too short: a promise is kept ---- */

static void make_honest(struct meta_pair *p, uint64_t seed)
{
    p->w = meta_random(seed);
    for (size_t i = 0; i < p->w.n_jobs; i++)
        if (p->w.job[i].estimate >= 0)
            p->w.job[i].estimate = p->w.job[i].duration + (seed % 2 ? 0 : (int64_t)(i * 7 % 40));
    p->v = p->w;
}

static void make_known(struct meta_pair *p, uint64_t seed)
{
    make_honest(p, seed);
    for (size_t i = 0; i < p->w.n_jobs; i++)
        if (p->w.job[i].estimate < 0)
            p->w.job[i].estimate = p->w.job[i].duration + 5;
    p->v = p->w;
}

static void spoil_honest(struct meta_pair *p)
{
    for (size_t i = 0; i < p->w.n_jobs; i++)
        p->w.job[i].estimate = p->w.job[i].duration / 4;
}

static size_t promise_broken(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b,
                             int64_t *want_ns, int64_t *got_ns)
{
    (void)b;
    for (size_t i = 0; i < p->w.n_jobs; i++) {
        *want_ns = a->promise_ns[i], *got_ns = a->job[i].start_ns;
        if (*want_ns >= 0 && (*got_ns > *want_ns || *got_ns < 0))
            return i;
    }
    return ID_NONE;
}

int main(void)
{
    static const struct meta_row rows[] = {
        { "later jobs leave the past alone", 5, make_later, knows_the_past_alone, NULL, past_differs, spoil_later },
        { "strict fifo: and all earlier jobs", 30, make_later, strict_fifo, NULL, earlier_differs, spoil_later },
        { "two halves: each as if alone", 8, make_halves, line_per_queue, NULL, meta_starts_differ, spoil_halves },
        { "more passes: the same schedule", 6, make_more_passes, one_line_gives_way, NULL, times_differ, spoil_more_passes },
        { "more passes, jobs late: the same schedule", 40, make_late_passes, plans_by_the_clock, NULL, times_differ, spoil_more_passes },
        { "promises are kept, all estimates known", 40, make_known, promises, NULL, promise_broken, spoil_honest },
        { "promises are kept, some unknown", 40, make_honest, promises, NULL, promise_broken, spoil_honest },
    };
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, meta_holds, rows);
    ADD_ROWS(tests, n, meta_spoilt_is_noticed, rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
