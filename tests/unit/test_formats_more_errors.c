/* test_formats_more_errors.c - the formats with dates, attempts, deadlines and pods: small traces with one thing wrong,
 * and the message that tells it. */
#include "tests/unit/bad_text.h"

/* clang-format off */
#define HELIOS  "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
#define H_TIMES "2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-09 18:41:02,1,0\n"
#define ACME    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue\n"
#define OPENB   "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time," \
                "scheduled_time\n"
#define DLRM    "instance_sn,app_name,cpu_request,gpu_request,memory_request,creation_time,scheduled_time,deletion_time\n"
#define FLOW    "job_id,submit_time,ddl,num_gpu,duration\n"
#define CHRONUS "job_id,user,num_gpu,submit_time,duration,expect_time_list,job_type\n"
#define A_TIME  "want a time from 1970 to 2069 like 2017-10-09 07:01:55, got "
#define OR_NONE "want a time from 1970 to 2069 like 2017-10-09 07:01:55, or None"
#define MINUTES "want minutes from 0 to 52560000, got "
#define PAIR(key, value) "\"" key "\": " value
#define RAN     PAIR("attempts", "[{" PAIR("start_time", "\"2017-10-07 00:00:00\"") "," \
                PAIR("end_time", "\"2017-10-07 00:00:01\"") "," PAIR("detail", "[{\"gpus\": [\"gpu0\"]}]") "}]")
#define STATUS  PAIR("status", "\"Pass\"")
#define ID      PAIR("jobid", "\"a\"")
#define SUBMIT  PAIR("submitted_time", "\"2017-10-07 00:00:00\"")
#define ATTEMPT(inside) "[{" STATUS "," ID "," SUBMIT ",\n" PAIR("attempts", "[{" inside "}]") "}]"

