/* headroom.h - power headroom of a view: the caps of all nodes and of each rack, less the worst
 * case of what is taken.
 *
 * The worst case: every node is on, its free GPUs idle, its taken GPUs at full duty, its taken CPUs
 * all busy. Nodes can never draw more, so a start that fits now stays within the caps. Like CPUs,
 * power may be claimed beyond what is there; then nothing more fits, and headroom_settled() tells
 * when claims can start. */
#pragma once
#include "sim/contract/placement.h"
#include "sim/cluster/cluster.h"

struct view;
struct headroom;
struct headroom *headroom_new(const struct cluster *c);      /* NULL: there are no caps */
void headroom_free(struct headroom *h);                      /* NULL: does nothing */

/* sign 1: taken, -1: given back */
void headroom_change(struct headroom *h, const struct piece *p, int64_t cpu_milli, int sign);
bool headroom_has(const struct headroom *h, const struct piece *p, int64_t cpu_milli);
/* one task; under SPLIT_ANY one GPU */
bool headroom_fits(const struct headroom *h, const struct request *r, node_id n);
/* under SPLIT_ANY: number of GPUs */
uint32_t headroom_gpus(const struct headroom *h, const struct request *r, node_id n);
/* if nothing else were taken */
bool headroom_fits_empty(const struct headroom *h, const struct request *r, node_id n);
bool headroom_settled(const struct headroom *h, node_id n);
/* Whether all runs of r fit within the cap of all nodes on the nodes of least power that it may
 * use. */
bool headroom_may_have(const struct headroom *h, const struct view *v,
                       const struct request *r);
