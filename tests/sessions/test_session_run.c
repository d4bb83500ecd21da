/* test_session_run.c - interactive sessions on a cluster, by hand: when they get GPUs, give them back and go; who waits for whom; what is
 * charged for it. In seconds, on one node. */
#include "sim/base/memory.h"
#include "sim/physics/energy.h"
#include "sim/engine/models.h"
#include "sim/engine/on_demand.h"
#include "sim/physics/sessions.h"
#include "tests/support/from_yaml.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows leave out what is usual */

enum { PHASES = 8, SESSIONS_MOST = 3, JOBS_MOST = 3, START_UP_S = 50 };
struct batch { int64_t at_s, lasts_s; uint32_t gpus; int32_t priority; int64_t starts_s, ends_s; };
struct sitting {
    int64_t at_s, phase_s[PHASES], length_s, patience_s;    /* 0, 0: 1000 and 300 */
    bool forgotten;
    int32_t priority;
    /* what comes of it */
    int64_t usable_s;             /* -1: never */
    int64_t end_s;
    enum session_end end;
    int64_t active_s, idle_s, starting_s;
    uint32_t releases, taken;
};
struct row {
    const char *name, *policy, *more;    /* of the cluster file */
    uint32_t gpus;
    struct session_culling culling;
    uint32_t milli;               /* of each GPU; 0: all */
    int64_t until_s;              /* the cut-off; 0: none */
    struct batch job[JOBS_MOST];
    struct sitting session[SESSIONS_MOST];
};

