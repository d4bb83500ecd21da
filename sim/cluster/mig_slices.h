/* mig_slices.h - where the instances of a MIG GPU lie.
 *
 * A GPU has up to 8 memory slices and 7 compute slices. An instance takes a run of memory slices that begins where its profile
 * allows it (struct mig_design); those of two instances do not overlap, and all together have no more compute slices than the
 * GPU. So a GPU may have room that nobody can use: after 1g at slice 0 there is no place for 4g or 7g (models.md 1.2).
 *
 * Slices that are taken, and places where an instance may begin, are masks: bit i is memory slice i. */
#pragma once
#include "sim/cluster/mig.h"

struct mig_cut {                  /* of one GPU */
    uint8_t taken;
    uint32_t compute;             /* slices taken */
};

static inline uint8_t mig_run(const struct mig_design *d, unsigned start)     /* what one takes that begins there */
{
    return (uint8_t)(((1u << d->memory_slices) - 1) << start);
}
uint8_t mig_places(const struct mig_design *d, const struct mig_cut *cut);    /* where one may begin now */
/* Where one goes: where it leaves the most places for further ones, counted over all profiles; of equals the lowest. So 3g begins
 * at 4, not 0, and leaves room for 4g. -1: there is no place.
 * That is how NVIDIA's driver places them, as far as seen: 3g at 4, then 2g at 0 and 1g at 2 and 3 in NVIDIA/DCGM issue #138. */
int mig_place(const struct mig_design *d, const struct mig_cut *cut);
/* On several GPUs, 8 bits each: `free` slices, and where one may go of `begins`, which is not 0. The bit at which it costs the
 * fewest places; of equals the lowest. */
unsigned mig_place_among(const struct mig_design *d, uint64_t free, uint64_t begins);
void mig_take(struct mig_cut *cut, const struct mig_design *d, unsigned start);
void mig_give(struct mig_cut *cut, const struct mig_design *d, unsigned start);

/* Whether so many instances of each profile of the model, as listed, have a place on `gpus` GPUs (at most 64) that are empty; which
 * of them has none, if not. The larger go first, each where it costs those that follow the fewest places: for the profiles of
 * the catalogue that finds a place for all whenever there is one. */
struct mig_wish { const struct mig_design *design; uint32_t count; };
bool mig_fit(const struct mig_wish *wish, uint32_t n, uint32_t gpus, const struct mig_design **without);
