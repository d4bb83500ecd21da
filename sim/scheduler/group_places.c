/* group_places.c - placing jobs with tasks that differ or form groups.
 *
 * The groups are gone through parents first. Each is given a place inside that of its parent: a domain of its level, in the order
 * of ids, or just the place of its parent; the runs of a leaf are placed there, in the order of tasks, by the run's placer.
 * Where a later group finds none, an earlier one tries its next place, so that something is found if the placer can find
 * it, within TRIES calls of the placer more than there are runs. A group of which tasks are held already stays where these are. */
#include "sim/engine/state.h"
#include "sim/scheduler/placing.h"

#include <string.h>

enum { TRIES = 200 };

/* ---- Totals ---- */

bool view_same_nodes(const struct view *v, const struct request *a, const struct request *b)
{
    const struct shape_kinds *x = view_kinds_of(v, a), *y = view_kinds_of(v, b);
    return a == b || (x->n == y->n && !memcmp(x->kind, y->kind, x->n * sizeof *x->kind));
}

int64_t group_places_whole(const struct view *v, const struct request *r)
{
    int64_t sum = 0;
    for (const struct request *run = r; run; run = run->next)
        if (run->gpu_milli >= MILLI_ALL && run->mig == r->mig && view_same_nodes(v, run, r))
            sum += run_gpus(run);
    return sum;
}

bool group_places_lack(const struct view *v, const struct request *r)
{
    for (; r; r = r->next)
        if (r->gpu_milli >= MILLI_ALL && free_index_whole(v, r) < group_places_whole(v, r))
            return true;
    return false;
}

bool group_places_type(const struct sched *s, const struct request *r)
{
    while (r && s->placing->kinds[r->shape + s->workload->n_shapes * r->flavor].n)
        r = r->next;
    return !r;
}

/* ---- The order of runs ----
 *
 * A placer places one run after the other and takes nothing back. So a run that may use few nodes can
 * find them taken by one before it that might have used others, even in an empty cluster. What found no
 * place in the order of the trace is asked for once more, runs with the fewest nodes first. */

/* Nodes of the kinds that the run may use, whether they are free or not. */
static uint64_t nodes_of(const struct view *v, const struct request *run)
{
    const struct shape_kinds *kinds = view_kinds_of(v, run);
    uint64_t n = 0;
    for (uint32_t i = 0; i < kinds->n; i++)
        n += v->cluster->kind[kinds->kind[i]].n_nodes;
    return n;
}

static bool is_in_order(const struct view *v, const struct request *r)
{
    bool rises = true;
    for (; r; r = r->next) {
        if (r->set && r->set->together)
            return true;
        rises = rises && (!r->next || nodes_of(v, r) <= nodes_of(v, r->next));
    }
    return rises;
}

/* In front of the first that has more nodes. */
static void insert_run(const struct view *v, struct request **chain, struct request *run)
{
    struct request **at = chain;
    while (*at && nodes_of(v, *at) <= nodes_of(v, run))
        at = (struct request **)(uintptr_t)&(*at)->next;
    run->next = *at;
    *at = run;
}

/* The chain with the runs of fewest nodes first, on ties in the order of the trace, in the memory of
 * the pass; r itself if that is its order already, or if it has a leader with its workers. */
static const struct request *scarce_first(struct sched *s, const struct view *v, const struct request *r)
{
    struct request *chain = NULL;
    if (is_in_order(v, r))
        return r;
    for (const struct request *run = r; run; run = run->next) {
        struct request *copy = sched_scratch(s, sizeof *copy);
        *copy = *run;
        copy->job = r->job;
        copy->try_first = r->try_first;
        insert_run(v, &chain, copy);
    }
    return chain;
}

enum place_result group_places_sets(struct sched *s, struct view *v, const struct request *r)
{
    enum place_result result = placing_here(s, v, r);
    const struct request *other = result == PLACED ? r : scarce_first(s, v, r);
    return other != r && placing_here(s, v, other) == PLACED ? PLACED : result;
}

/* ---- What is searched ---- */

