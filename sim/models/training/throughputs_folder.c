/* throughputs_folder.c - throughput tables that are folders of CSV files. They do not tell the type of their GPUs.
 *
 * ElasticFlow (pkusys/ElasticFlow:throughputs_A100), a file for each model, steps of the global batch per second:
 *     global_batch_size,1,2,4,...          numbers of GPUs; 0: it does not run there
 *     64,6.03,8.64,...
 * Sia and Pollux (siasosp23/artifacts, petuum/adaptdl), a folder for each model, with seconds of a step:
 *     placements.csv    placement,local_bsz,step_time,...              "112": one, one and two GPUs on three nodes
 *     scalability.csv   num_nodes,num_replicas,local_bsz,step_time,...
 * A step of n replicas counts as n, as in Gavel's tables. Unconsolidated is what is on more nodes than it takes, the largest node
 * of any row being the size of one; of several such rows those on the fewest nodes count, then the first.
 * A model is called "NAME (batch size N)", N as in the file. */
#include "sim/io/input.h"
#include "sim/base/memory.h"
#include "sim/io/table_in.h"
#include "sim/models/training/throughputs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GPUS_MOST  1000000
#define BATCH_MOST INT64_C(1000000000)
#define MICRO      INT64_C(1000000)
#define RATE_MOST  INT64_C(1000000000)

struct measured { uint32_t nodes, gpus, order; int64_t batch; double steps_per_s; };    /* one row of Sia's */
struct folder {
    struct throughputs *t;
    const char *gpu, *model;
    size_t at[4];                 /* columns */
    uint32_t gpus_of[256];        /* ElasticFlow: by column */
    struct measured *row;
    size_t n, capacity;
    uint32_t node_gpus;           /* of the largest node seen */
};

static int read_csv(const char *path, const struct table_handler *h, struct folder *f, struct error *err)
{
    struct input *in = input_open(path, err);
    if (!in)
        return -1;
    int result = table_read(in, (struct table_style){ .header = true }, h, f, err);
    input_close(in);
    return result;
}

static void model_name(char *to, size_t size, const char *model, int64_t batch)
{
    snprintf(to, size, "%.100s (batch size %lld)", model, (long long)batch);
}

/* ---- ElasticFlow ---- */

static int elastic_header(void *self, const struct row *header, struct error *err)
{
    struct folder *f = self;
    if (header->n < 2 || header->n > sizeof f->gpus_of / sizeof *f->gpus_of || strcmp(header->cell[0].text, "global_batch_size"))
        return error_set(err, "%s:%zu: want columns global_batch_size and numbers of GPUs", header->file, header->line);
    for (size_t i = 1; i < header->n; i++) {
        int64_t gpus = 0;
        if (cell_required(header, i, err) || cell_integer(header, i, 1, GPUS_MOST, &gpus, err))
            return -1;
        f->gpus_of[i] = (uint32_t)gpus;
    }
    return 0;
}

static int elastic_row(void *self, const struct row *r, struct error *err)
{
    struct folder *f = self;
    char name[160];
    int64_t batch = 0;
    if (cell_required(r, 0, err) || cell_integer(r, 0, 1, BATCH_MOST, &batch, err))
        return -1;
    model_name(name, sizeof name, f->model, batch);
    for (size_t i = 1; i < r->n; i++) {
        int64_t micro = 0;
        if (r->cell[i].length == 0)
            continue;
        if (cell_decimal(r, i, MICRO, 0, RATE_MOST * MICRO, &micro, err))
            return -1;
        throughputs_add(f->t, f->gpu, name, f->gpus_of[i], micro ? strtod(r->cell[i].text, NULL) : 0);
    }
    return 0;
}
static const struct table_handler elastic = { .on_header = elastic_header, .on_row = elastic_row };

/* ---- Sia ---- */

static int columns_named(struct folder *f, const struct row *header, const char *const *name, struct error *err)
{
    for (size_t i = 0; name[i]; i++) {
        f->at[i] = table_column(header, name[i]);
        if (f->at[i] == TABLE_NO_COLUMN)
            return error_set(err, "%s:%zu: want a column %s", header->file, header->line, name[i]);
    }
    return 0;
}

/* batch and step_time stand in columns at[k] and at[k + 1]. */
static int add_row(struct folder *f, const struct row *r, size_t k, struct measured m, struct error *err)
{
    int64_t micro = 0;
    if (cell_required(r, f->at[k], err) || cell_integer(r, f->at[k], 1, BATCH_MOST, &m.batch, err) ||
        cell_required(r, f->at[k + 1], err) || cell_decimal(r, f->at[k + 1], MICRO, 1, RATE_MOST * MICRO, &micro, err))
        return -1;
    m.steps_per_s = m.gpus / strtod(r->cell[f->at[k + 1]].text, NULL);
    m.order = (uint32_t)f->n;
    mem_grow(&f->row, &f->capacity, f->n, sizeof *f->row);
    f->row[f->n++] = m;
    return 0;
}

