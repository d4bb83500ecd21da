/* search.h - the search for victims: what consolidation, reclaim and preempt share.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/actions/common/solvers. The job's tasks are solved one
 * more at a time: first with the victims that the fewer tasks needed (recorded), then with one more
 * potential victim after the other, the worst first. For each, node by node of that victim's job:
 * the potential victims of jobs with a task on the node leave, then the job and they are placed
 * again in the order of the queues. Each such try is a scenario: tentative, rolled back; what is
 * kept is the fate of each evicted task. A victim that comes back to its node was never evicted
 * (kept); one that finds another place is moved; else it is lost. If the job has its place and the
 * action allows what is lost, the next task is solved:
 *   consolidation   nothing is lost
 *   reclaim         the rules of rules.h; with moves=yes moved tasks do not count
 *   preempt         anything of lower priority in the job's own queue
 *
 * Potential victims come in units, tasks that leave together: surplus tasks of an elastic job one
 * by one, then the rest as one. A job that gives only a total is one task that lies on several
 * nodes: for it all potential victims leave at once.
 *
 * Not a difference but a shorter way: where leaves are siblings, the first victim with which a node
 * has enough is found without a walk over those before it (ahead.c), and those that a consolidation
 * looks at first are kept from pass to pass (worst.c). A scenario in which more would be lost than
 * the action allows is not tried (scenario_bound.c).
 *
 * What differs from KAI: a node on which even all potential victims would not free enough GPUs is
 * not tried; jobs that this pass acted on are victims of their promises only (promises.c); other
 * waiting jobs do not take part in the order, so a job for which room was made is served first at
 * the next pass; nodes by id. */
#pragma once
#include "policies/kai/quota.h"

/* GPUs that nobody else has when the piece is gone. */
static inline int64_t search_milli_of(const struct piece *p)
{
    return (int64_t)p->gpus * (p->milli < MILLI_ALL ? MILLI_ALL : p->milli);
}
/* worst.c: the leaf may have changed, or its candidates. */
static inline void worst_changed(struct quota_state *q, queue_id leaf)
{
    changes_note(&q->worst_changed, leaf);
}

struct unit {                     /* tasks that leave together */
    job_id job;
    queue_id leaf;
    /* tasks; the unit of the same job before this; ID_NONE: none, or recorded */
    uint32_t n, next_of_job;
    uint32_t victim;              /* index of search.victim; ID_NONE: recorded */
    const struct piece *piece;    /* [n] */
};
/* first_unit ID_NONE: none */
struct victim {
    job_id job;
    queue_id leaf;
    uint32_t first_unit;
    bool popped;                  /* it has had a turn in the order of victims */
    const struct victim_candidate *of;
};
/* What the search has taken of a leaf. next: the first candidate of the line not taken yet; NULL:
 * no more. */
struct leaf_victims {
    uint32_t stamp;
    size_t at;
    const struct victim_candidate *next;
    struct quota_amount taken;
};
/* A victim that has more units, and what it holds without those taken. */
struct requeued { uint32_t victim; struct line_key key; struct quota_amount holds; };
/* The potential victims of a node. milli: what they free; in a search for a job, and what is free
 * there. able: as much as it needs, for a task, or for one more than fit if x->lacks. */
struct on_node { uint32_t stamp, first; int64_t milli, needs; bool able; };
/* Lists of on_node.first; ID_NONE ends. */
struct on_node_link { uint32_t unit, next; };
/* Gpus 0: not whole ones of one node. */
struct movable { node_id node; uint32_t gpus; int64_t milli; const struct request *run; };
/* Whether they could move so that a node holds one more task of so many GPUs. */
struct moved { uint32_t gpus, mig; bool could; };
/* Free GPUs of a node: with those that recorded units leave; and that this scenario lets go so far. */
struct leaving { uint64_t room, scenario; uint32_t recorded, gpus; };
/* worst.c: a victim, the k-th candidate of its leaf, as the order has it with it and those before it
 * of the leaf. */
