/* checks.c - what the world demands of a request of a policy: pieces that exist, are allowed and add up to what the job asks for. */
#include "sim/scheduler/checks.h"
#include "sim/capacity/placement_form.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/sizes.h"

#include <stdlib.h>

struct checks { uint64_t *node_seen, stamp; };    /* [n_nodes] the last placement that was checked and has a piece there */

void checks_begin(struct sched *s)
{
    s->checks = arena_alloc(s->memory, sizeof *s->checks);
    s->checks->node_seen = mem_new(s->cluster->n_nodes, sizeof *s->checks->node_seen);
}

void checks_end(struct sched *s)
{
    free(s->checks->node_seen);
}

const char *const run_verb_name[VERBS] = {
    [VERB_START] = "start", [VERB_STOP] = "stop", [VERB_KEEP] = "keep", [VERB_RESIZE] = "resize",
    [VERB_REFUSE] = "refuse", [VERB_PENCIL] = "pencil", [VERB_WAKE] = "wake",
};

enum sched_result verb_refused(struct sched *s, job_id j, enum run_verb verb, enum sched_result why)
{
    struct run_refusals *r = &s->totals.refused[verb][why];
    if (r->n++ == 0) {
        r->first = j;
        r->first_ns = s->now_ns;
    }
    decision_log(s, j, "refusal", run_verb_name[verb], sched_result_name[why]);
    return why;
}

/* The request may use the node, or it may in some flavor: which flavor a job has is its policy's affair. Whatever is reserved: a
 * job may hold what it may not start on. */
static bool may_use(const struct sched *s, const struct request *ask, node_id n)
{
    const struct shape_kinds *kinds = s->placing->kinds;
    if (n >= s->cluster->n_nodes)
        return false;
    if (free_index_allows(s->idle, kinds, ask, n))
        return true;
    struct request in = *ask;
    for (in.flavor = 1; in.flavor <= s->cluster->n_flavors; in.flavor++)
        if (free_index_allows(s->idle, kinds, &in, n))
            return true;
    return false;
}

static bool piece_matches(const struct sched *s, const struct request *ask, const struct piece *p)
{
    if (!may_use(s, ask, p->node))
        return false;
    const struct node_type *t = cluster_node_type(s->cluster, p->node);
    if (p->gpus ? p->milli != ask->gpu_milli : ask->tasks == SPLIT_ANY)
        return false;                                    /* another share; a piece of nothing */
    if ((p->gpus ? p->gpu_mem_mib != ask->gpu_mem_mib || p->mig != ask->mig : p->gpu_mem_mib || p->mig) ||
        !piece_on_island(s->cluster, ask, p))
        return false;
    if (t->counted || p->gpus == 0)
        return p->gpu_mask == 0 && (p->gpus == 0 || p->milli == MILLI_ALL);
    return (t->gpus >= 64 || p->gpu_mask >> t->gpus == 0) && (p->gpu_mask & ~view_slots(s->idle, ask, p->node)) == 0 &&
           (uint32_t)__builtin_popcountll(p->gpu_mask) == p->gpus;
}

static bool node_again(struct checks *c, node_id n)
{
    bool again = c->node_seen[n] == c->stamp;
    c->node_seen[n] = c->stamp;
    return again;
}

/* Pieces by rank, one a node, that add up to a total that it may have. */
static bool split_matches(struct sched *s, job_id j, const struct request *ask, const struct placement *p)
{
    uint64_t gpus = 0;
    s->checks->stamp++;
    for (size_t i = 0; i < p->n; i++) {
        if (p->piece[i].task != i || !piece_matches(s, ask, &p->piece[i]) || (p->n > 1 && node_again(s->checks, p->piece[i].node)))
            return false;
        gpus += p->piece[i].gpus;
    }
    return size_allowed(s, j, gpus);
}

static bool nodes_overfull(const struct request *ask, const struct placement *p)
{
    for (size_t i = 0; ask->max_per_node && i < p->n; i++) {
        uint32_t on = 0;
        for (size_t k = 0; k <= i; k++)
            on += p->piece[k].node == p->piece[i].node;
        if (on > ask->max_per_node)
            return true;
    }
    return false;
}

static bool tasks_match(const struct sched *s, job_id j, const struct request *ask, const struct placement *p, bool partial)
{
    uint32_t tasks = partial ? request_tasks(ask) : (uint32_t)p->n;
    if (partial ? p->n > tasks : !size_allowed(s, j, p->n))
        return false;
    for (size_t i = 0; i < p->n; i++) {
        uint32_t task = p->piece[i].task;
        if (task >= tasks || (i > 0 && task <= p->piece[i - 1].task))
            return false;
        const struct request *run = request_of_piece(ask, &p->piece[i]);
        if (p->piece[i].gpus != run->gpus || !piece_matches(s, run, &p->piece[i]))
            return false;
    }
    return !nodes_overfull(ask, p);
}

/* Whatever islands it has besides. */
static bool on_one_numa_node(const struct cluster *c, const struct placement *p)
{
    uint64_t gpus = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->piece[i].node != p->piece[0].node)
            return false;
        gpus |= p->piece[i].gpu_mask;
    }
    return !gpus || !(gpus & ~cluster_node_type(c, p->piece[0].node)->numa_of[__builtin_ctzll(gpus)]);
}

static bool near_enough(const struct sched *s, const struct placement *p, enum level level)
{
    const struct cluster *c = s->cluster;
    if (level == LEVEL_NUMA)
        return on_one_numa_node(c, p);
    return level >= LEVEL_CLUSTER ||
           cluster_placement_distance(c, p) <= cluster_level_distance(c, level);
}

/* The tasks below each group that requires a level, whatever else the job holds. */
static bool groups_near(struct sched *s, job_id j, const struct placement *p)
{
    const struct job_facts *f = &s->workload->facts[j];
    for (uint32_t g = 1; g < f->n_groups; g++) {
        if (f->group[g].required_level >= LEVEL_CLUSTER)
            continue;
        struct placement *part = arena_alloc(s->scratch, sizeof *part + p->n * sizeof part->piece[0]);
        for (size_t i = 0; i < p->n; i++)
            if (group_within(f->group, request_of_piece(f->ask, &p->piece[i])->group, g))
                part->piece[part->n++] = p->piece[i];
        if (part->n && !near_enough(s, part, f->group[g].required_level))
            return false;
    }
    return true;
}

bool placement_matches(struct sched *s, job_id j, const struct placement *p, bool partial)
{
    const struct request *ask = ask_of(s, j);
    if (p->n == 0 || !(ask->tasks == SPLIT_ANY ? split_matches(s, j, ask, p) : tasks_match(s, j, ask, p, partial)))
        return false;
    return near_enough(s, p, ask->required_level) && groups_near(s, j, p);
}

bool placement_joins(struct sched *s, job_id j, const struct placement *p, const struct placement *all)
{
    const struct request *ask = ask_of(s, j);
    return p->n > 0 && ask->tasks != SPLIT_ANY && tasks_match(s, j, ask, p, true) && !nodes_overfull(ask, all) &&
           near_enough(s, all, ask->required_level) && groups_near(s, j, all);
}

const char *const sched_result_name[SCHED_RESULTS] = {
    "ok", "later", "no room", "mismatch", "wrong state", "not allowed", "too often", "over limit",
};
