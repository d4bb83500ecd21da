/* test_llm_services.c - replicas of LLMs that run step by step, on a cluster: what shares their GPUs, how much they
 * draw, when they start, how many there are. */
#include "tests/support/service_run.h"

#include <math.h>
#include <unistd.h>

#define A100(gpus) "nodes: [ { group: n, count: 1, gpus: " #gpus ", gpu_model: A100-SXM4-80 } ]\n"
#define ASKS(rate) "requests: { rate_per_s: " rate ", prompt_tokens: { law: fixed, value_s: 1000 }, output_tokens: { law: fixed, value_s: 200 } }\n"
#define LLM        "    service_time: { llm: { model: llama-3.1-8b, gpu: A100-SXM4-80 } }\n"
#define ONE(name, rate, more) "  - name: " name "\n    " ASKS(rate) LLM "    mode: requests\n" more
#define TOP        "workload: w\nspan_s: 3600\nservices:\n"

static struct played play(const char *cluster, const char *workload)
{
    return play_services(cluster, workload, "fifo", "pack", 1, 0);
}

/* Two halves of one GPU under time slices and MPS: both are slower than one alone, in the mean request, a busier pair more so, and
 * work for the GPU is there for longer, of both no more than all the time. By models.md 7 two loads of time slices are slowed by .97
 * at least, and of MPS by the other's reading. */
static void neighbours(void **state)
{
    static const char *const modes[] = { "timeslice", "mps" }, *const rates[] = { "0.3", "3" },
                             *const p50[] = { "per_token_p50_s", "first_token_p50_s", "latency_p50_s" };
    const char *shape = "  - name: %s\n    requests: { rate_per_s: %s, prompt_tokens: { law: fixed, value_s: 1000 }, "
                        "output_tokens: { law: fixed, value_s: 200 } }\n" LLM "    mode: requests\n    gpus: 0.5\n";
    double ratio[2] = { 0 };
    (void)state;
    for (size_t i = 0; i < COUNT(modes) * COUNT(rates); i++) {
        char cluster[200], one[1000], two[2000];
        size_t rate = i % COUNT(rates);
        snprintf(cluster, sizeof cluster, A100(1) "sharing: { mode: %s }\n", modes[i / COUNT(rates)]);
        size_t n = (size_t)snprintf(one, sizeof one, TOP);
        n += (size_t)snprintf(one + n, sizeof one - n, shape, "a", rates[rate]);
        snprintf(two, sizeof two, "%s", one);
        snprintf(two + n, sizeof two - n, shape, "b", rates[rate]);
        struct played alone = play(cluster, one), pair = play(cluster, two);
        for (size_t m = 0; m < COUNT(p50); m++)
            assert_true(played_value(&pair, p50[m], "service=a") > played_value(&alone, p50[m], "service=a") * 1.004);
        double duty = played_value(&pair, "replica_gpu_duty", "service=a");
        assert_true(duty > played_value(&alone, "replica_gpu_duty", "service=a") && duty <= 1);
        ratio[rate] = played_value(&pair, p50[0], "service=a") / played_value(&alone, p50[0], "service=a");
        assert_true(rate == 0 || ratio[1] > ratio[0]);
        played_free(&alone);
        played_free(&pair);
    }
}

/* models.md 4.8: an instance has F x (c/7)^.9 and W x q/8. By hand of 4.8: one request alone at a time, a prompt of 1000 and a token
 * at 1000 to 1199 tokens of context (mean 1100): weights 15.01e9 bytes over 2039e9 x .75, 131072 bytes of context over 2039e9 x .85,
 * 2.14 ms of the host. So a token, which reads, slows as memory does, and a prompt as processors do. */
