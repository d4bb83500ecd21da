/* placing.c - asking a placer: the builder, required and preferred domains, and what can never be placed. */
#include "sim/run/host.h"

#include <stdlib.h>
#include <string.h>

/* ---- The builder ---- */

static struct builder *builder_open(struct sched *s, struct view *v, const struct request *r)
{
    struct builder *b = &s->builder;
    if (b->open)
        HOST_BUG(s, "a second builder was begun before builder_take() ended the first");
    b->s = s;
    b->v = v;
    b->r = r;
    b->n = 0;
    b->open = true;
    return b;
}

struct builder *sched_builder(struct sched *s, const struct view *v, const struct request *r)
{
    return builder_open(s, v == s->room ? s->room : s->idle, r);
}

const struct view *builder_view(const struct builder *b)
{
    return b->v;
}

size_t builder_mark(const struct builder *b)
{
    return b->n;
}

static int64_t cpu_of(const struct builder *b, const struct piece *p)
{
    return piece_share(b->r, p, b->r->cpu_milli);
}

static int64_t mem_of(const struct builder *b, const struct piece *p)
{
    return piece_share(b->r, p, b->r->mem_mib);
}

void builder_rollback(struct builder *b, size_t mark)
{
    while (b->n > mark) {
        const struct piece *p = &b->piece[--b->n];
        free_index_give(b->v, p, cpu_of(b, p), mem_of(b, p));
    }
}

bool builder_add(struct builder *b, struct piece p)
{
    if (p.node >= b->v->cluster->n_nodes || !free_index_has(b->v, &p, cpu_of(b, &p), mem_of(b, &p)))
        return false;
    free_index_take(b->v, &p, cpu_of(b, &p), mem_of(b, &p));
    mem_grow(&b->piece, &b->capacity, b->n, sizeof *b->piece);
    b->piece[b->n++] = p;
    return true;
}

static uint64_t lowest_bits(uint64_t mask, uint32_t n)
{
    uint64_t rest = mask;
    while (n-- > 0)
        rest &= rest - 1;
    return mask & ~rest;
}

/* The lowest `gpus` free ones, of one island if one has as many: the tightest such island, the lowest on ties. */
static uint64_t pick_whole(const struct view *v, node_id n, uint32_t gpus)
{
    uint64_t whole = v->node[n].whole_mask, best = 0;
    if ((uint32_t)__builtin_popcountll(whole) < gpus)
        return 0;
    unsigned best_size = 65;
    for (uint64_t left = whole; left;) {
        uint64_t island = view_islands(v, n, (unsigned)__builtin_ctzll(left)) & whole;
        unsigned size = (unsigned)__builtin_popcountll(island);
        if (size >= gpus && size < best_size) {
            best = island;
            best_size = size;
        }
        left &= ~island;
    }
    return lowest_bits(best ? best : whole, gpus);
}

/* Shared GPUs that fit, the fullest first, then whole ones. */
static uint64_t pick_shared(const struct view *v, node_id n, uint32_t milli, uint32_t gpus)
{
    uint64_t picked = 0;
    for (; gpus > 0; gpus--) {
        uint32_t least = MILLI_ALL + 1;
        uint64_t bit = 0;
        for (uint64_t m = v->node[n].shared_mask & ~picked; m; m &= m - 1) {
            uint32_t left = view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m));
            if (left >= milli && left < least) {
                least = left;
                bit = m & -m;
            }
        }
        if (!bit)
            break;
        picked |= bit;
    }
    uint64_t whole = gpus ? pick_whole(v, n, gpus) : 0;
    return gpus && !whole ? 0 : picked | whole;
}

bool builder_add_some(struct builder *b, const struct request *r, uint32_t task, node_id n, uint32_t gpus)
{
    struct piece p = { .node = n, .task = task, .gpus = gpus, .milli = gpus ? r->gpu_milli : 0 };
    if (!cluster_node_type(b->v->cluster, n)->counted && gpus) {
        p.gpu_mask = r->gpu_milli == MILLI_ALL ? pick_whole(b->v, n, gpus) : pick_shared(b->v, n, r->gpu_milli, gpus);
        if (!p.gpu_mask)
            return false;
    } else if (gpus && r->gpu_milli != MILLI_ALL) {
        return false;              /* counted GPUs are not shared */
    }
    return builder_add(b, p);
}

uint32_t request_task(const struct request *r, uint32_t k)
{
    return r->task ? r->task[k] : r->first_task + k;
}

static int by_task(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->task < y->task ? -1 : x->task > y->task;
}

