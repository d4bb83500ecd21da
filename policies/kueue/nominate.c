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
    n->runs = sched_alloc(s, sets * sizeof *n->runs);
    if (c->flavored)
        n->allowed = sched_alloc(s, sets * c->desk.chooser.n_flavors * sizeof *n->allowed);
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
    if (run->set && run->set->n_slices)
        set->slice = run->set->slice[0].tasks;
}

/* Leader and workers are one group, by the number of the first; other runs are groups of their
 * own. */
static uint32_t group_of(const struct request *ask, const struct request *run)
{
    uint32_t number = 0, together = run->set ? run->set->together : 0;
    for (; ask != run; ask = ask->next, number++)
        if (together && ask->set && ask->set->together == together)
            break;
    return number;
}

/* A job of one run may use only flavors with nodes that could hold it: otherwise it would wait
 * there for ever. */
static void fill_allowed(struct sched *s, const struct cohort *c, struct nomination *n, job_id j,
                         const struct request *run, uint32_t number)
{
    uint32_t flavors = c->desk.chooser.n_flavors;
    bool *allowed = c->flavored ? &n->allowed[(size_t)number * flavors] : NULL;
    bool alone = !job_facts(s, j)->ask->next;
    for (uint32_t f = 0; f < flavors && allowed; f++)
        allowed[f] = flavor_allows(s, f, run) && (!alone || flavor_holds(s, f, j));
    n->set[number].allowed = allowed;
}

static void fill_sets(struct sched *s, struct cohort *c, struct nomination *n, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    uint32_t i = 0, sets = runs_of(f->ask);
    if (sets > n->sets)
        grow_nomination(s, c, n, sets);
    for (const struct request *r = f->ask; r; r = r->next, i++) {
        fill_set(c, cohort_home(s, c, j), r, group_of(f->ask, r), &n->set[i],
                 &n->each[(size_t)i * COHORT_PARTS]);
        fill_allowed(s, c, n, j, r, i);
    }
    n->entry.head.set = n->set;
    n->entry.head.n_sets = sets;
}

bool cohort_moves(const struct sched *s, job_id j)
{
    return job_state(s, j) == JOB_RELEASING;
}

