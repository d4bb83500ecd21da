/* test_meta_energy.c - energy on random workloads under every policy and placer: it is conserved (the run itself checks that to
 * the attojoule, and fails otherwise), changes nothing, and does not come from nowhere. */
#include "sim/run/energy.h"
#include "tests/support/random_world.h"

#include <math.h>

enum { SEEDS = 3 };

static void with_power(struct cluster *c, uint64_t seed)
{
    struct random r;
    random_init(&r, seed, "watts", 0);
    struct power *p = c->power = arena_alloc(c->memory, sizeof *p);
    *p = (struct power){ .law = power_law_usual, .duty = random_uniform(&r), .pue = 1 + random_uniform(&r), .off_after_ns = TIME_NEVER,
                         .carbon = hourly_constant(1000), .cap_nw = INT64_MAX, .rack_cap_nw = INT64_MAX };
    p->of_group = arena_alloc(c->memory, c->n_groups * sizeof *p->of_group);
    for (uint32_t g = 0, n = 0; g < c->n_groups; g++) {
        while (c->group_of[n] != g)
            n++;
        struct node_watts w = { 1000 * random_uniform(&r), 60 * random_uniform(&r), 100 + 300 * random_uniform(&r) };
        p->of_group[g] = node_power_of(&p->law, &w, c->group_gpus[g], cluster_node_milli(c, n));
    }
}

static struct world powered(uint64_t seed)
{
    struct world w = random_world(seed);
    random_groups(&w, seed);
    w.price = (struct price){ .checkpoint = CHECKPOINT_PERFECT, .save_ns = w.price.save_ns, .grace_ns = w.price.grace_ns,
                              .start_ns = w.price.restart_ns };      /* nobody gives way for ever */
    w.furnish = with_power;
    return w;
}

/* Power is only looked at: every job fares as without it. A broken identity would fail world_run(). */
static void conserved(const struct combination *k, uint64_t seed)
{
    struct world on = powered(seed), off = on;
    off.furnish = NULL;
    struct outcome a = world_run(&on, k, seed, (struct run_observer){ .self = NULL }), b = world_run(&off, k, seed, (struct run_observer){ .self = NULL });
    assert_int_equal(a.stalled, b.stalled);
    for (size_t j = 0; j < on.n_jobs && !a.stalled; j++)
        if (!same_job(&a.job[j], &b.job[j]))
            fail_msg("%s, seed %u: job %zu fares otherwise with power", k->name, (unsigned)seed, j + 1);
}

static void energy_is_conserved_and_changes_nothing(void **state)
{
    (void)state;
    each_combination(SEEDS, conserved);
}

/* ---- The power that is shown, added up by somebody else, is the energy that is reported ---- */

struct watcher { double j, w, from_s; double most_w; };

static void watch(void *self, const struct sched *s)
{
    struct watcher *x = self;
    double now_s = seconds(s->now_ns);
    if (now_s > x->from_s && x->w > x->most_w)
        x->most_w = x->w;
    x->j += x->w * (now_s - x->from_s);
    x->from_s = now_s;
    x->w = (double)s->energy->all.nw / (double)NW_PER_W;
}

struct ending { double j, most_w; };
static struct ending last;

static void watch_the_end(void *self, const struct sched *s)
{
    watch(self, s);
    last = (struct ending){ (double)s->energy->all.aj / 1e18, (double)s->energy->peak_nw / (double)NW_PER_W };
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_conserved_and_changes_nothing),
        cmocka_unit_test(what_is_shown_is_what_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
