/* test_hpa.c - the horizontal autoscaler: the examples of models.md 4.6, and each rule of schedulers.md i by sequences worked
 * out by hand, look by look. Arithmetic beside each row; rules from kubernetes/kubernetes:pkg/controller/podautoscaler. */
#include "sim/base/units.h"
#include "sim/serving/hpa.h"
#include "tests/unit/test_core.h"

#include <stdio.h>

/* ---- One metric ---- */

static const struct wanted_row {
    const char *name;
    enum hpa_metric_kind kind;
    double target, value;         /* of PODS and RESOURCE: the sum */
    struct hpa_pods pods;
    int wanted;                   /* -1: nothing can be said */
} wanted_rows[] = {
    { "4.6: ready 4, ratio 1.5", HPA_PODS, 1, 6, { 4, 4, 0, 0 }, 6 },
    { "4.6: ratio 1.09", HPA_PODS, 1, 4.36, { 4, 4, 0, 0 }, 4 },
    { "ratio 1.1 exactly is tolerated", HPA_PODS, 0.6, 4 * 0.66, { 4, 4, 0, 0 }, 4 },     /* in doubles 0.66 / 0.6 > 1.1 */
    { "ratio 0.9 exactly is tolerated", HPA_PODS, 0.6, 10 * 0.54, { 10, 10, 0, 0 }, 10 },
    { "above the tolerance", HPA_PODS, 100, 4 * 110.1, { 4, 4, 0, 0 }, 5 },               /* ceil(4.404) */
    { "below the tolerance", HPA_PODS, 100, 20 * 89, { 20, 20, 0, 0 }, 18 },              /* ceil(17.8) */
    { "a whole number is not rounded up", HPA_PODS, 0.1, 0.3 * 4, { 4, 4, 0, 0 }, 12 },   /* 0.3 / 0.1 > 3 in doubles */
    { "ready pods count, not those that there should be", HPA_PODS, 1, 2 * 0.5, { 4, 2, 2, 0 }, 1 },    /* ceil(0.5 x 2) */
    /* ratio 3; with two unready at 0: 6 / 4 = 1.5 of 4 */
    { "unready pods count 0 on the way up", HPA_PODS, 1, 6, { 4, 2, 2, 0 }, 6 },
    /* ratio 2; again 4 / 4 = 1: tolerated */
    { "unready pods turn an increase into none", HPA_PODS, 1, 4, { 4, 2, 2, 0 }, 4 },
    /* ratio 1.05 is tolerated, but with unready pods only the new ratio is looked at: 2.1 / 4 is on the other side of 1 */
    { "unready pods may not turn it round", HPA_PODS, 1, 2.1, { 4, 2, 2, 0 }, 4 },
    /* ratio 1.5, again 6 / 5 = 1.2 of 5 pods: 6, and there should be 8 of them already */
    { "nor make it fewer than there are", HPA_PODS, 1, 6, { 8, 4, 1, 0 }, 8 },
    /* ratio 0.5, with the missing at 1: 4 / 6 of 6 */
    { "missing pods count their target on the way down", HPA_PODS, 10, 20, { 6, 4, 0, 2 }, 4 },
    /* ratio 0.25 of 2, with two at 1: 2.5 / 4 of 4 = 2.5 */
    { "and the sum is rounded up", HPA_PODS, 10, 5, { 4, 2, 0, 2 }, 3 },
    /* ratio 0.5; usage 0.6 + 2 x 1 of 4 x 0.6: 1.083, on the other side */
    { "of a resource: all that they request", HPA_RESOURCE, 0.6, 0.6, { 4, 2, 0, 2 }, 4 },
    /* ratio 0.2; 0.8 + 1 of 9 x 0.5 = 0.4: 3.6 */
    { "of a resource, down", HPA_RESOURCE, 0.5, 0.8, { 9, 8, 0, 1 }, 4 },
    /* target 1.5: a missing one counts 1.5. ratio 0.4; 1.2 + 1.5 of 3 x 1.5 = 0.6: 1.8 */
    { "of a resource above its request", HPA_RESOURCE, 1.5, 1.2, { 3, 2, 0, 1 }, 2 },
    /* ratio 3; 6 / 3 of 3 */
    { "missing pods count 0 on the way up", HPA_PODS, 1, 6, { 3, 2, 0, 1 }, 6 },
    /* ratio 4; 8 / 5 of 5 */
    { "missing and unready ones", HPA_PODS, 1, 8, { 5, 2, 2, 1 }, 8 },
    /* ratio 0.5: unready ones are left out on the way down: 1 + 1 of 3 */
    { "unready pods are left out on the way down", HPA_PODS, 1, 1, { 5, 2, 2, 1 }, 2 },
    { "no pod reports", HPA_PODS, 1, 0, { 4, 0, 3, 1 }, -1 },
    { "of an object, by ratio", HPA_OBJECT, 100, 250, { 4, 3, 1, 0 }, 8 },                /* ceil(2.5 x 3 ready) */
    { "of an object, tolerated", HPA_OBJECT, 100, 109, { 4, 3, 1, 0 }, 4 },
    { "of an object, from none", HPA_OBJECT, 100, 250, { 0, 0, 0, 0 }, 3 },               /* ceil(2.5) */
    { "of an object, to none", HPA_OBJECT, 100, 0, { 2, 2, 0, 0 }, 0 },
    { "of an object, by average", HPA_OBJECT_AVERAGE, 100, 730, { 4, 1, 3, 0 }, 8 },      /* ceil(7.3), ready or not */
    { "by average, tolerated", HPA_OBJECT_AVERAGE, 100, 430, { 4, 4, 0, 0 }, 4 },         /* 430 / 400 */
    { "by average, from none", HPA_OBJECT_AVERAGE, 100, 101, { 0, 0, 0, 0 }, 2 },
};

