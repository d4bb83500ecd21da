/* json_array.c - see json_array.h. jansson reads the items; the brackets and commas between them
 * are read here. */
#include "traces/formats/json_array.h"

#include <stdbool.h>
#include <string.h>

#define ITEM_MOST ((size_t)16 << 20) /* bytes */
#define ENDED     (-1)               /* no byte: end of the file, or an error in err */

struct source {
    struct input *in;
    struct error *err;
    char buffer[64 << 10];
    size_t at, end;
    size_t line; /* of the next byte, from 1 */
    size_t item; /* bytes of the current item so far */
};

static int next_byte(struct source *s)
{
    if (s->at == s->end) {
        long n = input_read(s->in, s->buffer, sizeof s->buffer, s->err);
        if (n <= 0)
            return ENDED;
        s->at = 0;
        s->end = (size_t)n;
    }
    s->line += s->buffer[s->at] == '\n';
    return (unsigned char)s->buffer[s->at++];
}

/* The next byte that is no blank; it stays unread. */
static int look(struct source *s)
{
    int c;
    do
        c = next_byte(s);
    while (c != ENDED && strchr(" \t\r\n", c));
    if (c != ENDED)
        s->at--;
    return c;
}

/* One byte a call: jansson keeps what it has read behind the item. */
static size_t feed(void *to, size_t capacity, void *self)
{
    (void)capacity;
    struct source *s = self;
    int c = s->item++ < ITEM_MOST ? next_byte(s) : ENDED;
    *(char *)to = (char)c;
    return c != ENDED;
}

static int wrong(struct source *s, const char *want)
{
    return error_set(s->err, "%s:%zu: want %s", input_name(s->in), s->line, want);
}

static json_t *read_item(struct source *s)
{
    json_error_t why;
    size_t first = s->line;
    s->item = 0;
    json_t *item =
        json_load_callback(feed, s, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &why);
    if (!item && s->item > ITEM_MOST)
        error_set(s->err, "%s:%zu: want items of at most %zu MiB", input_name(s->in), first,
                  ITEM_MOST >> 20);
    else if (!item) /* after an error of the input err keeps that one */
        error_set(s->err, "%s:%zu: %s", input_name(s->in),
                  first + (size_t)(why.line > 0 ? why.line - 1 : 0), why.text);
    return item;
}

static int take_item(struct source *s, json_item_handler *handler, void *self)
{
    if (look(s) != '{')
        return wrong(s, "an object, { ... }");
    size_t line = s->line;
    json_t *value = read_item(s);
    if (!value)
        return -1;
    int failed = handler(self, &(struct json_item){ value, input_name(s->in), line, s->err });
    json_decref(value);
    return failed ? -1 : 0;
}

static int take_items(struct source *s, json_item_handler *handler, void *self)
{
    for (;;) {
        if (take_item(s, handler, self) != 0)
            return -1;
        int c = look(s);
        if (c != ',' && c != ']')
            return wrong(s, "',' or ']' behind the object");
        (void)next_byte(s);
        if (c == ']')
            return 0;
    }
}

int json_array_read(struct input *in, json_item_handler *handler, void *self, struct error *err)
{
    struct source s = { .in = in, .err = err, .line = 1 };
    if (look(&s) != '[')
        return wrong(&s, "a JSON array, [ ... ]");
    (void)next_byte(&s);
    if (look(&s) == ']')
        (void)next_byte(&s);
    else if (take_items(&s, handler, self) != 0)
        return -1;
    if (look(&s) != ENDED)
        return wrong(&s, "nothing behind the array");
    return err->text[0] ? -1 : 0;
}

int json_lines_read(struct input *in, json_item_handler *handler, void *self, struct error *err)
{
    struct source s = { .in = in, .err = err, .line = 1 };
    while (look(&s) != ENDED)
        if (take_item(&s, handler, self) != 0)
            return -1;
    return err->text[0] ? -1 : 0;
}
