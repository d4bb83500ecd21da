/* fit.c - the jobs of a trace as the laws of a workload file: see fit.h. */
#include "traces/synth/fit.h"

#include "sim/workload/requests.h"
#include "traces/synth/copula.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== arrivals ==== */

#define SWEEP_S 5.0               /* models.md 6.2 */
#define DAY_S   86400.0

struct events { double *at_s; size_t n, sweeps, sweep_jobs; };

static bool alike(const struct job_facts *a, const struct job_facts *b)
{
    return a->user == b->user && a->queue == b->queue && a->ask->shape == b->ask->shape;
}

/* A job that is in no sweep begins one with the jobs like it in the next 5 s. */
static struct events events_of(const struct workload *w)
{
    struct events e = { .at_s = mem_new(w->n_jobs, sizeof *e.at_s) };
    bool *taken = mem_new(w->n_jobs, sizeof *taken);
    for (job_id j = 0; j < w->n_jobs; j++) {
        size_t k = 1;
        if (taken[j])
            continue;
        for (job_id i = j + 1;
             i < w->n_jobs && seconds(w->facts[i].submit_ns - w->facts[j].submit_ns) <= SWEEP_S;
             i++)
            if (!taken[i] && alike(&w->facts[i], &w->facts[j])) {
                taken[i] = true;
                k++;
            }
        e.at_s[e.n++] = seconds(w->facts[j].submit_ns);
        e.sweeps += k > 1;
        e.sweep_jobs += k > 1 ? k : 0;
    }
    free(taken);
    return e;
}

/* Arrivals in each hour or day over the time that the trace has of it; their mean is 1. */
static void profile(const struct events *e, const struct calendar *flat, double span_s, size_t n,
                    double length_s, double to[])
{
    double *time = mem_new(n, sizeof *time), first_s = e->at_s[0],
           before_s = flat->first_hour * 3600;
    double total = 0;
    memset(to, 0, n * sizeof *to);
    for (size_t i = 0; i < e->n; i++)
        to[(size_t)((before_s + e->at_s[i]) / length_s) % n]++;
    for (double t = first_s, next; t < first_s + span_s; t = next) {
        double slot = floor((before_s + t) / length_s);
        next = fmin((slot + 1) * length_s - before_s, first_s + span_s);
        if (!(next > t))
            next = t + length_s;
        time[(size_t)slot % n] += next - t;
    }
    for (size_t k = 0; k < n; k++)
        total += to[k] = time[k] > 0 ? to[k] / time[k] : 0;
    for (size_t k = 0; k < n; k++)
        to[k] *= (double)n / total;
    free(time);
}

/* Squared coefficient of variation of the gaps, each the integral of the profile over it. */
static double variation(const struct events *e, const struct calendar *c)
{
    double sum = 0, square = 0;
    for (size_t i = 1; i < e->n; i++) {
        double gap = 0;
        for (double t = e->at_s[i - 1], next; t < e->at_s[i]; t = next) {
            next = fmin((floor(t / 3600 + c->first_hour) + 1 - c->first_hour) * 3600, e->at_s[i]);
            if (!(next > t))
                next = e->at_s[i];
            gap += (next - t) * calendar_factor(c, t);
        }
        sum += gap;
        square += gap * gap;
    }
    double n = (double)(e->n - 1), mean = sum / n;
    return mean > 0 ? square / n / (mean * mean) - 1 : 1;
}

static void fit_arrivals(const struct workload *w, struct synth_spec *to)
{
    struct events e = events_of(w);
    double span_s = e.at_s[e.n - 1] - e.at_s[0];
    struct calendar c = calendar_of(to->daily, to->weekly, 0, w->origin_ns);
    to->start_ns = w->origin_ns;
    to->jobs = w->n_jobs;
    to->rate_per_h = span_s > 0 ? fmin((double)(e.n - 1) / span_s * 3600, 1e9) : 1e9;
    if (span_s >= 2 * DAY_S)
        profile(&e, &c, span_s, 24, 3600, to->daily);
    if (span_s >= 14 * DAY_S)
        profile(&e, &c, span_s, 7, DAY_S, to->weekly);
    c = calendar_of(to->daily, to->weekly, 0, w->origin_ns);
    double c2 = e.n > 2 ? variation(&e, &c) : 1;
    if (c2 > 1.05) {
        to->arrivals.kind = ARRIVE_HYPER;
        to->arrivals.c2 = fmin(c2, 1e6);
    }
    if (e.sweeps > e.n / 200)
        to->sweeps = (struct synth_sweeps){ .probability = (double)e.sweeps / (double)e.n,
                                            .within_s = SWEEP_S,
                                            .mean_jobs = fmin(
                                                (double)e.sweep_jobs / (double)e.sweeps, 1e5) };
    free(e.at_s);
}

