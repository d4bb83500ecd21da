/* phases.c - see phases.h. */
#include "sim/models/network/phases.h"

#include "sim/base/memory.h"
#include "sim/models/network/maxmin.h"

#include <math.h>
#include <stdlib.h>

#define SETTLED 1e-12             /* no c moves by more */

struct sender {                   /* a job on a link */
    uint32_t job;
    uint32_t flows;
    enum reach reach;
    double takes;                 /* c flows */
    double rate;                  /* in the filling in which all weigh c */
};
struct used_link {
    struct sender *sender;        /* [n] by rate */
    double *full_takes, *growing; /* [n + 1] sums: takes x rate of those before, takes of the others */
    size_t n;
};
struct work {
    const struct phases *p;
    struct maxmin_flow *flow, **list;        /* by job; as maxmin_share() reorders them */
    double *takes;                /* of all flows, one after the other */
    uint32_t *link_of;            /* likewise: index among the used links */
    struct used_link *link;
    size_t n_used;
    double *capacity, *left, *rising;        /* by used link */
    struct sender *senders;
    double *sums;
};

static int by_rate(const void *left, const void *right)
{
    const struct sender *a = left, *b = right;
    if (a->rate != b->rate)
        return a->rate < b->rate ? -1 : 1;
    return (a->job > b->job) - (a->job < b->job);
}

/* ---- The links that are used, and who is on each ---- */

static void number_links(struct work *w, uint32_t *index)
{
    const struct phases *p = w->p;
    size_t at = 0;
    for (uint32_t l = 0; l < p->n_links; l++)
        index[l] = UINT32_MAX;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->job[i]->n_crossings; k++, at++) {
            uint32_t l = p->job[i]->crossing[k].link;
            if (index[l] == UINT32_MAX) {
                w->capacity[w->n_used] = p->capacity[l];
                index[l] = (uint32_t)w->n_used++;
            }
            w->link_of[at] = index[l];
            w->link[index[l]].n++;
        }
}

static void give_room(struct work *w)
{
    struct sender *sender = w->senders;
    double *sums = w->sums;
    for (size_t l = 0; l < w->n_used; l++) {
        struct used_link *u = &w->link[l];
        u->sender = sender;
        u->full_takes = sums;
        u->growing = sums + u->n + 1;
        sender += u->n;
        sums += 2 * (u->n + 1);
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
        .takes = mem_new(all + 1, sizeof *w->takes),
        .link_of = mem_new(all + 1, sizeof *w->link_of),
        .link = mem_new(all + 1, sizeof *w->link),
        .capacity = mem_new(all + 1, sizeof *w->capacity),
        .left = mem_new(all + 1, sizeof *w->left),
        .rising = mem_new(all + 1, sizeof *w->rising),
        .senders = mem_new(all + 1, sizeof *w->senders),
        .sums = mem_new(4 * all + 2, sizeof *w->sums),
    };
    uint32_t *index = mem_new(p->n_links + (size_t)1, sizeof *index);
    number_links(w, index);
    free(index);
    give_room(w);
    for (size_t i = 0, at = 0; i < p->n; at += p->job[i]->n_crossings, i++)
        w->flow[i] = (struct maxmin_flow){ .demand = p->job[i]->most,
                                           .link = w->link_of + at,
                                           .n_links = (uint32_t)p->job[i]->n_crossings,
                                           .takes = w->takes + at };
}

static void put_away(struct work *w)
{
    void *const own[] = { w->flow, w->list, w->takes, w->link_of, w->link,
                          w->capacity, w->left, w->rising, w->senders, w->sums };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
}

/* ---- One round ---- */

/* Everyone with weight c: maxmin. */
static void fill(struct work *w)
{
    const struct phases *p = w->p;
    for (size_t i = 0, at = 0; i < p->n; i++) {
        w->list[i] = &w->flow[i];
        for (size_t k = 0; k < p->job[i]->n_crossings; k++, at++)
            w->takes[at] = p->job[i]->sends * p->job[i]->crossing[k].flows;
    }
    maxmin_share(&(struct maxmin){ w->list, p->n, w->capacity, w->left, w->rising });
}

static void sort_senders(struct work *w)
{
    const struct phases *p = w->p;
    for (size_t l = 0; l < w->n_used; l++)
        w->link[l].n = 0;
    for (size_t i = 0, at = 0; i < p->n; i++)
        for (size_t k = 0; k < p->job[i]->n_crossings; k++, at++) {
            struct used_link *u = &w->link[w->link_of[at]];
            const struct crossing *x = &p->job[i]->crossing[k];
            u->sender[u->n++] = (struct sender){ (uint32_t)i, x->flows, x->reach, w->takes[at],
                                                 w->flow[i].share };
        }
    for (size_t l = 0; l < w->n_used; l++) {
        struct used_link *u = &w->link[l];
        qsort(u->sender, u->n, sizeof *u->sender, by_rate);
        u->full_takes[0] = u->growing[u->n] = 0;
        for (size_t i = 0; i < u->n; i++)
            u->full_takes[i + 1] = u->full_takes[i] + u->sender[i].takes * u->sender[i].rate;
        for (size_t i = u->n; i-- > 0;)
            u->growing[i] = u->growing[i + 1] + u->sender[i].takes;
    }
}

/* The level that the `self`-th sender reaches with weight 1, the others as they are: between the
 * rates of two neighbours of the list; senders before that have their rate, the others the level. */
static double level_with(const struct used_link *u, double capacity, size_t self)
{
    const struct sender *own = &u->sender[self];
    size_t low = 0, high = u->n;              /* the first whose rate is too much for the link */
    while (low < high) {
        size_t middle = (low + high) / 2;
        double x = u->sender[middle].rate,
               others = u->full_takes[middle] + u->growing[middle] * x -
                        own->takes * fmin(own->rate, x);
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
    for (size_t l = 0; l < w->n_used; l++) {
        const struct used_link *u = &w->link[l];
        for (size_t i = 0; i < u->n && isfinite(w->capacity[l]); i++) {
            struct phased_job *j = p->job[u->sender[i].job];
            double level = level_with(u, w->capacity[l], i);
            for (unsigned r = u->sender[i].reach; r < REACHES; r++)
                j->share[r] = fmin(j->share[r], level);
        }
    }
}

unsigned phases_share(const struct phases *p)
{
    struct work w;
    unsigned rounds = 0;
    double moved = 1;
    prepare(&w, p);
    for (size_t i = 0; i < p->n; i++)
        p->job[i]->sends = 1;
    while (moved > SETTLED && rounds < PHASES_ROUNDS) {
        fill(&w);
        sort_senders(&w);
        take_shares(&w);
        moved = 0;
        for (size_t i = 0; i < p->n && !p->together; i++) {
            double c = fmin(1, p->sends(p->self, i, p->job[i]->share));
            moved = fmax(moved, fabs(c - p->job[i]->sends));
            p->job[i]->sends = c;
        }
        rounds++;
    }
    put_away(&w);
    return rounds;
}
