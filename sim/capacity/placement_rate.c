/* placement_rate.c - see placement_rate.h. */
#include "sim/capacity/placement_rate.h"

#include "sim/base/memory.h"
#include "sim/capacity/rank_layout.h"
#include "sim/models/training/throughputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GIGA 1e9
#define TERA 1e12
enum { FURTHER = SAME_POD + 1, CACHE_FIRST = 64 };

struct known {
    bool found;
    struct training_model m;
    uint32_t in_table;            /* number in the table; INTERN_NONE: it is not there */
};
/* s 0: unknown to this model */
struct reference { uint32_t model, n_gpus; enum rate_model by; bool used; double s; };
struct placement_rates {
    const struct cluster *c;
    const struct rate_rules *rules;
    struct form_rules form_rules;
    struct form_group group;      /* of the reference */
    struct known *known;          /* [n_models + 1], the last: of jobs that name none */
    uint32_t n_models;
    uint32_t *type[2];            /* [gpu_models] in the table: unconsolidated, consolidated */
    struct reference *cache;      /* open addressing */
    size_t n_cached, capacity;
    struct form_scratch scratch;
    struct rank_layout layout;
    struct rank_groups groups;    /* of the last form that was asked for */
    double *link_bps;             /* by link; NULL: as if all nodes sent */
};

/* ---- The analytic model ---- */

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Bytes a second out of each unit: over uplinks by their oversubscription, as if all nodes sent, or
 * what the links leave to each of its nodes. */
static double network_bps(const struct fabric *fabric, const struct placement_form *f)
{
    bool left = f->link_bps[REACH_CLUSTER] > 0;
    double over = f->distance <= SAME_RACK || left ? 1 : fabric->leaf_oversubscription;
    double slowest = INFINITY;
    if (f->distance == FURTHER && !left)
        over *= fabric->spine_oversubscription;
    for (unsigned i = 0; i < f->n_nics; i++) {
        const struct form_nic *nic = &f->nic[i];
        bool rails = fabric->nic_affinity == NIC_RAIL ||
                     (fabric->nic_affinity == NIC_AUTO && nic->nics >= nic->gpus);
        double used = rails && f->least < nic->nics ? (double)f->least / nic->nics : 1;
        slowest = least(slowest, nic->bps * least(used, 1 / over));
    }
    slowest *= fabric->efficiency[LINK_NETWORK];
    return left ? least(slowest, f->unit_nodes * f->link_bps[REACH_CLUSTER]) : slowest;
}

/* Uneven splits: the network stage is that of the unit with fewest GPUs, the stage inside that of
 * the one with most, so that the slowest counts in both (2.1, 4 has the fewest in both, which would
 * make 4 + 2 faster than 3 + 3). Its GPUs are stages of `tensor` x `pipeline` GPUs a copy, ranks in
 * the order tensor, data, pipeline (Megatron-LM), so a data-parallel group is within the `units` of
 * one stage and has a GPU of every tensor group. */
void placement_analytic(const struct rate_rules *rules, const struct training_model *m,
                        const struct placement_form *f, struct placement_rate *to)
{
    const struct fabric *fabric = &rules->fabric;
    const struct collective_costs *costs = &fabric->costs;
    uint32_t split = m->tensor_parallel * m->pipeline_parallel,
             copies = f->gpus / split ? f->gpus / split : 1;
    /* ranks of a group on a unit */
    uint32_t here = f->least / m->tensor_parallel ? f->least / m->tensor_parallel : 1;
    double own = m->gradient_bytes / split, inside = fabric->efficiency[f->inside] * f->inside_bps;
    to->compute_s = m->compute_s / f->kappa / (m->global_batch ? f->gpus : 1);
    to->comm_s = to->network_s = 0;
    if (f->units == 1) {
        to->comm_s = collective_all_reduce_s(costs, f->inside, own > 0 ? copies : 1, own, inside);
        if (m->all_to_all_bytes > 0)
            to->comm_s +=
                collective_all_to_all_s(costs, f->inside, f->gpus, m->all_to_all_bytes, inside);
        return;
    }
    double network = network_bps(fabric, f);
    here = here < copies ? here : copies;
    uint32_t rings = (copies + here - 1) / here;
    rings = rings < f->units ? rings : f->units;
    double crossing = own * f->least / here;               /* of all groups of a unit */
    if (own > 0 && f->least == 1 && f->most > 1) {
        to->comm_s = collective_ring_s(costs, LINK_NETWORK, f->gpus, own, network);
    } else if (own > 0) {
        uint32_t widest =
            f->most / m->tensor_parallel < copies ? f->most / m->tensor_parallel : copies;
        to->comm_s = 2 * collective_scatter_s(costs, f->inside, widest, own, inside) +
                     collective_all_reduce_s(costs, LINK_NETWORK, rings, crossing, network);
    }
    if (m->all_to_all_bytes > 0)
        to->comm_s += collective_all_to_all_s(costs, LINK_NETWORK, f->gpus, m->all_to_all_bytes,
                                              network / f->most);
    to->network_s = to->comm_s;
}

