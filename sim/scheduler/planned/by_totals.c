/* by_totals.c - requests of which the total of a kind says all: one counted node, of which nothing but whole GPUs is wanted and
 * scarce. Where there is enough they fit, and all that a placer can say is that node. */
#include "sim/contract/util/minmax.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/timeline.h"

bool placing_only_totals_count(const struct sched *s, shape_id shape)
{
    const struct shape_kinds *kinds = &s->placing->kinds[shape];
    const struct request *ask = &s->workload->shape[shape].ask;
    if (s->reserved || kinds->n != 1 || s->cluster->kind[kinds->kind[0]].n_nodes != 1)
        return false;
    const struct node_type *t = &s->cluster->type[s->cluster->kind[kinds->kind[0]].type];
    return t->counted && ask->gpu_milli == MILLI_ALL && (!ask->cpu_milli || t->cpu_milli == INT64_MAX) &&
           (!ask->mem_mib || t->mem_mib == INT64_MAX);
}

bool placing_by_totals(const struct sched *s, const struct request *r)
{
    return s->placing->by_totals[r->shape] && !r->flavor && !s->idle->headroom && !r->next && (r->tasks == SPLIT_ANY || r->tasks == 1);
}

/* No draw is spared, and nothing is asked that a counted node might not have. */
static bool has_one_answer(const struct sched *s, const struct request *r)
{
    return placing_by_totals(s, r) && !(s->setup.placer->needs & DRAWS_NODES) && r->gpus && r->required_level >= LEVEL_CLUSTER &&
           r->preferred_level >= LEVEL_CLUSTER && !r->max_per_node && !r->one_island && !r->set && !r->held && !group_places_wanted(s, r);
}

/* As placing_whatever_limit() says in a view with so many free. */
static const struct placement *answer(struct sched *s, const struct request *r, int64_t free)
{
    s->placing->why_not = free < r->gpus ? NO_ROOM : PLACED;
    if (s->placing->why_not != PLACED)
        return NULL;
    struct placement *p = arena_room(s->scratch, sizeof *p + sizeof p->piece[0]);
    p->n = 1;
    p->piece[0] = (struct piece){
        .node = s->cluster->kind[s->placing->kinds[r->shape].kind[0]].node[0],
        .task = r->tasks == SPLIT_ANY ? 0 : request_task(r, 0),
        .gpus = r->gpus,
        .milli = r->gpu_milli,
        .gpu_mem_mib = r->gpu_mem_mib,
        .mig = r->mig,
    };
    return p;
}

bool placing_has_one_answer(struct sched *s, const struct view *v, const struct request *r, const struct placement **where)
{
    if (!has_one_answer(s, r))
        return false;
    *where = answer(s, r, free_index_whole(v, r));
    return true;
}

/* The max that is taken in that time, which is not past. From now on only plans begin: with one, no more is taken than as the time
 * begins or the plan does. */
static int64_t most_taken(const struct timeline *t, const struct profile *taken, int64_t from_ns, int64_t until_ns)
{
    if (t->n_plans > 1)
        return profile_max(taken, from_ns, until_ns);
    int64_t most = profile_at(taken, from_ns), plan_ns = t->n_plans ? t->plan[0].start_ns : from_ns;
    return plan_ns <= from_ns || plan_ns >= until_ns ? most : max_i64(most, profile_at(taken, plan_ns));
}

int64_t timeline_counted_free(const struct sched *s, node_id n, int64_t from_ns, int64_t until_ns)
{
    const struct timeline *t = s->timeline;
    return cluster_node_gpus(s->cluster, n) - most_taken(t, t->taken[n], from_ns, until_ns) / MILLI_ALL;
}

const struct placement *timeline_place(struct sched *s, const struct request *r, int64_t from_ns, int64_t until_ns)
{
    if (!s->timeline || s->timeline->window[0].blocks || !has_one_answer(s, r))
        return sched_place(s, timeline_view(s, from_ns, until_ns), r);
    if (placing_limit_binds(s, r->shape, request_amount(r)))
        return NULL;
    const struct shape_kinds *kinds = &s->placing->kinds[r->shape];
    node_id n = s->cluster->kind[kinds->kind[0]].node[0];
    return answer(s, r, timeline_counted_free(s, n, from_ns, until_ns));
}
