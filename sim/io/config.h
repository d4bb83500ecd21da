/* config.h - a YAML file (JSON is a subset) as typed, checked values; every error has its place.
 *
 * The caller describes a mapping as a table of keys and gets a struct filled in. Unknown and
 * duplicate keys, wrong types and values out of range are errors: "file:line:column: key: want ...,
 * got ...". Aliases, tags, a second document and bytes that are not UTF-8 text are refused. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/input.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CONFIG_BYTES_MAX                                                                           \
    ((size_t)4 << 20) /* of plain text, so that a small compressed file cannot fill the memory */

struct config;
struct config *config_read(struct input *in, struct error *err);   /* NULL with err */
/* a mapping without keys, for config_set() */
struct config *config_empty(const char *name, struct error *err);
void config_free(struct config *c);                          /* NULL: does nothing */

/* Sets a value as if the file had it: `path` is keys with dots between them; an item of a list is
 * its number, from 0, or its `name` (`group`). Missing mappings are made. `value` is YAML. Call it
 * before anything is read from the document. All errors about the value begin with "--set: PATH: ".
 * -1 with err. */
int config_set(struct config *c, const char *path, const char *value, struct error *err);

/* One value of the document, valid as long as it. A value that was never filled in is absent. */
struct config_value {
    struct config *config;
    void *node, *key;             /* key: NULL for an item of a list */
    void *near;                   /* the key of the list that it is in */
};
struct config_value config_root(struct config *c);
bool config_given(struct config_value v);                    /* false: absent */
bool config_is_list(struct config_value v);
bool config_is_mapping(struct config_value v);
/* An error about v: "file:line:column: [key: ]" and the text. Returns -1. */
int  config_error(struct config_value v, struct error *err, const char *format, ...)
     __attribute__((format(printf, 3, 4)));
size_t config_line(struct config_value v);                   /* of the file; 1 if it has no place */

enum config_type {
    CONFIG_TEXT,                  /* const char *: never empty, without control characters; lives as
                                     long as the document */
    CONFIG_FLAG,                  /* bool: true or false */
    CONFIG_COUNT,                 /* uint32_t */
    CONFIG_INTEGER,               /* int32_t */
    CONFIG_PARTS,                 /* int64_t: a decimal number in parts of 1/scale, rounded once */
    CONFIG_REAL,                  /* double */
    CONFIG_CHOICE,                /* int: index into words */
    CONFIG_LIST, CONFIG_MAPPING,  /* struct config_value, read further by the caller */
    CONFIG_ANY,                   /* struct config_value of any type */
};
struct config_named { const char *word; double value; };     /* a list ends with a NULL word */
struct config_key {               /* a table ends with a NULL name; keys of numbers, flags and words never change */
    const char *name;
    enum config_type type;
    size_t at;                    /* offset in the struct */
    int64_t least, most;          /* of a number, in the units of the file */
    int64_t scale;                /* of CONFIG_PARTS */
    bool above_least;             /* `least` itself is refused */
    bool required;
    const char *word;  /* of CONFIG_PARTS: a word that stands for word_value; NULL: none */
    int64_t word_value;
    const char *const *words;     /* of CONFIG_CHOICE; ends with NULL */
    const struct config_named *named; /* of CONFIG_REAL: words that stand for numbers; NULL: none */
};
/* Seconds, kept as ns: from 0 to 100 years of 365 days. */
#define CONFIG_TIME_MAX_S INT64_C(3153600000)
#define CONFIG_SECONDS    .type = CONFIG_PARTS, .scale = NS_PER_S, .most = CONFIG_TIME_MAX_S

/* Fills *to from the mapping v. A key that is absent leaves its field as it was: the caller has put
 * the default there. */
int config_fields(struct config_value v, const struct config_key *keys, void *to,
                  struct error *err);
/* The same for an absent key of `in`, if its defaults hold all the same: *to has them.
 * They are only remembered, for config_put(). */
void config_absent(struct config_value in, const char *name, const struct config_key *keys,
                   const void *to);
/* One value; name and at of `as` are ignored. */
int config_scalar(struct config_value v, const struct config_key *as, void *to, struct error *err);
/* The value of one key before the others are read, e.g. because their defaults depend on it.
 * Absent: no such key, or v is no mapping. */
struct config_value config_look(struct config_value mapping, const char *key);

/* Items of a list, or pairs of a mapping in the order of the file: `struct config_walk w = { .of =
 * v };`. A pair's key is kept with its value: config_error() names it. An absent value has none. */
struct config_walk { struct config_value of; void *at; };
bool   config_next(struct config_walk *w, struct config_value *item);
size_t config_count(struct config_value v);
int    config_key_text(struct config_value pair, const char **key, struct error *err);

/* ---- The effective document ---- */

/* A mapping or list as it holds: what the file (and config_set()) says, and behind it the defaults
 * of the keys that config_fields() did not find. A default that is no value of its key ("not
 * given") is left out, so that the text, read again, gives the same. Each line begins with `indent`
 * blanks; the second writes a value in one line. */
void config_put(struct config_value v, FILE *f, int indent);
void config_put_line(struct config_value v, FILE *f);
/* A text between quotes as YAML has it, all in one line; in a text that is no UTF-8, bytes from
 * 0x80 on are escaped. */
void config_put_quoted(FILE *f, const char *text);
