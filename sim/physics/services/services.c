/* services.c - see services.h. */
#include "sim/physics/services/services.h"
#include "sim/base/random.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/models.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"
#include "sim/models/power.h"
#include "sim/physics/services/kv_links.h"
#include "sim/physics/physics.h"
#include "sim/physics/services/services_summary.h"
#include "sim/scheduler/placements.h"
#include "sim/serving/deployment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUTY_WINDOW_NS (60 * NS_PER_S)

struct service_run {
    const struct deployment *of;
    struct service service;       /* its own, with the end of this run */
    struct serving *serving;      /* NULL: not begun, or over */
    struct scaler *scaler;
    struct kv_links *links;       /* NULL: KV caches do not go over those of the cluster */
    job_id first;                 /* its replicas: as many jobs as it may have replicas */
    uint32_t placed, ready;       /* run; of these, serve */
    uint32_t up_to;               /* replicas from here on are not there */
    struct replica {
        int64_t ready_ns, counted_ns;     /* ready since, -1: not; the start counted last */
        double speed, clock;      /* clock: of its GPUs, that is not part of its speed */
        int64_t window_ns;        /* the window of its duty began */
        struct replica_work work; /* serving_replica_work() at that time */
    } *replica;
    uint64_t *image_at;           /* bit n: node n has its image */
    int64_t next_interval_ns, next_look_ns, next_duty_ns;
    bool refused;                 /* a replica can never run here */
    bool depends;                 /* on jobs that had not ended when the run began */
    bool let_in;                  /* and those have */
    uint64_t starts;              /* start-ups that were completed */
    double arrived;               /* of all intervals so far */
    uint64_t drawn;
    struct serving_figures total; /* once it is over; so is by_group */
    struct group_counts by_group;
};
struct services {
    size_t n;
    struct service_run *of;
    uint32_t *owner;              /* [n_on_demand] number of the service; ID_NONE: of none */
};

static struct services *services_of(const struct sched *s)
{
    return model_state(s, &services_model);
}

static struct service_run *owner_of(const struct sched *s, job_id j)
{
    if (!on_demand(s, j))
        return NULL;
    const struct services *all = services_of(s);
    uint32_t i = all->owner[j - s->workload->n_jobs];
    return i == ID_NONE ? NULL : &all->of[i];
}

/* ---- The number of replicas ---- */

static uint32_t replicas_there(const struct sched *s, struct service_run *r)
{
    uint32_t n = 0, up_to = 0;
    for (uint32_t k = 0; k < r->up_to; k++)
        if (on_demand_is_there(s, r->first + k)) {
            n++;
            up_to = k + 1;
        }
    r->up_to = up_to;
    return n;
}

static void submit(struct sched *s, struct service_run *r, uint32_t n)
{
    for (uint32_t k = 0; k < r->of->scaler.most && n > 0 && !r->refused; k++) {
        job_id j = r->first + k;
        if (live_of(s, j))
            continue;
        on_demand_submit(s, j);
        r->up_to = k < r->up_to ? r->up_to : k + 1;
        r->refused = s->job[j].state == JOB_GONE;
        n--;
    }
}

/* Replicas are withdrawn in the order of ranks, the newest first. */
static unsigned rank(const struct sched *s, const struct service_run *r, job_id j)
{
    enum job_state state = s->job[j].state;
    return r->replica[j - r->first].ready_ns >= 0 ? 2 : state == JOB_RUNNING || state == JOB_GATHERING ? 1 : 0;
}

static int64_t since_ns(const struct sched *s, const struct service_run *r, job_id j)
{
    int64_t ready_ns = r->replica[j - r->first].ready_ns;
    return ready_ns >= 0 ? ready_ns : s->workload->facts[j].submit_ns;
}

static void replicas_withdraw(struct sched *s, struct service_run *r, uint32_t n)
{
    for (; n > 0; n--) {
        job_id first = ID_NONE;
        for (uint32_t k = 0; k < r->up_to; k++) {
            job_id j = r->first + k;
            if (!on_demand_is_there(s, j))
                continue;
            unsigned mine = rank(s, r, j), best = first == ID_NONE ? UINT8_MAX : rank(s, r, first);
            if (mine < best || (mine == best && since_ns(s, r, j) >= since_ns(s, r, first)))
                first = j;
        }
        on_demand_withdraw(s, first, FATE_COMPLETED, "withdrawn");
    }
}

