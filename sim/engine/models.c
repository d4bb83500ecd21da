/* models.c - see models.h. */
#include "sim/engine/models.h"
#include "sim/engine/state.h"

#include <string.h>

_Static_assert(sizeof(struct run_model) <= sizeof(void *) * MODEL_WORDS_MOST, "struct sched has a walk for each hook");

/* A hook that is wanted is a pointer that is not NULL; what else the table holds gets a walk that is never taken. */
void models_add(struct sched *s, const struct run_model *m)
{
    void *word[sizeof *m / sizeof(void *)];
    MUST(s, s->n_models < MODELS_MOST && m->place < MODELS_MOST);
    for (size_t i = 0; i < s->n_models; i++)
        MUST(s, s->model[i]->place != m->place);
    memcpy(word, m, sizeof *m);
    for (size_t w = 0; w < sizeof word / sizeof *word; w++)
        s->hooked[w] |= (hook_walk)(word[w] != NULL) << s->n_models;
    s->model[s->n_models++] = m;
}

void models_choose(struct sched *s, const struct run_model *const *all)
{
    for (const struct run_model *const *m = all; *m; m++)
        if ((*m)->wanted(s))
            models_add(s, *m);
}

void models_drop(struct sched *s)
{
    s->n_models = 0;
    memset(s->hooked, 0, sizeof s->hooked);
}

void models_prepare(struct sched *s)
{
    for (hook_walk i = HOOKED(s, prepare); i; hook_next(&i))
        hooked(s, i)->prepare(s);
}

void models_begin(struct sched *s)
{
    for (hook_walk i = HOOKED(s, begin); i; hook_next(&i))
        hooked(s, i)->begin(s);
}

void models_free(struct sched *s)
{
    for (hook_walk i = HOOKED(s, free); i; hook_next(&i))
        hooked(s, i)->free(s);
}

void models_held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    for (hook_walk i = HOOKED(s, held); i; hook_next(&i))
        hooked(s, i)->held(s, j, p, sign);
}

void models_paced(struct sched *s, struct live *l)
{
    for (hook_walk i = HOOKED(s, paced); i; hook_next(&i))
        hooked(s, i)->paced(s, l);
}

void models_gone(struct sched *s, job_id j)
{
    for (hook_walk i = HOOKED(s, gone); i; hook_next(&i))
        hooked(s, i)->gone(s, j);
}

void models_due(struct sched *s, job_id j, const char *never)
{
    for (hook_walk i = HOOKED(s, due); i; hook_next(&i))
        hooked(s, i)->due(s, j, never);
}

int64_t models_start_up(const struct sched *s, job_id j, const struct placement *on, bool first)
{
    int64_t ns = -1;
    for (hook_walk i = HOOKED(s, start_up); i && ns < 0; hook_next(&i))
        ns = hooked(s, i)->start_up(s, j, on, first);
    MUST(s, ns >= 0);
    return ns;
}

void models_settle(struct sched *s, int64_t to_ns)
{
    for (hook_walk i = HOOKED(s, settle); i; hook_next(&i))
        hooked(s, i)->settle(s, to_ns);
}

bool models_happens(struct sched *s, const struct event *e)
{
    for (hook_walk i = HOOKED(s, happens); i; hook_next(&i))
        if (hooked(s, i)->events >> e->kind & 1u) {
            hooked(s, i)->happens(s, e);
            return true;
        }
    return false;
}

const char *const *model_columns(const struct run_model *m, enum model_file file)
{
    return file == MODEL_JOBS ? m->job_columns : file == MODEL_NODES ? m->node_columns : m->series_columns;
}

bool models_have_columns(const struct sched *s, enum model_file file)
{
    for (size_t i = 0; i < s->n_models; i++)
        if (model_columns(s->model[i], file))
            return true;
    return false;
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
    for (hook_walk i = HOOKED(s, file_rows); i; hook_next(&i))
        if (!strcmp(hooked(s, i)->file, file))
            hooked(s, i)->file_rows(o, s);
}

void models_last(struct sched *s)
{
    for (hook_walk i = HOOKED(s, last); i; hook_next(&i))
        hooked(s, i)->last(s);
}

void models_end(struct sched *s)
{
    for (hook_walk i = HOOKED(s, end); i; hook_next(&i))
        hooked(s, i)->end(s);
}

int models_check(struct sched *s, struct error *err)
{
    for (hook_walk i = HOOKED(s, check); i; hook_next(&i))
        if (hooked(s, i)->check(s, err))
            return -1;
    return 0;
}

int64_t models_pull_ns(const struct sched *s, job_id j, const struct placement *on)
{
    int64_t ns = 0;
    for (hook_walk i = HOOKED(s, pull_ns); i; hook_next(&i))
        ns += hooked(s, i)->pull_ns(s, j, on);
    return ns;
}

