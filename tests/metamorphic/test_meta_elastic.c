/* test_meta_elastic.c - what holds for any jobs of several sizes: work is conserved, GPUs do not
 * idle, one size is no size, and goodput is what its integral says. */
#include "tests/support/random_world.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"

#include <math.h>

enum { SEEDS = 60 };

/* One node of GPUs; jobs of 1 to 4 tasks, or of a total, most of them with other sizes too. */
static struct world elastic_world(uint64_t seed, size_t n_jobs)
{
    struct world w = { .n_groups = 1, .n_jobs = n_jobs };
    struct random r;
    random_init(&r, seed, "elastic", 0);
    w.group[0] = (struct group_spec){ .name = "node", .gpu_model = "A100", .count = 1, .gpus = 12, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    w.overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT, .restart_ns = (int64_t)random_below(&r, 3) * NS_PER_S };
    for (size_t j = 0; j < w.n_jobs; j++) {
        struct job_row *x = &w.job[j];
        *x = job_row_default;
        x->submit_ns = (j ? w.job[j - 1].submit_ns : 0) + (int64_t)random_below(&r, 8 * NS_PER_S);
        x->duration_ns = 1 + (int64_t)random_below(&r, 40 * NS_PER_S);
        x->gpus = 1 + (uint32_t)random_below(&r, 4);
        uint32_t kind = (uint32_t)random_below(&r, 5), least = 1 + (uint32_t)random_below(&r, x->gpus), most = x->gpus + (uint32_t)random_below(&r, 8);
        if (kind < 2)
            x->tasks = x->gpus, x->min_tasks = least, x->max_tasks = most;
        else if (kind < 4)
            x->min_gpus = least, x->max_gpus = most;
    }
    return w;
}

static struct combination with(const char *policy)
{
    struct named_policy named = policy_named(policy);
    struct combination k = { .policy = named.policy, .placer = placer_named("pack") };
    memcpy(k.params, named.params, sizeof k.params);
    snprintf(k.name, sizeof k.name, "%s", policy);
    return k;
}

/* ---- Work: whatever sizes a job has had, and whenever, it has done its duration ---- */

struct restless { struct line *waiting, *running; struct random r; unsigned left; };

static void restless_begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct restless *p = state;
    *p = (struct restless){ .waiting = line_new(s), .running = line_new(s), .left = 400 };
    random_init(&p->r, sched_random(s), "restless", 0);
}

static void restless_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)s;
    (void)params;
    line_push(((struct restless *)state)->waiting, j, (struct line_key){ .time_ns = j });
}

static void restless_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)s;
    (void)params;
    line_remove(((struct restless *)state)->waiting, j);
    line_push(((struct restless *)state)->running, j, (struct line_key){ .time_ns = j });
}

static void restless_stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)
{
    (void)s;
    (void)params;
    (void)why;
    line_remove(((struct restless *)state)->running, j);
}

static void restless_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct restless *p = state;
    struct line_walk w = { .l = p->waiting };
    for (job_id j; line_next(&w, &j);) {
        struct job_sizes z = job_sizes(s, j);
        const struct placement *where = sched_place_anew(s, j, z.min + (uint32_t)random_below(&p->r, z.max - z.min + 1));
        if (!where)
            where = sched_place_anew(s, j, z.min);
        if (where)
            assert_int_equal(sched_start(s, j, where), SCHED_OK);
    }
    w = (struct line_walk){ .l = p->running };
    for (job_id j; p->left && line_next(&w, &j);) {
        struct job_sizes z = job_sizes(s, j);
        const struct placement *where = sched_place_anew(s, j, z.min + (uint32_t)random_below(&p->r, z.max - z.min + 1));
        if (where && random_below(&p->r, 3) == 0)
            assert_int_equal(sched_resize(s, j, where), SCHED_OK);
    }
    if (p->left && p->left--)
        sched_wake_at(s, sched_now(s) + 1 + (int64_t)random_below(&p->r, 5 * NS_PER_S));
}

