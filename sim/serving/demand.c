/* demand.c - see demand.h. */
#include "sim/serving/demand.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/units.h"
#include "sim/models/draws/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct demand {
    const struct service *s;
    uint64_t seed;                /* of this service */
    struct arrivals arrivals;
    struct cut_law time, prompt, output;
    struct shares popular;        /* of the adapters, or of the models; n 0: none is drawn */
    uint64_t number;              /* of the next request */
    size_t at;                    /* in the replay */
    int64_t least_ns;             /* lower bound of the next arrival */
    struct service_request next;
    bool has_next, ended;
    double rate;                  /* of the last call of demand_rate() */
    uint64_t drawn;
};

/* A law without parts is unused. */
static void cut(struct cut_law *c, const struct law *l, double least, double most)
{
    if (l->n && !cut_law_make(c, l, least, most))
        *c = (struct cut_law){ 0 };
}

static bool draws_adapters(const struct service *s)
{
    return s->time.kind == TIME_ENGINE && s->time.engine.adapters.n > 0 &&
           !(s->demand.replay && s->demand.replay->adapters > 0);
}

static bool draws_models(const struct service *s)
{
    return s->time.kind == TIME_ENGINE && s->time.engine.models.n > 0 &&
           !s->time.engine.models.recorded;
}

static struct shares shares_of_models(const struct llm_models *m)
{
    double weight[SERVED_MODELS];
    for (uint32_t k = 0; k < m->n; k++)
        weight[k] = m->of[k].share;
    return shares_of(weight, m->n);
}

struct demand *demand_new(const struct service *s, uint64_t seed)
{
    struct demand *d = mem_new(1, sizeof *d);
    d->s = s;
    d->seed = hash_bytes(s->name, strlen(s->name), seed);
    d->arrivals = arrivals_from(&s->demand.arrivals, &s->demand.calendar, s->demand.rate, d->seed,
                                "requests");
    d->least_ns = s->demand.start_ns;
    arrivals_skip_to(&d->arrivals, seconds(s->demand.start_ns));
    if (s->time.kind == TIME_LAW)
        cut(&d->time, &s->time.law, SERVICE_S_LEAST, SERVICE_S_MOST);
    if (service_is_llm(s)) {
        cut(&d->prompt, &s->demand.prompt_tokens, 0, TOKENS_MOST);
        cut(&d->output, &s->demand.output_tokens, 0, TOKENS_MOST);
    }
    if (draws_adapters(s))
        d->popular = shares_zipf(s->time.engine.adapters.n, s->time.engine.adapters.zipf);
    if (draws_models(s))
        d->popular = shares_of_models(&s->time.engine.models);
    return d;
}

void demand_free(struct demand *d)
{
    if (!d)
        return;
    cut_law_free(&d->time);
    cut_law_free(&d->prompt);
    cut_law_free(&d->output);
    shares_free(&d->popular);
    free(d);
}

/* ---- one by one ---- */

static uint32_t tokens(const struct cut_law *law, double u)
{
    return (uint32_t)fmax(1, round(cut_law_quantile(law, u)));
}

/* All values of a request are drawn from one stream, in this order. */
static void draw_size(struct demand *d, struct service_request *r)
{
    struct random luck;
    random_init(&luck, d->seed, "request sizes", d->number);
    if (d->time.mass > 0)
        r->service_s = cut_law_quantile(&d->time, random_uniform(&luck));
    if (!service_is_llm(d->s) || r->output_tokens)
        return;
    r->prompt_tokens = tokens(&d->prompt, random_uniform(&luck));
    r->output_tokens = tokens(&d->output, random_uniform(&luck));
}

/* An adapter, or none; or a model. */
static void draw_set(const struct demand *d, struct service_request *r)
{
    const struct llm_batching *b = &d->s->time.engine;
    struct random luck;
    if (d->popular.n == 0)
        return;
    random_init(&luck, d->seed, b->models.n ? "request models" : "request adapters", d->number);
    bool some = b->models.n || random_uniform(&luck) >= b->adapters.base_share;
    r->set = some ? (uint32_t)shares_choose(&d->popular, random_uniform(&luck)) + 1 : 0;
}

/* 0 where the service has neither adapters nor several models, whatever the list says. */
static uint32_t recorded_set(const struct llm_batching *b, const struct recorded_request *r)
{
    if (b->adapters.n)
        return r->adapter;
    return b->models.recorded ? b->models.recorded[r->model - 1] : 0;
}

static int64_t replay_ns(const struct demand *d, size_t i)
{
    const struct service_demand *of = &d->s->demand;
    int64_t ns = of->replay->request[i].time_ns;
    return of->start_ns + (of->time_scale == 1 ? ns : ns_of_seconds(seconds(ns) * of->time_scale));
}

