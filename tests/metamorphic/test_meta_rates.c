/* test_meta_rates.c - what placements may and may not change: nothing where communication is
 * free or the section absent; no placement is better than the reference; and nodes alike in all
 * respects may be exchanged. */
#include "sim/capacity/placement_rate.h"
#include "tests/support/named.h"
#include "tests/support/random_world.h"
#include "tests/unit/test_core.h"

#include <math.h>

enum fabric_kind { SECTION_ABSENT, FREE_OF_CHARGE, DEAR, DEAR_SHARED };
static const char *const model_name[] = { "VGG-16", "ResNet-50", "BERT-large", "A3C" };

static void give_rates(struct cluster *c, enum fabric_kind kind, struct gpu_model *links)
{
    double gbps = kind == FREE_OF_CHARGE ? INFINITY : 1;
    *links = (struct gpu_model){ .name = "gpu", .nvlink_gbps = gbps, .pcie_gbps = gbps, .kappa = 1 };
    if (kind == SECTION_ABSENT)
        return;
    c->rates = rate_rules_new();
    c->rates->unknown = RATE_OFF;
    c->rates->fabric.maxmin = kind == DEAR_SHARED;
    c->rates->fabric.leaf_oversubscription = 4;
    if (kind == FREE_OF_CHARGE)
        c->rates->fabric.costs = (struct collective_costs){ 0 };
    for (uint32_t i = 0; i < intern_count(c->gpu_models); i++)
        c->gpu_known[i] = links;
    for (uint32_t g = 0; g < c->n_groups; g++)
        c->nics_of[g] = (struct node_nics){ 1, gbps };
}

static struct outcome play(const struct world *w, const struct combination *k, uint64_t seed, enum fabric_kind kind)
{
    struct error err = { "" };
    struct gpu_model links;
    struct outcome out = { .stalled = false };
    struct cluster *c = cluster_build("w", w->group, w->n_groups, w->queue, w->n_queues, &err);
    assert_non_null(c);
    c->overhead = w->overhead;
    give_rates(c, kind, &links);
    struct workload *load = workload_new();
    for (size_t j = 0; j < w->n_jobs; j++) {
        struct job_row row = w->job[j];
        row.model = model_name[j % COUNT(model_name)];
        row.model_length = strlen(row.model);
        assert_int_equal(workload_add(load, &row, "world", j + 1, &err), 0);
    }
    if (workload_finish(load, "world", &err) || run_bind(c, load, &err))
        fail_msg("%s", err.text);
    struct run_setup setup = { .cluster = c, .workload = load, .policy = k->policy, .policy_params = k->params,
                               .placer = k->placer, .seed = seed, .check = true };
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err))
        fail_msg("%s, seed %u: %s", k->name, (unsigned)seed, err.text);
    for (size_t j = 0; j < w->n_jobs; j++)
        out.job[j] = run_job(s, (job_id)j);
    out.totals = *run_totals(s);
    run_free(s);
    workload_free(load);
    cluster_free(c);
    return out;
}

static size_t differing(const struct world *w, const struct outcome *a, const struct outcome *b)
{
    size_t n = 0;
    for (size_t j = 0; j < w->n_jobs; j++)
        n += a->job[j].start_ns != b->job[j].start_ns || a->job[j].end_ns != b->job[j].end_ns || a->job[j].lost_ns != b->job[j].lost_ns;
    return n;
}

static const char *const played[] = { "fifo", "easy", "las", "priority", "gang", "quota", "preemptive", "srtf" };
static const char *const placed[] = { "pack", "spread", "rack" };

/* Each with each, three worlds: free communication changes nothing; dear communication changes
 * something somewhere. */
