/* giving_way.h - who runs, in the order in which they would give way, and the search for whom to stop. */
#pragma once
#include "policies/common/queue_heads.h"

struct ordered;

/* The running jobs among which somebody may take another's GPUs: of a queue, or of the pool. A line for each shape, so
 * that the order within a line holds however fast the keys of its shape move. */
struct running {
    struct running_shape { shape_id shape; struct line *line; } *shape;    /* ascending */
    size_t n_shapes, capacity;
    struct victim *victim;        /* of this pass: the last in the order first; as many as anybody has asked for */
    size_t n_victims, victims_capacity;
    struct queue_head *heap;            /* the next victim of each shape */
    size_t n_heap;
    uint64_t pass;                /* for which these are good */
};
struct dropped { job_id job; struct line_key key; };

void running_push(struct sched *s, struct running *r, job_id j, struct line_key k);
void running_remove(struct sched *s, struct running *r, job_id j);

size_t running_count(const struct running *r);
void running_list(const struct running *r, job_id **to);    /* moves on behind the last */

/* Stops those behind j in the order, the last first and no more than it takes, and starts j. false: it cannot be placed
 * whoever is stopped; then nothing has changed. */
bool preempt_for(struct sched *s, struct ordered *o, struct running *r, job_id j, struct line_key key);
