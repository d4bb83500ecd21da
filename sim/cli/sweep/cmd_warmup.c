/* cmd_warmup.c - gpuyard warmup: the number of jobs at the beginning of runs that means should
 * leave out.
 *
 * The jobs of a run, in the order of submission, are a series of observations. Runs that differ
 * only in the seed are replications: their series are averaged job by job, and MSER-5 (mser.h)
 * finds the number of jobs to delete. Runs that are compared delete the same jobs: the largest
 * of these numbers (models.md 10.6). */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/result_file.h"
#include "sim/cli/frame/term.h"
#include "sim/base/memory.h"
#include "sim/study/mser.h"
#include "sim/study/runset.h"
#include "sim/study/sweep_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_WIDTH = 44, PATH_LONG = 4096 };
static const char *const observed[] = { "wait", "jct", "slowdown", NULL };
/* in that order */
static const char *const column[] = { "wait_s", "jct_s", "bounded_slowdown" };

struct warmup_options { int of; };
static const struct warmup_options defaults = { .of = 0 };
static const struct option options[] = {
    { .name = "of", .argument = "WHAT", .kind = OPTION_WORD, .at = offsetof(struct warmup_options,
        of), .words = observed,
      .help = "the observation of a job: wait, the default, jct, or slowdown (bounded)" },
    { 0 },
};

/* ---- Replications ---- */

struct at_job { double sum; size_t n; };             /* n: runs in which the job ended */
struct replications {
    const struct run_record *one;  /* the first of them */
    size_t runs, jobs;            /* jobs: of the shortest run */
    struct at_job *at;
    size_t deleted;               /* jobs; 0 if the runs are too short */
    bool too_short;
};
struct found { struct replications *of; size_t n, capacity; };

static struct replications *replications_of(struct found *f, const struct run_record *run)
{
    for (size_t i = 0; i < f->n; i++)
        if (runs_replicate(f->of[i].one, run))
            return &f->of[i];
    mem_grow(&f->of, &f->capacity, f->n, sizeof *f->of);
    f->of[f->n] = (struct replications){ .one = run };
    return &f->of[f->n++];
}

struct series { struct at_job *at; size_t n, capacity; };

/* Jobs that did not end, and those of services and sessions, have no slowdown. */
static int on_row(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct series *s = self;
    double value, slowdown;
    if (result_number(row, at[0], &slowdown, err) || result_number(row, at[1], &value, err))
        return -1;
    mem_grow(&s->at, &s->capacity, s->n, sizeof *s->at);
    bool counts = !isnan(slowdown) && !isnan(value);
    s->at[s->n++] = (struct at_job){ counts ? value : 0, counts };
    return 0;
}

static int add_run(struct found *f, const struct run_record *run, int of, struct error *err)
{
    const char *const columns[] = { "bounded_slowdown", column[of], NULL };
    const struct result_file jobs = { "jobs.csv", columns, on_row, NULL };
    struct series s = { NULL, 0, 0 };
    if (result_file_read_or_fail(run->path, &jobs, &s, err)) {
        free(s.at);
        return -1;
    }
    struct replications *r = replications_of(f, run);
    if (r->runs++ == 0) {
        r->at = s.at;
        r->jobs = s.n;
        return 0;
    }
    r->jobs = s.n < r->jobs ? s.n : r->jobs;
    for (size_t i = 0; i < r->jobs; i++) {
        r->at[i].sum += s.at[i].sum;
        r->at[i].n += s.at[i].n;
    }
    free(s.at);
    return 0;
}

/* In jobs; jobs that ended in no run are no observations. */
static void find_end(struct replications *r)
{
    double *mean = mem_new(r->jobs, sizeof *mean);
    size_t *job = mem_new(r->jobs, sizeof *job), n = 0, deleted;
    for (size_t i = 0; i < r->jobs; i++) {
        if (!r->at[i].n)
            continue;
        mean[n] = r->at[i].sum / (double)r->at[i].n;
        job[n++] = i;
    }
    r->too_short = mser5(mean, n, &deleted) != 0;
    r->deleted = !r->too_short && deleted ? job[deleted - 1] + 1 : 0;
    free(mean);
    free(job);
}

