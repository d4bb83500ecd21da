/* second.c - see second.h. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "sim/base/second.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>

/* That this process may run on. */
static bool two_processors(void)
{
    cpu_set_t may;
    return sched_getaffinity(0, sizeof may, &may) == 0 && CPU_COUNT(&may) > 1;
}

/* A thread begins with the signals that its maker lets through. */
bool second_start(pthread_t *thread, void *(*run)(void *self), void *self)
{
    sigset_t all, was;
    if (!two_processors())
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    bool started = pthread_create(thread, NULL, run, self) == 0;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return started;
}
