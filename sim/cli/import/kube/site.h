/* site.h - a Kubernetes cluster as its objects say: the fields of each kind that bear on where and
 * when jobs run, as they stand in the API (docs/your-cluster.md lists them). What the simulator
 * makes of them: jobs.h and the writers.
 *
 * Texts live in `names`; NULL: absent. Times are ns since 1970, NO_TIME: absent. CPU is milli,
 * memory MiB, both rounded down, so that what fits in the API fits here. Labels, selectors,
 * affinities and taints are texts as of sim/cluster/labels.h; an empty value, which these cannot
 * have, is KUBE_EMPTY there, which no value in Kubernetes can be.
 *
 * An object that was read before (kind, namespace, name) is left out. A kind that is not in the
 * table of objects.c, and a field that nothing asked for, are counted in `unread`. What was left
 * out for a reason, or guessed, is a remark. */
#pragma once
#include "sim/base/error.h"
#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/remarks.h"
#include "sim/cli/import/kube/document.h"

#define NO_TIME    INT64_MIN
#define KUBE_EMPTY "_"
/* The label that each pod has in terms between pods: its namespace. */
#define KUBE_NAMESPACE "kubernetes.io/metadata.namespace"

struct kube_pair {
    const char *key, *value;
};
struct kube_node {
    const char *name, *taints;
    struct kube_pair *label;
    uint32_t n_labels;
    int64_t cpu_milli, mem_mib, gpus; /* allocatable; gpus: of a resource that ends in /gpu */
    const char *mig; /* first profile of nvidia.com/mig-PROFILE resources, "1g.5gb=7;..." */
    bool not_ready;
};
/* Pods within one domain of a level; size 0: not given. */
struct kube_slice {
    const char *level;
    int64_t size;
};
/* What one pod asks for, and where it may run. */
struct kube_ask {
    int64_t cpu_milli, mem_mib, gpus;
    int64_t gpu_milli;                             /* share of each of `gpus` GPUs; 0: whole ones */
    int64_t share_mem_mib;                         /* share by memory; 0: none */
    const char *mig;                               /* profile of `gpus` MIG instances; NULL: GPUs */
    const char *selector, *affinity, *tolerations; /* "": none */
    const char *pod_labels;                        /* "k=v;..." of the pod itself */
    /* texts of sim/cluster/pod_terms.h */
    const char *pod_affinity, *pod_anti_affinity, *pod_spread;
    const char *spread_labels; /* some of pod_labels: those that selectors of spreads name */
    size_t spread_least;       /* how many that one names which names fewest */
    const char *priority_class;
    const char *required, *preferred; /* label key of a topology level */
    struct kube_slice *slice;         /* [n_slices] from the outermost layer on; NULL: none */
    size_t n_slices;
    const char *set_group; /* pod sets that are placed together; NULL: by itself */
    int64_t deadline_ns;   /* activeDeadlineSeconds; NO_TIME: none */
    int32_t priority;
    bool has_priority;
};
struct kube_owner {
    const char *kind, *name;
}; /* of the controller, or the only owner; NULL: none */
enum kube_phase { POD_PENDING, POD_RUNNING, POD_SUCCEEDED, POD_FAILED, POD_UNKNOWN };
struct kube_pod {
    const char *ns, *name, *node;
    struct kube_owner owner;
    const char *podgroup; /* annotation pod-group-name: KAI */
    const char *subgroup; /* label subgroup-name of KAI: a leaf of its PodGroup */
    const char *workload; /* of Kueue: annotation, or label of a pod group */
    const char *podset;
    const char *queue, *local_queue; /* labels: KAI's, Kueue's */
    const char *workload_class;      /* label of a WorkloadPriorityClass */
    const char **device;             /* groups of pods that share one GPU: KAI */
    uint32_t n_devices;
    struct kube_ask ask;
    int64_t created_ns, started_ns, finished_ns;
    enum kube_phase phase;
    bool leaving, reservation; /* deletionTimestamp; a pod of KAI that only keeps a shared GPU */
};
struct kube_job { /* batch/v1 */
    const char *ns, *name;
    struct kube_owner owner;
    const char *queue, *local_queue, *workload_class;
    struct kube_ask ask;
    int64_t parallelism, completions, succeeded, min_parallelism; /* the latter 0: all */
    int64_t created_ns, started_ns, finished_ns, deadline_ns;
    bool suspended, failed;
};
struct kube_subgroup {
    const char *name, *required, *preferred; /* levels: NULL or "": none */
    const char *path;   /* names from below the PodGroup down, "prefill/rank0" */
    int64_t min_member; /* of a leaf */
    bool inner;         /* has subgroups below it, and no pods */
};
struct kube_podgroup { /* scheduling.run.ai */
    const char *ns, *name, *queue, *priority_class, *required, *preferred;
    struct kube_subgroup *subgroup; /* NULL: its pods are one group of min_member */
    size_t n_subgroups;
    int64_t min_member, created_ns;
    int preemptible; /* -1: by its priority */
};
struct kube_podset {
    const char *name;
    struct kube_ask ask;
    int64_t count, min_count; /* min_count 0: all */
};
struct kube_place {
    uint32_t podset;
    const char *host;
    int64_t pods;
};                                                                /* of a topology assignment */
struct kube_workload {                                            /* kueue.x-k8s.io */
    const char *ns, *name, *local_queue, *priority_class, *queue; /* queue: it was admitted to */
    struct kube_owner owner;
    struct kube_podset *podset;
    struct kube_place *place;
    size_t n_podsets, n_places, places_capacity;
    int64_t created_ns, admitted_ns, finished_ns, deadline_ns;
    int32_t priority;
    bool has_priority, admitted, failed, inactive;
};
struct kube_class {
    const char *name;
    int32_t value;
    bool is_default;
};
enum { KUBE_GPU, KUBE_CPU, KUBE_MEM, KUBE_AMOUNTS };
#define KUBE_UNLIMITED (-1)
#define KUBE_UNSAID    (-2)
struct kube_queue { /* of KAI: GPUs and CPUs in thousandths, memory in MB */
    const char *name, *parent;
    int64_t quota[KUBE_AMOUNTS], limit[KUBE_AMOUNTS], weight[KUBE_AMOUNTS]; /* weight: millionths */
    int64_t priority, preempt_ns, reclaim_ns; /* NO_TIME: of the parent */
};
struct kube_flavor_quota { /* of Kueue: thousandths, memory in MiB; KUBE_UNSAID: not covered or
                              no limit */
    const char *flavor;
    uint32_t group;
    int64_t nominal[KUBE_AMOUNTS], borrow[KUBE_AMOUNTS], lend[KUBE_AMOUNTS];
};
struct kube_cluster_queue { /* and cohorts */
    const char *name, *parent;
    struct kube_flavor_quota *quota;
    size_t n_quotas, capacity;
    uint32_t n_groups;
    int64_t weight; /* of fair sharing, millionths */
    int strategy, within, reclaim, borrow, can_borrow, can_preempt, preference; /* -1: unsaid */
    int64_t threshold;    /* of borrow_within_cohort; INT64_MIN: none */
    bool is_cohort, fair; /* fair: fair sharing is on, as its status shows */
    bool weighted;
};
struct kube_local_queue {
    const char *ns, *name, *queue;
};
struct kube_flavor {
    const char *name, *labels, *taints, *tolerations, *topology; /* labels "k=v;..." */
};
struct kube_topology {
    const char *name, **level;
    size_t n_levels;
};
struct kube_resource_quota {
    const char *ns;
    int64_t gpus;
}; /* requests.nvidia.com/gpu */

