/* test_early.c - a run that begins while its trace is read, against one of a trace that was read before. Each row of the table
 * changes one line of a trace that may be run early, and says whether it still may. The trace is only as long as it has to be. */
#include "policies/registry.h"
#include "sim/engine/run.h"
#include "sim/workload/begun.h"
#include "tests/unit/read_text.h"
#include "traces/formats/reading.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { JOBS = READING_LEAST + 5000, LATE = JOBS - 1000, LINE_MOST = 64 };

enum outcome {
    EARLY,                        /* the run is of the whole */
    MISSED,                       /* it stops, and has to be made again */
    WRONG,                        /* it stops, as a line is no job */
    NEVER                         /* it does not begin */
};
static const struct trial {
    const char *name;
    enum outcome want;
    uint32_t at;                  /* job whose line is replaced; 0: none is */
    const char *line;             /* with %u for its number */
    const char *policy;           /* NULL: fifo */
    const char *columns;          /* that all rows have behind the others, with commas; NULL: none */
    const char *error;            /* of WRONG */
    const char *queue[3];         /* that are named before; NULL: none, or no more */
    uint32_t pods;                /* totals become pods of so many GPUs; 0: they stay */
} rows[] = {
    { .name = "nothing unusual", .want = EARLY },
    { .name = "what comes late was there before", .want = EARLY, .at = LATE, .line = "j%u,%u,7.5,8,a" },
    { .name = "a name of a queue comes late", .want = MISSED, .at = LATE, .line = "j%u,%u,7,8,c" },
    { .name = "a queue that was named gets its first job late", .want = MISSED, .at = LATE, .line = "j%u,%u,7,8,c",
      .queue = { "c", "b", "a" } },
    { .name = "a queue that was named gets none", .want = EARLY, .queue = { "b", "c", "a" } },
    { .name = "a queue is not among those named", .want = MISSED, .at = LATE, .line = "j%u,%u,7,8,c", .queue = { "b", "a" } },
    { .name = "a request comes late", .want = MISSED, .at = LATE, .line = "j%u,%u,7,3,a" },
    { .name = "the last line has a request of its own", .want = MISSED, .at = JOBS - 1, .line = "j%u,%u,7,3,a" },
    { .name = "a job comes before the one above it", .want = MISSED, .at = LATE, .line = "j%u,0,7,8,a\n" },
    { .name = "an empty line counts as none", .want = EARLY, .at = LATE, .line = "\nj%u,%u,7,8,a" },
    { .name = "a name goes over two lines", .want = MISSED, .at = LATE, .line = "\"j\n%u\",%u,7,8,a" },
    { .name = "the first block is out of order", .want = NEVER, .at = 100, .line = "j%u,1,7,8,a" },
    { .name = "a job waits for another from the start", .want = NEVER, .at = 100, .line = "j%u,%u,7,8,a,j1",
      .columns = ",depends_on" },
    { .name = "a job waits for another late", .want = MISSED, .at = LATE, .line = "j%u,%u,7,8,a,j1", .columns = ",depends_on" },
    { .name = "a cell is wrong late", .want = WRONG, .at = LATE, .line = "j%u,%u,soon,8,a",
      .error = "t.csv:69538: duration_s: want a number of seconds, got 'soon'" },
    { .name = "a job_id comes twice", .want = WRONG, .at = LATE, .line = "j7,70000,7,8,a",
      .error = "t.csv:69538: job_id: 'j7' was used before, on line 9" },
    { .name = "totals become pods", .want = EARLY, .pods = 3 },
    { .name = "a total that becomes other pods comes late", .want = MISSED, .at = LATE, .line = "j%u,%u,7,11,a", .pods = 3 },
    { .name = "a total that becomes pods as others do comes late", .want = MISSED, .at = LATE, .line = "j%u,%u,7,3,a", .pods = 1 },
    { .name = "the policy looks at jobs that are to come", .want = MISSED, .policy = "elastic" },
    { .name = "parts of jobs may start", .want = EARLY, .policy = "gang" },
    { .name = "parts of jobs may start, and some are too large", .want = MISSED, .policy = "gang", .at = 100,
      .line = "j%u,%u,7,2000,a" },
    { .name = "some jobs are too large", .want = EARLY, .at = 100, .line = "j%u,%u,7,2000,a" },
};

