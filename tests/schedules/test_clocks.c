/* test_clocks.c - lower clocks and caps that lower them, cooling by the hour, and bills that share what is idle: by hand from
 * models.md 9.
 *
 * A dgx-a100 draws 1000 + 8 x 60 = 1480 W idle; an A100 at full duty 360 W, so 300 W above idle; its context 15 W. At a clock phi
 * what depends on the duty is x phi^2, and what only computes takes 1 / phi as long. */
#include "sim/models/power.h"
#include "tests/support/powered_schedule.h"

#include <unistd.h>

#define ONE(keys)   "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { pue: 1, " keys " }\n"
#define TWO(keys)   "nodes: [ { group: dgx, type: dgx-a100, count: 2, nodes_per_rack: 1 } ]\npower: { pue: 1, " keys " }\n"
#define NO_CPUS     "cpu_w: 0, "
/* A row: 8 busy GPUs draw 1480 + 2400 = 3880 W, at the clock .79 1480 + 2400 x .6241 = 2977.84 W. */
#define ROW(low, keys) "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\n"                                                     \
                       "power: { pue: 1, cpu_w: 0, cap_by: rows, groups: { dgx: { low_priority: " low " } }, " keys " }\n"
#define PODS(keys)     "nodes: [ { group: dgx, type: dgx-a100, count: 2, nodes_per_rack: 1, racks_per_pod: 1 } ]\n"                \
                       "power: { pue: 1, cpu_w: 0, cap_by: rows, groups: { dgx: { low_priority: true } }, " keys " }\n"

