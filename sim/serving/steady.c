/* steady.c - see steady.h. */
#include "sim/serving/steady.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/serving/llm/flow.h"

#include <math.h>
#include <stdlib.h>

enum { HALVINGS = 60 };

/* ---- laws ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A column of the replay as a distribution, at the same quantiles as a law. */
static struct spread recorded(const struct request_list *l,
                              double (*of)(const struct recorded_request *))
{
    struct law_values v = { l->n, mem_new(l->n, sizeof(double)),
                            mem_new(l->n + 1, sizeof(double)) };
    struct cut_law cut;
    struct spread s = { 0 };
    for (size_t i = 0; i < l->n; i++)
        v.value[i] = of(&l->request[i]);
    qsort(v.value, v.n, sizeof *v.value, ascending);
    for (size_t i = 0; i < v.n; i++)
        v.sum[i + 1] = v.sum[i] + v.value[i];
    const struct law law = { 1,
                             { { .kind = LAW_EMPIRICAL, .weight = 1, .scale = 1, .values = &v } } };
    if (cut_law_make(&cut, &law, 0, INFINITY))
        s = spread_of_law(&cut);
    free(v.value);
    free(v.sum);
    return s;
}

static double service_of(const struct recorded_request *r)
{
    return seconds(r->service_ns);
}

static double prompt_of(const struct recorded_request *r)
{
    return r->prompt_tokens;
}

static double output_of(const struct recorded_request *r)
{
    return r->output_tokens;
}

static struct spread drawn(const struct law *l, double least, double most)
{
    struct cut_law cut;
    struct spread s = { 0 };
    if (cut_law_make(&cut, l, least, most))
        s = spread_of_law(&cut);
    cut_law_free(&cut);
    return s;
}

struct steady_laws steady_laws_of(const struct service *s, double gap_c2)
{
    const struct service_demand *d = &s->demand;
    struct steady_laws l = { .s = s, .gap_c2 = gap_c2, .capacity = service_capacity(s) };
    bool has_tokens = d->replay && d->replay->has_tokens;
    if (s->time.kind == TIME_LAW)
        l.time = drawn(&s->time.law, SERVICE_S_LEAST, SERVICE_S_MOST);
    if (s->time.kind == TIME_RECORDED)
        l.time = recorded(d->replay, service_of);
    if (service_is_llm(s)) {
        struct spread prompt =
            has_tokens ? recorded(d->replay, prompt_of) : drawn(&d->prompt_tokens, 0, TOKENS_MOST);
        l.output =
            has_tokens ? recorded(d->replay, output_of) : drawn(&d->output_tokens, 0, TOKENS_MOST);
        l.prompt_tokens = prompt.mean;
        if (s->time.kind == TIME_LLM)
            l.time = spread_scaled(&prompt, llm_prefill_s(&s->time.llm, 1));
        spread_free(&prompt);
    }
    return l;
}

void steady_laws_free(struct steady_laws *l)
{
    spread_free(&l->time);
    spread_free(&l->output);
}

void steady_free(struct steady *s)
{
    spread_free(&s->latency);
    spread_free(&s->first_token);
    spread_free(&s->per_token);
}

/* A target is met within rounding. */
static double within(const struct spread *s, double target_s)
{
    return spread_below(s, target_s * (1 + 1e-12));
}

/* ---- one at a time ---- */

static struct steady one_at_a_time(const struct steady_laws *l, double rate, uint32_t replicas,
                                   double speed)
{
    double service_s = l->time.mean / speed, offered = rate * service_s;
    struct steady r = { .wait =
                            wait_in_queue(replicas, offered, service_s,
                                          (l->gap_c2 + spread_c2(&l->time)) / 2, l->s->timeout_s) };
    struct spread time = spread_scaled(&l->time, 1 / speed);
    r.latency = spread_after_wait(&time, &r.wait);
    r.kept = within(&r.latency, l->s->slo.latency_s);
    r.busy = r.in_service = offered / replicas * (1 - r.wait.leaves);
    spread_free(&time);
    return r;
}

/* ---- batches ---- */

static bool batches_suffice(const struct steady_laws *l, double rate, uint32_t replicas,
                            double speed, double k)
{
    return rate / k * batch_s(&l->s->time.batch, k) / speed < replicas;
}

static struct wait_law wait_of_batch(const struct steady_laws *l, double rate, uint32_t replicas,
                                     double speed, double k)
{
    double service_s = batch_s(&l->s->time.batch, k) / speed, offered = rate / k * service_s;
    return wait_in_queue(replicas, offered, service_s, l->gap_c2 / k / 2, INFINITY);
}

/* Whether more than k - 1 others arrive before a batch of k begins. */
static bool would_be_larger(const struct steady_laws *l, double rate, uint32_t replicas,
                            double speed, double opens_s, double k)
{
    if (!batches_suffice(l, rate, replicas, speed, k))
        return true;
    struct wait_law w = wait_of_batch(l, rate, replicas, speed, k);
    return 1 + rate * (opens_s + wait_mean(&w)) > k;
}

