/* export_openmetrics.c - the summary as OpenMetrics text, version 1.0 (prometheus/docs:
 * specs/om/open_metrics_spec.md): families with TYPE, UNIT and HELP, each in one piece; label
 * values and HELP with \, " and line feeds escaped; "# EOF" at the end.
 *
 * A metric is a gauge: gpuyard_ and its name, in which the unit replaces its abbreviation and
 * stands at the end. The numbers are those of summary.csv, to the letter. Scope "all" has no
 * label, others one: the letters at the beginning of the scope are its name, what follows its
 * value, without the "=" if that stands between them: queue=a is queue="a", gpus<=8 is gpus="<=8".
 * An empty label is none to the format, so an empty name is written as "(no name)". What was run
 * is the info gpuyard_run. */
#include "sim/cli/export/export.h"
#include "sim/base/memory.h"
#include "sim/physics/physics.h"
#include "sim/results/summary.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LONG = 256 };

/* brief: in the names of summary.csv */
static const struct { const char *unit, *brief, *word; } units[] = {
    { "", "", "" },                        { "s", "s", "seconds" },     { "h", "h", "hours" },
    { "GPU h", "gpu_h", "gpu_hours" },     { "GPUs", "gpus", "gpus" },  { "GiB", "gib",
        "gibibytes" },
    { "kWh", "kwh", "kilowatt_hours" },    { "W", "w", "watts" },       { "kg", "kg", "kilograms" },
    { "USD", "usd", "dollars" },           { "USD/GPU h", "per_useful_gpu_h_usd",
                                             "dollars_per_useful_gpu_hour" },
};

struct value { char *name, *scope, *text, *unit; };
struct writing {
    struct value *value;
    size_t n, capacity;
};

/* ---- Names ---- */

/* Removes the whole words `part`: "lost_gpu_h_move" without "gpu_h" is "lost_move". */
static void drop_words(char *name, const char *part)
{
    size_t length = strlen(part);
    for (char *at = name; length && (at = strstr(at, part)); at++) {
        bool begins = at == name || at[-1] == '_', ends = !at[length] || at[length] == '_';
        if (!begins || !ends)
            continue;
        char *from = at + length;
        if (*from == '_')
            from++;
        else if (at > name)
            at--;
        memmove(at, from, strlen(from) + 1);
        return;
    }
}

/* The unit as letters and '_'. */
static void unit_word(const char *unit, char to[NAME_LONG])
{
    size_t n = 0;
    for (; *unit && n < NAME_LONG - 1; unit++)
        to[n++] = isalnum((unsigned char)*unit) ? (char)tolower((unsigned char)*unit) : '_';
    to[n] = '\0';
}

static void family_name(const char *metric, const char *unit, char to[NAME_LONG],
                        char word[NAME_LONG])
{
    char stem[NAME_LONG];
    snprintf(stem, sizeof stem, "%s", metric);
    unit_word(unit, word);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].unit, unit)) {
            snprintf(word, NAME_LONG, "%s", units[i].word);
            drop_words(stem, units[i].brief);
        }
    snprintf(to, NAME_LONG, "gpuyard_%.120s%s%.100s", stem, *word ? "_" : "", word);
    for (char *c = to; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

static const char *help_of(const char *name)          /* "": an unknown metric */
{
    for (const struct metric_kind *m = metric_kinds; m->name; m++)
        if (!strcmp(m->name, name))
            return m->summary;
    for (const struct run_model *const *of = physics_models; *of; of++)
        for (const struct metric_kind *m = (*of)->metrics; m && m->name; m++)
            if (!strcmp(m->name, name))
                return m->summary;
    return "";
}

/* ---- Text ---- */

static void put_escaped(struct output *o, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n') {
            out_text(o, "\\n");
            continue;
        }
        if (*text == '\\' || *text == '"')
            out_char(o, '\\');
        out_char(o, *text);
    }
}

static void put_line(struct output *o, const char *what, const char *family, const char *text)
{
    if (!*text)
        return;
    out_text(o, "# ");
    out_text(o, what);
    out_char(o, ' ');
    out_text(o, family);
    out_char(o, ' ');
    put_escaped(o, text);
    out_char(o, '\n');
}

static void put_label(struct output *o, bool *any, const char *key, size_t length,
                      const char *value)
{
    out_char(o, *any ? ',' : '{');
    *any = true;
    out_bytes(o, key, length);
    out_text(o, "=\"");
    put_escaped(o, value);
    out_char(o, '"');
}

