/* test_quotas.c - what each queue was owed and what it got (sim/accounting/quotas.c, models.md
 * 10.4), on small schedules by hand. Integrals are compared as exact integers, what the summary
 * makes of them to nine digits. */
#include "sim/results/summary.h"
#include "tests/support/schedule.h"

#include <math.h>

#define TAKES   "priority:preempt=yes"
#define MISSING (-1.0)            /* the metric has no value */

enum { VALUES_AT_MOST = 16 };

struct books { const char *queue; double held, owed, satisfied, fair, borrowed, unused; };    /* GPU-seconds */
struct value { const char *metric, *scope; double value; };
enum deed { NOTHING, MOVES, STOPS, STOPS_FOR_2, KEEPS, ROLLS_BACK, BREAKS, BREAKS_FOR_2, SUSPENDS_FOR_2, DROPS };

struct row {
    const char *name, *policy;    /* NULL: the script */
    struct group_spec group[GROUPS_AT_MOST];
    struct queue_spec queue[QUEUES_AT_MOST];
    struct overhead overhead;
    double until, period;
    enum deed deed;               /* of the script, to job 1 at 5 s; what it suspends it drops in the next pass */
    unsigned named_for;                /* intervals that name the job that they were ended for */
    struct job jobs[JOBS_AT_MOST];
    struct books books[QUEUES_AT_MOST];
    struct value values[VALUES_AT_MOST];
    struct flavor flavor[GROUPS_AT_MOST];
};

/* ---- A policy that starts each job that fits, and at 5 s does one thing to job 1 ---- */

static enum deed deed;
static size_t n_jobs;

static void do_it(struct sched *s)
{
    struct request r = job_request(s, 0);
    const struct placement *other = deed == MOVES ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
    sched_mark_t mark = sched_mark(s);
    if (deed == BREAKS || deed == BREAKS_FOR_2)
        assert_int_equal(sched_stop_task(s, 0, 0, STOP_SAVE), SCHED_OK);
    else
        assert_int_equal(sched_stop(s, 0, deed == SUSPENDS_FOR_2 ? STOP_SUSPEND : deed == DROPS ? STOP_RESTART : STOP_SAVE), SCHED_OK);
    if (deed != STOPS && deed != BREAKS && deed != DROPS)
        sched_note(s, 0, 1);
    if (deed == MOVES)
        assert_int_equal(sched_start(s, 0, other), SCHED_OK);
    if (deed == KEEPS)
        assert_int_equal(sched_keep(s, 0), SCHED_OK);
    if (deed == ROLLS_BACK)
        sched_rollback(s, mark);
    deed = deed == SUSPENDS_FOR_2 ? DROPS : NOTHING;
}

static void follow(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    queue_fair_share(s, 0, (struct amount){ .gpu_milli = 1500 });
    if (sched_now(s) < ns_of_seconds(5))
        sched_wake_at(s, ns_of_seconds(5));
    else if (deed)
        do_it(s);
    for (job_id j = (job_id)n_jobs; j-- > 0;) {
        struct request r = job_request(s, j);
        const struct placement *p = job_state(s, j) == JOB_PENDING && !job_suspended(s, j) ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            assert_int_equal(sched_start(s, j, p), SCHED_OK);
    }
}
static const struct policy follows = { .abi = POLICY_ABI, .name = "script", .needs = STARTS_PARTIAL, .schedule = follow };

/* ---- Playing ---- */

static void count_named(void *self, const struct interval *i)
{
    *(unsigned *)self += i->for_job != ID_NONE;
    assert_true(i->for_job == ID_NONE || (i->for_job != i->job && strcmp(i->why, "done")));
}

static queue_id queue_called(const struct cluster *c, const char *name)
{
    for (queue_id q = 0; q < c->n_queues; q++)
        if (!strcmp(c->queue[q].name, name))
            return q;
    fail_msg("no queue %s", name);
    return ID_NONE;
}

static void same_integral(const char *queue, const char *what, double want_gpu_s, int128_t got)
{
    if (got != (int128_t)ns_of_seconds(want_gpu_s) * MILLI_ALL)
        fail_msg("queue %s: %s: want %.9g GPU-s, got %.9g GPU-s", queue, what, want_gpu_s, (double)got / NS_PER_S / MILLI_ALL);
}

