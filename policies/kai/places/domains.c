/* domains.c - which domains a job's groups of tasks try, and in which order. See places.h. */
#include "policies/common/copies.h"
#include "policies/kai/places/places.h"

#include <math.h>
#include <stdlib.h>

/* Levels from near to far, by distance: node, island, which is a set of nodes here, rack and so on,
 * cluster. */
enum { WIDEST = LEVEL_CLUSTER - LEVEL_RACK + 2 };

static enum level level_at(unsigned distance)
{
    return distance == 0 ? LEVEL_NODE : distance == 1 ? LEVEL_ISLAND : LEVEL_RACK + distance - 2;
}

static unsigned distance_of(uint8_t level)
{
    unsigned i = 0;
    while (i < WIDEST && level_at(i) != level)
        i++;
    return i;
}

/* Part of the place of the parent. */
struct domain {
    domain_id id;
    node_id first, end;
    double fullness;
};
struct domains {
    struct domain *at;
    size_t n;
};

/* What the attempt wants for a group. */
struct demand {
    uint32_t group, tasks;
    const struct request *first; /* run of the first of them */
    bool alike;
    bool same_nodes;             /* all of them may use the same */
    int64_t gpu_milli, cpu_milli, mem_mib;
    /* sums over nodes [first_node, n) are at how->sum[sums + n - first_node] */
    size_t sums;
    node_id first_node;
};

/* ---- Groups ---- */

static const struct job_facts *facts_of(const struct attempt *a)
{
    return job_facts(a->s, a->job);
}

static bool is_within(const struct job_facts *f, uint32_t group, uint32_t above)
{
    while (f->n_groups && group != above && group != ID_NONE)
        group = f->group[group].parent;
    return group == above || f->n_groups == 0;
}

static bool same_ask(const struct request *x, const struct request *y)
{
    return x == y || (x->gpus == y->gpus && x->gpu_milli == y->gpu_milli && x->mig == y->mig &&
                      x->cpu_milli == y->cpu_milli && x->mem_mib == y->mem_mib);
}

static struct demand demand_of(const struct attempt *a, uint32_t group)
{
    struct demand d = { .group = group, .alike = true, .same_nodes = true };
    for (uint32_t i = 0; i < a->n_tasks; i++) {
        const struct request *r = request_of_task(a->ask, a->task[i]);
        if (!is_within(facts_of(a), r->group, group))
            continue;
        d.first = d.first ? d.first : r;
        d.alike = d.alike && same_ask(r, d.first);
        d.same_nodes = d.same_nodes && view_same_nodes(a->later, r, d.first);
        d.tasks++;
        d.gpu_milli += (int64_t)r->gpus * r->gpu_milli;
        d.cpu_milli += r->cpu_milli;
        d.mem_mib += r->mem_mib;
    }
    return d;
}

/* ---- How full a domain is ---- */

static int64_t free_milli(const struct attempt *a, const struct request *r, node_id n,
                          const struct node_free *f)
{
    int64_t milli = (int64_t)f->whole * max_u32(r->gpu_milli, MILLI_ALL);
    for (uint64_t m = f->shared_mask; m; m &= m - 1)
        milli += view_gpu_milli(a->later, n, (unsigned)__builtin_ctzll(m));
    return milli;
}

static double part(int64_t wanted, double free)
{
    return wanted == 0 ? 0 : free > 0 ? (double)wanted / free : INFINITY;
}

/* Some task of it may use the node. */
static bool may_use(const struct attempt *a, const struct demand *d, node_id n)
{
    const struct request *last = d->first;
    bool may = view_allows(a->later, last, n);
    for (uint32_t i = 0; !may && !d->same_nodes && i < a->n_tasks; i++) {
        const struct request *r = request_of_task(a->ask, a->task[i]);
        may = r != last && is_within(facts_of(a), r->group, d->group) &&
              view_allows(a->later, r, n);
        last = r;
    }
    return may;
}

static struct places_sum with_node(const struct attempt *a, const struct demand *d,
                                   struct places_sum sum, node_id n)
{
    if (!may_use(a, d, n))
        return sum;
    struct node_free f = view_node_for(a->later, d->first, n);
    sum.gpu += d->gpu_milli ? (double)free_milli(a, d->first, n, &f) : 0;
    sum.cpu += d->cpu_milli && f.cpu_milli != INT64_MAX ? (double)f.cpu_milli : 0;
    sum.mem += d->mem_mib && f.mem_mib != INT64_MAX ? (double)f.mem_mib : 0;
    sum.unlimited_cpu += f.cpu_milli == INT64_MAX;
    sum.unlimited_mem += f.mem_mib == INT64_MAX;
    sum.copies += d->alike ? min_i64(copies_on(a->later, d->first, n, &f), d->tasks) : 0;
    return sum;
}

