/* builder.c - a placement under construction: its pieces are taken from the view as they are added. */
#include "sim/base/inlined.h"
#include "sim/capacity/placement_form.h"
#include "sim/cluster/mig.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/tentative.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>
#include <string.h>

struct builder *builder_begin(struct sched *s, struct view *v, const struct request *r)
{
    struct builder *b = &s->placing->builder;
    if (b->open)
        ENGINE_BUG(s, "a second builder was begun before builder_take() ended the first");
    b->s = s;
    b->v = v;
    b->r = r;
    b->n = 0;
    b->devices = DEVICES_PACKED;
    b->open = true;
    b->asked = b->untaken = false;
    return b;
}

struct builder *sched_builder(struct sched *s, const struct view *v, const struct request *r)
{
    return builder_begin(s, view_of(s, v), r);
}

void builder_alone(struct builder *b)
{
    b->asked = !b->r->next;
}

const struct view *builder_view(const struct builder *b)
{
    return b->v;
}

size_t builder_mark(const struct builder *b)
{
    return b->n;
}

double builder_rate(const struct builder *b)
{
    struct builder *own = &b->s->placing->builder;
    if (!b->v->rates)
        return 1;
    if (!own->tried || own->tried_room < b->n) {
        own->tried_room = 2 * b->n + 8;
        own->tried = mem_resize(own->tried, 1, sizeof *own->tried + own->tried_room * sizeof *own->piece);
    }
    own->tried->n = b->n;
    memcpy(own->tried->piece, b->piece, b->n * sizeof *b->piece);
    return view_rate(b->v, b->r, own->tried);
}

static int64_t cpu_of(const struct builder *b, const struct piece *p)
{
    const struct request *run = request_of_piece(b->r, p);
    return piece_share(run, p, run->cpu_milli);
}

static int64_t mem_of(const struct builder *b, const struct piece *p)
{
    const struct request *run = request_of_piece(b->r, p);
    return piece_share(run, p, run->mem_mib);
}

void builder_rollback(struct builder *b, size_t mark)
{
    while (b->n > mark) {
        const struct piece *p = &b->piece[--b->n];
        if (b->untaken) {
            b->untaken = false;
            continue;
        }
        free_index_give(b->v, p, cpu_of(b, p), mem_of(b, p));
    }
}

static uint32_t pieces_on(const struct piece *p, size_t n, node_id node)
{
    uint32_t on = 0;
    for (size_t i = 0; i < n; i++)
        on += p[i].node == node;
    return on;
}

/* No further task of the job may go there, which has a limit of them. */
static bool node_is_full(const struct builder *b, node_id n)
{
    job_id j = b->r->job;
    const struct placement *held = j == ID_NONE ? NULL : job_placement(b->s, j);
    int64_t on = j == ID_NONE ? 0 : tentative_tasks_on(b->s, j, n);
    on += pieces_on(b->piece, b->n, n) + (held ? pieces_on(held->piece, held->n, n) : 0);
    return on >= b->r->max_per_node;
}

static void take_piece(struct builder *b, const struct piece *p)
{
    free_index_take(b->v, p, cpu_of(b, p), mem_of(b, p));
}

static bool is_all(const struct builder *b, const struct piece *p)
{
    return b->asked && b->n == 0 && p->gpus == b->r->gpus && (b->r->tasks == 1 || b->r->tasks == SPLIT_ANY);
}

/* Made where it stays: a copy of what has just been written waits for that. */
INLINED bool add(struct builder *b, const struct piece wanted)
{
    if (b->untaken)                /* and yet another follows */
        take_piece(b, &b->piece[0]);
    b->untaken = false;
    mem_grow(&b->piece, &b->capacity, b->n, sizeof *b->piece);
    struct piece *p = &b->piece[b->n];
    *p = wanted;
    const struct request *run = request_of_piece(b->r, p);
    const int64_t cpu_milli = piece_share(run, p, run->cpu_milli), mem_mib = piece_share(run, p, run->mem_mib);
    p->gpu_mem_mib = p->gpus ? run->gpu_mem_mib : 0;
    p->mig = p->gpus ? run->mig : 0;
    if (p->node >= b->v->cluster->n_nodes || (b->r->max_per_node && node_is_full(b, p->node)) ||
        !piece_on_island(b->v->cluster, run, p) || !free_index_has(b->v, p, cpu_milli, mem_mib))
        return false;
    b->untaken = is_all(b, p);
    if (!b->untaken)
        free_index_take(b->v, p, cpu_milli, mem_mib);
    b->n++;
    return true;
}

