/* usage.c - see usage.h. */
#include "policies/kueue/usage.h"

#include <math.h>

#define NS_PER_S 1e9

double cohort_usage_alpha(double d_s, double half_life_s)
{
    return 1 - exp2(-d_s / half_life_s);
}

double cohort_usage_at(const struct cohort_usage *u, int64_t now_ns, double half_life_s)
{
    double alpha = cohort_usage_alpha((double)(now_ns - u->since_ns) / NS_PER_S, half_life_s);
    return u->consumed + alpha * (u->held - u->consumed);
}

void cohort_usage_change(struct cohort_usage *u, int64_t now_ns, double half_life_s, double more,
                         double penalty)
{
    u->consumed = cohort_usage_at(u, now_ns, half_life_s) + penalty;
    u->held += more;
    u->since_ns = now_ns;
}

static double over_weight(const struct cohort_usage *u, double use)
{
    return u->weight > 0 ? use / u->weight : INFINITY;
}

int cohort_usage_compare(const struct cohort_usage *a, const struct cohort_usage *b, int64_t now_ns,
                         double half_life_s)
{
    double x = over_weight(a, cohort_usage_at(a, now_ns, half_life_s)),
           y = over_weight(b, cohort_usage_at(b, now_ns, half_life_s));
    return (x > y) - (x < y);
}

/* With x = 2^(-d/h) the difference a - b is end + x (now - end): it has one root at most. */
int64_t cohort_usage_flip_ns(const struct cohort_usage *a, const struct cohort_usage *b,
                             int64_t now_ns, double half_life_s)
{
    double end = over_weight(a, a->held) - over_weight(b, b->held),
           now = over_weight(a, cohort_usage_at(a, now_ns, half_life_s)) -
                 over_weight(b, cohort_usage_at(b, now_ns, half_life_s));
    if (!(end > 0) || !isfinite(end) || !(now <= 0))
        return INT64_MAX;
    double d_ns = half_life_s * log2((end - now) / end) * NS_PER_S;
    return d_ns < 9e18 - (double)now_ns ? now_ns + (int64_t)ceil(d_ns) : INT64_MAX;
}
