/* experiment_lists.c - the values of an axis: paths, names with parameters, seeds, and plain values. See experiment.h. */
#include "sim/study/experiment_parts.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 10000 };

static const struct list {
    enum axis_kind kind;
    const char *name, *usual;     /* of the axis; what it is if nothing is said, NULL: something must be */
    const char *member;           /* of an item that also has a name; NULL: seeds have none */
} lists[KINDS_WITH_KEY] = {
    [LIST_SEEDS] = { AXIS_SEED, "seed", "1", NULL },
    [LIST_TRACES] = { AXIS_TRACE, "trace", NULL, "file" },
    [LIST_CLUSTERS] = { AXIS_CLUSTER, "cluster", NULL, "file" },
    [LIST_POLICIES] = { AXIS_POLICY, "policy", "fifo", "policy" },
    [LIST_PLACEMENTS] = { AXIS_PLACEMENT, "placement", "pack", "placement" },
};

/* ---- Labels ---- */

const char *experiment_label_of_path(struct arena *memory, const char *path)
{
    static const char *const endings[] = { ".gz", ".zst", ".yaml", ".yml", ".json", ".csv", ".swf", ".txt" };
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
                                a->kind == AXIS_TRACE || a->kind == AXIS_CLUSTER ? ": give each a name of its own" : "");
    if (a->n == VALUES_MOST)
        return config_error(v.place, err, "want at most %d values of %s", VALUES_MOST, a->name);
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
static int read_item(struct reading *r, const struct list *l, struct axis *a, struct config_value item, struct error *err)
{
    struct { const char *name, *text; } both = { NULL, NULL };
    const struct config_key keys[] = {
        { .name = "name", .type = CONFIG_TEXT, .at = 0 },
        { .name = l->member, .type = CONFIG_TEXT, .at = sizeof both.name, .required = true },
        { 0 },
    };
    struct config_value inside = config_look(item, l->member);
    int result = config_is_mapping(item) ? config_fields(item, keys, &both, err) : text_of(item, &both.text, err);
    if (result)
        return -1;
    if (!strcmp(both.text, "-"))
        return config_error(item, err, "want a file, not standard input: it is read once for many runs");
    bool path = is_path(l, both.text);
    struct axis_value v = { .text = path ? experiment_beside(r, both.text) : both.text, .label = both.name,
                            .place = config_given(inside) ? inside : item };
    if (!v.label && l->kind != AXIS_POLICY && l->kind != AXIS_PLACEMENT)
        v.label = experiment_label_of_path(r->of->memory, both.text);
    else if (!v.label)
        v.label = both.text;
    return add_value(r, a, v, err);
}

static int add_number(struct reading *r, struct axis *a, int64_t number, struct config_value place, struct error *err)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRId64, number);
    const char *own = arena_text(r->of->memory, text, (size_t)length);
    return add_value(r, a, (struct axis_value){ own, own, place }, err);
}

/* "7" or "1..20" */
static int read_seeds(struct reading *r, struct axis *a, struct config_value item, struct error *err)
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
        return config_error(item, err, "want a seed, a whole number from 0, or a range of them like 1..20, got '%s'", text);
    if (last - first >= VALUES_MOST)
        return config_error(item, err, "want at most %d seeds, got '%s'", VALUES_MOST, text);
    for (int64_t seed = first; seed <= last; seed++)
        if (add_number(r, a, seed, item, err))
            return -1;
    return 0;
}

/* "8..64" or, in steps, "8..64:8". false: it is something else. */
static bool is_range(const char *text, int64_t *first, int64_t *last, int64_t *step)
{
    const char *dots = strstr(text, ".."), *colon = dots ? strchr(dots, ':') : NULL;
    *step = 1;
    return dots && integer_parse(text, (size_t)(dots - text), first) &&
           integer_parse(dots + 2, colon ? (size_t)(colon - dots - 2) : strlen(dots + 2), last) &&
           (!colon || integer_parse(colon + 1, strlen(colon + 1), step));
}

static int read_plain(struct reading *r, struct axis *a, struct config_value item, struct error *err)
{
    const char *text = NULL;
    int64_t first, last, step;
    if (text_of(item, &text, err))
        return -1;
    if (is_range(text, &first, &last, &step)) {
        if (last < first || step < 1)
            return config_error(item, err, "want a range that goes up, like 8..64 or 8..64:8, got '%s'", text);
        a->listed = true;
        for (int64_t at = first; at <= last; at += step)
            if (add_number(r, a, at, item, err))
                return -1;
        return 0;
    }
    return add_value(r, a, (struct axis_value){ text, text, item }, err);
}

/* ---- Lists ---- */

static int read_one(struct reading *r, const struct list *l, struct axis *a, struct config_value item, struct error *err)
{
    if (!l)
        return read_plain(r, a, item, err);
    return l->kind == AXIS_SEED ? read_seeds(r, a, item, err) : read_item(r, l, a, item, err);
}

/* l NULL: of a parameter. */
static int read_values(struct reading *r, const struct list *l, struct axis *a, struct config_value v, struct error *err)
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

int experiment_read_list(struct reading *r, enum list_kind kind, struct config_value v, struct error *err)
{
    const struct list *l = &lists[kind];
    struct axis *a = experiment_add_axis(r, l->kind, l->name, NULL, v);
    if (config_given(v))
        return read_values(r, l, a, v, err);
    struct axis_value usual = { l->usual, l->usual, config_root(r->of->config) };
    return add_value(r, a, usual, err);
}

int experiment_read_parameters(struct reading *r, struct config_value v, struct error *err)
{
    static const struct { const char *prefix; enum axis_kind kind; } prefixes[] = {
        { "cluster.", AXIS_SETTING }, { "policy.", AXIS_POLICY_PARAMETER }, { "placement.", AXIS_PLACEMENT_PARAMETER },
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
        if (read_values(r, NULL, experiment_add_axis(r, kind, name, key, at_key), pair, err))
            return -1;
    }
    return 0;
}
