/* misfits.c - see misfits.h. */
#include "sim/base/misfits.h"

#include <stdbool.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The starts whose whole length ends by `end` are those before the answer. */
static int64_t ends_by(int64_t end, int64_t length)
{
    return end - length + 1;
}

static bool says_all_of(const struct misfit *a, const struct misfit *b)
{
    return a->need <= b->need && a->length <= b->length && a->after <= b->after &&
           a->until >= b->until && a->before <= b->before;
}

/* What helped moves half the way to the front: the last is the next to be forgotten. */
static void helped(struct misfits *m, size_t i)
{
    if (i == 0)
        return;
    struct misfit no = m->known[i];
    m->known[i] = m->known[i / 2];
    m->known[i / 2] = no;
}

/* The entry stays, behind the `kept` that do; most stay where they are. */
static size_t keep(struct misfits *m, size_t i, size_t kept)
{
    if (kept < i)
        m->known[kept] = m->known[i];
    return kept + 1;
}

void misfits_note(struct misfits *m, struct misfit no)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->n; i++)
        if (!says_all_of(&no, &m->known[i]))
            kept = keep(m, i, kept);
    m->n = kept < MISFITS_KEPT ? kept + 1 : MISFITS_KEPT;
    m->known[m->n - 1] = no;
    helped(m, m->n - 1);
}

int64_t misfits_until(struct misfits *m, int64_t need, int64_t length, int64_t before,
                      int64_t after, int64_t enough)
{
    int64_t until = after;
    for (size_t i = 0; i < m->n && until < enough; i++) {
        const struct misfit *no = &m->known[i];
        if (no->need > need || no->length > length || no->after > after)
            continue;
        int64_t known =
            before >= no->before ? no->until : least(no->until, ends_by(before, no->length));
        if (known <= until)
            continue;
        until = known;
        helped(m, i);
    }
    return until;
}

void misfits_freed(struct misfits *m, int64_t from)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->n && from != INT64_MIN; i++) {
        struct misfit *no = &m->known[i];
        if (no->before > from)
            no->until = least(no->until, ends_by(from, no->length));
        if (no->until > no->after)
            kept = keep(m, i, kept);
    }
    m->n = kept;
}
