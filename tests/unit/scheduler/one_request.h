/* one_request.h - a small world and a policy that makes one request of it: in its first pass
 * (all wait), in its second, 10 s later ("one" and "stays" run on GPUs 0 and 1 of node A,
 * "short" has ended), or in a notice. Then it goes on in arrival order: the run ends in order,
 * whatever was asked. What is refused changes nothing, and is counted once. */
#pragma once
#include "policies/registry.h"
#include "sim/contract/timeline.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

#include <string.h>

enum { ONE, STAYS, SPLIT, TASKS, NEAR, SHARE, CPU, V100, MINE, SHORT, POOL, LATE, JOBS, NO_JOB = 1000 };
enum { NODE_A, NODE_B, NODE_V100, NODE_OWN, NODE_POOL, NODES };    /* 4 GPUs each; the pool 70, counted */
static const struct { const char *name; uint32_t gpus, tasks, milli; const char *type; } jobs[JOBS] = {
    [ONE] = { "one", 1, 0, MILLI_ALL, "A100" },    [STAYS] = { "stays", 1, 0, MILLI_ALL, "A100" },
    [SPLIT] = { "split", 3, 0, MILLI_ALL, NULL },  [TASKS] = { "tasks", 4, 2, MILLI_ALL, NULL },
    [NEAR] = { "near", 2, 2, MILLI_ALL, NULL },    [SHARE] = { "share", 1, 0, 500, NULL },
    [CPU] = { "cpu", 0, 0, MILLI_ALL, NULL },      [V100] = { "v100", 1, 0, MILLI_ALL, "V100" },
    [MINE] = { "mine", 1, 0, MILLI_ALL, NULL },    [SHORT] = { "short", 1, 0, MILLI_ALL, "A100" },
    [POOL] = { "pool", 69, 0, MILLI_ALL, "H100" }, [LATE] = { "late", 1, 0, MILLI_ALL, NULL },
};

typedef enum sched_result (*request_fn)(struct sched *s);
struct row {
    const char *name;
    int pass;                         /* 0: in the notice of the first arrival */
    request_fn ask;
    enum sched_result answer;
    unsigned not_needed;              /* SEES_... that the policy goes without */
};
static const struct row *current;
static int passes;
static enum sched_result answer;
static bool changed;

/* ---- Placements by hand ---- */

static union { struct placement p; unsigned char room[sizeof(struct placement) + 4 * sizeof(struct piece)]; } hand;

static inline void add(node_id n, uint32_t task, uint64_t mask, uint32_t gpus, uint32_t milli)
{
    hand.p.piece[hand.p.n++] = (struct piece){ .node = n, .task = task, .gpu_mask = mask, .gpus = gpus, .milli = milli };
}

static inline const struct placement *on(node_id n, uint64_t mask)
{
    hand.p.n = 0;
    add(n, 0, mask, (uint32_t)__builtin_popcountll(mask), MILLI_ALL);
    return &hand.p;
}

static inline const struct placement *two(struct piece a, struct piece b)
{
    hand.p.n = 0;
    add(a.node, a.task, a.gpu_mask, a.gpus, a.milli);
    add(b.node, b.task, b.gpu_mask, b.gpus, b.milli);
    return &hand.p;
}
#define PIECE(...) ((struct piece){ __VA_ARGS__ })
#define AT(n, t, mask, g, m) PIECE(.node = (n), .task = (t), .gpu_mask = (mask), .gpus = (g), .milli = (m))

static inline enum sched_result start_one(struct sched *s, job_id j, struct piece p)
{
    hand.p.n = 0;
    add(p.node, p.task, p.gpu_mask, p.gpus, p.milli);
    return sched_start(s, j, &hand.p);
}

/* ---- What has changed? ---- */

struct sight { struct node_free idle[NODES], room[NODES]; struct amount held[2], pending[2]; enum job_state state[JOBS];
               const struct placement *at[JOBS]; int64_t plan_ns[JOBS]; };

static inline struct sight look(const struct sched *s)
{
    struct sight to;
    memset(&to, 0, sizeof to);
    for (node_id n = 0; n < NODES; n++) {
        to.idle[n] = view_node(sched_view(s, FREE_IDLE), n);
        to.room[n] = view_node(sched_view(s, FREE_OR_RELEASING), n);
    }
    for (queue_id q = 0; q < 2; q++) {
        to.held[q] = queue_held(s, q);
        to.pending[q] = queue_pending(s, q);
    }
    for (job_id j = 0; j < JOBS; j++) {
        to.state[j] = job_state(s, j);
        to.at[j] = job_placement(s, j);
        to.plan_ns[j] = plan_start(s, j);
    }
    return to;
}

/* What leads up to the request is not part of it. */
static struct sight before;
static inline void from_here(const struct sched *s) { before = look(s); }

/* ---- The policy ---- */

static inline void ask_now(struct sched *s)
{
    answer = current->ask(s);
    struct sight after = look(s);
    changed = memcmp(&after, &before, sizeof after) != 0;
}

