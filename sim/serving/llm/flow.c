/* flow.c - see flow.h: the fixed point by bisection. */
#include "sim/serving/llm/flow.h"

#include <math.h>

enum { HALVINGS = 200 };

struct asked { const struct llm_batching *b; double prompt, output, speed; };

/* t0 and Delta with B sequences in decode on each rank, whole and of the GPU alone. */
/* power of t0; time of the steps with the chunks of a prompt, and what they draw in it. */
struct steps { double t0_s, t0_gpu_s, delta_s, delta_gpu_s, power, prompt_s, prompt_tdp_s; };

static double context_of(const struct asked *a)
{
    return a->prompt + a->output / 2;
}

static struct steps steps_of(const struct asked *a, double running)
{
    double s = running * context_of(a), done = a->b->prefix_share * a->prompt;
    double others = (a->b->ranks - 1) * running;
    struct llm_step decode = { .decoding = running, .context = s, .others = others, .drawn = true,
                               .requests = running };
    struct llm_time t0 = llm_time_of(&a->b->law, &decode, a->speed);
    struct steps x = { t0.step_s, t0.gpu_s, .power = llm_step_power(&t0, t0.step_s) };
    double room = fmax(1, a->b->budget - running);
    for (double chunk; done < a->prompt; done += chunk) {
        chunk = fmin(a->prompt - done, room);
        struct llm_step with = decode;
        with.prompt = chunk;
        with.pairs = chunk * (done + chunk / 2);
        with.requests++;
        struct llm_time t = llm_time_of(&a->b->law, &with, a->speed);
        x.delta_s += t.step_s - t0.step_s;
        x.delta_gpu_s += t.gpu_s - t0.gpu_s;
        x.prompt_s += t.step_s;
        x.prompt_tdp_s += t.step_s * llm_step_power(&t, t.step_s);
    }
    return x;
}

static double most_running(const struct asked *a)
{
    double tokens = (double)a->b->blocks * a->b->block;
    return fmin(a->b->sequences, tokens / context_of(a));
}

static double rate_at(const struct asked *a, double running)
{
    struct steps x = steps_of(a, running);
    return 1 / (x.delta_s + x.t0_s * (a->output - 1) / (running * a->b->ranks));
}

/* The rate that keeps so many running on each rank ascends with them. */
static double running_at(const struct asked *a, double rate)
{
    double low = 0, high = most_running(a);
    for (int i = 0; i < HALVINGS && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        *(rate_at(a, middle) < rate ? &low : &high) = middle;
    }
    return high;
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
    /* the step of a token has at least the sequence of that token */
    struct steps x = steps_of(a, running);
    double token_s = x.t0_s / (1 - rate * x.delta_s), longer_s = x.t0_s + x.delta_s,
           hit = fmin(1, rate * longer_s);
    struct llm_flow f = { .token_s = token_s, .running = running * a->b->ranks };
    f.context = f.running * context_of(a);
    f.found_s = x.t0_s * fmax(0, 1 - rate * longer_s) + hit * longer_s;
    f.first_s = f.found_s / 2 + x.t0_s + x.delta_s * (1 + rate * f.found_s);
    f.end_s = f.first_s + (a->output - 1) * token_s;
    f.busy = -expm1(-rate * f.end_s);
    f.gpu = f.busy * ((1 - rate * x.delta_s) * x.t0_gpu_s / x.t0_s + rate * x.delta_gpu_s);
    f.gpu = fmin(f.gpu, f.busy);
    f.tdp = tdp_of(&x, rate, f.busy);
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

/* The steps of a prompt on a replica that only reads. */
static struct steps reading(const struct asked *a)
{
    struct steps x = steps_of(a, 0);
    double chunks = ceil(a->prompt * (1 - a->b->prefix_share) / a->b->budget);
    return (struct steps){ .delta_s = x.delta_s + chunks * x.t0_s,
                           .delta_gpu_s = x.delta_gpu_s + chunks * x.t0_gpu_s,
                           .prompt_s = x.prompt_s,
                           .prompt_tdp_s = x.prompt_tdp_s };
}

/* Of all replicas, per replica. */
static double most_in_pools(const struct asked *a)
{
    double reads = part_reads(a->b), running = most_running(a);
    return fmin(reads * a->b->ranks / reading(a).delta_s,
                a->output > 1 ? (1 - reads) * running * a->b->ranks /
                                    (steps_of(a, running).t0_s * (a->output - 1))
                              : INFINITY);
}

/* B = rate (o - 1) t0(B) on each rank: t0 grows less than B, so halving finds it. */
static double generating_at(const struct asked *a, double rate)
{
    double low = 0, high = most_running(a);
    for (int i = 0; i < HALVINGS && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        double needs = rate / a->b->ranks * (a->output - 1) * steps_of(a, middle).t0_s;
        *(middle < needs ? &low : &high) = middle;
    }
    return high;
}

static struct llm_flow flow_in_pools(const struct asked *a, double rate, double running)
{
    double reads = part_reads(a->b), to_read = rate / reads;
    struct steps x = steps_of(a, running), prompt = reading(a);
    double share = to_read / a->b->ranks * prompt.delta_s,
           wait_s = share < 1 ? share * prompt.delta_s / (2 * (1 - share)) : 0;
    struct llm_flow f = { .first_s = wait_s + prompt.delta_s, .found_s = 2 * wait_s };
    f.token_s = x.t0_s + (a->output > 1 ? (move_s(a) + x.t0_s / 2) / (a->output - 1) : 0);
    f.end_s = f.first_s + (a->output - 1) * f.token_s;
    f.running = (1 - reads) * running * a->b->ranks;
    f.context = f.running * context_of(a);
    double busy = -expm1(-running * a->b->ranks), reading_s = fmin(1, to_read * prompt.delta_s);
    f.busy = reads * reading_s + (1 - reads) * busy;
    f.tdp = reads * tdp_of(&prompt, to_read, reading_s) + (1 - reads) * tdp_of(&x, 0, busy);
    f.gpu = fmin(f.busy, reads * fmin(1, to_read * prompt.delta_gpu_s) +
                             (1 - reads) * busy * x.t0_gpu_s / x.t0_s);
    return f;
}

/* ---- either ---- */

struct llm_flow llm_flow_of(const struct llm_batching *b, double prompt, double output, double rate,
                            double speed)
{
    const struct asked a = { b, prompt, output, speed };
    if (llm_batching_splits(b))
        return flow_in_pools(&a, rate, output > 1 ? generating_at(&a, rate / (1 - part_reads(b))) : 0);
    return flow(&a, rate, output > 1 ? running_at(&a, rate) : 0);
}

double llm_flow_most(const struct llm_batching *b, double prompt, double output, double speed)
{
    const struct asked a = { b, prompt, output, speed };
    return llm_batching_splits(b) ? most_in_pools(&a) : rate_at(&a, most_running(&a));
}

struct llm_flow llm_flow_full(const struct llm_batching *b, double prompt, double output,
                              double speed)
{
    const struct asked a = { b, prompt, output, speed };
    double running = most_running(&a), rate = llm_flow_most(b, prompt, output, speed);
    bool splits = llm_batching_splits(b);
    if (splits && output > 1)
        running = generating_at(&a, rate / (1 - part_reads(b)));
    struct llm_flow f = splits ? flow_in_pools(&a, rate, running) : flow(&a, rate, running);
    f.tdp /= f.busy;
    f.busy = 1;
    f.gpu = fmin(1, f.gpu);
    return f;
}
