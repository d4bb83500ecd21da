/* fluid.c - see fluid.h. */
#include "sim/serving/fluid.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/units.h"
#include "sim/serving/backlog.h"
#include "sim/serving/steady.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SATURATED (1 - 1e-9)      /* share of the capacity from which on it is overload */

struct flow_delays { struct delays latency, first_token, per_token; };

/* A cache of equilibria: rates are constant for an hour, replicas for longer. */
enum { KEPT_STATES = 64 };
struct kept_state {
    double rate, speed, clock;
    uint32_t replicas;
    struct steady steady;
    double served;                /* in the interval in this state, not yet in its counts */
    double served_before;         /* up to the interval, not yet in the counts of the total */
    bool has_alone;
    struct flow_delays alone;     /* of an interval with nothing else */
};

/* Fluid that a backlog let wait along one line: stretches of one state behind each other, not yet
 * in the counts of the interval. Waits are uniform in from_s .. to_s. */
struct waited {
    double speed, clock;
    uint32_t replicas;
    struct steady full;           /* at this speed, with no distribution */
    double from_s, to_s, served;
};

struct flow_tally {
    int64_t from_ns;
    double arrived, served, dropped, kept, replica_s, busy_s, concurrency_s, windows, windows_kept;
    double gpu_s, kv_s, kv_peak;  /* of replicas that run step by step */
    double first_token_s, per_token_s;       /* sums over served requests */
    struct flow_counts latency, first_token, per_token;
};

struct fluid {
    const struct service *s;
    struct demand *demand;
    struct steady_laws laws;
    struct backlog backlog;
    struct service at_clock;      /* s, with the law of a step at `clock`; that of laws */
    double *speed;                /* [n_replicas] by id; 0: not ready */
    double *each_clock;           /* [n_replicas] */
    double clock;                 /* mean of the ready replicas */
    uint32_t n_replicas, ready;
    double all_speed;             /* sum over ready replicas */
    double capacity;              /* of all ready replicas */
    double in_service;            /* now */
    struct replica_work each;     /* of a replica that was always ready */
    int64_t now_ns;
    struct flow_tally interval, total;       /* total: up to the interval */
    double window_ended, window_kept;        /* of this minute */
    struct kept_state state[KEPT_STATES];
    struct waited waited;
};

struct fluid *fluid_new(const struct service *s, uint64_t seed)
{
    struct fluid *f = mem_new(1, sizeof *f);
    f->s = s;
    f->demand = demand_new(s, seed);
    f->at_clock = *s;
    f->clock = 1;
    f->laws = steady_laws_of(&f->at_clock, demand_gap_c2(f->demand));
    f->backlog = backlog_new(s->timeout_s);
    return f;
}

static void free_counts(struct flow_tally *t)
{
    flow_counts_free(&t->latency);
    flow_counts_free(&t->first_token);
    flow_counts_free(&t->per_token);
}

void fluid_free(struct fluid *f)
{
    if (!f)
        return;
    for (int i = 0; i < KEPT_STATES; i++)
        steady_free(&f->state[i].steady);
    demand_free(f->demand);
    steady_laws_free(&f->laws);
    backlog_free(&f->backlog);
    free_counts(&f->interval);
    free_counts(&f->total);
    free(f->speed);
    free(f->each_clock);
    free(f);
}

static void add_counts(const struct fluid *f, struct flow_tally *t, const struct steady *s,
                       double served)
{
    if (!(served > 0))
        return;
    flow_counts_add(&t->latency, &s->latency, served);
    if (!service_is_llm(f->s))
        return;
    flow_counts_add(&t->first_token, &s->first_token, served);
    flow_counts_add(&t->per_token, &s->per_token, served);
}

/* Those of the total go there when the state ends, or at the end of all. */
static void end_state(struct fluid *f, struct kept_state *k)
{
    add_counts(f, &f->interval, &k->steady, k->served);
    add_counts(f, &f->total, &k->steady, k->served_before);
    steady_free(&k->steady);
}

static struct kept_state *equilibrium(struct fluid *f, double rate)
{
    const double key[] = { rate, f->all_speed, f->ready };
    struct kept_state *k = &f->state[hash_bytes(key, sizeof key, 0) % KEPT_STATES];
    if (k->rate != rate || k->speed != f->all_speed || k->clock != f->clock ||
        k->replicas != f->ready) {
        end_state(f, k);
        *k = (struct kept_state){
            .rate = rate,
            .speed = f->all_speed,
            .clock = f->clock,
            .replicas = f->ready,
            .steady = steady_state(&f->laws, rate, f->ready, f->all_speed),
        };
    }
    return k;
}

/* ---- intervals of constant rate ---- */

