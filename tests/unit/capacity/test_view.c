/* test_view.c - every question that a view answers, against plain counts, with claims on top of what is taken.
 * test_free_index.c has walks over clusters of one kind; here are the rest. */
#include "tests/support/wanted.h"
#include "tests/unit/view_model.h"

/* ---- Nodes ---- */

static void nodes_agree(const struct bench *b)
{
    int64_t all = 0;
    for (node_id n = 0; n < b->c->n_nodes; n++) {
        const struct node_type *t = type_of(b, n);
        struct node_free f = view_node(b->v, n);
        uint64_t whole_mask = 0, shared_mask = 0;
        for (uint32_t g = 0; !t->counted && g < t->gpus; g++) {
            whole_mask |= (uint64_t)(b->used[n][g] == 0) << g;
            shared_mask |= (uint64_t)(b->used[n][g] > 0 && b->used[n][g] < MILLI_ALL) << g;
            assert_int_equal(view_gpu_milli(b->v, n, g), left_of(b, n, g));
        }
        assert_int_equal(f.whole_mask, whole_mask);
        assert_int_equal(f.shared_mask, shared_mask);
        assert_int_equal(f.whole, whole(b, n));
        all += f.whole;
        assert_int_equal(f.capacity, t->gpus);
        assert_int_equal(f.cpu_milli, t->cpu_milli == INT64_MAX ? INT64_MAX : t->cpu_milli - b->cpu[n]);
        assert_int_equal(f.mem_mib, t->mem_mib == INT64_MAX ? INT64_MAX : t->mem_mib - b->mem[n]);
        struct amount size = view_node_size(b->v, n);
        assert_int_equal(size.gpu_milli, (int64_t)t->gpus * MILLI_ALL);
        assert_int_equal(size.cpu_milli, t->cpu_milli);
        assert_int_equal(size.mem_mib, t->mem_mib);
    }
    assert_int_equal(free_index_all_whole(b->v), all);
    for (size_t i = 0; i < b->n; i++)
        assert_int_equal(free_index_settled(b->v, &b->held[i].p), settled(b, &b->held[i]));
}

/* Nodes that differ from what was seen of them are told, and once; the first time all are. */
static void changes_agree(const struct bench *b, struct node_free *seen, bool first)
{
    uint64_t told = 0, again = 0;
    free_index_take_changed(b->v, &told);
    free_index_take_changed(b->v, &again);
    assert_int_equal(again, 0);
    for (node_id n = 0; n < b->c->n_nodes; n++) {
        struct node_free f = view_node(b->v, n);
        bool same = f.whole == seen[n].whole && f.whole_mask == seen[n].whole_mask && f.shared_mask == seen[n].shared_mask &&
                    f.cpu_milli == seen[n].cpu_milli && f.mem_mib == seen[n].mem_mib;
        assert_true(told >> n & 1 || (same && !first));
        seen[n] = f;
    }
    assert_int_equal(b->c->n_nodes < 64 ? told >> b->c->n_nodes : 0, 0);
}

static bool fits(const struct bench *b, const struct request *r, node_id n)
{
    uint32_t need = r->tasks == SPLIT_ANY ? 1 : r->gpus, have = whole_for(b, r, n);
    for (uint32_t g = 0; !type_of(b, n)->counted && r->gpu_milli < MILLI_ALL && g < type_of(b, n)->gpus; g++)
        have += b->used[n][g] && left_of(b, n, g) >= r->gpu_milli;
    if (need && r->gpu_milli < MILLI_ALL && type_of(b, n)->counted)
        return false;
    return allows(b, r, n) && rest_fits(b, r, n) && have >= need;
}

/* ---- Domains ---- */

static void domains_agree(const struct bench *b, const struct request *r)
{
    int64_t all = 0;
    for (domain_id d = 0; d < b->c->n_domains + b->c->n_nodes; d++) {
        node_id first, end;
        uint32_t gpus = 0, tasks = 0, each = r->tasks == SPLIT_ANY ? 1 : r->gpus;
        bool pools = false;
        view_domain_nodes(b->v, d, &first, &end);
        for (node_id n = first; n < end; n++) {
            if (!allows(b, r, n))
                continue;
            gpus += whole_for(b, r, n);
            tasks += each ? whole_for(b, r, n) / each : 0;
            pools |= type_of(b, n)->counted;
        }
        all = d == 0 ? gpus : all;
        if (d < b->c->n_domains || r->shape != WANTS_NO_GPU)    /* of a node, who wants no GPU sees all profiles */
            assert_int_equal(domain_free_gpus(b->v, d, r), gpus);
        uint32_t got = domain_fits(b->v, d, r);
        if (!r->gpus || r->gpu_milli < MILLI_ALL)
            assert_true(got >= tasks);          /* not summed up: a bound from above */
        else if (pools)
            assert_true(got >= tasks && got <= gpus / each);
        else
            assert_int_equal(got, tasks);
    }
    assert_int_equal(free_index_whole(b->v, r), all);
}

