/* devices.c - see devices.h. */
#include "sim/cli/import/kube/devices.h"
#include "sim/base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_MILLI 1000
#define GPUS_MOST 64

struct room { /* left on a node */
    int64_t cpu_milli, mem_mib, gpus;
};
struct shared {               /* of one node */
    bool any;                 /* some pods share GPUs */
    uint32_t used;            /* GPUs with a number */
    int64_t milli[GPUS_MOST]; /* held of shared GPUs; ALL_MILLI: whole, or by memory */
};
struct naming {
    struct kube_import *im;
    struct shared *node;   /* [nodes of the site] */
    struct intern *groups; /* "NODE/group" */
    uint32_t *number;      /* [groups] GPU of the node */
    size_t capacity;
};

static bool shares(const struct kube_ask *ask)
{
    return ask->gpu_milli || ask->share_mem_mib;
}

static uint32_t new_gpu(struct shared *n)
{
    if (n->used == GPUS_MOST)
        return GPUS_MOST;
    n->milli[n->used] = 0;
    return n->used++;
}

static uint32_t of_group(struct naming *x, uint32_t node, const char *group)
{
    char key[300];
    snprintf(key, sizeof key, "%u/%.250s", node, group);
    uint32_t n = intern_count(x->groups), k = intern_add(x->groups, key, strlen(key));
    if (k == n) {
        mem_grow(&x->number, &x->capacity, n, sizeof *x->number);
        x->number[k] = new_gpu(&x->node[node]);
    }
    return x->number[k];
}

static uint32_t with_room(struct naming *x, uint32_t node, int64_t milli)
{
    struct shared *n = &x->node[node];
    remark(&x->im->s->remarks, "guessed: which GPU a share without a group is of");
    for (uint32_t i = 0; i < n->used; i++)
        if (n->milli[i] + milli <= ALL_MILLI)
            return i;
    return new_gpu(n);
}

static void hold(struct shared *n, struct kube_task *t, uint32_t gpu, int64_t milli)
{
    if (gpu == GPUS_MOST)
        return;
    t->gpus |= UINT64_C(1) << gpu;
    n->milli[gpu] += milli;
}

/* ---- what fits ---- */

static void unit_waits(struct kube_import *im, struct kube_unit *u)
{
    for (size_t g = 0; g < u->n_groups; g++) {
        u->group[g].running = 0;
        u->group[g].n_tasks = 0;
    }
    u->state = KUBE_WAITS;
    remark(&im->s->remarks, "jobs with pods that do not fit on their nodes wait instead");
}

/* Takes what the pods of a group that run hold, or with sign -1 gives it back. false: less than
 * nothing is left somewhere. */
static bool take(struct room *room, const struct kube_group *g, int64_t sign)
{
    bool whole = !shares(g->ask) && !g->ask->mig, fits = true;
    for (size_t t = 0; t < g->n_tasks && g->running; t++) {
        struct room *r = &room[g->task[t].node];
        int64_t times = g->task[t].times * sign;
        r->cpu_milli -= g->ask->cpu_milli * times;
        r->mem_mib -= g->ask->mem_mib * times;
        r->gpus -= whole ? g->ask->gpus * times : 0;
        fits &= r->cpu_milli >= 0 && r->mem_mib >= 0 && r->gpus >= 0;
    }
    return fits;
}

static void check_room(struct kube_import *im)
{
    const struct kube_site *s = im->s;
    struct room *room = mem_new(s->n_nodes + 1, sizeof *room);
    for (size_t i = 0; i < s->n_nodes; i++)
        room[i] =
            (struct room){ s->nodes[i].cpu_milli - im->jobs.taken_cpu_milli[i],
                           s->nodes[i].mem_mib - im->jobs.taken_mem_mib[i], s->nodes[i].gpus };
    for (size_t u = 0; u < im->jobs.n; u++) {
        struct kube_unit *unit = &im->jobs.unit[u];
        bool fits = true;
        if (unit->state != KUBE_RUNS)
            continue;
        for (size_t g = 0; g < unit->n_groups; g++)
            fits &= take(room, &unit->group[g], 1);
        for (size_t g = 0; g < unit->n_groups && !fits; g++)
            (void)take(room, &unit->group[g], -1);
        if (!fits)
            unit_waits(im, unit);
    }
    free(room);
}

/* ---- which GPUs ---- */

static bool name_task(struct naming *x, const struct kube_ask *ask, struct kube_task *t, bool whole)
{
    struct shared *n = &x->node[t->node];
    const struct kube_pod *pod = t->pod == NO_NODE ? NULL : &x->im->s->pods[t->pod];
    int64_t milli = ask->gpu_milli ? ask->gpu_milli : ALL_MILLI;
    if (!n->any || ask->mig || shares(ask) == whole || t->times != 1)
        return true;
    for (int64_t i = 0; i < ask->gpus && i <= GPUS_MOST; i++)
        if (whole)
            hold(n, t, new_gpu(n), ALL_MILLI);
        else if (pod && i < (int64_t)pod->n_devices)
            hold(n, t, of_group(x, t->node, pod->device[i]), milli);
        else
            hold(n, t, with_room(x, t->node, milli), milli);
    return __builtin_popcountll(t->gpus) == ask->gpus && n->used <= x->im->s->nodes[t->node].gpus;
}

static void look(struct naming *x)
{
    const struct kube_jobs *j = &x->im->jobs;
    for (size_t u = 0; u < j->n; u++)
        for (size_t g = 0; g < j->unit[u].n_groups; g++)
            for (size_t t = 0; t < j->unit[u].group[g].n_tasks; t++)
                x->node[j->unit[u].group[g].task[t].node].any |= shares(j->unit[u].group[g].ask);
}

static void name_all(struct naming *x, bool whole)
{
    struct kube_jobs *j = &x->im->jobs;
    for (size_t u = 0; u < j->n; u++) {
        bool fits = true;
        for (size_t g = 0; g < j->unit[u].n_groups; g++)
            for (size_t t = 0; t < j->unit[u].group[g].n_tasks && j->unit[u].group[g].running; t++)
                fits &= name_task(x, j->unit[u].group[g].ask, &j->unit[u].group[g].task[t], whole);
        if (!fits)
            unit_waits(x->im, &j->unit[u]);
    }
}

void kube_name_devices(struct kube_import *im)
{
    struct naming x = { .im = im, .groups = intern_new() };
    x.node = mem_new(im->s->n_nodes + 1, sizeof *x.node);
    check_room(im);
    look(&x);
    name_all(&x, false);
    name_all(&x, true);
    intern_free(x.groups);
    free(x.number);
    free(x.node);
}
