/* fair.c - shares, and the victims by shares. See fair.h. */
#include "policies/kueue/fair.h"

typedef unsigned __int128 wide;

/* ---- Shares ---- */

/* By continued fractions: no product, so nothing overflows. */
int cohort_compare_ratios(wide a, wide b, wide c, wide d)
{
    for (int sign = 1;; sign = -sign) {
        wide x = a / b, y = c / d;
        if (x != y)
            return x < y ? -sign : sign;
        a %= b;
        c %= d;
        if (!a || !c)
            return sign * ((a != 0) - (c != 0));
        wide t = a;
        a = b;
        b = t;
        t = c;
        c = d;
        d = t;
    }
}

static int64_t borrowed_of(const struct cohort_books *b, uint32_t node, uint32_t resource)
{
    int64_t sum = 0;
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (b->resource[cell] == resource && cohort_borrows(b, node, cell, 0))
            sum += b->usage[cohort_at(b, node, cell)] - b->subtree[cohort_at(b, node, cell)];
    return sum;
}

struct cohort_share cohort_share_of(const struct cohort_books *b, uint32_t node, uint64_t weight)
{
    struct cohort_share share = { 0, 1, weight, ID_NONE, false };
    if (b->parent[node] == ID_NONE)
        return share;
    for (uint32_t r = 0; r < b->resources; r++) {
        int64_t borrowed = borrowed_of(b, node, r),
                lendable = b->lendable[(size_t)b->parent[node] * b->resources + r];
        share.borrows |= borrowed > 0;
        if (borrowed > 0 && lendable > 0 &&
            cohort_compare_ratios((wide)borrowed, (wide)lendable, (wide)share.borrowed,
                                  (wide)share.lendable) > 0) {
            share.borrowed = borrowed;
            share.lendable = lendable;
            share.resource = r;
        }
    }
    return share;
}

bool cohort_share_is_zero(struct cohort_share a)
{
    return a.borrowed == 0;
}

int cohort_share_compare(struct cohort_share a, struct cohort_share b)
{
    bool a_infinite = a.weight == 0 && a.borrows, b_infinite = b.weight == 0 && b.borrows;
    if (a_infinite != b_infinite)
        return a_infinite ? 1 : -1;
    wide a_weight = a_infinite || !a.weight ? 1 : a.weight,
         b_weight = b_infinite || !b.weight ? 1 : b.weight;
    return cohort_compare_ratios((wide)a.borrowed, (wide)a.lendable * a_weight, (wide)b.borrowed,
                                 (wide)b.lendable * b_weight);
}

/* ---- Candidates: those of a queue side by side, in the order in which they are taken ---- */

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

/* A bound: evicting all n candidates can free enough of what is contested, each freeing at most
 * what it needs. */
static bool enough(const struct cohort_search *s, const struct cohort_workload *preemptor,
                   const bool *contested, uint32_t n)
{
    for (uint32_t cell = 0; cell < s->books->cells; cell++) {
        int64_t lacks = preemptor->need[cell] - cohort_available(s->books, preemptor->queue, cell);
        if (!contested[cell])
            continue;
        for (uint32_t i = 0; i < n && lacks > 0; i++)
            lacks -= s->candidate[i].workload->need[cell];
        if (lacks > 0)
            return false;
    }
    return true;
}

static uint32_t collect(struct cohort_search *s, const struct cohort_workload *preemptor,
                        const bool *contested)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < s->books->n; v++) {
        const struct cohort_members *m = &s->members[v];
        s->range[v] = (struct cohort_range){ .pruned = false };
        if (!m->n || !is_source(s, preemptor, v, contested))
            continue;
        for (uint32_t i = 0; i < m->n; i++)
            if (cohort_may_evict(s, preemptor, m->of[i], contested))
                s->candidate[n++] = (struct cohort_victim){ .workload = m->of[i] };
    }
    if (!n || !enough(s, preemptor, contested, n))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        struct cohort_range *r = &s->range[s->candidate[i].workload->queue];
        if (r->end == 0)
            r->next = i;
        r->end = i + 1;
    }
    for (uint32_t v = s->books->parent[preemptor->queue]; v != ID_NONE; v = s->books->parent[v])
        s->range[v].above = true;
    return n;
}

