/* series.c - see series.h. */
#include "sim/cli/report/series.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* The integral from at_s on goes to the steps it lies in. */
static void fill(struct series *l, const struct steps *steps, double to_s)
{
    double width = steps->length_s / (double)steps->n;
    for (size_t k = (size_t)(l->at_s / width); l->value != 0 && k < steps->n && (double)k * width < to_s; k++) {
        double from = fmax(l->at_s, (double)k * width), to = fmin(to_s, (double)(k + 1) * width);
        if (to > from)
            l->mean[k] += l->value * (to - from);
    }
    l->at_s = to_s;
}

void series_set(struct series *l, const struct steps *steps, double at_s, double value)
{
    if (!l->mean)
        l->mean = mem_new(steps->n, sizeof *l->mean);
    if (at_s > l->at_s)
        fill(l, steps, at_s);
    l->value = value;
    l->any = true;
}

void series_end(struct series *l, const struct steps *steps, double end_s)
{
    double width = steps->length_s / (double)steps->n;
    if (!l->mean)
        return;
    if (end_s > l->at_s)
        fill(l, steps, end_s);
    for (size_t k = 0; k < steps->n; k++) {
        double from = (double)k * width, to = fmin(end_s, from + width);
        l->mean[k] = to > from ? l->mean[k] / (to - from) : (double)NAN;
    }
}

void series_free(struct series *l)
{
    free(l->mean);
    *l = (struct series){ 0 };
}