static void count(struct fluid *f, const struct steady *s, double passed_s, double served,
                  double dropped)
{
    struct flow_tally *t = &f->interval;
    t->served += served;
    t->dropped += dropped;
    t->kept += served * s->kept;
    t->busy_s += passed_s * s->busy * f->ready;
    f->each.busy_s += passed_s * s->duty;
    f->each.steps_s += passed_s * s->steps;
    f->each.tdp_s += passed_s * s->tdp;
    t->gpu_s += passed_s * s->duty * f->ready;
    t->kv_s += passed_s * s->kv * f->ready;
    t->kv_peak = fmax(t->kv_peak, s->kv);
    t->first_token_s += served * s->first_token.mean;
    t->per_token_s += served * s->per_token.mean;
    t->concurrency_s += passed_s * s->in_service * f->ready;
    f->in_service = s->in_service * f->ready;
    f->window_ended += served + dropped;
    f->window_kept += served * s->kept;
}

static void calm(struct fluid *f, double rate, double until_s)
{
    double passed_s = until_s - f->backlog.now_s;
    f->in_service = 0;
    if (rate > 0) {
        struct kept_state *k = equilibrium(f, rate);
        double leaves = rate * passed_s * k->steady.wait.leaves, served = rate * passed_s - leaves;
        count(f, &k->steady, passed_s, served, leaves);
        k->served += served;
    }
    backlog_skip(&f->backlog, until_s);
}

/* Its counts and what it kept go to t; returns what it kept. */
static double add_waited(const struct fluid *f, struct flow_tally *t)
{
    const struct waited *w = &f->waited;
    if (!(w->served > 0))
        return 0;
    struct steady s =
        steady_behind_wait(&f->laws, &w->full, w->speed / w->replicas, w->from_s, w->to_s);
    double kept = w->served * s.kept;
    add_counts(f, t, &s, w->served);
    t->kept += kept;
    steady_free(&s);
    return kept;
}

static void end_waited(struct fluid *f)
{
    f->window_kept += add_waited(f, &f->interval);
    f->waited.served = 0;
}

/* The state of now; an older one ends. */
static struct waited *waited_now(struct fluid *f)
{
    struct waited *w = &f->waited;
    if (w->speed != f->all_speed || w->clock != f->clock || w->replicas != f->ready) {
        end_waited(f);
        *w = (struct waited){ .speed = f->all_speed,
                              .clock = f->clock,
                              .replicas = f->ready,
                              .full = steady_full(&f->laws, f->ready, f->all_speed) };
    }
    return w;
}

/* Whether the step goes on along the line of the stretches before it, to a nanosecond. */
static bool goes_on(const struct waited *w, const struct backlog_step *step)
{
    const double off_s = 1e-9, rise = (w->to_s - w->from_s) / w->served;
    return fabs(step->from_wait_s - w->to_s) <= off_s &&
           fabs(step->from_wait_s + rise * step->served - step->to_wait_s) <= off_s;
}

static void overload(struct fluid *f, double rate, double capacity, double until_s)
{
    /* saturated within rounding: no queue, no idle replica */
    if (backlog_is_empty(&f->backlog) && rate < capacity)
        capacity = rate;
    struct backlog_step step = backlog_advance(&f->backlog, rate, capacity, until_s);
    if (!(step.served > 0)) {
        count(f, &(struct steady){ 0 }, step.passed_s, 0, step.dropped);
        return;
    }
    struct waited *w = waited_now(f);
    if (w->served > 0 && !goes_on(w, &step))
        end_waited(f);
    if (w->served == 0)
        w->from_s = step.from_wait_s;
    w->to_s = step.to_wait_s;
    w->served += step.served;
    struct steady now = w->full;
    if (service_is_llm(f->s))
        now.first_token.mean += (step.from_wait_s + step.to_wait_s) / 2;
    count(f, &now, step.passed_s, step.served, step.dropped);
}

static void stretch(struct fluid *f, double rate, int64_t until_ns)
{
    double until_s = seconds(until_ns), capacity = f->capacity;
    f->interval.arrived += rate * (until_s - f->backlog.now_s);
    f->interval.replica_s += (until_s - f->backlog.now_s) * f->ready;
    while (f->backlog.now_s < until_s)
        if (backlog_is_empty(&f->backlog) && (rate == 0 || rate < capacity * SATURATED))
            calm(f, rate, until_s);
        else
            overload(f, rate, capacity, until_s);
    f->now_ns = until_ns;
}

static void end_window(const struct fluid *f, struct flow_tally *t, double kept)
{
    t->windows += f->window_ended > 0;
    t->windows_kept += f->window_ended > 0 && kept >= f->s->slo.share * f->window_ended;
}

