/* faults.c - see faults.h: nodes, leaf switches and jobs fail when their streams say so, nodes are drained by the calendar.
 *
 * Every source of trouble has a number, which is the subject of its events: nodes, leaf switches, given faults, planned
 * outages, cordons of nodes, jobs. Each goes its way by itself; a node is out while any of them wants it so. A node or switch
 * fails for the next time after its repair. */
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/placements.h"
#include "sim/physics/fault_run.h"
#include "sim/engine/nodes.h"

#include <stdio.h>
#include <stdlib.h>

static bool wanted(const struct sched *s)
{
    return s->cluster->failures && failures_happen(s->cluster->failures);
}

/* ---- Events ---- */

static bool in_time(const struct sched *s, int64_t after_ns)
{
    return after_ns < TIME_NEVER - s->now_ns;
}

/* Faults to come are no reason to go on: by themselves they help nobody who waits. */
static event_id push_fault(struct sched *s, uint32_t number, int64_t at_ns)
{
    run_background(s, 1);
    return event_queue_push(s->events, (struct event){ at_ns, EVENT_FAULT, number });
}

static void push_repair(struct sched *s, uint32_t number, int64_t after_ns)
{
    event_queue_push(s->events, (struct event){ in_time(s, after_ns) ? s->now_ns + after_ns : TIME_NEVER - 1, EVENT_REPAIR, number });
}

static void plan_next(struct sched *s, uint32_t number, struct process *p)
{
    p->next = failures_draw(s->faults->law, &p->stream);
    if (in_time(s, p->next.after_ns))
        push_fault(s, number, s->now_ns + p->next.after_ns);
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
    struct fault_run *r = s->faults;
    uint32_t k = r->law->cordon_faults;
    if (!k || r->cordoned[n] || r->node_faults[n] < k)
        return;
    int64_t oldest_ns = r->recent_ns[(size_t)n * k + r->node_faults[n] % k];
    if (s->now_ns - oldest_ns > r->law->cordon_within_ns)
        return;
    r->cordoned[n] = true;
    r->cordons++;
    node_goes(s, n);
    log_node(s, "cordon", n, ID_NONE, "");
    push_repair(s, r->first[CORDON] + n, r->law->cordon_ns);
}

static void node_fails(struct sched *s, node_id n, uint32_t gpu, enum fault_cause cause, int64_t detection_ns)
{
    struct fault_run *r = s->faults;
    if (r->law->cordon_faults)
        r->recent_ns[(size_t)n * r->law->cordon_faults + r->node_faults[n] % r->law->cordon_faults] = s->now_ns;
    r->node_faults[n]++;
    r->of_nodes++;
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

/* The GPU of a fault that is scoped to it; of a counted node all of it fails, and of one whose GPUs are cut as jobs ask. */
static uint32_t struck_gpu(const struct sched *s, node_id n, const struct fault *f)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    return s->faults->law->gpu_scope && fault_is_of_gpu(f->cause) && !t->counted && !t->mig_dynamic ? (uint32_t)(f->gpu_u * t->gpus) : ID_NONE;
}

static void leaf_fails(struct sched *s, domain_id rack, int64_t detection_ns)
{
    const struct domain *d = &s->cluster->domain[rack];
    s->faults->of_leaves++;
    log_node(s, "fault", d->first, ID_NONE, "switch");
    for (node_id n = d->first; n < d->end; n++)
        node_goes(s, n);
    interrupt_nodes(s, &(struct interruption){ FAULT_SWITCH, d->first, d->end, 0, detection_ns });
}

static void leaf_returns(struct sched *s, domain_id rack)
{
    const struct domain *d = &s->cluster->domain[rack];
    log_node(s, "repair", d->first, ID_NONE, "switch");
    for (node_id n = d->first; n < d->end; n++)
        node_comes(s, n);
}

/* ---- Planned outages ---- */

/* The next time from now on that is not over; nothing if there is none. */
static void plan_outage(struct sched *s, uint32_t k)
{
    struct fault_run *r = s->faults;
    const struct planned_outage *o = &r->law->planned[k];
    int64_t lasts_ns = o->until_ns - o->from_ns, from_ns = r->planned_ns[k];
    if (o->every_ns && from_ns + lasts_ns <= s->now_ns)
        from_ns += ((s->now_ns - from_ns - lasts_ns) / o->every_ns + 1) * o->every_ns;
    r->planned_ns[k] = from_ns;
    int64_t at_ns = from_ns - o->drain_ns;
    if (from_ns + lasts_ns > s->now_ns)
        push_fault(s, r->first[PLANNED] + k, at_ns > s->now_ns ? at_ns : s->now_ns);
}

static void outage(struct sched *s, uint32_t k)
{
    struct fault_run *r = s->faults;
    const struct planned_outage *o = &r->law->planned[k];
    bool begins = s->now_ns >= r->planned_ns[k];
    if (!r->draining[k])
        for (node_id n = o->first; n < o->end; n++) {
            log_node(s, begins ? "maintenance" : "drain", n, ID_NONE, "");
            node_goes(s, n);
        }
    interrupt_nodes(s, &(struct interruption){ begins ? CAUSE_MAINTENANCE : CAUSE_DRAIN, o->first, o->end, 0, 0 });
    r->draining[k] = !begins;
    if (!begins) {                /* who waits for the nodes waits for this, too */
        event_queue_push(s->events, (struct event){ r->planned_ns[k], EVENT_FAULT, r->first[PLANNED] + k });
    } else {
        push_repair(s, r->first[PLANNED] + k, r->planned_ns[k] + o->until_ns - o->from_ns - s->now_ns);
    }
}

