/* options.c - parsing a command line by its table. See options.h. */
#include "sim/cli/frame/options.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATIO_SCALE INT64_C(1000000000)

const struct option option_help = { .name = "help", .letter = 'h',
.help = "show this help", .kind = OPTION_FLAG };

const char *did_you_mean(char to[DID_YOU_MEAN], const char *typed, const char *const *names,
                         const char *otherwise)
{
    const char *best = suggest(typed, names);
    if (best)
        snprintf(to, DID_YOU_MEAN, "'%s', did you mean '%s'?", typed, best);
    else
        snprintf(to, DID_YOU_MEAN, "'%s', %s", typed, otherwise);
    return to;
}

const char *words_or(char to[DID_YOU_MEAN], const char *const *words)
{
    size_t n = 0;
    to[0] = '\0';
    for (size_t i = 0; words[i] && n < DID_YOU_MEAN; i++)
        n += (size_t)snprintf(to + n, DID_YOU_MEAN - n, "%s%s",
                              !i             ? ""
                              : words[i + 1] ? ", "
                                             : " or ",
                              words[i]);
    return to;
}

struct parser {
    const struct option_set *set;
    int argc, at;                 /* next argument */
    char *const *argv;
    char *values;
    bool *given;                  /* by option */
    size_t *capacity;             /* of its list */
    struct error *err;
};

/* Messages use the long name of an option. */
static int complain(struct parser *p, const struct option *o, const char *want, const char *got)
{
    if (got)
        return error_set(p->err, "%s: --%s: want %s, got '%s'", p->set->name, o->name, want, got);
    return error_set(p->err, "%s: --%s: want %s", p->set->name, o->name, want);
}

/* ---- Values ---- */

static int store_number(struct parser *p, const struct option *o, const char *text)
{
    int64_t value, scale = o->kind == OPTION_INTEGER ? 1 : RATIO_SCALE;
    bool ok = scale == 1 ? integer_parse(text, strlen(text), &value)
                         : decimal_parse(text, strlen(text), scale, &value);
    char want[128];
    const char *what = o->kind == OPTION_INTEGER   ? "a whole number"
                       : o->kind == OPTION_SECONDS ? "seconds"
                                                   : "a number";
    if (o->kind == OPTION_RATIO) {
        ok = ok && value > o->min * scale && value <= o->max * scale;
        snprintf(want, sizeof want, "%s above %lld, at most %lld", what, (long long)o->min,
                 (long long)o->max);
    } else {
        ok = ok && value >= o->min * scale && value <= o->max * scale;
        snprintf(want, sizeof want, "%s from %lld to %lld", what, (long long)o->min,
                 (long long)o->max);
    }
    if (!ok)
        return complain(p, o, want, text);
    if (o->kind == OPTION_RATIO)
        *(double *)(void *)(p->values + o->at) = (double)value / (double)RATIO_SCALE;
    else
        *(int64_t *)(void *)(p->values + o->at) = value;
    return 0;
}

static int store_word(struct parser *p, const struct option *o, const char *text)
{
    char want[DID_YOU_MEAN];
    for (int i = 0; o->words[i]; i++)
        if (!strcmp(o->words[i], text)) {
            *(int *)(void *)(p->values + o->at) = i;
            return 0;
        }
    return complain(p, o, words_or(want, o->words), text);
}

static int store(struct parser *p, size_t i, const char *text)
{
    const struct option *o = &p->set->options[i];
    if (p->given[i] && o->kind != OPTION_FLAG && o->kind != OPTION_TEXTS)
        return error_set(p->err, "%s: --%s is given twice", p->set->name, o->name);
    p->given[i] = true;
    if (!*text)
        return complain(p, o, o->argument, text);
    if (o->kind == OPTION_TEXT) {
        *(const char **)(void *)(p->values + o->at) = text;
        return 0;
    }
    if (o->kind == OPTION_TEXTS) {
        struct option_texts *list = (void *)(p->values + o->at);
        mem_grow(&list->text, &p->capacity[i], list->n, sizeof *list->text);
        list->text[list->n++] = text;
        return 0;
    }
    return o->kind == OPTION_WORD ? store_word(p, o, text) : store_number(p, o, text);
}

static int value_of(struct parser *p, size_t i, const char *attached)
{
    const struct option *o = &p->set->options[i];
    if (attached)
        return store(p, i, attached);
    if (p->at == p->argc)
        return complain(p, o, o->argument, NULL);
    return store(p, i, p->argv[p->at++]);
}

static void raise_flag(struct parser *p, size_t i)
{
    *(bool *)(p->values + p->set->options[i].at) = true;
}

/* ---- Names ---- */

static int unknown_name(struct parser *p, const char *typed)
{
    struct suggestion near = { .typed = typed };
    for (const struct option *o = p->set->options; o->name; o++)
        suggest_offer(&near, o->name);
    suggest_offer(&near, option_help.name);
    if (near.best)
        return error_set(p->err, "%s: no option '--%s', did you mean '--%s'?", p->set->name, typed,
                         near.best);
    return error_set(p->err, "%s: no option '--%s', see 'gpuyard %s --help'", p->set->name, typed,
                     p->set->name);
}

