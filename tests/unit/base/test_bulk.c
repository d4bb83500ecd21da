/* Arrays in files hold what arrays in memory hold, whatever is given back in between, also for another thread; texts do not
 * move; a directory without files ends the program with a message. */
#include "sim/base/bulk.h"

#include "sim/base/random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ELEMENTS = 3 * BULK_BLOCK + 17 };

static uint64_t value_of(size_t i)
{
    return hash_u64(i);
}

/* In memory up to so many bytes: all of it, a part, nothing. */
static void holds(void **state)
{
    size_t resident = *(const size_t *)*state, capacity = 0;
    uint64_t *a = NULL;
    for (size_t i = 0; i < ELEMENTS; i++) {
        bulk_grow(&a, &capacity, i, sizeof *a, resident);
        if (bulk_turns(i)) {
            bulk_fill(a, i, sizeof *a);
            bulk_pass(a, i, sizeof *a);
        }
        a[i] = value_of(i);
    }
    a = bulk_resize(a, ELEMENTS, sizeof *a, resident);
    bulk_drop(a, 0, ELEMENTS, sizeof *a);
    for (size_t walk = 0; walk < 2; walk++)
        for (size_t i = 0; i < ELEMENTS; i++) {
            if (bulk_turns(i))
                bulk_pass(a, i, sizeof *a);
            assert_int_equal(a[i], value_of(i));
        }
    bulk_free(a);
}

/* ---- Against an array of malloc(), by random operations ---- */

struct element { uint64_t word[9]; };        /* as large as the facts of a job */

static struct element element_of(uint64_t seed)
{
    struct element e;
    for (size_t i = 0; i < 9; i++)
        e.word[i] = hash_u64(seed * 9 + i);
    return e;
}

struct both { struct element *bulk, *plain; size_t n, capacity, resident; };

static void append(struct both *b, size_t n, uint64_t seed)
{
    for (size_t end = b->n + n; b->n < end; b->n++) {
        if (bulk_turns(b->n))
            bulk_fill(b->bulk, b->n, sizeof *b->bulk);
        bulk_grow(&b->bulk, &b->capacity, b->n, sizeof *b->bulk, b->resident);
        b->bulk[b->n] = b->plain[b->n] = element_of(seed + b->n);
    }
}

/* One of `every` elements. */
static void change(struct both *b, size_t every, uint64_t seed)
{
    for (size_t i = 0; i < b->n; i++) {
        if (bulk_begins(i))
            bulk_edit(b->bulk, i, sizeof *b->bulk);
        if (hash_u64(seed + i) % every == 0)
            b->bulk[i] = b->plain[i] = element_of(seed ^ i);
    }
    bulk_filled(b->bulk);
}

/* In a piece of an array that has been filled. */
static void put(struct both *b, size_t n, uint64_t seed)
{
    size_t first = seed % b->n;
    n = n < b->n - first ? n : b->n - first;
    bulk_filled(b->bulk);
    for (size_t i = first; i < first + n; i++)
        b->plain[i] = element_of(seed + i);
    bulk_put(b->bulk, first, &b->plain[first], n, sizeof *b->bulk);
}

static void walk(const struct both *b)
{
    for (size_t i = 0; i < b->n; i++) {
        if (bulk_turns(i))
            bulk_pass(b->bulk, i, sizeof *b->bulk);
        if (memcmp(&b->bulk[i], &b->plain[i], sizeof *b->bulk) != 0)
            fail_msg("element %zu differs", i);
    }
}

static void shrink(struct both *b, size_t n)
{
    b->n = b->capacity = n;
    b->bulk = bulk_resize(b->bulk, n, sizeof *b->bulk, b->resident);
}

static void is_like_an_array(void **state)
{
    enum { ROUNDS = 80, MOST = 6 * BULK_BLOCK };
    struct both b = { .resident = *(const size_t *)*state, .plain = malloc(MOST * sizeof *b.plain) };
    assert_non_null(b.plain);
    for (uint64_t round = 0, seed; round < ROUNDS; round++) {
        seed = hash_u64(round);
        size_t some = seed % 3 ? seed / 8 % (2 * BULK_BLOCK) : 2 * BULK_BLOCK;
        switch (seed / 4 % 7) {
        case 0:
            append(&b, b.n + some < MOST ? some : MOST - b.n, seed);
            break;
        case 1:
            if (b.n)
                change(&b, 1 + seed % 1000, seed);
            break;
        case 2:
            if (b.n > some)
                shrink(&b, b.n - some);
            break;
        case 3:
            if (b.n)
                bulk_drop(b.bulk, 0, b.n, sizeof *b.bulk);
            break;
        case 4:
            if (b.n)
                bulk_filled_to(b.bulk, some < b.n ? b.n - some : b.n, sizeof *b.bulk);
            break;
        case 5:
            if (b.capacity > b.n)
                bulk_ahead(b.bulk, b.n, some, sizeof *b.bulk);
            break;
        case 6:
            if (b.n)
                put(&b, some, seed);
            break;
        }
        walk(&b);
    }
    bulk_free(b.bulk);
    free(b.plain);
}

