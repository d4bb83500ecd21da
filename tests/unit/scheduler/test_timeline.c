/* test_timeline.c - windows of the planned future and earliest slots, against a plain list of holds.
 *
 * A policy starts, stops and plans jobs of whole GPUs at random. Beside it stands the list: of each
 * job the GPUs and the time from when to when. After every change some windows are asked for: a GPU
 * is free in [from, until) if no hold of the list meets the window; a hold that ends at `from` or
 * starts at `until` does not. The length of a job that exceeds its estimate grows by half each time
 * it is over (contract/timeline.h, OVERRUN_EXTEND). And of timeline_earliest(): a slot is found up to its very start as the
 * horizon, not up to a nanosecond less. A plan that plans_renew() does without the placer is where timeline_earliest() has it,
 * and where timeline_lacks() a job a window has no place for it. While timeline_outlook() stands, jobs of one shape and estimate
 * are answered alike. */
#include "sim/contract/timeline.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/timeline.h"
#include "tests/support/random_world.h"

enum { SEEDS = 150, PASSES = 40, CHANGES = 6, WINDOWS = 4, NODES_MOST = 64 };

struct plain_hold { bool is; int64_t from_ns, until_ns; };
static struct {
    struct plain_hold runs[JOBS_MOST], plan[JOBS_MOST];
    uint32_t n_jobs;
    struct answer { uint64_t outlook; int64_t estimate_ns, start_ns; bool fits; } last[JOBS_MOST];    /* by shape */
    unsigned passes;
    bool counted;                 /* no GPU has a name: windows are not compared */
    struct random r;
} k;
static unsigned windows, taken, outstayed, slots, touching, earlier, kept, stayed, moved, lacking, alike, drawn, only_node, of_gaps;    /* so that a test that sees nothing fails */

static uint32_t draw(uint64_t n)
{
    return (uint32_t)random_below(&k.r, n);
}

/* ---- The list ---- */

static int64_t end_of(struct sched *s, job_id j, int64_t start_ns)
{
    int64_t length_ns = job_estimate_ns(s, j) > 0 ? job_estimate_ns(s, j) : 1;
    return length_ns > TIME_NEVER - start_ns ? TIME_NEVER : start_ns + length_ns;
}

static void follow(struct sched *s)
{
    int64_t now_ns = sched_now(s);
    for (job_id j = 0; j < k.n_jobs; j++) {
        struct plain_hold *h = &k.runs[j];
        h->is = h->is && job_state(s, j) == JOB_RUNNING;
        k.plan[j].is = k.plan[j].is && job_state(s, j) == JOB_PENDING;
        outstayed += h->is && h->until_ns <= now_ns;
        while (h->is && h->until_ns <= now_ns) {
            int64_t half_ns = (h->until_ns - h->from_ns) / 2;
            h->until_ns += half_ns > 0 ? half_ns : 1;
        }
    }
}

static bool meets(const struct plain_hold *h, int64_t from_ns, int64_t until_ns)
{
    touching += h->is && (h->until_ns == from_ns || h->from_ns == until_ns);
    return h->is && h->from_ns < until_ns && h->until_ns > from_ns;
}

static uint64_t gpus_on(const struct placement *p, node_id n)
{
    uint64_t mask = 0;
    for (size_t i = 0; p && i < p->n; i++)
        mask |= p->piece[i].node == n ? p->piece[i].gpu_mask : 0;
    return mask;
}

/* ---- The comparison ---- */

static void window_agrees(struct sched *s, int64_t from_ns, int64_t until_ns)
{
    const struct view *v = timeline_view(s, from_ns, until_ns);
    node_id n, end;
    view_domain_nodes(v, 0, &n, &end);
    for (; n < end; n++) {
        struct node_free f = view_node(v, n);
        uint64_t all = f.capacity >= 64 ? UINT64_MAX : (UINT64_C(1) << f.capacity) - 1, held = 0;
        for (job_id j = 0; j < k.n_jobs; j++) {
            held |= meets(&k.runs[j], from_ns, until_ns) ? gpus_on(job_placement(s, j), n) : 0;
            held |= meets(&k.plan[j], from_ns, until_ns) ? gpus_on(plan_placement(s, j), n) : 0;
        }
        assert_wanted_mask(all & ~held, f.whole_mask, "at %g s: node %u: GPUs that are free from %g s to %g s",
                           (double)sched_now(s) / NS_PER_S, n, (double)from_ns / NS_PER_S, (double)until_ns / NS_PER_S);
        taken += held != 0;
    }
    windows++;
    of_gaps += s->timeline->by_gaps;
}

