/* bill.c - what a run costs: GPU-hours and energy at their tariff. models.md 9; section `prices`.
 *
 * The rental view: GPU-hours that jobs held, or that there were. Cost per useful GPU-hour: all of it / GPU time of work that
 * survived.
 *
 * Each queue and each user has its part: the GPU-hours that its jobs held at the price of their group, or in a pool at the price of
 * the node over its GPUs, and the energy of its jobs. What no job held is idle: the parts of all queues and idle add up to the
 * whole, and so do those of all users. What is held and what is billed are whole numbers until they are priced.
 *
 * The rate in timeseries.csv is what an hour costs in which all stays as it is, so that its integral is the cost of the run. A part
 * that the run has not is empty. */
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"
#include "sim/physics/pools.h"

#include <stdlib.h>

extern const struct run_model bill_model;

struct usd { double gpus, pools, energy; };
struct bill_run {                     /* milli-GPU ns that were held, [n_groups] each: of a queue, of a user; the last user: none */
    int128_t *queue, *user;
    node_id *first;               /* [n_groups] */
    int64_t *held_milli;          /* [n_groups] now */
    int128_t *hour;               /* [n_groups] milli-GPU ns that are paid for in an hour like now */
    struct usd shown;             /* that hour, as observers saw it last; its energy is the energy model's to show */
    size_t n_users;
    bool *has_queue, *has_user;   /* a job of it was there */
};

static size_t user_of(const struct bill_run *bill, const struct sched *s, job_id j)
{
    uint32_t user = s->workload->facts[j].user;
    return user == ID_NONE ? bill->n_users : user;
}

static bool wanted(const struct sched *s)
{
    return s->cluster->tariff != NULL;
}

static bool bills_all(const struct sched *s)
{
    return s->cluster->tariff->bill == BILL_CAPACITY;
}

static int128_t billed_milli_ns(const struct sched *s, node_id n)
{
    int128_t held = 0;
    if (pool_of(s, n))
        return 0;                 /* by the node */
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
        held += s->ledger.node_account[n][a];
    return bills_all(s) ? (int128_t)(s->totals.last_ns - s->totals.first_ns) * cluster_node_milli(s->cluster, n) : held;
}

/* A GPU that is cut counts as what its instances count, at the price of a GPU. */
static double group_usd(const struct sched *s, uint32_t group, node_id first, int128_t milli_ns)
{
    const struct cluster *c = s->cluster;
    double whole = (double)cluster_node_milli(c, first) / MILLI_ALL;
    if (whole <= 0)
        return 0;
    if (pool_of(s, first))
        return gpu_hours(milli_ns) / whole * pool_of(s, first)->usd_per_node_h;
    return gpu_hours(milli_ns) * c->group_gpus[group] / whole * c->tariff->gpu_usd_per_h[group];
}

static void begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    struct bill_run *bill = arena_alloc(s->memory, sizeof *bill);
    model_state_set(s, &bill_model, bill);
    bill->n_users = s->workload->users ? intern_count(s->workload->users) : 0;
    bill->queue = mem_new((size_t)c->n_queues * c->n_groups, sizeof *bill->queue);
    bill->user = mem_new((bill->n_users + 1) * c->n_groups, sizeof *bill->user);
    bill->has_queue = mem_new(c->n_queues, sizeof *bill->has_queue);
    bill->has_user = mem_new(bill->n_users + 1, sizeof *bill->has_user);
    bill->first = mem_new(c->n_groups, sizeof *bill->first);
    bill->held_milli = mem_new(c->n_groups, sizeof *bill->held_milli);
    bill->hour = mem_new(c->n_groups, sizeof *bill->hour);
    for (node_id n = c->n_nodes; n-- > 0;)
        bill->first[c->group_of[n]] = n;
}

static void end_of_run(struct sched *s)
{
    struct bill_run *bill = model_state(s, &bill_model);
    if (!bill)
        return;
    free(bill->queue);
    free(bill->user);
    free(bill->has_queue);
    free(bill->has_user);
    free(bill->first);
    free(bill->held_milli);
    free(bill->hour);
}

/* All is given back at the end: ends less starts are times. */
static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    struct bill_run *bill = model_state(s, &bill_model);
    size_t queue = s->workload->facts[j].queue, user = user_of(bill, s, j);
    for (size_t i = 0; i < p->n; i++) {
        uint32_t group = s->cluster->group_of[p->piece[i].node];
        int64_t milli = sign * (int64_t)p->piece[i].gpus * p->piece[i].milli;
        int128_t milli_ns = -(int128_t)s->now_ns * milli;
        bill->held_milli[group] += milli;
        bill->queue[queue * s->cluster->n_groups + group] += milli_ns;
        bill->user[user * s->cluster->n_groups + group] += milli_ns;
    }
    bill->has_queue[queue] = bill->has_user[user] = true;
}

/* Of [n_groups] milli-GPU ns, and that energy. */
static struct usd usd_of(const struct sched *s, const int128_t *milli_ns, int128_t aj)
{
    const struct cluster *c = s->cluster;
    const struct bill_run *bill = model_state(s, &bill_model);
    struct usd usd = { 0 };
    for (uint32_t g = 0; g < c->n_groups; g++)
        *(pool_of(s, bill->first[g]) ? &usd.pools : &usd.gpus) += group_usd(s, g, bill->first[g], milli_ns[g]);
    if (energy_of(s))
        usd.energy = power_kwh(aj) * c->power->pue * c->tariff->energy_usd_per_kwh;
    return usd;
}

/* ---- Over time ---- */

#define HOUR_NS (3600 * NS_PER_S)

