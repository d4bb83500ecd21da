/* sharing.h - interference on shared GPUs: the speed of each tenant, and the memory that it takes.
 *
 * models.md 7. A tenant's duties are the fractions of time that it keeps the processors (u) and the
 * memory (v) of the GPU busy without other tenants. Speeds are relative to that: 1 is undisturbed,
 * and no tenant is faster. Duties are whole millionths, so that sums over tenants do not depend on
 * the order in which they came.
 *
 * Tags as in catalogue.c: [P] paper, [R owner/repo:path] file read, [D] derived from the data
 * named, [A] assumption. */
#pragma once
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/io/config.h"

#include <stdbool.h>
#include <stdint.h>

enum sharing_mode {
    SHARING_EXCLUSIVE,            /* off: a tenant is as fast as alone */
    SHARING_TIMESLICE,            /* tenants use the processors in turn */
    SHARING_MPS,                  /* tenants run concurrently and interfere */
    SHARING_FRACTION,  /* as MPS, with the processors of a tenant limited to its share of the GPU */
};
enum oom_outcome {
    OOM_REJECT,                   /* a job is not placed on a GPU with too little memory */
    OOM_FAIL,                     /* it is placed there and fails when its start-up is over */
};

#define DUTY_ALL    1000000u
#define DUTY_UNSAID UINT32_MAX
struct duty { uint32_t compute, bandwidth; };     /* u and v, in millionths */
/* How busy a model keeps a GPU, for jobs that name their model and not their duties. */
struct model_duty {
    const char *model;
    uint32_t batch;               /* at which it was measured; 0: it has none */
    struct duty duty;             /* on one GPU, alone */
    uint32_t mem_mib;             /* of GPU memory; 0: not known */
};
extern const struct model_duty duty_catalogue[];             /* ends with a NULL model */

struct sharing {                  /* defaults: sharing_usual */
    int mode, oom;                /* enum sharing_mode, enum oom_outcome */
    double switch_loss;  /* timeslice: of the speed, for each tenant beyond the first; 0.03 [A] */
    double switch_least;          /* lower bound of the switching factor; 0.7 [A] */
    double compute_factor;        /* mps: k_c = 0.44 and k_m = 0.087 [D: least squares on 2761
                                     ordered pairs, RMSE .092, of */
    double bandwidth_factor;      /* S-Lab-System-Group/Lucid:simulation/data/colocate_info.csv,
                                     analyzer/single_data.csv] */
    double combined_most;         /* of all tenants together, in units of a tenant with u = 1: 2,
                                     the max of any pair */
    double fraction_exponent;     /* theta = 1 [A] */
    double mig_exponent;          /* 0.9 [A]; 0: an instance computes as fast as the whole GPU */
    int64_t mig_reconfigure_ns;   /* to cut a GPU anew: 10 s [A] */
    int64_t context_mib;          /* of GPU memory, for each tenant beside its own: 0.5 GiB [A] */
    double memory_usable;         /* part of a GPU's memory that tenants can have: 0.95 [A] */
    const struct model_duty *duty;    /* [n_duties] of models, which come before those of
                                         duty_catalogue */
    uint32_t n_duties;
    struct throughput_pairs *pairs;   /* speeds of two tenants as they were measured, before any
                                         law; NULL: none */
    bool said;                    /* the section is given */
};
extern const struct sharing sharing_usual;

/* Section `sharing` of a cluster file; absent: sharing_usual. Files that it names lie beside those
 * of `folder`. Texts are kept in `memory`; to->pairs is the caller's. -1 with err. */
int sharing_read(struct config_value section, const char *folder, struct sharing *to,
                 struct arena *memory, struct error *err);
/* NULL: not known */
const struct model_duty *duty_find(const struct sharing *s, const char *model);

struct sharing_tenant {
    struct duty alone;            /* while it has work */
    uint32_t milli;               /* its share of the GPU, in thousandths */
    uint32_t work;  /* time in which it has work, in millionths: DUTY_ALL, less of a replica */
};
/* Sums over the tenants of one GPU. */
struct tenant_load { uint32_t tenants; int64_t compute, bandwidth; };
/* The mean load of a tenant: its duties, which SHARING_FRACTION limits to its share, x work. */
struct duty sharing_load(const struct sharing *s, const struct sharing_tenant *t);
/* Speed of a tenant that has work, where `c` has all tenants. In (0, 1]; 1 if sharing is off; u and
 * v are mean loads, but for the share/u of `fraction`, which limits it while it has work:
 *   timeslice  min(1, 1/U) x max(least, 1 - loss (k - 1)), U the sum of u over the k tenants;
 *   mps        min(1 / (1 + k_c max(0, U - 1) + k_m sum of the others' v), combined_most / U);
 *   fraction   min(1, milli/1000 / u)^theta, times the mps speed of loads that are limited to the
 *              shares.
 * The last term of mps binds from 11 tenants with u = 1 on: without it they would do more than
 * twice the work of a GPU. */
double sharing_speed(const struct sharing *s, const struct tenant_load *c, const struct sharing_tenant *t);

/* A MIG instance with so many of the compute and memory slices, relative to the whole GPU: its
 * processors (compute part)^0.9, its memory that part. */
struct mig_speeds { double compute, memory; };
struct mig_speeds sharing_mig_speeds(const struct sharing *s, uint32_t compute, uint32_t of_compute,
                                     uint32_t memory, uint32_t of_memory);
/* The speed there: that of its processors, and at most memory / v. */
double sharing_mig_speed(struct mig_speeds of, struct duty alone);

static inline bool sharing_counts_memory(const struct sharing *s)
{
    return s->mode != SHARING_EXCLUSIVE;
}
/* The memory of a GPU that tenants and their contexts can use, rounded down. */
int64_t sharing_usable_mib(const struct sharing *s, int64_t gpu_mem_mib);
