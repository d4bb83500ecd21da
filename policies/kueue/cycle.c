/* cycle.c - cycles: a head of each queue is nominated, and the heads are processed in order against
 * the changing books.
 *
 * After kubernetes-sigs/kueue:pkg/scheduler/scheduler.go (schedule, processEntry). A preemptor
 * holds its quota until the cycle ends, while that of its victims counts as gone. A head that
 * shares a victim with one before it, or no longer fits, is met again in the next cycle. A head
 * without victims that cannot reclaim its own quota reserves what it may have of its request until
 * the cycle ends, so that others do not borrow it.
 *
 * The order of heads is that of order.h. By shares: a tournament at each cohort, from the leaves
 * up, between the nodes just below it. The winner of the root is processed, and the tournament held
 * again (fair_sharing_iterator.go). */
#include "policies/kueue/cohort.h"
#include "policies/kueue/order.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <stdlib.h>

/* ---- The order of heads ---- */

static int classical(const void *a, const void *b)
{
    return cohort_compare_classical(a, b);
}

static const struct cohort_workload *head_of(struct sched *s, const struct cohort *c,
                                             uint32_t queue)
{
    return &((const struct entrant *)job_own(s, c->queue[queue].head))->as;
}

static void order_heads(struct sched *s, struct cohort *c)
{
    if (cohort_is_fair(c) || c->n_heads < 2)
        return;
    struct standing *all = sched_scratch(s, c->n_heads * sizeof *all);
    for (uint32_t i = 0; i < c->n_heads; i++)
        all[i] = (struct standing){ .queue = c->heads[i],
                                    .as = head_of(s, c, c->heads[i]),
                                    .height = c->queue[c->heads[i]].nomination.height };
    qsort(all, c->n_heads, sizeof *all, classical);
    for (uint32_t i = 0; i < c->n_heads; i++)
        c->heads[i] = all[i].queue;
}

/* ---- The tournament ---- */

/* As seen at the node that sends it. */
static struct standing seen_at(struct sched *s, struct cohort *c, uint32_t queue, uint32_t node)
{
    struct standing x = { .queue = queue, .as = head_of(s, c, queue) };
    int64_t need[COHORT_CELLS];
    cohort_need(s, c, c->queue[queue].head, c->queue[queue].nomination.tasks, need);
    cohort_stand_at(&c->books, node, c->search.weight[node], need, &x);
    return x;
}

/* The winner of the tree of `root`: children have higher numbers than their parents, so each node
 * is complete when it is met. */
static uint32_t winner(struct sched *s, struct cohort *c, uint32_t root, uint32_t from)
{
    struct standing *best = sched_scratch(s, c->books.n * sizeof *best);
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
        struct standing x = seen_at(s, c, best[v].queue, v);
        if (!sends[up] || cohort_compare_by_share(&x, &best[up]) < 0)
            best[up] = x;
        sends[up] = true;
    }
    return best[root].queue;
}

static void order_next(struct sched *s, struct cohort *c, uint32_t from)
{
    if (!cohort_is_fair(c) || from + 1 >= c->n_heads)
        return;
    uint32_t first = winner(s, c, c->books.root[c->heads[from]], from), i = from;
    while (c->heads[i] != first)
        i++;
    c->heads[i] = c->heads[from];
    c->heads[from] = first;
}

/* ---- Changes that last until the cycle ends ---- */

static void use_for_now(struct sched *s, struct cohort *c, uint32_t queue, const int64_t *need,
                        int sign)
{
    c->temporary = array_grown(sched_alloc, s, c->temporary, &c->temporary_capacity, c->n_temporary,
                               sizeof *c->temporary);
    struct temporary *t = &c->temporary[c->n_temporary++];
    *t = (struct temporary){ .queue = queue, .sign = sign };
    for (uint32_t cell = 0; cell < c->books.cells; cell++)
        t->need[cell] = need[cell];
    cohort_use(&c->books, queue, need, sign);
}

static void undo_since(struct cohort *c, uint32_t n)
{
    while (c->n_temporary > n) {
        const struct temporary *t = &c->temporary[--c->n_temporary];
        cohort_use(&c->books, t->queue, t->need, -t->sign);
    }
}

/* ---- Heads ---- */

static void forget_stuck(struct sched *s, struct cohort_queue *q, job_id now)
{
    if (q->stuck != now && q->stuck != ID_NONE)
        sched_blocked(s, q->stuck, WAIT_GROUP);
    q->stuck = now;
}

static bool is_strict(const struct cohort *c, uint32_t v)
{
    return c->rules[v].queueing == STRICT_FIFO;
}