/* clang-format off */
static const struct text_schedule rows[] = {
    { "half the clock: twice as long", ONE("clock: 0.5"), "fifo", .jobs = { { 0, 10, 8, 0, .ends = 20 } } },
    { "by group", "nodes: [ { group: a, type: dgx-a100, count: 1 }, { group: b, type: dgx-a100, count: 1 } ]\npower: { groups: { b: { clock: 0.5 } } }\n",
      "fifo", .jobs = { { 0, 10, 8, 0 }, { 0, 10, 8, 0, .ends = 20 } } },
    { "a gang computes at the clock of its slowest node",
      "nodes: [ { group: a, type: dgx-a100, count: 1 }, { group: b, type: dgx-a100, count: 1 } ]\npower: { groups: { b: { clock: 0.5 } } }\n",
      "fifo", .jobs = { { 0, 10, 16, 0, .ends = 20 } } },
    /* 60 + 300 phi^2 = 135: phi = .5 */
    { "a cap for each GPU", ONE("gpu_cap_w: 135"), "fifo", .jobs = { { 0, 10, 8, 0, .ends = 20 } } },
    { "a cap that does not bind", ONE("gpu_cap_w: 360"), "fifo", .jobs = { { 0, 10, 8, 0 } } },
    /* Without duties 1480 + 8 x 15 = 1600 W are drawn, duties add 8 x 285. 2170 W leave 570 = a quarter: phi .5, of steps of .01
     * below it .49 */
    { "a cap of all lowers the clock", ONE(NO_CPUS "cap_w: 2170.1, cap_by: clocks"), "fifo", .jobs = { { 0, 10, 8, 0, .ends = 20 } } },
    { "the same cap by starts", ONE(NO_CPUS "cap_w: 2170.1"), "fifo", .jobs = {
        { 0, 10, 8, NEVER, .refused = "would pass the power cap, even alone" } } },
    { "a cap that is wide enough", ONE(NO_CPUS "cap_w: 3880, cap_by: clocks"), "fifo", .jobs = { { 0, 10, 8, 0 } } },
    /* Two GPUs: 1480 + 30 and 570 W. Four: 1480 + 60 and 1140 W, 540.1 there: phi^2 .4738, phi .68: a second of work from 5 on, then as before */
    { "the clock follows what runs", ONE(NO_CPUS "cap_w: 2080.1, cap_by: clocks"), "fifo", .jobs = {
        { 0, 10, 2, 0, .ends = 9 + 1 / .68 }, { 5, 1, 2, 5, .ends = 5 + 1 / .68 } } },
    /* 1480 + 300 x .16 x 8 = 1864 is the least for 8 GPUs at a clock of .4. Four: 323 W for 1140, phi .5323 */
    { "at the lowest clock jobs wait again", ONE(NO_CPUS "cap_w: 1863, cap_by: clocks"), "fifo", .jobs = {
        { 0, 10, 8, NEVER, .refused = "would pass the power cap, even alone" }, { 0, 1, 4, 0, .ends = 1 / .53 } } },
    /* Each rack for itself: 1480 + 120 and 2280 W, a quarter of these there; 1480 + 60 and 1140 W, 630.1 there: phi .7434 */
    { "racks", TWO(NO_CPUS "rack_cap_w: 2170.1, cap_by: clocks"), "fifo", .jobs = {
        { 0, 10, 8, 0, .ends = 20 }, { 5, 10, 4, 5, .ends = 5 + 10 / .74 } } },
    /* .862 of 4500 W: above .80; lowered .662, below .75: let go at 10 s, lowered at 20 s, ...: 17.9 s of work in each 20 s, 97.4 s by
     * 110 s. Without low priority only .89 counts */
    { "a row: lowered and let go", ROW("true", "row_cap_w: 4500"), "fifo", .jobs = { { 0, 100, 8, 0, .ends = 112.6 } } },
    { "a row: not of low priority", ROW("false", "row_cap_w: 4500"), "fifo", .jobs = { { 0, 100, 8, 0 } } },
    { "a row: below the threshold nothing happens", ROW("true", "row_cap_w: 4850.1"), "fifo", .jobs = { { 0, 100, 8, 0 } } },
    /* .995 of 3900 W: all; lowered .764, below .84 and above .75: low priority stays lowered, others go on and off */
    { "a row: stays lowered", ROW("true", "row_cap_w: 3900"), "fifo", .jobs = { { 0, 79, 8, 0, .ends = 100 } } },
    { "a row: all of it, and let go", ROW("false", "row_cap_w: 3900"), "fifo", .jobs = { { 0, 100, 8, 0, .ends = 112.6 } } },
    { "a row: looked at each 10 s", ROW("true", "row_cap_w: 3900"), "fifo", .jobs = { { 3, 100, 8, 3, .ends = 10 + 93 / .79 } } },
    { "a row: its keys", ROW("true", "row_cap_w: 3900, row_clock: 0.5, row_look_s: 4, row_low_at: 0.1, row_all_at: 0.2, row_release: 0.05"),
      "fifo", .jobs = { { 3, 5, 8, 3, .ends = 4 + 4 / .5 } } },
    { "a row: each for itself", PODS("row_cap_w: 3900"), "fifo", .jobs = { { 0, 79, 8, 0, .ends = 100 }, { 0, 79, 2, 0 } } },
    { "a row: nodes without pods are one", TWO(NO_CPUS "row_cap_w: 6000, cap_by: rows"), "fifo", .jobs = {
        { 0, 7.9, 8, 0, .ends = 10 }, { 0, 7.9, 4, 0, .ends = 10 } } },
    { "a job without GPUs has no clock", ONE("clock: 0.5"), "fifo", .jobs = { { 0, 10, 0, 0, .cpus = 1, .tasks = 1 } } },
};
static const struct bad_text bad_rows[] = {
    { "two ways", ONE("clock: 0.5, gpu_cap_w: 100"), "c.yaml:2:8: power: group 'dgx': want a gpu_cap_w or a clock, not both" },
    { "too low", ONE("gpu_cap_w: 100"), "c.yaml:2:8: power: group 'dgx': want a gpu_cap_w that a clock of at least 0.4 keeps" },
    { "two laws of cooling", ONE("pue_fixed: 0.4, temperature_file: t.csv"),
      "c.yaml:2:8: power: want a temperature_file or a pue_fixed, not both" },
    { "clocks without a cap", ONE("cap_by: clocks"), "c.yaml:2:8: power: 'cap_by: clocks' wants a cap_w or a rack_cap_w" },
    { "rows without a cap", ONE("cap_by: rows"), "c.yaml:2:8: power: 'cap_by: rows' wants a row_cap_w, and no other cap" },
    { "rows and another cap", ONE("cap_by: rows, row_cap_w: 9000, cap_w: 9000"), "c.yaml:2:8: power: 'cap_by: rows' wants a row_cap_w, and no other cap" },
    { "a row's cap by starts", ONE("row_cap_w: 9000"), "c.yaml:2:8: power: a row_cap_w wants 'cap_by: rows'" },
    { "thresholds in the wrong order", ONE("cap_by: rows, row_cap_w: 9000, row_low_at: 0.9"),
      "c.yaml:2:8: power: want row_release <= row_low_at <= row_all_at, got 0.05, 0.9, 0.89" },
    { "no such PUE", "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { pue: old }\n",
      "c.yaml:2:15: pue: want a number from 1 to 100 or one of average, new, hyperscale, got 'old'" },
};
/* clang-format on */