static const struct policy restless = {
    .abi = POLICY_ABI, .name = "restless", .needs = RESIZES, .state_size = sizeof(struct restless), .begin = restless_begin,
    .schedule = restless_schedule, .job_arrived = restless_arrived, .job_started = restless_started, .job_stopped = restless_stopped,
};

struct work {
    const struct world *w;
    double done_s[JOBS_MOST];     /* in the world's order */
    int64_t restart_ns;           /* what each but the first interval begins with, at most */
    bool begun[JOBS_MOST];
};

static uint32_t gpus_of_pieces(const struct placement *p)
{
    uint32_t gpus = 0;
    for (size_t i = 0; i < p->n; i++)
        gpus += p->piece[i].gpus;
    return gpus;
}

/* Jobs arrive in the world's order, so they are numbered so. */
static void count_work(void *self, const struct interval *i)
{
    struct work *t = self;
    int64_t makes_ns = i->end_ns - i->start_ns - (t->begun[i->job] ? t->restart_ns : 0);
    t->begun[i->job] = true;
    if (makes_ns > 0)
        t->done_s[i->job] += (double)makes_ns / 1e9 * gpus_of_pieces(i->pieces) / t->w->job[i->job].gpus;
}

/* Control: with a restart that takes half as long the sums are others. */
static void work_is_conserved(void **state)
{
    (void)state;
    size_t intervals = 0, off = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = elastic_world(seed, 40);
        struct combination k = { .policy = &restless, .placer = placer_named("pack"), .name = "restless" };
        struct work t = { .w = &w, .restart_ns = w.overhead.restart_ns }, half = { .w = &w, .restart_ns = w.overhead.restart_ns / 2 };
        struct outcome out = world_run(&w, &k, seed, (struct run_observer){ .self = &t, .interval = count_work });
        intervals += out.totals.resizes;
        world_run(&w, &k, seed, (struct run_observer){ .self = &half, .interval = count_work });
        for (size_t j = 0; j < w.n_jobs; j++) {
            double want_s = (double)w.job[j].duration_ns / 1e9;
            /* An end is rounded up to a whole nanosecond, at up to twelve times the usual rate */
            if (!(fabs(t.done_s[j] - want_s) <= 1e-9 * want_s + 12e-9))
                fail_msg("seed %u, job %zu: want %.12g s of work, got %.12g", (unsigned)seed, j, want_s, t.done_s[j]);
            off += fabs(half.done_s[j] - want_s) > 1e-6;
        }
    }
    assert_true(intervals > 5000 && off > 500);
}

/* ---- GPUs do not idle while a running job could use them ---- */

struct idle { const struct world *w; size_t instants, found; };

static void look_for_idle(void *self, const struct sched *s)
{
    struct idle *t = self;
    uint32_t held = 0;
    bool could = false;
    t->instants++;
    for (job_id j = 0; j < t->w->n_jobs; j++) {
        if (job_state(s, j) != JOB_RUNNING)
            continue;
        held += job_size_held(s, j);
        could = could || job_size_held(s, j) < job_sizes(s, j).max;
    }
    t->found += could && held < t->w->group[0].gpus;
}

static size_t idle_found(const char *policy, size_t *instants)
{
    size_t found = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = elastic_world(seed, 60);
        struct combination k = with(policy);
        struct idle t = { .w = &w };
        world_run(&w, &k, seed, (struct run_observer){ .self = &t, .instant = look_for_idle });
        found += t.found;
        *instants += t.instants;
    }
    return found;
}

/* Control: with a pause between two growths they do. */
static void nothing_idles(void **state)
{
    (void)state;
    size_t instants = 0;
    assert_int_equal(idle_found("elastic:every_s=0", &instants), 0);
    assert_int_equal(idle_found("elastic:every_s=0,blocking=skip", &instants), 0);
    assert_true(instants > 5000);
    assert_true(idle_found("elastic:every_s=30", &instants) > 500);
}

