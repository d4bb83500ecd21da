/* config_parts.h - between config.c, which owns the document, config_values.c, which walks over it, and
 * config_read.c, which makes sense of its values. */
#pragma once
#include "sim/core/config.h"
#include <libfyaml.h>

struct fy_document *config_document(struct config *c);
/* Of a node that was not in the file, or holds one: where complaints about it point to, a key that was in the file. Returns it. */
struct fy_node *config_note_put(struct config *c, struct fy_node *node, struct fy_node *place);
/* The text of a scalar, NULL if it is a list or a mapping. *quoted may be NULL. */
const char *config_text(struct fy_node *node, size_t *length, bool *quoted);
bool config_is_null(struct fy_node *node);    /* nothing, ~ or null, without quotes (YAML 1.2.2, 10.3.2) */
/* What stands there, for messages: "'x'", "a list", "nothing". Cut to what fits in one line. */
#define CONFIG_SHOWN 64
const char *config_shown(struct fy_node *node, char to[CONFIG_SHOWN]);
/* "file:line:column: " of a node, without naming the key. */
int config_error_at(const struct config *c, struct fy_node *node, struct error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
