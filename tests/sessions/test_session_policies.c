/* test_session_policies.c - interactive sessions beside jobs, under every policy: each session ends once and is charged for what it spent
 * (the identities of release builds); with GPUs for all nobody waits; a queue's own nodes, its quota and priorities get sessions their
 * GPUs; and all policies meet the same ones. */
#include "sim/engine/models.h"
#include "sim/physics/sessions.h"
#include "tests/support/from_yaml.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"
#include "traces/formats/format.h"

#include <stdio.h>
#include <string.h>

static const struct policy_row { const char *name; } policies[] = {
    { "fifo" }, { "fifo:blocking=skip" }, { "sjf:blocking=skip" }, { "srtf" }, { "srsf" }, { "las" }, { "las2d" }, { "gittins" }, { "edf:preempt=yes" },
    { "priority:preempt=yes" }, { "preemptive" }, { "preemptive:mode=suspend" }, { "preemptive:mode=cancel" }, { "multifactor" }, { "fair-tree" },
    { "easy" }, { "conservative" }, { "static" }, { "kube" }, { "gang" }, { "quota" }, { "cohort" }, { "drf" }, { "fair-share" }, { "themis" }, { "elastic" },
    { "goodput" }, { "loss" },
};

/* ---- A laboratory ---- */

#define QUEUES "queues: [ { name: a, deserved_gpus: 16 }, { name: b, deserved_gpus: 8 }, { name: notebooks, deserved_gpus: 8 } ]\n"
#define JOBS   "workload: lab\nspan_s: 172800\nload: { target: 2, gpus: 32 }\nusers: { count: 30 }\nprojects: { names: [a, b] }\n" \
               "gpus: { 1: 5, 2: 2, 8: 1 }\nspearman: 0\ndurations: { law: lognormal, mean_s: 9000, median_s: 900 }\n"
/* Little work: at most a few GPUs at a time. Start-ups take up to 60 s; Kubernetes looks again some seconds after it has stopped somebody. */
#define FEW    "{ group: few, users: 8, queue: notebooks, gpus: { 1: 1 }, length: { law: fixed, value_s: 3600 }, slo: { start_s: 75 }"

struct played { struct cluster *cluster; struct workload *workload; struct sched *s; struct summary *summary; };

static struct played play_until(const char *cluster, const char *workload, const char *policy, int64_t until_ns)
{
    struct error err = { "" };
    struct played p = { .cluster = cluster_of_text(cluster, &err), .workload = workload_new() };
    struct input *in = input_from_bytes(workload, strlen(workload), "w.yaml", &err);
    p.workload->seed = 5;
    if (!p.cluster || trace_format_read(trace_format_find("synth"), in, NULL, p.workload, &err) || workload_finish(p.workload, "w.yaml", &err) ||
        run_bind(p.cluster, p.workload, &err))
        fail_msg("%s", err.text);
    input_close(in);
    struct named_policy named = policy_named(policy);
    const struct run_setup setup = { .cluster = p.cluster, .workload = p.workload, .policy = named.policy, .policy_params = named.params,
                                     .placer = placer_named("pack"), .seed = 5, .until_ns = until_ns };
    p.s = run_new(&setup);
    if (run_execute(p.s, &err))
        fail_msg("%s: %s", policy, err.text);
    p.summary = summary_make(p.s);
    return p;
}

static struct played play(const char *cluster, const char *workload, const char *policy)
{
    return play_until(cluster, workload, policy, 0);
}

static void played_free(struct played *p)
{
    summary_free(p->summary);
    run_free(p->s);
    workload_free(p->workload);
    cluster_free(p->cluster);
}

static double value(const struct played *p, const char *metric, const char *scope)
{
    return summary_value(p->summary, metric, scope);
}

/* ---- Under every policy, where everything happens at once ---- */

static const char crowded[] =
    "nodes: [ { group: dgx, type: dgx-a100, count: 4, nodes_per_rack: 2 } ]\n" QUEUES
    "preemption: { checkpoint: periodic, interval_s: 600, save_s: 10, grace_s: 30, start_s: 10, restart_s: 60 }\n"
    "failures: { faults_per_node_day: 1, repair: fixed, repair_s: 600 }\npower: {}\nprices: {}\nsharing: { mode: mps }\n";
