/* config_set.c - values that are put into a document before it is looked at: see config_set(). */
#include "sim/io/config_parts.h"
#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

const struct config_setting *config_setting_of(const struct config *c, struct fy_node *node, bool *below)
{
    *below = false;
    for (; node && c->n_set; node = fy_node_get_parent(node), *below = true)
        for (size_t i = 0; i < c->n_set; i++)
            for (size_t k = 0; k < c->set[i].n; k++)
                if (node == c->set[i].made[k])
                    return &c->set[i];
    return NULL;
}

void config_sets_free(struct config *c)
{
    for (size_t i = 0; i < c->n_set; i++) {
        free(c->set[i].path);
        free(c->set[i].value);
        free(c->set[i].made);
    }
    free(c->set);
}

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
        const char *name = fy_node_is_mapping(item) ? fy_node_mapping_lookup_scalar_by_simple_key(item, &length, naming, strlen(naming)) : NULL;
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
    return config_check_node(c, noted(set, node), err) ? NULL : node;
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

/* The value of a key of a mapping: of the last step the new one, else a mapping or list to go on in. */
static struct fy_node *put(struct config *c, struct config_setting *set, struct fy_node *in, const struct step *s, struct error *err)
{
    bool last = !set->path[s->up_to];
    struct fy_node_pair *pair = fy_node_mapping_lookup_pair_by_simple_key(in, s->text, s->length);
    struct fy_node *there = pair ? fy_node_pair_value(pair) : NULL;
    if (there && !last && !config_is_null(there))
        return there;
    struct fy_node *made = last ? build(c, set, err) : noted(set, fy_node_create_mapping(c->document));
    if (!made)
        return NULL;
    if (pair)
        return fy_node_pair_set_value(pair, made) ? NULL : made;
    return fy_node_mapping_append(in, noted(set, fy_node_create_scalar(c->document, s->text, s->length)), made) ? NULL : made;
}

static int check_path(const struct config *c, const char *path, const char *value, struct error *err)
{
    if (!*path || strstr(path, "..") || *path == '.' || path[strlen(path) - 1] == '.')
        return error_set(err, "--set: want KEY=VALUE, with dots between keys, got '%.100s'", path);
    if (config_check_text("--set", path, strlen(path), err) || config_check_text("--set", value, strlen(value), err))
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
    *set = (struct config_setting){ mem_text(path, strlen(path)), mem_text(value, strlen(value)), NULL, 0, 0 };
    while (next_step(set->path, &s)) {
        int so_far = (int)(s.text - set->path) - 1;
        bool list = fy_node_is_sequence(at);
        if (!list && !fy_node_is_mapping(at))
            return error_set(err, "--set: %s: %.*s has no keys", path, so_far > 0 ? so_far : 0, path);
        struct fy_node *next = list ? item_of(at, &s) : put(c, set, at, &s, err);
        if (list && next && !set->path[s.up_to])
            return error_set(err, "--set: %s: want a key of this item, too", path);
        if (list && !next)
            return error_set(err, "--set: %s: %.*s has %d item%s, and none is called '%.*s'", path, so_far, path,
                             fy_node_sequence_item_count(at), fy_node_sequence_item_count(at) == 1 ? "" : "s", (int)s.length, s.text);
        if (!next)
            return err->text[0] ? -1 : error_set(err, "--set: %s: libfyaml cannot put it there", path);
        at = next;
    }
    return 0;
}
