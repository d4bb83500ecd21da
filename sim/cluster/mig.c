/* mig.c - see mig.h. */
#include "sim/cluster/mig.h"

#include <stdio.h>
#include <string.h>

/* Profiles, memory slices and how many fit a GPU: NVIDIA's MIG user guide, "Supported MIG profiles"; B200:
 * aws/sagemaker-hyperpod-cli:src/sagemaker/hyperpod/training/constants.py. Where they may begin: what `nvidia-smi mig -lgipp`
 * prints for an A100. models.md 1.2. */
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

/* A number from 1 to `most` without leading zeros; 0: none. Leaves *at behind it. */
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
