/* victims.h - the running jobs of a group of running.h that a pass of queueing.c may stop, from the end of the order, and by which
 * keys they are judged. What is kept of them is told in queueing.h. */
#pragma once
#include "policies/common/running.h"

struct victim {
    job_id job;
    struct running_job *kept;
    struct line_key bound;        /* under which it stands in its group */
    struct line_key key;          /* as of now, the same or better; once `judged` */
    bool judged;
    int64_t sum_milli;            /* GPUs that it and all victims before it free, at most */
};

struct line_key victim_bound_now(struct sched *s, const struct queueing_state *o, job_id j,
                                 struct line_key k);
/* The key under which a running job stands in its group, as of now. With `shrinks` that is the time
 * of its end, start-up included, which orders jobs of one group at any time; compared is the
 * remaining work. */
static inline struct line_key victim_bound(struct sched *s, const struct queueing_state *o,
                                           job_id j, struct line_key k)
{
    return o->discipline->shrinks || o->discipline->by_gpus ? victim_bound_now(s, o, j, k) : k;
}

bool victim_surely_ahead(struct sched *s, const struct queueing_state *o, job_id v,
                         struct running_job *kept);
/* Of v, as was found before, and rounding does not say otherwise now. */
static inline bool victim_known_ahead(struct sched *s, const struct queueing_state *o, job_id v,
                                      struct running_job *kept, struct line_key key)
{
    int64_t now_ns = sched_now(s);
    return now_ns < kept->ahead_until_ns && key.major >= kept->ahead_of &&
           (now_ns < kept->sure_until_ns || victim_surely_ahead(s, o, v, kept));
}

int64_t victim_next_behind_ns(struct sched *s, const struct queueing_state *o, job_id v,
                              struct running_job *kept, job_id j, struct line_key key);
/* No later than the first time at which v may be behind job j with this key. kept NULL: nothing is
 * kept of it. */
static inline int64_t victim_behind_ns(struct sched *s, const struct queueing_state *o, job_id v,
                                       struct running_job *kept, job_id j, struct line_key key)
{
    return kept && victim_known_ahead(s, o, v, kept, key)
               ? kept->ahead_until_ns
               : victim_next_behind_ns(s, o, v, kept, j, key);
}

/* Once a pass, before victims of r are asked for. */
void victims_begin(struct sched *s, const struct queueing_state *o, struct running *r);
/* The next joins r->victim. false: there are no more. */
bool victims_fetch(struct sched *s, const struct queueing_state *o, struct running *r);
/* Its present key is known. */
void victim_judge(struct sched *s, const struct queueing_state *o, struct victim *v);
bool victim_judged_behind(struct sched *s, const struct queueing_state *o, struct victim *v,
                          job_id j, struct line_key key);
/* It may be stopped for j, by its present key. */
static inline bool victim_is_behind(struct sched *s, const struct queueing_state *o,
                                    struct victim *v, job_id j, struct line_key key)
{
    if (!v->judged && v->kept && victim_behind_ns(s, o, v->job, v->kept, j, key) > sched_now(s))
        return false;
    return victim_judged_behind(s, o, v, j, key);
}

/* There is an i-th victim, and its bound is behind j. */
static inline bool victim_behind(struct sched *s, const struct queueing_state *o, struct running *r,
                                 size_t i, job_id j, struct line_key key)
{
    while (r->n_victims <= i)
        if (!victims_fetch(s, o, r))
            return false;
    return line_key_before(key, j, r->victim[i].bound, r->victim[i].job);
}
