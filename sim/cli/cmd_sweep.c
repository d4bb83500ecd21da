/* cmd_sweep.c - gpuyard sweep: all runs of an experiment, by several processes, into one table. */
#include "sim/cli/cli.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/progress_bar.h"
#include "sim/cli/sweep.h"
#include "sim/core/directory.h"
#include "sim/core/memory.h"
#include "sim/run/version.h"
#include "sim/study/point_file.h"
#include "sim/study/pool.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LONG = 4096, WORKERS_MOST = 4096, SHARDS_MOST = 1000000, SHARDS_USUAL = 16 };

struct sweep_options {
    int64_t workers, shards;
    const char *shard, *directory, *outputs;
    int emit;
    bool resume, list, keep_runs, quiet;
};
static const struct sweep_options defaults = { .emit = -1 };
static const char *const emits[] = { "slurm", NULL };

#define AT(field) .at = offsetof(struct sweep_options, field)
static const struct option options[] = {
    { .name = "jobs", .letter = 'j', .argument = "N", .kind = OPTION_INTEGER, AT(workers), .least = 1, .most = WORKERS_MOST,
      .help = "runs at a time, each in a process of its own; by default one for each processor" },
    { .name = "output", .letter = 'o', .argument = "DIR", .kind = OPTION_TEXT, AT(directory), .values = VALUES_DIRECTORY,
      .help = "directory of the sweep; by default results/NAME, of a shard results/NAME/shard-I" },
    { .name = "resume", .kind = OPTION_FLAG, AT(resume),
      .help = "go on in a directory that has results: what has the same definition, inputs and version is not run again" },
    { .name = "shard", .argument = "I/N", .kind = OPTION_TEXT, AT(shard),
      .help = "run only part I of N, I from 0; 'gpuyard merge' joins them" },
    { .name = "list", .kind = OPTION_FLAG, AT(list), .help = "write the points as CSV, and stop" },
    { .name = "keep-runs", .kind = OPTION_FLAG, AT(keep_runs),
      .help = "keep the results of each run in DIR/runs/NAME, for plot, explain and report" },
    { .name = "outputs", .argument = "LIST", .kind = OPTION_TEXT, AT(outputs), .help = "which of them, as of 'gpuyard run'" },
    { .name = "emit", .argument = "WHAT", .kind = OPTION_WORD, AT(emit), .words = emits,
      .help = "slurm: write a script for a job array that runs the shards, and stop" },
    { .name = "shards", .argument = "N", .kind = OPTION_INTEGER, AT(shards), .least = 1, .most = SHARDS_MOST,
      .help = "of --emit: how many; by default 16, or as many as there are points" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet), .help = "no progress, and nothing of runs that failed" },
    { 0 },
};

/* ---- The runs ---- */

struct running {
    struct sweep *sweep;
    size_t *task, n;              /* points that have no result yet */
    size_t done;
    struct shaped shaped;         /* of a worker */
    struct progress_bar bar;
    bool quiet;
};

static size_t batch(void *self, size_t first, size_t end)
{
    const struct running *r = self;
    size_t n = 1;
    while (first + n < end && sweep_shapes_alike(r->sweep, r->task[first], r->task[first + n]))
        n++;
    return n;
}

static void begin(void *self, size_t first)
{
    (void)first;
    ((struct running *)self)->shaped = (struct shaped){ .cluster = NULL };
}

static bool work(void *self, size_t task)
{
    struct running *r = self;
    return sweep_work(r->sweep, &r->shaped, r->task[task]);
}

static void say_failed(struct running *r, size_t point, const char *why)
{
    const struct point *p = &r->sweep->grid->point[point];
    if (r->quiet)
        return;
    if (r->bar.visible)
        fputs("\r\033[K", stderr);
    complain(EXIT_FAILED, "point %u (%s): %s", p->number, p->name, why);
}

static void done(void *self, size_t task, bool well)
{
    struct running *r = self;
    char points[PATH_LONG];
    struct point_result result;
    struct error err = { "" };
    r->done++;
    if (well)
        return;
    snprintf(points, sizeof points, "%s/points", r->sweep->directory);
    int there = point_file_read(points, r->sweep->key[r->task[task]], &result, &err);
    say_failed(r, r->task[task], there == 0 ? result.why : there < 0 ? err.text : "its result could not be written");
    if (there == 0)
        point_result_free(&result);
}

