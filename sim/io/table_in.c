/* table_in.c - see table_in.h. libcsv does not report its position: it is fed line by line, so that
 * each callback knows its line. */
#include "sim/io/table_in.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_FIRST ((size_t)128 << 10)
#define LINE_MOST   ((size_t)16 << 20) /* bytes; a longer line or quoted cell is a mistake */

/* ---- lines ---- */

struct lines {
    struct input *in;
    char *buffer;
    size_t begin, end, capacity;
    size_t number; /* of the line given last, from 1 */
    bool at_end;
    bool nul; /* a NUL byte was read: from then on each line is searched for it */
};

/* Makes more bytes follow those from `begin` on. */
static int more_lines(struct lines *l, struct error *err)
{
    memmove(l->buffer, l->buffer + l->begin, l->end - l->begin);
    l->end -= l->begin;
    l->begin = 0;
    if (l->end > LINE_MOST)
        return error_set(err, "%s:%zu: want lines of at most %zu MiB", input_name(l->in),
                         l->number + 1, LINE_MOST >> 20);
    if (l->capacity - l->end <= LINES_FIRST / 2) {
        l->capacity *= 2;
        l->buffer = mem_resize(l->buffer, l->capacity, 1);
    }
    /* one left for a NUL */
    long n = input_read(l->in, l->buffer + l->end, l->capacity - l->end - 1, err);
    if (n < 0)
        return -1;
    l->nul = l->nul || memchr(l->buffer + l->end, '\0', (size_t)n);
    l->at_end = n == 0;
    l->end += (size_t)n;
    return 0;
}

/* The next line with its newline, which the last may lack. 1, 0 at the end, -1 with err. Valid
 * until the next call; the byte behind it may be overwritten in place of the newline, or if there
 * is none. */
static int next_line(struct lines *l, char **line, size_t *length, struct error *err)
{
    char *newline = NULL;
    size_t searched = 0;
    for (;;) {
        size_t have = l->end - l->begin;
        newline = memchr(l->buffer + l->begin + searched, '\n', have - searched);
        if (newline || (l->at_end && have))
            break;
        if (l->at_end)
            return 0;
        searched = have;
        if (more_lines(l, err) != 0)
            return -1;
    }
    *line = l->buffer + l->begin;
    *length = newline ? (size_t)(newline + 1 - *line) : l->end - l->begin;
    l->begin += *length;
    l->number++;
    if (l->nul && memchr(*line, '\0', *length))
        return error_set(err, "%s:%zu: NUL byte: want text", input_name(l->in), l->number);
    if (l->number == 1 && *length >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0) {
        *line += 3;
        *length -= 3;
    }
    return 1;
}

/* ---- rows ---- */

struct reader {
    struct table_style style;
    const struct table_handler *handler;
    void *self;
    struct error *err;
    bool failed; /* libcsv goes on to the end of what it was given: nothing more may happen then */
    struct lines lines;
    struct row row;
    struct cell *cell; /* of the row being read; CSV has only the lengths until the row ends */
    size_t n, cells_capacity;
    char *text; /* CSV: the cells of the row, each ended with NUL */
    size_t text_used, text_capacity;
    size_t field_line;   /* CSV: where the current cell began */
    size_t rows_in_line; /* CSV */
    struct arena *names; /* of the columns */
};

static void fail_if(struct reader *r, int result)
{
    r->failed = r->failed || result != 0;
}

static void add_cell(struct reader *r, const char *text, size_t length)
{
    mem_grow(&r->cell, &r->cells_capacity, r->n, sizeof *r->cell);
    r->cell[r->n++] = (struct cell){ text, length };
}

static int take_header(struct reader *r)
{
    const char **column = arena_alloc(r->names, r->n * sizeof *column);
    const char *other = r->style.separator || r->n != 1 ? NULL : strpbrk(r->cell[0].text, ";\t");
    if (other)
        return error_set(r->err, "%s:%zu: want columns separated by commas, got %s", r->row.file,
                         r->row.line, *other == ';' ? "';'" : "tabs");
    for (size_t i = 0; i < r->n; i++) {
        column[i] = arena_text(r->names, r->cell[i].text, r->cell[i].length);
        for (size_t k = 0; k < i; k++)
            if (strcmp(column[k], column[i]) == 0)
                return error_set(r->err, "%s:%zu: column '%.40s' is named twice", r->row.file,
                                 r->row.line, column[i]);
    }
    r->row.column = column;
    r->row.n_columns = r->n;
    return r->handler->on_header ? r->handler->on_header(r->self, &r->row, r->err) : 0;
}

