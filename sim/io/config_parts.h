/* config_parts.h - private to config.c, which owns the document and walks over it, config_read.c,
 * which checks and converts its values, and config_put.c, which writes what holds. */
#pragma once
#include "sim/base/intern.h"
#include "sim/io/config.h"
#include <libfyaml.h>

#define NO_DEFAULT SIZE_MAX
struct config {
    char *name, *text;            /* of the file; libfyaml points into the text */
    size_t length;
    struct fy_diag *diag;         /* collects, prints nothing */
    struct fy_parser *parser;
    struct fy_document *document;
    struct config_setting {       /* see config_set() */
        char *path, *value;
        struct fy_node **made;    /* [n] keys and values that it has made, with all below them */
        size_t n, capacity;
    } *set;
    size_t n_set, set_capacity;
    struct config_default {       /* of a mapping that was read: a key that it does not have */
        const char *name;         /* of the table of keys */
        const char *text;         /* YAML in one line; of a mapping a line for each key */
        bool mapping;
        size_t next;              /* of the same mapping; NO_DEFAULT: none */
    } *by_default;
    size_t n_default, default_capacity;
    struct arena *texts;          /* of the defaults; NULL: there are none yet */
    FILE *writes;                 /* the text of one default, then of the next; NULL: none yet */
    char *written;                /* [n_written] */
    size_t n_written;
    /* Defaults as noted once: of thousands of queues most are the same. By table and value; NULL: not yet */
    struct intern *known;
    const char **known_text;      /* [of known]; NULL: it is no value */
    size_t known_capacity;
    struct intern *mappings;      /* that have defaults: the bytes of their nodes; NULL: none has */
    struct config_defaults { size_t first, last; } *of_mapping;
    size_t of_mapping_capacity;
};

/* Remembers what a key has that is not given, if that is a value. */
void config_note_default(struct config_value mapping, const struct config_key *key, const void *at);

/* The text of a scalar, NULL if it is a list or a mapping. *quoted may be NULL. */
const char *config_text(struct fy_node *node, size_t *length, bool *quoted);
bool config_is_null(struct fy_node *node);    /* nothing, ~ or null, without quotes (YAML 1.2.2,
                                                 10.3.2) */
/* A value in messages: "'x'", "a list", "nothing". Cut to fit in one line. */
#define CONFIG_SHOWN 64
const char *config_shown(struct fy_node *node, char to[CONFIG_SHOWN]);
/* "file:line:column: " of a node, without naming the key. */
int config_error_at(const struct config *c, struct fy_node *node, struct error *err,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
