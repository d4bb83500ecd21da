/* topology.c - counts upwards, the level, and the division downwards. See topology.h. */
#include "policies/kueue/topology_parts.h"
#include "sim/contract/util/minmax.h"

#include <stdlib.h>

/* ---- Memory ---- */

size_t tas_work_size(const struct tas_tree *tree)
{
    size_t of_leaf = sizeof(struct tas_room) + sizeof(struct tas_share);
    size_t of_domain = 3 * sizeof(struct tas_state) + sizeof(struct tas_order) +
                       sizeof(struct tas_even) + 3 * sizeof(uint32_t);
    return tas_leaves(tree) * of_leaf + tree->n * of_domain;
}

static void *lay(char **at, size_t n, size_t size)
{
    void *here = *at;
    *at += n * size;
    return here;
}

void tas_work_lay(struct tas_work *w, const struct tas_tree *tree, void *memory)
{
    char *at = memory;
    w->tree = tree;
    w->room = lay(&at, tas_leaves(tree), sizeof *w->room);
    w->share = lay(&at, tas_leaves(tree), sizeof *w->share);
    w->state = lay(&at, tree->n, sizeof *w->state);
    w->kept = lay(&at, tree->n, sizeof *w->kept);
    w->best = lay(&at, tree->n, sizeof *w->best);
    w->order = lay(&at, tree->n, sizeof *w->order);
    w->even = lay(&at, tree->n, sizeof *w->even);
    w->chosen = lay(&at, tree->n, sizeof *w->chosen);
    w->pool = lay(&at, tree->n, sizeof *w->pool);
    w->list = lay(&at, tree->n, sizeof *w->list);
}

/* ---- The tree ---- */

size_t tas_tree_size(uint32_t levels, uint32_t leaves)
{
    return (levels + (size_t)2 + 2 * (size_t)levels * leaves) * sizeof(uint32_t);
}

void tas_tree_lay(struct tas_tree *t, uint32_t levels, uint32_t leaves, const uint32_t *parts,
                  void *memory)
{
    uint32_t *first = memory, *child = first + levels + 1;
    uint32_t *parent = child + (size_t)levels * leaves + 1, n = 0;
    for (uint32_t level = 0, up = 0; level < levels; level++) {
        first[level] = n;
        for (uint32_t i = 0; i < leaves; i++) {
            if (i && parts[i] > level)
                continue;
            if (level && i && parts[i] < level)
                up++;
            if (level && (!i || parts[i] < level))
                child[up] = n;
            parent[n++] = level ? up : ID_NONE;
        }
        up = first[level];
    }
    first[levels] = n;
    for (uint32_t d = levels ? first[levels - 1] : 0; d <= n; d++)
        child[d] = n;
    *t = (struct tas_tree){ levels, n, first, child, parent };
}

uint32_t tas_around(const struct tas_tree *t, uint32_t d, uint32_t level)
{
    while (d >= t->level_first[level + 1])
        d = t->parent[d];
    return d;
}

void tas_inside(const struct tas_tree *t, uint32_t d, uint32_t level, uint32_t *first,
                uint32_t *end)
{
    for (*first = d, *end = d + 1; *first < t->level_first[level];) {
        *end = t->child_first[*end];
        *first = t->child_first[*first];
    }
}

/* ---- Counts, bottom up ---- */

/* To which the pods of domains of this level are rounded down; 1: no inner layer. */
static int64_t inner_size(const struct tas_ask *ask, uint32_t level)
{
    for (uint32_t i = 1; i < ask->layers; i++)
        if (level > ask->layer[i - 1].level && level <= ask->layer[i].level)
            return ask->layer[i].pods;
    return 1;
}

static struct tas_state of_children(const struct tas_work *w, const struct tas_ask *ask, uint32_t d,
                                    int64_t inner)
{
    const struct tas_tree *t = w->tree;
    struct tas_state sum = { 0 };
    int64_t least_pods = INT64_MAX, least_slices = INT64_MAX;
    for (uint32_t k = t->child_first[d]; k < t->child_first[d + 1]; k++) {
        const struct tas_state *child = &w->state[k];
        int64_t pods = child->pods - child->pods % inner;
        sum.pods += pods;
        sum.slices += child->slices;
        sum.score += child->score;
        sum.leaders = max_i64(sum.leaders, child->leaders);
        if (ask->leader && !child->leaders)
            continue;
        least_pods = min_i64(least_pods, pods - (child->pods_beside - child->pods_beside % inner));
        least_slices = min_i64(least_slices, child->slices - child->slices_beside);
    }
    bool hosts = least_pods != INT64_MAX;
    sum.pods_beside = hosts ? sum.pods - least_pods : 0;
    sum.slices_beside = hosts ? sum.slices - least_slices : 0;
    return sum;
}

