/* reasons.c - see reasons.h. */
#include "policies/kai/jobs/reasons.h"

/* It is looked at alone. */
static void list_reason(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    if (own->listed_in == q)
        return;
    own->listed_in = q;
    q->reasoned = array_grown(sched_alloc, s, q->reasoned, &q->reasoned_capacity, q->n_reasoned,
                              sizeof *q->reasoned);
    q->reasoned[q->n_reasoned++] = j;
}

static struct leaf *leaf_of(const struct sched *s, const struct quota_state *q, job_id j)
{
    return &q->leaf[job_facts(s, j)->queue];
}

static struct told *told_of(struct sched *s, const struct quota_state *q, job_id j)
{
    return &quota_leaf_shape(s, leaf_of(s, q, j), job_facts(s, j)->ask->shape)->more->told;
}

/* ---- Told jobs: marks, and how many have them ---- */

static void count(struct sched *s, struct quota_state *q, job_id j, int by)
{
    const struct job_facts *f = job_facts(s, j);
    struct leaf *l = &q->leaf[f->queue];
    struct told *told = told_of(s, q, j);
    if (l->told == 0)
        l->told_at = q->doubts;
    l->told += (uint32_t)by;
    told->n += (uint32_t)by;
    told->loose += f->preemptible ? (uint32_t)by : 0;
    bitset_put(&q->leaves, q->told, f->queue, l->told > 0);
}

static void put_marks(struct sched *s, struct quota_state *q, job_id j, uint8_t marks)
{
    struct quota_job *own = job_own(s, j);
    if (own->marks == marks)
        return;
    bool was = is_told(own);
    own->marks = marks;
    line_mark(leaf_of(s, q, j)->waiting, j, marks);
    if (was != is_told(own))
        count(s, q, j, was ? -1 : 1);
}

void told_joined(struct sched *s, struct quota_state *q, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    if (own->whole)
        put_marks(s, q, j, job_facts(s, j)->preemptible ? MARK_WHOLE : MARK_WHOLE | MARK_FIRM);
}

void told_leaves(struct sched *s, struct quota_state *q, job_id j)
{
    if (is_told(job_own(s, j)))
        told_alone(s, q, j);
    put_marks(s, q, j, 0);
}

static void told_forgets(struct sched *s, struct quota_state *q, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    put_marks(s, q, j, own->marks & (uint8_t)~MARK_TOLD);
}

void told_alone(struct sched *s, struct quota_state *q, job_id j)
{
    told_forgets(s, q, j);
    list_reason(s, q, j);
}

/* Its own reason is this from now on. false: it is none that told jobs have, or j does not wait whole. */
static bool told_reason(struct sched *s, struct quota_state *q, job_id j, enum wait_reason why)
{
    const struct quota_job *own = job_own(s, j);
    uint8_t others = own->marks & (uint8_t)~MARK_TOLD;
    bool told = own->waits && own->whole && (why == WAIT_LIMIT || why == WAIT_QUOTA);
    uint8_t mark = why == WAIT_LIMIT ? MARK_LIMIT : MARK_QUOTA;
    put_marks(s, q, j, told ? others | mark : others);
    return told;
}

/* ---- Told jobs: walks ---- */

void told_skip(struct sched *s, struct quota_state *q, struct line_walk *walk, job_id j,
               enum wait_reason why)
{
    if (!quota_check(s, q, job_facts(s, j)->ask->shape)->uniform)
        return;
    struct told *told = told_of(s, q, j);
    if (told->pass != q->pass)
        told->end = ID_NONE;
    told->pass = q->pass;
    line_skip_marked(walk, why == WAIT_LIMIT ? MARK_LIMIT : MARK_QUOTA);
}

void told_skip_like(struct sched *s, struct quota_state *q, struct line_walk *walk, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    if (quota_check(s, q, f->ask->shape)->uniform)
        line_skip_marked(walk, f->preemptible ? MARK_WHOLE : MARK_FIRM);
}

