/* series.c - see series.h. */
#include "sim/study/series.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

static const double rounding = 1e-9;

/* The integral from at_s on goes to the steps it lies in. */
static void fill(struct series *l, const struct steps *steps, double to_s)
{
    double width = steps->length_s / (double)steps->n;
    l->integral += l->value * (to_s - l->at_s);
    for (size_t k = steps->n ? (size_t)(l->at_s / width) : 0;
         l->value != 0 && k < steps->n && (double)k * width < to_s; k++) {
        double from = fmax(l->at_s, (double)k * width), to = fmin(to_s, (double)(k + 1) * width);
        if (to > from)
            l->mean[k] += l->value * (to - from);
    }
    l->at_s = to_s;
}

static void add_change(struct series *l, double at_s, double value)
{
    struct level_change *last = l->n_changes ? &l->change[l->n_changes - 1] : NULL;
    if (last && last->at_s == at_s) {
        last->value = value;
        return;
    }
    if (last && fabs(last->value - value) <= rounding * fabs(value))
        return;
    mem_grow(&l->change, &l->capacity, l->n_changes, sizeof *l->change);
    l->change[l->n_changes++] = (struct level_change){ at_s, value };
}

void series_set(struct series *l, const struct steps *steps, double at_s, double value)
{
    if (steps->length_s > 0 && at_s > steps->length_s)
        return;
    if (!l->mean && steps->n)
        l->mean = mem_new(steps->n, sizeof *l->mean);
    if (at_s > l->at_s)
        fill(l, steps, at_s);
    if (!steps->n)
        add_change(l, at_s, value);
    l->value = value;
    l->any = true;
}

void series_end(struct series *l, const struct steps *steps, double end_s)
{
    double width = steps->length_s / (double)steps->n;
    if (!l->any)
        return;
    if (end_s > l->at_s)
        fill(l, steps, end_s);
    for (size_t k = 0; k < steps->n; k++) {
        double from = (double)k * width, to = fmin(end_s, from + width);
        l->mean[k] = to > from ? l->mean[k] / (to - from) : (double)NAN;
        if (to > from)
            add_change(l, from, l->mean[k]);
    }
}

void series_free(struct series *l)
{
    free(l->mean);
    free(l->change);
    *l = (struct series){ 0 };
}
