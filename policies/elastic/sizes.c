/* sizes.c - see sizes.h. */
#include "policies/elastic/sizes.h"
#include "sim/contract/util/minmax.h"

uint32_t size_unit_gpus(const struct sched *s, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    return ask->tasks == SPLIT_ANY ? 1 : ask->gpus;
}

bool resizable(const struct sched *s, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    return f->sizing && f->preemptible && !job_sizes(s, j).moldable;
}

bool least_over_limit(struct sched *s, job_id j)
{
    struct request least = job_request_sized(s, j, job_sizes(s, j).min);
    return queue_over_limit(s, job_facts(s, j)->queue, request_size(&least));
}

bool skip_over(struct sched *s, struct line *l, struct line_walk *w, job_id j, bool skip)
{
    const struct job_facts *f = job_facts(s, j);
    bool limited = least_over_limit(s, j);
    enum wait_reason why = limited ? WAIT_LIMIT : sched_why_not(s);
    if ((skip || limited) && !f->sizing) {
        sched_blocked(s, j, WAIT_GROUP);
        line_blocked(s, l, f->ask->shape, why);
        line_skip_shape(w, f->ask->shape);
    } else {
        sched_blocked(s, j, why);
    }
    return skip || limited;
}

/* An upper bound of the size that fits, by the number of whole GPUs. */
static uint32_t max_fitting(struct sched *s, job_id j, uint32_t max)
{
    struct request r = job_request_sized(s, j, max);
    uint32_t unit = size_unit_gpus(s, j),
             held = job_state(s, j) == JOB_RUNNING ? job_size_held(s, j) : 0;
    /* or tasks that differ: one size */
    if (!job_facts(s, j)->sizing || !unit || r.gpu_milli < MILLI_ALL || r.next)
        return max;
    uint32_t fit = held + domain_free_gpus(sched_view(s, FREE_IDLE), 0, &r) / unit;
    return min_u32(fit, max);
}

struct sized_place largest_place(struct sched *s, job_id j, uint32_t min, uint32_t max)
{
    struct sized_place best = { 0, NULL };
    uint32_t low = min, high = max_fitting(s, j, max);
    if (high < low)
        sched_place_anew(s, j, min);                     /* for sched_why_not() */
    for (uint32_t size = high; low <= high; size = low + (high - low) / 2) {
        const struct placement *where = sched_place_anew(s, j, size);
        if (where) {
            best = (struct sized_place){ size, where };
            low = size + 1;
        } else if (size == 0) {
            break;
        } else {
            high = size - 1;
        }
    }
    return best;
}
