/* quota_brute.h - jobs that wait although their queue is owed quota: brute force over the
 * victims of a node, which holds at most four. Jobs of one task and whole GPUs. Header only. */
#pragma once
#include "tests/metamorphic/quota_seen.h"

static inline int64_t idle_on(struct sched *s, node_id n)
{
    return view_node(sched_view(s, FREE_IDLE), n).whole;
}

/* May these be taken one after the other in this order, or (n_first < n) in whichever order
 * beyond the first ones? */
static inline unsigned valid_orders(struct quota_state *q, struct sched *s, job_id j, job_id *victim, size_t n, size_t n_first,
                             unsigned *orders)
{
    const struct job_facts *f = job_facts(s, j);
    struct quota_amount ask = quota_amount(job_size(s, j));
    unsigned valid = 0;
    for (size_t i = n_first; i < n; i++) {
        job_id v = victim[i];
        victim[i] = victim[n_first];
        victim[n_first] = v;
        valid += valid_orders(q, s, j, victim, n, n_first + 1, orders);
        victim[n_first] = victim[i];
        victim[i] = v;
    }
    if (n_first < n)
        return valid;
    struct quota_scenario x;
    bool may = true;
    quota_scenario_begin(&x, q->queue, q->loss, f->queue, &ask, !f->preemptible, q->params->saturation);
    for (size_t i = 0; i < n && may; i++) {
        struct quota_amount unit = quota_amount(job_size(s, victim[i]));
        may = quota_scenario_take(&x, job_facts(s, victim[i])->queue, &unit);
    }
    may = may && quota_scenario_valid(&x);
    quota_scenario_end(&x);
    ++*orders;
    return may;
}

/* Is there a set of victims that makes room for j and is valid? PLAIN: in whatever order they
 * are taken, all of their node. Then the search has to find it: as a taker within its deserved
 * share goes before a queue that would be above its own with any of them, no other job takes its
 * place back first. Of other sets it may not: it lets all leave that it has looked at on a node,
 * and if one that it may not take, or that goes first, does not come back as it was, tries no
 * fewer. That is how it is specified (schedulers.md b.6). */
enum { NO_SCENARIO, HIDDEN, PLAIN };
static inline int reclaim_exists(struct sched *s, struct quota_state *q, job_id j)
{
    int best = NO_SCENARIO;
    for (node_id n = 0; n < watch.world->n_nodes; n++) {
        job_id on[NODE_GPUS], victim[NODE_GPUS];
        size_t found = 0;
        if (!view_allows(sched_view(s, FREE_IDLE), quota_ask(s, q, j), n))
            continue;
        for (job_id v = 0; v < JOBS; v++) {
            const struct placement *p = job_state(s, v) == JOB_RUNNING ? job_placement(s, v) : NULL;
            if (p && p->piece[0].node == n && job_facts(s, v)->preemptible && job_facts(s, v)->queue != job_facts(s, j)->queue)
                on[found++] = v;
        }
        for (unsigned set = 1; set < 1u << found; set++) {
            int64_t free = idle_on(s, n) * MILLI_ALL;
            size_t size = 0;
            for (size_t i = 0; i < found; i++)
                if (set >> i & 1) {
                    victim[size++] = on[i];
                    free += job_size(s, on[i]).gpu_milli;
                }
            unsigned orders = 0, valid = free < job_size(s, j).gpu_milli ? 0 : valid_orders(q, s, j, victim, size, 0, &orders);
            int now = !valid ? NO_SCENARIO : valid == orders && size == found ? PLAIN : HIDDEN;
            best = now > best ? now : best;
        }
    }
    return best;
}

static inline bool within_deserved(const struct quota_state *q, queue_id i, const struct quota_amount *ask)
{
    bool within = true;
    for (; i != ID_NONE; i = q->queue[i].parent)
        for (int r = 0; r < Q_RESOURCES; r++) {
            const struct quota_share *x = &q->queue[i].of[r];
            within = within && (x->deserved == UNLIMITED || x->allocated + ask->of[r] <= x->deserved);
        }
    return within;
}

/* In that pool: it fits, and waits. */
static inline void check_idle(struct sched *s, struct quota_state *q, job_id j, const struct quota_amount *ask)
{
    if (!quota_has_capacity(s, q, job_facts(s, j), ask, NULL))
        return;
    for (node_id n = 0; n < watch.world->n_nodes; n++)
        watch.to->idle_left += view_allows(sched_view(s, FREE_IDLE), quota_ask(s, q, j), n) && idle_on(s, n) * MILLI_ALL >= ask->of[Q_GPU];
}

