/* fit_arrivals.c - when the jobs of a trace come: see fit.h. */
#include "traces/synth/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_S 5.0               /* models.md 6.2 */
#define DAY_S   86400.0

struct events { double *at_s; size_t n, sweeps, sweep_jobs; };

static bool alike(const struct job_facts *a, const struct job_facts *b)
{
    return a->user == b->user && a->queue == b->queue && a->ask->shape == b->ask->shape;
}

/* Each job that is in no sweep yet begins one with those like it in the next 5 s. */
static struct events events_of(const struct workload *w)
{
    struct events e = { .at_s = mem_new(w->n_jobs, sizeof *e.at_s) };
    bool *taken = mem_new(w->n_jobs, sizeof *taken);
    for (job_id j = 0; j < w->n_jobs; j++) {
        size_t k = 1;
        if (taken[j])
            continue;
        for (job_id i = j + 1; i < w->n_jobs && seconds(w->facts[i].submit_ns - w->facts[j].submit_ns) <= SWEEP_S; i++)
            if (!taken[i] && alike(&w->facts[i], &w->facts[j])) {
                taken[i] = true;
                k++;
            }
        e.at_s[e.n++] = seconds(w->facts[j].submit_ns);
        e.sweeps += k > 1;
        e.sweep_jobs += k > 1 ? k : 0;
    }
    free(taken);
    return e;
}

/* Arrivals of each hour or day over the time that there was of it. */
static void profile(const struct events *e, const struct calendar *flat, double span_s, size_t n, double length_s, double to[])
{
    double *time = mem_new(n, sizeof *time), first_s = e->at_s[0], before_s = flat->first_hour * 3600;
    double total = 0;
    memset(to, 0, n * sizeof *to);
    for (size_t i = 0; i < e->n; i++)
        to[(size_t)((before_s + e->at_s[i]) / length_s) % n]++;
    for (double t = first_s, next; t < first_s + span_s; t = next) {
        double slot = floor((before_s + t) / length_s);
        next = fmin((slot + 1) * length_s - before_s, first_s + span_s);
        if (!(next > t))
            next = t + length_s;
        time[(size_t)slot % n] += next - t;
    }
    for (size_t k = 0; k < n; k++)
        total += to[k] = time[k] > 0 ? to[k] / time[k] : 0;
    for (size_t k = 0; k < n; k++)
        to[k] *= (double)n / total;
    free(time);
}

/* Squared coefficient of variation of the gaps, each the integral of the profile over it. */
static double variation(const struct events *e, const struct calendar *c)
{
    double sum = 0, square = 0;
    for (size_t i = 1; i < e->n; i++) {
        double gap = 0;
        for (double t = e->at_s[i - 1], next; t < e->at_s[i]; t = next) {
            next = fmin((floor(t / 3600 + c->first_hour) + 1 - c->first_hour) * 3600, e->at_s[i]);
            if (!(next > t))
                next = e->at_s[i];
            gap += (next - t) * calendar_factor(c, t);
        }
        sum += gap;
        square += gap * gap;
    }
    double n = (double)(e->n - 1), mean = sum / n;
    return mean > 0 ? square / n / (mean * mean) - 1 : 1;
}

void fit_arrivals(const struct workload *w, struct synth_spec *to)
{
    struct events e = events_of(w);
    double span_s = e.at_s[e.n - 1] - e.at_s[0];
    struct calendar c = calendar_of(to->daily, to->weekly, 0, w->origin_ns);
    to->start_ns = w->origin_ns;
    to->jobs = w->n_jobs;
    to->rate_per_h = span_s > 0 ? fmin((double)(e.n - 1) / span_s * 3600, 1e9) : 1e9;
    if (span_s >= 2 * DAY_S)
        profile(&e, &c, span_s, 24, 3600, to->daily);
    if (span_s >= 14 * DAY_S)
        profile(&e, &c, span_s, 7, DAY_S, to->weekly);
    c = calendar_of(to->daily, to->weekly, 0, w->origin_ns);
    double c2 = e.n > 2 ? variation(&e, &c) : 1;
    if (c2 > 1.05) {
        to->arrivals.kind = ARRIVE_HYPER;
        to->arrivals.c2 = fmin(c2, 1e6);
    }
    if (e.sweeps > e.n / 200)
        to->sweeps = (struct synth_sweeps){ .probability = (double)e.sweeps / (double)e.n, .within_s = SWEEP_S,
                                            .mean_jobs = fmin((double)e.sweep_jobs / (double)e.sweeps, 1e5) };
    free(e.at_s);
}
