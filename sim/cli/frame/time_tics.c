/* time_tics.c - see time_tics.h. */
#include "sim/cli/frame/time_tics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DAY_S = 86400, MONTHS = 12 };

/* ---- Units ---- */

static const struct {
    double most_s, seconds;
    const char *unit;
} units[] = {
    { 180, 1, "s" },
    { 10800, 60, "min" },
    { 259200, 3600, "h" },
    { INFINITY, DAY_S, "d" },
};

const char *axis_unit(double span_s)
{
    size_t i = 0;
    while (span_s > units[i].most_s)
        i++;
    return units[i].unit;
}

/* A duration is written in a unit from two of it on, an axis in one from three on. */
const char *bar_unit(double most_s)
{
    return axis_unit(most_s * 3 / 2);
}

double unit_seconds(const char *unit)
{
    size_t i = 0;
    while (strcmp(unit, units[i].unit) != 0)
        i++;
    return units[i].seconds;
}

/* ---- The calendar ---- */

static struct tm date_of(double unix_s)
{
    time_t at = (time_t)floor(unix_s);
    struct tm date = { .tm_year = 70, .tm_mday = 1 };
    gmtime_r(&at, &date);
    return date;
}

/* Of the Gregorian calendar, which repeats every 400 years of 146097 days; month 0 is January 1970.
 * Years are counted from March, so that the day of a leap year is the last one. */
static double month_begin(long month)
{
    long year = 1970 + month / MONTHS - (month % MONTHS < 2);
    long shifted = (month % MONTHS + 10) % MONTHS;
    long days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 - 719468;
    return (double)days * DAY_S;
}

static void add_tic(struct time_tics *to, const struct time_span *span, double unix_s,
                    const char *format)
{
    struct tm date = date_of(unix_s);
    struct time_tic *tic = &to->tic[to->n++];
    tic->at_s = unix_s - span->origin_s - span->from_s;
    strftime(tic->text, sizeof tic->text, format, &date);
    if (tic->text[0] == ' ')
        memmove(tic->text, tic->text + 1, strlen(tic->text));
}

struct months_shown { long first, last; };

static struct months_shown months_of(double from, double to)
{
    struct tm a = date_of(from), b = date_of(to);
    long first = (a.tm_year - 70L) * MONTHS + a.tm_mon;
    return (struct months_shown){ first + (month_begin(first) < from),
                                  (b.tm_year - 70L) * MONTHS + b.tm_mon };
}

/* Multiples of 1, 2, 3, 6 months or of years. */
static void months(struct time_tics *to, const struct time_span *span, size_t most)
{
    static const long each[] = { 1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200 };
    double from = span->origin_s + span->from_s;
    struct months_shown shown = months_of(from, from + span->length_s);
    size_t i = 0, n = sizeof each / sizeof *each;
    while (i + 1 < n && (size_t)((shown.last - shown.first) / each[i]) >= most)
        i++;
    for (long m = shown.first; m <= shown.last && to->n < most; m++)
        if ((m + 1970L * MONTHS) % each[i] == 0)
            add_tic(to, span, month_begin(m), m % MONTHS ? "%b" : "%Y");
}

/* Weeks begin on Mondays; 1970-01-01 was a Thursday. */
static void calendar(struct time_tics *to, const struct time_span *span, size_t most)
{
    static const double each[] = { 1,    5,    15,    30,    60,    300,       900,      1800,
                                   3600, 7200, 10800, 21600, 43200, DAY_S, 2 * DAY_S, 7 * DAY_S };
    enum { STEPS = sizeof each / sizeof *each, WEEK = STEPS - 1 };
    double from = span->origin_s + span->from_s, end = from + span->length_s;
    size_t i = 0;
    while (i < STEPS && span->length_s / each[i] > (double)most - 1)
        i++;
    double step = i < STEPS ? each[i] : INFINITY, since = i == WEEK ? 4 * DAY_S : 0;
    if (i == STEPS)
        months(to, span, most);
    for (double k = ceil((from - since) / step - 1e-9); i < STEPS && since + k * step <= end + 1e-6;
         k++)
        add_tic(to, span, since + k * step,
                fmod(since + k * step, DAY_S) == 0 ? "%e %b" : step < 60 ? "%H:%M:%S" : "%H:%M");
    if (!to->n)
        add_tic(to, span, from, "%e %b %H:%M:%S");
    struct tm date = date_of(from);
    char day[TIME_TEXT / 2];
    strftime(day, sizeof day, "%e %b %Y", &date);
    snprintf(to->name, sizeof to->name, "date (UTC), from %s", day + (day[0] == ' '));
}

/* ---- Plain time ---- */

static void number(char *to, size_t size, double x)
{
    char plain[32];
    snprintf(plain, sizeof plain, "%.10g", x);
    size_t whole = strcspn(plain, "."), at = 0;
    for (size_t i = 0; plain[i] && at + 2 < size; i++) {
        to[at++] = plain[i];
        if (i + 1 < whole && (whole - 1 - i) % 3 == 0 && plain[i] != '-')
            to[at++] = ',';
    }
    to[at] = '\0';
}

/* The least of 1, 2 or 5 times a power of ten of which the span has less than `most`. */
static double round_step(double span, size_t most)
{
    static const double times[] = { 1, 2, 5, 10 };
    double ten = pow(10, floor(log10(span / (double)(most - 1))));
    size_t i = 0;
    while (i < 3 && span / (ten * times[i]) > (double)(most - 1) * (1 + 1e-9))
        i++;
    return ten * times[i];
}

static void add_number(struct time_tics *to, double at_s, double x)
{
    to->tic[to->n].at_s = at_s;
    number(to->tic[to->n].text, sizeof to->tic->text, x);
    to->n++;
}

static void plain(struct time_tics *to, const struct time_span *span, size_t most)
{
    const char *unit = axis_unit(span->length_s);
    double one = unit_seconds(unit), from = span->part ? span->from_s / one : 0;
    double length = span->length_s / one, step = round_step(length, most);
    double end = (from + length) * (1 + 1e-9);
    for (double k = ceil(from / step - 1e-9) + 0.0; k * step <= end && to->n < most; k++)
        add_number(to, (k * step - from) * one, k * step);
    if (!to->n)
        add_number(to, 0, from);
    snprintf(to->name, sizeof to->name, "%s (%s)",
             span->part ? "time of the run" : "time since the start", unit);
}

void time_tics(struct time_tics *to, const struct time_span *span, size_t most)
{
    to->n = 0;
    most = most < 2 ? 2 : most > TIME_TICS_MOST ? TIME_TICS_MOST : most;
    if (isnan(span->origin_s))
        plain(to, span, most);
    else
        calendar(to, span, most);
}

void time_moment(char to[TIME_TEXT], const struct time_span *span, double at_s)
{
    const char *unit = axis_unit(span->length_s);
    struct tm date;
    char value[TIME_TEXT / 2];
    if (isnan(span->origin_s)) {
        number(value, sizeof value, round(at_s / unit_seconds(unit) * 1000) / 1000);
        snprintf(to, TIME_TEXT, "%s %s", value, unit);
        return;
    }
    date = date_of(span->origin_s + at_s + .5);
    strftime(to, TIME_TEXT, span->length_s < 180 ? "%e %b %H:%M:%S" : "%e %b %H:%M", &date);
    if (to[0] == ' ')
        memmove(to, to + 1, strlen(to));
}
