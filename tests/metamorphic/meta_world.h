/* meta_world.h - a random small world as plain data, to be played, transformed, and played again.
 *
 *   struct meta_world w = meta_random(seed);
 *   struct meta_run *r = meta_play(&w, &combo, seed);    ... r->job[i], in the order of w.job ...
 *   free(r);
 *
 * Every play replays its intervals and fails the test if a GPU, CPU or memory was given twice or a gang was split up.
 * Times are whole seconds. */
#pragma once
#include "sim/core/random.h"
#include "sim/run/run.h"
#include "tests/support/choices.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>

enum { META_JOBS = 160, META_PARAMS = 24, META_INTERVALS = 20000, META_COMBOS = 1024 };

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
    struct price price;                 /* in ns */
    int64_t period;
    bool renamed;                       /* other names for jobs and users */
    bool check;
    struct meta_job job[META_JOBS];
};
struct meta_combo {
    const struct policy *policy;
    const struct placer *placer;
    double params[META_PARAMS];
    char name[200];
};
struct meta_hold {
    job_id job;
    int64_t start_ns, end_ns;
    bool idle;                          /* without the rest of its gang */
    struct placement *pieces;
};
struct meta_run {
    struct job_result job[META_JOBS];
    int64_t promise_ns[META_JOBS];      /* the first; -1: none */
    struct run_totals totals;
    uint32_t place[META_JOBS];          /* job_id -> position in the world */
    struct meta_hold *hold;
    size_t n_holds;
    atomic_bool endless;                /* more intervals than there is room for: a fight without end */
    char error[300];                    /* of run_execute; "": none */
};

/* ---- Combinations: policies x placers x words of the policy's parameters ---- */

static inline const struct param *meta_param(const struct policy *p, const char *name)
{
    for (const struct param *q = p->params; q && q->name; q++)
        if (!strcmp(q->name, name))
            return q;
    return NULL;
}

/* Is the word parameter `name` of this combination `word`? A policy without it: no. */
static inline bool meta_is(const struct meta_combo *c, const char *name, const char *word)
{
    const struct param *q = meta_param(c->policy, name);
    return q && q->words && !strcmp(q->words[(size_t)c->params[q->at / sizeof(double)]], word);
}

static inline void meta_name(struct meta_combo *c)
{
    int n = snprintf(c->name, sizeof c->name, "%s", c->policy->name);
    for (const struct param *q = c->policy->params; q && q->name; q++)
        if (q->words)
            n += snprintf(c->name + n, sizeof c->name - (size_t)n, ",%s=%s", q->name,
                          q->words[(size_t)c->params[q->at / sizeof(double)]]);
    snprintf(c->name + n, sizeof c->name - (size_t)n, " x %s", c->placer->name);
}

/* The next choice of words. false: that was the last, all are at their first again. */
static inline bool meta_next_words(const struct policy *p, double *params)
{
    for (const struct param *q = p->params; q && q->name; q++) {
        double *value = &params[q->at / sizeof(double)];
        if (!q->words)
            continue;
        if (q->words[(size_t)*value + 1]) {
            *value += 1;
            return true;
        }
        *value = 0;
    }
    return false;
}

/* The usual choice of words with every placer, those of tests/support/choices.h with the first. Who places pod by pod hardly asks
 * the placer: all with the first. */
static inline size_t meta_combos(struct meta_combo *list)
{
    size_t n = 0;
    for (size_t p = 0; builtin_policies[p]; p++) {
        struct meta_combo c = { .policy = builtin_policies[p] };
        struct error err = { "" };
        assert_true(c.policy->params_size <= sizeof c.params);
        assert_int_equal(params_parse(c.policy->params, c.policy->params_size, NULL, "", c.params, &err), 0);
        for (const struct param *q = c.policy->params; q && q->name; q++)
            if (q->words)
                c.params[q->at / sizeof(double)] = 0;
        bool pods = !strcmp(c.policy->name, "kube") || !strcmp(c.policy->name, "gang");
        do {
            for (size_t k = 0; choice_is_played(c.policy, c.params) && builtin_placers[k]; k++) {
                if (k > 0 && (pods || choice_unusual(c.policy, c.params) > 0))
                    break;
                assert_true(n < META_COMBOS);
                c.placer = builtin_placers[k];
                meta_name(&c);
                list[n++] = c;
            }
        } while (meta_next_words(c.policy, c.params));
    }
    return n;
}

static inline bool meta_policy_is(const struct meta_combo *c, const char *name)
{
    return !strcmp(c->policy->name, name);
}

static inline bool meta_preempts(const struct meta_combo *c)
{
    const struct policy *p = c->policy;
    return (p->needs | (p->also_needs ? p->also_needs(c->params) : 0u)) & SEES_RELEASING;
}

