/* config_put.c - changing a document from outside, before its values are read. See config.h. */
#include "sim/core/config_parts.h"
#include "sim/core/memory.h"
#include "sim/core/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool called(struct fy_node *item, const char *key, const char *name, size_t length)
{
    struct fy_node *node = fy_node_is_mapping(item) ? fy_node_mapping_lookup_by_string(item, key, FY_NT) : NULL;
    size_t n = 0;
    const char *text = config_text(node, &n, NULL);
    return text && n == length && memcmp(text, name, length) == 0;
}

/* NULL: there is none. */
static struct fy_node *item_of(struct fy_node *list, const char *name, size_t length)
{
    int64_t index;
    if (integer_parse(name, length, &index))
        return index >= 0 && index < fy_node_sequence_item_count(list) ? fy_node_sequence_get_by_index(list, (int)index) : NULL;
    void *walk = NULL;
    for (struct fy_node *item; (item = fy_node_sequence_iterate(list, &walk));)
        if (called(item, "name", name, length) || called(item, "group", name, length))
            return item;
    return NULL;
}

static struct fy_node_pair *pair_of(struct fy_node *mapping, const char *name, size_t length)
{
    void *walk = NULL;
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(mapping, &walk));) {
        size_t n = 0;
        const char *text = config_text(fy_node_pair_key(pair), &n, NULL);
        if (text && n == length && memcmp(text, name, length) == 0)
            return pair;
    }
    return NULL;
}

/* The first key of a mapping, or that of what it stands in. */
static struct fy_node *place_in(struct fy_node *node, struct fy_node *otherwise)
{
    void *walk = NULL;
    struct fy_node_pair *first = fy_node_is_mapping(node) ? fy_node_mapping_iterate(node, &walk) : NULL;
    return first ? fy_node_pair_key(first) : otherwise;
}

/* The value of that key, whose pair is made if there is none; place: of what has no place of its own. */
static void put(struct config *c, struct fy_node *mapping, const char *name, size_t length, struct fy_node *value, struct fy_node *place)
{
    struct fy_node_pair *pair = pair_of(mapping, name, length);
    config_note_put(c, value, pair ? fy_node_pair_key(pair) : place);
    if (pair)
        fy_node_pair_set_value(pair, value);
    else
        fy_node_mapping_append(mapping, config_note_put(c, fy_node_create_scalar_copy(config_document(c), name, length), place), value);
}

static int nowhere(struct config *c, const char *path, const char *at, size_t length, struct fy_node *in, struct error *err)
{
    const char *kind = fy_node_is_sequence(in) ? "the list has no such item" : "there is a value, not a mapping";
    return config_error_at(c, in, err, "%s leads nowhere: at '%.*s' %s", path, (int)length, at, kind);
}

/* One step further; NULL: there is nothing. */
static struct fy_node *step(struct config *c, struct fy_node *node, const char *name, size_t length, struct fy_node *place)
{
    if (fy_node_is_sequence(node))
        return item_of(node, name, length);
    struct fy_node_pair *pair = fy_node_is_mapping(node) ? pair_of(node, name, length) : NULL;
    struct fy_node *next = pair ? fy_node_pair_value(pair) : NULL;
    if (fy_node_is_mapping(node) && (!next || config_is_null(next)))
        put(c, node, name, length, next = fy_node_create_mapping(config_document(c)), place);
    return next;
}

int config_put(struct config *c, const char *path, const char *text, struct error *err)
{
    struct fy_document *d = config_document(c);
    struct fy_node *node = fy_document_root(d), *place = place_in(node, node);
    for (const char *at = path;;) {
        size_t length = strcspn(at, ".");
        bool last = !at[length];
        struct fy_node *next = last ? NULL : step(c, node, at, length, place);
        if (last ? !fy_node_is_mapping(node) : !next)
            return nowhere(c, path, at, length, node, err);
        config_note_put(c, node, place);
        if (last) {
            put(c, node, at, length, fy_node_create_scalar_copy(d, text, strlen(text)), place);
            return 0;
        }
        place = place_in(next, place);
        node = next;
        at += length + 1;
    }
}
