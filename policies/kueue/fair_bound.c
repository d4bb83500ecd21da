/* fair_bound.c - the order of shares, and whether a search by shares can find victims at all. See
 * fair.h and fair_parts.h. */
#include "policies/kueue/fair_parts.h"

#include <string.h>

/* ---- The order of shares ---- */

static void move_to(struct cohort_search *s, uint32_t v, uint32_t at)
{
    s->known[at].ordered = v;
    s->known[v].place = at;
}

/* All are written at first. */
static void begin_order(struct cohort_search *s, uint32_t cohort)
{
    const struct cohort_books *b = s->books;
    uint32_t at = b->first_child[cohort];
    for (uint32_t v = b->child[cohort]; v != ID_NONE; v = b->sibling[v]) {
        s->known[v].placed = cohort_no_share;
        move_to(s, v, at++);
    }
    s->known[cohort].has_order = true;
}

/* Those that were not written since the last time are in order. */
void fair_order(struct cohort_search *s, uint32_t cohort)
{
    const struct cohort_known *k = s->known;
    uint32_t first = s->books->first_child[cohort], end = s->books->first_child[cohort + 1];
    if (!k[cohort].has_order)
        begin_order(s, cohort);
    for (uint32_t v; (v = cohort_take_written(s->books, cohort)) != ID_NONE;) {
        struct cohort_share share = s->known[v].placed = fair_share(s, v);
        uint32_t at = k[v].place;
        for (; at > first && cohort_share_compare(k[k[at - 1].ordered].placed, share) < 0; at--)
            move_to(s, k[at - 1].ordered, at);
        for (; at + 1 < end && cohort_share_compare(k[k[at + 1].ordered].placed, share) > 0; at++)
            move_to(s, k[at + 1].ordered, at);
        move_to(s, v, at);
    }
}

/* ---- Whether there can be victims at all ---- */

/* With the preemptor its queue uses no more than its quota of what is contested. */
static bool stays_within(const struct fair_search *h)
{
    const struct cohort_workload *p = h->preemptor;
    for (uint32_t cell = 0; cell < h->s->books->cells; cell++)
        if (h->contested[cell] && cohort_borrows(h->s->books, p->queue, cell, p->need[cell]))
            return false;
    return true;
}

/* A bound: of the others' workloads below v one has a priority that may be stopped. */
static bool has_stoppable(const struct fair_search *h, uint32_t v)
{
    const struct cohort_members *m = &h->s->members[v];
    return m->below && (h->s->rules[h->preemptor->queue].reclaim == RECLAIM_ANY ||
                        m->lowest < h->preemptor->priority);
}

/* A bound: of those of its queue one has a priority that may be stopped. */
static bool own_stoppable(const struct fair_search *h)
{
    const struct cohort_workload *p = h->preemptor;
    const struct cohort_members *m = &h->s->members[p->queue];
    int rule = h->s->rules[p->queue].within_queue;
    return m->n && rule != WITHIN_NEVER &&
           (m->lowest < p->priority ||
            (m->lowest == p->priority && rule == WITHIN_LOWER_OR_NEWER_EQUAL));
}

static bool is_source(const struct cohort_search *s, const struct cohort_workload *preemptor,
                      uint32_t queue, const bool *contested)
{
    const struct cohort_rules *rules = &s->rules[preemptor->queue];
    if (queue == preemptor->queue)
        return rules->within_queue != WITHIN_NEVER;
    return rules->reclaim != RECLAIM_NEVER &&
           s->books->root[queue] == s->books->root[preemptor->queue] &&
           !cohort_within_nominal(s->books, queue, contested);
}

bool fair_may_offer(const struct fair_search *h, uint32_t queue)
{
    bool stoppable = queue == h->preemptor->queue ? own_stoppable(h) : has_stoppable(h, queue);
    return stoppable && is_source(h->s, h->preemptor, queue, h->contested);
}