static struct steady batches(const struct steady_laws *l, double rate, uint32_t replicas,
                             double speed)
{
    const struct batch_model *b = &l->s->time.batch;
    double opens_s = fmin(b->window_s, (b->max - 1) / rate), low = 1, high = b->max;
    for (int i = 0; i < HALVINGS; i++) { /* a larger batch waits less: one k agrees with its wait */
        double k = low + (high - low) / 2;
        *(would_be_larger(l, rate, replicas, speed, opens_s, k) ? &low : &high) = k;
    }
    struct steady r = { .wait = wait_of_batch(l, rate, replicas, speed, high) };
    double service_s = batch_s(b, high) / speed,
           joins_s = opens_s + wait_mean(&r.wait) * (1 - 1 / high);
    struct wait_law of_first = r.wait;
    of_first.waits /= high;                       /* the first of the batch waits all of it */
    struct spread formed = spread_last_of(service_s, service_s + joins_s, high);
    r.latency = spread_after_wait(&formed, &of_first);
    r.kept = within(&r.latency, l->s->slo.latency_s);
    r.in_service = rate * service_s / replicas;
    r.busy = r.in_service / high;
    spread_free(&formed);
    return r;
}

/* ---- LLM ---- */

/* Decode: the time of a token as an arrival finds it, the wait for a slot, the share of the
 * replicas with a sequence. */
struct decode { struct spread step; struct wait_law wait; double busy; };

/* mass[n], n < slots: proportional to P(n sequences); returns that of all slots. */
static double decode_masses(const struct steady_laws *l, double rate, uint32_t replicas,
                            double speed, double *mass, uint32_t slots)
{
    double tokens = rate * l->output.mean / speed;
    mass[0] = 1;
    for (uint32_t n = 1;; n++) {
        double of_n =
            mass[n - 1] * tokens * llm_token_s(&l->s->time.llm, fmax(1, (double)n / replicas)) / n;
        for (uint32_t i = 0; of_n > 1e200 && i < n; i++)
            mass[i] *= 1e-200;
        of_n *= of_n > 1e200 ? 1e-200 : 1;
        if (n == slots)
            return of_n;
        mass[n] = of_n;
    }
}

static struct decode decode_of(const struct steady_laws *l, double rate, uint32_t replicas,
                               double speed)
{
    const struct llm_model *m = &l->s->time.llm;
    uint32_t slots = service_slots(l->s) * replicas;
    double *mass = mem_new(slots + 1, sizeof *mass), *at = mem_new(slots + 1, sizeof *at), sum = 0;
    double full_s =
               l->time.mean / speed + l->output.mean * llm_token_s(m, service_slots(l->s)) / speed,
           serves = slots / full_s;
    mass[slots] = decode_masses(l, rate, replicas, speed, mass, slots) / (1 - rate / serves);
    for (uint32_t n = 0; n <= slots; n++) {
        at[n] = llm_token_s(m, fmin(fmax(1, (n + 1.0) / replicas), service_slots(l->s))) / speed;
        sum += mass[n];
    }
    double busy = 0;
    for (uint32_t n = 0; n <= slots; n++) {
        mass[n] /= sum;
        busy += mass[n] * fmin(1, (double)n / replicas);
    }
    double c2 = (l->gap_c2 + spread_c2(&l->output)) / 2;
    struct decode d = {
        spread_of_atoms(at, mass, slots + 1),
        wait_law_of(mass[slots], (serves - rate) / c2, serves / c2, l->s->timeout_s), busy
    };
    free(at);
    free(mass);
    return d;
}

/* first_token contains the wait and the prefill. */
static void add_decode(const struct steady_laws *l, struct steady *r)
{
    const struct service_slo *slo = &l->s->slo;
    struct spread decode = spread_scaled(&l->output, r->per_token.mean);
    r->latency = spread_sum(&decode, &r->first_token);
    if (l->s->time.kind == TIME_ENGINE)          /* its first token is one of the output */
        spread_move(&r->latency, -r->per_token.mean);
    r->kept =
        within(&r->per_token, slo->per_token_s) *
        fmin(within(&r->first_token, slo->first_token_s), within(&r->latency, slo->latency_s));
    spread_free(&decode);
}

static struct steady sequences_at_once(const struct steady_laws *l, double rate, uint32_t replicas,
                                       double speed)
{
    struct decode d = decode_of(l, rate, replicas, speed);
    double prefill_s = l->time.mean / speed;
    struct steady r = { .per_token = d.step,
                        .wait =
                            wait_in_queue(replicas, rate * prefill_s, prefill_s,
                                          (l->gap_c2 + spread_c2(&l->time)) / 2, l->s->timeout_s) };
    if (wait_mean(&d.wait) > wait_mean(&r.wait))
        r.wait = d.wait;
    struct spread prefill = spread_scaled(&l->time, 1 / speed);
    r.first_token = spread_after_wait(&prefill, &r.wait);
    add_decode(l, &r);
    r.in_service =
        rate * (1 - r.wait.leaves) * (prefill_s + l->output.mean * r.per_token.mean) / replicas;
    r.busy = 1 - (1 - d.busy) * (1 - fmin(1, rate * prefill_s / replicas));
    spread_free(&prefill);
    return r;
}

