/* cmd_convert.c - gpuyard convert: a trace of any format, or a part of it, as a native trace. */
#include "sim/cli/run/choose.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/convert/filter.h"
#include "sim/cli/frame/out_path.h"
#include "traces/native/native.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

struct convert_options {
    const char *output;
    struct filter_options filter;
    double load;
    bool rebase, quiet;
};
static const struct convert_options defaults = { .filter = FILTER_DEFAULTS, .load = 1 };

#define AT(field) .at = offsetof(struct convert_options, field)
static const struct option options[] = {
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, AT(output), .values = VALUES_FILE,
      .help = "where to write it, compressed if it ends in .gz or .zst; standard output by default, and for -" },
    { .name = "since", .argument = "TIME", .kind = OPTION_TEXT, AT(filter.since),
      .help = "only jobs submitted then or later: seconds of the trace, or a date like 2017-10-09 or '2017-10-09 07:01:55' "
              "if the trace tells dates" },
    { .name = "until", .argument = "TIME", .kind = OPTION_TEXT, AT(filter.until), .help = "only jobs submitted before" },
    { .name = "queue", .argument = "NAME[,NAME...]", .kind = OPTION_TEXT, AT(filter.queues),
      .help = "only jobs of these queues" },
    { .name = "user", .argument = "NAME[,NAME...]", .kind = OPTION_TEXT, AT(filter.users),
      .help = "only jobs of these users" },
    { .name = "class", .argument = "NAME[,NAME...]", .kind = OPTION_TEXT, AT(filter.classes), .words = native_classes,
      .help = "only jobs of these classes: training, inference, interactive, batch" },
    { .name = "min-gpus", .argument = "N", .kind = OPTION_INTEGER, AT(filter.min_gpus), .max = FILTER_GPUS_MOST,
      .help = "only jobs of at least so many GPUs in all; a share counts as one" },
    { .name = "max-gpus", .argument = "N", .kind = OPTION_INTEGER, AT(filter.max_gpus), .max = FILTER_GPUS_MOST,
      .help = "only jobs of at most so many" },
    { .name = "limit", .argument = "N", .kind = OPTION_INTEGER, AT(filter.limit), .min = 1, .max = UINT32_MAX,
      .help = "only the first N of the jobs that are left" },
    { .name = "rebase", .kind = OPTION_FLAG, AT(rebase), .help = "the first of them arrives at 0" },
    { .name = "scale-load", .argument = "F", .kind = OPTION_RATIO, AT(load), .max = 1000000,
      .help = "divide their submit times by F: 2 is twice the load; after everything else" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet), .help = "no warnings" },
    { 0 },
};

static int write_to(const char *path, const struct workload *w, struct error *err)
{
    struct output *o = out_path_open(path, err);
    if (!o)
        return -1;
    if (native_write(o, w, err) == 0)
        return output_commit(o, err);
    output_discard(o);
    return -1;
}

static int convert(const struct convert_options *c, const struct chosen_trace *trace, struct error *err)
{
    const struct trace_format *used = NULL;
    char sha256[65];
    struct workload *w = chosen_jobs_read(trace, &used, sha256, err);
    int status = w ? filter_apply(&c->filter, "convert", w, err) : EXIT_INPUT;
    if (status == EXIT_OK) {
        if (w->n_skipped && !c->quiet)
            warn("%" PRIu32 " row%s of the trace skipped: no job that ran", w->n_skipped, w->n_skipped == 1 ? "" : "s");
        if (c->rebase)
            workload_rebase(w);
        if (c->load != 1)
            workload_scale_load(w, c->load);
        status = write_to(c->output, w, err) == 0 ? EXIT_OK : EXIT_FAILED;
    }
    workload_free(w);
    return status;
}

static int convert_run(const struct invocation *in)
{
    const struct convert_options *c = in->options;
    struct error err = { "" };
    struct chosen_trace trace;
    int status = choose_trace("convert", in->operands.text[0], &trace, &err);
    if (status == EXIT_OK)
        status = convert(c, &trace, &err);
    chosen_trace_free(&trace);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

const struct command cmd_convert = {
    .name = "convert",
    .summary = "write a trace of any format, or a part of it, in the native format",
    .details = "Jobs are written in the order of their submit times, which stay what they are, to the nanosecond; so do "
               "all facts that the simulator knows of. A trace that tells dates begins at 0 with its earliest job.\n"
               "\n"
               "'gpuyard list formats' shows the formats and their options.",
    .set = { .name = "convert", .options = options, .operands = "TRACE[:FORMAT]", .min_operands = 1,
             .max_operands = 1 },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = convert_run,
};
