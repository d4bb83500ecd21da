/* cmd_plot.c - gpuyard plot: finds the plotting scripts and runs them. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/scripts.h"
#include "sim/cli/frame/term.h"
#include "sim/base/memory.h"
#include "sim/study/runset.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What plot.sh draws: the name, what help says of it, how many directories it takes, and the files it reads: FILE, or FILE:COLUMN where only
 * some runs have what it draws. */
#define EACH_KIND(K) \
    K(jct_cdf, "how long jobs took, as a distribution", 1, SIZE_MAX, "jobs.csv") \
    K(wait_cdf, "how long they waited", 1, SIZE_MAX, "jobs.csv") \
    K(slowdown_cdf, "how many times their service time they took", 1, SIZE_MAX, "jobs.csv") \
    K(utilisation, "GPUs allocated over time, stacked by queue", 1, SIZE_MAX, "timeseries.csv", "queues.csv", "jobs.csv") \
    K(utilisation_class, "stacked by class", 1, SIZE_MAX, "timeseries.csv", "intervals.csv", "jobs.csv") \
    K(utilisation_state, "what becomes of all GPUs over time", 1, SIZE_MAX, "timeseries.csv") \
    K(ledger, "where all GPU time went, by account", 1, SIZE_MAX, "nodes.csv") \
    K(queue_length, "jobs and GPUs waiting over time", 1, SIZE_MAX, "timeseries.csv") \
    K(quota, "each queue against its quota (of one run)", 1, 1, "queues.csv", "timeseries.csv", "summary.csv") \
    K(fairness, "finish-time fairness, and what queues held of their fair share", 1, SIZE_MAX, "jobs.csv", "summary.csv") \
    K(fragmentation, "free GPUs over time, by how many are free together", 1, SIZE_MAX, "timeseries.csv", "intervals.csv", "nodes.csv") \
    K(energy, "power over time", 1, SIZE_MAX, "timeseries.csv:power_w", "summary.csv") \
    K(services, "inference services: requests, latency, SLO and replicas over time (of one run)", 1, 1, "services.csv") \
    K(sessions, "interactive sessions: what they do over time, time to start, and how they ended", 1, SIZE_MAX, "sessions.csv", "timeseries.csv:sessions_active") \
    K(gantt, "which GPU was held when (of one run)", 1, 1, "intervals.csv", "nodes.csv", "jobs.csv") \
    K(nodes, "heat map of the nodes (of one run)", 1, 1, "intervals.csv", "nodes.csv") \
    K(compare, "metrics as bars, with confidence intervals over runs that differ in the seed", 2, SIZE_MAX, "summary.csv") \
    K(sweep, "metrics of a sweep as lines over one of its parameters, in bands over seeds", 1, 1, "sweep.csv")

enum { FILES_MOST = 3 };
#define KIND(name, help, least, most, ...) { #name, { __VA_ARGS__ }, least, most },
static const struct kind { const char *name, *file[FILES_MOST]; size_t least, most; } kinds[] = { EACH_KIND(KIND) };
enum { KINDS = sizeof kinds / sizeof *kinds };
#define KIND_NAME(name, ...) #name,
static const char *const kind_names[] = { EACH_KIND(KIND_NAME) NULL };
#define KIND_HELP(name, help, ...) "\n" #name ": " help "."
enum { FORMAT_PNG, FORMAT_SVG, FORMAT_PDF, FORMAT_TERM };
static const char *const formats[] = { "png", "svg", "pdf", "term", NULL };

