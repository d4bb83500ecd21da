/* service.h - what there is to know of an inference service, apart from the replicas that it has: models.md 4.
 *
 * GPUs, nodes and prices are those of its replicas, which a run places. Times are those on a replica of speed 1. */
#pragma once
#include "sim/models/draws/arrivals.h"
#include "sim/models/draws/law.h"
#include "sim/serving/service_time.h"
#include "sim/serving/request_list.h"

enum service_mode { SERVICE_FLUID, SERVICE_REQUESTS };       /* fluid.h, request_queue.h */

/* Who takes a request. CENTRAL: one queue; the free replica with the fewest requests, then the smallest id. JSQ: the queue
 * of the replica with the fewest requests, then the smallest id. RANDOM2: the shorter queue of two replicas drawn. */
enum dispatch { DISPATCH_CENTRAL, DISPATCH_JSQ, DISPATCH_RANDOM2 };
enum lost_requests { LOST_REQUEUE, LOST_DROP };              /* of a replica that goes */

struct service_demand {
    struct arrival_law arrivals;
    struct calendar calendar;
    double rate;                  /* per second, on the first day */
    const struct request_list *replay;       /* borrowed; NULL: by the laws above */
    double time_scale;            /* of the replay: every gap times that; 2 is half the rate */
    double gap_c2;                /* squared coefficient of variation of gaps, for fluid mode; NAN: that of the law or list */
    struct law prompt_tokens, output_tokens; /* of an LLM, where the replay does not tell; rounded, at least 1 */
    int64_t start_ns, end_ns;     /* when requests come; TIME_NEVER: they do not end */
};
enum time_kind {
    TIME_LAW,                     /* one at a time, by a law */
    TIME_RECORDED,                /* one at a time, as the replay tells */
    TIME_BATCH, TIME_LLM,
};
struct service_time {
    enum time_kind kind;
    struct law law;
    struct batch_model batch;
    struct llm_model llm;
};
struct service_slo {
    double share;                 /* of requests that shall keep it: 0.99 */
    double latency_s;             /* arrival to end; INFINITY: not asked for */
    double first_token_s, per_token_s;       /* of an LLM, likewise: time to first token; (end - first)/output tokens */
};
#define SLO_WINDOW_NS (INT64_C(60) * INT64_C(1000000000))

struct service {
    const char *name;             /* names the streams of what is drawn; borrowed */
    enum service_mode mode;
    enum dispatch dispatch;       /* fluid mode knows CENTRAL only, and takes the others for it */
    enum lost_requests lost;
    double timeout_s;             /* a request that has waited longer, and never began, is dropped; INFINITY: none is */
    int64_t interval_ns;          /* of statistics: 60 s */
    struct service_demand demand;
    struct service_time time;
    struct service_slo slo;
};
struct service service_default(void);        /* everything but name, rate and laws; see models.md 4 */

uint32_t service_slots(const struct service *s);             /* how many requests a replica serves at once */
double   service_mean_s(const struct service *s);            /* of one request alone on a replica of speed 1 */
double   service_capacity(const struct service *s);          /* requests per second of one replica of speed 1, at most */
bool     service_is_llm(const struct service *s);
/* Whether the parts fit each other: "service NAME: ...". What a reader can say of one field alone it says itself. */
int      service_check(const struct service *s, struct error *err);
