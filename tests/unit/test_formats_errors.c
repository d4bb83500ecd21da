/* test_formats_errors.c - small traces of each format with one thing wrong, and the message that tells it. */
#include "tests/unit/read_text.h"

struct sample {
    const char *name, *format, *text, *error;
}; /* format NULL: told by the first bytes */

#define N       "job_id,submit_s,duration_s,gpus"
#define SWF_END " -1 -1 -1\n" /* partition, preceding job, think time */
#define HELIOS  "jobname,vc,gpu_num,submit_time,duration\n"
#define PHILLY  "timestamp,duration,num_gpus,gpu_time,cluster\n"
#define NAMES                                                                                                          \
    "one of native, philly, philly-csv, helios, helios-sim, acme, openb, dlrm, elasticflow, chronus, tiresias, "       \
    "pai, pai-sim, gavel, shockwave, genai, swf"
#define PAI    "job_id,num_inst,num_gpu,num_cpu,submit_time,duration\n"
#define A_TIME "want a time from 1970 to 2069 like 2017-10-09 07:01:55, got "
#define A_GPU  "want a whole number up to 1000000, or a fraction below one, got "
static const struct sample bad[] = {
    { "empty file", NULL, "", "t.csv: cannot tell its format from the first bytes: say FILE:FORMAT with " NAMES },
    { "some other file", NULL, "hello\n",
      "t.csv: cannot tell its format from the first bytes: say FILE:FORMAT with " NAMES },
    { "two formats it may be", NULL, "duration,job_id,num_gpu,submit_time,num_inst\n",
      "t.csv: cannot tell its format from the first bytes: say FILE:FORMAT with " NAMES },
    { "no job", NULL, N "\n", "t.csv: want at least one job, got none" },
    { "no job but those that never ran", "swf", "1 0 -1 0 4 -1 -1 4 60 -1 5 1 1 -1 -1" SWF_END,
      "t.csv: want at least one job, got only 1 that never ran" },
    { "native: empty file", "native", "", "t.csv:1: want a header, got an empty file" },
    { "native: a column is missing", "native", "job_id,submit_s,gpus\na,0,1\n", "t.csv:1: want a column 'duration_s'" },
    { "native: unknown column", "native", N ",gpu_typ\n",
      "t.csv:1: unknown column 'gpu_typ': want one of job_id, submit_s, duration_s, gpus, gpus_per_task, tasks, "
      "min_tasks, "
      "cpus_per_task, mem_gib_per_task, gpu_milli, gpu_type, user, queue, class, priority, preemptible, estimate_s, "
      "deadline_s, status, topology, node_selector, affinity, tolerations, max_per_node, anti_affinity, gpu_mem_gib, mig, "
      "model, data_gib, depends_on, running_on, group, or a name that begins with x_" },
    { "native: a column twice", "native", N ",gpus\n", "t.csv:1: column 'gpus' is named twice" },
    { "native: too few cells", NULL, N "\na,0,1\n", "t.csv:2: want 4 cells as in the header, got 3" },
    { "native: no name", NULL, N "\n,0,1,1\n", "t.csv:2: job_id: want a value, got ''" },
    { "native: no submit time", NULL, N "\na,,1,1\n", "t.csv:2: submit_s: want a value, got ''" },
    { "native: no GPUs", NULL, N "\na,0,1,\n", "t.csv:2: gpus: want a value, got ''" },
    { "native: a time that is none", NULL, N "\na,0,1,1\nb,soon,1,1\n",
      "t.csv:3: submit_s: want a number of seconds, got 'soon'" },
    { "native: before time 0", NULL, N "\na,-1,1,1\n", "t.csv:2: submit_s: want seconds of at least 0, got '-1'" },
    { "native: negative duration", NULL, N "\na,0,-0.5,1\n",
      "t.csv:2: duration_s: want seconds of at least 0, got '-0.5'" },
    { "native: not a number", NULL, N "\na,0,nan,1\n", "t.csv:2: duration_s: want a number of seconds, got 'nan'" },
    { "native: too late", NULL, N "\na,1e9,2155760000,1\n",
      "t.csv:2: submit + duration: want from 0 to less than 100 years, got 3.15576e+09 s" },
    { "native: too long", NULL, N "\na,0,9e9,1\n",
      "t.csv:2: duration: want from 0 to less than 100 years, got 9e+09 s" },
    { "native: beyond the clock", NULL, N "\na,1e300,1,1\n",
      "t.csv:2: submit_s: want a number of seconds, got '1e300'" },
    { "native: estimate too long", NULL, N ",estimate_s\na,0,1,1,9e9\n",
      "t.csv:2: estimate: want from 0 to less than 100 years, got 9e+09 s" },
    { "native: one GPU and a half", NULL, N "\na,0,1,1.5\n", "t.csv:2: gpus: " A_GPU "'1.5'" },
    { "native: negative GPUs", NULL, N "\na,0,1,-1\n", "t.csv:2: gpus: " A_GPU "'-1'" },
    { "native: too many GPUs", NULL, N "\na,0,1,1000001\n", "t.csv:2: gpus: " A_GPU "'1000001'" },
    { "native: GPUs in words", NULL, N "\na,0,1,two\n", "t.csv:2: gpus: " A_GPU "'two'" },
    { "native: too small a share", NULL, N "\na,0,1,0.0004\n",
      "t.csv:2: gpus: want 0 or at least 0.001, got '0.0004'" },
    { "native: no multiple of tasks", NULL, N ",tasks\na,0,1,8,3\n",
      "t.csv:2: gpus: want a multiple of tasks (3), got 8" },
    { "native: a fraction over tasks", NULL, N ",tasks\na,0,1,0.5,2\n",
      "t.csv:2: gpus: want a whole number, as there are tasks, or gpus_per_task, got '0.5'" },
    { "native: no multiple of gpus_per_task", NULL, N ",gpus_per_task\na,0,1,8,3\n",
      "t.csv:2: gpus: want a multiple of gpus_per_task, got '8'" },
    { "native: GPUs but none for the tasks", NULL, N ",gpus_per_task\na,0,1,8,0\n",
      "t.csv:2: gpus: want a multiple of gpus_per_task, got '8'" },
    { "native: none but some for the tasks", NULL, N ",gpus_per_task\na,0,1,0,8\n",
      "t.csv:2: gpus: want a multiple of gpus_per_task, got '0'" },
    { "native: sizes disagree", NULL, N ",tasks,gpus_per_task\na,0,1,8,2,2\n",
      "t.csv:2: gpus: want tasks x gpus_per_task, got '8'" },
    { "native: too many tasks", NULL, N ",gpus_per_task\na,0,1,2000,0.001\n",
      "t.csv:2: gpus: want at most 1000000 tasks of gpus_per_task, got '2000'" },
    { "native: more at least than at all", NULL, N ",tasks,min_tasks\na,0,1,8,4,5\n",
      "t.csv:2: min_tasks: want at most as many as tasks (4), got 5" },
    { "native: min_tasks without tasks", NULL, N ",min_tasks\na,0,1,8,4\n",
      "t.csv:2: min_tasks: want at most as many as tasks (1), got 4" },
    { "native: no tasks", NULL, N ",tasks\na,0,1,8,0\n",
      "t.csv:2: tasks: want a whole number from 1 to 1000000, got '0'" },
    { "native: share beyond one", NULL, N ",gpu_milli\na,0,1,1,1001\n",
      "t.csv:2: gpu_milli: want a whole number from 0 to 1000, got '1001'" },
    { "native: shares disagree", NULL, N ",gpu_milli\na,0,1,0.5,250\n",
      "t.csv:2: gpu_milli: want the fraction in gpus, got '250'" },
    { "native: shares of tasks disagree", NULL, N ",gpus_per_task,gpu_milli\na,0,1,1,0.5,250\n",
      "t.csv:2: gpu_milli: want the fraction in gpus_per_task, got '250'" },
    { "native: no share of a GPU", NULL, N ",gpu_milli\na,0,1,1,0\n",
      "t.csv:2: gpu_milli: want at least 1, as there are GPUs, got '0'" },
    { "native: negative CPUs", NULL, N ",cpus_per_task\na,0,1,1,-1\n",
      "t.csv:2: cpus_per_task: want a number from 0 to 1000000, got '-1'" },
    { "native: memory in words", NULL, N ",mem_gib_per_task\na,0,1,1,64G\n",
      "t.csv:2: mem_gib_per_task: want a number from 0 to 1000000, got '64G'" },
    { "native: class", NULL, N ",class\na,0,1,1,train\n",
      "t.csv:2: class: want one of training, inference, interactive, batch, got 'train'" },
    { "native: preemptible", NULL, N ",preemptible\na,0,1,1,2\n",
      "t.csv:2: preemptible: want one of false, true, no, yes, 0, 1, got '2'" },
    { "native: status", NULL, N ",status\na,0,1,1,killed\n",
      "t.csv:2: status: want one of completed, failed, cancelled, got 'killed'" },
    { "native: priority", NULL, N ",priority\na,0,1,1,1.5\n",
      "t.csv:2: priority: want a whole number from -2147483648 to 2147483647, got '1.5'" },
    { "native: topology without a level", NULL, N ",topology\na,0,1,1,rack\n",
      "t.csv:2: topology: want required:LEVEL or preferred:LEVEL, LEVEL being one of island, node, rack, pod, cluster, "
      "got "
      "'rack'" },
    { "native: topology of no known level", NULL, N ",topology\na,0,1,1,required:row\n",
      "t.csv:2: topology: want required:LEVEL or preferred:LEVEL, LEVEL being one of island, node, rack, pod, cluster, "
      "got "
      "'required:row'" },
    { "native: depends on nobody", NULL, N ",depends_on\na,0,1,1,\nb,0,1,1,a;x\n",
      "t.csv:3: depends_on: no job has the job_id 'x'" },
    { "native: depends on an empty name", NULL, N ",depends_on\na,0,1,1,\nb,0,1,1,a;\n",
      "t.csv:3: depends_on: no job has the job_id ''" },
    { "native: depends on itself", NULL, N ",depends_on\na,0,1,1,a\n",
      "t.csv:2: depends_on: job 'a' would wait for itself" },
    { "native: depends on itself by way of others", NULL, N ",depends_on\na,5,1,1,b\nb,3,1,1,c\nc,1,1,1,d\nd,0,1,1,b\n",
      "t.csv:3: depends_on: job 'b' would wait for itself" },
    { "native: memory of a GPU in words", NULL, N ",gpu_mem_gib\na,0,1,1,big\n",
      "t.csv:2: gpu_mem_gib: want a number from 0 to 1000000, got 'big'" },
    { "native: a column of later", NULL, N ",mig\na,0,1,1,\nb,0,1,1,1g.5gb\n",
      "t.csv:3: column 'mig' is not supported yet" },
    { "native: gpu_type", NULL, N ",gpu_type\na,0,1,1,V100||A100\n",
      "t.csv:2: gpu_type: want names with '|' between them, got 'V100||A100'" },
    { "native: a name twice", NULL, N "\n1,0,1,1\n2,0,1,1\n1,0,1,1\n",
      "t.csv:4: job_id: '1' was used before, on line 2" },
    { "native: a word twice", NULL, N "\na,0,1,1\nb,0,1,1\nb,0,1,1\n",
      "t.csv:4: job_id: 'b' was used before, on line 3" },
    { "native: a name twice, a blank line before", NULL, N "\na,0,1,1\n\nb,0,1,1\na,0,1,1\n",
      "t.csv:5: job_id: 'a' was used before" },
    { "native: an open quote", NULL, N "\n\"a,0,1,1\n", "t.csv:2: a quote opens here and is never closed" },
    { "philly: 31 November", NULL, PHILLY "2017-11-31 00:00:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-11-31 00:00:00'" },
    { "philly: 29 February of no leap year", NULL, PHILLY "2017-02-29 00:00:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-02-29 00:00:00'" },
    { "philly: month 13", NULL, PHILLY "2017-13-01 00:00:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-13-01 00:00:00'" },
    { "philly: month 0", NULL, PHILLY "2017-00-01 00:00:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-00-01 00:00:00'" },
    { "philly: day 0", NULL, PHILLY "2017-12-00 00:00:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-12-00 00:00:00'" },
    { "philly: hour 24", NULL, PHILLY "2017-12-01 24:00:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-12-01 24:00:00'" },
    { "philly: minute 60", NULL, PHILLY "2017-12-01 23:60:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-12-01 23:60:00'" },
    { "philly: second 60", NULL, PHILLY "2017-12-01 23:00:60,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-12-01 23:00:60'" },
    { "philly: 1969", NULL, PHILLY "1969-12-31 00:00:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'1969-12-31 00:00:00'" },
    { "philly: a T between", NULL, PHILLY "2017-12-01T23:00:00,1,1,1,a\n",
      "t.csv:2: timestamp: " A_TIME "'2017-12-01T23:00:00'" },
    { "philly: no time", NULL, PHILLY ",1,1,1,a\n", "t.csv:2: timestamp: " A_TIME "''" },
    { "philly: no duration", NULL, PHILLY "2017-12-01 23:00:00,,1,1,a\n", "t.csv:2: duration: want a value, got ''" },
    { "philly: no cluster column", "philly-csv", "timestamp,duration,num_gpus\n", "t.csv:1: want a column 'cluster'" },
    { "helios-sim: no name", NULL, HELIOS ",a,1,0,1\n", "t.csv:2: jobname: want a value, got ''" },
    { "helios-sim: GPUs", NULL, HELIOS "j,a,x,0,1\n", "t.csv:2: gpu_num: " A_GPU "'x'" },
    { "helios-sim: time", NULL, HELIOS "j,a,1,0,1\nk,a,1,,1\n", "t.csv:3: submit_time: want a value, got ''" },
    { "helios-sim: another's header", "helios-sim", N "\n", "t.csv:1: want a column 'jobname'" },
    { "tiresias: negative time", "tiresias", "job_id,num_gpu,submit_time,duration\n0,1,-5,1\n",
      "t.csv:2: submit_time: want seconds of at least 0, got '-5'" },
    { "tiresias: name twice", "tiresias", "job_id,num_gpu,submit_time,duration\n7,1,0,1\n7,1,0,1\n",
      "t.csv:3: job_id: '7' was used before, on line 2" },
    { "pai-sim: no instance", "pai-sim", PAI "0,0,1,4,0,1\n",
      "t.csv:2: num_inst: want a whole number from 1 to 1000000, got '0'" },
    { "pai-sim: one GPU and a half", "pai-sim", PAI "0,1,1.5,4,0,1\n", "t.csv:2: num_gpu: " A_GPU "'1.5'" },
    { "pai-sim: too many GPUs in all", "pai-sim", PAI "0,1000000,2,4,0,1\n",
      "t.csv:2: num_inst: want num_inst x num_gpu of at most 1000000, got '1000000'" },
    { "pai-sim: CPUs", "pai-sim", PAI "0,1,1,many,0,1\n",
      "t.csv:2: num_cpu: want a number from 0 to 1000000, got 'many'" },
    { "swf: too few fields", "swf", "; c\n1 0 -1 9\n", "t.csv:2: want 18 fields, got 4" },
    { "swf: submit unknown", "swf", "1 -1 -1 9 1 -1 -1 1 -1 -1 1 1 1 -1 -1" SWF_END,
      "t.csv:1: submit: want from 0 to less than 100 years, got -1 s" },
    { "swf: a word", "swf", "1 0 -1 nine 1 -1 -1 1 -1 -1 1 1 1 -1 -1" SWF_END,
      "t.csv:1: run time: want a number of seconds, got 'nine'" },
    { "swf: a word in a row left out", "swf", "1 0 -1 0 1 -1 -1 one -1 -1 1 1 1 -1 -1" SWF_END,
      "t.csv:1: processors requested: want a whole number from -1 to 100000000, got 'one'" },
    { "swf: status", "swf", "1 0 -1 9 1 -1 -1 1 -1 -1 6 1 1 -1 -1" SWF_END,
      "t.csv:1: status: want a whole number from -1 to 5, got '6'" },
    { "swf: a job twice", "swf",
      "1 0 -1 9 1 -1 -1 1 -1 -1 1 1 1 -1 -1" SWF_END "1 0 -1 9 1 -1 -1 1 -1 -1 1 1 1 -1 -1" SWF_END,
      "t.csv:2: job_id: '1' was used before, on line 1" },
};

static void refused(void **state)
{
    const struct sample *s = *state;
    const struct trace_format *used = NULL;
    struct error err = { "" };
    assert_null(read_text(s->text, strlen(s->text), s->format, &used, &err));
    assert_string_equal(err.text, s->error);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, refused, bad);
    return run_in_directory(tests, n);
}
