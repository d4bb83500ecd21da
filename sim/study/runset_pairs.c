/* runset_pairs.c - which runs belong together: counterparts in two sets, replications of one another. See runset.h. */
#include "sim/study/runset.h"

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool alike(const struct run_record *a, const struct run_record *b)
{
    return a->seed == b->seed && !strcmp(a->circumstances, b->circumstances);
}

/* The first line in which they differ, as "SEED 1: here `x`, there `y`". */
static int no_counterpart(const struct run_record *a, const struct runset *b, struct error *err)
{
    const struct run_record *near = &b->run[0];
    for (size_t i = 0; i < b->n; i++)
        near = b->run[i].seed == a->seed ? &b->run[i] : near;
    const char *x = a->circumstances, *y = near->circumstances;
    while (*x && *y) {
        size_t n = strcspn(x, "\n"), m = strcspn(y, "\n");
        if (n != m || strncmp(x, y, n) != 0)
            return error_set(err, "%s: the other set has no run under the same circumstances; %s has '%.*s' instead of '%.*s'",
                             a->path, near->path, (int)m, y, (int)n, x);
        x += n + (x[n] == '\n');
        y += m + (y[m] == '\n');
    }
    return error_set(err, "%s: the other set has no run under the same circumstances", a->path);
}

enum { SAME_POLICY = 1, SAME_PLACEMENT = 2 };

static size_t count_alike(const struct run_record *a, const struct runset *s, unsigned same, size_t *last)
{
    size_t found = 0;
    for (size_t k = 0; k < s->n; k++) {
        const struct run_record *b = &s->run[k];
        if (!alike(a, b) || (same & SAME_POLICY && strcmp(a->policy, b->policy) != 0) ||
            (same & SAME_PLACEMENT && strcmp(a->placement, b->placement) != 0))
            continue;
        *last = k;
        found++;
    }
    return found;
}

/* Where its own set has several, too, what they differ in tells them apart in the other. */
static size_t count_counterparts(const struct run_record *run, const struct runset *own, const struct runset *other, size_t *at)
{
    static const unsigned same[] = { SAME_POLICY | SAME_PLACEMENT, SAME_PLACEMENT, SAME_POLICY };
    size_t any;
    for (size_t i = 0; i < sizeof same / sizeof *same && count_alike(run, own, 0, &any) > 1; i++)
        if (count_alike(run, other, same[i], at) == 1)
            return 1;
    return count_alike(run, other, 0, at);
}

int runset_pair(const struct runset *a, const struct runset *b, size_t *pair, struct error *err)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct run_record *run = &a->run[i];
        size_t found = count_counterparts(run, a, b, &pair[i]);
        if (found == 0)
            return no_counterpart(run, b, err);
        if (found > 1)
            return error_set(err, "%s: the other set has %zu runs under the same circumstances, which differ in policy or placement",
                             run->path, found);
        for (size_t k = 0; k < i; k++)
            if (pair[k] == pair[i])
                return error_set(err, "%s: its set has another run under the same circumstances: %s", run->path, a->run[k].path);
    }
    for (size_t k = 0; k < b->n; k++) {
        size_t found = 0;
        for (size_t i = 0; i < a->n; i++)
            found += pair[i] == k;
        if (!found)
            return no_counterpart(&b->run[k], a, err);
    }
    return 0;
}

/* ---- Replications ---- */

/* What was configured, but for the seed and how many jobs were drawn with it. */
static bool same_but_for_seed(const char *a, const char *b)
{
    static const char *const passed_over[] = { "seed:", "  jobs:" };
    while (*a && *b) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        bool counts = true;
        for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; i++)
            counts = counts && (strncmp(a, passed_over[i], strlen(passed_over[i])) != 0 ||
                                strncmp(b, passed_over[i], strlen(passed_over[i])) != 0);
        if (counts && (n != m || strncmp(a, b, n) != 0))
            return false;
        a += n + (a[n] == '\n');
        b += m + (b[m] == '\n');
    }
    return *a == *b;
}

bool runs_replicate(const struct run_record *a, const struct run_record *b)
{
    return !strcmp(a->policy, b->policy) && !strcmp(a->placement, b->placement) && same_but_for_seed(a->circumstances, b->circumstances);
}

size_t run_parent_length(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n && path[n - 1] != '/')
        n--;
    return n;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool side_by_side(const struct run_record *a, const struct run_record *b)
{
    size_t n = run_parent_length(a->path);
    return a->policy && same_text(a->policy, b->policy) && same_text(a->placement, b->placement) &&
           n == run_parent_length(b->path) && !strncmp(a->path, b->path, n);
}

static bool one_group(const struct run_record *const *run, size_t n, size_t i, size_t k)
{
    const struct run_record *x = run[i], *y = run[k];
    if (!side_by_side(x, y))
        return false;
    if (x->circumstances && y->circumstances && same_but_for_seed(x->circumstances, y->circumstances))
        return x->seed != y->seed;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            if (side_by_side(x, run[a]) && side_by_side(x, run[b]) && run[a]->seed == run[b]->seed)
                return false;
    return true;
}

size_t runs_group(const struct run_record *const *run, size_t n, size_t *group)
{
    size_t groups = 0;
    bool *taken = mem_new(n, sizeof *taken);
    for (size_t i = 0; i < n; i++) {
        if (taken[i])
            continue;
        for (size_t k = i; k < n; k++)
            if (k == i || (!taken[k] && one_group(run, n, i, k))) {
                taken[k] = true;
                group[k] = groups;
            }
        groups++;
    }
    free(taken);
    return groups;
}
