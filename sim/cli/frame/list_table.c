/* list_table.c - a list as a table (list.h): as wide as the terminal, by blocks of columns.
 *
 * A table that is too wide is cut into blocks of columns, one below the other. Each block begins
 * with the columns that name a row: the first one, and the second where the first says the same in
 * two rows. Texts of the last column of a block are wrapped. Under the table stand the marks that
 * its texts have. */
#include "sim/cli/frame/list.h"
#include "sim/cli/frame/term.h"

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, NUMBER_LONG = 64 };

/* As in sim/cluster/catalogue.c and sim/models/training/training_models.c. */
static const struct { const char *mark, *meaning; } marks[] = {
    { "[V", "data sheet of the vendor" },
    { "[P", "paper or published measurement" },
    { "[R", "file of the public repository named" },
    { "[D", "derived from the data named" },
    { "[K", "general knowledge of the source named" },
    { "[A", "assumption: set what you know better" },
};

struct column { const char *key; size_t width; bool text; };
struct columns { struct column *column; size_t n, names; };

static const char *cell_text(const json_t *row, const char *key, char number[NUMBER_LONG])
{
    const json_t *value = json_object_get(row, key);
    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_number(value))
        return "-";
    snprintf(number, NUMBER_LONG, "%.10g", json_number_value(value));
    return number;
}

/* ---- Which columns stand together ---- */

static bool repeats(const json_t *list, const char *key)
{
    char a[NUMBER_LONG], b[NUMBER_LONG];
    for (size_t i = 1; i < json_array_size(list); i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(cell_text(json_array_get(list, i), key, a),
                        cell_text(json_array_get(list, k), key, b)))
                return true;
    return false;
}

static struct columns columns_of(const json_t *list)
{
    json_t *first = json_array_get(list, 0), *value;
    struct columns c = { mem_new(json_object_size(first) + 1, sizeof *c.column), 0, 1 };
    const char *key;
    json_object_foreach(first, key, value) {
        struct column *to = &c.column[c.n++];
        *to = (struct column){ key, text_width(key), json_is_string(value) };
        for (size_t i = 0; i < json_array_size(list); i++) {
            char number[NUMBER_LONG];
            size_t width = text_width(cell_text(json_array_get(list, i), key, number));
            to->width = width > to->width ? width : to->width;
        }
    }
    if (c.n > 1 && repeats(list, c.column[0].key))
        c.names = 2;
    return c;
}

/* The column behind the last that stands beside the names, from `from` on; at least one. */
static size_t block_end(const struct columns *c, size_t from, size_t width)
{
    size_t used = 0, end = from;
    for (size_t i = 0; i < c->names; i++)
        used += c->column[i].width + GAP;
    do
        used += c->column[end++].width + GAP;
    while (end < c->n && used + c->column[end].width <= width);
    return end;
}

/* ---- Rows ---- */

/* Ends the line with the last column, wrapped if it is a text. NULL: the header. */
static size_t put_cell(const struct column *c, const json_t *row, size_t at, bool last,
                       size_t width)
{
    char number[NUMBER_LONG];
    const char *text = row ? cell_text(row, c->key, number) : c->key;
    if (last && c->text) {
        text_wrap(stdout, text, at, at ? at + GAP : 0, width);
        return 0;
    }
    int before = at ? GAP : 0;
    printf("%*s%*s%s", before, "", c->text ? -(int)c->width : (int)c->width, text,
           last ? "\n" : "");
    return at + (size_t)before + c->width;
}

static void put_line(const struct columns *c, const json_t *row, size_t from, size_t to,
                     size_t width)
{
    size_t at = 0;
    for (size_t i = 0; i < c->names; i++)
        at = put_cell(&c->column[i], row, at, i + 1 == c->names && from == to, width);
    for (size_t i = from; i < to; i++)
        at = put_cell(&c->column[i], row, at, i + 1 == to, width);
}

/* ---- Marks ---- */

static bool holds(const json_t *list, const char *mark)
{
    const char *key;
    json_t *value;
    for (size_t i = 0; i < json_array_size(list); i++)
        json_object_foreach(json_array_get(list, i), key, value)
            if (json_is_string(value) && strstr(json_string_value(value), mark))
                return true;
    return false;
}

static void put_marks(const json_t *list, size_t width)
{
    bool any = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!holds(list, marks[i].mark))
            continue;
        if (!any)
            putchar('\n');
        any = true;
        text_wrap(stdout, marks[i].meaning, (size_t)printf("%s]", marks[i].mark), 5, width);
    }
}

void list_table(const json_t *list, size_t width)
{
    struct columns c = columns_of(list);
    size_t from = c.names < c.n ? c.names : c.n;
    do {
        size_t to = from < c.n ? block_end(&c, from, width) : from;
        put_line(&c, NULL, from, to, width);
        for (size_t i = 0; i < json_array_size(list); i++)
            put_line(&c, json_array_get(list, i), from, to, width);
        from = to;
        if (from < c.n)
            putchar('\n');
    } while (from < c.n);
    put_marks(list, width);
    free(c.column);
}
