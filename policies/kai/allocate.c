/* allocate.c - the first action: idle GPUs go to the next job, up to the limits; and why the other
 * jobs wait.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/actions/allocate/allocate.go. A job that finds no place
 * is passed over, and the next of its queue tried. Fair shares do not cap what is taken of idle
 * GPUs. What fits only where others are leaving is placed tentatively. Only leaves with a waiting
 * job that may find a place take part in the order. */
#include "policies/kai/jobs/heads.h"
#include "policies/kai/jobs/reasons.h"

static bool by_level(const struct job_facts *f)
{
    bool level = f->ask->required_level != LEVEL_ANY || f->ask->preferred_level != LEVEL_ANY;
    for (uint32_t g = 0; g < f->n_groups && !level; g++)
        level = f->group[g].required_level != LEVEL_ANY || f->group[g].preferred_level != LEVEL_ANY;
    return level;
}

static bool fits_on(struct sched *s, struct quota_state *q, enum free_kind in, job_id j,
                    uint32_t task, node_id n)
{
    struct request r = *request_of_task(quota_ask(s, q, j), task);
    return view_fits(sched_view(s, in), &r, n);
}

/* One task: on idle GPUs or where others are leaving, preferring a node where it is idle. A
 * tentative task uses up first what is being left, so what is idle stays so for the next. A share
 * looks at idle and releasing GPUs together. */
static const struct placement *find_one(struct sched *s, struct quota_state *q, job_id j,
                                        uint32_t task)
{
    const struct placement *where = quota_place(s, q, FREE_OR_RELEASING, j, &task, 1, ID_NONE),
                           *idle, *there;
    if (!where || job_facts(s, j)->ask->gpu_milli < MILLI_ALL ||
        fits_on(s, q, FREE_IDLE, j, task, where->piece[0].node))
        return where;
    idle = quota_place(s, q, FREE_IDLE, j, &task, 1, ID_NONE);
    if (!idle || !fits_on(s, q, FREE_OR_RELEASING, j, task, idle->piece[0].node))
        return where;
    there = quota_place(s, q, FREE_OR_RELEASING, j, &task, 1, idle->piece[0].node);
    return there && there->piece[0].node == idle->piece[0].node ? there : where;
}

static const struct placement *place_tasks_tentatively(struct sched *s, struct quota_state *q,
                                                       job_id j, const uint32_t *task, uint32_t n)
{
    struct placement *all = sched_scratch(s, sizeof *all + n * sizeof all->piece[0]);
    for (uint32_t i = 0; i < n; i++) {
        const struct placement *one = find_one(s, q, j, task[i]);
        if (!one || sched_tentative_add(s, j, one) != SCHED_OK)
            return NULL;
        all->piece[all->n++] = one->piece[0];
    }
    return all;
}

static const struct placement *place_all_tentatively(struct sched *s, struct quota_state *q,
                                                     job_id j, const uint32_t *task, uint32_t n)
{
    const struct placement *where = quota_place(s, q, FREE_IDLE, j, task, n, ID_NONE);
    if (where && sched_tentative_add(s, j, where) == SCHED_OK)
        return where;
    where = quota_place(s, q, FREE_OR_RELEASING, j, task, n, ID_NONE);
    return where && sched_tentative_add(s, j, where) == SCHED_OK ? where : NULL;
}

static const struct placement *add_tentatively(struct sched *s, struct quota_state *q, job_id j,
                                               const struct placement *where)
{
    if (!where || sched_tentative_add(s, j, where) != SCHED_OK)
        return NULL;
    quota_pods_placed(s, q, j, where);
    quota_refresh(s, q, job_facts(s, j)->queue);
    return where;
}

const struct placement *quota_place_tentatively(struct sched *s, struct quota_state *q, job_id j,
                                                const uint32_t *task, uint32_t n)
{
    if (quota_chooses(s, q, j))
        return add_tentatively(s, q, j, quota_choose(s, q, j, task, n, true).where);
    const struct job_facts *f = job_facts(s, j);
    sched_mark_t before = sched_mark(s);
    const struct placement *where = by_level(f) || f->ask->tasks == SPLIT_ANY
                                        ? place_all_tentatively(s, q, j, task, n)
                                        : place_tasks_tentatively(s, q, j, task, n);
    if (where)
        quota_refresh(s, q, f->queue);
    else
        sched_rollback(s, before);
    return where;
}

