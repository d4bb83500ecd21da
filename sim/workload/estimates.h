/* estimates.h - estimates of run times: as submitted, made from the run time with an error, or
 * predicted.
 *
 *   trace             as submitted
 *   perfect, FACTOR   the run time, or FACTOR times it (rounded to nearest ns)
 *   uniform:F         drawn evenly from [run, (1 + F) run]: the f-model of Mu'alem and Feitelson,
 *                     IEEE TPDS 12(6), 2001
 *   lognormal:SIGMA   run x e^(SIGMA z), z standard normal: the median is the run time, so half of
 *                     them are too short
 *   buckets           the run time rounded up to a popular request: 5, 10, 15, 20, 30 min, 1, 2, 3,
 *                     4, 6, 8, 12, 18 h, or whole days, as users ask for few round values
 *                     (Tsafrir, Etsion and Feitelson, JSSPP 2005)
 *   user-last2, group-quantile[:Q]
 *                     predicted in the run from jobs that have ended: sim/scheduler/predict.h
 *
 * Each job draws from a stream of its own, so its error does not depend on other jobs. */
#pragma once
#include "sim/workload/workload.h"

enum estimate_kind {
    ESTIMATE_TRACE,
    ESTIMATE_FACTOR,
    ESTIMATE_UNIFORM,
    ESTIMATE_LOGNORMAL,
    ESTIMATE_BUCKETS,
    ESTIMATE_USER_LAST2,
    ESTIMATE_GROUP_QUANTILE
};
/* value: the factor, F, SIGMA or Q; else 0 */
struct estimates { enum estimate_kind kind; double value; };

/* From the words above. 0, or -1 with err ("want trace, perfect, ..., got 'x'"). */
int estimates_read(const char *text, struct estimates *e, struct error *err);
#define ESTIMATES_TEXT 64
/* reads back as the same */
void estimates_show(const struct estimates *e, char to[ESTIMATES_TEXT]);

/* made from run times: a run with them is clairvoyant */
bool estimates_know_truth(const struct estimates *e);
bool estimates_are_predicted(const struct estimates *e);

/* The estimate of one job, for kinds that are made from run times. */
int64_t estimate_draw(const struct estimates *e, int64_t run_ns, uint64_t seed, uint64_t job);
/* Sets the estimate of every job, below 100 years; no effect for estimates as submitted or
 * predicted. Call it after workload_finish() and after submit times have changed. */
void workload_estimate(struct workload *w, const struct estimates *e, uint64_t seed);
