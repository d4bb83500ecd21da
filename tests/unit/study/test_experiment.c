/* test_experiment.c - experiment files: the points that they make, their numbers and names, or the exact message; and shards. */
#include "sim/base/memory.h"
#include "sim/study/grid.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOTH "clusters: c.yaml\ntraces: t.csv\n"

/* `want`: "NUMBER NAME" of each point, separated by ';'; or the message. */
static const struct row { const char *name, *text, *want; } rows[] = {
    { "the least", BOTH, "0 t_c_fifo_pack_seed=1" },
    { "JSON", "{ \"clusters\": [\"c.yaml\"], \"traces\": [\"t.csv\"] }", "0 t_c_fifo_pack_seed=1" },
    { "paths and endings", "clusters: /a.b/c.d.yaml.gz\ntraces: \"../x/t.csv.zst:helios-sim:a=b\"\n", "0 t_c.d_fifo_pack_seed=1" },
    { "the seed varies slowest, the placement fastest", BOTH "policies: [ p, q ]\nplacements: [ a, b ]\nseeds: [ 2, 1 ]\n",
      "0 t_c_p_a_seed=2;1 t_c_p_b_seed=2;2 t_c_q_a_seed=2;3 t_c_q_b_seed=2;"
      "4 t_c_p_a_seed=1;5 t_c_p_b_seed=1;6 t_c_q_a_seed=1;7 t_c_q_b_seed=1" },
    { "clusters below traces", "clusters: [ c.yaml, { name: d, file: c.yaml } ]\ntraces: [ t.csv, u.csv ]\n",
      "0 t_c_fifo_pack_seed=1;1 t_d_fifo_pack_seed=1;2 u_c_fifo_pack_seed=1;3 u_d_fifo_pack_seed=1" },
    { "seeds as ranges", BOTH "seeds: [ 1..2, 9 ]\n", "0 t_c_fifo_pack_seed=1;1 t_c_fifo_pack_seed=2;2 t_c_fifo_pack_seed=9" },
    { "only lists are named", BOTH "parameters: { load: 0.5, pods: [ 8 ] }\n", "0 t_c_pods=8_fifo_pack_seed=1" },
    { "settings before options, whatever the order", BOTH "parameters: { load: [ 1, 2 ], cluster.period_s: [ 3 ] }\n",
      "0 t_c_cluster.period_s=3_load=1_fifo_pack_seed=1;1 t_c_cluster.period_s=3_load=2_fifo_pack_seed=1" },
    { "what is no good name of a file", BOTH "policies: [ \"easy:depth=2,order=x\", { name: my own, policy: y } ]\n",
      "0 t_c_easy-depth=2-order=x_pack_seed=1;1 t_c_my-own_pack_seed=1" },
    { "a number stays when others are left out", BOTH "policies: [ p, q ]\nseeds: 1..2\nexclude: [ { policy: p, seed: 1 }, { seed: [ 2 ], policy: [ q ] } ]\n",
      "1 t_c_q_pack_seed=1;2 t_c_p_pack_seed=2" },
    { "left out by how it was given", BOTH "policies: [ { name: a, policy: \"p:x=1\" }, q ]\nexclude: [ { policy: \"p:x=1\" } ]\n", "1 t_c_q_pack_seed=1" },

    { "no mapping", "[ 1 ]", "e.yaml:1:1: want a mapping, got a list" },
    { "no cluster", "traces: t.csv\n", "e.yaml:1:1: key 'clusters' is missing" },
    { "no trace", "clusters: c.yaml\n", "e.yaml:1:1: key 'traces' is missing" },
    { "an unknown key", BOTH "polices: fifo\n",
      "e.yaml:3:1: unknown key 'polices': want one of name, clusters, traces, policies, placements, parameters, seeds, exclude, limit_s, did you "
      "mean 'policies'?" },
    { "a key twice", BOTH "seeds: 1\nseeds: 2\n", "e.yaml:4:1: key 'seeds' is given twice" },
    { "an empty list", BOTH "policies: []\n", "e.yaml:3:11: policies: want at least one value, got an empty list" },
    { "an empty value", BOTH "policies:\n", "e.yaml:3:1: policies: want a text of one line, got nothing" },
    { "a list in a list", BOTH "policies: [ [ a ] ]\n", "e.yaml:3:13: want a text of one line, got a list" },
    { "standard input", "clusters: \"-\"\ntraces: t.csv\n", "e.yaml:1:12: clusters: want a file, not standard input: it is read once for many runs" },
    { "an item without its file", "clusters: [ { name: x } ]\ntraces: t.csv\n", "e.yaml:1:13: key 'file' is missing" },
    { "an item with another key", BOTH "policies: [ { name: x, file: y } ]\n", "e.yaml:3:24: unknown key 'file': want one of name, policy" },
    { "a cluster twice", "clusters: [ a/c.yaml, b/c.yaml ]\ntraces: t.csv\n", "e.yaml:1:23: cluster 'c' is listed twice: give each a name of its own" },
    { "a policy twice", BOTH "policies: [ p, q, p ]\n", "e.yaml:3:19: policy 'p' is listed twice" },
    { "a seed twice", BOTH "seeds: [ 1..3, 2 ]\n", "e.yaml:3:16: seed '2' is listed twice" },
    { "a seed below 0", BOTH "seeds: -1\n", "e.yaml:3:8: seeds: want a seed, a whole number from 0, or a range of them like 1..20, got '-1'" },
    { "a seed that is none", BOTH "seeds: [ x ]\n", "e.yaml:3:10: want a seed, a whole number from 0, or a range of them like 1..20, got 'x'" },
    { "a range backwards", BOTH "seeds: 3..1\n", "e.yaml:3:8: seeds: want a seed, a whole number from 0, or a range of them like 1..20, got '3..1'" },
    { "too many seeds", BOTH "seeds: 1..20000\n", "e.yaml:3:8: seeds: want at most 10000 seeds, got '1..20000'" },
    { "a parameter twice", BOTH "parameters: { load: 1, load: 2 }\n", "e.yaml:3:24: key 'load' is given twice" },
    { "parameters that are a list", BOTH "parameters: [ load ]\n", "e.yaml:3:13: parameters: want a mapping, got a list" },
    { "a value twice", BOTH "parameters: { load: [ 1, 1 ] }\n", "e.yaml:3:26: load '1' is listed twice" },
    { "a mapping as value", BOTH "parameters: { load: [ { a: 1 } ] }\n", "e.yaml:3:23: want a text of one line, got a mapping" },
    { "no time", BOTH "limit_s: 0\n", "e.yaml:3:10: limit_s: want a number above 0 up to 31536000, got '0'" },
    { "a name that is a path", BOTH "name: a/b\n", "e.yaml:3:7: name: want a name without '/' that does not begin with '.', got 'a/b'" },
    { "exclusions that are none", BOTH "exclude: [ fifo ]\n", "e.yaml:3:12: want a mapping of what is left out, like { policy: fifo, seed: 1 }" },
    { "an empty exclusion", BOTH "exclude: [ {} ]\n", "e.yaml:3:12: want a mapping of what is left out, like { policy: fifo, seed: 1 }" },
    { "an exclusion of nothing known", BOTH "exclude: [ { polcy: fifo } ]\n",
      "e.yaml:3:14: no axis 'polcy': want one of seed, trace, cluster, policy, placement, did you mean 'policy'?" },
    { "an exclusion of no value", BOTH "exclude: [ { policy: fifi } ]\n", "e.yaml:3:22: policy: the experiment has no policy 'fifi', did you mean 'fifo'?" },
    { "an exclusion with a key twice", BOTH "exclude: [ { seed: 1, seed: 1 } ]\n", "e.yaml:3:23: key 'seed' is given twice" },
    { "nothing left", BOTH "exclude: [ { policy: fifo } ]\n", "e: no point remains: every combination is excluded" },
    { "names that agree", BOTH "policies: [ \"a:b\", \"a-b\" ]\n",
      "e: points 0 and 1 are both called 't_c_a-b_pack_seed=1': give some of their parts names" },
    { "too many", BOTH "seeds: 1..10000\nparameters: { load: [ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ], pods: [ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ] }\n",
      "e: want at most 1000000 combinations" },
    { "not YAML", "clusters: [ c.yaml\n", "e.yaml:2:1: flow sequence without a closing bracket" },
};