/* All that p takes is free in that view. */
static bool is_free(struct sched *s, enum free_kind in, job_id j, const struct placement *p)
{
    if (!p)
        return false;
    struct request r = job_request(s, j);
    struct builder *b = sched_builder(s, sched_view(s, in), &r);
    size_t n = 0;
    while (n < p->n && builder_add(b, p->piece[n]))
        n++;
    builder_take(b);
    return n == p->n;
}

/* A place where j can start now, on nothing that is placed tentatively; NULL: none. */
static const struct placement *find_idle(struct sched *s, struct quota_state *q, job_id j,
                                         const struct wanted *w)
{
    bool share = job_facts(s, j)->ask->gpu_milli < MILLI_ALL;
    const struct placement *where =
        share ? NULL : quota_place(s, q, FREE_IDLE, j, w->task, w->n, ID_NONE);
    if (!share && (!where || !q->tentative || is_free(s, FREE_OR_RELEASING, j, where)))
        return where;
    where = quota_place(s, q, FREE_OR_RELEASING, j, w->task, w->n, ID_NONE);
    return is_free(s, FREE_IDLE, j, where) ? where : NULL;
}

/* The tasks of w on the nodes that the last search found for them, if all that is idle now; else
 * NULL. */
static const struct placement *place_as_found(struct sched *s, struct quota_state *q, job_id j,
                                              const struct wanted *w)
{
    const struct quota_job *own = job_own(s, j);
    if (own->n_found < w->n)
        return NULL;
    struct placement *all = sched_scratch(s, sizeof *all + w->n * sizeof all->piece[0]);
    sched_mark_t before = sched_mark(s);
    for (size_t i = 0; i < own->n_found && all->n < w->n; i++) {
        const struct piece *p = &own->found[i];
        if (p->task != w->task[all->n])
            continue;
        const struct placement *one = quota_place(s, q, FREE_OR_RELEASING, j, &p->task, 1, p->node);
        if (!one || one->piece[0].node != p->node || sched_tentative_add(s, j, one) != SCHED_OK)
            break;
        all->piece[all->n++] = one->piece[0];
    }
    sched_rollback(s, before);
    return all->n == w->n && is_free(s, FREE_IDLE, j, all) ? all : NULL;
}

enum allocated { ALLOCATED_NOT, ALLOCATED_TENTATIVELY, ALLOCATED };

static enum allocated allocate_job(struct sched *s, struct quota_state *q, job_id j,
                                   const struct wanted *w)
{
    bool chosen = quota_chooses(s, q, j);
    struct quota_place found = chosen ? quota_choose(s, q, j, w->task, w->n, false)
                                      : (struct quota_place){ find_idle(s, q, j, w), true };
    const char *own = job_own(s, j);
    for (size_t at = 0; at < sizeof(struct quota_job); at += 64)
        __builtin_prefetch(own + at);
    __builtin_prefetch(own + sizeof(struct quota_job) - 1);
    if (!found.where && !quota_pods_concern(s, q, j))
        found = (struct quota_place){ place_as_found(s, q, j, w), true };
    const struct placement *where = found.now ? found.where : NULL;
    enum allocated done = ALLOCATED;
    bool more = job_placement(s, j) != NULL;
    sched_mark_t before = sched_mark(s);
    /* CPUs or memory there are not released yet */
    if (where && sched_start(s, j, where) != SCHED_OK) {
        sched_rollback(s, before);
        where = NULL;
    }
    q->changed = q->changed || where;
    if (where) {
        quota_pods_started(s, q, j, where);
        if (quota_lacks_tasks(s, j))
            quota_enter_waiting(s, q, j);
        /* otherwise the notice of the start does it; none comes while tasks of before still save */
        else if (more || job_state(s, j) == JOB_GATHERING)
            quota_leave_waiting(s, q, j);
        if (more)
            quota_grew(s, q, j);
    } else {
        where = chosen ? add_tentatively(s, q, j, found.where)
                       : quota_place_tentatively(s, q, j, w->task, w->n);
        if (!where)
            return ALLOCATED_NOT;
        quota_promise(s, q, j, where);
        quota_blocked(s, q, j, WAIT_RELEASING);
        q->tentative = true;
        done = ALLOCATED_TENTATIVELY;
    }
    q->placements++;
    quota_mark_acted(s, q, j);
    quota_refresh(s, q, job_facts(s, j)->queue);
    return done;
}

/* ---- The heads of the queues ---- */

struct leaf_head {
    struct line_walk walk;
    bool behind; /* the walk has not come to the job yet */
    job_id job;
    shape_id shape;           /* while the walk is behind */
    struct shape_head *first; /* the same, until the leaf has its turn */
    struct wanted wanted;     /* of a job that was not read: tasks not listed */
};

