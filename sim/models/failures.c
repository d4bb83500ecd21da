/* failures.c - see failures.h. Each law is its inverse distribution function of a uniform
 * number. */
#include "sim/models/failures.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#define DAY_S   86400.0
#define YEAR_S  (365.25 * DAY_S)
#define HOUR_NS (3600 * NS_PER_S)
#define LONGEST_NS                                                                                 \
    INT64_C(3000000000000000000) /* 95 years: three of them still fit into the clock */
#define TRACE_MIX                                                                                  \
    {                                                                                              \
        [FAULT_GPU] = .27, [FAULT_STRESS] = .17, [FAULT_UNKNOWN] = .25, [FAULT_CABLE] = .07,       \
        [FAULT_FAN] = .06, [FAULT_NIC] = .05, [FAULT_POWER] = .045, [FAULT_TASK] = .04,            \
        [FAULT_OTHER] = .05                                                                        \
    }

const char *const fault_cause_name[FAULT_CAUSES + 1] = {
    "gpu",   "stress", "unknown", "cable",  "fan",      "nic",
    "power", "task",   "other",   "switch", "software", "network", "host",
    "slow",  NULL,
};
const char fault_mix_words[] = "gpu, stress, unknown, cable, fan, nic, power, task, other";

/* Of 419 interruptions in 54 days on 2048 nodes, table 5 of the Llama 3 report. Nodes: GPU with NVLink
 * 148, HBM 72, SRAM 19, system processor 17, silent corruption 6, GPU temperature 6; NIC 7; power
 * supply 3; SSD 3, chassis 2, IO board 2, CPU 2, memory 2. Switches and cables 35, unplanned host
 * maintenance 32. Software: bugs 54, time-outs of NCCL 7, dependencies 2. */
enum { LLAMA_DAYS = 54, LLAMA_NODES = 2048 };
enum { LLAMA_NODE = 289, LLAMA_NETWORK = 35, LLAMA_HOST = 32, LLAMA_SOFTWARE = 54 + 7 + 2 };
#define LLAMA_PER_DAY(n) ((double)(n) / LLAMA_DAYS / LLAMA_NODES)
static const double llama_mix[NODE_CAUSES] = {
    [FAULT_GPU] = 148 + 72 + 19 + 17 + 6 + 6,
    [FAULT_NIC] = 7,
    [FAULT_POWER] = 3,
    [FAULT_OTHER] = 3 + 2 + 2 + 2 + 2,
};
static const double trace_mix[NODE_CAUSES] = TRACE_MIX;

/* Kokolis et al.: attributed to nodes 6.50e-3 and 2.34e-3 per node-day of RSC-1 and RSC-2. On RSC-1
 * jobs of 8 and 1024 GPUs ran 47.7 d and 7.9 h between failures: 1/47.7 and 24/7.9/128 per
 * node-day. Both are within 6.5 % of their geometric mean, so all grows with the GPUs, and what of
 * it is not attributed is soft. RSC-2: soft in proportion [A]. */
#define RSC_1_NODE      6.50e-3
#define RSC_2_NODE      2.34e-3
#define RSC_1_SOFT      (2.230632e-2 - RSC_1_NODE)
#define PER_GPU_YEAR(per_node_day) ((per_node_day) / 8 * (YEAR_S / DAY_S))
#define RSC_SATURATION  1024
const struct fault_preset fault_preset[FAULT_RATES] = {
    [RATE_NONE] = { .name = "none", .mix = trace_mix },
    [RATE_RSC_1] = { .name = "rsc-1",
                     .faults_per_day = RSC_1_NODE,
                     .mix = trace_mix,
                     .whole = true,
                     .software_per_gpu_year = PER_GPU_YEAR(RSC_1_SOFT),
                     .saturation_gpus = RSC_SATURATION },
    [RATE_RSC_2] = { .name = "rsc-2",
                     .faults_per_day = RSC_2_NODE,
                     .mix = trace_mix,
                     .whole = true,
                     .software_per_gpu_year = PER_GPU_YEAR(RSC_1_SOFT * RSC_2_NODE / RSC_1_NODE),
                     .saturation_gpus = RSC_SATURATION },
    [RATE_LLAMA_3] = { .name = "llama-3",
                       .faults_per_day = LLAMA_PER_DAY(LLAMA_NODE),
                       .mix = llama_mix,
                       .whole = true,
                       .network_per_day = LLAMA_PER_DAY(LLAMA_NETWORK),
                       .host_per_day = LLAMA_PER_DAY(LLAMA_HOST),
                       .software_per_gpu_year = PER_GPU_YEAR(LLAMA_PER_DAY(LLAMA_SOFTWARE)),
                       .saturation_gpus = INT64_MAX },
    [RATE_INFINITE_HBD] = { .name = "infinite-hbd", .faults_per_day = 4.2e-3, .mix = trace_mix },
};

