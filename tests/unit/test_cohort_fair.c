/* test_cohort_fair.c - victims by shares: the search of the policy, which keeps shares and the order of children from one
 * search to the next, against a slow one that computes everything anew, on random trees while workloads come and go. The rules
 * are those of policies/kueue/fair.h. */
#include "tests/support/cohort_world.h"
#include "tests/unit/test_core.h"

enum { SEEDS = 3000, STEPS = 12 };

/* ---- The slow search ---- */

struct slow {
    struct cohort_world *w;
    const struct cohort_workload *p;
    bool within, pruned[CW_NODES];
    /* candidates by queue, in order; those left over for the second pass */
    struct cohort_workload *of[CW_NODES][CW_WORKLOADS], *left[CW_NODES][CW_WORKLOADS];
    uint32_t n[CW_NODES], n_left[CW_NODES];
    struct cohort_victim victim[CW_WORKLOADS];
    uint32_t victims;
};

static struct cohort_share share(const struct slow *x, uint32_t v)
{
    struct cohort_share s = cohort_share_of(&x->w->books, v, x->w->weight[v]);
    s.about = 0;                                         /* compared as exact ratios */
    return s;
}

static bool is_above(const struct slow *x, uint32_t v)
{
    for (uint32_t u = x->p->queue; u != ID_NONE; u = x->w->parent[u])
        if (u == v)
            return true;
    return false;
}

static bool spent(const struct slow *x, uint32_t v)
{
    bool zero = cohort_share_is_zero(share(x, v));
    if (x->w->books.height[v] == 0)
        return !x->n[v] || (zero && v != x->p->queue);
    return zero && !is_above(x, v);
}

static bool better(const struct slow *x, uint32_t v, uint32_t than)
{
    bool queue = x->w->books.height[v] == 0, other = x->w->books.height[than] == 0;
    int c = cohort_share_compare(share(x, v), share(x, than));
    if (c)
        return c > 0;
    if (queue != other)
        return other;
    if (!queue)
        return false;
    bool own = v == x->p->queue || than == x->p->queue;
    const struct cohort_workload *a = x->of[v][0], *b = x->of[than][0];
    return own && a->leaving == b->leaving ? than == x->p->queue : cohort_compare_workloads(a, b) < 0;
}

/* From the root down; ID_NONE: no queue has any more. */
static uint32_t next_queue(struct slow *x)
{
    uint32_t root = x->w->books.root[x->p->queue];
    while (!x->pruned[root]) {
        uint32_t at = root, best = root;
        while (best != ID_NONE && x->w->books.height[at]) {
            best = ID_NONE;
            for (uint32_t v = 0; v < x->w->n; v++) {
                if (x->w->parent[v] != at || x->pruned[v])
                    continue;
                if (spent(x, v))
                    x->pruned[v] = true;
                else if (best == ID_NONE || better(x, v, best))
                    best = v;
            }
            at = best == ID_NONE ? at : best;
        }
        if (x->w->books.height[at] == 0 && x->n[at])
            return at;
        x->pruned[at] = true;
    }
    return ID_NONE;
}

/* The nodes just below the common cohort: of the preemptor and of q. */
static void rivals(const struct slow *x, uint32_t q, uint32_t *own, uint32_t *other)
{
    for (*other = q; !is_above(x, x->w->parent[*other]);)
        *other = x->w->parent[*other];
    for (*own = x->p->queue; x->w->parent[*own] != x->w->parent[*other];)
        *own = x->w->parent[*own];
}

static bool rule(const struct slow *x, const struct cohort_workload *v, bool final_share)
{
    uint32_t own, other;
    rivals(x, v->queue, &own, &other);
    struct cohort_share mine = share(x, own);
    if (!final_share)
        return cohort_share_compare(mine, share(x, other)) < 0;
    cohort_use(&x->w->books, v->queue, v->need, -1);
    struct cohort_share without = share(x, other);
    cohort_use(&x->w->books, v->queue, v->need, 1);
    return cohort_share_compare(mine, without) <= 0;
}

static bool fits(const struct slow *x)
{
    cohort_use(&x->w->books, x->p->queue, x->p->need, -1);
    bool fits = cohort_fits(&x->w->books, x->p->queue, x->p->need);
    cohort_use(&x->w->books, x->p->queue, x->p->need, 1);
    return fits;
}

