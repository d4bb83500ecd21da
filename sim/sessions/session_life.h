/* session_life.h - one session as a state machine. It knows no cluster: the caller says when it
 * gets GPUs, when it is usable and when the GPUs are taken away; it says what it does next by
 * itself.
 *
 *   start       The session requests GPUs when it is submitted. It is usable when they have started
 *               up; from then on its user thinks and runs something in turn, as drawn. A run needs
 *               the GPUs; a think time passes wherever the session is.
 *   waiting     A user who wants to run while the session is not usable waits, at first from the
 *               submission on. A wait for GPUs longer than the patience is given up: the session is
 *               abandoned. With GPUs the user waits for the end of the start-up.
 *   preempted   A session without its GPUs requests GPUs again at once. An interrupted run
 *               continues where it was: an interactive job has no progress to lose. A thinking user
 *               notices nothing before the next run.
 *   culled      A session that is idle for too long (session_spec.h) releases its GPUs, or
 *               withdraws its request, and requests GPUs again at the next run of its user; idle
 *               for longer it is deleted, and its user finds it gone. Waiting for GPUs is not idle.
 *   end         The user leaves after the intended length, counted from the first usable time, with
 *               GPUs or without, and closes the session: a run then ends unfinished. A user who
 *               forgets to close it leaves a run to end, or to wait without patience; then the
 *               session idles until it is deleted, or until its cap.
 *
 * Events at one instant are in the order of enum session_act, and before changes by the caller at
 * that instant. */
#pragma once
#include "sim/sessions/draw_sessions.h"

enum session_place {
    SESSION_QUEUED,
    SESSION_STARTING,
    SESSION_USABLE,
    SESSION_RELEASED,
    SESSION_OVER
};
enum session_mind {
    MIND_FIRST,                   /* the session has not been usable yet */
    MIND_THINKS, MIND_WANTS, MIND_RUNS,    /* WANTS: to run, in a session that is not usable */
    MIND_AWAY,                    /* the user has left: no more runs */
};
enum session_act {
    SESSION_CLOSES,
    SESSION_EXPIRES,
    SESSION_ABANDONS,
    SESSION_TURNS,
    SESSION_FORGOTTEN,
    SESSION_DELETED,
    SESSION_RELEASES
};
enum session_end {
    SESSION_CLOSED, SESSION_EXPIRED, SESSION_ABANDONED, SESSION_CULLED,
    SESSION_LOST,                 /* the cluster refused it, or gave it up */
    SESSION_ENDS
};
extern const char *const session_end_name[SESSION_ENDS];

/* How the time is spent: each instant from submit to end is one of these. The middle three have
 * GPUs. */
enum session_spent {
    SPENT_QUEUED,
    SPENT_STARTING,
    SPENT_ACTIVE,
    SPENT_IDLE,
    SPENT_RELEASED,
    SESSION_SPENTS
};

struct session_life {
    const struct session *of;
    const struct session_culling *culling;
    int64_t cap_ns;
    enum session_place place;
    enum session_mind mind;
    enum session_end end;         /* if place is SESSION_OVER */
    uint32_t phase;               /* index of the present phase */
    int64_t turn_ns;              /* the end of the phase; of a waiting run: its remaining time */
    int64_t now_ns;               /* time of the last change */
    int64_t usable_ns;            /* first usable time; -1: not yet */
    int64_t wants_since_ns, idle_since_ns;
    int64_t spent_ns[SESSION_SPENTS];    /* up to now_ns */
    int64_t delayed_ns; /* part of it in which the user waits to run, after the first usable time */
    uint32_t releases, taken;     /* number of releases and preemptions */
    bool left;                    /* the user left without closing it */
};
struct session_step { int64_t at_ns; enum session_act act; };

/* Submitted. Pointers are borrowed. */
struct session_life session_begin(const struct session *of, const struct session_culling *culling,
                                  int64_t cap_ns);
/* Its next own event, at l->now_ns or later; false: none before a change by the caller. */
bool session_next(const struct session_life *l, struct session_step *step);
void session_acts(struct session_life *l, const struct session_step *step);

/* queued: gets GPUs, which start up */
void session_granted(struct session_life *l, int64_t now_ns);
void session_usable(struct session_life *l, int64_t now_ns);     /* starting: the start-up ends */
void session_taken(struct session_life *l, int64_t now_ns);      /* starting or usable: preempted */
void session_lost(struct session_life *l, int64_t now_ns);       /* it will never get GPUs */
void session_settle(struct session_life *l, int64_t now_ns);     /* brings spent_ns up to now_ns */

/* How the present instant is spent; SESSION_SPENTS: the session is over. */
enum session_spent session_spent_on(const struct session_life *l);

static inline bool session_is_active(const struct session_life *l)
{
    return l->place == SESSION_USABLE && l->mind == MIND_RUNS;
}
static inline bool session_holds(const struct session_life *l)
{
    return l->place == SESSION_STARTING || l->place == SESSION_USABLE;
}
