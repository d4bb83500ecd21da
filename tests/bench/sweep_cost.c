/* sweep_cost GPUYARD EXPERIMENT DIR TIMES - what a sweep costs above its runs, in processor time.
 *
 * The runs: each point of the experiment in this process, one after the other, from run_new() to its summary: nothing else counts.
 * The sweep: the whole of `gpuyard sweep -j1` with its workers, from reading the inputs to sweep.csv. In turn, TIMES times over; prints
 * the number of points and the least of either, in seconds. Options that shape the jobs must not vary in the experiment. */
#define _DEFAULT_SOURCE /* wait4 */
#include "sim/cli/settings.h"
#include "sim/cli/sweep.h"
#include "sim/run/run.h"
#include "sim/run/summary.h"

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

static int run_point(const struct sweep *s, size_t i, double *took_s, struct error *err)
{
    struct point_command c;
    struct plan p = { .options = NULL };
    int status = point_command_make(&c, s->experiment, &s->grid->point[i], NULL, NULL, err);
    if (status == EXIT_OK)
        status = plan_look_up(&p, &c.options, err);
    if (status == EXIT_OK) {
        double begin_s = processor_s();
        struct sched *run = run_new(&(struct run_setup){
            .cluster = s->cluster[0].cluster, .workload = s->trace[0].workload[0], .policy = p.policy.policy, .policy_params = p.policy.params,
            .placer = p.placer.placer, .placer_params = p.placer.params, .seed = (uint64_t)c.options.seed });
        status = run_execute(run, err);
        struct summary *summary = summary_make(run);
        summary_free(summary);
        run_free(run);
        *took_s += processor_s() - begin_s;
    }
    plan_free(&p);
    point_command_free(&c);
    return status;
}

static int run_all(const struct sweep *s, double *took_s, struct error *err)
{
    int status = EXIT_OK;
    *took_s = 0;
    for (size_t i = 0; i < s->grid->n && status == EXIT_OK; i++)
        status = run_point(s, i, took_s, err);
    return status;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* In a directory of its own: where files were just deleted, ext4 makes new ones slowly. wait4() counts what the workers used, too:
 * the sweep has waited for them. */
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
    if (argc != 5) {
        fprintf(stderr, "usage: sweep_cost GPUYARD EXPERIMENT DIR TIMES\n");
        return EXIT_USAGE;
    }
    int status = sweep_read(&s, argv[2], &err);
    if (status == EXIT_OK)
        status = sweep_read_inputs(&s, &err);
    if (status == EXIT_OK)
        status = run_bind(s.cluster[0].cluster, s.trace[0].workload[0], &err) ? EXIT_INPUT : EXIT_OK;
    for (int t = 0; t < atoi(argv[4]) && status == EXIT_OK; t++) {
        status = run_all(&s, &took_s, &err);
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