static void same_books(const struct sched *s, const struct books *want)
{
    const struct run_quota *got = run_queue_quota(s, queue_called(run_setup_of(s)->cluster, want->queue));
    same_integral(want->queue, "held", want->held, got->held);
    same_integral(want->queue, "owed", want->owed, got->owed);
    same_integral(want->queue, "satisfied", want->satisfied, got->satisfied);
    same_integral(want->queue, "fair", want->fair, got->fair);
    same_integral(want->queue, "borrowed", want->borrowed, got->borrowed);
    same_integral(want->queue, "unused", want->unused, got->unused);
}

static void same_value(const struct summary *m, const struct value *want)
{
    double got = summary_value(m, want->metric, want->scope);
    if (want->value < 0 ? !isnan(got) : !(fabs(got - want->value) <= 1e-9 * fmax(1, want->value)))
        fail_msg("%s of %s: want %.12g, got %.12g", want->metric, want->scope, want->value, got);
}

static void plays(void **state)
{
    const struct row *row = *state;
    struct error err = { "" };
    struct cluster *c = cluster_of_flavors(row->group, row->queue, row->flavor);
    c->overhead = row->overhead;
    c->period_ns = ns_of_seconds(row->period);
    for (n_jobs = 0; n_jobs < JOBS_AT_MOST && row->jobs[n_jobs].gpus;)
        n_jobs++;
    struct workload *w = workload_of(row->jobs, n_jobs);
    assert_int_equal(run_bind(c, w, &err), 0);
    deed = row->deed;
    struct named_policy named = row->policy ? policy_named(row->policy) : (struct named_policy){ .policy = &follows };
    unsigned named_for = 0;
    struct sched *s = run_new(&(struct run_setup){
        .cluster = c, .workload = w, .policy = named.policy, .policy_params = row->policy ? named.params : NULL,
        .placer = placer_named("pack"), .until_ns = ns_of_seconds(row->until), .check = true,
        .observer = { .self = &named_for, .interval = count_named },
    });
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < QUEUES_AT_MOST && row->books[i].queue; i++)
        same_books(s, &row->books[i]);
    struct summary *m = summary_make(s);
    for (size_t i = 0; i < VALUES_AT_MOST && row->values[i].metric; i++)
        same_value(m, &row->values[i]);
    assert_int_equal(named_for, row->named_for);
    assert_int_equal(run_queue_level(s, 0).fair_milli, row->policy ? -1 : 1500);
    summary_free(m);
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

/* clang-format off */
#define NODES_OF_1 { NODES(2, 1) }
#define FOURS { QUEUE("X", 4), QUEUE("Y", 4) }
#define ONES  { QUEUE("X", 1), QUEUE("Y", 1) }
#define TEAM(n, gpus, w) { .facts = { .name = (n), .parent = 0, .weight = (w), .quota = { \
    { INT64_C(1000) * (gpus), UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } } }

#define KIND(model) { .name = (model), .gpu_model = (model), .count = 1, .gpus = 4, .labels = "kind=" model, \
                      .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX }
#define OF_KIND(f, n) { .flavor = (f), .nominal = { INT64_C(1000) * (n), UNLIMITED, UNLIMITED }, \
                        .borrowing = { UNLIMITED, UNLIMITED, UNLIMITED }, .lending = { UNLIMITED, UNLIMITED, UNLIMITED } }
static const struct flavor_quota four_t[] = { OF_KIND(1, 4), OF_KIND(0, 0) }, four_h[] = { OF_KIND(0, 4) };
#define FLAVORED(n, gpus, of, n_of) { .facts = { .name = (n), .parent = ID_NONE, .weight = 1, .quota = { \
    { INT64_C(1000) * (gpus), UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } }, \
    .flavor_quota = (of), .n_flavor_quotas = (n_of) } }

