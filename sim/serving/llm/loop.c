/* loop.c - see loop.h. */
#include "sim/serving/llm/loop.h"

#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct llm_loop llm_loop_of(const struct llm_batching *b)
{
    struct llm_loop l = { .cache = prefix_cache_none(),
                          .weights = weight_store_of(&b->weights) };
    if (b->models.n)
        l.turns = mem_new(b->models.n, sizeof *l.turns);
    for (uint32_t i = 0; i < b->models.n; i++)
        l.turns[i] = i + 1;
    return l;
}

void llm_loop_free(struct llm_loop *l)
{
    free(l->running);
    prefix_cache_free(&l->cache);
    weight_store_free(&l->weights);
    free(l->turns);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- blocks ---- */

static uint32_t blocks_of_id(const struct llm_batching *b)
{
    return PREFIX_TOKENS / b->block;
}

uint32_t llm_loop_used(const struct llm_loop *l, const struct llm_batching *b)
{
    return l->own_blocks + (l->cache.n - l->cache.idle) * blocks_of_id(b);
}

static struct prompt_ids ids_of(const struct service_request *ask)
{
    return (struct prompt_ids){ ask->prefix_id, ask->set };
}

/* Gives it the blocks for so many tokens; false: they are not free. */
static bool gets_blocks(struct llm_loop *l, const struct llm_batching *b, struct llm_running *r,
                        uint32_t tokens)
{
    uint32_t block = llm_batching_block(b, r->set);
    uint32_t all = (tokens + block - 1) / block - r->shared * blocks_of_id(b),
             more = all > r->blocks ? all - r->blocks : 0;
    if (more > b->blocks - llm_loop_used(l, b))
        return false;
    while (l->own_blocks + more + l->cache.n * blocks_of_id(b) > b->blocks)
        prefix_cache_drop_oldest(&l->cache);
    r->blocks += more;
    l->own_blocks += more;
    return true;
}

static void frees_blocks(struct llm_loop *l, const struct llm_running *r,
                         const struct requests_present *p)
{
    prefix_cache_release(&l->cache, ids_of(&p->at[r->request].ask), r->shared);
    l->own_blocks -= r->blocks;
}

/* Whole ids that are computed now belong to the cache. */
static void shares(struct llm_loop *l, const struct llm_batching *b, struct llm_running *r,
                   const struct service_request *ask)
{
    while (b->prefix_cache && r->shared < ask->n_prefix_ids &&
           (r->shared + 1) * PREFIX_TOKENS <= least(r->done, ask->prompt_tokens)) {
        prefix_cache_add(&l->cache, ids_of(ask), r->shared++);
        r->blocks -= blocks_of_id(b);
        l->own_blocks -= blocks_of_id(b);
    }
}

static void remove_at(struct llm_loop *l, size_t i, const struct requests_present *p)
{
    struct llm_running *r = &l->running[i];
    frees_blocks(l, r, p);
    if (!r->handed)
        weights_release(&l->weights, r->set);
    l->parked -= r->parked;
    memmove(r, r + 1, (--l->n - i) * sizeof *r);
}

/* ---- a step begins ---- */

static void preempt_last(struct llm_loop *l, struct requests_present *p, struct request_lines *to)
{
    size_t last = l->n - 1;
    while (l->running[last].parked)
        last--;
    uint32_t request = l->running[last].request;
    remove_at(l, last, p);
    p->at[request].began = true;
    request_lines_insert(p, to, request);
}

static bool is_at(const struct llm_loop *l, size_t i, uint32_t request)
{
    return i < l->n && l->running[i].request == request;
}

static bool in_turn(const struct llm_loop *l, uint32_t set)
{
    return l->set == 0 || set == l->set;
}

/* Chunks of running requests. Returns how many were preempted. */
static uint32_t continue_running(struct llm_loop *l, const struct llm_batching *b,
                                 struct requests_present *p, struct request_lines *to,
                                 uint32_t *left)
{
    uint32_t preempted = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct llm_running *r = &l->running[i];
        uint32_t request = r->request, chunk = least(r->need - r->done, *left);
        if (r->parked || !in_turn(l, r->set))
            continue;
        while (is_at(l, i, request) && !gets_blocks(l, b, r, r->done + chunk)) {
            preempt_last(l, p, to);
            preempted++;
        }
        if (!is_at(l, i, request))
            break;
        r->chunk = chunk;
        *left -= chunk;
    }
    return preempted;
}

/* Its first tokens are there already. */
static uint32_t skipped(struct llm_loop *l, const struct llm_batching *b, struct llm_running *r,
                        const struct service_request *ask)
{
    if (!b->prefix_cache)
        return least((uint32_t)(b->prefix_share * ask->prompt_tokens), ask->prompt_tokens - 1);
    r->shared = prefix_cache_leading(&l->cache, ids_of(ask),
                                     least(ask->n_prefix_ids, ask->prompt_tokens / PREFIX_TOKENS));
    prefix_cache_hold(&l->cache, ids_of(ask), r->shared);
    return least(r->shared * PREFIX_TOKENS, ask->prompt_tokens - 1);
}

