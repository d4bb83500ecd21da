/* value.c - see document.h: what values say, and errors about them. */
#include "sim/cli/import/kube/document.h"
#include "sim/cli/import/kube/parse.h"

#include "sim/base/units.h"
#include "sim/io/table_in.h"
#include "traces/formats/dates.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- places ---- */

static size_t append(char to[KUBE_PATH_MOST], size_t used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static size_t append(char to[KUBE_PATH_MOST], size_t used, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = used < KUBE_PATH_MOST ? vsnprintf(to + used, KUBE_PATH_MOST - used, format, args) : 0;
    va_end(args);
    return used + (n > 0 ? (size_t)n : 0);
}

static size_t position_of(const struct kube_value *v)
{
    size_t n = 0;
    for (const struct kube_value *i = v->up->child; i && i != v; i = i->next)
        n++;
    return n;
}

void kube_path(const struct kube_value *from, const struct kube_value *v, bool positions,
               char to[KUBE_PATH_MOST])
{
    const struct kube_value *chain[KUBE_DEPTH_MOST + 2];
    size_t n = 0, used = 0;
    for (; v && v != from && v->up && n < sizeof chain / sizeof *chain; v = v->up)
        chain[n++] = v;
    to[0] = '\0';
    while (n-- > 0) {
        if (chain[n]->key)
            used = append(to, used, "%s%.63s", used ? "." : "", chain[n]->key);
        else if (positions)
            used = append(to, used, "[%zu]", position_of(chain[n]));
        else
            used = append(to, used, "[]");
    }
}

int kube_error(struct kube_reader *r, const struct kube_value *v, const char *format, ...)
{
    char text[sizeof r->err->text / 2], path[KUBE_PATH_MOST];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kube_path(NULL, v, true, path);
    return error_set(r->err, "%s:%" PRIu32 ":%" PRIu32 ": %s%s%s", r->file, v->line, v->column,
                     path, *path ? ": " : "", text);
}

#define SHOWN 48
static const char *shown(const struct kube_value *v, char to[SHOWN])
{
    if (v->kind == KUBE_SCALAR)
        snprintf(to, SHOWN, "'%.*s%s'", SHOWN - 8, v->text,
                 strlen(v->text) > SHOWN - 8 ? "..." : "");
    else
        snprintf(to, SHOWN, "%s", v->kind == KUBE_LIST ? "a list" : "a mapping");
    return to;
}

static void wanted(struct kube_reader *r, const struct kube_value *v, const char *want)
{
    char got[SHOWN];
    kube_error(r, v, "want %s, got %s", want, shown(v, got));
}

/* ---- walking ---- */

struct kube_value *kube_get(struct kube_reader *r, struct kube_value *v, const char *key)
{
    if (!v)
        return NULL;
    if (v->kind != KUBE_MAPPING) {
        wanted(r, v, "a mapping");
        return NULL;
    }
    for (struct kube_value *c = v->child; c; c = c->next)
        if (!strcmp(c->key, key)) {
            c->seen = true;
            return c->kind == KUBE_NOTHING ? NULL : c;
        }
    return NULL;
}

struct kube_value *kube_map(struct kube_reader *r, struct kube_value *v, const char *key)
{
    struct kube_value *c = kube_get(r, v, key);
    if (c && c->kind != KUBE_MAPPING)
        wanted(r, c, "a mapping");
    return c && c->kind == KUBE_MAPPING ? c : NULL;
}

struct kube_value *kube_list(struct kube_reader *r, struct kube_value *v, const char *key)
{
    struct kube_value *c = kube_get(r, v, key);
    if (c && c->kind != KUBE_LIST)
        wanted(r, c, "a list");
    return c && c->kind == KUBE_LIST ? c : NULL;
}

struct kube_value *kube_next(struct kube_value *item)
{
    do
        item = item ? item->next : NULL;
    while (item && item->kind == KUBE_NOTHING && (item->seen = true));
    if (item)
        item->seen = true;
    return item;
}

struct kube_value *kube_first(struct kube_value *v)
{
    struct kube_value *c = v ? v->child : NULL;
    if (c && c->kind == KUBE_NOTHING) {
        c->seen = true;
        return kube_next(c);
    }
    if (c)
        c->seen = true;
    return c;
}

void kube_see(struct kube_value *v)
{
    if (!v)
        return;
    v->seen = true;
    for (struct kube_value *c = v->child; c; c = c->next)
        kube_see(c);
}

/* ---- scalars ---- */

static const char *kept(struct kube_reader *r, const char *text)
{
    return intern_text(r->names, intern_add(r->names, text, strlen(text)));
}

const char *kube_item_text(struct kube_reader *r, struct kube_value *v)
{
    if (!v)
        return NULL;
    bool plain = v->kind == KUBE_SCALAR;
    for (const char *c = v->text; plain && *c; c++)
        plain = (unsigned char)*c >= ' ' && *c != 0x7f;
    if (!plain) {
        wanted(r, v, "a text of one line");
        return NULL;
    }
    return kept(r, v->text);
}

const char *kube_text(struct kube_reader *r, struct kube_value *v, const char *key)
{
    return kube_item_text(r, kube_get(r, v, key));
}

bool kube_integer(struct kube_reader *r, struct kube_value *v, const char *key, int64_t least,
                  int64_t most, int64_t *to)
{
    struct kube_value *c = kube_get(r, v, key);
    int64_t n;
    char want[80];
    if (!c)
        return false;
    if (c->kind != KUBE_SCALAR || !integer_parse(c->text, strlen(c->text), &n) || n < least ||
        n > most) {
        snprintf(want, sizeof want, "a whole number from %" PRId64 " to %" PRId64, least, most);
        wanted(r, c, want);
        return false;
    }
    *to = n;
    return true;
}

bool kube_flag(struct kube_reader *r, struct kube_value *v, const char *key, bool *to)
{
    static const char *const words[] = { "false", "true", NULL };
    int which;
    if (!kube_word(r, v, key, words, &which))
        return false;
    *to = which;
    return true;
}

bool kube_decimal(struct kube_reader *r, struct kube_value *v, const char *key, int64_t scale,
                  int64_t least, int64_t *to)
{
    struct kube_value *c = kube_get(r, v, key);
    int64_t n;
    char want[80];
    if (!c)
        return false;
    if (c->kind != KUBE_SCALAR || !decimal_parse(c->text, strlen(c->text), scale, &n) ||
        n < least || n > INT64_C(1000000000000) * scale) {
        snprintf(want, sizeof want, "a number from %" PRId64 " to 1e12", least / scale);
        wanted(r, c, want);
        return false;
    }
    *to = n;
    return true;
}

/* "2026-01-05T10:00:00Z" as dates.h has it: "2026-01-05 10:00:00". */
bool kube_time(struct kube_reader *r, struct kube_value *v, const char *key, int64_t *to)
{
    struct kube_value *c = kube_get(r, v, key);
    char text[48] = "";
    if (!c)
        return false;
    size_t length = c->kind == KUBE_SCALAR ? strlen(c->text) : 0;
    if (length && length < sizeof text)
        memcpy(text, c->text, length + 1);
    if (!strncmp(text, "0001-01-01T00:00:00Z", sizeof text)) /* Go's zero time */
        return false;
    bool whole = length > 10 && text[10] == 'T';
    if (whole)
        text[10] = ' ';
    if (whole && text[length - 1] == 'Z')
        text[--length] = '\0';
    if (!whole || !(date_parse(text, length, to) || date_parse_fine(text, length, to))) {
        wanted(r, c, "a time from 1970 to 2069 like 2026-01-05T10:00:00Z");
        return false;
    }
    return true;
}

bool kube_span(struct kube_reader *r, struct kube_value *v, const char *key, int64_t *to)
{
    struct kube_value *c = kube_get(r, v, key);
    if (!c)
        return false;
    if (c->kind == KUBE_SCALAR && go_span_parse(c->text, strlen(c->text), to))
        return true;
    wanted(r, c, "a span like 1h30m or 90s");
    return false;
}

bool kube_quantity(struct kube_reader *r, struct kube_value *pair, int64_t scale, int64_t most,
                   int64_t *to)
{
    int64_t n;
    char want[80];
    if (!pair)
        return false;
    if (pair->kind != KUBE_SCALAR || !quantity_parse(pair->text, strlen(pair->text), scale, &n)) {
        wanted(r, pair, "a quantity like 2, 500m or 16Gi");
        return false;
    }
    if (n > most) {
        snprintf(want, sizeof want, "at most %" PRId64, most / scale);
        wanted(r, pair, want);
        return false;
    }
    *to = n;
    return true;
}

bool kube_cpus(struct kube_reader *r, struct kube_value *pair, int64_t *to)
{
    return kube_quantity(r, pair, 1000, INT64_C(1000) * KUBE_COUNT_MOST, to);
}

bool kube_memory(struct kube_reader *r, struct kube_value *pair, int64_t *to)
{
    if (!kube_quantity(r, pair, 1, KUBE_MEMORY_MOST, to))
        return false;
    *to >>= 20;
    return true;
}

bool kube_count(struct kube_reader *r, struct kube_value *pair, int64_t *to)
{
    return kube_quantity(r, pair, 1, KUBE_COUNT_MOST, to);
}

bool kube_word(struct kube_reader *r, struct kube_value *v, const char *key,
               const char *const *words, int *to)
{
    struct kube_value *c = kube_get(r, v, key);
    char want[160] = "one of ";
    if (!c)
        return false;
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(want);
        if (c->kind == KUBE_SCALAR && !strcmp(c->text, words[i])) {
            *to = i;
            return true;
        }
        snprintf(want + used, sizeof want - used, "%s%s", i ? ", " : "", words[i]);
    }
    wanted(r, c, want);
    return false;
}