static int placements_header(void *self, const struct row *header, struct error *err)
{
    static const char *const name[] = { "placement", "local_bsz", "step_time", NULL };
    return columns_named(self, header, name, err);
}

static int placements_row(void *self, const struct row *r, struct error *err)
{
    struct folder *f = self;
    struct measured m = { 0 };
    for (const char *digit = r->cell[f->at[0]].text; *digit; digit++) {
        if (*digit < '1' || *digit > '9')
            return cell_error(r, f->at[0], "GPUs of each node, a digit from 1 to 9 each", err);
        uint32_t gpus = (uint32_t)(*digit - '0');
        m.nodes++;
        m.gpus += gpus;
        f->node_gpus = gpus > f->node_gpus ? gpus : f->node_gpus;
    }
    return cell_required(r, f->at[0], err) ? -1 : add_row(f, r, 1, m, err);
}

static int scalability_header(void *self, const struct row *header, struct error *err)
{
    static const char *const name[] = { "num_nodes", "num_replicas", "local_bsz", "step_time", NULL };
    return columns_named(self, header, name, err);
}

static int scalability_row(void *self, const struct row *r, struct error *err)
{
    struct folder *f = self;
    int64_t nodes = 0, gpus = 0;
    if (cell_required(r, f->at[0], err) || cell_integer(r, f->at[0], 1, GPUS_MOST, &nodes, err) ||
        cell_required(r, f->at[1], err) || cell_integer(r, f->at[1], 1, GPUS_MOST, &gpus, err))
        return -1;
    return add_row(f, r, 2, (struct measured){ .nodes = (uint32_t)nodes, .gpus = (uint32_t)gpus }, err);
}
static const struct table_handler placements = { .on_header = placements_header, .on_row = placements_row };
static const struct table_handler scalability = { .on_header = scalability_header, .on_row = scalability_row };

static int by_nodes(const void *left, const void *right)
{
    const struct measured *a = left, *b = right;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int read_sia(struct folder *f, const char *path, struct error *err)
{
    char file[1200], name[160], far[160];
    f->n = 0;
    f->node_gpus = 1;
    snprintf(file, sizeof file, "%s/placements.csv", path);
    if (read_csv(file, &placements, f, err))
        return -1;
    snprintf(file, sizeof file, "%s/scalability.csv", path);
    struct stat there;
    if (stat(file, &there) == 0 && read_csv(file, &scalability, f, err))
        return -1;
    if (f->n)
        qsort(f->row, f->n, sizeof *f->row, by_nodes);
    snprintf(far, sizeof far, "%.100s_unconsolidated", f->gpu);
    for (size_t i = 0; i < f->n; i++) {
        const struct measured *m = &f->row[i];
        model_name(name, sizeof name, f->model, m->batch);
        bool consolidated = m->nodes <= (m->gpus + f->node_gpus - 1) / f->node_gpus;
        throughputs_add(f->t, consolidated ? f->gpu : far, name, m->gpus, m->steps_per_s);
    }
    return 0;
}

/* ---- A folder ---- */

static int read_entry(struct folder *f, const char *path, const char *name, struct error *err)
{
    char whole[1100], model[256], inside[1200];
    struct stat is;
    size_t length = strlen(name);
    snprintf(whole, sizeof whole, "%.800s/%.255s", path, name);
    snprintf(inside, sizeof inside, "%s/placements.csv", whole);
    bool csv = length > 4 && strcmp(name + length - 4, ".csv") == 0;
    snprintf(model, sizeof model, "%.*s", (int)(csv ? length - 4 : length), name);
    f->model = model;
    if (csv)
        return read_csv(whole, &elastic, f, err);
    return stat(inside, &is) == 0 ? read_sia(f, whole, err) : 0;
}

static int not_hidden(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static struct throughputs *read_folder(const char *path, const char *gpu, struct error *err)
{
    struct dirent **entry = NULL;
    char type[128];
    int n = scandir(path, &entry, not_hidden, alphasort), result = 0;
    size_t length = strcspn(gpu, "-");
    snprintf(type, sizeof type, "%.*s", (int)(length < 100 ? length : 100), gpu);
    for (char *at = type; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
    struct folder f = { .t = throughputs_new(path), .gpu = type };
    for (int i = 0; i < n; i++) {
        if (result == 0)
            result = read_entry(&f, path, entry[i]->d_name, err);
        free(entry[i]);
    }
    free(entry);
    free(f.row);
    throughputs_added(f.t);
    if (result == 0)
        return f.t;
    throughputs_free(f.t);
    return NULL;
}

struct throughputs *throughputs_read_any(const char *path, const char *gpu, struct error *err)
{
    struct stat is;
    if (stat(path, &is) != 0 || !S_ISDIR(is.st_mode))
        return throughputs_read(path, err);
    if (gpu)
        return read_folder(path, gpu, err);
    error_set(err, "%s: a folder of throughputs does not tell of which GPUs: want 'table_gpu'", path);
    return NULL;
}
