/* plan_report.h - what `gpuyard plan` has found, and its picture. */
#pragma once
#include "sim/study/sizing.h"

struct tried_value {              /* one tried value of one case */
    const char *label;            /* of the value */
    double gpus;                  /* of the cluster; mean over the runs */
    struct reached *of;           /* [n_targets] */
    double utilisation, cost;     /* means; cost: USD per useful GPU-hour, NaN without prices */
    size_t runs;
    bool met;                     /* all targets are */
};
struct planned_case {
    const char *name;             /* the values of the other axes with several values */
    size_t n;
    struct tried_value *value;    /* in the order of the axis */
    const struct tried_value *found;    /* NULL: none */
    /* not monotone: a good value is followed by a bad one, or for `largest` the reverse */
    bool uneven;
};
struct plan_report {
    const char *experiment, *axis;
    bool largest;
    double confidence;
    size_t n_targets;
    const struct target *target;
    const char *const *target_text;
    size_t n;
    const struct planned_case *of;
};

/* The metric of each target over the axis, a line for each case, and the bound of the target. An
 * exit status; says what is wrong. */
int plan_plot(const struct plan_report *r, const char *path);
