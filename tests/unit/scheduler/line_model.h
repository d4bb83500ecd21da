/* line_model.h - beside the lines of a run: arrays of the place and key of each job, the order
 * of joins, every reason given, and how long every job has waited for what, counted one job at a
 * time. */
#pragma once
#include "tests/support/random_world.h"

enum { LINES = 3, SHAPES_MOST = 4 * JOBS_MOST };

struct place { bool in; struct line_key key; uint64_t joined; };
struct model {
    struct place at[LINES][JOBS_MOST];
    uint64_t clock;                        /* counts joins */
    uint8_t line_why[LINES], shape_why[LINES][SHAPES_MOST], own[JOBS_MOST];
};
struct keeper {
    struct line *line[LINES];
    struct model now;
    struct { bool here, waits, fresh; int64_t split[WAIT_REASONS]; } job[JOBS_MOST];
    int64_t settled_ns, period_ns;
    uint32_t n_jobs;
    struct random r;
    unsigned passes;
    struct sched *s;
};
static struct keeper k;

static inline uint32_t draw(uint64_t n) { return (uint32_t)random_below(&k.r, n); }
static inline shape_id shape_of(job_id j) { return job_facts(k.s, j)->ask->shape; }

/* ---- The slow way ---- */

static inline int group_of(job_id j)
{
    int home = -1;
    for (int l = 0; l < LINES; l++)
        if (k.now.at[l][j].in && (home < 0 || k.now.at[l][j].joined > k.now.at[home][j].joined))
            home = l;
    return home;
}

static inline enum wait_reason reason(job_id j)
{
    if (k.now.own[j] != WAIT_GROUP)
        return k.now.own[j];
    int l = group_of(j);
    if (l < 0)
        return WAIT_ORDER;
    enum wait_reason shape = k.now.shape_why[l][shape_of(j)];
    return shape == WAIT_GROUP ? k.now.line_why[l] : shape;
}

static inline void settle(int64_t now_ns)
{
    for (job_id j = 0; j < k.n_jobs; j++)
        if (k.job[j].waits)
            k.job[j].split[reason(j)] += now_ns - k.settled_ns;
    k.settled_ns = now_ns;
}

static inline bool before(const struct place *a, job_id i, const struct place *b, job_id j)
{
    if (a->key.major != b->key.major)
        return a->key.major < b->key.major;
    if (a->key.minor != b->key.minor)
        return a->key.minor < b->key.minor;
    return a->key.time_ns != b->key.time_ns ? a->key.time_ns < b->key.time_ns : i < j;
}

static inline void same_key(struct line_key a, struct line_key b)
{
    assert_true(a.major == b.major && a.minor == b.minor && a.time_ns == b.time_ns);
}

/* The whole line, forwards by a walk and backwards from its end. */
static inline void line_is_as_modelled(int l)
{
    job_id order[JOBS_MOST], j;
    size_t n = 0;
    struct line_key key;
    for (j = 0; j < k.n_jobs; j++) {
        if (!k.now.at[l][j].in)
            continue;
        size_t i = n++;
        for (; i > 0 && before(&k.now.at[l][j], j, &k.now.at[l][order[i - 1]], order[i - 1]); i--)
            order[i] = order[i - 1];
        order[i] = j;
    }
    assert_wanted(n, line_length(k.line[l]), "line %d: length", (int)l);
    struct line_walk w = { .l = k.line[l] };
    for (size_t i = 0; i < n; i++) {
        assert_true(line_next(&w, &j));
        assert_wanted(order[i], j, "line %d: job at place %zu", (int)l, i);
        same_key(line_walk_key(&w), k.now.at[l][j].key);
        assert_int_equal(line_walk_shape(&w), shape_of(j));
    }
    assert_false(line_next(&w, &j));
    assert_false(line_next(&w, &j));
    bool more = line_first(k.line[l], &j, &key);
    assert_int_equal(more, n > 0);
    if (more) {
        assert_int_equal(j, order[0]);
        same_key(key, k.now.at[l][j].key);
    }
    more = line_last(k.line[l], &j, &key);
    for (size_t i = n; i > 0; i--, more = line_before(k.line[l], &j, &key)) {
        assert_true(more);
        assert_int_equal(j, order[i - 1]);
        same_key(key, k.now.at[l][j].key);
    }
    assert_false(more);
}
