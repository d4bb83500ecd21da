/* quota_search.c - whom to evict for a job: what consolidation, reclaim and preempt share.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/actions/common/solvers. The job's tasks are solved one more at a time: first with
 * the victims that the fewer tasks needed, then with one more potential victim after the other, worst first. Of each, node by node
 * of that victim's job: those potential victims leave whose jobs have a task on the node; then job and victims are placed anew, in the order of
 * the queues. A victim that comes back to its node never left; one that finds another place is moved. If the job has its place and the
 * action finds nothing wrong with what is lost, the next task is solved.
 *
 * A job that gives only a total is one task that lies on several nodes: for it all potential victims leave at once.
 * What differs: a node on which even all potential victims would not free enough GPUs is not tried; a scenario is not tried
 * without a victim if the job fits as it is; other waiting jobs do not take part in the order, so whoever was made room for
 * is served first at the next pass; nodes by id. */
#include "policies/quota.h"

#include <stdlib.h>
#include <string.h>

/* Tasks that leave together. */
struct unit { job_id job; queue_id leaf; uint32_t n, next_of_job; const struct piece *piece; };
/* A job some of whose tasks are potential victims. */
struct victim { job_id job; queue_id leaf; uint32_t first_unit; };
struct back { uint32_t victim; struct line_key key; };    /* has more tasks: comes again */
struct on_node { uint32_t stamp, first; int64_t milli; };  /* potential victims there */
struct on_node_link { uint32_t unit, next; };
enum fate { FATE_LOST, FATE_MOVED, FATE_KEPT };
struct evicted { job_id job; queue_id leaf; uint32_t task, next_of_job; node_id from, to; enum fate fate; };

struct search {
    enum quota_action action;
    job_id job;
    struct wanted wanted;
    bool moves_only;              /* nobody will lose anything for good: the victims are those of a consolidation */
    const struct request *run;    /* the last task's; NULL: every node may do, for it does not want whole GPUs */
    int64_t task_milli, freed_milli;    /* the second: of all potential victims */
    uint32_t stamp;
    struct on_node *node;         /* [nodes] */
    struct on_node_link *link;
    size_t n_links, link_capacity;
    struct unit *unit;
    size_t n_units, unit_capacity;
    struct victim *victim;
    size_t n_victims, victim_capacity;
    struct { job_id at; struct line_key key; bool begun, done; struct quota_amount popped; } *leaf;    /* [queues] */
    struct back *back;
    size_t n_back, back_capacity;
    size_t tried;                 /* potential victims when a total was tried last */
    const struct unit **chosen;   /* who leaves in the scenario */
    size_t n_chosen, chosen_capacity;
    uint64_t scenario;            /* number of the last */
    struct evicted *evicted;      /* what became of them */
    size_t n_evicted, evicted_capacity;
    struct unit *recorded;        /* needed for the tasks so far */
    size_t n_recorded, recorded_capacity;
    struct piece *placed;         /* where the job's tasks went */
};

static void *grown(struct sched *s, void *old, size_t *capacity, size_t n, size_t size)
{
    if (n < *capacity)
        return old;
    *capacity = *capacity ? 2 * *capacity : 32;
    void *more = sched_alloc(s, *capacity * size);
    if (n)
        memcpy(more, old, n * size);
    return more;
}

/* ---- Potential victims, the worst first ---- */

/* Minimum run time, 0 where nobody says. The victim's queue and up, or (reclaim) from just below the queue that both share; if they share
 * none, of the victim's top queue only. NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/minruntime/resolver.go. */
static int64_t min_runtime_ns(const struct quota_state *q, const struct sched *s, const struct search *x, queue_id victim)
{
    bool reclaim = x->action == RECLAIM;
    queue_id from = victim;
    if (reclaim && (int)q->params->min_runtime_of == RUNTIME_OF_ANCESTOR) {
        queue_id below = victim;
        for (from = victim; from != ID_NONE; below = from, from = q->queue[from].parent) {
            queue_id up = job_facts(s, x->job)->queue;
            while (up != ID_NONE && up != from)
                up = q->queue[up].parent;
            if (up == from)
                break;
        }
        from = below;
    }
    for (; from != ID_NONE; from = q->queue[from].parent) {
        const struct queue_facts *f = queue_facts(s, from);
        int64_t ns = reclaim ? f->reclaim_min_runtime_ns : f->preempt_min_runtime_ns;
        if (ns >= 0)
            return ns;
    }
    return 0;
}

