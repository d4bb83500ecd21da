/* merge.c - see merge.h. */
#include "sim/study/merge.h"

#include "sim/io/output.h"
#include "sim/base/memory.h"
#include "sim/study/point_file.h"
#include "sim/study/sweep_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LONG = 4096 };

struct part { const char *directory; struct sweep_about about; struct sweep_list *list; };
struct merge { struct part *part; size_t n; };

/* ---- The same sweep ---- */

static int same_text(const struct part *a, const struct part *b, const char *what, const char *x,
                     const char *y, struct error *err)
{
    if (!strcmp(x, y))
        return 0;
    return error_set(err, "%s: it has another %s than %s: %.64s instead of %.64s", b->directory,
                     what, a->directory, y, x);
}

static int same_inputs(const struct part *a, const struct part *b, struct error *err)
{
    for (size_t i = 0; i < a->about.n_inputs && i < b->about.n_inputs; i++) {
        const struct sweep_input *x = &a->about.input[i], *y = &b->about.input[i];
        if (strcmp(x->sha256, y->sha256) != 0)
            return error_set(
                err,
                "%s: its %s '%s' has other bytes than in %s: SHA-256 %.16s... instead of %.16s...",
                b->directory, y->kind, y->label ? y->label : "?", a->directory, y->sha256,
                x->sha256);
    }
    return 0;
}

static int same_points(const struct part *a, const struct part *b, struct error *err)
{
    const struct sweep_list *x = a->list, *y = b->list;
    if (x->n != y->n || strcmp(x->columns, y->columns) != 0)
        return error_set(err, "%s/points.csv: it has other points than %s/points.csv", b->directory,
                         a->directory);
    for (size_t i = 0; i < x->n; i++)
        if (strcmp(x->row[i].fields, y->row[i].fields) != 0 ||
            strcmp(x->row[i].key, y->row[i].key) != 0)
            return error_set(
                err, "%s/points.csv:%zu: point %u is defined otherwise than in %s/points.csv",
                b->directory, i + 2, y->row[i].number, a->directory);
    return 0;
}

static int same_sweep(const struct part *a, const struct part *b, struct error *err)
{
    if (same_text(a, b, "experiment", a->about.experiment, b->about.experiment, err) ||
        same_text(a, b, "experiment file", a->about.sha256, b->about.sha256, err) ||
        same_text(a, b, "version of gpuyard", a->about.version, b->about.version, err) ||
        same_text(a, b, "commit of gpuyard", a->about.commit, b->about.commit, err))
        return -1;
    return same_inputs(a, b, err) ? -1 : same_points(a, b, err);
}

static int read_parts(struct merge *m, const char *const *directory, size_t n, struct error *err)
{
    m->part = mem_new(n, sizeof *m->part);
    for (size_t i = 0; i < n; i++) {
        struct part *p = &m->part[m->n++];
        p->directory = directory[i];
        if (sweep_about_read(&p->about, directory[i], err) ||
            !(p->list = sweep_list_read(directory[i], err)) ||
            (i > 0 && same_sweep(&m->part[0], p, err)))
            return -1;
    }
    return 0;
}

static void free_parts(struct merge *m)
{
    for (size_t i = 0; i < m->n; i++) {
        sweep_about_free(&m->part[i].about);
        sweep_list_free(m->part[i].list);
    }
    free(m->part);
}

/* ---- Points ---- */

static int differ(const struct merge *m, const struct sweep_row *row, size_t a, size_t b,
                  const char *x, const char *y, struct error *err)
{
    while (*x && *y) {
        size_t n = strcspn(x, "\n"), k = strcspn(y, "\n");
        if (n != k || strncmp(x, y, n) != 0)
            break;
        x += n + (x[n] == '\n');
        y += k + (y[k] == '\n');
    }
    return error_set(err, "point %u (%s): two results: %s has '%.*s', %s has '%.*s'", row->number,
                     row->name, m->part[a].directory, (int)strcspn(x, "\n"), x,
                     m->part[b].directory, (int)strcspn(y, "\n"), y);
}

/* *best: the shard that has the result that counts; m->n: no shard has one. */
static int find_result(const struct merge *m, const struct sweep_row *row, size_t *best,
                       struct error *err)
{
    struct point_result found = { .failed = true };
    int result = 0;
    *best = m->n;
    for (size_t i = 0; i < m->n && result == 0; i++) {
        struct point_result r;
        char points[PATH_LONG];
        snprintf(points, sizeof points, "%s/points", m->part[i].directory);
        int there = point_file_read(points, row->key, &r, err);
        if (there != 0) {
            result = there < 0 ? -1 : 0;
            continue;
        }
        if (!r.failed && !found.failed && strcmp(r.rows, found.rows) != 0)
            result = differ(m, row, *best, i, found.rows, r.rows, err);
        bool better = *best == m->n || (found.failed && !r.failed);
        struct point_result worse = better ? found : r;
        if (better) {
            found = r;
            *best = i;
        }
        point_result_free(&worse);
    }
    point_result_free(&found);
    return result;
}

