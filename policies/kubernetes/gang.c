/* gang.c - what sets `gang` apart from kube: all pods of a job (its minimum) or none.
 *
 * A gang that does not fit is set aside and rests, as a pod does (blocking=skip); or it stays at
 * the head of the line, without any back-off, and no gang passes it (strict), or only those that do
 * not delay it (reservation): it is promised the earliest time at which the run's placer finds room
 * by the estimates, as in EASY backfilling, and without a promise none passes. Reservations speak
 * of whole jobs: then a gang starts with all its tasks, and does not grow.
 *
 * A gang that lacks its minimum, as one that ran when the trace began may, tries to get the rest;
 * after stale_s it loses what it holds and waits like any other. After NVIDIA/KAI-Scheduler
 * (schedulers.md b.11). */
#include "sim/contract/timeline.h"
#include "policies/kubernetes/kube.h"
#include "policies/common/free_gpus.h"
#include "sim/contract/util/array.h"

enum { PLACER_TRIES = 1000 };     /* moments at which a reservation asks the placer */

static bool reserves(const struct kube *k)
{
    return (int)k->params->blocking == BLOCKING_RESERVATION;
}

unsigned gang_needs(const void *params)
{
    return (int)((const struct kube_params *)params)->blocking == BLOCKING_RESERVATION
               ? SEES_TIMELINE
               : STARTS_PARTIAL;
}

/* ---- Binding ---- */

/* Of each group the pods of its minimum, or all; false: some found no node. */
static bool bind_some(struct sched *s, struct kube *k, job_id j, bool minimum)
{
    const struct job_facts *f = job_facts(s, j);
    uint32_t left = UINT32_MAX;
    bool all = true;
    for (const struct request *run = f->ask, *before = NULL; run; before = run, run = run->next) {
        if (minimum && (!before || before->group != run->group))
            left = f->n_groups ? f->group[run->group].min_tasks : f->min_tasks;
        uint32_t end = run->first_task + kube_pods_of(run);
        bool bound = true;
        for (uint32_t task = run->first_task; task < end && left && bound; task++, left--) {
            struct request pod = kube_pod(run, task);
            pod.job = j;
            bound = kube_holds(s, j, task) || kube_bind(s, k, j, &pod);
        }
        all = all && bound;
    }
    return all;
}

/* Pod by pod, as many as there is room for. true: it runs; *all: with all its tasks. */
static bool bind_pods(struct sched *s, struct kube *k, job_id j, bool *all)
{
    const struct job_facts *f = job_facts(s, j);
    *all = (f->min_tasks == kube_pods(f->ask) || bind_some(s, k, j, true)) &&
           bind_some(s, k, j, false);
    return job_state(s, j) == JOB_RUNNING;
}

/* The pods that it lacks, one by one, where the levels that it requires leave room beside those that
 * it has. true: it has all. */
static bool grow_inside(struct sched *s, job_id j)
{
    bool all = true;
    for (const struct request *run = job_facts(s, j)->ask; run; run = run->next) {
        uint32_t end = run->first_task + kube_pods_of(run);
        bool bound = true;
        for (uint32_t task = run->first_task; task < end && bound; task++) {
            struct request pod = kube_pod(run, task);
            pod.job = j;
            if (kube_holds(s, j, task))
                continue;
            const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &pod);
            bound = where && sched_start(s, j, where) == SCHED_OK;
        }
        all = all && bound;
    }
    return all;
}

/* Its pods by their scores, as one placement. NULL: one finds no node. */
static const struct placement *scored(struct sched *s, struct kube *k, job_id j)
{
    struct request ask = job_request(s, j);
    struct builder *b = sched_builder(s, sched_view(s, FREE_IDLE), &ask);
    bool all = kube_by_pods(job_facts(s, j));
    for (uint32_t task = 0; task < kube_pods(&ask) && all; task++) {
        struct request pod = kube_pod(job_facts(s, j)->ask, task);
        node_id n;
        pod.job = j;
        all = kube_choose(s, k, j, &pod, &n) && builder_add_some(b, &pod, task, n, pod.gpus);
    }
    const struct placement *p = builder_take(b);
    return all ? p : NULL;
}

/* p would hold a node of the head's reservation when that begins. */
static bool delays_head(const struct sched *s, const struct kube *k, const struct placement *p,
                        int64_t until_ns)
{
    const struct placement *reserved = plan_placement(s, k->head);
    for (size_t i = 0; until_ns > plan_start(s, k->head) && i < p->n; i++)
        for (size_t n = 0; n < reserved->n; n++)
            if (p->piece[i].node == reserved->piece[n].node)
                return true;
    return false;
}

/* Starts j now if that does not delay the head's reservation. */
static bool bind_beside(struct sched *s, struct kube *k, job_id j)
{
    if (job_over_limit(s, j))
        return false;
    struct request r = job_request(s, j);
    int64_t estimate_ns = job_estimate_ns(s, j), now_ns = sched_now(s);
    int64_t until_ns =
        estimate_ns == TIME_NEVER ? TIME_NEVER : now_ns + job_start_cost_ns(s, j) + estimate_ns;
    const struct placement *where = scored(s, k, j);
    if (!where || (k->reserved && delays_head(s, k, where, until_ns)))
        where = sched_place(
            s, k->reserved ? timeline_view(s, now_ns, until_ns) : sched_view(s, FREE_IDLE), &r);
    return where && sched_start(s, j, where) == SCHED_OK;
}