static void one_metric(void **state)
{
    const struct wanted_row *row = *state;
    struct hpa_config c = hpa_defaults;
    uint32_t wanted = 0;
    c.n_metrics = 1;
    c.metric[0] = (struct hpa_metric){ row->kind, row->target };
    bool said = hpa_wanted(&c, 0, &row->pods, &(struct hpa_reading){ .value = row->value }, &wanted);
    assert_int_equal(said ? (int)wanted : -1, row->wanted);
}

/* ---- Sequences: the ratio of the mean to its target at each look, and how many there are after it ---- */

enum { LOOKS = 24 };
struct look { int at_s; double ratio; uint32_t want; };       /* ratio below 0: the metric fails */
#define POLICIES(count, ...) .n = (count), .policy = { __VA_ARGS__ }
#define PODS(x, period_s)    { false, (x), (period_s) * NS_PER_S }
#define PERCENT(x, period_s) { true, (x), (period_s) * NS_PER_S }
#define DEFAULT_UP   { .tolerance = 0.1, POLICIES(2, PODS(4, 15), PERCENT(100, 15)) }
#define DEFAULT_DOWN { .tolerance = 0.1, .window_ns = 300 * NS_PER_S, POLICIES(1, PERCENT(100, 15)) }
#define AT_ONCE      { .tolerance = 0.1, POLICIES(1, PERCENT(100, 15)) }

