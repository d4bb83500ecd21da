/* cmd_report.c - gpuyard report: one self-contained HTML page about one or more runs. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/out_path.h"
#include "sim/cli/report/page.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

struct report_options { const char *output; };
static const struct report_options defaults = { .output = NULL };
static const struct option options[] = {
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, .at = offsetof(struct report_options, output),
      .values = VALUES_FILE, .required = true, .help = "the page, FILE.html; - is standard output" },
    { 0 },
};

/* ---- The page ---- */

static int read_views(struct page *p, struct error *err)
{
    p->view = mem_new(VIEWS_MAX, sizeof *p->view);
    for (size_t i = 0; i < p->n_groups && p->n_views < VIEWS_MAX; i++) {
        const struct page_group *g = &p->group[i];
        if (!g->directory)
            continue;
        struct run_view *v = &p->view[p->n_views++];
        if (run_view_open(v, g->run[0], g->directory, err))
            return -1;
        v->label = g->label;
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

static int report_run(const struct invocation *in)
{
    const struct report_options *o = in->options;
    struct report_columns columns = { 0 };
    struct error err = { "" };
    int status = EXIT_INPUT;
    if (report_columns_read(&columns, in->operands.text, in->operands.n, &err) == 0) {
        struct page page = { .columns = &columns, .n_runs = columns.n_runs, .n_groups = columns.n,
                             .group = columns.group,
                             .sweep = columns.parameter ? in->operands.text[0] : NULL };
        status = read_views(&page, &err)             ? EXIT_INPUT
                 : write_page(&page, o->output, &err) ? EXIT_FAILED
                                                      : EXIT_OK;
        for (size_t i = 0; i < page.n_views; i++)
            run_view_free(&page.view[i]);
        free(page.view);
    }
    report_columns_free(&columns);
    return status == EXIT_OK ? EXIT_OK : complain(status, "%s", err.text);
}

const struct command cmd_report = {
    .name = "report",
    .summary = "one HTML page about one or more runs: tables, interactive figures, configuration, warnings",
    .details = "DIR is the directory of a run, one of such directories, or a sweep. Runs that differ in "
               "nothing but the seed stand in one column, as means with confidence intervals. The page of a "
               "sweep shows its metrics over its parameters, and the runs that it has kept. The page needs "
               "no network and no file beside it.",
    .set = { .name = "report", .options = options, .operands = "DIR...", .min_operands = 1, .max_operands = SIZE_MAX },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = report_run,
};
