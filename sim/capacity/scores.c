/* scores.c - see scores.h. */
#include "sim/capacity/scores.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/capacity/headroom.h"

#include <stdlib.h>

#define TABLES_BYTES                                                                               \
    (UINT64_C(1)                                                                                   \
     << 28) /* of all tables of a view; beyond it the least recently used one is replaced */

struct score_table {
    shape_id shape;
    uint32_t gpus, gpu_milli, tasks;        /* the request it is for: a policy may ask for other
                                               sizes of a shape */
    int64_t cpu_milli, mem_mib;
    uint64_t seen;                          /* changes applied */
    uint64_t asked_at;
    int32_t *best;  /* [2 * leaves] [1] of all, [i] the better of 2i and 2i + 1; leaves are nodes */
};

void scores_free(struct scores *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_tables; i++)
        free(s->table[i].best);
    free(s->table);
    free(s->table_of);
    free(s->rank);
    free(s->ranked);
    free(s->changed_at);
    free(s->log);
    free(s);
}

void scores_forget(struct scores *s)
{
    for (size_t i = 0; s && i < s->n_tables; i++)
        s->table[i].shape = ID_NONE;
}

static struct scores *scores_new(const struct view *v)
{
    struct scores *s = mem_new(1, sizeof *s);
    for (s->leaves = 1; s->leaves < v->cluster->n_nodes;)
        s->leaves *= 2;
    s->changed_at = mem_new(v->cluster->n_nodes, sizeof *s->changed_at);
    s->log = mem_new(s->leaves, sizeof *s->log);
    uint64_t most = TABLES_BYTES / (2 * sizeof(int32_t) * s->leaves);
    s->most = most ? (size_t)most : 1;
    return s;
}

/* A permutation of all nodes, by Fisher and Yates. */
static void draw_ranks(struct scores *s, const struct view *v)
{
    struct random draws;
    uint32_t n = v->cluster->n_nodes;
    s->rank = mem_new(n, sizeof *s->rank);
    s->ranked = mem_new(n, sizeof *s->ranked);
    random_init(&draws, v->seed, "node order", 0);
    for (uint32_t i = 0; i < n; i++)
        s->ranked[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = (uint32_t)random_below(&draws, i);
        node_id drawn = s->ranked[k];
        s->ranked[k] = s->ranked[i - 1];
        s->ranked[i - 1] = drawn;
    }
    for (uint32_t i = 0; i < n; i++)
        s->rank[s->ranked[i]] = i;
}

static uint32_t rank_of(const struct scores *s, node_id n)
{
    return s->by_rank ? s->rank[n] : n;
}

void *view_alloc(const struct view *v, size_t bytes)
{
    return arena_alloc(v->prepared, bytes);
}

const void *view_scoring(const struct view *v, const struct scoring *by, const void *params)
{
    struct view *own = (struct view *)(uintptr_t)v;    /* a cache: the view shows the same */
    if (!own->scores) {
        own->scores = scores_new(v);
        own->follows_more = true;
        own->prepared = arena_new();
    }
    struct scores *s = own->scores;
    if (s->by != by || s->params != params) {
        s->by = by;
        s->params = params;
        s->state = by->begin ? by->begin(v, params) : params;
        s->by_rank = by->draws_ties && by->draws_ties(params);
        if (s->by_rank && !s->rank)
            draw_ranks(s, v);
        scores_forget(s);
    }
    return s->state;
}

/* ---- One table ---- */

static void play_up(int32_t *best, uint32_t i, int32_t score)
{
    best[i] = score;
    while (i > 1) {
        int32_t winner = best[i & ~1u] > best[i | 1u] ? best[i & ~1u] : best[i | 1u];
        i /= 2;
        if (best[i] == winner)
            return;
        best[i] = winner;
    }
}

static int32_t score_of(const struct view *v, const struct request *r, node_id n)
{
    return view_has_room(v, r, n) ? v->scores->by->score(v, r, n, v->scores->state) : SCORE_NEVER;
}

