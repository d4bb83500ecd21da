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

enum { TICK_MS = 250, BATCH_MOST = 256, PATIENCE_MS = 3000 };
#define NOBODY SIZE_MAX

/* What a worker says, in memory that both see: nobody is woken for it. */
struct said {
    atomic_size_t next;           /* the task that it is at: those before have returned */
    _Atomic int64_t since_ns;     /* when that task began */
};
struct worker {
    pid_t pid;                    /* 0: no process */
    int fd;                       /* ends with the process */
    size_t next, end;             /* the first task that nobody was told of, and where its batch ends */
    struct said *said;
    size_t late;                  /* the task that it was killed for; NOBODY: none */
};
struct pool {
    const struct pool_setup *setup;
    size_t next;                  /* the first task that nobody was given */
    size_t n_again, again_capacity;
    struct { size_t next, end; } *again;    /* rests of batches whose process was lost */
    struct worker *worker;
    struct pollfd *poll;
    struct said *said;            /* [workers], shared */
    bool *well;                   /* [n] of tasks that have returned, shared: behind said */
    size_t shared_bytes;
};

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* ---- The worker's side ---- */

/* The parent does not outlive its workers' interest: without it they end at once, and write nothing more. */
static _Noreturn void be_worker(const struct pool *p, const struct worker *w, pid_t parent)
{
    const struct pool_setup *s = p->setup;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    if (s->begin)
        s->begin(s->self, w->next);
    for (size_t task = w->next; task < w->end; task++) {
        atomic_store(&w->said->since_ns, clock_ns());
        p->well[task] = s->work(s->self, task);
        atomic_store(&w->said->next, task + 1);
    }
    _exit(EXIT_SUCCESS);
}

/* ---- Giving out work ---- */

/* At first large parts of what there is, at the end single tasks, so that nobody waits long for the last: half of the rest, shared out
 * (factoring: Hummel, Schonberg, Flynn 1992). */
static bool take_batch(struct pool *p, struct worker *w)
{
    const struct pool_setup *s = p->setup;
    if (p->n_again) {
        w->next = p->again[--p->n_again].next;
        w->end = p->again[p->n_again].end;
        return true;
    }
    if (p->next == s->n)
        return false;
    size_t fair = (s->n - p->next) / (2 * (size_t)s->workers), most = fair < 1 ? 1 : fair < BATCH_MOST ? fair : BATCH_MOST;
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
    atomic_init(&w->said->next, w->next);
    atomic_init(&w->said->since_ns, clock_ns());
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
    w->late = NOBODY;
    return 0;
}

static void put_back(struct pool *p, size_t next, size_t end)
{
    if (next == end)
        return;
    mem_grow(&p->again, &p->again_capacity, p->n_again, sizeof *p->again);
    p->again[p->n_again].next = next;
    p->again[p->n_again++].end = end;
}

static size_t busy_workers(const struct pool *p)
{
    size_t busy = 0;
    for (unsigned i = 0; i < p->setup->workers; i++)
        busy += p->worker[i].pid != 0;
    return busy;
}

/* Fewer workers than wanted are enough, as long as there is one. */
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

/* ---- What workers say, and how they end ---- */

static const char *why_of(const struct pool *p, const struct worker *w, int status, char to[128])
{
    if (w->late != NOBODY)
        snprintf(to, 128, "passed its time limit of %.15g s", seconds(p->setup->limit_ns));
    else if (WIFSIGNALED(status))
        snprintf(to, 128, "crashed: signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(to, 128, "its process ended with exit status %d", WEXITSTATUS(status));
    return to;
}

static void hear(struct pool *p, struct worker *w)
{
    for (size_t next = atomic_load(&w->said->next); w->next < next; w->next++)
        p->setup->done(p->setup->self, w->next, p->well[w->next]);
}

static void bury(struct pool *p, struct worker *w)
{
    int status = 0;
    char why[128];
    close(w->fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    hear(p, w);
    if (w->next == w->end || atomic_load(p->setup->interrupted))
        return;
    bool innocent = w->late != NOBODY && w->late != w->next;     /* the late one has just returned after all */
    if (!innocent) {
        p->setup->lost(p->setup->self, w->next, why_of(p, w, status, why));
        w->next++;
    }
    put_back(p, w->next, w->end);
}

/* Milliseconds until somebody must be looked at. */
static int kill_late(struct pool *p)
{
    int64_t limit_ns = p->setup->limit_ns, now_ns = clock_ns(), wait_ns = TICK_MS * (NS_PER_S / 1000);
    for (unsigned i = 0; limit_ns && i < p->setup->workers; i++) {
        struct worker *w = &p->worker[i];
        if (!w->pid || w->late != NOBODY)
            continue;
        size_t task = atomic_load(&w->said->next);
        int64_t left_ns = atomic_load(&w->said->since_ns) + limit_ns - now_ns;
        if (left_ns <= 0) {
            w->late = task;
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
        p->poll[i] = (struct pollfd){ .fd = p->worker[i].pid ? p->worker[i].fd : -1, .events = POLLIN };
    bool ended = busy && poll(p->poll, p->setup->workers, wait_ms) > 0;
    for (unsigned i = 0; i < p->setup->workers; i++) {
        if (p->worker[i].pid)
            hear(p, &p->worker[i]);
        if (ended && p->poll[i].revents)
            bury(p, &p->worker[i]);
    }
    return busy;
}

/* Asked to end they have some time to take away what they have half written. */
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
            bury(p, &p->worker[i]);
        }
}

/* Both sides see it, and nothing of it is written to a disk. */
static int share(struct pool *p, struct error *err)
{
    p->shared_bytes = p->setup->workers * sizeof *p->said + p->setup->n * sizeof *p->well;
    void *shared = mmap(NULL, p->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return error_set(err, "cannot share memory with workers: %s", strerror(errno));
    p->said = shared;
    p->well = (bool *)(p->said + p->setup->workers);
    for (unsigned i = 0; i < p->setup->workers; i++)
        p->worker[i].said = &p->said[i];
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
            busy = poll_all(&p, kill_late(&p)) > 0;
        if (setup->tick)
            setup->tick(setup->self);
    }
    if (result != 0)
        stop_all(&p);
    if (p.said)
        munmap(p.said, p.shared_bytes);
    free(p.worker);
    free(p.poll);
    free(p.again);
    return result;
}
