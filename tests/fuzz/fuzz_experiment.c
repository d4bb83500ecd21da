/* fuzz_experiment.c - any bytes as an experiment file: what is read makes points with distinct
 * names, or gives an error. */
#include "sim/study/grid.h"
#include "tests/fuzz/fuzz.h"

/* libfyaml 0.7.12 loses a page: see fuzz_cluster.c. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct error err = { "" };
    struct input *in = input_from_bytes(bytes, length, "fuzz", &err);
    struct experiment *e = in ? experiment_from(in, "fuzz.yaml", &err) : NULL;
    fuzz_said(!e, &err);
    struct grid *g = e ? grid_new(e, &err) : NULL;
    if (e)
        fuzz_said(!g, &err);
    for (size_t i = 1; g && i < g->n; i++)
        FUZZ_MUST(g->point[i].number > g->point[i - 1].number && *g->point[i].name && !strchr(g->point[i].name, '/'));
    grid_free(g);
    experiment_free(e);
    input_close(in);
    return 0;
}
