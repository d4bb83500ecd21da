/* test_labels.c - labels, taints and what jobs wish of them. By hand from the rules of Kubernetes (concepts/
 * scheduling-eviction: assign-pod-node, taint-and-toleration). */
#include "sim/cluster/labels.h"
#include "tests/unit/test_core.h"

#define LABELS "gpu_type=V100;zone=a;disk=ssd;cores=96"

enum { HOLDS = 1, FAILS = 0 };
static const struct { const char *selector; bool holds; } selectors[] = {
    { "", HOLDS }, { "zone=a", HOLDS }, { "zone=b", FAILS }, { "zone=a;disk=ssd", HOLDS }, { "zone=a;disk=hdd", FAILS },
    { "rack=1", FAILS }, { "gpu_type=V100", HOLDS }, { "zon=a", FAILS }, { "zone=aa", FAILS },
};
static const struct { const char *affinity; bool holds; int64_t weight; } affinities[] = {
    { "", HOLDS, 0 },
    { "zone=a", HOLDS, 0 },                    /* In, one value */
    { "zone=b|a", HOLDS, 0 },
    { "zone=b|c", FAILS, 0 },
    { "zone!=b|c", HOLDS, 0 },
    { "zone!=a|c", FAILS, 0 },
    { "rack!=1", HOLDS, 0 },                   /* NotIn holds where the key is absent */
    { "disk", HOLDS, 0 },                      /* Exists */
    { "rack", FAILS, 0 },
    { "!rack", HOLDS, 0 },                     /* DoesNotExist */
    { "!disk", FAILS, 0 },
    { "cores>64", HOLDS, 0 },                  /* Gt, Lt: whole numbers, strictly */
    { "cores>96", FAILS, 0 },
    { "cores<97", HOLDS, 0 },
    { "rack<5", FAILS, 0 },                    /* absent: neither */
    { "zone>5", FAILS, 0 },                    /* no number: neither */
    { "zone=a&disk=ssd", HOLDS, 0 },           /* needs of a term: all */
    { "zone=a&disk=hdd", FAILS, 0 },
    { "zone=b;disk=ssd", HOLDS, 0 },           /* required terms: one of them */
    { "zone=b;disk=hdd", FAILS, 0 },
    { "10:zone=b", HOLDS, 0 },                 /* preferred terms never keep off */
    { "10:zone=a", HOLDS, 10 },
    { "10:zone=a;5:disk=ssd;7:rack", HOLDS, 15 },
    { "zone=b;10:disk=ssd", FAILS, 10 },
    { "zone=a;100:disk=ssd&cores>1", HOLDS, 100 },
};
/* A flavor with labels "x=b;y=k": keys that it does not label are not compared (shared facts, kueue/flavors). */
static const struct { const char *selector, *affinity; bool selected; } flavors[] = {
    { "", "", HOLDS }, { "x=b", "", HOLDS }, { "x=a", "", FAILS }, { "z=a", "", HOLDS }, { "x=b;y=g", "", FAILS },
    { "", "x=a|b", HOLDS }, { "", "x=a", FAILS }, { "", "z=a", HOLDS },
    { "", "z=a&x=a", FAILS },                  /* what is left of the term */
    { "", "x=a;z=a", HOLDS },                  /* a term of unknown keys holds */
    { "", "x=a;y=k", HOLDS }, { "", "!x", FAILS }, { "", "!z", HOLDS }, { "", "10:x=a", HOLDS },
};
static const struct { const char *taints, *tolerations; bool tolerated; uint32_t avoided; } taints[] = {
    { "", "", HOLDS, 0 },
    { "gpu=yes:NoSchedule", "", FAILS, 0 },
    { "gpu=yes:NoExecute", "", FAILS, 0 },
    { "gpu=yes:PreferNoSchedule", "", HOLDS, 1 },
    { "gpu=yes:NoSchedule", "gpu", HOLDS, 0 },                  /* Exists, every effect */
    { "gpu=yes:NoSchedule", "gpu=yes", HOLDS, 0 },
    { "gpu=yes:NoSchedule", "gpu=no", FAILS, 0 },
    { "gpu=yes:NoSchedule", "gpu=yes:NoSchedule", HOLDS, 0 },
    { "gpu=yes:NoSchedule", "gpu=yes:NoExecute", FAILS, 0 },
    { "gpu=yes:NoSchedule", "gpu:NoSchedule", HOLDS, 0 },
    { "gpu=yes:NoSchedule", "*", HOLDS, 0 },
    { "gpu:NoSchedule", "gpu", HOLDS, 0 },                      /* a taint without value */
    { "gpu:NoSchedule", "gpu=yes", FAILS, 0 },
    { "a:NoSchedule;b:NoSchedule", "a", FAILS, 0 },             /* each must be tolerated */
    { "a:NoSchedule;b:NoSchedule", "a;b", HOLDS, 0 },
    { "a:PreferNoSchedule;b:PreferNoSchedule", "b", HOLDS, 1 },
    { "a:PreferNoSchedule;b:NoSchedule", "b", HOLDS, 1 },
    { "a:PreferNoSchedule;b:NoSchedule", "*", HOLDS, 0 },
};

