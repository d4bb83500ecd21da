/* actions.c - consolidation, reclaim and preempt: which jobs may try; and eviction of stale gangs.
 *
 * After
 * NVIDIA/KAI-Scheduler:pkg/scheduler/actions/{consolidation,reclaim,preempt,stalegangeviction}. A
 * job that is no easier than one that has failed in this pass (of its queue; for consolidation of
 * any queue) is not tried. */
#include "policies/kai/jobs/reasons.h"

struct tried { shape_id alike; uint32_t tasks; bool firm; };
struct failures { struct tried *list; size_t n, capacity; };

/* Wherever `a` fits, b fits: it asks for no more, under the same conditions. */
static bool no_easier(const struct tried *a, const struct tried *b)
{
    return a->alike == b->alike && a->tasks >= b->tasks && a->firm >= b->firm;
}

static bool failed_before(const struct failures *f, const struct tried *t)
{
    for (size_t i = 0; i < f->n; i++)
        if (no_easier(t, &f->list[i]))
            return true;
    return false;
}

static void note_failure(struct sched *s, struct failures *f, struct tried t)
{
    f->list = array_grown(sched_scratch, s, f->list, &f->capacity, f->n, sizeof *f->list);
    f->list[f->n++] = t;
}

/* ---- Which jobs may try ---- */

/* The gate for a job of this leaf that asks for that much. Limits are no part of it: victims may
 * bring their queues below, and they are tested when the job is placed. */
static bool passes_gate(const struct quota_state *q, queue_id leaf, const struct quota_amount *ask,
                        bool firm, enum quota_action action)
{
    if (action == CONSOLIDATION)
        return !firm && ask->of[Q_GPU] <= q->free_milli;
    if (action == PREEMPT)
        return !firm || quota_firm_fits(q->queue, leaf, ask, NULL);
    return quota_may_reclaim(&q->queue[leaf], ask, firm);
}

/* A job of that leaf. Of hundreds of leaves the first jobs are asked: of most of them nothing is read. */
static bool may_try(struct sched *s, struct quota_state *q, queue_id leaf, job_id j, bool firm,
                    const struct wanted *w, enum quota_action action)
{
    const struct leaf *l = &q->leaf[leaf];
    if (w->n == 0 || !passes_gate(q, leaf, &w->amount, firm, action))
        return false;
    if (l->acted != q->pass && (action != CONSOLIDATION || l->consolidated != q->ends))
        return true;
    const struct quota_job *own = job_own(s, j);
    return own->pass != q->pass && (action != CONSOLIDATION || own->consolidated != q->ends);
}

/* A consolidation takes nothing from any queue: where a limit is in the way, no search can help. The
 * job has had its turn all the same, and failed: what is no easier is not tried. */
static bool limit_bars(const struct quota_state *q, queue_id leaf, const struct quota_amount *ask,
                       enum quota_action action)
{
    return action == CONSOLIDATION && q->leaf[leaf].limited &&
           quota_capacity(q->queue, leaf, ask, false, NULL) != QUOTA_FITS;
}

/* The first job of the leaf has more priority than one that could be its victim. If not, none may
 * preempt until the leaf changes. */
static bool leaf_may_preempt(struct sched *s, struct quota_state *q, queue_id i)
{
    struct leaf *l = &q->leaf[i];
    const struct victim_candidate *worst = leaf_candidate(s, q, l, 0);
    struct line_key best;
    bool may = worst && line_first(l->waiting, &(job_id){ 0 }, &best) && worst->key.major > best.major;
    if (!may)
        bitset_put(&q->leaves, q->preempts, i, false);
    return may;
}

/* Some job of this leaf may try. Cheap, and false is certain. */
static bool leaf_may_try(struct sched *s, struct quota_state *q, queue_id i,
                         enum quota_action action)
{
    struct leaf *l = &q->leaf[i];
    if (!leaf_waits(l) || l->spent)
        return false;
    if (action == RECLAIM)
        return true;               /* as q->claims says */
    if (action == CONSOLIDATION)
        return l->growing || l->min_gpu_milli <= q->free_milli;
    return leaf_may_preempt(s, q, i);
}

/* Preempt takes from lower priorities of the leaf only. Where none holds anything, no search finds a
 * victim: not for j, nor for those behind it in the line, which have no higher priority. Searches
 * divide the shares, if they are not. */
static bool lacks_victims(struct sched *s, struct quota_state *q, queue_id leaf, job_id j,
                          enum quota_action action)
{
    if (action != PREEMPT)
        return false;
    const struct victim_candidate *worst = leaf_candidate(s, q, &q->leaf[leaf], 0);
    if (worst && -worst->key.major < job_facts(s, j)->priority)
        return false;
    quota_divide_now(s, q);
    return true;
}

