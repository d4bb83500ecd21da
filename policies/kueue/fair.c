/* fair.c - the victims by shares. See fair.h. */
#include "policies/kueue/fair.h"

#include <string.h>

/* ---- Shares that are kept ---- */

static struct cohort_share known_share(struct cohort_search *s, uint32_t node)
{
    struct cohort_known *k = &s->known[node];
    if (k->share_at != s->books->version[node]) {
        k->share = cohort_share_of(s->books, node, s->weight[node]);
        k->share_at = s->books->version[node];
    }
    return k->share;
}

static const struct cohort_share no_share = { 0, 1, 1, ID_NONE, false, 0 };

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
        s->known[v].placed = no_share;
        move_to(s, v, at++);
    }
    s->known[cohort].has_order = true;
}

/* Puts children of the cohort in order of share, the highest first. Those that were not written
 * since the last time are. */
static void put_in_order(struct cohort_search *s, uint32_t cohort)
{
    const struct cohort_known *k = s->known;
    uint32_t first = s->books->first_child[cohort], end = s->books->first_child[cohort + 1];
    if (!k[cohort].has_order)
        begin_order(s, cohort);
    for (uint32_t v; (v = cohort_take_written(s->books, cohort)) != ID_NONE;) {
        struct cohort_share share = s->known[v].placed = known_share(s, v);
        uint32_t at = k[v].place;
        for (; at > first && cohort_share_compare(k[k[at - 1].ordered].placed, share) < 0; at--)
            move_to(s, k[at - 1].ordered, at);
        for (; at + 1 < end && cohort_share_compare(k[k[at + 1].ordered].placed, share) > 0; at++)
            move_to(s, k[at + 1].ordered, at);
        move_to(s, v, at);
    }
}

/* ---- Whether there can be victims at all ---- */

struct fair_search {
    struct cohort_search *s;
    const struct cohort_workload *preemptor;
    const bool *contested;
    bool within;                  /* the preemptor stays within nominal quota */
    bool second;                  /* the pass over those that were kept */
};

/* With the preemptor its queue uses no more than its quota of what is contested. */
static bool stays_within(const struct fair_search *h)
{
    const struct cohort_workload *p = h->preemptor;
    for (uint32_t cell = 0; cell < h->s->books->cells; cell++)
        if (h->contested[cell] && cohort_borrows(h->s->books, p->queue, cell, p->need[cell]))
            return false;
    return true;
}

