/* fuzz_trace.c - any bytes as a trace: of the format that GPUYARD_FORMAT names; of each, if it
 * is "all"; without it, of the format that the first bytes show. */
#include "tests/fuzz/fuzz.h"
#include "traces/formats/format.h"

static void check(const struct workload *w)
{
    FUZZ_MUST(w->n_jobs > 0 && w->n_shapes > 0);
    for (job_id j = 0; j < w->n_jobs; j++) {
        const struct job_facts *f = &w->facts[j];
        FUZZ_MUST(f->submit_ns >= 0 && w->truth[j].duration_ns >= 0);
        FUZZ_MUST(j == 0 || w->facts[j - 1].submit_ns <= f->submit_ns);
        FUZZ_MUST(f->ask >= &w->shape[0].ask && f->ask <= &w->shape[w->n_shapes - 1].ask);
        FUZZ_MUST(f->ask->tasks > 0 && f->ask->gpu_milli > 0);
    }
}

/* A few bytes of a workload file are a hundred million jobs: fuzz_workload.c has few of them
 * drawn. */
static bool is_laws(const struct trace_format *format, const uint8_t *bytes, size_t length)
{
    const struct trace_format *is = format ? format : trace_recognise((const char *)bytes, length);
    return is && !strcmp(is->name, "synth");
}

static void read_as(const struct trace_format *format, bool sizes_only, const uint8_t *bytes, size_t length)
{
    if (is_laws(format, bytes, length))
        return;
    const struct trace_format *used = NULL;
    struct error err = { "" };
    char sha256[65] = "";
    struct input *in = input_from_bytes(bytes, length, "fuzz", &err);
    struct workload *w = in ? trace_from_input(in, &(struct trace_source){ .format = format, .sizes_only = sizes_only }, &used, sha256, &err) : NULL;
    fuzz_said(!w, &err);
    if (w)
        check(w);
    workload_free(w);
    input_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const char *name = getenv("GPUYARD_FORMAT");
    const struct trace_format *format = name ? trace_format_find(name) : NULL;
    bool all = name && !strcmp(name, "all");
    FUZZ_MUST(!name || !*name || format || all);
    for (size_t i = 0; all && trace_formats[i]; i++)
        read_as(trace_formats[i], i % 2, bytes, length);
    if (!all)
        read_as(format, length % 2, bytes, length);
    return 0;
}
