/* checkpoint_parts.h - between the files of the checkpoints that take time; the rest of a run includes checkpoints.h.
 *
 * A write has two parts, while the job is blocked and in the background; each goes for a time that is known, then through the
 * storage with its bytes, if that is shared. */
#pragma once
#include "sim/physics/checkpoints.h"
#include "sim/engine/state.h"
#include "sim/results/summary.h"

struct checkpoints {
    uint32_t writers;             /* jobs that are writing */
    uint64_t written, cut_short;
    int128_t bytes;
    struct checkpoints_of { uint32_t written; int64_t bytes; int128_t stalled; } *job;     /* [n_jobs] stalled: milli-GPU ns */
};

/* checkpoint_cost.c - what one is */
int64_t checkpoint_write_ns(const struct sched *s, job_id j, const struct placement *on, uint32_t writers);
int64_t checkpoint_interval_ns(const struct sched *s, const struct live *l);   /* of progress */
bool    checkpoint_shares(const struct sched *s, const struct live *l);        /* its bytes go through flows.c */

/* checkpoint_saving.c: the hooks of their names in models.h */
int64_t checkpoint_save_ns(const struct sched *s, const struct live *l);
bool checkpoint_save_at_risk(struct sched *s, struct live *l);
void checkpoint_save_begins(struct sched *s, struct live *l, const struct stop_overhead *overhead, bool at_risk);
bool checkpoint_save_ends(struct sched *s, struct live *l);
void checkpoint_save_fails(struct sched *s, struct live *l);

/* checkpoints.c */
void writing_parts(struct writing *w, double blocking, int64_t ns, double bytes);
void writing_begins(struct sched *s, struct live *l);        /* the part of l->writing.stage */
void writing_put_down(struct sched *s, struct live *l);      /* no event, no flow */
void writing_ends(struct sched *s, struct live *l, bool durable);              /* one writer less, for the books */

/* checkpoint_report.c */
extern const char *const checkpoint_columns[], *const checkpoint_node_columns[];
extern const struct metric_kind checkpoint_metrics[];
struct output;
struct summary_builder;
void checkpoint_row(struct output *o, const struct sched *s, job_id j);
void checkpoint_node_row(struct output *o, const struct sched *s, node_id n);
void checkpoint_summarise(struct summary_builder *k);
int  checkpoint_check(struct sched *s, struct error *err);
