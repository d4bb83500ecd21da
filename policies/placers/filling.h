/* filling.h - what the simple placers share: a node order for what fits on one node, another for what must be split. */
#pragma once
#include "sim/contract/placement.h"

/* Every task on the first node of `order` that has room for it. A request without tasks (only a total) goes whole onto
 * the first such node; if none has room, onto the nodes of `split`, all that is free on each, where the last piece
 * again goes to the first node of `order` that has room for it. */
enum place_result fill(struct builder *b, const struct request *r, enum node_order order, enum node_order split);

/* All below look `within` a domain; 0: wherever the view looks.
 * `gpus` GPUs as one piece on the first node of `order` with room. */
bool fill_one_node(struct builder *b, const struct request *r, domain_id within, uint32_t task, uint32_t gpus,
                   enum node_order order);
/* One piece of all that the first node of `order` has free, at most `most`; what was taken, 0 for nothing. */
uint32_t fill_piece(struct builder *b, const struct request *r, domain_id within, uint32_t rank, uint32_t most,
                    enum node_order order);
/* `gpus` of a total, split as fill() does; *rank is the next piece's. How many could be placed. */
uint32_t fill_total(struct builder *b, const struct request *r, domain_id within, uint32_t *rank, uint32_t gpus,
                    enum node_order order, enum node_order split);
enum place_result fill_failed(const struct request *r);      /* why, as far as a placer can tell */
