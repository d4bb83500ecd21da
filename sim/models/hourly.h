/* hourly.h - a number that changes at the hours of the trace's clock (e.g. grams of CO2 a kWh),
 * integrated exactly.
 *
 * Value k holds from 3600 k to 3600 (k + 1) seconds; after the last the series begins anew, so 24
 * values are a day. One value is a constant. From a CSV file with a header: the column of the given
 * name has a value for each hour; an optional column `hour` must count 0, 1, 2, ... */
#pragma once
#include "sim/base/error.h"
#include "sim/base/units.h"

#define HOURLY_SCALE 1000         /* values are thousandths */
#define HOURLY_MOST  (24 * 366 * 10)
struct hourly {
    size_t n;
    int64_t *milli;               /* [n], at least 0 */
    int128_t *before;             /* [n + 1] integral from 0 to the hour, thousandths x ns */
};

struct hourly hourly_constant(int64_t milli);
/* 0, or -1 with err and nothing to free. Values from 0 to `most`, whole. */
int hourly_read(const char *path, const char *column, int64_t most, struct hourly *to,
                struct error *err);
/* The same with values from `least` on, below 0, too, each kept as law(self, value in thousandths). */
int hourly_read_as(const char *path, const char *column, int64_t least, int64_t most,
                   int64_t (*law)(void *self, int64_t milli), void *self, struct hourly *to,
                   struct error *err);
/* a x b hour by hour, rounded to thousandths; as long as both take to begin anew together. -1 with
 * err: that is longer than HOURLY_MOST. */
int hourly_product(const struct hourly *a, const struct hourly *b, struct hourly *to,
                   struct error *err);
void hourly_free(struct hourly *h);
int64_t hourly_milli(const struct hourly *h, int64_t time_ns);    /* from then on */
/* When it first has another value than then; TIME_NEVER: it has one value alone. */
int64_t hourly_change_ns(const struct hourly *h, int64_t time_ns);
/* integral from 0 to then, thousandths x ns */
int128_t hourly_until(const struct hourly *h, int64_t time_ns);
