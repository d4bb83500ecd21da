/* energy.c - what nodes and jobs draw, integrated exactly. models.md 9; the laws: sim/models/power.h.
 *
 * A node draws its base, P_idle for what is free of its GPUs, and for each piece that a job holds there what the job draws. A
 * job draws its GPUs and its share of the node: its CPUs, and of the base as many thousandths as it holds of the node's GPUs.
 * The rest is GPUs that idle, and nodes. Both are integrated for themselves, and at the end
 *     energy of the nodes = jobs + idle GPUs + what nobody has a share of
 * must hold to the attojoule, the last two from the ledger's GPU time.
 *
 * The duty of a GPU on which its job makes progress is the section's `duty` x T_compute / T_iteration. */
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"
#include "sim/engine/pace.h"
#include "sim/physics/sleep.h"

#include <math.h>

static const struct node_power *power_of(const struct sched *s, node_id n)
{
    return &s->energy->power->of_group[s->cluster->group_of[n]];
}

static int64_t piece_milli(const struct piece *p)
{
    return (int64_t)p->gpus * p->milli;
}

/* ---- Nodes ---- */

static void node_add(struct sched *s, node_id n, int128_t nw)
{
    meter_add(&s->energy->node[n].meter, s->now_ns, nw);
    s->energy->all.nw += nw;      /* run by settle() */
    if (nw != 0)
        run_shown(s);
}

static bool is_dark(const struct node_energy *e)
{
    return e->dark && !e->pieces;
}

static int64_t dark_nw(const struct sched *s, const struct node_energy *e)
{
    return e->dark == 1u << DARK_OFF ? s->energy->power->off_nw : 0;
}

/* Without what is held of it. */
static int128_t alone_nw(const struct sched *s, node_id n)
{
    const struct node_power *p = power_of(s, n);
    if (is_dark(&s->energy->node[n]))
        return dark_nw(s, &s->energy->node[n]);
    return p->base_nw + (int128_t)p->idle_nw * cluster_node_milli(s->cluster, n);
}

static void run_dark(struct sched *s, struct node_energy *e)
{
    int64_t dt = is_dark(e) ? s->now_ns - e->dark_since_ns : 0;
    e->dark_ns += dt;
    e->dark_aj += (int128_t)dt * dark_nw(s, e);
    e->dark_since_ns = s->now_ns;
}

static void light(struct sched *s, node_id n, uint32_t pieces, uint8_t dark)
{
    struct node_energy *e = &s->energy->node[n];
    int128_t before_nw = alone_nw(s, n);
    run_dark(s, e);
    e->pieces = pieces;
    e->dark = dark;
    node_add(s, n, alone_nw(s, n) - before_nw);
}

void energy_dark(struct sched *s, node_id n, enum dark why, bool on)
{
    const struct node_energy *e = &s->energy->node[n];
    light(s, n, e->pieces, (uint8_t)(on ? e->dark | 1u << why : e->dark & ~(1u << why)));
}

static void node_power(struct sched *s, node_id n, bool out)
{
    energy_dark(s, n, DARK_DOWN, out);
}

/* A piece comes or goes. */
static void piece_changes(struct sched *s, node_id n, int sign)
{
    const struct node_energy *e = &s->energy->node[n];
    if (e->pieces + (uint32_t)sign == 0 || e->pieces == 0)
        light(s, n, e->pieces + (uint32_t)sign, e->dark);
    else
        s->energy->node[n].pieces += (uint32_t)sign;
    sleep_use_changed(s, n);
}

static void energy_suspended(struct sched *s, const struct placement *p, int sign)
{
    for (size_t i = 0; i < p->n; i++)
        piece_changes(s, p->piece[i].node, sign);
}

/* ---- Jobs ---- */

static void job_run_to_now(struct sched *s, struct job_energy *e)
{
    int128_t dt = s->now_ns - e->since_ns;
    e->gpus_aj += dt * e->gpus_nw;
    e->node_aj += dt * e->node_nw;
    e->since_ns = s->now_ns;
}

/* Of its node's base, for each thousandth of a GPU. */
static int64_t base_share_nw(const struct sched *s, node_id n)
{
    int64_t milli = cluster_node_milli(s->cluster, n);
    return milli ? power_of(s, n)->base_nw / milli : 0;
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    struct job_energy *e = &s->energy->job[j];
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
        node_add(s, piece->node, (int128_t)milli * (node->held_nw - node->idle_nw) + cpu_nw);
        piece_changes(s, piece->node, sign);
    }
}

/* What whoever makes no progress, or at that duty, draws above one who holds as much without. */
static int64_t above_held_nw(const struct sched *s, const struct node_power *n, double duty)
{
    return duty < 0 ? 0 : power_at_duty_nw(&s->energy->power->law, n, duty) - n->held_nw;
}