/* A time at which some hold ends or starts, or any other; not in the past. */
static int64_t some_time_ns(struct sched *s)
{
    const struct plain_hold *h = draw(2) ? &k.runs[draw(k.n_jobs)] : &k.plan[draw(k.n_jobs)];
    int64_t time_ns = draw(3) ? h->until_ns : h->from_ns;
    bool known = h->is && time_ns >= sched_now(s) && time_ns < TIME_NEVER / 2;
    return known ? time_ns : sched_now(s) + (int64_t)draw(40) * NS_PER_S;
}

static void windows_agree(struct sched *s)
{
    for (unsigned i = 0; !k.counted && i < WINDOWS; i++) {
        int64_t a = some_time_ns(s), b = some_time_ns(s);
        window_agrees(s, a < b ? a : b, a < b ? b : a == b ? a + 1 : a);
    }
}

static void slot_agrees(struct sched *s, job_id j, struct slot slot)
{
    if (!slot.where)
        return;
    struct slot up_to = timeline_earliest(s, j, sched_now(s), slot.start_ns, 1000);
    assert_wanted(slot.start_ns, up_to.start_ns, "job %u: earliest start (ns), with that as the horizon", j);
    if (slot.start_ns > sched_now(s)) {
        struct slot before = timeline_earliest(s, j, sched_now(s), slot.start_ns - 1, 1000);
        assert_wanted(TIME_NEVER, before.start_ns, "job %u: earliest start (ns), with a shorter horizon", j);
    }
    slots++;
}

/* What lacks at an instant has no place in a window with it; on counted GPUs what does not has one there. */
static void lack_agrees(struct sched *s, job_id j)
{
    struct request r = job_request(s, j);
    int64_t at_ns = some_time_ns(s);
    bool lacks = timeline_lacks(s, &r, at_ns);
    if (lacks)
        assert_null(sched_place(s, timeline_view(s, sched_now(s), at_ns + 1), &r));
    else if (k.counted)
        assert_non_null(sched_place(s, timeline_view(s, at_ns, at_ns + 1), &r));
    lacking += lacks;
}

/* Where totals say all no placer is asked: as it answers if it is. One that draws is asked. */
static void only_node_agrees(struct sched *s, job_id j)
{
    struct request r = job_request(s, j);
    int64_t a = some_time_ns(s), b = some_time_ns(s), from_ns = a < b ? a : b, until_ns = a < b ? b : a;
    const struct placement *got = timeline_place(s, &r, from_ns, until_ns), *want = NULL;
    enum wait_reason why = sched_why_not(s);
    struct view *v = timeline_own_view(s, timeline_view(s, from_ns, until_ns));
    bool lacks = placing_lacks(v, &r);
    if (!lacks && placing_here(s, v, &r) == PLACED)
        want = builder_take(&s->placing->builder);
    assert_int_equal(got != NULL, want != NULL);
    if (got)
        assert_true(placement_same(got, want) && got->piece[0].gpu_mem_mib == want->piece[0].gpu_mem_mib);
    else if (lacks)
        assert_int_equal(why, WAIT_GPUS);
    only_node += want != NULL;
}

/* The plan is renewed, and the reason told. false: it asks for a look. */
static bool renewed(struct sched *s, job_id j, int64_t want_ns)
{
    struct request r = job_request(s, j);
    int64_t due_ns = TIME_NEVER;
    enum wait_reason why = sched_fits(s, sched_view(s, FREE_IDLE), &r) ? WAIT_RESERVED : sched_why_not(s);
    sched_blocked(s, j, why == WAIT_RESERVED ? WAIT_GPUS : WAIT_RESERVED);
    if (!plans_renew(s, &j, 1, &due_ns)) {
        assert_true(due_ns == TIME_NEVER);
        return false;
    }
    assert_wanted(want_ns, plan_start(s, j), "job %u: start (ns) of its plan, renewed", j);
    assert_true(due_ns == want_ns);
    assert_int_equal(live_of(s, j)->own_why, why);
    k.plan[j] = (struct plain_hold){ true, want_ns, end_of(s, j, want_ns) };
    return true;
}

