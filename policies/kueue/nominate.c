/* nominate.c - whether a head can be admitted, with which victims, or why not; with fewer tasks, if
 * it may have fewer.
 *
 * After kubernetes-sigs/kueue:pkg/scheduler/scheduler.go (getInitialAssignments),
 * flavorassigner/flavorassigner.go (fitsResourceQuota) and flavorassigner/podset_reducer.go: all
 * tasks if that fits or evicting helps; else the most tasks, by bisection between all and the
 * minimum, for which it does. */
#include "policies/kueue/cohort.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

struct trial {                    /* one number of tasks of one head */
    struct sched *s;
    struct cohort *c;
    struct cohort_queue *q;
    job_id job;
    struct cohort_workload as;
    int64_t need[COHORT_CELLS];
    bool contested[COHORT_CELLS];
    uint32_t tasks;
    struct request ask;
    enum wait_reason no_place;
};

/* ---- Why it does not fit ---- */

/* It would fit without the borrowing limits on the way up. */
static bool limit_binds(const struct trial *t)
{
    const struct cohort_books *b = &t->c->books;
    for (uint32_t cell = 0; cell < b->cells; cell++) {
        int64_t need = t->need[cell], left = 0;
        if (!need || need <= cohort_available(b, t->as.queue, cell))
            continue;
        for (uint32_t v = t->as.queue; v != ID_NONE; v = b->parent[v])
            left += b->parent[v] == ID_NONE
                        ? b->subtree[cohort_at(b, v, cell)] - b->usage[cohort_at(b, v, cell)]
                        : cohort_local_available(b, v, cell);
        if (need <= left || b->parent[t->as.queue] == ID_NONE)
            return true;
    }
    return false;
}

static bool is_owed(const struct trial *t)
{
    const struct cohort_books *b = &t->c->books;
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (t->need[cell] && cohort_borrows(b, t->as.queue, cell, t->need[cell]))
            return false;
    return true;
}

static enum wait_reason why_not(const struct trial *t)
{
    if (t->no_place != WAIT_REASONS)
        return t->no_place;
    return is_owed(t) ? WAIT_PROTECTED : limit_binds(t) ? WAIT_LIMIT : WAIT_QUOTA;
}

/* ---- Places: only under placement=wait ---- */

static void vacate(void *self, const struct cohort_workload *w)
{
    struct trial *t = self;
    if (job_state(t->s, w->id) == JOB_RUNNING)
        sched_stop(t->s, w->id, STOP_SAVE);
}

static bool restore(void *self, const struct cohort_workload *w)
{
    struct trial *t = self;
    return w->leaving || job_state(t->s, w->id) != JOB_RELEASING ||
           sched_keep(t->s, w->id) == SCHED_OK;
}

static bool room(void *self)
{
    struct trial *t = self;
    if (sched_fits(t->s, sched_view(t->s, FREE_OR_RELEASING), &t->ask))
        return true;
    t->no_place = sched_why_not(t->s);
    return false;
}

/* ---- One trial ---- */

static bool search(struct trial *t)
{
    struct cohort_search *s = &t->c->search;
    const struct cohort_places places = { t, vacate, restore, room };
    const struct cohort_params *p = t->c->params;
    s->places = cohort_wants_place(t->c) ? &places : NULL;
    sched_mark_t before = s->places ? sched_mark(t->s) : 0;
    bool found = cohort_is_fair(t->c) ? cohort_search_fair(s, &t->as, t->contested,
                                                           p->sharing != SHARING_INITIAL_SHARE,
                                                           p->sharing != SHARING_FINAL_SHARE)
                                      : cohort_search_classical(s, &t->as, t->contested);
    if (s->places)
        sched_rollback(t->s, before);
    s->places = NULL;
    return found;
}

/* Evicting may make room for it in this cell. */
static bool may_preempt(const struct trial *t, uint32_t cell, bool more_above)
{
    const struct cohort_rules *rules = &t->c->rules[t->as.queue];
    return t->need[cell] <= t->c->books.quota[cohort_at(&t->c->books, t->as.queue, cell)].nominal ||
           more_above || rules->within_queue != WITHIN_NEVER || rules->borrow != BORROW_NEVER ||
           (cohort_is_fair(t->c) && rules->reclaim != RECLAIM_NEVER);
}

