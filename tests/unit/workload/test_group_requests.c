/* test_group_requests.c - what the world takes of a job with groups, and what it is asked for: pieces against the run of
 * their task, levels of groups, parts of the job beside what it holds. By hand. */
#include "sim/workload/requests.h"
#include "tests/support/schedule.h"

/* Racks of two nodes with 8 GPUs. Tasks 0, 1: group a, 4 GPUs, in one rack; 2, 3: group b, 1 GPU, on one node; 4: group c, none. */
static const struct schedule world = {
    .group = { { .name = "node", .gpu_model = "A100", .count = 4, .gpus = 8, .cpu_milli = 64000, .mem_mib = INT64_MAX, .nodes_per_rack = 2 } },
    .jobs = { { 0, 10, .starts = 0, PARTS(PART("a", LEVEL_RACK, 2, 4, 1), PART("b", LEVEL_NODE, 2, 1, 1), PART("c", LEVEL_ANY, 1, 0, 0)) } },
};
#define LOW4  UINT64_C(0x0f)
#define HIGH4 UINT64_C(0xf0)
#define A(task, node, mask) { node, task, mask, 4, MILLI_ALL }
#define B(task, node, gpu)  { node, task, UINT64_C(1) << (gpu), 1, MILLI_ALL }
#define C(task, node)       { node, task, 0, 0, 0 }
enum { PIECES_MOST = 6 };

/* clang-format off */
static const struct offer {
    const char *name;
    enum sched_result answer;
    size_t n;
    struct piece first[PIECES_MOST];      /* n_first: what it holds already */
    struct piece piece[PIECES_MOST];
    size_t n_first;
} offers[] = {
    { "all of it", SCHED_OK, 5, .piece = { A(0, 0, LOW4), A(1, 1, LOW4), B(2, 0, 4), B(3, 0, 5), C(4, 3) } },
    { "the minimum", SCHED_OK, 3, .piece = { A(1, 1, LOW4), B(3, 0, 5), C(4, 3) } },
    { "groups far from each other", SCHED_OK, 4, .piece = { A(0, 0, LOW4), A(1, 1, LOW4), B(2, 3, 4), B(3, 3, 5) } },
    { "one group over two racks", SCHED_MISMATCH, 2, .piece = { A(0, 0, LOW4), A(1, 2, LOW4) } },
    { "one group over two nodes of a rack", SCHED_MISMATCH, 2, .piece = { B(2, 0, 0), B(3, 1, 0) } },
    { "its rest in another rack than what it holds", SCHED_MISMATCH, 1, .first = { A(0, 0, LOW4) }, .n_first = 1, .piece = { A(1, 2, LOW4) } },
    { "its rest in the rack of what it holds", SCHED_OK, 1, .first = { A(0, 0, LOW4) }, .n_first = 1, .piece = { A(1, 1, LOW4) } },
    { "another group, elsewhere", SCHED_OK, 1, .first = { A(0, 0, LOW4) }, .n_first = 1, .piece = { B(2, 3, 0) } },
    { "the size of another run: more", SCHED_MISMATCH, 1, .piece = { { 0, 2, LOW4, 4, MILLI_ALL } } },
    { "the size of another run: less", SCHED_MISMATCH, 1, .piece = { { 0, 0, 1, 1, MILLI_ALL } } },
    { "the size of another run: GPUs for none", SCHED_MISMATCH, 1, .piece = { { 0, 4, 1, 1, MILLI_ALL } } },
    { "a task that there is not", SCHED_MISMATCH, 1, .piece = { C(5, 0) } },
    { "tasks out of order", SCHED_MISMATCH, 2, .piece = { B(2, 0, 0), A(0, 1, LOW4) } },
    { "a GPU twice", SCHED_NO_ROOM, 2, .piece = { A(0, 0, LOW4), A(1, 0, LOW4) } },
};
/* clang-format on */

static const struct offer *current;
static unsigned looked;

static enum sched_result offer(struct sched *s, const struct piece *piece, size_t n)
{
    struct placement *p = sched_scratch(s, sizeof *p + n * sizeof *piece);
    p->n = n;
    memcpy(p->piece, piece, n * sizeof *piece);
    return sched_start(s, 0, p);
}

static void start_all(struct sched *s)
{
    struct request r = job_request(s, 0);
    const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &r);
    assert_non_null(where);
    assert_int_equal(sched_start(s, 0, where), SCHED_OK);
}

