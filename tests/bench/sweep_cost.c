/* sweep_cost GPUYARD EXPERIMENT DIR TIMES - what a sweep costs above its runs, in processor
 * time.
 *
 * The runs: each point of the experiment in this process, one after the other, from run_new() to
 * its summary: nothing else counts. The sweep: the whole of `gpuyard sweep -j1` with its
 * workers, from reading the inputs to sweep.csv. In turn, TIMES times over, on one processor, so
 * that no process is moved; prints the number of points and the least of either, in seconds.
 * Options that shape the jobs must not vary in the experiment. */
#define _GNU_SOURCE /* sched_setaffinity, wait4 */
#include "sim/cli/run/play.h"
#include "sim/cli/sweep/sweep.h"
#include "sim/engine/run.h"
#include "sim/results/summary.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The jobs and the cluster are shaped once, as a worker does it. */
static int prepare(const struct sweep *s, bool *shaped, struct plan *p, const struct run_options *options, struct error *err)
{
    int status = plan_look_up(p, options, err);
    p->cluster = s->cluster[0].cluster;
    p->workload = s->trace[0].workload[0];
    p->trace.format = s->trace[0].format;
    if (status == EXIT_OK && !*shaped)
        status = plan_shape(p, err);
    *shaped = true;
    if (status == EXIT_OK)
        plan_settle(p);
    return status;
}

static int run_point(const struct sweep *s, size_t i, bool *shaped, double *took_s, struct error *err)
{
    struct point_command c;
    struct plan p = { .options = NULL };
    int status = point_command_make(&c, s->experiment, &s->grid->point[i], NULL, NULL, err);
    if (status == EXIT_OK)
        status = prepare(s, shaped, &p, &c.options, err);
    if (status == EXIT_OK) {
        double begin_s = processor_s();
        struct run_setup setup = play_run_setup(&p);
        struct sched *run = run_new(&setup);
        status = run_execute(run, err);
        struct summary *summary = summary_make(run);
        summary_free(summary);
        run_free(run);
        *took_s += processor_s() - begin_s;
    }
    p.cluster = NULL;
    p.workload = NULL;
    plan_free(&p);
    point_command_free(&c);
    return status;
}

static void stay_here(void)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET((size_t)sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
}

static int run_all(const struct sweep *s, bool *shaped, double *took_s, struct error *err)
{
    int status = EXIT_OK;
    *took_s = 0;
    for (size_t i = 0; i < s->grid->n && status == EXIT_OK; i++)
        status = run_point(s, i, shaped, took_s, err);
    return status;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* In a directory of its own: where files were just deleted, ext4 makes new ones slowly. wait4()
 * counts what the workers used, too: the sweep has waited for them. */
static int sweep_once(char *const *argv, int time, double *took_s)
{
    int status;
    char directory[4096];
    struct rusage used;
    snprintf(directory, sizeof directory, "%s/%d", argv[3], time);
    pid_t child = fork();
    if (child == 0) {
        execl(argv[1], argv[1], "sweep", argv[2], "-q", "-j1", "-o", directory, NULL);
        _exit(127);
    }
    if (wait4(child, &status, 0, &used) != child || status != 0)
        return EXIT_FAILED;
    *took_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    struct error err = { "" };
    struct sweep s = { .lock = -1 };
    double runs_s = 0, sweep_s = 0, took_s;
    bool shaped = false;
    if (argc != 5) {
        fprintf(stderr, "usage: sweep_cost GPUYARD EXPERIMENT DIR TIMES\n");
        return EXIT_USAGE;
    }
    stay_here();
    int status = sweep_read(&s, argv[2], &err);
    if (status == EXIT_OK)
        status = sweep_read_inputs(&s, &err);
    for (int t = 0; t < atoi(argv[4]) && status == EXIT_OK; t++) {
        status = run_all(&s, &shaped, &took_s, &err);
        runs_s = t == 0 || took_s < runs_s ? took_s : runs_s;
        if (status == EXIT_OK)
            status = sweep_once(argv, t, &took_s);
        sweep_s = t == 0 || took_s < sweep_s ? took_s : sweep_s;
    }
    if (status == EXIT_OK)
        printf("%zu %.6f %.6f\n", s.grid->n, runs_s, sweep_s);
    else
        fprintf(stderr, "sweep_cost: %s\n", err.text);
    sweep_free(&s);
    return status;
}
