/* nominate.c - what the head of a queue asks for, as an entry of a cycle (cycle.h); whether it has
 * a place; and why it waits. */
#include "policies/kueue/cohort.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

/* ---- What it asks for ---- */

static int64_t part_of(const struct amount *a, uint32_t resource)
{
    return resource == 0 ? a->gpu_milli : resource == 1 ? a->cpu_milli : a->mem_mib;
}

static void grow_nomination(struct sched *s, struct cohort *c, struct nomination *n, uint32_t sets)
{
    uint32_t cells = c->books.cells;
    size_t size = cohort_assignment_size(sets, COHORT_PARTS, cells);
    n->sets = sets;
    n->set = sched_alloc(s, sets * sizeof *n->set);
    n->each = sched_alloc(s, (size_t)sets * COHORT_PARTS * sizeof *n->each);
    n->tried = sched_alloc(s, (size_t)sets * COHORT_PARTS * sizeof *n->tried);
    n->entry.cells = sched_alloc(s, cells * sizeof *n->entry.cells);
    cohort_assignment_lay(&n->entry.a, sets, COHORT_PARTS, cells, sched_alloc(s, size));
    cohort_assignment_lay(&n->entry.spare, sets, COHORT_PARTS, cells, sched_alloc(s, size));
    if (sets <= c->desk_sets)
        return;
    c->desk_sets = sets;
    c->desk.full = sched_alloc(s, sets * sizeof *c->desk.full);
    c->desk.fewer = sched_alloc(s, sets * sizeof *c->desk.fewer);
}

static uint32_t runs_of(const struct request *r)
{
    uint32_t n = 0;
    for (; r; r = r->next)
        n++;
    return n;
}

/* Of one task of the run; under SPLIT_ANY of the whole. */
static void fill_set(const struct cohort *c, uint32_t queue, const struct request *run,
                     uint32_t number, struct cohort_set *set, int64_t *each)
{
    struct request alone = *run;
    alone.next = NULL;
    struct amount size = request_size(&alone);
    uint32_t tasks = run->tasks == SPLIT_ANY ? 1 : run->tasks;
    for (uint32_t r = 0; r < COHORT_PARTS; r++) {
        int64_t part = part_of(&size, r);
        bool asks = part > 0 && c->counted[(size_t)queue * COHORT_PARTS + r];
        each[r] = asks ? part / tasks : -1;
    }
    *set = (struct cohort_set){ .count = tasks, .least = tasks, .group = number, .each = each };
}

static void fill_sets(struct sched *s, struct cohort *c, struct nomination *n, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    uint32_t i = 0, sets = runs_of(f->ask);
    if (sets > n->sets)
        grow_nomination(s, c, n, sets);
    for (const struct request *r = f->ask; r; r = r->next, i++)
        fill_set(c, f->queue, r, i, &n->set[i], &n->each[(size_t)i * COHORT_PARTS]);
    n->entry.head.set = n->set;
    n->entry.head.n_sets = sets;
}

void cohort_fill_entry(struct sched *s, struct cohort *c, struct cohort_queue *q)
{
    struct nomination *n = &q->nomination;
    const struct job_facts *f = job_facts(s, q->head);
    const struct entrant *own = job_own(s, q->head);
    bool same = n->job == q->head;
    fill_sets(s, c, n, q->head);
    /* it can move only as a whole, and so do unlike tasks */
    if (f->ask->tasks != SPLIT_ANY && !f->ask->next && own->evicted != c->pass)
        n->set[0].least = min_u32(f->min_tasks, n->set[0].count);
    n->entry.head.as = own->as;
    n->entry.nominated = q->settled;
    n->entry.tried = same && n->goes_on ? n->tried : NULL;
    n->goes_on = same && n->goes_on;
    n->job = q->head;
    n->no_place = WAIT_REASONS;
    n->changes = cohort_tree_of(c, own->as.queue)->changes;
    n->room = sched_room_version(s);
}

void cohort_need(struct sched *s, struct cohort *c, job_id j, uint32_t tasks, int64_t *need)
{
    const struct job_facts *f = job_facts(s, j);
    struct nomination *n = &c->scratch;
    uint32_t all = request_tasks(f->ask);
    fill_sets(s, c, n, j);
    memset(need, 0, c->books.cells * sizeof *need);
    for (uint32_t i = 0; i < n->entry.head.n_sets; i++)
        for (uint32_t r = 0; r < COHORT_PARTS; r++) {
            const struct cohort_set *set = &n->set[i];
            uint32_t count = tasks == all ? set->count : min_u32(tasks, set->count);
            if (set->each[r] > 0)
                need[r] += count * set->each[r];
        }
}

/* ---- Why it does not fit ---- */

/* What it asks for; of a set without a flavor, in the first that it may have. */
static void fill_wanted(const struct cohort *c, const struct cohort_entry *e, int64_t *need)
{
    const struct cohort_flavors *flavors = &c->desk.chooser.flavors[e->head.as.queue];
    memcpy(need, e->a.use, c->books.cells * sizeof *need);
    for (uint32_t i = 0; i < e->head.n_sets; i++)
        for (uint32_t r = 0; r < COHORT_PARTS; r++) {
            const struct cohort_set *set = &e->head.set[i];
            if (set->each[r] < 0 || e->a.flavor[(size_t)i * COHORT_PARTS + r] != ID_NONE)
                continue;
            uint32_t k = 0;
            while (k + 1 < flavors->group[0].n && set->allowed &&
                   !set->allowed[flavors->group[0].flavor[k]])
                k++;
            need[flavors->group[0].flavor[k] * COHORT_PARTS + r] += set->count * set->each[r];
        }
}

