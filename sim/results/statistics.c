/* statistics.c - see statistics.h. */
#include "sim/results/statistics.h"

#include <math.h>

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

double quantile(int64_t *sample, size_t n, double p)
{
    double h = (double)(n - 1) * p;
    size_t k = (size_t)floor(h);
    select_kth(sample, n, k);
    double below = (double)sample[k];
    if (k + 1 >= n || h == floor(h))
        return below;
    int64_t above = sample[k + 1];
    for (size_t i = k + 2; i < n; i++)
        if (sample[i] < above)
            above = sample[i];
    return below + (h - (double)k) * ((double)above - below);
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