/* Rounded times of rates that are no whole numbers: to 10 ns. */
static void plays(void **state)
{
    const struct text_schedule *row = *state;
    struct sched *s = text_played(row, NULL);
    for (job_id j = 0; j < run_setup_of(s)->workload->n_jobs; j++) {
        const struct job *want = &row->jobs[strtoul(run_setup_of(s)->workload->truth[j].name, NULL, 10) - 1];
        struct job_result got = run_job(s, j);
        double ends = want->ends > 0 ? want->ends : want->starts + want->lasts;
        if (want->refused) {
            assert_string_equal(got.refusal, want->refused);
            continue;
        }
        if (!(fabs(seconds(got.end_ns) - ends) < 1e-8))
            fail_msg("job %u: want %.9f, got %.9f", j + 1, ends, seconds(got.end_ns));
    }
    put_away(s);
}

/* models-2: idle .15 of the TDP, all of it at full duty; a cap of .9, .8, .7, .5 of the TDP: phi = sqrt((cap - .15) / .85). */
static void clocks_of_caps(void **state)
{
    (void)state;
    const double cap[] = { .9, .8, .7, .5 }, phi[] = { .939336, .874475, .804400, .641689 };
    for (size_t i = 0; i < COUNT(cap); i++)
        assert_true(fabs(power_clock_for(&power_law_usual, 105, 700, 700 * cap[i]) - phi[i]) < 1e-6);
    assert_true(power_clock_for(&power_law_usual, 105, 700, 700) == 1 && power_clock_for(&power_law_usual, 105, 700, 150) == 0);
}

/* Eight A100 at half the clock for 20 s: 1000 + 8 x (60 + 75) W, and GPU time lost: 8 x 10 s. */
static const struct metric_row {
    const char *name;
    const char *yaml;
    struct job jobs[3];
    struct { const char *name; double value; } metric[6];
} metric_rows[] = {
    { "metrics of clocks", ONE(NO_CPUS "clock: 0.5"), { { 0, 10, 8, 0 } }, .metric = { { "clock_lowest", 0.5 }, { "clock_gpu_h", 80 / 3600.0 }, { "energy_kwh", 20 * (1000 + 8 * 135) / 3.6e6 } } },
    /* Two jobs, .7836 of the budget when lowered: above it from 3 to 10 s, then lowered until the end at 10 + 93 / .79 */
    { "metrics of a row", ROW("true", "row_cap_w: 3800"), { { 3, 100, 4, 3 }, { 3, 100, 4, 3 } },
      .metric = { { "row_lowered_h", 93 / .79 / 3600 }, { "energy_kwh", (7 * 3880 + 93 / .79 * 2977.84) / 3.6e6 }, { "clock_lowest", .79 },
                  { "row_power_peak", 3880 / 3800.0 }, { "row_over_budget_h", 7 / 3600.0 }, { "row_over_budget_longest_s", 7 } } },
    { "PUE by name", "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { pue: hyperscale, cpu_w: 0 }\n", { { 0, 3600, 8, 0 } },
      .metric = { { "energy_facility_kwh", 3.88 * 1.1 } } },
};

