/* kube.c - the default scheduler of Kubernetes, pod by pod; and `gang`, the same with all pods of a
 * job or none. See kube.h.
 *
 * A pod that fits nowhere is set aside and the next is tried: jobs can hold part of what they need
 * and wait for ever for the rest, which the simulator detects and reports. `gang` binds all pods of
 * a job (its minimum) together or none, as co-scheduling does (gang.c). After
 * kubernetes/kubernetes:pkg/scheduler (queue order, back-off, filter, score, preemption; node.c,
 * preempt.c). What differs:
 * - whatever is released may help every pod, and only then are those set aside tried again (no
 *   five-minute flush);
 * - a share of a GPU is placed like with a sharing device plugin: by the fullest GPU that fits;
 * - a missing CPU or memory request counts 0 in the scores, not 100 milli and 200 MB;
 * - the default tie goes to the lowest node; `ties=random` draws, as the original does. */
#include "policies/kubernetes/pods.h"
#include "policies/common/free_gpus.h"
#include "sim/contract/util/minmax.h"

#include <stddef.h>
#include <string.h>

/* ---- Binding ---- */

bool kube_holds(const struct sched *s, job_id j, uint32_t task)
{
    return placement_task(job_placement(s, j), task) != NULL;
}

bool kube_bind(struct sched *s, struct kube *k, job_id j, const struct request *pod)
{
    node_id n;
    if (queue_over_limit(s, job_facts(s, j)->queue, request_size(pod)) || !kube_choose(s, k, j, pod, &n))
        return false;
    struct builder *b = sched_builder(s, sched_view(s, FREE_IDLE), pod);
    bool added = builder_add_some(b, pod, pod->first_task, n, pod->gpus);
    const struct placement *where = builder_take(b);
    if (!added || sched_start(s, j, where) != SCHED_OK)
        return false;
    if (!k->gang) {
        kube_pod_bound(s, k, j, pod->first_task, n, sched_now(s));
        k->round += k->params->preempt > 0;    /* it may become a victim */
        if (k->pods_speak && job_pods(s, j)) { /* others may want to be beside it */
            k->round++;
            k->seen = UINT64_MAX;
        }
        kube_forget_nomination(k, j, pod->first_task);
    }
    return true;
}

/* ---- One pod of the queue ---- */

/* Pods of j that have to find a place together. */
static uint32_t least_pods(const struct sched *s, const struct kube *k, job_id j)
{
    return k->gang && job_state(s, j) == JOB_PENDING ? job_facts(s, j)->min_tasks : 1;
}

/* Even for as few pods as it may begin with; of unequal pods, for all. */
static bool least_over_limit(struct sched *s, struct kube *k, job_id j)
{
    if (!k->limited && !queue_quota_version(s))
        return false;
    const struct request *ask = job_facts(s, j)->ask;
    struct request least = kube_pod(ask, 0);
    if (k->gang && ask->tasks != SPLIT_ANY)
        least.tasks = least_pods(s, k, j);
    return queue_over_limit(s, job_facts(s, j)->queue,
                            request_size(k->gang && ask->next ? ask : &least));
}

static bool lacks_power(struct sched *s, const struct kube *k, const struct request *ask)
{
    if (k->gang)
        return view_lacks_power(sched_view(s, FREE_IDLE), ask);
    struct request pod = kube_pod(ask, 0);
    return view_lacks_power(sched_view(s, FREE_IDLE), &pod);
}

static bool barred(struct sched *s, struct kube *k, job_id j)
{
    if (!k->pods_speak)
        return false;
    struct request pod = kube_pod(job_facts(s, j)->ask, 0);
    return pods_bar(s, k, j, &pod);
}

