/* fair_tree.c - users by Slurm's Fair Tree (accounts.h): the user that has had the least of its
 * shares first; equal ones by submit time. */
#include "policies/slurm/batch.h"

static double fair_tree_priority(struct sched *s, const struct batch *b, job_id j,
                                 const void *params)
{
    (void)params;
    return batch_factor(b, s, j);
}

static struct batch_traits fair_tree_traits(struct sched *s, job_id j, const void *params)
{
    (void)s;
    (void)j;
    (void)params;
    return (struct batch_traits){ 0 };
}

static void nothing_fixed(struct sched *s, const struct batch *b, job_id j, const void *params,
                          struct batch_fixed *to)
{
    (void)s;
    (void)b;
    (void)j;
    (void)params;
    (void)to;
}

static double fair_tree_sum(const struct batch *b, const struct batch_fixed *fixed, int64_t submit_ns,
                            double factor, const void *params)
{
    (void)b;
    (void)fixed;
    (void)submit_ns;
    (void)params;
    return factor;
}

static void fair_tree_begin(struct sched *s, const void *params, void *state)
{
    batch_begin(s, state,
                (struct batch_order){ fair_tree_priority, fair_tree_factors, fair_tree_traits, nothing_fixed, fair_tree_sum },
                params);
}

BATCH_CALLBACKS(fair_tree)
static const struct param fair_tree_param_list[] = { BATCH_PARAMS, { 0 } };

const struct policy fair_tree_policy = {
    BATCH_TABLE(fair_tree),
    .name = "fair-tree",
    .reads = READS_WEIGHTS,
    .summary = "users and accounts that have had the least of their shares first",
    .params = fair_tree_param_list,
    .params_size = sizeof(struct batch_params),
};
