/* test_contract_util.c - the containers that policies and placers use, against plain arrays searched from end to end. */
#include "sim/base/random.h"
#include "sim/contract/policy.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/bitset.h"
#include "sim/contract/util/heap.h"
#include "sim/contract/util/minmax.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>

enum { ITEMS = 300, STEPS = 20000 };

/* ---- Heaps ---- */

struct item { uint32_t key, id; };
struct places { uint32_t of[ITEMS]; uint64_t told; };    /* by id: where the heap said that it is */

static bool above(const struct places *p, const struct item *a, const struct item *b)
{
    (void)p;
    return a->key != b->key ? a->key < b->key : a->id < b->id;
}

static void placed(struct places *p, const struct item *x, size_t at)
{
    p->of[x->id] = (uint32_t)at;
    p->told++;
}

static bool plain_above(const void *owner, const struct item *a, const struct item *b)
{
    assert_null(owner);
    return above(NULL, a, b);
}

HEAP_DEFINE(addressed, struct item, struct places, above, placed);
HEAP_DEFINE(plain, struct item, void, plain_above, HEAP_NOT_PLACED);

/* The smallest of the items that are in, by looking at all of them. */
static struct item naive_top(const struct item *all, const bool *in)
{
    struct item top = { UINT32_MAX, UINT32_MAX };
    for (uint32_t i = 0; i < ITEMS; i++)
        if (in[i] && above(NULL, &all[i], &top))
            top = all[i];
    return top;
}

static void check_heap(const struct item *heap, size_t n, const struct places *p, const struct item *all, const bool *in)
{
    size_t members = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        members += in[i];
        if (in[i]) {
            assert_int_equal(heap[p->of[i]].id, i);
            assert_int_equal(heap[p->of[i]].key, all[i].key);
        }
    }
    assert_int_equal(n, members);
    for (size_t i = 1; i < n; i++)
        assert_false(above(NULL, &heap[i], &heap[(i - 1) / 2]));
    if (n)
        assert_int_equal(heap[0].id, naive_top(all, in).id);
}

static void heap_of_changes(void **state)
{
    (void)state;
    struct item all[ITEMS] = { { 0 } }, heap[ITEMS];
    bool in[ITEMS] = { false };
    struct places p = { .told = 0 };
    struct random r;
    size_t n = 0;
    random_init(&r, 1, "heap", 0);
    for (int step = 0; step < STEPS; step++) {
        uint32_t i = (uint32_t)random_below(&r, step % 4000 < 2000 ? ITEMS : 8);
        uint32_t key = (uint32_t)random_below(&r, 50), what = (uint32_t)random_below(&r, 6);
        if (!in[i]) {
            all[i] = (struct item){ key, i };
            in[i] = true;
            addressed_push(&p, heap, n++, all[i]);
        } else if (what == 0) {
            addressed_remove(&p, heap, n--, p.of[i]);
            in[i] = false;
        } else if (what == 1) {
            struct item want = naive_top(all, in), top = addressed_pop(&p, heap, n--);
            assert_int_equal(top.id, want.id);
            in[top.id] = false;
        } else {
            uint32_t old = all[i].key;
            heap[p.of[i]].key = all[i].key = key;
            if (what == 2 && key >= old)
                addressed_down(&p, heap, n, p.of[i]);
            else if (what == 3 && key >= old)
                addressed_down_far(&p, heap, n, p.of[i]);
            else if (what == 4 && key <= old)
                addressed_up(&p, heap, p.of[i]);
            else
                addressed_fix(&p, heap, n, p.of[i]);
        }
        check_heap(heap, n, &p, all, in);
    }
    assert_true(p.told > STEPS);
}

static int by_key(const void *a, const void *b)
{
    return above(NULL, b, a) - above(NULL, a, b);
}

/* Made at once and popped: the items come as qsort() has them. */
static void heap_sorts(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "sort", 0);
    for (uint32_t n = 0; n <= 40; n++) {
        struct item heap[40], sorted[40];
        for (uint32_t i = 0; i < n; i++)
            sorted[i] = heap[i] = (struct item){ (uint32_t)random_below(&r, 10), i };
        qsort(sorted, n, sizeof *sorted, by_key);
        plain_make(NULL, heap, n);
        for (uint32_t i = 0; i < n; i++) {
            struct item top = plain_pop(NULL, heap, n - i);
            assert_int_equal(top.id, sorted[i].id);
        }
    }
}

/* ---- Arrays ---- */

