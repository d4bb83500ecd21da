/* time_tics.h - where the tics of an axis of time stand, and what they say.
 *
 * A time_span is what an axis shows: `length_s` seconds from `from_s` of the clock of a run on. Its
 * tics stand at times since `from_s`, in order. With a date of time 0 (origin_s, in seconds since
 * 1970, UTC) they stand at round times of the calendar: seconds, minutes, hours, days, weeks from Monday,
 * months, years; midnight is told as its day, January as its year. Else they stand at multiples of
 * 1, 2 or 5 times a power of ten of the unit of the axis. There are at most `most`, and at least
 * one. Equal spans give equal tics. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct time_span {
    double from_s, length_s;
    double origin_s; /* NaN: the runs have no dates, or not the same */
    bool part;       /* asked for: its plain tics tell the clock, not the time since the start */
};
enum { TIME_TICS_MOST = 20, TIME_TEXT = 48 };
struct time_tic {
    double at_s;
    char text[TIME_TEXT];
};
struct time_tics {
    size_t n;
    struct time_tic tic[TIME_TICS_MOST];
    char name[TIME_TEXT]; /* of the axis: "date (UTC), from 5 Jan 2026" */
};
/* most: from 2 to TIME_TICS_MOST. */
void time_tics(struct time_tics *to, const struct time_span *span, size_t most);
/* A time of the clock as a date, "Mon 5 Jan 13:00", or in the unit of the span, "40.5 h". */
void time_moment(char to[TIME_TEXT], const struct time_span *span, double at_s);

/* The unit of an axis as long as span_s: s, min, h, d; and how many seconds it has. */
const char *axis_unit(double span_s);
const char *bar_unit(double most_s); /* of values: that in which human() writes the largest */
double unit_seconds(const char *unit);
