/* make_trace JOBS GPUS LOAD SEED [QUEUES] - a native trace: Poisson arrivals, exponential
 * durations of mean one hour, 1 to 64 GPUs.
 *
 * The arrival rate is such that work arrives at LOAD times what GPUS can do. With QUEUES each
 * job is of one of that many queues, q0 and on, all alike. Draws are attached to the job. */
#include "sim/io/output.h"
#include "sim/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct { unsigned gpus; double share; } sizes[] = { { 1, .50 },  { 2, .15 },  { 4, .12 }, { 8, .12 },
                                                                 { 16, .06 }, { 32, .03 }, { 64, .02 } };
enum { SIZES = sizeof sizes / sizeof sizes[0], MEAN_S = 3600 };

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: make_trace JOBS GPUS LOAD SEED [QUEUES]\n");
        return 2;
    }
    long jobs = atol(argv[1]);
    double mean_gpus = 0, gap_s, now_s = 0;
    for (int i = 0; i < SIZES; i++)
        mean_gpus += sizes[i].gpus * sizes[i].share;
    gap_s = mean_gpus * MEAN_S / (atof(argv[2]) * atof(argv[3]));
    struct output *o = output_stream(STDOUT_FILENO, "stdout");
    struct random arrivals, durations, widths, owners;
    uint64_t queues = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
    uint64_t seed = strtoull(argv[4], NULL, 10);
    random_init(&arrivals, seed, "arrivals", 0);
    random_init(&durations, seed, "durations", 0);
    random_init(&widths, seed, "sizes", 0);
    random_init(&owners, seed, "queues", 0);
    out_text(o, queues ? "job_id,submit_s,duration_s,gpus,queue\n" : "job_id,submit_s,duration_s,gpus\n");
    for (long j = 0; j < jobs; j++) {
        now_s += -log(random_uniform(&arrivals)) * gap_s;
        double duration_s = -log(random_uniform(&durations)) * MEAN_S, u = random_uniform(&widths);
        int k = 0;
        while (k < SIZES - 1 && (u -= sizes[k].share) > 0)
            k++;
        out_integer(o, j);
        out_char(o, ',');
        out_decimal(o, (int64_t)(now_s * 1000), 1000);
        out_char(o, ',');
        out_decimal(o, (int64_t)(duration_s * 1000) + 1, 1000);
        out_char(o, ',');
        out_integer(o, sizes[k].gpus);
        if (queues) {
            out_text(o, ",q");
            out_integer(o, (int64_t)random_below(&owners, queues));
        }
        out_char(o, '\n');
    }
    struct error err = { "" };
    if (output_commit(o, &err) != 0) {
        fprintf(stderr, "make_trace: %s\n", err.text);
        return 1;
    }
    return 0;
}