/* Job k is there at k s, for 100 s and some, with 1 to 8 GPUs of 1,024. */
static void write_trace(const struct trial *row)
{
    char usual[LINE_MOST];
    FILE *f = fopen("t.csv", "wb");
    assert_non_null(f);
    fprintf(f, "job_id,submit_s,duration_s,gpus,queue%s\n", row->columns ? row->columns : "");
    for (uint32_t k = 0; k < JOBS; k++) {
        snprintf(usual, sizeof usual, "j%%u,%%u,%u.5,%u,%s", 100 + k * 7919 % 100, 1u << k % 4, k % 3 ? "a" : "b");
        const bool own = row->at && k == row->at;
        fprintf(f, own ? row->line : usual, k, k);
        fprintf(f, "%s\n", row->columns && !own ? "," : "");
    }
    assert_int_equal(fclose(f), 0);
}

static struct cluster *cluster_new(void)
{
    struct error err = { "" };
    const struct group_spec node = { .name = "node", .gpu_model = "A100", .count = 128, .gpus = 8, .cpu_milli = INT64_MAX,
                                     .mem_mib = INT64_MAX };
    return cluster_build("c", &node, 1, NULL, 0, &err);
}

static const struct policy *policy_of(const char *name)
{
    for (size_t i = 0; builtin_policies[i]; i++)
        if (strcmp(builtin_policies[i]->name, name) == 0)
            return builtin_policies[i];
    return NULL;
}

static struct sched *run_of(const struct trial *row, const struct cluster *c, struct workload *w, struct early *early)
{
    return run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = policy_of(row->policy ? row->policy : "fifo"),
                                        .placer = builtin_placers[0], .early = early });
}

static void same_jobs(const struct sched *a, const struct sched *b)
{
    for (job_id j = 0; j < JOBS; j++) {
        struct job_result x = run_job(a, j), y = run_job(b, j);
        assert_int_equal(x.start_ns, y.start_ns);
        assert_int_equal(x.end_ns, y.end_ns);
        assert_int_equal(x.wait_ns, y.wait_ns);
        const struct workload *v = run_setup_of(a)->workload, *w = run_setup_of(b)->workload;
        assert_string_equal(v->truth[j].name, w->truth[j].name);
        assert_int_equal(v->facts[j].ask->shape, w->facts[j].ask->shape);
        assert_int_equal(v->facts[j].min_tasks, w->facts[j].min_tasks);
    }
    assert_memory_equal(&run_totals(a)->held, &run_totals(b)->held, sizeof run_totals(a)->held);
    assert_memory_equal(&run_totals(a)->waiting, &run_totals(b)->waiting, sizeof run_totals(a)->waiting);
}

/* What the run of the beginning came to. *ran: of EARLY and MISSED, if it has begun. */
static enum outcome run_early(const struct trial *row, struct trace_reading *r, struct cluster *c, struct sched **ran)
{
    struct error err = { "" };
    char sha256[65];
    struct early *early = trace_reading_early(r);
    struct workload *begun = trace_reading_begun(r);
    int result = RUN_MISSED;
    if (begun) {
        assert_int_equal(run_bind(c, begun, &err), 0);
        early_bound(early);
        *ran = run_of(row, c, begun, early);
        result = *ran ? run_execute(*ran, &err) : RUN_MISSED;
        assert_true(result == 0 || result == RUN_MISSED);
        if (!early_over(early))
            result = RUN_MISSED;
    }
    if (result == RUN_MISSED) {
        run_free(*ran);
        *ran = NULL;
    }
    if (trace_reading_end(r, sha256, &err) != 0) {
        assert_string_equal(err.text, row->error);
        return WRONG;
    }
    assert_int_equal(strlen(sha256), 64);
    return !begun ? NEVER : result == 0 ? EARLY : MISSED;
}

static void as_if_read_before(void **state)
{
    const struct trial *row = *state;
    const struct trace_format *used;
    struct error err = { "" };
    char sha256[65];
    struct sched *ran = NULL;
    write_trace(row);
    struct cluster *c = cluster_new(), *also = cluster_new();
    const uint32_t n_queues = row->queue[0] == NULL ? 0 : row->queue[2] ? 3 : 2;
    const struct trace_source from = { .path = "t.csv", .queue = row->queue, .n_queues = n_queues, .pods = row->pods };
    struct trace_reading *r = trace_reading_begin(&from, &used);
    assert_non_null(r);
    enum outcome came = run_early(row, r, c, &ran);
    assert_int_equal(came, row->want);
    if (came == WRONG) {
        trace_reading_free(r);
        cluster_free(c);
        cluster_free(also);
        return;
    }
    struct workload *before = trace_read_source(&(struct trace_source){ .path = "t.csv", .one_thread = true }, &used, sha256, &err);
    struct workload *whole = came == EARLY ? NULL : trace_reading_whole(r, &err);
    if (row->pods)
        workload_make_pods(before, row->pods);
    assert_int_equal(run_bind(also, before, &err), 0);
    struct sched *b = run_of(row, also, before, NULL);
    assert_int_equal(run_execute(b, &err), 0);
    if (whole) {
        assert_int_equal(run_bind(c, whole, &err), 0);
        ran = run_of(row, c, whole, NULL);
        assert_int_equal(run_execute(ran, &err), 0);
    }
    same_jobs(ran, b);
    run_free(ran);
    run_free(b);
    trace_reading_free(r);
    workload_free(whole);
    workload_free(before);
    cluster_free(c);
    cluster_free(also);
}

