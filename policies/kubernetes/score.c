/* score.c - see score.h. */
#include "policies/kubernetes/score.h"

#include <math.h>

enum { MOST = 100, POINT_MOST = 10 };

int64_t kube_least_allocated(int64_t requested, int64_t capacity)
{
    return requested > capacity ? 0 : (capacity - requested) * MOST / capacity;
}

int64_t kube_most_allocated(int64_t requested, int64_t capacity)
{
    return (requested > capacity ? capacity : requested) * MOST / capacity;
}

int64_t kube_ratio(const struct kube_point *shape, size_t n, int64_t requested, int64_t capacity)
{
    int64_t used = requested > capacity ? MOST : requested * MOST / capacity;
    for (size_t i = 0; i < n; i++) {
        const struct kube_point *b = &shape[i], *a = b - 1;
        if (used > b->percent)
            continue;
        int64_t to = b->score * MOST / POINT_MOST;
        if (i == 0)
            return to;
        int64_t from = a->score * MOST / POINT_MOST;
        return from + (to - from) * (used - a->percent) / (b->percent - a->percent);
    }
    return shape[n - 1].score * MOST / POINT_MOST;
}

int64_t kube_mean(const int64_t *score, const int64_t *weight, size_t n)
{
    int64_t sum = 0, weights = 0;
    for (size_t i = 0; i < n; i++) {
        sum += score[i] * weight[i];
        weights += weight[i];
    }
    return weights ? sum / weights : 0;
}

int64_t kube_mean_of_scored(const int64_t *score, const int64_t *weight, size_t n)
{
    int64_t sum = 0, weights = 0;
    for (size_t i = 0; i < n; i++)
        if (score[i] > 0) {
            sum += score[i] * weight[i];
            weights += weight[i];
        }
    return weights ? (int64_t)lround((double)sum / (double)weights) : 0;
}

int64_t kube_balanced(const double *fraction, size_t n)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++)
        mean += fmin(1, fraction[i]) / (double)n;
    if (n == 2)
        return (int64_t)((1 - fabs(fmin(1, fraction[0]) - fmin(1, fraction[1])) / 2) * MOST);
    for (size_t i = 0; i < n; i++)
        variance += (fmin(1, fraction[i]) - mean) * (fmin(1, fraction[i]) - mean) / (double)n;
    return (int64_t)((1 - sqrt(variance)) * MOST);
}

int64_t kube_normalised(int64_t value, int64_t most, bool reversed)
{
    int64_t score = most ? value * MOST / most : 0;
    return reversed ? MOST - score : score;
}

double kube_spread(int64_t pods, int64_t domains, int64_t skew)
{
    return (double)pods * log((double)(domains + 2)) + (double)(skew - 1);
}

int64_t kube_rounded(double raw)
{
    return (int64_t)llround(raw);
}

int64_t kube_spread_normalised(int64_t value, int64_t least, int64_t most)
{
    return most ? MOST * (most + least - value) / most : MOST;
}

int64_t kube_between(int64_t value, int64_t least, int64_t most)
{
    return most > least ? (int64_t)(MOST * ((double)(value - least) / (double)(most - least))) : 0;
}

#define MIB ((int64_t)1 << 20)

int64_t kube_image(int64_t bytes, int64_t with, int64_t nodes)
{
    const int64_t least = 23 * MIB, most = 1000 * MIB;
    int64_t scaled = (int64_t)((double)bytes * ((double)with / (double)nodes));
    scaled = scaled < least ? least : scaled > most ? most : scaled;
    return MOST * (scaled - least) / (most - least);
}
