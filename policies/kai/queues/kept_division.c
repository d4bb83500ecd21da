/* kept_division.c - see kept_division.h. */
#include "policies/kai/queues/kept_division.h"
#include "policies/kai/queues/kept_wants.h"
#include "sim/contract/util/bitset.h"
#include "sim/contract/util/minmax.h"

#include <math.h>

struct peers {
    int32_t priority;
    double weight;
    struct kept_wants by_wants;   /* those that want something */
    size_t most_wanting;
    uint64_t *lacks;              /* those that are not satisfied, by place among the siblings */
    /* of this division, and of the last one */
    size_t satisfied;
    int64_t satisfied_wants;      /* of all those that are */
    size_t block, before_block;   /* the blocks before that one hold so many, all satisfied */
    double lost;
    int64_t most, given, had_most, had_given;
    uint32_t cut, had_cut;
};
struct division {                 /* of siblings and one resource */
    struct peers *peers;          /* [n_peers] by priority, the highest first */
    uint32_t n_peers;
    bool keeps;                   /* there are few kinds of peers, with whole weights */
    bool known;                   /* the last division was one of peers */
    bool settled, unlimited;      /* some deserved share is unlimited: base depends on the total */
    int64_t base, total;
    queue_id last;                /* the last to be given, which got only so much; ID_NONE */
    int64_t last_given;
    queue_id *touched;            /* [n_touched] */
    size_t n_touched;
};
struct siblings {
    queue_id parent, first;
    queue_id *member;             /* [n] by id: that is the place */
    uint32_t n;
    struct division of[Q_RESOURCES];
};
struct member { int64_t base, wants; uint32_t peers; bool touched; };
struct quota_kept {
    struct quota_queue *q;
    struct siblings *siblings;    /* [n_queues + 1] by 1 + parent; n 0: it has no children */
    struct bitset_shape shape;    /* [n_queues + 1] of the sets `unsettled` and `listed` */
    uint64_t *unsettled;          /* siblings of which some resource is not settled */
    struct member (*member)[Q_RESOURCES];    /* [n_queues] */
    uint32_t *place;              /* [n_queues] among its siblings */
    struct bitset_shape places;   /* [1] sets of places: of as many as any queue has children */
    queue_id *changed;            /* [n_changed] in no order; sorted when a division ends */
    uint64_t *listed;             /* those in it */
    size_t n_changed;
};

enum { NO_PEERS = UINT32_MAX };
#define EXACT 9007199254740992.   /* 2^53 */

/* ---- Who are peers ---- */

static uint32_t peers_of(const struct division *d, const struct quota_queue *q, double weight)
{
    for (uint32_t p = 0; p < d->n_peers; p++)
        if (d->peers[p].priority == q->priority && d->peers[p].weight == weight)
            return p;
    return d->n_peers;
}

static void make_peers(struct quota_kept *k, array_alloc *alloc, struct sched *s,
                       struct siblings *g, enum quota_resource r)
{
    struct division *d = &g->of[r];
    d->peers = alloc(s, KEPT_PEERS * sizeof *d->peers);
    d->touched = alloc(s, g->n * sizeof *d->touched);
    d->keeps = true;
    d->last = ID_NONE;
    for (queue_id i = g->first; i != ID_NONE && d->keeps; i = k->q[i].next_sibling) {
        double weight = k->q[i].of[r].weight;
        uint32_t p = weight > 0 ? peers_of(d, &k->q[i], weight) : NO_PEERS;
        k->member[i][r].peers = p;
        d->keeps = (p < KEPT_PEERS || p == NO_PEERS) && floor(weight) == weight;
        if (!d->keeps || p == NO_PEERS)
            continue;
        if (p == d->n_peers)
            d->peers[d->n_peers++] =
                (struct peers){ .priority = k->q[i].priority, .weight = weight };
        d->peers[p].most_wanting++;
    }
    for (uint32_t p = 0; p < d->n_peers && d->keeps; p++) {
        struct peers *of = &d->peers[p];
        of->by_wants = wants_new(alloc, s, of->most_wanting);
        of->lacks = alloc(s, k->places.words * sizeof *of->lacks);
    }
}

