/* asked_levels.c - see asked_levels.h. */
#include "sim/workload/asked_levels.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/workload/pod_sets.h"
#include "sim/workload/task_groups.h"

#include <stdlib.h>
#include <string.h>

struct asked_levels {
    struct intern *names;
    struct { const char *file; size_t line; } at[LEVEL_NAMES_MOST];
    struct level_names bound;     /* of the cluster; before that the usual ones */
    bool is_bound;
};

struct asked_levels *asked_levels_new(void)
{
    struct asked_levels *a = mem_new(1, sizeof *a);
    a->names = intern_new();
    a->bound = level_names_usual;
    return a;
}

void asked_levels_free(struct asked_levels *a)
{
    if (!a)
        return;
    intern_free(a->names);
    free(a);
}

uint8_t workload_level(struct workload *w, const char *text, size_t length, const char *file,
                       size_t line)
{
    struct asked_levels *a = w->levels;
    enum level word = level_word(text, length);
    uint32_t known = intern_count(a->names);
    if (word != LEVEL_ANY || !level_is_name(text, length))
        return (uint8_t)word;
    if (known == LEVEL_NAMES_MOST && intern_find(a->names, text, length) == INTERN_NONE)
        return LEVEL_ANY;
    uint32_t id = intern_add(a->names, text, length);
    if (id == known) {
        a->at[id].file = arena_text(w->memory, file, strlen(file));
        a->at[id].line = line;
    }
    return (uint8_t)(LEVEL_NAMED + id);
}

const char *workload_level_want(const struct workload *w, const char *text, size_t length,
                                const char *usual)
{
    return level_is_name(text, length) && intern_count(w->levels->names) == LEVEL_NAMES_MOST
               ? "at most 200 names of levels in a trace"
               : usual;
}

const char *workload_level_text(const struct workload *w, unsigned level)
{
    const struct asked_levels *a = w->levels;
    return level >= LEVEL_NAMED ? intern_text(a->names, level - LEVEL_NAMED)
                                : level_text(&a->bound, level);
}

static int unknown_level(const struct asked_levels *a, uint32_t id, const struct level_names *of,
                         const char *cluster, struct error *err)
{
    const char *name = intern_text(a->names, id);
    struct suggestion near = { .typed = name };
    char list[LEVEL_LIST_MAX];
    for (enum level l = LEVEL_ISLAND; l <= LEVEL_CLUSTER; l++)
        suggest_offer(&near, level_text(of, l));
    return error_set(err, "%s:%zu: want a level of cluster %s: %s; got '%s'%s%s%s", a->at[id].file,
                     a->at[id].line, cluster, level_list(of, list), name,
                     near.best ? ", did you mean '" : "", near.best ? near.best : "",
                     near.best ? "'?" : "");
}

/* Requests have numbers of levels by now, which others would not have meant. */
static int bind_again(const struct asked_levels *a, const struct level_names *of,
                      const char *cluster, struct error *err)
{
    bool same = a->bound.n == of->n;
    for (uint32_t k = 0; k < of->n && same; k++)
        same = strcmp(a->bound.name[k], of->name[k]) == 0;
    char had[LEVEL_LIST_MAX], has[LEVEL_LIST_MAX];
    return same ? 0
                : error_set(err, "cluster %s: want the levels that the trace is bound to: %s; got %s",
                            cluster, level_list(&a->bound, had), level_list(of, has));
}

int workload_bind_levels(struct workload *w, const struct level_names *of, const char *cluster,
                         struct error *err)
{
    struct asked_levels *a = w->levels;
    level_map map;
    if (a->is_bound)
        return bind_again(a, of, cluster, err);
    for (unsigned l = 0; l <= UINT8_MAX; l++)
        map[l] = (uint8_t)l;
    for (uint32_t id = 0; id < intern_count(a->names); id++) {
        const char *name = intern_text(a->names, id);
        map[LEVEL_NAMED + id] = (uint8_t)level_find(of, name, strlen(name));
        if (map[LEVEL_NAMED + id] == LEVEL_ANY)
            return unknown_level(a, id, of, cluster, err);
    }
    a->is_bound = true;
    a->bound.n = of->n;
    for (uint32_t k = 0; k < of->n; k++)
        a->bound.name[k] = arena_text(w->memory, of->name[k], strlen(of->name[k]));
    for (shape_id i = 0; i < w->n_shapes; i++) {
        struct request *ask = &w->shape[i].ask;
        ask->required_level = map[ask->required_level];
        ask->preferred_level = map[ask->preferred_level];
    }
    group_trees_map_levels(w->trees, map);
    if (pod_sets_map_levels(w->pod_sets, map))
        return 0;
    char list[LEVEL_LIST_MAX];
    return error_set(err,
                     "cluster %s: the trace has slices with levels of these: %s; want the "
                     "outermost slices at the level of the topology or below it, and each level "
                     "finer than the one before",
                     cluster, level_list(of, list));
}
