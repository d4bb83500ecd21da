/* bill.c - what a run costs: GPU-hours and energy at their tariff. models.md 9; section `prices`.
 *
 * The rental view: GPU-hours that jobs held, or that there were. Cost per useful GPU-hour: all of it / GPU time of work that
 * survived. */
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"
#include "sim/physics/pools.h"

static bool wanted(const struct sched *s)
{
    return s->cluster->tariff != NULL;
}

static int128_t billed_milli_ns(const struct sched *s, node_id n)
{
    int128_t held = 0;
    if (pool_of(s, n))
        return 0;                 /* by the node */
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
        held += s->ledger.node_account[n][a];
    if (s->cluster->tariff->bill == BILL_CAPACITY)
        return (int128_t)(s->totals.last_ns - s->totals.first_ns) * cluster_node_milli(s->cluster, n);
    return held;
}

/* A GPU that is cut counts as what its instances count, at the price of a GPU. */
static double gpus_usd(const struct sched *s)
{
    const struct cluster *c = s->cluster;
    double sum = 0;
    for (uint32_t g = 0, n = 0; g < c->n_groups; g++) {
        double whole = (double)cluster_node_milli(c, n) / MILLI_ALL;
        int128_t billed = 0;
        for (; n < c->n_nodes && c->group_of[n] == g; n++)
            billed += billed_milli_ns(s, n);
        if (whole > 0)
            sum += gpu_hours(billed) * c->group_gpus[g] / whole * c->tariff->gpu_usd_per_h[g];
    }
    return sum;
}

static double pools_usd(const struct sched *s)
{
    double sum = 0;
    for (node_id n = 0; pools_of(s) && n < s->cluster->n_nodes; n++)
        if (pool_of(s, n))
            sum += seconds(pool_there_ns(s, n)) / 3600 * pool_of(s, n)->usd_per_node_h;
    return sum;
}

enum { COST, OF_GPUS, OF_POOLS, OF_ENERGY, PER_USEFUL };
static const struct metric_kind metrics[] = {
    [COST] = { "cost_usd", "USD", "GPU-hours and energy", BETTER_LOWER },
    [OF_GPUS] = { "cost_gpus_usd", "USD", "of it, GPU-hours that jobs held, or that there were, as `bill` says", BETTER_LOWER },
    [OF_POOLS] = { "cost_pools_usd", "USD", "of it, nodes of pools while they were there; their GPU-hours are not billed besides", BETTER_LOWER },
    [OF_ENERGY] = { "cost_energy_usd", "USD", "of it, the facility's energy; with a section power", BETTER_LOWER },
    [PER_USEFUL] = { "cost_per_useful_gpu_h_usd", "USD/GPU h", "cost_usd / GPU-hours of work that survived", BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    const struct sched *s = b->s;
    double gpus = gpus_usd(s), useful = gpu_hours(s->totals.account[ACCOUNT_USEFUL]);
    const struct energy *drawn = energy_of(s);
    double energy = drawn ? energy_facility_kwh(drawn) * s->cluster->tariff->energy_usd_per_kwh : 0;
    double pools = pools_usd(s), all = gpus + pools + energy;
    summary_put_kind(b, &metrics[COST], "all", all, 1);
    summary_put_kind(b, &metrics[OF_GPUS], "all", gpus, 1);
    if (pools_of(s))
        summary_put_kind(b, &metrics[OF_POOLS], "all", pools, 1);
    if (drawn)
        summary_put_kind(b, &metrics[OF_ENERGY], "all", energy, 1);
    summary_put_kind(b, &metrics[PER_USEFUL], "all", all / useful, useful > 0);
}

const struct run_model bill_model = {
    .name = "prices", .summary = "cost of GPU-hours and energy: section prices", .wanted = wanted, .metrics = metrics,
    .summarise = summarise,
};
