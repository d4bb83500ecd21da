/* native_work.c - columns of a native trace: what a job works on, what it waits for, where it runs already, and what a stop
 * of it costs. */
#include "sim/base/memory.h"
#include "traces/native/native.h"
#include "traces/native/native_columns.h"
#include "traces/native/running_on.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_model(const struct native_row *j)
{
    return j->facts->model != ID_NONE;
}
static void put_model(struct output *o, const struct native_row *j)
{
    out_csv(o, intern_text(j->w->models, j->facts->model));
}
static bool has_data(const struct native_row *j)
{
    return j->truth->data_mib != 0;
}
static void put_data(struct output *o, const struct native_row *j)
{
    native_put_gib(o, j->truth->data_mib);
}
static bool has_depends(const struct native_row *j)
{
    const uint32_t *first = j->w->depends_first;
    job_id id = (job_id)(j->facts - j->w->facts);
    return first && first[id] < first[id + 1];
}
/* Quoted as one cell: a name may need it. */
static void put_depends(struct output *o, const struct native_row *j)
{
    const struct workload *w = j->w;
    job_id id = (job_id)(j->facts - w->facts);
    size_t length = 1;
    for (uint32_t i = w->depends_first[id]; i < w->depends_first[id + 1]; i++)
        length += strlen(w->truth[w->depends_on[i]].name) + 1;
    char *text = mem_new(length, 1), *at = text;
    for (uint32_t i = w->depends_first[id]; i < w->depends_first[id + 1]; i++)
        at += sprintf(at, "%s%s", at == text ? "" : ";", w->truth[w->depends_on[i]].name);
    out_csv(o, text);
    free(text);
}

static const struct job_running *running(const struct native_row *j)
{
    return j->truth->running ? &j->w->running[j->truth->running - 1] : NULL;
}
static bool runs(const struct native_row *j)
{
    return running(j);
}
static void put_running_on(struct output *o, const struct native_row *j)
{
    running_on_write(o, running(j));
}
static bool has_started(const struct native_row *j)
{
    return running(j) && running(j)->ran_ns >= 0;
}
static void put_started(struct output *o, const struct native_row *j)
{
    out_seconds(o, j->facts->submit_ns - running(j)->ran_ns);
}
static bool is_leaving(const struct native_row *j)
{
    return running(j) && running(j)->leaving_ns >= 0;
}
static void put_leaving(struct output *o, const struct native_row *j)
{
    out_seconds(o, running(j)->leaving_ns);
}

static const struct own_overhead no_price = OWN_OVERHEAD_NONE;
static struct own_overhead overhead(const struct native_row *j)
{
    return j->truth->overhead ? workload_overhead(j->w, j->truth->overhead) : no_price;
}
static bool has_checkpoint(const struct native_row *j)
{
    return overhead(j).checkpoint >= 0;
}
static void put_checkpoint(struct output *o, const struct native_row *j)
{
    out_text(o, native_checkpoints[overhead(j).checkpoint]);
}
#define PRICE_COLUMN(field)                                                                                            \
    static bool has_##field(const struct native_row *j)                                                                       \
    {                                                                                                                  \
        return overhead(j).field##_ns >= 0;                                                                               \
    }                                                                                                                  \
    static void put_##field(struct output *o, const struct native_row *j)                                                     \
    {                                                                                                                  \
        out_seconds(o, overhead(j).field##_ns);                                                                           \
    }
PRICE_COLUMN(interval)
PRICE_COLUMN(save)
PRICE_COLUMN(grace)
PRICE_COLUMN(restart)
static bool has_checkpoint_size(const struct native_row *j)
{
    return overhead(j).checkpoint_mib >= 0;
}
static void put_checkpoint_size(struct output *o, const struct native_row *j)
{
    native_put_gib(o, overhead(j).checkpoint_mib);
}

static struct own_input input(const struct native_row *j)
{
    return workload_input(j->w, (job_id)(j->facts - j->w->facts));
}
static bool has_data_set(const struct native_row *j)
{
    return input(j).data_set != ID_NONE;
}
static void put_data_set(struct output *o, const struct native_row *j)
{
    out_csv(o, workload_data_set(j->w, input(j).data_set));
}
static bool has_epochs(const struct native_row *j)
{
    return input(j).epochs != 0;
}
static void put_epochs(struct output *o, const struct native_row *j)
{
    out_integer(o, input(j).epochs);
}
static bool has_image(const struct native_row *j)
{
    return input(j).image != ID_NONE;
}
static void put_image(struct output *o, const struct native_row *j)
{
    out_csv(o, workload_image(j->w, input(j).image));
}

const struct native_column native_work[NATIVE_LIST_MOST] = {
    { "model", has_model, put_model },          { "data_gib", has_data, put_data },
    { "depends_on", has_depends, put_depends }, { "running_on", runs, put_running_on },
    { "started_s", has_started, put_started },  { "leaving_s", is_leaving, put_leaving },
    { "checkpoint", has_checkpoint, put_checkpoint },
    { "interval_s", has_interval, put_interval }, { "save_s", has_save, put_save },
    { "grace_s", has_grace, put_grace },        { "restart_s", has_restart, put_restart },
    { "checkpoint_gib", has_checkpoint_size, put_checkpoint_size },
    { "data_set", has_data_set, put_data_set }, { "epochs", has_epochs, put_epochs },
    { "image", has_image, put_image },
};