static int take_row(struct reader *r)
{
    r->row.cell = r->cell;
    r->row.n = r->n;
    if (!r->style.header)
        return r->handler->on_row(r->self, &r->row, r->err);
    if (!r->row.column)
        return take_header(r);
    if (r->n != r->row.n_columns)
        return error_set(r->err, "%s:%zu: want %zu cells as in the header, got %zu", r->row.file,
                         r->row.line, r->row.n_columns, r->n);
    return r->handler->on_row(r->self, &r->row, r->err);
}

/* Whether the line was a comment; it is handed on without its newline. */
static bool take_comment(struct reader *r, char *line, size_t length)
{
    char *end = line + length;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (!r->style.comment || line == end || *line != r->style.comment)
        return false;
    if (end > line && end[-1] == '\n')
        end--;
    if (end > line && end[-1] == '\r')
        end--;
    *end = '\0';
    if (r->handler->on_comment)
        fail_if(r, r->handler->on_comment(r->self, line, (size_t)(end - line), r->err));
    return true;
}

/* ---- separated by blanks ---- */

/* One comparison tells most bytes that are none. */
static bool is_blank(char c)
{
    return (unsigned char)c <= ' ' && (c == ' ' || c == '\t' || c == '\r' || c == '\n');
}

/* The first blank from there on; there is one at `end`. Eight bytes at once: a loop over bytes ends where no branch predictor knows. */
static char *cell_end(char *at, const char *end)
{
    for (uint64_t word; end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        uint64_t low = (word - UINT64_C(0x2121212121212121)) & ~word & UINT64_C(0x8080808080808080);    /* of a byte up to ' ' */
        if (low) {
            at += __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_ctzll(low) / 8 : 0;
            break;
        }
    }
    while (!is_blank(*at))
        at++;
    return at;
}

static void take_blanks_line(struct reader *r, char *line, size_t length)
{
    char *end = line + length;
    r->row.line = r->lines.number;
    r->n = 0;
    end -= end > line && end[-1] == '\n';
    *end = ' '; /* the newline, or the spare byte behind the last line: each cell ends with a blank */
    for (char *at = line; at < end; at++) {
        if (is_blank(*at))
            continue;
        char *from = at;
        at = cell_end(at, end);
        *at = '\0';
        add_cell(r, from, (size_t)(at - from));
    }
    if (r->n)
        fail_if(r, take_row(r));
}

/* ---- separated by a byte ---- */

static void take_separated_line(struct reader *r, char *line, size_t length)
{
    r->row.line = r->lines.number;
    r->n = 0;
    char *end = line + length;
    if (end > line && end[-1] == '\n')
        end--;
    if (end > line && end[-1] == '\r')
        end--;
    if (end == line)
        return;
    for (char *at = line, *stop; at <= end; at = stop + 1) {
        stop = memchr(at, r->style.separator, (size_t)(end - at));
        stop = stop ? stop : end;
        *stop = '\0'; /* the end of the line, or the spare byte behind the last one */
        add_cell(r, at, (size_t)(stop - at));
    }
    fail_if(r, take_row(r));
}

/* ---- CSV ---- */

static void csv_cell(void *text, size_t length, void *self)
{
    struct reader *r = self;
    if (r->failed)
        return;
    while (r->text_capacity - r->text_used <= length)
        mem_grow(&r->text, &r->text_capacity, r->text_capacity, 1);
    memcpy(r->text + r->text_used, text, length);
    r->text_used += length;
    r->text[r->text_used++] = '\0';
    add_cell(r, NULL, length);
    r->field_line = r->lines.number; /* of the next cell */
}

static void csv_row(int terminator, void *self)
{
    (void)terminator;
    struct reader *r = self;
    if (r->failed)
        return;
    const char *text = r->text; /* it may have moved while the row grew */
    for (size_t i = 0; i < r->n; i++) {
        r->cell[i].text = text;
        text += r->cell[i].length + 1;
    }
    if (r->rows_in_line++)
        fail_if(r, error_set(r->err,
                             "%s:%zu: carriage return within the line: want LF or CRLF at its end",
                             r->row.file, r->lines.number));
    else
        fail_if(r, take_row(r));
    r->n = r->text_used = 0;
}

