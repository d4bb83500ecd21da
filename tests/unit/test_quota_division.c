/* test_quota_division.c - the division of a cluster among queues: by hand, by its properties, and against the definition. */
#include "policies/kai/queues/division.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8, GPU = MILLI_ALL };
struct one { double deserved, limit, weight, request; int32_t priority; double usage; };

/* GPUs; the end: nothing requested, no weight */
static const struct row {
    const char *name;
    double total, k;
    struct one queue[MOST];
    double fair[MOST], left;
} rows[] = {
    /* rest 7: 1.75 and 5.25, so 1 and 5; the one left to .75 (scheduler-semantics b.3) */
    { "the worked example", 13, 1, { { 3, -1, 1, 12, 0, 0 }, { 3, -1, 3, 12, 0, 0 } }, { 5, 8 }, 0 },
    /* 7/3 each: 2 and a third lost; the one left to the oldest */
    { "whole units only, the fraction to the older", 7, 1,
      { { 0, -1, 1, 9, 0, 0 }, { 0, -1, 1, 9, 0, 0 }, { 0, -1, 1, 9, 0, 0 } }, { 3, 2, 2 }, 0 },
    /* Class 2 takes 2 + 2 of 5; the one left goes to class 1, which wants it, and not to the fractions of class 2. */
    { "what rounding leaves goes down before it goes to fractions", 5, 1,
      { { 0, -1, 1, 9, 2, 0 }, { 0, -1, 1, 9, 2, 0 }, { 0, -1, 1, 9, 1, 0 } }, { 2, 2, 1 }, 0 },
    /* Class 1 has two: 1/2 each is no unit. Then the fractions, the highest class first. */
    { "then the fractions, the highest class first", 5, 1,
      { { 0, -1, 1, 9, 2, 0 }, { 0, -1, 1, 9, 2, 0 }, { 0, -1, 1, 9, 1, 0 }, { 0, -1, 1, 9, 1, 0 } }, { 3, 2, 0, 0 }, 0 },
    { "weight 0 gets nothing over quota, be the cluster idle", 10, 1, { { 3, -1, 0, 9, 0, 0 } }, { 3 }, 7 },
    /* Deserved 2 + 2 of 3: more than there is, kept. */
    { "deserved may sum to more than there is", 3, 1, { { 2, -1, 1, 5, 9, 0 }, { 2, -1, 1, 5, 0, 0 } }, { 2, 2 }, 0 },
    /* 7 over quota: 3.5 each of class 1, the unit left to class 0. */
    { "priority: all it can take, then the others", 10, 1,
      { { 1, -1, 1, 6, 1, 0 }, { 1, -1, 9, 9, 0, 0 }, { 1, -1, 1, 6, 1, 0 } }, { 4, 2, 4 }, 0 },
    { "a limit caps, the rest goes on", 12, 1, { { 2, 5, 2, 9, 0, 0 }, { 2, -1, 2, 6, 0, 0 } }, { 5, 6 }, 1 },
    /* Round 1: 4 each, the second wants 1; round 2: 3 more each of 3 x 2, by then 6 left of ... 12 - 4 - 1 - 4 = 3: 1.5 each. */
    { "another round when somebody wants less", 12, 1,
      { { 0, -1, 1, 9, 0, 0 }, { 0, -1, 1, 1, 0, 0 }, { 0, -1, 1, 9, 0, 0 } }, { 6, 1, 5 }, 0 },
    { "never more than is asked for", 100, 1, { { 5, -1, 1, 2.5, 0, 0 }, { 0, -1, 1, .25, 0, 0 } }, { 2.5, .25 }, 97.25 },
    /* 2.75 left: one each of 1.375, then .75 is all there is for the older's fraction. */
    { "the last to be given may be less than one", 2.75, 1, { { 0, -1, 1, 9, 0, 0 }, { 0, -1, 1, 9, 0, 0 } }, { 1.75, 1 }, 0 },
    { "deserved unlimited: as much as there is", 8, 1, { { -1, -1, 0, 6, 0, 0 }, { 1, -1, 1, 9, 0, 0 } }, { 6, 2 }, 0 },
    /* Weights 1, 1; usage 3/4 and 1/4, k 1: claims 1 + (1 - 3/4 x 2) = 1/2 and 1 + (1 - 1/4 x 2) = 3/2, of 8: 2 and 6. */
    { "history: who has had more gets less", 8, 1, { { 0, -1, 1, 9, 0, .75 }, { 0, -1, 1, 9, 0, .25 } }, { 2, 6 }, 0 },
    /* k 4: 1 + 4 (1 - 3/2) < 0 */
    { "history: down to nothing", 8, 4, { { 0, -1, 1, 9, 0, .75 }, { 0, -1, 1, 9, 0, .25 } }, { 0, 8 }, 0 },
    { "history ignored with k 0", 8, 0, { { 0, -1, 1, 9, 0, .75 }, { 0, -1, 1, 9, 0, .25 } }, { 4, 4 }, 0 },
    { "nobody", 8, 1, { { 0, 0, 0, 0, 0, 0 } }, { 0 }, 8 },
};

