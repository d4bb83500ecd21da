/* test_formats_tables.c - the formats without a header, and those that need a second file: small traces, what is read from
 * them, what is wrong with them, and the public files. Expected values: by hand, or counted in the files with Python. */
#include "sim/models/training/throughputs.h"
#include "tests/unit/describe_jobs.h"
#include "tests/unit/read_shared.h"
#include "tests/unit/read_text.h"
#include "tests/unit/round_trip.h"

#define TABLE "second.txt"

/* Either jobs or an error. second: what TABLE holds, NULL: there is none. value: of the options. */
struct sample {
    const char *name, *format, *text, *second, *value[3], *jobs, *error;
    uint32_t skipped;
};

/* clang-format off */
#define RATES "{ \"v100\": { \"('m', 1)\": { \"null\": 2.0, \"('m', 1)\": [1, 1] }, \"('m', 2)\": { \"null\": 3 },\n" \
              "\"('big (size 5)', 1)\": { \"null\": 0.0 } }, \"k80\": { \"('m', 1)\": { \"null\": 0.5 } } }\n"
#define ROW7(steps, arrives, gpus) "m\tpython3 x.py -d %s\t-n\t1\t" steps "\t" arrives "\t" gpus "\n"
#define ROW10(steps, gpus, slo, arrives) "m\tcmd\tdir\t-n\t1\t" steps "\t" gpus "\t1\t" slo "\t" arrives "\n"
#define ROW12(gpus, slo, lasts, arrives) "m\tcmd\tdir\t-n\t1\t9\t" gpus "\tgns\t1\t" slo "\t" lasts "\t" arrives "\n"
#define GENAI "gmt_create,predict_type,predict_status,exec_time_seconds,groupId,prompt_length," \
              "checkpoint_model_version_id,num_lora\n"
#define JOBS  "a,i,u,Terminated,100.0,200.0\n"
#define TASKS "a,ps,2.0,Terminated,110.0,190.0,400.0,29.296875,0.0,CPU\n" \
              "a,worker,3.0,Terminated,105.0,190.0,600.0,1.0,50.0,V100\n"
#define NO_TABLE "t.csv: a gavel trace has no durations: want FILE:gavel:table=THROUGHPUTS.json[,gpu=v100]"
#define NO_TASKS "t.csv: a pai job table has no sizes of jobs: want FILE:pai:tasks=pai_task_table.csv"
#define GAVEL_2(trace) .format = "gavel", .text = (trace), .second = RATES, .value = { TABLE }
#define GAVEL_WITH(rates) .format = "gavel", .text = ROW7("1", "0", "1"), .second = (rates), .value = { TABLE }
#define PAI_2(trace, tasks) .format = "pai", .text = (trace), .second = (tasks), .value = { TABLE }

