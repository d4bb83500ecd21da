/* throughputs.c - see throughputs.h. */
#include "sim/world/throughputs.h"

#include "sim/core/intern.h"
#include "sim/core/json_file.h"
#include "sim/core/memory.h"
#include "sim/core/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPUS_MOST 1000000

struct rate {
    uint32_t gpu, model, n_gpus;
    double steps_per_s;
};
struct throughputs {
    char *file;
    struct intern *gpus, *models;
    struct rate *rate; /* ascending */
    size_t n, capacity;
};

/* ---- its entries ---- */

/* "('LM (batch size 5)', 2)": a pair as Python writes it. */
static bool split_key(const char *key, size_t *model_length, int64_t *n_gpus)
{
    size_t length = strlen(key);
    const char *end = length > 2 ? key + length - 1 : key, *comma = strrchr(key, ',');
    if (strncmp(key, "('", 2) != 0 || *end != ')' || !comma || comma < key + 4 || comma[-1] != '\'' || comma[1] != ' ')
        return false;
    *model_length = (size_t)(comma - 1 - (key + 2));
    return integer_parse(comma + 2, (size_t)(end - (comma + 2)), n_gpus) && *n_gpus >= 1 && *n_gpus <= GPUS_MOST;
}

static int add_entry(struct throughputs *t, uint32_t gpu, const char *key, const json_t *entry, struct error *err)
{
    size_t model_length;
    int64_t n_gpus;
    const char *on = intern_text(t->gpus, gpu);
    if (!split_key(key, &model_length, &n_gpus))
        return error_set(err, "%s: %s: want keys like ('MODEL', GPUS), got \"%.60s\"", t->file, on, key);
    const json_t *alone = json_object_get(entry, "null");
    double rate = json_number_value(alone);
    if (!json_is_number(alone) || !isfinite(rate) || rate < 0)
        return error_set(err, "%s: %s: %.60s: want a \"null\" with steps per second", t->file, on, key);
    mem_grow(&t->rate, &t->capacity, t->n, sizeof *t->rate);
    t->rate[t->n++] = (struct rate){ gpu, intern_add(t->models, key + 2, model_length), (uint32_t)n_gpus, rate };
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

static int take_all(struct throughputs *t, json_t *whole, struct error *err)
{
    const char *name, *key;
    json_t *table, *entry;
    if (!json_is_object(whole) || json_object_size(whole) == 0)
        return error_set(err, "%s: want a table by type of GPU, { \"v100\": { ... }, ... }", t->file);
    json_object_foreach(whole, name, table)
    {
        uint32_t gpu = intern_add(t->gpus, name, strlen(name));
        if (!json_is_object(table))
            return error_set(err, "%s: %.60s: want a table by model and number of GPUs", t->file, name);
        json_object_foreach(table, key, entry) if (add_entry(t, gpu, key, entry, err) != 0) return -1;
    }
    qsort(t->rate, t->n, sizeof *t->rate, by_key);
    return 0;
}

struct throughputs *throughputs_read(const char *path, struct error *err)
{
    json_t *whole = json_file_read(path, err);
    if (!whole)
        return NULL;
    struct throughputs *t = mem_new(1, sizeof *t);
    t->file = mem_text(path, strlen(path));
    t->gpus = intern_new();
    t->models = intern_new();
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
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", intern_text(t->gpus, i));
    return error_set(err, "%s: no GPU type '%.60s': want one of %s", t->file, name, known);
}

double throughputs_alone(const struct throughputs *t, uint32_t gpu, const char *model, uint32_t n_gpus)
{
    struct rate key = { .gpu = gpu, .model = intern_find(t->models, model, strlen(model)), .n_gpus = n_gpus };
    const struct rate *found = t->n ? bsearch(&key, t->rate, t->n, sizeof key, by_key) : NULL;
    return found ? found->steps_per_s : 0;
}
