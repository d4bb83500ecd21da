/* sweep_files.c - see sweep_files.h. */
#include "sim/study/sweep_files.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/io/json_file.h"
#include "sim/io/output.h"
#include "sim/io/provenance.h"
#include "sim/study/point_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* ==== points.csv ==== */

enum { PATH_LONG = 4096, KEY_LENGTH = 64 };
static const char points_csv[] = "points.csv";

/* ---- From a grid ---- */

static void put_csv(FILE *f, const char *text)
{
    putc(',', f);
    if (!strpbrk(text, ",\"")) {
        fputs(text, f);
        return;
    }
    putc('"', f);
    for (; *text; text++)
        fprintf(f, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', f);
}

/* The seed is the first axis, but the last column. p NULL: the header. */
static const char *fields_of(struct arena *memory, const struct experiment *e,
                             const struct point *p)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    if (p)
        fprintf(f, "%u,%s", p->number, p->name);
    else
        fputs("point,name", f);
    for (size_t i = 1; i <= e->n_axes; i++)
        put_csv(f, p ? point_label(e, p, i % e->n_axes) : e->axis[i % e->n_axes].name);
    mem_stream_end(f, &text);
    const char *own = arena_text(memory, text, strlen(text));
    free(text);
    return own;
}

static struct sweep_list *new_list(void)
{
    struct sweep_list *l = mem_new(1, sizeof *l);
    l->memory = arena_new();
    return l;
}

struct sweep_list *sweep_list_new(const struct experiment *e, const struct grid *g,
                                  char *const *key)
{
    struct sweep_list *l = new_list();
    l->columns = fields_of(l->memory, e, NULL);
    l->row = mem_new(g->n, sizeof *l->row);
    l->n = g->n;
    for (size_t i = 0; i < g->n; i++) {
        const struct point *p = &g->point[i];
        l->row[i] = (struct sweep_row){ p->number, arena_text(l->memory, p->name, strlen(p->name)),
                                        key ? arena_text(l->memory, key[i], KEY_LENGTH) : "",
                                        fields_of(l->memory, e, p) };
    }
    return l;
}

/* ---- The file ---- */

int sweep_list_write(const struct sweep_list *l, const char *directory, struct error *err)
{
    struct output *o = output_open(directory, points_csv, err);
    if (!o)
        return -1;
    out_text(o, l->columns);
    out_text(o, ",key\n");
    for (size_t i = 0; i < l->n; i++) {
        out_text(o, l->row[i].fields);
        out_char(o, ',');
        out_text(o, l->row[i].key);
        out_char(o, '\n');
    }
    return output_commit(o, err);
}

static bool is_key(const char *text)
{
    return strlen(text) == KEY_LENGTH && strspn(text, "0123456789abcdef") == KEY_LENGTH;
}

/* "NUMBER,NAME,...,KEY" */
static bool take_line(struct sweep_list *l, struct sweep_row *row, const char *line)
{
    const char *comma = strchr(line, ','), *last = strrchr(line, ',');
    int64_t number;
    if (!comma || comma == last || !is_key(last + 1) ||
        !integer_parse(line, (size_t)(comma - line), &number) || number < 0 || number >= POINTS_MAX)
        return false;
    row->number = (uint32_t)number;
    row->name = arena_text(l->memory, comma + 1, strcspn(comma + 1, ","));
    row->key = arena_text(l->memory, last + 1, KEY_LENGTH);
    row->fields = arena_text(l->memory, line, (size_t)(last - line));
    return l->n == 0 || row[-1].number < row->number;
}

