/* quota_scenario.c - a scenario of a search: the chosen leave, the job comes, and who of them finds a place again.
 *
 * All in pencil, and taken back; what is kept is the fate of each task, and whether that is right: reclaim by the rules of
 * quota_rules.h, consolidation if nobody loses anything. */
#include "policies/kai/quota_search.h"

#include <stdlib.h>
#include <string.h>

void search_choose(struct sched *s, struct search *x, const struct unit *u)
{
    x->chosen = array_grown(sched_alloc, s, x->chosen, &x->chosen_capacity, x->n_chosen, sizeof *x->chosen);
    x->chosen[x->n_chosen++] = u;
}

static const struct placement *as_placement(struct sched *s, const struct piece *piece, uint32_t n)
{
    struct placement *p = sched_scratch(s, sizeof *p + n * sizeof p->piece[0]);
    p->n = n;
    memcpy(p->piece, piece, n * sizeof *piece);
    return p;
}

/* The first of its tasks that are evicted in this scenario. ID_NONE: none. */
uint32_t search_first_evicted(struct sched *s, const struct search *x, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    return own->scenario == x->scenario ? own->evicted : ID_NONE;
}

static void note_evicted(struct sched *s, struct search *x, const struct unit *u, const struct piece *p)
{
    struct quota_job *own = job_own(s, u->job);
    uint32_t next = search_first_evicted(s, x, u->job);
    x->evicted = array_grown(sched_alloc, s, x->evicted, &x->evicted_capacity, x->n_evicted, sizeof *x->evicted);
    x->evicted[x->n_evicted] = (struct evicted){ u->job, u->leaf, p->task, next, p->node, ID_NONE, FATE_LOST };
    own->scenario = x->scenario;
    own->evicted = (uint32_t)x->n_evicted++;
}

static bool evict_chosen(struct sched *s, struct quota_state *q, struct search *x)
{
    x->n_evicted = 0;
    x->scenario++;
    for (size_t i = 0; i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        if (sched_pencil_out(s, u->job, as_placement(s, u->piece, u->n)) != SCHED_OK)
            return false;
        for (uint32_t k = 0; k < u->n; k++)
            note_evicted(s, x, u, &u->piece[k]);
    }
    for (size_t i = 0; i < x->n_chosen; i++)
        quota_refresh(s, q, x->chosen[i]->leaf);
    return true;
}

struct evicted *search_evicted(struct sched *s, struct search *x, job_id j, uint32_t task)
{
    uint32_t i = search_first_evicted(s, x, j);
    while (i != ID_NONE && x->evicted[i].task != task)
        i = x->evicted[i].next_of_job;
    return i == ID_NONE ? NULL : &x->evicted[i];
}

static const struct placement *what_stays(struct sched *s, struct search *x, job_id j)
{
    const struct placement *has = job_placement(s, j);
    if (!has || search_first_evicted(s, x, j) == ID_NONE)
        return has;
    struct piece *piece = sched_scratch(s, has->n * sizeof *piece);
    uint32_t n = 0;
    for (size_t i = 0; i < has->n; i++)
        if (!search_evicted(s, x, j, has->piece[i].task))
            piece[n++] = has->piece[i];
    return n ? as_placement(s, piece, n) : NULL;
}

/* It is placed again, or (nothing) not. On its own node, with whole GPUs, it does not matter which. */
static void come_back(struct sched *s, struct quota_state *q, struct search *x, job_id j)
{
    struct wanted w = quota_wanted(s, j, what_stays(s, x, j));
    if (w.n == 0 || !quota_has_capacity(q, job_facts(s, j), &w.amount, NULL))
        return;
    const struct placement *where = quota_pencil(s, q, j, w.task, w.n);
    const struct placement *had = job_placement(s, j);
    for (size_t i = 0; where && i < where->n; i++) {
        const struct piece *p = &where->piece[i];
        struct evicted *e = search_evicted(s, x, j, p->task);
        if (!e)
            continue;
        const struct piece *old = placement_task(had, p->task);
        bool same = e->from == p->node && (p->milli >= MILLI_ALL || p->gpu_mask == old->gpu_mask);
        e->fate = same ? FATE_KEPT : FATE_MOVED;
        e->to = p->node;
    }
}

/* SPLIT_ANY: its pieces stand and fall together. */
static void whole_fates(struct sched *s, struct search *x)
{
    for (size_t i = 0; i < x->n_evicted; i++) {
        if (job_facts(s, x->evicted[i].job)->ask->tasks != SPLIT_ANY || search_first_evicted(s, x, x->evicted[i].job) != i)
            continue;
        enum fate worst = FATE_KEPT;
        for (uint32_t k = (uint32_t)i; k != ID_NONE; k = x->evicted[k].next_of_job)
            worst = x->evicted[k].fate < worst ? x->evicted[k].fate : worst;
        for (uint32_t k = (uint32_t)i; k != ID_NONE; k = x->evicted[k].next_of_job)
            x->evicted[k].fate = worst;
    }
}

