/* pod_terms.h - what the pods of a job say of other pods: rules of Kubernetes, in short texts.
 *
 *   pod_labels         key=value;key=value          of all its pods
 *   pod_affinity       [WEIGHT:]NEED&NEED@KEY;...   in one domain of KEY with pods of such labels;
 *   pod_anti_affinity  the same                     with none of them. Without a weight required,
 *                                                   with one of 1 to 100 preferred. NEED as in an
 *                                                   affinity
 *   pod_spread         [soft:]SKEW@KEY;...          pods with all its labels: at most SKEW more in
 *                                                   a domain than where there are fewest; soft:
 *                                                   preferred
 *
 * KEY: node, rack or pod (levels of the topology), or a label of nodes: a domain is the nodes with
 * one value, others are in none. After Kubernetes: concepts/scheduling-eviction, assign-pod-node and
 * topology-spread-constraints. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL: well formed; else what is wanted. */
const char *pod_terms_wrong(const char *text);
const char *pod_spread_wrong(const char *text);

struct pod_term_text {
    const char *needs, *key;      /* not ended: needs_n and key_n characters */
    size_t needs_n, key_n;
    int32_t weight, skew;         /* weight 0: required; skew 0: not of a spread */
};
/* The next term of a well formed text, and the rest of it; false: no more. */
bool pod_term_next(const char **rest, bool spread, struct pod_term_text *to);
