/* flavors.h - which flavors a head gets, and whether it fits there, may fit once others are
 * evicted, or does not; knows no scheduler.
 *
 * A flavor is a kind of nodes. A cell of the books is a pair (flavor, resource). A queue has groups
 * of resources; each group lists flavors in the order in which they are tried. A head has sets of
 * alike tasks (Kueue: pod sets); sets with one `group` share their flavors. A set takes the flavor
 * of a resource from the first group that covers it, and for all resources of that group the same
 * one.
 *
 * A resource is worth, in one flavor, with what earlier sets of the head take there:
 *   1. more than could ever be available: no fit (NO_FIT_NEVER)
 *   2. as much as is available: fit, at the height of the lowest subtree that has it within its
 *      quota (0: the queue itself)
 *   3. evicting may help, if it is within nominal quota, or that subtree is not the whole tree, or
 *      the queue may preempt while it borrows: what a search in this cell alone finds, at the
 *      height that is left when its victims are gone
 *   4. else: no fit (NO_FIT_WAITS)
 * A flavor that is not allowed is NO_FIT_NO_MATCH. A flavor is worth what its worst resource is
 * worth. The search for a flavor stops at one that fits or preempts, unless fungibility says
 * otherwise; if it does not stop, the best flavor counts, the first among equals. A set without a
 * flavor ends it: later ones are not looked at.
 *
 * After kubernetes-sigs/kueue:pkg/scheduler/flavorassigner/flavorassigner.go (Assign,
 * findFlavorForPodSets, fitsResourceQuota, isPreferred, resolveNoFitReason). */
#pragma once
#include "policies/kueue/search.h"

/* From best to worst. MODE_RECLAIM: with victims of other queues alone. MODE_NO_VICTIMS: evicting
 * may help, but a search finds none. */
enum cohort_mode { MODE_FIT, MODE_RECLAIM, MODE_PREEMPT, MODE_NO_VICTIMS, MODE_NO_FIT };
/* Why it does not fit, the mildest first. */
enum cohort_no_fit { NO_FIT_NONE, NO_FIT_NO_PLACE, NO_FIT_WAITS, NO_FIT_NEVER, NO_FIT_NO_MATCH };
struct cohort_worth { enum cohort_mode mode; uint32_t height; };

/* A flavor that borrows, or preempts, does not end the search; what is best then goes by less
 * borrowing before the mode. All false: Kueue's MayStopSearch and BorrowingOverPreemption. */
struct cohort_fungibility { bool next_if_borrows, next_if_preempts, less_borrowing; };
struct cohort_group {
    uint32_t n;
    const uint32_t *flavor;       /* [n] */
    const bool *covers;           /* [resources] */
};
struct cohort_flavors {           /* of a queue */
    uint32_t n_groups;
    const struct cohort_group *group;
    struct cohort_fungibility fungibility;
};

struct cohort_set {
    uint32_t count, least;        /* tasks; it may be admitted with as few as `least` */
    uint32_t slice;               /* it is admitted in multiples of so many; 0: of any number */
    uint32_t group;
    const int64_t *each;          /* [resources] of one task; below 0: not asked at all */
    const bool *allowed;          /* [flavors]; NULL: all */
};
struct cohort_head {              /* to be admitted */
    struct cohort_workload as;    /* need: of the assignment */
    uint32_t n_sets;
    const struct cohort_set *set;
};

/* The answer. Arrays are dense by [set * resources + resource]. */
struct cohort_assignment {
    enum cohort_mode mode;        /* MODE_FIT, MODE_PREEMPT or MODE_NO_FIT */
    uint32_t height;              /* the largest of all */
    enum cohort_no_fit why;       /* of MODE_NO_FIT: the gravest of the groups' mildest */
    uint32_t n_sets;              /* that were looked at */
    uint32_t *count;              /* [sets] tasks */
    uint32_t *flavor;             /* ID_NONE: none */
    uint8_t *cell_mode;           /* enum cohort_mode */
    /* the last flavor that was looked at, by its place in the group: the next look goes on behind
     * it. -1: from the start */
    int32_t *tried;
    int64_t *use;                 /* [cells] what it takes */
    bool *contested;              /* [cells] that need others to leave */
};
size_t cohort_assignment_size(uint32_t sets, uint32_t resources, uint32_t cells);
void   cohort_assignment_lay(struct cohort_assignment *a, uint32_t sets, uint32_t resources,
                             uint32_t cells, void *memory);

/* What is found at a flavor, for reports. Of NO_FIT_NO_MATCH resource is ID_NONE, or the one
 * that no group covers (flavor ID_NONE). short_by: needed beyond what is available. */
struct cohort_finding {
    uint32_t set, flavor, resource;         /* set: the first of its group */
    const struct cohort_group *group;
    struct cohort_worth worth;
    enum cohort_no_fit why;
    int64_t earlier, asked, short_by;
};
struct cohort_chooser {
    const struct cohort_books *books;
    uint32_t n_flavors;
    const uint32_t *cell;                   /* [n_flavors * resources]; ID_NONE: no quota at all */
    const struct cohort_flavors *flavors;   /* [nodes] */
    const struct cohort_rules *rules;       /* [nodes] */
    bool fair;
    enum cohort_no_fit *why_of;             /* [n_flavors] scratch */
    /* A search for victims for `amount` of the head in this cell alone, which is at that height
     * without any; NULL: as if it found some in the own queue, at that height. */
    struct cohort_worth (*simulate)(void *self, const struct cohort_head *h, uint32_t cell,
                                    int64_t amount, uint32_t height);
    void *self;
    /* For a caller that reports why. f NULL: a new look at a head begins. NULL: no report. */
    void (*found)(void *reporter, const struct cohort_finding *f);
    void *reporter;
};

bool cohort_worth_better(struct cohort_worth a, struct cohort_worth b, bool less_borrowing);

/* Fills a: count [sets] tasks are asked of each set. `tried`: where the last look at this head
 * ended; NULL: from the start. `stay`: with the flavors of that assignment and no others; NULL: any. */
void cohort_assign(const struct cohort_chooser *c, const struct cohort_head *h,
                   const uint32_t *count, const int32_t *tried,
                   const struct cohort_assignment *stay, struct cohort_assignment *a);
/* A flavor of some set is not the last that it may have. */
bool cohort_has_more(const struct cohort_chooser *c, const struct cohort_assignment *a);
