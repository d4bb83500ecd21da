/* admission.c - admission checks: which jobs wait for a shape, where, and whether they find a
 * place.
 *
 * A shape that finds none is looked at once until something makes room; one that does, once until
 * something is given away. Allocate looks only at leaves with waiting jobs of a shape that finds a
 * place. */
#include "policies/kai/quota.h"

#include <string.h>

/* ---- Waiting jobs by shape ---- */

struct admission_check *quota_check(struct sched *s, struct quota_state *q, shape_id shape)
{
    size_t known = q->n_checks;
    q->check = array_covering(sched_alloc, s, q->check, &q->n_checks, shape, sizeof *q->check);
    for (; known < q->n_checks; known++)
        q->check[known].failed_at = UINT64_MAX;
    return &q->check[shape];
}

static bool shape_before(const void *entry, const void *key)
{
    return ((const struct leaf_shape *)entry)->shape < *(const shape_id *)key;
}

struct leaf_shape *quota_leaf_shape(struct sched *s, struct leaf *l, shape_id shape)
{
    size_t at = lower_bound(l->shape, l->n_shapes, sizeof *l->shape, &shape, shape_before);
    if (at < l->n_shapes && l->shape[at].shape == shape)
        return &l->shape[at];
    l->shape = array_grown(sched_alloc, s, l->shape, &l->shapes_capacity, l->n_shapes, sizeof *l->shape);
    array_open(l->shape, l->n_shapes++, at, sizeof *l->shape);
    l->shape[at] = (struct leaf_shape){ .shape = shape,
                                        .why = WAIT_ORDER,
                                        .more = sched_alloc(s, sizeof *l->shape->more) };
    l->shape[at].more->left_at = UINT64_MAX;
    return &l->shape[at];
}

/* One more, or fewer, of the jobs that wait whole for this shape was acted on in this pass. */
static void count_acted(const struct quota_state *q, struct admission_check *check, int by)
{
    if (check->acted_pass != q->pass)
        check->acted = 0;
    check->acted_pass = q->pass;
    check->acted += (uint32_t)by;
}

void quota_shape_acted(struct sched *s, struct quota_state *q, job_id j)
{
    count_acted(q, quota_check(s, q, job_facts(s, j)->ask->shape), 1);
}

bool quota_all_acted(const struct quota_state *q, const struct admission_check *check)
{
    return check->acted_pass == q->pass && check->acted == check->waiting;
}

/* The first job of the leaf that waits for the shape has come; or the last one has gone. */
static void enter_leaf(struct sched *s, struct admission_check *check, struct leaf_shape *here,
                       queue_id leaf)
{
    check->leaf = array_grown(sched_alloc, s, check->leaf, &check->leaves_capacity, check->n_leaves,
                              sizeof *check->leaf);
    here->place = (uint32_t)check->n_leaves;
    check->leaf[check->n_leaves++] = leaf;
}

static void leave_leaf(struct sched *s, struct quota_state *q, struct admission_check *check,
                       const struct leaf_shape *here)
{
    queue_id last = check->leaf[--check->n_leaves];
    check->leaf[here->place] = last;
    quota_leaf_shape(s, &q->leaf[last], here->shape)->place = here->place;
}

/* By the check, before this job is counted. */
static bool asks_as_others(const struct admission_check *check, const struct leaf_shape *here,
                           const struct job_facts *f)
{
    return here->waiting > 0 && check->uniform && f->n_groups == 0 &&
           f->min_tasks == check->min_tasks;
}

static void count_in_leaf(struct sched *s, struct quota_state *q, struct admission_check *check,
                          job_id j, int by)
{
    const struct job_facts *f = job_facts(s, j);
    struct leaf *l = &q->leaf[f->queue];
    struct leaf_shape *here = quota_leaf_shape(s, l, f->ask->shape);
    if (by > 0 && !asks_as_others(check, here, f)) {
        struct quota_amount ask = quota_wanted(s, j, NULL).amount;
        if (here->waiting == 0)
            enter_leaf(s, check, here, f->queue);
        q->asks[f->queue] |= quota_shape_bit(f->ask->shape);
        if (here->waiting == 0 || ask.of[Q_GPU] < here->least_milli) {
            here->more->ask = ask;
            here->least_milli = ask.of[Q_GPU];
        }
        l->min_gpu_milli = min_i64(l->min_gpu_milli, ask.of[Q_GPU]);
    }
    here->waiting += (uint32_t)by;
    if (here->waiting > 0)
        return;
    leave_leaf(s, q, check, here);
    l->min_gpu_milli = INT64_MAX;
    q->asks[f->queue] = 0;
    for (size_t i = 0; i < l->n_shapes; i++)
        if (l->shape[i].waiting) {
            l->min_gpu_milli = min_i64(l->min_gpu_milli, l->shape[i].least_milli);
            q->asks[f->queue] |= quota_shape_bit(l->shape[i].shape);
        }
}

