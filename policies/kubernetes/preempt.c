/* preempt.c - default preemption: one node is freed for one pod; bound pods and nominations.
 *
 * After kubernetes/kubernetes:pkg/scheduler/framework/preemption/preemption.go and
 * plugins/defaultpreemption. On each node that removing pods of lower priority could cure all of
 * them are removed from a copy of its state, and put back while the pod still fits: first those
 * that would break a disruption budget if evicted, then the others, each the most important first;
 * those that are left are victims. A tenth of the nodes, at least 100, is tried, and more until one
 * breaks no budget. Of the nodes: the fewest broken budgets, then the lowest highest priority of a
 * victim, the smallest sum of priorities, the fewest victims, the latest start among the earliest
 * of the most important ones, the first. Pods that may not be preempted are no victims. Pods of
 * lower priority that are nominated for the node are so no longer.
 *
 * A disruption budget is of the pods of one job (maxUnavailable): of n pods, h of them bound,
 * h - (n - maxUnavailable) may be evicted; of more victims the less important ones break it. */
#include "policies/kubernetes/pods.h"
#include "sim/contract/util/array.h"

#include <stdlib.h>
#include <string.h>

enum { TRIED_LEAST = 100, GPUS_NAMED = 64 };

/* ---- Bound pods, by node and by job; nominations ---- */

void kube_pod_bound(struct sched *s, struct kube *k, job_id j, uint32_t task, node_id n,
                    int64_t since_ns)
{
    struct kube_job *own = job_own(s, j);
    uint32_t i = k->free_pod;
    if (i != ID_NONE) {
        k->free_pod = k->pod[i].after;
    } else {
        k->pod = array_grown(sched_alloc, s, k->pod, &k->pod_capacity, k->n_pods, sizeof *k->pod);
        i = (uint32_t)k->n_pods++;
    }
    k->pod[i] = (struct pod){ j, task, n, since_ns, false, own->first_pod, k->on_node[n], ID_NONE };
    if (k->on_node[n] != ID_NONE)
        k->pod[k->on_node[n]].before = i;
    k->on_node[n] = own->first_pod = i;
}

void kube_pod_gone(struct kube *k, uint32_t i)
{
    struct pod *p = &k->pod[i];
    if (p->after != ID_NONE)
        k->pod[p->after].before = p->before;
    if (p->before != ID_NONE)
        k->pod[p->before].after = p->after;
    else
        k->on_node[p->node] = p->after;
    p->after = k->free_pod;
    k->free_pod = i;
}

static void kube_pod_stopped(struct sched *s, struct kube *k, job_id j, uint32_t task)
{
    struct kube_job *own = job_own(s, j);
    uint32_t *link = &own->first_pod;
    while (k->pod[*link].task != task)
        link = &k->pod[*link].of_job;
    uint32_t i = *link;
    *link = k->pod[i].of_job;
    kube_pod_gone(k, i);
    /* its controller makes it again; stale if the job arrives again */
    queue_enter(s, &k->queue, j, task, own->epoch);
}

void kube_forget_nomination(struct kube *k, job_id j, uint32_t task)
{
    size_t kept = 0;
    for (size_t i = 0; i < k->n_nominations; i++)
        if (k->nomination[i].job != j || (task != ALL_PODS && k->nomination[i].task != task))
            k->nomination[kept++] = k->nomination[i];
    if (kept < k->n_nominations) {
        k->seen = UINT64_MAX;
        k->round++;
    }
    k->n_nominations = kept;
}

/* ---- A simulated node ---- */

struct node_state {               /* what is free on a node as pods are removed and put back */
    uint32_t free_milli[GPUS_NAMED];
    uint64_t named;               /* mask of the GPUs with names that the pod may use */
    int64_t counted;              /* free GPUs without names */
    int64_t cpu_milli, mem_mib;   /* INT64_MAX: not modelled */
    int64_t kept;                 /* whole GPUs for which other pods are nominated */
};

