/* sizing.c - see sizing.h. */
#include "sim/study/sizing.h"
#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_parameter(const struct axis *a)
{
    return a->key != NULL;
}

int sizing_axis(const struct experiment *e, const char *name, size_t *axis, struct error *err)
{
    size_t found = 0;
    for (size_t i = 0; i < e->n_axes; i++) {
        const struct axis *a = &e->axis[i];
        if (name ? strcmp(a->name, name) != 0 : !is_parameter(a) || a->n < 2)
            continue;
        *axis = i;
        found++;
    }
    if (name && !found)
        return error_set(err, "the experiment has no '%s' to vary", name);
    if (found != 1)
        return error_set(err, "want --vary: %s of the parameters of the experiment have several values", found ? "some" : "none");
    return e->axis[*axis].n > 1 ? 0 : error_set(err, "want several values of '%s' in the experiment, in ascending order", e->axis[*axis].name);
}

static bool counts_together(const struct axis *a, bool traces_count)
{
    return a->kind == AXIS_SEED || (traces_count && a->kind == AXIS_TRACE);
}

static bool same_case(const struct experiment *e, const struct point *a, const struct point *b, size_t axis, bool traces_count)
{
    for (size_t i = 0; i < e->n_axes; i++)
        if (i != axis && !counts_together(&e->axis[i], traces_count) && a->value[i] != b->value[i])
            return false;
    return true;
}

static struct sizing_case *case_of(struct sizing *s, const struct experiment *e, const struct grid *g, size_t point, bool traces_count,
                                   const size_t *first)
{
    for (size_t i = 0; i < s->n; i++)
        if (same_case(e, &g->point[first[i]], &g->point[point], s->axis, traces_count))
            return &s->of[i];
    return NULL;
}

static void case_begin(struct sizing *s, struct sizing_case *c, size_t values, size_t points)
{
    *c = (struct sizing_case){ .of = arena_alloc(s->memory, values * sizeof *c->of) };
    for (size_t v = 0; v < values; v++)
        c->of[v].point = arena_alloc(s->memory, points * sizeof *c->of[v].point);
}

/* Values without points go. */
static void case_end(struct sizing *s, struct sizing_case *c, size_t values, bool largest)
{
    for (size_t v = 0; v < values; v++)
        if (c->of[v].n) {
            c->of[c->n] = c->of[v];
            c->of[c->n++].value = (uint32_t)v;
        }
    c->bracket = (struct bracket){ c->n, arena_alloc(s->memory, c->n * sizeof *c->bracket.at), largest };
}

struct sizing *sizing_new(const struct experiment *e, const struct grid *g, size_t axis, bool traces_count, bool largest)
{
    struct sizing *s = mem_new(1, sizeof *s);
    size_t *first = mem_new(g->n, sizeof *first), values = e->axis[axis].n, together = 1;
    s->memory = arena_new();
    s->axis = axis;
    s->of = arena_alloc(s->memory, g->n * sizeof *s->of);
    for (size_t i = 0; i < e->n_axes; i++)
        together *= counts_together(&e->axis[i], traces_count) ? e->axis[i].n : 1;
    for (size_t i = 0; i < g->n; i++) {
        uint32_t v = g->point[i].value[axis];
        struct sizing_case *c = v == VALUE_IDLE ? NULL : case_of(s, e, g, i, traces_count, first);
        if (!c && v != VALUE_IDLE) {
            first[s->n] = i;
            c = &s->of[s->n++];
            case_begin(s, c, values, together);
        }
        if (c)
            c->of[v].point[c->of[v].n++] = i;
    }
    for (size_t i = 0; i < s->n; i++)
        case_end(s, &s->of[i], values, largest);
    free(first);
    return s;
}

void sizing_free(struct sizing *s)
{
    if (!s)
        return;
    arena_free(s->memory);
    free(s);
}
