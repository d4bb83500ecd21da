/* federated_play.c - a federation carried out: members side by side, then the whole. See federated.h. */
#include "sim/cli/run/federated.h"

#include "sim/cli/frame/interrupt.h"
#include "sim/cli/run/play.h"
#include "sim/base/memory.h"
#include "sim/physics/physics.h"
#include "sim/results/results.h"
#include "sim/federation/router.h"

#include <stdio.h>
#include <stdlib.h>

struct playing {
    const struct federated_plan *plan;
    struct federated_played *to;
    struct router *router;
    struct results **results;     /* [n + 1]: of the members, then of the whole; NULL: nothing is written */
    const char **name;            /* [n] */
    struct federated federated;   /* complete when all have been played */
};

/* Those of the whole are named last, so that a manifest there says that all is there. */
static struct results *results_of_whole(const struct playing *g, int argc, char *const *argv)
{
    const struct federated_plan *p = g->plan;
    const struct plan *first = &p->member[0].plan;
    const struct results_setup where = {
        .directory = p->base.directory,
        .outputs = p->outputs & 1u << OUTPUT_SUMMARY,
        .models = physics_models,
        .origin = { .argc = argc, .argv = argv, .cluster_path = p->options->cluster, .cluster_sha256 = p->federation->sha256,
                    .trace_path = first->trace.path, .trace_format = first->trace.format->name, .trace_sha256 = first->trace_sha256,
                    .policy_text = p->options->policy, .placement_text = p->options->placement, .settings_yaml = p->settings_yaml,
                    .skipped_rows = first->workload->n_skipped, .federated = &g->federated },
    };
    return results_new(&where, first->cluster, first->workload);
}

static int open_all(struct playing *g, int argc, char *const *argv, struct error *err)
{
    size_t n = g->plan->federation->n;
    int result = 0;
    if (!g->plan->outputs)
        return 0;
    g->results = mem_new(n + 1, sizeof *g->results);
    for (size_t i = 0; i <= n && result == 0; i++) {
        const struct play_setup setup = { .plan = i < n ? &g->plan->member[i].plan : NULL, .argc = argc, .argv = argv };
        g->results[i] = i < n ? play_results(&setup) : results_of_whole(g, argc, argv);
        result = results_open(g->results[i], err);
    }
    return result;
}

static int execute(struct playing *g, const atomic_bool *interrupted, struct error *err)
{
    const struct federated_plan *p = g->plan;
    size_t n = p->federation->n;
    for (size_t i = 0; i < n; i++) {
        struct run_setup run = play_run_setup(&p->member[i].plan);
        run.interrupted = interrupted;
        run.part = router_part(g->router, (uint32_t)i);
        if (g->results)
            run.observer = results_observer(g->results[i]);
        g->to->run[i] = run_new(&run);
    }
    int result = router_execute(g->router, g->to->run, err);
    if (result == 0 && atomic_load(interrupted))
        result = error_set(err, "interrupted");
    for (size_t i = 0; i < n && result == 0; i++) {
        g->to->summary[i] = summary_make(g->to->run[i]);
        if (g->results)
            result = results_write(g->results[i], g->to->run[i], g->to->summary[i], err);
    }
    if (result == 0)
        g->to->whole = summary_make_federated(&g->federated);
    if (result == 0 && g->results)
        result = results_write(g->results[n], g->to->run[0], g->to->whole, err);
    return result;
}

/* From the last: whoever made a directory removes it when it is empty again. */
static int close_all(struct playing *g, int result, struct error *err)
{
    size_t n = g->plan->federation->n;
    for (size_t i = 0; g->results && result == 0 && i <= n; i++) {
        result = results_commit(g->results[i], err);
        g->results[i] = NULL;
    }
    for (size_t i = n + 1; g->results && i-- > 0;)
        if (g->results[i])
            results_discard(g->results[i]);
    free(g->results);
    return result;
}

int federated_play(const struct federated_plan *p, int argc, char *const *argv, struct federated_played *to, struct error *err)
{
    const struct federation *f = p->federation;
    struct playing g = { .plan = p, .to = to, .router = router_new(f, p->member[0].plan.workload->n_jobs) };
    *to = (struct federated_played){ f->n, mem_new(f->n, sizeof *to->run), mem_new(f->n, sizeof *to->summary), NULL, NULL };
    g.name = mem_new(f->n, sizeof *g.name);
    for (size_t i = 0; i < f->n; i++)
        g.name[i] = f->member[i].name;
    g.federated = (struct federated){ f->n, (const struct sched *const *)to->run, g.name, (const struct summary *const *)to->summary };
    const atomic_bool *interrupted = interrupt_guard(NULL);
    int result = open_all(&g, argc, argv, err);
    if (result == 0)
        result = execute(&g, interrupted, err);
    interrupt_hold();
    result = close_all(&g, result, err);
    interrupt_end();
    to->router = g.router;        /* the runs refer to it */
    free(g.name);
    if (result == RUN_BAD_INPUT)
        return EXIT_INPUT;
    if (result)
        return atomic_load(interrupted) ? EXIT_INTERRUPTED : EXIT_FAILED;
    return EXIT_OK;
}

void federated_played_free(struct federated_played *p)
{
    for (size_t i = 0; i < p->n; i++) {
        summary_free(p->summary[i]);
        run_free(p->run[i]);
    }
    router_free(p->router);
    summary_free(p->whole);
    free(p->run);
    free(p->summary);
}
