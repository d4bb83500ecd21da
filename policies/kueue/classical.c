/* classical.c - victims by kinds of candidates: those of the own queue, those over which the
 * preemptor's place in the tree gives it precedence, and others that borrow. See search.h.
 *
 * After kubernetes-sigs/kueue:pkg/scheduler/preemption/{classical_strategy.go,
 * classical/candidate_generator.go, classical/hierarchical_preemption.go}. */
#include "policies/kueue/search.h"
#include "sim/contract/util/heap.h"

enum kind {                       /* in the order in which they are taken */
    /* the request fits in the quota of a subtree that holds the preemptor and not this one */
    HIERARCHICAL,
    WHILE_BORROWING,              /* may be taken even for a preemptor that borrows */
    WITHOUT_BORROWING,
    SAME_QUEUE,
};

static const enum cohort_reason reason_of[] = {
    [HIERARCHICAL] = EVICT_RECLAIM, [WHILE_BORROWING] = EVICT_RECLAIM_WHILE_BORROWING,
    [WITHOUT_BORROWING] = EVICT_RECLAIM, [SAME_QUEUE] = EVICT_IN_QUEUE,
};

/* ---- Candidates ---- */

struct query {
    const struct cohort_workload *preemptor;
    const bool *contested;
    /* candidates; of these, those of the present attempt; of these, those not yet in order */
    uint32_t n, usable, heap;
    bool others, precedence;
};

static enum kind kind_elsewhere(const struct cohort_search *s, const struct query *query,
                                const struct cohort_workload *w, bool precedence)
{
    const struct cohort_rules *rules = &s->rules[query->preemptor->queue];
    if (precedence)
        return HIERARCHICAL;
    bool below =
        w->priority < query->preemptor->priority && w->priority <= rules->borrow_priority_threshold;
    return rules->borrow != BORROW_NEVER && below ? WHILE_BORROWING : WITHOUT_BORROWING;
}

static void collect_queue(struct cohort_search *s, struct query *query, uint32_t queue,
                          uint32_t common, bool precedence)
{
    const struct cohort_members *m = &s->members[queue];
    bool own = queue == query->preemptor->queue;
    for (uint32_t i = 0; i < m->n; i++) {
        struct cohort_workload *w = m->of[i];
        if (!cohort_may_evict(s, query->preemptor, w, query->contested))
            continue;
        enum kind kind = own ? SAME_QUEUE : kind_elsewhere(s, query, w, precedence);
        s->candidate[query->n++] =
            (struct cohort_victim){ w, reason_of[kind], common, (uint8_t)kind };
        query->others |= !own;
        query->precedence |= kind == HIERARCHICAL;
    }
}

/* Every node from `queue` up to below `common` exceeds its quota in a contested cell. */
static bool all_beyond(const struct cohort_search *s, uint32_t queue, uint32_t common,
                       const bool *contested)
{
    for (uint32_t v = queue; v != common; v = s->books->parent[v])
        if (cohort_within_nominal(s->books, v, contested))
            return false;
    return true;
}

static bool is_under(const struct cohort_books *b, uint32_t v, uint32_t above)
{
    while (v != ID_NONE && b->depth[v] > b->depth[above])
        v = b->parent[v];
    return v == above;
}

/* The queues below `cohort` that are not below `done`, where every node on the way down exceeds its
 * quota. */
static void collect_subtree(struct cohort_search *s, struct query *query, uint32_t cohort,
                            uint32_t done, bool precedence)
{
    for (uint32_t v = cohort + 1; v < s->books->n; v++)
        if (s->members[v].n && is_under(s->books, v, cohort) && !is_under(s->books, v, done) &&
            all_beyond(s, v, cohort, query->contested))
            collect_queue(s, query, v, cohort, precedence);
}

/* `rest` fits within v's quota; *rest: what its parent is then asked for, less the part that v has
 * for itself. */
static bool fits_in_quota(const struct cohort_books *b, uint32_t v, uint32_t cell, int64_t *rest)
{
    bool fits = !cohort_borrows(b, v, cell, *rest);
    int64_t local = cohort_local_available(b, v, cell);
    *rest = *rest > local ? *rest - local : 0;
    return fits;
}

static bool request_fits(const struct cohort_search *s, const struct cohort_workload *w,
                         uint32_t upto)
{
    for (uint32_t cell = 0; cell < s->books->cells; cell++) {
        int64_t rest = w->need[cell];
        bool fits = true;
        if (!rest)
            continue;
        for (uint32_t v = w->queue;; v = s->books->parent[v]) {
            fits = fits_in_quota(s->books, v, cell, &rest);
            if (v == upto)
                break;
        }
        if (!fits)
            return false;
    }
    return true;
}

/* The request fits in the quota of some subtree below the root. */
static bool fits_below_root(const struct cohort_search *s, const struct cohort_workload *p)
{
    for (uint32_t v = p->queue; s->books->parent[v] != ID_NONE; v = s->books->parent[v])
        if (request_fits(s, p, v))
            return true;
    return false;
}

/* A bound: the own candidates leave the queue within its quota. */
static bool may_stay_within(const struct cohort_search *s, const struct query *query)
{
    const struct cohort_workload *p = query->preemptor;
    for (uint32_t cell = 0; cell < s->books->cells; cell++) {
        size_t at = cohort_at(s->books, p->queue, cell);
        int64_t beyond = s->books->usage[at] + p->need[cell] - s->books->subtree[at];
        for (uint32_t i = 0; i < query->n && p->need[cell] && beyond > 0; i++)
            beyond -= s->candidate[i].workload->need[cell];
        if (p->need[cell] && beyond > 0)
            return false;
    }
    return true;
}