/* A plan remembers when it was looked at last. A question with a horizon before its start goes without, and here leaves no trace: both
 * agree. */
static void again_agrees(struct sched *s, job_id j)
{
    int64_t start_ns = plan_start(s, j);
    if (job_state(s, j) != JOB_PENDING || start_ns == TIME_NEVER || start_ns <= sched_now(s))
        return;
    struct still still = plan_of(s, j)->still;
    struct slot before = timeline_earliest(s, j, sched_now(s), start_ns - 1, 1000);
    plan_of(s, j)->still = still;
    struct slot again = timeline_earliest(s, j, sched_now(s), start_ns, 1000);
    if (before.where)
        assert_wanted(before.start_ns, again.start_ns, "job %u: earlier start (ns) than that of its plan", j);
    else
        assert_true(again.start_ns == start_ns || again.start_ns == TIME_NEVER);    /* NEVER: a late job is in its place */
    bool is = draw(4) == 0 && renewed(s, j, before.where ? before.start_ns : start_ns);
    assert_false(is && !before.where && again.start_ns != start_ns);
    earlier += before.where != NULL;
    kept += !before.where;
    stayed += is && !before.where;
    moved += is && before.where;
}

/* Asked with other numbers of tries, which few need: no answer is one that was kept. */
static void outlook_agrees(struct sched *s, job_id j)
{
    if (job_state(s, j) != JOB_PENDING || plan_start(s, j) != TIME_NEVER)
        return;
    struct request r = job_request(s, j);
    struct answer *last = &k.last[r.shape], now = { .outlook = timeline_outlook(s), .estimate_ns = job_estimate_ns(s, j) };
    now.start_ns = timeline_earliest(s, j, sched_now(s), TIME_NEVER, 1000 + draw(1000)).start_ns;
    now.fits = sched_place(s, sched_view(s, FREE_IDLE), &r) != NULL;
    drawn += timeline_outlook(s) != now.outlook;
    if (last->outlook == now.outlook && last->estimate_ns == now.estimate_ns) {
        assert_wanted(last->start_ns, now.start_ns, "job %u: earliest start (ns), with the outlook of one before", j);
        assert_int_equal(last->fits, now.fits);
        alike++;
    }
    *last = timeline_outlook(s) == now.outlook ? now : (struct answer){ 0 };
}

/* ---- The policy ---- */

static void plan_one(struct sched *s, job_id j)
{
    struct slot slot = timeline_earliest(s, j, sched_now(s), TIME_NEVER, 1000);
    slot_agrees(s, j, slot);
    if (!slot.where)
        return;
    slot = timeline_earliest(s, j, sched_now(s), TIME_NEVER, 1000);    /* its placement is good until the next question */
    assert_wanted(SCHED_OK, plan_set(s, j, slot.start_ns, slot.where), "job %u: a plan for its earliest slot", j);
    k.plan[j] = (struct plain_hold){ true, slot.start_ns, end_of(s, j, slot.start_ns) };
}

static void start_one(struct sched *s, job_id j)
{
    struct request r = job_request(s, j);
    int64_t end_ns = end_of(s, j, sched_now(s));
    const struct placement *p = sched_place(s, timeline_view(s, sched_now(s), end_ns), &r);
    if (!p || sched_start(s, j, p) != SCHED_OK)
        return;
    k.plan[j].is = false;
    k.runs[j] = (struct plain_hold){ true, sched_now(s), end_ns };
}

static void one_change(struct sched *s)
{
    job_id j = draw(k.n_jobs);
    if (job_state(s, j) == JOB_RUNNING && draw(4) == 0) {
        sched_stop(s, j, STOP_SAVE);
        k.runs[j].is = false;
    } else if (job_state(s, j) == JOB_PENDING && draw(5) == 0) {
        plan_drop(s, j);
        k.plan[j].is = false;
    } else if (job_state(s, j) == JOB_PENDING && draw(2)) {
        plan_one(s, j);
    } else if (job_state(s, j) == JOB_PENDING) {
        start_one(s, j);
    }
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    follow(s);
    if (k.passes == 0) {
        plan_clear(s);
        memset(k.plan, 0, sizeof k.plan);
        for (job_id j = 0; j < k.n_jobs; j++)
            if (job_state(s, j) == JOB_PENDING)
                start_one(s, j);
        return;
    }
    k.passes--;
    windows_agree(s);
    for (unsigned i = 0; i < CHANGES; i++) {
        one_change(s);
        windows_agree(s);
        for (job_id j = 0; j < k.n_jobs; j++)
            again_agrees(s, j);
        lack_agrees(s, draw(k.n_jobs));
        if (k.counted)
            only_node_agrees(s, draw(k.n_jobs));
        for (job_id j = 0; j < k.n_jobs; j++)
            outlook_agrees(s, j);
    }
    sched_wake_at(s, sched_now(s) + NS_PER_S);
}