void tas_count_domain(struct tas_work *w, const struct tas_ask *ask, uint32_t d, uint32_t level)
{
    struct tas_state *s = &w->state[d];
    if (level + 1 < w->tree->levels)
        *s = of_children(w, ask, d, inner_size(ask, level + 1));
    if (level != tas_slice_level(w->tree, ask))
        return;
    s->slices = s->pods / tas_slice_size(ask);
    s->slices_beside = s->pods_beside / tas_slice_size(ask);
}

static void count_all(struct tas_work *w, const struct tas_ask *ask)
{
    const struct tas_tree *t = w->tree;
    for (uint32_t i = 0, d = tas_first_leaf(t); d < t->n; i++, d++) {
        const struct tas_room *r = &w->room[i];
        bool hosts = ask->leader && r->leader;
        w->state[d] = (struct tas_state){ .pods = r->pods,
                                          .score = r->score,
                                          .leaders = hosts,
                                          .pods_beside = hosts ? r->beside : r->pods };
    }
    for (uint32_t level = t->levels; level-- > 0;)
        for (uint32_t d = t->level_first[level]; d < t->level_first[level + 1]; d++)
            tas_count_domain(w, ask, d, level);
}

/* ---- Orders ---- */

#define UNLESS_EQUAL(a, b)                                                                         \
    if ((a) != (b))                                                                                \
    return (a) < (b) ? -1 : 1

static int before(const void *x, const void *y)
{
    const struct tas_order *a = x, *b = y;
    UNLESS_EQUAL(b->leaders, a->leaders);
    UNLESS_EQUAL(b->score, a->score);
    UNLESS_EQUAL(a->slices, b->slices);
    UNLESS_EQUAL(a->pods, b->pods);
    return a->domain < b->domain ? -1 : a->domain > b->domain;
}

static struct tas_order order_of(const struct tas_work *w, uint32_t d, bool with_leader,
                                 bool unconstrained)
{
    const struct tas_state *s = &w->state[d];
    int64_t slices = with_leader ? s->slices_beside : s->slices;
    return (struct tas_order){ with_leader ? s->leaders : 0, s->score,
                               unconstrained ? slices : -slices,
                               with_leader ? s->pods_beside : s->pods, d, 0 };
}

int tas_by_number(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

/* Alike are domains that only their numbers tell apart: mostly there are few kinds, which are
 * sorted, and each domain follows those of its kind that come before it. */
enum { KINDS_MOST = 64 };
struct kinds { struct tas_order of[KINDS_MOST]; uint32_t n, count[KINDS_MOST]; };

static bool alike(const struct tas_order *a, const struct tas_order *b)
{
    return a->slices == b->slices && a->pods == b->pods && a->score == b->score &&
           a->leaders == b->leaders;
}

/* `last`: where to look first. KINDS_MOST: there are too many. */
static uint32_t kind_of(struct kinds *kinds, const struct tas_order *o, uint32_t last)
{
    uint32_t k = 0;
    if (kinds->n && alike(&kinds->of[last], o))
        return last;
    while (k < kinds->n && !alike(&kinds->of[k], o))
        k++;
    if (k < kinds->n || k == KINDS_MOST)
        return k;
    kinds->of[k] = *o;
    kinds->of[k].kind = k;
    kinds->count[k] = 0;
    return kinds->n++;
}

/* false: nothing is sorted, as kinds are too many, or numbers do not rise. */
static bool sort_by_kinds(struct tas_order *order, uint32_t n, uint32_t *list)
{
    struct kinds kinds;
    uint32_t next[KINDS_MOST], end = 0, k = 0;
    kinds.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        k = kind_of(&kinds, &order[i], k);
        if (k == KINDS_MOST || (i && order[i].domain < order[i - 1].domain))
            return false;
        order[i].kind = k;
        kinds.count[k]++;
    }
    qsort(kinds.of, kinds.n, sizeof *kinds.of, before);
    for (uint32_t i = 0; i < kinds.n; i++) {
        next[kinds.of[i].kind] = end;
        end += kinds.count[kinds.of[i].kind];
    }
    for (uint32_t i = 0; i < n; i++)
        list[next[order[i].kind]++] = order[i].domain;
    return true;
}

