/* phases.c - see phases.h. */
#include "sim/models/network/phases.h"

#include "sim/base/memory.h"
#include "sim/models/network/maxmin.h"

#include <math.h>
#include <stdlib.h>

#define SETTLED 1e-12             /* no c moves by more */
#define NONE    UINT32_MAX

struct sender {                   /* a job on a link */
    uint32_t job, at;             /* at: among the crossings of all jobs that count */
    uint32_t flows;
    enum reach reach;
    double takes;                 /* c flows */
    double rate;                  /* in the filling in which all weigh c */
};
struct tight_link {               /* it may be full */
    struct sender *sender;        /* [n] by rate */
    double *full_takes, *growing; /* [n + 1] sums: takes x rate of those before, takes of others */
    size_t n;
};
struct work {
    const struct phases *p;
    struct maxmin_flow *flow, **list;        /* by job; as maxmin_share() reorders them */
    uint32_t *tight;              /* by number of the link: its index; NONE: it cannot be full */
    double *takes;                /* of all flows on tight links, one after the other */
    uint32_t *link_of;            /* likewise: the index */
    struct tight_link *link;
    size_t n_tight;
    double *capacity, *left, *rising;        /* by index */
    struct sender *senders;
    double *sums;
};

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* ---- The links that may be full, and the jobs on each ---- */

static void find_tight(struct work *w)
{
    const struct phases *p = w->p;
    double *asked = mem_new(p->n_links + (size_t)1, sizeof *asked);
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->job[i]->n_crossings; k++)
            asked[p->job[i]->crossing[k].link] += p->job[i]->crossing[k].flows * p->job[i]->most;
    for (uint32_t l = 0; l < p->n_links; l++) {
        w->tight[l] = asked[l] > p->capacity[l] ? (uint32_t)w->n_tight : NONE;
        if (w->tight[l] != NONE)
            w->capacity[w->n_tight++] = p->capacity[l];
    }
    free(asked);
}

static void list_flows(struct work *w)
{
    const struct phases *p = w->p;
    uint32_t at = 0;
    for (size_t i = 0; i < p->n; i++) {
        w->flow[i] = (struct maxmin_flow){ .demand = p->job[i]->most, .link = w->link_of + at,
                                           .takes = w->takes + at };
        for (size_t k = 0; k < p->job[i]->n_crossings; k++) {
            uint32_t index = w->tight[p->job[i]->crossing[k].link];
            if (index == NONE)
                continue;
            w->link_of[at++] = index;
            w->link[index].n++;
            w->flow[i].n_links++;
        }
    }
}

/* In the order of jobs, for a start. */
static void list_senders(struct work *w)
{
    const struct phases *p = w->p;
    struct sender *sender = w->senders;
    double *sums = w->sums;
    for (size_t l = 0; l < w->n_tight; l++) {
        struct tight_link *u = &w->link[l];
        u->sender = sender;
        u->full_takes = sums;
        u->growing = sums + u->n + 1;
        sender += u->n;
        sums += 2 * (u->n + 1);
        u->n = 0;
    }
    uint32_t at = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->job[i]->n_crossings; k++) {
            const struct crossing *x = &p->job[i]->crossing[k];
            if (w->tight[x->link] == NONE)
                continue;
            struct tight_link *u = &w->link[w->tight[x->link]];
            u->sender[u->n++] = (struct sender){ (uint32_t)i, at++, x->flows, x->reach, 0, 0 };
        }
}

static void prepare(struct work *w, const struct phases *p)
{
    size_t all = 0;
    for (size_t i = 0; i < p->n; i++)
        all += p->job[i]->n_crossings;
    *w = (struct work){
        .p = p,
        .flow = mem_new(p->n + 1, sizeof *w->flow),
        .list = mem_new(p->n + 1, sizeof(struct maxmin_flow *)),
        .tight = mem_new(p->n_links + (size_t)1, sizeof *w->tight),
        .takes = mem_new(all + 1, sizeof *w->takes),
        .link_of = mem_new(all + 1, sizeof *w->link_of),
        .link = mem_new(all + 1, sizeof *w->link),
        .capacity = mem_new(all + 1, sizeof *w->capacity),
        .left = mem_new(all + 1, sizeof *w->left),
        .rising = mem_new(all + 1, sizeof *w->rising),
        .senders = mem_new(all + 1, sizeof *w->senders),
        .sums = mem_new(4 * all + 2, sizeof *w->sums),
    };
    find_tight(w);
    list_flows(w);
    list_senders(w);
}

