/* ratio.c - the completion time of each job over that of the same job in the first run, as a
 * distribution: what a mean hides. A job counts if population.h counts it in both runs; jobs are
 * the same by their name. The first run is a step at 1. Of groups of replications the first run is
 * that of the first group with the same seed: it has the same jobs. */
#include "sim/base/intern.h"
#include "sim/cli/plot/distributions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct baseline {
    struct intern *jobs;
    double *jct_s; /* [jobs]; NaN: not counted */
    size_t capacity;
    bool first;
    struct distribution *of;
};
enum { ID = 2, JCT };

static void on_job(void *self, const struct fields *f)
{
    struct baseline *b = self;
    bool counted = population_row(&b->of->of, f) == COUNTED;
    uint32_t known = intern_count(b->jobs);
    if (b->first) {
        uint32_t at = intern_add(b->jobs, f->text[ID], strlen(f->text[ID]));
        mem_grow(&b->jct_s, &b->capacity, known, sizeof *b->jct_s);
        if (at == known)
            b->jct_s[at] = counted ? f->number[JCT] : (double)NAN;
    }
    uint32_t at = intern_find(b->jobs, f->text[ID], strlen(f->text[ID]));
    double base = at == INTERN_NONE ? (double)NAN : b->jct_s[at];
    if (!counted)
        return;
    if (base > 0)
        sample_add(&b->of->sample, f->number[JCT] / base);
    else
        b->of->missing++;
}

/* The run that run i is over; r->n: none. */
static size_t base_of(const struct plot_request *r, size_t i)
{
    size_t base = 0;
    if (r->groups == r->n)
        return 0;
    while (base < r->n && (r->run[base].group != 0 || r->run[base].seed != r->run[i].seed))
        base++;
    return base;
}

/* This run, and then the others that are over it. */
static int read_over(const struct plot_request *r, size_t base, struct distribution *of,
                     struct error *err)
{
    static const char *const columns[] = { POPULATION_COLUMNS, "$job_id", "jct_s", NULL };
    struct baseline b = { .jobs = intern_new() };
    int result = 0;
    for (size_t k = 0; k <= r->n && result == 0; k++) {
        size_t i = k ? k - 1 : base;
        if (base_of(r, i) != base || (k && i == base))
            continue;
        b.first = i == base;
        b.of = &of[i];
        of[i].of = population_begin(r->run[i].path);
        result = rows_read(r->run[i].path, "jobs.csv", columns, on_job, &b, err);
        if (result == 0 && !of[i].sample.n)
            result = error_set(err, "%s/jobs.csv: no job finished in %s, too", r->run[i].path,
                               r->run[base].path);
    }
    intern_free(b.jobs);
    free(b.jct_s);
    return result;
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    static const struct distribution_style style = {
        .column = "jct_s",
        .columns = "jct_ratio,percent,percent_low,percent_high",
        .start = START_NEAR,
        .median = true,
        .what = "job",
        .missing = "not finished in both",
        .alone = true,
    };
    struct distribution *of = mem_new(r->n, sizeof *of);
    int result = 0;
    (void)k;
    for (size_t i = 0; i < r->n && result == 0; i++)
        if (base_of(r, i) == r->n)
            result = error_set(err, "%s: no run of %s has its seed", r->run[i].path,
                               r->group_label[0]);
        else if (base_of(r, i) == i)
            result = read_over(r, i, of, err);
    if (result == 0)
        distributions_draw_groups(r, &style, of, f);
    fact_text(f, r->groups < r->n ? r->group_label[0] : r->run[0].label, "baseline");
    distributions_free(of, r->n);
    return result;
}

const struct kind jct_ratio_kind = {
    .name = "jct_ratio",
    .least = 2,
    .most = SIZE_MAX,
    .file = { "jobs.csv" },
    .columns = "run,jct_ratio,percent,percent_low,percent_high",
    .script = "jct_ratio.gp",
    .make = make,
};
