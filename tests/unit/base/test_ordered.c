/* test_ordered.c - ordered sets against a sorted array, and sums over subtrees against sums over what is below. */
#include "sim/base/ordered.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 600, CHANGES = 6000 };

struct item {
    struct ordered_link link;         /* must come first */
    int64_t key, weight, sum;         /* sum: of the weights of its subtree */
    uint32_t id;
    bool in;
};
struct bench {
    struct item *item;                /* moves now and then */
    struct ordered tree;
    uint32_t sorted[ITEMS], n;
    struct random r;
};

static bool before(const void *context, uint32_t a, uint32_t b)
{
    const struct bench *t = context;
    return t->item[a].key != t->item[b].key ? t->item[a].key < t->item[b].key : a < b;
}

static bool sum_up(const void *context, uint32_t i)
{
    const struct bench *t = context;
    struct item *x = &t->item[i];
    const int64_t was = x->sum;
    x->sum = x->weight;
    x->sum += x->link.left == ORDERED_NONE ? 0 : t->item[x->link.left].sum;
    x->sum += x->link.right == ORDERED_NONE ? 0 : t->item[x->link.right].sum;
    return x->sum != was;
}

static struct ordered_space space(const struct bench *t)
{
    return (struct ordered_space){ t->item, sizeof *t->item, before, t, sum_up };
}

static bool key_below(const void *key, const void *context, uint32_t i)
{
    return ((const struct bench *)context)->item[i].key < *(const int64_t *)key;
}

/* ---- The tree itself: order, heap, links both ways, sums ---- */

static unsigned check_tree(const struct bench *t, uint32_t i, uint32_t up, int64_t *sum)
{
    if (i == ORDERED_NONE)
        return 0;
    const struct ordered_link *x = &t->item[i].link;
    int64_t left = 0, right = 0;
    assert_int_equal(x->up, up);
    if (up != ORDERED_NONE)
        assert_true(t->item[up].link.rank >= x->rank);
    if (x->left != ORDERED_NONE)
        assert_true(before(t, x->left, i));
    if (x->right != ORDERED_NONE)
        assert_true(before(t, i, x->right));
    unsigned a = check_tree(t, x->left, i, &left), b = check_tree(t, x->right, i, &right);
    *sum = left + right + t->item[i].weight;
    assert_int_equal(t->item[i].sum, *sum);
    return 1 + (a > b ? a : b);
}

static unsigned compare(const struct bench *t)
{
    struct ordered_space s = space(t);
    int64_t sum = 0;
    unsigned depth = check_tree(t, t->tree.root, ORDERED_NONE, &sum);
    assert_int_equal(t->tree.first, t->n ? t->sorted[0] : ORDERED_NONE);
    assert_int_equal(t->tree.last, t->n ? t->sorted[t->n - 1] : ORDERED_NONE);
    assert_int_equal(ordered_is_alone(&t->tree), t->n == 1);
    for (uint32_t k = 0; k < t->n; k++) {
        assert_int_equal(ordered_next(&s, t->sorted[k]), k + 1 < t->n ? t->sorted[k + 1] : ORDERED_NONE);
        assert_int_equal(ordered_previous(&s, t->sorted[k]), k ? t->sorted[k - 1] : ORDERED_NONE);
    }
    for (int64_t key = -1; key < 50; key++) {
        uint32_t k = 0;
        while (k < t->n && t->item[t->sorted[k]].key < key)
            k++;
        assert_int_equal(ordered_search(&t->tree, &s, key_below, &key), k < t->n ? t->sorted[k] : ORDERED_NONE);
    }
    return depth;
}

/* ---- Changes ---- */

static void add(struct bench *t, uint32_t i, uint64_t salt)
{
    struct ordered_space s = space(t);
    uint32_t k = t->n++;
    for (; k > 0 && before(t, i, t->sorted[k - 1]); k--)
        t->sorted[k] = t->sorted[k - 1];
    t->sorted[k] = i;
    t->item[i].in = true;
    ordered_add(&t->tree, &s, i, salt);
}

