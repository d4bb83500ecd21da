/* test_cohort_search.c - whom a search evicts, on random trees: what must hold of every answer, and that answers which were
 * spoilt on purpose are seen; shares by hand. The very choices are checked by Kueue's own cases (tests/conformance). */
#include "tests/support/cohort_world.h"
#include "tests/unit/test_core.h"

enum { SEEDS = 4000 };
enum how { CLASSICAL, FAIR, HOWS };

static const struct cohort_workload *preemptor_of(const struct cohort_world *w)
{
    return &w->workload[CW_WORKLOADS];
}

static bool find(struct cohort_world *w, enum how how)
{
    const struct cohort_workload *p = preemptor_of(w);
    return how == FAIR ? cohort_search_fair(&w->search, p, w->contested, true, true)
                       : cohort_search_classical(&w->search, p, w->contested);
}

static bool is_short(const struct cohort_world *w)
{
    bool any = false;
    for (uint32_t cell = 0; cell < w->cells; cell++)
        any |= w->contested[cell];
    return any;
}

/* ---- What must hold of an answer ---- */

enum wrong { RIGHT, DOES_NOT_FIT, ONE_TOO_MANY, NOT_ALLOWED, BELOW_NOMINAL };

static void move(struct cohort_world *w, uint32_t victim, int sign)
{
    const struct cohort_workload *v = w->search.victim[victim].workload;
    cohort_use(&w->books, v->queue, v->need, sign);
}

static bool fits(const struct cohort_world *w)
{
    return cohort_fits(&w->books, preemptor_of(w)->queue, preemptor_of(w)->need);
}

static bool allowed(const struct cohort_world *w, const struct cohort_workload *v)
{
    const struct cohort_workload *p = preemptor_of(w);
    const struct cohort_rules *r = &w->rules[p->queue];
    bool lower = v->priority < p->priority, newer = v->priority == p->priority && v->queued_ns > p->queued_ns;
    if (v->firm)
        return false;
    if (v->queue != p->queue)
        return w->books.root[v->queue] == w->books.root[p->queue] &&
               (r->reclaim == RECLAIM_ANY || (r->reclaim == RECLAIM_LOWER_PRIORITY && lower));
    return (r->within_queue != WITHIN_NEVER && lower) || (r->within_queue == WITHIN_LOWER_OR_NEWER_EQUAL && newer);
}

/* A queue gives only while it uses more than its nominal quota: of something contested; by shares, of anything. */
static bool gives_its_own(const struct cohort_world *w, uint32_t i, enum how how)
{
    static const bool all[CW_CELLS] = { true, true, true };
    const struct cohort_workload *v = w->search.victim[i].workload;
    return v->queue != preemptor_of(w)->queue && cohort_within_nominal(&w->books, v->queue, how == FAIR ? all : w->contested);
}

static enum wrong judge(struct cohort_world *w, enum how how)
{
    uint32_t n = w->search.n_victims;
    enum wrong wrong = RIGHT;
    for (uint32_t i = 0; i < n; i++) {
        if (!allowed(w, w->search.victim[i].workload))
            wrong = NOT_ALLOWED;
        if (gives_its_own(w, i, how) && wrong == RIGHT)
            wrong = BELOW_NOMINAL;
        move(w, i, -1);
    }
    if (!fits(w) && wrong == RIGHT)
        wrong = DOES_NOT_FIT;
    for (uint32_t i = 0; i < n && wrong == RIGHT; i++) {
        move(w, i, 1);
        if (w->search.victim[i].reason != EVICT_RECLAIM && fits(w))    /* a reclaim may have ruled out borrowing */
            wrong = ONE_TOO_MANY;
        move(w, i, -1);
    }
    for (uint32_t i = n; i-- > 0;)
        move(w, i, 1);
    return wrong;
}

static void every_answer_is_right(void **state)
{
    static struct cohort_world w;
    (void)state;
    for (enum how how = 0; how < HOWS; how++) {
        unsigned found = 0, of_many = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            cw_make(&w, seed);
            if (!is_short(&w) || !find(&w, how))
                continue;
            enum wrong wrong = judge(&w, how);
            if (wrong != RIGHT)
                fail_msg("how %d, seed %u: wrong %d", (int)how, (unsigned)seed, (int)wrong);
            found++;
            of_many += w.search.n_victims > 1;
        }
        assert_true(found > 200 && of_many > 50);
    }
}

/* Controls: a victim fewer, a victim more, one who may not be. */
static void spoilt_answers_are_seen(void **state)
{
    static struct cohort_world w;
    unsigned fewer = 0, more = 0, firm = 0, found = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        cw_make(&w, seed);
        if (!is_short(&w) || !find(&w, CLASSICAL))
            continue;
        struct cohort_search answer = w.search;
        found++;
        w.search.n_victims--;
        fewer += judge(&w, CLASSICAL) == DOES_NOT_FIT;
        w.search = answer;
        for (uint32_t v = 0; v < w.n && w.search.n_victims == answer.n_victims; v++)
            for (uint32_t i = 0; i < w.members[v].n; i++) {
                struct cohort_workload *x = w.members[v].of[i];
                bool in = false;
                for (uint32_t k = 0; k < answer.n_victims; k++)
                    in |= answer.victim[k].workload == x;
                if (!in && w.search.n_victims == answer.n_victims)
                    w.search.victim[w.search.n_victims++] = (struct cohort_victim){ .workload = x, .reason = EVICT_IN_QUEUE };
            }
        more += w.search.n_victims > answer.n_victims && judge(&w, CLASSICAL) != RIGHT;
        w.search = answer;
        w.search.victim[0].workload->firm = true;
        firm += judge(&w, CLASSICAL) == NOT_ALLOWED;
    }
    assert_int_equal(firm, found);
    assert_int_equal(fewer, found);
    assert_true(more > found / 2);
}

