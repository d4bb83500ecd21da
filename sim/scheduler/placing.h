/* placing.h - asking the placer: which nodes a shape may use, where it never fits, chains of runs and domains within domains. */
#pragma once
#include "sim/engine/host.h"

/* Of those kinds it may use, as far as owner, slots, GPU model and memory say. */
bool placing_has_gpus(const struct cluster *c, const struct workload *w, const struct shape *shape, const struct node_kind *kind);
void placing_begin(struct sched *s);                                      /* which kinds each shape may use; which never fit */
void placing_end(struct sched *s);
struct view *placing_view(struct sched *s);                               /* a new index of all that there is */
bool placing_by_totals(const struct sched *s, const struct request *r);   /* it fits where the total suffices: one counted
                                                                             node, and nothing else is scarce */
const char *placing_never(const struct sched *s, shape_id shape);         /* NULL: it can be placed */
const char *placing_never_job(const struct sched *s, job_id j);           /* NULL: it can be, or its minimum */

/* builder.c */
struct builder *builder_begin(struct sched *s, struct view *v, const struct request *r);

/* group_places.c - chains of runs, and domains within domains */
bool group_places_wanted(const struct sched *s, const struct request *r);
/* Of the runs of the chain that want whole GPUs of the kinds that the first run may use. */
int64_t group_places_whole(const struct shape_kinds *kinds, const struct request *r);
bool group_places_lack(const struct view *v, const struct request *r);
bool group_places_type(const struct sched *s, const struct request *r);   /* every run has nodes that it may use */
enum place_result group_places(struct sched *s, struct view *v, const struct request *r);
/* Whole GPUs, even by totals. */
static inline bool placing_lacks(const struct view *v, const struct request *r)
{
    if (r->next)
        return group_places_lack(v, r);
    return r->gpu_milli >= MILLI_ALL && free_index_whole(v, r->shape) < run_gpus(r);
}
