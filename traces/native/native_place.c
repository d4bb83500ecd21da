/* native_place.c - columns of a native trace: where a job may run, and what of its GPUs it uses there. */
#include "traces/native/native.h"
#include "traces/native/native_columns.h"

static void put_topology(struct output *o, const struct native_row *j)
{
    bool required = native_required_level(j) != LEVEL_ANY;
    out_text(o, required ? "required:" : "preferred:");
    out_text(o, native_levels[required ? native_required_level(j) : native_preferred_level(j)]);
}
static bool has_selector(const struct native_row *j)
{
    return native_shape_of(j)->selector != ID_NONE;
}
static void put_selector(struct output *o, const struct native_row *j)
{
    out_csv(o, intern_text(j->w->wishes, native_shape_of(j)->selector));
}
static bool has_affinity(const struct native_row *j)
{
    return native_shape_of(j)->affinity != ID_NONE;
}
static void put_affinity(struct output *o, const struct native_row *j)
{
    out_csv(o, intern_text(j->w->wishes, native_shape_of(j)->affinity));
}
static bool has_tolerations(const struct native_row *j)
{
    return native_shape_of(j)->tolerations != ID_NONE;
}
static void put_tolerations(struct output *o, const struct native_row *j)
{
    out_csv(o, intern_text(j->w->wishes, native_shape_of(j)->tolerations));
}
static bool has_max_per_node(const struct native_row *j)
{
    return j->ask->max_per_node != 0;
}
static void put_max_per_node(struct output *o, const struct native_row *j)
{
    out_integer(o, j->ask->max_per_node);
}
/* Of the job: its runs without GPUs need none. */
static uint32_t gpu_memory(const struct native_row *j)
{
    uint32_t mib = 0;
    for (const struct request *r = j->facts->ask; r && !mib; r = r->next)
        mib = j->w->shape[r->shape].gpu_mem_mib;
    return mib;
}
static bool has_gpu_memory(const struct native_row *j)
{
    return gpu_memory(j) != 0;
}
static void put_gpu_memory(struct output *o, const struct native_row *j)
{
    native_put_gib(o, gpu_memory(j));
}
static bool has_share_memory(const struct native_row *j)
{
    return native_shape_of(j)->share_mem_mib != 0;
}
static void put_share_memory(struct output *o, const struct native_row *j)
{
    native_put_gib(o, native_shape_of(j)->share_mem_mib);
}
static uint32_t used_memory(const struct native_row *j)      /* likewise */
{
    uint32_t mib = 0;
    for (const struct request *r = j->facts->ask; r && !mib; r = r->next)
        mib = j->w->shape[r->shape].used_mem_mib;
    return mib;
}
static bool has_used_memory(const struct native_row *j)
{
    return used_memory(j) != 0;
}
static void put_used_memory(struct output *o, const struct native_row *j)
{
    native_put_gib(o, used_memory(j));
}
static bool has_duty(const struct native_row *j)
{
    return j->truth->duty.compute != DUTY_UNSAID;
}
static void put_duty(struct output *o, const struct native_row *j)
{
    out_decimal(o, j->truth->duty.compute, DUTY_ALL);
}
static bool has_bandwidth(const struct native_row *j)
{
    return j->truth->duty.bandwidth != DUTY_UNSAID;
}
static void put_bandwidth(struct output *o, const struct native_row *j)
{
    out_decimal(o, j->truth->duty.bandwidth, DUTY_ALL);
}
static bool has_mig(const struct native_row *j)
{
    return j->ask->mig != 0;
}
static void put_mig(struct output *o, const struct native_row *j)
{
    char name[MIG_NAME_MAX];
    out_text(o, mig_name(j->ask->mig, name));
}

const struct native_column native_place[NATIVE_LIST_MOST] = {
    { "topology", native_has_level, put_topology },
    { "node_selector", has_selector, put_selector },
    { "affinity", has_affinity, put_affinity }, { "tolerations", has_tolerations, put_tolerations },
    { "max_per_node", has_max_per_node, put_max_per_node },
    { "gpu_mem_gib", has_gpu_memory, put_gpu_memory },
    { "gpu_share_mem_gib", has_share_memory, put_share_memory },
    { "gpu_mem_used_gib", has_used_memory, put_used_memory },
    { "duty", has_duty, put_duty },             { "mem_bw_duty", has_bandwidth, put_bandwidth },
    { "mig", has_mig, put_mig },
};
