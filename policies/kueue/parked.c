/* parked.c - which shapes may have hope again. See parked.h. */
#include "policies/kueue/parked.h"
#include "policies/kueue/fair.h"
#include "sim/contract/util/minmax.h"

static void count_in(const struct cohort_books *b, struct parked *p, uint32_t shape)
{
    for (uint32_t cell = 0; cell < b->cells; cell++) {
        int64_t lacks = p->lacks[(size_t)shape * b->cells + cell];
        if (lacks != PARKED_NOT_ASKED)
            p->least[cell] = min_i64(p->least[cell], lacks);
    }
}

void parked_keep(const struct cohort_books *b, struct parked *p, uint32_t n)
{
    p->n = n;
    p->with_at = 0;
    for (uint32_t cell = 0; cell < b->cells; cell++)
        p->least[cell] = PARKED_NEVER;
    for (uint32_t i = 0; i < n; i++)
        count_in(b, p, i);
}

void parked_add(const struct cohort_books *b, struct parked *p)
{
    count_in(b, p, p->n++);
    p->with_at = 0;
}

struct hope { struct cohort_search *s; struct parked *p; uint32_t queue; };

/* So much may be available, or owed. */
static bool has_hope(const struct hope *h, uint32_t cell, int64_t lacks)
{
    bool more_above;
    if (lacks == PARKED_NEVER)
        return false;
    if (lacks <= cohort_available(h->s->books, h->queue, cell))
        return true;
    if (!h->p->reclaims)
        return false;
    cohort_borrow_height(h->s->books, h->queue, cell, lacks, &more_above);
    return more_above;
}

/* Or taken from others by shares. */
static bool may_have(const struct hope *h, uint32_t cell, int64_t lacks)
{
    if (has_hope(h, cell, lacks))
        return true;
    if (!h->p->by_shares || lacks == PARKED_NEVER)
        return false;
    return lacks == 0 ||
           cohort_fair_may_take(h->s, h->queue, cohort_fair_with(h->s, h->queue, cell, lacks));
}

/* The queue's share with the least of all; true: there is hope whatever that is. */
static bool least_share(const struct hope *h)
{
    struct parked *p = h->p;
    uint64_t version = h->s->books->version[h->queue];
    bool known = p->with_at == version, first = true;
    for (uint32_t cell = 0; cell < h->s->books->cells; cell++) {
        if (p->least[cell] == 0)
            return true;
        if (known || p->least[cell] == PARKED_NEVER)
            continue;
        struct cohort_share with = cohort_fair_with(h->s, h->queue, cell, p->least[cell]);
        if (first || cohort_share_compare(with, p->with) < 0)
            p->with = with;
        first = false;
    }
    p->with_at = version;
    return !known && first;
}

static bool any_has_hope(const struct hope *h)
{
    if (h->p->by_shares && (least_share(h) || cohort_fair_may_take(h->s, h->queue, h->p->with)))
        return true;
    for (uint32_t cell = 0; cell < h->s->books->cells; cell++)
        if (has_hope(h, cell, h->p->least[cell]))
            return true;
    return false;
}

static bool shape_has_hope(const struct hope *h, const int64_t *lacks)
{
    const uint32_t cells = h->s->books->cells, resources = h->s->books->resources;
    bool all = false;
    for (uint32_t cell = 0; cell < cells && !all; cell += resources) {
        all = true;
        for (uint32_t r = cell; r < cell + resources && all; r++)
            all = lacks[r] == PARKED_NOT_ASKED || may_have(h, r, lacks[r]);
    }
    return all;
}

uint32_t parked_first_hope(struct cohort_search *s, struct parked *p, uint32_t queue,
                           uint32_t from)
{
    const struct hope h = { s, p, queue };
    if (!any_has_hope(&h))
        return PARKED_SLEEPS;
    for (uint32_t i = from; i < p->n; i++)
        if (shape_has_hope(&h, &p->lacks[(size_t)i * s->books->cells]))
            return i;
    return PARKED_SLEEPS;
}
