/* test_quota_rules.c - order, gate, reasons and whole scenarios: by hand, and scenarios against their definition. */
#include "policies/kai/queues/rules.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GPU = MILLI_ALL };
#define SHARE(deserved_, limit_, held, fair_)                                                                          \
    { .deserved = (deserved_), .limit = (limit_), .allocated = (held), .fair = (fair_) }
#define FREE SHARE(UNLIMITED, UNLIMITED, 0, 0)
static const struct quota_amount total = { { 100 * GPU, 100000, 100000 } };

/* ---- The order of two queues; a is the older ---- */
static const struct order_row {
    const char *name;
    struct quota_queue a, b;
    struct quota_amount a_job, b_job, a_victims, b_victims;
    bool a_first;
} order_rows[] = {
    /* 1: b holds more than its fair share of everything. Without the CPU it would be first: 3/4 against 9/10. */
    { "1 over-used in all three goes last",
      { .of = { SHARE(9, -1, 9, 10), SHARE(9, -1, 9, 10), SHARE(9, -1, 9, 10) } },
      { .of = { SHARE(4, -1, 3, 2), SHARE(4, -1, 3, 2), SHARE(4, -1, 3, 2) }, .priority = 9 }, .a_first = true },
    { "1 over-used in two is not over-used",
      { .of = { SHARE(9, -1, 9, 10), SHARE(9, -1, 9, 10), SHARE(9, -1, 9, 10) } },
      { .of = { SHARE(4, -1, 3, 2), SHARE(4, -1, 3, 2), SHARE(4, -1, 3, 3) }, .priority = 9 }, .a_first = false },
    { "2 starved with the job", { .of = { SHARE(8, -1, 6, 8), FREE, FREE } },
      { .of = { SHARE(8, -1, 2, 8), FREE, FREE }, .priority = 9 }, { { 2, 0, 0 } }, { { 7, 0, 0 } }, .a_first = true },
    { "3 priority", { .of = { SHARE(8, -1, 1, 8), FREE, FREE } }, { .of = { SHARE(8, -1, 7, 8), FREE, FREE }, .priority = 1 },
      .a_first = false },
    /* 4: neither starved; a may hold no CPU and would. Its ratio is in bytes and the like: huge, but 4 is asked before 5. */
    { "4 barred", { .of = { SHARE(0, -1, 1, 50), SHARE(0, -1, 0, 0), FREE } }, { .of = { SHARE(0, -1, 1, 2), FREE, FREE } },
      { { 1, 1, 0 } }, { { 1, 1, 0 } }, .a_first = false },
    /* 5: (4 + 4)/10 against (1 + 8)/10 */
    { "5 the dominant share with the job", { .of = { SHARE(0, -1, 4, 10), FREE, FREE } },
      { .of = { SHARE(0, -1, 1, 10), FREE, FREE } }, { { 4, 0, 0 } }, { { 8, 0, 0 } }, .a_first = true },
    /* 5: the GPU ratio is b's smaller, but its CPU ratio is 1/2 */
    { "5 the greatest of the three", { .of = { SHARE(0, -1, 3, 10), SHARE(0, -1, 1, 10), FREE } },
      { .of = { SHARE(0, -1, 1, 10), SHARE(0, -1, 5, 10), FREE } }, .a_first = true },
    /* 5: unlimited: of the cluster, 40/100 against 5/10 */
    { "5 unlimited counts by the cluster", { .of = { SHARE(-1, -1, 40 * GPU, 0), FREE, FREE } },
      { .of = { SHARE(0, -1, 5, 10), FREE, FREE } }, .a_first = true },
    /* 5: both barred: 2 GPUs x 1000 against 1000 milli-CPUs x 1000 */
    { "5 barred: GPUs, milli-CPUs and bytes", { .of = { SHARE(0, -1, 2 * GPU, 0), FREE, FREE } },
      { .of = { FREE, SHARE(0, -1, 1000, 0), FREE } }, .a_first = true },
    /* victims: (9 - 6)/10 against (8 - 4)/10 */
    { "5 less the victims", { .of = { SHARE(0, -1, 9, 10), FREE, FREE } }, { .of = { SHARE(0, -1, 8, 10), FREE, FREE } },
      .a_victims = { { 6, 0, 0 } }, .b_victims = { { 4, 0, 0 } }, .a_first = true },
    { "2 is not about victims", { .of = { SHARE(8, -1, 9, 10), FREE, FREE } }, { .of = { SHARE(8, -1, 8, 10), FREE, FREE } },
      .a_victims = { { 6, 0, 0 } }, .a_first = false },
    /* 5 ties at 1/2 + 1/10 */
    { "6 the dominant share without it", { .of = { SHARE(0, -1, 5, 10), FREE, FREE } },
      { .of = { SHARE(0, -1, 4, 10), FREE, FREE } }, { { 1, 0, 0 } }, { { 2, 0, 0 } }, .a_first = false },
    { "7 the smaller allocatable share", { .of = { SHARE(0, -1, 0, 10), FREE, FREE } },
      { .of = { SHARE(0, -1, 0, 9), FREE, FREE } }, .a_first = false },
    { "7 smaller here, larger there: the older", { .of = { SHARE(0, -1, 0, 10), SHARE(0, -1, 0, 9), FREE } },
      { .of = { SHARE(0, -1, 0, 9), SHARE(0, -1, 0, 10), FREE } }, .a_first = true },
    { "8 the older", { .of = { FREE, FREE, FREE } }, { .of = { FREE, FREE, FREE } }, .a_first = true },
    /* a third and a third, that is 1000/3000 and 333333/999999: equal, so 7 decides */
    { "equal ratios are equal", { .of = { SHARE(0, -1, 1000, 3000), FREE, FREE } },
      { .of = { SHARE(0, -1, 333333, 999999), FREE, FREE } }, .a_first = true },
};

