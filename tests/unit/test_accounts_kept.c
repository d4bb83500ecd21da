/* test_accounts_kept.c - a fair tree that is kept, and one user ranked alone, against a ranking of all from scratch: random trees
 * that grow, are charged, decay and are put in another order. Usage and shares are small numbers, so that many are equal. */
#include "policies/slurm/accounts.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <math.h>

enum { MOST = 60, STEPS = 400, TREES = 200 };
struct world {
    struct account kept[MOST], *room[MOST];
    uint32_t n, changed[MOST], n_changed;
    bool anew;                    /* more has changed than that */
    double want[MOST];
    unsigned alone, declined;
};

/* ---- From scratch ---- */

struct plain { const struct account *a; uint32_t n, next, rank; double users, level[MOST]; };

static bool goes_first(const struct plain *p, uint32_t x, uint32_t y)
{
    if (p->level[x] != p->level[y])
        return p->level[x] > p->level[y];
    return p->a[x].user != p->a[y].user ? p->a[x].user : x < y;
}

static void rank_below(struct plain *p, uint32_t parent, bool tied, double *factor)
{
    uint32_t before = NO_ACCOUNT;
    bool done[MOST] = { false };
    for (;;) {
        uint32_t best = NO_ACCOUNT;
        for (uint32_t i = 1; i < p->n; i++)
            if (p->a[i].parent == parent && !done[i] && (best == NO_ACCOUNT || goes_first(p, i, best)))
                best = i;
        if (best == NO_ACCOUNT)
            return;
        done[best] = true;
        tied = before == NO_ACCOUNT ? tied : p->level[best] == p->level[before];
        before = best;
        if (!p->a[best].user) {
            rank_below(p, best, tied, factor);
            continue;
        }
        p->rank = tied ? p->rank : p->next;
        p->next--;
        factor[best] = p->rank / p->users;
    }
}

static void from_scratch(const struct account *a, uint32_t n, double *factor)
{
    struct plain p = { .a = a, .n = n };
    double used[MOST] = { 0 }, shares[MOST] = { 0 };
    for (uint32_t i = n; i-- > 0;) {
        used[i] += a[i].user ? a[i].usage : 0;
        p.next += a[i].user;
        if (i) {
            used[a[i].parent] += used[i];
            shares[a[i].parent] += a[i].shares;
        }
    }
    for (uint32_t i = 1; i < n; i++) {
        double of = shares[a[i].parent], part = of > 0 ? a[i].shares / of : 0,
               had = used[a[i].parent] > 0 ? used[i] / used[a[i].parent] : 0;
        p.level[i] = part <= 0 ? 0 : had > 0 ? part / had : (double)INFINITY;
    }
    p.users = p.rank = p.next;
    rank_below(&p, 0, false, factor);
}

/* ---- Random changes ---- */

static uint32_t some(struct random *r, const struct world *w, bool user)
{
    uint32_t i = (uint32_t)random_below(r, w->n);
    for (uint32_t tries = 0; tries < w->n && w->kept[i].user != user; tries++)
        i = (i + 1) % w->n;
    return w->kept[i].user == user ? i : NO_ACCOUNT;
}

static void changes(struct world *w, uint32_t i)
{
    for (uint32_t k = 0; k < w->n_changed; k++)
        if (w->changed[k] == i)
            return;
    w->changed[w->n_changed++] = i;
}

static void change(struct random *r, struct world *w, double zero_shares)
{
    uint64_t what = random_below(r, 20);
    uint32_t u = some(r, w, true);
    if (what < 9 && w->n < MOST) {
        double shares = random_uniform(r) < zero_shares ? 0 : 1 + (double)random_below(r, 2);
        w->kept[w->n] = (struct account){ .parent = some(r, w, false), .user = what > 1, .shares = shares };
        changes(w, w->n++);
    } else if (what < 16 && u != NO_ACCOUNT) {
        w->kept[u].usage += (double)random_below(r, 4);
        changes(w, u);
    } else if (what == 16) {
        for (uint32_t i = 0; i < w->n; i++)
            w->kept[i].usage *= .75;
        w->anew = true;
    } else if (what == 17 && u != NO_ACCOUNT) {
        uint32_t to = some(r, w, false);
        w->kept[u].parent = to < u ? to : 0;
        w->anew = true;
    }
}

static void count(struct world *w)
{
    if (w->anew)
        fair_tree_factors(w->kept, w->n, w->room);
    for (uint32_t k = 0; k < w->n_changed && !w->anew; k++)
        fair_tree_count(w->kept, w->changed[k]);
    w->anew = false;
    w->n_changed = 0;
    from_scratch(w->kept, w->n, w->want);
}

static void check(struct random *r, struct world *w)
{
    double factor;
    for (uint32_t i = 0; i < w->n; i++) {
        if (!w->kept[i].user)
            continue;
        if (!fair_tree_factor(w->kept, i, &factor)) {
            w->declined++;
            continue;
        }
        w->alone++;
        assert_near(factor, w->want[i], 0);
    }
    if (random_below(r, 4))
        return;
    fair_tree_rank(w->kept, w->n, w->room);
    for (uint32_t i = 0; i < w->n; i++)
        if (w->kept[i].user)
            assert_near(w->kept[i].factor, w->want[i], 0);
}

static void grows(void **state)
{
    (void)state;
    unsigned alone = 0, declined = 0;
    for (unsigned seed = 1; seed <= TREES; seed++) {
        struct random r;
        struct world w = { .kept = { { .parent = NO_ACCOUNT, .shares = 1 } }, .n = 1, .anew = true };
        random_init(&r, seed, "accounts", 0);
        for (unsigned step = 0; step < STEPS; step++) {
            change(&r, &w, seed % 3 ? 0 : .2);
            if (random_below(&r, 2))
                continue;
            count(&w);
            check(&r, &w);
        }
        alone += w.alone;
        declined += w.declined;
    }
    assert_true(alone > 10 * declined && declined > 0);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, grows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
