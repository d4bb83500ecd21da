/* books.c - what each queue holds and asks for, summed up the tree; contention, and finish-time fairness. */
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/base/inlined.h"
#include "sim/engine/models.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/sizes.h"

#include <stdlib.h>

static inline void amount_add(struct amount *to, const struct amount *by)
{
    to->gpu_milli += by->gpu_milli;
    to->cpu_milli += by->cpu_milli;
    to->mem_mib += by->mem_mib;
}

static inline struct amount signed_amount(struct amount a, int sign)
{
    return sign > 0 ? a : (struct amount){ -a.gpu_milli, -a.cpu_milli, -a.mem_mib };
}

/* It has changed, and is not in both lists. */
void books_note(struct sched *s, queue_id q)
{
    if (q < s->cluster->n_queues && !s->books->queue[q].changed) {
        s->books->queue[q].changed = true;
        s->books->changed[s->books->n_changed++] = q;
    }
    if (!s->books->queue[q].unseen) {
        s->books->queue[q].unseen = true;
        s->books->unseen[s->books->n_unseen++] = q;
    }
}

/* Where the books for its flavor begin; 0: it counts in none. */
static queue_id books_of_flavor(const struct sched *s, job_id j)
{
    return s->cluster->n_flavors ? s->cluster->n_queues * live_of(s, j)->flavor : 0;
}

INLINED void add_to(struct sched *s, queue_id q, const struct job_facts *f, const struct books_change *c)
{
    quota_settle(s, q);
    struct queue_books *b = &s->books->queue[q];
    amount_add(&b->pending, &c->pending);
    amount_add(&b->held, &c->held);
    if (!f->preemptible)
        amount_add(&b->held_firm, &c->held);
    b->occupied_milli += c->occupied_milli;
    books_shown(s, q);
}

/* In the books that begin at `from`, up the tree from q on. */
static void add_up(struct sched *s, queue_id from, queue_id q, const struct job_facts *f, const struct books_change *c)
{
    for (; q != ID_NONE; q = s->cluster->queue[q].parent)
        add_to(s, from + q, f, c);
}

void books_change(struct sched *s, job_id j, const struct books_change *c)
{
    const struct job_facts *f = &s->workload->facts[j];
    queue_id flavor = books_of_flavor(s, j);
    s->ledger.waiting_milli += c->pending.gpu_milli;
    s->ledger.held_milli += c->occupied_milli;
    add_to(s, f->queue, f, c);
    queue_id parent = s->books->queue[f->queue].parent;
    if (parent != ID_NONE)
        add_up(s, 0, parent, f, c);
    if (flavor)
        add_up(s, flavor, f->queue, f, c);
}

void books_held(struct sched *s, job_id j, struct amount size, int sign)
{
    books_change(s, j, &(struct books_change){ .held = signed_amount(size, sign) });
}

void books_pending(struct sched *s, job_id j, struct amount size, int sign)
{
    books_change(s, j, &(struct books_change){ .pending = signed_amount(size, sign) });
}

void books_count_in(struct sched *s, struct live *l, uint32_t flavor)
{
    const struct job_facts *f = &s->workload->facts[l->job];
    struct amount size = request_amount(f->ask);
    if (l->flavor)
        add_up(s, books_of_flavor(s, l->job), f->queue, f, &(struct books_change){ .pending = signed_amount(size, -1) });
    l->flavor = (uint8_t)(flavor + 1);
    add_up(s, books_of_flavor(s, l->job), f->queue, f, &(struct books_change){ .pending = size });
}

void books_given_up(struct sched *s, const struct live *l, const struct placement *p)
{
    books_change(s, l->job, &(struct books_change){ .held = signed_amount(placement_amount(ask_of(s, l->job), p), -1),
                                                    .pending = amount_served(s, l->job, p) });
}

void books_occupied(struct sched *s, job_id j, const struct placement *p, int sign)
{
    models_held(s, j, p, sign);
    books_change(s, j, &(struct books_change){ .occupied_milli = sign * placement_gpu_milli(p) });
}

/* A queue contends while one of its own jobs is there. */
void books_present(struct sched *s, job_id j, int sign)
{
    uint32_t *present = &s->books->queue[s->workload->facts[j].queue].present;
    s->ledger.contending += *present == 0;
    *present += (uint32_t)sign;
    s->ledger.contending -= *present == 0;
    ledger_in_system(s, sign);
}

unsigned books_cause(const struct sched *s, const struct live *l, unsigned unnamed)
{
    const struct job_facts *facts = s->workload->facts;
    if (unnamed >= PREEMPTION_CAUSES)
        return unnamed;
    if (l->now.anew)
        return PREEMPTED_MOVE;
    if (unnamed == PREEMPTED_MOVE || l->now.stopped_for == ID_NONE)
        return unnamed;
    return facts[l->now.stopped_for].queue == facts[l->job].queue ? PREEMPTED_PRIORITY
                                                                  : PREEMPTED_RECLAIM;
}

