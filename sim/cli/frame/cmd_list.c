/* cmd_list.c - gpuyard list: a catalogue (list.h) as JSON or as text: entries with their
 * parameters, or a table. */
#include "sim/cli/frame/list.h"

#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/term.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ==== Text ==== */

#define NO_BOUND 1e9
enum { INDENT_MAX = 28, GAP = 2 };

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static void joined(char *to, size_t size, const json_t *list, const char *between)
{
    size_t n = 0;
    to[0] = '\0';
    for (size_t i = 0; i < json_array_size(list) && n < size; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%s", i ? between : "",
                              json_string_value(json_array_get(list, i)));
}

static void put_number(char *to, size_t size, const json_t *value, const char *none)
{
    if (json_is_number(value))
        snprintf(to, size, "%.10g", json_number_value(value));
    else
        snprintf(to, size, "%s", json_is_string(value) ? json_string_value(value) : none);
}

/* "blocking=strict|skip", "lease_s=1..3600", "weight=0..": the name and the possible values; a
 * max of NO_BOUND or more is not shown. */
static size_t parameter_head(char *to, size_t size, const json_t *p)
{
    const json_t *words = json_object_get(p, "words");
    size_t n = (size_t)snprintf(to, size, "%s=", text_of(p, "name"));
    if (words)
        joined(to + n, size - n, words, "|");
    else {
        char least[32], most[32];
        put_number(least, sizeof least, json_object_get(p, "least"), "");
        if (json_number_value(json_object_get(p, "most")) >= NO_BOUND)
            most[0] = '\0';
        else
            put_number(most, sizeof most, json_object_get(p, "most"), "");
        snprintf(to + n, size - n, "%s..%s", least, most);
    }
    return strlen(to);
}

/* The meaning of a parameter is shown once in a list: `shown` holds the parameters shown so far. */
static void parameter(const json_t *p, json_t *shown, size_t indent, size_t width)
{
    char head[512], text[1024], fallback[64];
    const char *unit = text_of(p, "unit"), *summary = text_of(p, "summary");
    parameter_head(head, sizeof head, p);
    put_number(fallback, sizeof fallback, json_object_get(p, "default"), "");
    const char *before = json_string_value(json_object_get(shown, head));
    bool again = before && strcmp(before, summary) == 0;
    json_object_set_new(shown, head, json_string(summary));
    snprintf(text, sizeof text, "%s (default %s%s%s)", again ? "as above" : summary, fallback,
             *unit ? " " : "", unit);
    printf("    %s", head);
    text_wrap(stdout, text, 4 + strlen(head), indent, width);
}

static void needs(const json_t *o, const char *key, const char *lead, size_t indent, size_t width)
{
    char list[256], text[320];
    joined(list, sizeof list, json_object_get(o, key), ", ");
    snprintf(text, sizeof text, "%s%s", lead, list);
    if (*list)
        text_wrap(stdout, text, 0, indent, width);
}

/* Columns that a model adds if it is on. */
static void of_model(const json_t *o, size_t indent, size_t width)
{
    char lead[64];
    snprintf(lead, sizeof lead, "with %s: ", text_of(o, "name"));
    needs(o, "columns", lead, indent, width);
}

static void entry(const json_t *o, json_t *shown, size_t indent, size_t width)
{
    char text[4096];
    const char *unit = text_of(o, "unit");
    const json_t *columns = json_object_get(o, "columns"),
                 *parameters = json_object_get(o, "parameters");
    if (columns)
        joined(text, sizeof text, columns, ", ");
    else
        snprintf(text, sizeof text, "%s%s%s%s", text_of(o, "summary"), *unit ? " (" : "", unit,
                 *unit ? ")" : "");
    text_wrap(stdout, text, (size_t)printf("%s", text_of(o, "name")), indent, width);
    needs(o, "needs", "", indent, width);
    needs(o, "may_need", "with some parameters: ", indent, width);
    for (size_t i = 0; i < json_array_size(json_object_get(o, "of_models")); i++)
        of_model(json_array_get(json_object_get(o, "of_models"), i), indent, width);
    for (size_t i = 0; i < json_array_size(parameters); i++)
        parameter(json_array_get(parameters, i), shown, indent, width);
    for (size_t i = 0; i < json_array_size(json_object_get(o, "options")); i++) {
        const json_t *option = json_array_get(json_object_get(o, "options"), i);
        text_wrap(stdout, text_of(option, "summary"),
                  (size_t)printf("    %s=", text_of(option, "name")), indent, width);
    }
}

