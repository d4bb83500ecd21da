/* timeline.h - holds over time, and the windows that show what they leave free. See contract/timeline.h.
 *
 * Each running job, each job that is leaving and each reservation (plan) is a hold on its pieces from a start to an end: by the
 * job's estimate, or when it will have left. Totals of each kind of node are profiles over time; what has names (GPUs), CPU and
 * memory is summed up in windows.
 *
 * A hold belongs to a window [from, until) if it starts before `until` and ends after `from`. A window is a free index from which
 * the pieces of those holds are taken; to move it, only the holds between the old bounds and the new are looked at. Counted nodes
 * are not summed up: they ask for the maximum that is taken at any instant of the window. One window begins now. Once gaps say all
 * (below) several begin later, each for a part of the time ahead, so that none moves far.
 *
 * Where totals say it all, a plan that was found to be the earliest is so while nothing comes free: holds that begin never make a
 * start earlier. Most plans that may start earlier do so where something has come free just before them: that is one look at the
 * totals, and for the rest bounds are kept (sooner.h). A plan that totals leave an earlier start keeps its place: the placer has no
 * other on a node that is counted. A steady plan, whose job totals say all of as long as it waits, is moved there without a question.
 * Placers that choose among named GPUs promise less: one may find a place where it found none with more free.
 *
 * Named GPUs have gaps besides, once there are a few plans: the times at which nothing holds them. A request for whole GPUs of one
 * kind can start no earlier than as many GPUs have gaps that are as long as it; before that the placer is not asked. Where gaps
 * are all that placers see of a window, a plan that was found to be the earliest, in the place that the placer gives it, is so until
 * a gap changes that its job would fit; and where it may be earlier, gaps say from when on without the plan being taken away.
 *
 * Where besides any GPUs do for all jobs, windows sum up no holds any more: they show the GPUs that have a gap over all of their
 * time. Under load these are few, and to show others costs what differs. Where nothing but a plan's own GPUs is free for it, and the
 * placer has said once what it does with these, it is not asked again. A placer that chooses among a list of nodes (placer.choose) is
 * asked so, without a window.
 *
 * GPUs out of service are taken for good, and what still runs on them is not taken again. Announced maintenance: outages.h. */
#pragma once
#include "sim/base/gaps.h"
#include "sim/base/ordered.h"
#include "sim/base/profile.h"
#include "sim/base/sooner.h"
#include "sim/capacity/free_index.h"
#include "sim/contract/timeline.h"
#include "sim/engine/state.h"
#include "sim/scheduler/closed/outages.h"
#include "sim/scheduler/planned/ends.h"

/* What plans_renew() reads of each of many plans lies together. */
struct hold {
    struct ordered_link link;     /* by start, if summed */
    int64_t start_ns, end_ns;
    int64_t need_milli;           /* a fixed plan: how many GPUs of kind_of_all */
    uint32_t kind_of_all;         /* a fixed plan: the only kind that its job may use */
    uint32_t place;               /* a steady plan: among those that begin with it (sooner.h) */
    uint8_t why;                  /* a plan: enum wait_reason of its job */
    bool fixed;                   /* a plan of a job of one kind of node whose length and limits do not change while it waits */
    bool plain;                   /* a fixed plan where windows show gaps: the placer chooses among a list of nodes for its job */
    bool bound;                   /* a plan: gaps bound when its job may start */
    bool steady;                  /* such a plan of a job that totals say all of */
    uint8_t kind;
    bool shown;                   /* in profiles and windows */
    bool summed;                  /* windows sum it up: it takes GPUs with names, CPU or memory. Else profiles say it all */
    bool by_end;                  /* it is in its order of ends: those that profiles say all of come there when that is asked */
    job_id job;
    uint32_t plan;                /* its place among the plans */
    uint32_t unordered;           /* not by_end: its place among those */
    uint64_t born;                /* number of the pass */
    /* a plan: when gaps last said that it is where the search from after_ns on finds it; and the placer has chosen its place when
       nothing else was free there. before: no more than before - 1 of its GPUs were free just before it; 0: not known. none: no other
       GPU was free for it up to its start */
    struct still { bool done, alone, none; uint32_t before; uint64_t outs; int64_t after_ns; struct gaps_mark mark; } still;
    struct placement *p;          /* the job's own, or of a plan; NULL: there is no such hold */
};
struct found { job_id job; uint64_t pass; int64_t after_ns, start_ns; const struct placement *p; struct gaps_mark mark; uint64_t version; };
/* What was asked for a job without a plan, and the answer; when, and at what count of changes. */
struct asked { uint64_t pass, changes; int64_t after_ns, horizon_ns, length_ns; unsigned tries; struct slot slot; };
struct hold_end { struct ordered_link link; };               /* the same item in the order of ends */
struct window { struct view *v; int64_t from_ns, until_ns; uint64_t version; struct blocks *blocks; struct lit *lit; };