static const struct sample bad[] = {
    { "helios: no vc", "helios", "job_id,gpu_num,state,submit_time,start_time,duration\n", "t.csv:1: want a column 'vc'" },
    { "helios: a state", NULL, HELIOS "1,u,v,1,1,1,SUSPENDED," H_TIMES,
      "t.csv:2: state: want one of COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, got 'SUSPENDED'" },
    { "helios: no submit time", NULL, HELIOS "1,u,v,1,1,1,FAILED,,2020-06-09 18:41:01,,1,0\n",
      "t.csv:2: submit_time: " A_TIME "''" },
    { "helios: a start that is none", NULL, HELIOS "1,u,v,1,1,1,FAILED,2020-06-09 18:41:01,soon,,1,0\n",
      "t.csv:2: start_time: " A_TIME "'soon'" },
    { "helios: no duration", NULL, HELIOS "1,u,v,1,1,1,FAILED,2020-06-09 18:41:01,2020-06-09 18:41:01,,,0\n",
      "t.csv:2: duration: want a value, got ''" },
    { "helios: CPUs", NULL, HELIOS "1,u,v,1,many,1,FAILED," H_TIMES,
      "t.csv:2: cpu_num: want a number from 0 to 1000000, got 'many'" },
    { "helios: nodes", NULL, HELIOS "1,u,v,1,1,0,FAILED," H_TIMES,
      "t.csv:2: node_num: want a number from 1 to 1000000, got '0'" },
    { "helios: a job twice", NULL, HELIOS "1,u,v,1,1,1,FAILED," H_TIMES "1,u,v,1,1,1,FAILED," H_TIMES,
      "t.csv:3: job_id: '1' was used before, on line 2" },
    { "helios: none started", NULL, HELIOS "1,u,v,1,1,1,FAILED,2020-06-09 18:41:01,,,,\n",
      "t.csv: want at least one job, got only 1 that never ran" },
    { "acme: it ended before it began", NULL, ACME "1,u,1,1,1,Other,FAILED,2023-03-01 00:00:00+08:00,"
      "2023-03-01 00:00:00+08:00,2023-03-01 00:00:00+09:00,1,0\n",
      "t.csv:2: end_time: want a time after start_time, got '2023-03-01 00:00:00+09:00'" },
    { "acme: a zone of 15 hours", NULL, ACME "1,u,1,1,1,Other,FAILED,2023-03-01 00:00:00+15:00,,,1,0\n",
      "t.csv:2: submit_time: " A_TIME "'2023-03-01 00:00:00+15:00'" },
    { "acme: a zone without minutes", NULL, ACME "1,u,1,1,1,Other,FAILED,2023-03-01 00:00:00+08,,,1,0\n",
      "t.csv:2: submit_time: " A_TIME "'2023-03-01 00:00:00+08'" },
    { "acme: 60 minutes", NULL, ACME "1,u,1,1,1,Other,FAILED,2023-03-01 00:00:00+08:60,,,1,0\n",
      "t.csv:2: submit_time: " A_TIME "'2023-03-01 00:00:00+08:60'" },
    { "acme: Z", NULL, ACME "1,u,1,1,1,Other,FAILED,2023-03-01 00:00:00Z,,,1,0\n",
      "t.csv:2: submit_time: " A_TIME "'2023-03-01 00:00:00Z'" },
    { "openb: no times at all", NULL, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,1000\n",
      "t.csv:1: want a column 'creation_time'" },
    { "openb: no scheduled_time", "openb", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time\n",
      "t.csv:1: want a column 'scheduled_time'" },
    { "openb: a share of more than one", NULL, OPENB "a,1,1,1,1001,,LS,Running,0,9,0\n",
      "t.csv:2: gpu_milli: want a whole number from 1 to 1000, got '1001'" },
    { "openb: no share", NULL, OPENB "a,1,1,1,,,LS,Running,0,9,0\n", "t.csv:2: gpu_milli: want a value, got ''" },
    { "openb: half a GPU", NULL, OPENB "a,1,1,0.5,500,,LS,Running,0,9,0\n",
      "t.csv:2: num_gpu: want a whole number from 0 to 1000000, got '0.5'" },
    { "openb: no number of GPUs", NULL, OPENB "a,1,1,,500,,LS,Running,0,9,0\n", "t.csv:2: num_gpu: want a value, got ''" },
    { "openb: memory", NULL, OPENB "a,1,-1,1,500,,LS,Running,0,9,0\n",
      "t.csv:2: memory_mib: want a whole number from 0 to 1024000000, got '-1'" },
    { "openb: qos", NULL, OPENB "a,1,1,1,500,,SLA,Running,0,9,0\n",
      "t.csv:2: qos: want one of LS, BE, Burstable, Guaranteed, got 'SLA'" },
    { "openb: phase of a pod left out", NULL, OPENB "a,1,1,1,500,,LS,Waiting,0,9,\n",
      "t.csv:2: pod_phase: want one of Pending, Running, Succeeded, Failed, Unknown, got 'Waiting'" },
    { "openb: deleted first", NULL, OPENB "a,1,1,1,500,,LS,Running,0,9,10\n",
      "t.csv:2: deletion_time: want at least scheduled_time, got '9'" },
    { "openb: not deleted", NULL, OPENB "a,1,1,1,500,,LS,Running,0,,10\n", "t.csv:2: deletion_time: want a value, got ''" },
    { "openb: models", NULL, OPENB "a,1,1,1,500,G2|,LS,Running,0,11,10\n",
      "t.csv:2: gpu_type: want names with '|' between them, got 'G2|'" },
    { "dlrm: deleted first", NULL, DLRM "i,a,1,1,1,5,6,4\n",
      "t.csv:2: deletion_time: want at least scheduled_time, within 31 days, got '4'" },
    { "dlrm: beyond the window", NULL, DLRM "i,a,1,1,1,5,2678401,\n",
      "t.csv:2: deletion_time: want at least scheduled_time, within 31 days, got ''" },
    { "dlrm: memory", NULL, DLRM "i,a,1,1,much,5,6,7\n",
      "t.csv:2: memory_request: want a number from 0 to 1000000, got 'much'" },
    { "elasticflow: no deadline", NULL, FLOW "0,0,,1,1\n", "t.csv:2: ddl: want a value, got ''" },
    { "elasticflow: a deadline in 317 years", NULL, FLOW "0,0,9e9,1,1\n",
      "t.csv:2: deadline: want from 0 to less than 100 years, got 9e+09 s" },
    { "chronus: type", NULL, CHRONUS "0,v,1,0,1,5,hard\n", "t.csv:2: job_type: want one of strict, soft, best, got 'hard'" },
    { "chronus: no expectation", NULL, CHRONUS "0,v,1,0,1,,strict\n", "t.csv:2: expect_time_list: " MINUTES "''" },
    { "chronus: a negative one", NULL, CHRONUS "0,v,1,0,1,-5,soft\n", "t.csv:2: expect_time_list: " MINUTES "'-5'" },
    { "chronus: submit time", NULL, CHRONUS "0,v,1,,1,5,soft\n", "t.csv:2: submit_time: " MINUTES "''" },
    { "chronus: too long", NULL, CHRONUS "0,v,1,1,52560001,5,soft\n", "t.csv:2: duration: " MINUTES "'52560001'" },
    { "philly: no array", "philly", "{}", "t.csv:1: want a JSON array, [ ... ]" },
    { "philly: empty", "philly", "", "t.csv:1: want a JSON array, [ ... ]" },
    { "philly: an empty array", "philly", " [\n]\n", "t.csv: want at least one job, got none" },
    { "philly: text behind it", "philly", "[]\n x", "t.csv:2: want nothing behind the array" },
    { "philly: a number in it", "philly", "[\n\n1]", "t.csv:3: want an object, { ... }" },
    { "philly: nothing behind the comma", "philly", "[{" STATUS "," ID "," SUBMIT "," RAN "},\n]",
      "t.csv:2: want an object, { ... }" },
    { "philly: no comma", "philly", "[{" STATUS "," ID "," SUBMIT "," RAN "}\n{", "t.csv:2: want ',' or ']' behind the object" },
    { "philly: cut off behind a job", "philly", "[{" STATUS "," ID "," SUBMIT "," RAN "}",
      "t.csv:1: want ',' or ']' behind the object" },
    { "philly: cut off in a job", NULL, "[\n{" STATUS ",\n", "t.csv:3: string or '}' expected near end of file" },
    { "philly: no JSON", NULL, "[\n{" STATUS ",\n" ID ", oops}]", "t.csv:3: string or '}' expected near 'oops'" },
    { "philly: a key twice", NULL, "[{" STATUS ",\n" STATUS "}]", "t.csv:2: duplicate object key near '\"status\"'" },
    { "philly: no name", NULL, "[\n{" STATUS "," SUBMIT "," RAN "}]", "t.csv:2: jobid: want a text" },
    { "philly: an empty name", NULL, "[{" STATUS "," SUBMIT "," RAN ", \"jobid\": \"\"}]",
      "t.csv:1: jobid: want a text that is not empty" },
    { "philly: a vc of 7", NULL, "[{" STATUS "," ID "," SUBMIT "," RAN ", \"vc\": 7}]", "t.csv:1: vc: want a text" },
    { "philly: status", NULL, "[{\"status\": \"Done\"," ID "," SUBMIT "," RAN "}]",
      "t.csv:1: status: want one of Pass, Failed, Killed" },
    { "philly: no status", NULL, "[{" ID "," SUBMIT "," RAN "}]", "t.csv:1: status: want one of Pass, Failed, Killed" },
    { "philly: no attempts at all", NULL, "[{" STATUS "," ID "," SUBMIT "}]", "t.csv:1: attempts: want a list" },
    { "philly: an attempt without detail", NULL, ATTEMPT(""), "t.csv:1: detail: want a list" },
    { "philly: a node without GPUs", NULL, ATTEMPT("\"detail\": [{}]"), "t.csv:1: gpus: want a list" },
    { "philly: a start that is none", NULL, ATTEMPT("\"start_time\": \"soon\", \"detail\": []"),
      "t.csv:1: start_time: " OR_NONE },
    { "philly: an end that is a number", NULL, ATTEMPT("\"end_time\": 7, \"detail\": []"), "t.csv:1: end_time: " OR_NONE },
    { "philly: an end before the start", NULL,
      ATTEMPT("\"start_time\": \"2017-10-07 00:00:01\", \"end_time\": \"2017-10-07 00:00:00\", \"detail\": []"),
      "t.csv:1: end_time: want a time after start_time" },
    { "philly: it ran, but was not submitted", NULL, "[{" STATUS "," ID "," RAN "}]",
      "t.csv:1: submitted_time: want a time, as the job ran" },
    { "philly: a job twice", NULL, "[{" STATUS "," ID "," SUBMIT "," RAN "},\n{" STATUS "," ID "," SUBMIT "," RAN "}]",
      "t.csv:2: job_id: 'a' was used before, on line 1" },
};
/* clang-format on */

