/* sharing.c - see sharing.h. */
#include "sim/models/sharing.h"

#include "sim/io/input.h"
#include "sim/models/training/throughput_pairs.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* While it has work. */
static struct duty working_load(const struct sharing *s, const struct sharing_tenant *t)
{
    uint32_t most = t->milli * (DUTY_ALL / 1000);
    if (s->mode != SHARING_FRACTION || t->alone.compute <= most)
        return t->alone;
    return (struct duty){ most, (uint32_t)((uint64_t)t->alone.bandwidth * most / t->alone.compute) };
}

struct duty sharing_load(const struct sharing *s, const struct sharing_tenant *t)
{
    struct duty d = working_load(s, t);
    return (struct duty){ (uint32_t)((uint64_t)d.compute * t->work / DUTY_ALL),
                          (uint32_t)((uint64_t)d.bandwidth * t->work / DUTY_ALL) };
}

static double timeslice(const struct sharing *s, const struct tenant_load *c)
{
    double turns = c->compute > DUTY_ALL ? DUTY_ALL / (double)c->compute : 1;
    double kept = 1 - s->switch_loss * (c->tenants - 1);
    return turns * fmax(s->switch_least, kept);
}

static double mps(const struct sharing *s, const struct tenant_load *c, struct duty load)
{
    double over = c->compute > DUTY_ALL ? part(c->compute - DUTY_ALL) : 0,
           others = part(c->bandwidth - load.bandwidth);
    double speed = 1 / (1 + s->compute_factor * over + s->bandwidth_factor * others);
    return c->compute > 0 ? fmin(speed, s->combined_most / part(c->compute)) : speed;
}

double sharing_speed(const struct sharing *s, const struct tenant_load *c, const struct sharing_tenant *t)
{
    struct duty load = sharing_load(s, t);
    switch (s->mode) {
    case SHARING_TIMESLICE:
        return timeslice(s, c);
    case SHARING_MPS:
        return mps(s, c, load);
    case SHARING_FRACTION: {
        uint32_t most = working_load(s, t).compute;
        double held = most < t->alone.compute
                          ? pow((double)most / t->alone.compute, s->fraction_exponent)
                          : 1;
        return held * mps(s, c, load);
    }
    default:
        return 1;
    }
}

struct mig_speeds sharing_mig_speeds(const struct sharing *s, uint32_t compute, uint32_t of_compute,
                                     uint32_t memory, uint32_t of_memory)
{
    return (struct mig_speeds){ pow((double)compute / of_compute, s->mig_exponent), (double)memory / of_memory };
}

double sharing_mig_speed(struct mig_speeds of, struct duty alone)
{
    return alone.bandwidth ? fmin(of.compute, of.memory / part(alone.bandwidth)) : of.compute;
}

int64_t sharing_usable_mib(const struct sharing *s, int64_t gpu_mem_mib)
{
    return (int64_t)floor((double)gpu_mem_mib * s->memory_usable);
}

/* ---- duties of models ---- */

/* [R S-Lab-System-Group/Lucid:simulation/analyzer/single_data.csv]: utilisation of processors and
 * of memory, and memory used, of training in FP32 on one GPU of 24 GB. models.md 7. GB there are
 * 1e9 bytes. */
#define GB(tenths) ((uint32_t)((tenths)*100000000ull >> 20))
/* clang-format off */
const struct model_duty duty_catalogue[] = {
    /* model         batch  u        v              memory */
    { "ResNet-50",     64, { 1000000, 810000 }, GB(86) },
    { "BERT",          32, { 1000000, 620000 }, GB(202) },
    { "MobileNetV2",   64, {  700000, 400000 }, GB(30) },
    { "LSTM",          64, {  970000, 750000 }, GB(39) },
    { "DCGAN",         64, {  730000, 310000 }, GB(23) },
    { "NeuMF",         64, {  100000,  20000 }, (uint32_t)(2050000000ull >> 20) },
    { "PPO",            0, {  120000,      0 }, (uint32_t)(2050000000ull >> 20) },
    { "PointNet",      64, {   80000,  70000 }, GB(63) },
    { 0 },
};
/* clang-format on */

const struct model_duty *duty_find(const struct sharing *s, const char *model)
{
    for (uint32_t i = 0; i < s->n_duties; i++)
        if (strcmp(s->duty[i].model, model) == 0)
            return &s->duty[i];
    for (const struct model_duty *d = duty_catalogue; d->model; d++)
        if (strcmp(d->model, model) == 0)
            return d;
    return NULL;
}

/* ---- section sharing ---- */

