/* input.c - see input.h. Stored bytes are hashed as they are read, then passed through, inflated or
 * unpacked. */
#include "sim/io/input.h"

#include "sim/base/memory.h"
#include "sim/io/provenance.h"
#include "sim/io/read_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#define OPENSSL_API_COMPAT 0x10100000L /* its older interface needs no memory and cannot fail */
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define STORED_CAPACITY (128 * 1024)
#define MAGIC           4 /* first bytes that tell the kind */
#define FRAME_HEADER    18 /* of zstd, at most; RFC 8878, 3.1.1 */
#define AHEAD_LEAST     (256 * 1024) /* stored bytes that are worth a thread */

enum kind { PLAIN, GZIP, ZSTD };
struct input {
    char *name;
    struct read_ahead *ahead; /* NULL: none. While it is there all below but `peeked` and `ended` is its thread's */
    bool ended;               /* the caller has been told the end */
    int fd;                     /* -1: the stored bytes are in memory, */
    const unsigned char *bytes; /* so many still to be read */
    size_t n_bytes;
    bool at_end; /* of the stored bytes */
    enum kind kind;
    SHA256_CTX sha;
    char hex[65];
    unsigned char *stored; /* as in the file; [begin, end) is still to be decoded */
    size_t begin, end;
    bool in_frame; /* within a gzip member or a zstd frame: here the file must not end */
    z_stream gzip;
    ZSTD_DCtx *zstd;
    uint64_t frame_wants, frame_got; /* decoded bytes of this zstd frame, as its header says; so
                                        far */
    size_t peeked_begin, peeked_end;
    char peeked[INPUT_PEEK]; /* decoded, but not yet read by the caller */
};

const char *input_name(const struct input *in)
{
    return in->name;
}

/* ---- stored bytes ---- */