static void take_out(struct bench *t, uint32_t i)
{
    struct ordered_space s = space(t);
    uint32_t k = 0;
    while (t->sorted[k] != i)
        k++;
    memmove(&t->sorted[k], &t->sorted[k + 1], (--t->n - k) * sizeof t->sorted[0]);
    t->item[i].in = false;
    ordered_remove(&t->tree, &s, i);
}

static void move_items(struct bench *t)
{
    struct item *moved = malloc(ITEMS * sizeof *moved);
    memcpy(moved, t->item, ITEMS * sizeof *moved);
    memset(t->item, 0xa5, ITEMS * sizeof *moved);
    free(t->item);
    t->item = moved;
}

static void begin(struct bench *t, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->item = calloc(ITEMS, sizeof *t->item);
    t->tree = ORDERED_EMPTY;
    random_init(&t->r, seed, "ordered", 0);
}

static const struct row { const char *name; int64_t keys; uint64_t salts; } rows[] = {
    { "many keys", 1000000, UINT32_MAX },
    { "few keys: ties by item", 5, UINT32_MAX },
    { "one key", 1, UINT32_MAX },
    { "few salts: equal ranks", 50, 3 },
    { "one salt: all ranks equal", 50, 1 },
};

static void random_changes(void **state)
{
    const struct row *row = *state;
    static struct bench t;
    begin(&t, (uint64_t)row->keys);
    for (int k = 0; k < CHANGES; k++) {
        uint32_t i = (uint32_t)random_below(&t.r, ITEMS);
        struct ordered_space s = space(&t);
        if (t.item[i].in && random_below(&t.r, 3) == 0) {
            t.item[i].weight = (int64_t)random_below(&t.r, 100);
            ordered_changed(&s, i);
        } else if (t.item[i].in) {
            take_out(&t, i);
        } else {
            t.item[i].key = (int64_t)random_below(&t.r, (uint64_t)row->keys);
            t.item[i].weight = (int64_t)random_below(&t.r, 100);
            add(&t, i, random_below(&t.r, row->salts));
        }
        if (k % 100 == 0)
            compare(&t);
        if (k % 1000 == 0)
            move_items(&t);
    }
    while (t.n) {                     /* from either end and the middle */
        take_out(&t, t.sorted[t.n % 3 == 0 ? 0 : t.n % 3 == 1 ? t.n - 1 : t.n / 2]);
        if (t.n % 50 == 0)
            compare(&t);
    }
    assert_int_equal(t.tree.root, ORDERED_NONE);
    compare(&t);
    free(t.item);
}

/* Always added at the end (arrival order) or at the front: no deeper than a random tree. The expected depth of a treap of
 * n is below 4.32 ln n (Devroye 1986), here 27.6; twice that is never seen. */
static void at_an_end(void **state)
{
    (void)state;
    for (int front = 0; front < 2; front++) {
        static struct bench t;
        begin(&t, 1);
        for (uint32_t i = 0; i < ITEMS; i++) {
            t.item[i].key = front ? -(int64_t)i : (int64_t)i;
            add(&t, i, i);
        }
        assert_true(compare(&t) < 2 * 4.32 * log(ITEMS));
        free(t.item);
    }
}

/* The shape depends on the items alone, not on the order in which they came. */
static void same_shape(void **state)
{
    (void)state;
    static struct bench a, b;
    begin(&a, 7);
    begin(&b, 7);
    for (uint32_t i = 0; i < ITEMS; i++)
        a.item[i].key = b.item[i].key = (int64_t)random_below(&a.r, 40);
    for (uint32_t i = 0; i < ITEMS; i++) {
        add(&a, i, i);
        add(&b, ITEMS - 1 - i, ITEMS - 1 - i);
    }
    for (uint32_t i = 0; i < ITEMS; i += 3) {
        take_out(&b, i);
        add(&b, i, i);
    }
    assert_int_equal(a.tree.root, b.tree.root);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_memory_equal(&a.item[i].link, &b.item[i].link, sizeof a.item[i].link);
    free(a.item);
    free(b.item);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, random_changes, rows);
    ADD_TEST(tests, n, at_an_end);
    ADD_TEST(tests, n, same_shape);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
