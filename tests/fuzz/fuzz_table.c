/* fuzz_table.c - any bytes as a table: the first says in which style, the rest is its text;
 * every check is asked of every cell. */
#include "sim/io/table_in.h"
#include "sim/base/units.h"
#include "tests/fuzz/fuzz.h"

enum { HEADER = 1, BLANKS = 2, COMMENT = 4 };

static void ask(const struct row *row, size_t i)
{
    static const int64_t scales[] = { 1, 1000, 1024, NS_PER_S };
    struct error err = { "" };
    int64_t value = -1;
    int failed = cell_time(row, i, 0, &value, &err);
    fuzz_said(failed, &err);
    FUZZ_MUST(failed || value >= -1);
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
        err.text[0] = '\0';
        value = 5;
        failed = cell_decimal(row, i, scales[k], -7 * scales[k], 1000 * scales[k], &value, &err);
        fuzz_said(failed, &err);
        FUZZ_MUST(value >= -7 * scales[k] && value <= 1000 * scales[k]);
    }
    err.text[0] = '\0';
    fuzz_said(cell_integer(row, i, INT64_MIN, INT64_MAX, &value, &err), &err);
    err.text[0] = '\0';
    fuzz_said(cell_required(row, i, &err), &err);
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    (void)self;
    (void)err;
    FUZZ_MUST(row->line > 0 && (!row->column || row->n == row->n_columns));
    for (size_t i = 0; i < row->n; i++) {
        FUZZ_MUST(strlen(row->cell[i].text) == row->cell[i].length);
        ask(row, i);
    }
    ask(row, TABLE_NO_COLUMN);
    ask(row, row->n);
    return 0;
}

static int on_comment(void *self, const char *line, size_t length, struct error *err)
{
    (void)self;
    (void)err;
    FUZZ_MUST(length && strlen(line) == length);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const struct table_handler handler = { .on_comment = on_comment, .on_row = on_row };
    struct error err = { "" };
    if (!length)
        return 0;
    struct table_style style = { .header = bytes[0] & HEADER, .blanks = bytes[0] & BLANKS,
                                 .comment = bytes[0] & COMMENT ? ';' : '\0' };
    struct input *in = input_from_bytes(bytes + 1, length - 1, "fuzz", &err);
    fuzz_said(!in || table_read(in, style, &handler, NULL, &err) != 0, &err);
    input_close(in);
    return 0;
}