/* Round robin: where a stop has a price, a job may never get anywhere. */
static inline bool meta_takes_turns(const struct meta_combo *c)
{
    return meta_is(c, "continuous", "yes");
}

/* Usage of the past, of all queues, orders the jobs. */
static inline bool meta_remembers(const struct meta_combo *c)
{
    return meta_policy_is(c, "multifactor") || meta_policy_is(c, "fair-tree");
}

static inline bool meta_strict_fifo_pool(const struct meta_combo *c)
{
    return meta_policy_is(c, "fifo") && meta_is(c, "scope", "pool") && meta_is(c, "blocking", "strict");
}

/* ---- Random worlds ---- */

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
    w.price = (struct price){ .checkpoint = (int)meta_draw(&r, 0, 2), .interval_ns = meta_draw(&r, 5, 30) * NS_PER_S };
    if (meta_chance(&r, 50)) {
        w.price.save_ns = meta_draw(&r, 0, 5) * NS_PER_S;
        w.price.grace_ns = meta_draw(&r, 0, 8) * NS_PER_S;
        w.price.start_ns = meta_draw(&r, 0, 4) * NS_PER_S;
        w.price.restart_ns = meta_draw(&r, 0, 6) * NS_PER_S;
    }
    w.n_jobs = (size_t)meta_draw(&r, 30, 150);
    for (size_t i = 0; i < w.n_jobs; i++)
        w.job[i] = meta_random_job(&r, (uint32_t)w.n_queues, 6 * (int64_t)w.n_jobs, racks);
    return w;
}

/* ---- Playing ---- */

static inline void meta_add(struct workload *w, const struct meta_world *world, size_t i)
{
    const struct meta_job *j = &world->job[i];
    struct job_row row = job_row_default;
    struct error err = { "" };
    char name[40], user[40];
    row.job_id = name;
    row.job_id_length = (size_t)snprintf(name, sizeof name, world->renamed ? "zz-%zu" : "%zu",
                                         world->renamed ? 1000 - i : i);
    row.user = user;
    row.user_length = (size_t)snprintf(user, sizeof user, world->renamed ? "u%zu" : "v%zu",
                                       world->renamed ? 7 - i % 7 : i % 7);
    row.queue = world->queue[j->queue].facts.name;
    row.queue_length = strlen(row.queue);
    row.submit_ns = j->submit * NS_PER_S;
    row.duration_ns = j->duration * NS_PER_S;
    row.estimate_ns = j->estimate < 0 ? TIME_NEVER : j->estimate * NS_PER_S;
    row.gpus = j->gpus, row.gpu_milli = j->milli, row.tasks = j->tasks;
    row.cpu_milli = j->cpu_milli, row.mem_mib = j->mem_mib;
    row.priority = j->priority, row.required_level = j->required, row.preemptible = !j->stays;
    if (workload_add(w, &row, "meta", i + 1, &err))
        fail_msg("%s", err.text);
}

static inline void meta_interval(void *self, const struct interval *i)
{
    struct meta_run *run = self;
    size_t bytes = sizeof *i->pieces + i->pieces->n * sizeof i->pieces->piece[0];
    if (run->n_holds == META_INTERVALS) {
        run->endless = true;
        return;
    }
    struct placement *copy = malloc(bytes);
    memcpy(copy, i->pieces, bytes);
    run->hold[run->n_holds++] = (struct meta_hold){ i->job, i->start_ns, i->end_ns, !strcmp(i->why, "gang") || !strcmp(i->why, "saved"), copy };
}

static inline void meta_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision,
                                 const char *reason)
{
    struct meta_run *run = self;
    (void)now_ns;
    (void)kind;
    if (!strcmp(decision, "promise") && run->promise_ns[run->place[j]] < 0)
        run->promise_ns[run->place[j]] = ns_of_seconds(strtod(reason, NULL));
}

/* Jobs are numbered by (submit, position): what workload_finish promises. */
static inline void meta_number(const struct meta_world *w, struct meta_run *run)
{
    for (size_t i = 0; i < w->n_jobs; i++) {
        size_t before = 0;
        for (size_t k = 0; k < w->n_jobs; k++)
            before += w->job[k].submit < w->job[i].submit || (w->job[k].submit == w->job[i].submit && k < i);
        run->place[before] = (uint32_t)i;
        run->promise_ns[i] = -1;
    }
}

static inline struct cluster *meta_cluster(const struct meta_world *w)
{
    struct error err = { "" };
    struct queue_spec queue[3];
    memcpy(queue, w->queue, sizeof queue);
    for (size_t q = 0; q < w->n_queues; q++)
        if (w->pin[q].count)
            queue[q].pins = &w->pin[q], queue[q].n_pins = 1;
    struct cluster *c = cluster_build("meta", w->group, w->n_groups, queue, w->n_queues, &err);
    if (!c)
        fail_msg("%s", err.text);
    c->price = w->price;
    c->period_ns = w->period * NS_PER_S;
    return c;
}

