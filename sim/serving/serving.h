/* serving.h - a service at work, in either mode: what a run tells it, and what it says. fluid.h and request_queue.h have the
 * models.
 *
 * Time is told by the caller and never goes back; nothing happens between calls. At one instant: what ends comes first, then
 * what the caller says, then what arrives. */
#pragma once
#include "sim/serving/figures.h"
#include "sim/serving/service.h"

struct serving;
struct serving *serving_new(const struct service *s, uint64_t seed);   /* s is borrowed. From time 0. Free with serving_free() */
void serving_free(struct serving *v);

void serving_advance(struct serving *v, int64_t to_ns);      /* to_ns itself not included, but for what ends then */
/* At the time advanced to. ids may be used again once gone, and should be small: memory goes with the largest. speed > 0. */
void serving_replica_ready(struct serving *v, uint32_t id, double speed);
void serving_replica_gone(struct serving *v, uint32_t id);

/* What an autoscaler looks at; differences of two are averages in between. */
struct serving_load {
    int64_t at_ns;
    uint32_t ready;               /* replicas now */
    double waiting, in_service;   /* requests now */
    double arrived, served, dropped;         /* so far */
    double replica_s, busy_s, concurrency_s; /* so far, as in figures.h */
};
struct serving_load serving_load(const struct serving *v);
/* When the next request comes, if nothing is known to be there before; TIME_NEVER: none will. In fluid mode: when the rate is
 * above 0 again, and in the middle of a stretch, now. */
int64_t serving_next_request_ns(struct serving *v);

struct serving_figures serving_take_figures(struct serving *v);        /* since they were last taken, or time 0 */
struct serving_figures serving_total(const struct serving *v);         /* of everything */
uint64_t serving_drawn(const struct serving *v);             /* a hash of the requests so far: the same for every policy */