struct worst { struct order_entry at; uint32_t k; };
/* So many are kept at most, and so many more than are looked at. */
enum { MOST_WORST = 96, SPARE_WORST = 24 };
struct worst_list {
    struct worst list[MOST_WORST];    /* [n] the worst first; `most` at most */
    struct quota_standing *standing;    /* [queues] of leaves with their first victim, when they were read last */
    size_t n, most;
    size_t looks;                 /* so many are looked at */
    bool changed;                 /* of these, since they were listed before */
    bool known;                   /* but for leaves that have changed since that change: */
    uint64_t read;
    bool anew;                    /* it is being made, not kept */
    bool bounded;                 /* those behind the bound are not in it; else all are */
    struct order_entry bound;
};
/* ---- Of scenario_bound.c ---- */
/* What may be lost of a sibling of the taker: bit k of `lost`: k tasks, and something after them;
 * most: so many in all. spare: quota_scenario_spare(). */
struct scenario_losses { uint64_t of, lost; int64_t spare; uint32_t most; };
struct scenario_queue {
    struct scenario_losses recorded, now;    /* of the recorded units; of those of the scenario */
    uint64_t stood;               /* number of the room in which the following was found */
    bool first;                   /* with all that it holds it goes before the job of the search */
    uint64_t touched;             /* the last pass in which a scenario has changed its books */
};
/* What is known of the recorded units for all scenarios of a task. Wide tasks: see there. */
struct scenario_room {
    uint64_t number;
    uint32_t mine;                /* tasks so far that are like the last one; 0: no x->run */
    bool lacks;                   /* so many do not fit as things are */
    uint32_t fit;                 /* so many fit when the units are gone */
    bool known;                   /* what follows */
    bool anywhere;                /* tasks of all victims may be wide, not of the same shape alone */
    bool orders;                  /* which units come back first may be known, by `me` */
    struct quota_standing me;     /* of the leaf of the job, with the tasks so far */
    bool *comes_back;             /* [n_recorded] the unit comes back first; scratch */
    uint32_t wide, may;           /* wide tasks; those that may be lost */
};
enum search_suits { SUITS_UNKNOWN, SUITS_ALL, SUITS_SOME };

/* Leaves that may lose something, if all are siblings: above their allocatable, above their deserved
 * shares; ID_NONE: no more. As of q->changes `at`. */
struct givers { uint64_t at; queue_id above_fair[2], above_deserved[2]; };
enum fate { FATE_LOST, FATE_MOVED, FATE_KEPT };                /* the worst first */
struct evicted {
    job_id job;
    queue_id leaf;
    uint32_t task, next_of_job;
    node_id from, to;
    uint32_t gpus;                /* that it leaves */
    enum fate fate;
};

