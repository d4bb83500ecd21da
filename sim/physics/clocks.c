/* clocks.c - see clocks.h: GPUs at lower clocks. `clock`, `gpu_cap_w` and `cap_by: clocks` of the section `power`.
 * models.md 9; the law: sim/models/power.h.
 *
 * A group may have a clock phi of its own. With `cap_by: clocks` the clock of all nodes, and of those
 * of each rack with a cap, is lowered as far as the cap wants it:
 *
 *     phi^b = (cap - what is drawn without duties) / (what all GPUs that make progress add at duty 1)
 *
 * down to steps of STEP, no lower than clock_least, and never above that of the group. As no duty is
 * above 1, the power that is drawn stays below the cap; where even the lowest clock does not keep it,
 * jobs wait (sim/capacity/headroom.h). It is set once a round, after the pass: lowered at once, and
 * raised where the cap allows RISE more, so that it does not go up and down with each job. A gang computes at the
 * clock of its slowest node; memory, links and hosts stay as they are.
 *
 * GPU time lost to it is lost_time.h's. */
#include "sim/physics/clocks.h"
#include "sim/engine/jobs.h"
#include "sim/engine/pace.h"
#include "sim/physics/energy.h"
#include "sim/physics/lost_time.h"
#include "sim/physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define STEP .01                  /* a step of an A100 is 15 of 1410 MHz */
#define RISE .05                  /* [A] a clock rises where so much more is allowed */

struct clocks_run {
    bool follows;                 /* a cap */
    bool due;                     /* something that a cap wants a clock for has changed */
    int128_t *worst_nw, all_worst_nw;    /* [nodes] what progressing GPUs add at duty 1 and full clock */
    double *next;                 /* [nodes] scratch */
    double all_clock, *rack_clock;    /* of the cap of all nodes, of [n_domains] racks, as they were found last */
    bool *counted;                /* [n_jobs] in worst_nw */
    job_id *running;              /* [n_jobs] the first n_running have been placed */
    uint32_t *place, n_running;   /* [n_jobs] where a job is in it */
    struct lost_time *lost;       /* [n_jobs] */
    double lowest;                /* clock ever */
};
extern const struct run_model clocks_model;

static struct clocks_run *clocks_of(const struct sched *s)
{
    return model_state(s, &clocks_model);
}

static bool wanted(const struct sched *s)
{
    const struct power *p = s->cluster->power;
    for (uint32_t g = 0; p && g < s->cluster->n_groups; g++)
        if (p->of_group[g].clock < 1)
            return true;
    return p && p->cap_by != CAP_BY_STARTS;
}

static const struct node_power *power_of(const struct sched *s, node_id n)
{
    return &s->cluster->power->of_group[s->cluster->group_of[n]];
}

/* ---- What a cap wants ---- */

static void count_job(struct sched *s, job_id j, const struct placement *on, bool progresses)
{
    struct clocks_run *r = clocks_of(s);
    if (!r->follows || r->counted[j] == progresses)
        return;
    r->counted[j] = progresses;
    r->due = true;
    for (size_t i = 0; i < on->n; i++) {
        const struct piece *p = &on->piece[i];
        const struct node_power *n = power_of(s, p->node);
        int128_t nw = (progresses ? 1 : -1) * (int128_t)p->gpus * p->milli * (n->most_nw - n->held_nw);
        r->worst_nw[p->node] += nw;
        r->all_worst_nw += nw;
    }
}

/* What a cap allows nodes that draw so much without duties, as if clocks had no most. */
static double allowed(const struct power *p, int64_t cap_nw, int128_t base_nw, int128_t worst_nw)
{
    double room = (double)(cap_nw - base_nw);
    if (cap_nw == INT64_MAX || worst_nw == 0)
        return INFINITY;
    return room > 0 ? pow(room / (double)worst_nw, 1 / p->law.clock_exponent) : 0;
}

