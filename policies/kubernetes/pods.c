/* pods.c - pods beside other pods: PodTopologySpread and InterPodAffinity, filter and score.
 *
 * After kubernetes/kubernetes:pkg/scheduler/framework/plugins/{podtopologyspread,
 * interpodaffinity}/{filtering,scoring}.go. A pod counts where it is bound. Filter, for a pod and a
 * node:
 *
 *   spread         in each required term: pods in the node's domain + 1 (itself) - pods in the
 *                  domain that has fewest <= skew; a node without the key fails. Only nodes that
 *                  the pod may use and that have the keys of all required terms are looked at:
 *                  domains are theirs, and pods elsewhere do not count
 *   affinity, anti-affinity: policies/common/beside.h
 *
 * Score, with the formulas of score.h:
 *
 *   spread         over the feasible nodes with the keys of all preferred terms (others: 0): the
 *                  pods of the node's domain, on nodes that the pod may use and that have these
 *                  keys, weighed by how many domains there are
 *   affinity       the sum of beside.h, between the least and the most
 *
 * Preemption: with its victims gone the node has to pass all filters, so that evicting can cure a
 * spread or an anti-affinity, and takes no pod away that an affinity needs. A node without a key,
 * or without a pod that the affinity means, is not helped by it (upstream's
 * UnschedulableAndUnresolvable). */
#include "policies/kubernetes/pods.h"

#include "policies/kubernetes/score.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

struct pods_room { /* [n_nodes] each, for one search at a time */
    int64_t *count;
    bool *counts;
    struct beside_room beside;
    uint8_t *trial;
};

/* ---- The pods of the cluster, one after the other ---- */

static bool next_pod(struct pod_walk *w, struct pod_there *pod)
{
    const struct kube *k = w->of;
    while (w->node < k->n_nodes) {
        uint32_t i = w->at;
        if (i == ID_NONE) {
            w->node++;
            w->at = w->node < k->n_nodes ? k->on_node[w->node] : ID_NONE;
            continue;
        }
        w->at = k->pod[i].after;
        *pod = (struct pod_there){ w->node, job_pods(w->s, k->pod[i].job) };
        if (!k->pod[i].evicted && pod->rules && kube_holds(w->s, k->pod[i].job, k->pod[i].task))
            return true;
    }
    return false;
}

static struct pod_walk all_pods(const struct sched *s, const struct kube *k)
{
    return (struct pod_walk){ next_pod, s, k, 0, k->n_nodes ? k->on_node[0] : ID_NONE };
}

/* Pods on these nodes that `needs` means in each domain, by its first node. */
static void count_pods(const struct sched *s, const struct kube *k, const struct pod_term *t,
                       const bool *counts, int64_t *count)
{
    struct pod_walk w = all_pods(s, k);
    memset(count, 0, k->n_nodes * sizeof *count);
    for (struct pod_there p; w.next(&w, &p);)
        if (counts[p.node] && pod_matches(t->needs, p.rules->labels))
            count[t->domain[p.node]]++;
}

static bool has_keys(const struct pod_rules *r, node_id n, bool required)
{
    for (uint32_t i = 0; i < r->n[POD_SPREAD]; i++)
        if (!r->term[POD_SPREAD][i].weight == required &&
            r->term[POD_SPREAD][i].domain[n] == ID_NONE)
            return false;
    return true;
}

/* Nodes on which pods count for spreads: that the pod may use, with the keys of all terms. */
static const bool *counting(const struct sched *s, const struct kube *k, const struct request *pod,
                            const struct pod_rules *r, bool required)
{
    bool *counts = k->pods->counts;
    for (node_id n = 0; n < k->n_nodes; n++)
        counts[n] = has_keys(r, n, required) && view_allows(sched_view(s, FREE_IDLE), pod, n);
    return counts;
}

/* ---- Filter ---- */

static void bar_uneven(const struct sched *s, const struct kube *k, const struct request *pod,
                       const struct pod_rules *r, uint8_t *bars)
{
    if (!r->n[POD_SPREAD])
        return;
    int64_t *count = k->pods->count;
    const bool *counts = counting(s, k, pod, r, true);
    for (uint32_t i = 0; i < r->n[POD_SPREAD]; i++) {
        const struct pod_term *t = &r->term[POD_SPREAD][i];
        int64_t fewest = INT64_MAX;
        if (t->weight)
            continue;
        count_pods(s, k, t, counts, count);
        for (node_id n = 0; n < k->n_nodes; n++)
            if (counts[n])
                fewest = min_i64(fewest, count[t->domain[n]]);
        for (node_id n = 0; n < k->n_nodes; n++)
            bars[n] |= t->domain[n] == ID_NONE                            ? BARRED_FOR_GOOD
                       : count[t->domain[n]] + 1 - fewest > t->skew ? BARRED
                                                                    : 0;
    }
}

