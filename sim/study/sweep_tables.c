/* sweep_tables.c - sweep.csv and failures.csv, made of the results of points. See sweep_files.h. */
#include "sim/study/point_file.h"
#include "sim/study/sweep_files.h"

#include "sim/io/output.h"

#include <stdio.h>
#include <string.h>

enum { PATH_LONG = 4096, TABLE_SWEEP = 0, TABLE_FAILURES, TABLES };
static const struct { const char *name, *columns; } table[TABLES] = {
    [TABLE_SWEEP] = { "sweep.csv", "metric,scope,value,unit,n" },
    [TABLE_FAILURES] = { "failures.csv", "reason" },
};

static void put_row(struct output *o, const struct sweep_row *row, const char *rest, size_t length)
{
    out_text(o, row->fields);
    out_char(o, ',');
    out_bytes(o, rest, length);
    out_char(o, '\n');
}

static void put_result(struct output *const *file, const struct sweep_row *row, const struct point_result *r)
{
    if (r->failed) {
        out_text(file[TABLE_FAILURES], row->fields);
        out_char(file[TABLE_FAILURES], ',');
        out_csv(file[TABLE_FAILURES], r->why);
        out_char(file[TABLE_FAILURES], '\n');
        return;
    }
    for (const char *line = strchr(r->rows, '\n') + 1; *line;) {    /* behind its header */
        size_t length = strcspn(line, "\n");
        put_row(file[TABLE_SWEEP], row, line, length);
        line += length + (line[length] == '\n');
    }
}

static int put_all(struct output *const *file, const struct sweep_list *l, size_t first, size_t end, const char *directory,
                   size_t *failed, struct error *err)
{
    char points[PATH_LONG];
    snprintf(points, sizeof points, "%s/points", directory);
    for (size_t i = first; i < end; i++) {
        struct point_result r;
        int there = point_file_read(points, l->row[i].key, &r, err);
        if (there != 0)
            return there < 0 ? -1 : error_set(err, "%s: point %u (%s) has no result", points, l->row[i].number, l->row[i].name);
        put_result(file, &l->row[i], &r);
        *failed += r.failed;
        point_result_free(&r);
    }
    return 0;
}

int sweep_tables_write(const struct sweep_list *l, size_t first, size_t end, const char *directory, size_t *failed, struct error *err)
{
    struct output *file[TABLES] = { NULL };
    int result = 0;
    *failed = 0;
    for (size_t t = 0; t < TABLES && result == 0; t++) {
        file[t] = output_open(directory, table[t].name, err);
        if (!file[t])
            result = -1;
        else {
            out_text(file[t], l->columns);
            out_char(file[t], ',');
            out_text(file[t], table[t].columns);
            out_char(file[t], '\n');
        }
    }
    if (result == 0)
        result = put_all(file, l, first, end, directory, failed, err);
    for (size_t t = 0; t < TABLES && result == 0; t++)
        result = output_settle(file[t], err);
    if (result == 0)
        return output_commit_all(file, TABLES, err);
    for (size_t t = 0; t < TABLES; t++)
        output_discard(file[t]);
    return -1;
}