static int read_lines(struct sweep_list *l, FILE *f, const char *path, struct error *err)
{
    char *line = NULL;
    size_t size = 0, capacity = 0, at = 0;
    bool good = true;
    for (ssize_t n; good && (n = getline(&line, &size, f)) > 0; at++) {
        char *last = strrchr(line, ',');
        good = line[n - 1] == '\n' && last;
        line[n - 1] = '\0';
        if (!good)
            break;
        if (at == 0) {
            good = !strcmp(last, ",key");
            l->columns = arena_text(l->memory, line, (size_t)(last - line));
            continue;
        }
        mem_grow(&l->row, &capacity, l->n, sizeof *l->row);
        good = take_line(l, &l->row[l->n], line);
        l->n += good;
    }
    free(line);
    return good && l->n
               ? 0
               : error_set(err, "%s:%zu: want a point of a sweep with its key", path, at + 1);
}

struct sweep_list *sweep_list_read(const char *directory, struct error *err)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/%s", directory, points_csv);
    FILE *f = fopen(path, "r");
    if (!f) {
        error_set(err, "%s: cannot read it: %s", path, strerror(errno));
        return NULL;
    }
    struct sweep_list *l = new_list();
    int result = read_lines(l, f, path, err);
    fclose(f);
    if (result == 0)
        return l;
    sweep_list_free(l);
    return NULL;
}

void sweep_list_free(struct sweep_list *l)
{
    if (!l)
        return;
    free(l->row);
    arena_free(l->memory);
    free(l);
}

void sweep_list_print(const struct sweep_list *l, size_t first, size_t end)
{
    puts(l->columns);
    for (size_t i = first; i < end; i++)
        puts(l->row[i].fields);
}

bool sweep_is_there(const char *directory)
{
    char path[PATH_LONG];
    int n = snprintf(path, sizeof path, "%s/%s", directory, points_csv);
    return n < PATH_LONG && access(path, F_OK) == 0;
}

/* ==== sweep.json ==== */

static const char sweep_json[] = "sweep.json";

static bool is_of_gpuyard(const char *directory)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/%s", directory, sweep_json);
    json_t *root = json_load_file(path, 0, NULL);
    const char *program = json_string_value(json_object_get(root, "program"));
    bool ours = program && !strcmp(program, "gpuyard");
    json_decref(root);
    return ours;
}

int sweep_check(const char *directory, bool force, struct error *err)
{
    const char *const name[] = { sweep_json, points_csv, "sweep.csv", "failures.csv" };
    bool foreign = !force && !is_of_gpuyard(directory);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[PATH_LONG];
        snprintf(path, sizeof path, "%s/%s", directory, name[i]);
        if (provenance_is_held(path))
            return error_set(err, "%s: it is an input of this command: want --output with another "
                             "directory", path);
        if (foreign && access(path, F_OK) == 0)
            return error_set(err, "%s: it is not of gpuyard, as the directory has no sweep.json "
                             "of a sweep: want --output with another directory, or --force to "
                             "replace it", path);
    }
    return 0;
}

static json_t *text_or_null(const char *text)
{
    json_t *value = text ? json_string(text) : NULL;
    return value ? value : json_null();
}

int sweep_about_write(const struct sweep_about *a, const char *directory, struct error *err)
{
    struct output *o = output_open(directory, sweep_json, err);
    if (!o)
        return -1;
    json_t *list = json_array();
    for (size_t i = 0; i < a->n_inputs; i++)
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:s}", "kind", a->input[i].kind,
                                              "name", text_or_null(a->input[i].label), "path",
                                              text_or_null(a->input[i].path), "sha256",
                                              a->input[i].sha256));
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:s, s:I, s:I, s:I, s:o}", "program", "gpuyard", "version",
        a->version, "commit", a->commit, "experiment", text_or_null(a->experiment), "path",
        text_or_null(a->path), "sha256", a->sha256, "shard", (json_int_t)a->shard.index, "shards",
        (json_int_t)a->shard.of, "points", (json_int_t)a->points, "inputs", list);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    out_text(o, text);
    out_char(o, '\n');
    free(text);
    json_decref(root);
    return output_commit(o, err);
}