static ssize_t read_stored(struct input *in, unsigned char *to, size_t capacity)
{
    ssize_t n;
    if (in->fd < 0) {
        size_t some = in->n_bytes < capacity ? in->n_bytes : capacity;
        if (some)
            memcpy(to, in->bytes, some);
        in->bytes += some;
        in->n_bytes -= some;
        return (ssize_t)some;
    }
    do
        n = read(in->fd, to, capacity);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Reads more stored bytes behind those that are left; 0 also at the end, which sets at_end. */
static int more_stored(struct input *in, struct error *err)
{
    memmove(in->stored, in->stored + in->begin, in->end - in->begin); /* most often nothing */
    in->end -= in->begin;
    in->begin = 0;
    ssize_t n = read_stored(in, in->stored + in->end, STORED_CAPACITY - in->end);
    if (n < 0)
        return error_set(err, "%s: cannot read: %s", in->name, strerror(errno));
    in->at_end = n == 0;
    SHA256_Update(&in->sha, in->stored + in->end, (size_t)n);
    in->end += (size_t)n;
    return 0;
}

static bool nothing_stored(const struct input *in)
{
    return in->begin == in->end;
}

static int truncated(const struct input *in, struct error *err)
{
    return error_set(err, "%s: %s data end early: the file is truncated", in->name,
                     in->kind == GZIP ? "gzip" : "zstd");
}

static int damaged(const struct input *in, const char *why, struct error *err)
{
    return error_set(err, "%s: damaged %s data: %s", in->name, in->kind == GZIP ? "gzip" : "zstd",
                     why);
}

/* ---- the three kinds: each decodes up to `capacity` bytes, 0 when it needs more that is stored,
 * -1 with err ---- */

static long pass_through(struct input *in, void *to, size_t capacity)
{
    size_t n = in->end - in->begin < capacity ? in->end - in->begin : capacity;
    memcpy(to, in->stored + in->begin, n);
    in->begin += n;
    return (long)n;
}

static long inflate_some(struct input *in, void *to, size_t capacity, struct error *err)
{
    z_stream *z = &in->gzip;
    uInt room = capacity < UINT_MAX ? (uInt)capacity : UINT_MAX;
    z->next_in = in->stored + in->begin;
    z->avail_in = (uInt)(in->end - in->begin);
    z->next_out = to;
    z->avail_out = room;
    int result = inflate(z, Z_NO_FLUSH);
    if (z->avail_in < in->end - in->begin)
        in->in_frame = true;
    in->begin = in->end - z->avail_in;
    if (result == Z_STREAM_END) { /* another member may follow, as in gunzip */
        in->in_frame = false;
        inflateReset(z);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return damaged(in, z->msg ? z->msg : zError(result), err);
    }
    return (long)(room - z->avail_out);
}

/* What the frame that begins here will hold: libzstd 1.5 does not notice in a stream that it ends
 * early in an empty block. */
static int begin_frame(struct input *in, struct error *err)
{
    while (in->end - in->begin < FRAME_HEADER && !in->at_end)
        if (more_stored(in, err) != 0)
            return -1;
    in->frame_wants = ZSTD_getFrameContentSize(in->stored + in->begin, in->end - in->begin);
    in->frame_got = 0;
    return 0;
}

static long unpack_some(struct input *in, void *to, size_t capacity, struct error *err)
{
    if (!in->in_frame && begin_frame(in, err) != 0)
        return -1;
    ZSTD_inBuffer from = { in->stored, in->end, in->begin };
    ZSTD_outBuffer out = { to, capacity, 0 };
    size_t result = ZSTD_decompressStream(in->zstd, &out, &from);
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        mem_exhausted();
    if (ZSTD_isError(result))
        return damaged(in, ZSTD_getErrorName(result), err);
    in->begin = from.pos;
    in->in_frame = result != 0;
    in->frame_got += out.pos;
    if (result == 0 && in->frame_wants < ZSTD_CONTENTSIZE_ERROR && in->frame_got != in->frame_wants)
        return damaged(in, "a frame ends early", err);
    return (long)out.pos;
}

static long decode_some(struct input *in, void *to, size_t capacity, struct error *err)
{
    switch (in->kind) {
    case GZIP:
        return inflate_some(in, to, capacity, err);
    case ZSTD:
        return unpack_some(in, to, capacity, err);
    default:
        return pass_through(in, to, capacity);
    }
}

/* At least one byte, 0 only at the end. */
static long decode(void *self, void *to, size_t capacity, struct error *err)
{
    struct input *in = self;
    for (;;) {
        if (nothing_stored(in) && !in->at_end && more_stored(in, err) != 0)
            return -1;
        if (nothing_stored(in) && in->at_end && !in->in_frame)
            return 0;
        size_t left = in->end - in->begin;
        long n = decode_some(in, to, capacity, err); /* with nothing stored: what the decoder still
                                                        holds */
        if (n != 0)
            return n;
        if (left == 0 && in->at_end)
            return truncated(in, err);
    }
}

/* ---- opening and closing ---- */

static int open_file(struct input *in, const char *path, struct error *err)
{
    if (strcmp(path, "-") == 0) {
        in->fd = STDIN_FILENO;
        return 0;
    }
    struct stat st;
    in->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd >= 0 && fstat(in->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(in->fd);
        in->fd = -1;
        errno = EISDIR;
    }
    return in->fd >= 0 ? 0 : error_set(err, "%s: cannot open: %s", path, strerror(errno));
}

/* A pipe may give the magic bytes one by one. */
static int tell_kind(struct input *in, struct error *err)
{
    while (in->end < MAGIC && !in->at_end)
        if (more_stored(in, err) != 0)
            return -1;
    const unsigned char *b = in->stored;
    if (in->end >= 2 && b[0] == 0x1f && b[1] == 0x8b)
        in->kind = GZIP;
    else if (in->end >= MAGIC && b[0] == 0x28 && b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd)
        in->kind = ZSTD;
    else if (in->end >= MAGIC && b[0] >> 4 == 5 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18)
        in->kind = ZSTD; /* a skippable frame: what pzstd puts first */
    return 0;
}

static void *zlib_memory(void *self, unsigned count, unsigned size)
{
    (void)self;
    return mem_new(count, size);
}

static void zlib_free(void *self, void *memory)
{
    (void)self;
    free(memory);
}

static int start_decoder(struct input *in, struct error *err)
{
    const int window_bits = 15 + 16; /* the largest window; gzip, not zlib, around it */
    in->gzip.zalloc = zlib_memory;
    in->gzip.zfree = zlib_free;
    if (in->kind == GZIP && inflateInit2(&in->gzip, window_bits) != Z_OK)
        return error_set(err, "%s: cannot start zlib", in->name);
    if (in->kind == ZSTD) {
        in->zstd = ZSTD_createDCtx();
        ZSTD_bounds window = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
        if (!in->zstd)
            mem_exhausted();
        if (ZSTD_isError(ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, window.upperBound)))
            return error_set(err, "%s: cannot start zstd",
                             in->name); /* the bound: what `zstd --long=31` writes */
    }
    return 0;
}

static struct input *new_input(const char *name)
{
    struct input *in = mem_new(1, sizeof *in);
    in->name = mem_text(name, strlen(name));
    in->stored = mem_resize(NULL, STORED_CAPACITY, 1);
    in->fd = -1;
    return in;
}

/* The kind and its decoder. Frees `in` and returns NULL if one of them fails. */
static struct input *begin(struct input *in, struct error *err)
{
    SHA256_Init(&in->sha);
    if (tell_kind(in, err) == 0 && start_decoder(in, err) == 0)
        return in;
    input_close(in);
    return NULL;
}

struct input *input_open(const char *path, struct error *err)
{
    struct input *in = new_input(strcmp(path, "-") == 0 ? "<stdin>" : path);
    if (open_file(in, path, err) == 0) {
        provenance_hold(in->fd);
        return begin(in, err);
    }
    input_close(in);
    return NULL;
}

struct input *input_look(const char *path)
{
    struct stat about;
    struct error ignored = { "" };
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? input_open(path, &ignored) : NULL;
}

struct input *input_from_bytes(const void *bytes, size_t length, const char *name,
                               struct error *err)
{
    struct input *in = new_input(name);
    in->bytes = bytes;
    in->n_bytes = length;
    return begin(in, err);
}

