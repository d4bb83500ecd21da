/* statistics.c - see statistics.h. */
#include "sim/results/statistics.h"

#include "sim/base/bulk.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void swap(int64_t *a, int64_t *b)
{
    int64_t t = *a;
    *a = *b;
    *b = t;
}

/* Hoare's FIND with the median of three: afterwards a[k] is the k-th smallest, none before it is larger, none behind
 * it smaller. */
static void select_kth(int64_t *a, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a[middle] < a[low])
            swap(&a[middle], &a[low]);
        if (a[high] < a[low])
            swap(&a[high], &a[low]);
        if (a[high] < a[middle])
            swap(&a[high], &a[middle]);
        int64_t pivot = a[middle];
        size_t i = low, j = high;
        for (;;) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&a[i++], &a[j--]);
        }
        size_t split = j;              /* a[low..split] <= pivot <= a[split+1..high] */
        if (i == j && a[j] == pivot && j == k)
            return;
        if (k <= split)
            high = split;
        else
            low = split + 1;
    }
}

/* The k-th smallest, and the next; INT64_MAX: there is none. */
struct neighbours { int64_t below, above; };

static struct neighbours neighbours_of(int64_t *a, size_t n, size_t k)
{
    select_kth(a, n, k);
    struct neighbours two = { a[k], INT64_MAX };
    for (size_t i = k + 1; i < n; i++)
        if (a[i] < two.above)
            two.above = a[i];
    return two;
}

/* ---- Of a bulk array ---- */

enum { BUCKETS = 1 << 14, FEW = 1 << 16 };

struct narrowing {
    const int64_t *array;
    size_t at, end;
    int64_t low, high;            /* the range, in one part of the numbers: both ends are in it */
    size_t before, inside;        /* elements below it, and in it */
    int64_t above;                /* the least above it */
    int64_t *kept;                /* [inside], of which there are n_kept; NULL: all are one value */
    size_t n_kept;
};

/* Where the block of a walk ends that begins at `from`; what lies before is given back. */
static size_t block_end(const struct narrowing *x, size_t from)
{
    bulk_drop(x->array, x->at, from, sizeof *x->array);
    return x->end - from > BULK_BLOCK ? from + BULK_BLOCK : x->end;
}

static void count_numbers(const struct narrowing *x, struct number_parts *parts)
{
    for (size_t from = x->at, to; from < x->end; from = to) {
        to = block_end(x, from);
        for (size_t i = from; i < to; i++)
            number_parts_add(parts, x->array[i]);
    }
}

static int64_t part_begins(uint32_t part)
{
    uint32_t first = part - 1, octave = first >> PART_BITS, rest = first & ((1 << PART_BITS) - 1);
    return part == 0 ? INT64_MIN : octave == 0 ? rest : (int64_t)(rest | 1 << PART_BITS) << (octave - 1);
}

static int64_t part_ends(uint32_t part)
{
    return part + 1 < PARTS_OF_NUMBERS ? part_begins(part + 1) - 1 : INT64_MAX;
}

/* To the part in which the k-th smallest lies. */
static void enter_part(struct narrowing *x, size_t k, const struct number_parts *parts)
{
    uint32_t part = 0;
    for (; x->before + parts->n[part] <= k; part++)
        x->before += parts->n[part];
    x->inside = parts->n[part];
    x->low = part_begins(part);
    x->high = part_ends(part);
}

static uint64_t width_of(const struct narrowing *x)
{
    return (uint64_t)x->high - (uint64_t)x->low;
}

/* The range is cut into equal pieces, each 2^shift wide, at most so many. */
static unsigned piece_shift(const struct narrowing *x)
{
    unsigned shift = 0;
    while (width_of(x) >> shift >= BUCKETS)
        shift++;
    return shift;
}

static void count_pieces(const struct narrowing *x, size_t *count)
{
    uint64_t wide = width_of(x);
    unsigned shift = piece_shift(x);
    memset(count, 0, BUCKETS * sizeof *count);
    for (size_t from = x->at, to; from < x->end; from = to) {
        to = block_end(x, from);
        for (size_t i = from; i < to; i++) {
            uint64_t place = (uint64_t)x->array[i] - (uint64_t)x->low;
            if (place <= wide)    /* not of one below: that is beyond all others */
                count[place >> shift]++;
        }
    }
}

/* To the piece in which the k-th smallest lies. */
static void make_narrower(struct narrowing *x, size_t k, const size_t *count)
{
    uint64_t wide = width_of(x);
    unsigned shift = piece_shift(x), b = 0;
    for (; x->before + count[b] <= k; b++)
        x->before += count[b];
    x->inside = count[b];
    x->low = (int64_t)((uint64_t)x->low + ((uint64_t)b << shift));
    uint64_t rest = wide - ((uint64_t)b << shift), piece = (UINT64_C(1) << shift) - 1;
    x->high = (int64_t)((uint64_t)x->low + (piece < rest ? piece : rest));
}

