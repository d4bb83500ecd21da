/* test_meta_cohort.c - cohorts of queues on random workloads: limits hold at every instant, a
 * queue that is owed quota has it, no job is stopped without use, and a pass leaves nothing for
 * a second one. Each with a control that does see the contrary.
 *
 * The one node has as many GPUs as there is quota, so that places never bind; stopping is free and takes no time. All of it
 * holds where queues do nothing but take back what is theirs. Where they may also stop for priorities, for age, while they
 * borrow, or by shares, Kueue's rules can go round in circles: whoever has stopped somebody is overtaken before it is admitted,
 * or stopped in turn (of shares: kubernetes-sigs/kueue, issue 14543). Then a pass is cut short, and limits alone are certain.
 *
 * What is certain for all of them, with two levels of cohorts or three: once passes have gone on until one starts and preempts
 * nothing, none of the jobs that wait fits in what is idle or is owed quota, and by shares none could be admitted whichever job
 * rule S2-a (fair.h) lets it have stopped. Where a few passes do not end the circle, and for jobs that wait for others to leave,
 * nothing is asked: stopping takes no time, so these are overtaken, or stopped in turn, for ever. */
#include "policies/kueue/books.h"
#include "tests/metamorphic/cohort_stops.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

enum { SEEDS = 150, LEAVES = 5, TREE = 8, RUN_JOBS = 60 };

struct tree {
    struct queue_spec queue[TREE];
    char name[TREE][2];
    uint32_t n, parent[TREE], leaf[LEAVES], n_leaves;
    struct group_spec group;
    struct job_row job[RUN_JOBS];
};

/* org above two cohorts, above three queues, beside two */
static const uint32_t wide[TREE] = { ID_NONE, 0, 0, 1, 1, 2, 0, 0 };
/* org above a cohort, beside two queues; that above a cohort, beside one; that above two */
static const uint32_t deep[TREE] = { ID_NONE, 0, 1, 2, 2, 1, 0, 0 };

