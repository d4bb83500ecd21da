/* perfetto_waits.c - see perfetto_waits.h. */
#include "sim/cli/export/perfetto_waits.h"

#include "sim/base/memory.h"
#include "sim/engine/run.h"

#include <stdlib.h>
#include <string.h>

#define RUNNING (-1)

struct waiting_job {
    int64_t wait_ns, waited_ns;   /* as jobs.csv says; in the waits so far */
    int64_t since_ns;             /* it waits from then on; RUNNING: it does not */
    uint32_t queue, gpus;
    int64_t end_ns;               /* -1: it has not ended */
    bool gave_up;                 /* it gave its GPUs up itself, once */
    enum wait_reason most;        /* of all its waits */
};
struct wait { int64_t start_ns, end_ns; uint32_t queue, job; };
struct lane { int64_t free_ns; int64_t tid; };
struct waits {
    struct waiting_job *job;
    size_t n_jobs, jobs_capacity;
    struct wait *wait;
    size_t n, capacity;
    bool closed;                  /* last waits have been added */
};

struct waits *waits_new(void)
{
    return mem_new(1, sizeof(struct waits));
}

void waits_free(struct waits *w)
{
    free(w->job);
    free(w->wait);
    free(w);
}

/* ---- Collecting ---- */

static void add(struct waits *w, uint32_t job, int64_t start_ns, int64_t end_ns)
{
    struct waiting_job *j = &w->job[job];
    if (end_ns <= start_ns)
        return;
    mem_grow(&w->wait, &w->capacity, w->n, sizeof *w->wait);
    w->wait[w->n++] = (struct wait){ start_ns, end_ns, j->queue, job };
    j->waited_ns += end_ns - start_ns;
}

void waits_add_job(struct waits *w, uint32_t job, uint32_t queue, const struct csv_job *j)
{
    unsigned most = 0;
    for (unsigned i = 1; i < WAIT_REASONS; i++)
        most = j->waits_ns[i] > j->waits_ns[most] ? i : most;
    mem_grow(&w->job, &w->jobs_capacity, job, sizeof *w->job);
    w->job[job] = (struct waiting_job){ .wait_ns = j->wait_ns, .since_ns = j->submit_ns,
                                        .queue = queue, .gpus = (uint32_t)(j->gpu_milli / 1000),
                                        .end_ns = j->end_ns,
                                        .most = (enum wait_reason)most };
    w->n_jobs = job + 1;
    if (j->start_ns < 0)
        return;
    add(w, job, j->submit_ns, j->start_ns);
    w->job[job].since_ns = RUNNING;
}

static bool gives_up(const char *why)
{
    static const char *const own[] = { "released", "withdrawn", "closed", "culled", "expired",
                                       "abandoned" };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(why, own[i]))
            return true;
    return false;
}

void waits_add_stay(struct waits *w, uint32_t job, int64_t start_ns, int64_t end_ns,
                    const char *why)
{
    struct waiting_job *j = &w->job[job];
    if (j->since_ns != RUNNING && start_ns >= j->since_ns)
        add(w, job, j->since_ns, start_ns);
    j->gave_up |= gives_up(why);
    j->since_ns = gives_up(why) ? RUNNING : end_ns;
}

static void close_waits(struct waits *w)
{
    for (uint32_t i = 0; i < w->n_jobs && !w->closed; i++) {
        const struct waiting_job *j = &w->job[i];
        int64_t until_ns = j->since_ns + j->wait_ns - j->waited_ns;
        if (j->end_ns >= 0 && until_ns > j->end_ns)
            until_ns = j->end_ns;
        if (j->since_ns != RUNNING && !j->gave_up)
            add(w, i, j->since_ns, until_ns);
    }
    w->closed = true;
}

bool waits_any(struct waits *w)
{
    close_waits(w);
    return w->n > 0;
}

/* ---- Lanes: a heap, the lane that has been free for the longest time first ---- */

static bool before(const struct lane *a, const struct lane *b)
{
    return a->free_ns != b->free_ns ? a->free_ns < b->free_ns : a->tid < b->tid;
}

static void sift_down(struct lane *heap, size_t n)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &heap[at]))
            return;
        struct lane x = heap[at];
        heap[at] = heap[child];
        heap[child] = x;
    }
}

static void push(struct lane *heap, size_t n, struct lane x)
{
    size_t at = n;
    heap[at] = x;
    while (at > 0 && before(&heap[at], &heap[(at - 1) / 2])) {
        struct lane up = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = heap[at];
        heap[at] = up;
        at = (at - 1) / 2;
    }
}

/* ---- Writing ---- */

static int by_queue(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    if (x->queue != y->queue)
        return x->queue < y->queue ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static void put_wait(const struct waits *w, const struct wait *x, struct trace_writer *to,
                     int64_t pid, int64_t tid, const struct intern *jobs,
                     const struct intern *texts)
{
    const struct waiting_job *j = &w->job[x->job];
    trace_event_begins(to, "X", intern_text(jobs, x->job), pid, tid);
    trace_put_text(to->o, "cat", "wait");
    trace_put_us(to->o, "ts", x->start_ns);
    trace_put_us(to->o, "dur", x->end_ns - x->start_ns);
    out_text(to->o, ",\"args\":{\"gpus\":");
    out_integer(to->o, j->gpus);
    trace_put_text(to->o, "queue", intern_text(texts, x->queue));
    trace_put_text(to->o, "mostly", explain_wait_meaning[j->most]);
    out_char(to->o, '}');
    trace_event_ends(to);
}

size_t waits_put(struct waits *w, struct trace_writer *to, int64_t pid, const struct intern *jobs,
                 const struct intern *texts)
{
    struct lane heap[WAIT_LANES];
    size_t lanes = 0, left_out = 0;
    int64_t tids = 0;
    close_waits(w);
    if (w->n)
        qsort(w->wait, w->n, sizeof *w->wait, by_queue);
    for (size_t i = 0; i < w->n; i++) {
        const struct wait *x = &w->wait[i];
        const char *queue = intern_text(texts, x->queue);
        if (i && x->queue != w->wait[i - 1].queue)
            lanes = 0;
        bool taken = lanes == 0 || heap[0].free_ns > x->start_ns;
        if (taken && lanes == WAIT_LANES) {
            left_out++;
            continue;
        }
        int64_t tid = taken ? ++tids : heap[0].tid;
        if (taken) {
            trace_put_name(to, "thread_name", pid, tid, *queue ? queue : "(no name)");
            trace_put_order(to, "thread_sort_index", pid, tid, tid);
            push(heap, lanes++, (struct lane){ x->end_ns, tid });
        } else {
            heap[0].free_ns = x->end_ns;
            sift_down(heap, lanes);
        }
        put_wait(w, x, to, pid, tid, jobs, texts);
    }
    return left_out;
}
