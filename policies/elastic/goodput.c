/* goodput.c - GPUs go where they speed training up most: Pollux's fitness (Qiao et al., OSDI'21,
 * 4.2), climbed greedily.
 *
 * A job that arrives starts at once on idle GPUs, up to its usual size, in arrival order. Every
 * `interval_s` sizes are chosen again: waiting jobs are admitted in arrival order with their
 * minimum sizes (rigid jobs with all that they ask for) for as long as these, beside the minimum
 * sizes of running jobs, add up to the GPUs there are. The rest goes step by step to the job that
 * gains most for each GPU, in terms of
 *     FITNESS = (mean of SPEEDUP^power)^(1/power),
 * that is of the sum of SPEEDUP^power / power: power 1 is the total speedup, 0 the geometric mean,
 * -1 (Pollux's default) the harmonic one; the lower, the fairer. SPEEDUP is goodput with these GPUs
 * over goodput with a fair share, 1 / jobs of the cluster. A size other than the one that a job
 * runs at counts as Pollux's REALLOC_FACTOR says, (T - R d) / (T + d): T since it was submitted, R
 * its resizes so far, d the overhead of one; so a job that was resized often, or is young, keeps
 * its size. A step is of 1, 2, 4, ... tasks (or GPUs), up to the maximum, or to the size that it
 * runs at. Ties: the smaller size, then the lower id.
 *
 * What differs from Pollux: that searches placements on all nodes at once, by a genetic algorithm,
 * and may take all GPUs from a job. Here sizes are chosen as if on as few nodes as they fit on, by
 * greedy steps (as Optimus, EuroSys'18, gives out tasks by marginal gain); the run's placer places
 * them, and no running job falls below its minimum size. */
#include "policies/common/queue_heads.h"
#include "policies/common/queueing.h"
#include "policies/elastic/sizes.h"

#include <math.h>

struct goodput_params { struct queueing_params how; double interval_s, power, penalty; };
/* By submit time; running: those that can be resized. */
struct goodput { struct line *waiting, *running; int64_t next_ns; };
struct goodput_job { uint32_t resizes; bool runs; };

static void goodput_begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    *(struct goodput *)state = (struct goodput){ .waiting = line_new(s), .running = line_new(s) };
}

static struct line_key by_submit(const struct sched *s, job_id j)
{
    return (struct line_key){ .time_ns = job_facts(s, j)->submit_ns };
}

static void goodput_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    line_push(((struct goodput *)state)->waiting, j, by_submit(s, j));
}

static void goodput_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct goodput *g = state;
    line_remove(g->waiting, j);
    ((struct goodput_job *)job_own(s, j))->runs = true;
    if (resizable(s, j))
        line_push(g->running, j, by_submit(s, j));
}

static void goodput_stopped(struct sched *s, const void *params, void *state, job_id j,
                            enum stop_cause why)
{
    (void)params;
    (void)why;
    line_remove(((struct goodput *)state)->running, j);
    ((struct goodput_job *)job_own(s, j))->runs = false;
}

/* ---- The fitness of a size ---- */

struct share {                    /* of one job */
    job_id job;
    uint32_t held, size, max, unit;     /* held 0: it waits; size: chosen; unit: GPUs of one more */
    double fair;                  /* speedup over its usual size with a fair share of the cluster */
    double factor;                /* of the speedup at any size but `held` */
};
struct division {
    struct sched *s;
    const struct goodput_params *params;
    struct share *share;
    size_t n;
    int64_t left;                 /* GPUs that no job has been given */
};

static double worth(const struct division *d, const struct share *h, uint32_t size)
{
    double speedup = job_speedup(d->s, h->job, size) / h->fair, power = d->params->power;
    if (h->held && size != h->held)
        speedup *= h->factor;
    if (power == -1)
        return -1 / speedup;
    return power == 0 ? log(speedup) : pow(speedup, power) / power;
}

static double realloc_factor(struct sched *s, job_id j)
{
    double age_s = (double)(sched_now(s) - job_facts(s, j)->submit_ns) / 1e9,
           price_s = (double)job_resize_cost_ns(s, j) / 1e9;
    double before = ((const struct goodput_job *)job_own(s, j))->resizes;
    if (price_s <= 0)
        return 1;
    return fmax((age_s - before * price_s) / (age_s + price_s), 1e-6);
}

