/* cmd_plot.c - gpuyard plot: finds the plotting scripts and runs them. */
#include "sim/cli/cli.h"
#include "sim/cli/term.h"
#include "sim/core/memory.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_LONG = 4096, FILES_MOST = 3, SIGNALLED = 128 };
#define SCRIPT "plot/plot.sh"

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

/* ---- Where the scripts are ---- */

static bool is_scripts(const char *directory)
{
    char path[PATH_LONG];
    int n = snprintf(path, sizeof path, "%s/" SCRIPT, directory);
    return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0;
}

/* Beside an installed program, or above one in the source tree (build/MODE/gpuyard). */
static int find_scripts(char to[PATH_LONG])
{
    static const char *const near[] = { "../share/gpuyard/scripts", "scripts", "../scripts", "../../scripts" };
    const char *given = getenv("GPUYARD_SCRIPTS");
    if (given && *given) {
        snprintf(to, PATH_LONG, "%s", given);
        return is_scripts(to) ? EXIT_OK
                              : complain(EXIT_FAILED, "%s: no plotting scripts there (GPUYARD_SCRIPTS)", given);
    }
    char self[PATH_LONG / 2];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof near / sizeof *near; i++) {
        snprintf(to, PATH_LONG, "%s/%s", self, near[i]);
        if (is_scripts(to))
            return EXIT_OK;
    }
    return complain(EXIT_FAILED, "no plotting scripts beside %s: say where they are in GPUYARD_SCRIPTS", self);
}

/* ---- One plot ---- */

static bool has_files(const struct kind *k, const char *directory, char missing[PATH_LONG])
{
    for (size_t i = 0; i < FILES_MOST && k->file[i]; i++) {
        snprintf(missing, PATH_LONG, "%s/%s", directory, k->file[i]);
        if (access(missing, R_OK) != 0)
            return false;
    }
    return true;
}

/* The script's exit status; what is wrong it has said itself. */
static int run_script(const char **argv)
{
    pid_t child;
    int status;
    posix_spawnattr_t attributes;
    sigset_t usual;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    fflush(stdout);
    sigaction(SIGINT, &ignore, &before);    /* it is the script that cleans up */
    int result = posix_spawn(&child, "/bin/sh", NULL, &attributes, (char *const *)(void *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    if (result == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    sigaction(SIGINT, &before, NULL);
    if (result)
        return complain(EXIT_FAILED, "cannot start /bin/sh: %s", strerror(result));
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

static int draw(const char *scripts, const struct kind *k, int format, const char *file, const struct operands *dirs)
{
    char script[PATH_LONG + sizeof SCRIPT], usual[PATH_LONG];
    snprintf(script, sizeof script, "%s/" SCRIPT, scripts);
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
    int status = run_script(argv);
    if (status == EXIT_OK && !file && format != FORMAT_TERM)
        printf("%s\n", usual);
    free(argv);
    return status;
}

/* ---- Which ---- */

static int one_kind(const struct plot_options *o, const char *scripts, int format, const struct operands *dirs)
{
    const struct kind *k = &kinds[o->kind];
    char missing[PATH_LONG];
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
        char missing[PATH_LONG];
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
    char scripts[PATH_LONG];
    struct stat st;
    if (o->file && o->kind < 0)
        return complain(EXIT_USAGE, "plot: --output: want --kind with it: without one there may be several plots");
    for (size_t i = 0; i < in->operands.n; i++)
        if (stat(in->operands.text[i], &st) != 0 || !S_ISDIR(st.st_mode))
            return complain(EXIT_INPUT, "%s: no such directory", in->operands.text[i]);
    int status = find_scripts(scripts);
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
