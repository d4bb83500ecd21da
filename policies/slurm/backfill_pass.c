/* backfill_pass.c - the backfill scheduler of policy `slurm`:
 * SchedMD/slurm:src/plugins/sched/backfill/backfill.c, _attempt_backfill.
 *
 * What is reserved is a list of intervals (space.h). Running jobs are not in it: the test of a future
 * start takes them away (ends.h). Reservations begin and end at multiples of bf_resolution, rounded
 * down.
 *
 * Reservations live for one cycle and serve nothing but to keep entries from starting now. So entries
 * wait to be planned until one comes that might start, which decides nothing differently: behind the
 * last of these there is nothing to plan for. They are planned one by one, in order, until that one is
 * kept out by what is reserved, or its turn comes; once kept out, none of its kind that lasts as long
 * starts in the cycle. Most that cannot start are planned in vain, too: those that need more GPUs than
 * jobs leave within the window.
 *
 * What differs: no limit of wall time, no yielding of locks, and one try with free nodes, as none
 * are shared. */
#include "policies/slurm/space.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <stdlib.h>
#include <string.h>

#define TRIES_MOST      100000    /* of one entry: more is a fault */
#define NO_RESERVE_S    60        /* what a job takes that reserves nothing */

struct backfill {
    struct space space;
    struct ends ends;
    int64_t leaving_gpus;         /* of those that end within the window; INT64_MAX: some are past their end */
    uint64_t leaving_version;     /* as of that version of the room; 0: not summed up yet */
    uint32_t *of_partition;       /* [partitions] entries tried */
    struct entry **together; /* [n_together] of several components that could all start now */
    size_t n_together;
    struct entry **due;     /* [n_due] tried, and not planned yet; the last alone may start */
    size_t n_due, n_planned, due_capacity;
    bool lazy;                    /* nothing but starts comes of a plan */
    bool by_kind;                 /* entries of one kind are all tried, and share all answers */
    bool front;                   /* those that are tried are the first of the queue */
    double tested, started;
};

/* ---- One entry ---- */

/* An entry that is planned, or a component of it. */
struct plan {
    struct entry *entry;
    struct need need;             /* without a next one */
    bool component;               /* of several: it is planned alone, and starts with the others */
    int64_t from;                 /* not before */
};

/* When, and where, but not after `until`, if that is not 0; *free: on what is free now. -1: never. */
static int64_t will_run(struct sched *s, struct slurm *m, struct backfill *x, const struct plan *p,
                        const uint64_t *avail, int64_t until, struct seats *where, bool *free)
{
    struct future f = { .need = &p->need, .avail = avail, .until_s = until };
    job_id *victim;
    *free = !slurm_too_few_gpus(m, &p->need, avail, &m->room) && slurm_select(s, m, &p->need, avail, &m->room, where);
    if (*free)
        return m->now_s;
    ends_list(s, m, &x->ends);
    f.n_victims = p->component ? 0 : slurm_candidates(s, m, p->entry, &victim, &f.n_removed);
    f.victim = f.n_victims ? victim : NULL;
    return ends_start(s, m, &x->ends, &f, where);
}

enum answer { DONE, RESERVED_NOTHING, STARTED };

static bool now_only(struct sched *s, const struct slurm *m, const struct entry *e)
{
    const struct slurm_job *own = job_own(s, e->job);
    return slurm_reserves_nothing(s, m, e) || (m->params->bf_one_resv_per_job > 0 && own->planned);
}

/* It can start, on that; NULL: once others have stopped. false: it could not after all, and is planned like one that
 * waits. */
static bool start_now(struct sched *s, struct slurm *m, struct backfill *x, const struct entry *e,
                      const uint64_t *avail, const struct seats *where, bool *over)
{
    *over = !slurm_limits_after(s, m, e);
    if (*over)
        return false;
    if (!where) {
        slurm_preempt(s, m, e, avail);
        return false;
    }
    if (!slurm_start(s, m, e, avail, where))
        return false;
    x->started++;
    return true;
}

static int64_t length_of(struct sched *s, const struct slurm *m, const struct entry *e)
{
    uint32_t qos = slurm_qos(s, e->job);
    if (qos != ID_NONE && m->site->qos[qos].no_reserve && (int)m->params->preempt != PREEMPT_NONE)
        return NO_RESERVE_S;
    return slurm_limit_s(s, m, e->job, e->partition);
}

