/* figure.c - see figure.h. */
#include "sim/cli/plot/figure.h"

#include "sim/cli/frame/term.h"
#include "sim/cli/plot/words.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    double number;
    const char *text;
}; /* text NULL: a number */
enum { LABELS_MOST = 4 };
struct label {
    const char *column, *text;
};
struct table {
    struct arena *memory; /* of the figure */
    const char *name, *columns;
    size_t width; /* columns in a row */
    struct cell *cell;
    size_t n, capacity;
    struct label label[LABELS_MOST];
    size_t labels;
};
enum fact_kind { FACT_NUMBER, FACT_TEXT, FACT_TIC };
struct one_fact {
    enum fact_kind kind;
    const char *name, *text;
    double number;
};
struct stream {
    FILE *file;
    char *text;
    size_t length;
};
struct figure {
    struct arena *memory;
    struct canvas canvas;
    struct table **table;
    size_t tables, tables_capacity;
    struct one_fact *fact;
    size_t facts, facts_capacity;
    struct stream text, legend;
};

struct figure *figure_new(const struct canvas *canvas)
{
    struct figure *f = mem_new(1, sizeof *f);
    f->memory = arena_new();
    f->canvas = *canvas;
    return f;
}

static void stream_end(struct stream *s)
{
    if (s->file)
        mem_stream_end(s->file, &s->text);
    s->file = NULL;
}

void figure_free(struct figure *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->tables; i++) {
        free(f->table[i]->cell);
        free(f->table[i]);
    }
    stream_end(&f->text);
    stream_end(&f->legend);
    free(f->text.text);
    free(f->legend.text);
    free(f->table);
    free(f->fact);
    arena_free(f->memory);
    free(f);
}

struct arena *figure_memory(struct figure *f)
{
    return f->memory;
}

static const char *printed(struct arena *memory, const char *format, va_list list)
{
    char name[64];
    int n = vsnprintf(name, sizeof name, format, list);
    assert(n > 0 && (size_t)n < sizeof name);
    return arena_text(memory, name, (size_t)n);
}

/* ---- Tables ---- */

struct table *figure_table(struct figure *f, const char *columns, const char *name, ...)
{
    struct table *t = mem_new(1, sizeof *t);
    va_list list;
    va_start(list, name);
    *t = (struct table){
        .memory = f->memory, .columns = columns, .width = 1, .name = printed(f->memory, name, list)
    };
    va_end(list);
    for (const char *at = columns; (at = strchr(at, ',')); at++)
        t->width++;
    mem_grow(&f->table, &f->tables_capacity, f->tables, sizeof *f->table);
    return f->table[f->tables++] = t;
}

void table_label(struct table *t, const char *column, const char *text)
{
    assert(t->labels < LABELS_MOST);
    t->label[t->labels++] = (struct label){ column, arena_text(t->memory, text, strlen(text)) };
}

static void add_cell(struct table *t, struct cell c)
{
    mem_grow(&t->cell, &t->capacity, t->n, sizeof *t->cell);
    t->cell[t->n++] = c;
}

void table_number(struct table *t, double x)
{
    add_cell(t, (struct cell){ x, NULL });
}

void table_text(struct table *t, const char *text)
{
    add_cell(t, (struct cell){ 0, arena_text(t->memory, text, strlen(text)) });
}

void table_numbers(struct table *t, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        table_number(t, x[i]);
}

size_t table_rows(const struct table *t)
{
    return t->n / t->width;
}

/* ---- Facts ---- */

static void add_fact(struct figure *f, struct one_fact one, const char *name, va_list list)
{
    mem_grow(&f->fact, &f->facts_capacity, f->facts, sizeof *f->fact);
    one.name = printed(f->memory, name, list);
    one.text = one.text ? arena_text(f->memory, one.text, strlen(one.text)) : NULL;
    f->fact[f->facts++] = one;
}

void fact(struct figure *f, double value, const char *name, ...)
{
    va_list list;
    va_start(list, name);
    add_fact(f, (struct one_fact){ .kind = FACT_NUMBER, .number = value }, name, list);
    va_end(list);
}

void fact_text(struct figure *f, const char *text, const char *name, ...)
{
    va_list list;
    va_start(list, name);
    add_fact(f, (struct one_fact){ .kind = FACT_TEXT, .text = text }, name, list);
    va_end(list);
}

void fact_tic(struct figure *f, const char *text, const char *name, ...)
{
    va_list list;
    va_start(list, name);
    add_fact(f, (struct one_fact){ .kind = FACT_TIC, .text = text }, name, list);
    va_end(list);
}

