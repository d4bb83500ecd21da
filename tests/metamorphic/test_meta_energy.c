/* test_meta_energy.c - energy on random workloads under every policy and placer: it is conserved
 * (the run itself checks that to the attojoule, and fails otherwise), changes nothing, and does
 * not come from nowhere. */
#include "sim/physics/energy.h"
#include "sim/capacity/headroom.h"
#include "tests/support/random_power.h"
#include "tests/support/random_world.h"

#include <math.h>

enum { SEEDS = 3 };

static struct world powered(uint64_t seed)
{
    struct world w = random_world(seed);
    random_groups(&w, seed);
    w.overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT, .save_ns = w.overhead.save_ns, .grace_ns = w.overhead.grace_ns,
                              .start_ns = w.overhead.restart_ns };      /* nobody gives way for ever */
    w.furnish = with_power;
    return w;
}

/* Power is only looked at: every job has the times that it has without. A broken identity would
 * fail world_run(). */
static void conserved(const struct combination *k, uint64_t seed)
{
    struct world on = powered(seed), off = on;
    off.furnish = NULL;
    struct outcome a = world_run(&on, k, seed, (struct run_observer){ .self = NULL }), b = world_run(&off, k, seed, (struct run_observer){ .self = NULL });
    assert_int_equal(a.stalled, b.stalled);
    for (size_t j = 0; j < on.n_jobs && !a.stalled; j++)
        assert_same_jobs(&b.job[j], &a.job[j], "%s, seed %u: with power: job %zu", k->name, (unsigned)seed, j);
}

static void energy_is_conserved_and_changes_nothing(void **state)
{
    (void)state;
    each_combination(SEEDS, conserved);
}

/* ---- The power that is shown, added up a second time, is the energy that is reported ---- */

struct watcher { double j, w, from_s; double most_w; };

static void watch(void *self, const struct sched *s)
{
    struct watcher *x = self;
    double now_s = seconds(s->now_ns);
    if (now_s > x->from_s && x->w > x->most_w)
        x->most_w = x->w;
    x->j += x->w * (now_s - x->from_s);
    x->from_s = now_s;
    x->w = (double)energy_of(s)->all.nw / (double)NW_PER_W;
}

struct ending { double j, most_w; };
static struct ending last;

static void watch_the_end(void *self, const struct sched *s)
{
    watch(self, s);
    last = (struct ending){ (double)energy_of(s)->all.aj / 1e18, (double)energy_of(s)->peak_nw / (double)NW_PER_W };
}

static void shown(const struct combination *k, uint64_t seed)
{
    struct world w = powered(seed);
    struct watcher x = { .from_s = seconds(w.job[0].submit_ns) };
    struct outcome o = world_run(&w, k, seed, (struct run_observer){ .self = &x, .instant = watch_the_end });
    if (o.stalled)
        return;
    if (fabs(x.j - last.j) > 1e-9 * last.j || fabs(x.most_w - last.most_w) > 1e-9 * last.most_w)
        fail_msg("%s, seed %u: shown %.17g J and %.17g W at most, reported %.17g J and %.17g W", k->name, (unsigned)seed, x.j,
                 x.most_w, last.j, last.most_w);
}

static void what_is_shown_is_what_is_reported(void **state)
{
    (void)state;
    each_combination(1, shown);
}

/* ---- Powering off ---- */

static void with_sleep(struct cluster *c, uint64_t seed)
{
    with_power(c, seed);
    c->power->off_after_ns = (int64_t)(seed % 3) * 2 * NS_PER_S;
    c->power->wake_ns = 3 * NS_PER_S;
    c->power->off_nw = NW_PER_W;
}

static void with_light_sleep(struct cluster *c, uint64_t seed)
{
    with_sleep(c, seed);
    c->power->wake_ns = 0;
}

/* A job that waits for waking nodes still ends, and energy is conserved with nodes that come and
 * go. */
static void slept(const struct combination *k, uint64_t seed)
{
    struct world w = powered(seed);
    w.furnish = with_sleep;
    struct outcome o = world_run(&w, k, seed, (struct run_observer){ .self = NULL });
    for (size_t j = 0; j < w.n_jobs && !o.stalled && !o.totals.deadlocked && !o.totals.never_started; j++)
        assert_int_equal(o.job[j].state, JOB_GONE);
}

