/* pod_terms.c - see pod_terms.h. */
#include "sim/cluster/pod_terms.h"

#include "sim/cluster/labels.h"

#include <stdlib.h>
#include <string.h>

enum { WEIGHT_MOST = 100, SKEW_MOST = 1000000, NEEDS_MOST = 1000 };
static const char soft[] = "soft:";

/* A number from 1 to `most`, and nothing else, in n characters; 0: it is not. */
static int32_t number(const char *at, size_t n, long most)
{
    char text[16], *end;
    if (n == 0 || n >= sizeof text)
        return 0;
    memcpy(text, at, n);
    text[n] = 0;
    long value = strtol(text, &end, 10);
    return *end == 0 && *text != '+' && *text != ' ' && value >= 1 && value <= most ? (int32_t)value
                                                                                    : 0;
}

static bool read_spread(const char *at, const char *key, struct pod_term_text *to)
{
    bool prefers = !strncmp(at, soft, sizeof soft - 1);
    at += prefers ? sizeof soft - 1 : 0;
    to->weight = prefers;
    to->skew = number(at, (size_t)(key - at), SKEW_MOST);
    return to->skew > 0;
}

static bool read_needs(const char *at, const char *key, struct pod_term_text *to)
{
    char needs[NEEDS_MOST];
    const char *colon = memchr(at, ':', (size_t)(key - at));
    to->weight = colon ? number(at, (size_t)(colon - at), WEIGHT_MOST) : 0;
    to->needs = colon ? colon + 1 : at;
    to->needs_n = (size_t)(key - to->needs);
    if ((colon && !to->weight) || to->needs_n == 0 || to->needs_n >= sizeof needs)
        return false;
    memcpy(needs, to->needs, to->needs_n);
    needs[to->needs_n] = 0;
    return !strchr(needs, ':') && !affinity_wrong(needs);
}

static bool read_term(const char *at, size_t n, bool spread, struct pod_term_text *to)
{
    const char *key = memchr(at, '@', n);
    *to = (struct pod_term_text){ .weight = 0 };
    if (!key)
        return false;
    to->key = key + 1;
    to->key_n = n - (size_t)(to->key - at);
    return to->key_n > 0 && !memchr(to->key, '@', to->key_n) &&
           (spread ? read_spread : read_needs)(at, key, to);
}

bool pod_term_next(const char **rest, bool spread, struct pod_term_text *to)
{
    const char *at = *rest;
    size_t n = strcspn(at, ";");
    if (n == 0)
        return false;
    *rest = at + n + (at[n] == ';');
    return read_term(at, n, spread, to);
}

static bool all_read(const char *text, bool spread)
{
    struct pod_term_text term;
    const char *rest = text;
    bool read = true;
    while (*rest && read)
        read = pod_term_next(&rest, spread, &term);
    return read && (!*text || text[strlen(text) - 1] != ';');
}

const char *pod_terms_wrong(const char *text)
{
    return all_read(text, false) ? NULL : "[WEIGHT:]NEED@KEY with ';' between, NEED as in affinity";
}

const char *pod_spread_wrong(const char *text)
{
    return all_read(text, true) ? NULL : "[soft:]SKEW@KEY with ';' between";
}
