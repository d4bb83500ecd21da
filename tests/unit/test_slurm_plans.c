/* test_slurm_plans.c - what backfill of policy `slurm` has reserved, and when running jobs make room, against a second, plain
 * implementation: reservations one by one, times built anew for each question, and a selection after each group of ends. Times
 * that bounds leave out are in vain there, too. Random clusters, running jobs, reservations, and jobs that start meanwhile. */
#define account slurm_account     /* the engine has another */
#include "policies/slurm/space.h"
#undef account
#include "tests/support/drawn.h"
#include "tests/support/named.h"

enum { NODES_MOST = 150, JOBS = 120, SEEDS = 60, PASSES = 12, PLANS = 25, TIMES_MOST = 4 * PLANS };

static unsigned passes, found, never, skipped, joined, late;
static uint64_t all_nodes[NODES_MOST / 64 + 1];
static struct partition_facts partition = { .nodes = all_nodes, .max_time_ns = TIME_NEVER, .default_time_ns = TIME_NEVER,
                                            .max_nodes = UNLIMITED };
static struct slurm_params usual = { .bf_window = 20, .bf_resolution = 7, .clock_s = 11, .kill_wait_s = 3 };
static struct charged charged[JOBS];

/* ---- The plain plan ---- */

struct kept { int64_t begin, end; bool node[NODES_MOST]; };
struct plain { int64_t begin, end; struct kept kept[PLANS]; uint32_t n; bool up[NODES_MOST]; };
struct part { int64_t begin, end; bool node[NODES_MOST]; };

static int by_time(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool is_open(const struct plain *p, node_id n, int64_t t)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->kept[i].node[n] && p->kept[i].begin <= t && t < p->kept[i].end)
            return false;
    return p->up[n];
}

/* Parts of the whole time with the same nodes, neighbours with different ones. */
static uint32_t parts_of(const struct slurm *m, const struct plain *p, struct part *to)
{
    int64_t at[TIMES_MOST] = { p->begin, p->end };
    uint32_t n = 2, parts = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        at[n++] = p->kept[i].begin;
        at[n++] = p->kept[i].end;
    }
    qsort(at, n, sizeof *at, by_time);
    for (uint32_t i = 0; i + 1 < n; i++) {
        struct part *now = &to[parts];
        if (at[i] == at[i + 1] || at[i] < p->begin || at[i] >= p->end)
            continue;
        *now = (struct part){ .begin = at[i], .end = at[i + 1] < p->end ? at[i + 1] : p->end };
        for (node_id k = 0; k < m->n_nodes; k++)
            now->node[k] = is_open(p, k, at[i]);
        if (parts && !memcmp(now->node, now[-1].node, sizeof now->node))
            now[-1].end = now->end;
        else
            parts++;
    }
    return parts;
}

static void free_plainly(const struct slurm *m, const struct plain *p, const uint64_t *nodes, int64_t start, int64_t length,
                         uint64_t *avail, int64_t *later)
{
    static struct part part[TIMES_MOST];
    uint32_t n = parts_of(m, p, part);
    memcpy(avail, nodes, m->words * sizeof *avail);
    *later = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (part[i].end <= start)
            continue;
        for (node_id k = 0; !*later && i + 1 < n && k < m->n_nodes; k++)
            if (set_has(nodes, k) && part[i + 1].node[k] && !part[i].node[k])
                *later = part[i].end;
        if (part[i].begin > start + length)
            break;
        for (node_id k = 0; k < m->n_nodes; k++)
            if (!part[i].node[k])
                set_remove(avail, k);
    }
}

struct end { job_id job; int64_t end_s; };

static int end_first(const void *left, const void *right)
{
    const struct end *a = left, *b = right;
    return a->end_s != b->end_s ? (a->end_s > b->end_s) - (a->end_s < b->end_s) : (a->job > b->job) - (a->job < b->job);
}

static int64_t guessed(const struct slurm *m, int64_t end_s)
{
    int64_t stays = end_s + (int64_t)usual.kill_wait_s;
    return end_s > m->now_s ? end_s : stays > m->now_s ? stays : m->now_s + 1;
}

/* A selection after each group. */
static int64_t start_plainly(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *avail, struct seats *where)
{
    struct end end[JOBS];
    uint32_t n = 0, gone = 0, in_group = 0;
    int64_t when = -1, window = 30, window_end = 0;
    for (size_t i = 0; i < running_count(m); i++)
        if (slurm_on(s, running_job(m, i), avail))
            end[n++] = (struct end){ running_job(m, i), slurm_end_s(s, running_job(m, i)) };
    /* the next job of all, on these nodes or not, ends a group */
    struct end all[JOBS];
    size_t n_all = 0;
    for (size_t i = 0; i < running_count(m); i++)
        if (job_placement(s, running_job(m, i)))
            all[n_all++] = (struct end){ running_job(m, i), slurm_end_s(s, running_job(m, i)) };
    qsort(end, n, sizeof *end, end_first);
    qsort(all, n_all, sizeof *all, end_first);
    for (uint32_t i = 0; i < n && when < 0; i++) {
        size_t next = 0;
        while (next < n_all && end_first(&all[next], &end[i]) <= 0)
            next++;
        if (!window_end)
            window_end = end[i].end_s - (end[i].end_s + (int64_t)usual.clock_s) % 30 + 30;
        slurm_room_give(s, &m->room, end[gone++].job, 1);
        bool closes = next == n_all || all[next].end_s > window_end + window || ++in_group == 200;
        if (!closes && i + 1 < n)
            continue;
        in_group = 0;
        do
            window *= 2;
        while (next < n_all && all[next].end_s > window_end + window);
        if (slurm_select(s, m, need, avail, &m->room, where))
            when = guessed(m, end[i].end_s);
    }
    while (gone)
        slurm_room_give(s, &m->room, end[--gone].job, -1);
    return when;
}

