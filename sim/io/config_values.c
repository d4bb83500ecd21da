/* config_values.c - what stands at a place of the document, for walking over it and for messages. */
#include "sim/io/config_parts.h"

#include <stdio.h>
#include <string.h>

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
        snprintf(to, CONFIG_SHOWN, "%s", text ? "nothing" : fy_node_is_mapping(node) ? "a mapping" : "a list");
        return to;
    }
    size_t most = CONFIG_SHOWN - sizeof "'...'", n = length < most ? length : most;
    while (n < length && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--; /* cut between characters */
    size_t used = (size_t)snprintf(to, CONFIG_SHOWN, "'%.*s%s'", (int)n, text, n < length ? "..." : "");
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
    struct fy_node_pair *pair = of && fy_node_is_mapping(of) ? fy_node_mapping_iterate(of, &w->at) : NULL;
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