/* The same as a clock, which is now `now`. */
static double clock_within(const struct power *p, int64_t cap_nw, int128_t base_nw, int128_t worst_nw, double now)
{
    double most = allowed(p, cap_nw, base_nw, worst_nw);
    if (most >= now && most < now + RISE)
        return now;
    return most >= 1 ? 1 : fmax(floor(most / STEP - 1e-9) * STEP, p->law.clock_least);
}

static void lower(double *clock, double most)
{
    *clock = fmin(*clock, most);
}

/* false: they are those that were found last. */
static bool find_clocks(const struct sched *s, struct clocks_run *r)
{
    const struct cluster *c = s->cluster;
    const struct power *p = c->power;
    const struct energy *e = energy_of(s);
    double all = clock_within(p, p->cap_nw, e->all.nw - e->above_nw, r->all_worst_nw, r->all_clock);
    if (p->rack_cap_nw == INT64_MAX && all == r->all_clock)
        return false;
    r->all_clock = all;
    for (node_id n = 0; n < c->n_nodes; n++)
        r->next[n] = fmin(power_of(s, n)->clock, all);
    for (domain_id d = 1; p->rack_cap_nw != INT64_MAX && d < c->n_domains; d++) {
        const struct domain *rack = &c->domain[d];
        int128_t base_nw = 0, worst_nw = 0;
        for (node_id n = rack->first; rack->level == LEVEL_RACK && n < rack->end; n++) {
            base_nw += e->node[n].meter.nw - e->node[n].above_nw;
            worst_nw += r->worst_nw[n];
        }
        double clock = clock_within(p, p->rack_cap_nw, base_nw, worst_nw, r->rack_clock[d]);
        r->rack_clock[d] = clock;
        for (node_id n = rack->first; clock < 1 && n < rack->end; n++)
            lower(&r->next[n], clock);
    }
    return true;
}

/* ---- What it does ---- */

static double clock_of(const struct energy *e, const struct placement *on)
{
    double clock = 1;
    for (size_t i = 0; i < on->n; i++)
        if (on->piece[i].gpus)
            lower(&clock, e->node[on->piece[i].node].clock);
    return clock;
}

static bool is_concerned(const struct sched *s, const struct clocks_run *r, const struct live *l)
{
    const struct energy *e = energy_of(s);
    for (size_t i = 0; i < l->on->n; i++)
        if (e->node[l->on->piece[i].node].clock != r->next[l->on->piece[i].node])
            return true;
    return false;
}

double *clocks_next(struct sched *s)
{
    return clocks_of(s)->next;
}

static bool differ(const struct sched *s, const struct clocks_run *r)
{
    const struct energy *e = energy_of(s);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (e->node[n].clock != r->next[n])
            return true;
    return false;
}

void clocks_take_effect(struct sched *s)
{
    struct clocks_run *r = clocks_of(s);
    if (!differ(s, r))
        return;
    struct energy *e = energy_of(s);
    struct live **on = mem_new(r->n_running + (size_t)1, sizeof *on);
    size_t jobs = 0;
    for (uint32_t i = 0; i < r->n_running; i++)
        if (is_concerned(s, r, live_of(s, r->running[i])))
            on[jobs++] = live_of(s, r->running[i]);
    for (size_t i = 0; i < jobs; i++)
        energy_rests(s, on[i]);
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        e->node[n].clock = r->next[n];
        lower(&r->lowest, r->next[n]);
    }
    for (size_t i = 0; i < jobs; i++) {
        on[i]->pace.clock = clock_of(e, on[i]->on);
        pace_changed(s, on[i]);
        energy_goes_on(s, on[i]);
    }
    free(on);
}

static void settle_round(struct sched *s)
{
    struct clocks_run *r = clocks_of(s);
    if (!r->due)
        return;
    r->due = false;
    if (find_clocks(s, r))
        clocks_take_effect(s);
}

/* ---- With a job ---- */

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    (void)j;
    (void)p;
    (void)sign;
    clocks_of(s)->due = clocks_of(s)->follows;
}

