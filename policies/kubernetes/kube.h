/* kube.h - the model of the policies `kube` and `gang`: bound pods, nominations, the choice of a
 * node.
 *
 * A job's tasks are its pods. `kube` binds them one by one, as the default scheduler of Kubernetes
 * does; `gang` binds all pods of a job (its minimum) or none. queue.h holds the pods that wait,
 * node.c chooses a node, preempt.c frees one. A nomination keeps a freed node for a pod: no other
 * pod of its priority or less may take that room. A shape that has failed is not tried again until
 * `round` grows, for no higher priority and no fewer pods. */
#pragma once
#include "policies/kubernetes/queue.h"
#include "policies/common/beside.h"
#include "policies/common/timers.h"

struct kube_params {
    double preempt, score, cpu, memory, gpu, shape_0, shape_100, balanced, taint_weight,
        affinity_weight, fit_weight, balanced_weight, spread_weight, pod_affinity_weight,
        image_weight, ties, sample, backoff_s, backoff_max_s, blocking, stale_s;
};
enum { BLOCKING_STRICT, BLOCKING_SKIP, BLOCKING_RESERVATION };    /* of gangs */
enum { SCORE_LEAST, SCORE_MOST, SCORE_RATIO };
enum { BALANCED_VALUE, BALANCED_CHANGE };
enum { TIES_NAME, TIES_RANDOM };

/* A bound pod: one task of a job on a node. */
struct pod {
    job_id job;
    uint32_t task;
    node_id node;
    int64_t since_ns;
    bool evicted;                 /* for now, while victims are looked for */
    /* others: of the job; on the node, both ways. ID_NONE ends */
    uint32_t of_job, after, before;
};
struct nomination { job_id job; uint32_t task; node_id node; int32_t priority; };
struct shape_facts {              /* made when the shape is first seen */
    bool made, indifferent;       /* equal affinity to every node that it may use */
    bool fits;                    /* some node that it may use, when empty, has room for a pod */
};
/* It found no place then, nor would with less priority or more pods that have to find one
 * together. */
struct failure { uint64_t round; int32_t priority; uint32_t least; };
struct candidate { node_id node; int64_t score; struct node_affinity affinity; };
struct kube {
    const struct kube_params *params;
    bool gang;                    /* all pods of a job (its minimum) or none */
    bool limited;                 /* some queue has a limit */
    struct kube_queue queue;
    uint64_t seen;                /* room version of the last pass */
    uint64_t round;               /* grows with all that may help a pod */
    /* pods may have a kind (queue.h), 1 + the shape, which of a limited queue is its own: nothing but the
     * room for it and the limit keeps a gang waiting, and no node is reserved, where the reason would be
     * the world's to change */
    bool alike;
    bool withdrawn;               /* jobs were since the last pass */
    uint8_t *fails_for;           /* [n_kinds] in this pass since something started (queue.h) */
    size_t n_kinds;
    bool some_fail;               /* not all of these are 0 */
    struct pod *pod;              /* [n_pods] bound ones, without gang */
    size_t n_pods, pod_capacity;
    uint32_t free_pod;
    uint32_t *on_node;            /* first pod by node */
    /* some job that has come says something of pods; until then labels mean nothing (pods.c) */
    bool pods_speak;
    int64_t image_bytes;          /* of any image; 0: not known, or ImageLocality has no weight */
    uint8_t *barred;              /* [n_nodes] enum pod_bar, of the pod that is looked at */
    struct pods_room *pods;
    node_id n_nodes, next_start;  /* where the next sampled search begins */
    struct candidate *candidate;  /* [n_nodes] room for one search */
    struct nomination *nomination;
    size_t n_nominations, nomination_capacity;
    struct shape_facts *shape;
    struct failure *failed;       /* by shape */
    size_t n_shapes;
    uint32_t epochs;
    /* With gang: */
    /* the gang that was the first not to fit in the last pass; ID_NONE: none, or blocking=skip */
    job_id head;
    /* in this pass: no gang passes the head; the head has a reservation */
    bool shut, reserved;
    /* not placed in this pass, and keeping their places in the line */
    struct waiting_pod *passed;
    size_t n_passed, passed_capacity;
    struct timers incomplete;     /* gangs that lack their minimum */
};
struct kube_job {                 /* of a job that wants or holds something */
    uint32_t epoch;               /* of its arrival: pods of an earlier one are stale */
    uint32_t first_pod;
};

/* ---- node.c ---- */
/* One pod of r as a request: a job that gives only a total is one pod. */
struct request kube_pod(const struct request *all, uint32_t task);
uint32_t kube_pods(const struct request *all);       /* of all runs */
uint32_t kube_pods_of(const struct request *run);
/* Neither the job nor a group of it has to lie within a domain. */
bool kube_by_pods(const struct job_facts *f);
const struct shape_facts *kube_shape(struct sched *s, struct kube *k, const struct request *pod);
/* Nothing but room keeps a pod of j from n. */
bool kube_allows(struct sched *s, job_id j, const struct request *pod, node_id n);
/* The best feasible node for a pod of job j; false: none. */
bool kube_choose(struct sched *s, struct kube *k, job_id j, const struct request *pod, node_id *n);

/* ---- preempt.c ---- */
/* Frees one node by stopping pods of lower priority, and nominates it for a pod of j. false: no
 * node can be freed. */
bool kube_preempt(struct sched *s, struct kube *k, job_id j, const struct request *pod);
/* A pod of j fits beside what pods of no lower priority are nominated for. */
bool kube_fits_beside_nominated(const struct sched *s, const struct kube *k, job_id j,
                                const struct request *pod, node_id n);
/* The victims of the pod have not all left yet. */
bool kube_awaits_victims(const struct sched *s, const struct kube *k, job_id j, uint32_t task);
/* NULL: it is not. */
const struct nomination *kube_nominated(const struct kube *k, job_id j, uint32_t task);

void kube_pod_bound(struct sched *s, struct kube *k, job_id j, uint32_t task, node_id n,
                    int64_t since_ns);
void kube_pod_gone(struct kube *k, uint32_t i);    /* it leaves the lists, but that of its job */
/* Of one pod, or of ALL_PODS of a job. What was kept for it may help others. */
void kube_forget_nomination(struct kube *k, job_id j, uint32_t task);

/* ---- kube.c ---- */
bool kube_holds(const struct sched *s, job_id j, uint32_t task);
bool kube_bind(struct sched *s, struct kube *k, job_id j, const struct request *pod);

/* ---- gang.c ---- */
bool gang_bind(struct sched *s, struct kube *k, job_id j);
/* The gang keeps its place in the line, unless blocking=skip. false: it is to be set aside. */
bool gang_keeps_place(struct sched *s, struct kube *k, const struct waiting_pod *pod,
                      enum wait_reason why);
void gang_pass_begins(struct sched *s, struct kube *k);
void gang_pass_ends(struct sched *s, struct kube *k);
void gang_arrived(struct sched *s, struct kube *k, job_id j);
unsigned gang_needs(const void *params);
