/* snapshot.h - the state of a run as a workload: a run that begins with it continues from there.
 *
 * Time 0 is the time of the snapshot, after all events of that instant. It has every job that has not ended, in the same order: jobs
 * that wait or hold something are submitted at 0, later ones as much later as they would have been. A job's duration is the work
 * that remains and its estimate what remains of that; a running job says where it runs and for how long it has run, a job that is
 * leaving says when it will have left. A dependency on a job that has ended is fulfilled. Deadlines move along.
 *
 * The time that a job has run is such that the rest of the start-up, and the progress that a stop would cost, come out as in the
 * run; after a restart with another start-up than the first, that is not quite the time since the start (`moved`).
 *
 * Not in it: the state of the policy, what queues have used, how long jobs have waited, and state of models (struct run_model,
 * `unsaved`). */
#pragma once
#include "sim/engine/run.h"

struct snapshot {
    struct workload workload;     /* shares shapes and names with that of the run: for native_write() while the run is there */
    /* Jobs of which it does not say all, and why: */
    uint32_t moved;               /* since when it runs is said otherwise */
    uint32_t restarted;           /* waits, and has run before: its start will cost as the first one does, which is another price */
    uint32_t suspended;           /* stands suspended: waits, and loses nothing */
    uint32_t parts;               /* tasks of it are still saving: are gone at once */
    const char *unsaved[32];      /* of the models that are on; ends with NULL */
};
/* After run_until(s, time_ns + 1): nothing of the run changes. NULL with err: nothing is left to be done, or a job is in a state that a
 * trace cannot say. */
struct snapshot *snapshot_make(struct sched *s, int64_t time_ns, struct error *err);
void snapshot_free(struct snapshot *n);                      /* NULL: does nothing */