void told_ends(struct sched *s, struct quota_state *q, const struct line_walk *walk, job_id j)
{
    if (leaf_of(s, q, j)->told == 0)
        return;
    struct told *told = told_of(s, q, j);
    if (told->pass != q->pass || told->end != ID_NONE)
        return;
    told->end = j;
    told->end_key = line_walk_key(walk);
}

/* ---- Reasons of their own ---- */

void quota_blocked(struct sched *s, struct quota_state *q, job_id j, enum wait_reason why)
{
    struct quota_job *own = job_own(s, j);
    own->why = why;
    own->why_pass = q->pass;
    own->why_in = q;
    sched_blocked(s, j, why);
    if (!told_reason(s, q, j, why))
        list_reason(s, q, j);
}

void quota_forget_reason(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    if (own->why_in)
        sched_blocked(s, j, WAIT_GROUP);
    own->why_in = NULL;
    told_forgets(s, q, j);
}

/* ---- Judged again ---- */

/* Since its told jobs were judged last. Limits of queues with node pools count what others hold. */
static bool is_doubted(const struct quota_state *q, queue_id leaf)
{
    uint64_t at = q->leaf[leaf].told_at;
    bool is = q->has_node || q->all_doubted > at;
    for (queue_id i = leaf; i != ID_NONE && !is; i = q->queue[i].parent)
        is = q->doubted[i] > at;
    return is;
}

static bool told_in_this_pass(const struct quota_state *q, const struct quota_job *own,
                              const struct told *told, job_id j, struct line_key key)
{
    return own->why_pass == q->pass ||
           (told->pass == q->pass &&
            (told->end == ID_NONE || line_key_before(key, j, told->end_key, told->end)));
}

static bool has_capacity(struct sched *s, struct quota_state *q, job_id j)
{
    struct wanted w = quota_wanted(s, j, NULL);
    return quota_has_capacity(s, q, job_facts(s, j), &w.amount, NULL);
}

/* Of a uniform shape: none of its told jobs has capacity. *firm_lack: firm ones have none. */
static bool all_lack(struct sched *s, struct quota_state *q, queue_id leaf,
                     const struct leaf_shape *here, bool *firm_lack)
{
    struct job_facts f = { .queue = leaf, .preemptible = true };
    const struct quota_amount *ask = &here->more->ask;
    *firm_lack = false;
    if (!quota_check(s, q, here->shape)->uniform)
        return false;
    if (!quota_has_capacity(s, q, &f, ask, NULL))
        return true;
    f.preemptible = false;
    *firm_lack = !quota_has_capacity(s, q, &f, ask, NULL);
    return *firm_lack && here->more->told.loose == 0;
}

/* false: one was told in this pass, and has capacity by now. */
static bool renew_shape(struct sched *s, struct quota_state *q, queue_id leaf,
                        const struct leaf_shape *here)
{
    const struct leaf *l = &q->leaf[leaf];
    const struct told *told = &here->more->told;
    bool firm_lack, all = true;
    if (all_lack(s, q, leaf, here, &firm_lack))
        return true;
    struct line_walk walk = { .l = l->waiting };
    for (size_t k = 0; k < l->n_shapes; k++)
        if (l->shape[k].shape != here->shape)
            line_skip_shape(&walk, l->shape[k].shape);
    for (job_id j; told->n > 0 && line_next(&walk, &j);) {
        if (firm_lack)
            line_skip_marked(&walk, MARK_FIRM);
        const struct quota_job *own = job_own(s, j);
        if (!is_told(own) || !has_capacity(s, q, j))
            continue;
        if (told_in_this_pass(q, own, told, j, line_walk_key(&walk)))
            all = false;
        else
            quota_forget_reason(s, q, j);
    }
    return all;
}

static void renew_told(struct sched *s, struct quota_state *q)
{
    for (queue_id i = 0; (i = bitset_next(&q->leaves, q->told, i)) != ID_NONE; i++) {
        struct leaf *l = &q->leaf[i];
        if (!is_doubted(q, i))
            continue;
        bool all = true;
        for (size_t k = 0; k < l->n_shapes; k++)
            if (l->shape[k].more->told.n > 0)
                all = renew_shape(s, q, i, &l->shape[k]) && all;
        if (all)
            l->told_at = q->doubts;
    }
}

