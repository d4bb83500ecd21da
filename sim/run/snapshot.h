/* snapshot.h - the state of a run as a workload: a run that begins with it goes on from there.
 *
 * Time 0 is the time of the snapshot, after all that happened then. In it is every job that has not ended, in the same order: a job that
 * waits or holds something is submitted at 0, those to come as much later as they would have been. A job has as duration the
 * work that it still must do and as estimate what is left of that; a running one says where it runs and for how long it has, one
 * that is leaving when it will have left; what has a bound on its requeues how many are left of them; a dependency on a job that has ended is fulfilled; a job
 * with a dependency that can never be met is not in it. Deadlines move along.
 *
 * "For how long" is said so that the rest of the start-up, and the progress that a stop would cost, come out as in the run; where
 * the last start was a restart with another start-up than the first, that is not quite the time of the start (`moved`).
 *
 * What a policy has kept, what queues have used, and how long jobs have waited are not in it, nor what of the physical world has
 * a state of its own: struct run_model, `unsaved`; where a model can tell its state in keys of the cluster file, `options` has them. */
#pragma once
#include "sim/engine/run.h"

struct snapshot {
    struct workload workload;     /* shares shapes and names with that of the run: for native_write() while the run is there */
    /* Jobs of which it does not say all, and why: */
    uint32_t moved;               /* the start time of that many running jobs is told as another one */
    uint32_t restarted;           /* waits, and has run before: its start will cost as the first one does, which differs */
    uint32_t suspended;           /* suspended: it waits, and loses nothing */
    uint32_t parts;               /* tasks of it are still saving: are gone at once */
    char *options;                /* of a run of it, for its cluster: " --set 'KEY=VALUE'" each, for a shell; empty: none */
    const char *unsaved[32];      /* of the models that are on; ends with NULL */
};
/* After run_until(s, time_ns + 1): nothing of the run changes. NULL with err: nothing is left to be done, or a job is in a state that a
 * trace cannot say. */
struct snapshot *snapshot_make(struct sched *s, int64_t time_ns, struct error *err);
void snapshot_free(struct snapshot *n);                      /* NULL: does nothing */
