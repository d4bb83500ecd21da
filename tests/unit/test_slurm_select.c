/* test_slurm_select.c - the nodes that policy `slurm` finds for a job, against a second, plain implementation that looks at
 * the nodes one by one; and what it keeps of their room from pass to pass, against the view. Random clusters with nodes of
 * several kinds, some with more GPUs than there are sets for, jobs that ask for CPUs or memory, random weights. */
#define account slurm_account     /* the engine has another */
#include "policies/slurm/slurm.h"
#undef account
#include "tests/support/drawn.h"
#include "tests/support/named.h"
#include "tests/support/wanted.h"


enum { NODES_MOST = 200, JOBS = 120, SEEDS = 80, PASSES = 40 };

static unsigned passes, found, failed, started;
static uint32_t weights[NODES_MOST];
static struct site site = { .weight = weights };
static uint64_t all_nodes[NODES_MOST / 64 + 1];
static struct partition_facts partition = { .nodes = all_nodes, .max_time_ns = TIME_NEVER, .default_time_ns = TIME_NEVER,
                                            .max_nodes = UNLIMITED };

/* ---- The plain choice ---- */

struct usable { node_id node; uint32_t tasks; };
struct row_of { uint32_t first, end, weight; uint64_t tasks; bool used; };
struct choice {
    const struct need *need;
    struct usable usable[NODES_MOST];
    struct row_of row[NODES_MOST];
    uint32_t n_usable, n_rows, n;
    struct seat seat[NODES_MOST];
    uint64_t tasks_left;
    uint32_t nodes_left;
};

static uint32_t tasks_on(const struct need *need, const struct room *room, node_id n)
{
    int64_t tasks = need->tasks < need->per_node ? need->tasks : need->per_node;
    if (need->gpus && room->gpus[n] / need->gpus < tasks)
        tasks = room->gpus[n] / need->gpus;
    if (need->cpu_milli && room->cpu_milli[n] / need->cpu_milli < tasks)
        tasks = room->cpu_milli[n] / need->cpu_milli;
    if (need->mem_mib && room->mem_mib[n] / need->mem_mib < tasks)
        tasks = room->mem_mib[n] / need->mem_mib;
    return tasks > 0 ? (uint32_t)tasks : 0;
}

static bool enough(const struct choice *c, const struct row_of *r)
{
    return r->tasks >= c->tasks_left && r->end - r->first >= c->nodes_left;
}

static bool better(const struct choice *c, const struct row_of *a, const struct row_of *b)
{
    if (a->weight != b->weight)
        return a->weight < b->weight;
    if (enough(c, a) != enough(c, b))
        return enough(c, a);
    return enough(c, a) ? a->tasks < b->tasks : a->tasks > b->tasks;
}

static void take(struct choice *c, uint32_t i)
{
    uint64_t spare = c->tasks_left - (c->nodes_left > 1 ? c->nodes_left - 1 : 0),
             tasks = c->usable[i].tasks < spare ? c->usable[i].tasks : spare;
    c->seat[c->n++] = (struct seat){ c->usable[i].node, (uint32_t)tasks, c->need };
    c->tasks_left -= tasks;
    c->nodes_left -= c->nodes_left > 0;
}

static void take_row(struct choice *c, const struct row_of *r)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = r->first; c->nodes_left <= 1 && i < r->end; i++)
        if (c->usable[i].tasks >= c->tasks_left && (best == UINT32_MAX || c->usable[i].tasks < c->usable[best].tasks))
            best = i;
    if (best != UINT32_MAX) {
        take(c, best);
        return;
    }
    for (uint32_t i = r->first; c->tasks_left && c->n < c->need->most_nodes && i < r->end; i++)
        take(c, i);
}

static bool choose_plainly(const struct slurm *m, struct choice *c)
{
    c->n = c->n_rows = 0;
    c->tasks_left = c->need->tasks;
    c->nodes_left = c->need->nodes;
    for (uint32_t i = 0; i < c->n_usable; i++) {
        uint32_t weight = m->site ? weights[c->usable[i].node] : 1;
        if (!c->n_rows || c->row[c->n_rows - 1].weight != weight || c->usable[i - 1].node + 1 != c->usable[i].node)
            c->row[c->n_rows++] = (struct row_of){ .first = i, .weight = weight };
        c->row[c->n_rows - 1].end = i + 1;
        c->row[c->n_rows - 1].tasks += c->usable[i].tasks;
    }
    while (c->tasks_left && c->n < c->need->most_nodes) {
        struct row_of *best = NULL;
        for (uint32_t i = 0; i < c->n_rows; i++)
            if (!c->row[i].used && (!best || better(c, &c->row[i], best)))
                best = &c->row[i];
        if (!best)
            return false;
        best->used = true;
        take_row(c, best);
    }
    return !c->tasks_left;
}

