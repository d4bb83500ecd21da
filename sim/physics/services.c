/* services.c - see services.h. */
#include "sim/physics/services.h"
#include "sim/physics/physics.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"
#include "sim/physics/service_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct service_run *owner_of(const struct sched *s, job_id j)
{
    uint32_t i = on_demand(s, j) ? s->services->owner[j - s->workload->n_jobs] : ID_NONE;
    return i == ID_NONE ? NULL : &s->services->of[i];
}

/* ---- Replicas become ready, and are no more ---- */

static double speed_of(const struct sched *s, const struct service_run *r, const struct live *l)
{
    const struct node_type *type = cluster_node_type(s->cluster, l->on->piece[0].node);
    const char *gpu = type->gpu_model == ID_NONE ? NULL : intern_text(s->cluster->gpu_models, type->gpu_model);
    return deployment_speed(r->of, gpu) * pace_rate(&l->pace);
}

static bool has_image(const struct service_run *r, node_id n)
{
    return r->image_at[n / 64] >> (n % 64) & 1;
}

static void started(struct service_run *r, const struct live *l, struct replica *replica)
{
    if (replica->counted_ns == l->last_start_ns)
        return;
    replica->counted_ns = l->last_start_ns;
    r->starts++;
    for (size_t i = 0; i < l->on->n; i++)
        r->image_at[l->on->piece[i].node / 64] |= UINT64_C(1) << (l->on->piece[i].node % 64);
}

static void serves(struct sched *s, struct service_run *r, const struct live *l)
{
    struct replica *replica = &r->replica[l->job - r->first];
    replica->speed = speed_of(s, r, l);
    replica->ready_ns = s->now_ns;
    r->ready++;
    started(r, l, replica);
    serving_advance(r->serving, s->now_ns);
    serving_replica_ready(r->serving, l->job - r->first, replica->speed);
}

static void serves_no_more(struct sched *s, struct service_run *r, job_id j)
{
    r->replica[j - r->first].ready_ns = -1;
    r->ready--;
    serving_advance(r->serving, s->now_ns);
    serving_replica_gone(r->serving, j - r->first);
}

static void services_paced(struct sched *s, struct live *l)
{
    struct service_run *r = owner_of(s, l->job);
    if (!r || !r->serving)
        return;
    const struct replica *replica = &r->replica[l->job - r->first];
    bool ready = l->on && !l->progress_event && !l->pace.stalled, was = replica->ready_ns >= 0;
    /* A flow takes another speed at once; requests that are being served keep theirs. */
    bool faster = ready && was && r->service.mode == SERVICE_FLUID && replica->speed != speed_of(s, r, l);
    if (was && (!ready || faster))
        serves_no_more(s, r, l->job);
    if (ready && (!was || faster))
        serves(s, r, l);
}

static void services_placed(struct sched *s, struct live *l)
{
    struct service_run *r = owner_of(s, l->job);
    if (r)
        r->placed++;
}

static void services_left(struct sched *s, struct live *l, const struct placement *from)
{
    struct service_run *r = owner_of(s, l->job);
    (void)from;
    if (!r || s->totals.cut_off)  /* it stays as it is */
        return;
    r->placed--;
    if (r->serving && r->replica[l->job - r->first].ready_ns >= 0)
        serves_no_more(s, r, l->job);
}

static int64_t services_start_up(const struct sched *s, job_id j, const struct placement *on, bool first)
{
    const struct service_run *r = owner_of(s, j);
    bool cold = !on;
    (void)first;
    if (r && r->of->start.was_there && s->now_ns == r->service.demand.start_ns)
        return 0;
    for (size_t i = 0; r && on && i < on->n; i++)
        cold = cold || !has_image(r, on->piece[i].node);
    return r ? replica_start_ns(&r->of->start, cold) : -1;
}

/* ---- Time ---- */

static void interval_ends(struct sched *s, struct service_run *r)
{
    struct serving_figures f = serving_take_figures(r->serving);
    const struct run_observer *o = &s->setup.observer;
    r->arrived += f.arrived;
    r->next_interval_ns = s->now_ns + r->service.interval_ns;
    if (o->row)
        o->row(o->self, &services_model, &(struct service_row){ r->service.name, scaler_wants(r->scaler), r->placed, r->ready, &f });
}

static void begin(struct sched *s, struct service_run *r)
{
    r->serving = serving_new(&r->service, s->workload->services->seed);
    serving_advance(r->serving, s->now_ns);
    serving_take_figures(r->serving);
    r->scaler = scaler_new(&r->of->scaler, &r->service, s->now_ns);
    r->next_interval_ns = s->now_ns + r->service.interval_ns;
    r->next_look_ns = s->now_ns + r->of->scaler.period_ns;
}