static bool is_protected(const struct quota_state *q, const struct sched *s, const struct search *x, job_id v)
{
    int64_t since = job_last_start_ns(s, v);
    return x->action != CONSOLIDATION && since != -1 &&
           sched_now(s) < since + min_runtime_ns(q, s, x, job_facts(s, v)->queue);
}

static uint32_t tasks_left(const struct sched *s, job_id j)
{
    return job_facts(s, j)->ask->tasks == SPLIT_ANY ? 1 : (uint32_t)job_placement(s, j)->n;
}

static bool may_be_victim(struct sched *s, const struct quota_state *q, const struct search *x, job_id v)
{
    const struct job_facts *f = job_facts(s, v), *mine = job_facts(s, x->job);
    const struct quota_job *own = job_own(s, v);
    if (v == x->job || own->pass == q->pass || !job_placement(s, v))
        return false;
    if (x->action == PREEMPT && f->priority >= mine->priority)
        return false;
    return tasks_left(s, v) > f->min_tasks || !is_protected(q, s, x, v);
}

/* Of this leaf something might be taken for good, not only moved. */
static bool may_be_taken_from(struct sched *s, struct quota_state *q, const struct search *x, queue_id leaf)
{
    static const struct quota_amount nothing;
    const struct job_facts *f = job_facts(s, x->job);
    struct quota_scenario scenario;
    quota_divide_now(s, q);
    quota_scenario_begin(&scenario, q->queue, q->loss, f->queue, &x->wanted.amount, !f->preemptible, q->params->saturation);
    bool may = quota_scenario_take(&scenario, leaf, &nothing);
    quota_scenario_end(&scenario);
    return may;
}

static bool is_victim_leaf(const struct sched *s, const struct search *x, queue_id leaf)
{
    queue_id mine = job_facts(s, x->job)->queue;
    return x->action == CONSOLIDATION || (x->action == RECLAIM) == (leaf != mine);
}

/* The next job of the leaf's line that may be one, from its end. */
static bool line_victim(struct sched *s, struct quota_state *q, struct search *x, queue_id leaf)
{
    if (x->leaf[leaf].done)
        return false;
    do {
        bool there = true;
        if (x->leaf[leaf].begun) {
            there = line_before(q->leaf[leaf].running, &x->leaf[leaf].at, &x->leaf[leaf].key);
        } else {
            const struct head *worst = leaf_worst(s, &q->leaf[leaf]);
            x->leaf[leaf].at = worst->job;
            x->leaf[leaf].key = worst->key;
            there = worst->job != ID_NONE;
        }
        x->leaf[leaf].begun = true;
        x->leaf[leaf].done = !there || (x->action == PREEMPT && -x->leaf[leaf].key.major >= job_facts(s, x->job)->priority);
    } while (!x->leaf[leaf].done && !may_be_victim(s, q, x, x->leaf[leaf].at));
    return !x->leaf[leaf].done;
}

/* Of the leaf: the best of who comes again; n_back: none that is worse than the next of the line. */
static size_t back_victim(const struct search *x, queue_id leaf)
{
    size_t best = x->n_back;
    for (size_t i = 0; i < x->n_back; i++) {
        const struct victim *v = &x->victim[x->back[i].victim];
        if (v->leaf != leaf)
            continue;
        job_id than = best < x->n_back ? x->victim[x->back[best].victim].job : x->leaf[leaf].at;
        bool first = best == x->n_back && x->leaf[leaf].done;
        if (first || key_before(best < x->n_back ? x->back[best].key : x->leaf[leaf].key, than, x->back[i].key, v->job))
            best = i;
    }
    return best;
}

/* The tasks of v that leave next: a surplus one, the last of its group, or all. */
static struct quota_amount unit_amount(struct sched *s, const struct unit *u)
{
    uint32_t *task = sched_scratch(s, u->n * sizeof *task);
    for (uint32_t i = 0; i < u->n; i++)
        task[i] = u->piece[i].task;
    return quota_of_tasks(s, u->job, task, u->n);
}