static void instances(void **state)
{
    static const struct instance { const char *profile; double compute, memory; } rows[] = {
        { "7g.80gb", 7, 8 }, { "3g.40gb", 3, 4 }, { "2g.20gb", 2, 2 }
    };
    static const char *const modes[] = { "requests", "fluid" };
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        const struct instance *x = &rows[i / 2];
        double c = pow(x->compute / 7, .9), q = x->memory / 8;
        double weights_s = 15.01e9 / (2039e9 * .75 * q), flop_s = 1 / (312e12 * c), host_s = 1.5e-3 + 32 * 20e-6;
        double token_s = hypot(weights_s, 2 * 7.505e9 * flop_s / .73) + 1100. * 131072 / (2039e9 * .85 * q) + host_s + 6e-6,
               first_s = hypot(weights_s, 1000 * 2 * 7.505e9 * flop_s / .73) + 4 * 4096. * 32 * 1000 * 500 * flop_s / .45 + host_s;
        char cluster[300], more[100];
        snprintf(cluster, sizeof cluster, "nodes: [ { group: n, count: 1, gpus: 1, gpu_model: A100-SXM4-80, mig: { %s: 1 } } ]\nsharing: { mode: timeslice }\n",
                 x->profile);
        snprintf(more, sizeof more, "    mode: %s\n    mig: %s\n", modes[i % 2], x->profile);
        char text[1000];
        snprintf(text, sizeof text, TOP "  - name: s\n    " ASKS("0.001") LLM "%s", more);
        struct played p = play(cluster, text);
        /* quantiles are within .1 %; in fluid mode .1 % of the time another request is there */
        assert_near(played_value(&p, "per_token_p50_s", "service=s"), token_s, i % 2 ? 8e-3 : 2e-3);
        assert_near(played_value(&p, "first_token_p50_s", "service=s"), first_s, i % 2 ? 8e-3 : 2e-3);
        played_free(&p);
    }
}

/* models.md 9: a dgx-a100-80 draws 1000 W and 60 W for each GPU; one held and without requests 75 W. One request in
 * years: 1000 + 7 x 60 + 75 W for an hour. A duty of a thousandth is near that, a busy one far above. */
static void energy(void **state)
{
    static const struct row { const char *rate; double least_wh, most_wh; } rows[] = {
        { "0.000000001", 1495, 1495 + 1e-6 }, { "0.00005", 1495, 1495 + 5 }, { "5", 1495 + 150, 1495 + 285 },
    };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text, TOP "  - name: s\n    requests: { rate_per_s: %s, prompt_tokens: { law: fixed, value_s: 1000 }, "
                                        "output_tokens: { law: fixed, value_s: 200 } }\n" LLM, rows[i].rate);
        struct played p = play("nodes: [ { group: n, count: 1, type: dgx-a100-80 } ]\npower: { pue: 1 }\n", text);
        double wh = 1000 * played_value(&p, "energy_kwh", "all");
        if (!(wh >= rows[i].least_wh - 1e-6 && wh <= rows[i].most_wh))
            fail_msg("%s per second: %.9g Wh", rows[i].rate, wh);
        played_free(&p);
    }
}

/* models.md 9: at half the clock prompts take nearly twice as long, decode of one sequence hardly longer; in both modes. */
static void at_half_the_clock(void **state)
{
    static const char *const modes[] = { "requests", "fluid" }, *const metrics[] = { "first_token_p50_s", "per_token_p50_s" };
    static const struct { double least, most; } slower[] = { { 1.6, 2 }, { 1, 1.03 } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text, TOP "  - name: s\n    requests: { rate_per_s: 0.01, prompt_tokens: { law: fixed, value_s: 2000 }, "
                                        "output_tokens: { law: fixed, value_s: 200 } }\n" LLM "    mode: %s\n", modes[i]);
        struct played full = play("nodes: [ { group: n, count: 1, type: dgx-a100-80 } ]\npower: { clock: 1 }\n", text);
        struct played half = play("nodes: [ { group: n, count: 1, type: dgx-a100-80 } ]\npower: { clock: 0.5 }\n", text);
        for (size_t m = 0; m < 2; m++) {
            double ratio = played_value(&half, metrics[m], "service=s") / played_value(&full, metrics[m], "service=s");
            if (!(ratio >= slower[m].least && ratio < slower[m].most))
                fail_msg("%s, %s: %.9g times as long", modes[i], metrics[m], ratio);
        }
        played_free(&full);
        played_free(&half);
    }
}

