/* test_meta_time.c - time has no scale and no origin; the same seed plays the same; names mean
 * nothing, nor do labels without rules. */
#include "tests/metamorphic/meta_property.h"

static struct meta_combo combo[META_COMBOS];
static size_t n_combos;

/* The first job with times other than factor x those of a, plus shift. ID_NONE: there is none.
 * Counts lost work too. */
static size_t differs(const struct meta_world *w, const struct meta_run *a, const struct meta_run *b, int64_t factor,
                      int64_t shift_s, int64_t *want_ns, int64_t *got_ns)
{
    for (size_t i = 0; i < w->n_jobs; i++) {
        const struct job_result *x = &a->job[i], *y = &b->job[i];
        int64_t shift_ns = shift_s * NS_PER_S;
        int64_t want[] = { x->start_ns < 0 ? -1 : x->start_ns * factor + shift_ns,
                           x->end_ns < 0 ? -1 : x->end_ns * factor + shift_ns, x->wait_ns * factor, x->run_ns * factor,
                           x->lost_ns * factor, x->overhead_ns * factor, x->preemptions, x->state, x->outcome };
        int64_t got[] = { y->start_ns, y->end_ns, y->wait_ns, y->run_ns, y->lost_ns, y->overhead_ns, y->preemptions,
                          y->state, y->outcome };
        for (size_t k = 0; k < COUNT(want); k++)
            if (want[k] != got[k]) {
                *want_ns = want[k], *got_ns = got[k];
                return i;
            }
        for (unsigned k = 0; k < WAIT_REASONS; k++)
            if (x->waits[k] * factor != y->waits[k]) {
                *want_ns = x->waits[k] * factor, *got_ns = y->waits[k];
                return i;
            }
    }
    return ID_NONE;
}

static struct meta_world same_world(struct meta_world w) { return w; }

static struct meta_world doubled(struct meta_world w)
{
    for (size_t i = 0; i < w.n_jobs; i++) {
        w.job[i].submit *= 2, w.job[i].duration *= 2;
        w.job[i].estimate *= w.job[i].estimate < 0 ? 1 : 2;
    }
    w.period *= 2;
    w.overhead.interval_ns *= 2, w.overhead.save_ns *= 2, w.overhead.grace_ns *= 2;
    w.overhead.start_ns *= 2, w.overhead.restart_ns *= 2;
    return w;
}

static struct meta_world shifted(struct meta_world w)
{
    for (size_t i = 0; i < w.n_jobs; i++)
        w.job[i].submit += 1234;
    return w;
}

static struct meta_world renamed(struct meta_world w)
{
    w.renamed = true;
    return w;
}

static struct meta_world labelled(struct meta_world w)
{
    w.labelled = true;
    return w;
}

/* Moments that do not fall on whole nanoseconds: a number of GPU-seconds on three GPUs; or that
 * do not scale: a pass a nanosecond after an eviction in no time, where there is no period, and the
 * end of a late job one nanosecond from now (overrun=literal). */
static bool rounds(const struct meta_combo *c)
{
    bool promises = meta_policy_is(c, "easy") || meta_policy_is(c, "conservative");
    if (promises && meta_is(c, "overrun", "literal"))
        return true;
    return meta_policy_is(c, "gittins") || meta_policy_is(c, "las2d") || meta_policy_is(c, "quota");
}

struct row {
    const char *name;
    struct meta_world (*change)(struct meta_world w);
    int64_t factor, shift, period;
};

/* A policy's own times scale too. */
static struct meta_combo scaled(const struct meta_combo *c, int64_t factor)
{
    struct meta_combo to = *c;
    for (const struct param *q = c->policy->params; q && q->name; q++)
        if (q->unit && (!strcmp(q->unit, "s") || !strcmp(q->unit, "GPU-s")))
            to.params[q->at / sizeof(double)] *= (double)factor;
    return to;
}

/* Every combination, some seeds; with `spoil` one duration is longer than it should be, and each
 * must notice. */
static void compare_all(const struct row *row, uint64_t seeds, bool spoil)
{
    struct meta_tally t = { .property = row->name };
    unsigned noticed = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct meta_world w = meta_random(seed);
        w.period = row->period && seed % 2 ? row->period : 0;
        struct meta_world v = row->change(w);
        for (size_t c = 0; c < n_combos; c++) {
            if (meta_policy_is(&combo[c], "slurm"))    /* plans in multiples of the clock: docs/schedulers.md f.8 */
                continue;
            if (row->factor != 1 && (rounds(&combo[c]) || meta_remembers(&combo[c])))
                continue;                                    /* Slurm's decay is by the second, its sizes by the minute */
            struct meta_combo other = scaled(&combo[c], row->factor);
            struct meta_run *a = meta_play(&w, &combo[c], seed);
            size_t i = 0;
            while (spoil && a->job[i].end_ns < 0)
                i++;
            v.job[i].duration += spoil;
            struct meta_run *b = meta_play(&v, &other, seed);
            v.job[i].duration -= spoil;
            int64_t want = 0, got = 0;
            size_t j = differs(&w, a, b, row->factor, row->shift, &want, &got);
            t.compared++;
            noticed += j != ID_NONE;
            if (!spoil && (j != ID_NONE || *a->error || *b->error))
                meta_broken(&t, &combo[c], seed, j, want, got);
            meta_free(a);
            meta_free(b);
        }
    }
    meta_verdict(&t);
    assert_int_equal(noticed, spoil ? t.compared : 0);
}

static void holds(void **state) { compare_all(*state, 4, false); }
static void spoilt_is_noticed(void **state) { compare_all(*state, 1, true); }

int main(void)
{
    static const struct row rows[] = {
        { "all times x2", doubled, 2, 0, 7 },
        { "all submits later", shifted, 1, 1234, 0 },
        { "the same seed", same_world, 1, 0, 7 },
        { "other names", renamed, 1, 0, 7 },
        { "labels of pods that no rule means", labelled, 1, 0, 7 },
    };
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    n_combos = meta_combos(combo);
    ADD_ROWS(tests, n, holds, rows);
    ADD_ROWS(tests, n, spoilt_is_noticed, rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