const struct placement *builder_take(struct builder *b)
{
    struct placement *p = sched_scratch(b->s, sizeof *p + b->n * sizeof p->piece[0]);
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

/* ---- Asking the placer, domain by domain where the request wants one ---- */

static enum place_result place_here(struct sched *s, struct view *v, const struct request *r)
{
    struct builder *b = builder_open(s, v, r);
    enum place_result result = s->setup.placer->place(b, r, s->placer_params);
    if (result != PLACED) {
        builder_rollback(b, 0);
        b->open = false;
    }
    return result;
}

/* Domains of one level in the order of ids; the placer is asked where the totals suffice. */
static enum place_result place_in_one(struct sched *s, struct view *v, const struct request *r, enum level level)
{
    const struct cluster *c = v->cluster;
    uint32_t need = r->tasks == SPLIT_ANY ? r->gpus : r->tasks;
    enum place_result result = NO_TOPOLOGY;
    for (node_id n = 0; n < c->n_nodes && result != PLACED;) {
        domain_id d = cluster_domain_at(c, n, level);
        node_id first;
        view_domain_nodes(v, d, &first, &n);
        if (domain_fits(v, d, r) < need)
            continue;
        free_index_confine(v, d);
        result = place_here(s, v, r);
        free_index_confine(v, 0);
    }
    return result == PLACED ? PLACED : NO_TOPOLOGY;
}

static enum place_result place_at_levels(struct sched *s, struct view *v, const struct request *r)
{
    enum level widest = r->required_level;
    for (enum level l = r->preferred_level; l < LEVEL_CLUSTER && l < widest; l++)
        if (place_in_one(s, v, r, l) == PLACED)
            return PLACED;
    return widest < LEVEL_CLUSTER ? place_in_one(s, v, r, widest) : place_here(s, v, r);
}

const struct placement *sched_place(struct sched *s, const struct view *v, const struct request *r)
{
    struct view *in = v == s->room ? s->room : s->idle;
    if (r->gpu_milli == MILLI_ALL &&
        free_index_whole(in, r->shape) < (int64_t)r->gpus * (r->tasks == SPLIT_ANY ? 1 : (int64_t)r->tasks)) {
        s->why_not = s->shape_kinds[r->shape].n ? NO_ROOM : NO_TYPE;
        return NULL;
    }
    s->why_not = place_at_levels(s, in, r);
    return s->why_not == PLACED ? builder_take(&s->builder) : NULL;
}

enum wait_reason sched_why_not(const struct sched *s)
{
    static const uint8_t reason[] = { [PLACED] = WAIT_OTHER, [NO_ROOM] = WAIT_GPUS, [NO_ROOM_FRAGMENTED] = WAIT_FRAGMENTED,
                                      [NO_TOPOLOGY] = WAIT_TOPOLOGY, [NO_TYPE] = WAIT_TYPE };
    return reason[s->why_not];
}

/* ---- What each shape may use, and whether it fits into the empty cluster at all ---- */

static bool model_matches(const char *list, const char *model)
{
    size_t length = strlen(model);
    for (const char *p = list; p; p = strchr(p, '|')) {
        p += *p == '|';
        size_t n = strcspn(p, "|");
        if (n == length && memcmp(p, model, n) == 0)
            return true;
    }
    return false;
}

static bool kind_allowed(const struct sched *s, const struct shape *shape, const struct node_kind *kind)
{
    const struct node_type *t = &s->cluster->type[kind->type];
    if (kind->owner != shape->pin || (shape->ask.gpus && !t->gpus))
        return false;
    if (shape->gpu_type == ID_NONE)
        return true;
    return t->gpu_model != ID_NONE && model_matches(intern_text(s->workload->gpu_types, shape->gpu_type),
                                                    intern_text(s->cluster->gpu_models, t->gpu_model));
}

static uint8_t never_fits(struct sched *s, shape_id i)
{
    struct request r = s->workload->shape[i].ask;
    if (!s->shape_kinds[i].n)
        return NO_TYPE;
    if (sched_place(s, s->idle, &r))
        return PLACED;
    return (uint8_t)s->why_not;
}

void placing_begin(struct sched *s)
{
    uint32_t n = s->workload->n_shapes;
    s->shape_kinds = arena_alloc(s->memory, (n + 1) * sizeof *s->shape_kinds);
    s->shape_never = arena_alloc(s->memory, n + 1);
    uint16_t *allowed = mem_new(s->cluster->n_kinds, sizeof *allowed);
    for (shape_id i = 0; i < n; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < s->cluster->n_kinds; k++)
            if (kind_allowed(s, &s->workload->shape[i], &s->cluster->kind[k]))
                allowed[count++] = (uint16_t)k;
        uint16_t *kept = arena_alloc(s->memory, (count + 1) * sizeof *kept);
        memcpy(kept, allowed, count * sizeof *kept);
        s->shape_kinds[i] = (struct shape_kinds){ count, kept };
    }
    free(allowed);
    s->idle = free_index_new(s->cluster, s->shape_kinds, &s->placer_random);
    struct random before = s->placer_random;
    for (shape_id i = 0; i < n; i++)
        s->shape_never[i] = never_fits(s, i);
    s->placer_random = before;
    arena_reset(s->scratch);
    if (s->needs & SEES_RELEASING)
        s->room = free_index_new(s->cluster, s->shape_kinds, &s->placer_random);
}

void placing_end(struct sched *s)
{
    free_index_free(s->idle);
    free_index_free(s->room);
    free(s->builder.piece);
}

const char *placing_never(const struct sched *s, shape_id shape)
{
    static const char *const why[] = {
        [PLACED] = NULL,
        [NO_ROOM] = "asks for more than the cluster has",
        [NO_ROOM_FRAGMENTED] = "does not fit the nodes, even when all are empty",
        [NO_TOPOLOGY] = "no domain of the required level is large enough",
        [NO_TYPE] = "no node has its GPU model",
    };
    return why[s->shape_never[shape]];
}
