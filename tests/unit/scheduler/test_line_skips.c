/* test_line_skips.c - walks that leave out jobs that cannot start (line_skip_longer,
 * line_skip_full, line_skip_reserved) and sched_fits, against the definition, one job at a time, while jobs start,
 * reasons change and marks are rolled back. */
#include "sim/contract/timeline.h"
#include "sim/scheduler/placing.h"
#include "tests/unit/scheduler/random_line.h"

enum { SEEDS = 200, SEEDS_BACKFILLING = 3000, PASSES = 40, NEVER_SKIPPED = -1 };

static uint8_t own[JOBS_MOST];
static unsigned given, too_long, full, full_later, asked, reserved, later;
/* As under backfilling: one plan, of which walks know; most jobs wait for it; many start. */
static bool backfills;

static size_t in_order(struct sched *s, job_id *order)
{
    size_t n = 0;
    for (job_id j = 0; j < k.n_jobs; j++) {
        if (!k.in[j])
            continue;
        size_t i = n++;
        for (; i > 0 && before(s, j, order[i - 1]); i--)
            order[i] = order[i - 1];
        order[i] = j;
    }
    return n;
}

/* Whole GPUs that are asked for and not there, node by node. */
static bool lacks(struct sched *s, const struct request *r)
{
    const struct view *idle = sched_view(s, FREE_IDLE);
    uint64_t have = 0;
    node_id n, end;
    view_domain_nodes(idle, 0, &n, &end);
    for (; n < end; n++)
        have += view_allows(idle, r, n) ? view_node(idle, n).whole : 0;
    return r->gpu_milli == MILLI_ALL && have < (uint64_t)r->gpus * (r->tasks == SPLIT_ANY ? 1 : r->tasks);
}

/* ---- The definition ---- */

struct shape_state { bool begun, out; int64_t bound_ns; };
struct walker { job_id order[JOBS_MOST]; size_t n, at; bool skips_full; int64_t lacking_ns; struct shape_state shape[4 * JOBS_MOST]; };

/* What is told again: it fits now by totals alone, and there is too little while it would still run. */
static bool stays_reserved(struct sched *s, const struct walker *w, job_id j)
{
    struct request r = job_request(s, j);
    int64_t estimate_ns = job_estimate_ns(s, j);
    return w->skips_full && own[j] == WAIT_RESERVED && estimate_ns != TIME_NEVER && w->lacking_ns != TIME_NEVER &&
           estimate_ns > w->lacking_ns - sched_now(s) && plan_start(s, j) == TIME_NEVER && s->workload->shape[r.shape].limited == ID_NONE &&
           !lacks(s, &r) && timeline_lacks(s, &r, w->lacking_ns);
}

/* Of a shape of which a job was given, totals tell that the next has no room either: no length is in play, and no plan. */
static bool goes_by_totals(struct sched *s, const struct shape_state *shape, job_id j, const struct request *r)
{
    return shape->bound_ns == NEVER_SKIPPED && plan_start(s, j) == TIME_NEVER &&
           s->workload->shape[r->shape].limited == ID_NONE && placing_by_totals(s, r);
}

static bool next(struct sched *s, struct walker *w, job_id *j)
{
    while (w->at < w->n) {
        *j = w->order[w->at++];
        struct request r = job_request(s, *j);
        struct shape_state *shape = &w->shape[r.shape];
        if (!shape->out && w->skips_full && (!shape->begun || goes_by_totals(s, shape, *j, &r)) && lacks(s, &r)) {
            full += !shape->begun;
            full_later += shape->begun;
            shape->begun = shape->out = true;
            own[*j] = WAIT_GROUP;
        }
        if (!shape->begun) {
            shape->begun = true;
            shape->bound_ns = NEVER_SKIPPED;
        }
        if (shape->out)
            continue;
        if (shape->bound_ns != NEVER_SKIPPED && own[*j] == WAIT_RESERVED && job_estimate_ns(s, *j) >= shape->bound_ns) {
            too_long++;
        } else if (stays_reserved(s, w, *j)) {
            shape->bound_ns = job_estimate_ns(s, *j);
            reserved++;
        } else {
            return true;
        }
    }
    return false;
}

/* ---- The policy ---- */

static void block(struct sched *s, job_id j, bool noted)
{
    static const enum wait_reason reasons[] = { WAIT_RESERVED, WAIT_RESERVED, WAIT_GPUS, WAIT_GROUP };
    enum wait_reason why = backfills && draw(8) ? WAIT_RESERVED : reasons[draw(4)];
    sched_blocked(s, j, why);
    if (noted)
        own[j] = (uint8_t)why;
}

