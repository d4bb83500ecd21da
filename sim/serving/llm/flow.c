/* flow.c - see flow.h: fixed points, by false position. */
#include "sim/serving/llm/flow.h"

#include <math.h>

enum { TRIES = 100 };
#define CLOSE 1e-11 /* relative, of what is sought */
#define FULL  .999  /* of what full steps serve: from there on the wait is as there */

/* What x should be, less x. */
typedef double excess(void *self, double x);

/* Where f, which is above 0 at low, falls below it: false position, in which the value at an end
 * that stays is halved (Dowell and Jarratt, BIT 11, 1971). `low` or `high` where f is below 0, or
 * above it, at both. */
static double crossing(excess *f, void *self, double low, double high)
{
    double at_low = f(self, low), at_high = f(self, high), x = at_low <= 0 ? low : high;
    int stays = 0;
    if (at_low <= 0 || at_high >= 0)
        return x;
    for (int i = 0; i < TRIES && high - low > CLOSE * high; i++) {
        x = low + (high - low) * (at_low / (at_low - at_high));
        double at_x = f(self, x);
        if (fabs(at_x) <= CLOSE * x)
            break;
        if (at_x > 0) {
            low = x;
            at_low = at_x;
            at_high *= stays > 0 ? .5 : 1;
            stays = 1;
        } else {
            high = x;
            at_high = at_x;
            at_low *= stays < 0 ? .5 : 1;
            stays = -1;
        }
    }
    return x;
}

struct asked {
    const struct llm_batching *b;
    double prompt, output, speed;
};

static double context_of(const struct asked *a)
{
    return a->prompt + a->output / 2;
}

static double computed(const struct asked *a) /* tokens of a prompt */
{
    return a->prompt * (1 - a->b->prefix_share);
}

static double room_of(const struct asked *a, double running) /* tokens of prompts in a step */
{
    return fmax(1, a->b->budget - running);
}

/* Different adapters of a Poisson number of requests with that mean, and of `own` more, 1 or 0. */
static double adapters_of(const struct asked *a, double others, double own)
{
    const struct llm_adapters *x = &a->b->adapters;
    double some = 1 - x->base_share, distinct = 0;
    for (uint32_t k = 0; x->popular && k < x->n; k++) {
        double missed = exp(-some * others * x->popular[k]);
        distinct += 1 - missed + own * some * x->popular[k] * missed;
    }
    return distinct;
}

/* B sequences in decode on each rank, and what `prompts` prompts in one step, or the chunks of one
 * prompt, add. */
static struct llm_step decoding_of(const struct asked *a, double running)
{
    return (struct llm_step){ .decoding = running,
                              .context = running * context_of(a),
                              .others = (a->b->ranks - 1) * running,
                              .drawn = true,
                              .requests = running,
                              .adapters = adapters_of(a, running, 0),
                              .adapter_tokens = running * (1 - a->b->adapters.base_share) };
}

/* As one of them sees it, beside B others on the mean. */
static struct llm_time token_step(const struct asked *a, double running)
{
    double most = fmin(a->b->sequences, (double)a->b->blocks * a->b->block / context_of(a));
    struct llm_step with = decoding_of(a, fmin(running + 1, fmax(1, most)));
    with.others = (a->b->ranks - 1) * running;
    with.adapters = adapters_of(a, running, 1);
    return llm_time_of(&a->b->law, &with, a->speed);
}

/* t0 and Delta, whole and of the GPU alone; power of t0; time of the steps with chunks, of each
 * prompt, and what they draw in it. */
struct steps {
    double t0_s, t0_gpu_s, delta_s, delta_gpu_s, power, prompt_s, prompt_tdp_s, n;
};

