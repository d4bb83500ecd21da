/* test_meta_snapshot.c - a run that begins with the snapshot of another goes on as that one
 * does: every job starts and ends at the same times, shifted. Over random worlds, by way of the
 * file. Policies with a memory begin with none, and are seen to differ. */
#include "policies/registry.h"
#include "sim/run/snapshot.h"
#include "tests/support/random_world.h"
#include "traces/formats/format.h"
#include "traces/native/native.h"

#include <inttypes.h>
#include <unistd.h>

enum { SEEDS = 24, MOST_S = 120 };

struct compared { size_t jobs, differ, moved; int64_t first_ns; char first[200]; };

/* ---- One world: played, snapped at a time, and gone on from there ---- */

static struct world made(uint64_t seed)
{
    struct world w = random_world(seed);
    random_groups(&w, seed);
    w.overhead.start_ns = w.overhead.restart_ns;           /* else a snapshot cannot say which it will be */
    for (size_t j = 0; j < w.n_jobs; j++)            /* who outstays an estimate is expected to go on as long as he has: a memory */
        if (w.job[j].estimate_ns < w.job[j].duration_ns)
            w.job[j].estimate_ns = w.job[j].duration_ns;
    if (seed % 2)
        w.period_ns = 2 * NS_PER_S;
    return w;
}

static struct workload *through_a_file(const struct snapshot *n)
{
    struct error err = { "" };
    char path[64];
    snprintf(path, sizeof path, "snapshot-%d.csv", (int)getpid());
    struct output *o = output_open("/tmp", path, &err);
    assert_non_null(o);
    assert_int_equal(native_write(o, &n->workload, &err), 0);
    assert_int_equal(output_commit(o, &err), 0);
    snprintf(path, sizeof path, "/tmp/snapshot-%d.csv", (int)getpid());
    const struct trace_format *used;
    char sha256[65];
    struct workload *w = trace_read(path, trace_format_find("native"), &used, sha256, &err);
    unlink(path);
    if (!w)
        fail_msg("%s", err.text);
    return w;
}

static job_id named_job(const struct workload *w, const char *name)
{
    for (job_id j = 0; j < w->n_jobs; j++)
        if (!strcmp(w->truth[j].name, name))
            return j;
    return ID_NONE;
}

static void compare(const struct sched *whole, const struct sched *rest, int64_t at_ns, struct compared *c)
{
    const struct workload *w = run_setup_of(whole)->workload, *left = run_setup_of(rest)->workload;
    for (job_id k = 0; k < left->n_jobs; k++) {
        job_id j = named_job(w, left->truth[k].name);
        assert_int_not_equal(j, ID_NONE);
        struct job_result a = run_job(whole, j), b = run_job(rest, k);
        bool same = a.end_ns == (b.end_ns < 0 ? -1 : b.end_ns + at_ns) && a.outcome == b.outcome &&
                    (a.start_ns <= at_ns || a.start_ns == b.start_ns + at_ns);
        int64_t when_ns = a.end_ns < b.end_ns + at_ns ? a.end_ns : b.end_ns + at_ns;
        c->jobs++;
        c->differ += !same;
        if (!same && (!c->first[0] || when_ns < c->first_ns)) {
            c->first_ns = when_ns;
            snprintf(c->first, sizeof c->first, "job %s of %u, snapped at %.9g: want %.9g to %.9g, got %.9g to %.9g", left->truth[k].name,
                     w->n_jobs, seconds(at_ns), seconds(a.start_ns), seconds(a.end_ns), seconds(b.start_ns + at_ns), seconds(b.end_ns + at_ns));
        }
    }
}

/* false: no snapshot could be made then. */
static bool snap(const struct combination *k, uint64_t seed, int64_t at_ns, bool spoil, struct compared *c)
{
    struct error err = { "" };
    struct world w = made(seed);
    struct run_setup setup = world_setup(&w, k, seed), after = world_setup(&w, k, seed);
    struct sched *whole = run_new(&setup);
    assert_int_equal(run_until(whole, at_ns + 1, &err), 0);
    struct snapshot *n = snapshot_make(whole, at_ns, &err);
    if (n) {
        c->moved += n->moved;
        if (spoil)
            n->workload.truth[0].duration_ns += NS_PER_S;
        workload_free(after.workload);
        after.workload = through_a_file(n);
        if (run_bind((struct cluster *)(uintptr_t)after.cluster, after.workload, &err))
            fail_msg("%s", err.text);
        struct sched *rest = run_new(&after);
        if (run_execute(whole, &err) || run_execute(rest, &err)) {
            if (!strstr(err.text, "stalls"))
                fail_msg("%s, seed %u at %.9g s: %s", k->name, (unsigned)seed, seconds(at_ns), err.text);
        } else {
            compare(whole, rest, at_ns, c);
        }
        run_free(rest);
    }
    snapshot_free(n);
    run_free(whole);
    world_done(&setup);
    world_done(&after);
    return n;
}