static bool is_mixed(const struct admission_check *check)
{
    return check->waiting > 0 && !check->uniform;
}

/* KAI's placers find a place for equal tasks of it where node by node as many fit as are wanted, and
 * for a total of GPUs where as many are free: nothing but whole GPUs is scarce, they may be anywhere,
 * and no reservation is in the way. */
static bool numbers_decide(struct sched *s, struct quota_state *q, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    return !ask->next && !ask->mig && ask->gpus > 0 && ask->gpu_milli == MILLI_ALL &&
           !ask->cpu_milli && !ask->mem_mib && !ask->gpu_mem_mib && !ask->max_per_node &&
           !ask->one_island && !ask->set && ask->required_level >= LEVEL_CLUSTER &&
           ask->preferred_level >= LEVEL_CLUSTER && quota_fills(s, q, j) && !sched_has_outages(s);
}

void quota_count_shape(struct sched *s, struct quota_state *q, job_id j, int by)
{
    const struct job_facts *f = job_facts(s, j);
    shape_id shape = f->ask->shape;
    struct admission_check *check = quota_check(s, q, shape);
    count_in_leaf(s, q, check, j, by);
    q->n_mixed -= is_mixed(check);
    if (check->waiting == 0) {
        q->asked =
            array_grown(sched_alloc, s, q->asked, &q->asked_capacity, q->n_asked, sizeof *q->asked);
        check->place = (uint32_t)q->n_asked;
        q->asked[q->n_asked++] = shape;
        check->by_numbers = check->ask ? check->by_numbers : numbers_decide(s, q, j);
        check->ask = quota_ask(s, q, j);
        check->grouped = false;
        check->uniform = true;
        check->min_tasks = UINT32_MAX;
    }
    check->grouped = check->grouped || f->n_groups > 0;
    check->uniform = check->uniform && !check->grouped &&
                     (check->waiting == 0 || f->min_tasks == check->min_tasks);
    if (f->min_tasks < check->min_tasks) {
        check->min_tasks = f->min_tasks;
        check->min_ask = quota_wanted(s, j, NULL).amount;
    }
    check->alike = !check->grouped &&
                   check->min_tasks == (f->ask->tasks == SPLIT_ANY ? 1 : request_tasks(f->ask));
    check->waiting += (uint32_t)by;
    q->n_mixed += is_mixed(check);
    if (((struct quota_job *)job_own(s, j))->pass == q->pass)
        count_acted(q, check, by);
    if (check->waiting == 0) {
        q->asked[check->place] = q->asked[--q->n_asked];
        q->check[q->asked[check->place]].place = check->place;
    }
}

/* ---- The check ---- */

/* What the placer says of equal tasks on whole GPUs holds in any order of nodes and domains. */
static bool order_matters(const struct job_facts *f)
{
    return f->ask->next || f->n_groups > 0 || f->ask->gpu_milli < MILLI_ALL;
}

/* Of a shape of which numbers decide, so many tasks; of a total all of it. */
static bool numbers_fit(struct sched *s, const struct request *ask, uint32_t tasks)
{
    uint32_t wanted = ask->tasks == SPLIT_ANY ? ask->gpus : tasks;
    return domain_fits(sched_view(s, FREE_IDLE), 0, ask) >= wanted ||
           domain_fits(sched_view(s, FREE_OR_RELEASING), 0, ask) >= wanted;
}

/* Of a shape of which numbers decide. Until some GPU of its type has been seen, only the placer knows
 * whether there is any. */
static bool has_nodes(struct sched *s, struct quota_state *q, struct admission_check *check,
                      job_id j, uint32_t tasks)
{
    const struct request *ask = check->ask;
    if (numbers_fit(s, ask, tasks)) {
        check->has_type = true;
        return true;
    }
    if (check->has_type && (ask->gpus == 1 || ask->tasks == SPLIT_ANY)) {
        check->why_not = WAIT_GPUS;    /* no node has some of what is wanted */
        return false;
    }
    int64_t free = domain_free_gpus(sched_view(s, FREE_OR_RELEASING), 0, ask);
    check->has_type = check->has_type || free > 0;
    int64_t wanted = (int64_t)(ask->tasks == SPLIT_ANY ? 1 : tasks) * ask->gpus;
    check->why_not = free < wanted ? WAIT_GPUS : WAIT_FRAGMENTED;
    if (!check->has_type) {
        struct wanted w = quota_wanted(s, j, NULL);
        (void)quota_place(s, q, FREE_OR_RELEASING, j, w.task, w.n, ID_NONE);
        check->why_not = sched_why_not(s);
    }
    return false;
}

