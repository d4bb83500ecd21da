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
 *   affinity       in each required term the node's domain has a pod that all required terms mean;
 *                  or there is none anywhere, and the terms mean the pod itself
 *   anti-affinity  no pod that a required term means is in the node's domain; and no pod in its
 *                  domain has a required term that means this one
 *
 * Score, with the formulas of score.h:
 *
 *   spread         over the feasible nodes with the keys of all preferred terms (others: 0): the
 *                  pods of the node's domain, on nodes that the pod may use and that have these
 *                  keys, weighed by how many domains there are
 *   affinity       sum over pods in the node's domain of a key: the weights of this pod's preferred
 *                  terms that mean them (minus those of anti-affinity); the weights of their
 *                  preferred terms that mean this one; 1 for each required affinity term of theirs
 *                  that does
 *
 * Preemption: with its victims gone the node has to pass all filters, so that evicting can cure a
 * spread or an anti-affinity, and takes no pod away that an affinity needs. A node without a key,
 * or without a pod that the affinity means, is not helped by it (upstream's
 * UnschedulableAndUnresolvable). */
#include "policies/kubernetes/pods.h"

#include "policies/kubernetes/score.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

enum { HARD_WEIGHT = 1 }; /* of a required affinity term of another pod */

struct pods_room { /* [n_nodes] each, for one search at a time */
    int64_t *count;
    bool *counts, *together, *beside;
    uint8_t *trial;
};

static bool is_within(const struct pod_term *t, node_id a, node_id b)
{
    return t->domain[a] != ID_NONE && t->domain[a] == t->domain[b];
}

/* ---- The pods of the cluster, one after the other ---- */

struct pod_walk {
    node_id node;
    uint32_t next;
};

static const struct pod *next_pod(const struct sched *s, const struct kube *k, struct pod_walk *w)
{
    while (w->node < k->n_nodes) {
        uint32_t i = w->next;
        if (i == ID_NONE) {
            w->node++;
            w->next = w->node < k->n_nodes ? k->on_node[w->node] : ID_NONE;
            continue;
        }
        w->next = k->pod[i].after;
        if (!k->pod[i].evicted && job_pods(s, k->pod[i].job) &&
            kube_holds(s, k->pod[i].job, k->pod[i].task))
            return &k->pod[i];
    }
    return NULL;
}

static struct pod_walk all_pods(const struct kube *k)
{
    return (struct pod_walk){ 0, k->n_nodes ? k->on_node[0] : ID_NONE };
}

