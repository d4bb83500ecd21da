/* view.c - the queries of placers on a free index (contract/placement.h), of one node or one domain. */
#include "sim/base/inlined.h"
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
