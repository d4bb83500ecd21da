/* run.c - a run is set up from its parts, and freed. */
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/engine.h"
#include "sim/engine/interruption.h"
#include "sim/engine/jobs.h"
#include "sim/engine/leaving.h"
#include "sim/engine/livelock.h"
#include "sim/engine/nodes.h"
#include "sim/engine/notices.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/overhead.h"
#include "sim/engine/params.h"
#include "sim/engine/switch.h"
#include "sim/engine/tasks.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/checks.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/tentative.h"
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/waiting.h"
#include "sim/scheduler/wakes.h"

#include <stdlib.h>

/* It looks at jobs before they arrive. */
static bool wants_all_jobs(const struct sched *s)
{
    return s->n_models > 0 || s->all_needs & RESIZES || s->setup.placer->needs & SEES_TYPICAL ||
           (s->placing && s->placing->wants_all_jobs);
}

static struct sched *none_early(struct sched *s)
{
    models_drop(s);
    run_free(s);
    return NULL;
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
    policies_begin(s);
    placements_begin(s);
    waits_begin(s);
    lines_begin(s);
    stage_begin(s);
    tentative_begin(s);
    claims_begin(s);
    notices_begin(s);
    wakes_begin(s);
    s->totals.clairvoyant = (s->all_needs & SEES_RUN_TIME) != 0 || estimates_know_truth(&setup->estimates);
    s->predictor = predictor_new(&setup->estimates);
    random_init(&s->policy_random, setup->seed, "policy", 0);
    s->events = event_queue_new();
    loop_begin(s);
    livelock_begin(s);
    jobs_begin(s);
    checks_begin(s);
    tasks_begin(s);
    s->now_ns = s->totals.first_ns = on_demand_begin(s);
    ledger_begin(s);
    books_begin(s);
    s->dependencies = dependencies_new(s->workload);
    overheads_begin(s);
    models_choose(s, setup->models ? setup->models : physics_models);
    if (setup->early && wants_all_jobs(s))
        return none_early(s);
    models_prepare(s);
    placing_begin(s);
    if (setup->early && wants_all_jobs(s))
        return none_early(s);
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
    lines_end(s);
    books_end(s);
    predictor_free(s->predictor);
    event_queue_free(s->events);
    ledger_end(s);
    waits_end(s);
    stage_end(s);
    tentative_end(s);
    claims_end(s);
    notices_end(s);
    wakes_end(s);
    checks_end(s);
    jobs_end(s);
    arena_free(s->memory);
    arena_free(s->scratch);
    free(s);
}
