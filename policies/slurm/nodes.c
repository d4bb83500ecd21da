/* nodes.c - the nodes of a job of policy `slurm`, as select/cons_tres chooses them.
 *
 * Usable nodes (up, allowed, room for a task) in the order of their numbers are cut into sets of
 * neighbours of one weight. Until the job is satisfied: the best set not yet used is that of the
 * lowest weight; among those the first that alone suffices and has the fewest CPUs, or else that
 * with the most. From it, if at most one more node is needed, the node with the fewest CPUs that
 * has enough; otherwise nodes in ascending order (SchedMD/slurm:src/plugins/select/cons_common/
 * job_test.c, _eval_nodes). CPUs of a node are those that the tasks of this job could use there. No
 * more nodes are taken than the partition allows; if these do not suffice, the choice is made anew
 * without the nodes that could take the fewest tasks, then without the next (_choose_nodes). */
#include "policies/slurm/slurm.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

#define CPU     1000              /* milli */
#define NS_IN_S INT64_C(1000000000)

bool slurm_can_plan(const struct slurm *m, const struct job_facts *f)
{
    const struct request *ask = f->ask;
    if (ask->next && (int)m->params->scheduler != SCHEDULER_BACKFILL)
        return false;
    for (uint32_t g = 0; g < f->n_groups; g++)
        if (f->group[g].required_level < LEVEL_CLUSTER)
            return false;
    while (ask && !ask->mig && ask->required_level == LEVEL_ANY &&
           (!ask->gpus || ask->gpu_milli == MILLI_ALL))
        ask = ask->next;
    return !ask;
}

static struct need need_of(const struct request *ask)
{
    bool split = ask->tasks == SPLIT_ANY;
    struct need n = {
        .ask = ask,
        .tasks = split ? ask->gpus : ask->tasks,
        .gpus = split ? 1 : ask->gpus,
        .per_node = ask->max_per_node ? ask->max_per_node : UINT32_MAX,
        .cpu_milli = ask->cpu_milli,
        .mem_mib = ask->mem_mib,
    };
    n.cpus = n.cpu_milli > CPU ? (n.cpu_milli + CPU - 1) / CPU : 1;
    n.nodes = n.per_node == UINT32_MAX ? 1 : (n.tasks + n.per_node - 1) / n.per_node;
    return n;
}

static struct need need_within(struct sched *s, const struct request *ask, uint32_t most_nodes)
{
    if (!ask->next) {
        struct need alone = need_of(ask);
        alone.most_nodes = most_nodes;
        return alone;
    }
    struct request *one = sched_scratch(s, sizeof *one);
    struct need *next = sched_scratch(s, sizeof *next);
    *one = *ask;
    one->next = NULL;
    *next = need_within(s, ask->next, most_nodes);
    struct need n = need_of(one);
    n.most_nodes = most_nodes;
    n.next = next;
    return n;
}

struct need slurm_need(struct sched *s, job_id j)
{
    return need_within(s, job_facts(s, j)->ask, UINT32_MAX);
}

struct need slurm_need_in(struct sched *s, const struct slurm *m, job_id j, uint32_t partition)
{
    int64_t most = m->partition[partition].max_nodes;
    return need_within(s, job_facts(s, j)->ask, most < UINT32_MAX ? (uint32_t)most : UINT32_MAX);
}

/* ---- Sets of nodes, and what is free ---- */

uint64_t *slurm_set(struct sched *s, const struct slurm *m, const uint64_t *copy_of)
{
    uint64_t *set = sched_scratch(s, m->words * sizeof *set);
    if (copy_of)
        memcpy(set, copy_of, m->words * sizeof *set);
    return set;
}

uint64_t *slurm_set_of(struct sched *s, const struct slurm *m, const struct seats *on)
{
    uint64_t *set = slurm_set(s, m, NULL);
    for (uint32_t i = 0; i < on->n; i++)
        set_add(set, on->at[i].node);
    return set;
}

int64_t slurm_outages(struct sched *s, job_id j, int64_t start, int64_t length, uint64_t *set)
{
    int64_t end_ns = sched_take_outages(s, j, start * NS_IN_S, (start + length) * NS_IN_S, set);
    if (end_ns == TIME_NEVER)
        return 0;
    if (end_ns > sched_now(s))
        sched_wake_at(s, end_ns);
    return (end_ns - 1) / NS_IN_S + 1;
}

uint32_t slurm_set_count(const struct slurm *m, const uint64_t *set)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < m->words; w++)
        n += (uint32_t)__builtin_popcountll(set[w]);
    return n;
}

