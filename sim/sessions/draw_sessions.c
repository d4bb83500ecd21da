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

enum drawn_law { LENGTH, THINK, RUN, LAWS };
struct drawn_kind { struct cut_law law[LAWS]; bool thinks; double forgotten; };
struct drawing {
    const struct session_spec *spec;
    uint64_t seed;                /* of the group */
    struct drawn_kind *kind;      /* [1 or n_kinds] */
    struct cut_law patience;
    struct shares sizes, kinds;
    int64_t *phase_ns;            /* of one session */
    size_t room;
};

static uint64_t seed_of(const struct session_spec *s, uint64_t seed)
{
    return hash_bytes(s->name, strlen(s->name), seed);
}

static double uniform(const struct drawing *d, const char *purpose, uint64_t k)
{
    struct random r;
    random_init(&r, d->seed, purpose, k);
    return random_uniform(&r);
}

size_t sessions_choose(const struct session_spec *spec, uint64_t seed, const char *purpose,
                       uint64_t k, const struct shares *among)
{
    const struct drawing d = { .seed = seed_of(spec, seed) };
    return shares_choose(among, uniform(&d, purpose, k));
}

static int64_t time_ns(const struct cut_law *law, double u)
{
    int64_t ns = ns_of_seconds(cut_law_quantile(law, u));
    return ns > 0 ? ns : 1;
}

static void draw_phases(struct drawing *d, const struct drawn_kind *kind, struct session *x,
                        uint64_t k, struct arena *memory)
{
    struct random think, run;
    int64_t cap_ns = ns_of_seconds(d->spec->cap_s),
            most_ns = x->length_ns < cap_ns ? x->length_ns : cap_ns, sum_ns = 0;
    size_t n = 0;
    random_init(&think, d->seed, "session think", k);
    random_init(&run, d->seed, "session run", k);
    while (sum_ns <= most_ns) {
        mem_grow(&d->phase_ns, &d->room, n, sizeof *d->phase_ns);
        int64_t ns = !kind->thinks ? most_ns + 1
                     : n % 2       ? time_ns(&kind->law[RUN], random_uniform(&run))
                                   : time_ns(&kind->law[THINK], random_uniform(&think));
        d->phase_ns[n++] = ns;
        sum_ns += ns;
    }
    int64_t *kept = arena_alloc(memory, n * sizeof *kept);
    memcpy(kept, d->phase_ns, n * sizeof *kept);
    x->phase_ns = kept;
    x->n_phases = (uint32_t)n;
}

static void draw_waits(struct drawing *d, struct session *x, uint64_t k)
{
    const struct session_spec *s = d->spec;
    x->patience_ns = time_ns(&d->patience, uniform(d, "session patience", k));
    x->start_up_ns = ns_of_seconds(s->start_least_s + (s->start_most_s - s->start_least_s) *
                                                          uniform(d, "session start-up", k));
}

static struct session draw_one(struct drawing *d, double at_s, uint64_t k, struct arena *memory)
{
    const struct session_spec *s = d->spec;
    const struct drawn_kind *kind = d->kind;
    if (s->n_kinds)
        kind += shares_choose(&d->kinds, uniform(d, "session kind", k));
    struct session x = {
        .submit_ns = ns_of_seconds(at_s),
        .length_ns = time_ns(&kind->law[LENGTH], uniform(d, "session length", k)),
        .user = (uint32_t)(uniform(d, "session user", k) * s->users),
        .size = (uint16_t)shares_choose(&d->sizes, uniform(d, "session size", k)),
        .kind = (uint16_t)(kind - d->kind),
        .forgotten = uniform(d, "session forgotten", k) < kind->forgotten,
    };
    draw_waits(d, &x, k);
    draw_phases(d, kind, &x, k, memory);
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

/* session_spec_check() has checked the law */
static void cut(struct cut_law *to, const struct session_law *l)
{
    (void)cut_law_make(to, &l->law, l->least_s, l->most_s);
}

static void begin_kind(struct drawn_kind *to, const struct session_kind *k)
{
    to->thinks = k->thinks;
    to->forgotten = k->forgotten;
    cut(&to->law[LENGTH], &k->length);
    if (k->thinks) {
        cut(&to->law[THINK], &k->think);
        cut(&to->law[RUN], &k->run);
    }
}

static void begin(struct drawing *d)
{
    const struct session_spec *s = d->spec;
    const struct session_kind only = { 1, true, s->length, s->think, s->run, s->forgotten };
    size_t n = s->n_kinds ? s->n_kinds : 1;
    double *share = mem_new(s->n_sizes + n, sizeof *share);
    d->kind = mem_new(n, sizeof *d->kind);
    for (size_t i = 0; i < s->n_sizes; i++)
        share[i] = s->size[i].share;
    d->sizes = shares_of(share, s->n_sizes);
    for (size_t i = 0; i < n; i++) {
        const struct session_kind *k = s->n_kinds ? &s->kind[i] : &only;
        begin_kind(&d->kind[i], k);
        share[i] = k->share;
    }
    d->kinds = shares_of(share, n);
    cut(&d->patience, &s->patience);
    free(share);
}

static void end(struct drawing *d)
{
    size_t n = d->spec->n_kinds ? d->spec->n_kinds : 1;
    for (size_t i = 0; i < n; i++)
        for (int l = 0; l < LAWS; l++)
            cut_law_free(&d->kind[i].law[l]);
    cut_law_free(&d->patience);
    shares_free(&d->sizes);
    shares_free(&d->kinds);
    free(d->kind);
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
    struct drawing d = { .spec = spec, .seed = seed_of(spec, seed) };
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

void sessions_replay(struct sessions *to, const struct session_spec *spec, uint64_t seed,
                     const struct session *recorded, size_t n, struct arena *memory)
{
    struct drawing d = { .spec = spec, .seed = seed_of(spec, seed) };
    *to = rules_of(spec, memory);
    to->session = arena_alloc(memory, (n + 1) * sizeof *to->session);
    begin(&d);
    for (; to->n < n; to->n++) {
        struct session *x = &to->session[to->n];
        *x = recorded[to->n];
        draw_waits(&d, x, to->n);
        int64_t *kept = arena_alloc(memory, x->n_phases * sizeof *kept);
        memcpy(kept, x->phase_ns, x->n_phases * sizeof *kept);
        x->phase_ns = kept;
        hash_one(&to->drawn, x);
    }
    end(&d);
}
