/* cohort_order.c - which head goes first.
 *
 * Classical: whose quota comes from the smaller subtree (not borrowing first); higher priority; who waits longer
 * (kubernetes-sigs/kueue:pkg/scheduler/scheduler.go, makeClassicalIterator).
 * By shares: a tournament at each cohort, from the leaves up. Compared are the nodes just below it, with the head that each
 * sends: not borrowing what the head asks for first; the smaller share; higher priority; who waits longer. The winner of the
 * root is processed, and the tournament held anew (kubernetes-sigs/kueue:pkg/scheduler/fair_sharing_iterator.go). */
#include "policies/kueue/cohort.h"

#include <stdlib.h>

struct standing { uint32_t queue, height; const struct cohort_workload *as; };

static int by_age(const struct cohort_workload *a, const struct cohort_workload *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->queued_ns != b->queued_ns)
        return a->queued_ns < b->queued_ns ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static int by_height(const void *a, const void *b)
{
    const struct standing *x = a, *y = b;
    return x->height != y->height ? (x->height > y->height) - (x->height < y->height) : by_age(x->as, y->as);
}

static const struct cohort_workload *head_of(struct sched *s, const struct cohort *c, uint32_t queue)
{
    return &((const struct entrant *)job_own(s, c->queue[queue].head))->as;
}

void cohort_order_heads(struct sched *s, struct cohort *c)
{
    if (cohort_is_fair(c) || c->n_heads < 2)
        return;
    struct standing *all = sched_scratch(s, c->n_heads * sizeof *all);
    for (uint32_t i = 0; i < c->n_heads; i++)
        all[i] = (struct standing){ c->heads[i], c->queue[c->heads[i]].nomination.height, head_of(s, c, c->heads[i]) };
    qsort(all, c->n_heads, sizeof *all, by_height);
    for (uint32_t i = 0; i < c->n_heads; i++)
        c->heads[i] = all[i].queue;
}

/* ---- The tournament ---- */

struct contestant { uint32_t queue; bool borrows; struct cohort_share share; };    /* as seen at the node that sends it */

static struct contestant seen_at(struct sched *s, struct cohort *c, uint32_t queue, uint32_t node)
{
    struct cohort_books *b = &c->books;
    struct contestant x = { .queue = queue };
    int64_t need[COHORT_CELLS];
    cohort_need(s, c, c->queue[queue].head, c->queue[queue].nomination.tasks, need);
    cohort_use(b, queue, need, 1);
    for (uint32_t cell = 0; cell < b->cells; cell++)
        x.borrows |= need[cell] > 0 && cohort_borrows(b, node, cell, 0);
    x.share = cohort_share_of(b, node, c->search.weight[node]);
    cohort_use(b, queue, need, -1);
    return x;
}

static bool beats(struct sched *s, const struct cohort *c, const struct contestant *a, const struct contestant *b)
{
    if (a->borrows != b->borrows)
        return b->borrows;
    int shares = cohort_share_compare(a->share, b->share);
    return shares ? shares < 0 : by_age(head_of(s, c, a->queue), head_of(s, c, b->queue)) < 0;
}

/* The head of the tree of `root`: children have higher numbers than their parents, so each node is complete when it is met. */
static uint32_t winner(struct sched *s, struct cohort *c, uint32_t root, uint32_t from)
{
    struct contestant *best = sched_scratch(s, c->books.n * sizeof *best);
    bool *sends = sched_scratch(s, c->books.n * sizeof *sends);
    for (uint32_t i = from; i < c->n_heads; i++)
        if (c->books.root[c->heads[i]] == root) {
            best[c->heads[i]].queue = c->heads[i];
            sends[c->heads[i]] = true;
        }
    for (uint32_t v = c->books.n; v-- > 0;) {
        uint32_t up = c->books.parent[v];
        if (!sends[v] || up == ID_NONE)
            continue;
        struct contestant x = seen_at(s, c, best[v].queue, v);
        if (!sends[up] || beats(s, c, &x, &best[up]))
            best[up] = x;
        sends[up] = true;
    }
    return best[root].queue;
}

void cohort_order_next(struct sched *s, struct cohort *c, uint32_t from)
{
    if (!cohort_is_fair(c) || from + 1 >= c->n_heads)
        return;
    uint32_t first = winner(s, c, c->books.root[c->heads[from]], from), i = from;
    while (c->heads[i] != first)
        i++;
    c->heads[i] = c->heads[from];
    c->heads[from] = first;
}