/* Not even one of its pods finds a place whatever is tried, so that no queue is touched by a try
 * (which would show in the order of rows of queues.csv), and nothing is drawn in trying. */
static bool lacks_gpus(struct sched *s, const struct kube *k, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    return job_state(s, j) == JOB_PENDING && !f->ask->next && f->ask->gpu_milli >= MILLI_ALL &&
           k->params->sample <= 0 && k->params->ties <= TIES_NAME &&
           free_gpus_for(sched_view(s, FREE_IDLE), f->ask) < f->ask->gpus;
}

/* All pods that it lacks, or at least its minimum; else none. */
bool gang_bind(struct sched *s, struct kube *k, job_id j)
{
    if (reserves(k))
        /* one that ran as the trace began stays as it is */
        return job_placement(s, j) || bind_beside(s, k, j);
    if (lacks_gpus(s, k, j))
        return false;
    bool all, some = job_placement(s, j) != NULL, by_pods = kube_by_pods(job_facts(s, j));
    sched_mark_t before = sched_mark(s);
    if (by_pods && bind_pods(s, k, j, &all))
        return all;
    if (!by_pods && some) {
        all = grow_inside(s, j);
        if (job_state(s, j) == JOB_RUNNING)
            return all;
    }
    sched_rollback(s, before);
    if (some)
        return false;
    struct request whole = job_request(s, j);
    const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &whole);
    all = where != NULL;
    if (!all)
        where = sched_place(s, sched_view(s, FREE_IDLE), job_request_least(s, j));
    if (!where || sched_start(s, j, where) != SCHED_OK)
        return false;
    return all || (!by_pods && grow_inside(s, j));
}

/* ---- Whether other gangs may pass ---- */

static void reserve(struct sched *s, struct kube *k, job_id j)
{
    struct slot slot = timeline_earliest(s, j, sched_now(s), TIME_NEVER, PLACER_TRIES);
    k->reserved = slot.where && plan_set(s, j, slot.start_ns, slot.where) == SCHED_OK;
    k->shut = !k->reserved;
}

/* The first gang that does not fit is the head; the head before waits for WAIT_ORDER. */
static void becomes_head(struct sched *s, struct kube *k, job_id j)
{
    if (k->head != ID_NONE && k->head != j && job_state(s, k->head) == JOB_PENDING)
        sched_blocked(s, k->head, WAIT_GROUP);
    k->head = j;
    if (reserves(k))
        reserve(s, k, j);
    else
        k->shut = true;
}

bool gang_keeps_place(struct sched *s, struct kube *k, const struct waiting_pod *pod,
                      enum wait_reason why)
{
    if (job_state(s, pod->job) != JOB_PENDING || why == WAIT_LIMIT)
        return false;
    bool first = !k->n_passed;
    k->passed =
        array_grown(sched_alloc, s, k->passed, &k->passed_capacity, k->n_passed, sizeof *k->passed);
    k->passed[k->n_passed++] = *pod;
    if (first)
        becomes_head(s, k, pod->job);
    struct request r = job_request(s, pod->job);
    bool kept_out = !first && sched_fits(s, sched_view(s, FREE_IDLE), &r);
    sched_blocked(s, pod->job, kept_out ? WAIT_RESERVED : why);
    return true;
}

/* ---- Gangs that lack their minimum ---- */

void gang_arrived(struct sched *s, struct kube *k, job_id j)
{
    if (job_state(s, j) != JOB_GATHERING || k->params->stale_s < 0)
        return;
    timer_set(s, &k->incomplete, j, sched_now(s) + (int64_t)(k->params->stale_s * 1e9));
    timers_arm(s, &k->incomplete);
}

static void give_up(struct sched *s, job_id j)
{
    uint32_t tasks = kube_pods(job_facts(s, j)->ask);
    for (uint32_t task = 0; task < tasks; task++)
        if (kube_holds(s, j, task))
            sched_stop_task(s, j, task, STOP_RESTART);
}

void gang_pass_begins(struct sched *s, struct kube *k)
{
    job_id j;
    k->shut = k->reserved = false;
    if (reserves(k))
        plan_clear(s);
    for (int64_t time_ns; timer_due(s, &k->incomplete, &j, &time_ns);
         timer_drop(s, &k->incomplete, j))
        if (job_state(s, j) == JOB_GATHERING)
            give_up(s, j);
}

void gang_pass_ends(struct sched *s, struct kube *k)
{
    for (size_t i = 0; i < k->n_passed; i++)
        queue_return(s, &k->queue, k->passed[i]);
    if (!k->n_passed)
        k->head = ID_NONE;
    k->n_passed = 0;
    timers_arm(s, &k->incomplete);
}