/* models.md 9, by the law of a step of 10 ms that reads all the time: .87 of 400 W in decode, 400 W with a prompt. Five requests of 200
 * tokens a second keep ten running, so the GPU is in steps but for e^-10 of the time, and prompts come in a twentieth of the steps:
 * 400 x (.87 + .13/20) W, from the second minute on, as a minute draws by the one before; by its duty it draws 360 W instead. */
static void energy_by_steps(void **state)
{
    static const struct row { const char *mode, *power; double watts; } rows[] = {
        { "requests", "llm: true", 400 * (.87 + .13 / 20) }, { "fluid", "llm: true", 400 * (.87 + .13 / 20) },
        { "requests", "llm: false", 360 },                   { "fluid", "llm: false", 360 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[1000], cluster[200];
        snprintf(text, sizeof text, TOP "  - name: s\n    " ASKS("5") "    service_time: { llm: { model: llama-3.1-8b, gpu: A100-SXM4-80, step_law: "
                                        "{ a_s: 0.01, b_s: 0, c_s: 0, d_s: 0 } } }\n    mode: %s\n", rows[i].mode);
        snprintf(cluster, sizeof cluster, "nodes: [ { group: n, count: 1, type: dgx-a100-80 } ]\npower: { pue: 1, %s }\n", rows[i].power);
        struct played p = play(cluster, text);
        double above_w = (1000 * played_value(&p, "energy_kwh", "all") - 1495) * 60 / 59;
        if (fabs(above_w / (rows[i].watts - 75) - 1) > .003)
            fail_msg("%s, %s: %.9g W above 75, want %.9g", rows[i].mode, rows[i].power, above_w, rows[i].watts - 75);
        played_free(&p);
    }
}

/* models.md 4.8: two stages of one A100 each, requests alone: a token as on one, two hops of 20 us and 8192 bytes over 300 GB/s x .64,
 * the host of one stage more. The flow counts the mean context of .03 sequences, .6 % less. */
static void stages(void **state)
{
    double gpu_s = hypot(15.01e9 / (2039e9 * .75), 2 * 7.505e9 / (312e12 * .73)) + 1100. * 131072 / (2039e9 * .85);
    double host_s = 1.5e-3 + 32 * 20e-6 + 6e-6, hops_s = 2 * (20e-6 + 8192 / (300e9 * .64));
    (void)state;
    for (int fluid = 0; fluid < 2; fluid++) {
        char text[1000];
        snprintf(text, sizeof text, TOP "  - name: s\n    " ASKS("0.01") "    gpus: 2\n    service_time: { llm: { model: llama-3.1-8b, "
                                        "gpu: A100-SXM4-80, pipeline_parallel: 2 } }\n    mode: %s\n", fluid ? "fluid" : "requests");
        struct played p = play(A100(2), text);
        assert_near(played_value(&p, "per_token_p50_s", "service=s"), gpu_s + hops_s + host_s + 1.5e-3 + 6e-6, fluid ? 7e-3 : 2e-3);
        played_free(&p);
    }
}

/* models.md 4.6: 180 s for the image, 16.06e9 bytes of weights at 2 GB/s, 5 s to warm up: 193.03 s; rows every second. */
static void loads_its_model(void **state)
{
    (void)state;
    struct played p = play(A100(1), TOP ONE("s", "1", "    interval_s: 1\n    start_up: { was_there: false }\n"));
    assert_near(ready_at(&p, "s", 1), 194, 1e-9);
    played_free(&p);
    /* a storage that gives a node .1 GB/s: 160.6 s for the weights */
    p = play(A100(1) "storage: { node_read_gbps: 0.1 }\n", TOP ONE("s", "1", "    interval_s: 1\n    start_up: { was_there: false }\n"));
    assert_near(ready_at(&p, "s", 1), 180 + 160.6 + 5 + .4, 1e-9);
    played_free(&p);
}

/* models.md 4.13, one place, which llama-3.1-8b has from the start: 16.06 GB of it or 25.7 GB of opt-13b come at 2 GB/s; at .5 GB/s where a
 * storage gives a node no more. Requests 100 s apart, the first for the other model, then by turns, and the last for the one that is there: three swaps. */
static void swaps(void **state)
{
    static const struct row { struct { const char *name; double want; } metric; const char *scope; } rows[][4] = {
        { { .metric = { "model_loads", 3 }, "service=s" }, { .metric = { "model_loads_storage", 3 }, "service=s" },
          { .metric = { "model_load_s", 25.7 + 16.06 / 2 }, "service=s" }, { .metric = { "requests_served", 3 }, "model=s/opt-13b" } },
        { { .metric = { "model_loads", 3 }, "service=s" }, { .metric = { "model_loads_storage", 3 }, "service=s" },
          { .metric = { "model_load_s", 4 * 25.7 + 2 * 16.06 }, "service=s" }, { .metric = { "requests_served", 1 }, "model=s/llama-3.1-8b" } },
    };
    static const char *const clusters[] = { A100(1), A100(1) "storage: { node_read_gbps: 0.5 }\n" };
    static const char list[] = "time_s,prompt_tokens,output_tokens,model\n0,10,2,opt-13b\n100,10,2,llama-3.1-8b\n200,10,2,opt-13b\n300,10,2,opt-13b\n";
    char path[] = "/tmp/llm-XXXXXX", text[2000];
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0 && write(fd, list, sizeof list - 1) == (ssize_t)sizeof list - 1);
    close(fd);
    snprintf(text, sizeof text, TOP "  - name: s\n    requests: { trace: '%s:plain' }\n    service_time: { llm: { models: [ { model: llama-3.1-8b }, "
             "{ model: opt-13b } ], gpu: A100-SXM4-80, max_models: 1 } }\n    mode: requests\n    end_s: 1000\n", path);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct played p = play(clusters[i], text);
        for (size_t k = 0; k < COUNT(rows[i]); k++)
            assert_near(played_value(&p, rows[i][k].metric.name, rows[i][k].scope), rows[i][k].metric.want, 1e-9);
        played_free(&p);
    }
    unlink(path);
}

