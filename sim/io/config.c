/* config.c - the document: reading it with libfyaml, and the place of everything in it. */
#include "sim/io/config_parts.h"
#include "sim/base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

static struct fy_diag_error *last_complaint(const struct config *c)
{
    struct fy_diag_error *last = NULL;
    void *walk = NULL;
    for (struct fy_diag_error *e; (e = fy_diag_errors_iterate(c->diag, &walk));)
        last = e;
    return last;
}

/* libfyaml 0.7 tells where a list or mapping begins only by way of a complaint about it. false: it does not know, as
 * for an empty value and for what holds one; then the nearest key must do. */
static bool place_of(const struct config *c, struct fy_node *node, int *line, int *column)
{
    struct fy_diag_error *before = last_complaint(c);
    if (node)
        fy_node_report(node, FYET_ERROR, "here");
    struct fy_diag_error *here = last_complaint(c);
    if (!here || here == before || here->line < 1)
        return false;
    *line = here->line;
    *column = here->column;
    return true;
}

static int complain(const struct config *c, struct fy_node *node, struct fy_node *otherwise, const char *key,
                    struct error *err, const char *format, va_list arguments)
{
    char text[sizeof err->text];
    vsnprintf(text, sizeof text, format, arguments);
    int line = 1, column = 1;
    bool below;
    const struct config_setting *set = config_setting_of(c, node ? node : otherwise, &below);
    if (set)
        return error_set(err, "--set: %s: %s%s%s", set->path, key && below ? key : "", key && below ? ": " : "", text);
    if (!place_of(c, node, &line, &column))
        place_of(c, otherwise, &line, &column);
    return error_set(err, "%s:%d:%d: %s%s%s", c->name, line, column, key ? key : "", key ? ": " : "", text);
}

int config_error_at(const struct config *c, struct fy_node *node, struct error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = complain(c, node, NULL, NULL, err, format, arguments);
    va_end(arguments);
    return result;
}

int config_error(struct config_value v, struct error *err, const char *format, ...)
{
    char shown[CONFIG_SHOWN];
    const char *key = v.key ? config_shown(v.key, shown) : NULL;
    if (key && *key == '\'') { /* a name reads better without its quotes here */
        shown[strlen(shown) - 1] = '\0';
        key++;
    }
    va_list arguments;
    va_start(arguments, format);
    int result = complain(v.config, v.node, v.key ? v.key : v.near, key, err, format, arguments);
    va_end(arguments);
    return result;
}

/* ---- reading ---- */

static int read_all(struct config *c, struct input *in, struct error *err)
{
    size_t capacity = 0;
    for (;;) {
        while (capacity < c->length + 4096)
            mem_grow(&c->text, &capacity, capacity, 1);
        long n = input_read(in, c->text + c->length, capacity - c->length, err);
        if (n <= 0)
            return (int)n;
        c->length += (size_t)n;
        if (c->length > CONFIG_BYTES_MAX)
            return error_set(err, "%s: want at most %zu bytes of text", c->name, CONFIG_BYTES_MAX);
    }
}

/* Length of the UTF-8 character at s (Unicode 15, table 3-7); 0: none, or a control character that is no white space.
 * libfyaml 0.7 takes such bytes for the end of the file, without a word. */
static size_t character(const unsigned char *s, size_t left)
{
    if (*s < 0x80)
        return *s >= ' ' ? *s != 0x7f : *s == '\t' || *s == '\n' || *s == '\r';
    size_t n = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
    if (*s < 0xc2 || *s > 0xf4 || left < n)
        return 0;
    unsigned least = *s == 0xe0 ? 0xa0 : *s == 0xf0 ? 0x90 : 0x80;
    unsigned most = *s == 0xed ? 0x9f : *s == 0xf4 ? 0x8f : 0xbf;
    if (s[1] < least || s[1] > most)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

int config_check_text(const char *name, const char *text, size_t length, struct error *err)
{
    int line = 1, column = 1;
    for (size_t i = 0, n; i < length; i += n) {
        n = character((const unsigned char *)text + i, length - i);
        if (n == 0)
            return error_set(err, "%s:%d:%d: want UTF-8 text, got byte 0x%02x", name, line, column, (unsigned char)text[i]);
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return 0;
}

/* The nesting is at most 64 deep: libfyaml's own limit. */
int config_check_node(const struct config *c, struct fy_node *node, struct error *err)
{
    size_t length;
    if (fy_node_is_alias(node))
        return config_error_at(c, node, err, "want a value, got an alias: aliases are not followed here");
    if (fy_node_get_tag(node, &length))
        return config_error_at(c, node, err, "want a value without a tag, got '%.*s'", (int)(length < 40 ? length : 40),
                               fy_node_get_tag(node, &length));
    void *walk = NULL;
    if (fy_node_is_sequence(node))
        for (struct fy_node *item; (item = fy_node_sequence_iterate(node, &walk));)
            if (config_check_node(c, item, err))
                return -1;
    if (fy_node_is_mapping(node))
        for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &walk));)
            if (config_check_node(c, fy_node_pair_key(pair), err) || config_check_node(c, fy_node_pair_value(pair), err))
                return -1;
    return 0;
}

