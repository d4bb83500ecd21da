/* fair.c - the victims by shares. See fair.h. */
#include "policies/kueue/fair_parts.h"

/* ---- Candidates: those of a queue as its members are, looked for as they are asked for ---- */

static struct cohort_range *range_of(const struct fair_search *h, uint32_t v)
{
    struct cohort_range *r = &h->s->range[v];
    if (r->search != h->s->searches)
        *r = (struct cohort_range){ .search = h->s->searches, .moved = ID_NONE, .fresh = true };
    return r;
}

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
        if (fair_may_evict(h, w))
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
    const struct cohort_books *b = h->s->books;
    for (uint32_t v = queue; b->parent[v] != ID_NONE && !range_of(h, v)->changed;
         v = b->parent[v]) {
        struct cohort_range *r = range_of(h, v), *up = range_of(h, b->parent[v]);
        h->s->known[v].saved = b->version[v];
        r->changed = true;
        r->beside = up->moved;
        up->moved = v;
    }
}

/* The books below v are as they were. */
static void restore_versions(const struct fair_search *h, uint32_t v)
{
    for (uint32_t c = range_of(h, v)->moved; c != ID_NONE; c = range_of(h, c)->beside) {
        h->s->books->version[c] = h->s->known[c].saved;
        restore_versions(h, c);
    }
}

/* Before anything below it has changed. */
static void order_once(const struct fair_search *h, uint32_t cohort)
{
    struct cohort_range *r = range_of(h, cohort);
    if (r->fresh)
        fair_order(h->s, cohort);
    r->fresh = false;
}

static void begin_ranges(struct fair_search *h)
{
    const uint32_t *parent = h->s->books->parent;
    h->s->searches++;
    h->room = 0;
    for (uint32_t v = parent[h->preemptor->queue]; v != ID_NONE; v = parent[v]) {
        order_once(h, v);
        range_of(h, v)->above = true;
    }
    note_changed(h, h->preemptor->queue);
}

/* What it offers in the second pass: the first that it has kept; if it was not asked for all, for
 * they would have failed, the next. */
static void offer_again(const struct fair_search *h, uint32_t v)
{
    struct cohort_range *r = range_of(h, v);
    if (r->kept == r->first && r->next < r->end)
        h->s->candidate[r->kept++] =
            (struct cohort_victim){ .workload = h->s->members[v].of[r->next] };
    r->next = r->first;
    r->end = r->kept;
}

