/* draw.c - see synth.h: the jobs of a workload, from arrivals to submit times. */
#include "sim/base/bulk.h"
#include "sim/base/random.h"
#include "traces/synth/ready.h"
#include "traces/synth/synth.h"

#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_S       3600.0
#define TIMES_MOST_S 3e9          /* 95 years: below what a workload takes */

struct drawing {
    const struct synth_spec *spec;
    uint64_t seed;
    struct ready_class *ready;    /* [n_classes] */
    struct shares classes, users;
    size_t resident_bytes;
    struct synth_job *job;        /* bulk; by time */
    size_t n, room;
    /* drawn, but one that comes before them may still be: a heap, the first in time on top */
    struct synth_job *pending;
    size_t n_pending, pending_room;
    uint64_t n_arrived;           /* retries not counted */
    double latest_s;              /* of the first `jobs` arrivals */
};

static double uniform(const struct drawing *d, const char *purpose, uint64_t entity)
{
    struct random r;
    random_init(&r, d->seed, purpose, entity);
    return random_uniform(&r);
}

/* ---- the load ---- */

/* Mean number of jobs of an arrival, without retries. */
static double mean_sweep(const struct synth_spec *s, const struct synth_class *c)
{
    return c->sweeps ? 1 + s->sweeps.probability * (s->sweeps.mean_jobs - 1) : 1;
}

static double calibrate(const struct drawing *d, const struct synth_wish *wish,
                        struct synth_report *report, struct error *err)
{
    const struct synth_spec *s = d->spec;
    double gpu_s = 0, variance = 0, jobs = 0;
    uint32_t by_draws = 0;
    bool wants_load = s->load.target > 0;
    report->gpus = (s->load.gpus > 0 ? s->load.gpus : wish->gpus) - s->load.reserved_gpus;
    if (wants_load && !(report->gpus > 0))
        return error_set(err, "load: want 'gpus' that it is of, or a cluster with more than %g",
                         s->load.reserved_gpus);
    for (size_t c = 0; c < s->n_classes; c++)
        by_draws += d->ready[c].r != 0;
    for (size_t c = 0; c < s->n_classes; c++) {
        double each = shares_of_one(&d->classes, c) * mean_sweep(s, &s->class[c]), error = 0, x = 0;
        for (size_t i = 0; i < d->ready[c].sizes.n; i++)
            jobs += each * shares_of_one(&d->ready[c].sizes, i) *
                    ready_attempts(&d->ready[c], i, &s->retries);
        if (report->gpus > 0)
            x = each * ready_gpu_s(&d->ready[c], &s->retries, by_draws, &error);
        gpu_s += x;
        variance += x * error * x * error;
    }
    report->gpu_s_per_job = gpu_s / jobs;
    report->relative_error = gpu_s > 0 ? sqrt(variance) / gpu_s : 0;
    report->jobs_per_arrival = jobs;
    double capacity = report->gpus > 0 ? report->gpus * s->load.availability : NAN;
    double rate = s->rate_per_h / HOUR_S;
    if (wants_load)
        rate = s->load.target * capacity / gpu_s;
    report->rate_per_h = rate * HOUR_S;
    report->load_expected = rate * gpu_s / capacity;
    if (!(rate > 0 && isfinite(rate)))
        return error_set(err, "load: jobs that take no GPU time cannot make it %g", s->load.target);
    return rate;
}

/* ---- one job ---- */

static bool before(const struct synth_job *a, const struct synth_job *b)
{
    if (a->submit_ns != b->submit_ns)
        return a->submit_ns < b->submit_ns;
    return a->number != b->number ? a->number < b->number : a->attempt < b->attempt;
}

static void append(struct drawing *d, const struct synth_job *j)
{
    mem_grow(&d->pending, &d->pending_room, d->n_pending, sizeof *d->pending);
    size_t at = d->n_pending++;
    for (; at && before(j, &d->pending[(at - 1) / 2]); at = (at - 1) / 2)
        d->pending[at] = d->pending[(at - 1) / 2];
    d->pending[at] = *j;
}

static void take_first(struct drawing *d)
{
    struct synth_job last = d->pending[--d->n_pending];
    size_t at = 0;
    for (size_t next; (next = 2 * at + 1) < d->n_pending; at = next) {
        next += next + 1 < d->n_pending && before(&d->pending[next + 1], &d->pending[next]);
        if (!before(&d->pending[next], &last))
            break;
        d->pending[at] = d->pending[next];
    }
    d->pending[at] = last;
}

/* A walk over the jobs comes to number i. */
static const struct synth_job *passing(const struct drawing *d, size_t i)
{
    if (bulk_turns(i))
        bulk_pass(d->job, i, sizeof *d->job);
    return &d->job[i];
}

/* The pending jobs up to that time are drawn for good: what is drawn from now on comes at that time
 * or later, and has higher numbers. */
static void settle(struct drawing *d, int64_t until_ns)
{
    while (d->n_pending && d->pending[0].submit_ns <= until_ns) {
        bulk_grow(&d->job, &d->room, d->n, sizeof *d->job, d->resident_bytes);
        if (bulk_turns(d->n))
            bulk_fill(d->job, d->n, sizeof *d->job);
        d->job[d->n++] = d->pending[0];
        take_first(d);
    }
}

