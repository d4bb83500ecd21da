/* slow.c - nodes, GPUs and links that are slow until that is detected: `slow`, and given faults of
 * `kind: slow`, of the section `failures`. models.md 8.5; the law: sim/models/slow_faults.h.
 *
 * A gang goes at the pace of the slowest of its GPUs, and sends at that of the slowest link of its
 * nodes if it spans several units. A job that comes to a slow unit is slow there, too. Detected, the
 * node is out of service for a repair, and what runs there stops at the price of a failure of cause
 * `slow`; or it heals. The next fault of a node is drawn when it is well.
 *
 * With `slow_past` the run goes on where another one was (sim/run/snapshot.h): no draw depends on
 * jobs, so that the stage of every unit then follows from the seed and the time that has passed.
 *
 * The subject of an event is a node, if it follows the draws of that, or n_nodes + k, the k-th
 * given fault. GPU time beyond that at the usual pace is lost_time.h's. */
#include "sim/engine/interruption.h"
#include "sim/engine/nodes.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/physics/lost_time.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/placements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* OUT: drained; OVER: a given fault that is past; OUT_BEFORE: drained before the run began, which
 * the node is told in its first instant */
enum unit_stage { WELL, SLOW, OUT, OVER, OUT_BEFORE };
struct unit {                     /* of a node's own draws, or a given fault */
    struct slow_fault fault;      /* what is, or what comes next */
    uint8_t stage;
    int64_t out_ns;               /* OUT_BEFORE: for so long yet */
};
struct slow_run {
    const struct slow_law *law;
    struct unit *unit;            /* [nodes + given] */
    struct slow_stream *stream;   /* [nodes] */
    struct random *repair;        /* [nodes + given] */
    double *node_pace, *link_pace;    /* [nodes]; 1: as usual */
    double *gpu_pace;             /* [named GPUs] */
    int64_t *slow_since_ns, *slow_ns; /* [nodes] -1: no unit of it is slow; until then in all */
    struct lost_time *lost;            /* [n_jobs] */
    int64_t drawn_from_ns;        /* when the draws began, on the clock of `slow_past` */
    uint32_t n_units, n_slow;
    uint64_t onsets, detected;
};
extern const struct run_model slow_model;

static struct slow_run *slow_of(const struct sched *s)
{
    return model_state(s, &slow_model);
}

static bool wanted(const struct sched *s)
{
    return s->cluster->failures && slow_happens(&s->cluster->failures->slow);
}

/* ---- Which pace ---- */

static void take_pace(const struct sched *s, struct slow_run *r, const struct slow_fault *f)
{
    double *of = f->scope == SLOW_LINK  ? &r->link_pace[f->node]
                 : f->scope == SLOW_GPU ? &r->gpu_pace[s->cluster->gpu_base[f->node] + f->gpu]
                                        : &r->node_pace[f->node];
    *of = fmin(*of, f->pace);
}

/* After an onset or an end on node n. */
static void find_paces(const struct sched *s, struct slow_run *r, node_id n)
{
    const struct cluster *c = s->cluster;
    bool slow = r->unit[n].stage == SLOW;
    r->node_pace[n] = r->link_pace[n] = 1;
    for (uint64_t g = c->gpu_base[n]; g < c->gpu_base[n + 1]; g++)
        r->gpu_pace[g] = 1;
    if (slow)
        take_pace(s, r, &r->unit[n].fault);
    for (uint32_t k = c->n_nodes; k < r->n_units; k++)
        if (r->unit[k].fault.node == n && r->unit[k].stage == SLOW) {
            take_pace(s, r, &r->unit[k].fault);
            slow = true;
        }
    if (!slow && r->slow_since_ns[n] >= 0)
        r->slow_ns[n] += s->now_ns - r->slow_since_ns[n];
    r->slow_since_ns[n] = !slow ? -1 : r->slow_since_ns[n] >= 0 ? r->slow_since_ns[n] : s->now_ns;
}

static void set_pace(const struct sched *s, const struct slow_run *r, struct live *l)
{
    const struct placement *p = l->on;
    double slow = 1, link = 1;
    for (size_t i = 0; r->n_slow && i < p->n; i++) {
        const struct piece *x = &p->piece[i];
        if (!x->gpus)
            continue;
        slow = fmin(slow, r->node_pace[x->node]);
        link = fmin(link, r->link_pace[x->node]);
        for (uint64_t m = x->gpu_mask; m; m &= m - 1)
            slow = fmin(slow, r->gpu_pace[s->cluster->gpu_base[x->node] + (unsigned)__builtin_ctzll(m)]);
    }
    l->pace.slow = slow;
    l->pace.slow_link = link;
}