/* ---- Parallel training ---- */

static struct link_speeds link_speeds(const struct placement_rates *r, const struct gpu_model *m)
{
    return (struct link_speeds){ m ? m->nvlink_gbps * GIGA : 0, m ? m->pcie_gbps * GIGA : 0,
                                 r->form_rules.numa_factor, r->rules->fabric.rails };
}

static void group_ranks(const struct placement_rates *r, const struct rank_layout *l,
                        const struct known *k, const struct placement_form *f,
                        struct rank_groups *groups)
{
    struct parallel_split split = parallel_split(&k->m.parallel, l->ranks);
    struct link_speeds links = link_speeds(r, r->c->gpu_known[f->gpu_model]);
    rank_layout_groups(l, &split, &links, groups);
}

static bool by_parallel(const struct placement_rates *r, const struct known *k,
                        const struct placement_form *f, struct placement_rate *to)
{
    const struct fabric *fabric = &r->rules->fabric;
    const struct gpu_model *gpu = r->c->gpu_known[f->gpu_model];
    if (!gpu || gpu->dense_tflops <= 0 || gpu->mem_gbps <= 0)
        return false;                 /* not asked for where the cluster's model is another */
    struct parallel_split split = parallel_split(&k->m.parallel, f->gpus);
    struct parallel_means with = {
        .costs = &fabric->costs,
        .flops_per_s = gpu->dense_tflops * TERA,
        .mem_bps = gpu->mem_gbps * GIGA,
        .chi = gpu->chi > 0 ? gpu->chi : CHI_UNKNOWN,
        .efficiency = fabric->efficiency,
        .leaf_oversubscription = fabric->leaf_oversubscription,
        .spine_oversubscription = fabric->spine_oversubscription,
        .link_bps = f->link_bps[REACH_CLUSTER] > 0 ? f->link_bps : NULL,
    };
    to->parallel = parallel_time(&k->m.parallel, &split, f->groups, &with);
    to->compute_s = to->parallel.compute_s;
    to->comm_s = to->parallel.iteration_s - to->compute_s;
    to->network_s = to->parallel.network_s;
    to->overlap = 1;
    return isfinite(to->comm_s);
}

/* ---- By one model; false: it cannot tell ---- */

static bool by_table(const struct placement_rates *r, const struct known *k,
                     const struct placement_form *f, struct placement_rate *to)
{
    if (!r->rules->table || k->in_table == INTERN_NONE)
        return false;
    uint32_t type = r->type[f->consolidated][f->gpu_model];
    double steps =
        type == INTERN_NONE ? 0 : throughputs_near(r->rules->table, type, k->in_table, f->gpus);
    if (steps <= 0)
        return false;
    to->compute_s = f->gpus / steps;       /* a step is one of any of them */
    return true;
}

static bool by_analysis(const struct placement_rates *r, const struct known *k,
                        const struct placement_form *f, struct placement_rate *to)
{
    if (!k->found)
        return false;
    placement_analytic(r->rules, &k->m, f, to);
    return isfinite(to->comm_s);              /* infinite: links of unknown speed */
}

static bool by_model(const struct placement_rates *r, enum rate_model model, const struct known *k,
                     const struct placement_form *f, struct placement_rate *to)
{
    *to = (struct placement_rate){ .compute_s = 1, .overlap = r->rules->overlap, .by = model };
    switch (model) {
    case RATE_TABLE:
        return by_table(r, k, f, to);
    case RATE_ANALYTIC:
        return by_analysis(r, k, f, to);
    case RATE_PARALLEL:
        return by_parallel(r, k, f, to);
    case RATE_FACTOR:
        to->compute_s = 1 / (f->kappa * r->rules->factor[f->distance]);
        return true;
    default:
        return true;
    }
}

/* ---- Of the reference placement ---- */

static double parallel_s(struct placement_rates *r, const struct known *k, struct placement_form *f,
                         bool full)
{
    struct rank_groups groups;
    struct placement_rate at;
    if (!rank_layout_of(&r->layout, &r->group, &r->rules->fabric, f->gpus, f->units, full))
        return INFINITY;
    group_ranks(r, &r->layout, k, f, &groups);
    f->groups = &groups;
    return by_model(r, RATE_PARALLEL, k, f, &at) ? at.parallel.iteration_s : INFINITY;
}

