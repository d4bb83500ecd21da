/* cells.c - the cell checks of table_in.h: one way to complain, with file, line and column. */
#include "sim/io/table_in.h"
#include "sim/base/units.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 40 /* bytes of a cell that a message repeats */

/* The text on one line: cut between two UTF-8 characters, control bytes replaced. */
static const char *shown(char to[SHOWN + 4], const char *text, size_t length)
{
    size_t n = length;
    if (length > SHOWN)
        for (n = SHOWN; n > SHOWN - 4 && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--;
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
    strcpy(to + n, length > SHOWN ? "..." : "");
    return to;
}

static struct cell cell_at(const struct row *r, size_t i)
{
    return i < r->n ? r->cell[i] : (struct cell){ "", 0 };
}

int cell_error(const struct row *r, size_t i, const char *want, struct error *err)
{
    char text[SHOWN + 4], name[SHOWN + 4];
    struct cell c = cell_at(r, i);
    if (i == TABLE_NO_COLUMN)
        strcpy(name, "missing column");
    else if (r->column && i < r->n_columns)
        shown(name, r->column[i], strlen(r->column[i]));
    else
        snprintf(name, sizeof name, "field %zu", i + 1);
    return error_set(err, "%s:%zu: %s: want %s, got '%s'", r->file, r->line, name, want, shown(text, c.text, c.length));
}

int cell_required(const struct row *r, size_t i, struct error *err)
{
    return cell_at(r, i).length ? 0 : cell_error(r, i, "a value", err);
}

size_t table_column(const struct row *header, const char *name)
{
    for (size_t i = 0; i < header->n_columns; i++)
        if (strcmp(header->column[i], name) == 0)
            return i;
    return TABLE_NO_COLUMN;
}

/* ---- numbers ---- */

#define WANT 128
struct number {
    char text[DECIMAL_MAX + 1];
};

static struct number number_text(int64_t value, int64_t scale)
{
    struct number n = { "" };
    n.text[decimal_format(n.text, value, scale)] = '\0';
    return n;
}

/* "a whole number from 1 to 4096"; an end at the end of int64_t is none. */
static int out_of_range(const struct row *r, size_t i, const char *what, int64_t scale, int64_t least, int64_t most,
                        struct error *err)
{
    char want[WANT];
    struct number low = number_text(least, scale), high = number_text(most, scale);
    if (least > INT64_MIN && most < INT64_MAX)
        snprintf(want, sizeof want, "%s from %s to %s", what, low.text, high.text);
    else if (least > INT64_MIN)
        snprintf(want, sizeof want, "%s of at least %s", what, low.text);
    else if (most < INT64_MAX)
        snprintf(want, sizeof want, "%s of at most %s", what, high.text);
    else
        snprintf(want, sizeof want, "%s", what);
    return cell_error(r, i, want, err);
}

int cell_integer(const struct row *r, size_t i, int64_t least, int64_t most, int64_t *out, struct error *err)
{
    struct cell c = cell_at(r, i);
    int64_t value;
    if (!c.length)
        return 0;
    if (!integer_parse(c.text, c.length, &value) || value < least || value > most)
        return out_of_range(r, i, "a whole number", 1, least, most, err);
    *out = value;
    return 0;
}

int cell_decimal(const struct row *r, size_t i, int64_t scale, int64_t least, int64_t most, int64_t *out,
                 struct error *err)
{
    struct cell c = cell_at(r, i);
    int64_t value;
    if (!c.length)
        return 0;
    if (!decimal_parse(c.text, c.length, scale, &value) || value < least || value > most)
        return out_of_range(r, i, "a number", scale, least, most, err);
    *out = value;
    return 0;
}

int cell_time(const struct row *r, size_t i, int64_t least_ns, int64_t *ns, struct error *err)
{
    struct cell c = cell_at(r, i);
    int64_t value;
    if (!c.length)
        return 0;
    /* TIME_NEVER is not a time that a file can say */
    if (!decimal_parse(c.text, c.length, NS_PER_S, &value) || value == TIME_NEVER)
        return cell_error(r, i, "a number of seconds", err);
    if (value < least_ns)
        return out_of_range(r, i, "seconds", NS_PER_S, least_ns, INT64_MAX, err);
    *ns = value;
    return 0;
}
