/* nodes.c - the nodes of a job of policy `slurm`, as select/cons_tres chooses them.
 *
 * Usable nodes (up, allowed, room for a task) in the order of their numbers are cut into stretches of
 * neighbours of one weight. Until the job is satisfied: the best stretch not yet used is that of the
 * lowest weight; among those the first that alone suffices and has the fewest CPUs, or else that
 * with the most. From it, if at most one more node is needed, the node with the fewest CPUs that
 * has enough; otherwise nodes in ascending order (SchedMD/slurm:src/plugins/select/cons_common/
 * job_test.c, _eval_nodes). CPUs of a node are those that the tasks of this job could use there. No
 * more nodes are taken than the partition allows; if these do not suffice, the choice is made anew
 * without the nodes that could take the fewest tasks, then without the next (_choose_nodes).
 *
 * Nodes are looked at 64 at a time (room.c), one by one only those that are taken, and where CPUs or memory count. */
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

/* ---- Sets of nodes ---- */

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

/* Neighbours [first .. end), all usable, of one weight. */
struct stretch { node_id first, end; uint32_t weight; bool used; uint64_t tasks; };
struct selection {
    const struct need *need;
    const struct room *room;
    uint64_t *usable;             /* set: nodes that could take a task */
    uint32_t n_usable, most;      /* most: tasks of a node */
    bool by_gpus;                 /* tasks of a node follow from its free GPUs, and `room` has sets for these */
    struct stretch *stretch;
    uint32_t n_stretches;
    struct seats *to;
    uint64_t tasks_left;
    uint32_t nodes_left;
};

/* Of `among`, without those that cannot take a task. */
static struct selection usable_of(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among,
                                  const struct room *room, bool down_too)
{
    const uint64_t *suits = slurm_suits(s, m, need->ask);
    struct selection x = { .need = need, .room = room, .usable = slurm_set(s, m, among),
                           .most = min_u32(need->tasks, need->per_node),
                           .by_gpus = need->gpus && !room->n_beyond && !(need->cpu_milli && room->counts_cpus) &&
                                      !(need->mem_mib && room->counts_memory) };
    for (uint32_t w = 0; w < m->words; w++) {
        uint64_t *word = &x.usable[w];
        *word &= x.most ? suits[w] & (down_too ? UINT64_MAX : m->up[w]) : 0;
        if (*word && need->gpus)
            *word &= room_at_least(room, w, x.by_gpus ? need->gpus : min_u32(need->gpus, room->levels));
        for (uint64_t rest = x.by_gpus ? 0 : *word; rest; rest &= rest - 1)
            if (!tasks_there(need, room, w * 64 + (uint32_t)__builtin_ctzll(rest)))
                *word &= ~(rest & -rest);
        x.n_usable += (uint32_t)__builtin_popcountll(*word);
    }
    return x;
}

/* Tasks that these nodes of a word could take. */
static uint64_t tasks_in(const struct selection *x, uint32_t w, uint64_t nodes)
{
    uint64_t tasks = 0;
    for (uint64_t k = 1; x->by_gpus && nodes && k <= x->most; k++) {
        nodes &= room_at_least(x->room, w, k * x->need->gpus);
        tasks += (uint64_t)__builtin_popcountll(nodes);
    }
    for (; !x->by_gpus && nodes; nodes &= nodes - 1)
        tasks += tasks_there(x->need, x->room, w * 64 + (uint32_t)__builtin_ctzll(nodes));
    return tasks;
}

/* Bits [from .. to) of a word. */
static uint64_t bits(uint32_t from, uint32_t to)
{
    return to > from ? UINT64_MAX >> (64 - (to - from)) << from : 0;
}

/* The end of the stretch that begins with bit `first` of these nodes, as far as it lies in the word. */
static uint32_t stretch_end(uint64_t nodes, uint64_t breaks, uint32_t first)
{
    uint64_t ends = (~nodes | breaks) & ~bits(0, first) & ~(UINT64_C(1) << first);
    return ends ? (uint32_t)__builtin_ctzll(ends) : 64;
}

