/* tasks.c - jobs, task by task.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/api/podgroup_info/allocation_info.go: below its minimum
 * a job takes all that it lacks of it, of each group that lacks any; from there on one task at a
 * time, of the group that has the least of its minimum. */
#include "policies/kai/quota.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

/* ---- Tasks ---- */

bool quota_is_promised(struct sched *s, const struct quota_state *q, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    return own->promise_pass == q->pass && own->promise && !job_placement(s, j);
}

const struct placement *quota_has(struct sched *s, const struct quota_state *q, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    return quota_is_promised(s, q, j) ? own->promise : job_placement(s, j);
}

static uint32_t tasks_of(const struct request *ask)
{
    return ask->tasks == SPLIT_ANY ? 1 : request_tasks(ask);
}

static uint32_t held_tasks(const struct request *ask, const struct placement *has)
{
    return !has ? 0 : ask->tasks == SPLIT_ANY ? 1 : (uint32_t)has->n;
}

bool quota_lacks_tasks(const struct sched *s, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    return held_tasks(ask, job_placement(s, j)) < tasks_of(ask);
}

/* The first tasks of the group that are missing, at most max of them. */
static uint32_t missing(const struct request *ask, const struct placement *has, uint32_t group,
                        uint32_t max, uint32_t *to)
{
    uint32_t n = 0;
    for (const struct request *run = ask; run && n < max; run = run->next)
        for (uint32_t k = 0;
             run->group == group && k < (run->tasks == SPLIT_ANY ? 1 : run->tasks) && n < max; k++)
            if (!placement_task(has, run->first_task + k))
                to[n++] = run->first_task + k;
    return n;
}

static uint32_t held_of_group(const struct request *ask, const struct placement *has,
                              uint32_t group)
{
    uint32_t n = 0;
    for (const struct request *run = ask; has && run; run = run->next)
        for (size_t i = 0; run->group == group && i < has->n; i++)
            n += has->piece[i].task >= run->first_task &&
                 has->piece[i].task - run->first_task < run->tasks;
    return n;
}

static bool is_leaf(const struct job_facts *f, uint32_t group)
{
    for (uint32_t g = group + 1; g < f->n_groups; g++)
        if (f->group[g].parent == group)
            return false;
    return true;
}

static uint32_t wanted_of_groups(const struct job_facts *f, const struct placement *has,
                                 uint32_t *to)
{
    uint32_t n = 0, least = ID_NONE, least_held = 0;
    for (uint32_t g = 0; g < f->n_groups; g++) {
        uint32_t held = is_leaf(f, g) ? held_of_group(f->ask, has, g) : 0,
                 min = f->group[g].min_tasks;
        if (held < min)
            n += missing(f->ask, has, g, min - held, to + n);
        else if (is_leaf(f, g) && missing(f->ask, has, g, 1, to + n) &&
                 (least == ID_NONE ||
                  (uint64_t)held * f->group[least].min_tasks < (uint64_t)least_held * min)) {
            least = g;
            least_held = held;
        }
    }
    return n || least == ID_NONE ? n : missing(f->ask, has, least, 1, to);
}

enum { LISTED = 32 };
/* The first tasks of a run. */
static const uint32_t first_tasks[LISTED] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                              11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                              22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };

struct wanted quota_wanted(struct sched *s, job_id j, const struct placement *has)
{
    const struct job_facts *f = job_facts(s, j);
    if (!has && f->n_groups == 0 && !f->ask->next && f->ask->first_task == 0 &&
        f->min_tasks <= LISTED && f->min_tasks > 0) {
        uint32_t first = min_u32(f->min_tasks, tasks_of(f->ask));
        return (struct wanted){ first, first_tasks, quota_of_tasks(s, j, first_tasks, first) };
    }
    uint32_t held = held_tasks(f->ask, has), all = tasks_of(f->ask);
    uint32_t most = held < f->min_tasks ? f->min_tasks - held : 1;
    uint32_t *task = sched_scratch(s, (f->n_groups ? all : most) * sizeof *task);
    uint32_t n = f->n_groups ? wanted_of_groups(f, has, task) : missing(f->ask, has, 0, most, task);
    return (struct wanted){ n, task, quota_of_tasks(s, j, task, n) };
}

