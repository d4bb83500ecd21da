/* arrivals.c - see arrivals.h. */
#include "sim/models/draws/arrivals.h"

#include "sim/base/random.h"

#include <math.h>
#include <stdio.h>

#define NEVER_S 3.2e9             /* a hundred years */

double hyper_probability(double c2)
{
    return (1 + sqrt((c2 - 1) / (c2 + 1))) / 2;
}

double mmpp_calm_rate(const struct arrival_law *law)
{
    double burst = law->burst_s / (law->burst_s + law->calm_s);
    return 1 / (1 - burst + burst * law->burst_ratio);
}

static double exponential(struct random *r, double mean)
{
    return -mean * log(random_uniform(r));
}

/* The next stay in either state, from a stream of its own. */
static void change_state(struct arrivals *a, double from_s)
{
    struct random r;
    char purpose[64];
    snprintf(purpose, sizeof purpose, "%s, phases", a->purpose);
    random_init(&r, a->seed, purpose, a->changes);
    if (a->changes++ == 0)        /* time 0 is any time */
        a->bursting = random_uniform(&r) < a->law->burst_s / (a->law->burst_s + a->law->calm_s);
    else
        a->bursting = !a->bursting;
    a->change_s = from_s + exponential(&r, a->bursting ? a->law->burst_s : a->law->calm_s);
}

struct arrivals arrivals_from(const struct arrival_law *law, const struct calendar *calendar,
                              double rate, uint64_t seed, const char *purpose)
{
    struct arrivals a = {
        .law = law, .calendar = calendar, .rate = rate, .seed = seed, .purpose = purpose
    };
    a.change_s = INFINITY;
    if (law->kind == ARRIVE_MMPP)
        change_state(&a, 0);
    return a;
}

static double state_rate(const struct arrivals *a)
{
    if (a->law->kind != ARRIVE_MMPP)
        return a->rate;
    return a->rate * mmpp_calm_rate(a->law) * (a->bursting ? a->law->burst_ratio : 1);
}

/* Where the bound or the state changes a candidate is drawn anew, for an exponential gap has no
 * memory. */
static double thinned(struct arrivals *a, struct random *r)
{
    double t = a->time_s;
    while (t < NEVER_S) {
        double until, bound = calendar_bound(a->calendar, t, &until),
                      next = t + exponential(r, 1 / (bound * state_rate(a)));
        double border = fmin(until, a->change_s);
        if (next >= border) {
            t = border;
            if (border == a->change_s)
                change_state(a, border);
            continue;
        }
        t = next;
        if (a->calendar->flat || random_uniform(r) * bound < calendar_factor(a->calendar, t))
            return t;
    }
    return INFINITY;
}

double arrivals_next(struct arrivals *a)
{
    struct random r;
    random_init(&r, a->seed, a->purpose, a->n++);
    if (a->law->kind == ARRIVE_HYPER) {
        double p = hyper_probability(a->law->c2), branch = random_uniform(&r) < p ? p : 1 - p;
        return a->time_s = calendar_after(a->calendar, a->time_s,
                                          exponential(&r, 1 / (2 * branch * a->rate)));
    }
    return a->time_s = thinned(a, &r);
}

void arrivals_skip_to(struct arrivals *a, double time_s)
{
    while (a->change_s <= time_s)
        change_state(a, a->change_s);
    a->time_s = time_s;
}

double arrivals_rate(const struct arrivals *a, double *until_s)
{
    double factor = calendar_step(a->calendar, a->time_s, until_s);
    *until_s = fmin(*until_s, a->change_s);
    return state_rate(a) * factor;
}
