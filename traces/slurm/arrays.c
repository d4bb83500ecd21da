/* arrays.c - the tasks of arrays that wait, which sacct has in one row: see log.h.
 *
 *   id   = number "_[" part { "," part } [ "%" limit ] "]"
 *   part = task | task "-" task [ ":" step ]
 *
 * A list that sacct cuts off ("...") stays one row, and so does an array with which the log would
 * have more than TASKS_MOST tasks. */
#include "sim/base/memory.h"
#include "traces/slurm/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_MOST = 1000000 };    /* of all arrays of a log */
struct tasks { const char *at; uint64_t next, last, step; uint32_t at_once; };

static bool take_number(struct tasks *t, uint64_t *value)
{
    size_t n = strspn(t->at, "0123456789");
    *value = strtoull(t->at, NULL, 10);
    t->at += n;
    return n > 0 && n <= 9;
}

static bool take_part(struct tasks *t)
{
    t->step = 1;
    if (!take_number(t, &t->next))
        return false;
    t->last = t->next;
    if (*t->at == '-' && (t->at++, !take_number(t, &t->last)))
        return false;
    if (*t->at == ':' && (t->at++, !take_number(t, &t->step)))
        return false;
    return t->step && t->next <= t->last;
}

/* The tasks behind a '[', one after the other. 1: a task, 0: no more, -1: not such a list. */
static int next_task(struct tasks *t, uint64_t *task)
{
    uint64_t limit = 0;
    if (t->next > t->last) {
        bool more = *t->at == '[' || *t->at == ',';
        bool limited = !more && *t->at == '%';
        t->at += more || limited;
        if (limited && !take_number(t, &limit))
            return -1;
        t->at_once = (uint32_t)limit;
        if (!more)
            return strcmp(t->at, "]") == 0 ? 0 : -1;
        if (!take_part(t))
            return -1;
    }
    *task = t->next;
    t->next += t->step;
    return 1;
}

static struct tasks tasks_of(const struct log_row *r)
{
    return (struct tasks){ .at = r->id + strcspn(r->id, "["), .next = 1 };
}

/* How many, and the limit of those that run at a time (0: none). 0: it stays one row. */
static uint32_t count_tasks(const struct slurm_log *log, const struct log_job *j, uint32_t *at_once)
{
    const struct log_row *r = log_last(log, j);
    struct tasks t = tasks_of(r);
    uint64_t task;
    uint32_t n = 0;
    int more = 1;
    if (!r->tasks_waiting || j->n_runs > 1)
        return 0;
    while (n <= TASKS_MOST && (more = next_task(&t, &task)) > 0)
        n++;
    *at_once = t.at_once;
    return more < 0 || n > TASKS_MOST ? 0 : n;
}

/* Task `nth` of the row is a row and a job of its own; the first takes the place of the row. */
static void set_task(struct slurm_log *log, uint32_t k, uint32_t nth, uint64_t task,
                     uint32_t at_once)
{
    struct log_job j = log->job[k];
    struct log_row r = *log_last(log, &j);
    char id[48];
    int n = snprintf(id, sizeof id, "%.*s_%" PRIu64, (int)strspn(r.id, "0123456789"), r.id, task);
    r.id = arena_text(log->memory, id, (size_t)n);
    r.tasks_waiting = false;
    r.tasks_at_once = at_once;
    if (!nth) {
        log->row[log->run[j.first]] = r;
        return;
    }
    mem_grow(&log->row, &log->rows_capacity, log->n_rows, sizeof *log->row);
    mem_grow(&log->job, &log->jobs_capacity, log->n_jobs, sizeof *log->job);
    j.first = log->n_run++;
    j.sized_by = log->run[j.first] = (uint32_t)log->n_rows;
    log->row[log->n_rows++] = r;
    log->job[log->n_jobs++] = j;
}

/* ---- what runs of them ---- */

struct array { uint32_t cluster; uint64_t number; uint32_t at_once; };

static int by_number(const void *a, const void *b)
{
    const struct array *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static struct array array_of(const struct log_row *r)
{
    return (struct array){ r->cluster, strtoull(r->id, NULL, 10), r->tasks_at_once };
}

/* Tasks that run count in the limit of those that wait. */
static void limit_running(struct slurm_log *log, uint32_t n_jobs, const uint32_t *tasks)
{
    struct array *known = mem_new(n_jobs + (size_t)1, sizeof *known);
    size_t n = 0;
    for (uint32_t k = 0; k < n_jobs; k++)
        if (tasks[k] && log_last(log, &log->job[k])->tasks_at_once)
            known[n++] = array_of(log_last(log, &log->job[k]));
    if (n)
        qsort(known, n, sizeof *known, by_number);
    for (uint32_t k = 0; k < n_jobs && n; k++) {
        struct log_row *r = &log->row[log->run[log->job[k].first]];
        struct array own = array_of(r);
        const struct array *of = log->job[k].state == LOG_RUNNING && strchr(r->id, '_')
                                     ? bsearch(&own, known, n, sizeof own, by_number)
                                     : NULL;
        r->tasks_at_once = of ? of->at_once : r->tasks_at_once;
    }
    free(known);
}

void log_expand_arrays(struct slurm_log *log)
{
    uint32_t n_jobs = (uint32_t)log->n_jobs, most = TASKS_MOST, at_once;
    uint32_t *tasks = mem_new(n_jobs + (size_t)1, sizeof *tasks);
    size_t more = 0;
    for (uint32_t k = 0; k < n_jobs; k++) {
        tasks[k] = count_tasks(log, &log->job[k], &at_once);
        tasks[k] = tasks[k] <= most ? tasks[k] : 0;
        most -= tasks[k];
        more += tasks[k];
    }
    log->run = mem_resize(log->run, log->n_run + more + 1, sizeof *log->run);
    for (uint32_t k = 0; k < n_jobs; k++) {
        if (!tasks[k])
            continue;
        struct tasks t = tasks_of(log_last(log, &log->job[k]));
        uint64_t task;
        (void)count_tasks(log, &log->job[k], &at_once);
        for (uint32_t i = 0; i < tasks[k] && next_task(&t, &task) > 0; i++)
            set_task(log, k, i, task, at_once);
    }
    limit_running(log, n_jobs, tasks);
    free(tasks);
}
