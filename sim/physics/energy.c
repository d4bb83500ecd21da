/* energy.c - see energy.h. */
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"

#include <math.h>

static const struct node_power *power_of(const struct sched *s, node_id n)
{
    return &s->cluster->power->of_group[s->cluster->group_of[n]];
}

static int64_t piece_milli(const struct piece *p)
{
    return (int64_t)p->gpus * p->milli;
}

/* ---- Nodes ---- */

static void node_add(struct sched *s, struct energy *e, node_id n, int128_t nw)
{
    if (!nw)
        return;
    meter_add(&e->node[n].meter, s->now_ns, nw);
    e->all.nw += nw;              /* settle() integrates it */
    e->changes++;
    if (e->row_nw)
        e->row_nw[e->power->row.of_node[n]] += nw;
}

static bool is_off(const struct node_energy *e)
{
    return e->off && !e->pieces;
}

static int64_t off_nw(const struct sched *s, const struct node_energy *e)
{
    return e->off == 1u << POWER_OFF ? s->cluster->power->off_nw : 0;
}

/* A node that holds nothing. */
static int128_t alone_nw(const struct sched *s, const struct node_energy *e, node_id n)
{
    const struct node_power *p = power_of(s, n);
    if (is_off(e))
        return off_nw(s, e);
    return p->base_nw + (int128_t)p->idle_nw * cluster_node_milli(s->cluster, n);
}

static void settle_off(const struct sched *s, struct node_energy *e)
{
    int64_t dt = is_off(e) ? s->now_ns - e->off_since_ns : 0;
    e->off_ns += dt;
    e->off_aj += (int128_t)dt * off_nw(s, e);
    e->off_since_ns = s->now_ns;
}

static void set_power(struct sched *s, struct energy *all, node_id n, uint32_t pieces, uint8_t off)
{
    struct node_energy *e = &all->node[n];
    int128_t before_nw = alone_nw(s, e, n);
    settle_off(s, e);
    e->pieces = pieces;
    e->off = off;
    node_add(s, all, n, alone_nw(s, e, n) - before_nw);
}

void energy_node_off(struct sched *s, node_id n, enum power_off why, bool off)
{
    struct energy *all = energy_of(s);
    const struct node_energy *e = &all->node[n];
    set_power(s, all, n, e->pieces, (uint8_t)(off ? e->off | 1u << why : e->off & ~(1u << why)));
}

static void node_power(struct sched *s, node_id n, bool out)
{
    energy_node_off(s, n, POWER_DOWN, out);
}

/* A piece comes (1) or goes (-1). */
static void piece_changes(struct sched *s, struct energy *all, node_id n, int sign)
{
    struct node_energy *e = &all->node[n];
    uint32_t pieces = e->pieces + (uint32_t)sign;
    if (pieces == 0 || e->pieces == 0)
        set_power(s, all, n, pieces, e->off);
    else
        e->pieces = pieces;
}

static void energy_suspended(struct sched *s, const struct placement *p, int sign)
{
    for (size_t i = 0; i < p->n; i++)
        piece_changes(s, energy_of(s), p->piece[i].node, sign);
}

/* ---- Jobs ---- */

static void job_run_to_now(struct sched *s, struct job_energy *e)
{
    int128_t dt = s->now_ns - e->since_ns;
    e->gpus_aj += dt * e->gpus_nw;
    e->node_aj += dt * e->node_nw;
    e->since_ns = s->now_ns;
}

/* The share of the node's base for each thousandth of a GPU. */
static int64_t base_share_nw(const struct sched *s, node_id n)
{
    int64_t milli = cluster_node_milli(s->cluster, n);
    return milli ? power_of(s, n)->base_nw / milli : 0;
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    struct energy *all = energy_of(s);
    struct job_energy *e = &all->job[j];
    job_run_to_now(s, e);
    for (size_t i = 0; i < p->n; i++) {
        const struct piece *piece = &p->piece[i];
        const struct node_power *node = power_of(s, piece->node);
        const struct request *run = request_of_piece(ask_of(s, j), piece);
        int64_t milli = sign * piece_milli(piece);
        int64_t cpu_nw = sign * power_of_cpus_nw(node, piece_share(run, piece, run->cpu_milli),
                                                 cluster_node_type(s->cluster, piece->node)->cpu_milli);
        e->gpus_nw += milli * node->held_nw;
        e->node_nw += milli * base_share_nw(s, piece->node) + cpu_nw;
        node_add(s, all, piece->node, (int128_t)milli * (node->held_nw - node->idle_nw) + cpu_nw);
        piece_changes(s, all, piece->node, sign);
    }
}