/* Of a job that has had no turn nothing is read where all of its shape want the same. *fits: it may find a
 * place, else none of them does, and the walk leaves them out. false: it has to be read. */
static bool next_unread(struct sched *s, struct quota_state *q, const struct leaf *l,
                        struct leaf_head *h, bool *fits)
{
    shape_id shape = line_walk_shape(&h->walk);
    const struct admission_check *check = &q->check[shape];
    if (!quota_is_plain(q) || !quota_all_want_same(q, check) || quota_had_turn(s, q, l, h->job))
        return false;
    h->wanted = (struct wanted){ check->min_tasks, NULL, check->min_ask };
    *fits = quota_shape_fits(s, q, shape, h->job, check->min_tasks);
    if (!*fits)
        line_skip_shape(&h->walk, shape);
    return true;
}

/* The next job of the leaf that may find a place and has capacity. */
static bool next_head(struct sched *s, struct quota_state *q, const struct leaf *l,
                      struct leaf_head *h)
{
    h->behind = false;
    line_give_marked(&h->walk);
    while (line_next(&h->walk, &h->job)) {
        bool fits;
        if (next_unread(s, q, l, h, &fits)) {
            if (fits)
                return true;
            continue;
        }
        const struct job_facts *f = job_facts(s, h->job);
        const struct quota_job *own = job_own(s, h->job);
        enum wait_reason why;
        if (own->pass == q->pass && !job_placement(s, h->job))
            continue;
        if (own->whole && !quota_shape_fits(s, q, f->ask->shape, h->job, f->min_tasks)) {
            told_ends(s, q, &h->walk, h->job);
            if (quota_may_skip(s, q, l, f->ask->shape))
                line_skip_shape(&h->walk, f->ask->shape);
            else
                told_skip_like(s, q, &h->walk, h->job);
            continue;
        }
        h->wanted = quota_wanted(s, h->job, job_placement(s, h->job));
        if (h->wanted.n == 0)          /* an awaited job that has started in this pass */
            continue;
        if (quota_has_capacity(s, q, f, &h->wanted.amount, &why))
            return true;
        quota_blocked(s, q, h->job, why);
        if (own->whole)
            told_skip(s, q, &h->walk, h->job, why);
    }
    return false;
}

static inline bool head_fits(struct sched *s, struct quota_state *q, const struct shape_head *h)
{
    const struct admission_check *check = &q->check[h->shape];
    return quota_known_to_fit(q, check, h->min_tasks) ||
           (!quota_has_failed(q, check, h->min_tasks) &&
            quota_shape_fits(s, q, h->shape, h->job, h->min_tasks));
}

/* The head of its shape, while the walk is behind. */
static void stand_at(struct leaf_head *h, struct shape_head *first)
{
    h->job = first->job;
    h->shape = first->shape;
    h->first = first;
    h->wanted = (struct wanted){ first->tasks, NULL, first->ask };
    h->behind = true;
}

/* The walk would pass over all jobs of the shape, of which one has had its turn. */
static bool passes_over(const struct quota_state *q, const struct shape_head *had_turn)
{
    return quota_is_plain(q) &&
           quota_has_failed(q, &q->check[had_turn->shape], had_turn->min_tasks);
}

/* Mostly the first job of some shape: then no walk is needed. */
static bool first_head(struct sched *s, struct quota_state *q, struct leaf *l, struct leaf_head *h)
{
    h->walk = (struct line_walk){ .l = l->waiting };
    if (!quota_heads_will_do(s, q, l))
        return next_head(s, q, l, h);
    leaf_heads(s, q, l);
    bool acted = l->acted == q->pass;
    for (size_t i = 0; i < l->n_heads; i++) {
        struct shape_head *first = &l->head[i];
        if (acted && quota_had_turn(s, q, l, first->job)) {
            if (passes_over(q, first))
                continue;
            return next_head(s, q, l, h);
        }
        if (!head_fits(s, q, first))
            continue;
        if ((first->firm || l->limited) &&
            !quota_has_capacity(s, q, job_facts(s, first->job), &first->ask, NULL))
            return next_head(s, q, l, h);
        stand_at(h, first);
        return true;
    }
    return false;
}

bool quota_pods_bar(struct sched *s, struct quota_state *q, job_id j)
{
    if (!quota_pods_concern(s, q, j) || !quota_chooses(s, q, j))
        return false;
    struct wanted w = quota_wanted(s, j, job_placement(s, j));
    return w.n > 0 && quota_place(s, q, FREE_OR_RELEASING, j, w.task, w.n, ID_NONE);
}