static void *csv_memory(void *old, size_t bytes)
{
    return mem_resize(old, bytes, 1);
}

/* A whole line without quotes is cut in place, as libcsv would: blanks at both ends of a cell are dropped, a line of nothing
 * else is no row. false: it is for libcsv. */
static bool take_plain_line(struct reader *r, char *line, size_t length)
{
    char *end = line + length;
    end -= end > line && end[-1] == '\n';
    end -= end > line && end[-1] == '\r';
    if (memchr(line, '"', (size_t)(end - line)) || memchr(line, '\r', (size_t)(end - line)))
        return false;
    r->n = 0;
    for (char *at = line, *comma; at <= end; at = comma + 1) {
        comma = memchr(at, ',', (size_t)(end - at));
        comma = comma ? comma : end;
        char *last = comma;
        while (at < last && (*at == ' ' || *at == '\t'))
            at++;
        while (last > at && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        if (at == end && r->n == 0)
            return true;
        *last = '\0'; /* a blank, the comma, the end of the line, or the spare byte behind the last one */
        add_cell(r, at, (size_t)(last - at));
    }
    fail_if(r, take_row(r));
    r->n = 0;
    return true;
}

static void take_csv_line(struct reader *r, struct csv_parser *p, char *line, size_t length)
{
    bool within_row = r->n > 0 || p->entry_pos > 0; /* after a whole line only if a quote is open */
    r->rows_in_line = 0;
    if (!within_row) {
        if (take_comment(r, line, length))
            return;
        r->row.line = r->field_line = r->lines.number;
        if (take_plain_line(r, line, length))
            return;
    }
    size_t used = csv_parse(p, line, length, csv_cell, csv_row, r);
    if (used != length && !r->failed)
        fail_if(
            r,
            error_set(
                r->err,
                "%s:%zu: stray quote: want quotes around the whole cell, and those in it doubled",
                r->row.file, r->lines.number));
    if (p->entry_pos > LINE_MOST)
        fail_if(r, error_set(r->err, "%s:%zu: want cells of at most %zu MiB", r->row.file,
                             r->field_line, LINE_MOST >> 20));
}

static void end_csv(struct reader *r, struct csv_parser *p)
{
    if (!r->failed && csv_fini(p, csv_cell, csv_row, r) != 0)
        fail_if(r, error_set(r->err, "%s:%zu: a quote opens here and is never closed", r->row.file,
                             r->field_line));
}

/* ---- all of it ---- */

static void read_lines(struct reader *r, struct csv_parser *p)
{
    char *line;
    size_t length;
    while (!r->failed) {
        int found = next_line(&r->lines, &line, &length, r->err);
        fail_if(r, found < 0);
        if (found <= 0)
            break;
        if (!r->style.blanks && !r->style.separator)
            take_csv_line(r, p, line, length);
        else if (take_comment(r, line, length))
            continue;
        else if (r->style.separator)
            take_separated_line(r, line, length);
        else
            take_blanks_line(r, line, length);
    }
    end_csv(r, p);
    if (!r->failed && r->style.header && !r->row.column)
        fail_if(r, error_set(r->err, "%s:1: want a header, got an empty file", r->row.file));
}

int table_read(struct input *in, struct table_style style, const struct table_handler *h,
               void *self, struct error *err)
{
    struct reader r = { .style = style, .handler = h, .self = self, .err = err };
    r.row.file = input_name(in);
    r.lines = (struct lines){ .in = in,
                              .buffer = mem_resize(NULL, LINES_FIRST, 1),
                              .capacity = LINES_FIRST };
    r.names = arena_new();
    struct csv_parser p;
    csv_init(&p, CSV_STRICT | CSV_STRICT_FINI); /* fails only without a parser */
    csv_set_realloc_func(&p, csv_memory);
    csv_set_blk_size(&p, 64 << 10); /* the buffer of a cell grows by so much, not by doubling */

    read_lines(&r, &p);

    csv_free(&p);
    arena_free(r.names);
    free(r.lines.buffer);
    free(r.cell);
    free(r.text);
    return r.failed ? -1 : 0;
}

/* ---- cells ---- */

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

/* "NaN", as pandas may write a gap, is an empty number of a table with a header. */
static struct cell number_at(const struct row *r, size_t i)
{
    struct cell c = cell_at(r, i);
    bool gap = r->column && c.length == 3 && (!memcmp(c.text, "NaN", 3) || !memcmp(c.text, "nan", 3));
    return gap ? (struct cell){ "", 0 } : c;
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
    return error_set(err, "%s:%zu: %s: want %s, got '%s'", r->file, r->line, name, want,
                     shown(text, c.text, c.length));
}

int cell_required(const struct row *r, size_t i, struct error *err)
{
    return number_at(r, i).length ? 0 : cell_error(r, i, "a value", err);
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

/* "a whole number from 1 to 4096"; bounds of int64_t are not mentioned. */
static int out_of_range(const struct row *r, size_t i, const char *what, int64_t scale,
                        int64_t least, int64_t most, struct error *err)
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

/* From there on digits only, or up to the first byte that is none; nine of them are less than a billion. */
static inline const char *read_digits(const char *at, const char *end, int64_t *value)
{
    for (unsigned digit; at < end && (digit = (unsigned char)*at - (unsigned)'0') <= 9; at++)
        *value = *value * 10 + digit;
    return at;
}

enum { FEW = 9 };

/* Most whole numbers are a few digits and nothing else; false: it may be one all the same. */
static inline bool few_digits(const struct row *r, size_t i, int64_t *value)
{
    *value = 0;
    if (i >= r->n || r->cell[i].length - 1 >= FEW)
        return false;
    const char *text = r->cell[i].text, *end = text + r->cell[i].length;
    return read_digits(text, end, value) == end;
}

/* Most seconds are that, or have some digits behind a point. */
static inline bool few_seconds(const struct row *r, size_t i, int64_t *ns)
{
    int64_t value = 0, part_ns = NS_PER_S;
    if (i >= r->n || r->cell[i].length - 1 >= 2 * FEW)
        return false;
    const char *text = r->cell[i].text, *end = text + r->cell[i].length, *at = read_digits(text, end, &value);
    if (at == text || at - text > FEW || (at < end && (*at != '.' || at + 1 == end || end - at > FEW + 1)))
        return false;
    if (at < end) {
        const char *behind = at + 1;
        at = read_digits(behind, end, &value);
        for (const char *digit = behind; digit < end; digit++)
            part_ns /= 10;
    }
    *ns = value * part_ns;
    return at == end;
}

/* A whole number, also as pandas writes one in a column that has gaps: "1.0". */
static bool whole_parse(struct cell c, int64_t *value)
{
    if (integer_parse(c.text, c.length, value))
        return true;
    const char *point = memchr(c.text, '.', c.length);
    size_t whole = point ? (size_t)(point - c.text) : c.length;
    bool zeros = point && whole + 1 < c.length;
    for (size_t i = whole + 1; zeros && i < c.length; i++)
        zeros = c.text[i] == '0';
    return zeros && integer_parse(c.text, whole, value);
}

int cell_integer(const struct row *r, size_t i, int64_t least, int64_t most, int64_t *out,
                 struct error *err)
{
    int64_t value;
    if (few_digits(r, i, &value) && value >= least && value <= most) {
        *out = value;
        return 0;
    }
    struct cell c = number_at(r, i);
    if (!c.length)
        return 0;
    if (!whole_parse(c, &value) || value < least || value > most)
        return out_of_range(r, i, "a whole number", 1, least, most, err);
    *out = value;
    return 0;
}

int cell_decimal(const struct row *r, size_t i, int64_t scale, int64_t least, int64_t most,
                 int64_t *out, struct error *err)
{
    struct cell c = number_at(r, i);
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
    int64_t value;
    if (few_seconds(r, i, &value) && value >= least_ns) {
        *ns = value;
        return 0;
    }
    struct cell c = number_at(r, i);
    if (!c.length)
        return 0;
    /* TIME_NEVER is not a time of a file */
    if (!decimal_parse(c.text, c.length, NS_PER_S, &value) || value == TIME_NEVER)
        return cell_error(r, i, "a number of seconds", err);
    if (value < least_ns)
        return out_of_range(r, i, "seconds", NS_PER_S, least_ns, INT64_MAX, err);
    *ns = value;
    return 0;
}