static struct usd usd_per_h(const struct sched *s)
{
    const struct cluster *c = s->cluster;
    const struct bill_run *bill = model_state(s, &bill_model);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        node_id first = bill->first[g], after = g + 1 < c->n_groups ? bill->first[g + 1] : c->n_nodes;
        int64_t node_milli = cluster_node_milli(c, first);
        bill->hour[g] = HOUR_NS * (int128_t)(pool_of(s, first) ? pools_of(s)->paid[g] * node_milli
                                             : bills_all(s)    ? (after - first) * node_milli
                                                               : bill->held_milli[g]);
    }
    return usd_of(s, bill->hour, energy_of(s) ? energy_of(s)->all.nw * HOUR_NS : 0);
}

/* Before observers see the instant: a price that has changed is a row of its own. */
static void show(struct sched *s)
{
    struct bill_run *bill = model_state(s, &bill_model);
    struct usd now = usd_per_h(s);
    if (now.gpus == bill->shown.gpus && now.pools == bill->shown.pools)
        return;
    bill->shown = now;
    run_shown(s);
    run_series_changed(s);
}

static void series_row(struct output *o, const struct sched *s)
{
    struct usd now = usd_per_h(s);
    const double value[] = { now.gpus, now.pools, now.energy };
    const bool has[] = { true, pools_of(s), energy_of(s) };
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        out_char(o, ',');
        if (has[i])
            out_double(o, value[i]);
    }
}

static const char *const series_columns[] = { "cost_gpus_usd_per_h", "cost_pools_usd_per_h", "cost_energy_usd_per_h", NULL };

/* ---- Metrics ---- */

/* By group, all that is paid for. */
static int128_t *billed(const struct sched *s)
{
    int128_t *of = mem_new(s->cluster->n_groups, sizeof *of);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        of[s->cluster->group_of[n]] += pool_of(s, n) ? (int128_t)pool_there_ns(s, n) * cluster_node_milli(s->cluster, n)
                                                     : billed_milli_ns(s, n);
    return of;
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

static double put(struct summary_builder *b, const char *scope, struct usd usd)
{
    double all = usd.gpus + usd.pools + usd.energy;
    summary_put_kind(b, &metrics[COST], scope, all, 1);
    summary_put_kind(b, &metrics[OF_GPUS], scope, usd.gpus, 1);
    if (pools_of(b->s))
        summary_put_kind(b, &metrics[OF_POOLS], scope, usd.pools, 1);
    if (energy_of(b->s))
        summary_put_kind(b, &metrics[OF_ENERGY], scope, usd.energy, 1);
    return all;
}

static int128_t job_aj(const struct sched *s, job_id j)
{
    const struct energy *e = energy_of(s);
    return e ? e->job[j].gpus_aj + e->job[j].node_aj : 0;
}

static void put_queues(struct summary_builder *b, const struct bill_run *bill)
{
    const struct cluster *c = b->s->cluster;
    int128_t *aj = mem_new(c->n_queues, sizeof *aj);
    for (job_id j = 0; j < b->s->n_jobs; j++)
        aj[b->s->workload->facts[j].queue] += job_aj(b->s, j);
    for (queue_id q = 0; q < c->n_queues; q++)
        if (bill->has_queue[q])
            put(b, summary_scope(b, "queue", c->queue[q].name), usd_of(b->s, &bill->queue[(size_t)q * c->n_groups], aj[q]));
    free(aj);
}

static void put_users(struct summary_builder *b, const struct bill_run *bill)
{
    const struct sched *s = b->s;
    int128_t *aj = mem_new(bill->n_users + 1, sizeof *aj);
    for (job_id j = 0; j < s->n_jobs; j++)
        aj[user_of(bill, s, j)] += job_aj(s, j);
    for (size_t u = 0; u <= bill->n_users; u++)
        if (bill->has_user[u])
            put(b, summary_scope(b, "user", u < bill->n_users ? intern_text(s->workload->users, (uint32_t)u) : ""),
                usd_of(s, &bill->user[u * s->cluster->n_groups], aj[u]));
    free(aj);
}

static void put_idle(struct summary_builder *b, const struct bill_run *bill, int128_t *milli_ns)
{
    const struct sched *s = b->s;
    const struct energy *e = energy_of(s);
    for (queue_id q = 0; q < s->cluster->n_queues; q++)
        for (uint32_t g = 0; g < s->cluster->n_groups; g++)
            milli_ns[g] -= bill->queue[(size_t)q * s->cluster->n_groups + g];
    put(b, "idle", usd_of(s, milli_ns, e ? e->all.aj - e->jobs_aj : 0));
}

static void summarise(struct summary_builder *b)
{
    const struct sched *s = b->s;
    const struct bill_run *bill = model_state(s, &bill_model);
    const struct energy *e = energy_of(s);
    int128_t *milli_ns = billed(s);
    double useful = gpu_hours(s->totals.account[ACCOUNT_USEFUL]);
    double all = put(b, "all", usd_of(s, milli_ns, e ? e->all.aj : 0));
    summary_put_kind(b, &metrics[PER_USEFUL], "all", all / useful, useful > 0);
    put_queues(b, bill);
    put_users(b, bill);
    put_idle(b, bill, milli_ns);
    free(milli_ns);
}

const struct run_model bill_model = {
    .place = PLACE_OF(bill_model),
    .name = "prices", .summary = "cost of GPU-hours and energy: section prices", .wanted = wanted, .begin = begin,
    .free = end_of_run, .held = held, .round = show, .series_columns = series_columns, .series_row = series_row,
    .metrics = metrics, .summarise = summarise,
};