/* The reason that the placer gives. Where it would find a place, KAI's order does not. */
static enum wait_reason why_no_place(struct sched *s, struct quota_state *q, job_id j,
                                     const struct wanted *w)
{
    if (quota_pods_bar(s, q, j))
        return WAIT_TOPOLOGY;
    if (quota_chooses(s, q, j) && quota_place(s, q, FREE_OR_RELEASING, j, w->task, w->n, ID_NONE))
        return by_level(job_facts(s, j)) ? WAIT_TOPOLOGY : WAIT_FRAGMENTED;
    return sched_why_not(s);
}

static void add_head(struct quota_state *q, queue_id leaf, const struct leaf_head *h)
{
    if (h->behind)
        order_set_standing(&q->jobs, leaf, &h->wanted.amount, leaf_standing(q, leaf, h->first));
    else
        order_set(&q->jobs, leaf, &h->wanted.amount);
}

/* false: no further job need have its turn. */
static bool serve(struct sched *s, struct quota_state *q, queue_id leaf, struct leaf_head *h)
{
    if (h->behind && quota_is_plain(q) &&
        quota_has_failed(q, quota_check(s, q, h->shape), h->wanted.n)) {
        if (quota_all_infeasible(s, q))
            return false;
        if (first_head(s, q, &q->leaf[leaf], h))
            add_head(q, leaf, h);
        else
            order_set(&q->jobs, leaf, NULL);
        return true;
    }
    job_fetch(s, h->job);
    struct leaf *l = &q->leaf[leaf];
    bool by_heads = h->behind && quota_is_plain(q) && l->acted != q->pass;
    job_id j = h->job;
    bool whole = h->behind || ((struct quota_job *)job_own(s, j))->whole;
    struct admission_check *check = quota_check(s, q, job_facts(s, j)->ask->shape);
    enum wait_reason why;
    bool may = quota_has_capacity(s, q, job_facts(s, j), &h->wanted.amount, &why);
    if (h->behind && !by_heads)
        leaf_walk_to(s, q, &h->walk, l, j);
    if (!h->wanted.task)
        h->wanted = quota_wanted(s, j, NULL);
    if (!may) {                        /* other jobs of its queue have used the capacity */
        quota_blocked(s, q, j, why);
    } else {
        struct line_key before = by_heads ? h->first->key : line_walk_key(&h->walk);
        enum allocated done = allocate_job(s, q, j, &h->wanted);
        if (done == ALLOCATED && quota_lacks_tasks(s, j) &&
            quota_key(s, j, job_placement(s, j)->n).minor == before.minor) {
            /* still the next of its queue; else the walk meets it again */
            h->wanted = quota_wanted(s, j, job_placement(s, j));
            h->behind = false;
            order_set(&q->jobs, leaf, &h->wanted.amount);
            return true;
        }
        if (done == ALLOCATED_NOT && !whole)
            quota_blocked(s, q, j, why_no_place(s, q, j, &h->wanted));
        if (done == ALLOCATED_NOT && whole) {
            if (check->grouped) /* the check may have found a place */
                check->why = why_no_place(s, q, j, &h->wanted);
            quota_note_failed(q, check, job_facts(s, j)->min_tasks);
            told_ends(s, q, &h->walk, j);
        }
    }
    bool ends = by_heads && heads_end(s, q, leaf, h->first);
    if (by_heads && !ends)
        leaf_walk_to(s, q, &h->walk, l, j);
    bool more = !ends && next_head(s, q, l, h);
    order_set(&q->jobs, leaf, more ? &h->wanted.amount : NULL);
    return true;
}

/* No remaining job can get anything, and none needs a reason of its own: where all jobs are plain
 * there are no limits. */
static bool all_served(const struct quota_state *q)
{
    return quota_is_plain(q) && quota_no_shape_fits(q);
}

/* Room that a search made for a job is not given to other jobs, which would have to leave it
 * again. The search saw what victims leave as later than what is idle; now that all is idle, nodes
 * come in another order, in which a gang may find no place: then it gets the one that was found. */
