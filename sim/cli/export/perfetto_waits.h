/* perfetto_waits.h - when jobs waited, as slices of a trace of events.
 *
 * A job waits from its submission to its first start, and from the end of a stay to its next
 * start, unless it gave its GPUs up itself (a session that released them, a replica that was
 * withdrawn). The last wait, after which it never started, is what its other waits leave of
 * wait_s, up to its end; of a job that gave up GPUs it is not known. Tasks that come and go one
 * by one may wait while others of the job run.
 *
 * A queue has a lane for each of its jobs that wait at the same time, up to WAIT_LANES; a wait
 * goes to the lane that has been free for the longest time. Memory grows with the jobs and with
 * how often they were stopped. */
#pragma once
#include "sim/base/intern.h"
#include "sim/cli/explain/explain.h"
#include "sim/cli/export/trace_event.h"

enum { WAIT_LANES = 1000 };

struct waits;
struct waits *waits_new(void);
void waits_free(struct waits *w);
/* job: numbered from 0 without gaps. queue: its number among the texts of waits_put() */
void waits_add_job(struct waits *w, uint32_t job, uint32_t queue, const struct csv_job *j);
/* In the order of the ends. why: end_reason */
void waits_add_stay(struct waits *w, uint32_t job, int64_t start_ns, int64_t end_ns,
                    const char *why);
bool waits_any(struct waits *w);
/* After all stays. Returns how many waits had no lane. */
size_t waits_put(struct waits *w, struct trace_writer *to, int64_t pid, const struct intern *jobs,
                 const struct intern *texts);
