/* view.c - the queries of placers on a free index (contract/placement.h): one node, one domain, or
 * walks over nodes that fit, in a stated order, which skip nodes that cannot fit. */
#include "sim/base/inlined.h"
#include "sim/contract/util/bitset.h"
#include "sim/capacity/free_index.h"
#include "sim/capacity/headroom.h"
#include "sim/capacity/placement_rate.h"
#include "sim/cluster/catalogue.h"
#include "sim/contract/util/minmax.h"

struct node_free view_node(const struct view *v, node_id n)
{
    return free_index_node(v, n);
}

uint64_t view_slots(const struct view *v, const struct request *r, node_id n)
{
    return cluster_slots(v->cluster, n, r->mig);
}

struct node_free view_node_for(const struct view *v, const struct request *r, node_id n)
{
    struct node_free f = free_index_node(v, n);
    if (!r->mig)
        return f;
    const struct piece of = { .node = n, .gpu_mask = view_slots(v, r, n), .mig = r->mig };
    f.whole_mask = of.gpu_mask ? kind_begins(&v->cluster->kind[cluster_piece_kind(v->cluster, &of)],
                                             v->node[n].whole_mask) &
                                     v->only
                               : 0;
    f.shared_mask = 0;
    f.whole = (uint32_t)__builtin_popcountll(f.whole_mask);
    f.capacity = (uint32_t)__builtin_popcountll(of.gpu_mask);
    return f;
}

struct node_gpus view_gpus_for(const struct view *v, const struct request *r, node_id n)
{
    if (r->mig)
        return (struct node_gpus){ view_node_for(v, r, n).whole, 0 };
    uint64_t shared = v->node[n].shared_mask & v->only;
    return (struct node_gpus){ free_index_node_whole(v, n),
                               shared ? (uint32_t)__builtin_popcountll(shared) : 0 };
}

static uint32_t slot_milli(const struct view *v, node_id n, unsigned gpu)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    return t->mig[gpu % NAMED_GPUS_MAX] && !t->mig_single
               ? MILLI_ALL * mig_g(t->mig[gpu % NAMED_GPUS_MAX])
               : MILLI_ALL;
}

uint32_t view_gpu_milli(const struct view *v, node_id n, unsigned gpu)
{
    uint32_t used = view_used_milli(v, n, gpu);
    return used >= MILLI_ALL ? 0 : used ? MILLI_ALL - used : slot_milli(v, n, gpu);
}

bool view_gpu_fits(const struct view *v, const struct request *r, node_id n, unsigned gpu)
{
    return view_gpu_milli(v, n, gpu) >= r->gpu_milli &&
           free_index_has_memory(v, n, gpu, r->gpu_mem_mib);
}

unsigned view_keeps(const struct view *v, const struct request *r, node_id n)
{
    return v->keeps && r->job != ID_NONE ? v->keeps(v->run, r->job, n) : 0;
}

int64_t view_image_mib(const struct view *v)
{
    return v->cluster->storage.image_mib;
}

uint64_t view_islands(const struct view *v, node_id n, unsigned gpu)
{
    return cluster_node_type(v->cluster, n)->island_of[gpu];
}

struct amount view_node_size(const struct view *v, node_id n)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    return (struct amount){ (int64_t)t->gpus * MILLI_ALL, t->cpu_milli, t->mem_mib };
}

uint32_t view_kinds(const struct view *v)
{
    return v->cluster->n_kinds;
}

uint32_t view_kind(const struct view *v, node_id n)
{
    return v->cluster->kind_of[n];
}

static const struct gpu_model *model_of(const struct view *v, node_id n)
{
    uint32_t model = cluster_node_type(v->cluster, n)->gpu_model;
    return model == ID_NONE ? NULL : v->cluster->gpu_known[model];
}

double view_gpu_speed(const struct view *v, node_id n)
{
    const struct gpu_model *m = model_of(v, n);
    return m ? m->kappa : 0;
}

double view_gpu_price(const struct view *v, node_id n)
{
    const struct gpu_model *m = model_of(v, n);
    return m ? m->price_usd_per_h : 0;
}

double view_rate(const struct view *v, const struct request *r, const struct placement *p)
{
    if (!v->rates || r->mig)
        return 1;
    uint32_t model = r->job == ID_NONE ? ID_NONE : v->facts[r->job].model;
    struct placement_form f = placement_rate_form(v->rates, model, p);
    struct placement_rate at = placement_rate(v->rates, model, f.gpus, &f);
    return 1 / placement_slowdown(&at);
}

