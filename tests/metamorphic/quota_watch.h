/* quota_watch.h - a run of such a world, looked at before and after every pass: counts of what
 * guaranteed quota promises not to do.
 *
 * The policy is wrapped: a pass comes every second whether or not anything has changed, forgets
 * what has failed before, and is compared with what it found. Header only. */
#pragma once
#include "tests/metamorphic/quota_gangs.h"
#include "tests/support/built.h"

/* ---- A pass ---- */

static inline void compare(const struct quota_pools *pools)
{
    bool same = true, leaving = false;
    for (uint32_t p = 0; p < pools->n; p++)
        same = same && !pools->shard[p].tentative;
    watch.starts = false;
    for (job_id j = 0; j < JOBS; j++) {
        const struct held *a = &watch.before[j], *b = &watch.after[j];
        same = same && a->state == b->state && a->n == b->n && a->pool == b->pool && !memcmp(a->piece, b->piece, sizeof a->piece);
        leaving = leaving || b->state == JOB_RELEASING || b->state == JOB_CLAIMED;
        watch.starts = watch.starts || b->n > a->n;
        bool incomplete = b->state == JOB_GATHERING && b->n > 0;
        watch.to->halved += incomplete && !watch.halved[j];
        watch.to->left_halved += incomplete && watch.halved[j] && !watch.disturbed;
        watch.lost[j] = incomplete && a->state == JOB_RUNNING ? job_facts(running, j)->min_tasks - b->n : 0;
        watch.halved[j] = incomplete;
    }
    watch.to->traces += same && !same_digest(&watch.was, &watch.is);
    watch.was_fixed = same && !leaving;
}

static inline void check_rooms(void)
{
    for (job_id v = 0; v < JOBS; v++) {
        job_id j = watch.room_for[v];
        if (j == ID_NONE || watch.after[j].n > watch.before[j].n || watch.after[j].state == JOB_GONE)
            continue;
        watch.to->in_vain += !watch.disturbed;
        watch.to->in_vain_disturbed += watch.disturbed;
    }
    memset(watch.room_for, 0xff, sizeof watch.room_for);
}

static inline void watched_pass(struct sched *s, const void *params, void *state)
{
    struct quota_pools *pools = watch.pools = state;
    shares_as_of_now(s, pools);
    for (struct quota_state *q = pools->shard; q < pools->shard + pools->n; q++) {
        if (watch.kind->shares)
            watch.kind->shares(q);
        watch.to->unsound += unsound_shares(q);
        for (queue_id i = 0; i < q->n_queues; i++)
            watch.used_milli[q - pools->shard][i] = q->queue[i].of[Q_GPU].allocated;
        q->version++;
    }
    look(s, pools, &watch.was);
    hold(s, watch.before);
    memset(watch.promised, 0, sizeof watch.promised);
    memset(watch.promised_on, 0xff, sizeof watch.promised_on);
    for (node_id n = 0; n < watch.world->n_nodes; n++)
        watch.idle[n] = idle_on(s, n);
    bool again = watch.was_fixed && !watch.disturbed && same_digest(&watch.was, &watch.is);
    for (uint32_t p = 0; watch.kind->before && p < pools->n; p++)
        watch.kind->before(s, &pools->shard[p]);
    wrapped->schedule(s, params, state);
    for (uint32_t p = 0; watch.kind->after && p < pools->n; p++)
        watch.kind->after(s, &pools->shard[p]);
    look(s, pools, &watch.is);
    hold(s, watch.after);
    compare(pools);
    check_rooms();
    watch.disturbed = false;
    check_bounds(s);
    watch.to->passes++;
    watch.to->fixed += watch.was_fixed;
    watch.to->again += again;
    watch.to->changed_again += again && !watch.was_fixed;
    if (watch.was_fixed)
        check_gangs(s, pools);
    if (watch.was_fixed && watch.kind->whole)
        check_searches(s, pools);
    if (watch.was_fixed && watch.kind->single && !watch.kind->runtimes)
        check_who_waits(s, pools);
    if (sched_now(s) < watch.world->last_ns + TAIL_S * NS_PER_S)
        sched_wake_at(s, sched_now(s) + NS_PER_S);
}

