/* test_table_in.c - rows with their lines, and the complaints about files and cells, word by word. */
#include "sim/base/random.h"
#include "sim/io/table_in.h"
#include "sim/base/units.h"
#include "tests/unit/test_core.h"

#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/gpuyard-table-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}
static int tear_down(void **state)
{
    (void)state;
    return unlink("t.csv") | chdir("/") | rmdir(directory);
}

static void write_file(const char *bytes, size_t length)
{
    FILE *f = fopen("t.csv", "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

/* ---- a transcript of what the handler was told ---- */

struct transcript { char text[4096]; size_t used; };

static void note(struct transcript *t, const char *text)
{
    t->used += (size_t)snprintf(t->text + t->used, sizeof t->text - t->used, "%s", text);
    assert_true(t->used < sizeof t->text);
}
static void note_row(struct transcript *t, const struct row *row)
{
    char line[32];
    snprintf(line, sizeof line, "%zu", row->line);
    note(t, line);
    for (size_t i = 0; i < row->n; i++) {
        assert_int_equal(strlen(row->cell[i].text), row->cell[i].length);
        note(t, "|");
        note(t, row->cell[i].text);
    }
    note(t, "/");
}
static int on_header(void *self, const struct row *row, struct error *err)
{
    (void)err;
    assert_int_equal(row->n, row->n_columns);
    for (size_t i = 0; i < row->n; i++)
        assert_int_equal(table_column(row, row->cell[i].text), i);
    assert_true(table_column(row, "no such name") == TABLE_NO_COLUMN);
    note(self, "H");
    note_row(self, row);
    return 0;
}
static int on_comment(void *self, const char *line, size_t length, struct error *err)
{
    assert_int_equal(strlen(line), length);
    note(self, line);
    note(self, "/");
    return strstr(line, "stop") ? error_set(err, "stopped by a comment") : 0;
}
static int on_row(void *self, const struct row *row, struct error *err)
{
    struct transcript *t = self;
    assert_string_equal(row->file, "t.csv");
    note_row(t, row);
    if (strcmp(row->cell[0].text, "stop") == 0)
        return cell_error(row, 0, "anything else", err);
    return 0;
}

#define HEAD  { .header = true }
#define BARE  { .header = false }
#define SWF   { .blanks = true, .comment = ';' }
#define TABS  { .separator = '\t' }
#define HASH  { .header = true, .comment = '#' }
#define T(x)  x, sizeof x - 1

static const struct table_row {
    const char *name, *text; size_t length; struct table_style style; const char *told, *error;
} table_rows[] = {
    { "plain", T("a,b\n1,2\n3,4\n"), HEAD, "H1|a|b/2|1|2/3|3|4/", "" },
    { "no newline at the end", T("a,b\n1,2"), HEAD, "H1|a|b/2|1|2/", "" },
    { "only a header", T("a,b"), HEAD, "H1|a|b/", "" },
    { "CRLF", T("a,b\r\n1,2\r\n3,4\r\n"), HEAD, "H1|a|b/2|1|2/3|3|4/", "" },
    { "CRLF, no newline at the end", T("a,b\r\n1,2\r"), HEAD, "H1|a|b/2|1|2/", "" },
    { "BOM", T("\xef\xbb\xbf" "a,b\n1,2\n"), HEAD, "H1|a|b/2|1|2/", "" },
    { "BOM and quotes", T("\xef\xbb\xbf\"a\",b\n1,2\n"), HEAD, "H1|a|b/2|1|2/", "" },
    { "BOM later is text", T("a\n\xef\xbb\xbf\n"), HEAD, "H1|a/2|\xef\xbb\xbf/", "" },
    { "blank lines count", T("\n\na,b\n\n  \n1,2\n\r\n\t\n3,4\n\n"), HEAD, "H3|a|b/6|1|2/9|3|4/", "" },
    { "empty cells", T("a,b,c\n,,\n1,,\n,,3"), HEAD, "H1|a|b|c/2|||/3|1||/4|||3/", "" },
    { "quotes", T("a,b\n\"1,5\",\"say \"\"hi\"\"\"\n"), HEAD, "H1|a|b/2|1,5|say \"hi\"/", "" },
    { "empty quotes", T("a,b\n\"\",\"\"\n"), HEAD, "H1|a|b/2||/", "" },
    { "quoted newlines", T("a,b\n\"x\ny\",1\n2,\"\n\n\"\n3,4\n"), HEAD, "H1|a|b/2|x\ny|1/4|2|\n\n/7|3|4/", "" },
    { "quoted newline first in its row", T("a,b\n\"\n\",1\n3,4\n"), HEAD, "H1|a|b/2|\n|1/4|3|4/", "" },
    { "quoted CRLF", T("a\r\n\"x\r\ny\"\r\nz\r\n"), HEAD, "H1|a/2|x\r\ny/4|z/", "" },
    { "quoted header", T("\"a\nb\",c\n1,2\n"), HEAD, "H1|a\nb|c/3|1|2/", "" },
    { "blanks around bare cells", T("a , b\n 1 ,\t2 \n"), HEAD, "H1|a|b/2|1|2/", "" },
    { "no header", T("1,2\n3\n"), BARE, "1|1|2/2|3/", "" },
    { "no header, empty", T(""), BARE, "", "" },
    { "comments", T("# x, \"y\r\na,b\n1,2\n  #z\n#"), HASH, "# x, \"y/H2|a|b/3|1|2/#z/#/", "" },
    { "comment sign within quotes", T("a,b\n1,\"\n# no\"\n"), HASH, "H1|a|b/2|1|\n# no/", "" },
    { "no comments wanted", T("a\n#1\n"), HEAD, "H1|a/2|#1/", "" },
    { "swf", T("; v 2\r\n  1   2\t3 \r\n\n ;c\n4 5\n6"), SWF, "; v 2/2|1|2|3/;c/5|4|5/6|6/", "" },
    { "swf: comment at the end", T("1\n;end"), SWF, "1|1/;end/", "" },
    { "tabs", T("1\t2 3\t\"x\t\r\n\n\t\n4"), TABS, "1|1|2 3|\"x|/3||/4|4/", "" },
    { "tabs: NUL", T("1\t\0\n"), TABS, "", "t.csv:1: NUL byte: want text" },
    { "swf: quotes are text", T("\"1 2\"\n"), SWF, "1|\"1|2\"/", "" },

    { "too few cells", T("a,b,c,d\n1,2,3,4\n1,2,3\n5,6,7,8\n"), HEAD, "H1|a|b|c|d/2|1|2|3|4/",
      "t.csv:3: want 4 cells as in the header, got 3" },
    { "too many cells", T("a,b\n\n1,2,\n"), HEAD, "H1|a|b/", "t.csv:3: want 2 cells as in the header, got 3" },
    { "too few in the last line", T("a,b\n1"), HEAD, "H1|a|b/", "t.csv:2: want 2 cells as in the header, got 1" },
    { "named twice", T("\nx,y,x\n1,2,3\n"), HEAD, "", "t.csv:2: column 'x' is named twice" },
    { "empty file", T(""), HEAD, "", "t.csv:1: want a header, got an empty file" },
    { "only blank lines", T("\n\n"), HEAD, "", "t.csv:1: want a header, got an empty file" },
    { "only a BOM", T("\xef\xbb\xbf"), HEAD, "", "t.csv:1: want a header, got an empty file" },
    { "only a comment", T("#\n"), HASH, "#/", "t.csv:1: want a header, got an empty file" },
    { "NUL", T("a,b\n1,2\n3,\0" "4\n"), HEAD, "H1|a|b/2|1|2/", "t.csv:3: NUL byte: want text" },
    { "NUL in quotes", T("a\n\"x\n\0\"\n"), HEAD, "H1|a/", "t.csv:3: NUL byte: want text" },
    { "NUL, the first byte", T("\0"), HEAD, "", "t.csv:1: NUL byte: want text" },
    { "NUL, swf", T("1 2\n\0\n"), SWF, "1|1|2/", "t.csv:2: NUL byte: want text" },
    { "UTF-16", T("\xff\xfe" "a\0,\0b\0\n\0"), HEAD, "", "t.csv:1: NUL byte: want text" },
    { "open quote", T("a,b\n1,2\n3,\"4\n5,6\n"), HEAD, "H1|a|b/2|1|2/", "t.csv:3: a quote opens here and is never closed" },
    { "open quote in a later cell", T("a,b,c\n\"x\ny\",\"z\nw\",\"v\n1"), HEAD, "H1|a|b|c/",
      "t.csv:4: a quote opens here and is never closed" },
    { "open quote, the last byte", T("a\n1\n\""), HEAD, "H1|a/2|1/", "t.csv:3: a quote opens here and is never closed" },
    { "text behind a quote", T("a\n\"x\"y\n"), HEAD, "H1|a/",
      "t.csv:2: stray quote: want quotes around the whole cell, and those in it doubled" },
    { "quote within text", T("a\n\n5\"\n"), HEAD, "H1|a/",
      "t.csv:3: stray quote: want quotes around the whole cell, and those in it doubled" },
    { "old Macintosh", T("a,b\r1,2\r3,4\r"), HEAD, "H1|a|b/",
      "t.csv:1: carriage return within the line: want LF or CRLF at its end" },
    { "old Macintosh, two lines", T("a,b\r1,2"), HEAD, "H1|a|b/",
      "t.csv:1: carriage return within the line: want LF or CRLF at its end" },
    { "handler stops", T("a,b\n1,2\nstop,2\n3,4\n5\n"), HEAD, "H1|a|b/2|1|2/3|stop|2/",
      "t.csv:3: a: want anything else, got 'stop'" },
    { "handler stops in the last line", T("a\nstop"), HEAD, "H1|a/2|stop/", "t.csv:2: a: want anything else, got 'stop'" },
    { "handler stops, swf", T("1\nstop 2\n3\n"), SWF, "1|1/2|stop|2/", "t.csv:2: field 1: want anything else, got 'stop'" },
    { "comment stops", T("; stop\n1\n"), SWF, "; stop/", "stopped by a comment" },
};

static void table(void **state)
{
    const struct table_row *row = *state;
    static const struct table_handler handler = { on_header, on_comment, on_row };
    static const struct table_handler rows_only = { .on_row = on_row };
    struct error err = { "" };
    struct transcript t = { "", 0 };
    write_file(row->text, row->length);
    struct input *in = input_open("t.csv", &err);
    assert_non_null(in);
    assert_int_equal(table_read(in, row->style, &handler, &t, &err), *row->error ? -1 : 0);
    input_close(in);
    assert_string_equal(t.text, row->told);
    assert_string_equal(err.text, row->error);

    if (!strstr(row->error, "comment")) { /* the other two may be left out */
        err.text[0] = '\0';
        in = input_open("t.csv", &err);
        assert_int_equal(table_read(in, row->style, &rows_only, &t, &err), *row->error ? -1 : 0);
        input_close(in);
    }
}

/* ---- a large file: lines and cells stay right across every buffer's end ---- */

struct expected { size_t row, line; struct random r; };

static size_t random_cell(struct random *r, char *to) /* 0 to 3 newlines within */
{
    size_t n = random_below(r, 30);
    for (size_t i = 0; i < n; i++)
        to[i] = random_below(r, 20) ? (char)('a' + random_below(r, 26)) : "\n\",\r"[random_below(r, 4)];
    to[n++] = '.'; /* so that the row is not blank */
    to[n] = '\0';
    return n;
}

static int expect_row(void *self, const struct row *row, struct error *err)
{
    (void)err;
    struct expected *e = self;
    char cell[64];
    e->line += random_below(&e->r, 10) == 0; /* a blank line before it */
    assert_int_equal(row->line, e->line);
    for (size_t i = 0; i < 3; i++) {
        size_t n = random_cell(&e->r, cell);
        assert_int_equal(row->cell[i].length, n);
        assert_string_equal(row->cell[i].text, cell);
        for (size_t k = 0; k < n; k++)
            e->line += cell[k] == '\n';
    }
    e->line++;
    e->row++;
    return 0;
}

static void large_file(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    struct expected e = { 0, 2, { { 0 } } };
    struct random r;
    random_init(&r, 1, "large", 0);
    e.r = r;
    FILE *f = fopen("t.csv", "wb");
    assert_non_null(f);
    fputs("a,b,c\n", f);
    for (int i = 0; i < ROWS; i++) {
        if (random_below(&r, 10) == 0)
            fputs("\n", f);
        for (int k = 0; k < 3; k++) {
            char cell[64];
            random_cell(&r, cell);
            fputs(k ? ",\"" : "\"", f);
            for (const char *c = cell; *c; c++)
                fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
            fputs("\"", f);
        }
        fputs(i % 2 ? "\n" : "\r\n", f);
    }
    assert_int_equal(fclose(f), 0);
    struct error err = { "" };
    struct input *in = input_open("t.csv", &err);
    static const struct table_handler handler = { .on_row = expect_row };
    assert_int_equal(table_read(in, (struct table_style)HEAD, &handler, &e, &err), 0);
    assert_string_equal(err.text, "");
    assert_int_equal(e.row, ROWS);
    input_close(in);
}

/* One cell of a megabyte is fine; a line, or a quote, that seems to have no end is not read into memory for ever. */
static const struct long_row { const char *name, *begin, *middle; size_t megabytes; const char *error; } long_rows[] = {
    { "long line", "a\n", "xxxxxxxx", 1, "" },
    { "long quoted cell", "a\n\"", "xxxxxx\n\n", 1, "t.csv:2: a quote opens here and is never closed" },
    { "endless line", "a\n", "xxxxxxxx", 18, "t.csv:2: want lines of at most 16 MiB" },
    { "endless quote", "a\nb\n\"", "xxxxxx\n\n", 18, "t.csv:3: want cells of at most 16 MiB" },
};

static int on_long_row(void *self, const struct row *row, struct error *err)
{
    (void)err;
    *(size_t *)self = row->cell[0].length;
    return 0;
}

static void long_text(void **state)
{
    const struct long_row *row = *state;
    size_t times = (row->megabytes << 20) / strlen(row->middle), length = 0;
    FILE *f = fopen("t.csv", "wb");
    assert_non_null(f);
    fputs(row->begin, f);
    for (size_t i = 0; i < times; i++)
        fputs(row->middle, f);
    assert_int_equal(fclose(f), 0);
    struct error err = { "" };
    struct input *in = input_open("t.csv", &err);
    static const struct table_handler handler = { .on_row = on_long_row };
    assert_int_equal(table_read(in, (struct table_style)HEAD, &handler, &length, &err), *row->error ? -1 : 0);
    assert_string_equal(err.text, row->error);
    if (!*row->error)
        assert_int_equal(length, row->megabytes << 20);
    input_close(in);
}

/* ---- cells ---- */

enum check { TIME, INTEGER, DECIMAL, REQUIRED };
#define NO_MOST  INT64_MAX
#define NO_LEAST INT64_MIN
static const struct cell_row {
    const char *name, *text; enum check check; int64_t least, most, out; const char *error;
} cell_rows[] = {
    { "time", "1.5", TIME, 0, 0, 1500000000, "" },
    { "time: least", "0", TIME, 0, 0, 0, "" },
    { "time: empty leaves the default", "", TIME, 0, 0, -77, "" },
    { "time: below", "-1", TIME, 0, 0, -77, "want seconds of at least 0, got '-1'" },
    { "time: below a fraction", "0.2", TIME, 500000000, 0, -77, "want seconds of at least 0.5, got '0.2'" },
    { "time: text", "soon", TIME, 0, 0, -77, "want a number of seconds, got 'soon'" },
    { "time: too large", "1e10", TIME, 0, 0, -77, "want a number of seconds, got '1e10'" },
    { "time: the value that means never", "9223372036.854775807", TIME, 0, 0, -77,
      "want a number of seconds, got '9223372036.854775807'" },
    { "integer", "8", INTEGER, 1, 4096, 8, "" },
    { "integer: most", "4096", INTEGER, 1, 4096, 4096, "" },
    { "integer: empty", "", INTEGER, 1, 4096, -77, "" },
    { "integer: half", "0.5", INTEGER, 1, 4096, -77, "want a whole number from 1 to 4096, got '0.5'" },
    { "integer: below", "0", INTEGER, 1, 4096, -77, "want a whole number from 1 to 4096, got '0'" },
    { "integer: above", "4097", INTEGER, 1, 4096, -77, "want a whole number from 1 to 4096, got '4097'" },
    { "integer: no most", "-1", INTEGER, 0, NO_MOST, -77, "want a whole number of at least 0, got '-1'" },
    { "integer: no least", "9", INTEGER, NO_LEAST, 5, -77, "want a whole number of at most 5, got '9'" },
    { "integer: any", "x", INTEGER, NO_LEAST, NO_MOST, -77, "want a whole number, got 'x'" },
    { "decimal", "0.25", DECIMAL, 0, 1000, 250, "" },
    { "decimal: above", "1.001", DECIMAL, 0, 1000, -77, "want a number from 0 to 1, got '1.001'" },
    { "decimal: range with fractions", "2", DECIMAL, 50, 1500, -77, "want a number from 0.05 to 1.5, got '2'" },
    { "decimal: text", "inf", DECIMAL, 0, NO_MOST, -77, "want a number of at least 0, got 'inf'" },
    /* pandas.DataFrame.to_csv of a column of integers with gaps */
    { "integer: with a point", "8.0", INTEGER, 1, 4096, 8, "" },
    { "integer: a point alone", "8.", INTEGER, 1, 4096, -77, "want a whole number from 1 to 4096, got '8.'" },
    { "decimal: empty", "", DECIMAL, 0, 1, -77, "" },
    { "required", "x", REQUIRED, 0, 0, -77, "" },
    { "required: empty", "", REQUIRED, 0, 0, -77, "want a value, got ''" },
    { "40 bytes are shown whole", "0123456789012345678901234567890123456789", REQUIRED, 0, 0, -77, "" },
    { "long text is cut", "x123456789012345678901234567890123456789y", INTEGER, 0, 9, -77,
      "want a whole number from 0 to 9, got 'x123456789012345678901234567890123456789...'" },
    { "cut between characters", "x12345678901234567890123456789012345678\xc3\xa9y", INTEGER, 0, 9, -77,
      "want a whole number from 0 to 9, got 'x12345678901234567890123456789012345678...'" },
    { "control bytes", "a\n\t\x7f\x1b[0mb", INTEGER, 0, 9, -77, "want a whole number from 0 to 9, got 'a????[0mb'" },
};

static int check_cell(const struct cell_row *c, const struct row *r, size_t i, int64_t *out, struct error *err)
{
    switch (c->check) {
    case TIME:
        return cell_time(r, i, c->least, out, err);
    case INTEGER:
        return cell_integer(r, i, c->least, c->most, out, err);
    case DECIMAL:
        return cell_decimal(r, i, 1000, c->least, c->most, out, err);
    default:
        return cell_required(r, i, err);
    }
}

static void cell(void **state)
{
    const struct cell_row *c = *state;
    const char *column[] = { "id", "gpus" };
    struct cell cells[] = { { "x", 1 }, { c->text, strlen(c->text) } };
    struct row named = { .file = "t.csv", .line = 7, .n = 2, .cell = cells, .column = column, .n_columns = 2 };
    struct row bare = { .file = "t.swf", .line = 9, .n = 2, .cell = cells };
    const struct { const struct row *row; const char *place; } both[] = { { &named, "t.csv:7: gpus: " },
                                                                         { &bare, "t.swf:9: field 2: " } };
    for (size_t i = 0; i < COUNT(both); i++) {
        struct error err = { "" };
        int64_t out = -77;
        char want[256] = "";
        if (*c->error)
            snprintf(want, sizeof want, "%s%s", both[i].place, c->error);
        assert_int_equal(check_cell(c, both[i].row, 1, &out, &err), *c->error ? -1 : 0);
        assert_string_equal(err.text, want);
        assert_true(out == c->out);
    }
}

static void columns_that_are_not_there(void **state)
{
    (void)state;
    const char *column[] = { "a\nb" };
    struct cell cells[] = { { "1", 1 } };
    struct row row = { .file = "t.csv", .line = 7, .n = 1, .cell = cells, .column = column, .n_columns = 1 };
    struct error err = { "" };
    int64_t out = 5;
    assert_int_equal(cell_time(&row, TABLE_NO_COLUMN, 0, &out, &err), 0);
    assert_int_equal(cell_integer(&row, TABLE_NO_COLUMN, 0, 1, &out, &err), 0);
    assert_int_equal(cell_decimal(&row, 17, 1, 0, 1, &out, &err), 0); /* a short row of SWF */
    assert_true(out == 5);
    assert_int_equal(cell_required(&row, TABLE_NO_COLUMN, &err), -1);
    assert_string_equal(err.text, "t.csv:7: missing column: want a value, got ''");
    struct error other = { "" };
    assert_int_equal(cell_required(&row, 17, &other), -1);
    assert_string_equal(other.text, "t.csv:7: field 18: want a value, got ''");
    struct error third = { "" };
    assert_int_equal(cell_error(&row, 0, "two", &third), -1);
    assert_string_equal(third.text, "t.csv:7: a?b: want two, got '1'");
}

/* ---- numbers of a few digits against the readers of any number ---- */

static void few_digits_as_any(void **state)
{
    (void)state;
    static const char *const pieces[] = { "0", "1", "9", "5", "07", "123456789", "2000000000", ".", "-", "+", "e2", " " };
    struct random r;
    random_init(&r, 12, "few digits", 0);
    unsigned whole = 0, decimal = 0;
    for (int i = 0; i < 200000; i++) {
        char text[64] = "";
        for (uint64_t left = 1 + random_below(&r, 8); left && strlen(text) < 40; left--)
            strcat(text, pieces[random_below(&r, random_below(&r, 4) ? 8 : COUNT(pieces))]);
        struct cell cell = { text, strlen(text) };
        struct row row = { .file = "t.swf", .line = 1, .n = 1, .cell = &cell };
        struct error err = { "" };
        int64_t got = -77, want = -77, least = random_below(&r, 2) ? INT64_MIN : 1000;
        bool is = integer_parse(text, cell.length, &want) && want >= least;
        if (is || !strchr(text, '.')) {                /* "1.0" is a whole number too */
            assert_int_equal(cell_integer(&row, 0, least, INT64_MAX, &got, &err), is ? 0 : -1);
            assert_true(got == (is ? want : -77));
            whole += is;
        }
        got = want = -77;
        is = decimal_parse(text, cell.length, NS_PER_S, &want) && want >= least && want != TIME_NEVER;
        assert_int_equal(cell_time(&row, 0, least, &got, &err), is ? 0 : -1);
        assert_true(got == (is ? want : -77));
        decimal += is && strchr(text, '.');
    }
    assert_true(whole > 10000 && decimal > 10000);
}

/* ---- lines without quotes against libcsv by itself ---- */

static void libcsv_cell(void *text, size_t length, void *self)
{
    char cell[64];
    snprintf(cell, sizeof cell, "|%.*s", (int)length, (const char *)text);
    note(self, cell);
}
static void libcsv_row(int terminator, void *self)
{
    (void)terminator;
    note(self, "/");
}
static int note_cells(void *self, const struct row *row, struct error *err)
{
    (void)err;
    for (size_t i = 0; i < row->n; i++)
        libcsv_cell((void *)(uintptr_t)row->cell[i].text, row->cell[i].length, self);
    note(self, "/");
    return 0;
}

static void plain_lines_as_libcsv(void **state)
{
    (void)state;
    static const char *const pieces[] = { "a", "b c", "", " ", "\t", "  ", ",", ",", ",", "\n", "\r\n", "\n\n" };
    struct random r;
    random_init(&r, 11, "plain lines", 0);
    for (int i = 0; i < 5000; i++) {
        char text[512] = "";
        for (uint64_t left = random_below(&r, 60); left; left--)
            strcat(text, pieces[random_below(&r, sizeof pieces / sizeof pieces[0])]);
        struct transcript ours = { .used = 0 }, theirs = { .used = 0 };
        struct csv_parser p;
        csv_init(&p, CSV_STRICT | CSV_STRICT_FINI);
        csv_parse(&p, text, strlen(text), libcsv_cell, libcsv_row, &theirs);
        csv_fini(&p, libcsv_cell, libcsv_row, &theirs);
        csv_free(&p);
        write_file(text, strlen(text));
        struct error err = { "" };
        struct input *in = input_open("t.csv", &err);
        static const struct table_handler handler = { .on_row = note_cells };
        assert_int_equal(table_read(in, (struct table_style)BARE, &handler, &ours, &err), 0);
        input_close(in);
        assert_string_equal(ours.text, theirs.text);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, table, table_rows);
    ADD_TEST(tests, n, large_file);
    ADD_ROWS(tests, n, long_text, long_rows);
    ADD_ROWS(tests, n, cell, cell_rows);
    ADD_TEST(tests, n, columns_that_are_not_there);
    ADD_TEST(tests, n, few_digits_as_any);
    ADD_TEST(tests, n, plain_lines_as_libcsv);
    return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
