/* sharing.c - see sharing.h. */
#include "sim/models/sharing.h"

#include <math.h>

const struct sharing sharing_usual = {
    .mode = SHARING_EXCLUSIVE,
    .oom = OOM_REJECT,
    .switch_loss = 0.03,
    .switch_least = 0.7,
    .compute_factor = 0.44,
    .bandwidth_factor = 0.087,
    .combined_most = 2,
    .fraction_exponent = 1,
    .mig_exponent = 0.9,
    .mig_reconfigure_ns = 10 * NS_PER_S,
    .context_mib = 512,
    .memory_usable = 0.95,
};

static double part(int64_t millionths)
{
    return (double)millionths / DUTY_ALL;
}

struct duty sharing_load(const struct sharing *s, struct duty alone, uint32_t milli)
{
    uint32_t most = milli * (DUTY_ALL / 1000);
    if (s->mode != SHARING_FRACTION || alone.compute <= most)
        return alone;
    return (struct duty){ most, (uint32_t)((uint64_t)alone.bandwidth * most / alone.compute) };
}

static double timeslice(const struct sharing *s, const struct gpu_load *c)
{
    double turns = c->compute > DUTY_ALL ? DUTY_ALL / (double)c->compute : 1;
    double kept = 1 - s->switch_loss * (c->tenants - 1);
    return turns * fmax(s->switch_least, kept);
}

static double mps(const struct sharing *s, const struct gpu_load *c, struct duty load)
{
    double over = c->compute > DUTY_ALL ? part(c->compute - DUTY_ALL) : 0, others = part(c->bandwidth - load.bandwidth);
    double speed = 1 / (1 + s->compute_factor * over + s->bandwidth_factor * others);
    return c->compute > 0 ? fmin(speed, s->combined_most / part(c->compute)) : speed;
}

double sharing_speed(const struct sharing *s, const struct gpu_load *c, struct duty alone, uint32_t milli)
{
    struct duty load = sharing_load(s, alone, milli);
    switch (s->mode) {
    case SHARING_TIMESLICE:
        return timeslice(s, c);
    case SHARING_MPS:
        return mps(s, c, load);
    case SHARING_FRACTION: {
        double held = load.compute < alone.compute ? pow((double)load.compute / alone.compute, s->fraction_exponent) : 1;
        return held * mps(s, c, load);
    }
    default:
        return 1;
    }
}

double sharing_mig_speed(const struct sharing *s, uint32_t compute, uint32_t of_compute, uint32_t memory, uint32_t of_memory,
                         struct duty alone)
{
    double speed = pow((double)compute / of_compute, s->mig_exponent), slices = (double)memory / of_memory;
    return alone.bandwidth ? fmin(speed, slices / part(alone.bandwidth)) : speed;
}

int64_t sharing_usable_mib(const struct sharing *s, int64_t gpu_mem_mib)
{
    return (int64_t)floor((double)gpu_mem_mib * s->memory_usable);
}
