/* interrupt.h - signals and the end of memory leave no partial directory of results.
 *
 * While nothing has been written, SIGINT, SIGTERM and SIGHUP (unless they are ignored from the
 * start) end the program at once with status 130. Between interrupt_guard() and interrupt_end()
 * the first signal sets a flag, which the run polls. A second signal, or two seconds in which
 * the flag is not polled, removes the results and ends the program. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

struct results;
void interrupt_begin(void);
/* returns the flag; NULL: there are no results to remove */
const atomic_bool *interrupt_guard(struct results *r);
/* from now on results are committed or discarded, which no signal cuts short */
void interrupt_hold(void);
void interrupt_end(void);     /* signals end the program at once again */
