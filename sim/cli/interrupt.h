/* interrupt.h - what a signal, or the end of memory, must not leave behind: half a directory of results.
 *
 * SIGINT, SIGTERM and SIGHUP (unless whoever started us has them ignored) end the program at once with status 130 as
 * long as nothing has been written. From interrupt_guard() on they only raise a flag that the run looks at; the third
 * one ends the program all the same. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

struct results;
void interrupt_begin(void);
const atomic_bool *interrupt_guard(void);
void interrupt_results(struct results *r);    /* thrown away if memory ends; NULL: there are none any more */
void interrupt_end(void);                     /* all is written: signals end the program at once again */
