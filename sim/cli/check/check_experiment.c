/* check_experiment.c - what an experiment varies, and how many points that makes. See check.h. */
#include "sim/cli/check/check.h"
#include "sim/cli/sweep/sweep.h"
#include "sim/cli/frame/term.h"

#include <stdio.h>

enum { LABEL = 16 };              /* as in check_text.c */

static json_t *report_of(const struct sweep *s)
{
    const struct experiment *e = s->experiment;
    json_t *axes = json_array();
    json_int_t all = 1;
    for (size_t i = 0; i < e->n_axes; i++) {
        const struct axis *a = &e->axis[i];
        json_t *values = json_array();
        for (size_t k = 0; k < a->n; k++)
            json_array_append_new(values, json_string(a->value[k].label));
        json_array_append_new(axes, json_pack("{s:s, s:o}", "name", a->name, "values", values));
        all *= (json_int_t)a->n;
    }
    json_t *report = json_pack("{s:s, s:I, s:I, s:o}", "name", e->name, "points", (json_int_t)s->grid->n, "combinations", all, "axes", axes);
    if (e->limit_ns)
        json_object_set_new(report, "limit_s", json_real(seconds(e->limit_ns)));
    return report;
}

json_t *check_experiment(const char *path, struct error *err)
{
    struct sweep s;
    json_t *report = sweep_read(&s, path, err) == EXIT_OK && sweep_read_inputs(&s, err) == EXIT_OK ? report_of(&s) : NULL;
    sweep_free(&s);
    return report;
}

static void put_values(size_t at, const json_t *list)
{
    char text[4096];
    size_t i, n = 0;
    const json_t *value;
    json_array_foreach(list, i, value)
        if (n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "", json_string_value(value));
    text_wrap(stdout, text, at, LABEL, TERM_WIDTH);
}

void check_experiment_text(const json_t *report)
{
    size_t i;
    const json_t *axis;
    printf("  %-*s%s\n", LABEL - 2, "experiment", json_string_value(json_object_get(report, "name")));
    printf("  %-*s%lld of %lld combinations\n", LABEL - 2, "points", (long long)json_integer_value(json_object_get(report, "points")),
           (long long)json_integer_value(json_object_get(report, "combinations")));
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        put_values((size_t)printf("  %s", json_string_value(json_object_get(axis, "name"))), json_object_get(axis, "values"));
    }
}
