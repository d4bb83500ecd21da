/* goodput.h - how fast an elastic job learns on a given number of GPUs, when its batch size follows
 * them.
 *
 * Pollux (Qiao et al., OSDI'21), section 3; models.md 3.6. K replicas take global batches of M = K
 * b (s + 1) samples: b at a time on each, s times more before they agree on a step. Throughput
 * counts samples, goodput the useful ones: a sample of a large batch gives less progress than one
 * of the batch M0 that the user chose. Times are seconds, batches samples, goodput samples of M0
 * per second. */
#pragma once
#include <stdint.h>

/* Step times on one GPU model, fitted to measurements; sources in goodput.c. */
struct goodput_fit {
    const char *model, *gpu;
    double grad_s, grad_s_per_sample;            /* alpha_c, beta_c */
    double across_s, across_s_per_replica;  /* alpha_n, beta_n: replicas on several nodes agree */
    double within_s, within_s_per_replica;       /* alpha_r, beta_r: on one node */
    double overlap;  /* gamma: 1: gradients, then the exchange; greater: more of both at once */
    double least_local, most_local;              /* b: samples at a time on one GPU */
    double rmsle;  /* error of the fit: root mean square, of the log of the step time */
};
/* Parameters that do not depend on the GPU. */
struct goodput_model {
    const char *name;
    double first_batch, most_batch;              /* M0, and the max M of the training */
    double first_noise, last_noise;              /* gradient noise scale at the beginning and at the
                                                    end, in samples */
    double restart_s;  /* from a change of its GPUs until it trains again */
};
extern const struct goodput_fit goodput_fits[];  /* by model, then GPU; ends with a NULL model */
extern const struct goodput_model goodput_models[];      /* by name; ends with a NULL name */
/* NULL: none; case does not matter */
const struct goodput_fit *goodput_fit(const char *model, const char *gpu);
const struct goodput_model *goodput_model(const char *name);  /* NULL: none; case does not matter */

struct replicas { uint32_t n, nodes; };  /* each one GPU; n > 0, spread over so many nodes */

double goodput_grad_s(const struct goodput_fit *f, double local);  /* T_grad(b) */
/* T_sync; 0 for one replica */
double goodput_sync_s(const struct goodput_fit *f, struct replicas r);
/* `more` is s */
double goodput_step_s(const struct goodput_fit *f, struct replicas r, double local, uint32_t more);
/* (phi + M0) / (phi + M) */
double goodput_efficiency(const struct goodput_model *m, double noise, double batch);
/* phi0 (phi1 / phi0)^done; done in [0, 1] */
double goodput_noise(const struct goodput_model *m, double done);

struct goodput {
    double batch, local;          /* M and b */
    uint32_t more;                /* s */
    double throughput, efficiency, goodput;
};
/* The best of GOODPUT_POINTS batches in geometric steps from max(M0, n b_min) to M_max, each with
 * the fewest accumulations that b_max allows; equal: the smaller batch. Replicas beyond M_max /
 * b_min are idle. */
enum { GOODPUT_POINTS = 50 };
struct goodput goodput_best(const struct goodput_model *m, const struct goodput_fit *f,
                            double noise, struct replicas r);
/* over one replica */
double goodput_speedup(const struct goodput_model *m, const struct goodput_fit *f, double noise,
                       struct replicas r);
