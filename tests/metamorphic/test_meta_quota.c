/* test_meta_quota.c - what guaranteed quota promises, at every pass of random trees and
 * workloads.
 *
 * Wanted values: the rules of policies/kai/queues/rules.h (tested by themselves), and brute force. Each promise is looked at, too,
 * where it is known to be broken. */
#include "tests/metamorphic/quota_watch.h"

enum { SEEDS = 100 };

/* ---- Promises ---- */

static const struct kind kinds[] = {
    { .name = "single tasks", .policy = "quota", .single = true },
    { .name = "single tasks, no consolidation", .policy = "quota:consolidation=no", .single = true },
    { .name = "single tasks, minimum run times", .policy = "quota:consolidation=no", .single = true, .runtimes = true },
    { .name = "gangs", .policy = "quota" },
    { .name = "gangs, grace", .policy = "quota", .grace = true },
    { .name = "gangs, use counts", .policy = "quota:half_life_h=1" },
    { .name = "gangs, minimum run times", .policy = "quota:consolidation=no", .runtimes = true },
    { .name = "gangs, racks", .policy = "quota", .racks = true },
    { .name = "pools, gangs, racks", .policy = "quota", .pools = true, .racks = true },
    { .name = "pools, single tasks", .policy = "quota", .single = true, .pools = true },
    { .name = "pools, single tasks, no consolidation", .policy = "quota:consolidation=no", .single = true, .pools = true },
    { .name = "pools, gangs", .policy = "quota", .pools = true },
    { .name = "pools, gangs, grace", .policy = "quota", .grace = true, .pools = true },
    { .name = "brute force: gangs", .policy = "quota", .whole = true },
    { .name = "brute force: gangs, racks", .policy = "quota", .whole = true, .racks = true },
    { .name = "brute force: light", .policy = "quota", .whole = true, .light = true },
    { .name = "brute force: pools, gangs", .policy = "quota", .whole = true, .pools = true },
    { .name = "gangs, minimum run times, moves count", .policy = "quota:consolidation=no,moves=no", .runtimes = true },
};

static void promises_are_kept(void **state)
{
    const struct kind *k = *state;
    struct counts c = run_seeds(k, SEEDS);
    assert_true(c.fixed > c.passes / 3 && c.again > 1000);
    assert_int_equal(c.over_limit + c.firm_over + c.unsound, 0);
    assert_int_equal(c.traces + c.idle_left + c.owed, 0);
    assert_int_equal(c.idle_for_gangs, 0);
    assert_int_equal(c.not_reclaimed + c.not_preempted + c.not_moved, 0);
    assert_true(!k->whole || c.gates_gangs > 500);
    assert_true(k->single || c.gangs > 1000);
    assert_int_equal(c.inside + c.for_nobody + c.half_evicted, 0);
    if (k->runtimes)
        assert_true(c.changed_again > 20);    /* control: then time alone lets something happen */
    else if (!strstr(k->policy, "half_life"))
        assert_int_equal(c.changed_again, 0);
    if (!k->grace)
        assert_true(c.stops > 500 && (c.in_vain + c.in_vain_disturbed) * 300 < c.stops);
    if (k->single && !k->runtimes)
        assert_true(c.gates > (k->pools ? 4000 : 5000) && c.passed_over * 1000 < c.gates);
    if (!k->single && !k->grace) {
        /* pools: 9 of 355 over 500 seeds */
        assert_true(c.elastic_whole > 20 && c.whole_first * (k->pools ? 15 : 20) < c.elastic_whole);
        assert_true(c.halved > 10 && c.left_halved * 20 < c.halved);    /* rare: 1 of 364 over 600 seeds */
    }
}

/* ---- Controls ---- */

static void one_gpu_more(struct quota_state *q)
{
    q->queue[q->n_queues - 1].of[Q_GPU].fair += q->total.of[Q_GPU];
}

static void forget_who_is_awaited(struct sched *s, struct quota_state *q)
{
    (void)s;
    for (job_id j; line_first(q->awaited, &j, NULL);)
        line_remove(q->awaited, j);
}

