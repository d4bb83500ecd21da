/* quota_gangs.h - jobs of up to four tasks that wait although a search has to find room for them: brute force over the victims of
 * all nodes. Jobs of whole GPUs without CPUs. Header only.
 *
 * A search evicts, node by node, what it may take (schedulers.md b.6), and finds no fewer victims than that. What it has to find:
 *
 *   reclaim      the job's queues stay within deserved quota; with all that other queues can lose gone the tasks fit, in each
 *                domain of the required level where one of them does; and all of it may be taken, unit by unit, in whichever
 *                order of the jobs. Then every part of it may, the job comes before all of them in the order, and as long as a
 *                task lacks room some node has more than the victims so far have freed
 *   preempt      the same with what is of lower priority in the job's queue; no rule asks for an order
 *   consolidate  one task: on some node there is one preemptible job alone, of one task, behind the job in the order of their
 *                queue; without it the task fits there, and it fits on idle GPUs of another node */
#pragma once
#include "tests/metamorphic/quota_brute.h"

enum { VICTIMS_MOST = 6 };

/* What j wants next, of tasks that are alike. */
struct lack { const struct request *ask; uint32_t tasks; struct quota_amount amount; enum level level; bool holds; };

static inline bool lack_of(struct sched *s, struct quota_state *q, job_id j, struct lack *to)
{
    const struct placement *has = job_placement(s, j);
    enum job_state state = job_state(s, j);
    struct wanted w = state == JOB_PENDING || state == JOB_RUNNING ? quota_wanted(s, j, has) : (struct wanted){ 0 };
    if (w.n == 0)
        return false;
    const struct request *ask = quota_ask(s, q, j);
    *to = (struct lack){ ask, w.n, w.amount, ask->required_level < LEVEL_ANY ? (enum level)ask->required_level : LEVEL_CLUSTER, has };
    return ask->gpus > 0 && !ask->next && ask->tasks != SPLIT_ANY && !(has && to->level < LEVEL_CLUSTER);
}

static inline bool can_leave(struct sched *s, struct quota_state *q, job_id v)
{
    return job_state(s, v) == JOB_RUNNING && job_facts(s, v)->preemptible && pool_of(s, q->pools, v) == q;
}

static inline bool is_victim(struct sched *s, struct quota_state *q, job_id j, job_id v, enum quota_action action)
{
    const struct job_facts *mine = job_facts(s, j), *its = job_facts(s, v);
    return v != j && can_leave(s, q, v) &&
           (action == RECLAIM ? its->queue != mine->queue : its->queue == mine->queue && its->priority < mine->priority);
}

/* In each domain of the level where one task fits once these have left, all fit; and there is such a domain. */
static inline bool fits_without(struct sched *s, const struct lack *l, const job_id *victim, size_t n)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    uint32_t fit[NODES_MOST] = { 0 };
    bool any = false, all = true;
    for (node_id k = 0; k < watch.world->n_nodes; k++) {
        uint32_t room = (uint32_t)idle_on(s, k);
        for (size_t i = 0; i < n; i++)
            for (size_t p = 0; p < job_placement(s, victim[i])->n; p++)
                room += job_placement(s, victim[i])->piece[p].node == k ? job_placement(s, victim[i])->piece[p].gpus : 0;
        fit[k] = view_allows(v, l->ask, k) ? room / l->ask->gpus : 0;
    }
    for (node_id k = 0; k < watch.world->n_nodes; k++) {
        uint32_t here = 0;
        for (node_id m = 0; m < watch.world->n_nodes; m++)
            here += view_domain(v, m, l->level) == view_domain(v, k, l->level) ? fit[m] : 0;
        any = any || here >= l->tasks;
        all = all && (here == 0 || here >= l->tasks);
    }
    return any && all;
}

/* Surplus tasks one by one, then the rest. */
static inline bool take_job(struct sched *s, struct quota_scenario *x, job_id v)
{
    const struct job_facts *f = job_facts(s, v);
    uint32_t task[TASKS_MOST] = { 0 }, n = (uint32_t)job_placement(s, v)->n;
    bool may = true;
    for (uint32_t i = 0; i < n; i++)
        task[i] = job_placement(s, v)->piece[i].task;
    while (n > 0 && may) {
        uint32_t unit = n > f->min_tasks ? 1 : n;
        struct quota_amount lost = quota_of_tasks(s, v, &task[n - unit], unit);
        may = quota_scenario_take(x, f->queue, &lost);
        n -= unit;
    }
    return may;
}

