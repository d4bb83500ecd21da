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
struct sessions {
    const struct session_spec *spec;
    size_t n;
    struct session *session;      /* by submit time */
    uint64_t drawn;               /* hash of all drawn values */
    struct arena *memory;
};
/* Those submitted before until_s. since_1970_ns: the date of time 0; TIME_NEVER: a Monday. The spec is borrowed. false: more than
 * `most`. Freed in any case. */
bool sessions_draw(struct sessions *to, const struct session_spec *spec, uint64_t seed, int64_t since_1970_ns, double until_s,
                   size_t most);
void sessions_free(struct sessions *s);