static struct room room_new(struct sched *s, uint32_t n)
{
    int64_t *all = sched_scratch(s, (size_t)n * 3 * sizeof *all);
    return (struct room){ all, all + n, all + 2 * (size_t)n, 0 };
}

void slurm_room(struct sched *s, struct slurm *m)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    m->room = room_new(s, m->n_nodes);
    m->room_grew = ++m->room_version;
    memset(m->up, 0, m->words * sizeof *m->up);
    for (node_id n = 0; n < m->n_nodes; n++) {
        struct node_free free = view_node(v, n);
        m->room.gpus[n] = free.whole;
        m->room.all_gpus += free.whole;
        m->room.cpu_milli[n] = free.cpu_milli;
        m->room.mem_mib[n] = free.mem_mib;
        if (sched_node_up(s, n))
            set_add(m->up, n);
    }
}

struct room slurm_room_copy(struct sched *s, const struct slurm *m, const struct room *from)
{
    struct room to = room_new(s, m->n_nodes);
    memcpy(to.gpus, from->gpus, (size_t)m->n_nodes * 3 * sizeof *to.gpus);
    to.all_gpus = from->all_gpus;
    return to;
}

static void room_add(struct room *room, node_id n, int64_t gpus, int64_t cpu_milli, int64_t mem_mib)
{
    room->gpus[n] += gpus;
    room->all_gpus += gpus;
    if (room->cpu_milli[n] != INT64_MAX)
        room->cpu_milli[n] += cpu_milli;
    if (room->mem_mib[n] != INT64_MAX)
        room->mem_mib[n] += mem_mib;
}

void slurm_room_give(struct sched *s, struct room *room, job_id j)
{
    const struct placement *p = job_placement(s, j);
    const struct request *all = job_facts(s, j)->ask;
    for (size_t i = 0; p && i < p->n; i++) {
        const struct piece *x = &p->piece[i];
        const struct request *ask = all->next ? request_of_task(all, x->task) : all;
        int64_t times = ask->tasks == SPLIT_ANY ? x->gpus : 1;
        room_add(room, x->node, x->gpus, times * ask->cpu_milli, times * ask->mem_mib);
    }
}

bool slurm_on(struct sched *s, job_id j, const uint64_t *set)
{
    const struct placement *p = job_placement(s, j);
    for (size_t i = 0; p && i < p->n; i++)
        if (set_has(set, p->piece[i].node))
            return true;
    return false;
}

/* ---- Selection ---- */

static uint32_t tasks_there(const struct need *need, const struct room *room, node_id n)
{
    int64_t tasks = min_i64(need->tasks, need->per_node);
    if (need->gpus)
        tasks = min_i64(tasks, room->gpus[n] / need->gpus);
    if (need->cpu_milli && room->cpu_milli[n] != INT64_MAX)
        tasks = min_i64(tasks, room->cpu_milli[n] / need->cpu_milli);
    if (need->mem_mib && room->mem_mib[n] != INT64_MAX)
        tasks = min_i64(tasks, room->mem_mib[n] / need->mem_mib);
    return tasks > 0 ? (uint32_t)tasks : 0;
}

/* usable[first .. end) */
struct set { uint32_t first, end, weight; uint64_t tasks; bool used; };
struct selection {
    const struct need *need;
    struct seat *usable;          /* nodes with the tasks that they could take */
    struct set *set;
    uint32_t n_usable, n_sets;
    struct seats *to;
    uint64_t tasks_left;
    uint32_t nodes_left;
};

static void cut_into_sets(const struct slurm *m, struct selection *x)
{
    for (uint32_t i = 0; i < x->n_usable; i++) {
        uint32_t weight = m->site ? m->site->weight[x->usable[i].node] : 1;
        struct set *last = x->n_sets ? &x->set[x->n_sets - 1] : NULL;
        if (!last || last->weight != weight || x->usable[i - 1].node + 1 != x->usable[i].node) {
            last = &x->set[x->n_sets++];
            *last = (struct set){ .first = i, .weight = weight };
        }
        last->end = i + 1;
        last->tasks += x->usable[i].tasks;
    }
}

static bool suffices(const struct selection *x, const struct set *set)
{
    return set->tasks >= x->tasks_left && set->end - set->first >= x->nodes_left;
}

