/* quota_seen.h - what is seen of a run under guaranteed quota: all that the contract shows, the
 * shares, the bounds. Header only. */
#pragma once
#include "tests/metamorphic/quota_world.h"

/* ---- What is watched ---- */

struct digest { size_t n; uint64_t word[SEEN_MOST]; };
struct held { enum job_state state; uint32_t n, pool; struct piece piece[TASKS_MOST]; int64_t last_start_ns; };
struct counts {
    unsigned passes, fixed, again;             /* again: passes after a fixed point, with nothing in between */
    unsigned changed_again, traces;            /* of those, some did something; a pass did nothing, and left a trace */
    unsigned over_limit, firm_over, unsound;   /* limits, quotas of the firm; shares that sum to too much */
    unsigned gangs, idle_for_gangs;            /* that wait, or lack tasks; and fit */
    unsigned idle_left, gates, owed;           /* fits and waits; pass the gate within deserved; and a scenario is valid */
    unsigned passed_over;                      /* jobs for which some scenario was valid that the search need not find */
    unsigned stops, for_nobody, in_vain, in_vain_disturbed;
    unsigned inside;                           /* evicted inside of the minimum run time */
    unsigned halved, left_halved, half_evicted;    /* gangs; not whole a pass later; lost tasks that are not moved */
    unsigned elastic_whole, whole_first;       /* elastic jobs that lost all; though their surplus would do */
    /* gangs that pass the gate within deserved; jobs for which a search has to find room, and does not */
    unsigned gates_gangs, not_reclaimed, not_preempted, not_moved;
    unsigned searches, search_traces;          /* that found nothing; and left a trace */
    unsigned visits, missed;                   /* of another pool at a fixed point; and something was there */
};
struct watch {
    const struct world *world;
    const struct kind *kind;
    struct counts *to;
    struct held before[JOBS], after[JOBS];
    int64_t idle[NODES_MOST], used_milli[POOLS][TREE_MOST];    /* before the pass */
    struct quota_pools *pools;
    struct digest was, is;
    bool was_fixed, disturbed, seen[JOBS], halved[JOBS], passed_over[JOBS];
    bool starts;                  /* the last pass started something */
    size_t lost[JOBS];            /* tasks of its minimum that a gang lost in this pass, less those with a tentative allocation */
    job_id room_for[JOBS];        /* the job that got the room of what was stopped in the pass before */
    bool promised[JOBS];          /* a tentative place in this pass; and of the last such on a node */
    job_id promised_on[NODES_MOST];
};
static struct watch watch;
static const struct policy *wrapped;
static const struct sched *running;

static inline void see(struct digest *d, uint64_t word)
{
    assert_true(d->n < SEEN_MOST);
    d->word[d->n++] = word;
}

static inline void see_view(struct digest *d, const struct view *v)
{
    for (node_id n = 0; n < watch.world->n_nodes; n++) {
        struct node_free f = view_node(v, n);
        see(d, f.whole_mask);
        see(d, f.shared_mask);
        see(d, (uint64_t)f.cpu_milli);
        for (unsigned g = 0; g < NODE_GPUS; g++)
            see(d, view_gpu_milli(v, n, g));
    }
}

static inline void see_line(struct digest *d, const struct line *l)
{
    struct line_walk walk = { .l = l };
    see(d, line_length(l));
    for (job_id j; line_next(&walk, &j);)
        see(d, j);
}

static inline void see_amount(struct digest *d, struct amount a)
{
    see(d, (uint64_t)a.gpu_milli);
    see(d, (uint64_t)a.cpu_milli);
    see(d, (uint64_t)a.mem_mib);
}