/* What a process that crashed has half written there. */
static void remove_half_run(const char *path)
{
    DIR *d = opendir(path);
    if (!d)
        return;
    for (const struct dirent *e; (e = readdir(d));) {
        const char *end = strrchr(e->d_name, '.');
        if (*e->d_name == '.' && !strcmp(end, ".partial"))
            unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
    rmdir(path);
}

static void lost(void *self, size_t task, const char *why)
{
    struct running *r = self;
    const struct sweep *s = r->sweep;
    char path[PATH_LONG];
    struct error err = { "" };
    r->done++;
    snprintf(path, sizeof path, "%s/runs/%s", s->directory, s->grid->point[r->task[task]].name);
    remove_half_run(path);
    snprintf(path, sizeof path, "%s/points", s->directory);
    say_failed(r, r->task[task], point_file_write_failure(path, s->key[r->task[task]], why, &err) ? err.text : why);
}

static void tick(void *self)
{
    struct running *r = self;
    progress_bar_count(&r->bar, r->done, "runs");
}

/* ---- What is there already ---- */

static bool run_is_kept(const struct sweep *s, size_t point)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/runs/%s/manifest.json", s->directory, s->grid->point[point].name);
    return access(path, F_OK) == 0;
}

/* A failure is no result: it is tried again. */
static bool has_result(const struct sweep *s, size_t point)
{
    char points[PATH_LONG];
    struct point_result r;
    struct error ignored = { "" };
    snprintf(points, sizeof points, "%s/points", s->directory);
    if (point_file_read(points, s->key[point], &r, &ignored) != 0)
        return false;
    bool well = !r.failed && (!s->outputs || run_is_kept(s, point));
    point_result_free(&r);
    return well;
}

static int make_directories(const struct sweep *s, struct error *err)
{
    static const char *const stale[] = { "sweep.csv", "failures.csv" };
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/points", s->directory);
    if (directory_make(path, NULL, err))
        return -1;
    for (size_t i = 0; i < sizeof stale / sizeof *stale; i++) {
        snprintf(path, sizeof path, "%s/%s", s->directory, stale[i]);
        unlink(path);
    }
    return 0;
}

static int write_about(const struct sweep *s, const char *path, struct shard shard, struct error *err)
{
    const struct experiment *e = s->experiment;
    size_t n = 0, plugin = 0;
    struct sweep_about a = { .experiment = e->name, .path = path, .sha256 = e->sha256, .version = version_text(),
                             .commit = version_commit(), .shard = shard, .points = s->grid->n };
    for (size_t i = 0; i < e->n_axes; i++)
        n += e->axis[i].n;
    a.input = mem_new(n, sizeof *a.input);
    for (size_t i = 0; i < e->n_axes; i++)
        for (size_t k = 0; k < e->axis[i].n; k++) {
            const struct axis *x = &e->axis[i];
            bool named = x->kind == AXIS_POLICY || x->kind == AXIS_PLACEMENT;
            const char *sha256 = x->kind == AXIS_CLUSTER ? s->cluster[k].sha256 : x->kind == AXIS_TRACE ? s->trace[k].sha256
                                 : named ? s->plugin_sha256[plugin++] : "";
            if (*sha256)
                a.input[a.n_inputs++] = (struct sweep_input){ x->name, x->value[k].label, x->value[k].text, sha256 };
        }
    int result = sweep_about_write(&a, s->directory, err);
    free(a.input);
    return result;
}

/* ---- All ---- */

static int run_points(struct sweep *s, const struct sweep_options *o, size_t first, size_t end, size_t *ran, struct error *err)
{
    struct running r = { .sweep = s, .task = mem_new(end - first, sizeof *r.task), .quiet = o->quiet };
    for (size_t i = first; i < end; i++)
        if (!has_result(s, i))
            r.task[r.n++] = i;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const struct pool_setup pool = {
        .self = &r, .n = r.n, .limit_ns = s->experiment->limit_ns, .interrupted = interrupt_guard(NULL),
        .workers = (unsigned)(o->workers ? o->workers : processors > 0 ? processors : 1),
        .batch = batch, .begin = begin, .work = work, .done = done, .lost = lost, .tick = tick,
    };
    progress_bar_begin(&r.bar, r.n, o->quiet);
    int result = pool_run(&pool, err);
    progress_bar_end(&r.bar);
    *ran = r.n;
    free(r.task);
    if (result == 0)
        return EXIT_OK;
    return atomic_load(pool.interrupted) ? EXIT_INTERRUPTED : EXIT_FAILED;
}