/* The next head of a best-effort queue. ID_NONE: all have been tried. */
static job_id walk_on(struct cohort_queue *q)
{
    job_id j;
    if (!q->all)
        return line_first(q->fresh, &j, NULL) ? j : ID_NONE;
    if (line_next(&q->walk, &j))
        return j;
    /* what came free since has not been offered to all */
    q->tried = q->opened;
    q->all = false;
    while (line_first(q->fresh, &j, NULL))
        line_remove(q->fresh, j);
    return ID_NONE;
}

static void find_head(const struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    job_id j = ID_NONE, was = q->head;
    if (q->preemptor != ID_NONE)
        q->head = q->preemptor;
    else if (is_strict(c, v))
        q->head = line_first(q->waiting, &j, NULL) ? j : ID_NONE;
    else if (q->head == ID_NONE)
        q->head = walk_on(q);
    if (q->head != was)
        q->settled = false;
}

/* Leaves the head; in a best-effort queue the next one follows. */
static void pass_over(struct cohort_queue *q)
{
    if (!q->all)
        line_remove(q->fresh, q->head);
    q->head = ID_NONE;
    q->settled = false;
}

/* ---- Processing a head ---- */

static void set_aside(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    const struct job_facts *f = job_facts(s, q->head);
    bool one_of_many =
        f->min_tasks >= request_tasks(f->ask) || f->ask->tasks == SPLIT_ANY || f->ask->next;
    if (is_strict(c, v)) {
        forget_stuck(s, q, q->head);
        sched_blocked(s, q->head, q->nomination.why);
        q->settled = true;
        return;
    }
    sched_blocked(s, q->head, one_of_many ? WAIT_GROUP : q->nomination.why);
    /* a later job that asks for the same fails the same */
    if (one_of_many) {
        line_blocked(s, q->waiting, f->ask->shape, q->nomination.why);
        if (q->all)
            line_skip_shape(&q->walk, f->ask->shape);
    }
    pass_over(q);
}

static void admit(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    job_id j = q->head;
    struct entrant *e = job_own(s, j);
    e->tasks = q->nomination.tasks;
    cohort_need(s, c, j, e->tasks, e->need);
    pass_over(q);
    line_remove(q->fresh, j);
    line_remove(q->waiting, j);
    q->preemptor = q->preemptor == j ? ID_NONE : q->preemptor;
    if (q->stuck == j)
        q->stuck = ID_NONE;
    cohort_hold(s, c, e);
    if (!cohort_place(s, c, j))
        line_push(c->unplaced, j,
                  (struct line_key){ .major = -e->as.priority, .time_ns = e->as.admitted_ns });
}

static void evict(struct sched *s, struct cohort *c, struct entrant *e, job_id preemptor)
{
    job_id j = e->as.id;
    if (e->as.leaving)
        return;
    uint64_t room = sched_room_version(s);
    if (e->phase == PHASE_PLACED && sched_stop(s, j, STOP_SAVE) != SCHED_OK)
        return;
    if (e->phase == PHASE_PLACED && job_state(s, j) == JOB_RELEASING)
        sched_note(s, j, preemptor);
    e->evicted = c->pass;
    if (job_state(s, j) == JOB_RELEASING && sched_room_version(s) == room) {
        e->as.leaving = true;
        e->phase = PHASE_LEAVING;
        cohort_tree_of(c, e->as.queue)->changes++;
        return;
    }
    /* it had no place, or one of this pass, or leaves at once */
    line_remove(c->unplaced, j);
    cohort_release(s, c, e);
    cohort_list_add(s, &c->resting, j);
    c->unplaced_room = UINT64_MAX;
    c->released = true;
}

static bool overlaps(const struct cohort *c, const struct nomination *n)
{
    for (uint32_t i = 0; i < n->n_victims; i++)
        if (((const struct entrant *)n->victim[i])->cycle == c->cycle)
            return true;
    return false;
}

/* true: a victim is new. */
static bool preempt(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    struct nomination *n = &q->nomination;
    int64_t need[COHORT_CELLS];
    uint32_t before = c->n_temporary;
    bool new = false;
    if (overlaps(c, n))
        return false;
    cohort_need(s, c, q->head, n->tasks, need);
    for (uint32_t i = 0; i < n->n_victims; i++)
        if (cohort_holds_quota((const struct entrant *)n->victim[i]))
            use_for_now(s, c, n->victim[i]->queue, n->victim[i]->need, -1);
    if (!cohort_fits(&c->books, v, need)) {
        undo_since(c, before);
        return false;
    }
    use_for_now(s, c, v, need, 1);
    forget_stuck(s, q, q->head);
    sched_blocked(s, q->head, WAIT_RELEASING);
    q->preemptor = q->head;
    q->settled = q->evicts = true;
    for (uint32_t i = 0; i < n->n_victims; i++) {
        new |= !n->victim[i]->leaving;
        ((struct entrant *)n->victim[i])->cycle = c->cycle;
    }
    return new;
}

