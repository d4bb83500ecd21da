/* test_schedules.c - no schedule of any policy and placer uses a GPU twice, breaks a gang or starts anyone early, and a
 * static partition of everything to one queue is FIFO. Replayed from the intervals, on random workloads. */
#include "tests/support/random_world.h"

enum { SEEDS = 6, INTERVALS_MOST = 8192 };

struct hold { job_id job; struct piece piece; int64_t start_ns, end_ns; };
struct replay { struct hold hold[INTERVALS_MOST]; size_t n; uint32_t broken; const struct world *w; };

/* A gang's pieces come in one interval: all of its tasks, or all of its GPUs. */
static bool whole(const struct world *w, const struct interval *i)
{
    const struct job_row *x = &w->job[i->job];
    uint32_t gpus = 0;
    for (size_t k = 0; k < i->pieces->n; k++)
        gpus += i->pieces->piece[k].gpus;
    return gpus == x->gpus && (!x->tasks || i->pieces->n == x->tasks) && i->start_ns >= x->submit_ns;
}

static void on_interval(void *self, const struct interval *i)
{
    struct replay *r = self;
    r->broken += !whole(r->w, i);
    for (size_t k = 0; k < i->pieces->n && i->end_ns > i->start_ns; k++) {
        assert_true(r->n < INTERVALS_MOST);
        r->hold[r->n++] = (struct hold){ i->job, i->pieces->piece[k], i->start_ns, i->end_ns };
    }
}

/* Is any GPU of hold i shared beyond the whole when it begins? Every overlap begins with somebody. */
static bool overbooked(const struct replay *r, size_t i)
{
    const struct hold *x = &r->hold[i];
    for (uint64_t m = x->piece.gpu_mask; m; m &= m - 1) {
        uint32_t milli = 0;
        for (size_t j = 0; j < r->n; j++) {
            const struct hold *y = &r->hold[j];
            if (y->piece.node == x->piece.node && y->piece.gpu_mask & m & -m && y->start_ns <= x->start_ns &&
                y->end_ns > x->start_ns)
                milli += y->piece.milli;
        }
        if (milli > MILLI_ALL)
            return true;
    }
    return false;
}

static struct replay replay;

static void possible(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed);
    replay.n = replay.broken = 0;
    replay.w = &w;
    world_run(&w, k, seed, (struct run_observer){ .self = &replay, .interval = on_interval });
    if (replay.broken)
        fail_msg("%s, seed %u: %u gangs are broken or early", k->name, (unsigned)seed, replay.broken);
    for (size_t i = 0; i < replay.n; i++)
        if (overbooked(&replay, i))
            fail_msg("%s, seed %u: job %u shares GPUs with others", k->name, (unsigned)seed, replay.hold[i].job);
}

static void all_possible(void **state)
{
    (void)state;
    each_combination(SEEDS, possible);
}

static void control(void **state)
{
    (void)state;
    replay.n = 2;
    replay.hold[0] = (struct hold){ 0, { .node = 1, .gpu_mask = 3, .gpus = 2, .milli = 600 }, 0, 10 };
    replay.hold[1] = (struct hold){ 1, { .node = 1, .gpu_mask = 2, .gpus = 1, .milli = 600 }, 5, 8 };
    assert_false(overbooked(&replay, 0));
    assert_true(overbooked(&replay, 1));
    replay.hold[1].start_ns = 10;
    assert_false(overbooked(&replay, 1));          /* begins when the other ends */
}

static struct combination choice(const char *policy, const struct placer *placer)
{
    struct combination k = { .placer = placer };
    for (size_t p = 0; builtin_policies[p]; p++)
        if (!strcmp(builtin_policies[p]->name, policy))
            k.policy = builtin_policies[p];
    snprintf(k.name, sizeof k.name, "%s/%s", policy, placer->name);
    return k;
}

/* models.md 11.4: quota = whole cluster for one project. */
static void static_of_one_is_fifo(void **state)
{
    (void)state;
    for (size_t q = 0; builtin_placers[q]; q++)
        for (uint64_t seed = 0; seed < 3 * SEEDS; seed += 3) {    /* worlds with one queue */
            if (!strcmp(builtin_placers[q]->name, "random"))
                continue;                          /* who is over its share does not ask the placer, so draws are others */
            struct world w = random_world(seed), half = w;
            struct combination fifo = choice("fifo", builtin_placers[q]), partition = choice("static", builtin_placers[q]);
            int64_t gpus = 0;
            for (size_t g = 0; g < w.n_groups; g++)
                gpus += (int64_t)w.group[g].count * w.group[g].gpus;
            w.queue[0].facts.quota.deserved.gpu_milli = gpus * MILLI_ALL;
            half.queue[0].facts.quota.deserved.gpu_milli = gpus * MILLI_ALL / 2;
            struct outcome a = world_run(&w, &fifo, seed, (struct run_observer){ 0 });
            struct outcome b = world_run(&w, &partition, seed, (struct run_observer){ 0 });
            struct outcome c = world_run(&half, &partition, seed, (struct run_observer){ 0 });
            size_t same = 0, same_half = 0;
            for (size_t j = 0; j < w.n_jobs; j++) {
                same += a.job[j].start_ns == b.job[j].start_ns;
                same_half += a.job[j].start_ns == c.job[j].start_ns;
            }
            assert_int_equal(same, w.n_jobs);
            assert_true(same_half < w.n_jobs);     /* half the cluster is another schedule */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_possible), cmocka_unit_test(control),
                                        cmocka_unit_test(static_of_one_is_fifo) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
