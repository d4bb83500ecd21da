/* random_line.h - for tests that walk a line of jobs at random: what is in the line, in which order, beside the line itself. */
#pragma once
#include "sim/engine/state.h"
#include "tests/support/random_world.h"

static struct {
    struct line *line;
    struct random r;
    uint32_t n_jobs;
    unsigned passes;
    bool in[JOBS_MOST];
    double major[JOBS_MOST];
} k;

static uint64_t draw(uint64_t n) { return random_below(&k.r, n); }

static bool before(struct sched *s, job_id a, job_id b)
{
    if (k.major[a] != k.major[b])
        return k.major[a] < k.major[b];
    int64_t x = job_facts(s, a)->submit_ns, y = job_facts(s, b)->submit_ns;
    return x != y ? x < y : a < b;
}

static void push(struct sched *s, job_id j)
{
    line_push(k.line, j, (struct line_key){ .major = k.major[j], .time_ns = job_facts(s, j)->submit_ns });
}

/* Of the policy that walks it. */
static void begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    k.line = line_new(s);
}

static void started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)s;
    (void)params;
    (void)state;
    k.in[j] = false;
    line_remove(k.line, j);
}

static void comes_in(struct sched *s, job_id j)
{
    k.in[j] = true;
    k.major[j] = (double)draw(3);
    push(s, j);
}

/* Few shapes: many to leave out. */
static void make_alike(struct world *w, uint32_t gpus)
{
    for (size_t j = 0; j < w->n_jobs; j++) {
        w->job[j].gpus = gpus * (1 + (uint32_t)(j % 3));
        w->job[j].tasks = job_row_default.tasks;
        w->job[j].min_tasks = 0;
        w->job[j].cpu_milli = 0;
    }
}

static void walk_world(const struct world *w, const struct policy *policy, const char *stream, uint64_t seed, unsigned passes)
{
    struct combination c = { .policy = policy, .placer = builtin_placers[0] };
    snprintf(c.name, sizeof c.name, "%s", policy->name);
    memset(&k, 0, sizeof k);
    random_init(&k.r, seed, stream, 0);
    k.passes = passes;
    k.n_jobs = (uint32_t)w->n_jobs;
    world_run(w, &c, seed, (struct run_observer){ 0 });
}
