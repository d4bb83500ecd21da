/* sizes.c - see sizes.h. */
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/placements.h"

/* ---- What a job asks for and holds ---- */

const struct placement *job_placement(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l ? l->now.held : NULL;
}

const struct placement *job_leaving(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l ? l->leaving : NULL;
}

const struct placement *job_suspended(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l && !l->now.dropped ? l->suspended : NULL;
}

struct request job_request(const struct sched *s, job_id j)
{
    struct request r = *ask_of(s, j);
    r.job = j;
    return r;
}

const struct job_running *running_of(const struct sched *s, job_id j)
{
    uint32_t i = workload_extra(s->workload, j)->running;
    return i ? &s->workload->running[i - 1] : NULL;
}

int64_t running_before_ns(const struct sched *s, job_id j)
{
    const struct job_running *r = running_of(s, j);
    return r && r->ran_ns > 0 ? r->ran_ns : 0;
}

bool running_leaves_for_good(const struct sched *s, job_id j)
{
    const struct job_running *r = running_of(s, j);
    return r && r->leaving_ns >= 0 && s->workload->truth[j].duration_ns == 0;
}

/* ---- Sizes ---- */

struct job_sizes job_sizes(const struct sched *s, job_id j)
{
    struct job_sizes z = workload_sizes(s->workload, j);
    const struct live *l = live_of(s, j);
    if (z.moldable && l && l->size)
        z.min = z.usual = z.max = l->size;
    return z;
}

uint32_t job_size_held(const struct sched *s, job_id j)
{
    const struct placement *p = job_placement(s, j);
    return p ? placement_size(ask_of(s, j), p) : 0;
}

struct request job_request_sized(const struct sched *s, job_id j, uint32_t size)
{
    struct request r = job_request(s, j);
    if (!s->workload->facts[j].sizing)
        return r;
    *(r.tasks == SPLIT_ANY ? &r.gpus : &r.tasks) = size;
    return r;
}

bool size_allowed(const struct sched *s, job_id j, uint64_t size)
{
    const struct request *ask = ask_of(s, j);
    if (!(s->force->needs & RESIZES) || !s->workload->facts[j].sizing)
        return size == (ask->tasks == SPLIT_ANY ? ask->gpus : request_tasks(ask));
    struct job_sizes z = job_sizes(s, j);
    return size >= z.min && size <= z.max;
}

double size_gpu_s(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    int128_t milli_ns = s->gpu_time[j].held + (int128_t)running_before_ns(s, j) * request_gpu_milli(ask_of(s, j));
    if (l && l->event)
        milli_ns += (int128_t)(s->now_ns - l->held_since_ns) * placement_gpu_milli(l->touched ? l->was.held : l->now.held);
    else if (l && l->leaving)
        milli_ns += (int128_t)(s->now_ns - l->leaving_since_ns) * placement_gpu_milli(l->leaving);
    return (double)milli_ns / MILLI_ALL / NS_PER_S;
}

uint32_t size_least(const struct sched *s, job_id j)
{
    const struct job_facts *f = &s->workload->facts[j];
    return s->all_needs & RESIZES && f->sizing ? workload_sizes(s->workload, j).min : f->min_tasks;
}

bool tasks_missing(const struct sched *s, job_id j, const struct placement *p)
{
    const struct request *ask = ask_of(s, j);
    return ask->tasks != SPLIT_ANY && p->n < request_tasks(ask) && !(s->all_needs & RESIZES);
}

struct amount amount_served(const struct sched *s, job_id j, const struct placement *p)
{
    return s->all_needs & RESIZES ? request_amount(ask_of(s, j)) : placement_amount(ask_of(s, j), p);
}

/* ---- Tasks ---- */

/* The runs of a leaf follow each other, and so do the pieces of p. */
static bool groups_enough(const struct job_facts *f, const struct placement *p)
{
    size_t i = 0;
    for (const struct request *r = f->ask, *next; r; r = next) {
        uint32_t held = 0;
        for (next = r; next && next->group == r->group; next = next->next)
            for (; i < p->n && p->piece[i].task - next->first_task < next->tasks; i++)
                held++;
        if (held < f->group[r->group].min_tasks)
            return false;
    }
    return true;
}

bool tasks_enough(const struct sched *s, job_id j, const struct placement *p)
{
    const struct job_facts *f = &s->workload->facts[j];
    if (f->ask->tasks == SPLIT_ANY)
        return p != NULL;
    return p && p->n >= size_least(s, j) && (!f->n_groups || groups_enough(f, p));
}

enum job_state tasks_state(const struct sched *s, const struct live *l, const struct placement *p)
{
    if (!p)
        return JOB_PENDING;
    return tasks_enough(s, l->job, p) && !l->now.saving && !l->part ? JOB_RUNNING : JOB_GATHERING;
}

/* The share of the tasks (under SPLIT_ANY of the GPUs) that it usually has; where they differ, of their GPUs, if it holds any:
 * tasks without GPUs may be all that its minimum asks for, and then it makes progress. */
double tasks_rate(const struct sched *s, const struct live *l)
{
    const struct request *ask = ask_of(s, l->job);
    uint32_t all = request_tasks(ask);
    if (all == SPLIT_ANY)
        return (double)placement_size(ask, l->now.held) / ask->gpus;
    if (l->now.held->n == all)
        return 1.0;
    int64_t gpu_milli = ask->next ? placement_gpu_milli(l->now.held) : 0;
    return gpu_milli ? (double)gpu_milli / (double)request_gpu_milli(ask) : (double)l->now.held->n / all;
}
