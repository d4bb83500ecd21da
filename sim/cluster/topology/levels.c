/* levels.c - see levels.h. */
#include "sim/cluster/topology/levels.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct level_names level_names_usual = { 2, { "rack", "pod" } };

static const struct { const char *text; enum level level; } words[] = {
    { "island", LEVEL_ISLAND }, { "numa", LEVEL_NUMA }, { "node", LEVEL_NODE },
    { "rack", LEVEL_RACK },     { "pod", LEVEL_POD },   { "cluster", LEVEL_CLUSTER },
};
enum { WORDS = sizeof words / sizeof *words };

static bool is_text(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

enum level level_word(const char *text, size_t length)
{
    for (size_t i = 0; i < WORDS; i++)
        if (is_text(words[i].text, text, length))
            return words[i].level;
    return LEVEL_ANY;
}

bool level_is_name(const char *text, size_t length)
{
    bool good = length > 0 && length <= LEVEL_NAME_MAX && isalpha((unsigned char)text[0]);
    for (size_t i = 1; i < length && good; i++)
        good = isalnum((unsigned char)text[i]) || strchr("-_.", text[i]);
    return good;
}

enum level level_find(const struct level_names *of, const char *text, size_t length)
{
    for (uint32_t k = 0; k < of->n; k++)
        if (is_text(of->name[k], text, length))
            return LEVEL_RACK + k;
    return level_word(text, length);
}

const char *level_text(const struct level_names *of, enum level l)
{
    if (l >= LEVEL_RACK && l < LEVEL_RACK + of->n)
        return of->name[l - LEVEL_RACK];
    for (size_t i = 0; i < WORDS - 1; i++)
        if (words[i].level == l)
            return words[i].text;
    return words[WORDS - 1].text;
}

const char *level_list(const struct level_names *of, char to[LEVEL_LIST_MAX])
{
    size_t n = 0;
    for (enum level l = LEVEL_ISLAND; l <= LEVEL_CLUSTER; l++) {
        bool own = l >= LEVEL_RACK && l < LEVEL_RACK + of->n;
        const char *text = level_text(of, l);
        if (!own && level_word(text, strlen(text)) != l)
            continue;
        n += (size_t)snprintf(to + n, LEVEL_LIST_MAX - n, "%s%s", n ? ", " : "", text);
        if ((l == LEVEL_RACK || l == LEVEL_POD) && level_word(text, strlen(text)) != l)
            n += (size_t)snprintf(to + n, LEVEL_LIST_MAX - n, " (%s)",
                                  l == LEVEL_RACK ? "rack" : "pod");
    }
    return to;
}