/* Targets far below and far above what one replica has: all four replicas, or one. */
static void signals_of_scalers(void **state)
{
    static const struct row { const char *metric, *low, *high; } rows[] = {
        { "kv_use", "0.001", "0.9" }, { "output_tokens_per_s", "10", "100000" }, { "first_token_s", "0.001", "100" },
        { "per_token_s", "0.0001", "1" }, { "duty", "0.05", "1" },
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        char text[1000];
        snprintf(text, sizeof text, TOP ONE("s", "2", "    replicas: { min: 1, max: 4 }\n    autoscaler: { kind: hpa, metrics: { %s: %s } }\n"),
                 rows[i / 2].metric, i % 2 ? rows[i / 2].high : rows[i / 2].low);
        struct played p = play(A100(4), text);
        const struct service_sample *last = &p.row[p.n_rows - 1];
        if (last->wanted != (i % 2 ? 1 : 4))
            fail_msg("%s: want %d, got %u", rows[i / 2].metric, i % 2 ? 1 : 4, last->wanted);
        played_free(&p);
    }
}

/* The three requests of models.md 4.9 on a replica of 3120 tokens of KV cache, and one that never fits, for 2 s; a second
 * service knows half of its one prompt. Those of 4.9, and the sums of an independent script in Python: 2.38208220907 s of
 * running requests, .75850263919 s of a full KV cache, .81594510580 s of the GPU, 1040 tokens computed again. 147 gaps, the
 * 146th .0434684483. */
