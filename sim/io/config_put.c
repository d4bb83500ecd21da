/* config_put.c - see config.h: the effective document as YAML. Defaults are written as text when a
 * mapping has been read, as the struct that holds them may not last. */
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/base/utf8.h"
#include "sim/io/config_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Scalars ---- */

void config_put_quoted(FILE *f, const char *text)
{
    bool utf8 = utf8_is(text);
    putc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7F || (*c >= 0x80 && !utf8))
            fprintf(f, "\\x%02X", *c);
        else
            putc(*c, f);
    }
    putc('"', f);
}

/* Letters that mean nothing in a plain scalar, in a line or between brackets. */
static bool is_plain(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_.+-/";
    return text[strspn(text, letters)] == '\0';
}

static void put_scalar(struct fy_node *node, FILE *f)
{
    size_t length;
    bool quoted = false;
    const char *text = config_text(node, &length, &quoted);
    if (config_is_null(node))
        fputs("null", f);
    else if (!text)
        mem_exhausted();
    else if (!quoted && is_plain(text))
        fputs(text, f);
    else
        config_put_quoted(f, text);
}

/* ---- Defaults ---- */

/* false: the digits do not give x again. */
static bool put_real(FILE *f, double x)
{
    char text[40];
    int64_t whole;
    for (int digits = 15; digits <= 17; digits += 2) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x && decimal_parse(text, strlen(text), 1, &whole)) {
            fputs(text, f);
            return true;
        }
    }
    return false;
}

static bool put_parts(FILE *f, int64_t n, const struct config_key *key)
{
    int64_t scale = key->scale ? key->scale : 1, again = 0;
    char text[40];
    if (key->word && n == key->word_value) {
        fputs(key->word, f);
        return true;
    }
    if (n < key->least * scale || n > key->most * scale ||
        (key->above_least && n == key->least * scale))
        return false;
    for (int digits = 15; digits <= 17; digits += 2) {
        snprintf(text, sizeof text, "%.*g", digits, (double)n / (double)scale);
        if (decimal_parse(text, strlen(text), scale, &again) && again == n) {
            fputs(text, f);
            return true;
        }
    }
    return false;
}

static bool put_whole(FILE *f, int64_t n, const struct config_key *key)
{
    bool is_value = n >= key->least && n <= key->most && !(key->above_least && n == key->least);
    if (is_value)
        fprintf(f, "%" PRId64, n);
    return is_value;
}

static bool put_choice(FILE *f, int n, const struct config_key *key)
{
    for (int i = 0; key->words[i]; i++)
        if (i == n)
            fputs(key->words[i], f);
    int words = 0;
    while (key->words[words])
        words++;
    return n >= 0 && n < words;
}

/* false: it is no value of the key. */
static bool put_value(FILE *f, const struct config_key *key, const void *at)
{
    double x;
    const char *text;
    switch (key->type) {
    case CONFIG_TEXT:
        memcpy(&text, at, sizeof text);
        if (text)
            config_put_quoted(f, text);
        return text != NULL;
    case CONFIG_FLAG:
        fputs(*(const bool *)at ? "true" : "false", f);
        return true;
    case CONFIG_COUNT:
        return put_whole(f, *(const uint32_t *)at, key);
    case CONFIG_INTEGER:
        return put_whole(f, *(const int32_t *)at, key);
    case CONFIG_PARTS:
        return put_parts(f, *(const int64_t *)at, key);
    case CONFIG_REAL:
        x = *(const double *)at;
        return x >= (double)key->least && x <= (double)key->most &&
               !(key->above_least && x <= (double)key->least) && put_real(f, x);
    case CONFIG_CHOICE:
        return put_choice(f, *(const int *)at, key);
    case CONFIG_LIST:
    case CONFIG_MAPPING:
    case CONFIG_ANY:
        return false;
    }
    return false;
}

/* The defaults of a mapping, in the order in which they were noted; NULL: there are none. */
static struct config_defaults *defaults_of(struct config_value v)
{
    struct config *c = v.config;
    uint32_t number = INTERN_NONE;
    if (c->mappings)
        number = intern_find(c->mappings, (const char *)&v.node, sizeof v.node);
    return number == INTERN_NONE ? NULL : &c->of_mapping[number];
}

