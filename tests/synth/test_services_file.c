/* test_services_file.c - services of a workload file: what is read, and what is said of what is wrong. */
#include "sim/serving/deployment.h"
#include "tests/synth/workload_text.h"

#define TOP  "workload: w\nspan_s: 3600\nservices:\n"
#define ONE(more) TOP "  - name: s\n    requests: { rate_per_s: 10 }\n    service_time: { law: exponential, mean_s: 0.1 }\n" more
#define OF(requests, time) TOP "  - { name: s, requests: { " requests " }, service_time: { " time " } }\n"
#define TOKENS "prompt_tokens: { law: fixed, value_s: 9 }, output_tokens: { law: fixed, value_s: 9 }"
#define RATE "rate_per_s: 1"
#define LAW  "law: exponential, mean_s: 0.1"
#define ADAPTERS(text) \
    OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, adapters: { " text " } } }, mode: requests, slo: { share: .9")
#define SEVERAL(text) OF(RATE ", " TOKENS, "llm: { gpu: A100-SXM4-80, " text " } }, mode: requests, slo: { share: .9")
#define TWO "models: [ { model: llama-3.1-8b }, { model: opt-13b } ]"
#define SCALED(text) ONE("    replicas: { min: 0, max: 9 }\n    autoscaler: { " text " }\n")

static const struct row { const char *name, *text, *error; } rows[] = {
    { "good", ONE(""), "" },
    { "none", "workload: w\nservices: []\n", "w.yaml:2:11: services: want from 1 to 10000, got 0" },
    { "no name", TOP "  - { requests: { " RATE " }, service_time: { " LAW " } }\n", "w.yaml:4:5: key 'name' is missing" },
    { "twice", ONE("  - { name: s, requests: { " RATE " }, service_time: { " LAW " } }\n"), "w.yaml:7:13: name: 's' is there twice" },
    { "no time", TOP "  - { name: s, requests: { " RATE " } }\n", "w.yaml:4:5: key 'service_time' is missing" },
    { "unknown key", ONE("    replica: 3\n"),
      "w.yaml:7:5: unknown key 'replica': want one of name, queue, user, priority, preemptible, model, gpu_types, gpus, mig, tasks, cpus, "
      "memory_gib, gpu_mem_mib, used_mem_mib, speeds, replicas, requests, service_time, slo, autoscaler, start_up, start_s, depends_on, end_s, mode, "
      "interval_s, dispatch, lost_requests, timeout_s, did you mean 'replicas'?" },
    { "gpus: one and a half", ONE("    gpus: 1.5\n"), "w.yaml:7:11: gpus: want whole GPUs, or a fraction below one" },
    { "tasks: no multiple", ONE("    gpus: 8\n    tasks: 3\n"), "w.yaml:8:12: tasks: want gpus to be a multiple of them, got 8 of 3" },
    { "mig: no profile", ONE("    mig: half\n"), "w.yaml:7:10: mig: want a MIG profile like 1g.10gb, got 'half'" },
    { "mig: a share", ONE("    mig: 1g.10gb\n    gpus: 0.5\n"), "w.yaml:7:10: mig: want whole instances, as gpus says how many" },
    { "replicas: more than most", ONE("    replicas: { min: 3, max: 2 }\n"), "w.yaml:7:15: replicas: want min <= initial <= max, got 3, 3, 2" },
    { "replicas: initial", ONE("    replicas: { min: 1, max: 2, initial: 3 }\n"), "w.yaml:7:15: replicas: want min <= initial <= max, got 1, 3, 2" },
    { "end before start", ONE("    start_s: 20\n    end_s: 20\n"), "w.yaml:4:5: want an end behind its start" },
    { "mode", ONE("    mode: exact\n"), "w.yaml:7:11: mode: want one of fluid, requests, got 'exact'" },
    { "pull: cached takes longer", ONE("    start_up: { pull_s: 10 }\n"), "w.yaml:7:15: start_up: want a pull_cached_s of at most pull_s" },

    { "requests: nothing", OF("gap_c2: 1", LAW), "w.yaml:4:26: requests: want either a 'rate_per_s' or a 'trace'" },
    { "requests: both", OF(RATE ", trace: x", LAW), "w.yaml:4:26: requests: want either a 'rate_per_s' or a 'trace'" },
    { "requests: scaled laws", OF(RATE ", time_scale: 2", LAW), "w.yaml:4:55: time_scale: want it with a 'trace' only" },
    { "requests: a law of a trace", OF("trace: x, arrivals: { law: mmpp }", LAW), "w.yaml:4:48: arrivals: want no law beside a 'trace'" },
    { "requests: no such trace", OF("trace: not-there.csv", LAW), "w.yaml:4:35: trace: not-there.csv: cannot open: No such file or directory" },
    { "requests: sweeps", OF(RATE ", arrivals: { sweeps: {} }", LAW),
      "w.yaml:4:55: unknown key 'sweeps': want one of law, c2, burst_ratio, burst_s, calm_s, daily, weekly, growth_per_day" },
    { "requests: c2 of poisson", OF(RATE ", arrivals: { c2: 4 }", LAW), "w.yaml:4:59: c2: want it with 'law: hyper' only" },
    { "time: nothing", OF(RATE, "recorded: false"), "w.yaml:4:59: service_time: want a 'law', 'batch', 'llm' or 'recorded: true'" },
    { "time: cut", OF(RATE, LAW ", most_s: 3"), "w.yaml:4:100: most_s: want it of the run times of jobs only" },
    { "time: recorded by nobody", OF(RATE, "recorded: true"),
      "w.yaml:4:5: service s: want requests with a service time each, for a recorded service time" },
    { "time: tokens of no law", OF(RATE, "llm: {}"), "w.yaml:4:5: service s: want laws of prompt and output tokens, or requests that have both" },
    { "llm: no such model", OF(RATE ", " TOKENS, "llm: { model: gpt-5 }"),
      "w.yaml:4:161: model: want a model, one of llama-3.1-8b, llama2-70b, llama-3.1-70b, qwen3-32b, qwen3-30b-a3b, opt-13b, opt-66b, bloom-176b, got 'gpt-5'" },
    { "llm: no GPU", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b }"),
      "w.yaml:4:152: llm: want a gpu, one of V100-SXM2-16, V100-SXM2-32, A100-SXM4-80, A100-SXM4-40, H100-SXM5-80, H200-SXM-141, B200-SXM-180, RTX-PRO-6000, RTX-4090, L40S-48, L4-24, T4-16, A10-24, got ''" },
    { "llm: on its own GPU", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: A100-SXM4-80 }"), "" },
    { "llm: does not fit", OF(RATE ", " TOKENS, "llm: { model: llama2-70b, gpu: A100-SXM4-80 }"),
      "w.yaml:4:5: service s: want memory for the weights and one block of KV cache, got weights of 1.38e+11 bytes and none left" },
    { "llm: half a tensor", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, tensor_parallel: 2 }"),
      "w.yaml:4:204: tensor_parallel: want it equal to the gpus of a replica, 1, got 2" },
    { "llm: ranks of a dense model", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, data_parallel: 2 }"),
      "w.yaml:4:202: data_parallel: want 1 of a model without experts: its replicas share nothing" },
    { "llm: two stages, one GPU", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, pipeline_parallel: 2 }"),
      "w.yaml:4:206: pipeline_parallel: want a divisor of the gpus of a replica, 1, got 2" },
    { "llm: stages of ranks", OF(RATE ", " TOKENS, "llm: { model: qwen3-30b-a3b, gpu: L4-24, pipeline_parallel: 2, data_parallel: 2 }"),
      "w.yaml:4:207: pipeline_parallel: want either this or 'data_parallel'" },
    { "llm: a link of one stage", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, stage_gb_per_s: 2 }"),
      "w.yaml:4:203: stage_gb_per_s: want it with 'pipeline_parallel' only" },
    { "llm: two ranks, one GPU", OF(RATE ", " TOKENS, "llm: { model: qwen3-30b-a3b, gpu: RTX-PRO-6000, data_parallel: 2 }"),
      "w.yaml:4:210: data_parallel: want a divisor of the gpus of a replica, 1, got 2" },
    { "llm: a pool of nothing", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, pools: { prefill: 1, decode: 0 } }"),
      "w.yaml:4:216: decode: want a whole number from 1 to 1000, got '0'" },
    { "llm: one pool", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, pools: { prefill: 1 } }"),
      "w.yaml:4:194: key 'decode' is missing" },
    { "llm: all of the prompt", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, prefix_share: 1 }"), "w.yaml:4:201: prefix_share: want a share below 1" },
    { "llm: ids of no prompt", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, prefix_cache: true } }, mode: requests, slo: { share: .9"),
      "w.yaml:4:201: prefix_cache: want requests of a trace with ids of prompts (mooncake)" },
    { "llm: ids of a flow", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, prefix_cache: true }"),
      "w.yaml:4:201: prefix_cache: want it with mode requests only; of mode fluid 'prefix_share'" },
    { "llm: a law and no GPU", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, kv_tokens: 50000, step_law: { a_s: .01, b_s: 0, c_s: 0, d_s: 0 } }"), "" },
    { "llm: a key of the other law", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, context: 7 }"),
      "w.yaml:4:187: unknown key 'context': want one of model, models, max_models, max_cpu_models, host_gb_per_s, gpu, engine, weights, tensor_parallel, pipeline_parallel, stage_gb_per_s, data_parallel, max_num_seqs, max_num_batched_tokens, "
      "block, gpu_memory_utilization, reserve_bytes, kv_tokens, prefix_cache, prefix_share, step_law, pools, adapters" },
    { "adapters: how many", ADAPTERS("rank: 8"), "w.yaml:4:197: adapters: want a 'count', as the requests have no adapter" },
    { "adapters: two sizes", ADAPTERS("count: 2, rank: 8, parameters: 1e7"), "w.yaml:4:215: rank: want either this or 'parameters'" },
    { "adapters: a host smaller than its GPU", ADAPTERS("count: 9, max_loras: 4, max_cpu_loras: 3"),
      "w.yaml:4:238: max_cpu_loras: want at least max_loras, 4, got 3" },
    { "adapters: a law", ADAPTERS("count: 2 }, step_law: { a_s: .01, b_s: 0, c_s: 0, d_s: 0"), "w.yaml:4:197: adapters: want either this or 'step_law'" },
    { "adapters: too many places", ADAPTERS("count: 2, rank: 512, max_loras: 100"),
      "w.yaml:4:5: service s: want memory for the weights and one block of KV cache, got weights of 1.606e+10 bytes and none left" },
    { "adapters: of a flow", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24, adapters: { count: 2 } }"),
      "w.yaml:4:197: adapters: want max_loras of at least the 2 adapters, or mode requests: in mode fluid none waits for a place" },
    { "adapters: routing by none", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24 } }, mode: requests, dispatch: adapter, slo: { share: .9"),
      "w.yaml:4:5: service s: want a dispatch other than adapter, which is of a service time 'llm' with 'adapters'" },
    { "models: good", SEVERAL(TWO), "" },
    { "models: and one", SEVERAL(TWO ", model: opt-13b"), "w.yaml:4:181: models: want either this or 'model'" },
    { "models: adapters", SEVERAL(TWO ", adapters: { count: 2 }"), "w.yaml:4:181: models: want either this or 'adapters'" },
    { "models: a law", SEVERAL(TWO ", step_law: { a_s: .01, b_s: 0, c_s: 0, d_s: 0 }"), "w.yaml:4:181: models: want either this or 'step_law'" },
    { "models: prefixes", SEVERAL(TWO ", prefix_cache: true"), "w.yaml:4:181: models: want either this or 'prefix_cache'" },
    { "models: ranks", SEVERAL(TWO ", data_parallel: 2"), "w.yaml:4:181: models: want either this or 'data_parallel'" },
    { "models: none", SEVERAL("models: []"), "w.yaml:4:181: models: want from 1 to 64, got 0" },
    { "models: of no name", SEVERAL("models: [ { share: 1 } ]"), "w.yaml:4:183: key 'model' is missing" },
    { "models: not known", SEVERAL("models: [ { model: gpt-5 } ]"), "w.yaml:4:192: model: want a model, one of llama-3.1-8b, llama2-70b, llama-3.1-70b, qwen3-32b, qwen3-30b-a3b, opt-13b, opt-66b, bloom-176b, got 'gpt-5'" },
    { "models: twice", SEVERAL("models: [ { model: opt-13b }, { model: opt-13b, weights: fp8 } ]"), "w.yaml:4:203: 'opt-13b' is there twice: want a 'name' of its own" },
    { "models: two names", SEVERAL("models: [ { model: opt-13b }, { model: opt-13b, name: small, weights: fp8 } ]"), "" },
    { "models: a share of nothing", SEVERAL("models: [ { model: opt-13b, share: 0 } ]"), "w.yaml:4:208: share: want a number above 0 up to 1000000000, got '0'" },
    { "models: more places", SEVERAL(TWO ", max_models: 3"), "w.yaml:4:242: max_models: want at most as many as 'models', 2, got 3" },
    { "models: a small host", SEVERAL(TWO ", max_models: 2, max_cpu_models: 1"), "w.yaml:4:261: max_cpu_models: want at least max_models, 2, got 1" },
    { "models: too large", SEVERAL("models: [ { model: opt-13b }, { model: llama2-70b } ]"),
      "w.yaml:4:181: models: want memory for the largest of them, 1 at once, and one block of KV cache" },
    { "models: of a flow", OF(RATE ", " TOKENS, "llm: { gpu: L4-24, " TWO " }"), "w.yaml:4:174: models: want it with mode requests only: in mode fluid a service has one model" },
    { "models: routing by none", OF(RATE ", " TOKENS, "llm: { model: llama-3.1-8b, gpu: L4-24 } }, mode: requests, dispatch: model, slo: { share: .9"),
      "w.yaml:4:5: service s: want a dispatch other than model, which is of a service time 'llm' with 'models'" },
    { "models: places of one", SEVERAL("model: opt-13b, max_models: 1"), "w.yaml:4:201: max_models: want it with 'models' only" },
    { "scaler: KV cache of a law", SCALED("kind: hpa, idle_s: 9, metrics: { kv_use: 0.5 }"), "w.yaml:8:60: kv_use: want it of a service time 'llm' with a 'model' only" },
    { "slo: tokens of a batch", ONE("    slo: { first_token_s: 1 }\n"), "w.yaml:7:27: first_token_s: want it of a service time 'llm' only" },
    { "slo: more than all", ONE("    slo: { share: 1.1 }\n"), "w.yaml:7:19: share: want a number above 0 up to 1, got '1.1'" },

    { "interval: too short", ONE("    interval_s: 0.5\n"), "w.yaml:7:17: interval_s: want a number from 1 to 1000000000, got '0.5'" },
    { "scaler: too often", SCALED("kind: none, period_s: 0.5"), "w.yaml:8:41: period_s: want a number from 1 to 86400, got '0.5'" },
    { "scaler: no kind", SCALED("period_s: 1"), "w.yaml:8:17: key 'kind' is missing" },
    { "scaler: a key of another", SCALED("kind: hpa, headroom: 2"), "w.yaml:8:40: headroom: an autoscaler 'hpa' has none" },
    { "scaler: a metric", SCALED("kind: hpa, metrics: { cpu: 0.5 }"), "w.yaml:8:46: cpu: want duty, concurrency, rate_per_s, queue, kv_use, output_tokens_per_s, first_token_s or per_token_s, each once" },
    { "scaler: from none by duty", SCALED("kind: hpa, metrics: { duty: 0.5 }"),
      "w.yaml:8:39: metrics: a 'min' of 0 wants 'idle_s', or a metric that is there without replicas: rate_per_s or queue" },
    { "scaler: from none by rate", SCALED("kind: hpa, metrics: { rate_per_s: 5 }"), "" },
    { "scaler: pods and percent", SCALED("kind: hpa, idle_s: 9, up: { policies: [ { pods: 1, percent: 1, period_s: 1 } ] }"),
      "w.yaml:8:59: want either 'pods' or 'percent'" },
    { "scaler: no policies", SCALED("kind: hpa, idle_s: 9, up: { policies: [] }"), "w.yaml:8:57: policies: want from 1 to 8, got 0" },
    { "scaler: a long period", SCALED("kind: hpa, idle_s: 9, up: { policies: [ { pods: 1, period_s: 1801 } ] }"),
      "w.yaml:8:80: period_s: want a number above 0 up to 1800, got '1801'" },
    { "scaler: idle, but never none", ONE("    autoscaler: { kind: none, idle_s: 60 }\n"), "w.yaml:7:39: idle_s: want it with 'min: 0' of the replicas only" },
    { "scaler: a short profile", SCALED("kind: profile, replicas: [ 1, 2 ]"),
      "w.yaml:8:44: replicas: want 'replicas' for 24 hours of the day or 168 of the week, got 2" },
    { "scaler: bins that do not fit", SCALED("kind: forecast, bin_s: 7000"), "w.yaml:8:17: autoscaler: want a bin_s that divides a day and is a multiple of period_s" },

    { "trace and jobs", "workload: w\ntrace: x.csv\njobs: 5\n", "w.yaml:3:7: jobs: want no jobs drawn beside a 'trace'" },
    { "services and half a law", ONE("") "jobs: 5\n", "w.yaml:1:1: want 'gpus', in the class or above" },
};

