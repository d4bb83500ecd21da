/* output.c - result files that are whole or not there: opened, written, given their names. See output.h. */
#include "sim/base/memory.h"
#include "sim/io/output_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const char *directory, size_t directory_length, const char *before, const char *name,
                  const char *after)
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
    o->buffer = mem_resize(NULL, OUTPUT_CAPACITY, 1);
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

/* The file is made last: where memory ends before, there is none. */
static struct output *open_file(const char *directory, const char *name, const char *partial, struct error *err)
{
    char *path = join(directory, strlen(directory), "", name, "");
    size_t parent = (size_t)(strrchr(path, '/') - path); /* the name may have a slash, too */
    struct output *o = new_output(-1, path, join(path, parent, ".", path + parent + 1, partial),
                                  join(path, parent, ".", path + parent + 1, ".earlier"));
    o->fd = open(o->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->fd >= 0)
        return o;
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

static void write_all(struct output *o, const char *bytes, size_t length)
{
    while (length && !o->failure) {
        ssize_t n = write(o->fd, bytes, length);
        if (n >= 0) {
            bytes += n;
            length -= (size_t)n;
        } else if (errno != EINTR) {
            o->failure = errno; /* EPIPE, too, if whoever started us ignores SIGPIPE, as main does */
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

void output_store(struct output *o, const char *bytes, size_t length)
{
    if (o->packer)
        packer_put(o->packer, bytes, length);
    else
        write_all(o, bytes, length);
}

void output_flush(struct output *o)
{
    output_store(o, o->buffer, o->used);
    o->used = 0;
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
        o->failure = errno; /* a network file system may find out only now that it is full */
    if (o->partial)
        o->fd = -1;
    return o->failure ? error_set(err, "%s: cannot write: %s", o->path, strerror(o->failure)) : 0;
}

/* A second link keeps the old file until all have their names. A file system without links has none, and no way back. */
static bool takes_name(struct output *o, bool last)
{
    if (!o->partial)
        return true;
    if (!last) {
        unlink(o->earlier); /* of a program that was killed here */
        o->replaces = link(o->path, o->earlier) == 0;
    }
    o->named = rename(o->partial, o->path) == 0;
    return o->named;
}

static void gives_name_back(struct output *o)
{
    if (o->replaces)
        rename(o->earlier, o->path);
    else if (o->partial)
        unlink(o->path);
}

int output_commit_all(struct output *const *list, size_t n, struct error *err)
{
    size_t named = 0;
    while (named < n && takes_name(list[named], named + 1 == n))
        named++;
    int result = named < n ? error_set(err, "%s: cannot create: %s", list[named]->path, strerror(errno)) : 0;
    for (size_t i = 0; i < n; i++) {
        if (result != 0 && i < named)
            gives_name_back(list[i]);
        output_remove(list[i]);
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
    if (o->replaces)
        unlink(o->earlier);
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
