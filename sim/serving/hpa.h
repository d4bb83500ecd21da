/* hpa.h - how many replicas the Kubernetes horizontal pod autoscaler wants.
 *
 * After kubernetes/kubernetes:pkg/controller/podautoscaler/{replica_calculator,horizontal}.go, the version that counts added and
 * removed pods in both directions. One look of it:
 *
 *   each metric    ratio = mean over the pods that report / target; within the tolerance of 1: as many as there are;
 *                  else ceil(ratio x pods that report). Pods that do not report, and on the way up those that are not ready,
 *                  count at what is least in favour of the change, and one that they turn round is not made: see hpa_wanted()
 *   several        the greatest; if one of them failed, no fewer than there are
 *   stabilised     no more than the least of the up window wants, no fewer than the greatest of the down window
 *   limited        by what each policy of the direction allows since the count at the beginning of its period
 *   clamped        to least .. most
 *
 * In exact arithmetic: a quotient that is off a whole number, or off the edge of the tolerance, by less than 1e-9 of itself is
 * taken to be on it. A recommendation or a change that is as old as a window or period is not in it any more. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HPA_REPLICAS_MOST 1000000
#define HPA_POLICIES_MOST 8
#define HPA_METRICS_MOST  8

enum hpa_metric_kind {
    HPA_PODS,                     /* a number of each pod; target: what it should be on the mean */
    HPA_RESOURCE,                 /* likewise, as a share of what the pod requests: duty, CPU */
    HPA_OBJECT,                   /* one number of the whole service; target: what it should be. Object and external metrics */
    HPA_OBJECT_AVERAGE,           /* likewise; target: for each replica (averageValue) */
};
struct hpa_metric { enum hpa_metric_kind kind; double target; };
struct hpa_reading { bool failed; double value; };    /* of PODS and RESOURCE: the sum over the pods that are ready and report */
struct hpa_pods {
    uint32_t replicas;            /* that there should be now */
    uint32_t ready;               /* and report */
    uint32_t unready, missing;    /* pending or starting; ready and do not report */
};

enum hpa_select { HPA_SELECT_MAX, HPA_SELECT_MIN, HPA_SELECT_DISABLED };    /* the greatest change, the smallest, none */
struct hpa_policy { bool percent; double value; int64_t period_ns; };
struct hpa_rules {                /* of one direction */
    double tolerance;
    int64_t window_ns;
    enum hpa_select select;
    size_t n;
    struct hpa_policy policy[HPA_POLICIES_MOST];
};
struct hpa_config {
    uint32_t least, most;         /* least 0: it may go to none, and come back by a metric of an object alone */
    int64_t period_ns;            /* of its looks */
    size_t n_metrics;
    struct hpa_metric metric[HPA_METRICS_MOST];
    bool behaviour;               /* false, the older path: the down window alone, and one step up is at most max(2 x now, 4) */
    struct hpa_rules up, down;
};
/* Every 15 s; tolerance 0.1; up at once, by at most 100 % or 4 pods in 15 s; down after 300 s, by at most 100 %. No metric. */
extern const struct hpa_config hpa_defaults;

struct hpa;
struct hpa *hpa_new(const struct hpa_config *config, uint32_t replicas, int64_t now_ns);    /* borrowed; `replicas` is the first recommendation */
void hpa_free(struct hpa *h);                                /* NULL: does nothing */
/* One look: how many there should be from now on. reading[n_metrics]; times ascend. */
uint32_t hpa_look(struct hpa *h, int64_t now_ns, const struct hpa_pods *pods, const struct hpa_reading *reading);

/* What one metric wants, before all limits. false: nothing can be said (it failed, or no pod reports).
 * Pods that do not report count as their target when ratio < 1 (RESOURCE: as all of their request, or their target if that is
 * more) and as 0 when it is above; those not ready, when it is above, as 0. With either, what comes of it is as many as there are if the new ratio is
 * within the tolerance, on the other side of 1, or would move against its own direction. */
bool hpa_wanted(const struct hpa_config *config, size_t metric, const struct hpa_pods *pods, const struct hpa_reading *reading,
                uint32_t *wanted);