static void cut_into_stretches(struct sched *s, const struct slurm *m, struct selection *x)
{
    size_t most = 1;
    uint64_t before = 0;          /* the last node of the word before, as bit 0 */
    for (uint32_t w = 0; w < m->words; w++) {
        uint64_t begins = x->usable[w] & (~(x->usable[w] << 1 | before) | (m->breaks ? m->breaks[w] : 0));
        most += (size_t)__builtin_popcountll(begins);
        before = x->usable[w] >> 63;
    }
    x->stretch = sched_scratch(s, most * sizeof *x->stretch);
    x->n_stretches = 0;
    for (uint32_t w = 0; w < m->words; w++)
        for (uint64_t rest = x->usable[w]; rest;) {
            uint64_t breaks = m->breaks ? m->breaks[w] : 0;
            uint32_t first = (uint32_t)__builtin_ctzll(rest), end = stretch_end(rest, breaks, first);
            struct stretch *last = x->n_stretches ? &x->stretch[x->n_stretches - 1] : NULL;
            if (!last || last->end != w * 64 + first || breaks >> first & 1) {
                last = &x->stretch[x->n_stretches++];
                *last = (struct stretch){ .first = w * 64 + first, .weight = m->site ? m->site->weight[w * 64 + first] : 1 };
            }
            last->end = w * 64 + end;
            last->tasks += tasks_in(x, w, bits(first, end));
            rest &= ~bits(first, end);
        }
}

static bool suffices(const struct selection *x, const struct stretch *of)
{
    return of->tasks >= x->tasks_left && of->end - of->first >= x->nodes_left;
}

static bool is_better(const struct selection *x, const struct stretch *a, const struct stretch *b)
{
    if (a->weight != b->weight)
        return a->weight < b->weight;
    if (suffices(x, a) != suffices(x, b))
        return suffices(x, a);
    return suffices(x, a) ? a->tasks < b->tasks : a->tasks > b->tasks;
}

static void take_node(struct selection *x, node_id n)
{
    uint32_t tasks = tasks_there(x->need, x->room, n);
    /* the nodes after it have a task each, too */
    uint64_t spare = x->tasks_left - (x->nodes_left > 1 ? x->nodes_left - 1 : 0);
    if (tasks > spare)
        tasks = (uint32_t)spare;
    x->to->at[x->to->n++] = (struct seat){ n, tasks, x->need };
    x->tasks_left -= tasks;
    x->nodes_left -= x->nodes_left > 0;
}

static bool may_take(const struct selection *x)
{
    return x->tasks_left && x->to->n < x->need->most_nodes;
}

/* Among these nodes of a word that with the fewest tasks that are enough, if they are fewer than *tasks. */
static void fewest_enough(const struct selection *x, uint32_t w, uint64_t nodes, uint64_t *tasks, node_id *best)
{
    nodes &= room_at_least(x->room, w, x->tasks_left * x->need->gpus);
    for (uint64_t k = x->tasks_left; nodes && k < *tasks; k++) {
        uint64_t more = k < x->most ? nodes & room_at_least(x->room, w, (k + 1) * x->need->gpus) : 0;
        if (nodes != more) {
            *tasks = k;
            *best = w * 64 + (uint32_t)__builtin_ctzll(nodes & ~more);
        }
    }
}

/* The first node with the fewest tasks that are enough. ID_NONE: none has. */
static node_id one_node(const struct selection *x, const struct stretch *of)
{
    uint64_t tasks = UINT64_MAX;
    node_id best = ID_NONE;
    if (x->nodes_left > 1 || x->tasks_left > x->most)
        return ID_NONE;
    for (uint32_t w = of->first / 64; x->by_gpus && w <= (of->end - 1) / 64 && tasks > x->tasks_left; w++)
        fewest_enough(x, w, bits(w == of->first / 64 ? of->first % 64 : 0, min_u32(of->end - w * 64, 64)), &tasks, &best);
    for (node_id n = of->first; !x->by_gpus && n < of->end && tasks > x->tasks_left; n++) {
        uint32_t there = tasks_there(x->need, x->room, n);
        if (there < x->tasks_left || there >= tasks)
            continue;
        tasks = there;
        best = n;
    }
    return best;
}

static void take_of(struct selection *x, const struct stretch *of)
{
    node_id best = one_node(x, of);
    if (best != ID_NONE) {
        take_node(x, best);
        return;
    }
    for (node_id n = of->first; may_take(x) && n < of->end; n++)
        take_node(x, n);
}

/* Of the usable nodes. false: they do not suffice. */
static bool choose(struct sched *s, const struct slurm *m, struct selection *x)
{
    x->to->n = 0;
    x->tasks_left = x->need->tasks;
    x->nodes_left = x->need->nodes;
    cut_into_stretches(s, m, x);
    while (may_take(x)) {
        struct stretch *best = NULL;
        for (uint32_t i = 0; i < x->n_stretches; i++)
            if (!x->stretch[i].used && (!best || is_better(x, &x->stretch[i], best)))
                best = &x->stretch[i];
        if (!best)
            return false;
        best->used = true;
        take_of(x, best);
    }
    return !x->tasks_left;
}

