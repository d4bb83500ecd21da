/* quota_search.c - whom to evict for a job: what consolidation, reclaim and preempt share.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/actions/common/solvers. The job's tasks are solved one more at a time: first with
 * the victims that the fewer tasks needed, then with one more potential victim after the other, worst first. Of each, node by node
 * of that victim's job: those potential victims leave whose jobs have a task on the node; then job and victims are placed anew, in the order of
 * the queues. A victim that comes back to its node never left; one that finds another place is moved. If the job has its place and the
 * action finds nothing wrong with what is lost, the next task is solved.
 *
 * A job that gives only a total is one task that lies on several nodes: for it all potential victims leave at once.
 * What differs: a node on which even all potential victims would not free enough GPUs is not tried; a scenario is not tried
 * without a victim if the job fits as it is; other waiting jobs do not take part in the order, so whoever was made room for
 * is served first at the next pass; nodes by id. */
#include "policies/kai/quota_search.h"

#include <stdlib.h>

/* ---- Victim by victim, node by node ---- */

static bool node_could_do(struct sched *s, const struct search *x, node_id n)
{
    if (x->node[n].stamp == x->stamp)
        return x->node[n].able;
    return !x->run || search_free_milli(s, x, n) >= x->task_milli;
}

static bool recorded_could_do(struct sched *s, const struct search *x)
{
    for (size_t i = 0; i < x->n_recorded; i++)
        if (node_could_do(s, x, x->recorded[i].piece[0].node))
            return true;
    return false;
}

/* Those of the potential victims leave whose jobs have a task there, and those that are needed anyway. */
static bool choose_from_node(struct sched *s, struct search *x, node_id n)
{
    bool could = false;
    x->n_chosen = 0;
    for (size_t i = 0; i < x->n_recorded; i++) {
        search_choose(s, x, &x->recorded[i]);
        could = could || node_could_do(s, x, x->recorded[i].piece[0].node);
    }
    if (x->node[n].stamp != x->stamp)
        return could;
    size_t recorded = x->n_chosen;
    for (uint32_t i = x->node[n].first; i != ID_NONE; i = x->link[i].next) {
        bool seen = false;
        for (size_t k = recorded; k < x->n_chosen && !seen; k++)
            seen = x->chosen[k]->job == x->unit[x->link[i].unit].job;
        if (seen)
            continue;
        for (uint32_t u = x->victim[x->unit[x->link[i].unit].victim].first_unit; u != ID_NONE; u = x->unit[u].next_of_job) {
            search_choose(s, x, &x->unit[u]);
            for (uint32_t k = 0; k < x->unit[u].n && !could; k++)
                could = node_could_do(s, x, x->unit[u].piece[k].node);
        }
    }
    return could;
}

