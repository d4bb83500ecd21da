/* draw_sessions.h - who comes when, and what they would do: drawn before anything happens, so that every policy meets the same.
 *
 * Arrivals are Poisson by the hour and the day (arrivals.h). Each property of session k comes from the stream (seed and group,
 * property, k); its phases one after the other from two of these. What is drawn is hashed. */
#pragma once
#include "sim/sessions/session_spec.h"

struct session {
    int64_t submit_ns;
    int64_t length_ns;            /* from when it can be used until its user goes */
    int64_t patience_ns;          /* for each wait to use it */
    int64_t start_up_ns;          /* each time that it gets GPUs */
    uint32_t user;                /* from 0 */
    uint16_t size;                /* index into the spec's */
    bool     forgotten;           /* its user goes without closing it */
    uint32_t n_phases;
    const int64_t *phase_ns;      /* thinking and running in turn, from the first thought on: longer than length_ns or the cap in all,
                                     so never at an end before the user is */
};
/* A group of them: those that come, and by which rules. */
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
    uint64_t drawn;               /* of all */
};
struct arena;
/* Those submitted before until_s. since_1970_ns: the date of time 0; TIME_NEVER: a Monday. All is in `memory`. false: more than
 * `most`. */
bool sessions_draw(struct sessions *to, const struct session_spec *spec, uint64_t seed, int64_t since_1970_ns, double until_s,
                   size_t most, struct arena *memory);
