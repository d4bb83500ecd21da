/* node.c - filter and score: the node for one pod.
 *
 * Feasible: labels, taints and room, room that others are nominated for aside. The score is the sum
 * of weight times score over TaintToleration, NodeAffinity, ImageLocality, NodeResourcesFit and
 * NodeResourcesBalancedAllocation; a tie goes to the lowest node, or to one drawn. Where neither
 * affinity nor nominations matter the best node comes from view_best(). */
#include "policies/kubernetes/pods.h"

#include "policies/kubernetes/score.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

enum { RESOURCES = 3, SAMPLE_LEAST = 100 };

struct request kube_pod(const struct request *all, uint32_t task)
{
    struct request pod = *request_of_task(all, task);
    pod.first_task = task;
    pod.task = NULL;
    pod.next = NULL;
    if (pod.tasks == SPLIT_ANY) {
        pod.cpu_milli *= pod.gpus;
        pod.mem_mib *= pod.gpus;
    }
    pod.tasks = 1;
    return pod;
}

uint32_t kube_pods(const struct request *all)
{
    return all->tasks == SPLIT_ANY ? 1 : request_tasks(all);
}

uint32_t kube_pods_of(const struct request *run)
{
    return run->tasks == SPLIT_ANY ? 1 : run->tasks;
}

bool kube_by_pods(const struct job_facts *f)
{
    bool within = f->ask->required_level < LEVEL_CLUSTER;
    for (uint32_t g = 0; g < f->n_groups && !within; g++)
        within = f->group[g].required_level < LEVEL_CLUSTER;
    return !within;
}

/* ---- Scores of one node ---- */

struct resource { int64_t requested, capacity, weight; };

static int64_t gpu_milli_free(const struct view *v, node_id n, const struct node_free *f)
{
    int64_t milli = (int64_t)f->whole * MILLI_ALL;
    for (uint64_t m = f->shared_mask; m; m &= m - 1)
        milli += view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m));
    return milli;
}

/* Resources that the node has and that weigh something, GPUs only of a pod that asks for some;
 * requested with the pod, or without it. */
static size_t resources_of(const struct view *v, const struct request *pod, node_id n,
                           const struct kube_params *p, bool with_pod, struct resource *to)
{
    struct node_free f = view_node_for(v, pod, n);
    struct amount size = view_node_size(v, n);
    int64_t cpu = with_pod ? pod->cpu_milli : 0, mem = with_pod ? pod->mem_mib : 0;
    int64_t gpu = with_pod ? (int64_t)pod->gpus * request_share(pod) : 0,
            gpus = (int64_t)f.capacity * MILLI_ALL;
    size_t count = 0;
    if (p->cpu > 0 && size.cpu_milli > 0 && size.cpu_milli != INT64_MAX)
        to[count++] = (struct resource){ size.cpu_milli - f.cpu_milli + cpu, size.cpu_milli,
                                         (int64_t)p->cpu };
    if (p->memory > 0 && size.mem_mib > 0 && size.mem_mib != INT64_MAX)
        to[count++] =
            (struct resource){ size.mem_mib - f.mem_mib + mem, size.mem_mib, (int64_t)p->memory };
    if (p->gpu > 0 && gpus > 0 && pod->gpus > 0)
        to[count++] =
            (struct resource){ gpus - gpu_milli_free(v, n, &f) + gpu, gpus, (int64_t)p->gpu };
    return count;
}

static int64_t fit_score(const struct kube_params *p, const struct resource *r, size_t n)
{
    const struct kube_point shape[] = { { 0, (int64_t)p->shape_0 },
                                        { 100, (int64_t)p->shape_100 } };
    int64_t score[RESOURCES], weight[RESOURCES];
    for (size_t i = 0; i < n; i++) {
        weight[i] = r[i].weight;
        score[i] = p->score <= SCORE_LEAST  ? kube_least_allocated(r[i].requested, r[i].capacity)
                   : p->score <= SCORE_MOST ? kube_most_allocated(r[i].requested, r[i].capacity)
                                            : kube_ratio(shape, sizeof shape / sizeof *shape,
                                                         r[i].requested, r[i].capacity);
    }
    return p->score <= SCORE_MOST ? kube_mean(score, weight, n)
                                  : kube_mean_of_scored(score, weight, n);
}

