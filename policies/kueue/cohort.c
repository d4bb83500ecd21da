/* cohort.c - queues borrow each other's idle quota, and give it back: Kueue's cohorts. See
 * cohort.h.
 *
 * Deserved amounts are nominal quotas; a queue above others is a cohort, and its own quota, if any,
 * is in addition to theirs. CPUs or memory that a queue deserves without limit are not counted in
 * it, nor are the GPUs of a queue that owns its nodes. limit_* of a queue with jobs caps what it
 * borrows. By default a job is admitted when there is quota for it and then waits, holding that
 * quota, until it can be placed, as Kueue does without topology-aware scheduling; with
 * placement=wait it is admitted only with a place, as with it. After
 * kubernetes-sigs/kueue:pkg/scheduler, pkg/cache. What differs:
 * - without quotas of flavors all nodes are one; a job is placed whole (or the number of tasks
 *   admitted), never pod by pod;
 * - a job that is set aside is tried again when quota comes free in its tree, not at other events;
 * - ties end on (submit, id), where Kueue's depend on the order of a hash map. */
#include "policies/kueue/cohort.h"
#include "sim/contract/util/array.h"

static const char *const sharings[] = { "classical", "fair", "fair-final-share",
                                        "fair-initial-share", NULL };
static const char *const placements[] = { "admit", "wait", NULL };

/* ---- What a job asks of the cluster ---- */

static const struct request *in_flavors(struct sched *s, const struct request *run,
                                        const uint16_t *runs)
{
    if (!run)
        return NULL;
    struct request *r = sched_scratch(s, sizeof *r);
    *r = *run;
    r->flavor = *runs;
    r->next = in_flavors(s, run->next, runs + 1);
    return r;
}

struct request cohort_request(struct sched *s, const struct cohort *c, job_id j, uint32_t tasks,
                              const uint16_t *runs)
{
    struct request r = job_request(s, j);
    const struct placement *held = job_placement(s, j);
    if (c->flavored)
        r = *in_flavors(s, &r, runs);
    if (held && job_state(s, j) == JOB_GATHERING)
        return *replace_lacking(s, &r, j, held);
    if (tasks != request_tasks(&r))
        r.tasks = tasks;
    return r;
}

/* ---- Holding quota ---- */

static void grow_members(struct sched *s, struct cohort *c, struct cohort_members *m)
{
    struct cohort_search *search = &c->desk.search;
    size_t capacity = c->members_capacity;
    m->of =
        array_grown(sched_alloc, s, m->of, &m->capacity, m->n, sizeof(struct cohort_workload *));
    search->victim = array_grown(sched_alloc, s, search->victim, &capacity, c->n_members,
                                 sizeof(struct cohort_victim));
    search->candidate = array_grown(sched_alloc, s, search->candidate, &c->members_capacity,
                                    c->n_members, sizeof(struct cohort_victim));
}

void cohort_list_add(struct sched *s, struct cohort_list *l, job_id j)
{
    l->job = array_grown(sched_alloc, s, l->job, &l->capacity, l->n, sizeof *l->job);
    l->job[l->n++] = j;
}

void cohort_hold(struct sched *s, struct cohort *c, struct entrant *e, bool pays)
{
    struct cohort_members *m = &c->members[e->as.queue];
    struct cohort_tree *t = cohort_tree_of(c, e->as.queue);
    grow_members(s, c, m);
    e->as.admitted_ns = sched_now(s);
    e->as.firm = !job_facts(s, e->as.id)->preemptible;
    e->as.leaving = false;
    e->phase = PHASE_HOLDS_QUOTA;
    cohort_members_add(c->members, &c->books, &e->as);
    parked_forget(&c->queue[e->as.queue].parked);
    c->n_members++;
    lanes_hold(s, c, e, pays);
    cohort_use(&c->books, e->as.queue, e->need, 1);
    t->changes++;
    if (e->tasks == request_tasks(job_facts(s, e->as.id)->ask) &&
        job_state(s, e->as.id) != JOB_GATHERING)
        return;
    /* a job that is not whole cannot be stopped before it has started */
    e->as.firm = true;
    cohort_list_add(s, &c->sheltered, e->as.id);
}

void cohort_release(struct sched *s, struct cohort *c, struct entrant *e)
{
    cohort_members_remove(c->members, &c->books, &e->as);
    c->n_members--;
    lanes_release(s, c, e);
    parked_forget(&c->queue[e->as.queue].parked);
    cohort_use(&c->books, e->as.queue, e->need, -1);
    cohort_tree_of(c, e->as.queue)->changes++;
    cohort_tree_of(c, e->as.queue)->releases++;
    e->phase = PHASE_WAITS;
}

