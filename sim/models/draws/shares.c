/* shares.c - see shares.h. */
#include "sim/models/draws/shares.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

struct shares shares_of(const double *weight, size_t n)
{
    struct shares s = { n, mem_new(n, sizeof *s.up_to) };
    double sum = 0;
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        s.up_to[i] = sum += weight[i];
        if (weight[i] > 0)
            last = i;
    }
    for (size_t i = 0; i < n; i++)
        s.up_to[i] = i < last ? s.up_to[i] / sum : 1;
    return s;
}

struct shares shares_zipf(size_t n, double exponent)
{
    double *weight = mem_new(n, sizeof *weight);
    for (size_t k = 0; k < n; k++)
        weight[k] = pow((double)(k + 1), -exponent);
    struct shares s = shares_of(weight, n);
    free(weight);
    return s;
}

void shares_free(struct shares *s)
{
    free(s->up_to);
    *s = (struct shares){ 0 };
}

/* The first with u < up_to: one of weight 0 has the same as the one before it, and u > 0 passes
 * over it at the front. */
size_t shares_choose(const struct shares *s, double u)
{
    size_t from = 0, to = s->n - 1;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (u < s->up_to[middle])
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

double shares_of_one(const struct shares *s, size_t i)
{
    return s->up_to[i] - (i ? s->up_to[i - 1] : 0);
}
