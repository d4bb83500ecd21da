/* test_workload_file.c - workload files: what is said to broken ones, defaults, and that what is written reads back as the same. */
#include "sim/io/output.h"
#include "tests/synth/workload_text.h"
#include "traces/formats/format.h"

#include <stdio.h>
#include <unistd.h>

#define W     "workload: w\n"
#define RATE  "arrivals: { rate_per_h: 10 }\n"
#define GPUS  "gpus: { 1: 1 }\n"
#define TIMES "durations: { law: fixed, value_s: 1 }\n"
#define GOOD  W RATE GPUS TIMES
#define LAW(text) W RATE GPUS "durations: { " text " }\n"
#define LAWS "fixed, exponential, lognormal, weibull, gamma, hyper-gamma, log-uniform, empirical, mix, gavel, philly-mix"

static const struct file_row { const char *name, *text, *error; } rows[] = {
    { "good", GOOD, "" },
    { "JSON", "{ \"workload\": \"w\", \"arrivals\": { \"rate_per_h\": 1 }, \"gpus\": { \"1\": 1 }, \"durations\": { \"law\": \"fixed\", \"value_s\": 2 } }", "" },
    { "no name", RATE GPUS TIMES, "w.yaml:1:1: key 'workload' is missing" },
    { "unknown key", GOOD "durration: 1\n",
      "w.yaml:5:1: unknown key 'durration': want one of workload, start, jobs, span_s, load, arrivals, retries, users, projects, estimates, classes, trace, services, sessions, gpus, mean_gpus, node_gpus, split, "
      "cpus_per_gpu, memory_gib_per_gpu, durations, spearman, fates, slowdown, priority, preemptible, sweeps, gpu_types, models, did you mean 'durations'?" },
    { "a key twice", GOOD GPUS, "w.yaml:5:1: key 'gpus' is given twice" },
    { "no sizes", W RATE TIMES, "w.yaml:1:1: want 'gpus', in the class or above" },
    { "no run times", W RATE GPUS, "w.yaml:1:1: want 'durations', in the class or above" },
    { "no rate", W GPUS TIMES, "w.yaml:1:1: want either the 'target' of a 'load' or 'rate_per_h' of the 'arrivals'" },
    { "two rates", GOOD "load: { target: 1 }\n", "w.yaml:1:1: want either the 'target' of a 'load' or 'rate_per_h' of the 'arrivals'" },
    { "jobs: none", GOOD "jobs: 0\n", "w.yaml:5:7: jobs: want a whole number from 1 to 100000000, got '0'" },
    { "start: no date", GOOD "start: monday\n", "w.yaml:5:8: start: want a time from 1970 to 2069 like 2017-10-09 07:01:55, got 'monday'" },
    { "start: the 30th of February", GOOD "start: 2026-02-30\n", "w.yaml:5:8: start: want a time from 1970 to 2069 like 2017-10-09 07:01:55, got '2026-02-30'" },
    { "start: a day", GOOD "start: 2026-01-05\n", "" },
    { "start: with a zone", GOOD "start: '2026-01-05 00:00:00+01:00'\n", "" },
    { "estimates: nobody knows", GOOD "estimates: unifrom:2\n",
      "w.yaml:5:12: estimates: want trace, perfect, uniform:F, lognormal:SIGMA, buckets, user-last2, group-quantile[:Q], or a factor from 0.001 to 1000, got 'unifrom:2'; did you mean 'uniform'?" },
    { "estimates: predicted", GOOD "estimates: user-last2\n", "w.yaml:5:12: estimates: want what is submitted: predictions are made in a run" },

    { "gpus: no number", W RATE TIMES "gpus: { one: 1 }\n", "w.yaml:4:14: one: want a whole number of GPUs up to 1000000, or a fraction below one, as the key" },
    { "gpus: one and a half", W RATE TIMES "gpus: { 1.5: 1 }\n", "w.yaml:4:14: 1.5: want a whole number of GPUs up to 1000000, or a fraction below one, as the key" },
    { "gpus: a negative share", W RATE TIMES "gpus: { 1: -1 }\n", "w.yaml:4:12: 1: want a number from 0 to 1000000, got '-1'" },
    { "gpus: no share", W RATE TIMES "gpus: { 1: 0, 2: 0 }\n", "w.yaml:4:7: gpus: want at least one share above 0" },
    { "gpus: nothing", W RATE TIMES "gpus: {}\n", "w.yaml:4:7: gpus: want at least one share above 0" },
    { "mean_gpus: too many", GOOD "mean_gpus: 4\n", "w.yaml:1:1: mean_gpus: the shares of sizes above one GPU cannot be scaled to a mean of 4" },
    { "split", GOOD "split: nodes\n", "w.yaml:5:8: split: want one of any, node, got 'nodes', did you mean 'node'?" },
    { "spearman: of one size", GOOD "spearman: 0.2\n", "w.yaml:1:1: spearman: one size is correlated with nothing, want 0, got 0.2" },
    /* shares .99 and .01: mean ranks .495 and .995 have variance .002475; the tail's mean rank is .995: .172 = sqrt(12 x .002475) */
    { "spearman: too many ties", W RATE "gpus: { 1: .99, 2: .01 }\ndurations: { law: exponential, mean_s: 9 }\n",
      "w.yaml:1:1: spearman: sizes with so many ties allow from -0.172 to 0.172, want 0.2" },
    { "spearman: beyond 1", GOOD "spearman: 1.1\n", "w.yaml:5:11: spearman: want a number from -1 to 1, got '1.1'" },
    { "names: twice", GOOD "models: { a: 1, b: 2, a: 3 }\n", "w.yaml:5:26: a: this key is given twice" },

    { "law: unknown", LAW("law: lognorm"), "w.yaml:4:19: law: want one of " LAWS ", got 'lognorm', did you mean 'lognormal'?" },
    { "law: none", LAW("mean_s: 1"), "w.yaml:4:12: key 'law' is missing" },
    { "law: lacks", LAW("law: weibull, shape: 1"), "w.yaml:4:12: durations: weibull wants 'scale_s'" },
    { "law: has too much", LAW("law: weibull, shape: 1, scale_s: 1, mu: 2"), "w.yaml:4:54: mu: a law 'weibull' has none" },
    { "law: a scale of nothing", LAW("law: gamma, shape: 1, scale_s: 0"), "w.yaml:4:45: scale_s: want a number above 0 up to 1000000000, got '0'" },
    { "lognormal: half of each", LAW("law: lognormal, mean_s: 5, sigma: 1"), "w.yaml:4:12: durations: lognormal wants 'mean_s' and 'median_s', or 'mu' and 'sigma'" },
    { "lognormal: mean below median", LAW("law: lognormal, mean_s: 5, median_s: 6"), "w.yaml:4:12: durations: lognormal: want a mean above the median" },
    { "lognormal: none is like that", LAW("law: lognormal, mean_s: 9000, median_s: 1, most_s: 10000"),
      "w.yaml:1:1: durations: no lognormal law cut to 0..10000 s has mean 9000 s and median 1 s with these fates" },
    { "log-uniform: the wrong way", LAW("law: log-uniform, from_s: 5, to_s: 5"), "w.yaml:4:12: durations: log-uniform: want from_s below to_s" },
    { "hyper-gamma: no mean", LAW("law: hyper-gamma, p: 1, shape_1: 1, scale_1: 1.5, shape_2: 1, scale_2: 1, of: log2"),
      "w.yaml:4:12: durations: hyper-gamma of log2: want scales below 1/ln 2 = 1.4427, or the law has no mean" },
    { "mix: no parts", LAW("law: mix, parts: []"), "w.yaml:4:31: parts: want at least one part" },
    { "mix: a part that is cut", LAW("law: mix, parts: [ { law: fixed, value_s: 1, most_s: 2 } ]"), "w.yaml:4:67: most_s: want it of the whole law, not of a part" },
    { "mix: too many parts", LAW("law: mix, parts: [ { law: philly-mix }, { law: philly-mix }, { law: philly-mix }, { law: philly-mix }, { law: philly-mix }, { law: philly-mix } ]"),
      "w.yaml:4:138: want at most 16 simple parts in all" },
    { "a weight of the whole", LAW("law: fixed, value_s: 1, weight: 2"), "w.yaml:4:46: weight: want it of a part of a mix only" },
    { "cut to nothing", LAW("law: exponential, mean_s: 1, least_s: 5, most_s: 5"), "w.yaml:4:12: durations: want least_s below most_s" },
    { "cut to hardly anything", LAW("law: exponential, mean_s: 1, least_s: 500, most_s: 600"), "w.yaml:1:1: durations: hardly any of the law lies in 500..600 s" },
    { "empirical: neither", LAW("law: empirical"), "w.yaml:4:12: durations: empirical wants either 'file' or 'values_s'" },
    { "empirical: no values", LAW("law: empirical, values_s: []"), "w.yaml:4:40: values_s: want at least one value" },
    { "empirical: a text", LAW("law: empirical, values_s: [1, x]"), "w.yaml:4:44: want a number from 0 to 1000000000, got 'x'" },
    { "empirical: no such file", LAW("law: empirical, file: not-there.txt"), "not-there.txt: cannot open: No such file or directory" },

    { "fates: none completes", GOOD "fates: { failed: { share: 1 } }\n", "w.yaml:5:8: key 'completed' is missing" },
    { "fates: no share", GOOD "fates: { completed: { multiple: 1 } }\n", "w.yaml:5:21: key 'share' is missing" },
    { "fates: completed early", GOOD "fates: { completed: { share: 1, early: 1 } }\n", "w.yaml:5:40: early: want it of the failed, not of the completed" },
    { "fates: two of three", GOOD "fates: { completed: { share: 1 }, by_gpus: { 1: [1, 2] } }\n", "w.yaml:5:49: 1: want three shares: completed, cancelled, failed" },
    { "fates: not ascending", GOOD "fates: { completed: { share: 1 }, by_gpus: { 2: [1, 1, 1], 1: [1, 1, 1] } }\n", "w.yaml:5:63: 1: want more GPUs than in the entry before" },
    { "fates: early ones take too long", GOOD "fates: { completed: { share: 1 }, failed: { share: 1, early: 1 } }\n",
      "w.yaml:1:1: fates: the early failures alone take more than the mean of all, 1 s" },
    { "classes: none", GOOD "classes: []\n", "w.yaml:5:10: classes: want at least one; without this key all is training" },
    { "classes: a word", GOOD "classes: [ { class: web, share: 1 } ]\n", "w.yaml:5:21: class: want one of training, inference, interactive, batch, got 'web'" },
    { "classes: no share", GOOD "classes: [ { class: batch } ]\n", "w.yaml:5:12: key 'share' is missing" },

    { "arrivals: a law", W GPUS TIMES "arrivals: { rate_per_h: 1, law: poison }\n", "w.yaml:4:33: law: want one of poisson, hyper, mmpp, got 'poison', did you mean 'poisson'?" },
    { "arrivals: c2 of poisson", W GPUS TIMES "arrivals: { rate_per_h: 1, c2: 4 }\n", "w.yaml:4:32: c2: want it with 'law: hyper' only" },
    { "arrivals: c2 below 1", W GPUS TIMES "arrivals: { rate_per_h: 1, law: hyper, c2: 0.5 }\n", "w.yaml:4:44: c2: want a number from 1 to 1000000, got '0.5'" },
    { "arrivals: a day of 23 hours", W GPUS TIMES "arrivals: { rate_per_h: 1, daily: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] }\n", "w.yaml:4:35: daily: want 24 numbers, got 23" },
    { "arrivals: a week of nothing", W GPUS TIMES "arrivals: { rate_per_h: 1, weekly: [0,0,0,0,0,0,0] }\n", "w.yaml:4:36: weekly: want at least one share above 0" },
    { "arrivals: all gone in a day", W GPUS TIMES "arrivals: { rate_per_h: 1, growth_per_day: -1 }\n", "w.yaml:4:44: growth_per_day: want more than -1" },
    { "sweeps of one", W GPUS TIMES "arrivals: { rate_per_h: 1, sweeps: { mean_jobs: 1 } }\n", "w.yaml:4:49: mean_jobs: want a number from 2 to 100000, got '1'" },
    { "load: no target", W GPUS TIMES "load: { gpus: 8 }\n", "w.yaml:4:7: key 'target' is missing" },
    { "load: all reserved", W GPUS TIMES "load: { target: 1, gpus: 8, reserved_gpus: 8 }\n", "w.yaml:4:7: load: want fewer reserved_gpus than gpus" },
    { "load: how", W GPUS TIMES "load: { target: 1, gpus: 8, calibrate: realized }\n", "w.yaml:4:40: calibrate: want one of expected, realised, got 'realized', did you mean 'realised'?" },
    { "users: none", GOOD "users: { count: 0 }\n", "w.yaml:5:17: count: want a whole number from 1 to 1000000, got '0'" },
    { "projects: counted and named", GOOD "projects: { count: 2, names: [a, b] }\n", "w.yaml:5:11: projects: want 'shares', or 'zipf' with 'count' or 'names'" },
    { "projects: a name twice", GOOD "projects: { names: [a, b, a] }\n", "w.yaml:5:27: 'a' is there twice" },
    { "retries: more than ever", GOOD "retries: { most: 101 }\n", "w.yaml:5:18: most: want a whole number from 0 to 100, got '101'" },
};

