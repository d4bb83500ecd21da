/* rates_file.c - see rates_file.h. */
#include "sim/cluster/rates_file.h"

#include "sim/models/network/rate_rules.h"
#include "sim/models/training/training_models.h"

#include <string.h>

static int check_group(const struct cluster *c, uint32_t group, const struct node_type *t,
                       uint32_t nodes, struct error *err)
{
    const struct gpu_model *m = c->gpu_known[t->gpu_model];
    const char *model = intern_text(c->gpu_models, t->gpu_model);
    if (t->gpus > 1 && (!m || (m->nvlink_gbps <= 0 && m->pcie_gbps <= 0)))
        return error_set(err,
                         "group '%s': the links of GPU model '%s' are not known: want it in "
                         "'gpu_models' with pcie_gbps, or "
                         "one that `gpuyard list gpus` has",
                         c->group_name[group], model);
    if (c->rates->parallel && (!m || m->dense_tflops <= 0 || m->mem_gbps <= 0))
        return error_set(err,
                         "group '%s': parallel '3d' wants dense_tflops and mem_gbps of GPU model '%s'",
                         c->group_name[group], model);
    if (nodes > 1 && c->nics_of[group].nics * c->nics_of[group].gbps <= 0)
        return error_set(
            err, "group '%s': its network is not known: want 'nics' and 'nic_gbps', or a 'type'",
            c->group_name[group]);
    return 0;
}

/* The links that the model needs must be known of every group, and the reference must be there. -1
 * with err. */
static int check_rates(const struct rate_rules *r, const struct cluster *c, struct error *err)
{
    bool links = r->model == RATE_ANALYTIC || r->model == RATE_TABLE, found = !r->reference;
    for (node_id first = 0, end; first < c->n_nodes; first = end) {
        const struct node_type *t = cluster_node_type(c, first);
        for (end = first + 1; end < c->n_nodes && c->group_of[end] == c->group_of[first];)
            end++;
        if (t->gpus == 0)
            continue;
        found |=
            r->reference && strcmp(r->reference, intern_text(c->gpu_models, t->gpu_model)) == 0;
        if (links && check_group(c, c->group_of[first], t, end - first, err))
            return -1;
    }
    return found ? 0 : error_set(err, "no node has GPUs of the reference model '%s'", r->reference);
}

/* All that have GPUs and of which NICs are known. */
static bool slow_nics(const struct cluster *c)
{
    bool any = false;
    for (uint32_t g = 0; g < c->n_groups; g++) {
        if (!c->group_gpus[g] || !c->nics_of[g].nics)
            continue;
        if (c->nics_of[g].gbps > SLOW_NIC_GBPS)
            return false;
        any = true;
    }
    return any;
}

int rates_read(struct config_value progress, struct config_value fabric,
               struct config_value models, const char *folder, struct cluster *c,
               struct error *err)
{
    struct rate_rules *rules = rate_rules_read(progress, fabric, slow_nics(c), folder, err);
    struct error why = { "" };
    c->models = training_models_new();
    c->fabric_unread = config_given(fabric) && !config_given(progress);
    if (config_given(progress))
        c->rates = rules;
    else
        rate_rules_free(rules);
    if (!rules || training_models_read(c->models, models, err))
        return -1;
    return c->rates && check_rates(c->rates, c, &why) ? config_error(progress, err, "%s", why.text)
                                                      : 0;
}
