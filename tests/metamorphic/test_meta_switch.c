/* test_meta_switch.c - runs that are stopped and go on, and runs that switch their policy, over
 * random worlds.
 *
 * A run is written as text: decisions, intervals, and what came of each job. */
#include "policies/registry.h"
#include "sim/results/rows.h"
#include "tests/support/random_world.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIR_SEEDS = 2, SAME_SEEDS = 3, LAST_S = 200 };

/* ---- A run as text ---- */

struct story { FILE *f; const struct workload *w; char *text; size_t length; };

static void on_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision, const char *reason)
{
    struct story *t = self;
    fprintf(t->f, "%" PRId64 " %u %s %s %s\n", now_ns, j, kind, decision, reason);
}

static void on_interval(void *self, const struct interval *i)
{
    struct story *t = self;
    for (size_t k = 0; k < i->pieces->n; k++)
        fprintf(t->f, "%" PRId64 "-%" PRId64 " %u.%u on %u:%" PRIx64 " %s\n", i->start_ns, i->end_ns, i->job,
                i->pieces->piece[k].task, i->pieces->piece[k].node, i->pieces->piece[k].gpu_mask, i->why);
}

static void tell_jobs(struct story *t, const struct sched *s)
{
    for (job_id j = 0; j < t->w->n_jobs; j++) {
        struct job_result r = run_job(s, j);
        fprintf(t->f, "%u %d %d %" PRId64 " %" PRId64 " %u %u", j, r.state, r.outcome, r.start_ns, r.end_ns, r.preemptions, r.restarts);
        fprintf(t->f, " %a %a %a", (double)r.held, (double)r.lost, (double)r.overhead);
        for (unsigned i = 0; i < WAIT_REASONS; i++)
            fprintf(t->f, " %" PRId64, r.waits[i]);
        fputc('\n', t->f);
    }
}

/* What there is to do with a run besides playing it. */
struct way {
    const struct policy_switch *switches;
    size_t n_switches;
    int64_t stop_ns[4];           /* ascending; 0: no more */
    int64_t late_ns;              /* the first switch is set to this time after the last stop; 0: no */
    int64_t until_ns;             /* given up there; 0: played to the end, and the jobs are written */
};

/* The story; the caller frees it. A stall is part of it. */
static char *play(const struct world *w, const struct combination *k, uint64_t seed, const struct way *way)
{
    struct error err = { "" };
    struct run_setup setup = world_setup(w, k, seed);
    struct story t = { .w = setup.workload };
    t.f = mem_stream(&t.text, &t.length);
    setup.switches = way->switches;
    setup.n_switches = way->n_switches;
    setup.observer = (struct run_observer){ .self = &t, .decision = on_decision, .interval = on_interval };
    struct sched *s = run_new(&setup);
    int result = 0;
    for (size_t i = 0; result == 0 && i < 4 && way->stop_ns[i]; i++)
        result = run_until(s, way->stop_ns[i], &err);
    if (result == 0 && way->late_ns)
        run_switch_at(s, 0, way->late_ns);
    if (result == 0)
        result = way->until_ns ? run_until(s, way->until_ns, &err) : run_execute(s, &err);
    if (result)
        fprintf(t.f, "%s\n", err.text);
    else if (!way->until_ns)
        tell_jobs(&t, s);
    if (result && !strstr(err.text, "stalls") && !strstr(err.text, "livelock"))
        fail_msg("%s, seed %u: %s", k->name, (unsigned)seed, err.text);
    run_free(s);
    world_done(&setup);
    mem_stream_end(t.f, &t.text);
    return t.text;
}

static void same_story(const char *what, const struct combination *k, uint64_t seed, const char *want, char *got)
{
    if (strcmp(want, got)) {
        size_t i = 0, line = 0;
        for (; want[i] && want[i] == got[i]; i++)
            line = want[i] == '\n' ? i + 1 : line;
        fail_msg("%s, seed %u: %s: want '%.90s', got '%.90s'", k->name, (unsigned)seed, what, want + line, got + line);
    }
    free(got);
}

static struct combination usual(size_t policy, size_t placer)
{
    struct combination k = { .policy = builtin_policies[policy], .placer = builtin_placers[placer] };
    snprintf(k.name, sizeof k.name, "%s/%s", k.policy->name, k.placer->name);
    for (const struct param *x = k.policy->params; x && x->name; x++)
        k.params[x->at / sizeof(double)] = x->default_value;
    return k;
}

static struct world made(uint64_t seed)
{
    struct world w = random_world(seed);
    random_groups(&w, seed);
    if (seed % 2)
        w.furnish = gpus_fail_often;
    if (seed % 3 == 2)
        w.period_ns = 3 * NS_PER_S;
    return w;
}

static int64_t moment_ns(uint64_t seed)    /* every other one in the middle of a second, where nothing may happen */
{
    struct random r;
    random_init(&r, seed, "moment", 0);
    return (int64_t)(1 + random_below(&r, LAST_S)) * NS_PER_S / 2;
}

/* ---- Stopped and gone on; and switched to what it has ---- */