/* ---- The command ---- */

/* The runs of a sweep are those it kept. */
static struct runset *read_set(const char *path, struct error *err)
{
    char runs[PATH_LONG], **directory;
    int length = snprintf(runs, sizeof runs, "%s/runs", path);
    size_t n = length < PATH_LONG ? run_directories(runs, &directory) : 0;
    if (length < PATH_LONG)
        run_directories_free(directory, n);
    if (n || !sweep_is_there(path))
        return runset_read(n ? runs : path, err);
    error_set(err, "%s: this sweep kept no runs: want one with --keep-runs", path);
    return NULL;
}

static int print_result(const struct found *f)
{
    size_t most = 0;
    int status = EXIT_OK;
    text_pad(stdout, "", NAME_WIDTH);
    printf("  %6s  %9s  %9s\n", "seeds", "jobs", "leave out");
    for (size_t i = 0; i < f->n; i++) {
        const struct replications *r = &f->of[i];
        char name[256];
        snprintf(name, sizeof name, "%s, %s", r->one->policy, r->one->placement);
        text_pad(stdout, name, NAME_WIDTH);
        printf("  %6zu  %9zu  ", r->runs, r->jobs);
        if (r->too_short)
            printf("%9s\n", "-");
        else
            printf("%9zu\n", r->deleted);
        most = r->deleted > most ? r->deleted : most;
    }
    for (size_t i = 0; i < f->n; i++)
        if (f->of[i].too_short)
            status = complain(
                EXIT_INPUT,
                "%s: the runs of %s, %s are too short: they have not settled in their first half",
                f->of[i].one->path, f->of[i].one->policy, f->of[i].one->placement);
    if (status == EXIT_OK)
        printf("--warmup %zu is enough for all of them\n", most);
    return status;
}

static int warmup_run(const struct invocation *in)
{
    const struct warmup_options *o = in->options;
    size_t n = in->operands.n;
    struct runset **set = mem_new(n, sizeof *set);
    struct found f = { NULL, 0, 0 };
    struct error err = { "" };
    int status = EXIT_OK;
    for (size_t i = 0; i < n && status == EXIT_OK; i++) {
        set[i] = read_set(in->operands.text[i], &err);
        status = set[i] ? EXIT_OK : EXIT_INPUT;
        for (size_t k = 0; status == EXIT_OK && k < set[i]->n; k++)
            status = add_run(&f, &set[i]->run[k], o->of, &err) ? EXIT_INPUT : EXIT_OK;
    }
    if (status == EXIT_OK) {
        for (size_t i = 0; i < f.n; i++)
            find_end(&f.of[i]);
        status = print_result(&f);
    } else
        complain(status, "%s", err.text);
    for (size_t i = 0; i < f.n; i++)
        free(f.of[i].at);
    free(f.of);
    for (size_t i = 0; i < n; i++)
        runset_free(set[i]);
    free(set);
    return status;
}

const struct command cmd_warmup = {
    .name = "warmup",
    .summary = "compute how many jobs at the beginning of runs their means should leave out",
    .details = "A set is the directory of a run, a directory of those, or a sweep that keeps its "
               "runs (--keep-runs). A cluster that begins empty is not in its steady state: the "
               "first jobs wait less. MSER-5 finds their number, on the mean over runs that "
               "differ only in the seed. Runs that are compared, for example of several "
               "policies, need the largest of their numbers. 'gpuyard run --warmup N', or "
               "warmup: N in an experiment, then leaves them out.\n"
               "Runs that have not settled in their first half are too short: exit status 3.",
    .set = { .name = "warmup", .options = options, .operands = "SET...", .min_operands = 1,
             .max_operands = SIZE_MAX },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = warmup_run,
};