static void tree_agrees(const struct bench *b)
{
    for (node_id n = 0; n < b->c->n_nodes; n++)
        for (int l = LEVEL_ISLAND; l <= LEVEL_CLUSTER; l++) {
            domain_id d = view_domain(b->v, n, (enum level)l);
            assert_int_equal(d, cluster_domain_at(b->c, n, (enum level)l));
            for (;; d = view_domain_parent(b->v, d)) {    /* n lies in all that are around it, up to the root */
                node_id first, end;
                view_domain_nodes(b->v, d, &first, &end);
                assert_true(first <= n && n < end);
                if (d == 0)
                    break;
            }
            assert_int_equal(view_domain_parent(b->v, d), ID_NONE);
        }
}

/* ---- Walks ---- */

static bool in_walk(const struct bench *b, const struct node_walk *w, node_id n)
{
    if (!allows(b, w->r, n) || !rest_fits(b, w->r, n))
        return false;
    return w->shared_only ? best_share(b, n) >= w->r->gpu_milli : whole_for(b, w->r, n) >= w->min_whole;
}

static bool ahead(const struct bench *b, const struct node_walk *w, node_id a, node_id z)
{
    if (w->shared_only && best_share(b, a) / 100 != best_share(b, z) / 100)    /* in steps of a tenth */
        return best_share(b, a) < best_share(b, z);
    if (!w->shared_only && w->order != BY_ID && whole_for(b, w->r, a) != whole_for(b, w->r, z))
        return (w->order == FULLEST_FIRST) == (whole_for(b, w->r, a) < whole_for(b, w->r, z));
    return a < z;
}

static void walk_agrees(struct bench *b, struct node_walk w, domain_id confined)
{
    bool visited[NODES_MOST] = { false };
    node_id first, end, low, high, n;
    view_domain_nodes(b->v, w.within, &first, &end);
    view_domain_nodes(b->v, confined, &low, &high);
    free_index_confine(b->v, confined, UINT64_MAX);
    for (;;) {
        node_id best = ID_NONE;
        for (node_id i = first > low ? first : low; i < (end < high ? end : high); i++)
            if (!visited[i] && in_walk(b, &w, i) && (best == ID_NONE || ahead(b, &w, i, best)))
                best = i;
        bool more = node_walk_next(&w, &n);
        assert_int_equal(more, best != ID_NONE);
        if (!more)
            break;
        if (w.order == ANY_ORDER && !w.shared_only)
            assert_true(n < b->c->n_nodes && n >= first && n < end && n >= low && n < high && !visited[n] && in_walk(b, &w, n));
        else
            assert_wanted(best, n, "%s: next node", w.shared_only ? "walk over shared GPUs" : w.order == BY_ID ? "walk by number" :
                          w.order == FULLEST_FIRST ? "walk, fullest first" : "walk, emptiest first");
        visited[n] = true;
    }
    assert_false(node_walk_next(&w, &n));       /* and stays at its end */
    free_index_confine(b->v, 0, UINT64_MAX);
}

static void all_agrees(struct bench *b)
{
    domain_id domains = b->c->n_domains + b->c->n_nodes;
    nodes_agree(b);
    for (int k = 0; k < 3; k++) {
        struct request r = any_request(b, draw(b, SHAPES));
        for (node_id n = 0; n < b->c->n_nodes; n++) {
            assert_int_equal(view_allows(b->v, &r, n), allows(b, &r, n));
            assert_int_equal(view_fits(b->v, &r, n), fits(b, &r, n));
            if (allows(b, &r, n) && r.gpus)
                assert_int_equal(view_node_for(b->v, &r, n).whole, whole_for(b, &r, n));
        }
        domains_agree(b, &r);
        for (int order = BY_ID; order <= ANY_ORDER; order++)
            walk_agrees(b, (struct node_walk){ .v = b->v, .r = &r, .within = draw(b, 2) ? 0 : draw(b, domains),
                        .min_whole = draw(b, draw(b, 4) ? 5 : 120), .order = (enum node_order)order }, draw(b, 2) ? 0 : draw(b, domains));
        walk_agrees(b, (struct node_walk){ .v = b->v, .r = &r, .within = draw(b, 3) ? 0 : draw(b, domains), .shared_only = true },
                    draw(b, 3) ? 0 : draw(b, domains));
    }
}

