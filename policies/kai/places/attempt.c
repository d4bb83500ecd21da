/* attempt.c - all tasks that a job wants next: found by KAI's rules where these apply, and as a
 * placement. See places.h. */
#include "policies/kai/places/places.h"

/* Tasks of the job that stay; a job that is placed again as a whole has none. */
static const struct placement *held_besides(struct sched *s, job_id j, uint32_t task)
{
    const struct placement *held = job_placement(s, j);
    return placement_task(held, task) ? NULL : held;
}

struct quota_place quota_choose(struct sched *s, struct quota_state *q, job_id j,
                                const uint32_t *task, uint32_t n, bool tentative)
{
    struct request ask = *quota_ask(s, q, j);
    if (!ask.next && quota_lacks_nodes(s, FREE_OR_RELEASING, &ask, n))
        return (struct quota_place){ NULL, false };
    struct attempt a = { .s = s, .how = places_of(s, q), .job = j, .task = task, .n_tasks = n };
    ask.job = j;
    a.ask = &ask;
    a.tentative = tentative;
    a.how->attempt++;
    a.pods = quota_pods_concern(s, q, j) ? q->pods : NULL;
    a.held = held_besides(s, j, task[0]);
    a.idle = sched_view(s, FREE_IDLE);
    a.later = sched_view(s, FREE_OR_RELEASING);
    a.placed = sched_scratch(s, n * sizeof *a.placed);
    a.b = sched_builder(s, a.later, &ask);
    if (attempt_takes_unseen(&ask))
        builder_alone(a.b);
    bool placed = attempt_all(&a), now = placed && !tentative;
    for (uint32_t i = 0; i < a.n; i++)
        now = now && a.placed[i].now;
    if (placed && !now && !tentative)
        placed = attempt_make_tentative(&a);
    const struct placement *where = builder_take(a.b);
    return (struct quota_place){ placed ? where : NULL, now };
}
