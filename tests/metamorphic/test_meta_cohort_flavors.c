/* test_meta_cohort_flavors.c - quotas of kinds of nodes on random workloads of single jobs, gangs and elastic jobs: in each
 * flavor limits hold at every instant, a queue that is owed quota has it, no job is stopped without use, and a pass leaves nothing
 * for a second one. Each with a control that does see the contrary.
 *
 * A counted node a flavor with as many GPUs as there is quota of it, so that places never bind; stopping is free and takes no
 * time. What is certain only where queues do nothing but take back what is theirs, and why: test_meta_cohort.c. */
#include "policies/kueue/books.h"
#include "tests/metamorphic/cohort_stops.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

enum { SEEDS = 150, KINDS = 2, TREE = 6, FIRST_LEAF = 2, RUN_JOBS = 60 };

/* gangs: jobs of several tasks; elastic: some are admitted with fewer. */
struct way { const char *name; bool plain, gangs, elastic; double params[2]; };
struct tree {
    struct queue_spec queue[TREE];
    struct flavor_quota quota[TREE][KINDS];
    char name[TREE][2];
    struct group_spec group[KINDS];
    struct job_row job[RUN_JOBS];
};
static const uint32_t parents[TREE] = { ID_NONE, 0, 1, 1, 0, 0 };
static const struct flavor flavors[KINDS] = { { "h", "kind=h", "", "" }, { "a", "kind=a", "", "" } };

/* ---- Random worlds ---- */

static void queue_make(struct tree *t, struct random *r, uint32_t v, int reclaim, bool plain)
{
    const struct amount unlimited = { UNLIMITED, UNLIMITED, UNLIMITED };
    uint32_t first = (uint32_t)random_below(r, KINDS);
    t->name[v][0] = (char)('a' + v);
    t->queue[v].facts = (struct queue_facts){ .name = t->name[v], .parent = parents[v], .weight = (double)random_below(r, 4),
        .quota = { { 0, UNLIMITED, UNLIMITED }, unlimited }, .cohort = COHORT_RULES_UNSAID };
    struct cohort_rules *rules = &t->queue[v].facts.cohort;
    rules->reclaim = reclaim;
    rules->within_queue = plain ? WITHIN_NEVER : (int)random_below(r, 3);
    rules->borrow = plain ? BORROW_NEVER : (int)random_below(r, 2);
    for (uint32_t k = 0; k < KINDS && v >= FIRST_LEAF; k++) {
        struct flavor_quota *q = &t->quota[v][k];
        int64_t nominal = (int64_t)random_below(r, 7);
        *q = (struct flavor_quota){ .flavor = (first + k) % KINDS, .nominal = unlimited, .borrowing = unlimited, .lending = unlimited };
        q->nominal.gpu_milli = 1000 * nominal;
        if (random_below(r, 3) == 0)
            q->borrowing.gpu_milli = 1000 * (int64_t)random_below(r, 5);
        t->group[q->flavor].gpus += (uint32_t)nominal;
    }
    if (v >= FIRST_LEAF) {
        t->queue[v].facts.flavor_quota = t->quota[v];
        t->queue[v].facts.n_flavor_quotas = KINDS;
    }
}

static void job_make(struct tree *t, struct random *r, struct job_row *j, const struct way *way)
{
    uint32_t tasks = way->gangs ? 1 + (uint32_t)random_below(r, 4) : 1;
    uint32_t each = 1 + (uint32_t)random_below(r, way->gangs ? 2 : 4);
    *j = job_row_default;
    j->duration_ns = (1 + (int64_t)random_below(r, 40)) * NS_PER_S;
    j->tasks = tasks;
    j->gpus = tasks * each;
    j->min_tasks = way->elastic && random_below(r, 2) ? 1 + (uint32_t)random_below(r, tasks) : 0;
    j->priority = (int32_t)random_below(r, 3);
    j->gpu_type = random_below(r, 3) ? NULL : "H";
    j->gpu_type_length = j->gpu_type ? 1 : 0;
    j->queue = t->name[FIRST_LEAF + random_below(r, TREE - FIRST_LEAF)];
    j->queue_length = 1;
}

