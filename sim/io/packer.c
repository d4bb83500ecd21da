/* packer.c - see packer.h. zlib and zstd allocate by themselves; without memory the program ends,
 * as in memory.h. */
#include "sim/io/packer.h"

#include "sim/base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define GZIP_WINDOW (15 + 16) /* the largest, with a gzip header */
#define GZIP_LEVEL  6
#define GZIP_MEMORY 8
#define ZSTD_LEVEL  3

struct packer {
    enum packing kind;
    packer_sink *sink;
    void *self;
    z_stream gzip;
    ZSTD_CCtx *zstd;
    unsigned char out[64 << 10];
};

enum packing packing_of(const char *file_name)
{
    static const struct {
        const char *end;
        enum packing kind;
    } ends[] = { { ".gz", PACK_GZIP }, { ".zst", PACK_ZSTD } };
    size_t length = strlen(file_name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i].end);
        if (length > n && strcmp(file_name + length - n, ends[i].end) == 0)
            return ends[i].kind;
    }
    return PACK_NOT;
}

/* Any other failure of a compressor is a bug of the caller. */
static void must(bool ok)
{
    if (!ok)
        mem_exhausted();
}

struct packer *packer_new(enum packing kind, packer_sink *sink, void *self)
{
    struct packer *p = mem_new(1, sizeof *p);
    p->kind = kind;
    p->sink = sink;
    p->self = self;
    if (kind == PACK_GZIP) {
        must(deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                          Z_DEFAULT_STRATEGY) == Z_OK);
        return p;
    }
    p->zstd = ZSTD_createCCtx();
    must(p->zstd != NULL);
    ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
    return p;
}

static void put_gzip(struct packer *p, const void *bytes, size_t length, int flush)
{
    p->gzip.next_in = (z_const Bytef *)bytes;
    p->gzip.avail_in = (uInt)length;
    do {
        p->gzip.next_out = p->out;
        p->gzip.avail_out = sizeof p->out;
        (void)deflate(&p->gzip, flush);
        p->sink(p->self, p->out, sizeof p->out - p->gzip.avail_out);
    } while (p->gzip.avail_out == 0);
}

static void put_zstd(struct packer *p, const void *bytes, size_t length, ZSTD_EndDirective flush)
{
    ZSTD_inBuffer in = { bytes, length, 0 };
    size_t left;
    do {
        ZSTD_outBuffer out = { p->out, sizeof p->out, 0 };
        left = ZSTD_compressStream2(p->zstd, &out, &in, flush);
        must(!ZSTD_isError(left));
        p->sink(p->self, p->out, out.pos);
    } while (flush == ZSTD_e_end ? left > 0 : in.pos < in.size);
}

void packer_put(struct packer *p, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length) {
        size_t n = length < UINT_MAX ? length : UINT_MAX;
        if (p->kind == PACK_GZIP)
            put_gzip(p, at, n, Z_NO_FLUSH);
        else
            put_zstd(p, at, n, ZSTD_e_continue);
        at += n;
        length -= n;
    }
}

void packer_end(struct packer *p)
{
    if (p->kind == PACK_GZIP)
        put_gzip(p, NULL, 0, Z_FINISH);
    else
        put_zstd(p, NULL, 0, ZSTD_e_end);
}

void packer_free(struct packer *p)
{
    if (!p)
        return;
    if (p->kind == PACK_GZIP)
        deflateEnd(&p->gzip);
    ZSTD_freeCCtx(p->zstd);
    free(p);
}