static uint32_t group_of(const struct request *ask, uint32_t task)
{
    return ask->tasks == SPLIT_ANY ? 0 : request_of_task(ask, task)->group;
}

/* The last task of the group that holds most of its minimum, if that is more than the minimum; -1: none. `gone`: the last so
 * many units have left already. */
static bool surplus_task(const struct sched *s, const struct piece *piece, uint32_t n, job_id j, uint32_t *at)
{
    const struct job_facts *f = job_facts(s, j);
    if (f->ask->tasks == SPLIT_ANY || n <= f->min_tasks)
        return false;
    if (!f->n_groups) {
        *at = n - 1;
        return true;
    }
    uint32_t best_held = 0, best_min = 1;
    bool found = false;
    for (uint32_t g = 0; g < f->n_groups; g++) {
        uint32_t held = 0, last = 0, min = f->group[g].min_tasks;
        for (uint32_t i = 0; i < n; i++)
            if (group_of(f->ask, piece[i].task) == g) {
                held++;
                last = i;
            }
        if (held > min && (!found || (uint64_t)held * best_min >= (uint64_t)best_held * min)) {
            found = true;
            best_held = held;
            best_min = min;
            *at = last;
        }
    }
    return found;
}

static void link_unit(struct sched *s, struct search *x, uint32_t u)
{
    for (uint32_t i = 0; i < x->unit[u].n; i++) {
        const struct piece *p = &x->unit[u].piece[i];
        struct on_node *n = &x->node[p->node];
        if (n->stamp != x->stamp)
            *n = (struct on_node){ x->stamp, ID_NONE, 0 };
        x->freed_milli += (int64_t)p->gpus * (p->milli < MILLI_ALL ? MILLI_ALL : p->milli);
        n->milli += (int64_t)p->gpus * (p->milli < MILLI_ALL ? MILLI_ALL : p->milli);
        if (n->first != ID_NONE && x->link[n->first].unit == u)
            continue;
        x->link = grown(s, x->link, &x->link_capacity, x->n_links, sizeof *x->link);
        x->link[x->n_links] = (struct on_node_link){ u, n->first };
        n->first = (uint32_t)x->n_links++;
    }
}

static bool is_recorded(const struct search *x, job_id j, uint32_t task)
{
    for (size_t i = 0; i < x->n_recorded; i++)
        for (uint32_t k = 0; x->recorded[i].job == j && k < x->recorded[i].n; k++)
            if (x->recorded[i].piece[k].task == task)
                return true;
    return false;
}

/* What v holds and is no victim yet. */
static uint32_t pieces_left(struct sched *s, const struct search *x, const struct victim *v, struct piece **to)
{
    const struct placement *has = job_placement(s, v->job);
    struct piece *piece = sched_scratch(s, has->n * sizeof *piece);
    uint32_t n = 0;
    for (size_t i = 0; i < has->n; i++) {
        bool out = is_recorded(x, v->job, has->piece[i].task);
        for (uint32_t u = v->first_unit; u != ID_NONE && !out; u = x->unit[u].next_of_job)
            for (uint32_t k = 0; k < x->unit[u].n && !out; k++)
                out = x->unit[u].piece[k].task == has->piece[i].task;
        if (!out)
            piece[n++] = has->piece[i];
    }
    *to = piece;
    return n;
}

/* Takes the next unit of v. false: it has none (all are recorded already, or its core is protected). */
static bool take_unit(struct sched *s, const struct quota_state *q, struct search *x, uint32_t which)
{
    struct piece *piece;
    struct victim *v = &x->victim[which];
    uint32_t n = pieces_left(s, x, v, &piece), at = 0;
    if (n == 0)
        return false;
    bool surplus = surplus_task(s, piece, n, v->job, &at);
    if (!surplus && is_protected(q, s, x, v->job))
        return false;
    struct unit u = { v->job, v->leaf, surplus ? 1 : n, v->first_unit, surplus ? &piece[at] : piece };
    x->unit = grown(s, x->unit, &x->unit_capacity, x->n_units, sizeof *x->unit);
    x->unit[x->n_units] = u;
    v->first_unit = (uint32_t)x->n_units++;
    link_unit(s, x, v->first_unit);
    if (surplus) {
        x->back = grown(s, x->back, &x->back_capacity, x->n_back, sizeof *x->back);
        x->back[x->n_back++] = (struct back){ which, quota_key(s, v->job, n - 1) };
    }
    return true;
}