void quota_serve_awaited(struct sched *s, struct quota_state *q)
{
    struct line_walk walk = { .l = q->awaited };
    for (job_id j; line_next(&walk, &j);) {
        if (job_state(s, j) == JOB_RELEASING)
            continue;
        struct quota_job *own = job_own(s, j);
        bool waits = own->waits && (own->moved || !q->leaf[job_facts(s, j)->queue].spent);
        struct wanted w = waits ? quota_wanted(s, j, job_placement(s, j)) : (struct wanted){ 0 };
        bool may = w.n > 0 && quota_has_capacity(s, q, job_facts(s, j), &w.amount, NULL);
        enum allocated done = may ? allocate_job(s, q, j, &w) : ALLOCATED_NOT;
        if (done == ALLOCATED)
            q->reinstated = q->pass;
        if (done != ALLOCATED_TENTATIVELY) {
            line_remove(q->awaited, j);
            own->n_found = 0;
        }
    }
}

/* Those of the leaves that are open. */
static void order_heads(struct quota_state *q, const struct leaf_head *heads)
{
    order_begin(&q->jobs);
    for (queue_id i = 0; (i = bitset_next(&q->leaves, q->open, i)) != ID_NONE; i++) {
        const struct leaf_head *h = &heads[i];
        if (h->behind)
            order_add_standing(&q->jobs, i, &h->wanted.amount, leaf_standing(q, i, h->first));
        else
            order_add(&q->jobs, i, &h->wanted.amount);
    }
    order_make(&q->jobs);
}

/* The leaves that the pass has acted on are looked at one by one, and take part in an order of
 * their own, as those do that have had a turn. */
static void begin_by_heads(struct sched *s, struct quota_state *q, struct leaf_head *heads)
{
    bool *has = sched_scratch(s, (q->n_acted + 1) * sizeof *has);
    size_t n = heads_begin(s, q);
    for (size_t i = 0; i < q->n_acted; i++)
        n += has[i] = first_head(s, q, &q->leaf[q->acted[i]], &heads[q->acted[i]]);
    if (n > 1) {
        quota_divide_now(s, q);
        heads_order(s, q);
    }
    order_begin(&q->jobs);
    q->jobs.compares = true;
    for (size_t i = 0; i < q->n_acted; i++)
        if (has[i])
            add_head(q, q->acted[i], &heads[q->acted[i]]);
}

/* The next leaf, as if all stood in one order. */
static queue_id next_by_heads(struct sched *s, struct quota_state *q, struct leaf_head *heads)
{
    const struct kept_entry *entry = NULL;    /* of one leaf alone: there is no other */
    struct shape_head *head;
    queue_id kept, had = order_top(&q->jobs);
    struct kept_entry mine = { 0 };
    if (had != ID_NONE)
        mine = kept_entry_of(&q->jobs.node[had].standing, had);
    while ((kept = heads_top(s, q, &entry, &head)) != ID_NONE &&
           (had == ID_NONE || (entry && kept_before(entry, &mine)))) {
        bool failed = quota_has_failed(q, &q->check[head->shape], head->min_tasks);
        job_fetch_rows(s, head->job);
        if (failed && quota_all_infeasible(s, q))
            return ID_NONE;
        heads_met(q, kept);
        if (failed && heads_have_failed(q, kept, head))
            continue;
        heads[kept].walk = (struct line_walk){ .l = q->leaf[kept].waiting };
        stand_at(&heads[kept], head);
        return kept;
    }
    return had;
}

static void allocate_by_heads(struct sched *s, struct quota_state *q, struct leaf_head *heads)
{
    begin_by_heads(s, q, heads);
    bool more = true;
    for (queue_id leaf;
         more && !all_served(q) && (leaf = next_by_heads(s, q, heads)) != ID_NONE;)
        more = serve(s, q, leaf, &heads[leaf]);
}

void quota_allocate(struct sched *s, struct quota_state *q)
{
    if (!q->growing && quota_no_shape_fits(q))
        return;
    struct leaf_head *heads = q->leaf_head =
        q->leaf_head ? q->leaf_head : sched_alloc(s, q->n_queues * sizeof *heads);
    if (heads_apply(q)) {
        allocate_by_heads(s, q, heads);
        return;
    }
    quota_open_leaves(s, q);
    size_t n = 0;
    for (queue_id i = 0; (i = bitset_next(&q->leaves, q->open, i)) != ID_NONE; i++) {
        bool has = !q->leaf[i].spent && first_head(s, q, &q->leaf[i], &heads[i]);
        bitset_put(&q->leaves, q->open, i, has);
        n += has;
    }
    if (n > 1)
        quota_divide_now(s, q);
    order_heads(q, heads);
    bool more = true;
    for (queue_id leaf; more && (leaf = order_top(&q->jobs)) != ID_NONE && !all_served(q);)
        more = serve(s, q, leaf, &heads[leaf]);
}
