/* packing CLUSTER TRACE PLACER SEEDS TIMES - jobs a second that a placer places or refuses when
 * a trace is packed until its jobs ask for 130 % of the GPUs: one run a seed, in this process,
 * nothing written. Reading is not counted; setting a run up is.
 *
 * Prints the jobs of all seeds and the least of TIMES processor times in seconds that they took. */
#include "policies/registry.h"
#include "sim/engine/run.h"
#include "sim/cluster/cluster_file.h"
#include "traces/formats/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PERCENT 130

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const struct policy *policy_named(const char *name)
{
    size_t i = 0;
    while (builtin_policies[i] && strcmp(builtin_policies[i]->name, name))
        i++;
    return builtin_policies[i];
}

static const struct placer *placer_named(const char *name)
{
    size_t i = 0;
    while (builtin_placers[i] && strcmp(builtin_placers[i]->name, name))
        i++;
    return builtin_placers[i];
}

/* The stream of one seed. */
static struct workload *stream(const char *cluster, const char *trace, uint64_t seed, struct cluster **c, struct error *err)
{
    char sha256[65];
    const struct trace_format *used;
    *c = cluster_read(cluster, NULL, sha256, err);
    struct workload *w = *c ? trace_read_sizes(trace, NULL, &used, sha256, err) : NULL;
    if (w && (run_bind(*c, w, err) || workload_stream(w, (*c)->gpus * MILLI_ALL * PERCENT / 100, seed, err))) {
        workload_free(w);
        w = NULL;
    }
    return w;
}

static int play(const struct cluster *c, struct workload *w, const struct placer *placer, uint64_t seed, struct error *err)
{
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = policy_named("loss"),
                                                   .placer = placer, .seed = seed, .until_ns = w->facts[w->n_jobs - 1].submit_ns });
    int result = run_execute(s, err);
    run_free(s);
    return result;
}

int main(int argc, char **argv)
{
    struct error err = { "" };
    const struct placer *placer = argc == 6 ? placer_named(argv[3]) : NULL;
    uint64_t jobs = 0;
    double sum_s = 0;
    if (!placer) {
        fprintf(stderr, "usage: packing CLUSTER TRACE PLACER SEEDS TIMES\n");
        return 2;
    }
    for (int seed = 1; seed <= atoi(argv[4]) && !err.text[0]; seed++) {
        struct cluster *c;
        struct workload *w = stream(argv[1], argv[2], (uint64_t)seed, &c, &err);
        double least_s = 0;
        for (int t = 0; w && t < atoi(argv[5]); t++) {
            double begin_s = processor_s();
            if (play(c, w, placer, (uint64_t)seed, &err))
                break;
            double took_s = processor_s() - begin_s;
            least_s = t == 0 || took_s < least_s ? took_s : least_s;
        }
        jobs += w ? w->n_jobs : 0;
        sum_s += least_s;
        workload_free(w);
        cluster_free(c);
    }
    if (err.text[0])
        fprintf(stderr, "packing: %s\n", err.text);
    else
        printf("%" PRIu64 " %.6f\n", jobs, sum_s);
    return err.text[0] != '\0';
}
