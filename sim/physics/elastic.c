/* elastic.c - see elastic.h. */
#include "sim/physics/elastic.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/placements.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Goodput of a model on a GPU, of each noise step, by replicas, on one node or on several; NaN: not asked for yet. */
struct speeds {
    const struct goodput_model *model;
    const struct goodput_fit *fit;
    double *value;
    uint32_t replicas;            /* there is room for so many */
};
/* A model of the trace, looked up at the start of the run: the node type of its times, and the fit for its GPUs; type NULL: it has
 * no goodput. */
struct learner { const struct goodput_model *model; const struct node_type *type; const struct goodput_fit *fit; };
struct elastic_run {
    struct learner *learner;      /* [models of the workload] */
    struct speeds *speeds;
    size_t n_speeds, capacity;
    struct resizable { event_id noise; uint32_t resizes; bool linear; } *job;    /* [n_jobs] noise: its next step of noise; 0: none. linear: it ran without a fit */
};
extern const struct run_model elastic_jobs_model;

static struct elastic_run *elastic_of(const struct sched *s)
{
    return model_state(s, &elastic_jobs_model);
}

/* ---- Goodput ---- */

static struct speeds *speeds_of(struct sched *s, const struct goodput_model *m, const struct goodput_fit *f)
{
    struct elastic_run *e = elastic_of(s);
    for (size_t i = 0; i < e->n_speeds; i++)
        if (e->speeds[i].model == m && e->speeds[i].fit == f)
            return &e->speeds[i];
    mem_grow(&e->speeds, &e->capacity, e->n_speeds, sizeof *e->speeds);
    e->speeds[e->n_speeds] = (struct speeds){ .model = m, .fit = f };
    return &e->speeds[e->n_speeds++];
}

static void speeds_grow(struct speeds *t, uint32_t replicas, uint32_t steps)
{
    uint32_t room = t->replicas ? t->replicas : 16;
    while (room < replicas)
        room *= 2;
    t->value = mem_resize(t->value, (size_t)room * 2 * steps, sizeof *t->value);
    for (size_t i = (size_t)t->replicas * 2 * steps; i < (size_t)room * 2 * steps; i++)
        t->value[i] = (double)NAN;
    t->replicas = room;
}

static double goodput_at(struct sched *s, const struct goodput_model *m, const struct goodput_fit *f, uint32_t step, struct replicas r)
{
    uint32_t steps = s->cluster->elastic.noise_steps;
    struct speeds *t = speeds_of(s, m, f);
    if (r.n > t->replicas)
        speeds_grow(t, r.n, steps);
    double *value = &t->value[((size_t)(r.n - 1) * 2 + (r.nodes > 1)) * steps + step];
    if (isnan(*value))
        *value = goodput_best(m, f, goodput_noise(m, (step + 0.5) / steps), r).goodput;
    return *value;
}

/* ---- Jobs ---- */

/* NULL: it scales linearly. */
static const struct learner *learner_of(const struct sched *s, job_id j)
{
    const struct job_facts *f = &s->workload->facts[j];
    const struct request *ask = f->ask;
    if (!f->sizing || f->model == ID_NONE || ask->gpu_milli != MILLI_ALL || ask->mig || !ask->gpus)
        return NULL;
    const struct elastic_run *e = elastic_of(s);
    return e && e->learner[f->model].type ? &e->learner[f->model] : NULL;
}

static const struct goodput_fit *fit_of(const struct sched *s, const struct goodput_model *m, uint32_t gpu_model)
{
    return gpu_model == ID_NONE ? NULL : elastic_fit(&s->cluster->elastic, m->name, intern_text(s->cluster->gpu_models, gpu_model));
}

static struct learner look_up(const struct sched *s, const char *name)
{
    const struct elastic *e = &s->cluster->elastic;
    struct learner l = { .model = e->given && e->scaling == SCALING_GOODPUT ? elastic_model(e, s->cluster->models, name) : NULL };
    for (uint32_t i = 0; l.model && !l.type && i < s->cluster->n_types; i++) {
        const struct node_type *t = &s->cluster->type[i];
        l.fit = fit_of(s, l.model, t->gpu_model);
        if (l.fit && (!e->reference_gpu || elastic_gpu_is(intern_text(s->cluster->gpu_models, t->gpu_model), e->reference_gpu)))
            l.type = t;
    }
    return l;
}

bool elastic_learns(const struct sched *s, job_id j)
{
    return learner_of(s, j);
}

