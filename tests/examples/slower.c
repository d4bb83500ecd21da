/* slower.c - a physical model: every job progresses at 1/FACTOR of its rate, wherever it runs. jobs.csv has slower_gpu_s, the GPU
 * time beyond that at full speed, and the summary slower_gpu_h, the sum of it. */
#include "sim/engine/models.h"
#include "sim/engine/pace.h"
#include "sim/results/summary_builder.h"
#include "sim/scheduler/placements.h"

#define FACTOR 1.25
struct slower { int128_t all, *job; };    /* milli-GPU ns; [n_jobs] */
extern const struct run_model slower_model;

static bool wanted(const struct sched *s) { return s->n_jobs > 0; }    /* usually: the cluster file has its section */

static void begin(struct sched *s)
{
    struct slower *x = arena_alloc(s->memory, sizeof *x);    /* all 0; freed with the run */
    x->job = arena_alloc(s->memory, s->n_jobs * sizeof *x->job);
    model_state_set(s, &slower_model, x);
}

static void placed(struct sched *s, struct live *l)    /* l begins to run, or was resized: its pace is new */
{
    (void)s;
    l->pace.tasks /= FACTOR;
}

static void left(struct sched *s, struct live *l, const struct placement *from)    /* it makes no progress there any more */
{
    struct slower *x = model_state(s, &slower_model);
    int128_t beyond = (int64_t)((1 - 1 / FACTOR) * (double)pace_useful_ns(s, l) + .5) * (int128_t)placement_gpu_milli(from);
    x->job[l->job] += beyond;
    x->all += beyond;
}

static int check(struct sched *s, struct error *err)    /* at the end of every run */
{
    const struct slower *x = model_state(s, &slower_model);
    int128_t sum = 0;
    for (job_id j = 0; j < s->n_jobs; j++)
        sum += x->job[j];
    return sum == x->all ? 0 : error_set(err, "slower: GPU time by job and in all differ");
}

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_wide_seconds(o, ((struct slower *)model_state(s, &slower_model))->job[j] / MILLI_ALL);
}
static const char *const columns[] = { "slower_gpu_s", NULL };
static const struct metric_kind metrics[] = { { "slower_gpu_h", "GPU h", "GPU time beyond that at full speed", BETTER_LOWER }, { 0 } };
static void summarise(struct summary_builder *b)
{
    summary_put_kind(b, &metrics[0], "all", gpu_hours(((struct slower *)model_state(b->s, &slower_model))->all), 1);
}

const struct run_model slower_model = {
    .name = "slower", .summary = "every job at 1/1.25 of its rate", .wanted = wanted, .begin = begin, .placed = placed, .left = left,
    .check = check, .job_columns = columns, .job_row = job_row, .metrics = metrics, .summarise = summarise,
};