static void collect(struct cohort_search *s, struct query *query)
{
    const struct cohort_workload *p = query->preemptor;
    const struct cohort_rules *rules = &s->rules[p->queue];
    bool precedence = false;
    if (rules->within_queue != WITHIN_NEVER)
        collect_queue(s, query, p->queue, p->queue, false);
    /* without precedence others are of use only to a preemptor that does not borrow */
    if (rules->reclaim == RECLAIM_NEVER ||
        (rules->borrow == BORROW_NEVER && !fits_below_root(s, p) && !may_stay_within(s, query)))
        return;
    for (uint32_t done = p->queue, v; (v = s->books->parent[done]) != ID_NONE; done = v) {
        precedence = precedence || request_fits(s, p, done);
        collect_subtree(s, query, v, done, precedence);
    }
}

/* Workloads that leave already first, of all kinds; then by kind, the two that depend on borrowing
 * as one. */
static bool goes_before(const void *none, const struct cohort_victim *x,
                        const struct cohort_victim *y)
{
    (void)none;
    static const int group[] = {
        [HIERARCHICAL] = 0, [WHILE_BORROWING] = 1, [WITHOUT_BORROWING] = 1, [SAME_QUEUE] = 2
    };
    if (x->workload->leaving != y->workload->leaving)
        return x->workload->leaving;
    if (group[x->kind] != group[y->kind])
        return group[x->kind] < group[y->kind];
    return cohort_compare_workloads(x->workload, y->workload) < 0;
}

/* Few of many candidates mostly suffice, so they are put in order as they are asked for: a heap of
 * the rest, and behind it those in order, from the end. */
HEAP_DEFINE(candidates, struct cohort_victim, void, goes_before, HEAP_NOT_PLACED);

static void candidates_begin(struct cohort_search *s, struct query *query, bool borrowing)
{
    query->usable = 0;
    for (uint32_t i = 0; i < query->n; i++) {
        struct cohort_victim c = s->candidate[i];
        if (borrowing && c.kind == WITHOUT_BORROWING)
            continue;
        s->candidate[i] = s->candidate[query->usable];
        s->candidate[query->usable++] = c;
    }
    query->heap = query->usable;
    candidates_make(NULL, s->candidate, query->heap);
}

static const struct cohort_victim *in_order(struct cohort_search *s, struct query *query,
                                            uint32_t i)
{
    while (query->usable - query->heap <= i) {
        struct cohort_victim first = candidates_pop(NULL, s->candidate, query->heap--);
        s->candidate[query->heap] = first;
    }
    return &s->candidate[query->usable - 1 - i];
}

/* ---- The search ---- */

/* A bound: evicting all that this attempt may take can make room in the cell, each freeing at most
 * what it needs; and, where the preemptor may not borrow, bring its queue within its quota. */
static bool may_succeed(const struct cohort_search *s, const struct query *query, bool borrowing,
                        uint32_t cell)
{
    const struct cohort_workload *p = query->preemptor;
    size_t at = cohort_at(s->books, p->queue, cell);
    int64_t lacks = p->need[cell] - cohort_available(s->books, p->queue, cell);
    int64_t beyond = borrowing ? 0 : s->books->usage[at] + p->need[cell] - s->books->subtree[at];
    for (uint32_t i = 0; i < query->n && (lacks > 0 || beyond > 0); i++) {
        const struct cohort_victim *c = &s->candidate[i];
        lacks -= borrowing && c->kind == WITHOUT_BORROWING ? 0 : c->workload->need[cell];
        beyond -= c->kind == SAME_QUEUE ? c->workload->need[cell] : 0;
    }
    return p->need[cell] == 0 || (lacks <= 0 && beyond <= 0);
}

static bool attempt(struct cohort_search *s, struct query *query, bool borrowing)
{
    s->n_victims = 0;
    for (uint32_t cell = 0; cell < s->books->cells; cell++)
        if (!may_succeed(s, query, borrowing, cell))
            return false;
    candidates_begin(s, query, borrowing);
    for (uint32_t i = 0; i < query->usable; i++) {
        const struct cohort_victim *c = in_order(s, query, i);
        if (c->kind != SAME_QUEUE &&
            !all_beyond(s, c->workload->queue, c->common, query->contested))
            continue;
        cohort_evict(s, c);
        if (!cohort_admissible(s, query->preemptor, borrowing))
            continue;
        cohort_put_back(s, query->preemptor, borrowing);
        cohort_restore(s);
        return true;
    }
    cohort_restore(s);
    s->n_victims = 0;
    return false;
}

static bool under_nominal(const struct cohort_search *s, uint32_t queue, const bool *contested)
{
    const struct cohort_books *b = s->books;
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (contested[cell] &&
            b->quota[cohort_at(b, queue, cell)].nominal <= b->usage[cohort_at(b, queue, cell)])
            return false;
    return true;
}

bool cohort_search_classical(struct cohort_search *s, const struct cohort_workload *preemptor,
                             const bool *contested)
{
    struct query query = { preemptor, contested, .n = 0 };
    bool alone = s->rules[preemptor->queue].borrow == BORROW_NEVER;
    s->n_victims = 0;
    collect(s, &query);
    if (query.n == 0)
        return false;
    if (!query.others || (alone && !under_nominal(s, preemptor->queue, contested)))
        return attempt(s, &query, true);
    bool borrowing_first = !alone || query.precedence;
    return attempt(s, &query, borrowing_first) || attempt(s, &query, !borrowing_first);
}