static void *taken[64];           /* by take(), in order */
static size_t n_taken;

static void *take(struct sched *s, size_t bytes)
{
    assert_null(s);
    assert_true(n_taken < COUNT(taken));
    return taken[n_taken++] = calloc(1, bytes);
}

static void give_back(void)
{
    while (n_taken)
        free(taken[--n_taken]);
}

static void array_grows(void **state)
{
    (void)state;
    uint32_t *a = NULL;
    size_t capacity = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        a = array_grown(take, NULL, a, &capacity, n, sizeof *a);
        assert_true(capacity > n);
        assert_int_equal(a[n], 0);
        a[n] = n * n + 1;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(a[i], i * i + 1);
    assert_int_equal(n_taken, 7);    /* 16 entries, doubled six times: 1024 */
    give_back();
}

static void array_covers(void **state)
{
    (void)state;
    uint32_t *a = NULL, model[2000] = { 0 };
    size_t n = 0;
    struct random r;
    random_init(&r, 1, "cover", 0);
    for (int step = 0; step < 3000; step++) {
        uint32_t i = (uint32_t)random_below(&r, 1 + (uint32_t)step / 2);
        a = array_covering(take, NULL, a, &n, i, sizeof *a);
        assert_true(n > i);
        assert_int_equal(a[i], model[i]);
        a[i] = model[i] = (uint32_t)step + 1;
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(a[i], i < COUNT(model) ? model[i] : 0);
    give_back();
}

static bool number_before(const void *entry, const void *key)
{
    return *(const uint32_t *)entry < *(const uint32_t *)key;
}

/* A sorted array against truth values by number. */
static void sorted_array(void **state)
{
    (void)state;
    enum { NUMBERS = 100 };
    uint32_t sorted[NUMBERS + 1];
    bool in[NUMBERS] = { false };
    size_t n = 0;
    struct random r;
    random_init(&r, 1, "sorted", 0);
    for (int step = 0; step < STEPS; step++) {
        uint32_t i = (uint32_t)random_below(&r, NUMBERS), rank = 0;
        for (uint32_t k = 0; k < i; k++)
            rank += in[k];
        size_t at = lower_bound(sorted, n, sizeof *sorted, &i, number_before);
        assert_int_equal(at, rank);
        if (in[i]) {
            assert_int_equal(sorted[at], i);
            array_close(sorted, n--, at, sizeof *sorted);
        } else {
            array_open(sorted, n++, at, sizeof *sorted);
            sorted[at] = i;
        }
        in[i] = !in[i];
    }
    for (uint32_t i = 0, at = 0; i < NUMBERS; i++)
        if (in[i])
            assert_int_equal(sorted[at++], i);
}

/* ---- Sets: what test_bitset.c does not look at ---- */

static void set_emptied_by_its_walk(void **state)
{
    (void)state;
    enum { MEMBERS = 5000 };
    struct bitset_shape shape = bitset_shape(MEMBERS);
    uint64_t *set = calloc(shape.words, sizeof *set);
    uint32_t visited = 0;
    for (uint32_t i = 0; i < MEMBERS; i++)
        bitset_put(&shape, set, i, i % 3 == 0);
    for (uint32_t i = 0; (i = bitset_next(&shape, set, i)) != BITSET_END; visited++) {
        assert_int_equal(i, 3 * visited);
        bitset_put(&shape, set, i, false);
    }
    assert_int_equal(visited, (MEMBERS + 2) / 3);
    for (uint32_t w = 0; w < shape.words; w++)
        assert_true(set[w] == 0);
    free(set);
}

static void minima_and_maxima(void **state)
{
    (void)state;
    assert_true(min_i64(INT64_MIN, INT64_MAX) == INT64_MIN && max_i64(INT64_MIN, INT64_MAX) == INT64_MAX);
    assert_true(min_i32(INT32_MIN, 1) == INT32_MIN && max_i32(-1, 1) == 1);
    assert_true(min_u32(0, UINT32_MAX) == 0 && max_u32(UINT32_MAX, 0) == UINT32_MAX);
    assert_true(min_size(7, 7) == 7 && max_size(SIZE_MAX, 1) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_of_changes), cmocka_unit_test(heap_sorts),
        cmocka_unit_test(array_grows), cmocka_unit_test(array_covers), cmocka_unit_test(sorted_array),
        cmocka_unit_test(set_emptied_by_its_walk), cmocka_unit_test(minima_and_maxima),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