#define OFF     { CULL_OFF, 1800, 3600, 60 }
#define RELEASE { CULL_RELEASE, 1800, 3600, 60 }
#define KILL    { CULL_KILL, 1800, 3600, 60 }
#define LONG    { 240, 20, 300, 600, 60, 20, 900 }    /* of a session that is used from t on: runs at t + 240 .. 260, t + 560 .. 1160 */
static const struct row rows[] = {
    { "alone", "fifo", "", 1, OFF, .session = { { 0, LONG, .usable_s = 50, .end_s = 1050, .active_s = 20 + 440, .idle_s = 540, .starting_s = 50 } } },
    /* the job waits for the session to be closed, and the session for the job */
    { "one after the other", "fifo", "", 1, OFF, .job = { { 10, 100, 1, 0, 1050, 1150 } },
      .session = { { 0, LONG, .usable_s = 50, .end_s = 1050, .active_s = 460, .idle_s = 540, .starting_s = 50 },
                   { 20, { 2000 }, .patience_s = 1200, .usable_s = 1200, .end_s = 2200, .idle_s = 1000, .starting_s = 50 } } },
    { "loses patience behind a job", "fifo", "", 1, OFF, .job = { { 0, 1000, 1, 0, 0, 1000 } },
      .session = { { 10, LONG, .usable_s = -1, .end_s = 310, .end = SESSION_ABANDONED } } },
    { "its place in the line is free once it has gone", "fifo", "", 1, OFF, .job = { { 0, 400, 1, 0, 0, 400 }, { 20, 10, 1, 0, 400, 410 } },
      .session = { { 10, LONG, .usable_s = -1, .end_s = 310, .end = SESSION_ABANDONED } } },
    /* idle from 50 on: released at 1860, when the job starts; back at 3050, while the job runs until 3060 */
    { "released: a job runs meanwhile, and it waits for it", "fifo", "", 1, RELEASE, .job = { { 100, 1200, 1, 0, 1860, 3060 } },
      .session = { { 0, { 3000, 20, 5000 }, .length_s = 4000, .usable_s = 50, .end_s = 4050, .active_s = 20, .idle_s = 1810 + 920, .starting_s = 100, .releases = 1 } } },
    { "released: gives up when it is back", "fifo", "", 1, RELEASE, .job = { { 100, 5000, 1, 0, 1860, 6860 } },
      .session = { { 0, { 3000, 20, 5000 }, .length_s = 4000, .usable_s = 50, .end_s = 3350, .end = SESSION_ABANDONED, .idle_s = 1810, .starting_s = 50, .releases = 1 } } },
    { "killed for a job", "fifo", "", 1, KILL, .job = { { 100, 50, 1, 0, 3660, 3710 } },
      .session = { { 0, { 9000 }, .length_s = 8000, .usable_s = 50, .end_s = 3660, .end = SESSION_CULLED, .idle_s = 3610, .starting_s = 50 } } },
    { "forgotten: the job waits for the cap", "fifo", "", 1, OFF, .job = { { 100, 50, 1, 0, 20050, 20100 } },
      .session = { { 0, { 9000 }, .forgotten = true, .usable_s = 50, .end_s = 20050, .end = SESSION_EXPIRED, .idle_s = 20000, .starting_s = 50 } } },
    /* what a job has done since its last checkpoint is lost; a session loses nothing */
    { "a session takes the GPU of a job", "priority:preempt=yes", "", 1, OFF, .job = { { 0, 100, 1, 0, 0, 1170 } },
      .session = { { 20, { 2000 }, .priority = 1, .usable_s = 70, .end_s = 1070, .idle_s = 1000, .starting_s = 50 } } },
    /* taken at 300 in the run from 290 on, which has 10 of its 20 s left; the job is there until 400; usable again at 450 */
    { "a job takes the GPU of a session, which goes on", "priority:preempt=yes", "", 1, OFF, .job = { { 300, 100, 1, 2, 300, 400 } },
      .session = { { 0, LONG, .usable_s = 50, .end_s = 1050, .active_s = 20 + 290, .idle_s = 240 + 300, .starting_s = 100, .taken = 1 } } },
    { "while it starts up", "priority:preempt=yes", "", 1, OFF, .job = { { 30, 100, 1, 2, 30, 130 } },
      .session = { { 0, LONG, .usable_s = 180, .end_s = 1180, .active_s = 460, .idle_s = 540, .starting_s = 80, .taken = 1 } } },
    { "at the very end of its start-up", "priority:preempt=yes", "", 1, OFF, .job = { { 50, 100, 1, 2, 50, 150 } },
      .session = { { 0, LONG, .usable_s = 50, .end_s = 1050, .active_s = 20 + 440, .idle_s = 240 - 100 - 50 + 300, .starting_s = 100, .taken = 1 } } },
    { "a job takes it for longer than it has patience", "priority:preempt=yes", "", 1, OFF, .job = { { 300, 500, 1, 2, 300, 800 } },
      .session = { { 0, LONG, .usable_s = 50, .end_s = 600, .end = SESSION_ABANDONED, .active_s = 10, .idle_s = 240, .starting_s = 50, .taken = 1 } } },
    { "suspended, and resumed", "preemptive:mode=suspend", "", 1, OFF, .job = { { 300, 100, 1, 2, 300, 400 } },
      .session = { { 0, LONG, .usable_s = 50, .end_s = 1050, .active_s = 10 + 10 + 340, .idle_s = 240 + 300, .starting_s = 50, .taken = 1 } } },
    { "cancelled by the policy", "preemptive:mode=cancel", "", 1, OFF, .job = { { 300, 100, 1, 2, 300, 400 } },
      .session = { { 0, LONG, .usable_s = 50, .end_s = 300, .end = SESSION_LOST, .active_s = 10, .idle_s = 240, .starting_s = 50, .taken = 1 } } },
    { "refused", "loss", "", 1, OFF, .job = { { 0, 100, 1, 0, 0, 100 } },
      .session = { { 10, LONG, .usable_s = -1, .end_s = 10, .end = SESSION_LOST } } },
    /* the node fails at 300; found at 340, until when its GPU is held; repaired at 310: again from 340 on */
    { "its node fails", "fifo", "failures: { detection_s: 40, faults: [ { group: g, node: 0, at_s: 300, repair_s: 10 } ] }\n", 1, OFF,
      .session = { { 0, LONG, .usable_s = 50, .end_s = 1050, .active_s = 10 + 10 + 350, .idle_s = 240 + 300, .starting_s = 100, .taken = 1 } } },
    /* in the run from 610 on: nothing is taken from it, and nothing of it counts any longer */
    { "there at the cut-off", "fifo", "", 1, OFF, .until_s = 700,
      .session = { { 0, LONG, .usable_s = 50, .end_s = 700, .active_s = 20 + 90, .idle_s = 240 + 300, .starting_s = 50 } } },
    { "starts up at the cut-off", "fifo", "", 1, OFF, .until_s = 30,
      .session = { { 0, LONG, .usable_s = -1, .end_s = 30, .starting_s = 30 } } },
    { "two, side by side", "fifo", "", 2, OFF, .session = { { 0, LONG, .usable_s = 50, .end_s = 1050, .active_s = 460, .idle_s = 540, .starting_s = 50 },
                                                            { 0, { 2000 }, .usable_s = 50, .end_s = 1050, .idle_s = 1000, .starting_s = 50 } } },
};

/* ---- Workloads by hand ---- */

static void add_job(struct workload *w, const struct batch *b, size_t i, uint32_t milli)
{
    struct error err = { "" };
    char name[16];
    struct job_row row = job_row_default;
    row.job_id = name;
    row.job_id_length = (size_t)snprintf(name, sizeof name, "job%zu", i);
    row.submit_ns = b->at_s * NS_PER_S;
    row.duration_ns = b->lasts_s * NS_PER_S;
    row.gpus = b->gpus;
    row.gpu_milli = milli;
    row.priority = b->priority;
    assert_int_equal(workload_add(w, &row, "test", i, &err), 0);
}