static bool is_on(const struct placement *p, node_id n)
{
    for (size_t i = 0; p && i < p->n; i++)
        if (p->piece[i].node == n)
            return true;
    return false;
}

static int by_number(const void *a, const void *b)
{
    job_id x = *(const job_id *)a, y = *(const job_id *)b;
    return (x > y) - (x < y);
}

/* Jobs on node n, in ascending order, go at their pace of now. */
static void repace(struct sched *s, struct slow_run *r, node_id n)
{
    job_id *on = mem_new(s->n_live + 1, sizeof *on);
    size_t jobs = 0;
    find_paces(s, r, n);
    for (uint32_t i = 0; i < s->n_live; i++)
        if (job_slot(s, s->live[i].job) == i && is_on(s->live[i].on, n))
            on[jobs++] = s->live[i].job;
    qsort(on, jobs, sizeof *on, by_number);
    for (size_t i = 0; i < jobs; i++) {
        struct live *l = live_of(s, on[i]);
        set_pace(s, r, l);
        pace_changed(s, l);
    }
    free(on);
}

/* ---- What happens ---- */

static void push(struct sched *s, uint32_t k, int64_t after_ns, bool awaited)
{
    if (after_ns >= TIME_NEVER - s->now_ns)
        return;
    if (!awaited)                 /* no wait ends by it */
        run_background(s, 1);
    event_queue_push(s->events, (struct event){ s->now_ns + after_ns, EVENT_SLOW, k });
}

/* What comes next of node n, and after how long. */
static int64_t plan(struct sched *s, node_id n, struct slow_draw next)
{
    struct slow_run *r = slow_of(s);
    const struct node_type *t = cluster_node_type(s->cluster, n);
    bool named = !t->counted && !t->mig_dynamic && t->gpus;
    r->unit[n] = (struct unit){ .fault = { .node = n,
                                           .gpu = UINT32_MAX,
                                           .scope = (uint8_t)r->law->scope,
                                           .then = (uint8_t)r->law->then,
                                           .pace = next.pace,
                                           .detect_ns = next.detect_ns,
                                           .repair_ns = -1 } };
    if (r->law->scope == SLOW_GPU && named)
        r->unit[n].fault.gpu = (uint32_t)(next.gpu_u * t->gpus);
    else if (r->law->scope == SLOW_GPU)
        r->unit[n].fault.scope = SLOW_NODE;
    return next.after_ns;
}

/* Unit k enters its next stage, with nothing done to nodes and jobs; how long that lasts,
 * TIME_NEVER: for ever. */
static int64_t next_stage(struct sched *s, struct slow_run *r, uint32_t k)
{
    struct unit *u = &r->unit[k];
    bool given = k >= s->cluster->n_nodes;
    if (u->stage == WELL) {
        u->stage = SLOW;
        return u->fault.detect_ns;
    }
    if (u->stage == SLOW && u->fault.then == SLOW_DRAIN) {
        int64_t drawn_ns = failures_repair_ns(s->cluster->failures, &r->repair[k]);
        u->stage = OUT;
        return u->fault.repair_ns >= 0 ? u->fault.repair_ns : drawn_ns;
    }
    if (!given)
        return plan(s, k, slow_next(r->law, &r->stream[k]));
    u->stage = OVER;
    return TIME_NEVER;
}

static void log_unit(const struct sched *s, const char *kind, const struct slow_fault *f)
{
    char what[64], why[32];
    if (f->scope == SLOW_GPU)
        snprintf(what, sizeof what, "node %u GPU %u", f->node, f->gpu);
    else
        snprintf(what, sizeof what, "node %u%s", f->node, f->scope == SLOW_LINK ? " link" : "");
    snprintf(why, sizeof why, "%g", f->pace);
    decision_log(s, ID_NONE, kind, what, why);
}

static void begins(struct sched *s, struct slow_run *r, const struct slow_fault *f)
{
    r->onsets++;
    r->n_slow++;
    log_unit(s, "slow", f);
    repace(s, r, f->node);
}

static void is_detected(struct sched *s, struct slow_run *r, const struct slow_fault *f)
{
    r->detected++;
    r->n_slow--;
    log_unit(s, "detect", f);
    if (f->then == SLOW_DRAIN) {
        node_goes(s, f->node);
        interrupt_nodes(s, &(struct interruption){ FAULT_SLOW, f->node, f->node + 1, 0, 0 });
    }
    repace(s, r, f->node);
    run_changed(s);
}

