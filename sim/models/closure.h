/* closure.h - times at which nodes are closed to jobs, announced before: maintenance (models.md 8),
 * reservations (models.md 3.9).
 *
 * Closed over [from, until), once, or again every so often for ever. For drain_ns before that the
 * nodes take no job any more. What still runs at `from` is stopped, unless the closure keeps it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct closure {
    int64_t from_ns, until_ns, drain_ns;
    int64_t every_ns;             /* from one to the next; 0: once */
    bool keeps;                   /* what runs stays */
};
/* How much later than the first time the first is that is not over then. Once: 0. */
int64_t closure_later_ns(const struct closure *c, int64_t time_ns);
/* When the first one that is not over then ends; once, and over: when it did. */
int64_t closure_end_ns(const struct closure *c, int64_t time_ns);
/* It has no room for a job over [from, until): that begins while the nodes take no job, or would
 * last into it. Without an end (INT64_MAX), and of a repeated closure longer than the time between
 * two, no job would ever have room: these heed only the time in which the nodes take no job. */
bool closure_denies(const struct closure *c, int64_t from_ns, int64_t until_ns);