static void make_offer(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    if (job_state(s, 0) != JOB_PENDING)
        return;
    looked++;
    sched_mark_t before = sched_mark(s);
    if (current->n_first)
        assert_int_equal(offer(s, current->first, current->n_first), SCHED_OK);
    assert_int_equal(offer(s, current->piece, current->n), current->answer);
    sched_rollback(s, before);
    start_all(s);
}

static void is_answered(void **state)
{
    static const struct policy offers_it = { .abi = POLICY_ABI, .name = "offers", .needs = STARTS_PARTIAL, .schedule = make_offer };
    current = *state;
    looked = 0;
    plays_with(&world, &offers_it, NULL);
    assert_int_equal(looked, 1);
}

/* ---- Asking for parts ---- */

static void place_parts(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    if (job_state(s, 0) != JOB_PENDING)
        return;
    looked++;
    const struct request *ask = job_facts(s, 0)->ask;
    struct request a = *ask, b = *ask->next;
    a.next = b.next = NULL;
    a.job = b.job = 0;
    a.tasks = b.tasks = 1;
    sched_mark_t before = sched_mark(s);
    const struct placement *p = sched_place(s, sched_view(s, FREE_IDLE), &a);
    assert_non_null(p);
    assert_true(p->n == 1 && p->piece[0].task == 0 && p->piece[0].gpus == 4 && p->piece[0].node == 0);
    /* Task 0 held in rack 1: task 1 there, too, though node 0 is the first; b where it likes */
    assert_int_equal(offer(s, (struct piece[]){ A(0, 3, LOW4) }, 1), SCHED_OK);
    a.first_task = 1;
    p = sched_place(s, sched_view(s, FREE_IDLE), &a);
    assert_non_null(p);
    assert_true(p->n == 1 && p->piece[0].task == 1 && p->piece[0].node >= 2);
    assert_int_equal(sched_start(s, 0, p), SCHED_OK);
    b.task = (const uint32_t[]){ 3 };
    p = sched_place(s, sched_view(s, FREE_IDLE), &b);
    assert_non_null(p);
    assert_true(p->n == 1 && p->piece[0].task == 3 && p->piece[0].gpus == 1);
    /* Node 2 holds task 3; it is full but for one GPU: then none: task 2 has no other place */
    assert_int_equal(offer(s, (struct piece[]){ B(3, 2, 7) }, 1), SCHED_OK);
    b.task = NULL;
    b.first_task = 2;
    p = sched_place(s, sched_view(s, FREE_IDLE), &b);
    assert_non_null(p);
    assert_int_equal(p->piece[0].node, 2);
    sched_rollback(s, before);
    /* Two parts at once: a chain of parts */
    a.first_task = 1;
    a.next = &b;
    p = sched_place(s, sched_view(s, FREE_IDLE), &a);
    assert_non_null(p);
    assert_true(p->n == 2 && p->piece[0].task == 1 && p->piece[1].task == 2);
    assert_int_equal(sched_start(s, 0, p), SCHED_OK);
    sched_rollback(s, before);
    start_all(s);
}

static void parts_are_placed(void **state)
{
    static const struct policy parts = { .abi = POLICY_ABI, .name = "parts", .needs = STARTS_PARTIAL, .schedule = place_parts };
    (void)state;
    looked = 0;
    plays_with(&world, &parts, NULL);
    assert_int_equal(looked, 1);
}

/* ---- Sizes ---- */

static void sizes_are_sums(void **state)
{
    (void)state;
    struct workload *w = workload_of(world.jobs, 1);
    const struct request *ask = w->facts[0].ask;
    static const uint32_t run_of[] = { 0, 0, 1, 1, 2 };
    const struct request *run[] = { ask, ask->next, ask->next->next };
    for (uint32_t task = 0; task < 5; task++)
        assert_ptr_equal(request_of_task(ask, task), run[run_of[task]]);
    assert_int_equal(request_tasks(ask), 5);
    assert_int_equal(request_gpus(ask), 2 * 4 + 2 * 1);
    assert_int_equal(request_gpu_milli(ask), 10000);
    assert_int_equal(w->facts[0].min_tasks, 3);
    workload_free(w);
}

