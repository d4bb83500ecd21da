/* sizing_say.c - a plan as text, CSV and JSON. See sizing_say.h. */
#include "sim/cli/sweep/sizing_say.h"
#include "sim/cli/frame/term.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { NUMBER_MAX = 32, BAND_MAX = 128 };

static const char *number(char to[NUMBER_MAX], double x, const char *format)
{
    if (isnan(x))
        return "-";
    snprintf(to, NUMBER_MAX, format, x);
    return to;
}

/* ---- Text ---- */

static const char *value_and_band(char to[BAND_MAX], const struct reached *x)
{
    char mean[NUMBER_MAX], low[NUMBER_MAX], high[NUMBER_MAX];
    if (x->band.low < x->band.high)
        snprintf(to, BAND_MAX, "%s (%s to %s)", number(mean, x->mean, "%.4g"), number(low, x->band.low, "%.4g"),
                 number(high, x->band.high, "%.4g"));
    else
        snprintf(to, BAND_MAX, "%s", number(mean, x->mean, "%.4g"));
    return to;
}

static int width_of(const struct planned_case *c, const char *heading, size_t target)
{
    int width = (int)strlen(heading);
    for (size_t i = 0; i < c->n; i++) {
        char text[BAND_MAX];
        int own = (int)strlen(value_and_band(text, &c->value[i].of[target]));
        width = own > width ? own : width;
    }
    return width;
}

static const char *heading_of(char to[TARGET_NAME_MAX * 2], const struct target *t)
{
    snprintf(to, TARGET_NAME_MAX * 2, strcmp(t->scope, "all") ? "%s@%s" : "%s", t->kind->name, t->scope);
    return to;
}

static bool has_costs(const struct planned_case *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!isnan(c->value[i].cost))
            return true;
    return false;
}

static void text_table(FILE *to, const struct plan_report *r, const struct planned_case *c)
{
    char heading[TARGET_NAME_MAX * 2], text[BAND_MAX];
    bool costs = has_costs(c);
    int first = (int)strlen(r->axis) > 8 ? (int)strlen(r->axis) : 8;
    fprintf(to, "  %-*s %8s", first, r->axis, "GPUs");
    for (size_t t = 0; t < r->n_targets; t++)
        fprintf(to, "  %-*s", width_of(c, heading_of(heading, &r->target[t]), t), heading);
    fprintf(to, "  met  GPUs used%s\n", costs ? "  USD/useful GPU h" : "");
    for (size_t i = 0; i < c->n; i++) {
        const struct tried_value *v = &c->value[i];
        fprintf(to, "%c %-*s %8.6g", v == c->found ? '>' : ' ', first, v->label, v->gpus);
        for (size_t t = 0; t < r->n_targets; t++)
            fprintf(to, "  %-*s", width_of(c, heading_of(heading, &r->target[t]), t), value_and_band(text, &v->of[t]));
        fprintf(to, "  %-3s %9.1f%%", v->met ? "yes" : "no", 100 * v->utilisation);
        if (costs)
            fprintf(to, "  %16s", number(text, v->cost, "%.4f"));
        putc('\n', to);
    }
}

void plan_text(FILE *to, const struct plan_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct planned_case *c = &r->of[i];
        if (i)
            putc('\n', to);
        fprintf(to, "%s%s%s %s with ", c->name, *c->name ? ": " : "", r->largest ? "the largest" : "the smallest", r->axis);
        for (size_t t = 0; t < r->n_targets; t++)
            fprintf(to, "%s%s", t ? " and " : "", r->target_text[t]);
        fprintf(to, ": %s\n\n", c->found ? c->found->label : "none of the values");
        text_table(to, r, c);
        if (c->uneven)
            fputs("\n  Not monotone: between these values the answer may be another one. --curve tries all.\n", to);
    }
    if (r->n && r->of[0].n && r->of[0].value[0].runs > 1)
        fprintf(to, "\nOf %zu runs each: mean, and interval of which either end is passed with a probability of %.3g at most.\n",
                r->of[0].value[0].runs, 1 - r->confidence);
}

/* ---- CSV ---- */

static void csv_text(FILE *to, const char *text)
{
    bool quotes = strpbrk(text, ",\"\n") != NULL;
    fputs(quotes ? "\"" : "", to);
    for (; *text; text++)
        fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
    fputs(quotes ? "\"" : "", to);
}

static void csv_number(FILE *to, double x)
{
    if (isnan(x))
        putc(',', to);
    else
        fprintf(to, ",%.17g", x);
}

void plan_csv(FILE *to, const struct plan_report *r)
{
    fprintf(to, "case,axis,value,gpus,metric,scope,mean,low,high,runs,met,found,utilisation,cost_per_useful_gpu_h_usd\n");
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->of[i].n; k++)
            for (size_t t = 0; t < r->n_targets; t++) {
                const struct tried_value *v = &r->of[i].value[k];
                csv_text(to, r->of[i].name);
                putc(',', to);
                csv_text(to, r->axis);
                putc(',', to);
                csv_text(to, v->label);
                csv_number(to, v->gpus);
                fprintf(to, ",%s,", r->target[t].kind->name);
                csv_text(to, r->target[t].scope);
                csv_number(to, v->of[t].mean);
                csv_number(to, v->of[t].band.low);
                csv_number(to, v->of[t].band.high);
                fprintf(to, ",%zu,%d,%d", v->runs, v->met, v == r->of[i].found);
                csv_number(to, v->utilisation);
                csv_number(to, v->cost);
                putc('\n', to);
            }
}

/* ---- JSON ---- */

static json_t *json_or_null(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *json_value(const struct plan_report *r, const struct tried_value *v)
{
    json_t *targets = json_array();
    for (size_t t = 0; t < r->n_targets; t++)
        json_array_append_new(targets, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:b}", "target", r->target_text[t], "metric",
                                                 r->target[t].kind->name, "scope", r->target[t].scope, "mean",
                                                 json_or_null(v->of[t].mean), "low", json_or_null(v->of[t].band.low), "high",
                                                 json_or_null(v->of[t].band.high), "met", (int)v->of[t].met));
    return json_pack("{s:s, s:f, s:o, s:I, s:b, s:o, s:o}", "value", v->label, "gpus", v->gpus, "targets", targets, "runs",
                     (json_int_t)v->runs, "met", (int)v->met, "utilisation", json_or_null(v->utilisation), "cost_per_useful_gpu_h_usd",
                     json_or_null(v->cost));
}

void plan_json(FILE *to, const struct plan_report *r)
{
    json_t *cases = json_array();
    for (size_t i = 0; i < r->n; i++) {
        const struct planned_case *c = &r->of[i];
        json_t *values = json_array();
        for (size_t k = 0; k < c->n; k++)
            json_array_append_new(values, json_value(r, &c->value[k]));
        json_array_append_new(cases, json_pack("{s:s, s:o, s:b, s:o}", "case", c->name, "found",
                                               c->found ? json_string(c->found->label) : json_null(), "monotone", (int)!c->uneven,
                                               "values", values));
    }
    json_t *all = json_pack("{s:s, s:s, s:s, s:f, s:o}", "experiment", r->experiment, "axis", r->axis, "find",
                            r->largest ? "largest" : "smallest", "confidence", r->confidence, "cases", cases);
    json_dumpf(all, to, JSON_INDENT(2));
    putc('\n', to);
    json_decref(all);
}
