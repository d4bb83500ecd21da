/* throughputs.c - see throughputs.h. */
#include "sim/models/training/throughputs.h"

#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/io/input.h"
#include "sim/io/json_file.h"
#include "sim/io/table_in.h"
#include "sim/models/training/training_models.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GPUS_MOST 1000000

struct rate {
    uint32_t gpu, model, n_gpus;
    double steps_per_s;
    size_t order;
};
struct throughputs {
    char *file;
    struct intern *gpus, *models;
    struct rate *rate; /* ascending */
    size_t n, capacity;
};

/* ---- its entries ---- */

bool throughputs_key(const char *key, size_t *model_length, int64_t *n_gpus)
{
    size_t length = strlen(key);
    const char *end = length > 2 ? key + length - 1 : key, *comma = strrchr(key, ',');
    if (strncmp(key, "('", 2) != 0 || *end != ')' || !comma || comma < key + 4 ||
        comma[-1] != '\'' || comma[1] != ' ')
        return false;
    *model_length = (size_t)(comma - 1 - (key + 2));
    return integer_parse(comma + 2, (size_t)(end - (comma + 2)), n_gpus) && *n_gpus >= 1 &&
           *n_gpus <= GPUS_MOST;
}

static void add(struct throughputs *t, uint32_t gpu, uint32_t model, uint32_t n_gpus,
                double steps_per_s)
{
    mem_grow(&t->rate, &t->capacity, t->n, sizeof *t->rate);
    t->rate[t->n] = (struct rate){ gpu, model, n_gpus, steps_per_s, t->n };
    t->n++;
}

static int add_entry(struct throughputs *t, uint32_t gpu, const char *key, const json_t *entry,
                     struct error *err)
{
    size_t model_length;
    int64_t n_gpus;
    const char *on = intern_text(t->gpus, gpu);
    if (!throughputs_key(key, &model_length, &n_gpus))
        return error_set(err, "%s: %s: want keys like ('MODEL', GPUS), got \"%.60s\"", t->file, on,
                         key);
    const json_t *alone = json_object_get(entry, "null");
    double rate = json_number_value(alone);
    if (!json_is_number(alone) || !isfinite(rate) || rate < 0)
        return error_set(err, "%s: %s: %.60s: want a \"null\" with steps per second", t->file, on,
                         key);
    add(t, gpu, intern_add(t->models, key + 2, model_length), (uint32_t)n_gpus, rate);
    return 0;
}

static int by_key(const void *left, const void *right)
{
    const struct rate *a = left, *b = right;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    return (a->n_gpus > b->n_gpus) - (a->n_gpus < b->n_gpus);
}

static int by_key_and_order(const void *left, const void *right)
{
    const struct rate *a = left, *b = right;
    int keys = by_key(left, right);
    return keys ? keys : (a->order > b->order) - (a->order < b->order);
}

struct throughputs *throughputs_new(const char *path)
{
    struct throughputs *t = mem_new(1, sizeof *t);
    t->file = mem_text(path, strlen(path));
    t->gpus = intern_new();
    t->models = intern_new();
    return t;
}

void throughputs_add(struct throughputs *t, const char *gpu, const char *model, uint32_t n_gpus,
                     double steps_per_s)
{
    add(t, intern_add(t->gpus, gpu, strlen(gpu)), intern_add(t->models, model, strlen(model)),
        n_gpus, steps_per_s);
}

void throughputs_added(struct throughputs *t)
{
    size_t kept = 0;
    qsort(t->rate, t->n, sizeof *t->rate, by_key_and_order);
    for (size_t i = 0; i < t->n; i++)
        if (!kept || by_key(&t->rate[kept - 1], &t->rate[i]) != 0)
            t->rate[kept++] = t->rate[i];
    t->n = kept;
}

static int take_all(struct throughputs *t, json_t *whole, struct error *err)
{
    const char *name, *key;
    json_t *table, *entry;
    if (!json_is_object(whole) || json_object_size(whole) == 0)
        return error_set(err, "%s: want a table by type of GPU, { \"v100\": { ... }, ... }",
                         t->file);
    json_object_foreach(whole, name, table)
    {
        uint32_t gpu = intern_add(t->gpus, name, strlen(name));
        if (!json_is_object(table))
            return error_set(err, "%s: %.60s: want a table by model and number of GPUs", t->file,
                             name);
        json_object_foreach(table, key,
                            entry) if (add_entry(t, gpu, key, entry, err) != 0) return -1;
    }
    throughputs_added(t);
    return 0;
}

