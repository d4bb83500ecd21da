/* bulk.c - see bulk.h. Before the elements lies a head that says where the array is. Of an array in
 * a file the head has a page of memory, and the file is mapped behind it. */
#define _GNU_SOURCE               /* madvise(), mremap() */
#include "sim/base/bulk.h"

#include "sim/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct head {
    size_t bytes, resident;       /* of the elements; of these, so many may be in memory */
    _Atomic size_t low, high;     /* these bytes are memory, whole pages or up to the end; the others are in the file, as any
                                     thread may rely on that finds it so */
    int fd;                       /* of the file; -1: there is none, all are in memory */
    atomic_bool stores;           /* a thread is in bulk_filled_to() */
};
enum { HEAD = 48 };               /* bytes before the elements, which are aligned for any type */
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

static void write_all(int fd, const char *from, size_t bytes, size_t at)
{
    while (bytes) {
        ssize_t n = pwrite(fd, from, bytes, (off_t)at);
        if (n < 0 && errno != EINTR)
            no_room(errno);
        size_t done = n < 0 ? 0 : (size_t)n;
        from += done;
        at += done;
        bytes -= done;
    }
}

static void read_all(int fd, char *to, size_t bytes, size_t at)
{
    while (bytes) {
        ssize_t n = pread(fd, to, bytes, (off_t)at);
        if (n == 0 || (n < 0 && errno != EINTR))
            mem_ends("%s: a file with tables of jobs cannot be read: %s", directory(), n ? strerror(errno) : "it is too short");
        size_t done = n < 0 ? 0 : (size_t)n;
        to += done;
        at += done;
        bytes -= done;
    }
}

