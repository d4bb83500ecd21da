/* pool.c - see pool.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "sim/study/pool.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 250, BATCH_MAX = 256, PATIENCE_MS = 3000 };
#define NO_TASK SIZE_MAX

/* In shared memory: written by the worker, polled by the parent. */
struct worker_progress {
    atomic_size_t next;           /* the task at work: those before it in the batch have returned */
    _Atomic int64_t since_ns;     /* when that task began; monotonic clock */
};
struct worker {
    pid_t pid;                    /* 0: no process */
    int fd;                       /* pipe that is closed when the process ends */
    /* the first task not reported to the caller; the end of the batch */
    size_t next, end;
    struct worker_progress *progress;
    /* the task it was killed for, as it passed its limit; NO_TASK: none */
    size_t overdue;
};
struct pool {
    const struct pool_setup *setup;
    size_t next;                  /* the first task that no worker was given */
    size_t n_returned, returned_capacity;
    struct { size_t next, end; } *returned;    /* rests of batches of processes that were lost */
    struct worker *worker;
    struct pollfd *poll;
    struct worker_progress *progress;            /* [workers], shared */
    bool *well;                   /* [n] whether the task went well; shared, after progress */
    size_t shared_bytes;
};

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* ---- The worker ---- */

/* A worker ends at once if the parent does, and writes nothing more. */
static _Noreturn void be_worker(const struct pool *p, const struct worker *w, pid_t parent)
{
    const struct pool_setup *s = p->setup;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    if (s->begin)
        s->begin(s->self, w->next);
    for (size_t task = w->next; task < w->end; task++) {
        atomic_store(&w->progress->since_ns, clock_ns());
        p->well[task] = s->work(s->self, task);
        atomic_store(&w->progress->next, task + 1);
    }
    _exit(EXIT_SUCCESS);
}

/* ---- Batches ---- */

/* Half of the remaining tasks is divided among the workers: large batches first, single tasks at
 * the end, so that all workers end at about the same time (factoring: Hummel, Schonberg, Flynn
 * 1992). */
static bool take_batch(struct pool *p, struct worker *w)
{
    const struct pool_setup *s = p->setup;
    if (p->n_returned) {
        w->next = p->returned[--p->n_returned].next;
        w->end = p->returned[p->n_returned].end;
        return true;
    }
    if (p->next == s->n)
        return false;
    size_t fair = (s->n - p->next) / (2 * (size_t)s->workers), most = fair < 1 ? 1
                                                                      : fair < BATCH_MAX
                                                                          ? fair
                                                                          : BATCH_MAX;
    w->next = p->next;
    p->next += s->batch(s->self, p->next, p->next + most);
    w->end = p->next;
    return true;
}

static int start(struct pool *p, struct worker *w, struct error *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return error_set(err, "cannot make a pipe to a worker: %s", strerror(errno));
    pid_t parent = getpid();
    atomic_init(&w->progress->next, w->next);
    atomic_init(&w->progress->since_ns, clock_ns());
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) {
        close(ends[0]);
        be_worker(p, w, parent);
    }
    close(ends[1]);
    if (w->pid < 0) {
        int why = errno;
        close(ends[0]);
        w->pid = 0;
        return error_set(err, "cannot fork a worker: %s", strerror(why));
    }
    w->fd = ends[0];
    w->overdue = NO_TASK;
    return 0;
}

static void put_back(struct pool *p, size_t next, size_t end)
{
    if (next == end)
        return;
    mem_grow(&p->returned, &p->returned_capacity, p->n_returned, sizeof *p->returned);
    p->returned[p->n_returned].next = next;
    p->returned[p->n_returned++].end = end;
}

static size_t busy_workers(const struct pool *p)
{
    size_t busy = 0;
    for (unsigned i = 0; i < p->setup->workers; i++)
        busy += p->worker[i].pid != 0;
    return busy;
}

/* If a fork fails, fewer workers do as long as there is one. */
static int start_all(struct pool *p, struct error *err)
{
    struct error why = { "" };
    for (unsigned i = 0; i < p->setup->workers; i++) {
        struct worker *w = &p->worker[i];
        if (w->pid)
            continue;
        if (!take_batch(p, w))
            break;
        if (start(p, w, &why)) {
            put_back(p, w->next, w->end);
            break;
        }
    }
    return why.text[0] && !busy_workers(p) ? error_set(err, "%s", why.text) : 0;
}

/* ---- Progress and ends of workers ---- */

