/* faults.c - LD_PRELOAD: makes the Nth call of one kind fail, as FAULT says: KIND:N:ERRNO[:on].
 *
 * KIND is alloc, open, read, write, short (a write of half), close, mkdir, rename (also one that exchanges)
 * or exchange; with ":on" every later call of the kind fails, too. Only calls about the process's own files and memory
 * count: descriptors above 2. When the call came, the file FAULT_MARK is there: a run that went
 * well without it had fewer than N. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
int rename(const char *from, const char *to);
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);

static long calls;
static int fails(const char *kind)
{
    const char *fault = getenv("FAULT"), *mark = getenv("FAULT_MARK");
    size_t length = strlen(kind);
    char *rest;
    if (!fault || strncmp(fault, kind, length) || fault[length] != ':')
        return 0;
    long at = strtol(fault + length + 1, &rest, 10), now = ++calls;
    if (now < at)
        return 0;
    long number = strtol(rest + 1, &rest, 10);
    if (now > at && strcmp(rest, ":on"))
        return 0;
    if (now == at && mark)
        syscall(SYS_close, (int)syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0666));
    errno = (int)number;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails("alloc") ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails("alloc") ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails("alloc") ? NULL : __libc_realloc(old, bytes);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
    va_end(args);
    return fails("open") ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t read(int fd, void *to, size_t bytes)
{
    return fd > 2 && fails("read") ? -1 : syscall(SYS_read, fd, to, bytes);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
    if (fd > 2 && fails("write"))
        return -1;
    return syscall(SYS_write, fd, from, fd > 2 && bytes > 1 && fails("short") ? bytes / 2 : bytes);
}

int close(int fd)
{
    int failed = fd > 2 && fails("close"), number = errno, result = (int)syscall(SYS_close, fd);
    if (failed)
        errno = number;
    return failed ? -1 : result;
}

int mkdir(const char *path, mode_t mode)
{
    return fails("mkdir") ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int rename(const char *from, const char *to)
{
    return fails("rename") ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    return fails("rename") || fails("exchange") ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
