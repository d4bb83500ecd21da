/* hpa.h - the number of replicas by the Kubernetes horizontal pod autoscaler.
 *
 * After kubernetes/kubernetes:pkg/controller/podautoscaler/{replica_calculator,horizontal}.go, the
 * version that counts added and removed pods in both directions. One decision:
 *
 *   each metric    ratio = mean over the pods that report / target; within the tolerance of 1: no
 *                  change; else ceil(ratio x pods that report). Pods that do not report, and on
 *                  scale-up pods that are not ready, count with the value that damps the change,
 *                  and a change that they reverse is not made: see hpa_wanted()
 *   several        the maximum; if one of them failed, no scale-down
 *   stabilised     at most the minimum recommendation of the up window, at least the maximum of the
 *                  down window
 *   limited        by each policy of the direction, from the count at the beginning of its period
 *   clamped        to least .. most
 *
 * As in exact arithmetic: a quotient within 1e-9 of itself of a whole number, or of the border of
 * the tolerance, is equal to it. A recommendation or a change as old as a window or period is
 * outside. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HPA_REPLICAS_MOST 1000000
#define HPA_POLICIES_MOST 8
#define HPA_METRICS_MOST  8

enum hpa_metric_kind {
    HPA_PODS,                     /* a value of each pod; target: of their mean */
    HPA_RESOURCE,                 /* the same, as a share of the request of the pod: duty, CPU */
    HPA_OBJECT, /* one value of the service; target: of that value. Object and external metrics */
    HPA_OBJECT_AVERAGE,           /* the same; target: per replica (averageValue) */
};
struct hpa_metric { enum hpa_metric_kind kind; double target; };
/* of PODS and RESOURCE: sum over ready pods that report */
struct hpa_reading { bool failed; double value; };
struct hpa_pods {
    uint32_t replicas;            /* the present target */
    uint32_t ready;               /* ready pods that report */
    uint32_t unready, missing;    /* pending or starting; ready without a report */
};

/* largest change, smallest change, none */
enum hpa_select { HPA_SELECT_MAX, HPA_SELECT_MIN, HPA_SELECT_DISABLED };
struct hpa_policy { bool percent; double value; int64_t period_ns; };
struct hpa_rules {                /* scale-up or scale-down */
    double tolerance;
    int64_t window_ns;
    enum hpa_select select;
    size_t n;
    struct hpa_policy policy[HPA_POLICIES_MOST];
};
struct hpa_config {
    uint32_t least, most; /* least 0: scale to zero, and up again by a metric of an object only */
    int64_t period_ns;            /* between decisions */
    size_t n_metrics;
    struct hpa_metric metric[HPA_METRICS_MOST];
    /* false, the older path: only the down window; a step up is at most to max(2 x now, 4) */
    bool behaviour;
    struct hpa_rules up, down;
};
/* Every 15 s; tolerance 0.1; up at once, by at most 100 % or 4 pods in 15 s; down after 300 s, by
 * at most 100 %. No metric. */
extern const struct hpa_config hpa_defaults;

struct hpa;
/* config is borrowed; replicas: the first recommendation */
struct hpa *hpa_new(const struct hpa_config *config, uint32_t replicas, int64_t now_ns);
void hpa_free(struct hpa *h);                                /* NULL: does nothing */
/* One decision: the new target. reading[n_metrics]; times ascend. */
uint32_t hpa_look(struct hpa *h, int64_t now_ns, const struct hpa_pods *pods,
                  const struct hpa_reading *reading);

/* The target by one metric, before all limits. false: unknown (the metric failed, or no pod
 * reports). A pod that does not report counts with its target when ratio < 1 (RESOURCE: with its
 * request, or its target if that is more) and with 0 when ratio > 1; a pod that is not ready counts
 * with 0 when ratio > 1. With such pods there is no change if the new ratio is within the
 * tolerance, on the other side of 1, or would move against its own direction. */
bool hpa_wanted(const struct hpa_config *config, size_t metric, const struct hpa_pods *pods,
                const struct hpa_reading *reading, uint32_t *wanted);