static void said_of_it(void **state)
{
    const struct file_row *r = *state;
    said_of(r->text, r->error);
}

/* ---- what can only be told when jobs are drawn ---- */

static const struct drawn_row { const char *name, *text; uint32_t jobs; double gpus; const char *error; } drawn_rows[] = {
    { "drawn: how many", GOOD, 0, 0, "want 'jobs' or 'span_s', how many there shall be" },
    { "drawn: a load of what", W GPUS TIMES "load: { target: .8 }\n", 5, 0, "load: want 'gpus' that it is of, or a cluster with more than 0" },
    { "drawn: a cluster all of which is reserved", W GPUS TIMES "load: { target: .8, reserved_gpus: 8 }\n", 5, 8, "load: want 'gpus' that it is of, or a cluster with more than 8" },
    { "drawn: a load of no GPUs", W TIMES "gpus: { 0: 1 }\nload: { target: .8, gpus: 8 }\n", 5, 0, "load: jobs that take no GPU time cannot make it 0.8" },
    { "drawn: nobody comes", GOOD "span_s: 0.001\n", 0, 0, "span_s: no job comes within 0.001 s" },
    { "drawn: realised of one job", W GPUS TIMES "load: { target: .8, gpus: 8, calibrate: realised }\n", 1, 0,
      "load: want jobs at two times at least, that take some GPU time, to calibrate what is realised" },
    /* 95 years are 832770 h */
    { "drawn: too rare", W GPUS TIMES "arrivals: { rate_per_h: 0.00001 }\n", 1000, 0, "jobs: only 8 of 1000 come within 95 years" },
};

