/* models.c - see models.h. */
#include "sim/engine/models.h"
#include "sim/engine/host.h"

/* What makes a start-up longer, then those that set the pace of a job, then those that go by it. */
#define EACH_MODEL(M)                                                                                                  \
    M(mig_model)                                                                                                       \
    M(rates_model)                                                                                                     \
    M(elastic_jobs)                                                                                                    \
    M(sessions_model)                                                                                                  \
    M(sharing_model)                                                                                                   \
    M(reading_model)                                                                                                   \
    M(images_model)                                                                                                    \
    M(checkpoints_model)                                                                                               \
    M(energy_model)                                                                                                    \
    M(cost_model)                                                                                                      \
    M(caps_model)                                                                                                      \
    M(fault_model)                                                                                                     \
    M(sleep_model)                                                                                                     \
    M(pools_model)                                                                                                     \
    M(pools_down_model)                                                                                                \
    M(services_model)
#define DECLARED(name) extern const struct run_model name;
#define LISTED(name)   &name,
EACH_MODEL(DECLARED)
const struct run_model *const run_models[] = { EACH_MODEL(LISTED) NULL };
_Static_assert(sizeof run_models / sizeof run_models[0] <= MODELS_MOST + 1, "struct sched has room for them");

void models_begin(struct sched *s)
{
    for (const struct run_model *const *m = run_models; *m; m++)
        if ((*m)->wanted(s))
            s->model[s->n_models++] = *m;
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->begin)
            s->model[i]->begin(s);
}

void models_free(struct sched *s)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->free)
            s->model[i]->free(s);
}

void models_held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->held)
            s->model[i]->held(s, j, p, sign);
}

void models_paced(struct sched *s, struct live *l)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->paced)
            s->model[i]->paced(s, l);
}

void models_gone(struct sched *s, job_id j)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->gone)
            s->model[i]->gone(s, j);
}

int64_t models_start_up(const struct sched *s, job_id j, const struct placement *on, bool first)
{
    int64_t ns = -1;
    for (size_t i = 0; i < s->n_models && ns < 0; i++)
        if (s->model[i]->start_up)
            ns = s->model[i]->start_up(s, j, on, first);
    MUST(s, ns >= 0);
    return ns;
}

void models_settle(struct sched *s, int64_t to_ns)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->settle)
            s->model[i]->settle(s, to_ns);
}

bool models_happens(struct sched *s, const struct event *e)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->events >> e->kind & 1u) {
            s->model[i]->happens(s, e);
            return true;
        }
    return false;
}

const char *const *model_columns(const struct run_model *m, enum model_file file)
{
    return file == MODEL_JOBS ? m->job_columns : file == MODEL_NODES ? m->node_columns : m->series_columns;
}

void models_header(struct output *o, const struct sched *s, enum model_file file)
{
    for (size_t i = 0; s && i < s->n_models; i++)
        for (const char *const *column = model_columns(s->model[i], file); column && *column; column++) {
            out_char(o, ',');
            out_text(o, *column);
        }
}

void models_row(struct output *o, const struct sched *s, enum model_file file, uint32_t subject)
{
    for (size_t i = 0; i < s->n_models; i++) {
        const struct run_model *m = s->model[i];
        if (file == MODEL_JOBS && m->job_row)
            m->job_row(o, s, subject);
        else if (file == MODEL_NODES && m->node_row)
            m->node_row(o, s, subject);
        else if (file == MODEL_SERIES && m->series_row)
            m->series_row(o, s);
    }
}

void models_summarise(struct maker *k)
{
    for (size_t i = 0; i < k->s->n_models; i++)
        if (k->s->model[i]->summarise)
            k->s->model[i]->summarise(k);
}

void models_end(struct sched *s)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->end)
            s->model[i]->end(s);
}

int models_check(struct sched *s, struct error *err)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->check && s->model[i]->check(s, err))
            return -1;
    return 0;
}
