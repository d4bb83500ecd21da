/* quantiles.c - see quantiles.h. */
#include "sim/results/quantiles.h"

#include "sim/base/memory.h"
#include "sim/engine/state.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== Names ==== */

/* clang-format off */
#define TEN(ROW, T) ROW(T##0) ROW(T##1) ROW(T##2) ROW(T##3) ROW(T##4) ROW(T##5) ROW(T##6) ROW(T##7) ROW(T##8) ROW(T##9)
#define ALL(ROW) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(9) \
                 TEN(ROW, 1) TEN(ROW, 2) TEN(ROW, 3) TEN(ROW, 4) TEN(ROW, 5) TEN(ROW, 6) TEN(ROW, 7) TEN(ROW, 8) TEN(ROW, 9)
#define JCT(P)      [P] = { "jct_p" #P "_s", "s", "quantile of JCT, type 7", BETTER_LOWER },
#define WAIT(P)     [P] = { "wait_p" #P "_s", "s", "quantile of the time in queue, type 7", BETTER_LOWER },
#define SLOWDOWN(P) [P] = { "slowdown_p" #P, "", "quantile of JCT / service time, type 7", BETTER_LOWER },
#define BOUNDED(P)  [P] = { "bounded_slowdown_p" #P, "", "quantile of the bounded slowdown, type 7", BETTER_LOWER },
/* clang-format on */

static const struct metric_kind kinds[QUANTILES_OF][QUANTILE_PERCENTS] = {
    [QUANTILE_JCT] = { ALL(JCT) },
    [QUANTILE_WAIT] = { ALL(WAIT) },
    [QUANTILE_SLOWDOWN] = { ALL(SLOWDOWN) },
    [QUANTILE_BOUNDED] = { ALL(BOUNDED) },
};

const struct metric_kind quantile_patterns[] = {
    { "jct_pNN_s", "s", "quantile of JCT, NN from 1 to 99: 'run --quantiles jct_p95_s'", BETTER_LOWER },
    { "wait_pNN_s", "s", "the same of the time in queue", BETTER_LOWER },
    { "slowdown_pNN", "", "the same of JCT / service time", BETTER_LOWER },
    { "bounded_slowdown_pNN", "", "the same of the bounded slowdown", BETTER_LOWER },
    { 0 },
};

const struct metric_kind *quantile_find(const char *name)
{
    for (unsigned of = 0; of < QUANTILES_OF; of++)
        for (unsigned p = 1; p < QUANTILE_PERCENTS; p++)
            if (!strcmp(kinds[of][p].name, name))
                return &kinds[of][p];
    return NULL;
}

bool quantile_is(const struct metric_kind *kind)
{
    for (unsigned of = 0; of < QUANTILES_OF; of++)
        if (kind >= kinds[of] && kind < kinds[of] + QUANTILE_PERCENTS)
            return true;
    return false;
}

/* ==== Lists ==== */

static bool in_every_summary(const char *name)
{
    for (const struct metric_kind *m = metric_kinds; m->name; m++)
        if (!strcmp(m->name, name))
            return true;
    return false;
}

static int want_one(struct quantiles_wanted *to, const char *text, size_t length, struct error *err)
{
    char name[32] = "";
    if (length < sizeof name)
        memcpy(name, text, length);
    const struct metric_kind *kind = quantile_find(name);
    if (!kind)
        return error_set(err,
                         "want jct_pNN_s, wait_pNN_s, slowdown_pNN or bounded_slowdown_pNN with NN "
                         "from 1 to 99, separated by commas, got '%.*s'",
                         (int)(length < 60 ? length : 60), text);
    size_t at = (size_t)(kind - kinds[0]);
    to->of[at / QUANTILE_PERCENTS][at % QUANTILE_PERCENTS] = !in_every_summary(name);
    return 0;
}

int quantiles_want(struct quantiles_wanted *to, const char *list, struct error *err)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        if (want_one(to, list, length, err))
            return -1;
        if (!list[length])
            return 0;
        list += length + 1;
    }
}

bool quantiles_any(const struct quantiles_wanted *w)
{
    static const struct quantiles_wanted none;
    return memcmp(w, &none, sizeof none) != 0;
}

void quantiles_write(FILE *to, const struct quantiles_wanted *w)
{
    const char *before = "";
    for (unsigned of = 0; of < QUANTILES_OF; of++)
        for (unsigned p = 1; p < QUANTILE_PERCENTS; p++)
            if (w->of[of][p]) {
                fprintf(to, "%s%s", before, kinds[of][p].name);
                before = ",";
            }
}

/* ==== Values ==== */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double value_of(const struct sched *s, job_id j, const struct run_times *t, unsigned of)
{
    int64_t service_ns = run_setup_of(s)->workload->truth[j].duration_ns;
    return of == QUANTILE_JCT    ? seconds(t->jct_ns)
           : of == QUANTILE_WAIT ? seconds(t->wait_ns)
                                 : job_slowdown(t->jct_ns, service_ns, of == QUANTILE_BOUNDED);
}

/* Sorted. Returns how many. */
static size_t values_of(const struct parts *p, const struct tally *t, unsigned of, double *x)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct workload *w = run_setup_of(p->of[i])->workload;
        for (job_id j = 0; j < w->n_jobs; j++) {
            run_pass(p->of[i], j);
            struct run_times times = run_times(p->of[i], j);
            bool counts = times.ended && (of != QUANTILE_SLOWDOWN || w->truth[j].duration_ns > 0);
            if (counts && (t->by == BY_ALL || tally_of_job(p, i, j, t->by) == t->number))
                x[n++] = value_of(p->of[i], j, &times, of);
        }
    }
    qsort(x, n, sizeof *x, by_value);
    return n;
}

void quantiles_put(struct summary_builder *b, const struct tally *t)
{
    const struct quantiles_wanted *w = &run_setup_of(b->s)->quantiles;
    if (!quantiles_any(w))
        return;
    double *x = mem_new(t->ended + 1, sizeof *x);
    for (unsigned of = 0; of < QUANTILES_OF; of++) {
        size_t n = memchr(w->of[of], true, sizeof w->of[of]) ? values_of(b->parts, t, of, x) : 0;
        for (unsigned p = 1; p < QUANTILE_PERCENTS; p++) {
            bool enough = n >= (p == 99 ? QUANTILE_MIN_JOBS_P99 : 1);
            if (w->of[of][p])
                summary_put_kind(b, &kinds[of][p], t->scope,
                                 enough ? gsl_stats_quantile_from_sorted_data(x, 1, n, p / 100.0)
                                        : (double)NAN,
                                 n);
        }
    }
    free(x);
}
