/* forecast.h - the future rate of requests, from the rate of each bin of time so far.
 *
 *   HOLT_WINTERS   additive, with the season of a day (Winters, Management Science 6(3), 1960):
 *                  level' = a (y - s) + (1 - a)(level + trend);  trend' = b (level' - level) + (1 -
 *                  b) trend; s' = g (y - level') + (1 - g) s;  h bins ahead: level + h trend + s of
 *                  that bin of the day. At the end of the first day: level its mean, trend 0, s
 *                  each bin minus the level
 *   DAILY_MAX      the maximum of the same bin of the day in the last `days` days
 *
 * Without a full day (HOLT_WINTERS) or such a bin: the last rate. Before the end of the first bin:
 * 0. */
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

struct forecast;
struct forecast *forecast_new(const struct forecast_config *config);    /* borrowed */
void forecast_free(struct forecast *f);                      /* NULL: does nothing */
void forecast_observe(struct forecast *f, double rate);      /* of the next bin, from bin 0 on */
/* bins >= 1: 1 is the bin after the last observed; at least 0 */
double forecast_ahead(const struct forecast *f, uint32_t bins);
/* Maximum over the bins from now to lead_ns after the end of the next bin: replicas requested by
 * its end are ready then. */
double forecast_most(const struct forecast *f, int64_t lead_ns);