struct quota_kept *quota_kept_new(array_alloc *alloc, struct sched *s, struct quota_queue *q,
                                  uint32_t n, queue_id first_top)
{
    struct quota_kept *k = alloc(s, sizeof *k);
    uint32_t most = 0;
    k->q = q;
    k->siblings = alloc(s, (n + (size_t)1) * sizeof *k->siblings);
    k->member = alloc(s, n * sizeof *k->member);
    k->place = alloc(s, n * sizeof *k->place);
    k->changed = alloc(s, n * sizeof *k->changed);
    k->shape = bitset_shape(n + 1);
    k->listed = alloc(s, k->shape.words * sizeof *k->listed);
    k->unsettled = alloc(s, k->shape.words * sizeof *k->unsettled);
    for (queue_id i = 0; i < n; i++)
        k->place[i] = k->siblings[q[i].parent == ID_NONE ? 0 : q[i].parent + 1].n++;
    for (uint32_t i = 0; i <= n; i++)
        most = max_u32(most, k->siblings[i].n);
    k->places = bitset_shape(most);
    for (uint32_t i = 0; i <= n; i++) {
        struct siblings *g = &k->siblings[i];
        g->parent = i ? i - 1 : ID_NONE;
        g->first = i ? q[i - 1].first_child : first_top;
        g->member = alloc(s, g->n * sizeof *g->member);
        for (queue_id c = g->first; c != ID_NONE; c = q[c].next_sibling)
            g->member[k->place[c]] = c;
        for (enum quota_resource r = 0; r < Q_RESOURCES && g->n; r++) {
            make_peers(k, alloc, s, g, r);
            quota_kept_unsettle(k, g->parent, r);
            for (uint32_t c = 0; c < g->n; c++)
                quota_kept_touch(k, g->member[c], r, false);
        }
    }
    return k;
}

static struct siblings *siblings_of(struct quota_kept *k, queue_id parent)
{
    return &k->siblings[parent == ID_NONE ? 0 : parent + 1];
}

void quota_kept_unsettle(struct quota_kept *k, queue_id parent, enum quota_resource r)
{
    siblings_of(k, parent)->of[r].settled = false;
    bitset_add(&k->shape, k->unsettled, parent == ID_NONE ? 0 : parent + 1);
}

void quota_kept_touch(struct quota_kept *k, queue_id i, enum quota_resource r, bool settled)
{
    struct division *d = &siblings_of(k, k->q[i].parent)->of[r];
    struct member *m = &k->member[i][r];
    if (!m->touched)
        d->touched[d->n_touched++] = i;
    m->touched = true;
    if (!settled)
        quota_kept_unsettle(k, k->q[i].parent, r);
}

/* ---- Step 1 ---- */

static void rewant(struct peers *p, queue_id i, int64_t before, int64_t wants)
{
    if (before > 0)
        wants_remove(&p->by_wants, before, i);
    if (wants > 0)
        wants_add(&p->by_wants, wants, i);
}

/* Of the queues that were touched; those with an unlimited deserved share, if the total is
 * another. */
static void take_touched(struct quota_kept *k, struct siblings *g, enum quota_resource r,
                         int64_t total)
{
    struct division *d = &g->of[r];
    for (uint32_t c = 0; c < g->n && d->unlimited && total != d->total; c++)
        quota_kept_touch(k, g->member[c], r, true);
    d->total = total;
    for (size_t t = 0; t < d->n_touched; t++) {
        queue_id i = d->touched[t];
        struct member *m = &k->member[i][r];
        const struct quota_share *s = &k->q[i].of[r];
        int64_t asks = quota_requestable(s), before = m->wants,
                base = min_i64(s->deserved == UNLIMITED ? total : s->deserved, asks);
        d->unlimited = d->unlimited || s->deserved == UNLIMITED;
        d->base += base - m->base;
        m->base = base;
        m->wants = m->peers == NO_PEERS ? 0 : max_i64(asks - base, 0);
        if (m->wants != before)
            rewant(&d->peers[m->peers], i, before, m->wants);
    }
}

/* ---- Step 2 ---- */

static bool satisfies(const struct peers *p, const struct wanting *one, double claims,
                      double claimed)
{
    return (double)(one->wants - p->given) * claims <= claimed;
}

