/* kueue_labels.c - see kueue_labels.h. */
#include "tests/conformance/kueue_labels.h"
#include "tests/conformance/conformance.h"

#include <stdint.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    int n = vsnprintf(t->of + t->n, sizeof t->of - t->n, format, more);
    va_end(more);
    t->n += n > 0 ? (size_t)n : 0;
    if (t->n >= sizeof t->of)
        t->n = sizeof t->of - 1;
}

void say_pairs(struct text *t, const json_t *labels)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)labels, key, value)
        add(t, "%s%s=%s", t->n ? ";" : "", key, json_string_value(value));
}

void say_taints(struct text *t, const json_t *list)
{
    size_t i;
    const json_t *e;
    json_array_foreach(list, i, e)
    {
        const char *value = text_of(e, "value"), *effect = text_of(e, "effect");
        const char *key = text_of(e, "key"), *op = text_of(e, "operator");
        if (!key || !*key) {
            *t = (struct text){ "*", 1 };
            return;
        }
        add(t, "%s%s", t->n ? ";" : "", key);
        if (value && *value && (!op || strcmp(op, "Exists") != 0))
            add(t, "=%s", value);
        if (effect)
            add(t, ":%s", effect);
    }
}

static void say_need(struct text *t, const json_t *e)
{
    static const char *const signs[][2] = { { "NotIn", "!=" }, { "Gt", ">" }, { "Lt", "<" } };
    const char *op = text_of(e, "operator"), *key = text_of(e, "key"), *sign = "=";
    const json_t *values = json_object_get(e, "values"), *v;
    size_t i;
    if (!strcmp(op, "Exists") || !strcmp(op, "DoesNotExist")) {
        add(t, "%s%s", strcmp(op, "Exists") ? "!" : "", key);
        return;
    }
    for (i = 0; i < sizeof signs / sizeof *signs; i++)
        sign = strcmp(op, signs[i][0]) ? sign : signs[i][1];
    add(t, "%s%s", key, sign);
    json_array_foreach(values, i, v) add(t, "%s%s", i ? "|" : "", json_string_value(v));
}

void say_affinity(struct text *t, const json_t *affinity, bool preferred)
{
    size_t i, k;
    const json_t *term, *e;
    json_array_foreach(json_object_get(affinity, "required"), i, term)
    {
        add(t, "%s", t->n ? ";" : "");
        json_array_foreach(term, k, e)
        {
            add(t, "%s", k ? "&" : "");
            say_need(t, e);
        }
    }
    json_array_foreach(preferred ? json_object_get(affinity, "preferred") : NULL, i, e)
    {
        add(t, "%s%d:", t->n ? ";" : "", (int)number_of(e, "weight"));
        say_need(t, e);
    }
}
