/* interrupt.c - see interrupt.h. */
#include "sim/cli/frame/interrupt.h"

#include "sim/cli/frame/cli.h"
#include "sim/base/memory.h"
#include "sim/results/results.h"

#include <signal.h>
#include <unistd.h>

enum { PATIENCE_S = 2 };

/* Global, as a signal handler has no argument. */
static struct {
    atomic_bool guarded, interrupted;
    _Atomic(struct results *) results;
} state;

static void remove_results(void)
{
    struct results *r = atomic_exchange(&state.results, NULL);
    if (r)
        results_remove(r);
}

/* Also handles SIGALRM: the run has not polled the flag for PATIENCE_S. While results are
 * committed or discarded, there are none to remove, and the signal waits for the end of that. */
static void on_signal(int number)
{
    (void)number;
    bool first = !atomic_exchange(&state.interrupted, true);
    if (atomic_load(&state.guarded) && (first || !atomic_load(&state.results))) {
        alarm(PATIENCE_S);
        return;
    }
    remove_results();
    _exit(EXIT_INTERRUPTED);
}

void interrupt_begin(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old, act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
        sigfillset(&act.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &act, NULL);
    }
    mem_on_failure(remove_results);
}

const atomic_bool *interrupt_guard(struct results *r)
{
    atomic_store(&state.results, r);
    atomic_store(&state.guarded, true);
    return &state.interrupted;
}

void interrupt_hold(void)
{
    atomic_store(&state.results, NULL);
}

void interrupt_end(void)
{
    alarm(0);
    atomic_store(&state.guarded, false);
}
