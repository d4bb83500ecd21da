/* reclaim - how long a pass of `quota` takes in which it reclaims: 4,000 nodes of 8 GPUs, all in
 * use, half of the queues over their quota with 10,000 jobs waiting, and the others' jobs coming
 * back one by one.
 *
 * A pass is more than its reclaim: it orders and looks at all that waits, too. Prints the passes
 * that stopped a job, and the median, the 99th percentile and the longest of their processor
 * times in milliseconds. */
#include "policies/registry.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NODES = 4000, QUEUES = 20, RUNNING = 9000, WAITING = 10000, RETURNING = 1000, PASSES_MOST = 1000000 };

static struct policy timed;
static const struct policy *quota;
static double took_ms[PASSES_MOST];
static size_t n_took;
static uint64_t stopped;

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double pass_ms;

static void timed_schedule(struct sched *s, const void *params, void *state)
{
    double before_ms = processor_ms();
    quota->schedule(s, params, state);
    pass_ms = processor_ms() - before_ms;
}

/* After each pass that changed something. */
static void at_instant(void *self, const struct sched *s)
{
    (void)self;
    uint64_t now = run_totals(s)->preemptions;
    if (now > stopped && n_took < PASSES_MOST)
        took_ms[n_took++] = pass_ms;
    stopped = now;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sizes as they are on Philly: mostly one GPU, some whole nodes and more; pods of up to 8. */
static void job_add(struct workload *w, struct random *r, int64_t submit_ns, uint32_t queue, size_t line)
{
    static const uint32_t sizes[] = { 1, 1, 1, 1, 1, 2, 4, 8, 8, 16 };
    uint32_t gpus = sizes[random_below(r, sizeof sizes / sizeof *sizes)];
    char name[16];
    struct error err = { "" };
    struct job_row row = job_row_default;
    row.submit_ns = submit_ns;
    row.duration_ns = 1000 * 3600 * NS_PER_S;
    row.gpus = gpus;
    row.tasks = gpus > 8 ? gpus / 8 : 1;
    row.queue = name;
    row.queue_length = (size_t)snprintf(name, sizeof name, "q%u", queue);
    if (workload_add(w, &row, "bench", line, &err))
        fprintf(stderr, "%s\n", err.text);
}

int main(void)
{
    struct error err = { "" };
    struct queue_spec queue[QUEUES];
    char name[QUEUES][8];
    for (uint32_t q = 0; q < QUEUES; q++) {
        snprintf(name[q], sizeof name[q], "q%u", q);
        queue[q] = (struct queue_spec){ .facts = { .name = name[q], .parent = ID_NONE, .weight = 1, .cpu_weight = 1, .mem_weight = 1,
            .priority = 100, .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1,
            .quota = { { NODES * 8 / QUEUES * MILLI_ALL, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } } };
    }
    struct group_spec nodes = { .name = "node", .gpu_model = "A100", .count = NODES, .gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    struct cluster *c = cluster_build("bench", &nodes, 1, queue, QUEUES, &err);
    struct workload *w = workload_new();
    struct random r;
    random_init(&r, 1, "bench", 0);
    for (size_t i = 0; i < RUNNING + WAITING; i++)
        job_add(w, &r, 0, (uint32_t)random_below(&r, QUEUES / 2), i);
    for (size_t i = 0; i < RETURNING; i++)
        job_add(w, &r, (int64_t)(60 + 60 * i) * NS_PER_S, QUEUES / 2 + (uint32_t)random_below(&r, QUEUES / 2), RUNNING + WAITING + i);
    if (!c || workload_finish(w, "bench", &err) || run_bind(c, w, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    c->overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT, .grace_ns = 30 * NS_PER_S, .save_ns = 10 * NS_PER_S };
    for (size_t i = 0; builtin_policies[i]; i++)
        if (!strcmp(builtin_policies[i]->name, "quota"))
            quota = builtin_policies[i];
    c->period_ns = quota->period_ns;
    timed = *quota;
    timed.schedule = timed_schedule;
    size_t pack = 0;
    while (strcmp(builtin_placers[pack]->name, "pack"))
        pack++;
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = &timed, .placer = builtin_placers[pack],
        .until_ns = (int64_t)(120 + 60 * RETURNING) * NS_PER_S, .observer = { .instant = at_instant } });
    if (run_execute(s, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    qsort(took_ms, n_took, sizeof *took_ms, by_size);
    printf("%zu %.3f %.3f %.3f\n", n_took, took_ms[n_took / 2], took_ms[n_took * 99 / 100], took_ms[n_took - 1]);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    return 0;
}