static void said_of_drawing(void **state)
{
    const struct drawn_row *r = *state;
    struct error err = { "" };
    struct synth_jobs jobs;
    struct synth_spec *s = spec_of(r->text);
    const struct synth_wish wish = { .seed = 1, .jobs = r->jobs, .gpus = r->gpus };
    assert_int_equal(synth_draw(s, &wish, &jobs, &err), -1);
    assert_string_equal(err.text, r->error);
    assert_null(jobs.job);
    synth_spec_free(s);
}

/* ---- written and read back ---- */

static const struct text_row { const char *name, *text; } texts[] = {
    { "written: everything at its default", GOOD },
    { "written: everything said", W
      "start: 2026-01-05T01:02:03Z\nspan_s: 86400.5\nload: { target: .7, gpus: 64, availability: .9, reserved_gpus: 4, calibrate: realised }\n"
      "arrivals: { law: mmpp, burst_ratio: 3, burst_s: 50, calm_s: 70, daily: [1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6], weekly: [7,6,5,4,3,2,1],\n"
      "            growth_per_day: 0.01, sweeps: { probability: .2, mean_jobs: 4, within_s: 9, run_times: own } }\n"
      "retries: { probability: .1, most: 2, median_s: 60, sigma: .5 }\nusers: { count: 7, zipf: .3 }\nprojects: { shares: { it's: 1, 'b: c': 2 } }\nestimates: lognormal:.5\n"
      "gpus: { 0: .1, 0.25: .2, 1: .3, 4: .2, 20: .2 }\n"
      "classes:\n"
      "  - { class: training, share: 3, mean_gpus: 3, node_gpus: 4, split: node, cpus_per_gpu: 4.5, memory_gib_per_gpu: 3.25, spearman: .1, slowdown: 1.25, priority: -3,\n"
      "      durations: { law: mix, parts: [ { weight: 2, law: lognormal, mean_s: 100, median_s: 50 }, { law: weibull, shape: .7, scale_s: 60 }, { law: fixed, value_s: 77 } ], least_s: 5, most_s: 100000 },\n"
      "      fates: { completed: { share: 5 }, cancelled: { share: 2, multiple: 1.5 }, failed: { share: 3, multiple: .5, early: .1, early_median_s: 9, early_sigma: 1.1 }, by_gpus: { 0.25: [1, 2, 3], 4: [3, 2, 1] } },\n"
      "      gpu_types: { any: 1, A100: 2 }, models: { none: 1, BERT: 2 } }\n"
      "  - { class: batch, share: 1, preemptible: false, sweeps: false, durations: { law: hyper-gamma, p: .6, shape_1: 4.2, scale_1: .94, shape_2: 312, scale_2: .03, of: log2, p_per_log2_gpus: -.05 } }\n"
      "  - { class: interactive, share: 1, durations: { law: log-uniform, from_s: 5, to_s: 500 } }\n"
      "  - { class: inference, share: 1, durations: { law: empirical, values_s: [1, 5, 2] } }\n" },
    { "written: hyper, gavel", W "arrivals: { rate_per_h: 3, law: hyper, c2: 9 }\n" GPUS "durations: { law: gavel }\n" },
    { "written: gamma, exponential", W RATE "gpus: { 1: 1, 2: 1 }\nclasses: [ { class: training, share: 1, durations: { law: gamma, shape: 2, scale_s: 3 } }, { class: batch, share: 1, durations: { law: exponential, mean_s: 9 } } ]\n" },
};

