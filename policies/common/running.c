/* running.c - see running.h. */
#include "policies/common/running.h"

#include "sim/contract/util/array.h"

static bool group_before(const void *entry, const void *key)
{
    return ((const struct running_group *)entry)->shape < *(const shape_id *)key;
}

struct running_group *running_group_of(struct sched *s, const struct queueing_state *o, const struct running *r, job_id j)
{
    if (!o->discipline->by_gpus)
        return r->group;
    shape_id shape = job_facts(s, j)->ask->shape;
    size_t at = lower_bound(r->group, r->n_groups, sizeof *r->group, &shape, group_before);
    return at < r->n_groups && r->group[at].shape == shape ? &r->group[at] : NULL;
}

static struct running_group *group_make(struct sched *s, const struct queueing_state *o,
                                        struct running *r, job_id j)
{
    shape_id shape = o->discipline->by_gpus ? job_facts(s, j)->ask->shape : 0;
    size_t at = lower_bound(r->group, r->n_groups, sizeof *r->group, &shape, group_before);
    r->group = array_grown(sched_alloc, s, r->group, &r->capacity, r->n_groups, sizeof *r->group);
    array_open(r->group, r->n_groups++, at, sizeof *r->group);
    r->group[at] = (struct running_group){
        .shape = shape,
        .order = { .from_end = true, .key = o->discipline->tells_running ? o->discipline->key : NULL, .params = o->params }
    };
    return &r->group[at];
}

int64_t running_frees_milli(struct sched *s, job_id v)
{
    int64_t gpus = 0;
    for (const struct request *r = job_facts(s, v)->ask; r; r = r->next)
        gpus += (int64_t)r->gpus * (r->tasks == SPLIT_ANY ? 1 : (int64_t)r->tasks);
    return gpus * MILLI_ALL;
}

static void note_pushed(struct sched *s, struct running *r, job_id j, struct line_key k)
{
    r->pushed = r->pushed ? r->pushed : sched_alloc(s, PUSHED_KEPT * sizeof *r->pushed);
    r->pushed[r->n_pushed++ % PUSHED_KEPT] = (struct pushed){ j, k };
}

void running_push(struct sched *s, const struct queueing_state *o, struct running *r, job_id j,
                  struct line_key k)
{
    struct running_group *g = running_group_of(s, o, r, j);
    g = g ? g : group_make(s, o, r, j);
    size_t n = ranking_count(&g->order);
    uint32_t e = ranking_set(s, &g->order, j, k);
    if (ranking_count(&g->order) > n) {
        g->job = array_covering(sched_alloc, s, g->job, &g->n_jobs, e, sizeof *g->job);
        g->job[e].frees_milli = running_frees_milli(s, j);
    }
    g->job[e].ahead_until_ns = g->job[e].sure_until_ns = INT64_MIN;
    note_pushed(s, r, j, k);
}

/* Of a job that is far nothing is kept but what it frees. */
void running_fell(struct sched *s, const struct queueing_state *o, struct running *r, job_id j, struct line_key k)
{
    struct running_group *g = running_group_of(s, o, r, j);
    if (g && ranking_stays_far(&g->order, j, k))
        note_pushed(s, r, j, k);
    else
        running_push(s, o, r, j, k);
}

void running_remove(struct sched *s, const struct queueing_state *o, struct running *r, job_id j)
{
    struct running_group *g = running_group_of(s, o, r, j);
    if (g)
        ranking_drop(s, &g->order, j);
}

size_t running_count(const struct running *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_groups; i++)
        n += ranking_count(&r->group[i].order);
    return n;
}

void running_list(const struct running *r, job_id **to)
{
    for (size_t i = 0; i < r->n_groups; i++)
        *to = ranking_list(&r->group[i].order, *to);
}
