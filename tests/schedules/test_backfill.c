/* test_backfill.c - FCFS, EASY and conservative against a second implementation, on random
 * workloads, start by start.
 *
 * The second one knows no windows and no trees: one number a second for what is taken, EASY by
 * its textbook rule of shadow time and extra processors (reproductions.md 5), conservative by
 * trying every second. */
#include "policies/registry.h"
#include "sim/base/random.h"
#include "sim/engine/params.h"
#include "sim/engine/run.h"
#include "tests/support/wanted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { JOBS = 60, SEEDS = 300, HORIZON = 20000, NEVER = HORIZON, PARAMS = 24 };
enum kind { FCFS, EASY, CONSERVATIVE };

struct job { int submit, run, estimate, need, start, promise; bool waits, runs, done; };
struct naive { struct job job[JOBS]; int gpus; };

static struct naive draw(uint64_t seed)
{
    struct naive w = { .gpus = 4 + (int)(seed % 29) };
    struct random r;
    random_init(&r, seed, "backfill", 0);
    for (int j = 0, now = 0; j < JOBS; j++) {
        now += (int)random_below(&r, 12);
        int run = 1 + (int)random_below(&r, 60);
        w.job[j] = (struct job){ .submit = now, .run = run, .estimate = run + (int)random_below(&r, 50) * (int)random_below(&r, 2),
                                 .need = 1 + (int)random_below(&r, (uint64_t)(random_below(&r, 4) ? (w.gpus + 3) / 4 : w.gpus)),
                                 .start = -1, .promise = NEVER };
    }
    return w;
}

/* ---- The second implementation ---- */

static int taken_at(const struct naive *w, int t, bool promises, int but)
{
    int sum = 0;
    for (int j = 0; j < JOBS; j++) {
        const struct job *x = &w->job[j];
        int from = x->runs ? x->start : promises && x->waits ? x->promise : NEVER;
        if (j != but && from <= t && t < from + x->estimate)
            sum += x->need;
    }
    return sum;
}

/* In truth, as late jobs have ended by estimate only. */
static int held(const struct naive *w)
{
    int sum = 0;
    for (int j = 0; j < JOBS; j++)
        sum += w->job[j].runs ? w->job[j].need : 0;
    return sum;
}

static void start(struct naive *w, int j, int now)
{
    w->job[j].start = now;
    w->job[j].runs = true;
    w->job[j].waits = false;
}

/* Promises are looked at again, first come first, when a job has ended; else only new jobs get
 * one. */
static void conservative_pass(struct naive *w, int now, bool ended)
{
    for (int j = 0; j < JOBS; j++) {
        struct job *x = &w->job[j];
        if (!x->waits || (!ended && x->promise != NEVER))
            continue;
        for (int s = now; s <= x->promise; s++) {
            bool fits = true;
            for (int t = s; t < s + x->estimate && fits; t++)
                fits = taken_at(w, t, true, j) + x->need <= w->gpus;
            if (!fits)
                continue;
            x->promise = s;
            break;
        }
        if (x->promise == now)
            start(w, j, now);
    }
}

static int first_waiting(const struct naive *w)
{
    for (int j = 0; j < JOBS; j++)
        if (w->job[j].waits)
            return j;
    return -1;
}

static void easy_pass(struct naive *w, int now, bool backfills)
{
    int head;
    while ((head = first_waiting(w)) >= 0 && held(w) + w->job[head].need <= w->gpus)
        start(w, head, now);
    if (head < 0 || !backfills)
        return;
    int shadow = now;
    while (taken_at(w, shadow, false, -1) + w->job[head].need > w->gpus)
        shadow++;
    int extra = w->gpus - taken_at(w, shadow, false, -1) - w->job[head].need;
    for (int j = head + 1; j < JOBS; j++) {
        struct job *x = &w->job[j];
        if (!x->waits || held(w) + x->need > w->gpus)
            continue;
        if (now + x->estimate > shadow && x->need > extra)
            continue;
        if (now + x->estimate > shadow)
            extra -= x->need;
        start(w, j, now);
    }
}

static void pass(struct naive *w, enum kind kind, int now, bool ended)
{
    if (kind == CONSERVATIVE)
        conservative_pass(w, now, ended);
    else
        easy_pass(w, now, kind == EASY);
}