/* By quota alone: it fits, evicting may help, or neither. Marks the cells that are short. */
static enum mode mode_by_quota(struct trial *t)
{
    const struct cohort_books *b = &t->c->books;
    enum mode mode = MODE_FIT;
    memset(t->contested, 0, sizeof t->contested);
    for (uint32_t cell = 0; cell < b->cells; cell++) {
        bool more_above;
        if (t->need[cell] <= 0 || t->need[cell] <= cohort_available(b, t->as.queue, cell))
            continue;
        cohort_borrow_height(b, t->as.queue, cell, t->need[cell], &more_above);
        if (t->need[cell] > b->potential[cohort_at(b, t->as.queue, cell)] ||
            !may_preempt(t, cell, more_above))
            return MODE_NO_FIT;
        t->contested[cell] = true;
        mode = MODE_PREEMPT;
    }
    return mode;
}

static uint32_t height_of(const struct trial *t)
{
    const struct cohort_books *b = &t->c->books;
    uint32_t height = 0;
    for (uint32_t cell = 0; cell < b->cells; cell++) {
        bool more_above;
        uint32_t h = t->need[cell]
                         ? cohort_borrow_height(b, t->as.queue, cell, t->need[cell], &more_above)
                         : 0;
        height = max_u32(height, h);
    }
    return height;
}

static enum mode mode_of(struct trial *t, uint32_t tasks)
{
    t->tasks = tasks;
    t->no_place = WAIT_REASONS;
    t->ask = cohort_request(t->s, t->job, tasks);
    cohort_need(t->s, t->c, t->job, tasks, t->need);
    t->c->search.n_victims = 0;
    enum mode mode = mode_by_quota(t);
    if (mode == MODE_FIT && cohort_wants_place(t->c) &&
        !sched_fits(t->s, sched_view(t->s, FREE_IDLE), &t->ask)) {
        t->no_place = sched_why_not(t->s);
        for (uint32_t cell = 0; cell < t->c->books.cells; cell++)
            t->contested[cell] = t->need[cell] > 0;
        mode = MODE_PREEMPT;
    }
    if (mode != MODE_PREEMPT)
        return mode;
    return search(t) ? MODE_PREEMPT : MODE_NO_VICTIMS;
}

/* ---- The nomination ---- */

static void keep(struct trial *t, enum mode mode)
{
    struct nomination *n = &t->q->nomination;
    const struct cohort_search *found = &t->c->search;
    if (found->n_victims > n->capacity) {
        n->capacity = 2 * found->n_victims;
        n->victim = sched_alloc(t->s, n->capacity * sizeof(struct cohort_workload *));
    }
    n->job = t->job;
    n->mode = mode;
    n->tasks = t->tasks;
    n->n_victims = found->n_victims;
    n->changes = cohort_tree_of(t->c, t->as.queue)->changes;
    n->room = sched_room_version(t->s);
    for (uint32_t i = 0; i < n->n_victims; i++) {
        n->victim[i] = found->victim[i].workload;
        cohort_use(&t->c->books, n->victim[i]->queue, n->victim[i]->need, -1);
    }
    n->height = height_of(t);
    for (uint32_t i = 0; i < n->n_victims; i++)
        cohort_use(&t->c->books, n->victim[i]->queue, n->victim[i]->need, 1);
    n->why = mode == MODE_FIT ? WAIT_ORDER : mode == MODE_PREEMPT ? WAIT_RELEASING : why_not(t);
}

static bool would_do(enum mode mode)
{
    return mode == MODE_FIT || mode == MODE_PREEMPT;
}

/* The smallest reduction that does, if a job that does with some tasks does with fewer. */
static bool reduce(struct trial *t, uint32_t all, uint32_t least)
{
    /* none below `low` does; `high` does, or is one too many */
    uint32_t low = 1, high = all - least + 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (would_do(mode_of(t, all - middle)))
            high = middle;
        else
            low = middle + 1;
    }
    enum mode mode = high <= all - least ? mode_of(t, all - high) : MODE_NO_FIT;
    if (would_do(mode))
        keep(t, mode);
    return would_do(mode);
}

void cohort_nominate(struct sched *s, struct cohort *c, struct cohort_queue *q)
{
    const struct job_facts *f = job_facts(s, q->head);
    const struct entrant *own = job_own(s, q->head);
    struct trial t = { .s = s, .c = c, .q = q, .job = q->head, .as = own->as };
    uint32_t all = request_tasks(f->ask);
    t.as.need = t.need;
    enum mode mode = mode_of(&t, all);
    /* it can move only as a whole, and so do unlike tasks */
    bool fewer = all != SPLIT_ANY && !f->ask->next && f->min_tasks < all && own->evicted != c->pass;
    if (!would_do(mode) && fewer && reduce(&t, all, f->min_tasks))
        return;
    if (!would_do(mode) && fewer)
        mode = mode_of(&t, all);
    keep(&t, mode);
}
