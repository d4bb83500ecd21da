/* compare_report.h - what `gpuyard compare` has found, and the ways of saying it. */
#pragma once
#include "sim/study/contrast.h"

#include <math.h>
#include <stdio.h>

struct compared {                 /* one metric */
    const char *metric, *scope, *unit;
    double margin;                /* of the gate: 0.02 is two percent; NaN: not gated */
    double p_beyond;              /* of a gated metric; adjusted by Holm over all of them */
    struct comparison c;
    enum verdict verdict;         /* of a gated metric */
    size_t corrected;             /* of so many metrics; the interval lies beyond the margin, but
                                     Holm's correction lets it be chance; 0: it does not */
};
struct compare_report {
    const char *base, *new;       /* as given */
    const struct contrast *runs;
    double level;                 /* 1 - confidence of all intervals */
    size_t n, gated;
    const struct compared *row;
    enum verdict verdict;         /* the worst verdict of gated metrics; PASS if none is gated */
};

static inline bool is_gated(const struct compared *x)
{
    return !isnan(x->margin);
}

/* ---- In words ---- */

enum { COMPARE_LINE = 640, COMPARE_NUMBER = 48, COMPARE_RANGE = 112 };
/* metric, or metric@scope */
const char *compare_name(char to[COMPARE_LINE], const struct compared *x);
/* "Mean completion time 36 % longer (23 to 50 %); allowed 2 %: FAIL", without a line feed */
const char *compare_sentence(char to[COMPARE_LINE], const struct compared *x);
/* +36.20%; "from 0" where the base is 0 */
const char *compare_change(char to[COMPARE_NUMBER], const struct compared *x);
/* "+23.10% to +50.40%"; "" without statistics, and where the base is 0 */
const char *compare_range(char to[COMPARE_RANGE], const struct compared *x, const struct bounds *b);
const char *compare_mark(const struct compared *x);           /* worse, better, or "" */
/* What the sentences begin with: gated metrics, the worst verdict first; without a gate the first
 * metric. order: [n]. Returns how many there are. */
size_t compare_order(const struct compare_report *r, const struct compared **order);
/* Lines that say what was compared with what. */
void compare_subject(FILE *to, const struct compare_report *r, const char *before,
                     void (*put)(FILE *to, const char *text));

/* Jobs of all these runs that did not end: no mean and no quantile of jobs includes them. */
double compare_unended(const struct run_record *const *run, size_t n);

/* ---- Writers ---- */
void compare_text(FILE *to, const struct compare_report *r);
void compare_markdown(FILE *to, const struct compare_report *r);
void compare_csv(FILE *to, const struct compare_report *r);
void compare_json(FILE *to, const struct compare_report *r);
void compare_junit(FILE *to, const struct compare_report *r);
void compare_github(FILE *to, const struct compare_report *r);
