/* test_asked_levels.c - levels that jobs ask for by names which only the cluster knows: kept as they
 * are read, put in place when the cluster is there, written again by name. By hand. */
#include "tests/unit/read_text.h"
#include "tests/unit/round_trip.h"

#define HEAD "job_id,submit_s,duration_s,gpus"
static const struct level_names zones = { 3, { "leaf", "pod", "zone" } };

static struct workload *of_text(const char *text)
{
    const struct trace_format *used = NULL;
    struct error err = { "" };
    struct workload *w = read_text(text, strlen(text), NULL, &used, &err);
    assert_string_equal(err.text, "");
    return w;
}

static void same_when_written(const struct workload *w, const char *want)
{
    size_t length;
    write_native(".", "w.csv", w);
    char *text = read_whole("w.csv", &length);
    unlink("w.csv");
    assert_string_equal(text, want);
    free(text);
}

/* Of one job, of groups, of slices. */
#define JOBS                                                                                       \
    HEAD ",tasks,topology,slices,group\n"                                                          \
         "a,0,1,8,8,required:zone,leaf:4,\n"                                                       \
         "b,0,1,2,2,preferred:leaf,,x/one\n"                                                       \
         "b,0,1,2,2,required:node,,x/two\n"                                                        \
         "b,0,1,0,,required:zone,,x\n"                                                             \
         "c,0,1,2,2,required:pod,,\n"

static void are_put_in_place(void **state)
{
    (void)state;
    struct error err = { "" };
    struct workload *w = of_text(JOBS);
    round_trip(w);
    assert_int_equal(workload_bind_levels(w, &zones, "c", &err), 0);
    const struct job_facts *a = &w->facts[0], *b = &w->facts[1], *c = &w->facts[2];
    assert_int_equal(a->ask->required_level, LEVEL_POD + 1);
    assert_int_equal(a->ask->set->required_level, LEVEL_POD + 1);
    assert_int_equal(a->ask->set->slice[0].level, LEVEL_RACK);
    assert_int_equal(b->n_groups, 4);
    assert_int_equal(b->group[1].required_level, LEVEL_POD + 1);
    assert_int_equal(b->group[2].preferred_level, LEVEL_RACK);
    assert_int_equal(b->group[2].required_level, LEVEL_ANY);
    assert_int_equal(b->group[3].required_level, LEVEL_NODE);
    assert_int_equal(c->ask->required_level, LEVEL_POD);
    workload_free(w);
}

/* Read again it gives the same, with a cluster and without. */
static void are_written_by_name(void **state)
{
    (void)state;
    static const char text[] = HEAD ",tasks,topology\na,0,1,8,8,required:zone\nb,0,1,8,8,preferred:leaf\nc,0,1,8,8,required:node\n";
    struct error err = { "" };
    struct workload *w = of_text(text);
    same_when_written(w, text);
    assert_int_equal(workload_bind_levels(w, &zones, "c", &err), 0);
    same_when_written(w, text);
    workload_free(w);
}

static const struct bad { const char *name, *text, *error; } bad[] = {
    { "a level that there is not", HEAD ",topology\na,0,1,1,\nb,0,1,1,required:zoen\n",
      "t.csv:3: want a level of cluster c: island, numa, node, leaf (rack), pod, zone, cluster; got 'zoen', did you mean 'zone'?" },
    { "the place where it was first", HEAD ",topology\na,0,1,1,required:row\nb,0,1,1,required:row\n",
      "t.csv:2: want a level of cluster c: island, numa, node, leaf (rack), pod, zone, cluster; got 'row'" },
    { "slices", HEAD ",tasks,slices\na,0,1,8,8,hall:2\n",
      "t.csv:2: want a level of cluster c: island, numa, node, leaf (rack), pod, zone, cluster; got 'hall'" },
    { "slices from fine to coarse", HEAD ",tasks,slices\na,0,1,8,8,leaf:4;zone:2\n",
      "cluster c: the trace has slices with levels of these: island, numa, node, leaf (rack), pod, zone, cluster; want the outermost "
      "slices at the level of the topology or below it, and each level finer than the one before" },
    { "slices wider than the topology", HEAD ",tasks,topology,slices\na,0,1,8,8,required:rack,zone:4\n",
      "cluster c: the trace has slices with levels of these: island, numa, node, leaf (rack), pod, zone, cluster; want the outermost "
      "slices at the level of the topology or below it, and each level finer than the one before" },
};