static void said_of_it(void **state)
{
    const struct row *r = *state;
    said_of(r->text, r->error);
}

/* What is not said: models.md 4.4 to 4.6. */
static void defaults(void **state)
{
    struct synth_spec *s = spec_of(TOP "  - { name: s, requests: { rate_per_s: 1, prompt_tokens: { law: fixed, value_s: 9 },\n"
                                       "      output_tokens: { law: fixed, value_s: 9 } }, service_time: { llm: {} }, replicas: { min: 2 } }\n");
    const struct deployment *d = &s->services->of[0];
    (void)state;
    assert_near(seconds(replica_start_ns(&d->start, false, 0)), 42, 1e-12);
    assert_near(seconds(replica_start_ns(&d->start, true, 0)), 192, 1e-12);
    assert_true(d->start.was_there);
    assert_near(d->service.slo.first_token_s, 2, 0);
    assert_near(d->service.slo.per_token_s, .1, 0);
    assert_near(d->service.slo.share, .99, 0);
    assert_true(isinf(d->service.slo.latency_s));
    assert_near(d->service.timeout_s, 10, 0);
    assert_int_equal(d->service.demand.end_ns, 3600 * NS_PER_S);
    assert_int_equal(d->scaler.most, 2);
    assert_int_equal(d->scaler.kind, SCALE_NONE);
    assert_int_equal(s->replica[0].class, CLASS_INFERENCE);
    assert_true(s->replica[0].on_demand && !s->replica[0].preemptible);
    assert_int_equal(s->n_classes, 0);
    synth_spec_free(s);
    s = spec_of(ONE(""));
    assert_near(s->services->of[0].service.slo.latency_s, .2, 0);
    assert_near(seconds(replica_start_ns(&s->services->of[0].start, false, 0)), 35, 1e-12);
    synth_spec_free(s);
}

