/* draw_sessions.h - arrivals of sessions and the intended actions of their users, drawn before the
 * run: the same for every policy.
 *
 * Arrivals are Poisson by hour and day (arrivals.h). Each property of session k comes from the
 * stream (seed and group, property, k), its phases from two streams in order. All values are
 * hashed. */
#pragma once
#include "sim/sessions/session_spec.h"

struct session {
    int64_t submit_ns;
    int64_t length_ns;            /* from the first usable time until the user leaves */
    int64_t patience_ns;          /* of each wait for GPUs */
    int64_t start_up_ns;          /* each time it gets GPUs */
    uint32_t user;                /* from 0 */
    uint16_t size;                /* index of session_spec.size; 0 of recorded ones */
    uint16_t kind;                /* index of session_spec.kind; 0 without kinds */
    bool     forgotten;           /* the user leaves without closing it */
    uint32_t n_phases;
    /* [n_phases] think and run times in turn, from a think time on; their sum is above length_ns or
     * the cap, so they do not run out. */
    const int64_t *phase_ns;
};
/* The sessions of a group, and its rules. */
struct sessions {
    const char *name;
    struct session_culling culling;
    int64_t cap_ns, slo_ns;
    double slo_share, duty;
    size_t n;
    struct session *session;      /* by submit time */
    uint64_t drawn;               /* hash of all drawn values */
};
struct session_groups {
    size_t n;
    struct sessions *group;
    uint64_t drawn;               /* of all groups */
};
struct arena;
/* The sessions submitted before until_s. since_1970_ns: the date of time 0; TIME_NEVER: a Monday.
 * All is in `memory`. false: more than `most` sessions. */
bool sessions_draw(struct sessions *to, const struct session_spec *spec, uint64_t seed,
                   int64_t since_1970_ns, double until_s, size_t most, struct arena *memory);
/* Recorded sessions [n], by submit time: their users, lengths and phases are as recorded. How long a
 * user waits for GPUs and how long they start up is drawn like that of others. */
void sessions_replay(struct sessions *to, const struct session_spec *spec, uint64_t seed,
                     const struct session *recorded, size_t n, struct arena *memory);
/* One of several by weight, from the stream (seed and group, purpose, k). */
struct shares;
size_t sessions_choose(const struct session_spec *spec, uint64_t seed, const char *purpose,
                       uint64_t k, const struct shares *among);
