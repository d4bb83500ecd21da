/* energy_results.c - what energy.c has added up, in files and in the summary. */
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"

#define AJ_PER_NANO_KWH INT64_C(3600000000000000)

static void comma_kwh(struct output *o, int128_t aj)
{
    out_char(o, ',');
    out_decimal(o, (int64_t)(aj / AJ_PER_NANO_KWH), 1000000000);
}

void energy_job_row(struct output *o, const struct sched *s, job_id j)
{
    comma_kwh(o, s->energy->job[j].gpus_aj);
    comma_kwh(o, s->energy->job[j].node_aj);
}

void energy_node_row(struct output *o, const struct sched *s, node_id n)
{
    comma_kwh(o, s->energy->node[n].meter.aj);
}

static double watts(int128_t nw)
{
    return (double)nw / (double)NW_PER_W;
}

void energy_series_row(struct output *o, const struct sched *s)
{
    out_char(o, ',');
    out_double(o, watts(s->energy->all.nw));
}

const char *const energy_job_columns[] = { "gpu_energy_kwh", "node_energy_kwh", NULL };
const char *const energy_node_columns[] = { "energy_kwh", NULL };
const char *const energy_series_columns[] = { "power_w", NULL };

enum { ENERGY, OF_JOBS, OF_IDLE, OF_NODES, FACILITY, CARBON, MEAN, PEAK };
const struct metric_kind energy_metrics[] = {
    [ENERGY] = { "energy_kwh", "kWh", "that all nodes have drawn", BETTER_LOWER },
    [OF_JOBS] = { "energy_jobs_kwh", "kWh", "of it, jobs: their GPUs, their CPUs and their GPUs' share of what nodes draw anyway", BETTER_NEITHER },
    [OF_IDLE] = { "energy_idle_gpus_kwh", "kWh", "of it, GPUs that nobody held", BETTER_NEITHER },
    [OF_NODES] = { "energy_nodes_kwh", "kWh", "of it, nodes without their GPUs, as far as nobody held those", BETTER_NEITHER },
    [FACILITY] = { "energy_facility_kwh", "kWh", "energy_kwh x PUE", BETTER_LOWER },
    [CARBON] = { "carbon_kg", "kg", "CO2 of the facility's energy", BETTER_LOWER },
    [MEAN] = { "power_mean_w", "W", "of all nodes, mean over time", BETTER_LOWER },
    [PEAK] = { "power_peak_w", "W", "the most that all nodes have drawn for any time", BETTER_LOWER },
    { 0 },
};

double energy_facility_kwh(const struct energy *e)
{
    return power_kwh(e->all.aj) * e->power->pue;
}

void energy_summarise(struct summary_builder *k)
{
    const struct energy *e = k->s->energy;
    double hours = seconds(k->s->totals.last_ns - k->s->totals.first_ns) / 3600;
    const double value[] = { power_kwh(e->all.aj), power_kwh(e->jobs_aj), power_kwh(e->idle_aj), power_kwh(e->nodes_aj),
                             energy_facility_kwh(e), sum_value(&e->carbon_g) / 1000, power_kwh(e->all.aj) * 1000 / hours,
                             watts(e->peak_nw) };
    for (unsigned m = 0; m < sizeof value / sizeof value[0]; m++)
        summary_put_kind(k, &energy_metrics[m], "all", value[m], m < MEAN || hours > 0);
}