static const struct pace_load no_progress = { .duty = -1 };

/* Of a GPU, above one that is held without progress. */
static int64_t above_held_nw(const struct sched *s, const struct node_power *n, const struct pace_load *x, double clock)
{
    const struct power_law *law = &s->cluster->power->law;
    if (x->duty < 0)
        return 0;
    return (x->steps > 0 ? power_of_steps_nw(law, n, x->steps, x->tdp, clock) : power_at_clock_nw(law, n, x->duty, clock)) - n->held_nw;
}

static bool same_load(const struct pace_load *a, const struct pace_load *b)
{
    return a->duty == b->duty && a->steps == b->steps && a->tdp == b->tdp;
}

static void set_load(struct sched *s, job_id j, const struct placement *on, struct pace_load load)
{
    struct energy *all = energy_of(s);
    struct job_energy *e = &all->job[j];
    const struct node_power *last = NULL;
    double last_clock = 0;
    int64_t more_nw = 0;
    if (same_load(&load, &e->load))
        return;
    job_run_to_now(s, e);
    for (size_t i = 0; i < on->n; i++) {
        node_id n = on->piece[i].node;
        const struct node_power *node = power_of(s, n);
        double clock = all->node[n].clock;
        if (node != last || clock != last_clock)
            more_nw = above_held_nw(s, node, &load, clock) - above_held_nw(s, node, &e->load, clock);
        last = node;
        last_clock = clock;
        e->gpus_nw += piece_milli(&on->piece[i]) * more_nw;
        node_add(s, all, n, (int128_t)piece_milli(&on->piece[i]) * more_nw);
        all->node[n].above_nw += (int128_t)piece_milli(&on->piece[i]) * more_nw;
        all->above_nw += (int128_t)piece_milli(&on->piece[i]) * more_nw;
    }
    e->load = load;
}

static void paced(struct sched *s, struct live *l)
{
    bool progresses = !l->progress_event && !l->pace.stalled;
    double computes = l->pace.compute_s / l->pace.clock / pace_iteration_s(&l->pace);
    struct pace_load load = { s->cluster->power->duty * fmin(computes, 1) * l->pace.duty, l->pace.steps, l->pace.tdp };
    set_load(s, l->job, l->on, progresses ? load : no_progress);
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    set_load(s, l->job, from, no_progress);
}

void energy_rests(struct sched *s, struct live *l)
{
    set_load(s, l->job, l->on, no_progress);
}

void energy_goes_on(struct sched *s, struct live *l)
{
    paced(s, l);
}

/* ---- The run ---- */

static bool wanted(const struct sched *s)
{
    return s->cluster->power != NULL;
}

double energy_pue(const struct sched *s)
{
    const struct power *p = s->cluster->power;
    return p->pue_by_hour.n ? (double)hourly_milli(&p->pue_by_hour, s->now_ns) / HOURLY_SCALE : p->pue;
}

/* Of the facility, in this hour, at that power of the nodes. */
static double grams_per_h(const struct sched *s, double kw)
{
    const struct power *p = s->cluster->power;
    if (p->pue_by_hour.n)
        return kw * (double)hourly_milli(&p->carbon_by_hour, s->now_ns) / HOURLY_SCALE;
    return (kw * p->pue + (double)p->fixed_nw / (double)NW_PER_W / 1000) * (double)hourly_milli(&p->carbon, s->now_ns) / HOURLY_SCALE;
}

/* The next hour with other grams or another PUE. */
static int64_t other_hour_ns(const struct sched *s)
{
    const struct power *p = energy_of(s)->power;
    int64_t now_ns = s->now_ns;
    int64_t carbon_ns = hourly_change_ns(&p->carbon, now_ns);
    int64_t pue_ns = p->pue_by_hour.n ? hourly_change_ns(&p->pue_by_hour, now_ns) : TIME_NEVER;
    return carbon_ns < pue_ns ? carbon_ns : pue_ns;
}

static void await_other_carbon(struct sched *s)
{
    int64_t at_ns = other_hour_ns(s);
    if (at_ns == TIME_NEVER)
        return;
    run_background(s, 1);
    event_queue_push(s->events, (struct event){ at_ns, EVENT_CARBON, 0 });
}

static void carbon_changes(struct sched *s, const struct event *e)
{
    (void)e;
    run_background(s, -1);
    await_other_carbon(s);
    run_shown(s);
    run_series_changed(s);
}

