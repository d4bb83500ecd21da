/* reservations.c - reservations begin and end (sim/cluster/reservations/reservations.h); section `reservations`.
 *
 * drain_s before a reservation begins, or as it begins, its nodes are closed to all jobs that it
 * does not name; claims of such jobs are given back. As it begins, jobs of that kind that run there
 * are stopped as for maintenance, at the price of a preemption, unless `running: keep`. At its end
 * the nodes are open to all, and what runs there goes on. Where jobs may start:
 * scheduler/closed/reserved.c. What tolerates a taint NoExecute for some seconds is stopped like
 * others when it has run there for so long while it is there.
 *
 * Events have as subject k, of n reservations, where reservation k drains, begins or ends, and n + k
 * where the time of some job beside its taint is over. */
#include "sim/cluster/reservations/reservations.h"
#include "sim/base/memory.h"
#include "sim/cluster/reservations/node_set.h"
#include "sim/engine/interruption.h"
#include "sim/engine/state.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>

struct reservation_run {
    enum { NEXT_DRAIN, NEXT_BEGIN, NEXT_END } *next;         /* [reservations] what its event is */
    uint32_t *stopped;            /* [jobs] how often a reservation stopped it */
    uint64_t stops;
};

static struct reservation_run *run_of(const struct sched *s)
{
    return model_state(s, &reservations_model);
}

static bool wanted(const struct sched *s)
{
    return s->cluster->reservations;
}

/* ---- What happens ---- */

static void changed(struct sched *s)
{
    view_freed(s);
    timeline_reopened(s);
    run_changed(s);
}

/* Of one that is not over yet. Jobs that wait may wait for what an event changes but the first: that
 * of a reservation to come. */
static void plan_next(struct sched *s, uint32_t k)
{
    const struct closure *when = &s->cluster->reservations->at[k].when;
    int64_t later_ns = closure_later_ns(when, s->now_ns), from_ns = when->from_ns + later_ns;
    int64_t at_ns = from_ns - when->drain_ns;
    if (s->now_ns >= when->until_ns + later_ns)
        return;
    run_of(s)->next[k] = NEXT_DRAIN;
    run_background(s, 1);
    event_queue_push(s->events, (struct event){ at_ns > s->now_ns ? at_ns : s->now_ns, EVENT_RESERVATION, k });
}

static bool is_foreign(const struct sched *s, job_id j, const void *reservation)
{
    return !reserved_is_for(s, j, *(const uint32_t *)reservation);
}

/* Each stretch of its nodes. */
static void clear_nodes(struct sched *s, uint32_t k, unsigned cause, interrupted_kind *which)
{
    const struct reservation *r = &s->cluster->reservations->at[k];
    for (node_id n = 0, end; n < s->cluster->n_nodes; n = end + 1) {
        for (end = n; end < s->cluster->n_nodes && node_set_has(r->nodes, end);)
            end++;
        if (end > n)
            interrupt_some(s, &(struct interruption){ cause, n, end, 0, 0 }, which, &k);
    }
}

/* When j, which tolerates the taint of reservation k for a time, has to leave; TIME_NEVER: it need
 * not. */
static int64_t leaves_at_ns(const struct sched *s, job_id j, uint32_t k)
{
    const struct reservation *r = &s->cluster->reservations->at[k];
    int64_t lasts_s = r->taint && !r->when.keeps ? workload_tolerates_s(s->workload, j, r->taint)
                                                 : -1;
    if (lasts_s < 0 || lasts_s == INT64_MAX || !live_of(s, j))
        return TIME_NEVER;
    int64_t from_ns = closure_end_ns(&r->when, s->now_ns) - (r->when.until_ns - r->when.from_ns);
    int64_t since_ns = live_of(s, j)->last_start_ns;
    return (since_ns > from_ns ? since_ns : from_ns) + lasts_s * NS_PER_S;
}

static bool is_overdue(const struct sched *s, job_id j, const void *reservation)
{
    return leaves_at_ns(s, j, *(const uint32_t *)reservation) <= s->now_ns;
}

/* l, which holds nodes of k, is looked at again when its time beside the taint is over. */
static void plan_leave(struct sched *s, const struct live *l, uint32_t k)
{
    const struct reservation *r = &s->cluster->reservations->at[k];
    int64_t at_ns = run_of(s)->next[k] == NEXT_END ? leaves_at_ns(s, l->job, k) : TIME_NEVER;
    bool on = false;
    for (size_t i = 0; l->now.held && i < l->now.held->n; i++)
        on = on || node_set_has(r->nodes, l->now.held->piece[i].node);
    if (!on || at_ns == TIME_NEVER)
        return;
    run_background(s, 1);
    event_queue_push(s->events, (struct event){ at_ns > s->now_ns ? at_ns : s->now_ns,
                                                EVENT_RESERVATION,
                                                s->cluster->reservations->n + k });
}

static void plan_leaves(struct sched *s, uint32_t k)
{
    for (uint32_t i = 0; i < s->n_live && s->cluster->reservations->at[k].taint; i++)
        if (job_slot(s, s->live[i].job) == i)
            plan_leave(s, &s->live[i], k);
}

static void placed(struct sched *s, struct live *l)
{
    for (uint32_t k = 0; k < s->cluster->reservations->n; k++)
        if (s->cluster->reservations->at[k].taint)
            plan_leave(s, l, k);
}

