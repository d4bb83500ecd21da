/* test_event_queue.c - the total order, ids that go stale, and thousands of operations beside a naive list. */
#include "sim/base/event_queue.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- order: each row's events are pushed as they stand; `order` names them as they must come out ---- */

static const struct order_row { const char *name; struct event event[4]; int n; int order[4]; } order_rows[] = {
    { "by time", { { 30, 0, 0 }, { -10, 0, 0 }, { 20, 0, 0 } }, 3, { 1, 2, 0 } },
    { "then by kind",
      { { 5, EVENT_SESSION, 0 }, { 5, EVENT_JOB_END, 9 }, { 5, EVENT_SERVICE, 1 }, { 5, EVENT_RELEASED, 3 } },
      4, { 1, 3, 2, 0 } },
    { "then by subject", { { 5, 0, UINT32_MAX }, { 5, 0, 2 }, { 5, 0, 0 } }, 3, { 2, 1, 0 } },
    { "time before kind", { { 6, EVENT_JOB_END, 0 }, { 5, EVENT_SESSION, 7 } }, 2, { 1, 0 } },
    { "ends of the clock", { { INT64_MAX, 0, 0 }, { INT64_MIN, 0, 0 }, { 0, 0, 0 }, { -1, 0, 0 } }, 4, { 1, 3, 2, 0 } },
};

static void order(void **state)
{
    const struct order_row *row = *state;
    struct event_queue *q = event_queue_new();
    struct event e;
    for (int i = 0; i < row->n; i++)
        assert_true(event_queue_push(q, row->event[i]) != 0);
    for (int i = 0; i < row->n; i++) {
        const struct event *want = &row->event[row->order[i]];
        assert_true(event_queue_pop(q, &e));
        assert_true(e.time_ns == want->time_ns && e.kind == want->kind && e.subject == want->subject);
    }
    assert_false(event_queue_pop(q, &e));
    event_queue_free(q);
}

static void ids_go_stale(void **state)
{
    (void)state;
    struct event_queue *q = event_queue_new();
    struct event e;
    assert_false(event_queue_cancel(q, 0));
    event_id first = event_queue_push(q, (struct event){ 1, EVENT_JOB_END, 1 });
    assert_true(event_queue_pop(q, &e));
    event_id second = event_queue_push(q, (struct event){ 2, EVENT_JOB_END, 2 }); /* has the first one's place */
    assert_true(first != second && first && second);
    assert_false(event_queue_cancel(q, first));
    assert_false(event_queue_move(q, first, 9));
    assert_false(event_queue_cancel(q, 0));
    assert_false(event_queue_cancel(q, UINT64_MAX));
    assert_int_equal(event_queue_length(q), 1);
    assert_true(event_queue_cancel(q, second));
    assert_false(event_queue_cancel(q, second));
    assert_false(event_queue_peek(q, &e));
    event_queue_free(q);
    event_queue_free(NULL);
}

/* ---- what is due, of one kind ---- */

static void add_up(void *self, uint32_t subject)
{
    *(uint64_t *)self += (uint64_t)1 << subject;
}

/* 64 events at three times and of two kinds, some of them moved or cancelled: subject by subject as the list of pushes has it. */
static void visits_what_is_due(void **state)
{
    (void)state;
    struct event_queue *q = event_queue_new();
    uint64_t want[3][2] = { { 0 } };
    for (uint32_t i = 0; i < 64; i++) {
        struct event e = { 10 + i * 7 % 3, i * 5 % 8 < 4 ? EVENT_JOB_END : EVENT_NODE, i };
        event_id id = event_queue_push(q, e);
        if (i % 9 == 8) {
            assert_true(event_queue_cancel(q, id));
            continue;
        }
        if (i % 5 == 4)
            assert_true(event_queue_move(q, id, e.time_ns = 11));
        want[e.time_ns - 10][e.kind == EVENT_NODE] |= (uint64_t)1 << i;
    }
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 2; k++) {
            uint64_t got = 0;
            event_queue_visit(q, 10 + t, k ? EVENT_NODE : EVENT_JOB_END, add_up, &got);
            assert_true(want[t][k] != 0 && got == want[t][k]);
        }
    uint64_t none = 0;
    event_queue_visit(q, 9, EVENT_JOB_END, add_up, &none);
    event_queue_visit(q, 13, EVENT_JOB_END, add_up, &none);
    assert_true(none == 0);
    event_queue_free(q);
}