static void free_is_absent(void **state)
{
    (void)state;
    size_t dear = 0, shared = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct world w = random_world(seed);
        for (size_t i = 0; i < COUNT(played) * COUNT(placed); i++) {
            struct named_policy policy = policy_named(played[i % COUNT(played)]);
            struct combination k = { .policy = policy.policy, .placer = placer_named(placed[i / COUNT(played)]) };
            memcpy(k.params, policy.params, sizeof k.params);
            snprintf(k.name, sizeof k.name, "%s, %s", k.policy->name, k.placer->name);
            struct outcome *o = calloc(4, sizeof *o);
            for (enum fabric_kind kind = SECTION_ABSENT; kind <= DEAR_SHARED; kind++)
                o[kind] = play(&w, &k, seed, kind);
            if (differing(&w, &o[SECTION_ABSENT], &o[FREE_OF_CHARGE]))
                fail_msg("%s, seed %u: free communication has changed the run", k.name, (unsigned)seed);
            dear += differing(&w, &o[SECTION_ABSENT], &o[DEAR]);
            shared += differing(&w, &o[DEAR], &o[DEAR_SHARED]);
            free(o);
        }
    }
    assert_true(dear > 0 && shared > 0);
}

/* ---- Single placements ---- */

enum { NODES = 16, RACK = 4, POD = 8, GPUS = 4 };

static struct cluster *alike(void)
{
    struct error err = { "" };
    const struct group_spec g = { .name = "n", .gpu_model = "V100-SXM2-16", .count = NODES, .gpus = GPUS, .island_gpus = 2,
                                  .numa_nodes = 2, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = RACK,
                                  .racks_per_pod = POD / RACK, .nics = { 1, 12.5 } };
    struct cluster *c = cluster_build("alike", &g, 1, NULL, 0, &err);
    assert_string_equal(err.text, "");
    c->rates = rate_rules_new();
    c->rates->fabric.leaf_oversubscription = 3;
    c->rates->fabric.spine_oversubscription = 2;
    return c;
}

static void shuffle(struct random *r, uint32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = (uint32_t)random_below(r, i), swapped = x[i - 1];
        x[i - 1] = x[k];
        x[k] = swapped;
    }
}

/* Pods, racks within a pod and nodes within a rack change places. */
static void relabel(struct random *r, uint32_t to[NODES])
{
    uint32_t pod[NODES / POD], rack[POD / RACK], node[RACK];
    shuffle(r, pod, NODES / POD);
    for (uint32_t p = 0; p < NODES / POD; p++) {
        shuffle(r, rack, POD / RACK);
        for (uint32_t k = 0; k < POD / RACK; k++) {
            shuffle(r, node, RACK);
            for (uint32_t n = 0; n < RACK; n++)
                to[p * POD + k * RACK + n] = pod[p] * POD + rack[k] * RACK + node[n];
        }
    }
}

static void single_placements(void **state)
{
    (void)state;
    struct cluster *c = alike();
    struct intern *names = intern_new();
    struct random r;
    for (size_t i = 0; i < COUNT(model_name); i++)
        intern_add(names, model_name[i], strlen(model_name[i]));
    struct placement_rates *rates = placement_rates_new(c, c->rates, names);
    struct placement *p = calloc(1, sizeof *p + NODES * sizeof *p->piece), *q = calloc(1, sizeof *q + NODES * sizeof *q->piece);
    random_init(&r, 7, "placements", 0);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t node[NODES], to[NODES], gpus = 0, model = (uint32_t)random_below(&r, COUNT(model_name) + 1);
        shuffle(&r, node, NODES);
        relabel(&r, to);
        p->n = q->n = 1 + random_below(&r, random_below(&r, 2) ? 3 : NODES);
        for (uint32_t k = 0; k < p->n; k++) {
            uint64_t mask = 1 + random_below(&r, 15);
            p->piece[k] = (struct piece){ .node = node[k], .task = k, .gpu_mask = mask, .gpus = (uint32_t)__builtin_popcountll(mask), .milli = MILLI_ALL };
            gpus += p->piece[k].gpus;
            q->piece[p->n - 1 - k] = p->piece[k];
            q->piece[p->n - 1 - k].node = to[node[k]];
        }
        struct placement_rate a = placement_rate_on(rates, model, gpus, p), b = placement_rate_on(rates, model, gpus, q);
        assert_true(a.compute_s == b.compute_s && a.comm_s == b.comm_s && a.reference_s == b.reference_s && a.network_s == b.network_s);
        if (placement_slowdown(&a) < 1 - 1e-12)
            fail_msg("slowdown %.9f of model %u", placement_slowdown(&a), (unsigned)model);
    }
    free(p);
    free(q);
    placement_rates_free(rates);
    intern_free(names);
    cluster_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(free_is_absent), cmocka_unit_test(single_placements) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