/* The likely cause: a shard that was not given, or one that is not finished. */
static void hint(const struct merge *m, size_t row, char to[128])
{
    size_t of = m->part[0].about.shard.of, first, end, index = 0;
    to[0] = '\0';
    for (size_t i = 0; i < m->n; i++)
        if (m->part[i].about.shard.of != of)
            return;
    do
        shard_bounds((struct shard){ index++, of }, m->part[0].list->n, &first, &end);
    while (row >= end);
    index--;
    for (size_t i = 0; i < m->n; i++)
        if (m->part[i].about.shard.index == index) {
            snprintf(to, 128, ": shard %zu/%zu is not finished", index, of);
            return;
        }
    snprintf(to, 128, ": shard %zu/%zu is missing", index, of);
}

static int find_all(const struct merge *m, size_t *best, struct error *err)
{
    const struct sweep_list *l = m->part[0].list;
    size_t missing = 0, first = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (find_result(m, &l->row[i], &best[i], err))
            return -1;
        if (best[i] == m->n && missing++ == 0)
            first = i;
    }
    if (!missing)
        return 0;
    char why[128];
    hint(m, first, why);
    return error_set(err, "%zu of %zu points have no result, the first is point %u (%s)%s", missing,
                     l->n, l->row[first].number, l->row[first].name, why);
}

/* ---- Output ---- */

static int copy_point(const char *from, const char *to, const char *key, struct error *err)
{
    char path[PATH_LONG], bytes[16384];
    snprintf(path, sizeof path, "%s/points/%s", from, key);
    struct input *in = input_open(path, err);
    snprintf(path, sizeof path, "%s/points", to);
    struct output *o = in ? output_open(path, key, err) : NULL;
    long n = o ? 1 : -1;
    while (n > 0 && (n = input_read(in, bytes, sizeof bytes, err)) > 0)
        out_bytes(o, bytes, (size_t)n);
    input_close(in);
    if (n == 0)
        return output_commit(o, err);
    output_discard(o);
    return -1;
}

static int write_all(const struct merge *m, const size_t *best, const char *to,
                     struct merged *count, struct error *err)
{
    const struct sweep_list *l = m->part[0].list;
    struct sweep_about about = m->part[0].about;
    char points[PATH_LONG];
    about.shard = (struct shard){ 0, 1 };
    snprintf(points, sizeof points, "%s/points", to);
    if (directory_make(points, NULL, err))
        return -1;
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(m->part[best[i]].directory, to) != 0 &&
            copy_point(m->part[best[i]].directory, to, l->row[i].key, err))
            return -1;
    count->points = l->n;
    if (sweep_about_write(&about, to, err) || sweep_list_write(l, to, err))
        return -1;
    return sweep_tables_write(l, 0, l->n, to, &count->failed, err);
}

/* Results of another experiment are not overwritten. */
static int is_free(const struct merge *m, const char *to, struct error *err)
{
    struct sweep_about there;
    if (!sweep_is_there(to))
        return 0;
    if (sweep_about_read(&there, to, err))
        return -1;
    bool same = !strcmp(there.sha256, m->part[0].about.sha256);
    sweep_about_free(&there);
    return same
               ? 0
               : error_set(err, "%s: has results of another experiment: want another --output", to);
}

int merge_shards(const char *const *directory, size_t n, const char *to, bool force,
                 struct merged *count, struct error *err)
{
    struct merge m = { .n = 0 };
    size_t *best = NULL;
    *count = (struct merged){ 0, 0 };
    int result = read_parts(&m, directory, n, err);
    if (result == 0)
        result = sweep_check(to, force, err);
    if (result == 0 && !force)
        result = is_free(&m, to, err);
    if (result == 0) {
        best = mem_new(m.part[0].list->n, sizeof *best);
        result = find_all(&m, best, err);
    }
    if (result == 0)
        result = write_all(&m, best, to, count, err);
    free(best);
    free_parts(&m);
    return result;
}

char *merge_name(const char *directory, struct error *err)
{
    struct sweep_about about;
    if (sweep_about_read(&about, directory, err))
        return NULL;
    char *name = mem_text(about.experiment, strlen(about.experiment));
    sweep_about_free(&about);
    return name;
}
