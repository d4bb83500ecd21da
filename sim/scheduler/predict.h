/* predict.h - run times predicted from those of jobs that have ended, completed or not.
 *
 * user-last2: the mean of the last two of the same user and number of GPUs; if there are no two, of the user; else of all
 * (after Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6), 2007, who take the user's last two).
 * group-quantile: the quantile Q (type 7, models.md 10.5) of those of the same user and number of GPUs; if they are fewer
 * than five, of the user; else of all (the rolling estimator of Hu et al., SC'21, reduced to its groups).
 *
 * A job of an unknown user is predicted from all. What ends counts with its service time, without lost work and
 * overhead. Both are O(log n) per job. */
#pragma once
#include "sim/workload/estimates.h"

enum { PREDICT_LAST = 2, PREDICT_LEAST = 5 };

struct predictor;
struct predictor *predictor_new(const struct estimates *e);  /* NULL: they are not predicted */
void    predictor_free(struct predictor *p);                 /* NULL: does nothing */
void    predictor_ended(struct predictor *p, uint32_t user, int64_t gpu_milli, int64_t run_ns);
int64_t predictor_ask(const struct predictor *p, uint32_t user, int64_t gpu_milli);    /* TIME_NEVER: too little is known */
