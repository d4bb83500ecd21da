/* bill.c - what a run costs: GPU-hours and energy at their tariff. models.md 9; section `prices`.
 *
 * The rental view: GPU-hours that jobs held, or that there were. Cost per useful GPU-hour: all of it / GPU time of work that
 * survived.
 *
 * Each queue and each user has its part: the GPU-hours that its jobs held at the price of their group, or in a pool at the price of
 * the node over its GPUs, and the energy of its jobs. What no job held is idle: the parts of all queues and idle add up to the
 * whole, and so do those of all users. What is held and what is billed are whole numbers until they are priced.
 *
 * A node of a pool costs its price whether it has GPUs or not; of one without GPUs no job holds a part, so that it is idle. Other
 * nodes without GPUs cost nothing but energy: note `nodes-without-price`.
 *
 * The rate in timeseries.csv is what an hour costs in which all stays as it is, so that its integral is the cost of the run. A part
 * that the run has not is empty.
 *
 * With `idle: by-use` or `by-quota` what is idle is shared: each queue has a part of it by the GPU time that its jobs held, or by its
 * deserved quota, each user by the GPU time held. Whole numbers are cut so that the parts of all add up to the whole; energy of the
 * facility and carbon follow the energy at the mean PUE and mean grams of the run. Where there is nothing to share by, it stays idle. */
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
    bool hour_is_other;           /* than when observers were last asked to look */
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
        held += s->ledger.node_account[a][n];
    return bills_all(s) ? (int128_t)(s->totals.last_ns - s->totals.first_ns) * cluster_node_milli(s->cluster, n) : held;
}

/* By which a node's time is counted: its GPUs, or, where it has none, the node as one. */
static int64_t counted_milli(const struct cluster *c, node_id n)
{
    int64_t milli = cluster_node_milli(c, n);
    return milli ? milli : MILLI_ALL;
}

