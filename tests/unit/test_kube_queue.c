/* test_kube_queue.c - the queue of kube against a plain array of pods that is searched from end to end: pods enter, fail alone and
 * alike, rest and wake, start, lose their kind, and passes end early. The order in which pods are tried, the order in which they
 * rest, when the first of them is ready again and the reason of each job are the same. */
#include "policies/kubernetes/queue.h"
#include "sim/base/random.h"
#include "sim/engine/state.h"
#include "sim/scheduler/stage.h"
#include "tests/unit/test_core.h"

#include <string.h>

enum { JOBS = 300, PASSES = 4000, KINDS = 4, SECOND = 1000000000, BACKOFFS = 4 };
static const int64_t backoff_ns[BACKOFFS] = { SECOND, 2 * (int64_t)SECOND, 4 * (int64_t)SECOND, 5 * (int64_t)SECOND };

struct plain {
    enum { OUT, READY, PARKED, RESTS } state;
    int64_t since_ns;
    uint64_t order;
    uint32_t kind, attempts;
    enum wait_reason why;
};
struct bench {
    struct sched s;
    struct workload workload;
    struct view idle;
    struct job_facts facts[JOBS];
    struct job_run job[JOBS];
    struct live live[JOBS];
    struct kube_queue q;
    struct plain pod[JOBS];
    uint64_t failures;
    uint8_t fails_for[1 + KINDS];
    struct random random;
    job_id rested[JOBS];
    size_t n_rested;
    size_t tried, alike, crowd_rested, early;
};

static struct bench *bench;       /* for callbacks without a place of their own */

static int64_t until_ns(const struct plain *p)
{
    return p->since_ns + backoff_ns[(p->attempts < BACKOFFS ? p->attempts : BACKOFFS) - 1];
}

static bool before(const struct bench *b, job_id i, job_id k)
{
    const struct plain *x = &b->pod[i], *y = &b->pod[k];
    int32_t px = b->facts[i].priority, py = b->facts[k].priority;
    if (px != py)
        return px > py;
    if (x->since_ns != y->since_ns)
        return x->since_ns < y->since_ns;
    return x->order != y->order ? x->order < y->order : i < k;
}

static job_id first_ready(const struct bench *b)
{
    job_id first = ID_NONE;
    for (job_id j = 0; j < JOBS; j++)
        if (b->pod[j].state == READY && (first == ID_NONE || before(b, j, first)))
            first = j;
    return first;
}

static void plain_fails(struct bench *b, job_id j, uint32_t kind)
{
    struct plain *p = &b->pod[j];
    p->attempts++;
    p->state = PARKED;
    p->kind = p->attempts >= BACKOFFS ? kind : 0;
    p->since_ns = b->s.now_ns;
    p->order = (b->q.pass << 32) + b->failures++;
}

/* The next that has to be tried: those that fail alike before it are parked. ID_NONE: none. */
static job_id plain_next(struct bench *b)
{
    for (job_id j; (j = first_ready(b)) != ID_NONE; b->alike++) {
        uint8_t why = b->fails_for[b->pod[j].kind];
        if (!why)
            return j;
        b->pod[j].why = (enum wait_reason)(why - 1);
        plain_fails(b, j, b->pod[j].kind);
    }
    return ID_NONE;
}

static void rests(struct sched *s, const struct waiting_pod *pod)
{
    sched_blocked(s, pod->job, WAIT_PASS);
    bench->rested[bench->n_rested++] = pod->job;
}

static void wake_parked(struct bench *b)
{
    int64_t last_ns = 0;
    size_t n = 0;
    b->n_rested = 0;
    b->crowd_rested += b->q.crowd.state == CROWD_PARKED && b->q.crowd.pods.n > 8;
    int64_t got_ns = queue_wake_parked(&b->s, &b->q, rests);
    for (;;) {
        job_id next = ID_NONE;    /* in the order of failing */
        for (job_id j = 0; j < JOBS; j++)
            if (b->pod[j].state == PARKED && (next == ID_NONE || b->pod[j].order < b->pod[next].order))
                next = j;
        if (next == ID_NONE)
            break;
        struct plain *p = &b->pod[next];
        p->state = until_ns(p) <= b->s.now_ns ? READY : RESTS;
        if (p->state == READY)
            continue;
        assert_true(n < b->n_rested);
        assert_int_equal(b->rested[n++], next);
        p->why = WAIT_PASS;
        last_ns = until_ns(p) > last_ns ? until_ns(p) : last_ns;
    }
    assert_int_equal(n, b->n_rested);
    assert_int_equal(got_ns, last_ns);
}

static void wake_rested(struct bench *b)
{
    queue_wake_rested(&b->s, &b->q);
    for (job_id j = 0; j < JOBS; j++)
        if (b->pod[j].state == RESTS && until_ns(&b->pod[j]) <= b->s.now_ns)
            b->pod[j].state = READY;
}

