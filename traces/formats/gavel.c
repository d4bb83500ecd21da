/* gavel.c - traces of Gavel (stanford-futuredata/gavel, OSDI'20): ten columns, or the seven of its Philly jobs (msr).
 *
 * They tell steps, not times: the duration is total_steps / throughput of the model on scale_factor GPUs of the reference
 * type, from a table of Gavel's (throughputs.h). A pair that the table does not have, or has with 0, is an error.
 *
 * With scale=1 every job has the throughput of one GPU, whatever its scale_factor. That is how the seven-column files
 * were made: total_steps = duration in Philly x throughput on one V100 of an earlier table, so times come out about 6%
 * longer than Philly's, while tables lack up to a third of their pairs (A3C and CycleGAN above one GPU, any above 8). */
#include "sim/models/training/throughputs.h"
#include "traces/formats/gavel_row.h"

#include <string.h>

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
    bool of_one; /* scale=1 */
    const char *gpu_name, *table_name;
};

#define STEPS_MAX INT64_C(1000000000000000)

static void gavel_job(const struct columns *c, struct job_row *job)
{
    const struct gavel *g = c->self;
    int64_t steps = 0;
    take_gavel_row(c, job);
    if (cell_required(c->row, c->at[GAVEL_STEPS], c->err) != 0 ||
        cell_decimal(c->row, c->at[GAVEL_STEPS], 1, 0, STEPS_MAX, &steps, c->err) != 0 || c->err->text[0])
        return;
    uint32_t n_gpus = g->of_one ? 1 : job->gpus;
    double rate = throughputs_alone(g->rates, g->gpu, job->model, n_gpus);
    if (rate > 0)
        job->duration_ns = ns_of_seconds((double)steps / rate);
    else
        error_set(c->err, "%s:%zu: %s has no throughput of '%.60s' on %u x %s: want another gpu or table%s",
                  c->row->file, c->row->line, g->table_name, job->model, n_gpus, g->gpu_name,
                  g->of_one ? "" : ", or scale=1");
    take_gavel_slo(c, job);
}

static int gavel_recognise(const char *head, size_t length)
{
    return gavel_row_like(gavel_layout_7, head, length) || gavel_row_like(gavel_layout_10, head, length) ? 2 : 0;
}

static int gavel_read_with(struct input *in, const char *const *value, struct workload *w, struct error *err)
{
    static const char *const *const layouts[] = { gavel_layout_7, gavel_layout_10, NULL };
    static const struct bare_table table = { gavel_names, layouts, { .tabs = true }, gavel_job };
    struct gavel g = { .gpu_name = value[GPU] ? value[GPU] : "v100", .table_name = value[TABLE] };
    if (!value[TABLE])
        return error_set(err, "%s: a gavel trace has no durations: want FILE:gavel:table=THROUGHPUTS.json[,gpu=v100]",
                         input_name(in));
    if (value[SCALE] && strcmp(value[SCALE], "own") != 0 && strcmp(value[SCALE], "1") != 0)
        return error_set(err, "%s: gavel: scale: want own or 1, got '%.60s'", input_name(in), value[SCALE]);
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

static int gavel_read(struct input *in, struct workload *w, struct error *err)
{
    static const char *const nothing[TRACE_OPTIONS_MAX] = { NULL };
    return gavel_read_with(in, nothing, w, err);
}

const struct trace_format gavel_format = {
    .name = "gavel",
    .summary = "Gavel simulator: model,command,...,total_steps,scale_factor,...,arrival, separated by tabs",
    .recognise = gavel_recognise,
    .read = gavel_read,
    .options = options,
    .read_with = gavel_read_with,
};