/* ---- beside a list that is searched from end to end ---- */

struct naive { struct event e; event_id id; bool queued; };
static int compare(const struct naive *a, const struct naive *b)
{
    if (a->e.time_ns != b->e.time_ns)
        return a->e.time_ns < b->e.time_ns ? -1 : 1;
    if (a->e.kind != b->e.kind)
        return a->e.kind < b->e.kind ? -1 : 1;
    if (a->e.subject != b->e.subject)
        return a->e.subject < b->e.subject ? -1 : 1;
    return 0; /* then the list's own order is that of insertion */
}

enum { OPERATIONS = 12000 };
static struct naive list[OPERATIONS];
static size_t listed;

static struct naive *naive_first(void)
{
    struct naive *best = NULL;
    for (size_t i = 0; i < listed; i++)
        if (list[i].queued && (!best || compare(&list[i], best) < 0))
            best = &list[i];
    return best;
}

static bool is(const struct event *e, const struct naive *n)
{
    return e->time_ns == n->e.time_ns && e->kind == n->e.kind && e->subject == n->e.subject;
}

static void check_ahead(const struct event_queue *q)
{
    struct event ahead[EVENTS_AHEAD];
    struct naive *gone[EVENTS_AHEAD];
    size_t n = event_queue_ahead(q, ahead), i = 0;
    for (struct naive *next; i < EVENTS_AHEAD && (next = naive_first()); i++) {
        assert_true(i < n && is(&ahead[i], next));
        next->queued = false;
        gone[i] = next;
    }
    assert_int_equal(n, i);
    for (i = 0; i < n; i++)
        gone[i]->queued = true;
}

static void check_pop(struct event_queue *q, size_t *length)
{
    struct naive *want = naive_first();
    check_ahead(q);
    struct event peeked, e;
    assert_int_equal(event_queue_peek(q, &peeked), want != NULL);
    assert_int_equal(event_queue_next_ns(q), want ? want->e.time_ns : INT64_MAX);
    assert_int_equal(event_queue_pop(q, &e), want != NULL);
    if (!want)
        return;
    assert_true(is(&e, want) && is(&peeked, want));
    want->queued = false;
    /* of equal events it must have been this one, the older: its id is gone */
    assert_false(event_queue_cancel(q, want->id));
    --*length;
}

/* Few times, kinds and subjects, so that ties are the rule; `grow` is the percentage of pushes. */
static const struct random_row { const char *name; uint64_t seed, times, grow; } random_rows[] = {
    { "random: short queue", 1, 50, 34 },
    { "random: long queue", 2, 50, 70 },
    { "random: nearly all tied", 3, 2, 50 },
    { "random: few ties", 4, 1000000, 60 },
};

static void random_operations(void **state)
{
    const struct random_row *row = *state;
    struct random r;
    random_init(&r, row->seed, "operations", 0);
    struct event_queue *q = event_queue_new();
    size_t length = 0;
    listed = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        uint64_t what = random_below(&r, 100);
        int64_t time = (int64_t)random_below(&r, row->times) - 5;
        struct naive *any = listed ? &list[random_below(&r, listed)] : NULL;
        if (what < row->grow || !any) {
            struct event e = { time, (enum event_kind)random_below(&r, 5), (uint32_t)random_below(&r, 3) };
            list[listed++] = (struct naive){ e, event_queue_push(q, e), true };
            length++;
        } else if (what % 3 == 0) {
            assert_int_equal(event_queue_cancel(q, any->id), any->queued);
            length -= any->queued;
            any->queued = false;
        } else if (what % 3 == 1) {
            assert_int_equal(event_queue_move(q, any->id, time), any->queued);
            any->e.time_ns = any->queued ? time : any->e.time_ns;
        } else {
            check_pop(q, &length);
        }
        assert_int_equal(event_queue_length(q), length);
    }
    while (length)
        check_pop(q, &length);
    check_pop(q, &length);
    event_queue_free(q);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, order, order_rows);
    ADD_TEST(tests, n, ids_go_stale);
    ADD_TEST(tests, n, visits_what_is_due);
    ADD_ROWS(tests, n, random_operations, random_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
