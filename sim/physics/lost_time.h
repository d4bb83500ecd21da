/* lost_time.h - GPU time that jobs lose to one reason for a slower pace, such as a slow node or a lower
 * clock: while a job makes progress, the share 1 - T_usual / T_iter of its GPU time, T_usual the time
 * of an iteration without that reason. */
#pragma once
#include "sim/engine/state.h"

struct lost_time {                /* of a job; 0: none yet */
    int64_t since_ns;
    double share, gpu_ns;         /* lost since then, of its GPU time; until then */
};
/* Its pace has begun, changed or stalled; `usual` is l->pace without the reason. */
void lost_time_paced(const struct sched *s, struct lost_time *x, const struct live *l,
                     const struct pace *usual);
void lost_time_left(const struct sched *s, struct lost_time *x, const struct placement *from);
