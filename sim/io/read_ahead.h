/* read_ahead.h - private to this folder: bytes that a second thread reads and decodes while their reader goes on with those
 * before.
 *
 * The thread fills blocks one after the other, up to a few ahead of the reader, and ends with the bytes, with an error, or when
 * it is told to. The reader takes the bytes in their order, and at their end what ended them. From read_ahead_begin() to
 * read_ahead_end() only the thread touches what it reads from. */
#pragma once
#include "sim/base/error.h"
#include <stddef.h>

/* At least one byte, up to `capacity`; 0 at the end; -1 with err. Must not wait for long: read_ahead_end() waits for it. */
typedef long read_some(void *self, void *to, size_t capacity, struct error *err);
struct read_ahead;
struct read_ahead *read_ahead_begin(read_some *read, void *self);          /* NULL: there is no second thread (second.h) */
long read_ahead_take(struct read_ahead *a, void *to, size_t capacity, struct error *err);    /* as read_some; capacity > 0 */
void read_ahead_end(struct read_ahead *a);                                 /* frees it. NULL: does nothing */
