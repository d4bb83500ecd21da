/* meta_property.h - properties: two plays that must agree in some way, for every combination
 * that the property speaks of; and each spoilt, which must be noticed. */
#pragma once
#include "tests/metamorphic/meta_play.h"

struct meta_tally { const char *property; unsigned compared, broken; };

static inline void meta_broken(struct meta_tally *t, const struct meta_combo *c, uint64_t seed, size_t job,
                               int64_t want_ns, int64_t got_ns)
{
    if (t->broken++ < 10)
        print_error("%s: %s seed %llu job %zu: want %.9g s, got %.9g s\n", t->property, c->name,
                    (unsigned long long)seed, job, (double)want_ns / NS_PER_S, (double)got_ns / NS_PER_S);
}

static inline void meta_verdict(const struct meta_tally *t)
{
    if (t->broken || !t->compared)
        fail_msg("%s: %u of %u broken", t->property, t->broken, t->compared);
}

struct meta_pair { struct meta_world w, v; int64_t t0; };
struct meta_row {
    const char *name;
    uint64_t seeds;
    void (*make)(struct meta_pair *p, uint64_t seed);
    bool (*applies)(const struct meta_combo *c);
    void (*partner)(struct meta_combo *c);      /* the other policy or placer, for v; NULL: the same */
    size_t (*broken)(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b, int64_t *want_ns,
                     int64_t *got_ns);          /* the first job that disagrees; ID_NONE: all is well */
    void (*spoil)(struct meta_pair *p);         /* makes it false */
};

static inline bool meta_row_plays(const struct meta_row *row, const struct meta_combo *c, uint64_t seed, bool spoil,
                                  struct meta_tally *t)
{
    struct meta_pair *p = calloc(1, sizeof *p);
    struct meta_combo other = *c;
    int64_t want = 0, got = 0;
    row->make(p, seed);
    if (spoil)
        row->spoil(p);
    if (row->partner)
        row->partner(&other);
    struct meta_run *a = meta_play(&p->w, c, seed), *b = meta_play(&p->v, &other, seed);
    size_t j = row->broken(p, a, b, &want, &got);
    t->compared++;
    if (!spoil && (j != ID_NONE || *a->error || *b->error))
        meta_broken(t, c, seed, j, want, got);
    meta_free(a);
    meta_free(b);
    free(p);
    return j != ID_NONE;
}

static inline void meta_row_test(const struct meta_row *row, bool spoil)
{
    static struct meta_combo list[META_COMBOS];
    struct meta_tally t = { .property = row->name };
    size_t n = meta_combos(list);
    unsigned blind = 0;
    for (size_t i = 0; i < n; i++) {
        bool noticed = false;
        if (!row->applies(&list[i]))
            continue;
        for (uint64_t seed = 1; seed <= row->seeds && !(spoil && noticed); seed++)
            noticed = meta_row_plays(row, &list[i], seed, spoil, &t) || noticed;
        blind += spoil && !noticed;
    }
    meta_verdict(&t);
    assert_int_equal(blind, 0);         /* combinations under which the spoilt property seems to hold */
}

static inline void meta_holds(void **state) { meta_row_test(*state, false); }
static inline void meta_spoilt_is_noticed(void **state) { meta_row_test(*state, true); }

static inline bool meta_any(const struct meta_combo *c)
{
    (void)c;
    return true;
}

static inline size_t meta_starts_differ(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b,
                                        int64_t *want_ns, int64_t *got_ns)
{
    for (size_t i = 0; i < p->w.n_jobs && i < p->v.n_jobs; i++) {
        *want_ns = a->job[i].start_ns, *got_ns = b->job[i].start_ns;
        if (*want_ns != *got_ns)
            return i;
    }
    return ID_NONE;
}
