/* test_queue_set.c - sets of queues, against an array of truth values; they can be changed while they are visited. */
#include "policies/common/queue_set.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

enum { QUEUES = 200, WORDS = QUEUES / 64 + 1, CHANGES = 20000 };

static void as_an_array(void **state)
{
    (void)state;
    uint64_t bits[WORDS] = { 0 };
    struct queue_set set = { bits, WORDS };
    bool in[QUEUES] = { false };
    struct random r;
    random_init(&r, 1, "queues", 0);
    for (int k = 0; k < CHANGES; k++) {
        queue_id i = (queue_id)random_below(&r, QUEUES), from = (queue_id)random_below(&r, QUEUES), next = from;
        in[i] = random_below(&r, k % 1000 < 500 ? 2 : 16) == 0;
        queue_set_put(&set, i, in[i]);
        assert_int_equal(queue_set_has(&set, i), in[i]);
        while (next < QUEUES && !in[next])
            next++;
        assert_int_equal(queue_set_next(&set, from), next < QUEUES ? next : ID_NONE);
    }
}

static void while_it_is_emptied(void **state)
{
    (void)state;
    uint64_t bits[WORDS] = { 0 };
    struct queue_set set = { bits, WORDS };
    unsigned visited = 0;
    for (queue_id i = 0; i < QUEUES; i += 3)
        queue_set_put(&set, i, true);
    for (queue_id i = 0; (i = queue_set_next(&set, i)) != ID_NONE; visited++) {
        assert_int_equal(i, 3 * visited);
        queue_set_put(&set, i, false);
    }
    assert_int_equal(visited, (QUEUES + 2) / 3);
    assert_int_equal(queue_set_next(&set, 0), ID_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_an_array), cmocka_unit_test(while_it_is_emptied) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
