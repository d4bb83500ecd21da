/* requests.c - see requests.h. */
#include "sim/workload/requests.h"

static bool has_task(const struct request *run, uint32_t task)
{
    if (!run->task)
        return task >= run->first_task && task - run->first_task < run->tasks;
    for (uint32_t k = 0; k < run->tasks; k++)
        if (run->task[k] == task)
            return true;
    return false;
}

const struct request *request_of_task(const struct request *ask, uint32_t task)
{
    while (ask->next && !has_task(ask, task))
        ask = ask->next;
    return ask;
}

uint32_t request_tasks(const struct request *ask)
{
    uint32_t tasks = ask->tasks;
    for (const struct request *r = ask->next; r; r = r->next)
        tasks += r->tasks;
    return tasks;
}

uint32_t request_task(const struct request *r, uint32_t k)
{
    return r->task ? r->task[k] : r->first_task + k;
}

int64_t request_gpus(const struct request *ask)
{
    int64_t gpus = 0;
    for (const struct request *r = ask; r; r = r->next)
        gpus += run_gpus(r);
    return gpus;
}

static struct amount of_tasks(const struct request *run, uint32_t tasks)
{
    struct request part = *run;
    part.tasks = tasks;
    part.next = NULL;
    return request_amount(&part);
}

static void add(struct amount *to, struct amount by)
{
    to->gpu_milli += by.gpu_milli;
    to->cpu_milli += by.cpu_milli;
    to->mem_mib += by.mem_mib;
}

struct amount chain_amount(const struct request *ask)
{
    struct amount sum = { 0, 0, 0 };
    for (const struct request *r = ask; r; r = r->next)
        add(&sum, of_tasks(r, r->tasks));
    return sum;
}

uint32_t placement_size(const struct request *ask, const struct placement *p)
{
    if (ask->tasks != SPLIT_ANY)
        return (uint32_t)p->n;
    uint32_t gpus = 0;
    for (size_t i = 0; i < p->n; i++)
        gpus += p->piece[i].gpus;
    return gpus;
}

struct amount pieces_amount(const struct request *ask, const struct placement *p)
{
    struct amount sum = { 0, 0, 0 };
    for (size_t i = 0; i < p->n; i++)
        add(&sum, of_tasks(request_of_task(ask, p->piece[i].task), 1));
    return sum;
}
