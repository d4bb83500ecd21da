/* test_accounts.c - fair tree and classic fair share, worked out by hand. */
#include "policies/slurm/accounts.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 14 };
#define ROOT { NO_ACCOUNT, false, 1, 0 }
#define ACCOUNT(parent, shares) { (parent), false, (shares), 0 }
#define USER(parent, shares, usage) { (parent), true, (shares), (usage) }

struct member { uint32_t parent; bool user; double shares, usage; };
static const struct row {
    const char *name;
    struct member member[MOST];   /* the end: no shares */
    double factor[MOST];          /* of users */
} tree_rows[] = {
    /* LF 1/2 / 3/4 and 1/2 / 1/4 */
    { "tree: who has had less is first", { ROOT, USER(0, 1, 30), USER(0, 1, 10) }, { 0, 1. / 2, 1 } },
    { "tree: shares count", { ROOT, USER(0, 4, 30), USER(0, 1, 10) }, { 0, 1, 1. / 2 } },
    { "tree: shares 0 come last", { ROOT, USER(0, 0.0, 0), USER(0, 1, 10), USER(0, 1, 99) }, { 0, 1. / 3, 1, 2. / 3 } },
    { "tree: nobody has used anything", { ROOT, USER(0, 1, 0), USER(0, 2, 0) }, { 0, 1, 1 } },
    /* Account 1 has had 40 of 50: LF 5/8; account 2 has had 10: LF 5/2. Its users outrank those of 1, though the last of
     * them (9) has had more of it than any of 1. */
    { "tree: all users of the better account come first",
      { ROOT, ACCOUNT(0, 1), ACCOUNT(0, 1), USER(1, 1, 20), USER(1, 1, 20), USER(2, 1, 1), USER(2, 1, 9) },
      { 0, 0, 0, 2. / 4, 2. / 4, 1, 3. / 4 } },
    /* Equal siblings share a rank; the next one's rank is as if they had not: 4, 4, 2, 1 of 4. */
    { "tree: equal users", { ROOT, USER(0, 1, 5), USER(0, 1, 5), USER(0, 1, 7), USER(0, 1, 9) }, { 0, 1, 1, 2. / 4, 1. / 4 } },
    /* Both accounts have LF 1. Account 1: its users tie, rank 4. Account 2: 5 has the rank given last, 4; 6 is the fourth. As one
     * family 5 would be alone at the top. */
    { "tree: equal accounts are not merged",
      { ROOT, ACCOUNT(0, 1), ACCOUNT(0, 1), USER(1, 1, 4), USER(1, 1, 4), USER(2, 1, 2), USER(2, 1, 6) },
      { 0, 0, 0, 1, 1, 1, 1. / 4 } },
    /* Ten users, two tied accounts last, each with an idle and a busy user: what sshare of Slurm 22.05.8 showed of such a tree
     * was 0.4 0.3 and 0.3 0.1, not the 0.4 0.2 and 0.4 0.2 of one family. */
    { "tree: as a real Slurm ranks tied accounts",
      { ROOT, ACCOUNT(0, 1), ACCOUNT(0, 1), USER(1, 1, 0), USER(1, 1, 40), USER(2, 1, 0), USER(2, 1, 40),
        USER(0, 1, 0), USER(0, 1, 0), USER(0, 1, 0), USER(0, 1, 0), USER(0, 1, 0), USER(0, 1, 0) },
      { 0, 0, 0, .4, .3, .3, .1, 1, 1, 1, 1, 1, 1 } },
    { "tree: users tie across accounts",
      { ROOT, ACCOUNT(0, 1), ACCOUNT(0, 1), USER(1, 1, 10), USER(1, 1, 10), USER(2, 1, 10), USER(2, 1, 10) },
      { 0, 0, 0, 1, 1, 1, 1 } },
    /* User 1: 1/2 / 1/2 = 1, and so has account 2. Its better user (LF 2) shares the rank; the other (2/3) is third. */
    { "tree: a user ties with an account", { ROOT, USER(0, 1, 4), ACCOUNT(0, 1), USER(2, 1, 1), USER(2, 1, 3) },
      { 0, 1, 0, 1, 1. / 3 } },
    /* Account 2 stands before user 1 in the array, the user is first all the same: else 1 would be alone at 1/3. */
    { "tree: users go before accounts", { ROOT, ACCOUNT(0, 1), USER(0, 1, 4), USER(1, 1, 1), USER(1, 1, 3) },
      { 0, 0, 1, 1, 1. / 3 } },
    /* The tie of 1 and 2 passes on through 3 to its best user; 4 and 5 differ. */
    { "tree: a tie passes down two levels",
      { ROOT, USER(0, 1, 6), ACCOUNT(0, 1), ACCOUNT(2, 1), USER(3, 1, 2), USER(3, 1, 4) }, { 0, 1, 0, 0, 1, 1. / 3 } },
    { "tree: an account without users", { ROOT, ACCOUNT(0, 1), USER(0, 1, 6), USER(0, 1, 3) }, { 0, 0, 1. / 2, 1 } },
    /* Three accounts, two of them equal: 1 and 3 have had 10 of 40 (LF 4/3), 2 has had 20 (2/3). */
    { "tree: equal accounts need not be neighbours",
      { ROOT, ACCOUNT(0, 1), ACCOUNT(0, 1), ACCOUNT(0, 1), USER(1, 1, 10), USER(2, 1, 20), USER(3, 1, 3), USER(3, 1, 7) },
      { 0, 0, 0, 0, 1, 1. / 4, 1, 2. / 4 } },
};
static const struct row classic_rows[] = {
    { "classic: nothing used", { ROOT, USER(0, 1, 0), USER(0, 1, 0) }, { 0, 1, 1 } },
    /* S 1/2: U 1/2 gives 2^-1 */
    { "classic: its very share", { ROOT, USER(0, 1, 5), USER(0, 1, 5) }, { 0, .5, .5 } },
    /* U 3/4 and 1/4 of S 1/2: 2^-1.5 and 2^-0.5 */
    { "classic: more and less", { ROOT, USER(0, 1, 3), USER(0, 1, 1) }, { 0, .3535533906, .7071067812 } },
    { "classic: no shares", { ROOT, USER(0, 0.0, 1), USER(0, 1, 1) }, { 0, 0, .7071067812 } },
    /* Account 1: S 1/2, U = E = 3/4. User 3: S 1/4, U 3/4, E = 3/4 + 0 x 1/2, 2^-3. User 4: U 0, E = 0 + 3/4 x 1/2 = 3/8:
     * 2^-1.5, for what its account has used. User 5: S = 1/2, U = E = 1/4: 2^-0.5. */
    { "classic: the account's usage weighs on its users",
      { ROOT, ACCOUNT(0, 1), ACCOUNT(0, 1), USER(1, 1, 3), USER(1, 1, 0), USER(2, 1, 1) },
      { 0, 0, 0, .125, .3535533906, .7071067812 } },
};

static void compare(const struct row *row, bool tree)
{
    struct account a[MOST], *room[MOST];
    uint32_t n = 0;
    for (; n < MOST && (n == 0 || row->member[n].parent || row->member[n].shares > 0 || row->member[n].user); n++)
        a[n] = (struct account){ .parent = row->member[n].parent, .user = row->member[n].user,
                                 .shares = row->member[n].shares, .usage = row->member[n].usage };
    (tree ? fair_tree_factors : classic_factors)(a, n, room);
    for (uint32_t i = 0; i < n; i++)
        if (a[i].user && fabs(a[i].factor - row->factor[i]) > 1e-9)
            fail_msg("%u: want %.9g, got %.9g", i, row->factor[i], a[i].factor);
}

static void tree(void **state)
{
    compare(*state, true);
}

static void classic(void **state)
{
    compare(*state, false);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, tree, tree_rows);
    ADD_ROWS(tests, n, classic, classic_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
