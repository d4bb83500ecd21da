/* candidates.h - the jobs of a leaf that can be victims: preemptible jobs that hold something, the worst
 * first, which is from the end of the order of its line (quota_key()).
 *
 * Searches look at the first of them, and mostly a leaf runs a few jobs. So up to CANDIDATES_OWN of them
 * stand in an array, the worst, and only those that are better than all of these in a line. Of that as
 * many are copied behind the others as somebody asks for: until the next change, as what they hold is
 * not followed. */
#pragma once
#include "policies/kai/queues/division.h"
#include "sim/contract/policy.h"

struct quota_state;

/* A cache line. */
struct victim_candidate {
    job_id job;
    bool surplus;                 /* it holds more than its minimum */
    struct line_key key;
    struct quota_amount holds;
    const struct placement *has;  /* NULL while it is leaving */
};
/* Of one that holds whole GPUs of one node, nothing else and no surplus: as little as a search has to
 * read of most candidates. node ID_NONE: all of it has to be read. */
struct victim_spot { node_id node; uint32_t milli; job_id job; };

/* With what it holds now. */
typedef struct victim_candidate candidate_read(struct sched *s, const struct quota_state *q, job_id j,
                                               struct line_key key);
enum { CANDIDATES_OWN = 64 };
struct leaf_candidates {
    struct victim_candidate *at;  /* [n] the worst first */
    struct victim_spot *spot;     /* [n] the same, in short */
    uint32_t n, own;              /* own: such as are in no line; the others are copies */
    uint32_t before, capacity;    /* so many places are free before the first; of both */
    uint32_t all;                 /* those in the line, too */
    candidate_read *read;
    struct line *line;            /* those that are better than all of [own]; NULL: there never was one */
};

/* The k-th; NULL: there are fewer. */
const struct victim_candidate *candidates_copy(struct sched *s, const struct quota_state *q,
                                               struct leaf_candidates *c, size_t k);
static inline const struct victim_candidate *candidates_get(struct sched *s,
                                                            const struct quota_state *q,
                                                            struct leaf_candidates *c, size_t k)
{
    return k < c->n ? &c->at[k] : candidates_copy(s, q, c, k);
}
/* j joins, with what it holds. */
void candidates_add(struct sched *s, const struct quota_state *q, struct leaf_candidates *c, job_id j,
                    struct line_key key);
/* It is one of them. */
void candidates_remove(struct sched *s, const struct quota_state *q, struct leaf_candidates *c, job_id j);
/* What they hold has changed. */
void candidates_renew(struct sched *s, const struct quota_state *q, struct leaf_candidates *c);