static void replicas_reconcile(struct sched *s, struct service_run *r, uint32_t there)
{
    uint32_t wanted = scaler_wants(r->scaler);
    if (there < wanted)
        submit(s, r, wanted - there);
    else if (there > wanted)
        replicas_withdraw(s, r, there - wanted);
}

/* ---- Replicas become ready, and are no more ---- */

/* Of a replica that runs step by step it slows what a step computes, beside its speed; of others it is in their speed. */
static double clock_of(const struct service_run *r, const struct live *l)
{
    return r->service.time.kind == TIME_ENGINE ? l->pace.clock * l->pace.computing / l->pace.reading : 1;
}

static double speed_of(const struct sched *s, const struct service_run *r, const struct live *l)
{
    const struct node_type *type = cluster_node_type(s->cluster, l->on->piece[0].node);
    const char *gpu = type->gpu_model == ID_NONE ? NULL : intern_text(s->cluster->gpu_models, type->gpu_model);
    struct pace pace = l->pace;
    pace.clock = r->service.time.kind == TIME_ENGINE ? pace.reading : pace.clock;
    return deployment_speed(r->of, gpu) * pace_rate(&pace);
}

static bool has_image(const struct service_run *r, node_id n)
{
    return r->image_at[n / 64] >> (n % 64) & 1;
}

