/* output.c - see output.h. */
#define _GNU_SOURCE /* renameat2() */
#include "sim/io/output.h"

#include "sim/base/memory.h"
#include "sim/base/second.h"
#include "sim/io/provenance.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_CAPACITY ((size_t)256 << 10)

struct output {
    int fd;
    int failure;   /* errno of the first failed write; nothing is written after it */
    char *path;    /* the final one, also for messages */
    char *partial; /* where it is written until then; NULL for a stream */
    struct packer *packer; /* NULL: as it is */
    char *earlier; /* a second name for the old file, where it cannot take that of the unfinished one */
    const char *kept; /* where the old file waits while a commit may still fail; NULL: there is none */
    bool named;       /* the new file has its name */
    bool may_be_left;
    bool grows; /* no file: the buffer keeps all */
    size_t used, capacity;
    char *buffer;
};

static char *join(const char *directory, size_t directory_length, const char *before,
                  const char *name, const char *after)
{
    size_t bytes = directory_length + strlen(before) + strlen(name) + strlen(after) + 2;
    char *path = mem_resize(NULL, bytes, 1);
    snprintf(path, bytes, "%.*s/%s%s%s", (int)directory_length, directory, before, name, after);
    return path;
}

static struct output *new_output(int fd, char *path, char *partial, char *earlier)
{
    struct output *o = mem_new(1, sizeof *o);
    *o = (struct output){ .fd = fd, .path = path, .partial = partial, .earlier = earlier };
    o->capacity = OUTPUT_CAPACITY;
    o->buffer = mem_resize(NULL, o->capacity, 1);
    return o;
}

static void free_output(struct output *o)
{
    packer_free(o->packer);
    free(o->path);
    free(o->partial);
    free(o->earlier);
    free(o->buffer);
    free(o);
}

static int refuse_input(const char *path, struct error *err)
{
    return error_set(err, "%s: it is an input of this command: want another output", path);
}

/* The file is made last: where memory ends before, there is none. */
static struct output *open_file(const char *directory, const char *name, const char *partial,
                                struct error *err)
{
    char *path = join(directory, strlen(directory), "", name, "");
    size_t parent = (size_t)(strrchr(path, '/') - path); /* the name may have a slash, too */
    struct output *o = new_output(-1, path, join(path, parent, ".", path + parent + 1, partial),
                                  join(path, parent, ".", path + parent + 1, ".earlier"));
    bool is_input = provenance_is_held(path);
    if (!is_input)
        o->fd = open(o->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->fd >= 0)
        return o;
    if (is_input)
        refuse_input(path, err);
    else
        error_set(err, "%s: cannot create: %s", path, strerror(errno));
    free_output(o);
    return NULL;
}

struct output *output_open(const char *directory, const char *name, struct error *err)
{
    return open_file(directory, name, ".partial", err);
}

struct output *output_open_shared(const char *directory, const char *name, struct error *err)
{
    char partial[32];
    snprintf(partial, sizeof partial, ".%ld.partial", (long)getpid());
    return open_file(directory, name, partial, err);
}

struct output *output_stream(int fd, const char *name)
{
    return new_output(fd, mem_text(name, strlen(name)), NULL, NULL);
}

struct output *output_memory(void)
{
    struct output *o = new_output(-1, NULL, NULL, NULL);
    o->grows = true;
    return o;
}

void output_may_be_left(struct output *o)
{
    o->may_be_left = true;
}

static void write_all(struct output *o, const char *bytes, size_t length)
{
    while (length && !o->failure) {
        ssize_t n = write(o->fd, bytes, length);
        if (n >= 0) {
            bytes += n;
            length -= (size_t)n;
        } else if (errno == EPIPE && o->may_be_left) {
            return;
        } else if (errno != EINTR) {
            o->failure = errno; /* EPIPE, too, as main ignores SIGPIPE */
        }
    }
}

static void write_packed(void *self, const void *bytes, size_t length)
{
    write_all(self, bytes, length);
}

void output_pack(struct output *o, enum packing kind)
{
    if (kind != PACK_NOT)
        o->packer = packer_new(kind, write_packed, o);
}

static void output_store(struct output *o, const char *bytes, size_t length)
{
    if (o->packer)
        packer_put(o->packer, bytes, length);
    else
        write_all(o, bytes, length);
}

static void output_flush(struct output *o)
{
    output_store(o, o->buffer, o->used);
    o->used = 0;
}