/* Pods on these nodes that `needs` means in each domain, by its first node. */
static void count_pods(const struct sched *s, const struct kube *k, const struct pod_term *t,
                       const bool *counts, int64_t *count)
{
    struct pod_walk w = all_pods(k);
    memset(count, 0, k->n_nodes * sizeof *count);
    for (const struct pod *p; (p = next_pod(s, k, &w));)
        if (counts[p->node] && pod_matches(t->needs, job_pods(s, p->job)->labels))
            count[t->domain[p->node]]++;
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

/* All required terms of the kind mean pods with these labels. */
static bool all_mean(const struct pod_rules *r, const char *labels)
{
    bool all = true;
    for (uint32_t i = 0; i < r->n[POD_AFFINITY] && all; i++)
        all =
            r->term[POD_AFFINITY][i].weight || pod_matches(r->term[POD_AFFINITY][i].needs, labels);
    return all;
}

static void bar_apart(const struct sched *s, const struct kube *k, const struct pod_rules *r,
                      uint8_t *bars)
{
    bool *together = k->pods->together, *beside = k->pods->beside;
    bool any = false, required = false;
    memset(together, true, k->n_nodes * sizeof *together);
    for (uint32_t i = 0; i < r->n[POD_AFFINITY]; i++) {
        const struct pod_term *t = &r->term[POD_AFFINITY][i];
        struct pod_walk w = all_pods(k);
        if (t->weight)
            continue;
        required = true;
        memset(beside, 0, k->n_nodes * sizeof *beside);
        for (const struct pod *p; (p = next_pod(s, k, &w));)
            if (t->domain[p->node] != ID_NONE && all_mean(r, job_pods(s, p->job)->labels))
                any = beside[t->domain[p->node]] = true;
        for (node_id n = 0; n < k->n_nodes; n++)
            together[n] &= t->domain[n] != ID_NONE && beside[t->domain[n]];
    }
    bool first = required && !any && all_mean(r, r->labels);
    for (node_id n = 0; n < k->n_nodes && required; n++) {
        bool keys = true;
        for (uint32_t i = 0; i < r->n[POD_AFFINITY]; i++)
            keys &=
                r->term[POD_AFFINITY][i].weight || r->term[POD_AFFINITY][i].domain[n] != ID_NONE;
        bars[n] |= (first ? keys : together[n]) ? 0 : BARRED_FOR_GOOD;
    }
}

static void bar_domain(const struct kube *k, const struct pod_term *t, node_id around,
                       uint8_t *bars)
{
    for (node_id n = 0; n < k->n_nodes; n++)
        bars[n] |= is_within(t, n, around) ? BARRED : 0;
}

static void bar_beside(const struct sched *s, const struct kube *k, const struct pod_rules *r,
                       uint8_t *bars)
{
    struct pod_walk w = all_pods(k);
    for (const struct pod *p; (p = next_pod(s, k, &w));) {
        const struct pod_rules *its = job_pods(s, p->job);
        for (uint32_t i = 0; i < r->n[POD_ANTI_AFFINITY]; i++) {
            const struct pod_term *t = &r->term[POD_ANTI_AFFINITY][i];
            if (!t->weight && pod_matches(t->needs, its->labels))
                bar_domain(k, t, p->node, bars);
        }
        for (uint32_t i = 0; i < its->n[POD_ANTI_AFFINITY]; i++) {
            const struct pod_term *t = &its->term[POD_ANTI_AFFINITY][i];
            if (!t->weight && pod_matches(t->needs, r->labels))
                bar_domain(k, t, p->node, bars);
        }
    }
}

static const struct pod_rules *rules_of(const struct sched *s, job_id j)
{
    static const struct pod_rules nothing = { .labels = "" };
    const struct pod_rules *r = job_pods(s, j);
    return r ? r : &nothing;
}

static void make_room(struct sched *s, struct kube *k)
{
    k->pods = sched_alloc(s, sizeof *k->pods);
    k->pods->count = sched_alloc(s, k->n_nodes * sizeof *k->pods->count);
    k->pods->counts = sched_alloc(s, 3 * k->n_nodes * sizeof *k->pods->counts);
    k->pods->together = k->pods->counts + k->n_nodes;
    k->pods->beside = k->pods->together + k->n_nodes;
    k->pods->trial = sched_alloc(s, k->n_nodes * sizeof *k->pods->trial);
}

static void filter_into(const struct sched *s, const struct kube *k, job_id j,
                        const struct request *pod, uint8_t *bars)
{
    const struct pod_rules *r = rules_of(s, j);
    memset(bars, 0, k->n_nodes * sizeof *bars);
    bar_uneven(s, k, pod, r, bars);
    bar_apart(s, k, r, bars);
    bar_beside(s, k, r, bars);
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

/* `weight` for each node in the domain of the term around that one. */
static void add_around(const struct pod_term *t, node_id around, int64_t weight,
                       const struct candidate *list, size_t n, int64_t *score)
{
    for (size_t c = 0; c < n; c++)
        score[c] += is_within(t, list[c].node, around) ? weight : 0;
}

static void score_beside(struct sched *s, const struct kube *k, const struct pod_rules *r,
                         struct candidate *list, size_t n, int64_t *score)
{
    struct pod_walk w = all_pods(k);
    for (const struct pod *p; (p = next_pod(s, k, &w));) {
        const struct pod_rules *its = job_pods(s, p->job);
        for (enum pod_terms kind = POD_AFFINITY; kind <= POD_ANTI_AFFINITY; kind++) {
            int sign = kind == POD_AFFINITY ? 1 : -1;
            for (uint32_t i = 0; i < r->n[kind]; i++)
                if (pod_matches(r->term[kind][i].needs, its->labels))
                    add_around(&r->term[kind][i], p->node, sign * r->term[kind][i].weight, list, n,
                               score);
            for (uint32_t i = 0; i < its->n[kind]; i++) {
                const struct pod_term *t = &its->term[kind][i];
                int32_t hard = kind == POD_AFFINITY ? HARD_WEIGHT : 0;
                if (pod_matches(t->needs, r->labels))
                    add_around(t, p->node, t->weight ? sign * t->weight : hard, list, n, score);
            }
        }
    }
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
    const struct pod_rules *r = rules_of(s, j);
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
