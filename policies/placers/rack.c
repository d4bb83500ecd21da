/* rack.c - as few racks as can be, and inside a rack best fit.
 *
 * What fits one rack goes to the tightest that holds it: the one with the fewest free GPUs. What does not takes racks with
 * the most room first, until the rest fits one, which then is the tightest again. A node without a rack is one of its own.
 * Racks are told apart by whole GPUs; where CPU, memory or shares bind, the next rack is tried. O(racks) a decision; without
 * racks it is pack. */
#include "policies/placers/filling.h"

enum { BATCH = 16 };              /* racks of a walk that are found at once */

/* All there are, and the nodes that are in none. */
struct racks { bool any; size_t n; domain_id rack[]; };

static domain_id rack_of(const struct view *v, node_id n, bool *racked)
{
    domain_id d = view_domain(v, n, LEVEL_RACK);
    *racked = d != view_domain(v, n, LEVEL_POD);
    return *racked ? d : view_domain(v, n, LEVEL_NODE);
}

static const void *racks_begin(const struct view *v, const void *params)
{
    node_id n, end;
    bool racked;
    (void)params;
    view_domain_nodes(v, 0, &n, &end);
    struct racks *all = view_alloc(v, sizeof *all + end * sizeof all->rack[0]);
    while (n < end) {
        node_id first;
        domain_id d = all->rack[all->n++] = rack_of(v, n, &racked);
        view_domain_nodes(v, d, &first, &n);
        all->any |= racked;
    }
    return all;
}

static const struct racks *racks_of(const struct view *v)
{
    static const struct scoring prepared = { .begin = racks_begin };
    return view_scoring(v, &prepared, NULL);
}

/* A walk over racks with room for `least` tasks or GPUs: by free GPUs ascending, or by room descending; equal: in order. */
struct place { uint32_t key; size_t i; };
struct rack_walk {
    const struct view *v;
    const struct request *r;
    bool tightest;
    uint32_t least;
    size_t n, at;
    struct place next[BATCH];     /* ascending */
    bool begun;
    struct place last;            /* of the batch before */
};

static bool before(struct place a, struct place b)
{
    return a.key != b.key ? a.key < b.key : a.i < b.i;
}

static void keep(struct rack_walk *w, struct place p)
{
    if (w->n == BATCH && before(w->next[BATCH - 1], p))
        return;
    size_t i = w->n < BATCH ? w->n++ : BATCH - 1;
    for (; i > 0 && before(p, w->next[i - 1]); i--)
        w->next[i] = w->next[i - 1];
    w->next[i] = p;
}

static void find_batch(struct rack_walk *w)
{
    const struct racks *all = racks_of(w->v);
    w->n = w->at = 0;
    for (size_t i = 0; i < all->n; i++) {
        uint32_t room = domain_fits(w->v, all->rack[i], w->r);
        if (room < w->least)
            continue;
        struct place p = { w->tightest ? domain_free_gpus(w->v, all->rack[i], w->r) : UINT32_MAX - room, i };
        if (!w->begun || before(w->last, p))
            keep(w, p);
    }
    w->begun = true;
    if (w->n)
        w->last = w->next[w->n - 1];
}

static bool rack_walk_next(struct rack_walk *w, domain_id *d)
{
    if (w->at == w->n && (!w->begun || w->n == BATCH))
        find_batch(w);
    if (w->at == w->n)
        return false;
    *d = racks_of(w->v)->rack[w->next[w->at++].i];
    return true;
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
    if (!racks_of(builder_view(b))->any)
        return fill(b, r, FULLEST_FIRST, EMPTIEST_FIRST);
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
