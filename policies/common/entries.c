/* entries.c - a table with open addresses, at most half full. See entries.h. */
#include "policies/common/entries.h"
#include "sim/contract/util/array.h"

_Static_assert(ID_NONE == UINT32_MAX, "an empty slot has number 0, and 0 - 1 is no entry");

static void grow(struct sched *s, struct entries *e)
{
    const struct entry_slot *old = e->slot;
    size_t n = e->size;
    e->size = n ? 2 * n : 32;
    e->slot = sched_alloc(s, e->size * sizeof *e->slot);
    for (size_t i = 0; i < n; i++)
        if (old[i].number)
            *entries_slot(e, old[i].job) = old[i];
}

uint32_t entries_join(struct sched *s, struct entries *e, job_id j, bool *is_new)
{
    if (2 * (e->n + 1) > e->size)
        grow(s, e);
    struct entry_slot *slot = entries_slot(e, j);
    *is_new = slot->number == 0;
    if (*is_new) {
        uint32_t entry = e->n_spare ? e->spare[--e->n_spare] : (uint32_t)e->n_given++;
        *slot = (struct entry_slot){ j, entry + 1 };
        e->n++;
    }
    return slot->number - 1;
}

/* What stands behind it because its own place was taken moves up. */
static void empty_slot(struct entries *e, size_t at)
{
    size_t mask = e->size - 1;
    e->slot[at].number = 0;
    for (size_t i = (at + 1) & mask; e->slot[i].number; i = (i + 1) & mask) {
        size_t home = entries_home(e, e->slot[i].job);
        if (((i - home) & mask) < ((i - at) & mask))
            continue;
        e->slot[at] = e->slot[i];
        e->slot[i].number = 0;
        at = i;
    }
}

uint32_t entries_leave(struct sched *s, struct entries *e, job_id j)
{
    uint32_t entry = entries_find(e, j);
    if (entry == ID_NONE)
        return entry;
    empty_slot(e, (size_t)(entries_slot(e, j) - e->slot));
    e->spare =
        array_grown(sched_alloc, s, e->spare, &e->spare_capacity, e->n_spare, sizeof *e->spare);
    e->spare[e->n_spare++] = entry;
    e->n--;
    return entry;
}
