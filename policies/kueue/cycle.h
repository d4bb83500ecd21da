/* cycle.h - a cycle of admission: each head is nominated against the same books, then, in order,
 * each is admitted, or chooses victims, or is set aside, against the books as those before it have
 * left them; knows no scheduler.
 *
 * Nomination. All tasks, if they fit, or a search finds victims; else as many as do, by bisection
 * over a common fraction of what each set can do without; else all, which do not.
 *
 * Order. Classical: order.h. By shares: a tournament at each cohort, from the leaves up, between
 * the nodes just below it; the winner of the root is processed, and the tournament held again
 * on its way up: nowhere else have heads or usage changed. Once no head is left that fits or has
 * victims by its nomination, the others are set aside as they stand, in no order.
 *
 * Processing. A head with victims that are also those of one before it is nominated again, with
 * the flavors that it has, as if those victims were gone: it may then fit, and waits for them, or
 * take others. Whether there is still room is tested with all victims of the cycle and its own
 * gone; until then, and after, they count. A head that is admitted, or waits for victims, is
 * booked. A head without victims books what it may have of its request (cohort_cut_to_reserve), so
 * that others do not borrow it, unless its queue can always reclaim what it lends.
 *
 * Places. A head that fits in quota and has no place must preempt; one that would have none in an
 * empty cluster does not fit (NO_FIT_NO_PLACE). If heads get their place in the cycle
 * (cohort_places.fits), each is nominated with one: where it finds room, or would once its victims
 * are gone; without victims, in an empty cluster. That place is booked with the amount. A head that
 * has lost its place to those before it is nominated again, with the flavors that it has.
 *
 * After kubernetes-sigs/kueue:pkg/scheduler/scheduler.go (nominate, updateAssignmentIfNeeded, getInitialAssignments,
 * processEntry), fair_sharing_iterator.go, flavorassigner/podset_reducer.go,
 * preemption/preemption_oracle.go. */
#pragma once
#include "policies/kueue/flavors.h"
#include "policies/kueue/order.h"

enum cohort_outcome {
    OUTCOME_NONE,
    OUTCOME_ADMITTED,
    OUTCOME_PREEMPTS,             /* its victims are to be evicted; it waits for them */
    OUTCOME_FITS_LATER,           /* when victims of those before it are gone */
    OUTCOME_NO_ROOM,              /* those before it have taken it */
    OUTCOME_NO_VICTIMS,
    OUTCOME_NO_FIT
};
struct cohort_entry {             /* a head of a cycle */
    struct cohort_head head;
    struct cohort_assignment a, spare;      /* laid alike; the second is scratch */
    const int32_t *tried;         /* see cohort_assign() */
    bool nominated;               /* the nomination of an earlier cycle stands */
    struct cohort_victim *victim; /* grown by the desk */
    uint32_t n_victims;
    size_t capacity;
    int64_t *booked;              /* [cells] until the cycle ends; NULL: nothing */
    int64_t *cells;               /* [cells] scratch for that */
    enum cohort_outcome outcome;
    bool wanted_victims;          /* of OUTCOME_NO_ROOM */
};
/* Of a node in the tournament by shares. */
struct cohort_seat {
    /* the best of those below it that have not been processed; NULL: there are none */
    struct cohort_entry *head;
    uint32_t first, next;         /* the first node with heads just below it; the one beside it */
    /* what the node has sent up last in this cycle, of that head, at that version of all nodes from
     * the head's queue up to it; NULL: nothing */
    struct standing sent;
    const struct cohort_entry *of;
    uint64_t at;
};
/* Where quota is decided. Memory of the arrays is the caller's. */
struct cohort_desk {
    struct cohort_chooser chooser;
    struct cohort_search search;  /* its `places` are set by the desk while it searches */
    bool final_share, initial_share;        /* by shares: which rules about victims hold (fair.h) */
    /* for heads that need a place as well as quota; NULL: quota alone decides */
    const struct cohort_places *places;
    /* around each search among places: what is vacated comes back at the end */
    void (*search_begins)(void *self), (*search_ends)(void *self);
    /* An admitted head is booked, and takes its place; false: it has none. NULL: the desk books it
     * until the cycle ends. */
    bool (*admit)(void *self, struct cohort_entry *e);
    void *(*grow)(void *self, size_t bytes);          /* zeroed memory for victims */
    void *self;
    struct cohort_entry *now;     /* the one that is nominated or admitted */
    int64_t *one;                 /* [cells] scratch, all 0 */
    bool *one_contested;          /* [cells] scratch, all false */
    uint32_t searched;            /* the cell of the last search for this nomination; or ID_NONE */
    uint32_t *full, *fewer;       /* scratch: as many as a head has sets */
    struct cohort_seat *seat;     /* [nodes] scratch */
    bool *sends;                  /* [nodes] scratch: there is a head below it */
    struct cohort_entry **entry;  /* [n] of the cycle, those processed first */
    uint32_t n, done, preemptors;
};

/* Fills e->a and the victims. */
void cohort_nominate(struct cohort_desk *d, struct cohort_entry *e);
/* The heads are put into the order in which they were processed. The books end as they were, but
 * for what admit() has done. */
void cohort_cycle(struct cohort_desk *d, struct cohort_entry **entry, uint32_t n);
/* It is looked at again in the next cycle, though nothing has changed. */
bool cohort_tries_again(const struct cohort_desk *d, const struct cohort_entry *e);
