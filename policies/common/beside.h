/* beside.h - pods beside other pods: required and preferred (anti-)affinity of one pod and the pods
 * that are there, for policies that read job_pods().
 *
 * After
 * kubernetes/kubernetes:pkg/scheduler/framework/plugins/interpodaffinity/{filtering,scoring}.go.
 * The policy says which pods count, by a walk through them; pods of jobs without rules and labels
 * are left out. Filter, for a pod and a node:
 *
 *   affinity       in each required term the node's domain has a pod that all required terms mean;
 *                  or there is none anywhere, and the terms mean the pod itself
 *   anti-affinity  no pod that a required term means is in the node's domain; and no pod in its
 *                  domain has a required term that means this one
 *
 * Score: sum over pods in the node's domain of a key: the weights of this pod's preferred terms
 * that mean them (minus those of anti-affinity); the weights of their preferred terms that mean
 * this one; 1 for each required affinity term of theirs that does. */
#pragma once
#include "sim/contract/policy.h"

struct pod_there { node_id node; const struct pod_rules *rules; };
/* A walk through pods; a copy begins where the original is. */
struct pod_walk {
    bool (*next)(struct pod_walk *w, struct pod_there *pod);    /* false: no more */
    const struct sched *s;
    const void *of;               /* the policy's, as are these: */
    node_id node;
    uint32_t at;
};
/* Evicting pods may help; helps nothing: a key or a pod that is to be beside it is missing. */
enum pod_bar { BARRED = 1, BARRED_FOR_GOOD = 2 };

struct beside_room { bool *together, *beside; };    /* [nodes] of one search at a time */

struct beside_room beside_room(struct sched *s, node_id n_nodes);
/* Rules of a job that has none. */
const struct pod_rules *beside_rules(const struct sched *s, job_id j);
bool beside_within(const struct pod_term *t, node_id a, node_id b);
/* Adds to bars [nodes] where the filter bars a pod of these rules. */
void beside_filter(struct beside_room room, const struct pod_rules *r, struct pod_walk all,
                   node_id n_nodes, uint8_t *bars);
/* Adds the raw scores [nodes]. */
void beside_score(const struct pod_rules *r, struct pod_walk all, node_id n_nodes, int64_t *score);
