/* figures.h - the requests of a service in an interval of time: counts, delays, use of replicas. */
#pragma once
#include <math.h>
#include <stdint.h>

struct delays { double mean_s, p50_s, p90_s, p95_s, p99_s; };  /* NAN: of no request */
struct serving_figures {
    int64_t from_ns, to_ns;
    double arrived, served, dropped;         /* in fluid mode not whole numbers */
    double unfinished;            /* at to_ns: waiting or in service; in fluid mode the backlog */
    double kept;                  /* served within every target of the SLO */
    struct delays latency; /* arrival to end, of requests that ended served in the interval */
    struct delays first_token, per_token;    /* of an LLM */
    double replica_s, busy_s; /* of ready replicas; of replicas that serve at least one request */
    double concurrency_s;         /* integral of the number of requests in service */
    /* minutes in which a request ended; those in which the share of the SLO met it */
    double windows, windows_kept;
    double prompt_tokens, output_tokens;     /* of served requests */
    struct engine_figures {       /* of replicas that run step by step; else 0 */
        struct delays gap;        /* between two tokens of a request; only of mode requests */
        double rejected;          /* of the dropped: can never fit into the KV cache */
        double preempted;         /* times that a request lost its KV cache to others */
        double computed_tokens, skipped_tokens;    /* of prompts: in steps; known by prefix */
        double loads, loads_from_storage;    /* sets of weights brought to a rank; of these */
        double load_s;            /* by which steps took longer for it */
        double gpu_s;             /* of the busy time, time of the GPU */
        double kv_s, kv_peak;     /* integral of the share of the KV cache in use; its largest */
    } engine;
};
/* Share of the ended requests that met the SLO; NAN: none ended. */
static inline double figures_attainment(const struct serving_figures *f)
{
    double ended = f->served + f->dropped;
    return ended > 0 ? f->kept / ended : NAN;
}

/* Of a ready replica. Step by step: in which its GPUs had work, in steps, and in these times the power
 * of a GPU as a part of its TDP; otherwise: in which it served, and no steps. Seconds. */
struct replica_work { double busy_s, steps_s, tdp_s; };

/* The share of passed_s by which a sum grew, 0 .. 1, to 2^-32: the rounding of long sums does not
 * tell windows apart in which the same happened. */
static inline double replica_share(double from_s, double to_s, double passed_s)
{
    return fmin(1, nearbyint((to_s - from_s) / passed_s * 0x1p32) * 0x1p-32);
}

/* Share of the time of ready replicas in which they serve; 0 without replicas. */
static inline double figures_duty(const struct serving_figures *f)
{
    return f->replica_s > 0 ? f->busy_s / f->replica_s : 0;
}