static void walk(struct sched *s, job_id planned)
{
    static struct walker w;
    memset(&w, 0, sizeof w);
    w.n = in_order(s, w.order);
    w.skips_full = backfills || draw(2);
    struct line_walk real = { .l = k.line };
    if (w.skips_full)
        line_skip_full(&real, sched_view(s, FREE_IDLE));
    w.lacking_ns = draw(3) ? sched_now(s) + (int64_t)draw(8) * NS_PER_S - NS_PER_S : TIME_NEVER;
    if (planned != ID_NONE)
        w.lacking_ns = plan_start(s, planned);
    line_skip_reserved(&real, w.lacking_ns);
    bool has_started = false;
    for (job_id want, got;; given++) {
        unsigned were_reserved = reserved;
        bool more = next(s, &w, &want);
        later += has_started ? reserved - were_reserved : 0;
        assert_wanted(more ? want : ID_NONE, line_next(&real, &got) ? got : ID_NONE, "walk at %g s: next job",
                      (double)sched_now(s) / NS_PER_S);
        if (!more)
            return;
        struct request r = job_request(s, got);
        if (job_state(s, got) != JOB_PENDING)
            continue;
        const struct placement *p = sched_place(s, sched_view(s, FREE_IDLE), &r);
        enum wait_reason why = sched_why_not(s);
        assert_int_equal(sched_fits(s, sched_view(s, FREE_IDLE), &r), p != NULL);
        if (!p)
            assert_int_equal(sched_why_not(s), why);
        asked++;
        if (p && draw(backfills ? 3 : 12) == 0 && sched_start(s, got, p) == SCHED_OK) {
            has_started = true;
            continue;
        }
        block(s, got, true);
        if (draw(2))
            continue;
        struct shape_state *shape = &w.shape[r.shape];
        assert_true(line_skipped_longer(&real) == (shape->bound_ns == NEVER_SKIPPED ? TIME_NEVER : shape->bound_ns));
        int64_t bound_ns = (int64_t)draw(40) * NS_PER_S;
        line_skip_longer(&real, bound_ns);
        if (shape->bound_ns == NEVER_SKIPPED || bound_ns < shape->bound_ns)
            shape->bound_ns = bound_ns;
    }
}

static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    own[j] = WAIT_GROUP;
    comes_in(s, j);
}

/* Some job is planned for some time, if there is room; else it has no plan. ID_NONE: none is. */
static job_id plan(struct sched *s)
{
    job_id j = (job_id)draw(k.n_jobs);
    if (job_state(s, j) != JOB_PENDING)
        return ID_NONE;
    struct request r = job_request(s, j);
    int64_t from_ns = sched_now(s) + (int64_t)draw(8) * NS_PER_S;
    const struct placement *p = sched_place(s, timeline_view(s, from_ns, from_ns + NS_PER_S), &r);
    if (p && plan_set(s, j, from_ns, p) == SCHED_OK)
        return j;
    plan_drop(s, j);
    return ID_NONE;
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    sched_mark_t mark = sched_mark(s);
    for (job_id j = 0; j < k.n_jobs; j++) {           /* all of it is undone */
        if (!k.in[j] || draw(3))
            continue;
        block(s, j, false);
        if (draw(4) == 0)
            line_remove(k.line, j);
    }
    sched_rollback(s, mark);
    if (k.passes > 0) {
        k.passes--;
        job_id planned = ID_NONE;
        for (job_id j = 0; j < k.n_jobs && backfills; j++)
            plan_drop(s, j);
        for (int i = 0; i < 10 && (planned == ID_NONE || !backfills); i++)
            planned = plan(s);
        walk(s, backfills ? planned : ID_NONE);
        sched_wake_at(s, sched_now(s) + NS_PER_S);
        return;
    }
    for (job_id j = 0; j < k.n_jobs; j++) {
        struct request r = job_request(s, j);
        const struct placement *p = job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            sched_start(s, j, p);
    }
}

static const struct policy skipping = {
    .abi = POLICY_ABI, .name = "skipping", .summary = "walks at random", .needs = SEES_TIMELINE, .begin = begin,
    .schedule = schedule, .job_arrived = arrived, .job_started = started,
};

static void as_defined(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = random_world(seed);
        if (seed % 3 == 0) {                          /* one pool, where totals decide */
            w.n_groups = 1;
            w.group[0] = (struct group_spec){ .name = "pool", .count = 1, .gpus = 30, .counted = true,
                                              .cpu_milli = seed % 2 ? INT64_MAX : 30000, .mem_mib = INT64_MAX };
        }
        if (seed % 4)
            make_alike(&w, seed % 3 ? 1 : 5);
        memset(own, 0, sizeof own);
        walk_world(&w, &skipping, "skips", seed, PASSES);
    }
    print_message("%u given, %u too long, %u reserved, %u shapes full, %u later, %u asked for\n", given, too_long, reserved, full, full_later,
                  asked);
    assert_true(given > 10000 && too_long > 1000 && reserved > 50 && full > 300 && full_later > 30 && asked > 10000);
}

/* Sub-lines are left as a whole, and looked at again once something starts. */
static void as_defined_while_jobs_start(void **state)
{
    (void)state;
    backfills = true;
    reserved = 0;
    for (uint64_t seed = 0; seed < SEEDS_BACKFILLING; seed++) {
        struct world w = random_world(seed);
        w.n_groups = 1;
        w.group[0] = (struct group_spec){ .name = "pool", .count = 1, .gpus = 30, .counted = true, .cpu_milli = INT64_MAX,
                                          .mem_mib = INT64_MAX };
        make_alike(&w, 1 + (uint32_t)(seed % 6));
        memset(own, 0, sizeof own);
        walk_world(&w, &skipping, "backfills", seed, PASSES);
    }
    print_message("%u reserved, %u of them behind a job that started\n", reserved, later);
    assert_true(reserved > 1500 && later > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_defined), cmocka_unit_test(as_defined_while_jobs_start) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
