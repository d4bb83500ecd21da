/* calendar.h - how the rate of arrivals goes up and down with the hour and the day of the week,
 * UTC.
 *
 * rate(t) = rate of the first day x d(hour) x w(weekday) x (1 + growth)^(days since the start),
 * constant within an hour. d and w have mean 1 over a week. Without a date of the start, time 0 is
 * a Monday, 00:00. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define WEEK_HOURS 168
struct calendar {
    double factor[WEEK_HOURS];    /* d x w, from Monday 00:00; mean 1 */
    double most;                  /* of them */
    double first_hour;            /* into the week, at time 0; with its fraction */
    double growth_per_day;
    bool   flat;                  /* all factors are 1, no growth */
};
/* d and w: weights, divided here by their means. since_1970_ns: the date of time 0; TIME_NEVER: a
 * Monday. */
struct calendar calendar_of(const double daily[24], const double weekly[7], double growth_per_day,
                            int64_t since_1970_ns);
/* rate(t) / the rate of the first day */
double calendar_factor(const struct calendar *c, double time_s);
/* the same, constant until *until_s, a later time */
double calendar_step(const struct calendar *c, double time_s, double *until_s);
/* The least bound of calendar_factor() from then until *until_s, a later time. */
double calendar_bound(const struct calendar *c, double time_s, double *until_s);
/* The time at which the integral of calendar_factor() from time_s on reaches `amount`; INFINITY:
 * never. */
double calendar_after(const struct calendar *c, double time_s, double amount);

/* Mean hourly submissions of the four Helios clusters, the same from Monday to Sunday: digitised
 * from S-Lab-System-Group/HeliosArtifact:analysis/2, +-3 %. Weekends are an assumption. */
extern const double calendar_helios_daily[24], calendar_usual_weekly[7];