static void check(struct bench *b)
{
    int64_t first_ns = INT64_MAX, got_ns;
    for (job_id j = 0; j < JOBS; j++) {
        if (b->pod[j].state == RESTS && until_ns(&b->pod[j]) < first_ns)
            first_ns = until_ns(&b->pod[j]);
        if (b->pod[j].state != OUT)
            assert_int_equal(b->live[j].own_why, b->pod[j].why);
    }
    bool rest = queue_rests(&b->q, &got_ns);
    assert_int_equal(rest, first_ns < INT64_MAX);
    assert_true(!rest || got_ns == first_ns);
}

static void enter(struct bench *b, unsigned of_100)
{
    for (job_id j = 0; j < JOBS; j++) {
        if (b->pod[j].state != OUT || random_below(&b->random, 100) >= of_100)
            continue;
        b->pod[j] = (struct plain){ .state = READY, .since_ns = b->s.now_ns,
                                    .order = (b->q.pass << 32) + ALL_PODS, .why = b->live[j].own_why };
        queue_enter(&b->s, &b->q, j, ALL_PODS, 0);
    }
}

/* Starts, or fails: of a kind, if it has one, for a reason that holds for all of that kind for now. */
static void tried(struct bench *b, struct waiting_pod *pod, unsigned starts_of_100)
{
    job_id j = pod->job;
    b->tried++;
    if (random_below(&b->random, 100) < starts_of_100) {
        b->pod[j].state = OUT;
        memset(b->fails_for, 0, sizeof b->fails_for);
        return;
    }
    enum wait_reason why = random_below(&b->random, 4) ? WAIT_GPUS : WAIT_FRAGMENTED;
    pod->kind = j % (1 + KINDS);
    pod->why = (uint8_t)(1 + why);
    if (pod->kind)
        b->fails_for[pod->kind] = pod->why;
    b->pod[j].why = why;
    plain_fails(b, j, pod->kind);
    queue_failed(&b->s, &b->q, pod);
    sched_blocked(&b->s, j, why);
}

static bool is_gone(struct sched *s, const struct waiting_pod *pod)
{
    (void)s;
    return pod->job % 7 == bench->q.pass % 7;
}

static void pass(struct bench *b)
{
    unsigned starts = random_below(&b->random, 3) ? 2 : 20, stops = random_below(&b->random, 8) ? 0 : 5;
    struct waiting_pod pod;
    queue_pass(&b->q);
    b->failures = 0;
    memset(b->fails_for, 0, sizeof b->fails_for);
    if (random_below(&b->random, 16) == 0) {
        queue_disown(&b->s, &b->q, is_gone);
        for (job_id j = 0; j < JOBS; j++)
            if (j % 7 == b->q.pass % 7)
                b->pod[j].kind = 0;
    }
    if (random_below(&b->random, 3))
        wake_parked(b);
    wake_rested(b);
    while (random_below(&b->random, 100) >= stops && queue_next(&b->s, &b->q, b->fails_for, &pod)) {
        assert_int_equal(pod.job, plain_next(b));
        assert_int_equal(pod.kind, b->pod[pod.job].kind);
        tried(b, &pod, starts);
    }
    b->early += queue_has_next(&b->q);
    if (!queue_has_next(&b->q))
        assert_int_equal(plain_next(b), ID_NONE);
    queue_tried(&b->s, &b->q);
    check(b);
}

static void test_random_passes(void **state)
{
    (void)state;
    struct bench *b = bench = test_calloc(1, sizeof *b);
    struct stage *stage = test_calloc(1, sizeof *stage);
    b->s.memory = arena_new();
    b->s.workload = &b->workload;
    b->s.idle = &b->idle;
    b->s.stage = stage;
    b->workload.facts = b->facts;
    b->s.job = b->job;
    b->s.live = b->live;
    b->s.n_jobs = JOBS;
    random_init(&b->random, 1, "queue", 0);
    for (job_id j = 0; j < JOBS; j++) {
        b->facts[j].priority = (int32_t)random_below(&b->random, 20) / 19;
        b->job[j].not_slot = ~j;
        b->live[j] = (struct live){ .job = j, .counting = true, .own_why = WAIT_GROUP, .wait_sub = ID_NONE };
    }
    queue_begin(&b->s, &b->q, 1, 5);
    assert_int_equal(b->q.n_backoffs, BACKOFFS);
    for (unsigned i = 0; i < PASSES; i++) {
        bool dense = i / 500 % 2;
        b->s.now_ns += (int64_t)random_below(&b->random, dense ? 800 : 12000) * (SECOND / 1000);
        enter(b, random_below(&b->random, 4) ? 1 : 10);
        pass(b);
    }
    assert_true(b->tried > PASSES && b->alike > PASSES && b->crowd_rested > 100 && b->early > 20);
    arena_free(b->s.memory);
    test_free(stage);
    test_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_passes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