static void order(void **state)
{
    const struct order_row *row = *state;
    struct quota_queue q[2] = { row->a, row->b };
    struct quota_standing a = quota_standing(&q[0], &row->a_job, &row->a_victims, &total);
    struct quota_standing b = quota_standing(&q[1], &row->b_job, &row->b_victims, &total);
    assert_int_equal(quota_goes_before(&a, &b), row->a_first);
    assert_int_equal(quota_goes_before(&b, &a), !row->a_first);
}

/* A total order of queues, whatever their shares, as long as rule 7 does not see incomparable ones: those with one limited
 * resource. */
static void total_order(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "quota order", 0);
    for (uint32_t trial = 0; trial < 20000; trial++) {
        struct quota_queue q[3];
        struct quota_standing s[3];
        for (uint32_t i = 0; i < 3; i++) {
            q[i] = (struct quota_queue){ .of = { SHARE((int64_t)random_below(&r, 3), -1, (int64_t)random_below(&r, 4),
                                                       (int64_t)random_below(&r, 4)), FREE, FREE },
                                         .priority = (int32_t)random_below(&r, 2) };
            s[i] = quota_standing(&q[i], &(struct quota_amount){ { (int64_t)random_below(&r, 2), 0, 0 } }, NULL, &total);
        }
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t j = 0; j < 3; j++) {
                assert_true(i == j || quota_goes_before(&s[i], &s[j]) != quota_goes_before(&s[j], &s[i]));
                for (uint32_t k = 0; k < 3; k++)
                    assert_true(!quota_goes_before(&s[i], &s[j]) || !quota_goes_before(&s[j], &s[k]) || i == k ||
                                quota_goes_before(&s[i], &s[k]));
            }
    }
}

/* ---- Capacity, up the tree: 0 the top (limit 8, deserved 6), 1 its child (limit 5, deserved -1) ---- */
static const struct capacity_row {
    const char *name;
    int64_t held, firm, asked;
    bool is_firm;
    enum quota_verdict want;
    queue_id at;
} capacity_rows[] = {
    { "capacity: up to the limit", 3, 0, 2, false, QUOTA_FITS, ID_NONE },
    { "capacity: above the leaf's", 3, 0, 3, false, QUOTA_OVER_LIMIT, 1 },
    { "capacity: above the top's", 4, 0, 1, false, QUOTA_OVER_LIMIT, 0 },
    { "capacity: nothing asked, nothing tested", 9, 9, 0, true, QUOTA_FITS, ID_NONE },
    { "capacity: a firm one within deserved", 2, 1, 2, true, QUOTA_FITS, ID_NONE },
    { "capacity: a firm one above the top's deserved", 2, 2, 2, true, QUOTA_OVER_DESERVED, 0 },
    { "capacity: so what, if preemptible", 2, 2, 2, false, QUOTA_FITS, ID_NONE },
};