static void outage_over(struct sched *s, uint32_t k)
{
    const struct planned_outage *o = &s->faults->law->planned[k];
    for (node_id n = o->first; n < o->end; n++)
        node_returns(s, n, ID_NONE);
    if (!o->every_ns)
        return;
    s->faults->planned_ns[k] += o->every_ns;
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
    l->software_event = 0;
    l->hazard_left += failures_hazard(&l->software_draws);    /* what is used up goes in job_left() */
    interrupt_job(s, l, &(struct interruption){ .cause = FAULT_SOFTWARE,
                                       .detection_ns = failures_detection_ns(s->faults->law, &l->software_draws) });
}

static void fault_happens(struct sched *s, uint32_t number)
{
    struct fault_run *r = s->faults;
    uint32_t k = number;
    enum source source = source_of(r, &k);
    run_background(s, -(!(source == PLANNED && r->draining[k])));
    switch (source) {
    case OF_NODE:
        node_fails(s, k, struck_gpu(s, k, &r->node[k].next), r->node[k].next.cause, r->node[k].next.detection_ns);
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
    default:
        software_fails(s, k);
    }
    run_changed(s);
}

static void repair_happens(struct sched *s, uint32_t number)
{
    struct fault_run *r = s->faults;
    uint32_t k = number;
    switch (source_of(r, &k)) {
    case OF_NODE:
        node_returns(s, k, struck_gpu(s, k, &r->node[k].next));
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

static void job_placed(struct sched *s, struct live *l)
{
    const struct fault_run *r = s->faults;
    double rate = failures_software_rate(r->law, (double)placement_gpu_milli(l->now.held) / MILLI_ALL);
    if (l->hazard_left <= 0) {
        failures_software_stream(s->setup.seed, l->job, &l->software_draws);
        l->hazard_left = failures_hazard(&l->software_draws);
    }
    l->hazard_since_ns = s->now_ns;
    int64_t after_ns = rate > 0 ? ns_of_seconds(l->hazard_left / rate) : TIME_NEVER;
    l->software_event = in_time(s, after_ns) ? push_fault(s, r->first[OF_JOB] + l->job, s->now_ns + after_ns) : 0;
}

static void job_left(struct sched *s, struct live *l, const struct placement *from)
{
    int64_t gpu_milli = placement_gpu_milli(from);
    double rate = failures_software_rate(s->faults->law, (double)gpu_milli / MILLI_ALL);
    faults_ran(s->faults, gpu_milli, s->now_ns - l->hazard_since_ns);
    l->hazard_left -= rate * seconds(s->now_ns - l->hazard_since_ns);
    if (l->hazard_left <= 0)
        l->hazard_left = 1e-12;    /* rounding: it would have failed just now */
    if (l->software_event && event_queue_cancel(s->events, l->software_event))
        run_background(s, -1);
    l->software_event = 0;
}

static bool gives_up(struct sched *s, struct live *l)
{
    if (l->faults >= s->faults->law->max_retries)
        s->faults->given_up++;
    return l->faults++ >= s->faults->law->max_retries;
}

/* ---- Beginning and end ---- */

static void number_sources(const struct sched *s, struct fault_run *r)
{
    const struct cluster *c = s->cluster;
    uint32_t leaves = 0;
    for (domain_id d = 0; d < c->n_domains; d++)
        if (c->domain[d].level == LEVEL_RACK)
            r->rack[leaves++] = d;
    const uint32_t n[SOURCES] = { c->n_nodes, leaves, r->law->n_given, r->law->n_planned, c->n_nodes, s->n_jobs };
    for (unsigned source = 0; source < SOURCES; source++) {
        MUST(s, n[source] <= UINT32_MAX - r->first[source]);
        r->first[source + 1] = r->first[source] + n[source];
    }
}

static void begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    const struct failures *law = c->failures;
    struct fault_run *r = s->faults = mem_new(1, sizeof *r);
    r->law = law;
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
    for (uint32_t k = 0; k < law->n_given; k++)
        if (law->given[k].at_ns + law->given[k].repair_ns > s->now_ns)
            push_fault(s, r->first[GIVEN] + k, law->given[k].at_ns > s->now_ns ? law->given[k].at_ns : s->now_ns);
    for (uint32_t k = 0; k < law->n_planned; k++) {
        r->planned_ns[k] = law->planned[k].from_ns;
        plan_outage(s, k);
    }
}

static void end_of(struct sched *s)
{
    nodes_end(s);
}

static void free_of(struct sched *s)
{
    struct fault_run *r = s->faults;
    void *const own[] = { r->node, r->leaf, r->rack, r->draining, r->planned_ns, r->recent_ns, r->cordoned, r->node_faults,
                          r->job_faults };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
    free(r);
}

const struct run_model fault_model = {
    .unsaved = "what is out of service, and what fails next",
    .name = "failures",
    .summary = "nodes, GPUs, leaf switches and jobs fail and are repaired; maintenance, drains, cordons",
    .wanted = wanted,
    .interrupted = faults_stopped,
    .gives_up = gives_up,
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