struct comer { job_id job; queue_id leaf; struct line_key key; struct quota_amount amount; };

static int by_leaf_and_key(const void *a, const void *b)
{
    const struct comer *x = a, *y = b;
    if (x->leaf != y->leaf)
        return x->leaf < y->leaf ? -1 : 1;
    return line_key_before(y->key, y->job, x->key, x->job) - line_key_before(x->key, x->job, y->key, y->job);
}

static struct comer comer_of(struct sched *s, struct search *x, job_id j, struct quota_amount amount)
{
    const struct placement *stays = what_stays(s, x, j);
    return (struct comer){ j, job_facts(s, j)->queue, quota_key(s, j, stays ? stays->n : 0), amount };
}

/* Everybody who takes part, by queue and in order. */
static struct comer *comers(struct sched *s, struct search *x, struct quota_amount mine, size_t *n)
{
    struct comer *c = sched_scratch(s, (x->n_chosen + 1) * sizeof *c);
    c[0] = comer_of(s, x, x->job, mine);
    *n = 1;
    for (size_t i = 0; i < x->n_evicted; i++) {
        job_id v = x->evicted[i].job;
        if (search_first_evicted(s, x, v) == i)
            c[(*n)++] = comer_of(s, x, v, quota_wanted(s, v, what_stays(s, x, v)).amount);
    }
    qsort(c, *n, sizeof *c, by_leaf_and_key);
    return c;
}

/* Places all of them again in the order of the queues; the job must find its place. */
static bool place_again(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    struct quota_amount mine = quota_of_tasks(s, x->job, x->wanted.task, tasks);
    size_t n;
    struct comer *c = comers(s, x, mine, &n);
    uint32_t *at = sched_scratch(s, q->n_queues * sizeof *at);
    order_begin(&q->again);
    for (size_t i = n; i-- > 0;)
        at[c[i].leaf] = (uint32_t)i;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || c[i].leaf != c[i - 1].leaf)
            order_add(&q->again, c[i].leaf, &c[i].amount);
    if (q->again.n_leaves > 1)
        quota_divide_now(s, q);
    order_make(&q->again);
    for (queue_id leaf; (leaf = order_top(&q->again)) != ID_NONE;) {
        job_id j = c[at[leaf]].job;
        if (j != x->job) {
            come_back(s, q, x, j);
        } else {
            const struct placement *where = quota_has_capacity(q, job_facts(s, j), &mine, NULL)
                                                ? quota_pencil(s, q, j, x->wanted.task, tasks) : NULL;
            if (!where)
                return false;
            if (job_facts(s, j)->ask->tasks != SPLIT_ANY)
                memcpy(x->placed, where->piece, where->n * sizeof *x->placed);
        }
        uint32_t next = ++at[leaf];
        order_set(&q->again, leaf, next < n && c[next].leaf == leaf ? &c[next].amount : NULL);
    }
    return true;
}

/* ---- Is what it costs right? ---- */

static bool reclaim_is_valid(struct sched *s, struct quota_state *q, struct search *x)
{
    const struct job_facts *f = job_facts(s, x->job);
    struct quota_scenario scenario;
    bool valid = true;
    quota_divide_now(s, q);
    quota_scenario_begin(&scenario, q->queue, q->loss, f->queue, &x->wanted.amount, !f->preemptible, q->params->saturation);
    for (size_t i = 0; valid && i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        uint32_t *task = sched_scratch(s, u->n * sizeof *task), n = 0;
        for (uint32_t k = 0; k < u->n; k++) {
            const struct evicted *e = search_evicted(s, x, u->job, u->piece[k].task);
            if (e->fate == FATE_LOST || (e->fate == FATE_MOVED && q->params->moves <= 0))
                task[n++] = e->task;
        }
        struct quota_amount lost = quota_of_tasks(s, u->job, task, n);
        valid = n == 0 || quota_scenario_take(&scenario, u->leaf, &lost);
    }
    valid = valid && quota_scenario_valid(&scenario);
    quota_scenario_end(&scenario);
    return valid;
}

static bool is_valid(struct sched *s, struct quota_state *q, struct search *x)
{
    if (x->action == RECLAIM)
        return reclaim_is_valid(s, q, x);
    for (size_t i = 0; x->action == CONSOLIDATION && i < x->n_evicted; i++)
        if (x->evicted[i].fate == FATE_LOST)
            return false;
    return true;
}

void search_refresh(struct sched *s, struct quota_state *q, const struct search *x)
{
    for (size_t i = 0; i < x->n_chosen; i++)
        quota_refresh(s, q, x->chosen[i]->leaf);
    quota_refresh(s, q, job_facts(s, x->job)->queue);
}

/* Tries it, and takes it back. */
enum outcome search_try(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    sched_mark_t before = sched_mark(s);
    bool placed = evict_chosen(s, q, x) && place_again(s, q, x, tasks);
    whole_fates(s, x);
    sched_rollback(s, before);
    search_refresh(s, q, x);
    return !placed ? NO_PLACE : is_valid(s, q, x) ? SOLVED : NOT_VALID;
}
