/* service.h - an inference service apart from its replicas: requests, service times, SLO. models.md
 * 4.
 *
 * GPUs and nodes are those of its replicas, which a run places. Times are on a replica of speed
 * 1. */
#pragma once
#include "sim/models/draws/arrivals.h"
#include "sim/models/draws/law.h"
#include "sim/serving/service_time.h"
#include "sim/serving/request_list.h"

enum service_mode { SERVICE_FLUID, SERVICE_REQUESTS };       /* fluid.h, request_queue.h */

/* Which replica takes a request. CENTRAL: one queue; the free replica with the fewest requests,
 * then the smallest id; not of TIME_ENGINE, where each replica has a queue. JSQ: the queue of the
 * replica with the fewest requests, then the smallest id. RANDOM2: the shorter queue of two drawn
 * replicas. ROUND_ROBIN: each ready replica in turn, by id. PREFIX: of TIME_ENGINE, the replica
 * that has most of the leading ids of the prompt; of several as JSQ. ADAPTER: likewise the one that
 * has the adapter on its GPU, else in the memory of its host. MODEL: the same with its model, but a
 * replica with as many requests as it runs at once counts as if it lacked it. */
enum dispatch {
    DISPATCH_CENTRAL, DISPATCH_JSQ, DISPATCH_RANDOM2, DISPATCH_ROUND_ROBIN, DISPATCH_PREFIX,
    DISPATCH_ADAPTER, DISPATCH_MODEL
};
enum lost_requests { LOST_REQUEUE, LOST_DROP };              /* of a replica that stops */

struct service_demand {
    struct arrival_law arrivals;
    struct calendar calendar;
    double rate;                  /* per second, on the first day */
    const struct request_list *replay;       /* borrowed; NULL: drawn from the laws above */
    double time_scale;            /* of the replay: factor of every gap; 2 is half the rate */
    /* squared coefficient of variation of gaps, for fluid mode; NAN: of the law or list */
    double gap_c2;
    /* of an LLM, if the replay has none; rounded, at least 1 */
    struct law prompt_tokens, output_tokens;
    int64_t start_ns, end_ns;     /* of arrivals; TIME_NEVER: no end */
};
enum time_kind {
    TIME_LAW,                     /* one at a time, by a law */
    TIME_RECORDED,                /* one at a time, of the replay */
    TIME_BATCH, TIME_LLM,
    TIME_ENGINE,                  /* an LLM, step by step: llm/loop.h */
};
struct service_time {
    enum time_kind kind;
    struct law law;
    struct batch_model batch;
    struct llm_model llm;
    struct llm_batching engine;
};
struct service_slo {
    double share;                 /* of requests that should meet the targets: 0.99 */
    double latency_s;             /* arrival to end; INFINITY: no target */
    /* of an LLM: time to first token; (end - first)/output tokens; INFINITY */
    double first_token_s, per_token_s;
};
#define SLO_WINDOW_NS (INT64_C(60) * INT64_C(1000000000))

struct service {
    const char *name;             /* names its random streams; borrowed */
    enum service_mode mode;
    enum dispatch dispatch;       /* fluid mode uses CENTRAL for all */
    enum lost_requests lost;
    double timeout_s; /* longest wait before service begins; then dropped. INFINITY: none */
    int64_t interval_ns;          /* of statistics: 60 s */
    struct service_demand demand;
    struct service_time time;
    struct service_slo slo;
};
struct service service_default(void);        /* all but name, rate and laws; models.md 4 */

/* requests that a replica serves at once, at most */
uint32_t service_slots(const struct service *s);
double   service_mean_s(const struct service *s); /* of one request alone on a replica of speed 1 */
/* requests per second of one replica of speed 1, at most */
double   service_capacity(const struct service *s);
bool     service_is_llm(const struct service *s);
/* Whether the parts fit each other; -1 with err "service NAME: ...". Single fields are checked by
 * the reader. */
int      service_check(const struct service *s, struct error *err);