/* Of all nodes of the place of the parent, before anything of the group is placed. */
static void add_up(struct attempt *a, struct demand *d, const struct domain *parent)
{
    struct places *how = a->how;
    size_t nodes = parent->end - parent->first;
    d->sums = how->n_sums;
    d->first_node = parent->first;
    if (how->n_sums + nodes + 1 > how->sums_capacity) {
        how->sums_capacity = 2 * (how->n_sums + nodes + 1);
        how->sum = array_resized(sched_alloc, a->s, how->sum, how->n_sums, how->sums_capacity,
                                 sizeof *how->sum);
    }
    how->n_sums += nodes + 1;
    struct places_sum *sum = &how->sum[d->sums];
    sum[0] = (struct places_sum){ 0 };
    for (size_t i = 0; i < nodes; i++)
        sum[i + 1] = with_node(a, d, sum[i], parent->first + (node_id)i);
}

static double fullness_of(const struct attempt *a, const struct demand *d, node_id first,
                          node_id end)
{
    const struct places_sum *sum = &a->how->sum[d->sums], *from = &sum[first - d->first_node],
                            *to = &sum[end - d->first_node];
    double cpu = to->unlimited_cpu > from->unlimited_cpu ? 0
                                                         : part(d->cpu_milli, to->cpu - from->cpu),
           mem =
               to->unlimited_mem > from->unlimited_mem ? 0 : part(d->mem_mib, to->mem - from->mem);
    return fmax(part(d->gpu_milli, to->gpu - from->gpu), fmax(cpu, mem));
}

static bool holds(const struct attempt *a, const struct demand *d, const struct domain *in)
{
    const struct places_sum *sum = &a->how->sum[d->sums];
    if (!d->alike)
        return in->fullness <= 1;
    return sum[in->end - d->first_node].copies - sum[in->first - d->first_node].copies >= d->tasks;
}

/* ---- Domains of a level, in the order of the tree ---- */

