/* tallies.c - jobs added up by the scopes that they are in: see summary_builder.h. Sums of times are exact integers. */
#include "sim/results/summary_builder.h"

#include "sim/base/memory.h"
#include "sim/base/second.h"
#include "sim/engine/state.h"
#include "sim/results/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A job, for the tallies of all scopes that it is in. */
struct job_sample {
    const struct job_result *r;
    int64_t jct_ns;               /* up to the end of the run, if it has not ended */
    bool on_demand, ended, had_service;
    bool counts;                  /* in means and quantiles of times */
    double slowdown, bounded;     /* of those that ended; slowdown of those that had service time */
};

double job_slowdown(int64_t jct_ns, int64_t service_ns, bool bounded)
{
    int64_t bound_ns = bounded && service_ns < 10 * NS_PER_S ? 10 * NS_PER_S : service_ns;
    return bounded && jct_ns <= bound_ns ? 1.0 : (double)jct_ns / (double)bound_ns;
}

static struct job_sample sample_of(const struct sched *s, job_id j, const struct job_result *r)
{
    const struct workload *w = run_setup_of(s)->workload;
    int64_t service_ns = w->truth[j].duration_ns;
    struct job_sample x = { .r = r, .on_demand = j >= w->n_jobs, .had_service = service_ns > 0 };
    x.jct_ns = r->wait_ns + r->run_ns;
    x.ended = !x.on_demand && r->state == JOB_GONE && outcome_was_served(r->outcome);
    x.counts = !x.on_demand && j >= run_setup_of(s)->warmup_jobs && outcome_was_served(r->outcome);
    x.slowdown = x.had_service ? job_slowdown(x.jct_ns, service_ns, false) : 0;
    x.bounded = job_slowdown(x.jct_ns, service_ns, true);
    return x;
}

static void add_end(struct tally *t, const struct job_sample *x)
{
    const struct job_result *r = x->r;
    t->ended++;
    t->jct_ns += x->jct_ns;
    t->wait_ns += r->wait_ns;
    t->first_wait_ns += r->start_ns - r->submit_ns;
    t->waited += r->wait_ns > 0;
    sum_add(&t->bounded, x->bounded);
    if (x->had_service) {
        t->had_service++;
        sum_add(&t->slowdown, x->slowdown);
        t->fairness_kept += r->fairness_micro <= MILLIONTHS;
        t->worst_fairness = r->fairness_micro > t->worst_fairness ? r->fairness_micro : t->worst_fairness;
    }
}

static void add_job(struct tally *t, const struct job_sample *x)
{
    static const uint8_t outcome_metric[] = { [OUTCOME_COMPLETED] = JOBS_COMPLETED, [OUTCOME_FAILED] = JOBS_FAILED,
                                              [OUTCOME_CANCELLED] = JOBS_CANCELLED, [OUTCOME_REJECTED] = JOBS_REJECTED,
                                              [OUTCOME_UNMET] = JOBS_CANCELLED };
    const struct job_result *r = x->r;
    t->first_ns = t->jobs == 0 || r->submit_ns < t->first_ns ? r->submit_ns : t->first_ns;
    t->jobs++;
    t->count[PREEMPTIONS] += r->preemptions;
    t->count[RESTARTS] += r->restarts;
    t->held += r->held;
    t->lost += r->lost;
    t->overhead += r->overhead;
    t->count[r->state == JOB_GONE ? outcome_metric[r->outcome] : r->state == JOB_RUNNING ? JOBS_RUNNING : JOBS_PENDING]++;
    if (x->ended)
        t->last_ns = r->end_ns > t->last_ns ? r->end_ns : t->last_ns;
    if (!x->counts)
        return;
    t->censored_jobs++;
    t->censored_ns += x->jct_ns;
    if (x->ended)
        add_end(t, x);
}

/* ---- Quantiles ---- */

static uint32_t parts_queue(const struct parts *p, size_t i, queue_id q)
{
    return p->queue ? p->queue[i][q] : q;
}

/* Of the jobs that ended, and of those of them that had service time. */
struct samples {
    int64_t *jct, *wait, *fairness;    /* bulk arrays [n] */
    size_t n;
    struct sample_parts { struct number_parts jct, wait, fairness; } *parts;    /* of all */
};
struct filled { size_t ended, had_service; };

