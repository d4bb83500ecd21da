/* milestones.h - an event at the time when a job will have so much work left, at whatever rate: it moves as the rate changes.
 *
 * A model keeps one struct milestone for a job, all 0 at first, and calls milestone_paced() from its hook paced(). */
#pragma once
#include "sim/engine/state.h"

struct milestone {
    int64_t left_ns;              /* work left, reference ns */
    event_id event;               /* 0: none */
    uint8_t kind;                 /* enum event_kind */
    bool set;
};
/* When left_ns of work are left; now, if less is left. */
void milestone_set(struct sched *s, struct live *l, struct milestone *m, enum event_kind kind, int64_t left_ns);
void milestone_paced(struct sched *s, struct live *l, struct milestone *m);
void milestone_drop(struct sched *s, struct milestone *m);
int64_t milestone_reached(struct milestone *m);              /* its event has come; returns left_ns as it was set */
