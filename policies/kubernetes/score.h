/* score.h - how the default scheduler of Kubernetes scores a node: its integer formulas, each from
 * 0 to 100.
 *
 * After
 * kubernetes/kubernetes:pkg/scheduler/framework/plugins/noderesources/{least_allocated,most_allocated,
 * requested_to_capacity_ratio,balanced_allocation}.go,
 * framework/plugins/{podtopologyspread,interpodaffinity}/scoring.go,
 * framework/plugins/imagelocality/image_locality.go and
 * framework/plugins/helper/normalize_score.go. Divisions truncate. `requested` counts what runs on
 * the node and the pod to be placed; a capacity of 0 is for the caller to leave out. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int64_t kube_least_allocated(int64_t requested, int64_t capacity);
/* More than there is counts as all. */
int64_t kube_most_allocated(int64_t requested, int64_t capacity);
/* Piecewise linear between points (percent used, score from 0 to 10), ascending; beyond them as at
 * the end. */
struct kube_point { int64_t percent, score; };
int64_t kube_ratio(const struct kube_point *shape, size_t n, int64_t requested, int64_t capacity);
/* Weighted means of such scores over the resources: truncated; or rounded, leaving out resources
 * with score 0. */
int64_t kube_mean(const int64_t *score, const int64_t *weight, size_t n);
int64_t kube_mean_of_scored(const int64_t *score, const int64_t *weight, size_t n);
/* 100 (1 - standard deviation of the fractions used, each at most 1); of one fraction 100. */
int64_t kube_balanced(const double *fraction, size_t n);
/* What one preferred spread adds to the raw score of a node: pods in its domain, so many domains:
 * pods ln(domains + 2) + skew - 1. The sum is rounded; then the less the better, between the least
 * and the most of the nodes: 100 (most + least - value) / most. */
double kube_spread(int64_t pods, int64_t domains, int64_t skew);
int64_t kube_rounded(double raw);
int64_t kube_spread_normalised(int64_t value, int64_t least, int64_t most);
/* The more the better: 100 (value - least) / (most - least); 0 if all are equal. */
int64_t kube_between(int64_t value, int64_t least, int64_t most);
/* Of a pod with one container on a node that has its image, which so many of all nodes have: the
 * size counts as bytes x with / nodes, truncated, from 23 to 1000 MiB: 100 (that - 23) / (1000 -
 * 23). */
int64_t kube_image(int64_t bytes, int64_t with, int64_t nodes);
/* Part of the most that any feasible node has; reversed: the less the better. */
int64_t kube_normalised(int64_t value, int64_t most, bool reversed);