void cohort_leaves(struct cohort *c, struct entrant *e)
{
    cohort_members_remove(c->members, &c->books, &e->as);
    e->as.leaving = true;
    cohort_members_add(c->members, &c->books, &e->as);
    e->phase = PHASE_LEAVING;
    cohort_tree_of(c, e->as.queue)->changes++;
}

/* It joins the line of its queue. */
static void cohort_wait(struct sched *s, struct cohort *c, job_id j)
{
    queue_id v = cohort_home(s, c, j);
    struct cohort_queue *q = &c->queue[v];
    lanes_push(s, c, j);
    parked_forget(&q->parked);
    if (!q->listed) {
        q->listed = true;
        q->all = false;
        c->busy[c->n_busy++] = v;
    }
}

/* ---- Placing jobs that hold quota ---- */

bool cohort_place(struct sched *s, struct cohort *c, job_id j)
{
    struct entrant *e = job_own(s, j);
    struct request r = cohort_request(s, c, j, e->tasks, cohort_runs(c, e));
    const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &r);
    if (!where || sched_start(s, j, where) != SCHED_OK) {
        sched_blocked(s, j, job_placement(s, j) ? WAIT_GANG : sched_why_not(s));
        return false;
    }
    e->phase = PHASE_PLACED;
    replace_remember(s, c, e);
    return true;
}

static bool has_fewer(struct sched *s, const struct entrant *e)
{
    return e->tasks != request_tasks(job_facts(s, e->as.id)->ask);
}

/* In the order of the scheduler of pods: priority, then time of admission. */
void cohort_unplaced(struct sched *s, struct cohort *c, const struct entrant *e)
{
    c->fewer_unplaced += has_fewer(s, e);
    line_push(c->unplaced, e->as.id,
              (struct line_key){ .major = -e->as.priority, .time_ns = e->as.admitted_ns });
}

void cohort_not_unplaced(struct sched *s, struct cohort *c, const struct entrant *e)
{
    if (line_remove(c->unplaced, e->as.id))
        c->fewer_unplaced -= has_fewer(s, e);
}

/* A job with fewer tasks may fit where others of its shape do not. */
static void place_all(struct sched *s, struct cohort *c)
{
    if (!line_length(c->unplaced) || c->unplaced_room == sched_room_version(s))
        return;
    struct line_walk walk = { .l = c->unplaced };
    for (job_id j; line_next(&walk, &j);) {
        if (cohort_place(s, c, j))
            cohort_not_unplaced(s, c, job_own(s, j));
        else if (!c->flavored && !c->fewer_unplaced && job_state(s, j) != JOB_GATHERING)
            line_skip_shape(&walk, job_facts(s, j)->ask->shape);
    }
    c->unplaced_room = sched_room_version(s);
}

/* ---- A pass ---- */

static void end_shelter(struct sched *s, struct cohort *c)
{
    uint32_t still = 0;
    for (uint32_t i = 0; i < c->sheltered.n; i++) {
        job_id j = c->sheltered.job[i];
        struct entrant *e = job_own(s, j);
        if (!e || !cohort_holds_quota(e))
            continue;
        if (job_state(s, j) == JOB_GATHERING) {
            c->sheltered.job[still++] = j;
            continue;
        }
        e->as.firm = !job_facts(s, j)->preemptible;
        parked_forget(&c->queue[e->as.queue].parked);
        /* it may be evicted now: as if quota had come free */
        cohort_tree_of(c, e->as.queue)->changes++;
        cohort_tree_of(c, e->as.queue)->releases++;
    }
    c->sheltered.n = still;
}

/* true: a job has come back. */
static bool end_rest(struct sched *s, struct cohort *c)
{
    uint32_t still = 0, n = c->resting.n;
    for (uint32_t i = 0; i < n; i++) {
        struct entrant *e = job_own(s, c->resting.job[i]);
        if (e->rested == c->pass) {
            c->resting.job[still++] = e->as.id;
            continue;
        }
        e->rested = c->pass;
        cohort_wait(s, c, e->as.id);
    }
    c->resting.n = still;
    return still < n;
}

static void run_round(struct sched *s, struct cohort *c)
{
    c->released = false;
    place_all(s, c);
    cohort_open_queues(s, c);
    cohort_run_cycles(s, c);
}