#define KUBE_ARRAY(type, name)                                                                     \
    struct type *name;                                                                             \
    size_t n_##name, name##_capacity
struct kube_site {
    struct intern *names;
    struct intern *read; /* "Kind namespace/name" */
    struct arena *memory;
    struct remarks remarks, unread;
    KUBE_ARRAY(kube_node, nodes);
    KUBE_ARRAY(kube_pod, pods);
    KUBE_ARRAY(kube_job, jobs);
    KUBE_ARRAY(kube_podgroup, podgroups);
    KUBE_ARRAY(kube_workload, workloads);
    KUBE_ARRAY(kube_class, classes);
    KUBE_ARRAY(kube_class, workload_classes);
    KUBE_ARRAY(kube_queue, queues);
    KUBE_ARRAY(kube_cluster_queue, cluster_queues);
    KUBE_ARRAY(kube_local_queue, local_queues);
    KUBE_ARRAY(kube_flavor, flavors);
    KUBE_ARRAY(kube_topology, topologies);
    KUBE_ARRAY(kube_resource_quota, resource_quotas);
    int64_t latest_ns;   /* the latest time that an object has; NO_TIME: none has any */
    bool fair_sharing;   /* a Configuration of Kueue has it */
    const char *actions; /* of KAI's configuration; NULL: not read */
    bool spread;         /* KAI's placement of GPU jobs */
    size_t n_objects, n_files, n_other_files;
};
struct kube_site *kube_site_new(void);
void kube_site_free(struct kube_site *s); /* NULL: does nothing */

