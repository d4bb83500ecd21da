/* groups.c - see groups.h. */
#include "sim/cli/import/kube/groups.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_RUNS, RUNS_IN_PART, NONE_RUNS };
struct rank {
    int path_runs, runs;
    size_t path, group; /* the first group of the path */
};

static int by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->path_runs != y->path_runs)
        return x->path_runs < y->path_runs ? -1 : 1;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->runs != y->runs)
        return x->runs < y->runs ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

static bool same_path(const struct kube_group *a, const struct kube_group *b)
{
    return a == b || (a->path && b->path && !strcmp(a->path, b->path));
}

static struct rank rank_of_group(const struct kube_unit *u, size_t g)
{
    const struct kube_group *own = &u->group[g];
    int64_t n = 0, running = 0;
    struct rank r = { .path = g, .group = g };
    for (size_t i = u->n_groups; i-- > 0;)
        if (same_path(&u->group[i], own)) {
            r.path = i;
            n += u->group[i].n;
            running += u->group[i].running;
        }
    r.path_runs = running == n ? ALL_RUNS : running ? RUNS_IN_PART : NONE_RUNS;
    r.runs = own->running == own->n ? ALL_RUNS : own->running ? RUNS_IN_PART : NONE_RUNS;
    return r;
}

/* Only the first tasks of a job can run: what runs behind a task that waits, waits. */
static void order_groups(struct kube_site *s, struct kube_unit *u)
{
    struct rank *rank = mem_new(u->n_groups, sizeof *rank);
    struct kube_group *group = mem_new(u->n_groups, sizeof *group);
    bool waits = false;
    for (size_t g = 0; g < u->n_groups; g++)
        rank[g] = rank_of_group(u, g);
    qsort(rank, u->n_groups, sizeof *rank, by_rank);
    for (size_t g = 0; g < u->n_groups; g++) {
        group[g] = u->group[rank[g].group];
        if (waits && group[g].running) {
            group[g].running = 0;
            remark(&s->remarks, "pods that run in several unequal groups, each of which also "
                                "waits for pods, wait instead, but for the first group");
        }
        waits |= group[g].running < group[g].n;
    }
    memcpy(u->group, group, u->n_groups * sizeof *group);
    free(rank);
    free(group);
}

static int64_t minimum_of(const struct kube_podgroup *g, const char *path)
{
    for (size_t i = 0; i < g->n_subgroups; i++)
        if (!strcmp(g->subgroup[i].path, path))
            return g->subgroup[i].min_member;
    return g->n_subgroups ? 0 : g->min_member;
}

/* The first groups of a path take as much of its minimum as they can, but one pod stays for each
 * behind them, as a group without a minimum needs all its pods. */
static void share_minimum(struct kube_site *s, struct kube_unit *u, size_t from, size_t to)
{
    int64_t left = minimum_of(u->podgroup, u->group[from].path);
    if (left < (int64_t)(to - from))
        remark(&s->remarks, "guessed: a PodGroup or subgroup of which no pod is needed, or fewer "
                            "than it has unequal ones, needs one of each");
    for (size_t g = from; g < to; g++) {
        int64_t after = (int64_t)(to - g - 1), own = left - after > 1 ? left - after : 1;
        u->group[g].least = own < u->group[g].n ? own : u->group[g].n;
        left -= u->group[g].least;
    }
    if (left > 0)
        remark(&s->remarks, "guessed: a PodGroup or subgroup with fewer pods than its minMember, "
                            "for which KAI waits, needs those that there are");
}

void kube_groups_order(struct kube_site *s, struct kube_unit *u)
{
    if (u->n_groups)
        order_groups(s, u);
    for (size_t g = 0, to; u->podgroup && g < u->n_groups; g = to) {
        for (to = g + 1; to < u->n_groups && same_path(&u->group[to], &u->group[g]);)
            to++;
        share_minimum(s, u, g, to);
    }
}