/* How many are satisfied after a round. */
static size_t satisfied_by(struct peers *p, double claims, double claimed)
{
    const struct kept_wants *w = &p->by_wants;
    for (; p->block < w->n_blocks; p->block++) {
        const struct wants_block *b = w->block[p->block];
        if (!satisfies(p, &b->at[b->n - 1], claims, claimed))
            break;
        p->before_block += b->n;
    }
    size_t low = 0;
    for (size_t high = p->block < w->n_blocks ? w->block[p->block]->n : 0; low < high;) {
        size_t at = low + (high - low) / 2;
        if (satisfies(p, &w->block[p->block]->at[at], claims, claimed))
            low = at + 1;
        else
            high = at;
    }
    return max_size(p->satisfied, p->before_block + low);
}

/* Returns what they take of a round. *less: one of them wanted less than it might have. */
static int64_t satisfy(struct peers *p, size_t now, double claims, double claimed, bool *less)
{
    size_t before = p->satisfied;
    if (now == before)
        return 0;
    *less = (double)(wants_at(&p->by_wants, before)->wants - p->given) * claims < claimed;
    int64_t wants = wants_sum(&p->by_wants, now), more = wants - p->satisfied_wants;
    p->satisfied = now;
    p->satisfied_wants = wants;
    return more - (int64_t)(now - before) * p->given;
}

static size_t lacking(const struct peers *p)
{
    return p->by_wants.n - p->satisfied;
}

/* Its part of a round. *rest: what is left of it; true: one of them wanted less than it might. */
static bool take_round(struct peers *p, double claims, double amount, int64_t whole, int64_t *rest)
{
    double claimed = amount * p->weight, unit_claims = claims * (double)whole,
           units = floor(claimed / unit_claims), lost = (claimed - units * unit_claims) / claims;
    bool less = false;
    *rest -= satisfy(p, satisfied_by(p, claims, claimed), claims, claimed, &less);
    *rest -= (int64_t)lacking(p) * (int64_t)units * whole;
    if (lost > 0)
        p->lost = lost;
    p->given += (int64_t)units * whole;
    return less;
}

static double claims_of(const struct peers *p, uint32_t n)
{
    double claims = 0;
    for (uint32_t i = 0; i < n; i++)
        claims += (double)lacking(&p[i]) * p[i].weight;
    return claims;
}

/* Returns the rest. */
static int64_t take_by_weight(struct peers *p, uint32_t n, int64_t rest, int64_t whole)
{
    for (bool again = true; again && rest > 0;) {
        double claims = claims_of(p, n), amount = (double)rest;
        again = false;
        if (!(claims > 0))
            break;
        for (uint32_t i = 0; i < n; i++)
            again = take_round(&p[i], claims, amount, whole, &rest) || again;
    }
    for (uint32_t i = 0; i < n; i++)
        p[i].most = p[i].satisfied ? wants_at(&p[i].by_wants, p[i].satisfied - 1)->wants : 0;
    return rest;
}

static uint32_t class_end(const struct division *d, uint32_t from)
{
    uint32_t end = from;
    while (end < d->n_peers && d->peers[end].priority == d->peers[from].priority)
        end++;
    return end;
}

/* *rest: what is left. false: the sums would not be exact. */
static bool take_levels(struct division *d, int64_t *rest, int64_t whole)
{
    for (uint32_t p = 0; p < d->n_peers; p++) {
        struct peers *of = &d->peers[p];
        of->satisfied = of->block = of->before_block = 0;
        of->satisfied_wants = of->most = of->given = 0;
        of->lost = 0;
        of->cut = 0;
    }
    for (uint32_t from = 0, end; from < d->n_peers && *rest > 0; from = end) {
        end = class_end(d, from);
        if ((double)*rest * claims_of(&d->peers[from], end - from) >= EXACT)
            return false;
        *rest = take_by_weight(&d->peers[from], end - from, *rest, whole);
    }
    return true;
}

/* ---- Step 3 ---- */

/* How many are set: __builtin_popcountll() calls a function where the processor need not know how. */
static inline uint64_t bits_of(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return x * UINT64_C(0x0101010101010101) >> 56;
}

/* Of all peers p[0..n) that have lost so much, the place of the k-th that is not satisfied. */
static uint32_t kth_place(const struct quota_kept *k, const struct peers *p, uint32_t n,
                          double lost, uint64_t kth)
{
    for (uint32_t word = 0;; word++) {
        uint64_t bits = 0;
        for (uint32_t i = 0; i < n; i++)
            bits |= p[i].lost == lost ? p[i].lacks[k->places.at[0] + word] : 0;
        uint64_t here = bits_of(bits);
        if (here < kth) {
            kth -= here;
            continue;
        }
        while (--kth > 0)
            bits &= bits - 1;
        return 64 * word + (uint32_t)__builtin_ctzll(bits);
    }
}