static enum wait_reason why_not(struct sched *s, struct kube *k, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    if (least_over_limit(s, k, j))
        return WAIT_LIMIT;
    if (lacks_power(s, k, ask))
        return WAIT_POWER;
    if (barred(s, k, j))
        return WAIT_TOPOLOGY;
    uint64_t wanted = ask->next && least_pods(s, k, j) > 1
                          ? (uint64_t)job_size(s, j).gpu_milli / MILLI_ALL
                          : (uint64_t)ask->gpus * least_pods(s, k, j);
    return free_gpus_for(sched_view(s, FREE_IDLE), ask) >= wanted ? WAIT_FRAGMENTED
                                                                        : WAIT_GPUS;
}

static void rests(struct sched *s, const struct waiting_pod *pod)
{
    if (pod->kind || job_state(s, pod->job) == JOB_PENDING)
        sched_blocked(s, pod->job, WAIT_PASS);
}

/* A pod of that shape has failed in this round, with no lower priority and no more pods to be found
 * a place together. */
static bool fails_again(const struct sched *s, const struct kube *k, const struct waiting_pod *w,
                        shape_id shape)
{
    const struct failure *failed = &k->failed[shape];
    return failed->round == k->round && w->priority <= failed->priority &&
           least_pods(s, k, w->job) >= failed->least;
}

static bool skips(const struct kube *k)
{
    return k->gang && (int)k->params->blocking == BLOCKING_SKIP;
}

/* Whole gangs of a shape are of a kind: they fail for one reason, until something starts. `again`:
 * it fails in this round as fails_again() says. */
static void give_kind(struct sched *s, struct kube *k, struct waiting_pod *pod,
                      enum wait_reason why, bool again)
{
    const struct request *ask = job_facts(s, pod->job)->ask;
    if (!pod->kind && (ask->next || least_pods(s, k, pod->job) != kube_pods(ask)))
        return;
    pod->kind = 1 + ask->shape;
    pod->why = (uint8_t)(1 + why);
    if (!again || !queue_has_next(&k->queue))
        return;
    k->fails_for[pod->kind] = pod->why;
    k->some_fail = true;
}

/* What is free has changed. */
static void forget_reasons(struct kube *k)
{
    if (k->some_fail)
        memset(k->fails_for, 0, k->n_kinds);
    k->some_fail = false;
}

static void pod_failed(struct sched *s, struct kube *k, struct waiting_pod *pod, bool again)
{
    enum wait_reason why = why_not(s, k, pod->job);
    bool pending = job_state(s, pod->job) == JOB_PENDING;
    if (k->gang && !skips(k) && gang_keeps_place(s, k, pod, why))
        return;
    if (!k->alike || !pending)
        pod->kind = 0;
    else
        give_kind(s, k, pod, why, again);
    queue_failed(s, &k->queue, pod);
    if (pending)
        sched_blocked(s, pod->job, why);
}

/* Its job has ended, left or arrived again since, or the pod is bound. */
static bool stale(struct sched *s, const struct waiting_pod *pod)
{
    enum job_state state = job_state(s, pod->job);
    const struct kube_job *own = job_own(s, pod->job);
    if (!own || own->epoch != pod->epoch ||
        !(state == JOB_PENDING || state == JOB_GATHERING || state == JOB_RUNNING))
        return true;
    return pod->task != ALL_PODS && kube_holds(s, pod->job, pod->task);
}

/* Refuses j if single pods cannot serve it: a total of more than a node has, or pods that must lie
 * within one domain. One pod lies within every domain but an island or a NUMA node. */
static bool refused(struct sched *s, struct kube *k, job_id j, const struct request *pod)
{
    const struct request *ask = job_facts(s, j)->ask;
    if (k->gang)
        return false;
    bool one = kube_pods(ask) == 1;
    if (ask->tasks == SPLIT_ANY && !kube_shape(s, k, pod)->fits)
        return sched_refuse(s, j, "gives only a total, more than a node has: pods want tasks") ==
               SCHED_OK;
    return !kube_by_pods(job_facts(s, j)) &&
           (!one || (ask->required_level < LEVEL_NODE && ask->gpus > 1)) &&
           sched_refuse(s, j, "requires a level of the topology, which single pods cannot") ==
               SCHED_OK;
}

