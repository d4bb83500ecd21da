/* cmd_fit.c - gpuyard fit: a workload file with laws fitted to a trace, and a report of the
 * differences. */
#include "sim/cli/run/choose.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/convert/fit_report.h"
#include "sim/cli/plot/gnuplot.h"
#include "sim/cli/frame/out_path.h"
#include "sim/base/memory.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fit_options {
    const char *output, *plot;
    int64_t seed;
    int law, format;
    bool quiet;
};
enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };
static const struct fit_options defaults = { .seed = 1, .law = -1, .format = FORMAT_TEXT };

#define AT(field) .at = offsetof(struct fit_options, field)
static const struct option options[] = {
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, AT(output),
      .values = VALUES_FILE, .required = true,
      .help = "where to write the workload file; - is standard output, then the report goes to "
              "standard error" },
    { .name = "law", .argument = "LAW", .kind = OPTION_WORD, AT(law), .words = fit_law_words,
      .help = "law of run times: lognormal, by mean and median; lognormal-of-logs; weibull; "
              "gamma; mix-2, mix-3, mix-4 of lognormal laws; slices, 200 equally likely values. "
              "By default the law with the smallest distance, or slices if none is near" },
    { .name = "seed", .argument = "N", .kind = OPTION_INTEGER, AT(seed), .max = INT64_MAX,
      .help = "seed of the drawn workload that the trace is compared with, 1 by default" },
    { .name = "plot", .argument = "FILE", .kind = OPTION_TEXT, AT(plot), .values = VALUES_FILE,
      .help = "plot trace and fit side by side; FILE ends in .png, .svg or .pdf" },
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD, AT(format),
      .words = formats,
      .help = "format of the report: text, the default, or json" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet), .help = "no report" },
    { 0 },
};

/* "a/b/philly.csv.zst" -> "philly" */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strcspn(name, ".");
    return length && strcmp(path, "-") ? mem_text(name, length)
                                       : mem_text("trace", strlen("trace"));
}

static int write_file(const struct fit_options *o, const struct synth_spec *s, struct error *err)
{
    struct output *out = out_path_open(o->output, err);
    if (!out)
        return EXIT_FAILED;
    synth_spec_write(out, s);
    return output_commit(out, err) == 0 ? EXIT_OK : EXIT_FAILED;
}

static struct workload *workload_like(const struct fit *f, uint64_t seed, struct error *err)
{
    const struct synth_wish wish = { .seed = seed };
    struct synth_report report;
    struct workload *w = workload_new();
    if (synth_generate(f->spec, &wish, f->spec->name, w, &report, err) == 0 &&
        workload_finish(w, f->spec->name, err) == 0)
        return w;
    workload_free(w);
    return NULL;
}

static int compare(const struct fit_options *o, const struct fit *f, const struct workload *trace,
                   struct error *err)
{
    struct workload *like = workload_like(f, (uint64_t)o->seed, err);
    int status = like ? EXIT_OK : EXIT_FAILED;
    if (like && !o->quiet) {
        json_t *report = fit_report(f, trace, like);
        FILE *to = strcmp(o->output, "-") ? stdout : stderr;
        if (o->format == FORMAT_JSON) {
            json_dumpf(report, to, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
            fputc('\n', to);
        } else
            fit_report_text(report, to);
        json_decref(report);
    }
    if (like && o->plot)
        status = fit_plot(trace, like, o->plot);
    workload_free(like);
    return status;
}

static int fit(const struct fit_options *o, const struct chosen_trace *trace, struct error *err)
{
    const struct trace_format *used = NULL;
    char sha256[65];
    struct workload *w = chosen_jobs_read(trace, &used, sha256, err);
    if (!w)
        return EXIT_INPUT;
    char *name = name_of(trace->path);
    struct fit f;
    struct error why = { "" };
    int status = EXIT_INPUT;
    if (fit_make(&f, w, name, o->law, &why) != 0)
        error_set(err, "%s: %s", trace->path, why.text);
    else
        status = write_file(o, f.spec, err);
    if (status == EXIT_OK && (!o->quiet || o->plot))
        status = compare(o, &f, w, err);
    fit_free(&f);
    free(name);
    workload_free(w);
    return status;
}

static int fit_run(const struct invocation *in)
{
    const struct fit_options *o = in->options;
    struct error err = { "" };
    struct chosen_trace trace;
    if (o->plot && picture_format(o->plot) < 0)
        return complain(EXIT_USAGE,
                        "fit: --plot: want a file that ends in .png, .svg or .pdf, got '%s'",
                        o->plot);
    int status = choose_trace("fit", in->operands.text[0], &trace, &err);
    if (status == EXIT_OK)
        status = fit(o, &trace, &err);
    chosen_trace_free(&trace);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

const struct command cmd_fit = {
    .name = "fit",
    .summary = "fit the laws of a workload file to a trace of any format",
    .details = "The report has the laws of run times that were tried, with their "
               "Kolmogorov-Smirnov distances from the trace, and quantiles of the trace beside "
               "those of as many jobs that are drawn from the fitted file.",
    .set = { .name = "fit", .options = options, .operands = "TRACE[:FORMAT]", .min_operands = 1,
             .max_operands = 1 },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = fit_run,
};