static void tree_make(struct tree *t, uint64_t seed, int reclaim, const struct way *way)
{
    static const char *const model[KINDS] = { "H", "A" };
    struct random r;
    random_init(&r, seed, "flavored cohort runs", 0);
    memset(t, 0, sizeof *t);
    for (uint32_t k = 0; k < KINDS; k++)
        t->group[k] = (struct group_spec){ .name = model[k], .gpu_model = model[k], .count = 1, .gpus = 1, .counted = true,
                                           .labels = flavors[k].labels, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    for (uint32_t v = 0; v < TREE; v++)
        queue_make(t, &r, v, reclaim, way->plain);
    int64_t at = 0;
    for (size_t j = 0; j < RUN_JOBS; j++) {
        job_make(t, &r, &t->job[j], way);
        t->job[j].submit_ns = at += (int64_t)random_below(&r, 4) * NS_PER_S;
    }
}

/* ---- What is watched ---- */

struct watch {
    const struct tree *t;
    struct cohort_books books;
    char memory[4096];
    struct stops_seen seen;
    bool sheltered[KINDS];
    unsigned over_limit, owed, stops, in_vain, partial;
};

static void books_make(struct watch *w)
{
    static const uint32_t resource[KINDS] = { 0, 0 };
    w->books = (struct cohort_books){ .n = TREE, .cells = KINDS, .resources = 1, .parent = parents, .resource = resource };
    memset(w->memory, 0, sizeof w->memory);
    cohort_books_lay(&w->books, w->memory);
    for (uint32_t v = 0; v < TREE; v++)
        for (uint32_t k = 0; k < KINDS; k++) {
            const struct flavor_quota *q = &w->t->quota[v][k];
            w->books.quota[cohort_at(&w->books, v, v < FIRST_LEAF ? k : q->flavor)] =
                v < FIRST_LEAF ? (struct cohort_quota){ 0, UNLIMITED, UNLIMITED }
                               : (struct cohort_quota){ q->nominal.gpu_milli, q->borrowing.gpu_milli, UNLIMITED };
        }
    cohort_books_settle(&w->books);
}

/* Node k is the one of flavor k. */
static void use_placement(struct watch *w, const struct sched *s, job_id j)
{
    const struct placement *p = job_placement(s, j);
    int64_t need[KINDS] = { 0 };
    for (size_t i = 0; p && i < p->n; i++)
        need[p->piece[i].node] += 1000 * (int64_t)p->piece[i].gpus;
    if (p)
        cohort_use(&w->books, job_facts(s, j)->queue, need, 1);
    bool fewer = p && p->n < job_facts(s, j)->ask->tasks;
    w->partial += fewer;
    /* admitted so in this pass, it may be stopped from the next on */
    if (fewer && job_last_start_ns(s, j) == sched_now(s))
        w->sheltered[p->piece[0].node] = true;
}

/* In some flavor that it may have its queue could hold it, or its minimum, within its own quota. */
static bool is_owed(const struct watch *w, const struct sched *s, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    int64_t least = 1000 * (int64_t)(w->t->job[j].gpus / w->t->job[j].tasks) * f->min_tasks;
    bool owed = false;
    for (uint32_t k = 0; k < (w->t->job[j].gpu_type ? 1 : KINDS); k++)
        owed |= !w->sheltered[k] && !cohort_borrows(&w->books, f->queue, k, least);
    return owed;
}

static void at_instant(void *self, const struct sched *s)
{
    struct watch *w = self;
    books_make(w);
    memset(w->sheltered, 0, sizeof w->sheltered);
    for (job_id j = 0; j < RUN_JOBS; j++)
        use_placement(w, s, j);
    for (uint32_t v = 0; v < TREE; v++)
        for (uint32_t k = 0; k < KINDS; k++) {
            size_t at = cohort_at(&w->books, v, k);
            int64_t most = parents[v] == ID_NONE ? 0 : w->books.quota[at].borrowing;
            w->over_limit += most != UNLIMITED && w->books.usage[at] > w->books.subtree[at] + most;
        }
    for (job_id j = 0; j < RUN_JOBS; j++)
        w->owed += job_state(s, j) == JOB_PENDING && w->seen.stopped_ns[j] != sched_now(s) && is_owed(w, s, j);
}

static void at_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision, const char *reason)
{
    (void)reason;
    stops_note(&((struct watch *)self)->seen, j, now_ns, kind, decision);
}