static int64_t milli(double gpus) { return gpus < 0 ? UNLIMITED : (int64_t)lround(gpus * GPU); }

static uint32_t queues_of(const struct one *one, struct quota_queue *q)
{
    uint32_t n = 0;
    for (; n < MOST && (n == 0 || one[n].request > 0); n++)
        q[n] = (struct quota_queue){
            .of[Q_GPU] = { .deserved = milli(one[n].deserved), .limit = milli(one[n].limit), .request = milli(one[n].request),
                           .weight = one[n].weight, .usage = one[n].usage },
            .priority = one[n].priority, .parent = ID_NONE,
        };
    return n;
}

static void by_hand(void **state)
{
    const struct row *row = *state;
    struct quota_queue q[MOST];
    struct quota_taker room[MOST];
    uint32_t n = queues_of(row->queue, q);
    int64_t left = quota_divide(q, quota_arrange(q, n), Q_GPU, milli(row->total), row->k, room);
    for (uint32_t i = 0; i < n; i++)
        if (q[i].of[Q_GPU].fair != milli(row->fair[i]))
            fail_msg("queue %u: want %g, got %g", i, row->fair[i], (double)q[i].of[Q_GPU].fair / GPU);
    assert_int_equal(left, milli(row->left));
}

/* Two departments of 8 and 4 over 12 GPUs; the second asks for 2, so the first may have 10. Its children deserve 6 and 6 and
 * ask for 9 each: 12 of 10, kept. The third child of the second asks for nothing. */
static void down_the_tree(void **state)
{
    (void)state;
    enum { TOP1, TOP2, A, B, C, D, N };
    static const queue_id parent[N] = { ID_NONE, ID_NONE, TOP1, TOP1, TOP2, TOP2 };
    static const double deserved[N] = { 8, 4, 6, 6, 2, 2 }, request[N] = { 18, 2, 9, 9, 2, 0 }, want[N] = { 10, 2, 6, 6, 2, 0 };
    struct quota_queue q[N];
    struct quota_taker room[N];
    for (uint32_t i = 0; i < N; i++) {
        struct quota_share s = { .deserved = milli(deserved[i]), .limit = UNLIMITED, .request = milli(request[i]), .weight = 1 };
        struct quota_share other = { .deserved = UNLIMITED, .limit = UNLIMITED, .request = 7 * (i + 1), .weight = 1 };
        q[i] = (struct quota_queue){ .of = { s, other, other }, .parent = parent[i] };
    }
    struct quota_amount capacity = { { 12 * GPU, 1000, 1000 } };
    quota_divide_tree(q, quota_arrange(q, N), &capacity, 1, room);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(q[i].of[Q_GPU].fair, milli(want[i]));
        assert_int_equal(q[i].of[Q_CPU].fair, parent[i] == ID_NONE ? 7 * (i + 1) : 7 * (parent[i] + 1));
    }
}

/* Siblings by priority, then by id; ids of children are above their parents'. */
static void arranged(void **state)
{
    (void)state;
    static const queue_id parent[] = { ID_NONE, 0, 0, ID_NONE, 0, 3 }, sibling[] = { ID_NONE, ID_NONE, 4, 0, 1, ID_NONE };
    static const int32_t priority[] = { 1, 5, 7, 2, 7, 0 };
    struct quota_queue q[6] = { 0 };
    for (uint32_t i = 0; i < 6; i++)
        q[i].parent = parent[i], q[i].priority = priority[i];
    assert_int_equal(quota_arrange(q, 6), 3);
    assert_int_equal(q[0].first_child, 2);
    assert_int_equal(q[3].first_child, 5);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(q[i].next_sibling, sibling[i]);
    assert_int_equal(quota_arrange(q, 0), ID_NONE);
}