/* true: pods have left for this pod, or will. */
static bool preempt_for_pod(struct sched *s, struct kube *k, job_id j, const struct request *pod)
{
    if (k->gang || k->params->preempt <= 0)
        return false;
    bool limited = queue_over_limit(s, job_facts(s, j)->queue, request_size(pod));
    if (!limited && kube_awaits_victims(s, k, j, pod->first_task))
        return true;
    kube_forget_nomination(k, j, pod->first_task);
    return !limited && kube_preempt(s, k, j, pod);
}

static void try_pod(struct sched *s, struct kube *k, struct waiting_pod *w)
{
    job_id j = w->job;
    const struct request *ask = job_facts(s, j)->ask;
    /* gangs are not refused, and nothing is nominated for them */
    if (k->gang && !ask->next && ask->shape < k->n_shapes && fails_again(s, k, w, ask->shape)) {
        pod_failed(s, k, w, true);
        return;
    }
    struct request pod = kube_pod(ask, w->task == ALL_PODS ? 0 : w->task);
    pod.job = j;
    if (refused(s, k, j, &pod))
        return;
    kube_shape(s, k, &pod);
    if (fails_again(s, k, w, pod.shape) && !kube_nominated(k, j, pod.first_task)) {
        pod_failed(s, k, w, true);
        return;
    }
    bool bound = k->gang ? gang_bind(s, k, j) : kube_bind(s, k, j, &pod);
    if (bound || job_state(s, j) != JOB_PENDING)
        forget_reasons(k);
    if (bound)
        return;
    bool again = !preempt_for_pod(s, k, j, &pod) && !pod.max_per_node && !k->reserved &&
                 (!k->gang || job_state(s, j) == JOB_PENDING);
    if (again)
        k->failed[pod.shape] = (struct failure){ k->round, w->priority, least_pods(s, k, j) };
    pod_failed(s, k, w, again);
}

static bool next_pod(struct sched *s, struct kube *k, struct waiting_pod *pod)
{
    return queue_next(s, &k->queue, k->some_fail ? k->fails_for : NULL, pod);
}

static void pass_begins(struct sched *s, struct kube *k)
{
    queue_pass(&k->queue);
    forget_reasons(k);
    if (k->gang)
        gang_pass_begins(s, k);
    if (k->withdrawn)
        queue_disown(s, &k->queue, stale);
    k->withdrawn = false;
    k->alike = k->alike && !queue_quota_version(s);
}

static void kube_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct kube *k = state;
    struct waiting_pod pod;
    int64_t last_ns = 0;               /* back-off of pods that have not tried what is free now */
    pass_begins(s, k);
    do {                               /* pods that have left at once may help others at once */
        if (k->seen != sched_room_version(s)) {
            k->round++;
            forget_reasons(k);
            last_ns = max_i64(last_ns, queue_wake_parked(s, &k->queue, rests));
        }
        k->seen = sched_room_version(s);
        queue_wake_rested(s, &k->queue);
        while (!k->shut && next_pod(s, k, &pod))
            if (!stale(s, &pod))
                try_pod(s, k, &pod);
        queue_tried(s, &k->queue);
    } while (k->seen != sched_room_version(s));
    if (k->gang)
        gang_pass_ends(s, k);
    int64_t until_ns;
    if (queue_rests(&k->queue, &until_ns))
        sched_wake_at(s, until_ns);
    if (last_ns)
        sched_defer(s, last_ns);
}

/* ---- Notices ---- */

static bool some_limit(const struct sched *s)
{
    bool some = false;
    for (queue_id q = 0; q < queue_count(s) && !some; q++) {
        const struct amount *limit = &queue_facts(s, q)->quota.limit;
        some = limit->gpu_milli != UNLIMITED || limit->cpu_milli != UNLIMITED ||
               limit->mem_mib != UNLIMITED;
    }
    return some;
}