static int fullest_first(const void *x, const void *y)
{
    const struct domain *a = x, *b = y;
    if (a->fullness != b->fullness)
        return a->fullness > b->fullness ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* The domain of that level around n; a node that is in none stands for itself. */
static domain_id domain_around(const struct view *v, node_id n, unsigned distance)
{
    domain_id d = view_domain(v, n, level_at(distance));
    return view_domain_level(v, d) == level_at(distance) ? d : view_domain(v, n, LEVEL_NODE);
}

/* Those of one parent, sorted, behind what is in *to. */
static void add_parts(const struct attempt *a, const struct demand *d, const struct domain *parent,
                      unsigned distance, struct domains *to)
{
    size_t begin = to->n;
    for (node_id n = parent->first; n < parent->end;) {
        struct domain in = { .id = domain_around(a->later, n, distance) };
        view_domain_nodes(a->later, in.id, &in.first, &in.end);
        if (in.first < parent->first || in.end > parent->end)
            in = *parent; /* a group with a part of this domain as its place */
        in.fullness = fullness_of(a, d, in.first, in.end);
        to->at[to->n++] = in;
        n = in.end;
    }
    qsort(to->at + begin, to->n - begin, sizeof *to->at, fullest_first);
}

static struct domains domains_in(const struct attempt *a, const struct demand *d,
                                 const struct domain *parent, unsigned distance)
{
    size_t nodes = parent->end - parent->first;
    struct domains list = { sched_scratch(a->s, nodes * sizeof *list.at), 1 };
    list.at[0] = *parent;
    list.at[0].fullness = fullness_of(a, d, parent->first, parent->end);
    for (unsigned i = WIDEST; i-- > distance;) {
        if (i != distance && !a->how->level[level_at(i)])
            continue;
        struct domains finer = { sched_scratch(a->s, nodes * sizeof *finer.at), 0 };
        for (size_t k = 0; k < list.n; k++)
            add_parts(a, d, &list.at[k], i, &finer);
        list = finer;
    }
    return list;
}

/* ---- Placing a group ---- */

static bool place_group(struct attempt *a, uint32_t group, const struct domain *parent);

static bool is_held_in(const struct attempt *a, uint32_t group, const struct domain *in, bool *any)
{
    bool here = false;
    for (size_t i = 0; a->held && i < a->held->n; i++) {
        const struct piece *p = &a->held->piece[i];
        if (!is_within(facts_of(a), request_of_task(a->ask, p->task)->group, group))
            continue;
        *any = true;
        here = here || (in->first <= p->node && p->node < in->end);
    }
    return here;
}

static void give_points(struct attempt *a, const struct demand *d, const struct domain *in,
                        unsigned preferred)
{
    struct domains list = domains_in(a, d, in, preferred);
    uint8_t *points = sched_scratch(a->s, in->end - in->first);
    for (size_t i = 0; i < list.n; i++)
        for (node_id n = list.at[i].first; n < list.at[i].end; n++)
            points[n - in->first] = (uint8_t)(10 * (i + 1) / list.n);
    a->points = points;
    a->points_first = in->first;
}

/* Its groups, then its tasks, in the order of numbers. */
static bool place_inside(struct attempt *a, uint32_t group, const struct domain *in)
{
    const struct job_facts *f = facts_of(a);
    uint32_t mark = a->n;
    bool placed = true;
    for (uint32_t g = group + 1; placed && g < f->n_groups; g++)
        placed = f->group[g].parent != group || place_group(a, g, in);
    for (uint32_t i = 0; placed && i < a->n_tasks; i++)
        if (f->n_groups == 0 || request_of_task(a->ask, a->task[i])->group == group)
            placed = attempt_task(a, a->task[i], in->id);
    if (!placed)
        attempt_rollback(a, mark);
    return placed;
}

/* The first of these that holds it and in which it is placed. */
static bool place_in_first(struct attempt *a, const struct demand *d, struct domains list,
                           bool required, unsigned preferred, unsigned distance)
{
    for (size_t i = 0; i < list.n; i++) {
        bool any = false, here = is_held_in(a, d->group, &list.at[i], &any);
        if ((required && any && !here) || !holds(a, d, &list.at[i]))
            continue;
        if (preferred < distance)
            give_points(a, d, &list.at[i], preferred);
        else if (preferred == distance)
            a->points = NULL;
        if (place_inside(a, d->group, &list.at[i]))
            return true;
    }
    return false;
}

static bool place_at_levels(struct attempt *a, const struct demand *d, const struct domain *parent,
                            unsigned preferred, unsigned required)
{
    unsigned from = preferred < required ? preferred : required;
    for (unsigned i = from; i <= required; i++) {
        if (i != from && i != required && !a->how->level[level_at(i)])
            continue;
        struct domains list = domains_in(a, d, parent, i);
        if (place_in_first(a, d, list, required < WIDEST, preferred, i))
            return true;
    }
    return false;
}

static bool place_group(struct attempt *a, uint32_t group, const struct domain *parent)
{
    const struct job_facts *f = facts_of(a);
    struct demand d = demand_of(a, group);
    if (d.tasks == 0)
        return true;
    bool root = f->n_groups == 0;
    uint8_t prefers = root ? f->ask->preferred_level : f->group[group].preferred_level;
    unsigned required = distance_of(root ? f->ask->required_level : f->group[group].required_level);
    /* WIDEST + 1: none */
    unsigned preferred = prefers >= LEVEL_CLUSTER ? WIDEST + 1u : distance_of(prefers);
    if (required == WIDEST && preferred > WIDEST)
        return place_inside(a, group, parent);
    const uint8_t *points = a->points;
    node_id points_first = a->points_first;
    add_up(a, &d, parent);
    bool placed = place_at_levels(a, &d, parent, preferred, required);
    a->how->n_sums = d.sums;
    a->points = points;
    a->points_first = points_first;
    return placed;
}

bool attempt_all(struct attempt *a)
{
    struct domain all = { .id = 0 };
    const struct job_facts *f = facts_of(a);
    view_domain_nodes(a->later, 0, &all.first, &all.end);
    bool anywhere = f->n_groups == 0 && f->ask->required_level >= LEVEL_CLUSTER &&
                    f->ask->preferred_level >= LEVEL_CLUSTER;
    return anywhere ? place_inside(a, 0, &all) : place_group(a, 0, &all);
}