static void log_nodes(const struct sched *s, uint32_t k, const char *what)
{
    const struct reservation *r = &s->cluster->reservations->at[k];
    for (node_id n = 0; s->setup.observer.decision && n < s->cluster->n_nodes; n++) {
        char text[32];
        snprintf(text, sizeof text, "node %u", n);
        if (node_set_has(r->nodes, n))
            decision_log(s, ID_NONE, what, text, r->name);
    }
}

static void happens(struct sched *s, const struct event *e)
{
    uint32_t k = e->subject, n = s->cluster->reservations->n;
    struct reservation_run *x = run_of(s);
    if (k >= n) {
        run_background(s, -1);
        if (x->next[k - n] != NEXT_END)
            return;
        changed(s);
        clear_nodes(s, k - n, CAUSE_RESERVATION, is_overdue);
        return;
    }
    const struct closure *when = &s->cluster->reservations->at[k].when;
    bool was_draining = x->next[k] == NEXT_BEGIN;
    int64_t from_ns = when->from_ns + closure_later_ns(when, s->now_ns);
    if (x->next[k] == NEXT_DRAIN)
        run_background(s, -1);
    if (x->next[k] == NEXT_END) {
        log_nodes(s, k, "released");
        x->next[k] = NEXT_DRAIN;
        plan_next(s, k);
        changed(s);
        return;
    }
    if (!was_draining)
        log_nodes(s, k, "reserved");
    bool begins = s->now_ns >= from_ns;
    x->next[k] = begins ? NEXT_END : NEXT_BEGIN;
    event_queue_push(s->events, (struct event){ begins ? closure_end_ns(when, s->now_ns) : from_ns, EVENT_RESERVATION, k });
    changed(s);
    clear_nodes(s, k, begins && !when->keeps ? CAUSE_RESERVATION : CAUSE_DRAIN, is_foreign);
    if (begins)
        plan_leaves(s, k);
}

static void begin(struct sched *s)
{
    uint32_t n = s->cluster->reservations->n;
    struct reservation_run *x = mem_new(1, sizeof *x);
    x->next = mem_new(n, sizeof *x->next);
    x->stopped = mem_new(workload_all(s->workload) + (size_t)1, sizeof *x->stopped);
    model_state_set(s, &reservations_model, x);
    for (uint32_t k = 0; k < n; k++)
        plan_next(s, k);
}

static void reservations_free(struct sched *s)
{
    struct reservation_run *x = run_of(s);
    if (x) {
        free(x->next);
        free(x->stopped);
    }
    free(x);
}

static void interrupted(struct sched *s, const struct live *l, unsigned cause)
{
    if (cause != CAUSE_RESERVATION)
        return;
    run_of(s)->stopped[l->job]++;
    run_of(s)->stops++;
}

/* ---- Rows and metrics ---- */

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_seconds(o, run_job(s, j).waits[WAIT_RESERVATION]);
    out_char(o, ',');
    out_integer(o, run_of(s)->stopped[j]);
}

static const char *const job_columns[] = { "wait_reservation_s", "reservation_stops", NULL };
enum { WAITED_H, WAITED_JOBS, STOPS, LOST };
static const struct metric_kind metrics[] = {
    [WAITED_H] = { "wait_reservation_h", "h", "of all waits, for reservations: hours of jobs that would have fit, but for nodes reserved for others", BETTER_LOWER },
    [WAITED_JOBS] = { "jobs_waited_for_reservations", "", "jobs that have waited for that", BETTER_LOWER },
    [STOPS] = { "reservation_stops", "", "jobs stopped as a reservation began that is not for them", BETTER_LOWER },
    [LOST] = { "lost_by_reservations_gpu_h", "GPU h", "work to be done again after that; part of lost_gpu_h", BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    summary_put_waits(b, WAIT_RESERVATION, &metrics[WAITED_H]);
    summary_put_kind(b, &metrics[STOPS], "all", (double)run_of(b->s)->stops, 1);
    summary_put_kind(b, &metrics[LOST], "all", gpu_hours(b->s->ledger.interruption_lost[CAUSE_RESERVATION]), 1);
}

/* A reservation that no job of the trace may use is a mistake in a name, or maintenance. */
static bool remark(const struct sched *s, FILE *text)
{
    const struct reservations *all = s->cluster->reservations;
    uint32_t n = 0, first = 0;
    for (uint32_t k = 0; k < all->n; k++) {
        const struct reservation *r = &all->at[k];
        bool named = r->queues.n || r->users.n || r->accounts.n || r->partitions.n, used = false;
        for (job_id j = 0; named && !used && j < s->workload->n_jobs; j++)
            used = reserved_is_for(s, j, k);
        if (named && !used)
            first = n++ ? first : k;
    }
    if (n)
        fprintf(text, "no job of the trace may use %u of %u reservations, the first '%.100s'", n, all->n, all->at[first].name);
    return n > 0;
}

const struct run_model reservations_model = {
    .place = PLACE_OF(reservations_model),
    .name = "reservations", .summary = "nodes that only some jobs may use for a time", .wanted = wanted, .begin = begin,
    .unsaved = "that reservations begin so much sooner, as their times count from time 0",
    .free = reservations_free, .placed = placed, .interrupted = interrupted,
    .events = 1u << EVENT_RESERVATION, .happens = happens,
    .remark_name = "reservations", .remark = remark,
    .job_columns = job_columns, .job_row = job_row, .metrics = metrics, .summarise = summarise,
};
