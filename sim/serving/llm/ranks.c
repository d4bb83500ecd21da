/* ranks.c - see ranks.h. */
#include "sim/serving/llm/ranks.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct llm_ranks llm_ranks_none(void)
{
    return (struct llm_ranks){ .end_ns = TIME_NEVER };
}

struct llm_ranks llm_ranks_of(const struct llm_batching *b)
{
    struct llm_ranks r = llm_ranks_none();
    r.n = b->ranks;
    r.rank = mem_new(r.n, sizeof *r.rank);
    for (uint32_t i = 0; i < r.n; i++)
        r.rank[i] = (struct llm_rank){ llm_loop_of(b), request_lines_none() };
    return r;
}

void llm_ranks_free(struct llm_ranks *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        llm_loop_free(&r->rank[i].loop);
    free(r->rank);
}

/* ---- what is there ---- */

uint32_t llm_ranks_running(const struct llm_ranks *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        n += (uint32_t)(r->rank[i].loop.n - r->rank[i].loop.parked);
    return n;
}

uint32_t llm_ranks_parked(const struct llm_ranks *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        n += (uint32_t)r->rank[i].loop.parked;
    return n;
}

uint32_t llm_ranks_waiting(const struct llm_ranks *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        n += request_lines_count(&r->rank[i].own);
    return n;
}

uint32_t llm_ranks_used(const struct llm_ranks *r, const struct llm_batching *b)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < r->n; i++)
        blocks += llm_loop_used(&r->rank[i].loop, b);
    return blocks;
}

/* With the present step as far as until_ns. */
static struct replica_work work_until(const struct llm_ranks *r, int64_t until_ns)
{
    double steps_s = seconds(until_ns - r->begin_ns);
    return (struct replica_work){ r->ended.busy_s + r->gpu_share * steps_s,
                                  r->ended.steps_s + steps_s,
                                  r->ended.tdp_s + r->power * steps_s };
}

struct replica_work llm_ranks_work(const struct llm_ranks *r, int64_t now_ns)
{
    return r->end_ns == TIME_NEVER ? r->ended : work_until(r, now_ns);
}

uint32_t llm_ranks_leading(const struct llm_ranks *r, const struct service_request *ask)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t n = prefix_cache_leading(&r->rank[i].loop.cache,
                                          (struct prompt_ids){ ask->prefix_id, ask->set },
                                          ask->n_prefix_ids);
        most = n > most ? n : most;
    }
    return most;
}

unsigned llm_ranks_near(const struct llm_ranks *r, const struct llm_batching *b, uint32_t set)
{
    unsigned nearest = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        unsigned near = weights_near(&r->rank[i].loop.weights, &b->weights, set);
        nearest = near > nearest ? near : nearest;
    }
    return nearest;
}

static size_t requests_of(const struct llm_rank *r)
{
    return r->loop.n + request_lines_count(&r->own);
}

static struct llm_rank *with_fewest(struct llm_ranks *r)
{
    struct llm_rank *least = r->rank;
    for (uint32_t i = 1; i < r->n; i++)
        if (requests_of(&r->rank[i]) < requests_of(least))
            least = &r->rank[i];
    return least;
}

void llm_ranks_insert(struct llm_ranks *r, struct requests_present *p, uint32_t request)
{
    request_lines_insert(p, &with_fewest(r)->own, request);
}

/* ---- steps ---- */

static struct llm_step tokens_of_others(struct llm_step own, double all)
{
    own.others = all - own.prompt - own.decoding;
    return own;
}

static void time_step(struct llm_ranks *r, const struct llm_law *law, double speed,
                      const struct llm_step *step, double all, int64_t now_ns)
{
    struct llm_time time[LLM_RANKS_MAX];
    double step_s = 0, gpu_s = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        struct llm_step one = tokens_of_others(step[i], all);
        time[i] = llm_time_of(law, &one, speed);
        step_s = fmax(step_s, time[i].step_s);
        gpu_s += time[i].gpu_s / r->n;
    }
    r->begin_ns = now_ns;
    r->end_ns = now_ns + ns_of_seconds(step_s);
    r->gpu_share = gpu_s / step_s;
    r->power = 0;
    for (uint32_t i = 0; i < r->n; i++)
        r->power += llm_step_power(&time[i], step_s) / r->n;
}

void llm_ranks_begin(struct llm_ranks *r, const struct llm_batching *b, double clock,
                     double speed, struct requests_present *p, int64_t now_ns, struct tally *t)
{
    struct llm_step step[LLM_RANKS_MAX];
    double all = 0, prompt = 0;
    assert(r->end_ns == TIME_NEVER && r->n <= LLM_RANKS_MAX);
    for (uint32_t i = 0; i < r->n; i++) {
        step[i] = llm_loop_begin(&r->rank[i].loop, b, p, &r->rank[i].own, t);
        all += step[i].prompt + step[i].decoding;
        prompt += step[i].prompt;
    }
    if (llm_ranks_running(r) == 0)
        return;
    t->steps++;
    t->computed_tokens += (uint64_t)prompt;
    t->kv_peak = fmax(t->kv_peak, (double)llm_ranks_used(r, b) / llm_batching_blocks(b));
    struct llm_law law = llm_law_at_clock(llm_batching_law(b, r->rank[0].loop.set), clock);
    time_step(r, &law, speed, step, all, now_ns);
}

void llm_ranks_end(struct llm_ranks *r, const struct llm_batching *b, struct requests_present *p,
                   struct tally *t)
{
    for (uint32_t i = 0; i < r->n; i++)
        llm_loop_end(&r->rank[i].loop, b, p, r->end_ns, t);
    r->ended = work_until(r, r->end_ns);
    r->end_ns = TIME_NEVER;
}

uint32_t llm_ranks_pop(struct llm_ranks *r, struct requests_present *p)
{
    uint32_t request = NO_REQUEST;
    for (uint32_t i = 0; i < r->n && request == NO_REQUEST; i++)
        request = llm_loop_pop(&r->rank[i].loop, p);
    return request;
}

uint32_t llm_ranks_take_away(struct llm_ranks *r, struct requests_present *p)
{
    uint32_t request = NO_REQUEST;
    r->end_ns = TIME_NEVER;
    for (uint32_t i = 0; i < r->n && request == NO_REQUEST; i++)
        request = llm_loop_take_away(&r->rank[i].loop, p);
    return request;
}

/* ---- prompts that are read elsewhere ---- */

uint32_t llm_ranks_park(struct llm_ranks *r, const struct requests_present *p)
{
    uint32_t request = NO_REQUEST;
    for (uint32_t i = 0; i < r->n && request == NO_REQUEST; i++)
        request = llm_loop_park(&r->rank[i].loop, p);
    return request;
}

bool llm_ranks_receive(struct llm_ranks *r, const struct llm_batching *b,
                       const struct requests_present *p, uint32_t request)
{
    return llm_loop_receive(&with_fewest(r)->loop, b, p, request);
}

void llm_ranks_resume(struct llm_ranks *r, uint32_t request)
{
    for (uint32_t i = 0; i < r->n && !llm_loop_resume(&r->rank[i].loop, request); i++)
        continue;
}

void llm_ranks_forget(struct llm_ranks *r, const struct requests_present *p, uint32_t request)
{
    for (uint32_t i = 0; i < r->n && !llm_loop_forget(&r->rank[i].loop, p, request); i++)
        continue;
}
