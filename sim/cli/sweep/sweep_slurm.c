/* sweep_slurm.c - the script that runs the shards of a sweep as a Slurm job array. See sweep.h. */
#include "sim/cli/sweep/sweep.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LONG = 4096 };

/* Between single quotes nothing means anything to the shell but their end. */
static void put_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){ *text, '\0' }, stdout);
    putchar('\'');
}

static const char *own_path(char to[PATH_LONG])
{
    ssize_t n = readlink("/proc/self/exe", to, PATH_LONG - 1);
    if (n <= 0)
        return "gpuyard";
    to[n] = '\0';
    return to;
}

/* Relative paths hold where it is submitted: a job begins there. */
void sweep_slurm(const struct sweep *s, const char *path, size_t shards, unsigned workers, bool keep_runs)
{
    char program[PATH_LONG];
    own_path(program);
    printf("#!/bin/sh\n"
           "#SBATCH --job-name=gpuyard-sweep\n"
           "#SBATCH --array=0-%zu\n"
           "#SBATCH --ntasks=1 --cpus-per-task=%u\n",
           shards - 1, workers ? workers : 1);
    printf("# %zu points of ", s->grid->n);
    for (const char *c = s->experiment->name; *c; c++)
        putchar((unsigned char)*c < ' ' ? '?' : *c);
    printf(" in %zu shards. Submit it with sbatch; submitted again, it goes on with what is missing. Then join them:\n#   ", shards);
    put_quoted(program);
    fputs(" merge ", stdout);
    put_quoted(s->directory);
    fputs("/shard-* -o ", stdout);
    put_quoted(s->directory);
    fputs("/merged\nexec ", stdout);
    put_quoted(program);
    fputs(" sweep ", stdout);
    put_quoted(path);
    printf(" --quiet --resume -j \"${SLURM_CPUS_PER_TASK:-1}\" --shard \"$SLURM_ARRAY_TASK_ID/%zu\"", shards);
    if (keep_runs)
        fputs(" --keep-runs", stdout);
    if (s->outputs && strcmp(s->outputs, "default") != 0) {
        fputs(" --outputs ", stdout);
        put_quoted(s->outputs);
    }
    fputs(" -o ", stdout);
    put_quoted(s->directory);
    fputs("\"/shard-$SLURM_ARRAY_TASK_ID\"\n", stdout);
}