void tas_sort(struct tas_work *w, uint32_t *list, uint32_t n, bool with_leader, bool unconstrained)
{
    for (uint32_t i = 0; i < n; i++)
        w->order[i] = order_of(w, list[i], with_leader, unconstrained);
    if (sort_by_kinds(w->order, n, list))
        return;
    qsort(w->order, n, sizeof *w->order, before);
    for (uint32_t i = 0; i < n; i++)
        list[i] = w->order[i].domain;
}

static int64_t room_of(const struct tas_state *s, int64_t leaders, bool by_pods)
{
    if (by_pods)
        return leaders ? s->pods_beside : s->pods;
    return leaders ? s->slices_beside : s->slices;
}

/* Where in list[n] the domain with the least room stands that suffices; of those with the score of
 * the first only. 0: none suffices. */
static uint32_t best_fit(const struct tas_work *w, const uint32_t *list, uint32_t n, int64_t want,
                         int64_t leaders, bool by_pods)
{
    uint32_t best = 0;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < n && w->state[list[i]].score == w->state[list[0]].score; i++) {
        int64_t room = room_of(&w->state[list[i]], leaders, by_pods);
        if (w->state[list[i]].leaders < leaders || room < want || room >= least)
            continue;
        best = i;
        least = room;
    }
    return best;
}

/* The first domain with a loss to the leader that leaves enough in all goes to the front. */
static void put_leader_first(const struct tas_work *w, uint32_t *list, uint32_t n, int64_t want,
                             int64_t leaders, bool by_pods)
{
    int64_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += room_of(&w->state[list[i]], 0, by_pods);
    for (uint32_t i = 0; leaders && i < n; i++) {
        const struct tas_state *s = &w->state[list[i]];
        int64_t loss = room_of(s, 0, by_pods) - room_of(s, leaders, by_pods);
        if (s->leaders < leaders || all - loss < want)
            continue;
        uint32_t d = list[i];
        array_close(list, n, i, sizeof *list);
        array_open(list, n - 1, 0, sizeof *list);
        list[0] = d;
        return;
    }
}

/* ---- Division ---- */

uint32_t tas_divide(struct tas_work *w, uint32_t *list, uint32_t n, int64_t pods, int64_t leaders,
                    struct tas_way way, uint32_t *out)
{
    int64_t left = pods / way.size;
    uint32_t found = 0;
    put_leader_first(w, list, n, left, leaders, way.by_pods);
    for (uint32_t i = 0; i < n; i++) {
        struct tas_state *s = &w->state[list[i]];
        bool last = room_of(s, leaders, way.by_pods) >= left && s->leaders >= leaders;
        uint32_t d = list[i];
        if (last && !way.unconstrained)
            d = list[i + best_fit(w, list + i, n - i, left, leaders, way.by_pods)];
        s = &w->state[d];
        int64_t part = min_i64(room_of(s, leaders, way.by_pods), left);
        s->leaders = min_i64(s->leaders, leaders);
        s->slices = part;
        s->pods = part * way.size;
        out[found++] = d;
        left -= part;
        leaders -= s->leaders;
        if (last)
            return found;
    }
    return ID_NONE;
}

/* ---- Level ---- */

/* The domain of the level that holds all of it with the least room, of the best score; ID_NONE:
 * none does. *top: the first in order. A preferred level that would cost a better score is given
 * up. */
static uint32_t single(const struct tas_work *w, const struct tas_ask *ask, uint32_t level,
                       int64_t want, uint32_t *top)
{
    bool least_first = ask->mode == TAS_UNCONSTRAINED;
    uint32_t best = ID_NONE, first = w->tree->level_first[level];
    struct tas_order top_is = order_of(w, first, ask->leader, least_first), best_is = { 0 };
    for (uint32_t d = first; d < w->tree->level_first[level + 1]; d++) {
        struct tas_order is = order_of(w, d, ask->leader, least_first);
        if (before(&is, &top_is) < 0)
            top_is = is;
        is = order_of(w, d, ask->leader, true);
        if (!tas_holds(&w->state[d], want, ask->leader) ||
            (best != ID_NONE && before(&is, &best_is) > 0))
            continue;
        best = d;
        best_is = is;
    }
    *top = top_is.domain;
    return ask->mode == TAS_PREFERRED && best_is.score < top_is.score ? ID_NONE : best;
}

/* With `n` domains from `first` on, without one. */
static void fill(uint32_t *list, uint32_t first, uint32_t n, uint32_t without)
{
    for (uint32_t d = first; d < first + n; d++)
        if (d != without)
            *list++ = d;
}