/* ---- Read back ---- */

const struct table *figure_find_table(const struct figure *f, const char *name)
{
    for (size_t i = 0; i < f->tables; i++)
        if (!strcmp(f->table[i]->name, name))
            return f->table[i];
    return NULL;
}

double table_cell(const struct table *t, size_t row, size_t column)
{
    return t->cell[row * t->width + column].number;
}

const char *table_cell_text(const struct table *t, size_t row, size_t column)
{
    return t->cell[row * t->width + column].text;
}

static const struct one_fact *find_fact(const struct figure *f, const char *name)
{
    for (size_t i = 0; i < f->facts; i++)
        if (!strcmp(f->fact[i].name, name))
            return &f->fact[i];
    return NULL;
}

double figure_number(const struct figure *f, const char *name)
{
    const struct one_fact *one = find_fact(f, name);
    return one ? one->number : (double)NAN;
}

const char *figure_words(const struct figure *f, const char *name)
{
    const struct one_fact *one = find_fact(f, name);
    return one && one->text ? one->text : "";
}

/* ---- Text ---- */

static FILE *stream_of(struct stream *s)
{
    if (!s->file)
        s->file = mem_stream(&s->text, &s->length);
    return s->file;
}

FILE *figure_text(struct figure *f)
{
    return stream_of(&f->text);
}

FILE *figure_legend(struct figure *f)
{
    return stream_of(&f->legend);
}

bool figure_lettered(struct figure *f, size_t n)
{
    fact(f, n > KEY_MARKS, "lettered");
    return n > KEY_MARKS;
}

void figure_key(struct figure *f, size_t line, bool marked, const char *text)
{
    enum { INDENT = 5 };
    static const char drawn[KEY_MARKS + 1] = "*#$%@&=";
    if (f->canvas.format != PLOT_TERM)
        return;
    FILE *to = figure_legend(f);
    size_t k = line - 1;
    unsigned rgb = colour_of(k % LINE_COLOURS + 1, true);
    fputs("  ", to);
    if (f->canvas.colour)
        fprintf(to, "\033[38;2;%u;%u;%um", rgb >> 16, rgb >> 8 & 255, rgb & 255);
    putc(marked ? 'A' + (int)(k % KEY_LETTERS) : drawn[k % KEY_MARKS], to);
    fputs(f->canvas.colour ? "\033[0m" : "", to);
    text_wrap(to, name_clean(f->memory, text, INT_MAX), INDENT - 2, INDENT,
              (size_t)f->canvas.columns);
}

void figure_keys(struct figure *f, size_t n, bool marked, const char *fact)
{
    bool letters = figure_lettered(f, n) || marked;
    for (size_t i = 1; i <= n; i++)
        figure_key(f, i, letters, figure_words(f, words(f->memory, "%s%zu", fact, i)));
    if (n > KEY_LETTERS)
        figure_note(f, "Lines of one letter: a picture tells them apart.");
}

void figure_note(struct figure *f, const char *text)
{
    if (f->canvas.format != PLOT_TERM || !*text)
        return;
    putc('\n', figure_legend(f));
    text_wrap(figure_legend(f), text, 0, 2, (size_t)f->canvas.columns);
}

char *figure_drawn_text(struct figure *f)
{
    stream_end(&f->text);
    return f->text.text;
}

const char *figure_legend_text(struct figure *f)
{
    stream_end(&f->legend);
    return f->legend.text ? f->legend.text : "";
}

/* ---- For gnuplot ---- */

/* Twelve digits are more than any picture shows; what differs by rounding alone is then one level
 * of a line. */
static void put_number(struct output *to, double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.12g", x);
    out_text(to, isnan(x) ? "NaN" : text);
}

/* One line between single quotes, where only these are special. */
static void put_fact(struct figure *f, const struct one_fact *one, struct output *to)
{
    out_text(to, one->name);
    out_text(to, " = ");
    if (one->kind == FACT_NUMBER) {
        put_number(to, one->number);
        out_char(to, '\n');
        return;
    }
    out_char(to, '\'');
    for (const char *at = name_clean(f->memory, one->text, INT_MAX); *at; at++) {
        out_char(to, *at);
        if (*at == '\'' || (*at == '%' && one->kind == FACT_TIC))
            out_char(to, *at);
    }
    out_text(to, "'\n");
}

