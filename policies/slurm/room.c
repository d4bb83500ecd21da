/* room.c - what is free on each node, as policy `slurm` counts it: whole GPUs, CPUs, memory.
 *
 * It stays from pass to pass: looked at again are the nodes that the simulator says have changed, and those that the
 * policy itself has changed here. Tries of what would be free (jobs that end, components that are seated) change it and
 * take that back, so nothing is copied.
 *
 * Sets of the nodes with at least 1, 2, ... free GPUs let a selection count the tasks of 64 nodes at a time: a node has
 * room for as many tasks of g GPUs as there are multiples of g among its free ones. */
#include "policies/slurm/slurm.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

#define LEVELS_MOST 64            /* as many GPUs as a node may have with names */

/* Nodes of these kinds, each set of kinds once. */
struct suiting { uint64_t *kinds, *nodes; };
struct suits {
    uint32_t n_kinds, kind_words;
    node_id *first;               /* [n_kinds] a node of the kind; ID_NONE: none is */
    uint64_t *asked;              /* the kinds that suit */
    struct suiting *known;        /* [n] */
    size_t n, capacity, last;     /* last: found last */
};

/* ---- One node ---- */

static void set_gpus(struct room *room, node_id n, int64_t gpus)
{
    int64_t was = room->gpus[n], most = room->levels;
    int64_t from = max_i64(0, min_i64(was, gpus)), to = min_i64(most, max_i64(was, gpus));
    uint64_t *level = room->at_least + (size_t)(n / 64) * room->levels;
    for (int64_t g = from; g < to; g++)
        level[g] ^= UINT64_C(1) << n % 64;
    room->gpus[n] = gpus;
    room->all_gpus += gpus - was;
    room->n_beyond += (uint32_t)(gpus > most) - (uint32_t)(was > most);
}

void slurm_room_gpus_add(struct room *room, node_id n, int64_t gpus)
{
    set_gpus(room, n, room->gpus[n] + gpus);
}

static void room_add(struct room *room, node_id n, int64_t gpus, int64_t cpu_milli, int64_t mem_mib)
{
    set_gpus(room, n, room->gpus[n] + gpus);
    if (room->cpu_milli[n] != INT64_MAX)
        room->cpu_milli[n] += cpu_milli;
    if (room->mem_mib[n] != INT64_MAX)
        room->mem_mib[n] += mem_mib;
}

void slurm_seat(struct room *room, const struct seat *at, int sign)
{
    int64_t tasks = (int64_t)sign * at->tasks;
    room_add(room, at->node, -tasks * at->of->gpus, -tasks * at->of->cpu_milli, -tasks * at->of->mem_mib);
}

void slurm_room_give(struct sched *s, struct room *room, job_id j, int sign)
{
    const struct placement *p = job_placement(s, j);
    const struct request *all = job_facts(s, j)->ask;
    bool gpus_alone = !room->counts_cpus && !room->counts_memory;
    for (size_t i = 0; p && i < p->n; i++) {
        const struct piece *x = &p->piece[i];
        if (gpus_alone) {
            slurm_room_gpus_add(room, x->node, sign * (int64_t)x->gpus);
            continue;
        }
        const struct request *ask = all->next ? request_of_task(all, x->task) : all;
        int64_t times = sign * (ask->tasks == SPLIT_ANY ? (int64_t)x->gpus : 1);
        room_add(room, x->node, sign * (int64_t)x->gpus, times * ask->cpu_milli, times * ask->mem_mib);
    }
}

int64_t slurm_room_gpus(const struct slurm *m, const struct room *room, const uint64_t *nodes)
{
    int64_t gpus = 0;
    for (uint32_t w = 0; w < m->words; w++) {
        uint64_t rest = nodes[w];
        for (uint64_t g = 1; rest && !room->n_beyond; g++) {
            rest &= room_at_least(room, w, g);
            gpus += __builtin_popcountll(rest);
        }
        for (; rest; rest &= rest - 1)
            gpus += room->gpus[w * 64 + (uint32_t)__builtin_ctzll(rest)];
    }
    return gpus;
}

/* ---- Which nodes suit ---- */

static struct suits *suits_new(struct sched *s, const struct slurm *m)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    struct suits *x = sched_alloc(s, sizeof *x);
    x->n_kinds = view_kinds(v);
    x->kind_words = x->n_kinds / 64 + 1;
    x->asked = sched_alloc(s, x->kind_words * sizeof *x->asked);
    x->first = sched_alloc(s, x->n_kinds * sizeof *x->first);
    for (uint32_t k = 0; k < x->n_kinds; k++)
        x->first[k] = ID_NONE;
    for (node_id n = m->n_nodes; n-- > 0;)
        x->first[view_kind(v, n)] = n;
    return x;
}

static struct suiting *suiting_new(struct sched *s, const struct slurm *m, struct suits *x)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    x->known = array_grown(sched_alloc, s, x->known, &x->capacity, x->n, sizeof *x->known);
    struct suiting *made = &x->known[x->n++];
    made->kinds = sched_alloc(s, x->kind_words * sizeof *made->kinds);
    memcpy(made->kinds, x->asked, x->kind_words * sizeof *made->kinds);
    made->nodes = sched_alloc(s, m->words * sizeof *made->nodes);
    for (node_id n = 0; n < m->n_nodes; n++)
        if (set_has(x->asked, view_kind(v, n)))
            set_add(made->nodes, n);
    return made;
}

