/* test_request_layouts.c - recorded requests: each layout from a text, what is refused, and the public ones whole. */
#include "tests/serving/served.h"
#include "tests/unit/read_shared.h"
#include "traces/requests/requests.h"

#include <string.h>

static int read_list(const char *text, const char *layout, struct request_list *l, struct error *err)
{
    char sha256[65] = "";
    FILE *f = fopen("r.csv", "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
    int result = requests_read("r.csv", layout ? request_format_find(layout) : NULL, l, sha256, err);
    assert_int_equal(strlen(sha256), result == 0 ? 64 : 0);
    return result;
}

static const struct layout_row {
    const char *name, *text;
    size_t n, left_out;
    struct recorded_request second;
    bool has_tokens, has_service;
} layouts[] = {
    { "azure-llm", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n", 2, 0,
      { 52000000, -1, 3180, 8, 0, 0, 0, 0 }, true, false },
    { "azure-llm of 2024", "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00+00:00,0,10\n2024-05-10 01:00:00.5+01:00,3,8\n", 2, 0,
      { 500000000, -1, 3, 8, 0, 0, 0, 0 }, true, false },
    { "mooncake",
      "{\"timestamp\": 10, \"input_length\": 6758, \"output_length\": 500, \"hash_ids\": [0, 1]}\n{\"timestamp\": 3010, \"input_length\": 700, "
      "\"output_length\": 4, \"hash_ids\": [0, 2]}\n",
      2, 0, { 3000000000, -1, 700, 4, 2, 2, 0, 0 }, true, false },
    { "burstgpt",
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n"
      "6,ChatGPT,300,0,300,API log\n45,GPT-4,1087,230,1317,Conversation log\n",
      2, 1, { 40000000000, -1, 1087, 230, 0, 0, 0, 2 }, true, false },
    { "burstgpt with the time it took",
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,a,1.5,GPT-4,1,2,3,API log\n"
      "6.25,b,2.75,GPT-4,4,5,9,API log\n",
      2, 0, { 1250000000, 2750000000, 4, 5, 0, 0, 0, 1 }, true, true },
    { "genai",
      "gmt_create,predict_type,predict_status,exec_time_seconds,groupId\n2024-11-15 16:57:50,TXT_2_IMG,SUCCEED,32.0,G0\n"
      "2024-11-15 16:57:55,TXT_2_IMG,PENDING,0.0,G0\n2024-11-15 18:57:50,IMG_2_IMG,FAILED,43.5,G1\n",
      2, 1, { INT64_C(7200000000000), 43500000000, 0, 0, 0, 0, 0, 0 }, false, true },
    { "plain", "time_s\n3\n4.5\n", 2, 0, { 1500000000, -1, 0, 0, 0, 0, 0, 0 }, false, false },
    { "plain, with all there is, out of order", "time_s,prompt_tokens,output_tokens,service_s,adapter,model\n4,7,8,.25,3,big\n3,5,6,.125,,small\n", 2, 0,
      { 1000000000, 250000000, 7, 8, 0, 0, 3, 1 }, true, true },
};

static void layout_read(void **state)
{
    const struct layout_row *r = *state;
    struct request_list l;
    struct error err = { "" };
    int result = read_list(r->text, NULL, &l, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
    assert_int_equal(l.n, r->n);
    assert_int_equal(l.n_left_out, r->left_out);
    assert_int_equal(l.request[0].time_ns, 0);
    const struct recorded_request *got = &l.request[1], *want = &r->second;
    assert_true(got->time_ns == want->time_ns && got->service_ns == want->service_ns);
    assert_true(got->prompt_tokens == want->prompt_tokens && got->output_tokens == want->output_tokens);
    assert_true(got->first_id == want->first_id && got->n_ids == want->n_ids && got->adapter == want->adapter);
    assert_true(got->model == want->model && l.has_models == (want->model > 0));
    assert_int_equal(l.has_tokens, r->has_tokens);
    assert_int_equal(l.has_service, r->has_service);
    request_list_free(&l);
}

static const struct refused_row { const char *name, *layout, *text, *error; } refusals[] = {
    { "no layout", NULL, "when,what\n1,2\n",
      "r.csv: cannot tell its layout from the first bytes: want one of azure-llm, mooncake, burstgpt, genai, plain" },
    { "no column", "azure-llm", "TIMESTAMP,ContextTokens\n", "r.csv:1: want a column 'GeneratedTokens'" },
    { "no date", NULL, "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.,4808,10\n",
      "r.csv:2: TIMESTAMP: want a time from 1970 to 2069 like 2017-10-09 07:01:55, got '2023-11-16 18:17:03.'" },
    { "no tokens", NULL, "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97,-1,10\n",
      "r.csv:2: ContextTokens: want a whole number from 0 to 10000000, got '-1'" },
    { "an empty cell", NULL, "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,,18,490,x\n",
      "r.csv:2: Request tokens: want a value, got ''" },
    { "no state", NULL, "gmt_create,predict_status,exec_time_seconds\n2024-11-15 16:57:50,DONE,1\n",
      "r.csv:2: predict_status: want one of SUCCEED, FAILED, PENDING, PROCESSING, got 'DONE'" },
    { "half a token", NULL, "{\"timestamp\": 0, \"input_length\": 6, \"output_length\": 4}\n{\"timestamp\": 1, \"input_length\": 6.5, \"output_length\": 4}\n",
      "r.csv:2: input_length: want a whole number from 0 to 10000000" },
    { "no object", "mooncake", "[1]\n", "r.csv:1: want an object, { ... }" },
    { "ids that are no list", "mooncake", "{\"timestamp\": 0, \"input_length\": 7, \"output_length\": 4, \"hash_ids\": 3}\n",
      "r.csv:1: hash_ids: want a list of at most 1 whole numbers" },
    { "more ids than blocks", "mooncake", "{\"timestamp\": 0, \"input_length\": 512, \"output_length\": 4, \"hash_ids\": [3, 4]}\n",
      "r.csv:1: hash_ids: want a list of at most 1 whole numbers" },
    { "an id that is no number", "mooncake", "{\"timestamp\": 0, \"input_length\": 7, \"output_length\": 4, \"hash_ids\": [\"a\"]}\n",
      "r.csv:1: hash_ids: want whole numbers" },
    { "no JSON", "mooncake", "{\"timestamp\": 0,\n", "r.csv:2: string or '}' expected near end of file" },
    { "nothing served", NULL, "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,1,0,1,x\n",
      "r.csv: want at least one request that was served, got none" },
    { "nothing", NULL, "", "r.csv: cannot tell its layout from the first bytes: want one of azure-llm, mooncake, burstgpt, genai, plain" },
};

static void layout_refused(void **state)
{
    const struct refused_row *r = *state;
    struct request_list l;
    struct error err = { "" };
    assert_int_equal(read_list(r->text, r->layout, &l, &err), -1);
    assert_string_equal(err.text, r->error);
    request_list_free(&l);
}

/* Counts, means and spans: README of the shared traces. Mooncake's last timestamps 3536999 and 1022025 ms, from 0. */
static const struct public_row {
    const char *name, *path, *layout;
    size_t n, left_out;
    double prompt, output, service_s, span_s;      /* 0: not looked at */
} public_lists[] = {
    { "azure code", "azure-llm-2023/AzureLLMInferenceTrace_code.csv.zst", "azure-llm", 8819, 0, 2048, 27.9, 0, 0 },
    { "azure conv", "azure-llm-2023/AzureLLMInferenceTrace_conv.csv.zst", "azure-llm", 19366, 0, 1155, 211, 0, 0 },
    { "mooncake conversation", "mooncake/conversation_trace.jsonl.zst", "mooncake", 12031, 0, 12035, 343, 0, 3536.999 },
    { "mooncake synthetic", "mooncake/synthetic_trace.jsonl.zst", "mooncake", 3993, 0, 15325.48, 149.12, 0, 1022.025 },
    /* of what was done, 16:57:50 on 15 November to 17:33:45 on 8 December: 23 days and 2155 s */
    { "genai", "alibaba-genai-v2026/lora_request_trace.csv.zst", "genai", 26392 + 398, 33, 0, 0, 28.7, 23 * 86400 + 2155 },
};

static void within_half_a_digit(double got, double want, double half)
{
    if (want != 0 && !(fabs(got - want) <= half))
        fail_msg("want %g, got %g", want, got);
}

static void read_public(const char *path, const char *layout, struct request_list *l)
{
    char whole[1024], sha256[65];
    struct error err = { "" };
    int result = requests_read(shared_path(whole, path), layout ? request_format_find(layout) : NULL, l, sha256, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
}

/* Read, and served by enough replicas of an A100 to the end: every request ends, with one seed as with another. */
static void public_list(void **state)
{
    const struct public_row *r = *state;
    struct request_list l, again;
    read_public(r->path, NULL, &l);
    read_public(r->path, r->layout, &again);
    assert_int_equal(l.n, again.n);
    assert_memory_equal(l.request, again.request, l.n * sizeof *l.request);
    request_list_free(&again);
    assert_int_equal(l.n, r->n);
    assert_int_equal(l.n_left_out, r->left_out);
    double prompt = 0, output = 0, service_s = 0, n = (double)l.n;
    for (size_t i = 0; i < l.n; i++) {
        assert_true(i == 0 || l.request[i].time_ns >= l.request[i - 1].time_ns);
        prompt += l.request[i].prompt_tokens / n;
        output += l.request[i].output_tokens / n;
        service_s += seconds(l.request[i].service_ns) / n;
    }
    within_half_a_digit(prompt, r->prompt, .5);
    within_half_a_digit(output, r->output, r->output < 100 ? .05 : .5);
    within_half_a_digit(service_s, r->service_s, .05);
    within_half_a_digit(seconds(l.request[l.n - 1].time_ns), r->span_s, 0);
    struct service s = service_default();
    s.name = r->name;
    s.demand.replay = &l;
    s.time.kind = l.has_service ? TIME_RECORDED : TIME_LLM;
    s.timeout_s = INFINITY;
    for (int mode = SERVICE_FLUID; mode <= SERVICE_REQUESTS; mode++) {
        s.mode = (enum service_mode)mode;
        struct serving *v = serving_with(&s, 1, 30, 1);
        serving_advance(v, l.request[l.n - 1].time_ns + 100000 * NS_PER_S);
        struct serving_figures f = serving_total(v);
        assert_near(f.arrived, n, 1e-9);
        assert_near(f.served, n, 1e-9);
        if (s.time.kind == TIME_LLM && mode == SERVICE_REQUESTS)
            assert_near(f.output_tokens, output * n, 1e-9);
        print_message("%s, %s: latency mean %.3f s, p99 %.3f s\n", r->name, mode ? "requests" : "fluid", f.latency.mean_s, f.latency.p99_s);
        serving_free(v);
    }
    request_list_free(&l);
}

/* models.md 4.1, the two Azure traces: rate, CV of gaps, IDC(10 s), quantiles of tokens. */
static const struct azure_row {
    const char *name, *path;
    double rate, cv, half_cv, idc, half_idc;
    double tokens[8];             /* p10, p50, p90, p99 of the prompt, then of the output */
} azures[] = {
    { "statistics of code", "azure-llm-2023/AzureLLMInferenceTrace_code.csv.zst", 2.566, 13.15, .005, 71.6, .05,
      { 147, 1469, 5194, 7436, 7, 13, 55, 252 } },
    { "statistics of conv", "azure-llm-2023/AzureLLMInferenceTrace_conv.csv.zst", 5.530, 1.094, .0005, 3.86, .005,
      { 207, 1020, 2735, 4142, 54, 129, 424, 601 } },         /* models.md has 55, but 1972 of the 19366 have at most 54 */
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void azure_statistics(void **state)
{
    const struct azure_row *r = *state;
    static double x[20000];
    const double p[] = { .1, .5, .9, .99 };
    struct request_list l;
    read_public(r->path, NULL, &l);
    within_half_a_digit((double)(l.n - 1) / seconds(l.request[l.n - 1].time_ns), r->rate, .0015);
    within_half_a_digit(sqrt(request_list_gap_c2(&l)), r->cv, r->half_cv);
    print_message("IDC(10 s) %.4f, CV %.5f\n", request_list_dispersion(&l, 10), sqrt(request_list_gap_c2(&l)));
    within_half_a_digit(request_list_dispersion(&l, 10), r->idc, r->half_idc);
    for (size_t k = 0; k < 8; k++) {
        for (size_t i = 0; i < l.n; i++)
            x[i] = k < 4 ? l.request[i].prompt_tokens : l.request[i].output_tokens;
        qsort(x, l.n, sizeof *x, by_value);
        assert_near(x[(size_t)ceil(p[k % 4] * (double)l.n) - 1], r->tokens[k], 0);
    }
    request_list_free(&l);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    char directory[] = "/tmp/gpuyard-test-XXXXXX", here[1024], shared[2048];
    size_t n = 0;
    ADD_ROWS(tests, n, layout_read, layouts);
    ADD_ROWS(tests, n, layout_refused, refusals);
    ADD_ROWS(tests, n, public_list, public_lists);
    ADD_ROWS(tests, n, azure_statistics, azures);
    if (!getenv("GPUYARD_SHARED") && getcwd(here, sizeof here)) {       /* it is relative to here, and here is left */
        snprintf(shared, sizeof shared, "%s/../shared", here);
        setenv("GPUYARD_SHARED", shared, 1);
    }
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink("r.csv");
    rmdir(directory);
    return failed != 0;
}