struct plot_options { int kind, format; const char *file, *x_column; struct option_texts metrics; };
static const struct plot_options defaults = { .kind = -1, .format = -1 };
#define AT(field) .at = offsetof(struct plot_options, field)
static const struct option options[] = {
    { .name = "kind", .letter = 'k', .argument = "KIND", .kind = OPTION_WORD, AT(kind), .words = kind_names,
      .help = "one of those below; without it, all for which the files are there" },
    { .name = "metric", .letter = 'm', .argument = "METRIC", .kind = OPTION_TEXTS, AT(metrics),
      .help = "compare, sweep: shows METRIC, or METRIC@SCOPE, instead of the usual three; may be given again" },
    { .name = "x", .letter = 'x', .argument = "COLUMN", .kind = OPTION_TEXT, AT(x_column),
      .help = "sweep: the parameter on the axis; by default the first that has several values, numbers before names" },
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD, AT(format), .words = formats,
      .help = "png, svg, pdf, or term: drawn with characters on standard output. By default what the ending of the output "
              "file says, else png" },
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, AT(file), .values = VALUES_FILE,
      .help = "file of the plot, - is standard output; by default KIND.FORMAT in the first DIR" },
    { 0 },
};

/* What is asked for, with sets of runs as the runs in them. */
struct plotting {
    const char *scripts, *file, *x_column;    /* NULL: the usual ones */
    const struct option_texts *metrics;
    int format;
    size_t n;
    char **dir;
    const char *first;            /* of the operands: the usual file stands there */
};

/* ---- One plot ---- */

static void path_of(char path[SCRIPTS_PATH], const char *directory, const char *file)
{
    snprintf(path, SCRIPTS_PATH, "%s/%.*s", directory, (int)strcspn(file, ":"), file);
}

static bool has_files(const struct kind *k, const char *directory, char missing[SCRIPTS_PATH])
{
    for (size_t i = 0; i < FILES_MOST && k->file[i]; i++) {
        path_of(missing, directory, k->file[i]);
        if (access(missing, R_OK) != 0)
            return false;
    }
    return true;
}

static char *joined(const struct option_texts *metrics)
{
    char *text;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    for (size_t i = 0; i < metrics->n; i++)
        fprintf(f, "%s%s", i ? "," : "", metrics->text[i]);
    mem_stream_end(f, &text);
    return text;
}

static int draw(const struct plotting *p, const struct kind *k)
{
    char script[SCRIPTS_PATH + sizeof SCRIPTS_PLOT], usual[SCRIPTS_PATH];
    snprintf(script, sizeof script, "%s/" SCRIPTS_PLOT, p->scripts);
    snprintf(usual, sizeof usual, "%s/%s.%s", p->first, k->name, formats[p->format]);
    const char **argv = mem_new(p->n + 10, sizeof *argv);
    char *metrics = joined(p->metrics);
    size_t n = 0;
    argv[n++] = "sh";
    argv[n++] = script;
    if (*metrics) {
        argv[n++] = "-m";
        argv[n++] = metrics;
    }
    if (p->x_column) {
        argv[n++] = "-x";
        argv[n++] = p->x_column;
    }
    argv[n++] = k->name;
    argv[n++] = formats[p->format];
    argv[n++] = p->file ? p->file : p->format == FORMAT_TERM ? "-" : usual;
    memcpy(argv + n, p->dir, p->n * sizeof *argv);
    if (p->format == FORMAT_TERM && isatty(STDOUT_FILENO)) {
        char columns[16];
        snprintf(columns, sizeof columns, "%u", term_width(STDOUT_FILENO));
        setenv("COLUMNS", columns, 1);    /* a shell does not export it */
    }
    int status = scripts_run(argv);
    if (status == EXIT_OK && !p->file && p->format != FORMAT_TERM)
        printf("%s\n", usual);
    free(metrics);
    free(argv);
    return status;
}

/* ---- Which ---- */

static int one_kind(const struct plotting *p, const struct kind *k)
{
    char missing[SCRIPTS_PATH];
    if (p->n > k->most)
        return complain(EXIT_USAGE, "plot: %s shows one directory, got '%s' besides", k->name, p->dir[k->most]);
    for (size_t i = 0; i < p->n; i++)
        if (!has_files(k, p->dir[i], missing))
            return complain(EXIT_INPUT, "%s: cannot read it, and %s needs it: %s", missing, k->name, strerror(errno));
    return draw(p, k);
}

