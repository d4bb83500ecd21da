/* gittins_law.c - the steepest slopes of a curve of points, from right to left. See
 * gittins_law.h. */
#include "policies/orders/gittins_law.h"
#include "sim/contract/util/array.h"

#include <math.h>

static double slope(const struct gittins_law *law, double x, double y, uint32_t to)
{
    return (law->y[to] - y) / (law->x[to] - x);
}

void gittins_learn(struct gittins_law *law, const double *service, size_t n)
{
    law->n = 1;
    law->service[0] = law->x[0] = law->y[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && service[i + 1] <= service[i])
            continue;             /* equal ones are one point */
        size_t k = law->n++;
        law->service[k] = service[i];
        law->y[k] = (double)(i + 1) / (double)n;
        law->x[k] = law->x[k - 1] +
                    (service[i] - law->service[k - 1]) * (1 - (law->y[k] + law->y[k - 1]) / 2);
    }
    uint32_t last = (uint32_t)law->n - 1;
    law->next[last] = last;
    law->index[last] = 0;
    for (uint32_t k = last; k-- > 0;) {
        uint32_t to = k + 1;
        while (to != last && slope(law, law->x[k], law->y[k], law->next[to]) >
                                 slope(law, law->x[k], law->y[k], to))
            to = law->next[to];
        law->next[k] = to;
        law->index[k] = slope(law, law->x[k], law->y[k], to);
    }
    law->lower[last] = last;
    for (uint32_t k = last; k-- > 0;) {
        uint32_t to = k + 1;
        while (to != last && law->index[to] >= law->index[k])
            to = law->lower[to];
        law->lower[k] = to;
    }
    law->n_stages = 0;
    for (uint32_t k = 0;; k = law->next[k]) {
        law->stage[law->n_stages++] = k;
        if (k == last)
            return;
    }
}

struct reached { const struct gittins_law *law; double service; };

static bool stage_not_beyond(const void *stage, const void *reached)
{
    const struct reached *r = reached;
    return r->law->service[*(const uint32_t *)stage] <= r->service;
}

/* The last point not beyond: by steps that double from the one near, then by halves. The first point
 * is of service 0. */
static uint32_t point_before(const struct gittins_law *law, double service, uint32_t *near)
{
    uint32_t n = (uint32_t)law->n, low = *near < n ? *near : 0, high = low, step = 1;
    if (law->service[low] <= service) {
        for (high = low + 1; high < n && law->service[high] <= service; step *= 2) {
            low = high;
            high += step;
        }
        high = high < n ? high : n;
    } else {
        for (; law->service[low] > service; step *= 2) {
            high = low;
            low = low > step ? low - step : 0;
        }
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (law->service[middle] <= service)
            low = middle;
        else
            high = middle;
    }
    return *near = low;
}

/* Behind point k. */
static double index_from(const struct gittins_law *law, uint32_t k, double service)
{
    uint32_t last = (uint32_t)law->n - 1;
    if (k == last)
        return 0;
    double into = service - law->service[k], part = into / (law->service[k + 1] - law->service[k]);
    double y = law->y[k] + part * (law->y[k + 1] - law->y[k]),
           x = law->x[k] + into * (1 - (law->y[k] + y) / 2);
    uint32_t to = k + 1;
    double best = slope(law, x, y, to);
    for (double further; to != last && (further = slope(law, x, y, law->next[to])) > best;
         best = further)
        to = law->next[to];
    return best;
}

double gittins_index(const struct gittins_law *law, double service, uint32_t *near)
{
    return index_from(law, point_before(law, service, near), service);
}

/* How far before point k a slope to it may be off by more than a millionth: both are differences of
 * sums with a relative error of 2^-52, and the x of the last point comes up ever more slowly. */
static double blurred_before(const struct gittins_law *law, uint32_t k)
{
    double gap = law->service[k] - law->service[k - 1], y = law->y[k] - law->y[k - 1],
           x = law->x[k] - law->x[k - 1];
    return gap * fmax(1e-9 * (law->y[k] / y + law->x[k] / x), k + 1 == law->n ? 1e-3 : 0);
}

double gittins_falls_to(const struct gittins_law *law, double service, double index, uint32_t *near)
{
    uint32_t k = point_before(law, service, near) + 1, last = (uint32_t)law->n - 1;
    double below = index * (1 + 1e-6), surely_above = index * (1 + 3e-6);
    if (k > last || service >= law->service[k] - blurred_before(law, k))
        return service;
    if (law->index[k - 1] <= surely_above && index_from(law, k - 1, service) <= below)
        return service;
    while (k < last && law->index[k] > below)
        k = law->lower[k];
    return fmax(service, law->service[k] - blurred_before(law, k));
}

double gittins_blurs_at(const struct gittins_law *law, double service, uint32_t *near)
{
    uint32_t k = point_before(law, service, near) + 1;
    return k < law->n ? fmax(service, law->service[k] - blurred_before(law, k)) : INFINITY;
}

uint32_t gittins_stage(const struct gittins_law *law, double service)
{
    struct reached r = { law, service };
    return (uint32_t)lower_bound(law->stage, law->n_stages, sizeof *law->stage, &r,
                                 stage_not_beyond) -
           1;
}

double gittins_stage_index(const struct gittins_law *law, uint32_t stage)
{
    if (stage + 1 >= law->n_stages)
        return 0;
    return law->index[law->stage[stage]];
}

double gittins_stage_end(const struct gittins_law *law, uint32_t stage)
{
    return stage + 1 < law->n_stages ? law->service[law->stage[stage + 1]] : INFINITY;
}
