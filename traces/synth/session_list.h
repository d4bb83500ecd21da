/* session_list.h - recorded interactive sessions: when each was used, by whom, and on what.
 *
 * A CSV file with a header; start_s and end_s are wanted:
 *
 *   start_s end_s        from the moment in which it could be used until it ended, in seconds
 *   active               when it ran something: "100-160;200-450", seconds of the same clock, one
 *                        after the other, between start and end; empty: never
 *   session user         its name (else GROUP-N), and that of its user (else each has one alone)
 *   gpus                 1; a whole number, or a share of one GPU
 *   gpu_type mig model   as in a trace
 *
 * It is submitted at its start, lasts as long as it did from the moment in which it can be used, and
 * its user thinks between the runs. */
#pragma once
#include "sim/base/memory.h"
#include "sim/io/input.h"
#include "sim/sessions/draw_sessions.h"

struct session_record {
    const char *name, *user, *gpu_type, *model;   /* NULL: not given */
    int64_t gpu_milli;
    uint16_t mig;                 /* 0: GPUs */
    size_t line;
};
/* [n] by start, then by line. */
struct session_list {
    size_t n;
    struct session *session;      /* without patience and start-up times */
    struct session_record *record;
    int64_t longest_ns;
    uint32_t users;               /* numbered in the order in which they first come in the file */
};
/* All is in `memory`. NULL with err. */
struct session_list *session_list_read(struct input *in, struct arena *memory, struct error *err);
