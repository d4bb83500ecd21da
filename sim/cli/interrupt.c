/* interrupt.c - see interrupt.h. */
#include "sim/cli/interrupt.h"

#include "sim/cli/cli.h"
#include "sim/core/memory.h"
#include "sim/run/results.h"

#include <signal.h>
#include <unistd.h>

enum { TIMES_MOST = 3 };

/* A signal handler has no argument to find its things by. */
static struct {
    atomic_bool guarded, interrupted;
    atomic_int times;
    struct results *results;
} state;

static void on_signal(int number)
{
    (void)number;
    if (!atomic_load(&state.guarded) || atomic_fetch_add(&state.times, 1) + 1 >= TIMES_MOST)
        _exit(EXIT_INTERRUPTED);
    atomic_store(&state.interrupted, true);
}

static void memory_is_over(void)
{
    struct results *r = state.results;
    state.results = NULL;
    results_discard(r);
}

void interrupt_begin(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old, act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
        sigemptyset(&act.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &act, NULL);
    }
    mem_on_failure(memory_is_over);
}

const atomic_bool *interrupt_guard(void)
{
    atomic_store(&state.guarded, true);
    return &state.interrupted;
}

void interrupt_results(struct results *r)
{
    state.results = r;
}

void interrupt_end(void)
{
    atomic_store(&state.guarded, false);
}
