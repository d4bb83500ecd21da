/* test_energy.c - energy, carbon and cost of small schedules, by hand from models.md 9.
 *
 * An A100 draws 60 W idle, 75 W held without progress, 0.9 x 400 = 360 W at full duty; a
 * dgx-a100 1000 W without its eight, and 300 W more with all of its 128 CPUs. */
#include "sim/physics/energy.h"
#include "sim/results/summary.h"
#include "tests/support/powered_schedule.h"

#include <math.h>

#define DGX(more) "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\n" more
#define TWO(more) "nodes: [ { group: dgx, type: dgx-a100, count: 2 } ]\n" more
#define ON        "power: { pue: 1 }\n"
#define HOUR      3600

static const struct power_row {
    const char *name, *yaml, *policy;
    struct job jobs[JOBS_AT_MOST];
    double all_wh, gpus_wh, node_wh, idle_wh, nodes_wh;    /* all; of jobs: their GPUs, their share of nodes; the rest */
    double peak_w, carbon_g;                               /* 0: not looked at */
} rows[] = {
    { "all of a node for an hour: 1000 + 8 x 360 W", DGX(ON), "fifo", .jobs = { { 0, HOUR, 8 } },
      3880, 2880, 1000, 0, 0, .peak_w = 3880, .carbon_g = 1552 },                     /* 3.88 kWh x 400 g */
    { "half of it: the other half idles at 60 W", DGX(ON), "fifo", .jobs = { { 0, HOUR, 4 } },
      2680, 1440, 500, 240, 500, .peak_w = 2680 },
    { "64 of 128 CPUs: 150 W more, the job's", DGX(ON), "fifo", .jobs = { { 0, HOUR, 8, .tasks = 1, .cpus = 64 } },
      4030, 2880, 1150, 0, 0 },
    { "half a GPU: half of what a GPU draws", DGX(ON), "fifo", .jobs = { { 0, HOUR, 1, .tasks = 1, .shares = 0.5 } },
      1630, 180, 62.5, 450, 937.5 },                                                  /* 1000/16; 7.5 x 60 */
    { "two halves of one GPU", DGX(ON), "fifo", .jobs = { { 0, HOUR, 1, .tasks = 1, .shares = 0.5 }, { 0, HOUR, 1, .tasks = 1, .shares = 0.5 } },
      1780, 360, 125, 420, 875 },
    { "half duty, where nothing else is known", DGX("power: { duty: 0.5 }\n"), "fifo", .jobs = { { 0, HOUR, 8 } },
      1000 + 8 * 220.76601938, 8 * 220.76601938, 1000, 0, 0, .carbon_g = (1000 + 8 * 220.76601938) * 1.58 * 0.4 },
    { "starting up: 75 W for the first half an hour", DGX(ON "preemption: { start_s: 1800 }\n"), "fifo", .jobs = { { 0, 1800, 8 } },
      2740, 1740, 1000, 0, 0, .peak_w = 3880 },                                       /* 4 x 75 + 4 x 360 */
    /* Two nodes for two hours: 2 x 1480 W; the gang of 12 adds 12 x 300 W in the first, the next 1 x 300 W in the second */
    { "a gang over two nodes, and one GPU behind it", TWO(ON), "fifo", .jobs = { { 0, HOUR, 12 }, { 0, HOUR, 5 } },
      2 * 2 * 1480 + 12 * 300 + 5 * 300, 17 * 360, 17 * 125, 15 * 60, 4000 - 17 * 125, .peak_w = 2 * 1480 + 12 * 300 },
    /* The victim: an hour at 360 W, 1800 s of saving at 75 W; then the other for an hour; then restarted for an hour */
    { "saving draws what being held does", DGX(ON "preemption: { checkpoint: perfect, save_s: 1800, grace_s: 3600 }\n"),
      "priority:preempt=yes", .jobs = { { 0, 2 * HOUR, 8 }, { HOUR, HOUR, 8, .priority = 1 } },
      3.5 * 1000 + 8 * (3 * 360 + 0.5 * 75), 8 * (3 * 360 + 0.5 * 75), 3500, 0, 0 },
    { "waits: an empty hour between two jobs", DGX(ON), "fifo", .jobs = { { 0, HOUR, 8 }, { 2 * HOUR, HOUR, 8 } },
      2 * 3880 + 1480, 2 * 2880, 2000, 480, 1000 },
    /* Seven slices are a GPU, 8 GPUs count 56: 1g at full duty draws 360/7 and 1000/56 of the base */
    { "a slice of a GPU", "nodes: [ { group: dgx, type: dgx-a100, count: 1, mig: { 1g.5gb: 56 } } ]\n" ON, "fifo",
      .jobs = { { 0, HOUR, 1, .tasks = 1, .mig = "1g.5gb" } },
      1480 + 300.0 / 7, 360.0 / 7, 1000.0 / 56, 480 * 55.0 / 56, 1000 * 55.0 / 56 },
    /* The other node is out of service for half an hour: 0 W, and 1480 W for the other half */
    { "a node that is down draws nothing", TWO(ON "failures: { faults: [ { group: dgx, node: 1, at_s: 600, repair_s: 1800 } ] }\n"), "fifo",
      .jobs = { { 0, HOUR, 8 } }, 3880 + 740, 2880, 1000, 240, 500 },
    { "numbers of its own", "nodes: [ { group: x, gpus: 2, count: 1 } ]\npower: { context_w: 5, most_share: 1, exponent: 1, duty: 0.25, "
      "groups: { x: { node_idle_w: 100, gpu_idle_w: 10, gpu_tdp_w: 50 } } }\n", "fifo", .jobs = { { 0, HOUR, 1 } },
      130, 20, 50, 10, 50 },                                                          /* 10 + 40 / 4 W */
};

