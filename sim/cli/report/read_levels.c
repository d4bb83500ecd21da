/* read_levels.c - timeseries.csv and queues.csv: levels of the cluster and of each queue. */
#include "sim/cli/report/run_view.h"
#include "sim/cli/frame/result_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct levels { struct run_view *view; const struct steps *steps; };

static const char *const totals[] = { "time_s", "gpus_total", "gpus_up", "gpus_allocated", "gpus_busy", "jobs_waiting", "gpus_waiting",
                                      "?power_w", "?sessions_active", "?sessions_idle", "?sessions_starting", "?sessions_queued",
                                      "?sessions_released", NULL };
static const char *const queues[] = { "time_s", "queue", "gpus_allocated", "gpus_deserved", "gpus_demand", "gpus_fair_share", NULL };

static int on_series(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct levels *l = self;
    double at_s, value;
    if (result_number(row, column[0], &at_s, err))
        return -1;
    for (size_t i = 0; i < CLUSTER_LEVELS; i++) {
        if (result_number(row, column[1 + i], &value, err))
            return -1;
        if (!isnan(value))
            series_set(&l->view->level[i], l->steps, at_s - l->view->start_s, value);
    }
    return 0;
}

static int on_queue(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct levels *l = self;
    struct queue_view *q = queue_of(l->view, row->cell[column[1]].text, row->cell[column[1]].length);
    double at_s, value;
    if (result_number(row, column[0], &at_s, err))
        return -1;
    for (size_t i = 0; i < QUEUE_LEVELS; i++) {
        struct series *level = &q->level[i];
        if (result_number(row, column[2 + i], &value, err))
            return -1;
        if (i == QUEUE_HELD)
            q->held_gpu_s += level->value * fmax(0, at_s - l->view->start_s - level->at_s);
        if (!isnan(value))
            series_set(level, l->steps, at_s - l->view->start_s, value);
    }
    return 0;
}

int read_levels(struct run_view *v, const struct steps *steps, struct error *err)
{
    static const struct result_file of_series = { "timeseries.csv", totals, on_series, NULL }, of_queues = { "queues.csv", queues, on_queue, NULL };
    struct levels levels = { v, steps };
    double end_s = v->end_s - v->start_s;
    if (!(end_s > 0))
        return 0;
    if (result_file_read(v->path, &of_series, &levels, err) < 0)
        return -1;
    int result = result_file_read(v->path, &of_queues, &levels, err);
    v->no_queues = result == 1;
    for (size_t i = 0; i < CLUSTER_LEVELS; i++)
        series_end(&v->level[i], steps, end_s);
    for (uint32_t k = 0; k < intern_count(v->queue_names); k++) {
        struct series *held = &v->queue[k].level[QUEUE_HELD];
        v->queue[k].held_gpu_s += held->value * fmax(0, end_s - held->at_s);
        for (size_t i = 0; i < QUEUE_LEVELS; i++)
            series_end(&v->queue[k].level[i], steps, end_s);
    }
    return result < 0 ? -1 : 0;
}
