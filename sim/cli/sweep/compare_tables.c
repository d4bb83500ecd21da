/* compare_tables.c - comparisons for programs: CSV and JSON. See compare_report.h. */
#include "sim/cli/sweep/compare_report.h"

#include "sim/base/utf8.h"

#include <jansson.h>
#include <stdlib.h>

static void csv_number(FILE *to, double x)
{
    if (isfinite(x))
        fprintf(to, ",%.17g", x);
    else
        fputc(',', to);
}

static void csv_row(FILE *to, const struct compare_report *r, const struct compared *x)
{
    const struct comparison *c = &x->c;
    fprintf(to, "%s,\"", x->metric);
    for (const char *s = x->scope; *s; s++)
        fputs(*s == '"' ? "\"\"" : (char[]){ *s, '\0' }, to);
    fprintf(to, "\",%s,%zu,%zu,%s", x->unit, c->pairs, c->clusters,
            c->geometric ? "geometric" : "arithmetic");
    const double value[] = { c->base,
                             c->new,
                             c->base_mean,
                             c->new_mean,
                             c->change,
                             c->interval.low,
                             c->interval.high,
                             1 - r->level,
                             c->bootstrap.low,
                             c->bootstrap.high,
                             c->p_worse,
                             c->p_wilcoxon,
                             x->margin,
                             is_gated(x) ? x->p_beyond : (double)NAN };
    for (size_t k = 0; k < sizeof value / sizeof value[0]; k++)
        csv_number(to, value[k]);
    fprintf(to, ",%s\n", is_gated(x) ? verdict_name[x->verdict] : "");
}

void compare_csv(FILE *to, const struct compare_report *r)
{
    fputs("metric,scope,unit,pairs,clusters,mean,base,new,base_mean,new_mean,change,change_low,"
          "change_high,confidence,bootstrap_low,bootstrap_high,p_worse,p_wilcoxon,margin,p_beyond,"
          "verdict\n",
          to);
    for (size_t i = 0; i < r->n; i++)
        csv_row(to, r, &r->row[i]);
}

/* Names and paths may hold bytes that are no UTF-8, JSON may not. */
static json_t *text_of(const char *text)
{
    json_t *whole = json_string(text);
    char *line = whole ? NULL : utf8_line(text);
    json_t *value = whole ? whole : json_string(line);
    free(line);
    return value;
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *pair_of(const struct bounds *b)
{
    json_t *list = json_array();
    json_array_append_new(list, number(b->low));
    json_array_append_new(list, number(b->high));
    return list;
}

static json_t *json_row(const struct compared *x)
{
    const struct comparison *c = &x->c;
    char text[COMPARE_LINE];
    json_t *o = json_object();
    json_object_set_new(o, "metric", json_string(x->metric));
    json_object_set_new(o, "scope", text_of(x->scope));
    json_object_set_new(o, "unit", json_string(x->unit));
    json_object_set_new(o, "sentence", text_of(compare_sentence(text, x)));
    json_object_set_new(o, "mean", json_string(c->geometric ? "geometric" : "arithmetic"));
    json_object_set_new(o, "base", number(c->base));
    json_object_set_new(o, "new", number(c->new));
    json_object_set_new(o, "base_mean", number(c->base_mean));
    json_object_set_new(o, "new_mean", number(c->new_mean));
    json_object_set_new(o, "change", number(c->change));
    json_object_set_new(o, "interval", pair_of(&c->interval));
    json_object_set_new(o, "bootstrap", pair_of(&c->bootstrap));
    json_object_set_new(o, "p_worse", number(c->p_worse));
    json_object_set_new(o, "p_wilcoxon", number(c->p_wilcoxon));
    if (is_gated(x)) {
        json_object_set_new(o, "margin", number(x->margin));
        json_object_set_new(o, "p_beyond", number(x->p_beyond));
        json_object_set_new(o, "verdict", json_string(verdict_name[x->verdict]));
    }
    return o;
}

void compare_json(FILE *to, const struct compare_report *r)
{
    json_t *root = json_object(), *list = json_array();
    json_object_set_new(root, "base", text_of(r->base));
    json_object_set_new(root, "new", text_of(r->new));
    json_object_set_new(root, "pairs", json_integer((json_int_t)r->runs->n));
    json_object_set_new(root, "clusters", json_integer((json_int_t)r->runs->clusters));
    json_object_set_new(root, "confidence", number(1 - r->level));
    json_object_set_new(root, "verdict",
                        r->gated ? json_string(verdict_name[r->verdict]) : json_null());
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(list, json_row(&r->row[i]));
    json_object_set_new(root, "jobs_without_end",
                        json_pack("{s:f, s:f}", "base", compare_unended(r->runs->base, r->runs->n),
                                  "new", compare_unended(r->runs->new, r->runs->n)));
    json_object_set_new(root, "metrics", list);
    json_dumpf(root, to, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    fputc('\n', to);
    json_decref(root);
}
