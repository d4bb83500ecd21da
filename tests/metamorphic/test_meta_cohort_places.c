/* test_meta_cohort_places.c - quota and places at once: gangs of up to four tasks on three nodes a flavor, some bound to a rack,
 * some elastic, some that may not be stopped, some in slices, under cohort:placement=wait. After each instant brute force looks at what waits:
 * at all places in each rack, and at all orders in which victims could leave. Each promise with a control that breaks it.
 *
 * Queues do nothing but take back what is theirs (why: test_meta_cohort.c), in one cohort; stopping is free and takes no time. */
#include "tests/metamorphic/cohort_stops.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

enum { SEEDS = 150, KINDS = 2, NODES = 3, GPUS = 4, QUEUES = 4, RUN_JOBS = 40, VICTIMS_MOST = 12 };

struct tree {
    struct queue_spec queue[1 + QUEUES];
    struct flavor_quota quota[1 + QUEUES][KINDS];
    char name[1 + QUEUES][2];
    struct group_spec group[KINDS];
    struct job_row job[RUN_JOBS];
};
static const struct flavor flavors[KINDS] = { { "h", "kind=h", "", "" }, { "a", "kind=a", "", "" } };

/* ---- Random worlds ---- */

static void queue_make(struct tree *t, struct random *r, uint32_t v, int reclaim)
{
    const struct amount unlimited = { UNLIMITED, UNLIMITED, UNLIMITED };
    uint32_t first = (uint32_t)random_below(r, KINDS);
    t->name[v][0] = (char)('a' + v);
    t->queue[v].facts = (struct queue_facts){ .name = t->name[v], .parent = v ? 0 : ID_NONE, .weight = 1,
        .quota = { { 0, UNLIMITED, UNLIMITED }, unlimited }, .cohort = COHORT_RULES_UNSAID };
    t->queue[v].facts.cohort.reclaim = reclaim;
    t->queue[v].facts.cohort.within_queue = WITHIN_NEVER;
    t->queue[v].facts.cohort.borrow = BORROW_NEVER;
    for (uint32_t k = 0; k < KINDS && v; k++) {
        struct flavor_quota *q = &t->quota[v][k];
        *q = (struct flavor_quota){ .flavor = (first + k) % KINDS, .nominal = unlimited, .borrowing = unlimited, .lending = unlimited };
        q->nominal.gpu_milli = 1000 * (int64_t)random_below(r, NODES * GPUS / QUEUES + 1);
        if (random_below(r, 3) == 0)
            q->borrowing.gpu_milli = 1000 * (int64_t)random_below(r, 6);
    }
    t->queue[v].facts.flavor_quota = v ? t->quota[v] : NULL;
    t->queue[v].facts.n_flavor_quotas = v ? KINDS : 0;
}

static void job_make(struct tree *t, struct random *r, struct job_row *j)
{
    uint32_t tasks = 1 + (uint32_t)random_below(r, 4), each = 1 + (uint32_t)random_below(r, 2);
    *j = job_row_default;
    j->duration_ns = (1 + (int64_t)random_below(r, 40)) * NS_PER_S;
    j->tasks = tasks;
    j->gpus = tasks * each;
    j->min_tasks = random_below(r, 4) ? 0 : 1 + (uint32_t)random_below(r, tasks);
    j->preemptible = random_below(r, 6) > 0;
    j->required_level = random_below(r, 3) ? LEVEL_ANY : LEVEL_RACK;
    j->gpu_type = random_below(r, 3) ? NULL : "H";
    j->gpu_type_length = j->gpu_type ? 1 : 0;
    j->queue = t->name[1 + random_below(r, QUEUES)];
    j->queue_length = 1;
}

/* It prefers a rack, or is in slices of two tasks on one node or in one rack. */
static void job_add_levels(struct random *r, struct job_row *j)
{
    static const char *const slices[] = { "node:2", "rack:2", NULL };
    if (j->required_level == LEVEL_ANY && random_below(r, 2))
        j->preferred_level = LEVEL_RACK;
    if (j->tasks % 2 == 0)
        j->slices = slices[random_below(r, 3)];
    if (j->slices && j->min_tasks % 2)
        j->min_tasks++;
}

