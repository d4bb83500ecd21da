/* zip.c - see zip.h. */
#include "sim/cli/import/kube/zip.h"

#include "sim/base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define HEADER 30u /* bytes of a local file header, before the name */
enum { STORED = 0, DEFLATED = 8 };
enum { ENCRYPTED = 1, SIZES_BEHIND = 8 }; /* flags */

static uint32_t number(const char *at, size_t bytes)
{
    uint32_t n = 0;
    for (size_t i = bytes; i-- > 0;)
        n = n << 8 | (unsigned char)at[i];
    return n;
}

bool zip_is(const char *bytes, size_t length)
{
    return length >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
}

static int inflate_all(z_stream *z, const char *name, size_t most, char **to, size_t *to_length,
                       struct error *err)
{
    size_t capacity = 0;
    for (int result = Z_OK; result != Z_STREAM_END;) {
        while (capacity < *to_length + 65536)
            mem_grow(to, &capacity, capacity, 1);
        z->next_out = (Bytef *)*to + *to_length;
        z->avail_out = 65536;
        result = inflate(z, Z_NO_FLUSH);
        *to_length += 65536 - z->avail_out;
        if (result == Z_MEM_ERROR)
            mem_exhausted();
        if (result != Z_OK && result != Z_STREAM_END)
            return error_set(err, "%s: want a whole zip archive, got damaged or truncated data",
                             name);
        if (*to_length > most)
            return error_set(err, "%s: want at most %zu bytes of text", name, most);
    }
    return 0;
}

static int unpack(const char *name, const char *data, size_t length, size_t most, char **to,
                  size_t *to_length, struct error *err)
{
    z_stream z = { .next_in = (Bytef *)data, .avail_in = (uInt)length };
    if (length > UINT32_MAX)
        return error_set(err, "%s: want an archive below 4 GiB", name);
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        mem_exhausted();
    int result = inflate_all(&z, name, most, to, to_length, err);
    inflateEnd(&z);
    return result;
}

int zip_first(const char *name, const char *bytes, size_t length, size_t most, char **to,
              size_t *to_length, struct error *err)
{
    *to = NULL;
    *to_length = 0;
    if (length < HEADER)
        return error_set(err, "%s: want a zip archive, got its beginning", name);
    uint32_t flags = number(bytes + 6, 2), method = number(bytes + 8, 2),
             crc = number(bytes + 14, 4), packed = number(bytes + 18, 4);
    size_t at = HEADER + number(bytes + 26, 2) + number(bytes + 28, 2);
    if (at > length)
        return error_set(err, "%s: want a zip archive, got its beginning", name);
    if (flags & ENCRYPTED || (method != STORED && method != DEFLATED) ||
        (method == STORED && flags & SIZES_BEHIND))
        return error_set(err, "%s: want a zip archive of deflated files, got another kind", name);
    int result = 0;
    if (method == DEFLATED) {
        result = unpack(name, bytes + at, length - at, most, to, to_length, err);
    } else if (packed > length - at) {
        result =
            error_set(err, "%s: want a whole zip archive, got damaged or truncated data", name);
    } else {
        *to = mem_text(bytes + at, packed);
        *to_length = packed;
    }
    uLong sum = result == 0 ? crc32_z(0, (const Bytef *)(*to ? *to : ""), *to_length) : crc;
    if (result == 0 && !(flags & SIZES_BEHIND) && sum != crc)
        result = error_set(err, "%s: want a zip archive, got a wrong checksum", name);
    if (result != 0) {
        free(*to);
        *to = NULL;
    }
    return result;
}
