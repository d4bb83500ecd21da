/* gittins.c - highest Gittins index first: the job most likely to end for the service that it
 * takes, with preemption.
 *
 * Gittins (J. Royal Stat. Soc. B 41(2), 1979): on one server no order has a smaller mean JCT among
 * those that know the law of the services but not each of them. The law is that of the jobs that
 * have ended so far (gittins_law.h), learnt again whenever their number has grown by a factor;
 * until there are `learn` of them the order is that of las or las2d. Service is GPU-seconds or
 * seconds. A job with more service than any that ended has index 0. Ties by submit time. Sees no
 * run times. */
#include "policies/orders/attained.h"
#include "policies/orders/gittins_law.h"
#include "sim/contract/util/array.h"

#include <math.h>
#include <stdlib.h>

struct gittins_params { struct queueing_params queueing; double two_dimensional, learn, grown; };
struct gittins {
    struct attained attained;
    const struct gittins_params *params;
    struct gittins_law law;
    double *ended, next;          /* services of jobs that have ended; when to learn again */
    size_t n_ended, capacity;
};
/* The queues of las, while nothing is known. */
static const double before[] = { 3250, 7200, INFINITY };

/* ---- Stages and keys ---- */

static double stage_end(const struct attained *a, uint32_t stage)
{
    const struct gittins *g = (const struct gittins *)a;
    return g->law.n ? gittins_stage_end(&g->law, stage) : before[stage];
}

static uint32_t stage_of(const struct gittins *g, double service)
{
    return g->law.n ? gittins_stage(&g->law, service)
                    : (service >= before[0]) + (uint32_t)(service >= before[1]);
}

/* A running job stands in line by the least index of its stage, a waiting one by its own. */
static struct line_key key(struct sched *s, const struct attained *a, job_id j,
                           const struct account *of)
{
    const struct gittins *g = (const struct gittins *)a;
    uint32_t near = of->near;
    bool runs = of->since_ns >= 0;
    if (!g->law.n)
        return (struct line_key){ .major = of->stage, .minor = !runs, .time_ns = of->entered_ns };
    double least = gittins_stage_index(&g->law, of->stage);
    if (runs)
        return (struct line_key){ .major = -least };
    double service = attained_service(s, a, j);
    return (struct line_key){ .major = -(service < g->law.service[g->law.stage[of->stage]]
                                             ? least
                                             : fmax(least, gittins_index(&g->law, service, &near))) };
}

static struct line_key present(struct sched *s, const struct queueing_state *o, job_id j)
{
    const struct gittins *g = (const struct gittins *)o;
    struct line_key k = attained_key(s, j, o->params);
    struct account *of = job_own(s, j);
    if (g->law.n)
        k.major = fmin(k.major, -gittins_index(&g->law, attained_service(s, &g->attained, j), &of->near));
    return k;
}

/* When j has that service, less a microsecond for the rounding of times. */
static int64_t reaches_ns(struct sched *s, const struct gittins *g, job_id j, double service,
                          double target)
{
    int64_t after_ns = attained_after_ns(s, &g->attained, j, target - service);
    return after_ns < TIME_NEVER ? after_ns - 1000 : TIME_NEVER;
}

static int64_t behind_ns(struct sched *s, const struct queueing_state *o, job_id v, job_id j,
                         struct line_key k)
{
    (void)j;
    const struct gittins *g = (const struct gittins *)o;
    struct account *of = job_own(s, v);
    if (!g->law.n || of->since_ns < 0)
        return sched_now(s);
    double service = attained_service(s, &g->attained, v);
    return reaches_ns(s, g, v, service, gittins_falls_to(&g->law, service, -k.major, &of->near));
}

static int64_t sure_ns(struct sched *s, const struct queueing_state *o, job_id v)
{
    const struct gittins *g = (const struct gittins *)o;
    struct account *of = job_own(s, v);
    if (!g->law.n || of->since_ns < 0)
        return sched_now(s);
    double service = attained_service(s, &g->attained, v);
    return reaches_ns(s, g, v, service, gittins_blurs_at(&g->law, service, &of->near));
}

