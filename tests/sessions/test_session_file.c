/* test_session_file.c - interactive sessions of a workload file: what is said to broken ones, defaults, what is written reads back as the
 * same, and the jobs that they become. */
#include "sim/io/output.h"
#include "sim/sessions/draw_sessions.h"
#include "tests/synth/workload_text.h"
#include "traces/formats/format.h"

#include <inttypes.h>
#include <math.h>
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
      "w.yaml:4:30: unknown key 'cul': want one of group, preset, users, recorded, per_user_weekday, rate_per_h, daily, weekly, gpus, node_gpus, cpus_per_gpu, memory_gib_per_gpu, gpu_types, mig, models, "
      "queue, priority, "
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
    { "mig: no such profile", ONE(", gpus: { 1: 1 }, mig: { 2: 1 }"), "w.yaml:4:56: 2: want a MIG profile like 1g.10gb, or none, got '2'" },
    { "mig: of a half GPU", ONE(", mig: { 1g.10gb: 1 }"), "w.yaml:4:35: mig: want whole 'gpus' beside it: so many instances" },
    { "kinds: a type twice", ONE(", kinds: [ { share: 1, gpu_types: { A: 1, A: 1 } } ]"), "w.yaml:4:73: A: this key is given twice" },
    { "recorded: and drawn", W "sessions: [ { group: lab, recorded: r.csv, users: 3 } ]\n",
      "w.yaml:3:51: users: want it of drawn sessions only, not beside 'recorded'" },
    { "recorded: no such file", W "sessions: [ { group: lab, recorded: nowhere.csv } ]\n",
      "w.yaml:3:37: recorded: nowhere.csv: cannot open: No such file or directory" },
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

/* Two kinds on two types of GPUs, each with a law of its own; those of a third are as the group says. */
static void what_kinds_want(void **state)
{
    (void)state;
    struct workload *w = workload_of(ONE(", rate_per_h: 20, gpus: { 1: 1 }, gpu_types: { A100: 1 }, models: { none: 1, BERT: 3 }, kinds: [\n"
                                         "      { share: 1, gpu_types: { T4: 1 }, length: { law: fixed, value_s: 100 } },\n"
                                         "      { share: 1, gpu_types: { V100: 1 }, length: { law: fixed, value_s: 200 } },\n"
                                         "      { share: 2, mig: { 1g.10gb: 1, none: 1 }, length: { law: fixed, value_s: 300 } } ]"), 3);
    size_t n = w->n_on_demand, of[3] = { 0 }, bert = 0, mig = 0;
    static const char *const type[] = { "T4", "V100", "A100" };
    for (job_id j = w->n_jobs; j < workload_all(w); j++) {
        const struct shape *shape = &w->shape[w->facts[j].ask->shape];
        int64_t kind = w->truth[j].duration_ns / (100 * NS_PER_S) - 1;
        assert_true(kind >= 0 && kind < 3);
        of[kind]++;
        assert_string_equal(intern_text(w->gpu_types, shape->gpu_type), type[kind]);
        assert_true(kind == 2 || !shape->ask.mig);
        mig += shape->ask.mig != 0;
        bert += w->facts[j].model != ID_NONE && !strcmp(intern_text(w->models, w->facts[j].model), "BERT");
    }
    /* shares 1/4, 1/4, 1/2; 3/4; half of the last: within 4 sigma of a binomial law */
    assert_true(n > 2000);
    assert_true(fabs((double)of[0] / (double)n - .25) < 4 * sqrt(.25 * .75 / (double)n));
    assert_true(fabs((double)of[2] / (double)n - .5) < 4 * .5 / sqrt((double)n));
    assert_true(fabs((double)bert / (double)n - .75) < 4 * sqrt(.25 * .75 / (double)n));
    assert_true(fabs((double)mig / (double)of[2] - .5) < 4 * .5 / sqrt((double)of[2]));
    workload_free(w);
}

/* ---- recorded ---- */

