/* forecast.h - the rate of requests that is to come, from that of each bin of time so far.
 *
 *   HOLT_WINTERS   additive, with the season of a day (Winters, Management Science 6(3), 1960):
 *                  level' = a (y - s) + (1 - a)(level + trend);  trend' = b (level' - level) + (1 - b) trend;
 *                  s' = g (y - level') + (1 - g) s;  h bins ahead: level + h trend + s of that bin of the day.
 *                  When the first day is over: level its mean, trend 0, s what each bin was above it
 *   DAILY_MAX      the most that the same bin of the day has had in the last `days` days
 *
 * As long as there is no full day (HOLT_WINTERS), or no such bin: as the last one. Before the first bin is over: 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum forecast_kind { FORECAST_HOLT_WINTERS, FORECAST_DAILY_MAX };
struct forecast_config {
    enum forecast_kind kind;
    int64_t bin_ns;               /* divides a day */
    double level, trend, season;  /* a, b, g of HOLT_WINTERS: 0 .. 1 */
    uint32_t days;                /* of DAILY_MAX */
};
extern const struct forecast_config forecast_defaults;       /* Holt-Winters, bins of 15 min, .3 .01 .3; 7 days: assumptions */

struct forecast;
struct forecast *forecast_new(const struct forecast_config *config);    /* borrowed */
void forecast_free(struct forecast *f);                      /* NULL: does nothing */
void forecast_observe(struct forecast *f, double rate);      /* that of the next bin; the first one is bin 0 */
double forecast_ahead(const struct forecast *f, uint32_t bins);    /* bins >= 1: 1 is the one after the last observed; never below 0 */
/* The most in the bins from now until `lead_ns` after the end of the next one: what is there then was asked for by its end. */
double forecast_most(const struct forecast *f, int64_t lead_ns);
