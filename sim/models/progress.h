/* progress.h - how far a running job has come: remaining work, rate, and when it will be done.
 *
 * models.md 0: progress is piecewise linear. On a change of rate the work done so far is settled and the completion
 * is re-timed. Work is in reference nanoseconds; while the rate is exactly 1 it stays a whole number. */
#pragma once
#include <stdint.h>

struct progress {
    int64_t left_ns;              /* whole reference nanoseconds to do at since_ns */
    double  left_part;            /* and a fraction of one, in [0, 1) */
    double  rate;                 /* reference ns per ns; > 0 */
    int64_t since_ns;             /* progress begins; may lie in the future (start-up) */
};

void    progress_begin(struct progress *p, int64_t since_ns, double rate);     /* left_* stay */
int64_t progress_end_ns(const struct progress *p);           /* first instant at which nothing is left; saturates */
int64_t progress_reaches_ns(const struct progress *p, int64_t left_ns);    /* likewise, no more than left_ns; since_ns if so already */
void    progress_settle(struct progress *p, int64_t now_ns); /* moves since_ns to now (if that is later) */
void    progress_set_rate(struct progress *p, int64_t now_ns, double rate);
void    progress_roll_back(struct progress *p, int64_t lost_ns);   /* that much must be done again */