static bool ends_now(const struct job *x, int now, bool foretold)
{
    return x->runs && now == x->start + x->run && (!foretold || x->run == x->estimate);
}

static void end(struct job *x)
{
    x->runs = false;
    x->done = true;
}

static void instant(struct naive *w, enum kind kind, int now)
{
    bool event = false, ended = false;
    for (int j = 0; j < JOBS; j++) {
        struct job *x = &w->job[j];
        if (ends_now(x, now, false)) {
            end(x);
            event = ended = true;
        }
        if (now == x->submit)
            x->waits = event = true;
    }
    if (event)
        pass(w, kind, now, ended);
}

/* The ends that estimates foretold, at once; the submissions; the other ends in the order of the
 * starts: a pass after each (sim/engine/engine.h, after pyss). */
static void one_by_one(struct naive *w, enum kind kind, int now)
{
    bool ended = false;
    for (int j = 0; j < JOBS; j++)
        if (ends_now(&w->job[j], now, true)) {
            end(&w->job[j]);
            ended = true;
        }
    if (ended)
        pass(w, kind, now, true);
    for (int j = 0; j < JOBS; j++)
        if (now == w->job[j].submit) {
            w->job[j].waits = true;
            pass(w, kind, now, false);
        }
    for (int since = 0; since < now; since++)
        for (int j = 0; j < JOBS; j++)
            if (w->job[j].start == since && ends_now(&w->job[j], now, false)) {
                end(&w->job[j]);
                pass(w, kind, now, true);
            }
}

static int left(const struct naive *w)
{
    int n = 0;
    for (int j = 0; j < JOBS; j++)
        n += !w->job[j].done;
    return n;
}

static void simulate(struct naive *w, enum kind kind, bool each)
{
    for (int now = 0; left(w) > 0; now++)
        if (each)
            one_by_one(w, kind, now);
        else
            instant(w, kind, now);
}

/* ---- Ours ---- */

static const struct policy *policy_named(const char *name)
{
    for (size_t i = 0; builtin_policies[i]; i++)
        if (!strcmp(builtin_policies[i]->name, name))
            return builtin_policies[i];
    fail_msg("no policy %s", name);
    return NULL;
}

static const struct placer *count_placer_of(void)
{
    for (size_t i = 0; builtin_placers[i]; i++)
        if (!strcmp(builtin_placers[i]->name, "count"))
            return builtin_placers[i];
    fail_msg("no placer count");
    return NULL;
}

/* Named: as many nodes of one GPU, not one pool without names; there a promise is of certain GPUs,
 * so starts may differ from those of counts. Each: a pass after each event. */
enum how { PLAIN, LITERAL = 1, NAMED = 2, EACH = 4 };
static int differing_starts(const struct naive *want, const char *policy, unsigned how, struct difference *first)
{
    bool counted = !(how & NAMED), literal = how & LITERAL;
    struct error err = { "" };
    struct group_spec group = { .name = "g", .gpu_model = "gpu", .count = counted ? 1 : (uint32_t)want->gpus,
                                .gpus = counted ? (uint32_t)want->gpus : 1, .counted = counted,
                                .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    struct cluster *c = cluster_build("c", &group, 1, NULL, 0, &err);
    c->pass_per_event = how & EACH;
    struct workload *w = workload_new();
    for (int j = 0; j < JOBS; j++) {
        struct job_row row = job_row_default;
        row.submit_ns = want->job[j].submit * NS_PER_S;
        row.duration_ns = want->job[j].run * NS_PER_S;
        row.estimate_ns = want->job[j].estimate * NS_PER_S;
        row.gpus = (uint32_t)want->job[j].need;
        assert_int_equal(workload_add(w, &row, "test", (size_t)j + 1, &err), 0);
    }
    assert_int_equal(workload_finish(w, "test", &err), 0);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct run_setup setup = { .cluster = c, .workload = w, .policy = policy_named(policy), .placer = count_placer_of(),
                               .check = true };
    double params[PARAMS];
    assert_int_equal(params_parse(setup.policy->params, setup.policy->params_size, literal ? "overrun=literal" : "",
                                  policy, params, &err), 0);
    setup.policy_params = params;
    struct sched *s = run_new(&setup);
    int differ = 0;
    assert_int_equal(run_execute(s, &err), 0);
    for (unsigned i = 0; i < SCHED_RESULTS; i++)
        assert_int_equal(run_refused(run_totals(s), i), 0);
    for (int j = 0; j < JOBS; j++) {
        double got_s = (double)run_job(s, (job_id)j).start_ns / NS_PER_S;
        if (got_s != want->job[j].start && differ++ == 0)
            snprintf(first->text, sizeof first->text, "job %d: starts: want %d s, got %.9g s", j, want->job[j].start, got_s);
    }
    run_free(s);
    workload_free(w);
    cluster_free(c);
    return differ;
}

static void agree(enum kind kind, const char *policy)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct naive want = draw(seed);
        struct difference first;
        simulate(&want, kind, false);
        if (differing_starts(&want, policy, PLAIN, &first))
            fail_msg("%s, seed %u: %s", policy, (unsigned)seed, first.text);
        int named = differing_starts(&want, policy, NAMED, &first);    /* runs through, and its identities hold */
        if (kind == FCFS && named)                                     /* nothing is promised there */
            fail_msg("%s, seed %u, on named nodes: %s", policy, (unsigned)seed, first.text);
    }
}

