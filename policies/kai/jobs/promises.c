/* promises.c - tentative places of this pass, as what jobs hold.
 *
 * KAI counts pipelined pods as active: what one action has promised a later one may take
 * (NVIDIA/KAI-Scheduler:pkg/scheduler/api/pod_status/pod_status.go,
 * actions/utils/job_order_by_queue.go). Here that holds for a job that holds nothing else, one that waited whole or was moved: for the
 * rest of the pass it stands in the running line of its leaf with the promised tasks. A growing
 * job's next task is not promised in this sense. A job that comes with a promise (promised_on) is
 * in its first pass like one that a search has just placed. */
#include "policies/kai/jobs/reasons.h"

/* Room for all tasks of the job. */
static struct placement *new_promise(struct sched *s, job_id j, const struct placement *p)
{
    const struct request *ask = job_facts(s, j)->ask;
    size_t most = ask->tasks == SPLIT_ANY ? p->n : request_tasks(ask);
    struct placement *promise = sched_scratch(s, sizeof *promise + most * sizeof promise->piece[0]);
    promise->n = 0;
    return promise;
}

/* Pieces are in the order of tasks. */
static void add_piece(struct placement *to, const struct piece *piece)
{
    size_t at = to->n++;
    for (; at > 0 && to->piece[at - 1].task > piece->task; at--)
        to->piece[at] = to->piece[at - 1];
    to->piece[at] = *piece;
}

void quota_promise(struct sched *s, struct quota_state *q, job_id j, const struct placement *p)
{
    struct quota_job *own = job_own(s, j);
    if (job_placement(s, j))
        return;
    if (!quota_is_promised(s, q, j)) {
        own->promise = new_promise(s, j, p);
        own->promise_pass = q->pass;
        q->promised = array_grown(sched_alloc, s, q->promised, &q->promised_capacity,
                                  q->n_promised, sizeof *q->promised);
        q->promised[q->n_promised++] = j;
    }
    for (size_t i = 0; i < p->n; i++)
        add_piece(own->promise, &p->piece[i]);
    quota_enter_running(s, q, j);
}

void quota_promise_at(struct sched *s, struct quota_state *q, job_id j, const struct placement *p)
{
    if (!p || sched_tentative_add(s, j, p) != SCHED_OK)
        return;
    quota_pods_placed(s, q, j, p);
    quota_promise(s, q, j, p);
}

void quota_keep_found(struct sched *s, job_id j, const struct piece *piece, uint32_t n)
{
    struct quota_job *own = job_own(s, j);
    own->n_found = 0;
    for (uint32_t i = 0; i < n; i++) {
        own->found = array_grown(sched_alloc, s, own->found, &own->found_capacity, own->n_found,
                                 sizeof *own->found);
        own->found[own->n_found++] = piece[i];
    }
}

void quota_keep_promises(struct sched *s, struct quota_state *q)
{
    for (job_id j; line_first(q->owed, &j, NULL);) {
        const struct placement *where = sched_place_promised(s, j);
        line_remove(q->owed, j);
        if (!where)
            continue;
        quota_promise_at(s, q, j, where);
        if (!quota_is_promised(s, q, j))
            continue;
        quota_keep_found(s, j, where->piece, (uint32_t)where->n);
        line_push(q->awaited, j, (struct line_key){ .time_ns = q->n_awaited++ });
        quota_mark_acted(s, q, j);
        quota_refresh(s, q, job_facts(s, j)->queue);
        quota_blocked(s, q, j, WAIT_RELEASING);
        q->tentative = true;
        sched_wake_at(s, sched_now(s) + 1);
    }
}

void quota_break_promise(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    (void)sched_tentative_remove(s, j, own->promise);
    quota_pods_forget(s, q, j, own->promise);
    own->promise = NULL;
    own->n_found = 0;
    quota_leave_running(s, q, j);
    line_remove(q->awaited, j);
    quota_forget_reason(s, q, j);
}

/* Those that have got their place since, or hold something again, stay in the line. */
void promises_end(struct sched *s, struct quota_state *q)
{
    for (size_t i = 0; i < q->n_promised; i++) {
        struct quota_job *own = job_own(s, q->promised[i]);
        if (!own || !own->promise || own->promise_pass != q->pass)
            continue;
        own->promise = NULL;
        if (!job_placement(s, q->promised[i]))
            quota_leave_running(s, q, q->promised[i]);
    }
    q->n_promised = 0;
}
