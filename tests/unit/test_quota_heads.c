/* test_quota_heads.c - the leaves in the order in which allocate serves them, kept by shape while heads and shares change:
 * against a look at all leaves in each pass, sorted by the rule of the order; with a control that forgets a change. */
#include "policies/kai/jobs/heads.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/engine/state.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>

/* More leaves than may be put off. */
enum { QUEUES = 300, SHAPES = 7, PASSES = 1500 };

static struct world {
    struct sched s;
    struct quota_state q;
    struct quota_queue queue[QUEUES];
    struct leaf leaf[QUEUES];
    struct leaf_shape shape[QUEUES][SHAPES];
    struct shape_head head[QUEUES][SHAPES];
    shape_id head_shape[QUEUES][SHAPES], asked[SHAPES];
    struct admission_check check[SHAPES];
    queue_id waits[SHAPES][QUEUES], acted[QUEUES];
    uint64_t asks[QUEUES];
} world;

/* Few different shares: many ties. */
static void draw_shares(struct world *w, struct random *r, queue_id i)
{
    struct quota_share *gpus = &w->queue[i].of[Q_GPU];
    gpus->allocated = (int64_t)random_below(r, 6);
    gpus->deserved = random_below(r, 5) ? (int64_t)random_below(r, 6) : UNLIMITED;
    gpus->fair = (int64_t)random_below(r, 8);
    w->leaf[i].stood++;
    heads_changed(&w->q, i);
}

/* Any shapes, in any order. */
static void draw_heads(struct world *w, struct random *r, queue_id i)
{
    struct leaf *l = &w->leaf[i];
    shape_id order[SHAPES];
    for (shape_id s = 0; s < SHAPES; s++) {
        uint64_t at = random_below(r, s + 1);
        order[s] = order[at];
        order[at] = s;
    }
    l->n_heads = random_below(r, SHAPES + 1);
    w->asks[i] = 0;
    for (size_t k = 0; k < l->n_heads; k++) {
        w->head_shape[i][k] = order[k];
        w->head[i][k] = (struct shape_head){ .job = i * SHAPES + order[k], .shape = order[k], .tasks = 1, .min_tasks = 1,
                                             .ask = { { order[k] + 1, 0, 0 } } };
        w->asks[i] |= quota_shape_bit(order[k]);
    }
    heads_changed(&w->q, i);
}

static void begin(struct world *w, struct random *r)
{
    *w = (struct world){ .s = { .memory = arena_new() } };
    struct quota_state *q = &w->q;
    *q = (struct quota_state){ .n_queues = QUEUES, .version = 1, .one_measure = true, .total = { { 64, 0, 0 } }, .queue = w->queue,
                               .leaf = w->leaf, .check = w->check, .n_checks = SHAPES, .asked = w->asked, .n_asked = SHAPES,
                               .acted = w->acted, .asks = w->asks };
    changes_begin(sched_alloc, &w->s, &q->heads_changed, QUEUES);
    for (shape_id s = 0; s < SHAPES; s++) {
        w->asked[s] = s;
        w->check[s] = (struct admission_check){ .alike = true, .by_numbers = true, .has_type = true, .uniform = true, .min_tasks = 1,
                                                .min_ask = { { s + 1, 0, 0 } }, .tried_tasks = 1, .failed_at = UINT64_MAX,
                                                .leaf = w->waits[s] };
    }
    for (queue_id i = 0; i < QUEUES; i++) {
        w->queue[i] = (struct quota_queue){ .parent = ID_NONE, .priority = random_below(r, 6) ? 100 : 50 };
        for (enum quota_resource of = 0; of < Q_RESOURCES; of++)
            w->queue[i].of[of].limit = w->queue[i].of[of].deserved = UNLIMITED;
        w->leaf[i] = (struct leaf){ .heads = HEADS_KNOWN, .head = w->head[i], .head_shape = w->head_shape[i], .shape = w->shape[i],
                                    .stood = 1 };
        draw_shares(w, r, i);
        draw_heads(w, r, i);
    }
}

