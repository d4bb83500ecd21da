/* output_text.c - what goes into the buffer of an output: bytes, numbers, cells of CSV. */
#include "sim/io/output_parts.h"

#include <math.h>
#include <string.h>

/* Room for `most` bytes at the end of the buffer; the caller adds to `used` what it took. */
static inline char *room(struct output *o, size_t most)
{
    if (OUTPUT_CAPACITY - o->used < most)
        output_flush(o);
    return o->buffer + o->used;
}

void out_bytes(struct output *o, const void *bytes, size_t length)
{
    if (length > OUTPUT_CAPACITY) {
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
    if (under <= 0)
        return;
    /* floor((over / under) * 1e6 + 1/2), where C's division goes towards zero */
    int128_t numerator = (int128_t)over * 2000000 + under, denominator = (int128_t)under * 2;
    int128_t millionths = numerator / denominator - (numerator % denominator < 0);
    if (millionths >= INT64_MIN && millionths <= INT64_MAX) {
        out_decimal(o, (int64_t)millionths, 1000000);
        return;
    }
    int64_t rest = (int64_t)(millionths % 1000000); /* of more than 9e12: the whole part has the sign */
    out_integer(o, (int64_t)(millionths / 1000000));
    char text[DECIMAL_MAX];
    size_t length = decimal_format(text, 1000000 + (rest < 0 ? -rest : rest), 1000000);
    out_bytes(o, text + 1, length - 1);
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
    out_integer(o, (int64_t)(ns / NS_PER_S));
    int64_t part = (int64_t)(ns % NS_PER_S);
    if (!part)
        return;
    char text[DECIMAL_MAX];
    size_t length = decimal_format(text, part, NS_PER_S); /* "0.5": the point and what is behind it */
    out_bytes(o, text + 1, length - 1);
}