static void begin(struct sched *s)
{
    struct energy *e = arena_alloc(s->memory, sizeof *e);
    model_state_set(s, &energy_model, e);
    e->power = s->cluster->power;
    e->node = arena_alloc(s->memory, s->cluster->n_nodes * sizeof *e->node);
    e->job = arena_alloc(s->memory, s->n_jobs * sizeof *e->job);
    if (e->power->cap_by == CAP_BY_ROWS)
        e->row_nw = arena_alloc(s->memory, e->power->row.n * sizeof *e->row_nw);
    e->begin_ns = e->all.since_ns = s->now_ns;
    await_other_carbon(s);
    for (job_id j = 0; j < s->n_jobs; j++)
        e->job[j].load = no_progress;
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        e->node[n] = (struct node_energy){ .meter.since_ns = s->now_ns, .off_since_ns = s->now_ns,
                                            .clock = power_of(s, n)->clock };
        node_add(s, e, n, alone_nw(s, &e->node[n], n));
    }
}

/* Before observers see the instant: power that has changed is a row of its own. */
static void show(struct sched *s)
{
    struct energy *e = energy_of(s);
    if (e->all.nw == e->shown_nw)
        return;
    e->shown_nw = e->all.nw;
    run_shown(s);
    run_series_changed(s);
}

static int128_t over_hours(const struct sched *s, const struct hourly *h, int64_t to_ns)
{
    return hourly_until(h, to_ns) - hourly_until(h, s->ledger.settled_ns);
}

static void settle(struct sched *s, int64_t to_ns)
{
    if (to_ns <= s->ledger.settled_ns)
        return;
    struct energy *e = energy_of(s);
    meter_run(&e->all, to_ns);
    if (e->all.nw > e->peak_nw)
        e->peak_nw = e->all.nw;
    if (e->power->pue_by_hour.n) {    /* grams and PUE of each hour are in one series */
        sum_add(&e->pue_kwh, power_carbon_g(e->all.nw, over_hours(s, &e->power->pue_by_hour, to_ns), 1));
        sum_add(&e->carbon_g, power_carbon_g(e->all.nw, over_hours(s, &e->power->carbon_by_hour, to_ns), 1));
    } else {
        int128_t milli_ns = over_hours(s, &e->power->carbon, to_ns);
        sum_add(&e->carbon_g, power_carbon_g(e->all.nw, milli_ns, e->power->pue));
        sum_add(&e->carbon_g, power_carbon_g(e->power->fixed_nw, milli_ns, 1));
    }
}

/* From the ledger's GPU time: what is free of a node while it is on, and the part of its base that no job had a share of. */
static void parts_of_node(struct sched *s, struct energy *e, node_id n)
{
    const struct node_power *p = power_of(s, n);
    settle_off(s, &e->node[n]);
    int128_t on_ns = s->now_ns - s->totals.first_ns - e->node[n].off_ns, held_milli_ns = 0;
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
        held_milli_ns += s->ledger.node_account[a][n];
    e->idle_aj += p->idle_nw * (on_ns * cluster_node_milli(s->cluster, n) - held_milli_ns);
    e->nodes_aj += p->base_nw * on_ns - base_share_nw(s, n) * held_milli_ns + e->node[n].off_aj;
}

static void end(struct sched *s)
{
    struct energy *e = energy_of(s);
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        meter_run(&e->node[n].meter, s->now_ns);
        parts_of_node(s, e, n);
    }
    for (job_id j = 0; j < s->n_jobs; j++) {
        job_run_to_now(s, &e->job[j]);
        e->jobs_aj += e->job[j].gpus_aj + e->job[j].node_aj;
    }
}

static int differ(struct error *err, const char *identity, int128_t a, int128_t b)
{
    return error_set(err, "an identity is broken, please report it: %s: %.17g kWh is not %.17g kWh", identity, power_kwh(a), power_kwh(b));
}

/* All jobs have left: no job draws anything, and each node what it draws when it holds nothing. */
static bool all_is_quiet(const struct sched *s)
{
    const struct energy *e = energy_of(s);
    for (job_id j = 0; j < s->n_jobs; j++)
        if (e->job[j].gpus_nw || e->job[j].node_nw)
            return false;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (e->node[n].meter.nw != alone_nw(s, &e->node[n], n))
            return false;
    return e->above_nw == 0;
}

static int check(struct sched *s, struct error *err)
{
    const struct energy *e = energy_of(s);
    int128_t nodes_aj = 0, parts_aj = e->jobs_aj + e->idle_aj + e->nodes_aj;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        nodes_aj += e->node[n].meter.aj;
    if (!all_is_quiet(s))
        return error_set(err, "an identity is broken, please report it: power is drawn when all jobs have left");
    if (nodes_aj != e->all.aj)
        return differ(err, "energy, over time and over nodes", e->all.aj, nodes_aj);
    return parts_aj == e->all.aj ? 0 : differ(err, "energy of all nodes, and of jobs, idle GPUs and nodes", e->all.aj, parts_aj);
}

