/* gavel.c - traces of Gavel (stanford-futuredata/gavel, OSDI'20) and of Shockwave
 * (uw-mad-dash/shockwave, NSDI'23): one job a line, cells separated by tabs, no header.
 *
 * Three layouts: Gavel's ten columns, the seven of its Philly jobs (msr), and Shockwave's twelve,
 * which are the ten with a scaling mode and a duration. The command, its directory and argument,
 * and whether it needs data describe how to start the job and are not read; nor is the priority, a
 * weight for fairness. The model has the name of throughput tables. SLO is the deadline, counted
 * from the arrival in durations (scheduler.py: SLO x duration + arrival); -1: none.
 *
 * Gavel has steps, not times: the duration is total_steps / throughput of the model on scale_factor
 * GPUs of the reference type, from a throughput table of Gavel (throughputs.h). A pair that the
 * table lacks, or has with 0, is an error. With scale=1 every job has the throughput of one GPU,
 * whatever its scale_factor: the seven-column files were made so, with total_steps = duration in
 * Philly x throughput on one V100 of an earlier table. Times are then about 6% longer than those of
 * Philly; tables lack up to a third of the pairs (A3C and CycleGAN above one GPU, all models above
 * 8).
 *
 * Shockwave has durations: the steps were drawn from them, steps = duration x throughput on V100s
 * (scheduler/utils.py, generate_job). In the modes accordion and gns a job changes its batch size
 * as it trains and ends earlier: the mode is not read. */
#include "sim/models/training/throughputs.h"
#include "traces/formats/columns.h"

#include <math.h>
#include <string.h>

/* ---- a row ---- */

enum { GAVEL_MODEL, GAVEL_STEPS, GAVEL_GPUS, GAVEL_SLO, GAVEL_DURATION, GAVEL_ARRIVAL };
#define SLO_MOST INT64_C(1000000)

static const char *const names[] = {
    "model", "total_steps", "scale_factor", "SLO?", "duration?", "arrival_time", NULL
};

static const char *const layout_7[] = {
    "model", "command", "num_steps_arg", "needs_data_dir", "total_steps", "arrival_time",
    "scale_factor", NULL
};
static const char *const layout_10[] = {
    "model",       "command",      "working_directory", "num_steps_arg", "needs_data",
    "total_steps", "scale_factor", "priority_weight",   "SLO",           "arrival_time",
    NULL
};
static const char *const layout_12[] = {
    "model", "command", "working_directory", "num_steps_arg", "needs_data", "total_steps",
    "scale_factor", "mode", "priority_weight", "SLO", "duration", "arrival_time", NULL
};

static bool holds_number(const char *name)
{
    for (size_t i = GAVEL_STEPS; names[i]; i++)
        if (strcspn(names[i], "?") == strlen(name) && strncmp(names[i], name, strlen(name)) == 0)
            return true;
    return false;
}

/* Whether the first line has that layout: as many cells, and numbers where it has numbers. */
static bool is_like(const char *const *layout, const char *head, size_t length)
{
    const char *newline = memchr(head, '\n', length), *end = newline ? newline : head + length;
    if (end > head && end[-1] == '\r')
        end--;
    for (size_t i = 0; layout[i]; i++) {
        const char *tab = memchr(head, '\t', (size_t)(end - head));
        int64_t value;
        if (!tab && layout[i + 1])
            return false;
        tab = tab ? tab : end;
        if (holds_number(layout[i]) && !decimal_parse(head, (size_t)(tab - head), 1, &value))
            return false;
        if (!layout[i + 1])
            return tab == end;
        head = tab + 1;
    }
    return false;
}

/* All but the duration. */
static void take_row(const struct columns *c, struct job_row *job)
{
    if (cell_required(c->row, c->at[GAVEL_MODEL], c->err) == 0)
        take_text(c, GAVEL_MODEL, &job->model, &job->model_length);
    take_gpus(c, GAVEL_GPUS, job);
    take_time(c, GAVEL_ARRIVAL, &job->submit_ns);
    if (!c->err->text[0] && (job->gpus == 0 || job->gpu_milli < MILLI_ALL))
        (void)cell_error(c->row, c->at[GAVEL_GPUS], "a whole number of at least 1", c->err);
}

/* The duration is known. */
static void take_slo(const struct columns *c, struct job_row *job)
{
    int64_t micro = -1;
    if (!has_value(c, GAVEL_SLO) || c->err->text[0])
        return;
    if (cell_decimal(c->row, c->at[GAVEL_SLO], 1000000, -1000000, SLO_MOST * 1000000, &micro,
                     c->err) != 0 ||
        micro < 0)
        return;
    job->deadline_ns =
        ns_of_seconds(seconds(job->submit_ns) + (double)micro / 1e6 * seconds(job->duration_ns));
    if (job->deadline_ns == TIME_NEVER)
        (void)cell_error(c->row, c->at[GAVEL_SLO], "a deadline within 100 years", c->err);
}

