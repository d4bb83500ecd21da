/* test_rows_ahead.c - rows that a second thread adds. The second implementation is the same reader without it: every workload, and
 * the first error, is the same, whatever the rows say. */
#include "sim/base/random.h"
#include "sim/workload/workload.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 3000, WORLDS = 40 };

static struct random draws_of(uint64_t world)
{
    struct random r;
    random_init(&r, world, "rows", 0);
    return r;
}

static unsigned one_unusual_in;

/* One of `most` names, the last of them too long for a batch. */
static const char *name_of(struct random *r, const char *kind, unsigned most, char to[2048])
{
    uint64_t k = random_below(r, most);
    int n = snprintf(to, 2048, "%s%u", kind, (unsigned)k);
    if (one_unusual_in && k == most - 1) {
        memset(to + n, 'x', 1500);
        to[n + 1500] = '\0';
    }
    return to;
}

/* Row i of a world. A few say what is not usual, a few have texts that are long; one in `bad` is no job. */
static struct job_row row_of(struct random *r, unsigned i, unsigned bad, char text[3][2048])
{
    struct job_row row = job_row_default;
    row.queue = name_of(r, "q", 9, text[0]);
    row.queue_length = strlen(row.queue);
    row.user = name_of(r, "u", 400, text[1]);
    row.user_length = strlen(row.user);
    row.gpu_type = name_of(r, "gpu", 60, text[2]);
    row.gpu_type_length = random_below(r, 2) ? strlen(row.gpu_type) : 0;
    row.submit_ns = (int64_t)(i / 2) * NS_PER_S;
    row.duration_ns = 1 + (int64_t)random_below(r, 1000) * NS_PER_S;
    row.gpus = (uint32_t)random_below(r, 9);
    row.priority = (int32_t)random_below(r, 3);
    if (one_unusual_in && !random_below(r, one_unusual_in))
        row.data_mib = 7;         /* not usual: what follows is added at once */
    if (bad && !random_below(r, bad))
        row.gpu_milli = 0;
    return row;
}

/* What the rows become; NULL with err. */
static struct workload *read_rows(uint64_t world, unsigned bad, bool ahead, struct error *err)
{
    struct workload *w = workload_new();
    struct error earlier = { "" };
    struct random r = draws_of(world);
    static char text[3][2048];
    int result = 0;
    w->one_thread = !ahead;
    workload_add_ahead(w);
    for (unsigned i = 0; i < ROWS && result == 0; i++) {
        struct job_row row = row_of(&r, i, bad, text);
        result = workload_add(w, &row, "t", i + 1, err);
        memset(text, '?', sizeof text);         /* a reader's texts do not last */
    }
    if (workload_added(w, &earlier) != 0)
        *err = earlier;
    if (!err->text[0] && workload_finish(w, "t", err) == 0)
        return w;
    workload_free(w);
    return NULL;
}

static const char *text_of(const struct intern *of, uint32_t number)
{
    return number == ID_NONE ? "" : intern_text(of, number);
}

static void same_job(const struct workload *a, const struct workload *b, job_id j)
{
    const struct job_facts *f = &a->facts[j], *g = &b->facts[j];
    assert_string_equal(a->truth[j].name, b->truth[j].name);
    assert_int_equal(f->submit_ns, g->submit_ns);
    assert_int_equal(a->truth[j].duration_ns, b->truth[j].duration_ns);
    assert_int_equal(f->priority, g->priority);
    assert_int_equal(f->queue, g->queue);
    assert_string_equal(intern_text(a->queue_names, f->queue), intern_text(b->queue_names, g->queue));
    assert_string_equal(text_of(a->users, f->user), text_of(b->users, g->user));
    assert_int_equal(f->ask->shape, g->ask->shape);
    assert_int_equal(f->ask->gpus, g->ask->gpus);
    assert_string_equal(text_of(a->gpu_types, a->shape[f->ask->shape].gpu_type), text_of(b->gpu_types, b->shape[g->ask->shape].gpu_type));
    assert_int_equal(workload_extra(a, j)->data_mib, workload_extra(b, j)->data_mib);
}

/* unusual, bad: one row in so many; 0: none. Returns how many worlds are refused. */
static unsigned compare(unsigned unusual, unsigned bad)
{
    unsigned refused = 0;
    one_unusual_in = unusual;
    for (uint64_t world = 0; world < WORLDS; world++) {
        struct error alone_err = { "" }, ahead_err = { "" };
        struct workload *alone = read_rows(world, bad, false, &alone_err), *ahead = read_rows(world, bad, true, &ahead_err);
        assert_string_equal(alone_err.text, ahead_err.text);
        assert_int_equal(alone != NULL, ahead != NULL);
        refused += !alone;
        if (alone)
            assert_int_equal(alone->n_jobs, ahead->n_jobs);
        for (job_id j = 0; alone && j < alone->n_jobs; j++)
            same_job(alone, ahead, j);
        workload_free(alone);
        workload_free(ahead);
    }
    return refused;
}

static void rows_become_the_same_jobs(void **state)
{
    (void)state;
    assert_int_equal(compare(0, 0), 0);
    assert_int_equal(compare(700, 0), 0);
}

static void the_first_error_is_the_same(void **state)
{
    (void)state;
    assert_in_range(compare(0, 2000), WORLDS / 4, WORLDS);
    assert_in_range(compare(700, 2000), WORLDS / 4, WORLDS);
}

/* The reader gives up at a row of its own that is behind one that is no job. */
static void an_error_above_comes_first(void **state)
{
    (void)state;
    struct workload *w = workload_new();
    struct error err = { "" };
    workload_add_ahead(w);
    struct job_row row = job_row_default;
    row.duration_ns = -1;
    assert_int_equal(workload_add(w, &row, "t", 5, &err), 0);
    assert_int_equal(workload_added(w, &err), -1);
    assert_string_equal(err.text, "t:5: duration: want from 0 to less than 100 years, got -1e-09 s");
    workload_free(w);
}

/* No row is added, and nothing waits for ever, if the reader leaves them. */
static void a_reader_may_give_up(void **state)
{
    (void)state;
    struct random r = draws_of(1);
    static char text[3][2048];
    struct workload *w = workload_new();
    struct error err = { "" };
    workload_add_ahead(w);
    for (unsigned i = 0; i < ROWS; i++) {
        struct job_row row = row_of(&r, i, 0, text);
        assert_int_equal(workload_add(w, &row, "t", i + 1, &err), 0);
    }
    workload_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_the_same_jobs),
        cmocka_unit_test(the_first_error_is_the_same),
        cmocka_unit_test(an_error_above_comes_first),
        cmocka_unit_test(a_reader_may_give_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
