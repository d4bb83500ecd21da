/* workload_order.c - the order of a workload's jobs, and other submit times for them. */
#include "sim/base/memory.h"
#include "sim/workload/workload_builder.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct key {
    bool on_demand;
    int64_t submit_ns, tie;
    job_id from; /* the order in the file; also makes the order total, so that qsort may be unstable */
};

static int before(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    if (a->on_demand != b->on_demand)
        return a->on_demand - b->on_demand;
    if (a->submit_ns != b->submit_ns)
        return a->submit_ns < b->submit_ns ? -1 : 1;
    if (a->tie != b->tie)
        return a->tie < b->tie ? -1 : 1;
    return a->from < b->from ? -1 : 1;
}

/* Cycle by cycle, so that the large arrays need no second copy. A place that is done says that it comes from itself. */
static void permute(struct workload *w, struct key *key)
{
    for (job_id first = 0; first < w->n_jobs; first++) {
        if (key[first].from == first)
            continue;
        struct job_facts facts = w->facts[first];
        struct job_truth truth = w->truth[first];
        job_id to = first;
        for (job_id from; (from = key[to].from) != first; to = from) {
            w->facts[to] = w->facts[from];
            w->truth[to] = w->truth[from];
            key[to].from = to;
        }
        w->facts[to] = facts;
        w->truth[to] = truth;
        key[to].from = to;
    }
}

static struct key key_of(const struct workload *w, job_id j)
{
    const int64_t *tie = w->builder->tie;
    return (struct key){ w->truth[j].on_demand, w->facts[j].submit_ns, tie ? tie[j] : 0, j };
}

/* Most traces are. */
static bool in_order(const struct workload *w)
{
    for (job_id j = 1; j < w->n_jobs; j++) {
        struct key earlier = key_of(w, j - 1), later = key_of(w, j);
        if (before(&earlier, &later) > 0)
            return false;
    }
    return true;
}

void workload_sort(struct workload *w)
{
    if (in_order(w))
        return;
    struct key *key = mem_new(w->n_jobs, sizeof *key);
    for (job_id j = 0; j < w->n_jobs; j++)
        key[j] = key_of(w, j);
    qsort(key, w->n_jobs, sizeof *key, before);
    permute(w, key);
    free(key);
}

void workload_keep(struct workload *w, const bool *keep)
{
    job_id kept = 0;
    dependencies_keep(w, keep);
    for (job_id j = 0; j < w->n_jobs; j++) {
        if (!keep[j])
            continue;
        w->facts[kept] = w->facts[j];
        w->truth[kept++] = w->truth[j];
    }
    assert(kept > 0);
    memmove(&w->facts[kept], &w->facts[w->n_jobs], w->n_on_demand * sizeof *w->facts);
    memmove(&w->truth[kept], &w->truth[w->n_jobs], w->n_on_demand * sizeof *w->truth);
    w->n_jobs = kept;
}

/* ---- other submit times ---- */

static int64_t capped(int64_t ns)
{
    return ns < WORKLOAD_END_NS ? ns : WORKLOAD_END_NS - 1;
}

static void set_submit(struct job_facts *f, int64_t ns)
{
    if (f->deadline_ns != TIME_NEVER)
        f->deadline_ns += ns - f->submit_ns; /* all below 100 years: no overflow */
    f->submit_ns = ns;
}

void workload_rebase(struct workload *w)
{
    int64_t first = TIME_NEVER;
    for (job_id j = 0; j < w->n_jobs; j++)
        if (w->facts[j].submit_ns < first)
            first = w->facts[j].submit_ns;
    for (job_id j = 0; j < w->n_jobs; j++)
        set_submit(&w->facts[j], w->facts[j].submit_ns - first);
    if (w->n_jobs)
        w->origin_ns = (w->origin_ns == TIME_NEVER ? 0 : w->origin_ns) + first;
}

void workload_retime_batches(struct workload *w, uint32_t batch, int64_t every_ns)
{
    assert(batch > 0 && every_ns >= 0);
    for (job_id j = 0; j < w->n_jobs; j++) {
        int64_t ns;
        if (__builtin_mul_overflow(every_ns, j / batch, &ns))
            ns = WORKLOAD_END_NS;
        set_submit(&w->facts[j], capped(ns));
    }
}

/* ns / load, rounded half up. A double is whole x 2^-shift, so for any load from 2^-12 to 2^53 this is exact: a trace
 * of more than 104 days has more nanoseconds than a double has bits. */
static int64_t divided(int64_t ns, double load)
{
    int exponent;
    int128_t whole = (int128_t)ldexp(frexp(load, &exponent), 53);
    int shift = 53 - exponent;
    if (shift < 0 || shift > 64) {
        double quotient = floor((double)ns / load + 0.5);
        return quotient < (double)WORKLOAD_END_NS ? (int64_t)quotient : WORKLOAD_END_NS;
    }
    int128_t quotient = (((int128_t)ns << shift) + whole / 2) / whole;
    return quotient < WORKLOAD_END_NS ? (int64_t)quotient : WORKLOAD_END_NS;
}

void workload_scale_load(struct workload *w, double load)
{
    assert(load > 0 && isfinite(load));
    for (job_id j = 0; j < w->n_jobs; j++)
        set_submit(&w->facts[j], capped(divided(w->facts[j].submit_ns, load)));
}