/* Candidates that could be taken, and what they hold of a cell: so much is wanted and found. They
 * are kept in candidate[]; those of nodes beside lower nodes of the preemptor's way up are taken
 * back from the books. */
struct find { uint32_t cell, n, gone; int64_t wanted, found; uint64_t began; };

static bool is_enough(const struct find *x)
{
    return x->n && x->found >= x->wanted;
}

static void find_below(const struct fair_search *h, uint32_t v, struct find *x)
{
    const struct cohort_books *b = h->s->books;
    const struct cohort_members *m = &h->s->members[v];
    if (!has_stoppable(h, v))
        return;
    for (uint32_t c = b->child[v]; c != ID_NONE && !is_enough(x); c = b->sibling[c])
        find_below(h, c, x);
    if (b->height[v] || !fair_may_offer(h, v))
        return;
    for (uint32_t i = 0; i < m->n && !is_enough(x); i++) {
        struct cohort_workload *w = m->of[i];
        if (!cohort_may_evict_later(h->s, h->preemptor, w))
            return;
        if (!fair_may_evict(h, w))
            continue;
        h->s->candidate[x->n++].workload = w;
        x->found += w->need[x->cell];
    }
}

/* Of the nodes beside v those are asked that share in something; unless the preemptor stays within
 * nominal quota, as much as v at least. */
static bool asks_beside(const struct fair_search *h, uint32_t v, struct cohort_share share)
{
    return !cohort_share_is_zero(share) &&
           (h->within || cohort_share_compare(share, h->s->known[v].with) >= 0);
}

static void find_beside(const struct fair_search *h, uint32_t v, struct find *x)
{
    const struct cohort_books *b = h->s->books;
    const struct cohort_known *known = h->s->known, *order = &known[b->first_child[b->parent[v]]];
    uint32_t n = b->first_child[b->parent[v] + 1] - b->first_child[b->parent[v]];
    for (uint32_t i = 0; i < n && !is_enough(x); i++) {
        uint32_t y = order[i].ordered;
        if (y == v)
            continue;
        if (!asks_beside(h, v, fair_share(h->s, y)))
            return;
        find_below(h, y, x);
    }
}

/* Those found so far leave, and the share of v is less. */
static void remove_found(const struct fair_search *h, uint32_t v, struct find *x)
{
    struct cohort_books *b = h->s->books;
    struct cohort_known *known = h->s->known;
    const struct cohort_workload *p = h->preemptor;
    if (x->gone == x->n || h->within)
        return;
    for (; x->gone < x->n; x->gone++) {
        const struct cohort_workload *w = h->s->candidate[x->gone].workload;
        for (uint32_t u = w->queue; u != ID_NONE && b->version[u] <= x->began; u = b->parent[u])
            known[u].saved = b->version[u];
        cohort_use(b, w->queue, w->need, -1);
    }
    cohort_as_if(b, p->need, h->s->own);
    for (uint32_t u = p->queue; u != v; u = b->parent[u])
        cohort_as_if_up(b, u);
    known[v].with = cohort_share_as_if(b, v, h->s->weight[v]);
}

static void restore_found(const struct fair_search *h, struct find *x)
{
    struct cohort_books *b = h->s->books;
    for (uint32_t i = 0; i < x->gone; i++)
        cohort_use(b, h->s->candidate[i].workload->queue, h->s->candidate[i].workload->need, 1);
    for (uint32_t i = 0; i < x->gone; i++)
        for (uint32_t u = h->s->candidate[i].workload->queue; u != ID_NONE; u = b->parent[u])
            b->version[u] = h->s->known[u].saved;
}

