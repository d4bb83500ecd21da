/* params.c - see params.h. */
#include "sim/engine/params.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MOST = 512, NUMBER_MOST = 32 };

/* A text that reads back as the same number: 15 digits, if they do, are what a person would write. */
static void number_show(double value, char *to, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(to, size, "%.*g", digits, value);
        if (strtod(to, NULL) == value)
            return;
    }
}

/* Decimal, with a point or an exponent if need be: strtod() alone would also take blanks, hexadecimals, "inf", "nan". */
static bool number_read(const char *text, double *value)
{
    char *end;
    if (!*text || text[strspn(text, "0123456789+-.eE")])
        return false;
    *value = strtod(text, &end);
    return !*end && isfinite(*value);
}

static double *field(const struct param *p, void *params)
{
    return (double *)(void *)((char *)params + p->at);
}

void params_show(const struct param *p, const void *params, char *to, size_t size)
{
    double value;
    memcpy(&value, (const char *)params + p->at, sizeof value);
    if (p->options)
        snprintf(to, size, "%s", p->options[(size_t)value]);
    else
        number_show(value, to, size);
}

/* ---- Complaints ---- */

static int unknown_key(const struct param *list, const char *key, const char *who, struct error *err)
{
    char names[LIST_MOST] = "";
    size_t n = 0;
    struct suggestion near = { .typed = key };
    for (const struct param *p = list; p->name; p++) {
        if (n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", p == list ? "" : ", ", p->name);
        suggest_offer(&near, p->name);
    }
    return error_set(err, "%s: no parameter '%s': want %s%s%s%s%s", who, key, list[1].name ? "one of " : "", names,
                     near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
}

static int wrong_word(const struct param *p, const char *got, const char *who, struct error *err)
{
    char words[LIST_MOST] = "";
    size_t n = 0;
    for (size_t i = 0; p->options[i] && n < sizeof words; i++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", !i ? "" : p->options[i + 1] ? ", " : " or ", p->options[i]);
    return error_set(err, "%s: %s: want %s, got '%s'", who, p->name, words, got);
}

static int wrong_number(const struct param *p, const char *got, const char *who, struct error *err)
{
    char least[NUMBER_MOST], most[NUMBER_MOST], range[2 * NUMBER_MOST + 16] = "";
    number_show(p->min, least, sizeof least);
    number_show(p->max, most, sizeof most);
    if (isfinite(p->min) && isfinite(p->max))
        snprintf(range, sizeof range, " from %s to %s", least, most);
    else if (isfinite(p->min))
        snprintf(range, sizeof range, " from %s up", least);
    else if (isfinite(p->max))
        snprintf(range, sizeof range, " up to %s", most);
    return error_set(err, "%s: %s: want a number%s, got '%s'", who, p->name, range, got);
}

/* ---- Reading ---- */

static int set_value(const struct param *p, const char *text, const char *who, void *out, struct error *err)
{
    double value;
    if (!p->options) {
        if (!number_read(text, &value) || value < p->min || value > p->max)
            return wrong_number(p, text, who, err);
        *field(p, out) = value;
        return 0;
    }
    for (size_t i = 0; p->options[i]; i++)
        if (!strcmp(p->options[i], text)) {
            *field(p, out) = (double)i;
            return 0;
        }
    return wrong_word(p, text, who, err);
}

/* One "key=value"; given[i]: the list's i-th has been set. */
static int set_pair(const struct param *list, char *pair, const char *who, bool *given, void *out, struct error *err)
{
    char *equals = strchr(pair, '=');
    if (!equals || equals == pair)
        return error_set(err, "%s: want KEY=VALUE, got '%s'", who, pair);
    *equals = '\0';
    for (size_t i = 0; list[i].name; i++) {
        if (strcmp(list[i].name, pair))
            continue;
        if (given[i])
            return error_set(err, "%s: %s is given twice", who, pair);
        given[i] = true;
        return set_value(&list[i], equals + 1, who, out, err);
    }
    return unknown_key(list, pair, who, err);
}

int params_parse(const struct param *list, size_t size, const char *text, const char *who, void *out, struct error *err)
{
    size_t n = 0;
    if (size)
        memset(out, 0, size);
    for (; list && list[n].name; n++)
        *field(&list[n], out) = list[n].default_value;
    if (!text || !*text)
        return 0;
    if (!n)
        return error_set(err, "%s: takes no parameters, got '%s'", who, text);
    bool *given = mem_new(n, sizeof *given);
    char *copy = mem_text(text, strlen(text));
    int result = 0;
    for (char *pair = copy, *next; pair && result == 0; pair = next) {
        next = strchr(pair, ',');
        if (next)
            *next++ = '\0';
        result = set_pair(list, pair, who, given, out, err);
    }
    free(copy);
    free(given);
    return result;
}

void *params_complete(struct arena *memory, const struct param *list, size_t size, const void *given)
{
    char *params = arena_alloc(memory, size + 1);
    if (given && size)
        memcpy(params, given, size);
    for (const struct param *p = given ? NULL : list; p && p->name; p++)
        memcpy(params + p->at, &p->default_value, sizeof p->default_value);
    return params;
}
