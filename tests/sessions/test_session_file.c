/* test_session_file.c - interactive sessions of a workload file: what is said to broken ones, defaults, what is written reads back as the
 * same, and the jobs that they become. */
#include "sim/io/output.h"
#include "sim/sessions/draw_sessions.h"
#include "tests/synth/workload_text.h"
#include "traces/formats/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define W    "workload: w\nspan_s: 604800\n"
#define JOBS "arrivals: { rate_per_h: 10 }\ngpus: { 1: 1 }\ndurations: { law: fixed, value_s: 60 }\n"
#define ONE(more) W "sessions:\n  - { group: lab, users: 20" more " }\n"

static const struct file_row { const char *name, *text, *error; } rows[] = {
    { "good, alone", ONE(""), "" },
    { "good, with jobs", W JOBS "sessions: [ { group: lab, users: 20 } ]\n", "" },
    { "no list", W "sessions: { group: lab, users: 20 }\n", "w.yaml:3:11: sessions: want a list, got a mapping" },
    { "none", W "sessions: []\n", "w.yaml:3:11: sessions: want from 1 to 1000 groups, got 0" },
    { "no name", W "sessions: [ { users: 20 } ]\n", "w.yaml:3:13: key 'group' is missing" },
    { "no users", W "sessions: [ { group: lab } ]\n", "w.yaml:3:13: key 'users' is missing" },
    { "more users than there are", ONE(", rate_per_h: 1") "users: { count: 19 }\n", "w.yaml:4:26: users: want at most the 19 users that the workload has" },
    { "a group twice", W "sessions: [ { group: a, users: 1 }, { group: b, users: 1 }, { group: a, users: 1 } ]\n", "w.yaml:3:70: group: 'a' is there twice" },
    { "two rates", ONE(", rate_per_h: 1, per_user_weekday: 2"), "w.yaml:4:63: per_user_weekday: want either this or 'rate_per_h'" },
    { "unknown key", ONE(", cul: off"),
      "w.yaml:4:30: unknown key 'cul': want one of group, preset, users, per_user_weekday, rate_per_h, daily, weekly, gpus, node_gpus, cpus_per_gpu, memory_gib_per_gpu, queue, priority, "
      "preemptible, length, think, run, patience, kinds, forgotten, culling, cap_s, start_up, slo, duty" },
    { "a day of three hours", ONE(", daily: [1, 2, 3]"), "w.yaml:4:37: daily: want 24 numbers, got 3" },
    { "a week without work", ONE(", weekly: [0, 0, 0, 0, 0, 1, 1]"), "w.yaml:4:5: weekly: want a weekday with sessions, or a 'rate_per_h'" },
    { "cull", ONE(", culling: { cull: maybe }"), "w.yaml:4:47: cull: want one of off, release, kill, got 'maybe'" },
    { "cull: released too late", ONE(", culling: { release_s: 10, delete_s: 9 }"), "w.yaml:4:5: culling: want release_s up to delete_s" },
    { "cull: never looked at", ONE(", culling: { period_s: 0 }"), "w.yaml:4:51: period_s: want a number above 0 up to 604800, got '0'" },
    { "start-up: backwards", ONE(", start_up: { least_s: 70 }"), "w.yaml:4:5: start_up: want least_s up to most_s" },
    { "start-up: which pool", ONE(", start_up: { pool: hot }"), "w.yaml:4:48: pool: want one of cold, warm, got 'hot'" },
    { "a law by size", ONE(", think: { law: hyper-gamma, p: .5, shape_1: 1, scale_1: 1, shape_2: 1, scale_2: 1, p_per_log2_gpus: .1 }"),
      "w.yaml:4:129: p_per_log2_gpus: want a law of times alone" },
    { "a law with too much", ONE(", run: { law: fixed, value_s: 1, mu: 3 }"), "w.yaml:4:65: mu: a law 'fixed' has none" },
    { "no person", ONE(", run: { law: fixed, value_s: .1 }, think: { law: fixed, value_s: .1 }"), "w.yaml:4:5: think, run: want means of at least 1 s, together" },
    { "forgotten: surely more", ONE(", forgotten: 1.5"), "w.yaml:4:41: forgotten: want a number from 0 to 1, got '1.5'" },
    { "kinds: none", ONE(", kinds: []"), "w.yaml:4:37: kinds: want from 1 to 100 kinds, got 0" },
    { "kinds: no share", ONE(", kinds: [ { share: 0 } ]"), "w.yaml:4:5: kinds: want at least one share above 0" },
    { "kinds: runs without a thought", ONE(", kinds: [ { share: 1, run: { law: fixed, value_s: 1 } } ]"),
      "w.yaml:4:56: run: want it with 'think' only: a kind without runs nothing" },
    { "kinds: good", ONE(", kinds: [ { share: 1 }, { share: 2, think: { law: fixed, value_s: 9 }, forgotten: 0.5 } ]"), "" },
    { "preset: no such", ONE(", preset: lenovo"), "w.yaml:4:38: preset: want one of usual, adobe, got 'lenovo'" },
    { "preset: a law beside its kinds", ONE(", preset: adobe, run: { law: fixed, value_s: 1 }"),
      "w.yaml:4:50: run: want it in 'kinds' instead: this preset has some" },
    { "gpus: nothing", ONE(", gpus: {}"), "w.yaml:4:36: gpus: want at least one share above 0" },
    { "half a workload of jobs", W "jobs: 5\nsessions: [ { group: lab, users: 20 } ]\n", "w.yaml:1:1: want 'gpus', in the class or above" },
};

