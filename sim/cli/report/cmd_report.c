/* cmd_report.c - gpuyard report: one self-contained HTML page about one or more runs. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/out_path.h"
#include "sim/cli/report/page.h"
#include "sim/base/memory.h"
#include "sim/results/results.h"
#include "sim/study/sweep_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report_options { const char *output; };
static const struct report_options defaults = { .output = NULL };
static const struct option options[] = {
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, .at = offsetof(struct report_options, output),
      .values = VALUES_FILE, .required = true, .help = "the page, FILE.html; - is standard output" },
    { 0 },
};

/* ---- Which runs stand in one column ---- */

static void make_groups(struct page *p, const struct run_record *const *run, size_t n)
{
    size_t *group = mem_new(n, sizeof *group);
    p->n_runs = n;
    p->n_groups = runs_group(run, n, group);
    p->group = mem_new(p->n_groups, sizeof *p->group);
    for (size_t i = 0; i < n; i++) {
        struct page_group *g = &p->group[group[i]];
        if (!g->run)
            g->run = mem_new(n, sizeof *g->run);
        g->run[g->n++] = run[i];
    }
    free(group);
}

static bool alike(const struct page_group *a, const struct page_group *b)
{
    return !strcmp(a->run[0]->policy, b->run[0]->policy) && !strcmp(a->run[0]->placement, b->run[0]->placement);
}

static bool same_parent(const struct page_group *a, const struct page_group *b)
{
    size_t n = run_parent_length(a->run[0]->path);
    return n == run_parent_length(b->run[0]->path) && !strncmp(a->run[0]->path, b->run[0]->path, n);
}

/* By policy and placement; the same twice: with the directory that the group is in, or of its first run. */
static void label_groups(struct page *p)
{
    for (size_t i = 0; i < p->n_groups; i++) {
        struct page_group *g = &p->group[i];
        bool twice = false, here = false;
        size_t length;
        for (size_t k = 0; k < p->n_groups; k++)
            if (k != i && alike(g, &p->group[k])) {
                twice = true;
                here = here || same_parent(g, &p->group[k]);
            }
        FILE *f = mem_stream(&g->label, &length);
        fprintf(f, "%s, %s", g->run[0]->policy, g->run[0]->placement);
        if (twice && here)
            fprintf(f, " (%s)", g->run[0]->path + run_parent_length(g->run[0]->path));
        else if (twice && g->n == 1)
            fprintf(f, " (%s)", g->run[0]->path);
        else if (twice)
            fprintf(f, " (%.*s)", (int)run_parent_length(g->run[0]->path), g->run[0]->path);
        mem_stream_end(f, &g->label);
    }
}

/* ---- The page ---- */

static int read_views(struct page *p, struct error *err)
{
    p->view = mem_new(VIEWS_MAX, sizeof *p->view);
    for (size_t i = 0; i < p->n_groups && i < VIEWS_MAX; i++) {
        struct run_view *v = &p->view[p->n_views++];
        if (run_view_open(v, p->group[i].run[0], err))
            return -1;
        v->label = p->group[i].label;
        p->steps.length_s = fmax(p->steps.length_s, v->end_s - v->start_s);
    }
    p->steps.n = PAGE_STEPS;
    for (size_t i = 0; i < p->n_views; i++)
        if (run_view_read(&p->view[i], &p->steps, err))
            return -1;
    return 0;
}

static int write_page(const struct page *p, const char *path, struct error *err)
{
    struct output *o = out_path_open(path, err);
    if (!o)
        return -1;
    page_write(o, p);
    return output_commit(o, err);
}

static void page_free(struct page *p)
{
    for (size_t i = 0; i < p->n_groups; i++) {
        free(p->group[i].label);
        free(p->group[i].run);
    }
    for (size_t i = 0; i < p->n_views; i++)
        run_view_free(&p->view[i]);
    free(p->group);
    free(p->view);
}

/* Of a sweep the runs that it has kept. */
static struct runset *read_set(const char *path, struct error *err)
{
    if (!sweep_is_there(path))
        return runset_read(path, err);
    char **kept, *runs = mem_new(strlen(path) + sizeof "/runs", 1);
    sprintf(runs, "%s/runs", path);
    size_t n = run_directories(runs, &kept);
    struct runset *set = n ? runset_read(runs, err) : NULL;
    if (!n)
        error_set(err, "%s: this sweep kept no runs: want one with --keep-runs; its numbers are in sweep.csv, and 'gpuyard plot' draws them", path);
    run_directories_free(kept, n);
    free(runs);
    return set;
}

static int report_run(const struct invocation *in)
{
    const struct report_options *o = in->options;
    struct runset **set = mem_new(in->operands.n, sizeof *set);
    const struct run_record **run = NULL;
    struct page page = { 0 };
    struct error err = { "" };
    size_t n = 0, capacity = 0;
    int status = EXIT_OK;
    for (size_t i = 0; i < in->operands.n && status == EXIT_OK; i++) {
        set[i] = read_set(in->operands.text[i], &err);
        status = set[i] ? EXIT_OK : EXIT_INPUT;
        for (size_t k = 0; set[i] && k < set[i]->n; k++) {
            mem_grow(&run, &capacity, n, sizeof *run);
            results_hold(set[i]->run[k].path);
            run[n++] = &set[i]->run[k];
        }
    }
    if (status == EXIT_OK) {
        make_groups(&page, run, n);
        label_groups(&page);
        status = read_views(&page, &err) ? EXIT_INPUT : write_page(&page, o->output, &err) ? EXIT_FAILED : EXIT_OK;
    }
    page_free(&page);
    for (size_t i = 0; i < in->operands.n; i++)
        runset_free(set[i]);
    free(set);
    free(run);
    return status == EXIT_OK ? EXIT_OK : complain(status, "%s", err.text);
}

const struct command cmd_report = {
    .name = "report",
    .summary = "one HTML page about one or more runs: tables, interactive figures, configuration, warnings",
    .details = "DIR is the directory of a run, one of such directories, or a sweep that kept its runs. Runs side by side that differ in nothing but the seed stand in "
               "one column, as means with confidence intervals. The page needs no network and no file beside it.",
    .set = { .name = "report", .options = options, .operands = "DIR...", .min_operands = 1, .max_operands = SIZE_MAX },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = report_run,
};
