/* reasons.c - why jobs wait. Jobs of one shape in one leaf share a reason, that of the last check
 * of the shape: line_blocked(). A job that was looked at alone has its own, which comes first.
 *
 * A reason of its own lasts as long as what it says. A tentative place is of the pass that gave it:
 * the next decides again. A limit or a quota keeps a job waiting until its queue has capacity for
 * it. Then the job waits for the reason of its shape: one that lacks GPUs by now would else never
 * count as one that rented nodes can help. */
#include "policies/kai/quota.h"

void quota_blocked(struct sched *s, struct quota_state *q, job_id j, enum wait_reason why)
{
    struct quota_job *own = job_own(s, j);
    own->why = why;
    own->why_pass = q->pass;
    sched_blocked(s, j, why);
    if (own->why_in == q)
        return;
    own->why_in = q;
    q->reasoned = array_grown(sched_alloc, s, q->reasoned, &q->reasoned_capacity, q->n_reasoned,
                              sizeof *q->reasoned);
    q->reasoned[q->n_reasoned++] = j;
}

void quota_forget_reason(struct sched *s, job_id j)
{
    struct quota_job *own = job_own(s, j);
    if (own->why_in)
        sched_blocked(s, j, WAIT_GROUP);
    own->why_in = NULL;
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

/* Jobs that have started or left have none, and are dropped. While nothing makes room, all stand. */
static void renew_own_reasons(struct sched *s, struct quota_state *q)
{
    size_t n = 0;
    if (q->renewed_at == q->version)
        return;
    q->renewed_at = q->version;
    for (size_t i = 0; i < q->n_reasoned; i++) {
        job_id j = q->reasoned[i];
        struct quota_job *own = job_own(s, j);
        if (!own || own->why_in != q)
            continue;
        if (!own->waits)
            own->why_in = NULL;
        else if (still_holds(s, q, j))
            q->reasoned[n++] = j;
        else
            quota_forget_reason(s, j);
    }
    q->n_reasoned = n;
}

/* A job over its deserved quota may go on beyond it: while pools can grow it lacks nothing but
 * GPUs. */
static enum wait_reason reason_of(const struct quota_state *q, const struct leaf *l,
                                  const struct leaf_shape *shape, const struct quota_share *gpus)
{
    enum wait_reason why = q->check[shape->shape].why;
    if (why == WAIT_GPUS && !q->grows_by_nodes && gpus->deserved != UNLIMITED &&
        (gpus->allocated > gpus->deserved ||    /* without a look at `more`, which lies elsewhere */
         gpus->allocated + shape->more->ask.of[Q_GPU] > gpus->deserved))
        why = WAIT_QUOTA;
    return l->spent ? WAIT_LIMIT : why;
}

/* From the last check of each shape and the shares of its queue. */
static void report_shapes(struct sched *s, struct quota_state *q)
{
    for (queue_id i = 0; (i = bitset_next(&q->leaves, q->unreported, i)) != ID_NONE;) {
        struct leaf *l = &q->leaf[i];
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
            shape->why = why;
        }
    }
}

void reasons_report(struct sched *s, struct quota_state *q)
{
    renew_own_reasons(s, q);
    report_shapes(s, q);
}