static uint16_t choose(const struct drawing *d, const struct shares *s, const char *purpose,
                       uint64_t entity)
{
    return s->n ? (uint16_t)shares_choose(s, uniform(d, purpose, entity)) : 0;
}

/* like: number of the first job of the sweep, its own outside a sweep. luck: number of this
 * attempt. */
static void draw_times(const struct drawing *d, struct synth_job *j, uint64_t like, uint64_t luck)
{
    uint64_t times = d->spec->sweeps.same_run_time && j->attempt == 0 ? like : luck;
    const struct luck u = { uniform(d, "gpus", like), uniform(d, "duration", times),
                            uniform(d, "fate", luck) };
    struct drawn drawn = ready_draw(&d->ready[j->class], &u);
    j->size = (uint16_t)drawn.size;
    j->fate = (uint8_t)drawn.fate;
    j->duration_ns = ns_of_seconds(drawn.duration_s);
}

/* A failed job is submitted again after a think time. */
static void retry(struct drawing *d, struct synth_job j, uint64_t like)
{
    const struct synth_retries *r = &d->spec->retries;
    while (j.fate == FATE_FAILED && j.attempt < r->most) {
        uint64_t luck = j.number | (uint64_t)++j.attempt << 56;
        if (uniform(d, "retry", luck) >= r->probability)
            return;
        double think_s =
            r->median_s * exp(r->sigma * gsl_cdf_ugaussian_Pinv(uniform(d, "think", luck)));
        double at_s = seconds(j.submit_ns) + seconds(j.duration_ns) + think_s;
        if (at_s > TIMES_MOST_S)
            return;
        j.submit_ns += j.duration_ns + ns_of_seconds(think_s);
        draw_times(d, &j, like, luck);
        append(d, &j);
    }
}

static void arrive(struct drawing *d, double at_s, uint64_t like)
{
    struct synth_job j = { .number = d->n_arrived++,
                           .class = choose(d, &d->classes, "class", like) };
    const struct ready_class *ready = &d->ready[j.class];
    if (j.number != like)
        at_s += d->spec->sweeps.within_s * uniform(d, "sweep offset", j.number);
    j.submit_ns = ns_of_seconds(at_s);
    j.user = (uint32_t)shares_choose(&d->users, uniform(d, "user", like));
    j.type = choose(d, &ready->gpu_types, "gpu type", like);
    j.model = choose(d, &ready->models, "model", like);
    draw_times(d, &j, like, j.number);
    append(d, &j);
    if (!(at_s < d->latest_s))
        d->latest_s = at_s;
    if (d->spec->retries.most)
        retry(d, j, like);
}

/* Jobs of the arrival: 1, or 2 + a geometric number if the class of the first job has sweeps. */
static uint64_t sweep_size(const struct drawing *d, uint64_t event)
{
    const struct synth_sweeps *s = &d->spec->sweeps;
    double more = s->mean_jobs - 2;
    if (!d->spec->class[choose(d, &d->classes, "class", d->n_arrived)].sweeps ||
        uniform(d, "sweep", event) >= s->probability)
        return 1;
    return 2 +
           (more > 0
                ? (uint64_t)fmin(log(uniform(d, "sweep size", event)) / log(more / (1 + more)), 1e6)
                : 0);
}

/* ---- all of them ---- */

/* The first `jobs` in time, so that a longer trace begins with the same jobs: arrivals are drawn
 * until none can be before the last of these. */
static int draw_all(struct drawing *d, double rate, uint32_t jobs, struct error *err)
{
    const struct synth_spec *s = d->spec;
    struct calendar calendar = calendar_of(s->daily, s->weekly, s->growth_per_day, s->start_ns);
    struct arrivals a = arrivals_from(&s->arrivals, &calendar, rate, d->seed, "arrivals");
    double end_s = s->span_s > 0 ? fmin(s->span_s, TIMES_MOST_S) : TIMES_MOST_S,
           latest_s = INFINITY, at_s;
    uint64_t most = jobs ? jobs : SYNTH_JOBS_MAX, event = 0;
    while ((at_s = arrivals_next(&a)) < end_s && at_s <= latest_s) {
        settle(d, ns_of_seconds(at_s));
        uint64_t first = d->n_arrived, n = sweep_size(d, event++);
        for (uint64_t k = 0; k < n; k++) {
            arrive(d, at_s, first);
            if (d->n_arrived == most)
                latest_s = d->latest_s;
        }
        if (!jobs && d->n_arrived >= most)
            return error_set(err, "span_s: more than %d jobs come within it", SYNTH_JOBS_MAX);
    }
    settle(d, INT64_MAX);
    while (s->span_s > 0 && d->n && d->job[d->n - 1].submit_ns >= ns_of_seconds(s->span_s))
        d->n--;
    if (jobs && s->span_s == 0 && d->n < jobs)
        return error_set(err, "jobs: only %zu of %" PRIu32 " come within 95 years", d->n, jobs);
    if (jobs && d->n > jobs)
        d->n = jobs;
    return d->n ? 0 : error_set(err, "span_s: no job comes within %g s", s->span_s);
}