/* As the placer says, view by view. */
static bool is_placed(struct sched *s, struct quota_state *q, struct admission_check *check,
                      job_id j)
{
    struct wanted w = quota_wanted(s, j, NULL);
    bool placed = quota_place(s, q, FREE_IDLE, j, w.task, w.n, ID_NONE) ||
                  quota_place(s, q, FREE_OR_RELEASING, j, w.task, w.n, ID_NONE) ||
                  (order_matters(job_facts(s, j)) && quota_chooses(s, q, j) &&
                   quota_choose(s, q, j, w.task, w.n, true).where);
    if (!placed)
        check->why_not = sched_why_not(s);
    return placed;
}

/* Numbers say all of jobs that are all alike: whichever is asked for, none has to be read. */
static inline bool numbers_say_all(const struct quota_state *q, const struct admission_check *check)
{
    return check->alike && check->by_numbers && check->has_type && !q->pods;
}

/* For j, of this shape, which holds nothing; ID_NONE: for any, if numbers say all. The answer stands until
 * something is given away. */
static bool finds_place(struct sched *s, struct quota_state *q, struct admission_check *check,
                        job_id j)
{
    if (check->alike && check->tried_at == q->placements &&
        check->tried_tasks == check->min_tasks)
        return check->fits;
    if (numbers_say_all(q, check)) {
        check->fits = has_nodes(s, q, check, j, check->min_tasks);
        check->tried_at = q->placements;
        check->tried_tasks = check->min_tasks;
        return check->fits;
    }
    const struct job_facts *f = job_facts(s, j);
    uint32_t tasks = f->n_groups ? 0 : f->min_tasks;    /* 0: for j alone */
    if (tasks && check->tried_at == q->placements && check->tried_tasks == tasks)
        return check->fits;
    check->fits = tasks && check->by_numbers ? has_nodes(s, q, check, j, tasks)
                                             : is_placed(s, q, check, j);
    check->tried_at = q->placements;
    check->tried_tasks = tasks;
    if (!check->fits || !quota_pods_concern(s, q, j) || !quota_chooses(s, q, j))
        return check->fits;
    check->why_not = WAIT_TOPOLOGY;
    struct wanted w = quota_wanted(s, j, NULL);
    check->fits = quota_choose(s, q, j, w.task, w.n, true).where;
    return check->fits;
}

void quota_note_failed(struct quota_state *q, struct admission_check *check, uint32_t tasks)
{
    q->noted++;
    if (check->failed_at != q->version || tasks < check->failed_tasks)
        check->failed_tasks = tasks;
    check->failed_at = q->version;
}

static bool fails(struct quota_state *q, struct admission_check *check, uint32_t tasks)
{
    quota_note_failed(q, check, tasks);
    check->why = check->why_not;
    return false;
}

void quota_shape_failed(struct quota_state *q, struct admission_check *check)
{
    (void)fails(q, check, check->min_tasks);
}

bool quota_may_skip(struct sched *s, struct quota_state *q, const struct leaf *l, shape_id shape)
{
    return !l->growing && quota_check(s, q, shape)->uniform;
}

bool quota_heads_will_do(struct sched *s, struct quota_state *q, const struct leaf *l)
{
    bool will = !l->growing;
    if (q->n_mixed == 0)
        return will;
    for (size_t i = 0; i < l->n_shapes && will; i++)
        will = !l->shape[i].waiting || quota_check(s, q, l->shape[i].shape)->uniform;
    return will;
}

bool quota_shape_fits(struct sched *s, struct quota_state *q, shape_id shape, job_id j,
                      uint32_t tasks)
{
    struct admission_check *check = quota_check(s, q, shape);
    if (quota_has_failed(q, check, tasks))
        return false;
    return finds_place(s, q, check, j) || fails(q, check, tasks);
}

bool quota_no_shape_fits(const struct quota_state *q)
{
    for (size_t i = 0; i < q->n_asked; i++)
        if (!quota_has_failed(q, &q->check[q->asked[i]], q->check[q->asked[i]].min_tasks))
            return false;
    return true;
}

/* A leaf that this pass has not acted on, where jobs wait whole for the shape; ID_NONE: there is none. */
static queue_id waits_unacted(const struct quota_state *q, const struct admission_check *check)
{
    for (size_t i = 0; i < check->n_leaves; i++)
        if (q->leaf[check->leaf[i]].acted != q->pass)
            return check->leaf[i];
    return ID_NONE;
}

/* There is one: where more wait than the pass has acted on, none of them is read. */
static inline bool some_waits_unacted(const struct quota_state *q, const struct admission_check *check)
{
    return check->n_leaves > q->n_acted || waits_unacted(q, check) != ID_NONE;
}

