/* second.c - see second.h. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "sim/base/second.h"

#include "sim/base/memory.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

/* That this process may run on. */
static bool two_processors(void)
{
    cpu_set_t may;
    return sched_getaffinity(0, sizeof may, &may) == 0 && CPU_COUNT(&may) > 1;
}

struct start { void *(*run)(void *self); void *self; };

/* Linux keeps a nice value for each thread. */
static void *run_behind(void *self)
{
    enum { STEPS = 5 };
    const struct start x = *(struct start *)self;
    free(self);
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + STEPS);
    return x.run(x.self);
}

/* A thread begins with the signals that its maker lets through. */
bool second_start(pthread_t *thread, void *(*run)(void *self), void *self)
{
    sigset_t all, was;
    if (!two_processors())
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    struct start *x = mem_new(1, sizeof *x);
    *x = (struct start){ run, self };
    bool started = pthread_create(thread, NULL, run_behind, x) == 0;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    if (!started)
        free(x);
    return started;
}
