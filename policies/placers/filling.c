/* filling.c - see filling.h. */
#include "policies/placers/filling.h"
#include "sim/contract/util/minmax.h"

const char *const fill_device_words[] = { "node", "pack", "spread", NULL };

enum place_result fill_failed(const struct request *r)
{
    /* the host has looked at the totals */
    return r->gpus && r->gpu_milli >= MILLI_ALL ? NO_ROOM_FRAGMENTED : NO_ROOM;
}

static bool fill_shared(struct builder *b, const struct request *r, domain_id within, uint32_t task,
                        uint32_t gpus)
{
    struct node_walk w = { .v = builder_view(b), .r = r, .within = within, .shared_only = true };
    for (node_id n; node_walk_next(&w, &n);)
        if (builder_add_some(b, r, task, n, gpus))
            return true;
    return false;
}

static bool lies_within(const struct view *v, domain_id d, node_id n)
{
    node_id first, end;
    view_domain_nodes(v, d, &first, &end);
    return first <= n && n < end;
}

/* gathers: GPUs in use come first, whatever node they are of. */
static bool one_node(struct builder *b, const struct request *r, domain_id within, uint32_t task,
                     uint32_t gpus, enum node_order order, bool gathers)
{
    if (r->try_first != ID_NONE && lies_within(builder_view(b), within, r->try_first) &&
        view_fits(builder_view(b), r, r->try_first) &&
        builder_add_some(b, r, task, r->try_first, gpus))
        return true;
    bool packs = gathers && r->gpu_milli < MILLI_ALL && gpus > 0;
    if (packs && fill_shared(b, r, within, task, gpus))
        return true;
    struct node_walk w = { .v = builder_view(b), .r = r, .within = within, .order = order };
    /* shared GPUs may serve instead of whole ones */
    w.min_whole = r->gpu_milli < MILLI_ALL && !packs ? 0 : gpus;
    for (node_id n; node_walk_next(&w, &n);)
        if (builder_add_some(b, r, task, n, gpus))
            return true;
    return false;
}

bool fill_one_node(struct builder *b, const struct request *r, domain_id within, uint32_t task,
                   uint32_t gpus, enum node_order order)
{
    return one_node(b, r, within, task, gpus, order, order == FULLEST_FIRST);
}

/* How many of `wanted` GPUs the node can give as one piece: bounded by GPUs, CPU, memory and
 * power. */
static uint32_t room_for(const struct view *v, const struct request *r, node_id n, uint32_t wanted)
{
    struct node_free f = view_node_for(v, r, n);
    int64_t room = min_u32(f.whole, wanted);
    if (r->cpu_milli)
        room = min_i64(room, f.cpu_milli / r->cpu_milli);
    if (r->mem_mib)
        room = min_i64(room, f.mem_mib / r->mem_mib);
    room = min_i64(room, view_power_gpus(v, r, n));
    return room > 0 ? (uint32_t)room : 0;
}

uint32_t fill_piece(struct builder *b, const struct request *r, domain_id within, uint32_t rank,
                    uint32_t max, enum node_order order)
{
    struct node_walk w = {
        .v = builder_view(b), .r = r, .within = within, .min_whole = 1, .order = order
    };
    for (node_id n; node_walk_next(&w, &n);) {
        uint32_t room = room_for(w.v, r, n, max);
        if (room)
            return builder_add_some(b, r, rank, n, room) ? room : 0;
    }
    return 0;
}

uint32_t fill_total(struct builder *b, const struct request *r, domain_id within, uint32_t *rank,
                    uint32_t gpus, enum node_order order, enum node_order split)
{
    for (uint32_t left = gpus; left > 0; ++*rank) {
        if (fill_one_node(b, r, within, *rank, left, order)) {
            ++*rank;
            break;
        }
        uint32_t taken = fill_piece(b, r, within, *rank, left, split);
        if (!taken)
            return gpus - left;
        left -= taken;
    }
    return gpus;
}

/* Too few tasks fit by whole GPUs alone: none need be placed to see it. Where nodes are drawn, the
 * draws are part of the answer. */
static bool lacks_nodes(const struct builder *b, const struct request *r)
{
    return r->tasks > 1 && r->gpus > 0 && !r->mig && r->gpu_milli >= MILLI_ALL &&
           domain_fits(builder_view(b), 0, r) < r->tasks;
}

static enum place_result fill_all(struct builder *b, const struct request *r, enum node_order order,
                                  enum node_order split, bool gathers)
{
    uint32_t rank = 0;
    if (r->tasks == SPLIT_ANY)
        return fill_total(b, r, 0, &rank, r->gpus, order, split) == r->gpus ? PLACED
                                                                            : fill_failed(r);
    if (order != ANY_ORDER && lacks_nodes(b, r))
        return fill_failed(r);
    for (uint32_t k = 0; k < r->tasks; k++)
        if (!one_node(b, r, 0, request_task(r, k), r->gpus, order, gathers))
            return fill_failed(r);
    return PLACED;
}

enum place_result fill(struct builder *b, const struct request *r, enum node_order order,
                       enum node_order split)
{
    return fill_all(b, r, order, split, order == FULLEST_FIRST);
}

enum place_result fill_as(struct builder *b, const struct request *r, enum node_order order,
                          enum node_order split, const void *params)
{
    double devices = ((const struct fill_params *)params)->devices;
    builder_devices(b, devices > DEVICES_PACK ? DEVICES_SPREAD : DEVICES_PACKED);
    return fill_all(b, r, order, split, devices > DEVICES_OF_NODE && devices < DEVICES_APART);
}

enum { NAMED_MOST = 64 };         /* GPUs with names of a node */

static bool comes_before(enum node_order order, struct node_offer a, struct node_offer b)
{
    if (order == BY_ID || a.gpus == b.gpus)
        return a.node < b.node;
    return (a.gpus < b.gpus) == (order == FULLEST_FIRST);
}

static void sort(struct node_offer *offer, size_t n, enum node_order order)
{
    for (size_t i = 1, k; i < n; i++) {
        struct node_offer own = offer[i];
        for (k = i; k > 0 && comes_before(order, own, offer[k - 1]); k--)
            offer[k] = offer[k - 1];
        offer[k] = own;
    }
}

/* The first in that order which has as many; n: none has. */
static size_t first_with(const struct node_offer *offer, size_t n, uint32_t gpus, enum node_order order)
{
    size_t first = n;
    for (size_t i = 0; i < n; i++)
        if (offer[i].gpus >= gpus && (first == n || comes_before(order, offer[i], offer[first])))
            first = i;
    return first;
}

size_t fill_choose(struct node_offer *offer, size_t n, uint32_t gpus, enum node_order order,
                   enum node_order split)
{
    sort(offer, n, split);
    for (size_t k = 0; k < n; gpus -= offer[k++].gpus) {
        if (gpus > NAMED_MOST)
            continue;              /* no node has as many */
        size_t last = k + first_with(offer + k, n - k, gpus, order);
        if (last < n) {
            struct node_offer own = offer[last];
            offer[last] = offer[k];
            offer[k] = own;
            return k + 1;
        }
    }
    return 0;
}