/* Its books are closed; its replicas may still be there. */
static void close_books(struct sched *s, struct service_run *r)
{
    serving_advance(r->serving, s->now_ns);
    if (s->now_ns > r->next_interval_ns - r->service.interval_ns)
        interval_ends(s, r);
    r->total = serving_total(r->serving);
    r->drawn = serving_drawn(r->serving);
    serving_free(r->serving);
    scaler_free(r->scaler);
    r->serving = NULL;
    r->scaler = NULL;
    s->n_open--;
}

static void end(struct sched *s, struct service_run *r)
{
    uint32_t there = replicas_there(s, r);
    close_books(s, r);
    for (uint32_t k = 0; k < r->of->scaler.most; k++)
        r->replica[k].ready_ns = -1;
    r->ready = 0;
    replicas_withdraw(s, r, there);
}

static void look(struct sched *s, struct service_run *r)
{
    struct serving_load load = serving_load(r->serving);
    scaler_look(r->scaler, &load, r->ready, replicas_there(s, r));
    r->next_look_ns = s->now_ns + r->of->scaler.period_ns;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void services_happens(struct sched *s, const struct event *e)
{
    struct service_run *r = &s->services->of[e->subject];
    if (s->now_ns >= r->service.demand.end_ns) {
        if (!r->serving)
            begin(s, r);
        end(s, r);
        return;
    }
    if (!r->serving)
        begin(s, r);
    serving_advance(r->serving, s->now_ns);
    if (s->now_ns == r->next_look_ns)
        look(s, r);
    replicas_reconcile(s, r);
    if (s->now_ns == r->next_interval_ns)
        interval_ends(s, r);
    int64_t next_ns = earlier(earlier(r->next_interval_ns, r->next_look_ns), r->service.demand.end_ns);
    event_queue_push(s->events, (struct event){ next_ns, EVENT_SERVICE, e->subject });
}

/* ---- The run begins and ends ---- */

static job_id find_first(const struct sched *s, const struct service_run *r)
{
    char name[256];
    snprintf(name, sizeof name, "%s/0", r->service.name);
    for (job_id j = s->workload->n_jobs; j < s->n_jobs; j++)
        if (!strcmp(s->workload->truth[j].name, name))
            return j;
    HOST_BUG(s, "service %s has no replicas in the workload", r->service.name);
}

static void services_begin(struct sched *s)
{
    const struct workload *w = s->workload;
    struct services *all = s->services = mem_new(1, sizeof *all);
    all->n = w->services->n;
    all->of = mem_new(all->n, sizeof *all->of);
    all->owner = mem_new(w->n_on_demand, sizeof *all->owner);
    memset(all->owner, 0xff, w->n_on_demand * sizeof *all->owner);    /* ID_NONE */
    for (uint32_t i = 0; i < all->n; i++) {
        struct service_run *r = &all->of[i];
        r->of = &w->services->of[i];
        r->service = r->of->service;
        if (r->service.demand.end_ns == TIME_NEVER)
            r->service.demand.end_ns = w->facts[w->n_jobs - 1].submit_ns;
        if (r->service.demand.end_ns < r->service.demand.start_ns)
            r->service.demand.end_ns = r->service.demand.start_ns;
        r->first = find_first(s, r);
        r->replica = mem_new(r->of->scaler.most, sizeof *r->replica);
        r->image_at = mem_new(s->cluster->n_nodes / 64 + 1, sizeof *r->image_at);
        for (uint32_t k = 0; k < r->of->scaler.most; k++) {
            r->replica[k].ready_ns = r->replica[k].counted_ns = -1;
            all->owner[r->first + k - w->n_jobs] = i;
        }
        s->n_open++;
        event_queue_push(s->events, (struct event){ r->service.demand.start_ns, EVENT_SERVICE, i });
    }
}

static void services_free(struct sched *s)
{
    for (size_t i = 0; i < s->services->n; i++) {
        struct service_run *r = &s->services->of[i];
        serving_free(r->serving);
        scaler_free(r->scaler);
        free(r->replica);
        free(r->image_at);
    }
    free(s->services->of);
    free(s->services->owner);
    free(s->services);
}

/* The cut-off: what they have come to until now. */
static void services_end(struct sched *s)
{
    for (size_t i = 0; i < s->services->n; i++)
        if (s->services->of[i].serving)
            close_books(s, &s->services->of[i]);
}

static bool services_wanted(const struct sched *s)
{
    return s->workload->services != NULL;
}

const struct run_model services_model = {
    .name = "services", .summary = "inference services: requests, replicas, autoscalers",
    .wanted = services_wanted, .begin = services_begin, .free = services_free,
    .placed = services_placed, .start_up = services_start_up, .left = services_left, .paced = services_paced,
    .events = 1u << EVENT_SERVICE, .happens = services_happens,
    .end = services_end, .check = services_check, .drawn_name = "requests_drawn", .drawn = services_drawn,
    .file = "services", .file_columns = service_columns, .file_row = service_row,
    .metrics = service_metrics, .summarise = services_summarise,
};
