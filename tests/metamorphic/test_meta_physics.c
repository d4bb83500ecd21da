/* test_meta_physics.c - the whole physical world at once: rates with shared links, of tensor-parallel jobs too, failures,
 * checkpoints over shared storage, data and images, shared GPUs, energy, prices, elastic jobs;
 * random clusters, jobs and constants, under every policy and placer.
 *
 * Wanted: the identities that every run asserts (GPU time, up and down time, work = rate x time,
 * energy of jobs, idle GPUs and nodes), the same outcome twice, and that all of it really was
 * on. */
#include "sim/cluster/cluster_file.h"
#include "tests/support/random_world.h"

#include <math.h>
#include <unistd.h>

enum { SEEDS = 40, FEW = 8 };

static struct { unsigned runs, failures, preempted, checkpoints; double slowest; } met;

static unsigned die(struct random *r, unsigned faces)
{
    return (unsigned)random_below(r, faces);
}

/* A cluster file in which every section says something. */
static void write_cluster(const char *path, uint64_t seed)
{
    static const char *const sharing[] = { "mps", "timeslice", "fraction" }, *const on_off[] = { "none", "maxmin" },
                             *const unit[] = { "node", "gpu", "link" }, *const parallel[] = { "none", "3d" },
                             *const cap[] = { ", cap_w: 20000", ", cap_w: 14000, cap_by: clocks",
                                          ", row_cap_w: 9000, cap_by: rows" },
                             *const idle[] = { "apart", "by-use", "by-quota" };
    struct random r, gray;
    random_init(&r, seed, "physics", 0);
    random_init(&gray, seed, "gray physics", 0);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "nodes:\n  - { group: a, type: dgx-a100, count: %u, nodes_per_rack: 2, racks_per_pod: 1 }\n", 2 + die(&r, 3));
    fprintf(f, "  - { group: b, type: dgx1-v100, count: %u, nodes_per_rack: 2%s }\n", 1 + die(&r, 3),
            die(&r, 2) ? ", pool: { provision_s: 3, idle_s: 12, scan_s: 2, spot: { reclaims_per_node_day: 400, notice_s: 2 } }" : "");
    fprintf(f, "queues: [ { name: a, deserved_gpus: 8 }, { name: b, deserved_gpus: 8 }, { name: c } ]\n");
    fprintf(f, "preemption: { checkpoint: periodic, interval_s: %u, checkpoint_gib: %u, blocking: %.1f, grace_s: 3, start_s: %u, "
               "restart_s: %u }\n", 4 + die(&r, 6), 1 + die(&r, 40), .1 * (1 + die(&r, 10)), die(&r, 3), die(&r, 3));
    fprintf(f, "storage: { contention: %s, read_gbps: %u, write_gbps: %u, node_read_gbps: 4, node_write_gbps: 2, cache_gib: %u, pull_s: 4, "
               "pull_cached_s: 1 }\n", on_off[die(&r, 2)], 3 + die(&r, 20), 3 + die(&r, 20), 50 * die(&r, 3));
    fprintf(f, "progress: { model: analytic, unknown: factor, overlap: %u, parallel: %s }\n", 1 + die(&r, 4), parallel[die(&gray, 2)]);
    fprintf(f, "fabric: { leaf_oversubscription: %u, contention: %s }\n", 1 + die(&r, 8), on_off[die(&r, 2)]);
    fprintf(f, "sharing: { mode: %s }\n", sharing[die(&r, 3)]);
    fprintf(f, "failures: { faults_per_node_day: %u, scope: %s, repair: fixed, repair_s: %u, detection_s: %u, hang_share: 0.1, hang_least_s: 2, "
               "hang_most_s: 5, software_faults_per_day: 500, switch_faults_per_year: 100000, switch_repair_s: 5, max_retries: 20",
            500 + die(&r, 1500), die(&r, 2) ? "gpu" : "node", 1 + die(&r, 20), die(&r, 4));
    fprintf(f, ", network_faults_per_node_day: 300, maintenance_faults_per_node_day: 300, maintenance_repair_s: 4, spares: { a: 1 },\n"
               "  slow: { per_node_day: 2000, scope: %s, detect_median_s: 20, then: %s, share_at_start: 0.3 }",
            unit[die(&gray, 3)], die(&gray, 2) ? "drain" : "none");
    fprintf(f, " }\n");
    unsigned off_s = 1 + die(&r, 20), capped = die(&r, 2);
    fprintf(f, "power: { pue: 1.3, off_after_s: %u, wake_s: 2%s, groups: { b: { clock: 0.%u } } }\n", off_s,
            capped ? cap[die(&gray, 3)] : "", 4 + die(&gray, 6));
    fprintf(f, "prices: { bill: capacity, idle: %s }\n", idle[die(&gray, 3)]);
    fprintf(f, "elastic: { scaling: %s }\n", die(&r, 2) ? "goodput" : "linear");
    fclose(f);
}