/* A waiting job of a shape with equal jobs only, in such a leaf. */
static bool one_of(const struct quota_state *q, const struct admission_check *check, shape_id shape,
                   job_id *j)
{
    queue_id leaf = check->alike ? waits_unacted(q, check) : ID_NONE;
    return leaf != ID_NONE && line_first_of(q->leaf[leaf].waiting, shape, j, NULL);
}

bool quota_alike_fits(struct sched *s, struct quota_state *q, shape_id shape, job_id j)
{
    return finds_place(s, q, &q->check[shape], j);
}

bool quota_one_fits(struct sched *s, struct quota_state *q, shape_id shape)
{
    struct admission_check *check = &q->check[shape];
    job_id j = ID_NONE;
    bool any = numbers_say_all(q, check) ? some_waits_unacted(q, check)
                                         : one_of(q, check, shape, &j);
    return any && finds_place(s, q, check, j);
}

static void open_all(struct quota_state *q, const struct admission_check *check)
{
    for (size_t i = 0; i < check->n_leaves; i++)
        bitset_put(&q->leaves, q->open, check->leaf[i], true);
}

/* Opens the leaves in which a job waits of a shape that finds a place, or may. In other leaves no
 * job would find one; that is noted here, as if they had been looked at, unless they are left out
 * for other reasons. */
void quota_open_leaves(struct sched *s, struct quota_state *q)
{
    memcpy(q->open, q->grows, q->leaves.words * sizeof *q->open);
    for (size_t i = 0; i < q->n_acted; i++)
        bitset_put(&q->leaves, q->open, q->acted[i], line_length(q->leaf[q->acted[i]].waiting) > 0);
    for (size_t i = 0; i < q->n_asked; i++) {
        struct admission_check *check = &q->check[q->asked[i]];
        job_id j;
        if (!quota_has_failed(q, check, check->min_tasks) &&
            (!one_of(q, check, q->asked[i], &j) || finds_place(s, q, check, j)))
            open_all(q, check);
    }
    for (size_t i = 0; i < q->n_asked; i++) {
        struct admission_check *check = &q->check[q->asked[i]];
        for (size_t k = 0;
             !quota_has_failed(q, check, check->min_tasks) && k < check->n_leaves; k++)
            if (!bitset_has(q->open, check->leaf[k]) && !q->leaf[check->leaf[k]].spent)
                fails(q, check, check->min_tasks);
    }
}

/* Some shape of which not all jobs were acted on is known to find a place as things are. */
static bool some_fits(const struct quota_state *q)
{
    for (size_t i = 0; i < q->n_asked; i++) {
        const struct admission_check *check = &q->check[q->asked[i]];
        if (quota_known_to_fit(q, check, check->min_tasks) && !quota_all_acted(q, check))
            return true;
    }
    return false;
}

/* No shape finds a place as things are, task by task neither, and as no job gets anything things
 * stay so. Each shape would come to the same answer, with the reason that was given for it before:
 * then no further job need have its turn. For a shape with all its jobs acted on nothing would be
 * noted either, unless one of them was reinstated: it stands in the line until its start is
 * notified, and whether another like it would fit is then seen, and noted. */
static bool all_infeasible(struct sched *s, struct quota_state *q)
{
    if (!quota_is_plain(q) || q->budgets || some_fits(q))
        return false;
    for (size_t i = 0; i < q->n_asked; i++) {
        struct admission_check *check = &q->check[q->asked[i]];
        job_id j;
        if (quota_has_failed(q, check, check->min_tasks))
            continue;
        if (quota_all_acted(q, check)) {
            if (q->reinstated == q->pass)
                return false;
            continue;
        }
        if (!one_of(q, check, q->asked[i], &j) || finds_place(s, q, check, j) ||
            check->why != check->why_not || check->ask->next ||
            !quota_lacks_nodes(s, FREE_IDLE, check->ask, check->min_tasks) ||
            !quota_lacks_nodes(s, FREE_OR_RELEASING, check->ask, check->min_tasks))
            return false;
    }
    return true;
}

/* Between what is given away and what is noted the answer stays the same. */
bool quota_all_infeasible(struct sched *s, struct quota_state *q)
{
    if (quota_some_feasible(q))
        return false;
    if (!all_infeasible(s, q)) {
        q->feasible_placements = q->placements;
        q->feasible_noted = q->noted;
        return false;
    }
    for (size_t i = 0; i < q->n_asked; i++)
        if (!quota_all_acted(q, &q->check[q->asked[i]]))
            quota_note_failed(q, &q->check[q->asked[i]], q->check[q->asked[i]].min_tasks);
    return true;
}
