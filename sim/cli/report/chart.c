/* chart.c - see chart.h: building a chart, and its JSON. */
#include "sim/cli/report/chart.h"

#include "sim/base/memory.h"
#include "sim/cli/report/markup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chart_variant *chart_variant(struct chart *c, const char *name)
{
    mem_grow(&c->variant, &c->capacity, c->n, sizeof *c->variant);
    c->variant[c->n] = (struct chart_variant){ .name = mem_text(name, strlen(name)) };
    return &c->variant[c->n++];
}

double *chart_copy(const double *x, size_t n)
{
    double *to = mem_new(n, sizeof *to);
    if (n)
        memcpy(to, x, n * sizeof *to);
    return to;
}

struct chart_series *chart_add(struct chart_list *to, const char *name, const double *y, size_t n)
{
    mem_grow(&to->series, &to->capacity, to->n, sizeof *to->series);
    to->series[to->n] =
        (struct chart_series){ .name = mem_text(name, strlen(name)), .n = n, .y = chart_copy(y, n) };
    return &to->series[to->n++];
}

void chart_text(struct chart_texts *to, const char *text)
{
    mem_grow(&to->text, &to->capacity, to->n, sizeof *to->text);
    to->text[to->n++] = mem_text(text, strlen(text));
}

bool chart_is_empty(const struct chart *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->variant[i].bands.n + c->variant[i].lines.n + c->variant[i].rows.n)
            return false;
    return true;
}

static void list_free(struct chart_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->series[i].name);
        free(l->series[i].x);
        free(l->series[i].y);
        free(l->series[i].half);
        free(l->series[i].low);
    }
    free(l->series);
}

static void texts_free(struct chart_texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->text[i]);
    free(t->text);
}

void chart_free(struct chart *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct chart_variant *v = &c->variant[i];
        free(v->name);
        list_free(&v->bands);
        list_free(&v->lines);
        list_free(&v->rows);
        texts_free(&v->parts);
        texts_free(&v->labels);
    }
    free(c->variant);
    free(c->axis);
}

/* ---- Colours ---- */

static const struct { const char *name, *colour; } fixed[] = {
    { "all GPUs", "--l7" },
    { "GPUs up", "--lost" },
    { "making progress", "--gang" },
    { "quota", "--l7" },
    { "fair share", "--fault" },
    { "demand", "--demand" },
    { "held within the quota", "--saving" },
    { "held above the quota", "--gang" },
    { "useful work", "--useful" },
    { "starting", "--starting" },
    { "saving to leave", "--saving" },
    { "writing checkpoints", "--writing" },
    { "incomplete gangs", "--gang" },
    { "idle in sessions", "--idle" },
    { "replicas without requests", "--quiet" },
    { "after a fault", "--fault" },
    { "lost work", "--lost" },
    { "free", "--free" },
    { "out of service", "--down" },
    { "active", "--useful" },
    { "idle, hold GPUs", "--gang" },
    { "starting up", "--starting" },
    { "wait for GPUs", "--lost" },
    { "gave GPUs back", "--free" },
}, reasons[] = {
    { "order", "--b1" },      { "limit", "--b2" },       { "quota", "--b3" },
    { "protected", "--b4" },  { "gpus", "--b5" },        { "fragmented", "--b6" },
    { "topology", "--b7" },   { "type", "--b8" },        { "gang", "--b9" },
    { "reserved", "--gang" }, { "releasing", "--saving" }, { "pass", "--free" },
    { "dependency", "--lost" }, { "power", "--l7" },     { "other", "--down" },
};

static const char *fixed_colour(const char *name)
{
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (!strcmp(fixed[i].name, name))
            return fixed[i].colour;
    return NULL;
}

static const char *part_colour(const struct chart *c, const char *name)
{
    if (strcmp(c->id, "reasons") != 0)
        return fixed_colour(name);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (!strcmp(reasons[i].name, name))
            return reasons[i].colour;
    return NULL;
}

