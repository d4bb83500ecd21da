/* search.c - tentative eviction and putting back. See search.h. */
#include "policies/kueue/search.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

static bool policy_allows(const struct cohort_rules *rules, const struct cohort_workload *preemptor,
                          const struct cohort_workload *w)
{
    bool lower = w->priority < preemptor->priority;
    bool newer_equal = w->priority == preemptor->priority && preemptor->queued_ns < w->queued_ns;
    if (w->queue == preemptor->queue)
        return (rules->within_queue != WITHIN_NEVER && lower) ||
               (rules->within_queue == WITHIN_LOWER_OR_NEWER_EQUAL && newer_equal);
    return rules->reclaim == RECLAIM_ANY || (rules->reclaim == RECLAIM_LOWER_PRIORITY && lower);
}

bool cohort_may_evict(const struct cohort_search *s, const struct cohort_workload *preemptor,
                      const struct cohort_workload *w, const bool *contested)
{
    if (w->firm || w->chosen || !policy_allows(&s->rules[preemptor->queue], preemptor, w))
        return false;
    for (uint32_t cell = 0; cell < s->books->cells; cell++)
        if (contested[cell] && w->need[cell] > 0)
            return true;
    return false;
}

bool cohort_may_evict_later(const struct cohort_search *s, const struct cohort_workload *preemptor,
                            const struct cohort_workload *w)
{
    const struct cohort_rules *rules = &s->rules[preemptor->queue];
    bool own = w->queue == preemptor->queue;
    if (w->leaving || (!own && rules->reclaim == RECLAIM_ANY))
        return true;
    return w->priority < preemptor->priority ||
           (own && w->priority == preemptor->priority &&
            rules->within_queue == WITHIN_LOWER_OR_NEWER_EQUAL);
}

int64_t cohort_own_candidates(const struct cohort_search *s,
                              const struct cohort_workload *preemptor, const bool *contested,
                              uint32_t cell)
{
    const struct cohort_members *m = &s->members[preemptor->queue];
    int64_t sum = 0;
    for (uint32_t i = 0; i < m->n && cohort_may_evict_later(s, preemptor, m->of[i]); i++)
        if (m->of[i]->need[cell] && cohort_may_evict(s, preemptor, m->of[i], contested))
            sum += m->of[i]->need[cell];
    return sum;
}

int cohort_compare_workloads(const struct cohort_workload *a, const struct cohort_workload *b)
{
    if (a->leaving != b->leaving)
        return a->leaving ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->admitted_ns != b->admitted_ns)
        return a->admitted_ns > b->admitted_ns ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static bool member_before(const void *entry, const void *key)
{
    return cohort_compare_workloads(*(struct cohort_workload *const *)entry, key) < 0;
}

static size_t place_among(const struct cohort_members *m, const struct cohort_workload *w)
{
    return lower_bound(m->of, m->n, sizeof(struct cohort_workload *), w, member_before);
}

/* Of members that leave, which come first, and the others. */
static int32_t lowest_of(const struct cohort_members *m)
{
    int32_t lowest = m->of[0]->priority;
    uint32_t i = 0;
    while (i < m->n && m->of[i]->leaving)
        i++;
    return i < m->n ? min_i32(lowest, m->of[i]->priority) : lowest;
}

static int32_t lowest_below(const struct cohort_members *m, const struct cohort_books *b,
                            uint32_t node)
{
    int32_t was = m[node].lowest, lowest = INT32_MAX;
    if (b->height[node] == 0)
        return lowest_of(&m[node]);
    for (uint32_t v = b->child[node]; v != ID_NONE && lowest > was; v = b->sibling[v])
        if (m[v].below)
            lowest = min_i32(lowest, m[v].lowest);
    return lowest;
}

void cohort_members_add(struct cohort_members *m, const struct cohort_books *b,
                        struct cohort_workload *w)
{
    struct cohort_members *own = &m[w->queue];
    size_t at = place_among(own, w);
    array_open(own->of, own->n++, at, sizeof(struct cohort_workload *));
    own->of[at] = w;
    for (uint32_t v = w->queue; v != ID_NONE; v = b->parent[v])
        m[v].lowest = m[v].below++ ? min_i32(m[v].lowest, w->priority) : w->priority;
}

void cohort_members_remove(struct cohort_members *m, const struct cohort_books *b,
                           const struct cohort_workload *w)
{
    struct cohort_members *own = &m[w->queue];
    array_close(own->of, own->n--, place_among(own, w), sizeof(struct cohort_workload *));
    for (uint32_t v = w->queue; v != ID_NONE; v = b->parent[v])
        if (--m[v].below && m[v].lowest == w->priority)
            m[v].lowest = lowest_below(m, b, v);
}

void cohort_evict(struct cohort_search *s, const struct cohort_victim *v)
{
    cohort_use(s->books, v->workload->queue, v->workload->need, -1);
    if (s->places)
        s->places->vacate(s->places->self, v->workload);
    s->victim[s->n_victims++] = *v;
}

bool cohort_admissible(const struct cohort_search *s, const struct cohort_workload *preemptor,
                       bool borrowing)
{
    const struct cohort_books *b = s->books;
    for (uint32_t cell = 0; cell < b->cells && !borrowing; cell++)
        if (preemptor->need[cell] &&
            cohort_borrows(b, preemptor->queue, cell, preemptor->need[cell]))
            return false;
    return cohort_fits(b, preemptor->queue, preemptor->need) &&
           (!s->places || s->places->room(s->places->self));
}

void cohort_put_back(struct cohort_search *s, const struct cohort_workload *preemptor,
                     bool borrowing)
{
    for (uint32_t i = s->n_victims - 1; i-- > 0;) {
        struct cohort_workload *w = s->victim[i].workload;
        cohort_use(s->books, w->queue, w->need, 1);
        bool stays = (!s->places || s->places->restore(s->places->self, w));
        if (stays && cohort_admissible(s, preemptor, borrowing)) {
            for (uint32_t k = i + 1; k < s->n_victims; k++)
                s->victim[k - 1] = s->victim[k];
            s->n_victims--;
            continue;
        }
        cohort_use(s->books, w->queue, w->need, -1);
        if (stays && s->places)
            s->places->vacate(s->places->self, w);
    }
}

void cohort_restore(struct cohort_search *s)
{
    for (uint32_t i = s->n_victims; i-- > 0;) {
        cohort_use(s->books, s->victim[i].workload->queue, s->victim[i].workload->need, 1);
        if (s->places)
            s->places->restore(s->places->self, s->victim[i].workload);
    }
}
