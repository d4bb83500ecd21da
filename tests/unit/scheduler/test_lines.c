/* test_lines.c - lines and walks against a sorted array, and waits against a ledger of one job
 * at a time.
 *
 * A policy that starts no job for a while pushes, removes and re-keys jobs at random, walks with
 * shapes left out while the line changes under it, and gives random reasons to jobs, shapes and
 * lines. */
#include "tests/support/credible.h"
#include "tests/support/random_world.h"

enum { SEEDS = 400, LINES = 2, STEPS = 40, PASSES = 60 };

struct naive { bool in; struct line_key key; uint64_t joined; };
struct book { enum wait_reason own; int64_t since_ns, waits[WAIT_REASONS]; bool waits_now; };
struct watcher {
    struct line *line[LINES];
    struct naive at[LINES][JOBS_MOST];
    uint64_t clock;                             /* counts joins: the last join counts */
    uint8_t line_why[LINES];
    struct { shape_id shape; uint8_t why; } why[LINES][JOBS_MOST * 2];
    size_t n_why[LINES];
    struct book book[JOBS_MOST];
    int64_t now_ns;
    struct random r;
    unsigned passes;
};
static struct watcher seen;
static uint32_t jobs_of;
static const struct job_facts *facts_of[JOBS_MOST];
static uint64_t walked, compared, split;    /* so that a test that looks at nothing fails */

static uint32_t draw(struct watcher *w, uint64_t n)
{
    return (uint32_t)random_below(&w->r, n);
}

static bool before(const struct naive *a, job_id i, const struct naive *b, job_id j)
{
    if (a->key.major != b->key.major)
        return a->key.major < b->key.major;
    if (a->key.minor != b->key.minor)
        return a->key.minor < b->key.minor;
    return a->key.time_ns != b->key.time_ns ? a->key.time_ns < b->key.time_ns : i < j;
}

/* ---- Reasons, the slow way: what holds for a job now ---- */

static enum wait_reason reason(const struct watcher *w, job_id j)
{
    if (w->book[j].own != WAIT_GROUP)
        return w->book[j].own;
    int home = -1;
    for (int l = 0; l < LINES; l++)
        if (w->at[l][j].in && (home < 0 || w->at[l][j].joined > w->at[home][j].joined))
            home = l;
    if (home < 0)
        return WAIT_ORDER;
    for (size_t i = 0; i < w->n_why[home]; i++)
        if (w->why[home][i].shape == facts_of[j]->ask->shape && w->why[home][i].why != WAIT_GROUP)
            return w->why[home][i].why;
    return w->line_why[home];
}

static void time_passes(struct watcher *w, int64_t now_ns)
{
    for (job_id j = 0; j < jobs_of; j++)
        if (w->book[j].waits_now)
            w->book[j].waits[reason(w, j)] += now_ns - w->now_ns;
    w->now_ns = now_ns;
}

static void push(struct watcher *w, int l, job_id j, struct line_key k)
{
    line_push(w->line[l], j, k);
    w->at[l][j] = (struct naive){ true, k, ++w->clock };
}

static void give_reason(struct sched *s, struct watcher *w, job_id j)
{
    int l = (int)draw(w, LINES);
    enum wait_reason why = draw(w, WAIT_REASONS);
    shape_id shape = facts_of[j]->ask->shape;
    switch (draw(w, 4)) {
    case 0:
        why = draw(w, 2) ? why : WAIT_GROUP;
        sched_blocked(s, j, why);
        w->book[j].own = credible_reason(why);
        break;
    case 1:
        line_blocked(s, w->line[l], ID_NONE, why);
        w->line_why[l] = (uint8_t)credible_reason(why);
        break;
    default:
        why = draw(w, 4) ? why : WAIT_GROUP;
        line_blocked(s, w->line[l], shape, why);
        for (size_t i = 0; i < w->n_why[l]; i++) /* a shape that never stood in the line has no group yet */
            if (w->why[l][i].shape == shape)
                w->why[l][i].why = (uint8_t)credible_reason(why);
        break;
    }
}

static void note_group(struct watcher *w, int l, job_id j)
{
    shape_id shape = facts_of[j]->ask->shape;
    for (size_t i = 0; i < w->n_why[l]; i++)
        if (w->why[l][i].shape == shape)
            return;
    w->why[l][w->n_why[l]].shape = shape;
    w->why[l][w->n_why[l]++].why = WAIT_GROUP;
}

static void change(struct sched *s, struct watcher *w)
{
    job_id j = draw(w, jobs_of);
    int l = (int)draw(w, LINES);
    if (job_state(s, j) != JOB_PENDING)
        return;
    if (draw(w, 3) == 0) {
        give_reason(s, w, j);
    } else if (draw(w, 3)) {
        push(w, l, j, (struct line_key){ .major = draw(w, 4), .minor = draw(w, 3), .time_ns = draw(w, 5) });
        note_group(w, l, j);
    } else {
        assert_int_equal(line_remove(w->line[l], j), w->at[l][j].in);
        w->at[l][j].in = false;
    }
}

/* ---- Walks ---- */

static job_id naive_next(const struct watcher *w, int l, const struct naive *reached, job_id reached_job,
                         const bool *left_out)
{
    job_id best = ID_NONE;
    for (job_id j = 0; j < jobs_of; j++) {
        const struct naive *x = &w->at[l][j];
        if (!x->in || left_out[facts_of[j]->ask->shape] || (reached && !before(reached, reached_job, x, j)))
            continue;
        if (best == ID_NONE || before(x, j, &w->at[l][best], best))
            best = j;
    }
    return best;
}