/* ---- Against the definition (scheduler-semantics b.3), word for word, in GPUs and doubles; and with one thing wrong ---- */
enum wrong { RIGHT, FRACTIONS, FRACTIONS_FIRST, ZERO_TAKES, PRIORITY_FIRST, YOUNGER_FIRST, ONE_ROUND, LIMITLESS, NO_HISTORY, WRONGS };

static double asks(const struct one *q, enum wrong w) { return q->limit < 0 || w == LIMITLESS ? q->request : fmin(q->limit, q->request); }
static double weight(const struct one *q, enum wrong w) { return w == ZERO_TAKES && q->weight == 0 ? 1 : q->weight; }

static double fractions(const struct one *q, uint32_t n, int32_t p, double rest, double *lost, double *fair, enum wrong w)
{
    while (rest > 0) {
        uint32_t best = n;
        for (uint32_t i = 0; i < n; i++)
            if (q[i].priority == p && lost[i] > 0 &&
                (best == n || lost[i] > lost[best] + 1e-9 || (w == YOUNGER_FIRST && lost[i] > lost[best] - 1e-9)))
                best = i;
        if (best == n)
            break;
        double give = fmin(1, rest);
        fair[best] += give, rest -= give, lost[best] = 0;
    }
    return rest;
}

static void define(const struct one *q, uint32_t n, double total, double k, enum wrong w, double *fair)
{
    double rest = total, lost[MOST] = { 0 };
    for (int32_t p = 9; p >= 0; p--)
        for (uint32_t i = 0; i < n; i++)
            if (q[i].priority == p) {
                fair[i] = fmin(q[i].deserved < 0 ? total : q[i].deserved, asks(&q[i], w));
                if (w == PRIORITY_FIRST)
                    fair[i] = fmin(fair[i], fmax(rest, 0));
                rest -= fair[i];
            }
    for (int32_t p = 9; p >= 0 && rest > 1e-9; p--) {
        bool again = true;
        while (again && rest > 1e-9) {
            double amount = rest, weights = 0, claims = 0, claim[MOST] = { 0 };
            for (uint32_t i = 0; i < n; i++)
                weights += q[i].priority == p && asks(&q[i], w) > fair[i] + 1e-9 ? weight(&q[i], w) : 0;
            for (uint32_t i = 0; i < n && weights > 0; i++)
                if (q[i].priority == p && asks(&q[i], w) > fair[i] + 1e-9) {
                    double part = weight(&q[i], w) / weights;
                    claim[i] = fmax(0, part + k * (part - (w == NO_HISTORY ? part : q[i].usage)));
                    claims += claim[i];
                }
            if (claims <= 0)
                break;
            again = false;
            for (uint32_t i = 0; i < n && rest > 1e-9; i++) {
                double may = amount * claim[i] / claims, need = asks(&q[i], w) - fair[i], give = need;
                if (q[i].priority != p || need <= 1e-9 || weight(&q[i], w) == 0)
                    continue;
                if (need > may + 1e-9) {
                    give = w == FRACTIONS ? may : floor(may + 1e-9);
                    if (may - give > 1e-9)
                        lost[i] = may - give;
                } else {
                    lost[i] = 0;
                }
                fair[i] += give, rest -= give;
                again = again || (need < may - 1e-9 && w != ONE_ROUND);
            }
        }
        if (w == FRACTIONS_FIRST)
            rest = fractions(q, n, p, rest, lost, fair, w);
    }
    for (int32_t p = 9; p >= 0; p--)
        rest = fractions(q, n, p, rest < 1e-9 ? 0 : rest, lost, fair, w);
}

/* Halves of GPUs, eighths of usage, few priorities and weights: ties and edges are common, and exact. */
static uint32_t draw(struct random *r, struct one *q, double *total, bool history)
{
    uint32_t n = 1 + (uint32_t)random_below(r, MOST);
    for (uint32_t i = 0; i < n; i++)
        q[i] = (struct one){ (double)random_below(r, 9) / 2 - (random_below(r, 8) == 0 ? 99 : 0),
                             random_below(r, 3) ? -1 : (double)random_below(r, 16) / 2, (double)random_below(r, 4),
                             .5 + (double)random_below(r, 24) / 2, (int32_t)random_below(r, 3),
                             history ? (double)random_below(r, 9) / 8 : 0 };
    for (uint32_t i = 0; i < n; i++)
        q[i].deserved = q[i].deserved < 0 ? -1 : q[i].deserved;
    *total = (double)random_below(r, 60) / 2;
    return n;
}