/* Made elsewhere and moved there, as ThreadSanitizer takes mmap() for a write to the bytes, which another thread may be reading. */
static void map_part(struct head *h, size_t from, size_t to)
{
    char *at = (char *)elements_of(h) + from;
    void *file = mmap(NULL, to - from, PROT_READ | PROT_WRITE, MAP_SHARED, h->fd, (off_t)from);
    if (file == MAP_FAILED || mremap(file, to - from, to - from, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED)
        no_room(errno);
}

/* What of the bytes up to there is memory goes to the file, and comes back from there when it is read. That is cheaper than pages
 * that are written one by one through a mapping of the file. Who reads these bytes meanwhile finds one or the other, which are the
 * same: the kernel changes a mapping as a whole. */
static void store(struct head *h, size_t bytes)
{
    size_t low = h->low, to = bytes < h->high ? bytes / page_bytes() * page_bytes() : h->high;
    if (h->fd < 0 || to <= low)
        return;
    write_all(h->fd, (char *)elements_of(h) + low, to - low, low);
    map_part(h, low, to);
    h->low = to;
}

static void map_memory(struct head *h, size_t from, size_t to)
{
    if (to > from && mmap((char *)elements_of(h) + from, to - from, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        no_room(errno);
}

/* Memory for the bytes from there to `end`: the first `bytes` of it are pages that are memory elsewhere, where nothing is then.
 * That saves making new ones. Where they were stays mapped, so that no other thread gets memory there. */
static void move_memory(struct head *h, size_t from, size_t bytes, size_t to, size_t end)
{
    char *at = elements_of(h);
    bool moved = false;
    bytes = bytes < end - to ? bytes : end - to;
#ifdef MREMAP_DONTUNMAP                   /* Linux 5.7 */
    moved = bytes && mremap(at + from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, at + to) != MAP_FAILED;
#endif
    map_memory(h, moved ? to + bytes : to, end);
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

/* Memory for so many bytes, of which the file holds the first `stored`, whole pages. */
static struct head *file_map(int fd, size_t bytes, size_t resident, size_t stored)
{
    size_t page = page_bytes();
    const int both = PROT_READ | PROT_WRITE;
    char *at = bytes > INT64_MAX / 2 ? MAP_FAILED
                                     : mmap(NULL, page + bytes, both, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || (stored && mmap(at + page, stored, both, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED))
        no_room(errno);
    struct head *h = head_of(at + page);
    *h = (struct head){ .bytes = bytes, .resident = resident, .low = stored, .high = bytes, .fd = fd };
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
    struct head *h = old ? mem_resize(old, all, 1) : mem_new(all, 1);
    *h = (struct head){ .bytes = bytes, .resident = resident, .high = bytes, .fd = -1 };
    return h;
}

/* What was in memory goes to the file without being copied, but for the part of a page at its end. */
static struct head *to_file(struct head *old, size_t bytes, size_t resident)
{
    int fd = file_new();
    if (fd < 0)
        return in_memory(old, bytes, resident);
    size_t kept = !old ? 0 : old->bytes < bytes ? old->bytes : bytes, stored = kept / page_bytes() * page_bytes();
    if (old)
        write_all(fd, elements_of(old), stored, 0);
    struct head *h = file_map(fd, bytes, resident, stored);
    if (old)
        memcpy((char *)elements_of(h) + stored, (char *)elements_of(old) + stored, kept - stored);
    free(old);
    return h;
}

/* The last elements may be a part of a page, which is not in the file by itself. */
static struct head *file_resized(struct head *old, size_t bytes)
{
    size_t kept = old->bytes < bytes ? old->bytes : bytes, page = page_bytes();
    store(old, kept);
    size_t in_file = old->low < old->high ? old->low : old->bytes, whole = kept / page * page;
    size_t stored = whole < in_file ? whole : in_file;
    struct head *h = file_map(old->fd, bytes, old->resident, stored);
    memcpy((char *)elements_of(h) + stored, (char *)elements_of(old) + stored, kept - stored);
    file_unmap(old);
    if (ftruncate(h->fd, (off_t)stored) != 0)
        no_room(errno);
    return h;
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

void bulk_ahead(const void *array, size_t i, size_t n, size_t size)
{
    struct head *h = head_of(array);
    size_t page = page_bytes(), begin = (size_t)array + i * size, end = i * size + n * size;
    end = (size_t)array + (end < h->bytes ? end : h->bytes);
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
#ifdef MADV_POPULATE_WRITE                /* Linux 5.14 */
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#endif
}

void bulk_filled(void *array)
{
    store(head_of(array), SIZE_MAX);
}

void bulk_filled_to(const void *array, size_t to, size_t size)
{
    struct head *h = head_of(array);
    if (h->fd < 0 || atomic_exchange(&h->stores, true))
        return;
    store(h, to * size);
    atomic_store(&h->stores, false);
}

void bulk_put(void *array, size_t i, const void *from, size_t n, size_t size)
{
    struct head *h = head_of(array);
    if (h->fd < 0)
        memcpy((char *)array + i * size, from, n * size);
    else
        write_all(h->fd, from, n * size, i * size);
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

static void give_back(struct head *h, size_t from, size_t to)
{
    if (from < to)
        madvise((char *)elements_of(h) + from, to - from, MADV_DONTNEED);
}

void bulk_drop(const void *array, size_t from, size_t to, size_t size)
{
    struct head *h = array ? head_of(array) : NULL;
    if (!h || h->fd < 0)
        return;
    size_t page = page_bytes(), first = from * size / page * page, end = to * size;
    size_t low = h->low, high = whole_pages(h->high);
    end = end < h->bytes ? end / page * page : h->bytes;
    give_back(h, first, end < low ? end : low);
    give_back(h, first > high ? first : high, end);
}

void bulk_pass(const void *array, size_t i, size_t size)
{
    size_t turn = i / BULK_BLOCK, back = 2 * (turn & -turn) * BULK_BLOCK;
    bulk_drop(array, i > back ? i - back : 0, i, size);
}

/* The next block has the memory of the last one, which goes to the file. */
void bulk_fill(const void *array, size_t i, size_t size)
{
    struct head *h = array ? head_of(array) : NULL;
    size_t to = i * size, block = BULK_BLOCK * size;
    if (!h || h->fd < 0 || to <= h->low || to >= h->high || to % page_bytes())
        return;
    size_t end = to + block < h->bytes ? to + block : whole_pages(h->bytes);
    write_all(h->fd, (char *)elements_of(h) + h->low, to - h->low, h->low);
    if (to >= h->low + block)
        move_memory(h, to - block, block, to, end);
    map_part(h, h->low, to);
    h->low = to;
}

void bulk_edit(const void *array, size_t i, size_t size)
{
    struct head *h = head_of(array);
    size_t from = i * size, block = BULK_BLOCK * size;
    if (h->fd < 0 || from >= h->bytes || from % page_bytes())
        return;
    const size_t low = h->low, high = h->high, to = from + block < h->bytes ? from + block : h->bytes;
    bool follows = low < high && high <= from && low % block == 0;    /* the block before is memory */
    if (follows)
        write_all(h->fd, (char *)elements_of(h) + low, high - low, low);
    else
        store(h, SIZE_MAX);
    move_memory(h, low, follows ? high - low : 0, from, whole_pages(to));
    if (follows)
        map_part(h, low, high);
    read_all(h->fd, (char *)elements_of(h) + from, to - from, from);
    h->low = from;
    h->high = to;
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

/* A single chunk stays memory. */
void bulk_texts_filled(const struct bulk_texts *t)
{
    if (t && t->n > 1)
        bulk_filled(t->chunk[t->n - 1]);
}

void bulk_texts_drop(const struct bulk_texts *t)
{
    for (size_t i = 0; t && i < t->n; i++)
        bulk_drop(t->chunk[i], 0, CHUNK, 1);
}