/* Without bytes that are no UTF-8, which the format does not allow. */
static void make_utf8(char *text)
{
    json_t *s = json_string(text);
    for (char *c = text; !s && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    json_decref(s);
}

/* Letters, digits behind the first, and '_'. */
static size_t label_length(const char *scope)
{
    size_t n = 0;
    while (isalpha((unsigned char)scope[n]) || scope[n] == '_' ||
           (n && isdigit((unsigned char)scope[n])))
        n++;
    return n;
}

static void put_scope(struct output *o, bool *any, const char *scope)
{
    size_t n = label_length(scope);
    const char *value = scope + n + (scope[n] == '=');
    if (n && scope[n])
        put_label(o, any, scope, n, *value ? value : "(no name)");
    else
        put_label(o, any, "scope", strlen("scope"), scope);
}

static void put_sample(struct output *o, const char *family, const struct value *v)
{
    bool any = false;
    out_text(o, family);
    if (strcmp(v->scope, "all") != 0)
        put_scope(o, &any, v->scope);
    out_text(o, any ? "} " : " ");
    out_text(o, v->text);
    out_char(o, '\n');
}

/* ---- summary.csv ---- */

static const char *const summary_columns[] = { "metric", "scope", "value", "unit", NULL };

static int take_metric(void *self, const struct row *r, const size_t *at, struct error *err)
{
    struct writing *t = self;
    const struct cell *name = &r->cell[at[0]], *scope = &r->cell[at[1]], *value = &r->cell[at[2]],
                      *unit = &r->cell[at[3]];
    char *end = NULL;
    if (!value->length)
        return 0;
    strtod(value->text, &end);
    if (*end)
        return cell_error(r, at[2], "a number", err);
    mem_grow(&t->value, &t->capacity, t->n, sizeof *t->value);
    t->value[t->n] = (struct value){ mem_text(name->text, name->length),
                                     mem_text(scope->text, scope->length),
                                     mem_text(value->text, value->length),
                                     mem_text(unit->text, unit->length) };
    make_utf8(t->value[t->n++].scope);
    return 0;
}

/* By the first occurrence of the metric, then in the order of the file: a family must be in one
 * piece. */
static void sort_by_family(struct writing *t)
{
    struct value *sorted = mem_new(t->n, sizeof *sorted);
    bool *taken = mem_new(t->n, sizeof *taken);
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = i; !taken[i] && k < t->n; k++)
            if (k == i || (!taken[k] && !strcmp(t->value[k].name, t->value[i].name))) {
                sorted[n++] = t->value[k];
                taken[k] = k != i;
            }
    free(t->value);
    free(taken);
    t->value = sorted;
}

static void put_family(struct output *o, const struct value *v)
{
    char family[NAME_LONG], word[NAME_LONG];
    family_name(v->name, v->unit, family, word);
    put_line(o, "TYPE", family, "gauge");
    put_line(o, "UNIT", family, word);
    put_line(o, "HELP", family, help_of(v->name));
}

/* ---- manifest.json ---- */

static void put_run(struct output *o, const char *directory)
{
    static const char *const fields[] = { "version", "policy_text", "placement_text" };
    json_t *manifest = result_manifest(directory);
    bool any = false;
    if (!manifest)
        return;
    put_line(o, "TYPE", "gpuyard_run", "info");
    put_line(o, "HELP", "gpuyard_run", "what was run");
    out_text(o, "gpuyard_run_info");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *text = json_string_value(json_object_get(manifest, fields[i]));
        if (text)
            put_label(o, &any, fields[i], strlen(fields[i]), text);
    }
    char seed[32];
    snprintf(seed, sizeof seed, "%" JSON_INTEGER_FORMAT,
             json_integer_value(json_object_get(manifest, "seed")));
    put_label(o, &any, "seed", strlen("seed"), seed);
    out_text(o, "} 1\n");
    json_decref(manifest);
}

int export_openmetrics(const char *directory, struct output *o, struct error *err)
{
    static const struct result_file summary = { "summary.csv", summary_columns, take_metric, NULL };
    struct writing t = { .value = NULL };
    int result = result_file_read_or_fail(directory, &summary, &t, err);
    sort_by_family(&t);
    if (result == 0)
        put_run(o, directory);
    for (size_t i = 0; i < t.n; i++) {
        char family[NAME_LONG], word[NAME_LONG];
        family_name(t.value[i].name, t.value[i].unit, family, word);
        if (i == 0 || strcmp(t.value[i].name, t.value[i - 1].name) != 0)
            put_family(o, &t.value[i]);
        put_sample(o, family, &t.value[i]);
    }
    out_text(o, "# EOF\n");
    for (size_t i = 0; i < t.n; i++) {
        free(t.value[i].name);
        free(t.value[i].scope);
        free(t.value[i].text);
        free(t.value[i].unit);
    }
    free(t.value);
    return result;
}