static int take_inputs(struct sweep_about *to, const json_t *list)
{
    size_t i;
    const json_t *one;
    to->input = mem_new(json_array_size(list) + 1, sizeof *to->input);
    json_array_foreach(list, i, one)
    {
        struct sweep_input *x = &to->input[to->n_inputs++];
        *x = (struct sweep_input){ json_string_value(json_object_get(one, "kind")),
                                   json_string_value(json_object_get(one, "name")),
                                   json_string_value(json_object_get(one, "path")),
                                   json_string_value(json_object_get(one, "sha256")) };
        if (!x->kind || !x->sha256)
            return -1;
    }
    return 0;
}

int sweep_about_read(struct sweep_about *to, const char *directory, struct error *err)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/%s", directory, sweep_json);
    json_t *root = json_file_read(path, err);
    *to = (struct sweep_about){ .read = root };
    if (!root)
        return -1;
    const struct {
        const char *name, **to;
    } text[] = { { "experiment", &to->experiment },
                 { "sha256", &to->sha256 },
                 { "version", &to->version },
                 { "commit", &to->commit } };
    bool good = true;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        *text[i].to = json_string_value(json_object_get(root, text[i].name));
        good = good && *text[i].to;
    }
    to->path = json_string_value(json_object_get(root, "path"));
    to->points = (size_t)json_integer_value(json_object_get(root, "points"));
    to->shard = (struct shard){ (size_t)json_integer_value(json_object_get(root, "shard")),
                                (size_t)json_integer_value(json_object_get(root, "shards")) };
    if (good && to->shard.index < to->shard.of &&
        take_inputs(to, json_object_get(root, "inputs")) == 0)
        return 0;
    sweep_about_free(to);
    return error_set(err, "%s: incomplete description of a sweep", path);
}

void sweep_about_free(struct sweep_about *a)
{
    json_decref(a->read);
    free(a->input);
    *a = (struct sweep_about){ .read = NULL };
}

/* ==== sweep.csv and failures.csv ==== */

enum { TABLE_SWEEP = 0, TABLE_FAILURES, TABLES };
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

static void put_result(struct output *const *file, const struct sweep_row *row,
                       const struct point_result *r)
{
    if (r->failed) {
        out_text(file[TABLE_FAILURES], row->fields);
        out_char(file[TABLE_FAILURES], ',');
        out_csv(file[TABLE_FAILURES], r->why);
        out_char(file[TABLE_FAILURES], '\n');
        return;
    }
    for (const char *line = strchr(r->rows, '\n') + 1; *line;) {    /* after the header */
        size_t length = strcspn(line, "\n");
        put_row(file[TABLE_SWEEP], row, line, length);
        line += length + (line[length] == '\n');
    }
}

static int put_all(struct output *const *file, const struct sweep_list *l, size_t first, size_t end,
                   const char *directory, size_t *failed, struct error *err)
{
    char points[PATH_LONG];
    snprintf(points, sizeof points, "%s/points", directory);
    for (size_t i = first; i < end; i++) {
        struct point_result r;
        int there = point_file_read(points, l->row[i].key, &r, err);
        if (there != 0)
            return there < 0 ? -1
                             : error_set(err, "%s: point %u (%s) has no result", points,
                                         l->row[i].number, l->row[i].name);
        put_result(file, &l->row[i], &r);
        *failed += r.failed;
        point_result_free(&r);
    }
    return 0;
}

int sweep_tables_write(const struct sweep_list *l, size_t first, size_t end, const char *directory,
                       size_t *failed, struct error *err)
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
    return output_end_all(file, TABLES, result == 0, err);
}

/* ==== The lock: one sweep at a time in a directory ==== */

enum { TRIES = 20 };

/* Workers inherit the lock: after a sweep was killed its workers end too, which a new sweep
 * awaits for TRIES / 10 seconds. */
int sweep_lock(const char *directory, struct error *err)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/.lock", directory);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_set(err, "%s: cannot create: %s", path, strerror(errno));
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fd;            /* a file system without locks */
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    }
    close(fd);
    return error_set(err, "%s: another sweep is at work there", directory);
}