static const char everybody[] = JOBS
    "sessions:\n"
    "  - { group: many, users: 30, per_user_weekday: 3, queue: notebooks, priority: 5 }\n"
    "  - { group: class, users: 10, rate_per_h: 3, queue: a, gpus: { 0.5: 1, 4: 1, 16: 0.2 }, culling: { cull: kill, delete_s: 600 } }\n"
    "  - { group: free, users: 10, rate_per_h: 1, culling: { cull: off }, forgotten: 0.5, start_up: { pool: warm }, cap_s: 30000 }\n";

static uint64_t first_drawn;

static void everything_at_once(void **state)
{
    const struct policy_row *row = *state;
    struct played p = play(crowded, everybody, row->name);
    const struct sessions_run *r = p.s->sessions;
    static const char *const ends[] = { "sessions_closed", "sessions_abandoned", "sessions_culled", "sessions_expired", "sessions_lost" };
    double sum = 0;
    for (size_t i = 0; i < COUNT(ends); i++)
        sum += value(&p, ends[i], "all");
    assert_true(r->n > 300);
    assert_true(value(&p, "sessions", "all") == r->n && sum == r->n && value(&p, "sessions_open", "all") == 0);
    for (uint32_t i = 0; i < r->n; i++)
        assert_true(r->one[i].begun && r->one[i].life.place == SESSION_OVER && r->one[i].event == 0);
    assert_true(value(&p, "sessions", "queue=notebooks") + value(&p, "sessions", "queue=a") + value(&p, "sessions", "queue=b") == r->n);
    assert_near(value(&p, "session_gpu_h_starting", "all") + value(&p, "session_gpu_h_active", "all") + value(&p, "session_gpu_h_idle", "all"),
                value(&p, "session_gpu_h_held", "all"), 1e-12);
    first_drawn = first_drawn ? first_drawn : p.workload->sessions->drawn;
    assert_true(p.workload->sessions->drawn == first_drawn);
    played_free(&p);
}

/* ---- GPUs for all ---- */

static const char endless[] = "nodes: [ { group: dgx, type: dgx-a100, count: 100 } ]\n"
                              "queues: [ { name: a, deserved_gpus: 320 }, { name: b, deserved_gpus: 320 }, { name: notebooks, deserved_gpus: 160 } ]\n";

/* Each waits for its start-up and nothing else; who comes back to what was released, for one more. */
static void nobody_waits(void **state)
{
    const struct policy_row *row = *state;
    struct played p = play(endless, everybody, row->name);
    const struct sessions_run *r = p.s->sessions;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct session_life *l = &r->one[i].life;
        if (l->usable_ns - l->of->submit_ns != l->of->start_up_ns || l->spent_ns[SPENT_QUEUED] != 0 || l->taken)
            fail_msg("session %u waits %.9g s, starts up in %.9g s, is taken from %u times", i, seconds(l->usable_ns - l->of->submit_ns),
                     seconds(l->of->start_up_ns), l->taken);
        assert_true(l->end == SESSION_CLOSED || l->end == SESSION_CULLED || l->end == SESSION_EXPIRED);
        assert_true(l->delayed_ns <= (int64_t)l->releases * l->of->start_up_ns);
    }
    assert_true(value(&p, "sessions_abandoned", "all") == 0);
    assert_true(value(&p, "session_slo_attainment", "all") == 1);
    assert_true(value(&p, "session_slo_kept", "all") == 1);
    assert_true(value(&p, "session_releases", "all") > 100);
    played_free(&p);
}

/* ---- What a policy can do for them ---- */

#define FREE_STOPS "preemption: { checkpoint: perfect, grace_s: 0 }\n"
static const char four[] = "nodes: [ { group: dgx, type: dgx-a100, count: 4 } ]\n" QUEUES FREE_STOPS;

static double attainment(const char *policy, const char *workload, double *preemptions)
{
    struct played p = play(four, workload, policy);
    double share = value(&p, "session_slo_attainment", "queue=notebooks");
    if (preemptions)
        *preemptions = value(&p, "preemptions", "class=training");
    assert_true(value(&p, "sessions", "all") > 20);
    played_free(&p);
    return share;
}

/* In one line behind the jobs most miss it; on 8 GPUs of their own nobody does, and no job is stopped for that. */
static void nodes_of_their_own(void **state)
{
    (void)state;
    double stopped = -1;
    assert_true(attainment("fifo:blocking=skip", JOBS "sessions: [ " FEW " } ]\n", NULL) < .9);
    assert_true(attainment("static", JOBS "sessions: [ " FEW " } ]\n", &stopped) == 1);
    assert_true(stopped == 0);
}

