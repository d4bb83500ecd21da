/* faults.c - nodes, leaf switches and jobs fail when their streams say so, and nodes are drained by the calendar. Section `failures`;
 * models.md 8; the laws: sim/models/failures.h.
 *
 * Every source of trouble has a number, which is the subject of its events: nodes, leaf switches, given faults, planned outages,
 * cordons of nodes, network links of nodes, hosts of nodes, jobs. Each source goes its own way; a node is out of service while any source has it out. A node or switch
 * draws its next failure when it is repaired. A job's software fails each time it has run through another Exp(1) of its hazard. */
#include "sim/engine/interruption.h"
#include "sim/engine/jobs.h"
#include "sim/engine/nodes.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/state.h"
#include "sim/physics/failures/faults_summary.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/placements.h"

#include <stdio.h>
#include <stdlib.h>

enum source { OF_NODE, OF_LEAF, GIVEN, PLANNED, CORDON, OF_LINK, OF_HOST, OF_JOB, SOURCES };

struct process { struct fault_stream stream; struct fault next; };    /* next: what happens or is being repaired */
struct hazard {                   /* of a job in its live slot */
    job_id job;                   /* ID_NONE: of none yet */
    uint32_t survived;            /* faults */
    struct random draws;
    double left;                  /* until its software fails: Exp(1) at first */
    int64_t since_ns;
    event_id event;               /* 0: none */
};
struct fault_run {
    const struct failures *law;
    uint32_t first[SOURCES + 1];  /* number of the first of each source */
    struct process *node, *leaf, *link, *host;      /* link, host: NULL if the law has none */
    domain_id *rack;              /* [leaves] */
    bool *draining;               /* [planned] its nodes take no new jobs, and maintenance has not begun */
    int64_t *planned_ns;          /* [planned] when it begins */
    int64_t *recent_ns;           /* [nodes x cordon_faults] the last faults of each, in turn */
    bool *cordoned;               /* [nodes] */
    uint32_t *node_faults;        /* [nodes] */
    uint32_t *job_faults;         /* [n_jobs] */
    struct hazard *hazard;        /* by live slot */
    size_t n_hazards;
    struct fault_counts counts;
};
extern const struct run_model fault_model;

static struct fault_run *faults_of(const struct sched *s)
{
    return model_state(s, &fault_model);
}

static void faults_stopped(struct sched *s, const struct live *l, unsigned cause)
{
    struct fault_run *r = faults_of(s);
    if (cause != CAUSE_RECLAIM && fault_counts_stopped(&r->counts, request_gpu_milli(ask_of(s, l->job)), cause))
        r->job_faults[l->job]++;
}

/* ---- Columns and metrics ---- */

static const char *const fault_node_columns[] = { "faults", "fault_gpu_s", "down_gpu_s", NULL };
static const char *const fault_job_columns[] = { "failures", NULL };

static void gpu_s(struct output *o, int128_t milli_ns)
{
    out_char(o, ',');
    out_wide_seconds(o, milli_ns / MILLI_ALL);
}

static void fault_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_integer(o, faults_of(s)->node_faults[n]);
    gpu_s(o, s->ledger.node_account[ACCOUNT_FAULT][n]);
    gpu_s(o, s->ledger.node_account[ACCOUNT_DOWN][n]);
}

static void fault_job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_integer(o, faults_of(s)->job_faults[j]);
}

static void fault_summarise(struct summary_builder *b)
{
    fault_counts_put(b, &faults_of(b->s)->counts);
}

static int fault_check(struct sched *s, struct error *err)
{
    int128_t down = 0;
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        int128_t free = (int128_t)(s->now_ns - s->totals.first_ns) * cluster_node_milli(s->cluster, n);
        for (unsigned a = 0; a < ACCOUNTS; a++)
            free -= s->ledger.node_account[a][n];
        down += s->ledger.node_account[ACCOUNT_DOWN][n];
        if (free < 0)
            return error_set(err, "an identity is broken, please report it: node %u is held and down for longer than there is time", n);
    }
    if (down != s->totals.account[ACCOUNT_DOWN])
        return error_set(err, "an identity is broken, please report it: GPU-seconds down, by node and in all");
    return 0;
}

