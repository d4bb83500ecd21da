/* pods.h - pods beside other pods, for `kube`: see pods.c. */
#pragma once
#include "policies/kubernetes/kube.h"

/* k->barred: the nodes (enum pod_bar) where the rules of pods do not allow a pod of j. */
void pods_filter(struct sched *s, struct kube *k, job_id j, const struct request *pod);
/* The rules of pods allow it on n without the pods marked as evicted. */
bool pods_allow(const struct sched *s, const struct kube *k, job_id j, const struct request *pod,
                node_id n);
/* Nodes have room for it, and are barred. */
bool pods_bar(struct sched *s, struct kube *k, job_id j, const struct request *pod);
/* Adds the weighed scores of these nodes. */
void pods_score(struct sched *s, const struct kube *k, job_id j, const struct request *pod,
                struct candidate *list, size_t n);
