/* compare.h - what `gpuyard compare` has found, for each way of saying it. */
#pragma once
#include "sim/study/runset.h"
#include "sim/study/verdict.h"

#include <stdio.h>

struct compared {                 /* one metric */
    const char *metric, *scope, *unit;
    enum better better;
    double margin;                /* of the gate: 0.02 is two percent. NaN: not gated */
    double level, p_adjusted;     /* of the gate; adjusted by Holm over all gated metrics */
    struct comparison c;
    enum verdict verdict;         /* of a gated metric */
};
struct compare_report {
    const char *base, *new;       /* as given */
    const struct runset *base_set, *new_set;
    size_t n;
    const struct compared *row;
    enum verdict verdict;         /* the worst of the gated ones; PASS if none is gated */
    bool gated;
};
typedef void compare_writer(FILE *to, const struct compare_report *r);
compare_writer compare_text, compare_csv, compare_json, compare_junit, compare_github;