static void set_duty(struct sched *s, job_id j, const struct placement *on, double duty)
{
    struct job_energy *e = &s->energy->job[j];
    const struct node_power *last = NULL;
    int64_t more_nw = 0;
    if (duty == e->duty)
        return;
    job_run_to_now(s, e);
    for (size_t i = 0; i < on->n; i++) {
        const struct node_power *node = power_of(s, on->piece[i].node);
        if (node != last)
            more_nw = above_held_nw(s, node, duty) - above_held_nw(s, node, e->duty);
        last = node;
        e->gpus_nw += piece_milli(&on->piece[i]) * more_nw;
        node_add(s, on->piece[i].node, (int128_t)piece_milli(&on->piece[i]) * more_nw);
    }
    e->duty = duty;
}

static void paced(struct sched *s, struct live *l)
{
    bool gets_on = !l->progress_event && !l->pace.stalled;
    double computes = l->pace.compute_s / pace_iteration_s(&l->pace);
    set_duty(s, l->job, l->on, gets_on ? s->energy->power->duty * fmin(computes, 1) : -1);
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    set_duty(s, l->job, from, -1);
}

/* ---- The run ---- */

static bool wanted(const struct sched *s)
{
    return s->cluster->power != NULL;
}

static void begin(struct sched *s)
{
    struct energy *e = s->energy = arena_alloc(s->memory, sizeof *e);
    e->power = s->cluster->power;
    e->node = arena_alloc(s->memory, s->cluster->n_nodes * sizeof *e->node);
    e->job = arena_alloc(s->memory, s->n_jobs * sizeof *e->job);
    e->all.since_ns = s->now_ns;
    for (job_id j = 0; j < s->n_jobs; j++)
        e->job[j].duty = -1;
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        e->node[n] = (struct node_energy){ .meter.since_ns = s->now_ns, .dark_since_ns = s->now_ns };
        node_add(s, n, alone_nw(s, n));
    }
}

static void settle(struct sched *s, int64_t to_ns)
{
    struct energy *e = s->energy;
    if (to_ns <= s->ledger.settled_ns)
        return;
    meter_run(&e->all, to_ns);
    if (e->all.nw > e->peak_nw)
        e->peak_nw = e->all.nw;
    int128_t grid = hourly_until(&e->power->carbon, to_ns) - hourly_until(&e->power->carbon, s->ledger.settled_ns);
    sum_add(&e->carbon_g, power_carbon_g(e->all.nw, grid, e->power->pue));
}

/* From the ledger's GPU time: what is free of a node while it is lit, and of its base what nobody had a share of. */
static void parts_of_node(struct sched *s, node_id n)
{
    struct energy *e = s->energy;
    const struct node_power *p = power_of(s, n);
    run_dark(s, &e->node[n]);
    int128_t lit_ns = s->now_ns - s->totals.first_ns - e->node[n].dark_ns, held_milli_ns = 0;
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
        held_milli_ns += s->ledger.node_account[n][a];
    e->idle_aj += p->idle_nw * (lit_ns * cluster_node_milli(s->cluster, n) - held_milli_ns);
    e->nodes_aj += p->base_nw * lit_ns - base_share_nw(s, n) * held_milli_ns + e->node[n].dark_aj;
}

static void end(struct sched *s)
{
    struct energy *e = s->energy;
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        meter_run(&e->node[n].meter, s->now_ns);
        parts_of_node(s, n);
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

/* All have left: no job draws anything, and each node what it draws alone. */
static bool all_is_quiet(const struct sched *s)
{
    for (job_id j = 0; j < s->n_jobs; j++)
        if (s->energy->job[j].gpus_nw || s->energy->job[j].node_nw)
            return false;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (s->energy->node[n].meter.nw != alone_nw(s, n))
            return false;
    return true;
}

static int check(struct sched *s, struct error *err)
{
    const struct energy *e = s->energy;
    int128_t nodes_aj = 0, parts_aj = e->jobs_aj + e->idle_aj + e->nodes_aj;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        nodes_aj += e->node[n].meter.aj;
    if (!all_is_quiet(s))
        return error_set(err, "an identity is broken, please report it: power is drawn when all jobs have left");
    if (nodes_aj != e->all.aj)
        return differ(err, "energy, over time and over nodes", e->all.aj, nodes_aj);
    return parts_aj == e->all.aj ? 0 : differ(err, "energy of all nodes, and of jobs, idle GPUs and nodes", e->all.aj, parts_aj);
}

const struct run_model energy_model = {
    .name = "power", .summary = "energy of nodes and jobs, carbon: section power",
    .suspended = energy_suspended, .node_power = node_power,
    .wanted = wanted, .begin = begin, .held = held, .paced = paced, .left = left, .settle = settle, .end = end, .check = check,
    .job_columns = energy_job_columns, .node_columns = energy_node_columns, .series_columns = energy_series_columns,
    .job_row = energy_job_row, .node_row = energy_node_row, .series_row = energy_series_row,
    .metrics = energy_metrics, .summarise = energy_summarise,
};