static struct config_defaults *defaults_add(struct config_value v)
{
    struct config *c = v.config;
    struct config_defaults *of = defaults_of(v);
    if (of)
        return of;
    c->mappings = c->mappings ? c->mappings : intern_new();
    uint32_t number = intern_add(c->mappings, (const char *)&v.node, sizeof v.node);
    mem_grow(&c->of_mapping, &c->of_mapping_capacity, number, sizeof *c->of_mapping);
    c->of_mapping[number] = (struct config_defaults){ NO_DEFAULT, NO_DEFAULT };
    return &c->of_mapping[number];
}

/* The text lasts as long as the document. */
static void note(struct config_value mapping, const char *name, const char *text, bool is_mapping)
{
    struct config *c = mapping.config;
    struct config_defaults *of = defaults_add(mapping);
    for (size_t i = of->first; i != NO_DEFAULT; i = c->by_default[i].next)
        if (!strcmp(c->by_default[i].name, name)) {
            c->by_default[i].text = text;
            c->by_default[i].mapping = is_mapping;
            return;
        }
    mem_grow(&c->by_default, &c->default_capacity, c->n_default, sizeof *c->by_default);
    c->by_default[c->n_default] = (struct config_default){ name, text, is_mapping, NO_DEFAULT };
    *(of->last == NO_DEFAULT ? &of->first : &c->by_default[of->last].next) = c->n_default;
    of->last = c->n_default++;
}

static const char *keep_text(struct config *c, const char *text, size_t length)
{
    c->texts = c->texts ? c->texts : arena_new();
    return arena_text(c->texts, text, length);
}

/* NULL: it is no value of the key. One stream for all of them: each new one would clear a buffer. */
static const char *default_text(struct config *c, const struct config_key *key, const void *at)
{
    c->writes = c->writes ? c->writes : mem_stream(&c->written, &c->n_written);
    rewind(c->writes);
    if (!put_value(c->writes, key, at))
        return NULL;
    if (fflush(c->writes) != 0 || ferror(c->writes))
        mem_exhausted();
    return keep_text(c, c->written, c->n_written);
}

/* Bytes of a value in its struct; 0: what it says lies elsewhere, or nothing is known of it. */
static size_t size_of(const struct config_key *key)
{
    switch (key->type) {
    case CONFIG_FLAG:
        return sizeof(bool);
    case CONFIG_COUNT:
        return sizeof(uint32_t);
    case CONFIG_INTEGER:
        return sizeof(int32_t);
    case CONFIG_PARTS:
        return sizeof(int64_t);
    case CONFIG_REAL:
        return sizeof(double);
    case CONFIG_CHOICE:
        return sizeof(int);
    case CONFIG_TEXT:
    case CONFIG_LIST:
    case CONFIG_MAPPING:
    case CONFIG_ANY:
        return 0;
    }
    return 0;
}

/* The same, once for all defaults of that key with that value. */
static const char *known_text(struct config *c, const struct config_key *key, const void *at,
                              size_t size)
{
    struct { const struct config_key *key; unsigned char value[sizeof(int64_t)]; } what = { key, { 0 } };
    memcpy(what.value, at, size);
    c->known = c->known ? c->known : intern_new();
    uint32_t before = intern_count(c->known),
             number = intern_add(c->known, (const char *)&what, sizeof what);
    if (number == before) {
        mem_grow(&c->known_text, &c->known_capacity, number, sizeof *c->known_text);
        c->known_text[number] = default_text(c, key, at);
    }
    return c->known_text[number];
}

void config_note_default(struct config_value mapping, const struct config_key *key, const void *at)
{
    struct config *c = mapping.config;
    size_t size = size_of(key);
    const char *text = size ? known_text(c, key, at, size) : default_text(c, key, at);
    if (text)
        note(mapping, key->name, text, false);
}

void config_absent(struct config_value in, const char *name, const struct config_key *keys,
                   const void *to)
{
    char *all = NULL, *text = NULL;
    size_t length;
    FILE *f = mem_stream(&all, &length);
    for (const struct config_key *key = keys; key->name; key++) {
        FILE *one = mem_stream(&text, &length);
        bool is_value = put_value(one, key, (const char *)to + key->at);
        mem_stream_end(one, &text);
        if (is_value)
            fprintf(f, "%s: %s\n", key->name, text);
        free(text);
    }
    mem_stream_end(f, &all);
    note(in, name, keep_text(in.config, all, strlen(all)), true);
    free(all);
}

