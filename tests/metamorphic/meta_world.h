/* meta_world.h - a random small world as plain data. Times are whole seconds. */
#pragma once
#include "sim/base/random.h"
#include "sim/cluster/cluster.h"
#include "sim/models/overhead.h"

enum { META_JOBS = 160 };

struct meta_job {
    int64_t submit, duration, estimate; /* estimate -1: none */
    uint32_t gpus, milli, tasks, queue;
    int64_t cpu_milli, mem_mib;
    int32_t priority;
    uint8_t required;
    bool stays;                         /* is not preemptible */
};
struct meta_world {
    struct group_spec group[3];
    struct queue_spec queue[3];
    struct pin_spec pin[3];
    size_t n_groups, n_queues, n_jobs;
    struct overhead overhead;                 /* in ns */
    int64_t period;
    bool renamed;                       /* other names for jobs and users */
    bool labelled;                      /* pods have labels, which no rule means */
    bool check;
    struct meta_job job[META_JOBS];
};

static inline int64_t meta_draw(struct random *r, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(r, (uint64_t)(most - least + 1));
}

static inline bool meta_chance(struct random *r, int64_t percent)
{
    return meta_draw(r, 1, 100) <= percent;
}

static inline struct group_spec meta_group(const char *name, uint32_t count, uint32_t gpus)
{
    return (struct group_spec){ .name = name, .gpu_model = "A100", .count = count, .gpus = gpus,
                                .counted = gpus > NAMED_GPUS_MAX, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
}

static inline struct queue_spec meta_queue(const char *name)
{
    return (struct queue_spec){ .facts = { .name = name, .parent = ID_NONE, .weight = 1,
                                           .quota = { { UNLIMITED, UNLIMITED, UNLIMITED },
                                                      { UNLIMITED, UNLIMITED, UNLIMITED } } } };
}

static inline struct meta_job meta_random_job(struct random *r, uint32_t queues, int64_t span, bool racks)
{
    struct meta_job j = { .submit = meta_draw(r, 0, span) / 10 * 10, .milli = MILLI_ALL, .required = LEVEL_ANY };
    j.duration = meta_chance(r, 10) ? 0 : meta_draw(r, 1, meta_chance(r, 20) ? 300 : 60);
    j.estimate = meta_chance(r, 10) ? -1 : meta_draw(r, j.duration / 2, 2 * j.duration + 1);
    j.gpus = (uint32_t)(meta_chance(r, 50) ? meta_draw(r, 1, 4) : meta_draw(r, 1, 24));
    if (meta_chance(r, 40)) {
        uint32_t each = (uint32_t)meta_draw(r, 1, 4);
        j.tasks = 1 + (j.gpus - 1) / each;
        j.gpus = j.tasks * each;
    }
    if (meta_chance(r, 15)) {
        j.gpus = 1;
        j.tasks = 0;
        j.milli = (uint32_t)(100 * meta_draw(r, 1, 9));
    }
    if (meta_chance(r, 40)) {
        j.cpu_milli = 1000 * meta_draw(r, 0, 8) * (j.tasks ? 1 : j.gpus);
        j.mem_mib = 1024 * meta_draw(r, 0, 16) * (j.tasks ? 1 : j.gpus);
    }
    if (meta_chance(r, 15))
        j.required = (uint8_t)(j.gpus <= 4 && meta_chance(r, 50) ? LEVEL_NODE : racks ? LEVEL_RACK : LEVEL_CLUSTER);
    j.queue = (uint32_t)meta_draw(r, 0, (int64_t)queues - 1);
    j.priority = (int32_t)meta_draw(r, -2, 3);
    j.stays = meta_chance(r, 10);
    return j;
}

static inline bool meta_random_groups(struct meta_world *w, struct random *r)
{
    static const char *const names[] = { "g0", "g1", "g2" };
    static const uint32_t sizes[] = { 2, 4, 8 };
    bool racks = meta_chance(r, 50);    /* all or none */
    w->n_groups = (size_t)meta_draw(r, 1, 3);
    for (size_t g = 0; g < w->n_groups; g++) {
        w->group[g] = meta_group(names[g], (uint32_t)meta_draw(r, 2, 6), sizes[meta_draw(r, 0, 2)]);
        w->group[g].nodes_per_rack = racks ? (uint32_t)meta_draw(r, 1, 3) : 0;
        if (meta_chance(r, 40))
            w->group[g].cpu_milli = 1000 * meta_draw(r, 8, 64), w->group[g].mem_mib = 1024 * meta_draw(r, 16, 128);
    }
    if (meta_chance(r, 25))
        w->group[w->n_groups - 1] = meta_group("big", 1, 65), w->group[w->n_groups - 1].nodes_per_rack = racks;
    return racks;
}

static inline struct meta_world meta_random(uint64_t seed)
{
    static const char *const names[] = { "a", "b", "c" };
    struct random r;
    struct meta_world w = { .check = true };
    random_init(&r, seed, "metamorphic", 0);
    bool racks = meta_random_groups(&w, &r);
    w.n_queues = (size_t)meta_draw(&r, 1, 3);
    for (size_t q = 0; q < w.n_queues; q++) {
        w.queue[q] = meta_queue(names[q]);
        if (meta_chance(&r, 50))
            w.queue[q].facts.quota.deserved.gpu_milli = MILLI_ALL * meta_draw(&r, 2, 24);
    }
    w.overhead = (struct overhead){ .checkpoint = (unsigned)meta_draw(&r, 0, 2), .interval_ns = meta_draw(&r, 5, 30) * NS_PER_S };
    if (meta_chance(&r, 50)) {
        w.overhead.save_ns = meta_draw(&r, 0, 5) * NS_PER_S;
        w.overhead.grace_ns = meta_draw(&r, 0, 8) * NS_PER_S;
        w.overhead.start_ns = meta_draw(&r, 0, 4) * NS_PER_S;
        w.overhead.restart_ns = meta_draw(&r, 0, 6) * NS_PER_S;
    }
    w.n_jobs = (size_t)meta_draw(&r, 30, 150);
    for (size_t i = 0; i < w.n_jobs; i++)
        w.job[i] = meta_random_job(&r, (uint32_t)w.n_queues, 6 * (int64_t)w.n_jobs, racks);
    return w;
}

/* Whole GPUs on alike nodes, nothing else matters. */
static inline struct meta_world meta_uniform(uint64_t seed, uint32_t nodes, uint32_t gpus)
{
    struct meta_world w = meta_random(seed);
    w.n_groups = 1;
    w.group[0] = meta_group("g", nodes, gpus);
    for (size_t i = 0; i < w.n_jobs; i++) {
        struct meta_job *j = &w.job[i];
        j->milli = MILLI_ALL, j->cpu_milli = j->mem_mib = 0, j->required = LEVEL_ANY;
    }
    return w;
}

static inline struct meta_world meta_single(uint64_t seed, uint32_t nodes, uint32_t gpus)
{
    struct meta_world w = meta_uniform(seed, nodes, gpus);
    for (size_t i = 0; i < w.n_jobs; i++)
        w.job[i].gpus = 1, w.job[i].tasks = 0;
    return w;
}