struct place {
    domain_id domain;
    uint64_t only;                /* GPUs of its node */
};
struct group_search {
    struct sched *s;
    struct view *v;
    const struct request *ask;    /* what is to be placed: some runs, or parts of them */
    const struct task_group *tree;
    uint32_t n_groups;
    const struct placement *held; /* by the job already; NULL: nothing */
    const struct request *whole;  /* all that the job asks for: the runs of what is held */
    struct place *at;             /* [n_groups] */
    uint32_t *order;              /* [n_groups] in which groups find their places: each behind its parent */
    unsigned tries;
    enum place_result why_not;
};

/* The tree of the job; one that has none is a single group. */
static const struct task_group *tree_of(const struct sched *s, const struct request *r, uint32_t *n)
{
    const struct shape *shape = &s->workload->shape[r->shape];
    *n = shape->n_groups ? shape->n_groups : 1;
    if (shape->n_groups)
        return shape->group;
    struct task_group *root = arena_alloc(s->scratch, sizeof *root);
    *root = (struct task_group){ "", ID_NONE, 0, r->required_level, r->preferred_level };
    return root;
}

/* Tasks that it has and that this request is not about. */
static const struct placement *held_besides(const struct sched *s, const struct request *r)
{
    const struct placement *held = r->job == ID_NONE ? NULL : job_placement(s, r->job);
    return held && r->tasks != SPLIT_ANY && !placement_task(held, request_task(r, 0)) ? held : NULL;
}

bool group_places_wanted(const struct sched *s, const struct request *r)
{
    return r->next || s->workload->shape[r->shape].n_groups > 1 ||
           (r->required_level < LEVEL_CLUSTER && held_besides(s, r));
}

static bool is_of_nodes(uint8_t level)
{
    return level >= LEVEL_NODE;
}

bool group_places_are_sets(const struct sched *s, const struct request *r)
{
    bool sets = s->setup.placer->needs & PLACES_SETS && !held_besides(s, r);
    for (; r && sets; r = r->next)
        sets = r->set && is_of_nodes(r->set->required_level) && is_of_nodes(r->set->preferred_level);
    return sets;
}

/* ---- One group ---- */

static bool place_from(struct group_search *x, uint32_t k);

static bool has_runs(const struct group_search *x, uint32_t g)
{
    for (const struct request *run = x->ask; run; run = run->next)
        if (group_within(x->tree, run->group, g))
            return true;
    return false;
}

static bool place_run(struct group_search *x, const struct request *run, struct place where)
{
    struct request one = *run;
    one.next = NULL;
    one.job = x->ask->job;
    one.try_first = x->ask->try_first;
    free_index_confine(x->v, where.domain, where.only);
    x->why_not = x->tries == 0 ? NO_ROOM_FRAGMENTED : x->s->setup.placer->place(&x->s->placing->builder, &one, x->s->placing->params);
    free_index_confine(x->v, 0, UINT64_MAX);
    x->tries -= x->tries > 0;
    return x->why_not == PLACED;
}

/* The tasks of the k-th group there, and the groups after it wherever they find a place. */
static bool place_in(struct group_search *x, uint32_t k, struct place where)
{
    uint32_t g = x->order[k];
    size_t mark = x->s->placing->builder.n;
    bool placed = true;
    x->at[g] = where;
    for (const struct request *run = x->ask; run && placed; run = run->next)
        placed = run->group != g || place_run(x, run, where);
    if (placed && place_from(x, k + 1))
        return true;
    builder_rollback(&x->s->placing->builder, mark);
    return false;
}

static bool totals_suffice(const struct group_search *x, uint32_t g, domain_id d)
{
    for (const struct request *run = x->ask; run; run = run->next)
        if (group_within(x->tree, run->group, g) &&
            domain_fits(x->v, d, run) < (run->tasks == SPLIT_ANY ? run->gpus : run->tasks))
            return false;
    return true;
}

static const struct piece *first_held(const struct group_search *x, uint32_t g)
{
    for (size_t i = 0; x->held && i < x->held->n; i++)
        if (group_within(x->tree, request_of_piece(x->whole, &x->held->piece[i])->group, g))
            return &x->held->piece[i];
    return NULL;
}