struct turn {
    struct line_walk walk;
    bool behind;                  /* the walk has not come to the job yet */
    struct shape_head *head;      /* the same job, as first_turn() has found it */
    job_id job;
    struct wanted wanted;
    struct failures failed;
};

/* A job that waits whole: all like it fail, and firm ones with them, until a search changes something. */
static bool fails_with_all(struct sched *s, const struct quota_state *q, const struct turn *t,
                           const struct failures *failed, enum quota_action action)
{
    const struct job_facts *f = job_facts(s, t->job);
    struct tried me = { f->ask->alike, t->wanted.n, !f->preemptible };
    return t->wanted.n > 0 &&
           (!passes_gate(q, f->queue, &t->wanted.amount, me.firm, action) || failed_before(failed, &me));
}

static bool next_turn(struct sched *s, struct quota_state *q, struct turn *t,
                      struct failures *failed, enum quota_action action)
{
    if (t->behind)
        leaf_walk_to(s, q, &t->walk, &q->leaf[job_facts(s, t->job)->queue], t->job);
    t->behind = false;
    line_give_marked(&t->walk);
    while (line_next(&t->walk, &t->job)) {
        const struct job_facts *f = job_facts(s, t->job);
        const struct quota_job *own = job_own(s, t->job);
        if (quota_had_turn(s, q, &q->leaf[f->queue], t->job))
            continue;
        t->wanted = quota_wanted(s, t->job, job_placement(s, t->job));
        struct tried me = { f->ask->alike, t->wanted.n, !f->preemptible };
        if (may_try(s, q, f->queue, t->job, !f->preemptible, &t->wanted, action) &&
            !failed_before(failed, &me))
            return !lacks_victims(s, q, f->queue, t->job, action);
        if (!own->whole)
            continue;
        if (f->preemptible && quota_may_skip(s, q, &q->leaf[f->queue], f->ask->shape))
            line_skip_shape(&t->walk, f->ask->shape);
        else if (fails_with_all(s, q, t, failed, action))
            told_skip_like(s, q, &t->walk, t->job);
    }
    return false;
}

/* Some job of the leaf may pass the gate: heads will do, and behind each are jobs that ask for as
 * much. Shapes that the walk would pass over before it comes to the first of these it leaves out. Cheap, and
 * false is certain. */
static bool some_passes(struct sched *s, const struct quota_state *q, queue_id leaf,
                        struct line_walk *walk, enum quota_action action)
{
    const struct leaf *l = &q->leaf[leaf];
    bool plain = quota_is_plain(q);
    for (size_t i = 0; i < l->n_heads; i++) {
        if (passes_gate(q, leaf, &l->head[i].ask, false, action))
            return true;
        if (plain && !quota_had_turn(s, q, l, l->head[i].job))
            line_skip_shape(walk, l->head[i].shape);
    }
    return false;
}

/* Mostly the first job of some shape: then no walk is needed. */
static bool first_turn(struct sched *s, struct quota_state *q, queue_id leaf, struct turn *t,
                       struct failures *failed, enum quota_action action)
{
    struct leaf *l = &q->leaf[leaf];
    t->walk = (struct line_walk){ .l = l->waiting };
    if (!quota_heads_will_do(s, q, l))
        return next_turn(s, q, t, failed, action);
    leaf_heads(s, q, l);
    for (size_t i = 0; i < l->n_heads; i++) {
        struct shape_head *h = &l->head[i];
        struct tried me = { h->alike, h->tasks, h->firm };
        t->head = h;
        t->job = h->job;
        t->wanted = (struct wanted){ h->tasks, NULL, h->ask };
        t->behind = may_try(s, q, leaf, h->job, h->firm, &t->wanted, action) &&
                    !failed_before(failed, &me);
        if (t->behind)
            return !lacks_victims(s, q, leaf, h->job, action);
        if (h->firm || quota_had_turn(s, q, l, h->job))
            return some_passes(s, q, leaf, &t->walk, action) &&
                   next_turn(s, q, t, failed, action);
    }
    return false;
}

/* No job of any shape can succeed by consolidation. */
static bool all_infeasible(struct sched *s, struct quota_state *q, const struct failures *failed)
{
    if (q->growing > 0)
        return false;
    for (size_t i = 0; i < q->n_asked; i++) {
        struct admission_check *check = &q->check[q->asked[i]];
        if (quota_all_acted(q, check) || check->min_ask.of[Q_GPU] > q->free_milli ||
            check->infeasible_at == q->changes ||
            failed_before(failed, &(struct tried){ check->ask->alike, check->min_tasks, false }))
            continue;
        if (check->grouped || !consolidation_infeasible(s, q, check->ask, check->min_tasks))
            return false;
        check->infeasible_at = q->changes;
    }
    return true;
}