/* On as few units as will do, full ones and a rest or as even as possible, and evenly on numbers of
 * units that divide the GPUs. */
static double best_parallel_s(struct placement_rates *r, const struct known *k, uint32_t n_gpus)
{
    double best = INFINITY;
    for (uint32_t units = 1; units <= n_gpus; units++) {
        struct placement_form f;
        bool first = best == INFINITY;
        if ((!first && n_gpus % units) ||
            !placement_form_of(r->c, &r->form_rules, &r->group, n_gpus, units, &f))
            continue;
        best = least(best, parallel_s(r, k, &f, false));
        if (first)
            best = least(best, parallel_s(r, k, &f, true));
    }
    return best < INFINITY ? best : 0;
}

static double best_s(const struct placement_rates *r, enum rate_model model, const struct known *k,
                     uint32_t n_gpus)
{
    double best = INFINITY;
    uint32_t tensor = k->found ? k->m.tensor_parallel : 1;
    for (uint32_t units = 1; units <= n_gpus; units++) {
        struct placement_form f;
        struct placement_rate at;
        if (!placement_form_of(r->c, &r->form_rules, &r->group, n_gpus, units, &f))
            continue;
        if (f.least % tensor && best < INFINITY)
            continue;
        if (by_model(r, model, k, &f, &at))
            best = least(best, iteration_s(at.compute_s, at.comm_s, at.overlap));
        if (model == RATE_FACTOR)
            break;                 /* wider is never nearer */
    }
    return best < INFINITY ? best : 0;
}

static struct reference *slot(struct reference *cache, size_t capacity, struct reference key)
{
    uint64_t h =
        ((uint64_t)key.model << 32 | key.n_gpus) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)key.by;
    for (size_t i = (size_t)(h >> 20) & (capacity - 1);; i = (i + 1) & (capacity - 1))
        if (!cache[i].used ||
            (cache[i].model == key.model && cache[i].n_gpus == key.n_gpus && cache[i].by == key.by))
            return &cache[i];
}

static void cache_grow(struct placement_rates *r)
{
    size_t capacity = r->capacity ? r->capacity * 2 : CACHE_FIRST;
    struct reference *cache = mem_new(capacity, sizeof *cache);
    for (size_t i = 0; i < r->capacity; i++)
        if (r->cache[i].used)
            *slot(cache, capacity, r->cache[i]) = r->cache[i];
    free(r->cache);
    r->cache = cache;
    r->capacity = capacity;
}

static double reference_s(struct placement_rates *r, enum rate_model by, uint32_t model,
                          uint32_t n_gpus)
{
    if (2 * (r->n_cached + 1) > r->capacity)
        cache_grow(r);
    struct reference key = { .model = model, .n_gpus = n_gpus, .by = by, .used = true };
    struct reference *at = slot(r->cache, r->capacity, key);
    if (!at->used) {
        key.s = by == RATE_PARALLEL ? best_parallel_s(r, &r->known[model], n_gpus)
                                    : best_s(r, by, &r->known[model], n_gpus);
        *at = key;
        r->n_cached++;
    }
    return at->s;
}

/* ---- The answer ---- */

static enum rate_model first_choice(const struct placement_rates *r, const struct known *k)
{
    return k->found && k->m.progress ? (enum rate_model)(k->m.progress - 1) : r->rules->model;
}

struct placement_rate placement_rate(struct placement_rates *r, uint32_t model, uint32_t n_gpus,
                                     const struct placement_form *f)
{
    struct placement_rate to = { .compute_s = 1, .reference_s = 1, .overlap = r->rules->overlap };
    uint32_t number = model < r->n_models ? model : r->n_models;
    const struct known *k = &r->known[number];
    bool known = k->found || k->in_table != INTERN_NONE;
    if (f->gpus == 0 || n_gpus == 0)
        return to;
    enum rate_model by = known ? first_choice(r, k) : r->rules->unknown;
    for (;;) {
        if (by == RATE_ANALYTIC && f->groups)
            by = RATE_PARALLEL;
        double reference =
            by == RATE_OFF ? 1
                           : reference_s(r, by, by == RATE_FACTOR ? r->n_models : number, n_gpus);
        if (reference > 0 && by_model(r, by, k, f, &to)) {
            to.reference_s = reference;
            break;
        }
        by = by == RATE_TABLE ? RATE_ANALYTIC : r->rules->unknown;
    }
    bool global = to.by == RATE_PARALLEL || (to.by == RATE_ANALYTIC && k->m.global_batch);
    if (global && f->gpus != n_gpus) {
        double share = (double)f->gpus / n_gpus;  /* taken off again by the share of the tasks */
        to.compute_s *= share;
        to.comm_s *= share;
        to.network_s *= share;
    }
    return to;
}