struct throughputs *throughputs_read(const char *path, struct error *err)
{
    json_t *whole = json_file_read(path, err);
    if (!whole)
        return NULL;
    struct throughputs *t = throughputs_new(path);
    int result = take_all(t, whole, err);
    json_decref(whole);
    if (result == 0)
        return t;
    throughputs_free(t);
    return NULL;
}

void throughputs_free(struct throughputs *t)
{
    if (!t)
        return;
    intern_free(t->gpus);
    intern_free(t->models);
    free(t->rate);
    free(t->file);
    free(t);
}

/* ---- asking ---- */

int throughputs_gpu(const struct throughputs *t, const char *name, uint32_t *gpu, struct error *err)
{
    char known[256];
    size_t n = 0;
    *gpu = intern_find(t->gpus, name, strlen(name));
    if (*gpu != INTERN_NONE)
        return 0;
    for (uint32_t i = 0; i < intern_count(t->gpus) && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
                              intern_text(t->gpus, i));
    return error_set(err, "%s: no GPU type '%.60s': want one of %s", t->file, name, known);
}

double throughputs_alone_at(const struct throughputs *t, uint32_t gpu, uint32_t model,
                            uint32_t n_gpus)
{
    struct rate key = { .gpu = gpu, .model = model, .n_gpus = n_gpus };
    const struct rate *found = t->n ? bsearch(&key, t->rate, t->n, sizeof key, by_key) : NULL;
    return found ? found->steps_per_s : 0;
}

double throughputs_alone(const struct throughputs *t, uint32_t gpu, const char *model,
                         uint32_t n_gpus)
{
    return throughputs_alone_at(t, gpu, intern_find(t->models, model, strlen(model)), n_gpus);
}

#define UNCONSOLIDATED "_unconsolidated"

uint32_t throughputs_type(const struct throughputs *t, const char *gpu_model, bool consolidated)
{
    char name[128];
    size_t n = strcspn(gpu_model, "-");
    if (n + sizeof UNCONSOLIDATED > sizeof name)
        return INTERN_NONE;
    for (size_t i = 0; i < n; i++)
        name[i] = (char)tolower((unsigned char)gpu_model[i]);
    strcpy(name + n, consolidated ? "" : UNCONSOLIDATED);
    return intern_find(t->gpus, name, strlen(name));
}

uint32_t throughputs_model(const struct throughputs *t, const char *name)
{
    uint32_t exact = intern_find(t->models, name, strlen(name)), best = INTERN_NONE;
    if (exact != INTERN_NONE)
        return exact;
    for (uint32_t i = 0; i < intern_count(t->models); i++) {
        const char *text = intern_text(t->models, i);
        size_t whole = strlen(text), base = strcspn(text, "(");
        if (training_names_same(text, whole, name))
            return i;
        if (training_names_same(text, base, name) &&
            (best == INTERN_NONE || strcmp(text, intern_text(t->models, best)) < 0))
            best = i;
    }
    return best;
}

