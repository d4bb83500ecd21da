/* cmd_sweep.c - gpuyard sweep: all runs of an experiment, by several processes, into one table. */
#include "sim/cli/frame/term.h"
#include "sim/base/utf8.h"
#include "sim/base/memory.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/interrupt.h"
#include "sim/cli/sweep/sweep.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LONG = 4096, WORKERS_MAX = 4096, SHARDS_MAX = 1000000, SHARDS_DEFAULT = 16 };

/* ==== The script that runs the shards as a Slurm job array ==== */

/* In single quotes the shell interprets only the closing quote. */
static void put_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){ *text, '\0' }, stdout);
    putchar('\'');
}

static const char *own_path(char to[PATH_LONG])
{
    ssize_t n = readlink("/proc/self/exe", to, PATH_LONG - 1);
    if (n <= 0)
        return "gpuyard";
    to[n] = '\0';
    return to;
}

/* The script has paths in comments, which end at a line feed, and people read it in a terminal. */
static int check_script_paths(const struct sweep *s, const char *path, struct error *err)
{
    char program[PATH_LONG];
    const char *const text[] = { own_path(program), s->directory, path, s->outputs ? s->outputs : "" };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char *line = utf8_line(text[i]);
        bool plain = !strcmp(line, text[i]);
        free(line);
        if (!plain)
            return error_set(err, "sweep: --emit slurm: want names of UTF-8 without control "
                             "characters in the script, got '%s'", text[i]);
    }
    return 0;
}

/* Relative paths are valid, as a Slurm job begins in the folder where it was submitted. */
static void write_slurm_script(const struct sweep *s, const char *path, size_t shards,
                               unsigned workers, bool keep_runs)
{
    char program[PATH_LONG];
    own_path(program);
    printf("#!/bin/sh\n"
           "#SBATCH --job-name=gpuyard-sweep\n"
           "#SBATCH --array=0-%zu\n"
           "#SBATCH --ntasks=1 --cpus-per-task=%u\n",
           shards - 1, workers ? workers : 1);
    printf("# %zu point%s of ", s->grid->n, plural_ending((double)s->grid->n));
    text_put(stdout, s->experiment->name, SIZE_MAX);
    printf(
        " in %zu shard%s. Submit it with sbatch; submitted again, it runs what is missing. Then join them:\n#   ",
        shards, plural_ending((double)shards));
    put_quoted(program);
    fputs(" merge ", stdout);
    put_quoted(s->directory);
    fputs("/shard-* -o ", stdout);
    put_quoted(s->directory);
    fputs("/merged\nexec ", stdout);
    put_quoted(program);
    fputs(" sweep ", stdout);
    put_quoted(path);
    printf(
        " --quiet --resume -j \"${SLURM_CPUS_PER_TASK:-1}\" --shard \"$SLURM_ARRAY_TASK_ID/%zu\"",
        shards);
    if (keep_runs)
        fputs(" --keep-runs", stdout);
    if (s->outputs && strcmp(s->outputs, "default") != 0) {
        fputs(" --outputs ", stdout);
        put_quoted(s->outputs);
    }
    fputs(" -o ", stdout);
    put_quoted(s->directory);
    fputs("\"/shard-$SLURM_ARRAY_TASK_ID\"\n", stdout);
}

/* ==== The command ==== */

struct sweep_options {
    int64_t workers, shards;
    const char *shard, *directory, *outputs;
    int emit;
    bool resume, list, keep_runs, force, quiet;
};
static const struct sweep_options defaults = { .emit = -1 };
static const char *const emits[] = { "slurm", NULL };

#define AT(field) .at = offsetof(struct sweep_options, field)
static const struct option options[] = {
    { .name = "jobs", .letter = 'j', .argument = "N", .kind = OPTION_INTEGER, AT(workers), .min = 1,
      .max = WORKERS_MAX,
      .help = "runs at a time, each in a process of its own; by default one for each processor" },
    { .name = "output", .letter = 'o', .argument = "DIR", .kind = OPTION_TEXT, AT(directory),
      .values = VALUES_DIRECTORY,
      .help = "directory of the sweep; by default results/NAME, of a shard results/NAME/shard-I" },
    { .name = "resume", .kind = OPTION_FLAG, AT(resume),
      .help = "continue in a directory with results: points with the same definition, inputs and "
              "version are not run again" },
    { .name = "shard", .argument = "I/N", .kind = OPTION_TEXT, AT(shard),
      .help = "run only part I of N, I from 0; 'gpuyard merge' joins them" },
    { .name = "list", .kind = OPTION_FLAG, AT(list), .help = "write the points as CSV, and stop" },
    { .name = "keep-runs", .kind = OPTION_FLAG, AT(keep_runs),
      .help = "keep the results of each run in DIR/runs/NAME, for plot, explain and report" },
    { .name = "outputs", .argument = "LIST", .kind = OPTION_TEXT, AT(outputs),
      .help = "files of each kept run, as of 'gpuyard run'" },
    { .name = "emit", .argument = "WHAT", .kind = OPTION_WORD, AT(emit), .words = emits,
      .help = "slurm: write a script for a job array that runs the shards, and stop" },
    { .name = "shards", .argument = "N", .kind = OPTION_INTEGER, AT(shards), .min = 1,
      .max = SHARDS_MAX,
      .help = "number of shards for --emit; by default 16, or as many as there are points" },
    { .name = "force", .kind = OPTION_FLAG, AT(force),
      .help = "replace files that gpuyard has not written; never an input" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet),
      .help = "no progress and no messages about failed runs" },
    { 0 },
};