/* In memory, and in a file. */
static void begins_with_zeros(void **state)
{
    (void)state;
    for (size_t resident = 0; resident < 2; resident++) {
        void *before = malloc(100000);              /* the array may lie there */
        assert_non_null(before);
        memset(before, 0xff, 100000);
        free(before);
        unsigned char *a = bulk_resize(NULL, 100000, 1, resident);
        bulk_ahead(a, 100, 50000, 1);
        for (size_t i = 0; i < 100000; i++)
            assert_int_equal(a[i], 0);
        bulk_free(a);
    }
    bulk_free(NULL);
}

/* ---- Another thread reads while elements go to the file ---- */

struct told { const uint64_t *a; _Atomic size_t n; size_t wrong; };

static void *reader(void *self)
{
    struct told *t = self;
    for (size_t i = 0, n = 0; n < ELEMENTS;) {
        n = t->n;
        for (; i < n; i++)
            t->wrong += t->a[i] != value_of(i) || t->a[i / 2] != value_of(i / 2);
        bulk_drop(t->a, 0, n, sizeof *t->a);
        i = n - n / 8;
    }
    return NULL;
}

static void read_meanwhile(void **state)
{
    (void)state;
    uint64_t *a = bulk_resize(NULL, ELEMENTS, sizeof *a, 1);
    struct told t = { .a = a };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, reader, &t), 0);
    for (size_t i = 0; i < ELEMENTS; i++) {
        a[i] = value_of(i);
        if (i % 512)
            continue;
        t.n = i;
        bulk_filled_to(a, i, sizeof *a);
    }
    t.n = ELEMENTS;
    bulk_filled(a);
    pthread_join(thread, NULL);
    assert_int_equal(t.wrong, 0);
    bulk_free(a);
}

/* Of the process: /proc/self/statm, the second number (proc(5)). */
static long resident_pages(void)
{
    long all, resident;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &all, &resident), 2);
    fclose(f);
    return resident;
}

static long pages_after_walk(size_t resident)
{
    enum { MANY = 64 * BULK_BLOCK };
    long before = resident_pages(), page = sysconf(_SC_PAGESIZE);
    uint64_t *a = bulk_resize(NULL, MANY, sizeof *a, resident);
    for (size_t i = 0; i < MANY; i++) {
        if (bulk_turns(i)) {
            bulk_filled_to(a, i, sizeof *a);
            bulk_pass(a, i, sizeof *a);
        }
        a[i] = i;
    }
    long grown = resident_pages() - before, all = (long)(MANY * sizeof *a) / page;
    bulk_free(a);
    return grown * 100 / all;     /* percent of the array */
}

static void gives_back(void **state)
{
    (void)state;
    assert_true(pages_after_walk(0) > 90);        /* the control: malloc() gives nothing back */
    assert_true(pages_after_walk(1) < 10);        /* of 64 blocks the last */
}

static void texts_stay(void **state)
{
    (void)state;
    enum { TEXTS = 3000000 };     /* more than a chunk of 16 MiB */
    struct bulk_texts *t = bulk_texts_new();
    char **at = malloc(TEXTS * sizeof *at), text[32];
    assert_non_null(at);
    for (int i = 0; i < TEXTS; i++) {
        int length = snprintf(text, sizeof text, "%d", i);
        at[i] = bulk_text(t, text, (size_t)length);
    }
    bulk_texts_drop(t);
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_string_equal(at[i], text);
    }
    bulk_texts_free(t);
    bulk_texts_free(NULL);
    free(at);
}

static void no_directory(void **state)
{
    (void)state;
    int fd[2], status;
    char said[512] = "";
    assert_int_equal(pipe(fd), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fd[1], STDERR_FILENO);
        setenv("TMPDIR", "/nowhere", 1);
        char *twice[] = { bulk_resize(NULL, 100, 1, 1), bulk_resize(NULL, 100, 1, 1) };
        twice[0][99] = twice[1][99] = 'x';
        _exit(twice[0][99] == twice[1][99] ? 0 : 2);
    }
    close(fd[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(fd[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    close(fd[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_string_equal(said, "gpuyard: warning: /nowhere: no file for tables of jobs can be made there: No such file or "
                              "directory; they stay in memory, TMPDIR names another directory\n");
}

int main(void)
{
    static const size_t bytes[] = { 0, 100000, 1, 3000000 };
    const struct CMUnitTest tests[] = {
        { "elements in memory", holds, NULL, NULL, (void *)&bytes[0] },
        { "elements in memory, then in a file", holds, NULL, NULL, (void *)&bytes[1] },
        { "elements in a file", holds, NULL, NULL, (void *)&bytes[2] },
        cmocka_unit_test(begins_with_zeros),
        cmocka_unit_test(read_meanwhile),
        cmocka_unit_test(gives_back),
        cmocka_unit_test(texts_stay),
        cmocka_unit_test(no_directory),
        { "like an array in memory", is_like_an_array, NULL, NULL, (void *)&bytes[0] },
        { "like an array, in memory at first", is_like_an_array, NULL, NULL, (void *)&bytes[3] },
        { "like an array in a file", is_like_an_array, NULL, NULL, (void *)&bytes[2] },
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