static void drop_smallest(const struct slurm *m, struct selection *x)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t w = 0; w < m->words; w++)
        for (uint64_t rest = x->usable[w]; rest; rest &= rest - 1)
            least = min_u32(least, tasks_there(x->need, x->room, w * 64 + (uint32_t)__builtin_ctzll(rest)));
    for (uint32_t w = 0; w < m->words; w++)
        for (uint64_t rest = x->usable[w]; rest; rest &= rest - 1)
            if (tasks_there(x->need, x->room, w * 64 + (uint32_t)__builtin_ctzll(rest)) == least) {
                x->usable[w] &= ~(rest & -rest);
                x->n_usable--;
            }
}

static bool too_few_gpus(const struct need *need, const struct room *room)
{
    return need->gpus && (int64_t)need->tasks * need->gpus > room->all_gpus;
}

bool slurm_too_few_gpus(const struct slurm *m, const struct need *need, const uint64_t *among, const struct room *room)
{
    return too_few_gpus(need, room) || slurm_room_gpus(m, room, among) < (int64_t)need->tasks * need->gpus;
}

/* Among nodes that suit the job and, unless `down_too`, are up. */
static bool selected(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among,
                     const struct room *room, bool down_too, struct seats *to)
{
    *to = (struct seats){ NULL, 0 };
    if (too_few_gpus(need, room))
        return false;
    struct selection x = usable_of(s, m, need, among, room, down_too);
    x.to = to;
    to->at = sched_scratch(s, ((size_t)min_u32(x.n_usable, need->tasks) + 1) * sizeof *to->at);
    bool chosen = choose(s, m, &x);
    while (!chosen && x.n_usable && need->most_nodes < UINT32_MAX) {
        drop_smallest(m, &x);
        chosen = choose(s, m, &x);
    }
    return chosen;
}

bool slurm_might_select(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among,
                        const struct room *room)
{
    uint64_t tasks = 0;
    if (too_few_gpus(need, room))
        return false;
    struct selection x = usable_of(s, m, need, among, room, false);
    for (uint32_t w = 0; x.n_usable && x.n_usable >= need->nodes && tasks < need->tasks && w < m->words; w++)
        tasks += tasks_in(&x, w, x.usable[w]);
    return x.n_usable && x.n_usable >= need->nodes && tasks >= need->tasks;
}

/* Each component on nodes of its own (backfill.c, _foreach_het_job_start_now). */
static bool all_selected(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among,
                         struct room *room, bool down_too, struct seats *to)
{
    bool found = true;
    if (!need->next)
        return selected(s, m, need, among, room, down_too, to);
    size_t most = 1;
    for (const struct need *n = need; n; n = n->next)
        most += min_u32(n->tasks, m->n_nodes);
    *to = (struct seats){ sched_scratch(s, most * sizeof *to->at), 0 };
    uint64_t *nodes = slurm_set(s, m, among);
    for (; need && found; need = need->next) {
        struct seats own;
        found = selected(s, m, need, nodes, room, down_too, &own);
        for (uint32_t i = 0; found && i < own.n; i++) {
            slurm_seat(room, &own.at[i], 1);
            set_remove(nodes, own.at[i].node);
            to->at[to->n++] = own.at[i];
        }
    }
    for (uint32_t i = 0; i < to->n; i++)
        slurm_seat(room, &to->at[i], -1);
    return found;
}

bool slurm_select(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among, struct room *room,
                  struct seats *to)
{
    return all_selected(s, m, need, among, room, false, to);
}

bool slurm_could_hold(struct sched *s, struct slurm *m, job_id j, uint32_t partition)
{
    struct need need = slurm_need_in(s, m, j, partition);
    struct seats where;
    return all_selected(s, m, &need, m->partition[partition].nodes, slurm_empty_room(s, m), true, &where);
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
    slurm_room_started(m, on);
    m->started = array_grown(sched_alloc, s, m->started, &m->started_capacity, m->n_started, sizeof *m->started);
    m->started[m->n_started++] = e->job;
    m->backfill_due = true;
    return true;
}

bool slurm_start(struct sched *s, struct slurm *m, const struct entry *e, const uint64_t *among, const struct seats *found)
{
    struct need need;
    struct seats where = *found;
    uint64_t *set = NULL;
    node_id not;
    do {
        if (start_on(s, m, e, &where, &not))
            return true;
        if (!set) {
            need = slurm_need_in(s, m, e->job, e->partition);
            set = slurm_set(s, m, among);
        }
        set_remove(set, not);
    } while (slurm_select(s, m, &need, set, &m->room, &where));
    return false;
}