/* Of a size, on as few nodes of that type as it fits on. */
static struct replicas replicas_of(const struct request *ask, uint32_t size, const struct node_type *t)
{
    uint32_t n = ask->tasks == SPLIT_ANY ? size : size * ask->gpus;
    return (struct replicas){ n, (n + t->gpus - 1) / t->gpus };
}

static int64_t left_ns(const struct sched *s, const struct live *l)
{
    return l->event ? l->begin_left_ns - job_done_ns(s, l) : l->progress.left_ns;
}

/* Work left at the end of this step; the last one ends with the job. */
static int64_t left_after(const struct sched *s, job_id j, uint32_t step)
{
    int64_t all = s->workload->truth[j].duration_ns;
    uint32_t steps = s->cluster->elastic.noise_steps;
    return all - (int64_t)((int128_t)all * (step + 1) / steps);
}

static uint32_t noise_step(const struct sched *s, const struct live *l)
{
    int64_t all = s->workload->truth[l->job].duration_ns, done = all - left_ns(s, l);
    uint32_t steps = s->cluster->elastic.noise_steps, step = all ? (uint32_t)((int128_t)done * steps / all) : 0;
    while (step + 1 < steps && left_ns(s, l) <= left_after(s, l->job, step))
        step++;                                          /* the bounds are whole nanoseconds, rounded down */
    return step < steps ? step : steps - 1;
}

/* Relative to the usual size on reference GPUs; 0: there is no fit. */
static double speedup_on(struct sched *s, const struct live *l, const struct learner *of, struct replicas r, const struct goodput_fit *f)
{
    uint32_t step = noise_step(s, l);
    struct replicas usual = replicas_of(ask_of(s, l->job), workload_sizes(s->workload, l->job).usual, of->type);
    return f ? goodput_at(s, of->model, f, step, r) / goodput_at(s, of->model, of->fit, step, usual) : 0;
}

static double speedup_here(struct sched *s, const struct live *l, const struct learner *of)
{
    struct replicas r = { 0, placement_node_count(l->now.held) };
    uint32_t last = of->type->gpu_model;
    for (size_t i = 0; i < l->now.held->n; i++)
        r.n += l->now.held->piece[i].gpus;
    double slowest = INFINITY;
    for (size_t i = 0; i < l->now.held->n; i++) {
        uint32_t gpu = cluster_node_type(s->cluster, l->now.held->piece[i].node)->gpu_model;
        if (i == 0 || gpu != last)
            slowest = fmin(slowest, speedup_on(s, l, of, r, gpu == of->type->gpu_model ? of->fit : fit_of(s, of->model, gpu)));
        last = gpu;
    }
    return slowest;
}

double job_speedup(struct sched *s, job_id j, uint32_t size)
{
    const struct live *l = live_of(s, j);
    if (!(s->force->needs & SEES_SPEEDUP) || !l) {
        s->totals.sight_refused++;
        return 0;
    }
    const struct learner *of = learner_of(s, j);
    if (of)
        return speedup_on(s, l, of, replicas_of(ask_of(s, j), size, of->type), of->fit);
    return (double)size / workload_sizes(s->workload, j).usual;
}

static int64_t resize_cost_ns(const struct sched *s, job_id j)
{
    uint32_t overhead = workload_extra(s->workload, j)->overhead;
    const struct learner *of = learner_of(s, j);
    bool own = overhead && workload_overhead(s->workload, overhead).restart_ns >= 0;
    if (!own && s->cluster->elastic.given && s->cluster->elastic.restart_ns >= 0)
        return s->cluster->elastic.restart_ns;
    if (!own && of && of->model->restart_s >= 0)
        return ns_of_seconds(of->model->restart_s);
    return -1;
}

/* ---- In the run ---- */

static bool wanted(const struct sched *s)
{
    return s->cluster->elastic.given || (s->all_needs & RESIZES);
}

static void begin(struct sched *s)
{
    struct elastic_run *e = arena_alloc(s->memory, sizeof *e);
    uint32_t n = intern_count(s->workload->models);
    e->learner = arena_alloc(s->memory, (n + (size_t)1) * sizeof *e->learner);
    for (uint32_t i = 0; i < n; i++)
        e->learner[i] = look_up(s, intern_text(s->workload->models, i));
    e->job = arena_alloc(s->memory, s->n_jobs * sizeof *e->job);
    model_state_set(s, &elastic_jobs_model, e);
}