/* Quotas change with time: all that waits is asked again. */
static void take_quotas(struct sched *s, struct cohort *c)
{
    if (c->quota_version == queue_quota_version(s))
        return;
    c->quota_version = queue_quota_version(s);
    for (uint32_t v = 0; v < c->books.n && !c->flavored; v++)
        cohort_begin_quotas(s, c, v);
    cohort_books_again(&c->books, sched_scratch(s, (size_t)c->books.n * c->books.cells * sizeof(int64_t)));
    for (uint32_t v = 0; v < c->books.n; v++) {
        parked_forget(&c->queue[v].parked);
        cohort_tree_of(c, v)->changes++;
        cohort_tree_of(c, v)->releases++;
    }
}

/* If nothing of it stays it is placed anew. */
static bool go_back(struct sched *s, struct cohort *c, struct entrant *e)
{
    struct request all = cohort_request(s, c, e->as.id, e->tasks, cohort_runs(c, e));
    enum replaced replaced = replace_start(s, &all, e);
    if (replaced == NOTHING_STAYS)
        return cohort_place(s, c, e->as.id);
    if (replaced == NO_REPLACEMENT)
        return false;
    e->phase = PHASE_PLACED;
    replace_remember(s, c, e);
    return true;
}

static void end_struck(struct sched *s, struct cohort *c)
{
    for (uint32_t i = 0; i < c->struck.n; i++) {
        struct entrant *e = job_own(s, c->struck.job[i]);
        if (!e || e->phase != PHASE_BACK || go_back(s, c, e))
            continue;
        cohort_release(s, c, e);
        cohort_wait(s, c, e->as.id);
    }
    c->struck.n = 0;
}

static void cohort_schedule(struct sched *s, const void *params, void *state)
{
    struct cohort *c = state;
    (void)params;
    c->sched = s;
    c->pass++;
    take_quotas(s, c);
    end_shelter(s, c);
    end_struck(s, c);
    do
        run_round(s, c);
    while (c->released || end_rest(s, c));
    for (uint32_t i = 0; i < c->resting.n; i++)
        cohort_wait(s, c, c->resting.job[i]);
    c->resting.n = 0;
    lanes_wake_at_flip(s, c);
}

/* ---- Notices ---- */

/* It ran as the trace began: it was admitted then, with the tasks that run; if they are too few,
 * with all. */
static void holds_already(struct sched *s, struct cohort *c, struct entrant *e)
{
    const struct request *ask = job_facts(s, e->as.id)->ask;
    bool runs = job_state(s, e->as.id) == JOB_RUNNING;
    e->tasks = runs && ask->tasks != SPLIT_ANY ? (uint32_t)job_placement(s, e->as.id)->n
                                               : request_tasks(ask);
    cohort_need(s, c, e, e->tasks);
    cohort_hold(s, c, e, false);
    if (runs) {
        cohort_members_remove(c->members, &c->books, &e->as);
        e->as.admitted_ns = job_last_start_ns(s, e->as.id);
        cohort_members_add(c->members, &c->books, &e->as);
        e->phase = PHASE_PLACED;
        replace_remember(s, c, e);
        return;
    }
    cohort_unplaced(s, c, e);
    c->unplaced_room = UINT64_MAX;
}

/* Of a job with tasks that are alike it can be used again. */
static int64_t *new_need(struct sched *s, struct cohort *c, job_id j)
{
    const struct request *run = job_facts(s, j)->ask;
    size_t runs = 0;
    if (!run->next && c->n_spare_needs)
        return c->spare_needs[--c->n_spare_needs];
    for (; run; run = run->next)
        runs++;
    return sched_alloc(s, c->books.cells * sizeof(int64_t) + runs * sizeof(uint16_t));
}

static void give_back_need(struct sched *s, struct cohort *c, struct entrant *e)
{
    int64_t *need = e->need;
    e->need = NULL;
    if (job_facts(s, e->as.id)->ask->next)
        return;
    c->spare_needs = array_grown(sched_alloc, s, c->spare_needs, &c->spare_needs_capacity,
                                 c->n_spare_needs, sizeof *c->spare_needs);
    c->spare_needs[c->n_spare_needs++] = need;
}

