/* reading.h - a trace that is read while its first jobs are run (sim/workload/early.h). */
#pragma once
#include "traces/formats/format.h"
#include "sim/workload/early.h"

struct trace_reading;
/* Begins to read. NULL: that is not possible, or not worth it, and nothing is done; trace_read_source() is there for all traces.
 * It is possible for a plain file in the native format, and worth it from READING_LEAST rows on. */
enum { READING_LEAST = 65536 };
struct trace_reading *trace_reading_begin(const struct trace_source *from, const struct trace_format **used);
/* For a run, once its first rows are there; NULL: all of them have to be read before. From then on to early_bound() the reader waits.
 * Of the reading. */
struct workload *trace_reading_begun(struct trace_reading *r);
struct early *trace_reading_early(const struct trace_reading *r);
/* Waits until all is read, as the run has left: it has ended, or been given up. 0, or -1 with err; sha256: of the bytes as
 * stored. Where it was not missed (early_over()), `begun`
 * says all that is said of the whole. */
int trace_reading_end(struct trace_reading *r, char sha256[65], struct error *err);
/* After that, where the run was missed: the whole, finished, which is the caller's now. NULL with err. */
struct workload *trace_reading_whole(struct trace_reading *r, struct error *err);
void trace_reading_free(struct trace_reading *r);            /* ends it where trace_reading_end() has not. NULL: does nothing */
