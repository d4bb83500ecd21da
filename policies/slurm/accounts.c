/* accounts.c - see accounts.h. */
#include "policies/slurm/accounts.h"

#include <math.h>
#include <stdlib.h>

/* Links, sums of usage, parts of shares. */
static void prepare(struct account *a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        a[i].first = NO_ACCOUNT;
        a[i].usage = a[i].user ? a[i].usage : 0;
        a[i].part = 0;            /* first the sum of its children's shares */
    }
    for (uint32_t i = n; i-- > 1;) {
        struct account *up = &a[a[i].parent];
        a[i].next = up->first;
        up->first = i;
        up->usage += a[i].usage;
        up->part += a[i].shares;
    }
    /* children have higher numbers than their parent: its sum is still there */
    for (uint32_t i = n; i-- > 1;) {
        double of = a[a[i].parent].part;
        a[i].part = of > 0 ? a[i].shares / of : 0;
    }
    a[0].part = 1;
}

/* ---- Fair Tree ---- */

struct ranking { struct account *a; double users; uint32_t rank, next; };

static int best_first(const void *left, const void *right)
{
    const struct account *a = *(struct account *const *)left, *b = *(struct account *const *)right;
    if (a->level != b->level)
        return a->level > b->level ? -1 : 1;
    if (a->user != b->user)
        return a->user ? -1 : 1;
    return a < b ? -1 : 1;        /* of one array */
}

static uint32_t append_children(const struct ranking *r, const struct account *of,
                                struct account **to)
{
    uint32_t n = 0;
    for (uint32_t i = of->first; i != NO_ACCOUNT; i = r->a[i].next)
        to[n++] = &r->a[i];
    return n;
}

/* tied: the first of the family shares the rank of the user before it. */
static void visit(struct ranking *r, struct account **family, uint32_t n, bool tied)
{
    qsort(family, n, sizeof(struct account *), best_first);
    for (uint32_t i = 0; i < n; i++) {
        tied = i == 0 ? tied : family[i]->level == family[i - 1]->level;
        if (family[i]->user) {
            r->rank = tied ? r->rank : r->next;
            family[i]->factor = r->rank / r->users;
            r->next--;
            continue;
        }
        visit(r, family + n, append_children(r, family[i], family + n), tied);
    }
}

static double level_of(const struct account *a, const struct account *parent)
{
    double used = parent->usage > 0 ? a->usage / parent->usage : 0;
    if (a->part <= 0)
        return 0;
    return used > 0 ? a->part / used : (double)INFINITY;
}

void fair_tree_factors(struct account *a, uint32_t n, struct account **room)
{
    struct ranking r = { .a = a };
    prepare(a, n);
    for (uint32_t i = 1; i < n; i++) {
        a[i].level = level_of(&a[i], &a[a[i].parent]);
        r.rank += a[i].user;
    }
    r.next = r.rank;
    r.users = r.rank;
    visit(&r, room, append_children(&r, &a[0], room), false);
}

/* ---- Classic ---- */

void classic_factors(struct account *a, uint32_t n, struct account **room)
{
    (void)room;
    prepare(a, n);
    a[0].level = 1;
    for (uint32_t i = 1; i < n; i++) {
        const struct account *up = &a[a[i].parent];
        double used = a[0].usage > 0 ? a[i].usage / a[0].usage : 0;
        a[i].level = up->level * a[i].part;
        a[i].effective = a[i].parent ? used + (up->effective - used) * a[i].part : used;
        a[i].factor = a[i].level > 0 ? exp2(-a[i].effective / a[i].level) : 0;
    }
}