enum { WINDOWS_MOST = 1 + 4 };         /* 4 later ones cross a third of the holds that one does; more cost as much where plans move */

/* Written by timeline.c and closed/out_of_service.c; plans.c reads it. */
struct timeline {
    struct hold *hold;
    struct hold_end *end;
    size_t n, capacity, end_capacity;
    uint32_t free;                /* chained through link.up */
    struct ordered by_start;      /* those that windows sum up */
    struct ordered by_end[2];     /* the others; those that windows sum up */
    uint32_t *unordered;          /* holds that are not by end yet */
    size_t n_unordered, unordered_capacity;
    struct ends_ahead ends;             /* of holds that are no plans and that windows do not sum up: to see which are late */
    enum overrun overrun;
    uint32_t n_unknown;           /* jobs that arrived without an estimate, but for those on demand */
    bool asked;                   /* for the earliest time of a job */
    int64_t pass_ns;              /* time of the last pass */
    size_t n_late;                /* holds that were given another end as this pass began */
    struct window window[WINDOWS_MOST];    /* the first begins now, the others later */
    unsigned n_windows;           /* 2 until there are gaps that say all; where windows show these, for good */
    int64_t last_from_ns;         /* the latest beginning of a window that was asked for lately */
    node_id *counted;             /* counted nodes, and what is taken of each over time, in milli-GPUs */
    size_t n_counted;
    struct profile **taken;       /* [n_nodes]; NULL: its GPUs have names. The only node of its kind shares the kind's */
    struct profile **kind_taken;  /* [n_kinds] milli-GPUs */
    struct node_out *out;         /* [n_nodes] */
    struct plan { int64_t start_ns; uint32_t hold; } *plan;    /* the holds that are plans */
    size_t n_plans, plan_capacity;
    uint32_t *plan_at;            /* [n_jobs] the hold that is its plan; ORDERED_NONE: none */
    struct due { bool known; int64_t after_ns, first_ns; } due;    /* of the plans after that time the first; TIME_NEVER: none */
    uint64_t version;             /* of all holds */
    uint64_t freed;               /* grows when a hold goes that is no plan */
    struct instant { int64_t at_ns, taken_milli; uint64_t version; } *instant;    /* [n_kinds] the profile where it was last asked */
    struct sooner **sooner;       /* [n_kinds] whether plans may start sooner, by totals in milli-GPUs; NULL: not asked yet */
    struct gaps **gaps;           /* [n_kinds] of their GPUs, by position in the kind and slot; NULL: they have no names, or are
                                     MIG instances. NULL before there are a few plans */
    bool gaps_say_all;            /* of a window, to the placer */
    bool by_gaps;                 /* windows show gaps, and sum up nothing */
    bool drew;                    /* a placer that was asked for the earliest time of a job drew */
    struct found found;           /* the slot found last, if the placer was not asked in vain: by gaps of that mark, or by totals at
                                     that version */
    struct asked *last;           /* [n_shapes] the last question answered without a draw; NULL:
                                     none yet */
    uint64_t changes;             /* of holds and nodes, but for plans that are only hidden for a question */
    uint64_t *units;              /* [n_nodes] scratch, of some units: 0 between */
    struct offers { struct node_offer *offer; size_t n, capacity; } offers;    /* scratch: what is free for a plan; which units, in `units` */
    uint64_t outs;                /* how often nodes went out of service or came back */
    /* For timeline_outlook(): its last answer, and what that was an answer to */
    struct outlook { uint64_t number, pass, changes, idle; struct random draws; } outlook;
};

