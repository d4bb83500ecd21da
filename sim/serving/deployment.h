/* deployment.h - a service as a workload declares it, apart from what a scheduler sees of its replicas: those are jobs on demand of
 * the workload, as many as it may have at most, named NAME/0, NAME/1, ... */
#pragma once
#include "sim/serving/scaler.h"

struct arena;
struct replica_speed { const char *gpu_type; double speed; };    /* over that of the reference */

/* A replica is ready after (models.md 4.6): its image is pulled, from where there was none of it on some of its nodes or from
 * their own disks; its weights are loaded; it has warmed up. */
struct replica_start {
    int64_t pull_cold_ns, pull_cached_ns, load_ns, warm_up_ns;
    bool was_there;               /* before it begins: who gets its GPUs at that very time is ready at once */
};

struct deployment {
    struct service service;       /* demand.end_ns TIME_NEVER: with the last arrival of a job of the workload */
    struct scaler_config scaler;
    struct replica_start start;
    size_t n_speeds;
    struct replica_speed *speed;  /* 1 on all others */
    struct request_list *replay;  /* what service.demand.replay borrows; NULL: none */
};
struct deployments {
    size_t n;
    struct deployment *of;
    uint64_t seed;                /* of all requests */
    struct arena *memory;         /* of what is pointed to */
};
struct deployments *deployments_new(void);
void deployments_free(struct deployments *d);                /* NULL: does nothing */
double deployment_speed(const struct deployment *d, const char *gpu_type);
int64_t replica_start_ns(const struct replica_start *s, bool cold);
