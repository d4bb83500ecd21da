/* spares.c - nodes in reserve: key `spares` of the section `failures`. models.md 8.6.
 *
 * Of a group with k spares no more nodes than all but k are in service. At the beginning the k with
 * the highest numbers are in reserve: nothing is placed there. When another node of the group goes
 * out of service, whatever for, the lowest in reserve that is well takes its place at once; a node
 * that comes back while enough are in service goes to the reserve. So a gang that lost a node finds
 * another one free, however long the repair, at the price of nodes that stand idle.
 *
 * With `in_reserve` those nodes are in reserve at the beginning, as in the run of a snapshot; only
 * what they are too few or too many is settled by numbers.
 *
 * A node in reserve counts as out of service (ACCOUNT_DOWN), and draws what an idle node draws. What
 * changes at an instant is settled once, after all faults and repairs of it: the subject of the event
 * is the group. */
#include "sim/engine/interruption.h"
#include "sim/engine/nodes.h"
#include "sim/engine/state.h"
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"

#include <stdio.h>
#include <stdlib.h>

struct reserve {                  /* of a group */
    node_id first, end;
    uint32_t spares;
    bool due;                     /* an event will look at it */
    bool begun;                   /* one has */
};
struct spares_run {
    struct reserve *of;           /* [n_groups] */
    uint32_t *pieces;             /* [nodes] that jobs hold, and of suspended jobs */
    int64_t *since_ns;            /* [nodes] in reserve since then; -1: it is not */
    int128_t reserve_ns;          /* of all nodes, until they left it */
    uint64_t swaps, seen;         /* seen: nodes_changes() then */
};
extern const struct run_model spares_model;

static struct spares_run *spares_of(const struct sched *s)
{
    return model_state(s, &spares_model);
}

static bool wanted(const struct sched *s)
{
    const struct failures *f = s->cluster->failures;
    for (uint32_t g = 0; f && f->spares && g < s->cluster->n_groups; g++)
        if (f->spares[g])
            return true;
    return false;
}

static void log_node(const struct sched *s, const char *kind, node_id n)
{
    char what[32];
    snprintf(what, sizeof what, "node %u", n);
    decision_log(s, ID_NONE, kind, what, "spare");
}

static void rests(struct sched *s, struct spares_run *r, node_id n)
{
    r->since_ns[n] = s->now_ns;
    node_goes(s, n);
    interrupt_nodes(s, &(struct interruption){ CAUSE_DRAIN, n, n + 1, 0, 0 });    /* claims */
    if (energy_of(s))
        energy_node_off(s, n, POWER_DOWN, false);
}

static void serves(struct sched *s, struct spares_run *r, node_id n)
{
    r->reserve_ns += s->now_ns - r->since_ns[n];
    r->since_ns[n] = -1;
    r->swaps++;
    log_node(s, "activate", n);
    node_comes(s, n);
}

static uint32_t in_service(const struct sched *s, const struct reserve *x)
{
    uint32_t up = 0;
    for (node_id n = x->first; n < x->end; n++)
        up += node_is_up(s, n);
    return up;
}

/* Nodes that are back, and hold nothing yet: the highest numbers go first. */
static void settle(struct sched *s, struct spares_run *r, struct reserve *x)
{
    uint32_t up = in_service(s, x), want = x->end - x->first - x->spares;
    for (node_id n = x->first; up < want && n < x->end; n++)
        if (r->since_ns[n] >= 0 && nodes_imaginable(s, n)) {
            serves(s, r, n);
            up++;
        }
    for (node_id n = x->end; up > want && n-- > x->first;)
        if (node_is_up(s, n) && !r->pieces[n]) {
            log_node(s, "reserve", n);
            rests(s, r, n);
            up--;
        }
}

/* Those that were in reserve in the run that this one goes on with. */
static void rest_again(struct sched *s, struct spares_run *r, const struct reserve *x)
{
    const struct failures *f = s->cluster->failures;
    for (uint32_t i = 0; i < f->n_in_reserve; i++)
        if (f->in_reserve[i] >= x->first && f->in_reserve[i] < x->end) {
            log_node(s, "reserve", f->in_reserve[i]);
            rests(s, r, f->in_reserve[i]);
        }
}

