/* models.c - see models.h. */
#include "sim/engine/models.h"
#include "sim/engine/state.h"

#include <string.h>

void models_prepare(struct sched *s, const struct run_model *const *all)
{
    for (const struct run_model *const *m = all; *m; m++)
        if ((*m)->wanted(s)) {
            MUST(s, s->n_models < MODELS_MOST);
            s->model[s->n_models++] = *m;
        }
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->prepare)
            s->model[i]->prepare(s);
}

void models_begin(struct sched *s)
{
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

bool run_remark(const struct sched *s, size_t *next, char *text, size_t size)
{
    while (*next < s->n_models) {
        const struct run_model *m = s->model[(*next)++];
        if (m->remark && m->remark(s, text, size))
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

void models_file_rows(struct output *o, const struct sched *s, const char *file)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->file_rows && !strcmp(s->model[i]->file, file))
            s->model[i]->file_rows(o, s);
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

int64_t models_pull_ns(const struct sched *s, job_id j, const struct placement *on)
{
    int64_t ns = 0;
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->pull_ns)
            ns += s->model[i]->pull_ns(s, j, on);
    return ns;
}

int64_t models_wake_ns(const struct sched *s, const struct placement *p)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < s->n_models; i++) {
        int64_t ns = s->model[i]->wake_ns ? s->model[i]->wake_ns(s, p) : 0;
        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    return longest_ns;
}

int64_t models_resize_cost_ns(const struct sched *s, job_id j)
{
    int64_t ns = -1;
    for (size_t i = 0; i < s->n_models && ns < 0; i++)
        if (s->model[i]->resize_cost_ns)
            ns = s->model[i]->resize_cost_ns(s, j);
    return ns;
}

int64_t models_held_milli(const struct sched *s, node_id n)
{
    int64_t milli = 0;
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->held_milli)
            milli += s->model[i]->held_milli(s, n);
    return milli;
}

int64_t models_save_ns(const struct sched *s, const struct live *l)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->save_ns)
            return s->model[i]->save_ns(s, l);
    ENGINE_BUG(s, "job %s saves, and no model writes checkpoints", s->workload->truth[l->job].name);
}

void models_ran_before(struct sched *s, struct live *l, int64_t done_ns)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->ran_before)
            s->model[i]->ran_before(s, l, done_ns);
}

void models_resized(struct sched *s, job_id j)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->resized)
            s->model[i]->resized(s, j);
}

void models_suspended(struct sched *s, const struct placement *p, int sign)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->suspended)
            s->model[i]->suspended(s, p, sign);
}

void models_interrupted(struct sched *s, const struct live *l, unsigned cause)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->interrupted)
            s->model[i]->interrupted(s, l, cause);
}

bool models_give_up(struct sched *s, struct live *l)
{
    bool any = false;
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->gives_up)
            any |= s->model[i]->gives_up(s, l);
    return any;
}

void models_node_power(struct sched *s, node_id n, bool out)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->node_power)
            s->model[i]->node_power(s, n, out);
}

bool models_save_at_risk(struct sched *s, struct live *l)
{
    bool any = false;
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->save_at_risk)
            any |= s->model[i]->save_at_risk(s, l);
    return any;
}

void models_save_begins(struct sched *s, struct live *l, const struct stop_overhead *overhead, bool at_risk)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->save_begins)
            s->model[i]->save_begins(s, l, overhead, at_risk);
}

bool models_save_ends(struct sched *s, struct live *l)
{
    bool any = false;
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->save_ends)
            any |= s->model[i]->save_ends(s, l);
    return any;
}

void models_save_fails(struct sched *s, struct live *l)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->save_fails)
            s->model[i]->save_fails(s, l);
}

void models_stall(struct sched *s, struct live *l, enum account on)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->stalls)
            s->model[i]->stalls(s, l, on);
}

void models_round(struct sched *s)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->round)
            s->model[i]->round(s);
}

void models_instant(struct sched *s, bool changed)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (s->model[i]->instant)
            s->model[i]->instant(s, changed);
}

void model_state_set(struct sched *s, const struct run_model *m, void *state)
{
    size_t i = model_place(s, m);
    s->model_state[i].of = m;
    s->model_state[i].is = state;
}