static inline void watched_arrival(struct sched *s, const void *params, void *state, job_id j)
{
    watch.disturbed = watch.disturbed || !watch.seen[j];
    watch.seen[j] = true;
    wrapped->job_arrived(s, params, state, j);
}

static inline void watched_end(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)
{
    watch.disturbed = watch.disturbed || why != STOPPED_BY_POLICY;
    wrapped->job_stopped(s, params, state, j, why);
}

/* ---- Stops, decided at zero grace right after the pass ---- */

static inline int64_t min_runtime_ns(job_id v, job_id j)
{
    queue_id mine = job_facts(running, j)->queue, its = job_facts(running, v)->queue, from = its;
    for (queue_id up = its; mine != its && up != ID_NONE; up = watch.world->queue[up].facts.parent) {
        queue_id down = mine;
        while (down != ID_NONE && down != up)
            down = watch.world->queue[down].facts.parent;
        if (down == up)
            break;
        from = up;
    }
    for (; from != ID_NONE; from = watch.world->queue[from].facts.parent) {
        const struct queue_facts *f = &watch.world->queue[from].facts;
        int64_t ns = mine == its ? f->preempt_min_runtime_ns : f->reclaim_min_runtime_ns;
        if (ns >= 0)
            return ns;
    }
    return 0;
}

static inline bool is_below(queue_id i, queue_id above)
{
    while (i != ID_NONE && i != above)
        i = watch.world->queue[i].facts.parent;
    return i == above;
}

/* With that gone, j is within the limits of all queues above it. */
static inline bool limits_would_do(job_id v, int64_t gone_milli, job_id j)
{
    bool within = true;
    const struct quota_state *q = pool_of(running, watch.pools, j);
    for (queue_id i = job_facts(running, j)->queue; i != ID_NONE; i = watch.world->queue[i].facts.parent) {
        int64_t limit = q->queue[i].of[Q_GPU].limit, gone = is_below(job_facts(running, v)->queue, i) ? gone_milli : 0;
        within = within && (limit == UNLIMITED || watch.used_milli[q - watch.pools->shard][i] - gone + job_size(running, j).gpu_milli <= limit);
    }
    return within;
}

/* On some node, what v held above its minimum would have been enough for j. */
static inline bool surplus_would_do(job_id v, job_id j)
{
    const struct held *was = &watch.before[v];
    uint32_t min = job_facts(running, v)->min_tasks;
    int64_t surplus_milli = 0;
    for (uint32_t i = min; i < was->n; i++)
        surplus_milli += (int64_t)was->piece[i].gpus * was->piece[i].milli;
    if (!limits_would_do(v, surplus_milli, j) || pool_of(running, watch.pools, v) != pool_of(running, watch.pools, j))
        return false;
    for (node_id n = 0; n < watch.world->n_nodes; n++) {
        int64_t free = watch.idle[n];
        if (!view_allows(sched_view(running, FREE_IDLE), quota_ask((struct sched *)(uintptr_t)running, pool_of(running, watch.pools, j), j), n))
            continue;
        for (uint32_t i = min; i < was->n; i++)
            free += was->piece[i].node == n ? was->piece[i].gpus : 0;
        if (free * MILLI_ALL >= job_size(running, j).gpu_milli)
            return true;
    }
    return false;
}

/* A later search of the pass may have taken the place of the job that v was stopped for: then the room is for the taker. */
static inline job_id room_is_for(job_id v, job_id j)
{
    const struct held *was = &watch.before[v];
    for (uint32_t i = 0; i < was->n && !watch.promised[j]; i++)
        if (watch.promised_on[was->piece[i].node] != ID_NONE)
            return watch.promised_on[was->piece[i].node];
    return j;
}