static const struct job chains[] = {
    { 0, 1, PARTS(PART("a", LEVEL_ANY, 1, 2, 0), PART("b", LEVEL_ANY, 1, 1, 0)) },
    { 0, 1, PARTS(PART("a", LEVEL_ANY, 1, 2, 0), PART("b", LEVEL_ANY, 1, 1, 0)) },
    { 0, 1, PARTS(PART("a", LEVEL_ANY, 1, 2, 0), PART("b", LEVEL_ANY, 1, 3, 0)) },
    { 0, 1, PARTS(PART("a", LEVEL_ANY, 1, 2, 0), PART("b", LEVEL_RACK, 1, 1, 0)) },
    { 0, 1, PARTS(PART("a", LEVEL_ANY, 1, 2, 0), PART("a", LEVEL_ANY, 1, 1, 0)) },
    { 0, 1, PARTS(PART(".", LEVEL_ANY, 1, 2, 0), PART(".", LEVEL_ANY, 1, 1, 0)) },
    { 0, 1, 2, .tasks = 1 },
    { 0, 1, PARTS(PART(".", LEVEL_ANY, 1, 2, 0)) },
    { 0, 1, PARTS(PART("a", LEVEL_ANY, 2, 2, 1), PART("b", LEVEL_ANY, 1, 1, 0)) },
    { 0, 1, PARTS(PART("a", LEVEL_ANY, 2, 2, 2), PART("b", LEVEL_ANY, 1, 1, 0)) },
};
/* One shape only where all runs and groups are the same. */
static void shapes_are_whole_chains(void **state)
{
    (void)state;
    static const unsigned same_as[] = { 0, 0, 2, 3, 4, 5, 6, 6, 8, 9 };
    struct workload *w = workload_of(chains, COUNT(chains));
    for (size_t i = 0; i < COUNT(chains); i++)
        for (size_t k = 0; k < COUNT(chains); k++)
            assert_int_equal(w->facts[i].ask == w->facts[k].ask, same_as[i] == same_as[k]);
    assert_ptr_equal(w->facts[0].group, w->facts[1].group);
    workload_free(w);
}

/* ---- Totals as pods ---- */

static void totals_become_pods(void **state)
{
    (void)state;
    static const struct { uint32_t gpus, tasks, pods, each, rest; int64_t cpus; } row[] = {
        { 20, 0, 2, 8, 4, 40 }, { 5, 0, 0, 8, 5, 5 }, { 16, 0, 2, 8, 0, 0 }, { 8, 0, 1, 8, 0, 8 }, { 9, 0, 1, 8, 1, 9 },
        { 12, 3, 3, 4, 0, 3 },    /* has tasks: stays */
        { 1, 0, 1, 1, 0, 2 },     /* one GPU is one task */
    };
    struct job jobs[COUNT(row)];
    memset(jobs, 0, sizeof jobs);
    for (size_t i = 0; i < COUNT(row); i++)
        jobs[i] = (struct job){ .lasts = 1, .gpus = row[i].gpus, .tasks = row[i].tasks, .cpus = row[i].cpus };
    struct workload *w = workload_of(jobs, COUNT(row));
    workload_make_pods(w, 8);
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct request *r = w->facts[i].ask;
        int64_t per_gpu = row[i].cpus * 1000 / row[i].gpus;
        assert_int_equal(request_gpus(r), row[i].gpus);
        assert_int_equal(request_amount(r).cpu_milli, row[i].cpus * 1000 * (row[i].tasks ? row[i].tasks : 1));
        assert_int_equal(w->facts[i].min_tasks, request_tasks(r));
        assert_int_equal(w->facts[i].n_groups, 0);
        if (row[i].pods) {
            assert_int_equal(r->tasks, row[i].pods);
            assert_int_equal(r->gpus, row[i].each);
            assert_int_equal(r->first_task, 0);
            if (!row[i].tasks)
                assert_int_equal(r->cpu_milli, per_gpu * row[i].each);
            r = r->next;
        }
        assert_true((r != NULL) == (row[i].rest > 0));
        if (!r)
            continue;
        assert_int_equal(r->tasks, 1);
        assert_int_equal(r->first_task, row[i].pods);
        assert_int_equal(r->gpus, row[i].rest);
        assert_int_equal(r->cpu_milli, per_gpu * row[i].rest);
        assert_null(r->next);
    }
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, is_answered, offers);
    const struct CMUnitTest others[] = { cmocka_unit_test(parts_are_placed), cmocka_unit_test(sizes_are_sums),
                                         cmocka_unit_test(shapes_are_whole_chains), cmocka_unit_test(totals_become_pods) };
    for (size_t i = 0; i < COUNT(others); i++)
        tests[n++] = others[i];
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