struct tenants view_tenants(const struct view *v, node_id n, const struct request *r)
{
    struct tenants t = { 0, 0 };
    unsigned alike = tenant_class(r->gpus, r->gpu_milli);
    for (unsigned i = 0; v->tenants && i < TENANT_CLASSES; i++) {
        uint32_t pieces = v->tenants[(size_t)n * TENANT_CLASSES + i];
        t.alike += i == alike ? pieces : 0;
        t.others += i == alike ? 0 : pieces;
    }
    return t;
}

/* Index among these kinds; their number: none of them. */
INLINED uint32_t kind_place(const struct view *v, const struct shape_kinds *allowed, node_id n)
{
    uint16_t kind = v->cluster->kind_of[n];
    uint32_t low = 0, high = allowed->n;
    if (high && allowed->kind[0] == kind)
        return 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (allowed->kind[middle] < kind)
            low = middle + 1;
        else
            high = middle;
    }
    bool one_of_them =
        low < allowed->n &&
        (allowed->kind[low] == kind || allowed->kind[low] - kind < v->cluster->kind[kind].parts);
    return one_of_them ? low : allowed->n;
}

bool view_suits(const struct view *v, const struct request *r, node_id n)
{
    const struct shape_kinds *allowed = view_kinds_of(v, r);
    return kind_place(v, allowed, n) < allowed->n;
}

bool free_index_allows(const struct view *v, const struct shape_kinds *shapes,
                       const struct request *r, node_id n)
{
    const struct shape_kinds *allowed = &shapes[view_shape(v, r)];
    return !v->node[n].out && kind_place(v, allowed, n) < allowed->n;
}

bool view_allows(const struct view *v, const struct request *r, node_id n)
{
    return free_index_allows(v, v->shape, r, n);
}

bool view_allows_leader(const struct view *v, const struct request *r, node_id n)
{
    const struct shape_kinds *kinds = view_kinds_of(v, r);
    bool bare = false;
    for (uint32_t i = 0; i < kinds->n_bare && !bare; i++)
        bare = kinds->bare[i] == v->cluster->kind_of[n];
    return !v->node[n].out && (bare || view_suits(v, r, n));
}

struct node_affinity view_affinity(const struct view *v, const struct request *r, node_id n)
{
    const struct shape_kinds *kinds = view_kinds_of(v, r);
    uint32_t at = kind_place(v, kinds, n);
    return at < kinds->n ? kinds->affinity[at] : (struct node_affinity){ 0, 0 };
}

/* If a task of r must be on one island, one has so many of these GPUs of n, which have names. */
static bool island_fits(const struct view *v, const struct request *r, node_id n, uint64_t gpus)
{
    if (!r->one_island || cluster_node_type(v->cluster, n)->counted)
        return true;
    uint32_t most = 0;
    for (uint64_t left = gpus, island; left; left &= ~island) {
        island = view_islands(v, n, (unsigned)__builtin_ctzll(left)) & left;
        most = max_u32(most, (uint32_t)__builtin_popcountll(island));
    }
    return most >= r->gpus;
}

static bool gpus_fit(const struct view *v, const struct request *r, node_id n)
{
    struct node_free f = view_node_for(v, r, n);
    uint32_t need = r->tasks == SPLIT_ANY ? 1 : r->gpus;
    uint32_t have = island_fits(v, r, n, f.whole_mask) ? f.whole : 0;
    if (r->gpu_milli < MILLI_ALL && need && cluster_node_type(v->cluster, n)->counted)
        return false;                 /* counted GPUs are not shared */
    if (r->gpu_milli < MILLI_ALL && have < need)
        for (uint64_t m = f.shared_mask; m; m &= m - 1)
            have += view_gpu_fits(v, r, n, (unsigned)__builtin_ctzll(m));
    return have >= need;
}

bool view_fits(const struct view *v, const struct request *r, node_id n)
{
    return view_has_room(v, r, n) && (!v->headroom || headroom_fits(v->headroom, r, n));
}

bool view_has_room(const struct view *v, const struct request *r, node_id n)
{
    const struct node_state *s = &v->node[n];
    return view_allows(v, r, n) && (!r->cpu_milli || s->cpu_milli >= r->cpu_milli) &&
           (!r->mem_mib || s->mem_mib >= r->mem_mib) && gpus_fit(v, r, n);
}