static inline void at_interval(void *self, const struct interval *i)
{
    (void)self;
    bool moved = !strcmp(i->why, "moved"), preempted = !strcmp(i->why, "preempted");
    if (watch.kind->grace || (!moved && !preempted))
        return;
    const struct held *was = &watch.before[i->job];
    watch.to->stops++;
    watch.to->for_nobody += i->for_job == ID_NONE;
    if (i->for_job == ID_NONE)
        return;
    watch.room_for[i->job] = room_is_for(i->job, i->for_job);
    watch.to->inside += preempted && i->end_ns < was->last_start_ns + min_runtime_ns(i->job, i->for_job);
    if (preempted && was->n > job_facts(running, i->job)->min_tasks && !watch.starts) {
        watch.to->elastic_whole++;
        watch.to->whole_first += job_facts(running, i->for_job)->ask->tasks == 1 && surplus_would_do(i->job, i->for_job);
    }
}

static inline void at_tentative(void *self, job_id j, const struct placement *p)
{
    (void)self;
    watch.lost[j] -= p->n < watch.lost[j] ? p->n : watch.lost[j];
    watch.promised[j] = true;
    for (size_t i = 0; i < p->n; i++)
        watch.promised_on[p->piece[i].node] = j;
}

static inline void at_instant(void *self, const struct sched *s)
{
    (void)self;
    for (job_id j = 0; j < JOBS; j++) {
        watch.to->half_evicted += watch.lost[j] > 0;
        watch.lost[j] = 0;
    }
    check_bounds(s);
}

static inline void world_run(const struct world *w, const struct kind *k, uint64_t seed, struct counts *to)
{
    struct error err = { "" };
    struct queue_spec queue[TREE_MOST];
    memcpy(queue, w->queue, sizeof queue);
    for (uint32_t i = 0; i < w->n_queues && k->blind; i++)
        queue[i].facts.preempt_min_runtime_ns = queue[i].facts.reclaim_min_runtime_ns = -1;
    static const struct flavor flavors[POOLS] = { { "a", "kind=a", "", "" }, { "h", "kind=h", "", "" } };
    struct cluster *c = built_cluster_of(&(struct cluster_given){
        .name = "w", .group = w->group, .n_groups = w->n_groups, .queue = queue, .n_queues = w->n_queues,
        .flavor = flavors, .n_flavors = k->pools ? POOLS : 0 }, w->overhead);
    struct workload *load = built_workload(c, w->job, JOBS);
    struct named_policy named = policy_named(k->policy);
    struct policy watched = *named.policy;
    if (!strcmp(watched.name, "quota")) {
        watched.schedule = watched_pass;
        watched.job_arrived = watched_arrival;
        watched.job_stopped = watched_end;
    }
    wrapped = named.policy;
    watch = (struct watch){ .world = w, .kind = k, .to = to };
    memset(watch.room_for, 0xff, sizeof watch.room_for);
    struct run_setup setup = { .cluster = c, .workload = load, .policy = &watched, .policy_params = named.params, .seed = seed,
                               .placer = placer_named("pack"), .check = true, .fruitless_most = 1000,
                               .observer = { .interval = at_interval, .instant = at_instant, .tentative = at_tentative } };
    struct sched *s = run_new(&setup);
    running = s;
    if (run_execute(s, &err) && !k->may_fail)
        fail_msg("%s, seed %u: %s", k->name, (unsigned)seed, err.text);
    run_free(s);
    workload_free(load);
    cluster_free(c);
}

static inline struct counts run_seeds(const struct kind *k, uint64_t n)
{
    struct counts c = { 0 };
    for (uint64_t seed = 0; seed < n; seed++) {
        struct world w;
        world_make(&w, k, seed);
        world_run(&w, k, seed, &c);
    }
    return c;
}
