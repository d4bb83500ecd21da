/* sizing_say.h - what `gpuyard plan` has found, for each way of saying it. */
#pragma once
#include "sim/study/sizing.h"

#include <stdio.h>

struct tried_value {              /* one value of one case that was tried */
    const char *label;            /* of the value */
    double gpus;                  /* of the cluster; mean, if traces change it */
    struct reached *of;           /* [n_targets] */
    double utilisation, cost;     /* means; cost for each useful GPU-hour, NaN where nothing has a price */
    size_t runs;
    bool met;                     /* all targets are */
};
struct planned_case {
    const char *name;             /* the values of the other axes that have several */
    size_t n;
    struct tried_value *value;    /* in the order of the axis */
    const struct tried_value *found;    /* NULL: none */
    bool uneven;                  /* some value is good though one that should be worse is not, or the other way round */
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
typedef void plan_writer(FILE *to, const struct plan_report *r);
plan_writer plan_text, plan_csv, plan_json;