static struct node_state node_state_of(const struct view *v, const struct request *pod, node_id n)
{
    struct node_free f = view_node(v, n);
    struct node_state t = { .counted = f.whole_mask ? 0 : f.whole,
                            .cpu_milli = f.cpu_milli,
                            .mem_mib = f.mem_mib };
    bool named = f.capacity > 0 && f.capacity <= GPUS_NAMED;
    t.named = named ? f.capacity == GPUS_NAMED ? UINT64_MAX : (UINT64_C(1) << f.capacity) - 1 : 0;
    t.named &= view_slots(v, pod, n);
    for (uint64_t m = f.whole_mask | f.shared_mask; m; m &= m - 1)
        t.free_milli[__builtin_ctzll(m)] = view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m));
    return t;
}

/* What is not modelled stays so. */
static void change(int64_t *amount, int64_t by)
{
    if (*amount != INT64_MAX)
        *amount += by;
}

static void state_add_piece(struct node_state *t, const struct piece *p, const struct request *ask,
                            int sign)
{
    struct request pod = kube_pod(ask, p->task);
    change(&t->cpu_milli, sign * pod.cpu_milli);
    change(&t->mem_mib, sign * pod.mem_mib);
    if (!p->gpu_mask)
        t->counted += sign * (int64_t)p->gpus;
    for (uint64_t m = p->gpu_mask; m; m &= m - 1)
        t->free_milli[__builtin_ctzll(m)] += (uint32_t)(sign * (int)p->milli);
}

static bool state_fits(const struct node_state *t, const struct request *pod)
{
    int64_t gpus = t->counted;
    for (uint64_t m = t->named; m; m &= m - 1)
        gpus += t->free_milli[__builtin_ctzll(m)] >= pod->gpu_milli;
    return (!pod->gpus || gpus - t->kept >= pod->gpus) &&
           (!pod->cpu_milli || t->cpu_milli >= pod->cpu_milli) &&
           (!pod->mem_mib || t->mem_mib >= pod->mem_mib);
}

/* ---- Victims ---- */

struct victim {
    uint32_t pod;
    int32_t priority;
    int64_t start_ns;
    job_id job;
    uint32_t task;
    bool violates;                /* its eviction would break a disruption budget */
};

/* The most important first: higher priority, then running longer. */
static int by_importance(const void *a, const void *b)
{
    const struct victim *x = a, *y = b;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

static const struct piece *piece_of(const struct sched *s, const struct victim *v)
{
    return placement_task(job_placement(s, v->job), v->task);
}

/* A pod on n is evicted and has not left yet. */
static bool releasing(const struct sched *s, node_id n)
{
    struct node_free a = view_node(sched_view(s, FREE_IDLE), n),
                     b = view_node(sched_view(s, FREE_OR_RELEASING), n);
    return a.whole != b.whole || a.shared_mask != b.shared_mask || a.cpu_milli != b.cpu_milli ||
           a.mem_mib != b.mem_mib;
}

/* A share comes from the fullest GPU that has it. */
static void keep_share(struct node_state *t, uint32_t milli)
{
    uint32_t *fullest = NULL;
    for (uint64_t m = t->named; m; m &= m - 1) {
        uint32_t *free_milli = &t->free_milli[__builtin_ctzll(m)];
        if (*free_milli >= milli && (!fullest || *free_milli < *fullest))
            fullest = free_milli;
    }
    if (fullest)
        *fullest -= milli;
}

static void keep(struct node_state *t, const struct request *pod)
{
    change(&t->cpu_milli, -pod->cpu_milli);
    change(&t->mem_mib, -pod->mem_mib);
    if (pod->gpu_milli >= MILLI_ALL)
        t->kept += pod->gpus;
    else if (pod->gpus)
        keep_share(t, pod->gpu_milli);
}

/* Keeps what other pods of no lower priority than j are nominated for. */
static void keep_for_nominated(const struct sched *s, const struct kube *k, node_id n, job_id j,
                               const struct request *pod, struct node_state *t)
{
    for (size_t i = 0; i < k->n_nominations; i++) {
        const struct nomination *m = &k->nomination[i];
        if (m->node != n || (m->job == j && m->task == pod->first_task) ||
            m->priority < job_facts(s, j)->priority)
            continue;
        struct request other = kube_pod(job_facts(s, m->job)->ask, m->task);
        /* else it wants none of those that the pod may use */
        other.gpus = other.mig == pod->mig ? other.gpus : 0;
        keep(t, &other);
    }
}

bool kube_fits_beside_nominated(const struct sched *s, const struct kube *k, job_id j,
                                const struct request *pod, node_id n)
{
    struct node_state t = node_state_of(sched_view(s, FREE_IDLE), pod, n);
    keep_for_nominated(s, k, n, j, pod, &t);
    return state_fits(&t, pod);
}

/* Pods of that job that may still be evicted. */
static uint32_t disruptions_allowed(const struct sched *s, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    const struct placement *bound = job_placement(s, j);
    uint32_t pods = kube_pods(f->ask), down = f->max_down - 1;
    uint32_t healthy = !bound ? 0 : f->ask->tasks == SPLIT_ANY ? 1 : (uint32_t)bound->n;
    uint32_t wanted = pods > down ? pods - down : 0;
    return healthy > wanted ? healthy - wanted : 0;
}

/* Of pods in this order. */
static void mark_violations(const struct sched *s, struct victim *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t before = 0;
        for (size_t k = 0; k < i; k++)
            before += list[k].job == list[i].job;
        list[i].violates = job_facts(s, list[i].job)->max_down > 0 &&
                           before >= disruptions_allowed(s, list[i].job);
    }
}