static bool take_recorded(struct demand *d, struct service_request *r)
{
    const struct request_list *list = d->s->demand.replay;
    if (d->at == list->n)
        return false;
    const struct recorded_request *from = &list->request[d->at];
    *r = (struct service_request){ .time_ns = replay_ns(d, d->at++) };
    if (service_is_llm(d->s) && list->has_tokens) {
        r->prompt_tokens = from->prompt_tokens;
        r->output_tokens = from->output_tokens;
        r->n_prefix_ids = (uint32_t)from->n_ids;
        r->prefix_id = from->n_ids ? list->id + from->first_id : NULL;
    }
    if (d->s->time.kind == TIME_ENGINE)
        r->set = recorded_set(&d->s->time.engine, from);
    if (d->s->time.kind == TIME_RECORDED)
        r->service_s = seconds(from->service_ns);
    return true;
}

const struct service_request *demand_next(struct demand *d)
{
    if (d->has_next)
        return &d->next;
    if (d->ended)
        return NULL;
    struct service_request r = { 0 };
    bool some = true;
    if (d->s->demand.replay)
        some = take_recorded(d, &r);
    else
        r.time_ns = ns_of_seconds(arrivals_next(&d->arrivals));
    if (r.time_ns < d->least_ns)
        r.time_ns = d->least_ns;      /* rounding keeps the order */
    if (!some || r.time_ns >= d->s->demand.end_ns) {
        d->ended = true;
        return NULL;
    }
    draw_size(d, &r);
    draw_set(d, &r);
    d->least_ns = r.time_ns;
    d->next = r;
    d->has_next = true;
    return &d->next;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

void demand_take(struct demand *d)
{
    const struct service_request *r = &d->next;
    uint64_t tokens_of = (uint64_t)r->prompt_tokens << 32 | r->output_tokens;
    d->drawn = hash_u64(hash_u64(d->drawn + (uint64_t)r->time_ns) + tokens_of +
                        hash_u64(bits_of(r->service_s)));
    if (r->set)
        d->drawn = hash_u64(d->drawn + r->set);
    d->has_next = false;
    d->number++;
}

uint64_t demand_taken(const struct demand *d)
{
    return d->number;
}

uint64_t demand_drawn(const struct demand *d)
{
    return d->drawn;
}

/* ---- as a rate ---- */

static double replayed_rate(struct demand *d, int64_t from_ns, int64_t *until_ns)
{
    const struct service *s = d->s;
    int64_t begin = from_ns / s->interval_ns * s->interval_ns, end = begin + s->interval_ns;
    size_t n = 0;
    while (d->at < s->demand.replay->n && replay_ns(d, d->at) < begin)
        d->at++;
    while (d->at + n < s->demand.replay->n && replay_ns(d, d->at + n) < end)
        n++;
    if (end < *until_ns)
        *until_ns = end;
    int64_t first = begin > s->demand.start_ns ? begin : s->demand.start_ns;
    int64_t last = end < s->demand.end_ns ? end : s->demand.end_ns;
    while (n && replay_ns(d, d->at + n - 1) >= last)
        n--;
    return (double)n / seconds(last - first);
}

static double rate_by_law(struct demand *d, int64_t from_ns, int64_t *until_ns)
{
    double until_s;
    arrivals_skip_to(&d->arrivals, seconds(from_ns));
    double rate = arrivals_rate(&d->arrivals, &until_s);
    int64_t border = ns_of_seconds(until_s);
    if (border <= from_ns)
        border = from_ns + 1;
    if (border < *until_ns)
        *until_ns = border;
    return rate;
}

static void note(struct demand *d, int64_t from_ns, double rate)
{
    if (rate != d->rate)
        d->drawn = hash_u64(hash_u64(d->drawn + (uint64_t)from_ns) + bits_of(rate));
    d->rate = rate;
}

double demand_rate(struct demand *d, int64_t from_ns, int64_t to_ns, int64_t *until_ns)
{
    const struct service_demand *of = &d->s->demand;
    double rate = 0;
    *until_ns = to_ns;
    if (from_ns < of->start_ns) {
        *until_ns = of->start_ns < to_ns ? of->start_ns : to_ns;
    } else if (from_ns < of->end_ns) {
        if (of->end_ns < to_ns)
            *until_ns = of->end_ns;
        rate = of->replay ? replayed_rate(d, from_ns, until_ns) : rate_by_law(d, from_ns, until_ns);
    }
    note(d, from_ns, rate);
    return rate;
}

double demand_gap_c2(const struct demand *d)
{
    const struct service_demand *of = &d->s->demand;
    if (!isnan(of->gap_c2))
        return of->gap_c2;
    if (of->replay)
        return request_list_gap_c2(of->replay);
    return of->arrivals.kind == ARRIVE_HYPER ? of->arrivals.c2 : 1;
}
