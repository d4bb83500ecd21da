/* relay.h - slots of a ring that one thread, the filler, fills and another, the taker, takes, in order.
 *
 * A thread that finds no slot for it sleeps until half of them are there for it, or nothing more comes: to put a thread to sleep
 * and to wake it may cost more than the work of a slot, above all where processors are virtual. So neither waits for the other
 * slot by slot, and both are at work at any time but the first and the last. What is in the slots is the callers'; what the filler
 * has written there the taker sees, and what the taker has read there is not written before it is taken. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct relay;
struct relay *relay_new(size_t slots);               /* slots > 0 */
void relay_free(struct relay *r);                    /* when one thread alone uses it. NULL: does nothing */

/* By the filler. */
bool relay_wait_free(struct relay *r);               /* until the next slot may be filled; false: the taker takes no more */
void relay_filled(struct relay *r);                  /* that slot */
void relay_end(struct relay *r);                     /* no further one is filled; may be said once more */

/* By the taker. */
bool relay_wait_filled(struct relay *r);             /* until the next slot may be taken; false: there is none, and none comes */
void relay_taken(struct relay *r);                   /* that slot */
void relay_stop(struct relay *r);                    /* no further one is taken */