/* One unit each to those of one class, the largest fraction lost first, then by age. Returns the
 * rest. */
static int64_t take_fractions(const struct quota_kept *k, struct siblings *g,
                              struct division *d, struct peers *p, uint32_t n, int64_t rest,
                              int64_t whole)
{
    double below = INFINITY;
    while (rest > 0) {
        double lost = 0;
        int64_t takers = 0;
        for (uint32_t i = 0; i < n; i++)
            if (p[i].lost < below && lacking(&p[i]) > 0)
                lost = fmax(lost, p[i].lost);
        if (lost <= 0)
            break;
        for (uint32_t i = 0; i < n; i++)
            takers += p[i].lost == lost ? (int64_t)lacking(&p[i]) : 0;
        bool all = takers * whole <= rest;
        int64_t given = all ? takers : (rest + whole - 1) / whole;
        uint32_t last = all ? g->n - 1 : kth_place(k, p, n, lost, (uint64_t)given);
        if (!all) {
            d->last = g->member[last];
            d->last_given = rest - (given - 1) * whole;
        }
        for (uint32_t i = 0; i < n; i++)
            p[i].cut = p[i].lost == lost ? last + 1 : p[i].cut;
        rest = all ? rest - takers * whole : 0;
        below = lost;
    }
    return rest;
}

/* ---- What has changed ---- */

static void list(struct quota_kept *k, queue_id i)
{
    if (!bitset_has(k->listed, i))
        k->changed[k->n_changed++] = i;
    bitset_add(&k->shape, k->listed, i);
}

static void put(struct quota_kept *k, const struct division *d, queue_id i, enum quota_resource r)
{
    const struct member *m = &k->member[i][r];
    const struct peers *p = m->wants ? &d->peers[m->peers] : NULL;
    int64_t fair = m->base;
    if (p && m->wants <= p->most)
        fair += m->wants;
    else if (p)
        fair += p->given +
                (i == d->last ? d->last_given : k->place[i] < p->cut ? quota_unit[r] : 0);
    if (k->q[i].of[r].fair == fair)
        return;
    k->q[i].of[r].fair = fair;
    list(k, i);
}

/* Those of by_wants[from..to) that were satisfied at the last division, and are not, or the other
 * way round. */
static void turned(const struct peers *p, size_t *from, size_t *to)
{
    *from = *to = p->satisfied;
    if (p->most == p->had_most)    /* all that want so much are satisfied, and no others */
        return;
    size_t had = wants_rank(&p->by_wants, p->had_most + 1, 0);
    *(had < p->satisfied ? from : to) = had;
}

static void note_lacking(const struct quota_kept *k, const struct division *d, queue_id i,
                         enum quota_resource r)
{
    const struct member *m = &k->member[i][r];
    const struct peers *p = m->peers == NO_PEERS ? NULL : &d->peers[m->peers];
    if (p)
        bitset_put(&k->places, p->lacks, k->place[i], m->wants > p->most);
}

/* Which peers are not satisfied, as of now. */
static void update_lacking(const struct quota_kept *k, struct siblings *g, enum quota_resource r)
{
    struct division *d = &g->of[r];
    for (uint32_t p = 0; p < d->n_peers && d->known; p++) {
        size_t from, to;
        turned(&d->peers[p], &from, &to);
        struct wants_walk walk = wants_from(&d->peers[p].by_wants, from);
        for (; from < to; from++)
            note_lacking(k, d, wants_next(&walk)->queue, r);
    }
    for (size_t t = 0; t < d->n_touched && d->known; t++)
        note_lacking(k, d, d->touched[t], r);
    for (uint32_t c = 0; c < g->n && !d->known; c++)
        note_lacking(k, d, g->member[c], r);
}

static void put_peers(struct quota_kept *k, const struct siblings *g, enum quota_resource r,
                      struct peers *p)
{
    size_t from, to;
    turned(p, &from, &to);
    if (p->given != p->had_given)
        to = p->by_wants.n;
    struct wants_walk walk = wants_from(&p->by_wants, from);
    for (; from < to; from++)
        put(k, &g->of[r], wants_next(&walk)->queue, r);
    uint32_t end = max_u32(p->cut, p->had_cut);
    for (uint32_t c = min_u32(p->cut, p->had_cut);
         (c = bitset_next(&k->places, p->lacks, c)) < end; c++)
        put(k, &g->of[r], g->member[c], r);
}