/* ---- Comparison ---- */

struct both { struct space space; struct ends ends; struct plain plain; };

static int64_t will_run(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *avail, struct seats *where)
{
    return slurm_select(s, m, need, avail, &m->room, where) ? m->now_s : start_plainly(s, m, need, avail, where);
}

static void ends_agree(struct sched *s, struct slurm *m, struct both *b, const struct need *need, const uint64_t *avail,
                       int64_t until)
{
    struct seats where, want;
    int64_t gpus = (int64_t)need->tasks * need->gpus;
    if (slurm_select(s, m, need, avail, &m->room, &where))
        return;
    struct future f = { .need = need, .avail = avail, .until_s = until };
    int64_t when = start_plainly(s, m, need, avail, &want);
    ends_list(s, m, &b->ends);
    int64_t got = ends_start(s, m, &b->ends, &f, &where);
    /* a job past its end is guessed to end later than it is listed */
    assert_true(got == when || (got < 0 && until && when > until));
    late += got < 0 && when >= 0;
    if (until && ends_too_few(m, &b->ends, avail, gpus, until))
        assert_true(when < 0 || when > until);
    if (when < 0 || (until && when > until))
        return;
    assert_int_equal(where.n, want.n);
    for (uint32_t i = 0; i < where.n; i++)
        assert_true(where.at[i].node == want.at[i].node && where.at[i].tasks == want.at[i].tasks);
}

static void keep(struct slurm *m, struct both *b, struct sched *s, int64_t when, int64_t length, const struct seats *where)
{
    struct kept *k = &b->plain.kept[b->plain.n++];
    *k = (struct kept){ .begin = space_rounded(&b->space, when), .end = space_rounded(&b->space, when + length) };
    if (k->end < k->begin + b->space.res)
        k->end = k->begin + b->space.res;
    for (uint32_t i = 0; i < where->n; i++)
        k->node[where->at[i].node] = true;
    assert_int_equal(space_overlaps(&b->space, k->begin, k->end, where), false);
    space_reserve(s, m, &b->space, k->begin, k->end, where);
    assert_int_equal(b->space.soonest_s <= k->begin, true);
}

static bool is_kept(const struct slurm *m, const struct both *b, int64_t when, int64_t length, const struct seats *where)
{
    int64_t begin = space_rounded(&b->space, when), end = space_rounded(&b->space, when + length);
    end = end < begin + b->space.res ? begin + b->space.res : end;
    static struct part part[TIMES_MOST];
    uint32_t n = parts_of(m, &b->plain, part);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; part[i].begin < end && part[i].end > begin && k < where->n; k++)
            if (!part[i].node[where->at[k].node])
                return true;
    return false;
}

/* From time to time, as backfill does, without bounds; what these leave out is in vain. */
static void plan(struct sched *s, struct slurm *m, struct both *b, const struct need *need, const uint64_t *nodes, int64_t length)
{
    struct space_look look = { 0 };
    struct seats where;
    uint64_t avail[NODES_MOST / 64 + 1];
    int64_t start = m->now_s, later, gpus = (int64_t)need->tasks * need->gpus, hope = -1;
    bool asks = true;
    for (;;) {
        free_plainly(m, &b->plain, nodes, start, length, avail, &later);
        const uint64_t *got = space_free(s, m, &b->space, nodes, start, length);
        assert_memory_equal(got, avail, m->words * sizeof *avail);
        hope = asks ? space_hope(m, &b->space, &look, nodes, gpus, start, length) : hope;
        asks = hope == start;
        if (asks)
            assert_int_equal(look.later, later);
        assert_true(hope < 0 || hope >= start);
        ends_agree(s, m, b, need, avail, draw(2) ? later : 0);
        int64_t when = will_run(s, m, need, avail, &where);
        when = when < 0 ? -1 : when > start ? when : start;
        if (when > m->now_s + (int64_t)usual.bf_window * 60)
            when = -1;
        bool in_vain = when < 0 || (later && when > later);
        skipped += !asks;
        if (!asks)
            assert_true(in_vain);
        if (in_vain && !later) {
            never++;
            return;
        }
        if (!in_vain && !is_kept(m, b, when, length, &where))
            break;
        assert_true(in_vain || when > start || length < b->space.res);
        if (!in_vain && when == start)
            return;
        start = in_vain ? later : when;
    }
    found++;
    int64_t when = will_run(s, m, need, avail, &where);
    keep(m, b, s, when > start ? when : start, length, &where);
}