/* Of j, what was needed for fewer tasks already. */
static struct quota_amount recorded_amount(struct sched *s, const struct search *x, job_id j)
{
    struct quota_amount sum = { { 0 } };
    for (size_t i = 0; i < x->n_recorded; i++)
        if (x->recorded[i].job == j) {
            struct quota_amount unit = unit_amount(s, &x->recorded[i]);
            sum = quota_sum(&sum, &unit);
        }
    return sum;
}

/* What the leaf would have lost with its next one. false: it has no more. */
static bool leaf_next(struct sched *s, const struct quota_state *q, struct search *x, queue_id leaf, struct quota_amount *sum)
{
    size_t again = back_victim(x, leaf);
    if (again == x->n_back && x->leaf[leaf].done)
        return false;
    job_id v = again < x->n_back ? x->victim[x->back[again].victim].job : x->leaf[leaf].at;
    const struct head *worst = leaf_worst(s, &q->leaf[leaf]);
    *sum = v == worst->job ? q->leaf[leaf].worst_amount : quota_of_placement(s, v, job_placement(s, v));
    *sum = quota_sum(sum, &x->leaf[leaf].popped);
    return true;
}

/* The next potential victim of all: one more unit. */
static bool next_victim(struct sched *s, struct quota_state *q, struct search *x, uint32_t *unit)
{
    double most = x->moves_only ? q->params->consolidation_victims : q->params->victims;
    for (queue_id leaf; (leaf = order_top(&q->victims)) != ID_NONE;) {
        size_t again = back_victim(x, leaf);
        uint32_t which;
        if (again < x->n_back) {
            which = x->back[again].victim;
            x->back[again] = x->back[--x->n_back];
        } else {
            if (most >= 0 && (double)x->n_victims > most)    /* the comparison of the original lets one more through */
                return false;
            which = (uint32_t)x->n_victims;
            x->victim = grown(s, x->victim, &x->victim_capacity, x->n_victims, sizeof *x->victim);
            x->victim[x->n_victims++] = (struct victim){ .job = x->leaf[leaf].at, .leaf = leaf, .first_unit = ID_NONE };
            line_victim(s, q, x, leaf);
        }
        bool taken = take_unit(s, q, x, which);
        struct quota_amount lost = taken ? unit_amount(s, &x->unit[x->n_units - 1]) : recorded_amount(s, x, x->victim[which].job);
        x->leaf[leaf].popped = quota_sum(&x->leaf[leaf].popped, &lost);
        struct quota_amount sum;
        bool more = leaf_next(s, q, x, leaf, &sum);
        order_next(&q->victims, leaf, more ? &sum : NULL);
        if (taken) {
            *unit = (uint32_t)x->n_units - 1;
            return true;
        }
    }
    return false;
}

/* In the end the rules decide whom it hits; but where nobody at all can be taken from, there is nothing to search. */
static bool anybody_gives(struct sched *s, struct quota_state *q, struct search *x)
{
    for (queue_id i = 0; i < q->n_queues; i++)
        if (line_length(q->leaf[i].running) > 0 && is_victim_leaf(s, x, i) && may_be_taken_from(s, q, x, i))
            return true;
    return false;
}

static void victims_begin(struct sched *s, struct quota_state *q, struct search *x)
{
    x->stamp++;
    x->n_units = x->n_victims = x->n_back = x->n_links = x->tried = 0;
    x->freed_milli = 0;
    order_begin(&q->victims);
    for (queue_id i = 0; i < q->n_queues; i++) {
        if (!is_victim_leaf(s, x, i) || line_length(q->leaf[i].running) == 0)
            continue;
        memset(&x->leaf[i], 0, sizeof x->leaf[i]);
        struct quota_amount sum;
        if (line_victim(s, q, x, i) && leaf_next(s, q, x, i, &sum))
            order_add(&q->victims, i, &sum);
    }
    order_make(&q->victims);
}