#define GIB_MOST    1000000                /* a PiB, of a GPU */

struct file_sharing { struct sharing of; struct config_value duties; const char *pairs; };
struct file_duty { int64_t compute, bandwidth, mem_mib; };

/* clang-format off */
#define OF(field)   offsetof(struct file_sharing, of.field)
#define DUTY(field) offsetof(struct file_duty, field)
static const char *const modes[] = {
    [SHARING_EXCLUSIVE] = "exclusive", [SHARING_TIMESLICE] = "timeslice", [SHARING_MPS] = "mps", [SHARING_FRACTION] = "fraction", NULL,
};
static const char *const outcomes[] = { [OOM_REJECT] = "reject", [OOM_FAIL] = "fail", NULL };
static const struct config_key keys[] = {
    { .name = "mode",              .type = CONFIG_CHOICE, .at = OF(mode), .words = modes },
    { .name = "oom",               .type = CONFIG_CHOICE, .at = OF(oom), .words = outcomes },
    { .name = "context_gib",       .type = CONFIG_PARTS, .at = OF(context_mib), .scale = 1024, .most = GIB_MOST },
    { .name = "memory_usable",     .type = CONFIG_REAL, .at = OF(memory_usable), .above_least = true, .most = 1 },
    { .name = "switch_loss",       .type = CONFIG_REAL, .at = OF(switch_loss), .most = 1 },
    { .name = "switch_least",      .type = CONFIG_REAL, .at = OF(switch_least), .above_least = true, .most = 1 },
    { .name = "compute_factor",    .type = CONFIG_REAL, .at = OF(compute_factor), .most = 1000 },
    { .name = "bandwidth_factor",  .type = CONFIG_REAL, .at = OF(bandwidth_factor), .most = 1000 },
    { .name = "combined_most",     .type = CONFIG_REAL, .at = OF(combined_most), .least = 1, .most = 1000000 },
    { .name = "fraction_exponent", .type = CONFIG_REAL, .at = OF(fraction_exponent), .most = 10 },
    { .name = "mig_exponent",      .type = CONFIG_REAL, .at = OF(mig_exponent), .most = 10 },
    { .name = "mig_reconfigure_s", CONFIG_SECONDS, .at = OF(mig_reconfigure_ns) },
    { .name = "pairs",             .type = CONFIG_TEXT, .at = offsetof(struct file_sharing, pairs) },
    { .name = "duties",            .type = CONFIG_MAPPING, .at = offsetof(struct file_sharing, duties) },
    { 0 },
};
static const struct config_key duty_keys[] = {
    { .name = "compute",    .type = CONFIG_PARTS, .at = DUTY(compute), .scale = DUTY_ALL, .most = 1, .required = true },
    { .name = "bandwidth",  .type = CONFIG_PARTS, .at = DUTY(bandwidth), .scale = DUTY_ALL, .most = 1 },
    { .name = "memory_gib", .type = CONFIG_PARTS, .at = DUTY(mem_mib), .scale = 1024, .most = GIB_MOST },
    { 0 },
};
/* clang-format on */

static int read_duties(struct config_value from, struct sharing *to, struct arena *memory,
                       struct error *err)
{
    struct model_duty *duty = arena_alloc(memory, (config_count(from) + 1) * sizeof *duty);
    struct config_walk w = { .of = from };
    for (struct config_value v; config_next(&w, &v); to->n_duties++) {
        const char *model = NULL;
        struct file_duty said = { 0 };
        if (config_key_text(v, &model, err) || config_fields(v, duty_keys, &said, err))
            return -1;
        duty[to->n_duties] =
            (struct model_duty){ .model = arena_text(memory, model, strlen(model)),
                                 .duty = { (uint32_t)said.compute, (uint32_t)said.bandwidth },
                                 .mem_mib = (uint32_t)said.mem_mib };
    }
    to->duty = duty;
    return 0;
}

int sharing_read(struct config_value section, const char *folder, struct sharing *to,
                 struct arena *memory, struct error *err)
{
    struct file_sharing file = { .of = sharing_usual };
    int result = config_given(section) ? config_fields(section, keys, &file, err) : 0;
    _Static_assert(sizeof file.of.mode == sizeof(int), "config.h stores a choice as an int");
    *to = file.of;
    to->said = config_given(section);
    if (result || read_duties(file.duties, to, memory, err))
        return -1;
    if (!file.pairs)
        return 0;
    char *path = input_beside(folder, file.pairs);
    to->pairs = throughput_pairs_read(path, err);
    free(path);
    return to->pairs ? 0 : -1;
}