static void add_chunk(const struct asked *a, double running, double tokens, double pairs,
                      double prompts, struct steps *x)
{
    struct llm_step with = decoding_of(a, running);
    with.prompt = tokens;
    with.pairs = pairs;
    with.requests += prompts;
    with.adapters = adapters_of(a, running + prompts - 1, 1);
    with.adapter_tokens += tokens * (1 - a->b->adapters.base_share);
    struct llm_time t = llm_time_of(&a->b->law, &with, a->speed);
    x->delta_s += (t.step_s - x->t0_s) / prompts;
    x->delta_gpu_s += (t.gpu_s - x->t0_gpu_s) / prompts;
    x->prompt_s += t.step_s / prompts;
    x->prompt_tdp_s += t.step_s * llm_step_power(&t, t.step_s) / prompts;
    x->n++;
}

static struct steps steps_of(const struct asked *a, double running, double prompts)
{
    struct llm_step decode = decoding_of(a, running);
    struct llm_time t0 = llm_time_of(&a->b->law, &decode, a->speed);
    struct steps x = { t0.step_s, t0.gpu_s, .power = llm_step_power(&t0, t0.step_s) };
    double known = a->b->prefix_share * a->prompt, each = computed(a), room = room_of(a, running);
    if (each <= room) {
        double n = fmin(fmax(1, prompts), room / each);
        add_chunk(a, running, n * each, n * each * (known + each / 2), n, &x);
        return x;
    }
    for (double chunk, done = known; done < a->prompt; done += chunk) {
        chunk = fmin(a->prompt - done, room);
        add_chunk(a, running, chunk, chunk * (done + chunk / 2), 1, &x);
    }
    return x;
}

/* ---- the largest rate ---- */

/* Steps of a rank for each of its requests, at least: by its tokens, its slots and its KV cache. */
struct least_steps { double tokens, slots, held; };

static struct least_steps least_of(const struct asked *a)
{
    double in_chunks = fmax(1, computed(a) / a->b->budget), later = a->output - 1;
    return (struct least_steps){ (computed(a) + later) / a->b->budget,
                                 (in_chunks + later) / a->b->sequences,
                                 (later * context_of(a) + in_chunks * a->prompt) /
                                     (a->b->blocks * (double)a->b->block) };
}

static double steps_a_request(const struct asked *a)
{
    struct least_steps l = least_of(a);
    return fmax(l.tokens, fmax(l.slots, l.held));
}

struct full {
    double rate, running;
};

static struct full full_of(const struct asked *a)
{
    double each = steps_a_request(a), running = (a->output - 1) / each;
    struct steps x = steps_of(a, running, 1 / each);
    return (struct full){ 1 / (x.delta_s + x.t0_s * each / a->b->ranks), running };
}

/* ---- below it ---- */

/* With B running: what steps are like, seen by a prompt and by a sequence among B others. */
struct state {
    struct steps x;
    double t0_s, t0_gpu_s; /* with the sequence itself */
    double step_s;         /* mean */
    double share;          /* of it, what prompts add */
};

struct load {
    const struct asked *a;
    double rate, running;
    struct state s;
};

/* With the prompts that come in a step of that length. */
static struct steps steps_after(const struct load *l, double step_s)
{
    return steps_of(l->a, l->running, 1 + l->rate / l->a->b->ranks * step_s);
}

static double longer(void *self, double step_s)
{
    const struct load *l = self;
    return l->s.t0_s + l->rate * step_s * steps_after(l, step_s).delta_s - step_s;
}

/* Steps are as long as the prompts that come in one of them make them. */
static struct state state_at(const struct asked *a, double rate, double running)
{
    struct llm_step none = decoding_of(a, 0);
    struct llm_time t0 =
        a->output > 1 ? token_step(a, running) : llm_time_of(&a->b->law, &none, a->speed);
    struct load l = { a, rate, running, { .t0_s = t0.step_s, .t0_gpu_s = t0.gpu_s } };
    l.s.step_s = crossing(longer, &l, t0.step_s, t0.step_s / (1 - FULL));
    l.s.x = steps_after(&l, l.s.step_s);
    l.s.share = 1 - l.s.t0_s / l.s.step_s;
    return l.s;
}

/* Of a prompt; of the first token all but t0 and its own Delta: the step that it finds, and others.
 */
struct wait {
    double first_s, found_s, residual_s, others_s, chunks, load;
};

