/* runset_pairs.c - which runs belong together: counterparts in two sets, replications of one another. See runset.h. */
#include "sim/study/runset.h"

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LONG = 512 };

bool runs_are_counterparts(const struct run_record *a, const struct run_record *b)
{
    return a->seed == b->seed && !strcmp(a->circumstances, b->circumstances);
}

static size_t blanks(const char *line)
{
    return strspn(line, " ");
}

/* The file with the hash in this line: the last one that the configuration names before it. In
 * quotes; "" if there is none. */
static void file_of(const struct run_record *r, const char *hash, char to[NAME_LONG])
{
    char line[NAME_LONG];
    snprintf(line, sizeof line, "\n%.*s", (int)strcspn(hash, "\n"), hash);
    const char *end = strstr(r->configuration, line), *file = NULL;
    for (const char *at = r->configuration; end && at < end; at += strcspn(at, "\n") + 1)
        if (strncmp(at + blanks(at), "file: ", 6) == 0)
            file = at + blanks(at) + 6;
    snprintf(to, NAME_LONG, "%.*s", file ? (int)strcspn(file, "\n") : 0, file ? file : "");
}

/* The next line that says what the contents of a file are; "" if there is none. */
static const char *next_hash(const char *at)
{
    while (*at && strncmp(at + blanks(at), "sha256: ", 8) != 0 && strncmp(at + blanks(at), "named_sha256: ", 14) != 0) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

static bool same_line(const char *x, const char *y)
{
    size_t n = strcspn(x, "\n");
    return n == strcspn(y, "\n") && strncmp(x, y, n) == 0;
}

static const char *line_after(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static const char none[] = "the other set has no run under the same circumstances";

/* x, y: the lines of the first inputs that differ. Inputs are told by their names, not by their hashes. */
static int other_input(const struct run_record *a, const struct run_record *b, const char *x, const char *y, struct error *err)
{
    char here[NAME_LONG], there[NAME_LONG];
    file_of(a, x, here);
    file_of(b, y, there);
    if (x[blanks(x)] == 'n')
        return error_set(err, "%s: %s; %s has read other contents from a file that %s names", a->path, none, b->path, there);
    if (strcmp(here, there) == 0)
        return error_set(err, "%s: %s; %s has read %s with other contents", a->path, none, b->path, there);
    return error_set(err, "%s: %s; %s has read %s instead of %s, and their contents differ", a->path, none, b->path, there, here);
}

/* The first input in which they differ, or else the first line, in which their configurations differ. A seed that the
 * other set does not have is told first. */
static int no_counterpart(const struct run_record *a, const struct runset *b, struct error *err)
{
    const struct run_record *near = &b->run[0];
    for (size_t i = 0; i < b->n; i++)
        near = b->run[i].seed == a->seed ? &b->run[i] : near;
    const char *x = next_hash(a->circumstances), *y = next_hash(near->circumstances);
    while (*x && *y && same_line(x, y)) {
        x = next_hash(line_after(x));
        y = next_hash(line_after(y));
    }
    if (*x && *y && near->seed == a->seed)
        return other_input(a, near, x, y, err);
    for (x = a->circumstances, y = near->circumstances; *x && *y; x = line_after(x), y = line_after(y))
        if (!same_line(x, y))
            return error_set(err, "%s: %s; %s has '%.*s' instead of '%.*s'", a->path, none, near->path, (int)strcspn(y, "\n"), y,
                             (int)strcspn(x, "\n"), x);
    return error_set(err, "%s: %s", a->path, none);
}

enum { SAME_POLICY = 1, SAME_PLACEMENT = 2 };

static size_t count_alike(const struct run_record *a, const struct runset *s, unsigned same, size_t *last)
{
    size_t found = 0;
    for (size_t k = 0; k < s->n; k++) {
        const struct run_record *b = &s->run[k];
        if (!runs_are_counterparts(a, b) || (same & SAME_POLICY && strcmp(a->policy, b->policy) != 0) ||
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

/* ---- Clusters ---- */

/* Of the lines of the trace those that say which jobs were replayed: from its format to the hashes of its files, without how
 * many jobs that were. The members of a federation have one trace. */
static const char *jobs_of(const char *circumstances, size_t *length)
{
    const char *at = strstr(circumstances, "  format: "), *end = at ? strstr(at, "  jobs: ") : NULL;
    *length = end ? (size_t)(end - at) : 0;
    return at;
}

static bool is_drawn(const char *jobs)
{
    static const char drawn[] = "  format: synth\n";
    return strncmp(jobs, drawn, sizeof drawn - 1) == 0;
}

static bool same_jobs(const struct run_record *a, const struct run_record *b)
{
    size_t n, m;
    const char *x = jobs_of(a->circumstances, &n), *y = jobs_of(b->circumstances, &m);
    if (n == 0 || m == 0)
        return n == m;
    return (is_drawn(x) && is_drawn(y)) || (n == m && strncmp(x, y, n) == 0);
}

size_t runs_cluster(const struct run_record *const *run, size_t n, size_t *cluster)
{
    size_t clusters = 0;
    bool one_seed = true;
    for (size_t i = 1; i < n; i++)
        one_seed = one_seed && run[i]->seed == run[0]->seed;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && !(run[k]->seed == run[i]->seed && (!one_seed || same_jobs(run[k], run[i]))))
            k++;
        cluster[i] = k < i ? cluster[k] : clusters++;
    }
    return clusters;
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
