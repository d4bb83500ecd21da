/* test_scored_placers.c - placers by score against a second, plain implementation: every node looked at, every score worked
 * out anew from its definition, piece by piece; while jobs start, stop, are tried and rolled back, and in planned windows. */
#include "sim/contract/timeline.h"
#include "sim/base/memory.h"
#include "tests/support/drawn.h"
#include "tests/support/named.h"
#include "tests/support/wanted.h"

#include <math.h>

enum { NODES_MOST = 40, GPUS_MOST = 8, TASKS_MOST = 3, JOBS = 90, SEEDS = 25, PASSES = 60 };

/* ---- A node as plain numbers ---- */

struct plain { uint32_t gpus, left[GPUS_MOST]; int64_t cpu_milli, mem_mib; uint32_t alike, others; };
struct scene {
    const struct sched *s;
    const struct view *v;
    struct plain node[NODES_MOST];
    uint32_t nodes;
    int64_t most_cpu, most_gpu;
};

static bool alike(const struct request *a, const struct request *b)
{
    return a->gpu_milli < MILLI_ALL ? b->gpu_milli < MILLI_ALL : b->gpu_milli == MILLI_ALL && a->gpus == b->gpus;
}

static void look(struct scene *c, const struct sched *s, const struct view *v, const struct request *r)
{
    node_id first;
    *c = (struct scene){ .s = s, .v = v };
    view_domain_nodes(v, 0, &first, &c->nodes);
    for (node_id n = 0; n < c->nodes; n++) {
        struct node_free f = view_node(v, n);
        struct amount size = view_node_size(v, n);
        c->node[n] = (struct plain){ .gpus = f.capacity, .cpu_milli = f.cpu_milli, .mem_mib = f.mem_mib };
        for (uint32_t g = 0; g < f.capacity; g++)
            c->node[n].left[g] = view_gpu_milli(v, n, g);
        c->most_gpu = size.gpu_milli > c->most_gpu ? size.gpu_milli : c->most_gpu;
        if (size.cpu_milli != INT64_MAX)
            c->most_cpu = size.cpu_milli > c->most_cpu ? size.cpu_milli : c->most_cpu;
    }
    for (job_id j = 0; j < JOBS; j++) {
        const struct placement *p = job_placement(s, j);
        const struct request *ask = job_facts(s, j)->ask;
        for (size_t i = 0; p && ask->gpus && i < p->n; i++)
            (*(alike(r, ask) ? &c->node[p->piece[i].node].alike : &c->node[p->piece[i].node].others))++;
    }
}

static int64_t milli_left(const struct plain *n)
{
    int64_t sum = 0;
    for (uint32_t g = 0; g < n->gpus; g++)
        sum += n->left[g];
    return sum;
}

static uint32_t gpus_with(const struct plain *n, uint32_t milli)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < n->gpus; g++)
        count += n->left[g] >= milli;
    return count;
}

static bool has_room(const struct scene *c, const struct request *r, node_id n)
{
    const struct plain *p = &c->node[n];
    return view_allows(c->v, r, n) && p->cpu_milli >= r->cpu_milli && p->mem_mib >= r->mem_mib &&
           gpus_with(p, r->gpus ? r->gpu_milli : 0) >= r->gpus;
}

/* ---- Which GPUs the host takes: partly taken ones first, the fullest, then the lowest whole ---- */

static uint64_t usual_gpus(const struct plain *n, const struct request *r)
{
    uint64_t mask = 0;
    for (uint32_t k = 0; k < r->gpus; k++) {
        int best = -1;
        for (uint32_t g = 0; g < n->gpus; g++)
            if (!(mask >> g & 1) && n->left[g] >= r->gpu_milli && (best < 0 || n->left[g] < n->left[best]))
                best = (int)g;
        mask |= UINT64_C(1) << best;
    }
    return mask;
}