static bool wanted(const struct sched *s)
{
    return s->cluster->failures && failures_happen(s->cluster->failures);
}

/* ---- Events ---- */

static bool in_time(const struct sched *s, int64_t after_ns)
{
    return after_ns < TIME_NEVER - s->now_ns;
}

/* Faults to come are no reason to continue the run: no wait ends by them alone. */
static event_id push_fault(struct sched *s, uint32_t number, int64_t at_ns)
{
    run_background(s, 1);
    return event_queue_push(s->events, (struct event){ at_ns, EVENT_FAULT, number });
}

static void push_next(struct sched *s, uint32_t number, const struct process *p)
{
    if (in_time(s, p->next.after_ns))
        push_fault(s, number, s->now_ns + p->next.after_ns);
}

static void push_repair(struct sched *s, uint32_t number, int64_t after_ns)
{
    event_queue_push(s->events, (struct event){ in_time(s, after_ns) ? s->now_ns + after_ns : TIME_NEVER - 1, EVENT_REPAIR, number });
}

static void plan_next(struct sched *s, uint32_t number, struct process *p)
{
    p->next = failures_draw(faults_of(s)->law, &p->stream);
    push_next(s, number, p);
}

/* Of a link or host. */
static void plan_plain(struct sched *s, uint32_t number, struct process *p)
{
    p->next = failures_draw_plain(faults_of(s)->law, &p->stream);
    push_next(s, number, p);
}

/* ---- Nodes ---- */

static void log_node(const struct sched *s, const char *kind, node_id n, uint32_t gpu, const char *why)
{
    char what[64];
    if (gpu == ID_NONE)
        snprintf(what, sizeof what, "node %u", n);
    else
        snprintf(what, sizeof what, "node %u GPU %u", n, gpu);
    decision_log(s, ID_NONE, kind, what, why);
}

static void cordon_if_often(struct sched *s, node_id n)
{
    struct fault_run *r = faults_of(s);
    uint32_t k = r->law->cordon_faults;
    if (!k || r->cordoned[n] || r->node_faults[n] < k)
        return;
    int64_t oldest_ns = r->recent_ns[(size_t)n * k + r->node_faults[n] % k];
    if (s->now_ns - oldest_ns > r->law->cordon_within_ns)
        return;
    r->cordoned[n] = true;
    r->counts.cordons++;
    node_goes(s, n);
    log_node(s, "cordon", n, ID_NONE, "");
    push_repair(s, r->first[CORDON] + n, r->law->cordon_ns);
}

static void node_fails(struct sched *s, node_id n, uint32_t gpu, enum fault_cause cause, int64_t detection_ns)
{
    struct fault_run *r = faults_of(s);
    if (r->law->cordon_faults)
        r->recent_ns[(size_t)n * r->law->cordon_faults + r->node_faults[n] % r->law->cordon_faults] = s->now_ns;
    r->node_faults[n]++;
    r->counts.of_nodes++;
    log_node(s, "fault", n, gpu, fault_cause_name[cause]);
    if (gpu == ID_NONE)
        node_goes(s, n);
    else
        gpu_goes(s, n, gpu);
    interrupt_nodes(s, &(struct interruption){ cause, n, n + 1, gpu == ID_NONE ? 0 : UINT64_C(1) << gpu, detection_ns });
    cordon_if_often(s, n);
}

static void node_returns(struct sched *s, node_id n, uint32_t gpu)
{
    log_node(s, "repair", n, gpu, "");
    if (gpu == ID_NONE)
        node_comes(s, n);
    else
        gpu_comes(s, n, gpu);
}