static bool take(struct slow *x, struct cohort_workload *v, enum cohort_reason reason)
{
    cohort_use(&x->w->books, v->queue, v->need, -1);
    x->victim[x->victims++] = (struct cohort_victim){ .workload = v, .reason = reason };
    return fits(x);
}

static struct cohort_workload *drop_first(struct slow *x, uint32_t q)
{
    struct cohort_workload *first = x->of[q][0];
    memmove(x->of[q], x->of[q] + 1, --x->n[q] * sizeof *x->of[q]);
    return first;
}

/* A queue is left as soon as one of its candidates is taken, for shares are others then. */
static bool first_pass(struct slow *x)
{
    for (uint32_t q; (q = next_queue(x)) != ID_NONE;)
        for (bool taken = false; x->n[q] && !taken;) {
            struct cohort_workload *v = drop_first(x, q);
            bool own = q == x->p->queue;
            taken = own || x->within || rule(x, v, true);
            if (!taken)
                x->left[q][x->n_left[q]++] = v;
            else if (take(x, v, own ? EVICT_IN_QUEUE : x->within ? EVICT_RECLAIM : EVICT_FAIR_SHARE))
                return true;
        }
    return false;
}

/* Those that the first pass left, at most one of a queue. */
static bool second_pass(struct slow *x)
{
    memset(x->pruned, 0, sizeof x->pruned);
    memcpy(x->of, x->left, sizeof x->of);
    memcpy(x->n, x->n_left, sizeof x->n);
    for (uint32_t q; (q = next_queue(x)) != ID_NONE; x->pruned[q] = true) {
        struct cohort_workload *v = drop_first(x, q);
        if (rule(x, v, false) && take(x, v, EVICT_FAIR_SHARE))
            return true;
    }
    return false;
}

static void list_candidates(struct slow *x)
{
    struct cohort_world *w = x->w;
    const struct cohort_rules *rules = &w->rules[x->p->queue];
    for (uint32_t v = 0; v < w->n; v++) {
        bool own = v == x->p->queue;
        bool source = own ? rules->within_queue != WITHIN_NEVER
                          : rules->reclaim != RECLAIM_NEVER && w->books.root[v] == w->books.root[x->p->queue] &&
                                !cohort_within_nominal(&w->books, v, w->contested);
        for (uint32_t i = 0; source && i < w->members[v].n; i++)
            if (cohort_may_evict(&w->search, x->p, w->members[v].of[i], w->contested))
                x->of[v][x->n[v]++] = w->members[v].of[i];
    }
}

/* The last but one first: those that it does not need. */
static void put_back(struct slow *x)
{
    struct cohort_books *b = &x->w->books;
    for (uint32_t i = x->victims - 1; i-- > 0;) {
        const struct cohort_workload *v = x->victim[i].workload;
        cohort_use(b, v->queue, v->need, 1);
        if (!cohort_fits(b, x->p->queue, x->p->need)) {
            cohort_use(b, v->queue, v->need, -1);
            continue;
        }
        memmove(&x->victim[i], &x->victim[i + 1], (--x->victims - i) * sizeof x->victim[i]);
    }
}

static bool search_slowly(struct slow *x, struct cohort_world *w)
{
    *x = (struct slow){ .w = w, .p = &w->workload[CW_WORKLOADS] };
    list_candidates(x);
    cohort_use(&w->books, x->p->queue, x->p->need, 1);
    x->within = cohort_within_nominal(&w->books, x->p->queue, w->contested);
    bool found = first_pass(x) || second_pass(x);
    cohort_use(&w->books, x->p->queue, x->p->need, -1);
    if (found)
        put_back(x);
    for (uint32_t i = 0; i < x->victims; i++)
        cohort_use(&w->books, x->victim[i].workload->queue, x->victim[i].workload->need, 1);
    x->victims = found ? x->victims : 0;
    return found;
}

/* ---- Workloads come and go ---- */

static bool is_member(const struct cohort_world *w, uint32_t i)
{
    const struct cohort_members *m = &w->members[w->workload[i].queue];
    for (uint32_t k = 0; k < m->n; k++)
        if (m->of[k] == &w->workload[i])
            return true;
    return false;
}

