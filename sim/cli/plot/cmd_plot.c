/* cmd_plot.c - gpuyard plot: which kinds of plots there are of some results, and one figure after
 * the other. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/result_file.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/compare/design.h"
#include "sim/cli/plot/gnuplot.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/runs.h"
#include "sim/results/results.h"
#include "sim/study/runset.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KINDS_MOST = 32,
    COLUMNS_LEAST = 40,
    COLUMNS_MOST = 400,
    COLUMNS_USUAL = 79,
    LINES = 24,
    PAPER_MOST_IN = 40
};
static const char *const formats[] = { "png", "svg", "pdf", "term", "csv", NULL };
static const char *const usual_metrics[] = { "util_alloc", "wait_mean_s", "jct_mean_s" };

struct plot_options {
    int kind, format;
    const char *file, *x_column, *width, *from, *to;
    struct option_texts metrics, labels;
    int64_t font_pt;
    bool paper, no_title, bw;
};
static const struct plot_options defaults = { .kind = -1, .format = -1 };
enum { PAPER_FONT = 8, FONT_LEAST = 5, FONT_MOST = 40 };
static const double paper_width_in = 3.3; /* a column of ACM's and IEEE's papers */
#define AT(field) .at = offsetof(struct plot_options, field)
static const struct option options[] = {
    { .name = "kind",
      .letter = 'k',
      .argument = "KIND",
      .kind = OPTION_WORD,
      AT(kind),
      .words = plot_kind_names,
      .help = "one of those below; without it, all for which the files are there" },
    { .name = "metric",
      .letter = 'm',
      .argument = "METRIC",
      .kind = OPTION_TEXTS,
      AT(metrics),
      .help = "compare, sweep: shows METRIC, or METRIC@SCOPE, instead of the usual three; may "
              "be given again" },
    { .name = "x",
      .letter = 'x',
      .argument = "COLUMN",
      .kind = OPTION_TEXT,
      AT(x_column),
      .help = "sweep: the parameter on the axis; by default the first that has several "
              "values, numbers before names" },
    { .name = "from",
      .argument = "TIME",
      .kind = OPTION_TEXT,
      AT(from),
      .help = "plots over time begin then: a time of the run in seconds, or like 90min, 12h, 2d; a "
              "date where the trace has dates" },
    { .name = "to", .argument = "TIME", .kind = OPTION_TEXT, AT(to), .help = "and end then" },
    { .name = "format",
      .letter = 'f',
      .argument = "FORMAT",
      .kind = OPTION_WORD,
      AT(format),
      .words = formats,
      .help = "png, svg, pdf; term: drawn with characters on standard output; csv: the "
              "numbers that are drawn, on standard output. By default what the ending of the "
              "output file says, else png" },
    { .name = "output",
      .letter = 'o',
      .argument = "FILE",
      .kind = OPTION_TEXT,
      AT(file),
      .values = VALUES_FILE,
      .help = "file of the plot, - is standard output; by default KIND.FORMAT in the first "
              "DIR" },
    { .name = "paper",
      .kind = OPTION_FLAG,
      AT(paper),
      .help = "for a column of a paper: --width 3.3in --font 8 --no-title --bw" },
    { .name = "width",
      .argument = "LENGTH",
      .kind = OPTION_TEXT,
      AT(width),
      .help = "final width of the picture: 3.3in, 84mm, 8.4cm; by default as wide as a screen "
              "shows" },
    { .name = "font",
      .argument = "POINTS",
      .kind = OPTION_INTEGER,
      AT(font_pt),
      .min = FONT_LEAST,
      .max = FONT_MOST,
      .help = "final size of text; with --width, by default 8" },
    { .name = "no-title",
      .kind = OPTION_FLAG,
      AT(no_title),
      .help = "no title, and names alone in the legend: the caption says the rest" },
    { .name = "bw",
      .kind = OPTION_FLAG,
      AT(bw),
      .help = "greys, dashes and marks instead of colours" },
    { .name = "label",
      .letter = 'l',
      .argument = "TEXT",
      .kind = OPTION_TEXTS,
      AT(labels),
      .help = "what a run, or a group of replications, is called, instead of its policy and "
              "placement; once for each, in their order. Once for each run, none is grouped" },
    { 0 },
};