static void take(struct plain *n, const struct request *r, uint64_t mask)
{
    for (uint32_t g = 0; g < n->gpus; g++)
        n->left[g] -= mask >> g & 1 ? r->gpu_milli : 0;
    n->cpu_milli -= n->cpu_milli == INT64_MAX ? 0 : r->cpu_milli;
    n->mem_mib -= n->mem_mib == INT64_MAX ? 0 : r->mem_mib;
}

/* ---- The scores, as their sources define them ---- */

static double fit(const struct scene *c, const struct request *r, node_id n)
{
    const struct plain *p = &c->node[n];
    double over = 0;
    if (c->most_cpu && p->cpu_milli != INT64_MAX)
        over += (double)(p->cpu_milli - r->cpu_milli) / (double)c->most_cpu * .5;
    return over + (double)(milli_left(p) - (int64_t)r->gpus * r->gpu_milli) / (double)c->most_gpu * .5;
}

static int best_fit(const struct scene *c, const struct request *r, node_id n)
{
    return (int)((1 - fit(c, r, n)) * 100);
}

static int dot_product(const struct scene *c, const struct request *r, node_id n)
{
    const struct plain *p = &c->node[n];
    double cpu = c->most_cpu && p->cpu_milli != INT64_MAX
                     ? (double)p->cpu_milli / (double)c->most_cpu * ((double)r->cpu_milli / (double)c->most_cpu)
                     : 0;
    double gpu = (double)milli_left(p) / (double)c->most_gpu * ((double)(r->gpus * r->gpu_milli) / (double)c->most_gpu);
    return (int)(100 * (1 - (cpu + gpu) / 2));
}

static int gpu_packing(const struct scene *c, const struct request *r, node_id n)
{
    const struct plain *p = &c->node[n];
    uint64_t mask = usual_gpus(p, r);
    int idle = (int)gpus_with(p, MILLI_ALL), whole = 0, percent = 0;
    if (!r->gpus)
        return 0;
    if (idle == (int)p->gpus)
        return 33 - idle > idle ? 33 - idle : idle;
    for (uint32_t g = 0; g < p->gpus; g++)
        if (mask >> g & 1) {
            whole += p->left[g] == MILLI_ALL;
            percent += (int)p->left[g] / 10;
        }
    if (whole)
        return 50 - whole > 33 ? 50 - whole : 33;
    return 100 - percent / 10 > 50 ? 100 - percent / 10 : 50;
}

static int gpu_clustering(const struct scene *c, const struct request *r, node_id n)
{
    const struct plain *p = &c->node[n];
    if (!r->gpus)
        return 0;
    int base = p->alike && !p->others ? 75 : p->alike ? 50 : p->others ? 0 : 25;
    return base + (int)(25 * (c->most_gpu - milli_left(p)) / c->most_gpu);
}

static int fastest(const struct scene *c, const struct request *r, node_id n)
{
    int slower = 0;
    bool seen[NODES_MOST] = { false };
    for (node_id i = 0; i < c->nodes; i++)       /* a point for each kind that is slower, worth more than any fit */
        if (!seen[view_kind(c->v, i)]) {
            seen[view_kind(c->v, i)] = true;
            slower += view_gpu_speed(c->v, i) < view_gpu_speed(c->v, n);
        }
    return 1000 * slower + best_fit(c, r, n);
}

/* models.md 10.3, times all jobs. */
static int64_t fragments(const struct scene *c, const struct plain *p, node_id n)
{
    const struct typical *t;
    size_t count = view_typical(c->v, &t);
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        bool runs = t[i].ask.gpus > 0 && view_allows(c->v, &t[i].ask, n) && p->cpu_milli >= t[i].ask.cpu_milli &&
                    gpus_with(p, t[i].ask.gpu_milli) >= t[i].ask.gpus;
        for (uint32_t g = 0; g < p->gpus; g++)
            if (!runs || p->left[g] < t[i].ask.gpu_milli)
                sum += (int64_t)t[i].jobs * p->left[g];
    }
    return sum;
}

