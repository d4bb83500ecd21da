/* calendar.c - see calendar.h. */
#include "sim/models/draws/calendar.h"

#include "sim/base/units.h"

#include <math.h>

#define HOUR_S 3600.0
#define DAY_S  86400.0
#define NEVER_S 3.2e9             /* a hundred years */

const double calendar_helios_daily[24] = {
    .903, .842, .669, .592, .564, .553, .553, .504, .559, .809, 1.120, 1.236,
    1.200, 1.217, 1.330, 1.431, 1.500, 1.338, 1.098, 1.197, 1.313, 1.228, 1.142, 1.101,
};
const double calendar_usual_weekly[7] = { 1, 1, 1, 1, 1, .7, .7 };

struct calendar calendar_of(const double daily[24], const double weekly[7], double growth_per_day,
                            int64_t since_1970_ns)
{
    enum { THURSDAY = 3 };        /* 1970-01-01 was one */
    struct calendar c = { .growth_per_day = growth_per_day, .flat = growth_per_day == 0 };
    double sum = 0;
    for (int h = 0; h < WEEK_HOURS; h++)
        sum += c.factor[h] = daily[h % 24] * weekly[h / 24];
    for (int h = 0; h < WEEK_HOURS; h++) {
        c.factor[h] /= sum / WEEK_HOURS;
        c.most = fmax(c.most, c.factor[h]);
        c.flat = c.flat && fabs(c.factor[h] - 1) < 1e-12;
    }
    if (since_1970_ns != TIME_NEVER)
        c.first_hour =
            fmod(THURSDAY * 24 + (double)(since_1970_ns / NS_PER_S) / HOUR_S, WEEK_HOURS);
    return c;
}

/* Hours since the midnight before the week of time 0. */
static double hours_at(const struct calendar *c, double time_s)
{
    return c->first_hour + time_s / HOUR_S;
}

static double of_hour(const struct calendar *c, double time_s, double hour)
{
    double growth = c->growth_per_day != 0 ? pow(1 + c->growth_per_day, floor(time_s / DAY_S)) : 1;
    return c->factor[(int)fmod(hour, WEEK_HOURS)] * growth;
}

double calendar_factor(const struct calendar *c, double time_s)
{
    return c->flat ? 1 : of_hour(c, time_s, floor(hours_at(c, time_s)));
}

double calendar_bound(const struct calendar *c, double time_s, double *until_s)
{
    *until_s = INFINITY;
    if (c->growth_per_day == 0)
        return c->flat ? 1 : c->most;
    double day = floor(time_s / DAY_S);
    *until_s = (day + 1) * DAY_S;
    return c->most * pow(1 + c->growth_per_day, day);
}

double calendar_step(const struct calendar *c, double time_s, double *until_s)
{
    *until_s = INFINITY;
    if (c->flat)
        return 1;
    double hour = floor(hours_at(c, time_s)), next_s = (hour + 1 - c->first_hour) * HOUR_S;
    if (c->growth_per_day != 0)
        next_s = fmin(next_s, (floor(time_s / DAY_S) + 1) * DAY_S);
    *until_s = fmax(next_s, nextafter(time_s, INFINITY));
    return of_hour(c, time_s, hour);
}

double calendar_after(const struct calendar *c, double time_s, double amount)
{
    if (c->flat)
        return time_s + amount;
    while (time_s < NEVER_S) {
        double next_s, rate = calendar_step(c, time_s, &next_s);
        if (amount <= rate * (next_s - time_s))
            return time_s + amount / rate;
        amount -= rate * (next_s - time_s);
        time_s = next_s;
    }
    return INFINITY;
}
