/* preemptive.c - priority classes as Slurm preempts for them: lower ones are requeued, suspended or
 * cancelled.
 *
 * Jobs go by priority, then submit time, all of a job or nothing. A job that does not fit takes
 * GPUs of running jobs of strictly lower priority (SchedMD/slurm:src/interfaces/preempt.c,
 * src/plugins/select/cons_tres/job_test.c; schedulers.md e):
 * - candidates by priority, then fewest nodes, then youngest; with youngest=yes by start time
 *   alone;
 * - they are removed one by one until the job fits;
 * - up to `reorder` times the order is changed and the removal begun again: the one that was needed
 *   last first (strict_order=yes), or those first that free most of the chosen nodes;
 * - a job that is not in the way on the nodes that were chosen stays.
 * A job that started less than exempt_s ago is no candidate. What differs: a suspended job resumes
 * as soon as its GPUs are free, in the order of the line, without gang time slices, and takes them
 * back from lower ones that run there. */
#include "policies/common/free_gpus.h"
#include "policies/common/queueing.h"
#include "policies/slurm/preemption_order.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <stdlib.h>
#include <string.h>

struct preemptive_params {
    struct queueing_params queueing; /* one pool */
    double mode, youngest, reorder, strict_order, exempt_s;
};
enum { MODE_REQUEUE, MODE_SUSPEND, MODE_CANCEL };
static const char *const modes[] = { "requeue", "suspend", "cancel", NULL };
static const enum stop_mode stops[] = {
    [MODE_REQUEUE] = STOP_SAVE, [MODE_SUSPEND] = STOP_SUSPEND, [MODE_CANCEL] = STOP_CANCEL
};

struct preemptive {
    struct queueing_state queueing;
    const struct preemptive_params *params;
    struct preemption_order running;
    struct line *suspended;       /* in the order of the classes */
    uint64_t moment;              /* a pass, or what follows a preemption in it: nothing was given up since */
};
struct preemptive_job { uint64_t blocked_at; };    /* its place was not to be had at this moment */
/* The jobs that may be stopped for one, read from the order of preemption as far as they are asked
 * for: mostly the first few are enough. All scratch. */
struct victims {
    job_id beneficiary;
    const struct placement *there;    /* only those on its nodes; NULL: all */
    struct ranking_place next;
    bool more;                    /* there is a job at `next` */
    job_id *job, *exempt;         /* [n], [n_exempt] */
    size_t n, n_exempt, capacity, exempt_capacity;
};

/* ---- Running jobs ---- */

static int64_t exempt_until_ns(const struct sched *s, const struct preemptive *p, job_id j)
{
    return job_last_start_ns(s, j) + (int64_t)(p->params->exempt_s * 1e9);
}

/* Only the whole of a job is suspended. */
static bool is_whole(const struct sched *s, job_id j)
{
    uint32_t tasks = request_tasks(job_facts(s, j)->ask);
    return tasks == SPLIT_ANY || job_placement(s, j)->n == tasks;
}

static bool may_stop(const struct sched *s, const struct preemptive *p, job_id v, job_id j)
{
    return preemption_scope(s, v) == preemption_scope(s, j) && job_state(s, v) == JOB_RUNNING &&
           job_facts(s, v)->preemptible && job_facts(s, v)->priority < job_facts(s, j)->priority &&
           ((int)p->params->mode != MODE_SUSPEND || is_whole(s, v));
}

static bool overlaps(const struct placement *a, const struct placement *b)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            if (a->piece[i].node == b->piece[k].node)
                return true;
    return false;
}

static struct victims victims_for(const struct preemptive *p, job_id j, const struct placement *there)
{
    struct victims v = { .beneficiary = j, .there = there };
    v.more = ranking_first(&p->running.jobs, &v.next);
    return v;
}

/* Reads one job of the order. */
static void victims_read(struct sched *s, const struct preemptive *p, struct victims *v)
{
    job_id r = ranking_at(&p->running.jobs, v->next)->job, j = v->beneficiary;
    v->more = ranking_next(&p->running.jobs, &v->next);
    if (p->params->youngest <= 0 && job_facts(s, r)->priority >= job_facts(s, j)->priority)
        v->more = false;              /* nor are those behind it lower */
    if (!may_stop(s, p, r, j) || (v->there && !overlaps(v->there, job_placement(s, r))))
        return;
    bool is_exempt = exempt_until_ns(s, p, r) > sched_now(s);
    job_id **to = is_exempt ? &v->exempt : &v->job;
    size_t *n = is_exempt ? &v->n_exempt : &v->n,
           *capacity = is_exempt ? &v->exempt_capacity : &v->capacity;
    *to = array_grown(sched_scratch, s, *to, capacity, *n, sizeof **to);
    (*to)[(*n)++] = r;
}

