/* sharing_file.c - see sharing_file.h. */
#include "sim/models/sharing.h"

#include "sim/io/input.h"
#include "sim/models/training/throughput_pairs.h"

#include <stdlib.h>
#include <string.h>

#define TIME_MOST_S INT64_C(3153600000)    /* 100 years of 365 days, as in workload.h */
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
    { .name = "mig_reconfigure_s", .type = CONFIG_PARTS, .at = OF(mig_reconfigure_ns), .scale = NS_PER_S, .most = TIME_MOST_S },
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

static int read_duties(struct config_value from, struct sharing *to, struct arena *memory, struct error *err)
{
    struct model_duty *duty = arena_alloc(memory, (config_count(from) + 1) * sizeof *duty);
    struct config_walk w = { .of = from };
    for (struct config_value v; config_next(&w, &v); to->n_duties++) {
        const char *model = NULL;
        struct file_duty said = { 0 };
        if (config_key_text(v, &model, err) || config_fields(v, duty_keys, &said, err))
            return -1;
        duty[to->n_duties] = (struct model_duty){ .model = arena_text(memory, model, strlen(model)),
                                                  .duty = { (uint32_t)said.compute, (uint32_t)said.bandwidth },
                                                  .mem_mib = (uint32_t)said.mem_mib };
    }
    to->duty = duty;
    return 0;
}

int sharing_read(struct config_value section, const char *folder, struct sharing *to, struct arena *memory, struct error *err)
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
