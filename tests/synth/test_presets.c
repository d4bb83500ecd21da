/* test_presets.c - a million jobs of each preset against what is published of its cluster, models.md 6.1: within 3 % or three
 * standard errors, whichever is larger. Medians have the error sqrt(1/4n)/density, the density from the sample. */
#include "tests/synth/workload_text.h"

#include <stdio.h>

enum { JOBS = 1000000 };

/* mean_gpus 0: not published. gpu_time: shares of the completed and the cancelled, from the summaries named in presets.c; 0: none. */
static const struct row { const char *name; double mean_s, median_s, mean_gpus, gpu_time[2]; } rows[] = {
    { "philly", 18006, 874, 1.928, { .321, .294 } },
    { "helios-venus", 13041, 204, 6.736, { .516, .399 } },
    { "helios-earth", 5131, 234, 2.101, { .499, .419 } },
    { "helios-saturn", 5253, 124, 4.010, { .520, .388 } },
    { "helios-uranus", 9164, 280, 4.038, { .510, .387 } },
    { "pai", 4787, 481, .683, { 0, 0 } },
    { "seren", 1414, 122, 5.68, { .212, .664 } },
    { "kalos", 1260, 124, 26.77, { .313, .607 } },
    { "openb", 28949, 616, 0, { 0, 0 } },    /* of the pods of openb_pod_list_default.csv that ran */
};

static const char *text_of(const char *name)
{
    const struct synth_preset *p = synth_presets;
    while (p->name && strcmp(p->name, name))
        p++;
    assert_non_null(p->name);
    return p->text;
}

static bool is_near(double got, double want, double error)
{
    return fabs(got - want) <= fmax(.03 * want, 3 * error);
}

static void near_enough(const char *what, double got, double want, double error)
{
    if (!is_near(got, want, error))
        fail_msg("%s: want %.6g, got %.6g +- %.3g", what, want, got, error);
    assert_false(is_near(got, 1.1 * want, error));    /* control: a tenth off is seen */
    assert_false(is_near(got, .9 * want, error));
}

struct moments { double sum, squares; };

static double mean_of(struct moments m)
{
    return m.sum / JOBS;
}

static double error_of(struct moments m)
{
    return sqrt((m.squares / JOBS - mean_of(m) * mean_of(m)) / JOBS);
}

static void as_published(void **state)
{
    const struct row *r = *state;
    static double x[JOBS];
    struct moments run = { 0, 0 }, gpus = { 0, 0 };
    double time[SYNTH_FATES] = { 0 };
    struct synth_spec *s = spec_of(text_of(r->name));
    struct synth_jobs jobs = drawn_of(text_of(r->name), 1, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        double n = (double)s->class->size[jobs.job[i].size].gpu_milli / MILLI_ALL, d = seconds(jobs.job[i].duration_ns);
        x[i] = d;
        run.sum += d;
        run.squares += d * d;
        gpus.sum += n;
        gpus.squares += n * n;
        time[jobs.job[i].fate] += d;
        assert_true(d >= s->class->durations.least_s - 1e-9 && d <= s->class->durations.most_s + 1e-9);
    }
    qsort(x, JOBS, sizeof *x, ascending);
    double median = x[JOBS / 2], density = .02 / (x[JOBS / 100 * 51] - x[JOBS / 100 * 49]);
    near_enough("mean run time", mean_of(run), r->mean_s, error_of(run));
    near_enough("median run time", median, r->median_s, sqrt(.25 / JOBS) / density);
    if (r->mean_gpus > 0) {
        /* sweeps ask for the same: ten times as many jobs hang together as do not, 6.2 */
        near_enough("mean GPUs", mean_of(gpus), r->mean_gpus, 3.1 * error_of(gpus));
    }
    for (int k = 0; k < 2 && r->gpu_time[k] > 0; k++)    /* of the run time: sizes do not depend on fates */
        assert_true(fabs(time[k ? FATE_CANCELLED : FATE_COMPLETED] / run.sum - r->gpu_time[k]) < .02);
    synth_jobs_free(&jobs);
    synth_spec_free(s);
}

/* philly-mix: the three laws of models.md 6.3 as they are, cut at 60 days and a second. Their mean then, by halves of the error
 * function: sum of w e^(mu + s^2/2) Phi((ln b - mu - s^2)/s) = 11438.7 s; median 1254.37 s. */
static void philly_mix(void **state)
{
    (void)state;
    static double x[JOBS];
    struct moments run = { 0, 0 };
    struct synth_jobs jobs = drawn_of(text_of("philly-mix"), 1, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        x[i] = seconds(jobs.job[i].duration_ns);
        run.sum += x[i];
        run.squares += x[i] * x[i];
    }
    qsort(x, JOBS, sizeof *x, ascending);
    near_enough("mean run time", mean_of(run), 11438.7, error_of(run));
    near_enough("median run time", x[JOBS / 2], 1254.37, sqrt(.25 / JOBS) / (.02 / (x[JOBS / 100 * 51] - x[JOBS / 100 * 49])));
    synth_jobs_free(&jobs);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, as_published, rows);
    ADD_TEST(tests, n, philly_mix);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