static int by_node(const void *a, const void *b)
{
    const node_id *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum outcome try_nodes(struct sched *s, struct quota_state *q, struct search *x, job_id victim, uint32_t tasks)
{
    const struct placement *has = job_placement(s, victim);
    node_id *node = sched_scratch(s, has->n * sizeof *node);
    for (size_t i = 0; i < has->n; i++)
        node[i] = has->piece[i].node;
    qsort(node, has->n, sizeof *node, by_node);
    for (size_t i = 0; i < has->n; i++) {
        if ((i > 0 && node[i] == node[i - 1]) || !choose_from_node(s, x, node[i]))
            continue;
        enum outcome o = search_try(s, q, x, tasks);
        if (o != NO_PLACE)
            return o;
    }
    return NO_PLACE;
}

/* A total that is split in any way needs room anywhere: all potential victims leave, as soon as that frees enough GPUs; when it
 * does not do, again when there are twice as many. */
static enum outcome try_total(struct sched *s, struct quota_state *q, struct search *x)
{
    const struct request *ask = job_facts(s, x->job)->ask;
    int64_t free_milli = (int64_t)domain_free_gpus(sched_view(s, FREE_OR_RELEASING), 0, ask) * ask->gpu_milli;
    if (free_milli + x->freed_milli < x->task_milli || x->n_units < 2 * x->tried)
        return NO_PLACE;
    x->tried = x->n_units;
    x->n_chosen = 0;
    for (size_t i = 0; i < x->n_units; i++)
        search_choose(s, x, &x->unit[i]);
    return search_try(s, q, x, 1);
}

/* The tasks so far that are like the last one. */
static uint32_t alike(const struct search *x, uint32_t tasks)
{
    uint32_t n = 0;
    while (n < tasks && x->wanted.task[tasks - 1 - n] >= x->run->first_task)
        n++;
    return n;
}

/* Makes room for so many tasks. */
static bool solve(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    if (x->n_recorded > 0 || !x->run || !search_lacks_nodes(s, x->run, alike(x, tasks))) {
        x->n_chosen = 0;
        for (size_t i = 0; i < x->n_recorded; i++)
            search_choose(s, x, &x->recorded[i]);
        if (search_try(s, q, x, tasks) == SOLVED)
            return true;
    }
    search_victims(s, q, x);
    bool could = recorded_could_do(s, x);
    bool total = job_facts(s, x->job)->ask->tasks == SPLIT_ANY;
    for (uint32_t u; search_next_victim(s, q, x, &u);)
        if ((total ? try_total(s, q, x) : could || x->n_able ? try_nodes(s, q, x, x->unit[u].job, tasks) : NO_PLACE) == SOLVED)
            return true;
    return false;
}

/* The victims that are needed for this much: units of which not all came back to where it was. They stay whole: what is moved
 * for this much may be lost for more. */
static void record(struct sched *s, struct search *x)
{
    struct unit *kept = sched_scratch(s, x->n_chosen * sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        bool needed = false;
        for (uint32_t p = 0; p < u->n && !needed; p++)
            needed = search_evicted(s, x, u->job, u->piece[p].task)->fate != FATE_KEPT;
        if (needed)
            kept[n++] = (struct unit){ u->job, u->leaf, u->n, ID_NONE, ID_NONE, u->piece };
    }
    x->recorded = kept;
    x->n_recorded = n;
}

/* ---- Doing it ---- */

/* false: it stays where it is. */
static bool stop_evicted(struct sched *s, struct quota_state *q, struct search *x, job_id v)
{
    const struct placement *has = job_placement(s, v);
    uint32_t *task = sched_scratch(s, has->n * sizeof *task), n = 0;
    bool moves = true;                /* nothing of it is lost */
    for (uint32_t i = search_first_evicted(s, x, v); i != ID_NONE; i = x->evicted[i].next_of_job) {
        if (x->evicted[i].fate != FATE_KEPT)
            task[n++] = x->evicted[i].task;
        moves = moves && x->evicted[i].fate != FATE_LOST;
    }
    if (n == 0)
        return false;
    if (n == has->n && job_state(s, v) == JOB_RUNNING && sched_stop(s, v, STOP_SAVE) == SCHED_OK) {
        (moves ? sched_note_move : sched_note)(s, v, x->job);
    } else {
        for (uint32_t i = 0; i < n; i++)
            sched_stop_task(s, v, task[i], STOP_SAVE);
        (moves ? sched_note_move : sched_note)(s, v, x->job);
        quota_runs(s, q, v);
        if (job_placement(s, v))
            quota_waits(s, q, v);
    }
    quota_has_acted(s, q, v);
    return true;
}

static void carry_out(struct sched *s, struct quota_state *q, struct search *x)
{
    for (size_t i = 0; i < x->n_evicted; i++)
        if (search_first_evicted(s, x, x->evicted[i].job) == i && stop_evicted(s, q, x, x->evicted[i].job))
            sched_wake_at(s, sched_now(s) + 1);    /* who leaves in no time is no event: the next pass would not come */
    q->version++;
    q->changes++;
    bool whole = job_facts(s, x->job)->ask->tasks == SPLIT_ANY;
    for (uint32_t i = 0; i < x->wanted.n; i++) {
        node_id to = whole ? ID_NONE : x->placed[i].node;
        const struct placement *where = quota_place(s, FREE_OR_RELEASING, x->job, &x->wanted.task[i], 1, to);
        if (where)
            sched_tentative_add(s, x->job, where);
    }
    for (size_t i = 0; i < x->n_evicted; i++) {
        const struct evicted *e = &x->evicted[i];
        if (e->fate != FATE_MOVED || job_facts(s, e->job)->ask->tasks == SPLIT_ANY)
            continue;
        const struct placement *where = quota_place(s, FREE_OR_RELEASING, e->job, &e->task, 1, e->to);
        if (where)
            sched_tentative_add(s, e->job, where);
    }
    struct quota_job *own = job_own(s, x->job);
    quota_has_acted(s, q, x->job);
    if (x->action == CONSOLIDATION)
        own->consolidated = q->ends;
    line_push(q->awaited, x->job, (struct line_key){ .time_ns = q->n_awaited++ });
    for (size_t i = 0; i < x->n_evicted; i++)
        if (x->evicted[i].fate == FATE_MOVED) {
            line_push(q->awaited, x->evicted[i].job, (struct line_key){ .time_ns = q->n_awaited++ });
            ((struct quota_job *)job_own(s, x->evicted[i].job))->moved = true;
        }
    q->pencilled = true;
    sched_blocked(s, x->job, WAIT_RELEASING);
    search_refresh(s, q, x);
}

bool quota_search(struct sched *s, struct quota_state *q, job_id j, enum quota_action action)
{
    const struct job_facts *f = job_facts(s, j);
    if (action == CONSOLIDATION && !job_placement(s, j) && !f->n_groups &&
        (quota_room(s, q, f->ask->shape)->vain_at == q->changes || quota_moves_in_vain(s, q, f->ask, f->min_tasks))) {
        quota_divide_now(s, q);
        return false;
    }
    struct search *x = search_begin(s, q);
    x->action = action;
    x->job = j;
    x->wanted = quota_wanted(s, j, job_placement(s, j));
    x->n_recorded = 0;
    x->moves_only = action == CONSOLIDATION || (action == RECLAIM && !search_gives(s, q, x));
    if (action == RECLAIM && x->moves_only && (q->params->moves <= 0 || (q->params->consolidation > 0 && job_facts(s, j)->preemptible)))
        return false;              /* nobody gives anything, and consolidation has tried already */
    quota_divide_now(s, q);
    x->placed = sched_scratch(s, (x->wanted.n + 1) * sizeof *x->placed);
    const struct request *ask = f->ask;
    for (uint32_t k = 1; k <= x->wanted.n; k++) {
        const struct request *run = ask->tasks == SPLIT_ANY ? ask : request_of_task(ask, x->wanted.task[k - 1]);
        x->run = ask->tasks != SPLIT_ANY && run->gpus > 0 && run->gpu_milli >= MILLI_ALL ? run : NULL;
        x->task_milli = (int64_t)run->gpus * run->gpu_milli;
        if (!solve(s, q, x, k))
            return false;
        if (k < x->wanted.n)
            record(s, x);
    }
    carry_out(s, q, x);
    return true;
}
