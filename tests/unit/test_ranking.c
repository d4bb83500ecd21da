/* test_ranking.c - rankings against a plain array that is searched from end to end: random jobs join, move and leave, many keys
 * are equal, and the number of jobs goes from none to hundreds and back. From the end, jobs also fall without being set. */
#include "policies/common/ranking.h"
#include "sim/base/random.h"
#include "sim/engine/state.h"
#include "tests/unit/test_core.h"

enum { JOBS = 400, STEPS = 36000, FEW_KEYS = 40 };

struct bench {
    struct sched s;               /* nothing of it but its memory is used */
    struct ranking r;
    bool in[JOBS];
    struct line_key key[JOBS];
    uint32_t entry[JOBS];
    size_t n;
};

static job_id id_of(uint32_t i)
{
    return i * 977 + 13;          /* far apart, as ids of running jobs are */
}

/* How many jobs stand before i. */
static size_t rank_of(const struct bench *b, uint32_t i)
{
    size_t before = 0;
    for (uint32_t k = 0; k < JOBS; k++)
        before += b->in[k] && k != i && line_key_before(b->key[k], id_of(k), b->key[i], id_of(i));
    return before;
}

static void check_list(const struct bench *b)
{
    job_id list[JOBS];
    bool seen[JOBS] = { false };
    assert_int_equal(ranking_list(&b->r, list) - list, b->n);
    for (size_t at = 0; at < b->n; at++) {
        uint32_t i = (list[at] - 13) / 977;
        assert_true(b->in[i] && !seen[i]);
        seen[i] = true;
    }
}

/* A walk from the end ends somewhere, and sometimes with the first. */
static void check_from_end(struct bench *b, size_t most)
{
    struct ranking_place p;
    size_t seen = 0;
    for (bool more = ranking_last(&b->s, &b->r, &p); more && seen < most;
         more = ranking_previous(&b->s, &b->r, &p), seen++) {
        const struct ranked *x = ranking_at(&b->r, p);
        uint32_t i = (x->job - 13) / 977;
        assert_true(b->in[i]);
        assert_int_equal(x->entry, b->entry[i]);
        assert_int_equal(rank_of(b, i), b->n - 1 - seen);
    }
    assert_int_equal(seen, most < b->n ? most : b->n);
}

static void check(struct bench *b, size_t most)
{
    struct ranking_place p;
    size_t seen = 0;
    assert_int_equal(ranking_count(&b->r), b->n);
    for (bool more = !b->r.from_end && ranking_first(&b->r, &p); more; more = ranking_next(&b->r, &p), seen++) {
        const struct ranked *x = ranking_at(&b->r, p);
        uint32_t i = (x->job - 13) / 977;
        assert_true(b->in[i]);
        assert_int_equal(ranking_entry(&b->r, p), b->entry[i]);
        assert_int_equal(rank_of(b, i), seen);
    }
    assert_true(b->r.from_end || seen == b->n);
    check_from_end(b, most);
    check_list(b);
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(ranking_find(&b->r, id_of(i)), b->in[i] ? b->entry[i] : ID_NONE);
}

static struct line_key key_now(struct sched *s, job_id j, const void *params)
{
    (void)s;
    return ((const struct bench *)params)->key[(j - 13) / 977];
}

/* Job i, which is in, gets a later key. */
static void fall(struct bench *b, struct random *random, uint32_t i)
{
    b->key[i].time_ns += (int64_t)random_below(random, FEW_KEYS);
    if (!ranking_stays_far(&b->r, id_of(i), b->key[i]))
        assert_int_equal(ranking_set(&b->s, &b->r, id_of(i), b->key[i]), b->entry[i]);
    else
        assert_true(ranking_is_far(&b->r, b->entry[i]));
}

static void change(struct bench *b, struct random *random, unsigned joins_of_16)
{
    uint32_t i = (uint32_t)random_below(random, JOBS);
    if (random_below(random, 16) >= joins_of_16) {
        assert_int_equal(ranking_drop(&b->s, &b->r, id_of(i)), b->in[i]);
        b->n -= b->in[i];
        b->in[i] = false;
        return;
    }
    if (b->r.key && b->in[i] && random_below(random, 2)) {
        fall(b, random, i);
        return;
    }
    b->key[i] = (struct line_key){ .major = (double)random_below(random, 4) - 2,
                                   .minor = (double)random_below(random, 2),
                                   .time_ns = (int64_t)random_below(random, FEW_KEYS) };
    uint32_t e = ranking_set(&b->s, &b->r, id_of(i), b->key[i]);
    for (uint32_t k = 0; k < JOBS; k++)
        assert_true(k == i || !b->in[k] || b->entry[k] != e);
    assert_true(!b->in[i] || b->entry[i] == e);    /* it keeps its entry where it moves */
    b->n += !b->in[i];
    b->in[i] = true;
    b->entry[i] = e;
}

static void random_changes(bool from_end)
{
    struct bench *b = test_calloc(1, sizeof *b);
    b->s.memory = arena_new();
    b->r.from_end = from_end;
    b->r.key = from_end ? key_now : NULL;
    b->r.params = b;
    struct random random;
    random_init(&random, 1, "ranking", 0);
    size_t most = 0, empty = 0, far = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned period = step / 4000 % 3;         /* many join, as many come as go, all leave */
        change(b, &random, period == 0 ? 12 : period == 1 ? 8 : 0);
        most = b->n > most ? b->n : most;
        empty += b->n == 0;
        if (step % 97 == 0)
            check(b, !from_end || step % 7 == 0 ? JOBS : step % 41);
        far += b->r.n_far > 0 && b->r.n_parts > 0;
    }
    check(b, JOBS);
    assert_true(most > 4 * RANKING_BLOCK && empty > 0 && (far > STEPS / 10) == from_end);
    arena_free(b->s.memory);
    test_free(b);
}

static void test_random_changes(void **state)
{
    (void)state;
    random_changes(false);
}

static void test_from_end(void **state)
{
    (void)state;
    random_changes(true);
}

static void test_empty(void **state)
{
    (void)state;
    struct sched s = { .memory = arena_new() };
    struct ranking r = { 0 };
    struct ranking_place p;
    assert_false(ranking_first(&r, &p) || ranking_last(&s, &r, &p) || ranking_drop(&s, &r, 7));
    assert_int_equal(ranking_find(&r, 7), ID_NONE);
    ranking_set(&s, &r, 7, (struct line_key){ 0 });
    assert_true(ranking_drop(&s, &r, 7) && !ranking_drop(&s, &r, 7));
    assert_false(ranking_first(&r, &p) || ranking_last(&s, &r, &p));
    arena_free(s.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_empty), cmocka_unit_test(test_random_changes),
                                        cmocka_unit_test(test_from_end) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
