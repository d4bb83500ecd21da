/* validation.h - what is said of a simulated run against the recorded one: of all jobs, and by
 * size, queue and hour of submission; and of the utilisation. */
#pragma once
#include "sim/cli/validate/pairs.h"

#include <jansson.h>
#include <stdio.h>

/* One group of jobs. error_s: mean of |simulated - recorded|. */
struct wait_group { char name[64]; size_t jobs; double was_mean_s, is_mean_s, error_s; };
struct wait_groups {
    const char *by;               /* "size", "queue", "hour" */
    struct wait_group *group;
    size_t n;
};
enum { BY_SIZE, BY_QUEUE, BY_HOUR, GROUPINGS };
enum { QUANTILES_TOLD = 3 };
struct validation {
    const char *recorded, *simulated;           /* directories */
    struct agreement all;
    struct { double p, was_s, is_s; } quantile[QUANTILES_TOLD];
    struct wait_groups groups[GROUPINGS];       /* without empty ones; of queues the largest */
    size_t hours;
    double hour_error;            /* mean of |simulated - recorded| share of the GPUs, by hour */
    double hour_correlation;      /* Pearson's; NaN: one of both is level */
    double was_share, is_share;   /* mean utilisation of these hours */
    size_t only_recorded, only_simulated;
    bool dated;
};
/* One of the measures of agreement.h, with the words and the unit in which it is told. */
enum { VALIDATION_MEASURES = 5 };
struct validation_measure {
    const char *name, *unit;
    struct with_bounds at;        /* in that unit */
    bool bounded;
};
struct validation *validation_of(const struct pairs *p, const char *recorded, const char *simulated,
                                 double block_s, uint64_t seed);
void    validation_free(struct validation *v);
/* What it may stand for, in one sentence. */
enum { SENTENCE_MAX = 512 };
const char *validation_sentence(char to[SENTENCE_MAX], const struct validation *v);
void    validation_measures(const struct validation *v,
                            struct validation_measure to[VALIDATION_MEASURES]);
void    validation_text(FILE *to, const struct validation *v);
json_t *validation_json(const struct validation *v);