/* The GPU that fails; ID_NONE: the node. A counted node, or one with GPUs that are cut as jobs ask, fails as a whole. */
static uint32_t failed_gpu(const struct sched *s, node_id n, const struct fault *f)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    return faults_of(s)->law->gpu_scope && fault_is_of_gpu(f->cause) && !t->counted && !t->mig_dynamic ? (uint32_t)(f->gpu_u * t->gpus) : ID_NONE;
}

static void leaf_fails(struct sched *s, domain_id rack, int64_t detection_ns)
{
    const struct domain *d = &s->cluster->domain[rack];
    faults_of(s)->counts.of_leaves++;
    log_node(s, "fault", d->first, ID_NONE, "switch");
    for (node_id n = d->first; n < d->end; n++)
        node_goes(s, n);
    interrupt_nodes(s, &(struct interruption){ FAULT_SWITCH, d->first, d->end, 0, detection_ns });
}

/* What runs on the node stops; the node is back at once. */
static void link_fails(struct sched *s, node_id n, int64_t detection_ns)
{
    faults_of(s)->counts.of_links++;
    log_node(s, "fault", n, ID_NONE, fault_cause_name[FAULT_NETWORK]);
    node_goes(s, n);
    interrupt_nodes(s, &(struct interruption){ FAULT_NETWORK, n, n + 1, 0, detection_ns });
    node_returns(s, n, ID_NONE);
}

static void leaf_returns(struct sched *s, domain_id rack)
{
    const struct domain *d = &s->cluster->domain[rack];
    log_node(s, "repair", d->first, ID_NONE, "switch");
    for (node_id n = d->first; n < d->end; n++)
        node_comes(s, n);
}

/* ---- Planned outages ---- */

/* Its next time that is not over; none: no event. */
static void plan_outage(struct sched *s, uint32_t k)
{
    struct fault_run *r = faults_of(s);
    const struct closure *when = &r->law->planned[k].when;
    int64_t from_ns = when->from_ns + closure_later_ns(when, s->now_ns), at_ns = from_ns - when->drain_ns;
    r->planned_ns[k] = from_ns;
    if (closure_end_ns(when, s->now_ns) > s->now_ns)
        push_fault(s, r->first[PLANNED] + k, at_ns > s->now_ns ? at_ns : s->now_ns);
}

static void outage(struct sched *s, uint32_t k)
{
    struct fault_run *r = faults_of(s);
    const struct planned_outage *o = &r->law->planned[k];
    bool begins = s->now_ns >= r->planned_ns[k];
    if (!r->draining[k])
        for (node_id n = o->first; n < o->end; n++) {
            log_node(s, begins && !o->when.keeps ? "maintenance" : "drain", n, ID_NONE, "");
            node_goes(s, n);
        }
    interrupt_nodes(s, &(struct interruption){ begins && !o->when.keeps ? CAUSE_MAINTENANCE : CAUSE_DRAIN, o->first, o->end, 0, 0 });
    r->draining[k] = !begins;
    if (!begins) {                /* jobs that wait for the nodes wait for this, too */
        event_queue_push(s->events, (struct event){ r->planned_ns[k], EVENT_FAULT, r->first[PLANNED] + k });
    } else {
        push_repair(s, r->first[PLANNED] + k, closure_end_ns(&o->when, s->now_ns) - s->now_ns);
    }
}

static void outage_over(struct sched *s, uint32_t k)
{
    const struct planned_outage *o = &faults_of(s)->law->planned[k];
    for (node_id n = o->first; n < o->end; n++)
        node_returns(s, n, ID_NONE);
    if (o->when.every_ns)
        plan_outage(s, k);
}

/* ---- What happens ---- */

static enum source source_of(const struct fault_run *r, uint32_t *number)
{
    unsigned source = 0;
    while (*number >= r->first[source + 1])
        source++;
    *number -= r->first[source];
    return source;
}