/* ---- Files and metrics ---- */

#define AJ_PER_NANO_KWH INT64_C(3600000000000000)

static void comma_kwh(struct output *o, int128_t aj)
{
    out_char(o, ',');
    out_decimal(o, (int64_t)(aj / AJ_PER_NANO_KWH), 1000000000);
}

static void energy_job_row(struct output *o, const struct sched *s, job_id j)
{
    const struct job_energy *e = &energy_of(s)->job[j];
    comma_kwh(o, e->gpus_aj);
    comma_kwh(o, e->node_aj);
}

static void energy_node_row(struct output *o, const struct sched *s, node_id n)
{
    comma_kwh(o, energy_of(s)->node[n].meter.aj);
}

static double watts(int128_t nw)
{
    return (double)nw / (double)NW_PER_W;
}

static void energy_series_row(struct output *o, const struct sched *s)
{
    const struct energy *e = energy_of(s);
    out_char(o, ',');
    out_double(o, watts(e->all.nw));
    out_char(o, ',');
    out_double(o, grams_per_h(s, watts(e->all.nw) / 1000));
}

static const char *const energy_job_columns[] = { "gpu_energy_kwh", "node_energy_kwh", NULL };
static const char *const energy_node_columns[] = { "energy_kwh", NULL };
static const char *const energy_series_columns[] = { "power_w", "carbon_g_per_h", NULL };

enum { ENERGY, OF_JOBS, OF_IDLE, OF_NODES, FACILITY, CARBON, MEAN, PEAK };
static const struct metric_kind energy_metrics[] = {
    [ENERGY] = { "energy_kwh", "kWh", "that all nodes have drawn", BETTER_LOWER },
    [OF_JOBS] = { "energy_jobs_kwh", "kWh", "of it, jobs: their GPUs, their CPUs and their GPUs' share of what nodes draw anyway", BETTER_NEITHER },
    [OF_IDLE] = { "energy_idle_gpus_kwh", "kWh", "of it, GPUs that no job held", BETTER_NEITHER },
    [OF_NODES] = { "energy_nodes_kwh", "kWh", "of it, nodes without their GPUs, as far as no job held those", BETTER_NEITHER },
    [FACILITY] = { "energy_facility_kwh", "kWh", "energy_kwh x PUE, and with pue_fixed what the facility draws at any load", BETTER_LOWER },
    [CARBON] = { "carbon_kg", "kg", "CO2 of the facility's energy", BETTER_LOWER },
    [MEAN] = { "power_mean_w", "W", "of all nodes, mean over time", BETTER_LOWER },
    [PEAK] = { "power_peak_w", "W", "peak of all nodes together", BETTER_LOWER },
    { 0 },
};

double energy_facility_kwh(const struct energy *e)
{
    int128_t fixed_aj = e->power->fixed_nw * (e->all.since_ns - e->begin_ns);
    return e->power->pue_by_hour.n ? sum_value(&e->pue_kwh) : power_kwh(e->all.aj) * e->power->pue + power_kwh(fixed_aj);
}

static void energy_summarise(struct summary_builder *b)
{
    const struct energy *e = energy_of(b->s);
    double hours = seconds(b->s->totals.last_ns - b->s->totals.first_ns) / 3600;
    const double value[] = { power_kwh(e->all.aj), power_kwh(e->jobs_aj), power_kwh(e->idle_aj), power_kwh(e->nodes_aj),
                             energy_facility_kwh(e), sum_value(&e->carbon_g) / 1000, power_kwh(e->all.aj) * 1000 / hours,
                             watts(e->peak_nw) };
    for (unsigned m = 0; m < sizeof value / sizeof value[0]; m++)
        summary_put_kind(b, &energy_metrics[m], "all", value[m], m < MEAN || hours > 0);
}

const struct run_model energy_model = {
    .place = PLACE_OF(energy_model),
    .name = "power", .summary = "energy of nodes and jobs, carbon: section power",
    .suspended = energy_suspended, .node_power = node_power,
    .wanted = wanted, .begin = begin, .held = held, .paced = paced, .left = left, .round = show, .settle = settle, .level_ns = other_hour_ns, .end = end, .check = check,
    .events = 1u << EVENT_CARBON, .happens = carbon_changes,
    .job_columns = energy_job_columns, .node_columns = energy_node_columns, .series_columns = energy_series_columns,
    .job_row = energy_job_row, .node_row = energy_node_row, .series_row = energy_series_row,
    .metrics = energy_metrics, .summarise = energy_summarise,
};
