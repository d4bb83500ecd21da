/* accounts.c - see accounts.h. */
#include "policies/slurm/accounts.h"

#include <math.h>
#include <stdlib.h>

/* ---- The tree ---- */

static void link_below(struct account *a, uint32_t i)
{
    struct account *up = &a[a[i].parent];
    a[i].next = up->first;
    a[i].after = up->best;
    up->first = up->best = i;
    a[i].under = a[i].parent;
    a[i].linked = true;
}

static void no_children(struct account *a)
{
    a->first = a->best = NO_ACCOUNT;
}

/* Accounts that are new, or all if one has moved, become children of their parents, in the order of the array. */
static void link_all(struct account *a, uint32_t n)
{
    bool moved = false;
    for (uint32_t i = 1; i < n; i++)
        moved |= a[i].linked && a[i].under != a[i].parent;
    for (uint32_t i = 0; i < n; i++) {
        if (!moved && a[i].linked)
            continue;
        no_children(&a[i]);
        if (i)
            link_below(a, i);
        a[i].linked = true;
    }
}

/* Sums, the last child first. */
static void sum_up(struct account *a, struct account *of)
{
    of->used = of->below = 0;
    of->users = 0;
    of->odd = false;
    for (uint32_t i = of->first; i != NO_ACCOUNT; i = a[i].next) {
        of->used += a[i].used;
        of->below += a[i].shares;
        of->users += a[i].users;
        of->odd |= a[i].odd || (a[i].users && a[i].shares <= 0);
    }
}

static void count_user(struct account *u)
{
    u->used = u->usage;
    u->below = 0;
    u->users = 1;
}

static double part_of(const struct account *a, const struct account *parent)
{
    return parent->below > 0 ? a->shares / parent->below : 0;
}

/* Links, sums of usage, parts of shares. */
static void prepare(struct account *a, uint32_t n)
{
    link_all(a, n);
    for (uint32_t i = n; i-- > 0;)         /* children have higher numbers than their parent */
        if (a[i].user)
            count_user(&a[i]);
        else
            sum_up(a, &a[i]);
}

/* ---- Fair Tree ---- */

struct ranking { struct account *a; double users; uint32_t rank, next; };

static double level_of(const struct account *a, const struct account *parent)
{
    double part = part_of(a, parent), used = parent->used > 0 ? a->used / parent->used : 0;
    if (part <= 0)
        return 0;
    return used > 0 ? part / used : (double)INFINITY;
}

/* Of siblings; their levels are given. */
static inline bool goes_before(const struct account *a, double a_level, const struct account *b, double b_level)
{
    if (a_level != b_level)
        return a_level > b_level;
    return a->user != b->user ? a->user : a < b;          /* of one array */
}

static int best_first(const void *left, const void *right)
{
    const struct account *a = *(struct account *const *)left, *b = *(struct account *const *)right;
    return goes_before(a, a->level, b, b->level) ? -1 : 1;
}

/* Mostly few have to move. */
static void sort_family(struct account **family, uint32_t n)
{
    uint32_t moves = 0;
    for (uint32_t i = 1; i < n; i++) {
        struct account *x = family[i];
        uint32_t at = i;
        for (; at > 0 && goes_before(x, x->level, family[at - 1], family[at - 1]->level); at--)
            family[at] = family[at - 1];
        family[at] = x;
        moves += i - at;
        if (moves > 8 * n) {
            qsort(family, n, sizeof(struct account *), best_first);
            return;
        }
    }
}

/* The children, the best first, which they keep. */
static uint32_t list_family(const struct ranking *r, struct account *of, struct account **to)
{
    uint32_t n = 0;
    for (uint32_t i = of->best; i != NO_ACCOUNT; i = r->a[i].after)
        to[n++] = &r->a[i];
    sort_family(to, n);
    uint32_t *link = &of->best;
    for (uint32_t i = 0; i < n; link = &to[i++]->after)
        *link = (uint32_t)(to[i] - r->a);
    *link = NO_ACCOUNT;
    return n;
}