/* ---- realised load and hash ---- */

static int128_t work_of(const struct drawing *d)
{
    int128_t sum = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct synth_job *j = passing(d, i);
        const struct synth_class *c = &d->spec->class[j->class];
        int64_t ns = j->duration_ns;
        if (c->slowdown != 1)
            ns = ns_of_seconds(seconds(ns) * c->slowdown);
        sum += (int128_t)ns * c->size[j->size].gpu_milli;
    }
    return sum;
}

static double load_of(const struct drawing *d, double capacity)
{
    int64_t span_ns = d->job[d->n - 1].submit_ns - d->job[0].submit_ns;
    return (double)work_of(d) / MILLI_ALL / (capacity * (double)span_ns);
}

/* Scales all gaps by one factor so that work / (capacity x time from the first to the last) is the
 * target, exactly but for the rounding of the last time to a nanosecond. */
static int rescale(struct drawing *d, double capacity, double target, struct error *err)
{
    int64_t first = d->job[0].submit_ns, span_ns = d->job[d->n - 1].submit_ns - first;
    long double wanted =
        (long double)work_of(d) / MILLI_ALL / ((long double)capacity * (long double)target);
    if (span_ns == 0 || wanted < 1)
        return error_set(err, "load: want jobs at two times at least, that take some GPU time, to "
                              "calibrate what is realised");
    if (wanted > (long double)TIMES_MOST_S * NS_PER_S)
        return error_set(err, "load: %g would take %.3Lg years", target,
                         wanted / NS_PER_S / 31557600);
    int64_t wanted_ns = (int64_t)(wanted + 0.5L);
    for (size_t i = 0; i < d->n; i++) {
        int128_t scaled = (int128_t)(passing(d, i)->submit_ns - first) * wanted_ns;
        d->job[i].submit_ns = first + (int64_t)((scaled + span_ns / 2) / span_ns);
    }
    return 0;
}

static uint64_t hash_of(const struct drawing *d)
{
    uint64_t h = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct synth_job *j = passing(d, i);
        const uint64_t word[] = { (uint64_t)j->submit_ns,
                                  (uint64_t)j->duration_ns,
                                  j->number,
                                  j->user,
                                  (uint64_t)j->class | (uint64_t)j->size << 16 |
                                      (uint64_t)j->type << 32 | (uint64_t)j->model << 48,
                                  (uint64_t)j->fate | (uint64_t)j->attempt << 8 };
        for (size_t k = 0; k < sizeof word / sizeof *word; k++)
            h = hash_u64(h + word[k]) + UINT64_C(0x9e3779b97f4a7c15);
    }
    return h;
}

static int make(struct drawing *d, const struct synth_wish *wish, struct synth_report *report,
                struct error *err)
{
    const struct synth_spec *s = d->spec;
    double *share = mem_new(s->n_classes, sizeof *share);
    uint32_t jobs = wish->jobs ? wish->jobs : s->jobs;
    for (size_t c = 0; c < s->n_classes; c++)
        share[c] = s->class[c].share;
    d->classes = shares_of(share, s->n_classes);
    d->users = shares_zipf(s->users, s->users_zipf);
    free(share);
    d->ready = mem_new(s->n_classes, sizeof *d->ready);
    for (size_t c = 0; c < s->n_classes; c++)
        if (ready_make(&d->ready[c], &s->class[c], err) != 0)
            return -1;
    if (!jobs && s->span_s == 0)
        return error_set(err, "want 'jobs' or 'span_s', how many there shall be");
    double rate = calibrate(d, wish, report, err);
    if (rate < 0 || draw_all(d, rate, jobs, err) != 0)
        return -1;
    double capacity = report->gpus > 0 ? report->gpus * s->load.availability : NAN;
    if (s->load.realised && rescale(d, capacity, s->load.target, err) != 0)
        return -1;
    report->load_realised = load_of(d, capacity);
    report->drawn = hash_of(d);
    return 0;
}

int synth_draw(const struct synth_spec *s, const struct synth_wish *wish, struct synth_jobs *to,
               struct error *err)
{
    struct drawing d = { .spec = s, .seed = wish->seed, .resident_bytes = wish->resident_bytes };
    *to = (struct synth_jobs){ .report = { .load_expected = NAN, .load_realised = NAN } };
    if (!s->n_classes)
        return 0;
    int result = make(&d, wish, &to->report, err);
    for (size_t c = 0; d.ready && c < s->n_classes; c++)
        ready_free(&d.ready[c]);
    free(d.ready);
    free(d.pending);
    shares_free(&d.classes);
    shares_free(&d.users);
    to->job = d.job;
    to->n = d.n;
    if (result != 0)
        synth_jobs_free(to);
    return result;
}

void synth_jobs_free(struct synth_jobs *j)
{
    bulk_free(j->job);
    *j = (struct synth_jobs){ .report = j->report };
}
