/* contrast.c - see contrast.h. */
#include "sim/study/contrast.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

static struct contrast *contrast_new(size_t n)
{
    struct contrast *c = mem_new(1, sizeof *c);
    c->n = n;
    c->base = mem_new(n, sizeof *c->base);
    c->new = mem_new(n, sizeof *c->new);
    c->cluster = mem_new(n, sizeof *c->cluster);
    return c;
}

static struct contrast *with_clusters(struct contrast *c)
{
    c->clusters = runs_cluster(c->base, c->n, c->cluster);
    return c;
}

void contrast_free(struct contrast *c)
{
    if (!c)
        return;
    free(c->base);
    free(c->new);
    free(c->cluster);
    free(c);
}

struct contrast *contrast_of_sets(const struct runset *base, const struct runset *new,
                                  struct error *err)
{
    size_t *pair = mem_new(base->n, sizeof *pair);
    struct contrast *c = NULL;
    if (runset_pair(base, new, pair, err) == 0) {
        c = contrast_new(base->n);
        for (size_t i = 0; i < base->n; i++) {
            c->base[i] = &base->run[i];
            c->new[i] = &new->run[pair[i]];
        }
        with_clusters(c);
    }
    free(pair);
    return c;
}

struct contrast *contrast_of_runs(const struct run_record *const *base, size_t n,
                                  const struct run_record *const *new, size_t n_new)
{
    if (n != n_new)
        return NULL;
    struct contrast *c = contrast_new(n);
    for (size_t i = 0; i < n; i++) {
        size_t found = 0;
        for (size_t k = 0; k < n; k++)
            if (runs_are_counterparts(base[i], new[k])) {
                c->base[i] = base[i];
                c->new[i] = new[k];
                found++;
            }
        for (size_t k = 0; k < i; k++)
            found += c->new[k] == c->new[i];
        if (found != 1) {
            contrast_free(c);
            return NULL;
        }
    }
    return with_clusters(c);
}

static bool has_value(const struct run_record *r, const struct measure *m, double *to)
{
    const struct run_metric *found = run_metric_find(r, m->metric, m->scope);
    *to = found ? found->value : (double)NAN;
    return !isnan(*to);
}

int contrast_measure(const struct contrast *c, const struct measure *m, struct comparison *to,
                     const char **lacks)
{
    double *base = mem_new(c->n, sizeof *base), *new = mem_new(c->n, sizeof *new);
    *lacks = NULL;
    for (size_t i = 0; i < c->n && !*lacks; i++)
        *lacks = !has_value(c->base[i], m, &base[i])  ? c->base[i]->path
                 : !has_value(c->new[i], m, &new[i]) ? c->new[i]->path
                                                     : NULL;
    if (!*lacks)
        *to = compare_pairs(
            &(struct paired_values){ c->n, base, new, c->cluster, m->resamples }, m->better,
            m->margin, m->level);
    free(base);
    free(new);
    return *lacks ? -1 : 0;
}
