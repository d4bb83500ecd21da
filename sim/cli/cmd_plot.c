/* cmd_plot.c - gpuyard plot: finds the plotting scripts and runs them. */
#include "sim/cli/cli.h"
#include "sim/cli/scripts.h"
#include "sim/cli/term.h"
#include "sim/core/memory.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MOST = 3 };

/* What plot.sh draws, the files it reads for that, and how many directories it takes. */
static const struct kind { const char *name, *file[FILES_MOST]; size_t least, most; } kinds[] = {
    { "jct_cdf", { "jobs.csv" }, 1, SIZE_MAX },
    { "wait_cdf", { "jobs.csv" }, 1, SIZE_MAX },
    { "utilisation", { "timeseries.csv", "queues.csv", "jobs.csv" }, 1, SIZE_MAX },
    { "queue_length", { "timeseries.csv" }, 1, SIZE_MAX },
    { "quota", { "queues.csv", "timeseries.csv", "summary.csv" }, 1, 1 },
    { "gantt", { "intervals.csv", "nodes.csv", "jobs.csv" }, 1, 1 },
    { "compare", { "summary.csv" }, 2, SIZE_MAX },
};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const kind_names[] = { "jct_cdf", "wait_cdf", "utilisation", "queue_length", "quota", "gantt", "compare", NULL };
enum { FORMAT_PNG, FORMAT_SVG, FORMAT_PDF, FORMAT_TERM };
static const char *const formats[] = { "png", "svg", "pdf", "term", NULL };

struct plot_options { int kind, format; const char *file; };
static const struct plot_options defaults = { .kind = -1, .format = -1 };
#define AT(field) .at = offsetof(struct plot_options, field)
static const struct option options[] = {
    { .name = "kind", .letter = 'k', .argument = "KIND", .kind = OPTION_WORD, AT(kind), .words = kind_names,
      .help = "jct_cdf, wait_cdf, utilisation, queue_length, quota and gantt (of one directory each) or compare; without it, "
              "all for which the files are there" },
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD, AT(format), .words = formats,
      .help = "png, svg, pdf, or term: drawn with characters on standard output. By default what the ending of the output "
              "file says, else png" },
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, AT(file), .values = VALUES_FILE,
      .help = "file of the plot, - is standard output; by default KIND.FORMAT in the first DIR" },
    { 0 },
};

/* ---- One plot ---- */

static bool has_files(const struct kind *k, const char *directory, char missing[SCRIPTS_PATH])
{
    for (size_t i = 0; i < FILES_MOST && k->file[i]; i++) {
        snprintf(missing, SCRIPTS_PATH, "%s/%s", directory, k->file[i]);
        if (access(missing, R_OK) != 0)
            return false;
    }
    return true;
}

static int draw(const char *scripts, const struct kind *k, int format, const char *file, const struct operands *dirs)
{
    char script[SCRIPTS_PATH + sizeof SCRIPTS_PLOT], usual[SCRIPTS_PATH];
    snprintf(script, sizeof script, "%s/" SCRIPTS_PLOT, scripts);
    snprintf(usual, sizeof usual, "%s/%s.%s", dirs->text[0], k->name, formats[format]);
    const char **argv = mem_new(dirs->n + 6, sizeof *argv);
    const char *const head[] = { "sh", script, k->name, formats[format], file ? file : format == FORMAT_TERM ? "-" : usual };
    memcpy(argv, head, sizeof head);
    memcpy(argv + sizeof head / sizeof *head, dirs->text, dirs->n * sizeof *argv);
    if (format == FORMAT_TERM && isatty(STDOUT_FILENO)) {
        char columns[16];
        snprintf(columns, sizeof columns, "%u", term_width(STDOUT_FILENO));
        setenv("COLUMNS", columns, 1);    /* a shell does not export it */
    }
    int status = scripts_run(argv);
    if (status == EXIT_OK && !file && format != FORMAT_TERM)
        printf("%s\n", usual);
    free(argv);
    return status;
}

/* ---- Which ---- */

static int one_kind(const struct plot_options *o, const char *scripts, int format, const struct operands *dirs)
{
    const struct kind *k = &kinds[o->kind];
    char missing[SCRIPTS_PATH];
    if (dirs->n > k->most)
        return complain(EXIT_USAGE, "plot: %s shows one directory, got '%s' besides", k->name, dirs->text[k->most]);
    for (size_t i = 0; i < dirs->n; i++)
        if (!has_files(k, dirs->text[i], missing))
            return complain(EXIT_INPUT, "%s: cannot read it, and %s needs it: %s", missing, k->name, strerror(errno));
    return draw(scripts, k, format, o->file, dirs);
}

static int all_kinds(const char *scripts, int format, const struct operands *dirs)
{
    bool any = false;
    for (size_t i = 0; i < KINDS; i++) {
        char missing[SCRIPTS_PATH];
        bool applies = dirs->n >= kinds[i].least && dirs->n <= kinds[i].most;
        for (size_t d = 0; d < dirs->n && applies; d++)
            applies = has_files(&kinds[i], dirs->text[d], missing);
        if (!applies)
            continue;
        any = true;
        int status = draw(scripts, &kinds[i], format, NULL, dirs);
        if (status != EXIT_OK)
            return status;
    }
    return any ? EXIT_OK : complain(EXIT_INPUT, "%s: holds no result files to plot", dirs->text[0]);
}

static int format_of(const struct plot_options *o)
{
    const char *ending = o->file ? strrchr(o->file, '.') : NULL;
    if (o->format >= 0)
        return o->format;
    for (int i = 0; ending && i < FORMAT_TERM; i++)
        if (!strcmp(ending + 1, formats[i]))
            return i;
    return FORMAT_PNG;
}

static int plot_run(const struct invocation *in)
{
    const struct plot_options *o = in->options;
    char scripts[SCRIPTS_PATH];
    struct stat st;
    if (o->file && o->kind < 0)
        return complain(EXIT_USAGE, "plot: --output: want --kind with it: without one there may be several plots");
    for (size_t i = 0; i < in->operands.n; i++)
        if (stat(in->operands.text[i], &st) != 0 || !S_ISDIR(st.st_mode))
            return complain(EXIT_INPUT, "%s: no such directory", in->operands.text[i]);
    int status = scripts_find(scripts);
    if (status != EXIT_OK)
        return status;
    return o->kind >= 0 ? one_kind(o, scripts, format_of(o), &in->operands) : all_kinds(scripts, format_of(o), &in->operands);
}

const struct command cmd_plot = {
    .name = "plot",
    .summary = "plot one or more directories of results",
    .details = "Needs gnuplot. The names of the files written are listed on standard output.",
    .set = { .name = "plot", .options = options, .operands = "DIR...", .least_operands = 1, .most_operands = SIZE_MAX },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = plot_run,
};