static bool is_empty(const struct view *v, node_id n)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    const struct node_state *s = &v->node[n];
    return !s->out && s->whole == (int32_t)t->gpus && s->cpu_milli == t->cpu_milli &&
           s->mem_mib == t->mem_mib;
}

/* Empty nodes of a kind have equal scores: one of them is computed. */
static void score_all(const struct view *v, const struct request *r, struct score_table *t)
{
    uint32_t leaves = v->scores->leaves;
    const struct cluster *c = v->cluster;
    bool *known = mem_new(c->n_kinds, sizeof *known);
    int32_t *empty = mem_new(c->n_kinds, sizeof *empty);
    for (uint32_t i = c->n_nodes; i < leaves; i++)
        t->best[leaves + i] = SCORE_NEVER;
    for (node_id n = 0; n < c->n_nodes; n++) {
        int32_t *score = &t->best[leaves + rank_of(v->scores, n)];
        if (!is_empty(v, n)) {
            *score = score_of(v, r, n);
        } else {
            uint32_t kind = c->kind_of[n];
            if (!known[kind])
                empty[kind] = score_of(v, r, n);
            known[kind] = true;
            *score = empty[kind];
        }
    }
    for (uint32_t i = leaves; --i > 0;)
        t->best[i] = t->best[2 * i] > t->best[2 * i + 1] ? t->best[2 * i] : t->best[2 * i + 1];
    t->seen = v->scores->n_changes;
    free(known);
    free(empty);
}

/* Only the last change of each node is applied. */
static void take_in(const struct view *v, const struct request *r, struct score_table *t)
{
    struct scores *s = v->scores;
    while (t->seen < s->n_changes) {
        uint64_t change = ++t->seen;
        node_id n = s->log[change & (s->leaves - 1)];
        if (s->changed_at[n] != change)
            continue;
        int32_t score = score_of(v, r, n);
        uint32_t leaf = s->leaves + rank_of(s, n);
        if (t->best[leaf] != score)
            play_up(t->best, leaf, score);
    }
}

static uint32_t first_leaf(const struct scores *s, uint32_t i)
{
    return i << (__builtin_clz(i) - __builtin_clz(s->leaves));
}

/* n is better than `best`, or as good and before it in the order of ties. */
static bool wins(const struct scores *s, node_id n, int32_t score, node_id best, int32_t highest)
{
    return score > highest ||
           (score == highest && score != SCORE_NEVER && rank_of(s, n) < rank_of(s, best));
}

/* By rank: the leaves of a range of ids lie anywhere. */
static node_id winner_of_part(const struct scores *s, const int32_t *best, struct node_range range)
{
    node_id top = ID_NONE;
    int32_t highest = SCORE_NEVER;
    for (node_id n = range.first; n < range.end; n++) {
        int32_t score = best[s->leaves + rank_of(s, n)];
        if (wins(s, n, score, top, highest)) {
            highest = score;
            top = n;
        }
    }
    return top;
}

/* The first node in the order of ties with the highest score of a range of leaves. */
static node_id winner(const struct scores *s, const int32_t *best, struct node_range range)
{
    uint32_t top = 0;
    for (uint32_t l = range.first + s->leaves, r = range.end + s->leaves; l < r; l /= 2, r /= 2) {
        uint32_t side[2] = { l & 1 ? l++ : 0, r & 1 ? --r : 0 };
        for (int k = 0; k < 2; k++)
            if (side[k] &&
                (!top || best[side[k]] > best[top] ||
                 (best[side[k]] == best[top] && first_leaf(s, side[k]) < first_leaf(s, top))))
                top = side[k];
    }
    if (!top || best[top] == SCORE_NEVER)
        return ID_NONE;
    while (top < s->leaves)
        top = best[2 * top] == best[top] ? 2 * top : 2 * top + 1;
    return s->by_rank ? s->ranked[top - s->leaves] : top - s->leaves;
}

