/* cmd_export.c - gpuyard export: the results of a run as a file that another tool opens. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/export/export.h"
#include "sim/cli/frame/out_path.h"
#include "sim/results/results.h"

#include <stddef.h>
#include <sys/stat.h>

static const char *const formats[] = { "perfetto", "batsim", "openmetrics", NULL };
/* in that order */
static exporter *const exporters[] = { export_perfetto, export_batsim, export_openmetrics };

struct export_options { const char *output; int to; };
static const struct export_options defaults = { .output = NULL };
#define AT(field) .at = offsetof(struct export_options, field)
static const struct option options[] = {
    { .name = "to", .letter = 't', .argument = "FORMAT", .kind = OPTION_WORD, AT(to),
      .words = formats, .required = true,
      .help = "perfetto: a trace of events as JSON, for ui.perfetto.dev and chrome://tracing. "
              "batsim: a table of jobs as Batsim writes it, for evalys. openmetrics: the summary "
              "as text, for Prometheus" },
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, AT(output),
      .values = VALUES_FILE,
      .help = "where to write it, compressed if it ends in .gz or .zst; standard output by "
              "default, and for -" },
    { 0 },
};

static int export_run(const struct invocation *in)
{
    const struct export_options *x = in->options;
    const char *directory = in->operands.text[0];
    struct error err = { "" };
    struct stat st;
    if (stat(directory, &st) != 0 || !S_ISDIR(st.st_mode))
        return complain(EXIT_INPUT, "%s: no such directory", directory);
    results_hold(directory);
    struct output *o = out_path_open(x->output, &err);
    if (!o)
        return complain(EXIT_FAILED, "%s", err.text);
    if (exporters[x->to](directory, o, &err) != 0) {
        output_discard(o);
        return complain(EXIT_INPUT, "%s", err.text);
    }
    return output_commit(o, &err) == 0 ? EXIT_OK : complain(EXIT_FAILED, "%s", err.text);
}

const struct command cmd_export = {
    .name = "export",
    .summary = "write the results of a run in the format of another tool",
    .details = "Reads the result files of the directory; of a federation perfetto and batsim read "
               "those of its members. perfetto needs intervals.csv; jobs.csv, timeseries.csv, "
               "queues.csv and events.csv add to it. batsim needs jobs.csv, intervals.csv "
               "and nodes.csv; openmetrics needs summary.csv.\n"
               "\n"
               "perfetto: nodes are processes, GPUs their threads, and what a job holds is a "
               "slice on each of its GPUs; jobs that share a GPU lie in lanes of it. Waits are "
               "slices of their queue. Where a job was stopped is an instant, and an arrow goes from a "
               "job that another one stopped to the job that took its GPU. Cluster and queues are "
               "counters; a file of more than 20000 rows is shown as means over 5000 steps.\n"
               "\n"
               "batsim: GPUs are numbered through the cluster, node after node. "
               "A job that was stopped has a row for each time that it held GPUs, JOB, JOB#1, ..., "
               "each submitted when the one before ended. What Batsim does not know "
               "of (queue, user, preemptions, time with GPUs) is in metadata. GPUs of nodes that "
               "only count them have no numbers, and the trace's estimates are not among the "
               "results: requested_time is -1.",
    .set = { .name = "export", .options = options, .operands = "DIR", .min_operands = 1,
             .max_operands = 1 },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = export_run,
};
