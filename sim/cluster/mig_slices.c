/* mig_slices.c - see mig_slices.h. */
#include "sim/cluster/mig.h"

#include <limits.h>

#define GPUS_MOST 64u

static uint32_t compute_of(const struct mig_design *d)
{
    return mig_g(mig_profile(d->profile));
}

uint8_t mig_places(const struct mig_design *d, const struct mig_cut *cut)
{
    uint8_t places = 0;
    if (cut->compute + compute_of(d) > compute_of(mig_design_whole(d->gpu_model)))
        return 0;
    for (unsigned start = 0; start < MIG_MEMORY_SLICES; start++)
        if (d->starts >> start & 1 && !(mig_run(d, start) & cut->taken))
            places |= (uint8_t)(1u << start);
    return places;
}

void mig_take(struct mig_cut *cut, const struct mig_design *d, unsigned start)
{
    cut->taken |= mig_run(d, start);
    cut->compute += compute_of(d);
}

void mig_give(struct mig_cut *cut, const struct mig_design *d, unsigned start)
{
    cut->taken &= (uint8_t)~mig_run(d, start);
    cut->compute -= compute_of(d);
}

/* Of this profile and all smaller ones. */
static int places_left(const struct mig_design *from, const struct mig_cut *cut)
{
    int n = 0;
    for (const struct mig_design *p = from; p; p = mig_design_smaller(p))
        n += __builtin_popcount(mig_places(p, cut));
    return n;
}

/* How many places fewer there are for `from` and what is smaller when one begins at `start`. */
static int cost_at(const struct mig_design *d, const struct mig_cut *cut, const struct mig_design *from, unsigned start)
{
    struct mig_cut then = *cut;
    mig_take(&then, d, start);
    return places_left(from, cut) - places_left(from, &then);
}

static int cheapest(const struct mig_design *d, const struct mig_cut *cut, const struct mig_design *from, int *cost)
{
    int best = -1;
    *cost = INT_MAX;
    for (unsigned places = mig_places(d, cut); places; places &= places - 1) {
        unsigned start = (unsigned)__builtin_ctz(places);
        int here = cost_at(d, cut, from, start);
        if (here < *cost) {
            *cost = here;
            best = (int)start;
        }
    }
    return best;
}

int mig_place(const struct mig_design *d, const struct mig_cut *cut)
{
    int cost;
    return cheapest(d, cut, mig_design_whole(d->gpu_model), &cost);
}

unsigned mig_place_among(const struct mig_design *d, uint64_t free, uint64_t begins)
{
    const struct mig_design *whole = mig_design_whole(d->gpu_model);
    int least = INT_MAX;
    unsigned best = 0;
    for (uint64_t m = begins; m; m &= m - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(m), first = bit / MIG_MEMORY_SLICES * MIG_MEMORY_SLICES;
        const struct mig_cut cut = { (uint8_t)~(free >> first), 0 };
        int cost = cost_at(d, &cut, whole, bit - first);
        if (cost < least) {
            least = cost;
            best = bit;
        }
    }
    return best;
}

/* All that is larger has its place: on the GPU where it costs least, the first of equals. */
static bool put_one(const struct mig_design *d, struct mig_cut *cut, uint32_t gpus)
{
    int least = INT_MAX, start = -1;
    uint32_t best = 0;
    for (uint32_t g = 0; g < gpus; g++) {
        int cost, at = cheapest(d, &cut[g], d, &cost);
        if (at >= 0 && cost < least) {
            least = cost;
            best = g;
            start = at;
        }
    }
    if (start >= 0)
        mig_take(&cut[best], d, (unsigned)start);
    return start >= 0;
}

bool mig_fit(const struct mig_wish *wish, uint32_t n, uint32_t gpus, const struct mig_design **without)
{
    struct mig_cut cut[GPUS_MOST] = { { 0 } };
    if (!n)
        return true;
    for (const struct mig_design *d = mig_design_whole(wish[0].design->gpu_model); d; d = mig_design_smaller(d))
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t left = wish[i].design == d ? wish[i].count : 0; left > 0; left--)
                if (!put_one(d, cut, gpus)) {
                    *without = d;
                    return false;
                }
    return true;
}