static void all_metrics(void **state)
{
    static const struct row { struct { const char *name; double want; } metric; } rows[] = {
        { .metric = { "first_token_mean_s", 2 * .08764908625586 / 3 + .13111753457049 / 3 } },
        { .metric = { "first_token_p90_s", 0.13111753457 } },
        { .metric = { "per_token_mean_s", 2 * .69113364698 / 147 + .81410357123 / 147 } },
        { .metric = { "per_token_p50_s", 0.69113364698 / 49 } },
        { .metric = { "per_token_p90_s", 0.81410357123 / 49 } },
        { .metric = { "per_token_p99_s", 0.81410357123 / 49 } },
        { .metric = { "token_gap_p99_s", 0.0434684483 } },
        { .metric = { "latency_p90_s", 0.9452211058 } },
        { .metric = { "output_tokens_per_s", 150 / 2. } },
        { .metric = { "goodput_per_s", 3 / 2. } },
        { .metric = { "requests_running", 2.38208220907 / 2 } },
        { .metric = { "kv_use_mean", 0.75850263919 / 2 } },
        { .metric = { "kv_use_peak", 1 } },
        { .metric = { "requests_preempted", 1 } },
        { .metric = { "requests_rejected", 1 } },
        { .metric = { "requests_dropped", 1 } },
        { .metric = { "prompt_tokens_computed", 4040 } },
        { .metric = { "prompt_tokens_skipped", 0 } },
        { .metric = { "replica_gpu_duty", 0.81594510580 / 2 } },
    };
    char path[] = "/tmp/llm-XXXXXX", text[2000];
    int fd = mkstemp(path);
    static const char list[] = "time_s,prompt_tokens,output_tokens\n0,1000,50\n0,1000,50\n0,1000,50\n0.5,4000,50\n";
    (void)state;
    assert_true(fd >= 0 && write(fd, list, sizeof list - 1) == (ssize_t)sizeof list - 1);
    close(fd);
    const char *of = "    service_time: { llm: { model: llama-3.1-8b, gpu: RTX-PRO-6000, max_num_seqs: 128, %s } }\n    mode: requests\n"
                     "    end_s: 2\n";
    size_t n = (size_t)snprintf(text, sizeof text, TOP "  - name: s\n    requests: { trace: '%s:plain' }\n", path);
    n += (size_t)snprintf(text + n, sizeof text - n, of, "kv_tokens: 3120");
    n += (size_t)snprintf(text + n, sizeof text - n, "  - name: half\n    requests: { trace: '%s:plain' }\n", path);
    snprintf(text + n, sizeof text - n, of, "prefix_share: 0.5");
    struct played p = play("nodes: [ { group: n, count: 1, gpus: 2, gpu_model: RTX-PRO-6000 } ]\n", text);
    unlink(path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got = played_value(&p, rows[i].metric.name, "service=s");
        if (!(fabs(got - rows[i].metric.want) <= 1e-3 * rows[i].metric.want))    /* quantiles are within .1 % */
            fail_msg("%s: want %.9g, got %.9g", rows[i].metric.name, rows[i].metric.want, got);
    }
    assert_near(played_value(&p, "prompt_tokens_skipped", "service=half"), (3 * 1000 + 4000) / 2, 0);
    assert_near(played_value(&p, "prompt_tokens_computed", "service=half"), (3 * 1000 + 4000) / 2, 0);
    played_free(&p);
}

/* Recorded requests for a service with these keys of `llm`. */
static struct played play_recorded(const char *list, const char *more)
{
    char path[] = "/tmp/llm-XXXXXX", text[2000];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, list, strlen(list)) == (ssize_t)strlen(list));
    close(fd);
    snprintf(text, sizeof text, TOP "  - name: s\n    requests: { trace: '%s:plain' }\n    service_time: { llm: { model: llama-3.1-8b, "
             "gpu: A100-SXM4-80%s } }\n    mode: requests\n    end_s: 2\n", path, more);
    struct played p = play(A100(1), text);
    unlink(path);
    return p;
}