static bool is_better(const struct selection *x, const struct set *a, const struct set *b)
{
    if (a->weight != b->weight)
        return a->weight < b->weight;
    if (suffices(x, a) != suffices(x, b))
        return suffices(x, a);
    return suffices(x, a) ? a->tasks < b->tasks : a->tasks > b->tasks;
}

static void take_node(struct selection *x, uint32_t i)
{
    uint32_t tasks = x->usable[i].tasks;
    /* the nodes after it have a task each, too */
    uint64_t spare = x->tasks_left - (x->nodes_left > 1 ? x->nodes_left - 1 : 0);
    if (tasks > spare)
        tasks = (uint32_t)spare;
    x->to->at[x->to->n++] = (struct seat){ x->usable[i].node, tasks, x->need };
    x->tasks_left -= tasks;
    x->nodes_left -= x->nodes_left > 0;
}

static bool may_take(const struct selection *x)
{
    return x->tasks_left && x->to->n < x->need->most_nodes;
}

static void take_of(struct selection *x, const struct set *set)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = set->first; x->nodes_left <= 1 && i < set->end; i++)
        if (x->usable[i].tasks >= x->tasks_left &&
            (best == UINT32_MAX || x->usable[i].tasks < x->usable[best].tasks))
            best = i;
    if (best != UINT32_MAX) {
        take_node(x, best);
        return;
    }
    for (uint32_t i = set->first; may_take(x) && i < set->end; i++)
        take_node(x, i);
}

/* Of the usable nodes. false: they do not suffice. */
static bool choose(const struct slurm *m, struct selection *x)
{
    x->n_sets = 0;
    x->to->n = 0;
    x->tasks_left = x->need->tasks;
    x->nodes_left = x->need->nodes;
    cut_into_sets(m, x);
    while (may_take(x)) {
        struct set *best = NULL;
        for (uint32_t i = 0; i < x->n_sets; i++)
            if (!x->set[i].used && (!best || is_better(x, &x->set[i], best)))
                best = &x->set[i];
        if (!best)
            return false;
        best->used = true;
        take_of(x, best);
    }
    return !x->tasks_left;
}

static void drop_smallest(struct selection *x)
{
    uint32_t least = UINT32_MAX, n = 0;
    for (uint32_t i = 0; i < x->n_usable; i++)
        least = x->usable[i].tasks < least ? x->usable[i].tasks : least;
    for (uint32_t i = 0; i < x->n_usable; i++)
        if (x->usable[i].tasks > least)
            x->usable[n++] = x->usable[i];
    x->n_usable = n;
}

/* Among nodes that suit the job and, unless `down_too`, are up. */
static bool selected(struct sched *s, const struct slurm *m, const struct need *need,
                     const uint64_t *among, const struct room *room, bool down_too,
                     struct seats *to)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    uint32_t n = slurm_set_count(m, among);
    *to = (struct seats){ NULL, 0 };
    if (need->gpus && (int64_t)need->tasks * need->gpus > room->all_gpus)
        return false;
    struct selection x = {
        .need = need, .to = to,
        .usable = sched_scratch(s, (n + (size_t)1) * sizeof *x.usable),
        .set = sched_scratch(s, (n + (size_t)1) * sizeof *x.set),
    };
    *to = (struct seats){ sched_scratch(s, (n + (size_t)1) * sizeof *to->at), 0 };
    for (node_id i = 0; i < m->n_nodes; i++) {
        uint32_t tasks = set_has(among, i) ? tasks_there(need, room, i) : 0;
        if (tasks && (down_too ? view_suits(v, need->ask, i) : view_allows(v, need->ask, i)))
            x.usable[x.n_usable++] = (struct seat){ i, tasks, need };
    }
    bool chosen = choose(m, &x);
    while (!chosen && x.n_usable && need->most_nodes < UINT32_MAX) {
        drop_smallest(&x);
        chosen = choose(m, &x);
    }
    return chosen;
}

bool slurm_might_select(struct sched *s, const struct slurm *m, const struct need *need,
                        const uint64_t *among, const struct room *room)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    uint64_t tasks = 0;
    uint32_t nodes = 0;
    if (need->gpus && (int64_t)need->tasks * need->gpus > room->all_gpus)
        return false;
    for (uint32_t w = 0; w < m->words; w++)
        for (uint64_t rest = among[w]; rest; rest &= rest - 1) {
            node_id n = w * 64 + (uint32_t)__builtin_ctzll(rest);
            uint32_t there = tasks_there(need, room, n);
            if (!there || !view_allows(v, need->ask, n))
                continue;
            tasks += there;
            if (++nodes >= need->nodes && tasks >= need->tasks)
                return true;
        }
    return false;
}