const struct failures failures_default = {
    .faults_per_day = 4.2e-3,
    .gap_shape = 1,
    .lemon_shape = 0.93,
    .relapse_mean_ns = 6 * HOUR_NS,
    .mix = TRACE_MIX,
    .switch_faults_per_year = 0.2,
    .switch_repair_ns = 2 * HOUR_NS,
    .host_repair_ns = 2 * HOUR_NS,
    .weibull_shape = 0.45,
    .weibull_scale_ns = 50 * HOUR_NS + 2520 * NS_PER_S,
    .lognormal_mu = 2.71,
    .lognormal_sigma = 2.52,
    .lognormal_most_ns = 2000 * HOUR_NS,
    .remediation_median_ns = 1200 * NS_PER_S,
    .remediation_sigma = 0.8,
    .detection_ns = 60 * NS_PER_S,
    .hang_share = 0.1,
    .hang_least_ns = 600 * NS_PER_S,
    .hang_most_ns = 1800 * NS_PER_S,
    .software_faults_per_day = 1.0 / 60,
    .software_faults_per_gpu_year = 0.1,
    .software_saturation_gpus = INT64_MAX,
    .max_retries = 10,
    .cordon_within_ns = 7 * 24 * HOUR_NS,
    .cordon_ns = 7 * 24 * HOUR_NS,
};

bool failures_of_parts(const struct failures *f)
{
    return f->faults_per_day > 0 || f->switch_faults_per_year > 0 ||
           f->network_faults_per_day > 0 || f->host_faults_per_day > 0 || f->software_faults_per_day > 0 || f->software_faults_per_gpu_year > 0 || f->n_planned ||
           f->n_given;
}

bool failures_happen(const struct failures *f)
{
    return failures_of_parts(f) || f->spares || slow_happens(&f->slow);
}

static double node_rate(double per_day, double gpus)
{
    return per_day / DAY_S * gpus / 8;
}

double failures_node_rate(const struct failures *f, uint32_t gpus)
{
    return node_rate(f->faults_per_day, gpus);
}

static double failures_switch_rate(const struct failures *f)
{
    return f->switch_faults_per_year / YEAR_S;
}

double failures_software_rate(const struct failures *f, double gpus)
{
    if (gpus < f->software_min_gpus)
        return 0;
    return f->software_faults_per_day / DAY_S +
           f->software_faults_per_gpu_year / YEAR_S * fmin(gpus, (double)f->software_saturation_gpus);
}

double failures_job_rate(const struct failures *f, double gpus)
{
    return failures_software_rate(f, gpus) + node_rate(f->faults_per_day, gpus) +
           node_rate(f->network_faults_per_day + f->host_faults_per_day, gpus);
}

double failures_lemon(const struct failures *f, uint64_t seed, uint32_t node)
{
    if (f->lemon_shape <= 0)
        return 1;
    gsl_rng *rng = random_gsl(seed, "lemon nodes", node);
    double z = gsl_ran_gamma(rng, f->lemon_shape, 1 / f->lemon_shape);
    gsl_rng_free(rng);
    return z;
}

static double weibull(double shape, double scale, double u)
{
    return scale * pow(-log1p(-u), 1 / shape);
}

static double lognormal(double mu, double sigma, double u)
{
    return exp(mu + sigma * gsl_cdf_ugaussian_Pinv(u));
}

static double failures_gap_s(const struct failures *f, double rate, double u)
{
    if (rate <= 0)
        return INFINITY;
    return weibull(f->gap_shape, 1 / (rate * gsl_sf_gamma(1 + 1 / f->gap_shape)), u);
}

double failures_repair_s(const struct failures *f, double u)
{
    switch (f->repair_law) {
    case REPAIR_FIXED:
        return seconds(f->fixed_ns);
    case REPAIR_LOGNORMAL: {
        double most_h = seconds(f->lognormal_most_ns) / 3600;
        double within = gsl_cdf_ugaussian_P((log(most_h) - f->lognormal_mu) / f->lognormal_sigma);
        return 3600 * lognormal(f->lognormal_mu, f->lognormal_sigma, u * within);
    }
    default:
        return weibull(f->weibull_shape, seconds(f->weibull_scale_ns), u);
    }
}