/* false: none; *might: but for the number of nodes it would. */
static bool choice_made(struct sched *s, const struct slurm *m, const struct need *need, const uint64_t *among,
                        const struct room *room, struct choice *c, bool *might)
{
    uint64_t tasks = 0;
    *c = (struct choice){ .need = need };
    for (node_id n = 0; n < m->n_nodes; n++) {
        uint32_t there = set_has(among, n) ? tasks_on(need, room, n) : 0;
        if (!there || !view_allows(sched_view(s, FREE_IDLE), need->ask, n))
            continue;
        c->usable[c->n_usable++] = (struct usable){ n, there };
        tasks += there;
    }
    *might = c->n_usable && c->n_usable >= need->nodes && tasks >= need->tasks;
    bool chosen = choose_plainly(m, c);
    while (!chosen && c->n_usable && need->most_nodes < UINT32_MAX) {
        uint32_t least = UINT32_MAX, n = 0;
        for (uint32_t i = 0; i < c->n_usable; i++)
            least = c->usable[i].tasks < least ? c->usable[i].tasks : least;
        for (uint32_t i = 0; i < c->n_usable; i++)
            if (c->usable[i].tasks > least)
                c->usable[n++] = c->usable[i];
        c->n_usable = n;
        chosen = choose_plainly(m, c);
    }
    return chosen;
}

/* ---- Comparison ---- */

static void room_agrees(struct sched *s, const struct slurm *m)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    int64_t all = 0;
    uint32_t beyond = 0;
    for (node_id n = 0; n < m->n_nodes; n++) {
        struct node_free f = view_node(v, n);
        assert_wanted(f.whole, m->room.gpus[n], "node %u: GPUs", n);
        assert_wanted(f.cpu_milli, m->room.cpu_milli[n], "node %u: CPUs", n);
        assert_wanted(f.mem_mib, m->room.mem_mib[n], "node %u: memory", n);
        assert_int_equal(set_has(m->up, n), sched_node_up(s, n));
        for (uint32_t g = 1; g <= m->room.levels; g++)
            assert_int_equal(room_at_least(&m->room, n / 64, g) >> n % 64 & 1, f.whole >= g);
        all += f.whole;
        beyond += f.whole > m->room.levels;
    }
    assert_int_equal(m->room.all_gpus, all);
    assert_int_equal(m->room.n_beyond, beyond);
}

static void seats_agree(const struct choice *c, const struct seats *got, uint32_t from)
{
    for (uint32_t i = 0; i < c->n; i++) {
        assert_wanted(c->seat[i].node, got->at[from + i].node, "seat %u: node", i);
        assert_wanted(c->seat[i].tasks, got->at[from + i].tasks, "seat %u: tasks", i);
        assert_ptr_equal(got->at[from + i].of, c->need);
    }
}

static void select_agrees(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among, struct room *room)
{
    static struct choice c;
    struct seats got;
    bool might, want = choice_made(s, m, need, among, room, &c, &might);
    assert_int_equal(slurm_might_select(s, m, need, among, room), might);
    assert_int_equal(slurm_select(s, m, need, among, room, &got), want);
    found += want;
    failed += !want;
    if (!want)
        return;
    assert_int_equal(got.n, c.n);
    seats_agree(&c, &got, 0);
}

/* Two components: the second on other nodes than the first. */
static void components_agree(struct sched *s, struct slurm *m, struct need *need, const struct need *second, const uint64_t *among)
{
    static struct choice a, b;
    struct seats got;
    uint64_t rest[NODES_MOST / 64 + 1];
    bool might;
    need->next = second;
    bool got_them = slurm_select(s, m, need, among, &m->room, &got);
    need->next = NULL;
    memcpy(rest, among, m->words * sizeof *rest);
    bool want = choice_made(s, m, need, among, &m->room, &a, &might);
    for (uint32_t i = 0; want && i < a.n; i++)
        set_remove(rest, a.seat[i].node);
    want = want && choice_made(s, m, second, rest, &m->room, &b, &might);
    assert_int_equal(got_them, want);
    if (!want)
        return;
    assert_int_equal(got.n, a.n + b.n);
    seats_agree(&a, &got, 0);
    b.need = second;
    seats_agree(&b, &got, a.n);
}

/* ---- A policy that asks, starts and stops ---- */

static void begin(struct sched *s, const void *params, void *state)
{
    struct slurm *m = state;
    node_id first, end;
    (void)params;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    m->n_nodes = end;
    m->words = end / 64 + 1;
    m->site = draw(2) ? &site : NULL;
    for (node_id n = 0; n < end; n++)
        weights[n] = draw(10) ? 1 + n / 40 % 2 : draw(3);
    memset(all_nodes, 0, sizeof all_nodes);
    for (node_id n = 0; n < end; n++)
        set_add(all_nodes, n);
    m->partition = &partition;
    m->n_partitions = 1;
    slurm_room_begin(s, m);
}