/* What the last of the prompts in a step makes it longer by. */
static double slope_of(const struct asked *a, double running, double prompts)
{
    double with_s = prompts * steps_of(a, running, prompts).delta_s;
    return with_s - (prompts - 1) * steps_of(a, running, fmax(1, prompts - 1)).delta_s;
}

/* Of an engine: the part of the time in which it is in a step, and the wait of M/D/1 for full
 * steps. */
struct queue {
    double busy, wait_s;
};

/* Whole prompts: those that come during one step are in the next. The variance of a step is that of
 * a branching process; what does not fit in the next waits as in M/D/1. */
static void wait_for_step(const struct asked *a, double rate, const struct state *s, double running,
                          struct queue q, struct wait *w)
{
    const struct steps *x = &s->x;
    double most = room_of(a, running) / computed(a), ranks = a->b->ranks;
    double slope_s = slope_of(a, running, fmin(most, 1 + rate / ranks * s->step_s)),
           grows = fmin(FULL, rate * slope_s), alone = fmin(FULL, rate * x->delta_s);
    w->found_s = x->t0_s / (1 - s->share) + grows * slope_s / (1 - grows * grows);
    double beside = q.busy * rate * w->found_s;
    w->residual_s = q.busy * w->found_s / 2;
    double in_step = steps_of(a, running, fmin(most, 1 + beside / ranks)).delta_s;
    w->others_s = beside * in_step + in_step - x->delta_s +
                  fmax(0, q.wait_s - alone * x->delta_s / (2 * (1 - alone)));
}

static struct wait wait_of(const struct asked *a, double rate, const struct state *s,
                           double running, double busy)
{
    const struct steps *x = &s->x;
    double chunks = computed(a) / room_of(a, running), full_s = x->delta_s + chunks * x->t0_s,
           load = fmin(FULL, rate * full_s), queue_s = load * full_s / (2 * (1 - load));
    struct wait w = { .chunks = fmax(1, chunks), .load = load };
    if (chunks <= 1)
        wait_for_step(a, rate, s, running, (struct queue){ busy, queue_s }, &w);
    else {
        w.found_s = (1 - load) * x->t0_s + load * full_s / chunks;
        w.residual_s = busy * (1 - load) * x->t0_s / 2;
        w.others_s = queue_s;
    }
    w.first_s = w.residual_s + w.others_s + x->n * x->t0_s + x->delta_s;
    if (chunks > 1) {
        double last = chunks - ceil(chunks) + 1, after = 0.5 + (0.5 - last) * (1 - load);
        w.first_s += after * full_s / chunks * -expm1(-rate * w.first_s);
    }
    return w;
}

/* Of a sequence: in the long run a step, and before that what waits when its prompt is read. */
static double token_of(const struct asked *a, double rate, const struct state *s,
                       const struct wait *w)
{
    if (a->output <= 1)
        return s->step_s;
    double left = rate * (w->first_s - w->residual_s),
           full_s = s->x.delta_s / w->chunks + s->x.t0_s,
           usual = rate * (s->step_s + w->others_s * s->t0_s / (full_s * (1 - s->share))),
           until = 1 + w->chunks * left / (1 - w->load), n = a->output - 1;
    double token_s =
        s->step_s + (left - usual) * -expm1(-n / until) * s->x.delta_s / (n * (1 - s->share));
    return w->chunks > 1 ? fmin(token_s, s->t0_s + s->x.delta_s / w->chunks) : token_s;
}

/* Neither a prompt is read, as in M/G/1, nor a sequence runs, as in M/G/infinity; what prompts add
 * to its time is in the first. */
static double busy_of(const struct asked *a, double rate, const struct state *s)
{
    double prompts = 1 + rate / a->b->ranks * s->step_s,
           reads = fmin(1, rate * (s->x.delta_s + s->x.t0_s * s->x.n / prompts));
    return 1 - (1 - reads) * exp(-rate * (a->output - 1) * s->t0_s);
}

struct found {
    struct state s;
    struct wait w;
    double token_s, busy;
};

