/* failures.h - which parts fail, when, and for how long: laws and draws. models.md 8; every number
 * is a key of the cluster file.
 *
 * Each node, leaf switch and job has a stream of draws of its own, and no draw depends on what a
 * policy does: two policies meet the same faults at the same times. Rates are per second inside, as
 * the keys say in the file.
 *
 * What interrupts a job has parts, each a process of its own, so that they add up: faults of its
 * nodes, of their network links, unplanned maintenance of their hosts, and its software. Links and
 * hosts have exponential gaps and are all alike; lemons, relapses and gap_shape are of node faults.
 *
 * Sources: [P] Kokolis et al., HPCA'25 (RSC-1, RSC-2); the Llama 3 report, table 5 (419 unexpected
 * interruptions in 54 days on 16,384 GPUs). [T] stepfun-ai/InfiniteHBD-Trace:fault_trace.json (584
 * faults, 400 servers, 348 days). [A] assumed. */
#pragma once
#include "sim/base/random.h"
#include "sim/base/units.h"
#include "sim/models/closure.h"
#include "sim/models/slow_faults.h"

#include <stdbool.h>

enum fault_cause { /* the first ones are of nodes, in the shares of `mix` */
                   FAULT_GPU,
                   FAULT_STRESS,
                   FAULT_UNKNOWN,
                   FAULT_CABLE,
                   FAULT_FAN,
                   FAULT_NIC,
                   FAULT_POWER,
                   FAULT_TASK,
                   FAULT_OTHER,
                   NODE_CAUSES,
                   FAULT_SWITCH = NODE_CAUSES, /* a leaf switch: its rack is unreachable */
                   FAULT_SOFTWARE,             /* of one job; no node is down */
                   FAULT_NETWORK,  /* a link of a node: what runs there stops, the node is back */
                   FAULT_HOST,                 /* unplanned maintenance of a node */
                   FAULT_SLOW,                 /* a slow node that was found: slow_faults.h */
                   FAULT_CAUSES
};
extern const char *const fault_cause_name[FAULT_CAUSES + 1];      /* ends with NULL */
extern const char fault_mix_words[];  /* names of the first NODE_CAUSES, for messages */
/* 44 % of the mix of [T]: may be scoped to one GPU */
static inline bool fault_is_of_gpu(enum fault_cause c) { return c <= FAULT_STRESS; }

/* Published rates, per node of 8 GPUs and day. `whole`: all interruptions of a job were counted, and
 * the parts are theirs; so switches do not fail besides. */
struct fault_preset {
    const char *name;
    double faults_per_day;
    const double *mix;
    bool whole;
    double network_per_day, host_per_day, software_per_gpu_year;      /* if `whole` */
    int64_t saturation_gpus;                                          /* likewise */
};
enum fault_rate { RATE_NONE, RATE_RSC_1, RATE_RSC_2, RATE_LLAMA_3, RATE_INFINITE_HBD, FAULT_RATES };
extern const struct fault_preset fault_preset[FAULT_RATES];

enum repair_law { REPAIR_WEIBULL, REPAIR_LOGNORMAL, REPAIR_FIXED };

struct failures {                 /* the default in brackets */
    double faults_per_day;        /* per node of 8 GPUs; G GPUs: x G/8, so a node without GPUs never
                                     fails [.0042, T] */
    double gap_shape;             /* Weibull, of the time from repair to the next fault; 1:
                                     exponential [1, A] */
    double lemon_shape;  /* node i's rate x Z_i, Z ~ Gamma(this, mean 1); 0: equal nodes [.93, T] */
    double relapse_share;         /* with this probability the next fault comes after
                                     Exp(relapse_mean) instead [0; .1 A] */
    bool relapses_counted;        /* those faults are among faults_per_day, not besides [`whole`] */
    int64_t relapse_mean_ns;      /* [6 h, A] */
    int gpu_scope;                /* 1: a GPU's fault takes that GPU; 0: its node [0] */
    double mix[NODE_CAUSES];      /* weights [T] */
    double network_faults_per_day;               /* per node of 8 GPUs [0] */
    double host_faults_per_day;                  /* likewise [0] */
    int64_t host_repair_ns;       /* a node is out for so long [2 h, A] */
    double switch_faults_per_year;               /* of each rack's leaf switch [.2, A; `whole`: 0] */
    int64_t switch_repair_ns;     /* [2 h, A] */

    int repair_law;
    double weibull_shape;         /* [.45, T] */
    int64_t weibull_scale_ns;     /* [50.7 h, T] */
    double lognormal_mu, lognormal_sigma;        /* of ln hours [2.71, 2.52, T] */
    int64_t lognormal_most_ns;    /* cut off there [2000 h, T] */
    int64_t fixed_ns;             /* REPAIR_FIXED */
    double remediation_share;     /* share repaired by software, after a lognormal time [0; .6 with
                                     `auto`, A] */
    int64_t remediation_median_ns;               /* [20 min, A] */
    double remediation_sigma;     /* [.8, A] */