static void key_one_anew(struct sched *s, struct quota_state *q)
{
    job_id j;
    (void)s;
    for (queue_id i = 0; i < q->n_queues; i++)
        if (line_length(q->leaf[i].waiting) > 1 && line_first(q->leaf[i].waiting, &j, NULL))
            line_push(q->leaf[i].waiting, j, (struct line_key){ .major = 1000 });
}

/* For a waiting job, whole jobs leave that have something to spare; and gangs lose a task. */
static void stop_at_will(struct sched *s, struct quota_state *q)
{
    hold(s, watch.after);
    for (job_id j = 0; j < JOBS; j++) {
        const struct held *h = &watch.after[j];
        const struct quota_job *own = job_own(s, j);
        const struct job_facts *f = job_facts(s, j);
        if (h->state != JOB_RUNNING || pool_of(s, q->pools, j) != q || !f->preemptible || h->n < 2 || own->pass == q->pass || h->n != watch.before[j].n)
            continue;
        if (h->n == f->min_tasks) {
            sched_stop_task(s, j, h->piece[0].task, STOP_SAVE);
            quota_grew(s, q, j);
            return;
        }
        for (job_id k = 0; k < JOBS; k++)
            if (watch.after[k].state == JOB_PENDING && job_facts(s, k)->ask->tasks == 1 && surplus_would_do(j, k)) {
                sched_stop(s, j, STOP_SAVE);
                sched_note(s, j, k);
                return;
            }
    }
}

static const struct kind no_reclaim = { .name = "no reclaim", .policy = "quota:reclaim=no", .single = true };
static const struct kind whole_no_reclaim = { .name = "whole, no reclaim", .policy = "quota:reclaim=no", .whole = true };
static const struct kind whole_no_preempt = { .name = "whole, no preempt", .policy = "quota:preempt=no", .whole = true };
static const struct kind whole_no_moves = { .name = "whole, no moves", .policy = "quota:consolidation=no,moves=no", .whole = true, .light = true };
static const struct kind idle = { .name = "idle", .policy = "quota:allocate=0", .may_fail = true };
static const struct kind fifo = { .name = "fifo", .policy = "fifo" };
static const struct kind blind = { .name = "blind", .policy = "quota:consolidation=no", .runtimes = true, .blind = true };
static const struct kind greedy = { .name = "greedy", .policy = "quota", .shares = one_gpu_more };
static const struct kind forgetful = { .name = "forgetful", .policy = "quota", .single = true, .before = forget_who_is_awaited,
                                       .may_fail = true };
static const struct kind untidy = { .name = "untidy", .policy = "quota", .after = key_one_anew, .may_fail = true };
static const struct kind wilful = { .name = "wilful", .policy = "quota", .after = stop_at_will, .may_fail = true };

static void what_is_broken_is_seen(void **state)
{
    (void)state;
    struct counts c = run_seeds(&fifo, 10);
    assert_int_equal(c.over_limit, 0);    /* limits are the world's: test_meta_limits.c has the control */
    assert_true(c.firm_over > 10);
    assert_true(run_seeds(&no_reclaim, 20).owed > 100);
    assert_true(run_seeds(&whole_no_reclaim, 20).not_reclaimed > 20);
    assert_true(run_seeds(&whole_no_preempt, 20).not_preempted > 20);
    assert_true(run_seeds(&whole_no_moves, SEEDS).not_moved > 20);
    assert_true(run_seeds(&idle, 5).idle_for_gangs > 100);
    assert_true(run_seeds(&blind, 20).inside > 20);
    assert_true(run_seeds(&greedy, 5).unsound > 100);
    c = run_seeds(&forgetful, 20);
    assert_true(c.in_vain * 20 > c.stops);
    assert_true(run_seeds(&untidy, 5).traces > 20);
    c = run_seeds(&wilful, 20);
    assert_true(c.half_evicted > 20 && c.whole_first > 20);
}

/* ---- A search that finds nothing leaves nothing behind ---- */

static bool leave_a_trace;