/* Victims beside one node on the way up make the shares of those above it less. */
static bool others_may_do(const struct fair_search *h)
{
    const struct cohort_books *b = h->s->books;
    const struct cohort_workload *p = h->preemptor;
    bool may = true;
    for (uint32_t cell = 0; cell < b->cells && may; cell++) {
        struct find x = { .cell = cell, .began = b->clock };
        if (!p->need[cell])
            continue;
        x.wanted = p->need[cell] - h->s->own[cell] - cohort_available(b, p->queue, cell);
        for (uint32_t v = p->queue; b->parent[v] != ID_NONE && !is_enough(&x); v = b->parent[v]) {
            remove_found(h, v, &x);
            find_beside(h, v, &x);
        }
        may = is_enough(&x);
        restore_found(h, &x);
    }
    return may;
}

/* Sums up what all candidates of the preemptor's queue hold. How many there are. */
static uint32_t sum_own(const struct fair_search *h)
{
    const struct cohort_workload *p = h->preemptor;
    const struct cohort_members *m = &h->s->members[p->queue];
    uint32_t n = 0, cells = h->s->books->cells;
    memset(h->s->own, 0, cells * sizeof *h->s->own);
    if (!own_stoppable(h))
        return 0;
    for (uint32_t i = 0; i < m->n && cohort_may_evict_later(h->s, p, m->of[i]); i++) {
        if (!fair_may_evict(h, m->of[i]))
            continue;
        for (uint32_t cell = 0; cell < cells; cell++)
            h->s->own[cell] += m->of[i]->need[cell];
        n++;
    }
    return n;
}

/* Something beside v shares enough to be asked: see find_beside(). */
static bool may_ask_beside(const struct fair_search *h, uint32_t v)
{
    const struct cohort_books *b = h->s->books;
    uint32_t at = b->first_child[b->parent[v]], end = b->first_child[b->parent[v] + 1];
    at += h->s->known[at].ordered == v;
    return at < end && asks_beside(h, v, fair_share(h->s, h->s->known[at].ordered));
}

static bool may_ask_any(const struct fair_search *h)
{
    const uint32_t *parent = h->s->books->parent;
    for (uint32_t v = h->preemptor->queue; parent[v] != ID_NONE; v = parent[v])
        if (may_ask_beside(h, v))
            return true;
    return false;
}

struct cohort_share cohort_fair_with(struct cohort_search *s, uint32_t queue, uint32_t cell,
                                     int64_t amount)
{
    s->books->n_as_if = 1;
    s->books->as_if[0] = (struct cohort_more){ amount, cell };
    return cohort_share_as_if(s->books, queue, s->weight[queue]);
}

bool cohort_fair_may_take(struct cohort_search *s, uint32_t queue, struct cohort_share with)
{
    const struct fair_search h = { .s = s };
    fair_order(s, s->books->parent[queue]);
    s->known[queue].with = with;
    return may_ask_beside(&h, queue);
}

/* A bound: what all candidates hold that could be taken at all would do. Those of its own queue;
 * then, by both rules, those below nodes beside one on its way up with at least the share of that,
 * which is least when it has evicted all of its own; other shares do not change before a victim is
 * taken there. A preemptor within nominal quota takes from those that share in anything. */
bool fair_may_succeed(struct fair_search *h)
{
    struct cohort_books *b = h->s->books;
    uint32_t queue = h->preemptor->queue;
    bool others = h->s->rules[queue].reclaim != RECLAIM_NEVER && has_stoppable(h, b->root[queue]);
    if (!others && !own_stoppable(h))
        return false;
    uint32_t own = sum_own(h);
    if (!own && !others)
        return false;
    h->within = stays_within(h);
    cohort_as_if(b, h->preemptor->need, own ? h->s->own : NULL);
    if (own && cohort_as_if_fits(b, queue, h->preemptor->need))
        return true;
    if (!others)
        return false;
    for (uint32_t v = queue; b->parent[v] != ID_NONE; v = b->parent[v]) {
        fair_order(h->s, b->parent[v]);
        h->s->known[v].with = cohort_share_as_if(b, v, h->s->weight[v]);
        cohort_as_if_up(b, v);
    }
    return may_ask_any(h) && others_may_do(h);
}
