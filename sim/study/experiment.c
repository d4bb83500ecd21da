/* experiment.c - see experiment.h. */
#include "sim/study/experiment.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum list_kind {
    LIST_SEEDS,
    LIST_TRACES,
    LIST_CLUSTERS,
    LIST_POLICIES,
    LIST_PLACEMENTS,
    KINDS_WITH_KEY
};
struct reading {
    struct experiment *of;
    const char *folder;           /* of the file; "": the working directory */
    size_t axes, values;          /* capacities: of the axes, of the values of the last axis */
};



static const char *beside(struct reading *r, const char *path)
{
    char *whole = input_beside(r->folder, path);
    const char *text = arena_text(r->of->memory, whole, strlen(whole));
    free(whole);
    return text;
}

static struct axis *add_axis(struct reading *r, enum axis_kind kind, const char *name,
                             const char *key, struct config_value v)
{
    mem_grow(&r->of->axis, &r->axes, r->of->n_axes, sizeof *r->of->axis);
    struct axis *a = &r->of->axis[r->of->n_axes++];
    r->values = 0;
    *a = (struct axis){ .kind = kind, .name = name, .key = key, .place = v };
    return a;
}

/* ==== The values of axes ==== */

enum { VALUES_MAX = 10000 };

static const struct list {
    enum axis_kind kind;
    /* of the axis; its value if the list is absent, NULL: required */
    const char *name, *fallback;
    /* the key of the value in an item with a name; NULL: items have no names */
    const char *member;
} lists[KINDS_WITH_KEY] = {
    [LIST_SEEDS] = { AXIS_SEED, "seed", "1", NULL },
    [LIST_TRACES] = { AXIS_TRACE, "trace", NULL, "file" },
    [LIST_CLUSTERS] = { AXIS_CLUSTER, "cluster", NULL, "file" },
    [LIST_POLICIES] = { AXIS_POLICY, "policy", "fifo", "policy" },
    [LIST_PLACEMENTS] = { AXIS_PLACEMENT, "placement", "pack", "placement" },
};

/* ---- Labels ---- */

static const char *label_of_path(struct arena *memory, const char *path)
{
    static const char *const endings[] = { ".gz",   ".zst", ".yaml", ".yml",
                                           ".json", ".csv", ".swf",  ".txt" };
    size_t length = strcspn(path, ":");
    while (length > 0 && memchr(path, '/', length)) {
        size_t cut = strcspn(path, "/") + 1;
        path += cut;
        length -= cut;
    }
    for (bool cut = true; cut;) {
        cut = false;
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            size_t n = strlen(endings[i]);
            if (length > n && memcmp(path + length - n, endings[i], n) == 0) {
                length -= n;
                cut = true;
            }
        }
    }
    return arena_text(memory, path, length);
}

static int add_value(struct reading *r, struct axis *a, struct axis_value v, struct error *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (!strcmp(a->value[i].label, v.label))
            return config_error(v.place, err, "%s '%s' is listed twice%s", a->name, v.label,
                                a->kind == AXIS_TRACE || a->kind == AXIS_CLUSTER
                                    ? ": give each a name of its own"
                                    : "");
    if (a->n == VALUES_MAX)
        return config_error(v.place, err, "want at most %d values of %s", VALUES_MAX, a->name);
    mem_grow(&a->value, &r->values, a->n, sizeof *a->value);
    a->value[a->n++] = v;
    return 0;
}

/* ---- Items ---- */

static int text_of(struct config_value v, const char **text, struct error *err)
{
    static const struct config_key as_text = { .type = CONFIG_TEXT };
    return config_scalar(v, &as_text, text, err);
}

static bool is_path(const struct list *l, const char *text)
{
    return l->kind == AXIS_CLUSTER || l->kind == AXIS_TRACE || strchr(text, '/');
}

/* "TEXT" or { name: LABEL, MEMBER: TEXT } */
static int read_item(struct reading *r, const struct list *l, struct axis *a,
                     struct config_value item, struct error *err)
{
    struct { const char *name, *text; } both = { NULL, NULL };
    const struct config_key keys[] = {
        { .name = "name", .type = CONFIG_TEXT, .at = 0 },
        { .name = l->member, .type = CONFIG_TEXT, .at = sizeof both.name, .required = true },
        { 0 },
    };
    struct config_value inside = config_look(item, l->member);
    int result = config_is_mapping(item) ? config_fields(item, keys, &both, err)
                                         : text_of(item, &both.text, err);
    if (result)
        return -1;
    if (!strcmp(both.text, "-"))
        return config_error(item, err,
                            "want a file, not standard input: it is read once for many runs");
    bool path = is_path(l, both.text);
    struct axis_value v = { .text = path ? beside(r, both.text) : both.text, .label = both.name,
                            .place = config_given(inside) ? inside : item };
    if (!v.label && l->kind != AXIS_POLICY && l->kind != AXIS_PLACEMENT)
        v.label = label_of_path(r->of->memory, both.text);
    else if (!v.label)
        v.label = both.text;
    return add_value(r, a, v, err);
}