static bool add_share(struct division *d, job_id j, uint32_t held)
{
    struct job_sizes z = job_sizes(d->s, j);
    bool sized = job_facts(d->s, j)->sizing;
    struct share h = { .job = j,
                       .held = held,
                       .size = sized ? z.min : z.usual,
                       .max = sized ? z.max : z.usual,
                       .unit = size_unit_gpus(d->s, j),
                       .factor = 1 };
    int64_t gpus = sized ? (int64_t)h.size * h.unit
                         : (job_size(d->s, j).gpu_milli + MILLI_ALL - 1) / MILLI_ALL;
    if (gpus > d->left)
        return false;
    d->left -= gpus;
    if (((const struct goodput_job *)job_own(d->s, j))->runs && (int)d->params->penalty)
        h.factor = realloc_factor(d->s, j);
    d->share[d->n++] = h;
    return true;
}

/* A fair share of as many GPUs as there are to divide. */
static void set_fair(struct division *d, int64_t gpus)
{
    for (size_t i = 0; i < d->n; i++) {
        struct share *h = &d->share[i];
        struct job_sizes z = job_sizes(d->s, h->job);
        int64_t size = gpus / (int64_t)d->n / (h->unit ? h->unit : 1);
        size = size < z.min ? z.min : size > z.max ? z.max : size;
        h->fair = job_speedup(d->s, h->job, (uint32_t)size);
    }
}

/* The step up that gains most for each GPU, of those that there are enough GPUs for. false: none
 * gains anything. */
static bool best_step(const struct division *d, const struct share *h, uint32_t *to, double *gain)
{
    double now = worth(d, h, h->size);
    *gain = 0;
    for (uint32_t step = 1; h->unit && h->size < h->max; step *= 2) {
        uint32_t size = h->max - h->size > step ? h->size + step : h->max;
        bool passes = h->held > h->size && h->held < size && h->held - h->size > step / 2;
        for (uint32_t at = passes ? h->held : size;; at = size) {
            double each = (worth(d, h, at) - now) / (double)(at - h->size) / h->unit;
            if ((int64_t)(at - h->size) * h->unit <= d->left && each > *gain * (1 + 1e-12)) {
                *gain = each;
                *to = at;
            }
            if (at == size)
                break;
        }
        if (size == h->max)
            break;
    }
    return *gain > 0;
}

static bool push_step(const struct division *d, struct queue_head *heap, size_t n, struct share *h)
{
    uint32_t to = 0;
    double gain;
    if (!best_step(d, h, &to, &gain))
        return false;
    heap[n] = (struct queue_head){ .key = { .major = -gain, .minor = to }, .job = h->job, .of = h };
    return true;
}

static void divide(struct division *d)
{
    struct queue_head *heap = sched_scratch(d->s, (d->n + 1) * sizeof *heap);
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += push_step(d, heap, n, &d->share[i]);
    first_heads_make(NULL, heap, n);
    while (n) {
        struct share *h = heap[0].of;
        uint32_t to = (uint32_t)heap[0].key.minor;
        int64_t gpus = (int64_t)(to - h->size) * h->unit;
        if (gpus <= d->left) {
            d->left -= gpus;
            h->size = to;
        }
        if (!push_step(d, heap, 0, h))
            heap[0] = heap[--n];
        if (n)
            first_heads_down(NULL, heap, n, 0);
    }
}

/* ---- Admission, and carrying it out ---- */

static void admit(struct division *d, const struct goodput *g, bool skip)
{
    struct line_walk w = { .l = g->waiting };
    for (job_id j; line_next(&w, &j);) {
        bool limited = least_over_limit(d->s, j);
        if (job_state(d->s, j) != JOB_PENDING || (!limited && add_share(d, j, 0)))
            continue;
        sched_blocked(d->s, j, limited ? WAIT_LIMIT : WAIT_GPUS);
        if (!skip && !limited)
            return;
    }
}

static void resize(struct sched *s, struct share *h, uint32_t least, uint32_t most)
{
    struct sized_place p = largest_place(s, h->job, least, most);
    struct goodput_job *own = job_own(s, h->job);
    if (p.where && sched_resize(s, h->job, p.where) == SCHED_OK)
        own->resizes += own->runs;                       /* none in the pass of its start */
}