static void said_of_it(void **state)
{
    const struct file_row *r = *state;
    said_of(r->text, r->error);
}

/* ---- as jobs ---- */

static int read_text(const char *text, struct workload *w, struct error *err)
{
    struct input *in = input_from_bytes(text, strlen(text), "w.yaml", err);
    int result = trace_format_read(trace_format_find("synth"), in, NULL, w, err);
    input_close(in);
    return result;
}

static struct workload *workload_of(const char *text, uint64_t seed)
{
    struct error err = { "" };
    struct workload *w = workload_new();
    w->seed = seed;
    if (read_text(text, w, &err) || workload_finish(w, "w.yaml", &err))
        fail_msg("%s", err.text);
    return w;
}

static const struct no_horizon { const char *name, *text, *error; } horizons[] = {
    { "for how long", "workload: w\nsessions: [ { group: lab, users: 20 } ]\n", "w.yaml: sessions: want 'span_s', in which they come" },
};

static void said_of_drawing(void **state)
{
    const struct no_horizon *r = *state;
    struct error err = { "" };
    struct workload *w = workload_new();
    assert_int_equal(read_text(r->text, w, &err), -1);
    assert_string_equal(err.text, r->error);
    workload_free(w);
}

/* In the order of their submit times behind all others, each with what it asks for. */
static void become_jobs(void **state)
{
    (void)state;
    struct workload *w = workload_of(W JOBS "projects: { names: [p, q] }\n"
                                       "sessions:\n"
                                       "  - { group: a, users: 20, priority: 7, preemptible: false, queue: notebooks, gpus: { 0.5: 1, 2: 1 }, cpus_per_gpu: 4 }\n"
                                       "  - { group: b, users: 20, cap_s: 3600, gpus: { 16: 1 } }\n", 3);
    const struct session_groups *all = w->sessions;
    size_t next[2] = { 0, 0 };
    assert_non_null(all);
    assert_int_equal(all->n, 2);
    assert_int_equal(w->n_on_demand, all->group[0].n + all->group[1].n);
    assert_true(w->n_jobs > 1000 && all->group[0].n > 100 && all->group[1].n > 100);
    for (job_id j = w->n_jobs; j < workload_all(w); j++) {
        const struct session *first[2];
        for (int g = 0; g < 2; g++)
            first[g] = next[g] < all->group[g].n ? &all->group[g].session[next[g]] : NULL;
        int g = !first[0] ? 1 : !first[1] ? 0 : first[1]->submit_ns < first[0]->submit_ns;
        const struct session *x = first[g];
        const struct job_facts *f = &w->facts[j];
        char name[64];
        snprintf(name, sizeof name, "%c-%zu", 'a' + g, ++next[g]);
        assert_string_equal(w->truth[j].name, name);
        snprintf(name, sizeof name, "user%" PRIu32, x->user + 1);
        assert_string_equal(intern_text(w->users, f->user), name);
        assert_true(f->submit_ns == x->submit_ns && f->class == CLASS_INTERACTIVE && w->truth[j].on_demand);
        assert_int_equal(f->priority, g ? 0 : 7);
        assert_int_equal(f->preemptible, g ? 1 : 0);
        assert_true(g || !strcmp(intern_text(w->queue_names, f->queue), "notebooks"));
        assert_int_equal(request_tasks(f->ask), g ? 2 : 1);    /* nodes of 8 */
        assert_int_equal(f->ask->cpu_milli, g ? 0 : x->size ? 8000 : 4000);
        assert_true(w->truth[j].duration_ns <= (g ? 3600 : 86400) * NS_PER_S);
    }
    workload_free(w);
}