/* ---- LLM, step by step ---- */

/* Without distributions, but with their means. */
static struct steady pace_of_flow(const struct steady_laws *l, const struct llm_flow *f)
{
    const struct llm_batching *b = &l->s->time.engine;
    struct steady r = { .busy = f->busy, .duty = f->gpu, .steps = f->busy, .tdp = f->tdp };
    r.first_token.mean = f->first_s;
    r.per_token.mean = f->token_s;
    r.kv = fmin(1, f->context / (llm_batching_blocks(b) * b->block));
    return r;
}

static void give_times(const struct steady_laws *l, struct steady *r, double from_s, double to_s)
{
    r->first_token = spread_uniform(from_s, to_s);
    r->per_token = spread_uniform(r->per_token.mean, r->per_token.mean);
    add_decode(l, r);
}

static struct steady step_by_step(const struct steady_laws *l, double rate, uint32_t replicas,
                                  double speed)
{
    struct llm_flow f =
        llm_flow_of(&l->s->time.engine, l->prompt_tokens, l->output.mean, rate / replicas, speed);
    struct steady r = pace_of_flow(l, &f);
    give_times(l, &r, f.first_s - f.found_s / 2, f.first_s + f.found_s / 2);
    r.in_service = rate / replicas * f.end_s;
    return r;
}

double steady_capacity(const struct steady_laws *l, uint32_t replicas, double speed)
{
    if (l->s->time.kind != TIME_ENGINE || replicas == 0)
        return speed * l->capacity;
    return replicas * llm_flow_most(&l->s->time.engine, l->prompt_tokens, l->output.mean,
                                    speed / replicas);
}

static struct steady steady_of(const struct steady_laws *l, double rate, uint32_t replicas,
                               double speed)
{
    switch (l->s->time.kind) {
    case TIME_ENGINE:
        return step_by_step(l, rate, replicas, speed / replicas);
    case TIME_BATCH:
        return batches(l, rate, replicas, speed / replicas);
    case TIME_LLM:
        return sequences_at_once(l, rate, replicas, speed / replicas);
    default:
        return one_at_a_time(l, rate, replicas, speed / replicas);
    }
}

struct steady steady_state(const struct steady_laws *l, double rate, uint32_t replicas,
                           double speed)
{
    struct steady r = steady_of(l, rate, replicas, speed);
    if (l->s->time.kind != TIME_ENGINE)
        r.duty = r.busy;
    return r;
}

struct steady steady_full(const struct steady_laws *l, uint32_t replicas, double speed)
{
    const struct service *s = l->s;
    const double each = speed / replicas, slots = service_slots(s);
    if (s->time.kind == TIME_ENGINE) {
        struct llm_flow f = llm_flow_full(&s->time.engine, l->prompt_tokens, l->output.mean, each);
        struct steady full = pace_of_flow(l, &f);
        full.in_service = f.running;
        return full;
    }
    struct steady full = { .busy = 1, .duty = 1, .in_service = slots };
    if (service_is_llm(s)) {
        full.first_token.mean = l->time.mean / each;
        full.per_token.mean = llm_token_s(&s->time.llm, slots) / each;
    }
    return full;
}

/* Of a service that does not run step by step. */
static void take_turns(const struct steady_laws *l, struct steady *r, double speed, double from_s,
                       double to_s)
{
    const struct service *s = l->s;
    struct spread wait = spread_uniform(from_s, to_s), time;
    if (s->time.kind == TIME_BATCH) {
        double each_s = batch_s(&s->time.batch, service_slots(s)) / speed;
        time = spread_uniform(each_s, each_s);
    } else {
        time = spread_scaled(&l->time, 1 / speed);
    }
    *(service_is_llm(s) ? &r->first_token : &r->latency) = spread_sum(&time, &wait);
    if (service_is_llm(s)) {
        r->per_token = spread_uniform(r->per_token.mean, r->per_token.mean);
        add_decode(l, r);
    } else {
        r->kept = within(&r->latency, s->slo.latency_s);
    }
    spread_free(&time);
    spread_free(&wait);
}

struct steady steady_behind_wait(const struct steady_laws *l, const struct steady *full,
                                 double speed, double from_wait_s, double to_wait_s)
{
    double least_s = fmin(from_wait_s, to_wait_s), most_s = fmax(from_wait_s, to_wait_s);
    struct steady r = *full;
    if (l->s->time.kind == TIME_ENGINE)
        give_times(l, &r, full->first_token.mean + least_s, full->first_token.mean + most_s);
    else
        take_turns(l, &r, speed, least_s, most_s);
    return r;
}