bool builder_add(struct builder *b, struct piece p)
{
    bool as_many = !p.gpu_mask || (uint32_t)__builtin_popcountll(p.gpu_mask) == p.gpus;
    return as_many && add(b, p);
}

static uint64_t lowest_bits(uint64_t mask, uint32_t n)
{
    uint64_t rest = mask;
    while (n-- > 0)
        rest &= rest - 1;
    return mask & ~rest;
}

/* Instances of a node with GPUs that are cut as jobs ask: one by one where each costs the fewest places of others, the lowest on
 * ties, so on GPUs that are cut already. They are there. */
static uint64_t mig_pick(const struct view *v, const struct request *r, node_id n, uint32_t gpus)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    const struct piece of = { .node = n, .gpu_mask = view_slots(v, r, n), .mig = r->mig };
    const struct node_kind *k = &v->cluster->kind[cluster_piece_kind(v->cluster, &of)];
    char name[MIG_NAME_MAX];
    const struct mig_design *d = mig_design_find(intern_text(v->cluster->gpu_models, t->gpu_model), mig_name(r->mig, name));
    uint64_t free = v->node[n].whole_mask, picked = 0;
    for (; gpus > 0; gpus--) {
        unsigned best = mig_place_among(d, free, kind_begins(k, free) & v->only);
        picked |= UINT64_C(1) << best;
        free &= ~kind_takes(k, UINT64_C(1) << best);
    }
    return picked;
}

/* The GPUs that are together with that one: in an island, or in a socket. */
typedef uint64_t together(const struct view *v, node_id n, unsigned gpu);

static uint64_t socket_of(const struct view *v, node_id n, unsigned gpu)
{
    return cluster_node_type(v->cluster, n)->numa_of[gpu];
}

/* What is free of the tightest one that has as many free, the lowest on ties; 0: none has. */
static uint64_t tightest(const struct view *v, node_id n, uint64_t whole, uint32_t gpus, together *of)
{
    uint64_t best = 0;
    unsigned best_size = 65;
    for (uint64_t left = whole; left;) {
        uint64_t some = of(v, n, (unsigned)__builtin_ctzll(left)) & whole;
        unsigned size = (unsigned)__builtin_popcountll(some);
        if (size >= gpus && size < best_size) {
            best = some;
            best_size = size;
        }
        left &= ~some;
    }
    return best;
}

/* What is free of the one with most free, the lowest on ties. */
static uint64_t fullest(const struct view *v, node_id n, uint64_t whole, together *of)
{
    uint64_t best = 0;
    for (uint64_t left = whole; left;) {
        uint64_t some = of(v, n, (unsigned)__builtin_ctzll(left)) & whole;
        if (__builtin_popcountll(some) > __builtin_popcountll(best))
            best = some;
        left &= ~some;
    }
    return best;
}

/* Over several islands, or several sockets of one: those with most free whole, and the rest on the tightest that has it. So they are
 * on as few as can be. There are as many free. */
static uint64_t span(const struct view *v, node_id n, uint64_t whole, uint32_t gpus)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    bool one_island = !(whole & ~t->island_of[__builtin_ctzll(whole)]);
    together *of = one_island || !(t->island_of[0] & (t->island_of[0] - 1)) ? socket_of : view_islands;
    uint64_t picked = 0, last;
    while (!(last = tightest(v, n, whole & ~picked, gpus, of))) {
        uint64_t some = fullest(v, n, whole & ~picked, of);
        picked |= some;
        gpus -= (uint32_t)__builtin_popcountll(some);
    }
    return picked | lowest_bits(last, gpus);
}

/* The lowest `gpus` free ones: of the tightest island that has as many, else of the tightest socket (NUMA node), else of the node:
 * by id, or as the cluster's placement_order says. */