/* models.md 4.13, by hand: of 80 GiB .9 less 1.238e9, beside 16.06e9 + 25.7e9 of weights 34.311e9 bytes, in blocks of 16 tokens of
 * opt-13b, 819200 bytes each, or of 100 of llama-3.1-8b, 131072 each. With qwen3-32b, 65.52e9, there is room for one, and 10.551e9 bytes. */
static void memory_of_models(void **state)
{
    static const struct { const char *models; uint32_t slots, blocks; double start_gb; } want[] = {
        { TWO, 2, 2617, 41.76 },
        { "models: [ { model: llama-3.1-8b }, { model: opt-13b }, { model: qwen3-32b } ]", 1, 805, 16.06 },
        { "max_models: 1, " TWO, 1, 3843, 16.06 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(want); i++) {
        char text[1000];
        snprintf(text, sizeof text, OF(RATE ", " TOKENS, "llm: { gpu: A100-SXM4-80, %s } }, mode: requests, slo: { share: .9"), want[i].models);
        struct synth_spec *s = spec_of(text);
        const struct deployment *d = &s->services->of[0];
        const struct llm_batching *b = &d->service.time.engine;
        assert_int_equal(b->weights.slots, want[i].slots);
        assert_int_equal(b->weights.host, want[i].slots);
        assert_int_equal(b->blocks, want[i].blocks);
        assert_int_equal(b->models.of[0].block, 100);
        assert_int_equal(b->models.of[1].block, 16);
        assert_int_equal(d->service.dispatch, DISPATCH_MODEL);
        assert_near(b->weights.size[0] * b->weights.host_s, 16.06 / 20, 1e-12);
        assert_near(b->weights.size[0] * b->weights.storage_s, 16.06 / 2, 1e-12);
        assert_near(seconds(replica_start_ns(&d->start, false, 0)), 30 + want[i].start_gb / 2 + 5, 1e-9);
        synth_spec_free(s);
    }
}

/* Every key, and what becomes of it. */
static void row_as_said(const struct job_row *r)
{
    assert_string_equal(r->queue, "q");
    assert_string_equal(r->user, "u");
    assert_string_equal(r->model, "m");
    assert_string_equal(r->gpu_type, "A|B");
    assert_int_equal(r->gpu_type_length, 3);
    assert_int_equal(r->priority, 7);
    assert_true(r->preemptible);
    assert_int_equal(r->gpus, 16);
    assert_int_equal(r->tasks, 2);
    assert_int_equal(r->cpu_milli, 4000);
    assert_int_equal(r->mem_mib, 1024);
    assert_int_equal(r->gpu_mem_mib, 100);
    assert_int_equal(r->submit_ns, 10500 * (NS_PER_S / 1000));
}

static void service_as_said(const struct deployment *d)
{
    assert_near(deployment_speed(d, "A"), 2, 0);
    assert_near(deployment_speed(d, "B"), .5, 0);
    assert_near(deployment_speed(d, "C"), 1, 0);
    assert_near(deployment_speed(d, NULL), 1, 0);
    assert_int_equal(d->scaler.least * 100 + d->scaler.initial * 10 + d->scaler.most, 135);
    assert_int_equal(d->service.mode, SERVICE_REQUESTS);
    assert_int_equal(d->service.dispatch, DISPATCH_JSQ);
    assert_int_equal(d->service.lost, LOST_DROP);
    assert_near(d->service.timeout_s, 3, 0);
    assert_int_equal(d->service.demand.end_ns, 99 * NS_PER_S);
    assert_int_equal(d->service.interval_ns, 30 * NS_PER_S);
    assert_int_equal(d->service.demand.arrivals.kind, ARRIVE_MMPP);
    assert_near(d->service.demand.rate, 4, 0);
    assert_near(d->service.demand.gap_c2, 3, 0);
    assert_near(d->service.demand.calendar.first_hour, 30.5, 1e-12);       /* a Tuesday */
    assert_near(d->service.demand.calendar.growth_per_day, .5, 0);
    assert_near(batch_s(&d->service.time.batch, 4), .9, 1e-12);
    assert_near(d->service.slo.latency_s, 3, 0);
    assert_near(seconds(replica_start_ns(&d->start, false, 0)), 1 + .5 + 2, 1e-12);
    assert_near(seconds(replica_start_ns(&d->start, true, 0)), 9 + .5 + 2, 1e-12);
    assert_true(d->start.was_there);
}

static void scaler_as_said(const struct deployment *d)
{
    const struct hpa_config *h = &d->scaler.hpa;
    assert_int_equal(d->scaler.kind, SCALE_HPA);
    assert_int_equal(d->scaler.period_ns, 30 * NS_PER_S);
    assert_int_equal(h->n_metrics, 2);
    assert_int_equal(d->scaler.metric[0], SCALER_QUEUE);
    assert_int_equal(h->metric[0].kind, HPA_OBJECT_AVERAGE);
    assert_int_equal(h->metric[1].kind, HPA_RESOURCE);
    assert_near(h->metric[1].target, .5, 0);
    assert_true(!h->behaviour && h->least == 1 && h->most == 5);
    assert_near(h->up.tolerance, .2, 0);
    assert_near(h->down.tolerance, .3, 0);
    assert_int_equal(h->up.window_ns, 10 * NS_PER_S);
    assert_int_equal(h->up.select, HPA_SELECT_MIN);
    assert_int_equal(h->down.select, HPA_SELECT_DISABLED);
    assert_int_equal(h->up.n, 1);
    assert_true(!h->up.policy[0].percent && h->up.policy[0].value == 2 && h->up.policy[0].period_ns == 60 * NS_PER_S);
    assert_int_equal(h->down.window_ns, 300 * NS_PER_S);
}

static void all_said(void **state)
{
    (void)state;
    struct synth_spec *s = spec_of(
        "workload: w\nstart: 2026-01-06T06:30:00Z\nspan_s: 3600\nservices:\n"
        "  - name: chat\n    queue: q\n    user: u\n    priority: 7\n    preemptible: true\n    model: m\n    gpu_types: [A, B]\n    gpus: 16\n    tasks: 2\n    cpus: 8\n"
        "    memory_gib: 2\n    gpu_mem_mib: 100\n    speeds: { A: 2, B: 0.5 }\n    replicas: { min: 1, max: 5, initial: 3 }\n    mode: requests\n"
        "    dispatch: jsq\n    lost_requests: drop\n    timeout_s: 3\n    start_s: 10.5\n    end_s: 99\n    interval_s: 30\n"
        "    requests: { rate_per_s: 4, gap_c2: 3, arrivals: { law: mmpp, burst_ratio: 6, burst_s: 60, calm_s: 240, growth_per_day: 0.5 } }\n"
        "    service_time: { batch: { t0_s: 0.1, t1_s: 0.2, window_s: 0.3, most: 4 } }\n    slo: { share: 0.9, latency_s: 3 }\n"
        "    start_up: { pull_s: 9, pull_cached_s: 1, weights_gb: 4, load_gb_per_s: 8, warm_up_s: 2, was_there: true }\n"
        "    autoscaler: { kind: hpa, period_s: 30, metrics: { queue: 4, concurrency: 0.5 }, tolerance: 0.2, behaviour: false,\n"
        "      up: { window_s: 10, select: min, policies: [ { pods: 2, period_s: 60 } ] }, down: { tolerance: 0.3, select: disabled } }\n");
    row_as_said(&s->replica[0]);
    service_as_said(&s->services->of[0]);
    scaler_as_said(&s->services->of[0]);
    synth_spec_free(s);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, said_of_it, rows);
    ADD_TEST(tests, n, defaults);
    ADD_TEST(tests, n, memory_of_models);
    ADD_TEST(tests, n, all_said);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
