/* test_usage.c - time-based fair shares of quota (half_life_h, k), against a second implementation.
 *
 * Two queues without deserved quota have jobs of the whole cluster. The second implementation goes through the time in steps of a tenth of
 * a second, in which all jobs come and end, with a pass every second, and sums past use step by step: exact, as nothing changes inside of a
 * step. Rules: docs/schedulers.md b.3 to b.5, b.7. */
#include "sim/base/random.h"
#include "tests/support/built.h"
#include "tests/support/named.h"

#include <math.h>
#include <stdio.h>

enum { ROUNDS = 50, EACH = 5, ALL = 2 * EACH, STEPS_A_SECOND = 10, RUNS_MOST = 4000 };
struct piece_of_time { job_id job; int64_t start_ns, end_ns; };
struct story { size_t n; struct piece_of_time run[RUNS_MOST]; };
struct situation {
    uint32_t gpus;
    double half_life_h, k;
    int64_t submit[ALL], lasts[ALL];          /* in steps; job j is of queue j % 2 */
};

static int64_t step_ns(int64_t step) { return step * (NS_PER_S / STEPS_A_SECOND); }

static struct situation draw(uint64_t seed)
{
    static const double half_lives_h[] = { .02, .1, 1 }, k[] = { .5, 1, 3 };
    struct situation x = { 0 };
    struct random r;
    random_init(&r, seed, "past use", 0);
    x.gpus = 4 + (uint32_t)random_below(&r, 13);    /* of fewer every difference gives all to one queue */
    x.half_life_h = half_lives_h[random_below(&r, 3)];
    x.k = k[random_below(&r, 3)];
    int64_t longest = random_below(&r, 2) ? 1000 : 20000, at = 0;
    for (int j = 0; j < ALL; j++) {
        x.submit[j] = at += random_below(&r, 3) ? 0 : (int64_t)random_below(&r, 2000);
        x.lasts[j] = 1 + (int64_t)random_below(&r, (uint64_t)longest);
    }
    return x;
}

/* ---- The second implementation ---- */

struct state { double used[2], had; int64_t left[ALL]; bool came[ALL]; int runs; int64_t since; };

/* The oldest of the queue that is there, has not ended and does not run. -1: none */
static int waiting(const struct state *st, int queue)
{
    for (int j = queue; j < ALL; j += 2)
        if (st->came[j] && st->left[j] > 0 && j != st->runs)
            return j;
    return -1;
}

/* b.3 with n = 1/2, deserved 0, and requests that are 0 or at least all. */
static void fair_shares(const struct situation *x, const struct state *st, double *fair)
{
    bool asks[2];
    double s[2], part[2], left = x->gpus;
    for (int q = 0; q < 2; q++) {
        asks[q] = waiting(st, q) >= 0 || (st->runs >= 0 && st->runs % 2 == q);
        s[q] = fmax(0, .5 + x->k * (.5 - (st->had > 0 ? st->used[q] / st->had : 0)));
    }
    for (int q = 0; q < 2; q++) {
        part[q] = !asks[q] ? 0 : !asks[1 - q] ? x->gpus : s[0] + s[1] > 0 ? x->gpus * s[q] / (s[0] + s[1]) : 0;
        fair[q] = floor(part[q]);
        left -= fair[q];
    }
    int more = part[1] - fair[1] > part[0] - fair[0];
    if (left > 0 && part[more] > fair[more])
        fair[more] += 1;
}

static void end_run(struct story *to, struct state *st, int64_t step)
{
    assert_true(to->n < RUNS_MOST);
    to->run[to->n++] = (struct piece_of_time){ (job_id)st->runs, step_ns(st->since), step_ns(step) };
    st->runs = -1;
}

/* One starts, or one leaves for the first of the other queue: that is `next`, at the next pass. */
static void pass(const struct situation *x, struct state *st, int *next, int64_t step, struct story *to)
{
    double fair[2];
    int first[2] = { waiting(st, 0), waiting(st, 1) };
    fair_shares(x, st, fair);
    if (st->runs < 0) {
        int q = first[0] < 0 || (first[1] >= 0 && fair[1] > fair[0]);
        st->runs = *next >= 0 ? *next : first[q];
        st->since = step;
        *next = -1;
    } else {
        int q = 1 - st->runs % 2;
        if (first[q] < 0 || fair[q] < x->gpus || fair[1 - q] >= x->gpus)
            return;
        *next = first[q];
        end_run(to, st, step);
    }
}

static void second(const struct situation *x, struct story *to)
{
    struct state st = { .runs = -1 };
    double h = x->half_life_h * 3600 * STEPS_A_SECOND, kept = exp2(-1 / h), added = (1 - kept) * x->gpus * h / log(2);
    int next = -1, left = ALL;
    memcpy(st.left, x->lasts, sizeof st.left);
    for (int64_t step = 0; left > 0; step++) {
        for (int j = 0; j < ALL; j++)
            st.came[j] = x->submit[j] <= step;
        if (st.runs >= 0 && st.left[st.runs] == 0) {
            end_run(to, &st, step);
            left--;
        }
        if (step % STEPS_A_SECOND == 0)
            pass(x, &st, &next, step, to);
        for (int q = 0; q < 2; q++)
            st.used[q] = st.used[q] * kept + (st.runs >= 0 && st.runs % 2 == q ? added : 0);
        st.had = step >= x->submit[0] ? st.had * kept + added : 0;    /* a run begins with its first job */
        if (st.runs >= 0)
            st.left[st.runs]--;
    }
}

