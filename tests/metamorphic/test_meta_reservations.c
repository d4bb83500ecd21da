/* test_meta_reservations.c - random worlds in which all nodes are reserved for one queue, or for no
 * job, again and again, under every policy and placer: no other job starts on a node meanwhile, none
 * stays longer than it may take to save, and the identities of release builds hold.
 * Control: without the reservation jobs do both. */
#include "sim/cluster/reservations/reservations.h"
#include "tests/support/random_world.h"

enum { SEEDS = 6 };
#define FROM  (60 * NS_PER_S)
#define UNTIL (90 * NS_PER_S)
#define EVERY (150 * NS_PER_S)

static struct { const struct sched *s; const char *queue; int64_t stay_ns; uint64_t inside, stays, held; } seen;
static uint64_t every_node[CLUSTER_NODES_MAX / 64 / 1000];
static const char *const first_queue[] = { "a" };
static struct reservation lab = { .name = "lab", .nodes = every_node };
static const struct reservations all = { 1, &lab };

static void furnish(struct cluster *c, uint64_t seed)
{
    (void)seed;
    memset(every_node, 0xff, sizeof every_node);
    assert_true(c->n_nodes / 64 < sizeof every_node / sizeof *every_node);
    lab.when = (struct closure){ .from_ns = FROM, .until_ns = UNTIL, .every_ns = EVERY };
    lab.queues = (struct reserved_names){ c->n_queues > 1, first_queue };
    c->reservations = &all;
}

static void look(struct sched *s, uint64_t seed)
{
    (void)seed;
    seen.s = s;
}

/* The last time at or before t at which the reservation begins; negative: none. */
static int64_t begins_before(int64_t t)
{
    return t < FROM ? -1 : FROM + (t - FROM) / EVERY * EVERY;
}

static void on_interval(void *self, const struct interval *i)
{
    (void)self;
    const struct run_setup *setup = run_setup_of(seen.s);
    queue_id q = setup->workload->facts[i->job].queue;
    bool named = setup->cluster->n_queues > 1 && !strcmp(setup->cluster->queue[q].name, first_queue[0]);
    if (named || i->end_ns == i->start_ns)
        return;
    seen.held++;
    int64_t begins = begins_before(i->start_ns), next = begins < 0 ? FROM : begins + EVERY;
    seen.inside += begins >= 0 && i->start_ns < begins + (UNTIL - FROM) && strcmp(i->why, "saved");
    seen.stays += i->start_ns < next && i->end_ns > next + seen.stay_ns;
}

static void play(const struct combination *k, uint64_t seed, bool reserved)
{
    struct world w = random_world(seed);
    if (strstr(k->name, "continuous=yes"))    /* where stops have a price, it may never get anywhere */
        w.overhead.restart_ns = 0;
    w.overhead.checkpoint = CHECKPOINT_PERFECT;
    w.furnish = reserved ? furnish : NULL;
    w.prepare = look;
    seen.stay_ns = w.overhead.grace_ns + w.overhead.save_ns;
    (void)world_run(&w, k, seed, (struct run_observer){ .interval = on_interval });
}

static void is_kept(const struct combination *k, uint64_t seed)
{
    seen.inside = seen.stays = 0;
    play(k, seed, true);
    if (seen.inside || seen.stays)
        fail_msg("%s, seed %u: %u holds began in a reservation of others, %u stayed in one", k->name, (unsigned)seed,
                 (unsigned)seen.inside, (unsigned)seen.stays);
}

static void kept_under_every_policy(void **state)
{
    (void)state;
    seen.held = 0;
    each_combination(SEEDS, is_kept);
    assert_true(seen.held > 1000);
}

static void is_open(const struct combination *k, uint64_t seed)
{
    play(k, seed, false);
}

static void control(void **state)
{
    (void)state;
    seen.inside = seen.stays = 0;
    each_combination(1, is_open);
    assert_true(seen.inside > 100 && seen.stays > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(kept_under_every_policy), cmocka_unit_test(control) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
