/* depends.c - see depends.h. */
#include "traces/slurm/depends.h"

#include "sim/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known {
    uint64_t base, task;          /* task UINT64_MAX: it is no task */
    const char *id;
    const struct log_job *job;
};
struct log_depends {
    struct known *known; size_t n, capacity;                 /* sorted by base, then task */
    char *text; size_t length, text_capacity;
};
#define NO_TASK UINT64_MAX

static struct known known_of(const char *id)
{
    char *end;
    struct known k = { .base = strtoull(id, &end, 10), .task = NO_TASK, .id = id };
    if (*end == '_')
        k.task = strtoull(end + 1, NULL, 10);
    return k;
}

static int by_base(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return x->task != y->task ? (x->task < y->task ? -1 : 1) : strcmp(x->id, y->id);
}

struct log_depends *log_depends_new(const struct slurm_log *log)
{
    size_t i = 0;
    struct log_depends *d = mem_new(1, sizeof *d);
    while (i < log->n_rows && log->row[i].dependency == INTERN_NONE)
        i++;
    for (size_t k = 0; k < log->n_jobs && i < log->n_rows; k++) {
        const struct log_job *j = &log->job[k];
        if (j->repeated > 1 || j->retried || !log_is_taken(log, j))
            continue;
        mem_grow(&d->known, &d->capacity, d->n, sizeof *d->known);
        d->known[d->n] = known_of(log_last(log, j)->id);
        d->known[d->n++].job = j;
    }
    if (d->n)
        qsort(d->known, d->n, sizeof *d->known, by_base);
    return d;
}

void log_depends_free(struct log_depends *d)
{
    if (!d)
        return;
    free(d->known);
    free(d->text);
    free(d);
}

static void put(struct log_depends *d, const char *text, size_t length)
{
    while (d->text_capacity - d->length <= length)
        mem_grow(&d->text, &d->text_capacity, d->text_capacity, 1);
    memcpy(d->text + d->length, text, length);
    d->length += length;
    d->text[d->length] = '\0';
}

/* The first that is not before this base and task. */
static size_t lower_bound(const struct log_depends *d, uint64_t base, uint64_t task)
{
    size_t from = 0, to = d->n;
    while (from < to) {
        size_t at = (from + to) / 2;
        bool before = d->known[at].base < base ||
                      (d->known[at].base == base && d->known[at].task < task);
        if (before)
            from = at + 1;
        else
            to = at;
    }
    return from;
}

static void put_id(struct log_depends *d, const struct slurm_log *log, const struct log_job *j)
{
    char id[256];
    int n = log_job_id(log, j, id, sizeof id);
    put(d, id, j->retry ? (size_t)n : strcspn(id, "+"));
}

/* The jobs that a number means, behind one ':' each; how many. The job itself is none of them, and
 * of retries the last one is meant. */
static size_t put_jobs(struct log_depends *d, const struct slurm_log *log, struct known wanted,
                       const char *self)
{
    size_t n = 0;
    bool all = wanted.task == NO_TASK;
    size_t from = lower_bound(d, wanted.base, all ? 0 : wanted.task);
    for (size_t i = from; i < d->n && d->known[i].base == wanted.base &&
                          (all || d->known[i].task == wanted.task);
         i++) {
        if (strcmp(d->known[i].id, self) == 0)
            continue;
        put(d, ":", 1);
        put_id(d, log, d->known[i].job);
        n++;
    }
    return n;
}

static const struct how { const char *word, *native; } hows[] = {
    { "afterany", "afterany" }, { "afterok", "afterok" }, { "afternotok", "afternotok" },
    { "aftercorr", "afterok" }, { "after", "after" },
};
enum { CORR = 3, START, HOWS = sizeof hows / sizeof *hows };

static void put_entry(struct log_depends *d, struct slurm_log *log, const struct log_row *r,
                      const char *at, size_t length, char mark)
{
    size_t word = strcspn(at, ":,?"), h = 0, before = d->length, n = 0;
    const char *end = at + length;
    while (h < HOWS && (strlen(hows[h].word) != word || memcmp(hows[h].word, at, word) != 0))
        h++;
    bool delayed = h == START && memchr(at, '+', length);        /* by minutes from the start */
    if (h == HOWS || delayed) {
        log->n.other_dependencies++;
        return;
    }
    if (d->length)
        put(d, &mark, 1);
    put(d, hows[h].native, strlen(hows[h].native));
    for (at += word; at < end && *at == ':';) {
        struct known wanted = known_of(++at);
        if (h == CORR && wanted.task == NO_TASK)
            wanted.task = known_of(r->id).task;
        size_t found = put_jobs(d, log, wanted, r->id);
        log->n.unknown_dependencies += !found;
        n += found;
        at += strcspn(at, ":,?");
    }
    if (!n) {
        d->length = before;
        d->text[before] = '\0';
    }
}

/* "12_[4-9%2]": of array 12 two tasks at a time. */
static void put_limit(struct log_depends *d, struct slurm_log *log, const struct log_row *r,
                      char mark)
{
    char text[48];
    if (!r->tasks_at_once)
        return;
    if (d->length && mark == '?') {
        log->n.other_dependencies++;
        return;
    }
    int n = snprintf(text, sizeof text, "%slimit:%" PRIu32 ":%.*s", d->length ? ";" : "",
                     r->tasks_at_once, (int)strspn(r->id, "0123456789"), r->id);
    put(d, text, (size_t)n);
}

const char *log_depends_of(struct log_depends *d, struct slurm_log *log, uint32_t k)
{
    const struct log_job *j = &log->job[k];
    const struct log_row *r = log_first(log, j);
    bool again = j->retry && log_is_taken(log, j - 1);
    if (!again && (j->retry || r->dependency == INTERN_NONE) && !r->tasks_at_once)
        return "";
    const char *at =
        j->retry || r->dependency == INTERN_NONE ? "" : intern_text(log->names, r->dependency);
    char mark = strchr(at, '?') ? '?' : ';';
    d->length = 0;
    put(d, "", 0);
    if (again)
        put_id(d, log, j - 1);
    for (size_t n; *at; at += n + (at[n] != '\0')) {
        n = strcspn(at, ",?");
        put_entry(d, log, r, at, n, mark);
    }
    put_limit(d, log, r, mark);
    return d->text;
}