static void runs(struct llm_loop *l, const struct llm_running *r)
{
    weights_hold(&l->weights, r->set);
    mem_grow(&l->running, &l->room, l->n, sizeof *l->running);
    l->running[l->n++] = *r;
}

/* The places of weights that requests hold, and those that ones that wait come to hold before
 * others. */
struct places { uint64_t claimed; uint32_t taken; };

/* Whether it finds a place behind all those that have claimed one. */
static bool claims(struct places *x, const struct llm_loop *l, const struct llm_batching *b,
                   uint32_t set)
{
    uint64_t bit = UINT64_C(1) << (set - 1);
    if (l->weights.running[set] > 0 || x->claimed & bit)
        return true;
    x->claimed |= bit;
    return x->taken++ < b->weights.slots;
}

/* Of several models: the first of a line that is for the model of the step. NO_REQUEST: none, or
 * one before it finds no place. */
static uint32_t first_in_turn(const struct llm_loop *l, const struct llm_batching *b,
                              const struct requests_present *p, uint32_t r, struct places *x)
{
    while (r != NO_REQUEST && claims(x, l, b, p->at[r].ask.set) && !in_turn(l, p->at[r].ask.set))
        r = p->at[r].next;
    return x->taken > b->weights.slots ? NO_REQUEST : r;
}

/* Of adapters: the first of a line whose adapter may run. */
static uint32_t first_that_may(const struct llm_loop *l, const struct llm_batching *b,
                               const struct requests_present *p, uint32_t r)
{
    while (r != NO_REQUEST && !weights_admit(&l->weights, &b->weights, p->at[r].ask.set))
        r = p->at[r].next;
    return r;
}

/* The first that waits and may run in this step; NO_REQUEST: none. */
static uint32_t first_admitted(const struct llm_loop *l, const struct llm_batching *b,
                               const struct requests_present *p, const struct request_lines *from)
{
    const uint32_t lines[] = { from->again.first, from->fresh.first };
    struct places x = { 0, l->weights.distinct };
    uint32_t r = NO_REQUEST;
    for (unsigned i = 0; i < 2 && r == NO_REQUEST && x.taken <= b->weights.slots; i++)
        r = b->models.n ? first_in_turn(l, b, p, lines[i], &x) : first_that_may(l, b, p, lines[i]);
    return r;
}

static void admit(struct llm_loop *l, const struct llm_batching *b, struct requests_present *p,
                  struct request_lines *from, uint32_t left, struct tally *t)
{
    while (left > 0 && l->n < b->sequences) {
        uint32_t request = first_admitted(l, b, p, from);
        if (request == NO_REQUEST)
            return;
        const struct present *x = &p->at[request];
        struct llm_running r = { .request = request, .set = x->ask.set,
                                 .need = x->ask.prompt_tokens + x->sent };
        r.done = skipped(l, b, &r, &x->ask);
        r.chunk = least(r.need - r.done, left);
        if (!gets_blocks(l, b, &r, r.done + r.chunk)) {
            frees_blocks(l, &r, p);
            return;
        }
        left -= r.chunk;
        t->skipped_tokens += r.done;
        request_lines_remove(p, from, request);
        runs(l, &r);
    }
}

/* Adapters of the requests in the step, or models of all that run: what the GPU lacks of them is
 * loaded. */
static void load_weights(struct llm_loop *l, const struct llm_batching *b, struct llm_step *x,
                         struct tally *t)
{
    if (b->weights.n == 0 || x->requests == 0)
        return;
    weights_begin(&l->weights);
    for (size_t i = 0; i < l->n; i++) {
        const struct llm_running *r = &l->running[i];
        if (r->set == 0 || r->handed || (r->chunk == 0 && b->models.n == 0))
            continue;
        weights_want(&l->weights, r->set);
        x->adapter_tokens += b->models.n ? 0 : r->chunk;
    }
    x->adapters = b->models.n ? 0 : l->weights.n_now;
    struct weight_loads loads = weights_load(&l->weights, &b->weights);
    x->load_s = loads.time_s;
    weight_loads_add(&t->loads, &loads);
}

static struct llm_step step_of(const struct llm_loop *l, const struct requests_present *p)
{
    struct llm_step x = { 0 };
    for (size_t i = 0; i < l->n; i++) {
        const struct llm_running *r = &l->running[i];
        x.requests += r->chunk > 0;
        if (r->chunk > 0 && (r->need - r->done > 1 || p->at[r->request].sent == 0)) {
            x.prompt += r->chunk;
            x.pairs += r->chunk * (r->done + r->chunk / 2.0);
        } else if (r->chunk > 0) {
            x.decoding++;
            x.context += r->done + 1.0;
        }
    }
    return x;
}