static void tree_run(struct watch *w, const struct policy *p, const double *params, struct job_result *results)
{
    struct cluster_given given = { .name = "w", .group = w->t->group, .n_groups = KINDS, .queue = w->t->queue, .n_queues = TREE,
                                   .flavor = flavors, .n_flavors = KINDS };
    struct run_setup setup = { .policy = p, .policy_params = params,
                               .observer = { .self = w, .decision = at_decision, .instant = at_instant } };
    stops_run(&given, w->t->job, RUN_JOBS, "count", setup, results);
    stops_count(&w->seen, &w->stops, &w->in_vain);
}

/* ---- Properties ---- */

static const struct way ways[] = {
    { "single", true, false, false, { 0, 0 } },           { "gangs", true, true, false, { 0, 0 } },
    { "gangs, places", true, true, false, { 0, 1 } },     { "elastic", true, true, true, { 0, 0 } },
    { "any rules, gangs", false, true, false, { 0, 0 } }, { "by shares, gangs", false, true, false, { 1, 0 } },
    { "any rules, elastic", false, true, true, { 0, 0 } },
};

static void watch_way(struct watch *sum, const struct way *way, int reclaim)
{
    static struct tree t;
    static struct watch w;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        tree_make(&t, seed, reclaim, way);
        w = (struct watch){ .t = &t };
        tree_run(&w, policy_named("cohort").policy, way->params, NULL);
        sum->over_limit += w.over_limit;
        sum->owed += w.owed;
        sum->stops += w.stops;
        sum->in_vain += w.in_vain;
        sum->partial += w.partial;
    }
}

static void promises_are_kept(void **state)
{
    const struct way *way = *state;
    static struct watch with, without;
    with = without = (struct watch){ .t = NULL };
    watch_way(&with, way, RECLAIM_ANY);
    watch_way(&without, way, RECLAIM_NEVER);
    assert_int_equal(with.over_limit + without.over_limit, 0);
    assert_true(with.stops > 100 && without.owed > 1000);    /* control: without reclaim some are owed, and wait */
    assert_true(way->elastic == (with.partial > 1000));
    if (way->plain)
        assert_int_equal(with.in_vain + without.stops, 0);
    else
        assert_true(with.in_vain <= with.stops / 1000);
    /* of elastic jobs one was evicted twice in a pass, and rests until the next (cohort.h); of other rules: test_meta_cohort.c */
    assert_true(way->plain ? with.owed <= way->elastic : with.owed < without.owed / 10);
}

/* Control: a policy that knows no quotas breaks them, and that is seen. */
static void others_break_limits(void **state)
{
    static struct tree t;
    static struct watch w;
    unsigned over = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct named_policy fifo = policy_named("fifo");
        tree_make(&t, seed, RECLAIM_NEVER, &ways[1]);
        w = (struct watch){ .t = &t };
        tree_run(&w, fifo.policy, fifo.params, NULL);
        over += w.over_limit;
    }
    assert_true(over > 10);
}

/* ---- A second pass ---- */

static const struct policy *doubled;

static void twice(struct sched *s, const void *params, void *state)
{
    doubled->schedule(s, params, state);
    doubled->schedule(s, params, state);
}

static bool twice_is_once(const struct way *way, uint64_t seed)
{
    static struct tree t;
    static struct watch w;
    static struct job_result once[RUN_JOBS], both[RUN_JOBS];
    const struct policy *cohort = policy_named("cohort").policy;
    struct policy again = *cohort;
    bool same = true;
    doubled = cohort;
    again.schedule = twice;
    tree_make(&t, seed, RECLAIM_ANY, way);
    w = (struct watch){ .t = &t };
    tree_run(&w, cohort, way->params, once);
    w = (struct watch){ .t = &t };
    tree_run(&w, &again, way->params, both);
    for (size_t j = 0; j < RUN_JOBS; j++)
        same &= once[j].start_ns == both[j].start_ns && once[j].end_ns == both[j].end_ns && once[j].preemptions == both[j].preemptions;
    return same;
}

/* Controls: where queues may stop for other reasons than their quota, a pass is cut short, and a second one goes on; it may stop
 * what the first has admitted with fewer tasks, too. */
static void a_second_pass_changes_nothing(void **state)
{
    unsigned plain = 0, others = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            *(ways[i].plain && !ways[i].elastic ? &plain : &others) += !twice_is_once(&ways[i], seed);
    /* seed 35, with places and without: at 22 job 7 is evicted twice, and rests until the next pass (cohort.h); in none of the other
     * runs a job rests */
    assert_int_equal(plain, 2);
    assert_true(others > 20);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, promises_are_kept, ways);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(others_break_limits);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_second_pass_changes_nothing);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
