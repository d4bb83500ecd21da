/* lines.h - requests that are there, in lines by the time of their arrival. */
#pragma once
#include "sim/serving/demand.h"

#define NO_REQUEST UINT32_MAX

struct present {                  /* one of them */
    struct service_request ask;
    uint64_t number;              /* as they came */
    int64_t first_token_ns;       /* of an LLM: when its prompt was read */
    uint32_t next;                /* in its line, or among those that are free */
    bool began;                   /* before: its replica went */
};
struct requests_present { struct present *at; size_t n, room; uint32_t unused; };     /* unused: the first that is free */
struct line { uint32_t first, last, n; };    /* first, last: NO_REQUEST of none */

/* What began comes first, and does not time out. */
struct lines { struct line again, fresh; };

struct requests_present requests_none(void);
uint32_t requests_enter(struct requests_present *p, const struct service_request *ask, uint64_t number);
void     requests_leave(struct requests_present *p, uint32_t r);

struct lines lines_none(void);
void     line_append(struct requests_present *p, struct line *l, uint32_t r);
uint32_t line_pop(struct requests_present *p, struct line *l);         /* NO_REQUEST of none */
/* Behind those that came before it. */
void     lines_insert(struct requests_present *p, struct lines *l, uint32_t r);
uint32_t lines_pop(struct requests_present *p, struct lines *l);
static inline uint32_t lines_count(const struct lines *l) { return l->again.n + l->fresh.n; }
static inline uint32_t lines_first(const struct lines *l) { return l->again.n ? l->again.first : l->fresh.first; }
