/* input.c - jobs whose CPUs prepare the input of an iteration more slowly than their GPUs train:
 * key `input_cpu_s` of a training model; models.md 2.9.
 *
 * With c CPUs for each GPU of a task the input of an iteration takes input_cpu_s / c, ahead of the
 * GPUs: T_iter is no less. The task with the fewest CPUs counts. A job that states no CPUs has as
 * many as it needs, and the run says so. */
#include "sim/base/memory.h"
#include "sim/engine/pace.h"
#include "sim/physics/lost_time.h"
#include "sim/physics/parallel.h"
#include "sim/physics/physics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct input_run {
    double *cpu_s; /* [models of the workload] of an iteration of each GPU; of the whole job, where
                      `shared` */
    bool *shared;
    struct lost_time *lost; /* [n_jobs] */
};
extern const struct run_model input_model;

static struct input_run *input_of(const struct sched *s)
{
    return model_state(s, &input_model);
}

static bool model_of(const struct sched *s, uint32_t model, struct training_model *m)
{
    return training_model_find(s->cluster->models, intern_text(s->workload->models, model), m);
}

static bool wanted(const struct sched *s)
{
    struct training_model m;
    for (uint32_t i = 0; s->cluster->rates && i < intern_count(s->workload->models); i++)
        if (model_of(s, i, &m) && m.input_cpu_s > 0)
            return true;
    return false;
}

static void begin(struct sched *s)
{
    struct input_run *r = arena_alloc(s->memory, sizeof *r);
    uint32_t n = intern_count(s->workload->models);
    struct training_model m;
    model_state_set(s, &input_model, r);
    r->cpu_s = arena_alloc(s->memory, n * sizeof *r->cpu_s);
    r->shared = arena_alloc(s->memory, n * sizeof *r->shared);
    r->lost = arena_alloc(s->memory, s->n_jobs * sizeof *r->lost);
    for (uint32_t i = 0; i < n; i++)
        if (model_of(s, i, &m)) {
            r->cpu_s[i] = m.input_cpu_s;
            r->shared[i] = m.global_batch;
        }
}

/* CPUs for each GPU of the task that has fewest; 0: none are stated. */
static double cpus_per_gpu(const struct request *ask)
{
    double least = INFINITY;
    for (; ask; ask = ask->next)
        if (ask->gpus)
            least = fmin(least, (double)ask->cpu_milli / MILLI_ALL /
                                    (ask->tasks == SPLIT_ANY ? 1 : ask->gpus));
    return isfinite(least) ? least : 0;
}

static double gpus_of(const struct placement *on)
{
    double n = 0;
    for (size_t i = 0; i < on->n; i++)
        n += on->piece[i].gpus;
    return n;
}

static double needs_cpu_s(const struct sched *s, job_id j)
{
    uint32_t model = s->workload->facts[j].model;
    return model == ID_NONE ? 0 : input_of(s)->cpu_s[model];
}

static void placed(struct sched *s, struct live *l)
{
    const struct job_facts *f = &s->workload->facts[l->job];
    double cpu_s = needs_cpu_s(s, l->job), cpus = cpus_per_gpu(f->ask);
    if (cpu_s <= 0 || cpus <= 0 || !rates_in_seconds(s, l->job))
        return;
    l->pace.input_s = cpu_s / cpus / (input_of(s)->shared[f->model] ? gpus_of(l->now.held) : 1);
}

static void paced(struct sched *s, struct live *l)
{
    struct pace usual = l->pace;
    usual.input_s = 0;
    lost_time_paced(s, &input_of(s)->lost[l->job], l, &usual);
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    lost_time_left(s, &input_of(s)->lost[l->job], from);
}

/* ---- Files and metrics ---- */

static bool remark(const struct sched *s, FILE *text)
{
    uint32_t n = 0;
    job_id first = ID_NONE;
    for (job_id j = 0; j < s->n_jobs; j++)
        if (needs_cpu_s(s, j) > 0 && cpus_per_gpu(s->workload->facts[j].ask) <= 0) {
            first = first == ID_NONE ? j : first;
            n++;
        }
    if (n)
        fprintf(text,
                "input: %" PRIu32 " job%s of models with 'input_cpu_s' state%s no CPUs and count "
                                  "as having enough; the first is '%s'",
                n, n == 1 ? "" : "s", n == 1 ? "s" : "", s->workload->truth[first].name);
    return n;
}

static const char *const job_columns[] = { "input_gpu_s", NULL };

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_seconds(o, (int64_t)llround(input_of(s)->lost[j].gpu_ns));
}

static const struct metric_kind metrics[] = {
    { "input_gpu_h", "GPU h", "GPU time of jobs beyond that with CPUs enough for their input",
      BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    double gpu_ns = 0;
    for (job_id j = 0; j < b->s->n_jobs; j++)
        gpu_ns += input_of(b->s)->lost[j].gpu_ns;
    summary_put_kind(b, &metrics[0], "all", gpu_ns / (double)NS_PER_S / 3600, 1);
}

const struct run_model input_model = {
    .place = PLACE_OF(input_model),
    .name = "input",
    .summary = "jobs with too few CPUs for the input of their models are slower",
    .wanted = wanted,
    .begin = begin,
    .placed = placed,
    .paced = paced,
    .left = left,
    .remark_name = "input-without-cpus",
    .remark = remark,
    .job_columns = job_columns,
    .job_row = job_row,
    .metrics = metrics,
    .summarise = summarise,
};