static void add_session(struct workload *w, struct sessions *to, const struct sitting *x, uint32_t milli)
{
    struct error err = { "" };
    int64_t *phase_ns = arena_alloc(w->memory, PHASES * sizeof *phase_ns);
    struct session *s = &to->session[to->n];
    char name[16];
    *s = (struct session){ .submit_ns = x->at_s * NS_PER_S, .length_ns = (x->length_s ? x->length_s : 1000) * NS_PER_S, .start_up_ns = START_UP_S * NS_PER_S,
                           .patience_ns = (x->patience_s ? x->patience_s : 300) * NS_PER_S, .forgotten = x->forgotten, .phase_ns = phase_ns };
    for (; s->n_phases < PHASES && x->phase_s[s->n_phases]; s->n_phases++)
        phase_ns[s->n_phases] = x->phase_s[s->n_phases] * NS_PER_S;
    struct job_row row = job_row_default;
    row.job_id = name;
    row.job_id_length = (size_t)snprintf(name, sizeof name, "s%zu", to->n++);
    row.submit_ns = s->submit_ns;
    row.duration_ns = s->length_ns;
    row.tasks = 1;
    row.gpu_milli = milli;
    row.duty = (struct duty){ DUTY_ALL * 8 / 10, DUTY_UNSAID };
    row.class = CLASS_INTERACTIVE;
    row.priority = x->priority;
    row.on_demand = true;
    row.overhead = (struct own_overhead){ CHECKPOINT_PERFECT, -1, 0, 0, -1, 0 };
    assert_int_equal(workload_add(w, &row, "test", 100 + to->n, &err), 0);
}

static struct workload *workload_by_hand(const struct row *row)
{
    struct workload *w = workload_new();
    struct error err = { "" };
    struct session_groups *all = arena_alloc(w->memory, sizeof *all);
    all->n = 1;
    all->group = arena_alloc(w->memory, sizeof *all->group);
    struct sessions *g = all->group;
    *g = (struct sessions){ .name = "s", .culling = row->culling, .cap_ns = 20000 * NS_PER_S, .slo_ns = 60 * NS_PER_S, .slo_share = .95, .duty = .8,
                            .session = arena_alloc(w->memory, SESSIONS_MOST * sizeof *g->session) };
    g->culling.release_ns *= NS_PER_S;
    g->culling.delete_ns *= NS_PER_S;
    g->culling.period_ns *= NS_PER_S;
    w->sessions = all;
    for (size_t i = 0; i < JOBS_MOST && row->job[i].lasts_s; i++)
        add_job(w, &row->job[i], i + 1, row->milli ? row->milli : MILLI_ALL);
    for (size_t i = 0; i < SESSIONS_MOST && row->session[i].phase_s[0]; i++)
        add_session(w, g, &row->session[i], row->milli ? row->milli : MILLI_ALL);
    assert_int_equal(workload_finish(w, "test", &err), 0);
    return w;
}

struct played { struct cluster *cluster; struct workload *workload; struct sched *s; };

static struct played play(const struct row *row, const char *policy, const char *nodes)
{
    struct error err = { "" };
    char yaml[1024];
    struct played p = { .workload = workload_by_hand(row) };
    snprintf(yaml, sizeof yaml, nodes, row->gpus);
    snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), "%s", row->more);
    p.cluster = cluster_of_text(yaml, &err);
    if (!p.cluster || run_bind(p.cluster, p.workload, &err))
        fail_msg("%s", err.text);
    struct named_policy named = policy_named(policy);
    const struct run_setup setup = { .cluster = p.cluster, .workload = p.workload, .policy = named.policy, .policy_params = named.params,
                                     .placer = placer_named("pack"), .seed = 1, .until_ns = row->until_s * NS_PER_S, .check = true };
    p.s = run_new(&setup);
    if (run_execute(p.s, &err))
        fail_msg("%s", err.text);
    return p;
}

static void played_free(struct played *p)
{
    run_free(p->s);
    workload_free(p->workload);
    cluster_free(p->cluster);
}

/* ---- What came of them ---- */

static void same_s(const char *what, size_t i, int64_t got_ns, int64_t want_s)
{
    if (got_ns != (want_s < 0 ? want_s : want_s * NS_PER_S))
        fail_msg("%s of %zu: want %lld s, got %.9g s", what, i, (long long)want_s, (double)got_ns / NS_PER_S);
}