/* Several of the level, in w->chosen; 0: they are too few, and a->fit tells how far they reach. */
static uint32_t several(struct tas_work *w, const struct tas_ask *ask, uint32_t level,
                        struct tas_answer *a)
{
    bool best = ask->mode != TAS_UNCONSTRAINED;
    int64_t left = a->of;
    uint32_t found = 0, *list = w->list, first = w->tree->level_first[level];
    uint32_t n = w->tree->level_first[level + 1] - first;
    a->fit = 0;
    fill(list, first, n, ID_NONE);
    tas_sort(w, list, n, ask->leader, !best);
    put_leader_first(w, list, n, left, ask->leader, false);
    if (ask->leader && !w->state[list[0]].leaders)
        return 0;
    if (ask->leader) {
        bool last = best && w->state[list[0]].slices_beside >= left;
        uint32_t d = list[last ? best_fit(w, list, n, left, 1, false) : 0];
        w->chosen[found++] = d;
        left -= w->state[d].slices_beside;
        fill(list, first, n--, d);
        if (left > 0)
            tas_sort(w, list, n, false, !best);
    }
    for (uint32_t i = 0; left > 0 && i < n; i++) {
        bool last = best && w->state[list[i]].slices >= left;
        uint32_t d = list[i + (last ? best_fit(w, list + i, n - i, left, 0, false) : 0)];
        w->chosen[found++] = d;
        left -= w->state[d].slices;
    }
    a->fit = a->of - left;
    return left > 0 ? 0 : found;
}

/* The domains in w->chosen and their level; 0: a tells why not. */
static uint32_t choose(struct tas_work *w, const struct tas_ask *ask, uint32_t *level,
                       struct tas_answer *a)
{
    uint32_t top;
    while ((w->chosen[0] = single(w, ask, *level, a->of, &top)) == ID_NONE) {
        a->fit = w->state[top].slices;
        if (ask->mode == TAS_REQUIRED)
            return 0;
        if (*level == 0 || ask->mode == TAS_UNCONSTRAINED)
            return several(w, ask, *level, a);
        --*level;
    }
    a->fit = 0;
    return 1;
}

/* ---- Down ---- */

static uint32_t children_of(const struct tas_tree *t, uint32_t d, uint32_t *list)
{
    uint32_t n = 0;
    for (uint32_t k = t->child_first[d]; k < t->child_first[d + 1]; k++)
        list[n++] = k;
    return n;
}

/* Children of all chosen domains are one pool. */
static uint32_t descend_pooled(struct tas_work *w, const struct tas_ask *ask, uint32_t n,
                               struct tas_way way)
{
    uint32_t pooled = 0;
    qsort(w->chosen, n, sizeof *w->chosen, tas_by_number);
    for (uint32_t i = 0; i < n; i++)
        pooled += children_of(w->tree, w->chosen[i], w->pool + pooled);
    tas_sort(w, w->pool, pooled, false, way.unconstrained);
    return tas_divide(w, w->pool, pooled, ask->pods, ask->leader, way, w->chosen);
}

/* Each chosen domain divides its part among its own children, which are at `level`. These are
 * sorted before slices of an inner layer are counted: by pods alone. */
static uint32_t descend_each(struct tas_work *w, const struct tas_ask *ask, uint32_t n,
                             uint32_t level)
{
    bool below = level > tas_slice_level(w->tree, ask);
    struct tas_way way = { below ? inner_size(ask, level) : tas_slice_size(ask), false,
                           ask->mode == TAS_UNCONSTRAINED };
    uint32_t found = 0;
    way.by_pods = way.size == 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct tas_state *part = &w->state[w->chosen[i]];
        uint32_t children = children_of(w->tree, w->chosen[i], w->pool);
        tas_sort(w, w->pool, children, false, way.unconstrained);
        for (uint32_t k = 0; k < children && below && !way.by_pods; k++) {
            struct tas_state *s = &w->state[w->pool[k]];
            s->slices = s->pods / way.size;
            s->slices_beside = s->pods_beside / way.size;
        }
        uint32_t more =
            tas_divide(w, w->pool, children, part->pods, part->leaders, way, w->list + found);
        if (more == ID_NONE)
            return ID_NONE;
        found += more;
    }
    for (uint32_t i = 0; i < found; i++)
        w->chosen[i] = w->list[i];
    return found;
}