/* "name" or "name=value", after the two dashes. */
static enum options_result long_option(struct parser *p, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             text);
    const struct option *o = NULL;
    size_t i = 0;
    if (!strcmp(name, option_help.name))
        o = &option_help;
    for (; !o && p->set->options[i].name; i++)
        if (!strcmp(p->set->options[i].name, name)) {
            o = &p->set->options[i];
            break;
        }
    if (!o)
        unknown_name(p, name);
    else if (o->kind == OPTION_FLAG && equals)
        error_set(p->err, "%s: --%s takes no value, got '%s'", p->set->name, name, equals + 1);
    else if (o == &option_help)
        return OPTIONS_HELP;
    else if (o->kind == OPTION_FLAG)
        raise_flag(p, i);
    else
        value_of(p, i, equals ? equals + 1 : NULL);
    return p->err->text[0] ? OPTIONS_WRONG : OPTIONS_OK;
}

/* Letters after one dash: flags, the last may take a value. */
static enum options_result letters(struct parser *p, const char *text)
{
    for (; *text; text++) {
        const struct option *o = p->set->options;
        while (o->name && o->letter != *text)
            o++;
        size_t i = (size_t)(o - p->set->options);
        if (o->name && o->kind != OPTION_FLAG)
            return value_of(p, i, text[1] ? text + 1 : NULL) ? OPTIONS_WRONG : OPTIONS_OK;
        if (!o->name && *text == option_help.letter)
            return OPTIONS_HELP;
        if (!o->name) {
            error_set(p->err, "%s: no option '-%c', see 'gpuyard %s --help'", p->set->name, *text,
                      p->set->name);
            return OPTIONS_WRONG;
        }
        raise_flag(p, i);
    }
    return OPTIONS_OK;
}

/* ---- The command line ---- */

static enum options_result arguments(struct parser *p, struct operands *operands)
{
    size_t capacity = 0;
    bool only_operands = false;
    while (p->at < p->argc) {
        const char *text = p->argv[p->at++];
        enum options_result result = OPTIONS_OK;
        if (only_operands || text[0] != '-' || !text[1]) {
            mem_grow(&operands->text, &capacity, operands->n, sizeof *operands->text);
            operands->text[operands->n++] = text;
        } else if (!strcmp(text, "--"))
            only_operands = true;
        else
            result = text[1] == '-' ? long_option(p, text + 2) : letters(p, text + 1);
        if (result != OPTIONS_OK)
            return result;
    }
    return OPTIONS_OK;
}

/* Whether the option that has this one in it is given. */
static bool given_instead(const struct parser *p, const struct option *o)
{
    for (size_t i = 0; o->instead && p->set->options[i].name; i++)
        if (p->given[i] && !strcmp(p->set->options[i].name, o->instead))
            return true;
    return false;
}

static int complete(struct parser *p, const struct operands *operands)
{
    const struct option_set *set = p->set;
    for (size_t i = 0; set->options[i].name; i++) {
        const struct option *o = &set->options[i];
        bool instead = given_instead(p, o);
        if (o->required && !p->given[i] && !instead)
            return complain(p, o, o->argument, NULL);
        if (p->given[i] && instead)
            return error_set(p->err, "%s: --%s: want none beside --%s, which says it", set->name,
                             o->name, o->instead);
    }
    if (operands->n > set->max_operands && !set->max_operands)
        return error_set(p->err, "%s: takes no operand, got '%s'", set->name, operands->text[0]);
    if (operands->n > set->max_operands)
        return error_set(p->err, "%s: want %s, got also '%s'", set->name, set->operands,
                         operands->text[set->max_operands]);
    if (operands->n < set->min_operands)
        return error_set(p->err, "%s: want %s, see 'gpuyard %s --help'", set->name, set->operands,
                         set->name);
    return 0;
}

enum options_result options_parse(const struct option_set *set, int argc, char *const *argv,
                                  void *values, struct operands *operands, struct error *err)
{
    size_t n = 0;
    while (set->options[n].name)
        n++;
    struct parser p = { .set = set, .argc = argc, .at = 1, .argv = argv, .values = values,
                        .err = err,
                        .given = mem_new(n, sizeof *p.given), .capacity = mem_new(n,
                            sizeof *p.capacity) };
    enum options_result result = arguments(&p, operands);
    if (result == OPTIONS_OK && complete(&p, operands))
        result = OPTIONS_WRONG;
    free(p.given);
    free(p.capacity);
    return result;
}

void options_free(const struct option_set *set, void *values, struct operands *operands)
{
    for (const struct option *o = set->options; o->name; o++)
        if (o->kind == OPTION_TEXTS)
            free(((struct option_texts *)(void *)((char *)values + o->at))->text);
    free(operands->text);
    *operands = (struct operands){ 0 };
}
