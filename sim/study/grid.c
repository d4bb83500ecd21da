/* grid.c - see grid.h. */
#include "sim/study/grid.h"

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* file names have at most 255 bytes, and files beside the directory get suffixes */
enum { NAME_LENGTH_MAX = 200 };

/* ---- One combination ---- */

/* The axis that decides whether a parameter is idle. */
static size_t owner_of(const struct experiment *e, const struct axis *a)
{
    enum axis_kind kind = a->kind == AXIS_POLICY_PARAMETER ? AXIS_POLICY : AXIS_PLACEMENT;
    return (size_t)(experiment_axis(e, kind) - e->axis);
}

/* false: it repeats a combination with a lower number. */
static bool digits_of(const struct experiment *e, uint64_t number, uint32_t *value)
{
    for (size_t i = e->n_axes; i-- > 0;) {
        value[i] = (uint32_t)(number % e->axis[i].n);
        number /= e->axis[i].n;
    }
    for (size_t i = 0; i < e->n_axes; i++) {
        const struct axis *a = &e->axis[i];
        if (!a->idle || !a->idle[value[owner_of(e, a)]])
            continue;
        if (value[i] > 0)
            return false;
        value[i] = VALUE_IDLE;
    }
    return true;
}

static bool excluded(const struct experiment *e, const uint32_t *value)
{
    for (size_t x = 0; x < e->n_exclusions; x++) {
        bool **holds = e->exclusion[x].holds, all = true;
        for (size_t i = 0; i < e->n_axes && all; i++)
            all = !holds[i] || (value[i] != VALUE_IDLE && holds[i][value[i]]);
        if (all)
            return true;
    }
    return false;
}

const char *point_text(const struct experiment *e, const struct point *p, size_t axis)
{
    return p->value[axis] == VALUE_IDLE ? NULL : e->axis[axis].value[p->value[axis]].text;
}

const char *point_label(const struct experiment *e, const struct point *p, size_t axis)
{
    return p->value[axis] == VALUE_IDLE ? "" : e->axis[axis].value[p->value[axis]].label;
}

/* ---- Names ---- */

static void add_to_name(FILE *f, const struct experiment *e, const struct point *p, size_t axis,
                        bool first)
{
    const struct axis *a = &e->axis[axis];
    if (p->value[axis] == VALUE_IDLE || (a->key && !a->listed))
        return;
    fprintf(f, "%s", first ? "" : "_");
    if (a->key || a->kind == AXIS_SEED)
        fprintf(f, "%s=", a->name);
    for (const char *c = point_label(e, p, axis); *c; c++)
        putc(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.=+-_", *c)
                 ? *c
                 : '-',
             f);
}

/* In the order of the axes, with the seed last. */
static int name_point(struct grid *g, const struct experiment *e, struct point *p,
                      struct error *err)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    for (size_t i = 1; i < e->n_axes; i++)
        add_to_name(f, e, p, i, i == 1);
    add_to_name(f, e, p, 0, false);
    mem_stream_end(f, &text);
    length = strlen(text);
    p->name = arena_text(g->memory, text, length);
    free(text);
    if (length > NAME_LENGTH_MAX)
        return error_set(
            err,
            "%s: point %u: its name '%s' is longer than %d letters: give some of its parts names",
            e->name, p->number, p->name, NAME_LENGTH_MAX);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct point *const *)a)->name, (*(const struct point *const *)b)->name);
}

static int check_names(const struct grid *g, const struct experiment *e, struct error *err)
{
    const struct point **sorted = mem_new(g->n, sizeof *sorted);
    int result = 0;
    for (size_t i = 0; i < g->n; i++)
        sorted[i] = &g->point[i];
    qsort(sorted, g->n, sizeof *sorted, by_name);
    for (size_t i = 1; i < g->n && result == 0; i++)
        if (!strcmp(sorted[i - 1]->name, sorted[i]->name))
            result = error_set(
                err, "%s: points %u and %u are both called '%s': give some of their parts names",
                e->name, sorted[i - 1]->number, sorted[i]->number, sorted[i]->name);
    free(sorted);
    return result;
}

/* ---- The grid ---- */

static int make_points(struct grid *g, const struct experiment *e, uint64_t all, struct error *err)
{
    size_t capacity = 0;
    uint32_t *value = arena_alloc(g->memory, e->n_axes * sizeof *value);
    for (uint64_t number = 0; number < all; number++) {
        if (!digits_of(e, number, value) || excluded(e, value))
            continue;
        mem_grow(&g->point, &capacity, g->n, sizeof *g->point);
        struct point *p = &g->point[g->n++];
        *p = (struct point){ .number = (uint32_t)number, .value = value };
        value = arena_alloc(g->memory, e->n_axes * sizeof *value);
        if (name_point(g, e, p, err))
            return -1;
    }
    return g->n ? check_names(g, e, err)
                : error_set(err, "%s: no point remains: every combination is excluded", e->name);
}

struct grid *grid_new(const struct experiment *e, struct error *err)
{
    uint64_t all = 1;
    for (size_t i = 0; i < e->n_axes; i++) {
        all *= e->axis[i].n;
        if (all > POINTS_MAX) {
            error_set(err, "%s: want at most %d combinations", e->name, POINTS_MAX);
            return NULL;
        }
    }
    struct grid *g = mem_new(1, sizeof *g);
    g->memory = arena_new();
    if (make_points(g, e, all, err) == 0)
        return g;
    grid_free(g);
    return NULL;
}

void grid_free(struct grid *g)
{
    if (!g)
        return;
    free(g->point);
    arena_free(g->memory);
    free(g);
}

void shard_bounds(struct shard s, size_t n, size_t *first, size_t *end)
{
    *first = (size_t)((__extension__(unsigned __int128)n * s.index) / s.of);
    *end = (size_t)((__extension__(unsigned __int128)n * (s.index + 1)) / s.of);
}