static const struct sample samples[] = {
    /* 100 steps at 2 a second; 300 at 3 on two GPUs */
    { "gavel: seven columns", GAVEL_2(ROW7("100", "0.000000", "1") ROW7("300", "1.5", "2")),
      .jobs = "1 0+50 1x1 model=m\n2 1.5+100 any2 model=m\n" },
    /* a deadline 1.5 durations of 50 s after 7 s; -1: none */
    { "gavel: ten columns", GAVEL_2(ROW10("100", "1", "1.5", "7") ROW10("7", "1", "-1.000000", "8")),
      .jobs = "1 7+50 1x1 deadline=82 model=m\n2 8+3.5 1x1 model=m\n" },
    { "gavel: another type", .format = "gavel", .text = ROW7("100", "0", "1"), .second = RATES, .value = { TABLE, "k80" },
      .jobs = "1 0+200 1x1 model=m\n" },
    { "gavel: all at the rate of one GPU", .format = "gavel", .text = ROW7("300", "0", "2") ROW7("300", "0", "64"),
      .second = RATES, .value = { TABLE, NULL, "1" }, .jobs = "1 0+150 any2 model=m\n2 0+150 any64 model=m\n" },
    { "gavel: a table is needed", .text = ROW7("1", "0", "1"), .error = NO_TABLE },
    { "gavel: no such pair", GAVEL_2(ROW7("1", "0", "1") ROW7("1", "0", "4")), .error = "t.csv:2: second.txt has no "
      "throughput of 'm' on 4 x v100: want another gpu or table, or scale=1" },
    { "gavel: it does not run there", GAVEL_2("big (size 5)\tc\t-n\t1\t5\t0\t1\n"), .error = "t.csv:1: second.txt has no "
      "throughput of 'big (size 5)' on 1 x v100: want another gpu or table, or scale=1" },
    { "gavel: no such type", .format = "gavel", .text = ROW7("1", "0", "1"), .second = RATES, .value = { TABLE, "a100" },
      .error = "second.txt: no GPU type 'a100': want one of v100, k80" },
    { "gavel: no such scale", .format = "gavel", .text = ROW7("1", "0", "1"), .second = RATES,
      .value = { TABLE, NULL, "2" }, .error = "t.csv: gavel: scale: want own or 1, got '2'" },
    { "gavel: cells", GAVEL_2("m\tc\n"), .error = "t.csv:1: want 7 or 10 cells, got 2" },
    { "gavel: steps", GAVEL_2(ROW7("many", "0", "1")),
      .error = "t.csv:1: total_steps: want a number from 0 to 1000000000000000, got 'many'" },
    { "gavel: no GPUs", GAVEL_2(ROW7("1", "0", "0")), .error = "t.csv:1: scale_factor: want a whole number of at least 1, got '0'" },
    { "gavel: no model", GAVEL_2("\tc\t-n\t1\t5\t0\t1\n"), .error = "t.csv:1: model: want a value, got ''" },
    { "gavel: the table is not there", .format = "gavel", .text = ROW7("1", "0", "1"), .value = { TABLE },
      .error = "second.txt: cannot open: No such file or directory" },

    { "throughputs: no JSON", GAVEL_WITH("{"), .error = "second.txt:1: string or '}' expected near end of file" },
    { "throughputs: no table", GAVEL_WITH("[]"), .error = "second.txt: want a table by type of GPU, { \"v100\": { ... }, ... }" },
    { "throughputs: no table of a type", GAVEL_WITH("{ \"v100\": 1 }"),
      .error = "second.txt: v100: want a table by model and number of GPUs" },
    { "throughputs: a key", GAVEL_WITH("{ \"v100\": { \"m\": {} } }"),
      .error = "second.txt: v100: want keys like ('MODEL', GPUS), got \"m\"" },
    { "throughputs: GPUs of a key", GAVEL_WITH("{ \"v100\": { \"('m', 0)\": {} } }"),
      .error = "second.txt: v100: want keys like ('MODEL', GPUS), got \"('m', 0)\"" },
    { "throughputs: no rate", GAVEL_WITH("{ \"v100\": { \"('m', 1)\": {} } }"),
      .error = "second.txt: v100: ('m', 1): want a \"null\" with steps per second" },
    { "throughputs: a rate below 0", GAVEL_WITH("{ \"v100\": { \"('m', 1)\": { \"null\": -1 } } }"),
      .error = "second.txt: v100: ('m', 1): want a \"null\" with steps per second" },
    { "throughputs: twice", GAVEL_WITH("{ \"v100\": {}, \"v100\": {} }"),
      .error = "second.txt:1: duplicate object key near '\"v100\"'" },

    { "shockwave", .text = ROW12("1", "-1.000000", "8749", "0") ROW12("4", "2", "10", "24"),
      .jobs = "1 0+8749 1x1 model=m\n2 24+10 any4 deadline=44 model=m\n" },
    { "shockwave: without its last newline, with CRLF", .text = "m\tc\td\t-n\t1\t9\t1\tgns\t1\t-1\t5\t3\r\n\r\n"
      "m\tc\td\t-n\t1\t9\t1\tgns\t1\t-1\t5\t4", .jobs = "1 3+5 1x1 model=m\n2 4+5 1x1 model=m\n" },
    { "shockwave: cells", .format = "shockwave", .text = ROW12("1", "-1", "1", "0") ROW7("1", "0", "1"),
      .error = "t.csv:2: want 12 cells, got 7" },
    { "shockwave: duration", .format = "shockwave", .text = ROW12("1", "-1", "", "0"),
      .error = "t.csv:1: duration: want a value, got ''" },
    { "shockwave: SLO", .format = "shockwave", .text = ROW12("1", "soon", "1", "0"),
      .error = "t.csv:1: SLO: want a number from -1 to 1000000, got 'soon'" },

    { "shockwave: a deadline after all times", .format = "shockwave", .text = ROW12("1", "1000000", "3e9", "0"),
      .error = "t.csv:1: SLO: want a deadline within 100 years, got '1000000'" },
    { "genai", .text = GENAI "2024-11-15 16:57:50,TXT_2_IMG,SUCCEED,32.0,G0,63.0,M0,0\n"
      "2024-11-15 16:57:52,TXT_2_IMG,FAILED,1.5,,63.0,,0\n2024-11-15 16:57:53,TXT_2_IMG,PENDING,0.0,G0,63.0,M0,0\n"
      "2024-11-15 16:57:54,TXT_2_IMG,PROCESSING,21.0,G0,63.0,M0,0\n",
      .jobs = "1 0+32 1x1 user=G0 inference model=M0\n2 2+1.5 1x1 inference failed\n", .skipped = 2 },
    { "genai: a status", .text = GENAI "2024-11-15 16:57:50,T,DONE,32.0,G0,63.0,M0,0\n",
      .error = "t.csv:2: predict_status: want one of SUCCEED, FAILED, PENDING, PROCESSING, got 'DONE'" },

    /* three workers of half a GPU and six cores; the first role was launched at 105: 95 s */
    { "pai: the role with the most GPUs, the first launch", PAI_2(JOBS, TASKS),
      .jobs = "a 100+95 3x1 milli=500 cpu=6000 mib=1024 type=V100 user=u\n" },
    { "pai: with the headers on top", PAI_2("job_name,inst_id,user,status,start_time,end_time\n" JOBS,
      "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n" TASKS),
      .jobs = "a 100+95 3x1 milli=500 cpu=6000 mib=1024 type=V100 user=u\n" },
    { "pai: no GPUs, several, one and a half, of another model", PAI_2("c,i,,Failed,0,9\nd,i,v,Terminated,1,9\ne,i,v,Terminated,2,9\n",
      "c,x,1,Failed,4,9,50,,,\nd,x,1,Terminated,4,9,,,800,T4\ne,x,2,Terminated,4,9,,,150,MISC\n"),
      .jobs = "c 0+5 1x0 cpu=500 failed\nd 1+5 1x8 type=T4 user=v\ne 2+5 2x2 user=v\n" },
    { "pai: of equal roles the one with more CPUs, then the first", PAI_2("a,i,u,Terminated,0,9\nb,i,u,Terminated,0,9\n",
      "a,x,1,T,1,9,100,1,100,\na,y,1,T,1,9,200,2,100,\nb,x,1,T,1,9,100,1,100,\nb,y,1,T,1,9,100,2,100,\n"),
      .jobs = "a 0+8 1x1 cpu=2000 mib=2048 user=u\nb 0+8 1x1 cpu=1000 mib=1024 user=u\n" },
    { "pai: who never ran to an end", PAI_2("a,i,u,Running,0,\nb,i,u,Waiting,,\nc,i,u,Terminated,0,\nd,i,u,Terminated,0,9\n"
      "e,i,u,Terminated,0,9\nf,i,u,Terminated,0,9\n",
      "a,x,1,T,1,,,,100,\nb,x,1,T,,,,,100,\nc,x,1,T,1,9,,,100,\nd,x,1,T,,9,,,100,\nf,x,1,T,3,9,,,100,\n"),
      .jobs = "f 0+6 1x1 user=u\n", .skipped = 5 },
    { "pai: the tasks are needed", .text = JOBS, .error = NO_TASKS },
    { "pai: a status", PAI_2("a,i,u,Lost,0,9\n", TASKS),
      .error = "t.csv:1: status: want one of Terminated, Failed, Running, Waiting, got 'Lost'" },
    { "pai: it ended before it began", PAI_2("a,i,u,Failed,0,9\n", TASKS),
      .error = "t.csv:1: end_time: want at least the start_time of its first task, got '9'" },
    { "pai: cells", PAI_2("a,i,u\n", TASKS), .error = "t.csv:1: want 6 cells, got 3" },
    { "pai: cells of a task", PAI_2(JOBS, "a,x\n"), .error = "second.txt:1: want 10 cells, got 2" },
    { "pai: instances", PAI_2(JOBS, "a,x,0,T,1,9,,,100,\n"),
      .error = "second.txt:1: inst_num: want a number from 1 to 1000000, got '0'" },
    { "pai: too many GPUs", PAI_2(JOBS, "a,x,1000000,T,1,9,,,200,\n"),
      .error = "second.txt:1: plan_gpu: want inst_num x plan_gpu of at most 1000000 GPUs, got '200'" },
};
/* clang-format on */

