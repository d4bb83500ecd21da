/* plans.c - reservations: the earliest slot for a whole run, and who has been promised what. */
#include "sim/run/host.h"

/* ---- The earliest slot ---- */

static int64_t kind_gpus_milli(const struct cluster *c, uint32_t kind)
{
    return (int64_t)c->kind[kind].n_nodes * c->type[c->kind[kind].type].gpus * MILLI_ALL;
}

/* The earliest time from which on the totals of the kinds that r may use leave enough. */
static int64_t totals_fit(const struct sched *s, const struct request *r, int64_t after_ns, int64_t length_ns)
{
    const struct timeline *t = s->timeline;
    const struct shape_kinds *kinds = &s->shape_kinds[r->shape];
    int64_t need = request_gpu_milli(r);
    if (kinds->n == 1)
        return profile_fit(t->kind_taken[kinds->kind[0]], after_ns, length_ns,
                           kind_gpus_milli(s->cluster, kinds->kind[0]) - need);
    while (after_ns != TIME_NEVER) {
        int64_t until_ns = length_ns > TIME_NEVER - after_ns ? TIME_NEVER : after_ns + length_ns, free = 0;
        for (uint32_t i = 0; i < kinds->n && free < need; i++)
            free += kind_gpus_milli(s->cluster, kinds->kind[i]) -
                    profile_most(t->kind_taken[kinds->kind[i]], after_ns, until_ns);
        if (free >= need)
            break;
        after_ns = timeline_next_end_ns(t, after_ns);
    }
    return after_ns;
}

struct slot timeline_earliest(struct sched *s, job_id j, int64_t after_ns, int64_t horizon_ns, unsigned tries)
{
    struct request r = job_request(s, j);
    int64_t length_ns = timeline_length_ns(s, j);
    for (; tries > 0; tries--) {
        after_ns = totals_fit(s, &r, after_ns, length_ns);
        if (after_ns == TIME_NEVER || after_ns > horizon_ns)
            break;
        const struct placement *where = sched_place(s, timeline_view(s, after_ns, timeline_plus(after_ns, length_ns)), &r);
        if (where)
            return (struct slot){ after_ns, where };
        after_ns = timeline_next_end_ns(s->timeline, after_ns);
    }
    return (struct slot){ TIME_NEVER, NULL };
}

/* ---- Plans ---- */

enum sched_result plan_set(struct sched *s, job_id j, int64_t start_ns, const struct placement *p)
{
    struct live *l = s->in_pass && j < s->workload->n_jobs ? live_of(s, j) : NULL;
    if (!l || s->job[j].state != JOB_PENDING || start_ns < s->now_ns)
        return SCHED_WRONG_STATE;
    plan_drop(s, j);
    int64_t end_ns = timeline_plus(start_ns, timeline_length_ns(s, j));
    struct view *v = timeline_own_view(s, timeline_view(s, start_ns, end_ns));
    if (!placement_take_if_free(v, ask_of(s, j), p))
        return SCHED_NO_ROOM;
    placement_give(v, ask_of(s, j), p);
    struct placement *copy = placement_stage(s, j, placement_copy(s, p));
    mem_grow(&s->timeline->planned, &s->timeline->planned_capacity, s->timeline->n_planned, sizeof(job_id));
    s->timeline->planned[s->timeline->n_planned++] = j;
    hold_add(s, j, HOLD_PLAN, start_ns, end_ns, copy);
    if (s->setup.observer.decision) {
        char text[32];
        text[decimal_format(text, start_ns, NS_PER_S)] = '\0';
        decision_log(s, j, "decision", "promise", text);
    }
    return SCHED_OK;
}

void plan_drop(struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    uint32_t i = l ? l->hold[HOLD_PLAN] : ORDERED_NONE;
    if (i == ORDERED_NONE)
        return;
    if (s->timeline->hold[i].born != s->totals.passes)    /* else it is among those staged in this pass */
        placement_stage(s, j, s->timeline->hold[i].p);
    hold_drop(s, j, HOLD_PLAN);
}

void plan_clear(struct sched *s)
{
    struct timeline *t = s->timeline;
    for (size_t i = 0; i < t->n_planned; i++)
        plan_drop(s, t->planned[i]);
    if (!s->marked)
        t->n_planned = 0;
}

int64_t plan_start(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l && l->hold[HOLD_PLAN] != ORDERED_NONE ? s->timeline->hold[l->hold[HOLD_PLAN]].start_ns : TIME_NEVER;
}

const struct placement *plan_placement(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l && l->hold[HOLD_PLAN] != ORDERED_NONE ? s->timeline->hold[l->hold[HOLD_PLAN]].p : NULL;
}

uint64_t timeline_version(const struct sched *s)
{
    return s->timeline->freed;
}
