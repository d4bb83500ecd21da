/* config.c - see config.h: the document, read with libfyaml, its places, walks over it, and
 * settings. */
#include "sim/base/memory.h"
#include "sim/io/config_parts.h"
#include "sim/io/yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

static const struct config_setting *setting_of(const struct config *c, struct fy_node *node,
                                               bool *below)
{
    *below = false;
    for (; node && c->n_set; node = fy_node_get_parent(node), *below = true)
        for (size_t i = 0; i < c->n_set; i++)
            for (size_t k = 0; k < c->set[i].n; k++)
                if (node == c->set[i].made[k])
                    return &c->set[i];
    return NULL;
}

static void sets_free(struct config *c)
{
    for (size_t i = 0; i < c->n_set; i++) {
        free(c->set[i].path);
        free(c->set[i].value);
        free(c->set[i].made);
    }
    free(c->set);
}

/* libfyaml 0.7 gives the place of a list or mapping only in an error report about it. false: it has
 * no place, as for an empty value and its parents; then the nearest key is used. */
static bool place_of(const struct config *c, struct fy_node *node, int *line, int *column)
{
    struct fy_diag_error *before = yaml_last_error(c->diag);
    if (node)
        fy_node_report(node, FYET_ERROR, "here");
    struct fy_diag_error *here = yaml_last_error(c->diag);
    if (!here || here == before || here->line < 1)
        return false;
    *line = here->line;
    *column = here->column;
    return true;
}

size_t config_line(struct config_value v)
{
    int line = 1, column = 1;
    if (!place_of(v.config, v.node, &line, &column))
        place_of(v.config, v.key ? v.key : v.near, &line, &column);
    return (size_t)line;
}

static int complain(const struct config *c, struct fy_node *node, struct fy_node *otherwise,
                    const char *key, struct error *err, const char *format, va_list arguments)
{
    char text[sizeof err->text];
    vsnprintf(text, sizeof text, format, arguments);
    int line = 1, column = 1;
    bool below;
    const struct config_setting *set = setting_of(c, node ? node : otherwise, &below);
    if (set)
        return error_set(err, "--set: %s: %s%s%s", set->path, key && below ? key : "",
                         key && below ? ": " : "", text);
    if (!place_of(c, node, &line, &column))
        place_of(c, otherwise, &line, &column);
    return error_set(err, "%s:%d:%d: %s%s%s", c->name, line, column, key ? key : "",
                     key ? ": " : "", text);
}

int config_error_at(const struct config *c, struct fy_node *node, struct error *err,
                    const char *format, ...)
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

/* The nesting is at most 64 deep: libfyaml's own limit. */
static int check_node(const struct config *c, struct fy_node *node, struct error *err)
{
    size_t length;
    if (fy_node_is_alias(node))
        return config_error_at(c, node, err,
                               "want a value, got an alias: aliases are not followed here");
    if (fy_node_get_tag(node, &length))
        return config_error_at(c, node, err, "want a value without a tag, got '%.*s'",
                               (int)(length < 40 ? length : 40), fy_node_get_tag(node, &length));
    void *walk = NULL;
    if (fy_node_is_sequence(node))
        for (struct fy_node *item; (item = fy_node_sequence_iterate(node, &walk));)
            if (check_node(c, item, err))
                return -1;
    if (fy_node_is_mapping(node))
        for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &walk));)
            if (check_node(c, fy_node_pair_key(pair), err) ||
                check_node(c, fy_node_pair_value(pair), err))
                return -1;
    return 0;
}

static int syntax_error(const struct config *c, struct error *err)
{
    const struct fy_diag_error *first = yaml_first_error(c->diag);
    if (first)
        return error_set(err, "%s:%d:%d: %s", c->name, first->line, first->column, first->msg);
    return error_set(err, "%s: want a YAML document, got %s", c->name,
                     fy_parser_get_stream_error(c->parser) ? "something else" : "nothing");
}

static int parse(struct config *c, struct error *err)
{
    /* Lists of single letters, the worst case, take 170 bytes a byte. */
    yaml_try_memory(c->length, 256);
    c->diag = yaml_diag_new();
    c->parser = yaml_parser_new(c->diag);
    if (!c->parser || fy_parser_set_string(c->parser, c->text, c->length))
        return error_set(err, "%s: libfyaml cannot read it", c->name);
    c->document = fy_parse_load_document(c->parser);
    if (!c->document)
        return syntax_error(c, err);
    struct fy_document *second = fy_parse_load_document(c->parser);
    if (yaml_last_error(c->diag)) {
        fy_parse_document_destroy(c->parser, second);
        return syntax_error(c, err);
    }
    if (second) {
        config_error_at(c, fy_document_root(second), err,
                        "want one document, here begins a second");
        fy_parse_document_destroy(c->parser, second);
        return -1;
    }
    return check_node(c, fy_document_root(c->document), err);
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
    if (yaml_read_all(in, CONFIG_BYTES_MAX, &c->text, &c->length, err) ||
        yaml_text_check(c->name, c->text, c->length, err) || parse(c, err)) {
        config_free(c);
        return NULL;
    }
    return c;
}

