/* jobs.h - which pods are one job, and what a Kubernetes cluster runs, queues and has run.
 *
 * A job is, of these the first that a pod belongs to:
 *   the PodGroup of KAI that the pod is annotated with, whether or not that object was read;
 *   the Workload of Kueue that it is annotated or labelled with, or that its topmost owner owns;
 *   that owner: a Job, or a kind that was not read (PyTorchJob, RayCluster, ...);
 *   the pod itself, if it has none or one of pods that serve alone (ReplicaSet, StatefulSet, ...).
 * Owners are followed through the Jobs that were read. Workloads, PodGroups and Jobs without pods
 * are jobs by what they say of their pods. A pod of a DaemonSet or of the node itself, one that KAI
 * keeps a shared GPU with, and, unless cpu_jobs, one without GPUs and without a queue is
 * background: if it is on a node, its CPUs and memory are taken off that node, and it is no job.
 *
 * Pods that ask for the same are one group of tasks. A job of one group has all pods that it is to
 * have (parallelism, or the count of the pod set), also those that are not there yet. Groups of a
 * PodGroup have a path: the subgroup that their pods are labelled with, "." for a PodGroup without
 * subgroups; groups of one path share its minimum. A pod of no subgroup, which KAI does not start,
 * is left out if it waits, and of path "_" if it runs. Tasks that run come first: paths that run
 * whole, then one that runs in part, and inside it likewise. Where that is not possible, or the
 * node is not in the cluster file, the job waits instead, and a remark says so.
 *
 * Queues: ClusterQueues by LocalQueue; those of KAI; or namespaces. A job without one, beside
 * queues, is in the queue `outside`. */
#pragma once
#include "sim/cli/import/kube/site.h"

enum kube_queues { QUEUES_KUEUE, QUEUES_KAI, QUEUES_NAMESPACES };
enum kube_state { KUBE_WAITS, KUBE_RUNS, KUBE_ENDED, KUBE_LEFT }; /* left out */
#define NO_NODE UINT32_MAX

struct kube_task { /* pods of a group that run on one node */
    uint32_t node; /* in site->nodes */
    uint32_t pod;  /* in site->pods; NO_NODE: was not read */
    int64_t times;
    uint64_t gpus; /* which GPUs of the node; 0: any */
};
struct kube_group {
    const char *name; /* of the pod set; NULL: none */
    const char *path; /* of the trace's column; NULL: the number of the group and its name */
    const struct kube_ask *ask;
    struct kube_task *task; /* [n_tasks] those that run */
    size_t n_tasks, capacity;
    int64_t n, running; /* pods, and those of them that run */
    int64_t least;      /* that it needs at once; 0: all; its part of the minimum of its path */
    uint32_t pod;       /* the first that was read; NO_NODE: none */
};
struct kube_unit {                 /* a job of the trace */
    const char *ns, *name, *queue; /* queue: NULL: none */
    const struct kube_podgroup *podgroup;
    const struct kube_workload *workload;
    const struct kube_job *job;
    struct kube_group *group;
    size_t n_groups, groups_capacity;
    enum kube_state state;
    int64_t created_ns, started_ns, finished_ns, deadline_ns;
    int32_t priority;
    bool preemptible, failed, ended;
    bool lone;       /* a pod that is a job of its own */
    uint32_t rounds; /* completions that are left, in rounds of its parallelism */
};
struct kube_jobs {
    struct kube_unit *unit;
    size_t n, capacity;
    enum kube_queues queues;
    struct intern *keys;                      /* of units: numbers are positions in unit */
    struct intern *nodes;                     /* names of nodes: positions in site->nodes */
    int64_t *taken_cpu_milli, *taken_mem_mib; /* [nodes of the site] by background pods */
    size_t background;
    bool outside; /* the queue has jobs */
};
#define OUTSIDE "outside"

void kube_jobs_make(struct kube_site *s, struct kube_jobs *j, bool cpu_jobs);
void kube_jobs_free(struct kube_jobs *j);
/* What says where the pods of the group may run: before topology-aware scheduling pins them to
 * nodes. */
const struct kube_ask *kube_wishes(const struct kube_unit *u, const struct kube_group *g);