static const struct policy plans = { .abi = POLICY_ABI, .name = "plans", .summary = "holds at random",
                                     .needs = SEES_TIMELINE, .schedule = schedule };

/* Whole GPUs of named nodes of two kinds, or of one, so that gaps say all; or of one pool of counted ones; stops take no time; half of
 * the estimates are too short. */
enum node_kinds { TWO_KINDS, ONE_KIND, COUNTED };

static struct world world_of(uint64_t seed, enum node_kinds nodes)
{
    struct world w = random_world(seed);
    w.n_queues = 0;
    w.group[0] = (struct group_spec){ .name = "a", .count = 2, .gpus = 4, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    w.group[1] = (struct group_spec){ .name = "b", .count = 2, .gpus = 2, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    w.n_groups = nodes == TWO_KINDS ? 2 : 1;
    if (nodes == COUNTED)
        w.group[0] = (struct group_spec){ .name = "a", .count = 1, .gpus = 12, .counted = true,
                                          .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    w.overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT };
    w.period_ns = 0;
    w.n_jobs = w.n_jobs > 40 ? 40 : w.n_jobs;
    for (size_t j = 0; j < w.n_jobs; j++) {
        struct job_row *x = &w.job[j];
        int64_t submit_ns = x->submit_ns, duration_ns = x->duration_ns;
        *x = job_row_default;
        x->submit_ns = submit_ns;
        x->duration_ns = duration_ns + NS_PER_S;
        x->estimate_ns = j % 2 ? x->duration_ns : 1 + x->duration_ns / NS_PER_S / 2 * NS_PER_S;
        x->gpus = 1 + (uint32_t)(j % 5);
        w.n_parts[j] = 0;
    }
    return w;
}

static void play_all(enum node_kinds nodes)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = world_of(seed, nodes);
        struct combination c = { .policy = &plans, .placer = builtin_placers[seed % 4], .name = "plans" };
        memset(&k, 0, sizeof k);
        random_init(&k.r, seed, "timeline", 0);
        k.passes = PASSES;
        k.counted = nodes == COUNTED;
        k.n_jobs = (uint32_t)w.n_jobs;
        world_run(&w, &c, seed, (struct run_observer){ 0 });
    }
}

static void as_listed(void **state)
{
    (void)state;
    play_all(TWO_KINDS);
    print_message("%u windows, %u nodes with holds, %u holds that end or start where one does, %u estimates outstayed, "
                  "%u slots\n", windows, taken, touching, outstayed, slots);
    assert_true(windows > 10000 && taken > 10000 && touching > 10000 && outstayed > 500 && slots > 1000);
}

static void gaps_as_without_memory(void **state)
{
    (void)state;
    earlier = kept = stayed = of_gaps = 0;
    play_all(ONE_KIND);
    print_message("%u windows that show gaps; %u plans could start earlier, %u not; at once the timeline keeps %u\n", of_gaps, earlier, kept,
                  stayed);
    assert_true(of_gaps > 10000 && earlier > 1000 && kept > 1000 && stayed > 1000);
}

static void counted_as_without_memory(void **state)
{
    (void)state;
    earlier = kept = stayed = moved = lacking = alike = 0;
    play_all(COUNTED);
    print_message("%u answers alike, %u not known\n", alike, drawn);
    print_message("%u plans could start earlier, %u not; at once the timeline moves %u, and keeps %u\n", earlier, kept, moved, stayed);
    assert_true(earlier > 1000 && kept > 1000 && moved > 200 && stayed > 1000 && lacking > 500 && alike > 500 && only_node > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_listed),
        cmocka_unit_test(gaps_as_without_memory),
        cmocka_unit_test(counted_as_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