/* The walk that adds jobs up writes the samples of all, one after the other. */
static void add_sample(const struct samples *x, struct filled *to, int64_t jct_ns, int64_t wait_ns, int64_t fairness_micro)
{
    number_parts_add(&x->parts->jct, jct_ns);
    number_parts_add(&x->parts->wait, wait_ns);
    if (bulk_turns(to->ended)) {
        bulk_fill(x->jct, to->ended, sizeof *x->jct);
        bulk_fill(x->wait, to->ended, sizeof *x->wait);
    }
    x->jct[to->ended] = jct_ns;
    x->wait[to->ended++] = wait_ns;
    if (fairness_micro < 0)
        return;
    number_parts_add(&x->parts->fairness, fairness_micro);
    if (bulk_turns(to->had_service))
        bulk_fill(x->fairness, to->had_service, sizeof *x->fairness);
    x->fairness[to->had_service++] = fairness_micro;
}

static struct samples samples_new(const struct workload *w)
{
    struct samples x = { .n = w->n_jobs };
    const size_t resident = workload_resident(w, sizeof(int64_t));
    x.jct = bulk_resize(NULL, x.n, sizeof *x.jct, resident);
    x.wait = bulk_resize(NULL, x.n, sizeof *x.wait, resident);
    x.fairness = bulk_resize(NULL, x.n, sizeof *x.fairness, resident);
    x.parts = mem_new(1, sizeof *x.parts);
    return x;
}

static void samples_filled(const struct samples *x)
{
    bulk_filled(x->jct);
    bulk_filled(x->wait);
    bulk_filled(x->fairness);
}

static void samples_free(struct samples *x)
{
    bulk_free(x->jct);
    bulk_free(x->wait);
    bulk_free(x->fairness);
    free(x->parts);
}

size_t tally_of_job(const struct parts *p, size_t i, job_id j, enum grouping by)
{
    const struct job_facts *facts = &run_setup_of(p->of[i])->workload->facts[j];
    return by == BY_CLASS ? facts->class : by == BY_QUEUE ? parts_queue(p, i, facts->queue) : i;
}

/* Quantiles of jct, which a second thread finds where there are many jobs. */
struct times_asked { const int64_t *array; size_t at, n; const struct number_parts *parts; double *value; size_t enough; };

static void *quantiles_of_times(void *self)
{
    static const double p[] = { .5, .9, .99 };
    const struct times_asked *a = self;
    quantiles_of_part(a->array, a->at, a->n, a->parts, p, a->value, a->enough);
    for (unsigned i = 0; i < 3; i++)
        a->value[i] = i < a->enough ? a->value[i] / (double)NS_PER_S : (double)NAN;
    return NULL;
}

/* parts: of these samples, NULL: not counted. */
static void quantiles(struct tally *t, const struct samples *x, const struct sample_parts *parts)
{
    enum { MANY = 1 << 17 };
    static const double p95 = .95;
    size_t enough = t->ended >= QUANTILE_MIN_JOBS_P99 ? 3 : t->ended > 0 ? 2 : 0;
    struct times_asked jct = { x->jct, t->at, t->ended, parts ? &parts->jct : NULL, t->quantile_s[0], enough },
                       wait = { x->wait, t->at, t->ended, parts ? &parts->wait : NULL, t->quantile_s[1], enough };
    pthread_t second;
    bool side_by_side = t->ended >= MANY && second_start(&second, quantiles_of_times, &jct);
    quantiles_of_times(&wait);
    t->fairness_p95 = NAN;
    quantiles_of_part(x->fairness, t->fairness_at, t->had_service, parts ? &parts->fairness : NULL, &p95, &t->fairness_p95,
                      t->had_service > 0);
    t->fairness_p95 /= MILLIONTHS;
    if (side_by_side)
        pthread_join(second, NULL);
    else
        quantiles_of_times(&jct);
}

/* ---- By groups: each group's samples lie side by side ---- */

