/* check_trace.c - see check.h: arrivals, sizes, classes, and what is odd. */
#include "sim/cli/check/check.h"

#include "sim/base/memory.h"
#include "sim/results/notes.h"
#include "sim/results/statistics.h"
#include "sim/workload/requests.h"
#include "traces/native/native.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_NS (3600 * NS_PER_S)

json_t *check_name(const char *text)
{
    json_t *t = json_string(text);
    return t ? t : json_string("?");
}

json_t *check_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void check_warn(json_t *report, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_t *list = json_object_get(report, "warnings"), *line = json_string(text);
    json_array_append_new(list, line ? line : json_string("(a text that is no UTF-8)"));
}

void check_notes(json_t *report, const struct cluster *c, const struct workload *w)
{
    struct notes found = { 0 };
    notes_of_inputs(&found, c, w);
    for (size_t i = 0; i < found.n; i++)
        check_warn(report, "%s", found.note[i].text);
    notes_free(&found);
}

static int64_t job_milli(const struct job_facts *f)
{
    return request_gpu_milli(f->ask);
}

double check_job_gpus(const struct job_facts *f)
{
    return (double)job_milli(f) / MILLI_ALL;
}

int128_t check_job_milli_ns(const struct workload *w, job_id j)
{
    return (int128_t)job_milli(&w->facts[j]) * w->truth[j].duration_ns;
}

static double gpu_hours(int128_t milli_ns)
{
    return (double)milli_ns / MILLI_ALL / (double)HOUR_NS;
}

/* ---- summaries ---- */

struct sample {
    int64_t *value;
    size_t n;
};

static void add_summary(json_t *list, const char *name, const char *unit, struct sample s,
                        double scale)
{
    static const struct {
        const char *name;
        double p;
    } quantiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };
    int128_t sum = 0;
    int64_t most = s.n ? s.value[0] : 0;
    if (!s.n)
        return;
    for (size_t i = 0; i < s.n; i++) {
        sum += s.value[i];
        most = s.value[i] > most ? s.value[i] : most;
    }
    json_t *o = json_pack("{s:s, s:s, s:I, s:o}", "name", name, "unit", unit, "n", (json_int_t)s.n,
                          "mean", check_real((double)sum / (double)s.n / scale));
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        json_object_set_new(o, quantiles[i].name,
                            check_real(quantile(s.value, s.n, quantiles[i].p) / scale));
    json_object_set_new(o, "max", check_real((double)most / scale));
    json_array_append_new(list, o);
}

static json_t *summaries(const struct workload *w)
{
    json_t *list = json_array();
    struct sample s = { mem_new(w->n_jobs, sizeof *s.value), w->n_jobs };
    for (job_id j = 0; j < w->n_jobs; j++)
        s.value[j] = w->truth[j].duration_ns;
    add_summary(list, "duration", "s", s, (double)NS_PER_S);
    for (job_id j = 0; j < w->n_jobs; j++)
        s.value[j] = job_milli(&w->facts[j]);
    add_summary(list, "GPUs", "", s, MILLI_ALL);
    s.n = 0;
    for (job_id j = 0; j < w->n_jobs; j++)
        if (w->truth[j].estimate_ns != TIME_NEVER)
            s.value[s.n++] = w->truth[j].estimate_ns;
    add_summary(list, "estimate", "s", s, (double)NS_PER_S);
    free(s.value);
    return list;
}

/* ---- arrivals ---- */

static void busiest_hour(const struct workload *w, json_t *to)
{
    job_id best = 0, most = 0;
    for (job_id from = 0, end = 0; from < w->n_jobs; from++) {
        while (end < w->n_jobs && w->facts[end].submit_ns - w->facts[from].submit_ns < HOUR_NS)
            end++;
        if (end - from > most) {
            most = end - from;
            best = from;
        }
    }
    json_object_set_new(to, "busiest_hour_jobs", json_integer(most));
    json_object_set_new(to, "busiest_hour_from_s", check_real(seconds(w->facts[best].submit_ns)));
}

static json_t *arrivals(const struct workload *w)
{
    int64_t first = w->facts[0].submit_ns, last = w->facts[w->n_jobs - 1].submit_ns;
    double gaps = w->n_jobs - 1.0, mean = seconds(last - first) / gaps;
    struct exact_sum squares = { 0, 0 };
    for (job_id j = 1; j < w->n_jobs; j++) {
        double off = seconds(w->facts[j].submit_ns - w->facts[j - 1].submit_ns) - mean;
        sum_add(&squares, off * off);
    }
    json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o}", "first_s", check_real(seconds(first)),
                          "last_s", check_real(seconds(last)), "span_s",
                          check_real(seconds(last - first)), "gap_mean_s", check_real(mean),
                          "gap_cv", check_real(sqrt(sum_value(&squares) / gaps) / mean));
    busiest_hour(w, o);
    json_object_set_new(o, "origin_unix_s",
                        w->origin_ns == TIME_NEVER ? json_null()
                                                   : json_integer(w->origin_ns / NS_PER_S));
    return o;
}

