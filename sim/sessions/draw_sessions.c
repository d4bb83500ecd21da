/* draw_sessions.c - see draw_sessions.h. */
#include "sim/sessions/draw_sessions.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/units.h"
#include "sim/models/draws/arrivals.h"
#include "sim/models/draws/cut_law.h"
#include "sim/models/draws/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_S 3600.0

enum drawn_law { LENGTH, PATIENCE, THINK, RUN, LAWS };
struct drawing {
    const struct session_spec *spec;
    uint64_t seed;                /* of the group */
    struct cut_law law[LAWS];
    struct shares sizes;
    int64_t *phase_ns;            /* of one session */
    size_t room;
};

static double uniform(const struct drawing *d, const char *purpose, uint64_t k)
{
    struct random r;
    random_init(&r, d->seed, purpose, k);
    return random_uniform(&r);
}

static int64_t time_ns(const struct drawing *d, enum drawn_law law, double u)
{
    int64_t ns = ns_of_seconds(cut_law_quantile(&d->law[law], u));
    return ns > 0 ? ns : 1;
}

static void draw_phases(struct drawing *d, struct session *x, uint64_t k, struct arena *memory)
{
    struct random think, run;
    int64_t cap_ns = ns_of_seconds(d->spec->cap_s),
            most_ns = x->length_ns < cap_ns ? x->length_ns : cap_ns, sum_ns = 0;
    size_t n = 0;
    random_init(&think, d->seed, "session think", k);
    random_init(&run, d->seed, "session run", k);
    while (sum_ns <= most_ns) {
        mem_grow(&d->phase_ns, &d->room, n, sizeof *d->phase_ns);
        int64_t ns = n % 2 ? time_ns(d, RUN, random_uniform(&run))
                           : time_ns(d, THINK, random_uniform(&think));
        d->phase_ns[n++] = ns;
        sum_ns += ns;
    }
    int64_t *kept = arena_alloc(memory, n * sizeof *kept);
    memcpy(kept, d->phase_ns, n * sizeof *kept);
    x->phase_ns = kept;
    x->n_phases = (uint32_t)n;
}

static struct session draw_one(struct drawing *d, double at_s, uint64_t k, struct arena *memory)
{
    const struct session_spec *s = d->spec;
    struct session x = {
        .submit_ns = ns_of_seconds(at_s),
        .length_ns = time_ns(d, LENGTH, uniform(d, "session length", k)),
        .patience_ns = time_ns(d, PATIENCE, uniform(d, "session patience", k)),
        .start_up_ns = ns_of_seconds(s->start_least_s + (s->start_most_s - s->start_least_s) *
                                                            uniform(d, "session start-up", k)),
        .user = (uint32_t)(uniform(d, "session user", k) * s->users),
        .size = (uint16_t)shares_choose(&d->sizes, uniform(d, "session size", k)),
        .forgotten = uniform(d, "session forgotten", k) < s->forgotten,
    };
    draw_phases(d, &x, k, memory);
    return x;
}

static void add(uint64_t *hash, uint64_t word)
{
    *hash = hash_u64(*hash + word) + UINT64_C(0x9e3779b97f4a7c15);
}

static void hash_one(uint64_t *hash, const struct session *x)
{
    add(hash, (uint64_t)x->submit_ns);
    add(hash, (uint64_t)x->length_ns);
    add(hash, (uint64_t)x->patience_ns);
    add(hash, (uint64_t)x->start_up_ns);
    add(hash, (uint64_t)x->user | (uint64_t)x->size << 32 | (uint64_t)x->forgotten << 48);
    for (uint32_t i = 0; i < x->n_phases; i++)
        add(hash, (uint64_t)x->phase_ns[i]);
}

static void begin(struct drawing *d)
{
    const struct session_spec *s = d->spec;
    const struct session_law *laws[LAWS] = {
        [LENGTH] = &s->length, [PATIENCE] = &s->patience, [THINK] = &s->think, [RUN] = &s->run
    };
    double *share = mem_new(s->n_sizes, sizeof *share);
    for (int i = 0; i < LAWS; i++)
        /* session_spec_check() has checked it */
        (void)cut_law_make(&d->law[i], &laws[i]->law, laws[i]->least_s, laws[i]->most_s);
    for (size_t i = 0; i < s->n_sizes; i++)
        share[i] = s->size[i].share;
    d->sizes = shares_of(share, s->n_sizes);
    free(share);
}

static void end(struct drawing *d)
{
    for (int i = 0; i < LAWS; i++)
        cut_law_free(&d->law[i]);
    shares_free(&d->sizes);
    free(d->phase_ns);
}

static struct sessions rules_of(const struct session_spec *s, struct arena *memory)
{
    return (struct sessions){ .name = arena_text(memory, s->name, strlen(s->name)),
                              .culling = s->culling,
                              .cap_ns = ns_of_seconds(s->cap_s),
                              .slo_ns = ns_of_seconds(s->slo_s),
                              .slo_share = s->slo_share,
                              .duty = s->duty };
}

bool sessions_draw(struct sessions *to, const struct session_spec *spec, uint64_t seed,
                   int64_t since_1970_ns, double until_s, size_t most, struct arena *memory)
{
    static const struct arrival_law poisson = { .kind = ARRIVE_POISSON };
    struct drawing d = { .spec = spec, .seed = hash_bytes(spec->name, strlen(spec->name), seed) };
    struct calendar calendar = calendar_of(spec->daily, spec->weekly, 0, since_1970_ns);
    struct arrivals a = arrivals_from(&poisson, &calendar, session_rate_per_h(spec) / HOUR_S,
                                      d.seed, "session arrivals");
    struct session *session = NULL;
    size_t room = 0;
    double at_s;
    *to = rules_of(spec, memory);
    begin(&d);
    while ((at_s = arrivals_next(&a)) < until_s && to->n <= most) {
        mem_grow(&session, &room, to->n, sizeof *session);
        session[to->n] = draw_one(&d, at_s, to->n, memory);
        hash_one(&to->drawn, &session[to->n++]);
    }
    to->session = arena_alloc(memory, (to->n + 1) * sizeof *session);
    if (to->n)
        memcpy(to->session, session, to->n * sizeof *session);
    free(session);
    end(&d);
    return to->n <= most;
}