/* If malloc() has failed all the same, a text, half a document or a message may be missing; errno
 * shows it. */
void config_free(struct config *c)
{
    if (!c)
        return;
    if (errno == ENOMEM)
        mem_exhausted();
    if (c->document)
        fy_parse_document_destroy(c->parser, c->document);
    yaml_parser_free(c->parser, c->diag);
    if (c->diag)
        fy_diag_destroy(c->diag);
    sets_free(c);
    free(c->by_default);
    free(c->known_text);
    intern_free(c->known);
    if (c->texts)
        arena_free(c->texts);
    if (c->writes)
        mem_stream_end(c->writes, &c->written);
    free(c->written);
    free(c->of_mapping);
    intern_free(c->mappings);
    free(c->text);
    free(c->name);
    free(c);
}

struct config_value config_root(struct config *c)
{
    return (struct config_value){ .config = c, .node = fy_document_root(c->document) };
}

/* ---- what values say ---- */

const char *config_text(struct fy_node *node, size_t *length, bool *quoted)
{
    if (!node || !fy_node_is_scalar(node))
        return NULL;
    if (quoted)
        *quoted = fy_node_get_style(node) != FYNS_PLAIN;
    *length = 0;
    const char *text = fy_node_get_scalar0(node);
    if (text)
        fy_node_get_scalar(node, length);
    return text ? text : "";
}

bool config_is_null(struct fy_node *node)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
    size_t length;
    bool quoted = false;
    const char *text = config_text(node, &length, &quoted);
    for (size_t i = 0; text && !quoted && i < sizeof nulls / sizeof *nulls; i++)
        if (strcmp(text, nulls[i]) == 0)
            return true;
    return false;
}