void output_move(struct output *to, struct output *from)
{
    output_flush(to);
    output_store(to, from->buffer, from->used);
    from->used = 0;
}

static void end_packing(struct output *o)
{
    if (o->packer)
        packer_end(o->packer);
    packer_free(o->packer);
    o->packer = NULL;
}

int output_settle(struct output *o, struct error *err)
{
    output_flush(o);
    end_packing(o);
    if (o->partial && o->fd >= 0 && close(o->fd) != 0 && !o->failure)
        o->failure = errno; /* a network file system may report only now that it is full */
    if (o->partial)
        o->fd = -1;
    return o->failure ? error_set(err, "%s: cannot write: %s", o->path, strerror(o->failure)) : 0;
}

/* Exchanged with the new file, the old one waits as the unfinished one did. A rename() over it would first have ext4 find a place
 * on the disk for all that was written. */
static bool exchanged(struct output *o)
{
    o->named = renameat2(AT_FDCWD, o->partial, AT_FDCWD, o->path, RENAME_EXCHANGE) == 0;
    if (o->named)
        o->kept = o->partial;
    return o->named;
}

/* The old file stays until all have their names. Where the file system cannot exchange files a second link keeps it; where it
 * has no links either, there is no way back. */
static bool takes_name(struct output *o)
{
    struct stat old;
    if (!o->partial)
        return true;
    if (provenance_is_held(o->path)) {
        errno = EEXIST; /* rename() never sets it for a file */
        return false;
    }
    if (lstat(o->path, &old) == 0 && !S_ISDIR(old.st_mode)) {
        if (exchanged(o))
            return true;
        if (errno != EINVAL && errno != ENOSYS)
            return false;
        unlink(o->earlier); /* of a program that was killed here */
        if (link(o->path, o->earlier) == 0)
            o->kept = o->earlier;
    }
    o->named = rename(o->partial, o->path) == 0;
    return o->named;
}

static void gives_name_back(struct output *o)
{
    if (o->kept)
        rename(o->kept, o->path); /* fails: it stays where it is */
    else if (o->partial)
        unlink(o->path);
    o->kept = NULL;
}

static void *close_old(void *fd)
{
    close((int)(intptr_t)fd);
    return NULL;
}

/* A file without a name gives its space back when the last that has it open closes it, which takes a millisecond for 4 MB: a second
 * thread does so while the process goes on. */
static void remove_old(const struct output *o)
{
    enum { LARGE = 1 << 20 };
    struct stat old;
    pthread_t second;
    bool large = o->kept && lstat(o->kept, &old) == 0 && S_ISREG(old.st_mode) && old.st_size >= LARGE;
    int fd = large ? open(o->kept, O_RDONLY | O_CLOEXEC) : -1;
    output_remove(o);
    if (fd >= 0 && second_start(&second, close_old, (void *)(intptr_t)fd))
        pthread_detach(second);
    else if (fd >= 0)
        close(fd);
}

int output_commit_all(struct output *const *list, size_t n, struct error *err)
{
    size_t named = 0;
    while (named < n && takes_name(list[named]))
        named++;
    int result = 0;
    if (named < n)
        result = errno == EEXIST
                     ? refuse_input(list[named]->path, err)
                     : error_set(err, "%s: cannot create: %s", list[named]->path, strerror(errno));
    for (size_t i = 0; i < n; i++) {
        if (result != 0 && i < named)
            gives_name_back(list[i]);
        remove_old(list[i]);
        free_output(list[i]);
    }
    return result;
}

int output_commit(struct output *o, struct error *err)
{
    if (output_settle(o, err) == 0)
        return output_commit_all(&o, 1, err);
    output_remove(o);
    free_output(o);
    return -1;
}

void output_remove(const struct output *o)
{
    if (!o || !o->partial)
        return;
    if (!o->named)
        unlink(o->partial);
    if (o->kept)
        unlink(o->kept);
}

void output_discard(struct output *o)
{
    if (!o)
        return;
    if (o->partial && o->fd >= 0)
        close(o->fd);
    output_remove(o);
    free_output(o);
}

int output_end_all(struct output *const *list, size_t n, bool wanted, struct error *err)
{
    for (size_t i = 0; i < n && wanted; i++)
        wanted = output_settle(list[i], err) == 0;
    if (wanted)
        return output_commit_all(list, n, err);
    for (size_t i = 0; i < n; i++)
        output_discard(list[i]);
    return -1;
}

/* ---- numbers and texts ---- */

