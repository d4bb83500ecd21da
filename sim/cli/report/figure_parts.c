/* figure_parts.c - see figure_parts.h. */
#include "sim/cli/report/figure_parts.h"

#include "sim/base/memory.h"

#include <stdio.h>

void figure_comma(struct output *o, bool *first)
{
    if (!*first)
        out_char(o, ',');
    *first = false;
}

void figure_named(struct output *o, bool *first, const char *name, const double *y, size_t n)
{
    figure_comma(o, first);
    out_text(o, "{\"name\":");
    json_text(o, name);
    out_text(o, ",\"y\":");
    json_numbers(o, y, n);
    out_char(o, '}');
}

void figure_level(struct output *o, bool *first, const char *name, const struct page *p, const struct series *l)
{
    if (l->mean)
        figure_named(o, first, name, l->mean, p->steps.n);
}

void figure_variant(struct output *o, bool *first, const char *name, const char *key)
{
    figure_comma(o, first);
    out_text(o, "{\"name\":");
    json_text(o, name);
    html_printf(o, ",\"%s\":[", key);
}

const char *figure_queue(const struct run_view *v, uint32_t k)
{
    const char *name = intern_text(v->queue_names, k);
    return *name ? name : "(no queue)";
}

char *figure_name(const struct page *p, const struct run_view *v, const char *name)
{
    char *text;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "%s%s%s", p->n_views > 1 ? v->label : "", p->n_views > 1 ? ": " : "", name);
    mem_stream_end(f, &text);
    return text;
}

int ranked_most_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->by != y->by ? (x->by < y->by) - (x->by > y->by) : (x->number > y->number) - (x->number < y->number);
}
