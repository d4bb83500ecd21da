/* filling.h - the base of placers by a node order: one order for what fits on one node, another for
 * what must be split. */
#pragma once
#include "sim/contract/placement.h"

/* Which GPU a share goes to. GPUs in use already may outrank the order of the nodes, or the nodes
 * come first and the fullest GPU there that fits; or, spread, a free GPU of the first node, then
 * its emptiest. schedulers.md b.5 and h. */
enum fill_devices { DEVICES_OF_NODE, DEVICES_PACK, DEVICES_APART };
struct fill_params { double devices; };
extern const char *const fill_device_words[];                /* a choice of them */
#define FILL_DEVICES(default_value)                                                                \
    { "devices", "of a share: the fullest in use, of any node (pack), or of the first node (node); or a free one (spread)", "", 0, \
      0, default_value, fill_device_words, offsetof(struct fill_params, devices) }

/* Every task on the first node of `order` that has room for it. A request without tasks (only a
 * total) goes whole onto the first such node; if none has room, onto the nodes of `split`, all that
 * is free on each, where the last piece again goes to the first node of `order` that has room for
 * it. */
enum place_result fill(struct builder *b, const struct request *r, enum node_order order,
                       enum node_order split);
/* The same, with a placer's struct fill_params. fill() packs if the fullest node comes first, else
 * devices are of the node. */
enum place_result fill_as(struct builder *b, const struct request *r, enum node_order order,
                          enum node_order split, const void *params);

/* All below look `within` a domain; 0: wherever the view looks.
 * `gpus` GPUs as one piece on the first node of `order` with room. */
bool fill_one_node(struct builder *b, const struct request *r, domain_id within, uint32_t task,
                   uint32_t gpus, enum node_order order);
/* One piece of all that the first node of `order` has free, at most `max`. Returns the GPUs taken;
 * 0: none. */
uint32_t fill_piece(struct builder *b, const struct request *r, domain_id within, uint32_t rank,
                    uint32_t max, enum node_order order);
/* `gpus` of a total, split as fill() does; *rank: of the next piece. Returns how many were
 * placed. */
uint32_t fill_total(struct builder *b, const struct request *r, domain_id within, uint32_t *rank,
                    uint32_t gpus, enum node_order order, enum node_order split);
/* placer.choose() of a placer that goes by these orders: as fill() for a total. Cheap where the
 * offers lie in order already. */
size_t fill_choose(struct node_offer *offer, size_t n, uint32_t gpus, enum node_order order,
                   enum node_order split);
/* The reason, as far as a placer knows it. */
enum place_result fill_failed(const struct request *r);
