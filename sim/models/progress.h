/* progress.h - progress of a running job: remaining work, rate, and completion time.
 *
 * models.md 0: progress is piecewise linear. On a change of rate the work done so far is settled
 * and the completion is re-timed. Work is in reference nanoseconds; while the rate is exactly 1 it
 * stays a whole number. */
#pragma once
#include <stdint.h>

struct progress {
    int64_t left_ns;              /* remaining work at since_ns, in whole reference nanoseconds, */
    double  left_part;            /* and a fraction of one, in [0, 1) */
    double  rate;                 /* reference ns per ns; > 0 */
    int64_t since_ns;             /* progress begins; may lie in the future (start-up) */
};

void    progress_begin(struct progress *p, int64_t since_ns, double rate);     /* left_* stay */
/* first instant at which nothing is left; saturates */
int64_t progress_end_ns(const struct progress *p);
/* first instant with at most left_ns remaining; since_ns at the earliest */
int64_t progress_reaches_ns(const struct progress *p, int64_t left_ns);
/* moves since_ns to now (if that is later) */
void    progress_settle(struct progress *p, int64_t now_ns);
void    progress_set_rate(struct progress *p, int64_t now_ns, double rate);
void    progress_roll_back(struct progress *p, int64_t lost_ns);   /* lost_ns must be done again */
