/* session_spec.h - a group of users who work on GPUs interactively, as numbers.
 *
 * Defaults are those of models.md 5: all assumptions but the idle times and start-ups, which are
 * from the FAQ of a provider. Results of the defaults are no findings. */
#pragma once
#include "sim/base/error.h"
#include "sim/models/draws/law.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session_law { struct law law; double least_s, most_s; }; /* of a time, cut as in cut_law.h */
struct session_size { int64_t gpu_milli; double share; };          /* shares in proportion */
/* A kind of session, drawn with it; shares in proportion. One that does not think runs nothing. */
struct session_kind {
    double share;
    bool thinks;
    struct session_law length, think, run;
    double forgotten;
};

enum session_cull {
    CULL_OFF,
    CULL_RELEASE, /* idle for release_ns it releases its GPUs, for delete_ns it ends */
    CULL_KILL,                    /* it only ends */
};
/* Idle: no run, nor a wait for one, since the end of the last run, or since the first usable
 * time. */
struct session_culling {
    enum session_cull how;
    int64_t release_ns, delete_ns;
    int64_t period_ns;            /* between visits of the culler, at its multiples; above 0 */
};
struct session_spec {
    const char *name;             /* of the group; names its random streams */
    size_t n_sizes;
    struct session_size *size;
    uint32_t users;
    /* sessions of a user on a day from Monday to Friday; 0: rate_per_h is given */
    double per_user_weekday;
    double rate_per_h;            /* of the group, mean over a week */
    double daily[24], weekly[7];  /* weights of the hours, and of the days from Monday on */
    struct session_law length;    /* from the first usable time until the user leaves */
    struct session_law think, run, patience;
    double forgotten;             /* P(the user leaves without closing it) */
    size_t n_kinds;               /* 0: all are as the four above say */
    struct session_kind *kind;
    struct session_culling culling;
    double cap_s;                 /* longest time from the first usable time to the end */
    double start_least_s, start_most_s;    /* start-up, uniform */
    double slo_s, slo_share;      /* slo_share of the sessions start within slo_s */
    double duty;                  /* of each GPU during a run */
};
/* All defaults, without a name; users 0. The sizes are constants. */
struct session_spec session_spec_default(void);
/* The mixture of models.md 5.1, into `memory`: one GPU each, never culled. */
struct arena;
void session_spec_adobe(struct session_spec *s, struct arena *memory);
extern const double session_warm_start_s;    /* of a warm pool */

/* Sessions per hour, mean over a week. */
double session_rate_per_h(const struct session_spec *s);
double session_cycle_s(const struct session_spec *s);       /* E[think] + E[run], without kinds */
/* E[run] / (E[run] + E[think]): share of the time in which a session with GPUs is active. */
double session_active_share(const struct session_spec *s);    /* likewise without kinds */
/* Whether the group has such laws; -1 with err. */
int session_spec_check(const struct session_spec *s, struct error *err);
