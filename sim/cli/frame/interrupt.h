/* interrupt.h - what a signal, or the end of memory, must not leave behind: half a directory of results.
 *
 * SIGINT, SIGTERM and SIGHUP (unless whoever started us has them ignored) end the program at once with status 130 as
 * long as nothing has been written. Between interrupt_guard() and interrupt_end() the first one raises a flag that the run
 * looks at; a second one, or two seconds in which nobody looked, remove the results and end the program. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

struct results;
void interrupt_begin(void);
const atomic_bool *interrupt_guard(struct results *r);
void interrupt_hold(void);    /* the results now get their names or are thrown away: not both, and not by halves */
void interrupt_end(void);     /* all is done: signals end the program at once again */
