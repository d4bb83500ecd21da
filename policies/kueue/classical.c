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
    struct cohort_search *s;
    const struct cohort_workload *preemptor;
    const bool *contested;
    /* queues with candidates; of these, those of the present attempt that have more */
    uint32_t n, heap;
    bool borrowing;               /* the present attempt may */
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

static enum kind kind_of(const struct query *query, const struct cohort_source *from,
                         const struct cohort_workload *w)
{
    return from->queue == query->preemptor->queue
               ? SAME_QUEUE
               : kind_elsewhere(query->s, query, w, from->precedence);
}

static const struct cohort_workload *candidate(const struct query *query,
                                               const struct cohort_source *from)
{
    return query->s->members[from->queue].of[from->next];
}

/* From `next` on to the first candidate of the present attempt. false: there is none. */
static bool advance(const struct query *query, struct cohort_source *from)
{
    for (; from->next < query->s->members[from->queue].n; from->next++) {
        const struct cohort_workload *w = candidate(query, from);
        if (!cohort_may_evict_later(query->s, query->preemptor, w))
            return false;
        if (cohort_may_evict(query->s, query->preemptor, w, query->contested) &&
            !(query->borrowing && kind_of(query, from, w) == WITHOUT_BORROWING))
            return true;
    }
    return false;
}

