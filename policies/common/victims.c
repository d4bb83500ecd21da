/* victims.c - see victims.h. */
#include "policies/common/victims.h"
#include "sim/contract/util/array.h"

/* ---- Keys of running jobs ---- */

struct line_key victim_bound_now(struct sched *s, const struct queueing_state *o, job_id j,
                                 struct line_key k)
{
    if (o->discipline->shrinks)
        k.time_ns -= sched_now(s);
    if (o->discipline->by_gpus)
        k = (struct line_key){ .major = (double)k.time_ns * (double)job_size(s, j).gpu_milli };
    return k;
}

/* The key by which a running job is judged: its bound or better. */
static struct line_key present_key(struct sched *s, const struct queueing_state *o, job_id j,
                                   struct line_key bound)
{
    const struct discipline *d = o->discipline;
    return d->present ? d->present(s, o, j) : d->shrinks ? d->key(s, j, o->params) : bound;
}

bool victim_surely_ahead(struct sched *s, const struct queueing_state *o, job_id v,
                         struct running_job *kept)
{
    kept->sure_until_ns = o->discipline->sure_ns(s, o, v);
    return sched_now(s) < kept->sure_until_ns;
}

int64_t victim_next_behind_ns(struct sched *s, const struct queueing_state *o, job_id v,
                              struct running_job *kept, job_id j, struct line_key key)
{
    if (!o->discipline->behind_ns)
        return sched_now(s);
    int64_t at_ns = o->discipline->behind_ns(s, o, v, j, key);
    if (kept && at_ns > sched_now(s)) {
        kept->ahead_of = key.major;
        kept->ahead_until_ns = at_ns;
    }
    return at_ns;
}

/* ---- Victims, from the end of the order ---- */

static void head_of(struct sched *s, const struct queueing_state *o, struct queue_head *h)
{
    const struct running_group *g = h->of;
    const struct ranked *last = ranking_at(&g->order, g->next);
    h->job = last->job;
    h->key = victim_bound(s, o, last->job, last->key);
}

void victims_begin(struct sched *s, const struct queueing_state *o, struct running *r)
{
    if (r->pass == o->pass)
        return;
    r->pass = o->pass;
    r->n_victims = r->n_heap = 0;
    r->heap = sched_scratch(s, (r->n_groups + 1) * sizeof *r->heap);
    for (size_t i = 0; i < r->n_groups; i++) {
        if (!ranking_last(s, &r->group[i].order, &r->group[i].next))
            continue;
        r->heap[r->n_heap].of = &r->group[i];
        head_of(s, o, &r->heap[r->n_heap++]);
    }
    last_heads_make(NULL, r->heap, r->n_heap);
}

/* From the next place of this group. */
static void victim_add(struct sched *s, struct running *r, const struct running_group *g, job_id j, struct line_key bound)
{
    r->victim = array_grown(sched_alloc, s, r->victim, &r->victims_capacity, r->n_victims,
                            sizeof *r->victim);
    struct victim *v = &r->victim[r->n_victims];
    struct running_job *kept = &g->job[ranking_entry(&g->order, g->next)];
    v->job = j;
    v->kept = kept;
    v->bound = bound;
    v->judged = false;
    v->sum_milli = (r->n_victims ? v[-1].sum_milli : 0) + kept->frees_milli;
    r->n_victims++;
}

/* Of the only group: its head is not kept. */
static void fetch_only(struct sched *s, const struct queueing_state *o, struct running *r)
{
    struct running_group *g = r->group;
    const struct ranked *last = ranking_at(&g->order, g->next);
    victim_add(s, r, g, last->job, victim_bound(s, o, last->job, last->key));
    r->n_heap = ranking_previous(s, &g->order, &g->next);
}

bool victims_fetch(struct sched *s, const struct queueing_state *o, struct running *r)
{
    if (r->n_heap == 0)
        return false;
    if (r->n_groups == 1) {
        fetch_only(s, o, r);
        return true;
    }
    struct queue_head *h = &r->heap[0];
    struct running_group *g = h->of;
    victim_add(s, r, g, h->job, h->key);
    if (ranking_previous(s, &g->order, &g->next))
        head_of(s, o, h);
    else
        *h = r->heap[--r->n_heap];
    if (r->n_heap > 1)
        last_heads_down(NULL, r->heap, r->n_heap, 0);
    return true;
}

void victim_judge(struct sched *s, const struct queueing_state *o, struct victim *v)
{
    if (!v->judged)
        v->key = present_key(s, o, v->job, v->bound);
    v->judged = true;
}

bool victim_judged_behind(struct sched *s, const struct queueing_state *o, struct victim *v,
                          job_id j, struct line_key key)
{
    victim_judge(s, o, v);
    return line_key_before(key, j, v->key, v->job) && job_state(s, v->job) == JOB_RUNNING &&
           job_facts(s, v->job)->preemptible;
}