static void metrics(void **state)
{
    const struct metric_row *row = *state;
    struct text_schedule of = { "", row->yaml, "fifo", .jobs = { row->jobs[0], row->jobs[1] } };
    struct sched *s = text_played(&of, NULL);
    struct summary *m = summary_make(s);
    for (size_t i = 0; i < COUNT(row->metric) && row->metric[i].name; i++)
        if (!(fabs(summary_value(m, row->metric[i].name, "all") - row->metric[i].value) < 1e-9))
            fail_msg("%s: want %.12g, got %.12g", row->metric[i].name, row->metric[i].value, summary_value(m, row->metric[i].name, "all"));
    summary_free(m);
    put_away(s);
}

/* BERT-large on a node of V100: T_c 250 ms takes 1 / phi as long, T_n 9.8560 ms (models.md 2.5, row a) does not. */
static void memory_and_links_stay(void **state)
{
    (void)state;
    struct text_schedule row = { "", "nodes: [ { group: v, type: dgx1-v100, count: 1 } ]\nprogress: { model: analytic }\npower: { clock: 0.8 }\n",
                                 "fifo", .jobs = { { 0, 1000, 8, 0, .model = "BERT-large" } } };
    struct sched *s = text_played(&row, NULL);
    double t_n = 9.8560e-3, want = 1000 * hypot(.25 / .8, t_n) / hypot(.25, t_n);
    assert_true(fabs(seconds(run_job(s, 0).end_ns) / want - 1) < 1e-6);
    assert_false(fabs(seconds(run_job(s, 0).end_ns) / 1250 - 1) < 1e-6);         /* control: all of it slower */
    put_away(s);
}

/* ---- Cooling: PUE 1.2 up to 18 degrees, .01 more for each degree above; two hours of 10 and 28 degrees, 100 and 300 g/kWh; an
 * idle node of 1480 W. 1.48 kWh x 1.2 and x 1.3 ---- */
static void cooling(void **state)
{
    (void)state;
    char path[] = "/tmp/test_clocks.XXXXXX", grams[] = "/tmp/test_clocks.XXXXXX", yaml[500];
    const struct { char *path; const char *text; } files[] = { { path, "hour,temperature_c\n0,10\n1,28\n" },
                                                              { grams, "hour,carbon_g_per_kwh\n0,100\n1,300\n" } };
    for (size_t i = 0; i < COUNT(files); i++) {
        int fd = mkstemp(files[i].path);
        FILE *f = fdopen(fd, "w");
        assert_non_null(f);
        fputs(files[i].text, f);
        fclose(f);
    }
    snprintf(yaml, sizeof yaml, "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\n"
             "power: { pue: 1.2, temperature_file: %s, free_cooling_c: 18, pue_per_c: 0.01, carbon_file: %s }\n", path, grams);
    struct text_schedule row = { "", yaml, "fifo", .jobs = { { 0, 7200, 0, 0, .cpus = 1, .tasks = 1 } } };
    struct sched *s = text_played(&row, NULL);
    struct summary *m = summary_make(s);
    double cpu_kwh = 300.0 / 128 / 1000, kwh = 1.48 + cpu_kwh;                  /* each hour */
    assert_true(fabs(summary_value(m, "energy_kwh", "all") - 2 * kwh) < 1e-9);
    assert_true(fabs(summary_value(m, "energy_facility_kwh", "all") - kwh * (1.2 + 1.3)) < 1e-9);
    assert_true(fabs(summary_value(m, "carbon_kg", "all") - kwh * (1.2 * .1 + 1.3 * .3)) < 1e-9);
    assert_false(fabs(summary_value(m, "carbon_kg", "all") - 2 * kwh * 1.25 * .2) < 1e-9);    /* control: the means */
    summary_free(m);
    put_away(s);
    unlink(path);
    unlink(grams);
}

/* PUE 1.5 at the peak of 1480 + 8 x 300 W, .4 of the half at any load: 1.3 P + .2 x 3880 W. Eight GPUs busy for an hour, then idle
 * for one: 3880 x 1.5 = 5820 W and 2700 W, at 200 g and .1 USD a kWh */
