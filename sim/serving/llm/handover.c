/* handover.c - see handover.h. */
#include "sim/serving/llm/handover.h"

#include <assert.h>

static const struct request_line none_read = { NO_REQUEST, NO_REQUEST, 0 };

struct handover handover_of(const struct llm_batching *b)
{
    struct handover o = { .transfers = { .bytes_per_s = b->pools.bytes_per_s,
                                      .setup_s = b->pools.setup_s },
                       .read = none_read };
    tournament_grow(&o.decoders, 2);
    return o;
}

void handover_free(struct handover *o)
{
    transfers_free(&o->transfers);
    tournament_free(&o->decoders);
}

enum replica_role handover_role(const struct llm_batching *b, const struct replica *r, uint32_t n)
{
    uint64_t reads = 0, generates = 0;
    if (!llm_batching_splits(b))
        return ROLE_ALL;
    for (uint32_t i = 0; i < n; i++) {
        reads += r[i].ready && r[i].role == ROLE_PREFILL;
        generates += r[i].ready && r[i].role == ROLE_DECODE;
    }
    return reads * b->pools.decode <= generates * b->pools.prefill ? ROLE_PREFILL : ROLE_DECODE;
}

void handover_refresh(struct handover *o, const struct replica *r, uint32_t id)
{
    bool generates = r->ready && r->role == ROLE_DECODE;
    tournament_set(&o->decoders, id,
                   generates ? (int64_t)llm_ranks_running(&r->ranks) + llm_ranks_parked(&r->ranks) +
                                   llm_ranks_waiting(&r->ranks)
                             : TOURNAMENT_NONE);
}

void handover_park(struct handover *o, struct replica *r, uint32_t id, struct requests_present *p)
{
    for (uint32_t x; (x = llm_ranks_park(&r->ranks, p)) != NO_REQUEST;) {
        p->at[x].on = id;
        request_line_append(p, &o->read, x);
    }
}

void handover_send(struct handover *o, const struct llm_batching *b, struct replica *r,
                struct requests_present *p, int64_t now_ns, uint64_t *blocks)
{
    while (o->read.n && tournament_key(&o->decoders) != TOURNAMENT_NONE) {
        uint32_t x = o->read.first, to = tournament_item(&o->decoders);
        uint32_t before = llm_ranks_used(&r[to].ranks, b);
        if (!llm_ranks_receive(&r[to].ranks, b, p, x))
            return;
        *blocks = *blocks + llm_ranks_used(&r[to].ranks, b) - before;
        request_line_pop(p, &o->read);
        transfers_begin(&o->transfers, x, p->at[x].on, to,
                        b->pools.kept * llm_batching_token_bytes(b, p->at[x].ask.set) *
                            p->at[x].ask.prompt_tokens, now_ns);
        handover_refresh(o, &r[to], to);
    }
}

static void forget(const struct llm_batching *b, struct replica *r,
                   const struct requests_present *p, uint32_t x, uint64_t *blocks)
{
    uint32_t before = llm_ranks_used(&r->ranks, b);
    llm_ranks_forget(&r->ranks, p, x);
    *blocks = *blocks + llm_ranks_used(&r->ranks, b) - before;
}

bool handover_step(struct handover *o, const struct llm_batching *b, struct replica *r,
                const struct requests_present *p, int64_t now_ns, uint64_t *blocks,
                struct transfer *come)
{
    if (!transfers_step(&o->transfers, now_ns, come))
        return false;
    forget(b, &r[come->from], p, come->request, blocks);
    llm_ranks_resume(&r[come->to].ranks, come->request);
    return true;
}

void handover_leave(struct handover *o, const struct llm_batching *b, struct replica *r, uint32_t id,
                 struct requests_present *p, int64_t now_ns, uint64_t *blocks)
{
    struct request_line all = o->read;
    struct transfer lost;
    o->read = none_read;
    for (uint32_t x; (x = request_line_pop(p, &all)) != NO_REQUEST;)
        if (p->at[x].on != id)
            request_line_append(p, &o->read, x);
    while (transfers_take_away(&o->transfers, id, now_ns, &lost)) {
        uint32_t other = lost.from == id ? lost.to : lost.from;
        forget(b, &r[other], p, lost.request, blocks);
        handover_refresh(o, &r[other], other);
    }
}
