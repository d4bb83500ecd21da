/* session_spec.h - a group of people who work on GPUs interactively, as numbers.
 *
 * Defaults are those of models.md 5, all assumptions but the idle times and start-ups, which are of a provider's FAQ. Never quote what
 * comes of them as a finding. */
#pragma once
#include "sim/base/error.h"
#include "sim/models/draws/law.h"
#include <stdint.h>

struct session_law { struct law law; double least_s, most_s; };    /* of a time; cut, as cut_law.h says */
struct session_size { int64_t gpu_milli; double share; };          /* shares in proportion */

enum session_cull {
    CULL_OFF,
    CULL_RELEASE,                 /* after release_ns without a run the GPUs go back, after delete_ns the session ends */
    CULL_KILL,                    /* only the latter */
};
/* Idle: no run goes on or is waited for, since the end of the last one; since the session could be used if there was none. */
struct session_culling {
    enum session_cull how;
    int64_t release_ns, delete_ns;
    int64_t period_ns;            /* looked at multiples of it only; above 0 */
};
struct session_spec {
    const char *name;             /* of the group; names its streams */
    size_t n_sizes;
    struct session_size *size;
    uint32_t users;
    double per_user_weekday;      /* sessions of a user from Monday to Friday, each day; 0: rate_per_h says it */
    double rate_per_h;            /* of all, on the mean of a week */
    double daily[24], weekly[7];  /* weights of the hours, and of the days from Monday on */
    struct session_law length;    /* from when it can be used for the first time until the user goes */
    struct session_law think, run, patience;
    double forgotten;             /* P(the user goes without closing it) */
    struct session_culling culling;
    double cap_s;                 /* it ends so long after it could be used, at the latest */
    double start_least_s, start_most_s;    /* start-up, uniform */
    double slo_s, slo_share;      /* time to start of so many of them */
    double duty;                  /* how busy a run keeps each GPU */
};
/* Everything at its default, without a name; users 0. Its sizes are constants. */
struct session_spec session_spec_default(void);
extern const double session_warm_start_s;    /* of a warm pool */

/* Sessions an hour, on the mean of a week. */
double session_rate_per_h(const struct session_spec *s);
double session_cycle_s(const struct session_spec *s);       /* E[think] + E[run] */
/* E[run] / (E[run] + E[think]): the share of its time that a session is active in the long run, where it is never without GPUs. */
double session_active_share(const struct session_spec *s);
/* Whether there are laws as it wants them; err says why not. */
int session_spec_check(const struct session_spec *s, struct error *err);
