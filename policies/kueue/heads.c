/* heads.c - the heads of the queues for each cycle of a pass, and what comes of it: jobs are
 * admitted, others evicted, the rest set aside. See cycle.h.
 *
 * A preemptor stays the head of its queue until its victims have left. A head that shares a victim
 * with one before it, or no longer fits, is met again in the next cycle. */
#include "policies/kueue/cohort.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

/* ---- Heads ---- */

static void forget_stuck(struct sched *s, struct cohort_queue *q, job_id now)
{
    if (q->stuck != now && q->stuck != ID_NONE)
        sched_blocked(s, q->stuck, WAIT_GROUP);
    q->stuck = now;
}

bool cohort_is_strict(const struct cohort *c, uint32_t v)
{
    return c->rules[v].queueing == STRICT_FIFO;
}

/* What came free has been offered to all. */
static void end_walk(struct cohort_queue *q)
{
    q->tried = q->opened;
    q->all = false;
    lanes_all_tried(q);
}

/* The next head of a best-effort queue. ID_NONE: all have been tried. */
static job_id walk_on(struct sched *s, const struct cohort *c, struct cohort_queue *q)
{
    job_id j = lanes_next(s, c, q);
    q->walked = j == ID_NONE;
    if (!q->all || j != ID_NONE)
        return j;
    q->parked.complete = q->parked.records;
    end_walk(q);
    return ID_NONE;
}

static void find_head(struct sched *s, const struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    bool strict = cohort_is_strict(c, v);
    job_id was = q->head;
    if (q->preemptor != ID_NONE)
        q->head = lanes_before(s, c, q, strict);
    else if (strict)
        q->head = lanes_first(s, c, q);
    else if (q->head == ID_NONE)
        q->head = walk_on(s, c, q);
    if (q->head != was)
        q->settled = false;
}

/* Leaves the head; in a best-effort queue the next one follows. */
static void pass_over(struct sched *s, struct cohort *c, struct cohort_queue *q)
{
    if (!q->all)
        lanes_not_fresh(s, c, q->head);
    q->head = ID_NONE;
    q->settled = false;
}

/* ---- Queues that need not be asked (parked.h) ---- */

/* A head that fails may reserve what others would take. */
static bool may_reserve(const struct cohort *c, uint32_t v)
{
    return c->rules[v].reclaim != RECLAIM_ANY;
}

/* By shares what others do may depend on a head that fails, unless its tree is flat. */
static bool is_apart(const struct cohort *c, uint32_t v)
{
    return !cohort_is_fair(c) || (!may_reserve(c, v) && c->books.height[c->books.root[v]] == 1);
}

static bool limits_borrowing(const struct cohort_books *b, uint32_t v)
{
    bool limits = false;
    for (; v != ID_NONE; v = b->parent[v])
        for (uint32_t cell = 0; cell < b->cells; cell++)
            limits |= b->quota[cohort_at(b, v, cell)].borrowing != UNLIMITED;
    return limits;
}

void cohort_begin_parked(struct sched *s, struct cohort *c, uint32_t v)
{
    struct parked *p = &c->queue[v].parked;
    const struct cohort_rules *rules = &c->rules[v];
    p->by_shares = cohort_is_fair(c);
    p->possible = is_apart(c, v) && !cohort_wants_place(c) && !cohort_is_strict(c, v) &&
                  c->queue[v].n_lanes == 1 &&
                  c->desk.chooser.flavors[v].n_groups == 1 && rules->borrow == BORROW_NEVER &&
                  !limits_borrowing(&c->books, v) && !queue_quota_version(s);
    p->reclaims = rules->reclaim != RECLAIM_NEVER;
    p->least = sched_alloc(s, c->books.cells * sizeof *p->least);
}

/* What evicting others of its queue would give the head. */
static int64_t own_candidates(struct cohort *c, const struct cohort_head *h, uint32_t cell)
{
    bool *contested = c->desk.one_contested;
    contested[cell] = true;
    int64_t sum = cohort_own_candidates(&c->desk.search, &h->as, contested, cell);
    contested[cell] = false;
    return sum;
}

static int64_t lacks_of(struct cohort *c, const struct cohort_head *h, uint32_t flavor, uint32_t r)
{
    const struct cohort_set *set = h->set;
    uint32_t cell = flavor * COHORT_PARTS + r;
    int64_t amount = set->count * set->each[r];
    if (set->each[r] < 0)
        return PARKED_NOT_ASKED;
    if ((set->allowed && !set->allowed[flavor]) ||
        amount > c->books.potential[cohort_at(&c->books, h->as.queue, cell)])
        return PARKED_NEVER;
    int64_t own = own_candidates(c, h, cell);
    return cohort_is_fair(c) && own ? 0 : max_i64(0, amount - own);
}

