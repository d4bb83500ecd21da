/* books.c - what each queue holds and asks for, summed up the tree; who contends, and how fair that came out. */
#include "sim/accounting/books.h"
#include "sim/engine/host.h"
#include "sim/engine/models.h"
#include "sim/scheduler/sizes.h"

#include <math.h>

static void amount_add(struct amount *to, struct amount by, int64_t sign)
{
    to->gpu_milli += sign * by.gpu_milli;
    to->cpu_milli += sign * by.cpu_milli;
    to->mem_mib += sign * by.mem_mib;
}

static void note_change(struct sched *s, queue_id q)
{
    if (!s->books[q].changed) {
        s->books[q].changed = true;
        s->changed_queue[s->n_changed_queues++] = q;
    }
    if (!s->books[q].unseen) {
        s->books[q].unseen = true;
        s->unseen_queue[s->n_unseen_queues++] = q;
    }
}

void books_held(struct sched *s, job_id j, struct amount size, int sign)
{
    for (queue_id q = s->workload->facts[j].queue; q != ID_NONE; q = s->cluster->queue[q].parent) {
        quota_settle(s, q);
        amount_add(&s->books[q].held, size, sign);
        if (!s->workload->facts[j].preemptible)
            amount_add(&s->books[q].held_firm, size, sign);
        note_change(s, q);
    }
}

void books_pending(struct sched *s, job_id j, struct amount size, int sign)
{
    s->waiting_milli += sign * size.gpu_milli;
    for (queue_id q = s->workload->facts[j].queue; q != ID_NONE; q = s->cluster->queue[q].parent) {
        quota_settle(s, q);
        amount_add(&s->books[q].pending, size, sign);
        note_change(s, q);
    }
}

void books_given_up(struct sched *s, const struct live *l, const struct placement *p)
{
    books_held(s, l->job, placement_amount(ask_of(s, l->job), p), -1);
    books_pending(s, l->job, amount_served(s, l->job, p), 1);
}

void books_occupied(struct sched *s, job_id j, const struct placement *p, int sign)
{
    int64_t gpu_milli = sign * placement_gpu_milli(p);
    s->held_milli += gpu_milli;
    models_held(s, j, p, sign);
    for (queue_id q = s->workload->facts[j].queue; q != ID_NONE; q = s->cluster->queue[q].parent) {
        quota_settle(s, q);
        s->books[q].occupied_milli += gpu_milli;
        note_change(s, q);
    }
}

/* A queue contends while one of its own jobs is there. */
void books_present(struct sched *s, job_id j, int sign)
{
    uint32_t *present = &s->books[s->workload->facts[j].queue].present;
    s->contending += *present == 0;
    *present += (uint32_t)sign;
    s->contending -= *present == 0;
    s->in_system += (uint32_t)sign;
}

static struct run_preemptions *preemptions_of(struct sched *s, const struct live *l, enum preemption_cause unsaid)
{
    const struct job_facts *facts = s->workload->facts;
    queue_id own = facts[l->job].queue;
    enum preemption_cause cause = unsaid;
    if (l->now.anew)
        cause = PREEMPTED_MOVE;
    else if (unsaid != PREEMPTED_MOVE && l->now.stopped_for != ID_NONE)
        cause = facts[l->now.stopped_for].queue == own ? PREEMPTED_PRIORITY : PREEMPTED_RECLAIM;
    return &s->books[own].preemptions[cause];
}

void books_lost(struct sched *s, const struct live *l, unsigned cause, const struct placement *p, int64_t lost_ns)
{
    int128_t lost = (int128_t)lost_ns * placement_gpu_milli(p);
    if (cause >= PREEMPTION_CAUSES)
        s->interruption_lost[cause - PREEMPTION_CAUSES] += lost;
    else
        preemptions_of(s, l, cause)->lost += lost;
}

void books_preempted(struct sched *s, const struct live *l, enum preemption_cause unsaid)
{
    preemptions_of(s, l, unsaid)->n++;
    s->job[l->job].preemptions++;
    s->totals.preemptions++;
}

const char *const preemption_cause_name[PREEMPTION_CAUSES] = { "reclaim", "preempt", "move", "broken", "policy" };

const struct run_preemptions *run_queue_preemptions(const struct sched *s, queue_id q)
{
    return s->books[q].preemptions;
}

/* Themis (Mahajan et al., NSDI 2020), models.md 10.4: the time from submit to end over that on an exclusive 1/N of the GPUs,
 * which is E max(1, n N / C), N the mean number of contending queues in that time. */
int64_t books_fairness_micro(const struct sched *s, const struct live *l)
{
    double there_ns = (double)(s->now_ns - s->workload->facts[l->job].submit_ns);
    double alone_ns = (double)s->workload->truth[l->job].duration_ns;
    int64_t gpu_milli = request_gpu_milli(ask_of(s, l->job));
    if (gpu_milli > 0 && there_ns > 0) {
        double queues = (double)(s->totals.contending - l->contending_before) / there_ns;
        alone_ns *= fmax(1, (double)gpu_milli * queues / (double)(s->cluster->gpus * MILLI_ALL));
    }
    double micro = alone_ns > 0 ? floor(1e6 * there_ns / alone_ns + .5) : -1;
    return micro < 9e18 ? (int64_t)micro : INT64_MAX;
}

uint32_t queue_count(const struct sched *s)
{
    return s->cluster->n_queues;
}

const struct queue_facts *queue_facts(const struct sched *s, queue_id q)
{
    return &s->cluster->queue[q];
}

struct amount queue_held(const struct sched *s, queue_id q)
{
    return s->books[q].held;
}

struct amount queue_held_firm(const struct sched *s, queue_id q)
{
    return s->books[q].held_firm;
}

struct amount queue_pending(const struct sched *s, queue_id q)
{
    return s->books[q].pending;
}

size_t queue_changes(struct sched *s, const queue_id **queues)
{
    size_t n = s->n_unseen_queues;
    for (size_t i = 0; i < n; i++)
        s->books[s->unseen_queue[i]].unseen = false;
    s->n_unseen_queues = 0;
    *queues = s->unseen_queue;
    return n;
}

struct run_queue_level run_queue_level(const struct sched *s, queue_id q)
{
    const struct queue_books *b = &s->books[q];
    return (struct run_queue_level){ b->occupied_milli, b->held.gpu_milli + b->pending.gpu_milli, b->quota.told_milli };
}

void queue_fair_share(struct sched *s, queue_id q, struct amount share)
{
    if (q >= s->cluster->n_queues || s->books[q].quota.told_milli == share.gpu_milli)
        return;
    s->books[q].quota.told_milli = share.gpu_milli;
    note_change(s, q);
}

size_t run_changed_queues(const struct sched *s, const queue_id **queues)
{
    *queues = s->changed_queue;
    return s->n_changed_queues;
}