/* On nodes of their own sessions are nothing to the jobs on the others. */
static void nothing_to_the_others(void **state)
{
    (void)state;
    struct played with = play(four, JOBS "sessions: [ " FEW " } ]\n", "static"), without = play(four, JOBS, "static");
    assert_int_equal(with.workload->n_jobs, without.workload->n_jobs);
    assert_true(with.workload->n_jobs > 100);
    for (job_id j = 0; j < with.workload->n_jobs; j++) {
        struct job_result a = run_job(with.s, j), b = run_job(without.s, j);
        assert_true(a.start_ns == b.start_ns && a.end_ns == b.end_ns && a.wait_ns == b.wait_ns);
    }
    played_free(&with);
    played_free(&without);
    with = play(four, JOBS "sessions: [ " FEW " } ]\n", "fifo");    /* in one line they are */
    without = play(four, JOBS, "fifo");
    job_id later = 0;
    while (later < with.workload->n_jobs && run_job(with.s, later).start_ns == run_job(without.s, later).start_ns)
        later++;
    assert_true(later < with.workload->n_jobs);
    played_free(&with);
    played_free(&without);
}

/* Within its quota a queue gets its GPUs from those who hold more than theirs. */
static void a_quota(void **state)
{
    (void)state;
    double stopped = 0;
    assert_true(attainment("quota", JOBS "sessions: [ " FEW ", priority: 100, preemptible: false } ]\n", &stopped) == 1);
    assert_true(stopped > 0);
}

/* Priority alone is not enough where nobody may be stopped; where jobs may be, all sessions start at once. */
static void priorities(void **state)
{
    static const char *const able[] = { "priority:preempt=yes", "preemptive", "kube" };
    (void)state;
    assert_true(attainment("priority", JOBS "sessions: [ " FEW ", priority: 10 } ]\n", NULL) < .9);
    for (size_t i = 0; i < COUNT(able); i++) {
        double stopped = 0, share = attainment(able[i], JOBS "sessions: [ " FEW ", priority: 10 } ]\n", &stopped);
        if (!(share == 1 && stopped > 0))
            fail_msg("%s: %g of the sessions start in time, %g jobs are stopped", able[i], share, stopped);
        assert_true(attainment(able[i], JOBS "sessions: [ " FEW ", priority: 0 } ]\n", NULL) < .95);
    }
}

/* Sessions that may be stopped are; others are not. */
static void stopped_or_not(void **state)
{
    (void)state;
    static const char jobs_first[] = JOBS "priority: 10\nsessions: [ " FEW ", preemptible: %s } ]\n";
    for (int may = 0; may < 2; may++) {
        char text[1024];
        snprintf(text, sizeof text, jobs_first, may ? "true" : "false");
        struct played p = play(four, text, "priority:preempt=yes");
        assert_true((value(&p, "session_preemptions", "all") > 0) == (may == 1));
        assert_true(value(&p, "session_preemptions", "all") == value(&p, "preemptions", "class=interactive"));
        played_free(&p);
    }
}

/* ---- Cut off ---- */

static void cut_off(void **state)
{
    (void)state;
    struct played p = play_until(four, everybody, "fifo", 50000 * NS_PER_S);
    uint32_t open = 0, begun = 0;
    for (uint32_t i = 0; i < p.s->sessions->n; i++) {
        const struct session_run *x = &p.s->sessions->one[i];
        assert_int_equal(x->begun, x->life.of->submit_ns <= 50000 * NS_PER_S);
        begun += x->begun;
        open += x->begun && x->life.place != SESSION_OVER;
        assert_true(!x->begun || x->life.place == SESSION_OVER || x->life.now_ns == 50000 * NS_PER_S);
    }
    assert_true(open > 0 && value(&p, "sessions_open", "all") == open && value(&p, "sessions", "all") == begun);
    played_free(&p);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, everything_at_once, policies);
    ADD_ROWS(tests, n, nobody_waits, policies);
    ADD_TEST(tests, n, nodes_of_their_own);
    ADD_TEST(tests, n, nothing_to_the_others);
    ADD_TEST(tests, n, a_quota);
    ADD_TEST(tests, n, priorities);
    ADD_TEST(tests, n, stopped_or_not);
    ADD_TEST(tests, n, cut_off);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