static void entries(const json_t *list, size_t width)
{
    size_t indent = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        size_t name = strlen(text_of(json_array_get(list, i), "name")) + GAP;
        const json_t *parameters = json_object_get(json_array_get(list, i), "parameters");
        indent = name > indent ? name : indent;
        for (size_t p = 0; p < json_array_size(parameters); p++) {
            char head[512];
            size_t used = 4 + parameter_head(head, sizeof head, json_array_get(parameters, p)) +
                          GAP;
            indent = used > indent && used <= INDENT_MAX ? used : indent;
        }
    }
    indent = indent > INDENT_MAX ? INDENT_MAX : indent;
    indent = width < 60 && indent > 8 ? 8 : indent;
    json_t *shown = json_object();
    for (size_t i = 0; i < json_array_size(list); i++)
        entry(json_array_get(list, i), shown, indent, width);
    json_decref(shown);
}

static size_t column_width(const json_t *list, const char *key)
{
    size_t width = strlen(key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char text[64];
        put_number(text, sizeof text, json_object_get(json_array_get(list, i), key), "-");
        width = strlen(text) > width ? strlen(text) : width;
    }
    return width;
}

static void table(const json_t *list)
{
    json_t *first = json_array_get(list, 0), *value;
    const char *key;
    bool begins = true;
    json_object_foreach(first, key, value) {
        int width = (int)column_width(list, key);
        printf("%s%*s", begins ? "" : "  ", json_is_string(value) ? -width : width, key);
        begins = false;
    }
    putchar('\n');
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *o = json_array_get(list, i);
        begins = true;
        json_object_foreach(o, key, value) {
            char text[64];
            int width = (int)column_width(list, key);
            put_number(text, sizeof text, value, "-");
            bool last = !json_object_iter_next(o, json_object_key_to_iter(key));
            printf("%s%*s", begins ? "" : "  ", json_is_string(value) ? (last ? 0 : -width) : width,
                   text);
            begins = false;
        }
        putchar('\n');
    }
}

static void list_as_text(const json_t *list)
{
    const json_t *first = json_array_get(list, 0);
    if (json_object_get(first, "summary") || json_object_get(first, "columns"))
        entries(list, term_width(STDOUT_FILENO));
    else
        table(list);
}

/* ==== The command ==== */

enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };
static const char *const topics[] = { "policies", "placers", "formats", "workloads", "gpus",
                                      "mig",      "duties",  "goodput", "nodes",     "models",
                                      "metrics",  "columns", NULL };

struct list_options { int format; };
static const struct list_options defaults = { .format = FORMAT_TEXT };
static const struct option options[] = {
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD,
      .help = "text, the default, or json",
      .at = offsetof(struct list_options, format), .words = formats },
    { 0 },
};

static int list_run(const struct invocation *in)
{
    const struct list_options *o = in->options;
    const struct listing *l = listings;
    char text[DID_YOU_MEAN];
    while (l->name && strcmp(l->name, in->operands.text[0]))
        l++;
    if (!l->name)
        return complain(
            EXIT_USAGE, "no list of %s",
            did_you_mean(text, in->operands.text[0], topics, "see 'gpuyard list --help'"));
    json_t *list = l->make();
    if (o->format == FORMAT_JSON) {
        json_dumpf(list, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else
        list_as_text(list);
    json_decref(list);
    return EXIT_OK;
}

const struct command cmd_list = {
    .name = "list",
    .summary = "list policies, placers, formats, workloads, gpus, mig, duties, goodput, nodes, "
               "models, metrics or columns",
    .set = { .name = "list", .options = options, .operands = "LIST",
             .min_operands = 1, .max_operands = 1 },
    .words = topics,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = list_run,
};
