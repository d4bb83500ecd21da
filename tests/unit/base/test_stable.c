/* test_stable.c - elements stay where they are while the array grows, in memory and in files, also for another thread. */
#include "sim/base/stable.h"
#include "tests/unit/test_core.h"

#include <pthread.h>
#include <stdlib.h>

enum { N = 200000 };

/* The first chunk has 1,024 elements, each further one as many as all before it and 1,024 more: by hand. */
static void chunks(void **state)
{
    (void)state;
    static const size_t first[] = { 0, 1024, 3072, 7168, 15360 };
    for (unsigned k = 0; k < COUNT(first); k++) {
        assert_int_equal(stable_before(k), first[k]);
        assert_int_equal(stable_chunk_of(first[k]), k);
        if (k)
            assert_int_equal(stable_chunk_of(first[k] - 1), k - 1);
    }
}

static void stay_where_they_are(size_t resident)
{
    struct stable a = { .n = 0 };
    static uint64_t *at[N];
    for (uint64_t i = 0; i < N; i++) {
        at[i] = stable_add(&a, sizeof *at[i], resident);
        *at[i] = i * i;
    }
    stable_drop(&a, sizeof *at[0]);
    assert_int_equal(a.n, N);
    for (uint64_t i = 0; i < N; i++)
        assert_true(stable_at(&a, i, sizeof *at[i]) == at[i] && *at[i] == i * i);
    stable_free(&a);
    assert_int_equal(a.n, 0);
    *(uint64_t *)stable_add(&a, sizeof *at[0], resident) = 7;
    assert_int_equal(*(uint64_t *)stable_at(&a, 0, sizeof *at[0]), 7);
    stable_free(&a);
}

static void in_memory(void **state)
{
    (void)state;
    stay_where_they_are(0);
}

static void in_files(void **state)
{
    (void)state;
    stay_where_they_are(1);
}

/* A reader that is told under a lock how many there are. */
struct shared {
    struct stable a;
    pthread_mutex_t lock;
    size_t told;
    size_t wrong;
};

static void *read_all(void *self)
{
    struct shared *x = self;
    for (size_t i = 0, end = 0; i < N;) {
        pthread_mutex_lock(&x->lock);
        end = x->told;
        pthread_mutex_unlock(&x->lock);
        for (; i < end; i++)
            x->wrong += *(uint64_t *)stable_at(&x->a, i, sizeof(uint64_t)) != i + 1;
    }
    return NULL;
}

static void another_thread(void **state)
{
    (void)state;
    struct shared x = { .told = 0 };
    pthread_t reader;
    pthread_mutex_init(&x.lock, NULL);
    assert_int_equal(pthread_create(&reader, NULL, read_all, &x), 0);
    for (uint64_t i = 0; i < N; i++) {
        *(uint64_t *)stable_add(&x.a, sizeof i, 0) = i + 1;
        pthread_mutex_lock(&x.lock);
        x.told = i + 1;
        pthread_mutex_unlock(&x.lock);
    }
    pthread_join(reader, NULL);
    pthread_mutex_destroy(&x.lock);
    assert_int_equal(x.wrong, 0);
    stable_free(&x.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks),
        cmocka_unit_test(in_memory),
        cmocka_unit_test(in_files),
        cmocka_unit_test(another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