static void tree_make(struct tree *t, uint64_t seed, int reclaim, bool plain, const uint32_t *parents)
{
    struct random r;
    random_init(&r, seed, "cohort runs", 0);
    *t = (struct tree){ .n = TREE };
    uint32_t gpus = 0;
    for (uint32_t v = 0; v < TREE; v++) {
        bool leaf = v > 2;
        uint32_t nominal = (uint32_t)random_below(&r, leaf ? 7 : 3);
        t->name[v][0] = (char)('a' + v);
        t->parent[v] = parents[v];
        gpus += nominal;
        t->queue[v].facts = (struct queue_facts){
            .name = t->name[v], .parent = parents[v], .weight = (double)random_below(&r, 4),
            .quota = { { 1000 * (int64_t)nominal, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
            .cohort = COHORT_RULES_UNSAID,
        };
        struct cohort_rules *rules = &t->queue[v].facts.cohort;
        rules->reclaim = reclaim;
        rules->within_queue = plain ? WITHIN_NEVER : (int)random_below(&r, 3);
        rules->borrow = plain ? BORROW_NEVER : (int)random_below(&r, 2);
        if (leaf && random_below(&r, 3) == 0)
            rules->borrowing_limit.gpu_milli = 1000 * (int64_t)random_below(&r, 5);
        if (leaf)
            t->leaf[t->n_leaves++] = v;
    }
    t->group = (struct group_spec){ .name = "node", .count = 1, .gpus = gpus + 1, .counted = true, .cpu_milli = INT64_MAX,
                                    .mem_mib = INT64_MAX };
    int64_t at = 0;
    for (size_t j = 0; j < RUN_JOBS; j++) {
        t->job[j] = job_row_default;
        t->job[j].submit_ns = at += (int64_t)random_below(&r, 4) * NS_PER_S;
        t->job[j].duration_ns = (1 + (int64_t)random_below(&r, 40)) * NS_PER_S;
        t->job[j].gpus = 1 + (uint32_t)random_below(&r, 4);
        t->job[j].priority = (int32_t)random_below(&r, 3);
        t->job[j].queue = t->name[t->leaf[random_below(&r, t->n_leaves)]];
        t->job[j].queue_length = 1;
    }
}

/* ---- What is watched ---- */

struct watch {
    const struct tree *t;
    struct cohort_books books;
    char memory[4096];
    struct stops_seen seen;
    unsigned over_limit, owed, stops, in_vain;
    unsigned idle, unowed, unfair;          /* waits that a fixed point by shares does not have */
    unsigned instants, unsettled, waits;
    bool releasing[RUN_JOBS];               /* what it waits for, as it was said last */
};

static void books_make(struct watch *w)
{
    static const uint32_t resource[] = { 0 };
    w->books = (struct cohort_books){ .n = w->t->n, .cells = 1, .resources = 1, .parent = w->t->parent, .resource = resource };
    memset(w->memory, 0, sizeof w->memory);
    cohort_books_lay(&w->books, w->memory);
    for (uint32_t v = 0; v < w->t->n; v++) {
        const struct queue_facts *f = &w->t->queue[v].facts;
        w->books.quota[v] = (struct cohort_quota){ f->quota.deserved.gpu_milli, f->cohort.borrowing_limit.gpu_milli, UNLIMITED };
    }
    cohort_books_settle(&w->books);
}

/* ---- Fixed points by shares ---- */

/* Passes until one starts, stops and preempts nothing. What starts and is preempted in the same pass shows in preemptors alone,
 * which wait for others to leave. */
static bool settled;
static unsigned preemptors;

static void until_settled(struct sched *s, const void *params, void *state)
{
    enum { PASSES = 10 };
    settled = false;
    for (int i = 0; i < PASSES && !settled; i++) {
        uint64_t room = sched_room_version(s);
        preemptors = 0;
        policy_named("cohort").policy->schedule(s, params, state);
        settled = !preemptors && sched_room_version(s) == room;
    }
}

/* Shares as fractions, by hand: what the node borrows, by what its parent could have and its weight. */
static int share_compare(const struct watch *w, uint32_t x, uint32_t y)
{
    const struct cohort_books *b = &w->books;
    const uint32_t v[] = { x, y };
    int64_t over[2], of[2];
    bool infinite[2];
    for (int i = 0; i < 2; i++) {
        int64_t weight = (int64_t)w->t->queue[v[i]].facts.weight, borrowed = b->usage[v[i]] - b->subtree[v[i]];
        over[i] = borrowed > 0 && b->potential[b->parent[v[i]]] > 0 ? borrowed / 1000 : 0;
        infinite[i] = weight == 0 && over[i] > 0;
        of[i] = (over[i] ? b->potential[b->parent[v[i]]] / 1000 : 1) * (weight ? weight : 1);
    }
    if (infinite[0] != infinite[1])
        return infinite[0] ? 1 : -1;
    return (over[0] * of[1] > over[1] * of[0]) - (over[0] * of[1] < over[1] * of[0]);
}

static bool shares(const struct watch *w, uint32_t v)
{
    return w->books.usage[v] > w->books.subtree[v];
}

/* Whether j, whose usage counts, may have the other one stopped by S2-a before any other is. */
static bool may_stop(struct watch *w, const struct sched *s, job_id j, job_id other)
{
    struct cohort_books *b = &w->books;
    uint32_t p = job_facts(s, j)->queue, v = job_facts(s, other)->queue;
    if (p == v || !shares(w, v))
        return false;
    while (b->parent[p] != b->parent[v]) {
        uint32_t *lower = b->depth[p] > b->depth[v] ? &p : &v;
        *lower = b->parent[*lower];
        if (!shares(w, v))
            return false;
    }
    const int64_t need = job_size(s, other).gpu_milli;
    cohort_use(b, job_facts(s, other)->queue, &need, -1);
    bool allowed = share_compare(w, p, v) <= 0;
    cohort_use(b, job_facts(s, other)->queue, &need, 1);
    return allowed;
}

static bool does(struct watch *w, const struct sched *s, job_id j, job_id other)
{
    const int64_t need = job_size(s, other).gpu_milli;
    cohort_use(&w->books, job_facts(s, other)->queue, &need, -1);
    bool fits = cohort_available(&w->books, job_facts(s, j)->queue, 0) >= 0;
    cohort_use(&w->books, job_facts(s, other)->queue, &need, 1);
    return fits;
}

/* It waits, and each job that S2-a lets it have stopped would do, and there are such. Those of its own queue, which it needs no
 * rule for, would be taken as well: it is left out if there are. */
static bool is_wronged(struct watch *w, const struct sched *s, job_id j)
{
    const int64_t need = job_size(s, j).gpu_milli;
    uint32_t queue = job_facts(s, j)->queue;
    unsigned may = 0, would_do = 0, own = 0;
    cohort_use(&w->books, queue, &need, 1);
    for (job_id other = 0; other < RUN_JOBS; other++) {
        if (!job_placement(s, other))
            continue;
        own += job_facts(s, other)->queue == queue;
        if (!may_stop(w, s, j, other))
            continue;
        may++;
        would_do += does(w, s, j, other);
    }
    cohort_use(&w->books, queue, &need, -1);
    return may && may == would_do && (!own || w->t->queue[queue].facts.cohort.within_queue == WITHIN_NEVER);
}

/* All that wait, after a pass that has started and stopped nothing; but for those that wait for others to leave: that takes no
 * time, so they are overtaken or stopped in turn again and again. */
static void look_at_fixed_point(struct watch *w, const struct sched *s)
{
    w->instants++;
    w->unsettled += !settled;
    for (job_id j = 0; j < RUN_JOBS && settled; j++) {
        uint32_t queue = job_facts(s, j)->queue;
        int64_t size = job_size(s, j).gpu_milli;
        if (job_state(s, j) != JOB_PENDING || w->releasing[j])
            continue;
        w->waits++;
        w->idle += cohort_fits(&w->books, queue, &size);
        w->unowed += w->books.usage[queue] + size <= w->books.quota[queue].nominal;
        w->unfair += is_wronged(w, s, j);
    }
}

static void at_instant(void *self, const struct sched *s)
{
    struct watch *w = self;
    books_make(w);
    for (uint32_t k = 0; k < w->t->n_leaves; k++)
        cohort_use(&w->books, w->t->leaf[k], &(int64_t){ queue_held(s, w->t->leaf[k]).gpu_milli }, 1);
    for (uint32_t v = 0; v < w->t->n; v++) {
        int64_t most = w->books.parent[v] == ID_NONE ? 0 : w->books.quota[v].borrowing;
        w->over_limit += most != UNLIMITED && w->books.usage[v] > w->books.subtree[v] + most;
    }
    for (job_id j = 0; j < RUN_JOBS; j++)
        if (job_state(s, j) == JOB_PENDING)
            w->owed += w->books.usage[job_facts(s, j)->queue] + job_size(s, j).gpu_milli <=
                       w->books.quota[job_facts(s, j)->queue].nominal;
    look_at_fixed_point(w, s);
}

static void at_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision, const char *reason)
{
    struct watch *w = self;
    w->releasing[j] = reason && !strcmp(reason, "releasing");
    preemptors += w->releasing[j];
    stops_note(&w->seen, j, now_ns, kind, decision);
}

static void tree_run(struct watch *w, const struct policy *p, const double *params, struct job_result *results)
{
    struct cluster_given given = { .name = "w", .group = &w->t->group, .n_groups = 1, .queue = w->t->queue, .n_queues = w->t->n };
    struct run_setup setup = { .policy = p, .policy_params = params,
                               .observer = { .self = w, .decision = at_decision, .instant = at_instant } };
    stops_run(&given, w->t->job, RUN_JOBS, "count", setup, results);
    stops_count(&w->seen, &w->stops, &w->in_vain);
}

/* ---- Properties ---- */

static const struct way {
    const char *name;
    bool plain, by_shares;
    double params[2];
    const uint32_t *parents;
} ways[] = {
    { "plain", true, false, { 0, 0 }, wide },
    { "plain, places", true, false, { 0, 1 }, wide },
    { "plain, deep", true, false, { 0, 0 }, deep },
    { "classical", false, false, { 0, 0 }, wide },
    { "fair", false, true, { 1, 0 }, wide },
    { "fair, deep", false, true, { 1, 0 }, deep },
    { "final share", false, true, { 2, 0 }, wide },
    { "final share, deep", false, true, { 2, 0 }, deep },
    { "initial share", false, true, { 3, 0 }, wide },
    { "fair, places", false, true, { 1, 1 }, wide },
    { "classical, places", false, false, { 0, 1 }, wide },
};

static void watch_way(struct watch *sum, const struct way *way, int reclaim, bool settle)
{
    static struct tree t;
    static struct watch w;
    struct policy cohort = *policy_named("cohort").policy;
    if (settle)
        cohort.schedule = until_settled;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        tree_make(&t, seed, reclaim, way->plain, way->parents);
        w = (struct watch){ .t = &t };
        tree_run(&w, &cohort, way->params, NULL);
        sum->over_limit += w.over_limit;
        sum->owed += w.owed;
        sum->stops += w.stops;
        sum->in_vain += w.in_vain;
        sum->instants += w.instants;
        sum->unsettled += w.unsettled;
        sum->waits += w.waits;
        sum->idle += w.idle;
        sum->unowed += w.unowed;
        sum->unfair += w.unfair;
    }
}