static void capacity(void **state)
{
    const struct capacity_row *row = *state;
    int64_t others = row->held >= 4 ? 4 : 3;    /* held and firm by the top's other children */
    struct quota_queue q[2] = {
        { .of = { SHARE(6, 8, row->held + others, 0), SHARE(0, 0, 5, 0), FREE }, .parent = ID_NONE },
        { .of = { SHARE(-1, 5, row->held, 0), SHARE(0, 0, 5, 0), FREE }, .parent = 0 },
    };
    q[0].of[Q_GPU].firm = row->firm + others;
    q[1].of[Q_GPU].firm = row->firm;
    queue_id at;
    assert_int_equal(quota_capacity(q, 1, &(struct quota_amount){ { row->asked, 0, 0 } }, row->is_firm, &at), row->want);
    assert_int_equal(at, row->at);
}

/* ---- The gate and the two reasons ---- */
static void gate(void **state)
{
    (void)state;
    struct quota_queue leaf = { .of = { SHARE(3, -1, 2, 4), SHARE(5, -1, 0, 5), SHARE(0, -1, 0, 0) } };
    leaf.of[Q_GPU].firm = 2;
    assert_true(quota_may_reclaim(&leaf, &(struct quota_amount){ { 2, 5, 0 } }, false));
    assert_false(quota_may_reclaim(&leaf, &(struct quota_amount){ { 3, 5, 0 } }, false));
    assert_false(quota_may_reclaim(&leaf, &(struct quota_amount){ { 2, 6, 0 } }, false));
    assert_false(quota_may_reclaim(&leaf, &(struct quota_amount){ { 0, 0, 1 } }, false));
    assert_true(quota_may_reclaim(&leaf, &(struct quota_amount){ { 1, 5, 0 } }, true));
    assert_false(quota_may_reclaim(&leaf, &(struct quota_amount){ { 2, 5, 0 } }, true));
}

static void reasons(void **state)
{
    (void)state;
    struct quota_queue victim = { .of = { SHARE(2, -1, 9, 4), SHARE(2, 3, 9, 4), FREE } };
    struct quota_queue taker = { .of = { SHARE(3, -1, 2, 4), FREE, FREE } };
    struct quota_amount one = { { 1, 0, 0 } }, two = { { 2, 0, 0 } };
    assert_false(quota_maintain_fair_share(&victim, &(struct quota_amount){ { 4, 3, 9 } }));
    assert_true(quota_maintain_fair_share(&victim, &(struct quota_amount){ { 5, 0, 0 } }));
    assert_true(quota_maintain_fair_share(&victim, &(struct quota_amount){ { 0, 4, 0 } }));     /* its limit */
    assert_true(quota_guarantee_deserved(&taker, &one, &victim, &(struct quota_amount){ { 3, 0, 0 } }));
    assert_false(quota_guarantee_deserved(&taker, &one, &victim, &(struct quota_amount){ { 2, 2, 9 } }));
    assert_false(quota_guarantee_deserved(&taker, &two, &victim, &(struct quota_amount){ { 3, 0, 0 } }));
    victim.of[Q_GPU].deserved = victim.of[Q_CPU].deserved = UNLIMITED;
    victim.of[Q_CPU].limit = UNLIMITED;
    assert_false(quota_maintain_fair_share(&victim, &(struct quota_amount){ { 99, 99, 99 } }));
    assert_false(quota_guarantee_deserved(&taker, &one, &victim, &(struct quota_amount){ { 99, 99, 99 } }));
}