static int sweep_all(struct sweep *s, const struct sweep_options *o, const char *path, struct shard shard, struct error *err)
{
    size_t first, end, failed = 0, ran = 0;
    shard_bounds(shard, s->grid->n, &first, &end);
    if (write_about(s, path, shard, err) || sweep_list_write(s->list, s->directory, err))
        return EXIT_FAILED;
    int status = run_points(s, o, first, end, &ran, err);
    if (status == EXIT_OK && sweep_tables_write(s->list, first, end, s->directory, &failed, err))
        status = EXIT_FAILED;
    interrupt_end();
    if (status != EXIT_OK)
        return status;
    if (!o->quiet)
        printf("%zu point%s%s, %zu run now, %zu failed: results in %s\n", end - first, end - first == 1 ? "" : "s",
               shard.of > 1 ? " of this shard" : "", ran, failed, s->directory);
    return failed ? EXIT_FAILED : EXIT_OK;
}

static int sweep_into(struct sweep *s, const struct sweep_options *o, const char *path, struct shard shard, struct error *err)
{
    if (sweep_is_there(s->directory) && !o->resume) {
        error_set(err, "sweep: %s has results of a sweep: --resume goes on with it, or say another --output", s->directory);
        return EXIT_USAGE;
    }
    int status = sweep_read_inputs(s, err);
    if (status != EXIT_OK)
        return status;
    if (make_directories(s, err))
        return EXIT_FAILED;
    int lock = sweep_lock(s->directory, err);
    if (lock < 0)
        return EXIT_FAILED;
    status = sweep_all(s, o, path, shard, err);
    close(lock);
    return status;
}

static int take_shard(const char *text, struct shard *to, struct error *err)
{
    const char *slash = text ? strchr(text, '/') : NULL;
    int64_t index = 0, of = 1;
    *to = (struct shard){ 0, 1 };
    if (!text)
        return EXIT_OK;
    if (!slash || !integer_parse(text, (size_t)(slash - text), &index) || !integer_parse(slash + 1, strlen(slash + 1), &of) || index < 0 ||
        index >= of || of > SHARDS_MOST) {
        error_set(err, "sweep: --shard: want I/N, a part from 0 to N - 1 and how many there are, got '%s'", text);
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

static int sweep_run(const struct invocation *in)
{
    const struct sweep_options *o = in->options;
    const char *path = in->operands.text[0];
    struct error err = { "" };
    struct shard shard;
    struct sweep s = { .experiment = NULL };
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
    s.outputs = o->outputs ? o->outputs : o->keep_runs ? "default" : NULL;
    if (o->list) {
        size_t first, end;
        shard_bounds(shard, s.grid->n, &first, &end);
        s.list = sweep_list_new(s.experiment, s.grid, NULL);
        sweep_list_print(s.list, first, end);
    } else if (o->emit >= 0) {
        size_t usual = s.grid->n < SHARDS_USUAL ? s.grid->n : SHARDS_USUAL;
        sweep_slurm(&s, path, o->shards ? (size_t)o->shards : usual, (unsigned)o->workers, o->keep_runs);
    } else
        status = sweep_into(&s, o, path, shard, &err);
    free(directory);
    sweep_free(&s);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

const struct command cmd_sweep = {
    .name = "sweep",
    .summary = "run all points of an experiment and write their metrics into one table",
    .details = "EXPERIMENT is YAML: lists of clusters, traces, policies, placements, parameters and seeds, all of which are combined, "
               "and what to exclude. Points are run by several processes that share the inputs. A run that fails, crashes or "
               "passes limit_s fails alone: failures.csv says why, and the exit status is 1.\n"
               "\n"
               "sweep.csv has a row for each metric of each point, in the order of points: the same bytes whatever the number of "
               "processes, shards and interruptions.\n"
               "\n"
               "On many machines: each runs a part, 'gpuyard merge' joins them. Slurm: --emit slurm writes the script. GNU "
               "parallel: parallel gpuyard sweep E.yaml -j1 --shard {}/8 -o out/shard-{} ::: 0 1 2 3 4 5 6 7. Kubernetes, an Indexed Job with "
               "completions: 8: --shard $JOB_COMPLETION_INDEX/8 -o /out/shard-$JOB_COMPLETION_INDEX --resume. Then: gpuyard merge out/shard-* "
               "-o out/all",
    .set = { .name = "sweep", .options = options, .operands = "EXPERIMENT", .least_operands = 1, .most_operands = 1 },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = sweep_run,
};
