/* lost_time.c - see lost_time.h. */
#include "sim/physics/lost_time.h"

#include "sim/engine/pace.h"
#include "sim/scheduler/placements.h"

static void settle(const struct sched *s, struct lost_time *x, const struct placement *on)
{
    if (x->share > 0)
        x->gpu_ns += x->share * (double)placement_gpu_milli(on) / MILLI_ALL *
                     (double)(s->now_ns - x->since_ns);
    x->since_ns = s->now_ns;
}

void lost_time_paced(const struct sched *s, struct lost_time *x, const struct live *l,
                     const struct pace *usual)
{
    settle(s, x, l->on);
    double usual_s = pace_iteration_s(usual), now_s = pace_iteration_s(&l->pace);
    x->share = l->progress_event || l->pace.stalled || now_s <= usual_s ? 0 : 1 - usual_s / now_s;
}

void lost_time_left(const struct sched *s, struct lost_time *x, const struct placement *from)
{
    settle(s, x, from);
    x->share = 0;
}
