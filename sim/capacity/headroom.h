/* headroom.h - what power caps leave of a view: the cap of all nodes, and of each rack, less the worst case of what is taken.
 *
 * The worst case: every node lit, its free GPUs idle, those that are taken at full duty, the CPUs that are taken all at work.
 * So no more can ever be drawn, whatever jobs do later, and a start that fits needs no watching. Like CPUs, power may be
 * claimed beyond what is there; then nothing more fits, and headroom_settled() says when claims can start. */
#pragma once
#include "sim/contract/placement.h"
#include "sim/cluster/cluster.h"

struct shape_kinds;
struct headroom;
struct headroom *headroom_new(const struct cluster *c);      /* NULL: there are no caps */
void headroom_free(struct headroom *h);                      /* NULL: does nothing */

void headroom_change(struct headroom *h, const struct piece *p, int64_t cpu_milli, int sign);    /* 1: taken, -1: given back */
bool headroom_has(const struct headroom *h, const struct piece *p, int64_t cpu_milli);
bool headroom_fits(const struct headroom *h, const struct request *r, node_id n);    /* one task; under SPLIT_ANY one GPU */
uint32_t headroom_gpus(const struct headroom *h, const struct request *r, node_id n);     /* under SPLIT_ANY: how many */
bool headroom_fits_empty(const struct headroom *h, const struct request *r, node_id n);    /* if nothing else were taken */
bool headroom_settled(const struct headroom *h, node_id n);
/* Could all of r, a chain, be within the cap of all nodes, on the thriftiest nodes that it may use? */
bool headroom_may_have(const struct headroom *h, const struct shape_kinds *shapes, const struct request *r);
