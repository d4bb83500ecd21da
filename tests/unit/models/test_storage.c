/* test_storage.c - how long it takes to write, load and pull, and what a file may say about it. By hand from models.md 3.2,
 * 3.3 and 3.7. */
#include "sim/models/storage.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <string.h>

#define GB INT64_C(1000000000)
#define S  NS_PER_S

/* The defaults: 2 GB/s written by a node, 5 read; 100 in all. */
static const struct row { const char *name; int64_t bytes; uint32_t nodes, others; int64_t write_ns, load_ns; } rows[] = {
    { "one node", 98 * GB, 1, 1, 49 * S, 98 * S / 5 },                     /* 7e9 parameters x 14 B */
    { "two nodes", 98 * GB, 2, 1, 98 * S / 4, 98 * S / 10 },
    { "as many as the storage takes", 100 * GB, 50, 1, 1 * S, 1 * S },
    { "more than that", 100 * GB, 500, 1, 1 * S, 1 * S },
    { "two such jobs", 100 * GB, 500, 2, 2 * S, 1 * S },
    { "others, but the node is slower", 98 * GB, 1, 20, 49 * S, 98 * S / 5 },      /* each of the 20 gets 5 GB/s */
    { "the 51st writer feels it", 10 * GB, 1, 51, 5100000000, 2 * S },
    { "rounded up", 3, 3, 1, 1, 1 },                                       /* 0.5 ns, 0.2 ns */
    { "nothing", 0, 1, 1, 0, 0 },
    { "saturates", INT64_MAX, 1, UINT32_MAX, TIME_NEVER, 1844674407370955162 },
};

static void transfers(void **state)
{
    const struct row *r = *state;
    struct storage s = storage_default();
    assert_int_equal(storage_write_ns(&s, r->bytes, r->nodes, r->others), r->write_ns);
    assert_int_equal(storage_load_ns(&s, r->bytes, r->nodes), r->load_ns);
}

/* 11.4: infinite bandwidth, no cost. One of the two is not enough. */
static void unlimited(void **state)
{
    (void)state;
    struct storage s = storage_default();
    s.node_write_bps = STORAGE_UNLIMITED;
    assert_int_equal(storage_write_ns(&s, 100 * GB, 2, 3), 3 * S);
    s.write_bps = STORAGE_UNLIMITED;
    assert_int_equal(storage_write_ns(&s, 100 * GB, 2, 3), 0);
    s.node_write_bps = 2 * GB;
    assert_int_equal(storage_write_ns(&s, 100 * GB, 2, 3), 25 * S);
}

static void pulls(void **state)
{
    (void)state;
    struct storage s = storage_default();
    assert_int_equal(storage_pull_ns(&s, false), 180 * S);
    assert_int_equal(storage_pull_ns(&s, true), 30 * S);
    s.image_mib = 10 * 1024;
    assert_int_equal(storage_pull_ns(&s, false), 30 * S + 2147483648);     /* 10737418240 bytes at 5 GB/s */
    assert_int_equal(storage_pull_ns(&s, true), 30 * S);
}

/* ---- The section ---- */

static int read_section(const char *text, struct storage *s, struct error *err)
{
    struct input *in = input_from_bytes(text, strlen(text), "c.yaml", err);
    struct config *c = config_read(in, err);
    *s = storage_default();
    int result = c ? storage_read(config_look(config_root(c), "storage"), s, err) : -1;
    config_free(c);
    input_close(in);
    return result;
}

static void all_keys(void **state)
{
    (void)state;
    struct storage s;
    struct error err = { "" };
    assert_int_equal(read_section("storage: {gbps: 7, read_gbps: 10, write_gbps: 0.5, node_read_gbps: unlimited, node_write_gbps: 1, "
                                  "contention: maxmin, cache_gib: 0.5, pull_s: 60, pull_cached_s: 0, image_gib: 20, "
                                  "images_per_node: 3}", &s, &err), 0);
    assert_true(s.on && s.contention == CONTENTION_MAXMIN);
    assert_int_equal(s.all_bps, 7 * GB);
    assert_int_equal(s.read_bps, 10 * GB);
    assert_int_equal(s.write_bps, GB / 2);
    assert_int_equal(s.node_read_bps, STORAGE_UNLIMITED);
    assert_int_equal(s.node_write_bps, GB);
    assert_int_equal(s.cache_mib, 512);
    assert_int_equal(s.pull_ns, 60 * S);
    assert_int_equal(s.pull_cached_ns, 0);
    assert_int_equal(s.image_mib, 20480);
    assert_int_equal(s.images_per_node, 3);
}

static void defaults(void **state)
{
    (void)state;
    struct storage s;
    struct error err = { "" };
    assert_false(storage_default().on);
    assert_int_equal(read_section("storage: {}", &s, &err), 0);
    assert_true(s.on && s.contention == CONTENTION_NONE && s.cache_mib == 0 && s.images_per_node == 0 && s.image_mib == 0);
}

static const struct wrong { const char *name, *text, *error; } wrongs[] = {
    { "no bandwidth", "storage: {read_gbps: 0}", "c.yaml:1:22: read_gbps: want a number above 0 up to 1000000000 or "
      "'unlimited', got '0'" },
    { "a word", "storage: {node_write_gbps: fast}", "c.yaml:1:28: node_write_gbps: want a number above 0 up to 1000000000 or "
      "'unlimited', got 'fast'" },
    { "another word", "storage: {contention: fair}", "c.yaml:1:23: contention: want one of none, maxmin, got 'fair'" },
    { "negative", "storage: {cache_gib: -1}", "c.yaml:1:22: cache_gib: want a number from 0 to 1000000000, got '-1'" },
    { "unknown key", "storage: {cache: 1}", "c.yaml:1:11: unknown key 'cache': want one of gbps, read_gbps, write_gbps, "
      "node_read_gbps, node_write_gbps, contention, cache_gib, pull_s, pull_cached_s, image_gib, images_per_node" },
};

static void refused(void **state)
{
    const struct wrong *r = *state;
    struct storage s;
    struct error err = { "" };
    assert_int_equal(read_section(r->text, &s, &err), -1);
    assert_string_equal(err.text, r->error);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, transfers, rows);
    ADD_TEST(tests, n, unlimited);
    ADD_TEST(tests, n, pulls);
    ADD_TEST(tests, n, all_keys);
    ADD_TEST(tests, n, defaults);
    ADD_ROWS(tests, n, refused, wrongs);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