/* ---- One size is no size ---- */

static struct world one_size(struct world w, bool said)
{
    for (size_t j = 0; j < w.n_jobs; j++) {
        struct job_row *x = &w.job[j];
        x->min_tasks = said ? x->tasks : 0;
        x->max_tasks = said ? x->tasks : 0;
        bool total = said && !x->tasks && x->gpu_milli == MILLI_ALL;
        x->min_gpus = x->max_gpus = total ? x->gpus : 0;
        x->preemptible = true;
    }
    return w;
}

static void same_outcome(const char *what, uint64_t seed, const struct world *w, const struct outcome *a, const struct outcome *b)
{
    for (size_t j = 0; j < w->n_jobs; j++)
        assert_same_jobs(&a->job[j], &b->job[j], "%s, seed %u: job %zu", what, (unsigned)seed, j);
}

static void one_size_is_rigid(void **state)
{
    (void)state;
    for (size_t p = 0; builtin_policies[p]; p++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            struct world said = one_size(random_world(seed), true), not_said = one_size(random_world(seed), false);
            struct combination k = with(builtin_policies[p]->name);
            struct outcome a = world_run(&said, &k, seed, (struct run_observer){ 0 }), b = world_run(&not_said, &k, seed, (struct run_observer){ 0 });
            if (!a.stalled)
                same_outcome(k.name, seed, &said, &a, &b);
        }
}

/* With rigid jobs both are `fifo`. Control: with the sizes of random_world() they are not. */
static void rigid_is_fifo(void **state)
{
    (void)state;
    static const char *const pairs[][2] = { { "fifo", "elastic" }, { "fifo", "goodput" }, { "fifo:blocking=skip", "elastic:blocking=skip" },
                                            { "fifo:blocking=skip", "goodput:blocking=skip" } };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        size_t others = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct world w = one_size(random_world(seed), false), sized = random_world(seed);
            struct combination fifo = with(pairs[i][0]), other = with(pairs[i][1]);
            struct outcome a = world_run(&w, &fifo, seed, (struct run_observer){ 0 }), b = world_run(&w, &other, seed, (struct run_observer){ 0 });
            same_outcome(pairs[i][1], seed, &w, &a, &b);
            a = world_run(&sized, &fifo, seed, (struct run_observer){ 0 }), b = world_run(&sized, &other, seed, (struct run_observer){ 0 });
            for (size_t j = 0; j < sized.n_jobs; j++)
                others += !same_job(&a.job[j], &b.job[j]);
        }
        assert_true(others > 100);
    }
}

/* A job alone, scaling linearly and resized at no cost, ends no later than at its usual size; if
 * it could have more, and more is there, earlier. */
static void alone_is_no_worse(void **state)
{
    (void)state;
    size_t earlier = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct world w = elastic_world(seed, 1);
        w.overhead.restart_ns = 0;
        struct combination fifo = with("fifo"), elastic = with("elastic"), goodput = with("goodput");
        struct outcome a = world_run(&w, &fifo, seed, (struct run_observer){ 0 }), b = world_run(&w, &elastic, seed, (struct run_observer){ 0 }),
                       c = world_run(&w, &goodput, seed, (struct run_observer){ 0 });
        bool more = w.job[0].max_tasks > w.job[0].gpus || w.job[0].max_gpus > w.job[0].gpus;
        assert_true(b.job[0].end_ns <= a.job[0].end_ns && c.job[0].end_ns <= a.job[0].end_ns);
        assert_int_equal(b.job[0].end_ns < a.job[0].end_ns, more && w.job[0].duration_ns > 1);
        earlier += more;
    }
    assert_true(earlier > 100);
}

/* ---- Goodput: the time a job takes is the integral over its work of 1 / speedup ---- */

static struct elastic section;

static void with_goodput(struct cluster *c, uint64_t seed)
{
    (void)seed;
    c->elastic = section;
}