/* There is an i-th that is not exempt. */
static bool victim_there(struct sched *s, const struct preemptive *p, struct victims *v, size_t i)
{
    while (v->n <= i && v->more)
        victims_read(s, p, v);
    return i < v->n;
}

static void victims_read_all(struct sched *s, const struct preemptive *p, struct victims *v)
{
    while (v->more)
        victims_read(s, p, v);
}

/* ---- Removing them ---- */

/* GPUs that j lacks. 0: none, or it wants a share: one may be free where no whole GPU is. */
static int64_t lacks_milli(struct sched *s, job_id j)
{
    struct request r = job_request(s, j);
    if (r.gpu_milli < MILLI_ALL)
        return 0;
    return job_size(s, j).gpu_milli -
           (int64_t)free_gpus_for(sched_view(s, FREE_OR_RELEASING), &r) * MILLI_ALL;
}

/* The first n victims free as much, at most: a job that shares a GPU may be alone on it. */
static bool may_suffice(struct sched *s, const struct preemptive *p, struct victims *v, size_t n,
                        int64_t lacks)
{
    for (size_t i = 0; lacks > 0 && i < n && victim_there(s, p, v, i); i++)
        lacks -= preemption_held_milli(job_placement(s, v->job[i]));
    return lacks <= 0;
}

static const struct placement *room_for(struct sched *s, job_id j)
{
    struct request r = job_request(s, j);
    return sched_place(s, sched_view(s, FREE_OR_RELEASING), &r);
}

/* Stops the first n in order until j fits. NULL: it does not; *used: how many it took. */
static const struct placement *remove_in_order(struct sched *s, const struct preemptive *p,
                                               struct victims *v, size_t n, size_t *used)
{
    enum stop_mode mode = stops[(int)p->params->mode];
    const struct placement *where = room_for(s, v->beneficiary);
    for (*used = 0; !where && *used < n && victim_there(s, p, v, *used); ++*used)
        if (sched_stop(s, v->job[*used], mode) == SCHED_OK)
            where = room_for(s, v->beneficiary);
    return where;
}

struct useful { job_id job; size_t nodes, place; };

