/* conf.c - see conf.h. */
#include "sim/slurm/conf.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/base/utf8.h"
#include "sim/io/input.h"
#include "sim/slurm/span.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { INCLUDES_MAX = 8 };
#define FILE_MOST ((size_t)256 << 20)

struct file {
    struct conf *to;
    const char *path;
    enum conf_style style;
    unsigned depth;
    size_t line;
    bool goes_on;                 /* the line before ended in '\' */
    struct error *err;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct conf_pair *add_pair(struct file *f, const char *key, size_t length, size_t column)
{
    struct conf *c = f->to;
    mem_grow(&c->pair, &c->pairs_capacity, c->n_pairs, sizeof *c->pair);
    struct conf_pair *p = &c->pair[c->n_pairs++];
    *p = (struct conf_pair){ .key = arena_text(c->memory, key, length), .value = "",
                             .file = f->path, .line = f->line, .column = column };
    c->record[c->n_records - 1].n++;
    return p;
}

static int fail(struct file *f, size_t column, const char *want, const char *got, size_t length)
{
    return error_set(f->err, "%s:%zu:%zu: want %s, got '%.*s'", f->path, f->line, column, want,
                     length > 40 ? 40 : (int)length, got);
}

static int keep_value(struct file *f, struct conf_pair *p, size_t column, const char *text,
                      size_t length)
{
    p->value = arena_text(f->to->memory, text, length);
    if (text_is_line(text, length))
        return 0;
    return fail(f, column, "a value without control characters", text, length);
}

/* The value from `at` on; *end: behind it. */
static int take_value(struct file *f, struct conf_pair *p, const char *line, const char *at,
                      const char *stop, const char **end)
{
    if (at < stop && *at == '"') {
        const char *close = memchr(at + 1, '"', (size_t)(stop - at - 1));
        if (!close)
            return fail(f, (size_t)(at - line) + 1, "a closing quote", at, (size_t)(stop - at));
        *end = close + 1;
        return keep_value(f, p, (size_t)(at - line) + 2, at + 1, (size_t)(close - at - 1));
    }
    const char *from = at;
    while (at < stop && !is_blank(*at) && (f->style == CONF_SHOWN || *at != '#' || at[-1] == '\\'))
        at++;
    *end = at;
    return keep_value(f, p, (size_t)(from - line) + 1, from, (size_t)(at - from));
}

/* A word without '=' behind a value of scontrol. */
static int join_value(struct file *f, const char *line, const char *at, const char *end)
{
    struct conf_record *r = &f->to->record[f->to->n_records - 1];
    if (!r->n)
        return 0;
    struct conf_pair *p = &f->to->pair[r->first + r->n - 1];
    size_t had = strlen(p->value), more = (size_t)(end - at);
    char *both = mem_new(had + more + 2, 1);
    snprintf(both, had + more + 2, "%s %.*s", p->value, (int)more, at);
    int result = keep_value(f, p, (size_t)(at - line) + 1, both, had + more + 1);
    free(both);
    return result;
}

static int read_file(struct conf *to, const char *path, enum conf_style style, unsigned depth,
                     struct error *err);

static int include(struct file *f, const char *at, const char *stop, size_t column)
{
    const struct conf_pair *cluster = conf_global(f->to, "ClusterName");
    const char *slash = strrchr(f->path, '/'), *mark;
    while (stop > at && is_blank(stop[-1]))
        stop--;
    if (f->depth == INCLUDES_MAX)
        return fail(f, column, "at most 8 files that include each other", at, (size_t)(stop - at));
    char *name = mem_text(at, (size_t)(stop - at)),
         *folder = mem_text(f->path, slash ? (size_t)(slash - f->path) : 0);
    if (cluster && (mark = strstr(name, "%c"))) {
        char *whole = mem_new(strlen(name) + strlen(cluster->value) + 1, 1);
        sprintf(whole, "%.*s%s%s", (int)(mark - name), name, cluster->value, mark + 2);
        free(name);
        name = whole;
    }
    char *path = input_beside(folder, name);
    int result = read_file(f->to, arena_text(f->to->memory, path, strlen(path)), f->style,
                           f->depth + 1, f->err);
    free(path);
    free(name);
    free(folder);
    return result;
}

static void begin_record(struct file *f)
{
    struct conf *c = f->to;
    if (f->goes_on && c->n_records)
        return;
    mem_grow(&c->record, &c->records_capacity, c->n_records, sizeof *c->record);
    c->record[c->n_records++] = (struct conf_record){ .first = c->n_pairs };
}

static int take_line(struct file *f, const char *line, const char *stop)
{
    begin_record(f);
    f->goes_on = false;
    for (const char *at = line;;) {
        while (at < stop && is_blank(*at))
            at++;
        if (at == stop || (*at == '#' && f->style == CONF_FILE))
            return 0;
        if (f->style == CONF_FILE && *at == '\\' &&
            strspn(at + 1, " \t\r") == (size_t)(stop - at - 1)) {
            f->goes_on = true;
            return 0;
        }
        const char *from = at;
        while (at < stop && *at != '=' && !is_blank(*at))
            at++;
        const char *end = at, *equals = at;
        while (equals < stop && is_blank(*equals) && f->style == CONF_FILE)
            equals++;
        size_t column = (size_t)(from - line) + 1;
        if (equals < stop && *equals == '=' && equals > from) {
            struct conf_pair *p = add_pair(f, from, (size_t)(end - from), column);
            at = equals + 1;
            while (at < stop && is_blank(*at) && f->style == CONF_FILE)
                at++;
            if (take_value(f, p, line, at, stop, &at) != 0)
                return -1;
        } else if (f->style == CONF_SHOWN) {
            if (join_value(f, line, from, end) != 0)
                return -1;
            at = end + (end == from);
        } else if (end - from == 7 && strncasecmp(from, "include", 7) == 0) {
            return include(f, equals, stop, column);
        } else {
            return fail(f, column, "Key=Value", from, (size_t)((end > from ? end : stop) - from));
        }
    }
}

static int read_text(struct file *f, char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        char *newline = memchr(text + at, '\n', length - at);
        size_t end = newline ? (size_t)(newline - text) : length;
        f->line++;
        if (memchr(text + at, '\0', end - at))
            return error_set(f->err, "%s:%zu: NUL byte: want text", f->path, f->line);
        text[end] = '\0';
        if (take_line(f, text + at, text + end) != 0)
            return -1;
        at = end + 1;
    }
    return 0;
}

