/* run.c - setting a run up, asking what came of it, and taking it down. */
#include "sim/engine/run.h"

#include "sim/accounting/books.h"
#include "sim/physics/checkpoints.h"
#include "sim/engine/dependencies.h"
#include "sim/physics/flows.h"
#include "sim/engine/host.h"
#include "sim/scheduler/lines.h"
#include "sim/engine/models.h"
#include "sim/engine/nodes.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/params.h"
#include "sim/scheduler/placing.h"
#include "sim/physics/rates.h"
#include "sim/engine/switch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void host_bug(const struct sched *s, const char *file, int line, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "gpuyard: a bug, please report it: %s:%d: at %.9f s under policy %s: ", file, line,
            seconds(s->now_ns), s->policy->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

static void prices_begin(struct sched *s)
{
    uint32_t own = intern_count(s->workload->overheads);
    s->overhead = arena_alloc(s->memory, (own + (size_t)1) * sizeof *s->overhead);
    s->overhead[0] = s->cluster->overhead;
    for (uint32_t i = 1; i <= own; i++) {
        struct own_overhead said = workload_overhead(s->workload, i);
        s->overhead[i] = overhead_with(&s->cluster->overhead, &said);
    }
    for (uint32_t i = 0; i <= own; i++)
        overhead_settle(&s->overhead[i]);
}

struct sched *run_new(const struct run_setup *setup)
{
    struct sched *s = mem_new(1, sizeof *s);
    s->setup = *setup;
    s->cluster = setup->cluster;
    s->workload = setup->workload;
    s->n_jobs = workload_all(s->workload);
    s->memory = arena_new();
    s->scratch = arena_new();
    s->placer_params = params_complete(s->memory, setup->placer->params, setup->placer->params_size, setup->placer_params);
    seats_begin(s);
    s->totals.clairvoyant = (s->all_needs & SEES_RUN_TIME) != 0 || estimates_know_truth(&setup->estimates);
    s->predictor = predictor_new(&setup->estimates);
    random_init(&s->policy_random, setup->seed, "policy", 0);
    random_init(&s->placer_random, setup->seed, "placement", 0);
    s->events = event_queue_new();
    s->pass_due_ns = TIME_NEVER;
    s->free_entry = ID_NONE;
    s->job = mem_new(s->n_jobs, sizeof *s->job);
    for (job_id j = 0; j < s->n_jobs; j++)
        s->job[j] = (struct job_run){ .start_ns = -1, .end_ns = -1, .fairness_micro = -1, .live = ID_NONE, .distance = UINT8_MAX };
    if (s->all_needs & (STARTS_PARTIAL | RESIZES) || s->workload->n_running) {
        s->gpu_time = arena_alloc(s->memory, s->n_jobs * sizeof *s->gpu_time);
    }
    s->books = mem_new(s->cluster->n_queues, sizeof *s->books);
    s->changed_queue = mem_new(s->cluster->n_queues, sizeof *s->changed_queue);
    s->unseen_queue = mem_new(s->cluster->n_queues, sizeof *s->unseen_queue);
    s->node_seen = mem_new(s->cluster->n_nodes, sizeof *s->node_seen);
    s->node_account = mem_new(s->cluster->n_nodes, sizeof *s->node_account);
    s->now_ns = s->settled_ns = s->totals.first_ns = on_demand_begin(s);
    s->up_milli = s->cluster->gpus * MILLI_ALL;
    quotas_begin(s);
    s->dependencies = dependencies_new(s->workload);
    rates_prepare(s);
    prices_begin(s);
    checkpoint_sizes_begin(s);
    placing_begin(s);
    models_begin(s);
    return s;
}