static unsigned services_keeps(const struct sched *s, job_id j, node_id n)
{
    const struct service_run *r = owner_of(s, j);
    return r && has_image(r, n) ? KEEPS_IMAGE : 0;
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

static void serves(struct sched *s, struct service_run *r, struct live *l)
{
    struct replica *replica = &r->replica[l->job - r->first];
    replica->speed = speed_of(s, r, l);
    replica->ready_ns = s->now_ns;
    r->ready++;
    started(r, l, replica);
    serving_advance(r->serving, s->now_ns);
    kv_links_ready(r->links, r->serving, l->job - r->first, l->on);
    serving_replica_ready(r->serving, l->job - r->first, replica->speed);
    replica->clock = clock_of(r, l);
    serving_replica_clock(r->serving, l->job - r->first, replica->clock);
    replica->window_ns = s->now_ns;
    replica->work = serving_replica_work(r->serving, l->job - r->first);
    pace_duty(s, l, (struct pace_load){ 0 });
}

static void changes_speed(struct sched *s, struct service_run *r, const struct live *l, double speed)
{
    r->replica[l->job - r->first].speed = speed;
    serving_advance(r->serving, s->now_ns);
    serving_replica_speed(r->serving, l->job - r->first, speed);
    r->replica[l->job - r->first].clock = clock_of(r, l);
    serving_replica_clock(r->serving, l->job - r->first, clock_of(r, l));
}

/* What power takes of steps: models.md 9, `llm`. */
static struct pace_load load_between(const struct sched *s, const struct replica_work *from, const struct replica_work *to, double passed_s)
{
    struct pace_load l = { .duty = replica_share(from->busy_s, to->busy_s, passed_s) };
    if (!s->cluster->power || !s->cluster->power->law.llm)
        return l;
    l.steps = replica_share(from->steps_s, to->steps_s, passed_s);
    l.tdp = fmin(l.steps, replica_share(from->tdp_s, to->tdp_s, passed_s));
    return l;
}

/* A window is over: its duties hold for the next one. */
static void duties(struct sched *s, struct service_run *r)
{
    for (uint32_t k = 0; k < r->up_to; k++) {
        struct replica *replica = &r->replica[k];
        if (replica->ready_ns < 0 || replica->window_ns >= s->now_ns)
            continue;
        struct replica_work work = serving_replica_work(r->serving, k);
        pace_duty(s, live_of(s, r->first + k), load_between(s, &replica->work, &work, seconds(s->now_ns - replica->window_ns)));
        replica->window_ns = s->now_ns;
        replica->work = work;
    }
    kv_links_sent(r->links, seconds(DUTY_WINDOW_NS));
    r->next_duty_ns = s->now_ns + DUTY_WINDOW_NS;
}

static void serves_not(struct sched *s, struct service_run *r, job_id j)
{
    r->replica[j - r->first].ready_ns = -1;
    r->ready--;
    serving_advance(r->serving, s->now_ns);
    serving_replica_gone(r->serving, j - r->first);
    kv_links_ready(r->links, r->serving, j - r->first, NULL);
}

static void services_paced(struct sched *s, struct live *l)
{
    struct service_run *r = owner_of(s, l->job);
    if (!r || !r->serving)
        return;
    const struct replica *replica = &r->replica[l->job - r->first];
    bool ready = l->on && !l->progress_event && !l->pace.stalled, was = replica->ready_ns >= 0;
    double speed = ready ? speed_of(s, r, l) : 0;
    if (was && !ready)
        serves_not(s, r, l->job);
    else if (ready && !was)
        serves(s, r, l);
    else if (ready && (replica->speed != speed || replica->clock != clock_of(r, l)))
        changes_speed(s, r, l, speed);
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
    if (!r)
        return;
    r->placed--;
    if (r->serving && r->replica[l->job - r->first].ready_ns >= 0)
        serves_not(s, r, l->job);
}

/* Its nodes read the weights at what the cluster's storage gives them; loads do not share. */
static int64_t weights_read_ns(const struct sched *s, const struct service_run *r, const struct placement *on)
{
    const struct storage *from = &s->cluster->storage;
    if (!from->on || r->of->start.read_bytes == 0)
        return 0;
    return storage_load_ns(from, r->of->start.read_bytes, on ? placement_node_count(on) : 1);
}

/* Models that are swapped in come from there too, to one node. */
static void weights_come_slower(const struct sched *s, struct weight_places *w)
{
    enum { GIGABYTES = 1000 };
    const struct storage *from = &s->cluster->storage;
    int64_t bytes = GIGABYTES * INT64_C(1000000000);
    if (from->on && w->size)
        w->storage_s = fmax(w->storage_s, seconds(storage_load_ns(from, bytes, 1)) / (double)bytes);
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
    return r ? replica_start_ns(&r->of->start, cold, weights_read_ns(s, r, on)) : -1;
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
    r->next_duty_ns = s->now_ns + DUTY_WINDOW_NS;
}

/* Its books are closed; its replicas may still be there. */
static void close_books(struct sched *s, struct service_run *r)
{
    serving_advance(r->serving, s->now_ns);
    if (s->now_ns > r->next_interval_ns - r->service.interval_ns)
        interval_ends(s, r);
    r->total = serving_total(r->serving);
    r->by_group = serving_by_group(r->serving);
    r->drawn = serving_drawn(r->serving);
    kv_links_over(r->links);
    serving_free(r->serving);
    scaler_free(r->scaler);
    r->serving = NULL;
    r->scaler = NULL;
    run_open(s, -1);
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

static void look(struct sched *s, struct service_run *r, uint32_t there)
{
    struct serving_load load = serving_load(r->serving);
    scaler_look(r->scaler, &load, r->ready, there);
    r->next_look_ns = s->now_ns + r->of->scaler.period_ns;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void services_happens(struct sched *s, const struct event *e)
{
    struct service_run *r = &services_of(s)->of[e->subject];
    if (s->now_ns >= r->service.demand.end_ns) {
        if (!r->serving)
            begin(s, r);
        end(s, r);
        return;
    }
    if (!r->serving)
        begin(s, r);
    serving_advance(r->serving, s->now_ns);
    if (s->now_ns == r->next_duty_ns)
        duties(s, r);
    uint32_t there = replicas_there(s, r);
    if (s->now_ns == r->next_look_ns)
        look(s, r, there);
    replicas_reconcile(s, r, there);
    if (s->now_ns == r->next_interval_ns)
        interval_ends(s, r);
    int64_t next_ns = earlier(earlier(r->next_interval_ns, r->next_look_ns), earlier(r->next_duty_ns, r->service.demand.end_ns));
    event_queue_push(s->events, (struct event){ next_ns, EVENT_SERVICE, e->subject });
}

/* ---- The run begins and ends ---- */

static void begins_at(struct sched *s, struct service_run *r)
{
    run_open(s, 1);
    event_queue_push(s->events, (struct event){ r->service.demand.start_ns, EVENT_SERVICE,
                                                (uint32_t)(r - services_of(s)->of) });
}

/* Its replicas depend on the same; the first one tells. Its times count from now on. */
static void services_due(struct sched *s, job_id j, const char *never)
{
    struct service_run *r = owner_of(s, j);
    if (!r || j != r->first || never)
        return;
    r->let_in = true;
    r->service.demand.start_ns += s->now_ns;
    r->service.demand.end_ns += s->now_ns;
    begins_at(s, r);
}

static bool never_began(const struct sched *s, FILE *text)
{
    const struct services *all = services_of(s);
    const struct service_run *first = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct service_run *r = &all->of[i];
        bool never = r->depends && !r->let_in;
        n += never;
        first = never && !first ? r : first;
    }
    if (!first)
        return false;
    const char *why = dependencies_never(s, first->first);
    fprintf(text, "%u of %zu services never began, the first '%.100s': it %s", n, all->n,
            first->service.name, why ? why : "depends on jobs that had not ended when the run did");
    return true;
}

static job_id find_first(const struct sched *s, const struct service_run *r)
{
    char name[256];
    snprintf(name, sizeof name, "%s/0", r->service.name);
    for (job_id j = s->workload->n_jobs; j < s->n_jobs; j++)
        if (!strcmp(s->workload->truth[j].name, name))
            return j;
    ENGINE_BUG(s, "service %s has no replicas in the workload", r->service.name);
}

static void services_begin(struct sched *s)
{
    const struct workload *w = s->workload;
    struct services *all = mem_new(1, sizeof *all);
    model_state_set(s, &services_model, all);
    all->n = w->services->n;
    all->of = mem_new(all->n, sizeof *all->of);
    all->owner = mem_new(w->n_on_demand, sizeof *all->owner);
    memset(all->owner, 0xff, w->n_on_demand * sizeof *all->owner);    /* ID_NONE */
    for (uint32_t i = 0; i < all->n; i++) {
        struct service_run *r = &all->of[i];
        r->of = &w->services->of[i];
        r->service = r->of->service;
        weights_come_slower(s, &r->service.time.engine.weights);
        if (r->service.demand.end_ns == TIME_NEVER)
            r->service.demand.end_ns = w->facts[w->n_jobs - 1].submit_ns;
        if (r->service.demand.end_ns < r->service.demand.start_ns)
            r->service.demand.end_ns = r->service.demand.start_ns;
        r->first = find_first(s, r);
        r->links = kv_links_new(s, &r->service, r->first, r->of->scaler.most);
        r->replica = mem_new(r->of->scaler.most, sizeof *r->replica);
        r->image_at = mem_new(s->cluster->n_nodes / 64 + 1, sizeof *r->image_at);
        for (uint32_t k = 0; k < r->of->scaler.most; k++) {
            r->replica[k].ready_ns = r->replica[k].counted_ns = -1;
            all->owner[r->first + k - w->n_jobs] = i;
        }
        r->depends = dependencies_unmet(s, r->first);
        if (!r->depends)
            begins_at(s, r);
    }
}

static void services_free(struct sched *s)
{
    struct services *all = services_of(s);
    for (size_t i = 0; i < all->n; i++) {
        struct service_run *r = &all->of[i];
        serving_free(r->serving);
        scaler_free(r->scaler);
        kv_links_free(r->links);
        free(r->replica);
        free(r->image_at);
        group_counts_free(&r->by_group);
    }
    free(all->of);
    free(all->owner);
    free(all);
}

/* The cut-off: what they have come to until now. */
static void services_last(struct sched *s)
{
    struct services *all = services_of(s);
    for (size_t i = 0; i < all->n; i++)
        if (all->of[i].serving)
            close_books(s, &all->of[i]);
}

static bool services_wanted(const struct sched *s)
{
    return s->workload->services != NULL;
}

static const char *const service_node_columns[] = { "quiet_gpu_s", NULL };

static void service_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_wide_seconds(o, s->ledger.node_account[ACCOUNT_QUIET][n] / MILLI_ALL);
}

static const char *const service_columns[] = {
    "time_s", "service", "rate_per_s", "arrived", "served", "dropped", "backlog", "replicas_wanted", "replicas_placed", "replicas_ready",
    "latency_mean_s", "latency_p50_s", "latency_p99_s", "first_token_p50_s", "first_token_p99_s", "slo_attainment", "duty", NULL,
};

static void service_row(struct output *o, const void *of)
{
    const struct service_row *row = of;
    const struct serving_figures *f = row->figures;
    const double count[] = { f->arrived / seconds(f->to_ns - f->from_ns), f->arrived, f->served, f->dropped, f->unfinished };
    const uint32_t replicas[] = { row->wanted, row->placed, row->ready };
    const double delay[] = { f->latency.mean_s, f->latency.p50_s, f->latency.p99_s, f->first_token.p50_s, f->first_token.p99_s,
                             figures_attainment(f), figures_duty(f) };
    out_seconds(o, f->to_ns);
    out_char(o, ',');
    out_csv(o, row->name);
    for (unsigned i = 0; i < sizeof count / sizeof *count; i++) {
        out_char(o, ',');
        out_double(o, count[i]);
    }
    for (unsigned i = 0; i < sizeof replicas / sizeof *replicas; i++) {
        out_char(o, ',');
        out_integer(o, replicas[i]);
    }
    for (unsigned i = 0; i < sizeof delay / sizeof *delay; i++) {
        out_char(o, ',');
        out_double(o, delay[i]);
    }
    out_char(o, '\n');
}

static void services_summarise(struct summary_builder *b)
{
    const struct services *x = services_of(b->s);
    struct service_result *of = mem_new(x->n, sizeof *of);
    for (size_t i = 0; i < x->n; i++)
        of[i] = (struct service_result){ &x->of[i].service, &x->of[i].total, x->of[i].starts,
                                         &x->of[i].by_group };
    services_summary_put(b, of, x->n);
    free(of);
}

uint64_t services_drawn(const struct sched *s)
{
    uint64_t hash = 0;
    const struct services *all = services_of(s);
    for (size_t i = 0; all && i < all->n; i++)
        hash = hash_bytes(&all->of[i].drawn, sizeof all->of[i].drawn, hash);
    return hash;
}

static int check_groups(const struct service_run *r, struct error *err)
{
    const struct serving_figures *f = &r->total;
    struct group_count sum = group_counts_sum(&r->by_group, 0, r->by_group.n + 1);
    if ((double)sum.arrived == f->arrived && (double)sum.served == f->served &&
        (double)sum.dropped == f->dropped)
        return 0;
    return error_set(err, "an identity is broken, please report it: requests of service %s by "
                     "adapter or model: %" PRIu64 " came, %" PRIu64 " were served, %" PRIu64
                     " dropped; of all %.17g, %.17g, %.17g", r->service.name, sum.arrived,
                     sum.served, sum.dropped, f->arrived, f->served, f->dropped);
}

static int services_check(struct sched *s, struct error *err)
{
    const struct services *all = services_of(s);
    for (size_t i = 0; i < all->n; i++) {
        const struct service_run *r = &all->of[i];
        const struct serving_figures *f = &r->total;
        double off = f->arrived - f->served - f->dropped - f->unfinished, of_intervals = f->arrived - r->arrived;
        double most = r->service.mode == SERVICE_REQUESTS ? 0 : 1e-9 * fmax(1, f->arrived);
        if (!(fabs(off) <= most && fabs(of_intervals) <= most))
            return error_set(err, "an identity is broken, please report it: requests of service %s: %.17g came, %.17g in its intervals; "
                             "%.17g were served, %.17g dropped, %.17g unfinished", r->service.name, f->arrived, r->arrived, f->served,
                             f->dropped, f->unfinished);
        if (r->by_group.n && check_groups(r, err))
            return -1;
    }
    return 0;
}

const struct run_model services_model = {
    .place = PLACE_OF(services_model),
    .name = "services", .summary = "inference services: requests, replicas, autoscalers",
    .wanted = services_wanted, .begin = services_begin, .free = services_free,
    .placed = services_placed, .start_up = services_start_up, .keeps = services_keeps, .left = services_left, .paced = services_paced,
    .due = services_due, .remark_name = "services-that-never-began", .remark = never_began,
    .events = 1u << EVENT_SERVICE, .happens = services_happens,
    .last = services_last, .check = services_check, .drawn_name = "requests_drawn", .drawn = services_drawn,
    .file = "services", .file_columns = service_columns, .file_row = service_row,
    .node_columns = service_node_columns, .node_row = service_node_row,
    .metrics = services_metrics, .summarise = services_summarise,
};