static void read_sample(void **state)
{
    const struct sample *s = *state;
    const struct trace_format *used = NULL, *format = s->format ? trace_format_find(s->format) : NULL;
    struct error err = { "" };
    struct description d = { .n = 0 };
    char sha256[65];
    FILE *f = fopen("t.csv", "wb"), *second = s->second ? fopen(TABLE, "wb") : NULL;
    assert_true(f && fputs(s->text, f) >= 0 && fclose(f) == 0);
    if (second)
        assert_true(fputs(s->second, second) >= 0 && fclose(second) == 0);
    struct workload *w = trace_read_source(
        &(struct trace_source){ .path = "t.csv", .format = format, .value = format ? s->value : NULL }, &used, sha256, &err);
    unlink(TABLE);
    assert_string_equal(err.text, s->error ? s->error : "");
    assert_int_equal(w == NULL, s->error != NULL);
    if (!w)
        return;
    assert_memory_equal(used->name, s->name, strcspn(s->name, ":"));
    describe_jobs(&d, w);
    assert_string_equal(d.text, s->jobs);
    assert_int_equal(w->n_skipped, s->skipped);
    round_trip(w);
    workload_free(w);
}

/* ---- the public files ---- */

/* Of Gavel with its simulation table; GPU seconds, counted with Python: round(steps / throughput, 9). */
static const struct trace {
    const char *name, *path, *format, *table, *scale;
    uint32_t jobs, skipped, users;
    double gpu_s;
} traces[] = {
#define GAVEL(file) "gavel " file, "gavel/" file, "gavel", "gavel/simulation_throughputs.json.zst"
    { GAVEL("msr_seed0/795a4c.trace"), NULL, 3, 0, 0, 17946.689265 },
    { GAVEL("msr_seed0/2869ce.trace"), "1", 533, 0, 0, 485395075.198358 },
    { GAVEL("msr_seed0/11cb48.trace.zst"), "1", 2000, 0, 0, 310581145.874872 },
    { GAVEL("physical_cluster/max_min_fairness.trace"), NULL, 96, 0, 0, 1413454.932617 },
    { "shockwave 220", "shockwave/220_0.2_5_100_25_4_0,0.5,0.5_0.6,0.3,0.09,0.01_multigpu_dynamic.trace", "shockwave", NULL,
      NULL, 220, 0, 0, 1453927 },
    { "genai", "alibaba-genai-v2026/lora_request_trace.csv.zst", "genai", NULL, NULL, 26790, 33, 4244, 768803 },
};

