/* usage.h - past use of the local queues of a queue, and which of them goes first; knows no
 * scheduler.
 *
 * Use is one number: a weighted sum of the amounts that the admitted jobs of a local queue hold.
 * `consumed` follows it as a moving average: what is h old counts half after the half-life h,
 *   consumed(t + d) = consumed(t) / 2^(d/h) + held (1 - 1 / 2^(d/h)),
 * so after long use without a change it is what is held. That is exact while `held` stands, so it
 * is brought up to date at each change, and no sampling is needed. A job that is admitted pays at
 * once what a sampling interval of it would have come to (entry penalty),
 *   request (1 - 1 / 2^(sampling/h)),
 * so that many are not admitted at the same instant before any has been used.
 *
 * The local queue with the least consumed / weight goes first; weight 0 goes last, and equals go
 * by their jobs. After kubernetes-sigs/kueue:pkg/util/admissionfairsharing/admission_fair_sharing.go
 * (CalculateDecayedConsumed, CalculateEntryPenalty, CalculateUsage), where amounts are cut to
 * thousandths and `held` is sampled. */
#pragma once
#include <stdint.h>

struct cohort_usage {
    double weight;                /* from 0 */
    double consumed, held;        /* consumed as of since_ns */
    int64_t since_ns;
};

/* 1 - 1 / 2^(d/h): how much of what is held now counts after d. */
double  cohort_usage_alpha(double d_s, double half_life_s);
double  cohort_usage_at(const struct cohort_usage *u, int64_t now_ns, double half_life_s);
/* From now on it holds so much more, or less, and has paid that penalty. */
void    cohort_usage_change(struct cohort_usage *u, int64_t now_ns, double half_life_s, double more,
                            double penalty);
/* By use over weight; <0: a goes first. */
int     cohort_usage_compare(const struct cohort_usage *a, const struct cohort_usage *b,
                             int64_t now_ns, double half_life_s);
/* When b, which does not go before a now, begins to, if nothing changes; INT64_MAX: never. */
int64_t cohort_usage_flip_ns(const struct cohort_usage *a, const struct cohort_usage *b,
                             int64_t now_ns, double half_life_s);
