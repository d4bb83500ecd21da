/* measure TIMES COMMAND... [-- COMMAND...] - runs up to 8 commands in turn, TIMES times over, and
 * prints for each its least wall time in seconds, its largest resident size in KiB and its least
 * processor time in seconds, of all its threads. In turn, because machines are noisy: what
 * disturbs one disturbs the other, and ratios hold. Standard output of the commands is dropped. */
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

struct measured { double least_s, least_cpu_s; long most_kib; };

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }
static double lesser(double least, double x) { return least == 0 || x < least ? x : least; }

/* 0: the command did not succeed. */
static int measure(char **command, struct measured *m)
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
    m->least_s = lesser(m->least_s, now_s() - begin_s);
    m->least_cpu_s = lesser(m->least_cpu_s, seconds(usage.ru_utime) + seconds(usage.ru_stime));
    m->most_kib = usage.ru_maxrss > m->most_kib ? usage.ru_maxrss : m->most_kib;
    return 1;
}

int main(int argc, char **argv)
{
    char **command[COMMANDS_MOST];
    struct measured m[COMMANDS_MOST] = { 0 };
    int n = 0, times = argc > 2 ? atoi(argv[1]) : 0;
    for (int i = 2; i < argc; i++) {
        if (i == 2 || !argv[i - 1]) {
            if (n == COMMANDS_MOST) {
                fprintf(stderr, "measure: want at most %d commands\n", COMMANDS_MOST);
                return 2;
            }
            command[n++] = &argv[i];
        }
        if (!strcmp(argv[i], "--"))
            argv[i] = NULL;
    }
    for (int t = 0; t < times; t++)
        for (int k = 0; k < n; k++)
            if (!measure(command[k], &m[k])) {
                fprintf(stderr, "measure: %s failed\n", command[k][0]);
                return 1;
            }
    for (int k = 0; k < n; k++)
        printf("%.4f %ld %.4f\n", m[k].least_s, m[k].most_kib, m[k].least_cpu_s);
    return n == 0;
}