bool view_fits_empty(const struct view *v, const struct request *r, node_id n)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    uint32_t need = r->tasks == SPLIT_ANY ? 1 : r->gpus;
    uint64_t all = t->gpus < 64 ? (UINT64_C(1) << t->gpus) - 1 : UINT64_MAX;
    return view_node_for(v, r, n).capacity >= need && island_fits(v, r, n, all) &&
           t->cpu_milli >= r->cpu_milli && t->mem_mib >= r->mem_mib &&
           (!v->headroom || headroom_fits_empty(v->headroom, r, n));
}

bool view_lacks_power(const struct view *v, const struct request *r)
{
    return v->headroom && !headroom_may_have(v->headroom, v, r);
}

uint32_t view_power_gpus(const struct view *v, const struct request *r, node_id n)
{
    return v->headroom ? headroom_gpus(v->headroom, r, n) : UINT32_MAX;
}

domain_id view_domain(const struct view *v, node_id n, enum level l)
{
    return cluster_domain_at(v->cluster, n, l);
}

enum level view_domain_level(const struct view *v, domain_id d)
{
    return d >= v->cluster->n_domains ? LEVEL_NODE : v->cluster->domain[d].level;
}

enum level view_level_outwards(const struct view *v, enum level l)
{
    return cluster_level_outwards(v->cluster, l);
}

domain_id view_domain_parent(const struct view *v, domain_id d)
{
    const struct cluster *c = v->cluster;
    return d >= c->n_domains ? c->domain_of[d - c->n_domains] : c->domain[d].parent;
}

void view_domain_nodes(const struct view *v, domain_id d, node_id *first, node_id *end)
{
    const struct cluster *c = v->cluster;
    *first = d >= c->n_domains ? d - c->n_domains : c->domain[d].first;
    *end = d >= c->n_domains ? *first + 1 : c->domain[d].end;
}

struct node_range free_index_range(const struct view *v, domain_id within)
{
    struct node_range r = { v->first, v->end }, d = r;
    if (within)
        view_domain_nodes(v, within, &d.first, &d.end);
    r.first = d.first > r.first ? d.first : r.first;
    r.end = d.end < r.end ? d.end : r.end;
    return r;
}

/* GPUs (per_task 1) or tasks that fit on the whole GPUs of one kind within one domain. */
static uint64_t kind_fits(const struct view *v, domain_id d, uint32_t kind, uint32_t per_task)
{
    const struct kind_index *k = &v->kind[kind];
    const struct cluster *c = v->cluster;
    uint64_t whole = d == 0 ? (uint64_t)k->whole : v->domain_whole[(size_t)d * c->n_kinds + kind];
    if (per_task <= 1)
        return whole;
    if (d != 0 && v->hist_at[kind] == UINT64_MAX)
        return whole / per_task;
    const uint32_t *nodes = d == 0 ? NULL : v->domain_hist + d * v->hist_stride + v->hist_at[kind];
    return kind_bucket_fits(k, nodes, per_task);
}

static uint32_t domain_count(const struct view *v, domain_id d, const struct request *r,
                             uint32_t per_task)
{
    uint64_t sum = 0;
    if (d >= v->cluster->n_domains) {
        node_id n = d - v->cluster->n_domains;
        uint32_t whole = view_allows(v, r, n) ? view_node_for(v, r, n).whole : 0;
        return per_task ? whole / per_task : whole;
    }
    const struct shape_kinds *allowed = view_kinds_of(v, r);
    for (uint32_t i = 0; i < allowed->n; i++)
        sum += kind_fits(v, d, allowed->kind[i], per_task);
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

uint32_t domain_free_gpus(const struct view *v, domain_id d, const struct request *r)
{
    return domain_count(v, d, r, 1);
}

uint32_t domain_fits(const struct view *v, domain_id d, const struct request *r)
{
    if (r->gpus == 0 || r->gpu_milli < MILLI_ALL)    /* shared GPUs and CPUs are not summed up:
                                                        never a refusal */
        return UINT32_MAX;
    return domain_count(v, d, r, r->tasks == SPLIT_ANY ? 1 : r->gpus);
}

uint64_t view_random(const struct view *v)
{
    return random_u64(v->random);
}

size_t view_typical(const struct view *v, const struct typical **list)
{
    *list = v->typical ? v->typical->item : NULL;
    return v->typical ? v->typical->n : 0;
}

/* ---- walks ---- */

/* Where a walk is: at[STARTED] 0 before the first call; BUCKET the number of free GPUs looked at;
 * NEXT the least node id not yet looked at; LOOKS 1 within a bucket, 0 between two. A walk in drawn
 * order has STARTED = 1 + number of candidates, and visits rank (FIRST_RANK + k * STRIDE) modulo
 * that number for k = 0, 1, ... */
enum { STARTED, BUCKET, NEXT, STRIDE };
enum { DRAWN_RANK = BUCKET, DRAWN = NEXT, LOOKS = STRIDE };
enum { FIRST_TRIES = 1000 };    /* after that the first is taken as the stride finds it */

/* Least node id >= from in one set of a kind; NULL: the set of all. */
INLINED node_id kind_next(const struct view *v, uint32_t kind, const uint64_t *set, node_id from)
{
    const struct node_kind *k = &v->cluster->kind[kind];
    const bool all = k->n_nodes == v->cluster->n_nodes;
    uint32_t local = from;
    if (!all) {            /* kinds of part of the cluster have numbers of their own */
        uint32_t low = 0, high = k->n_nodes;
        if (from <= k->node[0])
            high = 0;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (k->node[middle] < from)
                low = middle + 1;
            else
                high = middle;
        }
        local = low;
    }
    if (set)
        local = bitset_next(&v->kind[kind].nodes, set, local);
    if (local >= k->n_nodes)
        return ID_NONE;
    return all ? local : k->node[local];
}