/* tied: the first of the family shares the rank of the user before it. */
static void visit(struct ranking *r, struct account *of, struct account **family, bool tied)
{
    uint32_t n = list_family(r, of, family);
    for (uint32_t i = 0; i < n; i++) {
        tied = i == 0 ? tied : family[i]->level == family[i - 1]->level;
        if (family[i]->user) {
            r->rank = tied ? r->rank : r->next;
            family[i]->factor = r->rank / r->users;
            r->next--;
            continue;
        }
        visit(r, family[i], family + n, tied);
    }
}

void fair_tree_rank(struct account *a, uint32_t n, struct account **room)
{
    struct ranking r = { .a = a, .users = a[0].users, .rank = a[0].users, .next = a[0].users };
    for (uint32_t i = 1; i < n; i++)
        a[i].level = level_of(&a[i], &a[a[i].parent]);
    visit(&r, &a[0], room, false);
}

void fair_tree_factors(struct account *a, uint32_t n, struct account **room)
{
    prepare(a, n);
    fair_tree_rank(a, n, room);
}

/* ---- Fair Tree, of one user ---- */

void fair_tree_count(struct account *a, uint32_t u)
{
    if (!a[u].linked) {
        no_children(&a[u]);
        link_below(a, u);
    }
    if (a[u].user)
        count_user(&a[u]);
    else
        sum_up(a, &a[u]);
    while (u) {
        u = a[u].parent;
        sum_up(a, &a[u]);
    }
}

/* Where x stands among its siblings. */
struct standing {
    double level;
    uint32_t better, equal;       /* users that go before it, by their level; siblings of its own level that do */
    bool first;                   /* no sibling has a better level */
    bool idle;                    /* it has had nothing, nor have these */
};

static struct standing standing_of(const struct account *a, const struct account *x)
{
    const struct account *parent = &a[x->parent];
    struct standing at = { .level = level_of(x, parent), .first = true };
    at.idle = isinf(at.level) && x->used <= 0;
    for (uint32_t i = parent->first; i != NO_ACCOUNT; i = a[i].next) {
        double level = level_of(&a[i], parent);
        if (level > at.level) {
            at.better += a[i].users;
            at.first = false;
        } else if (level == at.level && &a[i] != x && goes_before(&a[i], level, x, at.level)) {
            at.equal++;
            at.idle &= a[i].used <= 0;
            at.better += x->user ? 0 : a[i].users;        /* users of one level share a rank */
        }
    }
    return at;
}

/* Down to account x: users that go before all of its own; whether its first one shares the rank before it; whether none of
 * those that go before has had anything. */
struct way { uint32_t before; bool tied, idle; };

static struct way way_to(const struct account *a, uint32_t x)
{
    if (!x)
        return (struct way){ .idle = true };
    struct way w = way_to(a, a[x].parent);
    struct standing at = standing_of(a, &a[x]);
    w.before += at.better;
    w.tied = at.equal || (at.first && w.tied);
    w.idle &= at.idle;
    return w;
}

/* Where all that goes before has had nothing, all share the first rank: unless some users have no shares, which come last in
 * their account. */
bool fair_tree_factor(const struct account *a, uint32_t u, double *factor)
{
    struct way w = way_to(a, a[u].parent);
    struct standing at = standing_of(a, &a[u]);
    bool shares_first = w.idle && at.idle && !a[0].odd;
    if (at.first && w.tied && !shares_first)
        return false;
    *factor = (shares_first ? a[0].users : a[0].users - w.before - at.better) / (double)a[0].users;
    return true;
}

/* ---- Classic ---- */

void classic_factors(struct account *a, uint32_t n, struct account **room)
{
    (void)room;
    prepare(a, n);
    a[0].level = a[0].part = 1;
    for (uint32_t i = 1; i < n; i++) {
        const struct account *up = &a[a[i].parent];
        double used = a[0].used > 0 ? a[i].used / a[0].used : 0;
        a[i].part = part_of(&a[i], up);
        a[i].level = up->level * a[i].part;
        a[i].effective = a[i].parent ? used + (up->effective - used) * a[i].part : used;
        a[i].factor = a[i].level > 0 ? exp2(-a[i].effective / a[i].level) : 0;
    }
}
