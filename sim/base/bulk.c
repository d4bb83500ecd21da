/* bulk.c - see bulk.h. Before the elements lies a head that says where the array is. Of an array in
 * a file the head has a page of memory, and the file is mapped behind it. */
#define _DEFAULT_SOURCE           /* madvise() */
#include "sim/base/bulk.h"

#include "sim/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct head {
    size_t bytes, resident;       /* of the elements; of these, so many may be in memory */
    int fd;                       /* of their file; -1: they are in memory */
};
enum { HEAD = 32 };               /* bytes before the elements, which are aligned for any type */
_Static_assert(sizeof(struct head) <= HEAD && HEAD % alignof(max_align_t) == 0, "a head is there");

static struct head *head_of(const void *array)
{
    return (struct head *)((uintptr_t)array - HEAD);
}

static void *elements_of(struct head *h)
{
    return (char *)h + HEAD;
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- Files ---- */

static const char *directory(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given ? given : "/var/tmp";
}

static _Noreturn void no_room(int error)
{
    mem_ends("%s: a workload of so many jobs wants a file there: %s; TMPDIR names another "
             "directory, with a larger --resident-mib less is wanted",
             directory(), strerror(error));
}

/* Once a process. */
static void say_no_files(int error)
{
    static bool said;
    if (!said)
        fprintf(stderr, "gpuyard: warning: %s: no file for tables of jobs can be made there: %s; they stay in memory, "
                        "TMPDIR names another directory\n", directory(), strerror(error));
    said = true;
}

/* -1: there can be none. */
static int file_new(void)
{
    char path[4096];
    bool fits = snprintf(path, sizeof path, "%s/gpuyard.XXXXXX", directory()) < (int)sizeof path;
    int fd = fits ? mkstemp(path) : -1;
    if (fd < 0) {
        say_no_files(fits ? errno : ENAMETOOLONG);
        return fd;
    }
    unlink(path);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Maps a file, which gets that size and keeps its contents. */
static struct head *file_map(int fd, size_t bytes, size_t resident)
{
    size_t page = page_bytes();
    int failed = bytes > INT64_MAX / 2 ? EFBIG : posix_fallocate(fd, 0, (off_t)bytes);
    if (failed)
        no_room(failed);
    const int both = PROT_READ | PROT_WRITE;
    char *at = mmap(NULL, page + bytes, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED ||
        mmap(at + page, bytes, both, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        no_room(errno);
    /* Else the kernel reads ahead what nothing is in yet, in folios of many pages, and each page
     * that is then written costs as much as the whole folio. */
    madvise(at + page, bytes, MADV_RANDOM);
    struct head *h = head_of(at + page);
    *h = (struct head){ bytes, resident, fd };
    return h;
}

static void file_unmap(struct head *h)
{
    size_t page = page_bytes();
    munmap((char *)elements_of(h) - page, page + h->bytes);
}

/* ---- Arrays ---- */

static struct head *in_memory(struct head *old, size_t bytes, size_t resident)
{
    size_t all;
    if (__builtin_add_overflow(bytes, HEAD, &all))
        mem_exhausted();
    struct head *h = mem_resize(old, all, 1);
    *h = (struct head){ bytes, resident, -1 };
    return h;
}

static struct head *to_file(struct head *old, size_t bytes, size_t resident)
{
    int fd = file_new();
    if (fd < 0)
        return in_memory(old, bytes, resident);
    struct head *h = file_map(fd, bytes, resident);
    if (old)
        memcpy(elements_of(h), elements_of(old), old->bytes < bytes ? old->bytes : bytes);
    free(old);
    return h;
}

static struct head *file_resized(struct head *old, size_t bytes)
{
    int fd = old->fd;
    size_t resident = old->resident;
    file_unmap(old);
    if (ftruncate(fd, (off_t)bytes) != 0)
        no_room(errno);
    return file_map(fd, bytes, resident);
}

void *bulk_resize(void *old, size_t count, size_t size, size_t resident)
{
    struct head *h = old ? head_of(old) : NULL;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mem_exhausted();
    bool in_file = h && h->fd >= 0, beyond = resident && bytes > resident;
    return elements_of(in_file  ? file_resized(h, bytes)
                       : beyond ? to_file(h, bytes, resident)
                                : in_memory(h, bytes, resident));
}

void bulk_free(void *array)
{
    struct head *h = array ? head_of(array) : NULL;
    int fd = h ? h->fd : -1;
    if (fd < 0) {
        free(h);
        return;
    }
    file_unmap(h);
    close(fd);
}

void bulk_filled(void *array)
{
    struct head *h = head_of(array);
    if (h->fd >= 0)
        madvise(array, h->bytes, MADV_NORMAL);
}

size_t bulk_capacity(size_t capacity)
{
    enum { LEAST = 1024, LARGE = 1 << 24 };
    return capacity < LEAST ? LEAST : capacity < LARGE ? capacity * 2 : capacity + capacity / 4;
}

void bulk_enlarge(void *array_pointer, size_t *capacity, size_t size, size_t resident)
{
    void *array;
    memcpy(&array, array_pointer, sizeof array);
    *capacity = bulk_capacity(*capacity);
    array = bulk_resize(array, *capacity, size, resident);
    memcpy(array_pointer, &array, sizeof array);
}

/* ---- Giving back ---- */

void bulk_drop(const void *array, size_t from, size_t to, size_t size)
{
    const struct head *h = array ? head_of(array) : NULL;
    if (!h || h->fd < 0)
        return;
    size_t page = page_bytes(), first = from * size / page * page, end = to * size;
    end = end < h->bytes ? end / page * page : h->bytes;
    if (first < end)
        madvise((void *)((uintptr_t)array + first), end - first, MADV_DONTNEED);
}

void bulk_pass(const void *array, size_t i, size_t size)
{
    size_t turn = i / BULK_BLOCK, back = 2 * (turn & -turn) * BULK_BLOCK;
    bulk_drop(array, i > back ? i - back : 0, i, size);
}

void bulk_fill(const void *array, size_t i, size_t size)
{
    size_t kept = array ? head_of(array)->resident / size : 0, from = i - BULK_BLOCK;
    bulk_drop(array, from > kept ? from : kept, i, size);
}

/* ---- Texts ---- */

enum { CHUNK = 16 << 20 };

struct bulk_texts {
    char **chunk;                 /* each a bulk array of CHUNK bytes */
    size_t n, capacity, used;     /* used: of the last chunk */
};

struct bulk_texts *bulk_texts_new(void)
{
    return mem_new(1, sizeof(struct bulk_texts));
}

void bulk_texts_free(struct bulk_texts *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        bulk_free(t->chunk[i]);
    free(t->chunk);
    free(t);
}

char *bulk_text(struct bulk_texts *t, const char *text, size_t length)
{
    if (!t->n || length >= CHUNK - t->used) {
        if (t->n)
            bulk_filled(t->chunk[t->n - 1]);
        bulk_texts_drop(t);
        mem_grow(&t->chunk, &t->capacity, t->n, sizeof *t->chunk);
        t->chunk[t->n++] = bulk_resize(NULL, length < CHUNK ? CHUNK : length + 1, 1, 1);
        t->used = 0;
    }
    char *copy = memcpy(t->chunk[t->n - 1] + t->used, text, length);
    copy[length] = '\0';
    t->used += length + 1;
    return copy;
}

void bulk_texts_drop(const struct bulk_texts *t)
{
    for (size_t i = 0; t && t->n > 1 && i < t->n; i++)
        bulk_drop(t->chunk[i], 0, CHUNK, 1);
}