void fluid_advance(struct fluid *f, int64_t to_ns)
{
    while (f->now_ns < to_ns) {
        int64_t window_ns = (f->now_ns / SLO_WINDOW_NS + 1) * SLO_WINDOW_NS, until_ns;
        double rate =
            demand_rate(f->demand, f->now_ns, window_ns < to_ns ? window_ns : to_ns, &until_ns);
        stretch(f, rate, until_ns);
        if (until_ns == window_ns) {
            end_waited(f);
            end_window(f, &f->interval, f->window_kept);
            f->window_ended = f->window_kept = 0;
        }
    }
}

/* ---- replicas ---- */

static void set_clock(struct fluid *f, double clock)
{
    if (clock == f->clock || f->s->time.kind != TIME_ENGINE)
        return;
    f->clock = clock;
    f->at_clock.time.engine.law = llm_law_at_clock(&f->s->time.engine.law, clock);
}

/* What is known of single replicas, for all of them. */
static void add_up(struct fluid *f)
{
    double clocks = 0;
    f->all_speed = 0;
    f->ready = 0;
    for (uint32_t i = 0; i < f->n_replicas; i++) {
        f->all_speed += f->speed[i];      /* in order of ids: equal replicas, equal sum */
        f->ready += f->speed[i] > 0;
        clocks += f->speed[i] > 0 ? f->each_clock[i] : 0;
    }
    set_clock(f, f->ready ? clocks / f->ready : 1);
    f->capacity = steady_capacity(&f->laws, f->ready, f->all_speed);
}

static void set_speed(struct fluid *f, uint32_t id, double speed)
{
    if (id < f->n_replicas && f->speed[id] == speed)
        return;
    if (id >= f->n_replicas) {
        f->speed = mem_resize(f->speed, id + 1, sizeof *f->speed);
        f->each_clock = mem_resize(f->each_clock, id + 1, sizeof *f->each_clock);
        for (; f->n_replicas <= id; f->n_replicas++) {
            f->speed[f->n_replicas] = 0;
            f->each_clock[f->n_replicas] = 1;
        }
    }
    f->speed[id] = speed;
    if (speed == 0)
        f->each_clock[id] = 1;
    add_up(f);
}

void fluid_replica_clock(struct fluid *f, uint32_t id, double clock)
{
    assert(clock > 0 && id < f->n_replicas && f->speed[id] > 0);
    if (f->each_clock[id] == clock)
        return;
    f->each_clock[id] = clock;
    add_up(f);
}

void fluid_replica_ready(struct fluid *f, uint32_t id, double speed)
{
    assert(speed > 0 && (id >= f->n_replicas || f->speed[id] == 0));
    set_speed(f, id, speed);
}

void fluid_replica_speed(struct fluid *f, uint32_t id, double speed)
{
    assert(speed > 0 && id < f->n_replicas && f->speed[id] > 0);
    set_speed(f, id, speed);
}

struct replica_work fluid_replica_work(const struct fluid *f)
{
    return f->each;
}

void fluid_replica_gone(struct fluid *f, uint32_t id)
{
    assert(id < f->n_replicas && f->speed[id] > 0);
    set_speed(f, id, 0);
}

/* ---- results ---- */

static void add_tally(struct flow_tally *to, const struct flow_tally *more)
{
    to->arrived += more->arrived;
    to->served += more->served;
    to->dropped += more->dropped;
    to->kept += more->kept;
    to->replica_s += more->replica_s;
    to->busy_s += more->busy_s;
    to->concurrency_s += more->concurrency_s;
    to->gpu_s += more->gpu_s;
    to->kv_s += more->kv_s;
    to->first_token_s += more->first_token_s;
    to->per_token_s += more->per_token_s;
    to->kv_peak = fmax(to->kv_peak, more->kv_peak);
    to->windows += more->windows;
    to->windows_kept += more->windows_kept;
    flow_counts_merge(&to->latency, &more->latency);
    flow_counts_merge(&to->first_token, &more->first_token);
    flow_counts_merge(&to->per_token, &more->per_token);
}

/* Not in equilibrium: gaps between single tokens, preempted requests. */
static struct engine_figures engine_figures_of(const struct fluid *f, const struct flow_tally *t)
{
    double prompts = t->served * f->laws.prompt_tokens, known = f->s->time.engine.prefix_share;
    if (f->s->time.kind != TIME_ENGINE)
        return (struct engine_figures){ 0 };
    return (struct engine_figures){ .gap = { NAN, NAN, NAN, NAN, NAN },
                                    .computed_tokens = prompts * (1 - known),
                                    .skipped_tokens = prompts * known,
                                    .gpu_s = t->gpu_s,
                                    .kv_s = t->kv_s,
                                    .kv_peak = t->kv_peak };
}