static void reads_back(const char *text, bool draw)
{
    struct synth_spec *s = spec_of(text);
    char *first = strdup(written(s));
    struct synth_spec *again = spec_of(first);
    assert_string_equal(written(again), first);
    if (draw) {
        struct synth_jobs a = drawn_of(text, 3, 500), b = drawn_of(first, 3, 500);
        assert_int_equal(a.n, b.n);
        assert_true(a.report.drawn == b.report.drawn);
        synth_jobs_free(&a);
        synth_jobs_free(&b);
    }
    free(first);
    synth_spec_free(s);
    synth_spec_free(again);
}

static void written_and_read_back(void **state)
{
    reads_back(((const struct text_row *)*state)->text, true);
}

static void presets_read_back(void **state)
{
    (void)state;
    for (const struct synth_preset *p = synth_presets; p->name; p++)
        reads_back(p->text, p == synth_presets);
}

/* ---- as a trace ---- */

static struct workload *as_trace(const char *text, const char *format, uint64_t seed, struct error *err)
{
    const struct trace_format *used = NULL;
    char sha256[65];
    struct input *in = input_from_bytes(text, strlen(text), "w.yaml", err);
    const struct trace_source from = { .format = format ? trace_format_find(format) : NULL, .seed = seed, .cluster_gpus = 8 };
    struct workload *w = trace_from_input(in, &from, &used, sha256, err);
    if (w)
        assert_string_equal(used->name, "synth");
    input_close(in);
    return w;
}

