/* json_file.c - see json_file.h. */
#include "sim/io/json_file.h"
#include "sim/io/input.h"

struct source {
    struct input *in;
    struct error *err;
    size_t bytes;
};

static size_t feed(void *to, size_t capacity, void *self)
{
    struct source *s = self;
    long n = s->bytes < JSON_FILE_MOST ? input_read(s->in, to, capacity, s->err) : -1;
    s->bytes += n > 0 ? (size_t)n : 0;
    return n < 0 ? (size_t)-1 : (size_t)n;
}

json_t *json_file_read(const char *path, struct error *err)
{
    struct source s = { .in = input_open(path, err), .err = err };
    json_error_t why;
    if (!s.in)
        return NULL;
    json_t *whole = json_load_callback(feed, &s, JSON_REJECT_DUPLICATES, &why);
    if (!whole && s.bytes >= JSON_FILE_MOST)
        error_set(err, "%s: want at most %zu MiB", path, JSON_FILE_MOST >> 20);
    else if (!whole && !err->text[0])
        error_set(err, "%s:%d: %s", path, why.line, why.text);
    input_close(s.in);
    return whole;
}
