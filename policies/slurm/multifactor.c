/* multifactor.c - the weighted sum of Slurm's priority/multifactor: age, fair share, size, quality
 * of service, GPUs.
 *
 *   priority = w_age age + w_fairshare fs + w_size size + w_qos qos + w_tres_gpu gpus / all GPUs,
 *   cut to a whole number from 1 to 2^32 - 1; equal ones by submit time
 *   age  = min(1, time since submit / max_age_s)
 *   fs   = the factor of the user (accounts.h)
 *   size = large: gpus / all GPUs; small: 1 - that; relative: gpus / limit in minutes / all GPUs,
 *       at most 1;
 *          relative-small: 1 - that. Without an estimate there is no limit: 0
 *   qos  = the job's priority / top_priority, from 0 to 1
 *
 * GPUs stand for CPUs, and the nodes of the size factor are left out: a job asks for GPUs.
 * Partitions, associations, site and nice have no counterpart.
 * (SchedMD/slurm:src/plugins/priority/multifactor/priority_multifactor.c.) */
#include "policies/slurm/batch.h"

#include <math.h>

#define NS_IN_MINUTE  6e10
#define PRIORITY_MOST 4294967295.0

enum { FAVOUR_LARGE, FAVOUR_SMALL, FAVOUR_RELATIVE, FAVOUR_RELATIVE_SMALL };
static const char *const favours[] = { "large", "small", "relative", "relative-small", NULL };
enum { FAIR_TREE, FAIR_CLASSIC };
static const char *const fair_shares[] = { "fair-tree", "classic", NULL };

struct multifactor_params {
    struct batch_params batch;
    double w_age, w_fairshare, w_size, w_qos, w_tres_gpu, max_age_s, favour, top_priority,
        fairshare;
};

static double within_1(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double relative_size(struct sched *s, job_id j, double gpus_part)
{
    int64_t limit_ns = job_estimate_ns(s, j);
    return limit_ns == TIME_NEVER
               ? 0
               : within_1(gpus_part / fmax(1, floor((double)limit_ns / NS_IN_MINUTE)));
}

static double size_factor(struct sched *s, job_id j, double gpus_part, int favour)
{
    switch (favour) {
    case FAVOUR_SMALL:
        return 1 - gpus_part;
    case FAVOUR_RELATIVE:
        return relative_size(s, j, gpus_part);
    case FAVOUR_RELATIVE_SMALL:
        return 1 - relative_size(s, j, gpus_part);
    default:
        return gpus_part;
    }
}

static void multifactor_fixed(struct sched *s, const struct batch *b, job_id j, const void *params,
                              struct batch_fixed *to)
{
    const struct multifactor_params *p = params;
    double gpus = b->gpus_milli,
           part = gpus > 0 ? (double)job_size(s, j).gpu_milli / gpus : 0;
    to->term[0] = p->w_size * size_factor(s, j, part, (int)p->favour);
    to->term[1] = p->w_qos * within_1(job_facts(s, j)->priority / p->top_priority);
    to->term[2] = p->w_tres_gpu * part;
}

static double multifactor_sum(const struct batch *b, const struct batch_fixed *fixed, int64_t submit_ns,
                              double factor, const void *params)
{
    const struct multifactor_params *p = params;
    double age = within_1((b->at_s - (double)(submit_ns - b->origin_ns) / 1e9) / p->max_age_s);
    double sum = p->w_age * age + p->w_fairshare * factor + fixed->term[0] + fixed->term[1] + fixed->term[2];
    sum = floor(sum);
    return sum < 1 ? 1 : sum > PRIORITY_MOST ? PRIORITY_MOST : sum;
}

static double multifactor_priority(struct sched *s, const struct batch *b, job_id j,
                                   const void *params)
{
    struct batch_fixed fixed;
    multifactor_fixed(s, b, j, params, &fixed);
    return multifactor_sum(b, &fixed, job_facts(s, j)->submit_ns, batch_factor(b, s, j), params);
}

/* The GPUs are those of the shape. */
static struct batch_traits multifactor_traits(struct sched *s, job_id j, const void *params)
{
    bool relative = (int)((const struct multifactor_params *)params)->favour >= FAVOUR_RELATIVE;
    return (struct batch_traits){ job_facts(s, j)->priority, relative ? job_estimate_ns(s, j) : 0 };
}

static void multifactor_begin(struct sched *s, const void *params, void *state)
{
    bool classic = (int)((const struct multifactor_params *)params)->fairshare == FAIR_CLASSIC;
    batch_begin(
        s, state,
        (struct batch_order){ multifactor_priority, classic ? classic_factors : fair_tree_factors, multifactor_traits,
                              multifactor_fixed, multifactor_sum },
        params);
}

BATCH_CALLBACKS(multifactor)
#define WEIGHT(field, usual, of)                                                                   \
    {                                                                                              \
#field, "weight of " of, "", 0, 1e9, usual, NULL,                                          \
            offsetof(struct multifactor_params, field)                                             \
    }
static const struct param multifactor_param_list[] = {
    BATCH_PARAMS,
    WEIGHT(w_age, 1000, "the time since submit"),
    WEIGHT(w_fairshare, 10000, "the user's fair share"),
    WEIGHT(w_size, 1000, "the size"),
    WEIGHT(w_qos, 0, "the job's own priority"),
    WEIGHT(w_tres_gpu, 0, "its part of all GPUs"),
    { "max_age_s", "when the age counts in full", "s", 1, 1e9, 604800, NULL,
      offsetof(struct multifactor_params, max_age_s) },
    { "favour", "sizes that come first; relative: GPUs by the time limit", "", 0, 0, FAVOUR_LARGE,
      favours, offsetof(struct multifactor_params, favour) },
    { "top_priority", "the priority of a job that counts in full", "", 1, 1e9, 1, NULL,
      offsetof(struct multifactor_params, top_priority) },
    { "fairshare", "how the shares of users and accounts become a factor", "", 0, 0, FAIR_TREE,
      fair_shares, offsetof(struct multifactor_params, fairshare) },
    { 0 },
};

const struct policy multifactor_policy = {
    BATCH_TABLE(multifactor),
    .name = "multifactor",
    .reads = READS_WEIGHTS,
    .summary = "Slurm's weighted sum of age, fair share, size, quality of service and GPUs",
    .params = multifactor_param_list,
    .params_size = sizeof(struct multifactor_params),
};