static int64_t moment_ns(uint64_t seed)
{
    struct random r;
    random_init(&r, seed, "snapshot", 0);
    int64_t at_ns = (int64_t)random_below(&r, 2 * MOST_S) * NS_PER_S / 2;
    return seed % 2 ? at_ns - at_ns % (2 * NS_PER_S) : at_ns;    /* passes are at multiples of the period, there too */
}

/* Go by what is true at the moment. The others keep something: srtf and srsf how much was left
 * at each start, attained service (las, las2d, gittins), usage or age (multifactor, fair-tree),
 * promises (conservative), when pods may be tried again (kube, gang), when a pass has looked at
 * a job last (quota, goodput), time in the system (themis). */
static const char *const no_memory[] = { "fifo", "sjf", "ljf", "qssf", "edf", "priority", "preemptive", "easy", "static", "cohort",
                                         "drf", "fair-share", "elastic", "loss", NULL };
static const char *const memory[] = { "srtf", "srsf", "gittins", "multifactor", "fair-tree", "conservative", "kube", "gang", "quota",
                                      "themis", "goodput", NULL };    /* las, las2d: not within the thresholds of these worlds */

static bool is_one_of(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name))
        list++;
    return *list;
}

static struct compared snap_often(const struct policy *p, const struct placer *placer, uint64_t seeds, bool spoil)
{
    struct combination k = { .policy = p, .placer = placer };
    struct compared c = { 0 };
    size_t snaps = 0;
    for (const struct param *x = p->params; x && x->name; x++)
        k.params[x->at / sizeof(double)] = x->default_value;
    snprintf(k.name, sizeof k.name, "%s/%s", p->name, placer->name);
    for (uint64_t seed = 0; seed < seeds; seed++)
        snaps += snap(&k, seed, moment_ns(seed), spoil, &c);
    print_message("%s: %zu snapshots of %u, %zu jobs, %zu go on otherwise\n", k.name, snaps, (unsigned)seeds, c.jobs, c.differ);
    assert_true(2 * snaps > seeds);
    return c;
}

static void goes_on_alike(void **state)
{
    (void)state;
    size_t n = 0;
    for (size_t p = 0; builtin_policies[p]; p++)
        for (size_t q = 0; is_one_of(no_memory, builtin_policies[p]->name) && builtin_placers[q]; q++) {
            if (!strcmp(builtin_placers[q]->name, "random") || builtin_placers[q]->needs & SEES_TYPICAL)
                continue;         /* draws go on elsewhere; what jobs typically ask for is of those that are left */
            struct compared c = snap_often(builtin_policies[p], builtin_placers[q], q ? SEEDS / 6 : SEEDS, false);
            if (c.differ)
                fail_msg("%s/%s: %s", builtin_policies[p]->name, builtin_placers[q]->name, c.first);
            assert_int_equal(c.moved, 0);
            n += q == 0;
        }
    assert_int_equal(n + 1, sizeof no_memory / sizeof *no_memory);
}

static void those_with_a_memory_do_not(void **state)
{
    (void)state;
    size_t n = 0;
    for (size_t p = 0; builtin_policies[p]; p++)
        if (is_one_of(memory, builtin_policies[p]->name)) {
            assert_true(snap_often(builtin_policies[p], builtin_placers[0], SEEDS, false).differ > 0);
            n++;
        }
    assert_int_equal(n + 1, sizeof memory / sizeof *memory);
}

static void a_wrong_snapshot_is_seen(void **state)
{
    (void)state;
    struct compared c = snap_often(builtin_policies[0], builtin_placers[0], SEEDS, true);
    assert_true(c.differ >= SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_alike),
        cmocka_unit_test(those_with_a_memory_do_not),
        cmocka_unit_test(a_wrong_snapshot_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
