/* test_input.c - jobs with few CPUs for the input of their model: by hand from models.md 2.9.
 *
 * An iteration of `net` takes 1 s on a V100 and sends nothing; its input takes 4 s of a CPU. On an A100 (kappa 2) it takes half a
 * second. `whole` computes 8 s on one V100, shared by all its GPUs, and its input 16 s of a CPU. */
#include "tests/support/powered_schedule.h"

#define MODELS   "models: [ { name: net, compute_s: 1, input_cpu_s: 4, batch: 10 }, { name: whole, compute_s: 8, batch: 10, global_batch: true, input_cpu_s: 16 }, " \
                 "{ name: plain, compute_s: 1 } ]\n"
#define V100(n)  "nodes: [ { group: a, type: dgx1-v100, count: " n " } ]\n"
#define ON       "progress: { model: analytic }\n"
#define MIXED    "nodes: [ { group: a, type: dgx1-v100, count: 1 }, { group: b, type: dgx-a100, count: 1 } ]\nprogress: { reference: V100-SXM2-16 }\n"

/* clang-format off */
static const struct text_schedule rows[] = {
    { "half the CPUs: twice as long", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .tasks = 4, .cpus = 2, .model = "net", .ends = 20 } } },
    { "enough", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .tasks = 4, .cpus = 4, .model = "net" } } },
    { "more than enough", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .tasks = 4, .cpus = 9, .model = "net" } } },
    { "of a task with several GPUs", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .tasks = 1, .cpus = 8, .model = "net", .ends = 20 } } },
    { "of each GPU of a total", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .cpus = 8, .model = "net", .ends = 20 } } },
    { "none stated", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .model = "net" } } },
    { "another model", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .tasks = 4, .cpus = 1, .model = "plain" }, { 0, 10, 1, 0, .tasks = 1, .cpus = 2, .model = "net", .ends = 20 } } },
    { "no progress section", V100("1") MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .tasks = 4, .cpus = 1, .model = "net" } } },
    { "a batch twice as large", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 1, 0, .tasks = 1, .cpus = 2, .model = "net (batch size 20)", .ends = 20 } } },
    /* one CPU a GPU: 16/4 = 4 s, computing 8/4 = 2 s */
    { "of the whole job", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .tasks = 4, .cpus = 1, .model = "whole", .ends = 20 } } },
    /* 4/8 s and .5 s on the A100; 4/4 s there, which the faster GPU does not make shorter; 4/5 s */
    { "a faster GPU, enough", MIXED MODELS, "fifo", .jobs = { { 0, 10, 1, 0, .tasks = 1, .cpus = 8, .model = "net", .gpu_type = "A100-SXM4-40", .ends = 5 } } },
    { "a faster GPU, with what a V100 needs", MIXED MODELS, "fifo", .jobs = { { 0, 10, 1, 0, .tasks = 1, .cpus = 4, .model = "net", .gpu_type = "A100-SXM4-40", .ends = 10 } } },
    { "a faster GPU, a little more", MIXED MODELS, "fifo", .jobs = { { 0, 10, 1, 0, .tasks = 1, .cpus = 5, .model = "net", .gpu_type = "A100-SXM4-40", .ends = 8 } } },
};
/* clang-format on */

static void plays(void **state)
{
    const struct text_schedule *row = *state;
    struct sched *s = text_played(row, NULL);
    for (job_id j = 0; j < run_setup_of(s)->workload->n_jobs; j++) {
        const struct job *want = &row->jobs[strtoul(run_setup_of(s)->workload->truth[j].name, NULL, 10) - 1];
        double ends = want->ends > 0 ? want->ends : want->starts + want->lasts, got = seconds(run_job(s, j).end_ns);
        if (!(fabs(got - ends) < 1e-8))
            fail_msg("job %u: want %.9f, got %.9f", j + 1, ends, got);
    }
    put_away(s);
}

/* Four GPUs for 20 s, half of it lost; one with enough CPUs loses nothing. */
static void lost(void **state)
{
    static const struct { struct { const char *name; double value; } metric; } want = { .metric = { "input_gpu_h", 0.011111111111 } };
    static const struct text_schedule row = { "lost", V100("1") ON MODELS, "fifo", .jobs = { { 0, 10, 4, 0, .tasks = 4, .cpus = 2, .model = "net" },
                                                                                             { 0, 10, 1, 0, .tasks = 1, .cpus = 4, .model = "net" } } };
    (void)state;
    struct sched *s = text_played(&row, NULL);
    struct summary *m = summary_make(s);
    assert_true(fabs(summary_value(m, want.metric.name, "all") - want.metric.value) < 1e-11);      /* 40 / 3600 */
    summary_free(m);
    put_away(s);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays, rows);
    ADD_TEST(tests, n, lost);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
