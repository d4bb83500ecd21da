/* outages.h - announced maintenance in windows of the timeline (models.md 8; section `failures`, key `maintenance`).
 *
 * Nodes take no job from `drain_ns` before the maintenance until it is over. A window that begins in this time, or begins before
 * and lasts into the maintenance, has no room there: its job would be stopped. Windows without an end, of jobs without an
 * estimate, and windows that fit between no two of a repeated maintenance would find no time at all: these heed only the time in
 * which the nodes take no job.
 *
 * blocks: what a window was denied, on top of nodes that are out of service in truth. */
#pragma once
#include "sim/capacity/free_index.h"
#include "sim/engine/state.h"

struct node_out { uint64_t gpus; bool whole; };              /* GPUs with names that are out of service in truth */
struct blocks;
struct blocks *blocks_new(const struct cluster *c);          /* NULL: no maintenance is announced */
void    blocks_free(struct blocks *b);                       /* NULL: does nothing */
/* Denies v what a window [from, until) has to do without. out: [n_nodes]. NULL: does nothing. */
void    blocks_move(struct blocks *b, struct view *v, const struct node_out *out, int64_t from_ns, int64_t until_ns);
/* n is denied; false for NULL. */
bool    blocks_has(const struct blocks *b, node_id n);
/* Shows n as it is without the denial, and again with it: around a change of out[n]. Nothing if n is not denied. */
void    blocks_lift(struct blocks *b, struct view *v, const struct node_out *out, node_id n);
void    blocks_lay(struct blocks *b, struct view *v, const struct node_out *out, node_id n);
/* Takes the nodes that such a window is denied out of a set, bit n % 64 of word n / 64. Returns the first end of an outage that
 * denied one; TIME_NEVER: none did. */
int64_t outages_take(const struct cluster *c, int64_t from_ns, int64_t until_ns, uint64_t *nodes);
/* The first end after that time, of each maintenance the next from now on alone: a search through its repetitions has no end.
 * TIME_NEVER: none. */
int64_t outages_next_end_ns(const struct cluster *c, int64_t now_ns, int64_t after_ns);
