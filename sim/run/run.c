/* run.c - a run is set up from its parts, and freed. */
#include "sim/accounting/books.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/nodes.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/overhead.h"
#include "sim/engine/params.h"
#include "sim/engine/struck.h"
#include "sim/engine/switch.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/placing.h"

#include <stdlib.h>

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
    s->interruption_lost = arena_alloc(s->memory, STRIKE_CAUSES * sizeof *s->interruption_lost);
    s->node_account = mem_new(s->cluster->n_nodes, sizeof *s->node_account);
    s->now_ns = s->settled_ns = s->totals.first_ns = on_demand_begin(s);
    s->up_milli = s->cluster->gpus * MILLI_ALL;
    quotas_begin(s);
    s->dependencies = dependencies_new(s->workload);
    overheads_begin(s);
    models_prepare(s, setup->models ? setup->models : physics_models);
    placing_begin(s);
    if (s->all_needs & SEES_TIMELINE)
        timeline_begin(s);
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
    timeline_end(s);
    dependencies_free(s->dependencies);
    on_demand_end(s);
    lines_free(s);
    quotas_free(s);
    predictor_free(s->predictor);
    event_queue_free(s->events);
    void *const own[] = { s->wake, s->fresh, s->job, s->live, s->live_free, s->wait_part, s->wait_why, s->books,
                          s->changed_queue, s->unseen_queue, s->undo, s->node_seen, s->touched, s->staged, s->claim, s->pencil, s->notice,
                          s->node_account };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
    arena_free(s->memory);
    arena_free(s->scratch);
    free(s);
}