static struct sched *played(const char *yaml, const char *policy, const struct job *jobs)
{
    struct text_schedule row = { .yaml = yaml, .policy = policy };
    memcpy(row.jobs, jobs, sizeof row.jobs);
    return text_played(&row, NULL);
}

static void near(double want, double got)
{
    if (fabs(want - got) > 1e-7 * fmax(1, fabs(want)))
        fail_msg("want %.12g, got %.12g", want, got);
}

static void energy(void **state)
{
    const struct power_row *row = *state;
    struct sched *s = played(row->yaml, row->policy, row->jobs);
    const struct energy *e = energy_of(s);
    int128_t gpus = 0, node = 0;
    for (job_id j = 0; j < s->workload->n_jobs; j++) {
        gpus += e->job[j].gpus_aj;
        node += e->job[j].node_aj;
    }
    near(row->all_wh, 1000 * power_kwh(e->all.aj));
    near(row->gpus_wh, 1000 * power_kwh(gpus));
    near(row->node_wh, 1000 * power_kwh(node));
    near(row->idle_wh, 1000 * power_kwh(e->idle_aj));
    near(row->nodes_wh, 1000 * power_kwh(e->nodes_aj));
    if (row->peak_w > 0)
        near(row->peak_w, (double)e->peak_nw / (double)NW_PER_W);
    if (row->carbon_g > 0)
        near(row->carbon_g, sum_value(&e->carbon_g));
    put_away(s);
}

/* ---- What it costs ---- */

static const struct cost_row {
    const char *name, *yaml;
    struct job jobs[JOBS_AT_MOST];
    double usd, useful_usd;       /* in all; per useful GPU-hour */
} cost_rows[] = {
    /* catalogue: an A100-SXM4-40 is 2.74 USD an hour */
    { "what is held, at the catalogue's price", DGX("prices: {}\n"), .jobs = { { 0, HOUR, 4 } }, 4 * 2.74, 2.74 },
    { "what there is", DGX("prices: { bill: capacity }\n"), .jobs = { { 0, HOUR, 4 } }, 8 * 2.74, 2 * 2.74 },
    { "at a price of its own", DGX("prices: { gpu_usd_per_h: 1 }\n"), .jobs = { { 0, HOUR, 4 } }, 4, 1 },
    { "each group at its own", "nodes: [ { group: a, gpus: 2, count: 1 }, { group: b, gpus: 4, count: 2 } ]\nprices: { gpu_usd_per_h: 1, groups: { b: "
      "{ gpu_usd_per_h: 3 } }, bill: capacity }\n", .jobs = { { 0, HOUR, 10 } }, 2 + 8 * 3, 2.6 },
    /* and 3.88 kWh x PUE 1.58 x 0.10 USD */
    { "with energy", DGX("prices: { gpu_usd_per_h: 0 }\npower: {}\n"), .jobs = { { 0, HOUR, 8 } }, 0.61304, 0.61304 / 8 },
    { "energy at 0.25 USD, PUE 1", DGX("prices: { gpu_usd_per_h: 0, energy_usd_per_kwh: 0.25 }\n" ON), .jobs = { { 0, HOUR, 8 } }, 0.97, 0.97 / 8 },
    { "an instance is a seventh of its GPU", "nodes: [ { group: dgx, type: dgx-a100, count: 1, mig: { 1g.5gb: 56 } } ]\nprices: {}\n",
      .jobs = { { 0, HOUR, 7, .tasks = 7, .mig = "1g.5gb" } }, 2.74, 2.74 / 7 },
};

static void cost(void **state)
{
    const struct cost_row *row = *state;
    struct sched *s = played(row->yaml, "fifo", row->jobs);
    struct summary *m = summary_make(s);
    near(row->usd, summary_value(m, "cost_usd", "all"));
    near(row->useful_usd, summary_value(m, "cost_per_useful_gpu_h_usd", "all"));
    summary_free(m);
    put_away(s);
}