static node_id winner_of(const struct view *v, const int32_t *best, struct node_range range)
{
    bool part = range.first > 0 || range.end < v->cluster->n_nodes;
    return v->scores->by_rank && part ? winner_of_part(v->scores, best, range)
                                      : winner(v->scores, best, range);
}

/* ---- All tables ---- */

static struct score_table *table_new(struct scores *s)
{
    if (s->n_tables < s->most) {
        mem_grow(&s->table, &s->capacity, s->n_tables, sizeof *s->table);
        s->table[s->n_tables] =
            (struct score_table){ .shape = ID_NONE,
                                  .best = mem_new(2 * (size_t)s->leaves, sizeof(int32_t)) };
        return &s->table[s->n_tables++];
    }
    size_t oldest = 0;
    for (size_t i = 1; i < s->n_tables; i++)
        if (s->table[i].asked_at < s->table[oldest].asked_at)
            oldest = i;
    if (s->table[oldest].shape != ID_NONE)
        s->table_of[s->table[oldest].shape] = ID_NONE;
    return &s->table[oldest];
}

static struct score_table *table_of(struct scores *s, shape_id shape)
{
    if (shape >= s->n_shapes) {
        shape_id had = s->n_shapes;
        s->n_shapes = shape + shape / 2 + 16;
        s->table_of = mem_resize(s->table_of, s->n_shapes, sizeof *s->table_of);
        for (shape_id i = had; i < s->n_shapes; i++)
            s->table_of[i] = ID_NONE;
    }
    if (s->table_of[shape] == ID_NONE)
        s->table_of[shape] = (uint32_t)(table_new(s) - s->table);
    return &s->table[s->table_of[shape]];
}

static bool made_for(const struct view *v, const struct score_table *t, const struct request *r)
{
    return t->shape == view_shape(v, r) && t->gpus == r->gpus && t->gpu_milli == r->gpu_milli &&
           (t->tasks == SPLIT_ANY) == (r->tasks == SPLIT_ANY) && t->cpu_milli == r->cpu_milli &&
           t->mem_mib == r->mem_mib;
}

static const struct score_table *table_up_to_date(const struct view *v, const struct request *r)
{
    struct scores *s = v->scores;
    struct score_table *t = table_of(s, view_shape(v, r));
    t->asked_at = s->n_changes;
    if (made_for(v, t, r) && s->n_changes - t->seen <= s->leaves) {
        take_in(v, r, t);
        return t;
    }
    t->shape = view_shape(v, r);
    t->gpus = r->gpus;
    t->gpu_milli = r->gpu_milli;
    t->tasks = r->tasks;
    t->cpu_milli = r->cpu_milli;
    t->mem_mib = r->mem_mib;
    score_all(v, r, t);
    return t;
}

/* Confined to an island of a node, a view shows it with fewer GPUs than its scores are of. */
static node_id best_inside(const struct view *v, const struct request *r, struct node_range range)
{
    node_id best = ID_NONE;
    int32_t highest = SCORE_NEVER;
    for (node_id n = range.first; n < range.end; n++) {
        int32_t score =
            v->headroom && !headroom_fits(v->headroom, r, n) ? SCORE_NEVER : score_of(v, r, n);
        if (wins(v->scores, n, score, best, highest)) {
            highest = score;
            best = n;
        }
    }
    return best;
}

bool view_best(const struct view *v, const struct request *r, domain_id within,
               const struct scoring *by, const void *params, node_id *n)
{
    struct node_range range = free_index_range(v, within);
    (void)view_scoring(v, by, params);
    if (v->only != UINT64_MAX) {
        *n = best_inside(v, r, range);
        return *n != ID_NONE;
    }
    const struct score_table *t = table_up_to_date(v, r);
    while ((*n = winner_of(v, t->best, range)) != ID_NONE && v->headroom &&
           !headroom_fits(v->headroom, r, *n)) {
        /* until it is asked for again */
        play_up(t->best, v->scores->leaves + rank_of(v->scores, *n), SCORE_NEVER);
        scores_changed(v->scores, *n);
    }
    return *n != ID_NONE;
}
