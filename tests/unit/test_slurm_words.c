/* test_slurm_words.c - lists of hosts, lengths of time and resources as Slurm writes them. Expected: by hand, from the rules
 * in the headers of sim/slurm. */
#include "sim/slurm/hostlist.h"
#include "sim/slurm/span.h"
#include "sim/slurm/tres.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <string.h>

/* ---- hosts ---- */

static const struct hosts { const char *name, *text, *hosts, *want; } hosts[] = {
#define LIST  "hosts like n[01-04,7] with ',' between"
#define RANGE "ascending ranges like [01-04] in brackets"
    { "one", "n01", "n01 ", NULL },
    { "several", "a,b,c1", "a b c1 ", NULL },
    { "a range keeps the width of its left end", "n[08-11]", "n08 n09 n10 n11 ", NULL },
    { "without zeros", "n[8-11]", "n8 n9 n10 n11 ", NULL },
    { "numbers and ranges", "n[1-2,7,9]", "n1 n2 n7 n9 ", NULL },
    { "the last bracket varies fastest", "r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2 ", NULL },
    { "something behind", "n[1-2]-ib,x", "n1-ib n2-ib x ", NULL },
    { "nothing", "", "", LIST },
    { "nothing at the end", "a,", "a ", LIST },
    { "an open bracket", "n[1-2", "", LIST },
    { "a closed one", "n1]", "", LIST },
    { "brackets in brackets", "n[[1]]", "", RANGE },
    { "descending", "n[3-1]", "", RANGE },
    { "a shorter right end", "n[001-10]", "", RANGE },
    { "no numbers", "n[]", "", RANGE },
    { "too many", "n[0-65536]", "", RANGE },
};

static int append(void *self, const char *name, size_t length)
{
    strncat(self, name, length);
    strcat(self, " ");
    return 0;
}

static void host_list(void **state)
{
    const struct hosts *h = *state;
    char got[256] = "";
    const char *want = hostlist_each(h->text, strlen(h->text), append, got, NULL);
    assert_string_equal(want ? want : "", h->want ? h->want : "");
    assert_string_equal(got, h->hosts);
}

static void most_hosts(void **state)
{
    (void)state;
    size_t n;
    assert_null(hostlist_count("n[0-65535]", 10, &n));
    assert_int_equal(n, HOSTS_MAX);
    assert_string_equal(hostlist_count("n[0-65535],m", 12, &n), "at most 65536 hosts");
}

/* ---- lengths of time ---- */

static const struct spans { const char *name; int64_t unit, seconds; bool wrong; } spans[] = {
    { "90", 60, 5400, false }, { "90", 1, 90, false }, { "30:00", 60, 1800, false },
    { "1:02:03", 60, 3723, false }, { "1-12", 60, 129600, false }, { "1-12:30", 60, 131400, false },
    { "1-12:30:10", 60, 131410, false }, { "UNLIMITED", 60, SPAN_UNLIMITED, false },
    { "infinite", 60, SPAN_UNLIMITED, false }, { "-1", 60, SPAN_UNLIMITED, false }, { "0", 60, 0, false },
    { "", 60, 0, true }, { "1:", 60, 0, true }, { "1:2:3:4", 60, 0, true }, { "1-", 60, 0, true },
    { "-5", 60, 0, true }, { "1-2-3", 60, 0, true }, { "99999999999", 1, 0, true }, { "36525-0", 1, 0, true },
};

static void span(void **state)
{
    const struct spans *s = *state;
    int64_t seconds;
    assert_int_equal(span_parse(s->name, strlen(s->name), s->unit, &seconds), !s->wrong);
    if (!s->wrong)
        assert_int_equal(seconds, s->seconds);
}

static void whole_minutes(void **state)
{
    (void)state;
    assert_int_equal(span_whole_minutes(30), 60); /* -t 0:30 is a minute */
    assert_int_equal(span_whole_minutes(60), 60);
    assert_int_equal(span_whole_minutes(SPAN_UNLIMITED), SPAN_UNLIMITED);
}

/* ---- resources ---- */

static const struct resources {
    const char *name;
    bool gres, wrong;
    int64_t cpus, mem_mib, nodes, gpus, shards;
    unsigned types, others;
} resources[] = {
#define TRES .gres = false
#define GRES .gres = true, .cpus = -1, .mem_mib = -1, .nodes = -1
    { "", TRES, .cpus = -1, .mem_mib = -1, .nodes = -1, .gpus = -1, .shards = -1 },
    { "billing=8,cpu=32,gres/gpu:a100=8,gres/gpu=8,mem=62.50G,node=2", TRES, .cpus = 32, .mem_mib = 64000, .nodes = 2, .gpus = 8,
      .shards = -1, .types = 1 },
    { "gres/gpu:a100=2,gres/gpu:v100=3", TRES, .cpus = -1, .mem_mib = -1, .nodes = -1, .gpus = 5, .shards = -1, .types = 2 },
    { "mem=512,cpu=1K,license/x=1", TRES, .cpus = 1024, .mem_mib = 512, .nodes = -1, .gpus = -1, .shards = -1, .others = 1 },
    { "mem=1T,gres/shard=3", TRES, .cpus = -1, .mem_mib = 1048576, .nodes = -1, .gpus = -1, .shards = 3 },
    { "cpu", TRES, .wrong = true }, { "cpu=x", TRES, .wrong = true }, { "cpu=-1", TRES, .wrong = true }, { ",cpu=1", TRES, .wrong = true },
    { "gpu:4", GRES, .gpus = 4, .shards = -1 },
    { "gpu", GRES, .gpus = 1, .shards = -1 },
    { "gpu:a100:4(S:0-1),gpu:v100:2(S:0,1)", GRES, .gpus = 6, .shards = -1, .types = 2 },
    { "gres:gpu:a100:2", GRES, .gpus = 2, .shards = -1, .types = 1 },
    { "gpu:a100", GRES, .gpus = 1, .shards = -1, .types = 1 },
    { "gpu:no_consume:2,shard:8,nic:1", GRES, .gpus = 2, .shards = 8, .others = 1 },
    { ":4", GRES, .wrong = true }, { "gpu:a:b:c:4", GRES, .wrong = true },
};

static void resource(void **state)
{
    const struct resources *r = *state;
    struct tres t;
    bool ok = (r->gres ? gres_parse : tres_parse)(r->name, strlen(r->name), &t);
    assert_int_equal(ok, !r->wrong);
    if (r->wrong)
        return;
    assert_int_equal(t.cpus, r->cpus);
    assert_int_equal(t.mem_mib, r->mem_mib);
    assert_int_equal(t.nodes, r->nodes);
    assert_int_equal(t.gpus, r->gpus);
    assert_int_equal(t.shards, r->shards);
    assert_int_equal(t.types, r->types);
    assert_int_equal(t.others, r->others);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, host_list, hosts);
    ADD_ROWS(tests, n, span, spans);
    ADD_ROWS(tests, n, resource, resources);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(most_hosts);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(whole_minutes);
    return _cmocka_run_group_tests("words", tests, n, NULL, NULL);
}
