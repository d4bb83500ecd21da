/* parallel.c - what an iteration of a job with `parallelism` is made of: `progress: { parallel: 3d
 * }`; models.md 2.8.
 *
 * jobs.csv: seconds of an iteration on the last placement, alone on the links, and its parts, which
 * sum up to it. Empty: the job goes by another model, or never ran. */
#include "sim/physics/parallel.h"
#include "sim/engine/state.h"
#include "sim/physics/physics.h"

#include <inttypes.h>
#include <stdio.h>

static bool wanted(const struct sched *s)
{
    return s->cluster->rates && s->cluster->rates->parallel;
}

/* Of a job as it was asked for. */
static bool leaves_some(const struct sched *s, job_id j)
{
    const struct job_facts *f = &s->workload->facts[j];
    struct training_model m;
    if (!rates_parallel(s, j) ||
        !training_model_find(s->cluster->models, intern_text(s->workload->models, f->model), &m))
        return false;
    int64_t gpus = 0, copy = (int64_t)m.parallel.tp * m.parallel.cp * m.parallel.pp;
    for (const struct request *ask = f->ask; ask; ask = ask->next)
        gpus += run_gpus(ask);
    return gpus % copy != 0;
}

static bool remark(const struct sched *s, FILE *text)
{
    uint32_t n = 0;
    job_id first = ID_NONE;
    for (job_id j = 0; j < s->n_jobs; j++)
        if (leaves_some(s, j)) {
            first = first == ID_NONE ? j : first;
            n++;
        }
    if (n)
        fprintf(text,
                "progress: %" PRIu32 " job%s ran on GPUs that are no whole number of copies of "
                "the model (tp x cp x pp): with fewer than a copy it is split less, beyond whole "
                "copies GPUs are idle; the first is '%s'",
                n, n == 1 ? "" : "s", s->workload->truth[first].name);
    return n > 0;
}

static const char *const job_columns[] = { "iteration_s", "compute_s",  "tensor_s", "context_s",
                                           "expert_s",    "pipeline_s", "bubble_s", "data_s",
                                           "optimizer_s", NULL };

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    const struct parallel_time *t = rates_parallel(s, j);
    for (unsigned i = 0; job_columns[i]; i++) {
        out_char(o, ',');
        if (t)
            out_double(o, (const double[]){ t->iteration_s, t->compute_s, t->tensor_s, t->context_s,
                                            t->expert_s, t->pipeline_s, t->bubble_s, t->data_s,
                                            t->optimizer_s }[i]);
    }
}

const struct run_model parallel_model = {
    .place = PLACE_OF(parallel_model),
    .name = "parallel",
    .summary = "iterations of models with `parallelism`, part by part",
    .wanted = wanted,
    .remark_name = "uneven-copies", .remark = remark,
    .job_columns = job_columns,
    .job_row = job_row,
};