/* What the job was told still keeps it waiting. */
static bool still_holds(struct sched *s, struct quota_state *q, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    if (own->why_pass == q->pass)
        return true;
    if (own->why == WAIT_RELEASING)
        return false;
    if (own->why != WAIT_LIMIT && own->why != WAIT_QUOTA)
        return true;
    struct wanted w = quota_wanted(s, j, job_placement(s, j));
    return !quota_has_capacity(s, q, job_facts(s, j), &w.amount, NULL);
}

/* Jobs that have started or left have none, and are dropped; so are those that are told, which are
 * many. While nothing makes room, all stand. */
static void renew_own_reasons(struct sched *s, struct quota_state *q)
{
    size_t n = 0;
    if (q->renewed_at == q->version)
        return;
    q->renewed_at = q->version;
    for (size_t i = 0; i < q->n_reasoned; i++) {
        job_id j = q->reasoned[i];
        struct quota_job *own = job_own(s, j);
        if (!own || own->listed_in != q)
            continue;
        if (own->why_in == q && !is_told(own) && own->waits && still_holds(s, q, j)) {
            q->reasoned[n++] = j;
            continue;
        }
        own->listed_in = NULL;
        if (own->why_in != q || is_told(own))
            continue;
        if (own->waits)
            quota_forget_reason(s, q, j);
        own->why_in = NULL;
    }
    q->n_reasoned = n;
    renew_told(s, q);
}

/* A job over its deserved quota may go on beyond it: while pools can grow it lacks nothing but
 * GPUs. */
static enum wait_reason reason_of(const struct quota_state *q, const struct leaf *l,
                                  const struct leaf_shape *shape, const struct quota_share *gpus)
{
    enum wait_reason why = q->check[shape->shape].why;
    if (why == WAIT_GPUS && !q->grows_by_nodes && gpus->deserved != UNLIMITED &&
        gpus->allocated + shape->least_milli > gpus->deserved)
        why = WAIT_QUOTA;
    return l->spent ? WAIT_LIMIT : why;
}

/* Prefetch: of hundreds of leaves few are in a near cache. */
static inline void fetch_reported(const struct quota_state *q, queue_id leaf)
{
    const struct leaf *l = &q->leaf[leaf];
    __builtin_prefetch(&l->reasons_held);
    __builtin_prefetch(&q->queue[leaf].of[Q_GPU]);
    for (size_t at = 0; at < l->n_shapes * sizeof *l->shape; at += 64)
        __builtin_prefetch((const char *)l->shape + at);
}

/* From the last check of each shape and the shares of its queue. */
static void report_shapes(struct sched *s, struct quota_state *q)
{
    for (queue_id i = bitset_next(&q->leaves, q->unreported, 0), next; i != ID_NONE; i = next) {
        struct leaf *l = &q->leaf[i];
        next = bitset_next(&q->leaves, q->unreported, i + 1);
        if (next != ID_NONE)
            fetch_reported(q, next);
        const struct quota_share *gpus = &q->queue[i].of[Q_GPU];
        bitset_put(&q->leaves, q->unreported, i, false);
        if (!leaf_waits(l) ||
            (!l->report_due && l->reasons_held == gpus->allocated && l->reasons_fair == gpus->fair))
            continue;
        l->report_due = false;
        l->reasons_held = gpus->allocated;
        l->reasons_fair = gpus->fair;
        for (size_t k = 0; k < l->n_shapes; k++) {
            struct leaf_shape *shape = &l->shape[k];
            if (!shape->waiting)
                continue;
            enum wait_reason why = reason_of(q, l, shape, gpus);
            if (why != shape->why)
                line_blocked(s, l->waiting, shape->shape, why);
            shape->why = (uint8_t)why;
        }
    }
}

void reasons_report(struct sched *s, struct quota_state *q)
{
    renew_own_reasons(s, q);
    report_shapes(s, q);
}