static void happens(struct sched *s, const struct event *e)
{
    struct spares_run *r = spares_of(s);
    r->of[e->subject].due = false;
    if (!r->of[e->subject].begun)
        rest_again(s, r, &r->of[e->subject]);
    r->of[e->subject].begun = true;
    settle(s, r, &r->of[e->subject]);
    run_changed(s);
}

static void node_power(struct sched *s, node_id n, bool out)
{
    struct spares_run *r = spares_of(s);
    struct reserve *x = &r->of[s->cluster->group_of[n]];
    (void)out;
    if (!x->spares || x->due)
        return;
    x->due = true;
    event_queue_push(s->events, (struct event){ s->now_ns, EVENT_SPARE, s->cluster->group_of[n] });
}

/* A node that is repaired while it is in reserve is no change that node_power() sees: looked at when anything has changed. */
static void look_again(struct sched *s)
{
    struct spares_run *r = spares_of(s);
    if (nodes_changes(s) == r->seen)
        return;
    r->seen = nodes_changes(s);
    for (uint32_t g = 0; g < s->cluster->n_groups; g++) {
        const struct reserve *x = &r->of[g];
        bool well = false;
        for (node_id n = x->first; x->spares && n < x->end; n++)
            well |= r->since_ns[n] >= 0 && nodes_imaginable(s, n);
        if (well && in_service(s, x) < x->end - x->first - x->spares)
            node_power(s, x->first, false);
    }
}

static void suspended(struct sched *s, const struct placement *p, int sign)
{
    for (size_t i = 0; i < p->n; i++)
        spares_of(s)->pieces[p->piece[i].node] += (uint32_t)sign;
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    (void)j;
    suspended(s, p, sign);
}

static void begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    struct spares_run *r = mem_new(1, sizeof *r);
    model_state_set(s, &spares_model, r);
    r->of = mem_new(c->n_groups, sizeof *r->of);
    r->since_ns = mem_new(c->n_nodes, sizeof *r->since_ns);
    r->pieces = mem_new(c->n_nodes, sizeof *r->pieces);
    nodes_begin(s);
    for (uint32_t g = 0; g < c->n_groups; g++)
        r->of[g] = (struct reserve){ .first = c->n_nodes, .spares = c->failures->spares[g] };
    for (node_id n = 0; n < c->n_nodes; n++) {
        struct reserve *x = &r->of[c->group_of[n]];
        r->since_ns[n] = -1;
        x->first = n < x->first ? n : x->first;
        x->end = n + 1;
    }
    for (uint32_t g = 0; g < c->n_groups; g++)
        node_power(s, r->of[g].first, false);
}

static void saved(const struct sched *s, FILE *text)
{
    const char *before = " --set 'failures.in_reserve=[";
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (spares_of(s)->since_ns[n] >= 0) {
            fprintf(text, "%s%u", before, n);
            before = ", ";
        }
    fputs(*before == ',' ? "]'" : "", text);
}

static void end_of(struct sched *s)
{
    struct spares_run *r = spares_of(s);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        r->reserve_ns += r->since_ns[n] >= 0 ? s->now_ns - r->since_ns[n] : 0;
}

static void free_of(struct sched *s)
{
    struct spares_run *r = spares_of(s);
    free(r->of);
    free(r->since_ns);
    free(r->pieces);
    free(r);
}

enum { RESERVE_H, SWAPS };
static const struct metric_kind metrics[] = {
    [RESERVE_H] = { "spare_node_h", "h", "hours that nodes were in reserve; part of down_gpu_h", BETTER_NEITHER },
    [SWAPS] = { "spare_swaps", "", "times that a node came out of the reserve", BETTER_NEITHER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    const struct spares_run *r = spares_of(b->s);
    summary_put_kind(b, &metrics[RESERVE_H], "all", (double)r->reserve_ns / (double)NS_PER_S / 3600, 1);
    summary_put_kind(b, &metrics[SWAPS], "all", (double)r->swaps, 1);
}

const struct run_model spares_model = {
    .place = PLACE_OF(spares_model),
    .saved = saved,
    .name = "spares",
    .summary = "nodes of a group stay in reserve until another one goes out of service",
    .wanted = wanted,
    .begin = begin,
    .free = free_of,
    .held = held,
    .suspended = suspended,
    .node_power = node_power,
    .round = look_again,
    .events = 1u << EVENT_SPARE,
    .happens = happens,
    .end = end_of,
    .metrics = metrics,
    .summarise = summarise,
};