static const struct told_row { const char *name, *text; bool told; } told[] = {
    { "told: by its first key", "workload: w\njobs: 5\n" RATE GPUS TIMES, true },
    { "told: below comments and ---", "# a: b\n\n---\n  # c\nworkload: w\njobs: 5\n" RATE GPUS TIMES, true },
    { "told: as JSON", "{\n \"workload\": \"w\", \"jobs\": 5, \"arrivals\": { \"rate_per_h\": 1 }, \"gpus\": { \"1\": 1 }, \"durations\": { \"law\": \"fixed\", \"value_s\": 2 } }", true },
    { "told: not by another", "jobs: 5\nworkload: w\n" RATE GPUS TIMES, false },
    { "told: not a longer word", "workloads: w\n", false },
};

static void told_by_its_first_bytes(void **state)
{
    const struct told_row *r = *state;
    struct error err = { "" };
    struct workload *w = as_trace(r->text, NULL, 1, &err);
    assert_true(!!w == r->told);
    assert_true(!w || (w->n_jobs == 5 && w->drawn != 0));
    workload_free(w);
}

/* The sizes of a job as a request: shares, no GPUs, nodes of 4 with a task each; CPUs and memory by GPU; retries wait. */
static void rows_of_the_workload(void **state)
{
    (void)state;
    struct error err = { "" };
    struct workload *w = as_trace("workload: w\njobs: 400\nstart: 2026-01-05\n" RATE TIMES "gpus: { 0: 1, 0.25: 1, 1: 1, 4: 1, 6: 1 }\nspearman: 0\n"
                                  "node_gpus: 4\nsplit: node\ncpus_per_gpu: 2\nmemory_gib_per_gpu: 1\nestimates: '2'\npriority: 5\n"
                                  "fates: { completed: { share: 1 }, failed: { share: 1 } }\nretries: { probability: 1, most: 1 }\n", NULL, 1, &err);
    bool seen[6] = { false };
    assert_non_null(w);
    assert_true(w->origin_ns == INT64_C(20458) * 86400 * NS_PER_S);
    for (job_id j = 0; j < w->n_jobs; j++) {
        const struct request *r = w->facts[j].ask;
        int64_t milli = (int64_t)r->gpus * r->tasks * r->gpu_milli;
        size_t kind = milli == 0 || r->gpus == 0 ? 0 : milli == 250 ? 1 : milli == 1000 ? 2 : milli == 4000 ? 3 : 4;
        seen[kind] = true;
        assert_int_equal(r->tasks, kind == 4 ? 2 : 1);
        assert_int_equal(r->cpu_milli, kind >= 3 ? 8000 : 2000);
        assert_int_equal(r->mem_mib, kind >= 3 ? 4096 : 1024);
        assert_true(w->truth[j].estimate_ns == 2 * w->truth[j].duration_ns);
        assert_int_equal(w->facts[j].priority, 5);
        const char *retry = strstr(w->truth[j].name, ".r1");
        uint32_t waits = w->depends_first[j + 1] - w->depends_first[j];
        assert_int_equal(waits, retry ? 1 : 0);
        if (!retry)
            continue;
        seen[5] = true;
        const char *before = w->truth[w->depends_on[w->depends_first[j]]].name;
        assert_int_equal(strncmp(before, w->truth[j].name, (size_t)(retry - w->truth[j].name)), 0);
        assert_int_equal(w->truth[w->depends_on[w->depends_first[j]]].fate, FATE_FAILED);
    }
    for (int k = 0; k < 6; k++)
        assert_true(seen[k]);
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, said_of_it, rows);
    ADD_ROWS(tests, n, said_of_drawing, drawn_rows);
    ADD_ROWS(tests, n, written_and_read_back, texts);
    ADD_TEST(tests, n, presets_read_back);
    ADD_ROWS(tests, n, told_by_its_first_bytes, told);
    ADD_TEST(tests, n, rows_of_the_workload);
    char directory[] = "/tmp/gpuyard-test-XXXXXX";
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