/* levels: with preferred levels and slices. */
static void tree_make(struct tree *t, uint64_t seed, int reclaim, bool levels)
{
    static const char *const model[KINDS] = { "H", "A" };
    struct random r;
    random_init(&r, seed, "cohort places", 0);
    memset(t, 0, sizeof *t);
    for (uint32_t k = 0; k < KINDS; k++)
        t->group[k] = (struct group_spec){ .name = model[k], .gpu_model = model[k], .count = NODES, .gpus = GPUS, .nodes_per_rack = 2,
                                           .labels = flavors[k].labels, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    for (uint32_t v = 0; v < 1 + QUEUES; v++)
        queue_make(t, &r, v, reclaim);
    int64_t at = 0;
    for (size_t j = 0; j < RUN_JOBS; j++) {
        job_make(t, &r, &t->job[j]);
        if (levels)
            job_add_levels(&r, &t->job[j]);
        t->job[j].submit_ns = at += (int64_t)random_below(&r, 5) * NS_PER_S;
    }
}

/* ---- What is held, and what would be without some ---- */

struct watch {
    const struct tree *t;
    struct stops_seen seen;
    int64_t used[1 + QUEUES][KINDS];          /* GPUs */
    int64_t free[KINDS][NODES];
    unsigned over_limit, idle, owed, stops, in_vain, firm_stopped, gangs, broken;
};

static const struct flavor_quota *quota_of(const struct tree *t, queue_id v, uint32_t k)
{
    return &t->quota[v][t->quota[v][0].flavor == k ? 0 : 1];
}

/* Node n is of flavor n / NODES. */
static void use(struct watch *w, const struct sched *s, job_id j, int sign)
{
    const struct placement *p = job_placement(s, j);
    for (size_t i = 0; p && i < p->n; i++) {
        node_id n = p->piece[i].node;
        w->used[job_facts(s, j)->queue][n / NODES] += sign * (int64_t)p->piece[i].gpus;
        w->free[n / NODES][n % NODES] -= sign * (int64_t)p->piece[i].gpus;
    }
}

/* The job holds tasks in two racks of which it requires one, or a slice that is not in one domain. */
static bool is_broken(const struct watch *w, const struct sched *s, job_id j)
{
    const struct placement *p = job_placement(s, j);
    const struct job_row *row = &w->t->job[j];
    uint32_t on[NODES] = { 0 };
    for (size_t i = 0; p && i < p->n; i++)
        on[p->piece[i].node % NODES]++;
    if (row->required_level == LEVEL_RACK && on[0] + on[1] && on[2])
        return true;
    if (!row->slices)
        return false;
    return !strcmp(row->slices, "node:2") ? on[0] % 2 || on[1] % 2 || on[2] % 2 : (on[0] + on[1]) % 2 || on[2] % 2;
}

static bool borrows(const struct watch *w, queue_id v, uint32_t k, int64_t more)
{
    return 1000 * (w->used[v][k] + more) > quota_of(w->t, v, k)->nominal.gpu_milli;
}

static bool has_quota(const struct watch *w, queue_id v, uint32_t k, int64_t more)
{
    const struct flavor_quota *q = quota_of(w->t, v, k);
    int64_t left = 0;
    for (queue_id u = 1; u <= QUEUES; u++)
        left += quota_of(w->t, u, k)->nominal.gpu_milli - 1000 * w->used[u][k];
    return 1000 * more <= left && (q->borrowing.gpu_milli == UNLIMITED ||
                                   1000 * (w->used[v][k] + more) <= q->nominal.gpu_milli + q->borrowing.gpu_milli);
}

static int64_t in_slices(const struct job_row *j, const char *slices, int64_t tasks)
{
    return j->slices && !strcmp(j->slices, slices) ? tasks - tasks % 2 : tasks;
}

/* Racks: nodes 0 and 1, node 2. Tasks are alike, so a place is a number of tasks on each node; slices are whole. */
static bool has_place(const struct watch *w, uint32_t k, const struct job_row *j, uint32_t tasks)
{
    int64_t each = j->gpus / j->tasks, on[NODES];
    for (uint32_t n = 0; n < NODES; n++)
        on[n] = in_slices(j, "node:2", w->free[k][n] / each);
    int64_t first = in_slices(j, "rack:2", on[0] + on[1]), second = in_slices(j, "rack:2", on[2]);
    int64_t larger = first > second ? first : second;
    return (j->required_level == LEVEL_RACK ? larger : first + second) >= tasks;
}

static bool fits(const struct watch *w, const struct sched *s, job_id j, uint32_t k, uint32_t tasks)
{
    const struct job_row *row = &w->t->job[j];
    return has_quota(w, job_facts(s, j)->queue, k, tasks * (row->gpus / row->tasks)) && has_place(w, k, row, tasks);
}

/* ---- Brute force over victims ---- */

struct brute {
    struct watch *w;
    const struct sched *s;
    job_id job, victim[VICTIMS_MOST];
    uint32_t flavor, n;
    signed char known[1 << VICTIMS_MOST];
};

static bool holds_in(const struct sched *s, job_id v, uint32_t k)
{
    const struct placement *p = job_placement(s, v);
    return p && p->piece[0].node / NODES == k;
}

/* In whatever order others are taken that use more than their quota: at some point it fits. `gone` have left the counts. */
static bool fits_in_any_order(struct brute *b, unsigned gone)
{
    bool all = true, any = false;
    if (b->known[gone])
        return b->known[gone] > 0;
    if (fits(b->w, b->s, b->job, b->flavor, b->w->t->job[b->job].tasks)) {
        b->known[gone] = 1;
        return true;
    }
    for (uint32_t i = 0; i < b->n && all; i++) {
        if (gone >> i & 1 || !borrows(b->w, job_facts(b->s, b->victim[i])->queue, b->flavor, 0))
            continue;
        any = true;
        use(b->w, b->s, b->victim[i], -1);
        all = fits_in_any_order(b, gone | 1u << i);
        use(b->w, b->s, b->victim[i], 1);
    }
    b->known[gone] = all && any ? 1 : -1;
    return all && any;
}

/* One that was admitted with fewer tasks in this pass may be from the next on. */
static bool may_be_stopped(const struct watch *w, const struct sched *s, job_id v)
{
    bool fewer = job_state(s, v) == JOB_RUNNING && job_placement(s, v)->n < w->t->job[v].tasks;
    return job_state(s, v) == JOB_RUNNING && job_facts(s, v)->preemptible && !(fewer && job_last_start_ns(s, v) == sched_now(s));
}

/* With all its tasks it stays within its quota, and it fits once some that borrow have left, in whatever order they do. */
static bool is_owed(struct watch *w, const struct sched *s, job_id j, uint32_t k)
{
    static struct brute b;
    queue_id own = job_facts(s, j)->queue;
    b = (struct brute){ .w = w, .s = s, .job = j, .flavor = k };
    if (borrows(w, own, k, w->t->job[j].gpus))
        return false;
    for (job_id v = 0; v < RUN_JOBS; v++)
        if (may_be_stopped(w, s, v) && holds_in(s, v, k) && job_facts(s, v)->queue != own) {
            if (b.n == VICTIMS_MOST)
                return false;
            b.victim[b.n++] = v;
        }
    return fits_in_any_order(&b, 0);
}

static void at_instant(void *self, const struct sched *s)
{
    struct watch *w = self;
    memset(w->used, 0, sizeof w->used);
    for (uint32_t k = 0; k < KINDS; k++)
        for (uint32_t n = 0; n < NODES; n++)
            w->free[k][n] = GPUS;
    for (job_id j = 0; j < RUN_JOBS; j++) {
        use(w, s, j, 1);
        w->broken += is_broken(w, s, j);
    }
    for (queue_id v = 1; v <= QUEUES; v++)
        for (uint32_t k = 0; k < KINDS; k++)
            w->over_limit += !has_quota(w, v, k, 0);
    for (job_id j = 0; j < RUN_JOBS; j++) {
        uint32_t kinds = w->t->job[j].gpu_type ? 1 : KINDS;
        /* one that has been stopped now comes back whole, or in the next pass */
        if (job_state(s, j) != JOB_PENDING || w->seen.stopped_ns[j] == sched_now(s))
            continue;
        w->gangs += w->t->job[j].tasks > 1;
        for (uint32_t k = 0; k < kinds; k++) {
            bool idle = fits(w, s, j, k, job_facts(s, j)->min_tasks);
            w->idle += idle;
            w->owed += !idle && is_owed(w, s, j, k);
        }
    }
}

static void at_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision, const char *reason)
{
    struct watch *w = self;
    (void)reason;
    w->firm_stopped += !strcmp(kind, "stop") && !w->t->job[j].preemptible;
    stops_note(&w->seen, j, now_ns, kind, decision);
}

