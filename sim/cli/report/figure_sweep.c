/* figure_sweep.c - metrics of a sweep over one of its parameters: a variant for each metric, a line
 * for each combination of the other parameters, means over seeds with intervals of 95 %. The axis is
 * the first parameter with nothing but numbers as values; if there is none, the first one: its
 * values stand side by side. */
#include "sim/cli/report/figures.h"
#include "sim/cli/report/markup.h"

#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/results/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place { double x, y, half; };
struct axis { size_t parameter; bool words; struct intern *values; };

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *text && !*end;
}

static struct axis axis_of(const struct page *p)
{
    const struct report_columns *c = p->columns;
    struct axis a = { .words = true, .values = intern_new() };
    for (size_t k = c->n_parameters; k-- > 0;) {
        bool numbers = true;
        for (size_t i = 0; i < p->n_groups; i++)
            numbers = numbers && is_number(p->group[i].value[k]);
        if (numbers || (k == 0 && a.words))
            a = (struct axis){ k, !numbers, a.values };
    }
    for (size_t i = 0; i < p->n_groups; i++) {
        const char *value = p->group[i].value[a.parameter];
        intern_add(a.values, value, strlen(value));
    }
    return a;
}

/* A line has the values of all parameters but that of the axis. */
static char *line_of(const struct page *p, const struct axis *a, size_t group)
{
    char *text;
    size_t length, n = 0;
    FILE *f = mem_stream(&text, &length);
    for (size_t k = 0; k < p->columns->n_parameters; k++) {
        const char *value = p->group[group].value[k];
        if (k == a->parameter || !*value)
            continue;
        bool number = is_number(value);
        fprintf(f, "%s%s%s%s", n++ ? ", " : "", number ? p->columns->parameter[k] : "",
                number ? " = " : "", value);
    }
    if (n == 0)
        fputs("all", f);
    mem_stream_end(f, &text);
    return text;
}

static int by_x(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

static void put_line(struct chart_list *to, const char *name, struct place *place, size_t n)
{
    double *x = mem_new(n + 1, sizeof *x), *y = mem_new(n + 1, sizeof *y),
           *half = mem_new(n + 1, sizeof *half);
    if (n)
        qsort(place, n, sizeof *place, by_x);
    for (size_t k = 0; k < n; k++) {
        x[k] = place[k].x;
        y[k] = place[k].y;
        half[k] = place[k].half;
    }
    struct chart_series *s = chart_add(to, name, y, n);
    s->x = x;
    s->half = half;
    free(y);
}

static void put_metric(struct chart *c, const struct page *p, const struct axis *a,
                       struct intern *lines, const uint32_t *line, const char *metric,
                       const char *label)
{
    const struct metric_kind *kind = metric_find(metric);
    struct place *place = mem_new(p->n_groups, sizeof *place);
    bool share = metric_is_share(metric);
    struct chart_variant *v = NULL;
    for (uint32_t l = 0; l < intern_count(lines); l++) {
        size_t n = 0;
        for (size_t i = 0; i < p->n_groups; i++) {
            struct estimate e = group_estimate(&p->group[i], metric);
            const char *value = p->group[i].value[a->parameter];
            if (line[i] == l && e.n)
                place[n++] = (struct place){ a->words ? intern_find(a->values, value, strlen(value))
                                                      : strtod(value, NULL),
                                             share ? 100 * e.mean : e.mean,
                                             share ? 100 * e.half : e.half };
        }
        if (n && !v) {
            v = chart_variant(c, label);
            v->unit = share ? "%" : kind ? kind->unit : "";
            for (uint32_t k = 0; a->words && k < intern_count(a->values); k++)
                chart_text(&v->labels, intern_text(a->values, k));
        }
        if (n)
            put_line(&v->lines, intern_text(lines, l), place, n);
    }
    free(place);
}

void figure_sweep(struct chart *c, const struct page *p)
{
    static const char first[] = "jct_mean_s";
    struct axis a = axis_of(p);
    struct intern *lines = intern_new();
    uint32_t *line = mem_new(p->n_groups, sizeof *line);
    const char *name = p->columns->parameter[a.parameter];
    for (size_t i = 0; i < p->n_groups; i++) {
        char *text = line_of(p, &a, i);
        line[i] = intern_add(lines, text, strlen(text));
        free(text);
    }
    c->axis = mem_text(name, strlen(name));
    put_metric(c, p, &a, lines, line, first, "mean completion time");
    for (size_t k = 0; shown_metrics[k].metric; k++)
        if (strcmp(shown_metrics[k].metric, first) != 0 &&
            strcmp(shown_metrics[k].metric, "jobs_submitted") != 0)
            put_metric(c, p, &a, lines, line, shown_metrics[k].metric, shown_metrics[k].label);
    intern_free(lines);
    intern_free(a.values);
    free(line);
}