void cohort_fill_entry(struct sched *s, struct cohort *c, struct cohort_queue *q)
{
    struct nomination *n = &q->nomination;
    const struct job_facts *f = job_facts(s, q->head);
    const struct entrant *own = job_own(s, q->head);
    bool same = n->job == q->head && n->releases == cohort_tree_of(c, own->as.queue)->releases;
    fill_sets(s, c, n, q->head);
    /* unlike tasks are admitted together */
    n->moves = cohort_moves(s, q->head);
    if (f->ask->tasks != SPLIT_ANY && !f->ask->next && !n->moves)
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

/* 1 + the flavor, of the group with that resource, of the node on which the run has its first
 * piece; 0: it has none. */
static uint16_t flavor_held(struct sched *s, const struct cohort *c, job_id j,
                            const struct request *run, uint32_t resource)
{
    const struct placement *held = job_placement(s, j);
    const struct cohort_flavors *flavors = &c->desk.chooser.flavors[cohort_home(s, c, j)];
    const struct piece *piece =
        held ? run->tasks == SPLIT_ANY ? held->piece : placement_task(held, run->first_task) : NULL;
    for (uint32_t g = 0; g < flavors->n_groups && piece; g++)
        for (uint32_t k = 0; k < flavors->group[g].n && flavors->group[g].covers[resource]; k++) {
            struct request in = *run;
            in.flavor = (uint16_t)(flavors->group[g].flavor[k] + 1);
            if (view_allows(sched_view(s, FREE_IDLE), &in, piece->node))
                return in.flavor;
        }
    return 0;
}

/* What the run takes; 1 + the flavor in which it is placed. On nodes of no flavor of its queue it
 * takes no quota. */
static uint16_t add_need(struct sched *s, const struct cohort *c, struct entrant *e,
                         const struct request *run, const struct cohort_set *set, uint32_t count)
{
    uint16_t first = 0;
    for (uint32_t r = 0; r < COHORT_PARTS; r++) {
        if (set->each[r] <= 0)
            continue;
        uint16_t flavor = c->flavored ? flavor_held(s, c, e->as.id, run, r) : 0;
        if (flavor || !c->flavored)
            e->need[(flavor ? flavor - 1u : 0) * COHORT_PARTS + r] += count * set->each[r];
        first = first ? first : flavor;
    }
    return first;
}

void cohort_need(struct sched *s, struct cohort *c, struct entrant *e, uint32_t tasks)
{
    const struct job_facts *f = job_facts(s, e->as.id);
    struct nomination *n = &c->scratch;
    const struct request *run = f->ask;
    uint32_t all = request_tasks(f->ask);
    fill_sets(s, c, n, e->as.id);
    memset(e->need, 0, c->books.cells * sizeof *e->need);
    for (uint32_t i = 0; run; run = run->next, i++) {
        const struct cohort_set *set = &n->set[i];
        uint32_t count = tasks == all ? set->count : min_u32(tasks, set->count);
        cohort_runs(c, e)[i] = add_need(s, c, e, run, set, count);
    }
}

/* ---- Why it does not fit ---- */

/* Of the group with that resource, among those that the set may use; ID_NONE: none. */
static uint32_t first_flavor(const struct cohort_flavors *flavors, const struct cohort_set *set,
                             uint32_t resource)
{
    for (uint32_t g = 0; g < flavors->n_groups; g++)
        for (uint32_t k = 0; k < flavors->group[g].n && flavors->group[g].covers[resource]; k++)
            if (!set->allowed || set->allowed[flavors->group[g].flavor[k]])
                return flavors->group[g].flavor[k];
    return ID_NONE;
}

/* What it asks for; of a set without a flavor, in the first that it may have. */
static void fill_wanted(const struct cohort *c, const struct cohort_entry *e, int64_t *need)
{
    const struct cohort_flavors *flavors = &c->desk.chooser.flavors[e->head.as.queue];
    memcpy(need, e->a.use, c->books.cells * sizeof *need);
    for (uint32_t i = 0; i < e->head.n_sets; i++)
        for (uint32_t r = 0; r < COHORT_PARTS; r++) {
            const struct cohort_set *set = &e->head.set[i];
            uint32_t f = first_flavor(flavors, set, r);
            if (set->each[r] >= 0 && f != ID_NONE &&
                e->a.flavor[(size_t)i * COHORT_PARTS + r] == ID_NONE)
                need[f * COHORT_PARTS + r] += set->count * set->each[r];
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

/* A run is placed in the flavor of its GPUs; without GPUs in that of its first resource. */
static void fill_runs(const struct cohort *c, struct nomination *n)
{
    for (uint32_t i = 0; i < n->entry.head.n_sets; i++) {
        const uint32_t *flavor = &n->entry.a.flavor[(size_t)i * COHORT_PARTS];
        uint32_t r = 0;
        while (r + 1 < COHORT_PARTS && flavor[r] == ID_NONE)
            r++;
        n->runs[i] = c->flavored && flavor[r] != ID_NONE ? (uint16_t)(flavor[r] + 1) : 0;
    }
}

void cohort_take_flavors(const struct cohort *c, struct nomination *n, struct entrant *e)
{
    fill_runs(c, n);
    memcpy(e->need, n->entry.a.use, c->books.cells * sizeof *e->need);
    memcpy(cohort_runs(c, e), n->runs, n->entry.head.n_sets * sizeof *n->runs);
}

static struct nomination *now(const struct cohort *c)
{
    return &c->queue[c->desk.now->head.as.queue].nomination;
}

static struct request ask_now(const struct cohort *c)
{
    const struct cohort_entry *e = c->desk.now;
    struct nomination *n = now(c);
    fill_runs(c, n);
    return cohort_request(c->sched, c, e->head.as.id, cohort_tasks(c, e), n->runs);
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
    d->seat = sched_alloc(s, b->n * sizeof *d->seat);
    d->sends = sched_alloc(s, b->n * sizeof *d->sends);
    c->entries = sched_alloc(s, b->n * sizeof(struct cohort_entry *));
}
