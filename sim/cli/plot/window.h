/* window.h - the part of time that a plot shows, and how its axis is told.
 *
 * Times are those of the clock of the runs, as their files have them. Without bounds a plot shows
 * all time of its runs; a bound beyond these changes nothing. The axis has dates if all runs have
 * the same date of time 0 (trace.origin_unix_s of the manifest). A window of zero bytes has no
 * bounds and no dates. */
#pragma once
#include "sim/base/error.h"
#include "sim/cli/frame/time_tics.h"
#include "sim/cli/plot/figure.h"

struct window {
    bool has_from, has_to, dated;
    double from_s, to_s;
    double origin_s; /* if dated: seconds since 1970 */
};
/* The dates of the runs at these directories. */
void window_dates(struct window *w, char *const *directory, size_t n);
/* A time of the clock: seconds, a number with s, min, h or d, or a date such as
 * 2017-10-09 or '2017-10-09 07:01:55'. option: of messages. 0, or -1 with err. */
int window_time(const struct window *w, const char *option, const char *text, double *s,
                struct error *err);
/* --from and --to of plot, NULL: not given. 0, or -1 with err. */
int window_read(struct window *w, const char *from, const char *to, struct error *err);
/* Cuts a span of time to the window. 0, or -1 with err: nothing is left. */
int window_cut(const struct window *w, double *start_s, double *end_s, struct error *err);

struct time_span window_span(const struct window *w, double start_s, double length_s);
/* end, unit, unit_s, time_name; n_times with time1, time_at1 and so on where tics are not those of
 * gnuplot. */
void span_facts(const struct time_span *span, const struct canvas *canvas, struct figure *f);
/* Start, middle, if there is room for it, and end of a span under a row of characters. */
const char *span_scale(struct arena *a, const struct time_span *span, int wide);