static int add_number(struct reading *r, struct axis *a, int64_t number, struct config_value place,
                      struct error *err)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRId64, number);
    const char *own = arena_text(r->of->memory, text, (size_t)length);
    return add_value(r, a, (struct axis_value){ own, own, place }, err);
}

/* "7" or "1..20" */
static int read_seeds(struct reading *r, struct axis *a, struct config_value item,
                      struct error *err)
{
    const char *text = NULL;
    if (text_of(item, &text, err))
        return -1;
    const char *dots = strstr(text, "..");
    int64_t first = -1, last = -1;
    bool good = integer_parse(text, dots ? (size_t)(dots - text) : strlen(text), &first);
    last = first;
    if (dots)
        good = good && integer_parse(dots + 2, strlen(dots + 2), &last);
    if (!good || first < 0 || last < first)
        return config_error(
            item, err,
            "want a seed, a whole number from 0, or a range of them like 1..20, got '%s'", text);
    if (last - first >= VALUES_MAX)
        return config_error(item, err, "want at most %d seeds, got '%s'", VALUES_MAX, text);
    for (int64_t seed = first; seed <= last; seed++)
        if (add_number(r, a, seed, item, err))
            return -1;
    return 0;
}

/* "8..64" or, in steps, "8..64:8". */
static bool is_range(const char *text, int64_t *first, int64_t *last, int64_t *step)
{
    const char *dots = strstr(text, ".."), *colon = dots ? strchr(dots, ':') : NULL;
    *step = 1;
    return dots && integer_parse(text, (size_t)(dots - text), first) &&
           integer_parse(dots + 2, colon ? (size_t)(colon - dots - 2) : strlen(dots + 2), last) &&
           (!colon || integer_parse(colon + 1, strlen(colon + 1), step));
}

static int read_plain(struct reading *r, struct axis *a, struct config_value item,
                      struct error *err)
{
    const char *text = NULL;
    int64_t first, last, step;
    if (text_of(item, &text, err))
        return -1;
    if (is_range(text, &first, &last, &step)) {
        if (last < first || step < 1)
            return config_error(item, err,
                                "want a range that goes up, like 8..64 or 8..64:8, got '%s'", text);
        a->listed = true;
        for (int64_t at = first; at <= last; at += step)
            if (add_number(r, a, at, item, err))
                return -1;
        return 0;
    }
    return add_value(r, a, (struct axis_value){ text, text, item }, err);
}

/* ---- Lists ---- */

static int read_one(struct reading *r, const struct list *l, struct axis *a,
                    struct config_value item, struct error *err)
{
    if (!l)
        return read_plain(r, a, item, err);
    return l->kind == AXIS_SEED ? read_seeds(r, a, item, err) : read_item(r, l, a, item, err);
}

/* l NULL: the axis of a parameter. */
static int read_values(struct reading *r, const struct list *l, struct axis *a,
                       struct config_value v, struct error *err)
{
    struct config_walk w = { .of = v };
    a->listed = config_is_list(v);
    if (!a->listed)
        return read_one(r, l, a, v, err);
    for (struct config_value item; config_next(&w, &item);)
        if (read_one(r, l, a, item, err))
            return -1;
    return a->n ? 0 : config_error(v, err, "want at least one value, got an empty list");
}

static int read_list(struct reading *r, enum list_kind kind, struct config_value v,
                     struct error *err)
{
    const struct list *l = &lists[kind];
    struct axis *a = add_axis(r, l->kind, l->name, NULL, v);
    if (config_given(v))
        return read_values(r, l, a, v, err);
    struct axis_value fallback = { l->fallback, l->fallback, config_root(r->of->config) };
    return add_value(r, a, fallback, err);
}