static void by_hand(void **state)
{
    const struct row *row = *state;
    struct played p = play(row, row->policy, "nodes: [ { group: g, count: 1, gpus: %u } ]\n");
    int64_t idle_s = 0, active_s = 0;
    for (job_id j = 0; j < p.workload->n_jobs; j++) {
        struct job_result r = run_job(p.s, j);
        same_s("start of job", j, r.start_ns, row->job[j].starts_s);
        same_s("end of job", j, r.end_ns, row->job[j].ends_s);
    }
    for (uint32_t i = 0; i < sessions_of(p.s)->n; i++) {
        const struct session_life *l = &sessions_of(p.s)->one[i].life;
        const struct sitting *want = &row->session[i];
        assert_string_equal(session_end_name[l->end], session_end_name[want->end]);
        same_s("first use", i, l->usable_ns, want->usable_s);
        same_s("end", i, l->now_ns, want->end_s);
        same_s("active time", i, l->spent_ns[SPENT_ACTIVE], want->active_s);
        same_s("idle time", i, l->spent_ns[SPENT_IDLE], want->idle_s);
        same_s("start-up", i, l->spent_ns[SPENT_STARTING], want->starting_s);
        assert_int_equal(l->releases, want->releases);
        assert_int_equal(l->taken, want->taken);
        idle_s += want->idle_s;
        active_s += want->active_s;
    }
    for (unsigned on = 0; on < SESSION_SPENTS; on++)         /* columns of timeseries.csv, after the end */
        assert_int_equal(sessions_of(p.s)->now[on], 0);
    same_s("GPU time held idle", 0, (int64_t)(p.s->totals.account[ACCOUNT_IDLE] / MILLI_ALL), idle_s);
    assert_true(active_s == 0 || p.s->totals.account[ACCOUNT_USEFUL] >= (int128_t)active_s * NS_PER_S * MILLI_ALL);
    played_free(&p);
}

/* ---- Energy: an A100 draws 75 W held without progress, 60 + 300 x 0.8^0.9 W at duty 0.8; see test_energy.c ---- */

static void energy_by_hand(void **state)
{
    const struct row *row = *state;
    struct played p = play(row, "fifo", "nodes: [ { group: dgx, type: dgx-a100, count: %u } ]\npower: { pue: 1 }\n");
    const struct sitting *x = &row->session[0];
    double want_j = (double)(x->idle_s + x->starting_s) * 75 + (double)x->active_s * (60 + 300 * pow(.8, .9));
    job_id j = p.workload->n_jobs;
    assert_near((double)energy_of(p.s)->job[j].gpus_aj * 1e-18, want_j, 1e-9);
    played_free(&p);
}

/* ---- Half a GPU each: time slices at duties 0.8 and 0.5 leave each 1/1.3 x 0.97, while the user thinks the job has all that it can use ---- */

static const struct row halves = { "halves", "fifo", "sharing: { mode: timeslice }\n", 1, OFF, 500, .job = { { 0, 400, 1 } }, .session = { { 0, LONG } } };

/* 50 s of start-up and 20 s of a run at .746, 240 s and what is left of 400 s at 1. */
static void beside_a_job(void **state)
{
    (void)state;
    struct played p = play(&halves, "fifo", "nodes: [ { group: dgx, type: dgx-a100, count: %u } ]\n");
    const double speed = .97 / 1.3, end_s = 310 + 400 - 70 * speed - 240;
    assert_near(seconds(run_job(p.s, 0).end_ns), end_s, 1e-9);
    assert_int_equal(sessions_of(p.s)->one[0].life.now_ns, 1050 * NS_PER_S);    /* its runs take their time */
    played_free(&p);
}

/* ---- The identities notice what is not so ---- */

static void a_second_more(void **state)
{
    struct error err = { "" };
    struct played p = play(*state, "fifo", "nodes: [ { group: g, count: 1, gpus: %u } ]\n");
    struct session_life *l = &sessions_of(p.s)->one[0].life;
    assert_int_equal(models_check(p.s, &err), 0);
    l->spent_ns[SPENT_IDLE]++;
    l->spent_ns[SPENT_ACTIVE]--;  /* active and idle together as before: the account knows better */
    assert_int_equal(models_check(p.s, &err), -1);
    assert_non_null(strstr(err.text, "GPU-seconds held idle by sessions"));
    l->spent_ns[SPENT_ACTIVE]++;
    err.text[0] = '\0';
    assert_int_equal(models_check(p.s, &err), -1);
    assert_non_null(strstr(err.text, "session s0: time by what it was spent on"));
    l->spent_ns[SPENT_QUEUED]--;
    err.text[0] = '\0';
    assert_int_equal(models_check(p.s, &err), -1);
    assert_non_null(strstr(err.text, "session s0: active and idle"));
    played_free(&p);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    tests[n++] = (struct CMUnitTest){ .name = "energy", .test_func = energy_by_hand, .initial_state = (void *)&rows[0] };
    ADD_TEST(tests, n, beside_a_job);
    tests[n++] = (struct CMUnitTest){ .name = "identities", .test_func = a_second_more, .initial_state = (void *)&rows[0] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
