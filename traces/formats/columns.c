/* columns.c - see columns.h. */
#include "traces/formats/columns.h"

#include "sim/base/suggest.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_needed(const char *name)
{
    return name[strlen(name) - 1] != '?';
}

static bool is_named(const char *name, const char *text, size_t length)
{
    size_t own = strlen(name) - !is_needed(name);
    return own == length && memcmp(name, text, length) == 0;
}

/* ---- recognising ---- */

/* The next cell of the first line; a header has no quotes. */
static bool next_name(const char **at, const char *end, const char **name, size_t *length)
{
    if (*at >= end)
        return false;
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    *name = *at;
    *length = (size_t)((comma ? comma : end) - *at);
    *at = comma ? comma + 1 : end;
    return true;
}

static const char *end_of_line(const char *head, size_t length)
{
    const char *end = memchr(head, '\n', length);
    end = end ? end : head + length;
    return end > head && end[-1] == '\r' ? end - 1 : end;
}

int columns_recognise(const char *const *names, const char *head, size_t length)
{
    if (length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        head += 3;
        length -= 3;
    }
    size_t n = 0, needed = 0, found = 0, in_place = 0, cells = 0, name_length;
    for (; names[n]; n++)
        needed += is_needed(names[n]);
    const char *name, *end = end_of_line(head, length);
    for (; next_name(&head, end, &name, &name_length); cells++)
        for (size_t k = 0; k < n; k++)
            if (is_named(names[k], name, name_length)) {
                found += is_needed(names[k]);
                in_place += k == cells;
            }
    return in_place == n && cells == n ? 2 : found == needed;
}

static bool has_column(const char *name, const char *head, const char *end)
{
    const char *cell;
    for (size_t length; next_name(&head, end, &cell, &length);)
        if (is_named(name, cell, length))
            return true;
    return false;
}

/* What is typed is the cell, what is known the missing name. */
static void find_near(struct columns_match *to, const char *head, const char *end)
{
    const char *cell;
    for (size_t length; next_name(&head, end, &cell, &length);) {
        char text[sizeof to->near];
        snprintf(text, sizeof text, "%.*s", (int)length, cell);
        const char *const one[] = { to->missing, NULL };
        if (suggest(text, one)) {
            memcpy(to->near, text, sizeof text);
            return;
        }
    }
}

void columns_compare(const char *const *names, const char *head, size_t length,
                     struct columns_match *to)
{
    const char *end = end_of_line(head, length);
    *to = (struct columns_match){ .missing = NULL };
    for (; *names; names++) {
        if (!is_needed(*names))
            continue;
        bool there = has_column(*names, head, end);
        to->needed++;
        to->found += there;
        to->missing = there || to->missing ? to->missing : *names;
    }
    if (to->missing)
        find_near(to, head, end);
}

/* ---- reading ---- */

struct reading {
    const char *const *names;
    columns_job *job;
    struct workload *w;
    struct columns columns;
    const struct bare_table *bare;
    const char *const *layout; /* of the last bare row */
    size_t layout_columns;
};

int columns_find(const char *const *names, const struct row *header, size_t at[COLUMNS_MAX],
                 struct error *err)
{
    for (size_t k = 0; names[k]; k++) {
        assert(k < COLUMNS_MAX);
        at[k] = TABLE_NO_COLUMN;
        for (size_t i = 0; i < header->n_columns; i++)
            if (is_named(names[k], header->column[i], strlen(header->column[i])))
                at[k] = i;
        if (at[k] == TABLE_NO_COLUMN && is_needed(names[k]))
            return error_set(err, "%s:%zu: want a column '%s'", header->file, header->line,
                             names[k]);
    }
    return 0;
}

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct reading *r = self;
    return columns_find(r->names, header, r->columns.at, err);
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    struct job_row job = job_row_default;
    bool skipped = false;
    r->columns.row = row;
    r->columns.err = err;
    r->columns.skipped = &skipped;
    r->job(&r->columns, &job);
    if (err->text[0])
        return -1;
    if (skipped)
        r->w->n_skipped++;
    return skipped ? 0 : workload_add(r->w, &job, row->file, row->line, err);
}

int columns_read(const char *const *names, columns_job *job, struct input *in, struct workload *w,
                 struct error *err)
{
    struct reading r = {
        .names = names, .job = job, .w = w, .columns = { .sizes_only = w->sizes_only }
    };
    static const struct table_handler handler = { .on_header = on_header, .on_row = on_row };
    workload_add_ahead(w);
    return table_read(in, (struct table_style){ .header = true }, &handler, &r, err);
}

/* ---- without a header ---- */

static size_t count(const char *const *names)
{
    size_t n = 0;
    while (names[n])
        n++;
    return n;
}

static int find_layout(struct reading *r, const struct row *row, struct error *err)
{
    char want[64] = "";
    size_t n = 0;
    r->layout = NULL;
    for (const char *const *const *l = r->bare->layouts; *l && !r->layout; l++) {
        r->layout_columns = count(*l);
        if (r->layout_columns == row->n)
            r->layout = *l;
        if (n < sizeof want)
            n += (size_t)snprintf(want + n, sizeof want - n, "%s%zu", n ? " or " : "",
                                  r->layout_columns);
    }
    if (!r->layout)
        return error_set(err, "%s:%zu: want %s cells, got %zu", row->file, row->line, want, row->n);
    return on_header(
        r,
        &(struct row){
            .file = row->file, .line = row->line, .column = r->layout, .n_columns = row->n },
        err);
}

