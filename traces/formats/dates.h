/* dates.h - dates of traces, in nanoseconds since 1970, UTC.
 *
 * "2017-10-09 07:01:55" is UTC, as most logs have no zone; with "+08:00" or "-07:00" behind it, it
 * is converted to UTC. Years 1970 to 2069, without leap seconds. A format with dates is `dated`. */
#pragma once
#include "traces/formats/columns.h"

#define DATE_WANT "a time from 1970 to 2069 like 2017-10-09 07:01:55"

/* false: no date, *ns is unchanged */
bool date_parse(const char *text, size_t length, int64_t *ns);
/* The same, also with a fraction of the second, "18:17:03.9799600", before the zone. */
bool date_parse_fine(const char *text, size_t length, int64_t *ns);
void take_date(const struct columns *c, unsigned column, int64_t *ns);
/* false: the cell is empty or None. */
bool take_date_if_any(const struct columns *c, unsigned column, int64_t *ns);
bool date_is_none(const char *text);
/* The wait of the log, from job->submit_ns to the start; a start before the submission, or
 * TIME_NEVER, says nothing. */
void take_start(const struct columns *c, int64_t start_ns, struct job_row *job);