static void keep_for(struct sched *s, struct slurm *m, struct backfill *x, struct entry *e,
                     int64_t when, int64_t length, const struct seats *where)
{
    uint32_t qos = slurm_qos(s, e->job);
    struct slurm_job *own = job_own(s, e->job);
    int64_t begin = space_rounded(&x->space, when),
            end = max_i64(space_rounded(&x->space, when + length), begin + x->space.res);
    if (!slurm_limits_after(s, m, e)) {
        slurm_tell(s, m, e, WAIT_LIMIT);
        return;
    }
    if (qos != ID_NONE && m->site->qos[qos].no_reserve)
        return;
    own->planned = true;
    if (x->lazy && !x->space.ends)
        space_bound(s, m, &x->space, &x->ends);
    space_reserve(s, m, &x->space, begin, end, where);
}

/* A node of the place is being left by jobs that were told to stop in this second. */
static bool on_completing(const struct slurm *m, const struct seats *where)
{
    for (uint32_t i = 0; i < where->n; i++)
        if (set_has(m->completing, where->at[i].node))
            return true;
    return false;
}

/* Rounding down leads the start into a reservation, or it leads into maintenance. */
static bool is_taken(struct sched *s, const struct slurm *m, const struct backfill *x, job_id j,
                     int64_t when, int64_t length, const struct seats *where)
{
    int64_t begin = space_rounded(&x->space, when),
            end = max_i64(space_rounded(&x->space, when + length), begin + x->space.res);
    return space_overlaps(&x->space, begin, end, where) ||
           slurm_outages(s, j, when, length, slurm_set_of(s, m, where)) != 0;
}

static uint64_t *nodes_of(struct sched *s, const struct slurm *m, uint32_t partition)
{
    uint64_t *nodes = slurm_set(s, m, m->up);
    for (uint32_t w = 0; w < m->words; w++)
        nodes[w] &= m->partition[partition].nodes[w];
    return nodes;
}

/* When it starts, or is reserved for, and where. -1: it is done with, or cannot be planned. */
static int64_t plan_alone(struct sched *s, struct slurm *m, struct backfill *x, const struct plan *p,
                          struct seats *where)
{
    struct entry *e = p->entry;
    int64_t length = length_of(s, m, e), start = p->from, later, when;
    bool only_now = now_only(s, m, e), over = false, tried = p->component, free = false;
    uint64_t *nodes = nodes_of(s, m, e->partition);
    struct space_look look = { 0 };
    int64_t gpus = (int64_t)p->need.tasks * p->need.gpus;
    for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
        const uint64_t *avail;
        if (x->space.ends) {
            int64_t hope = space_hope(m, &x->space, &look, nodes, gpus, start, length);
            if (hope < 0 || (hope > start && only_now))
                return -1;
            start = hope;
            later = look.later;
            avail = space_free(s, m, &x->space, nodes, start, length);
        } else {
            avail = space_free_over(s, m, &x->space, e->job, nodes, start, length, &later);
        }
        bool in_vain = (later && ends_too_few(m, &x->ends, avail, gpus, later)) || slurm_set_count(m, avail) < p->need.nodes;
        when = in_vain ? -1 : will_run(s, m, x, p, avail, later, where, &free);
        if (when < 0) {
            if (!later || only_now)
                return -1;
            start = later;
            continue;
        }
        when = max_i64(when, start);
        if (when <= m->now_s && (p->component || !tried) && on_completing(m, where)) {
            when = m->now_s + 1;
            later = 0;
        }
        if (when <= m->now_s && !tried && (start_now(s, m, x, e, avail, free ? where : NULL, &over) || over)) {
            if (over)
                slurm_tell(s, m, e, WAIT_LIMIT);
            return -1;
        }
        tried = true;
        if (when > m->now_s && only_now)
            return -1;
        if (later && when > later) {
            start = later;
            continue;
        }
        if (when > m->now_s + (int64_t)m->params->bf_window * 60)
            return -1;
        if (when > start && is_taken(s, m, x, e->job, when, length, where)) {
            start = when;
            continue;
        }
        keep_for(s, m, x, e, when, length, where);
        return when;
    }
    return -1;
}

/* Component by component, each no earlier than those before it; what one has reserved is not there
 * for the next, nor for other jobs. If all could start now, they do at the end of the cycle. */