static int fgd_after(const struct scene *c, const struct request *r, node_id n, uint64_t mask)
{
    const struct typical *t;
    size_t count = view_typical(c->v, &t);
    struct plain after = c->node[n];
    int64_t jobs = 0;
    for (size_t i = 0; i < count; i++)
        jobs += (int64_t)t[i].jobs;
    take(&after, r, mask);
    int64_t fall = fragments(c, &c->node[n], n) - fragments(c, &after, n);
    return (int)(100 / (1 + exp(-((double)fall / (double)jobs) / 1000)));
}

static uint64_t fgd_gpus(const struct scene *c, const struct request *r, node_id n)
{
    int best = -1;
    uint64_t mask = 0;
    if (r->gpus != 1 || r->gpu_milli == MILLI_ALL)
        return usual_gpus(&c->node[n], r);
    for (uint32_t g = 0; g < c->node[n].gpus; g++)
        if (c->node[n].left[g] >= r->gpu_milli && fgd_after(c, r, n, UINT64_C(1) << g) > best) {
            best = fgd_after(c, r, n, UINT64_C(1) << g);
            mask = UINT64_C(1) << g;
        }
    return mask;
}

static int fgd(const struct scene *c, const struct request *r, node_id n)
{
    return fgd_after(c, r, n, fgd_gpus(c, r, n));
}

/* ---- The comparison ---- */

static const struct row {
    const char *name;
    int (*score)(const struct scene *c, const struct request *r, node_id n);
    bool no_windows;              /* what holds GPUs in a planned window is not told here */
    int64_t norm_cpu, norm_gpu;   /* milli; 0: the largest node's */
} rows[] = {
    { "best-fit", best_fit, false, 0, 0 },
    { "best-fit:norm_cpus=128,norm_gpus=8", best_fit, false, 128000, 8000 },
    { "best-fit:norm_gpus=2.5", best_fit, false, 0, 2500 },
    { "dot-product", dot_product, false, 0, 0 },
    { "dot-product:norm_cpus=128,norm_gpus=8", dot_product, false, 128000, 8000 },
    { "gpu-packing", gpu_packing, false, 0, 0 },
    { "gpu-clustering", gpu_clustering, true, 0, 0 },
    { "fastest", fastest, false, 0, 0 },
    { "fgd", fgd, false, 0, 0 },
};
static const struct row *current;
static unsigned compared, refused, passes;

static node_id best_node(const struct scene *c, const struct request *r)
{
    node_id best = ID_NONE;
    for (node_id n = 0; n < c->nodes; n++)
        if (has_room(c, r, n) && (best == ID_NONE || current->score(c, r, n) > current->score(c, r, best)))
            best = n;
    return best;
}

/* The placer's answer is the plain one: each task in turn, or none. */
static const struct placement *place_and_compare(struct sched *s, const struct view *v, job_id j)
{
    static struct scene c;
    struct request r = job_request(s, j);
    struct { node_id node; uint64_t mask; } want[TASKS_MOST];
    look(&c, s, v, &r);
    c.most_cpu = current->norm_cpu ? current->norm_cpu : c.most_cpu;
    c.most_gpu = current->norm_gpu ? current->norm_gpu : c.most_gpu;
    const struct placement *p = sched_place(s, v, &r);
    for (uint32_t k = 0; k < r.tasks; k++) {
        node_id n = want[k].node = best_node(&c, &r);
        if (n == ID_NONE) {
            assert_null(p);
            refused++;
            return NULL;
        }
        want[k].mask = current->score == fgd ? fgd_gpus(&c, &r, n) : usual_gpus(&c.node[n], &r);
        take(&c.node[n], &r, want[k].mask);
        c.node[n].alike += r.gpus > 0;
    }
    assert_non_null(p);
    for (uint32_t k = 0; k < r.tasks; k++) {
        assert_wanted(want[k].node, p->piece[k].node, "%s: job %u, task %u: node", current->name, j, k);
        assert_wanted_mask(want[k].mask, p->piece[k].gpu_mask, "%s: job %u, task %u: GPUs", current->name, j, k);
    }
    compared++;
    return p;
}

