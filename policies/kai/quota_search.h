/* quota_search.h - what the search for victims shares: who might leave, who leaves in a scenario, and what becomes of them. */
#pragma once
#include "policies/kai/quota.h"

/* Tasks that leave together. */
struct unit { job_id job; queue_id leaf; uint32_t n, next_of_job, victim; const struct piece *piece; };
/* A job some of whose tasks are potential victims. */
struct victim { job_id job; queue_id leaf; uint32_t first_unit; const struct late *of; };
/* How far the search is with a leaf: next in its line; NULL: no more. */
struct leaf_victims { uint32_t stamp; size_t at; const struct late *next; struct quota_amount taken; };
struct back { uint32_t victim; struct line_key key; };    /* has more tasks: comes again */
/* Potential victims there; of a search for a job: and what is free. able: enough for a task. */
struct on_node { uint32_t stamp, first; int64_t milli; bool able; };
struct on_node_link { uint32_t unit, next; };
struct movable { node_id node; uint32_t gpus; int64_t milli; const struct request *run; };    /* gpus 0: not whole ones of one node */
enum fate { FATE_LOST, FATE_MOVED, FATE_KEPT };
struct evicted { job_id job; queue_id leaf; uint32_t task, next_of_job; node_id from, to; enum fate fate; };

struct search {
    enum quota_action action;
    job_id job;                   /* ID_NONE: anybody who holds nothing */
    struct wanted wanted;
    bool moves_only;              /* nobody will lose anything for good: the victims are those of a consolidation */
    const struct request *run;    /* the last task's; NULL: every node may do, for it does not want whole GPUs */
    int64_t task_milli, freed_milli;    /* the second: of all potential victims */
    uint32_t stamp;
    struct on_node *node;         /* [nodes] */
    struct on_node_link *link;
    size_t n_links, link_capacity;
    size_t n_able;                /* nodes with potential victims that could do now */
    struct unit *unit;
    size_t n_units, unit_capacity;
    struct victim *victim;
    size_t n_victims, victim_capacity;
    struct leaf_victims *leaf;    /* [queues] */
    struct back *back;
    size_t n_back, back_capacity;
    struct movable *movable;
    size_t n_movable, movable_capacity;
    bool movable_elastic;         /* of some only surplus tasks */
    uint64_t movable_at;          /* q->changes then */
    size_t tried;                 /* potential victims when a total was tried last */
    const struct unit **chosen;   /* who leaves in the scenario */
    size_t n_chosen, chosen_capacity;
    uint64_t scenario;            /* number of the last */
    struct evicted *evicted;      /* what became of them */
    size_t n_evicted, evicted_capacity;
    struct unit *recorded;        /* needed for the tasks so far */
    size_t n_recorded, recorded_capacity;
    struct piece *placed;         /* where the job's tasks went */
};

/* quota_victims.c - potential victims, the worst first */
void search_victims(struct sched *s, struct quota_state *q, struct search *x);    /* from the worst on */
bool search_next_victim(struct sched *s, struct quota_state *q, struct search *x, uint32_t *unit);    /* one more unit; false: no more */
bool search_protects(const struct quota_state *q, const struct sched *s, const struct search *x, job_id v);    /* it has not run for long enough */
bool search_gives(struct sched *s, struct quota_state *q, struct search *x);      /* somebody may lose something for good */

/* quota_units.c - what leaves together */
/* false: all of it is taken, recorded or protected. lost: with it, or by what fewer tasks needed of the job. */
bool search_take_unit(struct sched *s, const struct quota_state *q, struct search *x, uint32_t victim, struct quota_amount *lost);
int64_t search_free_milli(struct sched *s, const struct search *x, node_id n);    /* for x->run, as things are */

/* quota_scenario.c - some leave, the job comes, and who of them finds a place again */


/* quota_vain.c - what cannot succeed */
struct search *search_begin(struct sched *s, struct quota_state *q);    /* the room for it: one a run */
bool search_lacks_nodes(struct sched *s, const struct request *run, uint32_t tasks);    /* more than fit, by whole GPUs */

enum outcome { NO_PLACE, NOT_VALID, SOLVED };
void search_choose(struct sched *s, struct search *x, const struct unit *u);
enum outcome search_try(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks);    /* those chosen leave; and takes it back */
uint32_t search_first_evicted(struct sched *s, const struct search *x, job_id j);    /* of its tasks in the last scenario. ID_NONE: none */
struct evicted *search_evicted(struct sched *s, struct search *x, job_id j, uint32_t task);    /* NULL: it was not */
void search_refresh(struct sched *s, struct quota_state *q, const struct search *x);    /* the shares of all who take part */
