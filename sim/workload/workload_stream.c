/* workload_stream.c - the jobs of a trace as a stream of requests to be packed: see workload_stream(). */
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/workload/requests.h"
#include "sim/workload/workload_builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named { const char *name; job_id job; };

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->job > b->job) - (a->job < b->job);
}

static struct named *shuffled(const struct workload *w, uint64_t seed)
{
    struct named *job = mem_new(w->n_jobs, sizeof *job);
    struct random order;
    for (job_id j = 0; j < w->n_jobs; j++)
        job[j] = (struct named){ w->truth[j].name, j };
    qsort(job, w->n_jobs, sizeof *job, by_name);
    random_init(&order, seed, "stream order", 0);
    for (job_id left = w->n_jobs; left > 1; left--) {
        job_id k = (job_id)random_below(&order, left);
        struct named last = job[left - 1];
        job[left - 1] = job[k];
        job[k] = last;
    }
    return job;
}

static int64_t demand_of(const struct workload *w, job_id j)
{
    return request_gpu_milli(w->facts[j].ask);
}

/* ---- Jobs as they come ---- */

struct stream {
    struct workload *from;
    uint32_t n;
    size_t facts_capacity, truth_capacity;
    struct job_facts *facts;
    struct job_truth *truth;
    uint32_t *times;              /* [jobs of the trace] how often each has come */
};

static const char *name_of_draw(struct workload *w, const char *name, uint32_t times)
{
    if (times == 1)
        return name;
    size_t size = strlen(name) + 16;
    char *text = mem_new(size, 1);
    size_t length = (size_t)snprintf(text, size, "%s+%" PRIu32, name, times);
    const char *kept = arena_text(w->memory, text, length);
    free(text);
    return kept;
}

static void come(struct stream *s, job_id j)
{
    mem_grow(&s->facts, &s->facts_capacity, s->n, sizeof *s->facts);
    mem_grow(&s->truth, &s->truth_capacity, s->n, sizeof *s->truth);
    struct job_facts *f = &s->facts[s->n];
    struct job_truth *t = &s->truth[s->n++];
    *f = s->from->facts[j];
    *t = s->from->truth[j];
    f->submit_ns = (int64_t)s->n * NS_PER_S;
    f->deadline_ns = t->estimate_ns = TIME_NEVER;
    t->duration_ns = ENDLESS_NS;
    t->running = 0;
    t->name = name_of_draw(s->from, t->name, ++s->times[j]);
}

int workload_stream(struct workload *w, int64_t gpu_milli, uint64_t seed, struct error *err)
{
    if (w->n_on_demand)
        return error_set(err, "a stream is of jobs alone, got some that a run submits itself");
    struct named *job = shuffled(w, seed);
    struct stream s = { .from = w, .times = mem_new(w->n_jobs, sizeof *s.times) };
    struct random draws;
    int64_t asked = 0;
    bool endless = true;
    for (job_id j = 0; j < w->n_jobs && endless; j++)
        endless = demand_of(w, j) == 0;
    random_init(&draws, seed, "stream draws", 0);
    for (uint32_t k = 0; !endless; k++) {
        job_id j = job[k < w->n_jobs ? k : (uint32_t)random_below(&draws, w->n_jobs)].job;
        if (asked + demand_of(w, j) > gpu_milli || s.n == ID_NONE - 1)
            break;
        asked += demand_of(w, j);
        come(&s, j);
    }
    free(job);
    free(s.times);
    if (s.n == 0) {
        free(s.facts);
        free(s.truth);
        return error_set(err, endless ? "a stream wants jobs that ask for GPUs, got none"
                                      : "a stream wants room for its first job");
    }
    free(w->facts);
    free(w->truth);
    free(w->depends_first);
    free(w->depends_on);
    w->depends_first = NULL;
    w->depends_on = NULL;
    w->facts = s.facts;
    w->truth = s.truth;
    w->n_jobs = s.n;
    return 0;
}