#define RECORDED "workload: w\nsessions: [ { group: lab, recorded: r.csv, queue: q } ]\n"
static void write_file(const char *text)
{
    FILE *f = fopen("r.csv", "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const struct list_row { const char *name, *text, *error; } lists[] = {
    { "list: no end", "start_s\n1\n", "r.csv:1: want a column 'end_s'" },
    { "list: a column of its own", "start_s,end_s,who\n1,2,x\n",
      "r.csv:1: unknown column 'who': want start_s, end_s, active, session, user, gpus, gpu_type, mig or model" },
    { "list: none", "start_s,end_s\n", "r.csv: want at least one session" },
    { "list: of no length", "start_s,end_s\n5,5\n", "r.csv:2: end_s: want a time above start_s, got '5'" },
    { "list: without a start", "start_s,end_s\n,5\n", "r.csv:2: start_s: want a value, got ''" },
#define ACTIVE(cell) "start_s,end_s,active\n10,50," cell "\n"
#define NOT_ACTIVE(cell) "r.csv:2: active: want intervals A-B;C-D of seconds, one after the other, from start_s to end_s, got '" cell "'"
    { "list: active before", ACTIVE("9-20"), NOT_ACTIVE("9-20") },
    { "list: active after", ACTIVE("20-51"), NOT_ACTIVE("20-51") },
    { "list: active twice at once", ACTIVE("20-30;29-40"), NOT_ACTIVE("20-30;29-40") },
    { "list: no interval", ACTIVE("20"), NOT_ACTIVE("20") },
    { "list: a share of two GPUs", "start_s,end_s,gpus\n1,2,1.5\n", "r.csv:2: gpus: want a whole number, or a share of one GPU, got '1.5'" },
    { "list: half an instance", "start_s,end_s,gpus,mig\n1,2,.5,1g.10gb\n", "r.csv:2: gpus: want whole instances beside 'mig', got '.5'" },
    { "list: no profile", "start_s,end_s,mig\n1,2,big\n", "r.csv:2: mig: want a MIG profile like 1g.10gb, got 'big'" },
};

static void said_of_lists(void **state)
{
    const struct list_row *r = *state;
    char want[400];
    write_file(r->text);
    snprintf(want, sizeof want, "w.yaml:2:37: recorded: %s", r->error);
    said_of(RECORDED, want);
    unlink("r.csv");
}

/* By start, ties by line; the last think outlasts the session. */
static void as_recorded(void **state)
{
    (void)state;
    write_file("session,user,start_s,end_s,active,gpus,gpu_type,model\n"
               "late,ann,100,1000,100-160;200.5-450,1,A100,BERT\n"
               "early,bob,50,5000,,2,,\n"
               ",ann,100,400,300-400,0.5,,\n");
    struct workload *w = workload_of(RECORDED, 1), *other = workload_of(RECORDED, 2);
    const struct sessions *g = &w->sessions->group[0];
    static const char *const name[] = { "early", "late", "lab-3" }, *const user[] = { "bob", "ann", "ann" };
    static const double submit[] = { 50, 100, 100 }, length[] = { 4950, 900, 300 };
    static const double phase[3][5] = { { 4950 }, { 0, 60, 40.5, 249.5, 900 }, { 200, 100, 300 } };
    static const uint32_t phases[] = { 1, 5, 3 }, gpus[] = { 2, 1, 1 }, milli[] = { 1000, 1000, 500 };
    assert_int_equal(w->n_on_demand, 3);
    assert_int_equal(g->n, 3);
    assert_int_equal(g->culling.how, CULL_OFF);
    assert_int_equal(g->cap_ns, 4950 * NS_PER_S);    /* the longest */
    for (uint32_t k = 0; k < 3; k++) {
        const struct session *x = &g->session[k];
        job_id j = w->n_jobs + k;
        assert_string_equal(w->truth[j].name, name[k]);
        assert_string_equal(intern_text(w->users, w->facts[j].user), user[k]);
        assert_int_equal(w->facts[j].ask->gpus, gpus[k]);
        assert_int_equal(w->facts[j].ask->gpu_milli, milli[k]);
        assert_true(x->submit_ns == ns_of_seconds(submit[k]) && x->length_ns == ns_of_seconds(length[k]) && !x->forgotten);
        assert_int_equal(x->n_phases, phases[k]);
        for (uint32_t p = 0; p < phases[k]; p++)
            assert_int_equal(x->phase_ns[p], ns_of_seconds(phase[k][p]) + (p + 1 == phases[k]));
        assert_true(x->patience_ns > 0 && x->patience_ns != other->sessions->group[0].session[k].patience_ns);
    }
    assert_string_equal(intern_text(w->models, w->facts[w->n_jobs + 1].model), "BERT");
    workload_free(w);
    workload_free(other);
    w = workload_of("workload: w\nspan_s: 100\nsessions: [ { group: lab, recorded: r.csv } ]\n", 1);
    assert_int_equal(w->n_on_demand, 1);             /* those of the span */
    workload_free(w);
    unlink("r.csv");
}

/* ---- written and read back ---- */

static const struct text_row { const char *name, *text; } texts[] = {
    { "written: defaults", ONE("") },
    { "written: kinds", ONE(", preset: adobe") },
    { "written: what they want", ONE(", gpus: { 1: 1 }, gpu_types: { any: 1, 'A|B': 2 }, mig: { 1g.10gb: 1 }, kinds: [ { share: 1, models: { BERT: 1 } }, "
                                     "{ share: 2, think: { law: fixed, value_s: 9 }, gpu_types: { C: 1 }, mig: { none: 1 } } ]") },
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
    ADD_TEST(tests, n, what_kinds_want);
    ADD_ROWS(tests, n, said_of_lists, lists);
    ADD_TEST(tests, n, as_recorded);
    ADD_ROWS(tests, n, written_and_read_back, texts);
    ADD_TEST(tests, n, a_warm_pool);
    char directory[] = "/tmp/gpuyard-test-XXXXXX";
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
