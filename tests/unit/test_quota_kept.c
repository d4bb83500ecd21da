/* test_quota_kept.c - the kept division against the plain one (quota_divide_tree(), which
 * test_quota_division.c compares with the definition): the same integers after every change of long
 * random sequences; with controls that forget one. */
#include "policies/kai/queues/kept_division.h"
#include "sim/base/random.h"
#include "tests/support/run_memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 300, GPU = MILLI_ALL };

/* What is drawn of a tree: how many queues and levels, how many priorities and weights, how much
 * each may ask for, and whether weights are whole and limits or unlimited deserved shares occur. */
struct kind {
    const char *name;
    uint32_t queues, tops, priorities, weights;
    int64_t ask, total, grain;
    bool halves, limits, unlimited;
};
static const struct kind kinds[] = {
    { "equal siblings", 60, 60, 1, 1, 30, 400, GPU, false, false, false },
    { "more siblings than a word has bits", 90, 90, 1, 1, 9, 300, GPU, false, true, false },
    { "more siblings than a block of wants has room for", 300, 300, 1, 1, 30, 2000, GPU, false,
      false, false },
    { "parts of GPUs", 40, 40, 1, 2, 20, 200, 250, false, true, false },
    { "weights and priorities", 40, 40, 3, 3, 20, 300, GPU, false, true, false },
    { "weights alike in what they lose", 40, 40, 1, 4, 12, 150, GPU, false, false, false },
    { "more kinds of peers than are kept", 60, 60, 5, 9, 20, 300, GPU, false, true, false },
    { "weights that are not whole", 30, 30, 1, 3, 20, 200, GPU, true, true, false },
    { "a tree", 80, 8, 2, 2, 12, 300, 500, false, true, false },
    { "a tree with unlimited shares", 60, 6, 2, 2, 12, 300, GPU, false, true, true },
    { "sums that are not exact", 30, 30, 1, 2, INT64_C(1) << 46, INT64_C(1) << 50, 1, false, true,
      false },
};

static int64_t some(struct random *r, const struct kind *k, int64_t most)
{
    return (int64_t)random_below(r, (uint64_t)(most * (GPU / k->grain) + 1)) * k->grain;
}

static void draw_share(struct random *r, const struct kind *k, struct quota_share *s)
{
    bool endless = k->unlimited && random_below(r, 4) == 0;
    s->deserved = endless ? UNLIMITED : some(r, k, k->ask / 3);
    s->limit = k->limits && random_below(r, 4) == 0 ? some(r, k, k->ask) : UNLIMITED;
    s->request = some(r, k, k->ask);
}

static void draw_tree(struct random *r, const struct kind *k, struct quota_queue *q)
{
    for (queue_id i = 0; i < k->queues; i++) {
        q[i] = (struct quota_queue){ .priority = (int32_t)random_below(r, k->priorities) };
        q[i].parent = i < k->tops ? ID_NONE : (queue_id)random_below(r, i < 30 ? k->tops : 30);
        for (enum quota_resource x = 0; x < Q_RESOURCES; x++) {
            draw_share(r, k, &q[i].of[x]);
            q[i].of[x].weight = (double)random_below(r, k->weights + 1) / (k->halves ? 3 : 1);
        }
    }
}

/* One queue asks for more or less, near what it has or anything; or its quota changes. */
static void change(struct random *r, const struct kind *k, struct quota_share *s)
{
    struct quota_share before = *s;
    switch (random_below(r, 8)) {
    case 0:
        draw_share(r, k, s);
        break;
    case 1:
        s->request = s->fair;
        break;
    case 2:
        s->request = 0;
        break;
    case 3:
        s->request = some(r, k, k->ask);
        break;
    default:
        s->request += ((int64_t)random_below(r, 7) - 3) * k->grain;
        s->request = s->request < 0 ? before.request : s->request;
    }
}

