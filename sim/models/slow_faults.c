/* slow_faults.c - see slow_faults.h. */
#include "sim/models/slow_faults.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define DAY_S      86400.0
#define LONGEST_NS INT64_C(3000000000000000000) /* 95 years: three of them still fit into the clock */

const struct slow_law slow_law_usual = {
    .per_node_day = .005,
    .pace = { { .9, .7 }, { .75, .2 }, { .5, .1 } },
    .n_paces = 3,
    .scope = SLOW_GPU,
    .then = SLOW_DRAIN,
    .detect_median_ns = 52404 * NS_PER_S,
    .detect_sigma = 1,
    .share_at_start = .005,
};

bool slow_happens(const struct slow_law *f)
{
    return f->per_node_day > 0 || f->share_at_start > 0 || f->n_given;
}

void slow_stream(const struct slow_law *f, uint64_t seed, uint32_t node, uint32_t gpus,
                 struct slow_stream *to)
{
    *to = (struct slow_stream){ .rate = f->per_node_day / DAY_S * gpus / 8 };
    random_init(&to->random, seed, "slow faults", node);
}

static int64_t duration_ns(double s)
{
    int64_t ns = s < seconds(LONGEST_NS) ? ns_of_seconds(s) : LONGEST_NS;
    return ns > 1 ? ns : 1;
}

static double pace_of(const struct slow_law *f, double u)
{
    double all = 0, below = 0;
    for (uint32_t i = 0; i < f->n_paces; i++)
        all += f->pace[i].share;
    uint32_t last = 0;
    for (uint32_t i = 0; i < f->n_paces && u * all >= below; i++) {
        last = i;
        below += f->pace[i].share;
    }
    return f->pace[last].pace;
}

struct slow_draw slow_next(const struct slow_law *f, struct slow_stream *from)
{
    struct random *r = &from->random;
    double gap = -log1p(-random_uniform(r)), normal = gsl_cdf_ugaussian_Pinv(random_uniform(r));
    struct slow_draw next = { .after_ns = TIME_NEVER };
    next.detect_ns = duration_ns(seconds(f->detect_median_ns) * exp(f->detect_sigma * normal));
    next.pace = pace_of(f, random_uniform(r));
    next.gpu_u = random_uniform(r);
    if (from->rate > 0 && gap / from->rate < seconds(LONGEST_NS))
        next.after_ns = duration_ns(gap / from->rate);
    return next;
}

struct slow_draw slow_first(const struct slow_law *f, struct slow_stream *from)
{
    struct random *r = &from->random;
    bool slow = random_uniform(r) < f->share_at_start;
    double residual = random_uniform(r);
    struct slow_draw next = slow_next(f, from);
    if (!slow)
        return next;
    double biased = exp(f->detect_sigma * f->detect_sigma);
    next.detect_ns = duration_ns(residual * biased * seconds(next.detect_ns));
    next.after_ns = 0;
    return next;
}