/* A GPU that is cut counts as what its instances count, at the price of a GPU. */
static double group_usd(const struct sched *s, uint32_t group, node_id first, int128_t milli_ns)
{
    const struct cluster *c = s->cluster;
    double whole = (double)counted_milli(c, first) / MILLI_ALL;
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

/* Of the whole run. */
static double mean_pue(const struct sched *s)
{
    const struct energy *e = energy_of(s);
    double kwh = e ? power_kwh(e->all.aj) : 0;
    return e && (e->power->pue_by_hour.n || e->power->fixed_nw) && kwh > 0 ? energy_facility_kwh(e) / kwh : e ? e->power->pue : 0;
}

/* Of [n_groups] milli-GPU ns, and that energy of the facility. */
static struct usd usd_at(const struct sched *s, const int128_t *milli_ns, double facility_kwh)
{
    const struct cluster *c = s->cluster;
    const struct bill_run *bill = model_state(s, &bill_model);
    struct usd usd = { 0 };
    for (uint32_t g = 0; g < c->n_groups; g++)
        *(pool_of(s, bill->first[g]) ? &usd.pools : &usd.gpus) += group_usd(s, g, bill->first[g], milli_ns[g]);
    if (energy_of(s))
        usd.energy = facility_kwh * c->tariff->energy_usd_per_kwh;
    return usd;
}

static struct usd usd_of(const struct sched *s, const int128_t *milli_ns, int128_t aj)
{
    return usd_at(s, milli_ns, power_kwh(aj) * mean_pue(s));
}

/* ---- Over time ---- */

#define HOUR_NS (3600 * NS_PER_S)

static int128_t hour_of_group(const struct sched *s, uint32_t g)
{
    const struct cluster *c = s->cluster;
    const struct bill_run *bill = model_state(s, &bill_model);
    node_id first = bill->first[g], after = g + 1 < c->n_groups ? bill->first[g + 1] : c->n_nodes;
    if (pool_of(s, first))
        return HOUR_NS * (int128_t)(pools_of(s)->paid[g] * counted_milli(c, first));
    return HOUR_NS * (int128_t)(bills_all(s) ? (after - first) * cluster_node_milli(c, first) : bill->held_milli[g]);
}

static void look_at_hour(const struct sched *s)
{
    struct bill_run *bill = model_state(s, &bill_model);
    for (uint32_t g = 0; g < s->cluster->n_groups; g++) {
        int128_t now = hour_of_group(s, g);
        bill->hour_is_other = bill->hour_is_other || now != bill->hour[g];
        bill->hour[g] = now;
    }
}

static struct usd usd_per_h(const struct sched *s)
{
    const struct bill_run *bill = model_state(s, &bill_model);
    const struct energy *e = energy_of(s);
    look_at_hour(s);
    return usd_at(s, bill->hour, e ? power_kwh(e->all.nw * HOUR_NS) * energy_pue(s) + power_kwh(e->power->fixed_nw * HOUR_NS) : 0);
}

/* Before observers see the instant: a price that has changed is a row of its own. */
static void show(struct sched *s)
{
    struct bill_run *bill = model_state(s, &bill_model);
    look_at_hour(s);
    if (!bill->hour_is_other)
        return;
    bill->hour_is_other = false;
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
        of[s->cluster->group_of[n]] += pool_of(s, n) ? (int128_t)pool_there_ns(s, n) * counted_milli(s->cluster, n)
                                                     : billed_milli_ns(s, n);
    return of;
}

enum { COST, OF_GPUS, OF_POOLS, OF_ENERGY, PER_USEFUL, OF_IDLE, OF_KWH, OF_KG };
static const struct metric_kind metrics[] = {
    [COST] = { "cost_usd", "USD", "GPU-hours and energy", BETTER_LOWER },
    [OF_GPUS] = { "cost_gpus_usd", "USD", "of it, GPU-hours that jobs held, or that there were, as `bill` says", BETTER_LOWER },
    [OF_POOLS] = { "cost_pools_usd", "USD", "of it, nodes of pools while they were there; their GPU-hours are not billed besides", BETTER_LOWER },
    [OF_ENERGY] = { "cost_energy_usd", "USD", "of it, the facility's energy; with a section power", BETTER_LOWER },
    [PER_USEFUL] = { "cost_per_useful_gpu_h_usd", "USD/GPU h", "cost_usd / GPU-hours of work that survived", BETTER_LOWER },
    [OF_IDLE] = { "cost_idle_usd", "USD", "of a queue or user, its part of what no job held, where that is shared; in the others", BETTER_LOWER },
    [OF_KWH] = { "bill_facility_kwh", "kWh", "of a queue or user, its part of energy_facility_kwh, where what is idle is shared", BETTER_LOWER },
    [OF_KG] = { "bill_carbon_kg", "kg", "likewise of carbon_kg", BETTER_LOWER },
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

/* ---- Parts ---- */

struct bill_part {                     /* of a queue or user */
    const char *scope;            /* NULL: no job of it was there */
    int128_t *milli_ns;           /* [n_groups] that its jobs held */
    int128_t aj;
    double weight;                /* by which it shares what is idle */
};
struct shared_bill { size_t n; struct bill_part *part; int128_t *idle_milli_ns, idle_aj; bool shares; };

static double held_in_all(const struct sched *s, const int128_t *milli_ns)
{
    double all = 0;
    for (uint32_t g = 0; g < s->cluster->n_groups; g++)
        all += (double)milli_ns[g];
    return all;
}

/* Whole parts of a whole by weights up to and with this one, of all. */
static int128_t cut(int128_t whole, double until, double all)
{
    return until >= all ? whole : (int128_t)((double)whole * (until / all));
}

/* Each gets its part of what is idle. */
static void put_shared(struct summary_builder *b, const struct shared_bill *of)
{
    const struct sched *s = b->s;
    const struct energy *e = energy_of(s);
    uint32_t groups = s->cluster->n_groups;
    int128_t *idle = mem_new(groups, sizeof *idle), *with = mem_new(groups, sizeof *with);
    double all = 0, before = 0, kwh = e ? power_kwh(e->all.aj) : 0;
    for (size_t i = 0; i < of->n; i++)
        all += of->part[i].weight;
    for (size_t i = 0; i < of->n; i++) {
        const struct bill_part *p = &of->part[i];
        double until = before + p->weight;
        int128_t aj = 0;
        for (uint32_t g = 0; g < groups; g++) {
            idle[g] = all > 0 ? cut(of->idle_milli_ns[g], until, all) - cut(of->idle_milli_ns[g], before, all) : 0;
            with[g] = p->milli_ns[g] + idle[g];
        }
        if (all > 0)
            aj = cut(of->idle_aj, until, all) - cut(of->idle_aj, before, all);
        before = until;
        if (!p->scope)
            continue;
        struct usd part = usd_of(s, idle, aj);
        put(b, p->scope, usd_of(s, with, p->aj + aj));
        summary_put_kind(b, &metrics[OF_IDLE], p->scope, part.gpus + part.pools + part.energy, 1);
        if (e) {
            double share = kwh > 0 ? power_kwh(p->aj + aj) / kwh : 0;
            summary_put_kind(b, &metrics[OF_KWH], p->scope, share * energy_facility_kwh(e), 1);
            summary_put_kind(b, &metrics[OF_KG], p->scope, share * sum_value(&e->carbon_g) / 1000, 1);
        }
    }
    free(idle);
    free(with);
}

static void put_parts(struct summary_builder *b, const struct shared_bill *of)
{
    if (of->shares) {
        put_shared(b, of);
        return;
    }
    for (size_t i = 0; i < of->n; i++)
        if (of->part[i].scope)
            put(b, of->part[i].scope, usd_of(b->s, of->part[i].milli_ns, of->part[i].aj));
}

static int128_t job_aj(const struct sched *s, job_id j)
{
    const struct energy *e = energy_of(s);
    return e ? e->job[j].gpus_aj + e->job[j].node_aj : 0;
}

/* Deserved quota: of a leaf, for jobs are in leaves; a queue with no job there pays, too. */
static double quota_of(const struct cluster *c, queue_id q)
{
    const struct queue_facts *x = &c->queue[q];
    bool leaf = x->first_child == ID_NONE;
    return leaf && x->quota.deserved.gpu_milli != UNLIMITED ? (double)x->quota.deserved.gpu_milli : 0;
}

static void put_queues(struct summary_builder *b, const struct bill_run *bill, struct shared_bill of)
{
    const struct cluster *c = b->s->cluster;
    of.n = c->n_queues;
    of.part = mem_new(of.n, sizeof *of.part);
    for (job_id j = 0; j < b->s->n_jobs; j++)
        of.part[b->s->workload->facts[j].queue].aj += job_aj(b->s, j);
    for (queue_id q = 0; q < c->n_queues; q++) {
        struct bill_part *p = &of.part[q];
        p->milli_ns = &bill->queue[(size_t)q * c->n_groups];
        p->weight = c->tariff->idle == IDLE_BY_QUOTA ? quota_of(c, q) : held_in_all(b->s, p->milli_ns);
        if (bill->has_queue[q] || (of.shares && p->weight > 0))
            p->scope = summary_scope(b, "queue", c->queue[q].name);
    }
    put_parts(b, &of);
    free(of.part);
}

static void put_users(struct summary_builder *b, const struct bill_run *bill, struct shared_bill of)
{
    const struct sched *s = b->s;
    of.n = bill->n_users + 1;
    of.part = mem_new(of.n, sizeof *of.part);
    for (job_id j = 0; j < s->n_jobs; j++)
        of.part[user_of(bill, s, j)].aj += job_aj(s, j);
    for (size_t u = 0; u < of.n; u++) {
        struct bill_part *p = &of.part[u];
        p->milli_ns = &bill->user[u * s->cluster->n_groups];
        p->weight = held_in_all(s, p->milli_ns);
        if (bill->has_user[u])
            p->scope = summary_scope(b, "user", u < bill->n_users ? intern_text(s->workload->users, (uint32_t)u) : "");
    }
    put_parts(b, &of);
    free(of.part);
}

/* What no job held of what is billed. */
static void find_idle(const struct sched *s, const struct bill_run *bill, int128_t *milli_ns)
{
    for (queue_id q = 0; q < s->cluster->n_queues; q++)
        for (uint32_t g = 0; g < s->cluster->n_groups; g++)
            milli_ns[g] -= bill->queue[(size_t)q * s->cluster->n_groups + g];
}

/* There is something to share by: among the queues if not among the users, too. */
static bool can_share(const struct sched *s, const struct bill_run *bill)
{
    const struct cluster *c = s->cluster;
    bool any = false;
    for (queue_id q = 0; q < c->n_queues; q++)
        any |= c->tariff->idle == IDLE_BY_QUOTA ? quota_of(c, q) > 0
                                                : held_in_all(s, &bill->queue[(size_t)q * c->n_groups]) > 0;
    return c->tariff->idle != IDLE_APART && any;
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
    find_idle(s, bill, milli_ns);
    struct shared_bill of = { .idle_milli_ns = milli_ns, .idle_aj = e ? e->all.aj - e->jobs_aj : 0, .shares = can_share(s, bill) };
    put_queues(b, bill, of);
    put_users(b, bill, of);
    if (!of.shares)
        put(b, "idle", usd_of(s, milli_ns, of.idle_aj));
    free(milli_ns);
}

const struct run_model bill_model = {
    .place = PLACE_OF(bill_model),
    .name = "prices", .summary = "cost of GPU-hours and energy: section prices", .wanted = wanted, .begin = begin,
    .free = end_of_run, .held = held, .round = show, .series_columns = series_columns, .series_row = series_row,
    .metrics = metrics, .summarise = summarise,
};
