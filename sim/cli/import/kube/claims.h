/* claims.h - the queue, priority and preemptibility of a job of a Kubernetes cluster.
 *
 * Priority: of Kueue that of the Workload, or of its WorkloadPriorityClass; of KAI that of the
 * PodGroup's class; else that of the pods, by number or class; else the default class; else 0.
 * Preemptible: as the PodGroup says; in queues of KAI below priority 100 (NVIDIA/KAI-Scheduler:
 * pkg/common/podgroup/preemptible.go); jobs outside KAI's queues are not; all others are. */
#pragma once
#include "sim/cli/import/kube/jobs.h"

/* Sets queue, priority and preemptible of the unit, and j->outside. */
void kube_claim(struct kube_site *s, struct kube_jobs *j, struct kube_unit *u);
/* A ClusterQueue, not a cohort; NULL: none of this name. */
const struct kube_cluster_queue *kube_cluster_queue_find(const struct kube_site *s,
                                                         const char *name);
bool kube_queue_is_inner(const struct kube_site *s,
                         const char *name); /* of KAI: has others below */