/* A header line is allowed. */
static bool is_header(const struct row *row, const char *const *layout)
{
    size_t i = 0;
    while (i < row->n && strcmp(row->cell[i].text, layout[i]) == 0)
        i++;
    return i == row->n;
}

static int on_bare_row(void *self, const struct row *given, struct error *err)
{
    struct reading *r = self;
    struct row row = *given;
    bool first = !r->layout;
    if ((first || r->layout_columns != row.n) && find_layout(r, &row, err) != 0)
        return -1;
    if (first && is_header(&row, r->layout))
        return 0;
    row.column = r->layout;
    row.n_columns = row.n;
    return on_row(r, &row, err);
}

int columns_read_bare(const struct bare_table *t, const void *self, struct input *in,
                      struct workload *w, struct error *err)
{
    struct reading r = {
        .names = t->names, .job = t->job, .w = w, .bare = t, .columns.self = self
    };
    static const struct table_handler handler = { .on_row = on_bare_row };
    workload_add_ahead(w);
    return table_read(in, t->style, &handler, &r, err);
}

/* ---- cells ---- */

void take_text(const struct columns *c, unsigned column, const char **text, size_t *length)
{
    size_t i = c->at[column];
    if (i == TABLE_NO_COLUMN)
        return;
    *text = c->row->cell[i].text;
    *length = c->row->cell[i].length;
}

void take_id(const struct columns *c, unsigned column, struct job_row *job)
{
    if (cell_required(c->row, c->at[column], c->err) == 0)
        take_text(c, column, &job->job_id, &job->job_id_length);
}

void take_time(const struct columns *c, unsigned column, int64_t *ns)
{
    if (cell_required(c->row, c->at[column], c->err) == 0)
        (void)cell_time(c->row, c->at[column], 0, ns, c->err);
}

void take_gpus(const struct columns *c, unsigned column, struct job_row *job)
{
    int64_t milli;
    if (cell_gpus(c->row, c->at[column], &milli, c->err) == 0)
        job_gpus(job, milli);
}

void take_cpus(const struct columns *c, unsigned column, int64_t *milli)
{
    if (c->at[column] != TABLE_NO_COLUMN)
        (void)cell_decimal(c->row, c->at[column], 1000, 0, INT64_C(1000) * CPUS_MAX, milli, c->err);
}

bool has_value(const struct columns *c, unsigned column)
{
    return c->at[column] != TABLE_NO_COLUMN && c->row->cell[c->at[column]].length;
}

void skip_job(const struct columns *c)
{
    *c->skipped = true;
}

int cell_gpus(const struct row *r, size_t i, int64_t *milli, struct error *err)
{
    if (cell_required(r, i, err) != 0)
        return -1;
    const struct cell *c = &r->cell[i];
    int64_t value, micro; /* a value below a thousandth is an error, not 0 */
    if (!decimal_parse(c->text, c->length, 1000, &value) || value < 0 ||
        value > INT64_C(1000) * GPUS_MAX || (value > 1000 && value % 1000))
        return cell_error(r, i, "a whole number up to 1000000, or a fraction below one", err);
    if (value == 0 && decimal_parse(c->text, c->length, 1000000, &micro) && micro)
        return cell_error(r, i, "0 or at least 0.001", err);
    *milli = value;
    return 0;
}

size_t word_index(const char *const *words, const char *text)
{
    size_t i = 0;
    while (words[i] && strcasecmp(words[i], text) != 0)
        i++;
    return i;
}

int cell_word(const struct row *row, size_t i, const char *const *words, size_t *index,
              struct error *err)
{
    char want[128] = "one of";
    size_t n = strlen(want), k = word_index(words, row->cell[i].text);
    if (words[k]) {
        *index = k;
        return 0;
    }
    for (k = 0; words[k] && n < sizeof want; k++)
        n += (size_t)snprintf(want + n, sizeof want - n, "%s %s", k ? "," : "", words[k]);
    return cell_error(row, i, want, err);
}

void job_gpus(struct job_row *job, int64_t milli)
{
    bool share = milli > 0 && milli < MILLI_ALL;
    job->gpus = share ? 1 : (uint32_t)(milli / MILLI_ALL);
    job->gpu_milli = share ? (uint32_t)milli : MILLI_ALL;
}

/* ---- cells of Slurm's accounting ---- */

#define NODES_MAX 1000000

void take_slurm_state(const struct columns *c, unsigned column, struct job_row *job)
{
    static const char *const states[] = { "COMPLETED", "CANCELLED", "FAILED",
                                          "TIMEOUT",   "NODE_FAIL", NULL };
    static const enum job_fate fates[] = { FATE_COMPLETED, FATE_CANCELLED, FATE_FAILED, FATE_FAILED,
                                           FATE_FAILED };
    size_t state;
    if (cell_word(c->row, c->at[column], states, &state, c->err) == 0)
        job->fate = fates[state];
}

void take_slurm_size(const struct columns *c, unsigned gpu_num, unsigned cpu_num, unsigned node_num,
                     struct job_row *job)
{
    int64_t nodes = 1; /* pandas writes 8.0 where a column has gaps */
    take_gpus(c, gpu_num, job);
    take_cpus(c, cpu_num, &job->cpu_milli);
    if (c->at[node_num] == TABLE_NO_COLUMN ||
        cell_decimal(c->row, c->at[node_num], 1, 1, NODES_MAX, &nodes, c->err) != 0 || job->gpus ||
        nodes == 1)
        return;
    job->tasks = (uint32_t)nodes;
    job->cpu_milli = (job->cpu_milli + nodes - 1) / nodes;
}
