/* test_input.c - plain, gzip and zstd files written by zlib and libzstd here; whole, cut short and damaged. */
#include "sim/io/input.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static char directory[] = "/tmp/gpuyard-input-XXXXXX";
static char path[64];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/f", directory);
    return 0;
}
static int tear_down(void **state)
{
    (void)state;
    return unlink(path) | rmdir(directory);
}

/* ---- what is in the files ---- */

#define MOST (1 << 20)
static unsigned char text[MOST];           /* what should be read */
static unsigned char stored[MOST + 65536]; /* the file */
static size_t text_length, stored_length;

/* Lines that compress by about a half, so that buffers fill at uneven places. */
static void make_text(size_t length)
{
    struct random r;
    random_init(&r, 1, "text", length);
    for (size_t i = 0; i < length; i++)
        text[i] = (unsigned char)(i % 40 == 39 ? '\n' : '0' + random_below(&r, 16));
    text_length = length;
}

static void add_plain(const unsigned char *from, size_t length)
{
    memcpy(stored + stored_length, from, length);
    stored_length += length;
}

static void add_gzip(const unsigned char *from, size_t length)
{
    z_stream z = { 0 };
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)from;
    z.avail_in = (uInt)length;
    z.next_out = stored + stored_length;
    z.avail_out = (uInt)(sizeof stored - stored_length);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    stored_length += z.total_out;
    deflateEnd(&z);
}

static void add_zstd(const unsigned char *from, size_t length)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    size_t n = ZSTD_compress2(c, stored + stored_length, sizeof stored - stored_length, from, length);
    assert_false(ZSTD_isError(n));
    stored_length += n;
    ZSTD_freeCCtx(c);
}