static void promises_are_kept(void **state)
{
    const struct way *way = *state;
    static struct watch with, without;
    with = without = (struct watch){ .t = NULL };
    watch_way(&with, way, RECLAIM_ANY, false);
    watch_way(&without, way, RECLAIM_NEVER, false);
    assert_int_equal(with.over_limit + without.over_limit, 0);
    assert_true(with.stops > 100);
    assert_true(without.owed > 1000);         /* control: without reclaim, some are owed and wait */
    if (way->plain)
        assert_int_equal(with.owed + with.in_vain + without.stops, 0);
    else
        assert_true(with.owed < without.owed / 10 && with.in_vain < with.stops / 500);
}

/* Controls: without reclaim, some are owed and wait, and would be admitted by shares; and where shares do not count, they wait
 * against them. */
static void fixed_points_are_exact(void **state)
{
    const struct way *way = *state;
    static struct watch with, without;
    with = without = (struct watch){ .t = NULL };
    watch_way(&with, way, RECLAIM_ANY, true);
    watch_way(&without, way, RECLAIM_NEVER, true);
    assert_int_equal(with.idle + with.unowed, 0);
    assert_true(with.waits > 50000 && with.unsettled < with.instants / 3);
    assert_true(without.unowed > 1000 && without.unfair > 1000);
    if (way->by_shares)
        assert_int_equal(with.unfair, 0);
    else
        assert_true(with.unfair > 1000);
}

