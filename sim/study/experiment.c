/* experiment.c - the keys of an experiment file and the list behind each. See experiment.h. */
#include "sim/study/experiment_parts.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_MOST_S INT64_C(31536000)    /* a year */

struct keys {
    const char *name;
    struct config_value list[KINDS_WITH_KEY], parameters, exclude;
    int64_t limit_ns;
};
#define AT(field) .at = offsetof(struct keys, field)
static const struct config_key keys[] = {
    { .name = "name", .type = CONFIG_TEXT, AT(name) },
    { .name = "clusters", .type = CONFIG_ANY, AT(list[LIST_CLUSTERS]), .required = true },
    { .name = "traces", .type = CONFIG_ANY, AT(list[LIST_TRACES]), .required = true },
    { .name = "policies", .type = CONFIG_ANY, AT(list[LIST_POLICIES]) },
    { .name = "placements", .type = CONFIG_ANY, AT(list[LIST_PLACEMENTS]) },
    { .name = "parameters", .type = CONFIG_MAPPING, AT(parameters) },
    { .name = "seeds", .type = CONFIG_ANY, AT(list[LIST_SEEDS]) },
    { .name = "exclude", .type = CONFIG_LIST, AT(exclude) },
    { .name = "limit_s", .type = CONFIG_PARTS, AT(limit_ns), .least = 0, .most = LIMIT_MOST_S, .scale = NS_PER_S,
      .above_least = true },
    { 0 },
};

const char *experiment_beside(struct reading *r, const char *path)
{
    char *whole = input_beside(r->folder, path);
    const char *text = arena_text(r->of->memory, whole, strlen(whole));
    free(whole);
    return text;
}

struct axis *experiment_add_axis(struct reading *r, enum axis_kind kind, const char *name, const char *key, struct config_value v)
{
    mem_grow(&r->of->axis, &r->axes, r->of->n_axes, sizeof *r->of->axis);
    struct axis *a = &r->of->axis[r->of->n_axes++];
    r->values = 0;
    *a = (struct axis){ .kind = kind, .name = name, .key = key, .place = v };
    return a;
}

/* ---- The file ---- */

/* Kinds in their order; insertion keeps that of the file within a kind. */
static void sort_axes(struct experiment *e)
{
    for (size_t i = 1; i < e->n_axes; i++) {
        struct axis moving = e->axis[i];
        size_t k = i;
        for (; k > 0 && e->axis[k - 1].kind > moving.kind; k--)
            e->axis[k] = e->axis[k - 1];
        e->axis[k] = moving;
    }
}

static int read_name(struct experiment *e, const struct keys *k, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    struct config_value root = config_root(e->config);
    e->name = k->name;
    if (!e->name)
        e->name = experiment_label_of_path(e->memory, base);
    if (strchr(e->name, '/') || *e->name == '.')
        return config_error(config_look(root, "name"), err, "want a name without '/' that does not begin with '.', got '%s'", e->name);
    return 0;
}

static int read_all(struct reading *r, const char *path, struct error *err)
{
    struct keys k = { .name = NULL };
    if (config_fields(config_root(r->of->config), keys, &k, err) || read_name(r->of, &k, path, err))
        return -1;
    r->of->limit_ns = k.limit_ns;
    for (enum list_kind l = 0; l < KINDS_WITH_KEY; l++)
        if (experiment_read_list(r, l, k.list[l], err))
            return -1;
    if (experiment_read_parameters(r, k.parameters, err))
        return -1;
    sort_axes(r->of);
    return experiment_read_exclusions(r, k.exclude, err);
}

struct experiment *experiment_from(struct input *in, const char *path, struct error *err)
{
    struct experiment *e = mem_new(1, sizeof *e);
    e->memory = arena_new();
    e->config = config_read(in, err);
    const char *slash = strrchr(path, '/');
    struct reading r = { .of = e, .folder = slash ? arena_text(e->memory, path, slash > path ? (size_t)(slash - path) : 1) : "" };
    if (e->config && input_sha256(in, e->sha256, err) == 0 && read_all(&r, path, err) == 0)
        return e;
    experiment_free(e);
    return NULL;
}

struct experiment *experiment_read(const char *path, struct error *err)
{
    struct input *in = input_open(path, err);
    struct experiment *e = in ? experiment_from(in, path, err) : NULL;
    input_close(in);
    return e;
}

void experiment_free(struct experiment *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->n_axes; i++) {
        free(e->axis[i].value);
        free(e->axis[i].idle);
    }
    free(e->axis);
    free(e->exclusion);
    config_free(e->config);
    arena_free(e->memory);
    free(e);
}

const struct axis *experiment_axis(const struct experiment *e, enum axis_kind kind)
{
    for (size_t i = 0; i < e->n_axes; i++)
        if (e->axis[i].kind == kind)
            return &e->axis[i];
    return NULL;
}

/* A key that only an experiment has, at the beginning of a line. */
bool experiment_recognise(const char *head, size_t length)
{
    static const char *const telling[] = { "clusters:", "traces:" };
    bool found[2] = { false };
    for (size_t at = 0; at < length;) {
        for (size_t k = 0; k < 2; k++) {
            size_t n = strlen(telling[k]);
            found[k] = found[k] || (length - at >= n && memcmp(head + at, telling[k], n) == 0);
        }
        const char *end = memchr(head + at, '\n', length - at);
        at = end ? (size_t)(end - head) + 1 : length;
    }
    return found[0] || found[1];
}