INLINED node_id bucket_next(const struct node_walk *w, uint32_t bucket, node_id from)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    node_id least = ID_NONE;
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        if (!kind_bucket_count(k, bucket))
            continue;
        node_id n =
            kind_next(v, allowed->kind[i],
                      k->by_whole ? k->by_whole + (size_t)bucket * k->nodes.words : NULL, from);
        least = n < least ? n : least;
    }
    return least;
}

static node_id share_next(const struct node_walk *w, uint32_t class, node_id from)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    node_id least = ID_NONE;
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        if (!k->by_share)
            continue;
        node_id n =
            kind_next(v, allowed->kind[i], k->by_share + (size_t)class * k->nodes.words, from);
        least = n < least ? n : least;
    }
    return least;
}

/* The next number of free GPUs that some node has, from `bucket` upwards or downwards; BITSET_END:
 * none. */
INLINED uint32_t next_bucket(const struct node_walk *w, uint32_t bucket, bool up)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    uint32_t best = BITSET_END;
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        uint32_t b = up ? kind_bucket_next(k, bucket) : kind_bucket_previous(k, bucket);
        if (b != BITSET_END && (best == BITSET_END || (up ? b < best : b > best)))
            best = b;
    }
    return best;
}

INLINED bool rest_fits(const struct node_walk *w, node_id n)
{
    const struct node_state *s = &w->v->node[n];
    return !s->out && (!w->r->cpu_milli || s->cpu_milli >= w->r->cpu_milli) &&
           (!w->r->mem_mib || s->mem_mib >= w->r->mem_mib) &&
           (!w->v->headroom || headroom_fits(w->v->headroom, w->r, n));
}

/* On to the next bucket; BITSET_END: there is none any more. */
static void to_bucket(struct node_walk *w, struct node_range range)
{
    bool up = w->order == FULLEST_FIRST, begun = w->at[STARTED];
    uint32_t at = (uint32_t)w->at[BUCKET], first = up ? w->min_whole : CLUSTER_NODE_GPUS_MAX;
    bool ends = begun && !up && at == 0;
    at = ends ? BITSET_END : next_bucket(w, !begun ? first : up ? at + 1 : at - 1, up);
    w->at[BUCKET] = at < w->min_whole ? BITSET_END : at;
    w->at[NEXT] = range.first;
    w->at[STARTED] = w->at[LOOKS] = 1;
}

static bool next_by_bucket(struct node_walk *w, struct node_range range, node_id *n)
{
    for (;;) {
        if (!w->at[LOOKS])
            to_bucket(w, range);
        if (w->at[BUCKET] == BITSET_END)
            return false;
        *n = bucket_next(w, (uint32_t)w->at[BUCKET], (node_id)w->at[NEXT]);
        w->at[NEXT] = (uint64_t)*n + 1;
        w->at[LOOKS] = *n < range.end;
        if (w->at[LOOKS] && rest_fits(w, *n))
            return true;
    }
}