static int most_useful_first(const void *a, const void *b)
{
    const struct useful *x = a, *y = b;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* How many of n distinct nodes, ascending, p is on. */
static size_t nodes_in_common(struct sched *s, const node_id *node, size_t n,
                              const struct placement *p)
{
    size_t m, common = 0;
    const node_id *other = preemption_nodes(s, p, &m);
    for (size_t i = 0, k = 0; i < n && k < m;) {
        common += node[i] == other[k];
        if (node[i] <= other[k])
            i++;
        else
            k++;
    }
    return common;
}

/* The first n of them, none stopped, in another order. */
static void reorder(struct sched *s, const struct preemptive *p, job_id *victim, size_t n,
                    const struct placement *where)
{
    if (p->params->strict_order > 0) {
        job_id last = victim[n - 1];
        memmove(victim + 1, victim, (n - 1) * sizeof *victim);
        victim[0] = last;
        return;
    }
    size_t n_nodes;
    const node_id *node = preemption_nodes(s, where, &n_nodes);
    struct useful *all = sched_scratch(s, n * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct useful){ victim[i],
                                  nodes_in_common(s, node, n_nodes, job_placement(s, victim[i])), i };
    qsort(all, n, sizeof *all, most_useful_first);
    for (size_t i = 0; i < n; i++)
        victim[i] = all[i].job;
}

/* The exempt ones behind the others. */
static void victims_join_exempt(struct sched *s, struct victims *v)
{
    for (size_t i = 0; i < v->n_exempt; i++) {
        v->job = array_grown(sched_scratch, s, v->job, &v->capacity, v->n, sizeof *v->job);
        v->job[v->n++] = v->exempt[i];
    }
}

/* The beneficiary, which lacks so much, would fit if the exempt jobs were stopped too. Then a pass
 * follows when the first of them is exempt no longer. */
static bool is_protected(struct sched *s, const struct preemptive *p, struct victims *v,
                         int64_t lacks)
{
    if (p->params->exempt_s <= 0)
        return false;
    victims_read_all(s, p, v);
    victims_join_exempt(s, v);
    if (!v->n_exempt || !may_suffice(s, p, v, v->n, lacks))
        return false;
    sched_mark_t before = sched_mark(s);
    size_t used;
    bool fits = remove_in_order(s, p, v, v->n, &used) != NULL;
    sched_rollback(s, before);
    int64_t first_ns = TIME_NEVER;
    for (size_t i = 0; fits && i < v->n_exempt; i++) {
        int64_t until_ns = exempt_until_ns(s, p, v->exempt[i]);
        first_ns = min_i64(until_ns, first_ns);
    }
    if (fits)
        sched_wake_at(s, first_ns);
    return fits;
}

/* j starts. Of the stopped jobs, the last first, those that are not in its way stay, and requeued
 * ones start elsewhere if they fit. */
static bool take(struct sched *s, job_id j, const struct placement *where, const job_id *victim,
                 size_t n, enum stop_mode mode)
{
    if (sched_start(s, j, where) > SCHED_LATER)
        return false;
    for (size_t i = n; i-- > 0;) {
        const struct placement *elsewhere;
        if (sched_keep(s, victim[i]) == SCHED_OK)
            continue;
        if (mode == STOP_SAVE && (elsewhere = room_for(s, victim[i])) &&
            sched_start(s, victim[i], elsewhere) <= SCHED_LATER)
            continue;
        sched_note(s, victim[i], j);
    }
    return true;
}

static bool preempt(struct sched *s, struct preemptive *p, job_id j, enum wait_reason *why)
{
    int64_t lacks = lacks_milli(s, j);
    if (!preemption_order_holds(s, &p->running, j, lacks))
        return false;
    struct victims v = victims_for(p, j, NULL);
    sched_mark_t before = sched_mark(s);
    size_t used = 0;
    const struct placement *where =
        may_suffice(s, p, &v, SIZE_MAX, lacks) ? remove_in_order(s, p, &v, SIZE_MAX, &used) : NULL;
    for (double pass = 0; where && used > 1 && pass < p->params->reorder; pass++) {
        sched_rollback(s, before);
        reorder(s, p, v.job, used, where);
        where = remove_in_order(s, p, &v, used, &used);
    }
    if (where && take(s, j, where, v.job, used, stops[(int)p->params->mode])) {
        p->moment++;
        return true;
    }
    sched_rollback(s, before);
    if (is_protected(s, p, &v, lacks))
        *why = WAIT_PROTECTED;
    return false;
}

/* ---- A suspended job resumes where it was ---- */

static int by_node(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                              : (x->task > y->task) - (x->task < y->task);
}

/* The job may be on the node of these pieces, and their GPUs are free together. */
static bool node_is_free(const struct view *v, const struct request *ask, const struct piece *piece,
                         size_t n)
{
    struct node_free f = view_node(v, piece->node);
    uint64_t shared = 0;
    uint32_t whole = 0;
    for (size_t i = 0; i < n; i++) {
        bool takes_whole = piece[i].milli == MILLI_ALL;
        whole += takes_whole ? piece[i].gpus : 0;
        if (!view_allows(v, request_of_task(ask, piece[i].task), piece->node) ||
            (takes_whole && piece[i].gpu_mask & ~f.whole_mask))
            return false;
        shared |= takes_whole ? 0 : piece[i].gpu_mask;
    }
    for (uint64_t m = shared; m; m &= m - 1) {
        uint32_t gpu = (uint32_t)__builtin_ctzll(m), milli = 0;
        for (size_t i = 0; i < n; i++)
            milli += piece[i].gpu_mask >> gpu & 1 ? piece[i].milli : 0;
        if (view_gpu_milli(v, piece->node, gpu) < milli)
            return false;
    }
    return whole <= f.whole;
}

/* Its GPUs. What else it had, it has kept; but a reservation may have begun there. */
static bool is_free(struct sched *s, job_id j, const struct placement *p)
{
    const struct view *v = sched_view(s, FREE_OR_RELEASING);
    struct piece *piece = sched_scratch(s, p->n * sizeof *piece);
    memcpy(piece, p->piece, p->n * sizeof *piece);
    qsort(piece, p->n, sizeof *piece, by_node);
    for (size_t from = 0, to = 0; from < p->n; from = to) {
        while (to < p->n && piece[to].node == piece[from].node)
            to++;
        if (!node_is_free(v, job_facts(s, j)->ask, &piece[from], to - from))
            return false;
    }
    return true;
}

/* Starts only make it worse: where nobody could give way, it is not tried again at this moment. */
static bool resume(struct sched *s, struct preemptive *p, job_id j)
{
    const struct placement *there = job_suspended(s, j);
    struct preemptive_job *own = job_own(s, j);
    if (own->blocked_at == p->moment)
        return false;
    sched_mark_t before = sched_mark(s);
    struct victims v = { .n = 0 };
    bool free = is_free(s, j, there);
    if (!free) {
        v = victims_for(p, j, there);
        victims_read_all(s, p, &v);
        for (size_t i = 0; i < v.n; i++)
            sched_stop(s, v.job[i], STOP_SUSPEND);
        free = v.n && is_free(s, j, there);
    }
    if (free && take(s, j, there, v.job, v.n, STOP_SUSPEND)) {
        p->moment++;
        return true;
    }
    sched_rollback(s, before);
    own->blocked_at = free || v.n ? 0 : p->moment;    /* what is refused is counted each time */
    return false;
}

/* Not for a job that the limit of its queue holds: Slurm tests limits before it looks for victims. */
static bool preempt_for(struct sched *s, struct queueing_state *o, job_id j, enum wait_reason *why)
{
    if (*why == WAIT_LIMIT)
        return false;
    struct preemptive *p = (struct preemptive *)o;    /* its first member */
    return job_suspended(s, j) ? resume(s, p, j) : preempt(s, p, j, why);
}

/* ---- The table ---- */

static const struct discipline classes = { .key = key_priority, .preempt_for = preempt_for };

static void preemptive_begin(struct sched *s, const void *params, void *state)
{
    struct preemptive *p = state;
    p->params = params;
    p->suspended = line_new(s);
    queueing_begin(s, &p->queueing, &classes, params);
}

static void preemptive_schedule(struct sched *s, const void *params, void *state)
{
    struct preemptive *p = state;
    (void)params;
    p->moment++;
    queueing_serve(s, &p->queueing);
    if (p->params->queueing.blocking > BLOCKING_STRICT)
        return;
    /* a head that waits: perhaps for memory that they keep */
    struct line_walk behind = { .l = p->suspended };
    for (job_id j; line_next(&behind, &j);)
        if (job_suspended(s, j) && job_state(s, j) == JOB_PENDING && !job_over_limit(s, j))
            resume(s, p, j);
}

static void preemptive_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct preemptive *p = state;
    if (job_suspended(s, j))
        line_push(p->suspended, j, key_priority(s, j, params));
    queueing_arrived(s, &p->queueing, j);
}

