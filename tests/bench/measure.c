/* measure TIMES COMMAND... [-- COMMAND...] - runs the commands in turn, TIMES times over, and
 * prints for each its least wall time in seconds and its largest resident size in KiB. In turn,
 * because machines are noisy: what disturbs one disturbs the other, and ratios hold. Standard
 * output of the commands is dropped. */
#define _DEFAULT_SOURCE /* wait4 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MOST = 8 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* 0: the command did not succeed. */
static int measure(char **command, double *least_s, long *most_kib)
{
    double begin_s = now_s();
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
        return 0;
    double took_s = now_s() - begin_s;
    *least_s = *least_s == 0 || took_s < *least_s ? took_s : *least_s;
    *most_kib = usage.ru_maxrss > *most_kib ? usage.ru_maxrss : *most_kib;
    return 1;
}

int main(int argc, char **argv)
{
    char **command[COMMANDS_MOST];
    double least_s[COMMANDS_MOST] = { 0 };
    long most_kib[COMMANDS_MOST] = { 0 };
    int n = 0, times = argc > 2 ? atoi(argv[1]) : 0;
    for (int i = 2; i < argc && n < COMMANDS_MOST; i++) {
        if (i == 2 || !argv[i - 1])
            command[n++] = &argv[i];
        if (!strcmp(argv[i], "--"))
            argv[i] = NULL;
    }
    for (int t = 0; t < times; t++)
        for (int k = 0; k < n; k++)
            if (!measure(command[k], &least_s[k], &most_kib[k])) {
                fprintf(stderr, "measure: %s failed\n", command[k][0]);
                return 1;
            }
    for (int k = 0; k < n; k++)
        printf("%.4f %ld\n", least_s[k], most_kib[k]);
    return n == 0;
}