/* ---- A policy that plans, starts and stops ---- */

static void begin(struct sched *s, const void *params, void *state)
{
    struct slurm *m = state;
    node_id first, end;
    (void)params;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    m->params = &usual;
    m->n_nodes = end;
    m->words = end / 64 + 1;
    memset(all_nodes, 0, sizeof all_nodes);
    for (node_id n = 0; n < end; n++)
        set_add(all_nodes, n);
    m->partition = &partition;
    m->n_partitions = 1;
    m->batch.charged = charged;
    slurm_room_begin(s, m);
}

static void list_running(struct sched *s, struct slurm *m)
{
    m->batch.n_charged = 0;
    m->n_started = 0;
    for (job_id j = 0; j < JOBS; j++)
        if (job_state(s, j) == JOB_RUNNING)
            charged[m->batch.n_charged++] = (struct charged){ .job = j };
}

static bool start(struct sched *s, struct slurm *m, job_id j)
{
    struct entry e = { .job = j };
    struct need need = slurm_need(s, j);
    struct seats where;
    if (job_state(s, j) != JOB_PENDING || !slurm_select(s, m, &need, m->up, &m->room, &where) ||
        !slurm_start(s, m, &e, m->up, &where))
        return false;
    ((struct slurm_job *)job_own(s, j))->limit_s = draw(10) ? 1 + draw(900) : 0;    /* 0: it is past its end */
    return true;
}

static void plan_some(struct sched *s, struct slurm *m)
{
    static struct both b;
    b = (struct both){ .ends.clock = (int64_t)usual.clock_s, .space.soonest_s = INT64_MAX };
    space_begin(s, m, &b.space, m->up, 1e6);
    space_bound(s, m, &b.space, &b.ends);
    b.plain.begin = b.space.at[0].begin;
    b.plain.end = b.space.at[0].end;
    for (node_id n = 0; n < m->n_nodes; n++)
        b.plain.up[n] = set_has(m->up, n);
    for (uint32_t k = 0; k < PLANS; k++) {
        struct need need = slurm_need(s, draw(JOBS));
        uint64_t *nodes = slurm_set(s, m, m->up);
        for (node_id n = 0; draw(3) == 0 && n < m->n_nodes; n += 1 + draw(3))
            set_remove(nodes, n);
        plan(s, m, &b, &need, nodes, 1 + draw(draw(2) ? 60 : 700));
        joined += draw(4) == 0 && start(s, m, draw(JOBS));
    }
}

static void schedule(struct sched *s, const void *params, void *state)
{
    struct slurm *m = state;
    (void)params;
    bool last = ++passes >= PASSES;
    m->now_s = sched_now(s) / NS_PER_S;
    slurm_room(s, m);
    list_running(s, m);
    if (!last)
        plan_some(s, m);
    for (uint32_t k = 0; k < JOBS; k++)
        if (last || draw(4) == 0)
            start(s, m, k);
    if (!last)
        sched_wake_at(s, sched_now(s) + NS_PER_S);
}

static void any_group(struct group_spec *g, uint32_t i)
{
    static const char *const models[] = { "T4-16", "A100-SXM4-40", "no such model" };
    g->name = g->gpu_model = models[i];
    g->count = 1 + draw(i ? 10 : 60);
    g->gpus = i == 2 && draw(6) == 0 ? 60 + draw(12) : 1 + draw(8);    /* more than 64: counted */
    if (draw(4) == 0)
        g->cpu_milli = 1000 * (8 + draw(40));
}

static void any_job(struct job_row *row)
{
    row->tasks = draw(2) ? 1 + draw(12) : 0;
    row->gpus = row->tasks ? row->tasks * draw(5) : 1 + draw(draw(3) ? 10 : 90);
    row->cpu_milli = !row->gpus || draw(8) == 0 ? 1000 * (1 + (int64_t)draw(6)) * (row->tasks ? 1 : row->gpus) : 0;
}

static void as_one_by_one(void **state)
{
    static const struct policy plans = { .abi = POLICY_ABI, .name = "plans", .begin = begin, .schedule = schedule,
                                         .state_size = sizeof(struct slurm), .job_size = sizeof(struct slurm_job) };
    const struct drawn worlds = { "slurm plans", 3, JOBS, any_group, any_job, always };
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        passes = 0;
        drawn_run(&worlds, seed, &(struct run_setup){ .policy = &plans, .placer = placer_named("pack") });
    }
    print_message("slurm: %u plans, %u in vain, %u times left out, %u too late, %u starts meanwhile\n", found, never, skipped, late,
                  joined);
    assert_true(found > 50 * SEEDS && never > 10 * SEEDS && skipped > 50 * SEEDS && late > 20 * SEEDS && joined > SEEDS);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, as_one_by_one);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