void run_free(struct sched *s)
{
    if (!s)
        return;
    models_free(s);
    nodes_free(s->nodes);
    placing_end(s);
    dependencies_free(s->dependencies);
    on_demand_end(s);
    lines_free(s);
    quotas_free(s);
    predictor_free(s->predictor);
    event_queue_free(s->events);
    flows_free(s->flows);
    void *const own[] = { s->wake, s->fresh, s->job, s->live, s->live_free, s->wait_part, s->wait_why, s->books,
                          s->changed_queue, s->unseen_queue, s->undo, s->node_seen, s->touched, s->staged, s->claim, s->pencil, s->notice,
                          s->node_account };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
    arena_free(s->memory);
    arena_free(s->scratch);
    free(s);
}

const char *run_never(const struct sched *s, shape_id shape)
{
    return placing_never(s, shape);
}

int64_t run_shape_gpus(const struct sched *s, shape_id shape)
{
    int64_t gpus = 0;
    for (uint32_t i = 0; i < s->shape_kinds[shape].n; i++) {
        const struct node_kind *kind = &s->cluster->kind[s->shape_kinds[shape].kind[i]];
        gpus += (int64_t)kind->n_nodes * kind->gpus * kind->slot_milli / MILLI_ALL;
    }
    return gpus;
}

bool run_takes(const struct sched *s, job_id j)
{
    return !s->setup.part.takes || s->setup.part.takes(s->setup.part.self, j);
}

struct job_result run_job(const struct sched *s, job_id j)
{
    const struct job_run *run = &s->job[j];
    struct job_result r = {
        .state = run->state,
        .outcome = run->outcome,
        .submit_ns = on_demand_submit_ns(s, j),
        .start_ns = run->start_ns,
        .end_ns = run->end_ns,
        .run_ns = run->run_ns,
        .lost_ns = run->lost_ns,
        .overhead_ns = run->overhead_ns,
        .fairness_micro = run->fairness_micro,
        .preemptions = run->preemptions,
        .restarts = run->restarts,
        .distance = run->distance,
        .refusal = s->refusal ? s->refusal[j] : NULL,
    };
    int64_t milli = request_gpu_milli(ask_of(s, j));
    struct gpu_time t = { (int128_t)run->run_ns * milli, (int128_t)run->lost_ns * milli, (int128_t)run->overhead_ns * milli };
    if (s->gpu_time)
        t = s->gpu_time[j];
    r.held = t.held;
    r.lost = t.lost;
    r.overhead = t.overhead;
    for (unsigned i = 0; i < run->waits; i++) {
        r.waits[s->wait_why[run->waits_at + i]] = s->wait_part[run->waits_at + i];
        r.wait_ns += s->wait_part[run->waits_at + i];
    }
    return r;
}

struct run_times run_times(const struct sched *s, job_id j)
{
    const struct job_run *run = &s->job[j];
    if (run->state != JOB_GONE || run->outcome == OUTCOME_REJECTED || on_demand(s, j) || j < s->setup.warmup_jobs)
        return (struct run_times){ .ended = false };
    int64_t jct_ns = run->end_ns - s->workload->facts[j].submit_ns;
    return (struct run_times){ true, jct_ns, jct_ns - run->run_ns, run->fairness_micro };
}

const struct run_totals *run_totals(const struct sched *s)
{
    return &s->totals;
}

const int128_t *run_node_accounts(const struct sched *s, node_id n)
{
    return s->node_account[n];
}

struct run_level run_level(const struct sched *s)
{
    return (struct run_level){
        .now_ns = s->now_ns,
        .gpus_milli = s->held_milli,
        .busy_milli = s->busy_milli,
        .waiting_milli = s->waiting_milli,
        .up_milli = s->up_milli,
        .running = s->running,
        .waiting = s->waiting,
        .done = s->totals.completed + s->totals.failed + s->totals.cancelled + s->totals.rejected,
        .of_models = s->series_changes,
    };
}

const struct run_setup *run_setup_of(const struct sched *s)
{
    return &s->setup;
}

const void *run_placer_params(const struct sched *s)
{
    return s->placer_params;
}