/* ---- Scenarios ---- */
enum { TREE = 7, UNITS = 6 };    /* 0 and 1 top queues; 2, 3 of 0; 4 of 1; 5 of 2, 6 of 4: depths differ */
static const queue_id parent[TREE] = { ID_NONE, ID_NONE, 0, 0, 1, 2, 4 };
static const queue_id leaves[] = { 3, 5, 6 };
struct unit { queue_id leaf; struct quota_amount size; };

static bool judge(const struct quota_queue *q, queue_id leaf, struct quota_amount ask, bool firm, double multiplier,
                  const struct unit *unit, size_t n)
{
    static struct quota_loss loss[TREE], zero[TREE];
    struct quota_scenario s;
    bool valid = true;
    quota_scenario_begin(&s, q, loss, leaf, &ask, firm, multiplier);
    for (size_t i = 0; i < n && valid; i++)
        valid = quota_scenario_take(&s, unit[i].leaf, &unit[i].size);
    valid = valid && quota_scenario_valid(&s);
    quota_scenario_end(&s);
    assert_memory_equal(loss, zero, sizeof loss);
    return valid;
}

static void make_tree(struct quota_queue *q)
{
    memset(q, 0, TREE * sizeof *q);
    for (uint32_t i = 0; i < TREE; i++)
        q[i] = (struct quota_queue){ .of = { SHARE(2 * GPU, -1, 2 * GPU, 2 * GPU), FREE, FREE }, .parent = parent[i] };
}

static void scenarios(void **state)
{
    (void)state;
    struct quota_queue q[TREE];
    struct quota_amount one = { { GPU, 0, 0 } }, eight = { { 8 * GPU, 0, 0 } };
    make_tree(q);
    /* 6 (of 1) holds 9 of 2, 3 (of 0) nothing: 0 and 1 are compared. */
    q[3].of[Q_GPU].allocated = q[0].of[Q_GPU].allocated = 0;
    for (queue_id i = 6; i != ID_NONE; i = parent[i])
        q[i].of[Q_GPU].allocated = 9 * GPU;
    struct unit big = { 6, eight }, small = { 6, one };
    assert_true(judge(q, 3, one, false, 1, &big, 1));                                     /* a big gang, far below in the end */
    assert_false(judge(q, 3, one, false, 1, (struct unit[]){ big, small }, 2));           /* 1 left: nothing more */
    assert_true(judge(q, 3, one, false, 1, (struct unit[]){ small, big }, 2));
    assert_false(judge(q, 3, one, true, 1, (struct unit[]){ big, small }, 2));
    /* A firm taker: 0 deserves 2 and holds two firm ones. */
    q[0].of[Q_GPU].firm = 2 * GPU;
    assert_false(judge(q, 3, one, true, 1, &small, 1));
    assert_true(judge(q, 3, one, false, 1, &small, 1));
    /* 0 itself would be above its share: 3/2, against 1 with 8 - 5 = 3 left of 2: not below. With 4 left: 3/2 < 2. */
    q[0].of[Q_GPU].allocated = 2 * GPU;
    assert_false(judge(q, 3, one, false, 1, (struct unit[]){ small, small, small, small, small, small }, 6));
    assert_true(judge(q, 3, one, false, 1, (struct unit[]){ small, small, small, small, small }, 5));
    assert_true(judge(q, 3, one, false, 1.3, (struct unit[]){ small, small, small, small, small }, 5));     /* 1.95 < 2 */
    assert_false(judge(q, 3, one, false, 1.34, (struct unit[]){ small, small, small, small, small }, 5));   /* 2.01 */
    q[1].of[Q_GPU].fair = 0;    /* who is owed nothing does not count */
    assert_true(judge(q, 3, one, false, 1.34, (struct unit[]){ small, small, small, small, small, small }, 6));
}

/* The definition (scheduler-semantics b.7), all recomputed from the list at each step; and with one thing wrong. */
enum wrong { RIGHT, TESTED_AFTER, NO_DESERVED, NO_RATIO, RATIO_TIES_PASS, LEAF_LEVEL, NO_FIRM, WRONGS };

static int64_t remaining(const struct quota_queue *q, queue_id i, const struct unit *unit, size_t n, enum quota_resource r)
{
    int64_t left = q[i].of[r].allocated;
    for (size_t u = 0; u < n; u++)
        for (queue_id a = unit[u].leaf; a != ID_NONE; a = q[a].parent)
            left -= a == i ? unit[u].size.of[r] : 0;
    return left;
}

