/* test_relay.c - what one thread fills another takes: all of it, in order, unchanged; one that sleeps is woken when half of the
 * slots are there for it, or nothing more comes. */
#define _GNU_SOURCE /* pthread_timedjoin_np() */
#include "sim/base/relay.h"
#include "tests/unit/test_core.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { SLOTS_MOST = 16 };

/* How long one side works on a slot: not at all, or as long as it is drawn. */
struct side { uint64_t state; unsigned most; };
static void work(struct side *x)
{
    x->state = x->state * 6364136223846793005u + 1442695040888963407u;
    volatile unsigned left = x->most ? (unsigned)(x->state >> 40) % x->most : 0;
    while (left)
        left--;
}

struct course {
    struct relay *relay;
    size_t slots, n;                  /* to be filled */
    uint64_t slot[SLOTS_MOST];
    struct side filler;
    size_t filled;                    /* before it was stopped */
};

static void *fill_all(void *self)
{
    struct course *c = self;
    for (; c->filled < c->n && relay_wait_free(c->relay); c->filled++) {
        work(&c->filler);
        c->slot[c->filled % c->slots] = c->filled * 3 + 1;
        relay_filled(c->relay);
    }
    relay_end(c->relay);
    return NULL;
}

static void all_in_order(size_t slots, size_t n, unsigned filler, unsigned taker)
{
    struct course c = { .relay = relay_new(slots), .slots = slots, .n = n, .filler = { slots + n, filler } };
    struct side mine = { slots * n, taker };
    pthread_t thread;
    size_t taken = 0;
    assert_int_equal(pthread_create(&thread, NULL, fill_all, &c), 0);
    for (; relay_wait_filled(c.relay); taken++) {
        assert_int_equal(c.slot[taken % slots], taken * 3 + 1);
        work(&mine);
        assert_int_equal(c.slot[taken % slots], taken * 3 + 1);      /* nobody has filled it meanwhile */
        relay_taken(c.relay);
    }
    pthread_join(thread, NULL);
    assert_int_equal(taken, n);
    assert_int_equal(c.filled, n);
    assert_false(relay_wait_filled(c.relay));
    relay_free(c.relay);
}

static void at_any_speed(void **state)
{
    (void)state;
    static const size_t slots[] = { 1, 2, 3, 8, SLOTS_MOST };
    static const unsigned speed[][2] = { { 0, 0 }, { 1000, 0 }, { 0, 1000 }, { 1000, 1000 } };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        for (size_t k = 0; k < sizeof speed / sizeof *speed; k++)
            for (size_t n = 0; n < 3000; n = n * 5 + 1)
                all_in_order(slots[i], n, speed[k][0], speed[k][1]);
}

/* The filler has filled all and sleeps, or works: it fills no more than it has begun, and ends. */
static void stopped(void **state)
{
    (void)state;
    for (size_t taken = 0; taken < 40; taken++) {
        struct course c = { .relay = relay_new(4), .slots = 4, .n = SIZE_MAX, .filler = { taken, 100 } };
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, fill_all, &c), 0);
        for (size_t i = 0; i < taken; i++) {
            assert_true(relay_wait_filled(c.relay));
            relay_taken(c.relay);
        }
        relay_stop(c.relay);
        pthread_join(thread, NULL);
        assert_true(c.filled >= taken && c.filled <= taken + 5);
        relay_free(c.relay);
    }
}

static bool ends_within(pthread_t thread, long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_timedjoin_np(thread, NULL, &until) == 0;
}

/* Six slots are full, and the filler sleeps: two that come free do not wake it, the third does. false: it fills the seventh sooner,
 * as it may if it is too slow to sleep by then. */
static bool sleeps_until_half(void)
{
    struct course c = { .relay = relay_new(6), .slots = 6, .n = 7 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fill_all, &c), 0);
    assert_true(relay_wait_filled(c.relay));
    bool ended = ends_within(thread, 50), early = ended;
    for (unsigned i = 0; i < 7; i++) {
        assert_true(relay_wait_filled(c.relay));
        relay_taken(c.relay);
        ended = ended || ends_within(thread, i < 2 ? 20 : 60000);
        early = early || (ended && i < 2);
        assert_true(ended || i < 2);
    }
    assert_false(relay_wait_filled(c.relay));
    relay_free(c.relay);
    return !early;
}

static void woken_by_half(void **state)
{
    (void)state;
    bool slept = false;
    for (unsigned i = 0; i < 20 && !slept; i++)
        slept = sleeps_until_half();
    assert_true(slept);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(at_any_speed), cmocka_unit_test(stopped), cmocka_unit_test(woken_by_half) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
