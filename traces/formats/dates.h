/* dates.h - calendar times of traces, as seconds of UTC.
 *
 * "2017-10-09 07:01:55" is read as UTC, as most logs name no zone; with "+08:00" or "-07:00" behind it, it is moved
 * there. Years 1970 to 2069; no leap seconds. A trace that tells dates ends its reading with workload_rebase(). */
#pragma once
#include "traces/formats/columns.h"

#define DATE_WANT "a time from 1970 to 2069 like 2017-10-09 07:01:55"

bool date_parse(const char *text, size_t length, int64_t *ns);   /* since 1970; false: none, *ns is unchanged */
/* The same with a fraction of the second, if there is one: "18:17:03.9799600" and perhaps a zone. */
bool date_parse_fine(const char *text, size_t length, int64_t *ns);
void take_date(const struct columns *c, unsigned column, int64_t *ns);
/* false: the cell is empty or says None: it did not happen. */
bool take_date_if_any(const struct columns *c, unsigned column, int64_t *ns);
bool date_is_none(const char *text);
