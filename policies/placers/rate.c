/* rate.c - the fastest progress of several ways to place the job.
 *
 * The ways: on as few racks as can be, like placer rack; a total in equal pieces on as few nodes as
 * can be, on twice and on four times as many, then as it comes; tasks as they are. Each but the
 * first in the tightest island, rack, pod and so on outwards that take it so, then anywhere; all of
 * them on the fastest GPUs alone, then on those and the next slower ones, and so on. The best by
 * builder_rate() wins, of equal ones the first; one as good as the reference placement ends the
 * search, unless GPUs differ. Where the cluster has no rates (no section `progress`) the first that
 * takes it wins. Shares of GPUs go by best fit. */
#include "policies/placers/filling.h"
#include "policies/placers/tight.h"
#include "sim/contract/util/minmax.h"

enum { PARTS_MOST = 256, DOMAINS_MOST = 16, WIDENINGS = 3 };
#define BETTER 1.000000001        /* a smaller ratio is rounding */

struct way {
    domain_id within;             /* 0: anywhere */
    /* of a total: equal pieces; 0: all that is free, the emptiest nodes first */
    uint32_t parts;
    double speed;                 /* GPUs at least so fast */
    bool few_racks;               /* instead: as placer rack does */
};
struct search {
    struct builder *b;
    const struct request *r;
    const struct tight_nodes *nodes;
    struct way best;
    double best_rate;             /* 0: nothing took it */
};

/* ---- One way ---- */

/* The next node of the walk with GPUs that are fast enough. */
static bool next_node(struct node_walk *w, double speed, node_id *n)
{
    while (node_walk_next(w, n))
        if (speed <= 0 || view_gpu_speed(w->v, *n) >= speed)
            return true;
    return false;
}

static bool add_task(struct search *x, const struct way *way, uint32_t task, uint32_t gpus)
{
    struct node_walk w = { .v = builder_view(x->b),
                           .r = x->r,
                           .within = way->within,
                           .min_whole = gpus,
                           .order = FULLEST_FIRST };
    for (node_id n; next_node(&w, way->speed, &n);)
        if (builder_add_some(x->b, x->r, task, n, gpus))
            return true;
    return false;
}

/* Pieces that differ by one GPU at most, each on a node of its own. */
static bool add_equal_pieces(struct search *x, const struct way *way)
{
    node_id node[PARTS_MOST], n;
    uint32_t found = 0, most = (x->r->gpus + way->parts - 1) / way->parts,
             larger = x->r->gpus - (most - 1) * way->parts;
    struct node_walk w = { .v = builder_view(x->b),
                           .r = x->r,
                           .within = way->within,
                           .min_whole = most,
                           .order = FULLEST_FIRST };
    while (found < way->parts && next_node(&w, way->speed, &n))
        node[found++] = n;
    if (found < way->parts)
        return false;
    for (uint32_t i = 0; i < found; i++)
        if (!builder_add_some(x->b, x->r, i, node[i], i < larger ? most : most - 1))
            return false;
    return true;
}

static bool add_pieces(struct search *x, const struct way *way)
{
    uint32_t left = x->r->gpus;
    for (uint32_t rank = 0; left > 0; rank++) {
        struct node_walk w = { .v = builder_view(x->b),
                               .r = x->r,
                               .within = way->within,
                               .min_whole = 1,
                               .order = EMPTIEST_FIRST };
        uint32_t taken = 0;
        node_id n;
        if (add_task(x, way, rank, left))
            return true;
        while (taken == 0 && next_node(&w, way->speed, &n)) {
            uint32_t piece = min_u32(view_node_for(w.v, x->r, n).whole, left);
            taken = builder_add_some(x->b, x->r, rank, n, piece) ? piece : 0;
        }
        if (!taken)
            return false;
        left -= taken;
    }
    return true;
}

static bool add_all(struct search *x, const struct way *way)
{
    if (way->few_racks) {
        struct tight_job j = tight_job(x->b, x->r);
        return tight_few(&j, LEVEL_RACK);
    }
    if (x->r->tasks == SPLIT_ANY)
        return way->parts ? add_equal_pieces(x, way) : add_pieces(x, way);
    for (uint32_t k = 0; k < x->r->tasks; k++)
        if (!add_task(x, way, request_task(x->r, k), x->r->gpus))
            return false;
    return true;
}

/* ---- The search ---- */

/* Keeps it as the best if it is; leaves nothing in the builder. false: it does not fit. */
static bool try_way(struct search *x, struct way way)
{
    size_t mark = builder_mark(x->b);
    bool fits = add_all(x, &way);
    double rate = fits ? builder_rate(x->b) : 0;
    builder_rollback(x->b, mark);
    if (rate > x->best_rate * BETTER) {
        x->best = way;
        x->best_rate = rate;
    }
    return fits;
}

static bool good_enough(const struct search *x)
{
    return x->best_rate * BETTER >= 1 && x->nodes->n_speeds < 2;
}

/* In the tightest domain of the level that takes it so. */
static void try_level(struct search *x, enum level level, struct way way)
{
    struct tight_walk w = { .v = builder_view(x->b), .r = x->r, .level = level };
    w.min_room = x->r->tasks == SPLIT_ANY ? x->r->gpus : x->r->tasks;
    if (tight_any(w.v, level))
        for (unsigned i = 0; i < DOMAINS_MOST && tight_next(&w, &way.within); i++)
            if (try_way(x, way))
                return;
}

static void try_levels(struct search *x, struct way way)
{
    const struct view *v = builder_view(x->b);
    for (enum level l = LEVEL_ISLAND; l < LEVEL_CLUSTER && !good_enough(x);
         l = tight_outwards(v, l))
        try_level(x, l, way);
    if (!good_enough(x))
        try_way(x, way);
}

static void try_speed(struct search *x, double speed)
{
    uint32_t node_gpus = x->nodes->gpus ? x->nodes->gpus : 1,
             least = (x->r->gpus + node_gpus - 1) / node_gpus;
    for (unsigned i = 0; x->r->tasks == SPLIT_ANY && i < WIDENINGS; i++)
        if (least << i <= PARTS_MOST && least << i <= x->r->gpus)
            try_levels(x, (struct way){ .parts = least << i, .speed = speed });
    try_levels(x, (struct way){ .speed = speed });
}

static enum place_result rate_place(struct builder *b, const struct request *r, const void *params)
{
    struct search x = { .b = b, .r = r, .nodes = tight_nodes(builder_view(b)) };
    (void)params;
    if (r->gpus == 0 || r->gpu_milli != MILLI_ALL)
        return fill(b, r, FULLEST_FIRST, EMPTIEST_FIRST);
    if (tight_any(builder_view(b), LEVEL_RACK))
        try_way(&x, (struct way){ .few_racks = true });
    for (unsigned i = 0; i < x.nodes->n_speeds && !good_enough(&x); i++)
        try_speed(&x, i + 1 < x.nodes->n_speeds ? x.nodes->speed[i] : 0);      /* the last: any */
    if (x.best_rate <= 0)
        return fill(b, r, FULLEST_FIRST, EMPTIEST_FIRST);
    return add_all(&x, &x.best) ? PLACED : fill_failed(r);
}

const struct placer rate_placer = {
    .abi = PLACEMENT_ABI,
    .name = "rate",
    .summary =
        "the fastest progress by the cluster's section `progress`, of many ways to place the job",
    .needs = TIGHTEST_DOMAINS,
    .place = rate_place,
};
