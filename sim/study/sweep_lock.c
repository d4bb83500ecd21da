/* sweep_lock.c - one sweep at a time in a directory. See sweep_files.h. */
#include "sim/study/sweep_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { PATH_LONG = 4096, TRIES = 20 };

/* The workers have it, too: those of a sweep that was killed are waited for, which end with it. */
int sweep_lock(const char *directory, struct error *err)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/.lock", directory);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_set(err, "%s: cannot create: %s", path, strerror(errno));
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fd;            /* a file system without locks */
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    }
    close(fd);
    return error_set(err, "%s: another sweep is at work there", directory);
}
