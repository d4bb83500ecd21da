/* cmd_list.c - gpuyard list: a catalogue (list.h), or one entry of it, as JSON or as text: entries
 * with their parameters, or a table. */
#include "sim/cli/frame/list.h"

#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/term.h"
#include "sim/base/memory.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== Text ==== */

#define NO_BOUND 1e9
enum { INDENT_MAX = 28, INDENT_HEAD = 4, GAP = 2 };

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

/* "default 5 s", "default 1 job", "default none" for a number that stands for no bound. */
static void parameter_default(char *to, size_t size, const json_t *p)
{
    const json_t *value = json_object_get(p, "default");
    const char *unit = text_of(p, "unit");
    char number[64];
    size_t letters = strlen(unit);
    if (json_number_value(value) >= NO_BOUND) {
        snprintf(to, size, "default none");
        return;
    }
    put_number(number, sizeof number, value, "");
    if (!strcmp(number, "1") && letters > 1 && unit[letters - 1] == 's')
        letters--;
    snprintf(to, size, "default %s%s%.*s", number, *unit ? " " : "", (int)letters, unit);
}

/* The meaning of a parameter is shown once in a list: `shown` holds the parameters shown so far. */
static void parameter(const json_t *p, json_t *shown, size_t indent, size_t width)
{
    char head[512], text[1024], fallback[96];
    const char *summary = text_of(p, "summary");
    size_t used = INDENT_HEAD + parameter_head(head, sizeof head, p);
    parameter_default(fallback, sizeof fallback, p);
    const char *before = json_string_value(json_object_get(shown, head));
    bool again = before && strcmp(before, summary) == 0;
    json_object_set_new(shown, head, json_string(summary));
    snprintf(text, sizeof text, "%s (%s)", again ? "as above" : summary, fallback);
    if (used > width) {
        text_wrap(stdout, head, 0, INDENT_HEAD, width);
        used = 0;
    } else
        printf("%*s%s", INDENT_HEAD, "", head);
    text_wrap(stdout, text, used, indent, width);
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
    needs(o, "reads", "reads ", indent, width);
    needs(o, "csv", "as CSV: ", indent, width);
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
            const json_t *one = json_array_get(parameters, p);
            size_t used = INDENT_HEAD + parameter_head(head, sizeof head, one) + GAP;
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

static void list_as_text(const json_t *list)
{
    const json_t *first = json_array_get(list, 0);
    if (json_object_get(first, "summary") || json_object_get(first, "columns"))
        entries(list, term_width(STDOUT_FILENO));
    else
        list_table(list, term_width(STDOUT_FILENO));
}

/* ==== The command ==== */

enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };
static const char *const topics[] = { "policies", "placers", "formats", "workloads", "gpus",
                                      "mig",      "duties",  "goodput", "nodes",     "models",
                                      "metrics",  "columns", "plots",   NULL };

struct list_options { int format; };
static const struct list_options defaults = { .format = FORMAT_TEXT };
static const struct option options[] = {
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD,
      .help = "text, the default, or json",
      .at = offsetof(struct list_options, format), .words = formats },
    { 0 },
};

/* What an entry goes by: its first value. A table may have several rows of one name. */
static const char *name_of(json_t *entry)
{
    return json_string_value(json_object_iter_value(json_object_iter(entry)));
}

/* Only the entries of this name; -1 with a message if there is none. */
static int keep_one(json_t *list, const char *topic, const char *name)
{
    size_t n = json_array_size(list);
    const char **known = mem_new(n + 1, sizeof *known);
    char text[DID_YOU_MEAN], otherwise[DID_YOU_MEAN];
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        known[i] = name_of(json_array_get(list, i));
        any = any || !strcmp(known[i], name);
    }
    snprintf(otherwise, sizeof otherwise, "see 'gpuyard list %s'", topic);
    if (!any)
        complain(EXIT_USAGE, "list %s: no %s", topic, did_you_mean(text, name, known, otherwise));
    free(known);
    for (size_t i = n; any && i-- > 0;)
        if (strcmp(name_of(json_array_get(list, i)), name))
            json_array_remove(list, i);
    return any ? 0 : -1;
}

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
    if (in->operands.n > 1 && keep_one(list, l->name, in->operands.text[1])) {
        json_decref(list);
        return EXIT_USAGE;
    }
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
               "models, metrics, columns or plots",
    .details = "With NAME only what has that name: 'list policies easy' tells the parameters of "
               "one policy, each in full.",
    .set = { .name = "list", .options = options, .operands = "LIST [NAME]",
             .min_operands = 1, .max_operands = 2 },
    .words = topics,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = list_run,
};