/* So many tasks of a run of equal tasks. */
static struct quota_amount part_of(const struct request *run, uint32_t tasks)
{
    if (run->tasks == SPLIT_ANY)
        return quota_amount(request_size(run));
    int64_t n = tasks;
    return (struct quota_amount){ { n * run->gpus * run->gpu_milli, n * run->cpu_milli,
                                    n * run->mem_mib } };
}

struct quota_amount quota_of_tasks(struct sched *s, job_id j, const uint32_t *task, uint32_t n)
{
    const struct request *ask = job_facts(s, j)->ask;
    if (!ask->next)
        return part_of(ask, n);
    struct quota_amount sum = { { 0 } };
    for (uint32_t i = 0; i < n; i++) {
        struct quota_amount one = part_of(request_of_task(ask, task[i]), 1);
        sum = quota_sum(&sum, &one);
    }
    return sum;
}

struct quota_amount quota_of_placement(struct sched *s, job_id j, const struct placement *p)
{
    if (!job_facts(s, j)->ask->next)    /* whatever tasks */
        return quota_of_tasks(s, j, NULL, (uint32_t)p->n);
    uint32_t *task = sched_scratch(s, p->n * sizeof *task);
    for (size_t i = 0; i < p->n; i++)
        task[i] = p->piece[i].task;
    return quota_of_tasks(s, j, task, (uint32_t)p->n);
}

/* The tasks of one run from task[*i] on, as a request; moves *i behind them. */
static struct request run_of_tasks(const struct request *ask, job_id j, const uint32_t *task,
                                   uint32_t n, uint32_t *i)
{
    uint32_t from = *i;
    struct request part = *request_of_task(ask, task[from]);
    while (*i < n && task[*i] >= part.first_task && task[*i] - part.first_task < part.tasks)
        ++*i;
    part.job = j;
    part.task = task + from;
    part.tasks = *i - from;
    part.next = NULL;
    return part;
}

const struct request *quota_ask(struct sched *s, struct quota_state *q, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    if (!q->has_node)
        return ask;
    struct admission_check *check = quota_check(s, q, ask->shape);
    struct request **to = &check->pool_ask;
    for (const struct request *run = *to ? NULL : ask; run; run = run->next) {
        *to = sched_alloc(s, sizeof **to);
        **to = *run;
        (*to)->flavor = (uint16_t)(q->flavor + 1);
        (*to)->next = NULL;
        to = (struct request **)(uintptr_t) & (*to)->next;
    }
    return check->pool_ask;
}

const struct placement *quota_place(struct sched *s, struct quota_state *q, enum free_kind in,
                                    job_id j, const uint32_t *task, uint32_t n, node_id first)
{
    const struct request *ask = quota_ask(s, q, j);
    struct request r = *ask;
    uint32_t i = 0;
    r.job = j;
    if (r.tasks != SPLIT_ANY && !r.next) {
        r.task = task;
        r.tasks = n;
    } else if (r.tasks != SPLIT_ANY) {
        r = run_of_tasks(ask, j, task, n, &i);
        for (struct request *last = &r; i < n;) {
            struct request *next = sched_scratch(s, sizeof *next);
            *next = run_of_tasks(ask, j, task, n, &i);
            last->next = next;
            last = next;
        }
    }
    r.try_first = first;
    return sched_place(s, sched_view(s, in), &r);
}

bool quota_lacks_nodes(struct sched *s, enum free_kind in, const struct request *ask,
                       uint32_t tasks)
{
    uint32_t n = ask->tasks == SPLIT_ANY ? ask->gpus : tasks;
    return ask->gpus > 0 && !ask->mig && ask->gpu_milli >= MILLI_ALL &&
           domain_fits(sched_view(s, in), 0, ask) < n;
}
