/* test_pod_terms.c - what pods say of other pods: which texts are well formed, and their parts. Wanted values: the grammar of
 * pod_terms.h. */
#include "sim/cluster/pod_terms.h"
#include "tests/unit/test_core.h"

#include <string.h>

static const struct { const char *text; bool spread, good; } texts[] = {
    { "", false, true }, { "", true, true }, { "app=db@zone", false, true }, { "50:app=db@zone", false, true },
    { "app=db&tier>1@node;1:!old@rack", false, true }, { "app=a|b@zone;100:app@pod", false, true },
    { "app=db", false, false },              /* no key */
    { "@zone", false, false }, { "app=db@", false, false }, { "app=db@a@b", false, false },
    { "0:app=db@zone", false, false }, { "101:app=db@zone", false, false }, { "x:app=db@zone", false, false },
    { "1:2:app=db@zone", false, false }, { "app==db@zone", false, false },
    { "app=db@zone;", false, false }, { ";app=db@zone", false, false }, { "app=db@zone;;app=x@zone", false, false },
    { "1@zone", true, true }, { "soft:3@node;1@rack", true, true },
    { "0@zone", true, false }, { "-1@zone", true, false }, { "1.5@zone", true, false }, { "zone", true, false },
    { "hard:1@zone", true, false }, { "soft:@zone", true, false }, { "1@", true, false }, { "1@zone;", true, false },
};

static void well_formed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *wrong = (texts[i].spread ? pod_spread_wrong : pod_terms_wrong)(texts[i].text);
        if (!wrong != texts[i].good)
            fail_msg("'%s': want %s", texts[i].text, texts[i].good ? "well formed" : "not");
    }
}

static void is_term(const struct pod_term_text *t, const char *needs, const char *key, int32_t weight, int32_t skew)
{
    assert_int_equal(t->needs_n, strlen(needs));
    assert_memory_equal(t->needs ? t->needs : "", needs, t->needs_n);
    assert_int_equal(t->key_n, strlen(key));
    assert_memory_equal(t->key, key, t->key_n);
    assert_int_equal(t->weight, weight);
    assert_int_equal(t->skew, skew);
}

static void parts(void **state)
{
    (void)state;
    struct pod_term_text t;
    const char *rest = "app=db&tier>1@zone;7:!old@rack";
    assert_true(pod_term_next(&rest, false, &t));
    is_term(&t, "app=db&tier>1", "zone", 0, 0);
    assert_true(pod_term_next(&rest, false, &t));
    is_term(&t, "!old", "rack", 7, 0);
    assert_false(pod_term_next(&rest, false, &t));
    rest = "2@zone;soft:1@node";
    assert_true(pod_term_next(&rest, true, &t));
    is_term(&t, "", "zone", 0, 2);
    assert_true(pod_term_next(&rest, true, &t));
    is_term(&t, "", "node", 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(well_formed), cmocka_unit_test(parts) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
