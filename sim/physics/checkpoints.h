/* checkpoints.h - what the rest of a run asks of checkpoints that take time. See checkpoints.c. */
#pragma once
#include "sim/cluster/cluster.h"
#include "sim/models/overhead.h"
#include "sim/workload/workload.h"

struct sched;
struct live;
void checkpoint_sizes_begin(struct sched *s);               /* of every model, once */
int64_t checkpoint_bytes(const struct sched *s, job_id j);    /* 0: not said */
int64_t checkpoint_model_bytes(const struct cluster *c, const struct workload *w, job_id j);    /* by its model; -1: not known */
/* Told to leave now: until it has saved what it has done, if nobody else begins to write. */
int64_t checkpoint_save_ns(const struct sched *s, const struct live *l);
/* Told to leave now, before it is halted: true, whether its grace is long enough depends on what others carry until then. */
bool checkpoint_save_at_risk(struct sched *s, struct live *l);
/* It leaves, and writes for as long as it stays: in vain if it loses anything. */
void checkpoint_save_begins(struct sched *s, struct live *l, const struct stop_overhead *overhead, bool at_risk);
/* It has left. true: at risk, and it has not been in time: l->writing.lost_ns, .lost_wall_ns */
bool checkpoint_save_ends(struct sched *s, struct live *l);
void checkpoint_cut_short(struct sched *s, struct live *l);  /* what it is writing is lost: a fault */
void checkpoint_save_fails(struct sched *s, struct live *l); /* a fault where it is leaving: what it saves, if anything, is lost */
void checkpoint_ran_before(struct sched *s, struct live *l, int64_t done_ns);    /* it did so much before the trace begins */