unsigned models_keep(const struct sched *s, job_id j, node_id n)
{
    unsigned kept = 0;
    for (hook_walk i = HOOKED(s, keeps); i; hook_next(&i))
        kept |= hooked(s, i)->keeps(s, j, n);
    return kept;
}

int64_t models_wake_ns(const struct sched *s, const struct placement *p)
{
    int64_t longest_ns = 0;
    for (hook_walk i = HOOKED(s, wake_ns); i; hook_next(&i)) {
        int64_t ns = hooked(s, i)->wake_ns(s, p);
        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    return longest_ns;
}

int64_t models_level_ns(const struct sched *s)
{
    int64_t first_ns = TIME_NEVER;
    for (hook_walk i = HOOKED(s, level_ns); i; hook_next(&i)) {
        int64_t ns = hooked(s, i)->level_ns(s);
        first_ns = ns < first_ns ? ns : first_ns;
    }
    return first_ns;
}

int64_t models_resize_cost_ns(const struct sched *s, job_id j)
{
    int64_t ns = -1;
    for (hook_walk i = HOOKED(s, resize_cost_ns); i && ns < 0; hook_next(&i))
        ns = hooked(s, i)->resize_cost_ns(s, j);
    return ns;
}

int64_t models_held_milli(const struct sched *s, node_id n)
{
    int64_t milli = 0;
    for (hook_walk i = HOOKED(s, held_milli); i; hook_next(&i))
        milli += hooked(s, i)->held_milli(s, n);
    return milli;
}

int64_t models_save_ns(const struct sched *s, const struct live *l)
{
    for (hook_walk i = HOOKED(s, save_ns); i; hook_next(&i))
        return hooked(s, i)->save_ns(s, l);
    ENGINE_BUG(s, "job %s saves, and no model writes checkpoints", s->workload->truth[l->job].name);
}

void models_ran_before(struct sched *s, struct live *l, int64_t done_ns)
{
    for (hook_walk i = HOOKED(s, ran_before); i; hook_next(&i))
        hooked(s, i)->ran_before(s, l, done_ns);
}

void models_resized(struct sched *s, job_id j)
{
    for (hook_walk i = HOOKED(s, resized); i; hook_next(&i))
        hooked(s, i)->resized(s, j);
}

void models_suspended(struct sched *s, const struct placement *p, int sign)
{
    for (hook_walk i = HOOKED(s, suspended); i; hook_next(&i))
        hooked(s, i)->suspended(s, p, sign);
}

void models_interrupted(struct sched *s, const struct live *l, unsigned cause)
{
    for (hook_walk i = HOOKED(s, interrupted); i; hook_next(&i))
        hooked(s, i)->interrupted(s, l, cause);
}

bool models_give_up(struct sched *s, struct live *l)
{
    bool any = false;
    for (hook_walk i = HOOKED(s, gives_up); i; hook_next(&i))
        any |= hooked(s, i)->gives_up(s, l);
    return any;
}

void models_node_power(struct sched *s, node_id n, bool out)
{
    for (hook_walk i = HOOKED(s, node_power); i; hook_next(&i))
        hooked(s, i)->node_power(s, n, out);
}

bool models_save_at_risk(struct sched *s, struct live *l)
{
    bool any = false;
    for (hook_walk i = HOOKED(s, save_at_risk); i; hook_next(&i))
        any |= hooked(s, i)->save_at_risk(s, l);
    return any;
}

void models_save_begins(struct sched *s, struct live *l, const struct stop_overhead *overhead, bool at_risk)
{
    for (hook_walk i = HOOKED(s, save_begins); i; hook_next(&i))
        hooked(s, i)->save_begins(s, l, overhead, at_risk);
}

bool models_save_ends(struct sched *s, struct live *l)
{
    bool any = false;
    for (hook_walk i = HOOKED(s, save_ends); i; hook_next(&i))
        any |= hooked(s, i)->save_ends(s, l);
    return any;
}

void models_save_fails(struct sched *s, struct live *l)
{
    for (hook_walk i = HOOKED(s, save_fails); i; hook_next(&i))
        hooked(s, i)->save_fails(s, l);
}

void models_stall(struct sched *s, struct live *l, enum account on)
{
    for (hook_walk i = HOOKED(s, stalls); i; hook_next(&i))
        hooked(s, i)->stalls(s, l, on);
}

void models_round(struct sched *s)
{
    for (hook_walk i = HOOKED(s, round); i; hook_next(&i))
        hooked(s, i)->round(s);
}

void models_instant(struct sched *s, bool changed)
{
    for (hook_walk i = HOOKED(s, instant); i; hook_next(&i))
        hooked(s, i)->instant(s, changed);
}

void model_state_set(struct sched *s, const struct run_model *m, void *state)
{
    s->model_state[m->place] = state;
}