void books_lost(struct sched *s, job_id j, unsigned cause, const struct placement *p,
                int64_t lost_ns)
{
    int128_t lost = (int128_t)lost_ns * placement_gpu_milli(p);
    if (cause >= PREEMPTION_CAUSES)
        s->ledger.interruption_lost[cause - PREEMPTION_CAUSES] += lost;
    else
        s->books->queue[s->workload->facts[j].queue].preemptions[cause].lost += lost;
}

void books_preempted(struct sched *s, job_id j, unsigned cause)
{
    s->books->queue[s->workload->facts[j].queue].preemptions[cause].n++;
    job_cost_add(s, j, (struct job_cost){ .preemptions = 1 });
    s->totals.preemptions++;
}

const char *const preemption_cause_name[PREEMPTION_CAUSES] = { "reclaim", "preempt", "move", "broken", "policy" };

const struct run_preemptions *run_queue_preemptions(const struct sched *s, queue_id q)
{
    return s->books->queue[q].preemptions;
}

double books_contending_ns(const struct sched *s, const struct live *l)
{
    int128_t sum = s->totals.contending - l->contending_before;
    return sum == (int64_t)sum ? (double)(int64_t)sum : (double)sum;    /* the same number, the first one at once */
}

/* Themis (Mahajan et al., NSDI 2020), models.md 10.4: the time from submit to end over that on an exclusive 1/N of the GPUs,
 * which is E max(1, n N / C), N the mean number of contending queues in that time. Only results want it: their thread divides. */
int64_t books_fairness_micro(const struct sched *s, job_id j)
{
    const struct job_run *run = &s->job[j];
    if (run->contending_ns < 0 || run->state == JOB_ABSENT)
        return -1;
    double there_ns = (double)(run->end_ns - s->workload->facts[j].submit_ns);
    double alone_ns = (double)s->workload->truth[j].duration_ns;
    int64_t gpu_milli = request_gpu_milli(ask_of(s, j));
    if (gpu_milli > 0 && there_ns > 0) {
        double queues = run->contending_ns / there_ns, share = (double)gpu_milli * queues / (double)(s->cluster->gpus * MILLI_ALL);
        alone_ns *= share > 1 ? share : 1;
    }
    double micro = alone_ns > 0 ? 1e6 * there_ns / alone_ns + .5 : -1;
    return micro < 9e18 ? (int64_t)micro : INT64_MAX;
}

struct run_queue_level run_queue_level(const struct sched *s, queue_id q)
{
    const struct queue_books *b = &s->books->queue[q];
    return (struct run_queue_level){ b->occupied_milli, b->held.gpu_milli + b->pending.gpu_milli, b->quota.reported_milli,
                                     b->quota.deserves ? b->quota.deserved_milli : UNLIMITED };
}

size_t run_changed_queues(const struct sched *s, const queue_id **queues)
{
    *queues = s->books->changed;
    return s->books->n_changed;
}

/* ---- Beginning and end ---- */

void books_begin(struct sched *s)
{
    struct books *b = s->books = arena_alloc(s->memory, sizeof *b);
    b->n = s->cluster->n_queues * (1 + (size_t)s->cluster->n_flavors);
    b->queue = mem_new(b->n, sizeof *b->queue);
    b->capacity = mem_new(1 + (size_t)s->cluster->n_flavors, sizeof *b->capacity);
    b->changed = mem_new(s->cluster->n_queues, sizeof *b->changed);
    b->unseen = mem_new(b->n, sizeof *b->unseen);
    for (queue_id q = 0; q < b->n; q++)
        b->queue[q].parent = s->cluster->queue[q % s->cluster->n_queues].parent;
    quotas_begin(s);
}

void books_end(struct sched *s)
{
    for (queue_id q = 0; q < s->books->n; q++)
        free(s->books->queue[q].reclaim);
    free(s->books->queue);
    free(s->books->capacity);
    free(s->books->changed);
    free(s->books->unseen);
}

size_t books_changes(const struct sched *s)
{
    return s->books->n_changed;
}

void books_instant_ends(struct sched *s)
{
    for (size_t i = 0; i < s->books->n_changed; i++)
        s->books->queue[s->books->changed[i]].changed = false;
    s->books->n_changed = 0;
}

void books_forget_policy(struct sched *s)
{
    for (queue_id q = 0; q < s->books->n; q++)
        books_fair_share(s, q, (struct amount){ .gpu_milli = -1 });
    for (queue_id q = 0; q < s->books->n; q++) {
        s->books->queue[q].unseen = true;
        s->books->unseen[q] = q;
    }
    s->books->n_unseen = s->books->n;
}

size_t books_unseen(struct sched *s, const queue_id **queues)
{
    size_t n = s->books->n_unseen;
    for (size_t i = 0; i < n; i++)
        s->books->queue[s->books->unseen[i]].unseen = false;
    s->books->n_unseen = 0;
    *queues = s->books->unseen;
    return n;
}

void books_fair_share(struct sched *s, queue_id q, struct amount share)
{
    if (q >= s->books->n || s->books->queue[q].quota.reported_milli == share.gpu_milli)
        return;
    s->books->queue[q].quota.reported_milli = share.gpu_milli;
    books_shown(s, q);
}