static void fcfs(void **state)
{
    (void)state;
    agree(FCFS, "fifo");
}

/* Many jobs outlive their estimate. The textbook rule takes start + estimate for the end, be it
 * past: the shadow is now, and only what is beside the head is filled (reproductions.md 5, 3). */
static void easy_late(void **state)
{
    (void)state;
    unsigned unlike_extend = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct naive want = draw(seed);
        struct difference first;
        for (int j = 0; j < JOBS; j++)
            want.job[j].estimate = 1 + want.job[j].run / (1 + j % 4);
        simulate(&want, EASY, false);
        if (differing_starts(&want, "easy", LITERAL, &first))
            fail_msg("easy:overrun=literal, seed %u: %s", (unsigned)seed, first.text);
        unlike_extend += differing_starts(&want, "easy", PLAIN, &first) > 0;
        (void)differing_starts(&want, "conservative", LITERAL | NAMED, &first);
    }
    assert_true(unlike_extend > SEEDS / 2);
}

static void easy(void **state)
{
    (void)state;
    agree(EASY, "easy");
}

static void conservative(void **state)
{
    (void)state;
    agree(CONSERVATIVE, "conservative");
}

/* Times are few, so that many events share one. Both rules for the late end agree: an end that was
 * foretold has happened before any pass asks, and the others come early. */
static void one_by_one_agrees(void **state)
{
    (void)state;
    static const struct { enum kind kind; const char *policy; unsigned how; } by[] = {
        { FCFS, "fifo", EACH }, { FCFS, "fifo", EACH | NAMED }, { EASY, "easy", EACH },
        { EASY, "easy", EACH | LITERAL }, { CONSERVATIVE, "conservative", EACH } };
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        unsigned unlike_together = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct naive want = draw(seed);
            struct difference first;
            for (int j = 0; j < JOBS; j++) {
                want.job[j].submit -= want.job[j].submit % 5;
                want.job[j].run += -want.job[j].run % 5 + 5;
                want.job[j].estimate += -want.job[j].estimate % 5 + 5;
            }
            simulate(&want, by[k].kind, true);
            if (differing_starts(&want, by[k].policy, by[k].how, &first))
                fail_msg("%s, passes: event, seed %u: %s", by[k].policy, (unsigned)seed, first.text);
            unlike_together += differing_starts(&want, by[k].policy, by[k].how & ~(unsigned)EACH, &first) > 0;
        }
        if (by[k].kind == EASY)
            assert_true(unlike_together > SEEDS / 2);
    }
}

/* The comparison can fail: EASY is not conservative, and neither is FCFS. */
static void control(void **state)
{
    (void)state;
    struct naive want = draw(3);
    struct difference first;
    simulate(&want, EASY, false);
    assert_true(differing_starts(&want, "conservative", PLAIN, &first) > 0);
    assert_true(differing_starts(&want, "fifo", PLAIN, &first) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fcfs), cmocka_unit_test(easy), cmocka_unit_test(easy_late), cmocka_unit_test(conservative),
                                        cmocka_unit_test(one_by_one_agrees),
                                        cmocka_unit_test(control) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