const uint64_t *slurm_suits(struct sched *s, struct slurm *m, const struct request *ask)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    struct suits *x = m->suits;
    memset(x->asked, 0, x->kind_words * sizeof *x->asked);
    for (uint32_t k = 0; k < x->n_kinds; k++)
        if (x->first[k] != ID_NONE && view_suits(v, ask, x->first[k]))
            set_add(x->asked, k);
    for (size_t i = 0; i < x->n; i++) {
        const struct suiting *at = &x->known[(x->last + i) % x->n];
        if (memcmp(at->kinds, x->asked, x->kind_words * sizeof *x->asked))
            continue;
        x->last = (x->last + i) % x->n;
        return at->nodes;
    }
    return suiting_new(s, m, x)->nodes;
}

/* ---- As it is ---- */

static struct room room_new(struct sched *s, const struct slurm *m)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    struct room room = { .levels = 1 };
    int64_t most = 0;
    for (node_id n = 0; n < m->n_nodes; n++) {
        struct amount size = view_node_size(v, n);
        most = max_i64(most, size.gpu_milli / MILLI_ALL);
        room.counts_cpus |= size.cpu_milli != INT64_MAX;
        room.counts_memory |= size.mem_mib != INT64_MAX;
    }
    room.levels = (uint32_t)max_i64(1, min_i64(most, LEVELS_MOST));
    room.gpus = sched_alloc(s, m->n_nodes * sizeof *room.gpus);
    room.cpu_milli = sched_alloc(s, m->n_nodes * sizeof *room.cpu_milli);
    room.mem_mib = sched_alloc(s, m->n_nodes * sizeof *room.mem_mib);
    room.at_least = sched_alloc(s, (size_t)m->words * room.levels * sizeof *room.at_least);
    return room;
}

void slurm_room_begin(struct sched *s, struct slurm *m)
{
    m->room = room_new(s, m);
    m->room_version = 1;
    m->up = sched_alloc(s, m->words * sizeof *m->up);
    m->stale = sched_alloc(s, m->words * sizeof *m->stale);
    m->suits = suits_new(s, m);
    for (node_id n = 1; m->site && n < m->n_nodes; n++) {
        if (m->site->weight[n] == m->site->weight[n - 1])
            continue;
        if (!m->breaks)
            m->breaks = sched_alloc(s, m->words * sizeof *m->breaks);
        set_add(m->breaks, n);
    }
}

/* 1: it has more of something now, or is up; -1: only less; 0: it is as it was. */
static int look_at(struct sched *s, struct slurm *m, const struct view *v, node_id n)
{
    struct room *room = &m->room;
    struct node_free free = view_node(v, n);
    bool up = sched_node_up(s, n), was_up = set_has(m->up, n);
    int64_t gpus = room->gpus[n], cpu_milli = room->cpu_milli[n], mem_mib = room->mem_mib[n];
    bool more = free.whole > gpus || free.cpu_milli > cpu_milli || free.mem_mib > mem_mib || up > was_up;
    bool less = free.whole < gpus || free.cpu_milli < cpu_milli || free.mem_mib < mem_mib || up < was_up;
    set_gpus(room, n, free.whole);
    room->cpu_milli[n] = free.cpu_milli;
    room->mem_mib[n] = free.mem_mib;
    (up ? set_add : set_remove)(m->up, n);
    return more ? 1 : less ? -1 : 0;
}

void slurm_room(struct sched *s, struct slurm *m)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    /* a reservation that ends opens nodes, though nothing has changed there */
    bool more = sched_has_outages(s), less = false;
    sched_take_changed(s, m->stale);
    for (uint32_t w = 0; w < m->words; w++) {
        for (uint64_t rest = m->stale[w]; rest; rest &= rest - 1) {
            int change = look_at(s, m, v, w * 64 + (uint32_t)__builtin_ctzll(rest));
            more |= change > 0;
            less |= change < 0;
        }
        m->stale[w] = 0;
    }
    m->room_version += more || less;
    if (more)
        m->room_grew = m->room_version;
}

void slurm_room_started(struct slurm *m, const struct seats *on)
{
    for (uint32_t i = 0; i < on->n; i++) {
        slurm_seat(&m->room, &on->at[i], 1);
        set_add(m->stale, on->at[i].node);
    }
    m->room_version++;
}

void slurm_room_stopped(struct sched *s, struct slurm *m, job_id j)
{
    const struct placement *p = job_placement(s, j);
    slurm_room_give(s, &m->room, j, 1);
    for (size_t i = 0; p && i < p->n; i++)
        set_add(m->stale, p->piece[i].node);
    m->room_grew = ++m->room_version;
}

struct room *slurm_empty_room(struct sched *s, struct slurm *m)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    if (m->empty)
        return m->empty;
    m->empty = sched_alloc(s, sizeof *m->empty);
    *m->empty = room_new(s, m);
    for (node_id n = 0; n < m->n_nodes; n++) {
        struct amount size = view_node_size(v, n);
        set_gpus(m->empty, n, size.gpu_milli / MILLI_ALL);
        m->empty->cpu_milli[n] = size.cpu_milli;
        m->empty->mem_mib[n] = size.mem_mib;
    }
    return m->empty;
}
