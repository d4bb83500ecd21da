/* topology_balanced.c - equal parts for an ask with a preferred level. See topology.h.
 *
 * Siblings of the preferred level are looked at together, below each domain one level up. Filled
 * greedily, they (or their children, if slices are finer) need so many domains; the threshold is
 * the most that each of these can be sure to get: slices / domains, at most what the last one
 * holds. Domains and their children below the threshold are pruned; what has room below it beside
 * the leader only, cannot host the leader. If that no longer fits and the last domain holds less
 * beside the leader, that is the threshold. Of all siblings the highest threshold wins, then the
 * fewest domains, then the first.
 *
 * Of the winner's domains a smallest set with the least room is taken, among equals the most
 * evenly filled (entropy of its children); if slices are finer, the same again of their children.
 * Each gets the threshold, and the rest goes to the first in order. If anything fails there is no
 * balanced placement.
 *
 * The search for the set costs domains x domains of the set x pods in both time and memory.
 * After kubernetes-sigs/kueue:pkg/cache/scheduler/tas_balanced_placement.go (feature gate
 * TASBalancedPlacement, off by default). */
#include "policies/kueue/topology_parts.h"
#include "sim/contract/util/minmax.h"

#include <math.h>
#include <stdlib.h>

struct greedy {
    uint32_t domains, last, last_with_leader;
}; /* domains 0: it does not fit */

/* Sorts list[n]. */
static struct greedy greedily(struct tas_work *w, const struct tas_ask *ask, uint32_t *list,
                              uint32_t n)
{
    struct greedy g = { 0, ID_NONE, ID_NONE };
    int64_t left = ask->pods / tas_slice_size(ask);
    tas_sort(w, list, n, ask->leader, false);
    if (ask->leader) {
        if (!n || !w->state[list[0]].leaders)
            return g;
        g.last_with_leader = list[0];
        g.domains++;
        left -= w->state[list[0]].slices_beside;
        tas_sort(w, list + 1, n - 1, false, false);
    }
    for (uint32_t i = g.domains; left > 0 && i < n && w->state[list[i]].slices > 0; i++) {
        g.last = list[i];
        g.domains++;
        left -= w->state[list[i]].slices;
    }
    return left > 0 ? (struct greedy){ 0, ID_NONE, ID_NONE } : g;
}

/* ---- Threshold and pruning ---- */

static int64_t threshold_of(const struct tas_work *w, const struct tas_ask *ask, struct greedy g)
{
    int64_t most = ask->pods / tas_slice_size(ask) / g.domains;
    if (g.last_with_leader != ID_NONE)
        most = min_i64(most, w->state[g.last_with_leader].slices_beside);
    return g.last == ID_NONE ? most : min_i64(most, w->state[g.last].slices);
}

static void forget(struct tas_work *w, uint32_t d, uint32_t level, bool leader_only)
{
    for (uint32_t first, end; level < w->tree->levels; level++) {
        tas_inside(w->tree, d, level, &first, &end);
        for (uint32_t k = first; k < end; k++) {
            struct tas_state *s = &w->state[k];
            if (leader_only)
                s->leaders = s->pods_beside = s->slices_beside = 0;
            else
                *s = (struct tas_state){ .score = s->score };
        }
    }
}

static void prune(struct tas_work *w, const struct tas_ask *ask, uint32_t d, uint32_t level,
                  int64_t threshold)
{
    const struct tas_state *s = &w->state[d];
    if (s->slices < threshold)
        forget(w, d, level, false);
    else if (ask->leader && s->leaders && s->slices_beside < threshold)
        forget(w, d, level, true);
}

static void copy_inside(const struct tas_tree *t, uint32_t of, uint32_t end, uint32_t level,
                        const struct tas_state *from, struct tas_state *to)
{
    for (; level < t->levels; level++) {
        memcpy(to + of, from + of, (end - of) * sizeof *to);
        of = t->child_first[of];
        end = t->child_first[end];
    }
}

struct siblings {
    uint32_t first, end, level;
};

/* Prunes and counts again. Domains that a greedy filling then needs; 0: it does not fit. */
static uint32_t pruned(struct tas_work *w, const struct tas_ask *ask, struct siblings of,
                       int64_t threshold)
{
    const struct tas_tree *t = w->tree;
    copy_inside(t, of.first, of.end, of.level, w->kept, w->state);
    for (uint32_t d = of.first; d < of.end; d++) {
        for (uint32_t k = t->child_first[d]; k < t->child_first[d + 1]; k++)
            prune(w, ask, k, of.level + 1, threshold);
        tas_count_domain(w, ask, d, of.level);
        prune(w, ask, d, of.level, threshold);
        w->list[d - of.first] = d;
    }
    return greedily(w, ask, w->list, of.end - of.first).domains;
}

