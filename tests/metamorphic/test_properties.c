/* test_properties.c - what must hold when an input is changed (models.md 11.4), for every policy, choice of its words and
 * placer, on random workloads. Each property has a control: a broken change that it must notice. */
#include "tests/support/random_world.h"

enum { SEEDS = 4 };
static const struct run_observer nobody;

/* How many jobs of `after` are not those of `before` at times x factor + shift. */
static int differ(const struct world *w, const struct outcome *before, const struct outcome *after, int64_t factor,
                  int64_t shift)
{
    int n = before->stalled != after->stalled;
    for (size_t j = 0; j < w->n_jobs && !n; j++) {
        struct job_result a = before->job[j];
        const struct job_result *b = &after->job[j];
        a.start_ns = a.start_ns < 0 ? a.start_ns : a.start_ns * factor + shift;
        a.end_ns = a.end_ns < 0 ? a.end_ns : a.end_ns * factor + shift;
        a.wait_ns *= factor;
        a.run_ns *= factor;
        a.lost_ns *= factor;
        for (unsigned r = 0; r < WAIT_REASONS; r++)
            a.waits[r] *= factor;
        n += !same_job(&a, b);
    }
    return n;
}

/* ---- Times ---- */

static struct world doubled(struct world w)
{
    for (size_t j = 0; j < w.n_jobs; j++) {
        w.job[j].submit_ns *= 2;
        w.job[j].duration_ns *= 2;
        w.job[j].estimate_ns *= 2;
    }
    w.price.interval_ns *= 2;
    w.price.save_ns *= 2;
    w.price.grace_ns *= 2;
    w.price.restart_ns *= 2;
    w.period_ns *= 2;
    return w;
}

static struct world shifted(struct world w, int64_t by_ns)
{
    for (size_t j = 0; j < w.n_jobs; j++)
        w.job[j].submit_ns += by_ns;
    return w;
}

static void doubles(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed);
    w.period_ns = seed % 3 == 2 ? 3 * NS_PER_S : 0;
    struct world twice = doubled(w);
    struct outcome a = world_run(&w, k, seed, nobody), b = world_run(&twice, k, seed, nobody);
    if (differ(&w, &a, &b, 2, 0))
        fail_msg("%s, seed %u: twice the times is not twice the schedule", k->name, (unsigned)seed);
}

static void shifts(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed), later = shifted(w, 1000 * NS_PER_S);
    struct outcome a = world_run(&w, k, seed, nobody), b = world_run(&later, k, seed, nobody);
    if (differ(&w, &a, &b, 1, 1000 * NS_PER_S))
        fail_msg("%s, seed %u: another schedule when all is later", k->name, (unsigned)seed);
}

static void same_twice(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed);
    struct outcome a = world_run(&w, k, seed, nobody), b = world_run(&w, k, seed, nobody);
    if (differ(&w, &a, &b, 1, 0))
        fail_msg("%s, seed %u: two runs differ", k->name, (unsigned)seed);
}

/* ---- Capacity ---- */

static void plenty(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed);
    w.n_groups = 1;
    w.group[0] = (struct group_spec){ .name = "a", .count = 4000, .gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    struct outcome a = world_run(&w, k, seed, nobody);
    for (size_t j = 0; j < w.n_jobs; j++)
        if (a.stalled || a.job[j].wait_ns)
            fail_msg("%s, seed %u: job %u waits, and there is room for all", k->name, (unsigned)seed, (unsigned)j);
}

static bool preempts(const struct combination *k)
{
    return named(k, "srtf") || (named(k, "priority") && k->params[2] > 0);
}

static struct world single_gpus(uint64_t seed)
{
    struct world w = random_world(seed);
    w.n_groups = 1;
    w.group[0] = (struct group_spec){ .name = "a", .count = 3, .gpus = 4, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    for (size_t j = 0; j < w.n_jobs; j++) {
        w.job[j].gpus = 1;
        w.job[j].gpu_milli = MILLI_ALL;
        w.job[j].tasks = 0;
        w.job[j].cpu_milli = 0;
    }
    return w;
}

static void placers_agree(const struct combination *k, uint64_t seed)
{
    if (preempts(k) || named(k, "easy") || named(k, "conservative"))
        return;                    /* who preempts moves jobs; who plans promises certain GPUs */
    struct world w = single_gpus(seed);
    struct combination first = *k;
    first.placer = builtin_placers[0];
    struct outcome a = world_run(&w, &first, seed, nobody), b = world_run(&w, k, seed, nobody);
    for (size_t j = 0; j < w.n_jobs; j++)
        if (a.job[j].start_ns != b.job[j].start_ns)
            fail_msg("%s, seed %u: jobs of one GPU start otherwise than under %s", k->name, (unsigned)seed, first.placer->name);
}

static bool strict_fifo(const struct combination *k)
{
    return named(k, "fifo") && k->params[0] == 0 && k->params[1] == 0;
}

/* No start gets later with more GPUs of the same, nor with one job shorter: strict FIFO, jobs of one GPU. */
static void monotone(const struct combination *k, uint64_t seed)
{
    if (!strict_fifo(k))
        return;
    struct world w = single_gpus(seed), more = w, shorter = w;
    more.group[0].count++;
    shorter.job[seed % w.n_jobs].duration_ns /= 2;
    struct outcome a = world_run(&w, k, seed, nobody), b = world_run(&more, k, seed, nobody),
                   c = world_run(&shorter, k, seed, nobody);
    for (size_t j = 0; j < w.n_jobs; j++)
        if (b.job[j].start_ns > a.job[j].start_ns || c.job[j].start_ns > a.job[j].start_ns)
            fail_msg("%s, seed %u: job %u starts later", k->name, (unsigned)seed, (unsigned)j);
}

/* ---- What comes later, and what is elsewhere ---- */

static void later_jobs(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed), fewer = w;
    fewer.n_jobs = w.n_jobs / 2;
    int64_t t0 = w.job[fewer.n_jobs].submit_ns;
    if (k->placer == builtin_placers[3])
        return;                    /* drawn: the shapes of later jobs are tried on the empty cluster, too, but draw nothing */
    struct outcome a = world_run(&fewer, k, seed, nobody), b = world_run(&w, k, seed, nobody);
    for (size_t j = 0; j < fewer.n_jobs && !a.stalled && !b.stalled; j++) {
        bool counts = strict_fifo(k) || (a.job[j].start_ns >= 0 && a.job[j].start_ns < t0);
        if (counts && a.job[j].start_ns != b.job[j].start_ns)
            fail_msg("%s, seed %u: job %u starts otherwise because of later jobs", k->name, (unsigned)seed, (unsigned)j);
    }
}

