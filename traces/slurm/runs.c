/* runs.c - which rows are runs of one job, and which jobs are components of one: see log.h. */
#include "sim/base/memory.h"
#include "traces/slurm/log.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows of one number ---- */

/* What tells jobs apart: with JobIDRaw the cluster and the number, without it JobID as a text. */
struct keys {
    const struct slurm_log *log;
    uint32_t *slot;               /* [mask + 1] number of a row, from 1; 0: free */
    uint32_t *next;               /* [rows] the next row with the same key; ID_NONE: none */
    uint32_t *tail;               /* [rows] of the first row of each key */
    size_t mask;
};

static bool same_key(const struct slurm_log *log, const struct log_row *a, const struct log_row *b)
{
    return a->raw == b->raw && a->cluster == b->cluster &&
           (log->has[C_RAW] || strcmp(a->id, b->id) == 0);
}

static size_t hash_of(const struct slurm_log *log, const struct log_row *r)
{
    uint64_t h = r->raw * UINT64_C(0x9e3779b97f4a7c15) + r->cluster;
    for (const char *c = log->has[C_RAW] ? "" : r->id; *c; c++)
        h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 29);
}

static void add_key(struct keys *k, uint32_t i)
{
    const struct log_row *row = k->log->row;
    size_t at = hash_of(k->log, &row[i]) & k->mask;
    k->next[i] = ID_NONE;
    k->tail[i] = ID_NONE;
    while (k->slot[at] && !same_key(k->log, &row[k->slot[at] - 1], &row[i]))
        at = (at + 1) & k->mask;
    if (!k->slot[at]) {
        k->slot[at] = i + 1;
        k->tail[i] = i;
        return;
    }
    uint32_t first = k->slot[at] - 1;
    k->next[k->tail[first]] = i;
    k->tail[first] = i;
}

static void find_keys(struct keys *k, const struct slurm_log *log)
{
    size_t size = 16;
    while (size < 2 * log->n_rows)
        size *= 2;
    *k = (struct keys){ .log = log, .mask = size - 1 };
    k->slot = mem_new(size, sizeof *k->slot);
    k->next = mem_new(log->n_rows + 1, sizeof *k->next);
    k->tail = mem_new(log->n_rows + 1, sizeof *k->tail);
    for (uint32_t i = 0; i < log->n_rows; i++)
        add_key(k, i);
}

static void free_keys(struct keys *k)
{
    free(k->slot);
    free(k->next);
    free(k->tail);
}

/* ---- runs of one job ---- */

static bool goes_on(enum log_state s)
{
    return s == LOG_BROKEN_OFF || s == LOG_PREEMPTED || s == LOG_NODE_FAIL || s == LOG_RESIZED;
}

/* It is run again, and not for the scheduler's sake. */
static bool fails(enum log_state s)
{
    return s == LOG_BROKEN_OFF || s == LOG_NODE_FAIL;
}

static int64_t submit_of(const struct log_row *r)
{
    return r->submit_s != NO_TIME ? r->submit_s : r->start_s;
}

/* A requeue sets Submit to the time of the requeue, which is the end of the run before it. */
static bool is_next_run(const struct log_row *before, const struct log_row *after)
{
    if (before->state == LOG_RESIZED)
        return true;
    return goes_on(before->state) && (before->end_s == NO_TIME || submit_of(after) == NO_TIME ||
                                      submit_of(after) >= before->end_s - 1);
}

static int64_t work_of(const struct log_row *r)
{
    return r->elapsed_s > 0 ? r->elapsed_s
           : r->elapsed_s < 0 && r->end_s != NO_TIME && r->start_s != NO_TIME
               ? r->end_s - r->start_s - r->suspended_s
               : 0;
}

/* Rows of one number by Start; those without one are last, as they are still to run. */
static int by_start(const struct log_row *x, const struct log_row *y)
{
    int64_t s = x->start_s == NO_TIME ? INT64_MAX : x->start_s;
    int64_t t = y->start_s == NO_TIME ? INT64_MAX : y->start_s;
    if (s != t)
        return s < t ? -1 : 1;
    if (submit_of(x) != submit_of(y))
        return submit_of(x) < submit_of(y) ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Insertion: a number rarely has more than a few rows. */
static void sort_rows(const struct slurm_log *log, uint32_t *run, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t moved = run[i];
        size_t k = i;
        for (; k && by_start(&log->row[moved], &log->row[run[k - 1]]) < 0; k--)
            run[k] = run[k - 1];
        run[k] = moved;
    }
}

static bool is_unfinished(const struct log_row *r)
{
    return r->state == LOG_RUNNING || r->state == LOG_WAITING;
}

