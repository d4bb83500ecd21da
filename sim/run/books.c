/* books.c - what each queue holds and asks for, summed up the tree. */
#include "sim/run/host.h"

static void amount_add(struct amount *to, struct amount by, int64_t sign)
{
    to->gpu_milli += sign * by.gpu_milli;
    to->cpu_milli += sign * by.cpu_milli;
    to->mem_mib += sign * by.mem_mib;
}

static void settle(const struct sched *s, struct queue_books *b)
{
    b->held_integral += (int128_t)b->held.gpu_milli * (s->now_ns - b->since_ns);
    b->since_ns = s->now_ns;
}

static void note_change(struct sched *s, queue_id q)
{
    if (!s->books[q].changed) {
        s->books[q].changed = true;
        s->changed_queue[s->n_changed_queues++] = q;
    }
}

/* What that many of its tasks are. */
static struct amount amount_of(const struct sched *s, job_id j, uint32_t tasks)
{
    struct request part = *ask_of(s, j);
    part.tasks = tasks;
    return request_amount(&part);
}

void books_held(struct sched *s, job_id j, uint32_t tasks, int sign)
{
    struct amount size = amount_of(s, j, tasks);
    for (queue_id q = s->workload->facts[j].queue; q != ID_NONE; q = s->cluster->queue[q].parent) {
        settle(s, &s->books[q]);
        amount_add(&s->books[q].held, size, sign);
        note_change(s, q);
    }
}

void books_pending(struct sched *s, job_id j, uint32_t tasks, int sign)
{
    struct amount size = amount_of(s, j, tasks);
    s->waiting_milli += sign * size.gpu_milli;
    for (queue_id q = s->workload->facts[j].queue; q != ID_NONE; q = s->cluster->queue[q].parent) {
        amount_add(&s->books[q].pending, size, sign);
        note_change(s, q);
    }
}

void books_settle(struct sched *s)
{
    for (queue_id q = 0; q < s->cluster->n_queues; q++)
        settle(s, &s->books[q]);
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

struct amount queue_pending(const struct sched *s, queue_id q)
{
    return s->books[q].pending;
}

int128_t run_queue_held(const struct sched *s, queue_id q)
{
    return s->books[q].held_integral;
}

size_t run_changed_queues(const struct sched *s, const queue_id **queues)
{
    *queues = s->changed_queue;
    return s->n_changed_queues;
}