static uint32_t resources_asked(const struct cohort_set *set)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < COHORT_PARTS; r++)
        n += set->each[r] >= 0;
    return n;
}

/* The head, which is admitted whole and has just failed. */
static void park(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    struct parked *p = &q->parked;
    const struct cohort_head *h = &q->nomination.entry.head;
    const struct cohort_group *group = c->desk.chooser.flavors[v].group;
    uint32_t cells = c->books.cells;
    p->records = p->records && h->n_sets == 1 && !q->nomination.goes_on &&
                 (p->reclaims ? q->nomination.why == WAIT_QUOTA : true) &&
                 (!may_reserve(c, v) || resources_asked(h->set) == 1);
    if (!p->records)
        return;
    p->lacks = array_grown(sched_alloc, s, p->lacks, &p->capacity, p->n, cells * sizeof *p->lacks);
    int64_t *lacks = &p->lacks[(size_t)p->n * cells];
    for (uint32_t cell = 0; cell < cells; cell++)
        lacks[cell] = PARKED_NEVER;
    for (uint32_t k = 0; k < group->n; k++)
        for (uint32_t r = 0; r < COHORT_PARTS; r++)
            lacks[group->flavor[k] * COHORT_PARTS + r] = lacks_of(c, h, group->flavor[k], r);
    parked_add(&c->books, p);
}

/* Other than before if a shape that was hopeless may be so no more. */
static uint64_t tree_now(const struct cohort *c, uint32_t v)
{
    const struct cohort_tree *t = cohort_tree_of(c, v);
    return c->queue[v].parked.by_shares ? t->changes : t->releases;
}

static uint32_t first_hope(struct cohort *c, uint32_t v, uint32_t from)
{
    return parked_first_hope(&c->desk.search, &c->queue[v].parked, v, from);
}

/* A walk over all that wait begins, or need not. */
static void go_to_sleep(struct cohort *c, uint32_t v)
{
    struct parked *p = &c->queue[v].parked;
    p->looked = tree_now(c, v);
    p->wakes = p->complete ? first_hope(c, v, 0) : 0;
    p->asleep = p->wakes > 0;
    if (p->asleep)
        return;
    parked_keep(&c->books, p, 0);
    p->complete = false;
    p->records = p->possible;
}

/* Its walk goes on behind the shapes that have had their cycles. */
static void wake(struct sched *s, struct cohort *c, struct cohort_queue *q)
{
    struct parked *p = &q->parked;
    p->asleep = false;
    if (c->cycle >= p->n) {
        end_walk(q);
        return;
    }
    for (uint32_t i = 0; i < c->cycle; i++) {
        job_id j;
        line_next(&q->lane->walk, &j);
        line_skip_shape(&q->lane->walk, job_facts(s, j)->ask->shape);
    }
    parked_keep(&c->books, p, c->cycle);
    p->records = p->complete;
    p->complete = false;
}

/* true: it sleeps in this cycle. */
static bool sleeps_on(struct cohort *c, uint32_t v)
{
    struct parked *p = &c->queue[v].parked;
    uint64_t now = tree_now(c, v);
    if (p->asleep && !p->complete)
        p->wakes = c->cycle;
    else if (p->asleep && p->looked != now)
        p->wakes = first_hope(c, v, c->cycle);
    p->looked = now;
    if (p->asleep && p->wakes > c->cycle)
        c->next_wake = min_u32(c->next_wake, p->wakes);
    return p->asleep && p->wakes > c->cycle;
}

/* ---- Processing a head ---- */

static void set_aside(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    bool one_of_many = !lanes_is_elastic(s, q->head) &&
                       !c->elastic[job_facts(s, q->head)->ask->shape];
    if (cohort_is_strict(c, v)) {
        forget_stuck(s, q, q->head);
        sched_blocked(s, q->head, q->nomination.why);
        q->settled = true;
        return;
    }
    sched_blocked(s, q->head, one_of_many ? WAIT_GROUP : q->nomination.why);
    /* a later job that asks for the same fails the same */
    if (one_of_many) {
        lanes_block_shape(s, q, q->head, q->nomination.why);
        park(s, c, v);
    } else {
        q->parked.records = false;
    }
    job_id j = q->head;
    pass_over(s, c, q);
    /* the next pass asks with fewer tasks */
    if (lanes_is_elastic(s, j) && cohort_moves(s, j)) {
        lanes_remove(s, c, j);
        cohort_list_add(s, &c->resting, j);
    }
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
    q->nomination.goes_on = false;
    if (cohort_runs(c, e)[0]) /* a job counts whole, in the flavor of its first run */
        sched_count_in(s, j, cohort_runs(c, e)[0] - 1u);
    pass_over(s, c, q);
    lanes_remove(s, c, j);
    q->preemptor = q->preemptor == j ? ID_NONE : q->preemptor;
    if (q->stuck == j)
        q->stuck = ID_NONE;
    cohort_hold(s, c, e, true);
    if (!cohort_place(s, c, j))
        cohort_unplaced(s, c, e);
    return true;
}