static void put_changes(struct quota_kept *k, struct siblings *g, enum quota_resource r,
                        queue_id had_last)
{
    struct division *d = &g->of[r];
    for (uint32_t c = 0; c < g->n && !d->known; c++) {
        put(k, d, g->member[c], r);
        list(k, g->member[c]);
    }
    for (uint32_t p = 0; p < d->n_peers && d->known; p++)
        put_peers(k, g, r, &d->peers[p]);
    for (size_t t = 0; t < d->n_touched && d->known; t++)
        put(k, d, d->touched[t], r);
    if (had_last != ID_NONE)
        put(k, d, had_last, r);
    if (d->last != ID_NONE)
        put(k, d, d->last, r);
    for (uint32_t p = 0; p < d->n_peers; p++) {
        d->peers[p].had_most = d->peers[p].most;
        d->peers[p].had_given = d->peers[p].given;
        d->peers[p].had_cut = d->peers[p].cut;
    }
}

/* ---- Siblings ---- */

/* false: not exactly; then nothing is written but what peers want. */
static bool divide_by_peers(struct quota_kept *k, struct siblings *g, enum quota_resource r)
{
    struct division *d = &g->of[r];
    queue_id had_last = d->last;
    int64_t rest = d->total - d->base;
    d->last = ID_NONE;
    if (!take_levels(d, &rest, quota_unit[r]))
        return false;
    update_lacking(k, g, r);
    for (uint32_t from = 0, end; from < d->n_peers && rest > 0; from = end) {
        end = class_end(d, from);
        rest = take_fractions(k, g, d, &d->peers[from], end - from, rest, quota_unit[r]);
    }
    put_changes(k, g, r, had_last);
    return true;
}

static void divide_siblings(struct quota_kept *k, struct siblings *g, enum quota_resource r,
                            int64_t total, struct quota_taker *scratch)
{
    struct division *d = &g->of[r];
    if (d->keeps)
        take_touched(k, g, r, total);
    bool known = d->keeps && divide_by_peers(k, g, r);
    if (!known) {
        quota_divide(k->q, g->first, r, total, 0, scratch);
        for (uint32_t c = 0; c < g->n; c++)
            list(k, g->member[c]);
    }
    d->known = known;
    d->total = total;
    d->settled = true;
    for (size_t t = 0; t < d->n_touched; t++)
        k->member[d->touched[t]][r].touched = false;
    d->n_touched = 0;
}

/* The children of what has changed have another total. */
static void unsettle_below(struct quota_kept *k, queue_id i)
{
    const struct siblings *below = &k->siblings[i + 1];
    for (enum quota_resource r = 0; r < Q_RESOURCES && below->n; r++)
        if (below->of[r].total != k->q[i].of[r].fair)
            quota_kept_unsettle(k, i, r);
}

/* By id; what is listed is listed no longer. */
static void sort_changed(struct quota_kept *k)
{
    size_t n = 0;
    for (queue_id i = 0; n < k->n_changed; i++) {
        i = bitset_next(&k->shape, k->listed, i);
        bitset_remove(&k->shape, k->listed, i);
        k->changed[n++] = i;
    }
}

size_t quota_kept_divide(struct quota_kept *k, const struct quota_amount *capacity,
                         struct quota_taker *scratch, const queue_id **changed)
{
    k->n_changed = 0;
    for (uint32_t at = 0; (at = bitset_next(&k->shape, k->unsettled, at)) != BITSET_END; at++) {
        struct siblings *g = &k->siblings[at];
        const struct quota_queue *parent = at ? &k->q[at - 1] : NULL;
        size_t before = k->n_changed;
        for (enum quota_resource r = 0; r < Q_RESOURCES && g->n; r++)
            if (!g->of[r].settled)
                divide_siblings(k, g, r, parent ? parent->of[r].fair : capacity->of[r], scratch);
        bitset_remove(&k->shape, k->unsettled, at);
        for (size_t c = before; c < k->n_changed; c++)
            unsettle_below(k, k->changed[c]);
    }
    sort_changed(k);
    *changed = k->changed;
    return k->n_changed;
}
