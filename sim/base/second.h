/* second.h - a second thread, where it is worth one: one that a machine with one processor does not get, and that no signal
 * reaches. */
#pragma once
#include <pthread.h>
#include <stdbool.h>

/* Runs run(self), until which pthread_join() waits. false: there is none, as this process may run on one processor only or no
 * thread can be made. It has a lower priority than the caller, which mostly simulates and is waited for in the end: where there are
 * more threads than processors, the simulation keeps its own. */
bool second_start(pthread_t *thread, void *(*run)(void *self), void *self);