const char *chart_colour(char to[CHART_COLOUR_MAX], const struct chart *c,
                         const struct chart_variant *v, enum chart_mark mark, size_t i)
{
    enum { BAND_COLOURS = 10, LINE_COLOURS = 8 };
    const char *known = NULL;
    if (mark == CHART_PART)
        known = part_colour(c, v->parts.text[i]);
    else if (mark == CHART_BAND && (!strcmp(c->id, "quota") || !strcmp(c->id, "sessions")))
        known = fixed_colour(v->bands.series[i].name);
    else if (mark == CHART_LINE && v->bands.n)
        known = fixed_colour(v->lines.series[i].name);
    if (known)
        snprintf(to, CHART_COLOUR_MAX, "%s", known);
    else if (mark == CHART_PART)
        snprintf(to, CHART_COLOUR_MAX, "--unlike");
    else
        snprintf(to, CHART_COLOUR_MAX, mark == CHART_BAND ? "--b%zu" : "--l%zu",
                 i % (mark == CHART_BAND ? BAND_COLOURS : LINE_COLOURS) + 1);
    return to;
}

/* ---- JSON ---- */

static void put_list(struct output *o, const char *key, const struct chart_list *l,
                     const struct chart *c, const struct chart_variant *v)
{
    char colour[CHART_COLOUR_MAX];
    out_printf(o, ",\"%s\":[", key);
    for (size_t i = 0; i < l->n; i++) {
        const struct chart_series *s = &l->series[i];
        out_text(o, i ? ",{\"name\":" : "{\"name\":");
        json_text(o, s->name);
        if (l != &v->rows)
            out_printf(o, ",\"colour\":\"%s\"",
                        chart_colour(colour, c, v, l == &v->bands ? CHART_BAND : CHART_LINE, i));
        if (s->x) {
            out_text(o, ",\"x\":");
            json_numbers(o, s->x, s->n);
        }
        if (s->half) {
            out_text(o, ",\"half\":");
            json_numbers(o, s->half, s->n);
        }
        if (s->low) {
            out_text(o, ",\"low\":");
            json_numbers(o, s->low, s->n);
        }
        out_text(o, ",\"y\":");
        json_numbers(o, s->y, s->n);
        out_char(o, '}');
    }
    out_char(o, ']');
}

static void put_texts(struct output *o, const char *key, const struct chart_texts *t)
{
    if (!t->n)
        return;
    out_printf(o, ",\"%s\":[", key);
    for (size_t i = 0; i < t->n; i++) {
        out_text(o, i ? "," : "");
        json_text(o, t->text[i]);
    }
    out_char(o, ']');
}

static void put_variant(struct output *o, const struct chart *c, const struct chart_variant *v)
{
    char colour[CHART_COLOUR_MAX];
    out_text(o, "{\"name\":");
    json_text(o, v->name);
    if (v->unit)
        out_printf(o, ",\"unit\":\"%s\"", v->unit);
    if (v->length_s > 0)
        out_printf(o, ",\"length_s\":%.9g", v->length_s);
    if (v->from_s > 0)
        out_printf(o, ",\"from_s\":%.9g", v->from_s);
    if (v->nodes_per_row)
        out_printf(o, ",\"nodes_per_row\":%zu", v->nodes_per_row);
    if (v->bands.n)
        put_list(o, "bands", &v->bands, c, v);
    put_list(o, "lines", &v->lines, c, v);
    if (v->rows.n)
        put_list(o, "rows", &v->rows, c, v);
    put_texts(o, "parts", &v->parts);
    for (size_t i = 0; i < v->parts.n; i++)
        out_printf(o, "%s\"%s\"%s", i ? "," : ",\"colours\":[",
                    chart_colour(colour, c, v, CHART_PART, i), i + 1 == v->parts.n ? "]" : "");
    put_texts(o, "labels", &v->labels);
    out_char(o, '}');
}

void chart_json(struct output *o, const struct chart *c)
{
    out_printf(o, "\n{\"id\":\"%s\",\"type\":\"%s\",\"unit\":\"%s\",", c->id, c->type, c->unit);
    if (c->axis) {
        out_text(o, "\"axis\":");
        json_text(o, c->axis);
        out_char(o, ',');
    }
    out_text(o, "\"variants\":[");
    for (size_t i = 0; i < c->n; i++) {
        out_text(o, i ? "," : "");
        put_variant(o, c, &c->variant[i]);
    }
    out_text(o, "]}");
}
