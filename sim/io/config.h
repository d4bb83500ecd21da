/* config.h - a YAML file (JSON is a subset) as typed, checked values; every complaint has its place.
 *
 * The caller describes a mapping as a table of keys and gets a struct filled in. Unknown and duplicate keys, wrong types
 * and values out of range are errors: "file:line:column: key: want ..., got ...". A value stands where it is used: aliases,
 * tags and a second document are refused, as is what is no UTF-8 text. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/input.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_BYTES_MAX ((size_t)4 << 20)    /* of plain text: a small compressed file cannot fill the memory */

struct config;
struct config *config_read(struct input *in, struct error *err);   /* all of it. NULL with err */
struct config *config_empty(const char *name, struct error *err);  /* a mapping without keys, for config_set() */
void config_free(struct config *c);                          /* NULL: does nothing */

/* As if the file said so: `path` is keys with dots between them, of an item of a list its number, from 0, or its `name`
 * (`group`); mappings that
 * are not there are made. `value` is YAML. Before anything is read from the document. Complaints about it, these and later ones, begin
 * with "--set: PATH: ". -1 with err. */
int config_set(struct config *c, const char *path, const char *value, struct error *err);

/* One value in it; valid as long as the document. A value that was never filled in is absent. */
struct config_value {
    struct config *config;
    void *node, *key;             /* key: NULL for an item of a list */
    void *near;                   /* the key of the list it is in */
};
struct config_value config_root(struct config *c);
bool config_given(struct config_value v);                    /* false: absent */
bool config_is_list(struct config_value v);
bool config_is_mapping(struct config_value v);
/* A complaint about v: "file:line:column: [key: ]" and the text. Returns -1. */
int  config_error(struct config_value v, struct error *err, const char *format, ...)
     __attribute__((format(printf, 3, 4)));

enum config_type {
    CONFIG_TEXT,                  /* const char *: never empty, without control characters; lives as long as the document */
    CONFIG_FLAG,                  /* bool: true or false */
    CONFIG_COUNT,                 /* uint32_t */
    CONFIG_INTEGER,               /* int32_t */
    CONFIG_PARTS,                 /* int64_t: a decimal number in parts of 1/scale, rounded once */
    CONFIG_REAL,                  /* double */
    CONFIG_CHOICE,                /* int: index into words */
    CONFIG_LIST, CONFIG_MAPPING,  /* struct config_value, for the caller to go on with */
    CONFIG_ANY,                   /* likewise, whatever stands there */
};
struct config_key {               /* a table ends with a NULL name */
    const char *name;
    enum config_type type;
    size_t at;                    /* offset in the struct to fill */
    int64_t least, most;          /* of a number, in the units of the file */
    int64_t scale;                /* of CONFIG_PARTS */
    bool above_least;             /* `least` itself is too little */
    bool required;
    const char *word;             /* of CONFIG_PARTS: also allowed, NULL: none; stands for word_value */
    int64_t word_value;
    const char *const *words;     /* of CONFIG_CHOICE; ends with NULL */
};
/* Fills *to from the mapping v. What is not given leaves its field as it was: the caller has put the default there. */
int config_fields(struct config_value v, const struct config_key *keys, void *to, struct error *err);
/* One value; of `as`, name and at are not looked at. */
int config_scalar(struct config_value v, const struct config_key *as, void *to, struct error *err);
/* The value of one key ahead of the others, e.g. because it decides their defaults. Absent: no such key, or no mapping. */
struct config_value config_look(struct config_value mapping, const char *key);

/* Items of a list, or pairs of a mapping in the order of the file: `struct config_walk w = { .of = v };`. A pair's key is
 * kept with its value: config_error() names it. Of an absent value: none. */
struct config_walk { struct config_value of; void *at; };
bool   config_next(struct config_walk *w, struct config_value *item);
size_t config_count(struct config_value v);
int    config_key_text(struct config_value pair, const char **key, struct error *err);
