/* cmd_report.c - gpuyard report: one self-contained HTML page about one or more runs. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/out_path.h"
#include "sim/cli/plot/window.h"
#include "sim/cli/report/page.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report_options { const char *output, *gantt; };
static const struct report_options defaults = { .output = NULL };
static const struct option options[] = {
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, .at = offsetof(struct report_options, output),
      .values = VALUES_FILE, .required = true, .help = "the page, FILE.html; - is standard output" },
    { .name = "gantt", .argument = "TIME", .kind = OPTION_TEXT, .at = offsetof(struct report_options, gantt),
      .help = "the figure of jobs and GPUs begins then: a time of the run in seconds, or like 90min, 12h, 2d; a date "
              "where all runs have the same dates. By default with the hour in which most GPUs were waited for" },
    { 0 },
};

/* ---- The page ---- */

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Queues or services of a run, as its summary has them. */
static size_t scopes_of(const struct run_view *v, const char *kind, const char *metric)
{
    size_t n = 0;
    for (size_t i = 0; i < v->record->n; i++)
        n += !strncmp(v->record->metric[i].scope, kind, strlen(kind)) &&
             !strcmp(v->record->metric[i].metric, metric);
    return n;
}

/* The numbers of a step that figures show of a run: fewer than are read. */
static size_t levels_shown(const struct run_view *v, size_t queues, size_t services)
{
    enum { LINES = 3, WAITING = 2, RATES = 3, QUOTA = QUEUE_LEVELS + 1 };
    return min_size(queues, BANDS_MAX + 1) + LINES + WAITING + RATES +
           (run_metric_find(v->record, "sessions", "all") ? LEVELS_OF_SESSIONS : 0) +
           (record_has_quotas(v->record) ? QUOTA * min_size(queues, QUEUES_SHOWN) : 0) +
           SERVICE_LEVELS * min_size(services, SERVICES_SHOWN);
}

/* See page.h. */
static size_t steps_of(const struct page *p)
{
    size_t shown = 1, read = 1;
    for (size_t i = 0; i < p->n_views; i++) {
        size_t queues = scopes_of(&p->view[i], "queue=", "jobs_submitted"),
               services = scopes_of(&p->view[i], "service=", "requests_arrived");
        shown += levels_shown(&p->view[i], queues, services);
        read += CLUSTER_LEVELS + QUEUE_LEVELS * queues + SERVICE_LEVELS * services;
    }
    double want = fmax(STEPS_WANTED, ceil(p->steps.length_s / FINE_S));
    size_t most = min_size(PAGE_NUMBERS / shown, MEMORY_NUMBERS / read);
    return most < STEPS_LEAST ? STEPS_LEAST : (size_t)fmin((double)most, want);
}

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
    p->steps.n = steps_of(p);
    for (size_t i = 0; i < p->n_views; i++)
        if (run_view_read(&p->view[i], &p->steps, err))
            return -1;
    page_trust_read(p);
    return 0;
}

static int take_gantt(struct page *p, const char *text, struct error *err)
{
    struct window w = { 0 };
    char *directory[VIEWS_MAX];
    for (size_t i = 0; i < p->n_views; i++)
        directory[i] = mem_text(p->view[i].path, strlen(p->view[i].path));
    window_dates(&w, directory, p->n_views);
    for (size_t i = 0; i < p->n_views; i++)
        free(directory[i]);
    p->gantt_from = text != NULL;
    return text ? window_time(&w, "report: --gantt", text, &p->gantt_from_s, err) : 0;
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
                 : take_gantt(&page, o->gantt, &err) ? EXIT_USAGE
                 : write_page(&page, o->output, &err) ? EXIT_FAILED
                                                      : EXIT_OK;
        for (size_t i = 0; i < page.n_views; i++)
            run_view_free(&page.view[i]);
        page_trust_free(&page);
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