/* ==== users and projects ==== */

/* d ln L / ds = 0: the mean of ln k under the law equals that of the counts; it falls as s
 * grows. */
double fit_zipf(const uint32_t *count, size_t n)
{
    double jobs = 0, logs = 0, low = 0, high = 10;
    for (size_t k = 0; k < n; k++) {
        jobs += count[k];
        logs += count[k] * log((double)(k + 1));
    }
    for (int i = 0; i < 60; i++) {
        double s = (low + high) / 2, sum = 0, mean = 0;
        for (size_t k = 0; k < n; k++) {
            double p = pow((double)(k + 1), -s);
            sum += p;
            mean += p * log((double)(k + 1));
        }
        *(mean / sum > logs / jobs ? &low : &high) = s;
    }
    return (low + high) / 2;
}

static int descending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a < b) - (a > b);
}

static void fit_users(const struct workload *w, struct synth_spec *to)
{
    uint32_t n = intern_count(w->users), n_queues = intern_count(w->queue_names);
    uint32_t *count = mem_new(n + 1, sizeof *count);
    double *jobs = arena_alloc(to->memory, (n_queues + 1) * sizeof *jobs);
    const char **name = arena_alloc(to->memory, (n_queues + 1) * sizeof *name);
    for (job_id j = 0; j < w->n_jobs; j++) {
        if (w->facts[j].user != ID_NONE)
            count[w->facts[j].user]++;
        jobs[w->facts[j].queue]++;
    }
    qsort(count, n, sizeof *count, descending);
    to->users_zipf = 0;           /* no user has a name: the default number, all alike */
    if (n > 0 && count[0] > 0) {
        to->users = n;
        to->users_zipf = fit_zipf(count, n);
    }
    for (uint32_t q = 0; q < n_queues; q++) {
        const char *text = intern_text(w->queue_names, q);
        name[q] = arena_text(to->memory, *text ? text : "all", strlen(*text ? text : "all"));
        jobs[q] /= w->n_jobs;
    }
    to->projects = (struct synth_names){ n_queues, name, jobs };
    free(count);
}

/* ==== classes ==== */

enum { SIZES_MOST = 48, NAMES_MOST = 200, JOBS_LEAST = 20, BRACKET_LEAST = 500 };

static int64_t milli_of(const struct job_facts *f)
{
    int64_t milli = request_gpu_milli(f->ask);
    return milli <= MILLI_ALL ? milli : (milli + MILLI_ALL - 1) / MILLI_ALL * MILLI_ALL;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* ---- counting ---- */

static int by_size(const void *left, const void *right)
{
    const struct synth_size *a = left, *b = right;
    return (a->gpu_milli > b->gpu_milli) - (a->gpu_milli < b->gpu_milli);
}
static int by_share(const void *left, const void *right)
{
    const struct synth_size *a = left, *b = right;
    return a->share != b->share ? (a->share < b->share) - (a->share > b->share)
                                : by_size(left, right);
}

/* Sizes beyond the 48 most frequent go to the nearest of these. */
static size_t merge(struct synth_size *s, size_t n)
{
    qsort(s, n, sizeof *s, by_share);
    size_t kept = n < SIZES_MOST ? n : SIZES_MOST;
    for (size_t i = kept; i < n; i++) {
        size_t near = 0;
        for (size_t k = 1; k < kept; k++)
            if (llabs(s[k].gpu_milli - s[i].gpu_milli) < llabs(s[near].gpu_milli - s[i].gpu_milli))
                near = k;
        s[near].share += s[i].share;
    }
    qsort(s, kept, sizeof *s, by_size);
    return kept;
}

struct jobs { const struct workload *w; const job_id *job; size_t n; };    /* [n] of one class */

static void fit_sizes(const struct jobs *of, struct synth_class *to, struct arena *memory)
{
    double *milli = mem_new(of->n, sizeof *milli), sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < of->n; i++)
        sum += milli[i] = (double)milli_of(&of->w->facts[of->job[i]]);
    qsort(milli, of->n, sizeof *milli, ascending);
    struct synth_size *all = mem_new(of->n, sizeof *all);
    for (size_t i = 0; i < of->n; i++) {
        if (!n || all[n - 1].gpu_milli != (int64_t)milli[i])
            all[n++] = (struct synth_size){ (int64_t)milli[i], 0 };
        all[n - 1].share += 1 / (double)of->n;
    }
    bool merged = n > SIZES_MOST;
    to->n_sizes = merge(all, n);
    to->size = arena_alloc(memory, to->n_sizes * sizeof *to->size);
    memcpy(to->size, all, to->n_sizes * sizeof *to->size);
    if (merged)
        to->mean_gpus = sum / (double)of->n / MILLI_ALL;
    free(all);
    free(milli);
}