/* A file, or a folder and the folders in it: files with names that end in .json, .yaml, .yml
 * or .zip, also with .gz or .zst behind that, by name. 0, or -1 with err: nothing of the site may
 * be used then. */
int kube_site_read(struct kube_site *s, const char *path, struct error *err);
int kube_site_read_bytes(struct kube_site *s, char *text, size_t length, const char *name,
                         struct error *err);

/* Which array grows by one zeroed element, to be filled. */
#define KUBE_ADD(s, array)                                                                         \
    (mem_grow(&(s)->array, &(s)->array##_capacity, (s)->n_##array, sizeof *(s)->array),            \
     memset(&(s)->array[(s)->n_##array], 0, sizeof *(s)->array), &(s)->array[(s)->n_##array++])

/* One object each: `name` and `ns` are those of its metadata. Errors: r->err. */
typedef void kube_taker(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                        const char *ns, const char *name);
kube_taker take_node, take_pod, take_job, take_priority_class, take_resource_quota;
kube_taker take_queue, take_pod_group, take_kai_config;
kube_taker take_cluster_queue, take_cohort, take_local_queue, take_flavor, take_topology,
    take_workload_priority_class, take_workload, take_kueue_config;

/* The pod template `v` (with metadata and spec) of an object of that namespace. */
void kube_ask_read(struct kube_site *s, struct kube_reader *r, struct kube_value *v, const char *ns,
                   struct kube_ask *to);
/* Whether both say the same of other pods. */
bool kube_same_terms(const struct kube_ask *a, const struct kube_ask *b);
/* Taints, and tolerations, as texts of labels.h, from lists of the API. */
const char *kube_taints(struct kube_site *s, struct kube_reader *r, struct kube_value *list);
const char *kube_tolerations(struct kube_site *s, struct kube_reader *r, struct kube_value *list);
/* Slices in layers: a list of { topology, size }. An ask of which `list` is absent is unchanged. */
void kube_layers(struct kube_site *s, struct kube_reader *r, struct kube_value *list,
                 struct kube_ask *to);
/* A single layer. */
void kube_layer(struct kube_site *s, const char *level, int64_t size, struct kube_ask *to);
/* A key or value that the texts of labels.h and pod_terms.h can hold. */
bool kube_is_name(const char *text);
/* "k=v;..." of a mapping. */
const char *kube_labels(struct kube_site *s, struct kube_reader *r, struct kube_value *map);
struct kube_owner kube_owner_read(struct kube_reader *r, struct kube_value *o);
/* A time, which also moves latest_ns; NO_TIME: absent. */
int64_t kube_moment(struct kube_site *s, struct kube_reader *r, struct kube_value *v,
                    const char *key);
struct kube_value *kube_metadata(struct kube_reader *r, struct kube_value *o);
/* A label, or annotation, of an object or template; NULL: absent. */
const char *kube_label(struct kube_reader *r, struct kube_value *o, const char *key);
const char *kube_annotation(struct kube_reader *r, struct kube_value *o, const char *key);
/* The status of a condition: 1 True, 0 False or Unknown, -1 absent; *since_ns (NULL: not wanted)
 * when it became so. */
int kube_condition(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                   const char *type, int64_t *since_ns);