static int read_parameters(struct reading *r, struct config_value v, struct error *err)
{
    static const struct { const char *prefix; enum axis_kind kind; } prefixes[] = {
        { "cluster.", AXIS_SETTING }, { "policy.", AXIS_POLICY_PARAMETER }, { "placement.",
            AXIS_PLACEMENT_PARAMETER },
    };
    struct config_walk w = { .of = v };
    for (struct config_value pair; config_next(&w, &pair);) {
        const char *name = NULL, *key;
        enum axis_kind kind = AXIS_OPTION;
        if (config_key_text(pair, &name, err))
            return -1;
        key = name;
        if (!strcmp(name, "switch-policy"))
            kind = AXIS_BRANCH;
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (!strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix))) {
                kind = prefixes[i].kind;
                key = name + strlen(prefixes[i].prefix);
            }
        struct config_value at_key = { .config = pair.config, .node = pair.key };
        for (size_t i = 0; i < r->of->n_axes; i++)
            if (r->of->axis[i].key && !strcmp(r->of->axis[i].name, name))
                return config_error(at_key, err, "key '%s' is given twice", name);
        if (read_values(r, NULL, add_axis(r, kind, name, key, at_key), pair, err))
            return -1;
    }
    return 0;
}

/* ==== Combinations that are left out ==== */

enum { LIST_MAX = 400 };

static int no_axis(const struct experiment *e, struct config_value pair, const char *name,
                   struct error *err)
{
    struct suggestion near = { .typed = name };
    struct config_value key = { .config = pair.config, .node = pair.key };
    char list[LIST_MAX] = "";
    for (size_t i = 0, n = 0; i < e->n_axes; i++) {
        suggest_offer(&near, e->axis[i].name);
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "",
                                  e->axis[i].name);
    }
    return config_error(key, err, "no axis '%s': want one of %s%s%s%s", name, list,
                        near.best ? ", did you mean '" : "", near.best ? near.best : "",
                        near.best ? "'?" : "");
}

/* By its label or its text. */
static int hold_value(const struct axis *a, struct config_value item, bool *holds,
                      struct error *err)
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
    return config_error(item, err, "the experiment has no %s '%s'%s%s%s", a->name, near.typed,
                        near.best ? ", did you mean '" : "", near.best ? near.best : "",
                        near.best ? "'?" : "");
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

static int read_exclusion(const struct experiment *e, struct config_value item, struct exclusion *x,
                          struct error *err)
{
    struct config_walk w = { .of = item };
    if (!config_is_mapping(item) || config_count(item) == 0)
        return config_error(item, err,
                            "want a mapping of what is left out, like { policy: fifo, seed: 1 }");
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
            return config_error((struct config_value){ .config = pair.config, .node = pair.key },
                                err, "key '%s' is given twice", name);
        x->holds[i] = arena_alloc(e->memory, e->axis[i].n * sizeof *x->holds[i]);
        if (hold_values(&e->axis[i], pair, x->holds[i], err))
            return -1;
    }
    return 0;
}

static int read_exclusions(struct reading *r, struct config_value v, struct error *err)
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

/* ==== The file ==== */

#define LIMIT_MAX_S INT64_C(31536000)    /* a year */

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
    { .name = "limit_s", .type = CONFIG_PARTS, AT(limit_ns), .least = 0, .most = LIMIT_MAX_S,
      .scale = NS_PER_S,
      .above_least = true },
    { 0 },
};

/* ---- The file ---- */

/* By kind; stable within a kind. */
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

static int read_name(struct experiment *e, const struct keys *k, const char *path,
                     struct error *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    struct config_value root = config_root(e->config);
    e->name = k->name;
    if (!e->name)
        e->name = label_of_path(e->memory, base);
    if (strchr(e->name, '/') || *e->name == '.')
        return config_error(config_look(root, "name"), err,
                            "want a name without '/' that does not begin with '.', got '%s'",
                            e->name);
    return 0;
}

static int read_all(struct reading *r, const char *path, struct error *err)
{
    struct keys k = { .name = NULL };
    if (config_fields(config_root(r->of->config), keys, &k, err) || read_name(r->of, &k, path, err))
        return -1;
    r->of->limit_ns = k.limit_ns;
    for (enum list_kind l = 0; l < KINDS_WITH_KEY; l++)
        if (read_list(r, l, k.list[l], err))
            return -1;
    if (read_parameters(r, k.parameters, err))
        return -1;
    sort_axes(r->of);
    return read_exclusions(r, k.exclude, err);
}

struct experiment *experiment_from(struct input *in, const char *path, struct error *err)
{
    struct experiment *e = mem_new(1, sizeof *e);
    e->memory = arena_new();
    e->config = config_read(in, err);
    const char *slash = strrchr(path, '/');
    struct reading r = { .of = e, .folder = slash ? arena_text(e->memory, path,
                                                               slash > path ? (size_t)(slash - path) : 1) : "" };
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

/* Only experiments have one of these keys at the beginning of a line. */
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
