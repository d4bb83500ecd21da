/* gavel_row.c - see gavel_row.h. */
#include "traces/formats/gavel_row.h"

#include <math.h>
#include <string.h>

#define SLO_MOST INT64_C(1000000)

const char *const gavel_names[] = { "model", "total_steps", "scale_factor", "SLO?", "duration?", "arrival_time", NULL };

const char *const gavel_layout_7[] = { "model",       "command",      "num_steps_arg", "needs_data_dir",
                                       "total_steps", "arrival_time", "scale_factor",  NULL };
const char *const gavel_layout_10[] = { "model",       "command",      "working_directory", "num_steps_arg",
                                        "needs_data",  "total_steps",  "scale_factor",      "priority_weight",
                                        "SLO",         "arrival_time", NULL };
const char *const gavel_layout_12[] = { "model",        "command",         "working_directory", "num_steps_arg", "needs_data",
                                        "total_steps",  "scale_factor",    "mode",              "priority_weight", "SLO",
                                        "duration",     "arrival_time",    NULL };

static bool holds_number(const char *name)
{
    for (size_t i = GAVEL_STEPS; gavel_names[i]; i++)
        if (strcspn(gavel_names[i], "?") == strlen(name) && strncmp(gavel_names[i], name, strlen(name)) == 0)
            return true;
    return false;
}

bool gavel_row_like(const char *const *layout, const char *head, size_t length)
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

void take_gavel_row(const struct columns *c, struct job_row *job)
{
    if (cell_required(c->row, c->at[GAVEL_MODEL], c->err) == 0)
        take_text(c, GAVEL_MODEL, &job->model, &job->model_length);
    take_gpus(c, GAVEL_GPUS, job);
    take_time(c, GAVEL_ARRIVAL, &job->submit_ns);
    if (!c->err->text[0] && (job->gpus == 0 || job->gpu_milli < MILLI_ALL))
        (void)cell_error(c->row, c->at[GAVEL_GPUS], "a whole number of at least 1", c->err);
}

void take_gavel_slo(const struct columns *c, struct job_row *job)
{
    int64_t micro = -1;
    if (!has_value(c, GAVEL_SLO) || c->err->text[0])
        return;
    if (cell_decimal(c->row, c->at[GAVEL_SLO], 1000000, -1000000, SLO_MOST * 1000000, &micro, c->err) != 0 || micro < 0)
        return;
    job->deadline_ns = ns_of_seconds(seconds(job->submit_ns) + (double)micro / 1e6 * seconds(job->duration_ns));
    if (job->deadline_ns == TIME_NEVER)
        (void)cell_error(c->row, c->at[GAVEL_SLO], "a deadline within 100 years", c->err);
}
