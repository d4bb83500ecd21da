/* test_topology.c - policies/kueue/topology.h on random trees of up to 4 levels and a few hundred
 * leaves: what every placement must keep, whatever the rules choose. The choice itself is put to
 * second_tas.py (tests/conformance). */
#include "policies/kueue/topology_parts.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3000, LEVELS_MOST = 4, LEAVES_MOST = 400, LAYERS_MOST = 3 };

struct stage {
    struct random r;
    struct tas_tree tree;
    struct tas_work work;
    struct tas_layer layer[LAYERS_MOST];
    struct tas_ask ask;
    void *memory[2];
};

static uint32_t draw(struct stage *s, uint32_t n)
{
    return (uint32_t)random_below(&s->r, n);
}

/* Of the table: the old one is not needed any more. */
static void *zeroed(void *owner, size_t bytes)
{
    free(((struct tas_work *)owner)->table);
    return calloc(1, bytes);
}

static void make_tree(struct stage *s)
{
    uint32_t levels = 1 + draw(s, LEVELS_MOST), leaves = 1 + draw(s, LEAVES_MOST),
             parts[LEAVES_MOST];
    for (uint32_t i = 0; i < leaves; i++)
        for (parts[i] = levels - 1; parts[i] > 0 && draw(s, 4) == 0;)
            parts[i]--;
    s->memory[0] = calloc(1, tas_tree_size(levels, leaves));
    tas_tree_lay(&s->tree, levels, leaves, parts, s->memory[0]);
    s->memory[1] = calloc(1, tas_work_size(&s->tree));
    tas_work_lay(&s->work, &s->tree, s->memory[1]);
    s->work.alloc = zeroed;
    s->work.owner = &s->work;
}

/* Layers from coarse to fine, each size a multiple of the next. */
static void make_ask(struct stage *s)
{
    uint32_t level = draw(s, s->tree.levels);
    int64_t size = INT64_C(1) << draw(s, 4);
    s->ask = (struct tas_ask){ .mode = (enum tas_mode)draw(s, 3), .layer = s->layer };
    s->ask.level = s->ask.mode == TAS_UNCONSTRAINED ? s->tree.levels - 1 : level;
    if (s->ask.mode == TAS_UNCONSTRAINED)
        level = s->tree.levels - 1;
    for (; level < s->tree.levels && s->ask.layers < LAYERS_MOST && draw(s, 2);
         level++, size = size > 1 ? size / 2 : 1)
        s->layer[s->ask.layers++] = (struct tas_layer){ level, size };
    s->ask.pods = (s->ask.layers ? s->layer[0].pods : 1) * (1 + draw(s, 60));
    s->ask.leader = draw(s, 4) == 0;
    s->ask.balanced = draw(s, 4) == 0;
}

static void make_rooms(struct stage *s)
{
    uint32_t most = 1 + draw(s, 12), score = draw(s, 3) == 0 ? 3 : 1;
    for (uint32_t i = 0; i < tas_leaves(&s->tree); i++) {
        int64_t pods = draw(s, most + 1);
        bool leader = draw(s, 3) == 0;
        s->work.room[i] = (struct tas_room){ pods, leader ? pods - (pods > 0 && draw(s, 2)) : 0,
                                             draw(s, score), leader };
    }
}

static void begin(struct stage *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    random_init(&s->r, seed, "topology", 0);
    make_tree(s);
    make_ask(s);
    make_rooms(s);
}

static void end(struct stage *s)
{
    free(s->memory[0]);
    free(s->memory[1]);
    free(s->work.table);
}

/* Pods of the answer inside a domain. */
static int64_t pods_in(const struct stage *s, const struct tas_answer *a, uint32_t level,
                       uint32_t d)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < a->n; i++)
        sum += tas_around(&s->tree, a->share[i].leaf, level) == d ? a->share[i].pods : 0;
    return sum;
}

/* NULL: it keeps all; else what it breaks. */
static const char *breaks(const struct stage *s, const struct tas_answer *a)
{
    const struct tas_tree *t = &s->tree;
    uint32_t base = tas_first_leaf(t),
             first = a->n ? tas_around(t, a->share[0].leaf, s->ask.level) : ID_NONE;
    int64_t sum = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct tas_room *r = &s->work.room[a->share[i].leaf - base];
        sum += a->share[i].pods;
        if (a->share[i].pods > (a->share[i].leaf == a->leader ? r->beside : r->pods) ||
            a->share[i].pods <= 0)
            return "room";
        if (i > 0 && a->share[i].leaf <= a->share[i - 1].leaf)
            return "order";
        if (s->ask.mode == TAS_REQUIRED && tas_around(t, a->share[i].leaf, s->ask.level) != first)
            return "level";
        for (uint32_t l = 0; l < s->ask.layers; l++)
            if (pods_in(s, a, s->layer[l].level,
                        tas_around(t, a->share[i].leaf, s->layer[l].level)) %
                s->layer[l].pods)
                return "slices";
    }
    if (s->ask.leader && (a->leader == ID_NONE || !s->work.room[a->leader - base].leader))
        return "leader";
    if (s->ask.leader && s->ask.mode == TAS_REQUIRED && a->n &&
        tas_around(t, a->leader, s->ask.level) != first)
        return "level of the leader";
    return sum == s->ask.pods ? NULL : "pods";
}