static void note_provenance(struct input *in)
{
    char hex[65];
    struct error ignored = { "" };
    bool whole = in->ahead ? in->ended : in->at_end;
    if (whole && in->fd > STDIN_FILENO && input_sha256(in, hex, &ignored) == 0)
        provenance_note(in->name, hex);
}

void input_close(struct input *in)
{
    if (!in)
        return;
    note_provenance(in);
    read_ahead_end(in->ahead);
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    if (in->kind == GZIP)
        inflateEnd(&in->gzip);
    ZSTD_freeDCtx(in->zstd);
    free(in->stored);
    free(in->name);
    free(in);
}

/* ---- reading ---- */

void input_read_ahead(struct input *in)
{
    struct stat st;
    bool large = in->fd > STDIN_FILENO && fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= AHEAD_LEAST;
    if (large && !in->ahead)
        in->ahead = read_ahead_begin(decode, in);
}

/* Places among these at which there is a newline, and behind it something else: sixteen sums side by side, a byte each. */
static uint64_t lines_begun(const char *bytes, size_t n)
{
    typedef unsigned char sixteen __attribute__((vector_size(16)));
    enum { ROUNDS = 255 };        /* of which the sums fit in a byte */
    const sixteen newline = (sixteen){ 0 } + (unsigned char)'\n';
    uint64_t lines = 0;
    size_t i = 0;
    while (i + sizeof(sixteen) <= n) {
        sixteen sums = { 0 }, here, behind;
        for (size_t k = 0; k < ROUNDS && i + sizeof here <= n; k++, i += sizeof here) {
            memcpy(&here, bytes + i, sizeof here);
            memcpy(&behind, bytes + i + 1, sizeof behind);
            sums -= (sixteen)((here == newline) & (behind != newline)); /* true is -1 */
        }
        for (size_t k = 0; k < sizeof sums; k++)
            lines += sums[k];
    }
    for (; i < n; i++)
        lines += bytes[i] == '\n' && bytes[i + 1] != '\n';
    return lines;
}

uint64_t input_lines(const struct input *in)
{
    enum { AT_ONCE = 256 * 1024 };
    struct stat st;
    if (in->kind != PLAIN || in->fd <= STDIN_FILENO || fstat(in->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    char *bytes = mem_resize(NULL, AT_ONCE + 1, 1);
    uint64_t lines = 0;
    off_t at = 0;
    bytes[0] = '\n';              /* then the last byte of those before */
    for (ssize_t n; (n = pread(in->fd, bytes + 1, AT_ONCE, at)) > 0; at += n, bytes[0] = bytes[n])
        lines += lines_begun(bytes, (size_t)n);
    free(bytes);
    return lines;
}

/* Behind what was peeked. */
static long read_on(struct input *in, void *to, size_t capacity, struct error *err)
{
    long n = in->ahead ? read_ahead_take(in->ahead, to, capacity, err) : decode(in, to, capacity, err);
    in->ended = n == 0;
    return n;
}

long input_read(struct input *in, void *to, size_t capacity, struct error *err)
{
    size_t ahead = in->peeked_end - in->peeked_begin;
    if (ahead == 0 || capacity == 0)
        return capacity ? read_on(in, to, capacity, err) : 0;
    size_t n = ahead < capacity ? ahead : capacity;
    memcpy(to, in->peeked + in->peeked_begin, n);
    in->peeked_begin += n;
    return (long)n;
}

const char *input_peek(struct input *in, size_t *length, struct error *err)
{
    memmove(in->peeked, in->peeked + in->peeked_begin, in->peeked_end - in->peeked_begin);
    in->peeked_end -= in->peeked_begin;
    in->peeked_begin = 0;
    while (in->peeked_end < INPUT_PEEK) {
        long n = read_on(in, in->peeked + in->peeked_end, INPUT_PEEK - in->peeked_end, err);
        if (n < 0)
            return NULL;
        if (n == 0)
            break;
        in->peeked_end += (size_t)n;
    }
    *length = in->peeked_end;
    return in->peeked;
}

int input_sha256(struct input *in, char hex[65], struct error *err)
{
    char rest[16 * 1024];
    long n;
    while ((n = input_read(in, rest, sizeof rest, err)) > 0)
        ;
    if (n < 0)
        return -1;
    read_ahead_end(in->ahead);
    in->ahead = NULL;
    if (!in->hex[0]) { /* a digest can be finished only once */
        unsigned char digest[SHA256_DIGEST_LENGTH];
        SHA256_Final(digest, &in->sha);
        for (unsigned int i = 0; i < sizeof digest; i++) {
            in->hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
            in->hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
        }
    }
    memcpy(hex, in->hex, sizeof in->hex);
    return 0;
}

char *input_beside(const char *folder, const char *path)
{
    size_t size = strlen(folder) + strlen(path) + 2;
    char *whole = mem_new(size, 1);
    bool own = *path == '/' || !*folder;
    snprintf(whole, size, "%s%s%s", own ? "" : folder, own ? "" : "/", path);
    return whole;
}