static void is_repaired(struct sched *s, const struct slow_fault *f)
{
    log_unit(s, "repair", &(struct slow_fault){ .node = f->node, .pace = 1 });
    node_comes(s, f->node);
    run_changed(s);
}

/* It has been out since before the run began. */
static void stays_out(struct sched *s, struct unit *u, uint32_t k)
{
    u->stage = OUT;
    node_goes(s, u->fault.node);
    push(s, k, u->out_ns, true);
}

static void happens(struct sched *s, const struct event *e)
{
    struct slow_run *r = slow_of(s);
    struct unit *u = &r->unit[e->subject];
    struct slow_fault f = u->fault;
    uint8_t was = u->stage;
    if (was == OUT_BEFORE) {
        stays_out(s, u, e->subject);
        return;
    }
    if (was != OUT)
        run_background(s, -1);
    int64_t after_ns = next_stage(s, r, e->subject);
    if (was == WELL)
        begins(s, r, &f);
    else if (was == SLOW)
        is_detected(s, r, &f);
    else
        is_repaired(s, &f);
    push(s, e->subject, after_ns, u->stage == OUT);
}

/* ---- Jobs ---- */

static void placed(struct sched *s, struct live *l)
{
    set_pace(s, slow_of(s), l);
}

static void paced(struct sched *s, struct live *l)
{
    struct pace usual = l->pace;
    usual.slow = usual.slow_link = 1;
    lost_time_paced(s, &slow_of(s)->lost[l->job], l, &usual);
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    lost_time_left(s, &slow_of(s)->lost[l->job], from);
}

/* ---- The run ---- */

/* Unit k as it is after a past of that length, since which its next stage would have begun after
 * after_ns. What happened in the last instant of the past has happened. */
static void go_on(struct sched *s, struct slow_run *r, uint32_t k, int64_t after_ns,
                  int64_t past_ns)
{
    struct unit *u = &r->unit[k];
    while (after_ns < TIME_NEVER && after_ns <= past_ns) {
        past_ns -= after_ns;
        after_ns = next_stage(s, r, k);
    }
    if (after_ns == TIME_NEVER)
        return;
    after_ns -= past_ns;
    r->n_slow += u->stage == SLOW;
    if (u->stage != OUT) {
        push(s, k, after_ns, false);
        return;
    }
    u->stage = OUT_BEFORE;
    u->out_ns = after_ns;
    push(s, k, 0, true);
}

static void begin_given(struct sched *s, struct slow_run *r)
{
    for (uint32_t k = s->cluster->n_nodes; k < r->n_units; k++) {
        struct slow_fault *f = &r->unit[k].fault;
        *f = r->law->given[k - s->cluster->n_nodes];
        if (r->law->past_ns) {
            go_on(s, r, k, f->at_ns, r->law->past_ns + s->now_ns);
            continue;
        }
        int64_t late_ns = s->now_ns > f->at_ns ? s->now_ns - f->at_ns : 0;
        f->detect_ns -= late_ns;
        if (f->detect_ns > 0)
            push(s, k, f->at_ns + late_ns - s->now_ns, false);
    }
}

static void begin_drawn(struct sched *s, struct slow_run *r)
{
    const struct cluster *c = s->cluster;
    const struct slow_law *law = r->law;
    r->drawn_from_ns = law->past_ns ? law->drawn_from_ns : s->now_ns;
    for (node_id n = 0; n < c->n_nodes; n++) {
        slow_stream(law, s->setup.seed, n, c->group_gpus[c->group_of[n]], &r->stream[n]);
        if (!c->group_gpus[c->group_of[n]])
            continue;
        int64_t after_ns = plan(s, n, slow_first(law, &r->stream[n]));
        if (law->past_ns)
            go_on(s, r, n, after_ns, law->past_ns + s->now_ns - law->drawn_from_ns);
        else
            push(s, n, after_ns, false);
    }
}