static void software_fails(struct sched *s, job_id j)
{
    struct live *l = live_of(s, j);
    struct hazard *h = &faults_of(s)->hazard[l - s->live];
    h->event = 0;
    h->left += failures_hazard(&h->draws);           /* job_left() takes what is used up */
    interrupt_job(s, l, &(struct interruption){ .cause = FAULT_SOFTWARE,
                                       .detection_ns = failures_detection_ns(faults_of(s)->law, &h->draws) });
}

static void fault_happens(struct sched *s, uint32_t number)
{
    struct fault_run *r = faults_of(s);
    uint32_t k = number;
    enum source source = source_of(r, &k);
    run_background(s, -(!(source == PLANNED && r->draining[k])));
    switch (source) {
    case OF_NODE:
        node_fails(s, k, failed_gpu(s, k, &r->node[k].next), r->node[k].next.cause, r->node[k].next.detection_ns);
        push_repair(s, number, r->node[k].next.repair_ns);
        break;
    case OF_LEAF:
        leaf_fails(s, r->rack[k], r->leaf[k].next.detection_ns);
        push_repair(s, number, r->law->switch_repair_ns);
        break;
    case GIVEN: {
        const struct given_fault *g = &r->law->given[k];
        if (g->cause == FAULT_SWITCH)
            leaf_fails(s, cluster_domain_at(s->cluster, g->node, LEVEL_RACK), g->detection_ns);
        else
            node_fails(s, g->node, g->gpu, g->cause, g->detection_ns);
        push_repair(s, number, g->at_ns + g->repair_ns - s->now_ns);
        break;
    }
    case PLANNED:
        outage(s, k);
        break;
    case OF_LINK:
        link_fails(s, k, r->link[k].next.detection_ns);
        plan_plain(s, number, &r->link[k]);
        break;
    case OF_HOST:
        node_fails(s, k, ID_NONE, FAULT_HOST, r->host[k].next.detection_ns);
        push_repair(s, number, r->law->host_repair_ns);
        break;
    default:
        software_fails(s, k);
    }
    run_changed(s);
}

static void repair_happens(struct sched *s, uint32_t number)
{
    struct fault_run *r = faults_of(s);
    uint32_t k = number;
    switch (source_of(r, &k)) {
    case OF_NODE:
        node_returns(s, k, failed_gpu(s, k, &r->node[k].next));
        plan_next(s, number, &r->node[k]);
        break;
    case OF_LEAF:
        leaf_returns(s, r->rack[k]);
        plan_next(s, number, &r->leaf[k]);
        break;
    case GIVEN:
        if (r->law->given[k].cause == FAULT_SWITCH)
            leaf_returns(s, cluster_domain_at(s->cluster, r->law->given[k].node, LEVEL_RACK));
        else
            node_returns(s, r->law->given[k].node, r->law->given[k].gpu);
        break;
    case PLANNED:
        outage_over(s, k);
        break;
    case OF_HOST:
        node_returns(s, k, ID_NONE);
        plan_plain(s, number, &r->host[k]);
        break;
    default:
        r->cordoned[k] = false;
        node_returns(s, k, ID_NONE);
    }
    run_changed(s);
}

static void happens(struct sched *s, const struct event *e)
{
    (e->kind == EVENT_FAULT ? fault_happens : repair_happens)(s, e->subject);
}

/* ---- Jobs ---- */

static struct hazard *hazard_made(const struct sched *s, struct fault_run *r, const struct live *l)
{
    size_t slot = (size_t)(l - s->live);
    if (slot >= r->n_hazards) {
        r->hazard = mem_resize(r->hazard, live_slots(s), sizeof *r->hazard);
        for (; r->n_hazards < live_slots(s); r->n_hazards++)
            r->hazard[r->n_hazards].job = ID_NONE;
    }
    if (r->hazard[slot].job != l->job) {
        r->hazard[slot] = (struct hazard){ .job = l->job };
        failures_software_stream(s->setup.seed, l->job, &r->hazard[slot].draws);
        r->hazard[slot].left = failures_hazard(&r->hazard[slot].draws);
    }
    return &r->hazard[slot];
}

