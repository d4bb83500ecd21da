/* test_meta_room.c - room for all jobs, placement that cannot matter, more room, and quotas that
 * bind no queue. */
#include "tests/metamorphic/meta_property.h"
#include "tests/support/named.h"

/* ---- Capacity for all at once: no job waits ---- */

static void free_of_quota(struct meta_world *w)
{
    for (size_t q = 0; q < w->n_queues; q++)
        w->queue[q].facts.quota.deserved.gpu_milli = UNLIMITED;
}

static void make_room(struct meta_pair *p, uint64_t seed)
{
    p->w = meta_uniform(seed, 1, 65);
    p->w.n_jobs = 30;
    free_of_quota(&p->w);
    uint32_t sum = 65;
    for (size_t i = 0; i < p->w.n_jobs; i++)
        sum += p->w.job[i].gpus;
    p->w.group[0] = seed % 2 ? meta_group("all", 1, sum) : meta_group("plenty", sum, 24);
    p->v = p->w;
}

static void spoil_room(struct meta_pair *p)
{
    p->w.group[0] = meta_group("few", 1, 65);
    for (size_t i = 0; i < p->w.n_jobs; i++)
        p->w.job[i].submit = 0, p->w.job[i].duration++;
    p->v = p->w;
}

static size_t somebody_waits(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b,
                             int64_t *want_ns, int64_t *got_ns)
{
    (void)b;
    for (size_t i = 0; i < p->w.n_jobs; i++) {
        *want_ns = 0, *got_ns = a->job[i].wait_ns;
        if (*got_ns || a->job[i].start_ns < 0)
            return i;
    }
    return ID_NONE;
}

/* ---- One GPU each on alike nodes: every placer plays the same ---- */

static void make_single(struct meta_pair *p, uint64_t seed)
{
    p->w = p->v = meta_single(seed, 3, 2);
}

static void spoil_single(struct meta_pair *p) { p->v.group[0].count--; }

/* Not where many hold promises: which GPU a promise is on decides what fits around it. */
/* Slurm's passes are `batch_sched_delay` apart. */
static bool starts_at_once(const struct meta_combo *c)
{
    return !meta_policy_is(c, "slurm");
}

static bool stays_put(const struct meta_combo *c)
{
    return !meta_preempts(c) && !meta_policy_is(c, "conservative");
}

static void first_fit(struct meta_combo *c) { c->placer = placer_named("first-fit"); }

/* ---- Strict fifo, one GPU each: more GPUs or a shorter job make no start later ---- */

static void make_bigger(struct meta_pair *p, uint64_t seed)
{
    make_single(p, seed);
    p->v.group[0].count++;
}

static void make_shorter(struct meta_pair *p, uint64_t seed)
{
    make_single(p, seed);
    p->v.job[seed % p->v.n_jobs].duration /= 3;
}

static void spoil_longer(struct meta_pair *p)
{
    for (size_t i = 0; i < p->v.n_jobs; i += 9)
        p->v.job[i].duration = p->w.job[i].duration + 50;
}

static void spoil_smaller(struct meta_pair *p) { p->v.group[0].count = p->w.group[0].count - 1; }

static size_t somebody_starts_later(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b,
                                    int64_t *want_ns, int64_t *got_ns)
{
    for (size_t i = 0; i < p->w.n_jobs; i++) {
        *want_ns = a->job[i].start_ns, *got_ns = b->job[i].start_ns;
        if (*got_ns > *want_ns || *got_ns < 0)
            return i;
    }
    return ID_NONE;
}

/* ---- All GPUs deserved by the only queue: static is fifo ---- */

static void make_whole(struct meta_pair *p, uint64_t seed)
{
    p->w = meta_random(seed);
    p->w.n_queues = 1;
    int64_t gpus = 0;
    for (size_t g = 0; g < p->w.n_groups; g++)
        gpus += (int64_t)p->w.group[g].count * p->w.group[g].gpus;
    p->w.queue[0].facts.quota.deserved.gpu_milli = MILLI_ALL * gpus;
    for (size_t i = 0; i < p->w.n_jobs; i++)
        p->w.job[i].queue = 0;
    p->v = p->w;
}

static void spoil_whole(struct meta_pair *p) { p->w.queue[0].facts.quota.deserved.gpu_milli /= 3; }

/* Draws aside: which placements are asked for differs. */
static bool static_by_submit(const struct meta_combo *c)
{
    return meta_policy_is(c, "static") && meta_is(c, "order", "submit") && strcmp(c->placer->name, "random");
}

static void fifo_instead(struct meta_combo *c)
{
    char text[80];
    snprintf(text, sizeof text, "fifo:scope=%s,blocking=%s", meta_is(c, "scope", "pool") ? "pool" : "queue",
             meta_is(c, "blocking", "skip") ? "skip" : "strict");
    struct named_policy named = policy_named(text);
    c->policy = named.policy;
    memcpy(c->params, named.params, sizeof c->params);
}

/* ---- Racks in one group only: what asks for one rack runs in a rack, or is refused; nothing stalls ---- */

static void make_half_racked(struct meta_pair *p, uint64_t seed)
{
    p->w = meta_uniform(seed, 3, 8);
    p->w.n_groups = 2;
    p->w.group[0].nodes_per_rack = 1;
    p->w.group[1] = meta_group("loose", 3, 8);
    for (size_t i = 0; i < p->w.n_jobs; i += 3)
        p->w.job[i].required = LEVEL_RACK;
    p->v = p->w;
}

static void spoil_half_racked(struct meta_pair *p)
{
    for (size_t i = 0; i < p->v.n_jobs; i++)
        p->v.job[i].duration += 40;
}

int main(void)
{
    static const struct meta_row rows[] = {
        { "room for all: no waits", 4, make_room, starts_at_once, NULL, somebody_waits, spoil_room },
        { "1 GPU each: any placer", 6, make_single, stays_put, first_fit, meta_starts_differ, spoil_single },
        { "more GPUs: no start later", 40, make_bigger, meta_strict_fifo_pool, NULL, somebody_starts_later, spoil_smaller },
        { "shorter job: no start later", 40, make_shorter, meta_strict_fifo_pool, NULL, somebody_starts_later, spoil_longer },
        { "whole cluster deserved: fifo", 20, make_whole, static_by_submit, fifo_instead, meta_starts_differ, spoil_whole },
        { "racks in one group only", 3, make_half_racked, meta_any, NULL, meta_starts_differ, spoil_half_racked },
    };
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, meta_holds, rows);
    ADD_ROWS(tests, n, meta_spoilt_is_noticed, rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
