/* test_adobe.c - the sessions of the preset `adobe` against the published figures of AdobeTrace [NotebookOS, ASPLOS 2026; they
 * stand in models.md 5.1]: drawn, and through a whole run on free GPUs. Usual sessions are the control: they miss all. */
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/engine/run.h"
#include "sim/sessions/draw_sessions.h"
#include "tests/support/service_run.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct seen { double run_p50_s, run_p75_s, little, never, idle, runs; size_t n; };

/* What users do whose sessions have GPUs from the first moment on: runs are cut by the end. */
static struct seen seen_of(const struct session_spec *spec, uint64_t seed)
{
    struct arena *memory = arena_new();
    struct sessions drawn;
    struct seen x = { 0 };
    double *run = NULL, active_s = 0, all_s = 0;
    size_t n = 0, room = 0;
    assert_true(sessions_draw(&drawn, spec, seed, TIME_NEVER, 20000 * 3600.0 / spec->rate_per_h, 100000, memory));
    for (size_t k = 0; k < drawn.n; k++) {
        const struct session *s = &drawn.session[k];
        int64_t at_ns = 0, mine_ns = 0;
        size_t before = n;
        for (uint32_t i = 0; i < s->n_phases && at_ns < s->length_ns; at_ns += s->phase_ns[i++]) {
            int64_t left_ns = s->length_ns - at_ns, ns = s->phase_ns[i] < left_ns ? s->phase_ns[i] : left_ns;
            if (i % 2 == 0)
                continue;
            mem_grow(&run, &room, n, sizeof *run);
            run[n++] = seconds(ns);
            mine_ns += ns;
        }
        x.never += n == before;
        x.little += (double)mine_ns <= .05 * (double)s->length_ns;
        active_s += seconds(mine_ns);
        all_s += seconds(s->length_ns);
    }
    qsort(run, n, sizeof *run, ascending);
    x.n = drawn.n;
    x.run_p50_s = gsl_stats_quantile_from_sorted_data(run, 1, n, .5);
    x.run_p75_s = gsl_stats_quantile_from_sorted_data(run, 1, n, .75);
    x.little /= (double)drawn.n;
    x.never /= (double)drawn.n;
    x.idle = 1 - active_s / all_s;
    x.runs = (double)n / (double)drawn.n;
    free(run);
    arena_free(memory);
    return x;
}

static struct session_spec of_preset(struct arena *memory)
{
    struct session_spec s = session_spec_default();
    s.name = "lab";
    s.users = 1000;
    s.rate_per_h = 1000;
    session_spec_adobe(&s, memory);
    return s;
}

/* models.md 5.1: P50 120 s and P75 300 s, 75 % active at most 5 % of the time, 70 % never used, over 81 % idle; within 4 s, 10 s
 * and a hundredth in 20 000 sessions. Runs per session 7.1 to 7.4: not fitted. */
static void published(void **state)
{
    struct arena *memory = arena_new();
    struct session_spec s = of_preset(memory), usual = session_spec_default();
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct seen x = seen_of(&s, seed);
        print_message("%zu sessions: P50 %.1f s, P75 %.1f s, at most 5 %%: %.3f, never %.3f, idle %.3f, runs %.2f\n", x.n, x.run_p50_s,
                      x.run_p75_s, x.little, x.never, x.idle, x.runs);
        assert_true(x.n > 19000);
        assert_true(fabs(x.run_p50_s - 120) < 4 && fabs(x.run_p75_s - 300) < 10);
        assert_true(fabs(x.little - .75) < .01 && fabs(x.never - .705) < .01 && fabs(x.idle - .815) < .01);
        assert_true(x.runs > 7 && x.runs < 7.5);
    }
    usual.name = "lab";
    usual.users = 1000;
    usual.rate_per_h = 1000;
    struct seen x = seen_of(&usual, 1);
    assert_true(fabs(x.run_p50_s - 120) > 50 && x.little < .4 && x.never < .2 && x.idle < .76);
    arena_free(memory);
}

/* The same through a run: nobody waits, so idle and active are those above; released when idle, GPUs idle less. */
static void through_a_run(void **state)
{
    static const char *const ways[] = { "", ", culling: { cull: release }" };
    double idle_h[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text, "workload: w\nspan_s: 86400\nusers: { count: 1000 }\nsessions: [ { group: g, users: 1000, rate_per_h: 150, preset: adobe%s } ]\n",
                 ways[i]);
        struct played p = play_services("nodes: [ { group: n, count: 400, gpus: 8, gpu_model: A100-SXM4-80 } ]\n", text, "fifo", "pack", 1, 0);
        idle_h[i] = played_value(&p, "session_gpu_h_idle", "all");
        if (i == 0)
            assert_true(fabs(played_value(&p, "session_active_share", "all") - .185) < .02);
        assert_near(played_value(&p, "sessions_abandoned", "all"), 0, 0);
        played_free(&p);
    }
    print_message("idle %.0f GPU h; released after 30 minutes %.0f\n", idle_h[0], idle_h[1]);
    assert_true(idle_h[1] < .5 * idle_h[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(published), cmocka_unit_test(through_a_run) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