/* ---- Gavel: steps ---- */

enum { TABLE, GPU, SCALE };
static const struct trace_option options[] = {
    { "table", "throughputs, a JSON file of Gavel's; needed" },
    { "gpu", "type in the table that the durations are for, v100 by default" },
    { "scale", "own, the default: throughput at a job's number of GPUs; 1: at one GPU" },
    { NULL, NULL },
};

struct gavel {
    const struct throughputs *rates;
    uint32_t gpu;
    bool of_one;                  /* scale=1 */
    const char *gpu_name, *table_name;
};

#define STEPS_MAX INT64_C(1000000000000000)

static void gavel_job(const struct columns *c, struct job_row *job)
{
    const struct gavel *g = c->self;
    int64_t steps = 0;
    take_row(c, job);
    if (cell_required(c->row, c->at[GAVEL_STEPS], c->err) != 0 ||
        cell_decimal(c->row, c->at[GAVEL_STEPS], 1, 0, STEPS_MAX, &steps, c->err) != 0 ||
        c->err->text[0])
        return;
    uint32_t n_gpus = g->of_one ? 1 : job->gpus;
    double rate = throughputs_alone(g->rates, g->gpu, job->model, n_gpus);
    if (rate > 0)
        job->duration_ns = ns_of_seconds((double)steps / rate);
    else
        error_set(c->err,
                  "%s:%zu: %s has no throughput of '%.60s' on %u x %s: want another gpu or table%s",
                  c->row->file, c->row->line, g->table_name, job->model, n_gpus, g->gpu_name,
                  g->of_one ? "" : ", or scale=1");
    take_slo(c, job);
}

static int gavel_recognise(const char *head, size_t length)
{
    return is_like(layout_7, head, length) || is_like(layout_10, head, length) ? 2 : 0;
}

static int gavel_read(struct input *in, const char *const *value, struct workload *w,
                      struct error *err)
{
    static const char *const *const layouts[] = { layout_7, layout_10, NULL };
    static const struct bare_table table = { names, layouts, { .separator = '\t' }, gavel_job };
    struct gavel g = { .gpu_name = value[GPU] ? value[GPU] : "v100", .table_name = value[TABLE] };
    if (!value[TABLE])
        return error_set(
            err,
            "%s: a gavel trace has no durations: want FILE:gavel:table=THROUGHPUTS.json[,gpu=v100]",
            input_name(in));
    if (value[SCALE] && strcmp(value[SCALE], "own") != 0 && strcmp(value[SCALE], "1") != 0)
        return error_set(err, "%s: gavel: scale: want own or 1, got '%.60s'", input_name(in),
                         value[SCALE]);
    g.of_one = value[SCALE] && *value[SCALE] == '1';
    struct throughputs *rates = throughputs_read(value[TABLE], err);
    if (!rates)
        return -1;
    g.rates = rates;
    int result = throughputs_gpu(rates, g.gpu_name, &g.gpu, err);
    if (result == 0)
        result = columns_read_bare(&table, &g, in, w, err);
    throughputs_free(rates);
    return result;
}

const struct trace_format gavel_format = {
    .name = "gavel",
    .summary = "Gavel simulator: model,command,...,total_steps,scale_factor,...,arrival, separated "
               "by tabs",
    .recognise = gavel_recognise,
    .read = gavel_read,
    .options = options,
};

/* ---- Shockwave: durations ---- */

static void shockwave_job(const struct columns *c, struct job_row *job)
{
    take_row(c, job);
    take_time(c, GAVEL_DURATION, &job->duration_ns);
    take_slo(c, job);
}

static int shockwave_recognise(const char *head, size_t length)
{
    return is_like(layout_12, head, length) ? 2 : 0;
}

static int shockwave_read(struct input *in, const char *const *value, struct workload *w,
                          struct error *err)
{
    (void)value;
    static const char *const *const layouts[] = { layout_12, NULL };
    static const struct bare_table table = { names, layouts, { .separator = '\t' }, shockwave_job };
    return columns_read_bare(&table, NULL, in, w, err);
}

const struct trace_format shockwave_format = {
    .name = "shockwave",
    .summary = "Shockwave simulator: Gavel's columns with mode and duration, separated by tabs",
    .recognise = shockwave_recognise,
    .read = shockwave_read,
};