/* ---- classes ---- */

static json_t *classes(const struct workload *w)
{
    json_t *list = json_array();
    for (unsigned c = 0; c < CLASSES; c++) {
        json_int_t jobs = 0;
        int128_t work = 0;
        for (job_id j = 0; j < w->n_jobs; j++)
            if (w->facts[j].class == c) {
                jobs++;
                work += check_job_milli_ns(w, j);
            }
        if (jobs)
            json_array_append_new(list,
                                  json_pack("{s:s, s:I, s:o}", "class", native_classes[c], "jobs",
                                            jobs, "gpu_h", check_real(gpu_hours(work))));
    }
    return list;
}

/* ---- oddities ---- */

struct ordered_job {
    const struct workload *w;
    job_id job;
};

#define COMPARE(x, y)                                                                              \
    if ((x) != (y))                                                                                \
    return (x) < (y) ? -1 : 1

static int by_content(const void *left, const void *right)
{
    const struct ordered_job *l = left, *r = right;
    const struct workload *w = l->w;
    const struct job_facts *a = &w->facts[l->job], *b = &w->facts[r->job];
    const struct job_truth *x = &w->truth[l->job], *y = &w->truth[r->job];
    COMPARE(a->submit_ns, b->submit_ns);
    COMPARE(x->duration_ns, y->duration_ns);
    COMPARE(a->ask->shape, b->ask->shape);
    COMPARE(a->queue, b->queue);
    COMPARE(a->user, b->user);
    COMPARE(a->model, b->model);
    COMPARE(a->min_tasks, b->min_tasks);
    COMPARE(a->priority, b->priority);
    COMPARE(a->class, b->class);
    COMPARE(a->preemptible, b->preemptible);
    COMPARE(a->deadline_ns, b->deadline_ns);
    COMPARE(x->estimate_ns, y->estimate_ns);
    COMPARE(x->fate, y->fate);
    return 0;
}

/* The number of jobs that equal an earlier job in all fields: two of three equal jobs. */
static json_int_t duplicates(const struct workload *w)
{
    if (!w->numbered)
        return 0;
    struct ordered_job *order = mem_new(w->n_jobs, sizeof *order);
    json_int_t n = 0;
    for (job_id j = 0; j < w->n_jobs; j++)
        order[j] = (struct ordered_job){ w, j };
    qsort(order, w->n_jobs, sizeof *order, by_content);
    for (job_id j = 1; j < w->n_jobs; j++)
        n += by_content(&order[j - 1], &order[j]) == 0;
    free(order);
    return n;
}

static void count(json_t *report, const char *name, json_int_t n, const char *one, const char *many)
{
    json_object_set_new(report, name, json_integer(n));
    if (n)
        check_warn(report, "%" JSON_INTEGER_FORMAT " %s", n, n == 1 ? one : many);
}

static void oddities(const struct workload *w, json_t *report)
{
    json_int_t zero = 0, below = 0, late = 0, unknown = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        const struct job_truth *t = &w->truth[j];
        const struct job_facts *f = &w->facts[j];
        zero += t->duration_ns == 0;
        unknown += t->estimate_ns == TIME_NEVER;
        below += t->estimate_ns != TIME_NEVER && t->estimate_ns < t->duration_ns;
        late += f->deadline_ns != TIME_NEVER && f->deadline_ns < f->submit_ns + t->duration_ns;
    }
    count(report, "skipped", w->n_skipped, "row skipped: no job that ran",
          "rows skipped: no jobs that ran");
    count(report, "unsorted", w->n_unsorted, "row was submitted before the one above it: sorted",
          "rows were submitted before the one above them: sorted");
    count(report, "duplicates", duplicates(w), "job equals another in all that is read",
          "jobs equal others in all that is read");
    count(report, "zero_durations", zero, "job has no duration", "jobs have no duration");
    count(report, "estimates_below", below, "job has an estimate below its run time",
          "jobs have an estimate below their run time");
    count(report, "without_estimate", unknown,
          "job has no estimate of its run time: to easy, conservative and gang:blocking=reservation it "
          "runs for ever",
          "jobs have no estimate of their run time: to easy, conservative and "
          "gang:blocking=reservation they run for ever");
    count(report, "deadlines_missed", late, "job would miss its deadline even without a wait",
          "jobs would miss their deadline even without a wait");
}

json_t *check_trace(const struct workload *w)
{
    int128_t work = 0;
    for (job_id j = 0; j < w->n_jobs; j++)
        work += check_job_milli_ns(w, j);
    json_t *report = json_pack("{s:I, s:o, s:o, s:o, s:o, s:[]}", "jobs", (json_int_t)w->n_jobs,
                               "gpu_h", check_real(gpu_hours(work)), "arrivals", arrivals(w),
                               "summaries", summaries(w), "classes", classes(w), "warnings");
    oddities(w, report);
    return report;
}