/* One a run; what has a stamp is of the search with that number. */
struct search {
    uint64_t number;              /* of jobs searched for, from 1 on */
    enum quota_action action;
    job_id job;                   /* ID_NONE: any job that holds nothing */
    struct wanted wanted;
    /* nothing may be lost: the victims are those of a consolidation */
    bool moves_only;
    /* of the task being solved; NULL: it does not want whole GPUs, so every node may do */
    const struct request *run;
    int64_t task_milli;           /* GPUs of that task */
    /* victims on any node may do: the tasks so far would bring a queue above its limit, or GPUs for
     * them are free elsewhere */
    bool any_node;
    /* of that task: even when the recorded units are gone, too few nodes have enough whole GPUs. So
     * only victims on a node that comes to hold one more task may do */
    bool lacks;
    bool recorded_could;          /* without others, on the nodes of recorded units there may be room */
    int64_t freed_milli;          /* GPUs of all potential victims */
    uint32_t stamp;
    queue_id preempted;           /* the leaf that a preemption takes from; ID_NONE: it has no more */
    struct order *order;          /* of the leaves, by their first victim */
    struct order_walk walk;       /* of it: by their next victim */
    struct on_node *node;         /* [nodes] */
    struct leaving *leaving;      /* [nodes] */
    struct on_node_link *link;
    size_t n_links, link_capacity;
    size_t n_able;                /* nodes with potential victims that are able */
    struct unit *unit;            /* potential victims, in the order in which they were found */
    size_t n_units, unit_capacity;
    struct victim *victim;        /* their jobs */
    size_t n_victims, victim_capacity;
    struct leaf_victims *leaf;    /* [queues] */
    struct givers givers;
    struct requeued *requeued;
    size_t n_requeued, requeued_capacity;
    struct movable *movable;      /* of consolidation_bound.c */
    size_t n_movable, movable_capacity;
    struct moved *moved;          /* [n_moved] what is known of these */
    size_t n_moved, moved_capacity;
    struct worst_list *worst;     /* of worst.c; NULL: none yet */
    bool movable_elastic;         /* of some jobs only surplus tasks */
    uint64_t movable_at;          /* q->changes when they were listed */
    bool movable_worst;           /* they are those of worst.c */
    struct ahead *ahead;          /* of ahead.c; NULL: none yet */
    size_t tried;                 /* units when a total was tried last */
    const struct unit **chosen;   /* [n_chosen] those that leave in the scenario */
    size_t n_chosen, chosen_capacity;
    uint64_t scenario;            /* number of the last */
    struct scenario_room room;
    struct scenario_queue *losing;    /* [queues] */
    enum search_suits *suits;     /* [n_suits] by shape: all nodes suit it */
    size_t n_suits;
    struct evicted *evicted;      /* [n_evicted] its tasks */
    size_t n_evicted, evicted_capacity;
    struct unit *recorded;        /* [n_recorded] needed for the tasks so far; scratch */
    size_t n_recorded;
    /* [queues] of a scenario: the next of a leaf's that is to be placed; set where it has some */
    uint32_t *contender;
    struct contender *contends;   /* of again.c; [n_contends] scratch */
    size_t n_contends;
    /* For tests. doubts: scenarios that scenario_bound.c calls infeasible, and those that are counted,
     * are tried all the same, and answers of ahead.c are compared with the walk. How many it called
     * so, how many failed, how many answers were compared, how many were counted; how often one was
     * wrong. */
    bool doubts;
    uint64_t n_infeasible, n_failed, n_ahead, n_counted, n_wrong;
    struct piece *placed;         /* [wanted.n] where the job's tasks went; scratch */
};

/* ---- search.c ---- */
/* q->search, made when first asked for. */
struct search *search_begin(struct sched *s, struct quota_state *q);
/* The first of the tasks of j that the last scenario evicted. ID_NONE: none. */
uint32_t search_first_evicted(struct sched *s, const struct search *x, job_id j);
/* That task of it; NULL: it stays. */
struct evicted *search_evicted(struct sched *s, struct search *x, job_id j, uint32_t task);
/* In scratch. */
const struct placement *search_pieces(struct sched *s, const struct piece *piece, uint32_t n);

/* ---- again.c: after the chosen units have left ---- */
/* Who takes part in the scenario, which is called once before the following. */
void scenario_contenders(struct sched *s, const struct quota_state *q, struct search *x,
                         uint32_t tasks);
/* Places all contenders in the order of the queues. false: the job of the search finds no place;
 * that is known as soon as those before it leave too few nodes. */
bool scenario_place_again(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks);
/* What would come of it, without anything that leaves. All lost: the job finds a place, and no other
 * one; x->placed says on which node a single task. */
enum scenario_count { COUNT_SAYS_NOTHING, COUNT_NO_PLACE, COUNT_ALL_LOST };
enum scenario_count scenario_count(struct sched *s, struct quota_state *q, struct search *x);