double throughputs_near(const struct throughputs *t, uint32_t gpu, uint32_t model, uint32_t n_gpus)
{
    size_t low = 0, high = t->n;
    struct rate key = { .gpu = gpu, .model = model, .n_gpus = n_gpus };
    while (low < high) {           /* the first at or above n_gpus */
        size_t middle = low + (high - low) / 2;
        if (by_key(&t->rate[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct rate *above = &t->rate[low], *end = t->rate + t->n, *below = above;
    while (above < end && above->gpu == gpu && above->model == model && above->steps_per_s <= 0)
        above++;
    if (above == end || above->gpu != gpu || above->model != model)
        return 0;
    if (above->n_gpus == n_gpus)
        return above->steps_per_s;
    while (below > t->rate && below[-1].gpu == gpu && below[-1].model == model &&
           below[-1].steps_per_s <= 0)
        below--;
    if (below == t->rate || below[-1].gpu != gpu || below[-1].model != model)
        return 0;
    below--;
    double part = log((double)n_gpus / below->n_gpus) / log((double)above->n_gpus / below->n_gpus);
    return below->steps_per_s * pow(above->steps_per_s / below->steps_per_s, part);
}

void throughputs_make_monotone(struct throughputs *t)
{
    for (size_t i = 0; i < t->n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s" UNCONSOLIDATED, intern_text(t->gpus, t->rate[i].gpu));
        uint32_t far = intern_find(t->gpus, name, strlen(name));
        if (far != INTERN_NONE && t->rate[i].steps_per_s > 0)
            t->rate[i].steps_per_s =
                fmax(t->rate[i].steps_per_s,
                     throughputs_alone_at(t, far, t->rate[i].model, t->rate[i].n_gpus));
    }
    double best = 0;               /* of fewer GPUs */
    for (size_t i = 0; i < t->n; i++) {
        if (i == 0 || t->rate[i].gpu != t->rate[i - 1].gpu ||
            t->rate[i].model != t->rate[i - 1].model)
            best = 0;
        if (t->rate[i].steps_per_s > 0)
            t->rate[i].steps_per_s = best = fmax(t->rate[i].steps_per_s, best);
    }
}

/* ---- folders of CSV files ---- */

#define GPUS_MOST  1000000
#define BATCH_MOST INT64_C(1000000000)
#define MICRO      INT64_C(1000000)
#define RATE_MOST  INT64_C(1000000000)

/* one row of Sia's */
struct measured { uint32_t nodes, gpus, order; int64_t batch; double steps_per_s; };
struct folder {
    struct throughputs *t;
    const char *gpu, *model;
    size_t at[4];                 /* columns */
    uint32_t gpus_of[256];        /* ElasticFlow: by column */
    struct measured *row;
    size_t n, capacity;
    uint32_t node_gpus;           /* of the largest node seen */
};

static int read_csv(const char *path, const struct table_handler *h, struct folder *f,
                    struct error *err)
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
    if (header->n < 2 || header->n > sizeof f->gpus_of / sizeof *f->gpus_of ||
        strcmp(header->cell[0].text, "global_batch_size"))
        return error_set(err, "%s:%zu: want columns global_batch_size and numbers of GPUs",
                         header->file, header->line);
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
        throughputs_add(f->t, f->gpu, name, f->gpus_of[i],
                        micro ? strtod(r->cell[i].text, NULL) : 0);
    }
    return 0;
}
static const struct table_handler elastic = { .on_header = elastic_header, .on_row = elastic_row };

/* ---- Sia ---- */

static int columns_named(struct folder *f, const struct row *header, const char *const *name,
                         struct error *err)
{
    for (size_t i = 0; name[i]; i++) {
        f->at[i] = table_column(header, name[i]);
        if (f->at[i] == TABLE_NO_COLUMN)
            return error_set(err, "%s:%zu: want a column %s", header->file, header->line, name[i]);
    }
    return 0;
}

/* batch and step_time stand in columns at[k] and at[k + 1]. */
static int add_row(struct folder *f, const struct row *r, size_t k, struct measured m,
                   struct error *err)
{
    int64_t micro = 0;
    if (cell_required(r, f->at[k], err) ||
        cell_integer(r, f->at[k], 1, BATCH_MOST, &m.batch, err) ||
        cell_required(r, f->at[k + 1], err) ||
        cell_decimal(r, f->at[k + 1], MICRO, 1, RATE_MOST * MICRO, &micro, err))
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
    static const char *const name[] = { "num_nodes", "num_replicas", "local_bsz", "step_time",
                                        NULL };
    return columns_named(self, header, name, err);
}

static int scalability_row(void *self, const struct row *r, struct error *err)
{
    struct folder *f = self;
    int64_t nodes = 0, gpus = 0;
    if (cell_required(r, f->at[0], err) || cell_integer(r, f->at[0], 1, GPUS_MOST, &nodes, err) ||
        cell_required(r, f->at[1], err) || cell_integer(r, f->at[1], 1, GPUS_MOST, &gpus, err))
        return -1;
    return add_row(f, r, 2, (struct measured){ .nodes = (uint32_t)nodes, .gpus = (uint32_t)gpus },
                   err);
}
static const struct table_handler placements = { .on_header = placements_header,
                                                 .on_row = placements_row };
static const struct table_handler scalability = { .on_header = scalability_header,
                                                  .on_row = scalability_row };

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
    error_set(err, "%s: a folder of throughputs does not tell of which GPUs: want 'table_gpu'",
              path);
    return NULL;
}
