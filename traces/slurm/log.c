/* log.c - reading a log whole: see log.h. */
#include "traces/slurm/log.h"

#include "sim/base/memory.h"
#include "traces/formats/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct slurm_log *log;
    struct log_columns columns;
    struct arena *header;
};

static int take_header(struct reading *r, const struct row *row, struct error *err)
{
    const char **name = arena_alloc(r->header, row->n * sizeof *name);
    for (size_t i = 0; i < row->n; i++)
        name[i] = arena_text(r->header, row->cell[i].text, row->cell[i].length);
    r->columns.name = name;
    if (log_header(row, &r->columns, err) != 0)
        return -1;
    for (size_t k = 0; k < C_READ; k++)
        r->log->has[k] = r->columns.at[k] != TABLE_NO_COLUMN;
    return 0;
}

static int on_row(void *self, const struct row *given, struct error *err)
{
    struct reading *r = self;
    if (!r->columns.name)
        return take_header(r, given, err);
    struct row row = *given;
    row.column = r->columns.name;
    row.n_columns = r->columns.n;
    return log_row_add(r->log, &r->columns, &row, err);
}

/* Names of clusters that are in the file, if it has several. */
static int one_cluster(const struct slurm_log *log, struct error *err)
{
    char list[256] = "";
    size_t n = 0;
    uint32_t first = INTERN_NONE;
    struct intern *seen = intern_new();
    for (size_t i = 0; i < log->n_rows; i++) {
        if (log->row[i].cluster == INTERN_NONE)
            continue;
        const char *name = intern_text(log->names, log->row[i].cluster);
        uint32_t before = intern_count(seen);
        if (intern_add(seen, name, strlen(name)) == before && n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%.60s", n ? ", " : "", name);
        first = log->row[i].cluster;
    }
    uint32_t clusters = intern_count(seen);
    intern_free(seen);
    if (clusters > 1)
        return error_set(err, "%s: rows of several clusters: want cluster=NAME with one of %s",
                         log->file, list);
    if (log->how.cluster && first == INTERN_NONE && log->n.other_cluster)
        return error_set(err, "%s: no row of cluster '%.60s'", log->file, log->how.cluster);
    return 0;
}

static int read_rows(struct slurm_log *log, struct input *in, struct error *err)
{
    static const struct table_handler handler = { .on_row = on_row };
    size_t length;
    const char *head = input_peek(in, &length, err);
    if (!head)
        return -1;
    size_t mark = length >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
    char separator = log_separator(head + mark, length - mark);
    if (separator == ' ')
        return error_set(err, "%s:1: columns padded with blanks are cut off: run sacct with -P",
                         log->file);
    if (!separator)
        separator = '|';
    struct reading r = { .log = log, .header = arena_new() };
    int result = table_read(in, (struct table_style){ .separator = separator }, &handler, &r, err);
    if (result == 0 && !r.columns.name)
        result = error_set(err, "%s:1: want a header, got an empty file", log->file);
    arena_free(r.header);
    return result;
}

struct slurm_log *slurm_log_read(struct input *in, const struct slurm_log_options *how,
                                 struct error *err)
{
    struct slurm_log *log = mem_new(1, sizeof *log);
    log->file = input_name(in);
    log->how = *how;
    log->names = intern_new();
    log->memory = arena_new();
    log->latest_s = NO_TIME;
    if (read_rows(log, in, err) == 0 && one_cluster(log, err) == 0) {
        log_join(log);
        return log;
    }
    slurm_log_free(log);
    return NULL;
}

void slurm_log_free(struct slurm_log *log)
{
    if (!log)
        return;
    intern_free(log->names);
    arena_free(log->memory);
    free(log->row);
    free(log->run);
    free(log->job);
    free(log);
}
