/* play.c - see play.h. */
#include "sim/cli/run/play.h"

#include "sim/cli/frame/interrupt.h"
#include "sim/physics/physics.h"
#include "sim/run/snapshot.h"
#include "traces/native/native.h"

#include <stdlib.h>

static struct results_setup results_of(const struct play_setup *setup)
{
    const struct plan *p = setup->plan;
    const struct run_options *o = p->options;
    return (struct results_setup){
        .directory = p->directory,
        .outputs = p->outputs,
        .snapshot = o->snapshot_ns >= 0,
        .sample_ns = o->sample_ns,
        .models = physics_models,
        .origin = { .argc = setup->argc, .argv = setup->argv, .cluster_path = o->cluster,
                    .cluster_sha256 = p->cluster_sha256,
                    .trace_path = p->trace.path, .trace_format = p->trace.format->name,
                    .trace_sha256 = p->trace_sha256, .cluster_files = &p->cluster_files,
                    .trace_files = &p->trace_files, .policy_text = o->policy,
                    .placement_text = o->placement,
                    .settings_yaml = p->settings_yaml, .skipped_rows = p->workload->n_skipped },
    };
}

struct results *play_results(const struct play_setup *setup)
{
    const struct plan *p = setup->plan;
    struct results_setup where = results_of(setup);
    return p->outputs ? results_new(&where, p->cluster, p->workload) : NULL;
}

int play_check(const struct play_setup *setup, struct error *err)
{
    const struct run_options *o = setup->plan->options;
    struct results_setup where = results_of(setup);
    return setup->plan->outputs ? results_check(&where, o->directory != NULL, o->force, err) : 0;
}

/* Runs until the time of the snapshot and writes it. */
static int snap(struct results *results, int64_t time_ns, struct played *to, struct error *err)
{
    int result = run_until(to->run, time_ns + 1, err);
    if (result == 0 && !(to->snapshot = snapshot_make(to->run, time_ns, err)))
        result = -1;
    if (result == 0)
        results_snapshot_options(results, to->snapshot->options);
    return result == 0 ? native_write(results_snapshot(results), &to->snapshot->workload, err)
                       : result;
}

/* The run is over, with this result; the trace that it was of is read to its end. If the run was missed, what came of it is nothing,
 * be it an error. */
static int read_on(struct plan *begun, struct results *results, int result, struct error *err)
{
    if (!early_over(trace_reading_early(begun->reading))) {
        *err = (struct error){ "" };
        return RUN_MISSED;
    }
    if (result)
        return result;
    if (plan_read_on(begun, err) != EXIT_OK)
        return RUN_BAD_INPUT;
    if (results)
        results_settings(results, begun->settings_yaml);
    return 0;
}

/* `results` is open or NULL. 0, or a negative number with err. */
static int execute(const struct run_setup *setup, struct plan *begun, struct results *results, int64_t snapshot_ns,
                   struct played *to, struct error *err)
{
    to->run = run_new(setup);
    if (!to->run)
        return RUN_MISSED;
    if (results)
        results_gather(results, to->run);
    int result = results && snapshot_ns >= 0 ? snap(results, snapshot_ns, to, err) : 0;
    if (result == 0)
        result = run_execute(to->run, err);
    if (result == 0 && atomic_load(setup->interrupted))
        result = error_set(err, "interrupted");
    if (begun && !atomic_load(setup->interrupted))
        result = read_on(begun, results, result, err);
    if (result == 0 && results)
        results_run_ended(results);
    if (result == 0) {
        notes_of_run(&to->notes, to->run);
        to->summary = results ? summary_make_of(to->run, results_tallies(results, to->run)) : summary_make(to->run);
    }
    if (result == 0 && results)
        result = results_write(results, to->run, to->summary, err);
    return result;
}

struct run_setup play_run_setup(const struct plan *p)
{
    return (struct run_setup){
        .cluster = p->cluster, .workload = p->workload, .policy = p->policy.policy,
        .policy_params = p->policy.params,
        .placer = p->placer.placer, .placer_params = p->placer.params,
        .seed = (uint64_t)p->options->seed,
        .until_ns = p->until_ns, .warmup_jobs = (uint32_t)p->options->warmup,
        .estimates = p->estimates, .quantiles = p->quantiles, .check = p->options->check,
    };
}

int play(const struct play_setup *setup, struct played *to, struct error *err)
{
    const struct plan *p = setup->plan;
    *to = (struct played){ .run = NULL };
    if (play_check(setup, err))
        return EXIT_USAGE;
    struct results *results = play_results(setup);
    struct run_setup run = play_run_setup(p);
    run.progress = setup->progress;
    run.progress_self = setup->progress_self;
    run.interrupted = interrupt_guard(results);
    if (setup->begun)
        run.early = trace_reading_early(setup->begun->reading);
    run.switches = to->switches = plan_switch_list(p);
    run.n_switches = p->n_switches;
    int result = results ? results_open(results, err) : 0;
    if (results && result == 0)
        /* rows are written only to open results */
        run.observer = results_observer(results);
    if (result == 0)
        result = execute(&run, setup->begun, results, p->options->snapshot_ns, to, err);
    interrupt_hold();
    if (results && result == 0)
        result = results_commit(results, err);
    else if (results)
        results_discard(results);
    interrupt_end();
    if (result == RUN_MISSED)
        return PLAY_MISSED;
    if (result == RUN_BAD_INPUT)
        return EXIT_INPUT;
    if (result)
        return atomic_load(run.interrupted) ? EXIT_INTERRUPTED : EXIT_FAILED;
    return EXIT_OK;
}

void played_free(struct played *p)
{
    summary_free(p->summary);
    snapshot_free(p->snapshot);
    notes_free(&p->notes);
    run_free(p->run);
    free(p->switches);
}
