/* trace_event.h - events of the Trace Event Format ("Trace Event Format", Google, the document that
 * Chromium's tracing names): JSON that ui.perfetto.dev and chrome://tracing open.
 *
 * An event is begun with its phase, name, process and thread; pairs follow; then it is ended. Times
 * are microseconds with fractions, to the nanosecond. Texts that are no UTF-8 become "?". */
#pragma once
#include "sim/io/output.h"

#include <stddef.h>

struct trace_writer { struct output *o; bool any; };          /* any: an event was written */

void trace_event_begins(struct trace_writer *t, const char *phase, const char *name, int64_t pid,
                        int64_t tid);
void trace_event_ends(struct trace_writer *t);
void trace_put_string(struct output *o, const char *text);
/* ,"KEY": */
void trace_put_key(struct output *o, const char *key);
void trace_put_pair(struct output *o, const char *key, int64_t number);
void trace_put_us(struct output *o, const char *key, int64_t ns);
void trace_put_text(struct output *o, const char *key, const char *text);   /* "": nothing */

/* A name or a place in the order, "process_..." or "thread_...". */
void trace_put_name(struct trace_writer *t, const char *what, int64_t pid, int64_t tid,
                    const char *name);
void trace_put_order(struct trace_writer *t, const char *what, int64_t pid, int64_t tid,
                     int64_t place);