INLINED uint64_t pick_whole(const struct view *v, const struct request *r, node_id n, uint32_t gpus)
{
    struct node_free free = r->mig ? view_node_for(v, r, n) : free_index_node(v, n);
    uint64_t whole = free.whole_mask;
    if (free.whole < gpus)
        return 0;
    if (cluster_node_type(v->cluster, n)->mig_dynamic)
        return mig_pick(v, r, n, gpus);
    if (free.whole == gpus && !r->one_island)
        return whole;             /* all that are free, however they lie */
    uint64_t best = tightest(v, n, whole, gpus, view_islands);
    if (!best && r->one_island)
        return 0;
    bool on_island = best;
    if (!best)
        best = tightest(v, n, whole, gpus, socket_of);
    if (!on_island && gpus && v->cluster->numa_order)
        return span(v, n, best ? best : whole, gpus);
    return lowest_bits(best ? best : whole, gpus);
}

/* At most `gpus` shared ones that have r's share: the fullest, or the emptiest, the lowest on ties. */
static uint64_t pick_shared(const struct view *v, const struct request *r, node_id n, uint32_t gpus, bool fullest)
{
    uint64_t picked = 0;
    for (; gpus > 0; gpus--) {
        uint32_t best = 0;
        uint64_t bit = 0;
        for (uint64_t m = v->node[n].shared_mask & v->only & ~picked; m; m &= m - 1) {
            uint32_t left = view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m));
            if (view_gpu_fits(v, r, n, (unsigned)__builtin_ctzll(m)) && (!bit || (fullest ? left < best : left > best))) {
                best = left;
                bit = m & -m;
            }
        }
        if (!bit)
            break;
        picked |= bit;
    }
    return picked;
}

static uint64_t pick_shares(const struct builder *b, const struct request *r, node_id n, uint32_t gpus)
{
    uint32_t whole = 0;
    if (b->devices == DEVICES_SPREAD) {
        whole = view_node(b->v, n).whole;
        whole = whole < gpus ? whole : gpus;
    }
    uint64_t picked = pick_shared(b->v, r, n, gpus - whole, b->devices == DEVICES_PACKED);
    whole = gpus - (uint32_t)__builtin_popcountll(picked);
    uint64_t rest = whole ? pick_whole(b->v, r, n, whole) : 0;
    return whole && !rest ? 0 : picked | rest;
}

void builder_devices(struct builder *b, enum device_order o)
{
    b->devices = o;
}

bool builder_add_some(struct builder *b, const struct request *r, uint32_t task, node_id n, uint32_t gpus)
{
    struct piece p = { .node = n, .task = task, .gpus = gpus, .milli = gpus ? r->gpu_milli : 0 };
    if (!cluster_node_type(b->v->cluster, n)->counted && gpus) {
        p.gpu_mask = r->gpu_milli >= MILLI_ALL ? pick_whole(b->v, r, n, gpus) : pick_shares(b, r, n, gpus);
        if (!p.gpu_mask)
            return false;
    } else if (gpus && r->gpu_milli != MILLI_ALL) {
        return false;              /* counted GPUs are not shared */
    }
    return add(b, p);
}

bool builder_add_among(struct builder *b, const struct request *r, uint32_t task, node_id n, uint32_t gpus, uint64_t among)
{
    uint64_t all = b->v->only;
    b->v->only &= among;
    bool added = builder_add_some(b, r, task, n, gpus);
    b->v->only = all;
    return added;
}

static int by_task(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->task < y->task ? -1 : x->task > y->task;
}

const struct placement *builder_take(struct builder *b)
{
    struct placement *p = arena_room(b->s->scratch, sizeof *p + b->n * sizeof p->piece[0]);
    p->n = b->n;
    memcpy(p->piece, b->piece, b->n * sizeof p->piece[0]);
    for (size_t i = 1; i < p->n; i++)
        if (p->piece[i].task < p->piece[i - 1].task) {
            qsort(p->piece, p->n, sizeof p->piece[0], by_task);
            break;
        }
    builder_rollback(b, 0);
    b->open = false;
    return p;
}
