/* test_meta_quota_bounds.c - no scenario that the bound of policies/kai/search/scenario_bound.c leaves out would have been the answer of a
 * search: each is tried all the same, in whole runs of random worlds; and ahead.c finds the victim that the walk finds. What again.c
 * counts is what comes of the scenario. */
#include "policies/kai/search/search.h"
#include "tests/metamorphic/quota_watch.h"

enum { SEEDS = 100 };

/* plain: siblings without limits, jobs that are preemptible and want all their tasks. types: nodes of two GPU types, and jobs that
 * want one of them. counted: totals and single GPUs, of two priorities. */
struct bound_kind { const char *name; struct kind kind; bool plain, types, counted; };
struct tally { uint64_t infeasible, failed, ahead, counted, wrong; };

static struct tally tally;

static void doubt(struct sched *s, struct quota_state *q)
{
    search_begin(s, q)->doubts = true;
}

/* Control: as if every job might use every node. */
static void doubt_all_suit(struct sched *s, struct quota_state *q)
{
    struct search *x = search_begin(s, q);
    x->doubts = true;
    for (size_t i = 0; i < x->n_suits; i++)
        x->suits[i] = SUITS_ALL;
}

/* Control: as if jobs wanted no CPUs. */
static void doubt_numbers(struct sched *s, struct quota_state *q)
{
    search_begin(s, q)->doubts = true;
    for (size_t i = 0; i < q->n_checks; i++)
        q->check[i].by_numbers = q->check[i].has_type = true;
}

static void count(struct sched *s, struct quota_state *q)
{
    struct search *x = search_begin(s, q);
    tally.infeasible += x->n_infeasible;
    tally.wrong += x->n_wrong;
    tally.failed += x->n_failed;
    tally.ahead += x->n_ahead;
    tally.counted += x->n_counted;
    x->n_infeasible = x->n_wrong = x->n_failed = x->n_ahead = x->n_counted = 0;
}

#define WATCHED(with, ...) { .name = with, .policy = with, .before = doubt, .after = count, __VA_ARGS__ }
static const struct bound_kind kinds[] = {
    { "plain gangs", WATCHED("quota"), .plain = true },
    { "plain gangs, no consolidation", WATCHED("quota:consolidation=no"), .plain = true },
    { "plain gangs, moves count", WATCHED("quota:consolidation=no,moves=no"), .plain = true },
    { "plain gangs, two types", WATCHED("quota:consolidation=no"), .plain = true, .types = true },
    { "plain gangs, pools", WATCHED("quota:consolidation=no", .pools = true), .plain = true },
    { "totals and single GPUs", WATCHED("quota"), .plain = true, .counted = true },
    { "totals and single GPUs, no consolidation", WATCHED("quota:consolidation=no"), .plain = true, .counted = true },
    { "gangs", WATCHED("quota", .whole = true), .plain = false },
    { "gangs, shares of GPUs, CPUs", WATCHED("quota"), .plain = false },
    { "gangs, two types", WATCHED("quota:consolidation=no"), .types = true },
    { "gangs, grace", WATCHED("quota", .grace = true), .plain = false },
    { "gangs, minimum run times", WATCHED("quota:consolidation=no", .runtimes = true), .plain = false },
    { "gangs, racks", WATCHED("quota", .racks = true), .plain = false },
    { "pools, gangs, racks", WATCHED("quota", .pools = true, .racks = true), .plain = false },
};
static const struct bound_kind control = {
    "control", { .name = "control", .policy = "quota:consolidation=no", .before = doubt_all_suit, .after = count }, true, true, false
};
static const struct bound_kind control_counted = {
    "control", { .name = "control", .policy = "quota:consolidation=no", .before = doubt_numbers, .after = count }, true, false, true
};

static void make_plain(struct world *w)
{
    for (uint32_t i = 0; i < w->n_queues; i++) {
        w->queue[i].facts.quota.limit = (struct amount){ UNLIMITED, UNLIMITED, UNLIMITED };
        w->queue[i].facts.quota.deserved.cpu_milli = UNLIMITED;
        for (uint32_t p = 0; p < POOLS; p++)
            w->pool_quota[i][p].borrowing.gpu_milli = UNLIMITED;
    }
    for (size_t j = 0; j < JOBS; j++) {
        w->job[j].priority = 50;
        w->job[j].preemptible = true;
        w->job[j].min_tasks = w->job[j].tasks;
        w->job[j].gpu_milli = MILLI_ALL;
        w->job[j].cpu_milli = 0;
    }
}

static void make_types(struct world *w, struct random *r)
{
    uint32_t n = w->group[0].count;
    w->group[1] = w->group[0];
    w->group[1].name = "other";
    w->group[1].gpu_model = "H100";
    w->group[1].count = n / 2;
    w->group[0].count = n - n / 2;
    w->n_groups = 2;
    for (size_t j = 0; j < JOBS; j++)
        if (draw(r, 0, 1)) {
            w->job[j].gpu_type = draw(r, 0, 1) ? "A100" : "H100";
            w->job[j].gpu_type_length = strlen(w->job[j].gpu_type);
        }
}

static void make_counted(struct world *w, struct random *r, bool cpus)
{
    w->n_groups = 1;
    for (size_t j = 0; j < JOBS; j++) {
        bool total = draw(r, 0, 1);
        w->job[j].tasks = w->job[j].min_tasks = total ? 0 : 1;
        w->job[j].gpus = total ? (uint32_t)draw(r, 1, TASKS_MOST) : 1;
        w->job[j].priority = draw(r, 0, 1) ? 50 : 75;
        w->job[j].cpu_milli = cpus ? draw(r, 1, 4) * 4000 : 0;
    }
}

static bool is_flat_world(const struct world *w)
{
    bool flat = true;
    for (uint32_t i = 0; i < w->n_queues; i++)
        flat = flat && w->queue[i].facts.parent == ID_NONE;
    return flat;
}

static struct tally run(const struct bound_kind *k, uint64_t seeds)
{
    tally = (struct tally){ 0 };
    struct counts c = { 0 };
    for (uint64_t seed = 0, n = 0; n < seeds; seed++) {
        static struct world w;
        struct random r;
        world_make(&w, &k->kind, seed);
        if (k->plain && !is_flat_world(&w))
            continue;
        random_init(&r, seed, "quota bounds", 0);
        if (k->plain)
            make_plain(&w);
        if (k->types)
            make_types(&w, &r);
        if (k->counted)
            make_counted(&w, &r, k == &control_counted);
        world_run(&w, &k->kind, seed, &c);
        n++;
    }
    return tally;
}

static void none_would_have_been_solved(void **state)
{
    const struct bound_kind *k = *state;
    struct tally t = run(k, SEEDS);
    print_message("%s: %llu failed, %llu of them infeasible; %llu ahead; %llu counted\n", k->name, (unsigned long long)t.failed,
                  (unsigned long long)t.infeasible, (unsigned long long)t.ahead, (unsigned long long)t.counted);
    assert_int_equal(t.wrong, 0);
    if (k->counted)
        assert_true(t.counted > 1000);
    else
        assert_true(t.infeasible > 100 && t.failed > t.infeasible);
}

static void control_all_nodes_suit(void **state)
{
    (void)state;
    assert_true(run(&control, SEEDS).wrong > 0);
}

static void control_cpus_do_not_count(void **state)
{
    (void)state;
    assert_true(run(&control_counted, SEEDS).wrong > 0);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, none_would_have_been_solved, kinds);
    ADD_TEST(tests, n, control_all_nodes_suit);
    ADD_TEST(tests, n, control_cpus_do_not_count);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