static const struct row rows[] = {
    /* models.md 11.2, item 5. X: 8 GPUs to 15 s (one job is preempted at 10 and saves until 15), 4 to 35, 8 to 100, 4 to
     * 125. Y asks for 4 from 10 to 35 and has them from 15. Shares of the fair 4: 820/500 and 80/100. */
    { "taken back, when the victim has saved", TAKES, ONE_NODE(8), FOURS, SAVE_TAKES(5), .named_for = 1,
      .jobs = { { 0, 100, 4, .queue = "X" }, { 0, 100, 4, .queue = "X" }, { 10, 20, 4, .queue = "Y", .priority = 1 } },
      .books = { { "X", 820, 500, 500, 500, 320, 0 }, { "Y", 80, 100, 80, 100, 0, 420 } },
      .values = { { "quota_satisfaction", "queue=X", 1 }, { "quota_satisfaction", "queue=Y", .8 },
                  { "quota_satisfaction", "all", 580. / 600 }, { "quota_unmet_gpu_h", "all", 20. / 3600 },
                  { "borrowed_gpu_h", "all", 320. / 3600 }, { "reclaims", "queue=X", 0 }, { "reclaims", "all", 1 },
                  { "time_to_reclaim_mean_s", "queue=X", MISSING }, { "time_to_reclaim_mean_s", "queue=Y", 5 },
                  { "time_to_reclaim_max_s", "all", 5 }, { "reclaims_open", "all", 0 }, { "fair_share_held", "queue=X", 1.64 },
                  { "jain_index", "all", 2.44 * 2.44 / (2 * (1.64 * 1.64 + .64)) }, { "preemptions_reclaim", "queue=X", 1 },
                  { "preemptions_reclaim", "queue=Y", 0 }, { "preemptions", "all", 1 } } },
    /* The same jobs, and no queue gives anything back: Y has its own from 100 to 120, 90 s late */
    { "not taken back", "fifo", ONE_NODE(8), FOURS, FREE_OF_CHARGE,
      .jobs = { { 0, 100, 4, .queue = "X" }, { 0, 100, 4, .queue = "X" }, { 10, 20, 4, .queue = "Y", .priority = 1 } },
      .books = { { "X", 800, 400, 400, 400, 400, 80 }, { "Y", 80, 440, 80, 440, 0, 400 } },
      .values = { { "quota_satisfaction", "queue=Y", 80. / 440 }, { "quota_satisfaction", "all", 480. / 840 },
                  { "time_to_reclaim_mean_s", "all", 90 }, { "time_to_reclaim_p90_s", "all", 90 }, { "preemptions_reclaim", "all", 0 } } },
    { "not taken back yet", "fifo", ONE_NODE(8), FOURS, FREE_OF_CHARGE, .until = 50,
      .jobs = { { 0, 100, 4, .queue = "X" }, { 0, 100, 4, .queue = "X" }, { 10, 20, 4, .queue = "Y", .priority = 1 } },
      .books = { { "X", 400, 200, 200, 200, 200, 0 }, { "Y", 0, 160, 0, 160, 0, 200 } },
      .values = { { "quota_satisfaction", "queue=Y", 0 }, { "quota_satisfaction", "all", 200. / 360 }, { "reclaims", "queue=Y", 1 },
                  { "reclaims_open", "queue=Y", 1 }, { "reclaims_open", "all", 1 }, { "time_to_reclaim_max_s", "queue=Y", 40 } } },
    /* Y is short from 10 to 20 and from 40 to 70: type 7, h = .9: 10 + .9 x 20 */
    { "twice, unlike", "fifo", ONE_NODE(1), ONES, FREE_OF_CHARGE,
      .jobs = { { 0, 20, 1, .queue = "X" }, { 10, 10, 1, .queue = "Y" }, { 30, 40, 1, .queue = "X" }, { 40, 10, 1, .queue = "Y" } },
      .books = { { "Y", 20, 60, 20, 30, 0, 60 } },
      .values = { { "reclaims", "queue=Y", 2 }, { "time_to_reclaim_mean_s", "all", 20 }, { "time_to_reclaim_p90_s", "all", 28 },
                  { "time_to_reclaim_max_s", "all", 30 } } },
    /* H takes the GPU of V, both of X, from 5 to 10 */
    { "preempted in one's own queue", TAKES, ONE_NODE(1), { QUEUE("X", 1) }, FREE_OF_CHARGE, .named_for = 1,
      .jobs = { { 0, 10, 1, .queue = "X" }, { 5, 5, 1, .queue = "X", .priority = 1 } },
      .books = { { "X", 15, 15, 15, 15, 0, 0 } },
      .values = { { "preemptions_preempt", "all", 1 }, { "preemptions_reclaim", "all", 0 }, { "reclaims", "all", 0 } } },
    /* X is owed nothing: V runs from 0 to 5, and again from 10 to 20 */
    { "nothing is owed to a queue that deserves nothing", TAKES, ONE_NODE(1), { QUEUE("X", 0), QUEUE("Y", 1) }, .named_for = 1,
      .jobs = { { 0, 10, 1, .queue = "X" }, { 5, 5, 1, .queue = "Y", .priority = 1 } },
      .books = { { "X", 15, 0, 0, 0, 15, 0 }, { "Y", 5, 5, 5, 5, 0, 15 } },
      .values = { { "quota_satisfaction", "queue=X", 1 }, { "fair_share_held", "queue=X", MISSING }, { "jain_index", "all", 1 },
                  { "lost_gpu_h_reclaim", "queue=X", 5. / 3600 }, { "lost_gpu_h_policy", "all", 0 }, { "lost_gpu_h", "all", 5. / 3600 } } },
    /* A half of 2 GPUs each is fair: 20/10 and 10/20 */
    { "without quotas", "fifo", ONE_NODE(2), { { { 0 } } },
      .jobs = { { 0, 10, 2, .queue = "a" }, { 0, 10, 1, .queue = "b" } },
      .books = { { "a", 20, 20, 20, 10, 0, 20 }, { "b", 10, 20, 10, 20, 0, 30 } },
      .values = { { "quota_satisfaction", "queue=a", 1 }, { "quota_satisfaction", "queue=b", .5 },
                  { "quota_satisfaction", "all", MISSING }, { "borrowed_gpu_h", "all", MISSING }, { "borrowed_gpu_h", "queue=a", MISSING },
                  { "reclaims", "queue=b", MISSING }, { "time_to_reclaim_mean_s", "queue=b", MISSING },
                  { "jain_index", "all", 2.5 * 2.5 / (2 * 4.25) } } },
    /* D has all 4; of the 2 that its teams do not deserve A gets a quarter: fair are 1.5 and 2.5. A holds 3 to 10, B 2 to 20 */
    { "a department and its teams", "fifo", ONE_NODE(4), { QUEUE("D", 4), TEAM("A", 1, 1), TEAM("B", 1, 3) },
      .jobs = { { 0, 10, 3, .queue = "A" }, { 0, 10, 2, .queue = "B" } },
      .books = { { "D", 50, 60, 50, 60, 0, 30 }, { "A", 30, 10, 10, 15, 20, 10 }, { "B", 20, 20, 10, 40, 10, 10 } },
      .values = { { "quota_satisfaction", "queue=D", 50. / 60 }, { "quota_satisfaction", "all", 20. / 30 }, { "reclaims", "queue=D", 1 },
                  { "reclaims", "queue=B", 1 }, { "reclaims", "all", 1 }, { "preemptions_reclaim", "queue=D", MISSING },
                  { "borrowed_gpu_h", "all", 30. / 3600 } } },
    /* 6 + 2 of 4: cut to 3 and 1 */
    { "more quota than GPUs", "fifo", ONE_NODE(4), { QUEUE("X", 6), QUEUE("Y", 2), QUEUE("idle", 9) },
      .jobs = { { 0, 10, 4, .queue = "X" }, { 0, 10, 1, .queue = "Y" } },
      .books = { { "X", 40, 40, 40, 30, 0, 80 }, { "Y", 10, 20, 10, 20, 0, 30 }, { "idle", 0, 0, 0, 0, 0, 180 } } },
    /* The job of 12 s waits for the pass at 20 */
    { "until the next pass", "fifo", ONE_NODE(1), { QUEUE("X", 1) }, .period = 10,
      .jobs = { { 0, 5, 1, .queue = "X" }, { 12, 5, 1, .queue = "X" } }, .books = { { "X", 10, 18, 10, 18, 0, 15 } },
      .values = { { "reclaims", "all", 1 }, { "time_to_reclaim_max_s", "all", 8 } } },

    /* a, with 4 T guaranteed and no H, holds 4 H to 10 s: all of it borrowed. b, with 4 H guaranteed, asks for 4 from 2 to 15 s
     * and has them for 5 of these 13. By the sum of its quotas a would have been owed what it held: 60 of 92. */
    { "owed by kind", "fifo", { KIND("H"), KIND("T") }, { FLAVORED("a", 4, four_t, 2), FLAVORED("b", 4, four_h, 1) },
      .flavor = { { "h", "kind=H", "", "" }, { "t", "kind=T", "", "" } },
      .jobs = { { 0, 10, 4, .queue = "a", .gpu_type = "H" }, { 2, 5, 4, .queue = "b", .gpu_type = "H" } },
      .values = { { "quota_satisfaction", "flavor=h/b", 20. / 52 }, { "quota_satisfaction", "queue=b", 20. / 52 },
                  { "quota_satisfaction", "all", 20. / 52 }, { "borrowed_gpu_h", "flavor=h/a", 40. / 3600 },
                  { "borrowed_gpu_h", "queue=a", 40. / 3600 }, { "quota_satisfaction", "flavor=t/a", 1 },
                  { "quota_unused_gpu_h", "flavor=t/a", 60. / 3600 }, { "quota_unused_gpu_h", "flavor=h/b", 40. / 3600 },
                  { "quota_unused_gpu_h", "all", 100. / 3600 }, { "time_to_reclaim_max_s", "flavor=h/b", 8 },
                  { "time_to_reclaim_max_s", "queue=b", 8 }, { "reclaims", "flavor=h/a", 0 } } },

    /* ---- Causes ---- */
    { "moved, for any job", NULL, NODES_OF_1, ONES, FREE_OF_CHARGE, .deed = MOVES, .named_for = 1,
      .jobs = { { 0, 10, 1, .queue = "X" }, { 9, 1, 1, .queue = "Y" } },
      .values = { { "preemptions_move", "queue=X", 1 }, { "preemptions_reclaim", "all", 0 }, { "preemptions", "all", 1 } } },
    { "stopped, for an unknown job", NULL, ONE_NODE(1), ONES, .deed = STOPS,
      .jobs = { { 0, 10, 1, .queue = "X" }, { 5, 1, 1, .queue = "Y" } },
      .values = { { "preemptions_policy", "queue=X", 1 }, { "preemptions_reclaim", "all", 0 }, { "lost_gpu_h_policy", "all", 5. / 3600 } } },
    { "stopped, for one of another queue", NULL, ONE_NODE(1), ONES, .deed = STOPS_FOR_2, .named_for = 1,
      .jobs = { { 0, 10, 1, .queue = "X" }, { 5, 1, 1, .queue = "Y" } },
      .values = { { "preemptions_policy", "all", 0 }, { "preemptions_reclaim", "queue=X", 1 } } },
    { "stopped, and kept", NULL, ONE_NODE(1), ONES, .deed = KEEPS, .jobs = { { 0, 10, 1, .queue = "X" }, { 5, 1, 1, .queue = "Y" } },
      .books = { { "X", 10, 10, 10, 5, 0, 1 } }, .values = { { "preemptions", "all", 0 }, { "preemptions_reclaim", "all", 0 } } },
    { "stopped, and rolled back", NULL, ONE_NODE(1), ONES, .deed = ROLLS_BACK,
      .jobs = { { 0, 10, 1, .queue = "X" }, { 5, 1, 1, .queue = "Y" } },
      .books = { { "X", 10, 10, 10, 5, 0, 1 } }, .values = { { "preemptions", "all", 0 }, { "preemptions_reclaim", "all", 0 } } },
    /* The stop is for job 2 and loses nothing; dropped at 6 s, for no job, it loses 5 s */
    { "suspended for one of another queue, and dropped", NULL, ONE_NODE(1), ONES, .deed = SUSPENDS_FOR_2, .named_for = 1,
      .jobs = { { 0, 10, 1, .queue = "X" }, { 5, 1, 1, .queue = "Y" } },
      .values = { { "preemptions_reclaim", "queue=X", 1 }, { "lost_gpu_h_reclaim", "all", 0 }, { "lost_gpu_h_policy", "queue=X", 5. / 3600 } } },
    /* Job 1 holds 2 GPUs to 5 s, and without use one of them to 8 */
    { "a gang is broken", NULL, ONE_NODE(2), ONES, .until = 8, .deed = BREAKS,
      .jobs = { { 0, 40, 2, .tasks = 2, .queue = "X" }, { 6, 9, 1, .queue = "Y" } }, .books = { { "X", 13, 8, 8, 8, 5, 0 } },
      .values = { { "preemptions_broken", "queue=X", 1 }, { "preemptions_policy", "all", 0 }, { "lost_gpu_h_broken", "all", 10. / 3600 } } },
    { "a gang is broken for another job", NULL, ONE_NODE(2), ONES, .until = 8, .deed = BREAKS_FOR_2, .named_for = 1,
      .jobs = { { 0, 40, 2, .tasks = 2, .queue = "X" }, { 5, 9, 1, .queue = "Y" } }, .books = { { "Y", 3, 3, 3, 3, 0, 5 } },
      .values = { { "preemptions_reclaim", "queue=X", 1 }, { "preemptions_broken", "all", 0 }, { "lost_gpu_h_reclaim", "all", 10. / 3600 } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