static struct synth_names count_names(const struct jobs *of, const struct intern *names,
                                      uint32_t (*number)(const struct workload *, job_id),
                                      const char *nothing, struct arena *memory)
{
    uint32_t n = intern_count(names);
    double *count = mem_new(n + 1, sizeof *count), known = 0;
    struct synth_names to = { 0 };
    for (size_t i = 0; i < of->n; i++) {
        uint32_t k = number(of->w, of->job[i]);
        count[k == ID_NONE ? n : k]++;
        known += k != ID_NONE;
    }
    if (known > 0 && n <= NAMES_MOST) {
        to.name = arena_alloc(memory, (n + 1) * sizeof *to.name);
        to.weight = arena_alloc(memory, (n + 1) * sizeof *to.weight);
        for (uint32_t k = 0; k <= n; k++) {
            const char *name = k < n ? intern_text(names, k) : nothing;
            if (count[k] == 0)
                continue;
            to.name[to.n] = arena_text(memory, name, strlen(name));
            to.weight[to.n++] = count[k] / (double)of->n;
        }
    }
    free(count);
    return to;
}

static uint32_t type_of(const struct workload *w, job_id j)
{
    return w->shape[w->facts[j].ask->shape].gpu_type;
}
static uint32_t model_of(const struct workload *w, job_id j)
{
    return w->facts[j].model;
}

/* ---- fates ---- */

static void fates_between(const struct jobs *of, int64_t from, int64_t to,
                          double count[SYNTH_FATES], double time[SYNTH_FATES])
{
    memset(count, 0, SYNTH_FATES * sizeof *count);
    memset(time, 0, SYNTH_FATES * sizeof *time);
    for (size_t i = 0; i < of->n; i++) {
        const struct job_truth *t = &of->w->truth[of->job[i]];
        int64_t milli = milli_of(&of->w->facts[of->job[i]]);
        if (milli < from || milli >= to)
            continue;
        count[t->fate]++;
        time[t->fate] += seconds(t->duration_ns);
    }
}

static void fit_fates(const struct jobs *of, struct synth_class *to, struct arena *memory)
{
    static const int64_t bracket[] = { 0, 2, 4, 8, 16, 32, 64, INT64_MAX / MILLI_ALL };
    enum { BRACKETS = sizeof bracket / sizeof *bracket - 1 };
    struct synth_fates *f = &to->fates;
    double count[SYNTH_FATES], time[SYNTH_FATES], n = (double)of->n, all = 0;
    fates_between(of, 0, INT64_MAX, count, time);
    if (count[FATE_COMPLETED] == n)
        return;
    for (int k = 0; k < SYNTH_FATES; k++)
        all += time[k];
    for (int k = 0; k < SYNTH_FATES; k++) {
        f->share[k] = count[k] / n;
        f->multiple[k] = count[k] > 0 && time[k] > 0 ? time[k] / count[k] / (all / n) : 1;
    }
    f->by_gpus = arena_alloc(memory, BRACKETS * sizeof *f->by_gpus);
    for (int b = 0; b < BRACKETS; b++) {
        fates_between(of, bracket[b] * MILLI_ALL, bracket[b + 1] * MILLI_ALL, count, time);
        double jobs = count[0] + count[1] + count[2];
        if (jobs < BRACKET_LEAST)
            continue;
        struct fates_by_gpus *one = &f->by_gpus[f->n_by_gpus++];
        one->gpu_milli = bracket[b] * MILLI_ALL;
        for (int k = 0; k < SYNTH_FATES; k++)
            one->share[k] = count[k] / jobs;
    }
    if (f->n_by_gpus == 1)
        f->n_by_gpus = 0;
}

/* ---- correlation ---- */

struct pair { double size, run_s, rank; };
static int pairs_by_size(const void *left, const void *right)
{
    return ascending(&((const struct pair *)left)->size, &((const struct pair *)right)->size);
}
static int pairs_by_run(const void *left, const void *right)
{
    return ascending(&((const struct pair *)left)->run_s, &((const struct pair *)right)->run_s);
}

