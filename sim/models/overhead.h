/* overhead.h - preemption overhead: what it costs to stop a job and to start it again.
 * models.md 3.2 to 3.4.
 *
 * The simulator charges the overhead, whatever policy asks for the stop. A job that is stopped may
 * hold its GPUs for a while (it saves a checkpoint, at most for the grace period) and may lose
 * progress (what no durable checkpoint has). Every start holds the GPUs for a start-up time without
 * progress.
 *
 *   checkpoint none       a stop loses all progress since the last start
 *   checkpoint perfect    a stop loses nothing; STOP_SAVE still takes save_ns
 *   checkpoint periodic   checkpoints are written after each interval_ns of progress. STOP_RESTART
 *                         loses the progress since the last one; STOP_SAVE writes another one,
 *                         which is lost if it takes longer than grace_ns
 *
 * A job that was stopped goes back to its queue, max_requeues times; the next stop ends it, failed
 * (Slurm's sbatch --no-requeue: 0; SchedMD/slurm:doc/man/man1/sbatch.1). Moves and suspensions are no
 * such stops.
 *
 * Section `preemption` of a cluster file gives the defaults of the cluster; a job may have values
 * of its own. */
#pragma once
#include "sim/base/units.h"
#include "sim/contract/policy.h"
#include "sim/io/config.h"

struct overhead {
    enum { CHECKPOINT_NONE, CHECKPOINT_PERFECT, CHECKPOINT_PERIODIC } checkpoint;    /* none */
    enum { LAW_DALY, LAW_YOUNG } interval_law;    /* of INTERVAL_AUTO */
    bool said;                    /* the key checkpoint is given */
    int64_t interval_ns;          /* progress between two checkpoints, from the (re)start;
                                     INTERVAL_AUTO: by the law */
    int64_t save_ns;              /* time to save at a stop; -1: that of any checkpoint */
    int64_t grace_ns;             /* longest stay after a stop: 30 s, as Kubernetes [A] */
    int64_t start_ns;             /* start-up time of the first start; START_BY_PARTS */
    int64_t restart_ns;           /* start-up time of every later start; START_BY_PARTS */
    /* A checkpoint takes write_ns and the time to write its bytes to the storage. Both 0: it is free and durable at once. */
    int64_t write_ns;             /* key checkpoint_s */
    int64_t checkpoint_bytes;     /* key checkpoint_gib; CHECKPOINT_OF_MODEL */
    double  blocking;             /* share of the writing time without progress: 1; asynchronous
                                     snapshots 0.1 [A] */
    int64_t node_mtbf_ns;         /* mean time between failures of a node, for INTERVAL_AUTO; 0: not
                                     given */
    int64_t most_stops;           /* 1 + max_requeues: that stop ends a job; 0: none does */
    int64_t init_ns, init_doubling_ns;    /* of START_BY_PARTS: 10 s, and 2 s for each doubling of
                                             the GPUs [A] */
};
#define REQUEUES_UNLIMITED  INT64_MAX
#define REQUEUES_MOST       1000000
#define INTERVAL_AUTO       (-2)  /* by interval_law, within the bounds of checkpoint_laws.h */
#define START_BY_PARTS      (-2)  /* image pull, initialisation, checkpoint load */
#define CHECKPOINT_OF_MODEL                                                                        \
    (-2) /* CHECKPOINT_BYTES_PER_PARAMETER bytes for each parameter of the job's model */

/* The values that a job gives itself, with the meaning they have in struct overhead. -1: as the
 * cluster. */
struct own_overhead {
    int64_t checkpoint, interval_ns, save_ns, grace_ns, restart_ns, checkpoint_mib;
    int64_t most_stops;           /* as above; 0: as the cluster; REQUEUES_ALL: any number */
};
#define REQUEUES_ALL (-1)
#define OWN_OVERHEAD_NONE { -1, -1, -1, -1, -1, -1, 0 }

struct overhead overhead_default(void);
/* Section `preemption` of the cluster file `whole`; absent: the defaults. 0, or -1 with err. */
int overhead_read(struct config_value section, struct config_value whole, struct overhead *to,
                  struct error *err);
bool overhead_writes(const struct overhead *p);              /* checkpoints take time or bytes */
struct overhead overhead_with(const struct overhead *of_cluster, const struct own_overhead *own);
/* Replaces INTERVAL_AUTO where checkpoints are free: the interval is then the lower bound of the
 * law. */
void overhead_settle(struct overhead *p);

struct stop_overhead {
    int64_t stay_ns;  /* the job holds its GPUs for so long after the stop, without progress */
    int64_t lost_ns;              /* progress since the last start that must be done again */
};
/* done_ns: reference nanoseconds of progress since the last start; durable_ns: those that a
 * checkpoint has. */
struct stop_overhead overhead_of_stop(const struct overhead *p, enum stop_mode mode,
                                      int64_t done_ns, int64_t durable_ns);
/* The part of done_ns that is durable where checkpoints are free: whole intervals, or all of it if
 * they are perfect. */
int64_t overhead_durable_ns(const struct overhead *p, int64_t done_ns);
/* start-up time; may be START_BY_PARTS */
int64_t overhead_of_start(const struct overhead *p, bool first);
