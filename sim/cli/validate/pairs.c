/* pairs.c - see pairs.h. */
#include "sim/cli/validate/pairs.h"
#include "sim/base/memory.h"
#include "sim/cli/frame/result_file.h"
#include "sim/study/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_S 3600.0

/* ---- Jobs ---- */

struct started { double submit_s, wait_s; uint32_t gpus, queue; bool paired; };
struct reading {
    struct pairs *pairs;
    struct intern *names;         /* of the recorded run */
    struct started *job;          /* [n], NaN: it never started */
    size_t n, capacity;
};
static const char *const job_columns[] = { "job_id", "queue", "gpus", "submit_s", "first_wait_s",
                                           NULL };
enum { JOB_ID, QUEUE, GPUS, SUBMIT, WAIT };

static int on_recorded(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    double gpus;
    struct started job = { .paired = false };
    if (result_number(row, at[GPUS], &gpus, err) || result_number(row, at[SUBMIT], &job.submit_s, err) ||
        result_number(row, at[WAIT], &job.wait_s, err))
        return -1;
    const struct cell *name = &row->cell[at[JOB_ID]], *queue = &row->cell[at[QUEUE]];
    job.gpus = (uint32_t)gpus;
    job.queue = intern_add(r->pairs->queues, queue->text, queue->length);
    if (intern_add(r->names, name->text, name->length) != r->n)
        return error_set(err, "%s:%zu: job_id: '%.100s' is there twice", row->file, row->line,
                         name->text);
    mem_grow(&r->job, &r->capacity, r->n, sizeof *r->job);
    r->job[r->n++] = job;
    return 0;
}

static void add_pair(struct pairs *p, const struct started *was, double is_s)
{
    mem_grow(&p->wait, &p->capacity, p->n, sizeof *p->wait);
    mem_grow(&p->facts, &p->facts_capacity, p->n, sizeof *p->facts);
    p->facts[p->n] = (struct pair_facts){ was->gpus, was->queue };
    p->wait[p->n++] = (struct wait_pair){ was->submit_s, was->wait_s, is_s };
}

static int on_simulated(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    double wait_s;
    if (result_number(row, at[WAIT], &wait_s, err))
        return -1;
    const struct cell *name = &row->cell[at[JOB_ID]];
    uint32_t i = isnan(wait_s) ? INTERN_NONE : intern_find(r->names, name->text, name->length);
    if (i == INTERN_NONE || isnan(r->job[i].wait_s)) {
        r->pairs->only_simulated += isnan(wait_s) ? 0 : 1;
        return 0;
    }
    r->job[i].paired = true;
    add_pair(r->pairs, &r->job[i], wait_s);
    return 0;
}

static int read_jobs(struct pairs *p, const char *recorded, const char *simulated,
                     struct error *err)
{
    struct reading r = { .pairs = p, .names = intern_new() };
    const struct result_file was = { "jobs.csv", job_columns, on_recorded, NULL },
                             is = { "jobs.csv", job_columns, on_simulated, NULL };
    int result = result_file_read_or_fail(recorded, &was, &r, err) ||
                         result_file_read_or_fail(simulated, &is, &r, err)
                     ? -1
                     : 0;
    for (size_t i = 0; i < r.n; i++)
        p->only_recorded += !r.job[i].paired && !isnan(r.job[i].wait_s);
    intern_free(r.names);
    free(r.job);
    return result;
}

/* ---- Utilisation ---- */

struct levels { struct series part; struct steps steps; double end_s; };
static const char *const level_columns[] = { "time_s", "gpus_total", "gpus_allocated", NULL };

static int on_level(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct levels *l = self;
    double time_s, total, held;
    if (result_number(row, at[0], &time_s, err) || result_number(row, at[1], &total, err) ||
        result_number(row, at[2], &held, err))
        return -1;
    series_set(&l->part, &l->steps, time_s, total > 0 ? held / total : 0);
    l->end_s = time_s;
    return 0;
}

static int on_end(void *self, const struct row *row, const size_t *at, struct error *err)
{
    return result_number(row, at[0], &((struct levels *)self)->end_s, err);
}

static int read_levels(struct pairs *p, const char *recorded, const char *simulated,
                       struct error *err)
{
    const char *const directory[] = { recorded, simulated };
    struct levels level[2] = { { .end_s = 0 }, { .end_s = 0 } };
    static const char *const times[] = { "time_s", NULL };
    const struct result_file ends = { "timeseries.csv", times, on_end, NULL },
                             levels = { "timeseries.csv", level_columns, on_level, NULL };
    double end_s = INFINITY;
    int result = 0;
    for (unsigned i = 0; i < 2 && result == 0; i++) {
        result = result_file_read_or_fail(directory[i], &ends, &level[i], err);
        end_s = fmin(end_s, level[i].end_s);
    }
    p->hours = result == 0 ? (size_t)(end_s / HOUR_S) : 0;
    p->hour = mem_new(p->hours + 1, sizeof *p->hour);
    for (unsigned i = 0; i < 2 && result == 0 && p->hours; i++) {
        level[i].steps = (struct steps){ (double)p->hours * HOUR_S, p->hours };
        result = result_file_read_or_fail(directory[i], &levels, &level[i], err);
        series_end(&level[i].part, &level[i].steps, level[i].end_s);
        for (size_t k = 0; k < p->hours && result == 0 && level[i].part.mean; k++)
            *(i ? &p->hour[k].is : &p->hour[k].was) = level[i].part.mean[k];
    }
    series_free(&level[0].part);
    series_free(&level[1].part);
    return result;
}

/* ---- Both ---- */

static const char *text_of(const json_t *manifest, const char *object, const char *key)
{
    const json_t *o = object ? json_object_get(manifest, object) : manifest;
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static int check_manifests(struct pairs *p, const json_t *was, const json_t *is,
                           const char *recorded, const char *simulated, struct error *err)
{
    if (!was || !is)
        return error_set(err, "%s: want the directory of a run, with its manifest.json",
                         was ? simulated : recorded);
    if (strcmp(text_of(was, NULL, "policy"), "recorded") != 0)
        return error_set(err, "%s: want a run by policy recorded first, got one by '%.60s'",
                         recorded, text_of(was, NULL, "policy"));
    if (strcmp(text_of(was, "trace", "sha256"), text_of(is, "trace", "sha256")) != 0)
        return error_set(err, "%s: want a run of the trace of %s, got one of '%.200s'", simulated,
                         recorded, text_of(is, "trace", "path"));
    const json_t *origin = json_object_get(json_object_get(was, "trace"), "origin_unix_s");
    p->origin_s = json_is_number(origin) ? (int64_t)json_number_value(origin) : -1;
    return 0;
}

int pairs_read(struct pairs *p, const char *recorded, const char *simulated, struct error *err)
{
    *p = (struct pairs){ .queues = intern_new() };
    json_t *was = result_manifest(recorded), *is = result_manifest(simulated);
    int result = check_manifests(p, was, is, recorded, simulated, err);
    json_decref(was);
    json_decref(is);
    if (result == 0)
        result = read_jobs(p, recorded, simulated, err);
    if (result == 0 && !p->n)
        result = error_set(err, "%s: no job has started both there and in %s", simulated, recorded);
    return result == 0 ? read_levels(p, recorded, simulated, err) : -1;
}

void pairs_free(struct pairs *p)
{
    intern_free(p->queues);
    free(p->wait);
    free(p->facts);
    free(p->hour);
}