/* Islands inside one node, or its NUMA nodes, from that of the lowest GPU on; only that of `held` if there is one. */
static bool place_in_parts(struct group_search *x, uint32_t k, struct place node, enum level level, const struct piece *held)
{
    node_id n = node.domain - x->v->cluster->n_domains;
    const struct node_type *t = cluster_node_type(x->v->cluster, n);
    uint64_t left = (t->gpus >= 64 ? UINT64_MAX : (UINT64_C(1) << t->gpus) - 1) & node.only;
    if (held && held->gpu_mask)
        left &= node_type_part(t, level, (unsigned)__builtin_ctzll(held->gpu_mask));
    for (uint64_t part; left && x->tries; left &= ~part) {
        part = node_type_part(t, level, (unsigned)__builtin_ctzll(left));
        if (place_in(x, k, (struct place){ node.domain, part & node.only }))
            return true;
    }
    return false;
}

static bool place_in_domain(struct group_search *x, uint32_t k, struct place where, enum level level, const struct piece *held)
{
    const struct cluster *c = x->v->cluster;
    if (!totals_suffice(x, x->order[k], where.domain))
        return false;
    if (where.domain >= c->n_domains && cluster_level_inside(c, where.domain - c->n_domains, level))
        return place_in_parts(x, k, where, level, held);
    return place_in(x, k, where);
}

/* The domain of that level around node *n, or the place of the parent if it lies in that; *n goes
 * on to the node after it. */
static struct place domain_at(const struct group_search *x, struct place parent, enum level level,
                              node_id *n)
{
    const struct cluster *c = x->v->cluster;
    node_id first, end, from, next;
    domain_id d = cluster_domain_at(c, *n, level);
    view_domain_nodes(x->v, parent.domain, &first, &end);
    if (d < c->n_domains && c->domain[d].level > level)
        d = c->n_domains + *n;             /* in no such domain: the node stands for itself */
    view_domain_nodes(x->v, d, &from, &next);
    *n = next;
    return from >= first && next <= end ? (struct place){ d, parent.only } : parent;
}

/* Domains of one level inside the place of the parent, in the order of ids; only that of `held` if there is one. */
static bool place_at_level(struct group_search *x, uint32_t k, struct place parent, enum level level, const struct piece *held)
{
    node_id first, end;
    view_domain_nodes(x->v, parent.domain, &first, &end);
    for (node_id n = held ? held->node : first; n < end && x->tries; n = held ? end : n) {
        struct place where = domain_at(x, parent, level, &n);
        if (place_in_domain(x, k, where, level, held))
            return true;
    }
    return false;
}

/* The k-th group and all after it. */
static bool place_from(struct group_search *x, uint32_t k)
{
    while (k < x->n_groups && !has_runs(x, x->order[k]))
        k++;
    if (k == x->n_groups)
        return true;
    uint32_t g = x->order[k];
    const struct task_group *group = &x->tree[g];
    struct place parent = g ? x->at[group->parent] : (struct place){ 0, UINT64_MAX };
    const struct piece *held = first_held(x, g);
    enum level widest = group->required_level;
    for (enum level l = group->preferred_level; level_lies_in(l, widest);
         l = cluster_level_outwards(x->v->cluster, l))
        if (place_at_level(x, k, parent, l, held))
            return true;
    return widest < LEVEL_CLUSTER ? place_at_level(x, k, parent, widest, held) : place_in(x, k, parent);
}

/* ---- All of them ---- */

static bool requires_level(const struct group_search *x)
{
    for (uint32_t g = 0; g < x->n_groups; g++)
        if (x->tree[g].required_level < LEVEL_CLUSTER && has_runs(x, g))
            return true;
    return false;
}

static struct group_search search_of(struct sched *s, struct view *v, const struct request *r)
{
    struct group_search x = { .s = s, .v = v, .ask = r, .tries = TRIES, .why_not = NO_ROOM_FRAGMENTED };
    for (const struct request *run = r; run; run = run->next)
        x.tries++;
    x.tree = tree_of(s, r, &x.n_groups);
    x.held = held_besides(s, r);
    x.whole = x.held ? ask_of(s, r->job) : r;
    return x;
}