void timeline_begin(struct sched *s);                        /* only for a policy that SEES_TIMELINE */
void timeline_end(struct sched *s);
void timeline_arrived(struct sched *s, const struct live *l);
void timeline_pass(struct sched *s);                         /* a pass begins: holds that should have ended are given another end */
void timeline_started(struct sched *s, struct live *l);      /* staged: it holds l->now.held from now on */
void timeline_stopped(struct sched *s, struct live *l, int64_t stay_ns);   /* staged: it stays that much longer */
void timeline_leaves(struct sched *s, struct live *l, int64_t stay_ns);    /* truth: l->leaving stays that much longer */
void timeline_kept(struct sched *s, struct live *l);
void timeline_left(struct sched *s, struct live *l, enum hold_kind kind);  /* truth: that hold is over */
void timeline_reopened(struct sched *s);                     /* what was refused may fit now, and no hold has gone */
void timeline_told(struct sched *s, const struct live *l);   /* it waits for l->own_why from now on */
void timeline_forget(struct sched *s, struct live *l);       /* truth: it is gone, and so is its plan */
void timeline_node_out(struct sched *s, node_id n, uint64_t gpus, bool whole, int sign);    /* GPUs of n go out of service (1), or come
                                                                back (-1), and the whole node or not */
/* planned/windows.c: windows, and the orders in which they meet holds */
struct ordered_space holds_by_start(const struct timeline *t);
struct ordered_space holds_by_end(const struct timeline *t);
bool hold_ends_by(const void *key, const void *context, uint32_t item);    /* int64_t *key: when */
void window_change(struct sched *s, struct window *w, const struct hold *h, bool take);    /* h is taken from it, or given back */
struct window *window_for(struct sched *s, int64_t from_ns);              /* that of timeline_view() for a time from then on */
void windows_change(struct sched *s, const struct hold *h, bool take);    /* all that have h */
void windows_lengthen(struct sched *s, const struct hold *was, const struct hold *h);    /* h takes the place of `was` */
void profiles_on(struct sched *s, node_id n, int64_t sign);  /* what holds have there goes into the profiles, or out of them (-1) */
void windows_by_gaps(struct sched *s);                       /* they show gaps from now on */
/* planned/by_gaps.c */
bool windows_may_show_gaps(const struct sched *s);              /* windows can show gaps */
void window_by_gaps(struct sched *s, struct window *w);      /* that shows everything as free, but for what is out of service */
void window_show_gaps(struct sched *s, struct window *w, int64_t from_ns, int64_t until_ns);
void window_lit_free(struct window *w);
/* planned/offers.c */
const struct placement *plan_by_offers(struct sched *s, const struct hold *plan, int64_t from_ns);    /* where the placer puts a plain plan that
                                                                              begins then, its own hold away; NULL: a window has to say */
/* planned/renewal.c */
void plan_note(const struct sched *s, struct hold *plan);    /* a plan that is set: whether it is fixed and steady */
struct slot plan_slot_known(struct sched *s, struct hold *plan, int64_t after_ns);    /* timeline_earliest() of the plan, if gaps and one
                                                                              question to the placer say it; NULL: they do not */
