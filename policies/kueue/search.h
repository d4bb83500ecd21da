/* search.h - the victims for one more admission: the input and the answer of the two searches,
 * classical and by fair share. Both leave the books as they found them.
 *
 * Candidates use a contested cell, are neither firm nor chosen, and their priority is one that the
 * preemptor's queue may stop (cohort_rules). Victims are taken one by one until the preemptor fits;
 * then victims that it does not need are put back, the last but one first. Order: those that leave
 * already; other queues before the own; lower priority; admitted more recently; lower id
 * (kubernetes-sigs/kueue:pkg/scheduler/preemption/common/ordering.go, CandidatesOrdering). */
#pragma once
#include "policies/kueue/books.h"

struct cohort_workload {          /* admitted, or about to be */
    uint32_t id, queue;
    int32_t priority;
    int64_t queued_ns, admitted_ns;    /* when it came; since when it holds quota */
    bool leaving;                 /* evicted already; holds its quota until it has left */
    bool firm;                    /* may not be evicted */
    bool chosen;                  /* a victim of this cycle */
    const int64_t *need;          /* [cells] */
};
/* Of one queue: the workloads that hold quota, in the order of cohort_compare_workloads(). And of
 * any node: how many hold quota in it and below, and the lowest priority of these. */
struct cohort_members {
    struct cohort_workload **of;
    uint32_t n, below;
    size_t capacity;
    int32_t lowest;
};
enum cohort_reason {
    EVICT_IN_QUEUE,
    EVICT_RECLAIM,
    EVICT_RECLAIM_WHILE_BORROWING,
    EVICT_FAIR_SHARE
};
struct cohort_victim {
    struct cohort_workload *workload;
    enum cohort_reason reason;
    uint32_t common;              /* lowest cohort above it and the preemptor */
    uint8_t kind;                 /* classical: enum kind of classical.c */
};
/* For workloads that need a place as well as quota. NULL: quota alone decides. */
struct cohort_places {
    void *self;
    /* w leaves, for the time being */
    void (*vacate)(void *self, const struct cohort_workload *w);
    /* undoes vacate; false: its place is taken */
    bool (*restore)(void *self, const struct cohort_workload *w);
    bool (*room)(void *self);     /* there is a place for the preemptor now */
    /* For heads that get their place in the cycle (cycle.h): room() and ever() keep what they find
     * as that of the head. All NULL: they get it later. */
    bool (*ever)(void *self);     /* there would be one if no workload held any */
    bool (*lacks)(void *self, uint32_t set);    /* that set of the head has found none */
    bool (*fits)(void *self);     /* the place kept is free */
    void (*take)(void *self, int sign);    /* the place kept is taken; -1: free again */
};
struct cohort_search {
    struct cohort_books *books;
    const struct cohort_rules *rules;        /* [n] with inherited values */
    const struct cohort_members *members;    /* [n] */
    const uint64_t *weight;       /* [n] fair weight in parts of COHORT_WEIGHT_ONE */
    const struct cohort_places *places;
    struct cohort_victim *victim; /* as many as hold quota; the answer: the first n_victims */
    uint32_t n_victims;
    struct cohort_victim *candidate;         /* as many: scratch of the search by fair share */
    int64_t *own;                 /* [cells] scratch of the same */
    /* [n] scratch of the search by fair share, and how many there were; and shares; all zeroed
     * before the first */
    uint64_t searches;
    struct cohort_range {
        uint64_t search;          /* of another search: nothing yet */
        uint32_t first, kept, next, end;        /* candidates, of a queue */
        /* of a cohort: into its children in order; all before are pruned or moved */
        uint32_t cursor;
        /* the first child with a share that may have changed since; the next such beside it */
        uint32_t moved, beside;
        bool pruned, above, fresh, changed;
    } *range;
    struct cohort_known *known;
    /* [n] scratch of the classical search: a queue with candidates, the first, the next to take */
    struct cohort_source { uint32_t queue, common, first, next; bool precedence; } *source;
};
/* resource: the dominant one, the first of equals; ID_NONE: none */
struct cohort_share {
    int64_t borrowed, lendable;
    uint64_t weight;
    uint32_t resource;
    bool borrows;
    /* its value, to a few ulp; 0: not computed, or weight 0 and borrowing */
    double about;
};
/* Of a node: its share, as of that version of the books; with the preemptor; and as it was when the
 * node was put in order last. */
struct cohort_known {
    struct cohort_share share, with, placed;
    uint64_t share_at, saved;     /* saved: the version before it was written */
    /* of the number in first_child[]: the children of a node, those with the highest share first;
     * of a child: its number there; of a parent: its children are in that order */
    uint32_t ordered, place;
    bool has_order;
};
#define COHORT_WEIGHT_ONE UINT64_C(1000000000)

/* contested: the cells in which quota is short. true: n_victims victims, at least one. */
bool cohort_search_classical(struct cohort_search *s, const struct cohort_workload *preemptor,
                             const bool *contested);
/* final_share, initial_share: which of the rules S2-a and S2-b apply (fair.h). */
bool cohort_search_fair(struct cohort_search *s, const struct cohort_workload *preemptor,
                        const bool *contested, bool final_share, bool initial_share);

/* Of all nodes, of the queue of w there is room for one more. What the order goes by stays as it is
 * while w is a member. */
void cohort_members_add(struct cohort_members *m, const struct cohort_books *b,
                        struct cohort_workload *w);
void cohort_members_remove(struct cohort_members *m, const struct cohort_books *b,
                           const struct cohort_workload *w);

/* ---- What both use ---- */
bool cohort_may_evict(const struct cohort_search *s, const struct cohort_workload *preemptor,
                      const struct cohort_workload *w, const bool *contested);
/* This member or one behind it may be: they are in order of priority. */
bool cohort_may_evict_later(const struct cohort_search *s, const struct cohort_workload *preemptor,
                            const struct cohort_workload *w);
/* What the candidates of the preemptor's queue hold of the cell. */
int64_t cohort_own_candidates(const struct cohort_search *s,
                              const struct cohort_workload *preemptor, const bool *contested,
                              uint32_t cell);
/* <0: a goes first */
int  cohort_compare_workloads(const struct cohort_workload *a, const struct cohort_workload *b);
/* Appends it, takes its usage back. */
void cohort_evict(struct cohort_search *s, const struct cohort_victim *v);
bool cohort_admissible(const struct cohort_search *s, const struct cohort_workload *preemptor,
                       bool borrowing);
void cohort_put_back(struct cohort_search *s, const struct cohort_workload *preemptor,
                     bool borrowing);
/* Restores the books; the victims stay in the answer. */
void cohort_restore(struct cohort_search *s);