static void walk(struct sched *s, struct watcher *w, int l)
{
    static bool left_out[JOBS_MOST * 4];
    memset(left_out, 0, sizeof left_out);
    struct line_walk lw = { .l = w->line[l] };
    struct naive reached;
    job_id j, last = ID_NONE;
    while (line_next(&lw, &j)) {
        assert_wanted(naive_next(w, l, last == ID_NONE ? NULL : &reached, last, left_out), j, "line %d: job after job %d", l,
                      (int)last);
        reached = w->at[l][j];
        last = j;
        walked++;
        if (draw(w, 5) == 0) {
            line_skip_shape(&lw, facts_of[j]->ask->shape);
            left_out[facts_of[j]->ask->shape] = true;
        }
        if (draw(w, 4) == 0)
            change(s, w);                        /* the line changes under the walk */
    }
    assert_wanted(ID_NONE, naive_next(w, l, last == ID_NONE ? NULL : &reached, last, left_out), "line %d: job left after job %d", l,
                  (int)last);
}

static void ends(struct watcher *w, int l)
{
    job_id first = ID_NONE, last = ID_NONE, got;
    size_t n = 0;
    for (job_id j = 0; j < jobs_of; j++) {
        const struct naive *x = &w->at[l][j];
        if (!x->in)
            continue;
        n++;
        first = first == ID_NONE || before(x, j, &w->at[l][first], first) ? j : first;
        last = last == ID_NONE || before(&w->at[l][last], last, x, j) ? j : last;
    }
    assert_wanted(n, line_length(w->line[l]), "line %d: length", l);
    assert_wanted(first, line_first(w->line[l], &got, NULL) ? got : ID_NONE, "line %d: first job", l);
    bool more = line_last(w->line[l], &got, NULL);
    assert_wanted(last, more ? got : ID_NONE, "line %d: last job", l);
    for (size_t k = 1; more && k < n; k++) {     /* backwards through all of it */
        job_id later = got;
        assert_true(line_before(w->line[l], &got, NULL));
        assert_true(before(&w->at[l][got], got, &w->at[l][later], later));
    }
    assert_false(more && line_before(w->line[l], &got, NULL));
}

/* ---- The policy ---- */

static void begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    for (int l = 0; l < LINES; l++) {
        seen.line[l] = line_new(s);
        seen.line_why[l] = WAIT_ORDER;
    }
    seen.now_ns = sched_now(s);
    for (job_id j = 0; j < jobs_of; j++)
        facts_of[j] = job_facts(s, j);
}

static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    time_passes(&seen, sched_now(s));
    seen.book[j] = (struct book){ .own = WAIT_GROUP, .waits_now = true };
    int l = (int)draw(&seen, LINES);
    push(&seen, l, j, (struct line_key){ .major = draw(&seen, 4) });
    note_group(&seen, l, j);
}

static void started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    time_passes(&seen, sched_now(s));
    seen.book[j].waits_now = false;
    for (int l = 0; l < LINES; l++) {
        line_remove(seen.line[l], j);
        seen.at[l][j].in = false;
    }
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    time_passes(&seen, sched_now(s));
    if (seen.passes-- > 1) {
        for (int i = 0; i < STEPS; i++)
            change(s, &seen);
        for (int l = 0; l < LINES; l++) {
            walk(s, &seen, l);
            ends(&seen, l);
        }
        sched_wake_at(s, sched_now(s) + NS_PER_S);
        return;
    }
    seen.passes = 1;
    for (job_id j = 0; j < jobs_of; j++) {
        struct request r = job_request(s, j);
        const struct placement *p = job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            sched_start(s, j, p);
    }
}

static const struct policy watching = {
    .abi = POLICY_ABI, .name = "watching", .summary = "lines at random", .begin = begin, .schedule = schedule,
    .job_arrived = arrived, .job_started = started,
};

static void lines_and_waits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = random_world(seed);
        struct combination k = { .policy = &watching, .placer = builtin_placers[0], .name = "watching" };
        memset(&seen, 0, sizeof seen);
        random_init(&seen.r, seed, "lines", 0);
        seen.passes = PASSES;
        jobs_of = (uint32_t)w.n_jobs;
        struct outcome out = world_run(&w, &k, seed, (struct run_observer){ 0 });
        for (size_t j = 0; j < w.n_jobs && !out.stalled; j++) {
            unsigned reasons = 0;
            for (unsigned r = 0; r < WAIT_REASONS; r++)
                reasons += out.job[j].waits[r] > 0;
            compared += out.job[j].start_ns >= 0;
            split += reasons > 1;
            for (unsigned r = 0; r < WAIT_REASONS && out.job[j].start_ns >= 0; r++)
                assert_wanted(seen.book[j].waits[r], out.job[j].waits[r], "seed %u: job %zu: ns of wait for %s", (unsigned)seed, j,
                              wait_reason_name[r]);
        }
    }
    print_message("%u steps of walks, %u jobs, %u of them waited for several reasons\n", (unsigned)walked, (unsigned)compared,
                  (unsigned)split);
    assert_true(walked > 10000 && compared > 1000 && split > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lines_and_waits) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