/* Tasks of j, on whole GPUs and all alike, that idle nodes of the pool hold: node by node; with a required level in the domain that
 * holds most. */
static inline uint32_t idle_tasks(struct sched *s, struct quota_state *q, job_id j)
{
    const struct request *ask = quota_ask(s, q, j);
    const struct view *v = sched_view(s, FREE_IDLE);
    enum level level = ask->required_level < LEVEL_ANY ? (enum level)ask->required_level : LEVEL_CLUSTER;
    uint32_t most = 0;
    for (node_id first = 0; first < watch.world->n_nodes; first++) {
        uint32_t here = 0;
        for (node_id n = 0; n < watch.world->n_nodes; n++) {
            struct node_free f = view_node(v, n);
            uint32_t fit = f.whole / ask->gpus;
            if (ask->cpu_milli && f.cpu_milli / ask->cpu_milli < fit)
                fit = (uint32_t)(f.cpu_milli / ask->cpu_milli);
            if (view_allows(v, ask, n) && view_domain(v, n, level) == view_domain(v, first, level))
                here += fit;
        }
        most = here > most ? here : most;
    }
    return most;
}

static inline bool lists(const struct sched *s, queue_id i, uint32_t flavor)
{
    const struct queue_facts *f = queue_facts(s, i);
    bool listed = false;
    for (uint32_t k = 0; k < f->n_flavor_quotas; k++)
        listed = listed || f->flavor_quota[k].flavor == flavor;
    return listed;
}

/* At a fixed point no gang waits that could have its minimum in a pool of its queue, and no elastic job that could have one more
 * task. */
static inline void check_gangs(struct sched *s, struct quota_pools *pools)
{
    for (job_id j = 0; j < JOBS; j++) {
        const struct job_facts *f = job_facts(s, j);
        const struct request *ask = f->ask;
        struct quota_state *q = job_state(s, j) == JOB_PENDING || job_state(s, j) == JOB_RUNNING ? pool_of(s, pools, j) : NULL;
        const struct placement *has = q ? job_placement(s, j) : NULL;
        if (!q || ask->tasks == SPLIT_ANY || ask->next || ask->gpu_milli < MILLI_ALL || !ask->gpus ||
            (has && (has->n < f->min_tasks || has->n >= ask->tasks || ask->required_level < LEVEL_CLUSTER)))
            continue;
        uint32_t wanted = has ? 1 : f->min_tasks;
        struct request part = *ask;
        part.tasks = wanted;
        struct quota_amount amount = quota_amount(request_size(&part));
        watch.to->gangs += ask->tasks > 1;
        for (struct quota_state *p = pools->shard; p < pools->shard + pools->n; p++)
            if (p == q || (!has && lists(s, f->queue, p->flavor)))
                watch.to->idle_for_gangs += quota_has_capacity(s, p, f, &amount, NULL) && idle_tasks(s, p, j) >= wanted;
    }
}

static inline void check_who_waits(struct sched *s, struct quota_pools *pools)
{
    shares_as_of_now(s, pools);
    for (job_id j = 0; j < JOBS; j++) {
        const struct job_facts *f = job_facts(s, j);
        struct quota_state *q = pool_of(s, pools, j);
        if (job_state(s, j) != JOB_PENDING || !quota_has_capacity(s, q, f, &(struct quota_amount){ { 0 } }, NULL))
            continue;
        struct quota_amount ask = quota_amount(job_size(s, j));
        const struct queue_facts *of = queue_facts(s, f->queue);
        check_idle(s, q, j, &ask);
        for (uint32_t i = 0; i < of->n_flavor_quotas; i++)
            if (of->flavor_quota[i].flavor != q->flavor)
                check_idle(s, &pools->shard[of->flavor_quota[i].flavor], j, &ask);
        if (!quota_has_capacity(s, q, f, &ask, NULL))
            continue;
        if (!within_deserved(q, f->queue, &ask) || !quota_may_reclaim(&q->queue[f->queue], &ask, !f->preemptible))
            continue;
        watch.to->gates++;
        int exists = reclaim_exists(s, q, j);
        watch.to->passed_over += exists == HIDDEN && !watch.passed_over[j];
        watch.passed_over[j] = watch.passed_over[j] || exists == HIDDEN;
        watch.to->owed += exists == PLAIN;
    }
}