static void as_defined(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "quota division", 0);
    uint32_t differ[WRONGS] = { 0 };
    for (uint32_t trial = 0; trial < 30000; trial++) {
        struct one one[MOST];
        struct quota_queue q[MOST];
        struct quota_taker room[MOST];
        double total, fair[MOST], k = (double)random_below(&r, 3);
        uint32_t n = draw(&r, one, &total, trial % 2 == 1);
        define(one, n, total, k, RIGHT, fair);
        queues_of(one, q);
        quota_divide(q, quota_arrange(q, n), Q_GPU, milli(total), k, room);
        for (uint32_t i = 0; i < n; i++)
            if (q[i].of[Q_GPU].fair != milli(fair[i]))
                fail_msg("trial %u queue %u of %u: want %g, got %g", trial, i, n, fair[i], (double)q[i].of[Q_GPU].fair / GPU);
        for (enum wrong w = RIGHT + 1; w < WRONGS; w++) {
            double other[MOST];
            bool same = true;
            define(one, n, total, k, w, other);
            for (uint32_t i = 0; i < n; i++)
                same = same && milli(other[i]) == q[i].of[Q_GPU].fair;
            differ[w] += !same;
        }
    }
    for (enum wrong w = RIGHT + 1; w < WRONGS; w++)    /* else the comparison would not see such an error */
        if (differ[w] < 50)
            fail_msg("wrong in way %u goes unseen: only %u differ", w, differ[w]);
}

/* ---- Properties ---- */
static void properties(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 2, "quota division", 0);
    for (uint32_t trial = 0; trial < 30000; trial++) {
        struct one one[MOST];
        struct quota_queue q[MOST];
        struct quota_taker room[MOST];
        double total;
        uint32_t n = draw(&r, one, &total, trial % 2 == 1);
        queues_of(one, q);
        int64_t sum = 0, owed = 0, has = milli(total), left = quota_divide(q, quota_arrange(q, n), Q_GPU, has, 1, room);
        for (uint32_t i = 0; i < n; i++) {
            const struct quota_share *s = &q[i].of[Q_GPU];
            int64_t asked = quota_requestable(s);
            int64_t least = s->deserved == UNLIMITED ? (asked < has ? asked : has) : asked < s->deserved ? asked : s->deserved;
            sum += s->fair;
            owed += least;
            assert_true(s->fair >= least);
            assert_true(s->fair < asked + GPU);
            assert_true(s->weight > 0 || s->fair == least);
            assert_true(left == 0 || asked <= s->fair || s->weight == 0 || s->usage > 0);    /* idle only if nobody may have it */
        }
        assert_true(sum <= (has > owed ? has : owed));
        assert_int_equal(left, has > sum ? has - sum : 0);
    }
}

/* Nobody satisfied and nothing deserved: the method of largest remainders, which gives everyone its exact share rounded
 * down or up; the more the weight, the more. */
static void by_weight(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 3, "quota division", 0);
    for (uint32_t trial = 0; trial < 10000; trial++) {
        struct quota_queue q[MOST];
        struct quota_taker room[MOST];
        uint32_t n = 2 + (uint32_t)random_below(&r, MOST - 1);
        double weights = 0;
        int64_t total = (int64_t)random_below(&r, 50) * GPU;
        for (uint32_t i = 0; i < n; i++) {
            q[i] = (struct quota_queue){ .of[Q_GPU] = { .limit = UNLIMITED, .request = 99 * GPU,
                                                        .weight = (double)(1 + random_below(&r, 9)) }, .parent = ID_NONE };
            weights += q[i].of[Q_GPU].weight;
        }
        assert_int_equal(quota_divide(q, quota_arrange(q, n), Q_GPU, total, 1, room), 0);
        for (uint32_t i = 0; i < n; i++) {
            double exact = (double)total * q[i].of[Q_GPU].weight / weights;
            assert_true(fabs((double)q[i].of[Q_GPU].fair - exact) < GPU);
            for (uint32_t j = 0; j < n; j++)
                assert_true(q[i].of[Q_GPU].weight <= q[j].of[Q_GPU].weight || q[i].of[Q_GPU].fair >= q[j].of[Q_GPU].fair);
        }
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    ADD_TEST(tests, n, down_the_tree);
    ADD_TEST(tests, n, arranged);
    ADD_TEST(tests, n, as_defined);
    ADD_TEST(tests, n, properties);
    ADD_TEST(tests, n, by_weight);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