static struct cohort_share share_of(const struct fair_search *h, uint32_t node)
{
    return known_share(h->s, node);
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

/* A bound: of the members of the queue one may be a candidate. */
static bool may_offer(const struct fair_search *h, uint32_t v)
{
    const struct cohort_members *m = &h->s->members[v];
    return m->n && cohort_may_evict_later(h->s, h->preemptor, m->of[0]) &&
           is_source(h->s, h->preemptor, v, h->contested);
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
    for (uint32_t c = b->child[v]; c != ID_NONE && !is_enough(x); c = b->sibling[c])
        find_below(h, c, x);
    if (b->height[v] || !may_offer(h, v))
        return;
    for (uint32_t i = 0; i < m->n && !is_enough(x); i++) {
        struct cohort_workload *w = m->of[i];
        if (!cohort_may_evict_later(h->s, h->preemptor, w))
            return;
        if (!cohort_may_evict(h->s, h->preemptor, w, h->contested))
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
        if (!asks_beside(h, v, known_share(h->s, y)))
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
    if (h->s->rules[p->queue].within_queue == WITHIN_NEVER)
        return 0;
    for (uint32_t i = 0; i < m->n && cohort_may_evict_later(h->s, p, m->of[i]); i++) {
        if (!cohort_may_evict(h->s, p, m->of[i], h->contested))
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
    return at < end && asks_beside(h, v, known_share(h->s, h->s->known[at].ordered));
}

static bool may_ask_any(const struct fair_search *h)
{
    const uint32_t *parent = h->s->books->parent;
    for (uint32_t v = h->preemptor->queue; parent[v] != ID_NONE; v = parent[v])
        if (may_ask_beside(h, v))
            return true;
    return false;
}

/* A bound: what all candidates hold that could be taken at all would do. Those of its own queue;
 * then, by both rules, those below nodes beside one on its way up with at least the share of that,
 * which is least when it has evicted all of its own; other shares do not change before a victim is
 * taken there. A preemptor within nominal quota takes from those that share in anything. */
static bool may_succeed(struct fair_search *h)
{
    struct cohort_books *b = h->s->books;
    uint32_t queue = h->preemptor->queue, own = sum_own(h);
    h->within = stays_within(h);
    cohort_as_if(b, h->preemptor->need, h->s->own);
    if (own && cohort_as_if_fits(b, queue, h->preemptor->need))
        return true;
    if (h->s->rules[queue].reclaim == RECLAIM_NEVER)
        return false;
    for (uint32_t v = queue; b->parent[v] != ID_NONE; v = b->parent[v]) {
        put_in_order(h->s, b->parent[v]);
        h->s->known[v].with = cohort_share_as_if(b, v, h->s->weight[v]);
        cohort_as_if_up(b, v);
    }
    return may_ask_any(h) && others_may_do(h);
}

/* ---- Candidates: those of a queue as its members are, looked for as they are asked for ---- */

static struct cohort_workload *candidate_of(const struct fair_search *h, uint32_t v)
{
    uint32_t next = h->s->range[v].next;
    return h->second ? h->s->candidate[next].workload : h->s->members[v].of[next];
}

/* From `next` on to the first candidate. */
static void advance(const struct fair_search *h, uint32_t v)
{
    struct cohort_range *r = &h->s->range[v];
    for (; r->next < r->end; r->next++) {
        const struct cohort_workload *w = h->s->members[v].of[r->next];
        if (cohort_may_evict(h->s, h->preemptor, w, h->contested))
            return;
        if (!cohort_may_evict_later(h->s, h->preemptor, w)) {
            r->end = r->next;
            return;
        }
    }
}

/* Shares on the way up from the queue change. */
static void note_changed(const struct fair_search *h, uint32_t queue)
{
    struct cohort_range *range = h->s->range;
    const uint32_t *parent = h->s->books->parent;
    for (uint32_t v = queue; parent[v] != ID_NONE && !range[v].changed; v = parent[v]) {
        range[v].changed = true;
        range[v].beside = range[parent[v]].moved;
        range[parent[v]].moved = v;
    }
}

/* While the books are as they were: children are put in order. */
static void begin_ranges(const struct fair_search *h)
{
    struct cohort_search *s = h->s;
    uint32_t room = 0;
    for (uint32_t v = 0; v < s->books->n; v++) {
        s->range[v] =
            (struct cohort_range){ .first = room, .kept = room, .moved = ID_NONE, .fresh = true };
        room += s->members[v].n;
        if (s->books->height[v] && s->books->root[v] == s->books->root[h->preemptor->queue])
            put_in_order(s, v);
    }
    for (uint32_t v = s->books->parent[h->preemptor->queue]; v != ID_NONE; v = s->books->parent[v])
        s->range[v].above = true;
    note_changed(h, h->preemptor->queue);
}

/* What it offers in the second pass: the first that it has kept; if it was not asked for all, for
 * they would have failed, the next. */
static void offer_again(const struct fair_search *h, uint32_t v)
{
    struct cohort_range *r = &h->s->range[v];
    if (r->kept == r->first && r->next < r->end)
        h->s->candidate[r->kept++] =
            (struct cohort_victim){ .workload = h->s->members[v].of[r->next] };
    r->next = r->first;
    r->end = r->kept;
}

/* Usage of a queue stands until it is asked for the first time. */
static void ask(const struct fair_search *h, uint32_t v)
{
    struct cohort_range *r = &h->s->range[v];
    if (!r->fresh)
        return;
    r->fresh = false;
    if (may_offer(h, v)) {
        r->end = h->s->members[v].n;
        advance(h, v);
    }
    if (h->second)
        offer_again(h, v);
}

/* ---- Which queue gives next ---- */

static bool is_queue(const struct fair_search *h, uint32_t v)
{
    return h->s->books->height[v] == 0;
}

/* No candidate of v can be taken any more. */
static bool is_spent(const struct fair_search *h, uint32_t v, struct cohort_share share)
{
    const struct cohort_range *r = &h->s->range[v];
    if (is_queue(h, v))
        return r->next == r->end || (cohort_share_is_zero(share) && v != h->preemptor->queue);
    return cohort_share_is_zero(share) && !r->above;
}

/* Equal shares: of queues the one with the first next candidate, a cohort before a queue, of
 * cohorts the lowest id. */
static bool goes_before(const struct fair_search *h, uint32_t v, struct cohort_share share,
                        uint32_t best, struct cohort_share best_share)
{
    int c = cohort_share_compare(share, best_share);
    if (c != 0)
        return c > 0;
    if (is_queue(h, v) != is_queue(h, best))
        return is_queue(h, best);
    if (!is_queue(h, v))
        return v < best;
    const struct cohort_workload *x = candidate_of(h, v), *y = candidate_of(h, best);
    bool own = v == h->preemptor->queue || best == h->preemptor->queue;
    return own && x->leaving == y->leaving ? best == h->preemptor->queue
                                           : cohort_compare_workloads(x, y) < 0;
}

struct best { uint32_t child; struct cohort_share share; };

/* false: v gives nothing any more. */
static bool consider(const struct fair_search *h, uint32_t v, struct best *best)
{
    struct cohort_share share = share_of(h, v);
    if (h->s->range[v].pruned)
        return false;
    ask(h, v);
    if (is_spent(h, v, share)) {
        h->s->range[v].pruned = true;
        return false;
    }
    if (best->child == ID_NONE || goes_before(h, v, share, best->child, best->share))
        *best = (struct best){ v, share };
    return true;
}

/* The least share below `at` from which a rule lets a candidate be taken in this pass: a child with
 * less has less than that on the preemptor's way up, which has no more candidates, or it would be
 * the best, and so keeps its share. */
static struct cohort_share least_share(const struct fair_search *h, uint32_t at)
{
    uint32_t own = h->preemptor->queue;
    if (h->within || !h->s->range[at].above)
        return no_share;
    while (h->s->books->parent[own] != at)
        own = h->s->books->parent[own];
    return share_of(h, own);
}

/* The child with the highest share that has candidates; ID_NONE: none has that may be taken. Those
 * with changed shares, then the others in order. */
static uint32_t best_child(const struct fair_search *h, uint32_t at)
{
    const struct cohort_books *b = h->s->books;
    struct cohort_range *range = h->s->range;
    const struct cohort_known *order = &h->s->known[b->first_child[at]];
    uint32_t n = b->first_child[at + 1] - b->first_child[at];
    struct cohort_share least = least_share(h, at);
    struct best best = { ID_NONE, least };
    for (uint32_t v = range[at].moved; v != ID_NONE; v = range[v].beside)
        if (!range[v].pruned)
            consider(h, v, &best);
    for (uint32_t i = range[at].cursor; i < n; i++) {
        uint32_t v = order[i].ordered;
        bool other = !range[v].pruned && !range[v].changed;
        if (other && cohort_share_compare(share_of(h, v), best.share) < 0)
            break;
        if ((!other || !consider(h, v, &best)) && i == range[at].cursor)
            range[at].cursor++;
    }
    return best.child == ID_NONE || cohort_share_compare(best.share, least) < 0 ? ID_NONE
                                                                                : best.child;
}

/* The queue below `top` to take from; ID_NONE: there is none left. */
static uint32_t next_queue(const struct fair_search *h, uint32_t top)
{
    struct cohort_range *range = h->s->range;
    while (!range[top].pruned) {
        uint32_t at = top;
        while (!is_queue(h, at)) {
            uint32_t best = best_child(h, at);
            if (best == ID_NONE)
                break;
            at = best;
        }
        if (is_queue(h, at))
            ask(h, at);                       /* it is asked already, unless it has no cohort */
        if (is_queue(h, at) && range[at].next < range[at].end)
            return at;
        range[at].pruned = true;
    }
    return ID_NONE;
}

/* ---- The rules ---- */

/* The two just below the common cohort. */
struct rivals { uint32_t common, preemptor, victim; };

static struct rivals rivals_of(const struct fair_search *h, uint32_t queue)
{
    const struct cohort_books *b = h->s->books;
    struct rivals r = { .victim = queue, .preemptor = h->preemptor->queue };
    while (!h->s->range[b->parent[r.victim]].above)
        r.victim = b->parent[r.victim];
    r.common = b->parent[r.victim];
    while (b->parent[r.preemptor] != r.common)
        r.preemptor = b->parent[r.preemptor];
    return r;
}

static bool rule_holds(const struct fair_search *h, const struct cohort_workload *w,
                       bool final_share)
{
    struct cohort_books *b = h->s->books;
    struct rivals r = rivals_of(h, w->queue);
    struct cohort_share preemptor = share_of(h, r.preemptor);
    if (!final_share)
        return cohort_share_compare(preemptor, share_of(h, r.victim)) < 0;
    cohort_use(b, w->queue, w->need, -1);
    struct cohort_share left = share_of(h, r.victim);
    cohort_use(b, w->queue, w->need, 1);
    return cohort_share_compare(preemptor, left) <= 0;
}

/* true: the preemptor fits now. */
static bool take(const struct fair_search *h, struct cohort_victim c, enum cohort_reason reason)
{
    struct cohort_search *s = h->s;
    uint32_t q = h->preemptor->queue;
    c.reason = reason;
    note_changed(h, c.workload->queue);
    cohort_evict(s, &c);
    cohort_use(s->books, q, h->preemptor->need, -1);
    bool fits = cohort_admissible(s, h->preemptor, true);
    cohort_use(s->books, q, h->preemptor->need, 1);
    return fits;
}

/* Takes from queue q the next one that may be taken; those that may not are kept for the second
 * pass. */
static bool take_from(const struct fair_search *h, uint32_t q, bool final_share)
{
    struct cohort_range *r = &h->s->range[q];
    while (r->next < r->end) {
        struct cohort_victim c = { .workload = candidate_of(h, q) };
        r->next++;
        advance(h, q);
        if (q == h->preemptor->queue)
            return take(h, c, EVICT_IN_QUEUE);
        if (h->within)
            return take(h, c, EVICT_RECLAIM);
        if (rule_holds(h, c.workload, final_share))
            return take(h, c, EVICT_FAIR_SHARE);
        h->s->candidate[r->kept++] = c;
    }
    return false;
}

static bool first_pass(const struct fair_search *h, uint32_t top, bool final_share)
{
    for (uint32_t q; (q = next_queue(h, top)) != ID_NONE;)
        if (take_from(h, q, final_share))
            return true;
    return false;
}

static bool second_pass(const struct fair_search *h, uint32_t top)
{
    for (uint32_t q; (q = next_queue(h, top)) != ID_NONE; h->s->range[q].pruned = true) {
        struct cohort_victim c = h->s->candidate[h->s->range[q].next++];
        if (rule_holds(h, c.workload, false) && take(h, c, EVICT_FAIR_SHARE))
            return true;
    }
    return false;
}

static bool find(struct fair_search *h, bool final_share, bool initial_share)
{
    struct cohort_search *s = h->s;
    uint32_t top = s->books->root[h->preemptor->queue];
    if (first_pass(h, top, final_share))
        return true;
    if (!final_share || !initial_share)
        return false;
    for (uint32_t v = 0; v < s->books->n; v++) {
        s->range[v].pruned = false;
        s->range[v].cursor = 0;
        if (!s->range[v].fresh)
            offer_again(h, v);
    }
    h->second = true;
    return second_pass(h, top);
}

bool cohort_search_fair(struct cohort_search *s, const struct cohort_workload *preemptor,
                        const bool *contested, bool final_share, bool initial_share)
{
    struct fair_search h = { .s = s, .preemptor = preemptor, .contested = contested };
    s->n_victims = 0;
    if (!may_succeed(&h))
        return false;
    begin_ranges(&h);
    for (uint32_t v = 0; v < s->books->n; v++)
        s->known[v].saved = s->books->version[v];
    cohort_use(s->books, preemptor->queue, preemptor->need, 1);
    bool found = find(&h, final_share, initial_share);
    cohort_use(s->books, preemptor->queue, preemptor->need, -1);
    if (found)
        cohort_put_back(s, preemptor, true);
    cohort_restore(s);
    for (uint32_t v = 0; v < s->books->n; v++)
        s->books->version[v] = s->known[v].saved;
    if (!found)
        s->n_victims = 0;
    return found;
}