static inline void look(struct sched *s, const struct quota_pools *pools, struct digest *d)
{
    d->n = 0;
    see_view(d, sched_view(s, FREE_IDLE));
    see_view(d, sched_view(s, FREE_OR_RELEASING));
    for (const struct quota_state *q = pools->shard; q < pools->shard + pools->n; q++) {
        for (queue_id i = 0; i < q->n_queues; i++) {
            see_amount(d, queue_held(s, i + q->books));
            see_amount(d, queue_held_firm(s, i + q->books));
            see_amount(d, queue_pending(s, i + q->books));
            see_line(d, q->leaf[i].waiting);
            for (uint32_t k = 0; k < q->leaf[i].candidates.all; k++)
                see(d, candidates_get(s, q, &q->leaf[i].candidates, k)->job);
        }
        see_line(d, q->broken);
    }
    for (job_id j = 0; j < JOBS; j++) {
        const struct placement *p = job_placement(s, j);
        see(d, job_state(s, j));
        for (size_t i = 0; p && i < p->n; i++)
            see(d, p->piece[i].gpu_mask + ((uint64_t)p->piece[i].node << 8) + ((uint64_t)p->piece[i].task << 32));
    }
}

static inline bool same_digest(const struct digest *a, const struct digest *b)
{
    return a->n == b->n && !memcmp(a->word, b->word, a->n * sizeof *a->word);
}

static inline void hold(struct sched *s, struct held *to)
{
    for (job_id j = 0; j < JOBS; j++) {
        const struct placement *p = job_placement(s, j);
        to[j] = (struct held){ .state = job_state(s, j), .n = p ? (uint32_t)p->n : 0, .pool = job_flavor(s, j), .last_start_ns = job_last_start_ns(s, j) };
        assert_true(to[j].n <= TASKS_MOST);
        for (uint32_t i = 0; i < to[j].n; i++)
            to[j].piece[i] = p->piece[i];
    }
}

/* ---- Shares and bounds ---- */

static inline int64_t at_most(int64_t most, int64_t x) { return most != UNLIMITED && most < x ? most : x; }

/* Siblings get no more than there is, or than they deserve together; and each what it deserves. */
static inline bool siblings_sound(const struct quota_state *q, queue_id parent, enum quota_resource r)
{
    int64_t total = parent == ID_NONE ? q->total.of[r] : q->queue[parent].of[r].fair, sum = 0, owed = 0;
    bool each = true;
    for (queue_id i = 0; i < q->n_queues; i++) {
        if (q->queue[i].parent != parent)
            continue;
        const struct quota_share *x = &q->queue[i].of[r];
        int64_t mine = at_most(x->deserved == UNLIMITED ? total : x->deserved, at_most(x->limit, x->request));
        sum += x->fair;
        owed += mine;
        each = each && x->fair >= mine;
    }
    return each && sum <= (owed > total ? owed : total);
}

static inline unsigned unsound_shares(const struct quota_state *q)
{
    unsigned n = 0;
    for (int r = 0; r < Q_RESOURCES; r++) {
        n += !siblings_sound(q, ID_NONE, (enum quota_resource)r);
        for (queue_id i = 0; i < q->n_queues; i++)
            n += !siblings_sound(q, i, (enum quota_resource)r);
    }
    return n;
}

static inline void shares_as_of_now(struct sched *s, struct quota_pools *pools)
{
    pools_refresh(s, pools);
    for (struct quota_state *q = pools->shard; q < pools->shard + pools->n; q++) {
        q->divided = false;
        quota_divide_now(s, q);
    }
}

static inline bool above(struct amount held, struct amount most)
{
    struct quota_amount h = quota_amount(held), m = quota_amount(most);
    return !quota_within(&h, &m);
}

static inline void check_bounds(const struct sched *s)
{
    for (queue_id i = 0; i < queue_count(s); i++) {
        watch.to->over_limit += above(queue_held(s, i), queue_facts(s, i)->quota.limit);
        if (!watch.world->group[1].count)
            watch.to->firm_over += above(queue_held_firm(s, i), queue_facts(s, i)->quota.deserved);
        for (uint32_t p = 0; watch.world->group[1].count && p < POOLS; p++) {
            struct quota of;
            queue_flavor_quota(s, i, p, &of);
            watch.to->over_limit += above(queue_held(s, queue_in_flavor(s, i, p)), of.limit);
            watch.to->firm_over += above(queue_held_firm(s, queue_in_flavor(s, i, p)), of.deserved);
        }
    }
}