const char *config_shown(struct fy_node *node, char to[CONFIG_SHOWN])
{
    size_t length = 0;
    bool quoted = false;
    const char *text = config_text(node, &length, &quoted);
    if (!text || config_is_null(node)) {
        snprintf(to, CONFIG_SHOWN, "%s",
                 text                       ? "nothing"
                 : fy_node_is_mapping(node) ? "a mapping"
                                            : "a list");
        return to;
    }
    size_t most = CONFIG_SHOWN - sizeof "'...'", n = length < most ? length : most;
    while (n < length && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--; /* cut between two characters */
    size_t used =
        (size_t)snprintf(to, CONFIG_SHOWN, "'%.*s%s'", (int)n, text, n < length ? "..." : "");
    for (size_t i = 0; i < used; i++)
        if ((unsigned char)to[i] < ' ' || to[i] == 0x7f)
            to[i] = '?';
    return to;
}

/* ---- walking ---- */

bool config_given(struct config_value v)
{
    return v.node != NULL;
}

bool config_is_list(struct config_value v)
{
    return v.node && fy_node_is_sequence(v.node);
}

bool config_is_mapping(struct config_value v)
{
    return v.node && fy_node_is_mapping(v.node);
}

bool config_next(struct config_walk *w, struct config_value *item)
{
    struct fy_node *of = w->of.node;
    *item = (struct config_value){ .config = w->of.config };
    if (of && fy_node_is_sequence(of)) {
        item->node = fy_node_sequence_iterate(of, &w->at);
        item->near = w->of.key ? w->of.key : w->of.near;
        return item->node != NULL;
    }
    struct fy_node_pair *pair =
        of && fy_node_is_mapping(of) ? fy_node_mapping_iterate(of, &w->at) : NULL;
    if (!pair)
        return false;
    item->node = fy_node_pair_value(pair);
    item->key = fy_node_pair_key(pair);
    return true;
}

size_t config_count(struct config_value v)
{
    struct config_walk w = { .of = v };
    struct config_value item;
    size_t n = 0;
    while (config_next(&w, &item))
        n++;
    return n;
}

struct config_value config_look(struct config_value mapping, const char *key)
{
    struct config_walk w = { .of = mapping };
    size_t length;
    for (struct config_value v; config_next(&w, &v);) {
        const char *text = config_text(v.key, &length, NULL);
        if (text && strcmp(text, key) == 0)
            return v;
    }
    return (struct config_value){ .config = mapping.config };
}

/* ---- settings ---- */

static struct fy_node *noted(struct config_setting *set, struct fy_node *node)
{
    mem_grow(&set->made, &set->capacity, set->n, sizeof *set->made);
    return set->made[set->n++] = node;
}

/* One key of a path, and how much of the path it ends. */
struct step { const char *text; size_t length, up_to; };

static bool next_step(const char *path, struct step *s)
{
    if (s->text && !path[s->up_to])
        return false;
    s->text = path + (s->text ? s->up_to + 1 : 0);
    s->length = strcspn(s->text, ".");
    s->up_to = (size_t)(s->text - path) + s->length;
    return true;
}

static struct fy_node *item_called(struct fy_node *list, const struct step *s, const char *naming)
{
    void *walk = NULL;
    for (struct fy_node *item; (item = fy_node_sequence_iterate(list, &walk));) {
        size_t length = 0;
        const char *name =
            fy_node_is_mapping(item)
                ? fy_node_mapping_lookup_scalar_by_simple_key(item, &length, naming, strlen(naming))
                : NULL;
        if (name && length == s->length && !memcmp(name, s->text, length))
            return item;
    }
    return NULL;
}

static struct fy_node *build(struct config *c, struct config_setting *set, struct error *err)
{
    struct fy_node *node = fy_node_build_from_string(c->document, set->value, strlen(set->value));
    if (!node) {
        error_set(err, "--set: %s: want a value as in YAML, got '%.100s'", set->path, set->value);
        return NULL;
    }
    return check_node(c, noted(set, node), err) ? NULL : node;
}

static struct fy_node *item_of(struct fy_node *list, const struct step *s)
{
    char *end;
    unsigned long index = strtoul(s->text, &end, 10);
    if (s->length && end == s->text + s->length)
        return index < 1u << 30 ? fy_node_sequence_get_by_index(list, (int)index) : NULL;
    struct fy_node *item = item_called(list, s, "name");
    return item ? item : item_called(list, s, "group");
}

/* The value of a key of a mapping: of the last step the new one, else a mapping or list to go on
 * in. */
static struct fy_node *put(struct config *c, struct config_setting *set, struct fy_node *in,
                           const struct step *s, struct error *err)
{
    bool last = !set->path[s->up_to];
    struct fy_node_pair *pair = fy_node_mapping_lookup_pair_by_simple_key(in, s->text, s->length);
    struct fy_node *there = pair ? fy_node_pair_value(pair) : NULL;
    if (there && !last && !config_is_null(there))
        return there;
    struct fy_node *made =
        last ? build(c, set, err) : noted(set, fy_node_create_mapping(c->document));
    if (!made)
        return NULL;
    if (pair)
        return fy_node_pair_set_value(pair, made) ? NULL : made;
    return fy_node_mapping_append(
               in, noted(set, fy_node_create_scalar(c->document, s->text, s->length)), made)
               ? NULL
               : made;
}

static int check_path(const struct config *c, const char *path, const char *value,
                      struct error *err)
{
    if (!*path || strstr(path, "..") || *path == '.' || path[strlen(path) - 1] == '.')
        return error_set(err, "--set: want KEY=VALUE, with dots between keys, got '%.100s'", path);
    if (yaml_text_check("--set", path, strlen(path), err) ||
        yaml_text_check("--set", value, strlen(value), err))
        return -1;
    for (size_t i = 0; i < c->n_set; i++)
        if (!strcmp(c->set[i].path, path))
            return error_set(err, "--set: %s is given twice", path);
    return 0;
}

int config_set(struct config *c, const char *path, const char *value, struct error *err)
{
    struct fy_node *at = fy_document_root(c->document);
    struct step s = { NULL, 0, 0 };
    if (check_path(c, path, value, err))
        return -1;
    mem_grow(&c->set, &c->set_capacity, c->n_set, sizeof *c->set);
    struct config_setting *set = &c->set[c->n_set++];
    *set = (struct config_setting){ mem_text(path, strlen(path)), mem_text(value, strlen(value)),
                                    NULL, 0, 0 };
    while (next_step(set->path, &s)) {
        int so_far = (int)(s.text - set->path) - 1;
        bool list = fy_node_is_sequence(at);
        if (!list && !fy_node_is_mapping(at))
            return error_set(err, "--set: %s: %.*s has no keys", path, so_far > 0 ? so_far : 0,
                             path);
        struct fy_node *next = list ? item_of(at, &s) : put(c, set, at, &s, err);
        if (list && next && !set->path[s.up_to])
            return error_set(err, "--set: %s: want a key of this item, too", path);
        if (list && !next)
            return error_set(err, "--set: %s: %.*s has %d item%s, and none is called '%.*s'", path,
                             so_far, path, fy_node_sequence_item_count(at),
                             fy_node_sequence_item_count(at) == 1 ? "" : "s", (int)s.length,
                             s.text);
        if (!next)
            return err->text[0] ? -1
                                : error_set(err, "--set: %s: libfyaml cannot put it there", path);
        at = next;
    }
    return 0;
}
