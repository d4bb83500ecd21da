/* replica.h - one replica and its requests, of any kind of service time. The steps of TIME_ENGINE
 * are begun and ended by request_queue.c. */
#pragma once
#include "sim/serving/request_lines.h"
#include "sim/serving/llm/ranks.h"
#include "sim/serving/sequences.h"

enum replica_role { ROLE_ALL, ROLE_PREFILL, ROLE_DECODE };   /* see llm/handover.h */
struct replica {
    bool ready;
    uint8_t role;
    double speed;
    double clock;                 /* of its GPUs, a part of the full one [1]; of TIME_ENGINE */
    struct request_lines own;             /* requests that wait for this replica; not of TIME_ENGINE */
    uint32_t in_service;
    int64_t busy_ns, busy_since_ns;       /* it served, until then; since then, if it serves */
    struct request_line serving;          /* not of an LLM */
    int64_t end_ns;               /* of all in `serving`; TIME_NEVER: idle */
    struct sequences sequences;   /* of an LLM */
    struct llm_ranks ranks;       /* of TIME_ENGINE */
    bool due;                     /* likewise: may begin a step at this instant */
};
struct replica replica_new(const struct service *s, double speed);
void replica_free(struct replica *r);

/* Requests that wait for it; one more; the first of them that is out of time, NO_REQUEST: none. */
uint32_t replica_waiting(const struct replica *r);
void     replica_take(struct replica *r, struct requests_present *p, uint32_t request);
int64_t  replica_timeout_ns(const struct replica *r, const struct service *s,
                            const struct requests_present *p);
uint32_t replica_pop_timed_out(struct replica *r, const struct service *s,
                               struct requests_present *p, int64_t now_ns);

/* Whether it has a free slot; whether it would begin with the first requests of `from` now: a batch
 * may still wait. */
bool replica_is_free(const struct replica *r, const struct service *s);
bool replica_would_begin(const struct replica *r, const struct service *s,
                         const struct requests_present *p, const struct request_lines *from,
                         int64_t now_ns);
/* Takes one request, or a batch. */
void replica_begin(struct replica *r, const struct service *s, struct requests_present *p,
                   struct request_lines *from, int64_t now_ns);
/* the end of a service, or of a prefill */
int64_t replica_next_ns(const struct replica *r, const struct service *s);
/* A request that ends then; NO_REQUEST: no other ends. */
uint32_t replica_end(struct replica *r, const struct service *s, struct requests_present *p,
                     int64_t now_ns);
/* Services that have begun keep their ends, but for the decode of an LLM. */
void replica_set_speed(struct replica *r, const struct service *s, double speed, int64_t now_ns);
/* Moves all its requests to `lost` and stops it; those in service are marked as begun. */
void replica_give_up(struct replica *r, struct requests_present *p, struct request_lines *lost);

/* The timeout of the first request that never began; the time at which a free replica begins a
 * batch that is not full. TIME_NEVER. */
int64_t request_lines_timeout_ns(const struct request_lines *l, const struct service *s,
                                 const struct requests_present *p);
int64_t request_lines_batch_ns(const struct request_lines *l, const struct service *s,
                               const struct requests_present *p);
