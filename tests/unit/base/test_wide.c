/* test_wide.c - an array that grows into wide pages keeps what it holds. */
#include "sim/base/wide.h"
#include "tests/unit/test_core.h"

#include <stdint.h>

struct element { uint32_t number; unsigned char rest[1020]; };

/* 1,024 bytes each: 20,000 are 19.5 MiB, so the array moves into wide pages at 4 MiB (4,096 of
 * them: WIDE_FROM) and grows three times there: 16 * 2^11 = 32,768 elements are the first of 16 * 2^k that hold them. */
static void keeps_what_it_holds(void **state)
{
    (void)state;
    struct element *a = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        wide_grow(&a, &capacity, i, sizeof *a);
        a[i].number = i;
        a[i].rest[1019] = (unsigned char)i;
        if (capacity * sizeof *a >= WIDE_FROM)
            assert_int_equal((uintptr_t)a % WIDE_PAGE, 0);
    }
    assert_int_equal(capacity, 32768);
    for (uint32_t i = 0; i < 20000; i++)
        assert_true(a[i].number == i && a[i].rest[1019] == (unsigned char)i);
    wide_free(a, capacity, sizeof *a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(keeps_what_it_holds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