static void begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    struct slow_run *r = mem_new(1, sizeof *r);
    model_state_set(s, &slow_model, r);
    r->law = &c->failures->slow;
    r->n_units = c->n_nodes + r->law->n_given;
    r->unit = mem_new(r->n_units, sizeof *r->unit);
    r->repair = mem_new(r->n_units, sizeof *r->repair);
    r->stream = mem_new(c->n_nodes, sizeof *r->stream);
    r->node_pace = mem_new(c->n_nodes, sizeof *r->node_pace);
    r->link_pace = mem_new(c->n_nodes, sizeof *r->link_pace);
    r->gpu_pace = mem_new(c->gpu_base[c->n_nodes] + 1, sizeof *r->gpu_pace);
    r->slow_since_ns = mem_new(c->n_nodes, sizeof *r->slow_since_ns);
    r->slow_ns = mem_new(c->n_nodes, sizeof *r->slow_ns);
    r->lost = mem_new(s->n_jobs, sizeof *r->lost);
    nodes_begin(s);
    for (uint32_t k = 0; k < r->n_units; k++)
        random_init(&r->repair[k], s->setup.seed, "slow repairs", k);
    begin_drawn(s, r);
    begin_given(s, r);
    for (node_id n = 0; n < c->n_nodes; n++) {
        r->slow_since_ns[n] = -1;
        find_paces(s, r, n);
    }
}

/* Its stages follow from the seed and the time that has passed: none before the first job comes. */
static void saved(const struct sched *s, FILE *text)
{
    const struct slow_run *r = slow_of(s);
    char past[DECIMAL_MAX], from[DECIMAL_MAX];
    if (r->law->past_ns + s->now_ns < r->drawn_from_ns)
        return;
    fprintf(text, " --set 'failures.slow_past={s: %.*s, drawn_from_s: %.*s}'",
            (int)decimal_format(past, r->law->past_ns + s->now_ns, NS_PER_S), past,
            (int)decimal_format(from, r->drawn_from_ns, NS_PER_S), from);
}

static void end_of(struct sched *s)
{
    struct slow_run *r = slow_of(s);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (r->slow_since_ns[n] >= 0)
            r->slow_ns[n] += s->now_ns - r->slow_since_ns[n];
}

static void free_of(struct sched *s)
{
    struct slow_run *r = slow_of(s);
    void *const own[] = { r->unit,     r->stream,   r->repair,        r->node_pace, r->link_pace,
                          r->gpu_pace, r->slow_ns, r->slow_since_ns, r->lost };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
    free(r);
}

/* ---- Files and metrics ---- */

static const char *const job_columns[] = { "slow_gpu_s", NULL };
static const char *const node_columns[] = { "slow_s", NULL };

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_seconds(o, (int64_t)llround(slow_of(s)->lost[j].gpu_ns));
}

static void node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_seconds(o, slow_of(s)->slow_ns[n]);
}

enum { ONSETS, DETECTED, NODE_H, LOST_H };
static const struct metric_kind metrics[] = {
    [ONSETS] = { "slow_faults", "", "onsets of slow nodes, GPUs and links", BETTER_NEITHER },
    [DETECTED] = { "slow_detected", "", "of these, found", BETTER_NEITHER },
    [NODE_H] = { "slow_node_h", "h", "hours that nodes were slow, or a GPU or link of theirs", BETTER_NEITHER },
    [LOST_H] = { "slow_gpu_h", "GPU h", "GPU time of jobs beyond that at the usual pace of their GPUs and links", BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    const struct slow_run *r = slow_of(b->s);
    int128_t node_ns = 0;
    double gpu_ns = 0;
    for (node_id n = 0; n < b->s->cluster->n_nodes; n++)
        node_ns += r->slow_ns[n];
    for (job_id j = 0; j < b->s->n_jobs; j++)
        gpu_ns += r->lost[j].gpu_ns;
    summary_put_kind(b, &metrics[ONSETS], "all", (double)r->onsets, 1);
    summary_put_kind(b, &metrics[DETECTED], "all", (double)r->detected, 1);
    summary_put_kind(b, &metrics[NODE_H], "all", (double)node_ns / (double)NS_PER_S / 3600, 1);
    summary_put_kind(b, &metrics[LOST_H], "all", gpu_ns / (double)NS_PER_S / 3600, 1);
}

const struct run_model slow_model = {
    .place = PLACE_OF(slow_model),
    .saved = saved,
    .name = "slow faults",
    .summary = "nodes, GPUs and links are slow until that is detected, and gangs go at the pace of the slowest",
    .wanted = wanted,
    .begin = begin,
    .free = free_of,
    .placed = placed,
    .paced = paced,
    .left = left,
    .events = 1u << EVENT_SLOW,
    .happens = happens,
    .end = end_of,
    .job_columns = job_columns,
    .node_columns = node_columns,
    .job_row = job_row,
    .node_row = node_row,
    .metrics = metrics,
    .summarise = summarise,
};