static void job_placed(struct sched *s, struct live *l)
{
    struct fault_run *r = faults_of(s);
    struct hazard *h = hazard_made(s, r, l);
    double rate = failures_software_rate(r->law, (double)placement_gpu_milli(l->now.held) / MILLI_ALL);
    h->since_ns = s->now_ns;
    int64_t after_ns = rate > 0 ? ns_of_seconds(h->left / rate) : TIME_NEVER;
    h->event = in_time(s, after_ns) ? push_fault(s, r->first[OF_JOB] + l->job, s->now_ns + after_ns) : 0;
}

static void job_left(struct sched *s, struct live *l, const struct placement *from)
{
    struct fault_run *r = faults_of(s);
    struct hazard *h = &r->hazard[l - s->live];
    int64_t gpu_milli = placement_gpu_milli(from);
    double rate = failures_software_rate(r->law, (double)gpu_milli / MILLI_ALL);
    fault_counts_ran(&r->counts, gpu_milli, s->now_ns - h->since_ns);
    h->left -= rate * seconds(s->now_ns - h->since_ns);
    if (h->left <= 0)
        h->left = 1e-12;          /* rounding: it would have failed just now */
    if (h->event && event_queue_cancel(s->events, h->event))
        run_background(s, -1);
    h->event = 0;
}

static bool gives_up(struct sched *s, struct live *l)
{
    struct fault_run *r = faults_of(s);
    struct hazard *h = &r->hazard[l - s->live];
    r->counts.given_up += h->survived >= r->law->max_retries;
    return h->survived++ >= r->law->max_retries;
}

/* A job on demand begins anew when it is submitted again. */
static void job_gone(struct sched *s, job_id j)
{
    struct fault_run *r = faults_of(s);
    uint32_t slot = job_slot(s, j);
    if (slot != ID_NONE && slot < r->n_hazards)
        r->hazard[slot].job = ID_NONE;
}

/* ---- Beginning and end ---- */

static void number_sources(const struct sched *s, struct fault_run *r)
{
    const struct cluster *c = s->cluster;
    uint32_t leaves = 0;
    for (domain_id d = 0; d < c->n_domains; d++)
        if (c->domain[d].level == LEVEL_RACK)
            r->rack[leaves++] = d;
    const uint32_t n[SOURCES] = { c->n_nodes, leaves, r->law->n_given, r->law->n_planned, c->n_nodes, r->law->network_faults_per_day > 0 ? c->n_nodes : 0,
                                  r->law->host_faults_per_day > 0 ? c->n_nodes : 0, s->n_jobs };
    for (unsigned source = 0; source < SOURCES; source++) {
        MUST(s, n[source] <= UINT32_MAX - r->first[source]);
        r->first[source + 1] = r->first[source] + n[source];
    }
}

typedef void stream_of(const struct failures *f, uint64_t seed, uint32_t node, uint32_t gpus, struct fault_stream *to);

/* Processes of links or hosts; NULL: there are none. */
static struct process *plain_begin(struct sched *s, struct fault_run *r, enum source source, stream_of *stream)
{
    const struct cluster *c = s->cluster;
    uint32_t n = r->first[source + 1] - r->first[source];
    struct process *p = n ? mem_new(n, sizeof *p) : NULL;
    for (node_id k = 0; k < n; k++) {
        stream(r->law, s->setup.seed, k, c->group_gpus[c->group_of[k]], &p[k].stream);
        plan_plain(s, r->first[source] + k, &p[k]);
    }
    return p;
}