static struct llm_step step_in_turn(struct llm_loop *l, const struct llm_batching *b,
                                    struct requests_present *p, struct request_lines *from,
                                    struct tally *t)
{
    uint32_t left = b->budget;
    for (size_t i = 0; i < l->n; i++)
        l->running[i].chunk = 0;
    uint32_t preempted = continue_running(l, b, p, from, &left);
    if (preempted == 0)
        admit(l, b, p, from, left, t);
    t->preempted += l->n ? preempted : 0;
    return step_of(l, p);
}

/* Of several models. */
static struct llm_step next_turn(struct llm_loop *l, const struct llm_batching *b,
                                 struct requests_present *p, struct request_lines *from,
                                 struct tally *t)
{
    struct llm_step x = { 0 };
    uint32_t n = b->models.n;
    for (uint32_t i = 0; i < n; i++) {
        l->set = l->turns[i];
        x = step_in_turn(l, b, p, from, t);
        if (x.requests == 0)
            continue;
        memmove(&l->turns[i], &l->turns[i + 1], (n - i - 1) * sizeof *l->turns);
        l->turns[n - 1] = l->set;
        break;
    }
    return x;
}

struct llm_step llm_loop_begin(struct llm_loop *l, const struct llm_batching *b,
                               struct requests_present *p, struct request_lines *from,
                               struct tally *t)
{
    struct llm_step x = b->models.n ? next_turn(l, b, p, from, t) : step_in_turn(l, b, p, from, t);
    load_weights(l, b, &x, t);
    return x;
}

/* ---- a step ends ---- */

void llm_loop_end(struct llm_loop *l, const struct llm_batching *b, struct requests_present *p,
                  int64_t end_ns, struct tally *t)
{
    for (size_t i = 0; i < l->n; i++) {
        struct llm_running *r = &l->running[i];
        struct present *x = &p->at[r->request];
        r->done += r->chunk;
        shares(l, b, r, &x->ask);
        if (r->chunk == 0 || r->done < r->need)
            continue;
        if (x->sent++ == 0)
            x->first_token_ns = end_ns;
        else
            response_counts_add(&t->gap, end_ns - x->last_token_ns);
        x->last_token_ns = end_ns;
        r->need = r->done + 1;
    }
}

uint32_t llm_loop_pop(struct llm_loop *l, struct requests_present *p)
{
    for (size_t i = 0; i < l->n; i++) {
        uint32_t request = l->running[i].request;
        if (p->at[request].sent < p->at[request].ask.output_tokens)
            continue;
        remove_at(l, i, p);
        return request;
    }
    return NO_REQUEST;
}

uint32_t llm_loop_take_away(struct llm_loop *l, struct requests_present *p)
{
    if (l->n == 0)
        return NO_REQUEST;
    uint32_t request = l->running[l->n - 1].request;
    remove_at(l, l->n - 1, p);
    p->at[request].sent = 0;
    return request;
}

/* ---- prompts that are read elsewhere ---- */

uint32_t llm_loop_park(struct llm_loop *l, const struct requests_present *p)
{
    for (size_t i = 0; i < l->n; i++) {
        struct llm_running *r = &l->running[i];
        if (r->parked || p->at[r->request].sent == 0)
            continue;
        r->parked = r->handed = true;
        r->chunk = 0;
        weights_release(&l->weights, r->set);
        l->parked++;
        return r->request;
    }
    return NO_REQUEST;
}

bool llm_loop_receive(struct llm_loop *l, const struct llm_batching *b,
                      const struct requests_present *p, uint32_t request)
{
    uint32_t prompt = p->at[request].ask.prompt_tokens;
    struct llm_running r = { .request = request, .set = p->at[request].ask.set,
                             .need = prompt + 1, .done = prompt, .parked = true };
    if (l->n >= b->sequences || !weights_admit(&l->weights, &b->weights, r.set) ||
        !gets_blocks(l, b, &r, r.need))
        return false;
    runs(l, &r);
    l->parked++;
    return true;
}

static size_t parked_at(const struct llm_loop *l, uint32_t request)
{
    size_t i = 0;
    while (i < l->n && !(l->running[i].request == request && l->running[i].parked))
        i++;
    return i;
}

bool llm_loop_resume(struct llm_loop *l, uint32_t request)
{
    size_t i = parked_at(l, request);
    if (i == l->n)
        return false;
    l->running[i].parked = false;
    l->parked--;
    return true;
}

bool llm_loop_forget(struct llm_loop *l, const struct requests_present *p, uint32_t request)
{
    size_t i = parked_at(l, request);
    if (i == l->n)
        return false;
    remove_at(l, i, p);
    return true;
}