static struct workload *jobs_of(uint64_t seed)
{
    static const char *const model[] = { "ResNet-50", "VGG-16", "BERT-large", "GPT-3-6.7B", "imagenet", NULL };
    static const char *const set[] = { "s0", "s1", "s2", "s3" };
    struct world w = random_world(seed);
    struct workload *load = workload_new();
    struct error err = { "" };
    struct random r;
    random_init(&r, seed, "physics of jobs", 0);
    for (size_t j = 0; j < w.n_jobs / 2; j++) {
        struct job_row x = w.job[j];
        x.model = model[die(&r, 6)];
        x.model_length = x.model ? strlen(x.model) : 0;
        if (die(&r, 3) == 0) {
            unsigned s = die(&r, 4);
            x.data_set = set[s];
            x.data_set_length = 2;
            x.data_mib = 1024 * (10 + 20 * s);
            x.epochs = 1 + die(&r, 3);
        }
        if (die(&r, 2)) {
            x.image = set[die(&r, 4)];
            x.image_length = 2;
        }
        if (!x.tasks && x.gpu_milli == MILLI_ALL && x.gpus > 1 && die(&r, 2)) {
            x.min_gpus = 1;
            x.max_gpus = 2 * x.gpus;
        }
        if (workload_add(load, &x, "jobs", j + 1, &err))
            fail_msg("%s", err.text);
    }
    assert_int_equal(workload_finish(load, "jobs", &err), 0);
    return load;
}

struct sums { struct run_totals totals; struct job_result job[JOBS_MOST]; size_t n; };

static void play(const struct combination *k, uint64_t seed, const char *path, struct sums *to)
{
    struct error err = { "" };
    char sha256[65];
    struct cluster *c = cluster_read(path, NULL, sha256, &err);
    if (!c)
        fail_msg("%s", err.text);
    struct workload *load = jobs_of(seed);
    if (run_bind(c, load, &err))
        fail_msg("%s", err.text);
    struct run_setup setup = { .cluster = c, .workload = load, .policy = k->policy, .policy_params = k->params, .placer = k->placer,
                               .seed = seed, .check = true, .until_ns = 4000 * NS_PER_S };
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err))
        fail_msg("%s, seed %u: %s", k->name, (unsigned)seed, err.text);
    to->totals = *run_totals(s);
    to->n = load->n_jobs;
    for (job_id j = 0; j < load->n_jobs; j++) {
        to->job[j] = run_job(s, j);
        to->job[j].refusal = NULL;
        double ideal_s = seconds(load->truth[j].duration_ns);
        if (to->job[j].outcome == OUTCOME_COMPLETED && ideal_s > 0)
            met.slowest = fmax(met.slowest, seconds(to->job[j].run_ns) / ideal_s);
    }
    run_free(s);
    workload_free(load);
    cluster_free(c);
}

static void everything_at_once(const struct combination *k, uint64_t seed)
{
    static struct sums once, again;
    if (is_left_out(k, seed, FEW))
        return;
    char path[] = "/tmp/gpuyard-physics-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_cluster(path, seed);
    play(k, seed, path, &once);
    play(k, seed, path, &again);
    unlink(path);
    for (size_t j = 0; j < once.n; j++)
        assert_same_jobs(&once.job[j], &again.job[j], "%s, seed %u: job %zu", k->name, (unsigned)seed, (size_t)j);
    const struct run_totals *t = &once.totals;
    met.runs++;
    met.failures += t->account[ACCOUNT_DOWN] > 0;
    met.preempted += t->account[ACCOUNT_LOST] > 0;
    met.checkpoints += t->account[ACCOUNT_CHECKPOINT] > 0;
}

static void the_whole_world(void **state)
{
    (void)state;
    each_combination(SEEDS, everything_at_once);
    assert_true(met.runs > 200);
    assert_true(met.failures == met.runs && met.checkpoints > met.runs * 9 / 10 && met.preempted > met.runs / 2);
    assert_true(met.slowest > 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_whole_world) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