/* ---- A scenario: some leave, the job comes, and who of them finds a place again ---- */

static void choose(struct sched *s, struct search *x, const struct unit *u)
{
    x->chosen = grown(s, x->chosen, &x->chosen_capacity, x->n_chosen, sizeof *x->chosen);
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
static uint32_t first_evicted(struct sched *s, const struct search *x, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    return own->scenario == x->scenario ? own->evicted : ID_NONE;
}

static void note_evicted(struct sched *s, struct search *x, const struct unit *u, const struct piece *p)
{
    struct quota_job *own = job_own(s, u->job);
    uint32_t next = first_evicted(s, x, u->job);
    x->evicted = grown(s, x->evicted, &x->evicted_capacity, x->n_evicted, sizeof *x->evicted);
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

static struct evicted *evicted_task(struct sched *s, struct search *x, job_id j, uint32_t task)
{
    uint32_t i = first_evicted(s, x, j);
    while (i != ID_NONE && x->evicted[i].task != task)
        i = x->evicted[i].next_of_job;
    return i == ID_NONE ? NULL : &x->evicted[i];
}

static const struct placement *what_stays(struct sched *s, struct search *x, job_id j)
{
    const struct placement *has = job_placement(s, j);
    if (!has || first_evicted(s, x, j) == ID_NONE)
        return has;
    struct piece *piece = sched_scratch(s, has->n * sizeof *piece);
    uint32_t n = 0;
    for (size_t i = 0; i < has->n; i++)
        if (!evicted_task(s, x, j, has->piece[i].task))
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
        struct evicted *e = evicted_task(s, x, j, p->task);
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
        if (job_facts(s, x->evicted[i].job)->ask->tasks != SPLIT_ANY || first_evicted(s, x, x->evicted[i].job) != i)
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
    return key_before(y->key, y->job, x->key, x->job) - key_before(x->key, x->job, y->key, y->job);
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
        if (first_evicted(s, x, v) == i)
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
        order_next(&q->again, leaf, next < n && c[next].leaf == leaf ? &c[next].amount : NULL);
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
            const struct evicted *e = evicted_task(s, x, u->job, u->piece[k].task);
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

static void refresh_chosen(struct sched *s, struct quota_state *q, const struct search *x)
{
    for (size_t i = 0; i < x->n_chosen; i++)
        quota_refresh(s, q, x->chosen[i]->leaf);
    quota_refresh(s, q, job_facts(s, x->job)->queue);
}

enum outcome { NO_PLACE, NOT_VALID, SOLVED };

/* Tries it, and takes it back. */
static enum outcome try_scenario(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    sched_mark_t before = sched_mark(s);
    bool placed = evict_chosen(s, q, x) && place_again(s, q, x, tasks);
    whole_fates(s, x);
    sched_rollback(s, before);
    refresh_chosen(s, q, x);
    return !placed ? NO_PLACE : is_valid(s, q, x) ? SOLVED : NOT_VALID;
}

/* ---- Victim by victim, node by node ---- */

static bool node_could_do(struct sched *s, const struct search *x, node_id n)
{
    if (!x->run)
        return true;
    struct node_free f = view_node_for(sched_view(s, FREE_OR_RELEASING), x->run, n);
    int64_t shared = __builtin_popcountll(f.shared_mask), victims = x->node[n].stamp == x->stamp ? x->node[n].milli : 0;
    return (int64_t)f.whole * x->run->gpu_milli + shared * MILLI_ALL + victims >= x->task_milli;
}

/* Those of the potential victims leave whose jobs have a task there, and those that are needed anyway. */
static bool choose_from_node(struct sched *s, struct search *x, node_id n)
{
    bool could = false;
    x->n_chosen = 0;
    for (size_t i = 0; i < x->n_recorded; i++) {
        choose(s, x, &x->recorded[i]);
        could = could || node_could_do(s, x, x->recorded[i].piece[0].node);
    }
    if (x->node[n].stamp != x->stamp)
        return could;
    size_t recorded = x->n_chosen;
    for (uint32_t i = x->node[n].first; i != ID_NONE; i = x->link[i].next) {
        bool seen = false;
        for (size_t k = recorded; k < x->n_chosen && !seen; k++)
            seen = x->chosen[k]->job == x->unit[x->link[i].unit].job;
        if (seen)
            continue;
        uint32_t v = 0;
        while (x->victim[v].job != x->unit[x->link[i].unit].job)
            v++;
        for (uint32_t u = x->victim[v].first_unit; u != ID_NONE; u = x->unit[u].next_of_job) {
            choose(s, x, &x->unit[u]);
            for (uint32_t k = 0; k < x->unit[u].n && !could; k++)
                could = node_could_do(s, x, x->unit[u].piece[k].node);
        }
    }
    return could;
}

static int by_node(const void *a, const void *b)
{
    const node_id *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum outcome try_nodes(struct sched *s, struct quota_state *q, struct search *x, job_id victim, uint32_t tasks)
{
    const struct placement *has = job_placement(s, victim);
    node_id *node = sched_scratch(s, has->n * sizeof *node);
    for (size_t i = 0; i < has->n; i++)
        node[i] = has->piece[i].node;
    qsort(node, has->n, sizeof *node, by_node);
    for (size_t i = 0; i < has->n; i++) {
        if ((i > 0 && node[i] == node[i - 1]) || !choose_from_node(s, x, node[i]))
            continue;
        enum outcome o = try_scenario(s, q, x, tasks);
        if (o != NO_PLACE)
            return o;
    }
    return NO_PLACE;
}

/* A total that is split in any way needs room anywhere: all potential victims leave, as soon as that frees enough GPUs; when it
 * does not do, again when there are twice as many. */
static enum outcome try_total(struct sched *s, struct quota_state *q, struct search *x)
{
    const struct request *ask = job_facts(s, x->job)->ask;
    int64_t free_milli = (int64_t)domain_free_gpus(sched_view(s, FREE_OR_RELEASING), 0, ask) * ask->gpu_milli;
    if (free_milli + x->freed_milli < x->task_milli || x->n_units < 2 * x->tried)
        return NO_PLACE;
    x->tried = x->n_units;
    x->n_chosen = 0;
    for (size_t i = 0; i < x->n_units; i++)
        choose(s, x, &x->unit[i]);
    return try_scenario(s, q, x, 1);
}

/* Makes room for so many tasks. */
static bool solve(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    x->n_chosen = 0;
    for (size_t i = 0; i < x->n_recorded; i++)
        choose(s, x, &x->recorded[i]);
    victims_begin(s, q, x);
    if (try_scenario(s, q, x, tasks) == SOLVED)
        return true;
    bool total = job_facts(s, x->job)->ask->tasks == SPLIT_ANY;
    for (uint32_t u; next_victim(s, q, x, &u);)
        if ((total ? try_total(s, q, x) : try_nodes(s, q, x, x->unit[u].job, tasks)) == SOLVED)
            return true;
    return false;
}

/* The victims that are needed for this much: units of which not all came back to where it was. They stay whole: what is moved
 * for this much may be lost for more. */
static void record(struct sched *s, struct search *x)
{
    struct unit *kept = sched_scratch(s, x->n_chosen * sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        bool needed = false;
        for (uint32_t p = 0; p < u->n && !needed; p++)
            needed = evicted_task(s, x, u->job, u->piece[p].task)->fate != FATE_KEPT;
        if (needed)
            kept[n++] = (struct unit){ u->job, u->leaf, u->n, ID_NONE, u->piece };
    }
    x->recorded = kept;
    x->n_recorded = n;
}

/* ---- Doing it ---- */

/* false: it stays where it is. */
static bool stop_evicted(struct sched *s, struct quota_state *q, struct search *x, job_id v)
{
    const struct placement *has = job_placement(s, v);
    struct quota_job *own = job_own(s, v);
    uint32_t *task = sched_scratch(s, has->n * sizeof *task), n = 0;
    bool moves = true;                /* nothing of it is lost */
    for (uint32_t i = first_evicted(s, x, v); i != ID_NONE; i = x->evicted[i].next_of_job) {
        if (x->evicted[i].fate != FATE_KEPT)
            task[n++] = x->evicted[i].task;
        moves = moves && x->evicted[i].fate != FATE_LOST;
    }
    if (n == 0)
        return false;
    own->pass = q->pass;
    if (n == has->n && job_state(s, v) == JOB_RUNNING && sched_stop(s, v, STOP_SAVE) == SCHED_OK) {
        (moves ? sched_note_move : sched_note)(s, v, x->job);
    } else {
        for (uint32_t i = 0; i < n; i++)
            sched_stop_task(s, v, task[i], STOP_SAVE);
        (moves ? sched_note_move : sched_note)(s, v, x->job);
        quota_runs(s, q, v);
        if (job_placement(s, v))
            quota_waits(s, q, v);
    }
    return true;
}

static void carry_out(struct sched *s, struct quota_state *q, struct search *x)
{
    for (size_t i = 0; i < x->n_evicted; i++)
        if (first_evicted(s, x, x->evicted[i].job) == i && stop_evicted(s, q, x, x->evicted[i].job))
            sched_wake_at(s, sched_now(s) + 1);    /* who leaves in no time is no event: the next pass would not come */
    q->version++;
    bool whole = job_facts(s, x->job)->ask->tasks == SPLIT_ANY;
    for (uint32_t i = 0; i < x->wanted.n; i++) {
        node_id to = whole ? ID_NONE : x->placed[i].node;
        const struct placement *where = quota_place(s, FREE_OR_RELEASING, x->job, &x->wanted.task[i], 1, to);
        if (where)
            sched_pencil(s, x->job, where);
    }
    for (size_t i = 0; i < x->n_evicted; i++) {
        const struct evicted *e = &x->evicted[i];
        if (e->fate != FATE_MOVED || job_facts(s, e->job)->ask->tasks == SPLIT_ANY)
            continue;
        const struct placement *where = quota_place(s, FREE_OR_RELEASING, e->job, &e->task, 1, e->to);
        if (where)
            sched_pencil(s, e->job, where);
    }
    struct quota_job *own = job_own(s, x->job);
    own->pass = q->pass;
    if (x->action == CONSOLIDATION)
        own->consolidated = q->ends;
    line_push(q->awaited, x->job, (struct line_key){ .time_ns = q->n_awaited++ });
    for (size_t i = 0; i < x->n_evicted; i++)
        if (x->evicted[i].fate == FATE_MOVED)
            line_push(q->awaited, x->evicted[i].job, (struct line_key){ .time_ns = q->n_awaited++ });
    q->pencilled = true;
    sched_blocked(s, x->job, WAIT_RELEASING);
    refresh_chosen(s, q, x);
}

static struct search *search_of(struct sched *s, struct quota_state *q)
{
    if (q->search)
        return q->search;
    struct search *x = q->search = sched_alloc(s, sizeof *x);
    node_id first, end;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    x->node = sched_alloc(s, end * sizeof *x->node);
    x->leaf = sched_alloc(s, q->n_queues * sizeof *x->leaf);
    return x;
}

bool quota_search(struct sched *s, struct quota_state *q, job_id j, enum quota_action action)
{
    struct search *x = search_of(s, q);
    x->action = action;
    x->job = j;
    x->wanted = quota_wanted(s, j, job_placement(s, j));
    x->n_recorded = 0;
    x->moves_only = action == CONSOLIDATION || (action == RECLAIM && !anybody_gives(s, q, x));
    if (action == RECLAIM && x->moves_only && (q->params->moves <= 0 || (q->params->consolidation > 0 && job_facts(s, j)->preemptible)))
        return false;              /* nobody gives anything, and consolidation has tried already */
    quota_divide_now(s, q);
    x->placed = sched_scratch(s, (x->wanted.n + 1) * sizeof *x->placed);
    const struct request *ask = job_facts(s, j)->ask;
    for (uint32_t k = 1; k <= x->wanted.n; k++) {
        const struct request *run = ask->tasks == SPLIT_ANY ? ask : request_of_task(ask, x->wanted.task[k - 1]);
        x->run = ask->tasks != SPLIT_ANY && run->gpus > 0 && run->gpu_milli >= MILLI_ALL ? run : NULL;
        x->task_milli = (int64_t)run->gpus * run->gpu_milli;
        if (!solve(s, q, x, k))
            return false;
        if (k < x->wanted.n)
            record(s, x);
    }
    carry_out(s, q, x);
    return true;
}