static bool start(struct sched *s, const struct goodput *g, job_id j, uint32_t least, uint32_t most)
{
    struct sized_place p = largest_place(s, j, least, most);
    if (!p.where || sched_start(s, j, p.where) != SCHED_OK)
        return false;
    if (resizable(s, j))
        line_push(g->running, j, by_submit(s, j));
    return true;
}

static void carry_out(struct division *d, const struct goodput *g)
{
    struct sched *s = d->s;
    for (size_t i = 0; i < d->n; i++)
        if (d->share[i].size < d->share[i].held)
            resize(s, &d->share[i], d->share[i].size, d->share[i].size);
    for (size_t i = 0; i < d->n; i++) {
        const struct share *h = &d->share[i];
        if (!h->held && !start(s, g, h->job, job_sizes(s, h->job).min, h->size))
            sched_blocked(s, h->job, sched_why_not(s));
    }
    for (size_t i = 0; i < d->n; i++)
        if (d->share[i].held && d->share[i].size > d->share[i].held)
            resize(s, &d->share[i], d->share[i].held + 1, d->share[i].size);
}

/* On what is idle. */
static void serve(struct sched *s, const struct goodput *g, bool skip)
{
    struct line_walk w = { .l = g->waiting };
    for (job_id j; line_next(&w, &j);) {
        struct job_sizes z = job_sizes(s, j);
        if (start(s, g, j, z.min, z.usual))
            continue;
        if (!skip_over(s, g->waiting, &w, j, skip))
            return;
    }
}

static void choose_sizes(struct sched *s, const struct goodput *g, const struct goodput_params *p)
{
    size_t most = line_length(g->waiting) + line_length(g->running);
    struct division d = {
        .s = s, .params = p, .share = sched_scratch(s, most * sizeof *d.share), .left = sched_idle_gpus(s)
    };
    struct line_walk w = { .l = g->running };
    for (job_id j; line_next(&w, &j);)
        d.left += (int64_t)job_size_held(s, j) * size_unit_gpus(s, j);
    int64_t gpus = d.left;
    w = (struct line_walk){ .l = g->running };
    for (job_id j; line_next(&w, &j);)
        add_share(&d, j, job_size_held(s, j));
    admit(&d, g, (int)p->how.blocking == BLOCKING_SKIP);
    if (d.n)
        set_fair(&d, gpus);
    divide(&d);
    carry_out(&d, g);
}

static void goodput_schedule(struct sched *s, const void *params, void *state)
{
    const struct goodput_params *p = params;
    struct goodput *g = state;
    serve(s, g, (int)p->how.blocking == BLOCKING_SKIP);
    if (line_length(g->running) == 0)
        return;
    if (sched_now(s) >= g->next_ns) {
        choose_sizes(s, g, p);
        g->next_ns = sched_now(s) + (int64_t)(p->interval_s * 1e9 + .5);
    }
    sched_wake_at(s, g->next_ns);
}

static const struct param goodput_params[] = {
    QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
    { "interval_s", "time between choices of sizes", "s", 1e-3, 1e9, 60, NULL,
      offsetof(struct goodput_params, interval_s) },
    { "power", "of the mean of speedups that is maximised: 1 is efficient, lower is fairer", "",
      -100, 1, -1, NULL, offsetof(struct goodput_params, power) },
    { "penalty", "no: a resize counts as if it cost nothing", "", 0, 0, 1, param_no_yes,
      offsetof(struct goodput_params, penalty) },
    { 0 },
};
const struct policy goodput_policy = {
    .abi = POLICY_ABI,
    .name = "goodput",
    .summary = "GPUs go where they speed elastic jobs up most, and fairly (Pollux's fitness)",
    .needs = RESIZES | SEES_SPEEDUP,
    .params = goodput_params,
    .params_size = sizeof(struct goodput_params),
    .state_size = sizeof(struct goodput),
    .job_size = sizeof(struct goodput_job),
    .begin = goodput_begin,
    .schedule = goodput_schedule,
    .job_arrived = goodput_arrived,
    .job_started = goodput_started,
    .job_stopped = goodput_stopped,
};