static bool next_by_id(struct node_walk *w, struct node_range range, node_id *n)
{
    if (!w->at[STARTED]) {
        w->at[STARTED] = 1;
        w->at[NEXT] = range.first;
    }
    while (w->at[NEXT] < range.end) {
        node_id least = ID_NONE;
        for (uint32_t b = next_bucket(w, w->min_whole, true); b != BITSET_END;
             b = next_bucket(w, b + 1, true)) {
            node_id found = bucket_next(w, b, (node_id)w->at[NEXT]);
            least = found < least ? found : least;
        }
        if (least >= range.end)
            break;
        *n = least;
        w->at[NEXT] = (uint64_t)least + 1;
        if (rest_fits(w, least))
            return true;
    }
    w->at[NEXT] = range.end;
    return false;
}

static bool share_fits(const struct node_walk *w, node_id n)
{
    for (uint64_t m = w->v->node[n].shared_mask; m; m &= m - 1)
        if (view_gpu_fits(w->v, w->r, n, (unsigned)__builtin_ctzll(m)))
            return true;
    return false;
}

static bool next_shared(struct node_walk *w, struct node_range range, node_id *n)
{
    if (!w->at[STARTED]) {
        w->at[STARTED] = 1;
        w->at[BUCKET] = w->r->gpu_milli / 100 + 1;
        w->at[NEXT] = range.first;
    }
    for (; w->at[BUCKET] < SHARE_CLASSES; w->at[BUCKET]++, w->at[NEXT] = range.first) {
        while ((*n = share_next(w, (uint32_t)w->at[BUCKET], (node_id)w->at[NEXT])) < range.end) {
            w->at[NEXT] = (uint64_t)*n + 1;
            if (rest_fits(w, *n) && share_fits(w, *n))
                return true;
        }
    }
    return false;
}

/* Candidates in the order kind, free GPUs, id; `rank` counts over all of them. */
static node_id candidate(const struct node_walk *w, uint64_t rank)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        for (uint32_t b = kind_bucket_next(k, w->min_whole); b != BITSET_END;
             b = kind_bucket_next(k, b + 1)) {
            uint32_t count = kind_bucket_count(k, b);
            if (rank < count) {
                uint32_t local = 0;
                if (k->by_whole)
                    local = bitset_select(k->by_whole + (size_t)b * k->nodes.words, (uint32_t)rank);
                return v->cluster->kind[allowed->kind[i]].node[local];
            }
            rank -= count;
        }
    }
    return ID_NONE;
}

static uint64_t count_candidates(const struct node_walk *w)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    uint64_t count = 0;
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        for (uint32_t b = kind_bucket_next(k, w->min_whole); b != BITSET_END;
             b = kind_bucket_next(k, b + 1))
            count += kind_bucket_count(k, b);
    }
    return count;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The first node: drawn again while it is out of range or lacks the rest, so that each that will do
 * is equally likely. */
static uint64_t first_rank(const struct node_walk *w, struct node_range range, uint64_t count)
{
    uint64_t rank = 0;
    for (unsigned tries = 0; tries < FIRST_TRIES; tries++) {
        rank = random_below(w->v->random, count);
        node_id n = candidate(w, rank);
        if (n >= range.first && n < range.end && rest_fits(w, n))
            break;
    }
    return rank;
}

static bool next_drawn(struct node_walk *w, struct node_range range, node_id *n)
{
    if (!w->at[STARTED]) {
        uint64_t count = count_candidates(w);
        w->at[STARTED] = 1 + count;
        if (count) {
            w->at[DRAWN_RANK] = first_rank(w, range, count);
            w->at[STRIDE] = 1 + random_below(w->v->random, count);
            while (common_divisor(w->at[STRIDE], count) != 1)
                w->at[STRIDE]++;
        }
    }
    uint64_t count = w->at[STARTED] - 1;
    while (w->at[DRAWN] < count) {
        *n = candidate(w, w->at[DRAWN_RANK]);
        w->at[DRAWN_RANK] = (w->at[DRAWN_RANK] + w->at[STRIDE]) % count;
        w->at[DRAWN]++;
        if (*n >= range.first && *n < range.end && rest_fits(w, *n))
            return true;
    }
    return false;
}

bool node_walk_next(struct node_walk *w, node_id *n)
{
    struct node_range range = free_index_range(w->v, w->within);
    if (w->shared_only)
        return next_shared(w, range, n);
    switch (w->order) {
    case BY_ID:
        return next_by_id(w, range, n);
    case ANY_ORDER:
        return next_drawn(w, range, n);
    default:
        return next_by_bucket(w, range, n);
    }
}