static void tree_run(struct watch *w, struct named_policy policy, const char *placer)
{
    struct cluster_given given = { .name = "w", .group = w->t->group, .n_groups = KINDS, .queue = w->t->queue, .n_queues = 1 + QUEUES,
                                   .flavor = flavors, .n_flavors = KINDS };
    struct run_setup setup = { .policy = policy.policy, .policy_params = policy.params,
                               .observer = { .self = w, .decision = at_decision, .instant = at_instant } };
    stops_run(&given, w->t->job, RUN_JOBS, placer, setup, NULL);
    stops_count(&w->seen, &w->stops, &w->in_vain);
}

static struct watch watched(const char *policy, const char *placer, int reclaim, bool levels, uint64_t seeds)
{
    static struct tree t;
    static struct watch w, sum;
    sum = (struct watch){ .t = NULL };
    for (uint64_t seed = 0; seed < seeds; seed++) {
        tree_make(&t, seed, reclaim, levels);
        w = (struct watch){ .t = &t };
        tree_run(&w, policy_named(policy), placer);
        sum.over_limit += w.over_limit;
        sum.idle += w.idle;
        sum.owed += w.owed;
        sum.stops += w.stops;
        sum.in_vain += w.in_vain;
        sum.firm_stopped += w.firm_stopped;
        sum.gangs += w.gangs;
        sum.broken += w.broken;
    }
    return sum;
}

