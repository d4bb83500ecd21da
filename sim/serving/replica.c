/* replica.c - see replica.h. */
#include "sim/serving/replica.h"

#include "sim/base/units.h"

#include <math.h>

static const struct request_line empty = { NO_REQUEST, NO_REQUEST, 0 };

struct replica replica_new(const struct service *s, double speed)
{
    bool steps = s->time.kind == TIME_ENGINE;
    return (struct replica){ .ready = true,
                             .speed = speed,
                             .clock = 1,
                             .own = request_lines_none(),
                             .serving = empty,
                             .end_ns = TIME_NEVER,
                             .sequences = sequences_none(),
                             .ranks = steps ? llm_ranks_of(&s->time.engine)
                                            : llm_ranks_none() };
}

void replica_free(struct replica *r)
{
    sequences_free(&r->sequences);
    llm_ranks_free(&r->ranks);
}

bool replica_is_free(const struct replica *r, const struct service *s)
{
    if (s->time.kind != TIME_LLM)
        return r->ready && r->in_service == 0;
    return r->ready && r->sequences.prefill == NO_SEQUENCE &&
           sequences_held(&r->sequences) < service_slots(s);
}

int64_t request_lines_timeout_ns(const struct request_lines *l, const struct service *s,
                                 const struct requests_present *p)
{
    if (l->fresh.n == 0 || !isfinite(s->timeout_s))
        return TIME_NEVER;
    return p->at[l->fresh.first].ask.time_ns + ns_of_seconds(s->timeout_s) + 1;
}

/* ---- the requests that wait for it ---- */

static uint32_t n_lines(const struct replica *r)
{
    return r->ranks.n ? r->ranks.n : 1;
}

static struct request_lines *line_at(struct replica *r, uint32_t i)
{
    return r->ranks.n ? &r->ranks.rank[i].own : &r->own;
}

uint32_t replica_waiting(const struct replica *r)
{
    return request_lines_count(&r->own) + llm_ranks_waiting(&r->ranks);
}

void replica_take(struct replica *r, struct requests_present *p, uint32_t request)
{
    if (r->ranks.n)
        llm_ranks_insert(&r->ranks, p, request);
    else
        request_lines_insert(p, &r->own, request);
}

int64_t replica_timeout_ns(const struct replica *r, const struct service *s,
                           const struct requests_present *p)
{
    int64_t first_ns = request_lines_timeout_ns(&r->own, s, p);
    for (uint32_t i = 0; i < r->ranks.n; i++) {
        int64_t own_ns = request_lines_timeout_ns(&r->ranks.rank[i].own, s, p);
        first_ns = own_ns < first_ns ? own_ns : first_ns;
    }
    return first_ns;
}

uint32_t replica_pop_timed_out(struct replica *r, const struct service *s,
                               struct requests_present *p, int64_t now_ns)
{
    for (uint32_t i = 0; i < n_lines(r); i++)
        if (request_lines_timeout_ns(line_at(r, i), s, p) <= now_ns)
            return request_line_pop(p, &line_at(r, i)->fresh);
    return NO_REQUEST;
}

int64_t request_lines_batch_ns(const struct request_lines *l, const struct service *s,
                               const struct requests_present *p)
{
    if (s->time.kind != TIME_BATCH || request_lines_count(l) == 0)
        return TIME_NEVER;
    return p->at[request_lines_first(l)].ask.time_ns + ns_of_seconds(s->time.batch.window_s);
}

bool replica_would_begin(const struct replica *r, const struct service *s,
                         const struct requests_present *p, const struct request_lines *from,
                         int64_t now_ns)
{
    if (request_lines_count(from) == 0 || !replica_is_free(r, s))
        return false;
    return s->time.kind != TIME_BATCH || request_lines_count(from) >= s->time.batch.max ||
           now_ns >= request_lines_batch_ns(from, s, p);
}

void replica_begin(struct replica *r, const struct service *s, struct requests_present *p,
                   struct request_lines *from, int64_t now_ns)
{
    uint32_t n = s->time.kind != TIME_BATCH                      ? 1
                 : request_lines_count(from) < s->time.batch.max ? request_lines_count(from)
                                                                 : s->time.batch.max;
    r->in_service += n;
    if (s->time.kind == TIME_LLM) {
        uint32_t request = request_lines_pop(p, from);
        sequences_begin(&r->sequences, &s->time.llm, r->speed, now_ns, request,
                        p->at[request].ask.prompt_tokens);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        request_line_append(p, &r->serving, request_lines_pop(p, from));
    double time_s = s->time.kind == TIME_BATCH ? batch_s(&s->time.batch, n)
                                               : p->at[r->serving.first].ask.service_s;
    r->end_ns = now_ns + ns_of_seconds(time_s / r->speed);
}

int64_t replica_next_ns(const struct replica *r, const struct service *s)
{
    return s->time.kind == TIME_LLM      ? sequences_next_ns(&r->sequences)
           : s->time.kind == TIME_ENGINE ? r->ranks.end_ns
                                         : r->end_ns;
}

static uint32_t end_of_sequence(struct replica *r, const struct service *s,
                                struct requests_present *p, int64_t now_ns)
{
    struct sequences *q = &r->sequences;
    uint32_t request;
    if (q->next_end_ns == now_ns) {
        r->in_service--;
        return sequences_end(q, &s->time.llm, r->speed);
    }
    if (q->prefill_end_ns == now_ns) {
        request =
            sequences_prompt_read(q, &s->time.llm, r->speed, p->at[q->prefill].ask.output_tokens);
        p->at[request].first_token_ns = now_ns;
    }
    return NO_REQUEST;
}

uint32_t replica_end(struct replica *r, const struct service *s, struct requests_present *p,
                     int64_t now_ns)
{
    if (s->time.kind == TIME_LLM)
        return end_of_sequence(r, s, p, now_ns);
    if (r->end_ns != now_ns)
        return NO_REQUEST;
    uint32_t request = request_line_pop(p, &r->serving);
    if (--r->in_service == 0)
        r->end_ns = TIME_NEVER;
    return request;
}

void replica_set_speed(struct replica *r, const struct service *s, double speed, int64_t now_ns)
{
    if (s->time.kind == TIME_LLM)
        sequences_repace(&r->sequences, &s->time.llm, r->speed, speed, now_ns);
    r->speed = speed;
}

void replica_give_up(struct replica *r, struct requests_present *p, struct request_lines *lost)
{
    uint32_t request;
    while ((request = r->serving.n ? request_line_pop(p, &r->serving)
                      : r->ranks.n ? llm_ranks_take_away(&r->ranks, p)
                                   : sequences_take_away(&r->sequences)) != NO_REQUEST) {
        p->at[request].began = true;
        request_lines_insert(p, lost, request);
    }
    for (uint32_t i = 0; i < n_lines(r); i++)
        while ((request = request_lines_pop(p, line_at(r, i))) != NO_REQUEST)
            request_lines_insert(p, lost, request);
    r->in_service = 0;
    r->end_ns = TIME_NEVER;
    r->ready = false;
}