static void add_skippable(const unsigned char *from, size_t length)
{
    add_plain((const unsigned char *)"\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11); /* RFC 8878, section 3.1.2 */
    add_zstd(from, length);
}

struct kind { void (*add)(const unsigned char *, size_t); int parts; };
static void make_file(struct kind kind, size_t length)
{
    make_text(length);
    stored_length = 0;
    size_t part = length / (size_t)kind.parts, done = 0;
    for (int i = 1; i < kind.parts; i++, done += part)
        kind.add(text + done, part);
    kind.add(text + done, length - done);
}

static void write_file(size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(stored, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static void hex_of_stored(char hex[65])
{
    unsigned char digest[32];
    assert_int_equal(EVP_Digest(stored, stored_length, digest, NULL, EVP_sha256(), NULL), 1);
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

/* ---- whole files ---- */

static const struct whole_row { const char *name; struct kind kind; size_t length, capacity; } whole_rows[] = {
    { "plain, empty", { add_plain, 1 }, 0, 100 },
    { "plain, 1 byte", { add_plain, 1 }, 1, 100 },
    { "plain, 3 bytes", { add_plain, 1 }, 3, 1 },
    { "plain, large", { add_plain, 1 }, MOST, 65536 },
    { "plain, odd portions", { add_plain, 1 }, 300007, 7001 },
    { "gzip, empty", { add_gzip, 1 }, 0, 100 },
    { "gzip, small, byte by byte", { add_gzip, 1 }, 5000, 1 },
    { "gzip, large", { add_gzip, 1 }, MOST, 65536 },
    { "gzip, large portions", { add_gzip, 1 }, MOST, MOST },
    { "gzip, two members", { add_gzip, 2 }, 300007, 7001 },
    { "gzip, many members", { add_gzip, 1000 }, 300007, 7001 },
    { "zstd, empty", { add_zstd, 1 }, 0, 100 },
    { "zstd, small, byte by byte", { add_zstd, 1 }, 5000, 1 },
    { "zstd, large", { add_zstd, 1 }, MOST, 65536 },
    { "zstd, large portions", { add_zstd, 1 }, MOST, MOST },
    { "zstd, two frames", { add_zstd, 2 }, 300007, 7001 },
    { "zstd, many frames", { add_zstd, 1000 }, 300007, 7001 },
    { "zstd, skippable frame first", { add_skippable, 1 }, 300007, 7001 },
};

/* Reads all and compares it. */
static void read_all(struct input *in, size_t capacity)
{
    static unsigned char got[MOST + 1];
    struct error err = { "" };
    size_t n = 0;
    for (long some; (some = input_read(in, got + n, capacity < MOST + 1 - n ? capacity : MOST + 1 - n, &err)) != 0;) {
        assert_true(some > 0);
        n += (size_t)some;
    }
    assert_string_equal(err.text, "");
    assert_int_equal(n, text_length);
    assert_int_equal(memcmp(got, text, n), 0);
}

static void whole(void **state)
{
    const struct whole_row *row = *state;
    make_file(row->kind, row->length);
    write_file(stored_length);
    struct error err = { "" };
    char want[65], hex[65];
    hex_of_stored(want);
    for (int peek = 0; peek < 6; peek++) {
        struct input *in = input_open(path, &err);
        assert_non_null(in);
        if (peek >= 3)
            input_read_ahead(in); /* before anything is peeked at */
        assert_string_equal(input_name(in), path);
        for (int i = 0; i < peek % 3; i++) { /* what is seen is not consumed, however often */
            size_t length = 0, seen = text_length < INPUT_PEEK ? text_length : INPUT_PEEK;
            const char *first = input_peek(in, &length, &err);
            assert_non_null(first);
            assert_int_equal(length, seen);
            assert_memory_equal(first, text, seen);
        }
        read_all(in, row->capacity);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(input_sha256(in, hex, &err), 0);
            assert_string_equal(hex, want);
        }
        input_close(in);
    }
}

/* FIPS 180-2, appendix B.1: the hash of "abc"; here of a file that nobody has read yet. */
static void sha256_known_answer(void **state)
{
    (void)state;
    memcpy(stored, "abc", 3);
    write_file(3);
    struct error err = { "" };
    char hex[65];
    struct input *in = input_open(path, &err);
    assert_int_equal(input_sha256(in, hex, &err), 0);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    input_close(in);
}

/* Reading again what was peeked at, after some was read. */
static void peek_within(void **state)
{
    (void)state;
    make_file((struct kind){ add_gzip, 1 }, 10000);
    write_file(stored_length);
    struct error err = { "" };
    char some[100];
    size_t length = 0;
    struct input *in = input_open(path, &err);
    assert_non_null(input_peek(in, &length, &err));
    assert_int_equal(input_read(in, some, 0, &err), 0);
    assert_int_equal(input_read(in, some, 100, &err), 100);
    assert_memory_equal(some, text, 100);
    assert_memory_equal(input_peek(in, &length, &err), text + 100, INPUT_PEEK);
    assert_int_equal(length, INPUT_PEEK);
    input_close(in);
}

/* ---- cut short or damaged: never a short file ---- */

#define TRUNCATED_GZIP "gzip data end early: the file is truncated"
#define TRUNCATED_ZSTD "zstd data end early: the file is truncated"

enum harm { CUT, FLIP, APPEND };
static const struct harm_row { const char *name; struct kind kind; enum harm harm; double where; long plus; const char *error; }
    harm_rows[] = {
        { "gzip: only the magic", { add_gzip, 1 }, CUT, 0, 2, TRUNCATED_GZIP },
        { "gzip: within the header", { add_gzip, 1 }, CUT, 0, 7, TRUNCATED_GZIP },
        { "gzip: only the header", { add_gzip, 1 }, CUT, 0, 10, TRUNCATED_GZIP },
        { "gzip: half", { add_gzip, 1 }, CUT, 0.5, 0, TRUNCATED_GZIP },
        { "gzip: no trailer", { add_gzip, 1 }, CUT, 1, -8, TRUNCATED_GZIP },
        { "gzip: last byte missing", { add_gzip, 1 }, CUT, 1, -1, TRUNCATED_GZIP },
        { "gzip: second member cut", { add_gzip, 2 }, CUT, 1, -100, TRUNCATED_GZIP },
        { "gzip: one byte of the second member", { add_gzip, 2 }, CUT, 0.75, 0, TRUNCATED_GZIP },
        { "gzip: wrong checksum", { add_gzip, 1 }, FLIP, 1, -6, "damaged gzip data: incorrect data check" },
        { "gzip: wrong length", { add_gzip, 1 }, FLIP, 1, -2, "damaged gzip data: incorrect length check" },
        { "gzip: rubbish behind", { add_gzip, 1 }, APPEND, 0, 0, "damaged gzip data: incorrect header check" },
        { "zstd: only the magic", { add_zstd, 1 }, CUT, 0, 4, TRUNCATED_ZSTD },
        { "zstd: half the header", { add_zstd, 1 }, CUT, 0, 6, TRUNCATED_ZSTD },
        { "zstd: half", { add_zstd, 1 }, CUT, 0.5, 0, TRUNCATED_ZSTD },
        { "zstd: no checksum", { add_zstd, 1 }, CUT, 1, -4, TRUNCATED_ZSTD },
        { "zstd: last byte missing", { add_zstd, 1 }, CUT, 1, -1, TRUNCATED_ZSTD },
        { "zstd: second frame cut", { add_zstd, 2 }, CUT, 1, -100, TRUNCATED_ZSTD },
        { "zstd: wrong checksum", { add_zstd, 1 }, FLIP, 1, -2, "damaged zstd data: Restored data doesn't match checksum" },
        { "zstd: rubbish behind", { add_zstd, 1 }, APPEND, 0, 0, "damaged zstd data: Unknown frame descriptor" },
    };

static void harmed(void **state)
{
    const struct harm_row *row = *state;
    make_file(row->kind, 700007); /* compressed it is large enough to be read ahead */
    size_t at = (size_t)((long)(row->where * (double)stored_length) + row->plus);
    if (row->harm == FLIP)
        stored[at] ^= 0x10;
    if (row->harm == APPEND)
        add_plain((const unsigned char *)"rubbish", 7);
    write_file(row->harm == CUT ? at : stored_length);

    char want[256], hex[65], *got = malloc(MOST);
    snprintf(want, sizeof want, "%s: %s", path, row->error);
    for (int i = 0; i < 4; i++) {
        struct error err = { "" };
        struct input *in = input_open(path, &err);
        const bool by_hash = i % 2;
        assert_non_null(in);
        if (i >= 2)
            input_read_ahead(in);
        long n = 1;
        while (!by_hash && n > 0)
            n = input_read(in, got, 10000, &err);
        assert_int_equal(by_hash ? input_sha256(in, hex, &err) : n, -1);
        assert_string_equal(err.text, want);
        assert_int_equal(input_read(in, got, 10000, &err), -1); /* and it stays so */
        input_close(in);
    }
    free(got);
}

/* Closed while the thread is anywhere. */
static void left_while_ahead(void **state)
{
    (void)state;
    make_file((struct kind){ add_zstd, 1 }, MOST);
    write_file(stored_length);
    char got[70000];
    for (int reads = 0; reads < 10; reads++) {
        struct error err = { "" };
        struct input *in = input_open(path, &err);
        assert_non_null(in);
        input_read_ahead(in);
        for (int i = 0; i < reads; i++)
            assert_true(input_read(in, got, sizeof got, &err) > 0);
        input_close(in);
    }
}

/* Cut anywhere, a compressed file is an error or, within the magic, no compressed file. */
static void cut_anywhere(void **state)
{
    (void)state;
    static const struct kind kinds[] = { { add_gzip, 1 }, { add_zstd, 1 } };
    char got[4096];
    for (size_t k = 0; k < COUNT(kinds); k++) {
        make_file(kinds[k], 500);
        for (size_t length = 4; length < stored_length; length++) {
            struct error err = { "" };
            write_file(length);
            struct input *in = input_open(path, &err);
            assert_non_null(in);
            long n;
            while ((n = input_read(in, got, sizeof got, &err)) > 0)
                ;
            assert_int_equal(n, -1);
            assert_non_null(strstr(err.text, "data end early"));
            input_close(in);
        }
    }
}

static const struct open_row { const char *name, *path, *error; } open_rows[] = {
    { "missing file", "/nonexistent/t.csv", "/nonexistent/t.csv: cannot open: No such file or directory" },
    { "directory", "/tmp", "/tmp: cannot open: Is a directory" },
    { "empty name", "", ": cannot open: No such file or directory" },
};

/* Texts of few letters, many of them newlines or every second one, against a look at each byte; compressed they have no lines.
 * Longer than what is looked at in one piece. */
static void lines_counted(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "lines", 0);
    static const size_t length[] = { 0, 1, 15, 16, 17, 100, 262143, 262144, 262145, 800000, 1048576, 1100001 };
    for (size_t k = 0; k < 2 * COUNT(length); k++) {
        const bool dense = k >= COUNT(length);    /* a line for every second byte: as many as there can be */
        const size_t bytes = length[k % COUNT(length)];
        struct error err = { "" };
        uint64_t want = 0;
        char before = '\n', first = 0;
        for (size_t i = 0; i < bytes; i++) {
            stored[i] = (unsigned char)(dense ? "a\n"[i % 2] : "\n\n\r ,a\x8a\xff"[random_below(&r, 8)]);
            want += before == '\n' && stored[i] != '\n';
            before = (char)stored[i];
        }
        write_file(bytes);
        struct input *in = input_open(path, &err);
        assert_int_equal(input_lines(in), want);
        if (bytes) {
            assert_int_equal(input_read(in, &first, 1, &err), 1);
            assert_int_equal((unsigned char)first, stored[0]);
        }
        input_close(in);
    }
    FILE *f = fopen(path, "wb");
    fputs("\x1f\x8b\n\n", f);
    fclose(f);
    struct error err = { "" };
    struct input *in = input_open(path, &err);
    assert_int_equal(input_lines(in), 0);
    input_close(in);
}

static void not_opened(void **state)
{
    const struct open_row *row = *state;
    struct error err = { "" };
    assert_null(input_open(row->path, &err));
    assert_string_equal(err.text, row->error);
    input_close(NULL);
}

/* ---- standard input: a pipe that gives the first bytes one by one ---- */

static const struct stdin_row { const char *name; struct kind kind; } stdin_rows[] = {
    { "stdin: plain", { add_plain, 1 } },
    { "stdin: gzip", { add_gzip, 2 } },
    { "stdin: zstd", { add_zstd, 2 } },
};

static void standard_input(void **state)
{
    const struct stdin_row *row = *state;
    make_file(row->kind, 200000);
    static const struct timespec pause = { .tv_nsec = 1000000 };
    int fd[2], kept = dup(STDIN_FILENO), status;
    assert_int_equal(pipe(fd), 0);
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < 20; i++)
            if (write(fd[1], stored + i, 1) != 1 || nanosleep(&pause, NULL) != 0)
                _exit(1);
        for (size_t i = 20; i < stored_length;) {
            ssize_t n = write(fd[1], stored + i, stored_length - i);
            if (n < 0)
                _exit(1);
            i += (size_t)n;
        }
        _exit(0);
    }
    close(fd[1]);
    dup2(fd[0], STDIN_FILENO);
    close(fd[0]);
    struct error err = { "" };
    struct input *in = input_open("-", &err);
    assert_non_null(in);
    assert_string_equal(input_name(in), "<stdin>");
    read_all(in, 10000);
    input_close(in);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) != -1); /* not ours to close */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    dup2(kept, STDIN_FILENO);
    close(kept);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, whole, whole_rows);
    ADD_TEST(tests, n, sha256_known_answer);
    ADD_TEST(tests, n, peek_within);
    ADD_ROWS(tests, n, harmed, harm_rows);
    ADD_TEST(tests, n, left_while_ahead);
    ADD_TEST(tests, n, cut_anywhere);
    ADD_TEST(tests, n, lines_counted);
    ADD_ROWS(tests, n, not_opened, open_rows);
    ADD_ROWS(tests, n, standard_input, stdin_rows);
    return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