/* ---- Properties ---- */

static const struct way { const char *name, *policy, *placer; bool levels; } ways[] = {
    { "kueue-tas", "cohort:placement=wait", "kueue-tas", false },
    { "kueue-tas, slices", "cohort:placement=wait", "kueue-tas", true },
    { "pack", "cohort:placement=wait", "pack", false },
};

static void promises_are_kept(void **state)
{
    const struct way *way = *state;
    struct watch with = watched(way->policy, way->placer, RECLAIM_ANY, way->levels, SEEDS);
    struct watch without = watched(way->policy, way->placer, RECLAIM_NEVER, way->levels, SEEDS);
    assert_int_equal(with.over_limit + without.over_limit + with.broken + without.broken, 0);
    assert_int_equal(with.firm_stopped + with.in_vain + without.stops, 0);
    assert_true(with.stops > 100 && with.gangs > 10000);
    assert_true(without.owed > 1000);         /* control: without reclaim, some are owed and wait */
    assert_int_equal(with.owed + with.idle + without.idle, 0);
}

/* Controls: first come, first served, knows no quota, and lets GPUs idle behind the head; a placer that knows no slices. */
static void others_break_them(void **state)
{
    (void)state;
    struct watch fifo = watched("fifo", "pack", RECLAIM_NEVER, false, 20);
    struct watch pack = watched("cohort:placement=wait", "pack", RECLAIM_NEVER, true, 20);
    assert_true(pack.broken > 100);
    assert_true(fifo.over_limit > 1000 && fifo.idle > 1000 && fifo.owed > 100);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, promises_are_kept, ways);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(others_break_them);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