/* ---- The policy ---- */

static void note_interval(void *self, const struct interval *i)
{
    struct story *to = self;
    assert_true(to->n < RUNS_MOST);
    to->run[to->n++] = (struct piece_of_time){ i->job, i->start_ns, i->end_ns };
}

static void play(const struct situation *x, const char *policy, struct story *to)
{
    static const char *const name[] = { "a", "b" };
    struct group_spec group = { .name = "n", .gpu_model = "A100", .count = 1, .gpus = x->gpus, .cpu_milli = INT64_MAX,
                                .mem_mib = INT64_MAX };
    struct queue_spec queue[2] = { { .facts = { .name = "a", .parent = ID_NONE, .weight = 1,
                                                .quota.limit = { UNLIMITED, UNLIMITED, UNLIMITED } } } };
    struct job_row row[ALL];
    struct error err = { "" };
    queue[0].facts.quota.deserved = (struct amount){ 0, UNLIMITED, UNLIMITED };
    queue[1] = queue[0];
    queue[1].facts.name = "b";
    for (int j = 0; j < ALL; j++) {
        row[j] = job_row_default;
        row[j].submit_ns = step_ns(x->submit[j]);
        row[j].duration_ns = step_ns(x->lasts[j]);
        row[j].gpus = x->gpus;
        row[j].tasks = 1;
        row[j].queue = name[j % 2];
        row[j].queue_length = 1;
    }
    struct cluster *c = built_cluster(&group, queue, 2, (struct overhead){ .checkpoint = CHECKPOINT_PERFECT });
    struct workload *w = built_workload(c, row, ALL);
    struct named_policy named = policy_named(policy);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = named.policy, .policy_params = named.params,
        .placer = placer_named("pack"), .check = true, .observer = { .self = to, .interval = note_interval } });
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

static bool same_story(const struct story *a, const struct story *b)
{
    return a->n == b->n && !memcmp(a->run, b->run, a->n * sizeof *a->run);
}

static void decides_as_the_second(void **state)
{
    (void)state;
    const char *rounds = getenv("GPUYARD_ROUNDS");
    unsigned n = rounds ? (unsigned)atoi(rounds) : ROUNDS, without = 0, stops = 0;
    for (uint64_t seed = 0; seed < n; seed++) {
        static struct story want, got, off;
        struct situation x = draw(seed);
        char policy[96];
        want.n = got.n = off.n = 0;
        snprintf(policy, sizeof policy, "quota:half_life_h=%.17g,k=%.17g", x.half_life_h, x.k);
        second(&x, &want);
        play(&x, policy, &got);
        play(&x, "quota", &off);
        for (size_t i = 0; !same_story(&want, &got) && i < want.n; i++)
            if (i >= got.n || memcmp(&want.run[i], &got.run[i], sizeof *want.run))
                fail_msg("seed %u, run %zu: want job %u from %.1f to %.1f s, got job %u from %.1f to %.1f s", (unsigned)seed, i,
                         want.run[i].job, (double)want.run[i].start_ns / NS_PER_S, (double)want.run[i].end_ns / NS_PER_S, got.run[i].job,
                         (double)got.run[i].start_ns / NS_PER_S, (double)got.run[i].end_ns / NS_PER_S);
        assert_true(same_story(&want, &got));
        without += !same_story(&want, &off);
        stops += (unsigned)(want.n - ALL);
    }
    assert_true(without > n / 2 && stops > n);    /* controls: past use matters, and stops jobs */
}

/* 20,000 s, half-life 1 h: b0 takes over as soon as it is there, as a has used all that there was; then whichever has used 31 parts
 * of 32 gives way. */
static void whole_clusters_alternate(void **state)
{
    (void)state;
    static struct story got;
    struct situation x = { .gpus = 16 };
    for (int j = 0; j < ALL; j++) {
        x.submit[j] = j;            /* jobs are numbered as they come */
        x.lasts[j] = 6000;
    }
    got.n = 0;
    play(&x, "quota:half_life_h=1", &got);
    unsigned ended[2] = { 0, 0 };
    size_t i = 0;
    for (; i < got.n && ended[0] < EACH && ended[1] < EACH; i++) {
        job_id j = got.run[i].job;
        assert_true(i == 0 || j % 2 != got.run[i - 1].job % 2);
        ended[j % 2] += i + 2 >= got.n || got.run[i + 2].job != j;
    }
    assert_true(i > 2 * EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(decides_as_the_second), cmocka_unit_test(whole_clusters_alternate) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