/* One node as it would be for one pod. */
struct dry_run {
    struct sched *s;
    struct kube *k;
    job_id j;
    const struct request *pod;
    node_id n;
    struct node_state node;
    bool speaks;                  /* a pod that may go counts for the rules of pods */
};

static void evict(struct dry_run *d, const struct victim *v, bool evicted)
{
    state_add_piece(&d->node, piece_of(d->s, v), job_facts(d->s, v->job)->ask, evicted ? 1 : -1);
    d->k->pod[v->pod].evicted = evicted;
    d->speaks = d->speaks || job_pods(d->s, v->job);
}

static bool pod_fits(const struct dry_run *d)
{
    return d->node.cpu_milli >= 0 && d->node.mem_mib >= 0 && state_fits(&d->node, d->pod) &&
           (d->speaks ? pods_allow(d->s, d->k, d->j, d->pod, d->n) : !d->k->barred[d->n]);
}

/* Puts back what can stay, of those that violate or of the others; moves the rest to `to`, which
 * may be the list itself. */
static size_t reprieve(struct dry_run *d, const struct victim *list, size_t n, bool violating,
                       struct victim *to)
{
    size_t chosen = 0;
    for (size_t i = 0; i < n; i++) {
        if (list[i].violates != violating)
            continue;
        evict(d, &list[i], false);
        if (pod_fits(d))
            continue;
        evict(d, &list[i], true);
        to[chosen++] = list[i];
    }
    return chosen;
}

/* Pods of lower priority on the node. */
static size_t lower_pods(const struct dry_run *d, struct victim *list)
{
    const struct kube *k = d->k;
    size_t lower = 0;
    for (uint32_t i = k->on_node[d->n]; i != ID_NONE; i = k->pod[i].after) {
        const struct job_facts *f = job_facts(d->s, k->pod[i].job);
        /* else it left with another pod of its job */
        if (f->priority < job_facts(d->s, d->j)->priority && f->preemptible &&
            kube_holds(d->s, k->pod[i].job, k->pod[i].task))
            list[lower++] = (struct victim){ i, f->priority, k->pod[i].since_ns, k->pod[i].job,
                                             k->pod[i].task, false };
    }
    return lower;
}

/* Victims on n, the most important first; 0: none are needed or none suffice. list, [2 * pods]:
 * scratch. */
static size_t victims_on(struct sched *s, struct kube *k, job_id j, const struct request *pod,
                         node_id n, struct victim *list)
{
    struct dry_run d = { s, k, j, pod, n, node_state_of(sched_view(s, FREE_IDLE), pod, n), false };
    if (!releasing(s, n))
        keep_for_nominated(s, k, n, j, pod, &d.node);
    size_t lower = lower_pods(&d, list), chosen = 0;
    struct victim *left = list + lower;
    for (size_t i = 0; i < lower; i++)
        evict(&d, &list[i], true);
    if (lower && pod_fits(&d)) {
        qsort(list, lower, sizeof *list, by_importance);
        mark_violations(s, list, lower);
        chosen = reprieve(&d, list, lower, true, left);
        chosen += reprieve(&d, list, lower, false, left + chosen);
    }
    for (size_t i = 0; i < lower; i++)
        k->pod[list[i].pod].evicted = false;
    memmove(list, left, chosen * sizeof *list);
    qsort(list, chosen, sizeof *list, by_importance);
    return chosen;
}

