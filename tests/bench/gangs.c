/* gangs - how long the admission of one gang takes in a run: `cohort:placement=wait` with placer `kueue-tas` on 4,096 nodes of
 * 8 GPUs in 3 levels (8 pods of 16 racks of 32 nodes), about three quarters in use: gangs of 8 to 512 tasks of one GPU come one
 * by one, with a required or a preferred rack or pod, or without a level, half of them in slices, a quarter with a leader.
 *
 * A pass nominates the gang, finds that it has a place, and places it. Prints the passes that started one, and the median, the 99th
 * percentile and the longest of their processor times in microseconds. */
#include "policies/registry.h"
#include "sim/base/random.h"
#include "sim/engine/params.h"
#include "sim/engine/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PODS = 8, RACKS = 16, NODES = 32, GANGS = 3000, PASSES_MOST = 100000 };

static struct policy timed;
static const struct policy *cohort;
static double took_us[PASSES_MOST], pass_us;
static size_t n_took;
static uint64_t starts;

static double processor_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void timed_schedule(struct sched *s, const void *params, void *state)
{
    double before_us = processor_us();
    cohort->schedule(s, params, state);
    pass_us = processor_us() - before_us;
}

static void at_instant(void *self, const struct sched *s)
{
    (void)self;
    uint64_t now = run_totals(s)->starts;
    if (now > starts && n_took < PASSES_MOST)
        took_us[n_took++] = pass_us;
    starts = now;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* About 132 GPUs for 180 minutes, one each minute: 23,800 of 32,768. */
static void job_add(struct workload *w, struct random *r, size_t i)
{
    static const uint32_t sizes[] = { 8, 16, 32, 64, 128, 256, 256, 512, 8, 32 };
    static const enum level levels[] = { LEVEL_ANY, LEVEL_RACK, LEVEL_POD };
    uint32_t tasks = sizes[random_below(r, sizeof sizes / sizeof *sizes)];
    enum level level = levels[random_below(r, 3)];
    bool required = random_below(r, 2), leads = random_below(r, 4) == 0;
    struct error err = { "" };
    struct task_row part[2];
    struct job_row row = job_row_default;
    level = level == LEVEL_RACK && tasks > NODES * 8 / 2 ? LEVEL_POD : level;
    row.submit_ns = (int64_t)(60 * i) * NS_PER_S;
    row.duration_ns = INT64_C(180) * 60 * NS_PER_S;
    row.gpus = row.tasks = tasks;
    row.queue = "q";
    row.queue_length = 1;
    row.slices = random_below(r, 2) ? "node:8" : NULL;
    row.required_level = (uint8_t)(required ? level : LEVEL_ANY);
    row.preferred_level = (uint8_t)(required ? LEVEL_ANY : level);
    part[0] = (struct task_row){ .group = "workers", .gpus = 1, .gpu_milli = MILLI_ALL, .tasks = tasks, .slices = row.slices,
                                 .podset_group = "pair", .required_level = row.required_level,
                                 .preferred_level = row.preferred_level };
    part[1] = part[0];
    part[1].group = "leader";
    part[1].tasks = 1;
    part[1].slices = NULL;
    if (leads) {
        row.part = part;
        row.n_parts = 2;
    }
    if (workload_add(w, &row, "bench", i, &err))
        fprintf(stderr, "%s\n", err.text);
}

static const struct placer *kueue_tas(void)
{
    size_t i = 0;
    while (strcmp(builtin_placers[i]->name, "kueue-tas"))
        i++;
    return builtin_placers[i];
}

int main(void)
{
    struct error err = { "" };
    struct queue_spec queue = { .facts = { .name = "q", .parent = ID_NONE, .weight = 1, .cpu_weight = 1, .mem_weight = 1,
        .quota = { { INT64_C(1000) * 8 * PODS * RACKS * NODES, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
        .cohort = { .borrowing_limit = { UNLIMITED, UNLIMITED, UNLIMITED }, .lending_limit = { UNLIMITED, UNLIMITED, UNLIMITED } } } };
    struct group_spec nodes = { .name = "node", .gpu_model = "A100", .count = PODS * RACKS * NODES, .gpus = 8, .cpu_milli = INT64_MAX,
                                .mem_mib = INT64_MAX, .nodes_per_rack = NODES, .racks_per_pod = RACKS };
    struct cluster *c = cluster_build("bench", &nodes, 1, &queue, 1, &err);
    struct workload *w = workload_new();
    struct random r;
    random_init(&r, 1, "bench", 0);
    for (size_t i = 0; i < GANGS; i++)
        job_add(w, &r, i);
    for (size_t i = 0; builtin_policies[i]; i++)
        if (!strcmp(builtin_policies[i]->name, "cohort"))
            cohort = builtin_policies[i];
    void *params = calloc(1, cohort->params_size);
    if (!c || workload_finish(w, "bench", &err) || run_bind(c, w, &err) ||
        params_parse(cohort->params, cohort->params_size, "placement=wait", "cohort", params, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    timed = *cohort;
    timed.schedule = timed_schedule;
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = &timed, .policy_params = params,
        .placer = kueue_tas(), .until_ns = (int64_t)(60 * GANGS) * NS_PER_S, .observer = { .instant = at_instant } });
    if (run_execute(s, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    qsort(took_us, n_took, sizeof *took_us, by_size);
    printf("%zu %.0f %.0f %.0f\n", n_took, took_us[n_took / 2], took_us[n_took * 99 / 100], took_us[n_took - 1]);
    run_free(s);
    free(params);
    workload_free(w);
    cluster_free(c);
    return 0;
}
