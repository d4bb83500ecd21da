/* services.h - inference services in a run: their replicas are jobs on demand, and the ready ones serve the requests.
 *
 * A service evaluates its autoscaler every period. Until the number of replicas that it wants is there it submits replicas, which
 * wait and compete like any job; it withdraws those that are too many: waiting ones first, then those that are not ready, the
 * newest of each first. A replica is ready while it makes progress: after its start-up, and not while it is stalled, suspended or
 * stopped. Stopped replicas wait to be started again, like other jobs. Failed ones are replaced at the next evaluation.
 *
 * A ready replica serves at the speed of its GPU type x the pace of its job, as it changes. Its duty, the share of the last 60 s in
 * which it served, is its job's until the next 60 s are over (pace_duty(): power, neighbours, busy GPUs); 0 at first. Of one that runs
 * step by step the clock of its GPUs is not part of the speed: it slows what a step computes (serving_replica_clock()).
 *
 * A service that depends on jobs is not there before its dependencies are met
 * (sim/engine/dependencies.h); from then on its times count, and its requests come. If they never
 * can be, it never begins: no requests, no replicas, and a note says so. Any other service begins
 * and ends at times of its own, which no policy changes. At its end its replicas are withdrawn, and unfinished requests
 * count as such. A node keeps its image for good once a replica has started there. Conservation, checked at the end of every run:
 * requests that arrived = served + dropped + unfinished, of the service and of the sum of its intervals.
 *
 * services.csv has a row for each service and interval of its statistics. */
#pragma once
#include "sim/engine/state.h"
#include "sim/serving/figures.h"

struct service_row {              /* an interval of a service that is over: what run_observer.row gets of services_model */
    const char *name;
    uint32_t wanted, placed, ready;    /* replicas at its end */
    const struct serving_figures *figures;
};
extern const struct run_model services_model;
uint64_t services_drawn(const struct sched *s);              /* hash of all requests drawn: without services after jobs the same under every policy; 0: none */