static double failures_remediation_s(const struct failures *f, double u)
{
    return lognormal(log(seconds(f->remediation_median_ns)), f->remediation_sigma, u);
}

/* ---- Draws ---- */

static int64_t duration_ns(double s)
{
    int64_t ns = ns_of_seconds(s);
    return ns < LONGEST_NS ? ns : LONGEST_NS;
}

int64_t failures_repair_ns(const struct failures *f, struct random *from)
{
    bool by_itself = random_uniform(from) < f->remediation_share;
    double u = random_uniform(from);
    return duration_ns(by_itself ? failures_remediation_s(f, u) : failures_repair_s(f, u));
}

static enum fault_cause cause_of(const double mix[NODE_CAUSES], double u)
{
    double all = 0, below = 0;
    for (unsigned c = 0; c < NODE_CAUSES; c++)
        all += mix[c];
    unsigned last = 0;
    for (unsigned c = 0; c < NODE_CAUSES; c++) {
        if (mix[c] <= 0)
            continue;
        last = c;
        below += mix[c];
        if (u * all < below)
            break;
    }
    return last;
}

static void stream(uint64_t seed, const char *purpose, uint32_t entity, double rate,
                   struct fault_stream *to)
{
    *to = (struct fault_stream){ .rate = rate };
    random_init(&to->random, seed, purpose, entity);
}

void failures_node_stream(const struct failures *f, uint64_t seed, uint32_t node, uint32_t gpus,
                          struct fault_stream *to)
{
    double first = f->relapses_counted ? 1 - f->relapse_share : 1;
    stream(seed, "node faults", node,
           failures_node_rate(f, gpus) * failures_lemon(f, seed, node) * first, to);
}

void failures_network_stream(const struct failures *f, uint64_t seed, uint32_t node, uint32_t gpus,
                             struct fault_stream *to)
{
    stream(seed, "network faults", node, node_rate(f->network_faults_per_day, gpus), to);
}

void failures_host_stream(const struct failures *f, uint64_t seed, uint32_t node, uint32_t gpus,
                          struct fault_stream *to)
{
    stream(seed, "host faults", node, node_rate(f->host_faults_per_day, gpus), to);
}

void failures_switch_stream(const struct failures *f, uint64_t seed, uint32_t rack,
                            struct fault_stream *to)
{
    stream(seed, "switch faults", rack, failures_switch_rate(f), to);
}

int64_t failures_detection_ns(const struct failures *f, struct random *from)
{
    bool hangs = random_uniform(from) < f->hang_share;
    double u = random_uniform(from);
    return hangs ? f->hang_least_ns + (int64_t)(u * (double)(f->hang_most_ns - f->hang_least_ns))
                 : f->detection_ns;
}

struct fault failures_draw(const struct failures *f, struct fault_stream *from)
{
    struct random *r = &from->random;
    struct fault next = { .after_ns = TIME_NEVER };
    bool relapse = random_uniform(r) < f->relapse_share && from->again;
    double gap = random_uniform(r);
    next.cause = cause_of(f->mix, random_uniform(r));
    next.gpu_u = random_uniform(r);
    next.repair_ns = failures_repair_ns(f, r);
    next.detection_ns = failures_detection_ns(f, r);
    from->again = true;
    if (from->rate <= 0)
        return next;
    int64_t after_ns = duration_ns(relapse ? -log1p(-gap) * seconds(f->relapse_mean_ns)
                                           : failures_gap_s(f, from->rate, gap));
    next.after_ns = after_ns < LONGEST_NS ? after_ns : TIME_NEVER;
    return next;
}

struct fault failures_draw_plain(const struct failures *f, struct fault_stream *from)
{
    struct fault next = { .after_ns = TIME_NEVER };
    int64_t after_ns = duration_ns(from->rate > 0 ? failures_hazard(&from->random) / from->rate
                                                  : INFINITY);
    next.detection_ns = failures_detection_ns(f, &from->random);
    if (after_ns < LONGEST_NS)
        next.after_ns = after_ns;
    return next;
}

void failures_software_stream(uint64_t seed, uint32_t job, struct random *to)
{
    random_init(to, seed, "software faults", job);
}

double failures_hazard(struct random *from)
{
    return -log1p(-random_uniform(from));
}
