/* reserved.h - where jobs may start, as reservations say (sim/cluster/reservations/reservations.h).
 *
 * A job that a reservation does not name may not start on its nodes while these take no other jobs
 * (closure.h): its shape has, for views, no kinds of nodes that consist of them. So it is for every
 * policy, placer and question; a start that a policy insists on is a mismatch. Windows of the
 * timeline, and sets of nodes of sched_take_outages(), see reservations coming, too: they have no
 * room for a job that would last into one.
 *
 * What a job finds denied makes it wait for WAIT_RESERVATION if it would be placed otherwise. */
#pragma once
#include "sim/engine/state.h"

struct reserved;
void reserved_begin(struct sched *s);                        /* NULL in s->reserved: there are no reservations */
void reserved_end(struct sched *s);
/* The kinds of nodes that each shape may use throughout [from, until), as struct placing.kinds. */
const struct shape_kinds *reserved_kinds(struct sched *s, int64_t from_ns, int64_t until_ns);
void reserved_show(struct sched *s);
static inline void reserved_pass(struct sched *s)            /* a pass begins: what is free now is for those that may use it */
{
    if (s->reserved)
        reserved_show(s);
}
/* Some reservation denies a piece of p to j for that time. */
bool reserved_denies(const struct sched *s, job_id j, const struct placement *p, int64_t from_ns, int64_t until_ns);
/* The same now, of pieces on nodes of which j holds none; held NULL: nothing. */
bool reserved_denies_more(const struct sched *s, job_id j, const struct placement *p, const struct placement *held);
bool reserved_is_for(const struct sched *s, job_id j, uint32_t reservation);                     /* it names j */
/* Takes such nodes out of a set, bit n % 64 of word n / 64. Returns when the first of them can be had again; TIME_NEVER: none was
 * taken. */
int64_t reserved_take(const struct sched *s, job_id j, int64_t from_ns, int64_t until_ns, uint64_t *nodes);
/* The first end after that time, of each reservation the next from now on alone. TIME_NEVER: none. */
int64_t reserved_next_end_ns(const struct cluster *c, int64_t now_ns, int64_t after_ns);
bool reserved_withholds(const struct sched *s, const struct view *v, const struct request *r);   /* the view shows r fewer kinds */
