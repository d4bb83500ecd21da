/* power_caps.c - power caps are kept: a job starts only if its worst case passes none (sim/capacity/headroom.h); here the power
 * that is drawn is checked against them at every change of time. A job that a cap alone keeps from starting waits for WAIT_POWER. */
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"

static bool wanted(const struct sched *s)
{
    const struct power *p = s->cluster->power;
    return p && (p->cap_nw != INT64_MAX || p->rack_cap_nw != INT64_MAX);
}

static void check_racks(const struct sched *s, const struct energy *e)
{
    const struct cluster *c = s->cluster;
    for (domain_id d = 1; d < c->n_domains; d++) {
        int128_t nw = 0;
        for (node_id n = c->domain[d].first; c->domain[d].level == LEVEL_RACK && n < c->domain[d].end; n++)
            nw += e->node[n].meter.nw;
        MUST(s, nw <= e->power->rack_cap_nw);
    }
}

static void settle(struct sched *s, int64_t to_ns)
{
    if (to_ns <= s->ledger.settled_ns)
        return;
    const struct energy *e = energy_of(s);
    MUST(s, e->all.nw <= e->power->cap_nw);
    if (e->power->rack_cap_nw != INT64_MAX)
        check_racks(s, e);
}

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_seconds(o, run_job(s, j).waits[WAIT_POWER]);
}

static const char *const job_columns[] = { "wait_power_s", NULL };
static const struct metric_kind metrics[] = {
    { "wait_power_h", "h", "of all waits, for power: hours of jobs that would have fit, but for a cap", BETTER_LOWER },
    { "jobs_waited_for_power", "", "jobs that have waited for it", BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    summary_put_waits(b, WAIT_POWER, metrics);
}

const struct run_model power_caps_model = {
    .place = PLACE_OF(power_caps_model),
    .name = "power caps", .summary = "cap_w and rack_cap_w of the section power", .wanted = wanted, .settle = settle,
    .job_columns = job_columns, .job_row = job_row, .metrics = metrics, .summarise = summarise,
};