static void is_refused(void **state)
{
    const struct bad *row = *state;
    struct error err = { "" };
    struct workload *w = of_text(row->text);
    assert_int_equal(workload_bind_levels(w, &zones, "c", &err), -1);
    assert_string_equal(err.text, row->error);
    workload_free(w);
}

/* A hundred and more names are no level of their own each. */
static void too_many_names(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    char name[16];
    for (unsigned i = 0; i < 201; i++) {
        snprintf(name, sizeof name, "l%u", i);
        uint8_t level = workload_level(w, name, strlen(name), "t", 1);
        assert_int_equal(level == LEVEL_ANY, i == 200);
        if (i < 200)
            assert_string_equal(workload_level_text(w, level), name);
    }
    assert_string_equal(workload_level_text(w, workload_level(w, "l7", 2, "t", 1)), "l7");
    assert_string_equal(workload_level_want(w, "l200", 4, "a level"), "at most 200 names of levels in a trace");
    assert_string_equal(workload_level_want(w, "", 0, "a level"), "a level");    /* no name of any */
    workload_free(w);
}

/* The last of 201 jobs has one name too many, in its topology or its slices; with a name of before it is read. */
static void one_name_too_many(void **state)
{
    (void)state;
    static const struct { const char *last, *error; } rows[] = {
        { "required:l200,", "t.csv:202: topology: want at most 200 names of levels in a trace, got 'required:l200'" },
        { ",l200:4", "t.csv:202: slices: want at most 200 names of levels in a trace, got 'l200:4'" },
        { ",:4", "t.csv:202: slices: want LEVEL:TASKS" },
        { "required:l7,", "" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[8192];
        size_t n = (size_t)snprintf(text, sizeof text, HEAD ",tasks,topology,slices\n");
        for (unsigned i = 0; i < 200; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "j%u,0,1,8,8,required:l%u,\n", i, i);
        n += (size_t)snprintf(text + n, sizeof text - n, "last,0,1,8,8,%s\n", rows[r].last);
        const struct trace_format *used = NULL;
        struct error err = { "" };
        struct workload *w = read_text(text, n, NULL, &used, &err);
        if (strncmp(err.text, rows[r].error, strlen(rows[r].error)))
            fail_msg("want %s, got %s", rows[r].error, err.text);
        assert_int_equal(w != NULL, !*rows[r].error);
        workload_free(w);
    }
}

/* A second cluster with the same levels changes nothing; with others the numbers would mean other levels. */
static void bound_once(void **state)
{
    (void)state;
    static const struct level_names others = { 3, { "row", "pod", "zone" } }, fewer = { 2, { "leaf", "pod" } };
    struct error err = { "" };
    struct workload *w = of_text(JOBS);
    assert_int_equal(workload_bind_levels(w, &zones, "c", &err), 0);
    assert_int_equal(workload_bind_levels(w, &zones, "again", &err), 0);
    assert_int_equal(w->facts[0].ask->required_level, LEVEL_POD + 1);
    assert_int_equal(workload_bind_levels(w, &others, "d", &err), -1);
    assert_string_equal(err.text, "cluster d: want the levels that the trace is bound to: island, numa, node, leaf (rack), pod, zone, "
                                  "cluster; got island, numa, node, row (rack), pod, zone, cluster");
    err.text[0] = '\0';
    assert_int_equal(workload_bind_levels(w, &fewer, "e", &err), -1);
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, are_put_in_place);
    ADD_TEST(tests, n, are_written_by_name);
    ADD_TEST(tests, n, too_many_names);
    ADD_TEST(tests, n, one_name_too_many);
    ADD_TEST(tests, n, bound_once);
    ADD_ROWS(tests, n, is_refused, bad);
    return run_in_directory(tests, n);
}
