/* heads.c - the heads of the queues for each cycle of a pass, and what comes of it: jobs are
 * admitted, others evicted, the rest set aside. See cycle.h.
 *
 * A preemptor stays the head of its queue until its victims have left. A head that shares a victim
 * with one before it, or no longer fits, is met again in the next cycle. */
#include "policies/kueue/cohort.h"
#include "sim/contract/util/array.h"

#include <string.h>

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

/* For cohort_desk.admit. */
static bool admit(void *self, struct cohort_entry *entry)
{
    struct cohort *c = self;
    struct sched *s = c->sched;
    struct cohort_queue *q = &c->queue[entry->head.as.queue];
    job_id j = q->head;
    struct entrant *e = job_own(s, j);
    if (c->desk.places && !c->places.room(c))
        return false;
    e->tasks = cohort_tasks(c, entry);
    cohort_take_flavors(c, &q->nomination, e);
    if (cohort_runs(c, e)[0]) /* a job counts whole, in the flavor of its first run */
        sched_count_in(s, j, cohort_runs(c, e)[0] - 1u);
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
    return true;
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

/* true: a victim is new. */
static bool preempt(struct sched *s, struct cohort_queue *q)
{
    const struct cohort_entry *e = &q->nomination.entry;
    bool new = false;
    forget_stuck(s, q, q->head);
    sched_blocked(s, q->head, WAIT_RELEASING);
    q->preemptor = q->head;
    q->settled = q->evicts = true;
    for (uint32_t i = 0; i < e->n_victims; i++)
        new |= !e->victim[i].workload->leaving;
    return new;
}

/* Victims are evicted when the cycle is over: until then their usage counts as gone. */
static void evict_all(struct sched *s, struct cohort *c)
{
    for (uint32_t i = 0; i < c->n_heads; i++) {
        struct cohort_queue *q = &c->queue[c->heads[i]];
        const struct cohort_entry *e = &q->nomination.entry;
        for (uint32_t k = 0; q->evicts && k < e->n_victims; k++)
            evict(s, c, (struct entrant *)e->victim[k].workload, q->preemptor);
        q->evicts = false;
    }
}

static void refuse(struct sched *s, struct cohort_queue *q)
{
    job_id j = q->head;
    sched_refuse(s, j, q->nomination.entry.spare.why == NO_FIT_NEVER
                           ? "asks for more than its queue could ever borrow"
                           : "may use no flavor of its queue");
    pass_over(q);
    line_remove(q->fresh, j);
    line_remove(q->waiting, j);
}

/* It has flavors left to try, and goes on there. */
static void go_on(struct nomination *n)
{
    const struct cohort_assignment *a = &n->entry.a;
    n->goes_on = true;
    memcpy(n->tried, a->tried, (size_t)n->entry.head.n_sets * COHORT_PARTS * sizeof *n->tried);
}

static bool no_victims(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    bool was_settled = q->settled;
    if (cohort_tries_again(&c->desk, &q->nomination.entry) && !was_settled) {
        go_on(&q->nomination);
        return true;
    }
    if (q->preemptor == q->head)
        q->preemptor = ID_NONE;
    if (!was_settled)
        cohort_explain(c, q);
    set_aside(s, c, v);
    return !was_settled;
}

/* true: something has changed, for good or for this pass. */
static bool conclude(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    switch (q->nomination.entry.outcome) {
    case OUTCOME_ADMITTED:
        return true;
    case OUTCOME_PREEMPTS:
        return preempt(s, q);
    case OUTCOME_NO_FIT:
        if (cohort_never_fits(c, q)) {
            refuse(s, q);
            return true;
        }
        return no_victims(s, c, v);
    case OUTCOME_NO_VICTIMS:
        return no_victims(s, c, v);
    default:
        return false;
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
    c->desk.admit = admit;
    for (uint32_t i = 0; i < c->n_heads; i++) {
        struct cohort_queue *q = &c->queue[c->heads[i]];
        if (!q->settled)
            cohort_fill_entry(s, c, q);
        q->nomination.entry.nominated = q->settled;
        c->entries[i] = &q->nomination.entry;
    }
    cohort_cycle(&c->desk, c->entries, c->n_heads);
    for (uint32_t i = 0; i < c->n_heads; i++) {
        c->heads[i] = c->entries[i]->head.as.queue;
        changed |= conclude(s, c, c->heads[i]);
    }
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
