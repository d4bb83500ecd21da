/* law.h - laws of a positive quantity, in seconds: mixtures of simple parts.
 *
 *   kind           a            b             P(X <= x), before the scale
 *   FIXED          value                      x >= a
 *   EXPONENTIAL    mean                       1 - e^(-x/a)
 *   LOGNORMAL      mu           sigma         Phi((ln x - mu)/sigma)
 *   WEIBULL        shape        scale         1 - e^(-(x/b)^a)
 *   GAMMA          shape        scale         P(a, x/b), the regularised incomplete gamma function
 *   LOG2_GAMMA     shape        scale         log2 X is GAMMA (Lublin and Feitelson, JPDC 63(11),
 *                                             2003)
 *   LOG_UNIFORM    least        most          ln(x/a) / ln(b/a)
 *   EMPIRICAL      the values, each with equal probability
 *
 * Each part is multiplied by its scale. All have closed forms for E[X; X <= x], so the mean of a
 * law that is cut to an interval is exact: with heavy tails it is far from the mean of the whole
 * law. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum law_kind {
    LAW_FIXED,
    LAW_EXPONENTIAL,
    LAW_LOGNORMAL,
    LAW_WEIBULL,
    LAW_GAMMA,
    LAW_LOG2_GAMMA,
    LAW_LOG_UNIFORM,
    LAW_EMPIRICAL,
};
struct law_values {
    size_t n;
    double *value;                /* [n] ascending */
    double *sum;                  /* [n + 1] of the first k */
};
struct law_part {
    enum law_kind kind;
    double weight;                /* those of a law sum up to 1 */
    double scale, a, b;
    const struct law_values *values;    /* of EMPIRICAL; borrowed */
};
#define LAW_PARTS_MOST 16
struct law { size_t n; struct law_part part[LAW_PARTS_MOST]; };

/* number of the n ascending values that are at most x */
size_t values_up_to(const double *value, size_t n, double x);
double law_below(const struct law *l, double x);             /* P(X <= x) */
double law_mean_below(const struct law *l, double x);        /* E[X; X <= x]; x may be INFINITY */
bool   law_has_quantile(const struct law *l);                /* of one part with a closed form */
double law_quantile(const struct law *l, double p);          /* of such a law, 0 < p < 1 */
void   law_scale(struct law *l, double by);
/* Adds the parts of `more`, with that weight in all; other weights are unchanged. false: too
 * many. */
bool   law_add(struct law *l, double weight, const struct law *more);

struct law law_lognormal(double mu, double sigma);
/* The lognormal law of that mean and median, uncut: mu = ln median, sigma = sqrt(2
 * ln(mean/median)). */
struct law law_lognormal_of(double mean, double median);
