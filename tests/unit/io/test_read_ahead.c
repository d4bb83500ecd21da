/* test_read_ahead.c - bytes read ahead by a second thread, against the same bytes as they were given out. */
#include "sim/io/read_ahead.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <string.h>

/* Gives `length` bytes in pieces of random sizes, then what ends them. */
struct source { size_t length, given, piece_most; long last; struct random r; };

static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * 2654435761u >> 13);
}

static long give(void *self, void *to, size_t capacity, struct error *err)
{
    struct source *s = self;
    size_t left = s->length - s->given, n = 1 + random_below(&s->r, s->piece_most);
    n = n < capacity ? n : capacity;
    n = n < left ? n : left;
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)to)[i] = byte_at(s->given + i);
    s->given += n;
    return n ? (long)n : s->last < 0 ? error_set(err, "it ends at %zu", s->length) : 0;
}

static const struct row { const char *name; size_t length, piece_most, take_most; long last; } rows[] = {
    { "nothing", 0, 10, 10, 0 },
    { "only an error", 0, 10, 10, -1 },
    { "one byte", 1, 10, 10, 0 },
    { "one block", 64 * 1024, 64 * 1024, 64 * 1024, 0 },
    { "one block, then an error", 64 * 1024, 64 * 1024, 100000, -1 },
    { "many blocks in small pieces", 1000003, 50, 3000, 0 },
    { "many blocks in large pieces", 3000017, 1000000, 1000000, -1 },
    { "taken in small pieces", 300001, 1000000, 7, 0 },
};

static void all_of_it(void **state)
{
    const struct row *row = *state;
    struct source s = { row->length, 0, row->piece_most, row->last, { { 0 } } };
    struct random r;
    random_init(&s.r, 1, "pieces", row->length);
    random_init(&r, 1, "takes", row->length);
    struct read_ahead *a = read_ahead_begin(give, &s);
    if (!a)
        skip(); /* a machine with one processor */
    static unsigned char got[1000000];
    struct error err = { "" };
    size_t n = 0;
    long some;
    while ((some = read_ahead_take(a, got, 1 + random_below(&r, row->take_most), &err)) > 0)
        for (long i = 0; i < some; i++)
            assert_int_equal(got[i], byte_at(n++));
    assert_int_equal(n, row->length);
    for (int again = 0; again < 2; again++) { /* and it stays so */
        char want[64] = "";
        if (row->last < 0)
            snprintf(want, sizeof want, "it ends at %zu", row->length);
        assert_int_equal(some, row->last);
        assert_string_equal(err.text, want);
        some = read_ahead_take(a, got, 1, &err);
    }
    read_ahead_end(a);
}

/* The thread waits for room, has ended, or is about to begin. */
static void left_early(void **state)
{
    (void)state;
    for (size_t i = 0; i < 200; i++) {
        struct source s = { i % 2 ? SIZE_MAX / 2 : i * 1000, 0, 100000, 0, { { 0 } } };
        random_init(&s.r, 1, "pieces", i);
        struct read_ahead *a = read_ahead_begin(give, &s);
        if (!a)
            skip();
        char got[1000];
        struct error err = { "" };
        for (size_t k = 0; k < i; k++)
            assert_true(read_ahead_take(a, got, sizeof got, &err) >= 0);
        read_ahead_end(a);
    }
    read_ahead_end(NULL);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, all_of_it, rows);
    ADD_TEST(tests, n, left_early);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
