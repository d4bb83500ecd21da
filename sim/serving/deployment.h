/* deployment.h - a service as a workload declares it. Its replicas are jobs on demand of the
 * workload, as many as its maximum, named NAME/0, NAME/1, ... */
#pragma once
#include "sim/serving/scaler.h"

struct arena;
struct replica_speed { const char *gpu_type; double speed; };    /* relative to the reference */

/* A replica is ready after (models.md 4.6): the pull of its image, cold if a node of it has no
 * copy; the load of its weights; the warm-up. */
struct replica_start {
    int64_t pull_cold_ns, pull_cached_ns, load_ns, warm_up_ns;
    int64_t read_bytes;           /* of TIME_ENGINE: weights, which the storage may give slower */
    bool was_there; /* a replica that is placed at the start of the service is ready at once */
};

struct deployment {
    struct service service; /* demand.end_ns TIME_NEVER: ends with the last arrival of a job */
    struct scaler_config scaler;
    struct replica_start start;
    size_t n_speeds;
    struct replica_speed *speed;  /* [n_speeds]; all other types have 1 */
    size_t line;                  /* of the workload file, for messages */
    struct request_list *replay;  /* owned; service.demand.replay borrows it; NULL: none */
};
struct deployments {
    size_t n;
    struct deployment *of;
    uint64_t seed;                /* of all requests */
    struct arena *memory;         /* owns all that is pointed to, but the replays */
};
struct deployments *deployments_new(void);
void deployments_free(struct deployments *d);                /* NULL: does nothing */
double deployment_speed(const struct deployment *d, const char *gpu_type);
/* read_ns: what the storage takes for read_bytes; 0: it has no limit */
int64_t replica_start_ns(const struct replica_start *s, bool cold, int64_t read_ns);