/* Control: a policy that knows no quotas breaks them, and that is seen. */
static void others_break_limits(void **state)
{
    static struct tree t;
    static struct watch w;
    unsigned over = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        tree_make(&t, seed, RECLAIM_NEVER, true, wide);
        w = (struct watch){ .t = &t };
        struct named_policy fifo = policy_named("fifo");
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

/* Control: starts one job a pass, so that a second pass does find something. */
static void one_at_a_time(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    for (job_id j = 0; j < RUN_JOBS; j++) {
        struct request r = { 0 };
        const struct placement *where;
        if (job_state(s, j) != JOB_PENDING)
            continue;
        r = job_request(s, j);
        if ((where = sched_place(s, sched_view(s, FREE_IDLE), &r))) {
            sched_start(s, j, where);
            sched_wake_at(s, sched_now(s) + NS_PER_S);
            return;
        }
    }
}

static bool twice_is_once(const struct policy *p, const struct way *way, uint64_t seed)
{
    static struct tree t;
    static struct watch w;
    static struct job_result once[RUN_JOBS], both[RUN_JOBS];
    struct policy again = *p;
    bool same = true;
    doubled = p;
    again.schedule = twice;
    tree_make(&t, seed, RECLAIM_ANY, true, way->parents);
    w = (struct watch){ .t = &t };
    tree_run(&w, p, way->params, once);
    w = (struct watch){ .t = &t };
    tree_run(&w, &again, way->params, both);
    for (size_t j = 0; j < RUN_JOBS; j++)
        same &= once[j].start_ns == both[j].start_ns && once[j].end_ns == both[j].end_ns &&
                once[j].wait_ns == both[j].wait_ns && once[j].preemptions == both[j].preemptions;
    return same;
}

static void a_second_pass_changes_nothing(void **state)
{
    static const struct way no_params = { .parents = wide };
    static const struct policy slow = { .abi = POLICY_ABI, .name = "slow", .schedule = one_at_a_time };
    unsigned differ = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        for (size_t way = 0; ways[way].plain; way++)
            if (!twice_is_once(policy_named("cohort").policy, &ways[way], seed))
                fail_msg("%s, seed %u: a second pass changes something", ways[way].name, (unsigned)seed);
        if (seed < 10)
            differ += !twice_is_once(&slow, &no_params, seed);
    }
    assert_true(differ > 5);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, promises_are_kept, ways);
    ADD_ROWS(tests, n, fixed_points_are_exact, ways);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(others_break_limits);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_second_pass_changes_nothing);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