static void put_away(struct work *w)
{
    void *const own[] = { w->flow, w->list, w->tight, w->takes, w->link_of, w->link,
                          w->capacity, w->left, w->rising, w->senders, w->sums };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
}

/* ---- One round ---- */

/* All weigh c: maxmin. */
static void fill(struct work *w)
{
    const struct phases *p = w->p;
    for (size_t i = 0; i < p->n; i++)
        w->list[i] = &w->flow[i];
    for (size_t l = 0; l < w->n_tight; l++)
        for (size_t i = 0; i < w->link[l].n; i++) {
            struct sender *x = &w->link[l].sender[i];
            x->takes = w->takes[x->at] = p->job[x->job]->sends * x->flows;
        }
    maxmin_share(&(struct maxmin){ w->list, p->n, w->capacity, w->left, w->rising });
}

static bool before(const struct sender *a, const struct sender *b)
{
    return a->rate != b->rate ? a->rate < b->rate : a->job < b->job;
}

/* By insertion: the order of the last round is nearly that of this one. */
static void sort_senders(struct work *w)
{
    for (size_t l = 0; l < w->n_tight; l++) {
        struct tight_link *u = &w->link[l];
        for (size_t i = 0; i < u->n; i++) {
            struct sender x = u->sender[i];
            size_t to = i;
            x.rate = w->flow[x.job].share;
            for (; to > 0 && before(&x, &u->sender[to - 1]); to--)
                u->sender[to] = u->sender[to - 1];
            u->sender[to] = x;
        }
        u->full_takes[0] = u->growing[u->n] = 0;
        for (size_t i = 0; i < u->n; i++)
            u->full_takes[i + 1] = u->full_takes[i] + u->sender[i].takes * u->sender[i].rate;
        for (size_t i = u->n; i-- > 0;)
            u->growing[i] = u->growing[i + 1] + u->sender[i].takes;
    }
}

/* The level that the `self`-th sender reaches with weight 1, the others as they are: between the
 * rates of two neighbours of the list; senders before it have their rate, the others the level. */
static double level_with(const struct tight_link *u, double capacity, size_t self)
{
    const struct sender *own = &u->sender[self];
    size_t low = 0, high = u->n;              /* the first with a rate too high for the link */
    while (low < high) {
        size_t middle = (low + high) / 2;
        double x = u->sender[middle].rate,
               others = u->full_takes[middle] + u->growing[middle] * x -
                        own->takes * lesser(own->rate, x);
        if (others + own->flows * x < capacity)
            low = middle + 1;
        else
            high = middle;
    }
    double full = u->full_takes[low] - (self < low ? own->takes * own->rate : 0),
           growing = u->growing[low] - (self < low ? 0 : own->takes);
    return fmax(0, capacity - full) / (fmax(0, growing) + own->flows);
}

static void take_shares(struct work *w)
{
    const struct phases *p = w->p;
    for (size_t i = 0; i < p->n; i++)
        for (unsigned r = 0; r < REACHES; r++)
            p->job[i]->share[r] = p->job[i]->most;
    for (size_t l = 0; l < w->n_tight; l++) {
        const struct tight_link *u = &w->link[l];
        for (size_t i = 0; i < u->n; i++) {
            struct phased_job *j = p->job[u->sender[i].job];
            double level = level_with(u, w->capacity[l], i);
            for (unsigned r = u->sender[i].reach; r < REACHES; r++)
                j->share[r] = lesser(j->share[r], level);
        }
    }
}

unsigned phases_share(const struct phases *p)
{
    struct work w;
    unsigned rounds = 0;
    double moved = 0;
    prepare(&w, p);
    for (size_t i = 0; i < p->n; i++)
        p->job[i]->sends = 1;
    while (rounds == 0 || (w.n_tight && moved > SETTLED && rounds < PHASES_ROUNDS)) {
        fill(&w);
        sort_senders(&w);
        take_shares(&w);
        moved = 0;
        for (size_t i = 0; i < p->n && !p->together; i++) {
            double c = lesser(1, p->sends(p->self, i, p->job[i]->share));
            double by = fabs(c - p->job[i]->sends);
            moved = by > moved ? by : moved;
            p->job[i]->sends = c;
        }
        rounds++;
    }
    put_away(&w);
    return rounds;
}
