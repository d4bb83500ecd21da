/* groups.c - see groups.h. */
#include "policies/slurm/groups.h"
#include "sim/contract/util/array.h"

#include <math.h>

enum { FIRST_SLOTS = 64 };        /* a power of two */

struct group {
    struct group_key { queue_id queue; shape_id shape; uint32_t account; struct batch_traits traits; } key;
    job_id *job;                  /* [n], from first on, by submit time, then number */
    size_t first, n, capacity;
    uint32_t busy_at;             /* its place among the busy, if it has jobs */
};
struct groups {
    struct group *group;          /* [n] number 0 is none */
    size_t n, capacity;
    uint32_t *slot;               /* open addressing: numbers of groups; 0: free */
    uint32_t n_slots;
    uint32_t *busy;               /* [n_busy] those with jobs, in any order */
    size_t n_busy, busy_capacity;
    job_id *fresh;                /* [n_fresh] that have not joined, in any order */
    size_t n_fresh, fresh_capacity;
};

/* ---- The groups ---- */

static bool same_key(const struct group_key *a, const struct group_key *b)
{
    return a->queue == b->queue && a->shape == b->shape && a->account == b->account &&
           a->traits.priority == b->traits.priority && a->traits.estimate_ns == b->traits.estimate_ns;
}

static uint32_t *slot_of(const struct groups *g, const struct group_key *key)
{
    uint64_t hash = 0, part[] = { (uint64_t)key->queue << 32 | key->shape, key->account,
                                  (uint64_t)key->traits.priority, (uint64_t)key->traits.estimate_ns };
    for (unsigned i = 0; i < 4; i++)
        hash = (hash ^ part[i] ^ hash >> 29) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t i = (uint32_t)(hash >> 32) & (g->n_slots - 1);
    while (g->slot[i] && !same_key(&g->group[g->slot[i]].key, key))
        i = (i + 1) & (g->n_slots - 1);
    return &g->slot[i];
}

static void make_slots(struct sched *s, struct groups *g, uint32_t n)
{
    g->slot = sched_alloc(s, n * sizeof *g->slot);
    g->n_slots = n;
    for (uint32_t i = 1; i < g->n; i++)
        *slot_of(g, &g->group[i].key) = i;
}

static uint32_t group_of(struct sched *s, const struct batch *b, job_id j)
{
    struct groups *g = b->groups;
    const struct job_facts *f = job_facts(s, j);
    struct group_key key = { b->queueing.per_queue ? f->queue : 0, f->ask->shape,
                             ((const struct batch_job *)job_own(s, j))->account,
                             b->order.traits(s, j, b->queueing.params) };
    uint32_t *slot = slot_of(g, &key);
    if (*slot)
        return *slot;
    g->group = array_grown(sched_alloc, s, g->group, &g->capacity, g->n, sizeof *g->group);
    uint32_t number = (uint32_t)g->n++;
    g->group[number] = (struct group){ .key = key };
    *slot = number;
    if (2 * g->n > g->n_slots)
        make_slots(s, g, 2 * g->n_slots);
    return number;
}

void groups_begin(struct sched *s, struct batch *b)
{
    struct groups *g = b->groups = sched_alloc(s, sizeof *g);
    g->group = array_grown(sched_alloc, s, NULL, &g->capacity, 0, sizeof *g->group);
    g->n = 1;
    make_slots(s, g, FIRST_SLOTS);
}

/* ---- Their places in line ---- */

static struct line *line_of(const struct sched *s, const struct batch *b, job_id j)
{
    return b->queueing.queue[b->queueing.per_queue ? job_facts(s, j)->queue : 0].waiting;
}

static void hide(struct sched *s, const struct batch *b, job_id j)
{
    struct batch_job *own = job_own(s, j);
    own->hidden = true;
    line_push(line_of(s, b, j), j,
              (struct line_key){ .major = (double)INFINITY, .time_ns = job_facts(s, j)->submit_ns });
}

/* By its priority of this period. */
static void show(struct sched *s, struct batch *b, job_id j)
{
    struct batch_job *own = job_own(s, j);
    bool was_hidden = own->hidden, moves = batch_prioritise(s, b, j);
    own->hidden = false;
    if (moves || was_hidden)
        line_push(line_of(s, b, j), j, batch_key(s, j, NULL));
}