static void selection(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        assert_null(selector_wrong(selectors[i].selector));
        if (selector_holds(selectors[i].selector, LABELS) != selectors[i].holds)
            fail_msg("'%s'", selectors[i].selector);
    }
}

static void affinity(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof affinities / sizeof *affinities; i++) {
        assert_null(affinity_wrong(affinities[i].affinity));
        if (affinity_holds(affinities[i].affinity, LABELS) != affinities[i].holds ||
            affinity_weight(affinities[i].affinity, LABELS) != affinities[i].weight)
            fail_msg("'%s'", affinities[i].affinity);
    }
}

static void flavor(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(flavors); i++)
        if (flavor_selected("x=b;y=k", flavors[i].selector, flavors[i].affinity) != flavors[i].selected)
            fail_msg("selector '%s', affinity '%s'", flavors[i].selector, flavors[i].affinity);
    assert_true(taints_tolerated_by("a:NoSchedule;b:NoSchedule", "a", "b"));
    assert_false(taints_tolerated_by("a:NoSchedule;b:NoSchedule;c:NoExecute", "a", "b"));
}

static void toleration(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taints / sizeof *taints; i++) {
        assert_null(taints_wrong(taints[i].taints));
        assert_null(tolerations_wrong(taints[i].tolerations));
        if (taints_tolerated(taints[i].taints, taints[i].tolerations) != taints[i].tolerated ||
            taints_avoided(taints[i].taints, taints[i].tolerations) != taints[i].avoided)
            fail_msg("'%s' against '%s'", taints[i].taints, taints[i].tolerations);
    }
}

/* kubernetes/kubernetes:pkg/controller/tainteviction/taint_eviction.go: the first toleration that means the taint. */
static void for_how_long(void **state)
{
    (void)state;
    static const struct { const char *tolerations; int64_t s; } rows[] = {
        { "", -1 }, { "gone", INT64_MAX }, { "*", INT64_MAX }, { "gone:NoExecute@0", 0 }, { "gone=now:NoExecute@300", 300 },
        { "gone=soon:NoExecute@300", -1 }, { "gone:NoExecute@20;gone", 20 }, { "gone;gone:NoExecute@20", INT64_MAX },
        { "gone:NoSchedule", -1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(taint_tolerated_s("gone=now:NoExecute", rows[i].tolerations), rows[i].s);
}

static void malformed(void **state)
{
    (void)state;
    static const char *const label[] = { "a", "a=", "=a", "a=b;", ";", "a=b;;c=d", "a b=c", "a=b=c", "a=b:c", "a=b,c=d" };
    static const char *const wish[] = { ";", "a=", "=b", "a=b|", "a=|b", "a>x", "a>", "a<5|6", "0:a", "101:a", "x:a", "5:", ":a",
                                        "a&", "&a", "!", "!a=b", "a>99999999999999999999999", "a>+5" };
    static const char *const taint[] = { "a", "a=b", "a:Noschedule", "a:", ":NoSchedule", "=b:NoSchedule", "a=:NoSchedule", ";", "a:NoExecute@5" };
    static const char *const toleration_text[] = { ":NoSchedule", "a:Never", "a=", "**", "*;a", ";", "a:NoSchedule@5",
                                                    "a:NoExecute@", "a:NoExecute@x", "a:NoExecute@1.5", "a:NoExecute@1000000000",
                                                    "a:NoExecute@99999999999999999999" };
    for (size_t i = 0; i < sizeof label / sizeof *label; i++)
        if (!labels_wrong(label[i]) || !selector_wrong(label[i]))
            fail_msg("labels '%s'", label[i]);
    for (size_t i = 0; i < sizeof wish / sizeof *wish; i++)
        if (!affinity_wrong(wish[i]))
            fail_msg("affinity '%s'", wish[i]);
    for (size_t i = 0; i < sizeof taint / sizeof *taint; i++)
        if (!taints_wrong(taint[i]))
            fail_msg("taints '%s'", taint[i]);
    for (size_t i = 0; i < sizeof toleration_text / sizeof *toleration_text; i++)
        if (!tolerations_wrong(toleration_text[i]))
            fail_msg("tolerations '%s'", toleration_text[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(selection), cmocka_unit_test(affinity), cmocka_unit_test(flavor),
                                        cmocka_unit_test(toleration),
                                        cmocka_unit_test(for_how_long), cmocka_unit_test(malformed) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