/* Drops rows that are there twice, and those in an older state of a run that is there, too. */
static size_t drop_doubles(struct slurm_log *log, uint32_t *run, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const struct log_row *r = &log->row[run[i]], *was = kept ? &log->row[run[kept - 1]] : NULL;
        bool same = was && was->start_s == r->start_s && submit_of(was) == submit_of(r);
        if (same && was->state == r->state && was->end_s == r->end_s) {
            log->n.twice++;
            continue;
        }
        if (same && (is_unfinished(was) || is_unfinished(r))) {
            log->n.older++;
            run[kept - 1] = is_unfinished(was) ? run[i] : run[kept - 1];
            continue;
        }
        run[kept++] = run[i];
    }
    bool stale = kept > 1 && log->row[run[kept - 1]].state == LOG_WAITING &&
                 submit_of(&log->row[run[kept - 1]]) <= submit_of(&log->row[run[kept - 2]]);
    log->n.older += stale;        /* it waited when an earlier log was taken */
    return kept - stale;
}

static void add_job(struct slurm_log *log, uint32_t first, uint32_t n, uint32_t repeated)
{
    const uint32_t *run = log->run + first;
    struct log_job j = { .first = first, .n_runs = n, .repeated = repeated,
                         .component_of = ID_NONE, .next_component = ID_NONE, .sized_by = run[n - 1],
                         .state = log->row[run[n - 1]].state };
    int64_t piece_s = 0, longest_s = -1;
    for (uint32_t i = 0; i < n; i++) {
        const struct log_row *r = &log->row[run[i]];
        int64_t work = work_of(r);
        bool begins = !i || log->row[run[i - 1]].state != LOG_RESIZED;
        piece_s = begins ? work : piece_s + work;
        if (begins || work > longest_s)
            j.sized_by = run[i], longest_s = work;
        j.sum_s += work;
        log->n.resized += r->state == LOG_RESIZED;
        log->n.joined += i > 0 && begins;
    }
    j.last_s = piece_s;
    mem_grow(&log->job, &log->jobs_capacity, log->n_jobs, sizeof *log->job);
    log->job[log->n_jobs++] = j;
}

/* Runs run[first .. end) are of one job, or of it and its retries. */
static void add_runs(struct slurm_log *log, uint32_t first, uint32_t end, uint32_t repeated)
{
    uint32_t retry = 0;
    for (uint32_t i = first + 1; i < end && log->how.runs == RUNS_EACH; i++)
        if (fails(log->row[log->run[i - 1]].state)) {
            add_job(log, first, i - first, repeated);
            log->job[log->n_jobs - 1].retry = retry++;
            log->job[log->n_jobs - 1].retried = true;
            first = i;
        }
    add_job(log, first, end - first, repeated);
    log->job[log->n_jobs - 1].retry = retry;
    log->n.retries += retry;
}

/* Rows run[first .. first + n) have one number. */
static void split_into_jobs(struct slurm_log *log, uint32_t first, uint32_t n)
{
    uint32_t from = first, repeated = 1;
    for (uint32_t i = first + 1; i < first + n; i++)
        if (!is_next_run(&log->row[log->run[i - 1]], &log->row[log->run[i]])) {
            add_runs(log, from, i, repeated++);
            from = i;
        }
    add_runs(log, from, first + n, repeated);
}

/* ---- components ---- */

struct component { uint64_t base; uint32_t cluster, part, job; int64_t submit_s; };

static int by_base(const void *a, const void *b)
{
    const struct component *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    if (x->submit_s != y->submit_s)
        return x->submit_s < y->submit_s ? -1 : 1;
    return x->part != y->part ? (x->part < y->part ? -1 : 1)
           : x->job < y->job  ? -1
                              : x->job > y->job;
}

static void chain_components(struct slurm_log *log)
{
    struct component *c = NULL;
    size_t n = 0, capacity = 0;
    for (uint32_t j = 0; j < log->n_jobs; j++) {
        const struct log_row *r = log_first(log, &log->job[j]);
        if (!r->component)
            continue;
        mem_grow(&c, &capacity, n, sizeof *c);
        c[n++] = (struct component){ .base = strtoull(r->id, NULL, 10), .cluster = r->cluster,
                                     .part = r->component, .job = j, .submit_s = r->submit_s };
    }
    if (n)
        qsort(c, n, sizeof *c, by_base);
    for (size_t i = 1; i < n; i++)
        if (c[i].base == c[i - 1].base && c[i].cluster == c[i - 1].cluster &&
            c[i].submit_s == c[i - 1].submit_s) {
            log->job[c[i].job].component_of = c[i - 1].job;
            log->job[c[i - 1].job].next_component = c[i].job;
        }
    free(c);
}

void log_join(struct slurm_log *log)
{
    struct keys keys;
    uint32_t n = 0;
    find_keys(&keys, log);
    log->run = mem_new(log->n_rows + 1, sizeof *log->run);
    for (uint32_t i = 0; i < log->n_rows; i++) {
        uint32_t first = n;
        if (keys.tail[i] == ID_NONE)
            continue;
        for (uint32_t k = i; k != ID_NONE; k = keys.next[k])
            log->run[n++] = k;
        sort_rows(log, log->run + first, n - first);
        n = first + (uint32_t)drop_doubles(log, log->run + first, n - first);
        split_into_jobs(log, first, n - first);
    }
    free_keys(&keys);
    log->n_run = n;
    if (log->how.waiting || log->how.details)
        log_expand_arrays(log);
    chain_components(log);
}
