/* forecast.c - see forecast.h. */
#include "sim/serving/forecast.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <math.h>
#include <stdlib.h>

#define DAY_NS (86400 * NS_PER_S)

struct forecast {
    const struct forecast_config *config;
    uint64_t n;                   /* bins observed */
    size_t bins;                  /* of a day */
    /* HOLT_WINTERS: [bins], on the first day rates, then s. DAILY_MAX: [days][bins], the last
     * days */
    double *day;
    double last, level, trend;
};

struct forecast *forecast_new(const struct forecast_config *config)
{
    struct forecast *f = mem_new(1, sizeof *f);
    size_t days = config->kind == FORECAST_DAILY_MAX ? config->days : 1;
    f->config = config;
    f->bins = (size_t)(DAY_NS / config->bin_ns);
    f->day = mem_new(days * f->bins, sizeof *f->day);
    return f;
}

void forecast_free(struct forecast *f)
{
    if (f) {
        free(f->day);
        free(f);
    }
}

/* ---- Holt-Winters ---- */

static void first_day_ends(struct forecast *f)
{
    for (size_t i = 0; i < f->bins; i++)
        f->level += f->day[i] / (double)f->bins;
    for (size_t i = 0; i < f->bins; i++)
        f->day[i] -= f->level;
}

static void smooth(struct forecast *f, double rate)
{
    const struct forecast_config *c = f->config;
    double *s = &f->day[f->n % f->bins], before = f->level;
    f->level = c->level * (rate - *s) + (1 - c->level) * (f->level + f->trend);
    f->trend = c->trend * (f->level - before) + (1 - c->trend) * f->trend;
    *s = c->season * (rate - f->level) + (1 - c->season) * *s;
}

/* ---- Both ---- */

void forecast_observe(struct forecast *f, double rate)
{
    if (f->config->kind == FORECAST_DAILY_MAX)
        f->day[f->n % (f->config->days * f->bins)] = rate;
    else if (f->n >= f->bins)
        smooth(f, rate);
    else
        f->day[f->n] = rate;
    f->last = rate;
    if (++f->n == f->bins && f->config->kind == FORECAST_HOLT_WINTERS)
        first_day_ends(f);
}

static double most_of_days(const struct forecast *f, uint64_t bin)
{
    uint64_t kept = f->config->days * f->bins, oldest = f->n > kept ? f->n - kept : 0;
    double most = 0;
    if (bin % f->bins >= f->n)
        return f->last;
    for (uint64_t b = bin % f->bins; b < f->n; b += f->bins)
        if (b >= oldest)
            most = fmax(most, f->day[b % kept]);
    return most;
}

double forecast_ahead(const struct forecast *f, uint32_t bins)
{
    uint64_t bin = f->n + bins - 1;
    if (f->config->kind == FORECAST_DAILY_MAX)
        return most_of_days(f, bin);
    return f->n < f->bins ? f->last : fmax(0, f->level + bins * f->trend + f->day[bin % f->bins]);
}

double forecast_most(const struct forecast *f, int64_t lead_ns)
{
    uint32_t last = 1 + (uint32_t)((lead_ns + f->config->bin_ns - 1) / f->config->bin_ns);
    double most = 0;
    for (uint32_t h = 1; h <= last; h++)
        most = fmax(most, forecast_ahead(f, h));
    return most;
}
