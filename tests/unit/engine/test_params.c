/* test_params.c - parameters from text and back: what is stored, or the exact message. */
#include "sim/engine/params.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct values { double blocking, scope, share, quantum_s, offset, free; };
#define AT(field) .at = offsetof(struct values, field)
static const char *const blockings[] = { "strict", "skip", NULL };
static const char *const scopes[] = { "pool", "queue", "user", NULL };
static const struct param list[] = {
    { .name = "scope", .options = scopes, .default_value = 1, AT(scope) },
    { .name = "blocking", .options = blockings, AT(blocking) },
    { .name = "share", .min = 0, .max = 1, .default_value = 0.25, AT(share) },
    { .name = "quantum_s", .min = 1, .max = INFINITY, .default_value = 60, AT(quantum_s) },
    { .name = "offset", .min = -INFINITY, .max = 10, AT(offset) },
    { .name = "free", .min = -INFINITY, .max = INFINITY, .default_value = 1e6, AT(free) },
    { 0 },
};
static const struct param lonely[] = { { .name = "order", .options = blockings, .at = 0 }, { 0 } };
static const struct param empty[] = { { 0 } };

#define USUAL "scope=queue,blocking=strict,share=0.25,quantum_s=60,offset=0,free=1000000"
static const struct row { const char *name; const struct param *list; const char *text, *want; } rows[] = {
    { "none given", list, NULL, USUAL },
    { "an empty text", list, "", USUAL },
    { "a word", list, "blocking=skip", "scope=queue,blocking=skip,share=0.25,quantum_s=60,offset=0,free=1000000" },
    { "the first word", list, "scope=pool", "scope=pool,blocking=strict,share=0.25,quantum_s=60,offset=0,free=1000000" },
    { "the last word", list, "scope=user", "scope=user,blocking=strict,share=0.25,quantum_s=60,offset=0,free=1000000" },
    { "two, in another order", list, "share=1,scope=pool", "scope=pool,blocking=strict,share=1,quantum_s=60,offset=0,free=1000000" },
    { "all", list, "scope=user,blocking=skip,share=0,quantum_s=1,offset=10,free=-1",
      "scope=user,blocking=skip,share=0,quantum_s=1,offset=10,free=-1" },
    { "as shown", list, USUAL, USUAL },
    { "a fraction", list, "share=.5", "scope=queue,blocking=strict,share=0.5,quantum_s=60,offset=0,free=1000000" },
    { "a fraction without end", list, "share=0.1", "scope=queue,blocking=strict,share=0.1,quantum_s=60,offset=0,free=1000000" },
    { "an exponent", list, "quantum_s=1e3", "scope=queue,blocking=strict,share=0.25,quantum_s=1000,offset=0,free=1000000" },
    { "no upper bound", list, "quantum_s=1e300", "scope=queue,blocking=strict,share=0.25,quantum_s=1e+300,offset=0,free=1000000" },
    { "no lower bound", list, "offset=-12345678.5",
      "scope=queue,blocking=strict,share=0.25,quantum_s=60,offset=-12345678.5,free=1000000" },
    { "a plus", list, "offset=+3", "scope=queue,blocking=strict,share=0.25,quantum_s=60,offset=3,free=1000000" },
    { "the default value given", list, "share=0.25", USUAL },
    { "no parameters, none given", empty, NULL, "" },
    { "no list, none given", NULL, "", "" },

    { "unknown, near", list, "bloking=skip",
      "policy p: no parameter 'bloking': want one of scope, blocking, share, quantum_s, offset, free; did you mean 'blocking'?" },
    { "unknown, far", list, "weight=1", "policy p: no parameter 'weight': want one of scope, blocking, share, quantum_s, offset, free" },
    { "unknown, dash for underscore", list, "quantum-s=1",
      "policy p: no parameter 'quantum-s': want one of scope, blocking, share, quantum_s, offset, free; did you mean 'quantum_s'?" },
    { "unknown, there is one", lonely, "weight=1", "policy p: no parameter 'weight': want order" },
    { "unknown, near the one", lonely, "odrer=1", "policy p: no parameter 'odrer': want order; did you mean 'order'?" },
    { "abbreviated", list, "block=skip",
      "policy p: no parameter 'block': want one of scope, blocking, share, quantum_s, offset, free" },
    { "a blank before the key", list, " share=1",
      "policy p: no parameter ' share': want one of scope, blocking, share, quantum_s, offset, free; did you mean 'share'?" },
    { "no parameters at all", empty, "a=1", "policy p: takes no parameters, got 'a=1'" },
    { "no list at all", NULL, "a", "policy p: takes no parameters, got 'a'" },
    { "one of two words", list, "blocking=yes", "policy p: blocking: want strict or skip, got 'yes'" },
    { "one of three words", list, "scope=x", "policy p: scope: want pool, queue or user, got 'x'" },
    { "a word in capitals", list, "blocking=Skip", "policy p: blocking: want strict or skip, got 'Skip'" },
    { "a word by number", list, "blocking=1", "policy p: blocking: want strict or skip, got '1'" },
    { "no word", list, "blocking=", "policy p: blocking: want strict or skip, got ''" },
    { "above the range", list, "share=1.0000001", "policy p: share: want a number from 0 to 1, got '1.0000001'" },
    { "below the range", list, "share=-0.1", "policy p: share: want a number from 0 to 1, got '-0.1'" },
    { "below, with no upper bound", list, "quantum_s=0", "policy p: quantum_s: want a number from 1 up, got '0'" },
    { "above, with no lower bound", list, "offset=11", "policy p: offset: want a number up to 10, got '11'" },
    { "no number, without bounds", list, "free=x", "policy p: free: want a number, got 'x'" },
    { "empty", list, "share=", "policy p: share: want a number from 0 to 1, got ''" },
    { "trailing text", list, "share=1s", "policy p: share: want a number from 0 to 1, got '1s'" },
    { "infinite", list, "free=inf", "policy p: free: want a number, got 'inf'" },
    { "too large for a double", list, "free=1e999", "policy p: free: want a number, got '1e999'" },
    { "not a number", list, "free=nan", "policy p: free: want a number, got 'nan'" },
    { "hexadecimal", list, "free=0x10", "policy p: free: want a number, got '0x10'" },
    { "a blank before the number", list, "free= 1", "policy p: free: want a number, got ' 1'" },
    { "a lonely sign", list, "free=-", "policy p: free: want a number, got '-'" },
    { "two equal signs", list, "free=1=2", "policy p: free: want a number, got '1=2'" },
    { "a comma as point", list, "share=0,5", "policy p: want KEY=VALUE, got '5'" },
    { "given twice", list, "share=1,share=1", "policy p: share is given twice" },
    { "no value", list, "share", "policy p: want KEY=VALUE, got 'share'" },
    { "no key", list, "=1", "policy p: want KEY=VALUE, got '=1'" },
    { "a comma at the end", list, "share=1,", "policy p: want KEY=VALUE, got ''" },
    { "a comma at the beginning", list, ",share=1", "policy p: want KEY=VALUE, got ''" },
    { "the first mistake counts", list, "share=2,bloking=1", "policy p: share: want a number from 0 to 1, got '2'" },
};