static const struct attained_rule gittins_rule = {
    .discipline = {
        .key = attained_key,
        .preempts = true,
        .tells_running = true,
        .present = present,
        .behind_ns = behind_ns,
        .sure_ns = sure_ns,
    },
    .stage_end = stage_end,
    .key = key,
};

/* ---- Learning ---- */

static void note_end(struct sched *s, struct gittins *g, double service)
{
    if (service <= 0)
        return;                   /* it says nothing about jobs with service */
    g->ended = array_grown(sched_alloc, s, g->ended, &g->capacity, g->n_ended, sizeof *g->ended);
    g->ended[g->n_ended++] = service;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void learn(struct sched *s, struct gittins *g)
{
    struct gittins_law *law = &g->law;
    if (law->capacity <= g->n_ended) {
        size_t n = law->capacity = g->capacity + 1;
        law->service = sched_alloc(s, n * sizeof *law->service);
        law->x = sched_alloc(s, n * sizeof *law->x);
        law->y = sched_alloc(s, n * sizeof *law->y);
        law->index = sched_alloc(s, n * sizeof *law->index);
        law->next = sched_alloc(s, n * sizeof *law->next);
        law->lower = sched_alloc(s, n * sizeof *law->lower);
        law->stage = sched_alloc(s, n * sizeof *law->stage);
    }
    qsort(g->ended, g->n_ended, sizeof *g->ended, ascending);
    gittins_learn(law, g->ended, g->n_ended);
    g->next = ceil((double)g->n_ended * g->params->grown);
    size_t n;
    const job_id *all = queueing_jobs(s, &g->attained.queueing, &n);
    for (size_t i = 0; i < n; i++)
        attained_place(s, &g->attained, all[i],
                       stage_of(g, attained_service(s, &g->attained, all[i])));
}

/* ---- Callbacks ---- */

static void gittins_begin(struct sched *s, const void *params, void *state)
{
    struct gittins *g = state;
    g->params = params;
    g->next = g->params->learn;
    g->attained.by_gpus = g->params->two_dimensional > 0;
    attained_begin(s, &g->attained, &gittins_rule, params);
}

static void gittins_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct gittins *g = state;
    if ((double)g->n_ended >= g->next)
        learn(s, g);
    attained_schedule(s, &g->attained);
}

static void gittins_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct gittins *g = state;
    struct account *of = job_own(s, j);
    if (of->known)                /* the stages may have changed */
        of->stage = stage_of(g, attained_service(s, &g->attained, j));
    attained_arrived(s, &g->attained, j);
}

static void gittins_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    attained_started(s, state, j);
}

static void gittins_stopped(struct sched *s, const void *params, void *state, job_id j,
                            enum stop_cause why)
{
    (void)params;
    struct gittins *g = state;
    if (stopped_for_good(why))
        note_end(s, g, attained_service(s, &g->attained, j));
    attained_stopped(s, &g->attained, j);
}

static const struct param gittins_param_list[] = {
    QUEUEING_PARAM_SCOPE,
    QUEUEING_PARAM_BLOCKING(BLOCKING_SKIP),
    { "two_dimensional", "yes: service is GPU-seconds; no: seconds", "", 0, 0, 1, param_no_yes,
      offsetof(struct gittins_params, two_dimensional) },
    { "learn", "jobs that have to end before the law is known; las or las2d until then", "jobs", 1,
      1e9, 100, NULL, offsetof(struct gittins_params, learn) },
    { "grown", "the law is learnt again when they have grown by this factor", "", 1.001, 1e9, 1.25,
      NULL, offsetof(struct gittins_params, grown) },
    { 0 },
};

const struct policy gittins_policy = {
    ATTAINED_TABLE(gittins),
    .name = "gittins",
    .summary = "highest Gittins index by the services of ended jobs, with preemption",
    .needs = SEES_RELEASING,
    .params = gittins_param_list,
    .params_size = sizeof(struct gittins_params),
    .state_size = sizeof(struct gittins),
    .begin = gittins_begin,
};
