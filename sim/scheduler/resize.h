/* resize.h - jobs of several sizes. */
#pragma once
#include "sim/engine/host.h"

bool size_allowed(const struct sched *s, job_id j, uint64_t size);        /* of a whole placement */
double size_gpu_s(const struct sched *s, job_id j);                       /* held so far, at whatever sizes */
uint32_t size_least(const struct sched *s, job_id j);                     /* tasks with which it makes progress */
struct amount amount_served(const struct sched *s, job_id j, const struct placement *p);    /* of what it asks for: by p */
bool tasks_missing(const struct sched *s, job_id j, const struct placement *p);    /* and asked for still */
bool resize_concerns(const struct sched *s, const struct live *l);        /* the pass has resized it as a whole */
void resize_carry_out(struct sched *s, struct live *l);
void job_resized(struct sched *s, struct live *l, int64_t cost_ns);       /* from l->was.held, which is dropped, to l->held; goes on
                                                                             after that time, or what is left of its start-up */
