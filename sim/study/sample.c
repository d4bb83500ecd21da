/* sample.c - see sample.h. */
#include "sim/study/sample.h"

#include "sim/base/memory.h"
#include "sim/study/paired.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

enum { SHOWN_STEPS = 1500 };
static const double shown_ratio = 1.005;

void sample_add(struct sample *s, double value)
{
    mem_grow(&s->value, &s->capacity, s->n, sizeof *s->value);
    s->value[s->n++] = value;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct ranked { double value; size_t at; };

static int by_ranked_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

double sample_twice_ranks(const double *value, size_t n, uint64_t *twice)
{
    struct ranked *r = mem_new(n + 1, sizeof *r);
    double ties = 0;
    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranked){ value[i], i };
    qsort(r, n, sizeof *r, by_ranked_value);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && r[end].value == r[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            twice[r[k].at] = i + 1 + end;
        double t = (double)(end - i);
        ties += t * t * t - t;
    }
    free(r);
    return ties;
}

void sample_sort(struct sample *s)
{
    if (s->n)
        qsort(s->value, s->n, sizeof *s->value, by_value);
}

void sample_free(struct sample *s)
{
    free(s->value);
    *s = (struct sample){ 0 };
}

double sample_quantile(const struct sample *s, double p)
{
    return gsl_stats_quantile_from_sorted_data(s->value, 1, s->n, p);
}

size_t sample_steps(const struct sample *s, struct ecdf_step **step)
{
    size_t n = 0, capacity = 0, last_rank = 0;
    double last = 0;
    *step = NULL;
    for (size_t rank = 1; rank <= s->n; rank++) {
        double value = s->value[rank - 1];
        bool ends = rank == s->n || s->value[rank] != value;
        bool seen =
            rank == s->n || value > last * shown_ratio || (rank - last_rank) * SHOWN_STEPS >= s->n;
        if (!ends || !seen)
            continue;
        mem_grow(step, &capacity, n, sizeof **step);
        (*step)[n++] = (struct ecdf_step){ value, (double)rank / (double)s->n };
        last = value;
        last_rank = rank;
    }
    return n;
}

struct estimate estimate_mean(const double *value, size_t n)
{
    if (n < 2)
        return (struct estimate){ n ? value[0] : (double)NAN, 0, n };
    struct paired_t t = paired_t(value, n, 0.95);
    return (struct estimate){ t.mean, (t.interval.high - t.interval.low) / 2, n };
}