static int syntax_error(const struct config *c, struct error *err)
{
    void *walk = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(c->diag, &walk);
    if (first)
        return error_set(err, "%s:%d:%d: %s", c->name, first->line, first->column, first->msg);
    return error_set(err, "%s: want a YAML document, got %s", c->name,
                     fy_parser_get_stream_error(c->parser) ? "something else" : "nothing");
}

/* libfyaml 0.7 does not look whether malloc() gave it what it wanted. Lists of single letters, the worst there is, took 170
 * bytes a byte; where that much is not to be had, the end comes here. */
static void try_memory(const struct config *c)
{
    free(mem_resize(NULL, c->length + 4096, 256));
}

static int parse(struct config *c, struct error *err)
{
    try_memory(c);
    struct fy_diag_cfg silent;
    fy_diag_cfg_default(&silent);
    silent.fp = NULL;
    c->diag = fy_diag_create(&silent);
    fy_diag_set_collect_errors(c->diag, true);
    /* Duplicate keys: config_fields() names them, libfyaml would not. */
    enum fy_parse_cfg_flags flags =
        FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE | FYPCF_ALLOW_DUPLICATE_KEYS;
    struct fy_parse_cfg how = { .flags = flags, .diag = c->diag };
    c->parser = fy_parser_create(&how);
    if (!c->parser || fy_parser_set_string(c->parser, c->text, c->length))
        return error_set(err, "%s: libfyaml cannot read it", c->name);
    c->document = fy_parse_load_document(c->parser);
    if (!c->document)
        return syntax_error(c, err);
    struct fy_document *second = fy_parse_load_document(c->parser);
    if (last_complaint(c)) {
        fy_parse_document_destroy(c->parser, second);
        return syntax_error(c, err);
    }
    if (second) {
        config_error_at(c, fy_document_root(second), err, "want one document, here begins a second");
        fy_parse_document_destroy(c->parser, second);
        return -1;
    }
    return config_check_node(c, fy_document_root(c->document), err);
}

static struct config *begin(const char *name)
{
    struct config *c = mem_new(1, sizeof *c);
    errno = 0; /* see config_free() */
    c->name = mem_text(name, strlen(name));
    return c;
}

struct config *config_empty(const char *name, struct error *err)
{
    struct config *c = begin(name);
    c->text = mem_text("{}", 2);
    c->length = 2;
    if (parse(c, err) == 0)
        return c;
    config_free(c);
    return NULL;
}

struct config *config_read(struct input *in, struct error *err)
{
    struct config *c = begin(input_name(in));
    if (read_all(c, in, err) || config_check_text(c->name, c->text, c->length, err) || parse(c, err)) {
        config_free(c);
        return NULL;
    }
    return c;
}

/* At a tab behind the ':' of a "? key", libfyaml 0.7.12 puts the key among its spare ones twice (fy_fetch_value) and would
 * free it twice; such a parser is left as it is. */
static bool parser_is_whole(const struct config *c)
{
    void *walk = NULL;
    for (const struct fy_diag_error *e; (e = fy_diag_errors_iterate(c->diag, &walk));)
        if (strstr(e->msg, "cannot use tab for indentation"))
            return false;
    return true;
}

/* A piece that was lacking all the same may be a text, half a document or a message that is not there. But malloc() has left
 * its mark. */
void config_free(struct config *c)
{
    if (!c)
        return;
    if (errno == ENOMEM)
        mem_exhausted();
    if (c->document)
        fy_parse_document_destroy(c->parser, c->document);
    if (c->parser && parser_is_whole(c))
        fy_parser_destroy(c->parser);
    if (c->diag)
        fy_diag_destroy(c->diag);
    config_sets_free(c);
    free(c->text);
    free(c->name);
    free(c);
}

struct config_value config_root(struct config *c)
{
    return (struct config_value){ .config = c, .node = fy_document_root(c->document) };
}
