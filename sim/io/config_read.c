/* config_read.c - see config.h: typed reading, from values of the document to fields of a struct,
 * by a table of keys. */
#include "sim/io/config_parts.h"
#include "sim/base/suggest.h"
#include "sim/base/units.h"
#include "sim/base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 768 /* "one of a, b, c" in a message */

/* ---- one value ---- */

static int wanted(struct config_value v, struct error *err, const char *want)
{
    char shown[CONFIG_SHOWN];
    return config_error(v, err, "want %s, got %s", want, config_shown(v.node, shown));
}

static int read_text(struct config_value v, const char **to, struct error *err)
{
    size_t length = 0;
    const char *text = config_text(v.node, &length, NULL);
    if (!text || length == 0 || config_is_null(v.node) || strlen(text) != length ||
        !text_is_line(text, length))
        return wanted(v, err, "a text of one line");
    *to = text;
    return 0;
}

static int read_flag(struct config_value v, bool *to, struct error *err)
{
    static const char *const words[] = {
        "false", "true", "False", "True", "FALSE", "TRUE"
    }; /* YAML 1.2.2, 10.3.2 */
    size_t length;
    bool quoted = false;
    const char *text = config_text(v.node, &length, &quoted);
    for (size_t i = 0; text && !quoted && i < 6; i++)
        if (strcmp(text, words[i]) == 0) {
            *to = i % 2;
            return 0;
        }
    return wanted(v, err, "true or false");
}

static void list_add(char list[LIST_MAX], const char *name)
{
    size_t used = strlen(list);
    snprintf(list + used, LIST_MAX - used, "%s%s", used ? ", " : "", name);
}

/* " or 'WORD'", " or one of WORD, WORD", or nothing */
static void put_words(char text[LIST_MAX], const struct config_key *as)
{
    char words[LIST_MAX] = "";
    for (const struct config_named *n = as->named; n && n->word; n++)
        list_add(words, n->word);
    if (as->word)
        snprintf(text, LIST_MAX, " or '%s'", as->word);
    else
        snprintf(text, LIST_MAX, "%s%.*s", *words ? " or one of " : "", LIST_MAX - 20, words);
}

static int number_error(struct config_value v, const struct config_key *as, struct error *err)
{
    bool whole = as->type == CONFIG_COUNT || as->type == CONFIG_INTEGER, quoted = false;
    size_t length;
    char shown[CONFIG_SHOWN], words[LIST_MAX];
    const char *text = config_text(v.node, &length, &quoted);
    put_words(words, as);
    return config_error(v, err, "want a %snumber %s %" PRId64 " %s %" PRId64 "%s, got %s%s",
                        whole ? "whole " : "", as->above_least ? "above" : "from", as->least,
                        as->above_least ? "up to" : "to", as->most, words,
                        text && quoted ? "the text " : "", config_shown(v.node, shown));
}

/* The text of a plain scalar: "4" in quotes is a text, as in JSON. */
static const char *number_text(struct config_value v, size_t *length)
{
    bool quoted = false;
    const char *text = config_text(v.node, length, &quoted);
    return quoted ? NULL : text;
}

static int read_whole(struct config_value v, const struct config_key *as, int64_t *to,
                      struct error *err)
{
    size_t length = 0;
    int64_t n = 0;
    const char *text = number_text(v, &length);
    if (!text || !integer_parse(text, length, &n) || n < as->least || n > as->most)
        return number_error(v, as, err);
    *to = n;
    return 0;
}

static int read_parts(struct config_value v, const struct config_key *as, int64_t *to,
                      struct error *err)
{
    size_t length = 0;
    int64_t n = 0, scale = as->scale ? as->scale : 1;
    const char *text = number_text(v, &length), *word = config_text(v.node, &length, NULL);
    if (word && as->word && strcmp(word, as->word) == 0) {
        *to = as->word_value;
        return 0;
    }
    if (!text || !decimal_parse(text, length, scale, &n) || n < as->least * scale ||
        n > as->most * scale || (as->above_least && n == as->least * scale))
        return number_error(v, as, err);
    *to = n;
    return 0;
}

static int read_real(struct config_value v, const struct config_key *as, double *to,
                     struct error *err)
{
    size_t length = 0;
    int64_t n = 0;
    const char *text = number_text(v, &length), *word = config_text(v.node, &length, NULL);
    for (const struct config_named *named = as->named; word && named && named->word; named++)
        if (strcmp(word, named->word) == 0) {
            *to = named->value;
            return 0;
        }
    if (!text || !decimal_parse(text, length, 1, &n)) /* for the grammar: strtod takes hexadecimal,
                                                         inf, nan */
        return number_error(v, as, err);
    double x = strtod(text, NULL);
    if (x < (double)as->least || x > (double)as->most ||
        (as->above_least && !(x > (double)as->least)))
        return number_error(v, as, err);
    *to = x;
    return 0;
}