/* Usage of a queue stands until it is asked for the first time. */
static void ask(struct fair_search *h, uint32_t v)
{
    struct cohort_range *r = range_of(h, v);
    if (!r->fresh)
        return;
    r->fresh = false;
    r->first = r->kept = h->room;
    h->room += h->s->members[v].n;
    if (fair_may_offer(h, v)) {
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
    const struct cohort_range *r = range_of(h, v);
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
static bool consider(struct fair_search *h, uint32_t v, struct best *best)
{
    struct cohort_share share = fair_share(h->s, v);
    if (range_of(h, v)->pruned)
        return false;
    if (is_queue(h, v))
        ask(h, v);
    if (is_spent(h, v, share)) {
        range_of(h, v)->pruned = true;
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
    if (h->within || !range_of(h, at)->above)
        return cohort_no_share;
    while (h->s->books->parent[own] != at)
        own = h->s->books->parent[own];
    return fair_share(h->s, own);
}

/* The child with the highest share that has candidates; ID_NONE: none has that may be taken. Those
 * with changed shares, then the others in order. */
static uint32_t best_child(struct fair_search *h, uint32_t at)
{
    const struct cohort_books *b = h->s->books;
    struct cohort_range *range = range_of(h, at);
    order_once(h, at);
    const struct cohort_known *order = &h->s->known[b->first_child[at]];
    uint32_t n = b->first_child[at + 1] - b->first_child[at];
    struct cohort_share least = least_share(h, at);
    struct best best = { ID_NONE, least };
    for (uint32_t v = range->moved; v != ID_NONE; v = range_of(h, v)->beside)
        consider(h, v, &best);
    for (uint32_t i = range->cursor; i < n; i++) {
        uint32_t v = order[i].ordered;
        bool other = !range_of(h, v)->pruned && !range_of(h, v)->changed;
        if (other && cohort_share_compare(fair_share(h->s, v), best.share) < 0)
            break;
        if ((!other || !consider(h, v, &best)) && i == range->cursor)
            range->cursor++;
    }
    return best.child == ID_NONE || cohort_share_compare(best.share, least) < 0 ? ID_NONE
                                                                                : best.child;
}

/* The queue below `top` to take from; ID_NONE: there is none left. */
static uint32_t next_queue(struct fair_search *h, uint32_t top)
{
    while (!range_of(h, top)->pruned) {
        uint32_t at = top;
        while (!is_queue(h, at)) {
            uint32_t best = best_child(h, at);
            if (best == ID_NONE)
                break;
            at = best;
        }
        if (is_queue(h, at))
            ask(h, at);                       /* it is asked already, unless it has no cohort */
        if (is_queue(h, at) && range_of(h, at)->next < range_of(h, at)->end)
            return at;
        range_of(h, at)->pruned = true;
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
    while (!range_of(h, b->parent[r.victim])->above)
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
    struct cohort_share preemptor = fair_share(h->s, r.preemptor);
    if (!final_share)
        return cohort_share_compare(preemptor, fair_share(h->s, r.victim)) < 0;
    cohort_as_if(b, NULL, w->need);
    for (uint32_t v = w->queue; v != r.victim; v = b->parent[v])
        cohort_as_if_up(b, v);
    struct cohort_share left = cohort_share_as_if(b, r.victim, h->s->weight[r.victim]);
    return cohort_share_compare(preemptor, left) <= 0;
}

/* Its usage counts already. */
static bool fits_now(const struct fair_search *h)
{
    const struct cohort_search *s = h->s;
    const struct cohort_workload *p = h->preemptor;
    for (uint32_t cell = 0; cell < s->books->cells; cell++)
        if (p->need[cell] && cohort_available(s->books, p->queue, cell) < 0)
            return false;
    return !s->places || s->places->room(s->places->self);
}

/* true: the preemptor fits now. */
static bool take(const struct fair_search *h, struct cohort_victim c, enum cohort_reason reason)
{
    c.reason = reason;
    note_changed(h, c.workload->queue);
    cohort_evict(h->s, &c);
    return fits_now(h);
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

static bool first_pass(struct fair_search *h, uint32_t top, bool final_share)
{
    for (uint32_t q; (q = next_queue(h, top)) != ID_NONE;)
        if (take_from(h, q, final_share))
            return true;
    return false;
}

static bool second_pass(struct fair_search *h, uint32_t top)
{
    for (uint32_t q; (q = next_queue(h, top)) != ID_NONE; range_of(h, q)->pruned = true) {
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
        struct cohort_range *r = &s->range[v];
        if (r->search != s->searches)
            continue;
        r->pruned = false;
        r->cursor = 0;
        if (is_queue(h, v) && !r->fresh)
            offer_again(h, v);
    }
    h->second = true;
    return second_pass(h, top);
}

static uint32_t only_contested(const struct cohort_books *b, const bool *contested)
{
    uint32_t only = ID_NONE, n = 0;
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (contested[cell]) {
            only = cell;
            n++;
        }
    return n == 1 ? only : ID_NONE;
}

bool cohort_search_fair(struct cohort_search *s, const struct cohort_workload *preemptor,
                        const bool *contested, bool final_share, bool initial_share)
{
    struct fair_search h = { .s = s, .preemptor = preemptor, .contested = contested };
    h.only = only_contested(s->books, contested);
    struct cohort_books *b = s->books;
    uint32_t root = b->root[preemptor->queue];
    uint64_t version = b->version[root];
    s->n_victims = 0;
    if (!fair_may_succeed(&h))
        return false;
    begin_ranges(&h);
    cohort_use(b, preemptor->queue, preemptor->need, 1);
    bool found = find(&h, final_share, initial_share);
    cohort_use(b, preemptor->queue, preemptor->need, -1);
    if (found)
        cohort_put_back(s, preemptor, true);
    cohort_restore(s);
    restore_versions(&h, root);
    b->version[root] = version;
    if (!found)
        s->n_victims = 0;
    return found;
}