static void leaves_the_books_alone(void **state)
{
    static struct cohort_world w;
    int64_t before[CW_NODES * CW_CELLS];
    (void)state;
    for (enum how how = 0; how < HOWS; how++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            cw_make(&w, seed);
            size_t size = (size_t)w.n * w.cells * sizeof *before;
            memcpy(before, w.books.usage, size);
            find(&w, how);
            assert_memory_equal(before, w.books.usage, size);
        }
}

/* A classical search that finds nobody could not have been helped by its own queue alone. */
static void gives_up_only_when_it_must(void **state)
{
    static struct cohort_world w;
    unsigned given_up = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        cw_make(&w, seed);
        if (!is_short(&w) || find(&w, CLASSICAL))
            continue;
        const struct cohort_members *own = &w.members[preemptor_of(&w)->queue];
        for (uint32_t i = 0; i < own->n; i++)
            if (allowed(&w, own->of[i]))
                cohort_use(&w.books, own->of[i]->queue, own->of[i]->need, -1);
        assert_false(fits(&w));
        given_up++;
    }
    assert_true(given_up > 200);
}

/* The order in which workloads became members of their queues does not matter. */
static void order_of_members_does_not_matter(void **state)
{
    static struct cohort_world a, b;
    (void)state;
    for (enum how how = 0; how < HOWS; how++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            cw_make(&a, seed);
            cw_make(&b, seed);
            for (uint32_t v = 0; v < b.n; v++)
                for (uint32_t i = b.members[v].n; i-- > 0;) {
                    struct cohort_workload *x = b.member[v][i];
                    cohort_members_remove(b.members, &b.books, x);
                    cohort_members_add(b.members, &b.books, x);
                }
            assert_int_equal(find(&a, how), find(&b, how));
            assert_int_equal(a.search.n_victims, b.search.n_victims);
            for (uint32_t i = 0; i < a.search.n_victims; i++)
                assert_int_equal(a.victim[i].workload->id, b.victim[i].workload->id);
        }
}

/* ---- Places ---- */

struct stage { const struct cohort_world *w; uint32_t away, least; };

static void vacate(void *self, const struct cohort_workload *v)
{
    (void)v;
    ((struct stage *)self)->away++;
}

static bool restore(void *self, const struct cohort_workload *v)
{
    (void)v;
    ((struct stage *)self)->away--;
    return true;
}

static bool room(void *self)
{
    const struct stage *s = self;
    return s->away >= s->least;
}

/* With places, victims are taken until there is room, too; and everybody is told to stay again. */
static void place_is_needed_as_well(void **state)
{
    static struct cohort_world w;
    unsigned more = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        cw_make(&w, seed);
        if (!is_short(&w) || !find(&w, CLASSICAL))
            continue;
        uint32_t without = w.search.n_victims;
        struct stage stage = { &w, 0, without + 1 };
        const struct cohort_places places = {
            .self = &stage, .vacate = vacate, .restore = restore, .room = room
        };
        w.search.places = &places;
        if (find(&w, CLASSICAL)) {
            assert_true(w.search.n_victims >= without + 1);
            more++;
        }
        assert_int_equal(stage.away, 0);
    }
    assert_true(more > 20);
}

/* ---- Shares ---- */

static void shares_by_hand(void **state)
{
    static const uint64_t one = COHORT_WEIGHT_ONE;
    (void)state;
    struct cohort_share third = { 1, 3, one, ID_NONE, true, 0 }, two_sixths = { 2, 6, one, ID_NONE, true, 0 }, half = { 1, 2, one, ID_NONE, true, 0 },
                        half_of_two = { 1, 2, 2 * one, ID_NONE, true, 0 }, nothing = { 0, 1, one, ID_NONE, false, 0 }, never = { 1, 9, 0, ID_NONE, true, 0 },
                        never_more = { 2, 9, 0, ID_NONE, true, 0 }, idle = { 0, 1, 0, ID_NONE, false, 0 };
    assert_int_equal(cohort_share_compare(third, two_sixths), 0);
    assert_true(cohort_share_compare(third, half) < 0);
    assert_true(cohort_share_compare(half_of_two, third) < 0);    /* 1/4 */
    assert_true(cohort_share_compare(nothing, third) < 0);
    assert_int_equal(cohort_share_compare(nothing, idle), 0);     /* weight 0 that does not borrow */
    assert_true(cohort_share_compare(never, half) > 0);
    assert_true(cohort_share_compare(never, never_more) < 0);     /* two such: without weights */
}

/* Against products, where these do not overflow; and at sizes where doubles cannot tell. */
static void ratios_are_exact(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, 1, "ratios", 0);
    for (int i = 0; i < 200000; i++) {
        uint64_t a = random_below(&r, 50), b = 1 + random_below(&r, 50), c = random_below(&r, 50), d = 1 + random_below(&r, 50);
        assert_int_equal(cohort_compare_ratios(a, b, c, d), (a * d > c * b) - (a * d < c * b));
    }
    unsigned __int128 big = (unsigned __int128)1 << 120;
    assert_int_equal(cohort_compare_ratios(big, big + 1, big - 1, big), 1);
    assert_int_equal(cohort_compare_ratios(big - 1, big, big, big + 1), -1);
    assert_int_equal(cohort_compare_ratios(big, 3 * big, 1, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_right), cmocka_unit_test(spoilt_answers_are_seen),
        cmocka_unit_test(leaves_the_books_alone), cmocka_unit_test(gives_up_only_when_it_must),
        cmocka_unit_test(order_of_members_does_not_matter), cmocka_unit_test(place_is_needed_as_well),
        cmocka_unit_test(shares_by_hand), cmocka_unit_test(ratios_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