struct option {
    node_id node;
    size_t victims, violations;
    int32_t highest;
    int64_t sum, earliest_ns;
};

static struct option option_of(node_id n, const struct victim *list, size_t victims)
{
    struct option o = { n, victims, 0, list[0].priority, 0, list[0].start_ns };
    for (size_t i = 0; i < victims; i++) {
        o.sum += (int64_t)list[i].priority - INT32_MIN;
        o.violations += list[i].violates;
    }
    return o;
}

static bool better(const struct option *a, const struct option *b)
{
    if (a->violations != b->violations)
        return a->violations < b->violations;
    if (a->highest != b->highest)
        return a->highest < b->highest;
    if (a->sum != b->sum)
        return a->sum < b->sum;
    if (a->victims != b->victims)
        return a->victims < b->victims;
    return a->earliest_ns > b->earliest_ns;
}

const struct nomination *kube_nominated(const struct kube *k, job_id j, uint32_t task)
{
    for (size_t i = 0; i < k->n_nominations; i++)
        if (k->nomination[i].job == j && k->nomination[i].task == task)
            return &k->nomination[i];
    return NULL;
}

bool kube_awaits_victims(const struct sched *s, const struct kube *k, job_id j, uint32_t task)
{
    const struct nomination *m = kube_nominated(k, j, task);
    return m && releasing(s, m->node);
}

/* Pods of lower priority may no longer fit there: they look for a node anew. */
static void forget_lower(struct kube *k, node_id n, int32_t priority)
{
    for (size_t i = k->n_nominations; i-- > 0;)
        if (k->nomination[i].node == n && k->nomination[i].priority < priority)
            kube_forget_nomination(k, k->nomination[i].job, k->nomination[i].task);
}

static void nominate(struct sched *s, struct kube *k, job_id j, uint32_t task, node_id n)
{
    forget_lower(k, n, job_facts(s, j)->priority);
    k->nomination = array_grown(sched_alloc, s, k->nomination, &k->nomination_capacity,
                                k->n_nominations, sizeof *k->nomination);
    k->nomination[k->n_nominations++] =
        (struct nomination){ j, task, n, job_facts(s, j)->priority };
}

static bool stop_pod(struct sched *s, job_id j, uint32_t task)
{
    bool whole = job_facts(s, j)->ask->tasks == SPLIT_ANY;
    return (whole ? sched_stop(s, j, STOP_SAVE) : sched_stop_task(s, j, task, STOP_SAVE)) ==
           SCHED_OK;
}

static void stop_all(struct sched *s, struct kube *k, job_id j, const struct victim *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (stop_pod(s, list[i].job, list[i].task)) {
            sched_note(s, list[i].job, j);
            kube_pod_stopped(s, k, list[i].job, list[i].task);
        }
}

bool kube_preempt(struct sched *s, struct kube *k, job_id j, const struct request *pod)
{
    node_id most = k->n_nodes / 10 > TRIED_LEAST ? k->n_nodes / 10 : TRIED_LEAST, tried = 0;
    node_id first = k->params->ties > TIES_NAME ? (node_id)(sched_random(s) % k->n_nodes) : 0;
    struct victim *list = sched_scratch(s, (2 * k->n_pods + 1) * sizeof *list);
    struct option best = { .node = ID_NONE };
    for (node_id i = 0; i < k->n_nodes && (tried < most || best.violations); i++) {
        node_id n = (first + i) % k->n_nodes;
        size_t victims = !(k->barred[n] & BARRED_FOR_GOOD) && kube_allows(s, j, pod, n) && k->on_node[n] != ID_NONE
                             ? victims_on(s, k, j, pod, n, list)
                             : 0;
        if (!victims)
            continue;
        tried++;
        struct option o = option_of(n, list, victims);
        if (best.node == ID_NONE || better(&o, &best))
            best = o;
    }
    if (best.node == ID_NONE)
        return false;
    stop_all(s, k, j, list, victims_on(s, k, j, pod, best.node, list));
    nominate(s, k, j, pod->first_task, best.node);
    k->round++;                        /* pods that failed may be tried again */
    return true;
}
