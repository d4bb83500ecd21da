/* test_core.h - what the tests of sim/core share: each row of a table is a named test of its own. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A list that main() fills and gives to cmocka_run_group_tests(), which passes over the empty rest. */
#define TESTS_MOST 256
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ADD_ROWS(tests, count, function, rows)                                                                         \
    for (size_t row_ = 0; row_ < COUNT(rows); row_++)                                                                  \
    (tests)[(count)++] = (struct CMUnitTest){ .name = (rows)[row_].name, .test_func = (function),                      \
                                              .initial_state = (void *)&(rows)[row_] }
#define ADD_TEST(tests, count, function)                                                                               \
    (tests)[(count)++] = (struct CMUnitTest){ .name = #function, .test_func = (function) }

/* cmocka 1.1.5 compares no doubles. Relative to want; absolute where want is 0. */
#include <math.h>
#define assert_near(got, want, tolerance)                                                                              \
    do {                                                                                                               \
        double got_ = (got), want_ = (want);                                                                           \
        if (!(fabs(got_ - want_) <= (tolerance) * (want_ != 0 ? fabs(want_) : 1)))                                     \
            fail_msg("%s: want %.17g, got %.17g", #got, want_, got_);                                                  \
    } while (0)
