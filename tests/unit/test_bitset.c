/* test_bitset.c - bit sets with summaries against a plain array of booleans, at the sizes where a level begins or ends. */
#include "sim/contract/util/bitset.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>
#include <string.h>

enum { SETS = 2, CHANGES = 3000 };     /* two sets of one shape, one behind the other: neither may touch the other */

static const struct row { const char *name; uint32_t size; } rows[] = {
    { "one member", 1 },
    { "two members", 2 },
    { "one word less one", 63 },
    { "one word", 64 },
    { "one word more one", 65 },
    { "two words", 128 },
    { "two levels less one", 4095 },
    { "two levels", 4096 },
    { "three levels", 4097 },
    { "three levels, odd", 10007 },
    { "three levels full", 262144 },
    { "four levels", 262145 },
};

static uint32_t naive_next(const bool *in, uint32_t size, uint32_t i)
{
    while (i < size && !in[i])
        i++;
    return i < size ? i : BITSET_END;
}

static uint32_t naive_previous(const bool *in, uint32_t i)
{
    for (;; i--) {
        if (in[i])
            return i;
        if (i == 0)
            return BITSET_END;
    }
}

/* A member near an edge more often than chance would have it. */
static uint32_t pick(struct random *r, uint32_t size)
{
    static const uint32_t edges[] = { 0, 63, 64, 65, 127, 4095, 4096, 4097, 8191, 262143, 262144 };
    uint32_t i = (uint32_t)random_below(r, size);
    if (random_below(r, 3) == 0)
        i = edges[random_below(r, COUNT(edges))] % size;
    return random_below(r, 8) ? i : size - 1;
}

static void compare(const struct bitset_shape *s, const uint64_t *set, const bool *in, uint32_t i)
{
    assert_int_equal(bitset_has(set, i), in[i]);
    assert_int_equal(bitset_next(s, set, i), naive_next(in, s->size, i));
    assert_int_equal(bitset_previous(s, set, i), naive_previous(in, i));
}

/* All members in order, upwards and downwards, and by rank. */
static void compare_all(const struct bitset_shape *s, const uint64_t *set, const bool *in)
{
    uint32_t up = bitset_next(s, set, 0), rank = 0, last = BITSET_END;
    for (uint32_t i = 0; i < s->size; i++) {
        if (!in[i])
            continue;
        assert_int_equal(up, i);
        if (rank % 101 == 0)
            assert_int_equal(bitset_select(set, rank), i);
        rank++;
        last = i;
        up = bitset_next(s, set, i + 1);
    }
    assert_int_equal(up, BITSET_END);
    if (rank)
        assert_int_equal(bitset_select(set, rank - 1), last);
    uint32_t down = bitset_previous(s, set, s->size - 1);
    for (; down != BITSET_END; rank--) {
        assert_true(in[down]);
        down = down ? bitset_previous(s, set, down - 1) : BITSET_END;
    }
    assert_int_equal(rank, 0);
}

static void random_changes(void **state)
{
    const struct row *row = *state;
    struct bitset_shape s = bitset_shape(row->size);
    struct random r;
    random_init(&r, row->size, "bitset", 0);
    uint64_t *set = calloc((size_t)SETS * s.words, sizeof *set);
    bool *in = calloc((size_t)SETS * row->size, sizeof *in);
    for (int k = 0; k < CHANGES; k++) {
        uint32_t which = (uint32_t)random_below(&r, SETS), i = pick(&r, row->size);
        uint64_t *here = set + (size_t)which * s.words;
        bool *model = in + (size_t)which * row->size, filling = k / 500 % 2 == 0;
        bool add = random_below(&r, 4) ? filling : !filling;     /* by turns nearly full and nearly empty */
        (add ? bitset_add : bitset_remove)(&s, here, i);
        model[i] = add;
        compare(&s, here, model, i);
        compare(&s, here, model, pick(&r, row->size));
        if (k % 250 == 0)
            for (uint32_t w = 0; w < SETS; w++)
                compare_all(&s, set + (size_t)w * s.words, in + (size_t)w * row->size);
    }
    for (uint32_t i = 0; i < SETS * row->size; i++)
        if (in[i])
            bitset_remove(&s, set + (size_t)(i / row->size) * s.words, i % row->size);
    for (size_t w = 0; w < (size_t)SETS * s.words; w++)
        assert_true(set[w] == 0);                                /* the summaries are empty again, too */
    free(set);
    free(in);
}

static void full(void **state)
{
    const struct row *row = *state;
    struct bitset_shape s = bitset_shape(row->size);
    uint64_t *set = calloc(s.words, sizeof *set);
    for (uint32_t i = row->size; i-- > 0;)
        bitset_add(&s, set, i);
    for (uint32_t i = 0; i < row->size; i++) {
        assert_int_equal(bitset_next(&s, set, i), i);
        assert_int_equal(bitset_previous(&s, set, i), i);
    }
    assert_int_equal(bitset_next(&s, set, row->size), BITSET_END);
    assert_int_equal(bitset_next(&s, set, UINT32_MAX), BITSET_END);
    assert_int_equal(bitset_select(set, row->size - 1), row->size - 1);
    free(set);
}

/* Words of all levels: the members, and one bit above for each word below, up to one word. */
static const struct shape_row { const char *name; uint32_t size, levels, words; } shapes[] = {
    { "shape of none", 0, 1, 1 },             /* an empty set still has a word to look at */
    { "shape of 64", 64, 1, 1 },
    { "shape of 65", 65, 2, 2 + 1 },
    { "shape of 4096", 4096, 2, 64 + 1 },
    { "shape of 4097", 4097, 3, 65 + 2 + 1 },
    { "shape of 64^5", 1073741824, 5, 16777216 + 262144 + 4096 + 64 + 1 },
};

static void shape(void **state)
{
    const struct shape_row *row = *state;
    struct bitset_shape s = bitset_shape(row->size);
    assert_int_equal(s.size, row->size);
    assert_int_equal(s.levels, row->levels);
    assert_int_equal(s.words, row->words);
}

static void empty(void **state)
{
    (void)state;
    struct bitset_shape s = bitset_shape(0);
    uint64_t set[1] = { 0 };
    assert_int_equal(bitset_next(&s, set, 0), BITSET_END);
    s = bitset_shape(64);
    assert_int_equal(bitset_next(&s, set, 0), BITSET_END);
    assert_int_equal(bitset_previous(&s, set, 63), BITSET_END);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, random_changes, rows);
    ADD_ROWS(tests, n, full, rows);
    ADD_ROWS(tests, n, shape, shapes);
    ADD_TEST(tests, n, empty);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
