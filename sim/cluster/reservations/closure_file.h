/* closure_file.h - the times of a closure as keys of an entry: from_s, until_s, drain_s, every_s,
 * running. */
#pragma once
#include "sim/base/units.h"
#include "sim/io/config.h"
#include "sim/models/closure.h"

struct file_closure { struct closure is; int running; };
extern const char *const closure_running_words[];            /* what becomes of jobs that run: stop keep */
/* Rows of a table of keys; `base`: the offset of a struct file_closure. */
#define CLOSURE_AT(base, field) ((base) + offsetof(struct file_closure, field))
#define CLOSURE_KEYS(base) \
    { .name = "from_s",  CONFIG_SECONDS, .at = CLOSURE_AT(base, is.from_ns), .required = true }, \
    { .name = "until_s", CONFIG_SECONDS, .at = CLOSURE_AT(base, is.until_ns), .required = true }, \
    { .name = "drain_s", CONFIG_SECONDS, .at = CLOSURE_AT(base, is.drain_ns) }, \
    { .name = "every_s", CONFIG_SECONDS, .at = CLOSURE_AT(base, is.every_ns), .above_least = true }, \
    { .name = "running", .type = CONFIG_CHOICE, .at = CLOSURE_AT(base, running), .words = closure_running_words }
/* Checks what was read and completes f->is. what: its name in messages. 0, or -1 with err. */
int closure_complete(struct config_value entry, struct file_closure *f, const char *what,
                     struct error *err);
