/* run_view.c - see run_view.h. */
#include "sim/cli/report/run_view.h"
#include "sim/cli/frame/result_file.h"

#include "sim/io/json_file.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LONG = 4096 };

struct queue_view *queue_of(struct run_view *v, const char *name, size_t length)
{
    uint32_t known = intern_count(v->queue_names), number = intern_add(v->queue_names, name, length);
    if (number == known) {
        mem_grow(&v->queue, &v->queue_capacity, number, sizeof *v->queue);
        v->queue[number] = (struct queue_view){ 0 };
    }
    return &v->queue[number];
}

static int on_time(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct run_view *v = self;
    double at_s;
    if (result_number(row, column[0], &at_s, err))
        return -1;
    if (isnan(v->start_s))
        v->start_s = at_s;
    v->end_s = at_s;
    return 0;
}

int run_view_open(struct run_view *v, const struct run_record *record, struct error *err)
{
    static const char *const wanted[] = { "time_s", NULL };
    static const struct result_file file = { "timeseries.csv", wanted, on_time, NULL };
    char path[PATH_LONG];
    *v = (struct run_view){ .path = record->path, .record = record, .start_s = (double)NAN, .queue_names = intern_new() };
    snprintf(path, sizeof path, "%s/manifest.json", v->path);
    v->manifest = json_file_read(path, err);
    if (!v->manifest || result_file_read(v->path, &file, v, err) < 0)
        return -1;
    if (isnan(v->start_s))
        v->start_s = v->end_s = 0;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int run_view_read(struct run_view *v, const struct steps *steps, struct error *err)
{
    if (read_levels(v, steps, err) || read_jobs(v, err) || read_nodes(v, err) || read_services(v, steps, err))
        return -1;
    for (size_t d = 0; d < DISTRIBUTIONS; d++)
        if (v->sorted[d].n)
            qsort(v->sorted[d].value, v->sorted[d].n, sizeof *v->sorted[d].value, ascending);
    return 0;
}

void run_view_free(struct run_view *v)
{
    json_decref(v->manifest);
    for (size_t i = 0; i < CLUSTER_LEVELS; i++)
        series_free(&v->level[i]);
    for (uint32_t k = 0; v->queue_names && k < intern_count(v->queue_names); k++)
        for (size_t i = 0; i < QUEUE_LEVELS; i++)
            series_free(&v->queue[k].level[i]);
    for (uint32_t k = 0; v->service_names && k < intern_count(v->service_names); k++)
        for (size_t i = 0; i < SERVICE_LEVELS; i++)
            series_free(&v->service[k].level[i]);
    for (size_t d = 0; d < DISTRIBUTIONS; d++)
        free(v->sorted[d].value);
    for (size_t i = 0; i < v->reasons; i++)
        free(v->reason[i]);
    for (size_t i = 0; i < v->accounts; i++)
        free(v->account[i].name);
    for (size_t i = 0; i < v->heat_rows; i++)
        free(v->heat[i].name);
    free(v->heat);
    free(v->queue);
    intern_free(v->queue_names);
    intern_free(v->node_names);
    intern_free(v->service_names);
    free(v->service);
}