/* Until few lie in it. */
static void narrow_to(struct narrowing *x, size_t k, const struct number_parts *parts)
{
    size_t *count = mem_new(BUCKETS, sizeof *count);
    enter_part(x, k, parts);
    while (x->inside > FEW && x->low < x->high) {
        count_pieces(x, count);
        make_narrower(x, k, count);
    }
    free(count);
    x->above = INT64_MAX;
    x->kept = x->low < x->high ? mem_new(x->inside, sizeof *x->kept) : NULL;
    x->n_kept = 0;
}

/* The parts in which something of these ranges may be, or the least above one. */
static void mark_parts(const struct number_parts *parts, const struct narrowing *x, size_t n, bool *marked)
{
    for (size_t k = 0; k < n; k++) {
        uint32_t i = part_of_number(x[k].low);
        marked[i] = true;
        do
            i++;
        while (i < PARTS_OF_NUMBERS && !parts->n[i]);
        if (i < PARTS_OF_NUMBERS)
            marked[i] = true;
    }
}

/* Of each of these ranges: copies what lies in it, if that is not one value, and finds the least above it. */
static void collect(const struct narrowing *all, const struct number_parts *parts, struct narrowing *x, size_t n)
{
    bool marked[PARTS_OF_NUMBERS] = { false };
    mark_parts(parts, x, n, marked);
    for (size_t from = all->at, to; from < all->end; from = to) {
        to = block_end(all, from);
        for (size_t i = from; i < to; i++) {
            const int64_t value = all->array[i];
            if (!marked[part_of_number(value)])
                continue;
            for (size_t k = 0; k < n; k++) {
                if (value > x[k].high)
                    x[k].above = value < x[k].above ? value : x[k].above;
                else if (value >= x[k].low && x[k].kept)
                    x[k].kept[x[k].n_kept++] = value;
            }
        }
    }
}

static struct neighbours neighbours_in(const struct narrowing *x, size_t k)
{
    struct neighbours two = { x->low, x->low };
    if (x->kept)
        two = neighbours_of(x->kept, x->inside, k - x->before);
    if (k + 1 == x->before + x->inside)
        two.above = x->above;
    return two;
}

/* ---- Type 7 ---- */

static double between(struct neighbours two, double share)
{
    double below = (double)two.below;
    return share > 0 ? below + share * ((double)two.above - below) : below;
}

/* Where the quantile lies in the sorted sample, counted from 0: between two places. */
static double place_of(size_t n, double p)
{
    return (double)(n - 1) * p;
}

double quantile(int64_t *sample, size_t n, double p)
{
    double h = place_of(n, p), k = floor(h);
    return between(neighbours_of(sample, n, (size_t)k), h - k);
}

/* Of a copy, as what is written to a page of a file costs more. */
static void quantiles_of_few(const int64_t *array, size_t at, size_t n, const double *p, double *value, size_t count)
{
    if (!count)
        return;
    int64_t *copy = memcpy(mem_resize(NULL, n, sizeof *copy), array + at, n * sizeof *copy);
    bulk_drop(array, at, at + n, sizeof *array);
    for (size_t i = 0; i < count; i++)
        value[i] = quantile(copy, n, p[i]);
    free(copy);
}

void quantiles_of_part(const int64_t *array, size_t at, size_t n, const struct number_parts *counted, const double *p, double *value,
                       size_t count)
{
    struct narrowing all = { .array = array, .at = at, .end = at + n, .inside = n };
    if (n <= FEW) {
        quantiles_of_few(array, at, n, p, value, count);
        return;
    }
    struct number_parts *own = counted ? NULL : mem_new(1, sizeof *own);
    const struct number_parts *parts = counted ? counted : own;
    struct narrowing *of = mem_new(count + 1, sizeof *of);
    if (own)
        count_numbers(&all, own);
    for (size_t i = 0; i < count; i++) {
        of[i] = all;
        narrow_to(&of[i], (size_t)place_of(n, p[i]), parts);
    }
    collect(&all, parts, of, count);
    for (size_t i = 0; i < count; i++) {
        double h = place_of(n, p[i]), k = floor(h);
        value[i] = between(neighbours_in(&of[i], (size_t)k), h - k);
        free(of[i].kept);
    }
    free(of);
    free(own);
    bulk_drop(array, at, at + n, sizeof *array);
}

double jain_index(const double *x, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    return squares > 0 ? sum * sum / ((double)n * squares) : (double)NAN;
}

void sum_add(struct exact_sum *s, double x)
{
    double t = s->sum + x;
    s->rest += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
    s->sum = t;
}

double sum_value(const struct exact_sum *s)
{
    return s->sum + s->rest;
}
