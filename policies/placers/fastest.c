/* fastest.c - the fastest GPU model with room, or the cheapest; among its nodes best fit.
 *
 * Speed and price of a model are the catalogue's (sim/cluster/catalogue.c); models that it does not
 * know come last. */
#include "policies/placers/scored.h"

struct fastest_params { double by; };
enum { BY_SPEED, BY_PRICE };
enum { RANK = 128 };              /* more than there are points for a fit */
struct fastest { struct amount most; int32_t rank[]; };    /* by kind: how many kinds are worse */

/* Above zero: a is better. */
static double better(double a, double b, bool price)
{
    if (a <= 0 || b <= 0)
        return (a > 0) - (b > 0);
    return price ? b - a : a - b;
}

static const void *fastest_begin(const struct view *v, const void *params)
{
    bool price = ((const struct fastest_params *)params)->by >= BY_PRICE;
    uint32_t kinds = view_kinds(v);
    struct fastest *f = view_alloc(v, sizeof *f + kinds * sizeof f->rank[0]);
    double *worth = view_alloc(v, kinds * sizeof *worth);
    node_id n, end;
    f->most = largest_node(v);
    view_domain_nodes(v, 0, &n, &end);
    for (; n < end; n++)
        worth[view_kind(v, n)] = price ? view_gpu_price(v, n) : view_gpu_speed(v, n);
    for (uint32_t a = 0; a < kinds; a++)
        for (uint32_t b = 0; b < kinds; b++)
            f->rank[a] += better(worth[a], worth[b], price) > 0;
    return f;
}

static int32_t fastest_score(const struct view *v, const struct request *r, node_id n,
                             const void *state)
{
    const struct fastest *f = state;
    return f->rank[view_kind(v, n)] * RANK + fit_points(v, r, n, &f->most);
}

static enum place_result fastest_place(struct builder *b, const struct request *r,
                                       const void *params)
{
    static const struct placing_by_score how = { .by = { .begin = fastest_begin, .score = fastest_score } };
    return place_best(b, r, &how, params);
}

static const char *const by_words[] = { "speed", "price", NULL };
static const struct param fastest_params[] = {
    { "by", "speed: the fastest GPU model first; price: the cheapest", "", 0, 0, BY_SPEED, by_words,
      offsetof(struct fastest_params, by) },
    { 0 },
};

const struct placer fastest_placer = {
    .abi = PLACEMENT_ABI,
    .name = "fastest",
    .summary = "the fastest GPU model with room, or the cheapest; then best fit",
    .params = fastest_params,
    .params_size = sizeof(struct fastest_params),
    .place = fastest_place,
};
