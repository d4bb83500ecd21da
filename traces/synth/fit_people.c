/* fit_people.c - the users and projects of a trace: see fit.h. */
#include "traces/synth/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* d ln L / ds = 0: the mean of ln k under the law is that of the counts; it falls as s grows. */
double fit_zipf(const uint32_t *count, size_t n)
{
    double jobs = 0, logs = 0, low = 0, high = 10;
    for (size_t k = 0; k < n; k++) {
        jobs += count[k];
        logs += count[k] * log((double)(k + 1));
    }
    for (int i = 0; i < 60; i++) {
        double s = (low + high) / 2, sum = 0, mean = 0;
        for (size_t k = 0; k < n; k++) {
            double p = pow((double)(k + 1), -s);
            sum += p;
            mean += p * log((double)(k + 1));
        }
        *(mean / sum > logs / jobs ? &low : &high) = s;
    }
    return (low + high) / 2;
}

static int descending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a < b) - (a > b);
}

void fit_people(const struct workload *w, struct synth_spec *to)
{
    uint32_t n = intern_count(w->users), n_queues = intern_count(w->queue_names);
    uint32_t *count = mem_new(n + 1, sizeof *count);
    double *jobs = arena_alloc(to->memory, (n_queues + 1) * sizeof *jobs);
    const char **name = arena_alloc(to->memory, (n_queues + 1) * sizeof *name);
    for (job_id j = 0; j < w->n_jobs; j++) {
        if (w->facts[j].user != ID_NONE)
            count[w->facts[j].user]++;
        jobs[w->facts[j].queue]++;
    }
    qsort(count, n, sizeof *count, descending);
    to->users_zipf = 0;           /* nobody is named: enough of them to fill the queues as they were */
    if (n > 0 && count[0] > 0) {
        to->users = n;
        to->users_zipf = fit_zipf(count, n);
    }
    for (uint32_t q = 0; q < n_queues; q++) {
        const char *text = intern_text(w->queue_names, q);
        name[q] = arena_text(to->memory, *text ? text : "all", strlen(*text ? text : "all"));
        jobs[q] /= w->n_jobs;
    }
    to->projects = (struct synth_names){ n_queues, name, jobs };
    free(count);
}
