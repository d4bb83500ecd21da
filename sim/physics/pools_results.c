/* pools_results.c - what came of pools, in files and in the summary. */
#include "sim/physics/physics.h"
#include "sim/engine/interruption.h"
#include "sim/physics/pools.h"

void pools_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_seconds(o, pool_of(s, n) ? pool_there_ns(s, n) : s->now_ns - s->totals.first_ns);
}

const char *const pools_node_columns[] = { "there_s", NULL };
enum { NODE_H, ADDED, REMOVED, RECLAIMED, STOPPED, LOST };
const struct metric_kind pools_metrics[] = {
    [NODE_H] = { "pool_node_h", "h", "hours that nodes of pools were there", BETTER_NEITHER },
    [ADDED] = { "pool_nodes_added", "", "times that the autoscaler asked for one", BETTER_NEITHER },
    [REMOVED] = { "pool_nodes_removed", "", "times that one was removed, for nobody needed it", BETTER_NEITHER },
    [RECLAIMED] = { "pool_nodes_reclaimed", "", "spot nodes that were taken away", BETTER_NEITHER },
    [STOPPED] = { "jobs_reclaimed", "", "jobs stopped by that", BETTER_LOWER },
    [LOST] = { "lost_by_reclaims_gpu_h", "GPU h", "work to be done again for that; part of lost_gpu_h", BETTER_LOWER },
    { 0 },
};

void pools_summarise(struct summary_builder *k)
{
    const struct sched *s = k->s;
    const struct pools *p = s->pools;
    int128_t there_ns = 0;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        there_ns += pool_of(s, n) ? pool_there_ns(s, n) : 0;
    const double value[] = { (double)there_ns / (double)NS_PER_S / 3600, (double)p->added, (double)p->removed, (double)p->reclaimed,
                             (double)p->stopped, gpu_hours(k->s->ledger.interruption_lost[CAUSE_RECLAIM]) };
    for (unsigned m = 0; m < sizeof value / sizeof value[0]; m++)
        summary_put_kind(k, &pools_metrics[m], "all", value[m], 1);
}

/* The account that a node's others need to add up; where failures are on, they tell it. */
static bool tells_down(const struct sched *s)
{
    return s->cluster->pool && !(s->cluster->failures && failures_happen(s->cluster->failures));
}

static void down_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_wide_seconds(o, s->ledger.node_account[n][ACCOUNT_DOWN] / MILLI_ALL);
}

static const char *const down_columns[] = { "down_gpu_s", NULL };
const struct run_model pools_down_model = {
    .name = "nodes that are not there", .summary = "GPU time of pools' nodes while they were not there", .wanted = tells_down,
    .node_columns = down_columns, .node_row = down_row,
};