static int choice_error(struct config_value v, const char *prefix, const char *list,
                        const char *near, struct error *err)
{
    return config_error(v, err, "%s%s%s%s%s", prefix, list, near ? ", did you mean '" : "",
                        near ? near : "", near ? "'?" : "");
}

static int read_choice(struct config_value v, const struct config_key *as, int *to,
                       struct error *err)
{
    size_t length = 0;
    const char *text = config_text(v.node, &length, NULL);
    char list[LIST_MAX] = "", shown[CONFIG_SHOWN], got[LIST_MAX + CONFIG_SHOWN + 8];
    for (int i = 0; as->words[i]; i++) {
        if (text && strcmp(text, as->words[i]) == 0) {
            *to = i;
            return 0;
        }
        list_add(list, as->words[i]);
    }
    snprintf(got, sizeof got, "%s, got %s", list, config_shown(v.node, shown));
    return choice_error(v, "want one of ", got, text ? suggest(text, as->words) : NULL, err);
}

int config_scalar(struct config_value v, const struct config_key *as, void *to, struct error *err)
{
    int64_t n = 0;
    switch (as->type) {
    case CONFIG_TEXT:
        return read_text(v, to, err);
    case CONFIG_FLAG:
        return read_flag(v, to, err);
    case CONFIG_PARTS:
        return read_parts(v, as, to, err);
    case CONFIG_REAL:
        return read_real(v, as, to, err);
    case CONFIG_CHOICE:
        return read_choice(v, as, to, err);
    case CONFIG_COUNT:
        assert(as->least >= 0 && as->most <= UINT32_MAX);
        if (read_whole(v, as, &n, err))
            return -1;
        *(uint32_t *)to = (uint32_t)n;
        return 0;
    case CONFIG_INTEGER:
        assert(as->least >= INT32_MIN && as->most <= INT32_MAX);
        if (read_whole(v, as, &n, err))
            return -1;
        *(int32_t *)to = (int32_t)n;
        return 0;
    case CONFIG_LIST:
    case CONFIG_MAPPING:
        if (as->type == CONFIG_LIST ? !fy_node_is_sequence(v.node) : !fy_node_is_mapping(v.node))
            return wanted(v, err, as->type == CONFIG_LIST ? "a list" : "a mapping");
        *(struct config_value *)to = v;
        return 0;
    case CONFIG_ANY:
        *(struct config_value *)to = v;
        return 0;
    }
    return 0;
}

/* ---- a mapping ---- */

int config_key_text(struct config_value pair, const char **key, struct error *err)
{
    struct config_value as_value = { .config = pair.config, .node = pair.key };
    return read_text(as_value, key, err);
}

static int unknown_key(struct config_value v, const char *name, const struct config_key *keys,
                       struct error *err)
{
    struct suggestion near = { .typed = name };
    char list[LIST_MAX] = "", shown[CONFIG_SHOWN], prefix[CONFIG_SHOWN + 40];
    for (const struct config_key *k = keys; k->name; k++) {
        list_add(list, k->name);
        suggest_offer(&near, k->name);
    }
    snprintf(prefix, sizeof prefix, "unknown key %s: want one of ", config_shown(v.key, shown));
    struct config_value key = { .config = v.config, .node = v.key };
    return choice_error(key, prefix, list, near.best, err);
}

int config_fields(struct config_value v, const struct config_key *keys, void *to, struct error *err)
{
    if (!v.node || !fy_node_is_mapping(v.node))
        return wanted(v, err, "a mapping");
    uint64_t seen = 0;
    struct config_walk w = { .of = v };
    for (struct config_value pair; config_next(&w, &pair);) {
        const char *name = NULL;
        if (config_key_text(pair, &name, err))
            return -1;
        size_t k = 0;
        while (keys[k].name && strcmp(keys[k].name, name) != 0)
            k++;
        assert(k < 64);
        if (!keys[k].name)
            return unknown_key(pair, name, keys, err);
        if (seen >> k & 1)
            return config_error_at(v.config, pair.key, err, "key '%s' is given twice", name);
        seen |= UINT64_C(1) << k;
        if (config_scalar(pair, &keys[k], (char *)to + keys[k].at, err))
            return -1;
    }
    for (size_t k = 0; keys[k].name; k++) {
        if (seen >> k & 1)
            continue;
        if (keys[k].required)
            return config_error_at(v.config, v.node, err, "key '%s' is missing", keys[k].name);
        config_note_default(v, &keys[k], (const char *)to + keys[k].at);
    }
    return 0;
}
