/* flows.c - see flows.h. */
#include "sim/physics/flows.h"
#include "sim/engine/state.h"
#include "sim/models/network/maxmin.h"
#include "sim/physics/physics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE 1e-12               /* a share that changes by less has not changed */

struct flow {
    struct maxmin_flow m;
    const struct flow_kind *kind; /* NULL: a free slot */
    job_id job;
    uint32_t *link, *place;       /* [m.n_links] and its place in the list of each */
    double left;                  /* bytes at since_ns */
    int64_t since_ns;
    event_id event;               /* finite flows; 0: the others */
    bool seen;
};
struct link {
    uint32_t *flow;
    size_t n, capacity;
    double demand;                /* of all its flows that have a finite one, as added up */
    uint32_t endless;             /* how many have none */
    bool dirty, seen;
};
struct flows {
    struct flow *flow;
    size_t n_flows, flow_capacity;
    flow_id *free_flow;
    size_t n_free, free_capacity;
    struct link *link;
    double *bytes_per_s, *left, *rising;    /* by link */
    size_t n_links, link_capacity;
    link_id *dirty;
    size_t n_dirty;
    flow_id *found;               /* scratch of flows_balance() */
    double *before;
    struct maxmin_flow **filled;
    size_t n_found, found_capacity;
};

extern const struct run_model flows_model;

static struct flows *flows_of(const struct sched *s)
{
    return model_state(s, &flows_model);
}

static bool wanted(const struct sched *s)
{
    return s->cluster->storage.contention == CONTENTION_MAXMIN;
}

void flows_begin(struct sched *s)
{
    model_state_set(s, &flows_model, mem_new(1, sizeof(struct flows)));
}

void flows_end(struct sched *s)
{
    struct flows *f = flows_of(s);
    for (size_t i = 0; i < f->n_flows; i++)
        free(f->flow[i].link);
    for (size_t l = 0; l < f->n_links; l++)
        free(f->link[l].flow);
    void *const own[] = { f->flow, f->free_flow, f->link, f->bytes_per_s, f->left, f->rising, f->dirty, f->found, f->before, f->filled };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
    free(f);
}

link_id flows_link(struct sched *s, double capacity)
{
    struct flows *f = flows_of(s);
    if (f->n_links == f->link_capacity) {
        f->link_capacity = f->link_capacity ? 2 * f->link_capacity : 64;
        f->link = mem_resize(f->link, f->link_capacity, sizeof *f->link);
        f->bytes_per_s = mem_resize(f->bytes_per_s, f->link_capacity, sizeof *f->bytes_per_s);
        f->left = mem_resize(f->left, f->link_capacity, sizeof *f->left);
        f->rising = mem_resize(f->rising, f->link_capacity, sizeof *f->rising);
        f->dirty = mem_resize(f->dirty, f->link_capacity, sizeof *f->dirty);
    }
    f->link[f->n_links] = (struct link){ .flow = NULL };
    f->bytes_per_s[f->n_links] = capacity;
    return (link_id)f->n_links++;
}

/* ---- Flows come and go ---- */

static void link_is_dirty(struct flows *f, link_id l)
{
    if (f->link[l].dirty)
        return;
    f->link[l].dirty = true;
    f->dirty[f->n_dirty++] = l;
}

static void link_asked(struct flows *f, link_id l, double demand, int sign)
{
    struct link *link = &f->link[l];
    link_is_dirty(f, l);
    if (isinf(demand))
        link->endless += (uint32_t)sign;
    else
        link->demand += sign * demand;
    if (link->n == link->endless)
        link->demand = 0;                            /* sums of doubles drift; here the true one is known */
}

static void join(struct flows *f, flow_id id, link_id l)
{
    struct flow *flow = &f->flow[id];
    struct link *link = &f->link[l];
    mem_grow(&link->flow, &link->capacity, link->n, sizeof *link->flow);
    flow->place[flow->m.n_links] = (uint32_t)link->n;
    flow->link[flow->m.n_links++] = l;
    link->flow[link->n++] = id;
    link_asked(f, l, flow->m.demand, 1);
}

static void part(struct flows *f, flow_id id, uint32_t i)
{
    struct flow *flow = &f->flow[id];
    link_id l = flow->link[i];
    struct link *link = &f->link[l];
    flow_id last = link->flow[--link->n];
    link->flow[flow->place[i]] = last;
    for (uint32_t k = 0; last != id && k < f->flow[last].m.n_links; k++)
        if (f->flow[last].link[k] == l)
            f->flow[last].place[k] = flow->place[i];
    link_asked(f, l, flow->m.demand, -1);
}

/* It had `before` until now. */
static void settle(struct sched *s, struct flow *flow, double before)
{
    if (flow->event) {
        flow->left = fmax(0, flow->left - before * seconds(s->now_ns - flow->since_ns));
        double ns = ceil(flow->left / flow->m.share * (double)NS_PER_S);
        int64_t end_ns = ns < (double)(TIME_NEVER - s->now_ns) ? s->now_ns + (int64_t)ns : TIME_NEVER;
        event_queue_move(s->events, flow->event, end_ns);
    }
    flow->since_ns = s->now_ns;
}

static int by_number(const void *a, const void *b)
{
    link_id x = *(const link_id *)a, y = *(const link_id *)b;
    return (x > y) - (x < y);
}

