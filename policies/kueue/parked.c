/* parked.c - which shapes may have hope again. See parked.h. */
#include "policies/kueue/parked.h"
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
    for (uint32_t cell = 0; cell < b->cells; cell++)
        p->least[cell] = PARKED_NEVER;
    for (uint32_t i = 0; i < n; i++)
        count_in(b, p, i);
}

void parked_add(const struct cohort_books *b, struct parked *p)
{
    count_in(b, p, p->n++);
}

/* So much may be available, or owed. */
static bool has_hope(const struct cohort_books *b, const struct parked *p, uint32_t queue,
                     uint32_t cell, int64_t lacks)
{
    bool more_above;
    if (lacks == PARKED_NEVER)
        return false;
    if (lacks <= cohort_available(b, queue, cell))
        return true;
    cohort_borrow_height(b, queue, cell, lacks, &more_above);
    return p->reclaims && more_above;
}

static bool any_has_hope(const struct cohort_books *b, const struct parked *p, uint32_t queue)
{
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (has_hope(b, p, queue, cell, p->least[cell]))
            return true;
    return false;
}

static bool shape_has_hope(const struct cohort_books *b, const struct parked *p, uint32_t queue,
                           const int64_t *lacks)
{
    bool all = false;
    for (uint32_t cell = 0; cell < b->cells && !all; cell += b->resources) {
        all = true;
        for (uint32_t r = cell; r < cell + b->resources && all; r++)
            all = lacks[r] == PARKED_NOT_ASKED || has_hope(b, p, queue, r, lacks[r]);
    }
    return all;
}

uint32_t parked_first_hope(const struct cohort_books *b, const struct parked *p, uint32_t queue,
                           uint32_t from)
{
    if (!any_has_hope(b, p, queue))
        return PARKED_SLEEPS;
    for (uint32_t i = from; i < p->n; i++)
        if (shape_has_hope(b, p, queue, &p->lacks[(size_t)i * b->cells]))
            return i;
    return PARKED_SLEEPS;
}