/* ---- Which queue gives next ---- */

struct fair_search {
    struct cohort_search *s;
    const struct cohort_workload *preemptor;
    bool within;                  /* the preemptor stays within nominal quota */
};

static struct cohort_share share_of(const struct fair_search *h, uint32_t node)
{
    return cohort_share_of(h->s->books, node, h->s->weight[node]);
}

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
        return false;
    const struct cohort_workload *x = h->s->candidate[h->s->range[v].next].workload,
                                 *y = h->s->candidate[h->s->range[best].next].workload;
    bool own = v == h->preemptor->queue || best == h->preemptor->queue;
    return own && x->leaving == y->leaving ? best == h->preemptor->queue
                                           : cohort_compare_workloads(x, y) < 0;
}

/* The queue below `top` to take from; ID_NONE: there is none left. */
static uint32_t next_queue(const struct fair_search *h, uint32_t top)
{
    const struct cohort_books *b = h->s->books;
    struct cohort_range *range = h->s->range;
    while (!range[top].pruned) {
        uint32_t at = top;
        while (!is_queue(h, at)) {
            uint32_t best = ID_NONE;
            struct cohort_share best_share = { 0 };
            for (uint32_t v = at + 1; v < b->n; v++) {
                if (b->parent[v] != at || range[v].pruned)
                    continue;
                struct cohort_share share = share_of(h, v);
                if (is_spent(h, v, share)) {
                    range[v].pruned = true;
                } else if (best == ID_NONE || goes_before(h, v, share, best, best_share)) {
                    best = v;
                    best_share = share;
                }
            }
            if (best == ID_NONE)
                break;
            at = best;
        }
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

/* A bound: some candidate may be taken first. Both rules ask that the victim's node has at least the
 * share of the preemptor's, and until one is taken no share changes. */
static bool any_may_be_taken(const struct fair_search *h)
{
    const struct cohort_range *range = h->s->range;
    if (h->within || range[h->preemptor->queue].next < range[h->preemptor->queue].end)
        return true;
    for (uint32_t v = 0; v < h->s->books->n; v++) {
        if (!is_queue(h, v) || range[v].next == range[v].end)
            continue;
        struct rivals r = rivals_of(h, v);
        if (cohort_share_compare(share_of(h, r.preemptor), share_of(h, r.victim)) <= 0)
            return true;
    }
    return false;
}

/* true: the preemptor fits now. */
static bool take(const struct fair_search *h, struct cohort_victim c, enum cohort_reason reason)
{
    struct cohort_search *s = h->s;
    uint32_t q = h->preemptor->queue;
    c.reason = reason;
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
        struct cohort_victim c = h->s->candidate[r->next++];
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

static bool find(const struct fair_search *h, bool final_share, bool initial_share)
{
    struct cohort_search *s = h->s;
    uint32_t top = s->books->root[h->preemptor->queue];
    for (uint32_t v = 0; v < s->books->n; v++)
        s->range[v].first = s->range[v].kept = s->range[v].next;
    if (first_pass(h, top, final_share))
        return true;
    if (!final_share || !initial_share)
        return false;
    for (uint32_t v = 0; v < s->books->n; v++) {
        s->range[v].pruned = false;
        s->range[v].next = s->range[v].first;
        s->range[v].end = s->range[v].kept;
    }
    return second_pass(h, top);
}

bool cohort_search_fair(struct cohort_search *s, const struct cohort_workload *preemptor,
                        const bool *contested, bool final_share, bool initial_share)
{
    struct fair_search h = { s, preemptor, false };
    s->n_victims = 0;
    if (!collect(s, preemptor, contested))
        return false;
    cohort_use(s->books, preemptor->queue, preemptor->need, 1);
    h.within = cohort_within_nominal(s->books, preemptor->queue, contested);
    bool found = any_may_be_taken(&h) && find(&h, final_share, initial_share);
    cohort_use(s->books, preemptor->queue, preemptor->need, -1);
    if (found)
        cohort_put_back(s, preemptor, true);
    cohort_restore(s);
    if (!found)
        s->n_victims = 0;
    return found;
}