/* Directories of results, sets of runs as the runs in them. */
struct directories {
    size_t n, capacity, named_capacity;
    char **dir;
    bool *named; /* an operand, not found in one */
    struct plot_request request, one_seed;
};
/* What is asked for. Of a federation the metrics are those of the whole; files that only its
 * members have are those of all members. */
struct plotting {
    char scripts[SCRIPTS_PATH];
    const char *file;             /* NULL: the usual one */
    const char *first;            /* of the operands: the usual file stands there */
    struct directories whole, members;
    bool said_seeds;
};

static const struct directories *directories_of(const struct plotting *p, const struct kind *k)
{
    return strcmp(k->file[0], "summary.csv") ? &p->members : &p->whole;
}

/* ---- Which files a kind needs ---- */

static void path_of(char path[SCRIPTS_PATH], const char *directory, const char *file)
{
    snprintf(path, SCRIPTS_PATH, "%s/%.*s", directory, (int)strcspn(file, ":"), file);
}

static bool has_files(const struct kind *k, const char *directory, char missing[SCRIPTS_PATH])
{
    for (size_t i = 0; i < KIND_FILES && k->file[i]; i++) {
        path_of(missing, directory, k->file[i]);
        if (access(missing, R_OK) != 0)
            return false;
    }
    return true;
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
    for (size_t i = 0; i < KIND_FILES && k->file[i] && applies; i++)
        applies = has_column(directory, k->file[i]);
    return applies;
}

static bool is_sweep(const char *directory)
{
    char path[SCRIPTS_PATH];
    path_of(path, directory, SWEEP_FILE);
    return access(path, R_OK) == 0;
}

static bool reads_sweep(const struct kind *k)
{
    return !k || k->of_sweep || !strcmp(k->file[0], SWEEP_FILE);
}

/* ---- Drawing ---- */

static const struct plot_request *request_of(const struct plotting *p, const struct kind *k)
{
    const struct directories *d = directories_of(p, k);
    return k->one_seed ? &d->one_seed : &d->request;
}

static size_t shown_by(const struct plotting *p, const struct kind *k)
{
    const struct plot_request *r = request_of(p, k);
    return k->pools_seeds ? r->groups : r->n;
}

static void say_seeds(struct plotting *p, const struct kind *k)
{
    const char *which = request_of(p, k)->one_seed;
    if (which && !p->said_seeds)
        fprintf(stderr,
                "gpuyard: plot: %s: %s; a run that is itself a DIR is always shown, and all are "
                "with a --label for each\n", k->name, which);
    p->said_seeds = p->said_seeds || which;
}

static bool to_stdout(const struct plot_request *r)
{
    return r->canvas.format == PLOT_TERM || r->canvas.format == PLOT_CSV;
}

static bool has_window(const struct directories *d)
{
    return d->request.window.has_from || d->request.window.has_to;
}

static int draw(struct plotting *p, const struct kind *k)
{
    char usual[SCRIPTS_PATH];
    struct plot_request own = *request_of(p, k);
    const struct plot_request *r = &own;
    struct error err = { "" };
    struct figure *f = figure_new(&r->canvas);
    if (k->metric && r->metric == usual_metrics) {
        own.metric = k->metric;
        for (own.metrics = 0; k->metric[own.metrics];)
            own.metrics++;
    }
    say_seeds(p, k);
    fact_text(f, r->one_seed ? r->one_seed : "", "one_seed");
    snprintf(usual, sizeof usual, "%s/%s.%s", p->first, k->name, formats[r->canvas.format]);
    const char *path = p->file ? p->file : to_stdout(r) ? "-" : usual;
    int status = k->make(k, r, f, &err) ? complain(EXIT_INPUT, "%s", err.text)
                                        : figure_draw(f, k, &r->canvas, p->scripts, path);
    figure_free(f);
    if (status == EXIT_OK && path == usual)
        printf("%s\n", usual);
    return status;
}