/* A few starts and stops, of which some are taken back. */
static void some_changes(struct sched *s, int depth)
{
    for (uint32_t k = 0, n = 1 + draw(6); k < n; k++) {
        job_id j = draw(JOBS);
        if (job_state(s, j) == JOB_RUNNING && draw(2) == 0) {
            sched_stop(s, j, STOP_SAVE);
        } else if (job_state(s, j) == JOB_PENDING) {
            const struct placement *p = place_and_compare(s, sched_view(s, FREE_IDLE), j);
            if (p)
                assert_true(sched_start(s, j, p) == SCHED_OK);
        } else if (depth < 2 && draw(3) == 0) {
            sched_mark_t mark = sched_mark(s);
            some_changes(s, depth + 1);
            sched_rollback(s, mark);
        }
    }
}

static void look_ahead(struct sched *s)
{
    for (uint32_t k = 0; k < 3 && !current->no_windows; k++) {
        int64_t from_ns = sched_now(s) + (int64_t)draw(20) * NS_PER_S;
        const struct view *v = timeline_view(s, from_ns, from_ns + (int64_t)(1 + draw(30)) * NS_PER_S);
        place_and_compare(s, v, draw(JOBS));
    }
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    if (++passes < PASSES) {
        some_changes(s, 0);
        look_ahead(s);
        sched_wake_at(s, sched_now(s) + NS_PER_S);
        return;
    }
    for (job_id j = 0; j < JOBS; j++)            /* and so to the end */
        if (job_state(s, j) == JOB_PENDING) {
            const struct placement *p = place_and_compare(s, sched_view(s, FREE_IDLE), j);
            if (p)
                sched_start(s, j, p);
        }
}

/* ---- The worlds ---- */

static void any_group(struct group_spec *g, uint32_t i)
{
    static const char *const models[] = { "T4-16", "A100-SXM4-40", "no such model" };
    g->name = g->gpu_model = models[i];
    g->count = 2 + draw(5);
    g->gpus = 1 + draw(GPUS_MOST);
    if (i != 1 || draw(3))
        g->cpu_milli = 1000 * (8 + draw(40));
    if (i != 2)
        g->mem_mib = 100 * (5 + draw(40));
}

static void any_job(struct job_row *row)
{
    static const uint32_t sizes[] = { 1, 1, 1, 2, 4, 0 }, shares[] = { 1000, 1000, 500, 300, 250, 700 };
    row->tasks = draw(5) ? 1 : 1 + draw(TASKS_MOST);
    row->gpus = row->tasks * sizes[draw(6)];
    row->gpu_milli = row->gpus == row->tasks ? shares[draw(6)] : MILLI_ALL;
    row->cpu_milli = row->gpus || draw(2) ? 500 * draw(12) : 4000;
    row->mem_mib = 50 * draw(8);
    if (draw(5) == 0 && row->gpus)
        drawn_types(row, draw(2) ? "T4-16" : "A100-SXM4-40|T4-16");
}

static void as_defined(void **state)
{
    static const struct policy checks = { .abi = POLICY_ABI, .name = "checks", .needs = SEES_TIMELINE, .schedule = schedule };
    const struct drawn worlds = { "scored placers", 3, JOBS, any_group, any_job, always };
    current = *state;
    compared = refused = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct named_placer placer = placer_with(current->name);
        passes = 0;
        drawn_run(&worlds, seed, &(struct run_setup){ .policy = &checks, .placer = placer.placer, .placer_params = placer.params,
                                                      .check = true });
    }
    print_message("%s: %u placements, %u refusals\n", current->name, compared, refused);
    assert_true(compared > 40 * SEEDS && refused > SEEDS);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, as_defined, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
