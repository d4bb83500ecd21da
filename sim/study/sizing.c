/* sizing.c - see sizing.h. */
#include "sim/study/sizing.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== Targets ==== */

static int take_name(const char *text, size_t length, struct target *to, struct error *err)
{
    const char *at = memchr(text, '@', length);
    size_t name_length = at ? (size_t)(at - text) : length,
           scope_length = at ? length - name_length - 1 : strlen("all");
    char name[TARGET_NAME_MAX];
    if (name_length >= sizeof name || scope_length >= sizeof to->scope)
        return error_set(err, "this name is too long: '%.60s...'", text);
    memcpy(name, text, name_length);
    name[name_length] = '\0';
    memcpy(to->scope, at ? at + 1 : "all", scope_length);
    to->scope[scope_length] = '\0';
    to->kind = metric_find(name);
    return to->kind ? 0
                    : error_set(err, "there is no metric '%s', see 'gpuyard list metrics'", name);
}

int target_parse(const char *text, struct target *to, struct error *err)
{
    size_t length = strcspn(text, "<>");
    bool equal = text[length] && text[length + 1] == '=';
    const char *number = text + length + (text[length] ? 1 : 0) + equal;
    char *end;
    *to = (struct target){ .relation = text[length] == '<' ? equal ? RELATION_AT_MOST : RELATION_BELOW
                                       : equal ? RELATION_AT_LEAST : RELATION_ABOVE };
    to->bound = strtod(number, &end);
    if (!text[length] || !length || end == number || *end || !isfinite(to->bound))
        return error_set(
            err, "want METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, got '%.100s'",
            text);
    return take_name(text, length, to, err);
}

static bool holds(const struct target *t, double x)
{
    switch (t->relation) {
    case RELATION_BELOW: return x < t->bound;
    case RELATION_AT_MOST: return x <= t->bound;
    case RELATION_AT_LEAST: return x >= t->bound;
    case RELATION_ABOVE: return x > t->bound;
    }
    return false;
}

struct reached target_reached(const struct target *t, const double *x, size_t n, double confidence)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return (struct reached){ (double)NAN, { (double)NAN, (double)NAN }, false };
    if (n == 1)
        return (struct reached){ x[0], { x[0], x[0] }, holds(t, x[0]) };
    struct paired_t s = paired_t(x, n, 2 * confidence - 1);
    s.interval.low = fmax(s.interval.low, 0);
    return (struct reached){ s.mean, s.interval,
                             holds(t, t->relation < RELATION_AT_LEAST ? s.interval.high
                                                                      : s.interval.low) };
}

/* ==== Brackets ==== */

static size_t turned(const struct bracket *b, size_t i)
{
    return b->from_end ? b->n - 1 - i : i;
}

static enum tried at(const struct bracket *b, size_t i)
{
    return b->at[turned(b, i)];
}

/* The first good value and the last bad one before it; n: none. */
static size_t first_good(const struct bracket *b, size_t *last_bad)
{
    size_t good = 0;
    *last_bad = b->n;
    while (good < b->n && at(b, good) != TRIED_GOOD)
        good++;
    for (size_t i = 0; i < good; i++)
        if (at(b, i) == TRIED_BAD)
            *last_bad = i;
    return good;
}

size_t bracket_next(const struct bracket *b, size_t next[2])
{
    size_t bad, good = first_good(b, &bad), n = 0;
    if (at(b, 0) == NOT_TRIED)
        next[n++] = turned(b, 0);
    if (b->n > 1 && at(b, b->n - 1) == NOT_TRIED)
        next[n++] = turned(b, b->n - 1);
    if (!n && good < b->n && bad < good && good - bad > 1)
        next[n++] = turned(b, bad + (good - bad) / 2);
    return n;
}

size_t bracket_found(const struct bracket *b)
{
    size_t bad, good = first_good(b, &bad);
    return good < b->n ? turned(b, good) : b->n;
}

/* ==== Cases ==== */

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
        return error_set(err,
                         "want --vary: %s of the parameters of the experiment have several values",
                         found ? "some" : "none");
    return e->axis[*axis].n > 1
               ? 0
               : error_set(err, "want several values of '%s' in the experiment, in ascending order",
                           e->axis[*axis].name);
}

static bool counts_together(const struct axis *a, bool traces_count)
{
    return a->kind == AXIS_SEED || (traces_count && a->kind == AXIS_TRACE);
}

static bool same_case(const struct experiment *e, const struct point *a, const struct point *b,
                      size_t axis, bool traces_count)
{
    for (size_t i = 0; i < e->n_axes; i++)
        if (i != axis && !counts_together(&e->axis[i], traces_count) && a->value[i] != b->value[i])
            return false;
    return true;
}

static struct sizing_case *case_of(struct sizing *s, const struct experiment *e,
                                   const struct grid *g, size_t point, bool traces_count,
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

/* Removes values without points. */
static void case_end(struct sizing *s, struct sizing_case *c, size_t values, bool largest)
{
    for (size_t v = 0; v < values; v++)
        if (c->of[v].n) {
            c->of[c->n] = c->of[v];
            c->of[c->n++].value = (uint32_t)v;
        }
    c->bracket = (struct bracket){ c->n, arena_alloc(s->memory, c->n * sizeof *c->bracket.at),
                                   largest };
}

struct sizing *sizing_new(const struct experiment *e, const struct grid *g, size_t axis,
                          bool traces_count, bool largest)
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