/* plans.c */
int64_t kind_gpus_milli(const struct cluster *c, uint32_t kind);
struct sooner *sooner_of(const struct sched *s, uint32_t kind);
bool none_in_the_way(const struct sched *s, const struct hold *plan, uint32_t kind);    /* no other hold is */
void promise_told(struct sched *s, job_id j, int64_t start_ns);
void plan_found_note(struct sched *s, job_id j, const struct gaps *gaps, int64_t after_ns, struct slot slot);    /* to know in plan_set()
                                                                              that the plan is where gaps say */
bool gaps_bound(const struct sched *s, const struct request *r);           /* gaps of one kind bound when it may start, if there are any */
struct gaps *gaps_of_piece(const struct sched *s, const struct piece *p);  /* NULL: none */
int64_t timeline_free_milli(const struct sched *s, uint32_t kind, int64_t at_ns);    /* of a kind of which totals say all; no earlier
                                                                                       than now */
int64_t timeline_counted_free(const struct sched *s, node_id n, int64_t from_ns, int64_t until_ns);    /* GPUs of a counted node that are
                                                             free at all times of a window, whatever maintenance is announced */
void gaps_change(struct sched *s, const struct placement *p, int64_t from_ns, int64_t until_ns, int sign);
void gaps_shift(struct sched *s, const struct placement *was, int64_t was_ns, int64_t was_end_ns, const struct placement *p,
                int64_t start_ns, int64_t end_ns);           /* p is held there, start_ns <= was_ns, instead of `was` */
void gaps_out_change(struct sched *s, node_id n, uint64_t gpus, int sign);
void gaps_end(struct sched *s);
uint32_t timeline_without_estimate(const struct sched *s);  /* jobs that had none as they arrived; 0: no plan was asked for */
bool plan_is_on(const struct sched *s, const struct live *l, const struct placement *p);    /* p is that of its reservation */
/* For the undo log. */
void hold_add(struct sched *s, job_id j, enum hold_kind kind, int64_t start_ns, int64_t end_ns, struct placement *p);
void hold_end_waits(struct timeline *t, uint32_t i);        /* it comes to its order of ends when that is asked */
void hold_drop(struct sched *s, job_id j, enum hold_kind kind);            /* nothing if there is none */
int64_t hold_from_ns(const struct hold *h);                 /* from when profiles and gaps count it: what runs or leaves, from the
                                                               beginning of time: the past is never asked for, and a step less is kept */
void hold_show(struct sched *s, struct hold *h, bool shown);               /* false: to see what there were without it */

void plan_move(struct sched *s, job_id j, int64_t start_ns, int64_t end_ns, struct placement *p);    /* of its own from now on; from
                                                                            none: it is set */
void plan_shift(struct sched *s, struct hold *plan, int64_t start_ns, struct placement *p);    /* no later than it was, to a place of its
                                                                              own; it is fixed, not steady, and windows do not sum it up,
                                                                              and no mark is set */
void plan_advance(struct sched *s, struct hold *plan, int64_t start_ns);   /* in the place that it has; windows do not sum it up, and no
                                                                              mark is set */
struct hold *plan_of(const struct sched *s, job_id j);                    /* its reservation; NULL: none */
int64_t timeline_due_ns(const struct sched *s);                           /* of the first plan after now; TIME_NEVER: none */
bool    timeline_rests(const struct timeline *t, int64_t start_ns, int64_t now_ns);    /* such a plan waits for a late job, not for its time */
bool    timeline_is_due(const struct sched *s);                           /* there is a plan for now */
int64_t timeline_next_end_ns(struct timeline *t, int64_t after_ns);   /* TIME_NEVER: none */
int64_t timeline_length_ns(const struct sched *s, job_id j);               /* start-up and what is left of the estimate */
static inline int64_t timeline_plus(int64_t time_ns, int64_t length_ns)     /* saturates at TIME_NEVER */
{
    return length_ns > TIME_NEVER - time_ns ? TIME_NEVER : time_ns + length_ns;
}
struct view *timeline_own_view(const struct sched *s, const struct view *v);   /* NULL: not one of ours */
struct view *view_of(const struct sched *s, const struct view *v);          /* the same, to be changed; idle if it is none of the run */
