/* experiment_exclude.c - combinations that an experiment leaves out. See experiment.h. */
#include "sim/study/experiment_parts.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LIST_MOST = 400 };

static int no_axis(const struct experiment *e, struct config_value pair, const char *name, struct error *err)
{
    struct suggestion near = { .typed = name };
    struct config_value key = { .config = pair.config, .node = pair.key };
    char list[LIST_MOST] = "";
    for (size_t i = 0, n = 0; i < e->n_axes; i++) {
        suggest_offer(&near, e->axis[i].name);
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", e->axis[i].name);
    }
    return config_error(key, err, "nothing here is called '%s': want one of %s%s%s%s", name, list, near.best ? ", did you mean '" : "",
                        near.best ? near.best : "", near.best ? "'?" : "");
}

/* By its label, or as it was given. */
static int hold_value(const struct axis *a, struct config_value item, bool *holds, struct error *err)
{
    static const struct config_key as_text = { .type = CONFIG_TEXT };
    struct suggestion near = { .typed = "" };
    if (config_scalar(item, &as_text, &near.typed, err))
        return -1;
    for (size_t i = 0; i < a->n; i++) {
        if (!strcmp(a->value[i].label, near.typed) || !strcmp(a->value[i].text, near.typed)) {
            holds[i] = true;
            return 0;
        }
        suggest_offer(&near, a->value[i].label);
    }
    return config_error(item, err, "the experiment has no %s '%s'%s%s%s", a->name, near.typed, near.best ? ", did you mean '" : "",
                        near.best ? near.best : "", near.best ? "'?" : "");
}

static int hold_values(const struct axis *a, struct config_value v, bool *holds, struct error *err)
{
    struct config_walk w = { .of = v };
    if (!config_is_list(v))
        return hold_value(a, v, holds, err);
    for (struct config_value item; config_next(&w, &item);)
        if (hold_value(a, item, holds, err))
            return -1;
    return 0;
}

static int read_exclusion(const struct experiment *e, struct config_value item, struct exclusion *x, struct error *err)
{
    struct config_walk w = { .of = item };
    if (!config_is_mapping(item) || config_count(item) == 0)
        return config_error(item, err, "want a mapping of what is left out, like { policy: fifo, seed: 1 }");
    for (struct config_value pair; config_next(&w, &pair);) {
        const char *name = NULL;
        size_t i = 0;
        if (config_key_text(pair, &name, err))
            return -1;
        while (i < e->n_axes && strcmp(e->axis[i].name, name) != 0)
            i++;
        if (i == e->n_axes)
            return no_axis(e, pair, name, err);
        if (x->holds[i])
            return config_error((struct config_value){ .config = pair.config, .node = pair.key }, err, "key '%s' is given twice", name);
        x->holds[i] = arena_alloc(e->memory, e->axis[i].n * sizeof *x->holds[i]);
        if (hold_values(&e->axis[i], pair, x->holds[i], err))
            return -1;
    }
    return 0;
}

int experiment_read_exclusions(struct reading *r, struct config_value v, struct error *err)
{
    struct experiment *e = r->of;
    struct config_walk w = { .of = v };
    e->exclusion = mem_new(config_count(v), sizeof *e->exclusion);
    for (struct config_value item; config_next(&w, &item);) {
        struct exclusion *x = &e->exclusion[e->n_exclusions++];
        x->holds = arena_alloc(e->memory, e->n_axes * sizeof *x->holds);
        if (read_exclusion(e, item, x, err))
            return -1;
    }
    return 0;
}