static size_t path(const struct quota_queue *q, queue_id leaf, queue_id *at)    /* from the top */
{
    size_t n = 0;
    for (queue_id i = leaf; i != ID_NONE; i = q[i].parent)
        n++;
    size_t k = n;
    for (queue_id i = leaf; i != ID_NONE; i = q[i].parent)
        at[--k] = i;
    return n;
}

static bool define(const struct quota_queue *q, queue_id leaf, const struct quota_amount *ask, bool firm, const struct unit *unit,
                   size_t n, enum wrong w)
{
    queue_id mine[TREE], its[TREE];
    size_t depth = path(q, leaf, mine);
    for (size_t u = 0; u < n; u++) {
        size_t other = path(q, unit[u].leaf, its), level = 0;
        while (level < depth && level < other && mine[level] == its[level])
            level++;
        queue_id r = mine[level], v = its[w == LEAF_LEVEL ? other - 1 : level];
        bool over_share = false, over_deserved = false, starved = true;
        for (enum quota_resource x = 0; x < Q_RESOURCES; x++) {
            int64_t left = remaining(q, v, unit, w == TESTED_AFTER ? u + 1 : u, x), may = quota_allocatable(&q[v].of[x]);
            over_share = over_share || (may != UNLIMITED && left > may);
            over_deserved = over_deserved || (q[v].of[x].deserved != UNLIMITED && left > q[v].of[x].deserved);
            starved = starved && (q[r].of[x].deserved == UNLIMITED || q[r].of[x].allocated + ask->of[x] <= q[r].of[x].deserved);
        }
        if (!over_share && !(starved && over_deserved && w != NO_DESERVED))
            return false;
    }
    for (size_t level = 0; level < depth; level++) {
        queue_id i = mine[level];
        for (queue_id s = 0; s < TREE; s++)
            for (enum quota_resource x = 0; x < Q_RESOURCES; x++) {
                bool lost = false, asked = ask->of[x] > 0;
                for (size_t u = 0; u < n; u++)
                    for (queue_id a = unit[u].leaf; a != ID_NONE; a = q[a].parent) {
                        lost = lost || a == s;
                        asked = asked || (a == s && unit[u].size.of[x] > 0);
                    }
                if (s == i || q[s].parent != q[i].parent || !lost || !asked || w == NO_RATIO)
                    continue;
                int64_t t = remaining(q, i, unit, n, x) + ask->of[x], left = remaining(q, s, unit, n, x);
                int64_t fair = q[i].of[x].fair, other = q[s].of[x].fair;
                bool over = fair == 0 ? t > 0 : t > fair;    /* t/fair >= left/other, as products */
                if (over && other > 0 && (w == RATIO_TIES_PASS ? t * other > left * fair : t * other >= left * fair))
                    return false;
            }
        for (enum quota_resource x = 0; x < Q_RESOURCES && firm && w != NO_FIRM; x++)
            if (q[i].of[x].deserved != UNLIMITED && q[i].of[x].firm + ask->of[x] > q[i].of[x].deserved)
                return false;
    }
    return true;
}

static int64_t few(struct random *r) { return (int64_t)random_below(r, 5); }

/* Books that add up: what leaves hold, summed up the tree. Deserved and fair of any size. */
static void draw_tree(struct random *r, struct quota_queue *q)
{
    make_tree(q);
    for (uint32_t i = TREE; i-- > 0;)
        for (enum quota_resource x = 0; x < 2; x++) {
            struct quota_share *s = &q[i].of[x];
            bool leaf = i == 3 || i >= 5;
            if (i + 1 == TREE)
                for (uint32_t j = 0; j < TREE; j++)
                    q[j].of[x].allocated = q[j].of[x].firm = 0;
            s->fair = few(r) + few(r);
            s->deserved = random_below(r, 3) ? few(r) : UNLIMITED;
            s->limit = random_below(r, 4) ? UNLIMITED : few(r);
            if (leaf) {
                s->allocated = few(r) + few(r);
                s->firm = (int64_t)random_below(r, (uint64_t)s->allocated + 1);
            }
            if (q[i].parent != ID_NONE) {
                q[q[i].parent].of[x].allocated += s->allocated;
                q[q[i].parent].of[x].firm += s->firm;
            }
        }
}