static inline void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    if (++passes == current->pass || (current->pass == 2 && passes > 2 && answer == SCHED_RESULTS))
        if (current->pass < 2 || sched_now(s) >= 10 * NS_PER_S)
            ask_now(s);
    for (job_id j = 0; j < JOBS; j++) {
        bool now = j == ONE || j == STAYS || j == SHORT || sched_now(s) >= 10 * NS_PER_S;
        struct request r = job_request(s, j);
        const struct placement *p = now && job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            assert_int_equal(sched_start(s, j, p), SCHED_OK);
    }
    if (passes == 1)
        sched_wake_at(s, 10 * NS_PER_S);
}

static inline void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    if (current->pass == 0 && j == NEAR)
        ask_now(s);
}

/* ---- The world ---- */

static inline struct cluster *small_cluster(void)
{
    struct error err = { "" };
    const struct group_spec g[] = {
        { .name = "a", .gpu_model = "A100", .count = 2, .gpus = 4, .cpu_milli = 8000, .mem_mib = INT64_MAX },
        { .name = "v", .gpu_model = "V100", .count = 2, .gpus = 4, .cpu_milli = 8000, .mem_mib = INT64_MAX },
        { .name = "pool", .gpu_model = "H100", .count = 1, .gpus = 70, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX },
    };
    const struct pin_spec pin = { 1, 1 };
    const struct quota any = { { 0, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
                       four = { { 0, UNLIMITED, UNLIMITED }, { 4 * MILLI_ALL, UNLIMITED, UNLIMITED } };
    struct queue_spec q[] = { { .facts = { .name = "all", .parent = ID_NONE, .quota = any } },
                              { .facts = { .name = "own", .parent = ID_NONE, .quota = any }, .pins = &pin, .n_pins = 1 },
                              { .facts = { .name = "four", .parent = ID_NONE, .quota = four } } };
    struct cluster *c = cluster_build("small", g, COUNT(g), q, COUNT(q), &err);
    if (!c)
        fail_msg("%s", err.text);
    c->overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT, .save_ns = 5 * NS_PER_S, .grace_ns = 30 * NS_PER_S };
    return c;
}

static inline struct workload *small_load(struct cluster *c)
{
    struct error err = { "" };
    struct workload *w = workload_new();
    for (job_id j = 0; j < JOBS; j++) {
        struct job_row row = job_row_default;
        row.job_id = jobs[j].name, row.job_id_length = strlen(row.job_id);
        row.queue = j == MINE ? "own" : j == TASKS || j == NEAR ? "four" : "all";    /* near and tasks ask for 6 GPUs */
        row.queue_length = strlen(row.queue);
        row.gpu_type = jobs[j].type, row.gpu_type_length = jobs[j].type ? 4 : 0;
        row.gpus = jobs[j].gpus, row.tasks = jobs[j].tasks, row.gpu_milli = jobs[j].milli;
        row.cpu_milli = j == CPU || j == ONE ? 5000 : 0;
        row.required_level = j == NEAR ? LEVEL_NODE : LEVEL_ANY;
        row.preemptible = j != STAYS;
        row.submit_ns = j == LATE ? 50 * NS_PER_S : 0;
        row.duration_ns = (j == SHORT ? 1 : 100) * NS_PER_S;
        if (workload_add(w, &row, "small", j + 1, &err))
            fail_msg("%s", err.text);
    }
    if (workload_finish(w, "small", &err) || run_bind(c, w, &err))
        fail_msg("%s", err.text);
    return w;
}

static inline const struct placer *first_fit(void)
{
    for (size_t i = 0;; i++)
        if (!strcmp(builtin_placers[i]->name, "first-fit"))
            return builtin_placers[i];
}

static inline void one_request(void **state)
{
    current = *state;
    passes = 0;
    answer = SCHED_RESULTS;
    struct policy asks = { .abi = POLICY_ABI, .name = "asks", .needs = (SEES_RELEASING | SEES_TIMELINE) & ~current->not_needed,
                           .schedule = schedule, .job_arrived = arrived };
    struct cluster *c = small_cluster();
    struct workload *w = small_load(c);
    struct run_setup setup = { .cluster = c, .workload = w, .policy = &asks, .placer = first_fit(), .check = true };
    struct sched *s = run_new(&setup);
    struct error err = { "" };
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    bool refused = current->answer > SCHED_LATER;
    assert_int_equal(answer, current->answer);
    if (refused)
        assert_false(changed);
    bool counted = refused && strncmp(current->name, "keep: its GPUs", 14) != 0;    /* an answer, says policy.h */
    for (unsigned r = 0; r < SCHED_RESULTS; r++)
        assert_int_equal(run_refused(run_totals(s), r), counted && r == (unsigned)current->answer);
    assert_int_equal(run_totals(s)->completed, JOBS - run_totals(s)->rejected);
    run_free(s);
    workload_free(w);
    cluster_free(c);
}
