/* cut_law.c - see cut_law.h. */
#include "sim/models/draws/cut_law.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES = 2048 };
#define MASS_LEAST 1e-9
#define SECOND_LEAST 1e-9         /* the clock's tick: where a law that is not cut below begins */
#define PRECISION 1e-12           /* of ln x */

/* P(X < x): an atom at x is not below it. */
static double strictly_below(const struct law *l, double x)
{
    return x > 0 ? law_below(l, nextafter(x, 0)) : 0;
}

static double mean_between(const struct law *l, double least, double most)
{
    return law_mean_below(l, most) - (least > 0 ? law_mean_below(l, nextafter(least, 0)) : 0);
}

double law_cut_mean(const struct law *l, double least, double most)
{
    double below = strictly_below(l, least), mass = law_below(l, most) - below;
    if (mass < MASS_LEAST)
        return below > 0.5 ? least : most;
    return mean_between(l, least, most) / mass;
}

bool cut_law_make(struct cut_law *c, const struct law *l, double least, double most)
{
    *c = (struct cut_law){
        .law = *l, .least = least, .most = most, .below = strictly_below(l, least)
    };
    c->mass = law_below(l, most) - c->below;
    if (!(c->mass >= MASS_LEAST))
        return false;
    c->mean = mean_between(l, least, most) / c->mass;
    if (law_has_quantile(l))
        return true;
    c->place = mem_new(PLACES, sizeof *c->place);
    c->share = mem_new(PLACES, sizeof *c->share);
    double from = log(fmax(least, SECOND_LEAST)), to = log(most);
    for (size_t i = 0; i < PLACES; i++) {
        c->place[i] = from + (to - from) * (double)i / (PLACES - 1);
        c->share[i] = law_below(l, exp(c->place[i]));
    }
    return true;
}

void cut_law_free(struct cut_law *c)
{
    free(c->place);
    free(c->share);
    *c = (struct cut_law){ 0 };
}

/* The last place with less than p below it; PLACES: there is none. */
static size_t place_before(const struct cut_law *c, double p)
{
    size_t from = 0, to = PLACES;
    if (c->share[0] >= p)
        return PLACES;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (c->share[middle] < p)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* The least x with P(X <= x) >= p, between two places: false position (the Illinois variant), then
 * halving, for a law may jump there. */
static double invert(const struct cut_law *c, double p)
{
    enum { FALSE_POSITIONS = 12, MOST = 80 };
    size_t i = place_before(c, p);
    if (i == PLACES || i + 1 == PLACES)
        return i == PLACES ? c->least : c->most;
    double low = c->place[i], high = c->place[i + 1];
    double below = c->share[i] - p, above = c->share[i + 1] - p;
    for (int k = 0, side = 0; k < MOST && high - low > PRECISION; k++) {
        double at = k < FALSE_POSITIONS ? high - above * (high - low) / (above - below)
                                        : low + (high - low) / 2;
        if (!(at > low && at < high))
            at = low + (high - low) / 2;
        double off = law_below(&c->law, exp(at)) - p;
        if (fabs(off) < 1e-15 * p)
            return exp(at);
        if (off < 0) {
            low = at;
            below = off;
            above = side < 0 ? above / 2 : above;
            side = -1;
        } else {
            high = at;
            above = off;
            below = side > 0 ? below / 2 : below;
            side = 1;
        }
    }
    return exp(high);
}

double cut_law_quantile(const struct cut_law *c, double u)
{
    double p = c->below + u * c->mass, x = c->place ? invert(c, p) : law_quantile(&c->law, p);
    return fmin(fmax(x, c->least), c->most);
}

double cut_law_below(const struct cut_law *c, double x)
{
    if (x < c->least || x >= c->most)
        return x >= c->most;
    return (law_below(&c->law, x) - c->below) / c->mass;
}

/* ---- scaling ---- */

static double scaled_mean(const struct law *l, double least, double most, double ln_scale)
{
    struct law scaled = *l;
    law_scale(&scaled, exp(ln_scale));
    return law_cut_mean(&scaled, least, most);
}

bool law_scale_to_mean(struct law *l, double least, double most, double mean)
{
    enum { HALVINGS = 100 };
    const double reach = 64;      /* e^64: times are never further apart */
    double low = 0, high = 0;
    if (!(mean > least && mean < most))
        return false;
    for (double step = 0.125; low > -reach && scaled_mean(l, least, most, low) > mean; step *= 2)
        low -= step;
    for (double step = 0.125; high < reach && scaled_mean(l, least, most, high) < mean; step *= 2)
        high += step;
    for (int i = 0; i < HALVINGS && high - low > 1e-14; i++) {
        double middle = low + (high - low) / 2;
        if (scaled_mean(l, least, most, middle) < mean)
            low = middle;
        else
            high = middle;
    }
    double scale = low + (high - low) / 2;
    if (!(fabs(scaled_mean(l, least, most, scale) - mean) < 1e-6 * mean))
        return false;
    if (scale != 0)
        law_scale(l, exp(scale));
    return true;
}
