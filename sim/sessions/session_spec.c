/* session_spec.c - defaults, means and checks: see session_spec.h. */
#include "sim/sessions/session_spec.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/models/draws/cut_law.h"

#include <math.h>
#include <string.h>

#define LONGEST_S 5184000.0       /* think and run times are cut at 60 days, as run times of jobs */
#define CYCLE_LEAST_S 1.0         /* minimum mean of a think plus a run time */

const double session_warm_start_s = 15;

static struct session_size usual_sizes[] = { { 500, .10 }, { 1000, .85 }, { 2000, .05 } };

static struct law_part lognormal(double weight, double median_s, double sigma)
{
    return (struct law_part){
        .kind = LAW_LOGNORMAL, .weight = weight, .scale = 1, .a = log(median_s), .b = sigma
    };
}

struct session_spec session_spec_default(void)
{
    static const double daily[24] = { .1, .1, .1, .1, .1, .1, .1, .1, .6, 1.6, 1.6, 1.6,
                                      1.6, 1.2, 1.7, 1.7, 1.7, 1.7, 1.7, 1, 1, 1, .5, .5 };
    static const double weekly[7] = { 1, 1, 1, 1, 1, .25, .25 };
    struct session_spec s = {
        .n_sizes = sizeof usual_sizes / sizeof *usual_sizes,
        .size = usual_sizes,
        .per_user_weekday = 1.5,
        .length = { { 1, { lognormal(1, 7200, .9) } }, 0, 43200 },
        .think = { { 1, { lognormal(1, 240, 1.2) } }, 0, LONGEST_S },
        .run = { { 2, { lognormal(.85, 20, 1.2), lognormal(.15, 600, 1) } }, 0, LONGEST_S },
        .patience = { { 1, { { .kind = LAW_EXPONENTIAL, .weight = 1, .scale = 1, .a = 900 } } },
                      0,
                      LONGEST_S },
        .forgotten = .2,
        .culling = { CULL_RELEASE, 1800 * NS_PER_S, 3600 * NS_PER_S, 60 * NS_PER_S },
        .cap_s = 86400,
        .start_least_s = 45,
        .start_most_s = 60,
        .slo_s = 60,
        .slo_share = .95,
        .duty = .8,
    };
    memcpy(s.daily, daily, sizeof daily);
    memcpy(s.weekly, weekly, sizeof weekly);
    return s;
}

/* Fitted to five published figures of AdobeTrace: models.md 5.1. */
void session_spec_adobe(struct session_spec *s, struct arena *memory)
{
    static const struct session_size one_gpu = { 1000, 1 };
    const struct session_law length = { { 1, { lognormal(1, 7200, .9) } }, 0, 43200 };
    const struct session_kind kinds[] = {
        { .share = .70, .length = length },
        { .share = .05,
          .thinks = true,
          .length = length,
          .think = { { 1, { lognormal(1, 1800, .8) } }, 0, LONGEST_S },
          .run = { { 1, { lognormal(1, 20, 1) } }, 0, LONGEST_S } },
        { .share = .25,
          .thinks = true,
          .length = { { 1, { lognormal(1, 14400, .9) } }, 0, 86400 },
          .think = { { 1, { lognormal(1, 200, 1.1) } }, 0, LONGEST_S },
          .run = { { 1, { lognormal(1, 127.5, 1.36) } }, 0, LONGEST_S } },
    };
    s->n_kinds = sizeof kinds / sizeof *kinds;
    s->kind = arena_alloc(memory, sizeof kinds);
    memcpy(s->kind, kinds, sizeof kinds);
    s->n_sizes = 1;
    s->size = arena_alloc(memory, sizeof one_gpu);
    *s->size = one_gpu;
    s->forgotten = 0;
    s->culling.how = CULL_OFF;
}

double session_rate_per_h(const struct session_spec *s)
{
    double week = 0, weekdays = 0;
    if (s->rate_per_h > 0)
        return s->rate_per_h;
    for (int d = 0; d < 7; d++)
        week += s->weekly[d];
    for (int d = 0; d < 5; d++)
        weekdays += s->weekly[d];
    return s->users * s->per_user_weekday / 24 * (week / 7) / (weekdays / 5);
}

static double mean_s(const struct session_law *l)
{
    return law_cut_mean(&l->law, l->least_s, l->most_s);
}

double session_cycle_s(const struct session_spec *s)
{
    return mean_s(&s->think) + mean_s(&s->run);
}

double session_active_share(const struct session_spec *s)
{
    return mean_s(&s->run) / session_cycle_s(s);
}

static int check_law(const struct session_law *l, const char *what, struct error *err)
{
    struct cut_law cut;
    if (!cut_law_make(&cut, &l->law, l->least_s, l->most_s))
        return error_set(err, "%s: hardly anything of this law lies between %g s and %g s", what,
                         l->least_s, l->most_s);
    cut_law_free(&cut);
    return 0;
}

static int check_kinds(const struct session_spec *s, struct error *err)
{
    double shares = 0;
    for (size_t i = 0; i < s->n_kinds; i++) {
        const struct session_kind *k = &s->kind[i];
        shares += k->share;
        if (check_law(&k->length, "length", err))
            return -1;
        if (k->thinks && (check_law(&k->think, "think", err) || check_law(&k->run, "run", err)))
            return -1;
        if (k->thinks && mean_s(&k->think) + mean_s(&k->run) < CYCLE_LEAST_S)
            return error_set(err, "think, run: want means of at least %g s, together",
                             CYCLE_LEAST_S);
    }
    if (s->n_kinds && !(shares > 0))
        return error_set(err, "kinds: want at least one share above 0");
    return 0;
}

int session_spec_check(const struct session_spec *s, struct error *err)
{
    double weekdays = 0;
    for (int d = 0; d < 5; d++)
        weekdays += s->weekly[d];
    if (check_law(&s->length, "length", err) || check_law(&s->think, "think", err) ||
        check_law(&s->run, "run", err) || check_law(&s->patience, "patience", err))
        return -1;
    if (session_cycle_s(s) < CYCLE_LEAST_S)
        return error_set(err, "think, run: want means of at least %g s, together", CYCLE_LEAST_S);
    if (check_kinds(s, err))
        return -1;
    if (s->rate_per_h <= 0 && weekdays <= 0)
        return error_set(err, "weekly: want a weekday with sessions, or a 'rate_per_h'");
    if (s->start_least_s > s->start_most_s)
        return error_set(err, "start_up: want least_s up to most_s");
    if (s->culling.how == CULL_RELEASE && s->culling.release_ns > s->culling.delete_ns)
        return error_set(err, "culling: want release_s up to delete_s");
    return 0;
}