static void agrees(void **state)
{
    (void)state;
    static struct bench b;
    struct node_free seen[NODES_MOST];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&b, seed);
        tree_agrees(&b);
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < STEPS; i++) {
            for (uint32_t k = draw(&b, 8); k > 0; k--)
                step(&b);
            bool first = draw(&b, 10) == 0;
            if (first)
                free_index_forget_changed(b.v);
            changes_agree(&b, seen, i == 0 || first);
            all_agrees(&b);
            assert_true(free_index_consistent(b.v));
        }
        while (b.n)
            give_one(&b);
        all_agrees(&b);
        end(&b);
    }
}

/* ---- Drawn: each candidate is first equally often, wherever the others are ---- */

/* Chi square over the candidates, 24000 draws. */
static double unevenness(struct bench *b, const struct request *r, domain_id within, domain_id confined, unsigned candidates)
{
    enum { DRAWS = 24000 };
    double seen[NODES_MOST] = { 0 }, chi = 0, want = (double)DRAWS / candidates;
    unsigned different = 0;
    free_index_confine(b->v, confined, UINT64_MAX);
    for (int i = 0; i < DRAWS; i++) {
        struct node_walk w = { .v = b->v, .r = r, .order = ANY_ORDER, .within = within, .min_whole = 1 };
        node_id n;
        assert_true(node_walk_next(&w, &n));
        seen[n]++;
    }
    free_index_confine(b->v, 0, UINT64_MAX);
    for (node_id n = 0; n < NODES_MOST; n++) {
        different += seen[n] > 0;
        chi += seen[n] > 0 ? (seen[n] - want) * (seen[n] - want) / want : 0;
    }
    assert_int_equal(different, candidates);
    return chi;
}

/* 12 nodes, racks of 3; nodes 1, 2, 5, 6, 11 have CPUs left. Limits: chi square at p = 0.0001. */
static void drawn_evenly(void **state)
{
    (void)state;
    static struct bench b;
    static const node_id with_cpu[] = { 1, 2, 5, 6, 11 };
    struct error err = { "" };
    const struct group_spec g = { .name = "g", .count = 12, .gpus = 2, .cpu_milli = 4000, .mem_mib = INT64_MAX, .nodes_per_rack = 3 };
    const struct request any = { .tasks = 1, .gpus = 1, .gpu_milli = MILLI_ALL }, cpus = { .tasks = 1, .gpus = 1, .gpu_milli = MILLI_ALL, .cpu_milli = 2000 };
    memset(&b, 0, sizeof b);
    b.c = cluster_build("drawn", &g, 1, NULL, 0, &err);
    b.shape[0] = (struct shape_kinds){ .n = 1, .kind = b.kind[0] };
    random_init(&b.placer, 1, "drawn", 0);
    b.v = free_index_new(b.c, b.shape, &b.placer);
    domain_id rack = view_domain(b.v, 4, LEVEL_RACK);
    assert_true(unevenness(&b, &any, 0, 0, 12) < 37.4);            /* 11 degrees of freedom */
    assert_true(unevenness(&b, &any, rack, 0, 3) < 18.4);          /* 2 */
    assert_true(unevenness(&b, &any, 0, rack, 3) < 18.4);
    for (node_id n = 0, k = 0; n < 12; n++)
        if (k < COUNT(with_cpu) && n == with_cpu[k])
            k++;
        else
            free_index_take(b.v, &(struct piece){ .node = n }, 3000, 0);
    assert_true(unevenness(&b, &cpus, 0, 0, 5) < 23.5);            /* 4 */
    assert_true(unevenness(&b, &cpus, rack, 0, 1) == 0);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(agrees), cmocka_unit_test(drawn_evenly) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