/* Not read early: what is short, compressed, of another format, or from standard input. */
static void others(void **state)
{
    (void)state;
    const struct trace_format *used;
    static const char two[] = "job_id,submit_s,duration_s,gpus\na,0,1,1\n";
    FILE *f = fopen("t.csv", "wb");
    fputs(two, f);
    fclose(f);
    assert_null(trace_reading_begin(&(struct trace_source){ .path = "t.csv" }, &used));
    assert_null(trace_reading_begin(&(struct trace_source){ .path = "none.csv" }, &used));
    write_trace(&rows[0]);
    assert_null(trace_reading_begin(&(struct trace_source){ .path = "t.csv", .one_thread = true }, &used));
    assert_null(trace_reading_begin(&(struct trace_source){ .path = "t.csv", .format = trace_format_find("swf") }, &used));
}

/* A run that is given up in the middle, and one that never asks, leave a reader that ends. */
static void given_up(void **state)
{
    (void)state;
    const struct trace_format *used;
    struct error err = { "" };
    char sha256[65];
    write_trace(&rows[0]);
    struct cluster *c = cluster_new();
    for (unsigned how = 0; how < 6; how++) {
        struct trace_reading *r = trace_reading_begin(&(struct trace_source){ .path = "t.csv" }, &used);
        struct workload *begun = how % 3 ? trace_reading_begun(r) : NULL;
        struct sched *s = NULL;
        if (how % 3 == 2) {
            assert_int_equal(run_bind(c, begun, &err), 0);
            early_bound(trace_reading_early(r));
            s = run_of(&rows[0], c, begun, trace_reading_early(r));
            assert_int_equal(run_until(s, ns_of_seconds(1000), &err), 0);
        }
        if (how < 3)
            assert_int_equal(trace_reading_end(r, sha256, &err), 0);
        run_free(s);
        trace_reading_free(r);
    }
    cluster_free(c);
}

/* One job more than was counted: the arrays move, but only when the run has left. It comes when the run has looked at all that it has
 * been told of, as the run may be told so before. */
struct reader { struct workload *w; _Atomic job_id come; };

static void *add_rows(void *self)
{
    struct reader *r = self;
    struct workload *w = r->w;
    struct error err = { "" };
    char name[16];
    for (uint32_t k = 0; k <= JOBS; k++) {
        while (k == JOBS && r->come < JOBS / EARLY_BLOCK * EARLY_BLOCK)
            sched_yield();
        struct job_row row = job_row_default;
        row.job_id = name;
        row.job_id_length = (size_t)snprintf(name, sizeof name, "j%u", k);
        row.submit_ns = k * NS_PER_S;
        row.duration_ns = NS_PER_S;
        row.gpus = 1;
        assert_int_equal(workload_add(w, &row, "t", k + 1, &err), 0);
    }
    return NULL;
}

static void more_than_counted(void **state)
{
    (void)state;
    struct error err = { "" };
    pthread_t reader;
    struct workload *w = workload_new();
    struct reader of = { .w = w };
    struct early *e = early_new(w, JOBS);
    workload_reserve(w, JOBS);
    assert_int_equal(pthread_create(&reader, NULL, add_rows, &of), 0);
    assert_true(early_ready(e));
    const struct job_facts *facts = w->facts;
    early_bound(e);
    job_id j = 0;
    for (uint32_t known = 1; known > j; known = early_known(e, j))
        for (; j < known; of.come = ++j)
            assert_int_equal(facts[j].submit_ns, j * NS_PER_S);
    assert_in_range(j, JOBS - EARLY_BLOCK, JOBS);
    for (job_id k = 0; k < j; k++)    /* they are where they were */
        assert_int_equal(facts[k].submit_ns, k * NS_PER_S);
    assert_false(early_over(e));
    for (job_id k = 0; k < j; k++)    /* until the run has left */
        assert_int_equal(facts[k].submit_ns, k * NS_PER_S);
    early_left(e);
    pthread_join(reader, NULL);
    early_free(e);
    assert_int_equal(workload_finish(w, "t", &err), 0);
    assert_int_equal(w->n_jobs, JOBS + 1);
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, as_if_read_before, rows);
    ADD_TEST(tests, n, more_than_counted);
    ADD_TEST(tests, n, others);
    ADD_TEST(tests, n, given_up);
    return run_in_directory(tests, n);
}