static void make_room(struct sched *s, struct kube *k)
{
    k->pods = sched_alloc(s, sizeof *k->pods);
    k->pods->count = sched_alloc(s, k->n_nodes * sizeof *k->pods->count);
    k->pods->counts = sched_alloc(s, k->n_nodes * sizeof *k->pods->counts);
    k->pods->beside = beside_room(s, k->n_nodes);
    k->pods->trial = sched_alloc(s, k->n_nodes * sizeof *k->pods->trial);
}

static void filter_into(const struct sched *s, const struct kube *k, job_id j,
                        const struct request *pod, uint8_t *bars)
{
    const struct pod_rules *r = beside_rules(s, j);
    memset(bars, 0, k->n_nodes * sizeof *bars);
    bar_uneven(s, k, pod, r, bars);
    beside_filter(k->pods->beside, r, all_pods(s, k), k->n_nodes, bars);
}

void pods_filter(struct sched *s, struct kube *k, job_id j, const struct request *pod)
{
    if (!k->pods_speak)
        return;
    if (!k->pods)
        make_room(s, k);
    filter_into(s, k, j, pod, k->barred);
}

bool pods_allow(const struct sched *s, const struct kube *k, job_id j, const struct request *pod,
                node_id n)
{
    if (!k->pods_speak)
        return true;
    filter_into(s, k, j, pod, k->pods->trial);
    return !k->pods->trial[n];
}

/* ---- Score ---- */

static void score_spread(struct sched *s, const struct kube *k, const struct request *pod,
                         const struct pod_rules *r, struct candidate *list, size_t n,
                         int64_t *score)
{
    const bool *counts = counting(s, k, pod, r, false);
    double *raw = sched_scratch(s, n * sizeof *raw);
    int64_t *count = sched_scratch(s, k->n_nodes * sizeof *count), least = INT64_MAX, most = 0;
    bool *seen = sched_scratch(s, k->n_nodes * sizeof *seen);
    for (uint32_t i = 0; i < r->n[POD_SPREAD]; i++) {
        const struct pod_term *t = &r->term[POD_SPREAD][i];
        int64_t domains = 0;
        if (!t->weight)
            continue;
        count_pods(s, k, t, counts, count);
        memset(seen, 0, k->n_nodes * sizeof *seen);
        for (size_t c = 0; c < n; c++)
            if (has_keys(r, list[c].node, false) && !seen[t->domain[list[c].node]])
                domains += seen[t->domain[list[c].node]] = true;
        for (size_t c = 0; c < n; c++)
            if (has_keys(r, list[c].node, false))
                raw[c] += kube_spread(count[t->domain[list[c].node]], domains, t->skew);
    }
    for (size_t c = 0; c < n; c++) {
        score[c] = kube_rounded(raw[c]);
        if (has_keys(r, list[c].node, false)) {
            least = min_i64(least, score[c]);
            most = max_i64(most, score[c]);
        }
    }
    for (size_t c = 0; c < n; c++)
        score[c] =
            has_keys(r, list[c].node, false) ? kube_spread_normalised(score[c], least, most) : 0;
}

static void score_beside(struct sched *s, const struct kube *k, const struct pod_rules *r,
                         struct candidate *list, size_t n, int64_t *score)
{
    int64_t *sum = sched_scratch(s, k->n_nodes * sizeof *sum);
    beside_score(r, all_pods(s, k), k->n_nodes, sum);
    for (size_t c = 0; c < n; c++)
        score[c] = sum[list[c].node];
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t c = 0; c < n; c++) {
        least = min_i64(least, score[c]);
        most = max_i64(most, score[c]);
    }
    for (size_t c = 0; c < n; c++)
        score[c] = kube_between(score[c], least, most);
}

void pods_score(struct sched *s, const struct kube *k, job_id j, const struct request *pod,
                struct candidate *list, size_t n)
{
    const struct pod_rules *r = beside_rules(s, j);
    bool spreads = false;
    if (!k->pods_speak)
        return;
    for (uint32_t i = 0; i < r->n[POD_SPREAD]; i++)
        spreads = spreads || r->term[POD_SPREAD][i].weight;
    int64_t *score = sched_scratch(s, 2 * n * sizeof *score);
    if (spreads)
        score_spread(s, k, pod, r, list, n, score);
    score_beside(s, k, r, list, n, score + n);
    for (size_t c = 0; c < n; c++)
        list[c].score += (int64_t)k->params->spread_weight * score[c] +
                         (int64_t)k->params->pod_affinity_weight * score[n + c];
}

bool pods_bar(struct sched *s, struct kube *k, job_id j, const struct request *pod)
{
    bool bar = false;
    pods_filter(s, k, j, pod);
    for (node_id n = 0; n < k->n_nodes && k->pods_speak && !bar; n++)
        bar = k->barred[n] && view_fits(sched_view(s, FREE_IDLE), pod, n);
    return bar;
}