static void begin(struct sched *s, const void *params, void *state, bool gang)
{
    struct kube *k = state;
    node_id first;
    k->params = params;
    k->gang = gang;
    k->round = 1;
    queue_begin(s, &k->queue, k->params->backoff_s, k->params->backoff_max_s);
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &k->n_nodes);
    if (k->params->image_weight > 0)
        k->image_bytes = view_image_mib(sched_view(s, FREE_IDLE)) << 20;
    k->on_node = sched_alloc(s, k->n_nodes * sizeof *k->on_node);
    k->barred = sched_alloc(s, k->n_nodes * sizeof *k->barred);
    k->candidate = sched_alloc(s, k->n_nodes * sizeof *k->candidate);
    memset(k->on_node, 0xff, k->n_nodes * sizeof *k->on_node);    /* ID_NONE */
    k->free_pod = k->head = ID_NONE;
    k->limited = some_limit(s);
    k->alike = skips(k) && !sched_has_outages(s);
    timers_begin(&k->incomplete);
}

static void kube_begin(struct sched *s, const void *params, void *state)
{
    begin(s, params, state, false);
}

static void gang_begin(struct sched *s, const void *params, void *state)
{
    begin(s, params, state, true);
}

static bool speaks(const struct sched *s, job_id j)
{
    const struct pod_rules *r = job_pods(s, j);
    return r && (r->n[POD_AFFINITY] || r->n[POD_ANTI_AFFINITY] || r->n[POD_SPREAD]);
}

static void kube_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct kube *k = state;
    struct kube_job *own = job_own(s, j);
    uint32_t pods = kube_pods(job_facts(s, j)->ask);
    k->pods_speak = k->pods_speak || (!k->gang && speaks(s, j));
    *own = (struct kube_job){ .epoch = ++k->epochs, .first_pod = ID_NONE };
    const struct placement *held = job_placement(s, j);    /* it ran when it was submitted */
    int64_t since_ns = job_state(s, j) == JOB_RUNNING ? job_last_start_ns(s, j) : sched_now(s);
    bool whole = held && (job_facts(s, j)->ask->tasks == SPLIT_ANY || held->n == pods);
    if (k->gang && !whole)
        queue_enter(s, &k->queue, j, ALL_PODS, own->epoch);
    if (k->gang) {
        gang_arrived(s, k, j);
        return;
    }
    for (size_t i = 0; held && i < held->n; i++)
        kube_pod_bound(s, k, j, held->piece[i].task, held->piece[i].node, since_ns);
    for (uint32_t task = 0; !whole && task < pods; task++)
        if (!kube_holds(s, j, task))
            queue_enter(s, &k->queue, j, task, own->epoch);
}

static void kube_stopped(struct sched *s, const void *params, void *state, job_id j,
                         enum stop_cause why)
{
    (void)params;
    struct kube *k = state;
    struct kube_job *own = job_own(s, j);
    if (stopped_for_good(why))
        timer_drop(s, &k->incomplete, j);
    for (uint32_t i = own->first_pod, next; i != ID_NONE; i = next) {
        next = k->pod[i].of_job;
        kube_pod_gone(k, i);
    }
    own->first_pod = ID_NONE;
    kube_forget_nomination(k, j, ALL_PODS);
}

static void kube_withdrawn(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct kube *k = state;
    k->withdrawn = true;
    timer_drop(s, &k->incomplete, j);
    kube_forget_nomination(k, j, ALL_PODS);
}

static unsigned kube_needs(const void *params)
{
    return ((const struct kube_params *)params)->preempt > 0 ? SEES_RELEASING : 0;
}