/* In data between double quotes: neither these nor backslashes can be escaped there. */
static void put_cell(struct figure *f, const struct cell *c, struct output *to)
{
    if (!c->text) {
        put_number(to, c->number);
        return;
    }
    out_char(to, '"');
    for (const char *at = name_clean(f->memory, c->text, INT_MAX); *at; at++)
        out_char(to, *at == '"' || *at == '\\' ? '\'' : *at);
    out_char(to, '"');
}

static void put_block(struct figure *f, const struct table *t, struct output *to)
{
    assert(t->n % t->width == 0);
    out_char(to, '$');
    out_text(to, t->name);
    out_text(to, " << end_of_rows\n");
    for (size_t i = 0; i < t->n; i++) {
        put_cell(f, &t->cell[i], to);
        out_char(to, (i + 1) % t->width ? ' ' : '\n');
    }
    out_text(to, "end_of_rows\n");
}

static double font_of(const struct paper *p)
{
    return p->font_pt > 0 ? p->font_pt : FONT_USUAL;
}

double canvas_layout(const struct canvas *canvas)
{
    const struct paper *p = &canvas->paper;
    return floor(p->width_in * 96 * FONT_USUAL / font_of(p) + .5);
}

static void put_paper(const struct canvas *canvas, struct output *to)
{
    const struct paper *p = &canvas->paper;
    double font_pt = font_of(p);
    out_text(to, "paper = ");
    put_number(to, canvas_layout(canvas));
    out_text(to, "; paper_in = ");
    put_number(to, p->width_in);
    out_text(to, "; font_pt = ");
    put_number(to, font_pt);
    out_text(to, "; titles = ");
    out_integer(to, !p->untitled);
    out_text(to, "; bw = ");
    out_integer(to, p->bw);
    out_char(to, '\n');
}

void figure_commands(struct figure *f, const char *script, struct output *to)
{
    static const char *const format[] = { "png", "svg", "pdf", "term", "csv" };
    out_text(to, "format = '");
    out_text(to, format[f->canvas.format]);
    out_text(to, "'; columns = ");
    out_integer(to, f->canvas.columns);
    out_text(to, "; lines = ");
    out_integer(to, f->canvas.lines);
    out_text(to, "; ansi = ");
    out_integer(to, f->canvas.colour);
    out_char(to, '\n');
    put_paper(&f->canvas, to);
    for (size_t i = 0; i < f->facts; i++)
        put_fact(f, &f->fact[i], to);
    for (size_t i = 0; i < f->tables; i++)
        put_block(f, f->table[i], to);
    out_text(to, "load '");
    out_text(to, script);
    out_text(to, "'\n");
}

/* ---- As CSV ---- */

static bool same_name(const char *list, size_t length, const char *name)
{
    return strlen(name) == length && !strncmp(list, name, length);
}

/* Where it is among the columns of the table; its width if it is none of them. */
static size_t column_of(const struct table *t, const char *name, size_t length)
{
    size_t i = 0;
    for (const char *at = t->columns; i < t->width; i++) {
        size_t n = strcspn(at, ",");
        if (n == length && !strncmp(at, name, n))
            return i;
        at += n + 1;
    }
    return i;
}

static void put_value(const struct table *t, const struct cell *row, const char *name,
                      size_t length, struct output *to)
{
    size_t column = column_of(t, name, length);
    if (column < t->width && row[column].text)
        out_csv(to, row[column].text);
    else if (column < t->width)
        out_double(to, row[column].number);
    for (size_t i = 0; i < t->labels && column == t->width; i++)
        if (same_name(name, length, t->label[i].column))
            out_csv(to, t->label[i].text);
}

/* What the table has of the documented columns, labels aside. */
static bool is_documented(const struct table *t, const char *columns)
{
    for (const char *at = columns; at; at = strchr(at, ',')) {
        at += at != columns;
        if (column_of(t, at, strcspn(at, ",")) < t->width)
            return true;
    }
    return false;
}

void figure_csv(struct figure *f, const char *columns, struct output *to)
{
    out_text(to, columns);
    out_char(to, '\n');
    for (size_t i = 0; i < f->tables; i++) {
        const struct table *t = f->table[i];
        for (size_t row = 0; is_documented(t, columns) && row < table_rows(t); row++) {
            for (const char *at = columns; at; at = strchr(at, ',')) {
                if (at != columns)
                    out_char(to, *at++);
                put_value(t, t->cell + row * t->width, at, strcspn(at, ","), to);
            }
            out_char(to, '\n');
        }
    }
}