/* Some shapes find a place; on some leaves the pass has acted already. */
static void begin_pass(struct world *w, struct random *r)
{
    struct quota_state *q = &w->q;
    q->pass++;
    q->placements++;
    q->version++;
    q->n_acted = 0;
    uint64_t few = random_below(r, SHAPES);
    for (shape_id s = 0; s < SHAPES; s++) {
        w->check[s].tried_at = q->placements;
        w->check[s].fits = random_below(r, SHAPES) >= few;
        w->check[s].n_leaves = 0;
    }
    for (queue_id i = 0; i < QUEUES; i++)
        for (size_t k = 0; k < w->leaf[i].n_heads; k++)
            w->waits[w->head_shape[i][k]][w->check[w->head_shape[i][k]].n_leaves++] = i;
    for (uint64_t n = random_below(r, 4); n > 0; n--) {
        queue_id i = (queue_id)random_below(r, QUEUES);
        if (w->leaf[i].acted == q->pass)
            continue;
        w->leaf[i].acted = q->pass;
        w->acted[q->n_acted++] = i;
    }
}

/* A leaf with the first of its heads that is open. */
struct served { queue_id leaf; const struct shape_head *head; struct quota_standing standing; };

static int served_first(const void *a, const void *b)
{
    const struct served *x = a, *y = b;
    return quota_goes_before(&y->standing, &x->standing) - quota_goes_before(&x->standing, &y->standing);
}

static size_t sort_all(const struct world *w, struct served *all)
{
    size_t n = 0;
    for (queue_id i = 0; i < QUEUES; i++) {
        size_t k = 0;
        while (k < w->leaf[i].n_heads && !w->check[w->head_shape[i][k]].fits)
            k++;
        if (w->leaf[i].acted != w->q.pass && k < w->leaf[i].n_heads)
            all[n++] = (struct served){ i, &w->head[i][k],
                                      quota_standing(&w->queue[i], &w->head[i][k].ask, NULL, &w->q.total) };
    }
    qsort(all, n, sizeof *all, served_first);
    return n;
}

/* Whether the leaves come in that order. Some passes end early: then the rest is in no order. */
static bool comes_in_order(struct world *w, struct random *r)
{
    static struct served all[QUEUES];
    size_t wanted = sort_all(w, all), most = random_below(r, 3) ? wanted : random_below(r, wanted + 1);
    uint32_t open = heads_begin(&w->s, &w->q);
    assert_int_equal(open == 0, wanted == 0);
    if (wanted > 1)
        heads_order(&w->s, &w->q);
    const struct kept_entry *entry = NULL;
    struct shape_head *head;
    for (size_t n = 0; n < most; n++) {
        queue_id leaf = heads_top(&w->s, &w->q, &entry, &head);
        if (leaf != all[n].leaf || head != all[n].head)
            return false;
        heads_met(&w->q, leaf);
    }
    return most < wanted || heads_top(&w->s, &w->q, &entry, &head) == ID_NONE;
}

/* In how many passes they do not. */
static int differences(bool forgets)
{
    struct world *w = &world;
    struct random r;
    random_init(&r, 41, "quota heads", 0);
    begin(w, &r);
    int wrong = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        begin_pass(w, &r);
        wrong += !comes_in_order(w, &r);
        uint64_t most = random_below(&r, 20) ? 8 : 2 * QUEUES;
        for (uint64_t n = random_below(&r, most); n > 0; n--) {
            queue_id i = (queue_id)random_below(&r, QUEUES);
            (random_below(&r, 2) ? draw_shares : draw_heads)(w, &r, i);
            if (forgets && random_below(&r, 8) == 0)
                w->q.heads_changed.last[i] = 0;
        }
    }
    arena_free(w->s.memory);
    return wrong;
}

static void come_as_all_sorted(void **state)
{
    (void)state;
    assert_int_equal(differences(false), 0);
}

static void control_forgets_a_change(void **state)
{
    (void)state;
    assert_true(differences(true) > 0);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, come_as_all_sorted);
    ADD_TEST(tests, n, control_forgets_a_change);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