static void seat_takes(struct room *room, const struct seat *at)
{
    int64_t tasks = at->tasks;
    room_add(room, at->node, -tasks * at->of->gpus, -tasks * at->of->cpu_milli, -tasks * at->of->mem_mib);
}

/* Each component on nodes of its own (backfill.c, _foreach_het_job_start_now). */
static bool all_selected(struct sched *s, const struct slurm *m, const struct need *need,
                         const uint64_t *among, const struct room *room, bool down_too,
                         struct seats *to)
{
    if (!need->next)
        return selected(s, m, need, among, room, down_too, to);
    struct room left = slurm_room_copy(s, m, room);
    size_t most = 1;
    for (const struct need *n = need; n; n = n->next)
        most += slurm_set_count(m, among);
    *to = (struct seats){ sched_scratch(s, most * sizeof *to->at), 0 };
    uint64_t *nodes = slurm_set(s, m, among);
    for (; need; need = need->next) {
        struct seats own;
        if (!selected(s, m, need, nodes, &left, down_too, &own))
            return false;
        for (uint32_t i = 0; i < own.n; i++) {
            seat_takes(&left, &own.at[i]);
            set_remove(nodes, own.at[i].node);
            to->at[to->n++] = own.at[i];
        }
    }
    return true;
}

bool slurm_select(struct sched *s, const struct slurm *m, const struct need *need,
                  const uint64_t *among, const struct room *room, struct seats *to)
{
    return all_selected(s, m, need, among, room, false, to);
}

bool slurm_could_hold(struct sched *s, const struct slurm *m, job_id j, uint32_t partition)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    struct need need = slurm_need_in(s, m, j, partition);
    struct room room = room_new(s, m->n_nodes);
    struct seats where;
    for (node_id n = 0; n < m->n_nodes; n++) {
        struct amount size = view_node_size(v, n);
        room.gpus[n] = size.gpu_milli / MILLI_ALL;
        room.all_gpus += room.gpus[n];
        room.cpu_milli[n] = size.cpu_milli;
        room.mem_mib[n] = size.mem_mib;
    }
    return all_selected(s, m, &need, m->partition[partition].nodes, &room, true, &where);
}

/* ---- Starting ---- */

/* *not: the node that refused it, as for want of power; ID_NONE: none did. */
static bool start_on(struct sched *s, struct slurm *m, const struct entry *e, const struct seats *on,
                     node_id *not)
{
    struct request r = job_request(s, e->job);
    struct builder *b = sched_builder(s, sched_view(s, FREE_IDLE), &r);
    struct slurm_job *own = job_own(s, e->job);
    uint32_t task = 0;
    bool fits = true;
    *not = ID_NONE;
    for (uint32_t i = 0; fits && i < on->n; i++) {
        *not = on->at[i].node;
        if (r.tasks == SPLIT_ANY)
            fits = builder_add_some(b, &r, task++, on->at[i].node, on->at[i].tasks);
        for (uint32_t k = 0; fits && r.tasks != SPLIT_ANY && k < on->at[i].tasks; k++)
            fits = builder_add_some(b, r.next ? request_of_task(&r, task + k) : &r, task + k, on->at[i].node,
                                    on->at[i].of->gpus);
        task += r.tasks != SPLIT_ANY ? on->at[i].tasks : 0;
    }
    const struct placement *p = builder_take(b);
    own->limit_s = slurm_limit_s(s, m, e->job, e->partition);
    if (!fits || sched_start(s, e->job, p) != SCHED_OK)
        return false;
    own->start_ns = sched_now(s);
    own->partition = e->partition;
    own->planned = false;
    for (uint32_t i = 0; i < on->n; i++)
        seat_takes(&m->room, &on->at[i]);
    m->room_version++;
    m->running = array_grown(sched_scratch, s, m->running, &m->running_capacity, m->n_running, sizeof *m->running);
    m->running[m->n_running++] = e->job;
    m->backfill_due = true;
    return true;
}

bool slurm_start(struct sched *s, struct slurm *m, const struct entry *e, const uint64_t *among)
{
    struct need need = slurm_need_in(s, m, e->job, e->partition);
    uint64_t *set = slurm_set(s, m, among);
    struct seats where;
    node_id not;
    while (slurm_select(s, m, &need, set, &m->room, &where)) {
        if (start_on(s, m, e, &where, &not))
            return true;
        set_remove(set, not);
    }
    return false;
}