static void keeps_what_it_must(void **state)
{
    static struct stage s;
    size_t placed = 0, spread = 0, balanced = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&s, seed);
        struct tas_answer a = tas_place(&s.work, &s.ask);
        const char *broken = a.result == TAS_PLACED ? breaks(&s, &a) : NULL;
        if (broken)
            fail_msg("seed %u: %s", (unsigned)seed, broken);
        placed += a.result == TAS_PLACED;
        spread += a.result == TAS_PLACED && a.n > 1;
        balanced += a.result == TAS_PLACED && s.ask.balanced && s.ask.mode == TAS_PREFERRED;
        end(&s);
    }
    assert_true(placed > SEEDS / 4 && spread > SEEDS / 8 && balanced > 50);
}

/* A required domain that has room for all pods, one by one, is found; and without layers and leader
 * only then. */
static void finds_what_there_is(void **state)
{
    static struct stage s;
    size_t yes = 0, no = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&s, seed);
        s.ask.mode = TAS_REQUIRED;
        s.ask.layers = 0;
        s.ask.leader = false;
        int64_t most = 0;
        for (uint32_t d = s.tree.level_first[s.ask.level]; d < s.tree.level_first[s.ask.level + 1];
             d++) {
            uint32_t first, last;
            int64_t sum = 0;
            tas_inside(&s.tree, d, s.tree.levels - 1, &first, &last);
            for (uint32_t i = first; i < last; i++)
                sum += s.work.room[i - tas_first_leaf(&s.tree)].pods;
            most = sum > most ? sum : most;
        }
        for (uint32_t i = 0; i < tas_leaves(&s.tree); i++)
            s.work.room[i].score = 0;
        struct tas_answer a = tas_place(&s.work, &s.ask);
        assert_int_equal(a.result == TAS_PLACED, most >= s.ask.pods);
        if (a.result != TAS_PLACED)
            assert_int_equal(a.fit, most);
        yes += a.result == TAS_PLACED;
        no += a.result != TAS_PLACED;
        end(&s);
    }
    assert_true(yes > 500 && no > 200);
}

/* The check sees each kind of fault. */
static void control(void **state)
{
    static struct stage s;
    size_t seen = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        begin(&s, seed);
        struct tas_answer a = tas_place(&s.work, &s.ask);
        if (a.result == TAS_PLACED && a.n) {
            a.share[0].pods++;
            assert_non_null(breaks(&s, &a));
            seen++;
        }
        end(&s);
    }
    assert_true(seen > 50);
}

/* The order of topology.h, written once more: the domain that comes first is taken again and again. */
static bool comes_before(const struct tas_work *w, uint32_t x, uint32_t y, bool leader, bool unconstrained)
{
    const struct tas_state *a = &w->state[x], *b = &w->state[y];
    int64_t slices_a = leader ? a->slices_beside : a->slices, slices_b = leader ? b->slices_beside : b->slices;
    int64_t pods_a = leader ? a->pods_beside : a->pods, pods_b = leader ? b->pods_beside : b->pods;
    if (leader && a->leaders != b->leaders)
        return a->leaders > b->leaders;
    if (a->score != b->score)
        return a->score > b->score;
    if (slices_a != slices_b)
        return unconstrained ? slices_a < slices_b : slices_a > slices_b;
    return pods_a != pods_b ? pods_a < pods_b : x < y;
}

static void take_first(const struct tas_work *w, uint32_t *list, uint32_t n, bool leader, bool unconstrained)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            if (comes_before(w, list[k], list[i], leader, unconstrained)) {
                uint32_t first = list[k];
                list[k] = list[i];
                list[i] = first;
            }
}

/* With few kinds of domains and with many, in the order of their numbers and out of it. */
static void sorts_as_if_one_by_one(void **state)
{
    (void)state;
    enum { ROUNDS = 400, DOMAINS = 200 };
    static struct tas_state of[DOMAINS];
    static struct tas_order order[DOMAINS];
    static uint32_t list[DOMAINS], wanted[DOMAINS];
    struct tas_work w = { .state = of, .order = order };
    struct stage s;
    random_init(&s.r, 5, "orders", 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t n = draw(&s, DOMAINS + 1), most = round % 2 ? 3 : 1000;
        for (uint32_t i = 0; i < n; i++) {
            of[i] = (struct tas_state){ draw(&s, most), draw(&s, most), draw(&s, most), draw(&s, most), draw(&s, 2), draw(&s, 2) };
            list[i] = i;
        }
        for (uint32_t i = 0; i + 1 < n && round / 2 % 2; i++) {
            uint32_t other = i + draw(&s, n - i), number = list[i];
            list[i] = list[other];
            list[other] = number;
        }
        memcpy(wanted, list, sizeof wanted);
        bool leader = draw(&s, 2), unconstrained = draw(&s, 2);
        take_first(&w, wanted, n, leader, unconstrained);
        tas_sort(&w, list, n, leader, unconstrained);
        assert_memory_equal(list, wanted, n * sizeof *list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_it_must),
        cmocka_unit_test(finds_what_there_is),
        cmocka_unit_test(control),
        cmocka_unit_test(sorts_as_if_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