/* g behind its parents, unless it is there. Returns how many are there then. */
static uint32_t append(struct group_search *x, uint32_t g, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (x->order[i] == g)
            return n;
    n = x->tree[g].parent == ID_NONE ? n : append(x, x->tree[g].parent, n);
    x->order[n] = g;
    return n + 1;
}

/* Groups in the order of the runs that are asked for, then those that have none. */
static void order_by_runs(struct group_search *x)
{
    uint32_t n = 0;
    for (const struct request *run = x->ask; run; run = run->next)
        n = append(x, run->group, n);
    for (uint32_t g = 0; g < x->n_groups; g++)
        n = append(x, g, n);
}

static bool place_all(struct group_search *x, const struct request *r)
{
    unsigned tries = x->tries;
    builder_begin(x->s, x->v, r);
    if (place_from(x, 0))
        return true;
    x->ask = scarce_first(x->s, x->v, r);
    if (x->ask == r)
        return false;
    enum place_result why_not = x->why_not;
    order_by_runs(x);
    x->tries = tries;
    if (place_from(x, 0))
        return true;
    x->why_not = why_not;
    return false;
}

enum place_result group_places(struct sched *s, struct view *v, const struct request *r)
{
    struct group_search x = search_of(s, v, r);
    x.at = arena_alloc(s->scratch, x.n_groups * sizeof *x.at);
    x.order = arena_alloc(s->scratch, x.n_groups * sizeof *x.order);
    for (uint32_t g = 0; g < x.n_groups; g++)
        x.order[g] = g;
    if (place_all(&x, r))
        return PLACED;
    s->placing->builder.open = false;
    return requires_level(&x) ? NO_TOPOLOGY : x.why_not;
}

/* ---- Whether there could be any ---- */

/* Of all runs of g that want whole GPUs of the same nodes, together. */
static bool sums_suffice(const struct group_search *x, uint32_t g, domain_id d)
{
    for (const struct request *run = x->ask; run; run = run->next) {
        int64_t gpus = 0;
        for (const struct request *as = x->ask; as && run->gpu_milli >= MILLI_ALL; as = as->next)
            if (group_within(x->tree, as->group, g) && as->gpu_milli >= MILLI_ALL &&
                as->mig == run->mig && view_same_nodes(x->v, as, run))
                gpus += run_gpus(as);
        if (group_within(x->tree, run->group, g) && gpus > domain_free_gpus(x->v, d, run))
            return false;
    }
    return true;
}

static bool may_lie_in(const struct group_search *x, uint32_t g, struct place parent);

static bool may_hold(const struct group_search *x, uint32_t g, struct place where)
{
    bool may = totals_suffice(x, g, where.domain) && sums_suffice(x, g, where.domain);
    for (uint32_t below = g + 1; below < x->n_groups && may; below++)
        may = x->tree[below].parent != g || !has_runs(x, below) || may_lie_in(x, below, where);
    return may;
}

static bool may_lie_in(const struct group_search *x, uint32_t g, struct place parent)
{
    enum level level = x->tree[g].required_level;
    node_id n, end;
    if (level >= LEVEL_CLUSTER)
        return may_hold(x, g, parent);
    view_domain_nodes(x->v, parent.domain, &n, &end);
    while (n < end) {
        node_id here = n;
        struct place where = domain_at(x, parent, level, &n);
        if (!cluster_level_inside(x->v->cluster, here, level) && may_hold(x, g, where))
            return true;
    }
    return false;
}

bool group_places_may(struct sched *s, const struct request *r)
{
    enum place_result why = s->placing->why_not;
    if (!(s->all_needs & PLACES_GROUPS) || s->workload->shape[r->shape].n_groups < 2 ||
        (why != NO_TOPOLOGY && why != NO_ROOM_FRAGMENTED))
        return false;
    struct group_search x = search_of(s, s->idle, r);
    return may_lie_in(&x, 0, (struct place){ 0, UINT64_MAX });
}
