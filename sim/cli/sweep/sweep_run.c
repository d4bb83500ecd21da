/* sweep_run.c - the directory of a sweep, and the pool of processes that runs its points. See
 * sweep.h. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/interrupt.h"
#include "sim/cli/frame/progress_bar.h"
#include "sim/cli/sweep/sweep.h"
#include "sim/io/output.h"
#include "sim/base/memory.h"
#include "sim/results/version.h"
#include "sim/study/point_file.h"
#include "sim/study/pool.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LONG = 4096 };

/* ---- The runs ---- */

struct running {
    struct sweep *sweep;
    size_t *task, n;              /* [n] points without a result */
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
    while (first + n < r->n &&
           sweep_shares_past(r->sweep, r->task[first + n - 1], r->task[first + n]))
        /* more than the pool asks for: else the shared past would be simulated again */
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

static void report_failed(struct running *r, size_t point, const char *why)
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
    report_failed(r, r->task[task],
                  there == 0  ? result.why
                  : there < 0 ? err.text
                              : "its result could not be written");
    if (there == 0)
        point_result_free(&result);
}

/* Removes partial files of a process that was killed. */
static void remove_partials(const char *path)
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
}

static void lost(void *self, size_t task, const char *why)
{
    struct running *r = self;
    const struct sweep *s = r->sweep;
    char path[PATH_LONG];
    struct error err = { "" };
    r->done++;
    snprintf(path, sizeof path, "%s/runs/%s", s->directory, s->grid->point[r->task[task]].name);
    remove_partials(path);
    rmdir(path);
    snprintf(path, sizeof path, "%s/points", s->directory);
    report_failed(r, r->task[task],
                  point_file_write_failure(path, s->key[r->task[task]], why, &err) ? err.text
                                                                                   : why);
}

static void tick(void *self)
{
    struct running *r = self;
    progress_bar_count(&r->bar, r->done, "runs");
}

/* ---- The directory ---- */

static bool run_is_kept(const struct sweep *s, size_t point)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/runs/%s/manifest.json", s->directory,
             s->grid->point[point].name);
    return access(path, F_OK) == 0;
}

/* A failed point is run again. */
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

static int write_about(const struct sweep *s, const char *path, struct shard shard,
                       struct error *err)
{
    const struct experiment *e = s->experiment;
    size_t n = 0, plugin = 0;
    struct sweep_about a = { .experiment = e->name, .path = path, .sha256 = e->sha256,
                             .version = version_text(),
                             .commit = version_commit(), .shard = shard, .points = s->grid->n };
    for (size_t i = 0; i < e->n_axes; i++)
        n += e->axis[i].n;
    a.input = mem_new(n, sizeof *a.input);
    for (size_t i = 0; i < e->n_axes; i++)
        for (size_t k = 0; k < e->axis[i].n; k++) {
            const struct axis *x = &e->axis[i];
            bool named = x->kind == AXIS_POLICY || x->kind == AXIS_PLACEMENT;
            const char *sha256 = x->kind == AXIS_CLUSTER ? s->cluster[k].all_sha256
                                 : x->kind == AXIS_TRACE ? s->trace[k].all_sha256
                                 : named                 ? s->plugin_sha256[plugin++]
                                                         : "";
            if (*sha256)
                a.input[a.n_inputs++] = (struct sweep_input){ x->name, x->value[k].label,
                                                              x->value[k].text, sha256 };
        }
    int result = sweep_about_write(&a, s->directory, err);
    free(a.input);
    return result;
}

int sweep_run(struct sweep *s, const size_t *point, size_t n, const struct sweep_how *how,
              size_t *ran, struct error *err)
{
    struct running r = { .sweep = s, .task = mem_new(n, sizeof *r.task), .quiet = how->quiet };
    for (size_t i = 0; i < n; i++)
        if (!has_result(s, point[i]))
            r.task[r.n++] = point[i];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const struct pool_setup pool = {
        .self = &r, .n = r.n, .limit_ns = s->experiment->limit_ns,
        .interrupted = interrupt_guard(NULL),
        .workers = (unsigned)(how->workers ? how->workers : processors > 0 ? processors : 1),
        .batch = batch, .begin = begin, .work = work, .done = done, .lost = lost, .tick = tick,
    };
    progress_bar_begin(&r.bar, r.n, how->quiet);
    int result = pool_run(&pool, err);
    progress_bar_end(&r.bar);
    *ran = r.n;
    free(r.task);
    if (result == 0)
        return EXIT_OK;
    return atomic_load(pool.interrupted) ? EXIT_INTERRUPTED : EXIT_FAILED;
}

static void say_base(const struct sweep *s)
{
    const struct axis *traces = experiment_axis(s->experiment, AXIS_TRACE);
    for (size_t i = 0; i < traces->n && s->sizes_differ; i++)
        if (s->trace[i].load_of_cluster)
            warn("the load of %s is of the base cluster, %s with %" PRId64
                 " GPUs: clusters of all sizes get the same jobs",
                 traces->value[i].label,
                 experiment_axis(s->experiment, AXIS_CLUSTER)->value[0].label, s->load_gpus);
}

int sweep_open(struct sweep *s, const char *path, struct shard shard, bool resume,
               struct error *err)
{
    char points[PATH_LONG];
    if (sweep_check(s->directory, s->force, err))
        return EXIT_USAGE;
    if (sweep_is_there(s->directory) && !resume) {
        error_set(
            err,
            "sweep: %s has results of a sweep: want --resume to continue it, or another --output",
            s->directory);
        return EXIT_USAGE;
    }
    int status = sweep_read_inputs(s, err);
    if (status == EXIT_OK && sweep_check(s->directory, s->force, err))
        status = EXIT_USAGE;      /* inputs are known only now */
    if (status != EXIT_OK)
        return status;
    say_base(s);
    if (make_directories(s, err) || (s->lock = sweep_lock(s->directory, err)) < 0)
        return EXIT_FAILED;
    snprintf(points, sizeof points, "%s/points", s->directory);
    remove_partials(points);
    return write_about(s, path, shard, err) || sweep_list_write(s->list, s->directory, err)
               ? EXIT_FAILED
               : EXIT_OK;
}