static void make_room(struct output *o, size_t most) __attribute__((cold));
static void make_room(struct output *o, size_t most)
{
    if (!o->grows)
        output_flush(o);
    while (o->grows && o->capacity - o->used < most)
        mem_double(&o->buffer, &o->capacity, 1);
}

/* Room for `most` bytes at the end of the buffer; the caller adds to `used` what it took. */
static inline char *room(struct output *o, size_t most)
{
    if (o->capacity - o->used < most)
        make_room(o, most);
    return o->buffer + o->used;
}

char *out_room(struct output *o, size_t most)
{
    return room(o, most);
}

void out_took(struct output *o, const char *end)
{
    o->used = (size_t)(end - o->buffer);
}

void out_bytes(struct output *o, const void *bytes, size_t length)
{
    if (length > o->capacity && !o->grows) {
        output_flush(o);
        output_store(o, bytes, length);
    } else if (length) {
        memcpy(room(o, length), bytes, length);
        o->used += length;
    }
}

void out_text(struct output *o, const char *text)
{
    out_bytes(o, text, strlen(text));
}

void out_char(struct output *o, char c)
{
    *room(o, 1) = c;
    o->used++;
}

void out_printf(struct output *o, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    size_t size = length > 0 ? (size_t)length : 0;
    char *text = mem_new(size + 1, 1);
    vsnprintf(text, size + 1, format, again);
    out_bytes(o, text, size);
    free(text);
    va_end(again);
    va_end(args);
}

void out_csv(struct output *o, const char *text)
{
    /* RFC 4180; also a blank at either end, which CSV readers, ours too, drop from a bare cell */
    size_t length = strlen(text);
    bool blank_end = length && (strchr(" \t", text[0]) || strchr(" \t", text[length - 1]));
    if (!blank_end && strcspn(text, ",\"\r\n") == length) {
        out_bytes(o, text, length);
        return;
    }
    out_char(o, '"');
    for (; *text; text++) {
        if (*text == '"')
            out_char(o, '"');
        out_char(o, *text);
    }
    out_char(o, '"');
}

void out_decimal(struct output *o, int64_t value, int64_t scale)
{
    o->used += decimal_format(room(o, DECIMAL_MAX), value, scale);
}

void out_integer(struct output *o, int64_t value)
{
    out_decimal(o, value, 1);
}

void out_seconds(struct output *o, int64_t ns)
{
    if (ns != TIME_NEVER)
        out_decimal(o, ns, NS_PER_S);
}

void out_bits(struct output *o, uint64_t mask)
{
    for (bool first = true; mask; first = false) {
        int low = __builtin_ctzll(mask);
        uint64_t run = mask >> low;
        int length = ~run ? __builtin_ctzll(~run) : 64 - low;
        if (!first)
            out_char(o, ' ');
        out_integer(o, low);
        if (length > 1) {
            out_char(o, '-');
            out_integer(o, low + length - 1);
        }
        mask &= low + length < 64 ? UINT64_MAX << (low + length) : 0;
    }
}

void out_ratio(struct output *o, int64_t over, int64_t under)
{
    o->used += ratio_format(room(o, DECIMAL_MAX), over, under);
}

void out_double(struct output *o, double value)
{
    if (isinf(value))
        out_text(o, value < 0 ? "-inf" : "inf");
    else if (!isnan(value))
        o->used += double_format(room(o, DECIMAL_MAX), value);
}

void out_wide_seconds(struct output *o, int128_t ns)
{
    o->used += wide_seconds_format(room(o, DECIMAL_MAX), ns);
}

/* ---- directories ---- */

int directory_make(const char *path, size_t *made, struct error *err)
{
    char *part = mem_text(path, strlen(path));
    int failure = 0, cause = 0;    /* of the last, which counts; of the first that explains it */
    size_t new = 0;
    for (size_t i = 1, all = strlen(part); i <= all; i++) {
        if (part[i] && part[i] != '/')
            continue;
        part[i] = '\0';
        failure = mkdir(part, 0777) == 0 ? 0 : errno;
        part[i] = path[i];
        if (!failure && !new)
            new = i;
        if (failure && failure != EEXIST && !cause)
            cause = failure;
    }
    free(part);
    if (made)
        *made = new;
    struct stat st;
    if (failure && failure != EEXIST)
        return error_set(err, "%s: cannot make the directory: %s", path,
                         strerror(failure == ENOENT ? cause : failure));
    if (failure && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
        return error_set(err, "%s: want a directory for the results", path);
    return 0;
}