/* Samples of a group on their way to an array, as writing them one by one in so many places is dear where it lies in a file. */
struct basket {
    int64_t *kept;                /* of the array's `room` */
    size_t n, at;                 /* kept; the place of the first of them */
};
enum { BASKETS_OF_GROUP = 3, BASKET_MOST = 4096, BASKETS_MOST = 1 << 19 };    /* samples in one, in all */

struct baskets {
    int64_t *const *array;        /* [BASKETS_OF_GROUP] */
    struct basket *of;            /* [groups][BASKETS_OF_GROUP] */
    int64_t *memory;
    size_t n, room;               /* baskets; samples that one holds */
};

static struct baskets baskets_new(int64_t *const *array, size_t n_groups)
{
    struct baskets b = { .array = array, .n = n_groups * BASKETS_OF_GROUP };
    b.room = BASKETS_MOST / b.n < 1 ? 1 : BASKETS_MOST / b.n > BASKET_MOST ? BASKET_MOST : BASKETS_MOST / b.n;
    b.of = mem_new(b.n, sizeof *b.of);
    b.memory = mem_resize(NULL, b.n * b.room, sizeof *b.memory);
    for (size_t i = 0; i < b.n; i++)
        b.of[i].kept = b.memory + i * b.room;
    return b;
}

static void empty_basket(const struct baskets *b, size_t i)
{
    struct basket *x = &b->of[i];
    bulk_put(b->array[i % BASKETS_OF_GROUP], x->at, x->kept, x->n, sizeof *x->kept);
    x->at += x->n;
    x->n = 0;
}

static void put_sample(const struct baskets *b, size_t i, int64_t value)
{
    struct basket *x = &b->of[i];
    x->kept[x->n++] = value;
    if (x->n == b->room)
        empty_basket(b, i);
}

static void baskets_free(struct baskets *b)
{
    for (size_t i = 0; i < b->n; i++)
        empty_basket(b, i);
    free(b->of);
    free(b->memory);
}

/* Where the samples of each begin. */
static void begin_groups(struct tally *group, size_t n_groups, const struct baskets *b)
{
    struct filled next = { 0, 0 };
    for (size_t g = 0; g < n_groups; g++) {
        struct basket *of = &b->of[g * BASKETS_OF_GROUP];
        of[0].at = of[1].at = group[g].at = next.ended;
        of[2].at = group[g].fairness_at = next.had_service;
        next = (struct filled){ next.ended + group[g].ended, next.had_service + group[g].had_service };
    }
}

static void sort_by_group(const struct parts *p, struct tally *group, size_t n_groups, enum grouping by, const struct samples *x)
{
    int64_t *const array[BASKETS_OF_GROUP] = { x->jct, x->wait, x->fairness };
    struct baskets b = baskets_new(array, n_groups);
    begin_groups(group, n_groups, &b);
    for (size_t i = 0; i < p->n; i++)
        for (job_id j = 0; j < run_setup_of(p->of[i])->workload->n_jobs; j++) {
            run_pass(p->of[i], j);
            struct run_times t = run_times(p->of[i], j);
            if (!t.ended)
                continue;
            size_t first = tally_of_job(p, i, j, by) * BASKETS_OF_GROUP;
            put_sample(&b, first, t.jct_ns);
            put_sample(&b, first + 1, t.wait_ns);
            if (t.fairness_micro >= 0)
                put_sample(&b, first + 2, t.fairness_micro);
        }
    baskets_free(&b);
}

static void group_quantiles(const struct parts *p, struct tally *group, size_t n_groups, const struct tally *all,
                             enum grouping by, const struct samples *x)
{
    bool one = false;
    for (size_t g = 0; g < n_groups; g++)
        one |= group[g].ended == all->ended;
    if (!one)
        sort_by_group(p, group, n_groups, by, x);
    for (size_t g = 0; g < n_groups; g++) {
        group[g].by = by;
        group[g].number = g;
        if (group[g].ended != all->ended) {
            quantiles(&group[g], x, NULL);
            continue;
        }
        memcpy(group[g].quantile_s, all->quantile_s, sizeof all->quantile_s);
        group[g].fairness_p95 = all->fairness_p95;
    }
}

/* ---- Adding up ---- */

/* The tallies of groups that share all jobs among them. As long as all jobs are of one group its tally is that of all, and is
 * copied once there is another. */