/* Waking takes no time: jobs have the same times as without. */
static void slept_lightly(const struct combination *k, uint64_t seed)
{
    struct world w = powered(seed), off = w;
    w.furnish = with_light_sleep;
    off.furnish = NULL;
    struct outcome a = world_run(&w, k, seed, (struct run_observer){ .self = NULL }), b = world_run(&off, k, seed, (struct run_observer){ .self = NULL });
    for (size_t j = 0; j < w.n_jobs && !a.stalled; j++)
        assert_same_jobs(&b.job[j], &a.job[j], "%s, seed %u: nodes wake at once: job %zu", k->name, (unsigned)seed, j);
}

static void sleep_is_accounted_for(void **state)
{
    (void)state;
    each_combination(SEEDS, slept);
    each_combination(1, slept_lightly);
}

/* ---- Caps ---- */

/* Room for a third of the GPUs at full duty; racks for two thirds. */
static void with_caps(struct cluster *c, uint64_t seed)
{
    with_power(c, seed);
    int128_t floor_nw = cluster_idle_nw(c, 0, c->n_nodes), rack_nw = 0, full_nw = 0;
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct node_power *p = &c->power->of_group[c->group_of[n]];
        full_nw += (p->most_nw - p->idle_nw) * cluster_node_milli(c, n);
    }
    c->power->cap_nw = (int64_t)(floor_nw + full_nw / 3);
    for (domain_id d = 1; d < c->n_domains; d++) {
        int128_t nw = cluster_idle_nw(c, c->domain[d].first, c->domain[d].end);
        rack_nw = c->domain[d].level == LEVEL_RACK && nw > rack_nw ? nw : rack_nw;
    }
    if (seed % 2 && rack_nw)
        c->power->rack_cap_nw = (int64_t)(rack_nw + full_nw / 4);
}

struct hottest { int128_t nw, cap_nw; bool waited; };

static void feel(void *self, const struct sched *s)
{
    struct hottest *x = self;
    x->nw = energy_of(s)->all.nw > x->nw ? energy_of(s)->all.nw : x->nw;
    x->cap_nw = energy_of(s)->power->cap_nw;
}

static uint64_t hot_runs, waits;

/* The draw is never above the cap; a job that fits it alone runs; no job waits for ever. */
static void capped(const struct combination *k, uint64_t seed)
{
    struct world w = powered(seed);
    memset(w.n_parts, 0, sizeof w.n_parts);    /* a gang of which only tasks without GPUs have power makes no progress, for ever */
    struct hottest x = { .nw = 0 };
    w.furnish = with_caps;
    struct outcome o = world_run(&w, k, seed, (struct run_observer){ .self = &x, .instant = feel });
    if (o.stalled)
        return;
    assert_true(x.nw <= x.cap_nw);
    for (size_t j = 0; j < w.n_jobs; j++) {
        /* Single pods of gangs may hold what all lack; elastic jobs may wait for power that they never get all at once. */
        bool elastic = w.job[j].min_tasks && w.job[j].min_tasks < w.job[j].tasks;
        if (o.job[j].state != JOB_GONE && !o.totals.deadlocked && !elastic)
            fail_msg("%s, seed %u: job %zu is still %s", k->name, (unsigned)seed, j + 1, life_state_name(o.job[j].state));
        waits += o.job[j].waits[WAIT_POWER] > 0;
    }
    struct world uncapped = w;
    uncapped.furnish = with_power;
    struct hottest y = { .nw = 0 };
    (void)world_run(&uncapped, k, seed, (struct run_observer){ .self = &y, .instant = feel });
    hot_runs += y.nw > x.cap_nw;
}

static void caps_hold(void **state)
{
    (void)state;
    each_combination(SEEDS, capped);
    assert_true(hot_runs > 100);      /* the control: without the cap most of these runs pass it, */
    assert_true(waits > 1000);        /* and with it some jobs wait for power */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleep_is_accounted_for),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(energy_is_conserved_and_changes_nothing),
        cmocka_unit_test(what_is_shown_is_what_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