/* Jobs are the same with and without sessions beside them; sessions the same with and without jobs. */
static void side_by_side(void **state)
{
    (void)state;
    struct workload *both = workload_of(W JOBS "sessions: [ { group: lab, users: 20 } ]\n", 3), *jobs = workload_of(W JOBS, 3);
    struct workload *sessions = workload_of(ONE(""), 3), *other = workload_of(ONE(""), 4);
    assert_true(both->drawn == jobs->drawn && jobs->sessions == NULL && sessions->drawn == 0);
    assert_true(both->sessions->drawn == sessions->sessions->drawn && sessions->sessions->drawn != other->sessions->drawn);
    assert_int_equal(sessions->n_jobs, 0);
    struct workload *all[] = { both, jobs, sessions, other };
    for (size_t i = 0; i < COUNT(all); i++)
        workload_free(all[i]);
}

/* Without a span they come until the last job does. */
static void until_the_last_job(void **state)
{
    (void)state;
    struct workload *w = workload_of("workload: w\njobs: 500\n" JOBS "sessions: [ { group: lab, users: 20 } ]\n", 1);
    assert_true(w->n_on_demand > 0);
    assert_true(w->facts[workload_all(w) - 1].submit_ns < w->facts[w->n_jobs - 1].submit_ns);
    workload_free(w);
}

/* ---- written and read back ---- */

static const struct text_row { const char *name, *text; } texts[] = {
    { "written: defaults", ONE("") },
    { "written: kinds", ONE(", preset: adobe") },
    { "written: beside jobs", W JOBS "sessions: [ { group: lab, users: 20 } ]\n" },
    { "written: everything said", W "start: 2026-01-05\nusers: { count: 30 }\nsessions:\n"
      "  - { group: it's, users: 7, rate_per_h: 2.5, daily: [1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6], weekly: [7,6,5,4,3,2,1], queue: 'q: 1', priority: -4, preemptible: false,\n"
      "      gpus: { 0.25: 1, 4: 2, 12: 1 }, node_gpus: 4, cpus_per_gpu: 1.5, memory_gib_per_gpu: 2.25,\n"
      "      length: { law: weibull, shape: 2, scale_s: 5000, most_s: 9000 }, think: { law: lognormal, mean_s: 90, median_s: 50 }, run: { law: gamma, shape: 2, scale_s: 40, least_s: 3 },\n"
      "      patience: { law: fixed, value_s: 77 }, forgotten: .375, culling: { cull: kill, release_s: 10.5, delete_s: 20, period_s: 7 }, cap_s: 40000,\n"
      "      start_up: { least_s: 1, most_s: 2.5 }, slo: { start_s: 3, share: .5 }, duty: .25 }\n"
      "  - { group: warm, users: 30, per_user_weekday: 3, start_up: { pool: warm }, culling: { cull: off } }\n" },
};

static void written_and_read_back(void **state)
{
    const char *text = ((const struct text_row *)*state)->text;
    struct synth_spec *s = spec_of(text);
    char *first = strdup(written(s));
    struct synth_spec *again = spec_of(first);
    assert_string_equal(written(again), first);
    struct workload *a = workload_of(text, 5), *b = workload_of(first, 5);
    assert_true(a->sessions->drawn == b->sessions->drawn && a->drawn == b->drawn);
    for (size_t g = 0; g < a->sessions->n; g++) {
        const struct sessions *x = &a->sessions->group[g], *y = &b->sessions->group[g];
        assert_true(x->culling.how == y->culling.how && x->culling.release_ns == y->culling.release_ns && x->culling.delete_ns == y->culling.delete_ns &&
                    x->culling.period_ns == y->culling.period_ns && x->cap_ns == y->cap_ns && x->slo_ns == y->slo_ns && x->slo_share == y->slo_share && x->duty == y->duty);
    }
    workload_free(a);
    workload_free(b);
    free(first);
    synth_spec_free(s);
    synth_spec_free(again);
}

/* models.md 5: 15 s where a pool is warm, unless the file says more. */
static void a_warm_pool(void **state)
{
    (void)state;
    struct synth_spec *s = spec_of(W "sessions: [ { group: a, users: 1, start_up: { pool: warm } }, { group: b, users: 1, start_up: { pool: warm, most_s: 20 } } ]\n");
    assert_true(s->sessions[0].is.start_least_s == 15 && s->sessions[0].is.start_most_s == 15);
    assert_true(s->sessions[1].is.start_least_s == 15 && s->sessions[1].is.start_most_s == 20);
    synth_spec_free(s);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, said_of_it, rows);
    ADD_ROWS(tests, n, said_of_drawing, horizons);
    ADD_TEST(tests, n, become_jobs);
    ADD_TEST(tests, n, side_by_side);
    ADD_TEST(tests, n, until_the_last_job);
    ADD_ROWS(tests, n, written_and_read_back, texts);
    ADD_TEST(tests, n, a_warm_pool);
    char directory[] = "/tmp/gpuyard-test-XXXXXX";
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
