/* cmd_run.c - gpuyard run: one run from the command line to its directory of results. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/run/dumped.h"
#include "sim/cli/run/federated.h"
#include "sim/cli/frame/interrupt.h"
#include "sim/cli/run/play.h"
#include "sim/cli/frame/progress_bar.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/run/show.h"

#include <inttypes.h>
#include <stdio.h>

static void show(const struct plan *p, const struct played *played)
{
    const struct shown shown = { p, played->run, played->summary, played->snapshot,
                                  &played->notes };
    if (p->options->verbose)
        fprintf(stderr, "gpuyard: simulated %" PRIu64 " events in %" PRIu64 " passes\n",
                run_totals(played->run)->events, run_totals(played->run)->passes);
    if (!p->options->quiet) {
        /* warnings stand above the summary, as stdout is flushed last */
        show_warnings(&shown);
        show_summary(&shown);
    } else {
        show_notes(&played->notes, NULL, true);
    }
}

/* Once more, of all of the trace. */
static int play_whole(struct plan *p, const struct play_setup *setup, struct played *played, struct error *err)
{
    *played = (struct played){ .run = NULL };
    int status = plan_read_on(p, err);
    if (status == EXIT_OK)
        status = plan_read_again(p, err);
    return status == EXIT_OK ? play(setup, played, err) : status;
}

static int run_plan(struct plan *p, const struct invocation *in, struct error *err)
{
    struct progress_bar progress;
    struct played played;
    struct play_setup setup = { .plan = p, .begun = p->reading ? p : NULL, .argc = in->argc, .argv = in->argv,
                                .progress = progress_bar_show, .progress_self = &progress };
    progress_bar_begin(&progress, p->workload->n_jobs, p->options->quiet);
    int status = play(&setup, &played, err);
    if (status == PLAY_MISSED) {
        played_free(&played);
        setup.begun = NULL;
        status = play_whole(p, &setup, &played, err);
    }
    progress_bar_end(&progress);
    if (status == EXIT_OK)
        show(p, &played);
    played_free(&played);
    return status;
}

static int run_federation(const struct invocation *in)
{
    const struct run_options *o = in->options;
    struct error err = { "" };
    struct federated_plan p;
    struct federated_played played = { 0 };
    int status = federated_plan_read(&p, o, &err);
    if (status == EXIT_OK)
        status = federated_plan_settle(&p, &err);
    if (status == EXIT_OK && o->dump_config)
        fputs(p.settings_yaml, stdout);
    else if (status == EXIT_OK) {
        status = federated_play(&p, in->argc, in->argv, &played, &err);
        if (status == EXIT_OK)
            federated_show(&p, &played);
    }
    federated_played_free(&played);
    federated_plan_free(&p);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

static int run_one(const struct invocation *in, const struct run_options *o)
{
    struct error err = { "" };
    struct plan p;
    int status = plan_make(&p, o, &err);
    if (status == EXIT_OK && o->verbose)
        fprintf(stderr, "gpuyard: read %" PRIu32 " job%s of format %s for %" PRIu32 " node%s\n",
                p.workload->n_jobs, plural_ending(p.workload->n_jobs), p.trace.format->name,
                p.cluster->n_nodes, plural_ending(p.cluster->n_nodes));
    if (status == EXIT_OK && o->dump_config)
        fputs(p.settings_yaml, stdout);
    else if (status == EXIT_OK)
        status = run_plan(&p, in, &err);
    plan_free(&p);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

static int run_run(const struct invocation *in)
{
    struct run_options o = *(const struct run_options *)in->options;
    struct error err = { "" };
    struct dumped dumped;
    interrupt_begin();
    if (!o.config)
        return federation_is(o.cluster) ? run_federation(in) : run_one(in, &o);
    int status = dumped_read(o.config, &dumped, &o, &err);
    o.dumped = &dumped;
    status = status == EXIT_OK ? run_one(in, &o) : complain(status, "%s", err.text);
    dumped_free(&dumped);
    return status;
}

const struct command cmd_run = {
    .name = "run",
    .summary = "run a trace on a cluster under a policy",
    .details = "No result has its name before both inputs are read and valid, and a run that fails "
               "or is interrupted leaves no files. Files of an earlier run in the same directory "
               "are replaced; in the default directory only if it had the same inputs and "
               "options. Inputs are never replaced, nor without --force are files in a directory "
               "that has no manifest of gpuyard.\n"
               "\n"
               "A policy of --switch-policy begins as at the start of a run, and gets the jobs "
               "that wait or run. Claims are released, suspended jobs fall back to their last "
               "checkpoint, and incomplete gangs release their GPUs if the policy starts no "
               "single tasks. A snapshot holds no state of policies: srtf, srsf, las, las2d, "
               "gittins, multifactor, fair-tree, conservative, kube, gang, quota, themis and "
               "goodput continue differently from there.\n"
               "\n"
               "A federation is YAML that begins with 'federation: NAME' and lists members, each "
               "a cluster file, and a route: queue, least-wait or spill. Each job goes to one "
               "member when it is submitted. Results of a member are in DIR/MEMBER, those of the "
               "whole in DIR. Keys of --set begin with the name of a member, or are keys of the "
               "federation.\n"
               "\n"
               "'gpuyard list policies', 'placers' and 'formats' show names and parameters.",
    .set = { .name = "run", .options = run_option_table },
    .options_size = sizeof run_defaults,
    .defaults = &run_defaults,
    .run = run_run,
};