/* It would fit without the borrowing limits on the way up. */
static bool limit_binds(const struct cohort *c, uint32_t queue, const int64_t *wanted)
{
    const struct cohort_books *b = &c->books;
    for (uint32_t cell = 0; cell < b->cells; cell++) {
        int64_t need = wanted[cell], left = 0;
        if (!need || need <= cohort_available(b, queue, cell))
            continue;
        for (uint32_t v = queue; v != ID_NONE; v = b->parent[v])
            left += b->parent[v] == ID_NONE
                        ? b->subtree[cohort_at(b, v, cell)] - b->usage[cohort_at(b, v, cell)]
                        : cohort_local_available(b, v, cell);
        if (need <= left || b->parent[queue] == ID_NONE)
            return true;
    }
    return false;
}

static bool is_owed(const struct cohort *c, uint32_t queue, const int64_t *wanted)
{
    for (uint32_t cell = 0; cell < c->books.cells; cell++)
        if (wanted[cell] && cohort_borrows(&c->books, queue, cell, wanted[cell]))
            return false;
    return true;
}

void cohort_explain(struct cohort *c, struct cohort_queue *q)
{
    struct nomination *n = &q->nomination;
    uint32_t queue = n->entry.head.as.queue;
    if (n->no_place != WAIT_REASONS) {
        n->why = n->no_place;
        return;
    }
    fill_wanted(c, &n->entry, n->entry.cells);
    n->why = is_owed(c, queue, n->entry.cells)       ? WAIT_PROTECTED
             : limit_binds(c, queue, n->entry.cells) ? WAIT_LIMIT
                                                     : WAIT_QUOTA;
}

bool cohort_never_fits(struct cohort *c, struct cohort_queue *q)
{
    struct cohort_entry *e = &q->nomination.entry;
    struct cohort_chooser chooser = c->desk.chooser;
    chooser.simulate = NULL;
    for (uint32_t i = 0; i < e->head.n_sets; i++)
        c->desk.fewer[i] = e->head.set[i].least;
    cohort_assign(&chooser, &e->head, c->desk.fewer, NULL, NULL, &e->spare);
    return e->spare.mode == MODE_NO_FIT && e->spare.why >= NO_FIT_NEVER;
}

/* ---- Places: only under placement=wait ---- */

static struct nomination *now(const struct cohort *c)
{
    return &c->queue[c->desk.now->head.as.queue].nomination;
}

static struct request ask_now(const struct cohort *c)
{
    const struct cohort_entry *e = c->desk.now;
    return cohort_request(c->sched, e->head.as.id, cohort_tasks(c, e));
}

uint32_t cohort_tasks(const struct cohort *c, const struct cohort_entry *e)
{
    const struct request *ask = job_facts(c->sched, e->head.as.id)->ask;
    return ask->tasks == SPLIT_ANY || ask->next ? request_tasks(ask) : e->a.count[0];
}

static void begin(void *self)
{
    struct cohort *c = self;
    c->before = sched_mark(c->sched);
    c->searches = true;
}

static void end(void *self)
{
    struct cohort *c = self;
    sched_rollback(c->sched, c->before);
    c->searches = false;
}

static void vacate(void *self, const struct cohort_workload *w)
{
    struct cohort *c = self;
    if (job_state(c->sched, w->id) == JOB_RUNNING)
        sched_stop(c->sched, w->id, STOP_SAVE);
}

static bool restore(void *self, const struct cohort_workload *w)
{
    struct cohort *c = self;
    return w->leaving || job_state(c->sched, w->id) != JOB_RELEASING ||
           sched_keep(c->sched, w->id) == SCHED_OK;
}

static bool room(void *self)
{
    struct cohort *c = self;
    struct request ask = ask_now(c);
    const struct view *v = sched_view(c->sched, c->searches ? FREE_OR_RELEASING : FREE_IDLE);
    now(c)->no_place = WAIT_REASONS;
    if (sched_fits(c->sched, v, &ask))
        return true;
    now(c)->no_place = sched_why_not(c->sched);
    return false;
}

/* ---- Memory that all queues share ---- */

static void *grow(void *self, size_t bytes)
{
    const struct cohort *c = self;
    return sched_alloc(c->sched, bytes);
}

void cohort_begin_desk(struct sched *s, struct cohort *c)
{
    struct cohort_desk *d = &c->desk;
    const struct cohort_books *b = &c->books;
    c->places = (struct cohort_places){
        .self = c, .vacate = vacate, .restore = restore, .room = room
    };
    d->search_begins = begin;
    d->search_ends = end;
    d->places = cohort_wants_place(c) ? &c->places : NULL;
    d->final_share = c->params->sharing != SHARING_INITIAL_SHARE;
    d->initial_share = c->params->sharing != SHARING_FINAL_SHARE;
    d->grow = grow;
    d->self = c;
    d->one = sched_alloc(s, b->cells * sizeof *d->one);
    d->one_contested = sched_alloc(s, b->cells * sizeof *d->one_contested);
    d->best = sched_alloc(s, b->n * sizeof *d->best);
    d->sends = sched_alloc(s, b->n * sizeof *d->sends);
    c->entries = sched_alloc(s, b->n * sizeof(struct cohort_entry *));
}