static void end_run(struct sched *s)
{
    struct elastic_run *e = elastic_of(s);
    for (size_t i = 0; i < e->n_speeds; i++)
        free(e->speeds[i].value);
    free(e->speeds);
}

static void placed(struct sched *s, struct live *l)
{
    const struct learner *of = learner_of(s, l->job);
    double speedup = of ? speedup_here(s, l, of) : 0;
    if (speedup > 0)
        l->pace.tasks = speedup;
    else if (s->workload->facts[l->job].sizing)
        elastic_of(s)->job[l->job].linear = true;
}

static event_id *noise_of(const struct sched *s, const struct live *l)
{
    return &elastic_of(s)->job[l->job].noise;
}

static void forget(struct sched *s, struct live *l)
{
    event_id *noise = noise_of(s, l);
    if (*noise)
        event_queue_cancel(s->events, *noise);
    *noise = 0;
}

/* When its work reaches the next step of noise, at this rate. */
static void paced(struct sched *s, struct live *l)
{
    forget(s, l);
    if (!elastic_learns(s, l->job) || l->progress.rate <= 0)
        return;
    uint32_t step = noise_step(s, l);
    if (step + 1 < s->cluster->elastic.noise_steps)
        *noise_of(s, l) = event_queue_push(s->events, (struct event){ progress_reaches_ns(&l->progress, left_after(s, l->job, step)),
                                                                      EVENT_NOISE, l->job });
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    (void)from;
    forget(s, l);
}

static void happens(struct sched *s, const struct event *e)
{
    struct live *l = live_of(s, e->subject);
    *noise_of(s, l) = 0;
    double before = l->progress.rate;
    placed(s, l);
    pace_changed(s, l);
    if (l->progress.rate == before)
        paced(s, l);
}

static void resized(struct sched *s, job_id j)
{
    elastic_of(s)->job[j].resizes++;
}

static bool remark(const struct sched *s, FILE *text)
{
    const struct elastic *e = &s->cluster->elastic;
    uint32_t sized = 0, linear = 0;
    job_id first = ID_NONE;
    for (job_id j = 0; j < s->workload->n_jobs; j++) {
        sized += s->workload->facts[j].sizing;
        linear += elastic_of(s)->job[j].linear;
        first = first == ID_NONE && elastic_of(s)->job[j].linear ? j : first;
    }
    if (!linear || (e->given && e->scaling == SCALING_LINEAR))
        return false;
    uint32_t model = s->workload->facts[first].model;
    fprintf(text, "elastic: %" PRIu32 " of %" PRIu32 " jobs of several sizes progressed in proportion to their GPUs, for want of a %s; "
             "the first is '%s', %s%s", linear, sized, e->given ? "fit of their model on their GPUs" : "section elastic",
             s->workload->truth[first].name, model == ID_NONE ? "without a model" : "of model ",
             model == ID_NONE ? "" : intern_text(s->workload->models, model));
    return true;
}

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    struct job_sizes z = workload_sizes(s->workload, j);
    bool sized = s->all_needs & RESIZES && s->workload->facts[j].sizing;
    out_char(o, ',');
    if (sized)
        out_integer(o, z.min);
    out_char(o, ',');
    if (sized)
        out_integer(o, z.max);
    out_char(o, ',');
    out_integer(o, elastic_of(s)->job[j].resizes);
    out_char(o, ',');
    out_wide_seconds(o, run_job(s, j).held / MILLI_ALL);
}

static const char *const job_columns[] = { "min_size", "max_size", "resizes", "held_gpu_s", NULL };
static const struct metric_kind metrics[] = {
    { "resizes", "", "times that running jobs were given other GPUs in one step, at the price of a resize", BETTER_NEITHER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    summary_put_kind(b, &metrics[0], "all", (double)b->s->totals.resizes, 1);
}

const struct run_model elastic_jobs_model = {
    .place = PLACE_OF(elastic_jobs_model),
    .unsaved = "how far the training of elastic jobs is",
    .name = "elastic",
    .summary = "jobs of several sizes: goodput, and the price of a resize",
    .wanted = wanted,
    .resized = resized,
    .resize_cost_ns = resize_cost_ns,
    .remark_name = "jobs-without-fit", .remark = remark,
    .begin = begin,
    .free = end_run,
    .placed = placed,
    .paced = paced,
    .left = left,
    .events = 1u << EVENT_NOISE,
    .happens = happens,
    .job_columns = job_columns,
    .job_row = job_row,
    .metrics = metrics,
    .summarise = summarise,
};