static struct need any_need(struct sched *s)
{
    struct need need = slurm_need(s, draw(JOBS));
    need.most_nodes = draw(3) ? UINT32_MAX : 1 + draw(6);
    if (draw(4) == 0)
        need.per_node = 1 + draw(4);
    if (draw(4) == 0)
        need.nodes = 1 + draw(need.tasks < 5 ? need.tasks : 5);
    return need;
}

static void ask(struct sched *s, struct slurm *m)
{
    struct need need = any_need(s), second = any_need(s);
    uint64_t *among = slurm_set(s, m, all_nodes);
    for (node_id n = 0; n < m->n_nodes; n++)
        if (!sched_node_up(s, n) || draw(draw(2) ? 20 : 3) == 0)
            set_remove(among, n);
    const uint64_t *from = draw(3) ? among : all_nodes;
    job_id gone[JOBS];
    size_t n_gone = 0;
    select_agrees(s, m, &need, from, &m->room);
    select_agrees(s, m, &need, from, slurm_empty_room(s, m));
    components_agree(s, m, &need, &second, from);
    for (job_id j = 0; j < JOBS; j++)
        if (job_state(s, j) == JOB_RUNNING && draw(3) == 0)
            slurm_room_give(s, &m->room, gone[n_gone++] = j, 1);
    select_agrees(s, m, &need, from, &m->room);
    while (n_gone)
        slurm_room_give(s, &m->room, gone[--n_gone], -1);
    room_agrees(s, m);
}

static void schedule(struct sched *s, const void *params, void *state)
{
    struct slurm *m = state;
    (void)params;
    bool last = ++passes >= PASSES;
    slurm_room(s, m);
    m->n_started = 0;
    room_agrees(s, m);
    for (uint32_t k = 0; k < (last ? JOBS : 6); k++) {
        job_id j = last ? k : draw(JOBS);
        struct entry e = { .job = j };
        struct need need = slurm_need(s, j);
        struct seats where;
        ask(s, m);
        if (job_state(s, j) == JOB_PENDING && slurm_select(s, m, &need, m->up, &m->room, &where)) {
            started += slurm_start(s, m, &e, m->up, &where);
            room_agrees(s, m);
        } else if (!last && job_state(s, j) == JOB_RUNNING && draw(2)) {
            slurm_room_stopped(s, m, j);
            sched_stop(s, j, STOP_SAVE);
            break;                 /* what it leaves need not be free yet */
        }
    }
    if (!last)
        sched_wake_at(s, sched_now(s) + NS_PER_S);
}

static void any_group(struct group_spec *g, uint32_t i)
{
    static const char *const models[] = { "T4-16", "A100-SXM4-40", "no such model" };
    g->name = g->gpu_model = models[i];
    g->count = 1 + draw(60);
    g->gpus = i == 2 && draw(3) == 0 ? 60 + draw(12) : 1 + draw(8);    /* more than 64: counted */
    if (draw(2))
        g->cpu_milli = 1000 * (8 + draw(40));
    if (draw(2))
        g->mem_mib = 100 * (5 + draw(40));
}

static void any_job(struct job_row *row)
{
    row->tasks = draw(2) ? 1 + draw(12) : 0;
    row->gpus = row->tasks ? row->tasks * draw(5) : 1 + draw(draw(3) ? 10 : 150);
    row->cpu_milli = !row->gpus || draw(4) == 0 ? 1000 * (1 + (int64_t)draw(6)) * (row->tasks ? 1 : row->gpus) : 0;
    row->mem_mib = draw(5) ? 0 : 50 * (int64_t)draw(8);
    if (draw(3) == 0 && row->gpus)
        drawn_types(row, draw(2) ? "T4-16" : "A100-SXM4-40|T4-16");
}

static bool sometimes(void)
{
    return draw(2);
}

static void as_one_by_one(void **state)
{
    static const struct policy asks = { .abi = POLICY_ABI, .name = "asks", .begin = begin, .schedule = schedule,
                                        .state_size = sizeof(struct slurm), .job_size = sizeof(struct slurm_job) };
    const struct drawn worlds = { "slurm select", 3, JOBS, any_group, any_job, sometimes };
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        passes = 0;
        drawn_run(&worlds, seed, &(struct run_setup){ .policy = &asks, .placer = placer_named("pack") });
    }
    print_message("slurm: %u selections, %u without nodes, %u starts\n", found, failed, started);
    assert_true(found > 100 * SEEDS && failed > 100 * SEEDS && started > 50 * SEEDS);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, as_one_by_one);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