struct candidate {
    struct siblings of;
    int64_t threshold;
    uint32_t domains;
};

/* Fills c if these siblings are better; their state is then in w->best. */
static void consider(struct tas_work *w, const struct tas_ask *ask, struct siblings of,
                     struct candidate *c)
{
    const struct tas_tree *t = w->tree;
    uint32_t first = of.first, end = of.end;
    if (of.level < tas_slice_level(t, ask)) {
        first = t->child_first[first];
        end = t->child_first[end];
    }
    for (uint32_t d = first; d < end; d++)
        w->list[d - first] = d;
    struct greedy g = greedily(w, ask, w->list, end - first);
    if (!g.domains)
        return;
    int64_t threshold = threshold_of(w, ask, g), lower = threshold;
    if (ask->leader && g.last != ID_NONE)
        lower = min_i64(threshold, w->state[g.last].slices_beside);
    if (threshold < c->threshold)
        return;
    uint32_t domains = pruned(w, ask, of, threshold);
    if (!domains && lower < threshold && lower > 0 && lower >= c->threshold)
        domains = pruned(w, ask, of, threshold = lower);
    if (domains &&
        (threshold > c->threshold || (threshold == c->threshold && domains < c->domains))) {
        *c = (struct candidate){ of, threshold, domains };
        copy_inside(t, of.first, of.end, of.level, w->state, w->best);
    }
    copy_inside(t, of.first, of.end, of.level, w->kept, w->state);
}

/* ---- The smallest set with the least room ---- */

/* table[used][leaders left][pods left - least]: how the first set found came there: 0: none, else
 * twice its last domain's place in the list + 1, odd if that hosts the leader. */
struct sets {
    struct tas_work *w;
    const uint32_t *list;
    int64_t least, range;
};

static uint32_t *entry(const struct sets *t, uint32_t used, unsigned leaders, int64_t pods)
{
    return &t->w->table[((size_t)used * 2 + leaders) * (size_t)t->range +
                        (size_t)(pods - t->least)];
}

static void reach(const struct sets *t, uint32_t used, unsigned leaders, int64_t pods, uint32_t how)
{
    uint32_t *e = entry(t, used, leaders, pods);
    *e = *e ? *e : how;
}

/* Adds the i-th domain to every set of used - 1 domains. */
static void extend(const struct sets *t, uint32_t used, uint32_t i)
{
    const struct tas_state *s = &t->w->state[t->list[i]];
    for (unsigned leaders = 0; leaders < 2; leaders++)
        for (int64_t pods = t->least; pods < t->least + t->range; pods++) {
            if (!*entry(t, used - 1, leaders, pods) || (!leaders && pods <= 0))
                continue;
            if (leaders && s->leaders)
                reach(t, used, 0, pods - s->pods_beside, 2 * (i + 1) + 1);
            if (s->slices > 0)
                reach(t, used, leaders, pods - s->pods, 2 * (i + 1));
        }
}

static void make_table(struct sets *t, const struct tas_ask *ask, uint32_t n, uint32_t used)
{
    struct tas_work *w = t->w;
    int64_t all = ask->pods / tas_slice_size(ask) * tas_slice_size(ask), most = 0;
    for (uint32_t i = 0; i < n; i++)
        most += max_i64(w->state[t->list[i]].pods, w->state[t->list[i]].pods_beside);
    t->least = all - most;
    t->range = most + 1;
    size_t cells = ((size_t)used + 1) * 2 * (size_t)t->range;
    if (cells > w->table_size) {
        w->table_size = 2 * cells;
        w->table = w->alloc(w->owner, w->table_size * sizeof *w->table);
    }
    memset(w->table, 0, cells * sizeof *w->table);
    *entry(t, 0, ask->leader, all) = UINT32_MAX;
}

/* Of list[n], which is in the order of preference, to `out`; 0: there is none. */
static uint32_t smallest_set(struct tas_work *w, const struct tas_ask *ask, const uint32_t *list,
                             uint32_t n, uint32_t used, uint32_t *out)
{
    struct sets t = { .w = w, .list = list };
    make_table(&t, ask, n, used);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = used; k > 0; k--)
            extend(&t, k, i);
    int64_t pods = min_i64(0, t.least + t.range - 1);
    while (pods >= t.least && !*entry(&t, used, 0, pods))
        pods--;
    if (pods < t.least)
        return 0;
    unsigned leaders = 0;
    for (uint32_t k = used; k > 0; k--) {
        uint32_t how = *entry(&t, k, leaders, pods), d = list[how / 2 - 1];
        out[k - 1] = d;
        pods += how % 2 ? w->state[d].pods_beside : w->state[d].pods;
        leaders += how % 2;
    }
    return used;
}

