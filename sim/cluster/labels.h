/* labels.h - labels and taints of nodes, and selectors, affinities and tolerations of jobs: rules
 * of Kubernetes, in short texts.
 *
 *   labels       key=value;key=value        of a node. Every node with GPUs also has
 *                                           gpu_type=MODEL
 *   taints       key[=value]:Effect;...     of a node; Effect: NoSchedule PreferNoSchedule
 *                                           NoExecute
 *   selector     key=value;key=value        all of them must be labels of the node
 *   affinity     [WEIGHT:]NEED&NEED;...     a term without weight is required (of several, one must
 *                                           hold), a term with a weight of 1 to 100 is preferred.
 *                                           NEED: key=a|b key!=a|b key !key key>5 key<5
 *   tolerations  key[=value][:Effect];...   tolerated taints; without value: any value, without
 *                or *                       effect: all effects; *: all taints.
 *                                           NoExecute@30: for 30 s once it runs beside the taint
 *
 * Empty texts are allowed and mean none. After Kubernetes: concepts/scheduling-eviction,
 * assign-pod-node and taint-and-toleration. A node has its taints from the beginning, so that
 * NoExecute is NoSchedule; that of a reservation (reservations.h) comes and goes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL: the text is well formed; else what is wanted, for "want ..., got ...". */
const char *labels_wrong(const char *text);
const char *taints_wrong(const char *text);
const char *selector_wrong(const char *text);
const char *affinity_wrong(const char *text);
const char *tolerations_wrong(const char *text);

/* The label is there; both have the same value of it. */
bool labels_have(const char *labels, const char *key);
bool labels_agree(const char *a, const char *b, const char *key);
bool selector_holds(const char *selector, const char *labels);
bool affinity_holds(const char *affinity, const char *labels);        /* its required terms */
/* sum of the weights of the preferred terms that hold */
int64_t affinity_weight(const char *affinity, const char *labels);
/* of NoSchedule and NoExecute taints; _by: by either of two texts */
bool taints_tolerated(const char *taints, const char *tolerations);
bool taints_tolerated_by(const char *taints, const char *tolerations, const char *more);
/* For how long a job may run beside one taint, by the first toleration that means it: -1: not at
 * all; INT64_MAX: for ever; else seconds. */
int64_t taint_tolerated_s(const char *taint, const char *tolerations);
/* PreferNoSchedule taints that are not tolerated */
uint32_t taints_avoided(const char *taints, const char *tolerations);

/* A flavor, which is a kind of nodes with these labels and taints, allows a job. Of selector and
 * affinity only keys that the flavor labels count: other labels of its nodes are not known. A term
 * of the affinity with none of these keys makes the whole affinity hold
 * (kubernetes-sigs/kueue:pkg/scheduler/flavorassigner/flavorassigner.go, flavorSelector). */
bool flavor_selected(const char *labels, const char *selector, const char *affinity);