static int read_file(struct conf *to, const char *path, enum conf_style style, unsigned depth,
                     struct error *err)
{
    struct file f = { .to = to, .path = arena_text(to->memory, path, strlen(path)), .style = style,
                      .depth = depth, .err = err };
    struct input *in = input_open(path, err);
    char *text = NULL;
    size_t length = 0, capacity = 0;
    long n = in ? 1 : -1;
    while (n > 0) {
        while (capacity - length < 65536)
            mem_double(&text, &capacity, 1);
        n = input_read(in, text + length, capacity - length - 1, err);
        length += n > 0 ? (size_t)n : 0;
        if (length > FILE_MOST)
            n = error_set(err, "%s: want at most 256 MiB", path);
    }
    int result = n < 0 ? -1 : read_text(&f, text, length);
    free(text);
    input_close(in);
    return result;
}

int conf_read(struct conf *to, const char *path, enum conf_style style, struct error *err)
{
    if (!to->memory)
        to->memory = arena_new();
    return read_file(to, path, style, 0, err);
}

void conf_free(struct conf *c)
{
    free(c->pair);
    free(c->record);
    arena_free(c->memory);
    *c = (struct conf){ 0 };
}

bool conf_is(const struct conf_pair *p, const char *key)
{
    return strcasecmp(p->key, key) == 0;
}

const struct conf_pair *conf_find(const struct conf *c, const struct conf_record *r,
                                  const char *key)
{
    const struct conf_pair *found = NULL;
    for (size_t i = 0; i < r->n; i++)
        if (conf_is(&c->pair[r->first + i], key))
            found = &c->pair[r->first + i];
    return found;
}

const struct conf_pair *conf_global(const struct conf *c, const char *key)
{
    const struct conf_pair *found = NULL;
    for (size_t i = 0; i < c->n_records; i++)
        if (c->record[i].n == 1 && conf_is(&c->pair[c->record[i].first], key))
            found = &c->pair[c->record[i].first];
    return found;
}

int conf_error(const struct conf_pair *p, const char *want, struct error *err)
{
    return error_set(err, "%s:%zu:%zu: %.40s: want %s, got '%.40s'", p->file, p->line, p->column,
                     p->key, want, p->value);
}

int conf_integer(const struct conf_pair *p, int64_t least, int64_t most, int64_t *to,
                 struct error *err)
{
    char want[80];
    int64_t value;
    if (integer_parse(p->value, strlen(p->value), &value) && value >= least && value <= most) {
        *to = value;
        return 0;
    }
    snprintf(want, sizeof want, "a whole number from %lld to %lld", (long long)least,
             (long long)most);
    return conf_error(p, want, err);
}

int conf_span(const struct conf_pair *p, int64_t unit_s, int64_t *seconds, struct error *err)
{
    return span_parse(p->value, strlen(p->value), unit_s, seconds) ? 0
                                                                   : conf_error(p, SPAN_WANT, err);
}

bool conf_is_nothing(const char *value)
{
    static const char *const words[] = { "", "(null)", "N/A", "n/a", "NONE", "UNLIMITED", NULL };
    for (size_t i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0)
            return true;
    return false;
}