static struct flow_delays delays_of(const struct flow_tally *t)
{
    return (struct flow_delays){ flow_counts_delays(&t->latency),
                                 flow_counts_delays(&t->first_token),
                                 flow_counts_delays(&t->per_token) };
}

static struct serving_figures figures_of(const struct fluid *f, const struct flow_tally *t,
                                         const struct flow_delays *d)
{
    bool llm = service_is_llm(f->s);
    return (struct serving_figures){
        .from_ns = t->from_ns,
        .to_ns = f->now_ns,
        .arrived = t->arrived,
        .served = t->served,
        .dropped = t->dropped,
        .unfinished = backlog_amount(&f->backlog),
        .kept = t->kept,
        .latency = d->latency,
        .first_token = d->first_token,
        .per_token = d->per_token,
        .replica_s = t->replica_s,
        .busy_s = t->busy_s,
        .concurrency_s = t->concurrency_s,
        .windows = t->windows,
        .windows_kept = t->windows_kept,
        .prompt_tokens = t->served * f->laws.prompt_tokens,
        .output_tokens = llm ? t->served * f->laws.output.mean : 0,
        .engine = engine_figures_of(f, t),
    };
}

struct serving_load fluid_load(const struct fluid *f)
{
    const struct flow_tally *a = &f->total, *b = &f->interval;
    return (struct serving_load){
        .at_ns = f->now_ns,
        .ready = f->ready,
        .waiting = backlog_amount(&f->backlog),
        .in_service = f->ready ? f->in_service : 0,
        .arrived = a->arrived + b->arrived,
        .served = a->served + b->served,
        .dropped = a->dropped + b->dropped,
        .replica_s = a->replica_s + b->replica_s,
        .busy_s = f->s->time.kind == TIME_ENGINE ? a->gpu_s + b->gpu_s : a->busy_s + b->busy_s,
        .concurrency_s = a->concurrency_s + b->concurrency_s,
        .kv_s = a->kv_s + b->kv_s,
        .tokens = (a->served + b->served) * f->laws.output.mean,
        .first_token_s = a->first_token_s + b->first_token_s,
        .per_token_s = a->per_token_s + b->per_token_s,
    };
}

static void clear_counts(struct flow_tally *t)
{
    flow_counts_clear(&t->latency);
    flow_counts_clear(&t->first_token);
    flow_counts_clear(&t->per_token);
}

/* The only state of the interval; NULL: there was more, or nothing. */
static struct kept_state *state_alone(struct fluid *f)
{
    struct kept_state *only = NULL;
    if (f->interval.latency.n > 0)
        return NULL;
    for (int i = 0; i < KEPT_STATES; i++) {
        if (f->state[i].served > 0 && only)
            return NULL;
        only = f->state[i].served > 0 ? &f->state[i] : only;
    }
    return only;
}

static struct flow_delays interval_delays(struct fluid *f)
{
    struct kept_state *alone = state_alone(f);
    if (alone && alone->has_alone)
        return alone->alone;
    for (int i = 0; i < KEPT_STATES; i++)
        add_counts(f, &f->interval, &f->state[i].steady, f->state[i].served);
    struct flow_delays d = delays_of(&f->interval);
    if (alone) {
        alone->has_alone = true;
        alone->alone = d;
        clear_counts(&f->interval);
    }
    for (int i = 0; i < KEPT_STATES && !alone; i++)
        f->state[i].served = 0;
    return d;
}

struct serving_figures fluid_take_figures(struct fluid *f)
{
    end_waited(f);
    struct flow_delays delays = interval_delays(f);
    struct serving_figures figures = figures_of(f, &f->interval, &delays);
    for (int i = 0; i < KEPT_STATES; i++) {
        f->state[i].served_before += f->state[i].served;
        f->state[i].served = 0;
    }
    add_tally(&f->total, &f->interval);
    clear_counts(&f->interval);
    f->interval = (struct flow_tally){ .from_ns = f->now_ns,
                                       .latency = f->interval.latency,
                                       .first_token = f->interval.first_token,
                                       .per_token = f->interval.per_token };
    return figures;
}

struct serving_figures fluid_total(const struct fluid *f)
{
    struct flow_tally all = { 0 };
    add_tally(&all, &f->total);
    add_tally(&all, &f->interval);
    for (int i = 0; i < KEPT_STATES; i++)
        add_counts(f, &all, &f->state[i].steady, f->state[i].served + f->state[i].served_before);
    end_window(f, &all, f->window_kept + add_waited(f, &all));
    struct flow_delays delays = delays_of(&all);
    struct serving_figures figures = figures_of(f, &all, &delays);
    free_counts(&all);
    return figures;
}

uint64_t fluid_drawn(const struct fluid *f)
{
    return demand_drawn(f->demand);
}