static queue_id next_leaf(const struct quota_state *q, queue_id from, enum quota_action action)
{
    if (action == RECLAIM)
        return bitset_next(&q->leaves, q->claims, from);
    if (action == PREEMPT)
        return bitset_next(&q->leaves, q->preempts, from);
    return from < q->n_queues ? from : ID_NONE;
}

/* No victims were found for the job. */
static void note_protected(struct sched *s, struct quota_state *q, const struct turn *t)
{
    enum wait_reason why = quota_pods_bar(s, q, t->job) ? WAIT_TOPOLOGY : WAIT_PROTECTED;
    (void)quota_has_capacity(s, q, job_facts(s, t->job), &t->wanted.amount, &why);
    quota_blocked(s, q, t->job, why);
}

/* With shares that are divided the standing of the leaf with that job is mostly known. */
static void add_turn(struct quota_state *q, queue_id leaf, const struct turn *t)
{
    if (t->behind && q->divided)
        order_add_standing(&q->jobs, leaf, &t->wanted.amount, leaf_standing(q, leaf, t->head));
    else
        order_add(&q->jobs, leaf, &t->wanted.amount);
}

void quota_act(struct sched *s, struct quota_state *q, enum quota_action action)
{
    struct failures all = { 0 };
    struct turn *turn = q->turn = q->turn ? q->turn : sched_alloc(s, q->n_queues * sizeof *turn);
    if (action == PREEMPT && q->min_priority >= q->max_priority)
        return;
    if (action == RECLAIM)
        quota_divide_now(s, q);
    if (action == CONSOLIDATION && q->params->reclaim > 0 && all_infeasible(s, q, &all))
        return;                    /* reclaim divides the shares, if they are not */
    order_begin(&q->jobs);
    for (queue_id i = 0; (i = next_leaf(q, i, action)) != ID_NONE; i++) {
        if (!leaf_may_try(s, q, i, action))
            continue;
        turn[i] = (struct turn){ 0 };
        if (first_turn(s, q, i, &turn[i], action == CONSOLIDATION ? &all : &turn[i].failed, action))
            add_turn(q, i, &turn[i]);
    }
    if (q->jobs.n_leaves > 1)
        quota_divide_now(s, q);
    order_make(&q->jobs);
    for (queue_id leaf; (leaf = order_top(&q->jobs)) != ID_NONE;) {
        struct turn *t = &turn[leaf];
        struct failures *failed = action == CONSOLIDATION ? &all : &t->failed;
        const struct job_facts *f = job_facts(s, t->job);
        struct tried me = { f->ask->alike, t->wanted.n, !f->preemptible };
        if (may_try(s, q, leaf, t->job, !f->preemptible, &t->wanted, action) &&
            !failed_before(failed, &me)) {
            bool found = !limit_bars(q, leaf, &t->wanted.amount, action) &&
                         quota_search(s, q, t->job, action);
            if (!found)
                note_failure(s, failed, me);
            else
                order_make(&q->jobs);  /* victims have changed the shares of other queues */
            if (!found && action == RECLAIM)
                note_protected(s, q, t);
            if (!found && action == CONSOLIDATION && all_infeasible(s, q, &all))
                return;
        }
        /* a job passed over would be passed over again, or has its turn now */
        bool again = t->behind && quota_is_plain(q);
        bool more =
            again ? first_turn(s, q, leaf, t, failed, action) : next_turn(s, q, t, failed, action);
        order_set(&q->jobs, leaf, more ? &t->wanted.amount : NULL);
    }
}

/* ---- Stale gangs ---- */

/* A gang that got something in this pass is about to be complete again: it is looked at anew. */
void quota_evict_stale(struct sched *s, struct quota_state *q)
{
    int64_t after_ns = (int64_t)(q->params->stale_s * 1e9 + .5);
    struct line_walk walk = { .l = q->broken };
    for (job_id j; line_next(&walk, &j);) {
        const struct placement *has = job_placement(s, j);
        int64_t due_ns = line_walk_key(&walk).time_ns + after_ns;
        bool stale = has && job_state(s, j) == JOB_GATHERING;
        if (stale && due_ns > sched_now(s)) {
            sched_wake_at(s, due_ns);
            return;
        }
        if (((struct quota_job *)job_own(s, j))->pass == q->pass) {
            if (q->changed)            /* otherwise it waits for GPUs that are being released */
                sched_wake_at(s, sched_now(s) + 1);
            continue;
        }
        quota_leave_broken(s, q, j);
        for (size_t i = stale ? has->n : 0; i-- > 0;)
            sched_stop_task(s, j, has->piece[i].task, STOP_SAVE);
        if (stale)
            sched_wake_at(s, sched_now(s) + 1);    /* what is idle at once is for the next pass */
        quota_mark_acted(s, q, j);
        q->changed = true;
    }
}