static void as_defined(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "quota scenario", 0);
    uint32_t differ[WRONGS] = { 0 }, valid = 0;
    for (uint32_t trial = 0; trial < 40000; trial++) {
        struct quota_queue q[TREE];
        struct unit unit[UNITS];
        draw_tree(&r, q);
        queue_id leaf = leaves[random_below(&r, 3)];
        struct quota_amount ask = { { few(&r), few(&r) / 2, 0 } };
        bool firm = random_below(&r, 2);
        size_t n = random_below(&r, UNITS);
        for (size_t u = 0; u < n; u++) {
            do
                unit[u].leaf = leaves[random_below(&r, 3)];
            while (unit[u].leaf == leaf);
            for (enum quota_resource x = 0; x < Q_RESOURCES; x++)    /* of what it holds */
                unit[u].size.of[x] = (int64_t)random_below(&r, (uint64_t)remaining(q, unit[u].leaf, unit, u, x) + 1);
        }
        bool want = define(q, leaf, &ask, firm, unit, n, RIGHT), got = judge(q, leaf, ask, firm, 1, unit, n);
        if (want != got)
            fail_msg("trial %u: want %s", trial, want ? "valid" : "not valid");
        valid += want && n > 0;
        for (enum wrong w = RIGHT + 1; w < WRONGS; w++)
            differ[w] += define(q, leaf, &ask, firm, unit, n, w) != got;
    }
    assert_in_range(valid, 1000, 39000);
    for (enum wrong w = RIGHT + 1; w < WRONGS; w++)    /* else the comparison would not see such an error */
        if (differ[w] < 50)
            fail_msg("wrong in way %u goes unseen: only %u differ", w, differ[w]);
}

/* GPU by GPU, of whatever leaf that a giver has, until no more may be taken: as many as it had to spare. off: the control. */
static uint32_t spares_that_differ(int64_t off)
{
    struct random r;
    random_init(&r, 2, "quota scenario", 0);
    uint32_t differ = 0;
    for (uint32_t trial = 0; trial < 4000; trial++) {
        struct quota_queue q[TREE];
        static struct quota_loss loss[TREE];    /* zero at the end of each scenario */
        struct quota_scenario rules;
        draw_tree(&r, q);
        queue_id leaf = leaves[random_below(&r, 3)], from, giver, other;
        do
            from = leaves[random_below(&r, 3)];
        while (from == leaf);
        struct quota_amount ask = { { few(&r), few(&r) / 2, 0 } }, one = { { 1, 0, 0 } };
        quota_scenario_begin(&rules, q, loss, leaf, &ask, false, 1);
        int64_t spare = quota_scenario_spare(&rules, from, &giver), has = q[giver].of[Q_GPU].allocated, lost = 0;
        assert_int_equal(q[giver].parent == ID_NONE || loss[q[giver].parent].on_path, 1);
        int64_t want = spare == INT64_MAX || spare + off > has ? has + 1 : spare + off > 0 ? spare + off : 0;
        for (; lost <= has && quota_scenario_take(&rules, from, &one); lost++)
            assert_true(quota_scenario_spare(&rules, from, &other) == spare && other == giver);
        differ += lost != want;
        quota_scenario_end(&rules);
    }
    return differ;
}

static void spare(void **state)
{
    (void)state;
    assert_int_equal(spares_that_differ(0), 0);
    assert_true(spares_that_differ(1) > 500 && spares_that_differ(-1) > 500);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, order, order_rows);
    ADD_ROWS(tests, n, capacity, capacity_rows);
    ADD_TEST(tests, n, total_order);
    ADD_TEST(tests, n, gate);
    ADD_TEST(tests, n, reasons);
    ADD_TEST(tests, n, scenarios);
    ADD_TEST(tests, n, as_defined);
    ADD_TEST(tests, n, spare);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