static void evict(struct sched *s, struct cohort *c, struct entrant *e, job_id preemptor)
{
    job_id j = e->as.id;
    if (e->as.leaving)
        return;
    if (e->phase == PHASE_STRUCK) {
        cohort_leaves(c, e);
        return;
    }
    uint64_t room = sched_room_version(s);
    if (e->phase == PHASE_PLACED && sched_stop(s, j, STOP_SAVE) != SCHED_OK)
        return;
    if (e->phase == PHASE_PLACED && job_state(s, j) == JOB_RELEASING)
        sched_note(s, j, preemptor);
    bool has_left = e->rested == c->pass || sched_room_version(s) != room;
    if (job_state(s, j) == JOB_RELEASING && !has_left) {
        cohort_leaves(c, e);
        return;
    }
    /* it had no place, or one of this pass, or leaves at once, or has left before in this pass */
    cohort_not_unplaced(s, c, e);
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

static void refuse(struct sched *s, struct cohort *c, struct cohort_queue *q)
{
    job_id j = q->head;
    parked_forget(&q->parked);
    sched_refuse(s, j, q->nomination.entry.spare.why == NO_FIT_NEVER
                           ? "asks for more than its queue could ever borrow"
                           : "may use no flavor of its queue");
    pass_over(s, c, q);
    lanes_remove(s, c, j);
}

/* It has flavors left to try, and goes on there
 * (kubernetes-sigs/kueue:pkg/scheduler/flavorassigner, LastAssignment). */
static void go_on(const struct cohort *c, uint32_t v, struct nomination *n)
{
    const struct cohort_assignment *a = &n->entry.a;
    n->goes_on = true;
    n->releases = cohort_tree_of(c, v)->releases;
    memcpy(n->tried, a->tried, (size_t)n->entry.head.n_sets * COHORT_PARTS * sizeof *n->tried);
}

static void give_up(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    if (q->preemptor == q->head)
        q->preemptor = ID_NONE;
    if (!q->settled)
        cohort_explain(c, q);
    set_aside(s, c, v);
    q->nomination.goes_on = false;
}

static bool no_victims(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    bool was_settled = q->settled;
    if (cohort_tries_again(&c->desk, &q->nomination.entry) && !was_settled) {
        go_on(c, v, &q->nomination);
        c->round.went_on++;
        return true;
    }
    give_up(s, c, v);
    return !was_settled;
}

/* Quotas change with time; and what is looked at whole may have run with fewer tasks. */
static bool may_fit_later(struct sched *s, const struct cohort_queue *q)
{
    if (q->nomination.moves)
        return true;
    return queue_quota_version(s) && q->nomination.entry.spare.why == NO_FIT_NEVER;
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
        if (cohort_never_fits(c, q) && !may_fit_later(s, q)) {
            refuse(s, c, q);
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

void cohort_open_queues(struct sched *s, struct cohort *c)
{
    uint32_t still = 0;
    c->cycle = c->n_open = 0;
    for (uint32_t i = 0; i < c->n_busy; i++) {
        uint32_t v = c->busy[i];
        struct cohort_queue *q = &c->queue[v];
        struct cohort_tree *t = cohort_tree_of(c, v);
        if (!(q->listed = lanes_length(q) > 0))
            continue;
        c->busy[still++] = v;
        t->open_in = UINT32_MAX;
        q->opened = (struct cohort_moment){ t->releases, sched_room_version(s) };
        q->all = q->tried.releases != q->opened.releases ||
                 (cohort_wants_place(c) && q->tried.room != q->opened.room);
        lanes_open(q);
        bool strict = cohort_is_strict(c, v);
        if (!strict && q->head != q->preemptor)
            q->head = ID_NONE;
        q->walked = !strict && q->preemptor == ID_NONE && !q->all && !lanes_has_fresh(q);
        if (!q->walked)
            c->open[c->n_open++] = v;
        if (q->all && q->preemptor == ID_NONE)
            go_to_sleep(c, v);
        else
            q->parked.records = false;
    }
    c->n_busy = still;
}

/* true: it has a head that has no nomination that is up to date. */
static bool gather_from(struct sched *s, struct cohort *c, uint32_t v)
{
    struct cohort_queue *q = &c->queue[v];
    struct cohort_tree *t = cohort_tree_of(c, v);
    find_head(s, c, v);
    if (q->head == ID_NONE)
        return false;
    bool stale = q->nomination.job != q->head || q->nomination.changes != t->changes ||
                 q->nomination.moves != cohort_moves(s, q->head) ||
                 (cohort_wants_place(c) && q->nomination.room != sched_room_version(s));
    q->settled = q->settled && !stale;
    if (!q->settled)
        t->open_in = c->cycle;
    c->heads[c->n_heads++] = v;
    return !q->settled;
}

/* Gathers the heads of this cycle. true: one of them is open. */
static bool gather(struct sched *s, struct cohort *c)
{
    bool open = false;
    uint32_t sleepers = 0, n = c->n_open;
    c->n_heads = c->n_open = 0;
    c->next_wake = PARKED_SLEEPS;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = c->open[i];
        if (c->queue[v].walked)
            continue;
        c->open[c->n_open++] = v;
        if (sleeps_on(c, v)) {
            sleepers += may_reserve(c, v);
            continue;
        }
        if (c->queue[v].parked.asleep)
            wake(s, c, &c->queue[v]);
        open |= gather_from(s, c, v);
    }
    for (uint32_t i = 0; i < c->n_open && open && sleepers; i++) {
        uint32_t v = c->open[i];
        struct cohort_queue *q = &c->queue[v];
        if (!q->parked.asleep || !may_reserve(c, v) || cohort_tree_of(c, v)->open_in != c->cycle)
            continue;
        wake(s, c, q);
        gather_from(s, c, v);
    }
    return open;
}

static bool went_on(const struct cohort_queue *q)
{
    return q->nomination.goes_on && !q->settled;
}

/* Where the heads that went on go on: each with its flavors. Returns how many numbers. */
static size_t note_where(struct sched *s, struct cohort *c)
{
    struct cohort_round *r = &c->round;
    size_t n = 0;
    for (uint32_t i = 0; i < c->n_heads; i++) {
        const struct cohort_queue *q = &c->queue[c->heads[i]];
        size_t tried = (size_t)q->nomination.entry.head.n_sets * COHORT_PARTS;
        if (!went_on(q))
            continue;
        r->now = array_covering(sched_alloc, s, r->now, &r->now_capacity, n + tried, sizeof *r->now);
        r->now[n++] = (int32_t)q->head;
        memcpy(&r->now[n], q->nomination.tried, tried * sizeof *r->now);
        n += tried;
    }
    return n;
}

/* They go on where they did before, with nothing changed since (Brent's way to find a period). */
static bool goes_round(struct sched *s, struct cohort *c)
{
    struct cohort_round *r = &c->round;
    size_t n = note_where(s, c);
    if (r->cycles && n == r->n_kept && !memcmp(r->now, r->kept, n * sizeof *r->now))
        return true;
    if (++r->cycles >= r->until) {
        r->kept = array_covering(sched_alloc, s, r->kept, &r->kept_capacity, n, sizeof *r->kept);
        memcpy(r->kept, r->now, n * sizeof *r->now);
        r->n_kept = n;
        r->until = 2 * r->cycles;
    }
    return false;
}

static bool run_cycle(struct sched *s, struct cohort *c)
{
    uint32_t changed = 0;
    c->desk.admit = admit;
    for (uint32_t i = 0; i < c->n_heads; i++) {
        struct cohort_queue *q = &c->queue[c->heads[i]];
        if (!q->settled)
            cohort_fill_entry(s, c, q);
        q->nomination.entry.nominated = q->settled;
        c->entries[i] = &q->nomination.entry;
    }
    cohort_cycle(&c->desk, c->entries, c->n_heads);
    c->round.went_on = 0;
    for (uint32_t i = 0; i < c->n_heads; i++) {
        c->heads[i] = c->entries[i]->head.as.queue;
        changed += conclude(s, c, c->heads[i]);
    }
    if (changed > c->round.went_on)
        c->round.cycles = c->round.until = 0;
    else if (changed && c->next_wake == PARKED_SLEEPS && goes_round(s, c))
        for (uint32_t i = 0; i < c->n_heads; i++)
            if (went_on(&c->queue[c->heads[i]]))
                give_up(s, c, c->heads[i]);
    evict_all(s, c);
    return changed;
}

void cohort_run_cycles(struct sched *s, struct cohort *c)
{
    c->round.cycles = c->round.until = 0;
    for (;;) {
        if (gather(s, c) && run_cycle(s, c))
            c->cycle++;
        else if (c->next_wake != PARKED_SLEEPS)
            c->cycle = c->next_wake;
        else
            break;
    }
    for (uint32_t i = 0; i < c->n_busy; i++) {
        struct cohort_queue *q = &c->queue[c->busy[i]];
        if (q->parked.asleep)
            end_walk(q);
        q->parked.asleep = false;
        if (q->head == ID_NONE)
            continue;
        /* others hold what an open head asks for until the next pass; a settled one is told again,
         * for one that came back during a pass waits since its end only */
        sched_blocked(s, q->head,
                      !q->settled               ? WAIT_RESERVED
                      : q->preemptor == q->head ? WAIT_RELEASING
                                                : q->nomination.why);
    }
}
