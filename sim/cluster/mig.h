/* mig.h - MIG profiles: instances of a GPU, set up in advance or on demand. An instance is a slot
 * of its node like a named GPU, taken whole or not at all.
 *
 * A profile `<g>g.<mem>gb` is a number: g x 2^12 + gigabytes. So no profile needs to be known to be
 * used; those that NVIDIA documents are in the catalogue. 0: no profile.
 *
 * A slot counts, in quotas, capacity, GPU time and utilisation: a GPU one; an instance of a `mixed`
 * node its g; an instance of a `single` node one, as requests ask for it as a GPU. After
 * NVIDIA/KAI-Scheduler:pkg/scheduler/api/common_info/resources (schedulers.md h). */
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

/* An instance that a GPU of the catalogue can be cut into. */
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
/* its largest, the whole GPU; NULL: none is known */
const struct mig_design *mig_design_whole(const char *gpu_model);
/* the next smaller of the model; NULL: d is the smallest */
const struct mig_design *mig_design_smaller(const struct mig_design *d);
/* NULL: not known */
const struct mig_design *mig_design_find(const char *gpu_model, const char *profile);

/* ---- Slices ----
 *
 * A GPU has up to 8 memory slices and 7 compute slices. An instance takes a run of memory slices
 * that begins where its profile allows it; the runs of two instances do not overlap, and all
 * instances together have at most the compute slices of the GPU. So a GPU may have free slices that
 * no instance can use: after 1g at slice 0 there is no place for 4g or 7g (models.md 1.2). Taken
 * slices, and places where an instance may begin, are masks: bit i is memory slice i. */
struct mig_cut {                  /* of one GPU */
    uint8_t taken;
    uint32_t compute;             /* slices taken */
};

/* what one takes that begins there */
static inline uint8_t mig_run(const struct mig_design *d, unsigned start)
{
    return (uint8_t)(((1u << d->memory_slices) - 1) << start);
}
/* where one may begin now */
uint8_t mig_places(const struct mig_design *d, const struct mig_cut *cut);
/* Where the next instance goes, on GPUs of 8 bits each: of the slices `free`, one of the places
 * `begins`, which is not 0. It is the place that leaves the most places for further instances,
 * counted over all profiles; of equals the lowest. So 3g begins at 4, not 0, and leaves room for
 * 4g. NVIDIA's driver does the same as far as known: 3g at 4, then 2g at 0 and 1g at 2 and 3 in
 * NVIDIA/DCGM issue #138. */
unsigned mig_place_among(const struct mig_design *d, uint64_t free, uint64_t begins);
void mig_take(struct mig_cut *cut, const struct mig_design *d, unsigned start);

/* Whether the listed numbers of instances have places on `gpus` empty GPUs, at most 64; if not,
 * *without has none. Larger ones go first, each where it costs the following ones the fewest
 * places: for the profiles of the catalogue this finds places for all whenever they exist. */
struct mig_wish { const struct mig_design *design; uint32_t count; };
bool mig_fit(const struct mig_wish *wish, uint32_t n, uint32_t gpus,
             const struct mig_design **without);
