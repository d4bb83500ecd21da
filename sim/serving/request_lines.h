/* request_lines.h - the requests in a service, and queues of them in the order of arrival. */
#pragma once
#include "sim/serving/demand.h"

#define NO_REQUEST UINT32_MAX

struct present {                  /* a request in the service */
    struct service_request ask;
    uint64_t number;              /* in the order of arrival */
    int64_t first_token_ns;       /* of an LLM: the end of its prefill */
    int64_t last_token_ns;        /* of TIME_ENGINE, as `sent`: tokens */
    uint32_t sent;
    uint32_t on;                  /* replica that has read its prompt, until another generates */
    uint32_t next;                /* in its line, or in the list of unused entries */
    bool began;                   /* its service began, and was taken from it */
};
/* unused: first unused entry */
struct requests_present { struct present *at; size_t n, room; uint32_t unused; };
struct request_line { uint32_t first, last, n; };    /* first, last: NO_REQUEST if empty */

/* again: requests that were in service, on a replica that stopped or preempted them; first, and
 * without a timeout. */
struct request_lines { struct request_line again, fresh; };

struct requests_present requests_none(void);
uint32_t requests_enter(struct requests_present *p, const struct service_request *ask,
                        uint64_t number);
void     requests_leave(struct requests_present *p, uint32_t r);

struct request_lines request_lines_none(void);
void     request_line_append(struct requests_present *p, struct request_line *l, uint32_t r);
/* NO_REQUEST: empty */
uint32_t request_line_pop(struct requests_present *p, struct request_line *l);
/* Behind the requests that arrived before it. */
void     request_lines_insert(struct requests_present *p, struct request_lines *l, uint32_t r);
uint32_t request_lines_pop(struct requests_present *p, struct request_lines *l);
/* One that is in it, wherever. */
void     request_lines_remove(struct requests_present *p, struct request_lines *l, uint32_t r);
static inline uint32_t request_lines_count(const struct request_lines *l)
{
    return l->again.n + l->fresh.n;
}
static inline uint32_t request_lines_first(const struct request_lines *l)
{
    return l->again.n ? l->again.first : l->fresh.first;
}
