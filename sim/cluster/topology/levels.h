/* levels.h - what the levels of a topology are called.
 *
 * island, numa, node, rack, pod and cluster are words of every cluster: rack is the first level
 * above the node, pod the second (enum level). A cluster may call these two otherwise, too, and has
 * a name for each level further out, up to LEVELS_ABOVE_NODE in all. A name of its own begins with
 * a letter and has letters, digits, '-', '_' and '.', at most LEVEL_NAME_MAX of them, and is none
 * of the words; but the first may be "rack", and the second "pod". */
#pragma once
#include "sim/contract/placement.h"

enum { LEVEL_NAME_MAX = 31, LEVEL_LIST_MAX = (LEVELS_ABOVE_NODE + 6) * (LEVEL_NAME_MAX + 2) + 1 };

/* Levels above the node, from LEVEL_RACK on; the names are of the owner. */
struct level_names { uint32_t n; const char *name[LEVELS_ABOVE_NODE]; };
extern const struct level_names level_names_usual;    /* rack, pod */

/* The level of that word; LEVEL_ANY: it is none of them. */
enum level level_word(const char *text, size_t length);
/* It may be the name of a level, whatever the words are. */
bool level_is_name(const char *text, size_t length);
/* A word, or a name of the cluster; LEVEL_ANY: neither. */
enum level level_find(const struct level_names *of, const char *text, size_t length);
/* The name, or the word where there is none; up to LEVEL_CLUSTER. */
const char *level_text(const struct level_names *of, enum level l);
/* All that level_find() knows, "island, numa, node, rack, ...". Returns `to`. */
const char *level_list(const struct level_names *of, char to[LEVEL_LIST_MAX]);