/* How evenly the pods of d lie on its children, in bits. */
static double entropy(const struct tas_work *w, uint32_t d)
{
    const struct tas_tree *t = w->tree;
    int64_t all = 0;
    double bits = 0;
    for (uint32_t k = t->child_first[d]; k < t->child_first[d + 1]; k++)
        all += w->state[k].pods;
    for (uint32_t k = t->child_first[d]; k < t->child_first[d + 1]; k++)
        if (w->state[k].pods > 0) {
            double part = (double)w->state[k].pods / (double)all;
            bits -= part * log2(part);
        }
    return bits;
}

struct even {
    int64_t leaders, slices;
    double entropy;
    uint32_t domain;
};

static int most_even(const void *x, const void *y)
{
    const struct tas_even *a = x, *b = y;
    if (a->leaders != b->leaders)
        return a->leaders > b->leaders ? -1 : 1;
    if (a->slices != b->slices)
        return a->slices > b->slices ? -1 : 1;
    if (a->entropy != b->entropy)
        return a->entropy > b->entropy ? -1 : 1;
    return a->domain < b->domain ? -1 : a->domain > b->domain;
}

/* Of list[n], which becomes the set. */
static uint32_t take_set(struct tas_work *w, const struct tas_ask *ask, uint32_t *list, uint32_t n,
                         bool by_evenness)
{
    uint32_t used = greedily(w, ask, list, n).domains;
    qsort(list, n, sizeof *list, tas_by_number);
    if (by_evenness) {
        for (uint32_t i = 0; i < n; i++)
            w->even[i] =
                (struct tas_even){ w->state[list[i]].leaders, w->state[list[i]].slices_beside,
                                   entropy(w, list[i]), list[i] };
        qsort(w->even, n, sizeof *w->even, most_even);
        for (uint32_t i = 0; i < n; i++)
            list[i] = w->even[i].domain;
    }
    if (!used || !(used = smallest_set(w, ask, list, n, used, w->pool)))
        return 0;
    memcpy(list, w->pool, used * sizeof *list);
    return used;
}

/* ---- Equal parts ---- */

/* false: not everything has a place. */
static bool give_parts(struct tas_work *w, const struct tas_ask *ask, uint32_t *list, uint32_t n,
                       int64_t threshold)
{
    int64_t rest = ask->pods / tas_slice_size(ask) - n * threshold;
    bool leader = ask->leader;
    if (rest < 0)
        return false;
    tas_sort(w, list, n, true, false);
    for (uint32_t i = 0; i < n; i++) {
        struct tas_state *s = &w->state[list[i]];
        int64_t extra = min_i64((leader ? s->slices_beside : s->slices) - threshold, rest);
        rest -= extra;
        s->slices = s->slices_beside = threshold + extra;
        s->pods = s->slices * tas_slice_size(ask);
        s->leaders = leader;
        s->pods_beside = s->pods - leader;
        leader = false;
    }
    return rest == 0;
}

static bool balance_within(struct tas_work *w, const struct tas_ask *ask, const struct candidate *c,
                           uint32_t *n, uint32_t *level)
{
    const struct tas_tree *t = w->tree;
    uint32_t *list = w->chosen, found = 0;
    for (uint32_t d = c->of.first; d < c->of.end; d++)
        list[found++] = d;
    *level = c->of.level;
    if (*level < tas_slice_level(t, ask)) {
        uint32_t used = take_set(w, ask, list, found, true);
        found = 0;
        for (uint32_t i = 0; i < used; i++)
            for (uint32_t k = t->child_first[list[i]]; k < t->child_first[list[i] + 1]; k++)
                w->list[found++] = k;
        memcpy(list, w->list, found * sizeof *list);
        ++*level;
    }
    *n = found ? take_set(w, ask, list, found, false) : 0;
    return *n && give_parts(w, ask, list, *n, c->threshold);
}

uint32_t tas_balance(struct tas_work *w, const struct tas_ask *ask, uint32_t *level)
{
    const struct tas_tree *t = w->tree;
    struct candidate best = { .threshold = 0 };
    uint32_t n = 0, found_at = 0;
    memcpy(w->kept, w->state, t->n * sizeof *w->state);
    if (ask->level == 0)
        consider(w, ask, (struct siblings){ 0, t->level_first[1], 0 }, &best);
    for (uint32_t d = ask->level ? t->level_first[ask->level - 1] : 0;
         ask->level && d < t->level_first[ask->level]; d++)
        consider(w, ask, (struct siblings){ t->child_first[d], t->child_first[d + 1], ask->level },
                 &best);
    if (best.threshold > 0) {
        copy_inside(t, best.of.first, best.of.end, best.of.level, w->best, w->state);
        if (balance_within(w, ask, &best, &n, &found_at)) {
            *level = found_at;
            return n;
        }
    }
    memcpy(w->state, w->kept, t->n * sizeof *w->state);
    return 0;
}