/* Two nodes, 8 GPUs at 3 USD and 4 at .40, for an hour: 24 + 1.60 USD. Queue a (user u) holds 4 of the first, 12 USD, queue b
 * (user v) all of the second, 1.60 USD; 4 of the first are idle, 12 USD where they are billed. Energy at 1 USD a kWh and PUE 1, by
 * the section's numbers: a job's GPU at full duty .9 x 400 W, an idle one 50 W, a node's base of 80 W over its GPUs: queue a 4 x
 * (360 + 10) Wh, queue b 4 x (360 + 20), idle 4 x (50 + 10). The job of b comes first and takes the tighter node. */
#define TWO_PRICES "nodes: [ { group: x, gpus: 8, count: 1 }, { group: y, gpus: 4, count: 1 } ]\n" \
                   "queues: [ { name: a }, { name: b } ]\n"
#define PRICED(bill) "prices: { bill: " bill ", energy_usd_per_kwh: 1, groups: { x: { gpu_usd_per_h: 3 }, y: { gpu_usd_per_h: 0.4 } } }\n"
#define DRAWS "power: { gpu_tdp_w: 400, gpu_idle_w: 50, node_idle_w: 80, pue: 1, duty: 1 }\n"
static const struct part_row {
    const char *name, *yaml, *metric;
    double all, a, b, idle;
} part_rows[] = {
    { "parts of what there is", TWO_PRICES PRICED("capacity"), "cost_usd", 25.6, 12, 1.6, 12 },
    { "parts of what is held", TWO_PRICES PRICED("allocated"), "cost_usd", 13.6, 12, 1.6, 0 },
    { "parts of GPU-hours beside energy", TWO_PRICES PRICED("capacity") DRAWS, "cost_gpus_usd", 25.6, 12, 1.6, 12 },
    { "parts of energy", TWO_PRICES PRICED("capacity") DRAWS, "cost_energy_usd", 3.24, 1.48, 1.52, .24 },
    { "parts of both", TWO_PRICES PRICED("capacity") DRAWS, "cost_usd", 28.84, 13.48, 3.12, 12.24 },
    /* of the four GPUs of a node at 8 USD, there for the hour of the run, each job holds one */
    { "parts of a rented node", "nodes: [ { group: y, gpus: 4, count: 1, pool: { min: 1, usd_per_node_h: 8 } } ]\n"
      "queues: [ { name: a }, { name: b } ]\nprices: { gpu_usd_per_h: 1 }\n", "cost_pools_usd", 8, 2, 2, 4 },
};

static void cost_of_parts(void **state)
{
    const struct part_row *row = *state;
    uint32_t gpus = strstr(row->yaml, "pool") ? 1 : 4;
    struct job jobs[JOBS_AT_MOST] = { { 0, HOUR, gpus, .queue = "b", .user = "v" }, { 0, HOUR, gpus, .queue = "a", .user = "u" } };
    struct sched *s = played(row->yaml, "fifo", jobs);
    struct summary *m = summary_make(s);
    near(row->all, summary_value(m, row->metric, "all"));
    near(row->a, summary_value(m, row->metric, "queue=a"));
    near(row->b, summary_value(m, row->metric, "queue=b"));
    near(row->a, summary_value(m, row->metric, "user=u"));
    near(row->b, summary_value(m, row->metric, "user=v"));
    near(row->idle, summary_value(m, row->metric, "idle"));
    near(row->all, row->a + row->b + row->idle);
    summary_free(m);
    put_away(s);
}

/* Without the sections there is nothing of them, and neither changes anything but what it adds. */
static void only_where_it_is_given(void **state)
{
    (void)state;
    static const char *const with[] = { "", ON, "prices: {}\n", ON "prices: {}\n" };
    static const char *const metric[] = { "energy_kwh", "cost_usd", "cost_energy_usd" };
    static const bool there[][3] = { { false, false, false }, { true, false, false }, { false, true, false }, { true, true, true } };
    for (size_t i = 0; i < 4; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, "%s%s", DGX(""), with[i]);
        struct sched *s = played(yaml, "fifo", (const struct job[JOBS_AT_MOST]){ { 0, HOUR, 8 } });
        struct summary *m = summary_make(s);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(!isnan(summary_value(m, metric[k], "all")), there[i][k]);
        near(HOUR, summary_value(m, "jct_mean_s", "all"));
        summary_free(m);
        put_away(s);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, energy, rows);
    ADD_ROWS(tests, n, cost, cost_rows);
    ADD_ROWS(tests, n, cost_of_parts, part_rows);
    ADD_TEST(tests, n, only_where_it_is_given);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