/* ---- Their jobs ---- */

/* Where it stands, or would. */
static size_t place_of(const struct sched *s, const struct group *g, job_id j)
{
    int64_t submit_ns = job_facts(s, j)->submit_ns;
    size_t from = g->first, to = g->first + g->n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        int64_t there_ns = job_facts(s, g->job[middle])->submit_ns;
        if (there_ns < submit_ns || (there_ns == submit_ns && g->job[middle] < j))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void join(struct sched *s, struct batch *b, job_id j)
{
    struct groups *all = b->groups;
    struct batch_job *own = job_own(s, j);
    own->group = group_of(s, b, j);
    struct group *g = &all->group[own->group];
    if (!g->n) {
        g->first = 0;
        g->busy_at = (uint32_t)all->n_busy;
        all->busy = array_grown(sched_alloc, s, all->busy, &all->busy_capacity, all->n_busy, sizeof *all->busy);
        all->busy[all->n_busy++] = own->group;
    }
    size_t end = g->first + g->n;
    if (g->first > g->n) {         /* more room in front than jobs */
        memcpy(g->job, g->job + g->first, g->n * sizeof *g->job);
        g->first = 0;
        end = g->n;
    }
    g->job = array_grown(sched_alloc, s, g->job, &g->capacity, end, sizeof *g->job);
    size_t at = place_of(s, g, j);
    array_open(g->job, end, at, sizeof *g->job);
    g->job[at] = j;
    g->n++;
    if (at > g->first)
        hide(s, b, j);
    else if (g->n > 1 && !((const struct batch_job *)job_own(s, g->job[at + 1]))->hidden)
        hide(s, b, g->job[at + 1]);
}

void groups_come(struct sched *s, struct batch *b, job_id j)
{
    struct groups *g = b->groups;
    struct batch_job *own = job_own(s, j);
    g->fresh = array_grown(sched_alloc, s, g->fresh, &g->fresh_capacity, g->n_fresh, sizeof *g->fresh);
    own->group = 0;
    own->hidden = false;
    own->at = (uint32_t)g->n_fresh;
    g->fresh[g->n_fresh++] = j;
}

static void leave_fresh(struct sched *s, struct groups *g, job_id j)
{
    const struct batch_job *own = job_own(s, j);
    if (own->at >= g->n_fresh || g->fresh[own->at] != j)
        return;
    job_id last = g->fresh[own->at] = g->fresh[--g->n_fresh];
    ((struct batch_job *)job_own(s, last))->at = own->at;
}

void groups_go(struct sched *s, struct batch *b, job_id j)
{
    struct groups *all = b->groups;
    struct batch_job *own = job_own(s, j);
    if (!own->group) {
        leave_fresh(s, all, j);
        return;
    }
    struct group *g = &all->group[own->group];
    size_t at = place_of(s, g, j);
    own->group = 0;
    if (at > g->first)
        array_close(g->job, g->first + g->n, at, sizeof *g->job);
    else
        g->first++;
    if (--g->n) {
        if (((const struct batch_job *)job_own(s, g->job[g->first]))->hidden)
            show(s, b, g->job[g->first]);
        return;
    }
    uint32_t last = all->busy[g->busy_at] = all->busy[--all->n_busy];
    all->group[last].busy_at = g->busy_at;
}

void groups_starting(struct sched *s, struct batch *b, job_id j)
{
    const struct batch_job *own = job_own(s, j);
    const struct group *g = &b->groups->group[own->group];
    if (!own->group)
        return;
    size_t next = place_of(s, g, j) + 1;
    if (next < g->first + g->n && ((const struct batch_job *)job_own(s, g->job[next]))->hidden)
        show(s, b, g->job[next]);
}

void groups_anew(struct sched *s, struct batch *b)
{
    struct groups *g = b->groups;
    while (g->n_fresh)
        join(s, b, g->fresh[--g->n_fresh]);
    for (size_t i = 0; i < g->n_busy; i++)
        show(s, b, g->group[g->busy[i]].job[g->group[g->busy[i]].first]);
}
