/* random.c - any node with room, each equally likely; of its GPUs the fullest that will do, or
 * any. */
#include "policies/placers/filling.h"

struct random_params { double gpus; };
enum { GPUS_FULLEST, GPUS_ANY };
enum { TRIES = 1000 };            /* draws of a node before all of them are gone through */

/* A uniform number below n; by rejection, so without bias. */
static uint32_t draw(const struct view *v, uint32_t n)
{
    uint64_t x, most = UINT64_MAX - UINT64_MAX % n;
    do
        x = view_random(v);
    while (x >= most);
    return (uint32_t)(x % n);
}

static uint64_t gpus_that_fit(const struct view *v, const struct request *r, node_id n)
{
    struct node_free f = view_node_for(v, r, n);
    uint64_t fit = f.whole_mask;
    for (uint64_t m = r->gpu_milli < MILLI_ALL ? f.shared_mask : 0; m; m &= m - 1)
        if (view_gpu_fits(v, r, n, (unsigned)__builtin_ctzll(m)))
            fit |= m & -m;
    return fit;
}

static uint64_t draw_gpus(const struct view *v, uint64_t from, uint32_t gpus)
{
    uint64_t drawn = 0;
    for (; gpus > 0; gpus--) {
        uint64_t m = from & ~drawn;
        for (uint32_t skip = draw(v, (uint32_t)__builtin_popcountll(m)); skip > 0; skip--)
            m &= m - 1;
        drawn |= m & -m;
    }
    return drawn;
}

static bool add_any(struct builder *b, const struct request *r, uint32_t task, node_id n)
{
    uint64_t fit = gpus_that_fit(builder_view(b), r, n);
    if (!fit || !r->gpus)         /* no GPUs with names */
        return builder_add_some(b, r, task, n, r->gpus);
    if ((uint32_t)__builtin_popcountll(fit) < r->gpus)
        return false;
    return builder_add(b, (struct piece){ .node = n,
                                          .task = task,
                                          .gpu_mask = draw_gpus(builder_view(b), fit, r->gpus),
                                          .gpus = r->gpus,
                                          .milli = r->gpu_milli });
}

static struct node_walk drawn_nodes(const struct view *v, const struct request *r)
{
    return (struct node_walk){
        .v = v, .r = r, .min_whole = r->gpu_milli < MILLI_ALL ? 0 : r->gpus, .order = ANY_ORDER
    };
}

/* Draws a node until one has the GPUs: then each that has them was equally likely. */
static bool place_anywhere(struct builder *b, const struct request *r, uint32_t task)
{
    struct node_walk w;
    node_id n;
    if (r->try_first != ID_NONE && view_fits(builder_view(b), r, r->try_first) &&
        add_any(b, r, task, r->try_first))
        return true;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        w = drawn_nodes(builder_view(b), r);
        if (!node_walk_next(&w, &n))
            return false;
        if (add_any(b, r, task, n))
            return true;
    }
    while (node_walk_next(&w, &n))
        if (add_any(b, r, task, n))
            return true;
    return false;
}

static enum place_result random_place(struct builder *b, const struct request *r,
                                      const void *params)
{
    if (r->tasks == SPLIT_ANY || ((const struct random_params *)params)->gpus < GPUS_ANY)
        return fill(b, r, ANY_ORDER, ANY_ORDER);
    for (uint32_t k = 0; k < r->tasks; k++)
        if (!place_anywhere(b, r, request_task(r, k)))
            return fill_failed(r);
    return PLACED;
}

static const char *const gpus_words[] = { "fullest", "any", NULL };
static const struct param random_params[] = {
    { "gpus", "GPUs of the node drawn: the fullest that will do, or any", "", 0, 0, GPUS_FULLEST,
      gpus_words, offsetof(struct random_params, gpus) },
    { 0 },
};

const struct placer random_placer = {
    .abi = PLACEMENT_ABI,
    .name = "random",
    .summary = "any node with room, drawn",
    .needs = DRAWS_NODES,
    .params = random_params,
    .params_size = sizeof(struct random_params),
    .place = random_place,
};