/* Recorded adapters 1, 2, 1 and one place: models.md 4.12. Two loads from storage of 27.262976 MB at 2 and at 20 GB/s. */
static void recorded_adapters(void **state)
{
    static const struct row { struct { const char *name; double want; } metric; const char *scope; } rows[] = {
        { .metric = { "adapter_loads", 2 }, "service=s" },
        { .metric = { "adapter_loads_storage", 2 }, "service=s" },
        { .metric = { "adapter_load_s", 2 * (.027262976 / 2 + .027262976 / 20) }, "service=s" },
        { .metric = { "requests_served", 3 }, "service=s" },
        { .metric = { "requests_served", 2 }, "adapter=s/1" },
        { .metric = { "first_token_mean_s", .034275518 }, "adapter=s/1" },
        { .metric = { "latency_mean_s", .059558189 }, "adapter=s/1" },
        { .metric = { "per_token_mean_s", (.059558189 - .034275518) / 2 }, "adapter=s/1" },
        { .metric = { "requests_arrived", 1 }, "adapter=s/2" },
        { .metric = { "first_token_mean_s", .089195456 }, "adapter=s/2" },
        { .metric = { "latency_mean_s", .114449444 }, "adapter=s/2" },
    };
    (void)state;
    struct played p = play_recorded("time_s,prompt_tokens,output_tokens,adapter\n0,100,3,1\n0,100,3,2\n0,100,3,1\n",
                                    ", adapters: { max_loras: 1 }");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(played_value(&p, rows[i].metric.name, rows[i].scope), rows[i].metric.want, 1e-6);
    played_free(&p);
}

/* Without `adapters` all requests are for the model itself, whatever the trace says. */
static void unread_adapters(void **state)
{
    (void)state;
    struct played with = play_recorded("time_s,prompt_tokens,output_tokens,adapter\n0,100,3,1\n0,100,3,2\n", ""),
                  without = play_recorded("time_s,prompt_tokens,output_tokens\n0,100,3\n0,100,3\n", "");
    assert_true(played_value(&with, "requests_served", "service=s") == 2);
    assert_true(played_value(&with, "latency_mean_s", "service=s") == played_value(&without, "latency_mean_s", "service=s"));
    played_free(&with);
    played_free(&without);
}

/* models.md 4.12, from a workload file: eight adapters, each with a place, in either mode within 5 % of each other in the time per
 * token, which is longer than without by more than that. */
static void adapters_in_both_modes(void **state)
{
    static const char *const modes[] = { "requests", "fluid" };
    double token_s[2];
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int with = 0; with < 2; with++) {
            char text[1000];
            snprintf(text, sizeof text, TOP "  - name: s\n    " ASKS("2") "    service_time: { llm: { model: llama-3.1-8b, gpu: A100-SXM4-80%s } }\n"
                     "    mode: %s\n", with ? ", adapters: { count: 8, max_loras: 8 }" : "", modes[i]);
            struct played p = play("nodes: [ { group: n, count: 1, type: dgx-a100-80 } ]\n", text);
            double got = played_value(&p, "per_token_mean_s", "service=s");
            if (with)
                assert_true(got > 1.05 * token_s[i]);
            token_s[i] = got;
            played_free(&p);
        }
    assert_true(fabs(token_s[1] / token_s[0] - 1) < .05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours), cmocka_unit_test(instances), cmocka_unit_test(energy), cmocka_unit_test(energy_by_steps), cmocka_unit_test(stages), cmocka_unit_test(adapters_in_both_modes), cmocka_unit_test(at_half_the_clock),
        cmocka_unit_test(loads_its_model), cmocka_unit_test(signals_of_scalers),
        cmocka_unit_test(all_metrics), cmocka_unit_test(recorded_adapters), cmocka_unit_test(unread_adapters), cmocka_unit_test(swaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