/* ---- Mappings and lists ---- */

static bool is_scalar(struct config_value v)
{
    return !config_is_list(v) && !config_is_mapping(v);
}

static bool of_scalars(struct config_value list)
{
    struct config_walk w = { .of = list };
    for (struct config_value item; config_next(&w, &item);)
        if (!is_scalar(item))
            return false;
    return true;
}

/* Of a default: in one line, or in lines of its own if it is a mapping. */
static void put_default_line(const struct config_default *d, FILE *f)
{
    const char *before = "{ ";
    if (!d->mapping) {
        fputs(d->text, f);
        return;
    }
    for (const char *at = d->text; *at; at += strcspn(at, "\n") + 1, before = ", ")
        fprintf(f, "%s%.*s", before, (int)strcspn(at, "\n"), at);
    fputs(*before == ',' ? " }" : "{}", f);
}

static void put_default(const struct config_default *d, FILE *f, int indent)
{
    fprintf(f, "%*s%s:", indent, "", d->name);
    if (!d->mapping || !*d->text) {
        putc(' ', f);
        put_default_line(d, f);
        putc('\n', f);
        return;
    }
    putc('\n', f);
    for (const char *at = d->text; *at; at += strcspn(at, "\n") + 1)
        fprintf(f, "%*s%.*s\n", indent + 2, "", (int)strcspn(at, "\n"), at);
}

/* The first default of a mapping, or the next one; NULL: none is left. */
static const struct config_default *first_default(struct config_value v)
{
    const struct config_defaults *of = defaults_of(v);
    return of ? &v.config->by_default[of->first] : NULL;
}

static const struct config_default *next_default(struct config_value v,
                                                 const struct config_default *d)
{
    return d->next == NO_DEFAULT ? NULL : &v.config->by_default[d->next];
}

void config_put_line(struct config_value v, FILE *f)
{
    struct config_walk w = { .of = v };
    bool mapping = config_is_mapping(v);
    const char *before = mapping ? "{ " : "[";
    if (is_scalar(v)) {
        put_scalar(v.node, f);
        return;
    }
    for (struct config_value item; config_next(&w, &item); before = ", ") {
        fputs(before, f);
        if (mapping) {
            put_scalar(item.key, f);
            fputs(": ", f);
        }
        config_put_line(item, f);
    }
    const struct config_default *d = mapping ? first_default(v) : NULL;
    for (; d; d = next_default(v, d), before = ", ") {
        fputs(before, f);          /* thousands of queues have tens of thousands of them */
        fputs(d->name, f);
        fputs(": ", f);
        put_default_line(d, f);
    }
    fputs(*before == '{' ? "{}" : *before == '[' ? "[]" : mapping ? " }" : "]", f);
}

/* In one line: scalars, lists of them, and what is empty. */
static bool is_short(struct config_value v)
{
    return is_scalar(v) || (config_is_list(v) && of_scalars(v)) ||
           (config_is_mapping(v) && config_count(v) == 0 && !first_default(v));
}

/* Behind "key:". */
static void put_item(struct config_value v, FILE *f, int indent)
{
    if (is_short(v)) {
        putc(' ', f);
        config_put_line(v, f);
        putc('\n', f);
    } else {
        putc('\n', f);
        config_put(v, f, indent + 2);
    }
}

void config_put(struct config_value v, FILE *f, int indent)
{
    struct config_walk w = { .of = v };
    for (struct config_value item; config_next(&w, &item);) {
        if (config_is_list(v)) {
            fprintf(f, "%*s- ", indent, "");
            config_put_line(item, f);
            putc('\n', f);
            continue;
        }
        fprintf(f, "%*s", indent, "");
        put_scalar(item.key, f);
        putc(':', f);
        put_item(item, f, indent);
    }
    const struct config_default *d = config_is_mapping(v) ? first_default(v) : NULL;
    for (; d; d = next_default(v, d))
        put_default(d, f, indent);
}