/* Texts of `length` bytes between the two, in a job: what is too long is refused, what is deep is not followed. */
static void long_jobs(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after, *error;
        char fill;
        size_t length;
    } around[] = {
        { "[{" STATUS "," ID "," SUBMIT "," RAN ",\"x\": \"", "\"}]", "", 'x', (size_t)15 << 20 },
        { "[{" STATUS ",\n\"x\": \"", "\"}]", "t.csv:1: want items of at most 16 MiB", 'x', (size_t)17 << 20 },
        { "[{" STATUS ",\n\"x\": ", "}]", "t.csv:2: maximum parsing depth reached near '['", '[', 10000 },
        { "", "", "t.csv:1: want an object, { ... }", '[', 100000 },
    };
    char *text = malloc(((size_t)17 << 20) + 1000);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(around); i++) {
        size_t n = strlen(around[i].before), m = strlen(around[i].after), length = around[i].length;
        memcpy(text, around[i].before, n);
        memset(text + n, around[i].fill, length);
        memcpy(text + n + length, around[i].after, m);
        struct error err = { "" };
        const struct trace_format *used;
        struct workload *w = read_text(text, n + length + m, "philly", &used, &err);
        assert_string_equal(err.text, around[i].error);
        assert_int_equal(w != NULL, !*around[i].error);
        workload_free(w);
    }
    free(text);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, refused, bad);
    ADD_TEST(tests, n, long_jobs);
    return run_in_directory(tests, n);
}
