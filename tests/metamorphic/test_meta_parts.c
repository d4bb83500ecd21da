/* test_meta_parts.c - jobs of which the parts may use different nodes, under every policy and placer:
 * no task is on a node that its part may not use, no start is asked for that the world refuses as
 * a mismatch, and an affinity that all parts say is that of the job.
 * Control: parts that say nothing are on nodes of both kinds. */
#include "tests/support/random_world.h"

enum { SEEDS = 8 };
static const char *const kind[] = { "kind=a", "kind=b" };
static struct { const struct sched *s; const struct world *w; size_t wrong, right, mismatches; } seen;

/* Tasks are numbered in the order of the rows. */
static size_t part_of(const struct world *w, job_id j, uint32_t task)
{
    size_t i = 0;
    for (uint32_t before = 0; i + 1 < w->n_parts[j] && task >= before + w->part[j][i].tasks; i++)
        before += w->part[j][i].tasks;
    return i;
}

static job_id job_of(const struct sched *s, job_id j)
{
    return (job_id)strtoul(run_setup_of(s)->workload->truth[j].name, NULL, 10) - 1;
}

static void on_interval(void *self, const struct interval *i)
{
    (void)self;
    job_id j = job_of(seen.s, i->job);
    for (size_t k = 0; k < i->pieces->n && seen.w->n_parts[j]; k++) {
        const struct piece *p = &i->pieces->piece[k];
        const char *wish = seen.w->part[j][part_of(seen.w, j, p->task)].affinity;
        bool second = p->node >= seen.w->group[0].count;
        seen.wrong += wish && *wish && strcmp(wish, kind[second]) != 0;
        seen.right += wish && *wish && strcmp(wish, kind[second]) == 0;
    }
}

static void on_decision(void *self, job_id j, int64_t now_ns, const char *what, const char *decision, const char *reason)
{
    (void)self;
    (void)j;
    (void)now_ns;
    (void)decision;
    seen.mismatches += !strcmp(what, "refusal") && !strcmp(reason, "mismatch");
}

static void look(struct sched *s, uint64_t seed)
{
    (void)seed;
    seen.s = s;
}

/* Two kinds of nodes of one size, so that most parts find some. Stops cost nothing: no job gives way for
 * ever. */
static struct world of_two_kinds(uint64_t seed)
{
    struct world w = random_world(seed);
    struct random r;
    random_init(&r, seed, "parts", 0);
    random_groups(&w, seed);
    w.n_groups = 2;
    w.group[1] = w.group[0];
    w.overhead.checkpoint = CHECKPOINT_PERFECT;
    w.overhead.restart_ns = 0;
    for (size_t g = 0; g < 2; g++) {
        w.group[g].name = queue_name(g);
        w.group[g].labels = kind[g];
    }
    for (size_t j = 0; j < w.n_jobs; j++)
        for (size_t i = 0; i < w.n_parts[j] && i < 3; i++)
            w.part[j][i].affinity = random_below(&r, 3) ? kind[random_below(&r, 2)] : "";
    w.prepare = look;
    return w;
}

static struct outcome play(const struct world *w, const struct world *meant, const struct combination *k, uint64_t seed)
{
    seen.w = meant;
    return world_run(w, k, seed, (struct run_observer){ .interval = on_interval, .decision = on_decision });
}

static void each_part_has_its_nodes(const struct combination *k, uint64_t seed)
{
    struct world w = of_two_kinds(seed);
    seen.wrong = seen.mismatches = 0;
    play(&w, &w, k, seed);
    if (seen.wrong || seen.mismatches)
        fail_msg("%s, seed %u: %zu tasks on nodes of others, %zu starts refused", k->name, (unsigned)seed, seen.wrong, seen.mismatches);
}

static void parts_keep_to_their_nodes(void **state)
{
    (void)state;
    seen.right = 0;
    each_combination(SEEDS, each_part_has_its_nodes);
    assert_true(seen.right > 1000);
}

static void said_twice(const struct combination *k, uint64_t seed)
{
    struct world by_part = of_two_kinds(seed), by_job = by_part;
    for (size_t j = 0; j < by_part.n_jobs; j++) {
        by_job.job[j].affinity = by_job.n_parts[j] ? kind[j % 2] : NULL;
        for (size_t i = 0; i < by_part.n_parts[j] && i < 3; i++) {
            by_part.part[j][i].affinity = kind[j % 2];
            by_job.part[j][i].affinity = NULL;
        }
    }
    struct outcome a = play(&by_part, &by_part, k, seed), b = play(&by_job, &by_part, k, seed);
    for (size_t j = 0; j < by_part.n_jobs && !a.stalled && !b.stalled; j++)
        assert_same_jobs(&a.job[j], &b.job[j], "%s, seed %u: an affinity of all parts: job %zu", k->name, (unsigned)seed, j);
}

static void what_all_parts_say_is_of_the_job(void **state)
{
    (void)state;
    each_combination(2, said_twice);
}

static void says_nothing(const struct combination *k, uint64_t seed)
{
    struct world meant = of_two_kinds(seed), w = meant;
    for (size_t j = 0; j < w.n_jobs; j++)
        for (size_t i = 0; i < w.n_parts[j]; i++)
            w.part[j][i].affinity = NULL;
    play(&w, &meant, k, seed);
}

static void control(void **state)
{
    (void)state;
    seen.wrong = 0;
    each_combination(1, says_nothing);
    assert_true(seen.wrong > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(parts_keep_to_their_nodes), cmocka_unit_test(what_all_parts_say_is_of_the_job),
                                        cmocka_unit_test(control) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