/* EXIT_OK: the kind fits the width. */
static int fits_paper(const struct plotting *p, const struct kind *k)
{
    const struct paper *paper = &directories_of(p, k)->request.canvas.paper;
    int least = k->paper_least ? k->paper_least : PAPER_LEAST;
    double least_in = least * paper->font_pt / FONT_USUAL / 96;
    if (paper->width_in <= 0 || paper->width_in >= least_in)
        return EXIT_OK;
    return complain(EXIT_USAGE,
                    "plot: --width: %s needs at least %.1fin at %.0f points, got %.3gin", k->name,
                    ceil(least_in * 10) / 10, paper->font_pt, paper->width_in);
}

static int one_kind(struct plotting *p, const struct kind *k)
{
    char missing[SCRIPTS_PATH];
    const struct directories *d = directories_of(p, k);
    int status = fits_paper(p, k);
    if (status != EXIT_OK)
        return status;
    size_t shown = shown_by(p, k);
    if (shown > k->most && k->most > 1)
        return complain(EXIT_USAGE, "plot: %s shows at most %zu %s, got %zu", k->name, k->most,
                        k->pools_seeds ? "runs or groups of runs" : "directories", shown);
    if (k->most == 1 && d->n > 1)
        return complain(EXIT_USAGE, "plot: %s shows one directory, got '%s' besides", k->name,
                        d->dir[k->most]);
    if (has_window(d) && !k->over_time)
        return complain(EXIT_USAGE, "plot: --from, --to: %s has no axis of time", k->name);
    bool sweep = k->of_sweep && d->n == 1 && is_sweep(d->dir[0]);
    for (size_t i = 0; i < d->n; i++)
        if (!sweep && !has_files(k, d->dir[i], missing))
            return complain(EXIT_INPUT, "%s: cannot read it, and %s needs it: %s", missing, k->name,
                            strerror(errno));
    return draw(p, k);
}

static bool shows_any(const struct kind *k, const struct directories *p)
{
    bool any = !k->shows;
    for (size_t d = 0; d < p->n && !any; d++)
        any = k->shows(p->dir[d]);
    return any;
}

/* A kind that has nothing to show, such as jobs of which none has ended, says so, and the others
 * follow. */
static int all_kinds(struct plotting *p)
{
    bool any = false;
    int status = EXIT_OK;
    for (size_t i = 0; plot_kinds[i]; i++) {
        const struct kind *k = plot_kinds[i];
        const struct directories *of = directories_of(p, k);
        size_t shown = shown_by(p, k);
        bool applies = shown >= k->least && shown <= k->most && fits_paper(p, k) == EXIT_OK &&
                       (k->over_time || !has_window(of));
        for (size_t d = 0; d < of->n && applies; d++)
            applies = applies_to(k, of->dir[d]);
        applies = applies && shows_any(k, of);
        if (!applies)
            continue;
        any = true;
        int drawn = draw(p, k);
        if (drawn != EXIT_OK && drawn != EXIT_INPUT)
            return drawn;
        status = drawn != EXIT_OK ? drawn : status;
    }
    return any ? status : complain(EXIT_INPUT, "%s: holds no result files to plot", p->first);
}

/* ---- The command ---- */

static enum plot_format format_of(const struct plot_options *o)
{
    const char *ending = o->file ? strrchr(o->file, '.') : NULL;
    if (o->format >= 0)
        return (enum plot_format)o->format;
    for (int i = 0; ending && formats[i]; i++)
        if (i != PLOT_TERM && !strcmp(ending + 1, formats[i]))
            return (enum plot_format)i;
    return PLOT_PNG;
}

/* "3.3in", "84mm", "8.4cm" in inches. An exit status; says what is wrong. */
static int read_width(const char *text, double *width_in)
{
    static const struct {
        const char *unit;
        double in;
    } units[] = {
        { "in", 1 },
        { "mm", 1 / 25.4 },
        { "cm", 1 / 2.54 },
    };
    char *end;
    double x = *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;
    for (size_t i = 0; x > 0 && i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit) && x * units[i].in <= PAPER_MOST_IN) {
            *width_in = x * units[i].in;
            return EXIT_OK;
        }
    return complain(
        EXIT_USAGE,
        "plot: --width: want a length such as 3.3in, 84mm or 8.4cm, up to %din, got '%s'",
        PAPER_MOST_IN, text);
}

