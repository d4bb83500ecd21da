/* sessions.h - interactive sessions in a run: each is a job on demand, which comes, gives its GPUs back and goes as
 * sim/sessions/session_life.h says. Workload files with `sessions`; models.md 10.9 for the metrics.
 *
 * The model follows the session's job: when its GPUs are granted, taken, and useful once they have started up. While its user thinks
 * a session holds its GPUs without progress (ACCOUNT_IDLE). While it runs something each GPU computes for `duty` of the time.
 * A run of the user takes the time that was drawn, however fast its GPUs are. Checked at the end of every run: the time that a
 * session spent on each activity is the time that its job was charged for.
 *
 * sessions.csv has a row for each session that was submitted. */
#pragma once
#include "sim/engine/models.h"
#include "sim/engine/state.h"
#include "sim/sessions/session_life.h"

struct session_run {
    const struct sessions *group;
    struct session_life life;
    job_id   job;
    event_id event;               /* of the session's next step; 0: no time is known for it */
    bool     begun;               /* submitted */
    bool     asks_again;          /* submits its job again as soon as that has left what it held before */
    bool     started_up;          /* its job has, which the session learns at its next event */
    enum session_spent counted;   /* among those in `now` */
};
struct sessions_run {
    uint32_t n;
    struct session_run *one;      /* [n] by submit time, then group */
    uint32_t *of_job;             /* [n_on_demand] ID_NONE: none */
    bool     ended;               /* the run: its sessions are as they were then */
    uint32_t now[SESSION_SPENTS + 1];     /* how many spend the present instant on what; the last: not begun, or over */
};

extern const struct run_model sessions_model;
static inline struct sessions_run *sessions_of(const struct sched *s)    /* NULL: there are none */
{
    return model_state(s, &sessions_model);
}
