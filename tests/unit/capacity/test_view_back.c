/* test_view_back.c - what was taken is given back: a free index returns to what it was, byte by byte. And confined to an
 * island of a node it shows no other GPUs. */
#include "tests/support/wanted.h"
#include "tests/unit/view_model.h"

/* A copy of the index, and which table of which kind of nodes ends where. */
enum { TABLES_MOST = 5 * KINDS_MOST + 4 };
struct table { const char *what; uint32_t kind; size_t end; };
struct bytes { unsigned char *at; size_t n, capacity; struct table table[TABLES_MOST]; size_t n_tables; };

static void copy(struct bytes *to, const char *what, uint32_t kind, const void *from, size_t n)
{
    assert_true(to->n_tables < TABLES_MOST);
    to->table[to->n_tables++] = (struct table){ what, kind, to->n + n };
    while (to->capacity < to->n + n)
        to->at = realloc(to->at, to->capacity = 2 * to->capacity + 1024);
    if (n)
        memcpy(to->at + to->n, from, n);
    to->n += n;
}

static void assert_same_bytes(const struct bytes *before, const struct bytes *after)
{
    assert_wanted(before->n, after->n, "bytes of the index");
    size_t i = 0, t = 0;
    while (i < before->n && before->at[i] == after->at[i])
        i++;
    if (i == before->n)
        return;
    while (before->table[t].end <= i)
        t++;
    fail_msg("%s, kind %u, byte %zu: before %u, after %u", before->table[t].what, before->table[t].kind,
             i - (t ? before->table[t - 1].end : 0), before->at[i], after->at[i]);
}

static struct bytes all_bytes(const struct bench *b)
{
    const struct view *v = b->v;
    struct bytes to = { 0 };
    copy(&to, "state of nodes", 0, v->node, b->c->n_nodes * sizeof *v->node);
    copy(&to, "use of GPUs", 0, v->used, b->c->gpu_base[b->c->n_nodes] * sizeof *v->used);
    for (uint32_t k = 0; k < b->c->n_kinds; k++) {
        const struct kind_index *x = &v->kind[k];
        copy(&to, "nodes by free GPUs", k, x->by_whole, x->by_whole ? (size_t)(x->gpus + 1) * x->nodes.words * sizeof *x->by_whole : 0);
        copy(&to, "numbers of free GPUs in use", k, x->some, x->some ? x->buckets.words * sizeof *x->some : 0);
        copy(&to, "nodes by shares", k, x->by_share, x->by_share ? (size_t)SHARE_CLASSES * x->nodes.words * sizeof *x->by_share : 0);
        copy(&to, "nodes of each number of free GPUs", k, x->count, x->count ? (size_t)(x->gpus + 1) * sizeof *x->count : 0);
        copy(&to, "free GPUs", k, &x->whole, sizeof x->whole);
    }
    if (v->domain_whole) {
        copy(&to, "free GPUs of domains", 0, v->domain_whole, (size_t)b->c->n_domains * b->c->n_kinds * sizeof *v->domain_whole);
        copy(&to, "nodes of domains by free GPUs", 0, v->domain_hist, (size_t)b->c->n_domains * v->hist_stride * sizeof *v->domain_hist);
    }
    return to;
}

static void back_to_the_byte(void **state)
{
    (void)state;
    static struct bench b;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&b, seed);
        for (int i = 0; i < STEPS; i++) {
            step(&b);
            struct bytes before = all_bytes(&b);
            struct held taken[12];
            size_t n = draw(&b, COUNT(taken));
            for (size_t k = 0; k < n; k++) {
                taken[k] = any_piece(&b);
                free_index_take(b.v, &taken[k].p, taken[k].cpu_milli, taken[k].mem_mib);
            }
            while (n > 0) {
                n--;
                free_index_give(b.v, &taken[n].p, taken[n].cpu_milli, taken[n].mem_mib);
            }
            struct bytes after = all_bytes(&b);
            assert_same_bytes(&before, &after);
            free(before.at);
            free(after.at);
        }
        end(&b);
    }
}

/* ---- Confined to one island of a node ---- */

static void one_island(void **state)
{
    (void)state;
    static struct bench b;
    begin(&b, 1);
    struct piece p = { .node = b.c->n_nodes, .gpu_mask = 0x3, .gpus = 2, .milli = MILLI_ALL };
    for (node_id n = 0; n < b.c->n_nodes; n++)
        p.node = type_of(&b, n)->gpus == 64 ? n : p.node;
    free_index_take(b.v, &p, 0, 0);
    p = (struct piece){ .node = p.node, .gpu_mask = 0x14, .gpus = 2, .milli = 400 };
    free_index_take(b.v, &p, 0, 0);
    free_index_confine(b.v, view_domain(b.v, p.node, LEVEL_NODE), 0x0f);
    struct node_free f = view_node(b.v, p.node);
    assert_int_equal(f.whole_mask, 0x8);
    assert_int_equal(f.whole, 1);
    assert_int_equal(f.shared_mask, 0x4);
    struct request r = { .shape = 0, .tasks = 1, .gpus = 2, .gpu_milli = 600 };
    assert_true(view_fits(b.v, &r, p.node));              /* GPU 3, and 0.6 of GPU 2 */
    r.gpu_milli = 650;
    assert_false(view_fits(b.v, &r, p.node));
    free_index_confine(b.v, 0, UINT64_MAX);
    assert_int_equal(view_node(b.v, p.node).whole, 60);
    end(&b);
}

/* A window of the timeline takes all holds that follow one another on a GPU. However many: it is not free, and not shared. */
static void taken_many_times(void **state)
{
    (void)state;
    static struct bench b;
    begin(&b, 1);
    const struct piece p = { .node = 0, .gpu_mask = 1, .gpus = 1, .milli = MILLI_ALL };
    struct bytes before = all_bytes(&b);
    for (int k = 1; k <= 70000; k++) {
        free_index_take(b.v, &p, 0, 0);
        struct node_free f = view_node(b.v, 0);
        assert_int_equal((f.whole_mask | f.shared_mask) & 1, 0);
        assert_int_equal(view_gpu_milli(b.v, 0, 0), 0);
    }
    for (int k = 70000; k > 0; k--) {
        assert_int_equal(free_index_settled(b.v, &p), k == 1);
        free_index_give(b.v, &p, 0, 0);
    }
    struct bytes after = all_bytes(&b);
    assert_same_bytes(&before, &after);
    free(before.at);
    free(after.at);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(back_to_the_byte), cmocka_unit_test(taken_many_times),
                                        cmocka_unit_test(one_island) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