static int read_paper(const struct plot_options *o, struct paper *p)
{
    *p = (struct paper){ .untitled = o->no_title || o->paper,
                         .bw = o->bw || o->paper,
                         .font_pt = o->font_pt ? (double)o->font_pt : PAPER_FONT };
    if (o->font_pt && !o->width && !o->paper)
        return complain(EXIT_USAGE, "plot: --font: want --width with it: its points are those of "
                                    "the final picture");
    if ((o->width || o->paper) && (format_of(o) == PLOT_TERM || format_of(o) == PLOT_CSV))
        return complain(EXIT_USAGE,
                        "plot: --%s: is for pictures; term and csv have no width in "
                        "inches",
                        o->width ? "width" : "paper");
    p->width_in = o->paper ? paper_width_in : 0;
    return o->width ? read_width(o->width, &p->width_in) : EXIT_OK;
}

/* One text for each run, which is then by itself, or for each group of them. An exit status; says
 * what is wrong. */
static int take_labels(struct plot_request *r, const struct option_texts *labels,
                       struct arena *memory)
{
    struct plot_run *run = arena_alloc(memory, r->n * sizeof *run);
    if (!labels->n)
        return EXIT_OK;
    if (labels->n != r->n && labels->n != r->groups)
        return complain(EXIT_USAGE,
                        "plot: --label: want one for each of %zu runs or %zu groups, got %zu", r->n,
                        r->groups, labels->n);
    for (size_t i = 0; i < r->n; i++) {
        run[i] = r->run[i];
        run[i].label = labels->text[labels->n == r->n ? i : r->run[i].group];
        run[i].group = labels->n == r->groups ? run[i].group : i;
    }
    r->run = run;
    r->groups = labels->n;
    r->group_label = labels->text;
    return EXIT_OK;
}

/* A terminal has its own size and, unless NO_COLOR says otherwise, colours; a file or a pipe gets
 * what COLUMNS says, plain. */
static struct canvas canvas_of(const struct plot_options *o)
{
    struct canvas c = { .format = format_of(o), .columns = COLUMNS_USUAL, .lines = LINES };
    const char *given = getenv("COLUMNS"), *plain = getenv("NO_COLOR");
    char *end;
    if (isatty(STDOUT_FILENO))
        c.columns = (int)term_width(STDOUT_FILENO);
    else if (given && *given && strspn(given, "0123456789") == strlen(given)) {
        unsigned long columns = strtoul(given, &end, 10);
        c.columns = columns > COLUMNS_MOST ? COLUMNS_MOST : (int)columns;
    }
    c.columns = c.columns < COLUMNS_LEAST  ? COLUMNS_LEAST
                : c.columns > COLUMNS_MOST ? COLUMNS_MOST
                                           : c.columns;
    c.colour = (!o->file || !strcmp(o->file, "-")) && isatty(STDOUT_FILENO) && !(plain && *plain);
    return c;
}

static void add_directory(struct directories *d, const char *path, bool named)
{
    mem_grow(&d->dir, &d->capacity, d->n, sizeof *d->dir);
    mem_grow(&d->named, &d->named_capacity, d->n, sizeof *d->named);
    d->named[d->n] = named;
    d->dir[d->n++] = mem_text(path, strlen(path));
    results_hold(path);
}

/* A directory without the manifest of a run that holds some with it stands for those; one of a
 * sweep for the runs that it kept, unless the kind reads the sweep itself. An exit status. */