static inline bool valid_in_all_orders(struct sched *s, struct quota_state *q, job_id j, const struct lack *l, job_id *victim, size_t n,
                                       size_t n_first)
{
    const struct job_facts *f = job_facts(s, j);
    bool valid = true;
    for (size_t i = n_first; i < n && valid; i++) {
        job_id v = victim[i];
        victim[i] = victim[n_first];
        victim[n_first] = v;
        valid = valid_in_all_orders(s, q, j, l, victim, n, n_first + 1);
        victim[n_first] = victim[i];
        victim[i] = v;
    }
    if (n_first < n)
        return valid;
    struct quota_scenario x;
    quota_scenario_begin(&x, q->queue, q->loss, f->queue, &l->amount, !f->preemptible, q->params->saturation);
    for (size_t i = 0; i < n && valid; i++)
        valid = take_job(s, &x, victim[i]);
    valid = valid && quota_scenario_valid(&x);
    quota_scenario_end(&x);
    return valid;
}

static inline bool must_take(struct sched *s, struct quota_state *q, job_id j, const struct lack *l, enum quota_action action)
{
    job_id victim[VICTIMS_MOST];
    size_t n = 0;
    for (job_id v = 0; v < JOBS; v++) {
        if (!is_victim(s, q, j, v, action))
            continue;
        if (n == VICTIMS_MOST)
            return false;
        victim[n++] = v;
    }
    return n > 0 && fits_without(s, l, victim, n) && (action == PREEMPT || valid_in_all_orders(s, q, j, l, victim, n, 0));
}

/* Its order in their queue when both wait. */
static inline bool is_behind(struct sched *s, job_id v, job_id j)
{
    const struct job_facts *mine = job_facts(s, j), *its = job_facts(s, v);
    struct line_key a = quota_key(s, j, 0), b = quota_key(s, v, 0);
    return its->queue == mine->queue && line_key_before(a, j, b, v);
}

static inline bool must_move(struct sched *s, struct quota_state *q, job_id j, const struct lack *l)
{
    const struct view *view = sched_view(s, FREE_IDLE);
    for (node_id n = 0; l->tasks == 1 && n < watch.world->n_nodes; n++) {
        job_id alone = ID_NONE;
        uint32_t on = 0;
        for (job_id v = 0; v < JOBS; v++)
            for (size_t i = 0; can_leave(s, q, v) && i < job_placement(s, v)->n; i++)
                if (job_placement(s, v)->piece[i].node == n) {
                    alone = v;
                    on++;
                }
        if (on != 1 || alone == j || job_placement(s, alone)->n != 1 || job_facts(s, alone)->min_tasks != 1 || !is_behind(s, alone, j))
            continue;
        const struct request *its = quota_ask(s, q, alone);
        bool elsewhere = false;
        for (node_id m = 0; m < watch.world->n_nodes; m++)
            elsewhere = elsewhere || (m != n && view_allows(view, its, m) && idle_on(s, m) >= its->gpus);
        if (elsewhere && view_allows(view, l->ask, n) && idle_on(s, n) + its->gpus >= l->ask->gpus)
            return true;
    }
    return false;
}

/* At a fixed point. */
static inline void check_searches(struct sched *s, struct quota_pools *pools)
{
    shares_as_of_now(s, pools);
    for (job_id j = 0; j < JOBS; j++) {
        const struct job_facts *f = job_facts(s, j);
        struct quota_state *q = pool_of(s, pools, j);
        struct lack l;
        if (!q || !lack_of(s, q, j, &l) || !quota_has_capacity(s, q, f, &l.amount, NULL))
            continue;
        struct counts *c = watch.to;
        bool gang = l.tasks > 1;
        if (within_deserved(q, f->queue, &l.amount) && quota_may_reclaim(&q->queue[f->queue], &l.amount, !f->preemptible)) {
            c->gates_gangs += gang;
            c->not_reclaimed += must_take(s, q, j, &l, RECLAIM);
        }
        c->not_preempted += must_take(s, q, j, &l, PREEMPT);
        const struct quota_job *own = job_own(s, j);
        if (f->preemptible && own->consolidated != q->ends)
            c->not_moved += must_move(s, q, j, &l);
    }
}