static void plan_together(struct sched *s, struct slurm *m, struct backfill *x, struct entry *e,
                          const struct need *need)
{
    struct plan p = { .entry = e, .component = true, .from = m->now_s };
    struct seats where;
    for (; need && p.from >= 0; need = need->next) {
        p.need = *need;
        p.need.next = NULL;
        p.from = plan_alone(s, m, x, &p, &where);
    }
    if (p.from == m->now_s) {
        if (!x->together)
            x->together = sched_scratch(s, m->n_entries * sizeof(struct entry *));
        x->together[x->n_together++] = e;
    } else {
        slurm_tell(s, m, e, slurm_limits_after(s, m, e) ? WAIT_GPUS : WAIT_LIMIT);
    }
}

/* On nodes that are looked for anew, reservations or not (_het_job_start_now), in the first of its
 * partitions that has them. */
static void start_together(struct sched *s, struct slurm *m, struct backfill *x)
{
    for (size_t i = 0; i < x->n_together; i++) {
        const struct entry *e = x->together[i];
        if (job_state(s, e->job) != JOB_PENDING)
            continue;
        struct need need = slurm_need_in(s, m, e->job, e->partition);
        struct seats where;
        uint64_t *nodes = nodes_of(s, m, e->partition);
        slurm_outages(s, e->job, m->now_s, length_of(s, m, e), nodes);
        if (slurm_select(s, m, &need, nodes, &m->room, &where) && !on_completing(m, &where))
            x->started += slurm_limits_after(s, m, e) && slurm_start(s, m, e, nodes, &where);
    }
}

static void plan_entry(struct sched *s, struct slurm *m, struct backfill *x, struct entry *e)
{
    struct need need = slurm_need_in(s, m, e->job, e->partition);
    struct seats where;
    if (need.next)
        plan_together(s, m, x, e, &need);
    else
        (void)plan_alone(s, m, x, &(struct plan){ e, need, false, m->now_s }, &where);
}

/* ---- A cycle ---- */

static uint32_t tried_of_user(struct sched *s, const struct slurm *m, size_t before)
{
    uint32_t n = 0;
    for (size_t i = 0; i < before; i++)
        n += job_facts(s, m->entry[i]->job)->user == job_facts(s, m->entry[before]->job)->user;
    return n;
}

static bool is_tried(struct sched *s, const struct slurm *m, struct backfill *x, size_t i)
{
    const struct entry *e = m->entry[i];
    const struct slurm_params *p = m->params;
    if (job_state(s, e->job) != JOB_PENDING || slurm_preempts_elsewhere(s, m, e))
        return false;
    if (p->bf_max_job_part > 0 && x->of_partition[e->partition]++ >= p->bf_max_job_part)
        return false;
    if (p->bf_max_job_user > 0 && tried_of_user(s, m, i) >= p->bf_max_job_user)
        return false;
    return !m->site || slurm_limits_before(s, m, e);
}

static void sum_up_leaving(struct sched *s, const struct slurm *m, struct backfill *x)
{
    int64_t last_s = m->now_s + (int64_t)m->params->bf_window * 60;
    x->leaving_version = m->room_version;
    x->leaving_gpus = 0;
    for (size_t i = 0; i < running_count(m) && x->leaving_gpus < INT64_MAX; i++) {
        int64_t end_s = slurm_end_s(s, running_job(m, i));
        if (end_s <= m->now_s)
            x->leaving_gpus = INT64_MAX;
        else if (end_s <= last_s)
            x->leaving_gpus += job_size(s, running_job(m, i)).gpu_milli / MILLI_ALL;
    }
}

/* It does not fit now, and all that ends within the window leaves too few GPUs: no reservation. So it
 * stays when others start. */
static bool is_hopeless(struct sched *s, const struct slurm *m, struct backfill *x, const struct entry *e)
{
    const struct need *need = &m->kind[e->kind].need;
    if (x->leaving_version != m->room_version)
        sum_up_leaving(s, m, x);
    return !x->leaving_gpus || (int64_t)need->tasks * need->gpus - m->room.all_gpus > x->leaving_gpus;
}

/* It was in this cycle, and nothing has changed since. */
static bool stays_hopeless(const struct slurm *m, const struct backfill *x, const struct entry *e)
{
    const struct kind *k = &m->kind[e->kind];
    return x->by_kind && k->hopeless_version == m->room_version && k->hopeless_s == m->now_s;
}

