/* nodes.h - nodes and GPUs that go out of service and come back; for the models that have reasons (failures, maintenance, power).
 *
 * Reasons add up: what is out for two is back when both are over. Out of service means that nothing new can be placed there, in any
 * view; a job that holds it stays until it is stopped (interruption.h). GPUs that are out and not held are down: they are missing in
 * up_milli, and their time goes into ACCOUNT_DOWN, exactly. A GPU that a job still holds counts as the job's. */
#pragma once
#include "sim/contract/policy.h"

struct nodes;
void nodes_begin(struct sched *s);                           /* by each model that uses this; the second call does nothing */
void nodes_end(struct sched *s);                             /* the end is now: the accounts are settled */
void nodes_free(struct nodes *n);                            /* NULL: does nothing */

/* The policy gets a notice and a pass. Between two passes only. */
void node_goes(struct sched *s, node_id n);
void node_comes(struct sched *s, node_id n);
void gpu_goes(struct sched *s, node_id n, unsigned gpu);     /* not of a counted node */
void gpu_comes(struct sched *s, node_id n, unsigned gpu);
void nodes_held_changed(struct sched *s, const struct placement *p);   /* a job has left p, in truth and in the idle index */
/* Between two passes: the idle view shows n as if it were back, or not any more; for a model that asks the placer what would help. Only of
 * a node that is out as a whole for one reason. */
bool nodes_imaginable(const struct sched *s, node_id n);
void nodes_imagine(struct sched *s, node_id n, bool back);
bool node_is_up(const struct sched *s, node_id n);            /* as a whole */
bool nodes_consistent(const struct sched *s);                /* for checked runs: levels are those of the indexes */
struct amount nodes_out_of_capacity(const struct sched *s);
uint64_t nodes_changes(const struct sched *s);               /* times that any of the four above was called */