/* Ties have the mean of their ranks. */
static double spearman(const struct jobs *of)
{
    struct pair *p = mem_new(of->n, sizeof *p);
    double mean = (double)(of->n - 1) / 2, xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < of->n; i++)
        p[i] = (struct pair){ (double)milli_of(&of->w->facts[of->job[i]]),
                              seconds(of->w->truth[of->job[i]].duration_ns), 0 };
    qsort(p, of->n, sizeof *p, pairs_by_size);
    for (size_t i = 0, next; i < of->n; i = next) {
        for (next = i + 1; next < of->n && p[next].size == p[i].size; next++)
            ;
        for (size_t k = i; k < next; k++)
            p[k].rank = (double)(i + next - 1) / 2 - mean;
    }
    qsort(p, of->n, sizeof *p, pairs_by_run);
    for (size_t i = 0, next; i < of->n; i = next) {
        for (next = i + 1; next < of->n && p[next].run_s == p[i].run_s; next++)
            ;
        double rank = (double)(i + next - 1) / 2 - mean;
        for (size_t k = i; k < next; k++) {
            xy += p[k].rank * rank;
            xx += p[k].rank * p[k].rank;
            yy += rank * rank;
        }
    }
    free(p);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* At most 0.99 of what sizes with such ties allow. */
static void fit_correlation(const struct jobs *of, struct synth_class *to)
{
    double *share = mem_new(to->n_sizes, sizeof *share), rho = spearman(of);
    for (size_t i = 0; i < to->n_sizes; i++)
        share[i] = to->size[i].share;
    struct shares sizes = shares_of(share, to->n_sizes);
    double most = .99 * copula_spearman(&sizes, 1);
    to->spearman = to->n_sizes > 1 ? fmin(fmax(rho, -most), most) : 0;
    to->spearman_given = true;
    shares_free(&sizes);
    free(share);
}

/* ---- a class ---- */

static int fit_one(const struct jobs *of, int law, struct synth_class *to, struct fit_class *report,
                   struct arena *memory, struct error *err)
{
    double *x = mem_new(of->n, sizeof *x);
    for (size_t i = 0; i < of->n; i++)
        x[i] = seconds(of->w->truth[of->job[i]].duration_ns);
    qsort(x, of->n, sizeof *x, ascending);
    fit_laws(x, of->n, memory, report);
    free(x);
    if (law >= 0)
        report->chosen = law;
    if (!report->law[report->chosen].there)
        return error_set(err, "there is no law '%s' of these run times",
                         fit_law_words[report->chosen]);
    to->share = (double)of->n / of->w->n_jobs;
    to->node_gpus = 1;            /* sizes as they are */
    to->durations = report->law[report->chosen].durations;
    fit_sizes(of, to, memory);
    fit_fates(of, to, memory);
    fit_correlation(of, to);
    to->gpu_types = count_names(of, of->w->gpu_types, type_of, "any", memory);
    to->models = count_names(of, of->w->models, model_of, "none", memory);
    report->n_jobs = (uint32_t)of->n;
    report->class = to->class;
    struct error why = { "" };
    if (to->mean_gpus > 0 && synth_class_check(to, &why) != 0)
        /* no job has one GPU or less: rare sizes went to the nearest, so the mean is near */
        to->mean_gpus = 0;
    return synth_class_check(to, err);
}

static int fit_classes(struct fit *f, const struct workload *w, int law, struct error *err)
{
    job_id *job = mem_new(w->n_jobs, sizeof *job);
    int result = 0;
    f->spec->class = arena_alloc(f->spec->memory, CLASSES * sizeof *f->spec->class);
    f->class = arena_alloc(f->spec->memory, CLASSES * sizeof *f->class);
    for (int c = 0; c < CLASSES && result == 0; c++) {
        struct jobs of = { w, job, 0 };
        for (job_id j = 0; j < w->n_jobs; j++)
            if (w->facts[j].class == (enum job_class)c)
                job[of.n++] = j;
        if (!of.n)
            continue;
        struct synth_class *to = &f->spec->class[f->n_classes];
        *to = synth_class_default;
        to->class = (enum job_class)c;
        result = fit_one(&of, law, to, &f->class[f->n_classes++], f->spec->memory, err);
    }
    f->spec->n_classes = f->n_classes;
    free(job);
    return result;
}

/* ---- all of it ---- */

int fit_make(struct fit *to, const struct workload *w, const char *name, int law, struct error *err)
{
    *to = (struct fit){ .spec = synth_spec_new() };
    if (w->n_jobs < JOBS_LEAST)
        return error_set(err, "want at least %d jobs to fit laws to, got %" PRIu32, JOBS_LEAST,
                         w->n_jobs);
    to->spec->name = arena_text(to->spec->memory, name, strlen(name));
    fit_arrivals(w, to->spec);
    fit_users(w, to->spec);
    return fit_classes(to, w, law, err);
}

void fit_free(struct fit *f)
{
    synth_spec_free(f->spec);
    *f = (struct fit){ 0 };
}