static void fixed_part_of_the_facility(void **state)
{
    (void)state;
    struct text_schedule row = { "", "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\n"
                                 "power: { pue: 1.5, pue_fixed: 0.4, cpu_w: 0, carbon_g_per_kwh: 200 }\nprices: { gpu_usd_per_h: 1 }\n",
                                 "fifo", .jobs = { { 0, 3600, 8, 0 }, { 0, 7200, 0, 0, .cpus = 1, .tasks = 1 } } };
    struct sched *s = text_played(&row, NULL);
    struct summary *m = summary_make(s);
    assert_true(fabs(summary_value(m, "energy_kwh", "all") - (3.88 + 1.48)) < 1e-9);
    assert_true(fabs(summary_value(m, "energy_facility_kwh", "all") - (5.82 + 2.7)) < 1e-9);
    assert_true(fabs(summary_value(m, "carbon_kg", "all") - .2 * (5.82 + 2.7)) < 1e-9);
    assert_true(fabs(summary_value(m, "cost_usd", "all") - (8 + .1 * (5.82 + 2.7))) < 1e-9);
    assert_false(fabs(summary_value(m, "energy_facility_kwh", "all") - 1.5 * 5.36) < 1e-9);    /* control: constant */
    summary_free(m);
    put_away(s);
}

/* ---- Bills: 8 GPUs at 1 USD for 100 h; a holds 4 for 100 h, b 2 for 50 h, of the user of each; 300 GPU-hours idle ---- */

#define BILL(rule)                                                                                                            \
    "nodes: [ { group: g, count: 1, gpus: 8 } ]\nqueues: [ { name: a, deserved_gpus: 2 }, { name: b, deserved_gpus: 4 }, "      \
    "{ name: c, deserved_gpus: 2 } ]\nprices: { bill: capacity, gpu_usd_per_h: 1, idle: " rule " }\n"
static const struct bill_row {
    const char *name, *yaml;
    double a, b, c, user_a;       /* cost of each; c has no jobs */
} bill_rows[] = {
    { "bill: by use, 4 to 1", BILL("by-use"), 400 + 240, 100 + 60, NONE, 400 + 240 },
    { "bill: by quota, 2 to 4 to 2", BILL("by-quota"), 400 + 75, 100 + 150, 75, 400 + 240 },
    { "bill: apart", BILL("apart"), 400, 100, NONE, 400 },
};

static void bills(void **state)
{
    const struct bill_row *row = *state;
    struct text_schedule of = { "", row->yaml, "fifo", .jobs = { { 0, 360000, 4, 0, .queue = "a", .user = "ann" },
                                                                { 0, 180000, 2, 0, .queue = "b", .user = "bob" } } };
    struct sched *s = text_played(&of, NULL);
    struct summary *m = summary_make(s);
    double a = summary_value(m, "cost_usd", "queue=a"), b = summary_value(m, "cost_usd", "queue=b"), c = summary_value(m, "cost_usd", "queue=c");
    double idle = summary_value(m, "cost_usd", "idle"), all = summary_value(m, "cost_usd", "all");
    assert_true(all == 800);
    assert_true(fabs(a - row->a) < 1e-9 && fabs(b - row->b) < 1e-9);
    assert_true(row->c == NONE ? isnan(c) : fabs(c - row->c) < 1e-9);
    assert_true(fabs(summary_value(m, "cost_usd", "user=ann") - row->user_a) < 1e-9);
    assert_true(a + b + (isnan(c) ? 0 : c) + (isnan(idle) ? 0 : idle) == all);
    if (row->a > 400)
        assert_true(fabs(summary_value(m, "cost_idle_usd", "queue=a") - (row->a - 400)) < 1e-9);
    summary_free(m);
    put_away(s);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays, rows);
    ADD_ROWS(tests, n, text_is_refused, bad_rows);
    ADD_TEST(tests, n, clocks_of_caps);
    ADD_ROWS(tests, n, metrics, metric_rows);
    ADD_TEST(tests, n, memory_and_links_stay);
    ADD_TEST(tests, n, cooling);
    ADD_TEST(tests, n, fixed_part_of_the_facility);
    ADD_ROWS(tests, n, bills, bill_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
