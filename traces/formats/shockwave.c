/* shockwave.c - traces of Shockwave (uw-mad-dash/shockwave, NSDI'23): twelve columns, Gavel's ten with a scaling mode and a
 * duration.
 *
 * The duration is what the steps were drawn from, steps = duration x throughput on V100s (scheduler/utils.py,
 * generate_job). In the modes accordion and gns a job changes its batch size as it trains, and would then end earlier:
 * the mode is not read. */
#include "traces/formats/gavel_row.h"

static void shockwave_job(const struct columns *c, struct job_row *job)
{
    take_gavel_row(c, job);
    take_time(c, GAVEL_DURATION, &job->duration_ns);
    take_gavel_slo(c, job);
}

static int shockwave_recognise(const char *head, size_t length)
{
    return gavel_row_like(gavel_layout_12, head, length) ? 2 : 0;
}

static int shockwave_read(struct input *in, struct workload *w, struct error *err)
{
    static const char *const *const layouts[] = { gavel_layout_12, NULL };
    static const struct bare_table table = { gavel_names, layouts, { .tabs = true }, shockwave_job };
    return columns_read_bare(&table, NULL, in, w, err);
}

const struct trace_format shockwave_format = {
    .name = "shockwave",
    .summary = "Shockwave simulator: Gavel's columns with mode and duration, separated by tabs",
    .recognise = shockwave_recognise,
    .read = shockwave_read,
};