static struct found found_with(const struct asked *a, double rate, double running)
{
    struct found f = { .s = state_at(a, rate, running) };
    f.busy = busy_of(a, rate, &f.s);
    f.w = wait_of(a, rate, &f.s, running, f.busy);
    f.token_s = token_of(a, rate, &f.s, &f.w);
    return f;
}

static double more_running(void *self, double running)
{
    const struct load *l = self;
    double each = l->rate / l->a->b->ranks * (l->a->output - 1);
    return each * found_with(l->a, l->rate, running).token_s - running;
}

/* B that its own time per token keeps running. */
static double running_at(const struct asked *a, double rate)
{
    struct load l = { .a = a, .rate = rate };
    return crossing(more_running, &l, 0, full_of(a).running);
}

/* Of a replica that is in steps for that part of the time, and gets so many prompts a second. */
static double tdp_of(const struct steps *x, double rate, double busy)
{
    double prompts = fmin(busy, rate * x->prompt_s);
    double each = x->prompt_s > 0 ? x->prompt_tdp_s / x->prompt_s : 0;
    return prompts * each + (busy - prompts) * x->power;
}

static struct llm_flow flow(const struct asked *a, double rate, double running)
{
    struct found at = found_with(a, rate, running);
    const struct steps *x = &at.s.x;
    struct llm_flow f = { .token_s = at.token_s,
                          .first_s = at.w.first_s,
                          .found_s = at.w.found_s,
                          .running = running * a->b->ranks,
                          .busy = at.busy };
    f.context = f.running * context_of(a);
    f.end_s = f.first_s + (a->output - 1) * f.token_s;
    f.gpu = f.busy * ((1 - at.s.share) * at.s.t0_gpu_s / at.s.t0_s + rate * x->delta_gpu_s);
    f.gpu = fmin(f.gpu, f.busy);
    f.tdp = tdp_of(x, rate, f.busy);
    return f;
}

/* ---- in pools ---- */

static double part_reads(const struct llm_batching *b)
{
    return (double)b->pools.prefill / (b->pools.prefill + b->pools.decode);
}

static double move_s(const struct asked *a)
{
    const struct llm_pools *o = &a->b->pools;
    return o->setup_s + o->kept * o->token_bytes * a->prompt / o->bytes_per_s;
}

/* As a replica that only reads sees it. */
static struct asked prompt_alone(const struct asked *a)
{
    struct asked prompt = *a;
    prompt.output = 1;
    return prompt;
}

/* Of all replicas, per replica. */
static struct full full_in_pools(const struct asked *a)
{
    struct asked prompt = prompt_alone(a);
    double reads = part_reads(a->b), most = reads * full_of(&prompt).rate;
    double running = fmin(a->b->sequences, (double)a->b->blocks * a->b->block / context_of(a));
    if (a->output > 1)
        most = fmin(most, (1 - reads) * running * a->b->ranks /
                              (steps_of(a, running, 1).t0_s * (a->output - 1)));
    return (struct full){ most, running };
}

static double more_generating(void *self, double running)
{
    const struct load *l = self;
    double each = l->rate / l->a->b->ranks * (l->a->output - 1);
    return each * token_step(l->a, running).step_s - running;
}

/* B = rate (o - 1) t0 on each rank. */
static double generating_at(const struct asked *a, double rate)
{
    struct load l = { .a = a, .rate = rate };
    return crossing(more_generating, &l, 0, full_in_pools(a).running);
}

static struct llm_flow flow_in_pools(const struct asked *a, double rate)
{
    double reads = part_reads(a->b);
    double running = a->output > 1 ? generating_at(a, rate / (1 - reads)) : 0;
    struct asked prompt = prompt_alone(a);
    struct llm_flow reading = flow(&prompt, rate / reads, 0);
    struct steps x = steps_of(a, running, 1);
    struct llm_time own = token_step(a, running);
    struct llm_flow f = { .first_s = reading.first_s, .found_s = reading.found_s };
    f.token_s = own.step_s + (a->output > 1 ? (move_s(a) + own.step_s / 2) / (a->output - 1) : 0);
    f.end_s = f.first_s + (a->output - 1) * f.token_s;
    f.running = (1 - reads) * running * a->b->ranks;
    f.context = f.running * context_of(a);
    double busy = -expm1(-running * a->b->ranks);
    f.busy = reads * reading.busy + (1 - reads) * busy;
    f.tdp = reads * reading.tdp + (1 - reads) * tdp_of(&x, 0, busy);
    f.gpu = fmin(f.busy, reads * reading.gpu + (1 - reads) * busy * own.gpu_s / own.step_s);
    return f;
}