struct placement_form placement_rate_form(struct placement_rates *r, uint32_t model,
                                          const struct placement *p)
{
    struct placement_form f = placement_form(r->c, &r->form_rules, p, &r->scratch);
    if (r->link_bps && f.units > 1)
        placement_alone_bps(r->c, p, &r->scratch, r->link_bps, f.link_bps);
    if (f.gpus && r->rules->parallel && model < r->n_models && r->known[model].m.parallel.tp) {
        rank_layout_on(&r->layout, r->c, &r->rules->fabric, p, &r->scratch);
        group_ranks(r, &r->layout, &r->known[model], &f, &r->groups);
        f.groups = &r->groups;
    }
    return f;
}

double placement_nic_bps(const struct placement_rates *r, const struct placement_form *f)
{
    struct placement_form free = *f;
    for (unsigned i = 0; i < REACHES; i++)
        free.link_bps[i] = INFINITY;
    return network_bps(&r->rules->fabric, &free) / f->unit_nodes;
}

double placement_path_bps(struct placement_rates *r, const struct placement *both,
                          const double share[REACHES])
{
    struct placement_form f = placement_rate_form(r, ID_NONE, both);
    const struct fabric *fabric = &r->rules->fabric;
    enum reach reach = f.distance <= SAME_RACK  ? REACH_RACK
                       : f.distance == SAME_POD ? REACH_POD
                                                : REACH_CLUSTER;
    if (f.units <= 1)
        return fabric->efficiency[f.inside] * f.inside_bps * f.gpus / 2;
    if (share && share[reach] > 0)
        f.link_bps[REACH_CLUSTER] = share[reach];
    double bps = network_bps(fabric, &f);
    return isfinite(bps) ? bps : 0;
}

struct placement_rate placement_rate_on(struct placement_rates *r, uint32_t model, uint32_t n_gpus,
                                        const struct placement *p)
{
    struct placement_form f = placement_rate_form(r, model, p);
    return placement_rate(r, model, n_gpus, &f);
}

double placement_slowdown(const struct placement_rate *r)
{
    return iteration_s(r->compute_s, r->comm_s, r->overlap) / r->reference_s;
}

/* ---- Setting up ---- */

/* The group with most GPUs, of the reference model if the rules name one; of equals the first. */
static uint32_t reference_group(const struct cluster *c, const struct rate_rules *rules)
{
    uint64_t *gpus = mem_new(c->n_groups, sizeof *gpus), most = 0;
    uint32_t best = c->group_of[0];
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct node_type *t = cluster_node_type(c, n);
        bool counts =
            t->gpus && (!rules->reference ||
                        !strcmp(rules->reference, intern_text(c->gpu_models, t->gpu_model)));
        gpus[c->group_of[n]] += counts ? t->gpus : 0;
    }
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (gpus[g] > most) {
            most = gpus[g];
            best = g;
        }
    free(gpus);
    return best;
}

struct placement_rates *placement_rates_new(const struct cluster *c, const struct rate_rules *rules,
                                            const struct intern *models)
{
    struct placement_rates *r = mem_new(1, sizeof *r);
    r->c = c;
    r->rules = rules;
    r->form_rules = (struct form_rules){ rules->fabric.numa_factor };
    r->group = form_group(c, reference_group(c, rules));
    r->n_models = models ? intern_count(models) : 0;
    r->known = mem_new(r->n_models + (size_t)1, sizeof *r->known);
    r->known[r->n_models].in_table = INTERN_NONE;
    for (uint32_t i = 0; i < r->n_models; i++) {
        r->known[i].found = training_model_find(c->models, intern_text(models, i), &r->known[i].m);
        r->known[i].in_table =
            rules->table ? throughputs_model(rules->table, intern_text(models, i)) : INTERN_NONE;
    }
    for (unsigned near = 0; near < 2; near++) {
        r->type[near] = mem_new(intern_count(c->gpu_models) + (size_t)1, sizeof **r->type);
        for (uint32_t i = 0; i < intern_count(c->gpu_models); i++)
            r->type[near][i] =
                rules->table ? throughputs_type(rules->table, intern_text(c->gpu_models, i), near)
                             : INTERN_NONE;
    }
    if (rules->fabric.maxmin || rules->fabric.own_uplinks) {
        r->link_bps = mem_new(placement_links(c), sizeof *r->link_bps);
        placement_link_rates(c, &rules->fabric, r->link_bps);
    }
    return r;
}

void placement_rates_free(struct placement_rates *r)
{
    if (!r)
        return;
    form_scratch_free(&r->scratch);
    rank_layout_free(&r->layout);
    free(r->known);
    free(r->link_bps);
    free(r->type[0]);
    free(r->type[1]);
    free(r->cache);
    free(r);
}