static const struct sequence_row {
    const char *name;
    uint32_t first, least, most;
    bool older;
    struct hpa_rules up, down;
    struct look look[LOOKS];      /* ends with at_s 0 */
} sequence_rows[] = {
    { "4.6: 2, ratio 5: at most 4 more", 2, 1, 100, false, DEFAULT_UP, DEFAULT_DOWN, { { 15, 5, 6 } } },
    { "4.6: 10, ratio 0.4 for 300 s", 10, 1, 100, false, DEFAULT_UP, DEFAULT_DOWN,
      { { 15, .4, 10 }, { 30, .4, 10 }, { 150, .4, 10 }, { 285, .4, 10 }, { 300, .4, 4 }, { 315, 1, 4 } } },
    { "100 % or 4 pods, whatever is more", 1, 1, 100, false, DEFAULT_UP, DEFAULT_DOWN,
      { { 15, 9, 5 }, { 30, 9, 10 }, { 45, 9, 20 }, { 60, 9, 40 }, { 75, 9, 80 }, { 90, 9, 100 } } },    /* most */
    /* At 20 s the 4 of 15 s are still in the period: start 2, limit 6. At 30 s they are 15 s old, and no more. */
    { "what was added in the period counts", 2, 1, 100, false, DEFAULT_UP, DEFAULT_DOWN,
      { { 15, 5, 6 }, { 20, 5, 6 }, { 29, 5, 6 }, { 30, 5, 12 } } },
    /* 10 in 60 s: until 75 s the start is 90 + 10 = 100, and the limit 90 */
    { "down by pods in a period", 100, 1, 200, false, DEFAULT_UP, { .tolerance = .1, POLICIES(1, PODS(10, 60)) },
      { { 15, .5, 90 }, { 30, .5, 90 }, { 74, .5, 90 }, { 75, .5, 80 } } },
    /* start 77, 10 % down: trunc(69.3); then of 69: trunc(62.1); up by 10 %: ceil(68.2) */
    { "percents: up is rounded up, down is truncated", 77, 1, 200, false, { .tolerance = .1, POLICIES(1, PERCENT(10, 15)) },
      { .tolerance = .1, POLICIES(1, PERCENT(10, 15)) }, { { 15, .1, 69 }, { 30, .1, 62 }, { 45, 3, 69 } } },
    /* 80 x 1.1 = 88.00000000000001 in doubles */
    { "percents are exact", 80, 1, 200, false, { .tolerance = .1, POLICIES(1, PERCENT(10, 15)) }, AT_ONCE, { { 15, 3, 88 } } },
    { "select Min: the smallest change", 10, 1, 200, false,
      { .tolerance = .1, .select = HPA_SELECT_MIN, POLICIES(2, PODS(4, 15), PERCENT(100, 15)) },
      { .tolerance = .1, .select = HPA_SELECT_MIN, POLICIES(2, PODS(4, 15), PERCENT(10, 15)) },
      { { 15, 9, 14 }, { 30, .1, 12 } } },                    /* 14 x 0.9 = 12.6, truncated, above 10 */
    { "select Max: the greatest change", 14, 1, 200, false, DEFAULT_UP,
      { .tolerance = .1, POLICIES(2, PODS(4, 15), PERCENT(10, 15)) }, { { 15, .1, 10 } } },
    { "select Disabled", 10, 1, 200, false, DEFAULT_UP, { .tolerance = .1, .select = HPA_SELECT_DISABLED, POLICIES(1, PERCENT(100, 15)) },
      { { 15, .1, 10 }, { 30, 1.5, 15 }, { 45, .1, 15 } } },
    /* 12 wanted at 15 s but 10 was said at 0 and 11 at 30: the least of a minute, until those are 60 s old */
    { "up window: the least of it", 10, 1, 200, false, { .tolerance = .1, .window_ns = 60 * NS_PER_S, POLICIES(1, PERCENT(100, 15)) }, AT_ONCE,
      { { 15, 1.5, 10 }, { 30, 1.2, 10 }, { 45, 1.5, 10 }, { 60, 1.5, 12 }, { 75, 1.5, 12 }, { 90, 1.5, 15 } } },
    /* Said: 10, 8, 9, 8, 8, then 7 of 9 (6.75), 7, 6 of 8. At 60 s the 10 is 60 s old and out, at 90 s the 9, at 120 s the 8s */
    { "down window: the greatest of it", 10, 1, 200, false, DEFAULT_UP,
      { .tolerance = .1, .window_ns = 60 * NS_PER_S, POLICIES(1, PERCENT(100, 15)) },
      { { 15, .75, 10 }, { 30, .85, 10 }, { 45, .75, 10 }, { 60, .75, 9 }, { 75, .75, 9 }, { 90, .75, 8 }, { 105, .75, 8 }, { 120, .75, 7 } } },
    /* Both windows: between the least of the one and the greatest of the other it stays where it is. */
    { "within both windows nothing happens", 10, 1, 200, false, { .tolerance = .1, .window_ns = 60 * NS_PER_S, POLICIES(1, PERCENT(100, 15)) },
      { .tolerance = .1, .window_ns = 60 * NS_PER_S, POLICIES(1, PERCENT(100, 15)) },
      { { 15, 1.5, 10 }, { 30, .5, 10 }, { 45, 1.5, 10 }, { 60, .5, 10 }, { 75, 1.5, 10 } } },
    /* At 30 s the start is 5 + 5 = 10, and the limit 13; at 60 s 13 + 5 - 8 = 10 again, and the limit 5 */
    { "both directions count in the start of a period", 10, 1, 200, false, { .tolerance = .1, POLICIES(1, PODS(3, 60)) },
      { .tolerance = .1, POLICIES(1, PODS(5, 60)) },
      { { 15, .5, 5 }, { 30, 3, 13 }, { 45, 3, 13 }, { 60, .1, 5 } } },
    { "no fewer than least", 4, 3, 8, false, AT_ONCE, AT_ONCE, { { 15, .1, 3 }, { 30, 5, 6 }, { 45, 5, 8 }, { 60, 5, 8 } } },
    { "below least and above most: at once", 1, 3, 8, false, AT_ONCE, AT_ONCE, { { 15, 1, 3 }, { 30, 1, 3 } } },
    { "above most", 9, 3, 8, false, AT_ONCE, AT_ONCE, { { 15, 9, 8 } } },
    { "a failing metric changes nothing", 6, 1, 50, false, AT_ONCE, AT_ONCE, { { 15, -1, 6 }, { 30, .5, 3 } } },
    { "older path: max(2 x now, 4)", 1, 1, 100, true, DEFAULT_UP, DEFAULT_DOWN,
      { { 15, 9, 4 }, { 30, 9, 8 }, { 45, 9, 16 }, { 46, 9, 32 } } },
    /* there a recommendation that is 300 s old is still in the window */
    { "older path: down after more than 300 s", 10, 1, 100, true, DEFAULT_UP, DEFAULT_DOWN,
      { { 15, .4, 10 }, { 300, .4, 10 }, { 301, .4, 4 } } },
};

