/* sweep_list.c - points.csv. See sweep_files.h. */
#include "sim/study/sweep_files.h"

#include "sim/base/memory.h"
#include "sim/io/output.h"
#include "sim/base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LONG = 4096, KEY_LENGTH = 64 };
static const char file_name[] = "points.csv";

/* ---- Made of a grid ---- */

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

/* The seed varies slowest, but is written last. p NULL: the header. */
static const char *fields_of(struct arena *memory, const struct experiment *e, const struct point *p)
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

struct sweep_list *sweep_list_new(const struct experiment *e, const struct grid *g, char *const *key)
{
    struct sweep_list *l = new_list();
    l->columns = fields_of(l->memory, e, NULL);
    l->row = mem_new(g->n, sizeof *l->row);
    l->n = g->n;
    for (size_t i = 0; i < g->n; i++) {
        const struct point *p = &g->point[i];
        l->row[i] = (struct sweep_row){ p->number, arena_text(l->memory, p->name, strlen(p->name)),
                                        key ? arena_text(l->memory, key[i], KEY_LENGTH) : "", fields_of(l->memory, e, p) };
    }
    return l;
}

/* ---- The file ---- */

int sweep_list_write(const struct sweep_list *l, const char *directory, struct error *err)
{
    struct output *o = output_open(directory, file_name, err);
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
    if (!comma || comma == last || !is_key(last + 1) || !integer_parse(line, (size_t)(comma - line), &number) || number < 0 ||
        number >= POINTS_MAX)
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
    return good && l->n ? 0 : error_set(err, "%s:%zu: want a point of a sweep with its key", path, at + 1);
}

struct sweep_list *sweep_list_read(const char *directory, struct error *err)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/%s", directory, file_name);
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
    int n = snprintf(path, sizeof path, "%s/%s", directory, file_name);
    return n < PATH_LONG && access(path, F_OK) == 0;
}