static void begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    const struct failures *law = c->failures;
    struct fault_run *r = mem_new(1, sizeof *r);
    model_state_set(s, &fault_model, r);
    r->law = r->counts.law = law;
    r->rack = mem_new(c->n_domains + (size_t)1, sizeof *r->rack);
    number_sources(s, r);
    uint32_t leaves = r->first[OF_LEAF + 1] - r->first[OF_LEAF];
    r->node = mem_new(c->n_nodes, sizeof *r->node);
    r->leaf = mem_new(leaves + (size_t)1, sizeof *r->leaf);
    r->draining = mem_new(law->n_planned + (size_t)1, sizeof *r->draining);
    r->planned_ns = mem_new(law->n_planned + (size_t)1, sizeof *r->planned_ns);
    r->recent_ns = mem_new((size_t)c->n_nodes * law->cordon_faults + 1, sizeof *r->recent_ns);
    r->cordoned = mem_new(c->n_nodes, sizeof *r->cordoned);
    r->node_faults = mem_new(c->n_nodes, sizeof *r->node_faults);
    r->job_faults = mem_new(s->n_jobs, sizeof *r->job_faults);
    nodes_begin(s);
    for (node_id n = 0; n < c->n_nodes; n++) {
        failures_node_stream(law, s->setup.seed, n, c->group_gpus[c->group_of[n]], &r->node[n].stream);
        plan_next(s, n, &r->node[n]);
    }
    for (uint32_t k = 0; k < leaves; k++) {
        failures_switch_stream(law, s->setup.seed, k, &r->leaf[k].stream);
        plan_next(s, r->first[OF_LEAF] + k, &r->leaf[k]);
    }
    r->link = plain_begin(s, r, OF_LINK, failures_network_stream);
    r->host = plain_begin(s, r, OF_HOST, failures_host_stream);
    for (uint32_t k = 0; k < law->n_given; k++)
        if (law->given[k].at_ns + law->given[k].repair_ns > s->now_ns)
            push_fault(s, r->first[GIVEN] + k, law->given[k].at_ns > s->now_ns ? law->given[k].at_ns : s->now_ns);
    for (uint32_t k = 0; k < law->n_planned; k++)
        plan_outage(s, k);
}

static void end_of(struct sched *s)
{
    nodes_end(s);
}

static void free_of(struct sched *s)
{
    struct fault_run *r = faults_of(s);
    void *const own[] = { r->node, r->leaf, r->link, r->host, r->rack, r->draining, r->planned_ns, r->recent_ns, r->cordoned, r->node_faults,
                          r->job_faults, r->hazard };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
    free(r);
}

static const char *unsaved_of(const struct sched *s)
{
    const struct fault_run *r = faults_of(s);
    if (failures_of_parts(r->law))
        return "what is out of service, and what fails next";
    for (size_t i = 0; r->law->max_retries < INT64_MAX && i < r->n_hazards; i++)
        if (r->hazard[i].job != ID_NONE && r->hazard[i].survived &&
            s->job[r->hazard[i].job].state != JOB_GONE)
            return "how many failures jobs have survived, for 'max_retries'";
    return NULL;
}

const struct run_model fault_model = {
    .place = PLACE_OF(fault_model),
    .unsaved_of = unsaved_of,
    .name = "failures",
    .summary = "nodes, GPUs, leaf switches and jobs fail and are repaired; maintenance, drains, cordons",
    .wanted = wanted,
    .interrupted = faults_stopped,
    .gives_up = gives_up,
    .gone = job_gone,
    .begin = begin,
    .free = free_of,
    .placed = job_placed,
    .left = job_left,
    .events = 1u << EVENT_FAULT | 1u << EVENT_REPAIR,
    .happens = happens,
    .end = end_of,
    .check = fault_check,
    .job_columns = fault_job_columns,
    .node_columns = fault_node_columns,
    .job_row = fault_job_row,
    .node_row = fault_node_row,
    .metrics = fault_metrics,
    .summarise = fault_summarise,
};