static int64_t balance(const struct resource *r, size_t n)
{
    double fraction[RESOURCES];
    for (size_t i = 0; i < n; i++)
        fraction[i] = (double)r[i].requested / (double)r[i].capacity;
    return n ? kube_balanced(fraction, n) : 0;
}

/* A pod that asks for none of the weighed resources is not balanced: else all such pods would go to
 * one node. */
static bool asks_for_some(const struct request *pod, const struct kube_params *p)
{
    return (p->cpu > 0 && pod->cpu_milli > 0) || (p->memory > 0 && pod->mem_mib > 0) ||
           (p->gpu > 0 && pod->gpus > 0);
}

static int32_t node_score(const struct view *v, const struct request *pod, node_id n,
                          const void *params)
{
    const struct kube_params *p = params;
    struct resource r[RESOURCES], before[RESOURCES];
    size_t count = resources_of(v, pod, n, p, true, r);
    bool balances = asks_for_some(pod, p);
    int64_t balanced = balances ? balance(r, count) : 0;
    if (balances && count && p->balanced > BALANCED_VALUE) {
        resources_of(v, pod, n, p, false, before);
        balanced = 50 + (50 + balanced - balance(before, count)) / 2;
    }
    return (int32_t)((int64_t)p->fit_weight * fit_score(p, r, count) +
                     (int64_t)p->balanced_weight * balanced);
}

/* ---- All feasible nodes ---- */

const struct shape_facts *kube_shape(struct sched *s, struct kube *k, const struct request *pod)
{
    size_t shapes = k->n_shapes;
    k->shape = array_covering(sched_alloc, s, k->shape, &shapes, pod->shape, sizeof *k->shape);
    k->failed =
        array_covering(sched_alloc, s, k->failed, &k->n_shapes, pod->shape, sizeof *k->failed);
    k->fails_for = array_covering(sched_alloc, s, k->fails_for, &k->n_kinds, 1 + pod->shape,
                                  sizeof *k->fails_for);
    struct shape_facts *f = &k->shape[pod->shape];
    if (f->made)
        return f;
    const struct view *v = sched_view(s, FREE_IDLE);
    struct node_affinity first = { 0, 0 };
    bool any = false;
    *f = (struct shape_facts){ .made = true, .indifferent = true };
    for (node_id n = 0; n < k->n_nodes; n++) {
        if (!view_suits(v, pod, n))
            continue;
        struct node_affinity affinity = view_affinity(v, pod, n);
        first = any ? first : affinity;
        any = true;
        f->indifferent &=
            affinity.preferred == first.preferred && affinity.avoided == first.avoided;
        f->fits |= view_fits_empty(v, pod, n);
    }
    return f;
}

/* Pods of the job that are on n already. */
static uint32_t pods_on(const struct sched *s, job_id j, node_id n)
{
    const struct placement *held = job_placement(s, j);
    uint32_t on = 0;
    for (size_t i = 0; held && i < held->n; i++)
        on += held->piece[i].node == n;
    return on;
}

bool kube_allows(struct sched *s, job_id j, const struct request *pod, node_id n)
{
    return view_allows(sched_view(s, FREE_IDLE), pod, n) &&
           (!pod->max_per_node || pods_on(s, j, n) < pod->max_per_node);
}

static bool feasible(struct sched *s, const struct kube *k, job_id j, const struct request *pod,
                     node_id n)
{
    if (k->barred[n] || !kube_allows(s, j, pod, n) || !view_fits(sched_view(s, FREE_IDLE), pod, n))
        return false;
    return !k->n_nominations || kube_fits_beside_nominated(s, k, j, pod, n);
}

/* How many feasible nodes are enough. kubernetes/kubernetes:pkg/scheduler/schedule_one.go,
 * numFeasibleNodesToFind */