/* The model of power may be off; results of older versions do not count sessions over time. */
static bool has_column(const char *directory, const char *file)
{
    const char *column = strchr(file, ':');
    char path[SCRIPTS_PATH], header[1024] = "";
    if (!column)
        return true;
    path_of(path, directory, file);
    FILE *f = fopen(path, "r");
    bool there = f && fgets(header, sizeof header, f) && strstr(header, column + 1);
    if (f)
        fclose(f);
    return there;
}

/* A workload may have services or sessions of which none came. */
static bool has_rows(const char *directory, const char *file)
{
    char path[SCRIPTS_PATH];
    int c = 0;
    path_of(path, directory, file);
    FILE *f = fopen(path, "r");
    while (f && c != EOF && c != '\n')
        c = getc(f);
    bool there = f && c == '\n' && getc(f) != EOF;
    if (f)
        fclose(f);
    return there;
}

static bool applies_to(const struct kind *k, const char *directory)
{
    char missing[SCRIPTS_PATH];
    bool applies = has_files(k, directory, missing) && has_rows(directory, k->file[0]);
    for (size_t i = 0; i < FILES_MOST && k->file[i] && applies; i++)
        applies = has_column(directory, k->file[i]);
    return applies;
}

/* A kind that has nothing to show, such as jobs of which none has ended, says so, and the others follow. */
static int all_kinds(const struct plotting *p)
{
    bool any = false;
    int status = EXIT_OK;
    for (size_t i = 0; i < KINDS; i++) {
        bool applies = p->n >= kinds[i].least && p->n <= kinds[i].most;
        for (size_t d = 0; d < p->n && applies; d++)
            applies = applies_to(&kinds[i], p->dir[d]);
        if (!applies)
            continue;
        any = true;
        int drawn = draw(p, &kinds[i]);
        if (drawn != EXIT_OK && drawn != EXIT_INPUT)
            return drawn;
        status = drawn != EXIT_OK ? drawn : status;
    }
    return any ? status : complain(EXIT_INPUT, "%s: holds no result files to plot", p->first);
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

/* A directory without the manifest of a run that holds some with it stands for those. */
static void add_directories(struct plotting *p, size_t *capacity, const char *path)
{
    char **run;
    size_t n = run_directories(path, &run);
    for (size_t i = 0; i < (n ? n : 1); i++) {
        mem_grow(&p->dir, capacity, p->n, sizeof *p->dir);
        const char *one = n ? run[i] : path;
        p->dir[p->n++] = mem_text(one, strlen(one));
    }
    run_directories_free(run, n);
}

static int plot_run(const struct invocation *in)
{
    const struct plot_options *o = in->options;
    char scripts[SCRIPTS_PATH];
    struct plotting p = { .scripts = scripts, .file = o->file, .x_column = o->x_column, .metrics = &o->metrics, .format = format_of(o) };
    struct stat st;
    size_t capacity = 0;
    if (o->file && o->kind < 0)
        return complain(EXIT_USAGE, "plot: --output: want --kind with it: without one there may be several plots");
    for (size_t i = 0; i < in->operands.n; i++)
        if (stat(in->operands.text[i], &st) != 0 || !S_ISDIR(st.st_mode))
            return complain(EXIT_INPUT, "%s: no such directory", in->operands.text[i]);
    int status = scripts_find(scripts);
    if (status != EXIT_OK)
        return status;
    p.first = in->operands.text[0];
    for (size_t i = 0; i < in->operands.n; i++)
        add_directories(&p, &capacity, in->operands.text[i]);
    status = o->kind >= 0 ? one_kind(&p, &kinds[o->kind]) : all_kinds(&p);
    for (size_t i = 0; i < p.n; i++)
        free(p.dir[i]);
    free(p.dir);
    return status;
}

const struct command cmd_plot = {
    .name = "plot",
    .summary = "plot one or more directories of results",
    .details = "DIR is the directory of a run, one of such directories, or that of a sweep. Needs gnuplot. The names of the files written are listed on "
               "standard output." EACH_KIND(KIND_HELP),
    .set = { .name = "plot", .options = options, .operands = "DIR...", .min_operands = 1, .max_operands = SIZE_MAX },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = plot_run,
};
