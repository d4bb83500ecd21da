/* groups.c - see groups.h. */
#include "policies/slurm/groups.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/heap.h"

#include <math.h>

enum { FIRST_SLOTS = 64 };        /* a power of two */

struct group {
    struct group_key { queue_id queue; shape_id shape; uint32_t account; struct batch_traits traits; } key;
    job_id *job;                  /* [n], from first on, by submit time, then number */
    size_t first, n, capacity;
    uint32_t rack, at;            /* at: its place there, if it has jobs */
    struct batch_fixed fixed;
};
/* The first job of a group. shown: it stands in line by a priority; moved: by another than this one. */
struct front { struct line_key key; job_id job; uint32_t group; bool shown, moved; };
/* The groups of one shape in one line that have jobs, the best first. */
struct rack { struct front *heap; size_t n, capacity; };
struct line_racks { uint32_t *of; size_t n; };    /* [n] by shape: number of the rack; 0: none yet */
struct groups {
    struct group *group;          /* [n] number 0 is none */
    size_t n, capacity;
    uint32_t *slot;               /* open addressing: numbers of groups; 0: free */
    uint32_t n_slots;
    struct rack *rack;            /* [n_racks] number 0 is none */
    size_t n_racks, racks_capacity;
    struct line_racks *line;      /* one, or one a queue */
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

static uint32_t rack_of(struct sched *s, struct groups *g, const struct group_key *key)
{
    struct line_racks *in = &g->line[key->queue];
    in->of = array_covering(sched_alloc, s, in->of, &in->n, key->shape, sizeof *in->of);
    if (!in->of[key->shape]) {
        g->rack = array_grown(sched_alloc, s, g->rack, &g->racks_capacity, g->n_racks, sizeof *g->rack);
        in->of[key->shape] = (uint32_t)g->n_racks++;
    }
    return in->of[key->shape];
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
    g->group[number] = (struct group){ .key = key, .rack = rack_of(s, g, &key), .fixed.gpus_milli = -1 };
    *slot = number;
    if (2 * g->n > g->n_slots)
        make_slots(s, g, 2 * g->n_slots);
    return number;
}

void groups_begin(struct sched *s, struct batch *b)
{
    struct groups *g = b->groups = sched_alloc(s, sizeof *g);
    g->group = array_grown(sched_alloc, s, NULL, &g->capacity, 0, sizeof *g->group);
    g->rack = array_grown(sched_alloc, s, NULL, &g->racks_capacity, 0, sizeof *g->rack);
    g->line = sched_alloc(s, (b->queueing.per_queue ? queue_count(s) : 1) * sizeof *g->line);
    g->n = g->n_racks = 1;
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

/* ---- The best of a rack ---- */

static inline bool front_before(const struct group *all, const struct front *a, const struct front *b)
{
    (void)all;
    return line_key_before(a->key, a->job, b->key, b->job);
}

static inline void front_placed(struct group *all, const struct front *x, size_t at)
{
    all[x->group].at = (uint32_t)at;
}
HEAP_DEFINE(fronts, struct front, struct group, front_before, front_placed);

/* Of the first job of the group, with its priority of this period. */
static struct front front_of(struct sched *s, struct batch *b, uint32_t group)
{
    const struct group *g = &b->groups->group[group];
    job_id j = g->job[g->first];
    bool moved = batch_prioritise(s, b, j);
    return (struct front){ batch_key(s, j, NULL), j, group, !((const struct batch_job *)job_own(s, j))->hidden, moved };
}

/* The best stands in line by its priority. */
static void show_best(struct sched *s, const struct batch *b, const struct rack *r)
{
    if (!r->n)
        return;
    struct front *best = &r->heap[0];
    struct batch_job *own = job_own(s, best->job);
    own->priority = -best->key.major;
    if (!best->shown || best->moved)
        line_push(line_of(s, b, best->job), best->job, best->key);
    own->hidden = best->moved = false;
    best->shown = true;
}

/* A front in a new period. Of one that stays hidden nothing but its key is of interest. */
static void front_anew(struct sched *s, struct batch *b, struct front *f)
{
    struct group *g = &b->groups->group[f->group];
    if (!b->order.sum || f->job != g->job[g->first]) {
        *f = front_of(s, b, f->group);
        return;
    }
    double priority = batch_sum(s, b, f->job, g->key.account, f->key.time_ns, &g->fixed);
    f->moved |= f->key.major != -priority;
    f->key.major = -priority;
}

/* A period has begun. */
static void rank_anew(struct sched *s, struct batch *b, struct rack *r)
{
    for (size_t i = 0; i < r->n; i++)
        front_anew(s, b, &r->heap[i]);
    fronts_make(b->groups->group, r->heap, r->n);
    for (size_t i = 1; i < r->n; i++)
        if (r->heap[i].shown) {
            hide(s, b, r->heap[i].job);
            r->heap[i].shown = false;
        }
    show_best(s, b, r);
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
    if (!g->n) {                   /* the rack is put in order when all have joined */
        struct rack *r = &all->rack[g->rack];
        g->first = 0;
        g->at = (uint32_t)r->n;
        r->heap = array_grown(sched_alloc, s, r->heap, &r->capacity, r->n, sizeof *r->heap);
        r->heap[r->n++] = (struct front){ batch_key(s, j, NULL), j, own->group, true, false };
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

static void leave(struct sched *s, struct batch *b, job_id j)
{
    struct groups *all = b->groups;
    struct batch_job *own = job_own(s, j);
    uint32_t number = own->group;
    struct group *g = &all->group[number];
    struct rack *r = &all->rack[g->rack];
    size_t at = place_of(s, g, j);
    own->group = 0;
    g->n--;
    if (at > g->first) {
        array_close(g->job, g->first + g->n + 1, at, sizeof *g->job);
        return;
    }
    g->first++;
    if (g->n) {
        r->heap[g->at] = front_of(s, b, number);
        fronts_fix(all->group, r->heap, r->n, g->at);
    } else {
        fronts_remove(all->group, r->heap, r->n--, g->at);
    }
    show_best(s, b, r);
}

void groups_go(struct sched *s, struct batch *b, job_id j)
{
    if (((const struct batch_job *)job_own(s, j))->group)
        leave(s, b, j);
    else
        leave_fresh(s, b->groups, j);
}

void groups_starting(struct sched *s, struct batch *b, job_id j)
{
    if (((const struct batch_job *)job_own(s, j))->group)
        leave(s, b, j);
}

void groups_anew(struct sched *s, struct batch *b)
{
    struct groups *g = b->groups;
    while (g->n_fresh)
        join(s, b, g->fresh[--g->n_fresh]);
    for (size_t i = 1; i < g->n_racks; i++)
        rank_anew(s, b, &g->rack[i]);
}