static void node_power(struct sched *s, node_id n, bool out)
{
    (void)n;
    (void)out;
    clocks_of(s)->due = clocks_of(s)->follows;
}

static void placed(struct sched *s, struct live *l)
{
    struct clocks_run *r = clocks_of(s);
    r->place[l->job] = r->n_running;
    r->running[r->n_running++] = l->job;
    l->pace.clock = clock_of(energy_of(s), l->on);
}

static void paced(struct sched *s, struct live *l)
{
    struct pace usual = l->pace;
    usual.clock = 1;
    lost_time_paced(s, &clocks_of(s)->lost[l->job], l, &usual);
    count_job(s, l->job, l->on, !l->progress_event && !l->pace.stalled);
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    struct clocks_run *r = clocks_of(s);
    job_id last = r->running[--r->n_running];
    r->running[r->place[l->job]] = last;
    r->place[last] = r->place[l->job];
    lost_time_left(s, &r->lost[l->job], from);
    count_job(s, l->job, from, false);
}

/* ---- The run ---- */

static void begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    struct clocks_run *r = arena_alloc(s->memory, sizeof *r);
    model_state_set(s, &clocks_model, r);
    r->follows = c->power->cap_by == CAP_BY_CLOCKS;
    r->worst_nw = arena_alloc(s->memory, c->n_nodes * sizeof *r->worst_nw);
    r->next = arena_alloc(s->memory, c->n_nodes * sizeof *r->next);
    r->counted = arena_alloc(s->memory, s->n_jobs * sizeof *r->counted);
    r->lost = arena_alloc(s->memory, s->n_jobs * sizeof *r->lost);
    r->running = arena_alloc(s->memory, s->n_jobs * sizeof *r->running);
    r->place = arena_alloc(s->memory, s->n_jobs * sizeof *r->place);
    r->rack_clock = arena_alloc(s->memory, c->n_domains * sizeof *r->rack_clock);
    for (domain_id d = 0; d < c->n_domains; d++)
        r->rack_clock[d] = 1;
    r->lowest = r->all_clock = 1;
    for (uint32_t g = 0; g < c->n_groups; g++)
        lower(&r->lowest, c->power->of_group[g].clock);
}

static int check(struct sched *s, struct error *err)
{
    return clocks_of(s)->all_worst_nw == 0
               ? 0
               : error_set(err, "an identity is broken, please report it: clocks count jobs that have left");
}

/* ---- Files and metrics ---- */

static const char *const job_columns[] = { "clock_gpu_s", NULL };

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_seconds(o, (int64_t)llround(clocks_of(s)->lost[j].gpu_ns));
}

enum { LOST_H, LOWEST };
static const struct metric_kind metrics[] = {
    [LOST_H] = { "clock_gpu_h", "GPU h", "GPU time of jobs beyond that at the full clock of their GPUs", BETTER_LOWER },
    [LOWEST] = { "clock_lowest", "", "the lowest clock that any GPU had, as a part of the full one", BETTER_HIGHER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    const struct clocks_run *r = clocks_of(b->s);
    double gpu_ns = 0;
    for (job_id j = 0; j < b->s->n_jobs; j++)
        gpu_ns += r->lost[j].gpu_ns;
    summary_put_kind(b, &metrics[LOST_H], "all", gpu_ns / (double)NS_PER_S / 3600, 1);
    summary_put_kind(b, &metrics[LOWEST], "all", r->lowest, 1);
}

const struct run_model clocks_model = {
    .place = PLACE_OF(clocks_model),
    .name = "clocks",
    .summary = "GPUs at lower clocks, where the section power says so or a cap wants it",
    .wanted = wanted,
    .begin = begin,
    .placed = placed,
    .paced = paced,
    .left = left,
    .held = held,
    .node_power = node_power,
    .round = settle_round,
    .check = check,
    .job_columns = job_columns,
    .job_row = job_row,
    .metrics = metrics,
    .summarise = summarise,
};
