/* mig.h - MIG profiles: instances of a GPU, set up in advance or as jobs ask. An instance is a slot of its node like a GPU
 * with a name, taken whole or not at all.
 *
 * A profile `<g>g.<mem>gb` is a number: g x 2^12 + gigabytes. So no profile needs to be known to be used; those that NVIDIA
 * documents are in the catalogue. 0: no profile.
 *
 * What a slot counts, in quotas, capacity, GPU time and utilisation alike: a GPU one; an instance of a `mixed` node its g; an
 * instance of a `single` node one, for there it is what a request calls a GPU.
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/api/common_info/resources (schedulers.md, h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIG_WANTED   "a MIG profile like 1g.10gb"
#define MIG_NAME_MAX 16           /* bytes, with the end */

static inline uint32_t mig_g(uint16_t profile) { return profile >> 12; }
static inline uint32_t mig_gb(uint16_t profile) { return profile & 0xfff; }
uint16_t mig_profile(const char *name);                      /* 0: not well-formed */
const char *mig_name(uint16_t profile, char to[MIG_NAME_MAX]);    /* returns to */

/* What a catalogue GPU can be cut into. */
struct mig_design {
    const char *gpu_model, *profile;
    uint32_t memory_slices;
    uint32_t most;                /* on one GPU */
    uint8_t starts;               /* bit i: one may begin at memory slice i */
};
#define MIG_COMPUTE_SLICES 7u     /* at most, of any GPU */
#define MIG_MEMORY_SLICES  8u
#define MIG_DYNAMIC_GPUS   (64u / MIG_MEMORY_SLICES)
#define MIG_PROFILES_MOST  6u     /* of one model */
/* Ends with a NULL gpu_model; those of a model are side by side, the smaller first. */
extern const struct mig_design mig_catalogue[];
const struct mig_design *mig_design_whole(const char *gpu_model);             /* its largest, the whole GPU; NULL: none is known */
const struct mig_design *mig_design_smaller(const struct mig_design *d);      /* the next smaller of the model; NULL: d is the smallest */
const struct mig_design *mig_design_find(const char *gpu_model, const char *profile);    /* NULL: not known */
