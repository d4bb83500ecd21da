/* view.c - what a placer may ask of a free index, one node or domain at a time. */
#include "sim/cluster/catalogue.h"
#include "sim/capacity/free_index.h"
#include "sim/capacity/headroom.h"
#include "sim/capacity/placement_rate.h"

struct node_free view_node(const struct view *v, node_id n)
{
    const struct node_state *s = &v->node[n];
    uint64_t whole = s->whole_mask & v->only;
    return (struct node_free){
        .whole_mask = whole,
        .shared_mask = s->shared_mask & v->only,
        .whole = whole != s->whole_mask ? (uint32_t)__builtin_popcountll(whole) : s->whole > 0 ? (uint32_t)s->whole : 0,
        .capacity = cluster_node_gpus(v->cluster, n),
        .cpu_milli = s->cpu_milli,
        .mem_mib = s->mem_mib,
    };
}

uint64_t view_slots(const struct view *v, const struct request *r, node_id n)
{
    return cluster_slots(v->cluster, n, r->mig);
}

struct node_free view_node_for(const struct view *v, const struct request *r, node_id n)
{
    if (!r->mig)
        return view_node(v, n);
    struct node_free f = view_node(v, n);
    const struct piece of = { .node = n, .gpu_mask = view_slots(v, r, n), .mig = r->mig };
    f.whole_mask = of.gpu_mask ? kind_begins(&v->cluster->kind[cluster_piece_kind(v->cluster, &of)], v->node[n].whole_mask) & v->only : 0;
    f.shared_mask = 0;
    f.whole = (uint32_t)__builtin_popcountll(f.whole_mask);
    f.capacity = (uint32_t)__builtin_popcountll(of.gpu_mask);
    return f;
}

static uint32_t slot_milli(const struct view *v, node_id n, unsigned gpu)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    return t->mig[gpu % NAMED_GPUS_MAX] && !t->mig_single ? MILLI_ALL * mig_g(t->mig[gpu % NAMED_GPUS_MAX]) : MILLI_ALL;
}

uint32_t view_gpu_milli(const struct view *v, node_id n, unsigned gpu)
{
    uint32_t used = view_used_milli(v, n, gpu);
    return used >= MILLI_ALL ? 0 : used ? MILLI_ALL - used : slot_milli(v, n, gpu);
}

bool view_gpu_fits(const struct view *v, const struct request *r, node_id n, unsigned gpu)
{
    return view_gpu_milli(v, n, gpu) >= r->gpu_milli && free_index_has_memory(v, n, gpu, r->gpu_mem_mib);
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
    struct placement_form f = placement_rate_form(v->rates, p);
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

/* Its place among the kinds that r may use; their number: it is none of them. */
static uint32_t kind_place(const struct view *v, const struct request *r, node_id n)
{
    const struct shape_kinds *allowed = &v->shape[r->shape];
    uint16_t kind = v->cluster->kind_of[n];
    uint32_t low = 0, high = allowed->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (allowed->kind[middle] < kind)
            low = middle + 1;
        else
            high = middle;
    }
    bool one_of_them = low < allowed->n && (allowed->kind[low] == kind ||
                                            allowed->kind[low] - kind < v->cluster->kind[kind].parts);
    return one_of_them ? low : allowed->n;
}

bool view_allows(const struct view *v, const struct request *r, node_id n)
{
    return !v->node[n].out && kind_place(v, r, n) < v->shape[r->shape].n;
}

struct node_affinity view_affinity(const struct view *v, const struct request *r, node_id n)
{
    uint32_t at = kind_place(v, r, n);
    return at < v->shape[r->shape].n ? v->shape[r->shape].affinity[at] : (struct node_affinity){ 0, 0 };
}

static bool gpus_fit(const struct view *v, const struct request *r, node_id n)
{
    struct node_free f = view_node_for(v, r, n);
    uint32_t need = r->tasks == SPLIT_ANY ? 1 : r->gpus;
    uint32_t have = f.whole;
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
    return view_node_for(v, r, n).capacity >= need && t->cpu_milli >= r->cpu_milli && t->mem_mib >= r->mem_mib &&
           (!v->headroom || headroom_fits_empty(v->headroom, r, n));
}

bool view_lacks_power(const struct view *v, const struct request *r)
{
    return v->headroom && !headroom_may_have(v->headroom, v->shape, r);
}

uint32_t view_power_gpus(const struct view *v, const struct request *r, node_id n)
{
    return v->headroom ? headroom_gpus(v->headroom, r, n) : UINT32_MAX;
}

domain_id view_domain(const struct view *v, node_id n, enum level l)
{
    return cluster_domain_at(v->cluster, n, l);
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

/* GPUs (per_task 1) or tasks that the whole GPUs of one kind give, within one domain. */
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
    uint64_t fits = 0;
    for (uint32_t f = kind_bucket_next(k, per_task); f != BITSET_END; f = kind_bucket_next(k, f + 1))
        fits += (uint64_t)(nodes ? nodes[f] : kind_bucket_count(k, f)) * (f / per_task);
    return fits;
}

static uint32_t domain_count(const struct view *v, domain_id d, const struct request *r, uint32_t per_task)
{
    uint64_t sum = 0;
    if (d >= v->cluster->n_domains) {
        node_id n = d - v->cluster->n_domains;
        uint32_t whole = view_allows(v, r, n) ? view_node_for(v, r, n).whole : 0;
        return per_task ? whole / per_task : whole;
    }
    const struct shape_kinds *allowed = &v->shape[r->shape];
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
    if (r->gpus == 0 || r->gpu_milli < MILLI_ALL)    /* shared GPUs and CPUs are not summed up: never a refusal */
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