enum control { RIGHT, FORGETS_A_TOUCH, FORGETS_THE_TOTAL };

struct world {
    const struct kind *kind;
    enum control wrong;
    struct random r;
    struct quota_queue q[MOST];
    queue_id top;
    struct quota_amount total;
    struct quota_kept *kept;
    int64_t seen[MOST][Q_RESOURCES];
};

static void step(struct world *w)
{
    uint64_t changes = random_below(&w->r, 4);
    for (uint64_t c = 0; c < changes; c++) {
        queue_id i = (queue_id)random_below(&w->r, w->kind->queues);
        enum quota_resource x = (enum quota_resource)random_below(&w->r, Q_RESOURCES);
        struct quota_share *s = &w->q[i].of[x], before = *s;
        change(&w->r, w->kind, s);
        int64_t had = quota_requestable(&before), has = quota_requestable(s);
        bool settled = before.deserved == s->deserved && quota_same_share(&before, x, had, has);
        if (w->wrong != FORGETS_A_TOUCH || random_below(&w->r, 50))
            quota_kept_touch(w->kept, i, x, settled);
    }
    if (random_below(&w->r, 20))
        return;
    for (enum quota_resource x = 0; x < Q_RESOURCES; x++) {
        w->total.of[x] = some(&w->r, w->kind, w->kind->total);
        if (w->wrong != FORGETS_THE_TOTAL)
            quota_kept_unsettle(w->kept, ID_NONE, x);
    }
}

/* true: as the plain division, and what has changed was told. */
static bool agrees(struct world *w)
{
    static struct quota_queue plain[MOST];
    static struct quota_taker room[MOST];
    static bool told[MOST];
    const queue_id *changed;
    uint32_t n = w->kind->queues;
    bool same = true;
    memcpy(plain, w->q, sizeof plain);
    memset(told, 0, sizeof told);
    quota_divide_tree(plain, w->top, &w->total, 1, room);
    for (size_t i = quota_kept_divide(w->kept, &w->total, room, &changed); i-- > 0;) {
        assert_true(i == 0 || changed[i - 1] < changed[i]);
        told[changed[i]] = true;
    }
    for (queue_id i = 0; i < n; i++)
        for (enum quota_resource x = 0; x < Q_RESOURCES; x++) {
            same = same && w->q[i].of[x].fair == plain[i].of[x].fair;
            same = same && (told[i] || w->seen[i][x] == w->q[i].of[x].fair);
            w->seen[i][x] = w->q[i].of[x].fair;
        }
    return same;
}

/* The number of the first step that differs; steps: none does. */
static uint32_t play(const struct kind *kind, enum control wrong, uint64_t seed, uint32_t steps)
{
    static struct world w;
    uint32_t at = 0;
    memset(&w, 0, sizeof w);
    w.kind = kind;
    w.wrong = wrong;
    random_init(&w.r, seed, "kept division", 0);
    draw_tree(&w.r, kind, w.q);
    w.top = quota_arrange(w.q, kind->queues);
    w.total = (struct quota_amount){ { some(&w.r, kind, kind->total), 1000, 1000 } };
    w.kept = quota_kept_new(take_block, NULL, w.q, kind->queues, w.top);
    while (at < steps && agrees(&w)) {
        step(&w);
        at++;
    }
    free_blocks();
    return at;
}

enum { STEPS = 4000, SEEDS = 4 };

static void as_divided(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t at = play(*state, RIGHT, seed, STEPS);
        if (at < STEPS)
            fail_msg("seed %u: step %u differs", (unsigned)seed, at);
    }
}

/* Else the comparison would not see such an error. */
static void controls(void **state)
{
    (void)state;
    for (enum control wrong = FORGETS_A_TOUCH; wrong <= FORGETS_THE_TOTAL; wrong++)
        assert_true(play(&kinds[0], wrong, 1, STEPS) < STEPS);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, as_divided, kinds);
    ADD_TEST(tests, n, controls);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