static void whole_trace(void **state)
{
    const struct trace *t = *state;
    const struct trace_format *used = NULL;
    struct error err = { "" };
    char whole[1024], table[1024], sha256[65];
    const char *value[TRACE_OPTIONS_MAX] = { t->table ? shared_path(table, t->table) : NULL, NULL, t->scale };
    struct workload *w = trace_read_source(
        &(struct trace_source){ .path = shared_path(whole, t->path), .value = t->table ? value : NULL,
                                .format = t->table ? trace_format_find(t->format) : NULL }, &used, sha256, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(used->name, t->format);
    assert_int_equal(w->n_jobs, t->jobs);
    assert_int_equal(w->n_skipped, t->skipped);
    assert_int_equal(intern_count(w->users), t->users);
    double gpu_s = 0;
    for (job_id j = 0; j < w->n_jobs; j++)
        gpu_s += seconds(w->truth[j].duration_ns) * gpus_of(w, j);
    assert_true(gpu_s > t->gpu_s * (1 - 1e-9) && gpu_s < t->gpu_s * (1 + 1e-9));
    round_trip(w);
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, whole_trace, traces); /* first: ../shared is not below the directory of the others */
    int failed = cmocka_run_group_tests(tests, NULL, NULL) != 0;
    memset(tests, 0, sizeof tests);
    n = 0;
    ADD_ROWS(tests, n, read_sample, samples);
    return run_in_directory(tests, n) || failed;
}