/* Reservations made so far keep it from starting now, whatever those that are due would add: its kind, if that lasts
 * as long, for the rest of the cycle. */
static bool is_kept_out(struct sched *s, struct slurm *m, struct backfill *x, const struct entry *e)
{
    struct kind *k = &m->kind[e->kind];
    int64_t length = length_of(s, m, e);
    if (k->several)
        return false;
    if (k->kept_out_cycle != m->cycles || length < k->kept_out_length) {
        const uint64_t *avail = space_free(s, m, &x->space, m->partition[e->partition].nodes, m->now_s, length);
        if (slurm_might_select(s, m, &k->need, avail, &m->room))
            return false;
        k->kept_out_cycle = m->cycles;
        k->kept_out_length = length;
    }
    return true;
}

/* Up to the last of them, or until reservations keep that out. */
static void plan_due(struct sched *s, struct slurm *m, struct backfill *x, bool only_starts)
{
    const struct entry *last = x->due[x->n_due - 1];
    int64_t until_s = m->now_s + (only_starts ? length_of(s, m, last) : 0);
    bool asks = only_starts;
    while (x->n_planned < x->n_due && !x->space.full && !(asks && is_kept_out(s, m, x, last))) {
        x->space.soonest_s = INT64_MAX;
        plan_entry(s, m, x, x->due[x->n_planned++]);
        asks = only_starts && x->space.soonest_s <= until_s;
    }
}

/* A plan of it would reserve nothing, start nothing and tell what it was told last. */
static bool is_known_over(const struct slurm *m, const struct backfill *x, const struct entry *e)
{
    return x->lazy && e->told == WAIT_LIMIT && !m->kind[e->kind].several;
}

static void try(struct sched *s, struct slurm *m, struct backfill *x, struct entry *e)
{
    bool fits = !x->lazy || slurm_may_fit(s, m, e->kind), over = m->limits_gpus && !slurm_limits_after(s, m, e);
    bool matters = fits || over;
    x->tested++;
    if (over && is_known_over(m, x, e))
        return;
    if (!fits && is_hopeless(s, m, x, e)) {
        m->kind[e->kind].hopeless_s = m->now_s;
        m->kind[e->kind].hopeless_version = m->room_version;
        return;
    }
    x->due = array_grown(sched_scratch, s, x->due, &x->due_capacity, x->n_due, sizeof(struct entry *));
    x->due[x->n_due++] = e;
    if (matters)
        plan_due(s, m, x, x->lazy && !over);
}

static void cycle(struct sched *s, struct slurm *m, struct backfill *x)
{
    const struct slurm_params *p = m->params;
    bool asks = x->lazy && !m->limits_gpus;
    uint64_t asked = m->room_version;     /* whether something may fit */
    for (size_t i = 0; i < m->n_entries && !x->space.full && x->tested < p->bf_max_job_test; i++) {
        if (p->bf_max_job_start > 0 && x->started >= p->bf_max_job_start)
            break;
        if (asks && asked != m->room_version && !slurm_something_may_fit(s, m, x->front))
            break;
        asked = m->room_version;
        if (stays_hopeless(m, x, m->entry[i]))
            x->tested += job_state(s, m->entry[i]->job) == JOB_PENDING;
        else if (is_tried(s, m, x, i))
            try(s, m, x, m->entry[i]);
    }
}

void slurm_backfill(struct sched *s, struct slurm *m)
{
    const struct slurm_params *p = m->params;
    struct backfill x = { .ends.clock = (int64_t)p->clock_s };
    m->cycles++;
    m->limits_gpus |= queue_quota_version(s) != 0;     /* a window of a queue may have brought one */
    x.lazy = (int)p->preempt == PREEMPT_NONE && p->bf_one_resv_per_job <= 0 && !sched_has_outages(s);
    x.by_kind = x.lazy && !m->limits_gpus && !m->site && p->bf_max_job_part <= 0 && p->bf_max_job_user <= 0;
    x.front = x.by_kind && m->n_started == 0;
    if (x.lazy && !m->limits_gpus && !slurm_something_may_fit(s, m, x.front))
        return;
    x.of_partition = sched_scratch(s, m->n_partitions * sizeof *x.of_partition);
    space_begin(s, m, &x.space, m->up, p->bf_node_space_size > 0 ? p->bf_node_space_size : p->bf_max_job_test);
    cycle(s, m, &x);
    start_together(s, m, &x);
}