static void parsed(void **state)
{
    const struct row *row = *state;
    struct values v;
    struct error err = { "" };
    char got[512] = "", value[32];
    bool wrong = !strncmp(row->want, "policy p: ", 10);
    memset(&v, 0xFF, sizeof v);            /* what was there before must not matter */
    size_t size = row->list == list ? sizeof v : row->list == lonely ? sizeof(double) : 0;
    assert_int_equal(params_parse(row->list, size, row->text, "policy p", &v, &err), wrong ? -1 : 0);
    assert_string_equal(err.text, wrong ? row->want : "");
    if (wrong)
        return;
    size_t n = 0;
    for (const struct param *p = row->list; p && p->name; p++) {
        params_show(p, &v, value, sizeof value);
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s=%s", n ? "," : "", p->name, value);
    }
    assert_string_equal(got, row->want);
}

/* What is shown reads back as the same double. */
static void shown_reads_back(void **state)
{
    (void)state;
    static const double hard[] = { 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 9007199254740993.0, -2.2250738585072014e-308 };
    for (size_t i = 0; i < COUNT(hard); i++) {
        struct values v = { .free = hard[i] };
        struct error err = { "" };
        char text[64] = "free=";
        params_show(&list[5], &v, text + 5, 32);
        v.free = 0;
        assert_int_equal(params_parse(list, sizeof v, text, "policy p", &v, &err), 0);
        assert_memory_equal(&v.free, &hard[i], sizeof hard[i]);
    }
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_ROWS(tests, n, parsed, rows);
    ADD_TEST(tests, n, shown_reads_back);
    return cmocka_run_group_tests_name("params", tests, NULL, NULL) != 0;
}