static void show_grid(const struct grid *g, char *to, size_t size)
{
    size_t n = 0;
    to[0] = '\0';
    for (size_t i = 0; i < g->n && n < size; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%u %s", i ? ";" : "", g->point[i].number, g->point[i].name);
}

static struct experiment *read_text(const char *text, struct error *err)
{
    struct input *in = input_from_bytes(text, strlen(text), "e.yaml", err);
    struct experiment *e = experiment_from(in, "e.yaml", err);
    input_close(in);
    return e;
}

static void read_or_refused(void **state)
{
    const struct row *row = *state;
    struct error err = { "" };
    char got[2048];
    struct experiment *e = read_text(row->text, &err);
    struct grid *g = e ? grid_new(e, &err) : NULL;
    if (g)
        show_grid(g, got, sizeof got);
    assert_string_equal(g ? got : err.text, row->want);
    grid_free(g);
    experiment_free(e);
}

/* Of a parameter that only q has, p has no copies, and its numbers are left free. */
static void idle_parameters_are_not_multiplied(void **state)
{
    (void)state;
    struct error err = { "" };
    char got[512];
    struct experiment *e = read_text(BOTH "policies: [ p, q ]\nparameters: { policy.depth: [ 1, 2 ] }\nexclude: [ { policy.depth: 1 } ]\n", &err);
    assert_non_null(e);
    for (size_t i = 0; i < e->n_axes; i++)
        if (e->axis[i].kind == AXIS_POLICY_PARAMETER) {
            e->axis[i].idle = mem_new(2, sizeof *e->axis[i].idle);
            e->axis[i].idle[0] = true;
        }
    struct grid *g = grid_new(e, &err);
    show_grid(g, got, sizeof got);
    assert_string_equal(got, "0 t_c_p_pack_seed=1;3 t_c_q_policy.depth=2_pack_seed=1");
    grid_free(g);
    experiment_free(e);
}

/* Every point is in exactly one shard, and no shard has over one more than another. */
static void shards_are_a_partition(void **state)
{
    (void)state;
    for (size_t n = 0; n < 40; n++)
        for (size_t of = 1; of < 45; of++) {
            size_t next = 0;
            for (size_t i = 0; i < of; i++) {
                size_t first, end;
                shard_bounds((struct shard){ i, of }, n, &first, &end);
                assert_int_equal(first, next);
                assert_true(end >= first && end - first >= n / of && end - first <= n / of + 1);
                next = end;
            }
            assert_int_equal(next, n);
        }
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_ROWS(tests, n, read_or_refused, rows);
    ADD_TEST(tests, n, idle_parameters_are_not_multiplied);
    ADD_TEST(tests, n, shards_are_a_partition);
    return cmocka_run_group_tests_name("experiment", tests, NULL, NULL) != 0;
}
