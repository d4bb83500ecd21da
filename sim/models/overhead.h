/* overhead.h - what stopping and starting a job costs. Charged by the world, never by a policy. models.md 3.2, 3.3. */
#pragma once
#include "sim/io/config.h"
#include "sim/cluster/cluster.h"
#include "sim/workload/workload.h"

struct overhead overhead_default(void);                            /* a grace of 30 s as Kubernetes [A], see struct overhead */
int overhead_read(struct config_value section, struct overhead *to, struct error *err);   /* absent: the defaults */
bool overhead_writes(const struct overhead *p);                    /* checkpoints take time or bytes */
struct overhead overhead_with(const struct overhead *of_the_cluster, const struct own_overhead *own);

void overhead_settle(struct overhead *p);                          /* what is free to write has the shortest interval of the law */

struct stop_overhead {
    int64_t stay_ns;              /* it holds its GPUs that much longer, without progress */
    int64_t lost_ns;              /* of the progress made since its last start; to be done again */
};
/* done_ns: reference nanoseconds of progress since the last start; durable_ns: those that a checkpoint has. */
struct stop_overhead overhead_of_stop(const struct overhead *p, enum stop_mode mode, int64_t done_ns, int64_t durable_ns);
/* Of done_ns, where checkpoints cost nothing: the last whole interval; all of it if they are perfect. */
int64_t overhead_durable_ns(const struct overhead *p, int64_t done_ns);
int64_t overhead_of_start(const struct overhead *p, bool first);   /* GPUs held before progress begins */