static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const scores[] = { "least", "most", "ratio", NULL };
static const char *const balances[] = { "value", "change", NULL };
static const char *const ties[] = { "name", "random", NULL };
static const char *const samples[] = { "no", "adaptive", NULL };
static const char *const blockings[] = { "strict", "skip", "reservation", NULL };
#define AT(field) offsetof(struct kube_params, field)
#define SCORE_PARAMS                                                                               \
    { "score", "of room: least, most allocated, or requested to capacity ratio", "", 0, 0, SCORE_LEAST, scores, AT(score) }, \
    { "cpu", "weight of CPUs in score and balance", "", 0, 100, 1, NULL, AT(cpu) },                \
    { "memory", "weight of memory", "", 0, 100, 1, NULL, AT(memory) },                             \
    { "gpu", "weight of GPUs; 0 by default: the score does not see them", "", 0, 100, 0, NULL, AT(gpu) }, \
    { "shape_0", "score=ratio: points of an empty node", "", 0, 10, 0, NULL, AT(shape_0) },        \
    { "shape_100", "score=ratio: points of a full node", "", 0, 10, 10, NULL, AT(shape_100) },     \
    { "balanced", "value: how balanced with the pod; change: what the pod does to it", "", 0, 0, BALANCED_VALUE, balances, \
      AT(balanced) },                                                                              \
    { "taint_weight", "of TaintToleration", "", 0, 100, 3, NULL, AT(taint_weight) },               \
    { "affinity_weight", "of NodeAffinity", "", 0, 100, 2, NULL, AT(affinity_weight) },            \
    { "fit_weight", "of NodeResourcesFit", "", 0, 100, 1, NULL, AT(fit_weight) },                  \
    { "balanced_weight", "of NodeResourcesBalancedAllocation", "", 0, 100, 1, NULL, AT(balanced_weight) }, \
    { "spread_weight", "of PodTopologySpread (kube alone)", "", 0, 100, 2, NULL, AT(spread_weight) }, \
    { "pod_affinity_weight", "of InterPodAffinity (kube alone)", "", 0, 100, 2, NULL, AT(pod_affinity_weight) }, \
    { "image_weight", "of ImageLocality, where storage.image_gib says how large images are", "", 0, 100, 1, NULL, AT(image_weight) }, \
    { "ties", "name: the lowest node; random: drawn", "", 0, 0, TIES_NAME, ties, AT(ties) },       \
    { "sample", "adaptive: of 100 nodes or more only a part is scored", "", 0, 0, 0, samples, AT(sample) }, \
    { "backoff_s", "before the second try", "s", 0, 1e6, 1, NULL, AT(backoff_s) },                 \
    { "backoff_most_s", "longest; each is twice the one before", "s", 0, 1e6, 10, NULL, AT(backoff_max_s) }, \
    { 0 }
static const struct param kube_param_list[] = {
    { "preempt", "yes: pods of lower priority are preempted", "", 0, 0, 1, no_yes, AT(preempt) },
    SCORE_PARAMS,
};
static const struct param gang_param_list[] = {
    { "blocking",
      "when a gang does not fit: strict: none passes; skip: all pass; reservation: those that do "
      "not delay it pass",
      "", 0, 0, BLOCKING_SKIP, blockings, AT(blocking) },
    { "stale_s", "a gang that lacks its minimum for so long loses all its tasks; negative: never",
      "s", -1, 1e9, 60, NULL, AT(stale_s) },
    SCORE_PARAMS,
};

#define KUBE_TABLE                                                                                 \
    .abi = POLICY_ABI, .params_size = sizeof(struct kube_params),                                  \
    .state_size = sizeof(struct kube), .job_size = sizeof(struct kube_job), .schedule = kube_schedule, \
    .job_arrived = kube_arrived, .job_stopped = kube_stopped, .job_withdrawn = kube_withdrawn
const struct policy kube_policy = {
    KUBE_TABLE,
    .needs = STARTS_PARTIAL,
    .reads = READS_PODS | READS_PREFERENCES | READS_SPREADS,
    .name = "kube",
    .summary = "Kubernetes' default scheduler, pod by pod: gangs may deadlock",
    .also_needs = kube_needs,
    .params = kube_param_list,
    .begin = kube_begin,
};
const struct policy gang_policy = {
    KUBE_TABLE,
    .name = "gang",
    .summary = "the same scores and queue, but all pods of a job or none",
    .also_needs = gang_needs,
    .params = gang_param_list,
    .begin = gang_begin,
};
