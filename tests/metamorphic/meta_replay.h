/* meta_replay.h - the intervals of a run once more: nothing is given twice, and a job that holds
 * anything holds all that it asked for. */
#pragma once
#include "sim/cluster/cluster.h"
#include "sim/workload/workload.h"

#include <stdlib.h>

struct meta_hold {
    job_id job;
    int64_t start_ns, end_ns;
    bool idle;                          /* without the rest of its gang */
    struct placement *pieces;
};
struct meta_event {
    int64_t time_ns;
    int sign;                           /* releases go before starts */
    const struct meta_hold *hold;
};
struct meta_node { int64_t cpu_milli, mem_mib, gpus, milli[NAMED_GPUS_MAX]; };

static inline int meta_by_time(const void *a, const void *b)
{
    const struct meta_event *x = a, *y = b;
    return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns) : x->sign - y->sign;
}

static inline bool meta_take(const struct cluster *c, struct meta_node *n, const struct piece *p,
                             const struct request *ask, int sign)
{
    const struct node_type *t = cluster_node_type(c, p->node);
    int64_t units = sign * (ask->tasks == SPLIT_ANY ? (int64_t)p->gpus : 1);
    unsigned bits = 0;
    bool fits = true;
    for (unsigned g = 0; g < NAMED_GPUS_MAX; g++)
        if (p->gpu_mask >> g & 1) {
            n->milli[g] += sign * (int64_t)p->milli;
            fits = fits && g < t->gpus && n->milli[g] >= 0 && n->milli[g] <= MILLI_ALL;
            bits++;
        }
    n->gpus += t->counted ? sign * (int64_t)p->gpus : 0;
    n->cpu_milli += units * ask->cpu_milli;
    n->mem_mib += units * ask->mem_mib;
    fits = fits && (t->counted ? !bits && n->gpus <= (int64_t)t->gpus : bits == p->gpus);
    return fits && p->milli == ask->gpu_milli && n->cpu_milli <= t->cpu_milli && n->mem_mib <= t->mem_mib;
}

/* NULL: sound. Else what is wrong. */
static inline const char *meta_gang(const struct request *ask, const struct placement *p)
{
    uint64_t gpus = 0;
    for (size_t i = 0; i < p->n; i++) {
        gpus += p->piece[i].gpus;
        if (ask->tasks != SPLIT_ANY && p->piece[i].gpus != ask->gpus)
            return "a task without all of its GPUs";
    }
    if (ask->tasks == SPLIT_ANY)
        return gpus == ask->gpus ? NULL : "not all GPUs";
    return p->n == ask->tasks ? NULL : "not all tasks";
}

static inline const char *meta_replay(const struct cluster *c, const struct workload *w, const struct meta_hold *hold,
                                      size_t n_holds)
{
    const char *wrong = NULL;
    struct meta_event *event = calloc(2 * n_holds + 1, sizeof *event);
    struct meta_node *node = calloc(c->n_nodes, sizeof *node);
    int *holds = calloc(w->n_jobs, sizeof *holds);
    size_t n = 0;
    for (size_t i = 0; i < n_holds; i++) {
        const struct meta_hold *h = &hold[i];
        const char *gang = h->idle ? NULL : meta_gang(w->facts[h->job].ask, h->pieces);
        wrong = gang ? gang : wrong;
        if (h->end_ns == h->start_ns)
            continue;                   /* holds nothing for any time */
        event[n++] = (struct meta_event){ h->start_ns, 1, h };
        event[n++] = (struct meta_event){ h->end_ns, -1, h };
    }
    qsort(event, n, sizeof *event, meta_by_time);
    for (size_t i = 0; i < n; i++) {
        const struct meta_hold *h = event[i].hold;
        holds[h->job] += h->idle ? 0 : event[i].sign;
        if (holds[h->job] < 0 || holds[h->job] > 1)
            wrong = "a job holds GPUs twice over";
        for (size_t k = 0; k < h->pieces->n; k++)
            if (!meta_take(c, &node[h->pieces->piece[k].node], &h->pieces->piece[k], w->facts[h->job].ask, event[i].sign))
                wrong = "given twice, or more than there is";
    }
    free(event);
    free(node);
    free(holds);
    return wrong;
}