static node_id enough(const struct kube *k)
{
    if (k->params->sample <= 0 || k->n_nodes < SAMPLE_LEAST)
        return k->n_nodes;
    node_id percent = k->n_nodes / 125 >= 45 ? 5 : 50 - k->n_nodes / 125,
            n = k->n_nodes / 100 * percent + k->n_nodes % 100 * percent / 100;
    return max_u32(n, SAMPLE_LEAST);
}

static size_t filter(struct sched *s, struct kube *k, job_id j, const struct request *pod)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    node_id want = enough(k), looked = 0;
    size_t found = 0;
    for (; looked < k->n_nodes && found < want; looked++) {
        node_id n = (k->next_start + looked) % k->n_nodes;
        if (feasible(s, k, j, pod, n))
            k->candidate[found++] =
                (struct candidate){ n, node_score(v, pod, n, k->params), view_affinity(v, pod, n) };
    }
    if (k->params->sample > 0)
        k->next_start = (k->next_start + looked) % k->n_nodes;
    return found;
}

/* ImageLocality: nodes that have the image of job j, the more of all nodes have it the better. */
static void score_images(struct sched *s, const struct kube *k, job_id j, const struct request *pod,
                         struct candidate *list, size_t n)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    struct request of_job = *pod;
    int64_t with = 0;
    if (!k->image_bytes)
        return;
    of_job.job = j;
    for (node_id i = 0; i < k->n_nodes; i++)
        with += (view_keeps(v, &of_job, i) & KEEPS_IMAGE) != 0;
    int64_t score = (int64_t)k->params->image_weight * kube_image(k->image_bytes, with, k->n_nodes);
    for (size_t c = 0; c < n && score; c++)
        list[c].score += view_keeps(v, &of_job, list[c].node) & KEEPS_IMAGE ? score : 0;
}

static node_id best_of(struct sched *s, const struct kube *k, struct candidate *list, size_t n)
{
    int64_t preferred = 0, avoided = 0;
    for (size_t i = 0; i < n; i++) {
        preferred = max_i64(preferred, list[i].affinity.preferred);
        avoided = max_i64(avoided, list[i].affinity.avoided);
    }
    size_t best = 0, equal = 1;
    for (size_t i = 0; i < n; i++) {
        list[i].score += (int64_t)k->params->affinity_weight *
                             kube_normalised(list[i].affinity.preferred, preferred, false) +
                         (int64_t)k->params->taint_weight *
                             kube_normalised(list[i].affinity.avoided, avoided, true);
        if (i == 0)
            continue;
        bool tied = list[i].score == list[best].score;
        equal = tied ? equal + 1 : list[i].score > list[best].score ? 1 : equal;
        bool takes = k->params->ties > TIES_NAME ? sched_random(s) % equal == 0
                                                 : list[i].node < list[best].node;
        if (list[i].score > list[best].score || (tied && takes))
            best = i;
    }
    return list[best].node;
}

/* The node for which the pod is nominated, if it is feasible: no other is looked at. */
static bool choose_nominated(struct sched *s, const struct kube *k, job_id j,
                             const struct request *pod, node_id *n)
{
    const struct nomination *m = kube_nominated(k, j, pod->first_task);
    if (m)
        *n = m->node;
    return m && feasible(s, k, j, pod, m->node);
}

bool kube_choose(struct sched *s, struct kube *k, job_id j, const struct request *pod, node_id *n)
{
    pods_filter(s, k, j, pod);
    if (choose_nominated(s, k, j, pod, n))
        return true;
    static const struct scoring by = { .score = node_score };
    if (kube_shape(s, k, pod)->indifferent && !k->n_nominations && !pod->max_per_node &&
        !k->pods_speak && !k->image_bytes && k->params->ties <= TIES_NAME && k->params->sample <= 0)
        return view_best(sched_view(s, FREE_IDLE), pod, 0, &by, k->params, n);
    size_t found = filter(s, k, j, pod);
    pods_score(s, k, j, pod, k->candidate, found);
    score_images(s, k, j, pod, k->candidate, found);
    if (found)
        *n = best_of(s, k, k->candidate, found);
    return found > 0;
}
