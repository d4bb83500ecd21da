/* scored.c - see scored.h. */
#include "policies/placers/scored.h"

#include "policies/placers/filling.h"
#include "sim/contract/util/minmax.h"

#include <math.h>

static bool take_on(struct builder *b, const struct request *r, uint32_t task, node_id n,
                    const struct placing_by_score *how, const void *params)
{
    return how->take ? how->take(b, r, task, n, view_scoring(builder_view(b), &how->by, params))
                     : builder_add_some(b, r, task, n, r->gpus);
}

static bool place_task(struct builder *b, const struct request *r, uint32_t task,
                       const struct placing_by_score *how, const void *params)
{
    const struct view *v = builder_view(b);
    node_id n;
    if (r->try_first != ID_NONE && view_fits(v, r, r->try_first) &&
        take_on(b, r, task, r->try_first, how, params))
        return true;
    return view_best(v, r, 0, &how->by, params, &n) && take_on(b, r, task, n, how, params);
}

/* What is left as if it were a task: on one node or not at all. */
static bool place_rest(struct builder *b, const struct request *r, uint32_t rank, uint32_t left,
                       const struct placing_by_score *how, const void *params)
{
    struct node_walk any = {
        .v = builder_view(b), .r = r, .min_whole = left, .order = FULLEST_FIRST
    };
    struct request one = *r;
    node_id n;
    if (!node_walk_next(&any, &n))
        return false;
    one.tasks = 1;
    one.gpus = left;
    one.cpu_milli *= left;
    one.mem_mib *= left;
    if (one.try_first != ID_NONE && view_fits(any.v, &one, one.try_first) &&
        builder_add_some(b, r, rank, one.try_first, left))
        return true;
    return view_best(any.v, &one, 0, &how->by, params, &n) && builder_add_some(b, r, rank, n, left);
}

enum place_result place_best(struct builder *b, const struct request *r,
                             const struct placing_by_score *how, const void *params)
{
    if (r->tasks != SPLIT_ANY) {
        for (uint32_t k = 0; k < r->tasks; k++)
            if (!place_task(b, r, request_task(r, k), how, params))
                return fill_failed(r);
        return PLACED;
    }
    uint32_t left = r->gpus;
    for (uint32_t rank = 0; !place_rest(b, r, rank, left, how, params); rank++) {
        uint32_t taken = fill_piece(b, r, 0, rank, left, EMPTIEST_FIRST);
        if (!taken)
            return fill_failed(r);
        left -= taken;
        if (!left)
            break;
    }
    return PLACED;
}

const char *const node_orders[] = { "by-id", "random", NULL };
const struct param scored_param_list[] = { SCORED_PARAM_NODE_ORDER, { 0 } };

bool scored_draws_ties(const void *params)
{
    return ((const struct scored_params *)params)->node_order >= ORDER_RANDOM;
}

struct amount largest_node(const struct view *v)
{
    struct amount most = { 0, 0, 0 };
    node_id first, end;
    view_domain_nodes(v, 0, &first, &end);
    for (node_id n = first; n < end; n++) {
        struct amount size = view_node_size(v, n);
        most.gpu_milli = max_i64(most.gpu_milli, size.gpu_milli);
        if (size.cpu_milli != INT64_MAX)
            most.cpu_milli = max_i64(most.cpu_milli, size.cpu_milli);
        if (size.mem_mib != INT64_MAX)
            most.mem_mib = max_i64(most.mem_mib, size.mem_mib);
    }
    return most;
}

struct amount norm_of(const struct view *v, const struct norm_params *params)
{
    struct amount most = largest_node(v);
    if (params->norm_cpus > 0)
        most.cpu_milli = llround(params->norm_cpus * MILLI_ALL);
    if (params->norm_gpus > 0)
        most.gpu_milli = llround(params->norm_gpus * MILLI_ALL);
    return most;
}

int64_t node_milli_left(const struct view *v, node_id n, const struct node_free *f)
{
    int64_t left = (int64_t)f->whole * MILLI_ALL;
    for (uint64_t m = f->shared_mask; m; m &= m - 1)
        left += view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m));
    return left;
}

int32_t fit_points(const struct view *v, const struct request *r, node_id n,
                   const struct amount *most)
{
    struct node_free f = view_node_for(v, r, n);
    int64_t gpu_milli = node_milli_left(v, n, &f) - (int64_t)r->gpus * request_share(r);
    double over = 0;
    if (most->cpu_milli && f.cpu_milli != INT64_MAX)
        over += (double)(f.cpu_milli - r->cpu_milli) / (double)most->cpu_milli * 0.5;
    if (most->gpu_milli)
        over += (double)gpu_milli / (double)most->gpu_milli * 0.5;
    return (int32_t)((1 - over) * 100);
}