/* Victims are evicted when the cycle is over: until then their usage counts as gone. */
static void evict_all(struct sched *s, struct cohort *c)
{
    for (uint32_t i = 0; i < c->n_heads; i++) {
        struct cohort_queue *q = &c->queue[c->heads[i]];
        for (uint32_t k = 0; q->evicts && k < q->nomination.n_victims; k++)
            evict(s, c, (struct entrant *)q->nomination.victim[k], q->preemptor);
        q->evicts = false;
    }
}

static void reserve(struct sched *s, struct cohort *c, uint32_t v)
{
    const struct nomination *n = &c->queue[v].nomination;
    int64_t need[COHORT_CELLS];
    if (n->mode != MODE_NO_VICTIMS || c->rules[v].reclaim == RECLAIM_ANY)
        return;
    cohort_need(s, c, n->job, n->tasks, need);
    cohort_cut_to_reserve(&c->books, v, n->height > 0, need);
    use_for_now(s, c, v, need, 1);
}

static bool no_victims(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    bool was_settled = q->settled, was_preemptor = q->preemptor == q->head;
    reserve(s, c, v);
    q->preemptor = was_preemptor ? ID_NONE : q->preemptor;
    set_aside(s, c, v);
    return !was_settled;
}

static bool never_fits(struct sched *s, struct cohort *c, uint32_t v)
{
    const struct job_facts *f = job_facts(s, c->queue[v].head);
    int64_t need[COHORT_CELLS];
    uint32_t least =
        f->ask->tasks == SPLIT_ANY || f->ask->next ? request_tasks(f->ask) : f->min_tasks;
    cohort_need(s, c, c->queue[v].head, least, need);
    return !cohort_could_fit(&c->books, v, need);
}

/* true: something has changed, for good or for this pass. */
static bool process(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    int64_t need[COHORT_CELLS];
    switch (q->nomination.mode) {
    case MODE_FIT:
        cohort_need(s, c, q->head, q->nomination.tasks, need);
        if (!cohort_fits(&c->books, v, need))
            return false;
        if (cohort_wants_place(c)) {
            struct request ask = cohort_request(s, q->head, q->nomination.tasks);
            if (!sched_fits(s, sched_view(s, FREE_IDLE), &ask))
                return false;
        }
        admit(s, c, v);
        return true;
    case MODE_PREEMPT:
        return preempt(s, c, v);
    case MODE_NO_FIT:
        if (never_fits(s, c, v)) {
            job_id j = q->head;
            sched_refuse(s, j, "asks for more than its queue could ever borrow");
            pass_over(q);
            line_remove(q->fresh, j);
            line_remove(q->waiting, j);
            return true;
        }
        return no_victims(s, c, v);
    case MODE_NO_VICTIMS:
    default:
        return no_victims(s, c, v);
    }
}

/* ---- Cycles ---- */

/* Gathers the heads of this cycle. true: one of them has no nomination that is up to date. */
static bool gather(struct sched *s, struct cohort *c)
{
    bool open = false;
    c->n_heads = 0;
    for (uint32_t i = 0; i < c->n_busy; i++) {
        uint32_t v = c->busy[i];
        struct cohort_queue *q = &c->queue[v];
        find_head(c, v);
        if (q->head == ID_NONE)
            continue;
        bool stale = q->nomination.job != q->head ||
                     q->nomination.changes != cohort_tree_of(c, v)->changes ||
                     (cohort_wants_place(c) && q->nomination.room != sched_room_version(s));
        q->settled = q->settled && !stale;
        open |= !q->settled;
        c->heads[c->n_heads++] = v;
    }
    return open;
}

static bool run_cycle(struct sched *s, struct cohort *c)
{
    bool changed = false;
    c->cycle++;
    for (uint32_t i = 0; i < c->n_heads; i++)
        if (!c->queue[c->heads[i]].settled)
            cohort_nominate(s, c, &c->queue[c->heads[i]]);
    order_heads(s, c);
    for (uint32_t i = 0; i < c->n_heads; i++) {
        order_next(s, c, i);
        changed |= process(s, c, c->heads[i]);
    }
    undo_since(c, 0);
    evict_all(s, c);
    return changed;
}

void cohort_run_cycles(struct sched *s, struct cohort *c)
{
    while (gather(s, c) && run_cycle(s, c))
        ;
    for (uint32_t i = 0; i < c->n_busy; i++) {
        struct cohort_queue *q = &c->queue[c->busy[i]];
        /* others hold what it asks for until the next pass */
        if (q->head != ID_NONE && !q->settled)
            sched_blocked(s, q->head, WAIT_RESERVED);
    }
}