    int64_t detection_ns;         /* the gang holds its GPUs for so long [60 s, A] */
    double hang_share;            /* probability of a uniform time from hang_least to hang_most
                                     instead [.1, A] */
    int64_t hang_least_ns, hang_most_ns;         /* [600 s, 1800 s, A] */
    double software_faults_per_day;              /* of a job, while it runs [1/60, A; `whole`: 0] */
    double software_faults_per_gpu_year;         /* and for each of its GPUs [.1, A; `whole`: the
                                                    preset's] */
    uint32_t software_min_gpus;   /* smaller jobs have neither [0] */
    int64_t software_saturation_gpus;            /* beyond these a GPU adds nothing: large jobs are
                                                    tested software [INT64_MAX: none; the preset's] */
    int64_t max_retries;          /* failures that a job survives; INT64_MAX: any number [10, A] */

    uint32_t cordon_faults;       /* so many faults of a node within cordon_within: it stays out for
                                     cordon. 0: never [0] */
    int64_t cordon_within_ns, cordon_ns;         /* [7 d, 7 d, A] */

    struct slow_law slow;         /* [none] */
    uint32_t *spares;             /* [n_groups] nodes of a group that stay in reserve; NULL: none */
    uint32_t *in_reserve;         /* [n_in_reserve] nodes that are in reserve at the beginning, of a
                                     snapshot; owned by the cluster */
    uint32_t n_in_reserve;
    struct planned_outage *planned;              /* [n_planned], owned by the cluster */
    struct given_fault *given;    /* [n_given] ascending by time; faults from the file or a trace,
                                     besides those drawn */
    uint32_t n_planned, n_given;
};
extern const struct failures failures_default;

/* Maintenance of nodes [first, end): jobs that still run at its beginning are preempted (STOP_SAVE),
 * and the nodes are out of service until its end. One that keeps them is a drain alone. */
struct planned_outage {
    uint32_t first, end;
    struct closure when;
};
struct given_fault {
    uint32_t node, gpu;           /* gpu UINT32_MAX: the node, or with FAULT_SWITCH its rack */
    int64_t at_ns, repair_ns, detection_ns;
    uint8_t cause;
};

bool failures_happen(const struct failures *f);              /* anything can fail */
/* parts fail or are taken out, besides slow ones and those in reserve */
bool failures_of_parts(const struct failures *f);

/* Per second. */
double failures_node_rate(const struct failures *f, uint32_t gpus);      /* of an average node */
/* of a job on so many GPUs */
double failures_software_rate(const struct failures *f, double gpus);
/* of its software and its part of average nodes, their links and hosts */
double failures_job_rate(const struct failures *f, double gpus);
/* Z: stream "lemon nodes" */
double failures_lemon(const struct failures *f, uint64_t seed, uint32_t node);

/* Inverse distribution functions, u in (0, 1): seconds. */
double failures_repair_s(const struct failures *f, double u);            /* repair by hand */
/* out of service, by hand or by itself; takes two numbers */
int64_t failures_repair_ns(const struct failures *f, struct random *from);

struct fault {
    int64_t after_ns;  /* from now, or from the end of the last repair; TIME_NEVER: never */
    int64_t repair_ns;            /* out of service, from the fault */
    int64_t detection_ns;
    double gpu_u;                 /* which of the node's GPUs, as a part of 1 */
    enum fault_cause cause;
};
/* Streams "node faults", "switch faults", "network faults", "host faults", "software faults". Every draw of a fault takes the same
 * count of numbers from the stream, so a changed parameter changes nothing else. */
struct fault_stream { struct random random; double rate; bool again; };
void failures_node_stream(const struct failures *f, uint64_t seed, uint32_t node, uint32_t gpus,
                          struct fault_stream *to);
void failures_network_stream(const struct failures *f, uint64_t seed, uint32_t node, uint32_t gpus,
                             struct fault_stream *to);
void failures_host_stream(const struct failures *f, uint64_t seed, uint32_t node, uint32_t gpus,
                          struct fault_stream *to);
void failures_switch_stream(const struct failures *f, uint64_t seed, uint32_t rack,
                            struct fault_stream *to);
struct fault failures_draw(const struct failures *f, struct fault_stream *from);
/* of a link or host: its gaps are exponential; only after_ns and detection_ns count */
struct fault failures_draw_plain(const struct failures *f, struct fault_stream *from);
/* The software of a job fails each time its hazard has grown by another Exp(1). */
void failures_software_stream(uint64_t seed, uint32_t job, struct random *to);
double failures_hazard(struct random *from);                 /* Exp(1) */
/* takes two numbers */
int64_t failures_detection_ns(const struct failures *f, struct random *from);