/* ---- Replaying: nothing is given twice, and who holds anything holds all that it asked for ---- */

struct meta_event {
    int64_t time_ns;
    int sign;                           /* releases go before starts */
    const struct meta_hold *hold;
};
struct meta_node { int64_t cpu_milli, mem_mib, gpus, milli[NAMED_GPUS_MAX]; };

static inline int meta_by_time(const void *a, const void *b)
{
    const struct meta_event *x = a, *y = b;
    return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns) : x->sign - y->sign;
}

static inline bool meta_take(const struct cluster *c, struct meta_node *n, const struct piece *p,
                             const struct request *ask, int sign)
{
    const struct node_type *t = cluster_node_type(c, p->node);
    int64_t units = sign * (ask->tasks == SPLIT_ANY ? (int64_t)p->gpus : 1);
    unsigned bits = 0;
    bool fits = true;
    for (unsigned g = 0; g < NAMED_GPUS_MAX; g++)
        if (p->gpu_mask >> g & 1) {
            n->milli[g] += sign * (int64_t)p->milli;
            fits = fits && g < t->gpus && n->milli[g] >= 0 && n->milli[g] <= MILLI_ALL;
            bits++;
        }
    n->gpus += t->counted ? sign * (int64_t)p->gpus : 0;
    n->cpu_milli += units * ask->cpu_milli;
    n->mem_mib += units * ask->mem_mib;
    fits = fits && (t->counted ? !bits && n->gpus <= (int64_t)t->gpus : bits == p->gpus);
    return fits && p->milli == ask->gpu_milli && n->cpu_milli <= t->cpu_milli && n->mem_mib <= t->mem_mib;
}

/* NULL: sound. Else what is wrong. */
static inline const char *meta_gang(const struct request *ask, const struct placement *p)
{
    uint64_t gpus = 0;
    for (size_t i = 0; i < p->n; i++) {
        gpus += p->piece[i].gpus;
        if (ask->tasks != SPLIT_ANY && p->piece[i].gpus != ask->gpus)
            return "a task without all of its GPUs";
    }
    if (ask->tasks == SPLIT_ANY)
        return gpus == ask->gpus ? NULL : "not all GPUs";
    return p->n == ask->tasks ? NULL : "not all tasks";
}

static inline const char *meta_replay(const struct cluster *c, const struct workload *w, const struct meta_run *run)
{
    const char *wrong = NULL;
    struct meta_event *event = calloc(2 * run->n_holds + 1, sizeof *event);
    struct meta_node *node = calloc(c->n_nodes, sizeof *node);
    int *holds = calloc(w->n_jobs, sizeof *holds);
    size_t n = 0;
    for (size_t i = 0; i < run->n_holds; i++) {
        const struct meta_hold *h = &run->hold[i];
        const char *gang = h->idle ? NULL : meta_gang(w->facts[h->job].ask, h->pieces);
        wrong = gang ? gang : wrong;
        if (h->end_ns == h->start_ns)
            continue;                   /* holds nothing for any time */
        event[n++] = (struct meta_event){ h->start_ns, 1, h };
        event[n++] = (struct meta_event){ h->end_ns, -1, h };
    }
    qsort(event, n, sizeof *event, meta_by_time);
    for (size_t i = 0; i < n; i++) {
        const struct meta_hold *h = event[i].hold;
        holds[h->job] += h->idle ? 0 : event[i].sign;
        if (holds[h->job] < 0 || holds[h->job] > 1)
            wrong = "a job holds GPUs twice over";
        for (size_t k = 0; k < h->pieces->n; k++)
            if (!meta_take(c, &node[h->pieces->piece[k].node], &h->pieces->piece[k], w->facts[h->job].ask, event[i].sign))
                wrong = "given twice, or more than there is";
    }
    free(event);
    free(node);
    free(holds);
    return wrong;
}

static inline void meta_free(struct meta_run *run)
{
    for (size_t i = 0; i < run->n_holds; i++)
        free(run->hold[i].pieces);
    free(run->hold);
    free(run);
}

