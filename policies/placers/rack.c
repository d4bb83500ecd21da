/* rack.c - as few racks as can be, and inside a rack best fit.
 *
 * What fits one rack goes to the tightest that holds it: the one with the fewest free GPUs. What does not takes racks with
 * the most room first, until the rest fits one, which then is the tightest again. A node without a rack is one of its own.
 * Racks are told apart by whole GPUs; where CPU, memory or shares bind, the next rack is tried. O(racks) a decision. */
#include "policies/placers/filling.h"

/* A walk over racks: by free GPUs ascending, or by room for r descending; equal: the lowest node first. */
struct rack_walk {
    const struct view *v;
    const struct request *r;
    bool tightest;
    uint32_t least;               /* tasks or GPUs that a rack must have room for */
    bool begun;
    uint32_t key;                 /* of the last one */
    node_id at;                   /* and its first node */
};

/* The rack around n, up to *end; n itself if it is in none. */
static domain_id rack_of(const struct view *v, node_id n, node_id *end)
{
    node_id first;
    domain_id d = view_domain(v, n, LEVEL_RACK);
    if (d == view_domain(v, n, LEVEL_POD))
        d = view_domain(v, n, LEVEL_NODE);
    view_domain_nodes(v, d, &first, end);
    return d;
}

static bool rack_walk_next(struct rack_walk *w, domain_id *d)
{
    node_id n, next, end, best = ID_NONE;
    uint32_t best_key = UINT32_MAX;
    view_domain_nodes(w->v, 0, &n, &end);
    for (; n < end; n = next) {
        domain_id rack = rack_of(w->v, n, &next);
        uint32_t room = domain_fits(w->v, rack, w->r);
        uint32_t key = w->tightest ? domain_free_gpus(w->v, rack, w->r) : UINT32_MAX - room;
        bool passed = w->begun && (key < w->key || (key == w->key && n <= w->at));
        if (room < w->least || passed || (best != ID_NONE && key >= best_key))
            continue;
        best = n;
        best_key = key;
        *d = rack;
    }
    w->begun = true;
    w->key = best_key;
    w->at = best;
    return best != ID_NONE;
}

struct rack_job { struct builder *b; const struct request *r; uint32_t left, done, rank; };

/* As much as can be of what is left, in that rack; how much. */
static uint32_t place_in(struct rack_job *j, domain_id rack)
{
    if (j->r->tasks == SPLIT_ANY)
        return fill_total(j->b, j->r, rack, &j->rank, j->left, FULLEST_FIRST, EMPTIEST_FIRST);
    uint32_t k = 0;
    while (k < j->left &&
           fill_one_node(j->b, j->r, rack, request_task(j->r, j->done + k), j->r->gpus, FULLEST_FIRST))
        k++;
    return k;
}

static bool all_in_one(struct rack_job *j)
{
    struct rack_walk w = { .v = builder_view(j->b), .r = j->r, .tightest = true, .least = j->left };
    size_t mark = builder_mark(j->b);
    uint32_t rank = j->rank;
    for (domain_id rack; rack_walk_next(&w, &rack); j->rank = rank) {
        if (place_in(j, rack) == j->left)
            return true;
        builder_rollback(j->b, mark);
    }
    return false;
}

static uint32_t some_in_roomiest(struct rack_job *j)
{
    struct rack_walk w = { .v = builder_view(j->b), .r = j->r, .least = 1 };
    uint32_t placed = 0;
    for (domain_id rack; placed == 0 && rack_walk_next(&w, &rack);)
        placed = place_in(j, rack);
    return placed;
}

static enum place_result rack_place(struct builder *b, const struct request *r, const void *params)
{
    struct rack_job j = { .b = b, .r = r, .left = r->tasks == SPLIT_ANY ? r->gpus : r->tasks };
    (void)params;
    while (!all_in_one(&j)) {
        uint32_t placed = some_in_roomiest(&j);
        if (!placed)
            return fill_failed(r);
        j.left -= placed;
        j.done += placed;
    }
    return PLACED;
}

const struct placer rack_placer = {
    .abi = PLACEMENT_ABI,
    .name = "rack",
    .summary = "as few racks as can be, the tightest that holds it; inside, best fit",
    .place = rack_place,
};
