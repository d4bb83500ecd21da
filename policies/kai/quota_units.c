/* quota_units.c - what leaves together: surplus tasks of elastic jobs one by one, then the rest as one.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/api/podgroup_info/eviction_info.go. */
#include "policies/kai/quota_search.h"

static struct quota_amount unit_amount(struct sched *s, const struct unit *u)
{
    uint32_t *task = sched_scratch(s, u->n * sizeof *task);
    for (uint32_t i = 0; i < u->n; i++)
        task[i] = u->piece[i].task;
    return quota_of_tasks(s, u->job, task, u->n);
}

static uint32_t group_of(const struct request *ask, uint32_t task)
{
    return ask->tasks == SPLIT_ANY ? 0 : request_of_task(ask, task)->group;
}

/* Of these pieces of j the last task of the group that holds most of its minimum, if that is more than the minimum. */
static bool surplus_task(const struct sched *s, const struct piece *piece, uint32_t n, job_id j, uint32_t *at)
{
    const struct job_facts *f = job_facts(s, j);
    if (f->ask->tasks == SPLIT_ANY || n <= f->min_tasks)
        return false;
    if (!f->n_groups) {
        *at = n - 1;
        return true;
    }
    uint32_t best_held = 0, best_min = 1;
    bool found = false;
    for (uint32_t g = 0; g < f->n_groups; g++) {
        uint32_t held = 0, last = 0, min = f->group[g].min_tasks;
        for (uint32_t i = 0; i < n; i++)
            if (group_of(f->ask, piece[i].task) == g) {
                held++;
                last = i;
            }
        if (held > min && (!found || (uint64_t)held * best_min >= (uint64_t)best_held * min)) {
            found = true;
            best_held = held;
            best_min = min;
            *at = last;
        }
    }
    return found;
}

int64_t search_free_milli(struct sched *s, const struct search *x, node_id n)
{
    struct node_free f = view_node_for(sched_view(s, FREE_OR_RELEASING), x->run, n);
    int64_t shared = f.shared_mask ? __builtin_popcountll(f.shared_mask) : 0;
    return (int64_t)f.whole * x->run->gpu_milli + shared * MILLI_ALL;
}

static void link_unit(struct sched *s, struct search *x, uint32_t u)
{
    if (x->job == ID_NONE)
        return;                    /* nothing is tried */
    for (uint32_t i = 0; i < x->unit[u].n; i++) {
        const struct piece *p = &x->unit[u].piece[i];
        struct on_node *n = &x->node[p->node];
        int64_t milli = (int64_t)p->gpus * (p->milli < MILLI_ALL ? MILLI_ALL : p->milli);
        if (n->stamp != x->stamp)
            *n = (struct on_node){ x->stamp, ID_NONE, x->run ? search_free_milli(s, x, p->node) : 0, false };
        x->freed_milli += milli;
        n->milli += milli;
        x->n_able += !n->able && (!x->run || n->milli >= x->task_milli);
        n->able = n->able || !x->run || n->milli >= x->task_milli;
        if (n->first != ID_NONE && x->link[n->first].unit == u)
            continue;
        x->link = array_grown(sched_alloc, s, x->link, &x->link_capacity, x->n_links, sizeof *x->link);
        x->link[x->n_links] = (struct on_node_link){ u, n->first };
        n->first = (uint32_t)x->n_links++;
    }
}

static bool is_recorded(const struct search *x, job_id j, uint32_t task)
{
    for (size_t i = 0; i < x->n_recorded; i++)
        for (uint32_t k = 0; x->recorded[i].job == j && k < x->recorded[i].n; k++)
            if (x->recorded[i].piece[k].task == task)
                return true;
    return false;
}

/* What v holds and is no victim yet. */
static uint32_t pieces_left(struct sched *s, const struct search *x, const struct victim *v, const struct piece **to)
{
    const struct placement *has = job_placement(s, v->job);
    *to = has->piece;
    if (x->n_recorded == 0 && v->first_unit == ID_NONE)
        return (uint32_t)has->n;
    struct piece *piece = sched_scratch(s, has->n * sizeof *piece);
    uint32_t n = 0;
    for (size_t i = 0; i < has->n; i++) {
        bool out = is_recorded(x, v->job, has->piece[i].task);
        for (uint32_t u = v->first_unit; u != ID_NONE && !out; u = x->unit[u].next_of_job)
            for (uint32_t k = 0; k < x->unit[u].n && !out; k++)
                out = x->unit[u].piece[k].task == has->piece[i].task;
        if (!out)
            piece[n++] = has->piece[i];
    }
    *to = piece;
    return n;
}

/* Some of it is needed for fewer tasks: so much. */
static bool some_recorded(struct sched *s, const struct search *x, job_id j, struct quota_amount *sum)
{
    bool some = false;
    *sum = (struct quota_amount){ { 0 } };
    for (size_t i = 0; i < x->n_recorded; i++)
        if (x->recorded[i].job == j) {
            struct quota_amount unit = unit_amount(s, &x->recorded[i]);
            *sum = quota_sum(sum, &unit);
            some = true;
        }
    return some;
}

bool search_take_unit(struct sched *s, const struct quota_state *q, struct search *x, uint32_t which, struct quota_amount *lost)
{
    struct victim *v = &x->victim[which];
    const struct piece *piece = v->of->has->piece;
    bool all = !some_recorded(s, x, v->job, lost) && !v->of->surplus;
    uint32_t n = all ? (uint32_t)v->of->has->n : pieces_left(s, x, v, &piece), at = 0;
    if (n == 0)
        return false;
    bool surplus = !all && surplus_task(s, piece, n, v->job, &at);
    if (!surplus && search_protects(q, s, x, v->job))
        return false;
    struct unit u = { v->job, v->leaf, surplus ? 1 : n, v->first_unit, which, surplus ? &piece[at] : piece };
    *lost = all ? v->of->holds : unit_amount(s, &u);
    x->unit = array_grown(sched_alloc, s, x->unit, &x->unit_capacity, x->n_units, sizeof *x->unit);
    x->unit[x->n_units] = u;
    v->first_unit = (uint32_t)x->n_units++;
    link_unit(s, x, v->first_unit);
    if (surplus) {
        x->back = array_grown(sched_alloc, s, x->back, &x->back_capacity, x->n_back, sizeof *x->back);
        x->back[x->n_back++] = (struct back){ which, quota_key(s, v->job, n - 1) };
    }
    return true;
}