static void stops_do_not_matter(const struct combination *k, uint64_t seed)
{
    struct world w = made(seed);
    int64_t at = moment_ns(seed);
    const struct way plain = { .n_switches = 0 }, stopped = { .stop_ns = { at / 3, at, at, 2 * at } };
    const struct policy_switch same = { .time_ns = at, .policy = k->policy, .params = k->params, .period_ns = w.period_ns };
    const struct way switched = { .switches = &same, .n_switches = 1 };
    char *want = play(&w, k, seed, &plain);
    same_story("stopped", k, seed, want, play(&w, k, seed, &stopped));
    same_story("switched to itself", k, seed, want, play(&w, k, seed, &switched));
    free(want);
}

static void a_stop_changes_nothing(void **state)
{
    (void)state;
    each_combination(SAME_SEEDS, stops_do_not_matter);
}

/* ---- One policy after the other ---- */

static struct { size_t pairs, cannot, differ, nothing; } seen;

static void one_after_the_other(const struct combination *a, const struct combination *b, uint64_t seed)
{
    struct world w = made(seed);
    struct error err = { "" };
    int64_t at = moment_ns(seed + 100);
    const struct policy_switch to = { .time_ns = at, .policy = b->policy, .params = b->params, .period_ns = w.period_ns };
    const struct policy_switch room = { .time_ns = TIME_NEVER, .policy = b->policy, .params = b->params, .period_ns = w.period_ns };
    const struct way plain = { .n_switches = 0 }, before = { .until_ns = at }, switched = { .switches = &to, .n_switches = 1 },
                     switched_before = { .switches = &to, .n_switches = 1, .until_ns = at },
                     roomy = { .switches = &room, .n_switches = 1 },
                     late = { .switches = &room, .n_switches = 1, .stop_ns = { at }, .late_ns = at };
    struct run_setup both = { .policy = a->policy, .policy_params = a->params, .switches = &to, .n_switches = 1 };
    if (run_check_policies(&both, &err)) {
        seen.cannot++;
        return;
    }
    seen.pairs++;
    char *alone = play(&w, a, seed, &plain), *past = play(&w, a, seed, &before), *want = play(&w, a, seed, &switched);
    same_story("before the switch", a, seed, past, play(&w, a, seed, &switched_before));
    same_story("switched after a stop", a, seed, want, play(&w, a, seed, &late));
    same_story("room for the second", a, seed, alone, play(&w, a, seed, &roomy));
    seen.differ += strcmp(alone, want) != 0;
    seen.nothing += strstr(want, " policy ") == NULL;
    free(alone);
    free(past);
    free(want);
}

static void every_pair(void **state)
{
    (void)state;
    size_t n = 0;
    while (builtin_policies[n])
        n++;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (uint64_t seed = 0; i != k && seed < PAIR_SEEDS; seed++) {
                struct combination a = usual(i, 0), b = usual(k, 0);
                one_after_the_other(&a, &b, seed + PAIR_SEEDS * (i + k));
            }
    print_message("%zu pairs, of which %zu come out otherwise than without the switch; %zu cannot be in one run\n", seen.pairs,
                  seen.differ, seen.cannot);
    assert_true(seen.pairs > 10 * seen.cannot / 4);
    assert_true(seen.differ > seen.pairs / 3);       /* the switch does something */
    assert_true(seen.nothing < seen.pairs / 10);
}

/* ---- Several futures of one past, each in a process of its own ---- */

static void forked(void **state)
{
    (void)state;
    enum { BRANCHES = 3 };
    static const char *const names[BRANCHES] = { "sjf", "fifo", "las" };
    struct combination first = usual(0, 0), branch[BRANCHES];
    struct world w = made(4);
    const int64_t at = 40 * NS_PER_S;
    struct policy_switch room[BRANCHES];
    for (size_t b = 0; b < BRANCHES; b++) {
        for (size_t i = 0; builtin_policies[i]; i++)
            if (!strcmp(builtin_policies[i]->name, names[b]))
                branch[b] = usual(i, 0);
        room[b] = (struct policy_switch){ TIME_NEVER, branch[b].policy, branch[b].params, 0 };
    }
    struct error err = { "" };
    struct run_setup setup = world_setup(&w, &first, 4);
    struct story t = { .w = setup.workload };
    t.f = mem_stream(&t.text, &t.length);
    setup.switches = room;
    setup.n_switches = BRANCHES;
    setup.observer = (struct run_observer){ .self = &t, .decision = on_decision, .interval = on_interval };
    struct sched *s = run_new(&setup);
    assert_int_equal(run_until(s, at, &err), 0);
    for (size_t b = 0; b < BRANCHES; b++) {
        const struct policy_switch to = { at, branch[b].policy, branch[b].params, 0 };
        const struct way whole = { .switches = &to, .n_switches = 1 };
        char *want = play(&w, &first, 4, &whole);
        fflush(t.f);
        pid_t child = fork();
        if (child == 0) {                            /* cmocka must not go on here: only the status tells */
            run_switch_at(s, b, at);
            if (run_execute(s, &err))
                _exit(2);
            tell_jobs(&t, s);
            mem_stream_end(t.f, &t.text);
            _exit(strcmp(want, t.text) != 0);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        free(want);
    }
    run_free(s);
    world_done(&setup);
    mem_stream_end(t.f, &t.text);
    free(t.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_changes_nothing),
        cmocka_unit_test(every_pair),
        cmocka_unit_test(forked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
