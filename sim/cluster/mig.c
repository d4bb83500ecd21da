/* mig.c - see mig.h. */
#include "sim/cluster/mig.h"


#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Profiles, memory slices and how many fit a GPU: NVIDIA's MIG user guide, "Supported MIG
 * profiles"; B200: aws/sagemaker-hyperpod-cli:src/sagemaker/hyperpod/training/constants.py. Their
 * places: output of `nvidia-smi mig -lgipp` for an A100. models.md 1.2. */
/* clang-format off */
#define FROM(a)          (1u << (a))
#define FROM_EACH_BELOW(n) (FROM(n) - 1)
#define SAME_CUTS(model, m1, m2, m4, m8)                                                                               \
    { model, "1g." m1, 1, 7, FROM_EACH_BELOW(7) },                                                                     \
    { model, "1g." m2, 2, 4, FROM(0) | FROM(2) | FROM(4) | FROM(6) },                                                  \
    { model, "2g." m2, 2, 3, FROM(0) | FROM(2) | FROM(4) }, { model, "3g." m4, 4, 2, FROM(0) | FROM(4) },              \
    { model, "4g." m4, 4, 1, FROM(0) },                     { model, "7g." m8, 8, 1, FROM(0) }
const struct mig_design mig_catalogue[] = {
    SAME_CUTS("A100-SXM4-40",  "5gb",  "10gb", "20gb", "40gb"),
    SAME_CUTS("A100-SXM4-80",  "10gb", "20gb", "40gb", "80gb"),
    SAME_CUTS("H100-SXM5-80",  "10gb", "20gb", "40gb", "80gb"),
    SAME_CUTS("H200-SXM-141",  "18gb", "35gb", "71gb", "141gb"),
    SAME_CUTS("B200-SXM-180",  "23gb", "45gb", "90gb", "180gb"),
    { "A30-24", "1g.6gb",  1, 4, FROM_EACH_BELOW(4) },
    { "A30-24", "2g.12gb", 2, 2, FROM(0) | FROM(2) },
    { "A30-24", "4g.24gb", 4, 1, FROM(0) },
    { 0 },
};
/* clang-format on */

/* A number from 1 to `most` without leading zeros; 0: none. Moves *at past it. */
static uint32_t take_number(const char **at, uint32_t most)
{
    uint32_t n = 0;
    if (**at == '0')
        return 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        n = n * 10 + (uint32_t)(**at - '0');
        if (n > most)
            return 0;
    }
    return n;
}

uint16_t mig_profile(const char *name)
{
    uint32_t g = take_number(&name, MIG_COMPUTE_SLICES);
    if (!g || strncmp(name, "g.", 2) != 0)
        return 0;
    name += 2;
    uint32_t gb = take_number(&name, 0xfff);
    return gb && strcmp(name, "gb") == 0 ? (uint16_t)(g << 12 | gb) : 0;
}

const char *mig_name(uint16_t profile, char to[MIG_NAME_MAX])
{
    snprintf(to, MIG_NAME_MAX, "%ug.%ugb", (unsigned)mig_g(profile), (unsigned)mig_gb(profile));
    return to;
}

const struct mig_design *mig_design_find(const char *gpu_model, const char *profile)
{
    for (const struct mig_design *d = mig_catalogue; d->gpu_model; d++)
        if (strcmp(d->gpu_model, gpu_model) == 0 && strcmp(d->profile, profile) == 0)
            return d;
    return NULL;
}

const struct mig_design *mig_design_whole(const char *gpu_model)
{
    const struct mig_design *whole = NULL;
    for (const struct mig_design *d = mig_catalogue; d->gpu_model; d++)
        if (strcmp(d->gpu_model, gpu_model) == 0)
            whole = d;
    return whole;
}

const struct mig_design *mig_design_smaller(const struct mig_design *d)
{
    return d > mig_catalogue && strcmp(d[-1].gpu_model, d->gpu_model) == 0 ? d - 1 : NULL;
}

/* ---- instances on the slices of a GPU ---- */

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

/* The places of this profile and all smaller ones. */
static int places_left(const struct mig_design *from, const struct mig_cut *cut)
{
    int n = 0;
    for (const struct mig_design *p = from; p; p = mig_design_smaller(p))
        n += __builtin_popcount(mig_places(p, cut));
    return n;
}

/* The places that `from` and smaller profiles lose when an instance begins at `start`. */
static int cost_at(const struct mig_design *d, const struct mig_cut *cut,
                   const struct mig_design *from, unsigned start)
{
    struct mig_cut then = *cut;
    mig_take(&then, d, start);
    return places_left(from, cut) - places_left(from, &then);
}

static int cheapest(const struct mig_design *d, const struct mig_cut *cut,
                    const struct mig_design *from, int *cost)
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

unsigned mig_place_among(const struct mig_design *d, uint64_t free, uint64_t begins)
{
    const struct mig_design *whole = mig_design_whole(d->gpu_model);
    int least = INT_MAX;
    unsigned best = 0;
    for (uint64_t m = begins; m; m &= m - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(m),
                 first = bit / MIG_MEMORY_SLICES * MIG_MEMORY_SLICES;
        const struct mig_cut cut = { (uint8_t)~(free >> first), 0 };
        int cost = cost_at(d, &cut, whole, bit - first);
        if (cost < least) {
            least = cost;
            best = bit;
        }
    }
    return best;
}

/* On the GPU where it costs the fewest places, the first of equals. */
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

bool mig_fit(const struct mig_wish *wish, uint32_t n, uint32_t gpus,
             const struct mig_design **without)
{
    struct mig_cut cut[GPUS_MOST] = { { 0 } };
    if (!n)
        return true;
    for (const struct mig_design *d = mig_design_whole(wish[0].design->gpu_model); d;
         d = mig_design_smaller(d))
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t left = wish[i].design == d ? wish[i].count : 0; left > 0; left--)
                if (!put_one(d, cut, gpus)) {
                    *without = d;
                    return false;
                }
    return true;
}