/* ---- either ---- */

struct llm_flow llm_flow_of(const struct llm_batching *b, double prompt, double output, double rate,
                            double speed)
{
    const struct asked a = { b, prompt, output, speed };
    if (llm_batching_splits(b))
        return flow_in_pools(&a, rate);
    return flow(&a, rate, output > 1 ? running_at(&a, rate) : 0);
}

/* ---- several models ---- */

static double share_of(const struct llm_models *m, uint32_t k)
{
    double all = 0;
    for (uint32_t i = 0; i < m->n; i++)
        all += m->of[i].share;
    return m->of[k].share / all;
}

/* All models at once: a round is a step of each that some of the running requests are for, and
 * slots and KV cache are those of all. */
static double most_in_rounds(const struct asked *a)
{
    const struct llm_models *m = &a->b->models;
    struct least_steps all = { 0 };
    double request_s = 0;
    for (uint32_t k = 0; k < m->n; k++) {
        struct llm_batching one = llm_batching_of_model(a->b, k);
        struct least_steps l = least_of(&(struct asked){ &one, a->prompt, a->output, a->speed });
        all.tokens = fmax(all.tokens, share_of(m, k) * l.tokens);
        all.slots += share_of(m, k) * l.slots;
        all.held += share_of(m, k) * l.held;
    }
    double rounds = fmax(all.tokens, fmax(all.slots, all.held));
    for (uint32_t k = 0; k < m->n; k++) {
        struct llm_batching one = llm_batching_of_model(a->b, k);
        const struct asked of = { &one, a->prompt, a->output, a->speed };
        double share = share_of(m, k);
        double running = (a->output - 1) / rounds;
        struct steps x = steps_of(&of, share * running, share / rounds);
        request_s += share * x.delta_s + x.t0_s * rounds * (1 - pow(1 - share, fmax(1, running)));
    }
    return 1 / request_s;
}

/* Each in its turn. */
static double most_in_pools(const struct asked *a)
{
    const struct llm_models *m = &a->b->models;
    double request_s = 0;
    for (uint32_t k = 0; k < m->n; k++) {
        struct llm_batching one = llm_batching_of_model(a->b, k);
        request_s += share_of(m, k) / llm_flow_most(&one, a->prompt, a->output, a->speed);
    }
    return 1 / request_s;
}

double llm_flow_most(const struct llm_batching *b, double prompt, double output, double speed)
{
    const struct asked a = { b, prompt, output, speed };
    if (b->models.n)
        return llm_batching_splits(b) ? most_in_pools(&a) : most_in_rounds(&a);
    return (llm_batching_splits(b) ? full_in_pools(&a) : full_of(&a)).rate;
}

/* A step after the other, each as long as the mean. */
static struct llm_flow flow_full(const struct asked *a)
{
    struct full most = full_of(a);
    struct llm_flow f = flow(a, most.rate, most.running);
    double later = a->output - 1;
    if (later > 0)
        f.token_s = most.running * a->b->ranks / (most.rate * later);
    struct steps x = steps_of(a, most.running, 1 / steps_a_request(a));
    f.first_s = x.delta_s + x.t0_s * (x.n + 1. / 2);
    f.end_s = f.first_s + later * f.token_s;
    return f;
}

struct llm_flow llm_flow_full(const struct llm_batching *b, double prompt, double output,
                              double speed)
{
    const struct asked a = { b, prompt, output, speed };
    struct llm_flow f =
        llm_batching_splits(b) ? flow_in_pools(&a, full_in_pools(&a).rate) : flow_full(&a);
    f.tdp /= f.busy;
    f.busy = 1;
    f.gpu = fmin(1, f.gpu);
    return f;
}
