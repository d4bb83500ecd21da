/* spec.c - the defaults of a workload file: see spec.h. */
#include "traces/synth/spec.h"

#include "sim/serving/deployment.h"
#include "traces/synth/synth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct synth_class synth_class_default = {
    .class = CLASS_TRAINING,
    .share = 1,
    .node_gpus = SYNTH_NODE_GPUS,
    .fates = { .share = { [FATE_COMPLETED] = 1 },
               .multiple = { 1, 1, 1 },
               .early_median_s = 120,
               .early_sigma = 1.8 },
    .spearman = SYNTH_SPEARMAN,
    .slowdown = 1,
    .preemptible = true,
    .sweeps = true,
};

struct synth_spec *synth_spec_new(void)
{
    struct synth_spec *s = mem_new(1, sizeof *s);
    *s = (struct synth_spec){
        .start_ns = TIME_NEVER,
        .load = { .availability = 1 },
        .arrivals = { .c2 = 4, .burst_ratio = 10, .burst_s = 600, .calm_s = 3600 },
        .users = SYNTH_USERS,
        .users_zipf = SYNTH_USERS_ZIPF,
        .memory = arena_new(),
    };
    for (int h = 0; h < 24; h++)
        s->daily[h] = 1;
    for (int d = 0; d < 7; d++)
        s->weekly[d] = 1;
    return s;
}

void synth_spec_free(struct synth_spec *s)
{
    if (!s)
        return;
    deployments_free(s->services);
    arena_free(s->memory);
    free(s);
}

char *synth_path_beside(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    size_t directory = *path != '/' && slash ? (size_t)(slash - file) + 1 : 0,
           size = directory + strlen(path) + 1;
    char *beside = mem_new(size, 1);
    snprintf(beside, size, "%.*s%s", (int)directory, file, path);
    return beside;
}

void synth_projects_zipf(struct synth_spec *s, size_t n, const char **name, double exponent)
{
    s->projects =
        (struct synth_names){ n, name, arena_alloc(s->memory, n * sizeof *s->projects.weight) };
    if (!name)
        s->projects.name = arena_alloc(s->memory, n * sizeof *s->projects.name);
    for (size_t k = 0; k < n; k++) {
        char text[32];
        s->projects.weight[k] = pow((double)(k + 1), -exponent);
        if (!name)
            s->projects.name[k] = arena_text(
                s->memory, text, (size_t)snprintf(text, sizeof text, "project%zu", k + 1));
    }
}