static int add_directories(struct plotting *p, const char *path, const struct kind *k)
{
    char **run, kept[SCRIPTS_PATH];
    bool runs = is_sweep(path) && !reads_sweep(k);
    path_of(kept, path, "runs");
    size_t n = run_directories(runs ? kept : path, &run);
    bool named = n == 0 || (!runs && !strcmp(run[0], path));
    plot_runs_order(run, n);
    for (size_t i = 0; i < (n ? n : 1); i++) {
        struct result_places places = result_places_of(n ? run[i] : path);
        add_directory(&p->whole, n ? run[i] : path, named);
        for (size_t m = 0; m < places.n; m++)
            add_directory(&p->members, places.path[m], named);
        result_places_free(&places);
    }
    run_directories_free(run, n);
    return runs && !n ? complain(EXIT_INPUT,
                                 "%s: this sweep kept no runs: want one with --keep-runs, or the "
                                 "kinds sweep and compare",
                                 path)
                      : EXIT_OK;
}

static void directories_free(struct directories *d)
{
    for (size_t i = 0; i < d->n; i++)
        free(d->dir[i]);
    free(d->dir);
    free(d->named);
}

static int fill_request(struct directories *p, const struct plot_options *o, struct arena *memory)
{
    struct plot_request *r = &p->request;
    bool usual = !o->metrics.n;
    struct error err = { "" };
    *r = (struct plot_request){ .canvas = canvas_of(o),
                                .n = p->n,
                                .x_column = o->x_column,
                                .metrics = usual ? sizeof usual_metrics / sizeof *usual_metrics
                                                 : o->metrics.n,
                                .metric = usual ? usual_metrics : o->metrics.text };
    r->run = plot_runs(memory, p->dir, p->n, &r->groups, &r->group_label);
    window_dates(&r->window, p->dir, p->n);
    if (window_read(&r->window, o->from, o->to, &err))
        return complain(EXIT_USAGE, "%s", err.text);
    int status = read_paper(o, &r->canvas.paper);
    if (status == EXIT_OK)
        status = take_labels(r, &o->labels, memory);
    p->one_seed = plot_one_seed(r, p->named, memory);
    return status;
}

static int plot_run(const struct invocation *in)
{
    const struct plot_options *o = in->options;
    struct plotting p = { .file = o->file, .first = in->operands.text[0] };
    struct stat st;
    if (o->file && o->kind < 0)
        return complain(
            EXIT_USAGE,
            "plot: --output: want --kind with it: without one there may be several plots");
    for (size_t i = 0; i < in->operands.n; i++)
        if (stat(in->operands.text[i], &st) != 0 || !S_ISDIR(st.st_mode))
            return complain(EXIT_INPUT, "%s: no such directory", in->operands.text[i]);
    if (o->format == PLOT_CSV && o->kind < 0)
        return complain(EXIT_USAGE,
                        "plot: --format csv: want --kind with it: each kind has other columns");
    int status = format_of(o) == PLOT_CSV ? EXIT_OK : scripts_find(p.scripts);
    if (status != EXIT_OK)
        return status;
    struct arena *memory = arena_new();
    const struct kind *k = o->kind >= 0 ? plot_kinds[o->kind] : NULL;
    for (size_t i = 0; i < in->operands.n && status == EXIT_OK; i++)
        status = add_directories(&p, in->operands.text[i], k);
    if (status == EXIT_OK && (!k || directories_of(&p, k) == &p.whole))
        status = fill_request(&p.whole, o, memory);
    if (status == EXIT_OK && (!k || directories_of(&p, k) == &p.members))
        status = fill_request(&p.members, o, memory);
    if (status == EXIT_OK)
        status = k ? one_kind(&p, k) : all_kinds(&p);
    directories_free(&p.whole);
    directories_free(&p.members);
    arena_free(memory);
    return status;
}

const struct command cmd_plot = {
    .name = "plot",
    .summary = "plot one or more directories of results",
    .details = "DIR is the directory of a run, one of such directories, or that of a sweep; of a "
               "federation its members are shown as runs, and its metrics as one. Needs "
               "gnuplot. The names of the files written are listed on "
               "standard output." PLOT_KIND_HELP,
    .set = { .name = "plot",
             .options = options,
             .operands = "DIR...",
             .min_operands = 1,
             .max_operands = SIZE_MAX },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = plot_run,
};
