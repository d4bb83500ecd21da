/* services.h - inference services in a run: their replicas are jobs on demand, and those that are ready serve the requests.
 *
 * A service looks at its autoscaler every period; until the number that it wants is there it submits replicas, which wait and compete like any
 * job, and it withdraws those that are too many: first who waits, then who is not ready, the newest of each first. A replica is ready
 * while it makes progress: after its start-up, and not while it is stalled, suspended or stopped. Stopped replicas wait to be started
 * again, like other jobs. Failed ones are replaced at the next look.
 *
 * It begins and ends at times of its own, which no policy changes; then its replicas are withdrawn, and what is unfinished
 * counts as such. Nodes keep its image for good once a replica has started there. */
#pragma once
#include "sim/engine/host.h"
#include "sim/engine/models.h"
#include "sim/results/summary_parts.h"
#include "sim/serving/deployment.h"

struct service_run {
    const struct deployment *of;
    struct service service;       /* its own, with the end of this run */
    struct serving *serving;      /* NULL: not begun, or over */
    struct scaler *scaler;
    job_id first;                 /* its replicas: as many as it may have */
    uint32_t placed, ready;       /* run; of these, serve */
    struct replica { int64_t ready_ns, counted_ns; double speed; } *replica;    /* since when, -1: it is not; the start that was counted last */
    uint64_t *image_at;           /* bit n: node n has its image */
    int64_t next_interval_ns, next_look_ns;
    bool refused;                 /* a replica can never run here */
    uint64_t starts;              /* start-ups that came to their end */
    double arrived;               /* of all intervals told so far */
    uint64_t drawn;
    struct serving_figures total; /* once it is over */
};
extern const struct run_model services_model;
struct services {
    size_t n;
    struct service_run *of;
    uint32_t *owner;              /* [n_on_demand] number of the service; ID_NONE: of none */
};
/* replicas.c */
uint32_t replicas_there(const struct sched *s, const struct service_run *r);  /* submitted, and not withdrawn */
void     replicas_withdraw(struct sched *s, struct service_run *r, uint32_t n);
void     replicas_reconcile(struct sched *s, struct service_run *r);          /* as many as its autoscaler wants */

/* services_results.c */
void services_summarise(struct maker *k);
uint64_t services_drawn(const struct sched *s);              /* of all requests: a hash of what was drawn, the same under every policy */
int  services_check(struct sched *s, struct error *err);
extern const struct metric_kind service_metrics[];