static void search_for_all(struct sched *s, struct quota_state *q)
{
    static struct digest was, is;
    for (job_id j = 0; j < JOBS; j++)
        for (int action = CONSOLIDATION; action <= PREEMPT; action++) {
            struct quota_amount ask = quota_amount(job_size(s, j));
            if (job_state(s, j) != JOB_PENDING || pool_of(s, q->pools, j) != q || ((struct quota_job *)job_own(s, j))->pass == q->pass ||
                !quota_has_capacity(s, q, job_facts(s, j), &ask, NULL))
                continue;
            look(s, q->pools, &was);
            if (quota_search(s, q, j, (enum quota_action)action))
                return;
            if (leave_a_trace)
                key_one_anew(s, q);
            look(s, q->pools, &is);
            watch.to->searches++;
            watch.to->search_traces += !same_digest(&was, &is);
        }
}

static void failed_searches_leave_no_trace(void **state)
{
    (void)state;
    static const struct kind searching = { .name = "searching", .policy = "quota", .grace = true, .after = search_for_all,
                                           .may_fail = true };
    struct counts c = run_seeds(&searching, 20);
    assert_true(c.searches > 10000);
    assert_int_equal(c.search_traces, 0);
    leave_a_trace = true;
    c = run_seeds(&searching, 3);
    leave_a_trace = false;
    assert_true(c.search_traces > 50);
}

/* ---- A job that does not go on to another pool would get nothing there ---- */

static void take_to(struct sched *s, struct quota_state *from, struct quota_state *to, job_id j)
{
    quota_leave_waiting(s, from, j);
    assert_int_equal(sched_count_in(s, j, to->flavor), SCHED_OK);
    quota_enter_waiting(s, to, j);
    shares_as_of_now(s, to->pools);
}

/* By allocation, or by an action that lets it try: quota.h. */
static bool gets_something(struct sched *s, struct quota_state *q, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    const struct quota_job *own = job_own(s, j);
    struct wanted w = quota_wanted(s, j, NULL);
    bool firm = !f->preemptible, capacity = quota_has_capacity(s, q, f, &w.amount, NULL);
    if (capacity && quota_choose(s, q, j, w.task, w.n, true).where)
        return true;
    if (!firm && capacity && own->consolidated != q->ends && w.amount.of[Q_GPU] <= q->free_milli &&
        quota_search(s, q, j, CONSOLIDATION))
        return true;
    if (quota_may_reclaim(&q->queue[f->queue], &w.amount, firm) && quota_search(s, q, j, RECLAIM))
        return true;
    return (!firm || quota_firm_fits(q->queue, f->queue, &w.amount, NULL)) && quota_search(s, q, j, PREEMPT);
}

/* Whatever a visitor gets disturbs the run: it is the last of the pass. */
static void visit(struct sched *s, struct quota_state *to)
{
    for (job_id j = 0; j < JOBS && watch.was_fixed && !watch.disturbed && same_digest(&watch.was, &watch.is); j++) {
        struct quota_state *from = job_state(s, j) == JOB_PENDING ? pool_of(s, to->pools, j) : NULL;
        if (!from || from == to || !lists(s, job_facts(s, j)->queue, to->flavor) || !flavor_holds(s, to->flavor, j))
            continue;
        take_to(s, from, to, j);
        watch.to->visits++;
        if (gets_something(s, to, j)) {
            watch.to->missed++;
            return;
        }
        take_to(s, to, from, j);
    }
}

static void what_stays_has_nothing_elsewhere(void **state)
{
    (void)state;
    static const struct kind visiting[] = {
        { .name = "single tasks", .policy = "quota", .single = true, .pools = true, .before = visit, .may_fail = true },
        { .name = "gangs", .policy = "quota", .pools = true, .before = visit, .may_fail = true },
        { .name = "gangs, light", .policy = "quota", .whole = true, .light = true, .pools = true, .before = visit, .may_fail = true },
    };
    for (size_t i = 0; i < sizeof visiting / sizeof visiting[0]; i++) {
        struct counts c = run_seeds(&visiting[i], SEEDS);
        assert_true(c.visits > 10000);
        assert_int_equal(c.missed, 0);
    }
    /* control: where nothing idle is given out, visitors find it */
    static const struct kind none = { .name = "idle", .policy = "quota:allocate=0", .pools = true, .before = visit, .may_fail = true };
    assert_true(run_seeds(&none, 5).missed > 100);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, promises_are_kept, kinds);
    ADD_TEST(tests, n, what_is_broken_is_seen);
    ADD_TEST(tests, n, failed_searches_leave_no_trace);
    ADD_TEST(tests, n, what_stays_has_nothing_elsewhere);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