static inline struct meta_run *meta_play(const struct meta_world *world, const struct meta_combo *combo, uint64_t seed)
{
    struct error err = { "" };
    struct meta_run *run = calloc(1, sizeof *run);
    run->hold = calloc(META_INTERVALS, sizeof *run->hold);
    meta_number(world, run);
    struct cluster *c = meta_cluster(world);
    if (meta_takes_turns(combo))
        c->price = (struct price){ .checkpoint = CHECKPOINT_PERFECT };
    struct workload *w = workload_new();
    for (size_t i = 0; i < world->n_jobs; i++)
        meta_add(w, world, i);
    if (workload_finish(w, "meta", &err) || run_bind(c, w, &err))
        fail_msg("%s", err.text);
    struct sched *s = run_new(&(struct run_setup){
        .cluster = c, .workload = w, .policy = combo->policy, .placer = combo->placer, .seed = seed,
        .policy_params = combo->params, .check = world->check, .interrupted = &run->endless,
        .observer = { .self = run, .interval = meta_interval, .decision = meta_decision },
    });
    if (run_execute(s, &err))
        snprintf(run->error, sizeof run->error, "%s", err.text);
    run->totals = *run_totals(s);
    for (job_id j = 0; j < w->n_jobs; j++)
        run->job[run->place[j]] = run_job(s, j);
    const char *wrong = run->endless ? "a fight without end" : meta_replay(c, w, run);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    if (wrong || *run->error)
        print_error("UNSOUND %s seed %llu: %s %s\n", combo->name, (unsigned long long)seed, wrong ? wrong : "", run->error);
    if (wrong && !*run->error)
        snprintf(run->error, sizeof run->error, "%s", wrong);
    return run;
}

/* ---- Verdicts ---- */

struct meta_tally { const char *property; unsigned compared, broken; };

static inline void meta_broken(struct meta_tally *t, const struct meta_combo *c, uint64_t seed, size_t job,
                               int64_t want_ns, int64_t got_ns)
{
    if (t->broken++ < 10)
        print_error("%s: %s seed %llu job %zu: want %.9g s, got %.9g s\n", t->property, c->name,
                    (unsigned long long)seed, job, (double)want_ns / NS_PER_S, (double)got_ns / NS_PER_S);
}

static inline void meta_verdict(const struct meta_tally *t)
{
    if (t->broken || !t->compared)
        fail_msg("%s: %u of %u broken", t->property, t->broken, t->compared);
}

/* ---- Properties: two plays that must agree in some way, for every combination that the property speaks of ---- */

struct meta_pair { struct meta_world w, v; int64_t t0; };
struct meta_row {
    const char *name;
    uint64_t seeds;
    void (*make)(struct meta_pair *p, uint64_t seed);
    bool (*applies)(const struct meta_combo *c);
    void (*partner)(struct meta_combo *c);      /* the other policy or placer, for v; NULL: the same */
    size_t (*broken)(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b, int64_t *want_ns,
                     int64_t *got_ns);          /* the first job that disagrees; ID_NONE: all is well */
    void (*spoil)(struct meta_pair *p);         /* makes it false */
};

static inline bool meta_row_plays(const struct meta_row *row, const struct meta_combo *c, uint64_t seed, bool spoil,
                                  struct meta_tally *t)
{
    struct meta_pair *p = calloc(1, sizeof *p);
    struct meta_combo other = *c;
    int64_t want = 0, got = 0;
    row->make(p, seed);
    if (spoil)
        row->spoil(p);
    if (row->partner)
        row->partner(&other);
    struct meta_run *a = meta_play(&p->w, c, seed), *b = meta_play(&p->v, &other, seed);
    size_t j = row->broken(p, a, b, &want, &got);
    t->compared++;
    if (!spoil && (j != ID_NONE || *a->error || *b->error))
        meta_broken(t, c, seed, j, want, got);
    meta_free(a);
    meta_free(b);
    free(p);
    return j != ID_NONE;
}

static inline void meta_row_test(const struct meta_row *row, bool spoil)
{
    static struct meta_combo list[META_COMBOS];
    struct meta_tally t = { .property = row->name };
    size_t n = meta_combos(list);
    unsigned blind = 0;
    for (size_t i = 0; i < n; i++) {
        bool noticed = false;
        if (!row->applies(&list[i]))
            continue;
        for (uint64_t seed = 1; seed <= row->seeds && !(spoil && noticed); seed++)
            noticed = meta_row_plays(row, &list[i], seed, spoil, &t) || noticed;
        blind += spoil && !noticed;
    }
    meta_verdict(&t);
    assert_int_equal(blind, 0);         /* combinations under which the spoilt property seems to hold */
}

static inline void meta_holds(void **state) { meta_row_test(*state, false); }
static inline void meta_spoilt_is_noticed(void **state) { meta_row_test(*state, true); }

static inline bool meta_any(const struct meta_combo *c)
{
    (void)c;
    return true;
}

static inline size_t meta_starts_differ(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b,
                                        int64_t *want_ns, int64_t *got_ns)
{
    for (size_t i = 0; i < p->w.n_jobs && i < p->v.n_jobs; i++) {
        *want_ns = a->job[i].start_ns, *got_ns = b->job[i].start_ns;
        if (*want_ns != *got_ns)
            return i;
    }
    return ID_NONE;
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
