/* fuzz_input.c - any bytes as a stored file, plain, gzip or zstd: read by single bytes, in large
 * pieces or after a peek, it says the same. */
#include "tests/fuzz/fuzz.h"

enum { TEXT_MOST = 1 << 20 }; /* a small file may hold a large one: more is not looked at */

struct reading {
    uint64_t sum;
    size_t length;
    struct error err;
};

static struct reading read_in_pieces(const uint8_t *bytes, size_t length, size_t piece, int peek)
{
    static char buffer[1 << 16];
    struct reading r = { .err = { "" } };
    char hex[65];
    long n = 0;
    size_t peeked = 0;
    struct input *in = input_from_bytes(bytes, length, "fuzz", &r.err);
    if (in && (!peek || input_peek(in, &peeked, &r.err)))
        while (r.length < TEXT_MOST && (n = input_read(in, buffer, piece, &r.err)) > 0) {
            FUZZ_MUST((size_t)n <= piece);
            r.length += (size_t)n;
            for (long i = 0; i < n; i++)
                r.sum = r.sum * 31 + (uint8_t)buffer[i];
        }
    FUZZ_MUST(r.err.text[0] || r.length >= peeked);
    FUZZ_MUST(!in || n < 0 || r.length >= TEXT_MOST || r.err.text[0] || input_sha256(in, hex, &r.err) == 0);
    input_close(in);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct reading whole = read_in_pieces(bytes, length, 1 << 16, 0);
    static const struct { size_t piece; int peek; } others[] = { { 1, 0 }, { 1 << 16, 1 }, { 7, 1 } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct reading r = read_in_pieces(bytes, length, others[i].piece, others[i].peek);
        FUZZ_MUST(!whole.err.text[0] == !r.err.text[0]);
        FUZZ_MUST(whole.length >= TEXT_MOST || whole.err.text[0] || (r.length == whole.length && r.sum == whole.sum));
    }
    return 0;
}
