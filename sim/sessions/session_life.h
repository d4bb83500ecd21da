/* session_life.h - what one session does, and what becomes of it. Knows no cluster: somebody says when it gets GPUs, when it can be
 * used, when they are taken away; it says what it does next by itself.
 *
 *   It asks for GPUs when it is submitted. It can be used when they have started up, and from then on its user thinks and runs
 *   something in turn, as drawn. A run takes its time on the GPUs; a thought takes its time wherever the session is.
 *   Who wants to run and cannot use the session waits for it, at first from the submit on. A wait for GPUs that is longer than
 *   the user's patience is given up; once there are GPUs, the user waits for the start-up to end.
 *   Taken away (preempted), a session asks for GPUs again at once. An interrupted run goes on where it was: an interactive
 *   job has no progress to lose. Who thinks does not notice before the next run.
 *   A session that is idle for too long (session_spec.h) gives its GPUs back, or stops asking for them, and asks again when its user next wants to run;
 *   idle for longer it is deleted, and whoever comes back to it finds it gone. Who waits for GPUs is not idle.
 *   The user goes when the intended length is over, counted from when the session could first be used, GPUs or not, and closes
 *   it: a run that goes on ends unfinished. Who forgets to close it leaves a run to end, or to be waited for, without losing patience;
 *   then the session idles until it is deleted, or at its cap.
 *
 * What happens at one instant happens in the order of enum session_act, and before what others say at that instant. */
#pragma once
#include "sim/sessions/draw_sessions.h"

enum session_place { SESSION_QUEUED, SESSION_STARTING, SESSION_USABLE, SESSION_RELEASED, SESSION_OVER };
enum session_mind {
    MIND_FIRST,                   /* it could not be used yet */
    MIND_THINKS, MIND_WANTS, MIND_RUNS,    /* wants: to run, and cannot */
    MIND_AWAY,                    /* nothing is run any more: the user has gone */
};
enum session_act { SESSION_CLOSES, SESSION_EXPIRES, SESSION_ABANDONS, SESSION_TURNS, SESSION_FORGOTTEN, SESSION_DELETED, SESSION_RELEASES };
enum session_end {
    SESSION_CLOSED, SESSION_EXPIRED, SESSION_ABANDONED, SESSION_CULLED,
    SESSION_LOST,                 /* the cluster has refused it, or given it up */
    SESSION_ENDS
};
extern const char *const session_end_name[SESSION_ENDS];

/* Where its time goes, each instant from submit to end exactly one. With GPUs: the middle three. */
enum session_spent { SPENT_QUEUED, SPENT_STARTING, SPENT_ACTIVE, SPENT_IDLE, SPENT_RELEASED, SESSION_SPENTS };

struct session_life {
    const struct session *of;
    const struct session_culling *culling;
    int64_t cap_ns;
    enum session_place place;
    enum session_mind mind;
    enum session_end end;         /* once it is over */
    uint32_t phase;               /* of its phases, the present one */
    int64_t turn_ns;              /* its end; of a run that waits: what is left of it */
    int64_t now_ns;               /* when something happened last */
    int64_t usable_ns;            /* for the first time; -1: not yet */
    int64_t wants_since_ns, idle_since_ns;
    int64_t spent_ns[SESSION_SPENTS];    /* up to now_ns */
    int64_t delayed_ns;           /* of that: its user waited to run something, after it could be used for the first time */
    uint32_t releases, taken;     /* how often its GPUs were released, taken away */
    bool left;                    /* its user has gone without closing it */
};
struct session_step { int64_t at_ns; enum session_act act; };

/* Submitted: it asks for GPUs. What is pointed to is borrowed. */
struct session_life session_begin(const struct session *of, const struct session_culling *culling, int64_t cap_ns);
/* What it does next by itself; false: nothing, before somebody else does. Not before l->now_ns. */
bool session_next(const struct session_life *l, struct session_step *step);
void session_acts(struct session_life *l, const struct session_step *step);

void session_granted(struct session_life *l, int64_t now_ns);    /* queued: it gets GPUs, which start up */
void session_usable(struct session_life *l, int64_t now_ns);     /* starting: they have */
void session_taken(struct session_life *l, int64_t now_ns);      /* starting or usable: they are taken away */
void session_lost(struct session_life *l, int64_t now_ns);       /* it will not get GPUs any more */
void session_settle(struct session_life *l, int64_t now_ns);     /* spent_ns is as of now */

/* What the present instant is spent on; SESSION_SPENTS: on nothing, it is over. */
enum session_spent session_spent_on(const struct session_life *l);

static inline bool session_is_active(const struct session_life *l)
{
    return l->place == SESSION_USABLE && l->mind == MIND_RUNS;
}
static inline bool session_holds(const struct session_life *l)
{
    return l->place == SESSION_STARTING || l->place == SESSION_USABLE;
}