static void sequence(void **state)
{
    const struct sequence_row *row = *state;
    struct hpa_config c = { .least = row->least, .most = row->most, .behaviour = !row->older, .up = row->up, .down = row->down,
                            .n_metrics = 1, .metric = { { HPA_PODS, 0.7 } } };
    struct hpa *h = hpa_new(&c, row->first, 0);
    uint32_t n = row->first;
    for (const struct look *l = row->look; l->at_s; l++) {
        struct hpa_pods pods = { n, n, 0, 0 };
        struct hpa_reading reading = { l->ratio < 0, l->ratio * 0.7 * n };
        n = hpa_look(h, l->at_s * NS_PER_S, &pods, &reading);
        if (n != l->want)
            fail_msg("at %d s: want %u, got %u", l->at_s, l->want, n);
    }
    hpa_free(h);
}

/* ---- Several metrics ---- */

static const struct several_row {
    const char *name;
    struct hpa_reading reading[3];    /* of 4 pods, all ready: means to a target of 1, 1 and (of an object) 100 */
    uint32_t want;
} several_rows[] = {
    { "the greatest of three", { { .value = 6 }, { .value = 2 }, { .value = 120 } }, 6 },
    { "the greatest, though two are below", { { .value = 2 }, { .value = 2 }, { .value = 160 } }, 7 },    /* ceil(6.4) */
    { "all are below", { { .value = 2 }, { .value = 1 }, { .value = 30 } }, 2 },
    { "one fails: no fewer", { { .failed = true }, { .value = 1 }, { .value = 30 } }, 4 },
    { "one fails: more", { { .failed = true }, { .value = 6 }, { .value = 30 } }, 6 },
    { "all fail", { { .failed = true }, { .failed = true }, { .failed = true } }, 4 },
};

static void several(void **state)
{
    const struct several_row *row = *state;
    struct hpa_config c = { .least = 1, .most = 100, .behaviour = true, .up = DEFAULT_UP, .down = AT_ONCE, .n_metrics = 3,
                            .metric = { { HPA_PODS, 1 }, { HPA_RESOURCE, 1 }, { HPA_OBJECT, 100 } } };
    struct hpa *h = hpa_new(&c, 4, 0);
    assert_int_equal(hpa_look(h, 15 * NS_PER_S, &(struct hpa_pods){ 4, 4, 0, 0 }, row->reading), row->want);
    hpa_free(h);
}

static void from_none_and_back(void **state)
{
    (void)state;
    struct hpa_config c = { .least = 0, .most = 100, .behaviour = true, .up = DEFAULT_UP, .down = AT_ONCE, .n_metrics = 1,
                            .metric = { { HPA_OBJECT_AVERAGE, 10 } } };
    struct hpa *h = hpa_new(&c, 0, 0);
    assert_int_equal(hpa_look(h, 15 * NS_PER_S, &(struct hpa_pods){ 0, 0, 0, 0 }, &(struct hpa_reading){ .value = 0 }), 0);
    assert_int_equal(hpa_look(h, 30 * NS_PER_S, &(struct hpa_pods){ 0, 0, 0, 0 }, &(struct hpa_reading){ .value = 25 }), 3);
    assert_int_equal(hpa_look(h, 45 * NS_PER_S, &(struct hpa_pods){ 3, 0, 3, 0 }, &(struct hpa_reading){ .value = 95 }), 7);    /* 10 wanted; 3 + 4 */
    assert_int_equal(hpa_look(h, 60 * NS_PER_S, &(struct hpa_pods){ 7, 7, 0, 0 }, &(struct hpa_reading){ .value = 0 }), 0);
    hpa_free(h);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, one_metric, wanted_rows);
    ADD_ROWS(tests, n, sequence, sequence_rows);
    ADD_ROWS(tests, n, several, several_rows);
    ADD_TEST(tests, n, from_none_and_back);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
