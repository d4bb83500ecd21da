/* make_trace JOBS GPUS LOAD SEED [QUEUES [USERS]] - a native trace: Poisson arrivals, exponential
 * durations of mean one hour, 1 to 64 GPUs.
 *
 * The arrival rate is such that work arrives at LOAD times what GPUS can do. With QUEUES each
 * job is of one of that many queues, q0 and on, all alike. With USERS it has what makes policies
 * work for their decisions: one of that many users, a priority (half of the jobs 0, a third 10, the
 * others 20), and an estimate of 1 to 5 times its duration. Draws are attached to the job. */
#include "sim/io/output.h"
#include "sim/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct { unsigned gpus; double share; } sizes[] = { { 1, .50 },  { 2, .15 },  { 4, .12 }, { 8, .12 },
                                                                 { 16, .06 }, { 32, .03 }, { 64, .02 } };
enum { SIZES = sizeof sizes / sizeof sizes[0], MEAN_S = 3600 };

struct draws { struct random arrivals, durations, widths, owners, users, priorities, estimates; };

static void begin_draws(struct draws *d, uint64_t seed)
{
    random_init(&d->arrivals, seed, "arrivals", 0);
    random_init(&d->durations, seed, "durations", 0);
    random_init(&d->widths, seed, "sizes", 0);
    random_init(&d->owners, seed, "queues", 0);
    random_init(&d->users, seed, "users", 0);
    random_init(&d->priorities, seed, "priorities", 0);
    random_init(&d->estimates, seed, "estimates", 0);
}

static unsigned draw_gpus(struct draws *d)
{
    double u = random_uniform(&d->widths);
    int k = 0;
    while (k < SIZES - 1 && (u -= sizes[k].share) > 0)
        k++;
    return sizes[k].gpus;
}

static void out_owner(struct output *o, struct draws *d, uint64_t queues, uint64_t users, double duration_s)
{
    if (queues) {
        out_text(o, ",q");
        out_integer(o, (int64_t)random_below(&d->owners, queues));
    }
    if (!users)
        return;
    static const int priority[] = { 0, 0, 0, 10, 10, 20 };
    out_text(o, ",u");
    out_integer(o, (int64_t)random_below(&d->users, users));
    out_char(o, ',');
    out_integer(o, priority[random_below(&d->priorities, sizeof priority / sizeof *priority)]);
    out_char(o, ',');
    out_decimal(o, (int64_t)(duration_s * (1 + 4 * random_uniform(&d->estimates)) * 1000) + 1, 1000);
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 7) {
        fprintf(stderr, "usage: make_trace JOBS GPUS LOAD SEED [QUEUES [USERS]]\n");
        return 2;
    }
    long jobs = atol(argv[1]);
    double mean_gpus = 0, gap_s, now_s = 0;
    for (int i = 0; i < SIZES; i++)
        mean_gpus += sizes[i].gpus * sizes[i].share;
    gap_s = mean_gpus * MEAN_S / (atof(argv[2]) * atof(argv[3]));
    struct output *o = output_stream(STDOUT_FILENO, "stdout");
    struct draws d;
    uint64_t queues = argc > 5 ? strtoull(argv[5], NULL, 10) : 0, users = argc > 6 ? strtoull(argv[6], NULL, 10) : 0;
    begin_draws(&d, strtoull(argv[4], NULL, 10));
    out_text(o, "job_id,submit_s,duration_s,gpus");
    out_text(o, queues ? ",queue" : "");
    out_text(o, users ? ",user,priority,estimate_s\n" : "\n");
    for (long j = 0; j < jobs; j++) {
        now_s += -log(random_uniform(&d.arrivals)) * gap_s;
        double duration_s = -log(random_uniform(&d.durations)) * MEAN_S;
        out_integer(o, j);
        out_char(o, ',');
        out_decimal(o, (int64_t)(now_s * 1000), 1000);
        out_char(o, ',');
        out_decimal(o, (int64_t)(duration_s * 1000) + 1, 1000);
        out_char(o, ',');
        out_integer(o, draw_gpus(&d));
        out_owner(o, &d, queues, users, duration_s);
        out_char(o, '\n');
    }
    struct error err = { "" };
    if (output_commit(o, &err) != 0) {
        fprintf(stderr, "make_trace: %s\n", err.text);
        return 1;
    }
    return 0;
}
