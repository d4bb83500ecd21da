/* test_place.c - where names stand beside points and lines. A character is 7 pixels wide, a line 14 high, a mark 8 to each side. */
#include "sim/cli/plot/names/place.h"
#include "tests/unit/test_core.h"

static const struct row {
    const char *name;
    struct spot spot[3];
    size_t n;
    bool fits;
    int side[3];
} rows[] = {
    { "one, with room at its right", { { 10, 50, 5 } }, 1, true, { 1 } },
    { "it just ends at the edge", { { 200 - 10 - 35, 50, 5 } }, 1, true, { 1 } },
    { "a pixel less: at its left", { { 200 - 10 - 34, 50, 5 } }, 1, true, { -1 } },
    { "wider than the frame", { { 100, 50, 30 } }, 1, false, { 0 } },
    { "a line of text apart", { { 50, 50, 5 }, { 50, 64, 5 } }, 2, true, { 1, 1 } },
    { "nearer: on the other side", { { 60, 50, 5 }, { 60, 57, 5 } }, 2, true, { 1, -1 } },
    { "three at one place", { { 60, 50, 5 }, { 60, 55, 5 }, { 60, 60, 5 } }, 3, false, { 0 } },
    { "a mark is in the way", { { 60, 50, 5 }, { 90, 50, 5 } }, 2, true, { -1, 1 } },
};

static void beside(void **state)
{
    const struct row *row = *state;
    int side[3];
    assert_int_equal(names_beside(row->spot, row->n, 200, side), row->fits);
    for (size_t i = 0; i < row->n && row->fits; i++)
        assert_int_equal(side[i], row->side[i]);
}

static void apart(void **state)
{
    (void)state;
    assert_true(names_apart((const double[]){ 100, 0, 14 }, 3));
    assert_false(names_apart((const double[]){ 100, 1, 14 }, 3));
    assert_true(names_apart((const double[]){ 0 }, 1));
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_ROWS(tests, n, beside, rows);
    ADD_TEST(tests, n, apart);
    return cmocka_run_group_tests_name("place", tests, NULL, NULL) != 0;
}
