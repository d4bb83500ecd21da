/* throughput_pairs.c - see throughput_pairs.h. */
#include "sim/models/training/throughput_pairs.h"

#include "sim/base/intern.h"
#include "sim/io/json_file.h"
#include "sim/base/memory.h"
#include "sim/models/training/throughputs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pair { uint32_t type; struct trainee of, beside; double speed[2]; };
struct throughput_pairs {
    struct throughputs *alone;
    struct pair *pair;            /* ascending by all but the speeds */
    size_t n, capacity;
};

static int by_trainee(const struct trainee *a, const struct trainee *b)
{
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    return (a->n_gpus > b->n_gpus) - (a->n_gpus < b->n_gpus);
}

static int by_names(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    int of = by_trainee(&a->of, &b->of);
    return of ? of : by_trainee(&a->beside, &b->beside);
}

/* Numbers of throughputs.h: the entries alone have been read. false: no such entry. */
static bool trainee_of(const struct throughput_pairs *p, const char *key, uint32_t type,
                       struct trainee *to, double *alone)
{
    char name[256];
    size_t length;
    int64_t n_gpus;
    if (!throughputs_key(key, &length, &n_gpus) || length >= sizeof name)
        return false;
    memcpy(name, key + 2, length);
    name[length] = '\0';
    *to = (struct trainee){ throughputs_model(p->alone, name), (uint32_t)n_gpus };
    *alone =
        to->model == INTERN_NONE ? 0 : throughputs_alone_at(p->alone, type, to->model, to->n_gpus);
    return true;
}

static int add_pair(struct throughput_pairs *p, uint32_t type, const char *path, const char *key,
                    const char *other, const json_t *rates, struct error *err)
{
    struct pair x = { .type = type };
    double alone[2];
    if (!trainee_of(p, key, type, &x.of, &alone[0]) ||
        !trainee_of(p, other, type, &x.beside, &alone[1]))
        return error_set(err, "%s: %.60s: want keys like ('MODEL', GPUS), got \"%.60s\"", path, key,
                         other);
    for (size_t i = 0; i < 2; i++) {
        const json_t *rate = json_array_get(rates, i);
        double steps_per_s = json_number_value(rate);
        if (json_array_size(rates) != 2 || !json_is_number(rate) || !isfinite(steps_per_s) ||
            steps_per_s < 0)
            return error_set(err, "%s: %.60s: %.60s: want two rates in steps per second", path, key,
                             other);
        x.speed[i] = alone[i] > 0 ? steps_per_s / alone[i] : 0;
    }
    mem_grow(&p->pair, &p->capacity, p->n, sizeof *p->pair);
    p->pair[p->n++] = x;
    return 0;
}

/* throughputs_read() has checked all but the pairs. */
static int take_pairs(struct throughput_pairs *p, const char *path, json_t *whole,
                      struct error *err)
{
    const char *name, *key, *other;
    json_t *table, *entry, *rates;
    json_object_foreach(whole, name, table)
    {
        uint32_t type;
        if (throughputs_gpu(p->alone, name, &type, err))
            return -1;
        json_object_foreach(table, key, entry) json_object_foreach(entry, other, rates)
        {
            if (strcmp(other, "null") != 0 && add_pair(p, type, path, key, other, rates, err))
                return -1;
        }
    }
    qsort(p->pair, p->n, sizeof *p->pair, by_names);
    return 0;
}

struct throughput_pairs *throughput_pairs_read(const char *path, struct error *err)
{
    struct throughput_pairs *p = mem_new(1, sizeof *p);
    p->alone = throughputs_read(path, err);
    json_t *whole = p->alone ? json_file_read(path, err) : NULL;
    int result = whole ? take_pairs(p, path, whole, err) : -1;
    json_decref(whole);
    if (result == 0)
        return p;
    throughput_pairs_free(p);
    return NULL;
}

void throughput_pairs_free(struct throughput_pairs *p)
{
    if (!p)
        return;
    throughputs_free(p->alone);
    free(p->pair);
    free(p);
}

uint32_t throughput_pairs_type(const struct throughput_pairs *p, const char *gpu_model)
{
    return throughputs_type(p->alone, gpu_model, true);
}

uint32_t throughput_pairs_model(const struct throughput_pairs *p, const char *name)
{
    return throughputs_model(p->alone, name);
}

double throughput_pairs_speed(const struct throughput_pairs *p, uint32_t type, struct trainee a,
                              struct trainee b)
{
    const struct pair key = { .type = type, .of = a, .beside = b };
    const struct pair *x = p->n ? bsearch(&key, p->pair, p->n, sizeof key, by_names) : NULL;
    return x && x->speed[0] > 0 && x->speed[1] > 0 ? x->speed[0] : 0;
}

bool throughput_pairs_at(const struct throughput_pairs *p, uint32_t type, size_t k, double speed[2])
{
    for (size_t i = 0; i < p->n; i++)
        if (p->pair[i].type == type && k-- == 0) {
            memcpy(speed, p->pair[i].speed, sizeof p->pair[i].speed);
            return true;
        }
    return false;
}