static void collect_queue(struct query *query, uint32_t queue, uint32_t common, bool precedence)
{
    struct cohort_source from = { .queue = queue, .common = common, .precedence = precedence };
    if (!advance(query, &from))
        return;
    from.first = from.next;
    query->s->source[query->n++] = from;
    query->others |= queue != query->preemptor->queue;
    query->precedence |= precedence;
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
static void collect_subtree(struct query *query, uint32_t cohort, uint32_t done, bool precedence)
{
    const struct cohort_search *s = query->s;
    for (uint32_t v = cohort + 1; v < s->books->n; v++)
        if (s->members[v].n && !cohort_within_nominal(s->books, v, query->contested) &&
            is_under(s->books, v, cohort) && !is_under(s->books, v, done) &&
            all_beyond(s, v, cohort, query->contested))
            collect_queue(query, v, cohort, precedence);
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

/* What the candidates of a queue, of the present attempt, would give. */
static int64_t freed_by(const struct query *query, struct cohort_source from, uint32_t cell)
{
    int64_t sum = 0;
    for (from.next = 0; advance(query, &from); from.next++)
        sum += candidate(query, &from)->need[cell];
    return sum;
}

/* A bound: with the own candidates gone the queue stays within its quota in the cell. */
static bool may_stay_within(const struct query *query, uint32_t cell)
{
    const struct cohort_books *b = query->s->books;
    size_t at = cohort_at(b, query->preemptor->queue, cell);
    int64_t beyond = b->usage[at] + query->preemptor->need[cell] - b->subtree[at];
    return beyond <= 0 ||
           beyond <= cohort_own_candidates(query->s, query->preemptor, query->contested, cell);
}

static bool may_stay_within_all(const struct query *query)
{
    bool may = true;
    for (uint32_t cell = 0; cell < query->s->books->cells && may; cell++)
        may = query->preemptor->need[cell] == 0 || may_stay_within(query, cell);
    return may;
}

static void collect(struct query *query)
{
    const struct cohort_search *s = query->s;
    const struct cohort_workload *p = query->preemptor;
    const struct cohort_rules *rules = &s->rules[p->queue];
    bool precedence = false;
    if (rules->within_queue != WITHIN_NEVER)
        collect_queue(query, p->queue, p->queue, false);
    /* without precedence others are of use only to a preemptor that does not borrow */
    if (rules->reclaim == RECLAIM_NEVER ||
        (rules->borrow == BORROW_NEVER && !fits_below_root(s, p) && !may_stay_within_all(query)))
        return;
    for (uint32_t done = p->queue, v; (v = s->books->parent[done]) != ID_NONE; done = v) {
        precedence = precedence || request_fits(s, p, done);
        collect_subtree(query, v, done, precedence);
    }
}

/* Workloads that leave already first, of all kinds; then by kind, the two that depend on borrowing
 * as one. The members of a queue are in that order. */
static bool goes_before(const struct query *query, const struct cohort_source *x,
                        const struct cohort_source *y)
{
    static const int group[] = {
        [HIERARCHICAL] = 0, [WHILE_BORROWING] = 1, [WITHOUT_BORROWING] = 1, [SAME_QUEUE] = 2
    };
    const struct cohort_workload *a = candidate(query, x), *b = candidate(query, y);
    int group_a = group[kind_of(query, x, a)], group_b = group[kind_of(query, y, b)];
    if (a->leaving != b->leaving)
        return a->leaving;
    return group_a != group_b ? group_a < group_b : cohort_compare_workloads(a, b) < 0;
}

/* Few of many candidates mostly suffice, so they are put in order as they are asked for: a heap of
 * queues by their next one. */
HEAP_DEFINE(sources, struct cohort_source, struct query, goes_before, HEAP_NOT_PLACED);

static void candidates_begin(struct query *query, bool borrowing)
{
    struct cohort_source *source = query->s->source;
    query->borrowing = borrowing;
    query->heap = 0;
    for (uint32_t i = 0; i < query->n; i++) {
        struct cohort_source from = source[i];
        from.next = from.first;
        if (!advance(query, &from))
            continue;
        source[i] = source[query->heap];
        source[query->heap++] = from;
    }
    sources_make(query, source, query->heap);
}

/* false: there are no more. */
static bool next_candidate(struct query *query, struct cohort_victim *v)
{
    if (!query->heap)
        return false;
    struct cohort_source *first = query->s->source;
    struct cohort_workload *w = query->s->members[first->queue].of[first->next];
    enum kind kind = kind_of(query, first, w);
    *v = (struct cohort_victim){ w, reason_of[kind], first->common, (uint8_t)kind };
    first->next++;
    if (advance(query, first)) {
        sources_down(query, first, query->heap, 0);
    } else {
        struct cohort_source spent = *first;
        first[0] = first[--query->heap];
        first[query->heap] = spent;
        if (query->heap)
            sources_down(query, first, query->heap, 0);
    }
    return true;
}

/* ---- The search ---- */

/* A bound: evicting all that this attempt may take can make room in the cell, each freeing at most
 * what it needs, and all of a queue what that uses; and, where the preemptor may not borrow, bring
 * its queue within its quota. Where each victim has its place vacated the sum is over them. */
static bool may_succeed(const struct query *query, uint32_t cell)
{
    const struct cohort_books *b = query->s->books;
    const struct cohort_workload *p = query->preemptor;
    int64_t lacks = p->need[cell] - cohort_available(b, p->queue, cell);
    if (p->need[cell] == 0)
        return true;
    for (uint32_t i = 0; i < query->heap && lacks > 0; i++) {
        struct cohort_source from = query->s->source[i];
        lacks -= query->s->places ? freed_by(query, from, cell)
                                  : b->usage[cohort_at(b, from.queue, cell)];
    }
    return lacks <= 0 && (query->borrowing || may_stay_within(query, cell));
}

static bool attempt(struct query *query, bool borrowing)
{
    struct cohort_search *s = query->s;
    struct cohort_victim c;
    s->n_victims = 0;
    candidates_begin(query, borrowing);
    for (uint32_t cell = 0; cell < s->books->cells; cell++)
        if (!may_succeed(query, cell))
            return false;
    while (next_candidate(query, &c)) {
        if (c.kind != SAME_QUEUE && !all_beyond(s, c.workload->queue, c.common, query->contested))
            continue;
        cohort_evict(s, &c);
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
    struct query query = { .s = s, .preemptor = preemptor, .contested = contested };
    bool alone = s->rules[preemptor->queue].borrow == BORROW_NEVER;
    s->n_victims = 0;
    collect(&query);
    if (query.n == 0)
        return false;
    if (!query.others || (alone && !under_nominal(s, preemptor->queue, contested)))
        return attempt(&query, true);
    bool borrowing_first = !alone || query.precedence;
    return attempt(&query, borrowing_first) || attempt(&query, !borrowing_first);
}
