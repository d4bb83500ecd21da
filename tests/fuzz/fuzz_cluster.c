/* fuzz_cluster.c - any bytes as a cluster file: what is read is one that a run can be set up on. */
#include "sim/engine/run.h"
#include "sim/cluster/cluster_file.h"
#include "tests/fuzz/fuzz.h"

/* libfyaml 0.7.12 loses a page when a text has dozens of quotes in a row (fy_atom_format_text);
 * its stack ends in the library. That we free what is ours, the unit tests see without this. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

static void bind_one_job(struct cluster *c)
{
    struct error err = { "" };
    struct workload *w = workload_new();
    struct job_row row = job_row_default;
    row.queue = c->n_queues ? c->queue[c->n_queues - 1].name : NULL;
    row.queue_length = row.queue ? strlen(row.queue) : 0;
    FUZZ_MUST(workload_add(w, &row, "fuzz", 1, &err) == 0 && workload_finish(w, "fuzz", &err) == 0);
    fuzz_said(run_bind(c, w, &err) != 0, &err); /* a queue with children takes no jobs */
    workload_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct error err = { "" };
    struct input *in = input_from_bytes(bytes, length, "fuzz", &err);
    struct cluster *c = in ? cluster_from_yaml(in, "fuzz", NULL, &err) : NULL;
    fuzz_said(!c, &err);
    if (c) {
        FUZZ_MUST(c->n_nodes > 0);
        bind_one_job(c);
    }
    cluster_free(c);
    input_close(in);
    return 0;
}
