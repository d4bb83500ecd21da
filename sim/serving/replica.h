/* replica.h - one replica and the requests that are in its hands, whichever way it serves. */
#pragma once
#include "sim/serving/request_lines.h"
#include "sim/serving/sequences.h"

struct replica {
    bool ready;
    double speed;
    struct lines own;             /* that wait for it and no other */
    uint32_t in_service;
    struct line serving;          /* of what is no LLM */
    int64_t end_ns;               /* of all of them; TIME_NEVER: it is idle */
    struct sequences sequences;   /* of an LLM */
};
struct replica replica_new(double speed);
void replica_free(struct replica *r);

/* Whether it can begin to serve something at all; and what is first in those lines now: a batch may still wait. */
bool replica_is_free(const struct replica *r, const struct service *s);
bool replica_would_begin(const struct replica *r, const struct service *s, const struct requests_present *p,
                         const struct lines *from, int64_t now_ns);
/* Takes as many as it may. */
void replica_begin(struct replica *r, const struct service *s, struct requests_present *p, struct lines *from, int64_t now_ns);
int64_t replica_next_ns(const struct replica *r, const struct service *s);    /* when something of it ends */
/* What ends then: one request that is done, or NO_REQUEST, if none or no other is. */
uint32_t replica_end(struct replica *r, const struct service *s, struct requests_present *p, int64_t now_ns);
/* All that it has, in lost: those in service have begun before. */
void replica_give_up(struct replica *r, struct requests_present *p, struct lines *lost);

/* When the first that never began has waited too long; when a free replica begins with a batch that is not full. TIME_NEVER. */
int64_t lines_timeout_ns(const struct lines *l, const struct service *s, const struct requests_present *p);
int64_t lines_batch_ns(const struct lines *l, const struct service *s, const struct requests_present *p);