static void preemptive_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct preemptive *p = state;
    queueing_started(s, &p->queueing, j);
    line_remove(p->suspended, j);
    preemption_order_add(s, &p->running, j, p->params->youngest > 0);
}

static void preemptive_stopped(struct sched *s, const void *params, void *state, job_id j,
                               enum stop_cause why)
{
    (void)params;
    (void)why;
    preemption_order_drop(s, &((struct preemptive *)state)->running, j);
}

#define AT(field) offsetof(struct preemptive_params, field)
static const struct param preemptive_param_list[] = {
    QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
    { "mode", "what happens to preempted jobs", "", 0, 0, MODE_REQUEUE, modes, AT(mode) },
    { "youngest", "yes: the job that started last is preempted first, whatever its priority", "", 0,
      0, 0, param_no_yes, AT(youngest) },
    { "reorder", "times that the victims are put in another order and tried again", "", 0, 100, 1,
      NULL, AT(reorder) },
    { "strict_order", "that order: no: by the nodes of use; yes: the last first", "", 0, 0, 0,
      param_no_yes, AT(strict_order) },
    { "exempt_s", "jobs that started less than that ago are not preempted", "s", 0, 1e9, 0, NULL,
      AT(exempt_s) },
    { 0 },
};

static unsigned preemptive_needs(const void *params)
{
    return (int)((const struct preemptive_params *)params)->mode == MODE_SUSPEND ? SUSPENDS : 0;
}

const struct policy preemptive_policy = {
    .abi = POLICY_ABI,
    .name = "preemptive",
    .summary = "priority classes as in Slurm: lower ones are requeued, suspended or cancelled",
    .needs = SEES_RELEASING,
    .also_needs = preemptive_needs,
    .params = preemptive_param_list,
    .params_size = sizeof(struct preemptive_params),
    .state_size = sizeof(struct preemptive),
    .job_size = sizeof(struct preemptive_job),
    .begin = preemptive_begin,
    .schedule = preemptive_schedule,
    .job_arrived = preemptive_arrived,
    .job_started = preemptive_started,
    .job_stopped = preemptive_stopped,
};
