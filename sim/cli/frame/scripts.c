/* scripts.c - see scripts.h. */
#include "sim/cli/frame/scripts.h"

#include "sim/cli/frame/cli.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SIGNALLED = 128 };

static bool is_scripts(const char *directory)
{
    char path[SCRIPTS_PATH];
    int n = snprintf(path, sizeof path, "%s/" SCRIPTS_PLOT, directory);
    return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0;
}

int scripts_find(char to[SCRIPTS_PATH])
{
    static const char *const near[] = { "../share/gpuyard/scripts", "scripts", "../scripts", "../../scripts" };
    const char *given = getenv("GPUYARD_SCRIPTS");
    if (given && *given) {
        snprintf(to, SCRIPTS_PATH, "%s", given);
        return is_scripts(to) ? EXIT_OK
                              : complain(EXIT_FAILED, "%s: no plotting scripts there (GPUYARD_SCRIPTS)", given);
    }
    char self[SCRIPTS_PATH / 2];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof near / sizeof *near; i++) {
        snprintf(to, SCRIPTS_PATH, "%s/%s", self, near[i]);
        if (is_scripts(to))
            return EXIT_OK;
    }
    return complain(EXIT_FAILED, "no plotting scripts beside %s: say where they are in GPUYARD_SCRIPTS", self);
}

int scripts_run(const char **argv)
{
    pid_t child;
    int status;
    posix_spawnattr_t attributes;
    sigset_t usual;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    fflush(stdout);
    sigaction(SIGINT, &ignore, &before);    /* it is the script that cleans up */
    int result = posix_spawn(&child, "/bin/sh", NULL, &attributes, (char *const *)(void *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    if (result == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    sigaction(SIGINT, &before, NULL);
    if (result)
        return complain(EXIT_FAILED, "cannot start /bin/sh: %s", strerror(result));
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}