static void halves(const struct combination *k, uint64_t seed)
{
    if (k->params[0] != 1 || preempts(k) || named(k, "easy") || named(k, "conservative") || k->placer == builtin_placers[3])
        return;     /* a line a queue; nothing drawn from one stream; and no use for passes at the other half's events */
    struct world w = random_world(seed), one = w;
    w.n_groups = w.n_queues = 2;
    for (size_t q = 0; q < 2; q++) {
        w.group[q] = (struct group_spec){ .name = queue_name(q), .count = 3, .gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
        w.pin[q] = (struct pin_spec){ (uint32_t)q, 3 };
        w.queue[q] = w.queue[0];
        w.queue[q].facts.name = queue_name(q);
        w.queue[q].facts.pinned = true;
        w.queue[q].pins = &w.pin[q];
        w.queue[q].n_pins = 1;
    }
    for (size_t j = 0; j < w.n_jobs; j++)
        w.job[j].queue = queue_name(j % 2);
    one = w;
    one.n_jobs = 0;
    for (size_t j = 0; j < w.n_jobs; j += 2)
        one.job[one.n_jobs++] = w.job[j];
    struct outcome both = world_run(&w, k, seed, nobody), alone = world_run(&one, k, seed, nobody);
    for (size_t j = 0; j < one.n_jobs && !both.stalled && !alone.stalled; j++)
        if (both.job[2 * j].start_ns != alone.job[j].start_ns || both.job[2 * j].end_ns != alone.job[j].end_ns)
            fail_msg("%s, seed %u: job %u of one half depends on the other", k->name, (unsigned)seed, (unsigned)j);
}

/* ---- Controls ---- */

static struct combination plain(const char *policy)
{
    struct combination k = { .placer = builtin_placers[0] };
    for (size_t p = 0; builtin_policies[p]; p++)
        if (!strcmp(builtin_policies[p]->name, policy))
            k.policy = builtin_policies[p];
    return k;
}

static void control_times(void **state)
{
    (void)state;
    struct combination k = plain("fifo");
    struct world w = random_world(1), broken = doubled(w), late = shifted(w, NS_PER_S);
    broken.job[3].duration_ns = w.job[3].duration_ns + NS_PER_S;
    late.job[w.n_jobs - 1].submit_ns += NS_PER_S;
    struct outcome a = world_run(&w, &k, 1, nobody), b = world_run(&broken, &k, 1, nobody), c = world_run(&late, &k, 1, nobody);
    assert_true(differ(&w, &a, &b, 2, 0) > 0);
    assert_true(differ(&w, &a, &c, 1, NS_PER_S) > 0);
}

static void control_capacity(void **state)
{
    (void)state;
    struct combination k = plain("fifo");
    struct world w = single_gpus(2), less = w;
    less.group[0].count = 1;
    struct outcome a = world_run(&w, &k, 2, nobody), b = world_run(&less, &k, 2, nobody);
    int later = 0;
    for (size_t j = 0; j < w.n_jobs; j++)
        later += b.job[j].start_ns > a.job[j].start_ns;
    assert_true(later > 0);        /* so "no start gets later" can fail */
}

#define PROPERTY(name)                                                                                                 \
    static void all_##name(void **state)                                                                               \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        each_combination(SEEDS, name);                                                                                 \
    }
PROPERTY(doubles)
PROPERTY(shifts)
PROPERTY(same_twice)
PROPERTY(plenty)
PROPERTY(placers_agree)
PROPERTY(monotone)
PROPERTY(later_jobs)
PROPERTY(halves)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_doubles),       cmocka_unit_test(all_shifts),   cmocka_unit_test(all_same_twice),
        cmocka_unit_test(all_plenty),        cmocka_unit_test(all_placers_agree), cmocka_unit_test(all_monotone),
        cmocka_unit_test(all_later_jobs),    cmocka_unit_test(all_halves),   cmocka_unit_test(control_times),
        cmocka_unit_test(control_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