flow_id flow_open(struct sched *s, const struct flow_spec *spec)
{
    struct flows *f = flows_of(s);
    flow_id id = f->n_free ? f->free_flow[--f->n_free] : (flow_id)f->n_flows;
    if (id == f->n_flows) {
        mem_grow(&f->flow, &f->flow_capacity, f->n_flows, sizeof *f->flow);
        f->flow[f->n_flows++] = (struct flow){ .link = NULL };
    }
    struct flow *flow = &f->flow[id];
    link_id *sorted = mem_new(2 * spec->n_links + 1, sizeof *sorted);
    if (spec->n_links)
        memcpy(sorted, spec->link, spec->n_links * sizeof *sorted);
    qsort(sorted, spec->n_links, sizeof *sorted, by_number);
    free(flow->link);
    *flow = (struct flow){ .m = { .demand = spec->demand }, .kind = spec->kind, .job = spec->job, .link = sorted,
                           .place = sorted + spec->n_links, .left = spec->bytes, .since_ns = s->now_ns };
    flow->m.link = flow->link;
    for (size_t i = 0; i < spec->n_links; i++)
        if (i == 0 || sorted[i] != flow->link[flow->m.n_links - 1])
            join(f, id, sorted[i]);
    if (spec->bytes > 0)
        flow->event = event_queue_push(s->events, (struct event){ TIME_NEVER, EVENT_FLOW, id });
    if (!spec->n_links) {
        flow->m.share = spec->demand;
        settle(s, flow, 0);
    }
    return id;
}

void flow_close(struct sched *s, flow_id id)
{
    if (id == FLOW_NONE)
        return;
    struct flows *f = flows_of(s);
    struct flow *flow = &f->flow[id];
    MUST(s, flow->kind);
    for (uint32_t i = 0; i < flow->m.n_links; i++)
        part(f, id, i);
    if (flow->event)
        event_queue_cancel(s->events, flow->event);
    flow->kind = NULL;
    mem_grow(&f->free_flow, &f->free_capacity, f->n_free, sizeof *f->free_flow);
    f->free_flow[f->n_free++] = id;
}

double flow_share(const struct sched *s, flow_id id)
{
    return flows_of(s)->flow[id].m.share;
}

double flow_left(const struct sched *s, flow_id id)
{
    const struct flow *flow = &flows_of(s)->flow[id];
    return fmax(0, flow->left - flow->m.share * seconds(s->now_ns - flow->since_ns));
}

void flow_over(struct sched *s, flow_id id)
{
    struct flow *flow = &flows_of(s)->flow[id];
    const struct flow_kind *kind = flow->kind;
    job_id j = flow->job;
    flow->event = 0;
    flow_close(s, id);
    kind->done(s, j, id);
}

/* ---- Shares ---- */

static bool ties(const struct flows *f, link_id l)
{
    return f->link[l].dirty || f->link[l].endless > 0 || f->link[l].demand > f->bytes_per_s[l] * (1 - 1e-9);
}

/* The flows of a link, and through links that may be full the flows beyond. */
static void find_from(struct flows *f, link_id l)
{
    if (f->link[l].seen)
        return;
    f->link[l].seen = true;
    for (size_t i = 0; i < f->link[l].n; i++) {
        flow_id id = f->link[l].flow[i];
        if (f->flow[id].seen)
            continue;
        f->flow[id].seen = true;
        if (f->n_found == f->found_capacity) {
            f->found_capacity = f->found_capacity ? 2 * f->found_capacity : 64;
            f->found = mem_resize(f->found, f->found_capacity, sizeof *f->found);
            f->before = mem_resize(f->before, f->found_capacity, sizeof *f->before);
            f->filled = mem_resize(f->filled, f->found_capacity, sizeof(struct maxmin_flow *));
        }
        f->found[f->n_found++] = id;
    }
}

static void find_all(struct flows *f)
{
    f->n_found = 0;
    for (size_t i = 0; i < f->n_dirty; i++)
        find_from(f, f->dirty[i]);
    for (size_t i = 0; i < f->n_found; i++) {
        const struct flow *flow = &f->flow[f->found[i]];
        for (uint32_t k = 0; k < flow->m.n_links; k++)
            if (ties(f, flow->link[k]))
                find_from(f, flow->link[k]);
    }
    for (size_t i = 0; i < f->n_found; i++) {
        struct flow *flow = &f->flow[f->found[i]];
        flow->seen = false;
        for (uint32_t k = 0; k < flow->m.n_links; k++)
            f->link[flow->link[k]].seen = false;
        f->filled[i] = &flow->m;
    }
    for (size_t i = 0; i < f->n_dirty; i++)
        f->link[f->dirty[i]].seen = f->link[f->dirty[i]].dirty = false;
    f->n_dirty = 0;
}

void flows_balance(struct sched *s)
{
    struct flows *f = flows_of(s);
    if (!f->n_dirty)
        return;
    find_all(f);
    for (size_t i = 0; i < f->n_found; i++)
        f->before[i] = f->filled[i]->share;
    maxmin_share(&(struct maxmin){ f->filled, f->n_found, f->bytes_per_s, f->left, f->rising });
    for (size_t i = 0; i < f->n_found; i++) {
        struct flow *flow = &f->flow[f->found[i]];
        if (fabs(flow->m.share - f->before[i]) <= ALIKE * f->before[i]) {
            flow->m.share = f->before[i];
            continue;
        }
        settle(s, flow, f->before[i]);
        if (flow->kind->changed)
            flow->kind->changed(s, flow->job, f->found[i], flow->m.share);
    }
}

static void happens(struct sched *s, const struct event *e)
{
    flow_over(s, e->subject);
}

const struct run_model flows_model = {
    .place = PLACE_OF(flows_model),
    .name = "flows", .summary = "links and storage that running jobs share, max-min fair",
    .wanted = wanted, .prepare = flows_begin, .free = flows_end, .events = 1u << EVENT_FLOW, .happens = happens,
    .round = flows_balance,
};
