/* test_flows.c - flows over shared links in time: hand-made transfers, and shares found among those concerned only. */
#include "sim/physics/flows.h"
#include "sim/engine/state.h"
#include "sim/engine/models.h"
#include "tests/unit/test_core.h"

enum { LINKS = 5, OPEN_MOST = 12 };

struct story { int64_t end_ns[8]; unsigned changes[8]; };
static struct story told;

static void note_change(struct sched *s, job_id j, flow_id f, double share)
{
    (void)s, (void)f, (void)share;
    told.changes[j % 8]++;
}
static void note_end(struct sched *s, job_id j, flow_id f)
{
    (void)f;
    told.end_ns[j % 8] = s->now_ns;
}
static const struct flow_kind noted = { note_change, note_end };

static struct sched *begin(const double *capacity, size_t n)
{
    struct sched *s = mem_new(1, sizeof *s);
    told = (struct story){ { 0 }, { 0 } };
    s->events = event_queue_new();
    models_add(s, &flows_model);
    flows_begin(s);
    for (size_t i = 0; i < n; i++)
        flows_link(s, capacity[i]);
    return s;
}
static void end(struct sched *s)
{
    event_queue_free(s->events);
    flows_end(s);
    free(s);
}
/* Everything that is over by then. */
static void play(struct sched *s, int64_t until_ns)
{
    struct event e;
    flows_balance(s);
    while (event_queue_peek(s->events, &e) && e.time_ns <= until_ns) {
        event_queue_pop(s->events, &e);
        s->now_ns = e.time_ns;
        flow_over(s, e.subject);
        flows_balance(s);
    }
    s->now_ns = until_ns;
}
static flow_id carry(struct sched *s, job_id j, double bytes, double demand, const link_id *link, size_t n)
{
    return flow_open(s, &(struct flow_spec){ .kind = &noted, .job = j, .link = link, .n_links = n, .demand = demand, .bytes = bytes });
}

/* 10 B/s. 100 B from 0; 100 B more from 5, when 50 are over: 5 B/s each, so the first ends at 15, the second has 50 left then: 20. */
static void two_transfers(void **state)
{
    (void)state;
    struct sched *s = begin((const double[]){ 10 }, 1);
    carry(s, 0, 100, INFINITY, (const link_id[]){ 0 }, 1);
    play(s, 5 * NS_PER_S);
    carry(s, 1, 100, INFINITY, (const link_id[]){ 0 }, 1);
    play(s, 100 * NS_PER_S);
    assert_int_equal(told.end_ns[0], 15 * NS_PER_S);
    assert_int_equal(told.end_ns[1], 20 * NS_PER_S);
    end(s);
}

/* An endless flow of 4 B/s beside a transfer of 60 B on 10 B/s: 10 s. Then a second transfer, on the link behind only, is not told. */
static void demand_is_served(void **state)
{
    (void)state;
    struct sched *s = begin((const double[]){ 10, 100 }, 2);
    flow_id steady = carry(s, 0, 0, 4, (const link_id[]){ 0, 1, 0 }, 3);
    carry(s, 1, 60, INFINITY, (const link_id[]){ 0 }, 1);
    play(s, 5 * NS_PER_S);
    assert_near(flow_share(s, steady), 4, 0);
    unsigned before = told.changes[0];
    flow_id other = carry(s, 2, 0, 50, (const link_id[]){ 1 }, 1);
    play(s, 20 * NS_PER_S);
    assert_int_equal(told.end_ns[1], 10 * NS_PER_S);
    assert_int_equal(told.changes[0], before);
    assert_near(flow_share(s, other), 50, 0);
    end(s);
}

static void without_a_link(void **state)
{
    (void)state;
    struct sched *s = begin(NULL, 0);
    carry(s, 3, 30, 10, NULL, 0);
    play(s, 5 * NS_PER_S);
    assert_int_equal(told.end_ns[3], 3 * NS_PER_S);
    end(s);
}

/* A link that carries nothing stops a transfer until it is closed. */
static void nothing_moves(void **state)
{
    (void)state;
    struct sched *s = begin((const double[]){ 0 }, 1);
    flow_id f = carry(s, 0, 30, INFINITY, (const link_id[]){ 0 }, 1);
    play(s, 1000 * NS_PER_S);
    assert_int_equal(told.end_ns[0], 0);
    assert_near(flow_left(s, f), 30, 0);
    flow_close(s, f);
    assert_int_equal(event_queue_length(s->events), 0);
    end(s);
}

/* What was found locally is what a fresh computation over all flows finds, and what was carried is what was asked for. */
static void shares_are_those_of_all(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct random r;
        random_init(&r, seed, "flows", 0);
        double capacity[LINKS];
        for (size_t i = 0; i < LINKS; i++)
            capacity[i] = 1 + (double)random_below(&r, 40);
        struct sched *s = begin(capacity, LINKS);
        struct { flow_id id; double demand; link_id link[2]; size_t n; } open[OPEN_MOST];
        size_t n = 0;
        for (unsigned step = 0; step < 60; step++) {
            if (n == OPEN_MOST || (n && random_below(&r, 3) == 0)) {
                size_t gone = random_below(&r, n);
                flow_close(s, open[gone].id);
                open[gone] = open[--n];
            } else {
                open[n].demand = random_below(&r, 4) ? 1 + (double)random_below(&r, 30) : INFINITY;
                open[n].link[0] = (link_id)random_below(&r, LINKS);
                open[n].link[1] = (open[n].link[0] + 1) % LINKS;
                open[n].n = 1 + random_below(&r, 2);
                open[n].id = carry(s, 7, 0, open[n].demand, open[n].link, open[n].n);
                n++;
            }
            flows_balance(s);
            struct sched *anew = begin(capacity, LINKS);
            flow_id same[OPEN_MOST];
            for (size_t i = 0; i < n; i++)
                same[i] = carry(anew, 7, 0, open[i].demand, open[i].link, open[i].n);
            flows_balance(anew);
            for (size_t i = 0; i < n; i++)
                assert_near(flow_share(s, open[i].id), flow_share(anew, same[i]), 1e-9);
            end(anew);
        }
        end(s);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, two_transfers);
    ADD_TEST(tests, n, demand_is_served);
    ADD_TEST(tests, n, without_a_link);
    ADD_TEST(tests, n, nothing_moves);
    ADD_TEST(tests, n, shares_are_those_of_all);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