/* Starts everybody at job_sizes().max. */
static void most_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    for (job_id j = 0; j < 1; j++)
        if (job_state(s, j) == JOB_PENDING)
            sched_start(s, j, sched_place_anew(s, j, job_sizes(s, j).max));
}
static const struct policy takes_most = { .abi = POLICY_ABI, .name = "most", .needs = RESIZES, .schedule = most_schedule };

static const struct learning { const char *name, *model; uint32_t usual, takes, nodes; } learnings[] = {
    { "bert, 4 to 8 on one node", "bert", 4, 8, 1 },
    { "imagenet, 8 to 16 on two nodes", "imagenet", 8, 16, 2 },
    { "cifar10, 1 to 4", "cifar10", 1, 4, 1 },
    { "deepspeech2, 2 to 16 on two nodes", "deepspeech2", 2, 16, 2 },
    { "its usual size: what the trace says", "bert", 8, 9, 1 },
};

static double played_s(const struct learning *row, uint32_t steps, double duration_s)
{
    struct world w = { .n_groups = 1, .n_jobs = 1, .furnish = with_goodput };
    w.group[0] = (struct group_spec){ .name = "dgx", .gpu_model = "A100", .count = 2, .gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    w.job[0] = job_row_default;
    w.job[0].duration_ns = ns_of_seconds(duration_s);
    w.job[0].gpus = row->usual;
    w.job[0].min_gpus = 1;
    w.job[0].max_gpus = row->takes;
    w.job[0].model = row->model;
    w.job[0].model_length = strlen(row->model);
    section = (struct elastic){ .given = true, .restart_ns = -1, .noise_steps = steps };
    struct combination k = { .policy = row->takes > 8 && row->nodes == 1 ? policy_named("fifo").policy : &takes_most,
                             .placer = placer_named("pack"), .name = "most" };
    return (double)world_run(&w, &k, 1, (struct run_observer){ 0 }).job[0].end_ns / 1e9;
}

/* By the midpoint rule on n parts. */
static double integral_s(const struct learning *row, uint32_t n, double duration_s)
{
    const struct goodput_model *m = goodput_model(row->model);
    const struct goodput_fit *f = goodput_fit(row->model, "A100");
    struct replicas here = { row->takes > 8 && row->nodes == 1 ? row->usual : row->takes, row->nodes }, usual = { row->usual, 1 };
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        double noise = goodput_noise(m, (i + .5) / n);
        sum += goodput_best(m, f, noise, usual).goodput / goodput_best(m, f, noise, here).goodput;
    }
    return duration_s * sum / n;
}

/* As exact as steps can be: to 1e-9 of the sum over the steps; and the usual 20 of them to 1e-3
 * of the integral. Control: one is not. */
static void goodput_is_integrated(void **state)
{
    (void)state;
    double worst_of_one = 0;
    for (size_t i = 0; i < COUNT(learnings); i++) {
        const struct learning *row = &learnings[i];
        double duration_s = 12345.678901234, exact_s = integral_s(row, 5000, duration_s);
        for (uint32_t steps = 1; steps <= 64; steps *= 4) {
            double got_s = played_s(row, steps, duration_s), want_s = integral_s(row, steps, duration_s);
            if (!(fabs(got_s - want_s) <= 1e-9 * want_s))
                fail_msg("%s, %u steps: want %.12g s, got %.12g s", row->name, steps, want_s, got_s);
        }
        double usual_s = played_s(row, 20, duration_s);
        if (!(fabs(usual_s - exact_s) <= 1e-3 * exact_s))
            fail_msg("%s: want %.9g s, got %.9g s", row->name, exact_s, usual_s);
        worst_of_one = fmax(worst_of_one, fabs(played_s(row, 1, duration_s) / exact_s - 1));
    }
    assert_true(worst_of_one > 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_conserved), cmocka_unit_test(nothing_idles), cmocka_unit_test(one_size_is_rigid),
        cmocka_unit_test(rigid_is_fifo),     cmocka_unit_test(alone_is_no_worse), cmocka_unit_test(goodput_is_integrated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