static void change(struct cohort_world *w, struct random *r)
{
    uint32_t i = (uint32_t)random_below(r, CW_WORKLOADS);
    struct cohort_workload *x = &w->workload[i];
    if (is_member(w, i)) {
        cohort_members_remove(w->members, &w->books, x);
        cohort_use(&w->books, x->queue, w->need[i], -1);
    }
    cw_workload(w, r, i);
    if (!cohort_fits(&w->books, x->queue, w->need[i]))
        return;
    w->members[x->queue].of = w->member[x->queue];
    cohort_members_add(w->members, &w->books, x);
    cohort_use(&w->books, x->queue, w->need[i], 1);
}

static bool is_contested(struct cohort_world *w)
{
    bool any = false;
    for (uint32_t cell = 0; cell < w->cells; cell++)
        any |= w->contested[cell] =
            w->need[CW_WORKLOADS][cell] > cohort_available(&w->books, w->workload[CW_WORKLOADS].queue, cell);
    return any;
}

/* spoil: the shares that are kept are wrong. */
static bool same_answers(struct cohort_world *w, struct slow *slow, bool spoil, unsigned *found)
{
    bool slowly = search_slowly(slow, w);
    for (uint32_t v = 0; v < w->n && spoil; v++) {
        w->known[v].share = (struct cohort_share){ 0, 1, 1, ID_NONE, false, 0 };
        w->known[v].share_at = w->books.version[v];
    }
    bool fast = cohort_search_fair(&w->search, &w->workload[CW_WORKLOADS], w->contested, true, true);
    bool same = slowly == fast && slow->victims == w->search.n_victims;
    for (uint32_t i = 0; i < slow->victims && same; i++)
        same = slow->victim[i].workload == w->search.victim[i].workload && slow->victim[i].reason == w->search.victim[i].reason;
    *found += slowly;
    return same;
}

/* What is kept of each node about those that hold quota below it. */
static bool same_lowest(const struct cohort_world *w)
{
    bool same = true;
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t below = 0;
        int32_t lowest = INT32_MAX;
        for (uint32_t q = 0; q < w->n; q++)
            for (uint32_t u = q; u != ID_NONE; u = w->parent[u])
                for (uint32_t i = 0; u == v && i < w->members[q].n; i++, below++)
                    lowest = w->members[q].of[i]->priority < lowest ? w->members[q].of[i]->priority : lowest;
        same &= w->members[v].below == below && (!below || w->members[v].lowest == lowest);
    }
    return same;
}

/* How many answers do. */
static unsigned differ(bool spoil, unsigned *found)
{
    static struct cohort_world w;
    static struct slow slow;
    unsigned differ = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct random r;
        random_init(&r, seed, "steps", 0);
        cw_make(&w, seed);
        for (int step = 0; step < STEPS; step++) {
            for (uint64_t n = random_below(&r, 4); n > 0; n--)
                change(&w, &r);
            assert_true(same_lowest(&w));
            cw_workload(&w, &r, CW_WORKLOADS);
            differ += is_contested(&w) && !same_answers(&w, &slow, spoil, found);
        }
    }
    return differ;
}

static void as_the_slow_search(void **state)
{
    unsigned found = 0;
    (void)state;
    assert_int_equal(differ(false, &found), 0);
    assert_true(found > 2000);
}

static void wrong_shares_are_seen(void **state)
{
    unsigned found = 0;
    (void)state;
    assert_in_range(differ(true, &found), 100, SEEDS * STEPS);
}

/* Doubles decide only where they must be right: ratios that differ in the last bits are compared exactly. */
static void close_shares_are_compared_exactly(void **state)
{
    struct random r;
    unsigned close = 0;
    (void)state;
    random_init(&r, 1, "shares", 0);
    for (int i = 0; i < 100000; i++) {
        int64_t big = INT64_C(1) << (20 + random_below(&r, 40));
        struct cohort_share x = { big + (int64_t)random_below(&r, 3), big + 1, COHORT_WEIGHT_ONE, ID_NONE, true, 0 }, y = x;
        y.borrowed += (int64_t)random_below(&r, 3) - 1;
        y.lendable += (int64_t)random_below(&r, 3) - 1;
        int exactly = cohort_share_compare(x, y);
        x.about = (double)x.borrowed / ((double)x.lendable * (double)x.weight);
        y.about = (double)y.borrowed / ((double)y.lendable * (double)y.weight);
        assert_int_equal(cohort_share_compare(x, y), exactly);
        close += exactly != 0 && x.about == y.about;
    }
    assert_true(close > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_slow_search),
        cmocka_unit_test(wrong_shares_are_seen),
        cmocka_unit_test(close_shares_are_compared_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
