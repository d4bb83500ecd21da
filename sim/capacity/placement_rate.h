/* placement_rate.h - how fast a job trains on its placement: models.md 2, by the rules of the
 * cluster (rate_rules.h).
 *
 * Progress is counted in iterations; a job with only a duration does one a second at its reference
 * placement, which is the best one for its number of GPUs on an empty cluster of the reference
 * GPUs. */
#pragma once
#include "sim/base/intern.h"
#include "sim/capacity/placement_form.h"
#include "sim/models/network/rate_rules.h"
#include "sim/models/training/parallel_time.h"
#include "sim/models/training/training_models.h"

struct placement_rate {
    double compute_s, comm_s;     /* of an iteration here: together iteration_s() */
    double overlap;
    double reference_s;           /* of an iteration of the whole job at its reference placement */
    double network_s;             /* of comm_s, the time in which it sends between its units; 0: it
                                     does not */
    enum rate_model by;           /* the model that was used */
    struct parallel_time parallel;    /* by RATE_PARALLEL: the parts of both; else 0 */
};

struct placement_rates;           /* of one run: models found by name, references computed once */
/* `models`: the training models that the trace names, by number. Both are kept by pointer. */
struct placement_rates *placement_rates_new(const struct cluster *c, const struct rate_rules *rules,
                                            const struct intern *models);
void placement_rates_free(struct placement_rates *r);        /* NULL: does nothing */

/* Rate of a job that trains `model` (ID_NONE: unknown) on n_gpus when it is complete. If the form
 * has fewer GPUs, the times are those of its tasks: the progress rate is the share of tasks that
 * run times reference_s / iteration_s. */
struct placement_rate placement_rate(struct placement_rates *r, uint32_t model, uint32_t n_gpus,
                                     const struct placement_form *f);
struct placement_rate placement_rate_on(struct placement_rates *r, uint32_t model, uint32_t n_gpus,
                                        const struct placement *p);
double placement_slowdown(const struct placement_rate *r);   /* 1 at the reference placement */
/* With what its links leave it if it is alone on them, and with the groups of its ranks, where
 * these are asked for; the groups are valid until the next call. */
struct placement_form placement_rate_form(struct placement_rates *r, uint32_t model,
                                          const struct placement *p);
/* Bytes a second that the NICs of each of its nodes let its GPUs send, after losses; INFINITY: not
 * known. */
double placement_nic_bps(const struct placement_rates *r, const struct placement_form *f);

/* Bytes a second that GPUs of one half of a placement send to those of the other, on another node or
 * the same, after losses, beside nothing else; or with those shares of the links (struct phased_job).
 * 0: not known. */
double placement_path_bps(struct placement_rates *r, const struct placement *both,
                          const double share[REACHES]);

/* The analytic model of one form, for tests and lists: 2.1. */
void placement_analytic(const struct rate_rules *rules, const struct training_model *m,
                        const struct placement_form *f, struct placement_rate *to);