static int sweep_all(struct sweep *s, const struct sweep_options *o, const char *path,
                     struct shard shard, struct error *err)
{
    size_t first, end, failed = 0, ran = 0;
    int status = sweep_open(s, path, shard, o->resume, err);
    if (status != EXIT_OK)
        return status;
    shard_bounds(shard, s->grid->n, &first, &end);
    size_t *point = mem_new(end - first, sizeof *point);
    for (size_t i = first; i < end; i++)
        point[i - first] = i;
    const struct sweep_how how = { (unsigned)o->workers, o->quiet };
    status = sweep_run(s, point, end - first, &how, &ran, err);
    free(point);
    if (status == EXIT_OK && sweep_tables_write(s->list, first, end, s->directory, &failed, err))
        status = EXIT_FAILED;
    interrupt_end();
    if (status != EXIT_OK)
        return status;
    if (!o->quiet)
        printf("%zu point%s%s, %zu run now, %zu failed: results in ", end - first,
               end - first == 1 ? "" : "s", shard.of > 1 ? " of this shard" : "", ran, failed);
    if (!o->quiet) {
        text_put(stdout, s->directory, SIZE_MAX);
        putchar('\n');
    }
    return failed ? EXIT_FAILED : EXIT_OK;
}

static int take_shard(const char *text, struct shard *to, struct error *err)
{
    const char *slash = text ? strchr(text, '/') : NULL;
    int64_t index = 0, of = 1;
    *to = (struct shard){ 0, 1 };
    if (!text)
        return EXIT_OK;
    if (!slash || !integer_parse(text, (size_t)(slash - text), &index) ||
        !integer_parse(slash + 1, strlen(slash + 1), &of) || index < 0 || index >= of ||
        of > SHARDS_MAX) {
        error_set(
            err,
            "sweep: --shard: want I/N, a part from 0 to N - 1 and how many there are, got '%s'",
            text);
        return EXIT_USAGE;
    }
    *to = (struct shard){ (size_t)index, (size_t)of };
    return EXIT_OK;
}

static char *directory_of(const struct sweep *s, const struct sweep_options *o, struct shard shard)
{
    char path[PATH_LONG];
    if (o->directory)
        return mem_text(o->directory, strlen(o->directory));
    int n = snprintf(path, sizeof path, "results/%s", s->experiment->name);
    if (shard.of > 1)
        snprintf(path + n, sizeof path - (size_t)n, "/shard-%zu", shard.index);
    return mem_text(path, strlen(path));
}

static int run_sweep(const struct invocation *in)
{
    const struct sweep_options *o = in->options;
    const char *path = in->operands.text[0];
    struct error err = { "" };
    struct shard shard;
    struct sweep s = { .lock = -1 };
    int status = take_shard(o->shard, &shard, &err);
    interrupt_begin();
    if (status == EXIT_OK)
        status = sweep_read(&s, path, &err);
    if (status != EXIT_OK) {
        sweep_free(&s);
        return complain(status, "%s", err.text);
    }
    char *directory = directory_of(&s, o, shard);
    s.directory = directory;
    s.force = o->force;
    s.outputs = o->outputs ? o->outputs : o->keep_runs ? "default" : NULL;
    if (o->list) {
        size_t first, end;
        shard_bounds(shard, s.grid->n, &first, &end);
        s.list = sweep_list_new(s.experiment, s.grid, NULL);
        sweep_list_print(s.list, first, end);
    } else if (o->emit >= 0) {
        size_t shards = s.grid->n < SHARDS_DEFAULT ? s.grid->n : SHARDS_DEFAULT;
        status = check_script_paths(&s, path, &err) ? EXIT_USAGE : EXIT_OK;
        if (status == EXIT_OK)
            write_slurm_script(&s, path, o->shards ? (size_t)o->shards : shards,
                               (unsigned)o->workers, o->keep_runs);
    } else
        status = sweep_all(&s, o, path, shard, &err);
    free(directory);
    sweep_free(&s);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

const struct command cmd_sweep = {
    .name = "sweep",
    .summary = "run all points of an experiment and write their metrics into one table",
    .details = "EXPERIMENT is YAML: lists of clusters, traces, policies, placements, parameters "
               "and seeds, all of which are combined, and what to exclude. Points are run by "
               "several processes that share the inputs. A run that fails, crashes or passes "
               "limit_s fails alone: failures.csv has the reason, and the exit status is 1.\n"
               "\n"
               "sweep.csv has a row for each metric of each point, in the order of points: the "
               "same bytes for any number of processes, shards and interruptions.\n"
               "\n"
               "On many machines: each runs a part, 'gpuyard merge' joins them. Slurm: --emit "
               "slurm writes the script. GNU parallel: parallel gpuyard sweep E.yaml -j1 --shard "
               "{}/8 -o out/shard-{} ::: 0 1 2 3 4 5 6 7. Kubernetes, an Indexed Job with "
               "completions: 8: --shard $JOB_COMPLETION_INDEX/8 -o "
               "/out/shard-$JOB_COMPLETION_INDEX --resume. Then: gpuyard merge out/shard-* -o "
               "out/all",
    .set = { .name = "sweep", .options = options, .operands = "EXPERIMENT", .min_operands = 1,
             .max_operands = 1 },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = run_sweep,
};