struct shares {
    struct tally *of;             /* [groups] */
    size_t only;                  /* the group of all jobs so far */
    bool several;
};

/* Before the job is added to `all`. */
static void add_to_share(struct shares *x, size_t group, const struct tally *all, const struct job_sample *job)
{
    if (!x->several && all->jobs && group != x->only) {
        x->of[x->only] = *all;
        x->several = true;
    }
    x->only = group;
    if (x->several)
        add_job(&x->of[group], job);
}

static void end_shares(struct shares *x, const struct tally *all)
{
    if (!x->several && all->jobs)
        x->of[x->only] = *all;
}

struct tally_walk {
    struct parts parts;
    const struct sched *run;      /* the only one, where parts.of is its address */
    struct tallies to;
    struct samples samples;
    struct filled sampled;
    struct shares classes, queues, runs;
    size_t part;                  /* the next job: of that run, */
    job_id next;                  /* and of that number */
};

static struct tally_walk *walk_new(const struct parts *p, uint32_t n_queues)
{
    struct tally_walk *w = mem_new(1, sizeof *w);
    w->parts = *p;
    w->to.n_queues = n_queues;
    w->to.all.scope = "all";
    w->to.queue = mem_new(n_queues, sizeof *w->to.queue);
    w->to.run = mem_new(p->n, sizeof *w->to.run);
    w->samples = samples_new(run_setup_of(p->of[0])->workload);
    w->classes.of = w->to.class;
    w->queues.of = w->to.queue;
    w->runs.of = w->to.run;
    return w;
}

struct tally_walk *tally_walk_new(const struct sched *s)
{
    struct tally_walk *w = walk_new(&(struct parts){ .n = 1, .of = &s }, run_setup_of(s)->cluster->n_queues);
    w->run = s;
    w->parts.of = &w->run;
    return w;
}

struct tally_walk *tally_walk_of_parts(const struct parts *p, uint32_t n_queues)
{
    return walk_new(p, n_queues);
}

static void walk_job(struct tally_walk *w, const struct sched *s, job_id j, const struct job_result *r)
{
    const struct job_facts *facts = &run_setup_of(s)->workload->facts[j];
    struct tally *all = &w->to.all;
    struct job_sample x = sample_of(s, j, r);
    if (r->state == JOB_ABSENT)
        return;
    add_to_share(&w->classes, facts->class, all, &x);
    add_to_share(&w->queues, parts_queue(&w->parts, w->part, facts->queue), all, &x);
    add_to_share(&w->runs, w->part, all, &x);
    add_job(all, &x);
    if (x.ended && x.counts)
        add_sample(&w->samples, &w->sampled, x.jct_ns, r->wait_ns, r->fairness_micro);
}

void tally_walk_to(struct tally_walk *w, job_id end, const struct job_result *known)
{
    const struct sched *s = w->parts.of[w->part];
    for (; w->next < end; w->next++) {
        struct job_result r;
        run_pass(s, w->next);
        if (!known)
            run_job_read(s, w->next, &r);
        walk_job(w, s, w->next, known ? known++ : &r);
    }
}

struct tallies *tally_walk_end(struct tally_walk *w)
{
    const struct tally *all = &w->to.all;
    for (; w->part < w->parts.n; w->part++, w->next = 0)
        tally_walk_to(w, workload_all(run_setup_of(w->parts.of[w->part])->workload), NULL);
    end_shares(&w->classes, all);
    end_shares(&w->queues, all);
    end_shares(&w->runs, all);
    samples_filled(&w->samples);
    quantiles(&w->to.all, &w->samples, w->samples.parts);
    group_quantiles(&w->parts, w->to.class, CLASSES, all, BY_CLASS, &w->samples);
    group_quantiles(&w->parts, w->to.queue, w->to.n_queues, all, BY_QUEUE, &w->samples);
    group_quantiles(&w->parts, w->to.run, w->parts.n, all, BY_RUN, &w->samples);
    return &w->to;
}

void tally_walk_free(struct tally_walk *w)
{
    if (!w)
        return;
    samples_free(&w->samples);
    free(w->to.queue);
    free(w->to.run);
    free(w);
}