static const char *why_of(const struct pool *p, const struct worker *w, int status, char to[128])
{
    if (w->overdue != NO_TASK)
        snprintf(to, 128, "passed its time limit of %.15g s", seconds(p->setup->limit_ns));
    else if (WIFSIGNALED(status))
        snprintf(to, 128, "crashed: signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(to, 128, "its process ended with exit status %d", WEXITSTATUS(status));
    return to;
}

static void poll_progress(struct pool *p, struct worker *w)
{
    for (size_t next = atomic_load(&w->progress->next); w->next < next; w->next++)
        p->setup->done(p->setup->self, w->next, p->well[w->next]);
}

static void reap_worker(struct pool *p, struct worker *w)
{
    int status = 0;
    char why[128];
    close(w->fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    poll_progress(p, w);
    if (w->next == w->end || atomic_load(p->setup->interrupted))
        return;
    /* the overdue task ended just before the kill */
    bool returned = w->overdue != NO_TASK && w->overdue != w->next;
    if (!returned) {
        p->setup->lost(p->setup->self, w->next, why_of(p, w, status, why));
        w->next++;
    }
    put_back(p, w->next, w->end);
}

/* Returns the milliseconds until the next tick or limit. */
static int kill_overdue(struct pool *p)
{
    int64_t limit_ns = p->setup->limit_ns, now_ns = clock_ns(),
            wait_ns = TICK_MS * (NS_PER_S / 1000);
    for (unsigned i = 0; limit_ns && i < p->setup->workers; i++) {
        struct worker *w = &p->worker[i];
        if (!w->pid || w->overdue != NO_TASK)
            continue;
        size_t task = atomic_load(&w->progress->next);
        int64_t left_ns = atomic_load(&w->progress->since_ns) + limit_ns - now_ns;
        if (left_ns <= 0) {
            w->overdue = task;
            kill(w->pid, SIGKILL);
        } else if (left_ns < wait_ns)
            wait_ns = left_ns;
    }
    return (int)(wait_ns / (NS_PER_S / 1000)) + 1;
}

static size_t poll_all(struct pool *p, int wait_ms)
{
    size_t busy = busy_workers(p);
    for (unsigned i = 0; i < p->setup->workers; i++)
        p->poll[i] = (struct pollfd){ .fd = p->worker[i].pid ? p->worker[i].fd : -1,
                                      .events = POLLIN };
    bool ended = busy && poll(p->poll, p->setup->workers, wait_ms) > 0;
    for (unsigned i = 0; i < p->setup->workers; i++) {
        if (p->worker[i].pid)
            poll_progress(p, &p->worker[i]);
        if (ended && p->poll[i].revents)
            reap_worker(p, &p->worker[i]);
    }
    return busy;
}

/* SIGTERM gives workers PATIENCE_MS to remove partial files, then SIGKILL. */
static void stop_all(struct pool *p)
{
    int64_t end_ns = clock_ns() + PATIENCE_MS * (NS_PER_S / 1000);
    for (unsigned i = 0; i < p->setup->workers; i++)
        if (p->worker[i].pid)
            kill(p->worker[i].pid, SIGTERM);
    while (clock_ns() < end_ns && poll_all(p, 50))
        ;
    for (unsigned i = 0; i < p->setup->workers; i++)
        if (p->worker[i].pid) {
            kill(p->worker[i].pid, SIGKILL);
            reap_worker(p, &p->worker[i]);
        }
}

/* Anonymous memory, shared with all workers. */
static int share(struct pool *p, struct error *err)
{
    p->shared_bytes = p->setup->workers * sizeof *p->progress + p->setup->n * sizeof *p->well;
    void *shared = mmap(NULL, p->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0);
    if (shared == MAP_FAILED)
        return error_set(err, "cannot share memory with workers: %s", strerror(errno));
    p->progress = shared;
    p->well = (bool *)(p->progress + p->setup->workers);
    for (unsigned i = 0; i < p->setup->workers; i++)
        p->worker[i].progress = &p->progress[i];
    return 0;
}

int pool_run(const struct pool_setup *setup, struct error *err)
{
    struct pool p = { .setup = setup, .worker = mem_new(setup->workers, sizeof *p.worker),
                      .poll = mem_new(setup->workers, sizeof *p.poll) };
    int result = share(&p, err);
    for (bool busy = true; busy && result == 0;) {
        if (atomic_load(setup->interrupted))
            result = error_set(err, "interrupted");
        else
            result = start_all(&p, err);
        if (result == 0)
            busy = poll_all(&p, kill_overdue(&p)) > 0;
        if (setup->tick)
            setup->tick(setup->self);
    }
    if (result != 0)
        stop_all(&p);
    if (p.progress)
        munmap(p.progress, p.shared_bytes);
    free(p.worker);
    free(p.poll);
    free(p.returned);
    return result;
}