static void cohort_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct cohort *c = state;
    struct entrant *e = job_own(s, j);
    const struct job_facts *f = job_facts(s, j);
    (void)params;
    if (!e->need)
        e->need = new_need(s, c, j);
    if (e->phase == PHASE_STRUCK) {
        e->phase = PHASE_BACK;
        cohort_list_add(s, &c->struck, j);
        return;
    }
    /* it left at once, and was admitted again in the same pass */
    if (e->phase == PHASE_HOLDS_QUOTA) {
        sched_blocked(s, j, WAIT_GPUS);
        return;
    }
    if (cohort_holds_quota(e))                            /* it has left, by a fault or evicted */
        cohort_release(s, c, e);
    *e = (struct entrant){ .as = { .id = j,
                                   .queue = cohort_home(s, c, j),
                                   .priority = f->priority,
                                   .queued_ns = f->submit_ns,
                                   .need = e->need },
                           .need = e->need,
                           .was_on = e->was_on,
                           .was_on_capacity = e->was_on_capacity };
    if (job_placement(s, j))
        holds_already(s, c, e);
    else
        cohort_wait(s, c, j);
}

static void cohort_stopped(struct sched *s, const void *params, void *state, job_id j,
                           enum stop_cause why)
{
    struct cohort *c = state;
    struct entrant *e = job_own(s, j);
    struct cohort_queue *q = &c->queue[cohort_home(s, c, j)];
    (void)params;
    if (why == STOPPED_BY_FAULT && e->phase == PHASE_PLACED) {
        if (e->n_was_on)
            e->phase = PHASE_STRUCK;
        else
            cohort_leaves(c, e);                          /* it cannot be evicted any more */
    }
    if (!stopped_for_good(why))
        return;                                           /* its quota is free when it has left */
    if (cohort_holds_quota(e))
        cohort_release(s, c, e);
    cohort_not_unplaced(s, c, e);
    lanes_remove(s, c, j);
    parked_forget(&q->parked);
    q->preemptor = q->preemptor == j ? ID_NONE : q->preemptor;
    q->stuck = q->stuck == j ? ID_NONE : q->stuck;
    q->head = q->head == j ? ID_NONE : q->head;
    if (e->need)
        give_back_need(s, c, e);
}

static void cohort_withdrawn(struct sched *s, const void *params, void *state, job_id j)
{
    cohort_stopped(s, params, state, j, STOPPED_CANCELLED);
}

static unsigned cohort_needs(const void *params)
{
    return ((const struct cohort_params *)params)->placement > PLACEMENT_ADMIT ? SEES_RELEASING : 0;
}

#define MIN_HALF_LIFE_H (1 / 3600.0)
#define USE_OF(resource) offsetof(struct cohort_params, use_of[resource])
static const struct param cohort_param_list[] = {
    { "sharing",
      "classical: jobs within the quota of their queue first; fair...: by weighted shares of what "
      "is borrowed, with both "
      "or one of two rules about victims",
      "", 0, 0, SHARING_CLASSICAL, sharings, offsetof(struct cohort_params, sharing) },
    { "placement",
      "admit: quota alone decides, a job may then wait for GPUs; wait: it is admitted only with a "
      "place",
      "", 0, 0, PLACEMENT_ADMIT, placements, offsetof(struct cohort_params, placement) },
    { "half_life_h",
      "local queues by use: past use counts half after so long", "h", MIN_HALF_LIFE_H, 1e6, 168,
      NULL, offsetof(struct cohort_params, half_life_h) },
    { "sampling_s",
      "local queues by use: a job pays at admission for so long, 0: nothing", "s", 0, 1e6, 300,
      NULL, offsetof(struct cohort_params, sampling_s) },
    { "use_gpus", "local queues by use: weight of a GPU", "", 0, 1e6, 1, NULL, USE_OF(0) },
    { "use_cpus", "local queues by use: weight of a CPU", "", 0, 1e6, 0, NULL, USE_OF(1) },
    { "use_memory_gib", "local queues by use: weight of a GiB", "", 0, 1e6, 0, NULL, USE_OF(2) },
    { 0 },
};

const struct policy cohort_policy = {
    .abi = POLICY_ABI,
    .name = "cohort",
    .reads = READS_QUOTAS | READS_WEIGHTS | READS_COHORTS,
    .summary = "queues borrow each other's idle quota and get it back by stopping jobs that borrow "
               "(Kueue)",
    .needs = STARTS_PARTIAL,
    .also_needs = cohort_needs,
    .params = cohort_param_list,
    .params_size = sizeof(struct cohort_params),
    .state_size = sizeof(struct cohort),
    .job_size = sizeof(struct entrant),
    .begin = cohort_begin,
    .schedule = cohort_schedule,
    .job_arrived = cohort_arrived,
    .job_stopped = cohort_stopped,
    .job_withdrawn = cohort_withdrawn,
};
