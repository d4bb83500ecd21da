/* freed.c - see freed.h. */
#include "sim/base/freed.h"

#include "sim/base/memory.h"

#include <stdlib.h>

void freed_note(struct freed *f, int64_t until_ns)
{
    while (f->n && f->note[f->n - 1].until_ns <= until_ns)
        f->n--;
    mem_grow(&f->note, &f->capacity, f->n, sizeof *f->note);
    f->note[f->n++] = (struct freed_note){ ++f->count, until_ns };
}

int64_t freed_since(const struct freed *f, uint64_t count)
{
    size_t low = 0, high = f->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->note[middle].count <= count)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->n ? f->note[low].until_ns : INT64_MIN;
}

void freed_free(struct freed *f)
{
    free(f->note);
}