/* ---- victims.c: potential victims, the worst first ---- */
/* Begins again with the worst. */
void search_victims(struct sched *s, struct quota_state *q, struct search *x);
/* Potential victims alone begin again, in the order that there is. */
void search_units_begin(struct search *x);
/* One more unit; false: no more. */
bool search_next_victim(struct sched *s, struct quota_state *q, struct search *x, uint32_t *unit);
/* The candidate may be a victim of this search. */
bool search_may_take(struct sched *s, const struct quota_state *q, const struct search *x,
                     const struct leaf *l, const struct victim_candidate *v);
/* All of the leaf may: cheap, and true is certain. */
bool search_may_take_all(const struct quota_state *q, const struct search *x, queue_id leaf);
/* The next of x->victim. */
uint32_t search_add_victim(struct sched *s, struct search *x, queue_id leaf,
                           const struct victim_candidate *of);
/* Takes one more unit of a victim. false: all of it is taken, or protected; or some of it was
 * needed for fewer tasks, and the rest takes its turn again. popped: all that it was taken from,
 * which is what counts in the order of queues. */
bool search_take_unit(struct sched *s, const struct quota_state *q, struct search *x,
                      uint32_t which, struct quota_amount *popped);
/* Some of it was needed for the tasks so far. */
bool search_has_recorded(const struct search *x, job_id j);
/* Some job may lose something; false is certain. */
bool search_can_reclaim(struct sched *s, struct quota_state *q, struct search *x);
/* Free there for x->run, as things are. */
int64_t search_free_milli(struct sched *s, const struct search *x, node_id n);
/* Whole GPUs there for x->run, those that recorded units leave among them; if x->lacks. */
uint32_t search_whole_gpus(struct sched *s, const struct search *x, node_id n);
/* The same with what recorded units leave there. */
int64_t search_room_milli(struct sched *s, const struct search *x, node_id n);

/* ---- scenario_bound.c: before anything leaves ---- */
/* The tasks so far that are like the last one. */
uint32_t search_alike(const struct search *x, uint32_t tasks);
/* x->run: fewer of them fit, by whole GPUs of all nodes. */
static inline bool search_lacks_nodes(struct sched *s, const struct search *x, uint32_t tasks)
{
    return quota_lacks_nodes(s, FREE_OR_RELEASING, x->run, search_alike(x, tasks));
}
/* x->room, before the scenarios of the last of these tasks. */
void scenario_room_begin(struct sched *s, struct search *x, uint32_t tasks);
/* Feasibility bound: the scenario of the chosen units cannot succeed, since too few nodes have room even
 * if nothing is placed again; or since more would be lost than may be. Certain, and cheap. */
enum scenario_bound { BOUND_SAYS_NOTHING, BOUND_LACKS_NODES, BOUND_LOSES_TOO_MUCH };
enum scenario_bound scenario_bound(struct sched *s, struct quota_state *q, struct search *x,
                                   uint32_t tasks);

/* ---- worst.c ---- */
/* The first victims of a consolidation for a job that holds nothing, as many as it looks at. NULL:
 * not known without a walk: queues are not siblings, or some of the jobs are elastic. */
const struct worst *worst_victims(struct sched *s, struct quota_state *q, struct search *x,
                                  size_t *n);

/* ---- ahead.c ---- */
/* After search_victims(), while no node has enough: the first victim with which one has. */
enum ahead_answer {
    AHEAD_UNKNOWN,                /* the walk has to tell */
    AHEAD_NONE,                   /* no node ever has */
    AHEAD_FOUND                   /* it, and units that may leave with it, are those of x */
};
enum ahead_answer search_ahead(struct sched *s, struct quota_state *q, struct search *x,
                               job_id *victim);
/* After AHEAD_FOUND, when no scenario of that victim has succeeded: the next that may lead to some. Of
 * victims that it passes over the walk would try none. Unknown: x is as after search_victims(). */
enum ahead_answer search_ahead_next(struct sched *s, struct quota_state *q, struct search *x,
                                    job_id *victim);