/* From the chosen domains of `level` down to leaves; ID_NONE: a part has no place below. */
static uint32_t descend(struct tas_work *w, const struct tas_ask *ask, uint32_t n, uint32_t level,
                        bool balanced)
{
    struct tas_way way = { tas_slice_size(ask), false, ask->mode == TAS_UNCONSTRAINED };
    uint32_t last = w->tree->levels - 1, slices = tas_slice_level(w->tree, ask);
    for (uint32_t i = 0; i < n; i++)
        w->pool[i] = w->chosen[i];
    n = tas_divide(w, w->pool, n, ask->pods, ask->leader, way, w->chosen);
    for (; n != ID_NONE && level < slices && !balanced; level++)
        n = descend_pooled(w, ask, n, way);
    for (; n != ID_NONE && level < last; level++)
        n = descend_each(w, ask, n, level + 1);
    return n;
}

/* ---- The question ---- */

struct tas_ask tas_ask_for(const struct tas_tree *t, enum tas_mode mode, uint32_t level,
                           const struct tas_layer *layer, uint32_t layers, int64_t pods)
{
    if (mode == TAS_UNCONSTRAINED)
        level = layers ? 0 : t->levels - 1;
    return (struct tas_ask){
        .mode = mode, .level = level, .layer = layer, .layers = layers, .pods = pods
    };
}

bool tas_question(const struct tas_set *set, uint32_t n, uint32_t i, uint32_t *workers,
                  uint32_t *leader)
{
    uint32_t other = i + 1;
    *workers = i;
    *leader = ID_NONE;
    for (uint32_t k = 0; k < i; k++)
        if (set[i].group && set[k].group == set[i].group)
            return false;
    while (other < n && (!set[i].group || set[other].group != set[i].group))
        other++;
    if (other == n)
        return true;
    *workers = set[other].pods > set[i].pods ? other : i;
    *leader = *workers == i ? other : i;
    return true;
}

static enum tas_result wrong(const struct tas_tree *t, const struct tas_ask *ask)
{
    for (uint32_t i = 0; i < ask->layers; i++)
        if (ask->layer[i].pods <= 0)
            return TAS_NO_SIZE;
    if (ask->level >= t->levels)
        return TAS_NO_LEVEL;
    for (uint32_t i = 0; i < ask->layers; i++) {
        const struct tas_layer *l = &ask->layer[i];
        if (l->level >= t->levels)
            return TAS_NO_LEVEL;
        if (i == 0 && l->level < ask->level)
            return TAS_LAYER_ABOVE;
        if (i > 0 && l->level <= l[-1].level)
            return TAS_LAYER_NOT_FINER;
        if (i > 0 && l[-1].pods % l->pods)
            return TAS_LAYER_NOT_PART;
    }
    return t->n ? TAS_PLACED : TAS_NO_DOMAINS;
}

static void tell(struct tas_work *w, uint32_t n, struct tas_answer *a)
{
    qsort(w->chosen, n, sizeof *w->chosen, tas_by_number);
    a->result = TAS_PLACED;
    a->share = w->share;
    for (uint32_t i = 0; i < n; i++) {
        const struct tas_state *s = &w->state[w->chosen[i]];
        if (s->leaders)
            a->leader = w->chosen[i];
        if (s->pods)
            w->share[a->n++] = (struct tas_share){ w->chosen[i], s->pods };
    }
}

struct tas_answer tas_place(struct tas_work *w, const struct tas_ask *ask)
{
    struct tas_answer a = { .result = wrong(w->tree, ask), .leader = ID_NONE };
    uint32_t level = ask->level, n = 0;
    if (a.result != TAS_PLACED)
        return a;
    a.of = ask->pods / tas_slice_size(ask);
    a.slices = tas_slice_size(ask) > 1;
    count_all(w, ask);
    bool balanced =
        ask->balanced && ask->mode == TAS_PREFERRED && (n = tas_balance(w, ask, &level));
    if (!balanced)
        n = choose(w, ask, &level, &a);
    if (n)
        n = descend(w, ask, n, level, balanced);
    a.result = TAS_NO_FIT;
    if (n && n != ID_NONE)
        tell(w, n, &a);
    return a;
}

int64_t tas_layer_fit(const struct tas_work *w, const struct tas_ask *ask, uint32_t layer)
{
    const struct tas_tree *t = w->tree;
    uint32_t level = ask->mode == TAS_PREFERRED ? 0 : ask->level, most = t->level_first[level],
             first, end;
    for (uint32_t d = most; d < t->level_first[level + 1]; d++)
        if (w->state[d].slices > w->state[most].slices)
            most = d;
    int64_t fit = 0;
    tas_inside(t, most, ask->layer[layer].level, &first, &end);
    for (uint32_t d = first; d < end; d++)
        fit += w->state[d].pods / ask->layer[layer].pods;
    return fit;
}
