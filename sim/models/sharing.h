/* sharing.h - what it costs to share a GPU: how fast each of its tenants gets on, and what memory each takes.
 *
 * models.md 7. A tenant's duties are fractions of the time that it would keep the processors (u) and the memory (v) of the
 * GPU busy if it were alone there. Speeds are relative to being alone: 1 is undisturbed, and nobody is faster. Duties are
 * whole millionths, so that sums over tenants do not depend on the order in which they came.
 *
 * Tags as in catalogue.c: [P] paper, [R owner/repo:path] file read, [D] derived from the data named, [A] assumption. */
#pragma once
#include "sim/base/units.h"

#include <stdbool.h>
#include <stdint.h>

enum sharing_mode {
    SHARING_EXCLUSIVE,            /* off: a share is as good as a GPU of its own */
    SHARING_TIMESLICE,            /* the processors go round in turns */
    SHARING_MPS,                  /* all at once, and in each other's way */
    SHARING_FRACTION,             /* nobody gets more of the processors than its share of the GPU; memory is in common */
};
enum oom_outcome {
    OOM_REJECT,                   /* who would find too little memory on a GPU is not placed there */
    OOM_FAIL,                     /* it is, and fails when its start-up is over */
};

#define DUTY_ALL    1000000u
#define DUTY_UNSAID UINT32_MAX
struct duty { uint32_t compute, bandwidth; };     /* u and v, in millionths */
struct model_duty;

struct sharing {                  /* defaults: sharing_usual */
    int mode, oom;                /* enum sharing_mode, enum oom_outcome */
    double switch_loss;           /* timeslice: of the speed, for each tenant beyond the first; 0.03 [A] */
    double switch_least;          /* what switching leaves at least; 0.7 [A] */
    double compute_factor;        /* mps: k_c = 0.44 and k_m = 0.087 [D: least squares on 2761 ordered pairs, RMSE .092, of */
    double bandwidth_factor;      /*   S-Lab-System-Group/Lucid:simulation/data/colocate_info.csv, analyzer/single_data.csv] */
    double combined_most;         /* of all tenants together, in units of a tenant with u = 1: 2, the most of any pair */
    double fraction_exponent;     /* theta = 1 [A] */
    double mig_exponent;          /* 0.9 [A]; 0: an instance computes as fast as the whole GPU */
    int64_t mig_reconfigure_ns;   /* to cut a GPU anew: 10 s [A] */
    int64_t context_mib;          /* of GPU memory, for each tenant beside its own: 0.5 GiB [A] */
    double memory_usable;         /* part of a GPU's memory that tenants can have: 0.95 [A] */
    const struct model_duty *duty;    /* [n_duties] of models, before those of duties.h */
    uint32_t n_duties;
    struct throughput_pairs *pairs;   /* speeds of two tenants as they were measured, before any law; NULL: none */
    bool said;                    /* there is such a section */
};
extern const struct sharing sharing_usual;

/* All tenants of one GPU, as sums: coming and going is adding and subtracting. */
struct gpu_load { uint32_t tenants; int64_t compute, bandwidth; };
/* What a tenant with a share of `milli` thousandths adds. In SHARING_FRACTION its duties are held down to that share. */
struct duty sharing_load(const struct sharing *s, struct duty alone, uint32_t milli);
/* The speed of one of them; `alone` and milli are its own, and all of them are in `c`. In (0, 1]; 1 if it is off:
 *   timeslice  min(1, 1/U) x max(least, 1 - loss (k - 1)), U the sum of u over the k tenants;
 *   mps        min(1 / (1 + k_c max(0, U - 1) + k_m sum of the others' v), combined_most / U);
 *   fraction   min(1, milli/1000 / u)^theta, times the mps speed of loads that are held down to the shares.
 * The last term of mps binds from 11 tenants with u = 1 on: without it they would get more than twice a GPU's work done. */
double sharing_speed(const struct sharing *s, const struct gpu_load *c, struct duty alone, uint32_t milli);

/* Of a MIG instance with that many of the GPU's compute and memory slices, against the whole GPU: (compute part)^0.9, and no
 * more than the memory part / v. */
double sharing_mig_speed(const struct sharing *s, uint32_t compute, uint32_t of_compute, uint32_t memory, uint32_t of_memory,
                         struct duty alone);

static inline bool sharing_counts_memory(const struct sharing *s) { return s->mode != SHARING_EXCLUSIVE; }
/* The footprints of all tenants and a context for each fit into the usable part of the GPU's, rounded down. */
int64_t sharing_usable_mib(const struct sharing *s, int64_t gpu_mem_mib);
